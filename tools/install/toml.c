/* toml.c - see config_edit.h: TOML. The entry is the table [table.name] with the tables below it. A
 * text is read statement by statement: a header, a pair of key and value, or a blank line. */
#include <string.h>

#include "tools/install/config_edit.h"

enum { MAX_RANGES = 32, ELSEWHERE = 9 };

/* ---- reading ---- */

typedef enum statement_kind { BLANK = 0, HEADER, ARRAY_HEADER, PAIR } statement_kind;

typedef struct statement {
    statement_kind kind;
    size_t start, end;       /* of its lines, with the last line end */
    size_t key, key_end;     /* of a header or pair: the dotted name */
    size_t value, value_end; /* of a pair */
} statement;

typedef struct reader {
    eg_str t;
    size_t at;
    const char *wrong; /* at `at`; NULL: nothing */
} reader;

static char peek(const reader *r, size_t ahead) { return r->at + ahead < r->t.len ? r->t.ptr[r->at + ahead] : '\0'; }

static int fail(reader *r, const char *what) {
    if (!r->wrong) r->wrong = what;
    return 0;
}

static void skip_blanks(reader *r) {
    while (r->at < r->t.len && config_blank(r->t.ptr[r->at])) r->at++;
}

static int at_line_end(const reader *r) {
    return r->at >= r->t.len || peek(r, 0) == '\n' || (peek(r, 0) == '\r' && peek(r, 1) == '\n');
}

static void skip_comment(reader *r) {
    if (peek(r, 0) != '#') return;
    while (r->at < r->t.len && peek(r, 0) != '\n' && peek(r, 0) != '\r') r->at++;
}

/* Over blanks, comments and line ends, within brackets. */
static void skip_lines(reader *r) {
    for (;;) {
        skip_blanks(r);
        skip_comment(r);
        if (r->at >= r->t.len || !at_line_end(r)) return;
        r->at += peek(r, 0) == '\r' ? 2 : 1;
    }
}

/* The rest of a line: blank or a comment. */
static int end_line(reader *r) {
    skip_blanks(r);
    skip_comment(r);
    if (!at_line_end(r)) return fail(r, "the line should have ended before this");
    if (r->at < r->t.len) r->at += peek(r, 0) == '\r' ? 2 : 1;
    return 1;
}

static int read_string(reader *r) {
    char quote = peek(r, 0);
    int many = peek(r, 1) == quote && peek(r, 2) == quote, run = 0;
    size_t start = r->at;
    for (r->at += many ? 3 : 1; r->at < r->t.len; r->at++) {
        char c = peek(r, 0);
        run = c == quote ? run + 1 : 0;
        if (!many && run) return r->at++, 1;
        if (many && run == 3) {
            /* the string may end with up to two quotes of its own */
            for (int more = 0; more < 2 && peek(r, 1) == quote; more++) r->at++;
            return r->at++, 1;
        }
        if (!many && (c == '\n' || c == '\r')) break;
        if (c == '\\' && quote == '"') r->at++;
    }
    r->at = start;
    return fail(r, "the closing quote of this string is missing");
}

static int is_bare(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* A dotted name; sets *end behind its last part. */
static int read_key(reader *r, size_t *end) {
    for (;;) {
        size_t start = r->at;
        if (peek(r, 0) == '"' || peek(r, 0) == '\'') {
            if (peek(r, 1) == peek(r, 0) && peek(r, 2) == peek(r, 0)) return fail(r, "a name may not be a text of several lines");
            if (!read_string(r)) return 0;
        } else {
            while (is_bare(peek(r, 0))) r->at++;
        }
        if (r->at == start) return fail(r, "a name is missing here");
        *end = r->at;
        skip_blanks(r);
        if (peek(r, 0) != '.') return 1;
        r->at++;
        skip_blanks(r);
    }
}

/* A number, a word or a date with its time. */
static int read_scalar(reader *r) {
    size_t start = r->at;
    while (is_bare(peek(r, 0)) || peek(r, 0) == '+' || peek(r, 0) == '.' || peek(r, 0) == ':') {
        r->at++;
        if (r->at - start == 10 && r->t.ptr[r->at - 3] == '-' && peek(r, 0) == ' ' && peek(r, 1) >= '0' && peek(r, 1) <= '9')
            r->at++;
    }
    return r->at > start || fail(r, "a value is missing here");
}

/* ELEMENT: a value or ]; KEY: a key or } */
typedef enum wanted { VALUE, ELEMENT, KEY, BEHIND } wanted;

/* A value with all that it holds. */
static int read_value(reader *r) {
    char open[CONFIG_MAX_DEPTH];
    size_t depth = 0, end;
    wanted want = VALUE;
    for (;;) {
        if (depth) skip_lines(r);
        char c = peek(r, 0);
        if (want == BEHIND && depth == 0) return 1;
        if (depth && c == (open[depth - 1] == '{' ? '}' : ']') && want != VALUE) {
            depth--;
            r->at++;
            want = BEHIND;
        } else if (want == BEHIND) {
            if (c != ',') return fail(r, "a comma or a closing bracket is missing before this");
            r->at++;
            want = open[depth - 1] == '{' ? KEY : ELEMENT;
        } else if (want == KEY) {
            if (!read_key(r, &end)) return 0;
            if (peek(r, 0) != '=') return fail(r, "an equals sign is missing before this");
            r->at++;
            skip_blanks(r);
            want = VALUE;
        } else if (c == '[' || c == '{') {
            if (depth == CONFIG_MAX_DEPTH) return fail(r, "this is nested too deep");
            open[depth++] = c;
            r->at++;
            want = c == '{' ? KEY : ELEMENT;
        } else {
            if (!(c == '"' || c == '\'' ? read_string(r) : read_scalar(r))) return 0;
            want = BEHIND;
        }
    }
}

static int read_header(reader *r, statement *s) {
    s->kind = peek(r, 1) == '[' ? ARRAY_HEADER : HEADER;
    size_t brackets = s->kind == HEADER ? 1 : 2;
    r->at += brackets;
    skip_blanks(r);
    s->key = r->at;
    if (!read_key(r, &s->key_end)) return 0;
    for (size_t i = 0; i < brackets; i++) {
        if (peek(r, 0) != ']') return fail(r, "a closing bracket is missing before this");
        r->at++;
    }
    return end_line(r);
}

/* The next statement; 0 at the end, and where something is wrong. */
static int read_statement(reader *r, statement *s) {
    *s = (statement){.start = r->at};
    if (r->at >= r->t.len) return 0;
    skip_blanks(r);
    if (at_line_end(r) || peek(r, 0) == '#') {
        if (!end_line(r)) return 0;
    } else if (peek(r, 0) == '[') {
        if (!read_header(r, s)) return 0;
    } else {
        s->kind = PAIR;
        s->key = r->at;
        if (!read_key(r, &s->key_end)) return 0;
        if (peek(r, 0) != '=') return fail(r, "an equals sign is missing before this");
        r->at++;
        skip_blanks(r);
        s->value = r->at;
        if (!read_value(r)) return 0;
        s->value_end = r->at;
        if (!end_line(r)) return 0;
    }
    s->end = r->at;
    return 1;
}

static reader reader_of(eg_str t) { return (reader){.t = t, .at = config_bom(t)}; }

/* ---- names ---- */

/* How many of the names, n of them at most, a dotted name begins with; *parts: how many it has. */
static size_t match_key(eg_str t, const statement *s, const char *const *names, size_t n, size_t *parts) {
    reader r = {.t = {t.ptr, s->key_end}, .at = s->key};
    size_t matched = 0;
    for (*parts = 0; r.at < s->key_end; ++*parts) {
        size_t start = r.at;
        if (peek(&r, 0) == '"' || peek(&r, 0) == '\'') read_string(&r);
        else
            while (is_bare(peek(&r, 0))) r.at++;
        eg_str part = {t.ptr + start, r.at - start};
        int quoted = part.ptr[0] == '"' || part.ptr[0] == '\'';
        if (matched == *parts && matched < n &&
            (quoted ? config_string_is(part, names[matched]) : eg_str_eq(part, eg_str_of(names[matched]))))
            matched++;
        skip_blanks(&r);
        if (peek(&r, 0) == '.') r.at++;
        skip_blanks(&r);
    }
    return matched;
}

/* ---- finding ---- */

/* The entry: its tables. The first range is that of [table.name] itself, where has_main. */
typedef struct entry_place {
    struct {
        size_t start, end;
    } ranges[MAX_RANGES];
    size_t count, main;
    int has_main;
    size_t fields; /* that the main table has as wanted */
} entry_place;

/* The value without blank, line ends, comments and trailing commas; strings in one spelling. */
static void add_plain(eg_buffer *out, eg_str t, size_t at, size_t end) {
    reader r = {.t = {t.ptr, end}, .at = at};
    int comma = 0;
    for (skip_lines(&r); r.at < end; skip_lines(&r)) {
        size_t from = r.at;
        char c = peek(&r, 0);
        if (comma && c != '}' && c != ']') eg_buffer_text(out, ",");
        comma = c == ',';
        if (c == '"' || c == '\'') {
            read_string(&r);
            config_add_string(out, (eg_str){t.ptr + from, r.at - from});
        } else {
            r.at++;
            if (!comma) config_copy(out, t, from, r.at);
        }
    }
}

static int same_value(eg_str t, const statement *s, const char *value) {
    eg_buffer is = {0}, asked = {0};
    add_plain(&is, t, s->value, s->value_end);
    add_plain(&asked, eg_str_of(value), 0, strlen(value));
    int same = !is.failed && !asked.failed && is.len == asked.len && memcmp(is.ptr, asked.ptr, is.len) == 0;
    eg_buffer_release(&is);
    eg_buffer_release(&asked);
    return same;
}

/* What a statement means for the entry; NULL, or why it cannot be changed here. *inside: how many
 * words of the path the table around it is; ELSEWHERE: another table. */
static const char *examine(eg_str t, const config_entry *e, const statement *s, size_t *inside, entry_place *p) {
    const char *names[] = {e->table, e->name};
    size_t parts, matched;
    if (s->kind == BLANK) return NULL;
    if (s->kind != PAIR) {
        matched = match_key(t, s, names, 2, &parts);
        *inside = parts < 2 ? (matched == parts ? matched : ELSEWHERE) : matched == 2 ? 2 : ELSEWHERE;
        if (*inside == ELSEWHERE) return NULL;
        if (s->kind == ARRAY_HEADER && parts <= 2) return "this is an array of tables, and a table should stand here";
        if (*inside < 2) return NULL;
        if (p->count == MAX_RANGES) return "the entry has too many tables below it";
        if (parts == 2 && p->has_main) return "this table stands twice in the file: remove one of the two";
        if (parts == 2) {
            p->has_main = 1;
            p->main = p->count;
        }
        p->ranges[p->count].start = s->start;
        p->ranges[p->count++].end = s->end;
        return NULL;
    }
    if (*inside == 2) {
        p->ranges[p->count - 1].end = s->end;
        for (size_t i = 0; p->has_main && p->main == p->count - 1 && i < e->field_count; i++) {
            const char *key[] = {e->fields[i].key};
            if (match_key(t, s, key, 1, &parts) == 1 && parts == 1) p->fields += same_value(t, s, e->fields[i].value) != 0;
        }
        return NULL;
    }
    if (*inside == ELSEWHERE) return NULL;
    matched = match_key(t, s, names + *inside, 2 - *inside, &parts);
    if (*inside + matched == 2 || (*inside == 0 && matched == 1 && parts == 1))
        return "the entry or its table stands here in another form than [table.name]: change it by hand";
    return NULL;
}

static config_state search(eg_str t, const config_entry *e, entry_place *p, config_fault *fault) {
    reader r = reader_of(t);
    statement s;
    size_t inside = 0;
    *p = (entry_place){0};
    while (read_statement(&r, &s)) {
        const char *wrong = examine(t, e, &s, &inside, p);
        if (wrong) return config_refuse(fault, t, s.key, wrong);
    }
    if (r.wrong) return config_refuse(fault, t, r.at, r.wrong);
    if (!p->count) return CONFIG_ABSENT;
    return p->has_main && p->fields == e->field_count ? CONFIG_SAME : CONFIG_OTHER;
}

static config_state find(eg_str text, const config_entry *e, config_fault *fault) {
    entry_place p;
    *fault = (config_fault){0};
    return search(text, e, &p, fault);
}

/* ---- writing ---- */

static void add_table(eg_buffer *out, const config_entry *e, const char *newline, int ended) {
    eg_buffer_format(out, "[%s.%s]", e->table, e->name);
    for (size_t i = 0; i < e->field_count; i++) eg_buffer_format(out, "%s%s = %s", newline, e->fields[i].key, e->fields[i].value);
    if (ended) eg_buffer_text(out, newline);
}

/* The field that a pair sets; NULL: none of them. */
static const config_field *field_of(eg_str t, const config_entry *e, const statement *s) {
    size_t parts;
    for (size_t i = 0; s->kind == PAIR && i < e->field_count; i++)
        if (match_key(t, s, &e->fields[i].key, 1, &parts) == 1 && parts == 1) return &e->fields[i];
    return NULL;
}

/* A pair of the entry, or a table below it, that has no place beside the fields: a foreign member,
 * or a field as a table. skip: the words of its name before that of the member. */
static int is_foreign(eg_str t, const config_entry *e, const statement *s, size_t skip) {
    size_t parts;
    const char *names[] = {e->table, e->name, NULL};
    for (const char *const *name = e->foreign; name && *name; name++) {
        names[2] = *name;
        if (match_key(t, s, names + 2 - skip, skip + 1, &parts) == skip + 1) return 1;
    }
    for (size_t i = 0; i < e->field_count; i++) {
        names[2] = e->fields[i].key;
        if (match_key(t, s, names + 2 - skip, skip + 1, &parts) == skip + 1 && (skip || parts > 1)) return 1;
    }
    return 0;
}

/* The lines of the main table with the fields: each value where it stood, what is missing behind
 * the header, and all else as it is. */
static void put_main(eg_str text, const config_entry *e, size_t start, size_t end, eg_buffer *out) {
    const char *newline = config_newline(text);
    reader r = {.t = {text.ptr, end}, .at = start};
    statement s, header = {0};
    unsigned has = 0;
    for (int first = 1; read_statement(&r, &s); first = 0) {
        const config_field *f = field_of(text, e, &s);
        if (first) header = s;
        if (f) has |= 1U << (f - e->fields);
    }
    int ended = text.ptr[header.end - 1] == '\n';
    config_copy(out, text, header.start, header.end);
    for (size_t i = 0; i < e->field_count; i++)
        if (!(has & 1U << i))
            eg_buffer_format(out, "%s%s = %s%s", ended ? "" : newline, e->fields[i].key, e->fields[i].value,
                             ended ? newline : "");
    r = (reader){.t = {text.ptr, end}, .at = header.end};
    has = 0;
    while (read_statement(&r, &s)) {
        const config_field *f = field_of(text, e, &s);
        unsigned bit = f ? 1U << (f - e->fields) : 0;
        /* what stands twice is no TOML */
        if (has & bit || (s.kind == PAIR && is_foreign(text, e, &s, 0))) continue;
        has |= bit;
        if (f && !same_value(text, &s, f->value)) {
            config_copy(out, text, s.start, s.value);
            eg_buffer_text(out, f->value);
            config_copy(out, text, s.value_end, s.end);
        } else {
            config_copy(out, text, s.start, s.end);
        }
    }
}

static void put(eg_str text, const config_entry *e, eg_buffer *out) {
    entry_place p;
    config_fault fault;
    size_t at = 0;
    search(text, e, &p, &fault);
    if (!p.count) {
        int ended = config_open_end(text, out);
        add_table(out, e, config_newline(text), ended);
        return;
    }
    for (size_t i = 0; i < p.count; i++) {
        size_t start = p.ranges[i].start, end = p.ranges[i].end;
        reader r = {.t = {text.ptr, end}, .at = start};
        statement header;
        int main = p.has_main && i == p.main, gone = !main && read_statement(&r, &header) && is_foreign(text, e, &header, 2);
        size_t keep = gone ? config_open_start(text, start, end) : start;
        if (keep > at) config_copy(out, text, at, keep);
        if (i == 0 && !p.has_main) {
            add_table(out, e, config_newline(text), 1);
            eg_buffer_text(out, config_newline(text));
        }
        if (main) put_main(text, e, start, end, out);
        else if (!gone) config_copy(out, text, start, end);
        at = end;
    }
    config_copy(out, text, at, text.len);
}

static int take(eg_str text, const config_entry *e, eg_buffer *out) {
    entry_place p;
    config_fault fault;
    size_t at = 0, start = out->len;
    search(text, e, &p, &fault);
    for (size_t i = 0; i < p.count; i++) {
        size_t begin = config_open_start(text, p.ranges[i].start, p.ranges[i].end);
        if (begin > at) config_copy(out, text, at, begin);
        at = p.ranges[i].end;
    }
    /* a file does not begin with the blank line that a client set behind the entry */
    if (out->len == start + config_bom(text) && at < text.len) {
        reader r = {.t = text, .at = at};
        if (at_line_end(&r)) at += text.ptr[at] == '\r' ? 2 : 1;
    }
    config_copy(out, text, at, text.len);
    return out->len == start && text.len && text.ptr[text.len - 1] == '\n';
}

const config_format config_toml = {.find = find, .put = put, .take = take};
