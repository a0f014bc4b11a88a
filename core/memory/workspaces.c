/* workspaces.c - see workspaces.h. */
#include "core/memory/workspaces.h"

#include <stdlib.h>

/* FNV-1a, 32 bit: names of workspaces are given by the host, not by whoever asks. */
static size_t bucket_of(eg_str name) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < name.len; i++) h = (h ^ (uint8_t)name.ptr[i]) * 16777619u;
    return h & (WORKSPACE_BUCKETS - 1);
}

eg_workspace_state *eg_workspace_state_of(eg_memory *m, eg_str name) {
    eg_workspace_state **head = &m->workspaces[bucket_of(name)], *state = *head;
    while (state && !eg_str_eq(state->name, name)) state = state->next;
    if (state) return state;
    state = calloc(1, sizeof *state + name.len);
    if (!state) return NULL;
    char *copy = (char *)(state + 1);
    memcpy(copy, name.ptr, name.len);
    state->name = (eg_str){copy, name.len};
    state->next = *head;
    *head = state;
    return state;
}

void eg_workspaces_release(eg_memory *m) {
    for (size_t i = 0; i < WORKSPACE_BUCKETS; i++) {
        while (m->workspaces[i]) {
            eg_workspace_state *state = m->workspaces[i];
            m->workspaces[i] = state->next;
            free(state->hits);
            free(state);
        }
    }
}
