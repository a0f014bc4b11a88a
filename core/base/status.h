/* status.h - names of status codes and the one way to fill an error record.
 * The types are public (engram/status.h); this is the host's side of them. Thread class: any. */
#ifndef EG_BASE_STATUS_H
#define EG_BASE_STATUS_H

#include "core/include/engram/status.h"

/* "EG_EINVAL" and its default text; "unknown status" for a number that is not in the table. */
const char *eg_status_name(eg_status code);
const char *eg_status_text(eg_status code);

/* Writes code and the formatted sentence into err (may be NULL) and returns code, so that a caller
 * can `return eg_fail(err, EG_EINVAL, "...")`. A message that does not fit is cut at a code
 * point. */
__attribute__((format(printf, 3, 4))) eg_status eg_fail(eg_error *err, eg_status code, const char *format, ...);

/* eg_fail(EG_ENOMEM) with the number of bytes that were asked for. */
eg_status eg_fail_memory(eg_error *err, size_t bytes);

/* A path or word for a message in buf: at most `most` bytes of s, control characters as '?'. */
const char *eg_quote(eg_str s, size_t most, char *buf, size_t buf_size);

#endif
