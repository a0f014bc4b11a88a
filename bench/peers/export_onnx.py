"""export_onnx.py - the ONNX files of a BERT embedding model, for ONNX Runtime at its best; run.py
runs it once a model.
usage: export_onnx.py MODEL_FOLDER OUT_FOLDER

plain.onnx        ids -> vectors (mean, L2-normalised); no mask, since all texts have one length;
                  ONNX Runtime fuses what it can
fused.onnx        the same with a mask, which lets onnxruntime.transformers fuse the attention too
plain-int8.onnx, fused-int8.onnx
                  quantize_dynamic of both, with one scale for each channel: as fast as one for each
                  matrix, and far closer to f32"""

import logging
import os
import sys
import warnings

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.transformers import optimizer
from transformers import BertModel
from transformers.utils import logging as transformers_logging


class Embedding(torch.nn.Module):
    """Tokens to sentence vectors; also what PyTorch itself runs in the bench."""

    def __init__(self, folder, attention):
        super().__init__()
        transformers_logging.set_verbosity_error()
        transformers_logging.disable_progress_bar()
        self.bert = BertModel.from_pretrained(folder, add_pooling_layer=False,
                                              attn_implementation=attention, dtype=torch.float32)
        self.eval()

    def forward(self, ids, mask=None):
        states = self.bert(input_ids=ids, attention_mask=mask).last_hidden_state
        return torch.nn.functional.normalize(states.mean(1), dim=1)


def main(folder, out):
    warnings.simplefilter("ignore")
    model = Embedding(folder, "eager")
    ids = torch.randint(1000, 20000, (2, 17))
    axes = {"ids": {0: "batch", 1: "length"}, "mask": {0: "batch", 1: "length"},
            "vectors": {0: "batch"}}
    path = {name: os.path.join(out, name + ".onnx")
            for name in ("plain", "masked", "fused", "plain-int8", "fused-int8")}
    for name, inputs in (("plain", (ids,)), ("masked", (ids, torch.ones_like(ids)))):
        # the exporter by tracing: the fusions of the optimizer know its patterns
        torch.onnx.export(
            model,
            inputs,
            path[name],
            input_names=["ids", "mask"][: len(inputs)],
            output_names=["vectors"],
            dynamic_axes=axes,
            dynamo=False,
            opset_version=17,
        )
    logging.disable(logging.WARNING)
    config = model.bert.config
    fused = optimizer.optimize_model(
        path["masked"], "bert", num_heads=config.num_attention_heads,
        hidden_size=config.hidden_size, opt_level=0
    )
    if fused.get_fused_operator_statistics()["Attention"] != config.num_hidden_layers:
        sys.exit("export_onnx.py: the optimizer no longer fuses the attention of every layer: see "
                 "its patterns for this export")
    fused.save_model_to_file(path["fused"])
    os.remove(path["masked"])
    for name in ("plain", "fused"):
        quantize_dynamic(
            path[name],
            path[name + "-int8"],
            weight_type=QuantType.QInt8,
            per_channel=True,
            extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
        )


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
