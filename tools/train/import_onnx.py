#!/usr/bin/env python3
"""Makes a Hugging Face folder of a BERT that is published as ONNX.
usage: import_onnx.py BASE.onnx TOKENIZER.json HEADS OUT
HEADS: of attention, which such a file does not tell. The matrices have no names of their own in such a file: the nodes that multiply by them have. Pooler and heads are left out."""
import json
import os
import sys

import numpy as np
import onnx
from onnx import numpy_helper
from safetensors.numpy import save_file


def weights(model):
    """{name of the published layout: array}"""
    stored = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    out = {name: value for name, value in stored.items() if name.startswith(("embeddings.", "encoder."))}
    for node in model.graph.node:  # /encoder/layer.0/attention/self/query/MatMul
        matrix = stored.get(node.input[1]) if node.op_type == "MatMul" else None
        if matrix is not None:
            name = node.name.strip("/").rsplit("/", 1)[0].replace("/", ".") + ".weight"
            out[name] = matrix.T
    return {name: np.ascontiguousarray(value, np.float32) for name, value in out.items()}


def config(arrays, heads):
    width = arrays["embeddings.LayerNorm.weight"].shape[0]
    layers = len({name.split(".")[2] for name in arrays if name.startswith("encoder.layer.")})
    return {"architectures": ["BertModel"], "model_type": "bert", "hidden_act": "gelu", "hidden_size": width, "num_attention_heads": heads,
            "intermediate_size": arrays["encoder.layer.0.intermediate.dense.bias"].shape[0], "num_hidden_layers": layers, "layer_norm_eps": 1e-12,
            "vocab_size": arrays["embeddings.word_embeddings.weight"].shape[0], "max_position_embeddings": arrays["embeddings.position_embeddings.weight"].shape[0],
            "type_vocab_size": arrays["embeddings.token_type_embeddings.weight"].shape[0], "pad_token_id": 0, "torch_dtype": "float32"}


def main():
    if len(sys.argv) != 5 or not sys.argv[3].isdigit():
        sys.exit(__doc__)
    source, tokenizer, heads, out = sys.argv[1:]
    arrays = weights(onnx.load(source))
    layers = len({name.split(".")[2] for name in arrays if name.startswith("encoder.layer.")})
    if not layers or len(arrays) != 5 + 16 * layers:
        sys.exit(f"{source} is no BERT of 5 tensors and 16 a layer: it has {len(arrays)} in {layers} layers")
    os.makedirs(out, exist_ok=True)
    save_file(arrays, os.path.join(out, "model.safetensors"), metadata={"format": "pt"})
    json.dump(config(arrays, int(heads)), open(os.path.join(out, "config.json"), "w"), indent=1)
    words = json.load(open(tokenizer, encoding="utf-8"))["model"]["vocab"]
    with open(os.path.join(out, "vocab.txt"), "w", encoding="utf-8") as f:
        f.writelines(word + "\n" for word in sorted(words, key=words.get))
    json.dump({"do_lower_case": True, "tokenizer_class": "BertTokenizer", "cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]", "unk_token": "[UNK]",
               "mask_token": "[MASK]"}, open(os.path.join(out, "tokenizer_config.json"), "w"), indent=1)


if __name__ == "__main__":
    main()
