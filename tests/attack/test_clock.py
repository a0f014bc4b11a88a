#!/usr/bin/env python3
"""A clock that is set far ahead does not stop the time of a store, and a store whose time stands
still is found and repaired.
usage: test_clock.py [--long] ENGRAM SHIM"""
import time

import attack
from attack import Attack, Options

YEAR = 365 * 86400


class Clock(Attack):
    def ahead(self, seconds):
        return {"LD_PRELOAD": Options.shim, "ATTACK_AHEAD": str(seconds)}

    def test_a_clock_far_ahead(self):
        for known in (False, True):  # a new store, and one with facts
            said = self.run_engram("commit", "The gateway has two nodes.", expect=2,
                                   **self.ahead(YEAR)).stderr
            self.assertIn("nothing was stored", said)
            self.assertIn("the clock of this process is more than a day ahead", said)
            told = self.run_engram("commit", f"The gateway has {known + 3} nodes.")
            self.assertEqual(told.returncode, 0)
            self.assertLess(self.sql("SELECT last_time FROM meta")[0][0] / 1e6, time.time() + 1)
        self.run_engram("commit", "The gateway has one balancer.", **self.ahead(3600))
        self.assertEqual(self.doctor(), {})

    def test_a_store_that_stands_still(self):
        self.fill(3)
        self.sql(f"UPDATE meta SET last_time = last_time + {YEAR} * 1000000",
                 f"UPDATE facts SET committed_at = committed_at + {YEAR} * 1000000, "
                 f"valid_from = valid_from + {YEAR} * 1000000 WHERE key = 3")
        found = self.doctor()
        self.assertEqual(list(found), ["time"])
        self.assertIn("engram doctor --repair-time", found["time"])
        self.run_engram("doctor", "--repair-time", expect=None)
        self.assertEqual(self.doctor(), {})
        latest = self.sql("SELECT max(committed_at) FROM facts")[0][0] / 1e6
        self.assertLess(abs(time.time() - latest), attack.WAIT)
        self.run_engram("commit", "The clock goes on.")
        self.assertGreater(self.sql("SELECT max(committed_at) FROM facts")[0][0] / 1e6, latest)


if __name__ == "__main__":
    attack.main("shim")
