/* erase.h - the operation erase of eg_memory_ops. */
#ifndef EG_MEMORY_ERASE_H
#define EG_MEMORY_ERASE_H

#include "core/memory/state.h"

eg_status eg_memory_erase(eg_memory *m, eg_request *rq, const eg_erase_args *args, eg_erased *out);

#endif
