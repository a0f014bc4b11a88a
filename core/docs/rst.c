/* rst.c - see rst.h. What a directive holds is read as the text around it, so nothing is nested
 * here: a directive either is left  out with its body, or its body is code, a table or text.
 * Source: the specification of docutils. */
#include "core/docs/rst.h"

#include <ctype.h>
#include <string.h>

#include "core/base/status.h"
#include "core/docs/front.h"
#include "core/docs/rst_inline.h"
#include "core/docs/rst_tables.h"

enum { LEVELS = 6, MAX_NESTING = 16 };

typedef struct reader {
    eg_source source;
    eg_front front;
    struct {
        char sign;
        int over;
    } styles[LEVELS]; /* of headings, in the order in which they appear */
    size_t style_count, level;
    size_t lists[MAX_NESTING]; /* the columns of the markers of the lists that are open */
    size_t depth;
    int in_text; /* the line before is text of the same block */
} reader;

static int begins(eg_str s, const char *z) { return s.len >= strlen(z) && memcmp(s.ptr, z, strlen(z)) == 0; }
static eg_str after(eg_str s, size_t n) { return eg_trim_line((eg_str){s.ptr + n, s.len - n}); }
static const eg_str nothing = {"", 0};

/* Adds a line whose inline markup is read. */
static void add(reader *r, size_t number, size_t blanks, const char *prefix, eg_str text) {
    eg_front_inline(&r->front, number, blanks, prefix, text, eg_rst_inline);
}

static void add_blank(reader *r, size_t number) {
    eg_front_line(&r->front, number, 0, "", nothing);
    r->in_text = 0;
}

/* The line behind what is indented by more than `indent`, from line i on; blank lines at the end
 * are not part of it. */
static size_t body_end(const eg_source *s, size_t i, size_t indent) {
    size_t end = i;
    for (; i < s->count; i++) {
        if (!s->lines[i].text.len) continue;
        if (s->lines[i].indent <= indent) break;
        end = i + 1;
    }
    return end;
}

/* ---- headings ---- */

/* The sign of a line that consists of one punctuation sign, 0: it does not. */
static char line_sign(eg_str s) {
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] != s.ptr[0]) return 0;
    return s.len > 1 && ispunct((unsigned char)s.ptr[0]) ? s.ptr[0] : 0;
}

static size_t characters(eg_str s) {
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) n += ((unsigned char)s.ptr[i] & 0xC0) != 0x80;
    return n;
}

static void heading(reader *r, size_t number, eg_str title, char sign, int over) {
    size_t level = 0;
    while (level < r->style_count && (r->styles[level].sign != sign || r->styles[level].over != over)) level++;
    if (level == r->style_count && level < LEVELS) {
        r->styles[level].sign = sign;
        r->styles[level].over = over;
        r->style_count++;
    }
    r->level = level < LEVELS ? level + 1 : LEVELS;
    r->depth = 0;
    add_blank(r, number);
    add(r, number, 0, &"###### "[LEVELS - r->level], title);
    add_blank(r, number);
}

/* A title with a line below it, or with one above as well. The line behind it, i: there is none. */
static size_t title(reader *r, size_t i) {
    const eg_source *s = &r->source;
    eg_source_line here = eg_source_at(s, i), next = eg_source_at(s, i + 1), last = eg_source_at(s, i + 2);
    char sign = line_sign(here.text), below = line_sign(next.text);
    if (here.indent || r->in_text) return i;
    if (sign && next.text.len && !below && line_sign(last.text) == sign && here.text.len == last.text.len) {
        heading(r, i + 1, next.text, sign, 1);
        return i + 3;
    }
    if (sign || !below || next.indent || next.text.len + 2 < characters(here.text)) return i;
    heading(r, i, here.text, below, 0);
    return i + 2;
}

/* ---- directives and comments ---- */

typedef enum directive_kind { TEXT = 0, LEFT_OUT, CODE, VERSION, OBJECT, LIST_TABLE, CSV_TABLE } directive_kind;

static directive_kind kind_of(eg_str name) {
    static const struct {
        directive_kind kind;
        const char *names;
    } kinds[] = {
        {LEFT_OUT, " toctree index image figure include literalinclude contents raw math highlight meta module currentmodule "
                   "automodule autoclass autofunction graphviz mermaid plot sectionauthor moduleauthor codeauthor tabularcolumns "
                   "default-role role productionlist glossary-index default-domain program bibliography unicode replace date "
                   "target-notes sectnum section-numbering header footer uml plantuml digraph graph audit-event "},
        {CODE, " code-block code sourcecode parsed-literal ipython testcode testsetup testoutput doctest prompt console "},
        {VERSION, " versionadded versionchanged versionremoved deprecated deprecated-removed "},
        {OBJECT,
         " function method class classmethod staticmethod attribute data option cmdoption confval envvar setting describe "
         "object exception decorator property macro type member var enum enumerator struct union opcode directive rst:role "
         "make:target cmake:variable cmake:command "},
        {LIST_TABLE, " list-table flat-table "},
        {CSV_TABLE, " csv-table "}};
    char word[48];
    const char *colon = memrchr(name.ptr, ':', name.len); /* "py:function" */
    eg_str plain = colon ? after(name, (size_t)(colon + 1 - name.ptr)) : name;
    int n = snprintf(word, sizeof word, " %.*s ", (int)(plain.len < 40 ? plain.len : 40), plain.ptr);
    for (size_t i = 0; n > 2 && i < sizeof kinds / sizeof *kinds; i++)
        if (strstr(kinds[i].names, word)) return kinds[i].kind;
    return TEXT;
}

/* ".. name:: arguments": *name and *arguments. */
static int is_directive(eg_str s, eg_str *name, eg_str *arguments) {
    if (!begins(s, ".. ")) return 0;
    s = after(s, 3);
    const char *colons = memmem(s.ptr, s.len, "::", 2);
    if (!colons || colons == s.ptr || memchr(s.ptr, ' ', (size_t)(colons - s.ptr))) return 0;
    *name = (eg_str){s.ptr, (size_t)(colons - s.ptr)};
    *arguments = after(s, name->len + 2);
    return 1;
}

/* The value of an option ":name: value" among the lines from..to; empty: none. */
static eg_str option_of(const eg_source *s, size_t from, size_t to, const char *name) {
    for (size_t i = from; i < to; i++)
        if (begins(s->lines[i].text, name)) return after(s->lines[i].text, strlen(name));
    return nothing;
}

static size_t number_of(eg_str s) {
    size_t n = 0;
    for (size_t i = 0; i < s.len && isdigit((unsigned char)s.ptr[i]) && n < 100; i++) n = 10 * n + (size_t)(s.ptr[i] - '0');
    return n;
}

static const char *version_words(eg_str name) {
    if (begins(name, "versionadded")) return "Added in version ";
    if (begins(name, "versionremoved")) return "Removed in version ";
    return begins(name, "deprecated") ? "Deprecated since version " : "Changed in version ";
}

/* "versionchanged:: 3.4 Text", whose text may be the body: a sentence with what it is about.
 * Without  a text it is left out: only the heading says what was added. The line behind what was
 * read. */
static size_t version(reader *r, size_t i, size_t body, size_t end, eg_str name, eg_str arguments) {
    size_t n = 0;
    while (n < arguments.len && arguments.ptr[n] != ' ') n++;
    eg_str text = after(arguments, n);
    int in_body = !text.len && body < end;
    add_blank(r, i);
    if (in_body) text = r->source.lines[body].text;
    if (!text.len) return end;
    eg_buffer b = {0};
    eg_buffer_text(&b, version_words(name));
    eg_buffer_add(&b, arguments.ptr, n);
    eg_buffer_text(&b, ": ");
    eg_rst_inline(&b, text);
    eg_front_line(&r->front, in_body ? body : i, 0, "", (eg_str){b.ptr, b.len});
    eg_buffer_release(&b);
    r->in_text = 1;
    return in_body ? body + 1 : i + 1;
}

/* What a directive describes is the heading of its body. */
static void object(reader *r, size_t i, eg_str arguments) {
    size_t level = r->level < LEVELS ? r->level + 1 : LEVELS;
    r->depth = 0;
    add_blank(r, i);
    add(r, i, 0, &"###### "[LEVELS - level], arguments);
    add_blank(r, i);
}

/* A directive at line i; the line behind what was read of it. */
static size_t directive(reader *r, size_t i, eg_str name, eg_str arguments) {
    const eg_source *s = &r->source;
    size_t indent = s->lines[i].indent, options = i + 1, end = body_end(s, i + 1, indent), body;
    while (options < end && begins(s->lines[options].text, ":")) options++;
    for (body = options; body < end && !s->lines[body].text.len;) body++;
    directive_kind kind = kind_of(name);
    if (kind != VERSION) add_blank(r, i);
    switch (kind) {
    case LEFT_OUT: return end;
    case CODE: eg_front_code(&r->front, s, body, end, arguments); return end;
    case LIST_TABLE:
        eg_rst_list_table(&r->front, s, body, end, number_of(option_of(s, i + 1, options, ":header-rows:")));
        return end;
    case CSV_TABLE:
        eg_rst_csv_table(&r->front, s, body, end, option_of(s, i + 1, options, ":header:"),
                         number_of(option_of(s, i + 1, options, ":header-rows:")));
        return end;
    case VERSION: return version(r, i, body, end, name, arguments);
    case OBJECT: object(r, i, arguments); return options;
    case TEXT: break;
    }
    if (options == i + 1 && arguments.len) { /* the text may begin behind the name */
        add(r, i, 0, "", arguments);
        r->in_text = 1;
    }
    return options > i + 1 ? body : options;
}

/* A comment, target or substitution: left out with what is indented below it. */
static size_t comment(reader *r, size_t i) {
    eg_str text = after(r->source.lines[i].text, 2);
    add_blank(r, i);
    if (begins(text, "engram:")) {
        eg_front_line(&r->front, i, 0, "<!-- ", text);
        r->front.text.len -= r->front.text.len > 0; /* the line goes on */
        eg_buffer_text(&r->front.text, " -->\n");
        return i + 1;
    }
    if (begins(text, "[")) { /* a footnote or citation */
        const char *close = memchr(text.ptr, ']', text.len);
        if (close) {
            add(r, i, 0, "", after(text, (size_t)(close + 1 - text.ptr)));
            r->in_text = 1;
            return i + 1;
        }
    }
    return body_end(&r->source, i + 1, r->source.lines[i].indent);
}

/* ---- lists ---- */

/* Bytes of a list marker, blanks behind it included; 0: none. *numbered. */
static size_t marker(eg_str s, int *numbered) {
    size_t n = 0;
    *numbered = 0;
    if (s.len > 2 && strchr("-*+", s.ptr[0]) && s.ptr[1] == ' ') return 2;
    if (begins(s, "\xE2\x80\xA2 ")) return 4;
    *numbered = 1;
    int open = s.len && s.ptr[0] == '(';
    n += (size_t)open;
    size_t from = n;
    while (n < s.len && n - from < 4 && isdigit((unsigned char)s.ptr[n])) n++;
    if (n == from && n < s.len && (s.ptr[n] == '#' || (isalpha((unsigned char)s.ptr[n]) && n + 1 < s.len && s.ptr[n + 1] == ')')))
        n++;
    if (n == from || n + 2 > s.len || !strchr(open ? ")" : ".)", s.ptr[n]) || s.ptr[n + 1] != ' ') return 0;
    return n + 2;
}

/* Lists that end at or before a column are closed. */
static void close_lists(reader *r, size_t indent) {
    while (r->depth && r->lists[r->depth - 1] >= indent) r->depth--;
}

/* Opens a list at a column, or goes on with it; its depth. */
static size_t open_list(reader *r, size_t indent) {
    close_lists(r, indent);
    if (r->depth < MAX_NESTING) r->lists[r->depth++] = indent;
    return r->depth - 1;
}

static void item(reader *r, size_t i, const char *prefix, eg_str text) {
    add(r, i, 2 * open_list(r, r->source.lines[i].indent), prefix, text);
    r->in_text = 1;
}

/* ":param name: text" or ":name: text". */
static int field(reader *r, size_t i) {
    eg_str s = r->source.lines[i].text;
    if (s.len < 4 || s.ptr[0] != ':' || s.ptr[1] == ':' || s.ptr[1] == ' ') return 0;
    const char *close = memmem(s.ptr + 1, s.len - 1, ":", 1);
    while (close && close + 1 < s.ptr + s.len && close[1] != ' ')
        close = memchr(close + 1, ':', (size_t)(s.ptr + s.len - close - 1));
    if (!close) return 0;
    eg_str name = {s.ptr + 1, (size_t)(close - s.ptr) - 1}, text = after(s, name.len + 2);
    const char *blank = memrchr(name.ptr, ' ', name.len);
    if (begins(name, "param ") || begins(name, "parameter ") || begins(name, "arg "))
        name = after(name, (size_t)(blank - name.ptr));
    eg_buffer b = {0};
    eg_buffer_add(&b, name.ptr, name.len);
    eg_buffer_text(&b, ": ");
    eg_buffer_add(&b, text.ptr, text.len);
    item(r, i, "- ", (eg_str){b.ptr, b.len});
    eg_buffer_release(&b);
    return 1;
}

/* "-x, --long=VALUE  text": the text may stand on the next line. */
static int option_item(reader *r, size_t i) {
    eg_str s = r->source.lines[i].text;
    if (s.len < 2 || s.ptr[0] != '-' || (!isalnum((unsigned char)s.ptr[1]) && s.ptr[1] != '-') || line_sign(s)) return 0;
    const char *gap = memmem(s.ptr, s.len, "  ", 2);
    int below = eg_source_has(&r->source, i + 1) && r->source.lines[i + 1].indent > r->source.lines[i].indent;
    if (!gap && !below) return 0;
    eg_str names = {s.ptr, gap ? (size_t)(gap - s.ptr) : s.len};
    eg_buffer b = {0};
    eg_buffer_text(&b, "``");
    eg_buffer_add(&b, names.ptr, names.len);
    eg_buffer_text(&b, "``: ");
    if (gap) {
        eg_str text = after(s, names.len);
        eg_buffer_add(&b, text.ptr, text.len);
    }
    item(r, i, "- ", (eg_str){b.ptr, b.len});
    eg_buffer_release(&b);
    return 1;
}

/* A term whose definition is indented on the next line. */
static int term(reader *r, size_t i) {
    eg_source_line here = r->source.lines[i], next = eg_source_at(&r->source, i + 1);
    if (r->in_text || !next.text.len || next.indent <= here.indent || here.text.ptr[here.text.len - 1] == ':') return 0;
    eg_buffer b = {0};
    eg_buffer_add(&b, here.text.ptr, here.text.len);
    eg_buffer_text(&b, ":");
    item(r, i, "- ", (eg_str){b.ptr, b.len});
    eg_buffer_release(&b);
    return 1;
}

/* ---- text ---- */

/* Text that ends with "::" leads to a literal block. The line behind what was read. */
static size_t text_line(reader *r, size_t i) {
    const eg_source *s = &r->source;
    eg_str text = s->lines[i].text;
    size_t indent = s->lines[i].indent;
    int literal = text.len > 1 && text.ptr[text.len - 1] == ':' && text.ptr[text.len - 2] == ':' && !eg_source_has(s, i + 1);
    if (!r->in_text) close_lists(r, indent);
    if (begins(text, "| ")) text = after(text, 2); /* a line block */
    if (literal) text.len -= text.len == 2 ? 2 : 1;
    add(r, i, !r->in_text && r->depth ? 2 : 0, "", text);
    r->in_text = 1;
    if (!literal) return i + 1;
    size_t body = i + 1, end = body_end(s, body, indent);
    if (end > body) eg_front_code(&r->front, s, body, end, nothing);
    r->in_text = 0;
    return end;
}

static size_t doctest(reader *r, size_t i) {
    size_t end = i;
    while (eg_source_has(&r->source, end)) end++;
    eg_front_code(&r->front, &r->source, i, end, EG_STR("pycon"));
    return end;
}

/* Reads the block that begins at line i, or a line of it; the line behind. */
static size_t read_block(reader *r, size_t i) {
    eg_str line = r->source.lines[i].text, name, arguments;
    int numbered;
    size_t n, next = title(r, i);
    if (next > i) return next;
    /* a transition */
    if (line_sign(line) && !r->in_text && line.len >= 4) return add_blank(r, i), i + 1;
    if (is_directive(line, &name, &arguments)) return directive(r, i, name, arguments);
    if (begins(line, ".. ") || eg_str_eq(line, EG_STR(".."))) return comment(r, i);
    if (begins(line, "__ ") || begins(line, ">>> ")) return line.ptr[0] == '_' ? i + 1 : doctest(r, i);
    if (!r->in_text && (begins(line, "+-") || begins(line, "==")) && (next = eg_rst_table(&r->front, &r->source, i)) > i)
        return next;
    if ((n = marker(line, &numbered)) != 0 && (!r->in_text || r->depth))
        return item(r, i, numbered ? "1. " : "- ", after(line, n)), i + 1;
    if (line.ptr[0] == ':' && (!r->in_text || r->depth) && field(r, i)) return i + 1;
    if (!r->in_text || r->depth)
        if (option_item(r, i)) return i + 1;
    if (term(r, i)) return i + 1;
    return text_line(r, i);
}

eg_status eg_rst_read(eg_document *d, eg_str text) {
    reader r = {0};
    eg_status s = eg_source_read(d->out->arena, text, &r.source, d->err);
    if (s != EG_OK) return s;
    for (size_t i = 0; i < r.source.count && !r.front.failed;) {
        if (r.source.lines[i].text.len) {
            i = read_block(&r, i);
        } else {
            add_blank(&r, i++);
        }
    }
    return eg_front_read(&r.front, d);
}
