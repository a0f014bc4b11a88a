/* shown.c - see shown.h. One pass over the lines. */
#include "core/docs/shown.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/status.h"
#include "core/text/blocks.h"

enum { MAX_TAG = 2000 /* bytes of a tag of HTML; after more without a '>' the '<' is text */, CODE_INDENT = 4 };

typedef struct shower {
    eg_document *document;
    eg_shown *out;
    const char *hidden; /* nothing is shown up to the end of this element, "--": of the comment */
    eg_fence fence;     /* that is open */
    int words;          /* the line before had some: an indented one goes on with it */
    eg_str raw, rest;   /* the line that is read, and those behind it */
    uint32_t number;    /* of that line */
    eg_status failed;   /* to note a mark, or to grow */
} shower;

static void begin_line(shower *r) {
    eg_shown *s = r->out;
    if (s->line_count == s->line_capacity) {
        size_t more = s->line_capacity ? 2 * s->line_capacity : 256;
        uint32_t *p = realloc(s->lines, more * sizeof *p);
        if (!p) {
            r->failed = eg_fail_memory(r->document->err, more * sizeof *p);
            return;
        }
        s->lines = p;
        s->line_capacity = more;
    }
    s->lines[s->line_count++] = r->number;
}

/* An element ends a block within the line. */
static void end_block(shower *r) {
    for (int i = 0; i < 2 && r->failed == EG_OK; i++) {
        eg_buffer_text(&r->out->text, "\n");
        begin_line(r);
    }
}

static int begins(eg_str s, const char *z) { return s.len >= strlen(z) && memcmp(s.ptr, z, strlen(z)) == 0; }
static eg_str after(eg_str s, size_t n) { return (eg_str){s.ptr + n, s.len - n}; }

/* Bytes of the tag that s begins with, 0: none. *name: its element's. Placeholders such as
 * <path> are no tags. */
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
static void note_mark(shower *r, eg_str s) {
    enum { OPENING = 4 }; /* "<!--", whose dashes are not those of "-->": "<!-->" goes on */
    const char *end = memmem(s.ptr + OPENING, s.len - OPENING, "-->", 3);
    if (!end || r->failed != EG_OK) return;
    eg_str line = eg_trim_line(r->raw), comment = {s.ptr + OPENING, (size_t)(end - s.ptr) - OPENING};
    int alone = line.len && line.ptr == s.ptr && line.ptr + line.len == end + 3;
    r->failed = eg_mark_comment(r->document, comment, r->number, alone, r->rest);
}

/* Adds what a reader sees of s, which begins with '<', up to behind the tag or comment; returns
 * its bytes. */
static size_t markup(shower *r, eg_str s) {
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
            return end_block(r), n;
        }
    if (n && strcmp(name, "code") == 0) return eg_buffer_text(&r->out->text, "`"), n;
    if (n && (strcmp(name, "td") == 0 || strcmp(name, "th") == 0)) return eg_buffer_text(&r->out->text, " "), n;
    if (n && is_one_of(name, within, sizeof within / sizeof *within)) return n;
    if (n && is_one_of(name, between, sizeof between / sizeof *between)) return end_block(r), n;
    eg_buffer_add(&r->out->text, s.ptr, 1);
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

/* What a reader sees of a line: comments, code blocks and tags of HTML are left out, its
 * entities decoded, code between back-quotes stays as it is. A new line stands where an element
 * ends a block. */
static void show(shower *r, eg_str line) {
    int code = 0;
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
        else if (!code && *rest.ptr == '&') eg_buffer_text(&r->out->text, entity(rest, &n));
        else eg_buffer_add(&r->out->text, rest.ptr, 1);
    }
}

/* Whether HTML in the line is code: it stands between fences or is indented, and is no item of a
 * list. */
static int is_code(shower *r) {
    eg_str line = eg_trim_line(r->raw);
    int numbered, fenced = r->fence.sign != 0, marked = !r->hidden && eg_fence_read(&r->fence, line);
    if (fenced || marked) return 1;
    int indented = r->raw.len && (r->raw.ptr[0] == '\t' || begins(r->raw, "    "));
    return indented && !r->hidden && !r->words && !eg_list_marker(line, &numbered);
}

static void read_line(shower *r) {
    int code = is_code(r), heading = !code && !r->hidden && r->raw.len && r->raw.ptr[0] == '#';
    begin_line(r);
    if (code) eg_buffer_add(&r->out->text, r->raw.ptr, r->raw.len);
    else show(r, r->raw);
    if (heading) r->hidden = NULL; /* a comment that is not closed ends there */
    eg_buffer_text(&r->out->text, "\n");
    r->words = !code && eg_trim_line(r->raw).len > 0;
}

eg_status eg_shown_read(eg_document *d, eg_str text, eg_shown *out) {
    shower r = {.document = d, .out = out, .number = 1};
    int front = (begins(text, "---\n") || begins(text, "---\r\n")) && memmem(text.ptr + 3, text.len - 3, "\n---", 4);
    for (; text.len && r.failed == EG_OK && !out->text.failed; r.number++) {
        r.raw = eg_next_line(&text);
        r.rest = text;
        if (front) { /* between the first two rules */
            begin_line(&r);
            eg_buffer_add(&out->text, r.raw.ptr, r.raw.len);
            eg_buffer_text(&out->text, "\n");
            if (r.number > 1 && begins(r.raw, "---")) front = 0;
        } else read_line(&r);
    }
    if (r.failed != EG_OK) return r.failed;
    return out->text.failed ? eg_fail_memory(d->err, out->text.capacity) : EG_OK;
}

void eg_shown_release(eg_shown *s) {
    eg_buffer_release(&s->text);
    free(s->lines);
    *s = (eg_shown){0};
}
