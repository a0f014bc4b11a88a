#!/usr/bin/env python3
"""Writes the rows that train_verdict.py learns from: the facts of stores are committed one by one
through the server, with the plugin verdict_rows in place of the NLI detector, which writes the
features of every pair of facts that it would judge. No package is needed.

usage: verdict_rows.py OUT [--engram build/engram] [--nli MODEL]
                       [--kind notes|small|scenarios|made|document_sets|documents|history]
                       [--split train|dev|test] [--given] [--match REGEX] [--orders N]
                       [--trees FILE] [--cheap]

--kind made takes the stores that small_stores.py makes, small those that it cuts out of notes. Of
train only what no NLI model learned from is read (dataset.is_for_trees).
--given sends the labelled statements of notes too, in the form that stands alone. The sets of
documents, and the documents, are read by `engram check`, each by itself; no trees that ship have
learned from them.
--kind history needs --clones, a folder with clones of the repositories that data/history_pairs
names: sentences that are gone are put back into today's files, at most --lines lines of them a
repository, and all is checked (history_pairs.py).
--words finds what is near by words, without the embedding model: far faster.
--cheap leaves out the stages that need the NLI model. With --trees only those pairs reach a stage
that the stages before it let pass, as in the product.

OUT gets a JSON object a line. {"features": [...]} names the numbers of the rows. Every store,
in each order of its facts, is {"store", "order", "commits", "conflicts": [pairs of facts],
"decided": [pairs that rules report], "rows": [{"pair", "stage", "label", "span", "row"}]}.
Order 0 is that of the store; others are drawn at random, since the order carries no meaning.
"span": which pair of statements that the model reads is the labelled one; null: none. With --given
"-given" is put behind the names of the stores."""
import argparse
import collections
import json
import os
import random
import re
import shutil
import sys
import tempfile

import dataset
import history_pairs
import small_stores

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(TOP, "bench"))
import detection  # noqa: E402
import documents  # noqa: E402

# Of pairs with a sentence that was put back and agrees: there are far fewer of them in documents.
WEIGHT_OF_PLANTED = 0.3
SAME = 0.8  # of the words of the shorter of a statement and a labelled passage


def facts_in_order(store, order):
    facts = list(store["facts"])
    if order:
        random.Random(f"{detection.name_of(store)} {order}").shuffle(facts)
    return facts


def spans_found(entry, label, contents):
    """Which of the pairs of statements, best first, overlaps both labelled spans; None: none."""
    for number, (a, b, c, d) in enumerate(entry["pairs"]):
        ends = {entry["subject"]: (a, b), entry["candidate"]: (c, d)}
        good = 0
        for side in "ab":
            content = contents[label[side]].encode("utf-8")
            start = content.find(label[side + "_span"].encode("utf-8"))
            low, high = ends[label[side]]
            good += low < start + len(label[side + "_span"].encode("utf-8")) and start < high
        if good == 2:
            return number
    return None


def rows_of(lines, ids, store):
    """The lines of the plugin, with labels, by the ids of the store."""
    truth = {frozenset((c["a"], c["b"])): c for c in store["conflicts"]}
    unknown = {frozenset((c["a"], c["b"])) for c in store.get("unknown", ())}
    contents = {f["id"]: f["content"] for f in store["facts"]}
    for line in lines:
        entry = json.loads(line)
        if "features" in entry:
            continue
        entry["subject"], entry["candidate"] = ids[entry["subject"]], ids[entry["candidate"]]
        pair = frozenset((entry["subject"], entry["candidate"]))
        if pair in unknown:
            continue
        found = (spans_found(entry, truth[pair], contents)
                 if pair in truth and "a_span" in truth[pair] else None)
        yield {"pair": [entry["subject"], entry["candidate"]], "stage": entry["stage"],
               "label": int(pair in truth), "span": found, "row": entry["row"]}


def run_store(program, home, store, order, settings, path, given):
    """Commits the store; path: what the plugin writes to; given: with the labelled statements."""
    settings = settings | {"ENGRAM_WORKSPACE": f"{detection.name_of(store)}-{order}"}
    with open(path, "ab") as f:
        begun = f.tell()
    server, ids, decided = detection.Server(program, home, settings), {}, []
    for fact in facts_in_order(store, order):
        receipt = server.commit_given(fact, collections.Counter()) if given else server.commit(fact)
        ids[receipt["fact_id"]] = fact["id"]
        own = {"fact_id": receipt["fact_id"]}  # a receipt names the other fact alone
        decided += [[ids[c.get(side, own)["fact_id"]] for side in ("fact_a", "fact_b")]
                    for c in receipt["conflicts"] if c["detection_tier"] != "tier1_nli"]
    server.close()
    with open(path, encoding="utf-8") as f:
        f.seek(begun)
        return {"store": detection.name_of(store), "order": order, "commits": len(ids),
                "conflicts": [[c["a"], c["b"]] for c in store["conflicts"]], "decided": decided,
                "rows": list(rows_of(f, ids, store))}


def is_side(item, passage, files):
    """Whether an item of `engram check`, {"file", "text"}, is the labelled passage."""
    wanted = passage.words
    if wanted is None:
        lines = files[passage.file].split("\n")[passage.first - 1:passage.last]
        wanted = documents.words_of(dataset.TAG.sub("", "\n".join(lines)))
    words = documents.words_of(item["text"])
    return os.path.normpath(item["file"]) == passage.file and \
        len(words & wanted) >= SAME * min(len(words), len(wanted))


def history_label(two, labels):
    """What is known of two items of `engram check`: {"label": 1} of a labelled contradiction,
    {"label": 0} of others, and a "weight" where one of the two was put back and agrees. A sentence
    and its successor share most words: each item is the one that it is more like."""
    def share(words, passage):
        return len(words & passage.words) / max(1, len(words | passage.words))

    def is_gone(item, words, gone, now):
        return os.path.normpath(item["file"]) == gone.file and share(words, gone) >= SAME and \
            share(words, gone) > share(words, now)
    words = [documents.words_of(item["text"]) for item in two]
    planted = False
    for gone, now, is_one in labels:
        for a, b in ((0, 1), (1, 0)):
            if not is_gone(two[a], words[a], gone, now):
                continue
            planted = True
            if is_one and is_gone(two[b], words[b], now, gone):
                return {"label": 1}
    return {"label": 0, "weight": WEIGHT_OF_PLANTED} if planted else {"label": 0}


def label_of_two(two, labels, files):
    """Whether two items of `engram check` are a contradiction of a set of documents."""
    a, b = two
    return {"label": int(any(is_side(a, x, files) and is_side(b, y, files)
                   for passages, _ in labels for x, y in (passages, passages[::-1])))}


def check_documents(program, home, name, files, label, path):
    """Checks the files of a set of documents; label: tells what is known of two items."""
    with open(path, "ab") as f:
        begun = f.tell()
    documents.check(program, {}, name, files, home)
    rows, pairs = [], {}
    with open(path, encoding="utf-8") as f:
        f.seek(begun)
        for line in f:
            entry = json.loads(line)
            if "features" in entry:
                continue
            a, b = entry["items"]
            pair = frozenset((a["number"], b["number"]))
            if pair not in pairs:
                pairs[pair] = label((a, b))
            rows.append({"pair": sorted(pair), "stage": entry["stage"],
                         "span": None, "row": entry["row"]} | pairs[pair])
    found = [sorted(pair) for pair, known in pairs.items() if known["label"]]
    return {"store": name, "order": 0, "commits": len(files), "conflicts": found, "decided": [],
            "rows": rows}


def stores_of(kind, split):
    if kind == "made":
        return small_stores.every()
    stores = dataset.read_lines(dataset.path_of("notes" if kind == "small" else kind, split))
    if split == "train":
        stores = (s for s in stores if dataset.is_for_trees(s["name"]))
    return list(small_stores.small_memories(stores, 8) if kind == "small" else stores)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--engram", default=os.path.join(TOP, "build", "engram"))
    parser.add_argument("--nli", default="engram-nli-0")
    parser.add_argument("--kind", default="notes",
                        choices=("notes", "small", "scenarios", "made", "document_sets",
                                 "documents", "history"))
    parser.add_argument("--words", action="store_true")
    parser.add_argument("--clones", metavar="FOLDER")
    parser.add_argument("--lines", type=int, default=3000)
    parser.add_argument("--split", choices=dataset.SPLITS, default="train")
    parser.add_argument("--given", action="store_true")
    parser.add_argument("--match", default="", metavar="REGEX")
    parser.add_argument("--orders", type=int, default=1)
    parser.add_argument("--trees", metavar="FILE")
    parser.add_argument("--cheap", action="store_true")
    o = parser.parse_args()
    program = os.path.abspath(shutil.which(o.engram) or o.engram)
    plugin = os.path.join(os.path.dirname(program), "bench", "verdict_rows.so")
    if o.kind == "history":
        stores = [{"planted": made} for made in
                  history_pairs.sets(o.clones, o.split, o.lines, o.match)]
    else:
        stores = [s | {"id": detection.name_of(s) + "-given" * o.given}
                  for s in stores_of(o.kind, o.split)
                  if re.match(o.match, detection.name_of(s))]
    by_check = o.kind in ("document_sets", "documents", "history")
    plugins = "sqlite memory rules" if by_check else "sqlite memory mcp rules secrets"
    with tempfile.TemporaryDirectory() as home, open(o.out, "w", encoding="utf-8") as out:
        raw = os.path.join(home, "rows")
        os.makedirs(os.path.join(home, "config"))
        with open(os.path.join(home, "config", "engram.conf"), "w", encoding="utf-8") as f:
            f.write(f"plugins = {plugins} {plugin}\n"
                    f"[model]\nnli = {o.nli}\n{'embed =' if o.words else ''}\n"
                    f"[verdict_rows]\nfile = {raw}\n"
                    f"stages = {1 if o.cheap else 3}\n")
            if o.trees:
                f.write(f"trees = {os.path.abspath(o.trees)}\n")
        named = False
        for store in stores:
            for order in range(o.orders):
                if o.kind in ("document_sets", "documents"):
                    ((name, files, labels, _),) = documents.documents_in([store])
                    made = check_documents(program, home, name, files,
                                           lambda two: label_of_two(two, labels, files), raw)
                elif o.kind == "history":
                    name, files, labels = store["planted"]
                    made = check_documents(program, home, name, files,
                                           lambda two: history_label(two, labels), raw)
                else:
                    made = run_store(program, home, store, order, {}, raw, o.given)
                if not named:
                    with open(raw, encoding="utf-8") as f:
                        out.write(f.readline())
                    named = True
                out.write(json.dumps(made) + "\n")
                out.flush()


if __name__ == "__main__":
    main()
