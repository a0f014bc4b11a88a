/* chars.h - characters and parts of a text, for the files of this folder. ASCII only. */
#ifndef EG_SECRETS_CHARS_H
#define EG_SECRETS_CHARS_H

#include "engram/status.h"

static inline int is_digit(char c) { return c >= '0' && c <= '9'; }
static inline int is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static inline int is_lower(char c) { return c >= 'a' && c <= 'z'; }
static inline char lower(char c) { return is_upper(c) ? (char)(c - 'A' + 'a') : c; }
static inline int is_alnum(char c) { return is_digit(c) || is_upper(c) || is_lower(c); }
static inline int is_token(char c) { return is_alnum(c) || c == '_' || c == '-'; }
static inline int is_secret(char c) { /* what a password in a setting may be made of */
    return c > ' ' && c < 0x7F && c != '"' && c != '\'' && c != '`' && c != ',' && c != ';' && c != ')' && c != '}' && c != ']' &&
           c != '<';
}

static inline int starts(eg_str s, size_t i, const char *prefix) {
    size_t n = strlen(prefix);
    return i <= s.len && s.len - i >= n && memcmp(s.ptr + i, prefix, n) == 0;
}
static inline int same_letters(eg_str s, size_t i, const char *word) {
    size_t n = strlen(word);
    if (s.len < i || s.len - i < n) return 0;
    for (size_t k = 0; k < n; k++)
        if (lower(s.ptr[i + k]) != word[k]) return 0;
    return 1;
}
static inline size_t span_of(eg_str s, size_t i, int (*member)(char)) {
    size_t n = 0;
    while (i + n < s.len && member(s.ptr[i + n])) n++;
    return n;
}
/* The index behind the first occurrence of word, without regard to case; 0: there is none. */
static inline size_t behind(eg_str s, const char *word) {
    for (size_t i = 0; i < s.len; i++)
        if (same_letters(s, i, word)) return i + strlen(word);
    return 0;
}
static inline int contains(eg_str s, const char *word) { return behind(s, word) != 0; }
static inline eg_str part(eg_str s, size_t from, size_t n) { return (eg_str){s.ptr + from, n}; }
static inline int is_hex(eg_str s) {
    for (size_t i = 0; i < s.len; i++)
        if (!is_digit(s.ptr[i]) && !(lower(s.ptr[i]) >= 'a' && lower(s.ptr[i]) <= 'f') && s.ptr[i] != '-') return 0;
    return 1;
}

#endif
