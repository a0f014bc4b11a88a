#!/usr/bin/env python3
"""The files of packaging/manual.sh: a manual page for the program and for each command, in which
mandoc and man find nothing wrong, and the completion of zsh in a real terminal. What the program
prints into them is tested by tests/tools/test_help.py.
usage: test_manual.py FOLDER"""
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


def output(*command, **how):
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, **how)
    if done.returncode or done.stderr:
        raise AssertionError((command, done.returncode, done.stdout, done.stderr))
    return done.stdout


class Files(unittest.TestCase):
    def need(self, program):
        if not shutil.which(program):
            print(f"skip: {self.id().split('.')[-1]}: {program} is not installed", flush=True)
            self.skipTest(program)


class Manual(Files):
    def setUp(self):
        self.pages = sorted(glob.glob(os.path.join(FOLDER, "man1", "*.1.gz")))
        with open(os.path.join(FOLDER, "names"), encoding="utf-8") as f:
            names = f.read().split()
        expected = ["engram"] + [f"engram-{name}" for name in names]
        self.assertEqual([os.path.basename(p) for p in self.pages],
                         sorted(f"{name}.1.gz" for name in expected))

    def test_mandoc_finds_nothing_wrong(self):
        self.need("mandoc")
        for page in self.pages:
            # a page that depends on no date has none
            lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page],
                                  capture_output=True, text=True, check=False)
            wrong = [line for line in lint.stdout.splitlines() if "missing date" not in line]
            self.assertEqual(wrong, [])

    def test_man_shows_the_pages(self):
        self.need("man")
        for page in self.pages:
            env = dict(os.environ, MANWIDTH="80", MAN_KEEP_FORMATTING="", LC_ALL="C.UTF-8")
            shown = output("man", "--warnings", "-E", "UTF-8", "-l", page, env=env)
            name = os.path.basename(page)[:-len(".1.gz")]
            plain = " ".join(shown.replace("\u2010", "-").replace("\u2212", "-").split())
            self.assertIn(f"NAME {name} - ", plain)


class Completion(Files):
    def test_zsh(self):
        self.need("zsh")
        output("zsh", "-n", os.path.join(FOLDER, "_engram"))
        self.zsh("engram com", b"engram commit")
        self.zsh("engram commit --durability e", b"--durability ephemeral")

    def zsh(self, line, expected):
        """An interactive zsh shows EXPECTED after LINE and a tab."""
        with tempfile.TemporaryDirectory() as home:
            pid, terminal = pty.fork()
            if pid == 0:
                os.chdir(home)
                os.execvpe("zsh", ["zsh", "-f", "-i"], dict(os.environ, HOME=home, TERM="vt100"))
            setup = (f"PS1='rea''dy>'; fpath=({FOLDER} $fpath); "
                     "autoload -Uz compinit; compinit -u -D")
            os.write(terminal, setup.encode() + b"\n")
            self.read_until(terminal, b"ready>")
            os.write(terminal, line.encode() + b"\t")
            self.read_until(terminal, expected)
            os.close(terminal)
            os.waitpid(pid, 0)

    def read_until(self, terminal, expected):
        shown, end = b"", time.monotonic() + 120
        while expected not in shown:
            self.assertLess(time.monotonic(), end, (expected, shown))
            if select.select([terminal], [], [], 1)[0]:
                shown += os.read(terminal, 4096)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
