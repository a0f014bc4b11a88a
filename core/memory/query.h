/* query.h - the operation query of eg_memory_ops. */
#ifndef EG_MEMORY_QUERY_H
#define EG_MEMORY_QUERY_H

#include "core/memory/state.h"

eg_status eg_memory_query(eg_memory *m, eg_request *rq, const eg_query_args *args, eg_hits *out);

#endif
