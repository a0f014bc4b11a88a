#!/usr/bin/env python3
"""The program as people and scripts use it: every command, wrong input, the example, a plugin from
outside the tree.
usage: test_cli.py ENGRAM TOP CC"""
import contextlib
import ctypes
import json
import os
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

ENGRAM, TOP, CC = (os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3])


def obey_modes():
    """Root, too: CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH are dropped; nobody else has them."""
    libc = ctypes.CDLL(None)
    for capability in (1, 2):
        libc.prctl(24, capability, 0, 0, 0)


def catches_interrupts(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return any(line.startswith("SigCgt:") and int(line.split()[1], 16) >> (signal.SIGINT - 1)
                   & 1 for line in f)


class Engram(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.home = os.path.join(self.folder.name, "home")
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("ENGRAM_")
                    or k == "ENGRAM_ISA"}
        self.env.update(ENGRAM_HOME=self.home, ENGRAM_WORKSPACE="test",
                        HOME=os.path.join(self.folder.name, "nobody"))

    def tearDown(self):
        self.folder.cleanup()

    def run_engram(self, *words, stdin=b"", expect=0, cwd=None):
        done = subprocess.run([ENGRAM, *words], input=stdin, capture_output=True, env=self.env,
                              timeout=300, cwd=cwd or self.folder.name)
        self.assertEqual(done.returncode, expect, (words, done.stdout[-500:], done.stderr[-500:]))
        return done

    def ask(self, *words, expect=0):
        return json.loads(self.run_engram(*words, "--json", expect=expect).stdout)

    def ask_in(self, folder, *words):
        return json.loads(self.run_engram(*words, "--json",
                                          cwd=os.path.join(self.folder.name, folder)).stdout)

    def test_help_and_unknown_words(self):
        self.assertIn(b"a shared memory for AI coding agents", self.run_engram("--help").stdout)
        self.assertIn(b"engram 0.", self.run_engram("--version").stdout)
        self.run_engram(expect=2)
        self.assertIn(b"did you mean 'commit'", self.run_engram("comit", expect=2).stderr)
        self.assertIn(b"write engram COMMAND --home",
                      self.run_engram("--home", "x", "status", expect=2).stderr)
        self.assertIn(b"did you mean --scope",
                      self.run_engram("commit", "--scop", "x", "y", expect=2).stderr)
        self.run_engram("commit", "--scope", expect=2)
        self.run_engram("query", expect=2)

    def test_subcommands(self):
        """One that does not exist is named, with those that do; so are arguments that are missing
        or too many."""
        for words, said in (
                (["models", "foo"], "models has no subcommand 'foo': it must be list, pull, verify "
                                    "or use; see `engram help models`"),
                (["models", "lst"], "models has no subcommand 'lst'; did you mean 'list'? It must "
                                    "be list, pull, verify or use: see `engram help models`"),
                (["plugins", "foo", "bar"], "plugins has no subcommand 'foo': it must be list or "
                                            "check; see `engram help plugins`"),
                (["bench", "foo"], "bench has no subcommand 'foo': it must be model or nli; see "
                                   "`engram help bench`"),
                (["models", "list", "x"], "models list takes no arguments: leave out 'x'"),
                (["plugins", "check"], "write: engram plugins check FILE; see "
                                       "`engram help plugins`"),
                (["models", "pull", "a", "b"], "write: engram models pull MODEL; see "
                                               "`engram help models`")):
            self.assertEqual(self.run_engram(*words, expect=2).stderr.decode(),
                             f"engram: {said}\n")

    def test_round_trip(self):
        first = self.ask("commit", "--agent", "alice", "--scope", "auth",
                         "The auth service listens on port 8080.")
        self.assertEqual((first["operation"], first["duplicate"], first["detection"]),
                         ("add", False, "done"))
        self.assertTrue(self.ask("commit", "--scope", "auth",
                                 "the auth service listens on port 8080")["duplicate"])
        second = self.ask("commit", "--agent", "bob", "--scope", "auth",
                          "The auth service listens on port 9090.")
        self.assertEqual(len(second["conflicts"]), 1)
        self.assertIn("9090", second["conflicts"][0]["explanation"])
        found = self.ask("query", "which port does auth listen on?")["results"]
        self.assertEqual({f["fact_id"] for f in found}, {first["fact_id"], second["fact_id"]})
        self.assertTrue(all(f["has_open_conflict"] for f in found))
        conflict = self.ask("conflicts")["conflicts"][0]["conflict_id"]
        self.assertIn(b"resolve needs CONFLICT: see `engram help resolve`",
                      self.run_engram("resolve", expect=2).stderr)
        self.assertIn(b"--type: is missing and required; use one of winner, merge, dismissed",
                      self.run_engram("resolve", conflict[-8:], expect=2).stderr)
        self.assertIn(b"--reason: is missing and required\n",
                      self.run_engram("resolve", conflict[-8:], "--type", "dismissed",
                                      expect=2).stderr)
        said = self.run_engram("resolve", conflict[-8:], "--type", "merge", "--reason",
                               "both are right", expect=2).stderr
        self.assertIn(b"--merged-content: is missing; resolution_type merge requires the text",
                      said)
        self.assertEqual(len(self.ask("query", "auth port")["results"]), 2)
        done = self.ask("resolve", conflict[-8:], "--type", "winner", "--winner",
                        second["fact_id"][-8:], "--reason", "seen in k8s")
        self.assertEqual(done["closed"][0]["fact_id"], first["fact_id"])
        self.assertEqual(self.ask("conflicts")["conflicts"], [])
        self.assertEqual(len(self.ask("query", "auth port")["results"]), 1)
        self.run_engram("undo", str(done["undo_id"]))
        self.assertEqual(len(self.ask("query", "auth port")["results"]), 2)
        conflict = self.ask("conflicts")["conflicts"][0]["conflict_id"]
        merged = self.ask("resolve", conflict, "--type", "merge", "--reason", "both are right",
                          "--merged-content", "The auth service listens on ports 8080 and 9090.")
        self.assertEqual(merged["merged"]["content"],
                         "The auth service listens on ports 8080 and 9090.")
        self.run_engram("undo", str(merged["undo_id"]))
        self.assertEqual(len(self.ask("conflicts")["conflicts"]), 1)
        self.assertEqual(self.ask("status")["status"], "ready")
        self.assertFalse(os.path.exists(os.path.join(self.folder.name, "nobody")),
                         "written outside $ENGRAM_HOME")

    def test_feedback_export(self):
        """Answers as labelled pairs; no e-mail address of a person without --with-authors."""
        said = self.run_engram("feedback", "export")
        self.assertEqual((said.stdout, b"the output is empty" in said.stderr), (b"", True))
        path = os.path.join(self.folder.name, "answers.jsonl")
        said = self.run_engram("feedback", "export", path)
        self.assertIn(b"answers.jsonl is empty", said.stderr)
        self.assertEqual(os.path.getsize(path), 0)
        self.ask("commit", "--agent", "alice", "--engineer", "alice@example.com", "--scope", "auth",
                 "The auth service listens on port 8080. It logs to syslog.")
        second = self.ask("commit", "--agent", "bob", "--scope", "auth",
                          "The auth service listens on port 9090.")
        conflict = second["conflicts"][0]["conflict_id"]
        done = self.ask("tool", "engram_resolve", json.dumps({
            "conflict_id": conflict, "resolution_type": "winner", "resolution": "seen in k8s",
            "winning_fact_id": second["fact_id"], "agent_id": "carol@example.com"}))
        before = self.ask("status")
        self.assertEqual(self.run_engram("feedback", "export", path).stderr, b"")
        self.assertEqual(self.ask("status"), before)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        self.assertNotIn("example.com", text)
        self.assertEqual(text.count("\n"), 1)
        row = json.loads(text)
        self.assertEqual((row["conflict_id"], row["verdict"], row["outcome"], row["winner"],
                          row["judged_by"], row["reason"], row["was_review"], row["tier"]),
                         (conflict, "contradiction", "winner", "b", "person", "seen in k8s", False,
                          "tier0_entity"))
        self.assertEqual(row["a"]["statement"], "The auth service listens on port 8080.")
        self.assertEqual(row["a"]["content"].encode()[slice(*row["a"]["span"])], b"8080")
        self.assertEqual((row["b"]["scope"], row["b"]["fact_id"], "engineer" in row["b"]),
                         ("auth", second["fact_id"], False))
        members = set(re.findall(r"`(\w+)`", self.section("Exporting answers")))
        self.assertLessEqual(set(row) | set(row["a"]), members, "docs/usage.md lists all members")
        row = json.loads(self.run_engram("feedback", "export", "--with-authors").stdout)
        self.assertEqual((row["judged_by"], row["a"]["engineer"], row["b"]["agent_id"]),
                         ("carol@example.com", "alice@example.com", "bob"))
        self.run_engram("undo", str(done["undo_id"]))
        self.assertEqual(self.run_engram("feedback", "export").stdout, b"")
        for words, why in ((("export", path, "more"), b"write: engram feedback export [FILE]"),
                           (("export", "--verdict", "true_positive"), b"--verdict"),
                           ((conflict, "--with-authors"), b"--with-authors"),
                           (("export", "/nowhere/x"), b"/nowhere/x")):
            self.assertIn(why, self.run_engram("feedback", *words, expect=2).stderr)

    def section(self, title):
        """A section of docs/usage.md."""
        with open(os.path.join(TOP, "docs", "usage.md"), encoding="utf-8") as f:
            return f.read().split(f"### {title}\n")[1].split("\n### ")[0]

    def test_tool(self):
        """Every tool by its name, with the arguments that agents give: the memory commands are the
        same calls."""
        names = [t["name"] for t in self.ask("tool")["tools"]]
        self.assertLessEqual({"engram_commit", "engram_query", "engram_lineage", "engram_promote"},
                             set(names))
        self.assertEqual([line.split()[0]
                          for line in self.run_engram("tool").stdout.decode().splitlines()], names)
        given = '{"content": "The pager rota has four people in it.", "scope": "ops"}'
        fact = json.loads(self.run_engram("tool", "engram_commit", given).stdout)
        found = json.loads(self.run_engram("tool", "engram_query", "-",
                                           stdin=b'{"topic": "pager rota"}').stdout)["results"]
        self.assertEqual([f["fact_id"] for f in found], [fact["fact_id"]])
        self.assertEqual(json.loads(self.run_engram("tool", "engram_status").stdout)["facts"], 1)
        for given, said in ('{"topic": 1}', b"topic: "), ("{}", b"topic: is missing"):
            done = self.run_engram("tool", "engram_query", given, expect=1)
            self.assertEqual(done.stdout, b"")
            self.assertRegex(done.stderr, rb"^engram: .*" + said)
        for given, said in (("topic", b"arguments:1:1: "), ("[]", b"arguments:1:1: an object"),
                            ('{"topic": "a"', b"arguments:1:14: "),
                            ('{"topic":\n nul}', b"arguments:2:2: "),
                            ('{"topic": "a"} x', b"arguments:1:16: ")):
            for words, stdin in ((given,), b""), (("-",), given.encode()):
                done = self.run_engram("tool", "engram_query", *words, stdin=stdin, expect=2)
                self.assertEqual(done.stdout, b"")
                self.assertIn(b"the arguments of the tool 'engram_query' are not a JSON object: "
                              + said, done.stderr)
        self.assertIn(b"there is no tool 'engram_nothing'",
                      self.run_engram("tool", "engram_nothing", expect=2).stderr)
        self.assertIn(b"quote the object",
                      self.run_engram("tool", "engram_query", "{topic:", "x}", expect=2).stderr)

    def test_scope_of_the_setting(self):
        """A project's .engram.conf names the scope of commits and queries; the environment is
        stronger, an option strongest."""
        with open(os.path.join(self.folder.name, ".engram.conf"), "w") as f:
            f.write("scope = Shop/payments\n")
        self.ask("commit", "Refunds are paid out by the ledger worker.")
        self.env["ENGRAM_SCOPE"] = "shop/search"
        self.ask("commit", "The search index is rebuilt by the ledger worker.")
        self.ask("commit", "--scope", "ops", "The pager rota is kept in the ledger worker's wiki.")

        def scopes(*words):
            return sorted(f["scope"] for f in self.ask("query", *words, "ledger worker")["results"])
        self.assertEqual(scopes(), ["shop/search"])
        self.assertEqual(scopes("--scope", "shop"), ["shop/payments", "shop/search"])
        self.assertEqual(scopes("--scope", "/"), ["ops", "shop/payments", "shop/search"])
        del self.env["ENGRAM_SCOPE"]
        self.assertEqual(scopes(), ["shop/payments"])
        self.env["ENGRAM_SCOPE"] = "a b"
        said = self.run_engram("query", "x", expect=2).stderr
        self.assertIn(b"ENGRAM_SCOPE", said)
        self.assertIn(b"byte 1", said)

    def test_memory_stays_with_its_repository(self):
        """A new remote and a move of the folder change nothing; a clone shares the memory, a
        repository that only claims to be it does not."""
        del self.env["ENGRAM_WORKSPACE"]

        def git(*words, cwd=self.folder.name):
            subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=b", *words], cwd=cwd,
                           check=True, capture_output=True)

        def facts(name):
            return self.ask_in(name, "query", "vault")["results"]
        if not shutil.which("git"):
            self.skipTest("there is no git")
        path = os.path.join(self.folder.name, "app")
        git("init", "-q", path)
        git("commit", "--allow-empty", "-m", "x", cwd=path)
        self.ask_in("app", "commit", "The vault opens at 9 o'clock.")
        self.assertEqual(subprocess.run(["git", "status", "--porcelain"], cwd=path, check=True,
                                        capture_output=True).stdout, b"")
        git("worktree", "add", "-q", os.path.join(self.folder.name, "tree"), cwd=path)
        self.assertEqual(len(facts("tree")), 1)
        git("remote", "add", "origin", "https://h.example/team/app.git", cwd=path)
        self.assertEqual(len(facts("app")), 1)
        os.rename(path, path + "2")
        self.assertEqual(len(facts("app2")), 1)
        self.assertIn("recorded for the git folder",
                      self.ask_in("app2", "status")["workspace_why"])
        self.ask_in("app2", "commit", "The vault closes at 5 o'clock.")
        git("init", "-q", "clone")
        git("remote", "add", "origin", "git@h.example:team/app",
            cwd=os.path.join(self.folder.name, "clone"))
        self.assertEqual(len(facts("clone")), 2)
        git("clone", "-q", path + "2", "thief")
        self.assertEqual(facts("thief"), [])

    def test_workspaces(self):
        """They are listed with their repositories, renamed, merged and removed; the repositories
        find theirs under the new name."""
        del self.env["ENGRAM_WORKSPACE"]

        def rows():
            return {w["name"]: w for w in self.ask("workspaces")["workspaces"]}

        def texts(folder):
            return {f["content"] for f in self.ask_in(folder, "query", "service port")["results"]}
        self.assertEqual(rows(), {})
        for name in ("a", "b"):
            os.makedirs(os.path.join(self.folder.name, name, ".git"))
        stored = self.ask_in("a", "commit", "--scope", "s", "The auth service listens on port 1.")
        self.ask_in("b", "commit", "--scope", "s", "The auth service listens on port 2.")
        self.ask("commit", "The search service listens on port 3.", "--workspace", "third")
        name = {f: self.ask_in(f, "status")["workspace"] for f in ("a", "b")}
        self.assertEqual(set(rows()), {name["a"], name["b"], "third"})
        one = rows()[name["a"]]
        self.assertEqual((one["facts"], one["current_facts"], one["here"]), (1, 1, False))
        self.assertEqual(one["repositories"],
                         [{"folder": os.path.join(self.folder.name, "a", ".git"), "remote": "",
                           "exists": True}])
        printed = self.run_engram("workspaces", cwd=os.path.join(self.folder.name, "a")).stdout
        self.assertIn(f"* {name['a']}: 1 fact, 1 current".encode(), printed)
        for words, said in ((["rename", name["a"], "third"], b"merge one into the other"),
                            (["rename", "nothing", "new"], b"there is no workspace 'nothing'"),
                            (["rename", name["a"], "a b"], b"is no name for a workspace"),
                            (["rename", name["a"]], b"engram workspaces rename OLD NEW"),
                            (["remove", "third"], b"add --yes"),
                            (["list", "--yes"], b"--yes is for remove")):
            self.assertIn(said, self.run_engram("workspaces", *words, expect=2).stderr)
        self.assertEqual(len(rows()), 3)
        self.run_engram("workspaces", "rename", name["a"], "team")
        self.assertEqual(texts("a"), {"The auth service listens on port 1."})
        self.assertEqual(self.ask_in("a", "status")["workspace"], "team")
        self.assertEqual(self.ask("workspaces", "merge", name["b"], "team"),
                         {"workspace": name["b"], "to": "team", "facts": 1, "equal": 0})
        self.assertEqual(texts("a"), texts("b"))
        self.assertEqual(len(texts("b")), 2)
        self.assertEqual(self.ask_in("a", "status")["jobs_queued"], 1)
        self.ask_in("a", "undo", str(stored["undo_id"]))
        self.assertNotIn("The auth service listens on port 1.", texts("b"))
        self.run_engram("workspaces", "remove", "team", "--yes")
        self.assertEqual(set(rows()), {"third"})
        self.assertEqual(texts("a"), set())
        self.assertNotEqual(self.ask_in("a", "status")["workspace"], "team")

    def test_allow(self):
        """A repository's .engram.conf does not choose the workspace before its user allows it, and
        nothing asks or waits."""
        del self.env["ENGRAM_WORKSPACE"]
        os.makedirs(self.home)
        victim, cloned = (os.path.join(self.folder.name, name) for name in ("victim", "cloned"))
        for folder in (victim, cloned):
            os.makedirs(os.path.join(folder, ".git"))
        self.run_engram("commit", "The vault opens at 9 o'clock.", cwd=victim)
        secret = json.loads(self.run_engram("status", "--json", cwd=victim).stdout)["workspace"]
        conf = os.path.join(cloned, ".engram.conf")
        for name in (secret, "local", "team"):
            with open(conf, "w") as f:
                f.write(f"workspace = {name}\nscope = a/b\n")
            done = self.run_engram("status", "--json", cwd=cloned)
            told = json.loads(done.stdout)
            self.assertTrue(told["workspace"].startswith("git-"))
            self.assertNotEqual(told["workspace"], secret)
            self.assertIn("engram allow", told["warning"])
            self.assertIn(f"scope = a/b ({conf}:2)", told["settings"])
            self.assertIn(b"sets workspace, which", done.stderr)
        for name in (secret, "local"):
            with open(conf, "w") as f:
                f.write(f"workspace = {name}\n")
            self.assertIn(b"may not name the workspace",
                          self.run_engram("allow", cwd=cloned, expect=2).stderr)
        with open(conf, "w") as f:
            f.write("workspace = team\n")
        done = self.run_engram("allow", "--json", cwd=cloned)
        self.assertEqual(done.stderr, b"")
        self.assertEqual(json.loads(done.stdout), {"file": conf, "allowed": True,
                                                   "settings": {"workspace": "team"}})
        told = json.loads(self.run_engram("status", "--json", cwd=cloned).stdout)
        self.assertEqual((told["workspace"], told.get("warning")), ("team", None))
        self.assertIn(b"no longer", self.run_engram("allow", "--remove", cwd=cloned).stdout)
        done = self.run_engram("status", "--json", cwd=cloned)
        self.assertTrue(json.loads(done.stdout)["workspace"].startswith("git-"))
        self.run_engram("allow", "--remove", cwd=cloned, expect=2)
        self.run_engram("allow", cwd=victim, expect=2)

    def test_wrong_facts(self):
        for words, stdin, said in (([""], b"", b"content"), (["-"], b"", b"content"),
                                   (["-"], b"broken \xff\xfe", b""),
                                   (["-"], b"x" * 10_000_000, b"16384"),
                                   (["x" * 8193], b"", b"8192"),
                                   (["--scope", "a b", "fact of some words"], b"", b"scope"),
                                   (["--confidence", "2", "fact"], b"", b"confidence"),
                                   (["--confidence", "high", "fact"], b"", b"number"),
                                   (["--operation", "replace", "fact"], b"", b"operation"),
                                   (["the key is AKIA" + "QYLPMN5HHHFPZAM2 for the bucket"], b"",
                                    b"")):
            self.assertIn(said, self.run_engram("commit", *words, stdin=stdin, expect=2).stderr)
        self.assertEqual(self.ask("status").get("facts"), 0)

    def test_statements(self):
        """Statements of a fact are kept with it; one that adds to the content is named."""
        note = "Importer, prod: pool 20, statement timeout 30 s."
        pool = "The importer's connection pool in production has 20 connections."
        timeout = "The importer's statement timeout in production is {} s."
        said = self.run_engram("commit", "--statement", pool, "--statement", timeout.format(45),
                               note, expect=2).stderr.decode()
        self.assertIn(f'--statement: number 2 ("{timeout.format(45)[:60]}', said)
        self.assertIn("has '45', which the content does not", said)
        fact = self.ask("commit", "--statement", pool, "--statement", timeout.format(30), note)
        lineage = json.loads(self.run_engram("tool", "engram_lineage", json.dumps(
            {"lineage_id": fact["lineage_id"]})).stdout)
        self.assertEqual(lineage["versions"][0]["statements"], [pool, timeout.format(30)])
        self.ask("commit", "--agent", "ann", "--scope", "web", "--statement",
                 "In production a web session lasts 30 min.",
                 "Web, prod: sessions 30 min, cookies secure. Static files come from the CDN.")
        found = self.ask("commit", "--agent", "bob", "--scope", "web", "--statement",
                         "In production a web session lasts 45 min.",
                         "Web, prod: sessions 45 min, cookies secure")
        # the words that disagree lie in the places of the given statements
        self.ask("feedback", found["conflicts"][0]["conflict_id"], "--verdict", "true_positive")
        answer = json.loads(self.run_engram("feedback", "export").stdout)
        for side, value in (("a", "30 min"), ("b", "45 min")):
            begin, end = answer[side]["span"]
            self.assertEqual(answer[side]["content"][begin:end], value)
            self.assertEqual(answer[side]["statement"],
                             f"In production a web session lasts {value}.")
        token = "ghp_" + "k3J9sQ2vX7mB5nT1wL8zR4yC6fD0gH" + "aPeUio"
        said = self.run_engram("commit", "--statement", f"The pool uses {token} with 20 of them.",
                               note + " Two.", expect=2).stderr.decode()
        self.assertIn("--statement: number 1 is refused: content contains what looks like", said)
        self.assertNotIn(token, said)

    def test_what_people_read(self):
        """Closed facts are marked; undo and no operation are sentences."""
        self.run_engram("commit", "--scope", "cache",
                        "Entries of the catalog cache live 5 minutes.")
        new = self.ask("commit", "--scope", "cache", "--operation", "update", "--corrects",
                       self.ask("query", "catalog cache")["results"][0]["fact_id"],
                       "--ttl-days", "3", "Entries of the catalog cache live 15 minutes.")
        now, ever = (self.run_engram("query", "catalog cache", *more).stdout
                     for more in ((), ("--history",)))
        self.assertIn(b"valid until 20", now)
        self.assertNotIn(b"CLOSED", now)
        self.assertIn(b": superseded", ever)
        self.assertEqual(ever.count(b"CLOSED 20"), 1)
        done = self.run_engram("undo", str(new["undo_id"])).stdout
        self.assertRegex(done, rb"undone: commit  \(undo \d+\)\n  restored .*live 5 minutes")
        self.assertNotIn(b"{", done)
        self.assertEqual(self.run_engram("commit", "--operation", "none").stdout,
                         b"nothing was stored\n")

    def test_hidden_characters(self):
        """They are refused at commit; those of an older store and of files are shown wherever they
        are printed."""
        for text, said in (("a \x1b[31mred word", "content holds U+001B at byte 2"),
                           ("pay\u202eload", "content holds U+202E at byte 3"),
                           ("soft\u00adhyphen", "content holds U+00AD at byte 4"),
                           ("x\U000e0069\U000e0067", "content holds U+E0069 at byte 1")):
            self.assertIn(f"engram: {said}, a character that readers do not see: remove it",
                          self.run_engram("commit", text, expect=2).stderr.decode())
        self.ask("commit", "--scope", "cache", "--agent", "alice", "--provenance", "cache.py:4",
                 "Entries of the catalog cache live 5 minutes.")
        self.ask("commit", "--scope", "cache", "Entries of the catalog cache live 15 minutes.")
        hidden = {"content": "Entries \x1b[31mof\u202e the \u009b2Jcatalog\U000e0069 cache.",
                  "agent_id": "al\u200bice", "provenance": "cache\u2066.py\r:4"}
        shown = {"content": "Entries <U+001B>[31mof<U+202E> the <U+009B>2Jcatalog<U+E0069> cache.",
                 "agent_id": "al<U+200B>ice", "provenance": "cache<U+2066>.py<U+000D>:4"}
        path = os.path.join(self.home, "data", "engram.db")
        with contextlib.closing(sqlite3.connect(path)) as store, store:
            triggers = store.execute("SELECT name FROM sqlite_master WHERE type='trigger'")
            for name, in triggers.fetchall():
                store.execute(f"DROP TRIGGER {name}")
            changed = store.execute("UPDATE facts SET content=:content, agent_id=:agent_id, "
                                    "provenance=:provenance WHERE agent_id='alice'", hidden)
            self.assertEqual(changed.rowcount, 1)
        first = [f for f in self.ask("query", "catalog cache")["results"] if f["provenance"]][0]
        self.assertEqual({key: first[key] for key in shown}, shown)
        conflict = self.ask("conflicts")["conflicts"][0]
        self.ask("feedback", conflict["conflict_id"], "--verdict", "true_positive")
        for words in (["query", "catalog cache"], ["conflicts"],
                      ["tool", "engram_conflicts"], ["query", "catalog cache", "--json"]):
            printed = self.run_engram(*words).stdout.decode()
            for value in shown.values():
                self.assertIn(value, printed)
            for value in "\x1b\u202e\u009b\U000e0069\u200b\u2066":
                self.assertNotIn(value, printed)
        # where places in the text count, they are escapes
        exported = self.run_engram("feedback", "export", "--with-authors").stdout.decode()
        self.assertIn(r"\u001b[31mof\u202e the \u009b2Jcatalog\udb40\udc69 cache", exported)
        sides = [json.loads(exported)[side] for side in "ab"]
        self.assertIn(hidden["content"], [side["content"] for side in sides])

    def test_hidden_characters_of_files(self):
        notes = "The API listens on port 1 \x1b[31m\u202e.\n\nThe API listens on port 2.\n".encode()
        for form, wanted in (("text", "<U+001B>[31m<U+202E>"), ("sarif", "<U+001B>[31m<U+202E>"),
                             ("github", "<U+001B>[31m<U+202E>"), ("json", r"\u001b[31m\u202e")):
            printed = self.run_engram("check", "--format", form, "-", stdin=notes,
                                      expect=1).stdout.decode()
            self.assertIn(wanted, printed)
            self.assertNotIn("\x1b", printed)
            self.assertNotIn("\u202e", printed)
        name = os.path.join(self.folder.name, "no\x1b[31m\u202e\nte.md")
        for words in (["check", name], [name], ["check", "--fo\x1brmat", name],
                      ["nli", "--model", name], ["models", "use", name]):
            said = self.run_engram(*words, expect=2).stderr
            self.assertNotIn(b"\x1b", said)
            self.assertNotIn("\u202e".encode(), said)
            self.assertEqual(said.count(b"\n"), 1)
            self.assertIn(b"<U+001B>", said)

    def test_delete_says_what_it_closes(self):
        """Also of a fact that superseded another one, which the deletion does not touch."""
        old = self.ask("commit", "--scope", "ops", "The pager rota has four people in it.")
        new = self.ask("commit", "--scope", "ops", "--operation", "update", "--corrects",
                       old["fact_id"], "The pager rota has five people in it.")
        told = self.run_engram("commit", "--operation", "delete", "--corrects",
                               new["fact_id"]).stdout.decode()
        self.assertRegex(told, f"^delete: fact {new['fact_id'][-8:]} closed, nothing replaces it  "
                               "\\(undo [0-9]+\\)\n$")

    def test_delete_needs_no_content(self):
        fact = self.ask("commit", "The pager rota has four people in it.")
        gone = self.ask("commit", "--operation", "delete", "--corrects", fact["fact_id"][-8:])
        self.assertEqual((gone["operation"], gone["fact_id"]), ("delete", fact["fact_id"]))
        self.assertEqual(self.ask("query", "pager rota")["results"], [])
        self.assertIn(b"--corrects", self.run_engram("commit", "--operation", "delete",
                                                     "--corrects", "zz", expect=2).stderr)
        self.assertIn(b"content: is missing", self.run_engram("commit", "", expect=2).stderr)

    def test_wrong_numbers_and_streams(self):
        self.ask("commit", "The pager rota has four people in it.")
        for word in ("1abc", "abc", "", "1.5", "-1", "0x1", "99999999999999999999"):
            self.assertIn(b"undo needs the number",
                          self.run_engram("undo", "--", word, expect=2).stderr)
        self.assertIn(b"undo_id: must be 1 to 9007199254740991, not 0",
                      self.run_engram("undo", "0", expect=2).stderr)
        self.assertIn(b"NUL", self.run_engram("commit", "-", stdin=b"cut \0 here", expect=2).stderr)
        self.assertEqual(len(self.ask("query", "pager rota cut")["results"]), 1)
        said = self.run_engram("resolve", "12345678", expect=2).stderr
        self.assertIn(b"--type: is missing", said)
        self.assertIn(b"--limit: must be 1 to 50",
                      self.run_engram("query", "--limit", "0", "x", expect=2).stderr)
        for threads in ("abc", "-5", "2x", ""):
            self.assertIn(b"--threads", self.run_engram("embed", "--threads", threads,
                                                        expect=2).stderr)
        self.assertIn(b"cannot read", self.run_engram("embed", self.folder.name, expect=2).stderr)

    def test_lost_output(self):
        """A full disk is an error on every command; a reader that had enough is none, and ends the
        work."""
        text = b"".join(b'{"text":"fact %d"}\n' % i for i in range(200))
        notes = b"The API listens on port 1.\n\nThe API listens on port 2.\n"
        for words, stdin in ((["embed"], text), (["check", "-"], notes), (["query", "x"], b""),
                             (["check", "--help"], b""), (["plugins"], b"")):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([ENGRAM, *words], input=stdin, stdout=full,
                                      stderr=subprocess.PIPE, env=self.env, timeout=120)
            self.assertEqual((words, done.returncode), (words, 2))
            self.assertIn(b"could not be written", done.stderr)
        many = b"".join(b"The API number %d listens on port %d.\n\n" % (i, p) for i in range(40)
                        for p in (1, 2))
        child = subprocess.Popen([ENGRAM, "check", "--json", "-"], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.env)
        child.stdout.close()
        child.stdin.write(many)
        child.stdin.close()
        self.assertEqual(child.stderr.read(), b"")
        self.assertEqual(child.wait(120), 1)
        child.stderr.close()

    def test_interrupt(self):
        """Ctrl-C ends with 128 + 2, and a measurement at once, by the signal itself."""
        for words, status in ((["embed"], 130), (["commit", "-"], 130),
                              (["bench", "model"], -signal.SIGINT)):
            child = subprocess.Popen([ENGRAM, *words], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.env)
            for _ in range(300 if status == 130 else 0):
                if catches_interrupts(child.pid):
                    break
                time.sleep(0.1)
            time.sleep(1)
            child.send_signal(signal.SIGINT)
            self.assertEqual((words, child.wait(30)), (words, status))
            for pipe in (child.stdin, child.stdout, child.stderr):
                pipe.close()
        self.assertFalse(os.path.exists(os.path.join(self.home, "data")),
                         "an interrupted commit opened the store")

    def test_unwritable_home(self):
        place = os.path.join(self.folder.name, "file")
        open(place, "w").close()
        self.env["ENGRAM_HOME"] = place
        self.assertIn(b"engram: ", self.run_engram("commit", "some fact of words", expect=2).stderr)
        self.assertRegex(self.run_engram("doctor", expect=2).stdout,
                         rb"PROBLEM +(store|host) +.*" + place.encode())
        told = self.ask("doctor", expect=2)
        self.assertTrue({one["what"] for one in told["checks"] if not one["ok"]}
                        & {"store", "host"})

    def test_a_store_that_cannot_be_written(self):
        """It answers; what would change it is refused with the reason."""
        self.ask("commit", "--scope", "auth", "The auth service listens on port 8080.")
        subprocess.run(["chmod", "-R", "a-w", self.home], check=True)

        def run(*words):
            return subprocess.run([ENGRAM, *words], capture_output=True, env=self.env,
                                  cwd=self.folder.name, timeout=120, preexec_fn=obey_modes)
        try:
            found = run("query", "--json", "auth port")
            refused = run("commit", "The auth service listens on port 9090.")
            status = run("status")
        finally:
            subprocess.run(["chmod", "-R", "u+w", self.home], check=True)
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertEqual([f["content"] for f in json.loads(found.stdout)["results"]],
                         ["The auth service listens on port 8080."])
        self.assertEqual((refused.returncode, refused.stdout), (2, b""), refused.stderr)
        self.assertIn(b"can be read, but not written", refused.stderr)
        self.assertEqual(status.returncode, 0, status.stderr)
        self.assertEqual(len(self.ask("query", "auth port")["results"]), 1)

    def test_the_workspace_is_that_of_the_repository(self):
        """Without a setting each repository has its own, told apart by its remote, and `local`
        serves outside of any."""
        del self.env["ENGRAM_WORKSPACE"]
        facts = {"shop": "The shop listens on port 8080.",
                 "mail": "The mailer listens on port 9090.",
                 "plain": "The printer listens on port 7070."}
        for name in (*facts, "clone"):
            os.mkdir(os.path.join(self.folder.name, name))
        plain = {"PATH": os.environ.get("PATH", os.defpath), "HOME": self.folder.name}
        for name, remote in (("shop", "git@host.example:team/shop.git"),
                             ("mail", "https://host.example/team/mail.git"),
                             ("clone", "https://me@host.example/team/shop")):
            for words in (["init", "-q"], ["remote", "add", "origin", remote]):
                subprocess.run(["git", *words], check=True,
                               cwd=os.path.join(self.folder.name, name), env=plain)
        os.makedirs(os.path.join(self.folder.name, "shop", "src", "deep"))

        def seen(folder, *words):
            done = self.run_engram("query", "--json", *words, "listens on port",
                                   cwd=os.path.join(self.folder.name, folder))
            return {f["content"] for f in json.loads(done.stdout)["results"]}
        for name, fact in facts.items():
            self.run_engram("commit", fact, cwd=os.path.join(self.folder.name, name))
        for folder, name in (("shop", "shop"), ("shop/src/deep", "shop"), ("clone", "shop"),
                             ("mail", "mail"), ("plain", "plain")):
            self.assertEqual(seen(folder), {facts[name]}, folder)
        for name, fact in facts.items():
            self.run_engram("commit", "--workspace", "together", fact,
                            cwd=os.path.join(self.folder.name, name))
        for name in facts:
            self.assertEqual(seen(name, "--workspace", "together"), set(facts.values()))
            self.assertEqual(seen(name), {facts[name]})

    def test_the_folders_without_a_setting(self):
        """The XDG folders, or ~/.engram where it is there."""
        for name in ("ENGRAM_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
            self.env.pop(name, None)

        def files():
            return {os.path.relpath(os.path.join(at, name), self.env["HOME"]) for at, _,
                    names in os.walk(self.env["HOME"]) for name in names}
        os.mkdir(self.env["HOME"])
        self.ask("commit", "The auth service listens on port 8080.")
        self.ask("models", "use", "engram-embed-0")
        made = files()
        self.assertLessEqual({".local/share/engram/engram.db", ".config/engram/engram.conf"}, made)
        self.assertEqual([f for f in made if not f.startswith((".local/share/engram/",
                                                               ".config/engram/",
                                                               ".cache/engram/"))], [])
        self.assertTrue(any(f.startswith(".cache/engram/") for f in made), made)
        theirs = os.path.join(self.env["HOME"], ".engram", "engram.db")
        os.mkdir(os.path.dirname(theirs))
        with open(theirs, "w") as f:
            f.write("of another program")
        self.assertIn(["is not used: it holds 'engram.db'"],
                      [re.findall(r"is not used: it holds 'engram.db'", c["detail"])
                       for c in self.ask("doctor")["checks"] if c["what"] == "home"])
        self.assertEqual(len(self.ask("query", "auth port")["results"]), 1)
        os.remove(theirs)
        made = files()
        self.ask("commit", "The auth service listens on port 8080.")
        self.ask("models", "use", "engram-embed-0")
        more = files() - made
        self.assertLessEqual({".engram/data/engram.db", ".engram/config/engram.conf"}, more)
        self.assertEqual([f for f in more if not f.startswith((".engram/data/", ".engram/config/",
                                                               ".engram/cache/"))], [])

    def test_doctor_checks_the_models_of_the_settings(self):
        told = self.ask("doctor")
        self.assertTrue(all(one["ok"] for one in told["checks"]), told)
        self.assertEqual(told["settings"]["workspace"]["value"], "test")
        os.makedirs(os.path.join(self.home, "config"))
        with open(os.path.join(self.home, "config", "engram.conf"), "w") as f:
            f.write("[model]\nnli = a-model-that-is-not-here\n")
        told = self.ask("doctor", expect=2)
        wrong = [one for one in told["checks"] if not one["ok"]]
        self.assertEqual([one["what"] for one in wrong], ["model.nli"])
        self.assertIn("there is no model 'a-model-that-is-not-here'", wrong[0]["detail"])
        self.assertIn("`engram models` lists", wrong[0]["detail"])  # what to do

    def test_nothing_is_stored_without_the_gate(self):
        """Without the secrets gate, by whatever way it went missing, a store can be read only."""
        self.ask("commit", "The auth service listens on port 8080.")
        gate = os.path.join(self.folder.name, "secrets.so")
        with open(gate, "w") as f:
            f.write("no library")
        os.chmod(gate, 0o664)
        for plugins, why in (("sqlite memory mcp", "no plugin in the setting plugins "
                                                   "(ENGRAM_PLUGINS) offers it"),
                             (f"sqlite memory mcp {gate}", "run chmod go-w on it"),
                             (f"sqlite memory mcp {self.home}/secrets.so", "cannot open plugin")):
            self.env["ENGRAM_PLUGINS"] = plugins
            for expect, words in ((2, ["commit", "The CI token is ghp_" + "a1B2" * 9 + "."]),
                                  (1, ["tool", "engram_commit", '{"content":"It is new."}'])):
                said = self.run_engram(*words, expect=expect).stderr.decode()
                self.assertIn("engram: nothing is stored without the gate 'secrets', and it is "
                              "not there: ", said)
                self.assertIn(why, said)
                self.assertIn("gates_required = none", said)
            self.assertEqual(len(self.ask("query", "auth service")["results"]), 1)
            self.assertIn(why, self.ask("status")["writing_problem"])
            self.assertIn(b"writing_problem", self.run_engram("status").stdout)
            told = {one["what"]: one["detail"] for one in self.ask("doctor", expect=2)["checks"]
                    if not one["ok"]}
            self.assertIn(why, told["writing"])
        self.env["ENGRAM_GATES_REQUIRED"] = "none"
        self.ask("commit", "The auth service has two replicas.")
        self.assertNotIn("writing_problem", self.ask("status"))

    def test_limit_of_a_file(self):
        """Beyond ulimit -f writing fails, with the reason; the signal does not end the program."""
        self.ask("commit", "The auth service listens on port 8080.")

        def little():  # the shared memory of a WAL fits, the WAL of this commit does not
            resource.setrlimit(resource.RLIMIT_FSIZE, (40000, 40000))

        done = subprocess.run([ENGRAM, "commit", "It has two replicas. " + "More of it. " * 600],
                              env=self.env, cwd=self.folder.name, capture_output=True,
                              timeout=60, preexec_fn=little)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(b"engram: ", done.stderr)
        self.assertEqual(len(self.ask("query", "auth service")["results"]), 1)

    def test_link_as_project_file(self):
        """Nothing of what a link names is in the message."""
        with open(os.path.join(self.folder.name, "private"), "w") as f:
            f.write("hunter = 2\n")
        os.symlink("private", os.path.join(self.folder.name, ".engram.conf"))
        said = self.run_engram("status").stderr
        self.assertIn(b".engram.conf' is a link and is not obeyed", said)
        self.assertNotIn(b"hunter", said)

    def test_plugin_that_is_none(self):
        place = os.path.join(self.folder.name, "x.so")
        with open(place, "w") as f:
            f.write("no library")
        os.chmod(place, 0o755)
        self.assertEqual(self.run_engram("plugins", "check", place,
                                         expect=2).stderr.count(b"cannot load"), 1)

    def test_inference(self):
        pairs = (b'{"premise":"The limit is 5.","hypothesis":"The limit is 7."}\n{"premise":1}\n'
                 b'not json\n\n{"hypothesis":"b","premise":"a"}\n')
        done = self.run_engram("nli", stdin=pairs, expect=2)
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(rows), 4)
        self.assertEqual(set(rows[0]), {"contradiction", "entailment", "neutral"})
        self.assertGreater(rows[0]["contradiction"], 0.5)
        self.assertAlmostEqual(sum(rows[3].values()), 1, places=5)
        self.assertIn("error", rows[1])
        self.assertIn("error", rows[2])
        rows = self.run_engram("embed",
                               stdin=b'{"text":"hello"}\n{"text":"hello"}\n').stdout.splitlines()
        self.assertEqual(rows[0], rows[1])
        self.assertEqual(len(json.loads(rows[0])["embedding"]), 384)
        self.assertEqual(self.run_engram("embed", stdin=b"").stdout, b"")
        self.assertIn(b"nowhere", self.run_engram("embed", "--model", "/nowhere", expect=2).stderr)
        self.assertIn(b"no prompt 'query'",
                      self.run_engram("embed", "--prompt", "query", expect=2).stderr)
        self.run_engram("nli", "--model", "engram-embed-0", stdin=pairs, expect=2)
        self.env["ENGRAM_MODEL_EMBED"] = "engram-none"  # without --model the configured one is used
        self.assertIn(b"engram-none", self.run_engram("embed", stdin=b'{"text":"a"}\n',
                                                      expect=2).stderr)
        self.env["ENGRAM_MODEL_EMBED"] = ""
        self.assertIn(b"model.embed is empty",
                      self.run_engram("embed", stdin=b'{"text":"a"}\n', expect=2).stderr)
        del self.env["ENGRAM_MODEL_EMBED"]
        broken = os.path.join(self.folder.name, "broken")
        os.mkdir(broken)
        shipped = os.path.join(TOP, "models", "weights", "engram-embed-0")
        for name in ("config.json", "vocab.txt"):
            os.symlink(os.path.join(shipped, name), os.path.join(broken, name))
        with open(os.path.join(broken, "model.safetensors"), "wb") as f:
            f.write(b"\xff" * 64)
        self.assertIn(b"model.safetensors",
                      self.run_engram("embed", "--model", broken, stdin=b'{"text":"a"}\n',
                                      expect=2).stderr)

    def test_prompts_of_facts_and_queries(self):
        shipped, model = os.path.join(TOP, "models", "weights",
                                      "engram-embed-0"), os.path.join(self.folder.name, "prompted")
        os.mkdir(model)
        for name in os.listdir(shipped):
            os.symlink(os.path.join(shipped, name), os.path.join(model, name))
        self.env["ENGRAM_MODEL_EMBED"] = model
        told = {"query": "How often does the payment service try again? "}, {
            "document": "The cat sleeps on the sofa all day. "}, {}
        for number, prompts in enumerate(told):
            self.env["ENGRAM_HOME"] = self.home + str(number)
            with open(os.path.join(model, "config_sentence_transformers.json"), "w",
                      encoding="utf-8") as f:
                json.dump({"prompts": prompts}, f)
            self.ask("commit", "--scope", "s",
                     "The billing API repeats a failed request three times.")
            found = [sum(hit["relevance"] >= 0.02 for hit in self.ask("query", topic)["results"])
                     for topic in ("zzqx", "where is a kitten asleep?")]
            self.assertEqual(found, [["query" in prompts, "query" in prompts], [0, 1],
                                     [0, 0]][number], prompts)

    def test_entities(self):
        model = os.path.join(TOP, "tests", "models", "golden", "tokens-f32")
        texts = ["The limit is 5.", "caf\u00e9 \u4e2d \"x\"", ""]
        lines = b"".join(json.dumps({"text": t}).encode() + b"\n" for t in texts) + b'{"text":1}\n'
        done = self.run_engram("label", "--model", model, stdin=lines, expect=2)
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([list(r) for r in rows], [["entities"]] * 3 + [["error"]])
        self.assertIn("line 4", rows[3]["error"])
        self.assertTrue(rows[0]["entities"] and rows[1]["entities"])
        for text, row in zip(texts, rows):
            for e in row["entities"]:
                self.assertEqual(text.encode()[e["begin"]:e["end"]].decode(), e["text"])
                self.assertEqual(e["label"], "X")
                self.assertTrue(0 < e["score"] <= 1)
        # the same in one batch, in batches and alone
        several = [" ".join(texts[:2] * (i % 9)) for i in range(70)]
        together = self.run_engram("label", "--model", model,
                                   stdin=b"".join(json.dumps({"text": t}).encode() + b"\n"
                                                  for t in several)).stdout
        alone = {t: self.run_engram("label", "--model", model,
                                    stdin=json.dumps({"text": t}).encode() + b"\n").stdout
                 for t in several[:9]}
        self.assertEqual(together, b"".join(alone[t] for t in several))
        first = self.run_engram("label", "--model", model, "--aggregation", "first", stdin=lines,
                                expect=2).stdout
        self.assertNotEqual(first, done.stdout)
        self.assertIn(b"first, average", self.run_engram("label", "--model", model, "--aggregation",
                                                         "x", expect=2).stderr)
        self.assertIn(b"--model", self.run_engram("label", expect=2).stderr)
        self.assertIn(b"token classification",
                      self.run_engram("label", "--model", "engram-embed-0", expect=2).stderr)

    @staticmethod
    def expected():
        with open(os.path.join(TOP, "tools/example/expected.json"), encoding="utf-8") as f:
            return json.load(f)

    def test_rules_need_support_between_documents(self):
        """What a rule finds between two statements of documents, and the model thinks unlikely,
        counts only where documents have no threshold of their own."""
        place = os.path.join(self.folder.name, "guide")
        os.makedirs(place)
        for name, what in (("a.md", "Naming"), ("b.md", "Safety")):
            with open(os.path.join(place, name), "w") as f:
                f.write(f"## {what}\n\nCheck: {what} Guidelines - "
                        f"https://guide.example/{what.lower()}.html\n\n"
                        f"The import of {what.lower()} rules runs every night.\n")
        self.assertEqual(self.ask("check", place)["findings"], [])
        self.env["ENGRAM_TIER1_NLI_DOCUMENTS"] = "0"
        (found,) = self.ask("check", place, expect=1)["findings"]
        self.assertEqual(found["detection_tier"], "tier2b_cross_scope")

    def test_bench_names_what_it_measures(self):
        self.assertIn(b"model or nli", self.run_engram("bench", "speed", expect=2).stderr)

    def test_check_example(self):
        expected = {frozenset(pair) for pair in self.expected()["contradictions"]}
        found = self.ask("check", os.path.join(TOP, "tools/example/notes"), expect=1)
        pairs = {frozenset((f["a"]["content"], f["b"]["content"])) for f in found["findings"]}
        self.assertLessEqual(pairs, expected, "a false alarm")
        self.assertGreaterEqual(len(pairs), 6)
        clean = self.run_engram("check", os.path.join(TOP, "tools/example/clean.md"))
        self.assertEqual((clean.stdout, clean.stderr), (b"", b""))
        clean = self.run_engram("check", "--verbose", os.path.join(TOP, "tools/example/clean.md"))
        self.assertIn(b"7 statements in 1 file: 0 contradictions", clean.stderr)
        sarif = json.loads(self.run_engram("check", "--sarif",
                                           os.path.join(TOP, "tools/example/notes"),
                                           expect=1).stdout)
        results = sarif["runs"][0]["results"]
        self.assertEqual(len(results), len(pairs))
        for result in results:
            self.assertIn("; against ", result["message"]["text"])
            self.assertNotIn(".; against ", result["message"]["text"])
        self.assertFalse(os.path.exists(os.path.join(self.home, "data")), "check wrote a store")

    def test_documents_have_a_threshold_of_their_own(self):
        notes = os.path.join(TOP, "tools/example/notes")
        self.env["ENGRAM_TIER1_NLI"] = "0.5"
        for least, some in (("0.5", True), ("1", False)):
            self.env["ENGRAM_TIER1_NLI_DOCUMENTS"] = least
            tiers = {f["detection_tier"] for f in self.ask("check", notes, expect=1)["findings"]}
            self.assertEqual("tier1_nli" in tiers, some, tiers)
            self.assertTrue(tiers - {"tier1_nli"}, "rules know no such threshold")

    def test_one_conflict_with_its_history(self):
        """By id or suffix: both facts, why, what became of it, and all that stood in their
        lineages."""
        first = self.ask("commit", "--agent", "alice", "--scope", "auth",
                         "The auth service listens on port 8080.")
        second = self.ask("commit", "--agent", "bob", "--scope", "auth",
                          "The auth service listens on port 9090.")
        third = self.ask("commit", "--agent", "bob", "--scope", "auth", "--corrects",
                         second["lineage_id"], "--operation", "update",
                         "The auth service listens on port 9443.")
        old, new = second["conflicts"][0]["conflict_id"], third["conflicts"][0]["conflict_id"]
        one = self.ask("conflicts", new[-8:])
        self.assertEqual([c["conflict_id"] for c in one["conflicts"]], [new])
        self.assertEqual([f["fact_id"] for f in one["history"]],
                         [r["fact_id"] for r in (first, second, third)])
        self.assertEqual(one["history"][1]["close_reason"], "superseded")
        told = self.run_engram("conflicts", old).stdout.decode()
        self.assertIn("9090", told)
        self.assertIn("settled", told)
        self.assertIn("closed: superseded", told)
        self.run_engram("conflicts", "deadbeef", expect=2)
        self.assertIn(b"leave scope", self.run_engram("conflicts", new, "--limit", "3",
                                                      expect=2).stderr)

    def test_facts_of_several_lines_are_indented(self):
        """Where a fact ends and the next begins is seen at the edge."""
        self.ask("commit", "The importer runs in three steps:\nfetch, clean\nand store.")
        lines = self.run_engram("query", "importer steps").stdout.decode().splitlines()
        self.assertRegex(lines[0], r"^[01]\.\d\d  \w+  The importer runs in three steps:$")
        self.assertEqual(lines[1:3], ["      fetch, clean", "      and store."])
        self.assertTrue(all(line.startswith("      ") for line in lines[1:]), lines)
        self.ask("commit", "--agent", "bob", "The importer listens on port 1\nof the host.")
        self.ask("commit", "--agent", "eve", "The importer listens on port 2\nof the host.")
        lines = self.run_engram("conflicts").stdout.decode().splitlines()
        self.assertEqual(sum(line.strip().startswith("of the host.") for line in lines), 2)
        self.assertTrue(all(line.startswith("  ") for line in lines[1:]), lines)

    def test_check_tells_progress(self):
        """By --progress, ten lines or so on standard error, rising to all; not otherwise when that
        is no terminal."""
        self.env["ENGRAM_PLUGINS"] = "rules"  # a model would read 200 pairs
        # the last ones repeat another: not examined, but counted
        ports = [*range(7000, 7038), 7037, 7037]
        notes = "".join(f"The worker {p - 7000} of the import listens on port {p}.\n\n"
                        for p in ports).encode()
        self.assertEqual(self.run_engram("check", "-", stdin=notes).stderr, b"")
        lines = self.run_engram("check", "--progress", "-",
                                stdin=notes).stderr.decode().splitlines()
        counts = [int(re.fullmatch(r"engram: (\d+) of 40 statements", line).group(1))
                  for line in lines]
        self.assertTrue(3 <= len(counts) <= 12, lines)
        self.assertEqual((sorted(set(counts)), counts[-1]), (counts, 40))

    def test_check_files(self):
        """A broken file is told and the others are checked; a file is read once; JSONL is known on
        standard input; pipes are read."""
        self.env["ENGRAM_TIER1_NLI_DOCUMENTS"] = "0"
        place = os.path.join(self.folder.name, "notes of a team")
        os.makedirs(os.path.join(place, "empty"))
        one, two = (json.dumps({"content": f"The API listens on port {p}."}) for p in (8080, 9090))
        files = {"a.md": b"\xef\xbb\xbf---\r\ntitle: x\r\n---\r\nThe API listens on port 8080.\r\n",
                 "b.txt": b"The API listens on port 9090.\n",
                 "broken.md": b"caf\xe9 \xff", "broken.jsonl": b'{"content":\n',
                 "c.jsonl": b"\xef\xbb\xbf" + one.encode() + b"\n"}
        for name, content in files.items():
            with open(os.path.join(place, name), "wb") as f:
                f.write(content)
        done = self.run_engram("check", "--json", place, os.path.join(place, "b.txt"),
                               os.path.join(place, "..", "notes of a team", "a.md"), expect=2)
        found = json.loads(done.stdout)
        self.assertEqual((found["files"], found["statements"], len(found["findings"])), (3, 3, 2))
        self.assertIn(b"broken.md:1", done.stderr)
        self.assertIn(b"broken.jsonl", done.stderr)
        for text in (one + "\n" + two, "\n  " + one + "\n" + two + "\n",
                     "\ufeff" + one + "\n" + two):
            self.assertIn(b"stdin:", self.run_engram("check", "-", stdin=text.encode(),
                                                     expect=1).stdout)
        fifo = os.path.join(place, "fifo")
        os.mkfifo(fifo)
        notes = "The API listens on port 1.\n\nThe API listens on port 2.\n"
        writer = subprocess.Popen(["sh", "-c", f'printf "{notes}" > "$0"', fifo])
        self.run_engram("check", fifo, expect=1)
        self.assertEqual(writer.wait(10), 0)
        # it has found nothing since it has read nothing
        nothing = self.run_engram("check", os.path.join(place, "empty"), expect=2)
        self.assertIn(
            b"holds no files that end in .md, .mdx, .mdc, .markdown, .rst, .adoc, .txt, .ipynb or "
            b".jsonl",
            nothing.stderr)
        self.assertEqual(nothing.stdout, b"")
        self.run_engram("check", os.path.join(place, "empty"), os.path.join(place, "a.md"))
        done = self.run_engram("check", os.path.join(place, "a.md"), "/nowhere.md",
                               os.path.join(place, "b.txt"), expect=2)
        self.assertIn(b"/nowhere.md", done.stderr)
        self.assertIn(b"1 contradiction", done.stdout)
        result = json.loads(self.run_engram("check", "--sarif", os.path.join(place, "a.md"),
                                            os.path.join(place, "b.txt"),
                                            expect=1).stdout)["runs"][0]
        finding = result["results"][0]
        self.assertIn("notes%20of%20a%20team/b.txt",
                      finding["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
        self.assertIn("a.md:4", finding["message"]["text"])
        self.assertIn("8080", finding["relatedLocations"][0]["message"]["text"])
        self.assertEqual([rule["id"] for rule in result["tool"]["driver"]["rules"]],
                         [finding["ruleId"]])
        self.ask("commit", "The API listens on port 7070.")
        against = json.loads(self.run_engram("check", "--sarif", "--against-store",
                                             os.path.join(place, "a.md"), expect=1).stdout)
        self.assertIn("7070", against["runs"][0]["results"][0]["message"]["text"])

    def test_check_walks_folders(self):
        """One that cannot be read is told and the others are checked; there may be more folders
        than files."""
        self.env["ENGRAM_TIER1_NLI_DOCUMENTS"] = "0"
        place = os.path.join(self.folder.name, "notes")
        for i in range(5001):
            os.makedirs(os.path.join(place, f"package-{i}"))
        for name, port in (("package-1/a.md", 8080), ("package-5000/b.md", 9090),
                           ("package-2/hidden.md", 7070)):
            with open(os.path.join(place, name), "w") as f:
                f.write(f"The API listens on port {port}.\n")
        self.assertEqual(self.ask("check", place, expect=1)["files"], 3)
        for mode in (0, 0o400):
            os.chmod(os.path.join(place, "package-2"), mode)
            done = subprocess.run([ENGRAM, "check", "--json", place], capture_output=True,
                                  env=self.env, timeout=120, preexec_fn=obey_modes)
            os.chmod(os.path.join(place, "package-2"), 0o700)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(b"package-2", done.stderr)
            found = json.loads(done.stdout)
            self.assertEqual((found["files"], len(found["findings"])), (2, 1))

    def test_check_reads_markdown(self):
        text = ("---\ntitle: The port is 1.\n---\n"
                "# Auth\n\nThe auth service listens on port 8080.\n\n"
                "```\nThe auth service listens on port 1.\n```\n"
                "> Each quote here is read as well.\n"
                "<!-- The auth service listens on port 3. -->\n\n"
                "    The auth service listens on port 4.\n\n"
                "- The auth service listens\n  on port **9090**.\n")
        found = json.loads(self.run_engram("check", "--json", "-", stdin=text.encode(),
                                           expect=1).stdout)
        self.assertEqual(found["statements"], 3)
        self.assertEqual([(f["a"]["line"], f["b"]["line"]) for f in found["findings"]], [(6, 16)])
        self.assertIn(b"UTF-8", self.run_engram("check", "-", stdin=b"a b c \xff", expect=2).stderr)
        self.run_engram("check", "/nowhere.md", expect=2)
        self.run_engram("check", expect=2)

    def build_plugin(self, source, *definitions):
        """The library of a plugin from tests/plugins/external, built against nothing but a copy of
        the public headers."""
        outside = os.path.join(self.folder.name, "outside")
        if not os.path.exists(outside):
            os.makedirs(os.path.join(outside, "include"))
            subprocess.run(["cp", "-r", os.path.join(TOP, "core/include/engram"),
                            os.path.join(outside, "include")], check=True)
            os.chmod(outside, 0o755)
            os.chmod(self.folder.name, 0o755)
        library = os.path.join(outside, source[:-2] + ".so")
        subprocess.run([CC, "-std=c17", "-D_GNU_SOURCE", "-shared", "-fPIC", "-fvisibility=hidden",
                        "-Wall", "-Werror", *definitions,
                        "-I", os.path.join(outside, "include"),
                        os.path.join(TOP, "tests/plugins/external", source), "-o", library],
                       check=True, cwd=outside)
        os.chmod(library, 0o755)
        return library

    def test_check_calls_the_tools_that_read(self):
        """Those that may write, or that ask something outside, abort when they are called."""
        told = self.run_engram("plugins", "check", self.build_plugin("own_tools.c")).stdout
        for line in (b"tool measure: called without arguments, it answers\n",
                     b"tool look_up: called without arguments, it answers: name: is missing",
                     b"tool write: not called, because it may write",
                     b"tool fetch: not called, because it asks"):
            self.assertIn(line, told)
        for fault, said in (('-DSCHEMA="{\\"type\\": }"',
                             b"tool measure: its schema is not a JSON object: input_schema:1:10: "),
                            ('-DSCHEMA="{\\"type\\": \\"array\\"}"',
                             b"tool measure: its input_schema lacks \"type\": \"object\""),
                            ('-DANSWER="{"',
                             b"tool measure: called without arguments, it answers neither"),
                            ('-DANSWER=""',
                             b"tool measure: called without arguments, it answers neither"),
                            ("-DKIND=7",
                             b"tool measure: called without arguments, it answers neither"),
                            ("-DSILENT", b"does not say why")):
            self.assertIn(said, self.run_engram("plugins", "check",
                                                self.build_plugin("own_tools.c", fault),
                                                expect=2).stderr)

    def test_plugin_from_outside(self):
        """A team's own detector: built with installed headers only, checked, then used."""
        library = self.build_plugin("own_detector.c")
        self.assertIn(b"detector rota", self.run_engram("plugins", "check", library).stdout)
        os.makedirs(os.path.join(self.home, "config"))
        with open(os.path.join(self.home, "config", "engram.conf"), "w") as f:
            f.write(f"plugins = sqlite memory {library}\n")
        notes = b"oncall: billing = Ada\n\noncall: billing = Grace\n\noncall: search = Ada\n"
        found = json.loads(self.run_engram("check", "--json", "-", stdin=notes, expect=1).stdout)
        self.assertEqual([(f["detection_tier"], f["explanation"]) for f in found["findings"]],
                         [("plugin:rota", "billing has two people on call.")])
        os.chmod(library, 0o777)
        self.assertIn(b"own_detector.so",
                      self.run_engram("plugins", "check", library, expect=2).stderr)

    def test_settings_that_a_plugin_does_not_read(self):
        library = self.build_plugin("own_tools.c", "-DSETTING=\"own_tools.limit\"",
                                    "-DNAME=\"own_tools\"")
        self.set_settings(
            f"plugins = sqlite memory nli secrets {library}\n"
            "[own_tools]\nlimit = 3\nlimti = 4\ncolour = red\n[nli]\ngaet = 0.3\n")
        told = self.run_engram("status").stderr.decode()
        for line in (":4: the plugin own_tools has no setting 'own_tools.limti'; "
                     "did you mean 'own_tools.limit'?",
                     ":5: the plugin own_tools has no setting 'own_tools.colour'; "
                     "it has own_tools.limit",
                     ":7: the plugin nli has no settings: 'nli.gaet' does nothing"):
            self.assertIn(line, told)
        self.assertEqual(told.count("warning"), 3, told)

    def set_settings(self, text):
        os.makedirs(os.path.join(self.home, "config"), exist_ok=True)
        with open(os.path.join(self.home, "config", "engram.conf"), "w") as f:
            f.write(text)

    def isa_of_another_cpu(self):
        return "avx2" if os.uname().machine == "aarch64" else "neon"

    def test_inference_follows_the_settings(self):
        """What doctor examines and the commands on models use is what the processes use; options
        are stronger."""
        self.env.pop("ENGRAM_ISA", None)
        text, pair = b'{"text":"The limit is 5."}\n', b'{"premise":"a","hypothesis":"b"}\n'
        stored = self.run_engram("embed", stdin=text).stdout
        isa = self.isa_of_another_cpu()
        self.set_settings(f"isa = {isa}\n")
        told = [(one["what"], one["detail"]) for one in self.ask("doctor", expect=2)["checks"]
                if not one["ok"]]
        self.assertEqual([what for what, _ in told], ["engine"])
        self.assertIn(f"ISA {isa} does not run", told[0][1])
        for words, stdin in ((["embed"], text), (["nli"], pair), (["bench", "nli"], b""),
                             (["bench", "model", "--quick"], b"")):
            self.assertIn(isa.encode(), self.run_engram(*words, stdin=stdin, expect=2).stderr,
                          words)
        self.assertEqual(self.run_engram("embed", "--isa", "scalar", stdin=text).stdout, stored)
        self.set_settings("threads = 1\nisa = scalar\nformat = f32\n")
        engine = [one["detail"] for one in self.ask("doctor")["checks"]
                  if one["what"] == "engine"][0]
        self.assertIn("ISA scalar, 1 threads", engine)
        self.assertNotEqual(self.run_engram("embed", stdin=text).stdout, stored)
        self.assertEqual(self.run_engram("embed", "--format", "auto", "--threads", "2", "--isa",
                                         "auto", stdin=text).stdout, stored)

    def test_doctor_looks_at_the_kind_of_a_model(self):
        self.set_settings("[model]\nnli = engram-embed-0\n")
        told = {one["what"]: one["detail"] for one in self.ask("doctor", expect=2)["checks"]
                if not one["ok"]}
        self.assertEqual(list(told), ["model.nli"])
        self.assertIn("gives embeddings", told["model.nli"])

    def test_doctor_lists_settings_when_one_is_wrong(self):
        self.set_settings("[detection]\nwait = 5\n")
        said = self.run_engram("doctor", expect=2).stdout
        self.assertEqual(said.count(b"no setting 'detection.wait'"), 1)
        self.assertIn(b"1 problem:", said)
        self.assertIn(b"the defaults", said)
        self.assertRegex(said, rb"detection\.wait_ms +1000  \(default\)")
        told = self.ask("doctor", expect=2)
        self.assertEqual([one["what"] for one in told["checks"] if not one["ok"]], ["host"])
        self.assertEqual(told["settings"]["detection.wait_ms"],
                         {"value": "1000", "origin": "default"})

    def test_long_lines(self):
        """One that is too long is told and the rest goes on, in bounded memory."""
        most = 4 << 20
        fits = json.dumps({"text": "a", "x": "y" * (most - 22)}).encode()
        self.assertEqual(len(fits), most)
        good = b'{"text":"a"}\n'
        lines = fits + b"\r\n" + good + b" " * (most + 1) + b"\n" + good + fits + b" "
        rows = [json.loads(line) for line in self.run_engram("embed", stdin=lines,
                                                             expect=2).stdout.splitlines()]
        self.assertEqual([list(row)[0] for row in rows],
                         ["embedding", "embedding", "error", "embedding", "error"])
        self.assertEqual(rows[2]["error"], f"line 3 has {most + 1} bytes: the limit is {most}")
        self.assertEqual(rows[0], rows[3])
        place, size = os.path.join(self.folder.name, "long.jsonl"), 600 << 20
        with open(place, "wb") as f:
            f.truncate(size)
            f.seek(size)
            f.write(b"\n" + good)
        with open(os.path.join(self.folder.name, "out"), "w+b") as out:
            child = subprocess.Popen([ENGRAM, "embed", "--threads", "1", place], stdout=out,
                                     stderr=subprocess.DEVNULL, env=self.env)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            rows = [json.loads(line) for line in out.read().splitlines()]
        self.assertEqual((child.returncode, [list(row)[0] for row in rows]),
                         (2, ["error", "embedding"]))
        self.assertLess(used.ru_maxrss << 10, size)

    def test_check_makes_no_store(self):
        notes = os.path.join(TOP, "tools/example/clean.md")
        said = self.run_engram("check", "--against-store", notes, expect=2)
        self.assertIn(b"there is no store at '" + self.home.encode(), said.stderr)
        self.assertEqual(said.stderr.count(b"engram:"), 1)
        self.assertEqual(said.stdout, b"")
        self.assertFalse(os.path.exists(os.path.join(self.home, "data")))
        self.ask("commit", "The pager rota has four people in it.")
        self.run_engram("check", "--against-store", notes)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
