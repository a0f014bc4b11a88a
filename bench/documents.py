#!/usr/bin/env python3
"""Findings of `engram check` on documentation with labels (tools/train/data/README.md), which are
of two kinds. In Markdown, two list items that carry the same tag, <!-- 1 hard -->, contradict each
other and no others do. In sets of documents, the files of one repository, labels name the passages.
Files without labels count as free of contradictions: pass the manual of a project to see how many
false positives it has.

usage: bench/documents.py [--engram build/engram] [--set VARIABLE=VALUE]... [--json]
                          [--findings FILE] [PATH]...

PATH is a Markdown file, a folder of them, or a .jsonl file of documents or of sets of documents.
The default, dev and test of tools/train/data/documents, are documents on which no model was
trained. Each document, or set, is checked by itself, with the environment that --set changes. A
reported pair of lines is a true positive when its statements lie on the tagged lines, or overlap
the labelled passages in lines and words. --findings writes every finding, one JSON object on each
line, to choose thresholds from. The intervals are those of Wilson, at 95 %; the seconds are CPU
time of all threads, start included."""
import argparse
import collections
import glob
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

from detection import wilson

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, os.path.join(TOP, "tools", "train"))
import dataset  # noqa: E402

# A passage that takes part in a contradiction. words: None where its lines say all.
Passage = collections.namedtuple("Passage", "file first last words")


def words_of(text):
    return set(re.findall(r"\w+", text.lower()))


def tagged(name, text):
    """[((Passage, Passage), difficulty)] of a document with tags."""
    lines = dataset.tagged_lines(text)
    for tag, places in lines.items():
        if len(places) != 2:
            sys.exit(f"{name}: contradiction {tag} is on {len(places)} lines instead of 2")
    return [((Passage(name, a, a, None), Passage(name, b, b, None)), first or second)
            for (a, first), (b, second) in lines.values()]


def labelled(files, labels):
    """The same of a set of documents; labels: its conflicts or non_conflicts."""
    def passage(label, side):
        name, span = label[side + "_file"], label[side + "_span"]
        first = files[name][:files[name].index(span)].count("\n") + 1
        return Passage(name, first, first + span.count("\n"), words_of(span))
    return [((passage(c, "a"), passage(c, "b")), c.get("difficulty")) for c in labels]


def overlaps(statement, passage):
    """statement: a side of a finding. One line may hold several statements, so at least half of the
    words of the shorter one of both must be common."""
    if statement["file"] != passage.file or statement["line"] > passage.last \
            or statement["last_line"] < passage.first:
        return False
    words = words_of(statement["content"])
    return passage.words is None or \
        2 * len(words & passage.words) >= min(len(words), len(passage.words))


def fits(finding, pair):
    a, b = finding["a"], finding["b"]
    return (overlaps(a, pair[0]) and overlaps(b, pair[1])) or \
        (overlaps(a, pair[1]) and overlaps(b, pair[0]))


def check(program, settings, title, files, home=None):
    """(answer of engram check over the files, CPU seconds); home: with the configuration there"""
    env = {k: v for k, v in os.environ.items() if not k.startswith("ENGRAM_")
           or k == "ENGRAM_ISA"} | settings
    with tempfile.TemporaryDirectory() as empty, tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8", newline="") as f:
                f.write(text)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        # cwd: a folder without a project's .engram.conf
        done = subprocess.run([program, "check", "--json", "--home", home or empty, "."],
                              stdout=subprocess.PIPE, env=env, cwd=folder, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode not in (0, 1):
            sys.exit(f"engram check {title} failed with exit status {done.returncode}")
        return json.loads(done.stdout), (after.ru_utime - before.ru_utime
                                         + after.ru_stime - before.ru_stime)


def documents_in(objects):
    """(title, {name: text}, contradictions, look-alikes) of documents and sets of documents."""
    for d in objects:
        if "files" in d:
            yield (d["name"], d["files"], labelled(d["files"], d["conflicts"]),
                   labelled(d["files"], d["non_conflicts"]))
        else:
            name = d["name"] + ".md"
            yield name, {name: d["text"]}, tagged(name, d["text"]), []


def documents_of(path):
    """What is to be checked by itself, as documents_in has it."""
    if path.endswith(".jsonl"):
        yield from documents_in(dataset.read_lines(path))
        return
    files = [path]
    if os.path.isdir(path):
        files = sorted(glob.glob(os.path.join(path, "**", "*.md"), recursive=True))
    for path in files:
        with open(path, encoding="utf-8", newline="") as f:
            name, text = os.path.basename(path), f.read()
        yield path, {name: text}, tagged(name, text), []


def measure(program, settings, title, files, wanted, traps):
    answer, seconds = check(program, settings, title, files)
    pairs, found, rows = {}, set(), []
    for f in answer["findings"]:
        hit = [i for i, (pair, _) in enumerate(wanted) if fits(f, pair)]
        trap = not hit and any(fits(f, pair) for pair, _ in traps)
        lines = frozenset((f[side]["file"], f[side]["line"]) for side in "ab")
        pairs[lines] = pairs.get(lines, False) or bool(hit)
        found.update(hit)
        rows.append({"file": title, "true_positive": bool(hit), "tier": f["detection_tier"],
                     "look_alike": trap, "score": f["score"],
                     "a": f["a"]["content"], "b": f["b"]["content"]})
    return {"statements": answer["statements"], "pairs": answer["pairs"], "seconds": seconds,
            "wanted": collections.Counter(difficulty for _, difficulty in wanted),
            "found": collections.Counter(wanted[i][1] for i in found),
            "reported": len(pairs), "true_positives": sum(pairs.values()), "findings": rows}


def summary(rows):
    statements, reported, right = (sum(r[key] for r in rows)
                                   for key in ("statements", "reported", "true_positives"))
    found = sum((r["found"] for r in rows), collections.Counter())
    wanted = sum((r["wanted"] for r in rows), collections.Counter())
    thousands = statements / 1000 or None
    return {
        "documents": len(rows), "statements": statements, "contradictions": wanted.total(),
        "found": found.total(), "true_positives": right, "false_positives": reported - right,
        "false_positives_per_1000_statements":
            (reported - right) / thousands if thousands else None,
        "look_alikes_reported": sum(f["look_alike"] for r in rows for f in r["findings"]),
        "precision": right / reported if wanted and reported else None,
        "precision_interval": wilson(right, reported),
        "recall": found.total() / wanted.total() if wanted else None,
        "recall_interval": wilson(found.total(), wanted.total()),
        "recall_by_difficulty": {d: f"{found[d]}/{n}" for d, n in sorted(wanted.items())},
        "documents_without_false_positive":
            sum(r["reported"] == r["true_positives"] for r in rows),
        "pairs_per_statement": sum(r["pairs"] for r in rows) / statements if statements else None,
        "cpu_seconds_per_1000_statements":
            sum(r["seconds"] for r in rows) / thousands if thousands else None}


def show(path, s):
    print(f"{path}: {s['documents']} documents, {s['statements']} statements, "
          f"{s['contradictions']} contradictions")
    for what in ("precision", "recall"):
        if s[what] is not None:
            low, high = s[what + "_interval"]
            print(f"  {what} {s[what]:.3f} (95 %: {low:.3f} to {high:.3f})")
    if s["contradictions"]:
        print("  found:", ", ".join(f"{d} {n}" for d, n in s["recall_by_difficulty"].items()))
    if s["statements"]:
        print(f"  {s['false_positives']} false positives, of these "
              f"{s['look_alikes_reported']} on look-alikes: "
              f"{s['false_positives_per_1000_statements']:.1f} per 1,000 statements; "
              f"{s['documents_without_false_positive']} documents without")
        print(f"  {s['cpu_seconds_per_1000_statements']:.1f} CPU seconds per 1,000 statements, "
              f"each compared with {s['pairs_per_statement']:.1f} others")


def main():
    a = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("paths", nargs="*", metavar="PATH",
                   default=[dataset.path_of("documents", split) for split in ("dev", "test")])
    a.add_argument("--engram", default=os.path.join(TOP, "build", "engram"))
    a.add_argument("--set", action="append", default=[], metavar="VARIABLE=VALUE")
    a.add_argument("--json", action="store_true")
    a.add_argument("--findings", metavar="FILE")
    o = a.parse_args()
    program = os.path.abspath(shutil.which(o.engram) or o.engram)
    settings, out, every = dict(s.split("=", 1) for s in o.set), {}, []
    for path in o.paths:
        rows = [measure(program, settings, *document) for document in documents_of(path)]
        if not rows:
            sys.exit(f"{path}: no Markdown files there")
        out[os.path.relpath(path)] = summary(rows)
        every += [f for r in rows for f in r["findings"]]
    if o.findings:
        with open(o.findings, "w", encoding="utf-8") as f:
            f.writelines(json.dumps(row) + "\n" for row in every)
    if o.json:
        print(json.dumps(out, indent=1))
        return
    for path, s in out.items():
        show(path, s)


if __name__ == "__main__":
    main()
