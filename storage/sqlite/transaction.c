/* transaction.c - transactions over one connection, the time of the store, and the parameters of a
 * filter, which need that time. See store.h. */
#include "clock.h"
#include "store.h"

eg_status begin_write(connection *c, eg_request *rq, int64_t *last_time) {
    eg_status s = run(c, rq, prepare(c, rq, EG_SQL_BEGIN_WRITE));
    if (s != EG_OK) return s;
    s = schema_check(c, rq, 1, last_time);
    return s == EG_OK ? s : end_write(c, rq, s);
}

eg_status end_write(connection *c, eg_request *rq, eg_status s) {
    if (s == EG_OK) s = run(c, rq, prepare(c, rq, EG_SQL_COMMIT));
    /* report the first error, not the rollback's */
    if (s != EG_OK && !sqlite3_get_autocommit(c->db)) {
        eg_error first = *rq->err;
        (void)run(c, rq, prepare(c, rq, EG_SQL_ROLLBACK));
        *rq->err = first;
    }
    return s;
}

eg_status begin_read(connection *c, eg_request *rq) {
    return c->is_snapshot ? EG_OK : run(c, rq, prepare(c, rq, EG_SQL_BEGIN_READ));
}

void end_read(connection *c, eg_request *rq) {
    /* it never began, or SQLite ended it with an error */
    if (c->is_snapshot || sqlite3_get_autocommit(c->db)) return;
    eg_error first = *rq->err; /* what a read came to is not changed by its end */
    (void)run(c, rq, prepare(c, rq, EG_SQL_ROLLBACK));
    *rq->err = first;
}

int64_t store_clock(const eg_storage *s) { return s->test_clock ? s->test_clock : s->services->now(s->services->host); }

eg_status store_now(const eg_storage *s, connection *c, eg_request *rq, int64_t *now) {
    int64_t last = 0;
    eg_status st = schema_check(c, rq, 0, &last);
    *now = store_clock(s);
    if (*now < last) *now = last;
    return st;
}

eg_status check_clock(const eg_storage *s, eg_request *rq, int64_t last) {
    if (s->for_tests) return EG_OK; /* theirs is made up */
    clock_evidence e = {.clock = store_clock(s), .last = last};
    if (!clock_is_ahead(&e)) return EG_OK;
    e.expected = s->opened_at + clock_since_boot();
    clock_gather(&e);
    const char *doubt = clock_doubt(&e);
    return doubt ? eg_request_fail(rq, EG_EREFUSED, "nothing was stored, since its time would stand still: %s", doubt) : EG_OK;
}

eg_status bind_filter(sqlite3_stmt *q, const eg_storage *s, connection *c, eg_request *rq, const eg_filter *f) {
    int64_t at = f->at;
    eg_status st = at ? EG_OK : store_now(s, c, rq, &at);
    if (st != EG_OK) return st;
    bind_text(q, named(q, ":workspace"), rq->workspace);
    sqlite3_bind_int64(q, named(q, ":at"), at);
    sqlite3_bind_int(q, named(q, ":as_of"), (f->flags & EG_FILTER_AS_OF) != 0);
    sqlite3_bind_int(q, named(q, ":history"), (f->flags & EG_FILTER_HISTORY) != 0);
    sqlite3_bind_int(q, named(q, ":ephemeral"), (f->flags & EG_FILTER_EPHEMERAL) != 0);
    sqlite3_bind_int64(q, named(q, ":types"), f->fact_types);
    bind_text(q, named(q, ":agent"), f->agent_id);
    bind_text(q, named(q, ":scope"), f->scope);
    sqlite3_bind_int64(q, named(q, ":since"), f->since ? f->since : INT64_MIN);
    sqlite3_bind_int64(q, named(q, ":ends_before"), f->ends_before);
    return EG_OK;
}
