/* words.c - see words.h. */
#include "core/text/words.h"

#include "core/base/utf8.h"
#include "core/text/fold.h"

size_t eg_word_fold(eg_str s, char *out) {
    size_t n = 0;
    for (size_t i = 0; i < s.len && n < EG_LONGEST_WORD;) {
        uint32_t cp;
        i += eg_utf8_decode(s.ptr + i, s.len - i, &cp);
        if (cp < 0x20) continue;
        char plain = eg_char_plain(cp);
        if (plain) cp = (uint32_t)(unsigned char)plain;
        n += eg_utf8_encode(eg_char_lower(cp), out + n);
    }
    return n > EG_LONGEST_WORD ? eg_utf8_floor(out, n, EG_LONGEST_WORD) : n;
}

static int ends(const char *p, size_t n, const char *suffix) {
    size_t k = strlen(suffix);
    return n > k && memcmp(p + n - k, suffix, k) == 0;
}

static int is_vowel(char c) { return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u' || c == 'y'; }

size_t eg_word_stem(char *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!eg_is_lower(p[i])) return n;
    if (n < 4) return n;
    if ((ends(p, n, "ies") || ends(p, n, "ied")) && n > 4) p[n - 3] = 'y', n -= 2;
    else if (ends(p, n, "sses") || ends(p, n, "xes") || ends(p, n, "ches") || ends(p, n, "shes")) n -= 2;
    else if (p[n - 1] == 's' && !ends(p, n, "ss") && !ends(p, n, "us") && !ends(p, n, "is")) n -= 1;
    size_t cut = ends(p, n, "ing") && n > 5 ? 3 : ends(p, n, "ed") && n > 4 ? 2 : 0;
    if (cut) {
        int vowel = 0;
        for (size_t i = 0; i < n - cut; i++) vowel |= is_vowel(p[i]);
        if (vowel) {
            n -= cut;
            if (n > 3 && p[n - 1] == p[n - 2] && !is_vowel(p[n - 1]) && p[n - 1] != 'l' && p[n - 1] != 's') n--;
        }
    }
    if (n > 3 && p[n - 1] == 'e') n--;
    return n;
}

int eg_word_in(eg_str s, const char *list) {
    if (s.len == 0) return 0;
    while (*list) {
        size_t n = 0;
        while (list[n] && list[n] != ' ') n++;
        if (n == s.len && eg_str_same_word(s, (eg_str){list, n})) return 1;
        list += n;
        while (*list == ' ') list++;
    }
    return 0;
}

int eg_word_is_stop(eg_str s) {
    return eg_word_in(s, "a an and any are as at be been being but by can could did do does for from had has have how i "
                         "if in into is it its many me much my of on or our shall should so such than that the their them "
                         "then there these they this those to us was we were what when where which who whom whose why "
                         "will with would you your");
}
