"""The labelled data as pairs for training and measuring. NOT_CONTRADICTION marks pairs of which
only that is known. Used by train_nli.py, train_embed.py and evaluate."""
import collections

LABELS = ("contradiction", "entailment", "neutral")
CONTRADICTION, ENTAILMENT, NEUTRAL, NOT_CONTRADICTION = range(4)
AGREE = {"paraphrase", "same_value_other_unit", "unit_equivalent", "same_unit",
         "same_value_derived", "negated_negation", "same"}

def even(items, most):
    """At most that many of the items, evenly spread; 0: all."""
    return [items[i * len(items) // most] for i
            in range(most)] if most and len(items) > most else items


def part_of(items, share):
    """A share of the items, at least one."""
    return even(items, max(1, round(len(items) * share)))


def facts_of(scenario):
    return [fact["content"] for fact in scenario["facts"]]


def texts_of(contrast_set, *relations):
    return [r["t"] for r in contrast_set["r"] if r["rel"] in relations]


def of_contrast_set(c):
    """All pairs whose label follows from the relations, in both orders where both labels are
    known."""
    same, out = [c["a"]] + texts_of(c, "same"), []
    out += [(x, y, ENTAILMENT) for x in same for y in same if x != y]
    for other, labels in (("contradicts", (CONTRADICTION, CONTRADICTION)),
                          ("supersedes", (CONTRADICTION, CONTRADICTION)),
                          ("neutral", (NEUTRAL, NEUTRAL)),
                          ("general", (ENTAILMENT, NEUTRAL)), ("specific", (NEUTRAL, ENTAILMENT))):
        for x in same + (texts_of(c, "specific") if other == "contradicts" else []):
            for y in texts_of(c, other):
                out += [(x, y, labels[0]), (y, x, labels[1])]
    return out


OF_VERDICT = {"contradiction": CONTRADICTION, "update": CONTRADICTION, "same": ENTAILMENT,
              "both_valid": NOT_CONTRADICTION, "unrelated": NOT_CONTRADICTION,
              "not_contradiction": NOT_CONTRADICTION}


def of_answers(answers):
    """The statements that were judged, with the label of the verdict; answers: the objects of
    `engram feedback export`. A review and its later settlement are one object, so no pair comes
    twice."""
    return [(a["a"]["statement"], a["b"]["statement"], OF_VERDICT[a["verdict"]]) for a in answers]


def index_of(scenario):
    return {fact["id"]: i for i, fact in enumerate(scenario["facts"])}


def labelled(scenario, key):
    """{(i, j): the label's object}; i < j are places in the list of facts."""
    at = index_of(scenario)
    return {tuple(sorted((at[p["a"]], at[p["b"]]))): p for p in scenario[key]}


def near(vectors, k):
    """The pairs (i, j), i < j, of which one is among the k nearest neighbours of the other.
    vectors: [facts, width], each of length 1."""
    import numpy as np  # here, so that readers of the data need no package
    cosine = np.asarray(vectors @ vectors.T)
    np.fill_diagonal(cosine, -2)
    nearest = np.argsort(-cosine, axis=1, kind="stable")[:, :min(k, len(vectors) - 1)].tolist()
    return {(min(i, j), max(i, j)) for i, row in enumerate(nearest) for j in row}


def of_scenario(scenario, vectors, k):
    """Its conflicts and look-alikes in both orders, its near pairs in one order, and each update
    with the fact that it replaces."""
    texts, conflicts, traps, out = facts_of(scenario), labelled(scenario,
        "conflicts"), labelled(scenario, "non_conflicts"), []
    for i, j in sorted(conflicts):
        out += [(texts[i], texts[j], CONTRADICTION), (texts[j], texts[i], CONTRADICTION)]
    for i, j in sorted((near(vectors, k) | set(traps)) - set(conflicts)):
        trap = traps.get((i, j), {}).get("trap")
        label = ENTAILMENT if trap in AGREE else NOT_CONTRADICTION if trap in ("refinement",
            "specific", "general") else NEUTRAL
        out.append((texts[i], texts[j], label))
        if trap:
            out.append((texts[j], texts[i], label))
    for update in scenario["updates"]:
        out.append((update["content"], texts[index_of(scenario)[update["supersedes"]]],
                    CONTRADICTION))
    return out


def of_document(document, vectors, k):
    """Its conflicts in both orders. Its other near pairs in one order: of them only that they do
    not contradict each other is known."""
    texts, conflicts = document["statements"], document["conflicts"]
    out = [(texts[a], texts[b], CONTRADICTION) for i, j in sorted(conflicts) for a,
           b in ((i, j), (j, i))]
    return out + [(texts[i], texts[j], NOT_CONTRADICTION) for i,
                  j in sorted(near(vectors, k) - set(conflicts))]


def between_contrast_sets(contrast_sets, vectors_of, rng, each=2):
    """Texts of different contrast sets that are near each other: neutral."""
    texts, owner = [], []
    for k, c in enumerate(contrast_sets):
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
                out.append((texts[i], texts[j], NEUTRAL) if rng.random() < 0.5
                           else (texts[j], texts[i], NEUTRAL))
    return out


def one_order(pairs, rng):
    """Of pairs that are there in both orders with the same label, one order."""
    groups = collections.defaultdict(list)
    for p in pairs:
        groups[min(p[:2]), max(p[:2])].append(p)
    return [p for g in groups.values() for p in (g if len({q[2] for q in g}) > 1
                                                 else [rng.choice(g)])]
