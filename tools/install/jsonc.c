/* jsonc.c - see config_edit.h: JSON with comments and trailing commas, as the settings of editors
 * are. check() reads a text once, with a stack of one byte for each open bracket; all that follows
 * walks over a text that passed it. */
#include <string.h>

#include "tools/install/config_edit.h"

#define NOWHERE ((size_t)-1)

/* ---- reading ---- */

/* Behind white space and comments; NOWHERE where a comment has no end. *comment: where the last
 * comment begins that ends the text without a line end, else NOWHERE; may be NULL. */
static size_t skip_blank(eg_str t, size_t at, size_t *comment) {
    if (comment) *comment = NOWHERE;
    while (at < t.len) {
        char c = t.ptr[at], next = at + 1 < t.len ? t.ptr[at + 1] : '\0';
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            at++;
        } else if (c == '/' && next == '/') {
            const char *end = memchr(t.ptr + at, '\n', t.len - at);
            if (!end && comment) *comment = at;
            at = end ? (size_t)(end - t.ptr) : t.len;
        } else if (c == '/' && next == '*') {
            const char *end = memmem(t.ptr + at + 2, t.len - at - 2, "*/", 2);
            if (!end) return NOWHERE;
            at = (size_t)(end - t.ptr) + 2;
        } else {
            break;
        }
    }
    return at;
}

/* Behind the string that begins at `at`; NOWHERE where it is none, then *at is the place. */
static size_t skip_string(eg_str t, size_t *at) {
    size_t i = *at + 1;
    for (; i < t.len && t.ptr[i] != '"'; i++) {
        size_t hex_digits = 0;
        if ((unsigned char)t.ptr[i] < 0x20) break;
        if (t.ptr[i] != '\\') continue;
        if (i + 1 >= t.len || !strchr("\"\\/bfnrtu", t.ptr[i + 1]) || !t.ptr[i + 1]) break;
        if (t.ptr[++i] != 'u') continue;
        while (hex_digits < 4 && i + 1 + hex_digits < t.len && t.ptr[i + 1 + hex_digits] &&
               strchr("0123456789abcdefABCDEF", t.ptr[i + 1 + hex_digits]))
            hex_digits++;
        if (hex_digits < 4) break;
        i += 4;
    }
    if (i < t.len && t.ptr[i] == '"') return i + 1;
    *at = i;
    return NOWHERE;
}

static size_t skip_digits(eg_str t, size_t at) {
    while (at < t.len && t.ptr[at] >= '0' && t.ptr[at] <= '9') at++;
    return at;
}

/* Behind the number, true, false or null at `at`; `at` where there is none. */
static size_t skip_scalar(eg_str t, size_t at) {
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);
        if (t.len - at >= n && memcmp(t.ptr + at, words[i], n) == 0) return at + n;
    }
    size_t first = at + (at < t.len && t.ptr[at] == '-'), end = skip_digits(t, first), part;
    if (end == first || (t.ptr[first] == '0' && end > first + 1)) return at;
    if (end < t.len && t.ptr[end] == '.' && (part = skip_digits(t, end + 1)) > end + 1) end = part;
    if (end < t.len && (t.ptr[end] | 32) == 'e') {
        size_t sign = end + 1 + (end + 1 < t.len && (t.ptr[end + 1] == '+' || t.ptr[end + 1] == '-'));
        if ((part = skip_digits(t, sign)) > sign) end = part;
    }
    return end;
}

/* ELEMENT: a value or ]; KEY: a key or } */
typedef enum wanted { VALUE, ELEMENT, KEY, BEHIND } wanted;

typedef struct checker {
    eg_str t;
    size_t at, depth;
    wanted want;
    char open[CONFIG_MAX_DEPTH];
} checker;

/* The bracket that closes what is open; 0 where it does not. */
static int close_bracket(checker *c, char bracket) {
    if (!c->depth || c->open[c->depth - 1] != (bracket == '}' ? '{' : '[')) return 0;
    if (c->want != BEHIND && c->want != (bracket == '}' ? KEY : ELEMENT)) return 0;
    c->depth--;
    c->at++;
    c->want = BEHIND;
    return 1;
}

/* Reads a key with its colon, or the beginning or all of a value. NULL, or what is wrong at
 * c->at. */
static const char *read_part(checker *c) {
    char first = c->t.ptr[c->at];
    size_t end;
    if (c->want == BEHIND) return "a comma or a closing bracket is missing before this";
    if (first == '"') {
        if ((end = skip_string(c->t, &c->at)) == NOWHERE)
            return "this is not allowed in a string, or its closing quote is missing";
        c->at = end;
        if (c->want != KEY) {
            c->want = BEHIND;
            return NULL;
        }
        if ((end = skip_blank(c->t, c->at, NULL)) == NOWHERE) return "a comment has no end";
        c->at = end;
        if (c->at >= c->t.len || c->t.ptr[c->at] != ':') return "a colon is missing before this";
        c->at++;
        c->want = VALUE;
        return NULL;
    }
    if (c->want == KEY) return "a name in quotes is missing here";
    if (first == '{' || first == '[') {
        if (c->depth == CONFIG_MAX_DEPTH) return "this is nested too deep";
        c->open[c->depth++] = first;
        c->want = first == '{' ? KEY : ELEMENT;
        c->at++;
        return NULL;
    }
    if ((end = skip_scalar(c->t, c->at)) == c->at) return "a value is missing here";
    c->at = end;
    c->want = BEHIND;
    return NULL;
}

/* CONFIG_ABSENT where the text is nothing but blank, or one object; else refused. */
static config_state check(eg_str text, config_fault *fault) {
    checker c = {.t = text, .at = config_bom(text), .want = VALUE};
    for (size_t before = c.at;; before = c.at) {
        if ((c.at = skip_blank(text, c.at, NULL)) == NOWHERE) return config_refuse(fault, text, before, "a comment has no end");
        if (c.at == text.len && (c.depth == 0 && (c.want == BEHIND || c.want == VALUE))) return CONFIG_ABSENT;
        if (c.at == text.len) return config_refuse(fault, text, c.at, "the file ends before all brackets are closed");
        char first = text.ptr[c.at];
        if (c.depth == 0 && c.want == BEHIND) return config_refuse(fault, text, c.at, "the file should have ended before this");
        if (c.depth == 0 && first != '{') return config_refuse(fault, text, c.at, "an object, {...}, should begin here");
        if (first == ',' && c.want == BEHIND) {
            c.want = c.open[c.depth - 1] == '{' ? KEY : ELEMENT;
            c.at++;
            continue;
        }
        if ((first == '}' || first == ']') && close_bracket(&c, first)) continue;
        const char *wrong = read_part(&c);
        if (wrong) return config_refuse(fault, text, c.at, wrong);
    }
}

/* ---- walking: the text has passed check() ---- */

/* Behind the value at `at`. */
static size_t skip_value(eg_str t, size_t at) {
    size_t depth = 0;
    do {
        at = skip_blank(t, at, NULL);
        if (at >= t.len) return t.len;
        char c = t.ptr[at];
        size_t end = c == '"' ? skip_string(t, &at) : skip_scalar(t, at);
        if (c == '{' || c == '[') depth++;
        if (c == '}' || c == ']') depth--;
        at = end == at || end == NOWHERE ? at + 1 : end;
    } while (depth);
    return at;
}

typedef struct member {
    size_t key, key_end, value, value_end;
    size_t comma; /* behind it; NOWHERE: none */
} member;

/* The member at or behind `at`, which is behind the bracket or a comma; 0 at the end of the object,
 * m->key is its bracket then. */
static int read_member(eg_str t, size_t at, member *m) {
    *m = (member){.key = skip_blank(t, at, NULL), .comma = NOWHERE};
    if (t.ptr[m->key] == '}') return 0;
    size_t from = m->key;
    m->key_end = skip_string(t, &from);
    m->value = skip_blank(t, skip_blank(t, m->key_end, NULL) + 1, NULL);
    m->value_end = skip_value(t, m->value);
    size_t behind = skip_blank(t, m->value_end, NULL);
    if (t.ptr[behind] == ',') m->comma = behind;
    return 1;
}

/* What an object holds. */
typedef struct object {
    size_t open, close, count;
    size_t matches;                    /* members of the name looked for */
    member match, before, first, last; /* the last match; the member before it, where has_before */
    int has_before;
} object;

static object read_object(eg_str t, size_t open, const char *name) {
    object o = {.open = open};
    member m;
    size_t at = open + 1;
    while (read_member(t, at, &m)) {
        if (config_string_is((eg_str){t.ptr + m.key, m.key_end - m.key}, name)) {
            o.has_before = o.count > 0;
            o.before = o.last;
            o.match = m;
            o.matches++;
        }
        if (!o.count++) o.first = m;
        o.last = m;
        at = m.comma == NOWHERE ? m.value_end : m.comma + 1;
    }
    o.close = m.key;
    return o;
}

/* Both levels of an entry. */
typedef struct place {
    size_t root_at; /* text.len: the text is blank */
    object root, table;
    int has_table, nested; /* nested: the table is the member `inner` of the one of that name */
} place;

static place find_place(eg_str t, const config_entry *e) {
    place p = {.root_at = skip_blank(t, config_bom(t), NULL)};
    if (p.root_at >= t.len) return p;
    p.root = read_object(t, p.root_at, e->table);
    p.has_table = p.root.matches > 0 && t.ptr[p.root.match.value] == '{';
    if (p.has_table) p.table = read_object(t, p.root.match.value, e->name);
    if (!p.has_table || !e->inner) return p;
    object o = read_object(t, p.root.match.value, e->inner);
    /* an object with a type is a server of that name */
    p.nested = o.matches == 1 && t.ptr[o.match.value] == '{' && !read_object(t, o.match.value, "type").matches;
    if (p.nested) p.table = read_object(t, o.match.value, e->name);
    return p;
}

/* ---- comparing ---- */

/* The value with neither blank nor trailing commas, and strings in one spelling. */
static void add_plain(eg_buffer *out, eg_str t, size_t at, size_t end) {
    int comma = 0;
    while ((at = skip_blank(t, at, NULL)) < end) {
        char c = t.ptr[at];
        size_t from = at, next = c == '"' ? skip_string(t, &from) : skip_scalar(t, at);
        if (next == at) next = at + 1;
        if (comma && c != '}' && c != ']') eg_buffer_text(out, ",");
        comma = c == ',';
        if (c == '"') config_add_string(out, (eg_str){t.ptr + at, next - at});
        else if (!comma) config_copy(out, t, at, next);
        at = next;
    }
}

static int same_value(eg_str t, const member *m, const char *value) {
    eg_buffer is = {0}, asked = {0};
    eg_str w = eg_str_of(value);
    add_plain(&is, t, m->value, m->value_end);
    add_plain(&asked, w, 0, w.len);
    int same = !is.failed && !asked.failed && is.len == asked.len && memcmp(is.ptr, asked.ptr, is.len) == 0;
    eg_buffer_release(&is);
    eg_buffer_release(&asked);
    return same;
}

static config_state find(eg_str text, const config_entry *e, config_fault *fault) {
    *fault = (config_fault){0};
    if (!text.ptr) return CONFIG_ABSENT;
    if (check(text, fault) == CONFIG_REFUSED) return CONFIG_REFUSED;
    place p = find_place(text, e);
    if (p.root.matches > 1 || p.table.matches > 1)
        return config_refuse(fault, text, p.root.matches > 1 ? p.root.match.key : p.table.match.key,
                             "this name stands twice in its object: remove one of the two");
    if (p.root.matches && !p.has_table)
        return config_refuse(fault, text, p.root.match.value, "an object, {...}, should stand here");
    if (!p.table.matches) return CONFIG_ABSENT;
    if (text.ptr[p.table.match.value] != '{') return CONFIG_OTHER;
    for (size_t i = 0; i < e->field_count; i++) {
        object o = read_object(text, p.table.match.value, e->fields[i].key);
        if (o.matches != 1 || !same_value(text, &o.match, e->fields[i].value)) return CONFIG_OTHER;
    }
    return CONFIG_SAME;
}

/* ---- writing ---- */

typedef struct writer {
    eg_str t;
    const config_entry *e;
    const char *newline;
    eg_str unit; /* one step of indentation */
    eg_buffer *out;
} writer;

/* The blanks at the beginning of the line of `at`. */
static eg_str indent_of(eg_str t, size_t at) {
    size_t start = at, end;
    while (start > 0 && t.ptr[start - 1] != '\n') start--;
    if (start == 0) start = config_bom(t);
    for (end = start; end < at && config_blank(t.ptr[end]);) end++;
    return (eg_str){t.ptr + start, end - start};
}

static int begins_line(eg_str t, size_t at) {
    while (at > 0 && config_blank(t.ptr[at - 1])) at--;
    return at == 0 || t.ptr[at - 1] == '\n';
}

static writer writer_of(eg_str t, const config_entry *e, const place *p, eg_buffer *out) {
    writer w = {.t = t, .e = e, .newline = config_newline(t), .unit = EG_STR("  "), .out = out};
    if (!p->root.count || !begins_line(t, p->root.first.key)) return w;
    eg_str inner = indent_of(t, p->root.first.key), outer = indent_of(t, p->root_at);
    if (inner.len > outer.len) w.unit = (eg_str){inner.ptr + outer.len, inner.len - outer.len};
    return w;
}

/* A line end, and the indentation of `base` with so many steps. */
static void add_line(const writer *w, eg_str base, size_t steps) {
    eg_buffer_text(w->out, w->newline);
    config_copy(w->out, base, 0, base.len);
    for (size_t i = 0; i < steps; i++) config_copy(w->out, w->unit, 0, w->unit.len);
}

static void add_field(const writer *w, const config_field *f) {
    eg_buffer_json(w->out, eg_str_of(f->key));
    eg_buffer_text(w->out, ": ");
    eg_buffer_text(w->out, f->value);
}

static void add_value(const writer *w, eg_str base, size_t steps) {
    eg_buffer_text(w->out, "{");
    for (size_t i = 0; i < w->e->field_count; i++) {
        if (i) eg_buffer_text(w->out, ",");
        add_line(w, base, steps + 1);
        add_field(w, &w->e->fields[i]);
    }
    add_line(w, base, steps);
    eg_buffer_text(w->out, "}");
}

/* The member with the entry, or with the table in which it stands alone. */
static void add_member(const writer *w, int with_table, eg_str base, size_t steps) {
    if (with_table) {
        eg_buffer_json(w->out, eg_str_of(w->e->table));
        eg_buffer_text(w->out, ": {");
        add_line(w, base, steps + 1);
    }
    eg_buffer_json(w->out, eg_str_of(w->e->name));
    eg_buffer_text(w->out, ": ");
    add_value(w, base, steps + (with_table != 0));
    if (!with_table) return;
    add_line(w, base, steps);
    eg_buffer_text(w->out, "}");
}

/* Behind the comments that follow on the same line. *line: the last one reaches to its end. */
static size_t skip_remarks(eg_str t, size_t at, int *line) {
    *line = 0;
    for (size_t next = at; !*line; at = next) {
        while (next < t.len && config_blank(t.ptr[next])) next++;
        if (next + 1 >= t.len || t.ptr[next] != '/') return at;
        *line = t.ptr[next + 1] == '/';
        const char *end = *line ? memchr(t.ptr + next, '\n', t.len - next)
                                : (const char *)memmem(t.ptr + next + 2, t.len - next - 2, "*/", 2) + 2;
        next = end ? (size_t)(end - t.ptr) : t.len;
        while (*line && next > at && t.ptr[next - 1] == '\r') next--;
    }
    return at;
}

/* Into an empty object directly behind its bracket, without a blank: so take() knows it from one
 * that put() made. Else behind the last member, in its manner. */
static void insert(const writer *w, const object *o, int with_table) {
    eg_str t = w->t;
    if (!o->count) {
        config_copy(w->out, t, 0, o->open + 1);
        add_member(w, with_table, indent_of(t, o->open), 0);
        config_copy(w->out, t, o->open + 1, t.len);
        return;
    }
    int remark, trailing = o->last.comma != NOWHERE;
    size_t end = o->last.value_end, at = skip_remarks(t, trailing ? o->last.comma + 1 : end, &remark);
    eg_str base = indent_of(t, o->last.key);
    config_copy(w->out, t, 0, trailing ? at : end);
    if (!trailing) {
        eg_buffer_text(w->out, ",");
        config_copy(w->out, t, end, at);
    }
    if (remark || begins_line(t, o->last.key)) add_line(w, base, 0);
    else eg_buffer_text(w->out, " ");
    add_member(w, with_table, base, 0);
    if (trailing) eg_buffer_text(w->out, ",");
    config_copy(w->out, t, at, t.len);
}

/* The object of a text that has none: behind what there is, or before it where that ends with a
 * comment without a line end. A new file ends with a line end, one that was there does not. */
static void insert_root(const writer *w, size_t root_at) {
    size_t comment, from = config_bom(w->t);
    if (w->t.len) skip_blank(w->t, from, &comment);
    else comment = NOWHERE;
    size_t at = comment == NOWHERE ? root_at : from;
    eg_str base = w->t.len ? indent_of(w->t, at) : EG_STR("");
    config_copy(w->out, w->t, 0, at);
    eg_buffer_text(w->out, "{");
    add_line(w, base, 1);
    add_member(w, 1, base, 1);
    add_line(w, base, 0);
    eg_buffer_text(w->out, "}");
    config_copy(w->out, w->t, at, w->t.len);
    if (!w->t.ptr) eg_buffer_text(w->out, w->newline);
}

/* ---- replacing ---- */

/* Where the blank before a member begins: what insert() set before it. */
static size_t blank_before(eg_str t, size_t at) {
    while (at > 0 && config_blank(t.ptr[at - 1])) at--;
    if (at > 0 && t.ptr[at - 1] == '\n') at--;
    else return at;
    return at > 0 && t.ptr[at - 1] == '\r' ? at - 1 : at;
}

/* Removes the match with the comma that is then too much. */
static void remove_match(eg_str t, const object *o, eg_buffer *out) {
    const member *m = &o->match;
    size_t start = blank_before(t, m->key), end = m->comma == NOWHERE ? m->value_end : m->comma + 1, behind = end, comment;
    /* what follows on the line must not come to stand in a comment above it */
    skip_blank((eg_str){t.ptr, start}, o->has_before ? o->before.comma + 1 : o->open + 1, &comment);
    while (behind < t.len && config_blank(t.ptr[behind])) behind++;
    if (comment != NOWHERE && t.ptr[behind] != '\n' && t.ptr[behind] != '\r') start = m->key;
    if (m->comma == NOWHERE && o->has_before) {
        config_copy(out, t, 0, o->before.comma);
        config_copy(out, t, o->before.comma + 1, start);
    } else {
        config_copy(out, t, 0, start);
    }
    config_copy(out, t, end, t.len);
}

/* The fields that the entry at `open` lacks, directly behind its bracket, in its manner. */
static void add_missing(const writer *w, const object *entry) {
    eg_str t = w->t;
    int lines = begins_line(t, entry->first.key), added = 0;
    for (size_t i = 0; i < w->e->field_count; i++) {
        if (read_object(t, entry->open, w->e->fields[i].key).matches) continue;
        if (lines) add_line(w, indent_of(t, entry->first.key), 0);
        else if (added) eg_buffer_text(w->out, " ");
        add_field(w, &w->e->fields[i]);
        eg_buffer_text(w->out, ",");
        added = 1;
    }
    if (added && !lines && !config_blank(t.ptr[entry->open + 1])) eg_buffer_text(w->out, " ");
}

/* Gives the entry the fields; each value stands where it stood, and all else stays. */
static void set_fields(const writer *w, const member *match) {
    eg_str t = w->t;
    object entry = t.ptr[match->value] == '{' ? read_object(t, match->value, "") : (object){0};
    member m;
    if (!entry.count) {
        config_copy(w->out, t, 0, match->value);
        add_value(w, indent_of(t, match->key), 0);
        config_copy(w->out, t, match->value_end, t.len);
        return;
    }
    size_t at = entry.open + 1, next = at;
    config_copy(w->out, t, 0, at);
    add_missing(w, &entry);
    for (; read_member(t, next, &m); next = m.comma == NOWHERE ? m.value_end : m.comma + 1) {
        for (size_t i = 0; i < w->e->field_count; i++) {
            const config_field *f = &w->e->fields[i];
            if (!config_string_is((eg_str){t.ptr + m.key, m.key_end - m.key}, f->key) || same_value(t, &m, f->value)) continue;
            config_copy(w->out, t, at, m.value);
            eg_buffer_text(w->out, f->value);
            at = m.value_end;
        }
    }
    config_copy(w->out, t, at, t.len);
}

/* Removes from *text what `name` is in the entry, all but the first `keep` of them. */
static void remove_members(eg_buffer *text, const config_entry *e, const char *name, size_t keep) {
    while (!text->failed) {
        eg_str t = {text->ptr, text->len};
        place p = find_place(t, e);
        if (t.ptr[p.table.match.value] != '{') return;
        object o = read_object(t, p.table.match.value, name);
        eg_buffer less = {0};
        if (o.matches <= keep) return;
        remove_match(t, &o, &less);
        eg_buffer_release(text);
        *text = less;
    }
}

static void replace(eg_str text, const config_entry *e, eg_buffer *out) {
    eg_buffer kept = {0};
    config_copy(&kept, text, 0, text.len);
    for (const char *const *name = e->foreign; name && *name; name++) remove_members(&kept, e, *name, 0);
    for (size_t i = 0; i < e->field_count; i++) remove_members(&kept, e, e->fields[i].key, 1);
    if (!kept.failed) {
        eg_str t = {kept.ptr, kept.len};
        place p = find_place(t, e);
        writer w = writer_of(t, e, &p, out);
        set_fields(&w, &p.table.match);
    }
    out->failed |= kept.failed;
    eg_buffer_release(&kept);
}

static void put(eg_str text, const config_entry *e, eg_buffer *out) {
    place p = find_place(text, e);
    writer w = writer_of(text, e, &p, out);
    if (p.root_at >= text.len) {
        insert_root(&w, p.root_at);
    } else if (p.table.matches) {
        replace(text, e, out);
    } else {
        insert(&w, p.has_table ? &p.table : &p.root, !p.has_table);
    }
}

/* ---- taking away ---- */

/* The object holds the match and nothing else, not even a comment, on lines of its own: put() made
 * it. */
static int stands_alone(eg_str t, const object *o) {
    const member *m = &o->match;
    if (o->count != 1 || m->comma != NOWHERE) return 0;
    size_t at = o->open + 1;
    if (t.ptr[at] != '\n' && t.ptr[at] != '\r') return 0;
    while (at < m->key && strchr(" \t\r\n", t.ptr[at])) at++;
    size_t end = m->value_end;
    while (end < o->close && strchr(" \t\r\n", t.ptr[end])) end++;
    return at == m->key && end == o->close;
}

/* The entry is written as put() writes it, whatever its values: no program has written it anew. */
static int is_as_put(eg_str t, const place *p) {
    config_field fields[16];
    eg_buffer values[16] = {0}, made = {0};
    size_t n = 0;
    member m;
    int is = t.ptr[p->table.match.value] == '{';
    for (size_t at = p->table.match.value + 1; is && read_member(t, at, &m);
         at = m.comma == NOWHERE ? m.value_end : m.comma + 1) {
        is = n < 16;
        if (!is) break;
        eg_buffer *b = &values[n];
        config_copy(b, t, m.key + 1, m.key_end - 1);
        eg_buffer_add(b, "", 1);
        size_t value = b->len;
        config_copy(b, t, m.value, m.value_end);
        eg_buffer_add(b, "", 1);
        if (b->failed) is = 0;
        else fields[n] = (config_field){b->ptr, b->ptr + value};
        n++;
    }
    const member *match = &p->table.match;
    config_entry e = {.fields = fields, .field_count = n};
    if (is) {
        writer w = writer_of(t, &e, p, &made);
        add_value(&w, indent_of(t, match->key), 0);
    }
    is = is && !made.failed && made.len == match->value_end - match->value &&
         memcmp(made.ptr, t.ptr + match->value, made.len) == 0;
    for (size_t i = 0; i < 16; i++) eg_buffer_release(&values[i]);
    eg_buffer_release(&made);
    return is;
}

static int take(eg_str text, const config_entry *e, eg_buffer *out) {
    place p = find_place(text, e);
    if (p.nested || !stands_alone(text, &p.table)) {
        remove_match(text, &p.table, out);
    } else if (!stands_alone(text, &p.root) || !is_as_put(text, &p)) {
        remove_match(text, &p.root, out);
    } else {
        config_copy(out, text, 0, p.root_at);
        config_copy(out, text, p.root.close + 1, text.len);
        const char *newline = config_newline(text);
        return p.root_at == 0 && out->len == strlen(newline) && memcmp(out->ptr, newline, out->len) == 0;
    }
    return 0;
}

const config_format config_jsonc = {.find = find, .put = put, .take = take};
