/* changes.h - change sets under construction: preconditions and changes that one transaction
 * checks and writes. */
#ifndef EG_MEMORY_CHANGES_H
#define EG_MEMORY_CHANGES_H

#include "core/memory/state.h"

/* In the request's memory, bounded by it. */
typedef struct eg_draft {
    eg_request *rq;
    eg_str actor; /* who is written down: at first the agent of the request */
    eg_precondition *preconditions;
    eg_change *changes;
    size_t precondition_count, precondition_capacity, change_count, change_capacity;
    int failed;      /* memory ran out: eg_draft_apply says so */
    int leaves_jobs; /* the worker is woken for them */
} eg_draft;

void eg_draft_begin(eg_draft *d, eg_request *rq);
/* Room for so many changes and preconditions more: a large draft then does not grow by copies. */
void eg_draft_reserve(eg_draft *d, size_t changes, size_t preconditions);
/* Zeroed new rows; when memory is out a scratch row, and eg_draft_apply fails. */
eg_precondition *eg_draft_require(eg_draft *d, eg_precondition_kind kind);
eg_change *eg_draft_add(eg_draft *d, eg_change_kind kind);
/* Checks and writes everything, or nothing: EG_ECONFLICT when a precondition does not hold, which
 * out->failed names. */
eg_status eg_draft_apply(eg_draft *d, eg_memory *m, eg_applied *out);

/* After a draft was applied: that reading what came of it ended with `s` must not read as a change
 * that failed. A failure is logged and told in *warning instead, which gets the first one. Returns
 * whether s was EG_OK. */
int eg_draft_told(eg_memory *m, eg_request *rq, eg_status s, eg_str *warning);

/* Closes the fact, which must be current. Its open conflicts end with it, with `why` as their
 * resolution, but for the one that this set settles itself (settled; NULL: none). Both pointers
 * must live as long as the draft. */
void eg_draft_close(eg_draft *d, const eg_fact *fact, eg_close_reason reason, const char *why, const eg_id *settled);
/* The same: its conflicts end because it was `what`, such as "deleted", and for this reason. */
void eg_draft_close_for(eg_draft *d, const eg_fact *fact, eg_close_reason reason, const char *what, eg_str why);
/* The payload of an audit row that tells a reason: {"reason":"..."}, or {}. */
eg_status eg_draft_reason(eg_request *rq, eg_str reason, eg_str *payload);
/* Keeps the fact, which must be current, for so long from now on (microseconds; 0: for ever),
 * and no shorter than it would be kept anyway. An ephemeral one becomes durable, with a
 * detection job. */
void eg_draft_promote(eg_draft *d, eg_memory *m, const eg_fact *fact, int64_t lifetime);
/* What somebody said of a conflict: 1 a true contradiction, 0 a false alarm. */
void eg_draft_feedback(eg_draft *d, const eg_conflict *c, int true_positive);
void eg_draft_link(eg_draft *d, eg_change_kind link_or_unlink, eg_id fact, eg_id other, eg_link_kind kind);
/* Vectors of an existing fact; they must live as long as the draft. */
void eg_draft_vectors(eg_draft *d, eg_id fact, const eg_vector *rows, size_t n);
void eg_draft_audit(eg_draft *d, const char *action, eg_id fact, eg_id other, eg_str payload);
/* Inserts a conflict, if nothing is known about the pair yet. */
void eg_draft_conflict(eg_draft *d, const eg_conflict *c);
/* Leaves a job that is due after so many microseconds. The change, for those who lease it at
 * once. */
eg_change *eg_draft_job(eg_draft *d, eg_memory *m, eg_job_kind kind, eg_id fact, int64_t delay);
/* Ends the job, if its lease is still held. */
void eg_draft_finish(eg_draft *d, const eg_job *job);

#endif
