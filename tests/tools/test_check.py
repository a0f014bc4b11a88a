#!/usr/bin/env python3
"""`engram check` as a team uses it in continuous integration: which files it reads, baselines,
comments that suppress, limits, formats.
usage: test_check.py ENGRAM TOP"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

ENGRAM, TOP = (os.path.abspath(path) for path in sys.argv[1:3])
BUILD = os.path.dirname(ENGRAM)
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
        # as between facts: what rules find counts without the support of the model
        self.env.update(ENGRAM_HOME=os.path.join(home, "engram"), HOME=home,
                        ENGRAM_WORKSPACE="test", ENGRAM_TIER1_NLI_DOCUMENTS="0",
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
        done = subprocess.run([ENGRAM, "check", *words], input=stdin, capture_output=True,
                              text=True,
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
        """Documents by their ending, instructions by their name; other files and hidden ones are
        not read."""
        read = ["a.md", "b.mdx", "c.mdc", "d.markdown", "e.txt", "f.rst", "g.jsonl",
                "h.adoc", "AGENTS.md", ".windsurfrules",
                ".cursorrules", ".github/copilot-instructions.md", ".cursor/rules/style.mdc",
                ".claude/rules/x.md", "sub/folder/h.md"]
        for i, name in enumerate(read):
            text = PORTS.format(8000 + i)
            self.put(name, json.dumps({"content": text.strip()}) + "\n" if name.endswith("jsonl")
                     else text)
        for i, name in enumerate(["x.c", ".hidden.md", ".venv/x.md", "CMakeLists.txt",
                                  "requirements.txt"]):
            self.put(name, PORTS.format(9000 + i))
        os.symlink("a.md", os.path.join(self.place, "link.md"))
        self.assertEqual(self.files_read("."), set(read))
        self.assertEqual(self.files_read(os.path.join(self.place, "sub") + "/", "a.md"),
                         {"a.md", os.path.join(self.place, "sub/folder/h.md")})

    def test_comments_of_code(self):
        """Source code is read for its comments, if that is asked for; a mark suppresses."""
        self.put("a.md", "A seat hold of the shop expires after 15 minutes.\n")
        self.put("src/hold.py",
                 '"""Holds.\n\nA seat hold of the shop expires after 10 minutes.\n"""\n')
        self.put("src/x.c", "int x; /* none */\n// engram: ignore\n"
                            "// A seat hold of the shop expires after 5 minutes.\n")
        self.check(".")
        found = self.findings("--comments", ".")
        self.assertEqual([(f[side]["file"], f[side]["line"]) for f in found["findings"]
                          for side in ("a", "b")], [("a.md", 1), ("src/hold.py", 3)])
        self.assertEqual(found["files"], 3)

    def test_ignored_files(self):
        """.gitignore, .engramignore and --exclude, above and below the folder that is named."""
        self.git("init", "-q")
        for i, name in enumerate(["a.md", "node_modules/x/b.md", "docs/c.md", "docs/old/d.md",
                                  "docs/old/e.md",
                                  "gen/f.md", "gen/g.md", "vendored/h.md"]):
            self.put(name, PORTS.format(8000 + i))
        self.put(".gitignore", "node_modules/\ngen/*\n")
        self.put(".engramignore", "# generated\n!gen/g.md\n/docs/old/*\n!docs/old/e.md\n")
        everything = {"a.md", "docs/c.md", "docs/old/e.md", "gen/g.md", "vendored/h.md"}
        self.assertEqual(self.files_read("."), everything)
        self.assertEqual(self.files_read("docs"), {"docs/c.md", "docs/old/e.md"})
        self.assertEqual(self.files_read(".", "--exclude", "vendored", "--exclude=*/old/**"),
                         everything - {"vendored/h.md", "docs/old/e.md"})
        self.assertEqual(self.files_read("node_modules/x/b.md", "a.md"),
                         {"node_modules/x/b.md", "a.md"})
        self.put("docs/.engramignore", "c.md\n")
        self.assertEqual(self.files_read("."), everything - {"docs/c.md"})
        self.assertIn("left out: docs/c.md", self.check(".", "--verbose", expect=1).stderr)
        subprocess.run(["git", "init", "-q", os.path.join(self.place, "vendored")], check=True,
                       env=self.env)
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
        paths = sorted({"/".join(dice.choice(names) for _ in range(dice.randint(0, 3)))
                        for _ in range(60)} - {""})
        files = []
        for path in paths:
            if not any(os.path.isfile(os.path.join(self.place, *path.split("/")[:n + 1]))
                       for n in range(path.count("/") + 1)):
                try:
                    files.append(os.path.join(path, dice.choice(["x.md", "y.md", "a.md"])))
                    self.put(files[-1], PORTS.format(len(files)))
                except (NotADirectoryError, FileExistsError):
                    files.pop()
        pieces = ["a", "b", "*", "**", "?", "a*", "*b", "[ab]", "[!a]", "[[:alpha:]]", "[^a-z]*",
                  "x.md", "*.md",
                  "\\[a\\]", "a\\ b", "a b", "[]a]", "[a", "\\a"]
        for _ in range(100):
            lines = []
            for _ in range(dice.randint(1, 5)):
                line = "/".join(dice.choice(pieces) for _ in range(dice.randint(1, 4)))
                lines.append(dice.choice(["", "", "", "!"]) + dice.choice(["", "", "/"]) + line
                             + dice.choice(["", "", "/", " ", "\\ ", "\r"]))
            self.put(".gitignore", "\n".join(lines) + "\n")
            wanted = set(self.git("ls-files", "-z", "--others",
                                  "--exclude-standard").split("\0")) & set(files)
            said = subprocess.run([ENGRAM, "check", "--verbose", "--min-score=1", "."],
                                  capture_output=True,
                                  text=True, env=dict(self.env, ENGRAM_PLUGINS="rules"),
                                  cwd=self.place)
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
        self.assertIn("all files are ignored",
                      self.check("docs/a.md", "--exclude", "*.md", expect=2).stderr)
        self.assertIn("no statement", self.check("-", expect=2).stderr)

    def check_with(self, *words, expect, **settings):
        """What it says with these settings; of the statuses, 2 means that it printed nothing."""
        self.put("a.md", "The cellar is cleaned every day.\n\nThe cellar is painted green.\n")
        kept = dict(self.env)
        self.env.update(settings)
        done = self.check("a.md", *words, expect=expect)
        self.env = kept
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_detectors_that_cannot_be_loaded(self):
        """What was not examined is not clean: the plugin is named, and what to do."""
        self.assertEqual(self.check_with(expect=0), "")
        self.put("text.so", "no library\n")
        for plugin, why in ((os.path.join(BUILD, "tests/plugins/loader_major.so"), "plugin ABI"),
                            (os.path.join(self.place, "text.so"), "cannot load plugin"),
                            ("not_there", "cannot open plugin")):
            said = self.check_with(expect=2, ENGRAM_PLUGINS="rules nli " + plugin)
            self.assertIn(f"the plugin {plugin} is required: ", said)
            self.assertIn(why, said)
            self.assertIn("take it out of the setting plugins", said)
        said = self.check_with(expect=2, ENGRAM_PLUGINS="sqlite secrets")
        self.assertIn("no loaded plugin is a detector: add rules and nli", said)

    def test_models_that_cannot_be_used(self):
        def damaged(name, file, data):
            folder = os.path.join(self.place, name)
            shutil.copytree(os.path.join(TOP, "models/weights/engram-nli-0"), folder)
            with open(os.path.join(folder, file), "wb") as f:
                f.write(data)
            return folder
        for setting, model in (("NLI", "not-there"), ("EMBED", "not-there"),
                               ("NLI", damaged("cut", "model-00001-of-00002.safetensors", b"x")),
                               ("NLI", os.path.join(TOP, "models/weights/engram-embed-0"))):
            said = self.check_with(expect=2, **{"ENGRAM_MODEL_" + setting: model})
            self.assertIn(f"nothing was checked, since model.{setting.lower()} cannot be used: ",
                          said)
            self.assertIn(model, said)
        self.check_with(expect=0, ENGRAM_PLUGINS="rules", ENGRAM_MODEL_NLI="not-there")
        said = self.check_with("--write-baseline", "b.json", expect=2, ENGRAM_MODEL_NLI=damaged(
            "trees", "verdict_documents.bin", b"x"))
        self.assertIn("not everything was checked: detector nli failed: ", said)
        self.assertFalse(os.path.exists(os.path.join(self.place, "b.json")))

    def test_notebooks_and_mdx(self):
        cells = [{"cell_type": "code", "source": ["The port is 1.\n"]},
                 {"cell_type": "markdown", "metadata": {"source": ["x"]},
                  "source": ["# Title\n", "\n", PORTS.format(1), "More is said.\n",
                             PORTS.format(2)]}]
        self.put("a.ipynb", json.dumps({"cells": cells, "nbformat": 4}, indent=1))
        with open(os.path.join(self.place, "a.ipynb"), encoding="utf-8") as f:
            lines = [i for i, line in enumerate(f, 1) if "listens" in line]
        one = self.findings("a.ipynb")["findings"][0]
        self.assertEqual([one["a"]["line"], one["b"]["line"]], lines)
        self.put("b.ipynb", json.dumps({"cells": cells}))
        self.assertEqual({side["line"] for side in (self.findings("b.ipynb")["findings"][0][k]
                                                    for k in "ab")}, {1})
        self.put("c.ipynb", json.dumps({"worksheets": []}))
        self.assertIn("not a notebook", self.check("c.ipynb", expect=2).stderr)
        self.put("d.mdx",
                 "import X from 'x'\nexport const a = 'The port is 1.'\n\n<Tabs\n  of={1 > 2}>\n"
                 + PORTS.format(1)
                 + "</Tabs>\n{/* " + PORTS.format(3).strip() + " */}\n```js\n{/* not closed\n```\n"
                 "The <Name>billing</Name> service listens on port <b>2</b>.\n"
                 "{/* engram: ignore */}\n" + PORTS.format(4))
        found = self.findings("d.mdx")
        self.assertEqual([(f["a"]["line"], f["b"]["line"]) for f in found["findings"]], [(6, 12)])
        self.assertEqual(found["suppressed"], 2)

    # ---- comments ----

    def test_suppressed(self):
        """By a comment on the line, on the line before, or for the whole file; not within code."""
        self.put("a.md", PORTS.format(1))
        for comment, wanted in (("<!-- engram: ignore -->", 0),
                                ("<!--engram:ignore until the move is done-->", 0),
                                ("<!-- engram: ignored -->", 1), ("`<!-- engram: ignore -->`", 1)):
            self.put("b.md", "First another line is here.\n\n" + PORTS.format(2).strip()
                     + f" {comment}\n")
            self.check("a.md", "b.md", expect=wanted)
            if comment[0] != "`":
                self.put("b.md", f"{comment}\n\n" + PORTS.format(2))
                self.check("a.md", "b.md", expect=wanted)
        self.put("b.md",
                 "Intro of some words.\n<!-- engram: ignore -->\n"
                 "The billing service\nlistens on port 2.\n")
        self.assertEqual(self.findings("a.md", "b.md", expect=0)["suppressed"], 1)
        self.put("b.md", PORTS.format(2) + "\nIt has three\nreplicas. <!-- engram: ignore -->\n")
        said = self.check("a.md", "b.md", "--verbose", expect=1).stderr
        self.assertIn("b.md:4: this comment suppresses nothing", said)
        self.assertNotIn("suppresses nothing", self.check("a.md", "b.md", expect=1).stderr)
        self.put("b.md", "```\n<!-- engram: ignore-file -->\n```\n" + PORTS.format(2))
        self.check("a.md", "b.md", expect=1)
        self.put("b.md", PORTS.format(2) + PORTS.format(3)
                 + "\n<!-- engram: ignore-file: generated -->\n")
        self.assertEqual(self.findings("a.md", "b.md", expect=0)["statements"], 1)
        self.check("b.md")

    def test_suppressed_in_other_formats(self):
        self.put("a.md", PORTS.format(1))
        for name, comment in (("b.rst", ".. engram: ignore"), ("b.adoc", "// engram: ignore")):
            self.put(name, comment + "\n\n" + PORTS.format(2))
            self.assertEqual(self.findings("a.md", name, expect=0)["suppressed"], 1)
            self.put(name, comment + "-file\n\n" + PORTS.format(2))
            self.assertEqual(self.findings("a.md", name, expect=0)["statements"], 1)
            self.put(name, PORTS.format(2))
            self.check("a.md", name, expect=1)

    # ---- baseline ----

    def test_baseline(self):
        """Accepted findings stay accepted wherever they move to; new ones fail; old entries are
        told."""
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
        self.assertEqual((kept["version"], kept["findings"][0]["files"]),
                         (1, ["docs/a.md", "docs/b.md"]))
        self.check("docs", "--baseline", "base.json")
        self.put("docs/a.md",
                 "Some words before it.\n\n- The **billing** service\n  listens on port 1.\n")
        self.assertEqual(self.findings("docs", "--baseline", "base.json", expect=0)["in_baseline"],
                         1)
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
        for text, says in (("", "damaged: no valid JSON in line 1"),
                           ('{\n"version": 1,\n', "line 3"),
                           ("[]", "not a baseline"),
                           ('{"version": 2, "findings": []}', "version 2"),
                           ('{"version": 1, "findings": [{"files": ["a"]}]}',
                            "finding 1 must have")):
            self.put("base.json", text)
            said = self.check("a.md", "--baseline", "base.json", expect=2).stderr
            self.assertIn(says, said)
            self.assertIn("--write-baseline", said)
        self.assertIn("make it first", self.check("a.md", "--write-baseline", "no/x.json",
                                                  expect=2).stderr)
        self.put("b.md", "caf\u00e9").encode()
        with open(os.path.join(self.place, "b.md"), "wb") as f:
            f.write(b"\xff\xfe")
        self.assertIn("was not written", self.check(".", "--write-baseline", "new.json",
                                                    expect=2).stderr)
        self.assertFalse(os.path.exists(os.path.join(self.place, "new.json")))

    # ---- changed lines ----

    def commit(self, message="x"):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD").strip()

    def places(self, *words, expect=1, **more):
        found = self.findings(*words, expect=expect, **more)["findings"]
        return {tuple(sorted((side["file"], side["line"]) for side in (f["a"], f["b"])))
                for f in found}

    def test_diff(self):
        """Only findings of which a statement changed: edited, new, untracked or cut; not one that
        was moved or renamed."""
        self.git("init", "-q")
        text = "# Guide\n\n" + PORTS.format(1) + "\nThe cache holds 512 entries.\n\n" + "".join(
            f"{words}.\n\n" for words in ("Minutes are kept in the wiki",
                                          "Deploys happen on Mondays", "Anna wrote the parser"))
        self.put("a.md", text)
        self.put("docs/\u00fc b\".md", PORTS.format(2))
        base = self.commit()
        everything = {(("a.md", 3), ("docs/\u00fc b\".md", 1))}
        self.assertEqual(self.places("."), everything)
        self.assertEqual(self.places(".", "--diff", base, expect=0), set())
        self.put("a.md", "One more line is here.\n" + text)  # only moved
        self.assertEqual(self.places(".", "--diff", "HEAD", expect=0), set())
        self.put("docs/\u00fc b\".md",
                 "An intro of words.\n\nThe billing service\nlistens on port 3.\n")
        changed = {(("a.md", 4), ("docs/\u00fc b\".md", 3))}
        self.assertEqual(self.places(".", "--diff", "HEAD"), changed)
        self.commit()
        self.assertEqual(self.places(".", "--diff", "HEAD", expect=0), set())
        self.assertEqual(self.places(".", "--diff", base), changed)
        self.git("mv", "a.md", "moved.md")
        self.assertEqual(self.places(".", "--diff", "HEAD", expect=0), set())
        self.put("moved.md", "One more line is here.\n" + text + "\n" + PORTS.format(4))
        last = ("moved.md", text.count("\n") + 3)
        self.assertEqual(self.places(".", "--diff", "HEAD"),
                         {(("docs/\u00fc b\".md", 3), last), (("moved.md", 4), last)})
        self.git("checkout", "-q", "-f", "HEAD")
        self.git("reset", "-q", "--hard")
        self.put("new.md", "The cache holds 256 entries.\n")  # git does not know it yet
        self.assertEqual(self.places(".", "--diff", "HEAD"), {(("a.md", 6), ("new.md", 1))})
        self.assertEqual(self.places(".", "--diff", "HEAD", cwd=os.path.join(self.place, "docs"),
                                     expect=0), set())
        self.check("-", "a.md", "--diff", "HEAD", stdin="The cache holds 128 entries.\n", expect=1)

    def test_kept_vectors(self):
        """What the model made of the statements is kept for the next run, which finds the same; a
        damaged file is made anew; of standard input nothing is kept."""
        self.put("a.md", PORTS.format(1))
        self.put("b.md", PORTS.format(2))
        kept = os.path.join(self.env["ENGRAM_HOME"], "cache", "documents.vectors")
        first = self.findings(".")
        with open(kept, "rb") as f:
            whole = f.read()
        self.assertEqual(os.stat(kept).st_mode & 0o777, 0o600)
        before = os.stat(kept).st_mtime_ns
        again = self.findings(".")
        self.assertEqual([again["findings"], os.stat(kept).st_mtime_ns],
                         [first["findings"], before])
        with open(kept, "wb") as f:
            f.write(whole[:-1] + bytes([whole[-1] ^ 1]))
        self.assertEqual(self.findings(".")["findings"], first["findings"])
        with open(kept, "rb") as f:
            self.assertEqual(f.read(), whole)
        self.put("b.md", PORTS.format(3))
        self.findings(".")
        self.assertEqual(os.stat(kept).st_size - len(whole), (len(whole) - 64) // 2)
        size = os.stat(kept).st_size
        self.findings("-", stdin=PORTS.format(8) + "\n\n" + PORTS.format(9))
        self.assertEqual(os.stat(kept).st_size, size)

    def test_diff_of_cut_statements(self):
        """A line that is gone from the middle of a statement changed it; one between two statements
        changed neither."""
        self.git("init", "-q")
        self.put("a.md", PORTS.format(1))
        self.put("b.md", "The billing service\nnever\nlistens on port 2.\n")
        self.put("c.md", "The catalog service listens on port 7.\n\nSome other words are here.\n\n"
                 "The catalog service listens on port 8.\n")
        self.commit()
        self.put("b.md", "The billing service\nlistens on port 2.\n")
        self.put("c.md",
                 "The catalog service listens on port 7.\n\n"
                 "The catalog service listens on port 8.\n")
        self.assertEqual(self.places(".", "--diff", "HEAD"), {(("a.md", 1), ("b.md", 1))})

    def test_diff_of_branches(self):
        """What was done on the base branch since is not of this branch; a file that git takes for
        binary is all changed."""
        self.git("init", "-q")
        self.put("a.md", PORTS.format(1))
        self.commit()
        self.git("checkout", "-q", "-b", "topic")
        self.put("b.md", "The cache holds 256 entries.\n")
        self.commit()
        self.git("checkout", "-q", "main")
        self.put("a.md", PORTS.format(2))
        self.put("c.md", PORTS.format(3))
        self.commit()
        self.git("checkout", "-q", "topic")
        self.put("old.md", PORTS.format(4))
        self.assertEqual(self.places(".", "--diff", "main"), {(("a.md", 1), ("old.md", 1))})
        self.put(".gitattributes", "*.md -diff\n")
        self.commit()
        self.put("renamed.md", PORTS.format(4) + "\nThe cache holds 128 entries.\n")
        self.git("mv", "-f", "old.md", "moved.md")
        os.replace(os.path.join(self.place, "renamed.md"), os.path.join(self.place, "moved.md"))
        self.assertEqual(self.places(".", "--diff", "HEAD"),
                         {(("a.md", 1), ("moved.md", 1)), (("b.md", 1), ("moved.md", 3))})

    def test_diff_shows_what_changed(self):
        """Annotations and alerts stand at the statement that changed, which may be the earlier
        one."""
        self.git("init", "-q")
        self.put("a.md", PORTS.format(1))
        self.put("b.md", PORTS.format(2))
        self.commit()
        self.put("a.md", "\n" + PORTS.format(3))
        line, = self.check(".", "--diff", "HEAD", "--format", "github",
                           expect=1).stdout.splitlines()
        self.assertIn(" file=a.md,line=2,", line)
        self.assertIn("Against b.md:1", line)
        sarif = json.loads(self.check(".", "--diff", "HEAD", "--sarif",
                                      expect=1).stdout)["runs"][0]["results"][0]
        self.assertEqual(sarif["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
                         "a.md")
        self.assertIn("against b.md:1", sarif["message"]["text"])

    def test_diff_finds_what_a_full_check_finds(self):
        """Over the example: the findings with a statement of one file are those of --diff when that
        file is new."""
        self.git("init", "-q")
        notes = os.path.join(TOP, "tools/example/notes")
        names = sorted(os.listdir(notes))
        for new in (names[0], names[-1]):
            for name in names:
                with open(os.path.join(notes, name), encoding="utf-8") as f:
                    self.put(name, f.read() if name != new else "")
            self.commit()
            with open(os.path.join(notes, new), encoding="utf-8") as f:
                self.put(new, f.read())
            wanted = {pair for pair in self.places(".") if new in (pair[0][0], pair[1][0])}
            self.assertEqual(self.places(".", "--diff", "HEAD", expect=int(bool(wanted))), wanted)
            self.commit()

    def test_wrong_diffs(self):
        self.put("a.md", PORTS.format(1))
        self.assertIn("this folder is in none", self.check(".", "--diff", "HEAD", expect=2).stderr)
        self.git("init", "-q")
        self.put("b.md", PORTS.format(2))
        # before the first commit all is new
        self.assertEqual(len(self.places(".", "--diff", "HEAD")), 1)
        self.assertIn("no commit 'main'", self.check(".", "--diff", "main", expect=2).stderr)
        self.commit()
        for base in ("nowhere", "--output=x", "HEAD~3", "HEAD:a.md", ""):
            self.assertIn(f"no commit '{base}'", self.check(".", f"--diff={base}", expect=2).stderr)
        self.assertFalse(os.path.exists(os.path.join(self.place, "x")))
        self.assertIn("leave out one", self.check(".", "--diff", "HEAD", "--write-baseline",
                                                  "b.json", expect=2).stderr)
        empty = os.path.join(self.place, "bin")
        os.makedirs(empty)
        self.env["PATH"] = empty
        self.assertIn("git, which is not installed",
                      self.check(".", "--diff", "HEAD", expect=2).stderr)

    # ---- hooks ----

    def test_workflow_of_the_documents(self):
        """The last step of the example in docs/usage.md, as a runner runs it on a pull request."""
        with open(os.path.join(TOP, "docs/usage.md"), encoding="utf-8") as f:
            workflow = f.read().split("```yaml\n", 1)[1].split("```", 1)[0]
        step = textwrap.dedent(workflow.rsplit("run: |\n", 1)[1])
        self.assertIn("engram check --diff", step)
        self.git("init", "-q")
        self.put("README.md", PORTS.format(1) + "\nThe cache holds 512 entries.\n")
        self.put("docs/old.md", "The cache holds 256 entries.\n")
        self.check(".", "--write-baseline", "engram-baseline.json")
        self.commit()
        origin = os.path.join(self.place, "../origin")
        self.git("clone", "-q", "--bare", ".", origin)
        self.git("remote", "add", "origin", origin)
        self.git("fetch", "-q", "origin")
        self.git("checkout", "-q", "-b", "topic")
        self.put("docs/new.md", "A guide.\n\n" + PORTS.format(2))
        self.commit()
        self.install()
        self.env.update(GITHUB_BASE_REF="main", GITHUB_WORKSPACE=self.place)
        done = subprocess.run(["bash", "-e", "-c", step], cwd=self.place, env=self.env,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done)
        line, = done.stdout.splitlines()
        self.assertRegex(line,
                         r"^::error file=docs/new\.md,line=3,endLine=3,"
                         r"title=.*Against README\.md:1: ")
        self.put("docs/new.md", "A guide.\n\n" + PORTS.format(1))
        self.commit()
        done = subprocess.run(["bash", "-e", "-c", step], cwd=self.place, env=self.env,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def install(self):
        """Puts engram on the PATH."""
        tools = os.path.join(self.place, "../bin")
        os.makedirs(tools)
        os.symlink(ENGRAM, os.path.join(tools, "engram"))
        self.env["PATH"] = os.path.realpath(tools) + ":" + os.environ["PATH"]

    def test_git_hook(self):
        """The entry of .pre-commit-hooks.yaml as a hook of git: a contradiction stops the commit,
        an accepted one does not."""
        with open(os.path.join(TOP, ".pre-commit-hooks.yaml"), encoding="utf-8") as f:
            hook = dict(line.strip("- \n").split(": ", 1) for line in f if ": " in line
                        and "#" not in line)
        self.assertEqual((hook["language"], hook["pass_filenames"]), ("system", "false"))
        self.git("init", "-q")
        script = self.put(".git/hooks/pre-commit",
                          f"#!/bin/sh\nexec {hook['entry']} {hook['args'].strip('[]')}\n")
        os.chmod(script, 0o755)
        self.install()
        self.put("a.md", PORTS.format(1))
        self.commit()
        self.put("b.md", PORTS.format(2))
        self.git("add", "b.md")
        said = subprocess.run(["git", "commit", "-q", "-m", "x"], cwd=self.place, env=self.env,
                              capture_output=True, text=True)
        self.assertEqual(said.returncode, 1, said)
        self.assertIn("1 contradiction", said.stdout + said.stderr)
        self.assertEqual(self.git("log", "--format=%s", "--", "b.md"), "")
        self.put("b.md", PORTS.format(2).strip() + " <!-- engram: ignore -->\n")
        self.commit()
        self.put("c.md", "The cache holds 256 entries.\n")
        self.commit()

    # ---- what people settled in the store ----

    def engram(self, *words, expect=0):
        done = subprocess.run([ENGRAM, *words, "--json"], capture_output=True, text=True,
                              env=self.env, cwd=self.place)
        self.assertEqual(done.returncode, expect, (words, done.stdout[-800:], done.stderr[-800:]))
        return json.loads(done.stdout)

    def test_dismissed_stays_dismissed(self):
        """Also in slightly other words, in a document or committed anew; not with another number,
        name or negation."""
        facts = ("The auth service times out after 30 seconds.",
                 "The auth service times out after 60 seconds.")
        for agent, fact in zip("ab", facts):
            conflicts = self.engram("commit", "--agent", agent, fact)["conflicts"]
        self.put("same.md", "The auth service has a timeout of 30 seconds.\n")
        self.put("other.md", "The auth service has a timeout of 45 seconds.\n")
        self.put("both.md",
                 "The auth service times out after 30 seconds.\n\n"
                 "The auth service has a timeout of 60 seconds.\n")
        before = {f["a"]["content"] for f in self.findings("same.md",
                                                           "--against-store")["findings"]}
        self.assertEqual(before, {facts[1]})
        self.check("both.md", expect=1)
        for outcome in ("dismissed", "both_valid"):
            done = self.engram("resolve", conflicts[0]["conflict_id"], "--type", outcome,
                               "--reason", "not the same limit")
            self.check("same.md", "both.md", "--against-store")
            self.check("both.md", expect=1)  # the store is not asked
            wrong = {f["a"]["content"] for f in self.findings("other.md",
                                                              "--against-store")["findings"]}
            self.assertEqual(wrong, set(facts))
            again = self.engram("commit", "--agent", "c",
                                "The auth service has a timeout of 30 seconds.")
            self.assertEqual(again["conflicts"], [])
            self.engram("undo", str(again["undo_id"]))
            self.engram("undo", str(done["undo_id"]))
        told = self.engram("commit", "--agent", "c",
                           "The auth service has a timeout of 30 seconds.")["conflicts"]
        self.assertEqual(len(told), 1)

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
            self.assertEqual((left["findings"], left["below_limits"]),
                             (wanted, len(found) - len(wanted)))
        some = sorted(f["score"] for f in found)[len(found) // 2]
        wanted = [f for f in found if f["score"] >= some]
        self.assertEqual(self.findings(notes, "--min-score", str(some))["findings"], wanted)
        self.assertLess(len(wanted), len(found))
        for words, says in ((["--min-score", "2"], "from 0 to 1"), (["--min-score", "x"], "'x'"),
                            (["--severity", "grave"], "low, medium or high"),
                            (["--sarif", "--json"], "several formats"),
                            (["--format", "xml"], "text, json, sarif or github")):
            self.assertIn(says, self.check(notes, *words, expect=2).stderr)

    def test_github(self):
        """Workflow commands, escaped as GitHub reads them, with paths from the top of the
        workspace."""
        self.put("docs/50%, really: a.md", "The billing service listens on port 1 (100%).\n")
        self.put("docs/b.md", "Intro of three words.\n\nThe billing service\nlistens on port 2.\n")
        line, = self.check("docs", "--format", "github", expect=1).stdout.splitlines()
        self.assertRegex(line,
                         r"^::(error|warning|notice) file=docs/b\.md,line=3,endLine=4,"
                         r"title=Contradiction \([^:,]*\)::")
        self.assertIn("%0AAgainst docs/50%25, really: a.md:1: "
                      "The billing service listens on port 1 (100%25).", line)
        os.rename(os.path.join(self.place, "docs/b.md"), os.path.join(self.place, "docs/B, : %.md"))
        os.rename(os.path.join(self.place, "docs/50%, really: a.md"),
                  os.path.join(self.place, "docs/A.md"))
        self.env["GITHUB_WORKSPACE"] = self.place
        line, = self.check(".", "--format", "github", expect=1,
                           cwd=os.path.join(self.place, "docs")).stdout.splitlines()
        self.assertIn(" file=docs/B%2C %3A %25.md,line=3", line)
        self.assertIn("Against docs/A.md:1", line)
        self.assertEqual(self.check("docs/A.md", "--format", "github").stdout, "")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
