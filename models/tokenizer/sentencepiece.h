/* sentencepiece.h - reads spm.model, the protocol buffer of SentencePiece: pieces with scores, the
 * normaliser's map, and the settings that change results. It comes from outside, so every length is
 * checked. Called by tokenizer_open.c. Thread class: any. */
#ifndef EG_TOKENIZER_SENTENCEPIECE_H
#define EG_TOKENIZER_SENTENCEPIECE_H

#include "core/base/arena.h"

typedef enum eg_sp_type { EG_SP_NORMAL = 1, EG_SP_UNKNOWN, EG_SP_CONTROL, EG_SP_USER, EG_SP_UNUSED, EG_SP_BYTE } eg_sp_type;

typedef struct eg_sentencepiece {
    eg_str *pieces; /* views of the bytes */
    double *scores;
    uint8_t *types; /* eg_sp_type */
    uint32_t count;
    uint32_t unknown; /* id */
    eg_str charsmap;  /* empty: none */
} eg_sentencepiece;

/* bytes must outlive *out. EG_EUNSUPPORTED for models that are not unigram and for settings that we
 * do not support; EG_EFORMAT, EG_ELIMIT, EG_ENOMEM. */
eg_status eg_sentencepiece_parse(eg_str bytes, eg_arena *arena, eg_sentencepiece *out, eg_error *err);

#endif
