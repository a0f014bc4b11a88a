#!/usr/bin/env python3
"""How well queries find the facts that answer them, through the real server: recall at 5 and at 10
and the mean reciprocal rank (MRR) of the labelled queries of tools/train/data.

usage: bench/retrieval.py [--engram build/engram] [--kind scenarios|notes] [--split dev|test]...
                          [--memories FOLDER] [--large N] [--scope given|preferred|none]
                          [--ways WAY,...] [--set VARIABLE=VALUE]... [--off-topic]
                          [--scifact FOLDER [--abstracts N]] [--json FILE]

Each scenario is a memory of its own. With --large, all facts of dev and test and of scenarios of
train, N together, are one memory, and each query is asked of it: the scope of each fact is then
below the name of its system. Facts of other systems that answer the query too count as wrong.

The ways are `query` (as agents ask), `vectors` (the same with the weight of words at 0) and `words`
(without an embedding model). --scope preferred finds facts outside the scopes of the queries too,
none leaves the scopes out. --off-topic asks each small memory the queries of another system, and
prints how relevant the first hit claims to be, beside that of the first hit of its own queries.

--memories keeps the filled memories in a folder, since filling them takes a minute per thousand
facts on a slow machine. --scifact measures nDCG@10 on the test queries of SciFact: FOLDER holds
scifact.zip, scifact-queries.jsonl and scifact-qrels-test.tsv, which are not part of the project.
Filling that memory takes 0.4 s of CPU time an abstract; --abstracts takes only the first N, and the
queries whose answers are all among them.
--json writes every query with its measures, for choosing weights."""
import argparse
import ast
import collections
import csv
import hashlib
import io
import itertools
import json
import math
import os
import random
import re
import shutil
import statistics
import sys
import tempfile
import unicodedata
import zipfile

import detection
from detection import dataset, measures

WAYS = {"query": {}, "vectors": {"ENGRAM_QUERY_WORDS": "0"},
        "words": {"ENGRAM_MODEL_EMBED": "none"}}
# Too common to count as a word that a query and a fact share.
COMMON = set("""a about after all an and any are as at be before by can do does for from has have
how i if in is it its may must no not of on one or our out s should so than that the them there
they this to up use used uses was we what when where which who why will with you""".split())
LONGEST = 8192  # bytes of a content


def words_of(text):
    return {re.sub(r"(ing|ed|es|s)$", "", w) for w in re.findall(r"[a-z0-9]+", text.lower())
            if w not in COMMON}


def forms_of(query, facts):
    """The groups that a query is counted in."""
    shared = words_of(query["q"]) & set().union(*(words_of(facts[r]) for r in query["relevant"]))
    asks = query["q"].rstrip().endswith("?")
    return ["all", "kind " + query["kind"], "a question" if asks else "not a question",
            "shares a word" if shared else "shares no word",
            "with a scope" if query["scope"] else "without a scope"]


def fill(program, home, facts):
    """Commits the facts, unless the folder holds them already, to a memory without detectors, which
    therefore owes no verdict. Returns {fact id: own name of the fact}."""
    wanted = hashlib.sha256(json.dumps(facts).encode()).hexdigest()
    done = os.path.join(home, "filled.json")
    if os.path.exists(done):
        with open(done, encoding="utf-8") as f:
            kept = json.load(f)
        if kept["facts"] == wanted:
            return kept["names"]
        sys.exit(f"{home} holds other facts than these: remove it, or give --memories another "
                 f"folder")
    if os.path.isdir(home):
        shutil.rmtree(home)  # filled in part
    os.makedirs(home)
    server = detection.Server(program, home, {"ENGRAM_PLUGINS": "sqlite memory mcp secrets"})
    names = {}
    for f in facts:
        receipt = server.call("engram_commit", {
            "content": f["content"], "scope": f["scope"], "agent_id": f["agent"],
            "fact_type": f["fact_type"], "verbose": True,
            **({"provenance": f["provenance"]} if f["provenance"] else {})})
        names.setdefault(receipt["fact_id"], f["id"])
    server.close()
    with open(done, "w", encoding="utf-8") as f:
        json.dump({"facts": wanted, "names": names}, f)
    return names


def asked(server, names, text, scope=None, preferred=False):
    """[(own name, relevance)] of the hits, best first."""
    hits = server.call("engram_query", {"topic": text, "scope": scope or "/", "limit": 10,
                                        "verbose": True,
                                        **({"prefer_scope": True} if preferred else {})})
    return [(names[h["fact_id"]], h["relevance"]) for h in hits["results"]]


def measure(server, names, query, scope, scopes):
    """scopes: given, preferred or none, as of the option."""
    scope = None if scopes == "none" else scope
    hits = asked(server, names, query["q"], scope, scopes == "preferred")
    found, relevant = [name for name, _ in hits], set(query["relevant"])
    ranks = [found.index(r) + 1 for r in relevant if r in found]
    return {"recall@5": sum(rank <= 5 for rank in ranks) / len(relevant),
            "recall@10": len(ranks) / len(relevant), "MRR": 1 / min(ranks) if ranks else 0.0,
            "hits": [[relevance, name in relevant] for name, relevance in hits]}


def of_small_memories(program, stores, folder, settings, scopes, off_topic):
    """([measures with the query and its forms], relevance of the first hits of foreign queries)"""
    rows, foreign = [], []
    for number, store in enumerate(stores):
        home = os.path.join(folder, detection.name_of(store))
        names = fill(program, home, store["facts"])
        contents = {f["id"]: f["content"] for f in store["facts"]}
        server = detection.Server(program, home, settings)
        for q in store["queries"]:
            row = measure(server, names, q, q["scope"], scopes)
            rows.append(row | {"q": q["q"], "forms": forms_of(q, contents)})
        for q in stores[(number + 1) % len(stores)]["queries"] if off_topic else []:
            hits = asked(server, names, q["q"])
            foreign.append(hits[0][1] if hits else 0.0)
        server.close()
    return rows, foreign


def in_one_memory(stores, others, size):
    """The facts of all stores, and of the other ones up to that size in all."""
    facts = [f | {"id": f"{detection.name_of(s)} {f['id']}",
                  "scope": f"{detection.name_of(s)}/{f['scope']}"}
             for s in itertools.chain(stores, others) for f in s["facts"]]
    facts = facts[:max(size, sum(len(s["facts"]) for s in stores))]
    random.Random(5).shuffle(facts)
    return facts


def of_large_memory(program, stores, facts, home, settings, scopes):
    names, rows = fill(program, home, facts), []
    server = detection.Server(program, home, settings)
    for store in stores:
        contents = {f["id"]: f["content"] for f in store["facts"]}
        for q in store["queries"]:
            own = detection.name_of(store)
            scope = f"{own}/{q['scope']}" if q["scope"] else None
            row = measure(server, names,
                          q | {"relevant": [f"{own} {r}" for r in q["relevant"]]}, scope, scopes)
            rows.append(row | {"q": q["q"], "forms": forms_of(q, contents)})
    server.close()
    return rows


def ndcg(found, relevant):
    gains = sum(1 / math.log2(place + 2) for place, name in enumerate(found) if name in relevant)
    return gains / sum(1 / math.log2(place + 2) for place in range(min(10, len(relevant))))


def abstracts_of(path):
    """[(id, title, text)] of either form in which SciFact is published: JSON lines, or a table
    whose abstracts are lists of sentences, one on each line and without commas."""
    with zipfile.ZipFile(path) as z:
        name = next((n for n in z.namelist()
                     if re.search(r"corpus(_train\.csv|\.jsonl)$", n)), None)
        if not name:
            sys.exit(f"{path} holds neither corpus.jsonl nor corpus_train.csv")
        lines = io.StringIO(z.read(name).decode(), newline="")
    if name.endswith(".jsonl"):
        return [(str(d["_id"]), d["title"], d["text"]) for d in map(json.loads, lines)]
    return [(d["doc_id"], d["title"], " ".join(ast.literal_eval(
        re.sub(r"(?<=['\"])\n (?=['\"])", ", ", d["abstract"])))) for d in csv.DictReader(lines)]


def seen(text):
    """Without the characters that readers do not see, which no memory takes."""
    return "".join(c for c in text if unicodedata.category(c) not in ("Cf", "Cc"))


def cut(text):
    return text.encode()[:LONGEST].decode(errors="ignore")


def scifact_of(folder):
    """(abstracts as facts, {query: text}, {query: relevant abstracts})"""
    facts = [{"id": number, "scope": "general", "agent": "bench", "provenance": None,
              "fact_type": "observation",
              "content": cut(seen(f"{title.rstrip('.')}. {text}"))}
             for number, title, text in abstracts_of(os.path.join(folder, "scifact.zip"))]
    queries = {str(q["_id"]): q["text"] for q in
               dataset.read_lines(os.path.join(folder, "scifact-queries.jsonl"))}
    relevant = collections.defaultdict(set)
    with open(os.path.join(folder, "scifact-qrels-test.tsv"), encoding="utf-8") as f:
        for line in itertools.islice(f, 1, None):
            query, document, score = line.split("\t")
            if int(score) > 0:
                relevant[query].add(document)
    return facts, queries, relevant


def of_scifact(program, folder, home, settings, most):
    """(mean nDCG@10, queries, abstracts). most: of the abstracts; 0: all."""
    facts, queries, relevant = scifact_of(folder)
    facts = facts[:most or len(facts)]
    known = {f["id"] for f in facts}
    names = fill(program, home, facts)
    server = detection.Server(program, home, settings)
    rows = [ndcg([name for name, _ in asked(server, names, queries[q])], relevant[q])
            for q in relevant if relevant[q] <= known]
    server.close()
    return statistics.mean(rows), len(rows), len(facts)


def show(title, ways):
    """ways: {way: [measures of each query]}"""
    print(f"\n{title}\n{'':24}{'':8}" + "".join(f"{way:>23}" for way in ways))
    print(f"{'queries':24}{'':>8}" + f"{'R@5':>9}{'R@10':>7}{'MRR':>7}" * len(ways))
    forms = sorted({form for rows in ways.values() for row in rows for form in row["forms"]})
    for form in forms:
        line, count = "", 0
        for rows in ways.values():
            of_form = [row for row in rows if form in row["forms"]]
            means = [statistics.mean(row[m] for row in of_form)
                     for m in ("recall@5", "recall@10", "MRR")]
            line += f"{means[0]:9.3f}{means[1]:7.3f}{means[2]:7.3f}"
            count = len(of_form)
        print(f"{form:24}{count:8}{line}")


def show_off_topic(own, foreign):
    """How well the relevance of the first hit tells queries that the memory can answer."""
    own = [row["hits"][0][0] if row["hits"] else 0.0 for row in own]
    for title, values in (("of its own queries", own), ("of another system's", foreign)):
        tenths = statistics.quantiles(values, n=10)
        print(f"relevance of the first hit {title}: median {statistics.median(values):.2f}, "
              f"tenth {tenths[0]:.2f}, ninth tenth {tenths[-1]:.2f}")


def show_calibration(rows):
    hits = [hit for row in rows for hit in row["hits"]]
    error = measures.calibration_error_of_equal_bins(*zip(*hits), 10)
    print(f"calibration error of the relevance of {len(hits)} hits: {error:.3f}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engram", default=os.path.join(detection.HERE, "..", "build", "engram"))
    parser.add_argument("--kind", choices=("scenarios", "notes"), default="scenarios")
    parser.add_argument("--split", action="append", choices=("dev", "test"))
    parser.add_argument("--memories", metavar="FOLDER")
    parser.add_argument("--large", type=int, default=0, metavar="N")
    parser.add_argument("--scope", choices=("given", "preferred", "none"), default="given")
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--off-topic", action="store_true")
    parser.add_argument("--scifact", metavar="FOLDER")
    parser.add_argument("--abstracts", type=int, default=0, metavar="N")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--set", action="append", default=[], metavar="VARIABLE=VALUE")
    o = parser.parse_args()
    program = os.path.abspath(shutil.which(o.engram) or o.engram)
    settings = dict(s.split("=", 1) for s in o.set)
    chosen = {way: {**WAYS[way], **settings} for way in o.ways.split(",")}
    temporary = tempfile.TemporaryDirectory()
    top = os.path.abspath(o.memories or temporary.name)
    if o.scifact is not None and not os.path.exists(os.path.join(o.scifact, "scifact.zip")):
        print(f"SciFact is skipped: there is no {os.path.join(o.scifact, 'scifact.zip')}")
        return
    if o.scifact is not None:
        for way, set_ in chosen.items():
            home = os.path.join(top, f"scifact-{o.abstracts}" if o.abstracts else "scifact")
            mean, n, size = of_scifact(program, o.scifact, home, set_, o.abstracts)
            print(f"SciFact, {n} test queries, {size} abstracts, {way}: nDCG@10 {mean:.3f}")
        return
    stores = [s for split in o.split or ("dev", "test")
              for s in dataset.read_lines(dataset.path_of(o.kind, split))]
    results, foreign = {}, []
    facts = in_one_memory([s for split in ("dev", "test")
                           for s in dataset.read_lines(dataset.path_of(o.kind, split))],
                          dataset.read_scenarios("train"), o.large) if o.large else []
    for way, set_ in chosen.items():
        if o.large:
            home = os.path.join(top, f"large-{o.kind}-{o.large}")
            results[way] = of_large_memory(program, stores, facts, home, set_, o.scope)
        else:
            results[way], others = of_small_memories(
                program, stores, os.path.join(top, o.kind), set_, o.scope, o.off_topic)
            foreign = foreign or others
    title = (f"one memory of {len(facts)} facts" if o.large else
             f"{len(stores)} memories, {sum(len(s['facts']) for s in stores)} facts")
    show(title, results)
    if "query" in results:
        show_calibration(results["query"])
        if foreign:
            show_off_topic(results["query"], foreign)
    if o.json:
        with open(o.json, "w", encoding="utf-8") as f:
            json.dump(results, f)


if __name__ == "__main__":
    main()
