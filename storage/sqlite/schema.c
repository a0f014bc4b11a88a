/* schema.c - the tables, their migrations, and the checks before a store is used. Migrations are
 * numbered, go forward only, and run under a lock file with a copy of the old store beside. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "store.h"

static const char *const migrations[SCHEMA] = {
    /* Version 1. Ids are 16-byte UUIDs; keys are inner. One row a vector: a commit writes only what
     * is its own. */
    "CREATE TABLE meta (schema INTEGER NOT NULL, min_reader INTEGER NOT NULL, min_writer INTEGER NOT NULL,"
    " last_time INTEGER NOT NULL, upgraded_by TEXT NOT NULL);"
    "CREATE TABLE workspaces (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE journal (seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, workspace INTEGER NOT NULL,"
    " kind INTEGER NOT NULL, fact BLOB, other BLOB);"
    "CREATE TABLE facts (key INTEGER PRIMARY KEY, workspace INTEGER NOT NULL REFERENCES workspaces(key), seq INTEGER NOT NULL,"
    " id BLOB NOT NULL UNIQUE, lineage_id BLOB NOT NULL, supersedes BLOB, restored_from BLOB, parent_a BLOB, parent_b BLOB,"
    " content TEXT NOT NULL, scope TEXT NOT NULL, agent_id TEXT NOT NULL, engineer TEXT NOT NULL, provenance TEXT NOT NULL,"
    " artifact_hash TEXT NOT NULL, confidence REAL NOT NULL, fact_type INTEGER NOT NULL, operation INTEGER NOT NULL,"
    " durability INTEGER NOT NULL, ttl_days INTEGER NOT NULL, committed_at INTEGER NOT NULL, valid_from INTEGER NOT NULL,"
    " valid_until INTEGER NOT NULL, closed_at INTEGER NOT NULL, close_reason INTEGER NOT NULL, closed_by TEXT NOT NULL,"
    " content_hash BLOB NOT NULL, query_hits INTEGER NOT NULL);"
    "CREATE INDEX facts_hash ON facts (workspace, content_hash);"
    "CREATE INDEX facts_lineage ON facts (workspace, lineage_id, seq);"
    "CREATE INDEX facts_seq ON facts (workspace, seq);"
    "CREATE INDEX facts_window ON facts (workspace, valid_until);"
    "CREATE INDEX facts_agent ON facts (workspace, agent_id);"
    "CREATE TABLE statements (fact INTEGER NOT NULL REFERENCES facts(key), number INTEGER NOT NULL, span_start INTEGER NOT NULL,"
    " span_end INTEGER NOT NULL, PRIMARY KEY (fact, number)) WITHOUT ROWID;"
    "CREATE TABLE claims (key INTEGER PRIMARY KEY, workspace INTEGER NOT NULL, fact INTEGER NOT NULL REFERENCES facts(key),"
    " statement INTEGER NOT NULL, span_start INTEGER NOT NULL, span_end INTEGER NOT NULL, subject TEXT NOT NULL,"
    " attribute TEXT NOT NULL, qualifiers TEXT NOT NULL, value_kind INTEGER NOT NULL, low_mantissa INTEGER NOT NULL,"
    " low_exponent INTEGER NOT NULL, low_infinite INTEGER NOT NULL, high_mantissa INTEGER NOT NULL, high_exponent INTEGER NOT NULL,"
    " high_infinite INTEGER NOT NULL, text TEXT NOT NULL, dimension TEXT NOT NULL, polarity INTEGER NOT NULL,"
    " modality INTEGER NOT NULL, quantifier INTEGER NOT NULL, extractor INTEGER NOT NULL);"
    "CREATE INDEX claims_subject ON claims (workspace, subject, attribute);"
    "CREATE INDEX claims_attribute ON claims (workspace, attribute);"
    "CREATE INDEX claims_fact ON claims (fact);"
    "CREATE VIRTUAL TABLE terms USING fts5 (words, content='', tokenize='ascii');"
    "CREATE VIRTUAL TABLE term_counts USING fts5vocab (terms, row);"
    "CREATE TABLE models (key INTEGER PRIMARY KEY, model_id TEXT NOT NULL UNIQUE, dimensions INTEGER NOT NULL);"
    "CREATE TABLE vectors (key INTEGER PRIMARY KEY AUTOINCREMENT, fact INTEGER NOT NULL REFERENCES facts(key),"
    " statement INTEGER NOT NULL, model INTEGER NOT NULL REFERENCES models(key), scale REAL NOT NULL, s8 BLOB NOT NULL);"
    "CREATE INDEX vectors_model ON vectors (model, key);"
    "CREATE INDEX vectors_fact ON vectors (fact);"
    "CREATE TABLE vectors_f32 (key INTEGER PRIMARY KEY, f32 BLOB NOT NULL);"
    "CREATE TABLE conflicts (key INTEGER PRIMARY KEY, workspace INTEGER NOT NULL, seq INTEGER NOT NULL, id BLOB NOT NULL UNIQUE,"
    " fact_a INTEGER NOT NULL REFERENCES facts(key), fact_b INTEGER NOT NULL REFERENCES facts(key), detected_at INTEGER NOT NULL,"
    " tier TEXT NOT NULL, detector TEXT NOT NULL, score REAL NOT NULL, explanation TEXT NOT NULL, a_start INTEGER NOT NULL,"
    " a_end INTEGER NOT NULL, b_start INTEGER NOT NULL, b_end INTEGER NOT NULL, severity INTEGER NOT NULL,"
    " status INTEGER NOT NULL, resolution_type INTEGER NOT NULL, resolved_at INTEGER NOT NULL, resolved_by TEXT NOT NULL,"
    " resolution TEXT NOT NULL, resolved_fact BLOB);"
    "CREATE UNIQUE INDEX conflicts_pair ON conflicts (min(fact_a, fact_b), max(fact_a, fact_b));"
    "CREATE INDEX conflicts_a ON conflicts (fact_a, status);"
    "CREATE INDEX conflicts_b ON conflicts (fact_b, status);"
    "CREATE INDEX conflicts_status ON conflicts (workspace, status, seq);"
    "CREATE TABLE links (fact INTEGER NOT NULL REFERENCES facts(key), other INTEGER NOT NULL REFERENCES facts(key),"
    " kind INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (fact, other, kind)) WITHOUT ROWID;"
    "CREATE INDEX links_other ON links (other);"
    "CREATE TABLE jobs (id INTEGER PRIMARY KEY AUTOINCREMENT, workspace INTEGER NOT NULL, kind INTEGER NOT NULL, fact BLOB NOT NULL,"
    " owner TEXT NOT NULL, created_at INTEGER NOT NULL, not_before INTEGER NOT NULL, attempts INTEGER NOT NULL, token BLOB,"
    " lease_until INTEGER NOT NULL, last_error TEXT NOT NULL);"
    "CREATE INDEX jobs_fact ON jobs (fact);"
    "CREATE TABLE agents (workspace INTEGER NOT NULL, agent_id TEXT NOT NULL, engineer TEXT NOT NULL, registered_at INTEGER NOT NULL,"
    " last_seen INTEGER NOT NULL, commits INTEGER NOT NULL, PRIMARY KEY (workspace, agent_id)) WITHOUT ROWID;"
    "CREATE TABLE feedback (key INTEGER PRIMARY KEY, workspace INTEGER NOT NULL, conflict BLOB NOT NULL, tier TEXT NOT NULL,"
    " score REAL NOT NULL, confirmed INTEGER NOT NULL, at INTEGER NOT NULL);"
    "CREATE INDEX feedback_tier ON feedback (workspace, tier);"
    "CREATE TABLE settings (workspace INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (workspace, key))"
    " WITHOUT ROWID;"
    "CREATE TABLE audit (id INTEGER PRIMARY KEY, workspace INTEGER NOT NULL, at INTEGER NOT NULL, actor TEXT NOT NULL,"
    " action TEXT NOT NULL, fact BLOB, other BLOB, payload_hash BLOB NOT NULL, hash BLOB NOT NULL);"
    "CREATE TABLE audit_payloads (id INTEGER PRIMARY KEY, payload TEXT NOT NULL);"
    "INSERT INTO meta VALUES (0, 1, 1, 0, '');",
    /* Version 2: audit rows hold what a change did to the windows of facts. */
    "CREATE TABLE audit_windows (audit INTEGER NOT NULL REFERENCES audit(id), number INTEGER NOT NULL, fact BLOB NOT NULL,"
    " from_before INTEGER NOT NULL, until_before INTEGER NOT NULL, from_after INTEGER NOT NULL, until_after INTEGER NOT NULL,"
    " PRIMARY KEY (audit, number)) WITHOUT ROWID;",
    /* Version 3: the jobs that are due, or leased, are found without a look at all of them; so are
     * an agent's facts that a conflict touches which was not dismissed (status 2). Triggers,
     * because processes of version 2 may still write. */
    "CREATE INDEX jobs_leased ON jobs (lease_until) WHERE token IS NOT NULL;"
    "CREATE INDEX jobs_of_owner ON jobs (owner, kind = 2);"
    "CREATE INDEX jobs_in_order ON jobs (kind = 2);"
    "CREATE TABLE flagged (workspace INTEGER NOT NULL, agent_id TEXT NOT NULL, fact INTEGER NOT NULL,"
    " PRIMARY KEY (workspace, agent_id, fact)) WITHOUT ROWID;"
    "CREATE TRIGGER conflict_found AFTER INSERT ON conflicts WHEN new.status <> 2 BEGIN"
    " INSERT OR IGNORE INTO flagged SELECT workspace, agent_id, key FROM facts WHERE key IN (new.fact_a, new.fact_b); END;"
    "CREATE TRIGGER conflict_reopened AFTER UPDATE OF status ON conflicts WHEN new.status <> 2 BEGIN"
    " INSERT OR IGNORE INTO flagged SELECT workspace, agent_id, key FROM facts WHERE key IN (new.fact_a, new.fact_b); END;"
    "CREATE TRIGGER conflict_dismissed AFTER UPDATE OF status ON conflicts WHEN new.status = 2 BEGIN"
    " DELETE FROM flagged WHERE (workspace, agent_id, fact) IN (SELECT f.workspace, f.agent_id, f.key FROM facts f"
    " WHERE f.key IN (new.fact_a, new.fact_b) AND NOT EXISTS (SELECT 1 FROM conflicts c WHERE c.fact_a = f.key AND c.status <> 2)"
    " AND NOT EXISTS (SELECT 1 FROM conflicts c WHERE c.fact_b = f.key AND c.status <> 2)); END;"
    "INSERT INTO flagged SELECT f.workspace, f.agent_id, f.key FROM (SELECT fact_a AS key FROM conflicts WHERE status <> 2 UNION"
    " SELECT fact_b FROM conflicts WHERE status <> 2) c JOIN facts f ON f.key = c.key;",
    /* Version 4: the journal and the audit chain are the workspace's own. Audit rows from before
     * keep the chain of the store (layout 1); each workspace of then continues it with a chain of
     * its own that begins at that chain's last hash, its anchor. Jobs have a name and a payload.
     * Two indexes that no statement used are dropped: each is a page less to write at a commit. */
    "ALTER TABLE workspaces ADD COLUMN last_seq INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE workspaces ADD COLUMN audit_anchor BLOB;"
    "ALTER TABLE workspaces ADD COLUMN audit_head BLOB;"
    "UPDATE workspaces SET last_seq = (SELECT coalesce(max(seq), 0) FROM journal WHERE workspace = workspaces.key),"
    " audit_anchor = (SELECT hash FROM audit ORDER BY id DESC LIMIT 1);"
    "UPDATE workspaces SET audit_head = audit_anchor;"
    "ALTER TABLE audit ADD COLUMN layout INTEGER NOT NULL DEFAULT 1;"
    "ALTER TABLE journal RENAME TO journal_of_store;"
    "CREATE TABLE journal (workspace INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, kind INTEGER NOT NULL,"
    " fact BLOB, other BLOB, change_set BLOB, fact_seq INTEGER, audit INTEGER, ended INTEGER, PRIMARY KEY (workspace, seq))"
    " WITHOUT ROWID;"
    "INSERT INTO journal (workspace, seq, at, kind, fact, other)"
    " SELECT workspace, seq, at, kind, fact, other FROM journal_of_store ORDER BY workspace, seq;"
    "DROP TABLE journal_of_store;"
    "CREATE UNIQUE INDEX journal_set ON journal (workspace, change_set) WHERE change_set IS NOT NULL;"
    "ALTER TABLE jobs ADD COLUMN name TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE jobs ADD COLUMN payload TEXT NOT NULL DEFAULT '';"
    "DROP INDEX claims_attribute;"
    "DROP INDEX facts_agent;",
    /* Version 5: statements have a kind and the form that stands alone; '' where their own words
     * do. Processes of version 4 may still write: their statements are assertions that stand
     * alone. */
    "ALTER TABLE statements ADD COLUMN kind INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE statements ADD COLUMN flags INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE statements ADD COLUMN alone TEXT NOT NULL DEFAULT '';"
    /* Suspected conflicts (status 4) are no mark against the agents of their facts. */
    "DROP TRIGGER conflict_found; DROP TRIGGER conflict_reopened; DROP TRIGGER conflict_dismissed;"
    "CREATE TRIGGER conflict_found AFTER INSERT ON conflicts WHEN new.status IN (0, 1) BEGIN"
    " INSERT OR IGNORE INTO flagged SELECT workspace, agent_id, key FROM facts WHERE key IN (new.fact_a, new.fact_b); END;"
    "CREATE TRIGGER conflict_reopened AFTER UPDATE OF status ON conflicts WHEN new.status IN (0, 1) BEGIN"
    " INSERT OR IGNORE INTO flagged SELECT workspace, agent_id, key FROM facts WHERE key IN (new.fact_a, new.fact_b); END;"
    "CREATE TRIGGER conflict_dismissed AFTER UPDATE OF status ON conflicts WHEN new.status IN (2, 4) BEGIN"
    " DELETE FROM flagged WHERE (workspace, agent_id, fact) IN (SELECT f.workspace, f.agent_id, f.key FROM facts f"
    " WHERE f.key IN (new.fact_a, new.fact_b)"
    " AND NOT EXISTS (SELECT 1 FROM conflicts c WHERE c.fact_a = f.key AND c.status IN (0, 1))"
    " AND NOT EXISTS (SELECT 1 FROM conflicts c WHERE c.fact_b = f.key AND c.status IN (0, 1))); END;",
    /* Version 6: facts have marks. What processes of versions 4 and 5 store has none. */
    "ALTER TABLE facts ADD COLUMN marks INTEGER NOT NULL DEFAULT 0;",
};

/* What only makes reading faster is no change of the schema: a store of any age gets it when it is
 * opened for writing, and processes that do not know of it keep it up to date. */
static const char indexes[] =
    "CREATE INDEX IF NOT EXISTS audit_workspace ON audit (workspace, id);"
    "CREATE INDEX IF NOT EXISTS facts_scope ON facts (workspace, scope);"
    /* vector_blocks.h says what these are for */
    "CREATE TABLE IF NOT EXISTS vector_blocks (last_key INTEGER PRIMARY KEY, first_key INTEGER NOT NULL, model INTEGER NOT NULL,"
    " count INTEGER NOT NULL, data BLOB NOT NULL);"
    "CREATE INDEX IF NOT EXISTS vector_blocks_model ON vector_blocks (model, last_key, first_key, count);"
    "CREATE TABLE IF NOT EXISTS vector_gaps (last_key INTEGER PRIMARY KEY, first_key INTEGER NOT NULL, model INTEGER NOT NULL);"
    /* term_counts.h */
    "CREATE TABLE IF NOT EXISTS term_totals (term TEXT PRIMARY KEY, documents INTEGER NOT NULL, facts INTEGER NOT NULL)"
    " WITHOUT ROWID;"
#define BLOCK_OF_OLD                                                                              \
    "last_key = (SELECT min(last_key) FROM vector_blocks WHERE model = old.model AND last_key >=" \
    " old.key) AND first_key <= old.key;"
#define LEAVE_BLOCK                                                                                                     \
    " BEGIN INSERT OR IGNORE INTO vector_gaps SELECT last_key, first_key, model FROM vector_blocks WHERE " BLOCK_OF_OLD \
    " DELETE FROM vector_blocks WHERE " BLOCK_OF_OLD " END;"
    "CREATE TRIGGER IF NOT EXISTS vector_deleted AFTER DELETE ON vectors" LEAVE_BLOCK
    "CREATE TRIGGER IF NOT EXISTS vector_changed AFTER UPDATE ON vectors" LEAVE_BLOCK;
/* What they make. */
static const char index_names[] = "'audit_workspace', 'facts_scope', 'vector_blocks', 'vector_blocks_model', 'vector_gaps', "
                                  "'vector_deleted', 'vector_changed', 'term_totals'";
enum { INDEXES = 8 };

eg_status schema_check(connection *c, eg_request *rq, int writing, int64_t *last_time) {
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_META);
    if (!q) return rq->err->code;
    int row = step(c, rq, q);
    if (row < 0) return rq->err->code;
    if (!row) return eg_request_fail(rq, EG_EFORMAT, "'%s' is no Engram store: its table meta is empty", c->path);
    int needed = sqlite3_column_int(q, writing ? 2 : 1);
    eg_status s = EG_OK;
    if (needed > SCHEMA)
        s = eg_request_fail(rq, EG_EVERSION, "restart: the store '%s' was upgraded by %s; this process is too old to %s it",
                            c->path, (const char *)sqlite3_column_text(q, 4), writing ? "write" : "read");
    else if (last_time) *last_time = sqlite3_column_int64(q, 3);
    sqlite3_reset(q);
    return s;
}

/* SQLite's locks do not hold on network file systems. */
static eg_status refuse_network(const char *path, eg_request *rq) {
    enum { NFS = 0x6969, SMB = 0x517b, SMB2 = 0xfe534d42, CIFS = 0xff534d42 };
    struct statfs fs;
    /* it does not exist yet: its folder was checked before */
    if (statfs(path, &fs) != 0) return EG_OK;
    unsigned type = (unsigned)fs.f_type;
    if (type != (unsigned)NFS && type != (unsigned)SMB && type != (unsigned)SMB2 && type != (unsigned)CIFS) return EG_OK;
    return eg_request_fail(rq, EG_EUNSUPPORTED,
                           "'%s' is on a network file system, where SQLite loses data: put ENGRAM_HOME on a "
                           "local disk, or share a store through PostgreSQL",
                           path);
}

static eg_status make_folder(const char *path, eg_request *rq) {
    char folder[4096];
    if (snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder)
        return eg_request_fail(rq, EG_ELIMIT, "the path '%.100s...' is too long", path);
    for (char *p = folder + 1; *p; p++) {
        if (*p != '/') continue;
        *p = '\0';
        if (mkdir(folder, 0700) != 0 && errno != EEXIST)
            return eg_request_fail(rq, errno == EROFS || errno == EACCES ? EG_EREADONLY : EG_EIO,
                                   "cannot create the folder '%s': %s", folder, strerror(errno));
        *p = '/';
    }
    char *slash = strrchr(folder, '/');
    if (slash) *slash = '\0';
    return refuse_network(slash && *folder ? folder : ".", rq);
}

/* 0, or why the lock was not given in time: EWOULDBLOCK, ECANCELED, or what the system says. */
static int lock_in_time(int fd, eg_request *rq) {
    waiting w = {.rq = rq};
    for (int times = 0; flock(fd, LOCK_EX | LOCK_NB) != 0; times++) {
        if (errno != EWOULDBLOCK && errno != EINTR) return errno;
        if (!wait_again(&w, times, OPEN_PATIENCE_MS)) return request_is_over(rq) ? ECANCELED : EWOULDBLOCK;
    }
    return 0;
}

/* An exclusive lock file beside the store; -1 with the error record filled. */
static int lock_file(const char *path, eg_request *rq) {
    char lock[4096 + 8], who[40];
    snprintf(lock, sizeof lock, "%s.lock", path);
    int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    int e = fd < 0 ? errno : lock_in_time(fd, rq);
    if (e) {
        if (fd >= 0) close(fd);
        if (e == ECANCELED) eg_request_fail(rq, EG_ECANCELLED, "cancelled while somebody else prepared the store '%s'", path);
        else if (e == EWOULDBLOCK)
            eg_request_fail(
                rq, EG_EBUSY,
                "%s has held '%s' for %d seconds: it prepares or upgrades the store, or is stopped; wait for it or end "
                "it, and try again",
                holder_text(lock_holder(lock, -1), who), lock, OPEN_PATIENCE_MS / 1000);
        if (e == ECANCELED || e == EWOULDBLOCK) return -1;
        eg_request_fail(rq, e == EROFS || e == EACCES ? EG_EREADONLY : EG_EIO,
                        "the store '%s' cannot be written (%s): check the permissions and the free space of its folder", path,
                        strerror(e));
        return -1;
    }
    return fd;
}

static eg_status execute(connection *c, eg_request *rq, const char *sql) {
    errno = 0;
    return sqlite3_exec(c->db, sql, NULL, NULL, NULL) == SQLITE_OK ? EG_OK : sqlite_error(c, rq, "preparing the store");
}

/* 0: an empty file; -1 with the record filled: something else. */
static int present_schema(connection *c, eg_request *rq) {
    sqlite3_stmt *q = NULL;
    int version = 0, failed;
    errno = 0;
    if (sqlite3_prepare_v2(c->db, "SELECT count(*) FROM sqlite_master", -1, &q, NULL) != SQLITE_OK ||
        sqlite3_step(q) != SQLITE_ROW) {
        sqlite_error(c, rq, "opening the store");
        sqlite3_finalize(q);
        return -1;
    }
    int tables = sqlite3_column_int(q, 0);
    sqlite3_finalize(q);
    if (!tables) return 0;
    failed = sqlite3_prepare_v2(c->db, "SELECT schema FROM meta", -1, &q, NULL);
    if (failed == SQLITE_OK) failed = sqlite3_step(q);
    if (failed == SQLITE_ROW) version = sqlite3_column_int(q, 0);
    else if (failed != SQLITE_ERROR && failed != SQLITE_DONE) { /* it may well have the table */
        sqlite_error(c, rq, "opening the store");
        version = -1;
    }
    sqlite3_finalize(q);
    if (version) return version;
    eg_request_fail(rq, EG_EFORMAT, "'%s' is a database, but no Engram store: name another file", c->path);
    return -1;
}

/* A whole copy of the old store beside it, as PATH.vN; one that an interrupted migration left is
 * made anew. */
static eg_status keep_copy(connection *c, eg_request *rq, const char *path, int version) {
    char copy[4096 + 16];
    sqlite3_stmt *q = NULL;
    snprintf(copy, sizeof copy, "%s.v%d", path, version);
    unlink(copy);
    /* SQLite would make it readable by all */
    int fd = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return eg_request_fail(rq, EG_EIO, "cannot create '%s', the copy of the store before its migration: %s", copy,
                               strerror(errno));
    close(fd);
    int made = sqlite3_prepare_v2(c->db, "VACUUM INTO ?1", -1, &q, NULL) == SQLITE_OK &&
               sqlite3_bind_text(q, 1, copy, -1, SQLITE_STATIC) == SQLITE_OK && sqlite3_step(q) == SQLITE_DONE;
    eg_status s = made ? EG_OK : sqlite_error(c, rq, "copying the store before its migration");
    sqlite3_finalize(q);
    return s;
}

static eg_status migrate(connection *c, eg_request *rq, const char *path, int from, const eg_services *services) {
    char sql[512];
    eg_status s = from > 0 ? keep_copy(c, rq, path, from) : EG_OK;
    if (s == EG_OK) s = execute(c, rq, "BEGIN EXCLUSIVE");
    for (int v = from; s == EG_OK && v < SCHEMA; v++) s = execute(c, rq, migrations[v]);
    if (s == EG_OK) {
        snprintf(sql, sizeof sql, "UPDATE meta SET schema = %d, min_reader = %d, min_writer = %d, upgraded_by = 'engram %.40s'",
                 SCHEMA, MIN_READER, MIN_WRITER, services->version ? services->version : "");
        s = execute(c, rq, sql);
    }
    if (s == EG_OK) return execute(c, rq, "COMMIT");
    sqlite3_exec(c->db, "ROLLBACK", NULL, NULL, NULL);
    return s;
}

static eg_status prepare_locked(const char *path, eg_request *rq, const eg_services *services) {
    /* the mode before SQLite makes it its own way */
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return eg_request_fail(rq, errno == EROFS || errno == EACCES ? EG_EREADONLY : EG_EIO,
                               "the store '%s' cannot be opened for writing: %s", path, strerror(errno));
    close(fd);
    connection c;
    eg_status s = connection_open(&c, path, FOR_FACTS, rq);
    if (s != EG_OK) return s;
    int version = present_schema(&c, rq);
    if (version < 0) s = rq->err->code;
    if (s == EG_OK && version < SCHEMA) s = execute(&c, rq, "PRAGMA journal_mode=WAL");
    if (s == EG_OK && version < SCHEMA) s = migrate(&c, rq, path, version, services);
    if (s == EG_OK) s = schema_check(&c, rq, 0, NULL);
    if (s == EG_OK) s = schema_check(&c, rq, 1, NULL);
    if (s == EG_OK) s = execute(&c, rq, indexes);
    connection_close(&c);
    return s;
}

int schema_has_indexes(connection *c) {
    sqlite3_stmt *q = NULL;
    char count[300];
    snprintf(count, sizeof count, "SELECT count(*) FROM sqlite_master WHERE name IN (%s)", index_names);
    int has = sqlite3_prepare_v2(c->db, count, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW &&
              sqlite3_column_int(q, 0) == INDEXES;
    sqlite3_finalize(q);
    return has;
}

/* 1 when the store is as this process needs it: nothing is to be prepared under the lock. */
static int is_current(const char *path, eg_request *rq) {
    connection c;
    if (faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) != 0 || connection_open(&c, path, FOR_FACTS, rq) != EG_OK) return 0;
    int current = present_schema(&c, rq) == SCHEMA && schema_check(&c, rq, 1, NULL) == EG_OK && schema_has_indexes(&c);
    connection_close(&c);
    return current;
}

eg_status schema_check_read_only(connection *c, eg_request *rq) {
    int version = present_schema(c, rq);
    if (version < 0) return rq->err->code;
    if (version < SCHEMA)
        return eg_request_fail(
            rq, EG_EREADONLY,
            "the store '%s' is of version %d and must be upgraded, but cannot be written: copy it to a folder that can", c->path,
            version);
    return schema_check(c, rq, 0, NULL);
}

eg_status schema_prepare(const char *path, eg_request *rq, const eg_services *services) {
    eg_status s = make_folder(path, rq);
    if (s != EG_OK) return s;
    if (is_current(path, rq)) return EG_OK;
    *rq->err = (eg_error){0}; /* what is wrong is found again under the lock */
    int lock = lock_file(path, rq);
    if (lock < 0) return rq->err->code;
    s = prepare_locked(path, rq, services);
    close(lock);
    return s;
}
