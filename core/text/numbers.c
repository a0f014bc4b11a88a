/* numbers.c - see numbers.h. */
#include "core/text/numbers.h"

#include "core/text/fold.h"
#include "core/text/words.h"

eg_decimal eg_decimal_simplest(eg_decimal d) {
    while (d.mantissa && d.mantissa % 10 == 0) d.mantissa /= 10, d.exponent++;
    if (!d.mantissa) d.exponent = 0;
    return d;
}

int eg_decimal_times(eg_decimal *d, int64_t factor, int32_t exponent) {
    if (__builtin_mul_overflow(d->mantissa, factor, &d->mantissa)) return 0;
    d->exponent += exponent;
    *d = eg_decimal_simplest(*d);
    return 1;
}

int eg_decimal_divide(eg_decimal *d, int64_t divisor) {
    int64_t m = d->mantissa;
    while (m && m < INT64_C(1000000000000000)) {
        if (m % divisor == 0) break;
        m *= 10;
        d->exponent--;
    }
    /* m + divisor / 2 may not fit */
    d->mantissa = m / divisor + (m % divisor + divisor / 2) / divisor;
    *d = eg_decimal_simplest(*d);
    return 1;
}

size_t eg_decimal_prefix(eg_str s, eg_decimal *out) {
    int64_t m = 0;
    int32_t e = 0;
    size_t i = 0, points = 0, since_comma = 0;
    int commas = 0;
    for (; i < s.len; i++) {
        char c = s.ptr[i];
        int more = i + 1 < s.len && eg_is_digit(s.ptr[i + 1]);
        if (eg_is_digit(c)) {
            if (__builtin_mul_overflow(m, 10, &m) || __builtin_add_overflow(m, c - '0', &m)) return 0;
            if (points) e--;
            since_comma++;
        } else if (c == '.' && more) {
            if (commas && since_comma != 3) return 0;
            commas = 0;
            points++;
        } else if (c == ',' && more && !points) {
            if ((commas && since_comma != 3) || (!commas && (since_comma > 3 || !since_comma))) return 0;
            commas = 1;
            since_comma = 0;
        } else break;
    }
    if (i == 0 || points > 1 || !eg_is_digit(s.ptr[0]) || (commas && since_comma != 3)) return 0;
    *out = eg_decimal_simplest((eg_decimal){.mantissa = m, .exponent = e});
    return i;
}

static int64_t spelled_unit(eg_str s) {
    static const char *const words[] = {"zero",     "one",     "two",     "three",     "four",     "five",    "six",
                                        "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",  "thirteen",
                                        "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (eg_str_same_word(s, eg_str_of(words[i]))) return (int64_t)i;
    return -1;
}
static int64_t spelled_ten(eg_str s) {
    static const char *const words[] = {"twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (eg_str_same_word(s, eg_str_of(words[i]))) return (int64_t)i * 10 + 20;
    return -1;
}
int64_t eg_spelled_scale(eg_str s) {
    if (eg_word_in(s, "hundred")) return 100;
    if (eg_word_in(s, "dozen")) return 12;
    if (eg_word_in(s, "thousand")) return 1000;
    if (eg_word_in(s, "million")) return 1000000;
    if (eg_word_in(s, "billion")) return 1000000000;
    return 0;
}

int64_t eg_spelled_small(eg_str s) {
    int64_t v = spelled_unit(s);
    if (v < 0) v = spelled_ten(s);
    if (v >= 0) return v;
    for (size_t i = 1; i + 1 < s.len; i++)
        if (s.ptr[i] == '-') {
            int64_t ten = spelled_ten((eg_str){s.ptr, i}), one = spelled_unit((eg_str){s.ptr + i + 1, s.len - i - 1});
            return ten > 0 && one > 0 && one < 10 ? ten + one : -1;
        }
    return -1;
}
