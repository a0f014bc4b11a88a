/* values.c - see values.h. A hand-written left-to-right reader: at each token the readers below are
 * tried in order, most special first; the first that succeeds takes its tokens. */
#include "core/text/values.h"

#include "core/text/fold.h"
#include "core/text/numbers.h"
#include "core/text/units.h"
#include "core/text/words.h"

#define DAY_MICROS INT64_C(86400000000)

typedef struct reader {
    eg_str s;
    const eg_token *t;
    size_t n;
} reader;

static eg_str text(const reader *r, size_t i) {
    if (i >= r->n) return (eg_str){"", 0};
    return (eg_str){r->s.ptr + r->t[i].start, r->t[i].end - r->t[i].start};
}
static int in(const reader *r, size_t i, const char *list) { return i < r->n && eg_word_in(text(r, i), list); }
static int is_mark(const reader *r, size_t i, const char *mark) {
    return i < r->n && r->t[i].kind == EG_TOKEN_MARK && eg_str_eq(text(r, i), eg_str_of(mark));
}
/* Nothing but white space or nothing stands between token i - 1 and i. */
static int adjacent(const reader *r, size_t i) { return i < r->n && !r->t[i].space; }

/* ---- numbers ---- */

/* A spelled number at token i; returns the token after it, or i. */
static size_t read_spelled(const reader *r, size_t i, eg_decimal *out) {
    int64_t total = 0, current = -1;
    size_t start = i;
    int over = 0; /* "ninety hundred hundred hundred ...": no number that we could hold */
    if (in(r, i, "a") && eg_spelled_scale(text(r, i + 1)) >= 100) {
        current = 1;
        i++;
    }
    for (; i < r->n && i - start < 10; i++) {
        eg_str w = text(r, i);
        int64_t small = eg_spelled_small(w), scale = eg_spelled_scale(w);
        if (small >= 0) {
            if (current >= 0 && !(current % 100 == 0 && current) && !(current >= 20 && current % 10 == 0 && small < 10 && small))
                break;
            over |= __builtin_add_overflow(current < 0 ? 0 : current, small, &current);
        } else if (scale && current >= 0) {
            over |= __builtin_mul_overflow(current, scale, &current);
            if (scale > 100) {
                over |= __builtin_add_overflow(total, current, &total);
                current = 0;
            }
        } else if (in(r, i, "and") && i > start && eg_spelled_scale(text(r, i - 1)) && eg_spelled_small(text(r, i + 1)) >= 0)
            continue;
        else break;
    }
    if (over || current < 0 || __builtin_add_overflow(total, current, &total)) return start;
    *out = eg_decimal_simplest((eg_decimal){.mantissa = total});
    return i;
}

/* A number in digits or words at token i, with a following "thousand", "million". *suffix: what
 * stands behind the digits in the same token ("s" of 30s), else empty. Returns the token after it,
 * or i. */
static size_t read_number(const reader *r, size_t i, eg_decimal *out, eg_str *suffix) {
    *suffix = (eg_str){"", 0};
    if (i >= r->n) return i;
    eg_str w = text(r, i);
    if (r->t[i].kind == EG_TOKEN_WORD) return read_spelled(r, i, out);
    if (r->t[i].kind == EG_TOKEN_MARK || !eg_is_digit(w.ptr[0])) return i;
    size_t k = eg_decimal_prefix(w, out);
    if (!k) return i;
    if (k < w.len) {
        *suffix = (eg_str){w.ptr + k, w.len - k};
        if (suffix->ptr[0] == '-') suffix->ptr++, suffix->len--;
        return i + 1;
    }
    int64_t scale = i + 1 < r->n ? eg_spelled_scale(text(r, i + 1)) : 0;
    if (scale > 12 && eg_decimal_times(out, scale, 0)) return i + 2;
    return i + 1;
}

/* ---- quantities ---- */

/* k and M before a unit or alone: 10k, 1k/s, 2M. */
static int scaled_suffix(eg_str suffix, int64_t *factor, eg_str *rest) {
    if (!suffix.len || (suffix.ptr[0] != 'k' && suffix.ptr[0] != 'K' && suffix.ptr[0] != 'M')) return 0;
    *factor = suffix.ptr[0] == 'M' ? 1000000 : 1000;
    *rest = (eg_str){suffix.ptr + 1, suffix.len - 1};
    return rest->len == 0 || rest->ptr[0] == '/';
}

/* "X/min", "/h": the period below the slash; NULL: none. */
static const eg_unit *per_period(eg_str w) {
    for (size_t i = w.len; i-- > 0;)
        if (w.ptr[i] == '/') return eg_unit_find((eg_str){w.ptr + i + 1, w.len - i - 1}, 1);
    return NULL;
}

static int apply_unit(eg_text_value *v, const eg_unit *u) {
    v->dimension = u->dimension;
    return eg_decimal_times(&v->low, u->low, u->exponent) && eg_decimal_times(&v->high, u->high, u->exponent);
}

static int apply_rate(eg_text_value *v, const eg_unit *period) {
    if (strcmp(period->dimension, "time") != 0 || period->low != period->high || period->exponent != 0) return 0;
    v->dimension = "rate";
    return eg_decimal_divide(&v->low, period->low) && eg_decimal_divide(&v->high, period->low);
}

static int is_noun(const reader *r, size_t i) {
    if (i >= r->n || (r->t[i].kind != EG_TOKEN_WORD && r->t[i].kind != EG_TOKEN_IDENT)) return 0;
    if (eg_word_is_stop(text(r, i))) return 0;
    return !in(r, i,
               "or and only more less other else per each every then at but minimum maximum later newer "
               "older not no");
}

/* The unit behind the number that ends before token *next (suffix: glued to it). Fills dimension
 * and scales low and high. 0: the suffix is no unit, so this is no quantity. */
static int read_unit(const reader *r, size_t *next, eg_str suffix, eg_text_value *v) {
    v->noun = UINT32_MAX;
    v->dimension = "number";
    if (suffix.len) {
        int64_t factor;
        eg_str rest;
        const eg_unit *u = eg_unit_find(suffix, 1), *period;
        if (u) return apply_unit(v, u);
        if (scaled_suffix(suffix, &factor, &rest)) {
            if (!eg_decimal_times(&v->low, factor, 0) || !eg_decimal_times(&v->high, factor, 0)) return 0;
            if (rest.len) return (period = per_period(rest)) != NULL && apply_rate(v, period);
        } else if ((period = per_period(suffix)) != NULL) return apply_rate(v, period);
        else return 0;
    }
    if (*next >= r->n) return 1;
    eg_str w = text(r, *next);
    if (is_mark(r, *next, "\xC2\xB0") && in(r, *next + 1, "c") && adjacent(r, *next + 1)) {
        v->dimension = "temperature";
        *next += 2;
        return 1;
    }
    if (is_mark(r, *next, "/") && adjacent(r, *next + 1) && eg_unit_find(text(r, *next + 1), 1)) {
        const eg_unit *u = eg_unit_find(text(r, *next + 1), 1);
        *next += 2;
        return apply_rate(v, u);
    }
    const eg_unit *u = eg_unit_find(w, 0);
    if (u) {
        ++*next;
        if (strncmp(u->dimension, "money:", 6) == 0 && in(r, *next, "cent cents")) {
            ++*next;
            if (!eg_decimal_times(&v->low, 1, -2) || !eg_decimal_times(&v->high, 1, -2)) return 0;
        }
        return apply_unit(v, u);
    }
    const eg_unit *period = r->t[*next].kind == EG_TOKEN_IDENT ? per_period(w) : NULL;
    if (period && period->low == period->high && strcmp(period->dimension, "time") == 0) {
        ++*next;
        return apply_rate(v, period);
    }
    if (in(r, *next, "times")) {
        v->dimension = "times";
        ++*next;
        return 1;
    }
    if (!is_noun(r, *next)) return 1;
    if (in(r, *next + 1, "per") && eg_unit_period(text(r, *next + 2)) && apply_rate(v, eg_unit_period(text(r, *next + 2)))) {
        *next += 3;
        return 1;
    }
    v->dimension = "count";
    v->noun = (uint32_t)*next;
    return 1;
}

/* "every hour", "daily": the period itself. */
static size_t read_period(const reader *r, size_t i, eg_text_value *v) {
    static const struct {
        const char *word, *period;
    } adverbs[] = {{"hourly", "hour"}, {"daily", "day"},     {"nightly", "day"},
                   {"weekly", "week"}, {"monthly", "month"}, {"yearly", "year"}};
    const eg_unit *u = NULL;
    size_t next = i;
    if (in(r, i, "every each") && eg_unit_period(text(r, i + 1))) {
        u = eg_unit_period(text(r, i + 1));
        next = i + 2;
    } else if (in(r, i, "once") && in(r, i + 1, "a an per every each") && eg_unit_period(text(r, i + 2))) {
        u = eg_unit_period(text(r, i + 2));
        next = i + 3;
    } else if (in(r, i, "an a") && eg_unit_period(text(r, i + 1)) && i &&
               in(r, i - 1, "after within for than of most least about nearly almost last")) {
        u = eg_unit_period(text(r, i + 1));
        next = i + 2;
        /* "an hour and a half" is not read */
        if (in(r, next, "and") && in(r, next + 1, "a")) return i;
    } else
        for (size_t k = 0; k < sizeof adverbs / sizeof adverbs[0] && !u; k++)
            if (in(r, i, adverbs[k].word) && !(is_noun(r, i + 1) && (!i || in(r, i - 1, "the a an our each every and")))) {
                u = eg_unit_period(eg_str_of(adverbs[k].period));
                next = i + 1;
            }
    if (!u) return i;
    *v = (eg_text_value){.kind = EG_VALUE_QUANTITY, .noun = UINT32_MAX, .low = {.mantissa = 1}, .high = {.mantissa = 1}};
    return apply_unit(v, u) ? next : i;
}

/* ---- dates, clock, weekdays, versions, booleans ---- */

static int digits_only(eg_str s) {
    for (size_t i = 0; i < s.len; i++)
        if (!eg_is_digit(s.ptr[i])) return 0;
    return s.len > 0;
}
static int64_t number_of(eg_str s) {
    int64_t v = 0;
    for (size_t i = 0; i < s.len && i < 9; i++) v = v * 10 + (s.ptr[i] - '0');
    return v;
}

/* Days since 1970-01-01 of a date of the Gregorian calendar. Source: H. Hinnant, chrono-compatible
 * low-level date algorithms, days_from_civil. */
static int64_t days_of(int64_t y, int64_t m, int64_t d) {
    y -= m <= 2;
    int64_t era = (y >= 0 ? y : y - 399) / 400, yoe = y - era * 400;
    int64_t doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1, doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
    return era * 146097 + doe - 719468;
}
static void set_days(eg_text_value *v, int64_t from, int64_t to) {
    v->kind = EG_VALUE_DATE;
    v->dimension = "date";
    v->low = (eg_decimal){.mantissa = from * DAY_MICROS};
    v->high = (eg_decimal){.mantissa = to * DAY_MICROS};
}

static int64_t month_of(eg_str s) {
    static const char *const months[] = {"january jan",  "february feb", "march",      "april apr",          "may",
                                         "june jun",     "july jul",     "august aug", "september sep sept", "october oct",
                                         "november nov", "december dec"};
    if (!s.len || !eg_is_upper(s.ptr[0])) return 0;
    for (size_t i = 0; i < 12; i++)
        if (eg_word_in(s, months[i])) return (int64_t)i + 1;
    return 0;
}

static int is_year(const reader *r, size_t i) {
    eg_str s = text(r, i);
    return s.len == 4 && digits_only(s) && (s.ptr[0] == '1' || s.ptr[0] == '2') && (s.ptr[1] == '9' || s.ptr[1] == '0');
}

static void set_month(eg_text_value *v, int64_t y, int64_t m) {
    set_days(v, days_of(y, m, 1), m == 12 ? days_of(y + 1, 1, 1) : days_of(y, m + 1, 1));
}

/* 2024-06-20, 2025-12. */
static int read_iso_date(eg_str s, eg_text_value *v) {
    if (s.len != 10 && s.len != 7) return 0;
    if (!digits_only((eg_str){s.ptr, 4}) || s.ptr[4] != '-' || !digits_only((eg_str){s.ptr + 5, 2})) return 0;
    int64_t y = number_of((eg_str){s.ptr, 4}), m = number_of((eg_str){s.ptr + 5, 2});
    if (m < 1 || m > 12 || y < 1900) return 0;
    if (s.len == 7) {
        set_month(v, y, m);
        return 1;
    }
    if (s.ptr[7] != '-' || !digits_only((eg_str){s.ptr + 8, 2})) return 0;
    int64_t d = days_of(y, m, number_of((eg_str){s.ptr + 8, 2}));
    set_days(v, d, d + 1);
    return 1;
}

/* "18 April 2024", "April 18", "June 2026". Without a year low and high stay 0 and the text
 * tells. */
static size_t read_date(const reader *r, size_t i, eg_text_value *v) {
    *v = (eg_text_value){.noun = UINT32_MAX};
    if (i < r->n && r->t[i].kind == EG_TOKEN_IDENT && read_iso_date(text(r, i), v)) return i + 1;
    int64_t day = 0, month = month_of(text(r, i));
    size_t next = i + 1;
    if (!month && i < r->n && r->t[i].kind == EG_TOKEN_NUMBER && digits_only(text(r, i)) && text(r, i).len <= 2 &&
        (month = month_of(text(r, i + 1))) != 0) {
        day = number_of(text(r, i));
        next = i + 2;
    } else if (month && next < r->n && digits_only(text(r, next)) && text(r, next).len <= 2) {
        day = number_of(text(r, next));
        next++;
    }
    if (!month || day > 31) return i;
    int year = is_year(r, next);
    if (!day && !year) return i; /* "may", "March" alone: too often a word */
    if (!year) {
        set_days(v, 0, 0);
        return next;
    }
    int64_t y = number_of(text(r, next));
    if (day) set_days(v, days_of(y, month, day), days_of(y, month, day) + 1);
    else set_month(v, y, month);
    return next + 1;
}

static int read_clock(eg_str s, eg_text_value *v) {
    size_t colon = 0;
    while (colon < s.len && s.ptr[colon] != ':') colon++;
    if (colon == 0 || colon > 2 || s.len != colon + 3) return 0;
    if (!digits_only((eg_str){s.ptr, colon}) || !digits_only((eg_str){s.ptr + colon + 1, 2})) return 0;
    int64_t h = number_of((eg_str){s.ptr, colon}), m = number_of((eg_str){s.ptr + colon + 1, 2});
    if (h > 24 || m > 59) return 0;
    *v = (eg_text_value){.kind = EG_VALUE_DATE, .noun = UINT32_MAX, .dimension = "clock"};
    v->low = v->high = eg_decimal_simplest((eg_decimal){.mantissa = h * 60 + m});
    return 1;
}

static const char *weekday_of(eg_str s) {
    static const char *const days[] = {"monday mondays", "tuesday tuesdays",   "wednesday wednesdays", "thursday thursdays",
                                       "friday fridays", "saturday saturdays", "sunday sundays"};
    static const char *const names[] = {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"};
    for (size_t i = 0; i < 7; i++)
        if (eg_word_in(s, days[i])) return names[i];
    return NULL;
}

/* A name that takes version numbers may stand here: a word with a capital, an identifier,
 * "version". */
static int names_version(const reader *r, size_t i) {
    if (i >= r->n || r->t[i].kind == EG_TOKEN_MARK || r->t[i].kind == EG_TOKEN_NUMBER) return 0;
    eg_str w = text(r, i);
    if (eg_word_in(w, "version versions release v")) return 1;
    if (eg_word_in(w, "All Every Each Up At Between Only Over Under About Around Some Exactly Roughly The A An In On "
                      "From After "
                      "For With Within Of To Default Exit Code HTTP Error Port Line Section Chapter Table Tier Level "
                      "Phase "
                      "Step Stage Class Rule Bug Issue Ticket PR RFC And Or But Is Are Has Than Least Most No Max Min "
                      "Maximum Minimum ISO"))
        return 0;
    if (eg_spelled_small(w) >= 0) return 0;
    return eg_is_upper(w.ptr[0]) && r->t[i].kind == EG_TOKEN_WORD && !month_of(w) && !weekday_of(w);
}

/* A version is written with points and digits and perhaps a tail: 1.2.3, v2, 5.0-rc1, 1.6J. */
static int is_version_text(eg_str s) {
    size_t i = s.len && (s.ptr[0] == 'v' || s.ptr[0] == 'V') ? 1 : 0, points = 0;
    if (i >= s.len || !eg_is_digit(s.ptr[i])) return 0;
    size_t start = i;
    for (; i < s.len; i++) {
        char c = s.ptr[i];
        if (c == '.') points++;
        else if (!eg_is_digit(c) && !eg_is_alpha(c) && c != '-' && c != '+') return 0;
    }
    return start == 1 || points >= 1;
}

static size_t read_version(const reader *r, size_t i, eg_text_value *v) {
    *v = (eg_text_value){.kind = EG_VALUE_VERSION, .noun = UINT32_MAX};
    eg_str w = text(r, i);
    eg_decimal d;
    if (r->t[i].kind == EG_TOKEN_NUMBER) {
        int plain = eg_decimal_prefix(w, &d) == w.len;
        if (!plain) return is_version_text(w) && eg_is_digit(w.ptr[w.len - 1]) && !memchr(w.ptr, ',', w.len) ? i + 1 : i;
        if (!i || !names_version(r, i - 1) || (r->t[i].code != r->t[i - 1].code)) return i;
        if (memchr(w.ptr, ',', w.len)) return i;
        int noun = i + 1 < r->n && (eg_unit_find(text(r, i + 1), 0) || is_mark(r, i + 1, "%"));
        return noun ? i : i + 1;
    }
    if (r->t[i].kind != EG_TOKEN_IDENT || !is_version_text(w)) return i;
    if (eg_is_digit(w.ptr[0])) { /* 1.5s, 2.5k: quantities */
        size_t k = eg_decimal_prefix(w, &d);
        eg_str suffix = {w.ptr + k, w.len - k}, rest;
        int64_t factor;
        if (k && suffix.len && suffix.ptr[0] == '-') suffix.ptr++, suffix.len--;
        eg_decimal second;
        if (k && (eg_unit_find(suffix, 1) || scaled_suffix(suffix, &factor, &rest) ||
                  eg_decimal_prefix(suffix, &second) == suffix.len))
            return i;
    }
    return i + 1;
}

static size_t read_boolean(const reader *r, size_t i, eg_text_value *v) {
    const char *word = NULL;
    if (in(r, i, "true enabled activated")) word = "true";
    else if (in(r, i, "false disabled deactivated")) word = "false";
    else if (in(r, i, "on off yes no") && i &&
             (in(r, i - 1, "is are to turned switched defaults default") || is_mark(r, i - 1, "=") ||
              (is_mark(r, i - 1, ":") && r->t[i].code))) {
        /* "is on" before a noun is a place: "is on port 5" */
        int ends = i + 1 >= r->n || r->t[i + 1].kind == EG_TOKEN_MARK || in(r, i + 1, "by in for on everywhere unless since");
        if (!ends) return i;
        word = in(r, i, "on yes") ? "true" : "false";
    }
    if (!word) return i;
    *v = (eg_text_value){.kind = EG_VALUE_BOOLEAN, .noun = UINT32_MAX, .word = word};
    return i + 1;
}

/* ---- bounds ---- */

static void read_bounds(const reader *r, eg_text_value *v) {
    static const struct {
        const char *w3, *w2, *w1;
        eg_quantifier q;
    } before[] = {{"no not", "more longer larger greater higher older later", "than", EG_QUANTIFIER_AT_MOST},
                  {"no not", "less fewer smaller shorter lower earlier", "than", EG_QUANTIFIER_AT_LEAST},
                  {NULL, "up", "to", EG_QUANTIFIER_AT_MOST},
                  {NULL, "at", "most", EG_QUANTIFIER_AT_MOST},
                  {NULL, "at", "least", EG_QUANTIFIER_AT_LEAST},
                  {NULL, "less fewer smaller shorter lower", "than", EG_QUANTIFIER_AT_MOST},
                  {NULL, "more longer larger greater higher older", "than", EG_QUANTIFIER_AT_LEAST},
                  {NULL, "maximum", "of", EG_QUANTIFIER_AT_MOST},
                  {NULL, "minimum", "of", EG_QUANTIFIER_AT_LEAST},
                  {NULL, NULL, "under below within maximum max", EG_QUANTIFIER_AT_MOST},
                  {NULL, NULL, "over above exceeding minimum min", EG_QUANTIFIER_AT_LEAST},
                  {NULL, NULL, "about around roughly approximately nearly almost some circa ~ \xE2\x89\x88", EG_QUANTIFIER_ABOUT},
                  {NULL, NULL, "only", EG_QUANTIFIER_ONLY}};
    size_t i = v->first;
    size_t equals = i > 1 && is_mark(r, i - 1, "=") && !r->t[i - 1].space, at = i - equals;
    if (at && (is_mark(r, at - 1, "<") || is_mark(r, at - 1, ">")) &&
        !(at > 1 && !r->t[at - 1].space &&
          (is_mark(r, at - 2, "-") || is_mark(r, at - 2, "=") || is_mark(r, at - 2, "<") || is_mark(r, at - 2, ">")))) {
        v->quantifier = is_mark(r, at - 1, "<") ? EG_QUANTIFIER_AT_MOST : EG_QUANTIFIER_AT_LEAST;
        v->from = (uint32_t)(at - 1);
        return;
    }
    if (i && (is_mark(r, i - 1, "\xE2\x89\xA4") || is_mark(r, i - 1, "\xE2\x89\xA5"))) {
        v->quantifier = is_mark(r, i - 1, "\xE2\x89\xA4") ? EG_QUANTIFIER_AT_MOST : EG_QUANTIFIER_AT_LEAST;
        v->from = (uint32_t)(i - 1);
        return;
    }
    for (size_t k = 0; k < sizeof before / sizeof before[0]; k++) {
        size_t words = before[k].w3 ? 3 : before[k].w2 ? 2 : 1;
        if (i < words || !in(r, i - 1, before[k].w1)) continue;
        if (words > 1 && !in(r, i - 2, before[k].w2)) continue;
        if (words > 2 && !in(r, i - 3, before[k].w3)) continue;
        v->quantifier = before[k].q;
        v->from = (uint32_t)(i - words);
        return;
    }
    size_t j = v->last + 1;
    if (is_mark(r, j, "+") && adjacent(r, j)) {
        v->quantifier = EG_QUANTIFIER_AT_LEAST;
        v->to = (uint32_t)j;
    } else if (in(r, j, "or and") && in(r, j + 1, "newer later more higher above older greater up")) {
        v->quantifier = in(r, j + 1, "older") ? EG_QUANTIFIER_AT_MOST : EG_QUANTIFIER_AT_LEAST;
        v->to = (uint32_t)(j + 1);
    } else if (in(r, j, "or") && in(r, j + 1, "less fewer lower below")) {
        v->quantifier = EG_QUANTIFIER_AT_MOST;
        v->to = (uint32_t)(j + 1);
    } else if (in(r, j, "at") && in(r, j + 1, "most least")) {
        v->quantifier = in(r, j + 1, "most") ? EG_QUANTIFIER_AT_MOST : EG_QUANTIFIER_AT_LEAST;
        v->to = (uint32_t)(j + 1);
    }
}

/* The second number of a range at token i ("to 10 s", "- 10", "and 10" behind "between"); i when
 * there is none. */
static size_t read_range(const reader *r, size_t i, int between, eg_decimal *high, eg_str *suffix) {
    if (!(in(r, i, "to") || is_mark(r, i, "-") || is_mark(r, i, "\xE2\x80\x93") || (between && in(r, i, "and")))) return i;
    size_t next = read_number(r, i + 1, high, suffix);
    return next == i + 1 ? i : next;
}

static size_t read_quantity(const reader *r, size_t i, eg_text_value *v) {
    *v = (eg_text_value){.kind = EG_VALUE_QUANTITY, .noun = UINT32_MAX, .dimension = "number"};
    if (in(r, i, "unlimited unbounded infinite")) {
        v->low = v->high = (eg_decimal){.mantissa = 1, .infinite = 1};
        return i + 1;
    }
    if (in(r, i, "half") && in(r, i + 1, "a an") && eg_unit_period(text(r, i + 2))) {
        v->low = v->high = (eg_decimal){.mantissa = 5, .exponent = -1};
        return apply_unit(v, eg_unit_period(text(r, i + 2))) ? i + 3 : i;
    }
    const eg_unit *money = eg_unit_currency(text(r, i));
    size_t number = i + (money != NULL);
    eg_str suffix, second;
    size_t next = read_number(r, number, &v->low, &suffix);
    if (next == number) return i;
    v->high = v->low;
    if (suffix.len && eg_is_digit(suffix.ptr[0])) { /* 5-10 */
        eg_decimal high;
        if (r->s.ptr[suffix.ptr - r->s.ptr - 1] != '-' || eg_decimal_prefix(suffix, &high) != suffix.len) return i;
        v->high = high;
        suffix.len = 0;
        return read_unit(r, &next, suffix, v) ? next : i;
    }
    if (money) {
        if (suffix.len) return i;
        return apply_unit(v, money) ? next : i;
    }
    int between = i && in(r, i - 1, "between");
    eg_decimal high;
    size_t after = suffix.len ? next : read_range(r, next, between, &high, &second);
    if (after != next && !suffix.len) { /* 5 to 10 s */
        v->high = high;
        suffix = second;
        next = after;
        if (!read_unit(r, &next, suffix, v)) return i;
        return next;
    }
    if (!read_unit(r, &next, suffix, v)) return i;
    after = v->noun == UINT32_MAX ? read_range(r, next, between, &high, &second) : next;
    if (after != next) { /* 5 s to 10 s, 1 min to 2 h */
        eg_text_value top = {.low = high, .high = high};
        if (read_unit(r, &after, second, &top) && top.dimension && strcmp(top.dimension, v->dimension) == 0 &&
            top.noun == UINT32_MAX) {
            v->high = top.high;
            next = after;
        }
    }
    return next;
}

/* A lone "one" is a pronoun more often than a number, and so is any number that an ordinal or list
 * uses. */
static int is_pronoun(const reader *r, size_t i, const eg_text_value *v) {
    if (!in(r, i, "one")) return 0;
    return strcmp(v->dimension, "number") == 0 ||
           (strcmp(v->dimension, "count") == 0 && i && in(r, i - 1, "this that the any each no every"));
}

static size_t read_value(const reader *r, size_t i, eg_text_value *v) {
    eg_str w = text(r, i);
    size_t next;
    if (r->t[i].kind == EG_TOKEN_IDENT && read_clock(w, v)) return i + 1;
    if ((next = read_date(r, i, v)) != i) return next;
    if ((next = read_period(r, i, v)) != i) return next;
    if ((next = read_boolean(r, i, v)) != i) return next;
    if (weekday_of(w)) {
        *v = (eg_text_value){.kind = EG_VALUE_DATE, .noun = UINT32_MAX, .dimension = "weekday", .word = weekday_of(w)};
        return i + 1;
    }
    if (i && in(r, i - 1, "port") && digits_only(w)) {
        *v = (eg_text_value){.kind = EG_VALUE_PORT, .noun = UINT32_MAX, .dimension = "port"};
        v->low = v->high = eg_decimal_simplest((eg_decimal){.mantissa = number_of(w)});
        return i + 1;
    }
    if ((next = read_version(r, i, v)) != i) return next;
    if ((next = read_quantity(r, i, v)) != i && !is_pronoun(r, i, v)) return next;
    return i;
}

size_t eg_text_values(eg_str content, const eg_token *tokens, size_t n, eg_text_value *out, size_t most) {
    reader r = {content, tokens, n};
    size_t count = 0;
    for (size_t i = 0; i < n && count < most;) {
        eg_text_value v;
        size_t next = r.t[i].kind == EG_TOKEN_MARK && !eg_unit_currency(text(&r, i)) ? i : read_value(&r, i, &v);
        /* 2^14 is not read */
        if (is_mark(&r, next, "^") || (i && is_mark(&r, i - 1, "^"))) next = i;
        if (next == i) {
            i++;
            continue;
        }
        v.first = v.from = (uint32_t)i;
        v.last = v.to = (uint32_t)next - 1;
        v.quantifier = EG_QUANTIFIER_EXACTLY;
        if (v.kind == EG_VALUE_QUANTITY || v.kind == EG_VALUE_VERSION) read_bounds(&r, &v);
        out[count++] = v;
        i = next > v.to + 1u ? next : v.to + 1u;
    }
    return count;
}
