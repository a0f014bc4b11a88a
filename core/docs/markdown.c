/* markdown.c - the reader of Markdown of documents.h. One pass over the lines; a paragraph or list
 * item is collected until something ends it, then split into statements by core/text. Bounded, no
 * recursion. */
#include "core/docs/markdown.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/json.h"
#include "core/base/status.h"
#include "core/base/utf8.h"
#include "core/text/text.h"

/* MAX_TAG: bytes of a tag of HTML; after more without a '>' the '<' is text */
enum { LEVELS = 6, MIN_WORDS = 3, MAX_TAG = 2000 };

/* A line of a block: where its text begins in that of the block. */
typedef struct line_start {
    size_t at;
    uint32_t line;
} line_start;

typedef struct reader {
    eg_document *document;
    eg_statements *out; /* of the document */
    char headings[LEVELS][EG_SLUG + 1];
    eg_buffer text;     /* of the block being collected */
    uint32_t line;      /* where it began */
    line_start *starts; /* of its lines, on the heap */
    size_t start_count, start_capacity;
    size_t before_row;  /* statements, and */
    uint32_t row;       /* the line of the last row of a table */
    int table;          /* every line is a row of one */
    eg_buffer shown;    /* of the line, without its HTML */
    const char *hidden; /* nothing is shown up to the end of this element, "--": of the comment */
    int item;           /* the block is one of a list */
    eg_str raw, rest;   /* the line that is read, and those behind it */
    uint32_t number;    /* of that line */
    eg_status failed;   /* to note a mark */
    eg_error *err;
} reader;

static size_t count_words(eg_str s) {
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) n += s.ptr[i] != ' ' && (i == 0 || s.ptr[i - 1] == ' ');
    return n;
}

/* Scope of the block: the file and the deepest heading with a name; never as long as
 * EG_MAX_SCOPE. */
static void scope_of(const reader *r, char out[EG_MAX_SCOPE]) {
    int n = snprintf(out, EG_MAX_SCOPE, "%s", r->document->stem[0] ? r->document->stem : "general");
    for (int i = 1; i < 4; i++) /* the title of the page is its name again */
        if (r->headings[i][0]) n += snprintf(out + n, (size_t)(EG_MAX_SCOPE - n), "/%s", r->headings[i]);
}

/* ---- HTML within Markdown ---- */

/* Where the last c stands in s; 0 when there is none. */
static size_t last_of(eg_str s, char c) {
    size_t i = s.len;
    while (i && s.ptr[i - 1] != c) i--;
    return i ? i - 1 : 0;
}

static int begins(eg_str s, const char *z) { return s.len >= strlen(z) && memcmp(s.ptr, z, strlen(z)) == 0; }
static eg_str after(eg_str s, size_t n) { return (eg_str){s.ptr + n, s.len - n}; }

/* Bytes of the tag that s begins with, 0: none. *name: its element's. Placeholders such as <path>
 * are no tags. */
static size_t tag(eg_str s, char name[12]) {
    size_t i = s.len > 1 && s.ptr[1] == '/' ? 2 : 1, n = 0;
    for (; i < s.len && n < 11 && isalnum((unsigned char)s.ptr[i]); i++) name[n++] = (char)tolower((unsigned char)s.ptr[i]);
    name[n] = '\0';
    if (!n || i == s.len || !strchr(" \t/>", s.ptr[i])) return 0;
    const char *end = memchr(s.ptr + i, '>', s.len - i < MAX_TAG ? s.len - i : MAX_TAG);
    return end ? (size_t)(end + 1 - s.ptr) : 0;
}

static int is_one_of(const char *name, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0) return 1;
    return 0;
}

/* The character that an entity stands for; *n: its bytes, 1 where it is none. */
static const char *entity(eg_str s, size_t *n) {
    static const char *const entities[][2] = {{"&lt;", "<"},
                                              {"&gt;", ">"},
                                              {"&amp;", "&"},
                                              {"&quot;", "\""},
                                              {"&nbsp;", " "},
                                              {"&#39;", "'"},
                                              {"&apos;", "'"},
                                              {"&mdash;", "\xE2\x80\x94"},
                                              {"&ndash;", "\xE2\x80\x93"},
                                              {"&hellip;", "\xE2\x80\xA6"}};
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
        if (begins(s, entities[i][0])) return *n = strlen(entities[i][0]), entities[i][1];
    return *n = 1, "&";
}

/* s begins with a comment: where it ends on its line it may say what is not to be reported. */
static void note_mark(reader *r, eg_str s) {
    const char *end = memmem(s.ptr, s.len, "-->", 3);
    if (!end || r->failed != EG_OK) return;
    eg_str line = eg_trim_line(r->raw), comment = {s.ptr + 4, (size_t)(end - s.ptr) - 4};
    int alone = line.len && line.ptr == s.ptr && line.ptr + line.len == end + 3;
    r->failed = eg_mark_comment(r->document, comment, r->number, alone, r->rest);
}

/* Adds what is visible of s, which begins with '<', through the tag or comment; returns its
 * bytes. */
static size_t markup(reader *r, eg_str s) {
    static const char *const within[] = {"a",    "abbr",   "b",   "bdi",  "bdo",  "cite", "del", "dfn", "em",   "font",
                                         "i",    "img",    "kbd", "mark", "q",    "ruby", "rt",  "s",   "samp", "small",
                                         "span", "strong", "sub", "sup",  "time", "tt",   "u",   "var", "wbr"};
    static const char *const between[] = {
        "aside",  "br",     "button",  "caption", "center", "dd",    "details", "div",    "dl", "dt",      "footer",
        "form",   "h1",     "h2",      "h3",      "h4",     "h5",    "h6",      "header", "hr", "iframe",  "input",
        "label",  "li",     "link",    "main",    "meta",   "nav",   "ol",      "option", "p",  "picture", "section",
        "select", "source", "summary", "svg",     "table",  "tbody", "tfoot",   "thead",  "tr", "ul",      "video"};
    static const char *const unread[] = {"pre", "script", "style", "textarea"};
    char name[12];
    if (begins(s, "<!--")) {
        note_mark(r, s);
        return r->hidden = "--", 4;
    }
    size_t n = tag(s, name);
    for (size_t i = 0; n && i < sizeof unread / sizeof *unread; i++)
        if (strcmp(name, unread[i]) == 0) {
            if (s.ptr[1] != '/') r->hidden = unread[i];
            return eg_buffer_text(&r->shown, "\n"), n;
        }
    if (n && strcmp(name, "code") == 0) return eg_buffer_text(&r->shown, "`"), n;
    if (n && (strcmp(name, "td") == 0 || strcmp(name, "th") == 0)) return eg_buffer_text(&r->shown, " "), n;
    if (n && is_one_of(name, within, sizeof within / sizeof *within)) return n;
    if (n && is_one_of(name, between, sizeof between / sizeof *between)) return eg_buffer_text(&r->shown, "\n"), n;
    eg_buffer_add(&r->shown, s.ptr, 1);
    return 1;
}

/* Bytes up to behind the end of what is hidden, 0: it is not in s. */
static size_t hidden_end(eg_str s, const char *hidden) {
    int comment = hidden[0] == '-';
    for (const char *p = s.ptr, *end = s.ptr + s.len;
         (p = memmem(p, (size_t)(end - p), comment ? "-->" : "</", 2 + (size_t)comment));) {
        if (comment) return (size_t)(p + 3 - s.ptr);
        char name[12];
        size_t n = tag((eg_str){p, (size_t)(end - p)}, name);
        if (n && strcmp(name, hidden) == 0) return (size_t)(p - s.ptr) + n;
        p += 2;
    }
    return 0;
}

/* What a reader sees of a line: comments, code blocks and tags of HTML are left out, its entities
 * decoded, code between back-quotes stays as it is. A new line stands where an element ends a
 * block. */
static void show(reader *r, eg_str line) {
    int code = 0;
    r->shown.len = 0;
    for (size_t i = 0, n; i < line.len; i += n) {
        eg_str rest = after(line, i);
        n = 1;
        if (r->hidden) {
            size_t end = hidden_end(rest, r->hidden);
            if (end) r->hidden = NULL;
            n = end ? end : rest.len;
            continue;
        }
        if (*rest.ptr == '`') code = code || memchr(rest.ptr + 1, '`', rest.len - 1) ? !code : 0;
        if (!code && *rest.ptr == '<') n = markup(r, rest);
        else if (!code && *rest.ptr == '&') eg_buffer_text(&r->shown, entity(rest, &n));
        else eg_buffer_add(&r->shown, rest.ptr, 1);
    }
}

/* ---- blocks ---- */

/* Emphasis marks and links' targets, [text](target) or [text][name], are no part of what a sentence
 * says; code keeps its back-quotes. */
static void plain(eg_buffer *b, eg_str s) {
    int code = 0;
    size_t open = 0, brackets = last_of(s, ']'), parentheses = last_of(s, ')');
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (c == '`') code = !code;
        if (!code && c == '*' && (i + 1 == s.len || i == 0 || s.ptr[i + 1] != ' ' || s.ptr[i - 1] != ' ')) continue;
        if (!code && c == '[' && i < brackets) {
            open++;
            continue;
        }
        if (!code && c == ']' && open) {
            char next = i + 1 < s.len ? s.ptr[i + 1] : ' ';
            open--;
            if ((next == '(' && i < parentheses) || (next == '[' && i + 1 < brackets))
                i = (size_t)((const char *)memchr(s.ptr + i + 1, next == '(' ? ')' : ']', s.len - i - 1) - s.ptr);
            continue;
        }
        eg_buffer_add(b, &c, 1);
    }
}

/* Short ones (labels, "Yes."), questions and those that lead to a list or an example say nothing
 * that could be compared. */
static int claims_something(eg_str s) { return count_words(s) >= MIN_WORDS && !strchr("?:", s.ptr[s.len - 1]); }

/* The line that a byte of the block's text stands on; *from: the search begins at this one of its
 * lines, and is moved. */
static uint32_t line_at(const reader *r, size_t at, size_t *from) {
    while (*from + 1 < r->start_count && r->starts[*from + 1].at <= at) ++*from;
    return r->start_count ? r->starts[*from].line : r->line;
}

/* The block is complete: its statements are added. */
static eg_status end_block(reader *r) {
    eg_span spans[EG_MAX_STATEMENTS];
    char scope[EG_MAX_SCOPE];
    eg_str text = {r->text.ptr, r->text.len};
    size_t from = 0;
    if (r->text.failed) return eg_fail_memory(r->err, r->text.capacity);
    scope_of(r, scope);
    /* a paragraph of more statements than one fact may have is read in pieces */
    while (text.len) {
        size_t n = eg_text_statements(text, spans, EG_MAX_STATEMENTS);
        size_t taken = n == EG_MAX_STATEMENTS ? n - 1 : n;
        for (size_t i = 0; i < taken; i++) {
            eg_str one = {text.ptr + spans[i].start, spans[i].end - spans[i].start};
            if (!claims_something(one)) continue;
            size_t at = (size_t)(one.ptr - r->text.ptr);
            uint32_t first = line_at(r, at, &from), last = line_at(r, at + one.len - 1, &from);
            if (one.len > EG_MAX_CONTENT) one.len = eg_utf8_floor(one.ptr, one.len, EG_MAX_CONTENT);
            eg_status s = eg_statement_add(r->document, one, scope, first, last);
            if (s != EG_OK) return s;
        }
        if (taken == n) break;
        text = (eg_str){text.ptr + spans[taken].start, text.len - spans[taken].start};
    }
    r->text.len = r->start_count = 0;
    return EG_OK;
}

static eg_status put(reader *r, eg_str line, uint32_t number) {
    if (r->text.len == 0) r->line = number;
    else eg_buffer_text(&r->text, " ");
    if (r->text.len == 0) r->start_count = 0;
    if (r->start_count == r->start_capacity) {
        size_t more = r->start_capacity ? 2 * r->start_capacity : 64;
        line_start *p = realloc(r->starts, more * sizeof *p);
        if (!p) return eg_fail_memory(r->err, more * sizeof *p);
        r->starts = p;
        r->start_capacity = more;
    }
    r->starts[r->start_count++] = (line_start){r->text.len, number};
    plain(&r->text, line);
    return EG_OK;
}

/* Bytes of a list marker ("- ", "* ", "12. ", "- [x] "), 0: none. */
static size_t list_marker(eg_str s) {
    size_t n = 0;
    if (s.len > 1 && (s.ptr[0] == '-' || s.ptr[0] == '*' || s.ptr[0] == '+') && s.ptr[1] == ' ') n = 2;
    if (!n) {
        while (n < s.len && n < 9 && isdigit((unsigned char)s.ptr[n])) n++;
        n = n && n + 1 < s.len && (s.ptr[n] == '.' || s.ptr[n] == ')') && s.ptr[n + 1] == ' ' ? n + 2 : 0;
    }
    eg_str rest = {s.ptr + n, s.len - n};
    if (n && (begins(rest, "[ ] ") || begins(rest, "[x] ") || begins(rest, "[X] "))) n += 4;
    return n;
}

static int is_rule(eg_str s) {
    for (size_t i = 0; i < s.len; i++)
        if (!strchr("-*_=| :+", s.ptr[i])) return 0;
    return s.len >= 3;
}

static eg_status heading(reader *r, size_t level, eg_str title) {
    eg_status s = end_block(r);
    if (level > LEVELS) return s;
    eg_slug(title, r->headings[level - 1]);
    for (size_t i = level; i < LEVELS; i++) r->headings[i][0] = '\0';
    return s;
}

/* 1 or 2 where the line makes a heading of the one above it, else 0. */
static size_t underlines(const reader *r, eg_str line, uint32_t number) {
    if (r->text.len == 0 || r->line + 1 != number || r->item || line.len < 2 || !strchr("=-", line.ptr[0])) return 0;
    for (size_t i = 1; i < line.len; i++)
        if (line.ptr[i] != line.ptr[0]) return 0;
    return line.ptr[0] == '=' ? 1 : 2;
}

/* A row of a table becomes one statement: its cells, joined. */
static eg_status table_row(reader *r, eg_str line, uint32_t number) {
    eg_status s = end_block(r);
    if (s != EG_OK) return s;
    r->before_row = r->out->count;
    r->row = number;
    eg_buffer cells = {0};
    for (size_t i = 0; i < line.len; i++) eg_buffer_add(&cells, line.ptr[i] == '|' ? " " : line.ptr + i, 1);
    s = cells.failed ? eg_fail_memory(r->err, line.len) : put(r, eg_trim_line((eg_str){cells.ptr, cells.len}), number);
    eg_buffer_release(&cells);
    return s == EG_OK ? end_block(r) : s;
}

/* A code fence is closed by at least as many of the same sign with nothing behind them: a longer
 * one may hold shorter ones. *fence: signs of the open one, negative for '~', 0: none. Returns 1
 * when the line is a fence that opens or closes. */
static int is_fence(eg_str line, int *fence) {
    char sign = line.len ? line.ptr[0] : ' ';
    int n = 0;
    while ((size_t)n < line.len && n < 1000 && line.ptr[n] == sign) n++;
    if (n < 3 || (sign != '`' && sign != '~')) return 0;
    int signs = sign == '~' ? -n : n, bare = (size_t)n == line.len;
    if (!*fence) {
        /* code within a line */
        if (sign == '`' && memchr(line.ptr + n, '`', line.len - (size_t)n)) return 0;
        *fence = signs;
        return 1;
    }
    if (!bare || (*fence < 0) != (signs < 0) || abs(signs) < abs(*fence)) return 0;
    *fence = 0;
    return 1;
}

/* A line, or the part of one that ends where an element of HTML ends a block. */
static eg_status read_part(reader *r, eg_str raw, uint32_t number) {
    eg_str line = eg_trim_line(raw);
    r->table = r->table && line.len;
    if (is_rule(line) && memchr(line.ptr, '|', line.len) && memchr(line.ptr, '-', line.len)) {
        /* the line above was the table's head */
        if (r->row && r->row + 1 == number) r->out->count = r->before_row;
        else if (r->text.len && r->line + 1 == number) r->text.len = 0;
        r->table = 1;
        return end_block(r);
    }
    size_t level = underlines(r, line, number);
    if (level) {
        char title[EG_SLUG + 1];
        eg_slug((eg_str){r->text.ptr, r->text.len}, title);
        r->text.len = 0;
        return heading(r, level, eg_str_of(title));
    }
    if (line.len == 0 || is_rule(line)) return end_block(r);
    if (line.ptr[0] == '|' || r->table) return table_row(r, line, number);
    size_t marker = list_marker(line);
    eg_status s = marker ? end_block(r) : EG_OK;
    if (marker && begins(after(line, marker), ">")) return s; /* a quote in a list */
    if (r->text.len == 0) r->item = marker > 0;
    return s == EG_OK ? put(r, (eg_str){line.ptr + marker, line.len - marker}, number) : s;
}

/* Whether a line is of a kind that is not read, whatever stands in it: a quote, indented code, or a
 * directive (":::note"). */
static int is_unread(const reader *r, eg_str raw) {
    eg_str line = eg_trim_line(raw);
    int indented = raw.len && (raw.ptr[0] == '\t' || begins(raw, "    "));
    return (line.len && line.ptr[0] == '>') || begins(line, ":::") || (indented && r->text.len == 0 && !list_marker(line));
}

static eg_status read_line(reader *r, eg_str raw, uint32_t number, int *fence) {
    eg_str line = eg_trim_line(raw);
    r->raw = raw;
    r->number = number;
    if (!r->hidden && is_fence(line, fence)) return end_block(r);
    if (*fence) return EG_OK;
    if (!r->hidden && is_unread(r, raw)) return end_block(r);
    size_t level = 0;
    while (!r->hidden && level < line.len && line.ptr[level] == '#') level++;
    if (level && r->text.len && !memchr(line.ptr, ' ', line.len < 8 ? line.len : 8)) level = 0;
    show(r, level ? after(line, level) : raw);
    if (r->shown.failed) return eg_fail_memory(r->err, raw.len);
    if (r->failed != EG_OK) return r->failed;
    if (level) {
        r->hidden = NULL;
        return heading(r, level, eg_trim_line((eg_str){r->shown.ptr, r->shown.len}));
    }
    eg_status s = EG_OK;
    for (eg_str rest = {r->shown.ptr, r->shown.len}, part; s == EG_OK;) {
        const char *end = rest.len ? memchr(rest.ptr, '\n', rest.len) : NULL;
        part = (eg_str){rest.ptr, end ? (size_t)(end - rest.ptr) : rest.len};
        s = read_part(r, part, number);
        if (!end) break;
        if (s == EG_OK) s = end_block(r);
        rest = after(rest, part.len + 1);
    }
    return s;
}

eg_status eg_markdown_read(eg_document *d, eg_str text) {
    reader *r = eg_arena_alloc(d->out->arena, sizeof *r);
    if (!r) return eg_fail_memory(d->err, sizeof *r);
    *r = (reader){.document = d, .out = d->out, .err = d->err};
    eg_status s = EG_OK;
    int fence = 0, front = (begins(text, "---\n") || begins(text, "---\r\n")) && memmem(text.ptr + 3, text.len - 3, "\n---", 4);
    for (uint32_t number = 1; s == EG_OK && text.len; number++) {
        eg_str line = eg_next_line(&text);
        if (front) { /* between the first two rules */
            if (number > 1 && begins(line, "---")) front = 0;
            continue;
        }
        r->rest = text;
        s = read_line(r, line, number, &fence);
    }
    if (s == EG_OK) s = end_block(r);
    eg_buffer_release(&r->text);
    eg_buffer_release(&r->shown);
    free(r->starts);
    return s;
}
