/* internal.h - what the files of core/memory share: the memory object, ids, argument checks, derived parts of a
 * fact, cases and verdicts. Not for anybody outside this folder. */
#ifndef EG_MEMORY_INTERNAL_H
#define EG_MEMORY_INTERNAL_H

#include <pthread.h>

#include "core/base/json.h"
#include "core/memory/memory.h"
#include "core/text/text.h"

enum { HIT_QUEUE = 256, MAX_RETRIES = 8, MAX_VECTORS = 9 /* the whole and eight statements */ };

struct eg_memory {
    eg_memory_env env;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t job_done;
    eg_id hits[HIT_QUEUE]; /* query hits that are not counted in the store yet: a ring, the last ones of hit_count */
    size_t hit_count;
    uint32_t *overruns;  /* one a detector: errors and overruns in a row */
    int64_t embedded_to; /* all facts of this process's workspace up to this seq have vectors of the active model */
    int cannot_embed;    /* the active model cannot be opened here: no more is asked of it in the background */
};

/* Shorthands for the calls that every file makes. */
#define SERVICES(m) ((m)->env.services)
#define STORE(m, call, ...) ((m)->env.storage_ops->call((m)->env.storage, __VA_ARGS__))

/* The store's now, by which facts are current or not. When the store cannot be read the clock's: the next call tells why. */
static inline int64_t eg_now(eg_memory *m, eg_request *rq) {
    int64_t now;
    if (STORE(m, now, rq, &now) == EG_OK) return now;
    *rq->err = (eg_error){0};
    return SERVICES(m)->now(m->env.host);
}

/* Something was left for the worker: a job, or hits to count. */
static inline void eg_memory_wake(eg_memory *m) {
    if (m->env.wake) m->env.wake(m->env.host);
}

/* ---- ids.c ---- */
enum { EG_ID_TEXT = 37 };
void eg_id_format(eg_id id, char out[EG_ID_TEXT]);
/* 1 and *out when text is a UUID in its canonical form (any case). */
int eg_id_parse(eg_str text, eg_id *out);
/* An id given by a person: canonical, or at least 4 hex digits that end exactly one fact's or conflict's id of the
 * workspace. what: "fact_id" ..., for messages. EG_EINVAL, EG_ENOENT. */
eg_status eg_id_resolve(eg_memory *m, eg_request *rq, const char *what, eg_str text, eg_id *out);

/* ---- arguments.c ---- */
/* EG_EINVAL with the argument's name for invalid UTF-8, NUL bytes, blank where `needed`, or EG_ELIMIT over most bytes. */
eg_status eg_check_text(eg_request *rq, const char *name, eg_str s, size_t most, int needed);
/* The canonical form. An empty one (also "/") is "general", or, where a scope is a filter, stays empty: all. */
eg_status eg_check_scope(eg_request *rq, eg_str scope, int empty_is_all, eg_str *out);

/* ---- derive.c ---- */
/* What is computed from a fact's content before it is stored or judged. */
typedef struct eg_derived {
    eg_span *statements;
    size_t statement_count;
    eg_claim *claims;
    size_t claim_count;
    eg_term *terms;
    size_t term_count;
    eg_vector vectors[MAX_VECTORS];
    size_t vector_count; /* 0: no embedding model */
} eg_derived;
/* The text parts; arena: owns what they point to. */
eg_status eg_derive_text(eg_request *rq, eg_arena *arena, eg_str content, eg_str scope, eg_derived *out);
/* The vectors: the whole content and, when there are several statements, each of the first eight. Leaves
 * vector_count 0 when there is no model. */
eg_status eg_derive_vectors(eg_memory *m, eg_request *rq, eg_str content, eg_derived *d);
/* Makes the parts those of a row that is to be stored; d must live as long. */
void eg_derived_attach(const eg_derived *d, eg_new_fact *row);
/* SHA-256 of the normal form. */
eg_status eg_content_hash(eg_memory *m, eg_request *rq, eg_arena *arena, eg_str content, uint8_t out[32]);

/* ---- judge.c ---- */
typedef struct eg_verdict {
    uint32_t outcome; /* eg_outcome; EG_OUTCOME_UNRELATED when nothing was found */
    uint32_t severity;
    double score;
    eg_span span_subject, span_candidate;
    eg_str tier, detector, explanation;
} eg_verdict;
/* Where a case comes from: who answers the questions of its detectors (eg_services.neighbour_margins). */
struct eg_case_source {
    /* The texts are those of the questions, two each: of the subject, of the candidate. */
    eg_status (*margins)(struct eg_case_source *source, eg_request *rq, const eg_case *c, const eg_margin_question *questions,
                         const eg_str *texts, size_t n, eg_margin *out);
    eg_memory *m;
    const eg_case *asked; /* the case as the running detector sees it */
    eg_status failed;     /* the first error of the store: the verdicts of this case must not be kept */
};
/* Runs the detectors over the case in tier order and merges their findings: one verdict a candidate, in the
 * request's memory. A candidate that a deterministic tier decided is not shown to later tiers. source: NULL where nobody can
 * tell the neighbours. The error of the source, where it had one, is returned. */
eg_status eg_judge(eg_memory *m, eg_request *rq, const eg_case *c, eg_case_source *source, eg_verdict **out);

/* ---- candidates.c ---- */
/* The facts of the store that may disagree with the subject: by vector, text and claims, in any scope and of any
 * age, without the subject's own lineage and without pairs that are known or, before undo gave a fact a new id, were
 * dismissed or called both valid. c and what it points to lie in the
 * request's memory. */
eg_status eg_gather(eg_memory *m, eg_request *rq, const eg_fact *subject, const eg_derived *derived, eg_case *c);
/* Neighbours in the store, of a case that eg_gather made. */
eg_case_source eg_store_neighbours(eg_memory *m);
#define EG_COPY_COSINE 0.9 /* from this cosine on two texts are copies or paraphrases of each other */

/* ---- changes.c ---- */
/* A change set under construction, in the request's memory, bounded. */
typedef struct eg_draft {
    eg_request *rq;
    eg_precondition *preconditions;
    eg_change *changes;
    size_t precondition_count, precondition_capacity, change_count, change_capacity;
    int failed;
    int leaves_jobs; /* the worker is woken for them */
} eg_draft;
void eg_draft_begin(eg_draft *d, eg_request *rq);
/* Zeroed new rows; when memory is out a scratch row, and eg_draft_apply says so. */
eg_precondition *eg_draft_require(eg_draft *d, eg_precondition_kind kind);
eg_change *eg_draft_add(eg_draft *d, eg_change_kind kind);
eg_status eg_draft_apply(eg_draft *d, eg_memory *m, eg_applied *out);
/* Closes the fact (which must be current); its open conflicts end with it and say why. */
void eg_draft_close(eg_draft *d, const eg_fact *fact, eg_close_reason reason, const char *why);
void eg_draft_audit(eg_draft *d, const char *action, eg_id fact, eg_id other, eg_str payload);
void eg_draft_job(eg_draft *d, eg_memory *m, eg_job_kind kind, eg_id fact, int64_t not_before);

/* ---- detect.c ---- */
/* Works on jobs until fact has none left or the deadline (CLOCK_MONOTONIC microseconds); *done 1 when none is. */
eg_status eg_detect_now(eg_memory *m, eg_request *rq, eg_id fact, int64_t deadline, uint32_t *done);
eg_status eg_memory_work(eg_memory *m, eg_request *rq, size_t *done, size_t *left);

/* Ends the job in the draft, if its lease is still held. */
void eg_draft_finish(eg_draft *d, const eg_job *job);

/* ---- reembed.c ---- */
/* The active model without loading it; empty when there is none, or none that opens. */
eg_status eg_reembed_model(eg_memory *m, eg_request *rq, eg_str *model);
/* Leaves a job when facts of the workspace have no vectors of the active model and nobody is at it. Cheap when none is missing.
 */
eg_status eg_reembed_begin(eg_memory *m, eg_request *rq);
/* Runs such a job: the next facts, then another job while there may be more. */
eg_status eg_reembed_run(eg_memory *m, eg_request *rq, const eg_job *job);
eg_status eg_memory_reembed(eg_memory *m, eg_request *rq, uint64_t *left);
/* How many facts of the workspace wait; 0 without a model. */
eg_status eg_reembed_count(eg_memory *m, eg_request *rq, uint64_t *n);

/* ---- commit.c ---- */
/* EG_EREFUSED by the first gate that does not let this text become a fact. */
eg_status eg_pass_gates(eg_memory *m, eg_request *rq, const eg_commit_args *args);

/* ---- the rest of the table ---- */
eg_status eg_memory_commit(eg_memory *m, eg_request *rq, const eg_commit_args *args, eg_receipt *out);
eg_status eg_memory_query(eg_memory *m, eg_request *rq, const eg_query_args *args, eg_hits *out);
eg_status eg_memory_flush_hits(eg_memory *m, eg_request *rq);
eg_status eg_memory_conflict(eg_memory *m, eg_request *rq, eg_str conflict_id, eg_conflict_view *out, eg_fact **history,
                             size_t *n);
eg_status eg_memory_conflicts(eg_memory *m, eg_request *rq, eg_str scope, int32_t status, uint32_t limit, eg_conflict_view **out,
                              size_t *n);
eg_status eg_conflict_views(eg_memory *m, eg_request *rq, const eg_conflict *conflicts, size_t n, eg_conflict_view **out);
eg_status eg_memory_resolve(eg_memory *m, eg_request *rq, const eg_resolve_args *args, eg_resolved *out);
eg_status eg_memory_feedback(eg_memory *m, eg_request *rq, eg_str conflict_id, int true_positive);
/* How far feedback moved a tier's threshold in this workspace: -0.1 to +0.1. */
double eg_feedback_shift(eg_memory *m, eg_request *rq, eg_str tier);
eg_status eg_memory_check(eg_memory *m, eg_request *rq, const eg_check_args *args, eg_checked *out);
eg_status eg_memory_undo(eg_memory *m, eg_request *rq, int64_t undo_id, eg_undone *out);
eg_status eg_memory_promote(eg_memory *m, eg_request *rq, eg_str fact_id, eg_fact *out);
eg_status eg_memory_lineage(eg_memory *m, eg_request *rq, eg_str lineage_id, eg_fact **out, size_t *n);
eg_status eg_memory_status_of(eg_memory *m, eg_request *rq, eg_memory_status *out);

/* The fact (which must be current) stays until then, and no shorter than it would; an ephemeral one becomes durable, with a
 * detection job. */
void eg_draft_promote(eg_draft *d, eg_memory *m, const eg_fact *fact, int64_t until);

#endif
