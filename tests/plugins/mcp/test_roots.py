#!/usr/bin/env python3
"""The real server over stdio, started in no project: it asks a client that has roots for them and
uses the memory of the first one's repository.
usage: test_roots.py ENGRAM SCHEMAS (the schemas of MCP)"""
import json
import os
import pathlib
import sys
import tempfile
import time
import unittest

from peer import Judge, Peer

ENGRAM, SCHEMAS = map(os.path.abspath, sys.argv[1:3])
JUDGE = Judge(SCHEMAS)
REVISION = "2025-11-25"


class Roots(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.peers = []
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("ENGRAM_")
                    or k == "ENGRAM_ISA"}
        self.env.update(ENGRAM_HOME=os.path.join(self.folder.name, "home"),
                        ENGRAM_PLUGINS="sqlite memory mcp secrets")
        for name in ("one two", "other"):
            os.makedirs(os.path.join(self.folder.name, name, ".git"))
            os.makedirs(os.path.join(self.folder.name, name, "src"))
        self.here = os.getcwd()
        os.chdir(self.folder.name)  # where servers start

    def tearDown(self):
        os.chdir(self.here)
        for peer in self.peers:
            peer.kill()
            peer.reader.join()
            peer.process.stdin.close()
            peer.process.stdout.close()
        self.folder.cleanup()

    def open(self, capabilities, first=None):
        """A client that said initialize; `first` is sent right behind it."""
        peer = Peer([ENGRAM, "mcp"], self.env)
        self.peers.append(peer)
        peer.ask("initialize", {"protocolVersion": REVISION, "capabilities": capabilities,
                                "clientInfo": {"name": "player", "version": "1"}})
        peer.notify("notifications/initialized")
        if first:
            peer.start("tools/call", first, id="first")
        return peer

    def uri(self, *names):
        return pathlib.Path(self.folder.name, *names).as_uri()

    def asked(self, peer):
        """The id of the question for roots, which comes next."""
        message = peer.receive()
        JUDGE.validate(REVISION, "ListRootsRequest", message)
        return message["id"]

    def answer(self, peer, number, *uris):
        peer.send({"jsonrpc": "2.0", "id": number,
                   "result": {"roots": [{"uri": uri} for uri in uris]}})

    def status(self, peer):
        result = peer.call("engram_status", {})["result"]
        return json.loads(result["content"][0]["text"])

    def test_the_first_root(self):
        """What the client sends before it answers waits, and goes to the right memory."""
        commit = {"name": "engram_commit", "arguments": {"content": "The vault opens at nine."}}
        peer = self.open({"roots": {"listChanged": True}}, commit)
        number = self.asked(peer)
        peer.nothing(0.3)
        self.answer(peer, number, "https://h.example/x", self.uri("one two", "src"),
                    self.uri("other"))
        self.assertEqual(peer.receive()["id"], "first")
        told = self.status(peer)
        self.assertTrue(told["workspace"].startswith("git-"), told)
        self.assertIn("the client's folder", told["workspace_why"])
        self.assertEqual(told["facts"], 1)
        self.assertNotIn("warning", told)
        peer.notify("notifications/roots/list_changed")
        self.answer(peer, self.asked(peer), self.uri("other"))
        self.assertEqual(self.status(peer)["facts"], 0)
        self.assertNotEqual(self.status(peer)["workspace"], told["workspace"])

    def test_no_usable_answer(self):
        """The workspace stays local, and the status says so."""
        for result in ({"result": {"roots": []}}, {"error": {"code": -32601, "message": "no"}},
                       {"result": {"roots": [{"uri": self.uri("nowhere")}]}},
                       {"result": {"roots": [{"uri": "file://%2"}, {"uri": 1}, 2]}},
                       {"result": 3}, None):
            peer = self.open({"roots": {}})
            number = self.asked(peer)
            if result:
                peer.send({"jsonrpc": "2.0", "id": number, **result})
            begun = time.monotonic()
            told = self.status(peer)
            self.assertEqual(told["workspace"], "local")
            self.assertIn("workspace local", told["warning"])
            if result is None:
                self.assertGreater(time.monotonic() - begun, 1)
                # an answer that comes too late changes nothing
                self.answer(peer, number, self.uri("other"))
                self.assertEqual(self.status(peer)["workspace"], "local")

    def test_who_is_not_asked(self):
        """A client without roots, which is warned where there is no project, and one whose
        workspace is chosen already."""
        told = self.status(self.open({}))
        self.assertEqual(told["workspace"], "local")
        self.assertIn("the client did not tell the folder", told["warning"])
        self.env["ENGRAM_WORKSPACE"] = "mine"
        for can in ({}, {"roots": {}}):
            told = self.status(self.open(can))
            self.assertEqual((told["workspace"], told.get("warning")), ("mine", None))
        del self.env["ENGRAM_WORKSPACE"]
        os.chdir("other")
        for can in ({}, {"roots": {}}):
            told = self.status(self.open(can))
            self.assertTrue(told["workspace"].startswith("git-"))
            self.assertNotIn("warning", told)

    def test_the_input_ends_before_an_answer(self):
        """What waited is answered all the same."""
        peer = self.open({"roots": {}}, {"name": "engram_status", "arguments": {}})
        self.asked(peer)
        peer.process.stdin.close()
        self.assertEqual(peer.receive()["id"], "first")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
