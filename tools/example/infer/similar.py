#!/usr/bin/env python3
"""The same as similar.c through ctypes, no compiler: python3 similar.py LIBENGRAM_INFER_SO
MODEL_FOLDER TEXT..."""
import ctypes as c
import sys


class Str(c.Structure):
    _fields_ = [("ptr", c.c_char_p), ("len", c.c_size_t)]


class Error(c.Structure):
    _fields_ = [("code", c.c_int), ("text", c.c_char * 508)]


class Info(c.Structure):
    _fields_ = [("size", c.c_size_t), ("architecture", c.c_char_p)] + [
        (name, c.c_uint32) for name in ("head", "layers", "hidden", "heads", "intermediate",
                                        "vocabulary", "max_tokens", "labels")] + [
        ("label_names", c.POINTER(c.c_char_p)), ("weight_bytes", c.c_uint64),
        ("format", c.c_uint32)]


def main(library, folder, *texts):
    lib = c.CDLL(library)
    # the structures above must be the library's: numbers as in eg_infer_struct
    lib.eg_infer_struct_size.restype = c.c_size_t
    for which, kind in enumerate((Str, Error)):
        if lib.eg_infer_struct_size(which) != c.sizeof(kind):
            sys.exit(f"{library} is another version: {kind.__name__} has another size")
    lib.eg_cosine.restype = c.c_float
    err, engine, model, info = Error(), c.c_void_p(), c.c_void_p(), Info(size=c.sizeof(Info))

    def call(name, *arguments):
        if getattr(lib, name)(*arguments, c.byref(err)):
            sys.exit(f"{name}: {err.text.decode()}")

    call("eg_engine_create", None, c.byref(engine))
    call("eg_model_open", engine, folder.encode(), None, c.byref(model))
    call("eg_model_describe", model, c.byref(info))
    encoded = [t.encode() for t in texts]
    rows = (c.c_float * (len(texts) * info.hidden))()
    call("eg_model_embed", model, (Str * len(texts))(*[Str(t, len(t)) for t in encoded]),
         c.c_size_t(len(texts)), rows, None)
    for i, text in enumerate(texts):
        row = c.byref(rows, i * info.hidden * c.sizeof(c.c_float))
        print(f"{lib.eg_cosine(rows, row, c.c_size_t(info.hidden)):.4f}  {text}")
    lib.eg_model_close(model)
    lib.eg_engine_destroy(engine)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
