#!/usr/bin/env python3
"""The worked examples of CONTRIBUTING.md work. A block of C that begins with /* NAME.c: it is built
as a plugin against the public headers and passes `engram plugins check`. A block of diff applies
to a copy of the sources, and what it touches still compiles.
usage: check_examples.py TOP ENGRAM CC"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP, ENGRAM, CC = sys.argv[1:4]
FLAGS = ["-std=c17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off"]
with open(os.path.join(TOP, "CONTRIBUTING.md"), encoding="utf-8") as f:
    BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", f.read(), re.M | re.S)


def run(*command, **how):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=300, **how)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}\n{done.stdout}")
    return done.stdout


class Examples(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = os.path.realpath(scratch.name)

    def test_plugins(self):
        plugins = {}
        for language, text in BLOCKS:
            name = re.match(r"/\* (\w+)\.c:", text) if language == "c" else None
            if name:
                plugins[name[1]] = text
        self.assertGreaterEqual(len(plugins), 3)
        for name, text in plugins.items():
            with self.subTest(name):
                source, library = (os.path.join(self.folder, name + end) for end in (".c", ".so"))
                with open(source, "w", encoding="utf-8") as f:
                    f.write(text)
                run(CC, *FLAGS, "-shared", "-fPIC", "-fvisibility=hidden", "-I",
                    os.path.join(TOP, "core/include"), source, "-o", library)
                os.chmod(library, 0o755)
                env = dict(os.environ, ENGRAM_HOME=os.path.join(self.folder, "home"))
                check = [ENGRAM, "plugins", "check", library]
                if "EG_KIND_STORAGE" in text:  # the beginning of a backend, as its text says
                    with self.assertRaisesRegex(AssertionError,
                                                "lacks its name, a text or a function"):
                        run(*check, env=env)
                else:
                    self.assertIn(name, run(*check, env=env))

    def test_changes_of_the_sources(self):
        changes = [text for language, text in BLOCKS if language == "diff"]
        self.assertGreaterEqual(len(changes), 2)
        for text in changes:
            touched = re.findall(r"^\+\+\+ b/(\S+)", text, re.M)
            with self.subTest(touched[0]):
                tree = os.path.join(self.folder, touched[0].replace("/", "-"))
                for part in ("bench", "core", "kernels", "models", "tests"):
                    shutil.copytree(os.path.join(TOP, part), os.path.join(tree, part),
                                    ignore=shutil.ignore_patterns("weights", "golden", "seeds"))
                run("patch", "-p1", "--fuzz=0", "-d", tree, input=text)
                # a header or template of kernels/ is compiled by the scalar kernels
                units = {p if p.endswith(".c") else "kernels/scalar/scalar.c" for p in touched}
                for unit in sorted(units):
                    run(CC, *FLAGS, "-fsyntax-only", "-I", tree, os.path.join(tree, unit))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
