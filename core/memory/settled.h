/* settled.h - pairs that people dismissed or called both valid, recognised when their words come
 * back slightly changed: a fact that was committed anew, or a sentence of a document. The same two
 * facts are known by their ids: candidates.h. */
#ifndef EG_MEMORY_SETTLED_H
#define EG_MEMORY_SETTLED_H

#include "core/memory/state.h"

/* The texts of one pair. */
typedef struct eg_settled_pair {
    eg_str text[2], normal[2]; /* as they are, and in their normal form */
} eg_settled_pair;

typedef struct eg_settled {
    eg_settled_pair *pairs; /* the newest 1000 */
    size_t count;
    int is_loaded;
} eg_settled;

/* 1 when two texts have the same numbers with their units, names, and words such as "not". */
int eg_settled_same_words(eg_str a, eg_str b);
/* Reads the pairs of the workspace into the request's memory, once. */
eg_status eg_settled_load(eg_memory *m, eg_request *rq, eg_settled *s);
/* *found: 1 when two texts say the same as those of a pair, in any order: they have the same normal
 * form; or the same numbers, names and words such as "not", "only" and "staging", and a cosine of
 * at least 0.92. Without an embedding model only the normal form counts. */
eg_status eg_settled_has(eg_memory *m, eg_request *rq, const eg_settled *s, eg_str one, eg_str other, int *found);

#endif
