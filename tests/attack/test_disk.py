#!/usr/bin/env python3
"""A disk that fails, is full, or loses its power in the middle of a write: each is called by its
name, and no commit that was acknowledged is lost.
usage: test_disk.py [--long] ENGRAM SHIM"""
import os
import random

import attack
from attack import Attack, Options


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

    def test_half_a_write(self):
        """The process dies in the Nth write, of which half is done."""
        self.fill(2)
        chance = random.Random(7)
        known, died = set(), 0
        for i in range(200 if Options.long else 8):
            self.say("")
            peer = self.serve(**self.attacked)
            self.say(f"torn {chance.randrange(1, 60)}")
            for k in range(12):
                content = f"The attempt {i} has the number {k}."
                try:
                    number = self.start(peer, "engram_commit", content=content, wait_ms=0)
                    self.assertFalse(self.answer(peer, number)[1])
                except Exception:  # pylint: disable=broad-except
                    died += 1  # as it should
                    break
                known.add(content)
            peer.kill()
            if i % 10 == 0:
                self.assertEqual(self.doctor(), {}, i)
        self.assertEqual(self.doctor("--deep"), {})
        self.assertGreater(died, 4)
        stored = {row[0] for row in self.sql("SELECT content FROM facts")}
        self.assertEqual(known - stored, set())


if __name__ == "__main__":
    attack.main("shim")
