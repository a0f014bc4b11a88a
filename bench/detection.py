#!/usr/bin/env python3
"""Precision and recall of conflicts on small stores, through the real server: each store's facts are committed one by one over MCP
into an empty memory; what is open afterwards is compared with its labels.

usage: bench/detection.py [--engram build/engram] [--stores FOLDER]... [--match REGEX] [--json] [--scores FILE]

The default stores, tools/train/data/stores/dev and test, are the ones no model was trained on. --match takes those whose file name it
matches from the start: '[n-t]-' are the second, harder generation. --scores writes every conflict found, one JSON object a line, for the choice of thresholds."""
import argparse
import collections
import glob
import json
import os
import re
import shutil
import subprocess
import tempfile
import time


class Server:
    """One `engram mcp` over a memory of its own."""

    def __init__(self, program, home, settings):
        env = {k: v for k, v in os.environ.items() if not k.startswith("ENGRAM_") or k == "ENGRAM_ISA"}
        env |= {"ENGRAM_HOME": home, "ENGRAM_WORKSPACE": "bench", **settings}
        # in a folder without a project's .engram.conf
        self.process = subprocess.Popen([program, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, cwd=home)
        self.number = 0
        self.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})

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


def run_store(program, store, settings):
    """Pairs of labels' ids that the memory calls conflicts, with tier and score; seconds for each commit."""
    seconds, found = [], {}
    with tempfile.TemporaryDirectory() as home:
        server, ids = Server(program, home, settings), {}
        for fact in store["facts"]:
            begun = time.monotonic()
            receipt = server.call("engram_commit", {
                "content": fact["content"], "scope": fact["scope"], "agent_id": fact["agent"], "engineer": fact["engineer"],
                "fact_type": fact["fact_type"], "confidence": fact["confidence"], "wait_ms": 60000,
                **({"provenance": fact["provenance"]} if fact["provenance"] else {})})
            seconds.append(time.monotonic() - begun)
            if receipt["detection"] != "done":
                raise RuntimeError("a verdict did not come in time")
            ids[receipt["fact_id"]] = fact["id"]
            for c in receipt["conflicts"]:
                pair = frozenset((ids[c["fact_a"]["fact_id"]], ids[c["fact_b"]["fact_id"]]))
                found[pair] = c
        server.close()
    return found, seconds


def absolute(value):
    """A setting in which the words that are paths from here are whole: the server runs elsewhere."""
    return " ".join(os.path.abspath(word) if "/" in word and os.path.exists(word) else word for word in value.split(" "))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--engram", default=os.path.join(here, "..", "build", "engram"))
    parser.add_argument("--stores", action="append")
    parser.add_argument("--match", default="")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--scores")
    parser.add_argument("--set", action="append", default=[], metavar="VARIABLE=VALUE", help="environment of the server")
    o = parser.parse_args()
    folders = o.stores or [os.path.join(here, "..", "tools", "train", "data", "stores", split) for split in ("dev", "test")]
    files = [f for folder in folders for f in sorted(glob.glob(os.path.join(folder, "*.json"))) if re.match(o.match, os.path.basename(f))]
    if not files:
        parser.error(f"no stores in {folders}")
    settings = {name: absolute(value) for name, value in (s.split("=", 1) for s in o.set)}
    program = os.path.abspath(shutil.which(o.engram) or o.engram)
    by_tier, by_difficulty = collections.defaultdict(lambda: [0, 0]), collections.defaultdict(lambda: [0, 0])
    right = wrong = labelled = look_alikes = alarms = 0
    seconds, scores = [], open(o.scores, "w") if o.scores else None
    for path in files:
        store = json.load(open(path, encoding="utf-8"))
        found, times = run_store(program, store, settings)
        seconds += times
        truth = {frozenset((c["a"], c["b"])): c for c in store["conflicts"]}
        traps = {frozenset((c["a"], c["b"])): c for c in store["non_conflicts"]}
        for pair, conflict in found.items():
            by_tier[conflict["detection_tier"]][pair not in truth] += 1
            right, wrong, alarms = right + (pair in truth), wrong + (pair not in truth), alarms + (pair in traps)
            if scores:
                scores.write(json.dumps({"store": store["name"], "pair": sorted(pair), "right": pair in truth, "trap": pair in traps,
                                         "tier": conflict["detection_tier"], "score": conflict["score"]}) + "\n")
        for pair, label in truth.items():
            by_difficulty[label["difficulty"]][pair not in found] += 1
        labelled, look_alikes = labelled + len(truth), look_alikes + len(traps)
    seconds.sort()
    result = {"stores": len(files), "precision": right / max(1, right + wrong), "recall": right / max(1, labelled), "conflicts_found": right,
              "false_alarms": wrong, "labelled": labelled, "look_alikes": look_alikes, "look_alikes_flagged": alarms,
              "commit_with_verdict_ms": {"median": 1000 * seconds[len(seconds) // 2], "p95": 1000 * seconds[int(len(seconds) * 0.95)]},
              "tiers": {k: {"right": v[0], "wrong": v[1]} for k, v in sorted(by_tier.items())},
              "difficulty": {k: {"found": v[0], "missed": v[1]} for k, v in sorted(by_difficulty.items())}}
    if o.json:
        print(json.dumps(result))
        return
    print(f"{result['stores']} stores, {labelled} labelled conflicts, {look_alikes} labelled look-alikes")
    print(f"precision {result['precision']:.3f}  recall {result['recall']:.3f}  false alarms {wrong}, of them on look-alikes {alarms}")
    print(f"commit with verdict: median {result['commit_with_verdict_ms']['median']:.0f} ms, p95 {result['commit_with_verdict_ms']['p95']:.0f} ms")
    print(f"\n{'tier':22} {'right':>6} {'wrong':>6}")
    for tier, v in result["tiers"].items():
        print(f"{tier:22} {v['right']:6} {v['wrong']:6}")
    print(f"\n{'difficulty':22} {'found':>6} {'missed':>6}")
    for level, v in result["difficulty"].items():
        print(f"{level:22} {v['found']:6} {v['missed']:6}")


if __name__ == "__main__":
    main()
