/* memory.c - making the memory, its table of operations, its status. The operations stand in the files named after
 * them. */
#include "core/memory/memory.h"

#include <stdlib.h>

#include "core/base/status.h"
#include "core/memory/check.h"
#include "core/memory/commit.h"
#include "core/memory/conflicts.h"
#include "core/memory/facts.h"
#include "core/memory/hits.h"
#include "core/memory/jobs.h"
#include "core/memory/query.h"
#include "core/memory/reembed.h"
#include "core/memory/resolve.h"
#include "core/memory/undo.h"
#include "core/memory/workspaces.h"

eg_status eg_memory_create(const eg_memory_env *env, eg_memory **out, eg_error *err) {
    *out = NULL;
    eg_memory *m = calloc(1, sizeof *m);
    if (!m) return eg_fail_memory(err, sizeof *m);
    m->env = *env;
    m->overruns = calloc(env->detector_count ? env->detector_count : 1, sizeof *m->overruns);
    if (!m->overruns) {
        free(m);
        return eg_fail_memory(err, env->detector_count * sizeof *m->overruns);
    }
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->job_done, NULL);
    *out = m;
    return EG_OK;
}

void eg_memory_destroy(eg_memory *m) {
    if (!m) return;
    eg_request *rq = NULL;
    eg_error err = {0};
    if (SERVICES(m)->request_create(m->env.host, NULL, &rq, &err) == EG_OK) {
        (void)eg_hits_flush(m, rq); /* a counter that is lost is no reason to fail */
        SERVICES(m)->request_release(m->env.host, rq);
    }
    pthread_cond_destroy(&m->job_done);
    pthread_mutex_destroy(&m->lock);
    eg_workspaces_release(m);
    free(m->overruns);
    free(m);
}

static eg_status status_of(eg_memory *m, eg_request *rq, eg_memory_status *out) {
    *out = (eg_memory_status){.status = EG_STR("ready"),
                              .mode = m->env.mode,
                              .workspace_why = m->env.workspace_why,
                              .version = eg_str_of(SERVICES(m)->version)};
    if (m->env.describe_models) m->env.describe_models(m->env.host, out);
    if (!m->env.storage_ops) {
        out->status = EG_STR("unconfigured");
        return EG_OK;
    }
    out->storage = eg_str_of(m->env.storage_ops->name);
    eg_status s = STORE(m, stats, rq, rq->workspace, &out->store);
    return s == EG_OK ? eg_reembed_count(m, rq, &out->facts_to_embed) : s;
}

/* Everything but check and status needs a store. */
#define NEEDS_STORE(m, rq) \
    if (!(m)->env.storage_ops) return eg_request_fail(rq, EG_EINVAL, "no store is open: this command runs without one")

static eg_status commit(eg_memory *m, eg_request *rq, const eg_commit_args *args, eg_receipt *out) {
    NEEDS_STORE(m, rq);
    return eg_memory_commit(m, rq, args, out);
}
static eg_status query(eg_memory *m, eg_request *rq, const eg_query_args *args, eg_hits *out) {
    NEEDS_STORE(m, rq);
    return eg_memory_query(m, rq, args, out);
}
static eg_status conflicts(eg_memory *m, eg_request *rq, eg_str scope, int32_t status, uint32_t limit, eg_conflict_view **out,
                           size_t *n) {
    NEEDS_STORE(m, rq);
    return eg_memory_conflicts(m, rq, scope, status, limit, out, n);
}
static eg_status conflict(eg_memory *m, eg_request *rq, eg_str conflict_id, eg_conflict_view *out, eg_fact **history, size_t *n) {
    NEEDS_STORE(m, rq);
    return eg_memory_conflict(m, rq, conflict_id, out, history, n);
}
static eg_status resolve(eg_memory *m, eg_request *rq, const eg_resolve_args *args, eg_resolved *out) {
    NEEDS_STORE(m, rq);
    return eg_memory_resolve(m, rq, args, out);
}
static eg_status feedback(eg_memory *m, eg_request *rq, eg_str conflict_id, int true_positive) {
    NEEDS_STORE(m, rq);
    return eg_memory_feedback(m, rq, conflict_id, true_positive);
}
static eg_status undo(eg_memory *m, eg_request *rq, int64_t undo_id, eg_undone *out) {
    NEEDS_STORE(m, rq);
    return eg_memory_undo(m, rq, undo_id, out);
}
static eg_status promote(eg_memory *m, eg_request *rq, eg_str fact_id, eg_fact *out) {
    NEEDS_STORE(m, rq);
    return eg_memory_promote(m, rq, fact_id, out);
}
static eg_status lineage(eg_memory *m, eg_request *rq, eg_str lineage_id, eg_fact **out, size_t *n) {
    NEEDS_STORE(m, rq);
    return eg_memory_lineage(m, rq, lineage_id, out, n);
}
static eg_status work(eg_memory *m, eg_request *rq, size_t *done, size_t *left) {
    NEEDS_STORE(m, rq);
    return eg_memory_work(m, rq, done, left);
}

static eg_status reembed(eg_memory *m, eg_request *rq, uint64_t *left) {
    NEEDS_STORE(m, rq);
    return eg_memory_reembed(m, rq, left);
}

const eg_memory_ops *eg_memory_table(void) {
    static const eg_memory_ops table = {.size = sizeof table,
                                        .commit = commit,
                                        .query = query,
                                        .conflicts = conflicts,
                                        .resolve = resolve,
                                        .check = eg_memory_check,
                                        .feedback = feedback,
                                        .undo = undo,
                                        .promote = promote,
                                        .lineage = lineage,
                                        .status = status_of,
                                        .work = work,
                                        .reembed = reembed,
                                        .conflict = conflict};
    return &table;
}
