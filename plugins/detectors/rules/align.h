/* align.h - aligns two sentences word by word and classifies their differences. The same sentence
 * with another value in the same place is the most reliable sign of a contradiction that needs no
 * model. Thread class: any. */
#ifndef EG_DETECTORS_ALIGN_H
#define EG_DETECTORS_ALIGN_H

#include "../common/compare_values.h"
#include "sentence.h"

typedef enum align_verdict {
    ALIGN_NOTHING = 0,
    ALIGN_SAME,       /* all words and values agree */
    ALIGN_CONFLICT,   /* the same but for incompatible values */
    ALIGN_BOTH_VALID, /* incompatible values, but also another name, environment, condition */
    ALIGN_UPDATE      /* incompatible values, and one sentence says that it replaced the other's */
} align_verdict;

typedef enum align_class { CLASS_ENTITY = 0, CLASS_NUMERIC, CLASS_TEMPORAL } align_class;

typedef struct alignment {
    align_verdict verdict;
    align_class class;
    double score;
    size_t shared;            /* content words that are equal in the alignment */
    int named;                /* 1: one of them is a name or an identifier */
    eg_span a, b;             /* the bytes that contradict each other */
    const char *reason;       /* of ALIGN_BOTH_VALID: what else differs, as a phrase */
    eg_span apart_a, apart_b; /* the words that show it; empty: that sentence has none */
} alignment;

typedef struct align_table align_table; /* scratch memory for one pair of sentences at a time */

/* Allocates from the request; NULL without memory. */
align_table *align_table_create(eg_request *rq);
/* Compares the sentences; a is the newer one. */
void align_sentences(align_table *t, const sentence *a, const sentence *b, alignment *out);

#endif
