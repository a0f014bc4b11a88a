#!/usr/bin/env python3
"""Findings of `engram check` on the documentation of public repositories, and on files with
instructions for agents: how much is reported on them as they are, and how many statements that
bench/public/plants.jsonl adds are found.

usage: bench/public.py [--engram build/engram] [--set VARIABLE=VALUE]... [--only REGEX] [--quick]
                       [--touched] [--answers FOLDER] [--reports FILE] [--json] FOLDER

The texts are not part of this project. FOLDER holds a clone of each repository that is to be
measured, OWNER+NAME or NAME; bench/public/sources.jsonl names the repositories, the commits and the
files. Make one with

    git clone https://github.com/OWNER/NAME FOLDER/OWNER+NAME

The clone must have its history: the files are read from it at the commit of sources.jsonl, and
stale statements from older commits. No branch has to be checked out. Repositories that are missing
are named and left out.

Each line of plants.jsonl adds one statement behind a line of a file; `against` and `also` are the
lines that say otherwise. There are three kinds:

- contradiction: a statement that was written for this, as an edit leaves it (`form`: a list item, a
  table row, inside a paragraph, in another file than what it contradicts);
- stale: a statement that an older version of the repository made and that was replaced since, put
  back at another place (`old_commit`, `old_file`, the lines `old_line` and the words `old_words`
  of these);
- look_alike: a statement that seems to contradict something but does not.

The documents and the instructions of a repository are checked one after the other, each without and
with the plants. A plant is found when one side of a report lies on it and the other on a line that
says otherwise. A look-alike is reported when one side of any report lies on it. Reports without
plants count as they are; whether they are right can only be seen by reading: --reports writes them.

--quick checks only with plants, and counts reports that touch no plant as reports without plants.
--touched reads only files that plants name. --answers keeps what engram check answered in a folder
and does not ask again, so that a run that was interrupted goes on. --only takes repositories whose
name matches. The intervals are those of Wilson, at 95 %; the seconds are CPU time of all
threads."""
import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys

import documents
from detection import wilson

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "public")
KINDS = ("contradiction", "stale", "look_alike")


def read_lines(name):
    with open(os.path.join(DATA, name), encoding="utf-8") as f:
        return [json.loads(line) for line in f]


class Clone:
    """A repository on this machine."""

    def __init__(self, folder, repo):
        names = (repo.replace("/", "+"), repo, repo.split("/")[1])
        paths = [os.path.join(folder, name, inner) for name in names for inner in ("", "repo")]
        self.path = next((p for p in paths if self.is_repository(p)), None)

    @staticmethod
    def is_repository(path):
        return os.path.exists(os.path.join(path, ".git")) or \
            os.path.exists(os.path.join(path, "HEAD"))

    def show(self, commit, name):
        """The text of a file; None where the commit or the file is missing."""
        done = subprocess.run(["git", "-C", self.path, "show", f"{commit}:{name}"],
                              capture_output=True, check=False)
        return None if done.returncode else done.stdout.decode("utf-8", "replace")


def text_of(plant, clone):
    """What a plant adds; None where the clone lacks the history."""
    if "text" in plant:
        return plant["text"]
    old = clone.show(plant["old_commit"], plant["old_file"])
    if old is None:
        return None
    (first, last), (start, end) = plant["old_line"], plant["old_words"]
    text = " ".join(" ".join(old.split("\n")[first - 1:last]).split()[start:end])
    # a statement of its own; a row belongs to the table above it
    return text if plant["form"] == "table" else "\n" + text + "\n"


def planted(files, plants):
    """(files with the plants in them, {id of plant: [Passage of the plant, Passages against]})"""
    added = collections.defaultdict(list)
    for plant, text in plants:
        added[plant["file"]].append((plant["line"], plant["id"], text.split("\n")))
    out, moved, places = dict(files), {}, {}
    for name, additions in added.items():
        lines, new, at = files[name].split("\n"), [], {}
        for i, line in enumerate(lines, 1):
            new.append(line)
            at[i] = len(new)
            for _, plant_id, text in sorted(a for a in additions if a[0] == i):
                first = len(new) + 1 + next(j for j, t in enumerate(text) if t)
                last = len(new) + len(text) - next(j for j, t in enumerate(text[::-1]) if t)
                new += text
                words = documents.words_of(" ".join(text))
                places[plant_id] = documents.Passage(name, first, last, words)
        out[name], moved[name] = "\n".join(new), at
    against = {}
    for plant, _ in plants:
        sides = [plant["against"], *plant.get("also", [])]
        against[plant["id"]] = [
            documents.Passage(s["file"], *(moved.get(s["file"], {}).get(n, n) for n in
                                           (s["line"], s.get("last", s["line"]))), None)
            for s in sides]
    return out, {p["id"]: (places[p["id"]], against[p["id"]]) for p, _ in plants}


def answer_of(o, settings, title, files):
    """What engram check says of files; kept in a folder where --answers names one."""
    path = o.answers and os.path.join(o.answers, title.replace("/", "+") + ".json")
    if path and os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            return json.load(f)
    answer, seconds = documents.check(o.program, settings, title, files)
    kept = {"answer": answer, "seconds": seconds}
    if path:
        os.makedirs(o.answers, exist_ok=True)
        with open(path + ".part", "w", encoding="utf-8") as f:
            json.dump(kept, f)
        os.replace(path + ".part", path)
    return kept


def files_of(source, clone, plants, only_touched):
    wanted = source["files"]
    if only_touched:
        named = {side["file"] for p in plants for side in (p, p["against"], *p.get("also", []))}
        wanted = [name for name in wanted if name in named]
    files = {name: clone.show(source["commit"], name) for name in wanted}
    missing = [name for name, text in files.items() if text is None]
    if missing:
        sys.exit(f"{clone.path} has no {missing[0]} at commit {source['commit']}: fetch the whole "
                 "history of the repository")
    return files


def measure(o, settings, source, clone, plants):
    """One set of files: {"statements", "seconds", "reports", "found", ...}; None without plants
    where only touched files are wanted."""
    title = f"{source['repo']}.{source['kind']}"
    files = files_of(source, clone, plants, o.touched)
    if not files:
        return None
    texts = [(p, text_of(p, clone)) for p in plants]
    for plant, text in texts:
        if text is None:
            print(f"{title}: plant {plant['id']} left out: commit {plant['old_commit']} is missing",
                  file=sys.stderr)
    texts = [(p, text) for p, text in texts if text is not None]
    mixed, places = planted(files, texts)
    suffix = ".touched" if o.touched else ""
    with_plants = answer_of(o, settings, title + suffix + ".planted", mixed) if texts else None
    hits, touched, rest = collections.Counter(), collections.Counter(), []
    for f in with_plants["answer"]["findings"] if with_plants else ():
        on = [i for i, (place, _) in places.items()
              if any(documents.overlaps(f[side], place) for side in "ab")]
        touched.update(on)
        hits.update(i for i in on if any(documents.fits(f, (places[i][0], other))
                                         for other in places[i][1]))
        if not on:
            rest.append(f)
    if o.quick and with_plants:
        plain, reports = with_plants, rest
    else:
        plain = answer_of(o, settings, title + suffix + ".plain", files)
        reports = plain["answer"]["findings"]
    return {"repo": source["repo"], "set": source["kind"],
            "statements": plain["answer"]["statements"], "seconds": plain["seconds"],
            "reports": reports,
            "plants": {p["id"]: {"kind": p["kind"], "form": p["form"], "found": hits[p["id"]],
                                 "touched": touched[p["id"]]} for p, _ in texts}}


def count(rows, kind, key, form=None):
    """(how many plants of a kind are found, or touched, how many there are)"""
    plants = [p for r in rows for p in r["plants"].values()
              if p["kind"] == kind and form in (None, p["form"])]
    return sum(p[key] > 0 for p in plants), len(plants)


def summary(rows):
    statements = sum(r["statements"] for r in rows)
    reports = sum(len(r["reports"]) for r in rows)
    out = {"statements": statements, "reports": reports,
           "reports_per_1000_statements": 1000 * reports / statements if statements else None,
           "cpu_seconds_per_1000_statements":
               1000 * sum(r["seconds"] for r in rows) / statements if statements else None}
    for kind in KINDS:
        found, total = count(rows, kind, "touched" if kind == "look_alike" else "found")
        out[kind] = {"found": found, "of": total, "interval": wilson(found, total)}
    forms = {p["form"] for r in rows for p in r["plants"].values() if p["kind"] == "contradiction"}
    out["contradictions_by_form"] = {f: "%d/%d" % count(rows, "contradiction", "found", f)
                                     for f in sorted(forms)}
    out["missed"] = sorted(i for r in rows for i, p in r["plants"].items()
                           if p["kind"] != "look_alike" and not p["found"])
    return out


def line(name, s):
    cells = ["%d/%d" % (s[kind]["found"], s[kind]["of"]) for kind in KINDS]
    return "%-36s %6d %5d %6.1f  %6s %7s %6s %6.1f" % (
        name, s["statements"], s["reports"], s["reports_per_1000_statements"] or 0, *cells,
        s["cpu_seconds_per_1000_statements"] or 0)


def show(rows):
    print("%-36s %6s %5s %6s  %6s %7s %6s %6s" % (
        "", "state-", "re-", "per", "contra-", "stale", "look-", "CPU s"))
    print("%-36s %6s %5s %6s  %6s %7s %6s %6s" % (
        "", "ments", "ports", "1,000", "dicting", "", "alikes", "/1,000"))
    for kind in ("docs", "agents"):
        of_kind = [r for r in rows if r["set"] == kind]
        if kind == "docs":
            for r in of_kind:
                print(line(r["repo"], summary([r])))
        if of_kind and len(of_kind) < len(rows):
            print(line("all documents" if kind == "docs" else "all instructions for agents",
                       summary(of_kind)))
    s = summary(rows)
    print(line("all", s))
    print("contradictions found:", ", ".join(f"{f} {n}" for f, n in
                                             s["contradictions_by_form"].items()))
    for kind in KINDS:
        if s[kind]["of"]:
            low, high = s[kind]["interval"]
            print(f"{kind}: {s[kind]['found']} of {s[kind]['of']} (95 %: {low:.2f} to {high:.2f})")


def write_reports(path, rows):
    with open(path, "w", encoding="utf-8") as f:
        for r in rows:
            for report in r["reports"]:
                sides = {side: {key: report[side][key] for key in ("file", "line", "content")}
                         for side in "ab"}
                f.write(json.dumps({"repo": r["repo"], "set": r["set"], "score": report["score"],
                                    "severity": report["severity"],
                                    "tier": report["detection_tier"],
                                    "explanation": report["explanation"]} | sides,
                                   ensure_ascii=False) + "\n")


def main():
    a = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("folder", metavar="FOLDER")
    a.add_argument("--engram", default=os.path.join(HERE, "..", "build", "engram"))
    a.add_argument("--set", action="append", default=[], metavar="VARIABLE=VALUE")
    a.add_argument("--only", metavar="REGEX", default="")
    a.add_argument("--quick", action="store_true")
    a.add_argument("--touched", action="store_true")
    a.add_argument("--answers", metavar="FOLDER")
    a.add_argument("--reports", metavar="FILE")
    a.add_argument("--json", action="store_true")
    o = a.parse_args()
    o.program = os.path.abspath(shutil.which(o.engram) or o.engram)
    settings = dict(s.split("=", 1) for s in o.set)
    if not os.path.isdir(o.folder):
        print(f"skipped: there is no folder {o.folder} with clones of the repositories that "
              "bench/public/sources.jsonl names")
        return
    sources = [s for s in read_lines("sources.jsonl") if re.search(o.only, s["repo"])]
    if not sources:
        sys.exit(f"no repository in bench/public/sources.jsonl matches {o.only!r}")
    plants, rows = read_lines("plants.jsonl"), []
    for source in sources:
        clone = Clone(o.folder, source["repo"])
        if clone.path is None:
            print(f"{source['repo']}: skipped, no clone in {o.folder}: git clone "
                  f"https://github.com/{source['repo']}", file=sys.stderr)
            continue
        rows.append(measure(o, settings, source, clone, [
            p for p in plants if (p["repo"], p["set"]) == (source["repo"], source["kind"])]))
    rows = [r for r in rows if r]
    if not rows:
        print(f"skipped: none of the repositories is in {o.folder}")
        return
    if o.reports:
        write_reports(o.reports, rows)
    if o.json:
        print(json.dumps(summary(rows) | {"repositories": rows}, indent=1, ensure_ascii=False))
    else:
        show(rows)


if __name__ == "__main__":
    main()
