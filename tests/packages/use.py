#!/usr/bin/env python3
"""Uses one installed program as a person and an agent would: check, commit, query, doctor and a
session of MCP. The command may have words before the program (chroot, an emulator); its ENGRAM_HOME
must be empty. usage: use.py COMMAND..."""
import json
import subprocess
import sys
import time
import unittest

COMMAND = sys.argv[1:]
SECONDS = 300  # of one call: under an emulator on a busy machine
CACHE = "The cache of the gateway holds {} entries.\n"
PORT = "The auth service listens on port {}."


def request(number, method, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


class Use(unittest.TestCase):
    def engram(self, *words, stdin="", expect=0):
        begun = time.monotonic()
        done = subprocess.run([*COMMAND, *words], input=stdin, capture_output=True, text=True,
                              timeout=SECONDS)
        print(f"  {time.monotonic() - begun:6.2f} s  engram {words[0]}", flush=True)
        self.assertEqual((done.returncode, done.stderr), (expect, ""), done.stdout[-2000:])
        return done.stdout

    def test_documents(self):
        self.assertEqual(self.engram("check", "-", stdin=CACHE.format(512)), "")
        two = CACHE.format(512) + "\n" + CACHE.format(256)
        found = json.loads(self.engram("check", "--json", "-", stdin=two, expect=1))
        self.assertEqual(len(found["findings"]), 1)

    def test_memory(self):
        commit = ["commit", "--json", "--agent", "alice", "--scope", "auth"]
        self.engram(*commit, PORT.format(8080))
        second = json.loads(self.engram(*commit, PORT.format(9090)))
        self.assertEqual(len(second["conflicts"]), 1)
        found = json.loads(self.engram("query", "--json", "where does the login server listen?"))
        self.assertEqual(len(found["results"]), 2)
        self.engram("doctor")

    def ask(self, server, message):
        """Sends a request and waits for its answer, as a client does that needs it."""
        server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()
        while "id" in message:
            line = server.stdout.readline()
            self.assertTrue(line, "the server ended")
            answer = json.loads(line)
            if answer.get("id") == message["id"]:
                return answer["result"]
        return None

    def test_an_agent(self):
        begun = time.monotonic()
        server = subprocess.Popen([*COMMAND, "mcp"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)
        try:
            start = self.ask(server, request(1, "initialize", protocolVersion="2025-06-18",
                                             capabilities={},
                                             clientInfo={"name": "use.py", "version": "1"}))
            self.ask(server, {"jsonrpc": "2.0", "method": "notifications/initialized"})
            tools = self.ask(server, request(2, "tools/list"))["tools"]
            fact = {"content": "Invoices are kept for ten years.", "scope": "billing",
                    "agent_id": "carol", "wait_ms": 60000}
            commit = self.ask(server, request(3, "tools/call", name="engram_commit",
                                              arguments=fact))
            server.stdin.close()
            self.assertEqual(server.wait(SECONDS), 0)
        finally:
            server.kill()
            server.wait()
            server.stdout.close()
        print(f"  {time.monotonic() - begun:6.2f} s  a session of MCP", flush=True)
        self.assertEqual(start["protocolVersion"], "2025-06-18")
        self.assertLessEqual({"engram_commit", "engram_query", "engram_check"},
                             {tool["name"] for tool in tools})
        self.assertFalse(commit.get("isError"), commit)
        self.assertIn("fact_id", json.dumps(commit))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
