#!/usr/bin/env python3
"""The real server over stdio, before a client that this file plays: statements that come with a
commit, and the reviews of a receipt.
usage: test_reviews.py ENGRAM SUSPICIOUS (the detector suspicious.so)"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

from peer import Peer

ENGRAM, SUSPICIOUS = map(os.path.abspath, sys.argv[1:3])
ONE, OTHER = ("The nightly export writes a file for every customer.",
              "The nightly export never writes any file.")


class Server(unittest.TestCase):
    plugins = None

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.peers = []
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("ENGRAM_")
                    or k == "ENGRAM_ISA"}
        self.env.update(ENGRAM_HOME=os.path.join(self.folder.name, "home"), ENGRAM_WORKSPACE="test")
        if self.plugins:
            self.env["ENGRAM_PLUGINS"] = self.plugins

    def tearDown(self):
        for peer in self.peers:
            peer.kill()
            peer.reader.join()
            peer.process.stdin.close()
            peer.process.stdout.close()
        self.folder.cleanup()

    def open(self, revision="2025-11-25", capabilities=None, words=()):
        """A client that has said initialize."""
        peer = Peer([ENGRAM, "mcp", *words], self.env)
        self.peers.append(peer)
        peer.ask("initialize", {"protocolVersion": revision, "capabilities": capabilities or {},
                                "clientInfo": {"name": "player", "version": "1"}})
        peer.notify("notifications/initialized")
        return peer

    def call(self, peer, tool, **arguments):
        result = peer.call(tool, arguments)["result"]
        self.assertFalse(result.get("isError"), result)
        return json.loads(result["content"][0]["text"])

    def refused(self, peer, tool, **arguments):
        result = peer.call(tool, arguments)["result"]
        self.assertTrue(result.get("isError"), result)
        return result["content"][0]["text"]

    def commit(self, peer, content, **more):
        return self.call(peer, "engram_commit", content=content, wait_ms=60000, **more)

    def engram(self, *words):
        done = subprocess.run([ENGRAM, *words], capture_output=True, env=self.env, timeout=120,
                              cwd=self.folder.name, stdin=subprocess.DEVNULL, check=True)
        return done.stdout.decode()


class GivenStatements(Server):
    def test_a_conflict_that_they_make_clear(self):
        """Two notes whose numbers say little by themselves: reported only where their authors said
        what they claim."""
        self.env.update(ENGRAM_TIER1_NLI="0.5")
        notes = (("ann", "Mailer: provider A for receipts. 4 workers. Quiet hours at night.",
                  "The mailer has 4 workers."),
                 ("bob", "Mailer scaled for the sale: 12, with quiet hours at night and provider A "
                         "for receipts.", "The mailer has 12 workers."))
        peer = self.open(words=("--profile", "team"))
        for who, content, _ in notes:
            plain = self.commit(peer, content, scope="without", agent_id=who)
            self.assertEqual(plain["conflicts"], [])
        peer.finish()
        self.env["ENGRAM_WORKSPACE"] = "other"  # where nobody knows the notes yet
        peer = self.open(words=("--profile", "team"))
        for who, content, said in notes:
            given = self.commit(peer, content, scope="with", agent_id=who, statements=[said])
        self.assertEqual({f["content"] for c in given["conflicts"]
                          for f in (c["fact_a"], c["fact_b"])}, {notes[0][1], notes[1][1]})
        lineage = self.call(peer, "engram_lineage", lineage_id=given["lineage_id"])["versions"]
        self.assertEqual([v["statements"] for v in lineage], [[notes[1][2]]])
        self.assertEqual(lineage[0]["content"], notes[1][1])

    def test_a_value_that_the_content_lacks(self):
        """Nothing is stored, and the sentence says which statement, which value, what to do."""
        peer = self.open()
        said = self.refused(peer, "engram_commit", content="Mailer: provider A, 4 workers.",
                            statements=["The mailer uses provider A.", "The mailer has 6 workers."])
        self.assertEqual(said, 'statements: number 2 ("The mailer has 6 workers.") has \'6\', '
                               "which the content does not: the content is what is kept, so write "
                               "it there too, or leave it out of the statement")
        self.assertEqual(self.call(peer, "engram_query", topic="mailer")["results"], [])


class Reviews(Server):
    # the detector has a score of 0.5: not reported, but asked about
    plugins = f"sqlite memory mcp secrets {SUSPICIOUS}"

    def setUp(self):
        super().setUp()
        self.env.update(ENGRAM_TIER1_NLI="0.9", ENGRAM_TIER1_NLI_REVIEW="0.3",
                        ENGRAM_REVIEWS_PER_COMMIT="2")

    def test_what_was_compared_is_shown(self):
        """The content's own words stand in a review as they are; the form that the author gave
        stands beside them."""
        given = "For every customer the nightly export writes a file."
        note = "The export, nightly: writes a file, one for every customer. Owned by billing."
        peer = self.open()
        self.commit(peer, note, agent_id="ann", statements=[given])
        review = self.commit(peer, OTHER, agent_id="bob")["review"][0]
        self.assertEqual(review["earlier"]["stated"], given)
        self.assertIn(review["earlier"]["statement"], note)
        self.assertEqual(review["earlier"]["content"], note)
        self.assertNotIn("stated", review["later"])
        self.assertEqual(review["later"]["statement"], OTHER)
        listed = self.call(peer, "engram_conflicts", status="suspected")["conflicts"][0]
        self.assertEqual((listed["stated_a"], listed["fact_a"]["content"]), (given, note))
        self.assertNotIn("stated_b", listed)
        shown = self.engram("review")  # lists them where no person can be asked
        self.assertIn(f"{note}  [general, ann]\n    stated as: {given}\n", shown)
        self.assertEqual(shown.count("stated as"), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
