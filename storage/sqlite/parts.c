/* parts.c - many facts, each with what belongs to it, in one snapshot of the store. */
#include "rows.h"

/* A fact that people said does not contradict the subject, or a fact that the subject was restored
 * from. */
typedef struct cleared {
    eg_id fact;
    uint32_t bit; /* eg_pair_bit */
} cleared;

typedef struct reading {
    eg_storage *s;
    connection *c;
    eg_request *rq;
    const eg_parts_args *args;
    int64_t workspace, now;
    cleared *cleared; /* of the subject */
    size_t cleared_count;
} reading;

/* The statement with the workspace's name and an id bound; NULL with the error record filled. */
static sqlite3_stmt *about(const reading *r, eg_sql which, eg_id id) {
    sqlite3_stmt *q = prepare(r->c, r->rq, which);
    if (!q) return NULL;
    bind_text(q, 1, r->rq->workspace);
    bind_id(q, 2, id);
    int at = named(q, NOW);
    if (at) sqlite3_bind_int64(q, at, r->now);
    return q;
}

/* Moves on to the fact that undo restored this one from; none at the end. */
static eg_status go_back(const reading *r, eg_id *id) {
    eg_id from = {{0}};
    int found;
    eg_status s = read_row(r->c, r->rq, about(r, EG_SQL_RESTORED_FROM, *id), id_row, &from, &found);
    *id = from;
    return s;
}

static int cleared_row(eg_request *rq, sqlite3_stmt *q, void *row) {
    (void)rq;
    int dismissed = sqlite3_column_int(q, 1) == EG_CONFLICT_DISMISSED;
    *(cleared *)row = (cleared){column_id(q, 0), dismissed ? EG_PAIR_DISMISSED : EG_PAIR_BOTH_VALID};
    return 1;
}

static eg_status find_cleared(reading *r) {
    eg_status s = EG_OK;
    for (eg_id id = r->args->subject; s == EG_OK && !eg_id_is_none(id);) {
        void *rows;
        size_t n;
        s = read_rows(r->c, r->rq, about(r, EG_SQL_CLEARED_OF, id), cleared_row, sizeof(cleared), &rows, &n);
        if (s == EG_OK && n) {
            cleared *more = eg_request_array(r->rq, r->cleared_count + n, sizeof *more);
            if (!more) return EG_ENOMEM;
            if (r->cleared_count) memcpy(more, r->cleared, r->cleared_count * sizeof *more);
            memcpy(more + r->cleared_count, rows, n * sizeof *more);
            r->cleared = more;
            r->cleared_count += n;
        }
        if (s == EG_OK) s = go_back(r, &id);
    }
    return s;
}

/* Whether a conflict or a link of this very pair is there. */
static eg_status find_pair(const reading *r, eg_sql which, eg_id fact, int *found) {
    sqlite3_stmt *q = prepare(r->c, r->rq, which);
    if (!q) return r->rq->err->code;
    sqlite3_bind_int64(q, 1, r->workspace);
    bind_id(q, 2, r->args->subject);
    bind_id(q, 3, fact);
    int row = step(r->c, r->rq, q);
    sqlite3_reset(q);
    *found = row > 0;
    return row < 0 ? r->rq->err->code : EG_OK;
}

static eg_status read_pair(const reading *r, eg_fact_parts *out) {
    int conflict = 0, link = 0;
    eg_status s = find_pair(r, EG_SQL_PAIR_CONFLICT, out->fact.id, &conflict);
    if (s == EG_OK) s = find_pair(r, EG_SQL_PAIR_LINK, out->fact.id, &link);
    out->pair = (conflict ? (uint32_t)EG_PAIR_CONFLICT : 0) | (link ? (uint32_t)EG_PAIR_LINKED : 0);
    for (eg_id id = out->fact.id; s == EG_OK && r->cleared_count && !eg_id_is_none(id);) {
        for (size_t i = 0; i < r->cleared_count; i++)
            if (eg_id_eq(r->cleared[i].fact, id)) out->pair |= r->cleared[i].bit;
        if (eg_id_eq(id, out->fact.id)) id = out->fact.restored_from;
        else s = go_back(r, &id);
    }
    return s;
}

/* Facts of one answer have few agents: the last rows mostly know the agent already. */
static eg_status read_trust(const reading *r, eg_fact_parts *rows, size_t i) {
    enum { LOOK_BACK = 32 };
    eg_fact_parts *out = &rows[i];
    for (size_t k = i; k-- > 0 && i - k <= LOOK_BACK;) {
        if (!eg_str_eq(rows[k].fact.agent_id, out->fact.agent_id)) continue;
        out->agent_commits = rows[k].agent_commits;
        out->agent_flagged = rows[k].agent_flagged;
        return EG_OK;
    }
    sqlite3_stmt *q = prepare(r->c, r->rq, EG_SQL_AGENT);
    if (q) {
        bind_text(q, 1, r->rq->workspace);
        bind_text(q, 2, out->fact.agent_id);
    }
    numbers n = {{0}};
    int found;
    eg_status s = read_row(r->c, r->rq, q, numbers_row, &n, &found);
    out->agent_commits = n.at[0];
    out->agent_flagged = n.at[1];
    return s;
}

static eg_status read_jobs(const reading *r, eg_fact_parts *out) {
    sqlite3_stmt *q = about(r, EG_SQL_JOBS_OF, out->fact.id);
    if (q) sqlite3_bind_int(q, 3, EG_MAX_ATTEMPTS);
    numbers n = {{0}};
    int found;
    eg_status s = read_row(r->c, r->rq, q, numbers_row, &n, &found);
    out->jobs_waiting = (uint32_t)n.at[0];
    out->jobs_dead = (uint32_t)n.at[1];
    return s;
}

static eg_status read_statements(const reading *r, eg_fact_parts *out) {
    eg_status s = read_rows(r->c, r->rq, about(r, EG_SQL_STATEMENTS_OF, out->fact.id), statement_row, sizeof *out->details,
                            (void **)&out->details, &out->statement_count);
    if (s != EG_OK) return s;
    out->statements = eg_request_array(r->rq, out->statement_count, sizeof *out->statements);
    if (!out->statements) return EG_ENOMEM;
    for (size_t i = 0; i < out->statement_count; i++) out->statements[i] = out->details[i].span;
    return EG_OK;
}

/* A row whose blob is not as long as its model says is left out by reading as none. */
static int vector_row(eg_request *rq, sqlite3_stmt *q, void *row) {
    eg_vector *v = row;
    *v = (eg_vector){.statement = (uint32_t)sqlite3_column_int64(q, 0),
                     .dimensions = (uint32_t)sqlite3_column_int64(q, 1),
                     .model_id = column_text(rq, q, 2)};
    size_t bytes = v->dimensions * sizeof *v->values;
    float *values = eg_request_array(rq, v->dimensions, sizeof *v->values);
    if (!values || !v->model_id.ptr) return 0;
    if ((size_t)sqlite3_column_bytes(q, 3) == bytes && bytes) {
        memcpy(values, sqlite3_column_blob(q, 3), bytes);
        v->values = values;
    }
    return 1;
}

static eg_status read_vectors(const reading *r, eg_fact_parts *out) {
    sqlite3_stmt *q = about(r, EG_SQL_VECTORS_OF, out->fact.id);
    if (q) bind_text(q, 3, r->args->model_id);
    eg_status s = read_rows(r->c, r->rq, q, vector_row, sizeof *out->vectors, (void **)&out->vectors, &out->vector_count);
    size_t n = 0;
    for (size_t i = 0; s == EG_OK && i < out->vector_count; i++)
        if (out->vectors[i].values) out->vectors[n++] = out->vectors[i];
    if (s == EG_OK) out->vector_count = n;
    return s;
}

static eg_status read_conflict_ids(const reading *r, eg_id fact, eg_conflict_status status, eg_id **out, size_t *n) {
    sqlite3_stmt *q = about(r, EG_SQL_CONFLICT_IDS_OF, fact);
    if (q) sqlite3_bind_int(q, 3, status);
    return read_rows(r->c, r->rq, q, id_row, sizeof **out, (void **)out, n);
}

static eg_status read_part(const reading *r, eg_fact_parts *rows, size_t i) {
    eg_fact_parts *out = &rows[i];
    eg_id id = r->args->ids[i];
    uint32_t flags = r->args->flags;
    int found;
    eg_status s = read_row(r->c, r->rq, about(r, EG_SQL_FACT, id), fact_row, &out->fact, &found);
    if (s != EG_OK || !found) return s;
    if (flags & EG_PARTS_STATEMENTS) s = read_statements(r, out);
    if (s == EG_OK && flags & EG_PARTS_CLAIMS)
        s = read_rows(r->c, r->rq, about(r, EG_SQL_CLAIMS_OF, id), claim_row, sizeof *out->claims, (void **)&out->claims,
                      &out->claim_count);
    if (s == EG_OK && flags & EG_PARTS_CONFLICTS && out->fact.open_conflicts)
        s = read_conflict_ids(r, id, EG_CONFLICT_OPEN, &out->conflicts, &out->conflict_count);
    if (s == EG_OK && flags & EG_PARTS_SUSPECTED)
        s = read_conflict_ids(r, id, EG_CONFLICT_SUSPECTED, &out->suspected, &out->suspected_count);
    if (s == EG_OK && flags & EG_PARTS_TRUST) s = read_trust(r, rows, i);
    if (s == EG_OK && flags & EG_PARTS_PAIRS) s = read_pair(r, out);
    if (s == EG_OK && flags & EG_PARTS_JOBS) s = read_jobs(r, out);
    if (s == EG_OK && flags & EG_PARTS_VECTORS) s = read_vectors(r, out);
    return s;
}

static eg_status workspace_key(reading *r) {
    sqlite3_stmt *q = prepare(r->c, r->rq, EG_SQL_WORKSPACE);
    if (q) bind_text(q, 1, r->rq->workspace);
    numbers n = {{0}};
    int found;
    eg_status s = read_row(r->c, r->rq, q, numbers_row, &n, &found);
    /* 0: nothing was ever written here, and nothing will be found */
    r->workspace = (int64_t)n.at[0];
    return s;
}

eg_status sqlite_parts(eg_storage *s, eg_request *rq, const eg_parts_args *args, eg_fact_parts **out, int64_t *now) {
    eg_status st = check_flags(rq, "eg_parts_args", args->size, EG_PARTS_ARGS_SIZE_1_0, args->flags,
                               EG_PARTS_STATEMENTS | EG_PARTS_CLAIMS | EG_PARTS_CONFLICTS | EG_PARTS_TRUST | EG_PARTS_PAIRS |
                                   EG_PARTS_JOBS | EG_PARTS_SUSPECTED | EG_PARTS_VECTORS);
    if (st != EG_OK) return st;
    if (!(*out = eg_request_array(rq, args->count, sizeof **out))) return EG_ENOMEM;
    reading r = {.s = s, .c = reader_take(s), .rq = rq, .args = args};
    st = begin_read(r.c, rq);
    if (st == EG_OK) st = store_now(s, r.c, rq, &r.now);
    if (st == EG_OK && args->flags & EG_PARTS_PAIRS) st = workspace_key(&r);
    if (st == EG_OK && args->flags & EG_PARTS_PAIRS) st = find_cleared(&r);
    for (size_t i = 0; st == EG_OK && i < args->count; i++) st = read_part(&r, *out, i);
    end_read(r.c, rq);
    connection_give(r.c);
    if (now) *now = r.now;
    return st;
}
