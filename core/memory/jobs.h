/* jobs.h - background work: jobs are leased, run and given back here, whatever their kind. */
#ifndef EG_MEMORY_JOBS_H
#define EG_MEMORY_JOBS_H

#include "core/memory/state.h"

/* Works on this process's jobs until the fact has no detection job left or the deadline (CLOCK_MONOTONIC microseconds) is
 * over. *done: 1 when there is a verdict. */
eg_status eg_jobs_wait(eg_memory *m, eg_request *rq, eg_id fact, int64_t deadline, uint32_t *done);
/* The operation work of eg_memory_ops. */
eg_status eg_memory_work(eg_memory *m, eg_request *rq, size_t *done, size_t *left);

#endif
