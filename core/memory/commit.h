/* commit.h - the operation commit of eg_memory_ops. */
#ifndef EG_MEMORY_COMMIT_H
#define EG_MEMORY_COMMIT_H

#include "core/memory/state.h"

eg_status eg_memory_commit(eg_memory *m, eg_request *rq, const eg_commit_args *args, eg_receipt *out);

#endif
