/* tokens.h - the tokens of one text, as a growing list: ids and, on request, where each comes from.
 * Filled by the models of tokenizers (wordpiece.c, bpe.c, unigram.c) and by tokenizer.c. */
#ifndef EG_TOKENS_H
#define EG_TOKENS_H

#include "core/include/engram/infer.h"

/* Where a token comes from. */
typedef struct eg_source {
    eg_range span;          /* of the text, as the reference gives it; {0, 0} for special tokens
                             * around texts */
    uint32_t length;        /* WordPiece: code points of the token as the vocabulary writes it */
    uint32_t before, after; /* byte-level BPE: spaces that it begins and ends with */
    int is_special;         /* stands around a text */
} eg_source;

/* Tokens of one text, growing. init with {0}. */
typedef struct eg_tokens {
    uint32_t *ids;
    size_t count, capacity;
    /* of each id, if has_sources was set before the first one was added; it costs time */
    eg_source *sources;
    size_t source_capacity;
    int has_sources;
    /* 0: all; else the rest of the text may be skipped after so many, since it will be truncated */
    size_t most;
} eg_tokens;
static inline int eg_tokens_enough(const eg_tokens *t) { return t->most && t->count >= t->most; }
void eg_tokens_release(eg_tokens *t);
/* Makes room for `more` ids after those that are there. EG_ENOMEM. */
eg_status eg_tokens_reserve(eg_tokens *t, size_t more, eg_error *err);

#endif
