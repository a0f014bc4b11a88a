/* import.h - the operation import_memory of eg_memory_ops. */
#ifndef EG_MEMORY_IMPORT_H
#define EG_MEMORY_IMPORT_H

#include "core/memory/state.h"

eg_status eg_memory_import(eg_memory *m, eg_request *rq, const eg_import_args *args, eg_imported *out);

#endif
