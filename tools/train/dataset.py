"""Reads the labelled data; data/README.md describes it. No package is needed.
Used by the programs here, by bench/detection.py, bench/documents.py and by tests."""
import collections
import hashlib
import json
import os
import re

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
SPLITS = ("train", "dev", "test")
DIFFICULTIES = ("easy", "hard")  # of contrast sets and scenarios
# On a list item of a document: the number of its contradiction, and how hard that is.
TAG = re.compile(r"\s*<!-- (\d+)(?: (easy|medium|hard))? -->")


def path_of(kind, split, folder=DATA):
    """kind: contrast_sets, scenarios, documents, notes or document_sets."""
    return os.path.join(folder, kind, split + ".jsonl")


def split_of(name):
    """The split of a store of notes or of a document set: by name alone, a third is for test and a
    sixth of the rest for dev."""
    number = int(hashlib.sha256(name.encode("utf-8")).hexdigest(), 16)
    if number % 3 == 0:
        return "test"
    return "dev" if number // 3 % 6 == 0 else "train"


def is_for_trees(name):
    """Whether a store of notes or a document set of train is for the trees of the verdict: the NLI
    models, whose judgement the trees weigh, do not learn from these. Of the stores it is a third;
    the first document sets were for the NLI models, those of the fourth hand are for the trees."""
    if name[0] == "d":
        return name.startswith("d4-")
    return int(hashlib.sha256(name.encode("utf-8")).hexdigest(), 16) // 18 % 3 == 0


def read_lines(path):
    """The JSON object of each line."""
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            try:
                yield json.loads(line)
            except ValueError as e:
                raise ValueError(f"{path}:{number}: not a JSON object: {e}") from None


def _of_difficulty(objects, difficulty):
    return [o for o in objects if difficulty in (None, o["difficulty"])]


def read_contrast_sets(split, difficulty=None):
    return _of_difficulty(read_lines(path_of("contrast_sets", split)), difficulty)


def read_scenarios(split, difficulty=None):
    return _of_difficulty(read_lines(path_of("scenarios", split)), difficulty)


def read_notes(split):
    return list(read_lines(path_of("notes", split)))


def read_document_sets(split):
    return list(read_lines(path_of("document_sets", split)))


def read_documents(split):
    return [parse_document(d["name"], d["text"])
            for d in read_lines(path_of("documents", split))]


def tagged_lines(text):
    """{number of a contradiction: [(line, difficulty or "")]}; lines count from 1."""
    tagged = collections.defaultdict(list)
    for number, line in enumerate(text.split("\n"), 1):
        for tag, difficulty in TAG.findall(line):
            tagged[tag].append((number, difficulty))
    return tagged


def parse_document(name, text):
    """{"name", "statements": the list items, "conflicts": {(i, j): difficulty}}: the two items that
    carry one tag contradict each other."""
    statements, place = [], {}
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("- "):
            place[number] = len(statements)
            statements.append(TAG.sub("", line[2:]).strip())
    conflicts = {(place[a], place[b]): first or second
                 for (a, first), (b, second) in tagged_lines(text).values()}
    return {"name": name, "statements": statements, "conflicts": conflicts}
