"""Measures how well vectors alone find what the queries of the labelled data ask for.
Used by evaluate and train_embed.py."""
import collections

import numpy as np

import measures
import pairs


def ranked(queries, documents):
    """For each query vector the places of the documents, nearest first."""
    return np.argsort(-(queries @ documents.T), axis=1, kind="stable")


def of_own_queries(embed, scenarios, contrast_sets):
    """Queries of scenarios against the facts of their scenario; questions of contrast sets against
    the anchors and neutral texts of all contrast sets. embed: texts -> array of vectors of length
    1. Returns {kind of query: mean measures}."""
    anchors = [c["a"] for c in contrast_sets]
    documents = anchors + [text for c in contrast_sets for text in pairs.texts_of(c, "neutral")]
    groups = [pairs.facts_of(s) for s in scenarios] + [[q["q"] for q in s["queries"]]
                                                       for s in scenarios] + [documents,
                                                           [c["q"] for c in contrast_sets]]
    vectors, parts, at = embed([text for group in groups for text in group]), [], 0
    for group in groups:
        parts.append(vectors[at:at + len(group)])
        at += len(group)
    by_kind = collections.defaultdict(list)
    for scenario, facts, queries in zip(scenarios, parts, parts[len(scenarios):]):
        place = pairs.index_of(scenario)
        for q, order in zip(scenario["queries"], ranked(queries, facts)):
            by_kind[q["kind"]].append(measures.retrieval(order.tolist(),
                                                         {place[f] for f in q["relevant"]}))
    out = {"scenario queries": [row for rows in by_kind.values() for row in rows]}
    out.update({"of them " + kind: rows for kind, rows in sorted(by_kind.items())})
    out["contrast set questions"] = [measures.retrieval(order.tolist(), {i}) for i,
                                     order in enumerate(ranked(parts[-1], parts[-2]))]
    return {name: dict(measures.mean_of(rows), queries=len(rows)) for name,
            rows in out.items() if rows}
