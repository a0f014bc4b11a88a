/* workspaces.h - what a process remembers of each workspace that it has worked in. Found by name
 * in a hash table. */
#ifndef EG_MEMORY_WORKSPACES_H
#define EG_MEMORY_WORKSPACES_H

#include "core/memory/state.h"

/* The state of a workspace, made at the first call; NULL when memory is out. The caller holds
 * m->lock. */
eg_workspace_state *eg_workspace_state_of(eg_memory *m, eg_str name);
void eg_workspaces_release(eg_memory *m);

#endif
