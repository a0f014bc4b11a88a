/* repair.c - brings a store back whose last change lies in the future: its time stands still there,
 * so that every change carries that time and nothing runs out. */
#include "clock.h"
#include "store.h"

#define SENSIBLE INT64_C(1767225600000000) /* 2026 */

/* ?1: now. What was committed later is committed now, what ended later ends now, a lifetime keeps
 * its length. Records of the audit stay as they were written: they are under the chain. */
static const char *const statements[] = {
    "UPDATE facts SET valid_until = CASE WHEN closed_at > ?1 THEN min(valid_until, ?1) "
    "WHEN valid_from > ?1 AND valid_until < 9223372036854775807 THEN valid_until - valid_from + ?1 ELSE valid_until END, "
    "valid_from = min(valid_from, ?1), committed_at = min(committed_at, ?1), closed_at = min(closed_at, ?1) "
    "WHERE max(valid_from, committed_at, closed_at) > ?1",
    "UPDATE journal SET at = ?1 WHERE at > ?1",
    "UPDATE conflicts SET detected_at = min(detected_at, ?1), resolved_at = min(resolved_at, ?1) "
    "WHERE max(detected_at, resolved_at) > ?1",
    "UPDATE links SET at = ?1 WHERE at > ?1",
    "UPDATE agents SET registered_at = min(registered_at, ?1), last_seen = min(last_seen, ?1) WHERE last_seen > ?1",
};

static eg_status change(connection *c, eg_request *rq, const char *sql, int64_t now, uint64_t *rows) {
    eg_status st = run_once(c, rq, sql, &now, 1);
    if (st == EG_OK) *rows += (uint64_t)sqlite3_changes(c->db);
    return st;
}

/* A workspace with records from the future. */
typedef struct touched {
    int64_t key;
    eg_str name;
    uint8_t head[32];
} touched;

static eg_status read_touched(connection *c, eg_request *rq, int64_t now, void **rows, size_t *n) {
    sqlite3_stmt *q = NULL;
    size_t capacity = 0;
    int row;
    if (sqlite3_prepare_v2(c->db,
                           "SELECT key, name, audit_head FROM workspaces WHERE key IN "
                           "(SELECT DISTINCT workspace FROM audit WHERE at > ?1)",
                           -1, &q, NULL) != SQLITE_OK)
        return sqlite_error(c, rq, "repairing times");
    sqlite3_bind_int64(q, 1, now);
    while ((row = step(c, rq, q)) > 0) {
        touched *t = grow_row(rq, rows, *n, &capacity, sizeof *t);
        if (!t) break;
        *t = (touched){.key = sqlite3_column_int64(q, 0), .name = column_text(rq, q, 1)};
        if (sqlite3_column_bytes(q, 2) == sizeof t->head) memcpy(t->head, sqlite3_column_blob(q, 2), sizeof t->head);
        if (!t->name.ptr) break;
        ++*n;
    }
    sqlite3_finalize(q);
    return row == 0 ? EG_OK : rq->err->code;
}

/* Tells in the chain of each of them what was done, and from which time on. */
static eg_status record(eg_storage *s, eg_request *rq, int64_t last, int64_t now) {
    void *rows = NULL;
    size_t n = 0;
    eg_status st = read_touched(&s->writer, rq, now, &rows, &n);
    eg_str payload = eg_request_printf(rq, "{\"from\":%lld,\"to\":%lld}", (long long)last, (long long)now);
    if (!payload.ptr) return EG_ENOMEM;
    for (size_t i = 0; st == EG_OK && i < n; i++) {
        touched *t = (touched *)rows + i;
        eg_audit_row row = {.time = now,
                            .workspace = t->name,
                            .actor = rq->who->agent,
                            .action = EG_STR("repair_time"),
                            .payload = payload,
                            .layout = EG_AUDIT_WORKSPACE};
        st = audit_append(s, rq, t->key, &row, t->head);
        sqlite3_stmt *q = st == EG_OK ? prepare(&s->writer, rq, EG_SQL_SET_HEAD) : NULL;
        if (!q) return rq->err->code;
        sqlite3_bind_int64(q, 1, t->key);
        sqlite3_bind_blob(q, 2, t->head, sizeof t->head, SQLITE_STATIC);
        st = run(&s->writer, rq, q);
    }
    return st;
}

static eg_status repair(eg_storage *s, eg_request *rq, int64_t last, int64_t now, uint64_t *rows) {
    uint64_t ignored = 0;
    eg_status st = record(s, rq, last, now);
    for (size_t i = 0; st == EG_OK && i < sizeof statements / sizeof *statements; i++)
        st = change(&s->writer, rq, statements[i], now, i ? &ignored : rows);
    return st == EG_OK ? change(&s->writer, rq, "UPDATE meta SET last_time = ?1", now, &ignored) : st;
}

eg_status sqlite_repair_time(eg_storage *s, eg_request *rq, uint64_t *rows) {
    int64_t last = 0, now = store_clock(s);
    *rows = 0;
    eg_status st = refuse_read_only(s, rq);
    if (st != EG_OK) return st;
    if (now < SENSIBLE)
        return eg_request_fail(rq, EG_EREFUSED,
                               "the clock of this machine is before 2026: set it first, or all facts would be as old");
    if ((st = writer_take(&s->writer, rq)) != EG_OK) return st;
    st = begin_write(&s->writer, rq, &last);
    if (st == EG_OK) st = end_write(&s->writer, rq, last > now ? repair(s, rq, last, now, rows) : EG_OK);
    connection_give(&s->writer);
    return st;
}
