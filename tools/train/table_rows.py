"""rows: numbers as lines of C. Used by the scripts here that write tables."""


def rows(values):
    text = ""
    line = "   "
    for v in values:
        word = f" {v},"
        if len(line) + len(word) > 110:
            text += line + "\n"
            line = "   "
        line += word
    return text + line + "\n"
