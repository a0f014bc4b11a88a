/* facts.h - the operations promote and lineage of eg_memory_ops. */
#ifndef EG_MEMORY_FACTS_H
#define EG_MEMORY_FACTS_H

#include "core/memory/state.h"

eg_status eg_memory_promote(eg_memory *m, eg_request *rq, eg_str fact_id, eg_fact *out);
eg_status eg_memory_lineage(eg_memory *m, eg_request *rq, eg_str lineage_id, eg_fact **out, size_t *n);

#endif
