#!/usr/bin/env python3
"""How well the statements that Engram reads out of notes are the ones that people labelled, and
what they are worth to detection.

usage: bench/statements.py [--engram build/engram] [--reader build/bench/bench_statements]
                           [--store NAME]... [--no-nli] [--json] [FILE]...

FILE is a .jsonl file of stores of notes, or one store as .json; the default is dev of
tools/train/data/notes. Each fact of a store has `statements`: t, a part of its content; kind; and
alone, the same so that it stands by itself (null where t does). Needs numpy.

Three ways to read are compared: `split` (where sentences and list items end), `read` (Engram's
statements) and `labelled`. Printed are

- covered: the share of labelled statements with a read one of which at least 70 % overlap,
- kinds: the share of those with the labelled kind, and which kinds were taken for which,
- cosine: the mean cosine of the vectors of the labelled form that stands alone with the read one,
  and with the plain span,
- AP and R@P.9: average precision and recall at precision 0.9 over the pairs of facts that are near
  to each other (10 nearest by the vectors of the whole facts). The score of a pair is that of its
  best pair of statements of the kinds that are compared, among the three nearest: the mean of the
  contradiction logits of both orders plus 6 times the cosine. Conflicts that are not near count as
  missed."""
import argparse
import collections
import json
import math
import os
import shutil
import subprocess
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, os.path.join(TOP, "tools", "train"))
import numpy as np  # noqa: E402

import dataset  # noqa: E402
import engine  # noqa: E402
import measures  # noqa: E402
from pairs import LABELS  # noqa: E402

KINDS = ["assertion", "instruction", "prohibition", "option", "example", "history", "proposal",
         "question", "step", "aside", "alternative", "placeholder", "header_field"]  # as in types.h
COMPARED = {"assertion", "instruction", "prohibition", "option", "step"}
NEAREST, BEST, OVERLAP, COSINE_WEIGHT = 10, 3, 0.7, 6.0
WEIGHTS = os.path.join(TOP, "models", "weights")


def stores_of(paths, names):
    for path in paths:
        if path.endswith(".json"):
            with open(path, encoding="utf-8") as f:
                stores = [json.load(f)]
        else:
            stores = dataset.read_lines(path)
        yield from (s for s in stores if not names or s["name"] in names)


def labelled(fact):
    """[(start, end, kind, alone)] in bytes."""
    content, at, out = fact["content"], 0, []
    for s in fact["statements"]:
        place = content.find(s["t"], at)
        if place < 0:
            place = content.index(s["t"])
        at = place + len(s["t"])
        start = len(content[:place].encode())
        out.append((start, start + len(s["t"].encode()), s["kind"], s.get("alone") or s["t"]))
    return out


def read(reader, facts, *options):
    """The same as Engram reads it."""
    lines = "".join(json.dumps({"content": f["content"]}) + "\n" for f in facts)
    done = subprocess.run([reader, *options], input=lines, capture_output=True, text=True,
                          check=False)
    if done.returncode:
        sys.exit(f"{reader} failed: {done.stderr.strip()}")
    return [[(s["start"], s["end"], KINDS[s["kind"]], s["alone"]) for s in json.loads(line)]
            for line in done.stdout.splitlines()]


def overlap(a, b):
    """Share of the longer of two spans that both cover."""
    common = min(a[1], b[1]) - max(a[0], b[0])
    return common / max(a[1] - a[0], b[1] - b[0])


def text_of(fact, statement):
    return fact["content"].encode()[statement[0]:statement[1]].decode()


class Models:
    """Vectors and verdicts, each text or pair asked for once."""

    def __init__(self, program):
        self.engine = engine.Engine(program)
        self.vectors, self.verdicts = {}, {}

    def embed(self, texts):
        new = [t for t in dict.fromkeys(texts) if t not in self.vectors]
        if new:
            folder = os.path.join(WEIGHTS, "engram-embed-0")
            self.vectors.update(zip(new, self.engine.embed(folder, new)))
        return np.array([self.vectors[t] for t in texts])

    def logits(self, pairs):
        """Of contradiction."""
        new = [p for p in dict.fromkeys(pairs) if p not in self.verdicts]
        if new:
            rows = self.engine.classify(os.path.join(WEIGHTS, "engram-nli-exact-0"), new)
            for pair, row in zip(new, rows):
                p = min(max(float(row[LABELS.index("contradiction")]), 1e-6), 1 - 1e-6)
                self.verdicts[pair] = math.log(p / (1 - p))
        return [self.verdicts[p] for p in pairs]


def agreement(models, facts, ways):
    """How near a way of reading comes to the labels."""
    total = right = 0
    confused, ours, plain, wanted = collections.Counter(), [], [], []
    for fact, labels, found in zip(facts, ways["labelled"], ways["read"]):
        for label in labels:
            best = max(found, key=lambda s: overlap(s, label), default=None)
            total += 1
            if best is None or overlap(best, label) < OVERLAP:
                continue
            right += best[2] == label[2]
            if best[2] != label[2]:
                confused[label[2], best[2]] += 1
            ours.append(best[3])
            plain.append(text_of(fact, label))
            wanted.append(label[3])
    if not wanted:
        sys.exit("none of the labelled statements was read: are these stores of notes?")
    vectors = models.embed(wanted)
    return {"statements": total, "covered": len(wanted) / total, "kinds": right / len(wanted),
            "confused": confused.most_common(12),
            "cosine": float((vectors * models.embed(ours)).sum(1).mean()),
            "cosine_of_span": float((vectors * models.embed(plain)).sum(1).mean())}


def near_pairs(models, facts):
    vectors = models.embed([f["content"] for f in facts])
    cosine = vectors @ vectors.T
    np.fill_diagonal(cosine, -1)
    return sorted({(min(i, int(j)), max(i, int(j))) for i in range(len(facts))
                   for j in np.argsort(-cosine[i])[:NEAREST]})


def best_statements(models, fact_pairs, found):
    """{pair: [(text, text, cosine)]}"""
    texts = [[s[3] for s in statements if s[2] in COMPARED] or [s[3] for s in statements]
             for statements in found]
    vectors, out = [models.embed(t) for t in texts], {}
    for i, j in fact_pairs:
        cosine = vectors[i] @ vectors[j].T
        order = np.argsort(-cosine, axis=None, kind="stable")[:BEST]
        out[i, j] = [(texts[i][k // cosine.shape[1]], texts[j][k % cosine.shape[1]],
                      float(cosine.flat[k])) for k in order]
    return out


def detection(models, stores, way):
    """Average precision over near pairs; way: the statements of each store's facts."""
    rows, conflicts = [], 0
    for store, found in zip(stores, way):
        place = {f["id"]: i for i, f in enumerate(store["facts"])}
        wanted = {tuple(sorted((place[c["a"]], place[c["b"]]))) for c in store["conflicts"]}
        conflicts += len(wanted)
        near = near_pairs(models, store["facts"])
        for pair, best in best_statements(models, near, found).items():
            rows.append((best, pair in wanted))
    logits = iter(models.logits([p for best, _ in rows for a, b, _ in best
                                 for p in ((a, b), (b, a))]))
    scores = [max((next(logits) + next(logits)) / 2 + COSINE_WEIGHT * cosine
                  for _, _, cosine in best) for best, _ in rows]
    positive = [is_conflict for _, is_conflict in rows]
    return {"conflicts": conflicts, "near": sum(positive), "pairs": len(rows),
            "AP": measures.average_precision(scores, positive, conflicts),
            "R@P.9": measures.recall_at(scores, positive, conflicts, 0.9)[0]}


def measure(models, reader, stores, with_nli):
    every = [store["facts"] for store in stores]
    ways = {"split": [read(reader, facts, "--split") for facts in every],
            "read": [read(reader, facts) for facts in every],
            "labelled": [[labelled(f) for f in facts] for facts in every]}
    flat = {name: [found for store in way for found in store] for name, way in ways.items()}
    out = {"stores": len(stores), "facts": sum(map(len, every)),
           "agreement": agreement(models, [f for facts in every for f in facts], flat)}
    if with_nli:
        out["detection"] = {name: detection(models, stores, way) for name, way in ways.items()}
    return out


def report(out):
    a = out["agreement"]
    print(f"{out['stores']} stores, {out['facts']} facts, {a['statements']} labelled statements")
    print(f"covered {a['covered']:.3f}, of these with the labelled kind {a['kinds']:.3f}")
    for (label, taken), n in a["confused"]:
        print(f"  {label} taken for {taken}: {n}")
    print(f"cosine with the labelled form: {a['cosine']:.3f}, of the plain span "
          f"{a['cosine_of_span']:.3f}")
    for name, d in out.get("detection", {}).items():
        print(f"{name:9} AP {d['AP']:.3f}, R@P.9 {d['R@P.9']:.2f} "
              f"({d['conflicts']} conflicts, {d['near']} near, {d['pairs']} pairs)")


def main():
    a = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("files", nargs="*", metavar="FILE", default=[dataset.path_of("notes", "dev")])
    a.add_argument("--engram", default=os.path.join(TOP, "build", "engram"))
    a.add_argument("--reader", default=os.path.join(TOP, "build", "bench", "bench_statements"))
    a.add_argument("--store", action="append", metavar="NAME", help="only this store")
    a.add_argument("--no-nli", action="store_true", help="without AP, which takes minutes")
    a.add_argument("--json", action="store_true")
    o = a.parse_args()
    reader = os.path.abspath(shutil.which(o.reader) or o.reader)
    if not os.access(reader, os.X_OK):
        sys.exit(f"{reader} is not an executable program: build Engram or name it with --reader")
    stores = list(stores_of(o.files, o.store))
    if not stores:
        sys.exit("no store of that name in " + ", ".join(o.files))
    out = measure(Models(o.engram), reader, stores, not o.no_nli)
    print(json.dumps(out, indent=1)) if o.json else report(out)


if __name__ == "__main__":
    main()
