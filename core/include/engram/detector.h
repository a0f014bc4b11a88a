/* detector.h - the contract of detectors and escalators.
 *
 * A detector gets a whole case (a new fact and the facts that it may contradict) and adds findings.
 * An escalator judges one pair of texts that the detectors left open, usually by asking something
 * slow outside the process. This header, plugin.h and what they include are all that either
 * needs. */
#ifndef ENGRAM_DETECTOR_H
#define ENGRAM_DETECTOR_H

#include "request.h"

typedef enum eg_found_by { /* how a candidate came into the case; bits */
                           EG_FOUND_VECTOR = 1,
                           EG_FOUND_TEXT = 2,
                           EG_FOUND_CLAIM = 4,       /* same claim subject or attribute and scope
                                                      * tree */
                           EG_FOUND_CROSS_SCOPE = 8, /* is in another scope tree */
                           EG_FOUND_IN_DOCUMENT = 16 /* a statement of the documents that the
                                                      * subject comes from, no stored fact */
} eg_found_by;

/* Frozen for all of ABI major 1, like every struct that crosses in arrays: a later minor gives
 * names to reserved bytes. */
typedef struct eg_case_fact {
    const eg_fact *fact;
    const eg_span *statements;
    size_t statement_count;
    const eg_claim *claims;
    size_t claim_count;
    double cosine;               /* to the case's subject, best of the statements; 0 without a
                                  * model */
    uint32_t found_by;           /* eg_found_by bits; 0 for the subject */
    uint32_t same_agent;         /* 1: the subject's author committed this one too */
    const eg_statement *details; /* of the statements, statement_count of them; NULL: nothing more
                                  * is known */
    /* The vectors of the embedding model (eg_services.embed_size long): of the whole content, then
     * of each statement, 1 + statement_count of them, NULL where there is none. NULL: none at
     * all. */
    const float *const *vectors;
    uint64_t reserved[2]; /* 0 */
} eg_case_fact;
EG_SIZE_FROZEN(eg_case_fact, 88);

typedef struct eg_case {
    uint32_t size; /* sizeof(eg_case) of the host */
    uint32_t candidate_count;
    const eg_case_fact *subject; /* the fact that was just committed */
    const eg_case_fact *const *candidates;
} eg_case;

/* A question about two texts of a case: how near are other facts to them?
 * (eg_services.neighbour_margins) */
typedef struct eg_margin_question {
    uint32_t candidate;                   /* index into the case's candidates */
    uint32_t reserved;                    /* 0 */
    eg_span span_subject, span_candidate; /* bytes of the two contents; empty: the whole */
} eg_margin_question;
EG_SIZE_FROZEN(eg_margin_question, 24);

/* By how much the nearest other fact is nearer to a text than the other text of the pair is, as a
 * difference of cosines of the embedding model; 0 where no fact is. Facts that contradict each
 * other are usually each other's nearest neighbours, so a margin above 0 speaks against a
 * contradiction (local scaling of similarities, as in CSLS: Conneau et al. 2018, "Word Translation
 * Without Parallel Data", section 2.3). Facts whose cosine to the text is 0.9 or more are copies or
 * paraphrases and do not count. */
typedef struct eg_margin {
    double subject, candidate;
} eg_margin;
EG_SIZE_FROZEN(eg_margin, 16);

typedef enum eg_outcome {
    EG_OUTCOME_CONTRADICTION = 0,
    EG_OUTCOME_UPDATE,        /* the text itself says that it replaces the other */
    EG_OUTCOME_CORROBORATION, /* says the same */
    EG_OUTCOME_BOTH_VALID,    /* looks alike, but another environment, time, component ... */
    EG_OUTCOME_UNRELATED
} eg_outcome;

#define EG_FINDING_SIZE_1_0 72
typedef struct eg_finding {
    uint32_t size;                        /* sizeof(eg_finding) of the detector */
    uint32_t candidate;                   /* index into the case's candidates */
    uint32_t outcome;                     /* eg_outcome */
    uint32_t severity;                    /* eg_severity, of a contradiction */
    double score;                         /* 0 to 1: how sure */
    eg_span span_subject, span_candidate; /* bytes of both contents that disagree; empty: all */
    eg_str tier;                          /* empty: "plugin:NAME" */
    eg_str explanation;                   /* one sentence for a person; copied by the host */
} eg_finding;

struct eg_services;

typedef enum eg_detector_flags {
    EG_DETECTOR_DETERMINISTIC = 1,  /* decides by rules: its "both valid" and "the same" outweigh a
                                     * contradiction that any detector found between the same
                                     * words */
    EG_DETECTOR_WEIGHS_FINDINGS = 2 /* takes the findings of earlier detectors into account
                                     * (eg_services.earlier_findings), so they do not outweigh its
                                     * contradictions */
} eg_detector_flags;

#define EG_DETECTOR_SIZE_1_0 40
typedef struct eg_detector {
    uint32_t size;
    uint32_t flags; /* eg_detector_flags */
    uint32_t order; /* detectors run in ascending order. Usual: 0 exact, 20 numeric, 25 cross-scope,
                     * 100 models, 1000 others */
    /* CPU time of its thread for one case; who overruns it repeatedly is not asked again */
    uint32_t budget_ms;
    const char *name, *version;
    /* Looks at the case and calls add(sink, finding) for what it finds, any number of times. Thread
     * class: worker; may be called from several threads at once; may not block on anything but
     * services. Everything in the case lives until examine returns; so does the request's memory,
     * which is this call's own. A status other than EG_OK counts as an error of the detector. */
    eg_status (*examine)(void *self, const struct eg_services *services, eg_request *rq, const eg_case *c,
                         eg_status (*add)(void *sink, const eg_finding *finding), void *sink);
} eg_detector;
EG_SIZE_FROZEN(eg_finding, EG_FINDING_SIZE_1_0);
EG_SIZE_FROZEN(eg_detector, EG_DETECTOR_SIZE_1_0);

/* One of the two texts of a pair, as the host wrote it down for an escalator: the statement, and
 * what of its fact is needed to understand it. Frozen for all of ABI major 1. */
typedef struct eg_pair_side {
    eg_str text, scope;
    int64_t committed_at;
    uint64_t reserved[3]; /* 0 */
} eg_pair_side;
EG_SIZE_FROZEN(eg_pair_side, 64);

/* All that an escalator gets to see, so that nothing else can leave the process through it. */
typedef struct eg_pair_case {
    uint32_t size; /* sizeof(eg_pair_case) of the host */
    uint32_t flags;
    eg_pair_side sides[2]; /* the one committed first, the later one */
} eg_pair_case;

/* The host makes it, zeroed but for its size. */
#define EG_PAIR_VERDICT_SIZE_1_0 40
typedef struct eg_pair_verdict {
    uint32_t size;          /* sizeof(eg_pair_verdict) of the host */
    uint32_t outcome;       /* eg_outcome */
    uint32_t severity;      /* eg_severity, of a contradiction */
    uint32_t retry_after_s; /* with EG_ERATE: after how many seconds to ask again; 0: not known */
    double score;           /* 0 to 1: how sure */
    eg_str explanation;     /* one sentence for a person, in the request's memory */
} eg_pair_verdict;
EG_SIZE_FROZEN(eg_pair_verdict, EG_PAIR_VERDICT_SIZE_1_0);

#define EG_ESCALATOR_SIZE_1_0 48
typedef struct eg_escalator {
    uint32_t size;
    uint32_t flags;             /* 0 */
    uint32_t order;             /* escalators are asked in ascending order */
    uint32_t timeout_ms;        /* of one call, by the wall clock: the request's deadline. Not 0 */
    uint32_t max_calls_per_day; /* of all processes with this data folder, in UTC; 0: no limit */
    uint32_t reserved;          /* 0 */
    const char *name, *version;
    /* Judges one pair. Thread class: a thread of the host's for this, or that of a check; may block
     * until its deadline, and ends soon after it was cancelled. EG_EUNAVAILABLE when it is not set
     * up or cannot be reached: it is asked once more later. EG_ERATE when it was asked too often:
     * it is asked again after a pause. EG_EFORMAT and others: the answer makes no sense. Unless it
     * answers, the pair stays as the detectors left it. */
    eg_status (*judge)(void *self, const struct eg_services *services, eg_request *rq, const eg_pair_case *pair,
                       eg_pair_verdict *out);
} eg_escalator;
EG_SIZE_FROZEN(eg_escalator, EG_ESCALATOR_SIZE_1_0);

#endif
