#!/usr/bin/env python3
"""Trains the trees of the verdict (plugins/detectors/nli/trees.h has the format of the file) from
the rows of verdict_rows.py. Needs scikit-learn.

usage: train_verdict.py OUT.bin --rows FILE... --dev FILE... [--thresholds engram.json]
                        [--precision 0.88] [--seed N]
       train_verdict.py OUT.bin --rows FILE... --first

There is an ensemble a stage. A pair of facts reaches a stage when those before it let it pass:
each of the first two lets SHARE of the conflicts pass that reached it. All sums that decide
about that, and those that the calibration is fitted to, come from cross-fitting by stores: the
trees had not seen the store. The stores that small_stores.py makes up hold far more
contradictions, or look-alikes, than memories do: they do not count in those decisions. With
--first only the first stage is trained, from the rows of verdict_rows.py --cheap, and the others
let everything pass: verdict_rows.py --trees then writes the rows of all stages in a fraction of
the time.

--thresholds writes the least probability that is worth a question. The threshold of the tier also
judges pairs without trees and stays as it is; to compare with it, the least probability is printed
from which on the precision is at least --precision, over the pairs of --dev, which are in no
ensemble, and the cross-fitted ones of --rows."""
import argparse
import json
import re

import numpy
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import GroupKFold

import trees_file

STAGES, FOLDS, SHARE, MODELS = 3, 5, 0.98, 3
FINAL = {"max_iter": 300, "max_leaf_nodes": 6, "learning_rate": 0.04, "min_samples_leaf": 30,
         "l2_regularization": 5.0, "max_features": 0.4, "early_stopping": False}
# The more of the first, and the less of the second, the likelier is a contradiction, whatever else
# is known: what the rows say otherwise is chance.
RISING = re.compile(r".*_contradiction|cosine_pair|pair_shared|pair_rarest_shared|pair_heads")
FALLING = re.compile(r"pair_mean_entailment|rank_.*|parallel|margin_pair_most|scope_apart|"
                     r"pair_environments_one_side|rule_both_valid")
FIRST = FINAL | {"max_iter": 150, "learning_rate": 0.06}
# The weights of stores of small_stores.py, by what their names have in them.
MADE = {"contrast-": 0.3, "parallel-": 1, "-small-": 1}
# What stands behind the name of the store that another one is made of.
MADE_OF = re.compile(r"(-given|-padded|-small-\d+)+$")
ASKED, LEAST_ASKED = "tier1_nli_review", 0.1


class Rows:
    """Rows of one stage: x, y, the store of each, and which pair (store, order, a, b) it is."""

    def __init__(self, stores, stage):
        x, y, groups, self.pairs = [], [], [], []
        for store in stores:
            for row in store["rows"]:
                if row["stage"] == stage:
                    x.append(row["row"])
                    y.append(row["label"])
                    groups.append(MADE_OF.sub("", store["store"]))
                    self.pairs.append((store["store"], store["order"], *sorted(row["pair"])))
        self.x = numpy.array([[numpy.nan if v is None else v for v in row] for row in x],
                             dtype=numpy.float32)
        self.y, self.groups = numpy.array(y), numpy.array(groups)
        made = [next((w for name, w in MADE.items() if name in pair[0]), None)
                for pair in self.pairs]
        self.made = numpy.array([w is not None for w in made], dtype=bool)
        self.weights = numpy.array([1 if w is None else w for w in made])

    def only(self, pairs):
        kept = [i for i, pair in enumerate(self.pairs) if pair in pairs]
        self.x, self.y = self.x[kept], self.y[kept]
        self.groups, self.made = self.groups[kept], self.made[kept]
        self.weights = self.weights[kept]
        self.pairs = [self.pairs[i] for i in kept]
        return self


def read(paths):
    names, stores = None, []
    for path in paths:
        with open(path, encoding="utf-8") as f:
            for line in f:
                o = json.loads(line)
                if "features" in o:
                    if names not in (None, o["features"]):
                        raise SystemExit(f"{path}: other features than in {paths[0]}")
                    names = o["features"]
                else:
                    stores.append(o)
    return names, stores


def constraints(names):
    return [1 if RISING.fullmatch(n) else -1 if FALLING.fullmatch(n) else 0 for n in names]


def fit(rows, options, models, seed):
    return [HistGradientBoostingClassifier(random_state=seed + i, **options).fit(
        rows.x, rows.y, sample_weight=rows.weights) for i in range(models)]


def sums(ensemble, x):
    if not len(x):
        return numpy.zeros(0)
    return numpy.mean([m.decision_function(x) for m in ensemble], axis=0)


def cross_fit(rows, options, models, seed):
    """The sum of each row, by trees that have not seen its store."""
    out = numpy.zeros(len(rows.y))
    for kept, left in GroupKFold(FOLDS).split(rows.x, rows.y, rows.groups):
        part = Rows([], 0)
        part.x, part.y, part.weights = rows.x[kept], rows.y[kept], rows.weights[kept]
        out[left] = sums(fit(part, options, models, seed), rows.x[left])
    return out


def write(path, names, stages):
    """stages: (ensemble, least, points); an ensemble is the mean of its models."""
    made = []
    for ensemble, least, points in stages:
        trees = []
        for model in ensemble:
            for (predictor,) in model._predictors:
                tree = trees_file.nodes_of(predictor.nodes)
                trees.append([(value if right else value / len(ensemble), feature, right)
                              for value, feature, right in tree])
        base = numpy.mean([model._baseline_prediction.item() for model in ensemble] or [0])
        made.append((trees, float(base), least, points))
    trees_file.write(path, names, made)


def calibrate(y, total):
    """Points of a rising line: the sums and probabilities of isotonic regression, ten or more
    rows a step, between the middles of its steps."""
    order = numpy.argsort(total)
    iso = IsotonicRegression(out_of_bounds="clip").fit(total, y).predict(total[order])
    points, begun = [], 0
    for i in range(1, len(iso) + 1):
        if i == len(iso) or iso[i] != iso[begun]:
            middle = float(numpy.float32(total[order][begun:i].mean()))
            share = float(numpy.clip(iso[begun], 0.001, 0.99))
            if i - begun >= 10 or i == len(iso):
                if not points or (middle > points[-1][0] and share >= points[-1][1]):
                    points.append((middle, share))
            begun = i
    return points


def probability(points, total):
    return numpy.interp(total, [p[0] for p in points], [p[1] for p in points])


def curve(y, p, precision):
    """(the least probability from which on the precision is reached, recall there among y)"""
    order = numpy.argsort(-p, kind="stable")
    right = numpy.cumsum(y[order])
    good = numpy.nonzero(right / numpy.arange(1, len(y) + 1) >= precision)[0]
    if not len(good):
        return 1.0, 0.0
    return float(p[order][good[-1]]), right[good[-1]] / max(1, y.sum())


def passing(stores, ensembles):
    """({pair: sum of the last stage}, its rows): the pairs of stores that all stages let pass."""
    pairs = None
    for stage, (ensemble, least, _) in enumerate(ensembles):
        rows = Rows(stores, stage)
        if pairs is not None:
            rows.only(pairs)
        total = sums(ensemble, rows.x)
        pairs = {pair for pair, s in zip(rows.pairs, total) if s >= least}
    kept = numpy.array([pair in pairs for pair in rows.pairs], dtype=bool)
    return rows, total, kept


def report(title, stores, ensembles, points, threshold):
    """What the product finds with this threshold, rules included."""
    rows, total, kept = passing(stores, ensembles)
    p = numpy.where(kept, probability(points, total), 0)

    def pairs_of(key):
        return {(s["store"], s["order"], *sorted(pair)) for s in stores for pair in s[key]}

    truth, decided = pairs_of("conflicts"), pairs_of("decided")
    labelled, near, ruled = len(truth), len(truth & set(rows.pairs)), len(truth & decided)
    print(f"{title}: {len(stores)} stores, {labelled} conflicts: {ruled} found by rules with "
          f"{len(decided) - ruled} false positives, {near} among the pairs; AP "
          f"{average_precision_score(rows.y, p):.3f}")
    for precision in (0.9, 0.8):
        at, recall = curve(rows.y, p, precision)
        print(f"    precision {precision}: from {at:.3f}, "
              f"recall {recall * rows.y.sum() / labelled:.3f}")
    found = decided | {pair for pair, x in zip(rows.pairs, p) if x >= threshold}
    true = len(found & truth)
    print(f"    at {threshold:.3f}, with those of the rules: {true} true, {len(found) - true} "
          f"false positives; precision {true / max(1, len(found)):.3f}, "
          f"recall {true / labelled:.3f}")
    for low, high in ((0.05, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 1.01)):
        band = (p >= low) & (p < high)
        if band.any():
            print(f"    probability {low:.2f} to {high:.2f}: {band.sum()} pairs, share of "
                  f"conflicts {rows.y[band].mean():.2f}")


def put_threshold(path):
    with open(path, encoding="utf-8") as f:
        settings = json.load(f)
    settings["thresholds"][ASKED] = LEAST_ASKED
    with open(path, "w", encoding="utf-8") as f:
        f.write(json.dumps(settings) + "\n")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--rows", nargs="+", required=True)
    parser.add_argument("--dev", nargs="+", default=[])
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--thresholds", metavar="FILE")
    parser.add_argument("--precision", type=float, default=0.88)
    parser.add_argument("--seed", type=int, default=1)
    o = parser.parse_args()
    names, stores = read(o.rows)
    dev = {path: read([path])[1] for path in o.dev}
    ensembles, pairs = [], None
    for stage in range(STAGES):
        last = stage == STAGES - 1
        rows = Rows(stores, stage)
        options = (FINAL if last else FIRST) | {"monotonic_cst": constraints(names)}
        if pairs is not None:
            rows.only(pairs)
        models = MODELS if last else 1
        total = cross_fit(rows, options, models, o.seed)
        real = ~rows.made
        y, real_total = rows.y[real], total[real]
        least = float(numpy.quantile(real_total[y == 1], 1 - SHARE)) if not last else -4.0
        points = calibrate(y, real_total) if last else []
        print(f"stage {stage}: {len(y)} pairs, {y.sum()} conflicts, "
              f"AP {average_precision_score(y, real_total):.3f}, "
              f"{(real_total >= least).mean():.2f} of the pairs pass")
        if (~real).any():
            print(f"    made up: {(~real).sum()} pairs, {rows.y[~real].sum()} conflicts, "
                  f"AP {average_precision_score(rows.y[~real], total[~real]):.3f}")
        pairs = {pair for pair, s in zip(rows.pairs, total) if s >= least}
        ensembles.append((fit(rows, options, models, o.seed), least, points))
        if o.first:
            write(o.out, names, ensembles + [([], -99.0, [])] * (STAGES - 1))
            return
    scores, truth = [probability(points, real_total)], [y]
    for part in dev.values():
        near, sums_there, kept = passing(part, ensembles)
        scores.append(numpy.where(kept, probability(points, sums_there), 0))
        truth.append(near.y)
    threshold, _ = curve(numpy.concatenate(truth), numpy.concatenate(scores), o.precision)
    print(f"threshold {threshold:.3f}")
    for path, part in dev.items():
        report(path, part, ensembles, points, threshold)
    write(o.out, names, ensembles)
    if o.thresholds:
        put_threshold(o.thresholds)


if __name__ == "__main__":
    main()
