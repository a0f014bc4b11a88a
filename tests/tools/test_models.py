#!/usr/bin/env python3
"""`engram models` as people use it: list, verify, use.
usage: test_models.py ENGRAM TOP"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ENGRAM, TOP = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
GOLDEN = os.path.join(TOP, "tests", "models", "golden")
SHIPPED = os.path.join(TOP, "models", "weights")


def content(path):
    with open(path, "rb") as f:
        return f.read()


class Models(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.home = os.path.join(self.folder.name, "home")
        self.models = os.path.join(self.home, "data", "models")
        self.conf = os.path.join(self.home, "config", "engram.conf")
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("ENGRAM_", "HF_"))}
        self.env.update(ENGRAM_HOME=self.home, ENGRAM_WORKSPACE="test", HOME=os.path.join(self.folder.name, "nobody"))

    def tearDown(self):
        self.folder.cleanup()

    def run_engram(self, *words, expect=0, env=None, stdin=b""):
        done = subprocess.run([ENGRAM, *words], input=stdin, capture_output=True, env=env or self.env, timeout=120, cwd=self.folder.name)
        self.assertEqual(done.returncode, expect, (words, done.stdout[-700:], done.stderr[-700:]))
        return done

    def ask(self, *words, expect=0):
        return json.loads(self.run_engram(*words, "--json", expect=expect).stdout)

    def listed(self):
        return {m["name"]: m for m in self.ask("models", "list")["models"]}

    def install(self, golden, name=None):
        """A model put there by hand."""
        to = os.path.join(self.models, name or golden)
        shutil.copytree(os.path.join(GOLDEN, golden), to)
        return to

    # ---- list ----

    def test_list(self):
        self.install("mean-f32")
        models = self.listed()
        self.assertEqual((models["engram-nli-0"]["in_use"], models["engram-nli-0"]["ships"], models["engram-nli-0"]["licence"]), (["nli"], True, "Apache-2.0"))
        self.assertEqual(models["engram-embed-0"]["in_use"], ["embed"])
        self.assertEqual((models["mean-f32"]["task"], models["mean-f32"]["installed"], models["mean-f32"]["in_use"]), ("embed", True, []))
        known = models["nli-deberta-v3-xsmall"]
        self.assertEqual((known["installed"], known["task"], known["source"]), (False, "nli", "cross-encoder/nli-deberta-v3-xsmall"))
        text = self.run_engram("models").stdout
        self.assertIn(b"in use for contradictions", text)
        self.assertIn(b"`engram models pull all-MiniLM-L6-v2`", text)
        self.run_engram("models", "lst", expect=2)
        self.run_engram("models", "list", "x", expect=2)

    def test_list_shows_what_is_broken(self):
        to = self.install("mean-f32")
        with open(os.path.join(to, "config.json"), "w") as f:
            f.write('{"model_type": "gpt2"}')
        self.assertIn("gpt2", self.listed()["mean-f32"]["problem"])
        self.assertIn(b"gpt2", self.run_engram("models", "list").stdout)

    # ---- verify ----

    def test_models_that_ship_are_as_recorded(self):
        done = self.ask("models", "verify")
        self.assertEqual([(m["name"], m["ok"], m["recorded"]) for m in done["models"]],
                         [("engram-embed-0", True, True), ("engram-nli-0", True, True)])
        for name in os.listdir(SHIPPED):
            folder = os.path.join(SHIPPED, name)
            if not os.path.isdir(folder):
                continue
            # every file has its line; how to write them anew is in models/weights/README.md
            files = {os.path.relpath(os.path.join(d, f), folder) for d, _, fs in os.walk(folder) for f in fs}
            lines = content(os.path.join(folder, "SHA256SUMS")).decode().splitlines()
            self.assertEqual(files - {"SHA256SUMS"}, {line.split("  ", 1)[1] for line in lines if not line.startswith("#")})

    def test_verify_finds_every_damage(self):
        shutil.copytree(os.path.join(SHIPPED, "engram-embed-0"), os.path.join(self.models, "mine"))
        to = os.path.join(self.models, "mine")
        self.assertIn(b"OK       mine: 8 files as recorded", self.run_engram("models", "verify", "mine").stdout)
        self.run_engram("models", "verify", to)
        with open(os.path.join(to, "model.safetensors"), "r+b") as f: # one bit that the model opens with all the same
            f.seek(1000003)
            byte = f.read(1)
            f.seek(1000003)
            f.write(bytes([byte[0] ^ 1]))
        done = self.ask("models", "verify", "mine", expect=1)["models"][0]
        self.assertFalse(done["ok"])
        self.assertIn("model.safetensors' is not what was installed", done["problems"][0])
        self.assertIn(b"WRONG    mine", self.run_engram("models", "verify", "mine", expect=1).stdout)
        shutil.copy(os.path.join(SHIPPED, "engram-embed-0", "model.safetensors"), to)
        self.run_engram("models", "verify", "mine")
        with open(os.path.join(to, "added_tokens.json"), "w") as f:
            f.write("{}")
        self.assertIn(b"added_tokens.json' was added", self.run_engram("models", "verify", "mine", expect=1).stdout)
        os.remove(os.path.join(to, "added_tokens.json"))
        os.remove(os.path.join(to, "config.json"))
        self.assertIn(b"config.json", self.run_engram("models", "verify", "mine", expect=1).stdout)
        self.run_engram("models", "verify", "nowhere", expect=2)
        self.run_engram("models", "verify", "./nowhere", expect=2)

    def test_verify_without_checksums(self):
        to = self.install("mean-f32")
        self.assertIn(b"nothing is recorded", self.run_engram("models", "verify", "mean-f32").stdout)
        os.truncate(os.path.join(to, "model.safetensors"), 100)
        self.run_engram("models", "verify", "mean-f32", expect=2)
        with open(os.path.join(to, "SHA256SUMS"), "w") as f:
            f.write("nonsense\n")
        self.assertIn(b"line 1", self.run_engram("models", "verify", "mean-f32", expect=1).stdout)

    # ---- use ----

    def test_use_writes_only_the_setting(self):
        os.makedirs(os.path.dirname(self.conf))
        with open(self.conf, "w") as f:
            f.write("; mine\nlog = error\n\n[model]\nnli = engram-nli-0 ; ours\n\n[detection]\nwait_ms = 5\n")
        self.install("three-s8")
        self.install("mean-f32")
        done = self.ask("models", "use", "three-s8")
        self.assertEqual((done["setting"], done["value"], done["file"]), ("model.nli", "three-s8", self.conf))
        self.ask("models", "use", "mean-f32", "--as", "embed")
        self.assertEqual(content(self.conf).decode(),
                         "; mine\nlog = error\n\n[model]\nnli = three-s8 ; ours\nembed = mean-f32\n\n[detection]\nwait_ms = 5\n")
        models = self.listed()
        self.assertEqual((models["three-s8"]["in_use"], models["mean-f32"]["in_use"], models["engram-nli-0"]["in_use"]), (["nli"], ["embed"], []))
        self.assertEqual(self.ask("status")["status"], "ready")

    def test_use_of_a_folder(self):
        shutil.copytree(os.path.join(GOLDEN, "mean-f32"), os.path.join(self.folder.name, "own model"))
        done = self.ask("models", "use", "./own model")
        self.assertEqual(done["value"], os.path.join(os.path.realpath(self.folder.name), "own model"))
        self.assertEqual(self.listed()[done["value"]]["in_use"], ["embed"])
        long = os.path.join(self.folder.name, "x" * 220)
        shutil.copytree(os.path.join(GOLDEN, "mean-f32"), long)
        before = content(self.conf)
        self.run_engram("models", "use", long, expect=2) # a line of the file that is too long to be read again
        self.assertEqual(content(self.conf), before)

    def test_use_refuses_what_does_not_fit(self):
        for name in ("mean-f32", "one-f32", "two-f16", "tokens-f32", "three-s8", "roberta-f32"):
            self.install(name)
        os.remove(os.path.join(self.install("mean-bf16"), "model.safetensors"))
        for words, reason in ((("mean-f32", "--as", "nli"), b"gives embeddings"), (("three-s8", "--as", "embed"), b"classifies texts"),
                              (("one-f32",), b"rank"), (("two-f16", "--as", "nli"), b"2 labels"), (("tokens-f32",), b"tokens"),
                              (("roberta-f32", "--as", "nli"), b"contradiction"), (("mean-bf16",), b"model.safetensors"),
                              (("nowhere",), b"no model"), (("gte-small",), b"models pull gte-small"), (("mean-f32", "--as", "x"), b"--as"),
                              (("./nowhere",), b"no folder")):
            self.assertIn(reason, self.run_engram("models", "use", *words, expect=2).stderr, words)
        self.assertFalse(os.path.exists(self.conf))
        self.run_engram("models", "use", expect=2)

    def test_use_says_what_goes_before_it(self):
        self.install("mean-f32")
        done = self.run_engram("models", "use", "mean-f32", env=dict(self.env, ENGRAM_MODEL_EMBED="engram-embed-0"))
        self.assertIn(b"ENGRAM_MODEL_EMBED sets model.embed too", done.stderr)
        self.assertNotIn(b"note", self.run_engram("models", "use", "mean-f32").stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
