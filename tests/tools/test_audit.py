#!/usr/bin/env python3
"""What a memory needs, and what it is in numbers: `engram audit` and `engram stats` over the real
program and its models.
usage: test_audit.py ENGRAM"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "attack"))
import attack  # noqa: E402

IDS = "01900000-0000-7000-8000-0000000000"


class Audit(attack.Attack):
    def setUp(self):
        super().setUp()
        self.env["ENGRAM_PLUGINS"] = "sqlite memory mcp rules secrets"

    def ask(self, *words, expect=0, **env):
        return json.loads(self.run_engram(*words, "--json", expect=expect, **env).stdout)

    def commit(self, content, *words, **env):
        return self.ask("commit", "--scope", "auth", *words, content, **env)

    def found(self, expect=1, **env):
        told = self.ask("audit", expect=expect, **env)
        return {f["what"]: f for f in told["findings"]}

    def bring(self, *records):
        """Records from long ago."""
        path = os.path.join(self.folder.name, "old.jsonl")
        kinds = {"fact": "facts", "conflict": "conflicts"}
        counts = {kinds[k]: sum(r["record"] == k for r in records) for k in kinds}
        with open(path, "w", encoding="utf-8") as f:
            f.write('{"format":"engram-memory","version":1}\n')
            for record in (*records, {"record": "end", **counts}):
                f.write(json.dumps(record) + "\n")
        self.run_engram("import", path)

    @staticmethod
    def old_fact(number, content, **more):
        return {"record": "fact", "fact_id": f"{IDS}{number:02}", "content": content,
                "scope": "auth", "confidence": 0.8, "agent_id": "eve", "provenance": "a test",
                "committed_at": "2025-01-02T03:04:05.000000Z", **more}

    @staticmethod
    def old_conflict(number, a, b):
        return {"record": "conflict", "conflict_id": f"{IDS}{number:02}", "fact_a": f"{IDS}{a:02}",
                "fact_b": f"{IDS}{b:02}", "detected_at": "2025-01-03T03:04:05.000000Z",
                "detection_tier": "tier0_entity", "score": 0.9, "explanation": f"number {number}"}

    def test_each_finding(self):
        self.assertIn("nothing to look after in 0 facts", self.run_engram("audit").stdout)
        self.commit("The port is 80.", "--provenance", "a test")
        self.assertEqual(sum(f["count"] for f in self.found(expect=0).values()), 0)
        self.commit("The host is db.")
        self.bring(self.old_fact(1, "The port is 81."), self.old_fact(2, "The port is 82."),
                   self.old_fact(3, "The limit is 5.", valid_until="2025-02-01T00:00:00.000000Z"),
                   self.old_fact(4, "The limit is 6."),
                   self.old_fact(5, "The limit is 7.", parent_a=f"{IDS}03"),
                   self.old_conflict(11, 1, 2), self.old_conflict(12, 3, 4))
        found = self.found()
        self.assertEqual({what: f["count"] for what, f in found.items()},
                         {"near_duplicates": 0, "never_read": 4, "stale_citations": 0,
                          "unsourced": 1, "long_open_conflicts": 1, "expired_yet_referenced": 2})
        self.assertEqual(found["unsourced"]["examples"][0]["text"], "The host is db.")
        self.assertEqual(found["long_open_conflicts"]["examples"][0]["conflict_id"], f"{IDS}11")
        self.assertEqual({e["other_id"] for e in found["expired_yet_referenced"]["examples"]},
                         {f"{IDS}12", f"{IDS}05"})
        self.assertEqual({e["fact_id"] for e in found["expired_yet_referenced"]["examples"]},
                         {f"{IDS}03"})
        self.assertTrue(all(f["advice"] for f in found.values()))
        said = self.run_engram("audit", expect=1)
        self.assertIn("unsourced: 1\n  nothing says how this is known", said.stdout)
        self.assertIn("near duplicates were not looked for", said.stderr)
        self.run_engram("query", "--limit", "50", "which port and limit")
        self.assertLess(self.found()["never_read"]["count"], 4)

    def test_near_duplicates(self):
        """By meaning, but with the same numbers and negations."""
        for key in ("ENGRAM_MODEL_EMBED", "ENGRAM_MODEL_NLI"):
            del self.env[key]
        first = self.commit("The cache of the search service holds 512 entries per node.")
        self.commit("The cache of the search service holds 256 entries per node.")
        self.commit("The cache of the search service does not hold 512 entries per node.")
        self.commit("Retries of the mailer wait 5 seconds.")
        self.assertEqual(self.found()["near_duplicates"]["count"], 0)
        second = self.commit("The search service cache holds 512 entries per node.")
        told = self.found()["near_duplicates"]
        self.assertEqual(told["count"], 1)
        self.assertEqual((told["examples"][0]["fact_id"], told["examples"][0]["other_id"]),
                         (second["fact_id"], first["fact_id"]))

    def test_stale_citations(self):
        folder = self.folder.name  # where the commands run
        os.makedirs(os.path.join(folder, ".git"))
        with open(os.path.join(folder, "a.c"), "w", encoding="utf-8") as f:
            f.write("int a;\n")
        self.run_engram("commit", "--provenance", "a.c:1", "The answer is a.")
        with open(os.path.join(folder, "a.c"), "w", encoding="utf-8") as f:
            f.write("int b;\n")
        told = self.ask("audit", expect=1)
        found = {f["what"]: f for f in told["findings"]}
        self.assertEqual(found["stale_citations"]["count"], 1)
        self.assertEqual(found["stale_citations"]["examples"][0]["detail"],
                         "line 1 of a.c has changed")

    def test_stats(self):
        self.assertIn("nothing is stored", self.run_engram("stats").stdout)
        self.commit("The port is 80.", "--agent", "alice", "--provenance", "a test")
        other = self.commit("The port is 81.", "--agent", "bob", "--type", "decision")
        self.run_engram("resolve", other["conflicts"][0]["conflict_id"], "--type", "winner",
                        "--winner", other["fact_id"], "--reason", "seen")
        self.commit("A note.", "--agent", "bob", "--durability", "ephemeral")
        for i in range(25):
            self.run_engram("commit", "--scope", f"s{i}", "--agent", "carol",
                            f"The limit {i} is {i}.")
        self.bring(self.old_fact(1, "The host is db."))
        self.run_engram("query", "which port")
        told = {group: {one["name"]: one["count"] for one in rows}
                for group, rows in self.ask("stats").items() if isinstance(rows, list)}
        self.assertEqual(told["facts"], {"current": 28, "of them without evidence": 27, "closed": 1,
                                         "of them ephemeral": 1})
        self.assertEqual(told["by_agent"], {"carol": 25, "bob": 2, "eve": 1})
        self.assertEqual(told["by_scope"]["auth"], 3)
        self.assertEqual(len(told["by_scope"]), 21)
        self.assertEqual(sum(told["by_scope"].values()), 28)
        self.assertEqual(told["by_scope"]["(others)"], 6)
        self.assertEqual(told["by_type"], {"observation": 27, "decision": 1})
        self.assertEqual(told["by_age"], {"1 day": 27, "older": 1})
        self.assertEqual(told["closed_by_reason"], {"resolved": 1})
        self.assertEqual(told["conflicts"], {"resolved": 1})
        self.assertEqual(told["settled_by"], {"winner": 1})
        self.assertEqual(told["answers"], {"contradiction": 1})
        self.assertEqual(told["reads"]["current facts that were found"], 1)
        self.assertEqual(told["reads"]["times that queries found a fact"], 1)
        self.assertIn("by_scope\n         3  auth\n", self.run_engram("stats").stdout)

    def test_wrong_input(self):
        for words in (["audit", "x"], ["stats", "x"]):
            self.assertIn("takes no arguments", self.run_engram(*words, expect=2).stderr)


if __name__ == "__main__":
    attack.main()
