#!/usr/bin/env python3
"""Converts a BERT folder (f16, bf16 or f32 safetensors) into the form that ships: matrices as s8 with one f32 scale a block
of 128 inputs (NAME and NAME.scales), vectors as f32; vocab.txt instead of tokenizer.json. The words' vectors, which training leaves
as they are, get a file of their own: where another model that ships has the same, a link takes its place, and that of the vocabulary.
Usage: convert_weights.py [--words FOLDER] [--mean FOLDER SHARE] SOURCE DESTINATION [ENGRAM_JSON]   (needs numpy and safetensors)
--words: that other model, beside DESTINATION. --mean: this share of all weights is FOLDER's, an earlier pass of the same training, or what it began
with: two that are near each other make a better one together. ENGRAM_JSON: the thresholds that go along; without it those that lie in SOURCE.
evaluate --choose sets that of the NLI model anew."""
import argparse
import json
import os
import shutil

import numpy as np
from safetensors.numpy import load_file, save_file

import layout

BLOCK = 128


def quantize(w):
    """Symmetric, values in [-127, 127]; the scale of a block is its largest magnitude / 127."""
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
    """What published sentence embeddings have besides."""
    return "pooler" in name or "position_ids" in name


def weights_of(folder):
    """{name: tensor}; all names but those of a classifier begin with 'bert.', as in the models of Hugging Face that have a head."""
    return {name if name.startswith(("bert.", "classifier.")) else "bert." + name: w.astype(np.float32)
            for name, w in load_file(os.path.join(folder, layout.SINGLE)).items()}


def mean(weights, others, share):
    """What is the same in both stays bit for bit: the words' vectors."""
    return {name: w if np.array_equal(w, others[name]) else w * np.float32(1 - share) + others[name] * np.float32(share) for name, w in weights.items()}


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
    files = {name: layout.WORDS if "word_embeddings" in name else layout.REST for name in tensors}
    for file in (layout.WORDS, layout.REST):
        save_file({name: w for name, w in tensors.items() if files[name] == file}, os.path.join(folder, file), metadata={"format": "pt"})
    index = {"metadata": {"total_size": sum(w.nbytes for w in tensors.values())}, "weight_map": files}
    with open(os.path.join(folder, layout.INDEX), "w", encoding="utf-8") as f:
        json.dump(index, f, indent=1, sort_keys=True)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--words", metavar="FOLDER")
    a.add_argument("--mean", nargs=2, metavar=("FOLDER", "SHARE"))
    a.add_argument("source")
    a.add_argument("destination")
    a.add_argument("thresholds", nargs="?")
    o = a.parse_args()
    for folder in (o.words, o.source):
        if folder and os.path.realpath(folder) == os.path.realpath(o.destination):
            a.error(f"'{folder}' is DESTINATION itself")
    if o.words and not os.path.exists(os.path.join(o.words, layout.WORDS)):
        a.error(f"--words: '{o.words}' has no {layout.WORDS}")
    weights = weights_of(o.source)
    if o.mean:
        share = share_of(o.mean[1])
        if share is None:
            a.error(f"--mean: '{o.mean[1]}' is no share between 0 and 1")
        others = weights_of(o.mean[0])
        others = {name: w for name, w in others.items() if name in weights or not is_unread(name)}
        if {name: w.shape for name, w in weights.items()} != {name: w.shape for name, w in others.items()}:
            a.error(f"--mean: '{o.mean[0]}' is another shape of model than '{o.source}'")
        weights = mean(weights, others, share)
    os.makedirs(os.path.join(o.destination, "1_Pooling"), exist_ok=True)
    write_weights(converted(weights), o.destination)
    with open(os.path.join(o.source, "config.json"), encoding="utf-8") as f:
        config = dict(json.load(f), torch_dtype="int8")
    with open(os.path.join(o.destination, "config.json"), "w", encoding="utf-8") as f:
        json.dump(config, f, indent=1)
    for name in ("vocab.txt", "tokenizer_config.json", "modules.json", "sentence_bert_config.json", "1_Pooling/config.json"):
        if os.path.exists(os.path.join(o.source, name)):
            there = os.path.join(o.destination, name)
            if os.path.islink(there):
                os.remove(there)
            shutil.copy(os.path.join(o.source, name), there)
    if o.words and not layout.share(o.destination, o.words):
        print(f"{o.destination}: its words' vectors are not those of {o.words}, and are not shared")
    thresholds, there = o.thresholds or os.path.join(o.source, "engram.json"), os.path.join(o.destination, "engram.json")
    if os.path.exists(thresholds) and os.path.realpath(thresholds) != os.path.realpath(there):
        shutil.copy(thresholds, there)
    if not os.listdir(os.path.join(o.destination, "1_Pooling")):
        os.rmdir(os.path.join(o.destination, "1_Pooling"))


if __name__ == "__main__":
    main()
