"""The C sources of a tree as the structure checks see them: files, includes, definitions, uses of
names. A simple scan without a compiler. Used by arrows.py and circles.py."""
import os
import re

ROOTS = ("core/include", "", "plugins/json", "plugins/detectors/common", "core/curl")
SKIPPED = ("build", ".")  # folders of the top whose names begin so
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.M)
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
NAME = re.compile(r"(?<![\w.])(?<!->)[A-Za-z_]\w*")


def files(top, wanted=lambda name: name.endswith((".c", ".h"))):
    """Paths of all files with a wanted name, relative to top, in order: .c and .h."""
    out = []
    for folder, folders, names in os.walk(top):
        if folder == top:
            folders[:] = [f for f in folders if not f.startswith(SKIPPED)]
        out += [os.path.relpath(os.path.join(folder, name), top).replace(os.sep, "/")
                for name in names if wanted(name)]
    return sorted(out)


def read(top, path):
    with open(os.path.join(top, path), encoding="utf-8") as f:
        return f.read()


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def _include_lines(top, path):
    """[(line, name between the quotes or brackets)]"""
    text = read(top, path)
    return [(line_of(text, m.start(1)), m[1])
            for m in INCLUDE.finditer(COMMENT.sub(_blank_comment, text))]


def _find(top, path, name):
    """The file of the tree that an include names, or None for a header of the system."""
    for base in (os.path.dirname(path), *ROOTS):
        target = os.path.normpath(os.path.join(base, name)).replace(os.sep, "/")
        if os.path.exists(os.path.join(top, target)):
            return target
    return None


def includes(top, path):
    """[(line, file of the tree)] of the includes of a file."""
    found = [(line, _find(top, path, name)) for line, name in _include_lines(top, path)]
    return [(line, target) for line, target in found if target]


def system_includes(top, path):
    """[(line, name)] of the includes that name no file of the tree."""
    return [(line, name) for line, name in _include_lines(top, path) if not _find(top, path, name)]


def _spaces(text):
    return re.sub(r"[^\n]", " ", text)


def _blank_comment(m):
    return m[0] if m[0][0] in "\"'" else _spaces(m[0])


def code(text):
    """The text without comments, strings and preprocessor lines, each replaced by spaces."""
    text = COMMENT.sub(lambda m: _spaces(m[0]), text)
    return DIRECTIVE.sub(lambda m: _spaces(m[0]), text)


def _without_attributes(text):
    """Drops __attribute__((...)) and the like with their parentheses."""
    while m := re.search(r"\b(?:__attribute__|_Alignas|alignas|_Static_assert)\s*\(", text):
        depth, end = 1, m.end()
        while depth and end < len(text):
            depth += (text[end] == "(") - (text[end] == ")")
            end += 1
        text = text[:m.start()] + " " + text[end:]
    return text


def definitions(text):
    """Names with external linkage that this source defines: functions and variables with a
    value."""
    text, out, depth, begin, is_body = _without_attributes(code(text)), set(), 0, 0, False
    for m in re.finditer(r"[{};]", text):
        if m[0] == "}":
            depth -= 1
            if depth == 0 and is_body:
                begin = m.end()
            continue
        if depth == 0:
            head = text[begin:m.start()].strip()
            is_body = m[0] == "{" and "=" not in head and head.endswith(")")
            name = re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*=", head.split("{")[0])
            if is_body:
                name = re.search(r"(\w+)\s*\(", head)
            if name and not re.match(r"(?:static|typedef|extern)\b", head):
                out.add(name[1])
        if m[0] == "{":
            depth += 1
        elif depth == 0:
            begin = m.end()
    return out


def uses(text):
    """{name: first line} of all names in the code; members after . and -> are left out."""
    text, out = code(text), {}
    for m in NAME.finditer(text):
        out.setdefault(m[0], m.start())
    return {name: line_of(text, at) for name, at in out.items()}


def own_names(text):
    """Names that this source gives to something of its own: parameters, variables, static
    functions."""
    found = re.finditer(r"(\w+)[\s*]+(\w+)\s*(?=[,;=)\[(:])", code(text))
    return {m[2] for m in found if m[1] not in ("return", "else", "case", "goto", "sizeof")}
