/* export.h - the operation export_memory of eg_memory_ops. */
#ifndef EG_MEMORY_EXPORT_H
#define EG_MEMORY_EXPORT_H

#include "core/memory/state.h"

eg_status eg_memory_export(eg_memory *m, eg_request *rq, const eg_export_args *args, eg_status (*each)(void *self, eg_str text),
                           void *self, eg_exported *out);

#endif
