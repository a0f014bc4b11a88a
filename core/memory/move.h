/* move.h - the workspaces of a store as a whole: which there are, and moving or removing one.
 * Reached through the table of the memory. */
#ifndef EG_MEMORY_MOVE_H
#define EG_MEMORY_MOVE_H

#include "core/memory/state.h"

eg_status eg_memory_workspaces(eg_memory *m, eg_request *rq, eg_workspace_view **out, size_t *n);
eg_status eg_memory_edit_workspace(eg_memory *m, eg_request *rq, const eg_edit_workspace_args *args, eg_workspace_moved *out);

#endif
