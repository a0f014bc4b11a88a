/* memory.h - the memory as toolsets and front ends see it: commit, query, conflicts, resolve,
 * check, undo. Arguments are checked here and nowhere else; every refusal names the argument. Each
 * call needs the role that core/memory names for it (EG_EAUTH). Structs of arguments grow like
 * tables (see plugin.h); results and what stands in arrays keep their size for all of ABI major 1:
 * a later minor gives names to reserved bytes. Results live as long as the request. Thread class:
 * worker; may block. */
#ifndef ENGRAM_MEMORY_H
#define ENGRAM_MEMORY_H

#include "storage.h"

#define EG_COMMIT_ARGS_SIZE_1_0 152
typedef struct eg_commit_args {
    uint32_t size, flags; /* sizeof(eg_commit_args) of the caller, 0 */
    eg_str content;
    eg_str scope;      /* empty: "general" */
    double confidence; /* 0..1 */
    eg_str agent_id, engineer, provenance, artifact_hash;
    uint32_t fact_type, operation, durability;
    uint32_t ttl_days;       /* 0: none */
    eg_str corrects_lineage; /* id or unique suffix; empty: none */
    int32_t wait_ms;         /* how long to wait for the verdict; -1: the default */
} eg_commit_args;
EG_SIZE_FROZEN(eg_commit_args, EG_COMMIT_ARGS_SIZE_1_0);
#define EG_COMMIT_DEFAULTS \
    { .size = sizeof(eg_commit_args), .confidence = 0.8, .wait_ms = -1 }

/* A conflict with both facts. */
typedef struct eg_conflict_view {
    eg_conflict conflict;
    eg_fact a, b;
    uint64_t reserved[4]; /* 0 */
} eg_conflict_view;

typedef struct eg_receipt {
    /* the stored fact, or the existing one of a duplicate, or the closed one of a delete; id none
     * for "none" */
    eg_fact fact;
    uint32_t duplicate, operation; /* operation: what was done (an update without a match is an add;
                                    * a duplicate is none, or an update when it closed the fact that
                                    * it corrects, or keeps the known one longer) */
    uint32_t detection_done;       /* 1: decided; 0: queued, or dead-lettered after failures */
    eg_conflict_view *conflicts;   /* open conflicts of the fact found so far */
    size_t conflict_count;
    int64_t undo_id;       /* 0: nothing that undo could take back */
    uint64_t reserved[10]; /* 0 */
} eg_receipt;

#define EG_QUERY_ARGS_SIZE_1_0 88
typedef struct eg_query_args {
    uint32_t size, flags;          /* sizeof(eg_query_args) of the caller, 0 */
    eg_str topic, scope, agent_id; /* scope and agent_id: empty: all; scope "/": all */
    uint32_t limit;                /* 0: 10 */
    int64_t as_of;                 /* 0: now */
    int32_t fact_type;             /* -1: any */
    uint32_t include_ephemeral, include_history;
} eg_query_args;
EG_SIZE_FROZEN(eg_query_args, EG_QUERY_ARGS_SIZE_1_0);
#define EG_QUERY_DEFAULTS \
    { .size = sizeof(eg_query_args), .fact_type = -1 }

typedef struct eg_hit {
    eg_fact fact;
    double relevance; /* 0..1 */
    eg_str why;       /* "words 0.93, meaning 0.71; decision, verified" */
    eg_id *open_conflicts;
    size_t open_conflict_count;
    uint64_t reserved[4]; /* 0 */
} eg_hit;

typedef struct eg_hits {
    eg_hit *hits;
    size_t count;
    uint32_t text_only;   /* 1: no embedding model was there */
    uint32_t topic_cut;   /* 1: the topic was longer than EG_MAX_TOPIC */
    uint64_t reserved[4]; /* 0 */
} eg_hits;

#define EG_RESOLVE_ARGS_SIZE_1_0 96
typedef struct eg_resolve_args {
    uint32_t size, flags; /* sizeof(eg_resolve_args) of the caller, 0 */
    eg_str conflict_id;   /* id or unique suffix */
    uint32_t resolution_type;
    eg_str resolution, winning_fact_id, merged_content;
    eg_str agent_id;
} eg_resolve_args;
EG_SIZE_FROZEN(eg_resolve_args, EG_RESOLVE_ARGS_SIZE_1_0);

typedef struct eg_resolved {
    eg_conflict conflict;
    eg_fact *closed; /* facts whose window was closed */
    size_t closed_count;
    eg_fact merged;                /* of a merge; id none otherwise */
    size_t other_conflicts_closed; /* open conflicts of the closed facts that ended with them */
    int64_t undo_id;               /* 0: it was settled so already */
    uint64_t reserved[4];          /* 0 */
} eg_resolved;

typedef struct eg_undone {
    eg_str action;     /* what was undone: "commit", "resolve" ... */
    eg_fact *restored; /* new rows of the same lineage */
    size_t restored_count;
    eg_fact *closed;
    size_t closed_count;
    int64_t undo_id;      /* undoes the undo; 0: that cannot be undone (it only opened a conflict
                           * again: settle that again) */
    uint64_t reserved[4]; /* 0 */
} eg_undone;

/* A statement to check that is in no store. */
typedef struct eg_check_item {
    eg_str content, scope;
    eg_str file; /* where it stands, for messages; may be empty */
    uint32_t line;
    uint64_t reserved[4]; /* 0 */
} eg_check_item;
typedef struct eg_check_finding {
    uint32_t item;  /* index of the later statement */
    uint32_t other; /* index of the earlier one; UINT32_MAX: it is a stored fact */
    eg_fact fact;   /* when other is UINT32_MAX */
    uint32_t severity;
    double score;
    eg_str tier, explanation;
    eg_span span_item, span_other;
    uint64_t reserved[4]; /* 0 */
} eg_check_finding;
#define EG_CHECK_ARGS_SIZE_1_0 32
typedef struct eg_check_args {
    uint32_t size, flags; /* sizeof(eg_check_args) of the caller, 0 */
    const eg_check_item *items;
    size_t item_count;
    uint32_t against_store; /* 1: also compare with the current facts of the workspace */
} eg_check_args;
EG_SIZE_FROZEN(eg_check_args, EG_CHECK_ARGS_SIZE_1_0);
typedef struct eg_checked {
    eg_check_finding *findings; /* by item, then other */
    size_t count;
    size_t statements, pairs; /* given; read */
    uint32_t without_nli;     /* 1: no NLI model was there: only the deterministic tiers ran */
    uint64_t reserved[4];     /* 0 */
} eg_checked;

typedef struct eg_memory_status {
    eg_store_stats store;
    eg_str status;                 /* "ready" */
    eg_str mode;                   /* "local" or "team" */
    eg_str storage;                /* "sqlite" */
    eg_str workspace_why;          /* "--workspace", "git remote ..." */
    eg_str embed_model, nli_model; /* folder, or empty with the reason in the next fields */
    eg_str embed_problem, nli_problem;
    eg_str version;
    uint64_t facts_to_embed; /* facts of the workspace that have no vectors of the embedding model
                              * yet */
    uint64_t reserved[13];   /* 0 */
} eg_memory_status;

EG_SIZE_FROZEN(eg_conflict_view, 1184);
EG_SIZE_FROZEN(eg_receipt, 568);
EG_SIZE_FROZEN(eg_hit, 520);
EG_SIZE_FROZEN(eg_hits, 56);
EG_SIZE_FROZEN(eg_resolved, 768);
EG_SIZE_FROZEN(eg_undone, 88);
EG_SIZE_FROZEN(eg_check_item, 88);
EG_SIZE_FROZEN(eg_check_finding, 552);
EG_SIZE_FROZEN(eg_checked, 72);
EG_SIZE_FROZEN(eg_memory_status, 384);

typedef struct eg_memory eg_memory;

typedef struct eg_memory_ops {
    uint32_t size;
    eg_status (*commit)(eg_memory *m, eg_request *rq, const eg_commit_args *args, eg_receipt *out);
    eg_status (*query)(eg_memory *m, eg_request *rq, const eg_query_args *args, eg_hits *out);
    /* status: eg_conflict_status or -1 for all; newest and most severe first. */
    eg_status (*conflicts)(eg_memory *m, eg_request *rq, eg_str scope, int32_t status, uint32_t limit, eg_conflict_view **out,
                           size_t *n);
    eg_status (*resolve)(eg_memory *m, eg_request *rq, const eg_resolve_args *args, eg_resolved *out);
    /* Tells the request's progress, in statements. One that says word for word what an earlier one
     * of its scope says is not examined again and has no findings. */
    eg_status (*check)(eg_memory *m, eg_request *rq, const eg_check_args *args, eg_checked *out);
    eg_status (*feedback)(eg_memory *m, eg_request *rq, eg_str conflict_id, int true_positive);
    eg_status (*undo)(eg_memory *m, eg_request *rq, int64_t undo_id, eg_undone *out);
    eg_status (*promote)(eg_memory *m, eg_request *rq, eg_str fact_id, eg_fact *out);
    eg_status (*lineage)(eg_memory *m, eg_request *rq, eg_str lineage_id, eg_fact **out, size_t *n);
    eg_status (*status)(eg_memory *m, eg_request *rq, eg_memory_status *out);
    /* Works on due detection jobs in the calling thread until none is left or the request's
     * deadline; *left: jobs that still wait in the store; left may be NULL: counting reads much. */
    eg_status (*work)(eg_memory *m, eg_request *rq, size_t *done, size_t *left);
    /* Makes vectors of the active model for facts of the workspace that have none, in the calling
     * thread, until none is left or the request's deadline, which is looked at after each small
     * batch. *left: how many still wait. */
    eg_status (*reembed)(eg_memory *m, eg_request *rq, uint64_t *left);
    /* One conflict by its id or unique suffix, with both facts. history: all facts of their
     * lineages in order of commit, the two among them. */
    eg_status (*conflict)(eg_memory *m, eg_request *rq, eg_str conflict_id, eg_conflict_view *out, eg_fact **history, size_t *n);
} eg_memory_ops;

#endif
