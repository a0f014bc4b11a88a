/* equal.h - one fact out of two that say the same in the same scope, after two workspaces were put
 * together: commits never let a text stand twice, a merge of workspaces does. Called by move.c. */
#ifndef EG_MEMORY_EQUAL_H
#define EG_MEMORY_EQUAL_H

#include "core/memory/state.h"

/* Of each set of equal current facts in the request's workspace the one stays that is durable and
 * came first; the others are closed as merged. It keeps the longest of their lives, a pin, and
 * their conflicts that are open, suspected or were dismissed. *merged: how many were closed, also
 * where an error ends it; what is left then can be done again. */
eg_status eg_merge_equal(eg_memory *m, eg_request *rq, uint64_t *merged);

#endif
