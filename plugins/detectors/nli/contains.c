/* contains.c - see contains.h. */
#include "contains.h"

enum { MAX_WORDS = 64, MIN_WORDS = 4 };

static int is_word_byte(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) || c == '_';
}
static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

/* Splits s into words, which point into it. Returns 0 when there are more than MAX_WORDS. */
static size_t split_words(eg_str s, eg_str *words) {
    size_t n = 0;
    for (size_t i = 0; i < s.len;) {
        size_t from = i;
        while (i < s.len && is_word_byte(s.ptr[i])) i++;
        if (i > from) {
            if (n == MAX_WORDS) return 0;
            words[n++] = (eg_str){s.ptr + from, i - from};
        } else {
            i++;
        }
    }
    return n;
}

static int same_word(eg_str a, eg_str b) {
    if (a.len != b.len) return 0;
    for (size_t i = 0; i < a.len; i++)
        if (lower(a.ptr[i]) != lower(b.ptr[i])) return 0;
    return 1;
}

/* 1 for words that can change the meaning of what is before or after them. */
static int changes_meaning(eg_str w) {
    static const char *const words[] = {"not",    "never",   "no",     "unless",  "except", "only", "without",
                                        "until",  "but",     "longer", "was",     "were",   "n",    "t",
                                        "before", "instead", "nor",    "neither", "hardly", "if",   "when"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (same_word(w, eg_str_of(words[i]))) return 1;
    return 0;
}

int one_contains_the_other(eg_str x, eg_str y) {
    eg_str a[MAX_WORDS], b[MAX_WORDS];
    size_t na = split_words(x, a), nb = split_words(y, b);
    eg_str *small = na < nb ? a : b, *large = na < nb ? b : a;
    size_t n = na < nb ? na : nb, m = na < nb ? nb : na;
    for (size_t at = 0; n >= MIN_WORDS && at + n <= m; at++) {
        size_t k = 0;
        while (k < n && same_word(small[k], large[at + k])) k++;
        if (k < n) continue;
        for (size_t i = 0; i < m; i++)
            if ((i < at || i >= at + n) && changes_meaning(large[i])) return 0;
        return 1;
    }
    return 0;
}

int is_amount(eg_str s) {
    if (s.len && s.ptr[0] >= '0' && s.ptr[0] <= '9') return 1;
    eg_str first[MAX_WORDS];
    return split_words(s, first) > 1 && !same_word(first[0], EG_STR("each")) && !same_word(first[0], EG_STR("every"));
}
