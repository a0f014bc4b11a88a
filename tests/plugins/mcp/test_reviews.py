#!/usr/bin/env python3
"""The real server over stdio, before a client that this file plays: statements that come with a
commit, the reviews of a receipt, and questions to the client about them.
usage: test_reviews.py ENGRAM SUSPICIOUS SCHEMAS (the detector suspicious.so, the schemas of MCP)"""
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

from peer import Judge, Peer

ENGRAM, SUSPICIOUS, SCHEMAS = map(os.path.abspath, sys.argv[1:4])
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
        self.assertEqual([c["fact_a"]["content"] for c in given["conflicts"]], [notes[0][1]])
        lineage = self.call(peer, "engram_lineage", lineage_id=given["fact_id"])["versions"]
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


class Suspicious(Server):
    # the detector has a score of 0.5: not reported, but asked about
    plugins = f"sqlite memory mcp secrets {SUSPICIOUS}"

    def setUp(self):
        super().setUp()
        self.env.update(ENGRAM_TIER1_NLI="0.9", ENGRAM_TIER1_NLI_REVIEW="0.3",
                        ENGRAM_REVIEWS_PER_COMMIT="2")

    def review(self, peer):
        """Two facts that are asked about; the review of the receipt."""
        self.commit(peer, ONE, agent_id="ann")
        receipt = self.commit(peer, OTHER, agent_id="bob")
        self.assertEqual(len(receipt.get("review", [])), 1, receipt)
        return receipt["review"][0]


class Reviews(Suspicious):
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
        self.assertEqual(review["earlier"].get("content", review["earlier"]["statement"]), note)
        self.assertNotIn("stated", review["later"])
        self.assertEqual(review["later"]["statement"], OTHER)
        listed = self.call(peer, "engram_conflicts", status="suspected")["conflicts"][0]
        self.assertEqual((listed["stated_a"], listed["fact_a"]["content"]), (given, note))
        self.assertNotIn("stated_b", listed)
        shown = self.engram("review")  # lists them where no person can be asked
        self.assertIn(f"{note}  [general, ann]\n    stated as: {given}\n", shown)
        self.assertEqual(shown.count("stated as"), 1)


ELICITATION, SAMPLING = {"elicitation": {}}, {"sampling": {}}


def accepted(**content):
    return {"result": {"action": "accept", "content": content}}


def sampled(text, role="assistant", kind="text"):
    return {"result": {"role": role, "model": "m", "content": {"type": kind, "text": text}}}


class Questions(Suspicious):
    """Each test asks in a workspace of its own: a new pair, a new client."""

    def setUp(self):
        super().setUp()
        os.makedirs(os.path.join(self.folder.name, "home", "config"))
        self.count = 0

    def set(self, **settings):
        path = os.path.join(self.folder.name, "home", "config", "engram.conf")
        with open(path, "w", encoding="utf-8") as f:
            f.write("[mcp]\n" + "".join(f"{k} = {v}\n" for k, v in settings.items()))

    def client(self, capabilities, revision="2025-11-25"):
        self.count += 1
        self.env["ENGRAM_WORKSPACE"] = f"w{self.count}"
        return self.open(revision, capabilities)

    def asked(self, capabilities, revision="2025-11-25"):
        """A client, the review of its receipt, and the question, which comes after the receipt."""
        peer = self.client(capabilities, revision)
        review = self.review(peer)
        self.assertEqual(peer.kept, [])
        return peer, review, peer.receive()

    def answer(self, peer, question, response):
        peer.send({"jsonrpc": "2.0", "id": question["id"]} | response)

    def conflict(self, peer, review):
        """The pair as it is once the server has read all that was sent to it."""
        return self.call(peer, "engram_conflicts",
                         conflict_id=review["review_id"], verbose=True)["conflicts"][0]

    def assert_open(self, peer, review, why=None):
        found = self.conflict(peer, review)
        self.assertEqual((found["status"], found.get("judged_by")), ("suspected", None), why)

    def export(self):
        return json.loads(self.engram("feedback", "export"))

    def test_a_person_answers(self):
        self.set(reviews="elicitation")
        judge = Judge(SCHEMAS)
        for revision in ("2025-06-18", "2025-11-25"):
            peer, review, question = self.asked(ELICITATION, revision)
            judge.validate(revision, "JSONRPCRequest", question)
            judge.validate(revision, "ElicitRequest", question)
            self.assertRegex(question["id"], "^engram-[0-9a-f]{32}$")
            params = question["params"]
            for text in (ONE, OTHER, "general, ann", "general, bob", "at the same time"):
                self.assertIn(text, params["message"])
            verdict = params["requestedSchema"]["properties"]["verdict"]
            self.assertEqual(len(verdict["enum"]), len(verdict["enumNames"]))
            self.assertEqual(params["requestedSchema"]["required"], ["verdict"])
            # the agent is told to leave it to the person
            self.assertIn("leave the answer to them", review["question"])
            self.answer(peer, question, accepted(verdict="contradiction", reason="Seen in code."))
            found = self.conflict(peer, review)
            self.assertEqual((found["status"], found["judged_by"], found["judgement"]),
                             ("open", "player", "Seen in code."))
            # a second answer to the same question changes nothing
            self.answer(peer, question, accepted(verdict="unrelated"))
            self.assertEqual(self.conflict(peer, review)["status"], "open")
            peer.nothing(0.2)
            self.assertEqual(peer.finish(), ([], 0))
            row = self.export()
            self.assertEqual((row["verdict"], row["asked"], row["judged_by"], row["was_review"]),
                             ("contradiction", "elicitation", "player", True))

    def test_the_reason_may_be_missing(self):
        self.set(reviews="elicitation")
        for more in ({}, {"reason": ""}, {"reason": None}):
            peer, review, question = self.asked(ELICITATION)
            self.answer(peer, question, accepted(verdict="update", **more))
            found = self.conflict(peer, review)
            self.assertEqual((found["status"], found["resolution_type"], found["resolution"],
                              found["resolved_fact_id"][-12:]),
                             ("resolved", "winner", "no reason was given",
                              review["later"]["fact_id"]))
            self.assertEqual(self.export()["asked"], "elicitation")

    def test_answers_that_are_none(self):
        """Declined, closed, an error, nonsense: the review stays open, and the server serves on."""
        self.set(reviews="elicitation")
        good = {"verdict": "same"}
        for response in (
                {"result": {"action": "decline"}}, {"result": {"action": "cancel"}},
                {"result": {"action": "decline", "content": good}},
                {"result": {"action": "yes", "content": good}}, {"result": {"content": good}},
                {"error": {"code": -32601, "message": "Method not found"}}, {"result": None},
                {"result": []}, {"result": {"action": "accept"}}, accepted(), accepted(verdict=""),
                accepted(verdict="Same"), accepted(verdict=1), accepted(verdict=["same"]),
                accepted(reason="They are."), accepted(verdict="same", review_id="1"),
                accepted(verdict="same", agent_id="root"), accepted(verdict="same", reason=7),
                accepted(verdict="same", reason="a\0b"),
                accepted(verdict="same", reason="x" * 9000),
                accepted(verdict="same", reason="AKIA" + "QYLPMN5HHHFPZAM2")):
            peer, review, question = self.asked(ELICITATION)
            self.answer(peer, question, response)
            self.assert_open(peer, review, response)
            # it was answered: not that way, but answered
            self.answer(peer, question, accepted(**good))
            self.assert_open(peer, review, response)
            peer.kill()

    def test_answers_to_something_else(self):
        self.set(reviews="elicitation")
        peer, review, question = self.asked(ELICITATION)
        for id in ("engram-0", 1, None, question["id"].upper(), [question["id"]], 2.5):
            self.answer(peer, {"id": id}, accepted(verdict="same"))
            self.assert_open(peer, review, id)
        # requests of the client have ids of their own, even that of the question
        peer.send({"jsonrpc": "2.0", "id": question["id"], "method": "ping"})
        self.assertEqual(peer.wait_for(question["id"])["result"], {})
        self.answer(peer, question, accepted(verdict="same"))
        self.assertEqual(self.conflict(peer, review)["status"], "dismissed")

    def test_the_first_answer_counts(self):
        self.set(reviews="elicitation")
        peer, review, question = self.asked(ELICITATION)
        self.call(peer, "engram_judge", review_id=review["review_id"], verdict="both_valid",
                  reason="Two exports.")
        self.answer(peer, question, accepted(verdict="contradiction"))
        found = self.conflict(peer, review)
        self.assertEqual((found["status"], found["resolution"]), ("resolved", "Two exports."))
        self.assertIsNone(self.export()["asked"])

    def test_a_model_answers(self):
        self.set(reviews="sampling")
        judge = Judge(SCHEMAS)
        cases = (("contradiction", "open"), (" \n same\n", "dismissed"),
                 ('{"verdict": "both_valid", "reason": "Two exports."}', "resolved"))
        for revision in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"):
            for text, status in cases:
                peer, review, question = self.asked(SAMPLING, revision)
                judge.validate(revision, "JSONRPCRequest", question)
                judge.validate(revision, "CreateMessageRequest", question)
                (message,) = question["params"]["messages"]
                self.assertIn(ONE, message["content"]["text"])
                self.assertIn("both_valid", question["params"]["systemPrompt"])
                self.answer(peer, question, sampled(text))
                self.assertEqual(self.conflict(peer, review)["status"], status)
                row = self.export()
                self.assertEqual((row["asked"], row["reason"]), (
                    "sampling", "Two exports." if "{" in text else "no reason was given"))
                peer.kill()

    def test_a_model_closes_no_fact(self):
        """It saw two sentences only: what it takes for an update becomes a conflict."""
        self.set(reviews="sampling")
        peer, review, question = self.asked(SAMPLING)
        self.answer(peer, question, sampled('{"verdict": "update", "reason": "A newer export."}'))
        found = self.conflict(peer, review)
        self.assertEqual((found["status"], found["judgement"]), (
            "open", "the later fact may replace the earlier one: A newer export."))
        self.assertEqual(len(self.call(peer, "engram_query", topic="nightly export")["results"]), 2)

    def test_what_a_model_may_not_say(self):
        self.set(reviews="sampling")
        blocks = [{"type": "text", "text": "same"}]
        for response in (
                sampled(""), sampled("Same"), sampled("same."), sampled("They say the same."),
                sampled('```json\n{"verdict": "same"}\n```'), sampled('{"verdict": "same"} Done.'),
                sampled('{"verdict": "same", "verdict": "unrelated"}'), sampled('"same"'),
                sampled('{"verdict": "same", "sure": "very"}'), sampled('["same"]'),
                sampled('{"verdict": "same\\u0000"}'), sampled("same", role="user"),
                sampled("same", kind="image"), {"result": {"role": "assistant", "model": "m"}},
                {"result": {"role": "assistant", "model": "m", "content": blocks * 2}},
                {"error": {"code": -1, "message": "The user rejected it."}},
                accepted(verdict="same")):
            peer, review, question = self.asked(SAMPLING)
            self.answer(peer, question, response)
            self.assert_open(peer, review, response)
            peer.kill()

    def test_time_runs_out(self):
        """The question is withdrawn, and an answer that comes later is not used."""
        self.set(reviews="elicitation", review_timeout_s=1)
        begun = time.monotonic()
        peer, review, question = self.asked(ELICITATION)
        said = peer.receive(10)
        self.assertGreater(time.monotonic() - begun, 0.9)
        self.assertEqual((said["method"], said["params"]["requestId"]),
                         ("notifications/cancelled", question["id"]))
        Judge(SCHEMAS).validate("2025-11-25", "CancelledNotification", said)
        self.answer(peer, question, accepted(verdict="same"))
        self.assert_open(peer, review)
        peer.nothing(0.3)  # and is not put again

    def test_the_client_goes_away(self):
        self.set(reviews="elicitation")
        peer, review, _ = self.asked(ELICITATION)
        begun = time.monotonic()
        self.assertEqual(peer.finish(), ([], 0))
        self.assertLess(time.monotonic() - begun, 5)
        self.count -= 1
        other = self.client({})  # the review is still there for others
        self.assert_open(other, review)
        other.kill()
        # an answer right before the end counts
        peer, review, question = self.asked(ELICITATION)
        self.answer(peer, question, accepted(verdict="same", reason="Both export."))
        self.assertEqual(peer.finish(), ([], 0))
        self.assertEqual(self.export()["verdict"], "same")
        # a server that is killed with a question open has lost nothing
        peer, review, _ = self.asked(ELICITATION)
        peer.kill()
        self.count -= 1
        self.assert_open(self.client({}), review)

    def test_who_is_not_asked(self):
        """The setting, the revision and the client all have to allow it; else the receipt asks the
        agent, and nothing else is sent."""
        forms = {"elicitation": {"form": {}}}
        for setting, capabilities, revision in (
                (None, ELICITATION | SAMPLING, "2025-11-25"),
                ("receipt", ELICITATION | SAMPLING, "2025-11-25"),
                ("elicitation", {}, "2025-11-25"), ("elicitation", SAMPLING, "2025-11-25"),
                ("elicitation", {"elicitation": {"url": {}}}, "2025-11-25"),
                ("elicitation", {"elicitation": None}, "2025-11-25"),
                ("elicitation", forms, "2025-03-26"), ("elicitation", forms, "2024-11-05"),
                ("sampling", ELICITATION, "2025-11-25"), ("sampling", {}, "2024-11-05")):
            self.set(**({"reviews": setting} if setting else {}))
            peer = self.client(capabilities, revision)
            review = self.review(peer)
            self.assertIn("Answer with engram_judge", review["question"])
            peer.nothing(0.3)
            peer.kill()

    def test_other_ways_to_call(self):
        """Before notifications/initialized, in an array, and without a session nobody is asked."""
        self.set(reviews="sampling")
        self.count += 1
        early = Peer([ENGRAM, "mcp"], self.env)
        self.peers.append(early)
        early.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": SAMPLING,
                                 "clientInfo": {"name": "player", "version": "1"}})
        self.assertIn("Answer with", self.review(early)["question"])
        early.nothing(0.3)
        peer = self.client(SAMPLING, "2025-03-26")
        self.commit(peer, ONE)
        peer.send([{"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": {
            "name": "engram_commit", "arguments": {"content": OTHER, "wait_ms": 60000}}}])
        ((answer,),) = [peer.receive()]
        receipt = json.loads(answer["result"]["content"][0]["text"])
        self.assertIn("Answer with", receipt["review"][0]["question"])
        peer.nothing(0.3)
        stateless = self.client(SAMPLING)
        stateless.stateless()
        stateless.meta["io.modelcontextprotocol/clientCapabilities"] = SAMPLING | ELICITATION
        self.assertIn("Answer with", self.review(stateless)["question"])
        stateless.nothing(0.3)

    def test_a_commit_does_not_wait(self):
        """A client that never answers is served as any other, however many questions are open."""
        self.set(reviews="elicitation")
        peer = self.client(ELICITATION)
        reviews = []
        for i in range(6):
            reviews += self.commit(peer, f"The export number {i} is made on day {i}.").get(
                "review", [])
        questions = [m for m in peer.kept if "method" in m]
        while len(questions) < len(reviews):
            questions.append(peer.receive())
        self.assertGreaterEqual(len(reviews), 5)
        self.assertEqual(len({q["id"] for q in questions}), len(reviews))
        peer.nothing(0.2)
        self.answer(peer, questions[-1], accepted(verdict="unrelated"))
        states = [self.conflict(peer, r)["status"] for r in reviews]
        self.assertEqual(sorted(states), ["dismissed"] + ["suspected"] * (len(reviews) - 1))

    def test_settings_are_checked(self):
        for settings, said in (
                ({"reviews": "email"}, "mcp.reviews is 'email': it must be receipt, elicitation or "
                                       "sampling"),
                ({"review_timeout_s": "soon"}, "mcp.review_timeout_s is 'soon': it must be a whole "
                                               "number of seconds from 1 to 86400"),
                ({"review_timeout_s": "0"}, "from 1 to 86400"),
                ({"review_timeout_s": "99999999999"}, "from 1 to 86400")):
            self.set(**settings)
            done = subprocess.run([ENGRAM, "mcp"], capture_output=True, env=self.env, timeout=60,
                                  stdin=subprocess.DEVNULL, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(said, done.stderr.decode())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
