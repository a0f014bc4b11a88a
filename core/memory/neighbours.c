/* neighbours.c - see neighbours.h. */
#include "core/memory/neighbours.h"

#include <math.h>

/* A row that scores less by this counts 1 / e of the other; and what a common scope is worth,
 * against a cosine of 1. Chosen on dev, see bench/retrieval.py. */
#define SCORE_STEP 0.03
#define COMMON_SCOPE 0.2
#define LEAST_COUNTED 1e-3 /* of what the best row counts */

void eg_neighbours_nearness(eg_memory *m, const eg_neighbour *rows, size_t n, uint32_t dimensions, double *out) {
    const eg_services *services = SERVICES(m);
    double best = -INFINITY, sum = 0, least = INFINITY;
    for (size_t i = 0; i < n; i++) {
        out[i] = 0;
        if (rows[i].content) best = fmax(best, rows[i].score);
    }
    for (size_t k = 0; k < n; k++) {
        double weight = rows[k].content ? exp((rows[k].score - best) / SCORE_STEP) : 0;
        if (weight < LEAST_COUNTED) continue;
        sum += weight;
        for (size_t i = 0; i < n; i++) {
            if (!rows[i].content) continue;
            double cosine = (double)services->dot(services->host, rows[i].content, rows[k].content, dimensions);
            out[i] += weight * (cosine + (eg_str_eq(rows[i].scope, rows[k].scope) ? COMMON_SCOPE : 0));
        }
    }
    if (sum <= 0) return;
    for (size_t i = 0; i < n; i++)
        if (rows[i].content) least = fmin(least, out[i] /= sum);
    for (size_t i = 0; i < n; i++)
        if (!rows[i].content) out[i] = least;
}
