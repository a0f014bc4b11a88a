/* escalate.h - tier 3: suspected pairs are put before an escalator, a plugin that asks something
 * slow such as a language model. It gets two statements with their scopes and times, and nothing
 * else of the facts. Its answers are written as those of an agent. Not here: the loop that leases
 * jobs (jobs.h). */
#ifndef EG_MEMORY_ESCALATE_H
#define EG_MEMORY_ESCALATE_H

#include "core/memory/changes.h"
#include "core/memory/sides.h"

/* What an escalator gets to see of two facts, the earlier one first; characters that nobody sees
 * are shown to it. *out lives as long as the request. */
eg_status eg_escalate_case(eg_request *rq, const eg_side sides[2], const eg_fact *const facts[2], eg_pair_case *out);

/* Asks the escalators in their order until one answers; its verdict is checked and its texts are in
 * the request's memory. *by: who answered. EG_ERATE when none may be asked now (out->retry_after_s
 * says for how long), EG_EUNAVAILABLE when none could be reached, EG_EFORMAT when none gave a
 * valid answer: each reason is logged. EG_ECANCELLED, EG_ENOMEM. */
eg_status eg_escalate_ask(eg_memory *m, eg_request *rq, const eg_pair_case *pair, eg_pair_verdict *out, const eg_escalator **by);

/* Leaves the job that asks about a suspected conflict. */
void eg_escalate_draft(eg_memory *m, eg_draft *d, eg_id conflict);
/* Does such a job. */
eg_status eg_escalate_run(eg_memory *m, eg_request *rq, const eg_job *job);

#endif
