/* detect.h - what the jobs of one fact do: look for contradictions, or make the vectors that its
 * commit left out. */
#ifndef EG_MEMORY_DETECT_H
#define EG_MEMORY_DETECT_H

#include "core/memory/derive.h"

/* The open conflicts that a detection wrote, with both facts, in the memory of a request that
 * outlives it: most severe first, then newest. The suspected ones that it asks about. And the facts
 * that the new one replaces by its own words, repeats, or stands beside in another context. */
typedef struct eg_detected {
    eg_request *rq;
    eg_conflict_view *views, *suspected;
    eg_related *related;
    size_t count, suspected_count, related_count;
    int lost; /* 1: the lease was, nothing was written */
} eg_detected;

/* Runs a leased EG_JOB_DETECT or EG_JOB_EMBED and ends it, in one transaction with its outcome.
 * A lease that was lost meanwhile is no error: nothing is written then, the new owner decides. */
eg_status eg_detect_run(eg_memory *m, eg_request *rq, const eg_job *job);
/* The same for an EG_JOB_DETECT whose fact the caller has at hand. out may be NULL. */
eg_status eg_detect(eg_memory *m, eg_request *rq, const eg_job *job, const eg_fact *fact, const eg_derived *derived,
                    eg_detected *out);

#endif
