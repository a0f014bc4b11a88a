#!/usr/bin/env python3
"""Help, manual pages and shell completion, all printed from one table: every command and option
appears in each of them, and the parser accepts exactly these. Where a shell or groff is installed,
it reads what was printed.
usage: test_help.py ENGRAM"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ENGRAM = os.path.abspath(sys.argv[1])


def engram(*words, expect=0):
    with tempfile.TemporaryDirectory() as home:
        env = {k: v for k, v in os.environ.items()
               if not k.startswith("ENGRAM_")} | {"ENGRAM_HOME": home, "HOME": home}
        done = subprocess.run([ENGRAM, *words], stdin=subprocess.DEVNULL, capture_output=True,
                              env=env, cwd=home, timeout=60)
    if done.returncode != expect:
        raise AssertionError((words, done.returncode, done.stdout[-500:], done.stderr[-500:]))
    return (done.stdout if expect == 0 else done.stderr).decode()


def options_of(command):
    """{name: (letter or "", placeholder or "", choices)} as the help of a command shows them."""
    text = engram(command, "--help")
    part = text[text.index("\nOptions:\n"):text.index("\nExit status:\n")]
    found = {}
    for head, rest in re.findall(r"^  (\S.*?)\n?  +(\S(?:.|\n(?=    ))*)", part, re.M):
        letter, name, value = re.fullmatch(r"(?:-(\w), )?--([\w-]+)(?: (\S+))?",
                                           head.strip()).groups("")
        found[name] = (letter, value, rest)
    return found


class Help(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.commands = engram("help", "--format", "names").split()
        cls.options = {c: options_of(c) for c in cls.commands}
        cls.forms = {shell: engram("help", "--format", shell) for shell in ("bash", "zsh", "fish")}
        cls.pages = {c: engram("help", "--format", "man", *([c] if c else []))
                     for c in (None, *cls.commands)}

    def test_there_are_commands_and_options(self):
        self.assertLessEqual({"check", "commit", "query", "conflicts", "resolve", "feedback",
                              "undo", "status", "mcp", "tool", "nli", "embed",
                              "label", "bench", "models", "plugins", "doctor", "version", "help"},
                              set(self.commands))
        self.assertLessEqual({"scope", "agent", "confidence", "wait-ms", "json", "workspace",
                              "home", "verbose", "help"},
                             set(self.options["commit"]))
        self.assertEqual(self.options["commit"]["scope"][:2], ("s", "PATH"))
        self.assertEqual(self.options["check"]["sarif"][:2], ("", ""))

    def test_ways_to_ask_for_help(self):
        overview = engram("help")
        self.assertEqual(overview, engram("--help"))
        self.assertEqual(overview, engram("-h"))
        for c in self.commands:
            self.assertRegex(overview, rf"(?m)^  {c} ")
            text = engram(c, "--help")
            self.assertTrue(text.startswith(f"usage: engram {c} "))
            self.assertEqual(text, engram(c, "-h"))
            self.assertEqual(text, engram("help", c))
            self.assertLessEqual(max(len(line) for line in text.splitlines()), 90, c)
        self.assertEqual(engram("version"), engram("--version"))
        self.assertRegex(engram("version"), r"^engram \d+\.\d+\.\d+ \(plugin ABI \d+\.\d+\)\n$")
        self.assertIn("did you mean 'commit'", engram("help", "comit", expect=2))
        self.assertIn("one command at a time", engram("help", "commit", "query", expect=2))
        self.assertIn("leave out 'commit'", engram("help", "--format", "bash", "commit", expect=2))

    def test_the_parser_accepts_what_the_help_shows(self):
        """Each option, in each of its forms, before --help ends the reading; each choice, and none
        that is not one."""
        for c, options in self.options.items():
            for name, (letter, value, text) in options.items():
                if c != "check" and name in self.options["version"]:
                    continue  # common to all commands: tried once
                choices = text.split("\n")[-1].split() if value and self.has_choices(c,
                    name) else ["7"]
                if not value:
                    engram(c, f"--{name}", "--help")
                    self.assertIn(f"--{name} takes no value", engram(c, f"--{name}=1", expect=2))
                    if letter:
                        engram(c, f"-{letter}", "--help")
                    continue
                engram(c, f"--{name}", choices[0], "--help")
                engram(c, f"--{name}={choices[-1]}", "--help")
                self.assertIn(f"--{name} needs a value", engram(c, f"--{name}", expect=2))
                if letter:
                    engram(c, f"-{letter}", choices[0], "--help")
                    engram(c, f"-{letter}{choices[0]}", "--help")
                if self.has_choices(c, name):
                    self.assertIn(f"--{name} is 'nonsense': it must be",
                                  engram(c, f"--{name}", "nonsense", expect=2))
            self.assertIn("has no option --no-such", engram(c, "--no-such", "x", expect=2))
            self.assertIn("has no option -Z", engram(c, "-Z", expect=2))

    def has_choices(self, command, name):
        return re.search(rf"'{command} --{name}'[^\n]* words='", self.forms["bash"]) is not None

    def test_all_forms_hold_all_commands_and_options(self):
        pages = {c: page.replace("\\-", "-").replace("\\fB", "").replace("\\fR", "") for c,
                 page in self.pages.items()}
        for c, options in self.options.items():
            page = pages[c]
            self.assertIn(f".TH ENGRAM-{c.upper()} 1 ", page)
            self.assertIn(f"engram-{c}(1)", pages[None])
            bash = re.search(rf"^            {c}\) words='( -[^']*)' ;;$", self.forms["bash"],
                             re.M)[1].split()
            zsh = re.search(rf"^  {c}\)\n((?:.|\n)*?)    ;;$", self.forms["zsh"], re.M)[1]
            fish = re.findall(rf"^complete -c engram(?: -n '__fish_seen_subcommand_from {c}')?(?: "
                              rf"-s (\w))? -l ([\w-]+) ", self.forms["fish"], re.M)
            self.assertRegex(self.forms["zsh"], rf"(?m)^    '{c}:")
            self.assertRegex(self.forms["fish"], rf"(?m)^complete -c engram -n "
                                                 rf"__fish_use_subcommand -a {c} -d '")
            for name, (letter, value, _) in options.items():
                self.assertRegex(page, rf"(?m)^(-{letter or '.'}, )?--{name}( |$)")
                self.assertIn(f"--{name}", bash)
                self.assertRegex(zsh, rf"--{name}{'=' if value else ''}['}}]?'?\[")
                self.assertIn((letter, name), fish)
                if letter:
                    self.assertIn(f"-{letter}", bash)
            self.assertEqual({w for w in bash if w.startswith("--")},
                             {f"--{name}" for name in options})

    def read_by(self, program, arguments, text, name):
        if not shutil.which(program):
            print(f"skip: {program} is not installed")
            self.skipTest(f"no {program}")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            done = subprocess.run([program, *arguments, path], capture_output=True, text=True,
                                  timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""), (program, name))
        return done.stdout

    def test_bash_reads_it(self):
        self.read_by("bash", ["-n"], self.forms["bash"], "engram")

    def test_zsh_reads_it(self):
        self.read_by("zsh", ["-n"], self.forms["zsh"], "_engram")

    def test_fish_reads_it(self):
        self.read_by("fish", ["-n"], self.forms["fish"], "engram.fish")

    def test_groff_reads_it(self):
        for page in self.pages.values():
            shown = self.read_by("groff", ["-man", "-Tascii", "-ww", "-P-cbou"], page, "engram.1")
            self.assertIn("NAME", shown)
            self.assertIn("EXIT STATUS", shown)

    def test_completion_in_bash(self):
        if not shutil.which("bash"):
            print("skip: completion in bash: bash is not installed")
            self.skipTest("no bash")

        def complete(*words):
            """The completions that are offered for the last word."""
            script = (self.forms["bash"] + '\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _engram; '
                      'printf "%s\\n" "${COMPREPLY[@]}"\n')
            done = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True,
                                  text=True, timeout=60, cwd=os.path.dirname(ENGRAM))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return done.stdout.split()
        self.assertEqual(complete("engram", "com"), ["commit"])
        self.assertEqual(complete("engram", "query", "--as"), ["--as-of"])
        self.assertEqual(complete("engram", "query", "--type", "d"), ["decision"])
        self.assertEqual(complete("engram", "query", "--type", "=", "i"), ["inference"])
        self.assertEqual(complete("engram", "query", "--type", "="),
                         ["observation", "inference", "decision"])
        self.assertEqual(complete("engram", "models", ""), ["list", "pull", "verify", "use"])
        self.assertEqual(complete("engram", "commit", "--agent", ""), [])
        self.assertEqual(complete("engram", "help", "conf"), ["conflicts"])
        self.assertIn(os.path.basename(ENGRAM), complete("engram", "check", "eng"))

    def test_completion_in_fish(self):
        if not shutil.which("fish"):
            print("skip: completion in fish: fish is not installed")
            self.skipTest("no fish")

        def complete(line):
            done = subprocess.run(["fish", "-c", self.forms["fish"] + "\ncomplete -C $argv[1]\n",
                                   line], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            return [row.split("\t")[0] for row in done.stdout.splitlines()]
        self.assertEqual(complete("engram com"), ["commit"])
        self.assertEqual(complete("engram query --as"), ["--as-of"])
        self.assertEqual(complete("engram query --type d"), ["decision"])
        self.assertEqual(complete("engram help conf"), ["conflicts"])
        self.assertEqual(complete("engram models pu"), ["pull"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
