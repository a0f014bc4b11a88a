#!/usr/bin/env python3
"""Writes models/tokenizer/unicode_tables.h: how the reference (PyPI package tokenizers, version
0.20.3) treats every code point in its byte-level splitter, grapheme clusters, normal forms and
lower case, found by probing it with each one. Its parts follow different Unicode versions: letters
and numbers 14.0, clusters 16.0, normal forms older than 12.0.
usage: make_tokenizer_tables.py > FILE   (takes two minutes)"""
import struct
import sys
import textwrap
import textwrap
import textwrap

from tokenizers import __version__, normalizers, pre_tokenizers

from table_rows import rows

POINTS = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
ZWJ, GRAVE, COPYRIGHT = "\u200d", "\u0300", "\u00a9"

# ---- the byte-level splitter: letter, number, space or other ----

LETTER, NUMBER, SPACE, OTHER = range(4)
split = pre_tokenizers.ByteLevel(add_prefix_space=False)


def is_one_word(text):
    return len(split.pre_tokenize_str(text)) == 1


def word_class(c):
    return LETTER if is_one_word("a" + c) else NUMBER if is_one_word("1"
        + c) else OTHER if is_one_word("!" + c) else SPACE


# ---- grapheme clusters ----
# A precompiled map that turns every cluster of less than 6 bytes into one Q, and each character of
# a
# longer one into a Q, shows where clusters begin.

CLUSTERS = (
    "ANY CR LF CONTROL EXTEND EXTEND_PLAIN LINKER ZWJ SPACING PREPEND PICTOGRAPH L V T LV LVT "
    "CONSONANT").split()


def probe_map():
    units = [0] * 1024
    units[0] = 256 << 10  # the children of the root at 256 ^ byte
    for byte in range(1, 256):
        units[256 + byte] = 512 << 10 | 1 << 8 | byte  # a leaf 512 further
        units[768 + byte] = 1 << 31
    return struct.pack("<I1024I", 4 * 1024, *units) + b"Q\0"


probe = normalizers.Precompiled(probe_map())


def q(text):
    return len(probe.normalize_str(text))


def cluster_class(c):
    if c in "\r\n":
        return "CR" if c == "\r" else "LF"
    if c == "\0" or q(c + GRAVE + GRAVE) == 2:  # keys end at NUL, so it cannot be probed
        return "CONTROL"
    if q("a" + c) == 1:
        if q(COPYRIGHT + c + COPYRIGHT + GRAVE) == 4:
            return "ZWJ"
        if q(COPYRIGHT + c + ZWJ + COPYRIGHT + GRAVE) != 5:
            return "SPACING"
        if q("\u0915" + c + "\u0915" + GRAVE) == 4:
            return "LINKER"
        return "EXTEND" if q("\u0915\u094d" + c + "\u0915" + GRAVE) == 5 else "EXTEND_PLAIN"
    if q(c + "a") == 1:
        return "PREPEND"
    if q(c + ZWJ + COPYRIGHT + GRAVE) == 4:
        return "PICTOGRAPH"
    if q(c + "\u094d\u0915" + GRAVE) == 4:
        return "CONSONANT"
    before_v, before_t = q(c + "\u1161" + GRAVE) == 3, q(c + "\u11a8" + GRAVE) == 3
    if len(c.encode()) != 3:
        return "V" if before_v and before_t else "ANY"
    after_l, after_v = q("\u1100" + c + GRAVE) == 3, q("\u1161" + c + GRAVE) == 3
    return {(1, 0, 1, 0): "L", (1, 1, 1, 1): "V", (0, 1, 0, 1): "T", (1, 1, 1, 0): "LV",
            (0, 1, 1, 0): "LVT",
            (0, 0, 0, 0): "ANY"}[before_v, before_t, after_l, after_v]


# ---- normal forms and lower case ----

nfd, nfkd = normalizers.NFD(), normalizers.NFKD()
nfc, lower = normalizers.NFC(), normalizers.Lowercase()
pool, at = [], {}


def store(text):
    if text not in at:
        at[text] = len(pool)
        pool.append(len(text))
        pool.extend(map(ord, text))
    return at[text]


def braced(tuples):
    return rows("{" + ", ".join(map(str, t)) + "}" for t in tuples)


def mappings(name, comment, pairs):
    words = braced((point, store(text)) for point, text in pairs)
    return f"/* {comment} */\nstatic const uint32_t {name}[{len(pairs)}][2] = {{\n{words}}};"


def is_swapped(a, b):
    return nfd.normalize_str(a + b) == b + a


def combining_classes():
    """Finds representatives in order of class by sorting, then the class of each mark by its place
    among them."""
    marks = [chr(c) for c in POINTS if is_swapped(chr(c), "\u0334") or is_swapped("\u0345", chr(c))]
    order = []  # lists of marks of one class, in ascending order
    for m in marks:
        low, high = 0, len(order)
        while low < high:
            middle = (low + high) // 2
            if is_swapped(order[middle][0], m):
                high = middle
            elif is_swapped(m, order[middle][0]):
                low = middle + 1
            else:
                order[middle].append(m)
                break
        else:
            order.insert(low, [m])
    return {ord(m): i + 1 for i, group in enumerate(order) for m in group}


def ranges(classes):
    out = []
    for point in sorted(classes):
        if out and out[-1][1] == point - 1 and out[-1][2] == classes[point]:
            out[-1][1] = point
        else:
            out.append([point, point, classes[point]])
    return out


def compositions():
    out = []
    for c in POINTS:
        text = nfd.normalize_str(chr(c))
        if len(text) < 2 or 0xAC00 <= c <= 0xD7A3 or nfc.normalize_str(text) != chr(c):
            continue
        first = nfc.normalize_str(text[:-1])
        assert len(first) == 1
        out.append((ord(first), ord(text[-1]), c))
    return sorted(out)


def main():
    blocks, index, first = [], {}, []
    for high in range(0x1100):
        block = tuple(0 if 0xD800 <= c <= 0xDFFF
                      else CLUSTERS.index(cluster_class(chr(c))) << 2 | word_class(chr(c))
                      for c in range(high << 8, (high + 1) << 8))
        if block not in index:
            index[block] = len(blocks)
            blocks.append(block)
        first.append(index[block])
    plain = [c for c in POINTS if not 0xAC00 <= c <= 0xD7A3]
    canonical = [(c, nfd.normalize_str(chr(c))) for c in plain
                 if nfd.normalize_str(chr(c)) != chr(c)]
    compatible = [(c, nfkd.normalize_str(chr(c))) for c in plain
                  if nfkd.normalize_str(chr(c)) != nfd.normalize_str(chr(c))]
    lowered = [(c, lower.normalize_str(chr(c))) for c in plain
               if lower.normalize_str(chr(c)) != chr(c)]
    classes, pairs = ranges(combining_classes()), compositions()
    names = textwrap.fill("/* The order of eg_word_class and eg_cluster in unicode.h: "
                          + ", ".join("CLUSTER_" + n for n in CLUSTERS) + ". */", 100,
                          subsequent_indent=" * ")
    print(
        f"""/* unicode_tables.h - written by tools/train/make_tokenizer_tables.py from the answers
 * of tokenizers {__version__}: word classes (Unicode 14.0), grapheme clusters (16.0), normal forms
 * (before 12.0), lower case. Do not edit. Included by unicode.c only. */
#ifndef EG_UNICODE_TABLES_H
#define EG_UNICODE_TABLES_H

#include <stdint.h>

{names}
/* Block of 256 code points -> row of unicode_kinds. */
static const uint8_t unicode_rows[{len(first)}] = {{
{rows(first)}}};
/* Cluster class * 4 + word class. */
static const uint8_t unicode_kinds[{len(blocks)}][256] = {{""")
    assert len(blocks) <= 256
    for b in blocks:
        print("    {\n" + rows(b) + "    },")
    print("};")
    print(mappings("unicode_canonical",
                   "NFD of a code point: at this place of unicode_pool. Not of Hangul.", canonical))
    print(mappings("unicode_compatible", "NFKD where it is not NFD.", compatible))
    print(mappings("unicode_lower", "Lower case.", lowered))
    print(f"""/* The number of code points, then they. */
static const uint32_t unicode_pool[{len(pool)}] = {{
{rows(pool)}}};
/* First and last code point of a combining class; classes are numbered in their order, from 1. */
static const uint32_t unicode_combining[{len(classes)}][3] = {{
{braced(classes)}}};
/* First, second, what they compose to. Not of Hangul. */
static const uint32_t unicode_compositions[{len(pairs)}][3] = {{
{braced(pairs)}}};

#endif""")


if __name__ == "__main__":
    sys.exit(main())
