/* connection.c - SQLite connections: settings, waiting for locks, prepared statements, errors in
 * words. */
#include <errno.h>
#include <sys/stat.h>
#include <time.h>

#include "store.h"

#define SAME_NUMBER(name) _Static_assert(SQL_##name == EG_##name, "EG_" #name " has another number")
SAME_NUMBER(CONFLICT_OPEN);
SAME_NUMBER(CONFLICT_DISMISSED);
SAME_NUMBER(CONFLICT_RESOLVED);
SAME_NUMBER(CONFLICT_SUSPECTED);
SAME_NUMBER(CONFLICTS_CURRENT);
SAME_NUMBER(CONFLICTS_PAST);
SAME_NUMBER(RESOLUTION_BOTH_VALID);
SAME_NUMBER(CLOSE_NONE);
SAME_NUMBER(CLOSE_ERASED);
SAME_NUMBER(EVENT_STORED);
SAME_NUMBER(EVENT_CLOSED);
SAME_NUMBER(EVENT_EXPIRED);
SAME_NUMBER(EVENT_FOUND);
SAME_NUMBER(EVENT_SETTLED);
SAME_NUMBER(DURABILITY_DURABLE);
SAME_NUMBER(LINK_CORROBORATES);
SAME_NUMBER(LINK_BOTH_VALID);
SAME_NUMBER(JOB_DETECT);
SAME_NUMBER(JOB_REEMBED);
SAME_NUMBER(AUDIT_STORE);
SAME_NUMBER(AUDIT_WORKSPACE);

static const char *const sql_text[EG_SQL_COUNT] = {
#define X(name, sql) sql,
    STATEMENTS(X)
#undef X
};

static int wait_for_lock(void *self, int times) { return wait_again(&((connection *)self)->wait, times, WRITE_PATIENCE_MS); }

enum { WRITE_LOCK_BYTE = 120 }; /* of the -shm file: sqlite.org/walformat.html */

/* In place of what another thread or process holds. */
static eg_status still_locked(connection *c, eg_request *rq, const char *what) {
    char shm[4096 + 8], who[40];
    snprintf(shm, sizeof shm, "%s-shm", c->path);
    if (request_is_over(rq))
        return eg_request_fail(rq, EG_ECANCELLED, "%s: cancelled while somebody else wrote to the store; nothing was stored",
                               what);
    return eg_request_fail(rq, EG_EBUSY,
                           "%s: %s has held the store '%s' for %d seconds; nothing was stored: try again, and if it comes back, "
                           "see whether that process is stopped or hangs",
                           what, holder_text(lock_holder(shm, WRITE_LOCK_BYTE), who), c->path, WRITE_PATIENCE_MS / 1000);
}

static eg_status disk_failed(connection *c, eg_request *rq, const char *what, const char *said) {
    return eg_request_fail(rq, EG_EIO,
                           "%s: the disk or its driver failed to read or write '%s' (%s): try again; if it comes back, look at "
                           "the disk (dmesg) and its free space, and then at the store with `engram doctor`",
                           what, c->path, said);
}

eg_status sqlite_error(connection *c, eg_request *rq, const char *what) {
    int system = errno; /* callers set it to 0 before the call that failed */
    int code = c->db ? sqlite3_errcode(c->db) : SQLITE_NOMEM;
    const char *said = c->db ? sqlite3_errmsg(c->db) : "out of memory";
    /* SQLite takes a page that the disk does not give for a damaged one */
    if ((code == SQLITE_CORRUPT || code == SQLITE_NOTADB) && (system == EIO || system == ENXIO))
        return disk_failed(c, rq, what, strerror(system));
    /* it cannot make or enlarge the files beside the store */
    if ((code == SQLITE_IOERR || code == SQLITE_CANTOPEN) && (system == ENOSPC || system == EDQUOT)) code = SQLITE_FULL;
    switch (code) {
    case SQLITE_FULL:
        return eg_request_fail(rq, EG_EIO, "%s: the disk is full; nothing was written to '%s': free some space and try again",
                               what, c->path);
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
        return eg_request_fail(rq, EG_EREADONLY,
                               "%s: the store '%s' cannot be written (%s): check its permissions and its folder's", what, c->path,
                               said);
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return still_locked(c, rq, what);
    case SQLITE_INTERRUPT: return eg_request_fail(rq, EG_ECANCELLED, "%s: cancelled", what);
    case SQLITE_NOMEM: return eg_request_fail(rq, EG_ENOMEM, "%s: out of memory", what);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return eg_request_fail(rq, EG_EFORMAT, "%s: '%s' is damaged or no SQLite database (%s): restore it from a copy", what,
                               c->path, said);
    case SQLITE_CONSTRAINT:
        return eg_request_fail(
            rq, EG_EINVAL,
            "%s: an id of it is in the store already: of a fact that was erased, or in another workspace, from "
            "which `engram workspaces merge` moves what is there (%s)",
            what, said);
    case SQLITE_IOERR: return disk_failed(c, rq, what, system ? strerror(system) : said);
    default: return eg_request_fail(rq, EG_EINTERNAL, "%s: %s", what, said);
    }
}

/* The log of a store in use lies beside it; the last process that closes it takes it away. */
int has_log(const char *path) {
    char log[4096 + 8];
    struct stat now;
    snprintf(log, sizeof log, "%s-wal", path);
    return stat(log, &now) == 0 ? now.st_size > 0 : errno != ENOENT;
}

/* What the file is recognised by: all 0 when somebody writes to it, or it is not there. */
static void file_state(const char *path, int64_t out[4]) {
    struct stat now;
    memset(out, 0, 4 * sizeof *out);
    if (has_log(path) || stat(path, &now) != 0) return;
    out[0] = (int64_t)now.st_ino;
    out[1] = now.st_size;
    out[2] = now.st_mtim.tv_sec;
    out[3] = now.st_mtim.tv_nsec;
}

static int somebody_writes(const connection *c) {
    int64_t now[4];
    file_state(c->path, now);
    return !now[0] || memcmp(now, c->file, sizeof now) != 0;
}

enum { MAX_URI = 3 * 4096 + 64 };

/* The path as a URI that says that the file does not change. */
static void immutable_uri(const char *path, char out[MAX_URI]) {
    size_t n = (size_t)snprintf(out, MAX_URI, "file:");
    for (const char *p = path; *p && n + 20 < MAX_URI; p++)
        n += (size_t)snprintf(out + n, MAX_URI - n, *p == '%' || *p == '?' || *p == '#' ? "%%%02X" : "%c", (unsigned char)*p);
    snprintf(out + n, MAX_URI - n, "?immutable=1");
}

eg_status connection_open(connection *c, const char *path, connection_kind kind, eg_request *rq) {
    char uri[MAX_URI];
    *c = (connection){.path = path};
    pthread_mutex_init(&c->lock, NULL);
    int flags = (kind < READ_ONLY ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_NOMUTEX;
    if (kind == NEVER_CHANGES) {
        c->never_changes = 1;
        file_state(path, c->file);
        flags |= SQLITE_OPEN_URI;
        immutable_uri(path, uri);
    }
    errno = 0;
    if (sqlite3_open_v2(kind == NEVER_CHANGES ? uri : path, &c->db, flags, NULL) != SQLITE_OK) {
        eg_status s = sqlite_error(c, rq, "opening the store");
        connection_close(c);
        return s;
    }
    sqlite3_busy_handler(c->db, wait_for_lock, c);
    sqlite3_extended_result_codes(c->db, 0);
    errno = 0;
    const char *settings = kind == FOR_FACTS ? "PRAGMA foreign_keys=ON; PRAGMA synchronous=FULL; PRAGMA cache_size=-8000"
                                             : "PRAGMA foreign_keys=ON; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-8000";
    if (sqlite3_exec(c->db, settings, NULL, NULL, NULL) != SQLITE_OK) {
        eg_status s = sqlite_error(c, rq, "opening the store");
        connection_close(c);
        return s;
    }
    return EG_OK;
}

void connection_close(connection *c) {
    if (!c->path) return;
    for (int i = 0; i < EG_SQL_COUNT; i++) sqlite3_finalize(c->statements[i]);
    sqlite3_close(c->db);
    pthread_mutex_destroy(&c->lock);
    *c = (connection){0};
}

static int stop_if_cancelled(void *request) { return eg_cancel_is_set(&((const eg_request *)request)->cancel); }

eg_status connection_open_long(connection *c, const eg_storage *s, eg_request *rq) {
    enum { STEPS = 10000 }; /* of SQLite's machine between two looks */
    eg_status st = connection_open(c, s->path, s->read_kind, rq);
    if (st == EG_OK) sqlite3_progress_handler(c->db, STEPS, stop_if_cancelled, rq);
    return st;
}

connection *reader_take(eg_storage *s) {
    for (int i = 0; i < (s->is_snapshot ? 1 : READERS); i++)
        if (pthread_mutex_trylock(&s->readers[i].lock) == 0) return &s->readers[i];
    pthread_mutex_lock(&s->readers[0].lock);
    return &s->readers[0];
}

/* 1 when the lock was given within a moment. */
static int lock_soon(pthread_mutex_t *lock) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 50000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return pthread_mutex_timedlock(lock, &until) == 0;
}

eg_status writer_take(connection *c, eg_request *rq) {
    waiting w = {.rq = rq};
    int locked = pthread_mutex_trylock(&c->lock) == 0;
    for (int times = 0; !locked && wait_goes_on(&w, times, WRITE_PATIENCE_MS); times++) locked = lock_soon(&c->lock);
    wait_ended(&w);
    return locked ? EG_OK : still_locked(c, rq, "writing");
}

void connection_give(connection *c) { pthread_mutex_unlock(&c->lock); }

sqlite3_stmt *prepare(connection *c, eg_request *rq, eg_sql which) {
    sqlite3_stmt **q = &c->statements[which];
    if (c->is_snapshot && sqlite3_get_autocommit(c->db)) {
        eg_request_fail(rq, EG_EIO, "an earlier read of the store '%s' failed, and with it all that belongs to it: try again",
                        c->path);
        return NULL;
    }
    if (c->never_changes && somebody_writes(c)) {
        eg_request_fail(rq, EG_EBUSY,
                        "another process writes to the store '%s', which could only be read when this one opened it: start this "
                        "one again",
                        c->path);
        return NULL;
    }
    errno = 0;
    if (!*q && sqlite3_prepare_v3(c->db, sql_text[which], -1, SQLITE_PREPARE_PERSISTENT, q, NULL) != SQLITE_OK) {
        sqlite_error(c, rq, "preparing a statement");
        return NULL;
    }
    sqlite3_reset(*q);
    sqlite3_clear_bindings(*q);
    return *q;
}

int step(connection *c, eg_request *rq, sqlite3_stmt *q) {
    c->wait.rq = rq;
    errno = 0;
    int r = sqlite3_step(q);
    int system = errno;
    wait_ended(&c->wait);
    c->wait.rq = NULL;
    errno = system;
    if (r == SQLITE_ROW) return 1;
    if (r != SQLITE_DONE) sqlite_error(c, rq, "the store");
    sqlite3_reset(q);
    return r == SQLITE_DONE ? 0 : -1;
}

eg_status run(connection *c, eg_request *rq, sqlite3_stmt *q) {
    if (!q) return rq->err->code;
    int r = step(c, rq, q);
    sqlite3_reset(q);
    return r < 0 ? rq->err->code : EG_OK;
}

eg_status run_once(connection *c, eg_request *rq, const char *sql, const int64_t *values, int n) {
    sqlite3_stmt *q = NULL;
    int row = 1;
    errno = 0;
    if (sqlite3_prepare_v2(c->db, sql, -1, &q, NULL) != SQLITE_OK) return sqlite_error(c, rq, "the store");
    for (int i = 0; i < n && i < sqlite3_bind_parameter_count(q); i++) sqlite3_bind_int64(q, i + 1, values[i]);
    while (row > 0) row = step(c, rq, q);
    sqlite3_finalize(q);
    return row < 0 ? rq->err->code : EG_OK;
}

int named(sqlite3_stmt *q, const char *name) { return sqlite3_bind_parameter_index(q, name); }

eg_status check_flags(eg_request *rq, const char *what, uint32_t size, size_t least, uint32_t flags, uint32_t known) {
    if (size < least) return eg_request_fail(rq, EG_EINVAL, "%s: a size of %u bytes; it has at least %zu", what, size, least);
    if (flags & ~known)
        return eg_request_fail(rq, EG_EUNSUPPORTED, "%s: the sqlite backend does not know the flags 0x%x", what, flags & ~known);
    return EG_OK;
}

eg_status check_filter(eg_request *rq, const eg_filter *f) {
    return check_flags(rq, "eg_filter", f->size, EG_FILTER_SIZE_1_0, f->flags,
                       EG_FILTER_AS_OF | EG_FILTER_HISTORY | EG_FILTER_EPHEMERAL | EG_FILTER_NEWEST);
}

eg_id column_id(sqlite3_stmt *q, int at) {
    eg_id id = {{0}};
    if (sqlite3_column_bytes(q, at) == 16) memcpy(id.bytes, sqlite3_column_blob(q, at), 16);
    return id;
}

eg_str column_text(eg_request *rq, sqlite3_stmt *q, int at) {
    const char *p = (const char *)sqlite3_column_text(q, at);
    return eg_request_copy(rq, (eg_str){p, p ? (size_t)sqlite3_column_bytes(q, at) : 0});
}

void *grow_row(eg_request *rq, void **rows, size_t count, size_t *capacity, size_t size) {
    if (count == *capacity) {
        size_t more = *capacity ? *capacity * 2 : 8;
        void *p = eg_request_array(rq, more, size);
        if (!p) return NULL;
        if (count) memcpy(p, *rows, count * size);
        *rows = p;
        *capacity = more;
    }
    return (char *)*rows + count * size;
}
