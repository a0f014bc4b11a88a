#!/usr/bin/env python3
"""Converts a BERT folder (f16, bf16 or f32 safetensors) into the form that ships: matrices as s8 with one f32 scale a block
of 128 inputs (NAME and NAME.scales), vectors as f32; vocab.txt instead of tokenizer.json.
Usage: convert_weights.py SOURCE DESTINATION [ENGRAM_JSON]   (needs numpy and safetensors)
ENGRAM_JSON: the thresholds that go along; without it those that lie in SOURCE. evaluate --choose sets that of the NLI model anew."""
import json
import os
import shutil
import sys

import numpy as np
from safetensors.numpy import load_file, save_file

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


def main(source, destination, thresholds=None):
    tensors, out = load_file(os.path.join(source, "model.safetensors")), {}
    for name, w in tensors.items():
        w = w.astype(np.float32)
        if w.ndim == 2 and not is_small(name):
            out[name], out[name + ".scales"] = quantize(w)
        else:
            out[name] = w
    os.makedirs(os.path.join(destination, "1_Pooling"), exist_ok=True)
    save_file(out, os.path.join(destination, "model.safetensors"), metadata={"format": "pt"})
    config = json.load(open(os.path.join(source, "config.json")))
    config["torch_dtype"] = "int8"
    json.dump(config, open(os.path.join(destination, "config.json"), "w"), indent=1)
    for name in ("vocab.txt", "tokenizer_config.json", "modules.json", "sentence_bert_config.json", "1_Pooling/config.json"):
        if os.path.exists(os.path.join(source, name)):
            shutil.copy(os.path.join(source, name), os.path.join(destination, name))
    thresholds = thresholds or os.path.join(source, "engram.json")
    if os.path.exists(thresholds):
        shutil.copy(thresholds, os.path.join(destination, "engram.json"))
    if not os.listdir(os.path.join(destination, "1_Pooling")):
        os.rmdir(os.path.join(destination, "1_Pooling"))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
