/* apply.c - the one way to write: preconditions, then changes, in one transaction. See storage.h
 * for each kind. */
#include "erase.h"
#include "new_fact.h"
#include "preconditions.h"
#include "vector_blocks.h"

/* The row of the workspace, made when it is new. */
static eg_status read_workspace(writing *w) {
    for (int pass = 0; pass < 2; pass++) {
        sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_WORKSPACE);
        if (!q) return w->rq->err->code;
        bind_text(q, 1, w->rq->workspace);
        int row = step(w->c, w->rq, q);
        if (row < 0) return w->rq->err->code;
        if (row) {
            w->workspace = sqlite3_column_int64(q, 0);
            w->seq = sqlite3_column_int64(q, 1);
            if (sqlite3_column_bytes(q, 2) == sizeof w->head) memcpy(w->head, sqlite3_column_blob(q, 2), sizeof w->head);
            sqlite3_reset(q);
            return EG_OK;
        }
        if (!(q = prepare(w->c, w->rq, EG_SQL_NEW_WORKSPACE))) return w->rq->err->code;
        bind_text(q, 1, w->rq->workspace);
        eg_status s = run(w->c, w->rq, q);
        if (s != EG_OK) return s;
    }
    return EG_EINTERNAL;
}

static eg_status write_workspace(writing *w) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_SET_WORKSPACE);
    if (!q) return w->rq->err->code;
    static const uint8_t none[sizeof w->head];
    sqlite3_bind_int64(q, 1, w->workspace);
    sqlite3_bind_int64(q, 2, w->seq);
    if (memcmp(w->head, none, sizeof none) != 0) sqlite3_bind_blob(q, 3, w->head, sizeof w->head, SQLITE_STATIC);
    return run(w->c, w->rq, q);
}

/* 1: the journal has this set already, *out is what it was. -1 with the error record filled. */
static int was_applied(writing *w) {
    if (eg_id_is_none(w->set->id)) return 0;
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_FIND_SET);
    if (!q) return -1;
    sqlite3_bind_int64(q, 1, w->workspace);
    bind_id(q, 2, w->set->id);
    int row = step(w->c, w->rq, q);
    if (row > 0)
        *w->out = (eg_applied){.seq = sqlite3_column_int64(q, 0),
                               .time = sqlite3_column_int64(q, 1),
                               .fact_seq = sqlite3_column_int64(q, 2),
                               .audit_id = sqlite3_column_int64(q, 3),
                               .conflicts_ended = (uint64_t)sqlite3_column_int64(q, 4),
                               .again = 1};
    sqlite3_reset(q);
    return row;
}

/* Writes the set's id and results into the journal row of its last change. */
static eg_status name_set(writing *w) {
    if (eg_id_is_none(w->set->id) || !w->out->seq) return EG_OK;
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_NAME_SET);
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, w->workspace);
    sqlite3_bind_int64(q, 2, w->out->seq);
    bind_id(q, 3, w->set->id);
    sqlite3_bind_int64(q, 4, w->out->fact_seq);
    sqlite3_bind_int64(q, 5, w->out->audit_id);
    sqlite3_bind_int64(q, 6, (int64_t)w->out->conflicts_ended);
    return run(w->c, w->rq, q);
}

static eg_status fact_key(writing *w, eg_id id, int64_t *key) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_FACT_KEY);
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, w->workspace);
    bind_id(q, 2, id);
    int row = step(w->c, w->rq, q);
    if (row > 0) *key = sqlite3_column_int64(q, 0);
    sqlite3_reset(q);
    if (row == 0) return eg_request_fail(w->rq, EG_ENOENT, "a change names a fact that is not in this workspace");
    return row < 0 ? w->rq->err->code : EG_OK;
}

/* The window of a fact as it stands in the store; both 0 when the workspace has no such fact. */
static eg_status read_window(writing *w, eg_id fact, int64_t *from, int64_t *until) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_WINDOW);
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, w->workspace);
    bind_id(q, 2, fact);
    int row = step(w->c, w->rq, q);
    *from = row > 0 ? sqlite3_column_int64(q, 0) : 0;
    *until = row > 0 ? sqlite3_column_int64(q, 1) : 0;
    sqlite3_reset(q);
    return row < 0 ? w->rq->err->code : EG_OK;
}

static eg_status set_conflict(writing *w, const eg_conflict *c) {
    int64_t resolved = !eg_is_settled(c->status) ? 0 : c->resolved_at ? c->resolved_at : w->now;
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_SET_CONFLICT);
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, w->workspace);
    bind_id(q, 2, c->id);
    sqlite3_bind_int64(q, 3, c->status);
    sqlite3_bind_int64(q, 4, c->resolution_type);
    sqlite3_bind_int64(q, 5, resolved);
    bind_text(q, 6, c->resolved_by);
    bind_text(q, 7, c->resolution);
    bind_id(q, 8, c->resolved_fact);
    eg_status s = run(w->c, w->rq, q);
    return s == EG_OK ? journal(w, EG_CHANGE_CONFLICT_STATUS, c->fact_a, c->fact_b) : s;
}

static int is_excepted(const eg_change *change, eg_id conflict) {
    for (size_t i = 0; i < change->end_conflicts.except_count; i++)
        if (eg_id_eq(change->end_conflicts.except[i], conflict)) return 1;
    return 0;
}

static eg_status end_conflicts(writing *w, const eg_change *change) {
    eg_conflict *open = NULL;
    size_t n = 0;
    eg_status s = conflicts_to_end(w->c, w->rq, w->workspace, change->end_conflicts.fact, w->now, &open, &n);
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        eg_conflict *c = &open[i];
        if (is_excepted(change, c->id)) continue;
        c->status = EG_CONFLICT_RESOLVED;
        c->resolution_type = EG_RESOLUTION_WINNER;
        c->resolved_by = change->end_conflicts.by;
        c->resolution = change->end_conflicts.resolution;
        c->resolved_fact = eg_id_eq(c->fact_a, change->end_conflicts.fact) ? c->fact_b : c->fact_a;
        s = set_conflict(w, c);
        w->out->conflicts_ended++;
    }
    return s;
}

/* Runs a bound statement that changes the window of a fact, and notes what it did. */
static eg_status change_window(writing *w, eg_change_kind kind, eg_id fact, sqlite3_stmt *q) {
    eg_window_change change = {.fact = fact};
    eg_status s = read_window(w, fact, &change.from_before, &change.until_before);
    if (s == EG_OK) s = run(w->c, w->rq, q);
    if (s == EG_OK) s = read_window(w, fact, &change.from_after, &change.until_after);
    if (s == EG_OK && change.until_after) s = note_window(w, change);
    return s == EG_OK ? journal(w, kind, fact, (eg_id){{0}}) : s;
}

static eg_status close_fact(writing *w, const eg_change *c) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_CLOSE_FACT);
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, w->workspace);
    bind_id(q, 2, c->close.fact);
    sqlite3_bind_int64(q, 3, w->now);
    sqlite3_bind_int64(q, 4, c->close.reason);
    bind_text(q, 5, c->close.by);
    return change_window(w, EG_CHANGE_CLOSE, c->close.fact, q);
}

static eg_status promote(writing *w, const eg_change *c) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_PROMOTE_FACT);
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, w->workspace);
    bind_id(q, 2, c->promote.fact);
    sqlite3_bind_int64(q, 3, c->promote.lifetime ? w->now + c->promote.lifetime : EG_FOREVER);
    return change_window(w, EG_CHANGE_PROMOTE, c->promote.fact, q);
}

static eg_status mark_fact(writing *w, const eg_change *c) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_MARK_FACT);
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, w->workspace);
    bind_id(q, 2, c->mark.fact);
    sqlite3_bind_int64(q, 3, c->mark.set);
    sqlite3_bind_int64(q, 4, c->mark.clear);
    eg_status s = run(w->c, w->rq, q);
    return s == EG_OK ? journal(w, EG_CHANGE_MARK, c->mark.fact, (eg_id){{0}}) : s;
}

static eg_status insert_conflict(writing *w, const eg_conflict *c) {
    int64_t a, b;
    eg_status s = journal(w, EG_CHANGE_CONFLICT, c->fact_a, c->fact_b);
    if (s == EG_OK) s = fact_key(w, c->fact_a, &a);
    if (s == EG_OK) s = fact_key(w, c->fact_b, &b);
    sqlite3_stmt *q = s == EG_OK ? prepare(w->c, w->rq, EG_SQL_INSERT_CONFLICT) : NULL;
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, w->workspace);
    sqlite3_bind_int64(q, 2, w->seq);
    bind_id(q, 3, c->id);
    sqlite3_bind_int64(q, 4, a);
    sqlite3_bind_int64(q, 5, b);
    sqlite3_bind_int64(q, 6, c->detected_at ? c->detected_at : w->now);
    bind_text(q, 7, c->tier);
    bind_text(q, 8, c->detector);
    sqlite3_bind_double(q, 9, c->score);
    bind_text(q, 10, c->explanation);
    sqlite3_bind_int64(q, 11, c->span_a.start);
    sqlite3_bind_int64(q, 12, c->span_a.end);
    sqlite3_bind_int64(q, 13, c->span_b.start);
    sqlite3_bind_int64(q, 14, c->span_b.end);
    sqlite3_bind_int64(q, 15, c->severity);
    sqlite3_bind_int64(q, 16, c->status);
    return run(w->c, w->rq, q);
}

/* The facts that the conflict leaves count as an agent's in conflict only where another conflict
 * touches them. */
static eg_status move_conflict(writing *w, const eg_conflict *c) {
    int64_t left[2] = {0, 0}, a = 0, b = 0;
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_CONFLICT_KEYS);
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, w->workspace);
    bind_id(q, 2, c->id);
    int row = step(w->c, w->rq, q);
    for (int i = 0; row > 0 && i < 2; i++) left[i] = sqlite3_column_int64(q, i);
    sqlite3_reset(q);
    if (row < 0) return w->rq->err->code;
    eg_status s = fact_key(w, c->fact_a, &a);
    if (s == EG_OK) s = fact_key(w, c->fact_b, &b);
    if (s != EG_OK) return s;
    if (!(q = prepare(w->c, w->rq, EG_SQL_MOVE_CONFLICT))) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, w->workspace);
    bind_id(q, 2, c->id);
    sqlite3_bind_int64(q, 3, a);
    sqlite3_bind_int64(q, 4, b);
    sqlite3_bind_int64(q, 5, c->span_a.start);
    sqlite3_bind_int64(q, 6, c->span_a.end);
    sqlite3_bind_int64(q, 7, c->span_b.start);
    sqlite3_bind_int64(q, 8, c->span_b.end);
    s = run(w->c, w->rq, q);
    for (int i = 0; s == EG_OK && i < 2; i++) {
        if ((q = prepare(w->c, w->rq, EG_SQL_UNFLAG))) sqlite3_bind_int64(q, 1, left[i]);
        s = run(w->c, w->rq, q);
    }
    return s == EG_OK ? journal(w, EG_CHANGE_CONFLICT_FACTS, c->fact_a, c->fact_b) : s;
}

/* Links are stored with the smaller key first: a pair has no order. */
static eg_status change_link(writing *w, const eg_change *c) {
    int insert = c->kind == EG_CHANGE_LINK;
    int64_t a = 0, b = 0;
    eg_status s = fact_key(w, c->link.fact, &a);
    if (s == EG_OK) s = fact_key(w, c->link.other, &b);
    sqlite3_stmt *q = s == EG_OK ? prepare(w->c, w->rq, insert ? EG_SQL_INSERT_LINK : EG_SQL_DELETE_LINK) : NULL;
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, a < b ? a : b);
    sqlite3_bind_int64(q, 2, a < b ? b : a);
    sqlite3_bind_int64(q, 3, c->link.kind);
    if (insert) sqlite3_bind_int64(q, 4, w->now);
    s = run(w->c, w->rq, q);
    return s == EG_OK ? journal(w, (eg_change_kind)c->kind, c->link.fact, c->link.other) : s;
}

static eg_status insert_job(writing *w, const eg_change *c) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_INSERT_JOB);
    if (!q) return w->rq->err->code;
    int leased = !eg_id_is_none(c->job.token);
    sqlite3_bind_int64(q, 1, w->workspace);
    sqlite3_bind_int64(q, 2, c->job.kind);
    /* a job may be about no fact */
    sqlite3_bind_blob(q, 3, c->job.fact.bytes, 16, SQLITE_TRANSIENT);
    bind_text(q, 4, c->job.owner);
    bind_text(q, 5, c->job.name);
    bind_text(q, 6, c->job.payload);
    sqlite3_bind_int64(q, 7, w->clock);
    sqlite3_bind_int64(q, 8, w->clock + c->job.delay);
    bind_id(q, 9, c->job.token);
    sqlite3_bind_int64(q, 10, leased ? w->clock + c->job.lease_time : 0);
    return run(w->c, w->rq, q);
}

static eg_status end_job(writing *w, const eg_change *c) {
    int done = c->kind == EG_CHANGE_JOB_DONE;
    sqlite3_stmt *q = prepare(w->c, w->rq, done ? EG_SQL_DELETE_JOB : EG_SQL_FAIL_JOB);
    if (!q) return w->rq->err->code;
    bind_id(q, 1, done ? c->job_done.token : c->job_failed.token);
    sqlite3_bind_int64(q, 2, w->workspace);
    if (!done) {
        sqlite3_bind_int64(q, 3, w->clock + c->job_failed.delay);
        bind_text(q, 4, c->job_failed.error);
    }
    return run(w->c, w->rq, q);
}

static eg_status replace_claims(writing *w, const eg_change *c) {
    int64_t key;
    eg_status s = fact_key(w, c->claims.fact, &key);
    for (int i = 0; s == EG_OK && i < 2; i++) {
        sqlite3_stmt *q = prepare(w->c, w->rq, i ? EG_SQL_DELETE_CLAIMS : EG_SQL_DELETE_STATEMENTS);
        if (q) sqlite3_bind_int64(q, 1, key);
        s = run(w->c, w->rq, q);
    }
    if (s == EG_OK) s = insert_statements(w, key, c->claims.statements, c->claims.details, c->claims.statement_count);
    if (s == EG_OK) s = insert_claims(w, key, c->claims.claims, c->claims.claim_count);
    return s == EG_OK ? journal(w, EG_CHANGE_CLAIMS, c->claims.fact, (eg_id){{0}}) : s;
}

static eg_status add_vectors(writing *w, const eg_change *c) {
    int64_t key;
    if (c->vectors.count == 0) return EG_OK;
    eg_status s = fact_key(w, c->vectors.fact, &key);
    if (s != EG_OK) return s;
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_HAS_VECTORS);
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, key);
    bind_text(q, 2, c->vectors.rows[0].model_id);
    int row = has_row(w, q, 0);
    if (row) return row < 0 ? w->rq->err->code : EG_OK; /* another process was faster */
    s = insert_vectors(w, key, c->vectors.rows, c->vectors.count);
    return s == EG_OK ? journal(w, EG_CHANGE_VECTORS, c->vectors.fact, (eg_id){{0}}) : s;
}

static eg_status see_agent(writing *w, const eg_change *c) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_SEE_AGENT);
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, w->workspace);
    bind_text(q, 2, c->agent.agent_id);
    bind_text(q, 3, c->agent.engineer);
    sqlite3_bind_int64(q, 4, w->now);
    sqlite3_bind_int64(q, 5, c->agent.commits);
    return run(w->c, w->rq, q);
}

static eg_status add_feedback(writing *w, const eg_change *c) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_INSERT_FEEDBACK);
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, w->workspace);
    bind_id(q, 2, c->feedback.conflict);
    bind_text(q, 3, c->feedback.tier);
    sqlite3_bind_double(q, 4, c->feedback.score);
    sqlite3_bind_int64(q, 5, c->feedback.confirmed != 0);
    sqlite3_bind_int64(q, 6, w->now);
    return run(w->c, w->rq, q);
}

static eg_status take_feedback_back(writing *w, const eg_change *c) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_DELETE_FEEDBACK);
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, w->workspace);
    bind_text(q, 2, c->feedback_back.tier);
    bind_id(q, 3, c->feedback_back.conflict);
    sqlite3_bind_int64(q, 4, c->feedback_back.time);
    return run(w->c, w->rq, q);
}

static eg_status set_setting(writing *w, const eg_change *c) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_SET_SETTING);
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, w->workspace);
    bind_text(q, 2, c->setting.key);
    bind_text(q, 3, c->setting.value);
    eg_status s = run(w->c, w->rq, q);
    return s == EG_OK ? journal(w, EG_CHANGE_SETTING, (eg_id){{0}}, (eg_id){{0}}) : s;
}

static eg_status append_audit(writing *w, const eg_change *c) {
    eg_audit_row row = {.time = w->now,
                        .workspace = w->rq->workspace,
                        .actor = w->set->actor,
                        .action = c->audit.action,
                        .payload = c->audit.payload,
                        .fact = c->audit.fact,
                        .other = c->audit.other,
                        .windows = w->windows.rows,
                        .window_count = w->windows.count,
                        .layout = EG_AUDIT_WORKSPACE};
    eg_status s = audit_append(w->s, w->rq, w->workspace, &row, w->head);
    w->out->audit_id = row.id;
    w->windows.count = 0;
    return s;
}

static eg_status change(writing *w, const eg_change *c) {
    switch ((eg_change_kind)c->kind) {
    case EG_CHANGE_FACT: return insert_fact(w, c->new_fact);
    case EG_CHANGE_CLOSE: return close_fact(w, c);
    case EG_CHANGE_PROMOTE: return promote(w, c);
    case EG_CHANGE_CONFLICT: return insert_conflict(w, c->conflict);
    case EG_CHANGE_CONFLICT_STATUS: return set_conflict(w, c->conflict);
    case EG_CHANGE_LINK:
    case EG_CHANGE_UNLINK: return change_link(w, c);
    case EG_CHANGE_JOB: return insert_job(w, c);
    case EG_CHANGE_JOB_DONE:
    case EG_CHANGE_JOB_FAILED: return end_job(w, c);
    case EG_CHANGE_VECTORS: return add_vectors(w, c);
    case EG_CHANGE_CLAIMS: return replace_claims(w, c);
    case EG_CHANGE_AGENT: return see_agent(w, c);
    case EG_CHANGE_FEEDBACK: return add_feedback(w, c);
    case EG_CHANGE_FEEDBACK_BACK: return take_feedback_back(w, c);
    case EG_CHANGE_SETTING: return set_setting(w, c);
    case EG_CHANGE_AUDIT: return append_audit(w, c);
    case EG_CHANGE_END_CONFLICTS: return end_conflicts(w, c);
    case EG_CHANGE_CONFLICT_FACTS: return move_conflict(w, c->conflict);
    case EG_CHANGE_MARK: return mark_fact(w, c);
    case EG_CHANGE_ERASE: return erase_facts(w, c);
    }
    return eg_request_fail(w->rq, EG_EUNSUPPORTED, "change %u is unknown to this backend", c->kind);
}

static eg_status write_all(writing *w) {
    eg_status s = read_workspace(w);
    if (s != EG_OK) return s;
    int again = was_applied(w);
    if (again) return again < 0 ? w->rq->err->code : EG_OK;
    for (size_t i = 0; i < w->set->precondition_count; i++) {
        int h = precondition_holds(w, &w->set->preconditions[i]);
        if (h > 0) continue;
        if (h < 0) return w->rq->err->code;
        w->out->failed = (uint32_t)i;
        return eg_request_fail(w->rq, EG_ECONFLICT, "precondition %zu of the change does not hold", i);
    }
    for (size_t i = 0; s == EG_OK && i < w->set->change_count; i++) s = change(w, &w->set->changes[i]);
    if (s == EG_OK) s = name_set(w);
    if (s == EG_OK) s = write_workspace(w);
    if (s == EG_OK) s = keep_reading_fast(w->s, w->c, w->rq);
    if (s != EG_OK) return s;
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_SET_LAST_TIME);
    if (q) sqlite3_bind_int64(q, 1, w->now);
    return run(w->c, w->rq, q);
}

eg_status refuse_read_only(const eg_storage *s, eg_request *rq) {
    if (!s->read_only) return EG_OK;
    if (s->why_read_only[0])
        return eg_request_fail(rq, EG_EREADONLY, "the store '%s' can be read, but not written here: nothing was stored; %s",
                               s->path, s->why_read_only);
    return eg_request_fail(rq, EG_EREADONLY,
                           "the store '%s' can be read, but not written here: nothing was stored; check its permissions and "
                           "its folder's, or whether its disk is mounted read-only",
                           s->path);
}

void commit_seen(eg_storage *s) {
    pthread_mutex_lock(&s->wait_lock);
    s->commits++;
    pthread_cond_broadcast(&s->committed);
    pthread_mutex_unlock(&s->wait_lock);
}

eg_status sqlite_apply(eg_storage *s, eg_request *rq, const eg_change_set *set, eg_applied *out) {
    *out = (eg_applied){0};
    eg_status st = refuse_read_only(s, rq);
    if (st == EG_OK) st = check_flags(rq, "eg_change_set", set->size, EG_CHANGE_SET_SIZE_1_0, set->flags, 0);
    if (st != EG_OK) return st;
    writing w = {.s = s, .c = &s->writer, .rq = rq, .set = set, .out = out};
    int64_t last = 0;
    if ((st = writer_take(&s->writer, rq)) != EG_OK) return st;
    st = begin_write(&s->writer, rq, &last);
    if (st == EG_OK) {
        w.clock = store_clock(s);
        w.now = out->time = w.clock > last ? w.clock : last; /* never behind the last commit */
        st = check_clock(s, rq, last);
        st = end_write(&s->writer, rq, st == EG_OK ? write_all(&w) : st);
    }
    connection_give(&s->writer);
    if (st == EG_OK && out->seq && !out->again) commit_seen(s);
    return st;
}
