/* audit.c - who did what: rows chained by SHA-256, payloads kept apart, so that an erased payload leaves the chain whole. */
#include "store.h"

enum { HASH = 32 };

/* hash = SHA-256(previous hash, id, time, fact, other, actor, action, payload hash), each part of fixed or told length. */
static eg_status chain_hash(eg_storage *s, eg_request *rq, const uint8_t previous[HASH], int64_t id, int64_t at, eg_id fact,
                            eg_id other, eg_str actor, eg_str action, const uint8_t payload[HASH], uint8_t out[HASH]) {
    int64_t numbers[4] = {id, at, (int64_t)actor.len, (int64_t)action.len};
    size_t size = HASH + sizeof numbers + 32 + actor.len + action.len + HASH;
    uint8_t *bytes = eg_request_array(rq, size, 1), *p = bytes;
    if (!bytes) return EG_ENOMEM;
    memcpy(p, previous, HASH), p += HASH;
    for (int i = 0; i < 4; i++)
        for (int b = 0; b < 8; b++) *p++ = (uint8_t)((uint64_t)numbers[i] >> (8 * b));
    memcpy(p, fact.bytes, 16), p += 16;
    memcpy(p, other.bytes, 16), p += 16;
    if (actor.len) memcpy(p, actor.ptr, actor.len), p += actor.len;
    if (action.len) memcpy(p, action.ptr, action.len), p += action.len;
    memcpy(p, payload, HASH);
    s->services->sha256(bytes, size, out);
    return EG_OK;
}

eg_status audit_append(eg_storage *s, eg_request *rq, int64_t workspace, int64_t now, eg_str actor, const eg_change *change,
                       int64_t *id) {
    connection *c = &s->writer;
    uint8_t previous[HASH] = {0}, payload[HASH], hash[HASH];
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_LAST_AUDIT_HASH);
    int row = q ? step(c, rq, q) : -1;
    if (row > 0 && sqlite3_column_bytes(q, 0) == HASH) memcpy(previous, sqlite3_column_blob(q, 0), HASH);
    if (row > 0) sqlite3_reset(q);
    q = row < 0 ? NULL : prepare(c, rq, EG_SQL_NEXT_AUDIT_ID);
    if (!q || step(c, rq, q) != 1) return rq->err->code;
    *id = sqlite3_column_int64(q, 0);
    sqlite3_reset(q);
    s->services->sha256(change->text2.ptr ? change->text2.ptr : "", change->text2.len, payload);
    eg_status st = chain_hash(s, rq, previous, *id, now, change->fact, change->other, actor, change->text, payload, hash);
    if (st != EG_OK) return st;
    if (!(q = prepare(c, rq, EG_SQL_INSERT_AUDIT))) return rq->err->code;
    sqlite3_bind_int64(q, 1, *id);
    sqlite3_bind_int64(q, 2, workspace);
    sqlite3_bind_int64(q, 3, now);
    bind_text(q, 4, actor);
    bind_text(q, 5, change->text);
    bind_id(q, 6, change->fact);
    bind_id(q, 7, change->other);
    sqlite3_bind_blob(q, 8, payload, HASH, SQLITE_STATIC);
    sqlite3_bind_blob(q, 9, hash, HASH, SQLITE_STATIC);
    if ((st = run(c, rq, q)) != EG_OK) return st;
    if (!(q = prepare(c, rq, EG_SQL_INSERT_PAYLOAD))) return rq->err->code;
    sqlite3_bind_int64(q, 1, *id);
    bind_text(q, 2, change->text2);
    return run(c, rq, q);
}

static eg_status read_row(eg_request *rq, sqlite3_stmt *q, eg_audit_row *out) {
    *out = (eg_audit_row){.id = sqlite3_column_int64(q, 0), .time = sqlite3_column_int64(q, 1), .actor = column_text(rq, q, 2),
                          .action = column_text(rq, q, 3), .payload = column_text(rq, q, 4), .fact = column_id(q, 5),
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

eg_status sqlite_audit_verify(eg_storage *s, eg_request *rq) {
    connection *c = reader_take(s);
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_AUDIT_CHAIN);
    eg_status st = q ? EG_OK : rq->err->code;
    uint8_t previous[HASH] = {0};
    int64_t expected = 1;
    int row;
    while (st == EG_OK && (row = step(c, rq, q)) != 0) {
        if (row < 0) {
            st = rq->err->code;
            break;
        }
        int64_t id = sqlite3_column_int64(q, 0);
        uint8_t hash[HASH], payload[HASH];
        eg_str actor = {(const char *)sqlite3_column_text(q, 2), (size_t)sqlite3_column_bytes(q, 2)};
        eg_str action = {(const char *)sqlite3_column_text(q, 3), (size_t)sqlite3_column_bytes(q, 3)};
        int whole = sqlite3_column_bytes(q, 6) == HASH && sqlite3_column_bytes(q, 7) == HASH && id == expected;
        if (whole) {
            st = chain_hash(s, rq, previous, id, sqlite3_column_int64(q, 1), column_id(q, 4), column_id(q, 5), actor, action,
                            sqlite3_column_blob(q, 6), hash);
            whole = memcmp(hash, sqlite3_column_blob(q, 7), HASH) == 0;
            if (sqlite3_column_type(q, 8) != SQLITE_NULL) { /* an erased payload is gone, a changed one is not */
                s->services->sha256(sqlite3_column_text(q, 8), (size_t)sqlite3_column_bytes(q, 8), payload);
                whole = whole && memcmp(payload, sqlite3_column_blob(q, 6), HASH) == 0;
            }
            memcpy(previous, hash, HASH);
        }
        if (st == EG_OK && !whole)
            st = eg_request_fail(rq, EG_EFORMAT, "the audit log was changed: row %lld does not fit the chain", (long long)id);
        expected++;
    }
    if (q) sqlite3_reset(q);
    connection_give(c);
    return st;
}
