#!/usr/bin/env python3
"""Writes the tiny random model folders that tests/models uses, with the results of PyTorch and
transformers (f32) on them.
usage: make_test_models.py tests/models/golden
Needs torch, transformers, tokenizers, numpy and safetensors.

Each folder has config.json, vocab.txt, model.safetensors and expected.f32, with one row (embedding
or logits) for each text of texts.txt. Classifiers take line i as the premise and line i + 1 (the
first after the last) as the hypothesis. Token classifiers also have entities.tsv, the entities that
the pipeline of transformers forms from the labels."""
import json
import os
import sys

import numpy as np
import torch
from safetensors.numpy import save_file
from safetensors.torch import save_file as save_torch
from transformers import (BertConfig, BertForSequenceClassification, BertForTokenClassification,
                          BertModel, BertTokenizerFast,
                          DebertaV2Config, DebertaV2ForSequenceClassification, DebertaV2Model,
                          RobertaConfig,
                          RobertaForSequenceClassification, RobertaModel,
                          TokenClassificationPipeline)
from transformers.pipelines.token_classification import AggregationStrategy

from convert_weights import is_small, quantize

WORDS = ("the limit is of and not a retries request timeout service cache seconds five seven "
         "always never after before").split()
TEXTS = ["The limit is 5.", "The limit is 7.", "", "retries, retries; RETRIES!",
         "a service never caches",
         "Timeouts (30 seconds) are not [MASK] the limit [SEP] of requests",
         "caf\u00e9 \u4e2d\u6587 \U0001F600",
         "the cache and the timeout of the service " * 8]


def vocabulary():
    letters = [chr(c) for c in range(ord("a"), ord("z") + 1)] + list("0123456789")
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + list(".,;:!?()[]") + letters
    return pieces + ["##" + c for c in letters] + ["##s",
                                                   "##ing"][1:] + [w for w in WORDS if len(w) > 1]


MODELS = {("bert", "embedding"): BertModel, ("bert", "classes"): BertForSequenceClassification,
          ("bert", "tokens"): BertForTokenClassification,
          ("roberta", "embedding"): RobertaModel,
          ("roberta", "classes"): RobertaForSequenceClassification,
          ("deberta-v2", "embedding"): DebertaV2Model,
          ("deberta-v2", "classes"): DebertaV2ForSequenceClassification}
CONFIGS = {"bert": BertConfig, "roberta": RobertaConfig, "deberta-v2": DebertaV2Config}
EXTRA = {"bert": [], "roberta": ["pad_token_id"],
         "deberta-v2": ["relative_attention", "position_buckets", "max_relative_positions",
                        "norm_rel_ebd", "share_att_key", "pos_att_type",
                        "position_biased_input", "pooler_hidden_act"]}


def entities(tokenizer, labels, text, logits, longest, strategy):
    """The last step of the pipeline, which needs no model: (label, begin, end in bytes, score) of
    each entity."""
    pipeline = TokenClassificationPipeline.__new__(TokenClassificationPipeline)
    pipeline.tokenizer, pipeline.framework = tokenizer, "np"
    pipeline.model = type("Labels", (), {"config": type("Config", (),
                                                        {"id2label": dict(enumerate(labels))})})
    x = tokenizer(text, truncation=True, max_length=longest, return_offsets_mapping=True,
                  return_special_tokens_mask=True)
    scores = np.exp(logits - logits.max(axis=-1, keepdims=True))
    scores /= scores.sum(axis=-1, keepdims=True)
    words = pipeline.gather_pre_entities(text, x["input_ids"], scores, x["offset_mapping"],
                                         x["special_tokens_mask"], strategy)
    return [(e["entity_group"], len(text[:e["start"]].encode()), len(text[:e["end"]].encode()),
             float(e["score"]))
            for e in pipeline.aggregate(words, strategy) if e["entity_group"] != "O"]


def write_entities(folder, tokenizer, labels, logits, longest):
    """One line for each entity: aggregation (as eg_aggregation), text, label, begin, end, score."""
    with open(os.path.join(folder, "entities.tsv"), "w") as out:
        strategies = [AggregationStrategy.SIMPLE, AggregationStrategy.FIRST,
                      AggregationStrategy.AVERAGE, AggregationStrategy.MAX]
        for a, strategy in enumerate(strategies):
            for i, text in enumerate(TEXTS):
                for label, begin, end, score in entities(tokenizer, labels, text, logits[i],
                                                         longest, strategy):
                    out.write(f"{a}\t{i}\t{label}\t{begin}\t{end}\t{score:.7f}\n")


def make(root, name, kind, dtype, labels=None, cls=False, hidden=24, seed=1, model_type="bert",
         shards=1, **options):
    torch.manual_seed(seed)
    folder = os.path.join(root, name)
    os.makedirs(folder, exist_ok=True)
    words = vocabulary()
    config = CONFIGS[model_type](vocab_size=len(words), hidden_size=hidden, num_hidden_layers=2,
                                 num_attention_heads=4,
                                 intermediate_size=hidden * 2 + 8, max_position_embeddings=48,
                                 initializer_range=0.25, **options)
    if labels:
        config.id2label = dict(enumerate(labels))
        config.label2id = {v: k for k, v in enumerate(labels)}
        config.num_labels = len(labels)
    model = MODELS[model_type, kind](config).eval()
    for key, p in model.named_parameters():  # no trivial biases and norms
        if p.dim() == 1:
            p.data += 0.1 * torch.randn(p.shape)
    state = {k: v for k, v in model.state_dict().items() if "position_ids" not in k}
    path = os.path.join(folder, "model.safetensors")
    if dtype == "s8":
        out = {}
        for key, v in state.items():
            w = v.numpy()
            if w.ndim == 2 and not is_small(key):
                q, scales = quantize(w)
                out[key], out[key + ".scales"] = q, scales
                blocks = np.repeat(scales, 128, axis=1)[:, :w.shape[1]]
                v.copy_(torch.from_numpy(q.astype(np.float32) * blocks))
            else:
                out[key] = w.copy()
        save_file(out, path)
    else:
        kept = {k: v.to(dtype).contiguous() for k, v in state.items()}
        names = sorted(kept)
        for i in range(shards):
            part = {k: kept[k] for k in names[i::shards]}
            save_torch(part, path if shards == 1
                       else os.path.join(folder, f"model-{i + 1:05}-of-{shards:05}.safetensors"))
        if shards > 1:
            where = {k: f"model-{n % shards + 1:05}-of-{shards:05}.safetensors" for n,
                     k in enumerate(names)}
            json.dump({"metadata": {"total_size": 0}, "weight_map": where},
                      open(path + ".index.json", "w"), indent=0)
        for k, v in state.items():
            v.copy_(kept[k].float())
    written = json.loads(config.to_json_string(use_diff=False))
    keys = ["vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads",
            "intermediate_size", "hidden_act",
            "max_position_embeddings", "type_vocab_size", "layer_norm_eps"] + EXTRA[model_type]
    written = {"architectures": [type(model).__name__], "model_type": model_type,
               **{k: written[k] for k in keys}}
    if labels:
        order = sorted(range(len(labels)), reverse=True)  # ids need not be in order
        written["id2label"] = {str(i): labels[i] for i in order}
    json.dump(written, open(os.path.join(folder, "config.json"), "w"), indent=1)
    open(os.path.join(folder, "vocab.txt"), "w").write("\n".join(words) + "\n")
    if cls:
        os.makedirs(os.path.join(folder, "1_Pooling"), exist_ok=True)
        json.dump({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False},
                  open(os.path.join(folder, "1_Pooling", "config.json"), "w"))
    tokenizer = BertTokenizerFast(os.path.join(folder, "vocab.txt"), do_lower_case=True)
    rows, per_text = [], []
    longest = config.max_position_embeddings - (config.pad_token_id + 1 if model_type == "roberta"
                                                else 0)
    with torch.no_grad():
        for i, text in enumerate(TEXTS):
            if kind == "tokens":
                x = tokenizer(text, truncation=True, max_length=longest, return_tensors="pt")
                per_text.append(model(**x).logits[0].numpy())
                rows.extend(per_text[-1])
            elif labels:
                x = tokenizer([text], [TEXTS[(i + 1) % len(TEXTS)]], truncation=True,
                              max_length=longest, return_tensors="pt")
                rows.append(model(**x).logits[0].numpy())
            else:
                x = tokenizer(text, truncation=True, max_length=longest, return_tensors="pt")
                states = model(**x).last_hidden_state[0]
                v = states[0] if cls else states.mean(dim=0)
                rows.append((v / v.norm()).numpy())
    np.stack(rows).astype("<f4").tofile(os.path.join(folder, "expected.f32"))
    if kind == "tokens":
        write_entities(folder, tokenizer, labels, per_text, longest)


def main(root):
    os.makedirs(root, exist_ok=True)
    open(os.path.join(root, "texts.txt"), "w").write("\n".join(TEXTS) + "\n")
    make(root, "mean-f32", "embedding", torch.float32, seed=1)
    make(root, "cls-f16", "embedding", torch.float16, cls=True, hidden=32, seed=2)
    make(root, "mean-bf16", "embedding", torch.bfloat16, seed=3)
    make(root, "mean-s8", "embedding", "s8", seed=4)
    make(root, "one-f32", "classes", torch.float32, ["related"], seed=5)
    make(root, "two-f16", "classes", torch.float16, ["yes", "no"], seed=6)
    make(root, "three-s8", "classes", "s8", ["neutral", "contradiction", "entailment"], hidden=32,
         seed=7)
    make(root, "roberta-f32", "classes", torch.float32, ["c", "e", "n"], seed=8,
         model_type="roberta", type_vocab_size=2, pad_token_id=0)
    make(root, "roberta-mean", "embedding", torch.float16, seed=9, model_type="roberta",
         type_vocab_size=2, pad_token_id=0)
    deberta = dict(model_type="deberta-v2", relative_attention=True, norm_rel_ebd="layer_norm",
                   share_att_key=True,
                   pos_att_type=["p2c", "c2p"], position_biased_input=False, type_vocab_size=0,
                   max_relative_positions=-1, layer_norm_eps=1e-7)
    make(root, "deberta-slices", "classes", torch.float32, ["c", "e", "n"], seed=10,
         position_buckets=96, **dict(deberta, max_relative_positions=64))
    make(root, "deberta-buckets", "classes", torch.float16, ["c", "e", "n"], seed=11,
         position_buckets=8, hidden=32, **deberta)
    make(root, "deberta-mean", "embedding", torch.float32, seed=12, position_buckets=8, **deberta)
    make(root, "tokens-f32", "tokens", torch.float32, ["O", "B-X", "I-X"], seed=13)
    make(root, "sharded-f16", "embedding", torch.float16, seed=14, shards=3)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
