/* normalizer.h - changes text before it is split, by a list of steps as in tokenizer.json. Not
 * here: BERT's own normaliser (wordpiece.c). Called by tokenizer.c. Thread class: any once its
 * steps are set. */
#ifndef EG_TOKENIZER_NORMALIZER_H
#define EG_TOKENIZER_NORMALIZER_H

#include "models/tokenizer/charsmap.h"

typedef enum eg_step_kind {
    EG_STEP_LOWER,
    EG_STEP_FORM,    /* normal form */
    EG_STEP_STRIP,   /* white space at the ends */
    EG_STEP_REPLACE, /* each `from` by `to` */
    EG_STEP_SPACES,  /* replaces each run of two or more U+0020 by `to` */
    EG_STEP_CHARSMAP
} eg_step_kind;

typedef struct eg_step {
    eg_step_kind kind;
    int compatible, compose; /* FORM */
    int left, right;         /* STRIP */
    eg_str from, to;
    const eg_charsmap *map;
} eg_step;

enum { EG_MAX_STEPS = 16 };
typedef struct eg_normalizer {
    eg_step steps[EG_MAX_STEPS];
    size_t count;
} eg_normalizer;

/* Runs all steps over text. *out is a view of text or of one of the buffers. trace: NULL, or begun
 * with the text; afterwards it holds the sources of *out. EG_ENOMEM; EG_ELIMIT if a step makes more
 * than 16 times the text plus 256 bytes (published ones make less than 14 times), since a few long
 * replacements in a row could fill any memory. */
eg_status eg_normalize(const eg_normalizer *z, eg_str text, eg_buffer scratch[2], eg_trace *trace, eg_str *out, eg_error *err);

/* The text without white space (White_Space of Unicode) at its left or right end. */
eg_str eg_strip(eg_str text, int left, int right);

#endif
