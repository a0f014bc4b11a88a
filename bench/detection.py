#!/usr/bin/env python3
"""Precision and recall of conflicts in small scenarios, through the real server: the facts of each
scenario are committed one by one over MCP into an empty memory, and the conflicts that are open
afterwards are compared with the labels.

usage: bench/detection.py [--engram build/engram] [--scenarios FILE]... [--split easy|hard]
                          [--match REGEX] [--set VARIABLE=VALUE]... [--json] [--scores FILE]

The default scenarios are those of dev and test in tools/train/data, on which no model was trained.
--split takes only the easy or the hard ones, --match those whose id matches from its start. --set
changes the environment of the server. --scores writes every conflict found, one JSON object on each
line, to choose thresholds from."""
import argparse
import collections
import json
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

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def run_scenario(program, scenario, settings):
    """({pair of fact ids: conflict that the memory reports}, seconds of each commit)"""
    seconds, found = [], {}
    with tempfile.TemporaryDirectory() as home:
        server, ids = Server(program, home, settings), {}
        for fact in scenario["facts"]:
            begun = time.monotonic()
            receipt = server.call("engram_commit", {
                "content": fact["content"], "scope": fact["scope"], "agent_id": fact["agent"],
                "engineer": fact["engineer"],
                "fact_type": fact["fact_type"], "confidence": fact["confidence"], "wait_ms": 60000,
                **({"provenance": fact["provenance"]} if fact["provenance"] else {})})
            seconds.append(time.monotonic() - begun)
            if receipt["detection"] != "done":
                raise RuntimeError(f"{scenario['id']}: no verdict on {fact['id']} within a minute")
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


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engram", default=os.path.join(HERE, "..", "build", "engram"))
    parser.add_argument("--scenarios", action="append", metavar="FILE")
    parser.add_argument("--split", choices=dataset.DIFFICULTIES)
    parser.add_argument("--match", default="", metavar="REGEX")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--scores", metavar="FILE")
    parser.add_argument("--set", action="append", default=[], metavar="VARIABLE=VALUE")
    o = parser.parse_args()
    files = o.scenarios or [dataset.path_of("scenarios", split) for split in ("dev", "test")]
    scenarios = [s for path in files for s in dataset.read_lines(path)
                 if o.split in (None, s["difficulty"]) and re.match(o.match, s["id"])]
    if not scenarios:
        parser.error(f"no scenario in {', '.join(files)} fits --split and --match")
    settings = {name: absolute(value) for name, value in (s.split("=", 1) for s in o.set)}
    program = os.path.abspath(shutil.which(o.engram) or o.engram)
    by_tier = collections.defaultdict(lambda: [0, 0])
    by_difficulty = collections.defaultdict(lambda: [0, 0])
    true_positives = false_positives = labelled = look_alikes = flagged = 0
    seconds, scores = [], open(o.scores, "w", encoding="utf-8") if o.scores else None
    for scenario in scenarios:
        found, times = run_scenario(program, scenario, settings)
        seconds += times
        truth = {frozenset((c["a"], c["b"])): c for c in scenario["conflicts"]}
        traps = {frozenset((c["a"], c["b"])): c for c in scenario["non_conflicts"]}
        for pair, conflict in found.items():
            by_tier[conflict["detection_tier"]][pair not in truth] += 1
            true_positives += pair in truth
            false_positives += pair not in truth
            flagged += pair in traps
            if scores:
                scores.write(json.dumps({
                    "scenario": scenario["id"], "pair": sorted(pair),
                    "true_positive": pair in truth,
                    "look_alike": pair in traps, "tier": conflict["detection_tier"],
                    "score": conflict["score"]}) + "\n")
        for pair, label in truth.items():
            by_difficulty[label["difficulty"]][pair not in found] += 1
        labelled, look_alikes = labelled + len(truth), look_alikes + len(traps)
    seconds.sort()
    result = {
        "scenarios": len(scenarios),
        "precision": true_positives / max(1, true_positives + false_positives),
        "recall": true_positives / max(1, labelled),
        "true_positives": true_positives, "false_positives": false_positives,
        "labelled": labelled, "look_alikes": look_alikes, "look_alikes_flagged": flagged,
        "commit_with_verdict_ms": {"median": 1000 * seconds[len(seconds) // 2],
                                   "p95": 1000 * seconds[int(len(seconds) * 0.95)]},
        "tiers": {k: {"true_positives": v[0], "false_positives": v[1]}
                  for k, v in sorted(by_tier.items())},
        "difficulty": {k: {"found": v[0], "missed": v[1]} for k,
                       v in sorted(by_difficulty.items())}}
    if o.json:
        print(json.dumps(result))
        return
    ms = result["commit_with_verdict_ms"]
    print(f"{len(scenarios)} scenarios, {labelled} labelled conflicts, {look_alikes} look-alikes")
    print(f"precision {result['precision']:.3f}, recall {result['recall']:.3f}: "
          f"{true_positives} true positives, {false_positives} false positives, "
          f"of these {flagged} on look-alikes")
    print(f"commit with verdict: median {ms['median']:.0f} ms, p95 {ms['p95']:.0f} ms")
    print(f"\n{'tier':22} {'true positives':>15} {'false positives':>16}")
    for tier, v in result["tiers"].items():
        print(f"{tier:22} {v['true_positives']:15} {v['false_positives']:16}")
    print(f"\n{'difficulty':22} {'found':>15} {'missed':>16}")
    for difficulty, v in result["difficulty"].items():
        print(f"{difficulty:22} {v['found']:15} {v['missed']:16}")


if __name__ == "__main__":
    main()
