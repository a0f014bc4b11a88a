/* state.h - the memory object that all files of this folder work on, and the calls that each of
 * them makes. */
#ifndef EG_MEMORY_STATE_H
#define EG_MEMORY_STATE_H

#include <pthread.h>

#include "core/memory/env.h"

enum {
    MAX_RETRIES = 8,        /* of an operation whose preconditions another writer broke */
    WORKSPACE_BUCKETS = 64, /* a power of two */
    HIT_QUEUE = 256         /* query hits of one workspace that wait to be counted */
};

/* What this process remembers of one workspace. Lives as long as the memory. */
typedef struct eg_workspace_state {
    struct eg_workspace_state *next; /* of its bucket */
    eg_id *hits;                     /* a ring of HIT_QUEUE; NULL while no hit waits */
    size_t hit_count;                /* all that were noted; the ring holds the last ones */
    int64_t embedded_to;             /* every fact up to this seq has vectors of the active model */
    eg_str name;
} eg_workspace_state;

typedef struct eg_scope_table eg_scope_table;

struct eg_memory {
    eg_memory_env env;
    pthread_mutex_t lock; /* guards everything below */
    pthread_cond_t job_done;
    eg_workspace_state *workspaces[WORKSPACE_BUCKETS]; /* see workspaces.h */
    eg_scope_table *scopes;                            /* see scope_vectors.h; NULL: none yet */
    uint32_t jobs_running;                             /* at most env.max_leased */
    /* One a detector: errors and overruns in a row. */
    uint32_t *overruns;
    /* One an escalator: until when it is not asked (CLOCK_MONOTONIC microseconds). */
    int64_t *paused_until;
    /* The active model does not open in this process: background work does not ask for it again.
     * */
    int cannot_embed;
};

/* Shorthands for the calls that every file makes. */
#define SERVICES(m) ((m)->env.services)
#define STORE(m, call, ...) ((m)->env.storage_ops->call((m)->env.storage, __VA_ARGS__))

/* The store's now, which decides whether a fact is current. */
static inline eg_status eg_now(eg_memory *m, eg_request *rq, int64_t *now) { return STORE(m, now, rq, now); }

/* There is work for the worker: a job, or hits to count. */
static inline void eg_memory_wake(eg_memory *m) {
    if (m->env.wake) m->env.wake(m->env.host);
}

/* A request of core's own in a workspace, whose name must live as long as the request. who:
 * NULL: the memory itself, which may do everything. Released by the service. */
static inline eg_status eg_request_in(eg_memory *m, eg_str workspace, const eg_principal *who, const eg_cancel *cancel,
                                      eg_request **out, eg_error *err) {
    const eg_inner_request of = {
        .workspace = workspace, .who = who ? who : &m->env.self, .cancel = cancel ? *cancel : (eg_cancel){0}};
    return m->env.request_make(m->env.host, &of, out, err);
}

#endif
