/* align.h - lays two sentences beside each other and says what differs: the same sentence with another value
 * in the same place is the surest contradiction there is without a model. Thread class: any. */
#ifndef EG_DETECTORS_ALIGN_H
#define EG_DETECTORS_ALIGN_H

#include "compare_values.h"
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
    size_t shared;      /* words of meaning that both sentences hold in the same place */
    int named;          /* 1: one of them is a name or an identifier */
    eg_span a, b;       /* the bytes that disagree */
    const char *reason; /* of ALIGN_BOTH_VALID: what else differs */
} alignment;

typedef struct align_table align_table; /* room for two sentences of any length, used again for each pair */

/* In the request's memory; NULL when there is none left. */
align_table *align_table_create(eg_request *rq);
/* Compares the sentences; a is the newer one. */
void align_sentences(align_table *t, const sentence *a, const sentence *b, alignment *out);

#endif
