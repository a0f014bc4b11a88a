/* apply.c - the one way to write: preconditions, then changes, in one transaction. See storage.h for each kind. */
#include "store.h"

typedef struct writing {
    eg_storage *s;
    connection *c;
    eg_request *rq;
    const eg_change_set *set;
    int64_t workspace, now, clock; /* now: the store's */
    eg_applied *out;
    window_list windows; /* of the facts changed so far, for the audit row */
} writing;

/* The inner key of the set's workspace, made when it is new. */
static eg_status workspace_key(writing *w) {
    for (int pass = 0; pass < 2; pass++) {
        sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_WORKSPACE_KEY);
        if (!q) return w->rq->err->code;
        bind_text(q, 1, w->set->workspace);
        int row = step(w->c, w->rq, q);
        if (row < 0) return w->rq->err->code;
        if (row) {
            w->workspace = sqlite3_column_int64(q, 0);
            sqlite3_reset(q);
            return EG_OK;
        }
        if (!(q = prepare(w->c, w->rq, EG_SQL_NEW_WORKSPACE))) return w->rq->err->code;
        bind_text(q, 1, w->set->workspace);
        eg_status s = run(w->c, w->rq, q);
        if (s != EG_OK) return s;
    }
    return EG_EINTERNAL;
}

/* ---- preconditions: 1 holds, 0 fails (failed_row set), -1 error ---- */

/* A query whose row, if any, tells. */
static int has_row(writing *w, sqlite3_stmt *q, int take_id) {
    int row = step(w->c, w->rq, q);
    if (row > 0 && take_id) w->out->failed_row = column_id(q, 0);
    sqlite3_reset(q);
    return row;
}

static int hash_is_free(writing *w, const eg_precondition *p) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_CURRENT_HASH);
    if (!q) return -1;
    sqlite3_bind_int64(q, 1, w->workspace);
    sqlite3_bind_blob(q, 2, p->hash, 32, SQLITE_STATIC);
    bind_text(q, 3, p->text);
    sqlite3_bind_int64(q, 4, w->now);
    sqlite3_bind_blob(q, 5, p->id.bytes, 16, SQLITE_STATIC);
    int row = has_row(w, q, 1);
    return row < 0 ? -1 : !row;
}

static int is_current(writing *w, const eg_precondition *p, int head) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_IS_CURRENT);
    if (!q) return -1;
    w->out->failed_row = p->id;
    sqlite3_bind_int64(q, 1, w->workspace);
    bind_id(q, 2, p->id);
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
    bind_id(q, 2, p->id);
    sqlite3_bind_int64(q, 3, w->now);
    sqlite3_bind_blob(q, 4, p->other.bytes, 16, SQLITE_STATIC);
    int row = has_row(w, q, 1);
    return row < 0 ? -1 : !row;
}

static int pair_is_free(writing *w, const eg_precondition *p) {
    for (int i = 0; i < 2; i++) {
        sqlite3_stmt *q = prepare(w->c, w->rq, i ? EG_SQL_PAIR_LINK : EG_SQL_PAIR_CONFLICT);
        if (!q) return -1;
        sqlite3_bind_int64(q, 1, w->workspace);
        bind_id(q, 2, p->id);
        bind_id(q, 3, p->other);
        int row = has_row(w, q, i == 0);
        if (row) return row < 0 ? -1 : 0;
    }
    return 1;
}

static int conflict_is(writing *w, const eg_precondition *p, int open) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_CONFLICT_STATUS);
    if (!q) return -1;
    w->out->failed_row = p->id;
    sqlite3_bind_int64(q, 1, w->workspace);
    bind_id(q, 2, p->id);
    int row = step(w->c, w->rq, q);
    int status = row > 0 ? sqlite3_column_int(q, 0) : -1;
    sqlite3_reset(q);
    return row <= 0 ? row : (status == EG_CONFLICT_OPEN) == open;
}

static int lease_is_held(writing *w, const eg_precondition *p) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_JOB_TOKEN);
    if (!q) return -1;
    sqlite3_bind_int64(q, 1, p->number);
    int row = step(w->c, w->rq, q);
    int held = row > 0 && eg_id_eq(column_id(q, 0), p->token) && !eg_id_is_none(p->token);
    sqlite3_reset(q);
    return row < 0 ? -1 : held;
}

static int no_job(writing *w, const eg_precondition *p) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_JOB_OF_KIND);
    if (!q) return -1;
    sqlite3_bind_int64(q, 1, w->workspace);
    sqlite3_bind_int64(q, 2, p->number);
    sqlite3_bind_int64(q, 3, EG_MAX_ATTEMPTS);
    sqlite3_bind_int64(
        q, 4,
        w->clock - INT64_C(3600000000)); /* not_before of a dead-lettered job: when it failed for the last time, and a little */
    int row = has_row(w, q, 0);
    return row < 0 ? -1 : !row;
}

static int holds(writing *w, const eg_precondition *p) {
    w->out->failed_row = (eg_id){{0}};
    switch ((eg_precondition_kind)p->kind) {
    case EG_REQUIRE_HASH_FREE: return hash_is_free(w, p);
    case EG_REQUIRE_CURRENT: return is_current(w, p, 0);
    case EG_REQUIRE_HEAD: return is_current(w, p, 1);
    case EG_REQUIRE_PAIR_FREE: return pair_is_free(w, p);
    case EG_REQUIRE_CONFLICT_UNSETTLED: return conflict_is(w, p, 1);
    case EG_REQUIRE_CONFLICT_SETTLED: return conflict_is(w, p, 0);
    case EG_REQUIRE_LEASE: return lease_is_held(w, p);
    case EG_REQUIRE_NO_JOB: return no_job(w, p);
    case EG_REQUIRE_LINEAGE_FREE: return lineage_is_free(w, p);
    }
    eg_request_fail(w->rq, EG_EINVAL, "precondition %u is unknown to this backend", p->kind);
    return -1;
}

/* ---- changes ---- */

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

/* Adds a window change of fact to the list for the audit row. */
static eg_status note_window(writing *w, eg_window_change change) {
    window_list *l = &w->windows;
    eg_window_change *to = grow_row(w->rq, &l->rows, l->count, &l->capacity, sizeof *to);
    if (!to) return EG_ENOMEM;
    *to = change;
    l->count++;
    return EG_OK;
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

static eg_status journal(writing *w, uint32_t kind, eg_id fact, eg_id other) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_JOURNAL);
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, w->now);
    sqlite3_bind_int64(q, 2, w->workspace);
    sqlite3_bind_int(q, 3, (int)kind);
    bind_id(q, 4, fact);
    bind_id(q, 5, other);
    eg_status s = run(w->c, w->rq, q);
    w->out->seq = sqlite3_last_insert_rowid(w->c->db);
    return s;
}

static eg_status insert_statements(writing *w, int64_t key, const eg_new_fact *f) {
    for (size_t i = 0; i < f->statement_count; i++) {
        sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_INSERT_STATEMENT);
        if (!q) return w->rq->err->code;
        sqlite3_bind_int64(q, 1, key);
        sqlite3_bind_int64(q, 2, (int64_t)i);
        sqlite3_bind_int64(q, 3, f->statements[i].start);
        sqlite3_bind_int64(q, 4, f->statements[i].end);
        eg_status s = run(w->c, w->rq, q);
        if (s != EG_OK) return s;
    }
    return EG_OK;
}

static void bind_decimal(sqlite3_stmt *q, int at, const eg_decimal *d) {
    sqlite3_bind_int64(q, at, d->mantissa);
    sqlite3_bind_int(q, at + 1, d->exponent);
    sqlite3_bind_int64(q, at + 2, d->infinite);
}

static eg_status insert_claims(writing *w, int64_t key, const eg_new_fact *f) {
    for (size_t i = 0; i < f->claim_count; i++) {
        const eg_claim *c = &f->claims[i];
        sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_INSERT_CLAIM);
        if (!q) return w->rq->err->code;
        sqlite3_bind_int64(q, 1, w->workspace);
        sqlite3_bind_int64(q, 2, key);
        sqlite3_bind_int64(q, 3, c->statement);
        sqlite3_bind_int64(q, 4, c->span.start);
        sqlite3_bind_int64(q, 5, c->span.end);
        bind_text(q, 6, c->subject);
        bind_text(q, 7, c->attribute);
        bind_text(q, 8, c->qualifiers);
        sqlite3_bind_int64(q, 9, c->value_kind);
        bind_decimal(q, 10, &c->low);
        bind_decimal(q, 13, &c->high);
        bind_text(q, 16, c->text);
        bind_text(q, 17, c->dimension);
        sqlite3_bind_int(q, 18, c->polarity);
        sqlite3_bind_int64(q, 19, c->modality);
        sqlite3_bind_int64(q, 20, c->quantifier);
        sqlite3_bind_int64(q, 21, c->extractor);
        eg_status s = run(w->c, w->rq, q);
        if (s != EG_OK) return s;
    }
    return EG_OK;
}

/* Terms joined by spaces, each as often as it occurs (at most 8 times: BM25 saturates). */
static eg_status insert_terms(writing *w, int64_t key, const eg_new_fact *f) {
    enum { MOST_REPEATS = 8 };
    size_t size = 1;
    for (size_t i = 0; i < f->term_count; i++) size += (2 * f->terms[i].text.len + 1) * MOST_REPEATS;
    char *words = eg_request_array(w->rq, size, 1), *p = words;
    if (!words) return EG_ENOMEM;
    for (size_t i = 0; i < f->term_count; i++) {
        eg_str term = encode_term(w->rq, f->terms[i].text);
        if (!term.ptr) return EG_ENOMEM;
        uint32_t times = f->terms[i].count < MOST_REPEATS ? f->terms[i].count : MOST_REPEATS;
        for (uint32_t k = 0; k < times || k == 0; k++) {
            memcpy(p, term.ptr, term.len);
            p += term.len;
            *p++ = ' ';
        }
    }
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_INSERT_TERMS);
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, key);
    bind_text(q, 2, (eg_str){words, (size_t)(p - words)});
    return run(w->c, w->rq, q);
}

static eg_status model_key(writing *w, const eg_vector *v, int64_t *key) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_MODEL_KEY);
    if (!q) return w->rq->err->code;
    bind_text(q, 1, v->model_id);
    int row = step(w->c, w->rq, q);
    if (row > 0) *key = sqlite3_column_int64(q, 0);
    sqlite3_reset(q);
    if (row) return row < 0 ? w->rq->err->code : EG_OK;
    if (!(q = prepare(w->c, w->rq, EG_SQL_NEW_MODEL))) return w->rq->err->code;
    bind_text(q, 1, v->model_id);
    sqlite3_bind_int64(q, 2, v->dimensions);
    eg_status s = run(w->c, w->rq, q);
    *key = sqlite3_last_insert_rowid(w->c->db);
    return s;
}

static eg_status insert_vectors(writing *w, int64_t fact, const eg_new_fact *f) {
    for (size_t i = 0; i < f->vector_count; i++) {
        const eg_vector *v = &f->vectors[i];
        int64_t model = 0;
        int8_t s8[EG_MAX_DIMENSIONS];
        float scale;
        if (v->dimensions == 0 || v->dimensions > EG_MAX_DIMENSIONS)
            return eg_request_fail(w->rq, EG_EINVAL, "a vector of %u dimensions; 1 to %d are stored", v->dimensions,
                                   EG_MAX_DIMENSIONS);
        eg_status s = model_key(w, v, &model);
        if (s != EG_OK) return s;
        w->s->services->quantize_s8(w->s->services->host, v->values, v->dimensions, s8, &scale);
        sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_INSERT_VECTOR);
        if (!q) return w->rq->err->code;
        sqlite3_bind_int64(q, 1, fact);
        sqlite3_bind_int64(q, 2, v->statement);
        sqlite3_bind_int64(q, 3, model);
        sqlite3_bind_double(q, 4, (double)scale);
        sqlite3_bind_blob(q, 5, s8, (int)v->dimensions, SQLITE_STATIC);
        if ((s = run(w->c, w->rq, q)) != EG_OK) return s;
        int64_t key = sqlite3_last_insert_rowid(w->c->db);
        if (!(q = prepare(w->c, w->rq, EG_SQL_INSERT_VECTOR_F32))) return w->rq->err->code;
        sqlite3_bind_int64(q, 1, key);
        sqlite3_bind_blob(q, 2, v->values, (int)(v->dimensions * sizeof *v->values), SQLITE_STATIC);
        if ((s = run(w->c, w->rq, q)) != EG_OK) return s;
    }
    return EG_OK;
}

static eg_status insert_fact(writing *w, const eg_new_fact *row) {
    const eg_fact *f = &row->fact;
    int64_t committed = f->committed_at ? f->committed_at : w->now, from = f->valid_from ? f->valid_from : w->now;
    int64_t until = f->valid_until ? f->valid_until : f->ttl_days ? from + (int64_t)f->ttl_days * 86400000000 : EG_FOREVER;
    eg_status s = journal(w, EG_CHANGE_FACT, f->id, (eg_id){{0}});
    sqlite3_stmt *q = s == EG_OK ? prepare(w->c, w->rq, EG_SQL_INSERT_FACT) : NULL;
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, w->workspace);
    sqlite3_bind_int64(q, 2, w->out->seq);
    bind_id(q, 3, f->id);
    bind_id(q, 4, f->lineage_id);
    bind_id(q, 5, f->supersedes);
    bind_id(q, 6, f->restored_from);
    bind_id(q, 7, f->parents[0]);
    bind_id(q, 8, f->parents[1]);
    bind_text(q, 9, f->content);
    bind_text(q, 10, f->scope);
    bind_text(q, 11, f->agent_id);
    bind_text(q, 12, f->engineer);
    bind_text(q, 13, f->provenance);
    bind_text(q, 14, f->artifact_hash);
    sqlite3_bind_double(q, 15, f->confidence);
    sqlite3_bind_int64(q, 16, f->fact_type);
    sqlite3_bind_int64(q, 17, f->operation);
    sqlite3_bind_int64(q, 18, f->durability);
    sqlite3_bind_int64(q, 19, f->ttl_days);
    sqlite3_bind_int64(q, 20, committed);
    sqlite3_bind_int64(q, 21, from);
    sqlite3_bind_int64(q, 22, until);
    sqlite3_bind_blob(q, 23, f->content_hash, 32, SQLITE_STATIC);
    if ((s = run(w->c, w->rq, q)) != EG_OK) return s;
    int64_t key = sqlite3_last_insert_rowid(w->c->db);
    if ((s = insert_statements(w, key, row)) != EG_OK || (s = insert_claims(w, key, row)) != EG_OK ||
        (s = insert_terms(w, key, row)) != EG_OK || (s = insert_vectors(w, key, row)) != EG_OK)
        return s;
    return note_window(w, (eg_window_change){.fact = f->id, .from_after = from, .until_after = until});
}

static eg_status set_conflict(writing *w, const eg_change *change) {
    const eg_conflict *c = change->conflict;
    int64_t resolved = c->status == EG_CONFLICT_OPEN ? 0 : c->resolved_at ? c->resolved_at : w->now;
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
    return s == EG_OK ? journal(w, change->kind, c->fact_a, c->fact_b) : s;
}

/* Ends the conflicts of a fact that is closed, as the store has them now; what the set itself settles it settles. */
static eg_status end_conflicts(writing *w, const eg_change *close) {
    eg_conflict *open = NULL;
    size_t n = 0;
    eg_status s = open_conflicts_of(w->c, w->rq, w->set->workspace, w->now, close->fact, &open, &n);
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        eg_conflict *c = &open[i];
        size_t k = 0;
        while (k < w->set->change_count &&
               (w->set->changes[k].kind != EG_CHANGE_CONFLICT_STATUS || !eg_id_eq(w->set->changes[k].conflict->id, c->id)))
            k++;
        if (k < w->set->change_count) continue;
        c->status = EG_CONFLICT_RESOLVED;
        c->resolution_type = EG_RESOLUTION_WINNER;
        c->resolved_by = close->text;
        c->resolution = close->text2;
        c->resolved_fact = eg_id_eq(c->fact_a, close->fact) ? c->fact_b : c->fact_a;
        s = set_conflict(w, &(eg_change){.kind = EG_CHANGE_CONFLICT_STATUS, .conflict = c});
        w->out->conflicts_ended++;
    }
    return s;
}

/* EG_CHANGE_CLOSE and EG_CHANGE_PROMOTE: the changes of an existing fact's window. */
static eg_status change_window(writing *w, const eg_change *c) {
    int closes = c->kind == EG_CHANGE_CLOSE;
    eg_window_change change = {.fact = c->fact};
    eg_status s = read_window(w, c->fact, &change.from_before, &change.until_before);
    sqlite3_stmt *q = s == EG_OK ? prepare(w->c, w->rq, closes ? EG_SQL_CLOSE_FACT : EG_SQL_PROMOTE_FACT) : NULL;
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, w->workspace);
    bind_id(q, 2, c->fact);
    sqlite3_bind_int64(q, 3, closes ? w->now : c->time);
    if (closes) {
        sqlite3_bind_int(q, 4, (int)c->reason);
        bind_text(q, 5, c->text);
    }
    if ((s = run(w->c, w->rq, q)) != EG_OK) return s;
    if ((s = read_window(w, c->fact, &change.from_after, &change.until_after)) != EG_OK) return s;
    if (change.until_after && (s = note_window(w, change)) != EG_OK) return s;
    s = journal(w, c->kind, c->fact, c->other);
    return s == EG_OK && closes ? end_conflicts(w, c) : s;
}

static eg_status insert_conflict(writing *w, const eg_change *change) {
    const eg_conflict *c = change->conflict;
    int64_t a, b;
    eg_status s = journal(w, EG_CHANGE_CONFLICT, c->fact_a, c->fact_b);
    if (s == EG_OK) s = fact_key(w, c->fact_a, &a);
    if (s == EG_OK) s = fact_key(w, c->fact_b, &b);
    sqlite3_stmt *q = s == EG_OK ? prepare(w->c, w->rq, EG_SQL_INSERT_CONFLICT) : NULL;
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, w->workspace);
    sqlite3_bind_int64(q, 2, w->out->seq);
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

/* Links are stored with the smaller key first: a pair has no order. */
static eg_status change_link(writing *w, const eg_change *c) {
    int64_t a = 0, b = 0;
    eg_status s = fact_key(w, c->fact, &a);
    if (s == EG_OK) s = fact_key(w, c->other, &b);
    sqlite3_stmt *q =
        s == EG_OK ? prepare(w->c, w->rq, c->kind == EG_CHANGE_LINK ? EG_SQL_INSERT_LINK : EG_SQL_DELETE_LINK) : NULL;
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, a < b ? a : b);
    sqlite3_bind_int64(q, 2, a < b ? b : a);
    sqlite3_bind_int64(q, 3, c->number);
    if (c->kind == EG_CHANGE_LINK) sqlite3_bind_int64(q, 4, w->now);
    s = run(w->c, w->rq, q);
    return s == EG_OK ? journal(w, c->kind, c->fact, c->other) : s;
}

static eg_status change_job(writing *w, const eg_change *c) {
    sqlite3_stmt *q = prepare(w->c, w->rq,
                              c->kind == EG_CHANGE_JOB        ? EG_SQL_INSERT_JOB
                              : c->kind == EG_CHANGE_JOB_DONE ? EG_SQL_DELETE_JOB
                                                              : EG_SQL_FAIL_JOB);
    if (!q) return w->rq->err->code;
    if (c->kind == EG_CHANGE_JOB) {
        sqlite3_bind_int64(q, 1, w->workspace);
        sqlite3_bind_int64(q, 2, c->number);
        bind_id(q, 3, c->fact);
        bind_text(q, 4, c->text);
        sqlite3_bind_int64(q, 5, w->clock);
        sqlite3_bind_int64(q, 6, c->time ? c->time : w->clock);
    } else {
        sqlite3_bind_int64(q, 1, c->number);
        bind_id(q, 2, c->token);
        if (c->kind == EG_CHANGE_JOB_FAILED) {
            sqlite3_bind_int64(q, 3, c->time);
            bind_text(q, 4, c->text);
        }
    }
    return run(w->c, w->rq, q);
}

static eg_status replace_claims(writing *w, const eg_change *c) {
    int64_t key;
    eg_status s = fact_key(w, c->fact, &key);
    for (int i = 0; s == EG_OK && i < 2; i++) {
        sqlite3_stmt *q = prepare(w->c, w->rq, i ? EG_SQL_DELETE_CLAIMS : EG_SQL_DELETE_STATEMENTS);
        if (q) sqlite3_bind_int64(q, 1, key);
        s = run(w->c, w->rq, q);
    }
    if (s == EG_OK) s = insert_statements(w, key, c->new_fact);
    return s == EG_OK ? insert_claims(w, key, c->new_fact) : s;
}

static eg_status add_vectors(writing *w, const eg_change *c) {
    int64_t key;
    eg_status s = fact_key(w, c->fact, &key);
    if (s != EG_OK || !c->new_fact->vector_count) return s;
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_HAS_VECTORS);
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, key);
    bind_text(q, 2, c->new_fact->vectors[0].model_id);
    int row = has_row(w, q, 0);
    if (row) return row < 0 ? w->rq->err->code : EG_OK; /* another process was faster */
    s = insert_vectors(w, key, c->new_fact);
    return s == EG_OK ? journal(w, c->kind, c->fact, c->other) : s;
}

static eg_status see_agent(writing *w, const eg_change *c) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_SEE_AGENT);
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, w->workspace);
    bind_text(q, 2, c->text);
    bind_text(q, 3, c->text2);
    sqlite3_bind_int64(q, 4, w->now);
    sqlite3_bind_int64(q, 5, c->number);
    return run(w->c, w->rq, q);
}

static eg_status add_feedback(writing *w, const eg_change *c) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_INSERT_FEEDBACK);
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, w->workspace);
    bind_id(q, 2, c->conflict->id);
    bind_text(q, 3, c->conflict->tier);
    sqlite3_bind_double(q, 4, c->conflict->score);
    sqlite3_bind_int64(q, 5, c->number != 0);
    sqlite3_bind_int64(q, 6, w->now);
    return run(w->c, w->rq, q);
}

/* The verdict that stands in one transaction with the settlement: others of the same conflict stay. */
static eg_status take_feedback_back(writing *w, const eg_change *c) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_DELETE_FEEDBACK);
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, w->workspace);
    bind_text(q, 2, c->conflict->tier);
    bind_id(q, 3, c->conflict->id);
    sqlite3_bind_int64(q, 4, c->conflict->resolved_at);
    return run(w->c, w->rq, q);
}

static eg_status set_setting(writing *w, const eg_change *c) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_SET_SETTING);
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, w->workspace);
    bind_text(q, 2, c->text);
    bind_text(q, 3, c->text2);
    eg_status s = run(w->c, w->rq, q);
    return s == EG_OK ? journal(w, c->kind, c->fact, c->other) : s;
}

static eg_status change(writing *w, const eg_change *c) {
    switch ((eg_change_kind)c->kind) {
    case EG_CHANGE_FACT: return insert_fact(w, c->new_fact);
    case EG_CHANGE_CLOSE:
    case EG_CHANGE_PROMOTE: return change_window(w, c);
    case EG_CHANGE_CONFLICT: return insert_conflict(w, c);
    case EG_CHANGE_CONFLICT_STATUS: return set_conflict(w, c);
    case EG_CHANGE_LINK:
    case EG_CHANGE_UNLINK: return change_link(w, c);
    case EG_CHANGE_JOB:
    case EG_CHANGE_JOB_DONE:
    case EG_CHANGE_JOB_FAILED: return change_job(w, c);
    case EG_CHANGE_VECTORS: return add_vectors(w, c);
    case EG_CHANGE_CLAIMS: return replace_claims(w, c);
    case EG_CHANGE_AGENT: return see_agent(w, c);
    case EG_CHANGE_FEEDBACK: return add_feedback(w, c);
    case EG_CHANGE_FEEDBACK_BACK: return take_feedback_back(w, c);
    case EG_CHANGE_SETTING: return set_setting(w, c);
    case EG_CHANGE_AUDIT:
        return audit_append(w->s, w->rq, w->workspace, w->now, w->set->actor, c, &w->windows, &w->out->audit_id);
    }
    return eg_request_fail(w->rq, EG_EINVAL, "change %u is unknown to this backend", c->kind);
}

static eg_status write_all(writing *w) {
    eg_status s = workspace_key(w);
    if (s != EG_OK) return s;
    for (size_t i = 0; i < w->set->precondition_count; i++) {
        int h = holds(w, &w->set->preconditions[i]);
        if (h > 0) continue;
        if (h < 0) return w->rq->err->code;
        w->out->failed = i;
        return eg_request_fail(w->rq, EG_ECONFLICT, "precondition %zu of the change does not hold", i);
    }
    for (size_t i = 0; s == EG_OK && i < w->set->change_count; i++) s = change(w, &w->set->changes[i]);
    if (s != EG_OK) return s;
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_SET_LAST_TIME);
    if (q) sqlite3_bind_int64(q, 1, w->now);
    return run(w->c, w->rq, q);
}

eg_status sqlite_apply(eg_storage *s, eg_request *rq, const eg_change_set *set, eg_applied *out) {
    *out = (eg_applied){0};
    if (s->read_only)
        return eg_request_fail(rq, EG_EREADONLY,
                               "the store '%s' can be read, but not written here: nothing was stored; check its permissions and "
                               "its folder's, or whether its disk is mounted read-only",
                               s->path);
    writing w = {.s = s, .c = &s->writer, .rq = rq, .set = set, .out = out};
    int64_t last = 0;
    pthread_mutex_lock(&s->writer.lock);
    eg_status st = begin_write(&s->writer, rq, &last);
    if (st == EG_OK) {
        w.clock = s->services->now(s->services->host);
        w.now = out->time = w.clock > last ? w.clock : last; /* never behind the last commit */
        st = end_write(&s->writer, rq, write_all(&w));
    }
    pthread_mutex_unlock(&s->writer.lock);
    return st;
}
