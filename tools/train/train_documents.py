#!/usr/bin/env python3
"""Trains the trees that judge statements of documents (verdict_documents.bin beside an NLI model;
plugins/detectors/nli/trees.h has the format) from rows of `verdict_rows.py --kind history`. Needs
scikit-learn.

usage: train_documents.py OUT.bin --rows FILE... [--seed N]
       train_documents.py OUT.bin --gate

Only pairs that keep more than GATE of each other's words are read by the NLI model: the first stage
is that one question. --gate writes a file that has nothing else, for verdict_rows.py --trees. The
last stage learns from what was put back and from all pairs that stand in the documents. Numbers
that rest on vectors are left out, so that rows of verdict_rows.py --words do. The table that is
printed comes from cross-fitting by repositories."""
import argparse
import re

import numpy
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GroupKFold

import train_verdict
import trees_file

GATE, FOLDS, MODELS = 0.5, 5, 3
OPTIONS = {"max_iter": 80, "max_leaf_nodes": 5, "learning_rate": 0.08, "min_samples_leaf": 12,
           "l2_regularization": 5.0, "max_features": 0.4, "max_bins": 32, "early_stopping": False}
LEFT_OUT = re.compile(r"cosine|rank_|lead$|parallel|margin|candidates|in_documents|whole|second|"
                      r"statements|pair_first$")
LAST = 2


def gate(names):
    """The first stage: a pair passes that keeps more than GATE of its words."""
    return [(GATE, names.index("change_kept"), 2), (-1.0, 0, 0), (1.0, 0, 0)]


def fit(x, y, weights, names, seed):
    options = OPTIONS | {"monotonic_cst": train_verdict.constraints(names)}
    return [HistGradientBoostingClassifier(random_state=seed + i, **options)
            .fit(x, y, sample_weight=weights) for i in range(MODELS)]


def trees_of(models, columns):
    """The trees of a mean of models, over the features of all rows."""
    out = []
    for model in models:
        for (predictor,) in model._predictors:
            tree = []
            for value, feature, right in trees_file.nodes_of(predictor.nodes):
                missing = feature & trees_file.MISSING_LEFT
                place = columns[feature & ~trees_file.MISSING_LEFT] | missing
                tree.append((value, place, right) if right else (value / len(models), 0, 0))
            out.append(tree)
    return out


def read_rows(stores):
    """(x, y, weights, repositories) of the last stage"""
    rows = [(row, store["store"]) for store in stores for row in store["rows"]
            if row["stage"] == LAST]
    return (numpy.array([[numpy.nan if v is None else v for v in row["row"]] for row, _ in rows],
                        dtype=numpy.float32),
            numpy.array([row["label"] for row, _ in rows]),
            numpy.array([row.get("weight", 1) for row, _ in rows]),
            numpy.array([repo for _, repo in rows]))


def report(y, weights, total, statements):
    """What is found, by the probability from which on it is reported. Rows with a lesser weight
    were planted: such pairs are far fewer in documents as they are."""
    natural = (y == 0) & (weights == 1)
    print(f"{statements} statements, {y.sum()} contradictions, {natural.sum()} other pairs, "
          f"{(weights < 1).sum()} planted that agree")
    for least in (0.3, 0.35, 0.4, 0.45, 0.5, 0.6):
        above = total >= numpy.log(least / (1 - least))
        print(f"    from {least:.2f} on: {y[above].sum()} contradictions, "
              f"{1000 * natural[above].sum() / statements:.2f} others per 1,000 statements, "
              f"{(above & (weights < 1)).sum()} planted that agree")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--rows", nargs="+", default=[])
    parser.add_argument("--gate", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    o = parser.parse_args()
    nothing = ([], 0.0, -99.0, [])
    if o.gate:
        trees_file.write(o.out, ["change_kept"], [([gate(["change_kept"])], 0.0, 0.0, []), nothing,
                                                  nothing])
        return
    names, stores = train_verdict.read(o.rows)
    x, y, weights, repos = read_rows(stores)
    columns = [i for i, name in enumerate(names) if not LEFT_OUT.match(name)]
    used = [names[i] for i in columns]
    x, total = x[:, columns], numpy.zeros(len(y))
    for kept, left in GroupKFold(FOLDS).split(x, y, repos):
        models = fit(x[kept], y[kept], weights[kept], used, o.seed)
        total[left] = train_verdict.sums(models, x[left])
    report(y, weights, total, sum(max((row["pair"][1] for row in store["rows"]), default=0)
                                  for store in stores))
    models = fit(x, y, weights, used, o.seed)
    base = float(numpy.mean([model._baseline_prediction.item() for model in models]))
    trees_file.write(o.out, names, [([gate(names)], 0.0, 0.0, []), nothing,
                                    (trees_of(models, columns), base, -99.0, [])])


if __name__ == "__main__":
    main()
