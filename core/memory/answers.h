/* answers.h - the operation answers of eg_memory_ops: what people, agents and escalators said about
 * pairs of facts, for those who train or measure with it. Writes nothing. */
#ifndef EG_MEMORY_ANSWERS_H
#define EG_MEMORY_ANSWERS_H

#include "core/memory/state.h"

eg_status eg_memory_answers(eg_memory *m, eg_request *rq, eg_status (*each)(void *self, const eg_answer *answer), void *self);

#endif
