/* clock.h - whether the clock of a writer can be believed. A store never goes back in time, so one
 * change with a clock that is set far ahead would stop its time until then. */
#ifndef EG_SQLITE_CLOCK_H
#define EG_SQLITE_CLOCK_H

#include <stdint.h>

/* All in microseconds since 1970; 0: not known. */
typedef struct clock_evidence {
    int64_t clock;    /* what the process takes for now */
    int64_t last;     /* the last change of the store */
    int64_t kernel;   /* what the kernel takes for now, asked past the libraries of the process */
    int64_t hardware; /* what the clock with a battery says */
    int64_t expected; /* the clock when the store was opened, and what has passed since then by a
                       * clock that nobody can set */
    int synchronised; /* the kernel's clock is kept right by a time service */
} clock_evidence;

/* 1 when the clock is more than a day ahead of the store: the rest of the evidence is needed. */
int clock_is_ahead(const clock_evidence *e);
/* NULL where the clock can be believed, else why not, in words. A clock that is up to a day ahead
 * of the store always can, and so can any for which there is nothing to compare it with: a store
 * may have rested for years. */
const char *clock_doubt(const clock_evidence *e);

/* How long the machine has run, also asleep. */
int64_t clock_since_boot(void);
/* Fills in what the machine knows: kernel, hardware, synchronised. */
void clock_gather(clock_evidence *e);

#endif
