/* move.c - the workspaces of a store. See move.h. */
#include "core/memory/move.h"

#include "core/access/workspace.h"
#include "core/memory/equal.h"

/* A request of the same caller in another workspace; its errors are told in rq. */
static eg_status enter_workspace(eg_memory *m, eg_request *rq, eg_str name, eg_request **out) {
    const eg_inner_request of = {.workspace = name, .who = rq->who, .cancel = rq->cancel, .err = rq->err};
    return m->env.request_make(m->env.host, &of, out, rq->err);
}

static eg_status look_at(eg_memory *m, eg_request *rq, const eg_workspace_row *row, eg_workspace_view *out) {
    eg_request *inner;
    eg_store_stats stats;
    eg_journal_row *last;
    size_t n;
    eg_status s = enter_workspace(m, rq, row->name, &inner);
    if (s != EG_OK) return s;
    s = STORE(m, stats, inner, EG_STATS_FACTS, &stats);
    if (s == EG_OK) s = STORE(m, changes_since, inner, row->seq > 0 ? row->seq - 2 : 0, 2, &last, &n);
    if (s == EG_OK)
        *out = (eg_workspace_view){.name = row->name,
                                   .facts = stats.facts,
                                   .current_facts = stats.current_facts,
                                   .conflicts_open = stats.conflicts_open,
                                   .changed_at = n ? last[n - 1].time : 0};
    SERVICES(m)->request_release(m->env.host, inner);
    return s;
}

eg_status eg_memory_workspaces(eg_memory *m, eg_request *rq, eg_workspace_view **out, size_t *n) {
    eg_workspace_row *rows;
    eg_status s = STORE(m, workspaces, rq, -1, 0, &rows, n);
    if (s != EG_OK) return s;
    eg_workspace_view *views = eg_request_array(rq, *n ? *n : 1, sizeof *views);
    if (!views) return EG_ENOMEM;
    for (size_t i = 0; s == EG_OK && i < *n; i++) s = look_at(m, rq, &rows[i], &views[i]);
    *out = views;
    return s;
}

/* What was merged stays so, also where this fails. */
static eg_status merge_equal(eg_memory *m, eg_request *rq, const eg_edit_workspace_args *args, eg_workspace_moved *out) {
    eg_request *inner;
    eg_status s = enter_workspace(m, rq, args->to, &inner);
    if (s != EG_OK) return s;
    s = eg_merge_equal(m, inner, &out->equal);
    SERVICES(m)->request_release(m->env.host, inner);
    if (s == EG_OK) return EG_OK;
    char why[sizeof rq->err->text];
    memcpy(why, rq->err->text, sizeof why);
    return eg_request_fail(rq, s,
                           "'%.*s' went into '%.*s', but equal facts of both may stand twice there (%.300s): `engram audit` "
                           "names them",
                           (int)args->name.len, args->name.ptr, (int)args->to.len, args->to.ptr, why);
}

eg_status eg_memory_edit_workspace(eg_memory *m, eg_request *rq, const eg_edit_workspace_args *args, eg_workspace_moved *out) {
    const eg_storage_ops *ops = m->env.storage_ops;
    eg_request *inner;
    eg_workspace_edited done;
    *out = (eg_workspace_moved){0};
    eg_status s = args->to.len ? eg_workspace_check(args->to, rq->err) : EG_OK;
    if (s == EG_OK) s = eg_workspace_check(args->name, rq->err);
    if (s != EG_OK) return s;
    if (!EG_HAS(ops, edit_workspace) || !ops->edit_workspace)
        return eg_request_fail(rq, EG_EUNSUPPORTED, "the storage '%s' cannot move or remove a workspace", ops->name);
    const eg_workspace_edit edit = {.size = sizeof edit,
                                    .flags = args->flags & EG_EDIT_MERGE || !args->to.len ? 0 : EG_WORKSPACE_TO_NEW,
                                    .to = args->to,
                                    .actor = rq->who->agent};
    if ((s = enter_workspace(m, rq, args->name, &inner)) != EG_OK) return s;
    s = STORE(m, edit_workspace, inner, &edit, &done);
    SERVICES(m)->request_release(m->env.host, inner);
    if (s == EG_ECONFLICT)
        return eg_request_fail(rq, s, "there is a workspace '%.*s' already: to put both together, merge one into the other",
                               (int)args->to.len, args->to.ptr);
    if (s != EG_OK) return s;
    out->facts = done.facts;
    if (args->flags & EG_EDIT_MERGE && args->to.len) s = merge_equal(m, rq, args, out);
    if (args->to.len) eg_memory_wake(m);
    return s;
}
