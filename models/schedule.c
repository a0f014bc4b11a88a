/* schedule.c - see schedule.h. Groups are assigned to threads longest first, each to the thread
 * with the least work (Graham, Bounds on multiprocessing timing anomalies, 1969), as the pool does
 * when it runs them. Then, step by step, the thread with the most work hands its last group to all
 * threads, until no group is left; the best of these states is taken. */
#include "models/schedule.h"

#include <stdlib.h>

enum { GROUP_TOKENS = 128 /* small enough for the caches */, MAX_THREADS = 256 };

/* Cuts the texts into groups of about GROUP_TOKENS tokens; of fewer, if there are not enough tokens
 * for every thread. */
static size_t cut(const size_t *offsets, size_t n, size_t share, eg_group *groups) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        size_t tokens = offsets[i + 1] - offsets[i];
        eg_group *last = count ? &groups[count - 1] : NULL;
        if (!last || (share < GROUP_TOKENS ? last->tokens + tokens > share : last->tokens >= GROUP_TOKENS)) {
            last = &groups[count++];
            *last = (eg_group){.first = i};
        }
        last->texts++;
        last->tokens += tokens;
    }
    return count;
}

static int longer_first(const void *a, const void *b) {
    const eg_group *x = a, *y = b;
    if (x->tokens != y->tokens) return x->tokens < y->tokens ? 1 : -1;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Groups that run in parallel come first, the longest at the front. */
static int together_first(const void *a, const void *b) {
    const eg_group *x = a, *y = b;
    return !x->moved != !y->moved ? (x->moved ? 1 : -1) : longer_first(a, b);
}

eg_schedule eg_schedule_make(const size_t *offsets, size_t n, uint32_t threads, eg_group *groups) {
    size_t load[MAX_THREADS] = {0}, last[MAX_THREADS] = {0} /* its last group, + 1 */, inside = 0, best_step = 0;
    double best = 0;
    eg_schedule s = {.groups = groups, .count = cut(offsets, n, (offsets[n] - offsets[0] + threads - 1) / threads, groups)};
    if (s.count) qsort(groups, s.count, sizeof *groups, longer_first);
    for (size_t i = 0; i < s.count; i++) {
        uint32_t least = 0;
        for (uint32_t t = 1; t < threads; t++)
            if (load[t] < load[least]) least = t;
        load[least] += groups[i].tokens;
        groups[i].before = last[least];
        last[least] = i + 1;
    }
    for (size_t step = 0;; step++) {
        uint32_t most = 0;
        for (uint32_t t = 1; t < threads; t++)
            if (load[t] > load[most]) most = t;
        double cost = (double)load[most] + (double)inside * EG_INSIDE_COST / threads;
        if (step == 0 || cost < best) best = cost, best_step = step;
        if (!last[most]) break;
        eg_group *g = &groups[last[most] - 1];
        last[most] = g->before;
        load[most] -= g->tokens;
        inside += g->tokens;
        g->moved = step + 1;
    }
    for (size_t i = 0; i < s.count; i++) {
        if (groups[i].moved > best_step) groups[i].moved = 0;
        s.together += !groups[i].moved;
    }
    if (!s.together) /* there may be fewer groups than threads */
        s.count = cut(offsets, n, GROUP_TOKENS, groups);
    else qsort(groups, s.count, sizeof *groups, together_first);
    return s;
}
