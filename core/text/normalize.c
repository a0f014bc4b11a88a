/* normalize.c - the form of a fact whose hash tells duplicates. See text.h. Not for searching
 * (terms.c). */
#include "core/text/text.h"

#include "core/base/size.h"
#include "core/base/status.h"
#include "core/base/utf8.h"
#include "core/text/fold.h"

/* The output may be longer than the input only where one code point's lower case is: at most one
 * byte a code point (none in the table of fold.c grows, but the bound costs nothing). */
static void put(char *out, size_t *n, uint32_t cp) {
    char bytes[4];
    size_t k = eg_utf8_encode(cp, bytes);
    if (!k) k = eg_utf8_encode(0xFFFD, bytes);
    memcpy(out + *n, bytes, k);
    *n += k;
}

/* 1 when the capital of a word after a number may carry meaning, as in a unit (10 Mb is not 10 MB,
 * 5 Mohm not 5 mohm): short words, and prefixes before the name of a unit. "30 Seconds" has
 * none. */
static int may_be_unit(const char *word, size_t n) {
    static const char *const names[] = {"bit",   "bits",  "byte",   "bytes",  "bps",   "pps",    "iops",   "eps",    "baud",
                                        "flops", "hertz", "watt",   "watts",  "volt",  "volts",  "ohm",    "ohms",   "bar",
                                        "bars",  "mol",   "moles",  "gram",   "grams", "meter",  "metre",  "meters", "metres",
                                        "liter", "litre", "liters", "litres", "joule", "joules", "pascal", "tesla",  "newton"};
    if (n < 4) return 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == n - 1 && memcmp(word + 1, names[i], n - 1) == 0) return 1;
    return 0;
}

/* The index of the backtick that ends the code span which begins at i; 0: the backticks stay. Only
 * single ones on one line, around plain words: what has other signs may mean something else without
 * them (save! or $(date) in code). */
static size_t span_end(eg_str s, size_t i) {
    size_t end = i + 1;
    if (i && s.ptr[i - 1] == '`') return 0;
    while (end < s.len && ((unsigned char)s.ptr[end] >= 0x80 || eg_is_digit(s.ptr[end]) || eg_is_alpha(s.ptr[end]) ||
                           (s.ptr[end] && strchr("_-./:=,@%+# ", s.ptr[end]))))
        end++;
    int closes = end < s.len && s.ptr[end] == '`' && end > i + 1 && s.ptr[i + 1] != ' ' && s.ptr[end - 1] != ' ';
    return closes && (end + 1 == s.len || s.ptr[end + 1] != '`') ? end : 0;
}

/* Folds the word out[from, to) in place when it is plain: letters only between punctuation, and
 * only its first one large. A word after a number may be a unit. */
static void fold_word(char *out, size_t from, size_t *to, int after_number) {
    size_t start = from, end = *to;
    while (start < end && (unsigned char)out[start] < 0x80 && eg_char_classify((unsigned char)out[start]) == EG_CHAR_OTHER)
        start++;
    while (end > start && (unsigned char)out[end - 1] < 0x80 && eg_char_classify((unsigned char)out[end - 1]) == EG_CHAR_OTHER)
        end--;
    if (start == end || (after_number && may_be_unit(out + start, end - start))) return;
    for (size_t i = start; i < end;) {
        uint32_t cp;
        size_t k = eg_utf8_decode(out + i, end - i, &cp);
        if (eg_char_classify(cp) != EG_CHAR_LETTER) return;
        if (i > start && eg_char_lower(cp) != cp) return;
        i += k;
    }
    uint32_t first;
    char bytes[4];
    size_t k = eg_utf8_decode(out + start, end - start, &first);
    if (eg_utf8_encode(eg_char_lower(first), bytes) == k) memcpy(out + start, bytes, k);
}

/* 1 when a number of one or two digits ends at n: "5!" may be a factorial, "port 9090!" is none. */
static int is_factorial(const char *p, size_t n) {
    size_t digits = 0;
    while (digits < 3 && n > digits && eg_is_digit(p[n - digits - 1])) digits++;
    return digits == 1 || digits == 2;
}

eg_status eg_text_normalize(eg_arena *arena, eg_str content, eg_str *out, eg_error *err) {
    size_t room;
    if (!eg_size_mul(content.len, 3, &room) || !eg_size_add(room, 4, &room))
        return eg_fail(err, EG_ELIMIT, "the content is too long to be normalised");
    char *p = eg_arena_alloc(arena, room);
    if (!p) return eg_fail_memory(err, room);
    size_t n = 0, word = 0;
    size_t closing = 0; /* the backtick that ends the code span at hand; 0: there is none */
    int after_number = 0;
    for (size_t i = 0; i <= content.len;) {
        uint32_t cp = ' ';
        size_t k = 1;
        if (i < content.len) k = eg_utf8_decode(content.ptr + i, content.len - i, &cp);
        int of_span = 0;
        if (cp == '`' && closing && i == closing) {
            of_span = 1;
            closing = 0;
        } else if (cp == '`') {
            closing = span_end(content, i);
            of_span = closing != 0;
        }
        i += k;
        if (of_span) continue;
        if (eg_char_classify(cp) != EG_CHAR_SPACE) {
            char plain = eg_char_plain(cp);
            put(p, &n, plain ? (uint32_t)(unsigned char)plain : cp);
            continue;
        }
        if (n == word) continue; /* white space upon white space */
        size_t before = n;
        fold_word(p, word, &n, after_number);
        after_number = eg_is_digit(p[before - 1]);
        p[n++] = ' ';
        word = n;
    }
    /* the final full stop or exclamation mark and the space that may stand before it, but for a
     * factorial; the normal form of a normal form is itself */
    for (size_t before = n + 1; n < before;) {
        before = n;
        while (n && p[n - 1] == ' ') n--;
        if (n > 1 && p[n - 1] == '.' && p[n - 2] != '.') n--;
        if (n > 1 && p[n - 1] == '!' && !is_factorial(p, n - 1)) n--;
    }
    p[n] = 0;
    *out = (eg_str){p, n};
    return EG_OK;
}
