#!/usr/bin/env python3
"""The life of a fact from the command line: listing, showing, changing and closing facts, with
right and wrong input.
usage: test_life.py ENGRAM"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

ENGRAM = os.path.abspath(sys.argv[1])
PORTS = ("The auth service runs on port 8080.", "The auth service runs on port 9090.")


class Life(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("ENGRAM_")
                    or k == "ENGRAM_ISA"}
        self.env.update(ENGRAM_HOME=os.path.join(self.folder.name, "home"), ENGRAM_WORKSPACE="test",
                        HOME=os.path.join(self.folder.name, "nobody"))

    def run_engram(self, *words, stdin="", expect=0, **env):
        done = subprocess.run([ENGRAM, *words], input=stdin.encode(), capture_output=True,
                              env={**self.env, **env}, timeout=120, cwd=self.folder.name)
        self.assertEqual(done.returncode, expect, (words, done.stdout[-500:], done.stderr[-500:]))
        return done.stdout.decode(), done.stderr.decode()

    def out(self, *words, **more):
        return self.run_engram(*words, **more)[0]

    def ask(self, *words, **more):
        return json.loads(self.out(*words, "--json", **more))

    def fails(self, *words, **more):
        return self.run_engram(*words, expect=2, **more)[1]

    def facts(self, *words):
        """The facts of a listing, as objects."""
        return [json.loads(line) for line in self.out("facts", *words, "--json").splitlines()]

    def commit(self, content, *words):
        return self.ask("commit", content, "--wait-ms", "20000", *words)

    def test_facts(self):
        self.assertEqual(self.out("facts"), "no facts\n")
        self.commit(PORTS[0], "--scope", "auth", "--agent", "alice")
        self.commit(PORTS[1], "--scope", "auth/port", "--agent", "bob")
        self.commit("Vouchers hold\n24 months.", "--scope", "shop", "--ttl-days", "3", "--type",
                    "decision")
        lines = self.out("facts").splitlines()
        self.assertEqual(lines[0].split(), ["ID", "COMMITTED", "SCOPE", "AGENT", "STATE", "FACT"])
        self.assertEqual(len(lines), 4)  # a line a fact, whatever its text
        self.assertTrue(lines[1].endswith("current   Vouchers hold 24 months."), lines[1])
        self.assertIn("bob    disputed  " + PORTS[1], lines[2])
        self.assertEqual([f["agent_id"] for f in self.facts("--scope", "auth")], ["bob", "alice"])
        self.assertEqual([f["agent_id"] for f in self.facts("--agent", "alice")], ["alice"])
        self.assertEqual(len(self.facts("--type", "decision")), 1)
        self.assertEqual(len(self.facts("--since", "1h")), 3)
        self.assertEqual(self.facts("--since", "2100-01-01"), [])
        self.assertEqual(self.facts("--as-of", "yesterday"), [])
        out, err = self.run_engram("facts", "--limit", "2")
        self.assertEqual(len(out.splitlines()), 3)
        cursor = err.split("--cursor ")[1].strip()
        rest = self.facts("--cursor", cursor)
        self.assertEqual([f["content"] for f in rest], [PORTS[0]])
        expiring = self.out("facts", "--expiring", "7d").splitlines()
        self.assertEqual(len(expiring), 2)
        self.assertIn("EXPIRES", expiring[0])
        self.assertEqual(self.out("facts", "--expiring", "2d"), "no facts\n")

    def test_many_facts(self):
        """Pages of the tool are joined: a script gets all, each once."""
        for i in range(5):
            self.commit(f"Fact number {i} stands alone.", "--operation", "add")
        one = [f["content"] for f in self.facts()]
        self.assertEqual(one, [f"Fact number {i} stands alone." for i in (4, 3, 2, 1, 0)])
        self.assertEqual(len(self.facts("--limit", "4")), 4)

    def test_wrong_words_of_facts(self):
        for words, said in (
                (["--since", "soon"], "--since: 'soon' is not a valid time"),
                (["--as-of", "2026-13-01"], "--as-of: '2026-13-01' is not a valid time"),
                (["--limit", "none"], "--limit is 'none'"), (["--limit", "0"], "--limit is '0'"),
                (["--limit", "1.5"], "--limit is '1.5'"), (["--cursor", "x"], "--cursor: 'x'"),
                (["--expiring", "7y"], "--expiring: '7y' is not a length of time"),
                (["--expiring", "7d", "--all"], "leave --all out"),
                (["--scope", "A b"], "scope"), (["--type", "guess"], "guess"),
                (["auth"], "`engram query` finds facts about a topic")):
            self.assertIn(said, self.fails("facts", *words))

    def test_show(self):
        first = self.commit(PORTS[0], "--scope", "auth", "--agent", "alice", "--provenance",
                            "main.c:7")["fact_id"]
        second = self.commit(PORTS[1], "--scope", "auth", "--agent", "bob")
        conflict = second["conflicts"][0]["conflict_id"]
        self.ask("resolve", conflict, "--type", "winner", "--winner", first, "--reason", "seen")
        said = self.out("show", first)
        for line in ("fact " + first, "  " + PORTS[0], "scope      auth", "by         alice",
                     "evidence   main.c:7", "until something replaces it",
                     "  settled: winner by cli: seen"):
            self.assertIn(line, said)
        self.assertNotIn("DISPUTED", said)
        self.assertNotIn("versions", said)
        self.assertIn("resolved by cli", self.out("show", second["fact_id"]))
        new = self.commit("The auth service runs on port 8181.", "--scope", "auth", "--corrects",
                          first)["fact_id"]
        said = self.out("show", first[-8:])
        self.assertIn("fact " + first, said)  # the one that was named, not the latest
        self.assertIn("superseded by cli", said)
        self.assertIn("versions, oldest first:\n* 1  " + first[-8:], said)
        self.assertIn("  2  " + new[-8:], said)
        asked = self.ask("show", new)
        self.assertEqual((asked["fact_id"], len(asked["versions"]), len(asked["conflicts"])),
                         (new, 2, 1))
        # by the beginning of its id, as long as that is its own; else it says whose it may be
        self.assertIn("fact " + new, self.out("show", new[:28]))
        said = self.fails("show", first[:4])
        self.assertIn(f"FACT_ID '{first[:4]}' matches several ids: {first}", said)
        self.assertIn("is not a valid id", self.fails("show", "x"))
        self.assertIn("no id in this workspace ends with these digits, or begins with them",
                      self.fails("show", "ffffffff"))
        self.assertIn("show needs one FACT_ID", self.fails("show"))
        self.assertIn("show needs one FACT_ID", self.fails("show", first, new))


    def test_edit(self):
        old = self.commit("Vouchers hold 24 months.", "--scope", "shop", "--type", "decision",
                          "--confidence", "0.6", "--provenance", "shop.md:3", "--ttl-days",
                          "30")["fact_id"]
        new = self.ask("edit", old[-8:], "--content", "Vouchers hold 12 months.")
        self.assertEqual((new["operation"], new["supersedes_fact_id"]), ("update", old))
        fact = self.ask("show", new["fact_id"])["versions"][-1]
        self.assertEqual([fact[k] for k in ("content", "scope", "fact_type", "confidence",
                                            "provenance", "ttl_days")],
                         ["Vouchers hold 12 months.", "shop", "decision", 0.6, "shop.md:3", 30])
        # an earlier version is refused, and the current one named
        said = self.fails("edit", old, "--content", "Vouchers hold 6 months.")
        self.assertIn(f"FACT_ID '{old}' names a fact that was replaced; its current version is "
                      f"{new['fact_id']}", said)
        # from standard input, blanks at its ends apart
        third = self.ask("edit", new["fact_id"], stdin="\n Vouchers hold 6 months. \n")
        self.assertEqual(self.facts()[0]["content"], "Vouchers hold 6 months.")
        said = self.run_engram("edit", third["fact_id"], stdin="Vouchers hold 6 months.\n")
        self.assertEqual(said, ("", "engram: the text is the same: nothing was changed\n"))
        self.assertIn("the new text is empty", self.fails("edit", third["fact_id"], stdin=" \n"))
        moved = self.ask("edit", third["fact_id"], "--scope", "shop/eu", "--content",
                         "Vouchers hold 6 months.", "--reason", "only there")
        self.assertEqual(self.facts()[0]["scope"], "shop/eu")
        self.assertEqual(len(self.facts("--all")), 4)
        # it is compared as every commit is
        self.commit("Vouchers hold 9 months.", "--scope", "shop/eu", "--agent", "bob")
        self.assertEqual(len(self.ask("edit", moved["fact_id"], "--content",
                                      "Vouchers hold 18 months.")["conflicts"]), 1)
        self.assertIn("FACT_ID 'x' is not a valid id", self.fails("edit", "x"))
        self.assertIn("edit needs one FACT_ID", self.fails("edit"))

    def in_terminal(self, *words, **env):
        """What a command prints whose standard input is a terminal."""
        controller, terminal = os.openpty()
        try:
            done = subprocess.run([ENGRAM, *words], stdin=terminal, capture_output=True,
                                  env={**self.env, **env}, timeout=120)
        finally:
            os.close(controller)
            os.close(terminal)
        return done.returncode, (done.stdout + done.stderr).decode()

    def test_edit_in_an_editor(self):
        fact = self.commit("Vouchers hold 24 months.")["fact_id"]
        drafts = os.path.join(self.folder.name, "drafts with a blank")
        os.mkdir(drafts)
        status, said = self.in_terminal("edit", fact, EDITOR="sed -i s/24/48/", TMPDIR=drafts)
        self.assertEqual(status, 0, said)
        self.assertEqual(self.facts()[0]["content"], "Vouchers hold 48 months.")
        self.assertEqual(os.listdir(drafts), [])
        now = self.facts()[0]["fact_id"]
        for editor, said in (("false", "ended with status 1: nothing was changed"),
                             ("true", "the text is the same"),
                             ("truncate -s 0", "the new text is empty"),
                             ("", "set EDITOR to the editor that you want")):
            self.assertIn(said, self.in_terminal("edit", now, EDITOR=editor, VISUAL="")[1])
        # nobody is asked to write what would be refused
        self.assertIn("its current version is " + now,
                      self.in_terminal("edit", fact, EDITOR="touch " + drafts + "/asked")[1])
        self.assertEqual(os.listdir(drafts), [])
        self.assertEqual(len(self.facts("--all")), 2)

    def test_delete(self):
        self.commit(PORTS[0], "--scope", "auth", "--agent", "alice")
        fact = self.commit(PORTS[1], "--scope", "auth", "--agent", "bob")["fact_id"]
        done = self.ask("delete", fact[-8:], "--reason", "a typing error", "--agent", "carol")
        self.assertEqual((done["operation"], done["fact_id"]), ("delete", fact))
        said = self.out("show", fact)
        self.assertIn("deleted by carol", said)
        self.assertIn("the fact was deleted: a typing error", said)
        self.assertEqual(len(self.facts()), 1)
        self.assertEqual(len(self.facts("--all")), 2)
        self.assertIn("names a fact that was closed", self.fails("delete", fact))
        self.ask("undo", str(done["undo_id"]))
        self.assertEqual([f["content"] for f in self.facts()], [PORTS[1], PORTS[0]])
        self.assertIn("delete needs one FACT_ID", self.fails("delete"))
        key = "see ghp_" + "k3J9sQ2vX7mB5nT1wL8zR4yC6fD0gH" + "aPeUio"
        self.assertIn("--reason", self.fails("delete", self.facts()[0]["fact_id"], "--reason", key))


    def test_timeline_and_diff(self):
        self.assertEqual(self.out("timeline"), "nothing happened\n")
        old = self.commit(PORTS[0], "--scope", "auth", "--agent", "alice")["fact_id"]
        other = self.commit("Vouchers hold 24 months.", "--scope", "shop")["fact_id"]
        between = self.facts()[0]["committed_at"]
        new = self.ask("edit", old, "--content", PORTS[1], "--agent", "bob")["fact_id"]
        self.ask("delete", other, "--agent", "carol")
        self.commit("Prices are in euros.", "--scope", "shop")
        lines = self.out("timeline").splitlines()
        self.assertRegex(lines[0], r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  added     .*euros")
        self.assertIn("closed    " + other[-8:], lines[1])
        self.assertEqual(lines[2].strip(), "deleted by carol")
        self.assertIn(f"changed   {new[-8:]}  {PORTS[1]}  [auth, bob]", lines[3])
        self.assertEqual(lines[4].strip(), f"was {old[-8:]}  {PORTS[0]}")
        self.assertEqual(len(lines), 7)
        events = [json.loads(line) for line in self.out("timeline", "--json").splitlines()]
        self.assertEqual([e["event"] for e in events],
                         ["added", "closed", "changed", "added", "added"])
        err = self.run_engram("timeline", "--limit", "2")[1]
        rest = self.out("timeline", "--json", "--cursor", err.split("--cursor ")[1].strip())
        self.assertEqual([json.loads(line) for line in rest.splitlines()], events[2:])
        self.assertEqual(len(self.out("timeline", "--scope", "auth", "--json").splitlines()), 2)
        self.assertEqual(self.out("timeline", "--until", "yesterday"), "nothing happened\n")

        said = self.out("diff", between)
        self.assertTrue(said.endswith("1 added, 1 changed, 1 closed\n"), said)
        self.assertIn(f"~ {new[-8:]}  {PORTS[1]}  [auth, bob]\n  was {old[-8:]}  {PORTS[0]}", said)
        self.assertIn(f"- {other[-8:]}  Vouchers hold 24 months.", said)
        asked = self.ask("diff", between)
        self.assertEqual([len(asked[k]) for k in ("added", "changed", "closed")], [1, 1, 1])
        self.assertEqual(self.out("diff", "1h", between, "--scope", "shop").splitlines()[-1],
                         "1 added, 0 changed, 0 closed")
        for words, said in ((["timeline", "x"], "timeline takes no arguments"),
                            (["timeline", "--since", "x"], "--since: 'x' is not a valid time"),
                            (["timeline", "--cursor", "x"], "--cursor is 'x'"),
                            (["diff"], "diff needs one time or two"),
                            (["diff", "1d", "2d"], "exchange them"),
                            (["diff", "soon"], "'soon' is not a valid time")):
            self.assertIn(said, self.fails(*words))


    def test_pin_archive_restore(self):
        fact = self.commit("Vouchers hold 24 months.", "--scope", "shop", "--ttl-days",
                           "3")["fact_id"]
        self.assertEqual(self.out("pin", fact[-8:]),
                         f"pin: fact {fact[-8:]}  Vouchers hold 24 months.\n")
        self.assertIn("  pinned  ", self.out("facts"))
        self.assertIn("durable, pinned", self.out("show", fact))
        self.assertEqual(self.out("facts", "--expiring", "30d"), "no facts\n")
        new = self.ask("edit", fact, "--content", "Vouchers hold 12 months.")["fact_id"]
        self.assertTrue(self.facts()[0]["pinned"])
        self.out("unpin", new)
        self.assertNotIn("pinned", self.facts()[0])
        done = self.ask("archive", new, "--reason", "no vouchers any more")
        self.assertEqual(done["fact"]["close_reason"], "archived")
        self.assertEqual(self.out("query", "vouchers"), "nothing is known about that\n")
        self.assertIn("archived", self.out("facts", "--all"))
        back = self.ask("restore", new)["fact"]["fact_id"]
        self.assertEqual([f["fact_id"] for f in self.facts()], [back])
        self.assertIn("brought back", self.out("show", back))
        for command in ("pin", "unpin", "archive", "restore", "promote"):
            self.assertIn(f"{command} needs one FACT_ID", self.fails(command))
            self.assertIn("FACT_ID 'x' is not a valid id", self.fails(command, "x"))
        self.assertIn("FACT_ID '%s' names a fact that is not current: it was archived" % new,
                      self.fails("pin", new))
        self.assertIn("an equal fact is current", self.fails("restore", new))


    def batch(self, *lines, words=(), expect=0):
        """What --batch prints of these lines: texts, or objects."""
        path = os.path.join(self.folder.name, "facts.jsonl")
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(line if isinstance(line, str) else json.dumps(line)
                              for line in lines) + "\n")
        return self.run_engram("commit", "--batch", path, *words, expect=expect)

    def test_batch(self):
        lines = ({"content": PORTS[0], "scope": "auth"}, "",
                 {"content": PORTS[1], "scope": "auth", "agent_id": "bob"},
                 {"content": PORTS[0], "scope": "auth"}, {"content": "Builds take\ttwo hours."})
        out, err = self.batch(*lines, words=("--agent", "alice", "--scope", "ci"))
        said = out.splitlines()
        self.assertEqual(err, "")
        self.assertRegex(said[0], r"^line 1: add: fact [0-9a-f]{8}  \(undo 1\)$")
        self.assertRegex(said[1], r"^line 3: add: .*contradicts " + said[0].split()[4] + "$")
        self.assertRegex(said[2], r"^line 4: already known: fact " + said[0].split()[4])
        self.assertEqual(said[4], "3 stored, 1 already known, 0 refused; 2 conflicts: "
                                  "see `engram conflicts`")
        self.assertEqual([(f["agent_id"], f["scope"]) for f in self.facts()],
                         [("alice", "ci"), ("bob", "auth"), ("alice", "auth")])
        # once more: nothing new
        out = self.batch(*lines, words=("--json", "--agent", "alice", "--scope", "ci"))[0]
        rows = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([(r["line"], r["duplicate"]) for r in rows],
                         [(1, True), (3, True), (4, True), (5, True)])
        self.assertEqual(len(self.facts("--all")), 3)
        self.assertIn("1 stored", self.out("commit", "--batch", "-",
                                           stdin='{"content": "Tests run at night."}'))

    def test_batch_that_is_malformed(self):
        """All malformed lines are named, and nothing is stored."""
        err = self.batch({"content": "One stands alone."}, "no json", "[1]", {"contents": "x"},
                         {"content": 5}, {"content": "two", "confidence": 3}, {"content": ""},
                         '{"content": "a\\u0000b"}', '{"content": "a", "content": "b"}',
                         {"content": "Fine: \\u0000."}, expect=2)[1]
        for number, said in ((2, "column 1: "), (3, "column 1: an object"),
                             (4, "contents: unknown argument"), (5, "content: must be a string"),
                             (6, "confidence: must be 0 to 1, not 3"), (7, "content: is missing"),
                             (8, "a string contains the character U+0000"), (9, "content: is")):
            self.assertIn(f"facts.jsonl: line {number}: {said}", err)
        self.assertIn("nothing was stored: 8 of 10 lines are malformed", err)
        self.assertEqual(self.out("facts", "--all"), "no facts\n")

    def test_batch_of_which_some_are_refused(self):
        key = "see ghp_" + "k3J9sQ2vX7mB5nT1wL8zR4yC6fD0gH" + "aPeUio"
        lines = ({"content": "Builds run at night."}, {"content": key},
                 {"content": "x", "scope": "A b"},
                 {"operation": "delete", "corrects_lineage": "ffffffff"},
                 {"content": "Prices are in euros."})
        out, err = self.batch(*lines, expect=2)
        self.assertIn("2 stored, 0 already known, 3 refused; 0 conflicts", out)
        for number, said in ((2, "content contains what looks like"), (3, "scope holds ' '"),
                             (4, "corrects_lineage 'ffffffff'")):
            self.assertIn(f"line {number}: {said}", err)
        out = self.batch(*lines, words=("--json",), expect=2)[0]
        rows = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([(r["line"], "error" in r) for r in rows],
                         [(1, False), (2, True), (3, True), (4, True), (5, False)])
        self.assertEqual(len(self.facts()), 2)

    def test_wrong_words_of_batch(self):
        self.assertIn("cannot be read", self.fails("commit", "--batch", "nowhere"))
        self.assertIn("has no facts", self.fails("commit", "--batch", "-"))
        self.assertIn("leave 'x' out", self.fails("commit", "--batch", "-", "x"))
        for option in ("--statement", "--corrects"):
            self.assertIn("write it into the lines",
                          self.fails("commit", "--batch", "-", option, "x"))


sys.argv[1:] = sys.argv[2:]
unittest.main()
