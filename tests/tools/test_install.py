#!/usr/bin/env python3
"""The program as `cmake --install` leaves it: it works from any prefix, also a moved one and
through a link, with the plugins and models that were installed, and a detector builds against its
headers alone.
usage: test_install.py CMAKE BUILD TOP CC"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

CMAKE, BUILD, TOP, CC = sys.argv[1:5]


class NotBuilt(unittest.TestCase):
    def test_says_what_to_build(self):
        """`cmake --install` of a tree that is not built, or only in part, copies nothing."""
        with tempfile.TemporaryDirectory() as folder:
            build, prefix = os.path.join(folder, "build"), os.path.join(folder, "prefix")
            subprocess.run([CMAKE, "-S", TOP, "-B", build, "-G", "Ninja", "-DENGRAM_TESTS=OFF",
                            "-DCMAKE_C_COMPILER=" + CC], check=True, stdout=subprocess.DEVNULL)
            for component in [], ["--component", "program"], ["--component", "library"]:
                done = subprocess.run([CMAKE, "--install", build, "--prefix", prefix, *component],
                                      capture_output=True, check=False)
                said = b" ".join(done.stderr.split())
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(b"nothing was installed: ", said)
                self.assertIn(b"is not built yet; run `cmake --build " + build.encode() +
                              b" --target installable` first", said)
                self.assertFalse(os.path.exists(prefix))


class Installed(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = os.path.realpath(self.scratch.name)
        self.prefix = os.path.join(self.folder, "prefix")
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("ENGRAM_")
                    or k == "ENGRAM_ISA"}
        self.env.update(ENGRAM_HOME=os.path.join(self.folder, "home"), ENGRAM_WORKSPACE="test")
        # as many accounts have it: plugins in folders that the group may write are refused
        umask = os.umask(0o002)
        try:
            subprocess.run([CMAKE, "--install", BUILD, "--prefix", self.prefix], check=True,
                           stdout=subprocess.DEVNULL)
        finally:
            os.umask(umask)

    def tearDown(self):
        self.scratch.cleanup()

    def engram(self, *words, program=None, stdin=b"", expect=0):
        program = program or os.path.join(self.prefix, "bin", "engram")
        done = subprocess.run([program, *words], input=stdin, capture_output=True, env=self.env,
                              cwd=self.folder, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (expect, b""), (words, done.stdout[-500:]))
        return done.stdout

    def ask(self, *words, **how):
        return json.loads(self.engram(*words, "--json", **how))

    def all_within_the_prefix(self, **how):
        models = self.ask("status", **how)["models"]
        plugins = self.engram("plugins", "list", **how).decode()
        for folder in (models["embedding"]["folder"], models["nli"]["folder"]):
            self.assertTrue(os.path.realpath(folder).startswith(self.prefix + os.sep), folder)
        self.assertNotIn(os.path.realpath(BUILD), plugins)
        self.assertIn(self.prefix, plugins)

    def test_commit_and_query(self):
        self.ask("commit", "--agent", "alice", "--scope", "auth", "The auth service listens on "
                                                                  "port 8080.")
        second = self.ask("commit", "--agent", "bob", "--scope", "auth", "The auth service "
                                                                         "listens on port 9090.")
        self.assertEqual((second["detection"], len(second["conflicts"])), ("done", 1))
        found = self.ask("query", "where does the login server listen?")["results"]
        self.assertEqual(len(found), 2)
        self.assertIn("meaning", found[0]["why"])
        self.all_within_the_prefix()
        self.engram("models", "verify")
        moved = os.path.join(self.folder, "elsewhere")
        os.rename(self.prefix, moved)
        self.prefix = moved
        link = os.path.join(self.folder, "engram-link")
        os.symlink(os.path.join(moved, "bin", "engram"), link)
        self.assertEqual(len(self.ask("query", "auth port", program=link)["results"]), 2)
        self.engram("models", "verify")  # also what a link of one model to the other names
        self.all_within_the_prefix(program=link)

    def test_detector_against_the_installed_headers(self):
        library = os.path.join(self.folder, "rota.so")
        source = os.path.join(self.folder, "own_detector.c")
        subprocess.run(["cp", os.path.join(TOP, "tests/plugins/external/own_detector.c"), source],
                       check=True)
        subprocess.run([CC, "-std=c17", "-D_GNU_SOURCE", "-shared", "-fPIC", "-fvisibility=hidden",
                        "-Wall", "-Werror", "-I",
                        os.path.join(self.prefix, "include"), source, "-o", library], check=True,
                        cwd=self.folder)
        os.chmod(library, 0o755)
        self.assertIn(b"detector rota", self.engram("plugins", "check", library))
        os.makedirs(os.path.join(self.folder, "home", "config"))
        with open(os.path.join(self.folder, "home", "config", "engram.conf"), "w") as f:
            f.write(f"plugins = sqlite memory {library}\n")
        found = self.ask("check", "-", stdin=b"oncall: billing = Ada\n\noncall: billing = Grace\n",
                         expect=1)
        self.assertEqual([f["detection_tier"] for f in found["findings"]], ["plugin:rota"])

    def test_the_engine_alone(self):
        """libengram-infer by pkg-config, shared and static, and from Python: the examples that
        ship."""
        if os.environ.get("ENGRAM_SANITIZE"):
            print("skip: test_the_engine_alone: an instrumented library needs an instrumented "
                  "program")
            self.skipTest("instrumented")
        examples = os.path.join(TOP, "tools", "example", "infer")
        folders = [os.path.join(root) for root, _,
                   names in os.walk(self.prefix) if "engram-infer.pc" in names]
        self.assertEqual(len(folders), 1)
        library = os.path.dirname(folders[0])
        env = dict(os.environ, PKG_CONFIG_PATH=folders[0], LD_LIBRARY_PATH=library)
        model = os.path.join(self.prefix, "share", "engram", "models", "engram-embed-0")
        texts = ["the cache holds 5 items", "five items fit the cache", "rain in the north"]
        outputs = []
        for static in (False, True):
            program = os.path.join(self.folder, f"similar-{static}")
            flags = subprocess.run(["pkg-config", "--cflags", "--libs",
                                    *(["--static"] if static else []), "engram-infer"], check=True,
                                    env=env,
                                   capture_output=True, text=True).stdout.split()
            if static:
                flags = [os.path.join(library, "libengram-infer.a") if f == "-lengram-infer" else f
                         for f in flags]
            subprocess.run([CC, "-std=c17", "-Wall", "-Wextra", "-Werror",
                            os.path.join(examples, "similar.c"), *flags, "-o", program], check=True)
            outputs.append(subprocess.run([program, model, *texts], check=True, env=env,
                                          capture_output=True, text=True).stdout)
        # the example's own malloc fails: it says so and does not end as if all were well
        poor = os.path.join(self.folder, "poor.c")
        with open(poor, "w", encoding="utf-8") as f:
            f.write("#include <stddef.h>\nvoid *no_malloc(size_t n);\nvoid *no_malloc(size_t n) { "
                    "(void)n; return NULL; }\n")
        subprocess.run([CC, "-std=c17", "-include", "stdlib.h", "-Dmalloc=no_malloc",
                        os.path.join(examples, "similar.c"), poor, *flags, "-o", program],
                       check=True)
        done = subprocess.run([program, model, *texts], env=env, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", "similar: no memory "
                                                                              "for 3 vectors\n"))
        outputs.append(subprocess.run([sys.executable, os.path.join(examples, "similar.py"),
                                       os.path.join(library, "libengram-infer.so"), model,
                                       *texts], check=True, env=env, capture_output=True,
                                       text=True).stdout)
        self.assertEqual(outputs[0], outputs[1])
        self.assertEqual(outputs[0], outputs[2])
        cosines = [float(line.split()[0]) for line in outputs[0].splitlines()]
        self.assertEqual(cosines[0], 1.0)
        self.assertGreater(cosines[1], cosines[2] + 0.2)
        exported = subprocess.run(["nm", "-D", "--defined-only",
                                   os.path.join(library, "libengram-infer.so")], check=True,
                                   capture_output=True, text=True)
        names = {line.split()[-1].split("@")[0] for line in exported.stdout.splitlines()}
        with open(os.path.join(self.prefix, "include", "engram", "infer.h"), encoding="utf-8") as f:
            declared = {word for word in f.read().replace("(", " ").replace("*", " ").split()
                        if word.startswith("eg_")}
        self.assertTrue(names and names <= declared, names - declared)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
