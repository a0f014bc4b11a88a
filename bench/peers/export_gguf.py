"""export_gguf.py - a BERT embedding model as an f32 GGUF file, for llama.cpp; run.py runs it once a
model.
usage: export_gguf.py MODEL_FOLDER OUT_FILE"""

import json
import os
import sys

import gguf
import numpy as np
from safetensors.numpy import load_file

NAMES = {
    "embeddings.word_embeddings": "token_embd",
    "embeddings.position_embeddings": "position_embd",
    "embeddings.token_type_embeddings": "token_types",
    "embeddings.LayerNorm": "token_embd_norm",
}
IN_LAYER = {
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}


def name_of(tensor):
    """The format's name, or None for what it does not hold."""
    stem, kind = tensor.rsplit(".", 1)
    if stem in NAMES:
        return f"{NAMES[stem]}.{kind}"
    parts = stem.split(".", 3)
    return f"blk.{parts[2]}.{IN_LAYER[parts[3]]}.{kind}" if stem.startswith(
        "encoder.layer.") else None


def main(folder, out):
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as f:
        config = json.load(f)
    with open(os.path.join(folder, "vocab.txt"), encoding="utf-8") as f:
        words = f.read().rstrip("\n").split("\n")
    writer = gguf.GGUFWriter(out, "bert")
    writer.add_name("model")
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_layer_norm_eps(config["layer_norm_eps"])
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType.MEAN)
    special = [word.startswith("[") and word.endswith("]") and len(word) > 2 for word in words]
    writer.add_tokenizer_model("bert")
    writer.add_token_type_count(config["type_vocab_size"])
    writer.add_token_list(
        [word if s else word[2:] if word.startswith("##") else "\u2581" + word for word,
         s in zip(words, special)]
    )
    writer.add_token_types([gguf.TokenType.CONTROL if s else gguf.TokenType.NORMAL
                            for s in special])
    for add, token in (
        (writer.add_bos_token_id, "[CLS]"),
        (writer.add_eos_token_id, "[SEP]"),
        (writer.add_sep_token_id, "[SEP]"),
        (writer.add_unk_token_id, "[UNK]"),
        (writer.add_pad_token_id, "[PAD]"),
        (writer.add_mask_token_id, "[MASK]"),
    ):
        add(words.index(token))
    for name, value in load_file(os.path.join(folder, "model.safetensors")).items():
        target = name_of(name)
        if target:
            writer.add_tensor(target, value.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
