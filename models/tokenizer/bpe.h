/* bpe.h - byte-level BPE: cuts text into words by GPT-2's pattern and merges the bytes of a word
 * pair by pair, the pair with the lowest rank first. Not here: reading files (tokenizer_json.c,
 * tokenizer_open.c). Called by tokenizer.c. Thread class: any once it is filled. */
#ifndef EG_TOKENIZER_BPE_H
#define EG_TOKENIZER_BPE_H

#include <stdatomic.h>

#include "models/tokenizer/tokens.h"
#include "models/tokenizer/vocabulary.h"

typedef struct eg_merge {
    uint64_t pair; /* left id << 32 | right id */
    uint32_t rank; /* EG_NO_RANK: an empty slot */
    uint32_t id;   /* of what they make */
} eg_merge;
#define EG_NO_RANK UINT32_MAX

typedef struct eg_bpe {
    eg_vocabulary vocabulary; /* tag 0: raw bytes; tag 1: tokens with characters that do not stand
                               * for a byte, as written */
    eg_merge *merges;         /* open addressing, at most half full */
    size_t mask;
    uint32_t bytes[256];   /* id of each single byte */
    uint8_t has_byte[256]; /* 0: not in the vocabulary */
    uint32_t unknown;      /* the token for bytes that are not in the vocabulary, if has_unknown;
                            * else they are dropped */
    int has_unknown, fuse_unknown;
    int prefix_space;    /* a space is put before the text if it has none */
    uint16_t *lengths;   /* by id: bytes of its text */
    atomic_uchar *whole; /* by slot of the vocabulary: whether its text becomes this one token;
                          * computed at first use */
} eg_bpe;

/* Tables for so many tokens and merges of `file`, which messages name. EG_ENOMEM, EG_ELIMIT. */
eg_status eg_bpe_init(eg_bpe *b, const char *file, size_t tokens, size_t merges, eg_arena *arena, eg_error *err);
/* A token as vocab.json writes it: each byte as the character that stands for it. EG_ENOMEM,
 * EG_EFORMAT, EG_ELIMIT. */
eg_status eg_bpe_add(eg_bpe *b, const char *name, eg_str token, uint32_t id, eg_arena *arena, eg_error *err);
/* Adds a merge; call after the tokens. EG_EFORMAT if one of its parts, or the result, is not a
 * token. */
eg_status eg_bpe_merge(eg_bpe *b, const char *name, eg_str left, eg_str right, uint32_t rank, eg_error *err);
/* Call after the last merge. unknown: the text of the unknown token, or ptr NULL. EG_ENOMEM,
 * EG_EFORMAT. */
eg_status eg_bpe_finish(eg_bpe *b, const char *name, eg_str unknown, eg_arena *arena, eg_error *err);

/* The id of a token as vocab.json writes it. 0: there is none. */
int eg_bpe_find(const eg_bpe *b, eg_str token, uint32_t *id);

/* Appends the ids of text; their sources are spans of it, which may cut code points. Time: n log n
 * at most, for a word of n bytes. EG_ENOMEM. */
eg_status eg_bpe_encode(const eg_bpe *b, eg_str text, eg_tokens *out, eg_error *err);

#endif
