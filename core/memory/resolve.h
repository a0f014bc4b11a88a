/* resolve.h - the operation resolve of eg_memory_ops, and the note by which undo.c takes back what
 * it did. */
#ifndef EG_MEMORY_RESOLVE_H
#define EG_MEMORY_RESOLVE_H

#include "core/base/json.h"
#include "core/memory/state.h"

eg_status eg_memory_resolve(eg_memory *m, eg_request *rq, const eg_resolve_args *args, eg_resolved *out);

/* Appends the payload of the audit row of a settlement, and returns the text:
 * {"conflict":"...","type":"winner","closed":["..."],"merged":"..."}; created: the merged fact, if
 * the settlement inserted it. */
eg_str eg_resolve_note(eg_buffer *b, const eg_conflict *settled, const eg_id *closed, size_t closed_count, eg_id created);

#endif
