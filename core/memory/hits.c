/* hits.c - see hits.h. */
#include "core/memory/hits.h"

#include <stdlib.h>

#include "core/memory/changes.h"
#include "core/memory/reads.h"
#include "core/memory/workspaces.h"

enum { PROMOTING_HITS = 2 };

static int is_own_note(const eg_request *rq, const eg_fact *f) {
    return f->durability == EG_DURABILITY_EPHEMERAL && eg_str_eq(f->agent_id, rq->who->agent);
}

void eg_hits_note(eg_memory *m, const eg_request *rq, const eg_hit *hits, size_t n) {
    if (n == 0) return;
    pthread_mutex_lock(&m->lock);
    eg_workspace_state *state = eg_workspace_state_of(m, rq->workspace);
    if (state && !state->hits) state->hits = calloc(HIT_QUEUE, sizeof *state->hits);
    int many = 0;
    if (state && state->hits) {
        for (size_t i = 0; i < n; i++)
            if (!is_own_note(rq, &hits[i].fact)) state->hits[state->hit_count++ % HIT_QUEUE] = hits[i].fact.id;
        many = state->hit_count > HIT_QUEUE / 2;
    }
    pthread_mutex_unlock(&m->lock);
    if (many) eg_memory_wake(m);
}

/* An ephemeral fact that proved useful to others more than once becomes durable. */
static eg_status promote_found(eg_memory *m, eg_request *rq, const eg_id *ids, size_t n) {
    int64_t now;
    eg_fact *facts = eg_request_array(rq, n, sizeof *facts);
    if (!facts) return EG_ENOMEM;
    eg_status s = eg_read_facts(m, rq, ids, n, facts, &now);
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        const eg_fact *f = &facts[i];
        if (f->seq == 0 || f->durability != EG_DURABILITY_EPHEMERAL || f->query_hits < PROMOTING_HITS || now >= f->valid_until)
            continue;
        eg_draft d;
        eg_applied applied;
        eg_draft_begin(&d, rq);
        eg_draft_promote(&d, m, f, 0);
        s = eg_draft_apply(&d, m, &applied);
        if (s == EG_ECONFLICT) s = EG_OK; /* it was closed meanwhile */
        for (size_t k = i + 1; k < n; k++)
            if (eg_id_eq(ids[k], ids[i])) facts[k].seq = 0; /* once is enough */
    }
    return s;
}

static eg_status flush_one(eg_memory *m, eg_request *rq, eg_workspace_state *state) {
    pthread_mutex_lock(&m->lock);
    eg_id *ids = state->hits;
    size_t n = state->hit_count < HIT_QUEUE ? state->hit_count : HIT_QUEUE;
    state->hits = NULL;
    state->hit_count = 0;
    pthread_mutex_unlock(&m->lock);
    if (!ids) return EG_OK;
    eg_request *own = NULL;
    eg_status s = eg_request_in(m, state->name, NULL, &rq->cancel, &own, rq->err);
    if (s == EG_OK) {
        s = STORE(m, count_hits, own, ids, n);
        if (s == EG_OK) s = promote_found(m, own, ids, n);
        if (s != EG_OK) *rq->err = *own->err;
        SERVICES(m)->request_release(m->env.host, own);
    }
    free(ids);
    return s;
}

eg_status eg_hits_flush(eg_memory *m, eg_request *rq) {
    eg_status s = EG_OK;
    if (!m->env.storage_ops) return EG_OK;
    for (size_t i = 0; s == EG_OK && i < WORKSPACE_BUCKETS; i++) {
        pthread_mutex_lock(&m->lock);
        eg_workspace_state *state = m->workspaces[i];
        pthread_mutex_unlock(&m->lock);
        /* A bucket grows at its head only. */
        for (; s == EG_OK && state; state = state->next) s = flush_one(m, rq, state);
    }
    return s;
}
