/* reembed.h - vectors of the active model for facts that have none of it. */
#ifndef EG_MEMORY_REEMBED_H
#define EG_MEMORY_REEMBED_H

#include "core/memory/state.h"

/* The id of the active model, without loading it; empty when there is none, or none that opens. */
eg_status eg_reembed_model(eg_memory *m, eg_request *rq, eg_str *model);
/* Leaves a job in each workspace of the store of which facts have no vectors of the active model
 * and no job is at it. One round trip when none is missing. */
eg_status eg_reembed_begin(eg_memory *m, eg_request *rq);
/* Runs a leased EG_JOB_REEMBED: the next facts, then another job while there may be more. */
eg_status eg_reembed_run(eg_memory *m, eg_request *rq, const eg_job *job);
/* How many facts of the workspace wait for vectors; 0 without a model. */
eg_status eg_reembed_count(eg_memory *m, eg_request *rq, uint64_t *n);
/* The operation reembed of eg_memory_ops. */
eg_status eg_memory_reembed(eg_memory *m, eg_request *rq, uint64_t *left);

#endif
