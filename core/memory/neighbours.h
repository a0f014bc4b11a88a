/* neighbours.h - how near the facts that a query found are to the best of them. What answers a
 * topic in other words is often near to another answer, when it is not near to the topic. */
#ifndef EG_MEMORY_NEIGHBOURS_H
#define EG_MEMORY_NEIGHBOURS_H

#include "core/memory/state.h"

typedef struct eg_neighbour {
    const float *content; /* vector of the whole content; NULL: it has none yet */
    eg_str scope;
    double score; /* how well it answers */
} eg_neighbour;

/* out[i]: what row i has in common with the rows that score best, each counted by its score. A row
 * without a vector gets the least of the others; all get 0 when none has one. */
void eg_neighbours_nearness(eg_memory *m, const eg_neighbour *rows, size_t n, uint32_t dimensions, double *out);

#endif
