#!/usr/bin/env python3
"""`engram check` as a team uses it in continuous integration: which files it reads, baselines,
comments that suppress, limits, formats.
usage: test_check.py ENGRAM TOP"""
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

ENGRAM, TOP = (os.path.abspath(path) for path in sys.argv[1:3])
PORTS = "The billing service listens on port {}.\n"


class Check(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = os.path.join(os.path.realpath(folder.name), "work")
        os.makedirs(self.place)
        self.env = {k: v for k, v in os.environ.items()
                    if not k.startswith(("ENGRAM_", "GIT_", "GITHUB_")) or k == "ENGRAM_ISA"}
        home = os.path.join(folder.name, "home")
        os.makedirs(home)
        self.env.update(ENGRAM_HOME=os.path.join(home, "engram"), HOME=home, ENGRAM_WORKSPACE="test",
                        GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@b", GIT_COMMITTER_NAME="a",
                        GIT_COMMITTER_EMAIL="a@b", GIT_CONFIG_NOSYSTEM="1")

    def put(self, name, text):
        path = os.path.join(self.place, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def git(self, *words):
        return subprocess.run(["git", "-c", "init.defaultBranch=main", *words], cwd=self.place,
                              env=self.env, check=True, capture_output=True, text=True).stdout

    def check(self, *words, expect=0, stdin="", cwd=None):
        done = subprocess.run([ENGRAM, "check", *words], input=stdin, capture_output=True, text=True,
                              env=self.env, timeout=300, cwd=cwd or self.place)
        self.assertEqual(done.returncode, expect, (words, done.stdout[-800:], done.stderr[-800:]))
        return done

    def findings(self, *words, expect=1, **more):
        return json.loads(self.check("--json", *words, expect=expect, **more).stdout)

    def files_read(self, *words):
        """The files that are read: each holds one statement that contradicts the others."""
        found = json.loads(subprocess.run([ENGRAM, "check", "--json", *words], capture_output=True,
                                          env=self.env, timeout=300, cwd=self.place).stdout)
        names = {side["file"] for f in found["findings"] for side in (f["a"], f["b"])}
        self.assertEqual(len(names), found["files"], names)
        return names

    # ---- choice of files ----

    def test_kinds_of_files(self):
        """Documents by their ending, instructions by their name; other files and hidden ones are not read."""
        read = ["a.md", "b.mdx", "c.mdc", "d.markdown", "e.txt", "g.jsonl", "AGENTS.md", ".windsurfrules",
                ".cursorrules", ".github/copilot-instructions.md", ".cursor/rules/style.mdc",
                ".claude/rules/x.md", "sub/folder/h.md"]
        for i, name in enumerate(read):
            text = PORTS.format(8000 + i)
            self.put(name, json.dumps({"content": text.strip()}) + "\n" if name.endswith("jsonl") else text)
        for i, name in enumerate(["x.c", ".hidden.md", ".venv/x.md", "CMakeLists.txt", "requirements.txt"]):
            self.put(name, PORTS.format(9000 + i))
        os.symlink("a.md", os.path.join(self.place, "link.md"))
        self.assertEqual(self.files_read("."), set(read))
        self.assertEqual(self.files_read(os.path.join(self.place, "sub") + "/", "a.md"),
                         {"a.md", os.path.join(self.place, "sub/folder/h.md")})

    def test_ignored_files(self):
        """.gitignore, .engramignore and --exclude, above and below the folder that is named."""
        self.git("init", "-q")
        for i, name in enumerate(["a.md", "node_modules/x/b.md", "docs/c.md", "docs/old/d.md", "docs/old/e.md",
                                  "gen/f.md", "gen/g.md", "vendored/h.md"]):
            self.put(name, PORTS.format(8000 + i))
        self.put(".gitignore", "node_modules/\ngen/*\n")
        self.put(".engramignore", "# generated\n!gen/g.md\n/docs/old/*\n!docs/old/e.md\n")
        everything = {"a.md", "docs/c.md", "docs/old/e.md", "gen/g.md", "vendored/h.md"}
        self.assertEqual(self.files_read("."), everything)
        self.assertEqual(self.files_read("docs"), {"docs/c.md", "docs/old/e.md"})
        self.assertEqual(self.files_read(".", "--exclude", "vendored", "--exclude=*/old/**"),
                         everything - {"vendored/h.md", "docs/old/e.md"})
        self.assertEqual(self.files_read("node_modules/x/b.md", "a.md"), {"node_modules/x/b.md", "a.md"})
        self.put("docs/.engramignore", "c.md\n")
        self.assertEqual(self.files_read("."), everything - {"docs/c.md"})
        self.assertIn("left out: docs/c.md", self.check(".", "--verbose", expect=1).stderr)
        subprocess.run(["git", "init", "-q", os.path.join(self.place, "vendored")], check=True, env=self.env)
        self.assertEqual(self.files_read("."), everything - {"docs/c.md", "vendored/h.md"})
        with open(os.path.join(self.place, ".git/info/exclude"), "w", encoding="utf-8") as f:
            f.write("a.md\n")
        self.put("z.md", PORTS.format(8100))
        self.assertEqual(self.files_read("."), {"z.md", "docs/old/e.md", "gen/g.md"})

    def test_patterns_as_git_reads_them(self):
        """Made-up patterns over made-up paths: what is left out is what git leaves out."""
        self.git("init", "-q")
        dice = random.Random(7)
        names = ["a", "b", "ab", "a b", "[a]", "a.md", "B"]
        paths = sorted({"/".join(dice.choice(names) for _ in range(dice.randint(0, 3))) for _ in range(60)} - {""})
        files = []
        for path in paths:
            if not any(os.path.isfile(os.path.join(self.place, *path.split("/")[:n + 1]))
                       for n in range(path.count("/") + 1)):
                try:
                    files.append(os.path.join(path, dice.choice(["x.md", "y.md", "a.md"])))
                    self.put(files[-1], PORTS.format(len(files)))
                except (NotADirectoryError, FileExistsError):
                    files.pop()
        pieces = ["a", "b", "*", "**", "?", "a*", "*b", "[ab]", "[!a]", "[[:alpha:]]", "[^a-z]*", "x.md", "*.md",
                  "\\[a\\]", "a\\ b", "a b", "[]a]", "[a", "\\a"]
        for _ in range(100):
            lines = []
            for _ in range(dice.randint(1, 5)):
                line = "/".join(dice.choice(pieces) for _ in range(dice.randint(1, 4)))
                lines.append(dice.choice(["", "", "", "!"]) + dice.choice(["", "", "/"]) + line
                             + dice.choice(["", "", "/", " ", "\\ ", "\r"]))
            self.put(".gitignore", "\n".join(lines) + "\n")
            wanted = set(self.git("ls-files", "-z", "--others", "--exclude-standard").split("\0")) & set(files)
            said = subprocess.run([ENGRAM, "check", "--verbose", "--min-score=1", "."], capture_output=True,
                                  text=True, env=dict(self.env, ENGRAM_PLUGINS="rules"), cwd=self.place)
            told = {line.split(": ", 2)[2].rsplit(" (", 1)[0] for line in said.stderr.splitlines()
                    if line.startswith("engram: left out: ")}
            mine = {f for f in files if not any(f == t or f.startswith(t + "/") for t in told)}
            self.assertEqual(mine, wanted, lines)

    def test_nothing_to_check(self):
        """What was not read is not clean: a status and a sentence."""
        self.put("code/x.c", "int x;\n")
        said = self.check("code", expect=2)
        self.assertIn("'code' holds no files that end in .md, ", said.stderr)
        self.assertEqual(said.stdout, "")
        self.put("docs/a.md", "# Only a heading\n")
        self.assertIn("'docs/a.md' holds no statement", self.check("docs", expect=2).stderr)
        self.put("docs/.engramignore", "*\n")
        self.assertIn("but for those that are ignored", self.check("docs", expect=2).stderr)
        self.assertIn("all files are ignored", self.check("docs/a.md", "--exclude", "*.md", expect=2).stderr)
        self.assertIn("no statement", self.check("-", expect=2).stderr)

    def test_notebooks_and_mdx(self):
        cells = [{"cell_type": "code", "source": ["The port is 1.\n"]},
                 {"cell_type": "markdown", "metadata": {"source": ["x"]},
                  "source": ["# Title\n", "\n", PORTS.format(1), "More is said.\n", PORTS.format(2)]}]
        self.put("a.ipynb", json.dumps({"cells": cells, "nbformat": 4}, indent=1))
        with open(os.path.join(self.place, "a.ipynb"), encoding="utf-8") as f:
            lines = [i for i, line in enumerate(f, 1) if "listens" in line]
        one = self.findings("a.ipynb")["findings"][0]
        self.assertEqual([one["a"]["line"], one["b"]["line"]], lines)
        self.put("b.ipynb", json.dumps({"cells": cells}))
        self.assertEqual({side["line"] for side in (self.findings("b.ipynb")["findings"][0][k] for k in "ab")}, {1})
        self.put("c.ipynb", json.dumps({"worksheets": []}))
        self.assertIn("not a notebook", self.check("c.ipynb", expect=2).stderr)
        self.put("d.mdx", "import X from 'x'\nexport const a = 'The port is 1.'\n\n<Tabs\n  of={1 > 2}>\n" + PORTS.format(1)
                 + "</Tabs>\n{/* " + PORTS.format(3).strip() + " */}\n```js\n{/* not closed\n```\n"
                 "The <Name>billing</Name> service listens on port <b>2</b>.\n{/* engram: ignore */}\n" + PORTS.format(4))
        found = self.findings("d.mdx")
        self.assertEqual([(f["a"]["line"], f["b"]["line"]) for f in found["findings"]], [(6, 12)])
        self.assertEqual(found["suppressed"], 2)

    # ---- comments ----

    def test_suppressed(self):
        """By a comment on the line, on the line before, or for the whole file; not within code."""
        self.put("a.md", PORTS.format(1))
        for comment, wanted in (("<!-- engram: ignore -->", 0), ("<!--engram:ignore until the move is done-->", 0),
                                ("<!-- engram: ignored -->", 1), ("`<!-- engram: ignore -->`", 1)):
            self.put("b.md", "First another line is here.\n\n" + PORTS.format(2).strip() + f" {comment}\n")
            self.check("a.md", "b.md", expect=wanted)
            if comment[0] != "`":
                self.put("b.md", f"{comment}\n\n" + PORTS.format(2))
                self.check("a.md", "b.md", expect=wanted)
        self.put("b.md", "Intro of some words.\n<!-- engram: ignore -->\nThe billing service\nlistens on port 2.\n")
        self.assertEqual(self.findings("a.md", "b.md", expect=0)["suppressed"], 1)
        self.put("b.md", PORTS.format(2) + "\nIt has three\nreplicas. <!-- engram: ignore -->\n")
        said = self.check("a.md", "b.md", "--verbose", expect=1).stderr
        self.assertIn("b.md:4: this comment suppresses nothing", said)
        self.assertNotIn("suppresses nothing", self.check("a.md", "b.md", expect=1).stderr)
        self.put("b.md", "```\n<!-- engram: ignore-file -->\n```\n" + PORTS.format(2))
        self.check("a.md", "b.md", expect=1)
        self.put("b.md", PORTS.format(2) + PORTS.format(3) + "\n<!-- engram: ignore-file: generated -->\n")
        self.assertEqual(self.findings("a.md", "b.md", expect=0)["statements"], 1)
        self.check("b.md")

    # ---- baseline ----

    def test_baseline(self):
        """Accepted findings stay accepted wherever they move to; new ones fail; old entries are told."""
        self.put("docs/a.md", "# Ports\n\n" + PORTS.format(1))
        self.put("docs/b.md", PORTS.format(2))
        self.check("docs", "--baseline", "base.json", expect=2)
        said = self.check("docs", "--write-baseline", "base.json")
        self.assertIn("1 finding accepted in 'base.json'", said.stderr)
        self.assertEqual(said.stdout, "")
        with open(os.path.join(self.place, "base.json"), encoding="utf-8") as f:
            text = f.read()
        self.assertNotIn(self.place, text)
        kept = json.loads(text)
        self.assertEqual((kept["version"], kept["findings"][0]["files"]), (1, ["docs/a.md", "docs/b.md"]))
        self.check("docs", "--baseline", "base.json")
        self.put("docs/a.md", "Some words before it.\n\n- The **billing** service\n  listens on port 1.\n")
        self.assertEqual(self.findings("docs", "--baseline", "base.json", expect=0)["in_baseline"], 1)
        self.check(os.path.join(self.place, "docs/b.md"), "a.md", "--baseline", "../base.json",
                   cwd=os.path.join(self.place, "docs"))
        self.put("docs/c.md", PORTS.format(3))
        said = self.check("docs", "--baseline", "base.json", expect=1)
        self.assertIn("2 contradictions, 1 in the baseline", said.stdout)
        self.assertEqual(said.stderr, "")
        self.check("docs/a.md", "docs/c.md", "--baseline", "base.json", expect=1)
        self.assertEqual(self.check("docs/b.md", "--baseline", "base.json").stderr, "")
        self.put("docs/b.md", "The billing service is down at night.\n")
        said = self.check("docs/a.md", "docs/b.md", "--baseline", "base.json").stderr
        self.assertIn("base.json: no longer found: docs/a.md: ", said)
        self.assertIn("--write-baseline base.json", said)
        os.remove(os.path.join(self.place, "docs/a.md"))
        self.assertIn("no longer found", self.check("docs/b.md", "--baseline", "base.json").stderr)
        self.check("docs", "--write-baseline", "base.json")
        self.assertEqual(self.check("docs", "--baseline", "base.json").stderr, "")

    def test_baselines_that_differ_little(self):
        """Written twice, or with the files in another order, a baseline is the same text."""
        for i in range(4):
            self.put(f"{i}.md", PORTS.format(i))
        texts = []
        for names in (["0.md", "1.md", "2.md", "3.md"], ["3.md", "1.md", "0.md", "2.md"], ["."]):
            self.check(*names, "--write-baseline", "base.json")
            with open(os.path.join(self.place, "base.json"), encoding="utf-8") as f:
                texts.append(f.read())
        self.assertEqual(texts[0].count('"files"'), 6)
        self.assertEqual(len(set(texts)), 1)

    def test_wrong_baselines(self):
        self.put("a.md", PORTS.format(1))
        for text, says in (("", "damaged: no valid JSON in line 1"), ('{\n"version": 1,\n', "line 3"),
                           ("[]", "not a baseline"), ('{"version": 2, "findings": []}', "version 2"),
                           ('{"version": 1, "findings": [{"files": ["a"]}]}', "finding 1 must have")):
            self.put("base.json", text)
            said = self.check("a.md", "--baseline", "base.json", expect=2).stderr
            self.assertIn(says, said)
            self.assertIn("--write-baseline", said)
        self.assertIn("make it first", self.check("a.md", "--write-baseline", "no/x.json", expect=2).stderr)
        self.put("b.md", "caf\u00e9").encode()
        with open(os.path.join(self.place, "b.md"), "wb") as f:
            f.write(b"\xff\xfe")
        self.assertIn("was not written", self.check(".", "--write-baseline", "new.json", expect=2).stderr)
        self.assertFalse(os.path.exists(os.path.join(self.place, "new.json")))

    # ---- limits and formats ----

    def test_limits(self):
        """The gravest come first; --severity and --min-score leave the others out."""
        notes = os.path.join(TOP, "tools/example/notes")
        found = self.findings(notes)["findings"]
        order = {"low": 0, "medium": 1, "high": 2}
        weights = [(order[f["severity"]], f["score"]) for f in found]
        self.assertEqual(weights, sorted(weights, reverse=True))
        for level, least in order.items():
            wanted = [f for f in found if order[f["severity"]] >= least]
            left = self.findings(notes, "--severity", level, expect=int(bool(wanted)))
            self.assertEqual((left["findings"], left["below_limits"]), (wanted, len(found) - len(wanted)))
        some = sorted(f["score"] for f in found)[len(found) // 2]
        wanted = [f for f in found if f["score"] >= some]
        self.assertEqual(self.findings(notes, "--min-score", str(some))["findings"], wanted)
        self.assertLess(len(wanted), len(found))
        for words, says in ((["--min-score", "2"], "from 0 to 1"), (["--min-score", "x"], "'x'"),
                            (["--severity", "grave"], "low, medium or high"), (["--sarif", "--json"], "several formats"),
                            (["--format", "xml"], "text, json, sarif or github")):
            self.assertIn(says, self.check(notes, *words, expect=2).stderr)

    def test_github(self):
        """Workflow commands, escaped as GitHub reads them, with paths from the top of the workspace."""
        self.put("docs/50%, really: a.md", "The billing service listens on port 1 (100%).\n")
        self.put("docs/b.md", "Intro of three words.\n\nThe billing service\nlistens on port 2.\n")
        line, = self.check("docs", "--format", "github", expect=1).stdout.splitlines()
        self.assertRegex(line, r"^::(error|warning|notice) file=docs/b\.md,line=3,endLine=4,title=Contradiction \([^:,]*\)::")
        self.assertIn("%0AAgainst docs/50%25, really: a.md:1: The billing service listens on port 1 (100%25).", line)
        os.rename(os.path.join(self.place, "docs/b.md"), os.path.join(self.place, "docs/B, : %.md"))
        os.rename(os.path.join(self.place, "docs/50%, really: a.md"), os.path.join(self.place, "docs/A.md"))
        self.env["GITHUB_WORKSPACE"] = self.place
        line, = self.check(".", "--format", "github", expect=1, cwd=os.path.join(self.place, "docs")).stdout.splitlines()
        self.assertIn(" file=docs/B%2C %3A %25.md,line=3", line)
        self.assertIn("Against docs/A.md:1", line)
        self.assertEqual(self.check("docs/A.md", "--format", "github").stdout, "")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
