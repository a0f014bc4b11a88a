/* fold.h - letters and their case, for this folder: the classes that the lexer needs and simple
 * (one to one) lower case for Latin, Greek and Cyrillic. Not here: full Unicode folding; terms only
 * have to agree with themselves. Called by lex.c, normalize.c, terms.c, claims. Thread class:
 * any. */
#ifndef EG_CORE_TEXT_FOLD_H
#define EG_CORE_TEXT_FOLD_H

#include "core/include/engram/status.h"

static inline int eg_is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static inline int eg_is_lower(char c) { return c >= 'a' && c <= 'z'; }
static inline int eg_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline int eg_is_alpha(char c) { return eg_is_upper(c) || eg_is_lower(c); }
static inline char eg_lower(char c) { return eg_is_upper(c) ? (char)(c - 'A' + 'a') : c; }

typedef enum eg_char_class {
    EG_CHAR_OTHER = 0, /* punctuation, symbols, controls */
    EG_CHAR_SPACE,
    EG_CHAR_LETTER, /* letters, marks, ideographs: all that is no punctuation beyond ASCII */
    EG_CHAR_DIGIT   /* 0 to 9 */
} eg_char_class;

/* The class of code point cp. */
eg_char_class eg_char_classify(uint32_t cp);
/* Lower case of cp by the simple mapping, of the scripts named above; else cp. */
uint32_t eg_char_lower(uint32_t cp);
/* ASCII stand-in of a typographic quote, apostrophe or dash; 0 for any other code point. */
char eg_char_plain(uint32_t cp);

/* 1 when a and b are the same but for the case of ASCII letters. */
int eg_str_same_word(eg_str a, eg_str b);

#endif
