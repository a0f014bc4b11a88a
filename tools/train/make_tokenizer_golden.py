#!/usr/bin/env python3
"""Writes tests/models/golden/tokenizer.jsonl: what the reference (PyPI package tokenizers, 0.20.3)
gives for texts of our own with the vocabulary that ships.
usage: make_tokenizer_golden.py TOKENIZER_JSON > FILE
Lines: {"text", "ids", "spans"}; {"first", "second", "most", "ids", "spans"} for truncated pairs;
{"block", "hash"} for every 256 code points, each between two letters (FNV-1a, 32 bits)."""
import json
import os
import random
import sys

from tokenizers import Tokenizer

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/models"))
from compare_tokenizers import byte_spans  # noqa: E402

WORDS = ["The", "auth-service", "naïve", "ÀÉ", "über", "don't", "[SEP]", "x[CLS]", "[MASK",
         "[sep]", "İstanbul", "ﬁle", "１２３", "한국어", "漢字かな",
         "a" * 99, "b" * 100, "c" * 101, "rate_limit", "3.14", "50%", "e\u0301", "x\u0300\u0316",
         "😀", "\u200d", "\u00a0", "\u3000", "\ufeff", "\t\n",
         "unaffable", "ＦＵＬＬ", "ß", "ʼn", "\u0000", "\ufffd", "$5", "C++", "#include", "/etc/hosts",
         "v1.2.3-rc1", "Ω", "ё"]


def fnv(ids):
    h = 2166136261
    for i in ids:
        for shift in (0, 8, 16, 24):
            h = ((h ^ (i >> shift & 255)) * 16777619) & 0xFFFFFFFF
    return h


def answer(encoding, first, second=None):
    """The ids, and a flat list of begin and end of each in bytes of its text."""
    return {"ids": encoding.ids, "spans": [place for span in byte_spans(encoding, first, second)
                                           for place in span]}


def main(path):
    tokenizer = Tokenizer.from_file(path)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    random.seed(20261121)
    for _ in range(300):
        text = random.choice(["", " "]).join(random.choice(WORDS)
                                             for _ in range(random.randint(0, 12)))
        print(json.dumps({"text": text, **answer(tokenizer.encode(text), text)}))
    for _ in range(60):
        first, second = (" ".join(random.choice(WORDS) for _ in range(random.randint(0, 14)))
                         for _ in range(2))
        most = random.choice([8, 9, 16, 31, 64])
        tokenizer.enable_truncation(most)
        print(json.dumps({"first": first, "second": second, "most": most,
                          **answer(tokenizer.encode(first, second), first, second)}))
    tokenizer.no_truncation()
    for block in range(0x1100):
        ids = []
        for cp in range(block << 8, (block + 1) << 8):
            if not 0xD800 <= cp <= 0xDFFF:
                ids += tokenizer.encode("a" + chr(cp) + "b").ids
        if block < 0x320 or block % 64 == 0 or block in (0xE01, 0x10FF):
            print(json.dumps({"block": block, "hash": fnv(ids)}))


if __name__ == "__main__":
    main(sys.argv[1])
