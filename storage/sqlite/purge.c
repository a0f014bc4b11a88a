/* purge.c - takes what was erased or removed out of the bytes of the files: free pages, the log,
 * the copies that upgrades left. */
#include <errno.h>
#include <unistd.h>

#include "store.h"

/* Puts the log into the store and makes it empty. */
static eg_status empty_log(connection *c, eg_request *rq) {
    sqlite3_stmt *q = NULL;
    errno = 0;
    if (sqlite3_prepare_v2(c->db, "PRAGMA wal_checkpoint(TRUNCATE)", -1, &q, NULL) != SQLITE_OK)
        return sqlite_error(c, rq, "emptying the log");
    int row = step(c, rq, q), busy = row > 0 && sqlite3_column_int(q, 0);
    sqlite3_finalize(q);
    if (row < 0) return rq->err->code;
    if (!busy) return EG_OK;
    return eg_request_fail(
        rq, EG_EBUSY,
        "another process reads the store '%s', so that its log still has what was erased: end it, or wait, and "
        "give the same command again",
        c->path);
}

/* The copies that schema.c left before it upgraded the store. */
static eg_status remove_copies(const eg_storage *s, eg_request *rq, uint64_t *removed) {
    for (int version = 1; version < SCHEMA; version++) {
        char copy[4096 + 32];
        snprintf(copy, sizeof copy, "%s.v%d", s->path, version);
        if (unlink(copy) == 0) ++*removed;
        else if (errno != ENOENT)
            return eg_request_fail(rq, EG_EIO, "the copy '%s' of the store cannot be removed (%s): remove it", copy,
                                   strerror(errno));
    }
    return EG_OK;
}

eg_status sqlite_purge(eg_storage *s, eg_request *rq, eg_purged *out) {
    *out = (eg_purged){0};
    eg_status st = refuse_read_only(s, rq);
    if (st != EG_OK || (st = writer_take(&s->writer, rq)) != EG_OK) return st;
    st = run_once(&s->writer, rq, "VACUUM", NULL, 0);
    if (st == EG_OK) st = empty_log(&s->writer, rq);
    connection_give(&s->writer);
    return st == EG_OK ? remove_copies(s, rq, &out->copies) : st;
}
