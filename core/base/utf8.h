/* utf8.h - the border check for text, and stepping through it. Not here: normalisation and case
 * folding (models/ for tokenizers, core/text for terms). Source: RFC 3629. Thread class: any. */
#ifndef EG_BASE_UTF8_H
#define EG_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Length of the longest valid prefix of p[0..n): n when all of it is valid UTF-8 (no surrogates, no
 * overlong forms, nothing above U+10FFFF). */
size_t eg_utf8_valid_prefix(const char *p, size_t n);

/* Decodes one code point of valid UTF-8 at p (n > 0 bytes left), stores it in *cp, returns its
 * bytes (1..4). On an invalid byte: U+FFFD and 1, so that a loop always ends. */
size_t eg_utf8_decode(const char *p, size_t n, uint32_t *cp);

/* Encodes cp into out[4]; returns the bytes written, 0 for surrogates and values over U+10FFFF. */
size_t eg_utf8_encode(uint32_t cp, char out[4]);

/* The greatest index <= at where a code point of p[0..n) begins (or n): for cutting text. */
size_t eg_utf8_floor(const char *p, size_t n, size_t at);

#endif
