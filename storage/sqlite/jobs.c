/* jobs.c - leases of detection jobs and counters, on the connection that does not wait for the disk: what is lost with the
 * power is only that somebody was at work, or that a fact was read. */
#include "store.h"

static eg_status read_job(eg_request *rq, sqlite3_stmt *q, eg_job *out) {
    *out = (eg_job){.id = sqlite3_column_int64(q, 0),
                    .kind = (uint32_t)sqlite3_column_int(q, 1),
                    .attempts = (uint32_t)sqlite3_column_int(q, 2),
                    .workspace = column_text(rq, q, 3),
                    .fact = column_id(q, 4),
                    .created_at = sqlite3_column_int64(q, 5),
                    .not_before = sqlite3_column_int64(q, 6),
                    .owner = column_text(rq, q, 7),
                    .last_error = column_text(rq, q, 8)};
    return out->workspace.ptr && out->owner.ptr && out->last_error.ptr ? EG_OK : EG_ENOMEM;
}

static void bind_due(sqlite3_stmt *q, eg_str owner, int64_t now, int64_t lease_time, int64_t grace, uint32_t but_not,
                     uint32_t most) {
    sqlite3_bind_int(q, 1, EG_MAX_ATTEMPTS);
    sqlite3_bind_int64(q, 2, now);
    bind_text(q, 3, owner);
    sqlite3_bind_int64(q, 4, grace < now ? now - grace : -1);
    sqlite3_bind_int64(q, 5, most);
    sqlite3_bind_int64(q, 6, now + 2 * lease_time);
    sqlite3_bind_int64(q, 7, now + EG_MAX_JOB_PAUSE);
    sqlite3_bind_int64(q, 8, but_not);
}

static eg_status lease_locked(eg_storage *s, eg_request *rq, eg_str owner, int64_t now, int64_t lease_time, int64_t grace,
                              uint32_t but_not, uint32_t max_leased, uint32_t most, eg_job **out, size_t *n) {
    connection *c = &s->counter;
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_EXPIRE_LEASES);
    if (q) {
        sqlite3_bind_int64(q, 1, now);
        sqlite3_bind_int64(q, 2, now + 2 * lease_time);
    }
    eg_status st = run(c, rq, q);
    if (st != EG_OK) return st;
    if (!(q = prepare(c, rq, EG_SQL_LEASED))) return rq->err->code;
    if (step(c, rq, q) != 1) return rq->err->code;
    uint32_t leased = (uint32_t)sqlite3_column_int64(q, 0);
    sqlite3_reset(q);
    if (leased >= max_leased) return EG_OK;
    if (most > max_leased - leased) most = max_leased - leased;

    void *rows = NULL;
    size_t capacity = 0;
    int row;
    if (!(q = prepare(c, rq, EG_SQL_DUE_JOBS))) return rq->err->code;
    bind_due(q, owner, now, lease_time, grace, but_not, most);
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
        job->lease_until = now + lease_time;
        if (!(q = prepare(c, rq, EG_SQL_TAKE_JOB))) return rq->err->code;
        sqlite3_bind_int64(q, 1, job->id);
        bind_id(q, 2, job->token);
        sqlite3_bind_int64(q, 3, job->lease_until);
        if ((st = run(c, rq, q)) != EG_OK) return st;
    }
    return EG_OK;
}

/* 1 when there is anything to lease: asked without the write lock, so that an idle worker never takes it. */
static int any_due(eg_storage *s, eg_request *rq, eg_str owner, int64_t now, int64_t lease_time, int64_t grace,
                   uint32_t but_not) {
    connection *c = reader_take(s);
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_DUE_JOBS);
    int found = 0;
    if (q) {
        bind_due(q, owner, now, lease_time, grace, but_not, 1);
        found = step(c, rq, q) == 1;
        sqlite3_reset(q);
    }
    connection_give(c);
    return found;
}

eg_status sqlite_lease(eg_storage *s, eg_request *rq, eg_str owner, int64_t lease_time, int64_t grace, uint32_t but_not,
                       uint32_t max_leased, uint32_t most, eg_job **out, size_t *n) {
    *out = NULL;
    *n = 0;
    int64_t now = s->services->now(s->services->host), last;
    if (s->read_only || !any_due(s, rq, owner, now, lease_time, grace, but_not)) return EG_OK; /* who can write does them */
    pthread_mutex_lock(&s->counter.lock);
    eg_status st = begin_write(&s->counter, rq, &last);
    if (st == EG_OK) {
        st = lease_locked(s, rq, owner, now, lease_time, grace, but_not, max_leased, most, out, n);
        st = end_write(&s->counter, rq, st);
    }
    pthread_mutex_unlock(&s->counter.lock);
    if (st != EG_OK) *n = 0;
    return st;
}

eg_status sqlite_jobs_of(eg_storage *s, eg_request *rq, eg_id fact, size_t *waiting, size_t *dead) {
    connection *c = reader_take(s);
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_JOBS_OF);
    eg_status st = q ? EG_OK : rq->err->code;
    if (q) {
        bind_text(q, 1, rq->workspace);
        bind_id(q, 2, fact);
        sqlite3_bind_int(q, 3, EG_MAX_ATTEMPTS);
        st = step(c, rq, q) == 1 ? EG_OK : rq->err->code;
        if (st == EG_OK) {
            *waiting = (size_t)sqlite3_column_int64(q, 0);
            *dead = (size_t)sqlite3_column_int64(q, 1);
        }
        sqlite3_reset(q);
    }
    connection_give(c);
    return st;
}

eg_status sqlite_count_hits(eg_storage *s, eg_request *rq, const eg_id *ids, size_t n) {
    if (s->read_only) return EG_OK;
    connection *c = &s->counter;
    int64_t last;
    pthread_mutex_lock(&c->lock);
    eg_status st = begin_write(c, rq, &last);
    for (size_t i = 0; st == EG_OK && i < n; i++) {
        sqlite3_stmt *q = prepare(c, rq, EG_SQL_COUNT_HIT);
        if (q) {
            bind_text(q, 1, rq->workspace);
            bind_id(q, 2, ids[i]);
        }
        st = run(c, rq, q);
    }
    if (!sqlite3_get_autocommit(c->db)) st = end_write(c, rq, st);
    pthread_mutex_unlock(&c->lock);
    return st;
}
