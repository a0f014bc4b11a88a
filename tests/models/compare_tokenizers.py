#!/usr/bin/env python3
"""Compares the tokenizers with the reference on random and adversarial texts and pairs: ids, types,
truncation, offsets; and measures the speed of both on plain text, one thread each.
usage: compare_tokenizers.py TOKENIZE_STREAM [--texts N] [--long BYTES] [--seed N] [--skip-speed]
                             FOLDER...
Needs tokenizers==0.20.3, and for spm.model sentencepiece==0.2.0 with protobuf. Exits with 77 if a
package that a folder needs is not installed, with 1 on a difference or if the reference fails on
more than one text in a hundred."""
import argparse
import array
import json
import os
import random
import struct
import subprocess
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"
try:
    import tokenizers
    from tokenizers import (AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers,
                            processors)
except ImportError:
    print("skip: the Python package tokenizers is not installed")
    sys.exit(77)
if tokenizers.__version__ != "0.20.3":
    print(f"skip: tokenizers {tokenizers.__version__} is installed; the reference is 0.20.3")
    sys.exit(77)

BATCH, NONE, WHOLE = 500, 0xFFFFFFFF, 0xFFFFFFF0

# ---- the reference over the files of a folder: what BertTokenizerFast, RobertaTokenizerFast and
# DebertaV2TokenizerFast build ----


def bert_pair(cls, sep):
    return processors.TemplateProcessing(single="[CLS]:0 $A:0 [SEP]:0",
                                         pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
                                         special_tokens=[("[CLS]", cls), ("[SEP]", sep)])


def reference_bert(folder, config):
    words = open(os.path.join(folder, "vocab.txt"), encoding="utf-8",
                 newline="\n").read().split("\n")
    vocabulary = {w: i for i, w in enumerate(words[:-1] if words[-1] == "" else words)}
    t = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    t.normalizer = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=True,
                                              strip_accents=None,
                                              lowercase=config.get("do_lower_case", True))
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.post_processor = bert_pair(vocabulary["[CLS]"], vocabulary["[SEP]"])
    t.add_special_tokens([w for w in ("[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]")
                          if w in vocabulary])
    return t


def reference_roberta(folder, config):
    t = Tokenizer(models.BPE.from_file(os.path.join(folder, "vocab.json"),
                                       os.path.join(folder, "merges.txt")))
    t.pre_tokenizer = pre_tokenizers.ByteLevel(
        add_prefix_space=config.get("add_prefix_space", False))
    ids = [(w, t.token_to_id(w)) for w in ("</s>", "<s>")]
    t.post_processor = processors.RobertaProcessing(sep=ids[0], cls=ids[1], trim_offsets=True,
                                                    add_prefix_space=config.get("add_prefix_space",
                                                        False))
    t.add_special_tokens(["<s>", "</s>", "<pad>", "<unk>",
                          AddedToken("<mask>", lstrip=True, normalized=False)])
    return t


def reference_deberta(folder, config):
    from sentencepiece import sentencepiece_model_pb2
    model = sentencepiece_model_pb2.ModelProto()
    model.ParseFromString(open(os.path.join(folder, "spm.model"), "rb").read())
    pieces = [(p.piece, p.score) for p in model.pieces]
    t = Tokenizer(models.Unigram(pieces, unk_id=model.trainer_spec.unk_id, byte_fallback=False))
    steps = [normalizers.Lowercase()] if config.get("do_lower_case") else []
    steps.append(normalizers.Strip())
    if model.normalizer_spec.precompiled_charsmap:
        steps.append(normalizers.Precompiled(model.normalizer_spec.precompiled_charsmap))
    t.normalizer = normalizers.Sequence(steps + [normalizers.Replace(Regex(" {2,}"), " ")])
    t.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Metaspace(replacement="\u2581", prepend_scheme="always")])
    t.add_tokens([AddedToken(p.piece, normalized=False, special=p.type == 3) for p in model.pieces
                  if p.type in (3, 4)])
    t.add_special_tokens(["[CLS]", "[SEP]", AddedToken("[UNK]", normalized=True, special=True),
                          "[PAD]", "[MASK]"])
    t.post_processor = bert_pair(t.token_to_id("[CLS]"), t.token_to_id("[SEP]"))
    return t


def reference(folder):
    def has(name):
        return os.path.exists(os.path.join(folder, name))

    config = json.load(open(os.path.join(folder, "tokenizer_config.json"))) if has(
        "tokenizer_config.json") else {}
    if has("tokenizer.json"):
        t = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
    elif has("spm.model"):
        t = reference_deberta(folder, config)
    else:
        t = reference_roberta(folder, config) if has("vocab.json") else reference_bert(folder,
            config)
    t.no_padding()
    t.no_truncation()
    return t


# ---- texts ----

PROSE = (
    "The service retries a request five times, then waits for 30 seconds; it doesn't cache what "
    "it couldn't verify. "
         "We've seen timeouts of 2.5 s in prod (eu-west-1), they'll be fixed in v1.12.0-rc2, he'd "
         "said. Limits: 100 req/min, 5% errors, $20. "
         "def parse(self, x): return x['key'] + 1  # na\u00efve caf\u00e9 \u00fcber Stra\u00dfe "
         "https://example.org/a?b=c&d=e ")
BLOCKS = [(0x20, 0x7F)] * 6 + [(0, 0x20), (0x80, 0x250), (0x250, 0x370), (0x300, 0x370),
                               (0x370, 0x530), (0x590, 0x700),
          (0x900, 0xE00), (0xE00, 0x1100), (0x1100, 0x1200), (0x1E00, 0x2000), (0x2000, 0x2070),
          (0x2070, 0x2C00), (0x2581,
          0x2582), (0x3000, 0x3100), (0x3100, 0x3400), (0x4E00, 0xA000), (0xA000, 0xAC00),
          (0xAC00, 0xD7FC), (0xE000, 0xF900),
          (0xF900, 0xFB00), (0xFB00, 0xFE00), (0xFE00, 0x10000), (0x10000, 0x11000),
          (0x11000, 0x12000), (0x1D400, 0x1D800),
          (0x1F1E6, 0x1F200), (0x1F300, 0x1FB00), (0x20000, 0x20100), (0xE0000, 0xE0200),
          (0x10FF00, 0x110000)]
KNOTS = ["\u0301", "\u0323", "\u200d", "\ufe0f", "\u20e3", "\u094d", "\u0915", "\u0600", "\u0e33",
         "\u1100", "\u1161", "\u11a8", "\u00a9",
         "\U0001F468", "\U0001F3FD", "\U0001F1E9", "\r", "\n", "\t", "\u0085", "\u00a0", "\u3000",
         "\u2581", "\ufeff", "\u00ad", "\ufffd",
         "\ufdfa", "\ufb01", "\u212b", "\u0130", "\u01c4", "\u1e9e", "\u0344", "\uac00",
         "\u0300\u0316\u0300", "\U000E0020", " ", "  ", "'",
         "'s", "'ll", "'", "\u2019s", "a", "E", "1", ".", "\x00", "\x7f", "\u180e", "\u202e",
         "\u093f", "\u0903", "\U0001D165", "\U000110BD"]


def random_point(rng):
    while True:
        low, high = rng.choice(BLOCKS) if rng.random() < 0.9 else (0, 0x110000)
        c = rng.randrange(low, high)
        if not 0xD800 <= c <= 0xDFFF:
            return chr(c)


def random_text(rng, specials):
    kind = rng.random()
    if kind < 0.3:  # words of prose, glued in strange ways
        words = PROSE.split(" ")
        glue = rng.choice([" ", " ", "", "  ", "\n", "\t ", "\u00a0"])
        text = glue.join(rng.choice(words) for _ in range(rng.randint(0, 20)))
    elif kind < 0.55:  # anything
        text = "".join(random_point(rng) for _ in range(rng.randint(0, 30)))
    elif kind < 0.8:  # what breaks clusters, words and normal forms
        text = "".join(rng.choice(KNOTS) if rng.random() < 0.8 else random_point(rng)
                       for _ in range(rng.randint(1, 16)))
    elif kind < 0.9:  # one block, as text of one script
        low, high = rng.choice(BLOCKS)
        text = "".join(" " if rng.random() < 0.15 else chr(rng.randrange(low, high))
                       for _ in range(rng.randint(1, 60)))
        text = text.encode("utf-8", "ignore").decode()
    else:  # runs
        text = "".join(rng.choice(KNOTS + ["ab", "the", "0"]) * rng.randint(1, 40)
                       for _ in range(rng.randint(1, 4)))
    if rng.random() < 0.2:
        for _ in range(rng.randint(1, 3)):
            at = rng.randint(0, len(text))
            before, after = rng.choice(["", " ", "  ", "\n", "\u3000"]), rng.choice(["", " ", "\t"])
            text = text[:at] + before + rng.choice(specials) + after + text[at:]
    return text


def long_texts(rng, length):
    """Words that must not take quadratic time."""
    words = ["a" * length, "ab" * (length // 2),
             "".join(rng.choice("etaoinshrdlu") for _ in range(length)), "7" * length, "!" * length,
             " " * length, "\n" * length, "\u0301" * (length // 2),
             "e\u0301\u0323" * (length // 5), "\U0001F468\u200d" * (length // 7),
             "\u4e2d" * (length // 3), "".join(random_point(rng) for _ in range(length // 3)),
             "\u2581" * (length // 3), "'" * length]
    return words + [w + " x " + w[:99] for w in words[:3]]


# ---- comparing ----


class Stream:
    def __init__(self, program, folder):
        self.process = subprocess.Popen([program, folder], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def read(self, n):
        data = self.process.stdout.read(n)
        if len(data) != n:
            sys.exit("tokenize_stream ended before its answer")
        return data

    def ask(self, requests):
        """[(first, second or None, most)] -> nanoseconds, [(ids, types)]"""
        out = [struct.pack("=I", len(requests))]
        for first, second, most in requests:
            a, b = first.encode(), None if second is None else second.encode()
            out.append(struct.pack("=III", len(a), NONE if b is None else len(b), most) + a
                       + (b or b""))
        self.process.stdin.write(b"".join(out))
        self.process.stdin.flush()
        spent, = struct.unpack("=Q", self.read(8))
        answers = []
        for _ in requests:
            count, = struct.unpack("=I", self.read(4))
            ids, types, spans = array.array("I",
                                            self.read(4 * count)), self.read(count), array.array(
                                                "I", self.read(8 * count))
            answers.append((ids.tolist(), list(types), list(zip(spans[::2], spans[1::2]))))
        return spent, answers


def byte_offsets(text):
    """Of each character, and of the end: the reference counts characters, we count bytes."""
    at, out = 0, [0]
    for c in text:
        at += len(c.encode())
        out.append(at)
    return out


def byte_spans(encoding, first, second=None):
    """[(begin, end)] of an encoding's tokens: bytes of the first or the second text."""
    places = [byte_offsets(first), byte_offsets(second or "")]
    return [(places[s or 0][b], places[s or 0][n]) for (b, n),
            s in zip(encoding.offsets, encoding.sequence_ids)]


def expected(t, first, second, most):
    if most == WHOLE:
        t.no_truncation()
    else:
        t.enable_truncation(most)
    e = t.encode(first, second) if second is not None else t.encode(first)
    return e.ids, e.type_ids, byte_spans(e, first, second)


def compare(t, stream, requests):
    """What differs, and on how many texts the reference failed."""
    differences, gaps = [], 0
    for begin in range(0, len(requests), BATCH):
        batch = requests[begin:begin + BATCH]
        for request, got in zip(batch, stream.ask(batch)[1]):
            try:
                wanted = expected(t, *request)
            except (KeyboardInterrupt, SystemExit):
                raise
            # the reference gives up (its panics are no Exception): nothing to compare with
            except BaseException as e:
                gaps += 1
                print("  the reference failed:", type(e).__name__, str(e)[:80],
                      ascii(request[0])[:80])
                continue
            if got != wanted:
                differences.append((request, got, wanted))
    return differences, gaps


def speed(t, stream):
    """Both over the same texts, one at a time: the reference without its reading back of ids."""
    rng = random.Random(5)
    sentences = [" ".join(rng.choice(PROSE.split(" ")) for _ in range(rng.randint(10, 120)))
                 for _ in range(2000)]
    t.no_truncation()
    ours = theirs = None
    for _ in range(3):
        spent = stream.ask([(s, None, WHOLE) for s in sentences])[0] / 1e9
        ours = spent if ours is None else min(ours, spent)
        begun = time.process_time()
        for s in sentences:
            t.encode(s)
        spent = time.process_time() - begun
        theirs = spent if theirs is None else min(theirs, spent)
    size = sum(len(s.encode()) for s in sentences) / 1e6
    print(
        f"  speed: {size / ours:.1f} MB/s, the reference {size / theirs:.1f} MB/s: "
        f"{theirs / ours:.1f} times as fast")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--texts", type=int, default=2000)
    parser.add_argument("--long", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--skip-speed", action="store_true")
    a = parser.parse_args()
    failed = left_out = 0
    for folder in a.folders:
        try:
            t = reference(folder)
        except ImportError as e:
            print(f"skip: {folder}: {e}")
            left_out += 1
            continue
        rng = random.Random(a.seed)
        specials = [v.content for v in t.get_added_tokens_decoder().values()]
        specials += [s.lower() for s in specials] + [s[:-1] for s in specials]
        stream = Stream(a.program, folder)
        requests = [(w, None, WHOLE) for w in long_texts(rng, a.long)]
        differences, gaps = compare(t, stream, requests)
        done = len(requests)
        most = done + a.texts
        while done < most:
            requests = []
            for _ in range(min(20 * BATCH, most - done)):
                second = random_text(rng, specials) if rng.random() < 0.2 else None
                requests.append((random_text(rng, specials), second,
                                 rng.choice([WHOLE, WHOLE, WHOLE, 8, 9, 17, 64])))
            found, more = compare(t, stream, requests)
            differences, gaps, done = differences + found, gaps + more, done + len(requests)
        print(
            f"{folder}: {done} texts, {len(differences)} differences; the reference failed on "
            f"{gaps}")
        for request, got, wanted in differences[:5]:
            print("  ", ascii(request)[:300], "\n    ours     ", str(got)[:200], "\n    reference",
                  str(wanted)[:200])
        failed += len(differences) + (100 * gaps > done)
        if not a.skip_speed:
            speed(t, stream)
    sys.exit(1 if failed else 77 if left_out else 0)


if __name__ == "__main__":
    main()
