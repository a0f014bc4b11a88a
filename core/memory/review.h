/* review.h - the operation judge of eg_memory_ops: the answer to a suspected conflict. */
#ifndef EG_MEMORY_REVIEW_H
#define EG_MEMORY_REVIEW_H

#include "core/memory/state.h"

/* Makes the answer of a model that saw two statements and nothing else one that closes no fact, as
 * only people and agents do: "update" becomes a contradiction whose reason says so. EG_ENOMEM. */
eg_status eg_review_by_model(eg_request *rq, eg_judge_args *args);

eg_status eg_memory_judge(eg_memory *m, eg_request *rq, const eg_judge_args *args, eg_resolved *out);

#endif
