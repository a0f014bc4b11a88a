#!/usr/bin/env python3
"""The manual pages and the completions that the program prints: mandoc and man find nothing wrong
with the pages, and each shell that is installed completes commands, options and their values.
usage: test_manual.py FOLDER (of packaging/manual.sh)"""
import glob
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

FOLDER = os.path.abspath(sys.argv[1])
BASH = """
source "$1"
COMP_WORDS=("${@:2}")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_engram engram "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def needs(program):
    return unittest.skipUnless(shutil.which(program), f"{program} is not installed")


def output(*command, **how):
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, **how)
    if done.returncode or done.stderr:
        raise AssertionError((command, done.returncode, done.stdout, done.stderr))
    return done.stdout


class Manual(unittest.TestCase):
    def setUp(self):
        self.pages = sorted(glob.glob(os.path.join(FOLDER, "man1", "*.1.gz")))
        with open(os.path.join(FOLDER, "names"), encoding="utf-8") as f:
            names = f.read().split()
        expected = ["engram"] + [f"engram-{name}" for name in names]
        self.assertEqual([os.path.basename(p) for p in self.pages],
                         sorted(f"{name}.1.gz" for name in expected))

    @needs("mandoc")
    def test_mandoc_finds_nothing_wrong(self):
        for page in self.pages:
            # a page that depends on no date has none
            lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page],
                                  capture_output=True, text=True, check=False)
            wrong = [line for line in lint.stdout.splitlines() if "missing date" not in line]
            self.assertEqual(wrong, [])

    @needs("man")
    def test_man_shows_the_pages(self):
        for page in self.pages:
            env = dict(os.environ, MANWIDTH="80", MAN_KEEP_FORMATTING="", LC_ALL="C.UTF-8")
            shown = output("man", "--warnings", "-E", "UTF-8", "-l", page, env=env)
            name = os.path.basename(page)[:-len(".1.gz")]
            plain = " ".join(shown.replace("\u2010", "-").replace("\u2212", "-").split())
            self.assertIn(f"NAME {name} - ", plain)


class Completion(unittest.TestCase):
    def bash(self, *words):
        with tempfile.NamedTemporaryFile("w", suffix=".bash") as script:
            script.write(BASH)
            script.flush()
            return output("bash", script.name, os.path.join(FOLDER, "engram"), *words).split()

    def test_bash(self):
        self.assertEqual(self.bash("engram", "com"), ["commit"])
        self.assertIn("--scope", self.bash("engram", "commit", "--"))
        self.assertEqual(self.bash("engram", "commit", "--durability", "e"), ["ephemeral"])
        self.assertEqual(self.bash("engram", "mcp", "--profile", "t"), ["team"])

    @needs("fish")
    def test_fish(self):
        def complete(line):
            with tempfile.TemporaryDirectory() as home:
                script = f"source {FOLDER}/engram.fish; complete -C '{line}'"
                shown = output("fish", "--no-config", "-c", script, env=dict(os.environ, HOME=home))
            return [row.split("\t")[0] for row in shown.splitlines()]

        output("fish", "--no-execute", os.path.join(FOLDER, "engram.fish"))
        self.assertEqual(complete("engram com"), ["commit"])
        self.assertIn("--scope", complete("engram commit --s"))
        self.assertIn("ephemeral", complete("engram commit --durability e"))

    @needs("zsh")
    def test_zsh(self):
        output("zsh", "-n", os.path.join(FOLDER, "_engram"))
        self.assertIn("engram commit", self.zsh("engram com"))
        self.assertIn("--durability ephemeral", self.zsh("engram commit --durability e"))

    def zsh(self, line):
        """What an interactive zsh makes of LINE and a tab."""
        with tempfile.TemporaryDirectory() as home:
            pid, terminal = pty.fork()
            if pid == 0:
                os.chdir(home)
                os.execvpe("zsh", ["zsh", "-f", "-i"], dict(os.environ, HOME=home, TERM="vt100"))
            setup = f"PS1='rea''dy>'; fpath=({FOLDER} $fpath); autoload -Uz compinit; compinit -u -D"
            self.read(terminal, b"")
            os.write(terminal, setup.encode() + b"\n")
            self.read(terminal, b"ready>")
            os.write(terminal, line.encode() + b"\t")
            shown = self.read(terminal, line.encode())
            os.close(terminal)
            os.waitpid(pid, 0)
        return shown.decode(errors="replace")

    def read(self, terminal, until):
        """Reads until the terminal has shown UNTIL and is silent for two seconds."""
        shown, end = b"", time.monotonic() + 60
        while time.monotonic() < end:
            if select.select([terminal], [], [], 2)[0]:
                shown += os.read(terminal, 4096)
            elif until in shown:
                return shown
        raise AssertionError((until, shown))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
