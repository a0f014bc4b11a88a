#!/usr/bin/env python3
"""`engram models` as people use it: list, verify, use, and pull from a hub of this machine.
usage: test_models.py ENGRAM TOP"""
import hashlib
import json
import os
import resource
import shutil
import signal
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import time
import unittest

from fake_hub import Hub

ENGRAM, TOP = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
GOLDEN = os.path.join(TOP, "tests", "models", "golden")
SHIPPED = os.path.join(TOP, "models", "weights")
WORDS = "model-00001-of-00002.safetensors"
WEIGHTS = "model-00002-of-00002.safetensors"


def content(path):
    with open(path, "rb") as f:
        return f.read()


class Engram(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.home = os.path.join(self.folder.name, "home")
        self.models = os.path.join(self.home, "data", "models")
        self.conf = os.path.join(self.home, "config", "engram.conf")
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("ENGRAM_", "HF_"))}
        self.env.update(ENGRAM_HOME=self.home, ENGRAM_WORKSPACE="test",
                        HOME=os.path.join(self.folder.name, "nobody"))

    def tearDown(self):
        self.folder.cleanup()

    def run_engram(self, *words, expect=0, env=None, stdin=b""):
        done = subprocess.run([ENGRAM, *words], input=stdin, capture_output=True,
                              env=env or self.env, timeout=300, cwd=self.folder.name)
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


class Models(Engram):
    # ---- list ----

    def test_list(self):
        self.install("mean-f32")
        models = self.listed()
        self.assertEqual((models["engram-nli-exact-0"]["in_use"],
                          models["engram-nli-exact-0"]["ships"],
                          models["engram-nli-exact-0"]["licence"]), (["nli"], True, "Apache-2.0"))
        self.assertEqual(models["engram-embed-0"]["in_use"], ["embed"])
        self.assertEqual((models["mean-f32"]["task"], models["mean-f32"]["installed"],
                          models["mean-f32"]["in_use"]), ("embed", True, []))
        known = models["nli-deberta-v3-xsmall"]
        self.assertEqual((known["installed"], known["task"], known["source"]),
                         (False, "nli", "cross-encoder/nli-deberta-v3-xsmall"))
        text = self.run_engram("models").stdout
        self.assertIn(b"used for contradictions", text)
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
                         [("engram-embed-0", True, True), ("engram-nli-0", True, True),
                          ("engram-nli-exact-0", True, True)])
        for name in os.listdir(SHIPPED):
            folder = os.path.join(SHIPPED, name)
            if not os.path.isdir(folder):
                continue
            # every file has its line; how to write them anew is in models/weights/README.md
            files = {os.path.relpath(os.path.join(d, f), folder)
                     for d, _, fs in os.walk(folder) for f in fs}
            lines = content(os.path.join(folder, "SHA256SUMS")).decode().splitlines()
            self.assertEqual(files - {"SHA256SUMS"},
                             {line.split("  ", 1)[1] for line in lines if not line.startswith("#")})

    def test_verify_finds_every_damage(self):
        shutil.copytree(os.path.join(SHIPPED, "engram-embed-0"), os.path.join(self.models, "mine"))
        to = os.path.join(self.models, "mine")
        self.assertIn(b"OK       mine: 10 files match their checksums",
                      self.run_engram("models", "verify", "mine").stdout)
        self.run_engram("models", "verify", to)
        # one bit that the model opens with all the same
        with open(os.path.join(to, WEIGHTS), "r+b") as f:
            f.seek(1000003)
            byte = f.read(1)
            f.seek(1000003)
            f.write(bytes([byte[0] ^ 1]))
        done = self.ask("models", "verify", "mine", expect=1)["models"][0]
        self.assertFalse(done["ok"])
        self.assertIn(WEIGHTS + "' is not what was installed", done["problems"][0])
        self.assertIn(b"WRONG    mine", self.run_engram("models", "verify", "mine",
                                                        expect=1).stdout)
        shutil.copy(os.path.join(SHIPPED, "engram-embed-0", WEIGHTS), to)
        self.run_engram("models", "verify", "mine")
        with open(os.path.join(to, "added_tokens.json"), "w") as f:
            f.write("{}")
        self.assertIn(b"added_tokens.json' has no recorded checksum",
                      self.run_engram("models", "verify", "mine", expect=1).stdout)
        os.remove(os.path.join(to, "added_tokens.json"))
        os.remove(os.path.join(to, "config.json"))
        self.assertIn(b"config.json", self.run_engram("models", "verify", "mine", expect=1).stdout)
        self.run_engram("models", "verify", "nowhere", expect=2)
        self.run_engram("models", "verify", "./nowhere", expect=2)

    def test_a_copy_without_what_its_links_name(self):
        to = os.path.join(self.models, "lone")
        shutil.copytree(os.path.join(SHIPPED, "engram-nli-0"), to, symlinks=True)
        links = sorted(name for name in os.listdir(to) if os.path.islink(os.path.join(to, name)))
        self.assertEqual(links, [WORDS, "vocab.txt"], "what is shared with engram-embed-0")
        for name in reversed(links):  # in the order in which they are read
            said = self.run_engram("nli", "--model", to,
                                   stdin=b'{"premise":"a","hypothesis":"b"}\n', expect=2).stderr
            for what in (name, "a link to", "cp -rL"):
                self.assertIn(what.encode(), said)
            self.assertIn(name.encode(), self.run_engram("models", "verify", "lone",
                                                         expect=1).stdout)
            os.remove(os.path.join(to, name))
            shutil.copy(os.path.join(SHIPPED, "engram-nli-0", name), to)
        self.run_engram("models", "verify", "lone")
        with open(os.path.join(to, WORDS), "r+b") as f:
            f.seek(-1, os.SEEK_END)
            f.write(b"\0")
        self.assertIn(b"is not what was installed",
                      self.run_engram("models", "verify", "lone", expect=1).stdout)

    def test_verify_without_checksums(self):
        to = self.install("mean-f32")
        self.assertIn(b"has no recorded checksums",
                      self.run_engram("models", "verify", "mean-f32").stdout)
        os.truncate(os.path.join(to, "model.safetensors"), 100)
        self.run_engram("models", "verify", "mean-f32", expect=2)
        with open(os.path.join(to, "SHA256SUMS"), "w") as f:
            f.write("nonsense\n")
        self.assertIn(b"line 1", self.run_engram("models", "verify", "mean-f32", expect=1).stdout)

    # ---- use ----

    def test_use_writes_only_the_setting(self):
        os.makedirs(os.path.dirname(self.conf))
        with open(self.conf, "w") as f:
            f.write("; mine\nlog = error\n\n[model]\nnli = engram-nli-0 ; ours\n\n"
                    "[detection]\nwait_ms = 5\n")
        self.install("three-s8")
        self.install("mean-f32")
        done = self.ask("models", "use", "three-s8")
        self.assertEqual((done["setting"], done["value"], done["file"]),
                         ("model.nli", "three-s8", self.conf))
        self.ask("models", "use", "mean-f32", "--as", "embed")
        self.assertEqual(content(self.conf).decode(),
                         "; mine\nlog = error\n\n[model]\nnli = three-s8 ; ours\n"
                         "embed = mean-f32\n\n[detection]\nwait_ms = 5\n")
        models = self.listed()
        self.assertEqual((models["three-s8"]["in_use"], models["mean-f32"]["in_use"],
                          models["engram-nli-0"]["in_use"]), (["nli"], ["embed"], []))
        self.assertEqual(self.ask("status")["status"], "ready")

    def test_use_of_a_folder(self):
        shutil.copytree(os.path.join(GOLDEN, "mean-f32"),
                        os.path.join(self.folder.name, "own model"))
        done = self.ask("models", "use", "./own model")
        self.assertEqual(done["value"], os.path.join(os.path.realpath(self.folder.name),
                                                     "own model"))
        self.assertEqual(self.listed()[done["value"]]["in_use"], ["embed"])
        odd = os.path.join(self.folder.name, "a ;b")
        shutil.copytree(os.path.join(GOLDEN, "mean-f32"), odd)
        before = content(self.conf)
        self.assertIn(b"cannot be written", self.run_engram("models", "use", odd, expect=2).stderr)
        self.assertEqual(content(self.conf), before)

    def test_use_refuses_what_does_not_fit(self):
        for name in ("mean-f32", "one-f32", "two-f16", "tokens-f32", "three-s8", "roberta-f32"):
            self.install(name)
        os.remove(os.path.join(self.install("mean-bf16"), "model.safetensors"))
        for words, reason in ((("mean-f32", "--as", "nli"), b"gives embeddings"),
                              (("three-s8", "--as", "embed"), b"classifies texts"),
                              (("one-f32",), b"rank"), (("two-f16", "--as", "nli"), b"2 labels"),
                              (("tokens-f32",), b"tokens"),
                              (("roberta-f32", "--as", "nli"), b"contradiction"),
                              (("mean-bf16",), b"model.safetensors"),
                              (("nowhere",), b"no model"),
                              (("gte-small",), b"models pull gte-small"),
                              (("mean-f32", "--as", "x"), b"--as"),
                              (("./nowhere",), b"no folder")):
            self.assertIn(reason, self.run_engram("models", "use", *words, expect=2).stderr, words)
        self.assertFalse(os.path.exists(self.conf))
        self.run_engram("models", "use", expect=2)

    def test_use_says_what_goes_before_it(self):
        self.install("mean-f32")
        done = self.run_engram("models", "use", "mean-f32",
                               env=dict(self.env, ENGRAM_MODEL_EMBED="engram-embed-0"))
        self.assertIn(b"ENGRAM_MODEL_EMBED sets model.embed as well", done.stderr)
        self.assertNotIn(b"note", self.run_engram("models", "use", "mean-f32").stderr)


class OtherEmbeddings(Engram):
    """A store whose embedding model is changed while it is used."""
    FACTS = 20  # more than one job does

    def setUp(self):
        super().setUp()
        # the model that ships with another pooling: near in quality, other vectors
        other = os.path.join(self.models, "other")
        shutil.copytree(os.path.join(SHIPPED, "engram-embed-0"), other)
        pooling = {"word_embedding_dimension": 384, "pooling_mode_cls_token": True,
                   "pooling_mode_mean_tokens": False}
        with open(os.path.join(other, "1_Pooling", "config.json"), "w") as f:
            json.dump(pooling, f)

        def message(method, **rest):
            return json.dumps({"jsonrpc": "2.0", "method": method, **rest}) + "\n"
        facts = [f"Worker {i} of the pool compacts its segments after {5 + i} minutes without a "
                 "write." for i in range(1, self.FACTS + 1)]
        talk = [message("initialize", id=0, params={
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"}}), message("notifications/initialized")]
        for i, fact in enumerate(facts, 1):
            talk.append(message("tools/call", id=i, params={"name": "engram_commit", "arguments": {
                "content": fact, "scope": "pool", "wait_ms": 0}}))
        done = self.run_engram("mcp", stdin="".join(talk).encode())
        self.assertEqual(len(done.stdout.splitlines()), self.FACTS + 1)

    def waiting(self):
        status = self.ask("status")
        self.assertEqual(status["jobs_dead"], 0)
        return status["models"]["embedding"].get("facts_waiting", 0)

    def by_meaning(self):
        found = self.ask("query", "compacts segments", "--limit", "3")["results"]
        self.assertEqual(len(found), 3)
        return sum("meaning" in f["why"] for f in found)

    def test_in_the_background(self):
        self.assertEqual(self.waiting(), 0)
        self.assertEqual(self.by_meaning(), 3)
        self.assertEqual(self.ask("models", "use", "other")["facts_waiting"], self.FACTS)
        self.assertEqual(self.waiting(), self.FACTS)
        self.assertRegex(self.run_engram("status").stdout,
                         rb"\n  embedding +/\S+; facts_waiting %d\n" % self.FACTS)
        self.ask("conflicts")
        self.assertEqual(self.waiting(), self.FACTS)  # a command that needs no model loads none
        # words find; the old vectors are not compared with the new model's
        self.assertEqual(self.by_meaning(), 0)
        server = subprocess.Popen([ENGRAM, "mcp"], env=self.env, stdin=subprocess.PIPE,
                                  stdout=subprocess.DEVNULL, cwd=self.folder.name)
        try:
            # on a busy machine a job may outlive its lease of a minute, and is taken up again
            until = time.monotonic() + 400
            while self.waiting() and time.monotonic() < until:
                time.sleep(0.1)
        finally:
            server.stdin.close()
            self.assertEqual(server.wait(30), 0)
        self.assertEqual(self.waiting(), 0)
        self.assertEqual(self.by_meaning(), 3)
        # back: the old vectors are there still; only what was committed meanwhile waits
        self.run_engram("commit", "--scope", "pool",
                        "The janitor thread deletes tombstones each Sunday.")
        self.assertEqual(self.ask("models", "use", "engram-embed-0")["facts_waiting"], 1)

    def test_by_commands_alone(self):
        text = self.run_engram("models", "use", "other").stdout
        self.assertIn(b"%d facts of this workspace need embeddings" % self.FACTS, text)
        before = self.FACTS
        for _ in range(60):
            self.run_engram("query", "segments")
            now = self.waiting()
            self.assertLess(now, before)
            before = now
            if not now:
                break
        self.assertEqual(before, 0)
        self.assertEqual(self.by_meaning(), 3)

    def test_at_once(self):
        self.assertEqual(self.ask("models", "use", "other", "--now")["facts_waiting"], 0)
        self.assertEqual(self.waiting(), 0)
        self.assertEqual(self.by_meaning(), 3)

    def test_two_processes_at_once(self):
        self.run_engram("models", "use", "other")
        many = [subprocess.Popen([ENGRAM, "models", "use", "other", "--now"], env=self.env,
                                 stdout=subprocess.DEVNULL) for _ in range(3)]
        self.assertEqual([p.wait(60) for p in many], [0, 0, 0])
        with sqlite3.connect(os.path.join(self.home, "data", "engram.db")) as db:
            doubled = db.execute("SELECT count(*) FROM (SELECT 1 FROM vectors GROUP BY "
                                 "fact, statement, model HAVING count(*) > 1)").fetchone()[0]
            each = db.execute("SELECT model, count(*) FROM vectors GROUP BY model").fetchall()
        db.close()
        self.assertEqual(doubled, 0)
        self.assertEqual({n for _, n in each}, {self.FACTS})
        self.assertEqual(len(each), 2)


TOKEN = "hf_secretsecretsecret"


class Pull(Engram):
    def setUp(self):
        super().setUp()
        self.hub = Hub()
        self.env.update(HF_ENDPOINT=self.hub.url + "/", NO_PROXY="*", no_proxy="*")
        self.hub.add("org/mean", os.path.join(GOLDEN, "mean-f32"),
                     {"README.md": b"x", "pytorch_model.bin": b"x", "onnx/model.onnx": b"x"})

    def tearDown(self):
        self.hub.close()
        super().tearDown()

    def pull(self, *words, expect=0, env=None):
        done = self.run_engram("models", "pull", *words, expect=expect, env=env)
        self.assertNotIn(TOKEN.encode(), done.stdout + done.stderr)
        return done

    def start(self, *words):
        return subprocess.Popen([ENGRAM, "models", "pull", *words], env=self.env,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def fails(self, reason, *words, kept=False, env=None):
        """The pull fails with this reason, and nothing is visible; nothing at all is left, unless
        it may go on."""
        done = self.pull(*(words or ("org/mean",)), expect=2, env=env)
        self.assertEqual(done.stderr.count(b"engram:"), 1, done.stderr)
        self.assertIn(reason.encode(), done.stderr)
        self.assertEqual([m for m in self.listed().values() if m["installed"] and not m["ships"]],
                         [])
        left = os.listdir(self.models) if os.path.isdir(self.models) else []
        self.assertEqual([n for n in left if not (kept and n.startswith("."))], [])

    def assert_whole(self, name="mean", golden="mean-f32"):
        folder = os.path.join(self.models, name)
        self.assertEqual([n for n in os.listdir(self.models) if n.startswith(".")], [])
        for at, folders, names in os.walk(folder):
            for file in names:
                if file != "SHA256SUMS":
                    path = os.path.join(at, file)
                    self.assertEqual(content(path), content(
                        os.path.join(GOLDEN, golden, os.path.relpath(path, folder))))
                self.assertFalse(file.startswith(".") or file.endswith((".part", ".etag")), file)
        self.run_engram("models", "verify", name)
        return folder

    # ---- what goes well ----

    def test_pull_verify_use(self):
        done = self.ask("models", "pull", "org/mean")
        self.assertEqual((done["name"], done["source"], done["already"], done["unchecked"]),
                         ("mean", "org/mean@" + "c" * 40, False, ""))
        folder = self.assert_whole()
        self.assertEqual(set(os.listdir(folder)),
                         {"config.json", "vocab.txt", "model.safetensors", "SHA256SUMS"})
        asked = {path.rsplit("/", 1)[1] for _, path, _ in self.hub.requests}
        self.assertFalse(asked & {"README.md", "pytorch_model.bin", "model.onnx"})
        # its own, and that of 1_Pooling, which is not there
        self.assertEqual(len(self.hub.asked("hub", "config.json")), 2)
        self.assertEqual(len([r for r in self.hub.asked("hub", "vocab.txt") if "/resolve/"
                              + "c" * 40 + "/" in r[1]]), 1)
        self.assertEqual(self.listed()["mean"]["source"], "org/mean@" + "c" * 40)
        self.run_engram("models", "use", "mean")
        self.hub.close()
        self.assertTrue(self.ask("models", "pull", "org/mean")["already"])  # without any network

    def test_all_files_of_a_sentence_model(self):
        shipped = os.path.join(SHIPPED, "engram-embed-0")
        self.hub.add("org/embed", shipped)
        self.pull("org/embed", "--name", "mine")
        self.assertEqual(content(os.path.join(self.models, "mine", "1_Pooling", "config.json")),
                         content(os.path.join(shipped, "1_Pooling", "config.json")))
        self.run_engram("models", "verify", "mine")
        self.run_engram("models", "use", "mine")
        self.assertEqual(self.run_engram("embed", "--model", "mine", stdin=b'{"text": "a"}').stdout,
                         self.run_engram("embed", stdin=b'{"text": "a"}').stdout)

    def test_weights_in_several_files(self):
        self.hub.add("org/shards", os.path.join(GOLDEN, "sharded-f16"))
        self.pull("org/shards")
        folder = self.assert_whole("shards", "sharded-f16")
        self.assertEqual(len([n for n in os.listdir(folder) if n.endswith(".safetensors")]), 3)

    def test_progress_on_a_terminal(self):
        try:
            master, slave = os.openpty()
        except OSError as e:
            print(f"skip: test_progress_on_a_terminal: no pseudo-terminals here: {e}")
            self.skipTest("no pseudo-terminals")
        done = subprocess.run([ENGRAM, "models", "pull", "org/mean"], env=self.env,
                              stdout=subprocess.PIPE, stderr=slave, timeout=60)
        os.close(slave)
        shown = os.read(master, 100000)
        os.close(master)
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"model.safetensors", shown)
        self.assertIn(b"100 %", shown)
        self.assertNotIn(b"%", done.stdout)

    def test_revisions(self):
        self.pull("org/mean@v1")
        self.assertIn(b"already installed", self.pull("org/mean@v1").stdout)
        self.pull("org/mean@" + "c" * 40)
        self.hub.repos["org/mean"]["commit"] = "d" * 40
        done = self.pull("org/mean@a/b", expect=2)
        self.assertIn(b"--name", done.stderr)
        self.assert_whole()
        self.pull("org/mean@a/b", "--name", "newer")
        self.assertEqual(self.listed()["newer"]["source"], "org/mean@" + "d" * 40)
        self.hub.add("other/mean", os.path.join(GOLDEN, "mean-bf16"))
        self.assertIn(b"holds org/mean@", self.pull("other/mean", expect=2).stderr)
        os.makedirs(os.path.join(self.models, "hand"))
        self.assertIn(b"not made by a pull",
                      self.pull("org/mean", "--name", "hand", expect=2).stderr)
        for wrong in ("nonsense", "a/b/c", "../x", "org/..", "org/mean@", "org/mean@../x",
                      "org/mean@a//b", "https://x/y", "org/me an", "/etc/passwd", "org/",
                      "org/mean@x y"):
            self.pull(wrong, expect=2)
        for name in ("../x", ".x", "a/b", ""):
            self.pull("org/mean", "--name", name, expect=2)

    def test_a_known_name(self):
        self.hub.add("thenlper/gte-small", os.path.join(GOLDEN, "mean-f32"))
        self.pull("gte-small")
        self.assertEqual(self.listed()["gte-small"]["licence"], "MIT")
        self.assert_whole("gte-small")
        # with its weights known by checksum, whatever a hub says
        self.hub.add("BAAI/bge-small-en-v1.5", os.path.join(GOLDEN, "mean-f32"),
                     commit="5c38ec7c405ec4b44b94cc5a9bb96e735b38267a")
        done = self.pull("bge-small-en-v1.5", expect=2)
        self.assertIn(b"not the published file", done.stderr)
        self.hub.repos["BAAI/bge-small-en-v1.5"]["commit"] = "e" * 40
        self.assertIn(b"no revision", self.pull("bge-small-en-v1.5", expect=2).stderr)
        self.pull("bge-small-en-v1.5@main")  # asked for by a person
        self.assertEqual(sorted(os.listdir(self.models)), ["bge-small-en-v1.5", "gte-small"])

    def test_the_token_goes_to_the_hub_only(self):
        self.env["HF_TOKEN"] = TOKEN
        self.pull("org/mean", "--verbose")
        self.assertTrue(self.hub.asked("cdn", "model.safetensors"))
        for server, _, headers in self.hub.requests:
            self.assertEqual(headers.get("Authorization"),
                             "Bearer " + TOKEN if server == "hub" else None)
        for at, _, names in os.walk(self.folder.name):
            for name in names:
                self.assertNotIn(TOKEN.encode(), content(os.path.join(at, name)))
        self.fails_quietly(dict(self.env, HF_TOKEN="a b"), b"HF_TOKEN is no token")
        self.fails_quietly(dict(self.env, HF_TOKEN="x\r\nEvil: 1"), b"HF_TOKEN is no token")

    def fails_quietly(self, env, reason):
        done = self.run_engram("models", "pull", "org/mean", "--name", "x", expect=2, env=env)
        self.assertIn(reason, done.stderr)

    def test_ten_at_once_are_one(self):
        self.hub.cut["model.safetensors"] = [30000]  # so that they meet
        many = [self.start("org/mean") for _ in range(10)]
        for p in many:
            out, err = p.communicate(timeout=300)
            self.assertEqual(p.returncode, 0, err)
        # one download, in two parts
        self.assertEqual(len(self.hub.asked("cdn", "model.safetensors")), 2)
        self.assert_whole()

    # ---- what breaks off ----

    def test_a_cut_connection_goes_on(self):
        self.hub.cut["model.safetensors"] = [10000, 20000, 0]
        self.pull("org/mean")
        ranges = [h.get("Range") for _, _, h in self.hub.asked("cdn", "model.safetensors")]
        self.assertEqual(ranges, [None, "bytes=10000-", "bytes=30000-", "bytes=30000-"])
        self.assertTrue(self.hub.asked("cdn",
                                       "model.safetensors")[1][2]["If-Range"].startswith('"cdn-'))
        self.assert_whole()

    def interrupted(self, signal_number, bytes_before=20000):
        """A pull that ends by a signal in the middle of the weights."""
        self.hub.hang["model.safetensors"] = bytes_before
        p = self.start("org/mean")
        part = os.path.join(self.models, ".mean.part", "model.safetensors.part")
        for _ in range(1000):
            if os.path.exists(part) and os.path.getsize(part) == bytes_before:
                break
            time.sleep(0.02)
        else:
            p.kill()
            self.fail(("the pull did not come to the middle of the weights", p.communicate()))
        p.send_signal(signal_number)
        out, err = p.communicate(timeout=30)
        del self.hub.hang["model.safetensors"]
        self.assertNotIn("mean", self.listed())
        return p.returncode, err

    def test_an_interrupted_pull_goes_on(self):
        status, err = self.interrupted(signal.SIGINT)
        self.assertEqual((status, err), (130, b"engram: interrupted: stopped\n"))
        before = len(self.hub.requests)
        self.pull("org/mean")
        asked = [(s, p.rsplit("/", 1)[1], h.get("Range")) for s, p, h in self.hub.requests[before:]]
        self.assertIn(("cdn", "model.safetensors", "bytes=20000-"), asked)
        self.assertNotIn("vocab.txt", [a[1] for a in asked])  # it was there
        self.assert_whole()

    def test_a_killed_pull_goes_on(self):
        self.interrupted(signal.SIGKILL)
        done = self.ask("models", "pull", "org/mean")
        self.assertLess(done["downloaded_bytes"],
                        os.path.getsize(os.path.join(GOLDEN, "mean-f32", "model.safetensors")))
        self.assert_whole()

    def test_a_refusal_keeps_what_is_there(self):
        self.interrupted(signal.SIGKILL)
        for status, code, reason in ((401, None, "set HF_TOKEN"), (403, "GatedRepo", "is gated"),
                                     (404, None, "config.json"),
                                     (401, "RepoNotFound", "no model org/mean")):
            self.hub.refuse["org/mean"] = (status, code)
            self.fails(reason, kept=True)
        self.hub.refuse.clear()
        before = len(self.hub.requests)
        self.pull("org/mean")
        asked = [(s, p.rsplit("/", 1)[1], h.get("Range")) for s, p, h in self.hub.requests[before:]]
        self.assertIn(("cdn", "model.safetensors", "bytes=20000-"), asked)
        self.assertNotIn("vocab.txt", [a[1] for a in asked])
        self.assert_whole()

    def test_what_the_engine_cannot_run_is_not_kept(self):
        self.interrupted(signal.SIGKILL)
        config = json.loads(content(os.path.join(GOLDEN, "mean-f32", "config.json")))
        config["model_type"] = "gpt2"
        self.hub.repos["org/mean"]["files"]["config.json"] = json.dumps(config).encode()
        self.fails("model_type is 'gpt2'")

    def test_another_content_is_not_mixed(self):
        self.interrupted(signal.SIGKILL)
        with open(os.path.join(self.models, ".mean.part", "model.safetensors.etag"), "w") as f:
            f.write('"of-another-content"')  # as if the file had been replaced on the server
        done = self.ask("models", "pull", "org/mean")
        self.assertEqual(self.hub.asked("cdn", "model.safetensors")[-1][2].get("If-Range"),
                         '"of-another-content"')
        # all of it
        self.assertGreaterEqual(done["downloaded_bytes"],
                                os.path.getsize(os.path.join(GOLDEN, "mean-f32",
                                                             "model.safetensors")))
        self.assert_whole()

    def test_another_commit_is_not_mixed(self):
        self.interrupted(signal.SIGKILL)
        self.hub.add("org/mean", os.path.join(GOLDEN, "mean-bf16"), commit="d" * 40)
        self.pull("org/mean")
        self.assertEqual(self.listed()["mean"]["source"], "org/mean@" + "d" * 40)
        self.assert_whole("mean", "mean-bf16")

    def test_a_damaged_part_is_fetched_anew(self):
        self.interrupted(signal.SIGKILL)
        with open(os.path.join(self.models, ".mean.part", "model.safetensors.part"), "r+b") as f:
            f.write(b"damage")
        self.pull("org/mean")
        self.assert_whole()
        self.interrupted_longer()

    def interrupted_longer(self):
        """A part that is longer than the file."""
        shutil.rmtree(os.path.join(self.models, "mean"))
        self.interrupted(signal.SIGKILL)
        with open(os.path.join(self.models, ".mean.part", "model.safetensors.part"), "ab") as f:
            f.write(b"x" * 100000)
        self.pull("org/mean")
        self.assert_whole()

    def test_a_hub_that_is_tired(self):
        self.hub.status = {"config.json": [503], "vocab.txt": [429, 500]}
        self.pull("org/mean")
        self.assert_whole()
        self.hub.status["config.json"] = [503] * 100
        self.hub.add("org/two", os.path.join(GOLDEN, "mean-bf16"))
        self.assertIn(b"status 503", self.pull("org/two", expect=2).stderr)

        # ends too early each time: the hub said how long it is
        self.hub.close_early["model.safetensors"] = 20000
        self.hub.status.clear()
        self.assertIn(b"broke off model.safetensors after 20000 of",
                      self.pull("org/two", expect=2).stderr)
        self.hub.close_early.clear()
        self.pull("org/two")
        self.assert_whole("two", "mean-bf16")

    # ---- what is refused ----

    def test_refusals_of_the_hub(self):
        self.fails("no model org/none", "org/none")
        self.fails("no revision 'v9'", "org/mean@v9")
        for status, code, reason in ((401, "GatedRepo", "is gated: accept its conditions"),
                                     (403, "GatedRepo", "is gated"),
                                     (401, "RepoNotFound", "no model org/mean"),
                                     (404, None, "config.json"), (401, None, "set HF_TOKEN"),
                                     (403, None, "set HF_TOKEN"), (418, None, "status 418")):
            self.hub.refuse["org/mean"] = (status, code)
            self.fails(reason)
        self.hub.refuse["org/mean"] = (401, "GatedRepo")
        self.fails("this one may not read it", env=dict(self.env, HF_TOKEN=TOKEN))

    def test_no_network(self):
        self.fails("HF_ENDPOINT", env=dict(self.env, HF_ENDPOINT="http://127.0.0.1:1"))
        for wrong in ("ftp://x", "file:///etc", "huggingface.co", "http://a b", "http://a@b",
                      "https://h/?x"):
            self.fails("HF_ENDPOINT is no address", env=dict(self.env, HF_ENDPOINT=wrong))

    def test_wrong_checksums(self):
        for file in ("model.safetensors", "config.json", "vocab.txt"):
            self.hub.corrupt = {file}
            self.fails(file + " of org/mean was damaged")
        self.hub.corrupt = set()
        self.hub.close_early["vocab.txt"] = 200  # cut without any sign of it
        self.fails("vocab.txt of org/mean was damaged")

    def test_a_hub_without_checksums(self):
        self.hub.etags = False
        done = self.pull("org/mean")
        self.assertIn(b"no checksum", done.stderr)
        self.assert_whole()

    def test_names_that_leave_the_folder(self):
        for name in ("../../evil.safetensors", "/tmp/evil.safetensors", "a/../../evil.safetensors",
                     "..", ".hidden.safetensors", "evil.so", "sub/evil.safetensors",
                     "evil\n.safetensors", ""):
            index = json.dumps({"weight_map": {"a": name}}).encode()
            files = {"model.safetensors.index.json": index}
            others = {n: content(os.path.join(GOLDEN, "sharded-f16", n))
                      for n in ("config.json", "vocab.txt")}
            self.hub.add("org/evil", None, dict(files, **others))
            self.fails("no plain name", "org/evil")
        outside = [n for at, _, names in os.walk(self.folder.name) for n in names if "evil" in n]
        self.assertEqual(outside, [])
        for index in (b"[]", b"{}", b'{"weight_map": []}', b"{",
                      b'{"weight_map": {"a": "gone.safetensors"}}',
                      b'{"x": {"a": "../y.safetensors"}}'):
            self.hub.repos["org/evil"]["files"]["model.safetensors.index.json"] = index
            self.pull("org/evil", expect=2)
            # that file may come yet
            self.assertEqual(os.listdir(self.models), [".evil.part"] if b"gone" in index else [])
            shutil.rmtree(os.path.join(self.models, ".evil.part"), ignore_errors=True)

    def test_sizes(self):
        self.hub.linked_size["model.safetensors"] = 10 ** 13
        self.fails("model.safetensors")
        self.hub.linked_size["model.safetensors"] = 5
        self.fails("5")
        self.hub.linked_size.clear()
        self.hub.chunked["model.safetensors"] = 10 ** 6  # more than the hub said, without a length
        self.fails("longer than")
        self.hub.chunked = {"config.json": 70 << 20}
        self.fails("longer than 67108864 bytes")

    def test_redirects(self):
        for to, reason in ((self.hub.url + "/org/mean/resolve/main/config.json",
                            "more than 5 times"), ("ftp://127.0.0.1/x", "only http and https"),
                           ("file:///etc/passwd", "only http and https"),
                           (self.hub.url + "/" + "x" * 5000, "")):
            self.hub.location["config.json"] = to
            self.fails(reason)

    def test_a_certificate_that_nobody_signed(self):
        key, cert = (os.path.join(self.folder.name, n) for n in ("key.pem", "cert.pem"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                        "/CN=127.0.0.1",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert],
                       check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key)
        for server in self.hub.servers[:1]:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        self.env["HF_ENDPOINT"] = self.hub.url.replace("http:", "https:")
        self.fails("is not trusted")
        self.assertEqual(self.hub.requests, [])

    def test_the_engine_cannot_run_it(self):
        config = json.loads(content(os.path.join(GOLDEN, "mean-f32", "config.json")))
        self.hub.add("org/gpt", os.path.join(GOLDEN, "mean-f32"),
                     {"config.json": json.dumps(dict(config, model_type="gpt2")).encode()})
        self.fails("model_type is 'gpt2'", "org/gpt")
        self.assertEqual(self.hub.asked("hub", "model.safetensors"), [])  # known before the weights
        self.hub.add("org/wide", os.path.join(GOLDEN, "mean-f32"),
                     {"config.json": json.dumps(dict(config, hidden_size=48)).encode()})
        self.fails("was not installed", "org/wide")
        self.hub.add("org/bin", None, {"config.json": json.dumps(config).encode(),
                                       "vocab.txt": b"[UNK]", "pytorch_model.bin": b"x"})
        self.fails("no model.safetensors", "org/bin")
        self.hub.add("org/mute", os.path.join(GOLDEN, "mean-f32"))
        del self.hub.repos["org/mute"]["files"]["vocab.txt"]
        self.fails("tokenizer", "org/mute")

    def test_a_disk_that_takes_no_more(self):
        def little():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (30000, 30000))

        done = subprocess.run([ENGRAM, "models", "pull", "org/mean"], env=self.env,
                              capture_output=True, timeout=60, preexec_fn=little,
                              restore_signals=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"cannot write", done.stderr)
        self.assertNotIn("mean", self.listed())
        self.pull("org/mean")  # and it goes on
        self.assertEqual(self.hub.asked("cdn", "model.safetensors")[1][2].get("Range"),
                         "bytes=30000-")
        self.assert_whole()

    def test_a_full_disk(self):
        os.makedirs(self.models)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=17m", "tmpfs", self.models],
                                 capture_output=True)
        if mounted.returncode:
            print("skip: test_a_full_disk: needs the right to mount")
            self.skipTest("needs the right to mount")
        try:
            self.hub.repos["org/mean"]["files"]["model.safetensors"] = b"x" * (2 << 20)
            done = self.pull("org/mean", expect=2)
            self.assertIn(b"the disk is too full", done.stderr)
        finally:
            subprocess.run(["umount", self.models])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
