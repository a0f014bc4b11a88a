#!/usr/bin/env python3
"""Tests of the training tools that need nothing but Python: the measures against figures worked out
by hand; the labels of generated pairs against what this file reads out of their sentences by
methods of its own."""
import collections
import contextlib
import io
import json
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction

TRAIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "train")
sys.path.insert(0, TRAIN)
sys.dont_write_bytecode = True
import augment  # noqa: E402
import dataset  # noqa: E402
import generated  # noqa: E402
import history_pairs  # noqa: E402
import layout  # noqa: E402
import measures  # noqa: E402
import pairs  # noqa: E402
import small_stores  # noqa: E402
import trees_file  # noqa: E402
import verdict_rows  # noqa: E402
import detection  # noqa: E402
import vocabulary  # noqa: E402


class Layout(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.one, self.two = (os.path.join(self.folder.name, name) for name in ("one", "two"))
        for folder in (self.one, self.two):
            os.mkdir(folder)
            self.put(folder, layout.EMBEDDINGS, "embeddings")
            self.put(folder, layout.REST, folder)
            self.put(folder, layout.INDEX, json.dumps({
                "weight_map": {"a": layout.REST, "b": layout.EMBEDDINGS, "c": layout.REST}}))

    def tearDown(self):
        self.folder.cleanup()

    def put(self, folder, name, text):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text)

    def test_weight_files(self):
        self.assertEqual(layout.weight_files(self.one),
                         [os.path.join(self.one, name)
                          for name in (layout.EMBEDDINGS, layout.REST)])
        self.put(self.one, layout.SINGLE, "")
        self.assertEqual(layout.weight_files(self.one), [os.path.join(self.one, layout.SINGLE)])

    def test_identical_files_are_shared(self):
        self.put(self.one, layout.VOCABULARY, "a")
        self.put(self.two, layout.VOCABULARY, "b")
        self.assertTrue(layout.share(self.two, self.one))
        self.assertFalse(os.path.islink(os.path.join(self.two, layout.VOCABULARY)),
                         "a different vocabulary is not shared")
        self.put(self.two, layout.VOCABULARY, "a")
        os.remove(os.path.join(self.two, layout.EMBEDDINGS))
        self.put(self.two, layout.EMBEDDINGS, "embeddings")
        self.assertTrue(layout.share(self.two, self.one))
        self.assertEqual(os.readlink(os.path.join(self.two, layout.VOCABULARY)),
                         os.path.join("..", "one", layout.VOCABULARY))
        self.assertEqual(os.readlink(os.path.join(self.two, layout.EMBEDDINGS)),
                         os.path.join("..", "one", layout.EMBEDDINGS))
        layout.clear(self.two)
        self.assertEqual(os.listdir(self.two), [layout.VOCABULARY])
        self.assertTrue(os.path.exists(os.path.join(self.one, layout.EMBEDDINGS)),
                        "the link is removed, not its target")
        self.put(self.two, layout.EMBEDDINGS, "other vectors")
        self.assertFalse(layout.share(self.two, self.one))
        self.assertFalse(os.path.islink(os.path.join(self.two, layout.EMBEDDINGS)))


class Measures(unittest.TestCase):
    def test_average_precision(self):
        self.assertAlmostEqual(measures.average_precision([0.9, 0.8, 0.7, 0.1], [1, 0, 1, 0], 2),
                               (1 + 2 / 3) / 2)
        self.assertAlmostEqual(measures.average_precision([0.9, 0.8, 0.7, 0.1], [1, 0, 1, 0], 4),
                               (1 + 2 / 3) / 4, msg="two positives have no score")
        self.assertAlmostEqual(measures.average_precision([0.5] * 4, [1, 0, 0, 0], 1), 0.25,
                               msg="equal scores share a threshold")

    def test_recall_at_precision(self):
        scores, right = [0.9, 0.8, 0.7, 0.6, 0.5], [1, 0, 1, 1, 0]
        self.assertEqual(measures.recall_at(scores, right, 4, 0.75), (0.75, 0.6))
        self.assertEqual(measures.recall_at(scores, right, 4, 1.0), (0.25, 0.9))
        self.assertEqual(measures.recall_at([0.9], [0], 4, 0.9), (0, None))

    def test_hubness_correction(self):
        cosine = [[1, .5, .6, .95, .85], [.5, 1, .4, .3, .55], [.6, .4, 1, 0, 0],
                  [.95, .3, 0, 1, 0], [.85, .55, 0, 0, 1]]
        self.assertAlmostEqual(measures.margin(cosine, 0, 1, 2), 0, msg="no other fact is known")
        self.assertAlmostEqual(measures.margin(cosine, 0, 1, 3), .1,
                               msg="the third fact is nearer to the first")
        self.assertAlmostEqual(measures.margin(cosine, 0, 1, 4), .1,
                               msg="the fourth fact says the same as the first")
        self.assertAlmostEqual(measures.margin(cosine, 0, 1, 5), .2 + .05,
                               msg="at most .2 on each side")
        self.assertAlmostEqual(measures.hubness_corrected(.95, 0), .95)
        self.assertAlmostEqual(measures.hubness_corrected(.95, .1), 1 / (1 + math.exp(.5) / 19))
        self.assertLess(measures.hubness_corrected(1, .4), 1)

    def test_small_memories_hold_the_pair_and_its_labels(self):
        store = {"name": "n-x", "facts": [{"id": f"f{i}"} for i in range(9)],
                 "conflicts": [{"a": "f0", "b": "f1"}, {"a": "f1", "b": "f2"}],
                 "non_conflicts": [{"a": "f3", "b": "f4"}]}
        made = list(small_stores.small_memories([store], 4))
        self.assertEqual([m["id"] for m in made], [f"n-x-small-{i}" for i in range(3)])
        pairs = []
        for m in made:
            ids = {f["id"] for f in m["facts"]}
            self.assertTrue(2 <= len(ids) <= 6)
            for key in ("conflicts", "non_conflicts"):
                self.assertEqual(m[key], [c for c in store[key] if {c["a"], c["b"]} <= ids])
                pairs += [(c["a"], c["b"]) for c in m[key]]
        self.assertEqual(set(pairs), {("f0", "f1"), ("f1", "f2"), ("f3", "f4")})
        self.assertEqual(made, list(small_stores.small_memories([store], 4)))

    def test_hubness_correction_is_that_of_the_product(self):
        def told(path, name):
            with open(os.path.join(TRAIN, "..", "..", path), encoding="utf-8") as f:
                return float(re.search(rf"#define {name} ([0-9.]+)", f.read())[1])
        self.assertEqual(told("plugins/detectors/nli/nearest.c", "MARGIN_WEIGHT"),
                         measures.MARGIN_WEIGHT)
        self.assertEqual(told("plugins/detectors/nli/nearest.c", "MAX_MARGIN"),
                         measures.MAX_MARGIN)
        self.assertEqual(told("core/memory/candidates.h", "EG_COPY_COSINE"), measures.COPY_COSINE)

    def test_score_at_alarms(self):
        scores = [i / 100 for i in range(100)]
        least = measures.score_at_alarms(scores, [1] * 100, 0.05)
        self.assertEqual(sum(s > least for s in scores), 5)
        self.assertEqual(measures.score_at_alarms(scores, [0] * 100, 0.05), -math.inf)

    def test_calibration(self):
        error, bins = measures.calibration_error([0.8] * 10 + [1.0] * 10,
                                                 [1] * 6 + [0] * 4 + [1] * 10)
        self.assertAlmostEqual(error, 0.1)
        self.assertEqual([n for _, _, n in bins], [10, 10])

    def test_calibration_in_bins_of_equal_size(self):
        error = measures.calibration_error_of_equal_bins
        self.assertAlmostEqual(error([0.9, 0.1, 0.9, 0.1], [1, 0, 0, 0], 2), 0.25,
                               msg="(|1.8 - 1| + |0.2 - 0|) / 4")
        self.assertAlmostEqual(error([0.9, 0.1, 0.9, 0.1], [1, 0, 0, 0], 1), 0.25)
        self.assertAlmostEqual(error([0.75, 0.25], [1, 1], 10), 0.5, msg="one row a bin")
        self.assertAlmostEqual(error([0.5, 0.75, 1.0], [0, 1, 1], 2), (0.5 + 0.25) / 3)

    def test_spearman(self):
        self.assertAlmostEqual(measures.spearman([1, 2, 3, 4], [10, 20, 30, 25]), 0.8)
        self.assertAlmostEqual(measures.spearman([1, 1, 2], [3, 3, 9]), 1)

    def test_retrieval(self):
        got = measures.retrieval(list("abcdefghijkl"), {"b", "k"})
        self.assertEqual((got["recall@5"], got["recall@10"], got["MRR"]), (0.5, 0.5, 0.5))
        self.assertAlmostEqual(got["nDCG@10"], (1 / math.log2(3)) / (1 + 1 / math.log2(3)))


class Dataset(unittest.TestCase):
    def test_a_document(self):
        document = dataset.parse_document("ovolo", (
            "# Ovolo\n\n## One\n\n- The port is 80. <!-- 1 easy -->\n"
            "- It is open. <!-- 2 --> <!-- 3 medium -->\n\n## Two\n\n- The port is 81. <!-- 1 -->\n"
            "- It is shut. <!-- 2 hard -->\n- Nobody may enter. <!-- 3 -->\n"))
        self.assertEqual(document["name"], "ovolo")
        self.assertEqual(document["statements"],
                         ["The port is 80.", "It is open.", "The port is 81.",
                                                  "It is shut.", "Nobody may enter."])
        self.assertEqual(document["conflicts"], {(0, 2): "easy", (1, 3): "hard", (1, 4): "medium"})

    def test_difficulties_divide_a_split(self):
        for read in (dataset.read_contrast_sets, dataset.read_scenarios):
            parts = [read("test", difficulty) for difficulty in dataset.DIFFICULTIES]
            self.assertTrue(all(parts))
            self.assertEqual(sum(map(len, parts)), len(read("test")))

    def test_a_name_decides_the_split(self):
        names = ("n-acorn-pharmacy", "n-ivory-pay", "n-jade-ml")
        self.assertEqual([dataset.split_of(name) for name in names], ["test", "dev", "train"])
        for read in (dataset.read_notes, dataset.read_document_sets):
            for split in dataset.SPLITS:
                self.assertEqual({dataset.split_of(s["name"]) for s in read(split)}, {split})

    def test_answers_of_a_team_are_pairs(self):
        """The lines of `engram feedback export`, of which test_cli.py checks the members."""
        def line(verdict):
            return {"verdict": verdict, "a": {"statement": "It is on."},
                    "b": {"statement": "It is off."}}
        got = pairs.of_answers(line(verdict) for verdict in ("contradiction", "update", "same",
                                                             "both_valid", "unrelated",
                                                             "not_contradiction"))
        self.assertEqual([p[:2] for p in got], [("It is on.", "It is off.")] * 6)
        self.assertEqual([p[2] for p in got], [pairs.CONTRADICTION] * 2 + [pairs.ENTAILMENT]
                         + [pairs.NOT_CONTRADICTION] * 3)

    def test_a_broken_line_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.jsonl")
            with open(path, "w", encoding="utf-8") as f:
                f.write('{"a": 1}\n{"a": \n')
            with self.assertRaisesRegex(ValueError, "x.jsonl:2: not a JSON object"):
                list(dataset.read_lines(path))


class Verdict(unittest.TestCase):
    STORE = {"name": "n-x", "facts": [{"id": f"n{i}", "content": f"É {i}. Port {i}."}
                                      for i in range(8)],
             "conflicts": [{"a": "n1", "b": "n2", "a_span": "Port 1", "b_span": "Port 2"}]}

    def test_rows_get_labels_and_spans(self):
        line = {"subject": "B", "candidate": "A", "stage": 0, "row": [1, None],
                "pairs": [[0, 5, 0, 5], [6, 13, 0, 5], [6, 13, 6, 13]]}
        lines = [json.dumps(o) for o in ({"features": ["x", "y"]}, line,
                                         line | {"candidate": "C", "stage": 2})]
        ids = {"A": "n1", "B": "n2", "C": "n3"}
        self.assertEqual(list(verdict_rows.rows_of(lines, ids, self.STORE)), [
            {"pair": ["n2", "n1"], "stage": 0, "label": 1, "span": 2, "row": [1, None]},
            {"pair": ["n2", "n3"], "stage": 2, "label": 0, "span": None, "row": [1, None]}])

    def test_orders_are_fixed(self):
        orders = [[f["id"] for f in verdict_rows.facts_in_order(self.STORE, n)]
                  for n in (0, 1, 1, 2)]
        self.assertEqual(orders[0], [f["id"] for f in self.STORE["facts"]])
        self.assertEqual(orders[1], orders[2])
        self.assertNotEqual(orders[1], orders[3])
        self.assertEqual(sorted(orders[3]), orders[0])

    def test_a_tree_is_written_left_child_first(self):
        def leaf(value):
            return {"is_leaf": 1, "value": value}

        def inner(feature, threshold, missing, left, right):
            return {"is_leaf": 0, "feature_idx": feature, "num_threshold": threshold,
                    "missing_go_to_left": missing, "left": left, "right": right}
        tree = trees_file.nodes_of([inner(1, 0.5, 1, 3, 1), inner(0, 2.5, 0, 2, 4), leaf(1),
                                    leaf(2), leaf(3)])
        self.assertEqual(tree, [(0.5, 0x8001, 2), (2, 0, 0), (2.5, 0, 4), (1, 0, 0), (3, 0, 0)])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.bin")
            trees_file.write(path, ["one", "two"],
                             [([tree, [(7, 0, 0)]], 0.5, -1, [(0, 0.25), (1, 0.75)])])
            with open(path, "rb") as f:
                data = f.read()
        self.assertEqual(data[:8], b"EGTREES1")
        self.assertEqual(struct.unpack("<5I", data[8:28]), (2, 1, 2, 2, 6))
        self.assertEqual(data[28:92], b"one".ljust(32, b"\0") + b"two".ljust(32, b"\0"))
        self.assertEqual(struct.unpack("<IIff", data[92:108]), (2, 2, 0.5, -1))
        self.assertEqual(struct.unpack("<4f2I", data[108:132]), (0, 0.25, 1, 0.75, 5, 1))
        self.assertEqual(len(data), 132 + 6 * 8)
        self.assertEqual(struct.unpack("<fHH", data[132:140]), (0.5, 0x8001, 2))


# Speaks as `engram mcp` does: the third fact contradicts the first, and each asks about those
# before it; an answer goes to the file that is named by ANSWERS.
SERVER = """#!{python}
import json, os, sys
if sys.argv[1] == "doctor":
    print(json.dumps({{"checks": [{{"what": "model.nli", "detail": "{folder}, loaded in 1 ms"}}]}}))
    sys.exit()
seen = []
for line in sys.stdin:
    message = json.loads(line)
    result, params = {{}}, message["params"]
    if params.get("name") == "engram_commit":
        new = params["arguments"]["content"]
        side = [{{"fact_id": fact}} for fact in seen + [new]]
        result = {{"fact_id": new, "detection": "done", "conflicts": [
            {{"fact_a": side[0], "fact_b": side[2], "detection_tier": "tier1_nli", "score": 0.75}}]
            if len(seen) == 2 else []}}
        result["review"] = [{{"review_id": old["fact_id"] + new, "probability": 0.25,
                             "earlier": old, "later": side[-1]}}
                            for old in side[:-1] if not result["conflicts"] or old is side[1]]
        seen.append(new)
    if params.get("name") == "engram_judge":
        with open(os.environ["ANSWERS"], "a", encoding="utf-8") as f:
            f.write(params["arguments"]["review_id"] + " " + params["arguments"]["verdict"] + "\\n")
    print(json.dumps({{"jsonrpc": "2.0", "id": message["id"],
                      "result": {{"structuredContent": result}}}}), flush=True)
"""


class Detection(unittest.TestCase):
    STORE = {"name": "x", "facts": [
        {"id": i, "content": i, "scope": "general", "agent": "a", "engineer": "e",
         "fact_type": "decision", "confidence": 1, "provenance": None} for i in "ABCD"],
        "conflicts": [{"a": a, "b": b, "category": "version", "difficulty": "easy"}
                      for a, b in ("BC", "CD")],
        "non_conflicts": [{"a": "A", "b": c, "trap": "planned"} for c in "CD"]}

    def run_bench(self, *options, trees=False):
        """(what the bench prints as JSON, what its judge answered)"""
        with tempfile.TemporaryDirectory() as folder:
            program, data, answers = (os.path.join(folder, name)
                                      for name in ("engram", "data.jsonl", "answers"))
            with open(program, "w", encoding="utf-8") as f:
                f.write(SERVER.format(python=sys.executable, folder=folder))
            os.chmod(program, 0o755)
            with open(data, "w", encoding="utf-8") as f:
                f.write(json.dumps(self.STORE) + "\n")
            for name in [answers] + [os.path.join(folder, "verdict.bin")] * trees:
                with open(name, "w", encoding="utf-8"):
                    pass
            done = subprocess.run(
                [sys.executable, "-B", os.path.join(TRAIN, "..", "..", "bench", "detection.py"),
                 "--engram", program, "--kind", "notes", "--file", data, "--json",
                 "--set", "ANSWERS=" + answers, *options], capture_output=True, check=True)
            with open(answers, encoding="utf-8") as f:
                return json.loads(done.stdout), f.read().split("\n")[:-1]

    def test_questions_are_counted(self):
        result, answers = self.run_bench()
        self.assertEqual(answers, [])
        self.assertEqual((result["commits"], result["questions"], result["questions_per_commit"],
                          result["questions_about_conflicts"]), (4, 5, 1.25, 0.4))
        self.assertEqual((result["precision"], result["recall"], result["false_positives"]),
                         (0, 0, 1))
        self.assertNotIn("judged", result)
        self.assertNotIn("calibration_error", result)

    def test_questions_are_answered_by_the_labels(self):
        result, answers = self.run_bench("--judge", "labels", trees=True)
        self.assertEqual(answers, ["AB unrelated", "BC contradiction", "AD both_valid",
                                   "BD unrelated", "CD contradiction"])
        self.assertEqual((result["precision"], result["recall"]), (0, 0))
        judged = result["judged"]
        self.assertEqual((judged["true_positives"], judged["false_positives"], judged["recall"]),
                         (2, 1, 1))
        self.assertAlmostEqual(judged["precision"], 2 / 3)
        self.assertAlmostEqual(result["calibration_error"], (3 * 0.25 + 2 * 0.75 + 0.75) / 6)

    def test_a_memory_without_conflicts(self):
        result, answers = self.run_bench("--quiet", "--judge", "labels")
        self.assertEqual((result["commits"], result["labelled"], result["look_alikes"]), (3, 0, 1),
                         "C, which takes part in both conflicts, is left out")
        self.assertEqual(answers, ["AB unrelated", "BD unrelated"])
        self.assertEqual((result["recall"], result["judged"]["recall"]), (None, None))
        store = self.STORE | {"conflicts": self.STORE["conflicts"][:1]}
        left = [f["id"] for f in detection.without_conflicts(store)["facts"]]
        self.assertEqual(len(left), 3)
        self.assertEqual(left, [f["id"] for f in detection.without_conflicts(store)["facts"]])


class Documents(unittest.TestCase):
    FILES = {"README.md": "# X\n\nThe port is 80. The host is small.\n",
             "docs/a.md": "The port\nis 81.\n\nThe old port was 79.\n"}
    LABELS = {"a_file": "README.md", "a_span": "port is 80", "b_file": "docs/a.md"}

    def side(self, place, text):
        name, first, last = place
        return {"file": name, "line": first, "last_line": last, "content": text}

    def run_bench(self, text, findings):
        """What the bench prints as JSON of this .jsonl, where engram check finds these pairs of
        (place, text)."""
        answer = {"statements": 4, "pairs": 12, "findings": [
            {"a": self.side(*a), "b": self.side(*b), "score": 0.9, "detection_tier": "tier1_nli"}
            for a, b in findings]}
        with tempfile.TemporaryDirectory() as folder:
            program, data = (os.path.join(folder, name) for name in ("engram", "data.jsonl"))
            with open(program, "w", encoding="utf-8") as f:
                f.write(f"#!{sys.executable}\nimport os\nassert os.environ['ENGRAM_X'] == 'y'\n"
                        f"print({json.dumps(answer)!r})\n")
            os.chmod(program, 0o755)
            with open(data, "w", encoding="utf-8") as f:
                f.write(text)
            done = subprocess.run(
                [sys.executable, "-B", os.path.join(TRAIN, "..", "..", "bench", "documents.py"),
                 "--engram", program, "--set", "ENGRAM_X=y", "--json", data], capture_output=True,
                check=True)
            return list(json.loads(done.stdout).values())[0]

    def test_sets(self):
        one = {"name": "n", "description": "", "files": self.FILES, "conflicts": [
            self.LABELS | {"b_span": "port\nis 81", "category": "port", "difficulty": "easy"}],
               "non_conflicts": [self.LABELS | {"b_span": "old port was 79", "trap": "history"}]}
        port = (("README.md", 3, 3), "The port is 80.")
        host = (("README.md", 3, 3), "The host is small.")
        later = (("docs/a.md", 2, 2), "The port is 81.")
        result = self.run_bench(json.dumps(one) + "\n", [
            (later, port), (host, (("docs/a.md", 4, 4), "The host is large.")),
            (port, (("docs/a.md", 4, 4), "The old port was 79."))])
        self.assertEqual((result["documents"], result["contradictions"], result["found"],
                          result["recall_by_difficulty"]), (1, 1, 1, {"easy": "1/1"}))
        self.assertEqual((result["true_positives"], result["false_positives"],
                          result["look_alikes_reported"], result["precision"]), (1, 1, 1, 0.5),
                         "one report, as the reader sees it, for each pair of lines")
        self.assertEqual((result["false_positives_per_1000_statements"],
                          result["pairs_per_statement"]), (250, 3))
        self.assertEqual(result["recall_interval"], list(detection.wilson(1, 1)))
        self.assertGreater(result["cpu_seconds_per_1000_statements"], 0)
        missed = self.run_bench(json.dumps(one) + "\n", [(later, host)])
        self.assertEqual((missed["found"], missed["false_positives"]), (0, 1),
                         "another statement of the labelled line")

    def test_tags(self):
        text = "- The port is 80. <!-- 1 hard -->\n- Calm.\n- The port is 81. <!-- 1 -->\n"
        line = json.dumps({"name": "x", "text": text}) + "\n"
        places = [(("x.md", n, n), "any words") for n in (1, 2, 3)]
        result = self.run_bench(line, [(places[2], places[0]), (places[1], places[0])])
        self.assertEqual((result["true_positives"], result["false_positives"],
                          result["recall_by_difficulty"]), (1, 1, {"hard": "1/1"}))


class HistoryPairs(unittest.TestCase):
    """A repository whose manual was changed twice."""
    FIRST = ("# Manual\n\nThe pool keeps ten connections\nopen for each worker. It is never "
             "empty.\n\n```\nThe pool keeps one connection open for each listing.\n```\n\n"
             "| name | what the column says of it |\n|---|---|\n"
             "| `size` | how many connections are kept open by default: `10` |\n")
    PADDING = "".join(f"\nWords of paragraph {n} that say nothing about it.\n" for n in range(12))

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.path = os.path.join(self.folder, "some+manual")
        os.makedirs(os.path.join(self.path, "docs"))
        self.git("init", "-q")
        for text in (self.FIRST, self.FIRST.replace("ten connections", "12 connections"),
                     self.FIRST.replace("ten connections", "20 connections").replace("`10`", "`20`")
                     .replace("listing", "file")):
            with open(os.path.join(self.path, "docs", "a.md"), "w", encoding="utf-8") as f:
                f.write(text + self.PADDING)
            self.git("add", ".")
            self.git("commit", "-q", "-m", "x")
        source = {"repo": "some/manual", "commit": self.git("rev-parse", "HEAD").strip(),
                  "split": "train", "folders": ["docs"]}
        with open(os.path.join(self.folder, "sources.jsonl"), "w", encoding="utf-8") as f:
            f.write(json.dumps(source) + "\n")
        data, history_pairs.DATA = history_pairs.DATA, self.folder
        self.addCleanup(setattr, history_pairs, "DATA", data)
        clone = history_pairs.Clone(self.folder, "some/manual")
        self.found = list(history_pairs.candidates(clone, source))

    def git(self, *arguments):
        return subprocess.run(
            ["git", "-C", self.path, "-c", "user.name=x", "-c", "user.email=x@example.org",
             "-c", "commit.gpgsign=false", *arguments], check=True, capture_output=True,
            text=True).stdout

    def test_what_was_replaced_is_found_with_what_stands_today(self):
        new = "The pool keeps 20 connections open for each worker."
        rows = {"| `size` | how many connections are kept open by default: `10` |":
                "| `size` | how many connections are kept open by default: `20` |"}
        self.assertEqual({p["old_text"]: p["text"] for p in self.found}, {
            "The pool keeps ten connections open for each worker.": new,
            "The pool keeps 12 connections open for each worker.": new} | rows)

    def test_texts_are_read_by_reference_and_put_back(self):
        names = ("repo", "old_commit", "old_file", "old_line", "old_words", "file", "line", "words")
        labels = os.path.join(self.folder, "train.jsonl")
        with open(labels, "w", encoding="utf-8") as f:
            for p in self.found:
                label = "agree" if "12" in p["old_text"] else "contradiction"
                f.write(json.dumps({n: p[n] for n in names} | {"label": label}) + "\n")
        read = list(history_pairs.with_texts(self.folder, [labels]))
        self.assertEqual([(p["old_text"], p["text"]) for p in read],
                         [(p["old_text"], p["text"]) for p in self.found])
        ((repo, files, planted),) = history_pairs.sets(self.folder, "train", 1000)
        self.assertEqual((repo, list(files)), ("some/manual", ["docs/a.md"]))
        lines = files["docs/a.md"].split("\n")
        row = lines.index("| `size` | how many connections are kept open by default: `20` |")
        self.assertIn("`10`", lines[row + 1], "a row stays in its table")
        at = lines.index("The pool keeps ten connections open for each worker.")
        self.assertGreater(at, 12)
        self.assertEqual((lines[at - 1], lines[at + 1]), ("", ""))
        self.assertEqual(sorted(is_one for _, _, is_one in planted), [False, True, True])
        said = "The pool keeps {} connections open for each worker."
        two = [{"file": "./docs/a.md", "text": said.format(n)}
               for n in ("20", "ten", "12")]
        for pair, known in ((two[:2], {"label": 1}), ([two[0], two[0]], {"label": 0}),
                            ([two[2], two[0]],
                             {"label": 0, "weight": verdict_rows.WEIGHT_OF_PLANTED})):
            self.assertEqual(verdict_rows.history_label(pair, planted), known)

    def test_a_missing_clone_is_named(self):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.assertIsNone(history_pairs.clone_of(self.folder, "other/one"))
        self.assertIn("other/one: left out, no clone in", said.getvalue())


class Names(unittest.TestCase):
    def test_a_name_in_both_texts(self):
        rng, claims = random.Random(1), [("The server listens on port 80.",
                                          "`GET /` is open to all.", 0),
                                          ("Backups are kept.", "Nothing else is.", 2)] * 50
        changed = augment.with_names(claims, ["Ovolo"], 0.5, rng)
        self.assertEqual([p[2] for p in changed], [p[2] for p in claims])
        self.assertTrue(all(("Ovolo" in a) == ("Ovolo" in b) for a, b, _ in changed))
        self.assertTrue(30 < sum("Ovolo" in a for a, _, _ in changed) < 70)
        self.assertTrue(all("port 80" in a or "ackups are kept" in a for a, _, _ in changed))


MILLISECONDS = {"ms": 1, "millisecond": 1, "s": 1000, "second": 1000, "min": 60000,
                "minute": 60000, "h": 3600000, "hour": 3600000, "day": 86400000, "week": 604800000}
BYTES = {"bytes": 1, "kB": 1000, "MB": 1000 ** 2, "GB": 1000 ** 3, "TB": 1000 ** 4, "KiB": 1024,
         "MiB": 1024 ** 2, "GiB": 1024 ** 3}
WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()


def subject_of(text):
    """(name, noun), however it is written."""
    m = re.search(r"`(\w+)-(\w+)`", text) or re.search(
        r"\b([A-Z]\w+)(?:'s)? (%s)\b" % "|".join(vocabulary.NOUNS), text)
    return m.group(1).capitalize(), m.group(2)


def amount(text):
    m = re.search(r"(\d[\d,]*(?:\.\d+)?) (%s)\b" % "|".join(
        sorted((*(u + "s" for u in MILLISECONDS), *MILLISECONDS, *BYTES), key=len, reverse=True)),
        text)
    unit = m.group(2) if m.group(2) in MILLISECONDS or m.group(2) in BYTES else m.group(2)[:-1]
    return Fraction(m.group(1).replace(",", "")) * (MILLISECONDS.get(unit) or BYTES[unit])


def allowed(text):
    """The numbers from 0 to 200 that a claim about a count lets be."""
    text = text.lower()
    n = [int(x) for x in re.findall(r"\d+", text)]
    if len(n) == 2:
        return set(range(n[0], n[1] + 1))
    if re.search("no more and no less|neither more nor fewer", text):
        return set(n)
    if re.search(
            "at least|no fewer|or more|not less|minimum|even more|never fewer|possibly more|floor|"
            "not under", text):
        return set(range(n[0], 201))
    if re.search(
            "at most|no more than|or fewer|up to|maximum|even fewer|never more|possibly fewer|"
            "ceiling|not over", text):
        return set(range(n[0] + 1))
    return set(n)


def follows(one, other):
    """Whether the total in one of the sentences is what the numbers of the other come to; which is
    which is read from their words."""
    n = {text: [int(x.replace(",", "")) for x in re.findall(r"\d[\d,]*", text)]
         for text in (one, other)}
    for parts, total, mark, compute in (("retr|repeats|more times", "attempt", None,
                                         lambda a: a + 1),
                                         ("shard", "replica", 2, lambda a, b: a * b),
                                         ("minutes", "hour", None, lambda a: Fraction(60, a)),
                                        ("days", "hours", None, lambda a: a * 24),
                                        ("host", "host", 2, lambda a, b: a + b)):
        for x, y in ((one, other), (other, one)):
            if re.search(parts, x) and re.search(total,
                                                 y) and not re.search(total if mark is None
                                                         else "$^",
                                                         x) and len(n[x]) == (mark
                                                                 or 1) and len(n[y]) == 1:
                return compute(*n[x]) == n[y][0]
    raise AssertionError(f"cannot be read: {one} | {other}")


class MadeUp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pairs = {split: generated.pairs_of(split, 3200, 1) for split in generated.SPLITS}

    def of(self, *families):
        return [p for pairs in self.pairs.values() for p in pairs if p[3] in families]

    def test_same_seed_same_pairs(self):
        self.assertEqual(generated.pairs_of("dev", 320, 1), self.pairs["dev"][:320])
        self.assertNotEqual(generated.pairs_of("dev", 320, 2), self.pairs["dev"][:320])
        lines = subprocess.run([sys.executable, "-B", os.path.join(TRAIN, "generate"), "--split",
                                "dev", "--count", "320", "--seed", "1"], capture_output=True,
                                check=True,
                               env=dict(os.environ, PYTHONHASHSEED="7",
                                        PYTHONIOENCODING="utf-8")).stdout.decode().splitlines()
        self.assertEqual([tuple(json.loads(line).values()) for line in lines],
                         self.pairs["dev"][:320])

    def test_balance(self):
        for split, pairs in self.pairs.items():
            labels, families = (collections.Counter(p[i] for p in pairs) for i in (2, 3))
            self.assertEqual(set(families.values()), {200}, split)
            for label, share in zip(generated.LABELS, generated.SHARES):
                self.assertAlmostEqual(labels[label] / len(pairs), share, delta=0.03, msg=split)
            for family in families:
                self.assertEqual({p[2] for p in pairs if p[3] == family}, set(generated.LABELS),
                                 f"{family}: conflicts, agreements and look-alikes")

    def test_splits_share_nothing(self):
        texts = [{t for p in pairs for t in p[:2]} for pairs in self.pairs.values()]
        names = [{subject_of(t)[0] for t in some} for some in texts]
        for some in (texts, names, [set(x) for x in vocabulary.NAMES.values()]):
            self.assertFalse(some[0] & some[1] or some[0] & some[2] or some[1] & some[2])

        def frames(x):
            if isinstance(x, dict):
                return [f for y in x.values() for f in frames(y)]
            if isinstance(x, tuple) and x and all(isinstance(y, str) for y in x):
                return [x] if len(x) > 2 else []
            return [f for y in x for f in frames(y)] if isinstance(x, (tuple, list)) else []
        lists = frames([getattr(vocabulary, name) for name in dir(vocabulary) if name.isupper()
                        and name not in ("NAMES", "HABITS", "COMPARED", "PERCENT")])
        self.assertGreater(sum(map(len, lists)), 600)
        for some in lists:
            self.assertEqual(len(set(some)), len(some), some)
            for split in generated.SPLITS:
                self.assertGreaterEqual(len(generated.deal(some, split)), 2, some)

    def test_one_subject_or_two(self):
        for a, b, label, family in self.of("value_unit", "bounds", "list", "percent", "arithmetic",
                                           "flag", "date", "spelled_number"):
            if label != "neutral":
                self.assertEqual(subject_of(a), subject_of(b), f"{family}: {a} | {b}")

    def test_quantities(self):
        for a, b, label, _ in self.of("value_unit"):
            if label != "neutral":
                self.assertEqual(amount(a) == amount(b), label == "entailment", f"{a} | {b}")

    def test_bounds(self):
        for a, b, label, _ in self.of("bounds"):
            if subject_of(a) == subject_of(b):
                one, other = allowed(a), allowed(b)
                self.assertEqual(label, "contradiction" if not one & other else "entailment"
                                 if one <= other else "neutral", f"{a} | {b}")

    def test_arithmetic(self):
        for a, b, label, _ in self.of("arithmetic"):
            if label != "neutral":
                self.assertEqual(follows(a, b), label == "entailment", f"{a} | {b}")

    def test_spelled_numbers(self):
        def number(text):
            return [WORDS.index(w) if w in WORDS else int(w)
                    for w in re.findall(r"\d+|[a-z]+", text.lower())
                    if (w in WORDS[2:] or w.isdigit())]
        for a, b, label, _ in self.of("spelled_number"):
            if label != "neutral":
                self.assertEqual(number(a) == number(b), label == "entailment", f"{a} | {b}")


if __name__ == "__main__":
    unittest.main()
