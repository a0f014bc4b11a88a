/* store.h - the inside of the SQLite backend: connections, prepared statements, error texts. For this folder only. */
#ifndef EG_SQLITE_STORE_H
#define EG_SQLITE_STORE_H

#include <pthread.h>
#include <sqlite3.h>

#include "engram/plugin.h"
#include "statements.h"

enum { SCHEMA = 3, READERS = 4 };
/* The oldest versions that may still read and write a store of this schema. Version 1 would write audit rows without windows. */
enum { MIN_READER = 1, MIN_WRITER = 2 };

typedef struct connection {
    sqlite3 *db;
    sqlite3_stmt *statements[EG_SQL_COUNT]; /* prepared when first used */
    pthread_mutex_t lock;
    const char *path; /* for messages */
} connection;

/* The int8 vectors of one model, as far as they fit the cache: see search_vectors.c. */
struct vector_cache;

struct eg_storage {
    const eg_services *services;
    char *path;
    connection writer;  /* synchronous=FULL: facts, resolutions, audit */
    connection counter; /* synchronous=NORMAL: leases, hits */
    connection readers[READERS];
    pthread_rwlock_t cache_lock;
    struct vector_cache *caches; /* one a model */
    int read_only;               /* writer and counter are not open */
};

/* ---- connection.c ---- */
typedef enum connection_kind {
    FOR_FACTS,    /* synchronous=FULL */
    FOR_COUNTS,   /* synchronous=NORMAL; readers too */
    READ_ONLY,    /* needs the files of the log beside the store, or leave to make them */
    NEVER_CHANGES /* as READ_ONLY, without locks and log: only while nobody writes */
} connection_kind;
eg_status connection_open(connection *c, const char *path, connection_kind kind, eg_request *rq);
void connection_close(connection *c);
/* A locked reader. */
connection *reader_take(eg_storage *s);
void connection_give(connection *c);
/* The prepared statement, reset and unbound; NULL with the error record filled. */
sqlite3_stmt *prepare(connection *c, eg_request *rq, eg_sql which);
/* Steps: 1 a row, 0 done, -1 error with the record filled. Resets on the last two. */
int step(connection *c, eg_request *rq, sqlite3_stmt *q);
/* For statements that give no rows. */
eg_status run(connection *c, eg_request *rq, sqlite3_stmt *q);
/* What SQLite said, in words that help, with its status. */
eg_status sqlite_error(connection *c, eg_request *rq, const char *what);
/* BEGIN IMMEDIATE and the check that this process may still write. *last_time: of the store's last write. */
eg_status begin_write(connection *c, eg_request *rq, int64_t *last_time);
eg_status end_write(connection *c, eg_request *rq, eg_status s);

static inline void bind_text(sqlite3_stmt *q, int at, eg_str s) {
    sqlite3_bind_text(q, at, s.ptr ? s.ptr : "", (int)s.len, SQLITE_STATIC);
}
static inline void bind_id(sqlite3_stmt *q, int at, eg_id id) {
    if (eg_id_is_none(id)) sqlite3_bind_null(q, at);
    else sqlite3_bind_blob(q, at, id.bytes, 16, SQLITE_TRANSIENT);
}
/* The clock, but never behind the last write of the store. */
eg_status store_now(const eg_storage *s, connection *c, eg_request *rq, int64_t *now);
/* The named parameters of VISIBLE, but for a time of 0 the store's now. */
eg_status bind_filter(sqlite3_stmt *q, const eg_storage *s, connection *c, eg_request *rq, const eg_filter *filter);
int named(sqlite3_stmt *q, const char *name);
eg_id column_id(sqlite3_stmt *q, int at);
/* A copy in the request's memory; on want of memory ptr is NULL. */
eg_str column_text(eg_request *rq, sqlite3_stmt *q, int at);

/* ---- schema.c ---- */
/* Creates or migrates under a lock file; refuses network file systems and newer stores. */
eg_status schema_prepare(const char *path, eg_request *rq, const eg_services *services);
/* Schema, versions of the open store; EG_EVERSION when this process is too old. */
eg_status schema_check(connection *c, eg_request *rq, int writing, int64_t *last_time);

/* For a store that cannot be written here: whether its schema can be read as it stands. */
eg_status schema_check_read_only(connection *c, eg_request *rq);

/* ---- the operations ---- */
eg_status sqlite_apply(eg_storage *s, eg_request *rq, const eg_change_set *set, eg_applied *out);
eg_status sqlite_fact(eg_storage *s, eg_request *rq, eg_id id, eg_fact *out);
eg_status sqlite_facts(eg_storage *s, eg_request *rq, const eg_id *ids, size_t n, eg_fact *out);
eg_status sqlite_ids_by_suffix(eg_storage *s, eg_request *rq, eg_str workspace, eg_str suffix, eg_id *out, size_t most,
                               size_t *n);
eg_status sqlite_current_by_hash(eg_storage *s, eg_request *rq, const eg_filter *f, const uint8_t hash[32], eg_fact *out);
eg_status sqlite_lineage(eg_storage *s, eg_request *rq, eg_str workspace, eg_id lineage, eg_fact **out, size_t *n);
eg_status sqlite_lineage_head(eg_storage *s, eg_request *rq, eg_str workspace, eg_id lineage, eg_fact *out);
eg_status sqlite_list(eg_storage *s, eg_request *rq, const eg_filter *f, int64_t after, uint32_t limit, eg_fact **out, size_t *n);
eg_status sqlite_unembedded(eg_storage *s, eg_request *rq, eg_str workspace, eg_str model, int64_t after, uint32_t limit,
                            eg_fact **out, size_t *n, uint64_t *all);
eg_status sqlite_claims_by_key(eg_storage *s, eg_request *rq, const eg_filter *f, eg_str subject, eg_str attribute,
                               uint32_t limit, eg_claim_row **out, size_t *n);
eg_status sqlite_claims_of(eg_storage *s, eg_request *rq, eg_id fact, eg_claim **out, size_t *n);
eg_status sqlite_statements_of(eg_storage *s, eg_request *rq, eg_id fact, eg_span **out, size_t *n);
eg_status sqlite_conflict(eg_storage *s, eg_request *rq, eg_id id, eg_conflict *out);
/* All of a fact that were open until `before`, the time at which it is being closed; read by this connection: in its transaction,
 * if there is one. */
eg_status open_conflicts_of(connection *c, eg_request *rq, eg_str workspace, int64_t before, eg_id fact, eg_conflict **out,
                            size_t *n);
eg_status sqlite_conflicts(eg_storage *s, eg_request *rq, const eg_conflict_filter *f, eg_conflict **out, size_t *n);
eg_status sqlite_pair_known(eg_storage *s, eg_request *rq, eg_id a, eg_id b, int *known);
eg_status sqlite_setting(eg_storage *s, eg_request *rq, eg_str workspace, eg_str key, eg_str *out);
eg_status sqlite_feedback(eg_storage *s, eg_request *rq, eg_str workspace, eg_str tier, uint64_t *confirmed, uint64_t *wrong);
eg_status sqlite_agent(eg_storage *s, eg_request *rq, eg_str workspace, eg_str agent, uint64_t *commits, uint64_t *flagged);
eg_status sqlite_stats(eg_storage *s, eg_request *rq, eg_str workspace, eg_store_stats *out);
eg_status sqlite_now(eg_storage *s, eg_request *rq, int64_t *out);
eg_status sqlite_last_seq(eg_storage *s, eg_request *rq, int64_t *out);
eg_status sqlite_search_text(eg_storage *s, eg_request *rq, const eg_filter *f, const eg_term *terms, size_t term_count,
                             uint32_t limit, eg_scored **out, size_t *n);
eg_status sqlite_search_vectors(eg_storage *s, eg_request *rq, const eg_filter *f, eg_str model, const float *query,
                                uint32_t dimensions, uint32_t limit, eg_scored **out, size_t *n);
void vector_caches_release(eg_storage *s);
/* Terms as the index stores them: hex, so that no text of a user is ever read as query syntax. */
eg_str encode_term(eg_request *rq, eg_str term);
eg_status sqlite_lease(eg_storage *s, eg_request *rq, eg_str owner, int64_t lease_time, int64_t grace, uint32_t but_not,
                       uint32_t max_leased, uint32_t most, eg_job **out, size_t *n);
eg_status sqlite_jobs_of(eg_storage *s, eg_request *rq, eg_id fact, size_t *waiting, size_t *dead);
eg_status sqlite_count_hits(eg_storage *s, eg_request *rq, const eg_id *ids, size_t n);
/* The window changes that an audit row is about; grows in the request's memory. */
typedef struct window_list {
    void *rows; /* eg_window_change */
    size_t count, capacity;
} window_list;
eg_status audit_append(eg_storage *s, eg_request *rq, int64_t workspace, int64_t now, eg_str actor, const eg_change *change,
                       const window_list *windows, int64_t *id);
eg_status sqlite_audit_windows(eg_storage *s, eg_request *rq, eg_str workspace, int64_t id, eg_window_change **out, size_t *n);
eg_status sqlite_audit(eg_storage *s, eg_request *rq, eg_str workspace, int64_t id, eg_audit_row *out);
eg_status sqlite_audit_list(eg_storage *s, eg_request *rq, eg_str workspace, int64_t after, uint32_t limit, eg_audit_row **out,
                            size_t *n);
eg_status sqlite_audit_verify(eg_storage *s, eg_request *rq);

/* A growing array in the request's memory: room for one more of `size` bytes, or NULL. */
void *grow_row(eg_request *rq, void **rows, size_t count, size_t *capacity, size_t size);

#endif
