#!/usr/bin/env python3
"""Workspaces that are put together: what stands in both stands once afterwards.
usage: test_merge.py ENGRAM"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "attack"))
import attack  # noqa: E402


class Merge(attack.Attack):
    def setUp(self):
        super().setUp()
        self.env["ENGRAM_PLUGINS"] = "sqlite memory mcp rules secrets"

    def ask(self, *words):
        return json.loads(self.run_engram(*words, "--json").stdout)

    def commit(self, workspace, content, *words):
        return self.ask("commit", "--workspace", workspace, "--scope", "auth", *words, content)

    def merge(self):
        return self.ask("workspaces", "merge", "one", "team")

    def facts(self, content):
        """The current ones of this text, as (id, ...)."""
        lines = self.run_engram("facts", "--json", "--workspace", "team").stdout.splitlines()
        return [f for f in map(json.loads, lines) if f["content"] == content]

    def conflicts(self, *words):
        return self.ask("conflicts", "--workspace", "team", *words)["conflicts"]

    def test_one_is_left(self):
        kept = self.commit("team", "The port is 8080.")["fact_id"]
        gone = self.commit("one", "The port is 8080.", "--agent", "bob")["fact_id"]
        self.commit("one", "The port is 8080.", "--scope", "db")  # the same in another scope
        self.commit("one", "The log is kept for 30 days.")
        done = self.merge()
        self.assertEqual((done["facts"], done["equal"]), (3, 1))
        self.assertEqual([f["fact_id"] for f in self.facts("The port is 8080.")
                          if f["scope"] == "auth"], [kept])
        self.assertEqual(len(self.facts("The port is 8080.")), 2)
        self.assertEqual(len(self.facts("The log is kept for 30 days.")), 1)
        self.assertEqual(self.sql("SELECT close_reason FROM facts WHERE id = x'"
                                  + gone.replace("-", "") + "'"), [(5,)])
        self.assertEqual(self.doctor("--deep"), {})
        # it is known, as of a commit
        self.assertTrue(self.commit("team", "The port is 8080.")["duplicate"])

    def test_conflicts_go_over(self):
        kept = self.commit("team", "The port is 8080.")["fact_id"]
        self.commit("one", "The port is 8080!")  # a repetition, with other bytes
        other = self.commit("one", "The port is 9090.")
        conflict = other["conflicts"][0]["conflict_id"]
        third = self.commit("one", "The port is 7070.")
        dismissed = third["conflicts"][0]["conflict_id"]
        self.run_engram("resolve", "--workspace", "one", dismissed, "--type", "dismissed",
                        "--reason", "another host")
        self.assertEqual(self.merge()["equal"], 1)
        found = {c["conflict_id"]: c for c in self.conflicts("--status", "all")}
        self.assertEqual(found[conflict]["status"], "open")
        self.assertEqual({found[conflict][side]["fact_id"] for side in ("fact_a", "fact_b")},
                         {kept, other["fact_id"]})
        self.assertEqual(found[dismissed]["status"], "dismissed")
        self.assertEqual(self.doctor("--deep"), {})

    def test_the_longest_life_stays(self):
        kept = self.commit("team", "The port is 8080.", "--ttl-days", "2")["fact_id"]
        gone = self.commit("one", "The port is 8080.")["fact_id"]
        self.run_engram("pin", "--workspace", "one", gone)
        self.commit("team", "A note of the day.", "--durability", "ephemeral")
        durable = self.commit("one", "A note of the day.")["fact_id"]
        self.assertEqual(self.merge()["equal"], 2)
        self.assertEqual([f["fact_id"] for f in self.facts("A note of the day.")], [durable])
        one, = self.facts("The port is 8080.")
        self.assertEqual(one["fact_id"], kept)
        self.assertTrue(one["pinned"])
        self.assertIsNone(one.get("valid_until"))
        self.assertEqual(self.doctor("--deep"), {})

    def test_repositories_follow_what_was_moved(self):
        """Also where equal facts cannot be closed afterwards."""
        del self.env["ENGRAM_WORKSPACE"]
        repository = os.path.join(self.folder.name, "shop")
        subprocess.run(["git", "init", "-q", repository], check=True)

        def here(*words):
            return subprocess.run([attack.Options.engram, *words], capture_output=True, text=True,
                                  env=self.env, cwd=repository, timeout=attack.WAIT)

        def listed():
            rows = json.loads(here("workspaces", "--json").stdout)["workspaces"]
            return {row["name"]: bool(row["repositories"]) for row in rows}
        self.commit("team", "The port is 8080.")
        self.assertEqual(here("commit", "--scope", "auth", "The port is 8080.").returncode, 0)
        name, = set(listed()) - {"team"}
        self.assertEqual(listed(), {name: True, "team": False})
        self.sql("CREATE TRIGGER stuck BEFORE UPDATE OF close_reason ON facts "
                 "BEGIN SELECT RAISE(ABORT, 'stuck'); END")
        done = here("workspaces", "merge", name, "team")
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"'{name}' went into 'team', but equal facts", done.stderr)
        self.assertEqual(listed(), {"team": True})

    def test_nothing_to_merge(self):
        self.commit("one", "The port is 8080.")
        done = self.ask("workspaces", "rename", "one", "two")
        self.assertEqual((done["facts"], done["equal"]), (1, 0))
        self.assertIn("with 1 fact; restart", self.run_engram("workspaces", "merge", "two",
                                                              "team").stdout)


if __name__ == "__main__":
    attack.main()
