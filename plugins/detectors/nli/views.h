/* views.h - the facts of a case as the verdict looks at them: statements with their words and
 * vectors. Called by features.c and verdict.c. */
#ifndef EG_NLI_VIEWS_H
#define EG_NLI_VIEWS_H

#include "engram/plugin.h"
#include "words.h"

/* Of the subject all statements are looked at. Of a candidate so many, those that share most with a
 * statement of the subject: so the pairs of a case, and the texts that must be embedded for it,
 * stay few, and no statement is out of reach. */
enum { MAX_PARTS = 12 };

typedef struct part_view {
    eg_str text;  /* what the model reads */
    eg_span span; /* of the content: what a finding names */
    uint32_t place;
    word_set words;
    const float *vector;           /* NULL without an embedding model */
    const eg_statement *statement; /* what it does; NULL: not known, or the whole fact */
} part_view;

typedef struct fact_view {
    const eg_case_fact *f;
    part_view whole;
    part_view *parts; /* the statements, in order; of one that stands alone, the whole */
    size_t count;     /* at least 1 */
} fact_view;

/* Vectors that the case lacks (of documents, and of the ninth statement on) of texts that were
 * embedded before, for all threads. A text that was not seen lately is embedded again. */
typedef struct vector_cache vector_cache;
vector_cache *vector_cache_create(void); /* NULL: out of memory */
void vector_cache_destroy(vector_cache *cache);

/* Reads n facts; facts[0] is the subject. The vectors are in the request's memory; *dimensions is 0
 * and vectors are NULL without an embedding model. */
eg_status views_read(vector_cache *cache, const eg_services *services, eg_request *rq, const eg_case_fact *const *facts, size_t n,
                     fact_view *out, uint32_t *dimensions);

#endif
