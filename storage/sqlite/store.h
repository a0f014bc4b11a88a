/* store.h - the inside of the SQLite backend: connections, prepared statements, error texts. For
 * this folder only. */
#ifndef EG_SQLITE_STORE_H
#define EG_SQLITE_STORE_H

#include <pthread.h>
#include <sqlite3.h>

#include "engram/plugin.h"
#include "statements.h"
#include "waiting.h"

enum { SCHEMA = 6, READERS = 4 };
/* The oldest versions that may still read and write a store of this schema. Older ones would number
 * the journal of the store instead of the workspace's, and continue the audit chain of the
 * store. */
enum { MIN_READER = 1, MIN_WRITER = 4 };

typedef struct connection {
    sqlite3 *db;
    sqlite3_stmt *statements[EG_SQL_COUNT]; /* prepared when first used */
    pthread_mutex_t lock;
    const char *path; /* for messages */
    waiting wait;     /* of the step that is under way */
    int64_t file[4];  /* NEVER_CHANGES: what the file was when it was opened; file_state() */
    int never_changes;
    int is_snapshot;  /* one transaction, which began with it, for all its statements */
    int has_postings; /* the index knows the function of postings.c */
    void *postings;   /* what it works on, while it is called */
} connection;

typedef enum connection_kind {
    FOR_FACTS,    /* synchronous=FULL */
    FOR_COUNTS,   /* synchronous=NORMAL; readers too */
    READ_ONLY,    /* needs the files of the log beside the store, or leave to make them */
    NEVER_CHANGES /* as READ_ONLY, without locks and log: only while nobody writes, which
                   * prepare() looks after */
} connection_kind;

/* The int8 vectors of one model, as far as they fit the cache: see search_vectors.c. */
struct vector_cache;

struct eg_storage {
    const eg_services *services;
    char *path;
    connection writer;  /* synchronous=FULL: facts, resolutions, audit */
    connection counter; /* synchronous=NORMAL: leases, hits */
    connection readers[READERS];
    pthread_rwlock_t cache_lock;
    struct vector_cache *caches;  /* one a model */
    struct fact_lengths *lengths; /* postings.c */
    struct term_counts *term_counts;
    int read_only;             /* writer and counter are not open */
    int is_snapshot;           /* of a store: the first reader alone is open */
    char why_read_only[256];   /* what failed, where it was no want of permission */
    int has_indexes;           /* see schema_has_indexes() */
    connection_kind read_kind; /* how readers are opened */
    int for_tests;
    int64_t test_clock; /* 0: the host's clock */
    int64_t opened_at;  /* the host's clock less the time since boot, when the store was opened */
    pthread_mutex_t wait_lock;
    pthread_cond_t committed; /* wakes wait() before it looks again by itself */
    uint64_t commits;         /* of this process, that changed the seq of a workspace; under
                               * wait_lock */
};

/* ---- connection.c ---- */
eg_status connection_open(connection *c, const char *path, connection_kind kind, eg_request *rq);
void connection_close(connection *c);
/* A locked reader. */
connection *reader_take(eg_storage *s);
void connection_give(connection *c);
/* Locks a connection that writes; connection_give() ends that. EG_EBUSY, EG_ECANCELLED. */
eg_status writer_take(connection *c, eg_request *rq);
/* A connection of its own for a reading that takes long, so that no other waits for a reader. It
 * ends with EG_ECANCELLED when rq is cancelled; close it. */
eg_status connection_open_long(connection *c, const eg_storage *s, eg_request *rq);
/* 1 when a log lies beside the store that has something in it, or may have. */
int has_log(const char *path);
/* The prepared statement, reset and unbound; NULL with the error record filled, also where somebody
 * writes to a store that was opened as NEVER_CHANGES. */
sqlite3_stmt *prepare(connection *c, eg_request *rq, eg_sql which);
/* Steps: 1 a row, 0 done, -1 error with the record filled. Resets on the last two. */
int step(connection *c, eg_request *rq, sqlite3_stmt *q);
/* For statements that give no rows. */
eg_status run(connection *c, eg_request *rq, sqlite3_stmt *q);
/* Runs a statement of its own text whose parameters ?1 to ?n are these; passes over its rows. */
eg_status run_once(connection *c, eg_request *rq, const char *sql, const int64_t *values, int n);
/* What SQLite said, in words that help, with its status. */
eg_status sqlite_error(connection *c, eg_request *rq, const char *what);

static inline void bind_text(sqlite3_stmt *q, int at, eg_str s) {
    sqlite3_bind_text(q, at, s.ptr ? s.ptr : "", (int)s.len, SQLITE_STATIC);
}
static inline void bind_id(sqlite3_stmt *q, int at, eg_id id) {
    if (eg_id_is_none(id)) sqlite3_bind_null(q, at);
    else sqlite3_bind_blob(q, at, id.bytes, 16, SQLITE_TRANSIENT);
}
/* EG_EUNSUPPORTED for flags that are not in `known`; EG_EINVAL for a struct of `size` bytes that is
 * smaller than it was in version 1.0. what: the argument, for the message. */
eg_status check_flags(eg_request *rq, const char *what, uint32_t size, size_t least, uint32_t flags, uint32_t known);
eg_status check_filter(eg_request *rq, const eg_filter *filter);
int named(sqlite3_stmt *q, const char *name);
eg_id column_id(sqlite3_stmt *q, int at);
/* A copy in the request's memory; on want of memory ptr is NULL. */
eg_str column_text(eg_request *rq, sqlite3_stmt *q, int at);

/* ---- transaction.c ---- */
/* One snapshot for several statements of a reader, until end_read(); that of a snapshot is another
 * and goes on. */
eg_status begin_read(connection *c, eg_request *rq);
void end_read(connection *c, eg_request *rq);
/* BEGIN IMMEDIATE and the check that this process may still write. *last_time: of the store's last
 * write. */
eg_status begin_write(connection *c, eg_request *rq, int64_t *last_time);
eg_status end_write(connection *c, eg_request *rq, eg_status s);
/* The clock that jobs go by. */
int64_t store_clock(const eg_storage *s);
/* The clock, but never behind the last write of the store. */
eg_status store_now(const eg_storage *s, connection *c, eg_request *rq, int64_t *now);
/* EG_EREFUSED with the reason when a change of now would set the store's time far ahead, and there
 * is evidence that the clock is wrong. last: of the store's last write. */
eg_status check_clock(const eg_storage *s, eg_request *rq, int64_t last);
/* The named parameters of VISIBLE; a time of 0 is the store's now. */
eg_status bind_filter(sqlite3_stmt *q, const eg_storage *s, connection *c, eg_request *rq, const eg_filter *filter);

/* ---- schema.c ---- */
/* Creates or migrates under a lock file; refuses network file systems and newer stores. */
eg_status schema_prepare(const char *path, eg_request *rq, const eg_services *services);
/* Schema, versions of the open store; EG_EVERSION when this process is too old. */
eg_status schema_check(connection *c, eg_request *rq, int writing, int64_t *last_time);
/* 1 when the store has what only makes reading faster; every store that can be written gets it when
 * it is opened. */
int schema_has_indexes(connection *c);

/* For a store that cannot be written here: whether its schema can be read as it stands. */
eg_status schema_check_read_only(connection *c, eg_request *rq);

/* ---- the operations: see storage.h ---- */
eg_status sqlite_apply(eg_storage *s, eg_request *rq, const eg_change_set *set, eg_applied *out);
eg_status sqlite_parts(eg_storage *s, eg_request *rq, const eg_parts_args *args, eg_fact_parts **out, int64_t *now);
eg_status sqlite_search(eg_storage *s, eg_request *rq, const eg_filter *f, const eg_search *searches, size_t n,
                        eg_scored_list *out);
eg_status sqlite_page(eg_storage *s, eg_request *rq, const eg_filter *f, int64_t after, uint32_t limit, eg_fact **out, size_t *n);
eg_status sqlite_lineage(eg_storage *s, eg_request *rq, eg_id id, uint32_t limit, eg_fact **out, size_t *n);
eg_status sqlite_current_by_hash(eg_storage *s, eg_request *rq, eg_str scope, const uint8_t hash[32], eg_fact *out);
eg_status sqlite_ids_by_suffix(eg_storage *s, eg_request *rq, eg_str suffix, eg_id *out, size_t limit, size_t *n);
eg_status sqlite_ids_between(eg_storage *s, eg_request *rq, eg_id first, eg_id last, eg_id *out, size_t limit, size_t *n);
eg_status sqlite_events(eg_storage *s, eg_request *rq, const eg_events_args *a, eg_event **out, size_t *n);
eg_status sqlite_conflicts(eg_storage *s, eg_request *rq, const eg_conflict_filter *f, eg_conflict **out, size_t *n);
eg_status sqlite_setting(eg_storage *s, eg_request *rq, eg_str key, eg_str *out);
eg_status sqlite_feedback(eg_storage *s, eg_request *rq, eg_feedback_row **out, size_t *n);
eg_status sqlite_audit(eg_storage *s, eg_request *rq, int64_t after, uint32_t limit, eg_audit_row **out, size_t *n);
eg_status sqlite_audit_verify(eg_storage *s, eg_request *rq);
eg_status sqlite_check(eg_storage *s, eg_request *rq, uint32_t flags);
eg_status sqlite_repair_time(eg_storage *s, eg_request *rq, uint64_t *rows);
eg_status sqlite_unembedded(eg_storage *s, eg_request *rq, eg_str model, int64_t after, uint32_t limit, eg_fact **out, size_t *n,
                            uint64_t *all);
eg_status sqlite_changes_since(eg_storage *s, eg_request *rq, int64_t since, uint32_t limit, eg_journal_row **out, size_t *n);
eg_status sqlite_stats(eg_storage *s, eg_request *rq, uint32_t flags, eg_store_stats *out);
eg_status sqlite_now(eg_storage *s, eg_request *rq, int64_t *out);
eg_status sqlite_wait(eg_storage *s, eg_request *rq, int64_t since, int64_t deadline, int64_t *seq);
eg_status sqlite_workspaces(eg_storage *s, eg_request *rq, int64_t sum, int64_t deadline, eg_workspace_row **out, size_t *n);
eg_status sqlite_lease(eg_storage *s, eg_request *rq, const eg_lease_args *args, eg_job **out, size_t *n);
eg_status sqlite_edit_workspace(eg_storage *s, eg_request *rq, const eg_workspace_edit *edit, eg_workspace_edited *out);
eg_status sqlite_links(eg_storage *s, eg_request *rq, const eg_id *facts, size_t count, eg_link_row **out, size_t *n);
eg_status sqlite_purge(eg_storage *s, eg_request *rq, eg_purged *out);
eg_status sqlite_count_hits(eg_storage *s, eg_request *rq, const eg_id *ids, size_t n);

/* ---- what the files share ---- */
/* EG_EREADONLY where the store cannot be written. */
eg_status refuse_read_only(const eg_storage *s, eg_request *rq);
/* Wakes those of this process that wait for a commit. */
void commit_seen(eg_storage *s);
/* Terms as the index stores them: hex, so that no text of a user is ever read as query syntax. */
eg_str encode_term(eg_request *rq, eg_str term);
/* The index has no texts of its own: takes the words of the facts whose keys are in the table
 * temp.leaving out of it. */
eg_status remove_terms(connection *c, eg_request *rq);
/* Parts of sqlite_search. */
eg_status search_terms(eg_storage *s, connection *c, eg_request *rq, const eg_filter *f, const eg_search *search,
                       eg_scored_list *out);
eg_status search_vectors(eg_storage *s, connection *c, eg_request *rq, const eg_filter *f, const eg_search *search,
                         eg_scored_list *out);
/* The rows (fact, seq, score) of a bound statement. */
eg_status read_scored(connection *c, eg_request *rq, sqlite3_stmt *q, eg_scored_list *out);
void vector_caches_release(eg_storage *s);
/* The conflicts that end with a fact that is closed at `now`; read in the transaction of c. */
eg_status conflicts_to_end(connection *c, eg_request *rq, int64_t workspace, eg_id fact, int64_t now, eg_conflict **out,
                           size_t *n);
/* The window changes that an audit row is about; grows in the request's memory. */
typedef struct window_list {
    void *rows; /* eg_window_change */
    size_t count, capacity;
} window_list;
/* Adds a row to the chain whose last hash is in `head`, and puts the row's own there. */
eg_status audit_append(eg_storage *s, eg_request *rq, int64_t workspace, eg_audit_row *row, uint8_t head[32]);

/* A growing array in the request's memory: room for one more of `size` bytes, or NULL. */
void *grow_row(eg_request *rq, void **rows, size_t count, size_t *capacity, size_t size);

#endif
