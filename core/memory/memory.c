/* memory.c - making the memory, its table of operations, its status. The operations stand in the
 * files named after them. */
#include "core/memory/memory.h"

#include <stdlib.h>

#include "core/access/guard.h"
#include "core/base/clock.h"
#include "core/base/grown.h"
#include "core/base/status.h"
#include "core/memory/answers.h"
#include "core/memory/check.h"
#include "core/memory/cited.h"
#include "core/memory/commit.h"
#include "core/memory/conflicts.h"
#include "core/memory/erase.h"
#include "core/memory/export.h"
#include "core/memory/facts.h"
#include "core/memory/figures.h"
#include "core/memory/health.h"
#include "core/memory/hits.h"
#include "core/memory/import.h"
#include "core/memory/jobs.h"
#include "core/memory/listing.h"
#include "core/memory/marks.h"
#include "core/memory/move.h"
#include "core/memory/query.h"
#include "core/memory/reads.h"
#include "core/memory/reembed.h"
#include "core/memory/resolve.h"
#include "core/memory/review.h"
#include "core/memory/scope_vectors.h"
#include "core/memory/timeline.h"
#include "core/memory/undo.h"
#include "core/memory/workspaces.h"

eg_status eg_memory_create(const eg_memory_env *env, eg_memory **out, eg_error *err) {
    *out = NULL;
    eg_memory *m = calloc(1, sizeof *m);
    if (!m) return eg_fail_memory(err, sizeof *m);
    m->env = *env;
    m->overruns = calloc(env->detector_count ? env->detector_count : 1, sizeof *m->overruns);
    m->paused_until = calloc(env->escalator_count ? env->escalator_count : 1, sizeof *m->paused_until);
    if (!m->overruns || !m->paused_until) {
        free(m->overruns);
        free(m->paused_until);
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
    /* a counter that is lost is no reason to fail, nor to wait long for another process */
    const eg_request_options options = {.size = sizeof options, .cancel.deadline = eg_clock_monotonic() + EG_SECOND};
    if (SERVICES(m)->request_create(m->env.host, &options, &rq, &err) == EG_OK) {
        (void)eg_hits_flush(m, rq);
        SERVICES(m)->request_release(m->env.host, rq);
    }
    pthread_cond_destroy(&m->job_done);
    pthread_mutex_destroy(&m->lock);
    eg_workspaces_release(m);
    eg_scope_vectors_release(m);
    free(m->overruns);
    free(m->paused_until);
    free(m);
}

static eg_status status_of(eg_memory *m, eg_request *rq, eg_memory_status *out) {
    *out = (eg_memory_status){.status = EG_STR("ready"),
                              .mode = m->env.mode,
                              .version = eg_str_of(SERVICES(m)->version),
                              .writing_problem = m->env.writing_problem};
    if (m->env.describe_settings) m->env.describe_settings(m->env.host, out);
    if (m->env.describe_models) m->env.describe_models(m->env.host, out);
    if (!m->env.storage_ops) {
        out->status = EG_STR("unconfigured");
        return EG_OK;
    }
    out->storage = eg_str_of(m->env.storage_ops->name);
    if (m->env.last_verified) m->env.last_verified(m->env.host, rq, out);
    eg_status s = STORE(m, stats, rq, EG_STATS_FACTS | EG_STATS_JOBS, &out->store);
    return s == EG_OK ? eg_reembed_count(m, rq, &out->facts_to_embed) : s;
}

/* ---- the table of operations: each passes the guard before anything else is looked at ---- */

enum {
    COMMIT,
    QUERY,
    CONFLICTS,
    RESOLVE,
    CHECK,
    FEEDBACK,
    UNDO,
    PROMOTE,
    LINEAGE,
    STATUS,
    WORK,
    REEMBED,
    CONFLICT,
    JUDGE,
    ANSWERS,
    STATEMENTS,
    ESCALATE,
    WORKSPACES,
    EDIT_WORKSPACE,
    LIST,
    CONFLICTS_ABOUT,
    TIMELINE,
    DIFF,
    PIN,
    ARCHIVE,
    RESTORE,
    EXPORT_MEMORY,
    IMPORT_MEMORY,
    ERASE,
    CITATIONS,
    AUDIT,
    FIGURES,
    OPERATIONS
};

static const eg_memory_operation operations[OPERATIONS] = {
    [COMMIT] = {"commit", EG_NEEDS_WRITE, 0, offsetof(eg_memory_ops, commit)},
    [QUERY] = {"query", EG_NEEDS_READ, 0, offsetof(eg_memory_ops, query)},
    [CONFLICTS] = {"conflicts", EG_NEEDS_READ, 0, offsetof(eg_memory_ops, conflicts)},
    [RESOLVE] = {"resolve", EG_NEEDS_RESOLVE, 0, offsetof(eg_memory_ops, resolve)},
    [CHECK] = {"check", EG_NEEDS_READ, 1, offsetof(eg_memory_ops, check)},
    [FEEDBACK] = {"feedback", EG_NEEDS_WRITE, 0, offsetof(eg_memory_ops, feedback)},
    [UNDO] = {"undo", EG_NEEDS_RESOLVE, 0, offsetof(eg_memory_ops, undo)},
    [PROMOTE] = {"promote", EG_NEEDS_WRITE, 0, offsetof(eg_memory_ops, promote)},
    [LINEAGE] = {"lineage", EG_NEEDS_READ, 0, offsetof(eg_memory_ops, lineage)},
    [STATUS] = {"status", EG_NEEDS_READ, 1, offsetof(eg_memory_ops, status)},
    [WORK] = {"work", EG_NEEDS_ADMIN, 0, offsetof(eg_memory_ops, work)},
    [REEMBED] = {"reembed", EG_NEEDS_ADMIN, 0, offsetof(eg_memory_ops, reembed)},
    [CONFLICT] = {"conflict", EG_NEEDS_READ, 0, offsetof(eg_memory_ops, conflict)},
    [JUDGE] = {"judge", EG_NEEDS_WRITE, 0, offsetof(eg_memory_ops, judge)},
    [ANSWERS] = {"answers", EG_NEEDS_READ, 0, offsetof(eg_memory_ops, answers)},
    [STATEMENTS] = {"statements", EG_NEEDS_READ, 0, offsetof(eg_memory_ops, statements)},
    [ESCALATE] = {"escalate", EG_NEEDS_ADMIN, 0, offsetof(eg_memory_ops, escalate)},
    [WORKSPACES] = {"workspaces", EG_NEEDS_ADMIN, 0, offsetof(eg_memory_ops, workspaces)},
    [EDIT_WORKSPACE] = {"edit_workspace", EG_NEEDS_ADMIN, 0, offsetof(eg_memory_ops, edit_workspace)},
    [LIST] = {"list", EG_NEEDS_READ, 0, offsetof(eg_memory_ops, list)},
    [CONFLICTS_ABOUT] = {"conflicts_about", EG_NEEDS_READ, 0, offsetof(eg_memory_ops, conflicts_about)},
    [TIMELINE] = {"timeline", EG_NEEDS_READ, 0, offsetof(eg_memory_ops, timeline)},
    [DIFF] = {"diff", EG_NEEDS_READ, 0, offsetof(eg_memory_ops, diff)},
    [PIN] = {"pin", EG_NEEDS_WRITE, 0, offsetof(eg_memory_ops, pin)},
    [ARCHIVE] = {"archive", EG_NEEDS_WRITE, 0, offsetof(eg_memory_ops, archive)},
    [RESTORE] = {"restore", EG_NEEDS_WRITE, 0, offsetof(eg_memory_ops, restore)},
    [EXPORT_MEMORY] = {"export", EG_NEEDS_READ, 0, offsetof(eg_memory_ops, export_memory)},
    [IMPORT_MEMORY] = {"import", EG_NEEDS_ADMIN, 0, offsetof(eg_memory_ops, import_memory)},
    [ERASE] = {"erase", EG_NEEDS_ADMIN, 0, offsetof(eg_memory_ops, erase)},
    [CITATIONS] = {"citations", EG_NEEDS_READ, 0, offsetof(eg_memory_ops, citations)},
    [AUDIT] = {"audit", EG_NEEDS_READ, 0, offsetof(eg_memory_ops, audit)},
    [FIGURES] = {"figures", EG_NEEDS_READ, 0, offsetof(eg_memory_ops, figures)},
};

const eg_memory_operation *eg_memory_operations(size_t *n) {
    *n = OPERATIONS;
    return operations;
}

static eg_status enter(const eg_memory *m, eg_request *rq, int which) {
    const eg_memory_operation *o = &operations[which];
    char what[40];
    snprintf(what, sizeof what, "the operation %s", o->name);
    eg_status s = eg_guard(rq, o->need, what);
    if (s != EG_OK || m->env.storage_ops || o->without_store) return s;
    return eg_request_fail(rq, EG_EINVAL, "no store is open: this command runs without one");
}

/* The growth rule for arguments: what the caller knows, and zeros for the rest. */
static eg_status take_args(eg_request *rq, const char *type, const void *given, uint32_t size_1_0, void *own, uint32_t size,
                           uint32_t known_flags) {
    uint32_t head[2]; /* size, flags */
    memcpy(head, given, sizeof head);
    if (head[0] < size_1_0)
        return eg_request_fail(rq, EG_EINVAL, "%s of %u bytes: ABI 1.0 has %u; set size to sizeof(%s)", type, head[0], size_1_0,
                               type);
    if (head[1] & ~known_flags) return eg_request_fail(rq, EG_EUNSUPPORTED, "%s: unknown flags 0x%x", type, head[1]);
    eg_copy_grown(own, size, given, head[0]);
    return EG_OK;
}
#define TAKE_ARGS(rq, type, given, size_1_0, own) take_args(rq, #type, given, size_1_0, own, sizeof(type), 0)

static eg_status commit(eg_memory *m, eg_request *rq, const eg_commit_args *args, eg_receipt *out) {
    eg_commit_args own;
    eg_status s = enter(m, rq, COMMIT);
    if (s == EG_OK) s = take_args(rq, "eg_commit_args", args, EG_COMMIT_ARGS_SIZE_1_0, &own, sizeof own, EG_COMMIT_EXACT);
    return s == EG_OK ? eg_memory_commit(m, rq, &own, out) : s;
}
static eg_status query(eg_memory *m, eg_request *rq, const eg_query_args *args, eg_hits *out) {
    eg_query_args own;
    eg_status s = enter(m, rq, QUERY);
    if (s == EG_OK) s = take_args(rq, "eg_query_args", args, EG_QUERY_ARGS_SIZE_1_0, &own, sizeof own, EG_QUERY_PREFER_SCOPE);
    return s == EG_OK ? eg_memory_query(m, rq, &own, out) : s;
}
static eg_status conflicts(eg_memory *m, eg_request *rq, eg_str scope, int32_t status, uint32_t limit, eg_conflict_view **out,
                           size_t *n) {
    eg_status s = enter(m, rq, CONFLICTS);
    return s == EG_OK ? eg_memory_conflicts(m, rq, scope, status, limit, out, n) : s;
}
static eg_status resolve(eg_memory *m, eg_request *rq, const eg_resolve_args *args, eg_resolved *out) {
    eg_resolve_args own;
    eg_status s = enter(m, rq, RESOLVE);
    if (s == EG_OK) s = TAKE_ARGS(rq, eg_resolve_args, args, EG_RESOLVE_ARGS_SIZE_1_0, &own);
    return s == EG_OK ? eg_memory_resolve(m, rq, &own, out) : s;
}
static eg_status check(eg_memory *m, eg_request *rq, const eg_check_args *args, eg_checked *out) {
    eg_check_args own;
    eg_status s = enter(m, rq, CHECK);
    if (s == EG_OK)
        s = take_args(rq, "eg_check_args", args, EG_CHECK_ARGS_SIZE_1_0, &own, sizeof own,
                      EG_CHECK_JUDGE | EG_CHECK_KEEP_VECTORS);
    return s == EG_OK ? eg_memory_check(m, rq, &own, out) : s;
}
static eg_status feedback(eg_memory *m, eg_request *rq, eg_str conflict_id, int true_positive) {
    eg_status s = enter(m, rq, FEEDBACK);
    return s == EG_OK ? eg_memory_feedback(m, rq, conflict_id, true_positive) : s;
}
static eg_status undo(eg_memory *m, eg_request *rq, int64_t undo_id, eg_undone *out) {
    eg_status s = enter(m, rq, UNDO);
    return s == EG_OK ? eg_memory_undo(m, rq, undo_id, out) : s;
}
static eg_status promote(eg_memory *m, eg_request *rq, eg_str fact_id, eg_fact *out) {
    eg_status s = enter(m, rq, PROMOTE);
    return s == EG_OK ? eg_memory_promote(m, rq, fact_id, out) : s;
}
static eg_status lineage(eg_memory *m, eg_request *rq, eg_str lineage_id, eg_fact **out, size_t *n) {
    eg_status s = enter(m, rq, LINEAGE);
    return s == EG_OK ? eg_memory_lineage(m, rq, lineage_id, out, n) : s;
}
static eg_status status(eg_memory *m, eg_request *rq, eg_memory_status *out) {
    eg_status s = enter(m, rq, STATUS);
    return s == EG_OK ? status_of(m, rq, out) : s;
}
static eg_status work(eg_memory *m, eg_request *rq, size_t *done, size_t *left) {
    eg_status s = enter(m, rq, WORK);
    return s == EG_OK ? eg_memory_work(m, rq, done, left) : s;
}
static eg_status reembed(eg_memory *m, eg_request *rq, uint64_t *left) {
    eg_status s = enter(m, rq, REEMBED);
    return s == EG_OK ? eg_memory_reembed(m, rq, left) : s;
}
static eg_status conflict(eg_memory *m, eg_request *rq, eg_str conflict_id, eg_conflict_view *out, eg_fact **history, size_t *n) {
    eg_status s = enter(m, rq, CONFLICT);
    return s == EG_OK ? eg_memory_conflict(m, rq, conflict_id, out, history, n) : s;
}

static eg_status judge(eg_memory *m, eg_request *rq, const eg_judge_args *args, eg_resolved *out) {
    eg_judge_args own;
    eg_status s = enter(m, rq, JUDGE);
    if (s == EG_OK) s = TAKE_ARGS(rq, eg_judge_args, args, EG_JUDGE_ARGS_SIZE_1_0, &own);
    return s == EG_OK ? eg_memory_judge(m, rq, &own, out) : s;
}

static eg_status answers(eg_memory *m, eg_request *rq, eg_status (*each)(void *self, const eg_answer *answer), void *self) {
    eg_status s = enter(m, rq, ANSWERS);
    return s == EG_OK ? eg_memory_answers(m, rq, each, self) : s;
}
static eg_status statements(eg_memory *m, eg_request *rq, const eg_id *facts, size_t n, eg_statement_list *out) {
    eg_status s = enter(m, rq, STATEMENTS);
    return s == EG_OK ? eg_read_statements(m, rq, facts, n, out) : s;
}

static eg_status escalate(eg_memory *m, eg_request *rq, size_t *done) {
    eg_status s = enter(m, rq, ESCALATE);
    return s == EG_OK ? eg_memory_escalate(m, rq, done) : s;
}

static eg_status workspaces(eg_memory *m, eg_request *rq, eg_workspace_view **out, size_t *n) {
    eg_status s = enter(m, rq, WORKSPACES);
    return s == EG_OK ? eg_memory_workspaces(m, rq, out, n) : s;
}

static eg_status edit_workspace(eg_memory *m, eg_request *rq, const eg_edit_workspace_args *args, eg_workspace_moved *out) {
    eg_edit_workspace_args own;
    eg_status s = enter(m, rq, EDIT_WORKSPACE);
    if (s == EG_OK)
        s = take_args(rq, "eg_edit_workspace_args", args, EG_EDIT_WORKSPACE_ARGS_SIZE_1_0, &own, sizeof own, EG_EDIT_MERGE);
    return s == EG_OK ? eg_memory_edit_workspace(m, rq, &own, out) : s;
}

static eg_status list(eg_memory *m, eg_request *rq, const eg_list_args *args, eg_listing *out) {
    eg_list_args own;
    eg_status s = enter(m, rq, LIST);
    if (s == EG_OK) s = take_args(rq, "eg_list_args", args, EG_LIST_ARGS_SIZE_1_0, &own, sizeof own, EG_LIST_ALL);
    return s == EG_OK ? eg_memory_list(m, rq, &own, out) : s;
}
static eg_status conflicts_about(eg_memory *m, eg_request *rq, const eg_id *facts, size_t n, eg_conflict_view **out,
                                 size_t *count) {
    eg_status s = enter(m, rq, CONFLICTS_ABOUT);
    return s == EG_OK ? eg_memory_conflicts_about(m, rq, facts, n, out, count) : s;
}

static eg_status timeline(eg_memory *m, eg_request *rq, const eg_timeline_args *args, eg_timeline *out) {
    eg_timeline_args own;
    eg_status s = enter(m, rq, TIMELINE);
    if (s == EG_OK) s = TAKE_ARGS(rq, eg_timeline_args, args, EG_TIMELINE_ARGS_SIZE_1_0, &own);
    return s == EG_OK ? eg_memory_timeline(m, rq, &own, out) : s;
}
static eg_status diff(eg_memory *m, eg_request *rq, eg_str scope, int64_t from, int64_t to, eg_diff *out) {
    eg_status s = enter(m, rq, DIFF);
    return s == EG_OK ? eg_memory_diff(m, rq, scope, from, to, out) : s;
}

static eg_status pin(eg_memory *m, eg_request *rq, eg_str fact_id, int pinned, eg_fact *out) {
    eg_status s = enter(m, rq, PIN);
    return s == EG_OK ? eg_memory_pin(m, rq, fact_id, pinned, out) : s;
}
static eg_status archive(eg_memory *m, eg_request *rq, eg_str fact_id, eg_str reason, eg_undone *out) {
    eg_status s = enter(m, rq, ARCHIVE);
    return s == EG_OK ? eg_memory_archive(m, rq, fact_id, reason, out) : s;
}
static eg_status restore(eg_memory *m, eg_request *rq, eg_str fact_id, eg_undone *out) {
    eg_status s = enter(m, rq, RESTORE);
    return s == EG_OK ? eg_memory_restore(m, rq, fact_id, out) : s;
}

static eg_status export_memory(eg_memory *m, eg_request *rq, const eg_export_args *args,
                               eg_status (*each)(void *self, eg_str text), void *self, eg_exported *out) {
    eg_export_args own;
    eg_status s = enter(m, rq, EXPORT_MEMORY);
    if (s == EG_OK)
        s = take_args(rq, "eg_export_args", args, EG_EXPORT_ARGS_SIZE_1_0, &own, sizeof own, EG_EXPORT_ALL | EG_EXPORT_MARKDOWN);
    return s == EG_OK ? eg_memory_export(m, rq, &own, each, self, out) : s;
}

static eg_status import_memory(eg_memory *m, eg_request *rq, const eg_import_args *args, eg_imported *out) {
    eg_import_args own;
    eg_status s = enter(m, rq, IMPORT_MEMORY);
    if (s == EG_OK) s = take_args(rq, "eg_import_args", args, EG_IMPORT_ARGS_SIZE_1_0, &own, sizeof own, EG_IMPORT_DRY_RUN);
    return s == EG_OK ? eg_memory_import(m, rq, &own, out) : s;
}

static eg_status erase(eg_memory *m, eg_request *rq, const eg_erase_args *args, eg_erased *out) {
    eg_erase_args own;
    eg_status s = enter(m, rq, ERASE);
    if (s == EG_OK)
        s = take_args(rq, "eg_erase_args", args, EG_ERASE_ARGS_SIZE_1_0, &own, sizeof own, EG_ERASE_HARD | EG_ERASE_DRY_RUN);
    return s == EG_OK ? eg_memory_erase(m, rq, &own, out) : s;
}

static eg_status citations(eg_memory *m, eg_request *rq, const eg_fact *const *facts, size_t n, eg_citation_view *out) {
    eg_status s = enter(m, rq, CITATIONS);
    return s == EG_OK ? eg_memory_citations(m, rq, facts, n, out) : s;
}

static eg_status audit(eg_memory *m, eg_request *rq, eg_audited *out) {
    eg_status s = enter(m, rq, AUDIT);
    return s == EG_OK ? eg_memory_audit(m, rq, out) : s;
}

static eg_status figures(eg_memory *m, eg_request *rq, eg_figure **out, size_t *n) {
    eg_status s = enter(m, rq, FIGURES);
    return s == EG_OK ? eg_memory_figures(m, rq, out, n) : s;
}

const eg_memory_ops *eg_memory_table(void) {
    static const eg_memory_ops table = {.size = sizeof table,
                                        .commit = commit,
                                        .query = query,
                                        .conflicts = conflicts,
                                        .resolve = resolve,
                                        .check = check,
                                        .feedback = feedback,
                                        .undo = undo,
                                        .promote = promote,
                                        .lineage = lineage,
                                        .status = status,
                                        .work = work,
                                        .reembed = reembed,
                                        .conflict = conflict,
                                        .judge = judge,
                                        .answers = answers,
                                        .statements = statements,
                                        .escalate = escalate,
                                        .workspaces = workspaces,
                                        .edit_workspace = edit_workspace,
                                        .list = list,
                                        .conflicts_about = conflicts_about,
                                        .timeline = timeline,
                                        .diff = diff,
                                        .pin = pin,
                                        .archive = archive,
                                        .restore = restore,
                                        .export_memory = export_memory,
                                        .import_memory = import_memory,
                                        .erase = erase,
                                        .citations = citations,
                                        .audit = audit,
                                        .figures = figures};
    return &table;
}
