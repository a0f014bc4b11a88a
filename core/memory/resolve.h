/* resolve.h - the operation resolve of eg_memory_ops. */
#ifndef EG_MEMORY_RESOLVE_H
#define EG_MEMORY_RESOLVE_H

#include "core/memory/state.h"

eg_status eg_memory_resolve(eg_memory *m, eg_request *rq, const eg_resolve_args *args, eg_resolved *out);

#endif
