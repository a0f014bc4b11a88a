#!/usr/bin/env python3
"""Processes that write are killed at any moment, several at once: nothing that was acknowledged is
lost or comes back, and the store is whole. test_concurrency.c does that with the backend alone;
here it is the whole program: servers with their jobs and their worker that commit, replace and
delete facts, and commands that erase, import and export beside them.
usage: test_kill.py [--long [N]] ENGRAM"""
import json
import os
import random
import subprocess
import threading
import time

import attack
from attack import Attack, Failure, Options

SERVERS = 3
FOREVER = 9223372036854775807


class Known:
    """What was acknowledged. A text that is about to change is in neither set meanwhile: after a
    kill it may be either."""

    def __init__(self):
        self.there, self.closed, self.erased = set(), set(), set()
        self.counts = dict.fromkeys(("commits", "replaced", "deleted", "erased", "imports",
                                     "imported", "exports"), 0)


class Kill(Attack):
    def setUp(self):
        super().setUp()
        self.known = Known()
        self.running = []  # commands
        self.over = threading.Event()
        self.broken = []

    # ---- servers ----

    def write_until_killed(self, peer, name):
        """Commits, replaces and deletes, and notes what was acknowledged."""
        known, kept = self.known, []
        try:
            for i in range(100000):
                content = f"The writer {name} has the number {i}."
                told = self.call(peer, "engram_commit", content=content, wait_ms=i % 3)
                known.there.add(content)
                known.counts["commits"] += 1
                kept.append((told["fact_id"], content))
                if i % 5 < 3:
                    continue
                fact, old = kept.pop(0)
                known.there.discard(old)
                if i % 5 == 4:
                    self.call(peer, "engram_commit", operation="delete", content=old,
                              corrects_lineage=fact)
                    known.counts["deleted"] += 1
                else:
                    new = f"The writer {name} has another number, {i}."
                    self.call(peer, "engram_commit", operation="update", content=new,
                              corrects_lineage=fact)
                    known.there.add(new)
                    known.counts["replaced"] += 1
                known.closed.add(old)
        except (Failure, OSError) as e:
            if not self.over.is_set():  # else it was killed
                self.broken.append((name, repr(e)))
        except Exception as e:  # pylint: disable=broad-except
            self.broken.append((name, repr(e)))

    # ---- commands ----

    def command(self, *words):
        """What it printed; None where it was killed."""
        with subprocess.Popen([Options.engram, *words], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=self.env, cwd=self.folder.name) as process:
            self.running.append(process)
            told, said = process.communicate(timeout=attack.WAIT)
            if process.returncode == 0:
                return told
            # a full log that another process reads ends a hard erasure after the texts are gone
            if process.returncode > 0 and "another process reads the store" not in said:
                self.broken.append((words, process.returncode, said))
            return None

    def erase_until_over(self, name):
        known = self.known
        for i in range(100000):
            content = f"The eraser {name} has the number {i}."
            told = self.command("commit", "--json", "--wait-ms", "0", content)
            if self.over.is_set() or told is None:
                return
            known.there.add(content)
            known.counts["commits"] += 1
            known.there.discard(content)
            hard = ["--hard"] if i % 3 == 2 else []
            if self.command("erase", "--yes", *hard, json.loads(told)["fact_id"]) is not None:
                known.erased.add(content)
                known.counts["erased"] += 1
            if self.over.is_set():
                return

    def import_until_over(self, name):
        """A file of another memory, written here; and the own memory to a file."""
        known = self.known
        for i in range(100000):
            texts = [f"The import {name}-{i} brought the number {k}." for k in range(20)]
            path = self.write_export(f"{name}-{i}.jsonl", texts)
            if self.command("import", path) is None:
                return
            known.there.update(texts)
            known.counts["imports"] += 1
            known.counts["imported"] += len(texts)
            if self.over.is_set() or self.command("export", os.devnull) is None:
                return
            known.counts["exports"] += 1

    # ---- the attack ----

    def kill_all(self, peers, threads):
        """Kills what runs until the threads have seen that; how many were killed."""
        died = sum(peer.process.poll() is None for peer in peers)
        for peer in peers:
            peer.kill()
        until = time.monotonic() + attack.WAIT
        while any(one.is_alive() for one in threads) and time.monotonic() < until:
            for process in list(self.running):
                if process.poll() is None:
                    process.kill()
                    died += 1
                    self.running.remove(process)
            time.sleep(0.002)
        self.assertFalse(any(one.is_alive() for one in threads))
        self.running.clear()
        return died

    def check_known(self):
        rows = self.sql("SELECT content, valid_until FROM facts")
        current = {content for content, until in rows if until == FOREVER}
        self.assertEqual(self.known.there - current, set())
        self.assertEqual(self.known.closed & current, set())
        self.assertEqual(self.known.erased & {content for content, _ in rows}, set())

    def test_kill(self):
        chance = random.Random(3)
        died, rounds, wanted = 0, 0, Options.long or 20
        self.fill(1)
        while died < wanted:
            self.over.clear()
            peers = [self.serve() for _ in range(SERVERS)]
            threads = [
                threading.Thread(target=self.write_until_killed, args=(peer, f"{rounds}-{k}"))
                for k, peer in enumerate(peers)]
            threads += [threading.Thread(target=what, args=(str(rounds),))
                        for what in (self.erase_until_over, self.import_until_over)]
            for one in threads:
                one.start()
            time.sleep(chance.uniform(0.05, 1.5 if Options.long else 0.7))
            self.over.set()
            died += self.kill_all(peers, threads)
            self.end_peers()
            self.assertEqual(self.broken, [])
            rounds += 1
            if rounds % 10 == 4:
                self.assertEqual(self.doctor(), {}, rounds)
                self.check_known()
        self.assertEqual(self.doctor("--deep"), {})
        self.check_known()
        self.assertGreater(len(self.known.there), 0)
        attack.tell(("processes killed", died), ("rounds", rounds),
                    *((f"acknowledged: {what}", n) for what, n in self.known.counts.items()),
                    ("facts lost", 0))


if __name__ == "__main__":
    attack.main()
