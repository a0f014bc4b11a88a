#!/usr/bin/env python3
"""Processes that write are killed at any moment, several at once: no commit that was acknowledged
is lost, and the store is whole. test_concurrency.c does that with the backend alone; here it is the
whole server, with its jobs and its worker.
usage: test_kill.py [--long] ENGRAM"""
import random
import threading
import time

import attack
from attack import Attack, Options

WRITERS = 4


class Kill(Attack):
    def write_until_killed(self, peer, name, known):
        """Commits, sometimes deletes again, and notes what was acknowledged."""
        kept = []
        try:
            for i in range(100000):
                content = f"The writer {name} has the number {i}."
                told = self.call(peer, "engram_commit", content=content, wait_ms=i % 3)
                known[content] = True
                kept.append((told["lineage_id"], content))
                if i % 5 == 4:
                    lineage, gone = kept.pop(0)
                    del known[gone]  # from here on it may be either
                    self.call(peer, "engram_commit", operation="delete", content=gone,
                              corrects_lineage=lineage)
        except Exception:  # pylint: disable=broad-except
            return  # it was killed

    def test_kill(self):
        chance = random.Random(3)
        known = {}
        self.fill(1)
        for i in range(100 if Options.long else 5):
            peers = [self.serve() for _ in range(WRITERS)]
            threads = [threading.Thread(target=self.write_until_killed,
                                        args=(peer, f"{i}-{k}", known))
                       for k, peer in enumerate(peers)]
            for one in threads:
                one.start()
            time.sleep(chance.uniform(0.05, 0.5))
            for peer in peers:
                peer.kill()
            for one in threads:
                one.join(attack.WAIT)
                self.assertFalse(one.is_alive())
            if i % 10 == 4:
                self.assertEqual(self.doctor(), {}, i)
        self.assertEqual(self.doctor("--deep"), {})
        current = {row[0] for row in self.sql(
            "SELECT content FROM facts WHERE valid_until = 9223372036854775807")}
        self.assertEqual(set(known) - current, set())
        self.assertGreater(len(known), 0)
        print(len(known), "acknowledged commits are there")


if __name__ == "__main__":
    attack.main()
