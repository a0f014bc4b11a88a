/* schedule.h - how the texts of a call are shared among threads: they are cut into groups, some of
 * which run in parallel, one thread each, and the others one after the other with all threads
 * inside. Only the lengths matter; results are the same bits whatever it decides. Called by
 * model.c. Thread class: any. */
#ifndef EG_MODELS_SCHEDULE_H
#define EG_MODELS_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

/* Texts [first, first + texts) with their tokens. */
typedef struct eg_group {
    size_t first, texts, tokens;
    size_t before, moved; /* private */
} eg_group;

typedef struct eg_schedule {
    eg_group *groups;       /* in the order in which they are to run */
    size_t count, together; /* the first `together` run in parallel, the others with all threads
                             * inside */
} eg_schedule;

/* The cost of a token with all threads inside, relative to its cost on one thread: threads wait for
 * each other at each phase of a layer, and columns rarely divide evenly. Assumed, not measured. */
#define EG_INSIDE_COST 1.25

/* threads: 1 to 256. groups: room for n. offsets: n + 1, the first token of each text. */
eg_schedule eg_schedule_make(const size_t *offsets, size_t n, uint32_t threads, eg_group *groups);

#endif
