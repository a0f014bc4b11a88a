/* stock.c - see stock.h. Both texts are cut by the same lexer and read by the same reader of
 * values, so most forms of a number meet there; what is compared here besides is text in a normal
 * form. */
#include "core/text/stock.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/status.h"
#include "core/text/fold.h"
#include "core/text/numbers.h"
#include "core/text/plain.h"
#include "core/text/units.h"
#include "core/text/words.h"

enum { LONGEST_NUMBER = 64 /* bytes; the rest of a longer one is left out */ };

static eg_str token_text(const eg_lexed *x, size_t i) {
    return (eg_str){x->text.ptr + x->tokens[i].start, x->tokens[i].end - x->tokens[i].start};
}

static int is_letter(char c) { return eg_is_alpha(c) || (unsigned char)c >= 0x80; }
static int has_digit(eg_str s) {
    for (size_t i = 0; i < s.len; i++)
        if (eg_is_digit(s.ptr[i])) return 1;
    return 0;
}

static eg_status lex(eg_arena *arena, eg_str text, eg_lexed *out, eg_error *err) {
    size_t most = text.len + 1;
    *out = (eg_lexed){.text = text};
    out->tokens = eg_arena_array(arena, most, sizeof *out->tokens);
    if (!out->tokens) return eg_fail_memory(err, most * sizeof *out->tokens);
    out->token_count = eg_text_lex(text, (eg_span){0, (uint32_t)text.len}, out->tokens, most);
    out->values = eg_arena_array(arena, out->token_count, sizeof *out->values);
    if (!out->values) return eg_fail_memory(err, out->token_count * sizeof *out->values);
    out->value_count = eg_text_values(text, out->tokens, out->token_count, out->values, out->token_count);
    return EG_OK;
}

/* ---- sets of words ---- */

static int compare(const void *a, const void *b) {
    const eg_str *x = a, *y = b;
    int order = memcmp(x->ptr, y->ptr, x->len < y->len ? x->len : y->len);
    return order ? order : (x->len > y->len) - (x->len < y->len);
}

static int holds(const eg_word_set *set, eg_str word) {
    return set->count && bsearch(&word, set->words, set->count, sizeof word, compare) != NULL;
}

/* A copy of the word in ASCII lower case. 0: out of memory. */
static int add(eg_arena *arena, eg_word_set *set, eg_str word) {
    if (set->count == set->capacity) {
        size_t capacity = set->capacity ? 2 * set->capacity : 64;
        eg_str *words = eg_arena_array(arena, capacity, sizeof *words);
        if (!words) return 0;
        if (set->count) memcpy(words, set->words, set->count * sizeof *words);
        set->words = words;
        set->capacity = capacity;
    }
    char *copy = eg_arena_copy(arena, word);
    if (!copy) return 0;
    for (size_t i = 0; i < word.len; i++) copy[i] = eg_lower(copy[i]);
    set->words[set->count++] = (eg_str){copy, word.len};
    return 1;
}

static void sort(eg_word_set *set) {
    if (set->count) qsort(set->words, set->count, sizeof *set->words, compare);
}

/* ---- numbers ---- */

/* 1 when s continues at i with exactly three digits. */
static int three_digits(eg_str s, size_t i) {
    return i + 3 <= s.len && eg_is_digit(s.ptr[i]) && eg_is_digit(s.ptr[i + 1]) && eg_is_digit(s.ptr[i + 2]) &&
           (i + 3 == s.len || !eg_is_digit(s.ptr[i + 3]));
}

/* The number in digits at s[i] in normal form: no signs between thousands, no leading zeros; points
 * stay, and behind one there are no thousands. Returns the end of it in s. */
static size_t number_at(eg_str s, size_t i, char *out, size_t *n) {
    size_t digits = 0;
    *n = 0;
    while (i + 1 < s.len && s.ptr[i] == '0' && eg_is_digit(s.ptr[i + 1])) i++;
    for (;; i++) {
        if (i < s.len && eg_is_digit(s.ptr[i])) digits++;
        else if (i < s.len && (s.ptr[i] == ',' || s.ptr[i] == '_' || s.ptr[i] == '\'') && digits && digits <= 3 &&
                 three_digits(s, i + 1)) {
            digits = 0;
            continue;
        } else if (i + 1 < s.len && s.ptr[i] == '.' && eg_is_digit(s.ptr[i + 1])) digits = 4;
        else return i;
        if (*n < LONGEST_NUMBER) out[(*n)++] = s.ptr[i];
    }
}

/* The bytes of a blank that may stand between thousands at s[i]; 0: none. */
static size_t thin_blank(eg_str s, size_t i) {
    static const char *const blanks[] = {" ", "\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x89"};
    for (size_t k = 0; k < sizeof blanks / sizeof *blanks; k++) {
        size_t n = strlen(blanks[k]);
        if (i + n <= s.len && memcmp(s.ptr + i, blanks[k], n) == 0) return n;
    }
    return 0;
}

/* "500 000" at the number s[i, end), which is in out: appends the groups behind it, returns 1. */
static int join_groups(eg_str s, size_t i, size_t end, char *out, size_t *n) {
    size_t before = *n, blank;
    if (end - i > 3 || memchr(out, '.', *n)) return 0;
    while ((blank = thin_blank(s, end)) != 0 && three_digits(s, end + blank) && *n + 3 <= LONGEST_NUMBER) {
        memcpy(out + *n, s.ptr + end + blank, 3);
        *n += 3;
        end += blank + 3;
    }
    return *n > before;
}

/* A number in one word, as a small count ("two" of two-second too); -1: none. */
static int64_t word_number(eg_str w) {
    const char *hyphen = memchr(w.ptr, '-', w.len);
    int64_t v = eg_spelled_small(w);
    if (v < 0 && hyphen) v = eg_spelled_small((eg_str){w.ptr, (size_t)(hyphen - w.ptr)});
    if (v >= 0) return v;
    if (eg_word_in(w, "once single first")) return 1;
    if (eg_word_in(w, "twice both pair couple double second")) return 2;
    if (eg_word_in(w, "thrice triple third")) return 3;
    return eg_word_in(w, "dozen") ? 12 : -1;
}

/* A value whose number alone does not tell what it is: 30 s, 22 %, 5 EUR. */
static int has_unit(const eg_text_value *v) {
    return v->kind == EG_VALUE_QUANTITY && v->dimension && strcmp(v->dimension, "number") != 0 &&
           strcmp(v->dimension, "times") != 0 && strcmp(v->dimension, "count") != 0;
}

/* The value that token i belongs to; NULL: none. */
static const eg_text_value *value_of(const eg_lexed *x, size_t i) {
    size_t low = 0, high = x->value_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (x->values[middle].last < i) low = middle + 1;
        else high = middle;
    }
    return low < x->value_count && x->values[low].first <= i ? &x->values[low] : NULL;
}

static int same_decimal(eg_decimal a, eg_decimal b) {
    a = eg_decimal_simplest(a), b = eg_decimal_simplest(b);
    return a.mantissa == b.mantissa && a.exponent == b.exponent && a.infinite == b.infinite;
}

static int same_dimension(const eg_text_value *a, const eg_text_value *b) {
    if (a->kind == EG_VALUE_QUANTITY && !has_unit(a) && !has_unit(b)) return b->kind == EG_VALUE_QUANTITY;
    return a->kind == b->kind && a->dimension && b->dimension && strcmp(a->dimension, b->dimension) == 0;
}

/* How many of both ends of the value are ends of values of the stock. */
static int ends_measured(const eg_stock *stock, const eg_text_value *v) {
    int low = 0, high = 0;
    if ((v->kind != EG_VALUE_QUANTITY && v->kind != EG_VALUE_DATE) || v->word) return 0;
    if (v->kind == EG_VALUE_DATE && v->low.mantissa == 0 && v->high.mantissa == 0) return 0;
    for (size_t i = 0; i < stock->of.value_count && low + high < 2; i++) {
        const eg_text_value *k = &stock->of.values[i];
        if (!same_dimension(v, k)) continue;
        low |= same_decimal(v->low, k->low) || same_decimal(v->low, k->high);
        high |= same_decimal(v->high, k->low) || same_decimal(v->high, k->high);
    }
    return low + high;
}

/* 1 when the stock has the number without a unit: 50k for 50,000 euros. */
static int stands_bare(const eg_stock *stock, eg_str number) {
    eg_decimal d;
    if (holds(&stock->bare, number)) return 1;
    if (!number.len || eg_decimal_prefix(number, &d) != number.len) return 0;
    for (size_t i = 0; i < stock->of.value_count; i++) {
        const eg_text_value *k = &stock->of.values[i];
        if (k->kind == EG_VALUE_QUANTITY && !has_unit(k) && (same_decimal(d, k->low) || same_decimal(d, k->high))) return 1;
    }
    return 0;
}

/* ---- reading the stock ---- */

static int add_numbers(eg_arena *arena, eg_stock *out, size_t token) {
    const eg_text_value *v = value_of(&out->of, token);
    eg_str s = token_text(&out->of, token);
    char number[LONGEST_NUMBER];
    size_t n;
    int bare = !v || !has_unit(v), fine = 1;
    for (size_t i = 0; fine && i < s.len;) {
        if (!eg_is_digit(s.ptr[i])) {
            i++;
            continue;
        }
        size_t end = number_at(s, i, number, &n), whole = out->of.tokens[token].start + i;
        fine = add(arena, &out->numbers, (eg_str){number, n}) && (!bare || add(arena, &out->bare, (eg_str){number, n}));
        if (fine && join_groups(out->of.text, whole, whole + (end - i), number, &n))
            fine = add(arena, &out->numbers, (eg_str){number, n}) && add(arena, &out->bare, (eg_str){number, n});
        i = end;
    }
    int64_t spelled = has_digit(s) ? -1 : word_number(s);
    if (fine && spelled >= 0) {
        n = (size_t)snprintf(number, sizeof number, "%lld", (long long)spelled);
        fine = add(arena, &out->numbers, (eg_str){number, n}) && (!bare || add(arena, &out->bare, (eg_str){number, n}));
    }
    return fine;
}

/* The end of the letters from s[i] on. */
static size_t letters_end(eg_str s, size_t i) {
    while (i < s.len && is_letter(s.ptr[i])) i++;
    return i;
}

/* The end of the hump of camelCase that begins at s[i], in letters that end at `end`. */
static size_t hump_end(eg_str s, size_t i, size_t end) {
    for (size_t k = i + 1; k < end; k++)
        if (eg_is_upper(s.ptr[k]) && (eg_is_lower(s.ptr[k - 1]) || (k + 1 < end && eg_is_lower(s.ptr[k + 1])))) return k;
    return end;
}

static int add_letters(eg_arena *arena, eg_word_set *set, eg_str s) {
    for (size_t i = 0; i < s.len;) {
        size_t end = letters_end(s, i);
        if (end > i && !add(arena, set, (eg_str){s.ptr + i, end - i})) return 0;
        for (size_t from = i, to; from < end; from = to) {
            to = hump_end(s, from, end);
            if (to - from < end - i && !add(arena, set, (eg_str){s.ptr + from, to - from})) return 0;
        }
        i = end > i ? end : i + 1;
    }
    return 1;
}

eg_status eg_stock_read(eg_arena *arena, eg_str content, eg_str scope, eg_stock *out, eg_error *err) {
    *out = (eg_stock){0};
    eg_str parts[] = {content, EG_STR("\n"), scope};
    char *lower;
    int fine = eg_text_join(arena, parts, 3, &out->lower) && (lower = eg_arena_copy(arena, out->lower)) != NULL;
    if (!fine) return eg_fail_memory(err, content.len + scope.len);
    for (size_t i = 0; i < out->lower.len; i++) lower[i] = eg_lower(lower[i]);
    out->lower.ptr = lower;
    eg_status s = lex(arena, content, &out->of, err);
    for (size_t i = 0; s == EG_OK && fine && i < out->of.token_count; i++)
        if (out->of.tokens[i].kind != EG_TOKEN_MARK) fine = add_numbers(arena, out, i);
    fine = fine && s == EG_OK && add_letters(arena, &out->letters, content) && add_letters(arena, &out->letters, scope);
    sort(&out->numbers);
    sort(&out->bare);
    sort(&out->letters);
    return fine || s != EG_OK ? s : eg_fail_memory(err, content.len);
}

size_t eg_stock_numbers(const eg_stock *stock, const eg_stock *other, size_t *shared) {
    const eg_word_set *numbers = &stock->numbers;
    size_t n = 0;
    *shared = 0;
    for (size_t i = 0; i < numbers->count; i++) {
        if (i && eg_str_eq(numbers->words[i - 1], numbers->words[i])) continue;
        n++;
        *shared += holds(&other->numbers, numbers->words[i]) ? 1 : 0;
    }
    return n;
}

/* ---- what is lacking ---- */

typedef struct search {
    const eg_stock *stock;
    eg_lexed x;
} search;

/* 1 when the word stands in the stock, in any case, and is no part of a longer one. */
static int stands_whole(const search *q, eg_str word) {
    char lower[EG_LONGEST_WORD * 4];
    if (word.len == 0 || word.len > sizeof lower) return 0;
    for (size_t i = 0; i < word.len; i++) lower[i] = eg_lower(word.ptr[i]);
    eg_str rest = q->stock->lower;
    const char *at;
    while ((at = memmem(rest.ptr, rest.len, lower, word.len)) != NULL) {
        size_t start = (size_t)(at - q->stock->lower.ptr), end = start + word.len;
        int before = start && (is_letter(at[-1]) || eg_is_digit(at[-1]));
        int behind = end < q->stock->lower.len && (is_letter(at[word.len]) || eg_is_digit(at[word.len]));
        if (!before && !behind) return 1;
        rest = (eg_str){at + 1, (size_t)(q->stock->lower.ptr + q->stock->lower.len - at) - 1};
    }
    return 0;
}

/* 1 when the value is a whole number that stands in digits: 120 million for 120_000_000. */
static int stands_in_digits(const eg_stock *stock, const eg_text_value *v) {
    char number[LONGEST_NUMBER];
    if (v->kind != EG_VALUE_QUANTITY || v->low.infinite || v->low.exponent < 0 || v->low.exponent > 18) return 0;
    size_t n = (size_t)snprintf(number, sizeof number, "%lld%.*s", (long long)v->low.mantissa, (int)v->low.exponent,
                                "000000000000000000");
    return holds(&stock->numbers, (eg_str){number, n});
}

/* A number of token k, in normal form. */
static int is_known(const search *q, size_t k, eg_str number) {
    const eg_text_value *v = value_of(&q->x, k);
    int ends = v ? ends_measured(q->stock, v) : 0;
    if (ends == 2) return 1;
    if (holds(&q->stock->numbers, number) && (ends || !v || !has_unit(v))) return 1;
    return v && (has_unit(v) ? stands_bare(q->stock, number) : stands_in_digits(q->stock, v));
}

/* The number at s[i] of token k; *end: behind it. */
static int number_stands(const search *q, size_t k, eg_str s, size_t i, size_t *end) {
    char number[LONGEST_NUMBER];
    size_t n, at = q->x.tokens[k].start + i;
    *end = number_at(s, i, number, &n);
    if (is_known(q, k, (eg_str){number, n})) return 1;
    return join_groups(q->x.text, at, at + (*end - i), number, &n) && holds(&q->stock->numbers, (eg_str){number, n});
}

static int spelled_stands(const search *q, size_t k) {
    char number[24];
    int64_t v = eg_spelled_small(token_text(&q->x, k));
    if (v < 2) return 1; /* one is a pronoun more often than a number */
    return is_known(q, k, (eg_str){number, (size_t)snprintf(number, sizeof number, "%lld", (long long)v)});
}

/* Letters of an identifier: known, or what a number or a plain word brings along. */
static int letters_stand(const search *q, eg_str token, size_t start, size_t end, int code) {
    eg_str run = {token.ptr + start, end - start};
    char lower[EG_LONGEST_WORD * 4];
    if (run.len > sizeof lower) return 0;
    for (size_t i = 0; i < run.len; i++) lower[i] = eg_lower(run.ptr[i]);
    if (holds(&q->stock->letters, (eg_str){lower, run.len})) return 1;
    int after_digit = start && eg_is_digit(token.ptr[start - 1]);
    if (after_digit && (eg_unit_find(run, 1) || eg_word_in(run, "st nd rd th x k m"))) return 1;
    if (run.len == 1 && eg_word_in(run, "v x")) return 1;
    int hyphen = (start && token.ptr[start - 1] == '-') || (end < token.len && token.ptr[end] == '-');
    return hyphen && !code && run.len > 2;
}

/* Letters of an identifier, or all humps of them. */
static int run_stands(const search *q, eg_str s, size_t start, size_t end, int code) {
    if (letters_stand(q, s, start, end, code)) return 1;
    if (hump_end(s, start, end) == end) return 0;
    for (size_t i = start, to; i < end; i = to) {
        to = hump_end(s, i, end);
        if (!letters_stand(q, s, i, to, code)) return 0;
    }
    return 1;
}

/* Every number and every run of letters of the token. */
static int parts_stand(const search *q, size_t k) {
    eg_str s = token_text(&q->x, k);
    for (size_t i = 0; i < s.len;) {
        size_t end = letters_end(s, i);
        if (end > i && !run_stands(q, s, i, end, q->x.tokens[k].code)) return 0;
        if (end == i && eg_is_digit(s.ptr[i]) && !number_stands(q, k, s, i, &end)) return 0;
        i = end > i ? end : i + 1;
    }
    return 1;
}

/* and/or, client/server, I/O, e.g. */
static int is_plain_compound(eg_str s) {
    size_t run = 0, longest = 0;
    int slashes_only = 1;
    for (size_t i = 0; i < s.len; i++) {
        run = is_letter(s.ptr[i]) ? run + 1 : 0;
        if (run > longest) longest = run;
        if (!is_letter(s.ptr[i]) && (s.ptr[i] != '/' || i == 0)) slashes_only = 0;
    }
    return longest <= 1 || slashes_only;
}

/* fooBar, but neither iOS nor StorageClass, which are names. */
static int is_camel(eg_str s) {
    for (size_t i = 1; i + 1 < s.len; i++)
        if (eg_is_lower(s.ptr[0]) && eg_is_lower(s.ptr[i - 1]) && eg_is_upper(s.ptr[i]) && eg_is_lower(s.ptr[i + 1])) return 1;
    return 0;
}

static int token_stands(const search *q, size_t k) {
    const eg_token *t = &q->x.tokens[k];
    eg_str s = token_text(&q->x, k);
    size_t end;
    switch ((eg_token_kind)t->kind) {
    case EG_TOKEN_MARK: return 1;
    case EG_TOKEN_NUMBER: return number_stands(q, k, s, 0, &end);
    case EG_TOKEN_WORD:
        if (!t->code && !is_camel(s)) return spelled_stands(q, k);
        break;
    case EG_TOKEN_IDENT:
        if (!has_digit(s) && !t->code && is_plain_compound(s)) return 1;
    }
    return stands_whole(q, s) || parts_stand(q, k);
}

eg_status eg_stock_lacks(eg_arena *arena, const eg_stock *stock, eg_str statement, eg_str *word, eg_error *err) {
    search q = {.stock = stock};
    *word = (eg_str){"", 0};
    eg_status s = lex(arena, statement, &q.x, err);
    for (size_t i = 0; s == EG_OK && i < q.x.token_count; i++) {
        if (token_stands(&q, i)) continue;
        *word = token_text(&q.x, i);
        return EG_OK;
    }
    return s;
}
