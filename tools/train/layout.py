"""The files of weights in a model's folder: one, or shards with an index; and what two models share. No package is needed.
Used by the trainers, convert_weights.py, evaluate and tests."""
import filecmp
import json
import os

SINGLE, INDEX = "model.safetensors", "model.safetensors.index.json"
WORDS, REST = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"
VOCABULARY = "vocab.txt"


def weight_files(folder):
    """The paths; the single file counts where both forms lie there, as it does for the engine."""
    if os.path.exists(os.path.join(folder, SINGLE)):
        return [os.path.join(folder, SINGLE)]
    with open(os.path.join(folder, INDEX), encoding="utf-8") as f:
        return [os.path.join(folder, name) for name in sorted(set(json.load(f)["weight_map"].values()))]


def clear(folder):
    """Before weights are written: of an older form nothing may stay, and nothing is written through a link."""
    for name in (SINGLE, INDEX, WORDS, REST):
        if os.path.lexists(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name))


def share(folder, other):
    """Puts links in the place of the words' vectors and of the vocabulary where those of the other folder are the same; whether the vectors were."""
    same = [name for name in (WORDS, VOCABULARY) if filecmp.cmp(os.path.join(folder, name), os.path.join(other, name), shallow=False)]
    for name in same:
        os.remove(os.path.join(folder, name))
        os.symlink(os.path.join(os.path.relpath(os.path.realpath(other), os.path.realpath(folder)), name), os.path.join(folder, name))
    return WORDS in same
