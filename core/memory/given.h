/* given.h - the statements that come with a commit: checked, and put in their places of the
 * content. */
#ifndef EG_MEMORY_GIVEN_H
#define EG_MEMORY_GIVEN_H

#include "core/base/arena.h"
#include "core/memory/state.h"

/* EG_EINVAL or EG_ELIMIT, naming the statement by its number, for one that is no text of the size
 * that statements may have. Does not look at the content. */
eg_status eg_given_check(eg_request *rq, const eg_commit_args *args);
/* *out: the statements of the commit, in the arena; one that is given twice comes once. EG_EINVAL,
 * naming the first one that says what the content does not. */
eg_status eg_given_match(eg_request *rq, eg_arena *arena, const eg_commit_args *args, eg_str scope, eg_statement_list *out);

#endif
