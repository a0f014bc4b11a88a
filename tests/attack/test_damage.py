#!/usr/bin/env python3
"""A store that was changed past the program, or is damaged: doctor says so, and so does a server
that looks once a day.
usage: test_damage.py [--long] ENGRAM"""
import json
import os
import random
import time

import attack
from attack import Attack, Options

PAGE = 4096


class Damage(Attack):
    def test_a_whole_store(self):
        self.fill(20)
        self.assertEqual(self.doctor(), {})
        self.assertEqual(self.doctor("--deep"), {})

    def test_a_changed_audit(self):
        self.fill(4)
        for change, back, said in (
                ("UPDATE audit SET actor = 'mallory' WHERE id = 2",
                 "UPDATE audit SET actor = 'drive' WHERE id = 2", "row 2"),
                ("UPDATE audit SET at = at + 1 WHERE id = 3",
                 "UPDATE audit SET at = at - 1 WHERE id = 3", "row 3"),
                ("UPDATE workspaces SET name = 'other'", "UPDATE workspaces SET name = 'test'",
                 "workspace 'other'"),
                ("DELETE FROM audit WHERE id = (SELECT max(id) FROM audit)", None,
                 "its last rows are missing")):
            self.assertEqual(self.doctor(), {})
            self.sql(change)
            found = self.doctor()
            self.assertEqual(list(found), ["audit"], change)
            self.assertIn(said, found["audit"])
            if back:
                self.sql(back)

    def test_a_changed_text(self):
        """Also of a fact that came by a resolution, undo or an import."""
        self.env["ENGRAM_PLUGINS"] = "sqlite memory mcp rules secrets"
        first = json.loads(self.run_engram("commit", "--json", "The port is 8080.").stdout)
        other = json.loads(self.run_engram("commit", "--json", "The port is 9090.").stdout)
        conflict = other["conflicts"][0]["conflict_id"]
        merged = json.loads(self.run_engram(
            "resolve", "--json", conflict, "--type", "merge", "--merged-content",
            "It listens on both.", "--reason", "seen").stdout)
        self.run_engram("undo", str(merged["undo_id"]))
        facts = self.sql("SELECT hex(id), content FROM facts")
        self.assertEqual(len(facts), 5)  # two, one of both, and two that came back
        self.assertEqual(self.doctor(), {})
        moved = os.path.join(self.folder.name, "moved.jsonl")
        self.run_engram("export", moved)
        for home in (self.home, os.path.join(self.folder.name, "other")):
            self.env["ENGRAM_HOME"] = home
            self.store = os.path.join(home, "data", "engram.db")
            if home != self.home:
                self.run_engram("import", moved)
            self.assertEqual(self.doctor(), {})
            for fact, content in facts:
                self.sql(f"UPDATE facts SET content = content || ' Really.' WHERE id = x'{fact}'")
                found = self.doctor()
                self.assertEqual(list(found), ["audit"])
                self.assertIn("workspace 'test': the text of the fact", found["audit"])
                self.assertIn(fact[-12:].lower(), found["audit"])
                self.sql(f"UPDATE facts SET content = '{content}' WHERE id = x'{fact}'")
            self.assertEqual(self.doctor(), {})
            fact = first["fact_id"].replace("-", "")
            self.sql(f"UPDATE facts SET close_reason = 6 WHERE id = x'{fact}'")
            self.assertIn("nobody erased it", self.doctor()["audit"])
            self.sql(f"UPDATE facts SET close_reason = 5 WHERE id = x'{fact}'")

    def test_an_older_audit_without_digests(self):
        """Its chain was made without them, and stays valid."""
        self.fill(3)
        self.sql("UPDATE facts SET content = 'other' WHERE seq = 1")
        self.assertEqual(list(self.doctor()), ["audit"])
        # an erased payload, as a record of before tells nothing about texts
        self.sql("DELETE FROM audit_payloads WHERE id = 1")
        self.assertEqual(self.doctor(), {})

    def test_a_workspace_that_was_taken_away(self):
        self.fill(2)
        self.sql("DELETE FROM workspaces")
        self.assertIn("belongs to no workspace", self.doctor()["pages"])

    def test_damaged_pages(self):
        """Two pages in five, but not the first: without that one it is no store."""
        self.fill(60)
        with open(self.store, "rb") as f:
            whole = f.read()
        pages = len(whole) // PAGE
        self.assertGreater(pages, 30)
        for seed in range(40 if Options.long else 2):
            chance = random.Random(seed)
            damaged = bytearray(whole)
            for page in chance.sample(range(1, pages), pages * 2 // 5):
                damaged[page * PAGE:(page + 1) * PAGE] = chance.randbytes(PAGE)
            with open(self.store, "wb") as f:
                f.write(damaged)
            found = self.doctor()
            self.assertTrue(found.keys() & {"pages", "store"}, (seed, found))
            self.assertRegex(" ".join(found.values()), "damage|restore it", seed)

    def test_a_server_looks_once_a_day(self):
        self.fill(3)
        kept = os.path.join(self.home, "data", "verified")

        def looked(other_than=""):
            until = time.monotonic() + attack.WAIT
            while time.monotonic() < until:
                if os.path.exists(kept):
                    with open(kept, encoding="utf-8") as f:
                        if (text := f.read()) and text != other_than:
                            return text
                time.sleep(0.05)
            self.fail("nobody looked at the store")
        first = looked()
        self.sql("UPDATE audit SET actor = 'mallory' WHERE id = 2")
        peer = self.serve()
        self.assertNotIn("store_problem", self.call(peer, "engram_status"))
        peer.finish()
        with open(kept, encoding="utf-8") as f:
            self.assertEqual(f.read(), first)  # no day is over
        at, rest = first.split("\n", 1)
        with open(kept, "w", encoding="utf-8") as f:
            f.write(f"{int(at) - 25 * 3600 * 1000000}\n{rest}")
        with open(kept, encoding="utf-8") as f:
            old = f.read()
        peer = self.serve()
        looked(other_than=old)
        self.assertIn("row 2", self.call(peer, "engram_status")["store_problem"])


if __name__ == "__main__":
    attack.main()
