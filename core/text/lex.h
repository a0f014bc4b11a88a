/* lex.h - cuts text into tokens: words, numbers, identifiers, paths, code spans' insides. The base
 * of terms.c and of the claims. Not a parser: it knows no unit and no grammar. Thread class:
 * any. */
#ifndef EG_CORE_TEXT_LEX_H
#define EG_CORE_TEXT_LEX_H

#include "core/include/engram/types.h"

typedef enum eg_token_kind {
    EG_TOKEN_WORD = 0, /* letters, with inner apostrophes or hyphens between letters */
    EG_TOKEN_NUMBER,   /* digits with inner '.' or ',' : 10, 1,000, 2.5 */
    EG_TOKEN_IDENT,    /* everything else that holds a letter or digit: v1.2, 30s, a_b, /etc/x, x@y,
                        * mta-01 */
    EG_TOKEN_MARK      /* punctuation, operators, currency: one sign, seldom a run (--) */
} eg_token_kind;

typedef struct eg_token {
    uint32_t start, end; /* bytes of the content */
    uint8_t kind;        /* eg_token_kind */
    uint8_t space;       /* 1: white space (or the start) stands before it */
    uint8_t code;        /* 1: inside `backticks` */
    uint8_t quoted;      /* 1: inside "double quotes" */
} eg_token;

/* Tokens of content[span.start, span.end), at most `most` (others are dropped); returns how
 * many. */
size_t eg_text_lex(eg_str content, eg_span span, eg_token *out, size_t most);

#endif
