#!/usr/bin/env python3
"""Evidence that names lines of a file: facts whose lines changed are marked when they are read in
the repository.
usage: test_citations.py ENGRAM"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "attack"))
import attack  # noqa: E402


class Citations(attack.Attack):
    def setUp(self):
        super().setUp()
        del self.env["ENGRAM_WORKSPACE"]
        self.repository = os.path.join(self.folder.name, "app")
        os.makedirs(os.path.join(self.repository, "src"))
        subprocess.run(["git", "init", "-q", self.repository], check=True)
        self.write("int a;\nint port = 8080;\n")

    def write(self, text, name="src/auth.c"):
        with open(os.path.join(self.repository, name), "w", encoding="utf-8") as f:
            f.write(text)

    def engram(self, *words, where=None):
        done = subprocess.run([attack.Options.engram, *words], capture_output=True, text=True,
                              env=self.env, cwd=where or self.repository, timeout=attack.WAIT,
                              check=False)
        self.assertEqual(done.returncode, 0, (words, done.stderr))
        return done.stdout

    def stale(self, **more):
        found = json.loads(self.engram("query", "--json", "port", **more))["results"]
        return {f["content"][-2:-1]: f.get("stale") for f in found}

    def test_lines_that_change(self):
        for number, evidence in enumerate(("src/auth.c:2", "src/auth.c:1-2", "src/auth.c",
                                           "a test")):
            self.engram("commit", "--provenance", evidence, f"The port is number {number}.")
        self.assertEqual(set(self.stale().values()), {None})
        self.assertEqual(self.stale(where=os.path.join(self.repository, "src"))["0"], None)
        self.write("/* moved */\nint a;\n\tint port = 8080;\n")
        self.assertEqual(set(self.stale().values()), {None})
        self.write("int a;\nint port = 9090;\n")
        self.assertEqual(self.stale(), {"0": "line 2 of src/auth.c has changed",
                                        "1": "lines 1 to 2 of src/auth.c have changed",
                                        "2": None, "3": None})
        said = self.engram("query", "port")
        self.assertEqual(said.count("STALE: "), 2)
        self.write("int a;\n")
        self.assertEqual(self.stale()["0"], "src/auth.c has no line 2 any more")
        os.remove(os.path.join(self.repository, "src", "auth.c"))
        self.assertEqual(self.stale()["0"], "src/auth.c is not there any more")
        os.rmdir(os.path.join(self.repository, "src"))
        self.assertEqual(self.stale()["0"], "src/auth.c is not there any more")

    def test_agents_see_it(self):
        told = json.loads(self.engram("commit", "--json", "--provenance", "src/auth.c:2",
                                      "The port is number 0."))
        self.assertEqual(told["operation"], "add")
        self.write("int a;\nint port = 9090;\n")
        for tool, arguments, key in (("engram_query", {"topic": "port"}, "results"),
                                     ("engram_lineage", {"lineage_id": told["fact_id"]},
                                      "versions")):
            said = json.loads(self.engram("tool", tool, json.dumps(arguments)))
            self.assertEqual(said[key][0]["stale"], "line 2 of src/auth.c has changed", tool)

    def test_elsewhere_nothing_is_said(self):
        """Another folder, or a workspace that is not the repository's own, where the file may never
        have been."""
        self.env["ENGRAM_WORKSPACE"] = "shared"
        self.engram("commit", "--provenance", "src/auth.c:2", "The port is number 0.")
        self.write("int a;\nint port = 9090;\n")
        self.assertEqual(self.stale()["0"], "line 2 of src/auth.c has changed")
        os.remove(os.path.join(self.repository, "src", "auth.c"))
        self.assertEqual(self.stale()["0"], None)
        self.assertEqual(self.stale(where=self.folder.name)["0"], None)


if __name__ == "__main__":
    attack.main()
