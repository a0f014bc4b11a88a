/* check.c - looks for damage in the file of the store: SQLite's own checks, and rows that belong to
 * nothing. Whether the records of the audit are those that were written is asked of audit.c. */
#include <errno.h>

#include "store.h"

/* The first row of a statement that has rows only where something is wrong, or says "ok". Where
 * pages are damaged SQLite may fail to read on: that is the answer too. */
static eg_status ask(connection *c, eg_request *rq, const char *sql, const char *what) {
    sqlite3_stmt *q = NULL;
    errno = 0;
    if (sqlite3_prepare_v2(c->db, sql, -1, &q, NULL) != SQLITE_OK) return sqlite_error(c, rq, what);
    int row = step(c, rq, q);
    const char *said = row > 0 ? (const char *)sqlite3_column_text(q, 0) : NULL;
    eg_status st = row < 0 ? rq->err->code : EG_OK;
    if (said && strcmp(said, "ok") != 0) st = eg_request_fail(rq, EG_EFORMAT, "%s '%s': %.300s", what, c->path, said);
    sqlite3_finalize(q);
    return st;
}

static eg_status check_all(connection *c, eg_request *rq, uint32_t flags) {
    int deep = flags & EG_STORAGE_CHECK_DEEP;
    eg_status st = ask(c, rq, deep ? "PRAGMA integrity_check(1)" : "PRAGMA quick_check(1)", "damage in the store");
    if (st == EG_OK)
        st = ask(c, rq,
                 "SELECT 'the row ' || id || ' of the audit belongs to no workspace' FROM audit "
                 "WHERE workspace NOT IN (SELECT key FROM workspaces) LIMIT 1",
                 "rows are missing in the store");
    if (st == EG_OK && deep)
        st = ask(
            c, rq,
            "SELECT 'the row ' || coalesce(rowid, '?') || ' of ' || \"table\" || ' names a row of ' || parent || ' that is not there' "
            "FROM pragma_foreign_key_check LIMIT 1",
            "rows are missing in the store");
    return st;
}

eg_status sqlite_check(eg_storage *s, eg_request *rq, uint32_t flags) {
    connection own;
    if (flags & ~(uint32_t)EG_STORAGE_CHECK_DEEP)
        return eg_request_fail(rq, EG_EUNSUPPORTED, "check: the sqlite backend does not know the flags 0x%x", flags);
    eg_status st = connection_open_long(&own, s, rq);
    if (st != EG_OK) return st;
    st = begin_read(&own, rq);
    if (st == EG_OK) st = check_all(&own, rq, flags);
    end_read(&own, rq);
    connection_close(&own);
    return st;
}
