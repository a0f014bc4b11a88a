/* jobs.c - leases of jobs and counters of hits, on the connection that does not wait for the disk:
 * a power failure loses only that a job was leased, or that a fact was read. */
#include "store.h"

static eg_status read_job(eg_request *rq, sqlite3_stmt *q, eg_job *out) {
    *out = (eg_job){.id = sqlite3_column_int64(q, 0),
                    .kind = (uint32_t)sqlite3_column_int(q, 1),
                    .attempts = (uint32_t)sqlite3_column_int(q, 2),
                    .workspace = column_text(rq, q, 3),
                    .name = column_text(rq, q, 4),
                    .payload = column_text(rq, q, 5),
                    .fact = column_id(q, 6),
                    .created_at = sqlite3_column_int64(q, 7),
                    .not_before = sqlite3_column_int64(q, 8),
                    .owner = column_text(rq, q, 9),
                    .last_error = column_text(rq, q, 10)};
    return out->workspace.ptr && out->name.ptr && out->payload.ptr && out->owner.ptr && out->last_error.ptr ? EG_OK : EG_ENOMEM;
}

static void bind_due(sqlite3_stmt *q, const eg_lease_args *a, int64_t now, uint32_t limit) {
    sqlite3_bind_int(q, 1, EG_MAX_ATTEMPTS);
    sqlite3_bind_int64(q, 2, now);
    bind_text(q, 3, a->owner);
    sqlite3_bind_int64(q, 4, a->grace >= 0 && a->grace < now ? now - a->grace : -1);
    sqlite3_bind_int64(q, 5, limit);
    sqlite3_bind_int64(q, 6, now + 2 * a->lease_time);
    sqlite3_bind_int64(q, 7, now + EG_MAX_JOB_PAUSE);
    sqlite3_bind_int64(q, 8, a->kinds_except);
}

static eg_status lease_locked(eg_storage *s, eg_request *rq, const eg_lease_args *a, int64_t now, eg_job **out, size_t *n) {
    connection *c = &s->counter;
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_EXPIRE_LEASES);
    if (q) {
        sqlite3_bind_int64(q, 1, now);
        sqlite3_bind_int64(q, 2, now + 2 * a->lease_time);
    }
    eg_status st = run(c, rq, q);
    if (st != EG_OK) return st;
    void *rows = NULL;
    size_t capacity = 0;
    int row;
    if (!(q = prepare(c, rq, EG_SQL_DUE_JOBS))) return rq->err->code;
    bind_due(q, a, now, a->limit);
    while ((row = step(c, rq, q)) != 0) {
        eg_job *job = row < 0 ? NULL : grow_row(rq, &rows, *n, &capacity, sizeof *job);
        if (!job || read_job(rq, q, job) != EG_OK) {
            sqlite3_reset(q);
            return rq->err->code;
        }
        ++*n;
    }
    *out = rows;
    for (size_t i = 0; i < *n; i++) {
        eg_job *job = &(*out)[i];
        job->token = s->services->new_id(s->services->host);
        job->lease_until = now + a->lease_time;
        if (!(q = prepare(c, rq, EG_SQL_TAKE_JOB))) return rq->err->code;
        sqlite3_bind_int64(q, 1, job->id);
        bind_id(q, 2, job->token);
        sqlite3_bind_int64(q, 3, job->lease_until);
        if ((st = run(c, rq, q)) != EG_OK) return st;
    }
    return EG_OK;
}

/* 1 when there is anything to lease. Reads without the write lock, so that an idle worker never
 * takes it. */
static int any_due(eg_storage *s, eg_request *rq, const eg_lease_args *a, int64_t now) {
    connection *c = reader_take(s);
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_DUE_JOBS);
    int found = 0;
    if (q) {
        bind_due(q, a, now, 1);
        found = step(c, rq, q) == 1;
        sqlite3_reset(q);
    }
    connection_give(c);
    return found;
}

eg_status sqlite_lease(eg_storage *s, eg_request *rq, const eg_lease_args *a, eg_job **out, size_t *n) {
    *out = NULL;
    *n = 0;
    eg_status st = check_flags(rq, "eg_lease_args", a->size, EG_LEASE_ARGS_SIZE_1_0, a->flags, 0);
    int64_t now = store_clock(s), last;
    /* who can write does the jobs of a read-only store */
    if (st != EG_OK || s->read_only || !any_due(s, rq, a, now)) return st;
    if ((st = writer_take(&s->counter, rq)) != EG_OK) return st;
    st = begin_write(&s->counter, rq, &last);
    if (st == EG_OK) st = end_write(&s->counter, rq, lease_locked(s, rq, a, now, out, n));
    connection_give(&s->counter);
    if (st != EG_OK) *n = 0;
    return st;
}

eg_status sqlite_count_hits(eg_storage *s, eg_request *rq, const eg_id *ids, size_t n) {
    if (s->read_only) return EG_OK;
    connection *c = &s->counter;
    int64_t last;
    eg_status st = writer_take(c, rq);
    if (st != EG_OK) return st;
    st = begin_write(c, rq, &last);
    for (size_t i = 0; st == EG_OK && i < n; i++) {
        sqlite3_stmt *q = prepare(c, rq, EG_SQL_COUNT_HIT);
        if (q) {
            bind_text(q, 1, rq->workspace);
            bind_id(q, 2, ids[i]);
        }
        st = run(c, rq, q);
    }
    if (!sqlite3_get_autocommit(c->db)) st = end_write(c, rq, st);
    connection_give(c);
    return st;
}
