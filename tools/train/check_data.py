#!/usr/bin/env python3
"""Checks the data of tools/train/data (its README gives the format): every broken rule with file and place, then the counts.
usage: check_data.py [FOLDER]"""
import collections
import glob
import json
import os
import sys

import pairs

RELATIONS = {"contradicts", "same", "general", "specific", "supersedes", "neutral"}
DIFFICULTIES = {"easy", "medium", "hard"}
SPLITS = ("train", "dev", "test")


class Checker:
    def __init__(self):
        self.problems, self.counts, self.seen = [], collections.Counter(), {}

    def say(self, where, what):
        self.problems.append(f"{where}: {what}")

    def text(self, where, split, text):
        """A text may come again inside its cluster or store's split, never in another one."""
        key = " ".join(text.lower().split())
        other = self.seen.setdefault(key, (split, where))
        if other[0] != split:
            self.say(where, f"also in {other[1]}: {text[:60]}")

    def cluster(self, where, split, c):
        relations = collections.Counter(r["rel"] for r in c["r"])
        if not set(relations) <= RELATIONS:
            self.say(where, f"unknown relation {set(relations) - RELATIONS}")
        if relations["contradicts"] < 2 or relations["neutral"] < 2 or relations["same"] < 1:
            self.say(where, f"too few relations: {dict(relations)}")
        for text in [c["a"]] + [r["t"] for r in c["r"]]:
            if not 4 <= len(text.split()) <= 60:
                self.say(where, f"{len(text.split())} words: {text[:60]}")
            self.text(where, split, text)
        self.counts[split, "clusters"] += 1

    def store(self, where, split, s):
        place = {f["id"]: i for i, f in enumerate(s["facts"])}
        if len(place) != len(s["facts"]) or len({f["content"] for f in s["facts"]}) != len(place):
            self.say(where, "two facts have one id or one content")
        for f in s["facts"]:
            if not 5 <= len(f["content"].split()) <= 70:
                self.say(where, f"{f['id']}: {len(f['content'].split())} words")
            for key in ("scope", "fact_type", "agent", "engineer", "confidence"):
                if key not in f:
                    self.say(where, f"{f['id']}: no {key}")
            self.text(where, split, f["content"])
        pairs = {}
        for kind, label in (("conflicts", "category"), ("non_conflicts", "trap")):
            for c in s[kind]:
                a, b = c["a"], c["b"]
                if a not in place or b not in place:
                    self.say(where, f"{kind}: {a} {b}: no such fact")
                elif place[a] >= place[b]:
                    self.say(where, f"{kind}: {a} {b}: not in order of commit")
                elif (a, b) in pairs:
                    self.say(where, f"{kind}: {a} {b}: also among {pairs[a, b]}")
                if not c.get(label) or not c.get("why"):
                    self.say(where, f"{kind}: {a} {b}: no {label} or why")
                pairs[a, b] = kind
                self.counts[split, kind] += 1
            if kind == "conflicts" and {c["difficulty"] for c in s[kind]} - DIFFICULTIES:
                self.say(where, "a difficulty that is none")
        for what, ids in [("query", r) for q in s["queries"] for r in q["relevant"]] + [("update", u["supersedes"]) for u in s["updates"]]:
            if ids not in place:
                self.say(where, f"{what}: no fact {ids}")
        for name, n, least, most in (("facts", len(place), 34, 44), ("conflicts", len(s["conflicts"]), 7, 24),
                                     ("non_conflicts", len(s["non_conflicts"]), 8, 40)):
            if not least <= n <= most:
                self.say(where, f"{n} {name}; {least} to {most} are wanted")
        self.counts[split, "stores"] += 1
        self.counts[split, "facts"] += len(place)


    def document(self, where, split, path):
        with open(path, encoding="utf-8") as f:
            lines = f.read().split("\n")
        tags, seen, headings, statements = collections.defaultdict(list), set(), 0, 0
        for number, line in enumerate(lines, 1):
            place = f"{where}:{number}"
            headings += line.startswith("## ")
            if not line.startswith("- "):
                if line and not line.startswith(("# ", "## ")):
                    self.say(place, "neither a heading nor a list item")
                continue
            text = pairs.TAG.sub("", line[2:])
            for tag, difficulty in pairs.TAG.findall(line):
                tags[tag].append(difficulty)
            if "<!--" in text:
                self.say(place, "a comment that is no tag")
            if not 3 <= len(text.split()) <= 50:
                self.say(place, f"{len(text.split())} words")
            if text.lower() in seen:
                self.say(place, "stands there twice")
            seen.add(text.lower())
            self.text(place, split, text)
            statements += 1
        for tag, difficulties in tags.items():
            if len(difficulties) != 2 or not any(difficulties):
                self.say(where, f"contradiction {tag} stands on {len(difficulties)} statements; two are wanted, and a difficulty")
        for name, n, least, most in (("statements", statements, 50, 85), ("contradictions", len(tags), 4, 12), ("sections", headings, 3, 12)):
            if not least <= n <= most:
                self.say(where, f"{n} {name}; {least} to {most} are wanted")
        self.counts[split, "documents"] += 1
        self.counts[split, "statements"] += statements
        self.counts[split, "contradictions of documents"] += len(tags)


def main(folder):
    checker = Checker()
    for split in SPLITS:
        path = os.path.join(folder, "clusters", split + ".jsonl")
        for number, line in enumerate(open(path, encoding="utf-8"), 1):
            where = f"clusters/{split}.jsonl:{number}"
            try:
                checker.cluster(where, split, json.loads(line))
            except (ValueError, KeyError, TypeError) as e:
                checker.say(where, f"cannot be read: {e!r}")
        for path in sorted(glob.glob(os.path.join(folder, "stores", split, "*.json"))):
            where = os.path.relpath(path, folder)
            try:
                with open(path, encoding="utf-8") as f:
                    checker.store(where, split, json.load(f))
            except (ValueError, KeyError, TypeError) as e:
                checker.say(where, f"cannot be read: {e!r}")
        for path in sorted(glob.glob(os.path.join(folder, "documents", split, "*.md"))):
            checker.document(os.path.relpath(path, folder), split, path)
    print("\n".join(checker.problems))
    for split in SPLITS:
        print(split, {kind: n for (s, kind), n in sorted(checker.counts.items()) if s == split})
        if not all(checker.counts[split, kind] for kind in ("stores", "clusters", "documents")):
            print(f"{split}: nothing there")
            return 1
    return 1 if checker.problems else 0


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")))
