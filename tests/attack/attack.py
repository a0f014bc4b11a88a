"""attack.py - what the harnesses of this folder share: a home of its own for each attack, the
program on the command line and as a server, the doctor's opinion afterwards.

Each harness takes ENGRAM, the program, and --long [N]: as many attacks as prove something, which
take minutes, and how many processes are to die where the harness counts those. Without it only
enough run to see that the harness still attacks, in seconds. What it counted is printed as a table
at the end."""
import argparse
import contextlib
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "plugins", "mcp"))
from peer import Failure, Peer  # noqa: E402

LONG = 1000  # processes that die, where --long says no number
WAIT = 60  # seconds: for what a busy machine may take long for


class Options:
    """Of the command line: see main(). long: how many processes are to die, 0 for a few."""
    engram, shim, long = None, None, 0


FIGURES = []  # rows of the table at the end: what was counted, and how often


def tell(*rows):
    """Adds (words, number) to the table that main() prints."""
    FIGURES.extend(rows)


class Attack(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.home = os.path.join(self.folder.name, "home")
        self.store = os.path.join(self.home, "data", "engram.db")
        # models would only make the attacks slower
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("ENGRAM_")}
        self.env.update(ENGRAM_HOME=self.home, ENGRAM_WORKSPACE="test", ENGRAM_MODEL_EMBED="",
                        ENGRAM_MODEL_NLI="", ENGRAM_PLUGINS="sqlite memory mcp secrets")
        self.peers = []

    def tearDown(self):
        self.end_peers()
        self.folder.cleanup()

    def end_peers(self):
        for peer in self.peers:
            peer.kill()
            peer.reader.join()
            with contextlib.suppress(BrokenPipeError):  # what a killed server did not read
                peer.process.stdin.close()
            peer.process.stdout.close()
        self.peers.clear()

    def run_engram(self, *words, expect=0, timeout=WAIT, **env):
        done = subprocess.run([Options.engram, *words], capture_output=True, text=True, input="",
                              env=dict(self.env, **env), cwd=self.folder.name, timeout=timeout)
        if expect is not None:
            self.assertEqual(done.returncode, expect, (words, done.stdout[-900:], done.stderr))
        return done

    def serve(self, **env):
        """A client that has said initialize to a server of its own."""
        peer = Peer([Options.engram, "mcp"], dict(self.env, **env))
        self.peers.append(peer)
        peer.initialize("2025-11-25")
        return peer

    def start(self, peer, tool, **arguments):
        return peer.start("tools/call", {"name": tool, "arguments": arguments})

    def answer(self, peer, number, timeout=WAIT):
        """What the tool said, and whether that was a failure."""
        result = peer.wait_for(number, timeout)["result"]
        text = result["content"][0]["text"]
        return (text, True) if result.get("isError") else (json.loads(text), False)

    def call(self, peer, tool, timeout=WAIT, **arguments):
        told, failed = self.answer(peer, self.start(peer, tool, **arguments), timeout)
        self.assertFalse(failed, told)
        return told

    def fill(self, facts):
        """Commits so many facts through one server."""
        peer = self.serve()
        for number in [self.start(peer, "engram_commit", content=f"The host number {i} has {i} MB.")
                       for i in range(facts)]:
            self.assertFalse(self.answer(peer, number)[1])
        self.assertEqual(peer.finish(WAIT)[1], 0)

    def write_export(self, name, texts):
        """A file as engram export writes it, with these facts; its path."""
        records = [{"format": "engram-memory", "version": 1}]
        for text in texts:
            number = f"{random.getrandbits(128):032x}"
            number = f"{number[:12]}7{number[13:16]}8{number[17:]}"  # UUIDv7
            cuts = (number[:8], number[8:12], number[12:16], number[16:20], number[20:])
            records.append({"record": "fact", "fact_id": "-".join(cuts), "content": text,
                            "scope": "general", "committed_at": "2026-01-01T00:00:00.000000Z"})
        records.append({"record": "end", "facts": len(texts)})
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write("".join(json.dumps(one) + "\n" for one in records))
        return path

    def sql(self, *statements):
        """Past the program, as who attacks its file does."""
        db = sqlite3.connect(self.store)
        with db:
            rows = [db.execute(one).fetchall() for one in statements]
        db.close()
        return rows[-1]

    def doctor(self, *words):
        """What doctor says of each part of the store, where something is wrong with it."""
        told = json.loads(self.run_engram("doctor", "--json", *words, expect=None).stdout)
        return {one["what"]: one["detail"] for one in told["checks"]
                if not one["ok"] and not one["what"].startswith("model.")}


def main(*more):
    """Runs the attacks of the calling file. more: names of further arguments, kept in Options."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--long", type=int, nargs="?", const=LONG, default=0, metavar="N")
    parser.add_argument("engram")
    for name in more:
        parser.add_argument(name)
    given, rest = parser.parse_known_args()
    for name, value in vars(given).items():
        setattr(Options, name, os.path.abspath(value) if isinstance(value, str) else value)
    started = time.monotonic()
    passed = unittest.main(argv=[sys.argv[0], *rest], exit=False).result.wasSuccessful()
    if FIGURES:
        tell(("seconds", round(time.monotonic() - started)))
        width = max(len(words) for words, _ in FIGURES)
        print("\n".join(f"{words:{width}}  {number:>7}" for words, number in FIGURES))
    sys.exit(not passed)
