/* marks.h - the operations pin and archive of eg_memory_ops. What brings an archived fact back is
 * in undo.h. */
#ifndef EG_MEMORY_MARKS_H
#define EG_MEMORY_MARKS_H

#include "core/memory/state.h"

eg_status eg_memory_pin(eg_memory *m, eg_request *rq, eg_str fact_id, int pinned, eg_fact *out);
eg_status eg_memory_archive(eg_memory *m, eg_request *rq, eg_str fact_id, eg_str reason, eg_undone *out);

#endif
