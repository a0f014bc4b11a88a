#!/usr/bin/env python3
"""Checks the labelled data (data/README.md has the format): prints every broken rule with its file
and line, then the counts.
usage: check_data.py [FOLDER]"""
import collections
import json
import os
import sys

import dataset

RELATIONS = {"contradicts", "same", "general", "specific", "supersedes", "neutral"}
DIFFICULTIES = {"easy", "medium", "hard"}
PAIR_FIELDS = {"repo", "old_commit", "old_file", "old_line", "old_words", "file", "line", "words",
               "label", "change"}
STATEMENT_KINDS = {"assertion", "instruction", "prohibition", "option", "example", "history",
                   "proposal", "question", "step", "aside"}


class Checker:
    def __init__(self):
        self.problems, self.counts, self.seen = [], collections.Counter(), {}

    def say(self, where, what):
        self.problems.append(f"{where}: {what}")

    def text(self, where, split, text):
        """A text may occur again in its split, but not in another one."""
        key = " ".join(text.lower().split())
        other = self.seen.setdefault(key, (split, where))
        if other[0] != split:
            self.say(where, f"the text is also in {other[1]}: {text[:60]}")

    def split(self, where, split, name):
        if dataset.split_of(name) != split:
            self.say(where, f"{name} belongs to {dataset.split_of(name)}")

    def sizes(self, where, *sizes):
        """sizes: (what, n, least, most)"""
        for what, n, least, most in sizes:
            if not least <= n <= most:
                self.say(where, f"{n} {what} instead of {least} to {most}")

    def contrast_set(self, where, split, c):
        relations = collections.Counter(r["rel"] for r in c["r"])
        if not set(relations) <= RELATIONS:
            self.say(where, f"unknown relation {set(relations) - RELATIONS}")
        if relations["contradicts"] < 2 or relations["neutral"] < 2 or relations["same"] < 1:
            self.say(where,
                     f"at least 2 contradicts, 2 neutral and 1 same are needed: {dict(relations)}")
        for text in [c["a"]] + [r["t"] for r in c["r"]]:
            if not 4 <= len(text.split()) <= 60:
                self.say(where, f"{len(text.split())} words: {text[:60]}")
            self.text(where, split, text)
        self.counts[split, "contrast sets"] += 1

    def facts(self, where, split, store, least, most):
        """{id: place in order of commit}; least and most: words of a fact"""
        place = {f["id"]: i for i, f in enumerate(store["facts"])}
        contents = {f["content"] for f in store["facts"]}
        if len(place) != len(store["facts"]) or len(contents) != len(place):
            self.say(where, "two facts have the same id or the same content")
        for f in store["facts"]:
            if not least <= len(f["content"].split()) <= most:
                self.say(where, f"{f['id']}: {len(f['content'].split())} words")
            for key in ("scope", "fact_type", "agent", "engineer", "confidence"):
                if key not in f:
                    self.say(where, f"{f['id']}: no {key}")
            self.text(where, split, f["content"])
        return place

    def labels(self, where, split, store, place):
        kinds = {}
        for kind, label in (("conflicts", "category"), ("non_conflicts", "trap")):
            for c in store[kind]:
                a, b = c["a"], c["b"]
                if a not in place or b not in place:
                    self.say(where, f"{kind}: {a} {b}: there is no such fact")
                elif place[a] >= place[b]:
                    self.say(where, f"{kind}: {a} {b}: not in order of commit")
                elif (a, b) in kinds:
                    self.say(where, f"{kind}: {a} {b}: also among {kinds[a, b]}")
                if not c.get(label) or not c.get("why"):
                    self.say(where, f"{kind}: {a} {b}: no {label} or why")
                kinds[a, b] = kind
                self.counts[split, kind] += 1
            if kind == "conflicts" and {c["difficulty"] for c in store[kind]} - DIFFICULTIES:
                self.say(where, f"a difficulty is not one of {sorted(DIFFICULTIES)}")
        for what, ids in [("query", r) for q in store["queries"]
                          for r in q["relevant"]] + [("update", u["supersedes"])
                                                     for u in store["updates"]]:
            if ids not in place:
                self.say(where, f"{what}: no fact {ids}")

    def scenario(self, where, split, s):
        place = self.facts(where, split, s, 5, 70)
        self.labels(where, split, s, place)
        self.sizes(where, ("facts", len(place), 34, 44),
                   ("conflicts", len(s["conflicts"]), 7, 24),
                   ("non_conflicts", len(s["non_conflicts"]), 8, 40))
        self.counts[split, "scenarios"] += 1
        self.counts[split, "facts"] += len(place)

    def document(self, where, split, d):
        tags, seen, headings, statements = collections.defaultdict(list), set(), 0, 0
        where = f"{where} ({d['name']})"
        for number, line in enumerate(d["text"].split("\n"), 1):
            place = f"{where}, line {number} of the text"
            headings += line.startswith("## ")
            if not line.startswith("- "):
                if line and not line.startswith(("# ", "## ")):
                    self.say(place, "neither a heading nor a list item")
                continue
            text = dataset.TAG.sub("", line[2:])
            for tag, difficulty in dataset.TAG.findall(line):
                tags[tag].append(difficulty)
            if "<!--" in text:
                self.say(place, "a comment that is not a tag")
            if not 3 <= len(text.split()) <= 50:
                self.say(place, f"{len(text.split())} words")
            if text.lower() in seen:
                self.say(place, "the statement is there twice")
            seen.add(text.lower())
            self.text(place, split, text)
            statements += 1
        for tag, difficulties in tags.items():
            if len(difficulties) != 2 or not any(difficulties):
                self.say(where,
                         f"contradiction {tag} is on {len(difficulties)} statements; it needs two,"
                         f" and a difficulty")
        self.sizes(where, ("statements", statements, 50, 85),
                   ("contradictions", len(tags), 4, 12), ("sections", headings, 3, 12))
        self.counts[split, "documents"] += 1
        self.counts[split, "statements"] += statements
        self.counts[split, "contradictions in documents"] += len(tags)

    def note(self, where, split, s):
        where = f"{where} ({s['name']})"
        self.split(where, split, s["name"])
        place = self.facts(where, split, s, 3, 130)
        self.labels(where, split, s, place)
        content = {f["id"]: f["content"] for f in s["facts"]}
        for f in s["facts"]:
            at = 0
            for statement in f["statements"]:
                if statement["kind"] not in STATEMENT_KINDS:
                    self.say(where, f"{f['id']}: unknown kind {statement['kind']}")
                found = f["content"].find(statement["t"], at)
                if found < 0:
                    self.say(where, f"{f['id']}: not in the content, or not in this order: "
                                    f"{statement['t'][:60]}")
                else:
                    at = found + len(statement["t"])
            self.counts[split, "statements of notes"] += len(f["statements"])
        for c in s["conflicts"] + s["non_conflicts"]:
            for side in "ab":
                if c[side + "_span"] not in content.get(c[side], ""):
                    self.say(where, f"{c['a']} {c['b']}: {side}_span is not in its fact")
        self.sizes(where, ("facts", len(place), 40, 72), ("conflicts", len(s["conflicts"]), 5, 24),
                   ("non_conflicts", len(s["non_conflicts"]), 20, 48))
        self.counts[split, "notes"] += 1
        self.counts[split, "facts of notes"] += len(place)

    def document_set(self, where, split, s):
        where = f"{where} ({s['name']})"
        self.split(where, split, s["name"])
        lines = sum(text.count("\n") + (not text.endswith("\n")) for text in s["files"].values())
        self.sizes(where, ("files", len(s["files"]), 6, 10), ("lines", lines, 250, 540),
                   ("conflicts", len(s["conflicts"]), 4, 12),
                   ("non_conflicts", len(s["non_conflicts"]), 16, 40))
        for kind, label in (("conflicts", "category"), ("non_conflicts", "trap")):
            for number, c in enumerate(s[kind], 1):
                spans = []
                for side in "ab":
                    text, span = s["files"].get(c[side + "_file"], ""), c[side + "_span"]
                    if not span.strip() or text.count(span) != 1:
                        self.say(where, f"{kind} {number}: {side}_span occurs {text.count(span)} "
                                        f"times in {c[side + '_file']}: {span[:60]}")
                    start = text.find(span)
                    spans.append((c[side + "_file"], start, start + len(span)))
                (f, a, b), (g, c_start, d) = spans
                if f == g and a < d and c_start < b:
                    self.say(where, f"{kind} {number}: the two spans overlap in {f}")
                if not c.get(label) or not c.get("why"):
                    self.say(where, f"{kind} {number}: no {label} or why")
                self.counts[split, f"{kind} of document sets"] += 1
        self.counts[split, "document sets"] += 1

    def history_pair(self, where, split, p, sources):
        """sources: of the repositories, by name"""
        if p["repo"] not in sources or sources[p["repo"]]["split"] != split:
            self.say(where, f"{p['repo']} is not a repository of {split} in sources.jsonl")
        if set(p) != PAIR_FIELDS or p["label"] not in ("contradiction", "agree"):
            self.say(where, f"other fields than {sorted(PAIR_FIELDS)}, or an unknown label")
        for side in ("old_", ""):
            (first, last), (start, end) = p[side + "line"], p[side + "words"]
            if not 0 < first <= last or not 0 <= start < end:
                self.say(where, f"{side}line or {side}words are out of order")
        key = json.dumps(p, sort_keys=True)
        if key in self.seen:
            self.say(where, "the pair is there twice")
        self.seen[key] = (split, where)
        self.counts[split, f"history pairs, {p['label']}"] += 1


def check_history_pairs(checker, folder):
    folder = os.path.join(folder, "history_pairs")
    sources = {s["repo"]: s for s in dataset.read_lines(os.path.join(folder, "sources.jsonl"))}
    for split in ("train", "test"):
        pairs = dataset.read_lines(os.path.join(folder, split + ".jsonl"))
        for number, pair in enumerate(pairs, 1):
            checker.history_pair(f"history_pairs/{split}.jsonl:{number}", split, pair, sources)


def main(folder):
    checker = Checker()
    check_history_pairs(checker, folder)
    for split in dataset.SPLITS:
        for kind, check in (("contrast_sets", checker.contrast_set),
                            ("scenarios", checker.scenario), ("documents", checker.document),
                            ("notes", checker.note), ("document_sets", checker.document_set)):
            for number, o in enumerate(dataset.read_lines(dataset.path_of(kind, split, folder)), 1):
                where = f"{kind}/{split}.jsonl:{number}"
                try:
                    if (kind in ("contrast_sets", "scenarios")
                            and o["difficulty"] not in dataset.DIFFICULTIES):
                        checker.say(where, f"difficulty {o['difficulty']!r} is not easy or hard")
                    check(where, split, o)
                except (KeyError, TypeError) as e:
                    checker.say(where, f"a field is missing or of another type: {e!r}")
    print("\n".join(checker.problems))
    for split in dataset.SPLITS:
        print(split, {kind: n for (s, kind), n in sorted(checker.counts.items()) if s == split})
        if not all(checker.counts[split, kind]
                   for kind in ("scenarios", "contrast sets", "documents", "notes",
                                "document sets")):
            print(f"{split}: a kind of data is missing")
            return 1
    return 1 if checker.problems else 0


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else dataset.DATA))
