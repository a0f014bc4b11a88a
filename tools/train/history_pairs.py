#!/usr/bin/env python3
"""Pairs of sentences out of the histories of public documentation: one that a commit replaced, and
the one that stands in its place today. Whether the two contradict each other is for people to say;
data/history_pairs holds such labels, with references in place of the texts. No package is needed.

usage: history_pairs.py find CLONES OUT [--only REGEX]
       history_pairs.py read CLONES FILE...

CLONES holds a clone with its history of each repository that data/history_pairs/sources.jsonl
names: OWNER+NAME, or NAME. find writes candidates with their texts to OUT, a JSON object a line.
read prints labelled pairs with their texts, which it takes from the clones: what is missing there
is named and left out.

A candidate is a sentence, list item or table row that is gone, and its successor. They share most
words, differ in more than punctuation and markup, the first occurs nowhere in the files of
today and the second does. Where the successor was replaced in turn, the last one counts."""
import argparse
import collections
import difflib
import functools
import json
import os
import random
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "data", "history_pairs")
sys.path.insert(0, os.path.join(HERE, "..", "..", "bench"))
import documents  # noqa: E402
from public import Clone  # noqa: E402

LEAST_WORDS, MOST_WORDS, ALIKE = 6, 60, 0.6
ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)]|#\.)\s")
END = re.compile(r"[.!?:][)*`\"'_]*$")
FENCE = re.compile(r"\s*(?:```|~~~)")
# Lines that are no prose: headings, directives, markup of the site, rules under headings.
NO_PROSE = re.compile(r"\s*(?:#|<|\{%|\{\{|:::|\.\. |:[\w-]+:|!!!|\?\?\?|import |export |"
                      r"[=~^\"'*+#-]{3,}\s*$)")

# Words first to last of the lines of a file: {"line": [first, last], "words": [start, end]}.
Sentence = collections.namedtuple("Sentence", "text line words")


def normal(text):
    """What is left without markup, punctuation and case."""
    return " ".join(re.findall(r"[\w.%/-]*\w%?", text.lower()))


def blocks(text):
    """(number of the first line, lines) of paragraphs, list items and rows."""
    block, begun, fenced, lines = [], 0, False, text.split("\n")
    front = lines[0] == "---"
    for number, line in enumerate(lines, 1):
        edge = FENCE.match(line)
        if front:
            front = number == 1 or line != "---"
            continue
        fenced = fenced != bool(edge)
        skip = fenced or edge or not line.strip() or NO_PROSE.match(line)
        if block and (skip or ITEM.match(line) or line.lstrip().startswith("|")
                      or block[0].startswith("|")):
            yield begun, block
            block = []
        if skip or (line.startswith("    ") and not block and not ITEM.match(line)):
            continue
        if not block:
            begun = number
        block.append(line)
    if block:
        yield begun, block


def sentences(text):
    for begun, lines in blocks(text):
        words = [(word, begun + i) for i, line in enumerate(lines) for word in line.split()]
        start = 0
        for i, (word, _) in enumerate(words, 1):
            ends = i == len(words) or (END.search(word) and re.match(r"[A-Z`*\[\"]", words[i][0])
                                       and not lines[0].lstrip().startswith("|")
                                       and not word.lower().startswith(("e.g", "i.e")))
            if not ends:
                continue
            if LEAST_WORDS <= i - start <= MOST_WORDS:
                yield Sentence(" ".join(w for w, _ in words[start:i]),
                               (begun, begun + len(lines) - 1), (start, i))
            start = i


def git(clone, *arguments, feed=None):
    return subprocess.run(["git", "-C", clone.path, *arguments], input=feed, check=True,
                          stdout=subprocess.PIPE).stdout


class Blobs:
    """Reads files by their ids."""

    def __init__(self, clone):
        self.pipe = subprocess.Popen(["git", "-C", clone.path, "cat-file", "--batch"],
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.kept = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.pipe.stdin.close()
        self.pipe.stdout.close()
        self.pipe.wait()

    def sentences(self, blob):
        """{what normal says: Sentence}"""
        if blob not in self.kept:
            self.pipe.stdin.write(blob.encode() + b"\n")
            self.pipe.stdin.flush()
            head = self.pipe.stdout.readline().split()
            text = b""
            if len(head) == 3:
                text = self.pipe.stdout.read(int(head[2]) + 1)[:-1]
            text = text.decode("utf-8", "replace")
            self.kept[blob] = {normal(s.text): s for s in sentences(text)}
        return self.kept[blob]


@functools.lru_cache(maxsize=100000)
def words_of(key):
    return key.split()


@functools.lru_cache(maxsize=100000)
def set_of(key):
    return frozenset(key.split())


def alike(a, b):
    """Which share of their words two sentences have in common, in the same order; 0 below ALIKE."""
    x, y = set_of(a), set_of(b)
    if a == b or 2 * len(x & y) < (ALIKE - 0.1) * (len(x) + len(y)):
        return 0
    ratio = difflib.SequenceMatcher(None, words_of(a), words_of(b), autojunk=False).ratio()
    return ratio if ratio >= ALIKE else 0


def partners(gone, came):
    """The sentences that came, each for the likest that is gone."""
    scores = sorted(((alike(a, b), a, b) for a in gone for b in came), reverse=True)
    left, right = set(gone), set(came)
    for score, a, b in scores:
        if score and a in left and b in right:
            left.discard(a)
            right.discard(b)
            yield a, b


def changes(clone, source):
    """(commit, old file, old blob, new blob), latest first, of the files of the source."""
    log = git(clone, "log", "--no-merges", "--raw", "--no-abbrev", "-M", "--diff-filter=MR",
              "--format=%H", "-n", "4000", source["commit"], "--", *source["folders"])
    commit = None
    for line in log.decode("utf-8", "replace").split("\n"):
        if not line.startswith(":"):
            commit = line or commit
            continue
        fields, *names = line.split("\t")
        if is_prose(names[0], source) and is_prose(names[-1], source):
            yield (commit, names[0], *fields.split()[2:4])


def is_prose(name, source):
    return name.endswith((".md", ".mdx", ".rst")) and \
        not re.search(source.get("without") or r"$^", name)


def files_of(clone, source):
    """{name: blob} of the files that are read, as they are at the commit of the source."""
    tree = git(clone, "ls-tree", "-r", source["commit"], "--", *source["folders"])
    rows = (line.split("\t") for line in tree.decode("utf-8", "replace").split("\n") if line)
    return {name: row.split()[2] for row, name in rows if is_prose(name, source)}


def candidates(clone, source):
    with Blobs(clone) as blobs:
        yield from candidates_of(clone, source, blobs)


def candidates_of(clone, source, blobs):
    now = {}
    for name, blob in files_of(clone, source).items():
        for key, sentence in blobs.sentences(blob).items():
            now.setdefault(key, (name, sentence))
    after = {}  # what stands today in place of a sentence that is gone
    for commit, name, old, new in changes(clone, source):
        before, behind = blobs.sentences(old), blobs.sentences(new)
        gone = [key for key in before if key not in behind and key not in now]
        came = [key for key in behind if key not in before and (key in now or key in after)]
        if len(gone) * len(came) > 4000:
            continue
        for a, b in partners(gone, came):
            last = after.get(b, b)
            if a in after or not alike(a, last):
                continue
            after[a] = last
            there, sentence = now[last]
            yield {"repo": source["repo"], "old_commit": commit + "^", "old_file": name,
                   "old_line": before[a].line, "old_words": before[a].words, "file": there,
                   "line": sentence.line, "words": sentence.words,
                   "old_text": before[a].text, "text": sentence.text}


def words_at(clone, commit, name, line, words):
    text = clone.show(commit, name)
    if text is None:
        return None
    return " ".join(" ".join(text.split("\n")[line[0] - 1:line[1]]).split()[words[0]:words[1]])


def texts_of(clone, source, pair):
    """(the text that is gone, the one of today); None where the clone lacks a commit."""
    return (words_at(clone, pair["old_commit"], pair["old_file"], pair["old_line"],
                     pair["old_words"]),
            words_at(clone, source["commit"], pair["file"], pair["line"], pair["words"]))


def fits_behind(lines):
    """Numbers of the lines behind which a statement of its own fits: blank ones outside of
    listings."""
    fenced, out = False, []
    for number, line in enumerate(lines, 1):
        if FENCE.match(line):
            fenced = not fenced
        around = lines[max(0, number - 2):number + 1]
        if not fenced and not line.strip() and number > 5 and number < len(lines) \
                and not any(near.startswith(("    ", "\t", "..", "|")) for near in around):
            out.append(number)
    return out


def place_of(lines, pair, text, chance):
    """(number of the line behind which a text that is gone is put back, the lines to add)"""
    if text.startswith("|"):  # a row belongs to the table that its successor stands in
        last = pair["line"][1]
        while last < len(lines) and lines[last].lstrip().startswith("|"):
            last += 1
        return last, [text]
    places = [n for n in fits_behind(lines) if abs(n - pair["line"][0]) > 12]
    return (chance.choice(places), [text, ""]) if places else None


def planted(files, pairs):
    """(files with the sentences put back that are gone, [(Passage put back, Passage of today,
    label)]); pairs: with their texts. Where is drawn at random, but the same each time."""
    added, labels = collections.defaultdict(list), []
    for pair in pairs:
        chance = random.Random(pair["old_text"])
        place = place_of(files[pair["file"]].split("\n"), pair, pair["old_text"], chance)
        if place:
            added[pair["file"]].append(place)
            one, other = (documents.Passage(pair["file"], 0, 0, documents.words_of(text))
                          for text in (pair["old_text"], pair["text"]))
            labels.append((one, other, pair["label"] == "contradiction"))
    out = dict(files)
    for name, places in added.items():
        lines = files[name].split("\n")
        for behind, more in sorted(places, key=lambda place: -place[0]):
            lines[behind:behind] = more
        out[name] = "\n".join(lines)
    return out, labels


def sets(clones, split, most_lines, only=""):
    """(repository, files, labels) of each repository of a split: the files with the most pairs
    for their length, up to so many lines."""
    labelled = collections.defaultdict(list)
    for pair in with_texts(clones, [os.path.join(DATA, split + ".jsonl")]):
        labelled[pair["repo"]].append(pair)
    for repo, pairs in labelled.items():
        if not re.match(only, repo):
            continue
        clone, commit = Clone(clones, repo), sources()[repo]["commit"]
        texts = {name: clone.show(commit, name) for name in {pair["file"] for pair in pairs}}
        count = collections.Counter(pair["file"] for pair in pairs)
        length = {name: text.count("\n") for name, text in texts.items()}
        files, left = {}, most_lines
        for name in sorted(texts, key=lambda name: (-count[name] / (length[name] + 20), name)):
            if length[name] <= left:
                files[name] = texts[name]
                left -= length[name]
        yield (repo, *planted(files, [pair for pair in pairs if pair["file"] in files]))


def with_texts(clones, paths):
    """The pairs of files of labels with their texts, as far as the clones have them."""
    of_repo = sources()
    for path in paths:
        for pair in read_lines(path):
            clone = clone_of(clones, pair["repo"])
            old, new = texts_of(clone, of_repo[pair["repo"]], pair) if clone else (None, None)
            if old is not None and new is not None:
                yield pair | {"old_text": old, "text": new}


def read_lines(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def sources():
    return {s["repo"]: s for s in read_lines(os.path.join(DATA, "sources.jsonl"))}


def clone_of(folder, repo):
    clone = Clone(folder, repo)
    if clone.path is None:
        print(f"{repo}: left out, no clone in {folder}: git clone https://github.com/{repo}",
              file=sys.stderr)
        return None
    return clone


def find(o):
    with open(o.out, "w", encoding="utf-8") as out:
        for repo, source in sources().items():
            clone = clone_of(o.clones, repo) if re.search(o.only, repo) else None
            for pair in candidates(clone, source) if clone else ():
                out.write(json.dumps(pair, ensure_ascii=False) + "\n")
                out.flush()


def read(o):
    for pair in with_texts(o.clones, o.files):
        print(json.dumps(pair, ensure_ascii=False))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("find")
    one.add_argument("clones")
    one.add_argument("out")
    one.add_argument("--only", default="")
    one.set_defaults(run=find)
    one = commands.add_parser("read")
    one.add_argument("clones")
    one.add_argument("files", nargs="+")
    one.set_defaults(run=read)
    o = parser.parse_args()
    o.run(o)


if __name__ == "__main__":
    main()
