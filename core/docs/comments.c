/* comments.c - see comments.h. One pass over the text. */
#include "core/docs/comments.h"

#include <string.h>

#include "core/docs/front.h"

typedef struct scan {
    eg_document *d;
    eg_comment_style style;
    eg_str text;
    size_t at, line; /* line: of the file, from 0 */
    int code;        /* something other than blanks stands before `at` on its line */
    eg_front front;
    int begun;       /* a line was added */
    size_t last;     /* the one that was added last */
    int last_broken; /* and code stands behind or around it */
    eg_status status;
} scan;

static char char_at(const scan *s, size_t i) { return i < s->text.len ? s->text.ptr[i] : '\0'; }

static int has(const scan *s, const char *word) {
    size_t n = strlen(word);
    return s->text.len - s->at >= n && memcmp(s->text.ptr + s->at, word, n) == 0;
}

/* Where the line ends that holds byte i. */
static size_t line_end(const scan *s, size_t i) {
    const char *end = i < s->text.len ? memchr(s->text.ptr + i, '\n', s->text.len - i) : NULL;
    return end ? (size_t)(end - s->text.ptr) : s->text.len;
}

/* ---- what a comment says ---- */

static int holds(eg_str text, const char *word) { return memmem(text.ptr, text.len, word, strlen(word)) != NULL; }

/* Tags of documentation tools, code that was commented out, licences. */
static int is_no_prose(eg_str line) {
    if (strchr("@\\:", line.ptr[0])) return 1;
    if (strchr(";{}", line.ptr[line.len - 1])) return 1;
    return holds(line, "Copyright") || holds(line, "SPDX-") || holds(line, "Licensed under");
}

/* Adds a line of a comment. alone: it has its line to itself. */
static void put(scan *s, size_t line, int alone, eg_str text) {
    eg_str said = eg_trim_line(text);
    if (s->begun && (line > s->last + 1 || s->last_broken || !alone)) eg_front_line(&s->front, line, 0, "", (eg_str){0});
    size_t blanks = 0;
    while (blanks < text.len && text.ptr[blanks] == ' ') blanks++;
    int is_mark = said.len >= 7 && memcmp(said.ptr, "engram:", 7) == 0;
    if (is_mark && s->status == EG_OK) {
        size_t end = line_end(s, s->at);
        eg_str rest = end < s->text.len ? (eg_str){s->text.ptr + end + 1, s->text.len - end - 1} : (eg_str){"", 0};
        s->status = eg_mark_comment(s->d, said, (uint32_t)line + 1, alone, rest);
    }
    if (!said.len || is_mark || is_no_prose(said)) eg_front_line(&s->front, line, 0, "", (eg_str){0});
    else eg_front_line(&s->front, line, blanks, "", said);
    s->begun = 1;
    s->last = line;
    s->last_broken = !alone;
}

/* What one line of a block says: without the star in front, and one blank behind it. */
static eg_str without_star(eg_str line) {
    eg_str s = line;
    while (s.len && (*s.ptr == ' ' || *s.ptr == '\t')) s.ptr++, s.len--;
    if (!s.len || *s.ptr != '*') return s;
    while (s.len && *s.ptr == '*') s.ptr++, s.len--;
    if (s.len && *s.ptr == ' ') s.ptr++, s.len--;
    return s;
}

/* A line without at most so many blanks in front. */
static eg_str outdented(eg_str line, size_t most) {
    while (most-- && line.len && (*line.ptr == ' ' || *line.ptr == '\t')) line.ptr++, line.len--;
    return line;
}

/* ---- where comments stand ---- */

/* A comment to the end of the line; mark: bytes that begin it. */
static void read_to_end(scan *s, size_t mark) {
    size_t from = s->at + mark, end = line_end(s, s->at);
    while (from < end && strchr("/#!-<", s->text.ptr[from])) from++; /* "///", "//!", a rule */
    eg_str said = {s->text.ptr + from, end - from};
    put(s, s->line, !s->code, outdented(said, 1));
    s->at = end;
}

/* A block up to `close`, which begins behind `mark` bytes; indent: columns before it. is_starred:
 * lines may begin with a star. */
static void read_block(scan *s, size_t mark, const char *close, size_t indent, int is_starred) {
    int alone = !s->code;
    size_t from = s->at + mark, n = strlen(close);
    const char *found = from < s->text.len ? memmem(s->text.ptr + from, s->text.len - from, close, n) : NULL;
    size_t end = found ? (size_t)(found - s->text.ptr) : s->text.len;
    for (int first = 1;; first = 0) {
        size_t stop = line_end(s, from) < end ? line_end(s, from) : end;
        eg_str line = {s->text.ptr + from, stop - from};
        s->at = from;
        if (is_starred) line = first ? outdented(without_star(line), 1) : without_star(line);
        else line = outdented(line, first ? 1 : indent);
        put(s, s->line, alone, line);
        if (stop >= end) break;
        from = stop + 1;
        s->line++;
    }
    s->at = found ? end + n : end;
    s->code = 1;
}

/* Behind a string that `quote` begins, where it ends on this line; else behind the quote. */
static void skip_string(scan *s, char quote) {
    size_t end = line_end(s, s->at);
    s->code = 1;
    for (size_t i = s->at + 1; i < end; i++) {
        if (s->text.ptr[i] == '\\' && i + 1 < end) i++;
        else if (s->text.ptr[i] == quote) {
            s->at = i + 1;
            return;
        }
    }
    s->at++;
}

/* Behind a string of several lines, where it ends at all; else behind what begins it. */
static void skip_long_string(scan *s, const char *close) {
    size_t n = strlen(close), from = s->at + n;
    const char *found = from < s->text.len ? memmem(s->text.ptr + from, s->text.len - from, close, n) : NULL;
    size_t end = found ? (size_t)(found - s->text.ptr) + n : from;
    for (size_t i = s->at; i < end; i++) s->line += s->text.ptr[i] == '\n';
    s->at = end;
    s->code = 1;
}

static int read_triple(scan *s, size_t indent) {
    const char *quotes = has(s, "\"\"\"") ? "\"\"\"" : has(s, "'''") ? "'''" : NULL;
    if (!quotes) return 0;
    if (s->code) skip_long_string(s, quotes);
    else read_block(s, 3, quotes, indent, 0);
    return 1;
}

/* Reads what begins at the current byte, if that is a comment or a string; 0: it is neither. */
static int read_here(scan *s, size_t indent) {
    char c = char_at(s, s->at);
    int hash = s->style & (EG_COMMENTS_HASH | EG_COMMENTS_PYTHON), blocks = s->style & (EG_COMMENTS_C | EG_COMMENTS_SQL);
    if (s->style == EG_COMMENTS_PYTHON && read_triple(s, indent)) return 1;
    if (blocks && has(s, "/*")) return read_block(s, 2, "*/", indent, 1), 1;
    if (s->style == EG_COMMENTS_C && has(s, "//")) return read_to_end(s, 2), 1;
    if (s->style == EG_COMMENTS_SQL && has(s, "--")) return read_to_end(s, 2), 1;
    if (hash && c == '#' && (!s->at || strchr(" \t\n", s->text.ptr[s->at - 1]))) {
        if (s->at == 0 && has(s, "#!")) s->at = line_end(s, 0);
        else read_to_end(s, 1);
        return 1;
    }
    if (s->style == EG_COMMENTS_C && c == '`') return skip_long_string(s, "`"), 1;
    if (c == '"' || c == '\'') return skip_string(s, c), 1;
    return 0;
}

eg_status eg_comments_read(eg_document *d, eg_comment_style style, eg_str text) {
    scan s = {.d = d, .style = style, .text = text};
    size_t start = 0; /* of the line */
    while (s.at < text.len) {
        size_t line = s.line;
        char c = text.ptr[s.at];
        if (c == '\n') {
            s.line++;
            s.code = 0;
            start = ++s.at;
        } else if (!read_here(&s, s.at - start)) {
            if (c != ' ' && c != '\t' && c != '\r') {
                s.code = 1;
                if (s.begun && s.last + 1 >= s.line) s.last_broken = 1;
            }
            s.at++;
        }
        if (s.line > line && c != '\n') start = s.at; /* behind a block: what follows is code */
    }
    if (s.status == EG_OK) return eg_front_read(&s.front, d);
    eg_front_release(&s.front);
    return s.status;
}
