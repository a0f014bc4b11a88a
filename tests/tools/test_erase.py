#!/usr/bin/env python3
"""Texts that are taken away for good: `engram erase` over the real program, and what is left of
them in the files.
usage: test_erase.py ENGRAM"""
import hashlib
import json
import os
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "attack"))
import attack  # noqa: E402

# words that stand in no program, and their form in the index of words
WORDS = ["Zanzibarine", "4711471", "Quokkafile", "Whyreason", "Annaperson"]


class Erase(attack.Attack):
    def setUp(self):
        super().setUp()
        self.env["ENGRAM_PLUGINS"] = "sqlite memory mcp rules secrets"

    def ask(self, *words, **env):
        return json.loads(self.run_engram(*words, "--json", **env).stdout)

    def commit(self, content, *words):
        return self.ask("commit", "--scope", "auth", *words, content)

    def undo_of(self, number):
        return self.run_engram("undo", str(number), expect=2).stderr

    def fill_it(self):
        """A text in as many places as there are: a fact, its copy by undo, given statements,
        evidence, explanations of conflicts, settlements, an audit that tells of them."""
        secret = self.commit("The Zanzibarine queue holds 4711471 entries.", "--agent", "bot",
                             "--statement", "The Zanzibarine queue holds 4711471 entries.",
                             "--provenance", "Quokkafile:3", "--engineer", "Annaperson")
        other = self.commit("The Zanzibarine queue holds 12 entries.", "--agent", "bot2")
        conflict = other["conflicts"][0]["conflict_id"]
        undo = self.ask("resolve", conflict, "--type", "winner", "--winner", other["fact_id"],
                        "--reason", "Whyreason 4711471")["undo_id"]
        self.run_engram("undo", str(undo))
        self.run_engram("resolve", conflict, "--type", "winner", "--winner", other["fact_id"],
                        "--reason", "Whyreason 4711471")
        self.run_engram("feedback", conflict, "--verdict", "true_positive")
        self.commit("The log is kept for 30 days.")
        return secret, other, conflict

    def traces(self, words, folder=None):
        """Which words stand in which files."""
        found = set()
        forms = {w: [w.encode(), w.lower().encode(), w.lower().encode().hex().encode()]
                 for w in words}
        for path, _, names in os.walk(folder or self.home):
            for name in names:
                with open(os.path.join(path, name), "rb") as f:
                    bytes_of = f.read()
                found |= {(name, w) for w in words if any(x in bytes_of for x in forms[w])}
        return found

    def test_hard_leaves_no_trace(self):
        secret, other, conflict = self.fill_it()
        peer = self.serve()  # so that there is a log, and others use the store
        self.call(peer, "engram_query", topic="Zanzibarine queue")
        with open(self.store + ".v4", "w", encoding="utf-8") as f:
            f.write("a copy with Zanzibarine")
        self.assertEqual({w for _, w in self.traces(WORDS)}, set(WORDS))
        self.assertIn("add --yes", self.run_engram("erase", "--hard", secret["fact_id"],
                                                   expect=2).stderr)
        looked = self.ask("erase", "--dry-run", secret["fact_id"])
        self.assertEqual((looked["facts"], looked["dry_run"]), (2, True))  # it and its copy
        self.assertEqual({w for _, w in self.traces(WORDS)}, set(WORDS))
        done = self.ask("erase", "--hard", "--yes", secret["fact_id"])
        self.assertEqual((done["facts"], done["purged"], done["copies_removed"]), (2, True, 1))
        # the other fact says Zanzibarine too
        self.assertEqual({w for _, w in self.traces(WORDS)}, {"Zanzibarine"})
        self.assertEqual(self.doctor("--deep"), {})
        self.assertEqual(self.sql("SELECT count(*) FROM vectors v JOIN facts f ON f.key = v.fact "
                                  "WHERE f.close_reason = 6"), [(0,)])
        # the rest is there
        found = self.call(peer, "engram_query", topic="queue entries log", include_history=True)
        self.assertEqual({f["content"] for f in found["results"]},
                         {"The Zanzibarine queue holds 12 entries.",
                          "The log is kept for 30 days."})
        shown = self.ask("conflicts", conflict)
        self.assertEqual(shown["conflicts"][0]["explanation"], "[erased]")
        self.assertEqual(shown["conflicts"][0]["status"], "resolved")
        self.assertIn("a fact that was erased", self.run_engram("conflicts", conflict).stdout)
        self.assertNotIn("4711471", self.run_engram("export", "--all").stdout)
        self.assertIn("no fact with that id", self.run_engram("undo", "1", expect=2).stderr)
        # what was erased may be committed anew, under another id
        self.assertFalse(self.commit("The Zanzibarine queue holds 4711471 entries.")["duplicate"])
        self.run_engram("erase", "--hard", "--yes", other["fact_id"])
        self.run_engram("erase", "--hard", "--yes", "--scope", "/")
        self.assertEqual(self.traces(WORDS), set())
        self.assertEqual(self.doctor("--deep"), {})

    def dump(self):
        with sqlite3.connect(self.store) as db:
            text = "\n".join(db.iterdump())
        db.close()
        return text

    def test_soft_then_hard(self):
        secret, *_ = self.fill_it()
        before = self.dump()
        digest = hashlib.sha256(b"The Zanzibarine queue holds 4711471 entries.").hexdigest()
        done = self.ask("erase", "--yes", secret["fact_id"][-12:])
        self.assertEqual((done["facts"], done["purged"]), (2, False))
        # no row has it, nor a hash of it by which somebody could confirm a guess
        after = self.dump()
        for one in ("4711471", "4711471".encode().hex(), digest):
            self.assertIn(one, before)
            self.assertNotIn(one, after)
        self.assertEqual(self.sql("SELECT DISTINCT content_hash FROM facts WHERE close_reason = 6"),
                         [(bytes(32),)])
        self.assertEqual(self.doctor("--deep"), {})
        again = self.ask("erase", "--yes", "--hard", secret["fact_id"])
        self.assertEqual((again["facts"], again["purged"]), (0, True))
        self.assertEqual({w for _, w in self.traces(WORDS)}, {"Zanzibarine"})

    def test_hard_leaves_no_vector(self):
        del self.env["ENGRAM_MODEL_EMBED"]
        secret = self.commit("The Zanzibarine queue holds 4711471 entries.")
        other = self.commit("Backups of the shop are kept for 30 days.")
        of = {}
        for fact in (secret, other):
            id_of = fact["fact_id"].replace("-", "")
            rows = self.sql("SELECT v.s8, f.f32 FROM vectors v JOIN vectors_f32 f ON f.key = v.key "
                            f"WHERE v.fact = (SELECT key FROM facts WHERE id = x'{id_of}')")
            self.assertGreater(len(rows), 0)
            of[fact["fact_id"]] = [bytes_of[:64] for row in rows for bytes_of in row]

        def stored(fact):
            files = []
            for path, _, names in os.walk(self.home):
                for name in names:
                    with open(os.path.join(path, name), "rb") as f:
                        files.append(f.read())
            return [any(one in text for text in files) for one in of[fact["fact_id"]]]
        self.assertTrue(all(stored(secret)))
        self.run_engram("erase", "--hard", "--yes", secret["fact_id"])
        self.assertFalse(any(stored(secret)))
        self.assertTrue(all(stored(other)))

    def tampered(self, fact, content):
        """Whether doctor sees another text of this fact."""
        self.assertEqual(self.doctor(), {})
        id_of = fact.replace("-", "")
        self.sql(f"UPDATE facts SET content = content || ' Really.' WHERE id = x'{id_of}'")
        seen = "the text of the fact " + fact in self.doctor().get("audit", "")
        self.sql(f"UPDATE facts SET content = '{content}' WHERE id = x'{id_of}'")
        return seen

    def test_the_digests_of_others_stay(self):
        """Records that store one fact and name another: an update, a merge, an undo."""
        old = self.commit("The Zanzibarine queue holds 4711471 entries.")
        new = self.commit("The queue of orders holds 12 entries.", "--corrects", old["fact_id"])
        side = self.commit("The port of Quokkafile is 8080.")
        other = self.commit("The port of Quokkafile is 9090.")
        self.ask("resolve", other["conflicts"][0]["conflict_id"], "--type", "merge",
                 "--merged-content", "Quokkafile listens on both.", "--reason", "seen")
        merged = json.loads(self.run_engram("facts", "--json").stdout.splitlines()[0])
        self.assertEqual(merged["content"], "Quokkafile listens on both.")
        texts = {new["fact_id"]: "The queue of orders holds 12 entries.",
                 merged["fact_id"]: "Quokkafile listens on both.",
                 other["fact_id"]: "The port of Quokkafile is 9090."}
        for gone in (old, side):
            self.run_engram("erase", "--hard", "--yes", gone["fact_id"])
            for fact, content in texts.items():
                self.assertTrue(self.tampered(fact, content), (gone, content))
        # what was kept for others goes with them in its turn
        for fact, content in texts.items():
            digest = hashlib.sha256(content.encode()).hexdigest()
            self.assertIn(digest, self.dump())
            self.run_engram("erase", "--hard", "--yes", fact)
            self.assertNotIn(digest, self.dump())
            self.assertEqual({d for d in self.traces([digest])}, set())
        self.assertEqual(self.doctor("--deep"), {})

    def test_by_agent_and_scope(self):
        self.fill_it()
        self.run_engram("commit", "--scope", "auth/jwt", "--agent", "bot", "The key is 2048 bits.")
        self.run_engram("commit", "--scope", "db", "--agent", "bot", "--durability", "ephemeral",
                        "A note.")
        self.assertEqual(self.ask("erase", "--agent", "bot", "--dry-run")["facts"], 4)
        self.assertEqual(self.ask("erase", "--agent", "bot", "--scope", "db", "--dry-run")["facts"],
                         1)
        self.assertEqual(self.ask("erase", "--scope", "auth", "--dry-run")["facts"], 5)
        self.assertEqual(self.ask("erase", "--agent", "bot", "--yes")["facts"], 4)
        left = self.run_engram("export", "--all").stdout
        self.assertNotIn('"bot"', left)
        self.assertEqual(left.count('"record":"fact"'), 2)
        self.assertIn("no fact matches", self.run_engram("erase", "--agent", "bot",
                                                         "--yes").stderr)
        self.assertEqual(self.doctor("--deep"), {})

    def test_open_conflicts_end(self):
        first = self.commit("The port is 8080.")
        self.commit("The port is 9090.")
        self.assertEqual(len(self.ask("conflicts")["conflicts"]), 1)
        self.assertEqual(self.ask("erase", "--yes", first["fact_id"])["conflicts_ended"], 1)
        self.assertEqual(self.ask("conflicts")["conflicts"], [])
        self.assertEqual(self.ask("status")["conflicts_open"], 0)

    def test_free_pages(self):
        """What was deleted before, without care, may still stand in them."""
        self.commit("The port is 8080.")
        self.sql("PRAGMA secure_delete = OFF", "CREATE TABLE t (a)",
                 f"INSERT INTO t VALUES ('{'Zanzibarine ' * 3000}')")
        self.sql("PRAGMA secure_delete = OFF", "DROP TABLE t", "PRAGMA wal_checkpoint(TRUNCATE)")
        self.assertEqual(self.traces(WORDS), {("engram.db", "Zanzibarine")})
        self.run_engram("erase", "--hard", "--scope", "nowhere")
        self.assertEqual(self.traces(WORDS), set())
        self.assertEqual(self.doctor("--deep"), {})

    def test_nothing_brings_it_back(self):
        first = self.commit("The auth service listens on port 8080.")
        other = self.commit("The auth service listens on port 9090.")
        conflict = other["conflicts"][0]["conflict_id"]
        settled = self.ask("resolve", conflict, "--type", "both_valid", "--reason", "two hosts")
        self.run_engram("erase", "--yes", first["fact_id"])
        self.assertIn("no fact with that id", self.undo_of(first["undo_id"]))
        self.assertIn("a fact of the conflict was erased", self.undo_of(settled["undo_id"]))
        self.assertIn("'erase' cannot be undone", self.undo_of(settled["undo_id"] + 1))
        self.assertIn("names no lineage", self.run_engram(
            "commit", "--corrects", first["fact_id"], "The port is 1.", expect=2).stderr)
        self.assertIn("was erased", self.run_engram(
            "resolve", conflict, "--type", "dismissed", "--reason", "x", expect=2).stderr)
        # a settled pair without its text settles nothing
        path = os.path.join(self.folder.name, "a.md")
        with open(path, "w", encoding="utf-8") as f:
            f.write("The auth service listens on port 7070.\n")
        self.assertIn("9090", self.run_engram("check", "--against-store", path, expect=1).stdout)

    def test_others_that_read(self):
        """The log cannot be emptied while somebody reads: that is told, and tried again."""
        secret, *_ = self.fill_it()
        db = sqlite3.connect(self.store, isolation_level=None)
        db.execute("BEGIN")
        db.execute("SELECT count(*) FROM facts").fetchall()
        said = self.run_engram("erase", "--hard", "--yes", secret["fact_id"], expect=2).stderr
        self.assertIn("2 facts were erased, but not yet from the bytes", said)
        self.assertIn("give the same command again", said)
        self.assertIn("4711471", {w for _, w in self.traces(WORDS)})
        db.execute("COMMIT")
        db.close()
        self.assertTrue(self.ask("erase", "--hard", "--yes", secret["fact_id"])["purged"])
        self.assertEqual({w for _, w in self.traces(WORDS)}, {"Zanzibarine"})

    def test_an_erased_fact_does_not_come_back_by_an_import(self):
        secret, *_ = self.fill_it()
        path = os.path.join(self.folder.name, "memory.jsonl")
        self.run_engram("export", path)
        self.run_engram("erase", "--yes", secret["fact_id"])
        self.assertIn("a fact that was erased", self.run_engram("import", path, expect=2).stderr)
        self.assertNotIn("4711471", self.run_engram("export", "--all").stdout)

    def test_wrong_input(self):
        self.commit("The port is 8080.")
        for words, said in (([], "say what to erase"), (["--yes"], "say what to erase"),
                            (["1234", "--scope", "a"], "give either FACT_ID"),
                            (["x"], "not a valid id"), (["00000000"], "no id in this workspace"),
                            (["--scope", "A b"], "scope holds")):
            self.assertIn(said, self.run_engram("erase", *words, expect=2).stderr)


if __name__ == "__main__":
    attack.main()
