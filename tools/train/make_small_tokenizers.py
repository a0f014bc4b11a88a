#!/usr/bin/env python3
"""Trains the small vocabularies of tests/models/golden/tokenizers and writes what the reference
tokenizer gives for texts with them.
usage: make_small_tokenizers.py tests/models/golden/tokenizers
Needs tokenizers==0.20.3, sentencepiece==0.2.0 and protobuf.

bpe-files     vocab.json and merges.txt as in RoBERTa
bpe-json      the same merges with a normal form, a prefix space and tokens with rstrip
unigram-spm   spm.model as in DeBERTa-v3, with a small precompiled character map
unigram-json  its pieces behind other normalisers and with byte fallback
Each has expected.jsonl: the lines of make_tokenizer_golden.py, and for every 4,096 code points
{"block", "shift": 12, "hash"} over the ids of "aXb X" and a combining acute for each code point
X."""
import json
import os
import random
import sys
import tempfile
import unicodedata

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import (AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers,
                        processors, trainers)

from make_tokenizer_golden import WORDS, answer, fnv

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/models"))
from compare_tokenizers import KNOTS, reference  # noqa: E402

SUBJECTS = ("the service,a client,the cache,our gateway,every worker,the nightly job,this "
            "endpoint,the store,an agent,the index").split(",")
VERBS = ("retries,never waits,doesn't cache,requires,writes,reads,rejects,keeps,can't see,expires,"
         "won't send,has changed").split(",")
OBJECTS = (
    "a request,30 seconds,the token,5 times,all results,the database,its limit of 100,nothing,an "
    "answer,UTF-8 text,"
           "caf\u00e9 na\u00efve \u00fcber,\u4e2d\u6587 \u6f22\u5b57,\ud55c\uad6d\uc5b4,"
           "\u043f\u0440\u0438\u0432\u0435\u0442,x == y[0]").split(",")
ROBERTA = ["<s>", "<pad>", "</s>", "<unk>"]


def corpus():
    rng = random.Random(7)
    ends = [".", ", and", "!", " (v2.1)", "?"]
    return [f"{rng.choice(SUBJECTS)} {rng.choice(VERBS)} {rng.choice(OBJECTS)}{rng.choice(ends)}"
            .capitalize() for _ in range(4000)]


def save(folder, name, text):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "w", encoding="utf-8", newline="\n") as f:
        f.write(text)


def make_bpe(root):
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.train_from_iterator(corpus(), trainers.BpeTrainer(
        vocab_size=600, special_tokens=ROBERTA, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    model = json.loads(t.to_str())["model"]
    vocabulary = dict(model["vocab"], **{"<mask>": len(model["vocab"])})
    merges = [tuple(m.split(" ") if isinstance(m, str) else m) for m in model["merges"]]
    save(os.path.join(root, "bpe-files"), "vocab.json", json.dumps(vocabulary, ensure_ascii=False))
    save(os.path.join(root, "bpe-files"), "merges.txt",
         "#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in merges))
    t = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    t.normalizer = normalizers.NFC()
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    t.add_special_tokens(ROBERTA + [AddedToken("<mask>", lstrip=True, normalized=False)])
    t.add_tokens([AddedToken("<\u00e9>", rstrip=True, normalized=True),
                  AddedToken("<\u00e9\u00e9>", normalized=True), "retries"])
    t.post_processor = processors.RobertaProcessing(sep=("</s>", 2), cls=("<s>", 0))
    save(os.path.join(root, "bpe-json"), "tokenizer.json", t.to_str())


def rules():
    """Lines of a normalisation map: a small part of NFKC, and control characters to spaces."""
    table = {(c,): [0x20] for c in [0x9, 0xA, 0xD, 0x85, 0xA0, 0x2028, 0x3000]}
    table.update({(c,): [] for c in [0x1, 0x7F, 0xAD, 0x200B, 0xFEFF]})
    for c in [*range(0xA0, 0x250), 0x344, *range(0x1E00, 0x1E80), 0x212B, *range(0xFB00, 0xFB07),
              *range(0xFF01, 0xFF60), 0xFDFA, 0xE33]:
        whole = unicodedata.normalize("NFKC", chr(c))
        if whole != chr(c):
            table.setdefault((c,), list(map(ord, whole)))
        parts = unicodedata.normalize("NFD", chr(c))
        if len(parts) > 1 and unicodedata.normalize("NFC", parts) == chr(c):
            table[tuple(map(ord, parts))] = [c]
    return "".join(" ".join(f"{c:X}" for c in k) + "\t" + " ".join(f"{c:X}" for c in v) + "\n"
                   for k, v in sorted(table.items()))


def make_unigram(root):
    with tempfile.TemporaryDirectory() as folder:
        save(folder, "rules.tsv", rules())
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(corpus()), model_prefix=os.path.join(folder, "spm"),
            model_type="unigram", vocab_size=700,
            normalization_rule_tsv=os.path.join(folder, "rules.tsv"), pad_id=0, bos_id=1, eos_id=2,
            unk_id=3, pad_piece="[PAD]",
            bos_piece="[CLS]", eos_piece="[SEP]", unk_piece="[UNK]",
            user_defined_symbols=["<user>"], byte_fallback=True,
            hard_vocab_limit=False, num_threads=1, minloglevel=2)
        model = sentencepiece_model_pb2.ModelProto()
        model.ParseFromString(open(os.path.join(folder, "spm.model"), "rb").read())
    model.trainer_spec.ClearField("model_prefix")
    model.normalizer_spec.ClearField("normalization_rule_tsv")
    spm = os.path.join(root, "unigram-spm")
    save(spm, "tokenizer_config.json",
         '{"do_lower_case": false, "vocab_type": "spm", "tokenizer_class": "DebertaV2Tokenizer"}\n')
    with open(os.path.join(spm, "spm.model"), "wb") as f:
        f.write(model.SerializeToString())
    t = reference(spm)
    t.model = models.Unigram([(p.piece, p.score) for p in model.pieces], unk_id=3,
                             byte_fallback=True)
    t.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase(),
                                         normalizers.Replace("``", '"'),
                                         normalizers.Strip(left=True, right=False),
                                         normalizers.Replace(Regex(" {2,}"), " ")])
    t.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never")
    save(os.path.join(root, "unigram-json"), "tokenizer.json", t.to_str())


def write_expected(folder):
    t, rng, out = reference(folder), random.Random(11), []
    words = WORDS + KNOTS + [v.content for v in t.get_added_tokens_decoder().values()]
    words += [w for line in corpus()[:40] for w in line.split(" ")] + ["``", "z" * 70, "the" * 30,
        "zx" * 300]

    def text(most):
        return rng.choice(["", " ", " "]).join(rng.choice(words)
                                               for _ in range(rng.randint(0, most)))

    for _ in range(150):
        one = text(10)
        out.append({"text": one, **answer(t.encode(one), one)})
    for _ in range(30):
        first, second, most = text(10), text(10), rng.choice([8, 9, 16, 31])
        t.enable_truncation(most)
        out.append({"first": first, "second": second, "most": most,
                    **answer(t.encode(first, second), first, second)})
    t.no_truncation()
    for block in [b for b in range(0x110) if b < 0x34
                  or b % 16 == 0]:  # only some blocks of planes without characters
        points = [chr(c) for c in range(block << 12, (block + 1) << 12)
                  if not 0xD800 <= c <= 0xDFFF]
        ids = [e.ids for e in t.encode_batch([f"a{c}b {c}\u0301" for c in points])]
        out.append({"block": block, "shift": 12, "hash": fnv(i for line in ids for i in line)})
    save(folder, "expected.jsonl", "".join(json.dumps(line) + "\n" for line in out))


def main(root):
    make_bpe(root)
    make_unigram(root)
    for name in sorted(os.listdir(root)):
        write_expected(os.path.join(root, name))


if __name__ == "__main__":
    main(sys.argv[1])
