/* gates.h - the plugins that decide which text may become a fact. */
#ifndef EG_MEMORY_GATES_H
#define EG_MEMORY_GATES_H

#include "core/memory/state.h"

/* Shows the commit to each gate in turn, and then each of its statements in the place of the
 * content, so that a gate need not know that there are any. EG_EREFUSED, with the reason of the
 * first gate that does not let it pass. EG_EUNAVAILABLE, with what to do, where a gate that is
 * required is not there: then no text passes. Every text that is stored goes this way, agent names
 * and notes among them. */
/* The same for the reason that somebody gives for a change; an empty one passes. */
eg_status eg_pass_reason(eg_memory *m, eg_request *rq, eg_str agent, eg_str reason);
eg_status eg_pass_gates(eg_memory *m, eg_request *rq, const eg_commit_args *args);

#endif
