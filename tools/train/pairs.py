"""The labelled data as pairs for training and measuring. NOT_CONTRADICTION marks pairs of a store of which only that is known.
Used by train_nli.py, train_embed.py and evaluate."""
import collections
import glob
import json
import os
import re

LABELS = ("contradiction", "entailment", "neutral")
CONTRADICTION, ENTAILMENT, NEUTRAL, NOT_CONTRADICTION = range(4)
AGREE = {"paraphrase", "same_value_other_unit", "unit_equivalent", "same_unit", "same_value_derived", "negated_negation", "same"}
TAG = re.compile(r"\s*<!-- (\d+)(?: (easy|medium|hard))? -->")
DATA = os.path.join(os.path.dirname(__file__), "data")


def read_clusters(split):
    with open(os.path.join(DATA, "clusters", split + ".jsonl"), encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def read_stores(split, first="", last="~"):
    """Those whose file's name lies from first up to last: the second generation begins at "n"."""
    paths = sorted(glob.glob(os.path.join(DATA, "stores", split, "*.json")))
    return [json.load(open(p, encoding="utf-8")) for p in paths if first <= os.path.basename(p) < last]


def read_document(path):
    """{"name", "statements": the list items of a Markdown file, "conflicts": {(i, j): difficulty}}: two items of one tag contradict each other."""
    statements, tagged = [], collections.defaultdict(list)
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.startswith("- "):
                for number, difficulty in TAG.findall(line):
                    tagged[number].append((len(statements), difficulty))
                statements.append(TAG.sub("", line[2:]).strip())
    conflicts = {(a, b): first or second for (a, first), (b, second) in tagged.values()}
    return {"name": os.path.basename(path)[:-3], "statements": statements, "conflicts": conflicts}


def read_documents(split):
    return [read_document(p) for p in sorted(glob.glob(os.path.join(DATA, "documents", split, "*.md")))]


def even(items, most):
    """At most so many, evenly spread; 0: all."""
    return [items[i * len(items) // most] for i in range(most)] if most and len(items) > most else items


def part_of(items, share):
    """A share of them, at least one."""
    return even(items, max(1, round(len(items) * share)))


def facts_of(store):
    return [fact["content"] for fact in store["facts"]]


def texts_of(cluster, *relations):
    return [r["t"] for r in cluster["r"] if r["rel"] in relations]


def of_cluster(c):
    """All pairs whose label follows from the relations, in both orders where both are known."""
    same, out = [c["a"]] + texts_of(c, "same"), []
    out += [(x, y, ENTAILMENT) for x in same for y in same if x != y]
    for other, labels in (("contradicts", (CONTRADICTION, CONTRADICTION)), ("supersedes", (CONTRADICTION, CONTRADICTION)), ("neutral", (NEUTRAL, NEUTRAL)),
                          ("general", (ENTAILMENT, NEUTRAL)), ("specific", (NEUTRAL, ENTAILMENT))):
        for x in same + (texts_of(c, "specific") if other == "contradicts" else []):
            for y in texts_of(c, other):
                out += [(x, y, labels[0]), (y, x, labels[1])]
    return out


def index_of(store):
    return {fact["id"]: i for i, fact in enumerate(store["facts"])}


def labelled(store, key):
    """{(i, j): the label's object}, i < j being places in the list of facts."""
    at = index_of(store)
    return {tuple(sorted((at[p["a"]], at[p["b"]]))): p for p in store[key]}


def near(vectors, k):
    """The pairs (i, j), i < j, in which one is among the k nearest of the other. vectors: [facts, width], length 1."""
    import numpy as np  # here only: who reads the data needs no package
    cosine = np.asarray(vectors @ vectors.T)
    np.fill_diagonal(cosine, -2)
    nearest = np.argsort(-cosine, axis=1, kind="stable")[:, :min(k, len(vectors) - 1)].tolist()
    return {(min(i, j), max(i, j)) for i, row in enumerate(nearest) for j in row}


def of_store(store, vectors, k):
    """Its conflicts and look-alikes in both orders, its near pairs in one, and what its updates replace."""
    texts, conflicts, traps, out = facts_of(store), labelled(store, "conflicts"), labelled(store, "non_conflicts"), []
    for i, j in sorted(conflicts):
        out += [(texts[i], texts[j], CONTRADICTION), (texts[j], texts[i], CONTRADICTION)]
    for i, j in sorted((near(vectors, k) | set(traps)) - set(conflicts)):
        trap = traps.get((i, j), {}).get("trap")
        label = ENTAILMENT if trap in AGREE else NOT_CONTRADICTION if trap in ("refinement", "specific", "general") else NEUTRAL
        out.append((texts[i], texts[j], label))
        if trap:
            out.append((texts[j], texts[i], label))
    for update in store["updates"]:
        out.append((update["content"], texts[index_of(store)[update["supersedes"]]], CONTRADICTION))
    return out


def of_document(document, vectors, k):
    """Its conflicts in both orders; of its near pairs only that they do not contradict each other, in one."""
    texts, conflicts = document["statements"], document["conflicts"]
    out = [(texts[a], texts[b], CONTRADICTION) for i, j in sorted(conflicts) for a, b in ((i, j), (j, i))]
    return out + [(texts[i], texts[j], NOT_CONTRADICTION) for i, j in sorted(near(vectors, k) - set(conflicts))]


def between_clusters(clusters, vectors_of, rng, each=2):
    """Texts of other clusters that lie near: neutral."""
    texts, owner = [], []
    for k, c in enumerate(clusters):
        for text in [c["a"]] + [r["t"] for r in c["r"]]:
            texts.append(text)
            owner.append(k)
    vectors, members = vectors_of(texts), collections.defaultdict(list)
    for i, k in enumerate(owner):
        members[k].append(i)
    out = []
    for k, own in members.items():
        for i in rng.sample(own, 2):
            cosine = vectors @ vectors[i]
            cosine[own] = -2
            for j in rng.sample(cosine.topk(10).indices.tolist(), each):
                out.append((texts[i], texts[j], NEUTRAL) if rng.random() < 0.5 else (texts[j], texts[i], NEUTRAL))
    return out


def one_order(pairs, rng):
    """Of pairs that stand in both orders with one label, one order."""
    groups = collections.defaultdict(list)
    for p in pairs:
        groups[min(p[:2]), max(p[:2])].append(p)
    return [p for g in groups.values() for p in (g if len({q[2] for q in g}) > 1 else [rng.choice(g)])]
