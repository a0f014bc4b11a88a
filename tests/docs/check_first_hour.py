#!/usr/bin/env python3
"""docs/first-hour.md tells the truth: its commands, run one after the other in one shell, print
what the page shows. Only what a test cannot do is stood in for: the clone and the build. Ids differ
from run to run: those of the page are replaced in the commands that follow. Scores may differ by a
little from machine to machine, and the home folder of the page is a scratch one.
usage: check_first_hour.py TOP ENGRAM"""
import os
import re
import subprocess
import sys
import tempfile

TOP, ENGRAM = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
ID = re.compile(r"\b[0-9a-f]{8}\b")
SCORE = re.compile(r"\b[01]\.[0-9]{2}\b")
HOME = "/home/ada"
STAND_INS = """
git() {
    [ "$1" = clone ] || { command git "$@"; return; }
    mkdir -p engram/build engram/tools && ln -s "$THE_PROGRAM" engram/build/engram &&
        printf '#!/bin/sh\\necho built\\n' >engram/tools/run && chmod +x engram/tools/run
}
"""


def steps(text):
    """[(line, command, lines of its output)] of the blocks of console."""
    out, inside = [], False
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```"):
            inside = line == "```console"
        elif inside and line.startswith("$ "):
            out.append((number, line[2:], []))
        elif inside:
            out[-1][2].append(line)
    return out


class Shell:
    def __init__(self, home):
        env = {k: v for k, v in os.environ.items()
               if not k.startswith(("ENGRAM_", "GIT_", "XDG_", "CLAUDE_", "CODEX_"))}
        env.update(HOME=home, PATH="/usr/bin:/bin", THE_PROGRAM=ENGRAM, GIT_CONFIG_NOSYSTEM="1")
        self.process = subprocess.Popen(["bash", "--norc"], text=True, env=env, cwd=home,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT)
        self.run(STAND_INS)

    def run(self, command):
        self.process.stdin.write(command + "\necho; echo '== end'\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line == "== end\n":
                return lines[:-1] if lines[-1:] == [""] else lines
            lines.append(line.rstrip("\n"))
        raise SystemExit(f"the shell ended at: {command}")

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def check(home):
    with open(os.path.join(TOP, "docs/first-hour.md"), encoding="utf-8") as f:
        found = steps(f.read())
    ids, shell, ran = {}, Shell(home), 0
    os.mkdir(os.path.join(home, ".cursor"))
    for number, command, shown in found:
        real = shell.run(ID.sub(lambda m: ids.get(m[0], m[0]), command))
        ran += 1
        if shown == ["..."]:
            continue
        if len(real) == len(shown):
            for page, line in zip(shown, real):
                for mine, its in zip(ID.findall(page), ID.findall(line)):
                    ids.setdefault(mine, its)
        wanted = [SCORE.sub("#", ID.sub(lambda m: ids.get(m[0], m[0]), line)).replace(HOME, home)
                  for line in shown]
        if wanted != [SCORE.sub("#", line) for line in real]:
            raise SystemExit(f"docs/first-hour.md:{number}: $ {command}\nprints\n" +
                             "\n".join(real) + "\nand not\n" + "\n".join(shown))
    shell.close()
    assert ran >= 15, f"only {ran} commands were found on the page"
    # what the page says of the end
    assert not os.path.exists(os.path.join(home, ".cursor/mcp.json"))
    for name in ("tools/run", "tools/packages.sh"):
        assert os.path.exists(os.path.join(TOP, name)), name


with tempfile.TemporaryDirectory() as scratch:
    check(os.path.realpath(scratch))
