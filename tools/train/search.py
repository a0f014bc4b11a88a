"""How well vectors alone find what the data's own queries ask for. Used by evaluate and train_embed.py."""
import collections

import numpy as np

import measures
import pairs


def ranked(queries, documents):
    """Vectors -> for each query the places of the documents, the nearest first."""
    return np.argsort(-(queries @ documents.T), axis=1, kind="stable")


def of_own_queries(embed, stores, clusters):
    """Store queries against the facts of their store, cluster questions against the anchors and traps of all clusters.
    embed: texts -> array of vectors of length 1. Returns {kind of query: mean measures}."""
    anchors = [c["a"] for c in clusters]
    documents = anchors + [text for c in clusters for text in pairs.texts_of(c, "neutral")]
    groups = [pairs.facts_of(s) for s in stores] + [[q["q"] for q in s["queries"]] for s in stores] + [documents, [c["q"] for c in clusters]]
    vectors, parts, at = embed([text for group in groups for text in group]), [], 0
    for group in groups:
        parts.append(vectors[at:at + len(group)])
        at += len(group)
    by_kind = collections.defaultdict(list)
    for store, facts, queries in zip(stores, parts, parts[len(stores):]):
        place = pairs.index_of(store)
        for q, order in zip(store["queries"], ranked(queries, facts)):
            by_kind[q["kind"]].append(measures.retrieval(order.tolist(), {place[f] for f in q["relevant"]}))
    out = {"store queries": [row for rows in by_kind.values() for row in rows]}
    out.update({"of them " + kind: rows for kind, rows in sorted(by_kind.items())})
    out["cluster questions"] = [measures.retrieval(order.tolist(), {i}) for i, order in enumerate(ranked(parts[-1], parts[-2]))]
    return {name: dict(measures.mean_of(rows), queries=len(rows)) for name, rows in out.items() if rows}
