#!/usr/bin/env python3
"""Alarms of `engram check` on documentation: Markdown in which two list items that carry one tag, <!-- 1 hard -->, contradict each
other and nothing else does (tools/train/data/README.md). Files without tags count as free of contradictions: name a project's manual,
and see how many alarms it raises for each hundred statements.

usage: bench/documents.py [--engram build/engram] [--json] [--findings FILE] [FILE or FOLDER]...

The default, tools/train/data/documents/dev and test, holds documents that no model was trained on. Each file is checked by itself, in
an empty memory. --findings writes every finding, one JSON object a line, for the choice of thresholds."""
import argparse
import collections
import glob
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

TAG = re.compile(r"<!-- (\d+)(?: (easy|medium|hard))? -->")


def planted(path):
    """{(line, line): difficulty}"""
    tagged = collections.defaultdict(list)
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            for tag, difficulty in TAG.findall(line):
                tagged[tag].append((number, difficulty))
    for tag, places in tagged.items():
        if len(places) != 2:
            sys.exit(f"{path}: contradiction {tag} stands on {len(places)} lines; two are wanted")
    return {(a, b): first or second for (a, first), (b, second) in tagged.values()}


def check(program, path):
    env = {k: v for k, v in os.environ.items() if not k.startswith("ENGRAM_") or k == "ENGRAM_ISA"}
    with tempfile.TemporaryDirectory() as home:
        begun = time.monotonic()
        # in a folder without a project's .engram.conf
        done = subprocess.run([program, "check", "--json", "--home", home, os.path.abspath(path)], stdout=subprocess.PIPE, env=env, cwd=home, check=False)
        if done.returncode not in (0, 1):
            sys.exit(f"engram check {path} ended with {done.returncode}")
        return json.loads(done.stdout), time.monotonic() - begun


def files_of(paths):
    for path in paths:
        if os.path.isdir(path):
            yield from sorted(glob.glob(os.path.join(path, "**", "*.md"), recursive=True))
        else:
            yield path


def measure(program, path):
    wanted, (said, seconds) = planted(path), check(program, path)
    findings, rows = {}, []
    for f in said["findings"]:
        pair = tuple(sorted((f["a"]["line"], f["b"]["line"])))
        findings[pair] = f
        rows.append({"file": path, "right": pair in wanted, "tier": f["detection_tier"], "score": f["score"], "a": f["a"]["content"], "b": f["b"]["content"]})
    return {"file": path, "statements": said["statements"], "wanted": collections.Counter(wanted.values()), "alarms": len(findings),
            "found": collections.Counter(d for pair, d in wanted.items() if pair in findings), "seconds": seconds, "findings": rows}


def summary(rows):
    total, alarms, found = (sum(r["statements"] for r in rows), sum(r["alarms"] for r in rows), sum((r["found"] for r in rows), collections.Counter()))
    wanted, right = sum((r["wanted"] for r in rows), collections.Counter()), found.total()
    return {"files": len(rows), "statements": total, "contradictions": wanted.total(), "found": right, "false": alarms - right,
            "false_per_hundred_statements": 100 * (alarms - right) / total if total else None, "precision": right / alarms if wanted and alarms else None,
            "recall": right / wanted.total() if wanted else None, "recall_by_difficulty": {d: f"{found[d]}/{n}" for d, n in sorted(wanted.items())},
            "files_without_false_alarm": sum(r["alarms"] == r["found"].total() for r in rows), "median_seconds": statistics.median(r["seconds"] for r in rows)}


def main():
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("paths", nargs="*", default=[os.path.join(top, "tools/train/data/documents", split) for split in ("dev", "test")], metavar="FILE or FOLDER")
    a.add_argument("--engram", default=os.path.join(top, "build", "engram"))
    a.add_argument("--json", action="store_true")
    a.add_argument("--findings", metavar="FILE")
    o = a.parse_args()
    program = os.path.abspath(shutil.which(o.engram) or o.engram)
    out, every = {}, []
    for path in o.paths:
        rows = [measure(program, name) for name in files_of([path])]
        if not rows:
            sys.exit(f"{path}: no Markdown there")
        out[os.path.relpath(path)] = summary(rows)
        every += [f for r in rows for f in r["findings"]]
    if o.findings:
        with open(o.findings, "w", encoding="utf-8") as f:
            f.writelines(json.dumps(row) + "\n" for row in every)
    if o.json:
        print(json.dumps(out, indent=1))
        return
    for path, s in out.items():
        print(f"{path}: {s['files']} files, {s['statements']} statements; median {s['median_seconds']:.1f} s a file")
        if s["recall"] is not None:
            by = ", ".join(f"{d} {n}" for d, n in s["recall_by_difficulty"].items())
            print(f"  contradictions found {s['found']} of {s['contradictions']} ({by}): recall {s['recall']:.3f}, precision {s['precision'] or 0:.3f}")
        print(f"  false alarms {s['false']}: {s['false_per_hundred_statements']:.2f} for each hundred statements; {s['files_without_false_alarm']} files without")


if __name__ == "__main__":
    main()
