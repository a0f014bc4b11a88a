"""Pairs of statements out of notes and document sets, as the product compares them: each in the
form that stands alone, mostly as Engram reads it, sometimes as it was labelled or as it stands in
the text. Used by train_nli.py."""
import json
import re
import subprocess
import sys

import dataset
import pairs

OURS, LABELLED, OVERLAP, WHOLE = 0.6, 0.25, 0.7, 400
# Kinds that are compared, as in types.h: assertion, instruction, prohibition, option, step.
COMPARED = {0, 1, 2, 3, 8}
AGREE_MORE_OR_LESS = {"same_said_with_detail", "range_contains", "general_against_special",
                      "list_subset", "default_vs_override"}


def read(reader, contents):
    """Per content the statements that Engram reads: [(start, end, kind, text that stands
    alone)], in bytes."""
    lines = "".join(json.dumps({"content": c}) + "\n" for c in contents)
    done = subprocess.run([reader], input=lines, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{reader} failed: {done.stderr.strip()}")
    return [[(s["start"], s["end"], s["kind"], s["alone"]) for s in json.loads(line)]
            for line in done.stdout.splitlines()]


def sections(text):
    """A document cut at its headings; each part begins with the headings that it stands under, and
    is short enough for the reader."""
    above, part, out = {}, [], []

    def end():
        if any(line.strip() for line in part):
            heads = [above[level] for level in sorted(above)]
            out.append("\n\n".join(heads + ["\n".join(part)]))

    fenced = False
    for line in text.split("\n"):
        fenced ^= line.lstrip().startswith("```")
        heading = re.match(r"(#+) ", line) if not fenced else None
        if heading or (len(part) > 40 and not line.strip() and not fenced):
            end()
            part = []
        if heading:
            level = len(heading.group(1))
            above = {k: v for k, v in above.items() if k < level} | {level: line}
        else:
            part.append(line)
    end()
    return out


class Unit:
    """A fact or a section, with the texts of its statements in each form."""

    def __init__(self, content, labels, statements):
        self.content, self.statements = content, []
        raw, at, labelled = content.encode(), 0, []
        for label in labels:
            place = raw.find(label["t"].encode(), at)
            place = raw.find(label["t"].encode()) if place < 0 else place
            at = place + len(label["t"].encode())
            labelled.append((place, at, label.get("alone") or label["t"]))
        for start, end, kind, alone in statements:
            given = [t for a, b, t in labelled
                     if min(end, b) - max(start, a) >= OVERLAP * max(end - start, b - a)]
            self.statements.append((start, end, kind, alone, given[0] if given else None,
                                    raw[start:end].decode(errors="replace")))

    def compared(self):
        return [s for s in self.statements if s[2] in COMPARED] or self.statements

    def at(self, span):
        """The statements that overlap this substring."""
        start = self.content.encode().find(span.encode())
        end = start + len(span.encode())
        return [s for s in self.statements if start >= 0 and s[0] < end and start < s[1]]


def form_of(statement, rng):
    draw = rng.random()
    if draw < OURS or (draw < OURS + LABELLED and not statement[4]):
        return statement[3]
    return statement[4] if draw < OURS + LABELLED else statement[5]


def units_of_notes(reader, stores):
    """Per store {id of a fact: Unit}."""
    read_ones = iter(read(reader, [f["content"] for s in stores for f in s["facts"]]))
    return [{f["id"]: Unit(f["content"], f["statements"], next(read_ones)) for f in s["facts"]}
            for s in stores]


def units_of_documents(reader, sets):
    """Per set {(file, number of the section): Unit}."""
    cut = [[((name, i), part) for name, text in s["files"].items()
            for i, part in enumerate(sections(text))] for s in sets]
    read_ones = iter(read(reader, [part for parts in cut for _, part in parts]))
    return [{key: Unit(part, [], next(read_ones)) for key, part in parts} for parts in cut]


def holders(units, label, side):
    """The units that hold a side of a label."""
    if side in label:
        return [label[side]]
    span = label[side + "_span"]
    return [key for key, u in units.items()
            if key[0] == label[side + "_file"] and span in u.content]


def labelled_pairs(units, labels):
    """(label, key, key, statement, statement) of each pair of statements that a label is about."""
    for label in labels:
        for a in holders(units, label, "a"):
            for b in holders(units, label, "b"):
                for s in units[a].at(label["a_span"]):
                    for t in units[b].at(label["b_span"]):
                        if s != t:
                            yield label, a, b, s, t


def labelled_of(whole, units, rng, times):
    """The pairs that are labelled: conflicts `times` times, each time in other forms."""
    out = []
    for label, _, _, s, t in labelled_pairs(units, whole["conflicts"]):
        for _ in range(times):
            one, other = rng.sample([form_of(s, rng), form_of(t, rng)], 2)
            out.append((one, other, pairs.CONTRADICTION))
    for label, _, _, s, t in labelled_pairs(units, whole["non_conflicts"]):
        one, other = rng.sample([form_of(s, rng), form_of(t, rng)], 2)
        known = label["trap"] not in AGREE_MORE_OR_LESS
        out.append((one, other, pairs.NEUTRAL if known else pairs.NOT_CONTRADICTION))
    for label in whole["conflicts"] + whole["non_conflicts"]:
        if "a" in label and all(len(units[label[x]].content) <= WHOLE for x in "ab"):
            texts = rng.sample([units[label[x]].content for x in "ab"], 2)
            out.append((*texts, pairs.NOT_CONTRADICTION if "trap" in label
                        else pairs.CONTRADICTION))
    return out


def near_of(whole, units, vectors_of, k):
    """Pairs of statements of which one is among the k nearest of the other. All that is known of
    them is that they do not contradict each other: pairs of facts or sections that are labelled as
    conflicts are left out, and so are statements of one fact."""
    taken = {frozenset((a, b)) for _, a, b, _, _ in labelled_pairs(units, whole["conflicts"])}
    every = [(key, s) for key, u in units.items() for s in u.compared()]
    vectors, out = vectors_of([s[3] for _, s in every]), set()
    order = (vectors @ vectors.T).topk(min(len(every), k + 12)).indices.tolist()
    for i, (key, s) in enumerate(every):
        near = [j for j in order[i] if j != i and every[j][1][3] != s[3]
                and (every[j][0] != key or isinstance(key, tuple))
                and frozenset((key, every[j][0])) not in taken]
        out |= {frozenset((i, j)) for j in near[:k]}
    return [tuple(every[i][1] for i in sorted(pair)) for pair in sorted(out, key=sorted)]


class Notes:
    """The notes and document sets of train that the NLI models learn from."""

    def __init__(self, reader, vectors_of, k):
        stores, sets = ([s for s in read_all("train") if not dataset.is_for_trees(s["name"])]
                        for read_all in (dataset.read_notes, dataset.read_document_sets))
        self.wholes = list(zip(stores + sets, units_of_notes(reader, stores)
                               + units_of_documents(reader, sets)))
        self.near = [p for whole, units in self.wholes
                     for p in near_of(whole, units, vectors_of, k)]

    def draw(self, rng, times=3):
        """The pairs of an epoch, each statement in a form drawn anew."""
        out = [p for whole, units in self.wholes for p in labelled_of(whole, units, rng, times)]
        for s, t in self.near:
            one, other = rng.sample([form_of(s, rng), form_of(t, rng)], 2)
            out.append((one, other, pairs.NOT_CONTRADICTION))
        return out
