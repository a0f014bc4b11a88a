/* unigram.h - SentencePiece's unigram model: cuts a word into the pieces with the highest sum of
 * scores. Text is cut into words at the mark that replaces a space (U+2581). Not here:
 * normalisation, reading files. Called by tokenizer.c. Thread class: any once it is filled. */
#ifndef EG_TOKENIZER_UNIGRAM_H
#define EG_TOKENIZER_UNIGRAM_H

#include "models/tokenizer/tokens.h"
#include "models/tokenizer/trie.h"
#include "models/tokenizer/vocabulary.h"

typedef struct eg_unigram {
    /* set by the reader */
    eg_str *pieces;
    double *scores;
    uint32_t count, unknown; /* unknown: its id */
    int byte_fallback;       /* unknown text becomes <0xNN> tokens, if the vocabulary has all of
                              * them */
    int prefix_space;        /* a mark is put before the text if it has none */
    int splits;              /* text is cut into words */
    /* set by eg_unigram_finish */
    eg_trie trie;
    double unknown_score;
    uint32_t bytes[256]; /* id of <0xNN> + 1; 0: none */
} eg_unigram;

/* After pieces and scores are set. EG_ENOMEM, EG_ELIMIT, EG_EFORMAT. */
eg_status eg_unigram_finish(eg_unigram *u, const char *name, eg_arena *arena, eg_error *err);

/* The id of the last piece with this text. 0: there is none. */
int eg_unigram_find(const eg_unigram *u, eg_str text, uint32_t *id);

/* Appends the ids of text (valid UTF-8); their sources are spans of it. Linear. EG_ENOMEM. */
eg_status eg_unigram_encode(const eg_unigram *u, eg_str text, eg_tokens *out, eg_error *err);

#endif
