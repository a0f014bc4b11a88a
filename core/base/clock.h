/* clock.h - time as int64 microseconds since 1970-01-01T00:00:00Z, and its text form, RFC 3339 with
 * Z. The clock is injectable: whoever needs time takes an eg_clock. Thread class: any. */
#ifndef EG_BASE_CLOCK_H
#define EG_BASE_CLOCK_H

#include "core/include/engram/status.h"

#define EG_SECOND INT64_C(1000000)
#define EG_DAY (INT64_C(86400) * EG_SECOND)

typedef struct eg_clock {
    int64_t (*now)(void *self);
    void *self;
} eg_clock;

/* CLOCK_REALTIME. */
eg_clock eg_clock_system(void);
/* CLOCK_MONOTONIC in microseconds, for durations and deadlines. */
int64_t eg_clock_monotonic(void);
/* CLOCK_THREAD_CPUTIME_ID in microseconds: the CPU time of this thread, however busy the
 * machine. */
int64_t eg_clock_thread(void);

enum { EG_TIME_TEXT = 28 }; /* "2026-11-21T02:38:00.123456Z" and the NUL */

/* Writes RFC 3339 with microseconds and Z. Years 0000 to 9999; outside them the nearest end. */
void eg_time_format(int64_t t, char out[EG_TIME_TEXT]);

/* Reads RFC 3339: a date alone means 00:00Z; no zone means UTC; fraction of 1 to 9 digits; 'T', 't'
 * or a space between; zone Z, z or +-hh:mm. EG_EINVAL with the text and the expected form
 * otherwise. */
eg_status eg_time_parse(eg_str text, int64_t *out, eg_error *err);

#endif
