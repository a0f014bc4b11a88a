#!/usr/bin/env python3
"""A memory as a file: `engram export` and `engram import` over the real program.
usage: test_exchange.py ENGRAM"""
import json
import os
import stat
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "attack"))
import attack  # noqa: E402

FIRST = '{"format":"engram-memory","version":1}\n'
UNSEEN = "01900000-0000-7000-8000-0000000000"


def fact(number, content, **more):
    """A record as somebody else might write it."""
    return json.dumps({"record": "fact", "fact_id": f"{UNSEEN}{number:02}", "content": content,
                       "scope": "auth", "confidence": 0.9, "agent_id": "eve",
                       "committed_at": "2026-01-02T03:04:05.000000Z", **more}) + "\n"


def end(**counts):
    return json.dumps({"record": "end", **counts}) + "\n"


class Exchange(attack.Attack):
    def setUp(self):
        super().setUp()
        self.env["ENGRAM_PLUGINS"] = "sqlite memory mcp rules secrets"
        self.other = os.path.join(self.folder.name, "other")

    def ask(self, *words, **env):
        return json.loads(self.run_engram(*words, "--json", **env).stdout)

    def commit(self, content, *words, **env):
        return self.ask("commit", "--scope", "auth", *words, content, **env)

    def export(self, *words, **env):
        return self.run_engram("export", *words, **env).stdout

    def write(self, text, name="memory.jsonl"):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def refused(self, text, *said):
        done = self.run_engram("import", self.write(text), expect=2, ENGRAM_HOME=self.other)
        for one in said:
            self.assertIn(one, done.stderr)
        self.assertIn("nothing was imported", done.stderr)
        self.assertEqual(self.facts(), 0)

    def facts(self):
        return self.export("--all", ENGRAM_HOME=self.other).count('"record":"fact"')

    def test_one_moment(self):
        """What others write while an export runs is not in it, not even in part."""
        facts = self.many(220)
        conflict = self.commit("The host number 3 has 5 MB.")["conflicts"][0]["conflict_id"]
        before = self.export()
        self.assertGreater(len(before), 100000)  # more than a pipe holds
        with subprocess.Popen([attack.Options.engram, "export"], stdout=subprocess.PIPE, text=True,
                              env=self.env, cwd=self.folder.name) as running:
            head = running.stdout.read(100)
            self.run_engram("delete", facts[-1])
            self.run_engram("delete", facts[0])
            self.commit("The host number 218 is gone.", "--corrects", facts[-2])
            self.run_engram("resolve", conflict, "--type", "dismissed", "--reason", "seen")
            self.run_engram("erase", "--yes", facts[-3])
            rest = running.stdout.read()
        self.assertEqual(running.returncode, 0)
        self.assertEqual(head + rest, before)
        after = self.export()
        self.assertEqual(after.count('"close_reason"'), 3)
        self.assertIn('"record":"answer"', after)

    def many(self, facts):
        """Commits so many; their ids."""
        told = self.run_engram("commit", "--batch", self.write("".join(
            json.dumps({"content": f"The host number {i} has {i} MB.", "scope": "auth"}) + "\n"
            for i in range(facts))), "--json").stdout
        ids = [json.loads(line)["fact_id"] for line in told.splitlines()
               if line.startswith('{"fact_id"')]
        self.assertEqual(len(ids), facts)
        return ids

    def fill_it(self):
        """Facts of every kind, settled and open conflicts, answers."""
        self.commit("The auth service listens on port 8080.", "--agent", "alice")
        two = self.commit("The auth service listens on port 9090.", "--agent", "bob",
                          "--provenance", "src/auth.c:42", "--engineer", "ann@example.com")
        self.commit("Two notes: the pool holds 20 connections, \"and\" waits 5 s.\n\n  → end\\n",
                    "--ttl-days", "3", "--statement", "The pool holds 20 connections.")
        old = self.commit("The cache holds 512 entries.")
        self.commit("The cache holds 1024 entries.", "--operation", "update", "--corrects",
                    old["fact_id"])
        self.commit("The queue holds 5 entries.")
        wrong = self.commit("The queue holds 6 entries.")["conflicts"][0]["conflict_id"]
        gone = self.commit("The tests need a GPU.")
        self.commit("", "--operation", "delete", "--corrects", gone["fact_id"])
        self.commit("The worker pool runs 4 threads.", "--confidence", "0.123456789012345")
        right = self.commit("The worker pool runs 8 threads.")["conflicts"][0]
        self.commit("A working note.", "--durability", "ephemeral")
        self.run_engram("resolve", two["conflicts"][0]["conflict_id"], "--type", "both_valid",
                        "--reason", "staging and production")
        self.run_engram("resolve", wrong, "--type", "dismissed", "--reason", "two queues")
        self.run_engram("resolve", right["conflict_id"], "--type", "winner", "--winner",
                        right["fact_b"]["fact_id"], "--reason", "seen")
        self.run_engram("pin", self.commit("Releases are cut on Mondays.")["fact_id"])
        self.run_engram("archive", self.commit("The office is in Graz.")["fact_id"])
        self.commit("The timeout is 30 s.")
        self.commit("The timeout is 60 s.")

    def test_a_round_trip_is_the_same_bytes(self):
        self.fill_it()
        for words in (["--all"], [], ["--scope", "auth"]):
            text = self.export(*words)
            other = os.path.join(self.folder.name, f"other{len(words)}{words}".replace(" ", ""))
            done = self.ask("import", self.write(text), ENGRAM_HOME=other)
            self.assertEqual(done["facts"], text.count('"record":"fact"'))
            self.assertEqual(done["conflicts"], 4)
            self.assertEqual(done["links"], text.count('"record":"link"'))
            self.assertIn('"kind":"both_valid"', text)
            self.assertIn('"pinned":true', text)
            self.assertIn('"close_reason":"archived"', text)
            self.assertEqual(done["answers"], 3)
            self.assertEqual(done["to_compare"], 0)
            self.assertEqual(self.export("--all", ENGRAM_HOME=other), text)
            # answers and all, and once more
            self.assertEqual(self.run_engram("feedback", "export", ENGRAM_HOME=other).stdout,
                             self.run_engram("feedback", "export").stdout)
            again = self.ask("import", self.write(text), ENGRAM_HOME=other)
            self.assertEqual((again["facts"], again["conflicts"], again["answers"], again["links"]),
                             (0, 0, 0, 0))
            self.assertEqual(again["known"], done["facts"])
            self.assertEqual(self.export("--all", ENGRAM_HOME=other), text)
            told = json.loads(self.run_engram("doctor", "--deep", "--json", ENGRAM_HOME=other,
                                              expect=None).stdout)
            self.assertTrue(all(c["ok"] for c in told["checks"] if c["what"] in ("pages", "audit")))

    def test_a_pipe_stays_a_pipe(self):
        """A device or pipe is written to and no file put in its place."""
        self.commit("The importer runs at night.")
        pipe = os.path.join(self.folder.name, "pipe")
        os.mkfifo(pipe)
        reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True)
        self.run_engram("export", pipe)
        self.assertEqual(reader.communicate(timeout=60)[0].count('"record":"fact"'), 1)
        self.assertTrue(stat.S_ISFIFO(os.stat(pipe).st_mode))

    def test_it_is_stored_like_the_rest(self):
        self.fill_it()
        text = self.export()
        self.assertEqual(self.ask("import", "--dry-run", self.write(text),
                                  ENGRAM_HOME=self.other)["facts"], text.count('"record":"fact"'))
        self.assertEqual(self.facts(), 0)
        self.run_engram("import", self.write(text), ENGRAM_HOME=self.other)
        here, there = (self.ask("query", "port of the auth service", ENGRAM_HOME=home)["results"]
                       for home in (self.home, self.other))
        self.assertEqual([f["content"] for f in here], [f["content"] for f in there])
        self.assertEqual({f["fact_id"] for f in here}, {f["fact_id"] for f in there})
        self.assertEqual(len(self.ask("conflicts", ENGRAM_HOME=self.other)["conflicts"]), 1)
        # a settled pair does not come back, and what comes is compared
        self.assertEqual(self.commit("The auth service listens on port 8080!",
                                     ENGRAM_HOME=self.other)["duplicate"], True)
        self.assertEqual(len(self.commit("The timeout is 90 s.",
                                         ENGRAM_HOME=self.other)["conflicts"]), 2)

    def test_into_a_store_with_facts(self):
        self.commit("The auth service listens on port 8080.", "--agent", "alice")
        self.commit("The cache holds 512 entries.")
        text = self.export()
        equal = self.commit("The cache holds 512 entries.", ENGRAM_HOME=self.other)
        self.commit("The auth service listens on port 9090.", ENGRAM_HOME=self.other)
        done = self.ask("import", self.write(text), ENGRAM_HOME=self.other)
        self.assertEqual((done["facts"], done["equal"], done["to_compare"]), (1, 1, 1))
        peer = self.serve(ENGRAM_HOME=self.other)  # does the jobs
        until = time.monotonic() + attack.WAIT  # it leaves them to the importing process at first
        while not self.call(peer, "engram_conflicts")["conflicts"] and time.monotonic() < until:
            time.sleep(0.2)
        self.assertEqual(len(self.call(peer, "engram_conflicts")["conflicts"]), 1)
        self.assertEqual(self.ask("query", "cache entries", ENGRAM_HOME=self.other)["results"][0]
                         ["fact_id"], equal["fact_id"])

    def test_what_was_closed_elsewhere_is_closed(self):
        old = self.commit("The cache holds 512 entries.")
        self.run_engram("import", self.write(self.export()), ENGRAM_HOME=self.other)
        self.commit("The cache holds 1024 entries.", "--operation", "update", "--corrects",
                    old["fact_id"])
        text = self.export()
        done = self.ask("import", self.write(text), ENGRAM_HOME=self.other)
        self.assertEqual((done["facts"], done["known"], done["closed"], done["apart"]),
                         (1, 1, 1, 0))
        found = self.ask("query", "cache entries", ENGRAM_HOME=self.other)["results"]
        self.assertEqual([f["content"] for f in found], ["The cache holds 1024 entries."])
        self.assertEqual(found[0]["lineage_id"], old["lineage_id"])
        # both sides went on with one lineage
        self.commit("The cache holds 1 entry.", "--operation", "update", "--corrects",
                    old["fact_id"])
        self.commit("The cache holds 2 entries.", "--operation", "update", "--corrects",
                    old["fact_id"], ENGRAM_HOME=self.other)
        done = self.ask("import", self.write(self.export()), ENGRAM_HOME=self.other)
        self.assertEqual((done["facts"], done["apart"]), (1, 1))
        self.assertEqual(len(self.ask("query", "cache entries", ENGRAM_HOME=self.other)
                             ["results"]), 2)

    def test_markdown(self):
        self.fill_it()
        text = self.export("--format", "markdown")
        self.assertIn("\n## auth\n\n- <!-- engram {", text)
        self.assertIn("\n  The auth service listens on port 8080.\n", text)
        self.assertNotIn("holds 512", text)  # closed
        self.run_engram("import", self.write(text), ENGRAM_HOME=self.other)
        self.assertEqual(self.export("--format", "markdown", ENGRAM_HOME=self.other), text)
        self.assertEqual(self.ask("import", self.write(text), ENGRAM_HOME=self.other)["facts"], 0)
        changed = text.replace("port 8080", "port 8081")
        self.assertIn("with another text", self.run_engram("import", self.write(changed), expect=2,
                                                           ENGRAM_HOME=self.other).stderr)

    def test_bad_files_are_refused_as_a_whole(self):
        good = fact(1, "The port is 80.")
        self.refused("", "is empty")
        self.refused("hello\n", "line 1: this is not a memory", "engram-memory")
        self.refused(good, "line 1: this is not")
        self.refused(FIRST.replace("1}", "2}"), "version 2", "upgrade it")
        self.refused(FIRST + good, "line 2: the record end is missing", "cut off")
        self.refused(FIRST + good + end(facts=2), "line 3", "is not whole")
        self.refused(FIRST + good + end(facts=1) + good, "line 4", "behind the record end")
        self.refused(FIRST + good + "{\n" + end(facts=1), "line 3: record:1:")
        self.refused(FIRST + good + '{"record":"fakt"}\n', "line 3", "'fakt'", "must be fact, link")
        self.refused(FIRST + good + good + end(facts=2), "line 3", "stands in line 2 already")
        for bad, said in (({"color": "red"}, "has no member 'color'"),
                          ({"fact_id": "1"}, "fact_id is not valid"),
                          ({"confidence": "high"}, "confidence is not valid: it must be a number"),
                          ({"confidence": 2}, "from 0 to 1"),
                          ({"fact_type": "rumour"}, "one of observation, inference, decision"),
                          ({"committed_at": "yesterday"}, "it must be a time such as"),
                          ({"committed_at": "2026-02-31T00:00:00.000000Z"}, "a time such as"),
                          ({"committed_at": "2999-01-01T00:00:00.000000Z"}, "in the future"),
                          ({"valid_until": "2025-01-01T00:00:00.000000Z"}, "before valid_from"),
                          ({"close_reason": "erased"}, "erased fact cannot be imported"),
                          ({"close_reason": "deleted"}, "closed_at is missing"),
                          ({"scope": "Not A Scope!"}, "scope"),
                          ({"content": ""}, "content is empty"),
                          ({"content": "a" * 9000}, "at most 8192"),
                          ({"content": "It is \u202e hidden."}, "U+202E"),
                          ({"statements": ["The limit is 5."]}, "which the content does not"),
                          ({"content": "The token is ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
                            [:36] + "."}, "line 3"),
                          ({"provenance": "AWS_SECRET_ACCESS_KEY="
                            "wJalrXUtnFEMIK7MDENGbPxRfiCYzzAAABBBCCCD"}, "line 3")):
            record = json.loads(fact(2, "The host is db."))
            record.update(bad)
            self.refused(FIRST + good + json.dumps(record) + "\n" + end(facts=2), "line 3: ", said)

    def test_bad_conflicts(self):
        both = fact(1, "The port is 80.") + fact(2, "The port is 81.")
        record = {"record": "conflict", "conflict_id": f"{UNSEEN}77", "fact_a": f"{UNSEEN}01",
                  "fact_b": f"{UNSEEN}02", "detected_at": "2026-01-02T03:04:06.000000Z",
                  "detection_tier": "tier0_entity", "score": 0.5, "status": "open"}
        whole = end(facts=2, conflicts=1)
        for bad, said in (({"fact_b": f"{UNSEEN}09"}, "neither the file nor this workspace has"),
                          ({"fact_b": f"{UNSEEN}01"}, "must be two facts"),
                          ({"span_a": [0, 99]}, "within the text"),
                          ({"span_a": [3]}, "two whole numbers"),
                          ({"status": "expired"}, "cannot be expired"),
                          ({"status": "resolved"}, "resolved_at is missing"),
                          ({"resolved_at": "2026-01-02T03:04:06.000000Z"}, "not settled"),
                          ({"explanation": "Use ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"},
                           "explanation")):
            self.refused(FIRST + both + json.dumps({**record, **bad}) + "\n" + whole, "line 4: ",
                         said)
        self.run_engram("import", self.write(FIRST + both + json.dumps(record) + "\n" + whole),
                        ENGRAM_HOME=self.other)
        self.assertEqual(self.ask("conflicts", ENGRAM_HOME=self.other)["conflicts"][0]
                         ["conflict_id"], f"{UNSEEN}77")

    def test_ids_of_another_workspace(self):
        self.commit("The port is 80.")
        text = self.export()
        done = self.run_engram("import", "--workspace", "second", self.write(text), expect=2)
        self.assertIn("in another workspace", done.stderr)
        self.assertEqual(self.export("--workspace", "second"), FIRST +
                         '{"record":"end"}\n')

    def test_the_command_line(self):
        self.assertIn("cannot read 'nowhere'", self.run_engram("import", "nowhere",
                                                               expect=2).stderr)
        self.assertIn("FILE", self.run_engram("import", expect=2).stderr)
        self.assertIn("name one", self.run_engram("export", "--json", expect=2).stderr)
        self.assertIn("nothing to export", self.run_engram("export").stderr)
        self.commit("The port is 80.")
        path = os.path.join(self.folder.name, 'a "b".jsonl')
        self.assertEqual(self.ask("export", path)["file"], path)
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        with open(path, encoding="utf-8") as f:
            self.assertEqual(f.read(), self.export())


if __name__ == "__main__":
    attack.main()
