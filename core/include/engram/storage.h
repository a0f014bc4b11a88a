/* storage.h - the contract of a storage backend. One conformance test (tests/storage/conformance.c)
 * runs against every backend, over this table only.
 *
 * The backend keeps rows; the rules of the domain are core's. Core decides what a change means
 * (lifetimes, which conflicts end with a fact, what is repeated in the index, the layout of the
 * audit hash) and sends finished rows.
 *
 * The contract is made for a database on the other side of a network: each call below is one round
 * trip, so reads take many ids at once. Core needs at most 4 calls for a query and 8 for a commit
 * with its verdict.
 *
 * - Writing. apply() takes a change set with preconditions, checks them and writes everything in
 *   one transaction, or changes nothing and names the precondition that failed. Reads never write.
 * - Workspace. Every call works in rq->workspace and sees nothing of another one, but for three:
 *   lease() gives jobs of every workspace, workspaces() tells which there are, and edit_workspace()
 *   puts one into another.
 * - Order. Each workspace numbers its own changes, upwards. A number becomes visible only after all
 *   lower ones: whoever has read up to seq N misses nothing by asking for what came after N.
 * - Time. The store's now is max(its clock, its last commit), so that nothing committed lies in its
 *   future. Jobs go by the clock alone: they go on when it was set back. Core sends durations,
 *   never times of another machine's clock.
 * - Arguments. A struct with a `size` starts with it: sizeof of who fills it in. Unknown bits of
 *   `flags` are refused with EG_EUNSUPPORTED. Fields named `reserved` are 0.
 * - Results are in the request's memory. Things that are missing are zero rows of a list, not
 *   errors, unless EG_ENOENT is named below.
 * - Threads. Calls may come from any thread and may block; the backend serialises as it needs. */
#ifndef ENGRAM_STORAGE_H
#define ENGRAM_STORAGE_H

#include "request.h"

typedef struct eg_storage eg_storage; /* the backend's own */

/* ---- what is read ---- */

typedef enum eg_filter_flag {
    EG_FILTER_AS_OF = 1,     /* also committed_at <= at: what was known then */
    EG_FILTER_HISTORY = 2,   /* facts whose window is over too; never those that were erased */
    EG_FILTER_EPHEMERAL = 4, /* ephemeral facts too */
    EG_FILTER_NEWEST = 8     /* of page() alone: the newest first, those with seq < after; 0: all */
} eg_filter_flag;

/* Which facts a read sees: those with valid_from <= at < valid_until, and what the flags say. */
typedef struct eg_filter {
    uint32_t size, flags; /* eg_filter_flag */
    eg_str scope;         /* empty: all; else this scope and those below it, by whole segments */
    eg_str agent_id;      /* empty: any */
    int64_t at;           /* 0: the store's now */
    uint32_t fact_types;  /* bits 1 << eg_fact_type; 0: any */
    uint32_t reserved0;
    int64_t since;       /* committed at this time or later; 0: any */
    int64_t ends_before; /* with an end before this time; 0: any */
    uint64_t reserved[2];
} eg_filter;

typedef struct eg_term {
    eg_str text;    /* folded by core/text; any bytes but NUL: quote it in a query language */
    uint32_t count; /* how often it is indexed; 1 in queries */
} eg_term;

typedef struct eg_vector {
    uint32_t statement; /* index; UINT32_MAX: the whole content */
    uint32_t dimensions;
    eg_str model_id;
    const float *values; /* L2-normalised */
} eg_vector;

typedef enum eg_search_kind {
    EG_SEARCH_TERMS = 0, /* BM25 over terms, best first */
    EG_SEARCH_VECTOR,    /* facts by the best cosine of their vectors of vector->model_id */
    /* claims of `subject` (not empty) with `attribute` (empty: any attribute): the newest `limit`
     * claims, oldest first, a row each; score is 0 */
    EG_SEARCH_CLAIM
} eg_search_kind;

#define EG_MAX_COUNTED 8192
typedef struct eg_search {
    uint32_t kind, limit;
    const eg_term *terms;
    size_t term_count;
    const eg_vector *vector; /* `statement` is not looked at */
    eg_str subject, attribute;
    /* Of EG_SEARCH_TERMS: where the store tells what a fact would score at most that has all terms,
     * those that occur nowhere too: the sum of their weights in BM25, times k1 + 1. NULL: nobody
     * asks. A store that cannot tell leaves it alone. */
    double *attainable;
    /* Of any search: where the store tells how many current facts the workspace has, up to
     * EG_MAX_COUNTED. NULL: nobody asks. A store that cannot tell leaves it alone. */
    uint64_t *facts;
    uint64_t reserved[2];
} eg_search;

typedef struct eg_scored {
    eg_id fact;
    int64_t seq;
    double score; /* BM25 as a positive number, higher is better; or cosine */
} eg_scored;

typedef struct eg_scored_list { /* one for each search */
    eg_scored *rows;
    size_t count;
} eg_scored_list;

typedef enum eg_parts_flag {
    EG_PARTS_STATEMENTS = 1,
    EG_PARTS_CLAIMS = 2,
    /* ids of the conflicts that open_conflicts counts, most severe first, then newest */
    EG_PARTS_CONFLICTS = 4,
    EG_PARTS_TRUST = 8,
    EG_PARTS_PAIRS = 16, /* how each fact stands to `subject` */
    EG_PARTS_JOBS = 32,
    EG_PARTS_SUSPECTED = 64, /* ids of the suspected conflicts of the fact, the newest first */
    EG_PARTS_VECTORS = 128   /* the vectors of the model `model_id` */
} eg_parts_flag;

typedef struct eg_parts_args {
    uint32_t size, flags; /* eg_parts_flag */
    const eg_id *ids;     /* of facts */
    size_t count;
    eg_id subject;   /* of EG_PARTS_PAIRS; need not be stored */
    eg_str model_id; /* of EG_PARTS_VECTORS */
    uint64_t reserved[2];
} eg_parts_args;

/* What is known about a pair of facts: bits. The first two are about these very facts. The others
 * also count pairs of facts that undo restored these from (restored_from, as far back as it goes;
 * erased facts end the way back). */
typedef enum eg_pair_bit {
    EG_PAIR_CONFLICT = 1,  /* a conflict of any status */
    EG_PAIR_LINKED = 2,    /* a link EG_LINK_BOTH_VALID */
    EG_PAIR_DISMISSED = 4, /* a conflict that was dismissed */
    EG_PAIR_BOTH_VALID = 8 /* a conflict that was resolved as EG_RESOLUTION_BOTH_VALID */
} eg_pair_bit;

/* A fact with what was asked for; the rest is 0. */
typedef struct eg_fact_parts {
    eg_fact fact; /* seq 0: the workspace has no such fact, or it was erased */
    eg_span *statements;
    size_t statement_count;
    eg_claim *claims;
    size_t claim_count;
    eg_id *conflicts;
    size_t conflict_count;
    uint64_t agent_commits; /* of the fact's agent; 0: unknown agent */
    uint64_t agent_flagged; /* how many of its facts are in a conflict that was not dismissed */
    uint32_t pair;          /* eg_pair_bit */
    uint32_t jobs_waiting;  /* detection jobs of the fact that wait or are leased */
    uint32_t jobs_dead;     /* and those that were dead-lettered */
    uint32_t reserved0;
    eg_statement *details; /* EG_PARTS_STATEMENTS: statement_count of them */
    eg_id *suspected;      /* EG_PARTS_SUSPECTED */
    size_t suspected_count;
    eg_vector *vectors; /* EG_PARTS_VECTORS: by statement, the whole content last */
    size_t vector_count;
    uint64_t reserved[3];
} eg_fact_parts;

typedef enum eg_conflict_filter_flag {
    EG_CONFLICTS_CURRENT = 1, /* only those both of whose facts are current at the store's now */
    EG_CONFLICTS_PAST = 2     /* only those of which a fact is not; together with CURRENT: all */
} eg_conflict_filter_flag;

/* The store keeps an open conflict as open when a fact of it runs out of time; core calls it
 * expired then. So core asks for open conflicts with (1 << EG_CONFLICT_OPEN, CURRENT), and for
 * expired ones with (1 << EG_CONFLICT_OPEN, PAST). */
typedef struct eg_conflict_filter {
    uint32_t size, flags; /* eg_conflict_filter_flag; neither: all */
    uint32_t statuses;    /* bits 1 << eg_conflict_status as stored, never EXPIRED; 0: any */
    uint32_t limit;       /* 0: none */
    eg_str scope;         /* of either fact; empty: all. At most one of scope, ids, facts is
                           * given */
    const eg_id *ids;     /* NULL: any; else these conflicts */
    size_t id_count;
    const eg_id *facts; /* NULL: any; else conflicts of these facts */
    size_t fact_count;
    uint64_t reserved[4];
} eg_conflict_filter;

typedef struct eg_feedback_row {
    eg_str tier;
    uint64_t confirmed, false_alarms; /* the last verdict of each conflict counts */
} eg_feedback_row;

typedef enum eg_stats_flag { EG_STATS_FACTS = 1, EG_STATS_JOBS = 2 } eg_stats_flag;

typedef struct eg_store_stats {
    /* conflicts_total: of any status but suspected */
    /* EG_STATS_FACTS */
    uint64_t facts, current_facts, conflicts_open, conflicts_total, agents, statements, claims, vectors;
    uint64_t jobs_queued, jobs_leased, jobs_dead; /* EG_STATS_JOBS */
    int64_t oldest_job_at;                        /* 0: none */
    int64_t seq;                                  /* always, as the rest */
    uint32_t schema;
    uint32_t suspected; /* EG_STATS_FACTS: suspected conflicts both of whose facts are current */
    eg_str location;    /* file or server, without secrets */
} eg_store_stats;

/* What a change did to the window of a fact. An inserted fact had none: from_before and
 * until_before are 0. */
typedef struct eg_window_change {
    eg_id fact;
    int64_t from_before, until_before, from_after, until_after;
} eg_window_change;

typedef struct eg_audit_row {
    int64_t id; /* ascends within a workspace, with gaps */
    int64_t time;
    eg_str workspace, actor, action, payload;
    eg_id fact, other;
    /* in the order of the changes; rows from before windows were kept have none */
    const eg_window_change *windows;
    size_t window_count;
    uint8_t payload_hash[32]; /* SHA-256; stays when the payload is erased */
    uint32_t layout;          /* eg_audit_layout: what the hash of this row covers */
    uint32_t reserved0;
    uint64_t reserved[4];
} eg_audit_row;

/* Of services->audit_hash, which core owns. */
typedef enum eg_audit_layout {
    EG_AUDIT_STORE = 1,    /* one chain for a whole store; the workspace is not covered: stores
                            * before schema 4 */
    EG_AUDIT_WORKSPACE = 2 /* one chain a workspace; its name is covered */
} eg_audit_layout;

typedef struct eg_journal_row {
    int64_t seq, time;
    uint32_t kind; /* eg_change_kind */
    uint32_t reserved0;
    eg_id fact, other; /* that it is about; none where it is about neither */
    uint64_t reserved[2];
} eg_journal_row;

/* What happened to a fact or a conflict, told from its row as it is now: what was undone is not
 * told. */
typedef enum eg_event_kind {
    EG_EVENT_STORED = 0, /* the fact was committed */
    EG_EVENT_CLOSED,     /* the fact was closed */
    EG_EVENT_EXPIRED,    /* the time of the fact ran out */
    EG_EVENT_FOUND,      /* the conflict was found; never one that is only suspected */
    EG_EVENT_SETTLED     /* the conflict was resolved or dismissed, or ended with a fact */
} eg_event_kind;
/* In the order of time, kind and key: the order of several events of one time has no meaning. */
typedef struct eg_event {
    int64_t time;
    uint32_t kind; /* eg_event_kind */
    uint32_t reserved0;
    int64_t key; /* of its row, in the store */
    eg_id id;    /* of the fact or conflict */
    uint64_t reserved[2];
} eg_event;
typedef enum eg_events_flag {
    EG_EVENTS_REPLACED = 1 /* also that facts were closed which another version replaced */
} eg_events_flag;
typedef struct eg_events_args {
    uint32_t size, flags; /* eg_events_flag */
    eg_str scope;         /* of the fact, or of one of the conflict; empty: all */
    int64_t since, until; /* both included; until 0: the store's now, which is the latest */
    eg_event before;      /* only events that come before this one; time 0: all */
    uint32_t limit;
    uint32_t reserved0;
    uint64_t reserved[4];
} eg_events_args;

/* What detection or people said of a pair of facts, other than a conflict. */
typedef struct eg_link_row {
    eg_id fact, other; /* other was stored after fact */
    uint32_t kind;     /* eg_link_kind */
    uint32_t reserved0;
    uint64_t reserved[1];
} eg_link_row;

/* ---- jobs ---- */

typedef enum eg_job_kind {
    EG_JOB_DETECT = 0,
    EG_JOB_EMBED,   /* vectors that its commit left out, for want of a model; then detection */
    EG_JOB_REEMBED, /* the next facts of the workspace that have no vectors of the active model;
                     * `fact` is one of them */
    EG_JOB_PLUGIN,  /* of the kind `name` that a plugin added */
    EG_JOB_ESCALATE /* asks an escalator about the suspected conflict that `payload` names;
                     * `fact` is none, since nobody waits for it */
} eg_job_kind;
#define EG_MAX_JOB_PAUSE INT64_C(600000000) /* microseconds: the longest delay of a job */

typedef struct eg_job {
    int64_t id;
    uint32_t kind, attempts;
    eg_str workspace, name, payload;
    eg_id fact;
    int64_t created_at, not_before, lease_until; /* by the store's clock */
    eg_str owner;                                /* of the commit that made it */
    eg_id token;                                 /* names the lease; none when it is not leased */
    eg_str last_error;
    uint64_t reserved[4];
} eg_job;

typedef struct eg_lease_args {
    uint32_t size, flags; /* 0 */
    eg_str owner;
    int64_t lease_time;    /* microseconds */
    int64_t grace;         /* other owners' jobs only if older than this; negative: never */
    uint32_t kinds_except; /* bits 1 << eg_job_kind that are left alone */
    uint32_t limit;
    uint64_t reserved[4];
} eg_lease_args;

/* ---- what is written ---- */

/* Everything that is stored with a new fact. */
typedef struct eg_new_fact {
    uint32_t size, flags; /* 0 */
    eg_fact fact;         /* id, lineage_id by core; seq by the store. committed_at, valid_from: 0
                           * is the store's now. One that was closed elsewhere has closed_at,
                           * close_reason and closed_by */
    int64_t lifetime;     /* if fact.valid_until is 0: microseconds from valid_from; 0:
                           * EG_FOREVER */
    const eg_span *statements;
    size_t statement_count;
    const eg_claim *claims;
    size_t claim_count;
    const eg_term *terms; /* each is indexed `count` times */
    size_t term_count;
    const eg_vector *vectors;
    size_t vector_count;
    /* of the statements, statement_count of them; NULL: all are assertions that stand alone */
    const eg_statement *details;
    uint64_t reserved[3];
} eg_new_fact;

typedef enum eg_link_kind {
    EG_LINK_CORROBORATES = 0,
    EG_LINK_BOTH_VALID, /* somebody decided so: the pair is not compared again */
    EG_LINK_UPDATE,     /* the text of the later fact says that it replaces the other */
    EG_LINK_CONTEXT     /* detection found that both can be true, each in its own context */
} eg_link_kind;

#define EG_ERASED_TEXT "[erased]"

/* What a change does, with the member of eg_change that says it. J: it gets the next seq of the
 * workspace's journal. */
typedef enum eg_change_kind {
    EG_CHANGE_FACT = 0,        /* J new_fact: inserted */
    EG_CHANGE_CLOSE,           /* J close: valid_until = min(valid_until, now), closed_at = now */
    EG_CHANGE_PROMOTE,         /* J promote: durable, without ttl_days; valid_until =
                                * max(valid_until, now + lifetime) */
    EG_CHANGE_CONFLICT,        /* J conflict: inserted; detected_at 0 is now */
    EG_CHANGE_CONFLICT_STATUS, /* J conflict: status, resolution_*, resolved_* of conflict->id;
                                * resolved_at 0 is now, and stays 0 for one that is open or
                                * suspected */
    EG_CHANGE_LINK,            /* J link: an existing one is kept */
    EG_CHANGE_UNLINK,          /* J link: removed */
    EG_CHANGE_JOB,             /* job: inserted */
    EG_CHANGE_JOB_DONE,        /* job_done: the job with this lease is removed */
    EG_CHANGE_JOB_FAILED,      /* job_failed: attempts + 1, the lease is given up */
    EG_CHANGE_VECTORS,         /* J vectors, of one model: added, if the fact has none of it */
    EG_CHANGE_CLAIMS,          /* J claims: replaces claims and statements of a fact */
    EG_CHANGE_AGENT,           /* agent: seen now */
    EG_CHANGE_FEEDBACK,        /* feedback: added */
    EG_CHANGE_SETTING,         /* J setting: set */
    EG_CHANGE_AUDIT,           /* audit: a row of the chain, with the windows of the facts that the
                                * changes since the row before it in the set inserted, closed,
                                * promoted or erased */
    EG_CHANGE_FEEDBACK_BACK,   /* feedback_back: removed */
    EG_CHANGE_END_CONFLICTS,   /* J for each, as CONFLICT_STATUS; end_conflicts: every conflict of
                                * the fact that is stored as open, and neither of whose facts ended
                                * before now, becomes resolved with EG_RESOLUTION_WINNER for the
                                * other fact */
    EG_CHANGE_CONFLICT_FACTS,  /* J conflict: fact_a, fact_b and their spans replace those of
                                * conflict->id, for facts that came back as copies */
    EG_CHANGE_MARK,            /* J mark: the bits of `set` are set, those of `clear` cleared */
    EG_CHANGE_ERASE            /* J for each; erase: of facts of this workspace, closed before in
                                * the set or earlier, the content becomes EG_ERASED_TEXT,
                                * provenance, artifact_hash and engineer become empty,
                                * content_hash zeros and close_reason EG_CLOSE_ERASED; their
                                * statements, claims, terms, vectors and jobs go, the explanations
                                * and resolutions of their conflicts become EG_ERASED_TEXT, an
                                * engineer whom no fact names any more is forgotten, and the
                                * payloads of audit rows go that name a fact or one of its
                                * conflicts in any way, and those of erase.records. Unknown ids are
                                * passed over */
} eg_change_kind;

typedef struct eg_change {
    uint32_t kind; /* eg_change_kind */
    uint32_t reserved;
    union {
        const eg_new_fact *new_fact;
        const eg_conflict *conflict;
        struct {
            eg_id fact;
            uint32_t reason; /* eg_close_reason */
            eg_str by;
        } close;
        struct {
            eg_id fact;
            int64_t lifetime; /* microseconds; 0: EG_FOREVER */
        } promote;
        struct {
            eg_id fact;
            eg_str by, resolution;
            /* conflicts that are left alone, because the set settles them itself */
            const eg_id *except;
            size_t except_count;
        } end_conflicts;
        struct {
            const eg_id *facts;
            size_t count;
            const int64_t *records; /* audit rows of the workspace whose payloads go too */
            size_t record_count;
        } erase;
        struct {
            eg_id fact, other; /* in any order: a pair has none */
            uint32_t kind;     /* eg_link_kind */
        } link;
        struct {
            eg_id fact;
            uint32_t set, clear; /* eg_mark */
        } mark;
        struct {
            uint32_t kind; /* eg_job_kind */
            eg_id fact;
            eg_str owner, name, payload;
            int64_t delay;      /* microseconds until it is due */
            eg_id token;        /* not none: inserted leased by the owner, for lease_time */
            int64_t lease_time; /* microseconds; the same as lease() is asked for */
        } job;
        struct {
            eg_id token;
        } job_done;
        struct {
            eg_id token;
            int64_t delay;
            eg_str error;
        } job_failed;
        struct {
            eg_id fact;
            const eg_vector *rows;
            size_t count;
        } vectors;
        struct {
            eg_id fact;
            const eg_span *statements;
            size_t statement_count;
            const eg_claim *claims;
            size_t claim_count;
            const eg_statement *details; /* as of eg_new_fact */
        } claims;
        struct {
            eg_str agent_id, engineer; /* engineer empty: as it was */
            uint32_t commits;          /* more than before */
        } agent;
        struct {
            eg_id conflict;
            eg_str tier;
            double score;
            uint32_t confirmed; /* 1 true positive, 0 false alarm */
        } feedback;
        struct { /* the first verdict about this conflict and tier that was written at this time */
            eg_id conflict;
            eg_str tier;
            int64_t time;
        } feedback_back;
        struct {
            eg_str key, value;
        } setting;
        struct {
            eg_str action, payload; /* JSON */
            eg_id fact, other;
        } audit;
        uint64_t room[16];
    };
} eg_change;

typedef enum eg_precondition_kind {
    EG_REQUIRE_HASH_FREE = 0,      /* hash_free: the scope has no current fact with this hash, but
                                    * for one */
    EG_REQUIRE_CURRENT,            /* fact is current */
    EG_REQUIRE_HEAD,               /* fact is current and the newest of its lineage */
    EG_REQUIRE_PAIR_FREE,          /* pair: neither a conflict (of any status) nor a link
                                    * EG_LINK_BOTH_VALID */
    EG_REQUIRE_CONFLICT_UNSETTLED, /* conflict is stored as open or suspected */
    EG_REQUIRE_CONFLICT_SETTLED,   /* conflict is resolved or dismissed */
    EG_REQUIRE_LEASE,              /* token names a lease that is held */
    EG_REQUIRE_NO_JOB,             /* no_job: the workspace has no job of this kind that waits or is
                                    * leased, or was dead-lettered within the last `pause`
                                    * microseconds */
    EG_REQUIRE_LINEAGE_FREE        /* lineage has no current fact, but for one */
} eg_precondition_kind;

typedef struct eg_precondition {
    uint32_t kind; /* eg_precondition_kind */
    uint32_t reserved;
    union {
        eg_id fact, conflict, token;
        struct {
            eg_str scope;
            const uint8_t *hash; /* 32 bytes */
            eg_id except;        /* none: no exception */
        } hash_free;
        struct {
            eg_id a, b;
        } pair;
        struct {
            uint32_t kind; /* eg_job_kind */
            int64_t pause;
        } no_job;
        struct {
            eg_id id, except; /* except: a fact */
        } lineage;
        uint64_t room[8];
    };
} eg_precondition;

typedef struct eg_change_set {
    uint32_t size, flags; /* 0 */
    eg_id id;             /* UUIDv7, written into the journal; none: the set is never found again */
    eg_str actor;         /* of its audit rows */
    const eg_precondition *preconditions;
    size_t precondition_count;
    const eg_change *changes;
    size_t change_count;
    uint64_t reserved[4];
} eg_change_set;

typedef struct eg_applied {
    int64_t seq;              /* of the last change that has one; 0: none has */
    int64_t fact_seq;         /* of the last fact that was inserted, 0: none */
    int64_t time;             /* the store's now of this transaction: committed_at of its facts */
    int64_t audit_id;         /* of the last audit row written, 0: none */
    uint64_t conflicts_ended; /* by EG_CHANGE_END_CONFLICTS */
    uint32_t again;           /* 1: the set was in the journal, and these are the results of then */
    uint32_t failed;          /* with EG_ECONFLICT: index of the precondition that failed */
    eg_id failed_row;         /* the fact or conflict that failed it, when there is one */
    uint64_t reserved[4];
} eg_applied;

/* Frozen for all of ABI major 1. */
typedef struct eg_workspace_row {
    eg_str name;
    int64_t seq; /* of its last change */
    uint64_t reserved[3];
} eg_workspace_row;

typedef enum eg_workspace_edit_flag {
    EG_WORKSPACE_TO_NEW = 1 /* only if there is no workspace `to`; else EG_ECONFLICT */
} eg_workspace_edit_flag;

typedef struct eg_workspace_edit {
    uint32_t size, flags; /* eg_workspace_edit_flag */
    eg_str to;            /* the workspace that everything goes into; empty: it is removed */
    eg_str actor;         /* of the audit rows */
    uint64_t reserved[4];
} eg_workspace_edit;

typedef struct eg_workspace_edited {
    uint64_t facts; /* that were moved or removed */
    uint64_t reserved[3];
} eg_workspace_edited;

/* ---- the operations ---- */

/* Frozen for all of ABI major 1. */
typedef struct eg_purged {
    uint64_t copies; /* of earlier versions of the store that lay beside it and were removed */
    uint64_t reserved[3];
} eg_purged;

typedef enum eg_storage_open_flag {
    EG_STORAGE_FOR_TESTS = 1 /* set_clock works, and any clock is believed */
} eg_storage_open_flag;

typedef struct eg_storage_open_args {
    uint32_t size, flags; /* eg_storage_open_flag */
    eg_str location;      /* a file's path, a URL */
    uint64_t reserved[4];
} eg_storage_open_args;

typedef enum eg_storage_check_flag {
    EG_STORAGE_CHECK_DEEP = 1 /* also compares rows with their indexes */
} eg_storage_check_flag;

struct eg_services;

typedef struct eg_storage_ops {
    uint32_t size, flags; /* 0 */
    const char *name;     /* "sqlite" */

    /* Opens (and creates, migrates) the store. EG_EVERSION: the store is newer; EG_EREADONLY,
     * EG_EIO, EG_EPERM with advice. */
    eg_status (*open)(const struct eg_services *services, eg_request *rq, const eg_storage_open_args *args, eg_storage **out);
    void (*close)(eg_storage *store);

    /* The one way to write. EG_ECONFLICT: a precondition failed, nothing was written. EG_EREFUSED:
     * the clock is more than a day ahead of the last change, and something says that it is wrong.
     * A set whose id is in the journal was committed before (its answer was lost): nothing is
     * written, and *out is what it was then. Only sets with a change that has a seq are found
     * again; the others are safe to repeat by their preconditions. */
    eg_status (*apply)(eg_storage *store, eg_request *rq, const eg_change_set *set, eg_applied *out);

    /* Facts with their parts: a row for each id, in the order of args->ids. *now, unless NULL: the
     * store's now, by which open_conflicts and EG_PARTS_CONFLICTS go. */
    eg_status (*parts)(eg_storage *store, eg_request *rq, const eg_parts_args *args, eg_fact_parts **out, int64_t *now);
    /* All searches under one filter; out has n lists. */
    eg_status (*search)(eg_storage *store, eg_request *rq, const eg_filter *filter, const eg_search *searches, size_t n,
                        eg_scored_list *out);
    /* Facts with seq > after, by seq, at most limit; EG_FILTER_NEWEST turns that round. */
    eg_status (*page)(eg_storage *store, eg_request *rq, const eg_filter *filter, int64_t after, uint32_t limit, eg_fact **out,
                      size_t *n);
    /* The newest `limit` facts (0: all) of the lineage with this id, or of the lineage of the fact
     * with this id; the newest last. */
    eg_status (*lineage)(eg_storage *store, eg_request *rq, eg_id id, uint32_t limit, eg_fact **out, size_t *n);
    /* The current fact of exactly this scope with this hash, ephemeral ones too; EG_ENOENT. */
    eg_status (*current_by_hash)(eg_storage *store, eg_request *rq, eg_str scope, const uint8_t hash[32], eg_fact *out);
    /* Ids of facts or conflicts whose text form ends in `suffix` (hex digits), at most limit. */
    eg_status (*ids_by_suffix)(eg_storage *store, eg_request *rq, eg_str suffix, eg_id *out, size_t limit, size_t *n);
    /* Most severe first, then newest. until_a and until_b: valid_until of the row's facts. */
    eg_status (*conflicts)(eg_storage *store, eg_request *rq, const eg_conflict_filter *filter, eg_conflict **out, size_t *n);
    /* EG_ENOENT when it is not set. */
    eg_status (*setting)(eg_storage *store, eg_request *rq, eg_str key, eg_str *out);
    /* Of all tiers that have feedback. */
    eg_status (*feedback)(eg_storage *store, eg_request *rq, eg_feedback_row **out, size_t *n);
    /* Audit rows with id > after, ascending, at most limit. */
    eg_status (*audit)(eg_storage *store, eg_request *rq, int64_t after, uint32_t limit, eg_audit_row **out, size_t *n);
    /* EG_OK: the workspace's chain holds up to its head; EG_EFORMAT names the first row that does
     * not. */
    eg_status (*audit_verify)(eg_storage *store, eg_request *rq);
    /* Facts with seq > after, in that order, that were not erased and have no vector of this model:
     * at most limit. *all, when it is not NULL: how many there are (counting reads them all). */
    eg_status (*unembedded)(eg_storage *store, eg_request *rq, eg_str model_id, int64_t after, uint32_t limit, eg_fact **out,
                            size_t *n, uint64_t *all);
    /* Journal rows with seq > since, ascending, at most limit. */
    eg_status (*changes_since)(eg_storage *store, eg_request *rq, int64_t since, uint32_t limit, eg_journal_row **out, size_t *n);
    /* flags: eg_stats_flag; counting reads much. */
    eg_status (*stats)(eg_storage *store, eg_request *rq, uint32_t flags, eg_store_stats *out);
    eg_status (*now)(eg_storage *store, eg_request *rq, int64_t *out);
    /* The workspace's last seq, as soon as it is above `since`, whichever process wrote it, or at
     * the deadline (CLOCK_MONOTONIC, microseconds; 0: at once). EG_ECANCELLED when the request is
     * cancelled meanwhile. */
    eg_status (*wait)(eg_storage *store, eg_request *rq, int64_t since, int64_t deadline, int64_t *seq);

    /* At most args->limit jobs that are due, not leased and not dead-lettered, of any workspace. A
     * lease that is over counts as a failed attempt; EG_MAX_ATTEMPTS failures dead-letter a job.
     * The owner's own jobs come first, and EG_JOB_REEMBED after all other kinds. Each gets token
     * and lease_until. Durable enough to survive a crash of the process, not a power loss. What can
     * only be from before the clock was set back holds nothing up: a lease is over that ends more
     * than twice lease_time ahead, a job is due whose not_before lies more than EG_MAX_JOB_PAUSE
     * ahead, and older than any grace when its created_at does. */
    eg_status (*lease)(eg_storage *store, eg_request *rq, const eg_lease_args *args, eg_job **out, size_t *n);
    /* query_hits + 1 for each; may be lost in a power failure. */
    eg_status (*count_hits)(eg_storage *store, eg_request *rq, const eg_id *ids, size_t n);

    /* For tests: the store's clock stands still at this time (microseconds UTC). EG_EUNSUPPORTED
     * unless the store was opened with EG_STORAGE_FOR_TESTS. */
    eg_status (*set_clock)(eg_storage *store, eg_request *rq, int64_t clock);

    /* Every workspace of the store that was ever written, in the byte order of their names: as soon
     * as the sum of their last seqs is another one than `sum`, whichever process wrote, or at the
     * deadline, as wait(). */
    eg_status (*workspaces)(eg_storage *store, eg_request *rq, int64_t sum, int64_t deadline, eg_workspace_row **out, size_t *n);

    /* Moves everything of the request's workspace into another one, or removes it, in one
     * transaction; afterwards the name is free. EG_ENOENT: there is no such workspace. May be NULL.
     * Moved: ids and windows stay; seqs follow those of `to`, in their order; an agent of both has
     * the commits of both; a setting of `to` stands. Where `to` had changes before, each current,
     * durable fact that came gets a job EG_JOB_DETECT. The audit chain ends with a row
     * "workspace_left"; that of `to` goes on with "workspace_joined", {"from": NAME}. audit() of
     * `to` gives the moved rows too, under the name they were written under, and audit_verify()
     * checks both chains. Removed: of the audit chain stay the rows without their payloads, ended
     * by "workspace_removed". */
    eg_status (*edit_workspace)(eg_storage *store, eg_request *rq, const eg_workspace_edit *edit, eg_workspace_edited *out);

    /* Reads the whole store, of all workspaces, and looks for damage. EG_OK: it is whole;
     * EG_EFORMAT says what is not. Takes long; EG_ECANCELLED when the request is cancelled
     * meanwhile. flags: eg_storage_check_flag. NULL: this backend leaves it to its server. */
    eg_status (*check)(eg_storage *store, eg_request *rq, uint32_t flags);

    /* For a store whose last change lies ahead of the clock: what happened later than now happened
     * now, lifetimes keep their length, and so the store's time goes on from here. Audit rows stay
     * as they are; each workspace that has some from the future gets one that tells of this. *rows:
     * the facts that were changed. NULL: the time of this backend is its server's. */
    eg_status (*repair_time)(eg_storage *store, eg_request *rq, uint64_t *rows);

    /* Ids of facts or conflicts from `first` to `last`, compared bytewise, both included: at most
     * limit, in that order. NULL: this backend finds ids by their ends only. */
    eg_status (*ids_between)(eg_storage *store, eg_request *rq, eg_id first, eg_id last, eg_id *out, size_t limit, size_t *n);

    /* What happened, the latest first. NULL: this backend cannot tell. */
    eg_status (*events)(eg_storage *store, eg_request *rq, const eg_events_args *args, eg_event **out, size_t *n);

    /* Leaves no byte of what was erased or removed in the files of the store: free pages, logs, the
     * copies that upgrades left. EG_EBUSY: others use the store; try again. Takes long. NULL: only
     * an administrator of this backend's server can do that. */
    eg_status (*purge)(eg_storage *store, eg_request *rq, eg_purged *out);

    /* The links whose later fact is one of these, in their order. May be NULL: links are left out
     * of exports then. */
    eg_status (*links)(eg_storage *store, eg_request *rq, const eg_id *facts, size_t count, eg_link_row **out, size_t *n);

    /* The store as it is now, to be read with page, parts, conflicts, links, audit, stats and
     * now as if nobody wrote any more; writing to it is refused. For one thread; close() ends
     * it, before the store is closed. Not to be kept: the store's log grows meanwhile. NULL:
     * this backend tells several reads nothing of each other. */
    eg_status (*snapshot)(eg_storage *store, eg_request *rq, eg_storage **out);
} eg_storage_ops;

/* Sizes of version 1.0. A struct that crosses by pointer may grow at its end in a later minor; one
 * that crosses in arrays is frozen. */
#define EG_FILTER_SIZE_1_0 88
#define EG_PARTS_ARGS_SIZE_1_0 72
#define EG_CONFLICT_FILTER_SIZE_1_0 96
#define EG_LEASE_ARGS_SIZE_1_0 80
#define EG_NEW_FACT_SIZE_1_0 560
#define EG_CHANGE_SET_SIZE_1_0 104
#define EG_STORAGE_OPEN_ARGS_SIZE_1_0 56
#define EG_STORAGE_OPS_SIZE_1_0 200
EG_SIZE_FROZEN(eg_filter, EG_FILTER_SIZE_1_0);
EG_SIZE_FROZEN(eg_parts_args, EG_PARTS_ARGS_SIZE_1_0);
EG_SIZE_FROZEN(eg_conflict_filter, EG_CONFLICT_FILTER_SIZE_1_0);
EG_SIZE_FROZEN(eg_lease_args, EG_LEASE_ARGS_SIZE_1_0);
EG_SIZE_FROZEN(eg_new_fact, EG_NEW_FACT_SIZE_1_0);
EG_SIZE_FROZEN(eg_change_set, EG_CHANGE_SET_SIZE_1_0);
EG_SIZE_FROZEN(eg_storage_open_args, EG_STORAGE_OPEN_ARGS_SIZE_1_0);
#define EG_WORKSPACE_EDIT_SIZE_1_0 72
EG_SIZE_GROWN(eg_storage_ops, EG_STORAGE_OPS_SIZE_1_0, edit_workspace);
EG_SIZE_FROZEN(eg_workspace_edit, EG_WORKSPACE_EDIT_SIZE_1_0);
EG_SIZE_FROZEN(eg_workspace_edited, 32);
#define EG_EVENTS_ARGS_SIZE_1_0 136
EG_SIZE_FROZEN(eg_event, 56);
EG_SIZE_FROZEN(eg_events_args, EG_EVENTS_ARGS_SIZE_1_0);
EG_SIZE_FROZEN(eg_change, 136);
EG_SIZE_FROZEN(eg_precondition, 72);
EG_SIZE_FROZEN(eg_fact_parts, 592);
EG_SIZE_FROZEN(eg_job, 184);
EG_SIZE_FROZEN(eg_search, 96);
EG_SIZE_FROZEN(eg_audit_row, 200);
EG_SIZE_FROZEN(eg_scored, 32);
EG_SIZE_FROZEN(eg_journal_row, 72);
EG_SIZE_FROZEN(eg_window_change, 48);
EG_SIZE_FROZEN(eg_feedback_row, 32);
EG_SIZE_FROZEN(eg_link_row, 48);
EG_SIZE_FROZEN(eg_purged, 32);
EG_SIZE_FROZEN(eg_workspace_row, 48);

#endif
