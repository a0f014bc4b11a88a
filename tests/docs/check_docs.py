#!/usr/bin/env python3
"""Checks the documents: links and anchors resolve, named files exist, named commands and options
exist, lines end at 100 columns (but for tables, links and output of programs), the README has at
most 150 lines, and no word of ours stands where the field has one.
usage: check_docs.py TOP ENGRAM"""
import glob
import os
import re
import subprocess
import sys

TOP, ENGRAM = sys.argv[1:3]
PAGES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md",
         "models/weights/README.md",
         *(os.path.relpath(p, TOP) for p in sorted(glob.glob(os.path.join(TOP, "docs/*.md"))))]
FOLDERS = "bench|cmake|core|docs|kernels|models|packaging|plugins|storage|tests|tools"
NAMED = re.compile(rf"(?<![\w./$~-])(?:{FOLDERS})/[\w./*{{}},-]*[\w*}}/]")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
# Words that a reader of the field would not understand, with those to use instead.
UNPLAIN = {
    r"crowd(ed|ing)": "hubness correction", r"(?<!-)\broofs?\b": "roofline",
    r"shares? of (the|its) peak": "per cent of peak", r"unproven": "experimental",
    r"written out": "emulated", r"the (exact )?readers?\b(?! who)": "NLI model",
    r"vectors of the words": "token embeddings", r"clusters?\b": "contrast set",
    r"(first|second|third) generation": "easy or hard split", r"asked? (for )?ahead": "prefetch",
    r"right and wrong": "true and false positives", r"\b(MOST|LEAST)_": "MAX_, MIN_",
    r"\bpark(s|ed)\b": "dead-lettered", r"speaks of (its|the) place": "context-dependent",
    r"\bis no (?!longer|better|worse|more|different)": "is not a", r"--level\b": "--isa",
}


def anchors(text):
    """The anchors of a page's headings, as code forges make them."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", text, re.M):
        plain = re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", heading).lower())
        found.add(plain.replace(" ", "-"))
    return found


class Checker:
    def __init__(self):
        self.problems, self.texts, self.help = [], {}, {}
        for page in PAGES:
            with open(os.path.join(TOP, page), encoding="utf-8") as f:
                self.texts[page] = f.read()
        self.commands = self.engram("help", "--format", "names").split()

    def engram(self, *words):
        return subprocess.run([ENGRAM, *words], check=True, capture_output=True, text=True).stdout

    def complain(self, page, line, what):
        self.problems.append(f"{page}:{line}: {what}")

    def check_links(self, page, number, line):
        for target in LINK.findall(line):
            path, _, anchor = target.partition("#")
            if re.match(r"\w+:", target):
                continue
            other = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if not os.path.exists(os.path.join(TOP, other)):
                self.complain(page, number, f"the link {target} leads nowhere")
            elif anchor and anchor not in anchors(self.texts[other]):
                self.complain(page, number, f"{other} has no heading #{anchor}")

    def check_files(self, page, number, line):
        for name in NAMED.findall(line):
            names = [name]
            braces = re.search(r"\{([^}]*)\}", name)
            if braces:
                names = [name.replace(braces[0], word) for word in braces[1].split(",")]
            for one in names:
                if "NAME" not in one and not glob.glob(os.path.join(TOP, one)):
                    self.complain(page, number, f"there is no file {one}")

    def check_command(self, page, number, text):
        """TEXT is a piece of code; `engram COMMAND --option` in it must exist."""
        for found in re.finditer(r"(?:^|[ /])engram ([a-z]+)\b([^|;\n]*)", text):
            name, rest = found.groups()
            if name not in self.commands:
                self.complain(page, number, f"there is no command engram {name}")
                continue
            known = self.help.setdefault(name, self.engram("help", name))
            for option in re.findall(r"(?<=\s)--[a-z-]+", rest):
                if not re.search(rf"{option}(?![\w-])", known):
                    self.complain(page, number, f"engram {name} has no option {option}")

    def check_words(self, page, number, line):
        for pattern, better in UNPLAIN.items():
            found = re.search(pattern, line)
            if found:
                self.complain(page, number, f"'{found[0]}': say {better}")

    def check_page(self, page):
        code = None  # the language of a block of code
        for number, line in enumerate(self.texts[page].split("\n"), 1):
            if line.startswith("```"):
                code = line[3:] or "text" if code is None else None
            output = code == "diff" or (code == "console" and not line.startswith("$ "))
            free = output or line.startswith("|") or "://" in line or line.startswith("$ ")
            if len(line) > 100 and not free:
                self.complain(page, number, f"{len(line)} columns")
            if output:
                continue
            self.check_links(page, number, line)
            self.check_files(page, number, line)
            self.check_words(page, number, line)
            if code is not None or line.startswith("    "):
                self.check_command(page, number, line.removeprefix("$ "))
            else:
                for piece in re.findall(r"`([^`]+)`", line):
                    self.check_command(page, number, piece)

    def run(self):
        for page in PAGES:
            self.check_page(page)
        if self.texts["README.md"].count("\n") > 150:
            self.complain("README.md", 150, "is longer than 150 lines")
        for page in PAGES[5:]:
            if f"({page})" not in self.texts["README.md"]:
                self.complain(page, 1, "the README has no link to it")
        if self.problems:
            raise SystemExit("\n".join(self.problems))


Checker().run()
