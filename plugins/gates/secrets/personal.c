/* personal.c - see personal.h. */
#include "personal.h"

#include <strings.h>

enum { LEAST_ADDRESSES = 3 };

static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static int is_alnum(char c) { return is_digit(c) || is_upper(c) || (c >= 'a' && c <= 'z'); }

static int starts_word(eg_str s, size_t i) { return !i || (!is_alnum(s.ptr[i - 1]) && s.ptr[i - 1] != '.'); }
static int ends_word(eg_str s, size_t i) { return i >= s.len || !is_alnum(s.ptr[i]); }

/* Luhn's check digit: from the right, every second digit counts double. */
static int has_luhn(const char *digits, size_t n) {
    int sum = 0;
    for (size_t i = 0; i < n; i++) {
        int d = digits[n - 1 - i] - '0';
        if (i % 2) d = d * 2 > 9 ? d * 2 - 9 : d * 2;
        sum += d;
    }
    return sum % 10 == 0;
}

/* Numbers that the payment services document for tests. */
static int is_test_card(const char *digits) {
    static const char *const numbers[] = {"4111111111111111", "4242424242424242", "4012888888881881", "5555555555554444",
                                          "5105105105105100", "378282246310005",  "371449635398431",  "6011111111111117"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(digits, numbers[i]) == 0) return 1;
    return 0;
}

/* Lengths by the first digit, which is that of a bank or travel card. */
static int is_card_length(char first, size_t n) {
    if (first == '3') return n == 14 || n == 15;
    if (first == '4') return n == 13 || n == 16 || n == 19;
    return n == 16 || (first == '6' && n == 19);
}

/* 13 to 19 digits, perhaps in groups. */
static int card(eg_str s, size_t i, secret_hit *out) {
    char digits[20];
    size_t n = 0, j = i;
    if (!starts_word(s, i) || s.ptr[i] < '3' || s.ptr[i] > '6') return 0;
    for (; j < s.len && n < sizeof digits; j++) {
        if (is_digit(s.ptr[j])) digits[n++] = s.ptr[j];
        else if ((s.ptr[j] != ' ' && s.ptr[j] != '-') || j + 1 >= s.len || !is_digit(s.ptr[j + 1])) break;
    }
    if (n > 19 || !is_card_length(digits[0], n) || !ends_word(s, j)) return 0;
    digits[n] = 0;
    if (!has_luhn(digits, n) || is_test_card(digits)) return 0;
    *out = (secret_hit){"the number of a payment card", i, j};
    return 1;
}

/* Two letters, two check digits, 11 to 30 characters, perhaps in groups of four: modulo 97 the
 * number is 1, with the first four characters at its end and letters as 10 to 35. */
static int account(eg_str s, size_t i, secret_hit *out) {
    char text[35];
    size_t n = 0, j = i;
    if (!starts_word(s, i) || s.len - i < 15) return 0;
    if (!is_upper(s.ptr[i]) || !is_upper(s.ptr[i + 1]) || !is_digit(s.ptr[i + 2]) || !is_digit(s.ptr[i + 3])) return 0;
    for (; j < s.len && n < sizeof text; j++) {
        if (is_digit(s.ptr[j]) || is_upper(s.ptr[j])) text[n++] = s.ptr[j];
        else if (s.ptr[j] != ' ' || n % 4 || j + 1 >= s.len || !(is_digit(s.ptr[j + 1]) || is_upper(s.ptr[j + 1]))) break;
    }
    if (n < 15 || n > 34 || !ends_word(s, j)) return 0;
    unsigned rest = 0;
    for (size_t k = 0; k < n; k++) {
        char c = text[(k + 4) % n];
        rest = is_digit(c) ? (rest * 10 + (unsigned)(c - '0')) % 97 : (rest * 100 + (unsigned)(c - 'A') + 10) % 97;
    }
    if (rest != 1) return 0;
    *out = (secret_hit){"the number of a bank account", i, j};
    return 1;
}

static int is_local(char c) { return is_alnum(c) || (c && strchr("._%+-", c)); }

/* The address around the '@' at i; empty when it is none, or one of a domain for examples. */
static eg_str address_at(eg_str s, size_t i) {
    size_t from = i, to = i + 1, dot = 0;
    while (from && is_local(s.ptr[from - 1])) from--;
    for (; to < s.len && (is_alnum(s.ptr[to]) || s.ptr[to] == '-' || s.ptr[to] == '.'); to++)
        if (s.ptr[to] == '.' && to + 1 < s.len && is_alnum(s.ptr[to + 1])) dot = to;
    while (to > i && s.ptr[to - 1] == '.') to--; /* the end of the sentence */
    if (from == i || !dot || to - dot < 3) return (eg_str){0};
    for (size_t k = i; k + 7 <= to; k++)
        if (strncasecmp(s.ptr + k, "example", 7) == 0) return (eg_str){0};
    return (eg_str){s.ptr + from, to - from};
}

static int addresses(eg_str s, secret_hit *out) {
    eg_str seen[LEAST_ADDRESSES];
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) {
        eg_str one = s.ptr[i] == '@' ? address_at(s, i) : (eg_str){0};
        int known = !one.len;
        for (size_t k = 0; k < n && !known; k++)
            known = seen[k].len == one.len && strncasecmp(seen[k].ptr, one.ptr, one.len) == 0;
        if (known) continue;
        seen[n++] = one;
        if (n < LEAST_ADDRESSES) continue;
        *out = (secret_hit){"a list of e-mail addresses", (size_t)(seen[0].ptr - s.ptr), (size_t)(one.ptr - s.ptr) + one.len};
        return 1;
    }
    return 0;
}

int personal_find(eg_str text, secret_hit *out) {
    for (size_t i = 0; i < text.len; i++) {
        if (is_digit(text.ptr[i]) && card(text, i, out)) return 1;
        if (is_upper(text.ptr[i]) && account(text, i, out)) return 1;
    }
    return addresses(text, out);
}
