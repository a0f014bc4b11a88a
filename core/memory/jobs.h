/* jobs.h - background work: jobs are leased, run and given back here, whatever their kind. A
 * process works on at most env.max_leased jobs at once. */
#ifndef EG_MEMORY_JOBS_H
#define EG_MEMORY_JOBS_H

#include "core/memory/detect.h"

/* A detection job that the caller inserts leased, together with its fact. Token none: the
 * process works on as many jobs as it may already, and the job is inserted without a lease.
 * Ended by eg_jobs_run_own or, when the fact was not written, by eg_jobs_forget. */
typedef struct eg_own_job {
    eg_id token;
} eg_own_job;
eg_own_job eg_jobs_reserve(eg_memory *m);
void eg_jobs_forget(eg_memory *m, eg_own_job *own);
/* Gives the change that inserts the job its lease. */
void eg_jobs_lease(const eg_own_job *own, eg_change *job);
/* Runs the job of this fact until the deadline (CLOCK_MONOTONIC microseconds). *done: 1 when
 * there is a verdict; out holds its conflicts then. Otherwise the job is given back and done
 * later. */
eg_status eg_jobs_run_own(eg_memory *m, eg_request *rq, eg_own_job *own, const eg_fact *fact, const eg_derived *derived,
                          int64_t deadline, eg_detected *out, uint32_t *done);
/* Works on this process's jobs until the fact has no detection job left or the deadline is over.
 * *done: 1 when there is a verdict. */
eg_status eg_jobs_wait(eg_memory *m, eg_request *rq, eg_id fact, int64_t deadline, uint32_t *done);

/* Leaves a job of a kind that a plugin added (see eg_services.queue_job). EG_ENOENT when this
 * process has no such kind. */
eg_status eg_jobs_queue(eg_memory *m, eg_request *rq, const char *name, eg_id fact, eg_str payload, int64_t delay);

/* The operations work and escalate of eg_memory_ops. */
eg_status eg_memory_work(eg_memory *m, eg_request *rq, size_t *done, size_t *left);
eg_status eg_memory_escalate(eg_memory *m, eg_request *rq, size_t *done);

#endif
