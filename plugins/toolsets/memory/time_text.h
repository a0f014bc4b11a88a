/* time_text.h - points in time as text. */
#ifndef ENGRAM_MEMORY_TIME_TEXT_H
#define ENGRAM_MEMORY_TIME_TEXT_H

#include "engram/plugin.h"

/* RFC 3339 to microseconds UTC; a date without a time is 00:00, a time without a zone is UTC.
 * Returns 0 when text is not a valid time. */
int mt_time_parse(eg_str text, int64_t *out);
/* "2026-07-28T09:30:00.123456Z"; years 0001 to 9999, others are clamped. */
enum { TIME_TEXT = 32 };
eg_str mt_time_format(int64_t microseconds, char out[TIME_TEXT]);

#endif
