/* listing.h - the operation list of eg_memory_ops. */
#ifndef EG_MEMORY_LISTING_H
#define EG_MEMORY_LISTING_H

#include "core/memory/state.h"

eg_status eg_memory_list(eg_memory *m, eg_request *rq, const eg_list_args *args, eg_listing *out);

#endif
