#!/usr/bin/env python3
"""The plugin llm against servers and commands that this file makes up: good answers, answers that
make no sense, failures, limits; what is sent, and that the key is never told.
usage: test_llm.py ENGRAM SUSPICIOUS (the detector suspicious.so)"""
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ENGRAM, SUSPICIOUS = map(os.path.abspath, sys.argv[1:3])
KEY = "sk-abcdefghij0123456789"
ONE, OTHER = ("The nightly export writes a file for every customer.",
              "The nightly export never writes any file.")


def answer(verdict="contradiction", confidence=0.9, reason="A file for each against none."):
    return json.dumps({"verdict": verdict, "confidence": confidence, "reason": reason})


class Server(http.server.ThreadingHTTPServer):
    """Answers each request with what stands in `reply`: the words of the model, or a status."""
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests, self.reply, self.headers, self.anthropic = [], answer(), {}, False
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        s = self.server
        body = self.rfile.read(int(self.headers["Content-Length"]))
        s.requests.append((self.path, dict(self.headers), json.loads(body)))
        status, text = (s.reply, "") if isinstance(s.reply, int) else (200, s.reply)
        if text == "slow":
            time.sleep(4)
        if text == "raw":
            sent = b"<html>not what was asked for</html>"
        elif text == "huge":
            sent = b'{"choices": "' + b"x" * (1 << 20) + b'"}'
        elif status != 200:  # some servers repeat the key
            sent = json.dumps({"error": str(self.headers.get("Authorization"))}).encode()
        elif s.anthropic:
            sent = json.dumps({"content": [{"type": "text", "text": text}]}).encode()
        else:
            sent = json.dumps({"choices": [{"message": {"content": text}}]}).encode()
        try:
            self.send_response(status)
            for name, value in s.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)
        except OSError:
            pass  # the client had enough

    def log_message(self, *_):
        pass


class Llm(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.server = Server()
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("ENGRAM_")
                    and not k.lower().endswith("_proxy")}
        # the detector has a score of 0.5: not reported, but asked about
        self.env.update(ENGRAM_HOME=self.path("home"), ENGRAM_WORKSPACE="test",
                        ENGRAM_TIER1_NLI="0.9", ENGRAM_TIER1_NLI_REVIEW="0.3",
                        ENGRAM_TIER1_NLI_DOCUMENTS="0.9", ENGRAM_REVIEWS_PER_COMMIT="2",
                        ENGRAM_PLUGINS=f"sqlite memory mcp secrets {SUSPICIOUS} llm")
        os.makedirs(self.path("home", "config"))
        with open(self.path("notes.md"), "w", encoding="utf-8") as f:
            f.write(f"# Export\n\n- {ONE}\n- {OTHER}\n")
        self.set(protocol="openai", url=self.server.url() + "/v1/", model="judge-1", api_key=KEY)

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()
        self.folder.cleanup()

    def path(self, *names):
        return os.path.join(self.folder.name, *names)

    def set(self, **settings):
        with open(self.path("home", "config", "engram.conf"), "w", encoding="utf-8") as f:
            f.write("[llm]\n" + "".join(f"{k} = {v}\n" for k, v in settings.items()))

    def engram(self, *words, expect=0):
        done = subprocess.run([ENGRAM, *words], capture_output=True, env=self.env, timeout=240,
                              cwd=self.folder.name, stdin=subprocess.DEVNULL, check=False)
        out, err = done.stdout.decode(), done.stderr.decode()
        self.assertNotIn(KEY, out + err)
        self.assertEqual(done.returncode, expect, (words, out[-800:], err[-800:]))
        return out, err

    def test_a_good_answer(self):
        out, _ = self.engram("check", "--json", "notes.md", expect=0)
        self.assertEqual(self.server.requests, [])  # nothing leaves without --judge
        out, _ = self.engram("check", "--judge", "notes.md", expect=1)
        self.assertIn("tier3_llm 0.90", out)
        self.assertIn("why: llm: A file for each against none.", out)
        (path, headers, body), = self.server.requests
        self.assertEqual(path, "/v1/chat/completions")
        self.assertEqual(headers["Authorization"], "Bearer " + KEY)
        self.assertEqual((body["model"], body["stream"]), ("judge-1", False))
        asked = json.loads(body["messages"][1]["content"])
        self.assertEqual(set(asked), {"earlier", "later"})
        for side, text in (("earlier", ONE), ("later", OTHER)):
            self.assertEqual(set(asked[side]), {"statement", "scope", "written_at"})
            self.assertIn(text.rstrip("."), asked[side]["statement"])
        self.server.reply = "Here you are:\n```json\n" + answer("both_valid") + "\n```"
        self.engram("check", "--judge", "notes.md", expect=0)
        self.server.reply = answer("update")
        self.engram("check", "--judge", "notes.md", expect=1)
        out, _ = self.engram("doctor", expect=0)
        self.assertIn("(set)", out)

    def test_messages_of_anthropic(self):
        self.set(protocol="anthropic", url=self.server.url(), model="judge-2", api_key=KEY)
        self.server.anthropic = True
        self.engram("check", "--judge", "notes.md", expect=1)
        (path, headers, body), = self.server.requests
        names = {k.lower(): v for k, v in headers.items()}
        self.assertEqual((path, names["x-api-key"]), ("/v1/messages", KEY))
        self.assertIn("anthropic-version", names)
        self.assertEqual([m["role"] for m in body["messages"]], ["user"])
        self.assertTrue(body["system"] and body["max_tokens"])

    def test_a_command(self):
        """It reads the question and answers; one that fails, writes too much or hangs is left
        alone. No shell sees the words."""
        script = self.path("judge.py")
        with open(script, "w", encoding="utf-8") as f:
            f.write("import json, sys, time\n"
                    "mode = sys.argv[1]\n"
                    "asked = json.load(sys.stdin)\n"
                    "assert set(asked) == {'instructions', 'earlier', 'later'}, asked\n"
                    "if mode == 'hang': time.sleep(60)\n"
                    "if mode == 'fail': sys.exit(3)\n"
                    "print('x' * (1 << 20) if mode == 'huge' else json.dumps({'verdict':"
                    " 'contradiction', 'confidence': 0.8, 'reason': mode}))\n")
        for mode, expect, said in (("good; touch x", 1, ""), ("fail", 0, "exit status 3"),
                                   ("hang", 0, "no answer in time"),
                                   ("huge", 0, "more than 262144 bytes")):
            self.set(protocol="command", command=json.dumps([sys.executable, script, mode]),
                     timeout_ms=3000 if mode == "hang" else 30000)
            out, err = self.engram("check", "--judge", "notes.md", expect=expect)
            self.assertIn(said, err)
            if expect:
                self.assertIn("llm: good; touch x", out)
            else:
                self.assertIn("1 suspected pairs were not judged", err)
        self.set(protocol="command", command="/nowhere/judge --fast")
        _, err = self.engram("check", "--judge", "notes.md")
        self.assertIn("cannot start '/nowhere/judge'", err)

    def test_answers_that_make_no_sense(self):
        for reply, said in ((answer("perhaps"), "none of the verdicts"),
                            ("I think that they contradict each other.", "has no JSON object"),
                            (answer(confidence=7), "no confidence from 0 to 1"),
                            ("raw", "is not JSON"), ("huge", "longer than 262144 bytes")):
            self.server.reply = reply
            _, err = self.engram("check", "--judge", "notes.md")
            self.assertIn(said, err)
            self.assertIn("1 suspected pairs were not judged", err)

    def test_failures(self):
        for reply, said in ((429, "asked too often (HTTP 429)"), (500, "the server failed"),
                            (401, "check llm.api_key"), (404, "check llm.url and llm.model")):
            self.server.reply = reply
            _, err = self.engram("check", "--judge", "notes.md")
            self.assertIn(said, err)
        self.set(protocol="openai", url=self.server.url(), model="m", timeout_ms=1000)
        self.server.reply = "slow"
        begun = time.time()
        _, err = self.engram("check", "--judge", "notes.md")
        self.assertIn("no answer in time", err)
        self.set(protocol="openai", url="http://127.0.0.1:9", model="m")
        _, err = self.engram("check", "--judge", "notes.md")
        self.assertIn("cannot ask http://127.0.0.1:9", err)
        self.assertLess(time.time() - begun, 120)

    def test_the_budget_is_kept(self):
        self.set(protocol="openai", url=self.server.url(), model="m", calls_per_day=2)
        for expect in (1, 1, 0, 0):
            _, err = self.engram("check", "--judge", "-v", "notes.md", expect=expect)
            self.assertEqual("calls of today are used up" in err, expect == 0)
        self.assertEqual(len(self.server.requests), 2)

    def test_settings_are_checked(self):
        for settings, said in (
                ({}, "no escalator is configured"),
                ({"protocol": "grpc"}, "must be openai, anthropic or command"),
                ({"protocol": "openai"}, "llm.model is missing"),
                ({"protocol": "command"}, "llm.command is missing"),
                ({"protocol": "openai", "model": "m", "url": "ftp://x"}, "must begin with https"),
                ({"protocol": "openai", "model": "m", "url": "http://x.example", "api_key": KEY},
                 "could be read on its way"),
                ({"protocol": "openai", "model": "m", "url": "https://u:p@x"}, "no user"),
                ({"protocol": "openai", "model": "m", "timeout_ms": "1e3"}, "a whole number")):
            self.set(**settings)
            _, err = self.engram("check", "--judge", "notes.md", expect=2)
            self.assertIn(said, err)
        os.remove(self.path("home", "config", "engram.conf"))
        self.env["ENGRAM_PLUGINS"] = f"sqlite memory mcp secrets {SUSPICIOUS}"
        _, err = self.engram("check", "--judge", "notes.md", expect=2)
        self.assertIn("no escalator is configured", err)

    def test_a_server_judges_reviews(self):
        """The background thread of `engram mcp` asks; the commit has its receipt before that."""
        self.server.reply = "slow"
        self.set(protocol="openai", url=self.server.url(), model="m", api_key=KEY)
        p = subprocess.Popen([ENGRAM, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, env=self.env, cwd=self.folder.name)
        try:
            self.call(p, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                        "clientInfo": {"name": "t", "version": "1"}})
            receipts = [self.call(p, "tools/call", {"name": "engram_commit", "arguments": {
                "content": text, "scope": "export", "agent_id": who, "wait_ms": 60000}})
                        for text, who in ((ONE, "a"), (OTHER, "b"))]
            review = receipts[1]["structuredContent"]["review"][0]["review_id"]
            self.server.reply = answer()
            for _ in range(200):
                found = json.loads(self.engram("conflicts", review, "--json")[0])["conflicts"][0]
                if found["status"] != "suspected":
                    break
                time.sleep(0.5)
            self.assertEqual(found["status"], "open")
        finally:
            p.stdin.close()
            err = p.stderr.read().decode()
            p.wait(60)
            p.stdout.close()
            p.stderr.close()
        self.assertNotIn(KEY, err)
        row = json.loads(self.engram("feedback", "export")[0])
        self.assertEqual((row["judged_by"], row["was_review"], row["verdict"], row["reason"]),
                         ("llm", True, "contradiction", "A file for each against none."))

    def call(self, p, method, params):
        p.stdin.write((json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
                       + "\n").encode())
        p.stdin.flush()
        return json.loads(p.stdout.readline())["result"]


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
