/* undo.h - the operations undo and restore of eg_memory_ops. */
#ifndef EG_MEMORY_UNDO_H
#define EG_MEMORY_UNDO_H

#include "core/memory/state.h"

eg_status eg_memory_undo(eg_memory *m, eg_request *rq, int64_t undo_id, eg_undone *out);
eg_status eg_memory_restore(eg_memory *m, eg_request *rq, eg_str fact_id, eg_undone *out);

#endif
