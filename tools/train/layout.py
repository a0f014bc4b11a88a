"""The weight files of a model folder: one file, or shards with an index; and files that two models
share. No package is needed. Used by the trainers, convert_weights.py, evaluate and tests."""
import filecmp
import json
import os

SINGLE, INDEX = "model.safetensors", "model.safetensors.index.json"
EMBEDDINGS, REST = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"
VOCABULARY = "vocab.txt"


def weight_files(folder):
    """The paths. The single file takes precedence over shards, as in the engine."""
    if os.path.exists(os.path.join(folder, SINGLE)):
        return [os.path.join(folder, SINGLE)]
    with open(os.path.join(folder, INDEX), encoding="utf-8") as f:
        return [os.path.join(folder, name) for name
                in sorted(set(json.load(f)["weight_map"].values()))]


def clear(folder):
    """Removes weight files before new ones are written: older forms must not remain, and links must
    not be written through."""
    for name in (SINGLE, INDEX, EMBEDDINGS, REST):
        if os.path.lexists(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name))


def share(folder, other):
    """Replaces the token embeddings and the vocabulary by links where those of the other folder are
    identical. Returns whether the token embeddings were."""
    same = [name for name in (EMBEDDINGS, VOCABULARY)
            if filecmp.cmp(os.path.join(folder, name), os.path.join(other, name), shallow=False)]
    for name in same:
        os.remove(os.path.join(folder, name))
        os.symlink(os.path.join(os.path.relpath(os.path.realpath(other), os.path.realpath(folder)),
                                name), os.path.join(folder, name))
    return EMBEDDINGS in same
