/* adoc.c - see adoc.h. Blocks between delimiters are left out, are code, a quote or a table, or are
 * read as the text around them;  so nothing is nested here. Source: docs.asciidoctor.org, "AsciiDoc
 * Language". */
#include "core/docs/adoc.h"

#include <ctype.h>
#include <string.h>

#include "core/base/status.h"
#include "core/docs/adoc_inline.h"
#include "core/docs/adoc_table.h"
#include "core/docs/front.h"

enum { LEVELS = 6 };

typedef struct reader {
    eg_source source;
    eg_front front;
    eg_str attributes; /* the last line "[...]" */
    eg_buffer terms;   /* of a description whose text is yet to come */
    int in_text;       /* the line before is text of the same block */
    int in_item;       /* the block is one of a list */
} reader;

static const eg_str nothing = {"", 0};

static int begins(eg_str s, const char *z) { return s.len >= strlen(z) && memcmp(s.ptr, z, strlen(z)) == 0; }
static eg_str after(eg_str s, size_t n) { return eg_trim_line((eg_str){s.ptr + n, s.len - n}); }
static size_t distance(size_t a, size_t b) { return a > b ? a - b : b - a; }

static void add(reader *r, size_t number, size_t blanks, const char *prefix, eg_str text) {
    eg_front_inline(&r->front, number, blanks, prefix, text, eg_adoc_inline);
    r->in_text = 1;
}

static void add_blank(reader *r, size_t number) {
    eg_front_line(&r->front, number, 0, "", nothing);
    r->in_text = 0;
}

/* How many of the same sign a line consists of, 0: it does not. */
static size_t run_of(eg_str s, const char *signs) {
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] != s.ptr[0]) return 0;
    return s.len && strchr(signs, s.ptr[0]) ? s.len : 0;
}

/* ---- headings ---- */

static void heading(reader *r, size_t i, size_t level, eg_str title) {
    r->in_item = 0;
    add_blank(r, i);
    add(r, i, 0, &"###### "[LEVELS - (level < LEVELS ? level : LEVELS)], title);
    add_blank(r, i);
}

/* "== Title", or a title with a line of its length below. The line behind it, i: there is none. */
static size_t title(reader *r, size_t i) {
    static const char signs[] = "=-~^+";
    eg_source_line here = r->source.lines[i], next = eg_source_at(&r->source, i + 1);
    size_t level = 0;
    while (level < here.text.len && level < LEVELS && here.text.ptr[level] == '=') level++;
    if (level && level < here.text.len && here.text.ptr[level] == ' ' && !here.indent) {
        heading(r, i, level, after(here.text, level));
        if (level == 1) /* authors and revision */
            while (eg_source_has(&r->source, i + 1)) add_blank(r, ++i);
        return i + 1;
    }
    if (r->in_text || here.indent || !run_of(next.text, signs) || distance(next.text.len, here.text.len) > 2) return i;
    if (here.text.len < 2 || run_of(here.text, "=-~^+.*_/") || strchr("[.|", here.text.ptr[0])) return i;
    heading(r, i, (size_t)(strchr(signs, next.text.ptr[0]) - signs) + 1, here.text);
    return i + 2;
}

/* ---- blocks between delimiters ---- */

/* The line of the delimiter that closes the one at i; the number of lines where there is none. */
static size_t closing(const eg_source *s, size_t i) {
    size_t end = i + 1;
    while (end < s->count && !eg_str_eq(s->lines[end].text, s->lines[i].text)) end++;
    return end;
}

static size_t quote(reader *r, size_t i, size_t end) {
    for (size_t k = i + 1; k < end; k++) eg_front_line(&r->front, k, 0, "> ", r->source.lines[k].text);
    return end + 1;
}

/* The line behind a delimited block, or behind the delimiter of one that is read as text; i: there
 * is none. */
static size_t block(reader *r, size_t i) {
    const eg_source *s = &r->source;
    eg_str line = s->lines[i].text;
    size_t end = closing(s, i), same = run_of(line, "-.+=*_/");
    if (begins(line, "```")) {
        eg_source_line fence = {.text = {line.ptr, 3}};
        for (end = i + 1; end < s->count && !eg_str_eq(s->lines[end].text, fence.text);) end++;
        eg_front_code(&r->front, s, i + 1, end, after(line, 3));
        return add_blank(r, i), end + 1;
    }
    if (begins(line, "|===") && run_of((eg_str){line.ptr + 1, line.len - 1}, "=")) {
        eg_adoc_table(&r->front, s, i + 1, end, r->attributes);
        return add_blank(r, i), end + 1;
    }
    if (eg_str_eq(line, EG_STR("--"))) return add_blank(r, i), i + 1;
    if (same < 4) return i;
    add_blank(r, i);
    if (strchr("=*", line.ptr[0])) return i + 1; /* an example or a sidebar */
    if (end == s->count) return i + 1;           /* a rule, or not closed */
    if (line.ptr[0] == '_') return quote(r, i, end);
    if (strchr("-.", line.ptr[0])) {
        eg_str language = begins(r->attributes, "[source,") ? after(r->attributes, 8) : nothing;
        if (language.len) language.len -= 1; /* the bracket */
        eg_front_code(&r->front, s, i + 1, end, language);
        r->in_text = 0;
    }
    return end + 1; /* "////" and "++++" are left out */
}

/* ---- lines that are not text ---- */

/* "name::target[...]", such as include, image, ifdef. */
static int is_block_macro(eg_str s) {
    size_t n = 0;
    while (n < s.len && (isalnum((unsigned char)s.ptr[n]) || s.ptr[n] == '_')) n++;
    if (!n || n + 2 >= s.len || s.ptr[n] != ':' || s.ptr[n + 1] != ':' || s.ptr[n + 2] == ' ') return 0;
    return s.ptr[s.len - 1] == ']' && memchr(s.ptr, '[', s.len);
}

/* 1 when the line is a comment, an attribute, a title of a block or the like. */
static int is_left_out(reader *r, size_t i) {
    eg_str s = r->source.lines[i].text;
    size_t n = s.len;
    if (begins(s, "//") && !begins(s, "///")) {
        eg_buffer b = {0};
        eg_str text = after(s, 2);
        eg_buffer_add(&b, text.ptr, text.len);
        eg_buffer_text(&b, " -->");
        if (begins(text, "engram:")) eg_front_line(&r->front, i, 0, "<!-- ", (eg_str){b.ptr, b.len});
        eg_buffer_release(&b);
        return 1;
    }
    if (s.ptr[0] == '[' && s.ptr[n - 1] == ']' && !r->in_text) {
        if (!begins(s, "[[")) r->attributes = s;
        return add_blank(r, i), 1;
    }
    if (is_block_macro(s)) return add_blank(r, i), 1;
    if (s.ptr[0] == ':' && n > 2 && s.ptr[1] != ':' && s.ptr[1] != ' ') {
        const char *colon = memchr(s.ptr + 1, ':', n - 1);
        return colon && !memchr(s.ptr, ' ', (size_t)(colon - s.ptr));
    }
    return s.ptr[0] == '.' && n > 1 && !strchr(". ", s.ptr[1]) && !r->in_text; /* ".Title" */
}

/* ---- lists ---- */

/* Bytes of a list marker, blanks behind it included; 0: none. *depth: how deep, from 0. */
static size_t marker(eg_str s, size_t *depth, int *numbered) {
    size_t n = 0;
    while (n < s.len && n < LEVELS && s.ptr[n] == s.ptr[0] && strchr("*-.", s.ptr[0])) n++;
    *numbered = n && s.ptr[0] == '.';
    *depth = n ? n - 1 : 0;
    if (n && n + 1 < s.len && s.ptr[n] == ' ' && (n == 1 || s.ptr[0] != '-')) return n + 1;
    for (n = 0; n < s.len && n < 4 && isdigit((unsigned char)s.ptr[n]);) n++;
    *numbered = 1;
    *depth = 0;
    return n && n + 2 < s.len && s.ptr[n] == '.' && s.ptr[n + 1] == ' ' ? n + 2 : 0;
}

/* "term::", "term:: text": bytes of the term, 0: it is none. *text: what follows. */
static size_t term(eg_str s, eg_str *text) {
    const char *colons = s.ptr, *end = s.ptr + s.len;
    while ((colons = memmem(colons, (size_t)(end - colons), "::", 2)) != NULL) {
        const char *behind = colons;
        while (behind < end && *behind == ':') behind++;
        if (colons > s.ptr && behind - colons <= 4 && (behind == end || *behind == ' ')) {
            *text = after(s, (size_t)(behind - s.ptr));
            return (size_t)(colons - s.ptr);
        }
        colons = behind;
    }
    if (s.len > 2 && s.ptr[s.len - 1] == ';' && s.ptr[s.len - 2] == ';') return *text = nothing, s.len - 2;
    return 0;
}

/* A term; several that follow each other share the text below. */
static int description(reader *r, size_t i) {
    eg_str text, s = r->source.lines[i].text;
    size_t n = r->in_text && !r->terms.len && !r->in_item ? 0 : term(s, &text);
    if (!n) return 0;
    if (r->terms.len) eg_buffer_text(&r->terms, ", ");
    eg_adoc_inline(&r->terms, (eg_str){s.ptr, n});
    r->in_item = 1;
    if (text.len) {
        eg_buffer_text(&r->terms, ": ");
        eg_adoc_inline(&r->terms, text);
        eg_front_line(&r->front, i, 0, "- ", (eg_str){r->terms.ptr, r->terms.len});
        r->terms.len = 0;
        r->in_text = 1;
    } else {
        r->in_text = 0;
    }
    return 1;
}

/* ---- text ---- */

static eg_str without_admonition(eg_str s) {
    static const char *const words[] = {"NOTE: ", "TIP: ", "IMPORTANT: ", "WARNING: ", "CAUTION: "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (begins(s, words[i])) return after(s, strlen(words[i]));
    return s;
}

/* "[verse]" and the like: the paragraph below is no prose. */
static int is_verbatim(eg_str attributes) {
    static const char *const names[] = {"[verse", "[listing", "[literal", "[source", "[synopsis", "[quote"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (begins(attributes, names[i])) return 1;
    return 0;
}

/* A paragraph that begins with blanks is code, but for the text of a description. */
static size_t text_line(reader *r, size_t i) {
    const eg_source *s = &r->source;
    eg_str text = s->lines[i].text;
    if (r->terms.len) {
        eg_buffer_text(&r->terms, ": ");
        eg_adoc_inline(&r->terms, text);
        eg_front_line(&r->front, i, 0, "- ", (eg_str){r->terms.ptr, r->terms.len});
        r->terms.len = 0;
        r->in_text = 1;
        return i + 1;
    }
    if (!r->in_text && ((s->lines[i].indent && !r->in_item) || is_verbatim(r->attributes))) {
        size_t end = i;
        while (eg_source_has(s, end)) end++;
        eg_front_code(&r->front, s, i, end, nothing);
        r->attributes = nothing;
        return end;
    }
    add(r, i, 0, "", r->in_text ? text : without_admonition(text));
    return i + 1;
}

static size_t read_block(reader *r, size_t i) {
    eg_str line = r->source.lines[i].text;
    size_t depth, n, next = title(r, i);
    int numbered;
    if (next > i || (next = block(r, i)) > i) return next;
    if (is_left_out(r, i)) return i + 1;
    if (eg_str_eq(line, EG_STR("+"))) return add_blank(r, i), i + 1; /* of an item */
    if ((n = marker(line, &depth, &numbered)) != 0 && (!r->in_text || r->in_item)) {
        add(r, i, 2 * depth, numbered ? "1. " : "- ", after(line, n));
        r->in_item = 1;
        return i + 1;
    }
    if (description(r, i)) return i + 1;
    return text_line(r, i);
}

eg_status eg_adoc_read(eg_document *d, eg_str text) {
    reader r = {.attributes = nothing};
    eg_status s = eg_source_read(d->out->arena, text, &r.source, d->err);
    for (size_t i = 0; s == EG_OK && i < r.source.count && !r.front.failed;) {
        if (r.source.lines[i].text.len) {
            i = read_block(&r, i);
        } else {
            if (!r.in_text && !r.terms.len && eg_source_has(&r.source, i + 1) && !r.source.lines[i + 1].indent) r.in_item = 0;
            add_blank(&r, i++);
            r.attributes = nothing;
        }
    }
    eg_buffer_release(&r.terms);
    return s == EG_OK ? eg_front_read(&r.front, d) : s;
}
