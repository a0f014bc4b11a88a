#!/usr/bin/env python3
"""Checks that comments of C sources and all lines of Python and shell end at 100 columns. The width
of C code is clang-format's business.
usage: columns.py TOP"""
import os
import sys

import sources

WIDTH = 100


def c_comments(text):
    """(number, line up to the end of its comment) for each line that holds a comment or a part."""
    for m in sources.COMMENT.finditer(text):
        if m[0][0] in "\"'":
            continue
        start = text.rfind("\n", 0, m.start()) + 1
        first = sources.line_of(text, start)
        yield from enumerate(text[start:m.end()].split("\n"), first)


def is_examined(name):
    """C, Python and shell by the ending; a script may have none, such as tools/run."""
    return name.endswith((".c", ".h", ".py", ".sh")) or "." not in name


def wide_lines(top):
    """Yields FILE:LINE: a message, for each line that is too wide."""
    for path in sources.files(top, is_examined):
        text = sources.read(top, path)
        if path.endswith((".c", ".h")):
            lines, what = c_comments(text), "a comment"
        else:
            lines, what = enumerate(text.split("\n"), 1), "a line"
        for number, line in lines:
            if len(line) > WIDTH:
                yield f"{path}:{number}: {what} ends in column {len(line)}: at most {WIDTH}"


def main(top):
    found = list(wide_lines(top))
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(os.path.abspath(sys.argv[1]))
