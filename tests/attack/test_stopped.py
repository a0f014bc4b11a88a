#!/usr/bin/env python3
"""Another process holds a lock of the store and is stopped: reads are answered, writes end in time
with its number, cancel and ping always work.
usage: test_stopped.py [--long] ENGRAM"""
import fcntl
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time

import attack
from attack import Attack, Options

PATIENCE = 10  # seconds: WRITE_PATIENCE_MS of storage/sqlite/waiting.h
SOON = 5  # seconds: for what must not wait for the lock, on a busy machine


def hold(what, path):
    """The other process: takes a lock, says so, and stops."""
    if what == "write":
        db = sqlite3.connect(path, isolation_level=None)
        db.execute("BEGIN IMMEDIATE")
    else:
        lock = open(path, "w", encoding="ascii")  # pylint: disable=consider-using-with
        fcntl.flock(lock, fcntl.LOCK_EX)
    print("held", flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)
    time.sleep(3600)


class Stopped(Attack):
    def holder(self, what, path):
        child = subprocess.Popen([sys.executable, __file__, "hold", what, path],
                                 stdout=subprocess.PIPE)
        self.addCleanup(lambda: (child.kill(), child.wait(), child.stdout.close()))
        self.assertEqual(child.stdout.readline(), b"held\n")
        return child

    def test_a_writer(self):
        peer = self.serve()
        self.call(peer, "engram_commit", content="The gateway has two nodes.")
        child = self.holder("write", self.store)
        begun = time.monotonic()
        first = self.start(peer, "engram_commit", content="The gateway has three nodes.")
        second = self.start(peer, "engram_commit", content="The gateway has four nodes.")
        query = self.start(peer, "engram_query", topic="gateway")
        self.assertEqual(len(self.answer(peer, query, SOON)[0]["results"]), 1)
        self.call(peer, "engram_status", SOON)
        self.assertEqual(peer.ask("ping", timeout=SOON)["result"], {})
        peer.notify("notifications/cancelled", {"requestId": first})
        self.call(peer, "engram_query", SOON, topic="gateway")
        told, failed = self.answer(peer, second, PATIENCE + 2 * SOON)
        took = time.monotonic() - begun
        self.assertTrue(failed)
        self.assertIn(f"process {child.pid} has held the store", told)
        self.assertLess(took, PATIENCE + 2 * SOON)
        self.assertEqual(self.doctor(), {})
        child.kill()
        child.wait()
        self.call(peer, "engram_commit", content="The gateway has five nodes.")
        self.assertEqual(self.sql("SELECT count(*) FROM facts")[0][0], 2)
        rest, status = peer.finish()
        self.assertEqual(status, 0)
        self.assertNotIn(first, [m.get("id") for m in rest])

    def test_the_lock_of_the_opening(self):
        """A store that is current is opened without it; one that is to be made waits, and says for
        whom."""
        other = os.path.join(self.folder.name, "other")
        os.makedirs(os.path.join(other, "data"))
        new = self.holder("lock", os.path.join(other, "data", "engram.db.lock"))
        with subprocess.Popen([Options.engram, "status"], stderr=subprocess.PIPE,
                              env=dict(self.env, ENGRAM_HOME=other), text=True) as waits:
            self.fill(1)
            self.holder("lock", self.store + ".lock")
            for words in (["status"], ["query", "host"], ["commit", "The gateway has two nodes."]):
                self.run_engram(*words, timeout=SOON * 2)
            self.assertEqual(self.doctor(), {})
            self.call(self.serve(), "engram_status", SOON)
            said = waits.communicate(timeout=attack.WAIT)[1]
        self.assertEqual(waits.returncode, 2)
        self.assertIn(f"process {new.pid} has held '{other}/data/engram.db.lock'", said)

    def test_many_calls_at_once(self):
        """As many as a session may have and more, behind a writer that waits."""
        peer = self.serve()
        self.call(peer, "engram_commit", content="The gateway has two nodes.")
        self.holder("write", self.store)
        calls = [self.start(peer, "engram_commit", content=f"The gateway has {i} disks.")
                 for i in range(1100)]
        self.assertEqual(peer.ask("ping", timeout=SOON)["result"], {})
        refused = peer.wait_for(calls[-1], SOON)["error"]
        self.assertEqual(refused["code"], -32000)
        for number in calls:
            peer.notify("notifications/cancelled", {"requestId": number})
        self.call(peer, "engram_query", SOON, topic="gateway")
        rest, status = peer.finish()
        self.assertEqual(status, 0)
        self.assertTrue(all("error" in m for m in rest), json.dumps(rest[-3:]))


if __name__ == "__main__":
    if sys.argv[1] == "hold":
        hold(*sys.argv[2:])
    attack.main()
