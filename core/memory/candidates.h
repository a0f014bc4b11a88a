/* candidates.h - the case of a detection job: which facts of the store a new fact is compared
 * with. */
#ifndef EG_MEMORY_CANDIDATES_H
#define EG_MEMORY_CANDIDATES_H

#include "core/memory/derive.h"
#include "core/memory/judge.h"

/* The facts of the store that may disagree with the subject: found by vectors, words and claims,
 * in any scope and of any age. Left out are the subject's own lineage and pairs that are known,
 * or that people dismissed or called both valid before undo gave one of the facts a new id. c
 * and what it points to lie in the request's memory. */
eg_status eg_gather(eg_memory *m, eg_request *rq, const eg_fact *subject, const eg_derived *derived, eg_case *c);
/* Neighbours in the store, of a case that eg_gather made. */
eg_case_source eg_store_neighbours(eg_memory *m);
/* From this cosine on two texts are copies or paraphrases of each other. */
#define EG_COPY_COSINE 0.9

#endif
