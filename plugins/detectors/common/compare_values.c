/* compare_values.c - see compare_values.h. */
#include "compare_values.h"

#include <math.h>

/* d as a floating-point number: 64 bits of mantissa are exact enough for the tolerance of 1e-12
 * below. */
static long double number_of(eg_decimal d) {
    long double v = (long double)d.mantissa;
    if (d.infinite) return d.mantissa < 0 ? -HUGE_VALL : HUGE_VALL;
    for (int32_t e = d.exponent; e > 0 && e < 40; e--) v *= 10;
    long double below = 1;
    for (int32_t e = d.exponent; e < 0 && e > -40; e++) below *= 10;
    return v / below;
}

static int equal(long double a, long double b) {
    if (a == b) return 1;
    if (isinf(a) || isinf(b)) return 0;
    long double d = a > b ? a - b : b - a, scale = (a < 0 ? -a : a) + (b < 0 ? -b : b);
    return d <= scale * 1e-12L;
}

/* "count:retry" is compared as "count": the noun is a word beside the value, and the alignment
 * compares it. */
static eg_str base_of(eg_str dimension) {
    if (dimension.len >= 5 && memcmp(dimension.ptr, "count", 5) == 0) return EG_STR("count");
    return dimension;
}
static int same_dimension(const eg_claim *a, const eg_claim *b) {
    eg_str x = base_of(a->dimension), y = base_of(b->dimension);
    if (eg_str_eq(x, y)) return 1;
    return (eg_str_eq(x, EG_STR("count")) || eg_str_eq(x, EG_STR("number"))) &&
           (eg_str_eq(y, EG_STR("count")) || eg_str_eq(y, EG_STR("number")));
}

/* 1 for a range in the text, 0 for a month of 28 to 31 days. */
static int is_range(long double low, long double high) { return high > low * 1.15L; }

/* 1 when the values are equal if GB stands for GiB, as it often does: "2 GB" and "2048 MB", "64 KB"
 * and "65536 bytes". 0 for the same number of MB and of MiB. */
static int binary_reading(const eg_claim *a, const eg_claim *b, long double x, long double y) {
    if (!eg_str_eq(a->dimension, EG_STR("bytes")) || x <= 0 || y <= 0) return 0;
    size_t i = 0;
    while (i < a->text.len && i < b->text.len && a->text.ptr[i] == b->text.ptr[i] && a->text.ptr[i] >= '0' &&
           a->text.ptr[i] <= '9')
        i++;
    int more_a = i < a->text.len && a->text.ptr[i] >= '0' && a->text.ptr[i] <= '9',
        more_b = i < b->text.len && b->text.ptr[i] >= '0' && b->text.ptr[i] <= '9';
    if (i && !more_a && !more_b) return 0;
    long double ratio = x > y ? x / y : y / x, k = 1;
    for (int n = 0; n < 3; n++)
        if (equal(ratio, k *= 1.024L)) return 1;
    return 0;
}

static value_relation compare_quantities(const eg_claim *a, const eg_claim *b) {
    if (a->low.infinite || b->low.infinite) {
        if (a->low.infinite && b->low.infinite) return VALUES_SAME;
        const eg_claim *finite = a->low.infinite ? b : a;
        return finite->quantifier == EG_QUANTIFIER_AT_LEAST ? VALUES_COMPATIBLE : VALUES_CONFLICT;
    }
    if (!same_dimension(a, b)) return VALUES_UNLIKE;
    long double al = number_of(a->low), ah = number_of(a->high), bl = number_of(b->low), bh = number_of(b->high);
    int same = equal(al, bl) && equal(ah, bh);
    uint32_t aq = a->quantifier == EG_QUANTIFIER_ONLY ? EG_QUANTIFIER_EXACTLY : a->quantifier,
             bq = b->quantifier == EG_QUANTIFIER_ONLY ? EG_QUANTIFIER_EXACTLY : b->quantifier;
    if (aq == bq && same) return VALUES_SAME;
    if (aq == EG_QUANTIFIER_ABOUT) al *= 0.75L, ah *= 1.25L;
    if (bq == EG_QUANTIFIER_ABOUT) bl *= 0.75L, bh *= 1.25L;
    /* two bounds of one thing */
    if ((aq == EG_QUANTIFIER_AT_MOST || aq == EG_QUANTIFIER_AT_LEAST) && aq == bq)
        return al <= bh && bl <= ah ? VALUES_COMPATIBLE : VALUES_CONFLICT;
    if (aq == EG_QUANTIFIER_EXACTLY && bq == EG_QUANTIFIER_EXACTLY && is_range(al, ah) && is_range(bl, bh))
        return VALUES_CONFLICT;
    if (aq == EG_QUANTIFIER_AT_MOST) al = -HUGE_VALL;
    if (bq == EG_QUANTIFIER_AT_MOST) bl = -HUGE_VALL;
    if (aq == EG_QUANTIFIER_AT_LEAST) ah = HUGE_VALL;
    if (bq == EG_QUANTIFIER_AT_LEAST) bh = HUGE_VALL;
    if (equal(al, bh) || equal(bl, ah)) return VALUES_COMPATIBLE;
    if (binary_reading(a, b, al, bl) && binary_reading(a, b, ah, bh)) return VALUES_COMPATIBLE;
    return al > bh || bl > ah ? VALUES_CONFLICT : VALUES_COMPATIBLE;
}

static int digit_at(eg_str v, size_t i) { return i < v.len && v.ptr[i] >= '0' && v.ptr[i] <= '9'; }

/* The component of a version at *i as a number; *i moves past the dot that follows. */
static long double next_part(eg_str v, size_t *i) {
    long double n = 0;
    for (; digit_at(v, *i); ++*i) n = n * 10 + (v.ptr[*i] - '0');
    if (*i < v.len && v.ptr[*i] == '.') ++*i;
    else *i = v.len; /* a suffix such as "-rc1" is ignored */
    return n;
}

static int is_older(eg_str a, eg_str b) {
    /* "18.x" and "18.2" may be the same */
    for (size_t i = 0, k = 0; digit_at(a, i) && digit_at(b, k);) {
        long double x = next_part(a, &i), y = next_part(b, &k);
        if (!equal(x, y)) return x < y;
    }
    return 0;
}

/* "18 or newer" and "16". */
static int breaks_bound(eg_str bound, uint32_t quantifier, eg_str v) {
    return (quantifier == EG_QUANTIFIER_AT_LEAST && is_older(v, bound)) ||
           (quantifier == EG_QUANTIFIER_AT_MOST && is_older(bound, v));
}

static value_relation compare_versions(eg_str a, eg_str b, uint32_t bound_a, uint32_t bound_b) {
    int same_bound = bound_a == bound_b;
    if (a.len && (a.ptr[0] == 'v' || a.ptr[0] == 'V')) a.ptr++, a.len--;
    if (b.len && (b.ptr[0] == 'v' || b.ptr[0] == 'V')) b.ptr++, b.len--;
    if (eg_str_eq(a, b)) return same_bound ? VALUES_SAME : VALUES_COMPATIBLE;
    if (bound_a == EG_QUANTIFIER_EXACTLY && breaks_bound(b, bound_b, a)) return VALUES_CONFLICT;
    if (bound_b == EG_QUANTIFIER_EXACTLY && breaks_bound(a, bound_a, b)) return VALUES_CONFLICT;
    if (!same_bound) return VALUES_COMPATIBLE;
    eg_str s = a.len < b.len ? a : b, l = a.len < b.len ? b : a; /* 24 and 24.0, 24.0.1 */
    if (s.len && memcmp(s.ptr, l.ptr, s.len) == 0 && (l.ptr[s.len] == '.' || l.ptr[s.len] == '-' || l.ptr[s.len] == '+'))
        return VALUES_COMPATIBLE;
    return VALUES_CONFLICT;
}

static value_relation compare_dates(const eg_claim *a, const eg_claim *b) {
    if (!eg_str_eq(a->dimension, b->dimension)) return VALUES_UNLIKE;
    if (eg_str_eq(a->dimension, EG_STR("weekday"))) return eg_str_eq(a->text, b->text) ? VALUES_SAME : VALUES_CONFLICT;
    if (eg_str_eq(a->dimension, EG_STR("clock")))
        return equal(number_of(a->low), number_of(b->low)) ? VALUES_SAME : VALUES_CONFLICT;
    if (eg_str_eq(a->text, b->text)) return VALUES_SAME;
    if (a->low.mantissa == 0 || b->low.mantissa == 0) /* a day without its year */
        return a->low.mantissa == b->low.mantissa ? VALUES_CONFLICT : VALUES_UNLIKE;
    long double al = number_of(a->low), ah = number_of(a->high), bl = number_of(b->low), bh = number_of(b->high);
    if (equal(al, bl) && equal(ah, bh)) return VALUES_SAME;
    return al < bh && bl < ah ? VALUES_COMPATIBLE : VALUES_CONFLICT;
}

value_relation values_compare(const eg_claim *a, const eg_claim *b) {
    /* "Postgres 16" is a version, a bare 16 in the same place may be one */
    if ((a->value_kind == EG_VALUE_VERSION && eg_str_eq(b->dimension, EG_STR("number"))) ||
        (b->value_kind == EG_VALUE_VERSION && eg_str_eq(a->dimension, EG_STR("number"))))
        return compare_versions(a->text, b->text, a->quantifier, b->quantifier);
    if (a->value_kind != b->value_kind) return VALUES_UNLIKE;
    switch (a->value_kind) {
    case EG_VALUE_QUANTITY: return compare_quantities(a, b);
    case EG_VALUE_VERSION: return compare_versions(a->text, b->text, a->quantifier, b->quantifier);
    case EG_VALUE_PORT: return equal(number_of(a->low), number_of(b->low)) ? VALUES_SAME : VALUES_CONFLICT;
    case EG_VALUE_DATE: return compare_dates(a, b);
    case EG_VALUE_BOOLEAN:
    case EG_VALUE_ENUM:
    case EG_VALUE_NAME:
    case EG_VALUE_PATH: return eg_str_eq(a->text, b->text) ? VALUES_SAME : VALUES_CONFLICT;
    default: return VALUES_UNLIKE;
    }
}

int value_is_temporal(const eg_claim *c) { return c->value_kind == EG_VALUE_DATE || eg_str_eq(c->attribute, EG_STR("status")); }

int value_is_numeric(const eg_claim *c) { return c->value_kind == EG_VALUE_QUANTITY; }

int values_lead_apart(eg_str a, eg_str b) {
    static const char *const words[] = {"to", "by", "from", "below", "above", "before", "after", "under", "over", "per", "every"};
    int in_a = 0, in_b = 0;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        in_a |= eg_str_eq(a, eg_str_of(words[i]));
        in_b |= eg_str_eq(b, eg_str_of(words[i]));
    }
    return in_a && in_b && !eg_str_eq(a, b);
}
