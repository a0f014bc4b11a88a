#!/usr/bin/env python3
"""A disk that fails, is full, or loses its power in the middle of a write: each is called by its
name, and no commit that was acknowledged is lost.
usage: test_disk.py [--long [N]] ENGRAM SHIM"""
import json
import os
import random
import signal

import attack
from attack import Attack, Failure, Options


class Disk(Attack):
    def setUp(self):
        super().setUp()
        self.order = os.path.join(self.folder.name, "order")
        self.attacked = {"LD_PRELOAD": Options.shim, "ATTACK_ORDER": self.order,
                         "ATTACK_FILE": "engram.db"}

    def say(self, order):
        with open(self.order + ".new", "w", encoding="ascii") as f:
            f.write(order)
        os.replace(self.order + ".new", self.order)

    def test_reads_that_fail_for_a_while(self):
        """From the opening on, and in a server that runs."""
        self.fill(5)
        self.say("read-eio")
        for words in (["query", "host"], ["commit", "The gateway has two nodes."]):
            said = self.run_engram(*words, expect=2, **self.attacked).stderr
            self.assertIn("the disk or its driver failed", said)
            self.assertIn("try again", said)
            self.assertNotRegex(said, "damaged|no Engram store")
        self.say("")
        self.assertIn("host", self.run_engram("query", "host", **self.attacked).stdout)
        self.assertEqual(self.doctor(), {})

    def test_writes_that_fail(self):
        self.fill(2)
        peer = self.serve(**self.attacked)
        for order, words in (("full", "the disk is full"), ("write-eio", "the disk or its driver")):
            self.say(order)
            told, failed = self.answer(peer, self.start(
                peer, "engram_commit", content=f"The gateway writes {order}."))
            self.assertTrue(failed)
            self.assertIn(words, told)
            self.say("")
            self.call(peer, "engram_commit", content=f"The gateway writes {order}.")
        self.assertEqual(self.sql("SELECT count(*) FROM facts")[0][0], 4)
        self.assertEqual(self.doctor("--deep"), {})

    def test_reads_on_a_full_disk(self):
        """What only reads needs no space: SQLite cannot make the files beside the store, and does
        without them as long as nobody writes."""
        self.fill(3)
        self.say("full")
        for words in (["query", "host"], ["facts"], ["export"], ["conflicts"], ["status"],
                      ["stats"], ["timeline"]):
            self.run_engram(*words, **self.attacked)
        self.assertIn("host number 2", self.run_engram("facts", **self.attacked).stdout)
        self.assertNotIn("PROBLEM  store", self.run_engram("doctor", expect=None,
                                                           **self.attacked).stdout)
        said = self.run_engram("commit", "The gateway has two nodes.", expect=2,
                               **self.attacked).stderr
        self.assertIn("the disk is full", said)
        self.assertIn("nothing was stored", said)
        # a server reads on, until another process writes: then it has an old picture
        peer = self.serve(**self.attacked)
        self.assertIn("host number 2", str(self.call(peer, "engram_query", topic="host")))
        self.say("")
        self.assertIn("host number 2", str(self.call(peer, "engram_query", topic="host")))
        self.run_engram("commit", "The gateway has two nodes.")
        told, failed = self.answer(peer, self.start(peer, "engram_query", topic="host"))
        self.assertTrue(failed)
        self.assertIn("start this one again", told)
        self.assertEqual(self.doctor("--deep"), {})

    def test_half_a_write(self):
        """The process dies in the Nth write, of which half is done: a server in a commit, a
        replacement or a deletion, a command in an erasure or an import."""
        self.fill(2)
        chance = random.Random(7)
        there, gone, erased, imports = set(), set(), set(), []
        died, tries, wanted = 0, 0, Options.long or 8
        while died < wanted:
            tries += 1
            self.say("")
            if tries % 4 == 0:
                died += self.torn_commands(chance, tries, there, erased, imports)
            else:
                died += self.torn_server(chance, tries, there, gone)
            if tries % 10 == 0:
                self.assertEqual(self.doctor(), {}, tries)
        self.say("")
        self.assertEqual(self.doctor("--deep"), {})
        rows = self.sql("SELECT content, valid_until = 9223372036854775807 FROM facts")
        current, stored = {text for text, now in rows if now}, {text for text, _ in rows}
        self.assertEqual(there - current, set())
        self.assertEqual(gone & current, set())
        self.assertEqual(erased & stored, set())
        for texts in imports:  # whole, or not at all
            self.assertIn(len(texts & current), (0, len(texts)))
        self.assertGreater(len(there), 0)
        attack.tell(("processes died in half a write", died), ("attacks", tries),
                    ("facts acknowledged and there", len(there)),
                    ("facts acknowledged as gone", len(gone)),
                    ("facts acknowledged as erased", len(erased)),
                    ("imports, each whole or not there", len(imports)), ("facts lost", 0))

    def torn_server(self, chance, tries, there, gone):
        """How many died: one or none."""
        peer = self.serve(**self.attacked)
        self.say(f"torn {chance.randrange(1, 250)}")
        died = 0
        try:
            for k in range(6):
                self.torn_round(peer, f"The attempt {tries} has the number {k}.", there, gone)
        except (Failure, OSError):
            self.assertEqual(peer.process.wait(attack.WAIT), -signal.SIGKILL)
            died = 1
        self.end_peers()
        return died

    def torn_commands(self, chance, tries, there, erased, imports):
        """How many died of two."""
        secret = f"The attempt {tries} has a secret."
        fact = json.loads(self.run_engram("commit", "--json", secret).stdout)["fact_id"]
        texts = {f"The import {tries} brought the number {k}." for k in range(5)}
        imports.append(texts)
        path = self.write_export(f"{tries}.jsonl", sorted(texts))
        died = 0
        for words, most in ((["erase", "--yes", *(["--hard"] * (tries % 8 == 0)), fact], 400),
                            (["import", path], 200)):
            self.say(f"torn {chance.randrange(1, most)}")
            done = self.run_engram(*words, expect=None, **self.attacked)
            self.assertIn(done.returncode, (0, -signal.SIGKILL), done.stderr)
            died += done.returncode != 0
            if done.returncode == 0 and words[0] == "erase":
                erased.add(secret)
            elif done.returncode == 0:
                there |= texts
        return died

    def torn_round(self, peer, content, there, gone):
        """Three changes; what was acknowledged goes into there and gone."""
        told = self.call(peer, "engram_commit", content=content, wait_ms=0)
        other = content + " It is written twice."
        # from here on it may be either
        self.call(peer, "engram_commit", operation="update", content=other,
                  corrects_lineage=told["fact_id"], wait_ms=0)
        gone.add(content)
        if content.endswith(("1.", "4.")):
            self.call(peer, "engram_commit", operation="delete", content=other,
                      corrects_lineage=told["fact_id"])
            gone.add(other)
            return
        there.add(other)
        last = content + " It is the last."
        self.call(peer, "engram_commit", content=last, wait_ms=0)
        there.add(last)


if __name__ == "__main__":
    attack.main("shim")
