/* difference.c - see difference.h. */
#include "difference.h"

#include <string.h>

enum {
    MAX_TOKENS = 128, /* of a statement; those behind are not compared */
    MAX_DIFFERENT = 6 /* words on one side that make up a phrase */
};

typedef struct token {
    eg_str text; /* without the punctuation around it */
    size_t at;   /* byte offset */
} token;

typedef struct token_list {
    token items[MAX_TOKENS];
    size_t n;
} token_list;

static int is_edge(char c) { return c && strchr(".,;:!?()[]{}\"'`*", c) != NULL; }
static int is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static int is_lower(char c) { return c >= 'a' && c <= 'z'; }
static char lower(char c) { return is_upper(c) ? (char)(c + 32) : c; }

static void read_tokens(eg_str text, token_list *out) {
    out->n = 0;
    for (size_t i = 0; i < text.len && out->n < MAX_TOKENS;) {
        while (i < text.len && is_space(text.ptr[i])) i++;
        size_t from = i;
        while (i < text.len && !is_space(text.ptr[i])) i++;
        size_t to = i;
        while (from < to && is_edge(text.ptr[from])) from++;
        while (to > from && is_edge(text.ptr[to - 1])) to--;
        if (to > from) out->items[out->n++] = (token){{text.ptr + from, to - from}, from};
    }
}

static int same(eg_str a, eg_str b) {
    if (a.len != b.len) return 0;
    for (size_t i = 0; i < a.len; i++)
        if (lower(a.ptr[i]) != lower(b.ptr[i])) return 0;
    return 1;
}

static int holds(const token_list *x, eg_str word) {
    for (size_t i = 0; i < x->n; i++)
        if (same(x->items[i].text, word)) return 1;
    return 0;
}

/* The text from one token to before another. */
static eg_str words_between(eg_str text, const token_list *x, size_t from, size_t to) {
    const token *first = &x->items[from], *last = &x->items[to - 1];
    return (eg_str){text.ptr + first->at, last->at + last->text.len - first->at};
}

static eg_status say(eg_request *rq, difference *out, size_t at_a, size_t at_b, eg_str x, eg_str y) {
    out->first_a = at_a;
    out->first_b = at_b;
    out->phrase = x.len && y.len
                      ? eg_request_printf(rq, "%.*s against %.*s", (int)x.len, x.ptr, (int)y.len, y.ptr)
                      : eg_request_printf(rq, "only one of them says \"%.*s\"", (int)(x.len ? x : y).len, (x.len ? x : y).ptr);
    return out->phrase.ptr ? EG_OK : EG_ENOMEM;
}

/* Statements that are alike at their beginnings and ends, and in more words than differ. A unit
 * that both have behind the words that differ is said with them: "15 minutes against 10 minutes".
 */
static eg_status find_middle(eg_request *rq, eg_str a, eg_str b, const token_list *x, const token_list *y, difference *out) {
    size_t least = x->n < y->n ? x->n : y->n, front = 0, back = 0;
    while (front < least && same(x->items[front].text, y->items[front].text)) front++;
    while (front + back < least && same(x->items[x->n - 1 - back].text, y->items[y->n - 1 - back].text)) back++;
    size_t end_x = x->n - back, end_y = y->n - back, of_x = end_x - front, of_y = end_y - front;
    size_t most = of_x > of_y ? of_x : of_y;
    if (!most || most > MAX_DIFFERENT || front + back <= most) return EG_OK;
    int numbers = of_x == 1 && of_y == 1 && is_digit(x->items[front].text.ptr[0]) && is_digit(y->items[front].text.ptr[0]);
    if (numbers && back) end_x++, end_y++;
    eg_str in_a = of_x ? words_between(a, x, front, end_x) : (eg_str){0},
           in_b = of_y ? words_between(b, y, front, end_y) : (eg_str){0};
    return say(rq, out, front < x->n ? x->items[front].at : 0, front < y->n ? y->items[front].at : 0, in_a, in_b);
}

static int is_number(eg_str w) { return is_digit(w.ptr[0]) || (w.len > 1 && strchr("v$-+#~<>", w.ptr[0]) && is_digit(w.ptr[1])); }

static int is_one_of(eg_str w, const char *const *words) {
    for (; *words; words++)
        if (same(w, eg_str_of(*words))) return 1;
    return 0;
}

static int is_denial(eg_str w) {
    static const char *const words[] = {"not", "never", "no", "cannot", "without", "none", "neither", NULL};
    return is_one_of(w, words) || (w.len > 3 && memcmp(w.ptr + w.len - 3, "n't", 3) == 0);
}

/* Capitals within the text, or marks of code: "Redis", "max_retries", "api-gateway.js". */
static int is_name(const token_list *x, size_t i) {
    eg_str w = x->items[i].text;
    int capitals = 0, letters = 0, marks = 0;
    for (size_t k = 0; k < w.len; k++) {
        capitals += is_upper(w.ptr[k]);
        letters += is_upper(w.ptr[k]) || is_lower(w.ptr[k]);
        marks += w.ptr[k] == '_' || w.ptr[k] == '/' || (w.ptr[k] == '.' && k + 1 < w.len);
    }
    int begins = i == 0 || strchr(".!?", w.ptr[-1]) || (x->items[i].at > 1 && w.ptr[-1] == ' ' && strchr(".!?", w.ptr[-2]));
    return letters && (marks || capitals > 1 || (capitals && !begins));
}

/* The next number that the other statement lacks; n: there is none. */
static size_t next_number(const token_list *x, const token_list *other, size_t from) {
    size_t i = from;
    while (i < x->n && !(is_number(x->items[i].text) && !holds(other, x->items[i].text))) i++;
    return i;
}

/* The word right behind a token; empty: something else stands there, or nothing. */
static eg_str word_behind(eg_str text, const token_list *x, size_t i) {
    const token *number = &x->items[i];
    size_t behind = number->at + number->text.len;
    if (i + 1 >= x->n || behind >= text.len || text.ptr[behind] != ' ' || x->items[i + 1].at != behind + 1) return (eg_str){0};
    return is_lower(lower(x->items[i + 1].text.ptr[0])) ? x->items[i + 1].text : (eg_str){0};
}

/* Numbers of one unit, "30 days" and "14 days", or bare ones, "409" and "201": only these are known
 * to be about the same. */
static eg_status find_numbers(eg_request *rq, eg_str a, eg_str b, const token_list *x, const token_list *y, difference *out) {
    for (size_t i = next_number(x, y, 0); i < x->n; i = next_number(x, y, i + 1))
        for (size_t k = next_number(y, x, 0); k < y->n; k = next_number(y, x, k + 1)) {
            eg_str unit = word_behind(a, x, i), other = word_behind(b, y, k);
            if (!same(unit, other)) continue;
            return say(rq, out, x->items[i].at, y->items[k].at, words_between(a, x, i, i + 1 + (unit.len > 0)),
                       words_between(b, y, k, k + 1 + (other.len > 0)));
        }
    return EG_OK;
}

/* 1 for two forms of one word: one begins as the other. */
static int is_form(eg_str a, eg_str b) {
    size_t least = a.len < b.len ? a.len : b.len;
    return least >= 4 && same((eg_str){a.ptr, least}, (eg_str){b.ptr, least});
}

static int holds_form(const token_list *x, eg_str word) {
    for (size_t i = 0; i < x->n; i++)
        if (is_form(x->items[i].text, word)) return 1;
    return 0;
}

/* The first denial of a word that the other statement has: "do not restart" and "restarts it"; n:
 * there is none. */
static size_t find_denial(const token_list *x, const token_list *other) {
    for (size_t i = 0; i < x->n; i++) {
        if (!is_denial(x->items[i].text)) continue;
        if ((i && holds_form(other, x->items[i - 1].text)) || (i + 1 < x->n && holds_form(other, x->items[i + 1].text))) return i;
    }
    return x->n;
}

static int has_denial(const token_list *x) {
    for (size_t i = 0; i < x->n; i++)
        if (is_denial(x->items[i].text)) return 1;
    return 0;
}

/* What a name is made of: a path is compared with a path, a product with a product. */
static unsigned shape_of(eg_str w) {
    unsigned shape = 0;
    for (size_t i = 0; i < w.len; i++)
        shape |= w.ptr[i] == '/'      ? 1u
                 : w.ptr[i] == '_'    ? 2u
                 : w.ptr[i] == '.'    ? 4u
                 : is_digit(w.ptr[i]) ? 8u
                 : w.ptr[i] == '='    ? 16u
                                      : 0;
    return shape;
}

static size_t next_name(const token_list *x, const token_list *other, size_t from) {
    size_t i = from;
    while (i < x->n && !(is_name(x, i) && !holds_form(other, x->items[i].text) && !holds(other, x->items[i].text))) i++;
    return i;
}

/* The only name of that shape which the other statement lacks; n: there is none, or several, and
 * nobody knows which one is meant. */
static size_t only_name(const token_list *x, const token_list *other, unsigned shape) {
    size_t found = x->n;
    for (size_t i = next_name(x, other, 0); i < x->n; i = next_name(x, other, i + 1)) {
        if (shape_of(x->items[i].text) != shape || (found < x->n && same(x->items[i].text, x->items[found].text))) continue;
        if (found < x->n) return x->n;
        found = i;
    }
    return found;
}

/* 1 for the same word before both: "team Gravel" and "team Quarry", "in Redis" and "in Postgres". A
 * capital alone makes names of all kinds of things. */
static int are_led_alike(const token_list *x, size_t i, const token_list *y, size_t k) {
    return i && k && same(x->items[i - 1].text, y->items[k - 1].text);
}

static eg_status find_names(eg_request *rq, const token_list *x, const token_list *y, difference *out) {
    for (size_t i = next_name(x, y, 0); i < x->n; i = next_name(x, y, i + 1)) {
        unsigned shape = shape_of(x->items[i].text);
        size_t k = only_name(y, x, shape);
        if (only_name(x, y, shape) == i && k < y->n && (shape || are_led_alike(x, i, y, k)))
            return say(rq, out, x->items[i].at, y->items[k].at, x->items[i].text, y->items[k].text);
    }
    return EG_OK;
}

eg_status difference_find(eg_request *rq, eg_str a, eg_str b, difference *out) {
    *out = (difference){0};
    token_list *lists = eg_request_array(rq, 2, sizeof *lists);
    if (!lists) return EG_ENOMEM;
    const token_list *x = &lists[0], *y = &lists[1];
    read_tokens(a, &lists[0]);
    read_tokens(b, &lists[1]);
    eg_status s = find_middle(rq, a, b, x, y, out);
    if (s == EG_OK && !out->phrase.len) s = find_numbers(rq, a, b, x, y, out);
    if (s != EG_OK || out->phrase.len) return s;
    size_t i = has_denial(y) ? x->n : find_denial(x, y), k = has_denial(x) ? y->n : find_denial(y, x);
    if (i < x->n) return say(rq, out, x->items[i].at, 0, x->items[i].text, (eg_str){0});
    if (k < y->n) return say(rq, out, 0, y->items[k].at, (eg_str){0}, y->items[k].text);
    return find_names(rq, x, y, out);
}
