"""engram.py - libengram-infer from Python, for benches and checks: it mirrors
core/include/engram/infer.h. Not an interface for users. Used by bench/peers/contestants.py and
tests/models/check_exactness.py."""

import ctypes
import os

import numpy as np

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIBRARY = os.path.join(TOP, "build", "libengram-infer.so")
FORMATS = {"f32": 1, "s8": 2, "bf16": 3}  # eg_format
UNSUPPORTED = 7  # eg_status


class Text(ctypes.Structure):
    _fields_ = [("ptr", ctypes.c_char_p), ("len", ctypes.c_size_t)]


class Pair(ctypes.Structure):
    _fields_ = [("first", Text), ("second", Text)]


class Failure(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("text", ctypes.c_char * 508)]


class EngineOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t)] + [(name, ctypes.c_uint32)
                                              for name in ("threads", "isa", "gemm", "reserved")]


class ModelOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("format", ctypes.c_uint32),
                ("reserved", ctypes.c_uint32), ("cache", ctypes.c_char_p)]


class Info(ctypes.Structure):
    _fields_ = (
        [("size", ctypes.c_size_t), ("architecture", ctypes.c_char_p)]
        + [
            (name, ctypes.c_uint32)
            for name in ("head", "layers", "hidden", "heads", "intermediate", "vocabulary",
                         "max_tokens", "labels")
        ]
        + [("label_names", ctypes.POINTER(ctypes.c_char_p)), ("weight_bytes", ctypes.c_uint64)]
    )


class Refused(Exception):
    """The error message of the engine, with its eg_status in .code."""

    def __init__(self, failure):
        super().__init__(failure.text.decode())
        self.code = failure.code


def text_of(string):
    """None becomes a null text."""
    if string is None:
        return Text()
    raw = string.encode()
    return Text(raw, len(raw))


class Model:
    """A model folder opened on an engine of its own."""

    def __init__(self, folder, threads=0, form="f32", library=LIBRARY):
        self.lib = ctypes.CDLL(library)
        self.lib.eg_engine_isa.restype = ctypes.c_char_p
        self.engine, self.model = ctypes.c_void_p(), ctypes.c_void_p()
        options = EngineOptions(size=ctypes.sizeof(EngineOptions), threads=threads)
        self.call("eg_engine_create", ctypes.byref(options), ctypes.byref(self.engine))
        how = ModelOptions(size=ctypes.sizeof(ModelOptions), format=FORMATS[form])
        self.call("eg_model_open", self.engine, os.fsencode(folder), ctypes.byref(how),
                  ctypes.byref(self.model))
        self.info = Info(size=ctypes.sizeof(Info))
        self.call("eg_model_describe", self.model, ctypes.byref(self.info))
        self.isa = self.lib.eg_engine_isa(self.engine).decode()

    def close(self):
        self.lib.eg_model_close(self.model)
        self.lib.eg_engine_destroy(self.engine)

    def call(self, name, *arguments):
        failure = Failure()
        if getattr(self.lib, name)(*arguments, ctypes.byref(failure)):
            raise Refused(failure)

    def embedder(self, texts):
        """A function that returns the vectors of these texts; calling it only calls the library."""
        rows, out = (Text * len(texts))(*map(text_of, texts)), np.empty((len(texts),
            self.info.hidden), np.float32)

        def run():
            self.call("eg_model_embed", self.model, rows, ctypes.c_size_t(len(texts)),
                      out.ctypes.data_as(ctypes.c_void_p), None)
            return out

        return run

    def classify(self, pairs):
        rows = (Pair * len(pairs))(*(Pair(text_of(a), text_of(b)) for a, b in pairs))
        out = np.empty((len(pairs), self.info.labels), np.float32)
        self.call("eg_model_classify", self.model, rows, ctypes.c_size_t(len(pairs)),
                  out.ctypes.data_as(ctypes.c_void_p), None)
        return out

    def label_tokens(self, texts):
        """Logits of every token, text after text."""
        rows, most = (Text * len(texts))(*map(text_of, texts)), len(texts) * self.info.max_tokens
        out, offsets = np.empty((most, self.info.labels),
                                np.float32), (ctypes.c_size_t * (len(texts) + 1))()
        self.call(
            "eg_model_label_tokens",
            self.model,
            rows,
            ctypes.c_size_t(len(texts)),
            out.ctypes.data_as(ctypes.c_void_p),
            ctypes.c_size_t(most),
            offsets,
            None,
        )
        return out[: offsets[len(texts)]]

    def tokenizer(self, text, second=None):
        """A function that returns the token ids of this text or pair."""
        pair, ids, count = Pair(text_of(text), text_of(second)), np.empty(self.info.max_tokens,
            np.uint32), ctypes.c_size_t()

        def run():
            self.call(
                "eg_model_tokenize",
                self.model,
                pair,
                ids.ctypes.data_as(ctypes.c_void_p),
                None,
                ctypes.c_size_t(len(ids)),
                ctypes.byref(count),
            )
            return ids[: count.value].tolist()

        return run
