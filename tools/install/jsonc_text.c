/* jsonc_text.c - see jsonc_text.h. */
#include "tools/install/jsonc_text.h"

#include <string.h>

/* ---- reading ---- */

size_t jsonc_skip_blank(eg_str t, size_t at, size_t *comment) {
    if (comment) *comment = JSONC_NOWHERE;
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
            if (!end) return JSONC_NOWHERE;
            at = (size_t)(end - t.ptr) + 2;
        } else {
            break;
        }
    }
    return at;
}

/* Behind the string that begins at `at`; JSONC_NOWHERE where it is none, then *at is the place. */
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
    return JSONC_NOWHERE;
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
        if ((end = skip_string(c->t, &c->at)) == JSONC_NOWHERE)
            return "this is not allowed in a string, or its closing quote is missing";
        c->at = end;
        if (c->want != KEY) {
            c->want = BEHIND;
            return NULL;
        }
        if ((end = jsonc_skip_blank(c->t, c->at, NULL)) == JSONC_NOWHERE) return "a comment has no end";
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

config_state jsonc_check(eg_str text, config_fault *fault) {
    checker c = {.t = text, .at = config_bom(text), .want = VALUE};
    for (size_t before = c.at;; before = c.at) {
        if ((c.at = jsonc_skip_blank(text, c.at, NULL)) == JSONC_NOWHERE)
            return config_refuse(fault, text, before, "a comment has no end");
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

/* ---- walking ---- */

size_t jsonc_skip_value(eg_str t, size_t at) {
    size_t depth = 0;
    do {
        at = jsonc_skip_blank(t, at, NULL);
        if (at >= t.len) return t.len;
        char c = t.ptr[at];
        size_t end = c == '"' ? skip_string(t, &at) : skip_scalar(t, at);
        if (c == '{' || c == '[') depth++;
        if (c == '}' || c == ']') depth--;
        at = end == at || end == JSONC_NOWHERE ? at + 1 : end;
    } while (depth);
    return at;
}

int jsonc_read_member(eg_str t, size_t at, jsonc_member *m) {
    *m = (jsonc_member){.key = jsonc_skip_blank(t, at, NULL), .comma = JSONC_NOWHERE};
    if (t.ptr[m->key] == '}') return 0;
    size_t from = m->key;
    m->key_end = skip_string(t, &from);
    m->value = jsonc_skip_blank(t, jsonc_skip_blank(t, m->key_end, NULL) + 1, NULL);
    m->value_end = jsonc_skip_value(t, m->value);
    size_t behind = jsonc_skip_blank(t, m->value_end, NULL);
    if (t.ptr[behind] == ',') m->comma = behind;
    return 1;
}

jsonc_object jsonc_read_object(eg_str t, size_t open, const char *name) {
    jsonc_object o = {.open = open};
    jsonc_member m;
    size_t at = open + 1;
    while (jsonc_read_member(t, at, &m)) {
        if (config_string_is((eg_str){t.ptr + m.key, m.key_end - m.key}, name)) {
            o.has_before = o.count > 0;
            o.before = o.last;
            o.match = m;
            o.matches++;
        }
        if (!o.count++) o.first = m;
        o.last = m;
        at = m.comma == JSONC_NOWHERE ? m.value_end : m.comma + 1;
    }
    o.close = m.key;
    return o;
}

jsonc_object jsonc_read_array(eg_str t, size_t open, int (*is)(eg_str t, size_t at, const void *self), const void *self) {
    jsonc_object o = {.open = open};
    size_t at = jsonc_skip_blank(t, open + 1, NULL);
    while (t.ptr[at] != ']') {
        jsonc_member m = {.key = at, .key_end = jsonc_skip_value(t, at), .value = at, .comma = JSONC_NOWHERE};
        m.value_end = m.key_end;
        at = jsonc_skip_blank(t, m.value_end, NULL);
        if (t.ptr[at] == ',') {
            m.comma = at;
            at = jsonc_skip_blank(t, at + 1, NULL);
        }
        if (is(t, m.value, self)) {
            o.has_before = o.count > 0;
            o.before = o.last;
            o.match = m;
            o.matches++;
        }
        if (!o.count++) o.first = m;
        o.last = m;
    }
    o.close = at;
    return o;
}

jsonc_place jsonc_find_place(eg_str t, const config_entry *e) {
    jsonc_place p = {.root_at = jsonc_skip_blank(t, config_bom(t), NULL)};
    if (p.root_at >= t.len) return p;
    p.root = jsonc_read_object(t, p.root_at, e->table);
    p.has_table = p.root.matches > 0 && t.ptr[p.root.match.value] == '{';
    if (p.has_table) p.table = jsonc_read_object(t, p.root.match.value, e->name);
    if (!p.has_table || !e->inner) return p;
    jsonc_object o = jsonc_read_object(t, p.root.match.value, e->inner);
    /* an object with a type is a server of that name */
    p.nested = o.matches == 1 && t.ptr[o.match.value] == '{' && !jsonc_read_object(t, o.match.value, "type").matches;
    if (p.nested) p.table = jsonc_read_object(t, o.match.value, e->name);
    return p;
}

config_state jsonc_find_entry(eg_str text, const config_entry *e, jsonc_place *p, config_fault *fault) {
    *fault = (config_fault){0};
    *p = (jsonc_place){0};
    if (!text.ptr) return CONFIG_ABSENT;
    if (jsonc_check(text, fault) == CONFIG_REFUSED) return CONFIG_REFUSED;
    *p = jsonc_find_place(text, e);
    if (p->root.matches > 1 || p->table.matches > 1)
        return config_refuse(fault, text, p->root.matches > 1 ? p->root.match.key : p->table.match.key,
                             "this name stands twice in its object: remove one of the two");
    if (p->root.matches && !p->has_table)
        return config_refuse(fault, text, p->root.match.value, "an object, {...}, should stand here");
    return p->table.matches ? CONFIG_OTHER : CONFIG_ABSENT;
}

/* ---- comparing ---- */

/* The value with neither blank nor trailing commas, and strings in one spelling. */
static void add_plain(eg_buffer *out, eg_str t, size_t at, size_t end) {
    int comma = 0;
    while ((at = jsonc_skip_blank(t, at, NULL)) < end) {
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

int jsonc_same_value(eg_str t, const jsonc_member *m, const char *value) {
    eg_buffer is = {0}, asked = {0};
    eg_str w = eg_str_of(value);
    add_plain(&is, t, m->value, m->value_end);
    add_plain(&asked, w, 0, w.len);
    int same = !is.failed && !asked.failed && is.len == asked.len && memcmp(is.ptr, asked.ptr, is.len) == 0;
    eg_buffer_release(&is);
    eg_buffer_release(&asked);
    return same;
}

/* ---- lines ---- */

eg_str jsonc_indent(eg_str t, size_t at) {
    size_t start = at, end;
    while (start > 0 && t.ptr[start - 1] != '\n') start--;
    if (start == 0) start = config_bom(t);
    for (end = start; end < at && config_blank(t.ptr[end]);) end++;
    return (eg_str){t.ptr + start, end - start};
}

int jsonc_begins_line(eg_str t, size_t at) {
    while (at > 0 && config_blank(t.ptr[at - 1])) at--;
    return at == 0 || t.ptr[at - 1] == '\n';
}

size_t jsonc_skip_remarks(eg_str t, size_t at, int *line) {
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
