/* audit.c - who did what: a chain of hashes for each workspace, whose layout is core's
 * (services->audit_hash). Payloads are kept apart, so that an erased payload leaves the chain
 * whole. */
#include "store.h"

enum { HASH = 32 };

static eg_status insert_windows(connection *c, eg_request *rq, const eg_audit_row *row) {
    for (size_t i = 0; i < row->window_count; i++) {
        const eg_window_change *w = &row->windows[i];
        sqlite3_stmt *q = prepare(c, rq, EG_SQL_INSERT_WINDOW);
        if (!q) return rq->err->code;
        sqlite3_bind_int64(q, 1, row->id);
        sqlite3_bind_int64(q, 2, (int64_t)i);
        bind_id(q, 3, w->fact);
        sqlite3_bind_int64(q, 4, w->from_before);
        sqlite3_bind_int64(q, 5, w->until_before);
        sqlite3_bind_int64(q, 6, w->from_after);
        sqlite3_bind_int64(q, 7, w->until_after);
        eg_status s = run(c, rq, q);
        if (s != EG_OK) return s;
    }
    return EG_OK;
}

eg_status audit_append(eg_storage *s, eg_request *rq, int64_t workspace, eg_audit_row *row, uint8_t head[HASH]) {
    connection *c = &s->writer;
    uint8_t hash[HASH];
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_NEXT_AUDIT_ID);
    if (!q || step(c, rq, q) != 1) return rq->err->code;
    row->id = sqlite3_column_int64(q, 0);
    sqlite3_reset(q);
    s->services->sha256(s->services->host, row->payload.ptr ? row->payload.ptr : "", row->payload.len, row->payload_hash);
    eg_status st = s->services->audit_hash(s->services->host, head, row, hash);
    if (st != EG_OK) return eg_request_fail(rq, st, "out of memory for the hash of an audit row");
    if (!(q = prepare(c, rq, EG_SQL_INSERT_AUDIT))) return rq->err->code;
    sqlite3_bind_int64(q, 1, row->id);
    sqlite3_bind_int64(q, 2, workspace);
    sqlite3_bind_int64(q, 3, row->time);
    bind_text(q, 4, row->actor);
    bind_text(q, 5, row->action);
    bind_id(q, 6, row->fact);
    bind_id(q, 7, row->other);
    sqlite3_bind_blob(q, 8, row->payload_hash, HASH, SQLITE_STATIC);
    sqlite3_bind_blob(q, 9, hash, HASH, SQLITE_STATIC);
    if ((st = run(c, rq, q)) != EG_OK) return st;
    if (!(q = prepare(c, rq, EG_SQL_INSERT_PAYLOAD))) return rq->err->code;
    sqlite3_bind_int64(q, 1, row->id);
    bind_text(q, 2, row->payload);
    if ((st = run(c, rq, q)) != EG_OK) return st;
    memcpy(head, hash, HASH);
    return insert_windows(c, rq, row);
}

/* The row with the columns AUDIT_COLUMNS, or AUDIT_COLUMNS_AND_NAME, but for its windows. */
static eg_status read_row(eg_request *rq, sqlite3_stmt *q, eg_audit_row *out) {
    *out = (eg_audit_row){.id = sqlite3_column_int64(q, 0),
                          .time = sqlite3_column_int64(q, 1),
                          .workspace = rq->workspace,
                          .actor = column_text(rq, q, 2),
                          .action = column_text(rq, q, 3),
                          .payload = column_text(rq, q, 4),
                          .fact = column_id(q, 5),
                          .other = column_id(q, 6),
                          .layout = (uint32_t)sqlite3_column_int(q, 8)};
    if (sqlite3_column_bytes(q, 7) == HASH) memcpy(out->payload_hash, sqlite3_column_blob(q, 7), HASH);
    if (sqlite3_column_count(q) > 10) out->workspace = column_text(rq, q, 10);
    return out->actor.ptr && out->action.ptr && out->payload.ptr && out->workspace.ptr ? EG_OK : EG_ENOMEM;
}

/* list: reused from row to row. */
static eg_status read_windows(connection *c, eg_request *rq, eg_audit_row *out, window_list *list) {
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_AUDIT_WINDOWS);
    if (!q) return rq->err->code;
    sqlite3_bind_int64(q, 1, out->id);
    list->count = 0;
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
    out->windows = list->rows;
    out->window_count = list->count;
    return row ? rq->err->code : EG_OK;
}

/* Workspaces that went into another one. */
typedef struct moved_list {
    void *rows; /* moved */
    size_t count, capacity;
} moved_list;
typedef struct moved {
    int64_t key;
    eg_str name; /* that it had */
} moved;

static eg_status read_moved(connection *c, eg_request *rq, moved_list *out) {
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_MOVED_HERE);
    if (!q) return rq->err->code;
    bind_text(q, 1, rq->workspace);
    int row;
    while ((row = step(c, rq, q)) > 0) {
        moved *to = grow_row(rq, &out->rows, out->count, &out->capacity, sizeof *to);
        if (to) *to = (moved){sqlite3_column_int64(q, 0), column_text(rq, q, 1)};
        if (!to || !to->name.ptr) row = -1;
        if (row < 0) break;
        out->count++;
    }
    sqlite3_reset(q);
    return row ? rq->err->code : EG_OK;
}

eg_status sqlite_audit(eg_storage *s, eg_request *rq, int64_t after, uint32_t limit, eg_audit_row **out, size_t *n) {
    connection *c = reader_take(s);
    moved_list from = {0};
    eg_status st = begin_read(c, rq);
    if (st == EG_OK) st = read_moved(c, rq, &from);
    sqlite3_stmt *q = st == EG_OK ? prepare(c, rq, from.count ? EG_SQL_AUDIT_AND_MOVED : EG_SQL_AUDIT) : NULL;
    size_t capacity = 0;
    void *rows = NULL;
    *n = 0;
    if (q) {
        bind_text(q, 1, rq->workspace);
        sqlite3_bind_int64(q, 2, after);
        sqlite3_bind_int64(q, 3, limit);
        int row;
        while (st == EG_OK && (row = step(c, rq, q)) != 0) {
            window_list windows = {0};
            eg_audit_row *to = row < 0 ? NULL : grow_row(rq, &rows, *n, &capacity, sizeof *to);
            st = to ? read_row(rq, q, to) : rq->err->code;
            if (st == EG_OK) st = read_windows(c, rq, to, &windows);
            *n += st == EG_OK;
        }
        sqlite3_reset(q);
    } else {
        st = rq->err->code;
    }
    end_read(c, rq);
    connection_give(c);
    *out = rows;
    return st;
}

/* A chain that is being checked. */
typedef struct chain {
    eg_storage *s;
    connection *c;
    eg_request *rq;
    int64_t key; /* of the workspace, and the name that its rows were written under */
    eg_str name;
    uint8_t hash[HASH]; /* of its last row so far */
    window_list windows;
} chain;

static eg_status broken(chain *x, int64_t id) {
    return eg_request_fail(x->rq, EG_EFORMAT, "the audit log was changed: row %lld does not fit the chain", (long long)id);
}

/* The next row of a statement with AUDIT_COLUMNS. */
static eg_status check_row(chain *x, sqlite3_stmt *q) {
    eg_audit_row row = {.id = sqlite3_column_int64(q, 0),
                        .time = sqlite3_column_int64(q, 1),
                        .workspace = x->name,
                        .fact = column_id(q, 5),
                        .other = column_id(q, 6),
                        .layout = (uint32_t)sqlite3_column_int(q, 8)};
    row.actor = (eg_str){(const char *)sqlite3_column_text(q, 2), (size_t)sqlite3_column_bytes(q, 2)};
    row.action = (eg_str){(const char *)sqlite3_column_text(q, 3), (size_t)sqlite3_column_bytes(q, 3)};
    if (sqlite3_column_bytes(q, 7) != HASH || sqlite3_column_bytes(q, 9) != HASH) return broken(x, row.id);
    memcpy(row.payload_hash, sqlite3_column_blob(q, 7), HASH);
    eg_status st = read_windows(x->c, x->rq, &row, &x->windows);
    if (st != EG_OK) return st;
    uint8_t hash[HASH], payload[HASH];
    st = x->s->services->audit_hash(x->s->services->host, x->hash, &row, hash);
    if (st == EG_EFORMAT) return broken(x, row.id);
    if (st != EG_OK) return eg_request_fail(x->rq, st, "out of memory for the hash of an audit row");
    int whole = memcmp(hash, sqlite3_column_blob(q, 9), HASH) == 0;
    /* an erased payload is gone, a changed one is not */
    if (sqlite3_column_type(q, 4) != SQLITE_NULL) {
        x->s->services->sha256(x->s->services->host, sqlite3_column_text(q, 4), (size_t)sqlite3_column_bytes(q, 4), payload);
        whole = whole && memcmp(payload, row.payload_hash, HASH) == 0;
    }
    memcpy(x->hash, hash, HASH);
    return whole ? EG_OK : broken(x, row.id);
}

/* dense: ids are 1, 2, 3 ... in this chain. */
static eg_status check_rows(chain *x, sqlite3_stmt *q, int dense) {
    eg_status st = q ? EG_OK : x->rq->err->code;
    int64_t expected = 1;
    int row;
    while (st == EG_OK && (row = step(x->c, x->rq, q)) != 0) {
        if (row < 0) st = x->rq->err->code;
        else if (dense && sqlite3_column_int64(q, 0) != expected++) st = broken(x, sqlite3_column_int64(q, 0));
        else st = check_row(x, q);
    }
    if (q) sqlite3_reset(q);
    return st;
}

/* Where the workspace's chain begins and ends, by its own row; zeros: nowhere. */
static int chain_ends(chain *x, uint8_t anchor[HASH], uint8_t head[HASH]) {
    sqlite3_stmt *q = prepare(x->c, x->rq, EG_SQL_CHAIN_ENDS);
    if (!q) return -1;
    sqlite3_bind_int64(q, 1, x->key);
    int row = step(x->c, x->rq, q);
    memset(anchor, 0, HASH);
    memset(head, 0, HASH);
    if (row > 0 && sqlite3_column_bytes(q, 0) == HASH) memcpy(anchor, sqlite3_column_blob(q, 0), HASH);
    if (row > 0 && sqlite3_column_bytes(q, 1) == HASH) memcpy(head, sqlite3_column_blob(q, 1), HASH);
    sqlite3_reset(q);
    return row;
}

/* A workspace of a migrated store begins at the end of the chain that the whole store had. */
static eg_status check_chain(chain *x) {
    static const uint8_t none[HASH];
    uint8_t anchor[HASH], head[HASH];
    int known = chain_ends(x, anchor, head);
    if (known <= 0) return known < 0 ? x->rq->err->code : EG_OK;
    if (memcmp(anchor, none, HASH) != 0) {
        eg_status st = check_rows(x, prepare(x->c, x->rq, EG_SQL_CHAIN_OF_STORE), 1);
        if (st != EG_OK) return st;
        if (memcmp(x->hash, anchor, HASH) != 0)
            return eg_request_fail(x->rq, EG_EFORMAT,
                                   "the audit log was changed: its rows from before schema 4 are not all there");
    }
    sqlite3_stmt *q = prepare(x->c, x->rq, EG_SQL_CHAIN_OF_WORKSPACE);
    if (q) sqlite3_bind_int64(q, 1, x->key);
    eg_status st = check_rows(x, q, 0);
    if (st == EG_OK && memcmp(x->hash, head, HASH) != 0)
        st = eg_request_fail(x->rq, EG_EFORMAT, "the audit log was changed: its last rows are missing");
    return st;
}

/* The chain of the workspace, and those of the workspaces that went into it. */
static eg_status check_chains(chain *x) {
    moved_list from = {0};
    sqlite3_stmt *q = prepare(x->c, x->rq, EG_SQL_WORKSPACE);
    if (!q) return x->rq->err->code;
    bind_text(q, 1, x->rq->workspace);
    int row = step(x->c, x->rq, q);
    x->key = row > 0 ? sqlite3_column_int64(q, 0) : 0;
    x->name = x->rq->workspace;
    sqlite3_reset(q);
    if (row <= 0) return row < 0 ? x->rq->err->code : EG_OK;
    eg_status st = check_chain(x);
    if (st == EG_OK) st = read_moved(x->c, x->rq, &from);
    const moved *all = from.rows;
    for (size_t i = 0; st == EG_OK && i < from.count; i++) {
        x->key = all[i].key;
        x->name = all[i].name;
        memset(x->hash, 0, HASH);
        st = check_chain(x);
    }
    return st;
}

eg_status sqlite_audit_verify(eg_storage *s, eg_request *rq) {
    connection own;
    chain x = {.s = s, .c = &own, .rq = rq};
    eg_status st = connection_open_long(&own, s, rq);
    if (st != EG_OK) return st;
    st = begin_read(&own, rq);
    if (st == EG_OK) st = check_chains(&x);
    end_read(&own, rq);
    connection_close(&own);
    return st;
}
