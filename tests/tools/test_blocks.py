#!/usr/bin/env python3
"""`engram install --instructions` and `--hook`: the blocks in files of a project.
usage: test_blocks.py ENGRAM"""
import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest

ENGRAM = os.path.realpath(sys.argv[1])
BEGIN, END = "<!-- begin engram -->", "<!-- end engram -->"


class Blocks(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.top = os.path.realpath(scratch.name)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("ENGRAM_", "GIT_"))}
        self.env.update(HOME=self.top, PATH="/usr/bin:/bin", ENGRAM_HOME=self.top + "/engram-home",
                        GIT_CONFIG_NOSYSTEM="1")

    def engram(self, *words, expect=0, cwd=None):
        done = subprocess.run([ENGRAM, "install", *words], capture_output=True, text=True,
                              timeout=60, env=self.env, cwd=cwd or self.top)
        self.assertEqual(done.returncode, expect, (words, done.stdout, done.stderr))
        return done

    def write(self, name, text, mode=0o644):
        with open(os.path.join(self.top, name), "wb") as f:
            f.write(text.encode())
        os.chmod(os.path.join(self.top, name), mode)

    def read(self, name):
        with open(os.path.join(self.top, name), "rb") as f:
            return f.read().decode()

    def mode(self, name):
        return stat.S_IMODE(os.stat(os.path.join(self.top, name)).st_mode)

    def test_instructions(self):
        for text in ("", "\n", "# Rules\n\nUse tabs.\n", "# Rules", "# Rules\r\n\r\nTabs.\r\n",
                     "\ufeff# Rules\n\n\n", "a\n\nb", "a\nb\r"):
            with self.subTest(text):
                self.write("AGENTS.md", text, 0o600)
                self.assertIn("+## Shared memory",
                              self.engram("--instructions", "AGENTS.md", "--dry-run").stdout)
                self.assertEqual(self.read("AGENTS.md"), text)
                self.engram("--instructions", "AGENTS.md")
                after = self.read("AGENTS.md")
                self.assertTrue(after.startswith(text))
                self.assertEqual((after.count(BEGIN), after.count(END)), (1, 1))
                self.assertIn("`engram_query`", after)
                if "\r\n" in text:
                    self.assertNotRegex(after, r"(?<!\r)\n")
                self.assertIn("unchanged", self.engram("--instructions", "AGENTS.md").stdout)
                self.assertEqual(self.read("AGENTS.md"), after)
                self.engram("--instructions", "AGENTS.md", "--remove")
                self.assertEqual((self.read("AGENTS.md"), self.mode("AGENTS.md")), (text, 0o600))

    def test_instructions_are_replaced_in_place(self):
        self.engram("--instructions", "new.md")
        block = self.read("new.md")
        self.write("AGENTS.md", f"a\n\n{BEGIN}\nold\n{END}\n\nz\n")
        self.assertIn("replaced", self.engram("--instructions", "AGENTS.md").stdout)
        self.assertEqual(self.read("AGENTS.md"), f"a\n\n{block}\nz\n")
        self.engram("--instructions", "AGENTS.md", "--remove")
        self.assertEqual(self.read("AGENTS.md"), "a\n\nz\n")
        done = json.loads(self.engram("--instructions", "new.md", "--remove", "--json").stdout)
        self.assertEqual(done, {"clients": [], "files": [{"file": "new.md", "state": "removed"}]})
        self.assertFalse(os.path.exists(os.path.join(self.top, "new.md")))

    def test_broken_marks_are_refused(self):
        for text, place, said in ((f"a\n{BEGIN}\nb\n", "2:1", "does not end"),
                                  (f"{END}\n", "1:1", "does not begin"),
                                  (f"{BEGIN}\n{END}\n{BEGIN}\n{END}\n", "3:1", "twice")):
            self.write("AGENTS.md", text)
            for more in ([], ["--remove"]):
                done = self.engram("--instructions", "AGENTS.md", *more, expect=2)
                self.assertIn(f"AGENTS.md:{place}: ", done.stderr)
                self.assertIn(said, done.stderr)
                self.assertEqual(self.read("AGENTS.md"), text)

    def git(self, *words, expect=0):
        done = subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words],
                              capture_output=True, text=True, timeout=60, env=self.env,
                              cwd=self.top)
        self.assertEqual(done.returncode, expect, (words, done.stdout, done.stderr))
        return done

    def test_hooks_are_kept_and_restored(self):
        self.git("init", "-q")
        hook = ".git/hooks/pre-commit"
        for text in ("", "#!/bin/sh\n", "#!/bin/sh",
                     "#!/usr/bin/env bash\nset -e\nmake lint\nexit 0\n",
                     "make lint\n", "#! /bin/dash -e\n\n# mine\nexec ./x"):
            with self.subTest(text):
                self.write(hook, text, 0o750)
                self.engram("--hook", "pre-commit")
                after = self.read(hook)
                self.assertIn(f"'{ENGRAM}' check --diff HEAD", after)
                first = text.partition("\n")[0] if text.startswith("#!") else "# begin engram"
                self.assertEqual(after.partition("\n")[0], first)
                subprocess.run(["sh", "-n", os.path.join(self.top, hook)], check=True)
                self.assertIn("unchanged", self.engram("--hook", "pre-commit").stdout)
                self.engram("--hook", "pre-commit", "--remove")
                self.assertEqual((self.read(hook), self.mode(hook)), (text, 0o750))
        os.remove(os.path.join(self.top, hook))
        self.engram("--hook", "pre-commit")
        self.assertEqual(self.mode(hook), 0o755)
        self.engram("--hook", "pre-commit", "--remove")
        self.assertFalse(os.path.exists(os.path.join(self.top, hook)))

    def test_hooks_that_cannot_run_it(self):
        self.assertIn("not in a git repository",
                      self.engram("--hook", "pre-commit", expect=2).stderr)
        self.git("init", "-q")
        for first in ("#!/usr/bin/env python3\n", "#!/usr/bin/node\n", "#!/usr/bin/fish\n"):
            self.write(".git/hooks/pre-commit", first, 0o755)
            self.assertIn("not a script of a shell",
                          self.engram("--hook", "pre-commit", expect=2).stderr)
            self.assertEqual(self.read(".git/hooks/pre-commit"), first)
        self.write(".git/hooks/pre-commit", "#!/bin/sh\n", 0o644)
        self.assertIn("not executable", self.engram("--hook", "pre-commit").stderr)

    def test_a_commit_that_contradicts_is_stopped(self):
        self.git("init", "-q")
        os.makedirs(os.path.join(self.top, "docs"))
        self.engram("--hook", "pre-commit", cwd=os.path.join(self.top, "docs"))
        self.write("README.md", "# A\n\nThe auth service allows 1000 requests per second.\n")
        self.git("add", "README.md")
        self.git("commit", "-qm", "first")  # there is no HEAD yet
        self.write("docs/limits.md", "# B\n\nThe auth service allows 500 requests per second.\n")
        self.git("add", "docs")
        done = self.git("commit", "-qm", "second", expect=1)
        self.assertIn("500 requests", done.stdout + done.stderr)
        self.assertIn("--no-verify", done.stderr)
        self.write("docs/limits.md", "# B\n\nThe auth service allows 1000 requests per second.\n")
        self.git("add", "docs")
        self.git("commit", "-qm", "second")
        self.assertEqual(self.git("log", "--format=%s").stdout, "second\nfirst\n")
        self.env["ENGRAM_PLUGINS"] = "sqlite memory no-such-plugin"
        self.write("README.md", "# A\n")
        self.git("add", "README.md")
        done = self.git("commit", "-qm", "third")
        self.assertIn("the documents were not checked", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
