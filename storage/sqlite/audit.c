/* audit.c - who did what: rows chained by SHA-256, payloads kept apart, so that an erased payload leaves the chain whole. */
#include "store.h"

enum { HASH = 32 };

static uint8_t *put_number(uint8_t *p, int64_t x) {
    for (int b = 0; b < 8; b++) *p++ = (uint8_t)((uint64_t)x >> (8 * b));
    return p;
}

/* What the chain covers of an audit row. */
typedef struct audit_row {
    int64_t id, at;
    eg_id fact, other;
    eg_str actor, action;
    uint8_t payload[HASH];
    const window_list *windows;
} audit_row;

/* hash = SHA-256(previous hash, id, time, actor's and action's lengths, fact, other, actor, action, payload hash, windows), each
 * part of fixed or told length; the windows are the rest: a row without any has the hash that version 1 gave it. */
static eg_status chain_hash(eg_storage *s, eg_request *rq, const uint8_t previous[HASH], const audit_row *r, uint8_t out[HASH]) {
    const eg_window_change *windows = r->windows->rows;
    size_t size = HASH + 4 * 8 + 2 * 16 + r->actor.len + r->action.len + HASH + r->windows->count * (16 + 4 * 8);
    uint8_t *bytes = eg_request_array(rq, size, 1), *p = bytes;
    if (!bytes) return EG_ENOMEM;
    memcpy(p, previous, HASH), p += HASH;
    p = put_number(put_number(p, r->id), r->at);
    p = put_number(put_number(p, (int64_t)r->actor.len), (int64_t)r->action.len);
    memcpy(p, r->fact.bytes, 16), p += 16;
    memcpy(p, r->other.bytes, 16), p += 16;
    if (r->actor.len) memcpy(p, r->actor.ptr, r->actor.len), p += r->actor.len;
    if (r->action.len) memcpy(p, r->action.ptr, r->action.len), p += r->action.len;
    memcpy(p, r->payload, HASH), p += HASH;
    for (size_t i = 0; i < r->windows->count; i++) {
        const eg_window_change *w = &windows[i];
        memcpy(p, w->fact.bytes, 16), p += 16;
        p = put_number(put_number(p, w->from_before), w->until_before);
        p = put_number(put_number(p, w->from_after), w->until_after);
    }
    s->services->sha256(s->services->host, bytes, size, out);
    return EG_OK;
}

static eg_status insert_windows(connection *c, eg_request *rq, int64_t id, const window_list *windows) {
    const eg_window_change *rows = windows->rows;
    for (size_t i = 0; i < windows->count; i++) {
        sqlite3_stmt *q = prepare(c, rq, EG_SQL_INSERT_WINDOW);
        if (!q) return rq->err->code;
        sqlite3_bind_int64(q, 1, id);
        sqlite3_bind_int64(q, 2, (int64_t)i);
        bind_id(q, 3, rows[i].fact);
        sqlite3_bind_int64(q, 4, rows[i].from_before);
        sqlite3_bind_int64(q, 5, rows[i].until_before);
        sqlite3_bind_int64(q, 6, rows[i].from_after);
        sqlite3_bind_int64(q, 7, rows[i].until_after);
        eg_status s = run(c, rq, q);
        if (s != EG_OK) return s;
    }
    return EG_OK;
}

/* The rows of a bound AUDIT_WINDOWS or CHAIN_WINDOWS; list: empty. */
static eg_status read_windows(connection *c, eg_request *rq, sqlite3_stmt *q, window_list *list) {
    int row;
    while ((row = step(c, rq, q)) != 0) {
        eg_window_change *to = row < 0 ? NULL : grow_row(rq, &list->rows, list->count, &list->capacity, sizeof *to);
        if (!to) break;
        *to = (eg_window_change){.fact = column_id(q, 0),
                                 .from_before = sqlite3_column_int64(q, 1),
                                 .until_before = sqlite3_column_int64(q, 2),
                                 .from_after = sqlite3_column_int64(q, 3),
                                 .until_after = sqlite3_column_int64(q, 4)};
        list->count++;
    }
    sqlite3_reset(q);
    return row ? rq->err->code : EG_OK;
}

eg_status audit_append(eg_storage *s, eg_request *rq, int64_t workspace, int64_t now, eg_str actor, const eg_change *change,
                       const window_list *windows, int64_t *id) {
    connection *c = &s->writer;
    audit_row r = {
        .at = now, .fact = change->fact, .other = change->other, .actor = actor, .action = change->text, .windows = windows};
    uint8_t previous[HASH] = {0}, hash[HASH];
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_LAST_AUDIT_HASH);
    int row = q ? step(c, rq, q) : -1;
    if (row > 0 && sqlite3_column_bytes(q, 0) == HASH) memcpy(previous, sqlite3_column_blob(q, 0), HASH);
    if (row > 0) sqlite3_reset(q);
    q = row < 0 ? NULL : prepare(c, rq, EG_SQL_NEXT_AUDIT_ID);
    if (!q || step(c, rq, q) != 1) return rq->err->code;
    *id = r.id = sqlite3_column_int64(q, 0);
    sqlite3_reset(q);
    s->services->sha256(s->services->host, change->text2.ptr ? change->text2.ptr : "", change->text2.len, r.payload);
    eg_status st = chain_hash(s, rq, previous, &r, hash);
    if (st != EG_OK) return st;
    if (!(q = prepare(c, rq, EG_SQL_INSERT_AUDIT))) return rq->err->code;
    sqlite3_bind_int64(q, 1, *id);
    sqlite3_bind_int64(q, 2, workspace);
    sqlite3_bind_int64(q, 3, now);
    bind_text(q, 4, actor);
    bind_text(q, 5, change->text);
    bind_id(q, 6, change->fact);
    bind_id(q, 7, change->other);
    sqlite3_bind_blob(q, 8, r.payload, HASH, SQLITE_STATIC);
    sqlite3_bind_blob(q, 9, hash, HASH, SQLITE_STATIC);
    if ((st = run(c, rq, q)) != EG_OK) return st;
    if (!(q = prepare(c, rq, EG_SQL_INSERT_PAYLOAD))) return rq->err->code;
    sqlite3_bind_int64(q, 1, *id);
    bind_text(q, 2, change->text2);
    return (st = run(c, rq, q)) == EG_OK ? insert_windows(c, rq, *id, windows) : st;
}

static eg_status read_row(eg_request *rq, sqlite3_stmt *q, eg_audit_row *out) {
    *out = (eg_audit_row){.id = sqlite3_column_int64(q, 0),
                          .time = sqlite3_column_int64(q, 1),
                          .actor = column_text(rq, q, 2),
                          .action = column_text(rq, q, 3),
                          .payload = column_text(rq, q, 4),
                          .fact = column_id(q, 5),
                          .other = column_id(q, 6)};
    return out->actor.ptr && out->action.ptr && out->payload.ptr ? EG_OK : EG_ENOMEM;
}

eg_status sqlite_audit(eg_storage *s, eg_request *rq, eg_str workspace, int64_t id, eg_audit_row *out) {
    connection *c = reader_take(s);
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_AUDIT);
    eg_status st = q ? EG_OK : rq->err->code;
    if (q) {
        bind_text(q, 1, workspace);
        sqlite3_bind_int64(q, 2, id);
        int row = step(c, rq, q);
        st = row > 0 ? read_row(rq, q, out) : row < 0 ? rq->err->code : eg_request_fail(rq, EG_ENOENT, "no such audit row");
        sqlite3_reset(q);
    }
    connection_give(c);
    return st;
}

eg_status sqlite_audit_list(eg_storage *s, eg_request *rq, eg_str workspace, int64_t after, uint32_t limit, eg_audit_row **out,
                            size_t *n) {
    connection *c = reader_take(s);
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_AUDIT_LIST);
    eg_status st = q ? EG_OK : rq->err->code;
    size_t capacity = 0;
    void *rows = NULL;
    *n = 0;
    if (q) {
        bind_text(q, 1, workspace);
        sqlite3_bind_int64(q, 2, after);
        sqlite3_bind_int64(q, 3, limit);
        int row;
        while (st == EG_OK && (row = step(c, rq, q)) != 0) {
            eg_audit_row *to = row < 0 ? NULL : grow_row(rq, &rows, *n, &capacity, sizeof *to);
            st = to ? read_row(rq, q, to) : rq->err->code;
            *n += st == EG_OK;
        }
        sqlite3_reset(q);
    }
    connection_give(c);
    *out = rows;
    return st;
}

eg_status sqlite_audit_windows(eg_storage *s, eg_request *rq, eg_str workspace, int64_t id, eg_window_change **out, size_t *n) {
    connection *c = reader_take(s);
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_AUDIT_WINDOWS);
    eg_status st = q ? EG_OK : rq->err->code;
    window_list list = {0};
    if (q) {
        bind_text(q, 1, workspace);
        sqlite3_bind_int64(q, 2, id);
        st = read_windows(c, rq, q, &list);
    }
    connection_give(c);
    *out = list.rows;
    *n = list.count;
    return st;
}

/* The windows of one row of the chain. */
static eg_status chain_windows(connection *c, eg_request *rq, int64_t id, window_list *list) {
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_CHAIN_WINDOWS);
    if (!q) return rq->err->code;
    sqlite3_bind_int64(q, 1, id);
    list->count = 0;
    return read_windows(c, rq, q, list);
}

eg_status sqlite_audit_verify(eg_storage *s, eg_request *rq) {
    connection *c = reader_take(s);
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_AUDIT_CHAIN);
    eg_status st = q ? EG_OK : rq->err->code;
    uint8_t previous[HASH] = {0};
    int64_t expected = 1;
    window_list windows = {0};
    int row;
    while (st == EG_OK && (row = step(c, rq, q)) != 0) {
        if (row < 0) {
            st = rq->err->code;
            break;
        }
        audit_row r = {.id = sqlite3_column_int64(q, 0),
                       .at = sqlite3_column_int64(q, 1),
                       .fact = column_id(q, 4),
                       .other = column_id(q, 5),
                       .windows = &windows};
        r.actor = (eg_str){(const char *)sqlite3_column_text(q, 2), (size_t)sqlite3_column_bytes(q, 2)};
        r.action = (eg_str){(const char *)sqlite3_column_text(q, 3), (size_t)sqlite3_column_bytes(q, 3)};
        int whole = sqlite3_column_bytes(q, 6) == HASH && sqlite3_column_bytes(q, 7) == HASH && r.id == expected;
        if (whole && (st = chain_windows(c, rq, r.id, &windows)) == EG_OK) {
            uint8_t hash[HASH], payload[HASH];
            memcpy(r.payload, sqlite3_column_blob(q, 6), HASH);
            if ((st = chain_hash(s, rq, previous, &r, hash)) != EG_OK) break;
            whole = memcmp(hash, sqlite3_column_blob(q, 7), HASH) == 0;
            if (sqlite3_column_type(q, 8) != SQLITE_NULL) { /* an erased payload is gone, a changed one is not */
                s->services->sha256(s->services->host, sqlite3_column_text(q, 8), (size_t)sqlite3_column_bytes(q, 8), payload);
                whole = whole && memcmp(payload, r.payload, HASH) == 0;
            }
            memcpy(previous, hash, HASH);
        }
        if (st == EG_OK && !whole)
            st = eg_request_fail(rq, EG_EFORMAT, "the audit log was changed: row %lld does not fit the chain", (long long)r.id);
        expected++;
    }
    if (q) sqlite3_reset(q);
    connection_give(c);
    return st;
}
