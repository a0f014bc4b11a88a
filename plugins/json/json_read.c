/* json_read.c - the validator and the raw texts of members. See json.h. */
#include "json.h"

#include <stdlib.h>

/* Bytes of the UTF-8 sequence at p, 0 when it is not valid (Unicode table 3-7). */
static size_t utf8_length(const unsigned char *p, size_t n) {
    if (p[0] < 0x80) return 1;
    if (p[0] < 0xC2 || p[0] > 0xF4) return 0;
    size_t len = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    if (len > n) return 0;
    unsigned low = p[0] == 0xE0 ? 0xA0 : p[0] == 0xF0 ? 0x90 : 0x80;
    unsigned high = p[0] == 0xED ? 0x9F : p[0] == 0xF4 ? 0x8F : 0xBF;
    if (p[1] < low || p[1] > high) return 0;
    for (size_t i = 2; i < len; i++)
        if (p[i] < 0x80 || p[i] > 0xBF) return 0;
    return len;
}

static size_t problem_at(pj_problem *problem, const char *what, size_t at) {
    *problem = (pj_problem){.what = what, .at = at};
    return 0;
}

static size_t limit_at(pj_problem *problem, const char *what, size_t at) {
    *problem = (pj_problem){.what = what, .at = at, .limit = 1};
    return 0;
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
static int is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* All token readers: i is where the token begins; the return value is where it ends, 0 when it is
 * wrong. */
static size_t escape_end(eg_str t, size_t i, pj_problem *problem) {
    if (i + 1 >= t.len) return problem_at(problem, "an unfinished string", i);
    char c = t.ptr[i + 1];
    if (c != 'u') return c && strchr("\"\\/bfnrt", c) ? i + 2 : problem_at(problem, "an unknown escape in a string", i);
    for (size_t k = i + 2; k < i + 6; k++)
        if (k >= t.len || !is_hex(t.ptr[k])) return problem_at(problem, "a \\u escape without four hex digits", i);
    return i + 6;
}

static size_t string_end(eg_str t, size_t i, pj_problem *problem) {
    for (i++; i < t.len;) {
        unsigned char c = (unsigned char)t.ptr[i];
        if (c == '"') return i + 1;
        if (c < 0x20) return problem_at(problem, "a raw control character in a string", i);
        size_t step = 1;
        if (c == '\\') {
            size_t end = escape_end(t, i, problem);
            if (!end) return 0;
            step = end - i;
        } else if (c >= 0x80) {
            step = utf8_length((const unsigned char *)t.ptr + i, t.len - i);
            if (!step) return problem_at(problem, "bytes that are not UTF-8", i);
        }
        i += step;
    }
    return problem_at(problem, "an unfinished string", t.len);
}

static size_t digits_end(eg_str t, size_t i) {
    while (i < t.len && is_digit(t.ptr[i])) i++;
    return i;
}

static size_t number_end(eg_str t, size_t begin, pj_problem *problem) {
    size_t i = begin + (t.ptr[begin] == '-'), end = digits_end(t, i);
    if (end == i) return problem_at(problem, "a number without digits", begin);
    if (t.ptr[i] == '0' && end > i + 1) return problem_at(problem, "a number with a leading zero", begin);
    if (end < t.len && t.ptr[end] == '.') {
        i = end + 1;
        end = digits_end(t, i);
        if (end == i) return problem_at(problem, "a number without digits after its point", begin);
    }
    if (end < t.len && (t.ptr[end] == 'e' || t.ptr[end] == 'E')) {
        i = end + 1;
        if (i < t.len && (t.ptr[i] == '+' || t.ptr[i] == '-')) i++;
        end = digits_end(t, i);
        if (end == i) return problem_at(problem, "a number without digits in its exponent", begin);
    }
    return end - begin <= PJ_MAX_NUMBER ? end : limit_at(problem, "a number of more than 63 characters", begin);
}

static size_t word_end(eg_str t, size_t i, pj_problem *problem) {
    static const char *const words[] = {"true", "false", "null"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        size_t len = strlen(words[k]);
        if (t.len - i >= len && memcmp(t.ptr + i, words[k], len) == 0) return i + len;
    }
    return problem_at(problem, "something that is not a JSON value", i);
}

static size_t scalar_end(eg_str t, size_t i, pj_problem *problem) {
    char c = t.ptr[i];
    if (c == '"') return string_end(t, i, problem);
    if (c == '-' || is_digit(c)) return number_end(t, i, problem);
    return word_end(t, i, problem);
}

/* What may come next. */
typedef enum expect { VALUE, VALUE_OR_END, KEY, KEY_OR_END, AFTER_VALUE } expect;

typedef struct scan {
    eg_str t;
    size_t i, depth;
    expect next;
    char open[PJ_MAX_DEPTH]; /* '{' or '[' of each level */
} scan;

static int scan_value(scan *s, pj_problem *problem) {
    char c = s->t.ptr[s->i];
    if (c == '{' || c == '[') {
        if (s->depth == PJ_MAX_DEPTH) return (int)limit_at(problem, "nesting deeper than 64", s->i);
        s->open[s->depth++] = c;
        s->next = c == '{' ? KEY_OR_END : VALUE_OR_END;
        s->i++;
        return 1;
    }
    s->i = scalar_end(s->t, s->i, problem);
    s->next = AFTER_VALUE;
    return s->i != 0;
}

static int scan_key(scan *s, pj_problem *problem) {
    size_t begin = s->i;
    if (s->t.ptr[begin] != '"') return (int)problem_at(problem, "an object key that is not a string", begin);
    s->i = string_end(s->t, begin, problem);
    if (!s->i) return 0;
    while (s->i < s->t.len && is_space(s->t.ptr[s->i])) s->i++;
    if (s->i == s->t.len || s->t.ptr[s->i] != ':') return (int)problem_at(problem, "a key without ':'", begin);
    s->i++;
    s->next = VALUE;
    return 1;
}

/* At ',', '}' or ']' (or at something else, which is wrong here). */
static int scan_after(scan *s, pj_problem *problem) {
    char c = s->t.ptr[s->i];
    if (s->depth == 0) return (int)problem_at(problem, "more text after the value", s->i);
    char open = s->open[s->depth - 1];
    if (c == ',') {
        s->next = open == '{' ? KEY : VALUE;
    } else if (c == (open == '{' ? '}' : ']')) {
        s->depth--;
        s->next = AFTER_VALUE;
    } else {
        return (int)problem_at(problem, "a missing ',' or closing bracket", s->i);
    }
    s->i++;
    return 1;
}

int pj_valid(eg_str text, pj_problem *problem) {
    scan s = {.t = text, .next = VALUE};
    for (;;) {
        while (s.i < text.len && is_space(text.ptr[s.i])) s.i++;
        if (s.i == text.len) break;
        char c = text.ptr[s.i];
        int ends = (s.next == VALUE_OR_END && c == ']') || (s.next == KEY_OR_END && c == '}');
        int ok = ends || s.next == AFTER_VALUE           ? scan_after(&s, problem)
                 : s.next == KEY || s.next == KEY_OR_END ? scan_key(&s, problem)
                                                         : scan_value(&s, problem);
        if (!ok) return 0;
    }
    if (s.depth == 0 && s.next == AFTER_VALUE) return 1;
    return (int)problem_at(problem, "a text that ends too early", text.len);
}

/* The value of the \u escape at i of a valid text, 0 when there is none. */
static unsigned escaped_unit(eg_str t, size_t i) {
    unsigned unit = 0;
    if (t.len - i < 6 || t.ptr[i] != '\\' || t.ptr[i + 1] != 'u') return 0;
    for (size_t k = i + 2; k < i + 6; k++) {
        char c = t.ptr[k];
        unit = unit * 16 + (unsigned)(is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return unit;
}

/* Where the first escape at or behind i stands that is half of a surrogate pair without the other
 * half; the text's length when there is none. The text is valid: a backslash begins an escape. */
static size_t lone_surrogate(eg_str t, size_t i) {
    while (i < t.len) {
        const char *at = memchr(t.ptr + i, '\\', t.len - i);
        if (!at) break;
        i = (size_t)(at - t.ptr);
        unsigned unit = escaped_unit(t, i);
        if (unit < 0xD800 || unit > 0xDFFF) {
            i += 2;
            continue;
        }
        unsigned other = unit < 0xDC00 ? escaped_unit(t, i + 6) : 0;
        if (other < 0xDC00 || other > 0xDFFF) return i;
        i += 12;
    }
    return t.len;
}

/* A copy on the heap with U+FFFD in the place of each lone surrogate, or NULL. */
static char *without_lone_surrogates(eg_str text, size_t first) {
    char *copy = malloc(text.len);
    if (copy) memcpy(copy, text.ptr, text.len);
    for (size_t i = first; copy && i < text.len; i = lone_surrogate(text, i + 6)) memcpy(copy + i + 2, "fffd", 4);
    return copy;
}

cJSON *pj_parse(eg_str text, pj_problem *problem) {
    if (!pj_valid(text, problem)) return NULL;
    size_t lone = lone_surrogate(text, 0);
    char *mended = lone < text.len ? without_lone_surrogates(text, lone) : NULL;
    cJSON *tree = lone < text.len && !mended ? NULL : cJSON_ParseWithLength(mended ? mended : text.ptr, text.len);
    free(mended);
    if (!tree) *problem = (pj_problem){.what = "out of memory"};
    return tree;
}

const cJSON *pj_get(const cJSON *object, const char *key) { return cJSON_GetObjectItemCaseSensitive(object, key); }

size_t pj_index(const cJSON *object, const char *key) {
    size_t i = 0;
    const cJSON *m;
    cJSON_ArrayForEach(m, object) {
        if (strcmp(m->string, key) == 0) return i;
        i++;
    }
    return i;
}

static int compare_keys(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

const char *pj_duplicate(const cJSON *object) {
    size_t n = (size_t)cJSON_GetArraySize(object), i = 0;
    if (n < 2) return NULL;
    const char **keys = calloc(n, sizeof *keys);
    if (!keys) return ""; /* cannot tell: refuse rather than guess */
    const cJSON *m;
    cJSON_ArrayForEach(m, object) keys[i++] = m->string;
    qsort(keys, n, sizeof *keys, compare_keys);
    const char *found = NULL;
    for (i = 1; i < n && !found; i++)
        if (strcmp(keys[i - 1], keys[i]) == 0) found = keys[i];
    free(keys);
    return found;
}

/* Past the value that begins at i of a valid text. */
static size_t skip_value(eg_str t, size_t i) {
    pj_problem ignored;
    size_t depth = 0;
    for (;;) {
        char c = t.ptr[i];
        if (c == '{' || c == '[') {
            depth++;
            i++;
        } else if (c == '}' || c == ']') {
            depth--;
            i++;
        } else if (c == ',' || c == ':' || is_space(c)) {
            i++;
            continue;
        } else {
            i = scalar_end(t, i, &ignored);
        }
        if (depth == 0) return i;
    }
}

static size_t skip_to_token(eg_str t, size_t i) {
    while (i < t.len && (is_space(t.ptr[i]) || t.ptr[i] == ',' || t.ptr[i] == ':')) i++;
    return i;
}

eg_str pj_value_text(eg_str container, size_t wanted) {
    pj_problem ignored;
    size_t i = skip_to_token(container, 0);
    char open = container.ptr[i++];
    for (size_t k = 0;; k++) {
        i = skip_to_token(container, i);
        if (i >= container.len || container.ptr[i] == '}' || container.ptr[i] == ']') return (eg_str){NULL, 0};
        if (open == '{') i = skip_to_token(container, string_end(container, i, &ignored));
        size_t end = skip_value(container, i);
        if (k == wanted) return (eg_str){container.ptr + i, end - i};
        i = end;
    }
}

/* The string or number behind the key that ends at i; it counts only when something ends it. */
static eg_str salvaged(eg_str t, size_t i) {
    pj_problem ignored;
    while (i < t.len && (is_space(t.ptr[i]) || t.ptr[i] == ':')) i++;
    if (i == t.len || (t.ptr[i] != '"' && t.ptr[i] != '-' && !is_digit(t.ptr[i]))) return (eg_str){NULL, 0};
    size_t end = scalar_end(t, i, &ignored), after = end;
    if (!end) return (eg_str){NULL, 0};
    while (after < t.len && is_space(t.ptr[after])) after++;
    if (after == t.len || (t.ptr[after] != ',' && t.ptr[after] != '}')) return (eg_str){NULL, 0};
    return (eg_str){t.ptr + i, end - i};
}

eg_str pj_salvage(eg_str text, const pj_problem *problem, const char *key) {
    pj_problem ignored;
    eg_str t = {text.ptr, problem->limit ? text.len : problem->at};
    size_t depth = 0, i = 0;
    int at_key = 0; /* a string that comes next is a key of the outer object */
    while (i < t.len) {
        char c = t.ptr[i];
        if (c == '"') {
            size_t end = string_end(t, i, &ignored);
            if (!end) break;
            if (at_key && eg_str_eq((eg_str){t.ptr + i + 1, end - i - 2}, eg_str_of(key))) return salvaged(t, end);
            at_key = 0;
            i = end;
            continue;
        }
        if (depth == 0 && c != '{' && !is_space(c)) break;
        if (c == '{' || c == '[') at_key = depth++ == 0;
        if ((c == '}' || c == ']') && --depth == 0) break;
        if (c == ',') at_key = depth == 1;
        i++;
    }
    return (eg_str){NULL, 0};
}

int pj_has_nul(eg_str text) {
    for (size_t i = 0; i + 5 < text.len; i++) {
        if (text.ptr[i] != '\\') continue;
        if (memcmp(text.ptr + i + 1, "u0000", 5) == 0) return 1;
        i++; /* the escaped character may be another backslash */
    }
    return 0;
}
