/* time_text.h - points in time as text. */
#ifndef ENGRAM_MEMORY_TIME_TEXT_H
#define ENGRAM_MEMORY_TIME_TEXT_H

#include "engram/plugin.h"

/* RFC 3339 to microseconds UTC; a date without a time is 00:00, a time without a zone is UTC.
 * Returns 0 when text is not a valid time. */
/* As people say it: a time as above, "now", "today" and "yesterday" (their beginning, in UTC), or
 * how long ago, such as 90m, 12h, 3d or 2w. */
int mt_time_said(eg_str text, int64_t now, int64_t *microseconds);
/* A length of time: 90m, 12h, 3d, 2w; a number alone counts days. At most 100 years. */
int mt_span_parse(eg_str text, int64_t *microseconds);
int mt_time_parse(eg_str text, int64_t *out);
/* "2026-07-28T09:30:00.123456Z"; years 0001 to 9999, others are clamped. */
enum { TIME_TEXT = 32 };
eg_str mt_time_format(int64_t microseconds, char out[TIME_TEXT]);

#endif
