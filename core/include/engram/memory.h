/* memory.h - the memory as toolsets and front ends see it: commit, query, conflicts, resolve,
 * check, undo. Arguments are checked here and nowhere else; every refusal names the argument.
 * EG_EAUTH when the role of rq->who lacks what a call needs: EG_NEEDS_WRITE for commit, feedback,
 * judge, promote, pin, archive and restore, EG_NEEDS_RESOLVE for resolve and undo, EG_NEEDS_ADMIN
 * for work, escalate, reembed, workspaces, edit_workspace, import_memory and erase, EG_NEEDS_READ
 * for the others. Structs of arguments grow like tables (see plugin.h); results and what stands in
 * arrays keep their size for all of ABI major 1: a later minor gives names to reserved bytes.
 * Results live as long as the request. Thread class: worker; may block. */
#ifndef ENGRAM_MEMORY_H
#define ENGRAM_MEMORY_H

#include "storage.h"

#define EG_COMMIT_ARGS_SIZE_1_0 152
typedef enum eg_commit_flag {
    EG_COMMIT_EXACT = 1 /* corrects_lineage names the very fact that is corrected: EG_EINVAL, naming
                         * the current version, where it is none any more */
} eg_commit_flag;
typedef struct eg_commit_args {
    uint32_t size, flags; /* sizeof(eg_commit_args) of the caller; eg_commit_flag */
    eg_str content;
    eg_str scope;      /* empty: "general" */
    double confidence; /* 0..1 */
    eg_str agent_id, engineer, provenance, artifact_hash;
    uint32_t fact_type, operation, durability;
    uint32_t ttl_days;       /* 0: none */
    eg_str corrects_lineage; /* id or unique suffix; empty: none */
    int32_t wait_ms;         /* how long to wait for the verdict; -1: the default */
    /* What the content claims, in the author's words, each so that it stands alone: at most
     * EG_MAX_STATEMENTS of at most EG_MAX_STATEMENT bytes. Every number and identifier of them must
     * stand in the content, and each must share words with it. NULL: none. */
    const eg_str *statements;
    size_t statement_count;
    eg_str reason; /* why the fact of corrects_lineage is closed: kept in the audit log, and with
                    * the conflicts that end with it; empty: none */
} eg_commit_args;
EG_SIZE_GROWN(eg_commit_args, EG_COMMIT_ARGS_SIZE_1_0, statements);
#define EG_COMMIT_DEFAULTS \
    { .size = sizeof(eg_commit_args), .confidence = 0.8, .wait_ms = -1 }

/* A conflict with both facts. */
typedef struct eg_conflict_view {
    eg_conflict conflict;
    eg_fact a, b;
    /* Of a suspected conflict: the statement of each fact that was compared, as its author gave it
     * with the commit; empty: the words of the content were compared. */
    eg_str stated_a, stated_b;
} eg_conflict_view;

/* Another current fact that a commit was compared with, and what came of it where that is no
 * contradiction. */
typedef struct eg_related {
    eg_id fact, lineage;
    uint32_t outcome;     /* EG_OUTCOME_UPDATE: the new text itself says that it replaces that fact,
                           * which is still current; _CORROBORATION: another agent says the same;
                           * _BOTH_VALID: both hold, each in its own context */
    uint32_t reserved;    /* 0 */
    eg_str agent_id, why; /* its author; a sentence that names what agrees or what differs */
} eg_related;
EG_SIZE_FROZEN(eg_related, 72);

typedef struct eg_receipt {
    eg_fact fact;                  /* the stored fact, the existing one of a duplicate, or the
                                    * deleted one; id none for "none" */
    uint32_t duplicate, operation; /* operation: what was done (an update without a match is an add;
                                    * a duplicate is none, or an update when it closed the fact that
                                    * it corrects, or keeps the known one longer) */
    uint32_t detection_done;       /* 1: decided; 0: queued, or dead-lettered after failures */
    eg_conflict_view *conflicts;   /* open conflicts of the fact found so far */
    size_t conflict_count;
    int64_t undo_id;             /* 0: nothing that undo could take back */
    eg_conflict_view *suspected; /* pairs that the caller is asked about: see eg_memory_ops.judge */
    size_t suspected_count;
    eg_str warning;      /* it is stored, but this could not be read for the rest; empty: all was */
    eg_related *related; /* found while the commit waited: updates first, then who says the same */
    size_t related_count;
    /* Of an update that named no lineage and was added because no fact is surely the one that it
     * replaces: the nearest current fact, of whatever scope; NULL: none is near. */
    const eg_fact *nearest;
    uint64_t reserved[3]; /* 0 */
} eg_receipt;

typedef enum eg_query_flag {
    EG_QUERY_PREFER_SCOPE = 1 /* facts of other scopes are found too, behind equal ones of `scope`
                               * and those below it */
} eg_query_flag;

#define EG_QUERY_ARGS_SIZE_1_0 88
typedef struct eg_query_args {
    uint32_t size, flags;          /* sizeof(eg_query_args) of the caller; eg_query_flag */
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
    double relevance; /* 0..1: the share of facts that match a topic so well that are about it */
    eg_str why;       /* "words 0.93, meaning 0.71; decision; has evidence" */
    eg_id *open_conflicts;
    size_t open_conflict_count;
    eg_id *suspected; /* conflicts that nobody has judged yet */
    size_t suspected_count;
    uint64_t reserved[2]; /* 0 */
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
    eg_str resolution, winning_fact_id; /* why; the fact that is true, needed by winner */
    eg_str merged_content;              /* the fact that replaces both, needed by merge */
    eg_str agent_id;
} eg_resolve_args;
EG_SIZE_FROZEN(eg_resolve_args, EG_RESOLVE_ARGS_SIZE_1_0);

typedef struct eg_resolved {
    eg_conflict conflict;
    eg_fact *closed; /* facts whose window was closed */
    size_t closed_count;
    eg_fact merged;                /* of a merge; id none otherwise */
    size_t other_conflicts_closed; /* further open conflicts of the closed facts, resolved with
                                    * them */
    int64_t undo_id;               /* 0: it was settled so already */
    eg_str warning;                /* as in eg_receipt */
    uint64_t reserved[2];          /* 0 */
} eg_resolved;

#define EG_JUDGE_ARGS_SIZE_1_0 64
typedef struct eg_judge_args {
    uint32_t size, flags; /* sizeof(eg_judge_args) of the caller, 0 */
    eg_str conflict_id;   /* of a suspected conflict: id or unique suffix */
    uint32_t verdict;     /* eg_judgement */
    eg_str reason;        /* one sentence; with the verdict contradiction it becomes the conflict's
                           * explanation */
    eg_str agent_id;
} eg_judge_args;
EG_SIZE_FROZEN(eg_judge_args, EG_JUDGE_ARGS_SIZE_1_0);

/* The last answer that somebody gave about a pair and that still stands: a settled conflict, a
 * judged review, or feedback about a reported conflict. */
typedef enum eg_answer_verdict {
    EG_ANSWER_CONTRADICTION = 0,
    EG_ANSWER_UPDATE,
    EG_ANSWER_BOTH_VALID,
    EG_ANSWER_SAME,
    EG_ANSWER_UNRELATED,
    EG_ANSWER_NOT_CONTRADICTION /* dismissed or a false positive: nobody said why */
} eg_answer_verdict;
#define EG_ANSWER_VERDICT_WORDS \
    { "contradiction", "update", "both_valid", "same", "unrelated", "not_contradiction" }
typedef struct eg_answer {
    eg_conflict_view view;
    eg_str statement_a, statement_b; /* of both facts: those that the conflict is about */
    int64_t judged_at;
    eg_str judged_by;       /* the agent, or the name of the escalator */
    uint32_t verdict;       /* eg_answer_verdict */
    uint32_t was_suspected; /* 1: the answer to a review; 0: about a reported conflict */
    eg_str asked;           /* how the front end asked (eg_request.asked); empty: it did not */
    uint64_t reserved[2];   /* 0 */
} eg_answer;

typedef struct eg_undone {
    eg_str action;     /* what was undone: "commit", "resolve" ... */
    eg_fact *restored; /* new rows of the same lineage */
    size_t restored_count;
    eg_fact *closed;
    size_t closed_count;
    int64_t undo_id;      /* undoes the undo; 0: that cannot be undone (it only opened a conflict
                           * again: settle that again) */
    eg_str warning;       /* as in eg_receipt: restored or closed lack some facts */
    uint64_t reserved[2]; /* 0 */
} eg_undone;

/* A statement is there for the others: it is compared with those that are not, but with no other
 * such one and not with the store. */
#define EG_CHECK_CONTEXT 1ull
/* A statement to check that is in no store. */
typedef struct eg_check_item {
    eg_str content, scope;
    eg_str file; /* where it stands, for messages; may be empty */
    uint32_t line;
    uint64_t flags;    /* EG_CHECK_CONTEXT */
    uint32_t kind;     /* eg_statement_kind */
    uint32_t reserved; /* 0 */
    eg_str alone;      /* the statement so that it stands by itself; empty: its own words do */
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
typedef enum eg_check_flag {
    EG_CHECK_JUDGE = 1,       /* ask the escalators about pairs whose score is too low to be
                               * reported and high enough to suspect a contradiction; EG_EINVAL
                               * when there is none */
    EG_CHECK_KEEP_VECTORS = 2 /* keep the vectors of the statements in the cache folder for the next
                               * run: for files, which are there as well */
} eg_check_flag;
#define EG_CHECK_ARGS_SIZE_1_0 32
typedef struct eg_check_args {
    uint32_t size, flags; /* sizeof(eg_check_args) of the caller; eg_check_flag */
    const eg_check_item *items;
    size_t item_count;
    uint32_t against_store; /* 1: also compare with the current facts of the workspace */
} eg_check_args;
EG_SIZE_FROZEN(eg_check_args, EG_CHECK_ARGS_SIZE_1_0);
typedef struct eg_checked {
    eg_check_finding *findings; /* by item, then other */
    size_t count;
    size_t statements, pairs;  /* given; read */
    uint32_t without_nli;      /* 1: there was no NLI model, so only the rules ran */
    eg_str problem;            /* what kept a detector from examining statements; empty: nothing */
    uint32_t judged, unjudged; /* EG_CHECK_JUDGE: suspected pairs that an escalator judged, and
                                * those that none did */
    uint64_t reserved[1];      /* 0 */
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
    uint64_t facts_to_embed;  /* facts of the workspace without vectors of the embedding model */
    eg_str notice;            /* what the person should know about the settings; empty: nothing */
    eg_str settings;          /* those that are not the default, with their sources: "scope = a
                               * (/home/me/app/.engram.conf:1); threads = 2 (ENGRAM_THREADS)" */
    eg_str writing_problem;   /* why nothing is stored, with what to do; empty: writing works */
    int64_t store_checked_at; /* when the whole store was last looked at for damage; 0: never */
    eg_str store_problem;     /* what was found then; empty: nothing */
    uint64_t reserved[4];     /* 0 */
} eg_memory_status;

EG_SIZE_FROZEN(eg_conflict_view, 1184);
EG_SIZE_FROZEN(eg_receipt, 568);
EG_SIZE_FROZEN(eg_hit, 520);
EG_SIZE_FROZEN(eg_hits, 56);
EG_SIZE_FROZEN(eg_resolved, 768);
EG_SIZE_FROZEN(eg_answer, 1280);
EG_SIZE_FROZEN(eg_undone, 88);
EG_SIZE_FROZEN(eg_check_item, 88);
EG_SIZE_FROZEN(eg_check_finding, 552);
EG_SIZE_FROZEN(eg_checked, 72);
EG_SIZE_FROZEN(eg_memory_status, 384);

/* A workspace of the store. */
typedef struct eg_workspace_view {
    eg_str name;
    uint64_t facts, current_facts, conflicts_open;
    int64_t changed_at; /* its last change; 0: not known */
    uint64_t reserved[4];
} eg_workspace_view;
EG_SIZE_FROZEN(eg_workspace_view, 80);

typedef enum eg_edit_flag { EG_EDIT_MERGE = 1 /* there may be a workspace `to` already */ } eg_edit_flag;
#define EG_EDIT_WORKSPACE_ARGS_SIZE_1_0 40
typedef struct eg_edit_workspace_args {
    uint32_t size, flags; /* sizeof(eg_edit_workspace_args) of the caller; eg_edit_flag */
    eg_str name;
    eg_str to; /* its new name, or the one that it goes into; empty: it is removed */
} eg_edit_workspace_args;
EG_SIZE_FROZEN(eg_edit_workspace_args, EG_EDIT_WORKSPACE_ARGS_SIZE_1_0);

typedef struct eg_workspace_moved {
    uint64_t facts; /* that were moved or removed */
    uint64_t equal; /* of a merge: that said what another fact of their scope says, and were
                     * closed */
    uint64_t reserved[2];
} eg_workspace_moved;
EG_SIZE_FROZEN(eg_workspace_moved, 32);

/* The statements of one fact. */
typedef struct eg_statement_list {
    eg_statement *rows; /* in the order of the content */
    size_t count;       /* 0: there is no such fact */
} eg_statement_list;
EG_SIZE_FROZEN(eg_statement_list, 16);

/* ---- the life of a fact ---- */

typedef enum eg_list_flag { EG_LIST_ALL = 1 /* also facts that were closed or have expired */ } eg_list_flag;
#define EG_LIST_ARGS_SIZE_1_0 80
typedef struct eg_list_args {
    uint32_t size, flags;   /* sizeof(eg_list_args) of the caller; eg_list_flag */
    eg_str scope, agent_id; /* empty: all; scope "/": all */
    int64_t as_of;          /* what was known then; 0: now */
    int64_t since;          /* committed then or later; 0: at any time */
    int64_t ends_within;    /* microseconds: only facts whose time to live ends within them from now
                             * on, the soonest first; 0: all */
    int64_t cursor;         /* of the listing that this one continues; 0: from the newest */
    int32_t fact_type;      /* -1: any */
    uint32_t limit;         /* 0: 50 */
} eg_list_args;
EG_SIZE_FROZEN(eg_list_args, EG_LIST_ARGS_SIZE_1_0);
#define EG_LIST_DEFAULTS \
    { .size = sizeof(eg_list_args), .fact_type = -1 }
typedef struct eg_listing {
    eg_fact *facts; /* ephemeral ones too */
    size_t count;
    int64_t cursor;       /* for the next ones; 0: these are all, or the last ones */
    uint64_t reserved[5]; /* 0 */
} eg_listing;
EG_SIZE_FROZEN(eg_listing, 64);

#define EG_TIMELINE_ARGS_SIZE_1_0 64
typedef struct eg_timeline_args {
    uint32_t size, flags; /* sizeof(eg_timeline_args) of the caller, 0 */
    eg_str scope;         /* empty or "/": all */
    int64_t since, until; /* both included; 0: from the beginning, up to now */
    eg_str cursor;        /* of the timeline that this one continues; empty: from the latest */
    uint32_t limit;       /* 0: 50 */
    uint32_t reserved;
} eg_timeline_args;
EG_SIZE_FROZEN(eg_timeline_args, EG_TIMELINE_ARGS_SIZE_1_0);
/* What happened at a time. */
typedef struct eg_moment {
    int64_t time;
    uint32_t kind; /* eg_event_kind */
    uint32_t reserved0;
    const eg_fact *fact;              /* as it is now; NULL: it is about a conflict */
    const eg_fact *before;            /* of a fact that was stored: the version that it replaced, or
                                       * that it brings back; NULL: none */
    const eg_conflict_view *conflict; /* as it is now; NULL: it is about a fact */
    uint64_t reserved[3];             /* 0 */
} eg_moment;
typedef struct eg_timeline {
    eg_moment *moments; /* the latest first */
    size_t count;
    eg_str cursor;        /* for what was before; empty: this is all */
    uint64_t reserved[4]; /* 0 */
} eg_timeline;
EG_SIZE_FROZEN(eg_moment, 64);
EG_SIZE_FROZEN(eg_timeline, 64);

/* A lineage whose current version is another one at the end of a time than at its beginning. */
typedef struct eg_fact_change {
    const eg_fact *before; /* NULL: there was none, it was added */
    const eg_fact *after;  /* NULL: there is none, it was closed or has expired */
    uint64_t reserved[2];  /* 0 */
} eg_fact_change;
typedef struct eg_diff {
    eg_fact_change *changes; /* the latest first */
    size_t count;
    uint64_t reserved[6]; /* 0 */
} eg_diff;
EG_SIZE_FROZEN(eg_fact_change, 32);
EG_SIZE_FROZEN(eg_diff, 64);

/* What is exported: facts with their history, or in Markdown the current ones. */
typedef enum eg_export_flag {
    EG_EXPORT_ALL = 1,     /* ephemeral facts too */
    EG_EXPORT_MARKDOWN = 2 /* for people: current facts by scope */
} eg_export_flag;
#define EG_EXPORT_ARGS_SIZE_1_0 24
typedef struct eg_export_args {
    uint32_t size, flags; /* sizeof(eg_export_args) of the caller; eg_export_flag */
    eg_str scope;         /* empty: all; else this scope and those below it */
} eg_export_args;
EG_SIZE_FROZEN(eg_export_args, EG_EXPORT_ARGS_SIZE_1_0);
typedef struct eg_exported {
    uint64_t facts, links, conflicts, answers;
    uint64_t reserved[4];
} eg_exported;
EG_SIZE_FROZEN(eg_exported, 64);

typedef enum eg_import_flag { EG_IMPORT_DRY_RUN = 1 /* checks everything, writes nothing */ } eg_import_flag;
#define EG_IMPORT_ARGS_SIZE_1_0 24
typedef struct eg_import_args {
    uint32_t size, flags; /* sizeof(eg_import_args) of the caller; eg_import_flag */
    eg_str text;          /* what export_memory wrote, in either form */
} eg_import_args;
EG_SIZE_FROZEN(eg_import_args, EG_IMPORT_ARGS_SIZE_1_0);
typedef struct eg_imported {
    uint64_t facts, links, conflicts, answers; /* that were not there before */
    /* facts that were there, by their id */
    uint64_t known;
    /* facts left out, since another current one of the scope says the same; what the file says of
     * them is taken for that one */
    uint64_t equal;
    /* of `facts`: those whose lineage has another current fact here, and that became a lineage of
     * their own */
    uint64_t apart;
    /* of `known`: those that were current here, and are closed in the file: they were closed */
    uint64_t closed;
    /* facts that are compared with those of the store in the background */
    uint64_t to_compare;
    uint64_t reserved[3];
} eg_imported;
EG_SIZE_FROZEN(eg_imported, 96);

typedef enum eg_erase_flag {
    EG_ERASE_HARD = 1,   /* also from the bytes of the files: see eg_storage_ops.purge */
    EG_ERASE_DRY_RUN = 2 /* tells what would be erased, writes nothing */
} eg_erase_flag;
#define EG_ERASE_ARGS_SIZE_1_0 56
typedef struct eg_erase_args {
    uint32_t size, flags; /* sizeof(eg_erase_args) of the caller; eg_erase_flag */
    eg_str fact_id;       /* id or unique suffix: that fact, and all others with the same text */
    eg_str scope;         /* else: the facts of this scope and those below it, "/" for all, ... */
    eg_str agent_id;      /* ... that are of this agent: closed and expired ones too */
} eg_erase_args;
EG_SIZE_FROZEN(eg_erase_args, EG_ERASE_ARGS_SIZE_1_0);
enum { EG_ERASED_EXAMPLES = 10 };
typedef struct eg_erased {
    uint64_t facts, conflicts_ended;
    eg_fact *examples; /* the first of them, as they were */
    uint32_t example_count;
    uint32_t purged;         /* 1: no file of the store has a trace of what was erased */
    uint64_t copies_removed; /* of the store from before upgrades */
    uint64_t reserved[4];
} eg_erased;
EG_SIZE_FROZEN(eg_erased, 72);

/* What the provenance of a fact cites ("src/auth.c:42"), compared with the repository here. */
typedef struct eg_citation_view {
    uint32_t state;       /* 0: it cites no file, 1: not known, 2: as it was, 3: moved to the line
                           * `found`, 4: the file is gone, 5: the lines have changed */
    uint32_t line, found; /* the first line cited; where it stands now */
    uint32_t reserved0;
    eg_str path, stale;   /* stale: what is wrong, of the states 4 and 5; else empty */
    uint64_t reserved[2]; /* 0 */
} eg_citation_view;
EG_SIZE_FROZEN(eg_citation_view, 64);

/* What in a memory wants to be looked at. */
typedef enum eg_audit_kind {
    EG_AUDIT_NEAR_DUPLICATE = 0, /* two current facts; `other` is the earlier, `detail` its text */
    EG_AUDIT_NEVER_READ,         /* no query found it in 30 days */
    EG_AUDIT_STALE,              /* see eg_citation_view */
    EG_AUDIT_UNSOURCED,          /* without provenance */
    EG_AUDIT_OPEN_CONFLICT,      /* for more than 14 days; `id` is the conflict's */
    EG_AUDIT_EXPIRED_NAMED,      /* its time ran out; `other`: the conflict or fact that names it */
    EG_AUDIT_KINDS
} eg_audit_kind;
enum { EG_AUDIT_EXAMPLES = 5 };
typedef struct eg_audit_example {
    eg_id id, other;
    eg_str text, detail;
} eg_audit_example;
EG_SIZE_FROZEN(eg_audit_example, 64);
typedef struct eg_audit_finding {
    uint32_t kind, example_count; /* eg_audit_kind */
    uint64_t count;
    eg_str what, advice; /* a name such as "never_read"; what to do */
    eg_audit_example *examples;
    uint64_t reserved[2]; /* 0 */
} eg_audit_finding;
EG_SIZE_FROZEN(eg_audit_finding, 72);
typedef struct eg_audited {
    eg_audit_finding *findings; /* one a kind, also of those that found nothing */
    size_t count;
    uint64_t facts;       /* current ones that were looked at */
    uint64_t compared;    /* with all others, for near duplicates: as many as 10 seconds allow */
    uint64_t reserved[4]; /* 0 */
} eg_audited;
EG_SIZE_FROZEN(eg_audited, 64);

/* A number about a memory: how many things of `name` there are in `group`, such as facts by_scope.
 */
typedef struct eg_figure {
    eg_str group, name;
    uint64_t count;
    uint64_t reserved[1]; /* 0 */
} eg_figure;
EG_SIZE_FROZEN(eg_figure, 48);

typedef struct eg_memory eg_memory;

typedef struct eg_memory_ops {
    uint32_t size;
    eg_status (*commit)(eg_memory *m, eg_request *rq, const eg_commit_args *args, eg_receipt *out);
    eg_status (*query)(eg_memory *m, eg_request *rq, const eg_query_args *args, eg_hits *out);
    /* status: eg_conflict_status, or -1 for all but suspected ones; newest and most severe
     * first. */
    eg_status (*conflicts)(eg_memory *m, eg_request *rq, eg_str scope, int32_t status, uint32_t limit, eg_conflict_view **out,
                           size_t *n);
    eg_status (*resolve)(eg_memory *m, eg_request *rq, const eg_resolve_args *args, eg_resolved *out);
    /* Tells the request's progress, in statements. One that says word for word what an earlier
     * one of its scope says is not examined again and has no findings. */
    eg_status (*check)(eg_memory *m, eg_request *rq, const eg_check_args *args, eg_checked *out);
    eg_status (*feedback)(eg_memory *m, eg_request *rq, eg_str conflict_id, int true_positive);
    eg_status (*undo)(eg_memory *m, eg_request *rq, int64_t undo_id, eg_undone *out);
    eg_status (*promote)(eg_memory *m, eg_request *rq, eg_str fact_id, eg_fact *out);
    eg_status (*lineage)(eg_memory *m, eg_request *rq, eg_str lineage_id, eg_fact **out, size_t *n);
    eg_status (*status)(eg_memory *m, eg_request *rq, eg_memory_status *out);
    /* Works on due detection jobs in the calling thread until none is left or the request's
     * deadline; *left: jobs that still wait in the store; left may be NULL: counting reads much. */
    eg_status (*work)(eg_memory *m, eg_request *rq, size_t *done, size_t *left);
    /* Makes vectors of the active model for facts of the workspace that have none, in the
     * calling thread, until none is left or the request's deadline, which is looked at after
     * each small batch. *left: how many still wait. */
    eg_status (*reembed)(eg_memory *m, eg_request *rq, uint64_t *left);
    /* One conflict by its id or unique suffix, with both facts. history: all facts of their
     * lineages in order of commit, the two among them. */
    eg_status (*conflict)(eg_memory *m, eg_request *rq, eg_str conflict_id, eg_conflict_view *out, eg_fact **history, size_t *n);
    /* Answers the question about a suspected conflict. What `out` says is as of resolve; undo takes
     * it back, and the conflict is suspected again. EG_EINVAL for a conflict that is not
     * suspected any more. */
    eg_status (*judge)(eg_memory *m, eg_request *rq, const eg_judge_args *args, eg_resolved *out);
    /* Calls each(self, answer) for every answer of the workspace that stands, the oldest first. An
     * answer lives until `each` returns; a status other than EG_OK ends the reading and is
     * returned. */
    eg_status (*answers)(eg_memory *m, eg_request *rq, eg_status (*each)(void *self, const eg_answer *answer), void *self);
    /* The statements of n facts as they are stored, a list for each. */
    eg_status (*statements)(eg_memory *m, eg_request *rq, const eg_id *facts, size_t n, eg_statement_list *out);
    /* Asks the escalators about suspected conflicts that wait for it, in the calling thread, until
     * none is due or the request's deadline. An answer is written as by judge, in the name of the
     * escalator. *done: how many jobs ended. `work` leaves these jobs alone. */
    eg_status (*escalate)(eg_memory *m, eg_request *rq, size_t *done);
    /* All workspaces of the store, in the order of their names. */
    eg_status (*workspaces)(eg_memory *m, eg_request *rq, eg_workspace_view **out, size_t *n);
    /* Renames, merges or removes a workspace: see eg_storage_ops.edit_workspace. After a merge no
     * text stands twice in a scope: of equal facts one stays, with their conflicts. Where that
     * fails, out->facts is not 0, and they have moved. EG_ECONFLICT: `to` is there already, and
     * EG_EDIT_MERGE is not set. */
    eg_status (*edit_workspace)(eg_memory *m, eg_request *rq, const eg_edit_workspace_args *args, eg_workspace_moved *out);
    /* The facts of the workspace, the newest first. */
    eg_status (*list)(eg_memory *m, eg_request *rq, const eg_list_args *args, eg_listing *out);
    /* The conflicts of n facts, open and ended ones, each once; not those that are only
     * suspected. */
    eg_status (*conflicts_about)(eg_memory *m, eg_request *rq, const eg_id *facts, size_t n, eg_conflict_view **out,
                                 size_t *count);
    /* What was committed, changed and closed, which conflicts were found and settled. */
    eg_status (*timeline)(eg_memory *m, eg_request *rq, const eg_timeline_args *args, eg_timeline *out);
    /* What became of the current facts of a scope between two times: the net effect of the timeline
     * from `from`, not included, up to `to` (0: now). */
    eg_status (*diff)(eg_memory *m, eg_request *rq, eg_str scope, int64_t from, int64_t to, eg_diff *out);
    /* Pins a current fact, or ends that (pinned 0). A pinned fact has no end any more, which stays
     * so when it is no longer pinned. */
    eg_status (*pin)(eg_memory *m, eg_request *rq, eg_str fact_id, int pinned, eg_fact *out);
    /* Closes a current fact with EG_CLOSE_ARCHIVED; reason as in eg_commit_args. */
    eg_status (*archive)(eg_memory *m, eg_request *rq, eg_str fact_id, eg_str reason, eg_undone *out);
    /* Brings back a fact that was closed or has expired, as a new row of its lineage; its time to
     * live, if it had one, begins anew. EG_EINVAL: it, another version of it or an equal fact is
     * current. */
    eg_status (*restore)(eg_memory *m, eg_request *rq, eg_str fact_id, eg_undone *out);
    /* Calls each(self, text) with one piece after the other of the workspace as text; a status
     * other than EG_OK ends it and is returned. The form is described in docs/keeping.md. */
    eg_status (*export_memory)(eg_memory *m, eg_request *rq, const eg_export_args *args,
                               eg_status (*each)(void *self, eg_str text), void *self, eg_exported *out);
    /* Stores what was exported, in one transaction, with its ids, times and windows. What is there
     * already stays as it is. EG_EINVAL and others name the line of the first record that cannot be
     * taken; then nothing is written. */
    eg_status (*import_memory)(eg_memory *m, eg_request *rq, const eg_import_args *args, eg_imported *out);
    /* Takes the texts of facts away for good, with what was derived from them and the explanations
     * of their conflicts. Without EG_ERASE_HARD the bytes may stay in free pages and logs. An error
     * after the facts were erased says so. */
    eg_status (*erase)(eg_memory *m, eg_request *rq, const eg_erase_args *args, eg_erased *out);
    /* Looks at the files that n facts cite, of the repository that this process works in: at most 8
     * MiB of them in all, so ask for what is shown only. out: a view for each. */
    eg_status (*citations)(eg_memory *m, eg_request *rq, const eg_fact *const *facts, size_t n, eg_citation_view *out);
    /* Looks through all facts of the workspace. Writes nothing. */
    eg_status (*audit)(eg_memory *m, eg_request *rq, eg_audited *out);
    /* The workspace in numbers, group by group, the largest numbers of a group first; of names 20 a
     * group, and what is left. */
    eg_status (*figures)(eg_memory *m, eg_request *rq, eg_figure **out, size_t *n);
} eg_memory_ops;

#endif
