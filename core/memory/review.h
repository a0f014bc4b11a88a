/* review.h - the operation judge of eg_memory_ops: the answer to a suspected conflict. */
#ifndef EG_MEMORY_REVIEW_H
#define EG_MEMORY_REVIEW_H

#include "core/memory/state.h"

eg_status eg_memory_judge(eg_memory *m, eg_request *rq, const eg_judge_args *args, eg_resolved *out);

#endif
