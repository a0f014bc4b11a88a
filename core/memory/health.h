/* health.h - the operation audit of eg_memory_ops: what in a memory wants to be looked at. */
#ifndef EG_MEMORY_HEALTH_H
#define EG_MEMORY_HEALTH_H

#include "core/memory/state.h"

eg_status eg_memory_audit(eg_memory *m, eg_request *rq, eg_audited *out);

#endif
