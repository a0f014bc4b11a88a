#!/usr/bin/env python3
"""Precision and recall of conflicts in small memories, through the real server: the facts of each
scenario, or of each store of notes, are committed one by one over MCP into an empty memory, and the
conflicts that are open afterwards are compared with the labels. A conflict is a true positive when
its pair of facts is labelled.

usage: bench/detection.py [--engram build/engram] [--kind scenarios|notes] [--split dev|test]...
                          [--difficulty easy|hard] [--file FILE]... [--match REGEX] [--quiet]
                          [--judge labels] [--given] [--set VARIABLE=VALUE]... [--json]
                          [--scores FILE]

The data is that of tools/train/data: by default the scenarios of dev and test, or the notes of
test. --difficulty takes only easy or hard scenarios, --match those whose id or name matches from
its start, --file other files of the same format. --quiet leaves out one fact of each labelled
conflict: a memory without conflicts, in which every report is false and every question is in vain.
--set changes the environment of the server.

Commits also ask about pairs that may be conflicts (docs/configuration.md: tier1_nli_review). With
--judge labels each question is answered at once as the labels of the store say: contradiction for a
labelled conflict, both_valid for a labelled look-alike, unrelated for any other pair of facts.
"Judged" are then the conflicts that are open at the end: those reported and those that the judge
confirmed. Without --judge the questions are counted and stay unanswered.

--given sends the labelled statements of notes with each commit, in the form that stands alone, as
an agent would that writes what it claims; those that are refused are counted and left out.

--scores writes every conflict and question, one JSON object on each line, to choose thresholds
from. The intervals are those of Wilson, at 95 %. The calibration error is the expected one of the
scores of conflicts and questions of the NLI detector, over 10 bins of equal size; it is printed
where the model has trained trees, without which its scores are no probabilities."""
import argparse
import collections
import hashlib
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
import measures  # noqa: E402


def environment(home, settings):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("ENGRAM_")
            or k == "ENGRAM_ISA"}
    return kept | {"ENGRAM_HOME": home, "ENGRAM_WORKSPACE": "bench", **settings}


class Server:
    """One `engram mcp` over a memory of its own."""

    def __init__(self, program, home, settings):
        # cwd: a folder without a project's .engram.conf
        self.process = subprocess.Popen([program, "mcp"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, cwd=home,
                                        env=environment(home, settings))
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

    def commit_given(self, fact, given):
        """The receipt of a commit with the labelled statements, but for those that are refused.
        given counts both."""
        statements = [s["alone"] or s["t"] for s in fact["statements"]]
        given["all"] += len(statements)
        while True:
            try:
                return self.commit(fact, statements)
            except RuntimeError as refusal:
                number = re.match(r"statements: number (\d+) \(", str(refusal))
                if not number:
                    raise
                given["refused"] += 1
                del statements[int(number[1]) - 1]

    def commit(self, fact, statements=None):
        """The receipt, with its verdict."""
        receipt = self.call("engram_commit", {
            "content": fact["content"], "scope": fact["scope"], "agent_id": fact["agent"],
            "engineer": fact["engineer"], "fact_type": fact["fact_type"],
            "confidence": fact["confidence"], "wait_ms": 60000,
            **({"provenance": fact["provenance"]} if fact["provenance"] else {}),
            **({"statements": statements} if statements else {})})
        if receipt["detection"] != "done":
            raise RuntimeError(f"no verdict within a minute on: {fact['content'][:100]}")
        return receipt

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def name_of(store):
    return store.get("id") or store["name"]


def without_conflicts(store):
    """The store less one fact of each labelled conflict: those that take part in most conflicts go
    first, and of two that take part in as many the one whose name has the higher hash."""
    def order(fact):
        return taking_part[fact], hashlib.sha256(f"{name_of(store)} {fact}".encode()).hexdigest()
    conflicts, gone = store["conflicts"], set()
    while conflicts:
        taking_part = collections.Counter(c[side] for c in conflicts for side in "ab")
        gone.add(max(taking_part, key=order))
        conflicts = [c for c in conflicts if c["a"] not in gone and c["b"] not in gone]
    return store | {"facts": [f for f in store["facts"] if f["id"] not in gone], "conflicts": [],
                    "non_conflicts": [c for c in store["non_conflicts"]
                                      if c["a"] not in gone and c["b"] not in gone]}


def labels_of(store):
    """({pair of fact ids: conflict}, {pair: look-alike})"""
    return tuple({frozenset((c["a"], c["b"])): c for c in store[kind]}
                 for kind in ("conflicts", "non_conflicts"))


def run_store(program, store, settings, judge, given=None):
    """({pair of fact ids: conflict that the memory reports}, {pair: question that it asks}, seconds
    of each commit). With judge, the questions are answered by the labels; with given, a counter,
    the labelled statements are sent too."""
    truth, traps = labels_of(store)
    seconds, found, asked = [], {}, {}
    with tempfile.TemporaryDirectory() as home:
        server, ids = Server(program, home, settings), {}
        for fact in store["facts"]:
            begun = time.monotonic()
            receipt = server.commit(fact) if given is None else server.commit_given(fact, given)
            seconds.append(time.monotonic() - begun)
            ids[receipt["fact_id"]] = fact["id"]
            for c in receipt["conflicts"]:
                # a receipt names the other fact alone
                pair = frozenset(ids[c[side]["fact_id"] if side in c else receipt["fact_id"]]
                                 for side in ("fact_a", "fact_b"))
                found[pair] = c
            for q in receipt.get("review", []):
                pair = frozenset(ids[q[side]["fact_id"]] for side in ("earlier", "later"))
                asked[pair] = q
                if judge:
                    server.call("engram_judge", {
                        "review_id": q["review_id"], "reason": "so says the label",
                        "verdict": "contradiction" if pair in truth else
                                   "both_valid" if pair in traps else "unrelated"})
        server.close()
    return found, asked, seconds


def has_trees(program, settings):
    """Whether the NLI model of the server has trained trees."""
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run([program, "doctor", "--json"], stdout=subprocess.PIPE, cwd=home,
                              env=environment(home, settings), check=False)
        details = {c["what"]: c["detail"] for c in json.loads(done.stdout)["checks"]}
    folder = details.get("model.nli", "").rpartition(", loaded in ")[0]
    return os.path.exists(os.path.join(folder, "verdict.bin")) if folder else False


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


def shares(true_positives, reported, labelled):
    """Precision and recall; None where there is nothing to take a share of."""
    return {"precision": true_positives / reported if reported else None,
            "precision_interval": wilson(true_positives, reported),
            "recall": true_positives / labelled if labelled else None,
            "recall_interval": wilson(true_positives, labelled),
            "true_positives": true_positives, "false_positives": reported - true_positives}


class Counts:
    """True and false positives over stores, and by tier, category and difficulty; questions."""

    def __init__(self):
        self.stores = self.true_positives = self.reported = self.labelled = self.look_alikes = 0
        self.flagged = self.questions = self.confirmed = 0
        self.seconds, self.probabilities = [], []  # (probability, whether it is a conflict)
        self.tiers = collections.defaultdict(lambda: [0, 0])
        self.traps = collections.Counter()
        self.categories = collections.defaultdict(lambda: [0, 0])
        self.difficulties = collections.defaultdict(lambda: [0, 0])

    def add(self, store, found, asked, seconds, scores=None):
        truth, traps = labels_of(store)
        for pair, conflict in found.items():
            self.tiers[conflict["detection_tier"]][pair not in truth] += 1
            self.true_positives += pair in truth
            self.reported += 1
            self.flagged += pair in traps
            if pair in traps:
                self.traps[traps[pair]["trap"]] += 1
        self.questions += len(asked)
        self.confirmed += sum(pair in truth for pair in asked)
        rows = [(pair, c["detection_tier"], c["score"], 0) for pair, c in found.items()]
        rows += [(pair, "tier1_nli", q["probability"], 1) for pair, q in asked.items()]
        for pair, tier, score, question in rows:
            if tier == "tier1_nli":
                self.probabilities.append((score, pair in truth))
            if scores:
                scores.write(json.dumps({
                    "store": name_of(store), "pair": sorted(pair), "true_positive": pair in truth,
                    "look_alike": pair in traps, "tier": tier, "score": score,
                    "question": bool(question)}) + "\n")
        for pair, label in truth.items():
            self.difficulties[label["difficulty"]][pair not in found] += 1
            self.categories[label["category"]][pair not in found] += 1
        self.stores += 1
        self.labelled += len(truth)
        self.look_alikes += len(traps)
        self.seconds += seconds

    def result(self, judged=False, calibrated=False):
        """calibrated: the scores are probabilities."""
        def found_and_missed(table):
            return {k: {"found": v[0], "missed": v[1]} for k, v in sorted(table.items())}
        seconds, more = sorted(self.seconds), {}
        if judged:
            more["judged"] = shares(self.true_positives + self.confirmed,
                                    self.reported + self.confirmed, self.labelled)
        if calibrated:
            more["calibration_error"] = measures.calibration_error_of_equal_bins(
                *zip(*self.probabilities), 10) if self.probabilities else None
        return {
            "stores": self.stores, "commits": len(seconds),
            **shares(self.true_positives, self.reported, self.labelled),
            "labelled": self.labelled, "look_alikes": self.look_alikes,
            "look_alikes_flagged": self.flagged, "traps": dict(sorted(self.traps.items())),
            "questions": self.questions, "questions_per_commit": self.questions / len(seconds),
            "questions_about_conflicts":
                self.confirmed / self.questions if self.questions else None, **more,
            "commit_with_verdict_ms": {"median": 1000 * seconds[len(seconds) // 2],
                                       "p95": 1000 * seconds[int(len(seconds) * 0.95)],
                                       "p99": 1000 * seconds[int(len(seconds) * 0.99)]},
            "tiers": {k: {"true_positives": v[0], "false_positives": v[1]}
                      for k, v in sorted(self.tiers.items())},
            "difficulty": found_and_missed(self.difficulties),
            "category": found_and_missed(self.categories)}


def show_shares(title, part):
    for what in ("precision", "recall"):
        low, high = part[what + "_interval"]
        print(f"{title}{what} " + (f"{part[what]:.3f} (95 %: {low:.3f} to {high:.3f})"
                                   if part[what] is not None else "unknown"))


def show_questions(result):
    answer = "answered by the labels" if "judged" in result else "unanswered"
    print(f"{result['questions']} questions, {answer}: {result['questions_per_commit']:.3f} for "
          f"each of {result['commits']} commits", end="")
    if result["questions"]:
        print(f", {100 * result['questions_about_conflicts']:.1f} % about labelled conflicts",
              end="")
    print()
    if "judged" in result:
        show_shares("judged ", result["judged"])
    if result.get("calibration_error") is not None:
        print(f"expected calibration error {result['calibration_error']:.3f}")


def show(kind, result):
    ms = result["commit_with_verdict_ms"]
    print(f"{result['stores']} {kind}, {result['labelled']} labelled conflicts, "
          f"{result['look_alikes']} look-alikes")
    show_shares("alone " if "judged" in result else "", result)
    print(f"{result['true_positives']} true positives, {result['false_positives']} false "
          f"positives, of these {result['look_alikes_flagged']} on look-alikes")
    show_questions(result)
    print(f"commit with verdict: median {ms['median']:.0f} ms, p95 {ms['p95']:.0f} ms, "
          f"p99 {ms['p99']:.0f} ms")
    print(f"\n{'tier':32} {'true positives':>15} {'false positives':>16}")
    for tier, v in result["tiers"].items():
        print(f"{tier:32} {v['true_positives']:15} {v['false_positives']:16}")
    for table in ("difficulty", "category") if result["labelled"] else ():
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
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--judge", choices=("labels",))
    parser.add_argument("--given", action="store_true")
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
    given = collections.Counter() if o.given else None
    if o.given and o.kind != "notes":
        parser.error("--given needs --kind notes: scenarios have no labelled statements")
    counts, scores = Counts(), open(o.scores, "w", encoding="utf-8") if o.scores else None
    for store in map(without_conflicts, stores) if o.quiet else stores:
        counts.add(store, *run_store(program, store, settings, o.judge, given), scores)
    result = counts.result(bool(o.judge), has_trees(program, settings))
    if o.given:
        result["statements"] = {"given": given["all"], "refused": given["refused"]}
    if o.json:
        print(json.dumps(result))
    else:
        show(o.kind, result)
        if o.given:
            print(f"statements: {given['all']} given, {given['refused']} of them refused")


if __name__ == "__main__":
    main()
