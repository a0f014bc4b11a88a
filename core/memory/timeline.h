/* timeline.h - the operations timeline and diff of eg_memory_ops. */
#ifndef EG_MEMORY_TIMELINE_H
#define EG_MEMORY_TIMELINE_H

#include "core/memory/state.h"

eg_status eg_memory_timeline(eg_memory *m, eg_request *rq, const eg_timeline_args *args, eg_timeline *out);
eg_status eg_memory_diff(eg_memory *m, eg_request *rq, eg_str scope, int64_t from, int64_t to, eg_diff *out);

#endif
