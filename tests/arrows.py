#!/usr/bin/env python3
"""Checks that #include lines point downwards only (ARCHITECTURE.md), and that each public header compiles alone.
usage: arrows.py TOP [CC]"""
import os
import re
import subprocess
import sys

PUBLIC = "core/include/engram/"
LOW = (PUBLIC + "infer.h", PUBLIC + "status.h")
# folder -> what it may include besides itself, by prefix
ALLOWED = {
    "core/base/": (PUBLIC + "status.h",),
    PUBLIC: (),
    "kernels/": ("core/base/",) + LOW,
    "models/tokenizer/": ("core/base/",) + LOW,
    "models/": ("kernels/", "core/base/") + LOW,
    "core/text/": ("core/base/", PUBLIC),
    "core/docs/": ("core/text/", "core/base/", PUBLIC),
    "core/memory/": ("core/access/", "core/text/", "core/base/", PUBLIC),
    "core/access/": ("core/base/", PUBLIC),
    "core/hub/": ("core/base/", PUBLIC),
    "core/host/": ("core/", "models/", PUBLIC),
    "storage/": (PUBLIC,),
    "plugins/": (PUBLIC,),
}
ANYTHING = ("tools/", "tests/", "bench/")


def resolve(top, path, name):
    """The file of the tree that an include names, or None for a header of the system."""
    folder = os.path.dirname(path)
    for base in (folder, "", "core/include", "plugins/json", "plugins/detectors/common"):
        candidate = os.path.normpath(os.path.join(base, name))
        if os.path.exists(os.path.join(top, candidate)):
            return candidate.replace(os.sep, "/")
    return None


def violations(top):
    for folder, _, names in os.walk(top):
        relative = os.path.relpath(folder, top).replace(os.sep, "/") + "/"
        if relative.startswith(("build", ".git")):
            continue
        for name in names:
            if not name.endswith((".c", ".h")):
                continue
            path = os.path.normpath(relative + name).replace(os.sep, "/")
            home = next((h for h in sorted(ALLOWED, key=len, reverse=True) if path.startswith(h)), None)
            if path.startswith(ANYTHING):
                continue
            if home is None:
                yield f"{path}: stands in no known folder"
                continue
            for number, line in enumerate(open(os.path.join(top, path), encoding="utf-8"), 1):
                match = re.match(r'\s*#\s*include\s*["<]([^">]+)[">]', line)
                if not match:
                    continue
                target = resolve(top, path, match[1])
                if target and not target.startswith((home,) + ALLOWED[home]):
                    yield f"{path}:{number}: {home} may not include {target}"


def main():
    top, cc = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "cc"
    bad = list(violations(top))
    for name in sorted(os.listdir(os.path.join(top, PUBLIC))):
        done = subprocess.run([cc, "-std=c17", "-D_GNU_SOURCE", "-fsyntax-only", "-x", "c", os.path.join(top, PUBLIC, name)],
                              capture_output=True, text=True)
        if done.returncode:
            bad.append(f"{PUBLIC}{name} does not compile alone:\n{done.stderr}")
    print("\n".join(bad) if bad else "all arrows point downwards")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
