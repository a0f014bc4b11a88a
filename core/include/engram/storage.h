/* storage.h - the contract of a storage backend. One conformance test (tests/storage) runs against all.
 *
 * Writing: core builds a change set with preconditions; apply() checks them and writes everything in one
 * transaction, or changes nothing and names the precondition that failed. Reading: few typed calls, each with
 * workspace, time and scope. Reads never write. A backend knows no ranking but BM25 over given terms and cosine
 * over given vectors. Calls may come from any thread and may block; the backend serialises as it needs. */
#ifndef ENGRAM_STORAGE_H
#define ENGRAM_STORAGE_H

#include "request.h"

typedef struct eg_storage eg_storage; /* the backend's own */

/* Which facts a read sees. The window predicate is valid_from <= at < valid_until. */
typedef struct eg_filter {
    eg_str workspace;
    eg_str scope;       /* empty: all; else this scope and those below it, by whole segments */
    int64_t at;         /* the time asked about; 0: the store's now */
    uint32_t as_of;     /* 1: also committed_at <= at (what was known then) */
    uint32_t history;   /* 1: facts whose window is over too (never those that were erased) */
    uint32_t ephemeral; /* 1: ephemeral facts too */
    int32_t fact_type;  /* -1: any */
    eg_str agent_id;    /* empty: any */
} eg_filter;

typedef struct eg_scored {
    eg_id fact;
    int64_t seq;
    double score; /* BM25 as a positive number, higher is better; or cosine */
} eg_scored;

typedef struct eg_term {
    eg_str text;    /* folded by core/text; any bytes but NUL, never given to a query language unquoted */
    uint32_t count; /* occurrences in the fact; 1 in queries */
} eg_term;

typedef struct eg_vector {
    uint32_t statement; /* index; UINT32_MAX: the whole content */
    uint32_t dimensions;
    eg_str model_id;
    const float *values; /* L2-normalised */
} eg_vector;

/* Everything that is stored with a new fact. */
typedef struct eg_new_fact {
    eg_fact fact; /* id, lineage_id, times given by core; seq by the store */
    const eg_span *statements;
    size_t statement_count;
    const eg_claim *claims;
    size_t claim_count;
    const eg_term *terms;
    size_t term_count;
    const eg_vector *vectors;
    size_t vector_count;
} eg_new_fact;

typedef enum eg_link_kind { EG_LINK_CORROBORATES = 0, EG_LINK_BOTH_VALID, EG_LINK_UPDATE } eg_link_kind;

/* kind of a job: what is left to do for a fact. Jobs go by the clock, not by the store's now: they go on when it was set back. */
typedef enum eg_job_kind {
    EG_JOB_DETECT = 0,
    EG_JOB_EMBED,  /* vectors that its commit left out, for want of a model; then detection */
    EG_JOB_REEMBED /* the next facts of the workspace that have no vectors of the active model; `fact` is one of them */
} eg_job_kind;
#define EG_MAX_JOB_PAUSE INT64_C(600000000) /* of a job: not_before is at most so far ahead */
typedef struct eg_job {
    int64_t id;
    uint32_t kind, attempts;
    eg_str workspace;
    eg_id fact;
    int64_t created_at, not_before, lease_until;
    eg_str owner; /* of the commit that made it, later of the lease */
    eg_id token;  /* of the lease; none when not leased */
    eg_str last_error;
} eg_job;

typedef enum eg_change_kind {
    EG_CHANGE_FACT = 0, /* insert new_fact */
    EG_CHANGE_CLOSE,    /* fact: valid_until = min(valid_until, now), closed_at = now, by `text`, reason. Every conflict of it
                           that was open until then ends with it: resolved by `text`, EG_RESOLUTION_WINNER the other fact,
                           resolution `text2`; but those that the set has an EG_CHANGE_CONFLICT_STATUS for */
    EG_CHANGE_PROMOTE,  /* fact: ephemeral becomes durable; valid_until = max(valid_until, `time`) */
    EG_CHANGE_CONFLICT, /* insert conflict */
    EG_CHANGE_CONFLICT_STATUS, /* conflict->id: status, resolution_*, resolved_* as in conflict */
    EG_CHANGE_LINK,            /* pair (fact, other): link kind `number`; an existing one is kept */
    EG_CHANGE_UNLINK,          /* pair (fact, other): link kind `number` removed */
    EG_CHANGE_JOB,             /* insert a job of kind `number` for fact, owner `text`, not before `time` */
    EG_CHANGE_JOB_DONE,        /* job `number` of token: removed */
    EG_CHANGE_JOB_FAILED,      /* job `number` of token: attempts + 1, lease given up, not before `time`, error `text` */
    EG_CHANGE_VECTORS,  /* vectors of an existing fact (new_fact->vectors, all of one model), fact; nothing when it has some of
                           that model */
    EG_CHANGE_CLAIMS,   /* claims and statements of an existing fact replaced */
    EG_CHANGE_AGENT,    /* agent `text` (engineer `text2`) seen now; its commits + `number` */
    EG_CHANGE_FEEDBACK, /* conflict->id: `number` 1 true positive, 0 false positive; tier and score in conflict */
    EG_CHANGE_SETTING,  /* workspace setting `text` = `text2` */
    EG_CHANGE_AUDIT,    /* action `text`, payload `text2` (JSON), ids fact and other; holds the windows of the
                           facts that the changes before it in the set inserted, closed or promoted */
    EG_CHANGE_FEEDBACK_BACK /* conflict->id: the verdict that was written in one set with its settlement at conflict->resolved_at
                               is removed */
} eg_change_kind;

typedef struct eg_change {
    uint32_t kind;
    uint32_t reason; /* eg_close_reason */
    eg_id fact, other, token;
    int64_t number, time;
    eg_str text, text2;
    const eg_new_fact *new_fact;
    const eg_conflict *conflict;
} eg_change;

typedef enum eg_precondition_kind {
    EG_REQUIRE_HASH_FREE = 0,      /* no current fact of scope `text` with hash (not the fact `id`) */
    EG_REQUIRE_CURRENT,            /* fact id is current */
    EG_REQUIRE_HEAD,               /* fact id is current and the newest of its lineage */
    EG_REQUIRE_PAIR_FREE,          /* no conflict (any status) and no both_valid link for the pair (id, other) */
    EG_REQUIRE_CONFLICT_UNSETTLED, /* conflict id is not settled: open or EG_CONFLICT_EXPIRED */
    EG_REQUIRE_CONFLICT_SETTLED,   /* conflict id is resolved or dismissed */
    EG_REQUIRE_LEASE,              /* job `number` has token */
    EG_REQUIRE_NO_JOB, /* the workspace has no job of kind `number` that waits, is leased, or was dead-lettered in the last hour
                        */
    EG_REQUIRE_LINEAGE_FREE /* lineage id has no current fact (but the fact `other`) */
} eg_precondition_kind;

typedef struct eg_precondition {
    uint32_t kind;
    eg_id id, other, token;
    int64_t number;
    eg_str text;
    const uint8_t *hash; /* 32 bytes */
} eg_precondition;

typedef struct eg_change_set {
    eg_str workspace, actor;
    const eg_precondition *preconditions;
    size_t precondition_count;
    const eg_change *changes;
    size_t change_count;
} eg_change_set;

typedef struct eg_applied {
    int64_t seq;            /* of the last change */
    int64_t time;           /* the store's now of this transaction: committed_at of its facts */
    int64_t audit_id;       /* of the last audit row written, 0: none */
    size_t failed;          /* with EG_ECONFLICT: index of the precondition that failed */
    eg_id failed_row;       /* the fact or conflict that failed it, when there is one */
    size_t conflicts_ended; /* how many ended with the facts that were closed */
} eg_applied;

typedef struct eg_conflict_filter {
    eg_str workspace, scope; /* scope of either fact; empty: all */
    int32_t status;          /* eg_conflict_status, -1: all */
    eg_id fact;              /* none: any; else conflicts of this fact */
    uint32_t limit;
} eg_conflict_filter;

typedef struct eg_claim_row {
    eg_id fact;
    eg_claim claim;
} eg_claim_row;

typedef struct eg_store_stats {
    uint64_t facts, current_facts, conflicts_open, conflicts_total, agents, statements, claims, vectors;
    uint64_t jobs_queued, jobs_leased, jobs_dead;
    int64_t oldest_job_at; /* 0: none */
    int64_t seq;
    uint32_t schema;
    eg_str location; /* file or server, without secrets */
} eg_store_stats;

typedef struct eg_audit_row {
    int64_t id, time;
    eg_str actor, action, payload;
    eg_id fact, other;
} eg_audit_row;

/* What a change did to the window of a fact. An inserted fact had none: from_before and until_before are 0. */
typedef struct eg_window_change {
    eg_id fact;
    int64_t from_before, until_before, from_after, until_after;
} eg_window_change;

struct eg_services;

#define EG_STORAGE_OPS_SIZE_1_0 272
typedef struct eg_storage_ops {
    uint32_t size;
    uint32_t flags;   /* 0 */
    const char *name; /* "sqlite" */

    /* Opens (and creates, migrates) the store at location (a file's path, a URL). now_override for tests only goes
     * through services->now. EG_EVERSION: the store is newer; EG_EREADONLY, EG_EIO, EG_EPERM with advice. */
    eg_status (*open)(const struct eg_services *services, eg_request *rq, eg_str location, eg_storage **out);
    void (*close)(eg_storage *store);

    /* The one way to write. The time of the transaction is max(services->now, last committed time). Facts with
     * committed_at 0 get that time; valid_from 0 too; ttl_days then sets valid_until when it is 0 (0 and no ttl:
     * EG_FOREVER). EG_ECONFLICT: a precondition failed, nothing written. */
    eg_status (*apply)(eg_storage *store, eg_request *rq, const eg_change_set *set, eg_applied *out);

    /* Reads. Arrays are in the request's memory. Not found is EG_ENOENT for single things, zero rows for lists. */
    eg_status (*fact)(eg_storage *store, eg_request *rq, eg_id id, eg_fact *out);
    eg_status (*facts)(eg_storage *store, eg_request *rq, const eg_id *ids, size_t n, eg_fact *out); /* missing: seq 0 */
    /* Ids of facts or conflicts whose text form ends in `suffix` (hex digits): at most `most`. */
    eg_status (*ids_by_suffix)(eg_storage *store, eg_request *rq, eg_str workspace, eg_str suffix, eg_id *out, size_t most,
                               size_t *n);
    eg_status (*current_by_hash)(eg_storage *store, eg_request *rq, const eg_filter *filter, const uint8_t hash[32],
                                 eg_fact *out); /* exact scope */
    eg_status (*lineage)(eg_storage *store, eg_request *rq, eg_str workspace, eg_id lineage, eg_fact **out, size_t *n);
    eg_status (*lineage_head)(eg_storage *store, eg_request *rq, eg_str workspace, eg_id lineage, eg_fact *out); /* its newest */
    eg_status (*list)(eg_storage *store, eg_request *rq, const eg_filter *filter, int64_t after_seq, uint32_t limit,
                      eg_fact **out, size_t *n); /* by seq ascending */
    eg_status (*search_text)(eg_storage *store, eg_request *rq, const eg_filter *filter, const eg_term *terms, size_t term_count,
                             uint32_t limit, eg_scored **out, size_t *n);
    /* Best cosine of a fact's vectors of this model, one row a fact. */
    eg_status (*search_vectors)(eg_storage *store, eg_request *rq, const eg_filter *filter, eg_str model_id, const float *query,
                                uint32_t dimensions, uint32_t limit, eg_scored **out, size_t *n);
    /* Claims of facts under the filter: attribute empty: any attribute of the subject; subject empty: any subject
     * with the attribute. At most limit rows, newest facts last. */
    eg_status (*claims_by_key)(eg_storage *store, eg_request *rq, const eg_filter *filter, eg_str subject, eg_str attribute,
                               uint32_t limit, eg_claim_row **out, size_t *n);
    eg_status (*claims_of)(eg_storage *store, eg_request *rq, eg_id fact, eg_claim **out, size_t *n);
    eg_status (*statements_of)(eg_storage *store, eg_request *rq, eg_id fact, eg_span **out, size_t *n);
    eg_status (*conflict)(eg_storage *store, eg_request *rq, eg_id id, eg_conflict *out);
    /* Most severe first, then newest. Wherever conflicts are read or counted, one that is open is EG_CONFLICT_EXPIRED from the
     * end of one of its facts on (their ttl_days ran out); it can still be settled. */
    eg_status (*conflicts)(eg_storage *store, eg_request *rq, const eg_conflict_filter *filter, eg_conflict **out, size_t *n);
    /* 1 in *known when the pair has a conflict of any status or a both_valid link. */
    eg_status (*pair_known)(eg_storage *store, eg_request *rq, eg_id a, eg_id b, int *known);
    eg_status (*setting)(eg_storage *store, eg_request *rq, eg_str workspace, eg_str key, eg_str *out);
    /* Counts of feedback of a tier: confirmed and false. The last verdict of each conflict counts. */
    eg_status (*feedback)(eg_storage *store, eg_request *rq, eg_str workspace, eg_str tier, uint64_t *confirmed,
                          uint64_t *false_alarms);
    /* Agent's commits and how many of them are in a conflict that was not dismissed. */
    eg_status (*agent)(eg_storage *store, eg_request *rq, eg_str workspace, eg_str agent_id, uint64_t *commits,
                       uint64_t *flagged);
    eg_status (*audit)(eg_storage *store, eg_request *rq, eg_str workspace, int64_t id, eg_audit_row *out);
    /* Audit rows with id > after, ascending, at most limit. */
    eg_status (*audit_list)(eg_storage *store, eg_request *rq, eg_str workspace, int64_t after, uint32_t limit,
                            eg_audit_row **out, size_t *n);
    /* EG_OK when the hash chain over all audit rows holds, EG_EFORMAT naming the first row that does not. */
    eg_status (*audit_verify)(eg_storage *store, eg_request *rq);
    eg_status (*stats)(eg_storage *store, eg_request *rq, eg_str workspace, eg_store_stats *out);
    /* The newest seq of the whole store: what caches and waiters compare with. */
    eg_status (*last_seq)(eg_storage *store, eg_request *rq, int64_t *out);

    /* Leases: at most `most` jobs that are due, not leased, not dead-lettered; a lease that is over counts as a failed attempt;
     * owner's own first, others' only when older than grace microseconds; EG_JOB_REEMBED after all other kinds. Each gets token
     * and lease_until. Not more than max_leased leases in the whole store. Durable enough to survive a crash of the process, not
     * a power loss. What can only be from before the clock was set back holds nothing up: a lease is over that ends more than
     * twice lease_time ahead, a job is due whose not_before lies more than EG_MAX_JOB_PAUSE ahead, and old whose created_at does.
     * but_not: bits 1 << eg_job_kind of the kinds that are left alone. */
    eg_status (*lease)(eg_storage *store, eg_request *rq, eg_str owner, int64_t lease_time, int64_t grace, uint32_t but_not,
                       uint32_t max_leased, uint32_t most, eg_job **out, size_t *n);
    /* Detection jobs of this fact that still wait (queued or leased), and those that were dead-lettered: there is no verdict of
     * either.
     */
    eg_status (*jobs_of)(eg_storage *store, eg_request *rq, eg_id fact, size_t *waiting, size_t *dead);
    /* query_hits + 1 for each; may be lost in a power failure. */
    eg_status (*count_hits)(eg_storage *store, eg_request *rq, const eg_id *ids, size_t n);
    /* The windows that the audit row holds, in the order of the changes. Unknown rows, and rows that were written
     * before windows were kept, have none. */
    eg_status (*audit_windows)(eg_storage *store, eg_request *rq, eg_str workspace, int64_t id, eg_window_change **out,
                               size_t *n);
    /* Facts with seq > after, in that order, that were not erased and have no vector of this model: at most limit. *all, when it
     * is not NULL: how many there are (counting reads them all). */
    eg_status (*unembedded)(eg_storage *store, eg_request *rq, eg_str workspace, eg_str model_id, int64_t after, uint32_t limit,
                            eg_fact **out, size_t *n, uint64_t *all);
    /* The store's now: max(services->now, last committed time). What was committed is never in its future. */
    eg_status (*now)(eg_storage *store, eg_request *rq, int64_t *out);
} eg_storage_ops;
EG_SIZE_FROZEN(eg_storage_ops, EG_STORAGE_OPS_SIZE_1_0);

#endif
