/* schedule.h - how the texts of a call are shared among threads: cut into groups, of which some run side by side, a thread each,
 * and the others one after the other with every thread inside. Knows lengths alone; results are the same bits whatever it
 * decides. Used by model.c. */
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
    size_t count, together; /* the first `together` run side by side, the others with all threads inside */
} eg_schedule;

/* What a token costs with all threads inside, in shares of what it costs on one: they wait for one another at each phase of a
 * layer, and the last columns of a matrix rarely come out even. An assumption, not a measurement. */
#define EG_INSIDE_COST 1.25

/* threads: 1 to 256. groups: room for n. offsets: n + 1, the first token of each text. */
eg_schedule eg_schedule_make(const size_t *offsets, size_t n, uint32_t threads, eg_group *groups);

#endif
