#!/usr/bin/env python3
"""Findings of `engram check` on documentation: Markdown in which two list items that carry the same
tag, <!-- 1 hard -->, contradict each other and no others do (tools/train/data/README.md). Files
without tags count as free of contradictions: pass the manual of a project to see how many false
positives it has.

usage: bench/documents.py [--engram build/engram] [--json] [--findings FILE] [PATH]...

PATH is a Markdown file, a folder of them, or a .jsonl file of documents. The default, dev and test
of tools/train/data/documents, are documents on which no model was trained. Each document is checked
by itself, in an empty memory. --findings writes every finding, one JSON object on each line, to
choose thresholds from."""
import argparse
import collections
import glob
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, os.path.join(TOP, "tools", "train"))
import dataset  # noqa: E402


def planted(name, text):
    """{(line, line): difficulty}"""
    tagged = dataset.tagged_lines(text)
    for tag, places in tagged.items():
        if len(places) != 2:
            sys.exit(f"{name}: contradiction {tag} is on {len(places)} lines instead of 2")
    return {(a, b): first or second for (a, first), (b, second) in tagged.values()}


def check(program, name, text):
    env = {k: v for k, v in os.environ.items() if not k.startswith("ENGRAM_")
           or k == "ENGRAM_ISA"}
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, os.path.basename(name))
        with open(path, "w", encoding="utf-8", newline="") as f:
            f.write(text)
        begun = time.monotonic()
        # cwd: a folder without a project's .engram.conf
        done = subprocess.run([program, "check", "--json", "--home", home, path],
                              stdout=subprocess.PIPE, env=env, cwd=home, check=False)
        if done.returncode not in (0, 1):
            sys.exit(f"engram check {name} failed with exit status {done.returncode}")
        return json.loads(done.stdout), time.monotonic() - begun


def documents_of(path):
    """(name, text) of each document."""
    if path.endswith(".jsonl"):
        yield from ((d["name"] + ".md", d["text"]) for d in dataset.read_lines(path))
        return
    files = [path]
    if os.path.isdir(path):
        files = sorted(glob.glob(os.path.join(path, "**", "*.md"), recursive=True))
    for name in files:
        with open(name, encoding="utf-8", newline="") as f:
            yield name, f.read()


def measure(program, name, text):
    wanted, (answer, seconds) = planted(name, text), check(program, name, text)
    findings, rows = {}, []
    for f in answer["findings"]:
        pair = tuple(sorted((f["a"]["line"], f["b"]["line"])))
        findings[pair] = f
        rows.append({"file": name, "true_positive": pair in wanted, "tier": f["detection_tier"],
                     "score": f["score"], "a": f["a"]["content"], "b": f["b"]["content"]})
    return {"statements": answer["statements"], "wanted": collections.Counter(wanted.values()),
            "reported": len(findings), "seconds": seconds, "findings": rows,
            "found": collections.Counter(d for pair, d in wanted.items() if pair in findings)}


def summary(rows):
    statements, reported = (sum(r[key] for r in rows) for key in ("statements", "reported"))
    found = sum((r["found"] for r in rows), collections.Counter())
    wanted = sum((r["wanted"] for r in rows), collections.Counter())
    false_positives = reported - found.total()
    return {
        "files": len(rows), "statements": statements, "contradictions": wanted.total(),
        "true_positives": found.total(), "false_positives": false_positives,
        "false_positives_per_100_statements":
            100 * false_positives / statements if statements else None,
        "precision": found.total() / reported if wanted and reported else None,
        "recall": found.total() / wanted.total() if wanted else None,
        "recall_by_difficulty": {d: f"{found[d]}/{n}" for d, n in sorted(wanted.items())},
        "files_without_false_positive": sum(r["reported"] == r["found"].total() for r in rows),
        "median_seconds": statistics.median(r["seconds"] for r in rows)}


def main():
    a = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("paths", nargs="*", metavar="PATH",
                   default=[dataset.path_of("documents", split) for split in ("dev", "test")])
    a.add_argument("--engram", default=os.path.join(TOP, "build", "engram"))
    a.add_argument("--json", action="store_true")
    a.add_argument("--findings", metavar="FILE")
    o = a.parse_args()
    program = os.path.abspath(shutil.which(o.engram) or o.engram)
    out, every = {}, []
    for path in o.paths:
        rows = [measure(program, name, text) for name, text in documents_of(path)]
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
        print(f"{path}: {s['files']} files, {s['statements']} statements; "
              f"median {s['median_seconds']:.1f} s for each file")
        if s["recall"] is not None:
            by = ", ".join(f"{d} {n}" for d, n in s["recall_by_difficulty"].items())
            print(f"  true positives {s['true_positives']} of {s['contradictions']} ({by}): "
                  f"recall {s['recall']:.3f}, precision {s['precision'] or 0:.3f}")
        print(f"  false positives {s['false_positives']}: "
              f"{s['false_positives_per_100_statements']:.2f} per 100 statements; "
              f"{s['files_without_false_positive']} files without")


if __name__ == "__main__":
    main()
