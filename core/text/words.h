/* words.h - what this folder knows about English words: a light stemmer and small closed word
 * lists. No model, no dictionary; a word that is on no list is just a word. Called by terms.c,
 * values.c, claims.c. Thread class: any. */
#ifndef EG_CORE_TEXT_WORDS_H
#define EG_CORE_TEXT_WORDS_H

#include "core/include/engram/status.h"

enum { EG_LONGEST_WORD = 64 };

/* Lower case of s, typographic signs made plain, control characters left out, cut at
 * EG_LONGEST_WORD bytes; out has room for four more. Returns the bytes written. */
size_t eg_word_fold(eg_str s, char *out);
/* Cuts one light English ending off a folded plain word in place (plurals, -ing, -ed, a final e),
 * so that retry/retries/retried and cache/cached/caching meet. Returns the new length. */
size_t eg_word_stem(char *p, size_t n);

/* Words that carry no subject of their own: articles, auxiliaries, prepositions, pronouns. */
int eg_word_is_stop(eg_str s);
/* 1 when s, in any case, is one of the blank-separated words of list. */
int eg_word_in(eg_str s, const char *list);

#endif
