#!/usr/bin/env python3
"""Converts a BERT folder (f16, bf16 or f32 safetensors) to the form that ships: matrices as s8 with
one f32 scale for each block of 128 inputs (NAME and NAME.scales), vectors as f32, and vocab.txt
instead of tokenizer.json. Needs numpy and safetensors.
usage: convert_weights.py [--token-embeddings FOLDER] [--mean FOLDER SHARE]
                          SOURCE DESTINATION [ENGRAM_JSON]

The token embeddings, which training does not change, get a file of their own.
--token-embeddings  another model beside DESTINATION: where its token embeddings and its vocabulary
                    are identical, DESTINATION gets links to them
--mean              average the weights: SHARE of FOLDER, the rest of SOURCE. FOLDER is an
                    earlier pass of the same training or its starting point
ENGRAM_JSON         the thresholds to copy; default: those in SOURCE. evaluate --choose sets the one
                    of the NLI model"""
import argparse
import json
import os
import shutil

import numpy as np
from safetensors.numpy import load_file, save_file

import layout

BLOCK = 128


def quantize(w):
    """Symmetric quantisation to [-127, 127]; the scale of a block is its largest magnitude /
    127."""
    rows, columns = w.shape
    blocks = -(-columns // BLOCK)
    padded = np.zeros((rows, blocks * BLOCK), np.float32)
    padded[:, :columns] = w
    parts = padded.reshape(rows, blocks, BLOCK)
    scales = np.abs(parts).max(axis=2) / 127
    scales[scales == 0] = 1
    q = np.clip(np.rint(parts / scales[:, :, None]), -127, 127).astype(np.int8)
    return q.reshape(rows, -1)[:, :columns].copy(), scales.astype(np.float32)


def is_small(name):
    return "classifier" in name or "position_embeddings" in name or "token_type" in name


def is_unread(name):
    """The further files of published sentence embedding models."""
    return "pooler" in name or "position_ids" in name


def weights_of(folder):
    """{name: tensor}; all names except the classifier's begin with 'bert.', as in Hugging Face
    models with a head."""
    return {name if name.startswith(("bert.", "classifier."))
            else "bert." + name: w.astype(np.float32)
            for name, w in load_file(os.path.join(folder, layout.SINGLE)).items()}


def mean(weights, others, share):
    """Tensors that are identical in both, the token embeddings, keep their bits."""
    return {name: w if np.array_equal(w, others[name])
            else w * np.float32(1 - share) + others[name] * np.float32(share) for name,
            w in weights.items()}


def share_of(text):
    try:
        return float(text) if 0 <= float(text) <= 1 else None
    except ValueError:
        return None


def converted(weights):
    out = {}
    for name, w in weights.items():
        if w.ndim == 2 and not is_small(name):
            out[name], out[name + ".scales"] = quantize(w)
        else:
            out[name] = w
    return out


def write_weights(tensors, folder):
    layout.clear(folder)
    files = {name: layout.EMBEDDINGS if "word_embeddings" in name else layout.REST
             for name in tensors}
    for file in (layout.EMBEDDINGS, layout.REST):
        save_file({name: w for name, w in tensors.items() if files[name] == file},
                  os.path.join(folder, file), metadata={"format": "pt"})
    index = {"metadata": {"total_size": sum(w.nbytes for w in tensors.values())},
             "weight_map": files}
    with open(os.path.join(folder, layout.INDEX), "w", encoding="utf-8") as f:
        json.dump(index, f, indent=1, sort_keys=True)


def main():
    a = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--token-embeddings", metavar="FOLDER")
    a.add_argument("--mean", nargs=2, metavar=("FOLDER", "SHARE"))
    a.add_argument("source")
    a.add_argument("destination")
    a.add_argument("thresholds", nargs="?")
    o = a.parse_args()
    for folder in (o.token_embeddings, o.source):
        if folder and os.path.realpath(folder) == os.path.realpath(o.destination):
            a.error(f"'{folder}' is DESTINATION; name another folder")
    if o.token_embeddings and not os.path.exists(
            os.path.join(o.token_embeddings, layout.EMBEDDINGS)):
        a.error(f"--token-embeddings: '{o.token_embeddings}' has no {layout.EMBEDDINGS}")
    weights = weights_of(o.source)
    if o.mean:
        share = share_of(o.mean[1])
        if share is None:
            a.error(f"--mean: '{o.mean[1]}' is not a number between 0 and 1")
        others = weights_of(o.mean[0])
        others = {name: w for name, w in others.items() if name in weights or not is_unread(name)}
        if {name: w.shape for name, w in weights.items()} != {name: w.shape for name,
                w in others.items()}:
            a.error(f"--mean: '{o.mean[0]}' and '{o.source}' have different shapes")
        weights = mean(weights, others, share)
    os.makedirs(os.path.join(o.destination, "1_Pooling"), exist_ok=True)
    write_weights(converted(weights), o.destination)
    with open(os.path.join(o.source, "config.json"), encoding="utf-8") as f:
        config = dict(json.load(f), torch_dtype="int8")
    with open(os.path.join(o.destination, "config.json"), "w", encoding="utf-8") as f:
        json.dump(config, f, indent=1)
    for name in ("vocab.txt", "tokenizer_config.json", "modules.json", "sentence_bert_config.json",
                 "1_Pooling/config.json"):
        if os.path.exists(os.path.join(o.source, name)):
            there = os.path.join(o.destination, name)
            if os.path.islink(there):
                os.remove(there)
            shutil.copy(os.path.join(o.source, name), there)
    if o.token_embeddings and not layout.share(o.destination, o.token_embeddings):
        print(
            f"{o.destination}: its token embeddings differ from those of {o.token_embeddings}; "
            f"not shared")
    thresholds, there = o.thresholds or os.path.join(o.source,
                                                     "engram.json"), os.path.join(o.destination,
                                                         "engram.json")
    if os.path.exists(thresholds) and os.path.realpath(thresholds) != os.path.realpath(there):
        shutil.copy(thresholds, there)
    if not os.listdir(os.path.join(o.destination, "1_Pooling")):
        os.rmdir(os.path.join(o.destination, "1_Pooling"))


if __name__ == "__main__":
    main()
