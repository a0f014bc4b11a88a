/* reembed.c - vectors of the active model for facts that have none: after the model was changed,
 * and for facts of processes that run with another one. Old vectors stay (a process that runs,
 * or a change back, still uses them) and are never compared with new ones: a search names its
 * model.
 *
 * Work goes from the oldest fact on. How far it has come is a setting of the workspace for each
 * model, written with the vectors. At most one job of a workspace is at it at a time; each job
 * does a few facts and leaves another job behind it, so it survives a crash and lets detection
 * go first. */
#include "core/memory/reembed.h"

#include "core/base/clock.h"
#include "core/memory/changes.h"
#include "core/memory/derive.h"
#include "core/memory/reads.h"
#include "core/memory/workspaces.h"

enum {
    JOB_FACTS = 16,
    DIRECT_FACTS = 4,
    /* Changes of the store, after which how far it has come is written down again. */
    KEEP_EVERY = 2000
};

#define DEAD_PAUSE (3600 * EG_SECOND) /* how long a dead-lettered job keeps others from trying */

static eg_str progress_key(eg_request *rq, eg_str model) {
    return eg_request_printf(rq, "embedded.%.*s", (int)model.len, model.ptr);
}

/* How far the vectors of this model have come, by what is written down. */
static eg_status progress_of(eg_memory *m, eg_request *rq, eg_str model, int64_t *seq) {
    eg_str value, key = progress_key(rq, model);
    *seq = 0;
    if (!key.ptr) return EG_ENOMEM;
    eg_status s = STORE(m, setting, rq, key, &value);
    for (size_t i = 0; s == EG_OK && i < value.len && i < 18 && value.ptr[i] >= '0' && value.ptr[i] <= '9'; i++)
        *seq = *seq * 10 + value.ptr[i] - '0';
    return s == EG_ENOENT ? EG_OK : s;
}

static void draft_progress(eg_draft *d, eg_str model, int64_t seq) {
    eg_change *c = eg_draft_add(d, EG_CHANGE_SETTING);
    c->setting.key = progress_key(d->rq, model);
    c->setting.value = eg_request_printf(d->rq, "%lld", (long long)seq);
    d->failed |= !c->setting.key.ptr || !c->setting.value.ptr;
}

/* The newest change of the workspace. */
static eg_status last_seq(eg_memory *m, eg_request *rq, int64_t *seq) {
    eg_store_stats stats = {0};
    eg_status s = STORE(m, stats, rq, 0, &stats);
    *seq = stats.seq;
    return s;
}

/* What this process knows of a workspace without asking: all facts up to this seq have their
 * vectors. */
static int64_t remembered(eg_memory *m, eg_str workspace) {
    pthread_mutex_lock(&m->lock);
    const eg_workspace_state *state = eg_workspace_state_of(m, workspace);
    int64_t seq = state ? state->embedded_to : 0;
    pthread_mutex_unlock(&m->lock);
    return seq;
}
static void remember(eg_memory *m, eg_str workspace, int64_t seq) {
    pthread_mutex_lock(&m->lock);
    eg_workspace_state *state = eg_workspace_state_of(m, workspace);
    /* Without memory it is asked again. */
    if (state && seq > state->embedded_to) state->embedded_to = seq;
    pthread_mutex_unlock(&m->lock);
}

eg_status eg_reembed_model(eg_memory *m, eg_request *rq, eg_str *model) {
    pthread_mutex_lock(&m->lock);
    int off = m->cannot_embed || !m->env.embed_id;
    pthread_mutex_unlock(&m->lock);
    *model = (eg_str){0};
    eg_status s = off ? EG_EUNAVAILABLE : m->env.embed_id(m->env.host, model, rq->err);
    if (s == EG_EUNAVAILABLE) *model = (eg_str){0};
    return s == EG_EUNAVAILABLE ? EG_OK : s;
}

/* Begins in the workspace of the request, whose facts have vectors up to `known`; last: its newest
 * change. */
static eg_status begin_in(eg_memory *m, eg_request *rq, eg_str model, int64_t known, int64_t last) {
    int64_t from;
    eg_fact *first = NULL;
    size_t n = 0;
    eg_status s = progress_of(m, rq, model, &from);
    if (s != EG_OK) return s;
    s = STORE(m, unembedded, rq, model, from > known ? from : known, 1, &first, &n, NULL);
    if (s != EG_OK) return s;
    eg_draft d;
    eg_applied applied;
    eg_draft_begin(&d, rq);
    if (n) {
        eg_precondition *none = eg_draft_require(&d, EG_REQUIRE_NO_JOB);
        none->no_job.kind = EG_JOB_REEMBED;
        none->no_job.pause = DEAD_PAUSE;
        eg_draft_job(&d, m, EG_JOB_REEMBED, first->id, 0);
    } else {
        remember(m, rq->workspace, last);
        if (last - from < KEEP_EVERY) return EG_OK;
        /* So that the next process need not look at all facts again. */
        draft_progress(&d, model, last);
    }
    s = eg_draft_apply(&d, m, &applied);
    /* Another process works on it, or this one cannot write. */
    return s == EG_ECONFLICT || s == EG_EREADONLY ? EG_OK : s;
}

eg_status eg_reembed_begin(eg_memory *m, eg_request *rq) {
    eg_str model;
    eg_workspace_row *rows = NULL;
    size_t n = 0;
    eg_status s = eg_reembed_model(m, rq, &model);
    if (s != EG_OK || !model.len) return s;
    s = STORE(m, workspaces, rq, 0, 0, &rows, &n);
    for (size_t i = 0; s == EG_OK && i < n && !eg_cancel_is_set(&rq->cancel); i++) {
        int64_t known = remembered(m, rows[i].name);
        eg_request *one = NULL;
        if (rows[i].seq <= known) continue;
        if ((s = eg_request_in(m, rows[i].name, NULL, &rq->cancel, &one, rq->err)) != EG_OK) break;
        s = begin_in(m, one, model, known, rows[i].seq);
        if (s != EG_OK) *rq->err = *one->err;
        SERVICES(m)->request_release(m->env.host, one);
    }
    return s;
}

/* Adds the vectors of the next facts, and how far that is, to the draft. *more: 1 when there may
 * be others after them. The model is loaded only when there is something to do. */
static eg_status draft_batch(eg_memory *m, eg_draft *d, uint32_t most, eg_fact **facts, size_t *n, int *more) {
    eg_request *rq = d->rq;
    eg_str model;
    uint32_t dimensions;
    int64_t last = 0, from = 0;
    *more = 0;
    *n = 0;
    eg_status s = eg_reembed_model(m, rq, &model);
    if (s != EG_OK || !model.len) return s;
    if (s == EG_OK) s = progress_of(m, rq, model, &from);
    if (s == EG_OK) s = last_seq(m, rq, &last);
    if (s == EG_OK) s = STORE(m, unembedded, rq, model, from, most, facts, n, NULL);
    if (s == EG_OK && *n && (s = m->env.embed_model(m->env.host, &model, &dimensions, rq->err)) == EG_EUNAVAILABLE) {
        pthread_mutex_lock(&m->lock);
        m->cannot_embed = 1;
        pthread_mutex_unlock(&m->lock);
        *n = 0;
        return EG_OK;
    }
    eg_statement_list *kept = eg_request_array(rq, *n, sizeof *kept);
    eg_id *ids = eg_request_array(rq, *n, sizeof *ids);
    if (!kept || !ids) return EG_ENOMEM;
    for (size_t i = 0; s == EG_OK && i < *n; i++) ids[i] = (*facts)[i].id;
    if (s == EG_OK) s = eg_read_statements(m, rq, ids, *n, kept);
    eg_arena arena;
    for (size_t i = 0; s == EG_OK && i < *n; i++) {
        const eg_fact *f = &(*facts)[i];
        eg_derived *derived = eg_request_array(rq, 1, sizeof *derived);
        if (!derived) return EG_ENOMEM;
        eg_arena_init(&arena, 0);
        s = eg_derive_text(rq, &arena, f->content, f->scope, kept[i], derived);
        if (s == EG_OK) s = eg_derive_vectors(m, rq, f->content, derived);
        eg_arena_release(&arena);
        eg_draft_vectors(d, f->id, derived->vectors, derived->vector_count);
    }
    if (s != EG_OK) return s;
    *more = *n == most;
    if (*n || last - from >= KEEP_EVERY) draft_progress(d, model, *more ? (*facts)[*n - 1].seq : last);
    return EG_OK;
}

eg_status eg_reembed_run(eg_memory *m, eg_request *rq, const eg_job *job) {
    eg_draft d;
    eg_applied applied;
    eg_fact *facts = NULL;
    size_t n;
    int more;
    eg_draft_begin(&d, rq);
    eg_draft_finish(&d, job);
    eg_status s = draft_batch(m, &d, JOB_FACTS, &facts, &n, &more);
    if (s != EG_OK) return s;
    if (more) eg_draft_job(&d, m, EG_JOB_REEMBED, facts[n - 1].id, 0);
    s = eg_draft_apply(&d, m, &applied);
    return s == EG_ECONFLICT ? EG_OK : s; /* the lease is somebody else's now */
}

eg_status eg_reembed_count(eg_memory *m, eg_request *rq, uint64_t *n) {
    eg_str model;
    int64_t from;
    eg_fact *none = NULL;
    size_t count;
    *n = 0;
    eg_status s = eg_reembed_model(m, rq, &model);
    if (s != EG_OK || !model.len) return s;
    s = progress_of(m, rq, model, &from);
    return s == EG_OK ? STORE(m, unembedded, rq, model, from, 0, &none, &count, n) : s;
}

eg_status eg_memory_reembed(eg_memory *m, eg_request *rq, uint64_t *left) {
    int64_t deadline = rq->cancel.deadline;
    eg_status s = EG_OK;
    for (int more = 1, first = 1; s == EG_OK && more && !eg_cancel_is_set(&rq->cancel); first = 0) {
        /* One batch always: it comes to an end. */
        if (deadline && !first && eg_clock_monotonic() >= deadline) break;
        eg_request *one;
        eg_applied applied;
        eg_draft d;
        eg_fact *facts = NULL;
        size_t n;
        /* The deadline is of the whole, not of a batch. */
        const eg_cancel stop = {.flag = rq->cancel.flag};
        if ((s = eg_request_in(m, rq->workspace, rq->who, &stop, &one, rq->err)) != EG_OK)
            break; /* its own memory for each batch */
        eg_draft_begin(&d, one);
        s = draft_batch(m, &d, DIRECT_FACTS, &facts, &n, &more);
        if (s == EG_OK && d.change_count) s = eg_draft_apply(&d, m, &applied);
        if (s != EG_OK) *rq->err = *one->err;
        SERVICES(m)->request_release(m->env.host, one);
    }
    if (s == EG_ECANCELLED) s = EG_OK;
    return s == EG_OK ? eg_reembed_count(m, rq, left) : s;
}
