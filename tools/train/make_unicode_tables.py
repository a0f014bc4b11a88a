#!/usr/bin/env python3
"""Writes models/tokenizer/bert_unicode_tables.h: how the BERT normaliser and pre-tokeniser treat
every code point, found by probing the reference (PyPI package tokenizers, version 0.20.3) with each
one.
usage: make_unicode_tables.py > FILE"""
from tokenizers import __version__, normalizers, pre_tokenizers

from table_rows import rows

IDENTITY, DROPPED, SPACE, PUNCTUATION, CJK, HANGUL, FIRST_MAPPING = 0, 1, 2, 3, 4, 5, 16
split = pre_tokenizers.BertPreTokenizer()
cased = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=None,
                                   lowercase=False)
uncased = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=True,
                                     strip_accents=None, lowercase=True)


def is_hangul(cp):
    return 0xAC00 <= cp <= 0xD7A3


def kind(c):
    """How the pre-tokeniser sees a normalised character: space, punctuation or part of a word."""
    pieces = [p for p, _ in split.pre_tokenize_str("a" + c + "a")]
    return {1: IDENTITY, 2: SPACE, 3: PUNCTUATION}[len(pieces)]


pool, mapped = [], {}


def code(normalizer, cp):
    if 0xD800 <= cp <= 0xDFFF:
        return DROPPED  # never in valid UTF-8
    c = chr(cp)
    out = normalizer.normalize_str(c)
    if out == "":
        return DROPPED
    if out == " ":
        return SPACE
    if out == c:
        return kind(c)
    if out == " " + c + " ":
        return CJK
    if normalizer is uncased and is_hangul(cp):
        return HANGUL
    if out not in mapped:
        mapped[out] = len(pool)
        pool.append(len(out))
        pool.extend(ord(x) for x in out)
    return FIRST_MAPPING + mapped[out]


blocks, index = [], {}


def stages(normalizer):
    first = []
    for high in range(0x1100):
        block = tuple(code(normalizer, high << 8 | low) for low in range(256))
        if block not in index:
            index[block] = len(blocks)
            blocks.append(block)
        first.append(index[block])
    return first


CODES = ", ".join("CODE_" + name for name in ("IDENTITY", "DROPPED", "SPACE", "PUNCTUATION", "CJK",
                                              "HANGUL"))
one, two = stages(uncased), stages(cased)
assert max(max(b) for b in blocks) < 65536 and len(blocks) < 65536
print(f"""/* bert_unicode_tables.h - written by tools/train/make_unicode_tables.py from the answers
 * of tokenizers {__version__}: what the BERT normaliser makes of each code point. Do not edit.
 * Included by wordpiece.c only. */
#ifndef EG_BERT_UNICODE_TABLES_H
#define EG_BERT_UNICODE_TABLES_H

#include <stdint.h>

enum {{ {CODES}, CODE_MAPPING = {FIRST_MAPPING} }};

/* Block of 256 code points -> row of unicode_codes. */
static const uint16_t unicode_uncased[{len(one)}] = {{
{rows(one)}}};
static const uint16_t unicode_cased[{len(two)}] = {{
{rows(two)}}};
static const uint16_t unicode_codes[{len(blocks)}][256] = {{""")
for b in blocks:
    print("    {\n" + rows(b) + "    },")
print(f"""}};
/* At code - CODE_MAPPING: the number of code points, then they. */
static const uint32_t unicode_mappings[{len(pool)}] = {{
{rows(pool)}}};

#endif""")
