/* arguments.h - the checks that text from outside passes before anything is done with it. */
#ifndef EG_MEMORY_ARGUMENTS_H
#define EG_MEMORY_ARGUMENTS_H

#include "core/include/engram/request.h"

/* EG_EINVAL, naming the argument, for invalid UTF-8, NUL bytes and, where `needed`, for text
 * that is empty or blank; EG_ELIMIT for more than `most` bytes. */
eg_status eg_check_text(eg_request *rq, const char *name, eg_str s, size_t most, int needed);
/* The same for a text that is stored; EG_EINVAL, naming the code point and its place, also for
 * characters that a reader does not see and an agent obeys (core/base/hidden.h). */
eg_status eg_check_stored(eg_request *rq, const char *name, eg_str s, size_t most, int needed);
/* The canonical form of a scope. An empty one (also "/") becomes "general", or stays empty, for
 * all scopes, where it is a filter (empty_is_all). */
eg_status eg_check_scope(eg_request *rq, eg_str scope, int empty_is_all, eg_str *out);

#endif
