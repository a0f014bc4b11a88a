/* check.h - the operation check of eg_memory_ops. */
#ifndef EG_MEMORY_CHECK_H
#define EG_MEMORY_CHECK_H

#include "core/memory/state.h"

eg_status eg_memory_check(eg_memory *m, eg_request *rq, const eg_check_args *args, eg_checked *out);

#endif
