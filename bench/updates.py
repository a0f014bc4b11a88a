#!/usr/bin/env python3
"""Whether an update that names no fact replaces the one that it should, through the real server, by
the labelled updates of tools/train/data.

usage: bench/updates.py [--engram build/engram] [--kind scenarios|notes] [--split dev|test]...
                        [--memories FOLDER] [--set VARIABLE=VALUE]... [--json FILE]

Each scenario is a memory of its own, and its updates are committed to it one after the other, each
in the scope of its label. Printed are how many replaced the labelled fact, how many another one
(wrong), and how many were added; then, of memories from which the labelled facts were deleted
before, how many replaced something all the same. --memories keeps the filled memories in a folder,
the same as of bench/retrieval.py. --json writes every update with what became of it."""
import argparse
import collections
import json
import os
import shutil
import tempfile

import detection
import retrieval
from detection import dataset


def run(program, store, filled, settings, absent):
    """[(update, what became of it)]: right, wrong, named (added, with the labelled fact as the
    nearest) or added. absent: the labelled facts are deleted first."""
    names = retrieval.fill(program, filled, store["facts"])
    ids = {own: fact for fact, own in names.items()}
    outcomes = []
    with tempfile.TemporaryDirectory() as top:
        home = os.path.join(top, "home")
        shutil.copytree(filled, home)
        server = detection.Server(
            program, home, {"ENGRAM_PLUGINS": "sqlite memory mcp secrets"} | settings)
        for label in store["updates"] if absent else []:
            server.call("engram_commit", {"operation": "delete",
                                          "corrects_lineage": ids[label["supersedes"]]})
        for label in store["updates"]:
            receipt = server.call("engram_commit", {
                "content": label["content"], "scope": label["scope"], "operation": "update",
                "wait_ms": 0, "verbose": True})
            replaced = receipt["supersedes_fact_id"]
            nearest = receipt.get("nearest", {}).get("fact_id")
            own = names.get(replaced, "another update") if replaced else names.get(nearest)
            right = own == label["supersedes"]
            outcomes.append((label, ("right" if right else "wrong") if replaced else
                             "named" if right else "added", own))
        server.close()
    return outcomes


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engram", default=os.path.join(detection.HERE, "..", "build", "engram"))
    parser.add_argument("--kind", choices=("scenarios", "notes"), default="scenarios")
    parser.add_argument("--split", action="append", choices=("dev", "test"))
    parser.add_argument("--memories", metavar="FOLDER")
    parser.add_argument("--set", action="append", default=[], metavar="VARIABLE=VALUE")
    parser.add_argument("--json", metavar="FILE")
    o = parser.parse_args()
    program = os.path.abspath(shutil.which(o.engram) or o.engram)
    settings = dict(s.split("=", 1) for s in o.set)
    temporary = tempfile.TemporaryDirectory()
    top = os.path.join(os.path.abspath(o.memories or temporary.name), o.kind)
    stores = [s for split in o.split or ("dev", "test")
              for s in dataset.read_lines(dataset.path_of(o.kind, split))]
    rows = {False: [], True: []}
    for store in stores:
        for absent in rows:
            rows[absent] += [(detection.name_of(store), *row) for row in run(
                program, store, os.path.join(top, detection.name_of(store)), settings, absent)]
    counts = collections.Counter(how for _, _, how, _ in rows[False])
    print(f"{len(rows[False])} updates of {len(stores)} memories: {counts['right']} replaced the "
          f"labelled fact, {counts['wrong']} another one, {counts['named'] + counts['added']} were "
          f"added, {counts['named']} of these with the labelled fact named")
    print(f"with the labelled facts deleted before: "
          f"{sum(how == 'wrong' for _, _, how, _ in rows[True])} replaced something")
    if o.json:
        with open(o.json, "w", encoding="utf-8") as f:
            json.dump({"present": rows[False], "absent": rows[True]}, f)


if __name__ == "__main__":
    main()
