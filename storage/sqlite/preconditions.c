/* preconditions.c - what must hold for a change set to be written; see storage.h for each kind. The
 * small functions return 1, 0 or -1 as precondition_holds() does. */
#include "preconditions.h"

static int hash_is_free(writing *w, const eg_precondition *p) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_CURRENT_HASH);
    if (!q) return -1;
    sqlite3_bind_int64(q, 1, w->workspace);
    sqlite3_bind_blob(q, 2, p->hash_free.hash, 32, SQLITE_STATIC);
    bind_text(q, 3, p->hash_free.scope);
    sqlite3_bind_int64(q, 4, w->now);
    sqlite3_bind_blob(q, 5, p->hash_free.except.bytes, 16, SQLITE_STATIC);
    int row = has_row(w, q, 1);
    return row < 0 ? -1 : !row;
}

static int is_current(writing *w, eg_id fact, int head) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_IS_CURRENT);
    if (!q) return -1;
    w->out->failed_row = fact;
    sqlite3_bind_int64(q, 1, w->workspace);
    bind_id(q, 2, fact);
    sqlite3_bind_int64(q, 3, w->now);
    int row = step(w->c, w->rq, q);
    if (row <= 0 || !head) {
        sqlite3_reset(q);
        return row;
    }
    eg_id lineage = column_id(q, 0);
    int64_t seq = sqlite3_column_int64(q, 1);
    sqlite3_reset(q);
    if (!(q = prepare(w->c, w->rq, EG_SQL_NEWER_IN_LINEAGE))) return -1;
    sqlite3_bind_int64(q, 1, w->workspace);
    bind_id(q, 2, lineage);
    sqlite3_bind_int64(q, 3, seq);
    row = has_row(w, q, 1);
    return row < 0 ? -1 : !row;
}

static int lineage_is_free(writing *w, const eg_precondition *p) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_CURRENT_IN_LINEAGE);
    if (!q) return -1;
    sqlite3_bind_int64(q, 1, w->workspace);
    bind_id(q, 2, p->lineage.id);
    sqlite3_bind_int64(q, 3, w->now);
    sqlite3_bind_blob(q, 4, p->lineage.except.bytes, 16, SQLITE_STATIC);
    int row = has_row(w, q, 1);
    return row < 0 ? -1 : !row;
}

static int pair_is_free(writing *w, const eg_precondition *p) {
    for (int i = 0; i < 2; i++) {
        sqlite3_stmt *q = prepare(w->c, w->rq, i ? EG_SQL_PAIR_LINK : EG_SQL_PAIR_CONFLICT);
        if (!q) return -1;
        sqlite3_bind_int64(q, 1, w->workspace);
        bind_id(q, 2, p->pair.a);
        bind_id(q, 3, p->pair.b);
        int row = has_row(w, q, i == 0);
        if (row) return row < 0 ? -1 : 0;
    }
    return 1;
}

static int conflict_is(writing *w, eg_id conflict, int unsettled) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_CONFLICT_STATUS);
    if (!q) return -1;
    w->out->failed_row = conflict;
    sqlite3_bind_int64(q, 1, w->workspace);
    bind_id(q, 2, conflict);
    int row = step(w->c, w->rq, q);
    int status = row > 0 ? sqlite3_column_int(q, 0) : -1;
    sqlite3_reset(q);
    return row <= 0 ? row : eg_is_settled((uint32_t)status) != unsettled;
}

static int lease_is_held(writing *w, const eg_precondition *p) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_LEASE_OF_TOKEN);
    if (!q) return -1;
    bind_id(q, 1, p->token); /* none is NULL, which equals nothing */
    sqlite3_bind_int64(q, 2, w->workspace);
    return has_row(w, q, 0);
}

static int no_job(writing *w, const eg_precondition *p) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_JOB_OF_KIND);
    if (!q) return -1;
    sqlite3_bind_int64(q, 1, w->workspace);
    sqlite3_bind_int64(q, 2, p->no_job.kind);
    sqlite3_bind_int64(q, 3, EG_MAX_ATTEMPTS);
    /* not_before of a dead-lettered job is when it failed for the last time, and a little more */
    sqlite3_bind_int64(q, 4, w->clock - p->no_job.pause);
    int row = has_row(w, q, 0);
    return row < 0 ? -1 : !row;
}

int precondition_holds(writing *w, const eg_precondition *p) {
    w->out->failed_row = (eg_id){{0}};
    switch ((eg_precondition_kind)p->kind) {
    case EG_REQUIRE_HASH_FREE: return hash_is_free(w, p);
    case EG_REQUIRE_CURRENT: return is_current(w, p->fact, 0);
    case EG_REQUIRE_HEAD: return is_current(w, p->fact, 1);
    case EG_REQUIRE_PAIR_FREE: return pair_is_free(w, p);
    case EG_REQUIRE_CONFLICT_UNSETTLED: return conflict_is(w, p->conflict, 1);
    case EG_REQUIRE_CONFLICT_SETTLED: return conflict_is(w, p->conflict, 0);
    case EG_REQUIRE_LEASE: return lease_is_held(w, p);
    case EG_REQUIRE_NO_JOB: return no_job(w, p);
    case EG_REQUIRE_LINEAGE_FREE: return lineage_is_free(w, p);
    }
    eg_request_fail(w->rq, EG_EUNSUPPORTED, "precondition %u is unknown to this backend", p->kind);
    return -1;
}
