/* verify.c - see verify.h. */
#include "core/memory/verify.h"

#include "core/memory/digests.h"

/* What was found is no failure of the look itself. */
static eg_status note(eg_status s, const eg_error *why, eg_error *found) {
    if (s != EG_EFORMAT) return s;
    if (found->code == EG_OK) *found = *why;
    return EG_OK;
}

static eg_status verify_chain(eg_memory *m, eg_request *rq, eg_str workspace, eg_error *found) {
    eg_request *own = NULL;
    eg_error why = {0};
    eg_status s = eg_request_in(m, workspace, NULL, &rq->cancel, &own, rq->err);
    if (s != EG_OK) return s;
    s = STORE(m, audit_verify, own);
    if (s == EG_OK) s = eg_digests_verify(m, own);
    if (s != EG_OK) {
        why = *own->err;
        snprintf(why.text, sizeof why.text, "workspace '%.*s': %.400s", workspace.len < 80 ? (int)workspace.len : 80,
                 workspace.ptr, own->err->text);
        if (s != EG_EFORMAT) *rq->err = why;
    }
    SERVICES(m)->request_release(m->env.host, own);
    return note(s, &why, found);
}

eg_status eg_memory_verify(eg_memory *m, eg_request *rq, int deep, eg_verified *out) {
    *out = (eg_verified){0};
    eg_workspace_row *rows = NULL;
    eg_status s = EG_OK;
    if (m->env.storage_ops->check) s = note(STORE(m, check, rq, deep ? EG_STORAGE_CHECK_DEEP : 0), rq->err, &out->pages);
    if (s == EG_OK) s = note(STORE(m, workspaces, rq, -1, 0, &rows, &out->workspaces), rq->err, &out->pages);
    for (size_t i = 0; s == EG_OK && i < out->workspaces; i++) s = verify_chain(m, rq, rows[i].name, &out->audit);
    if (s == EG_OK) *rq->err = (eg_error){0};
    return s;
}
