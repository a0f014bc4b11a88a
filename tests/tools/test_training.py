#!/usr/bin/env python3
"""Tests of the training tools that need nothing but Python: the measures against figures worked out by hand."""
import math
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "train"))
sys.dont_write_bytecode = True
import measures  # noqa: E402


class Measures(unittest.TestCase):
    def test_average_precision(self):
        self.assertAlmostEqual(measures.average_precision([0.9, 0.8, 0.7, 0.1], [1, 0, 1, 0], 2), (1 + 2 / 3) / 2)
        self.assertAlmostEqual(measures.average_precision([0.9, 0.8, 0.7, 0.1], [1, 0, 1, 0], 4), (1 + 2 / 3) / 4, msg="two have no score")
        self.assertAlmostEqual(measures.average_precision([0.5] * 4, [1, 0, 0, 0], 1), 0.25, msg="equal scores come together")

    def test_recall_at_precision(self):
        scores, right = [0.9, 0.8, 0.7, 0.6, 0.5], [1, 0, 1, 1, 0]
        self.assertEqual(measures.recall_at(scores, right, 4, 0.75), (0.75, 0.6))
        self.assertEqual(measures.recall_at(scores, right, 4, 1.0), (0.25, 0.9))
        self.assertEqual(measures.recall_at([0.9], [0], 4, 0.9), (0, None))

    def test_score_at_alarms(self):
        scores = [i / 100 for i in range(100)]
        least = measures.score_at_alarms(scores, [1] * 100, 0.05)
        self.assertEqual(sum(s > least for s in scores), 5)
        self.assertEqual(measures.score_at_alarms(scores, [0] * 100, 0.05), -math.inf)

    def test_calibration(self):
        error, bins = measures.calibration_error([0.8] * 10 + [1.0] * 10, [1] * 6 + [0] * 4 + [1] * 10)
        self.assertAlmostEqual(error, 0.1)
        self.assertEqual([n for _, _, n in bins], [10, 10])

    def test_spearman(self):
        self.assertAlmostEqual(measures.spearman([1, 2, 3, 4], [10, 20, 30, 25]), 0.8)
        self.assertAlmostEqual(measures.spearman([1, 1, 2], [3, 3, 9]), 1)

    def test_retrieval(self):
        got = measures.retrieval(list("abcdefghijkl"), {"b", "k"})
        self.assertEqual((got["recall@5"], got["recall@10"], got["MRR"]), (0.5, 0.5, 0.5))
        self.assertAlmostEqual(got["nDCG@10"], (1 / math.log2(3)) / (1 + 1 / math.log2(3)))


if __name__ == "__main__":
    unittest.main()
