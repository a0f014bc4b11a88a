#!/usr/bin/env python3
"""Precision and recall of conflicts in small memories, through the real server: the facts of each
scenario, or of each store of notes, are committed one by one over MCP into an empty memory, and the
conflicts that are open afterwards are compared with the labels. A conflict is a true positive when
its pair of facts is labelled.

usage: bench/detection.py [--engram build/engram] [--kind scenarios|notes] [--split dev|test]...
                          [--difficulty easy|hard] [--file FILE]... [--match REGEX]
                          [--set VARIABLE=VALUE]... [--json] [--scores FILE]

The data is that of tools/train/data: by default the scenarios of dev and test, or the notes of
test. --difficulty takes only easy or hard scenarios, --match those whose id or name matches from
its start, --file other files of the same format. --set changes the environment of the server.
--scores writes every conflict found, one JSON object on each line, to choose thresholds from. The
intervals are those of Wilson, at 95 %."""
import argparse
import collections
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools", "train"))
import dataset  # noqa: E402


class Server:
    """One `engram mcp` over a memory of its own."""

    def __init__(self, program, home, settings):
        env = {k: v for k, v in os.environ.items() if not k.startswith("ENGRAM_")
               or k == "ENGRAM_ISA"}
        env |= {"ENGRAM_HOME": home, "ENGRAM_WORKSPACE": "bench", **settings}
        # cwd: a folder without a project's .engram.conf
        self.process = subprocess.Popen([program, "mcp"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, env=env, cwd=home)
        self.number = 0
        self.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                    "clientInfo": {"name": "bench", "version": "1"}})

    def request(self, method, params):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["result"]

    def call(self, tool, arguments):
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            raise RuntimeError(result["content"][0]["text"])
        return result["structuredContent"]

    def commit(self, fact):
        """The receipt, with its verdict."""
        receipt = self.call("engram_commit", {
            "content": fact["content"], "scope": fact["scope"], "agent_id": fact["agent"],
            "engineer": fact["engineer"], "fact_type": fact["fact_type"],
            "confidence": fact["confidence"], "wait_ms": 60000,
            **({"provenance": fact["provenance"]} if fact["provenance"] else {})})
        if receipt["detection"] != "done":
            raise RuntimeError(f"no verdict within a minute on: {fact['content'][:100]}")
        return receipt

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def name_of(store):
    return store.get("id") or store["name"]


def run_store(program, store, settings):
    """({pair of fact ids: conflict that the memory reports}, seconds of each commit)"""
    seconds, found = [], {}
    with tempfile.TemporaryDirectory() as home:
        server, ids = Server(program, home, settings), {}
        for fact in store["facts"]:
            begun = time.monotonic()
            receipt = server.commit(fact)
            seconds.append(time.monotonic() - begun)
            ids[receipt["fact_id"]] = fact["id"]
            for c in receipt["conflicts"]:
                pair = frozenset((ids[c["fact_a"]["fact_id"]], ids[c["fact_b"]["fact_id"]]))
                found[pair] = c
        server.close()
    return found, seconds


def absolute(value):
    """A setting with absolute paths instead of relative ones, since the server runs in another
    folder."""
    return " ".join(os.path.abspath(word) if "/" in word and os.path.exists(word) else word
                    for word in value.split(" "))


def wilson(hits, n, z=1.96):
    """The 95 % interval of a share of n, by Wilson's score."""
    if n == 0:
        return 0.0, 1.0
    share, square = hits / n, z * z / n
    middle = (share + square / 2) / (1 + square)
    half = z * math.sqrt(share * (1 - share) / n + square / (4 * n)) / (1 + square)
    return middle - half, middle + half


class Counts:
    """True and false positives over stores, and by tier, category and difficulty."""

    def __init__(self):
        self.stores = self.true_positives = self.false_positives = 0
        self.labelled = self.look_alikes = self.flagged = 0
        self.seconds = []
        self.tiers = collections.defaultdict(lambda: [0, 0])
        self.traps = collections.Counter()
        self.categories = collections.defaultdict(lambda: [0, 0])
        self.difficulties = collections.defaultdict(lambda: [0, 0])

    def add(self, store, found, seconds, scores):
        truth = {frozenset((c["a"], c["b"])): c for c in store["conflicts"]}
        traps = {frozenset((c["a"], c["b"])): c for c in store["non_conflicts"]}
        for pair, conflict in found.items():
            self.tiers[conflict["detection_tier"]][pair not in truth] += 1
            self.true_positives += pair in truth
            self.false_positives += pair not in truth
            self.flagged += pair in traps
            if pair in traps:
                self.traps[traps[pair]["trap"]] += 1
            if scores:
                scores.write(json.dumps({
                    "store": name_of(store), "pair": sorted(pair), "true_positive": pair in truth,
                    "look_alike": pair in traps, "tier": conflict["detection_tier"],
                    "score": conflict["score"]}) + "\n")
        for pair, label in truth.items():
            self.difficulties[label["difficulty"]][pair not in found] += 1
            self.categories[label["category"]][pair not in found] += 1
        self.stores += 1
        self.labelled += len(truth)
        self.look_alikes += len(traps)
        self.seconds += seconds

    def result(self):
        def found_and_missed(table):
            return {k: {"found": v[0], "missed": v[1]} for k, v in sorted(table.items())}
        reported, seconds = self.true_positives + self.false_positives, sorted(self.seconds)
        return {
            "stores": self.stores,
            "precision": self.true_positives / max(1, reported),
            "precision_interval": wilson(self.true_positives, reported),
            "recall": self.true_positives / max(1, self.labelled),
            "recall_interval": wilson(self.true_positives, self.labelled),
            "true_positives": self.true_positives, "false_positives": self.false_positives,
            "labelled": self.labelled, "look_alikes": self.look_alikes,
            "look_alikes_flagged": self.flagged, "traps": dict(sorted(self.traps.items())),
            "commit_with_verdict_ms": {"median": 1000 * seconds[len(seconds) // 2],
                                       "p95": 1000 * seconds[int(len(seconds) * 0.95)],
                                       "p99": 1000 * seconds[int(len(seconds) * 0.99)]},
            "tiers": {k: {"true_positives": v[0], "false_positives": v[1]}
                      for k, v in sorted(self.tiers.items())},
            "difficulty": found_and_missed(self.difficulties),
            "category": found_and_missed(self.categories)}


def show(kind, result):
    ms = result["commit_with_verdict_ms"]
    print(f"{result['stores']} {kind}, {result['labelled']} labelled conflicts, "
          f"{result['look_alikes']} look-alikes")
    for what in ("precision", "recall"):
        low, high = result[what + "_interval"]
        print(f"{what} {result[what]:.3f} (95 %: {low:.3f} to {high:.3f})")
    print(f"{result['true_positives']} true positives, {result['false_positives']} false "
          f"positives, of these {result['look_alikes_flagged']} on look-alikes")
    print(f"commit with verdict: median {ms['median']:.0f} ms, p95 {ms['p95']:.0f} ms, "
          f"p99 {ms['p99']:.0f} ms")
    print(f"\n{'tier':32} {'true positives':>15} {'false positives':>16}")
    for tier, v in result["tiers"].items():
        print(f"{tier:32} {v['true_positives']:15} {v['false_positives']:16}")
    for table in ("difficulty", "category"):
        print(f"\n{table:32} {'found':>15} {'missed':>16}")
        for key, v in result[table].items():
            print(f"{key:32} {v['found']:15} {v['missed']:16}")
    print("\nlook-alikes reported:", ", ".join(f"{n} {trap}" for trap, n in result["traps"].items())
          or "none")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engram", default=os.path.join(HERE, "..", "build", "engram"))
    parser.add_argument("--kind", choices=("scenarios", "notes"), default="scenarios")
    parser.add_argument("--split", action="append", choices=dataset.SPLITS)
    parser.add_argument("--difficulty", choices=dataset.DIFFICULTIES)
    parser.add_argument("--file", action="append", metavar="FILE")
    parser.add_argument("--match", default="", metavar="REGEX")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--scores", metavar="FILE")
    parser.add_argument("--set", action="append", default=[], metavar="VARIABLE=VALUE")
    o = parser.parse_args()
    splits = o.split or (["dev", "test"] if o.kind == "scenarios" else ["test"])
    files = o.file or [dataset.path_of(o.kind, split) for split in splits]
    stores = [s for path in files for s in dataset.read_lines(path)
              if o.difficulty in (None, s.get("difficulty")) and re.match(o.match, name_of(s))]
    if not stores:
        parser.error(f"nothing in {', '.join(files)} fits --difficulty and --match")
    settings = {name: absolute(value) for name, value in (s.split("=", 1) for s in o.set)}
    program = os.path.abspath(shutil.which(o.engram) or o.engram)
    counts, scores = Counts(), open(o.scores, "w", encoding="utf-8") if o.scores else None
    for store in stores:
        counts.add(store, *run_store(program, store, settings), scores)
    if o.json:
        print(json.dumps(counts.result()))
    else:
        show(o.kind, counts.result())


if __name__ == "__main__":
    main()
