/* detect.h - what the jobs of one fact do: look for contradictions, or make the vectors that its commit left out. */
#ifndef EG_MEMORY_DETECT_H
#define EG_MEMORY_DETECT_H

#include "core/memory/state.h"

/* Runs a leased EG_JOB_DETECT or EG_JOB_EMBED and ends it, in one transaction with its outcome. A lease that was lost meanwhile
 * is no error: nothing is written then, the new owner decides. */
eg_status eg_detect_run(eg_memory *m, eg_request *rq, const eg_job *job);

#endif
