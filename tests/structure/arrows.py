#!/usr/bin/env python3
"""Checks that every #include points downwards, as ARCHITECTURE.md draws the house: that each file
includes only files of its own layer and of the layers that this one may see, that a library is seen
only where it belongs, and that each public header compiles alone.
usage: arrows.py TOP [CC]"""
import os
import re
import subprocess
import sys

import sources

PUBLIC = "core/include/engram/"
STATUS, INFER, BASE = PUBLIC + "status.h", PUBLIC + "infer.h", "core/base/"
KERNELS = ("kernels/kernels.h", "kernels/pool.h")
# The templates of kernels, and the table of instruction sets that each of their folders fills.
TEMPLATES = ("kernels/generic/", "kernels/*", BASE, STATUS, INFER)
# layer: what its files may include besides their own layer. A file is of the longest layer that its
# path begins with. NAME/* means files directly in NAME/.
LAYERS = {
    BASE: (STATUS,),
    PUBLIC: (),
    "kernels/": (BASE, STATUS, INFER),
    "kernels/generic/": ("kernels/*", BASE, STATUS, INFER),
    "kernels/scalar/": TEMPLATES,
    "kernels/avx2/": TEMPLATES,
    "kernels/avxvnni/": ("kernels/avx2/",) + TEMPLATES,
    "kernels/avx512/": TEMPLATES,
    "kernels/avx512vnni/": ("kernels/avx512/",) + TEMPLATES,
    "kernels/avx512bf16/": ("kernels/avx512/", "kernels/avx512vnni/") + TEMPLATES,
    "kernels/amx/": ("kernels/avx512/", "kernels/avx512vnni/", "kernels/avx512bf16/") + TEMPLATES,
    "kernels/neon/": TEMPLATES,
    "kernels/dotprod/": ("kernels/neon/",) + TEMPLATES,
    "kernels/i8mm/": ("kernels/neon/", "kernels/dotprod/") + TEMPLATES,
    "models/tokenizer/": (BASE, STATUS, INFER),
    "models/": ("models/tokenizer/", BASE, STATUS, INFER) + KERNELS,
    "core/text/": (BASE, PUBLIC),
    "core/docs/": ("core/text/", BASE, PUBLIC),
    "core/access/": (BASE, PUBLIC),
    "core/memory/": ("core/text/", "core/access/", BASE, PUBLIC),
    "core/curl/": (INFER,),
    "core/hub/": ("core/curl/", BASE, PUBLIC),
    "core/host/": ("core/", "models/", PUBLIC),
    "plugins/json/": (PUBLIC,),
    "plugins/detectors/common/": (PUBLIC,),
}
# Each storage backend and each plugin is a layer of its own.
PLUGIN = re.compile(r"(storage/\w+|plugins/(?:detectors|frontends|gates|toolsets|escalators)/\w+)/")
PLUGIN_SEES = {"storage": (PUBLIC,), "plugins": (PUBLIC, "plugins/json/"),
               "plugins/detectors": (PUBLIC, "plugins/json/", "plugins/detectors/common/"),
               "plugins/escalators": (PUBLIC, "plugins/json/", "core/curl/")}
FREE = ("tools/", "tests/", "bench/")
# Headers of libraries and instruction sets, and the only places that may include them.
LIBRARIES = {
    "curl/": ("core/curl/",),
    "sqlite3.h": ("storage/sqlite/",),
    "cjson/": ("plugins/json/",),
    "ini.h": ("core/host/config.c",),
    "sodium.h": ("core/access/", "core/host/", "core/hub/"),
    "dlfcn.h": ("core/host/plugin_loader.c", "core/curl/", "kernels/openblas.c"),
    "immintrin.h": ("kernels/",),
    "arm_neon.h": ("kernels/",),
}


def layer_of(path):
    """(layer, what it may see), or (None, ()) for a file outside all layers."""
    layer = max((home for home in LAYERS if path.startswith(home)), key=len, default=None)
    if layer:
        return layer, LAYERS[layer]
    m = PLUGIN.match(path)
    if not m:
        return None, ()
    parts = m[1].split("/")
    return m[0], PLUGIN_SEES.get("/".join(parts[:2]), PLUGIN_SEES[parts[0]])


def allows(rule, target):
    if rule.endswith("/*"):
        return os.path.dirname(target) == rule[:-2]
    return target.startswith(rule) if rule.endswith("/") else target == rule


def violations(top):
    for path in sources.files(top):
        if path.startswith(FREE):
            continue
        layer, seen = layer_of(path)
        if layer is None:
            yield f"{path}: this folder is no layer of tests/structure/arrows.py"
            continue
        for line, target in sources.includes(top, path):
            if layer_of(target)[0] != layer and not any(allows(rule, target) for rule in seen):
                yield f"{path}:{line}: {layer} may not include {target}"
        for line, name in sources.system_includes(top, path):
            for library, places in LIBRARIES.items():
                if name.startswith(library) and not path.startswith(places):
                    yield f"{path}:{line}: {name} belongs to {', '.join(places)}"


def broken_headers(top, cc):
    for name in sorted(os.listdir(os.path.join(top, PUBLIC))):
        command = [cc, "-std=c17", "-D_GNU_SOURCE", "-fsyntax-only", "-x", "c",
                   os.path.join(top, PUBLIC, name)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            yield f"{PUBLIC}{name} does not compile alone:\n{done.stderr}"


def main(top, cc="cc"):
    bad = [*violations(top), *broken_headers(top, cc)]
    print("\n".join(bad) if bad else "all arrows point downwards")
    sys.exit(bool(bad))


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
