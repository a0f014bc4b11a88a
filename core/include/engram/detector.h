/* detector.h - the contract of a detector: it gets a whole case (a new fact and the facts it may disagree with)
 * and adds findings. This header, plugin.h and what they include are all that a detector needs. */
#ifndef ENGRAM_DETECTOR_H
#define ENGRAM_DETECTOR_H

#include "request.h"

typedef enum eg_found_by { /* how a candidate came into the case; bits */
                           EG_FOUND_VECTOR = 1,
                           EG_FOUND_TEXT = 2,
                           EG_FOUND_CLAIM = 4,      /* shares a claim's subject or attribute, same scope tree */
                           EG_FOUND_CROSS_SCOPE = 8 /* is in another scope tree */
} eg_found_by;

typedef struct eg_case_fact {
    const eg_fact *fact;
    const eg_span *statements;
    size_t statement_count;
    const eg_claim *claims;
    size_t claim_count;
    double cosine;     /* to the case's subject, best of the statements; 0 without a model */
    uint32_t found_by; /* eg_found_by bits; 0 for the subject */
    uint32_t same_agent;
} eg_case_fact;

typedef struct eg_case {
    uint32_t size; /* sizeof(eg_case) of the host */
    uint32_t candidate_count;
    const eg_case_fact *subject; /* the fact that was just committed */
    const eg_case_fact *const *candidates;
    /* Since ABI 0.5. How crowded it is around two texts, one of the subject and one of a candidate: gaps[0] says by how much
     * another fact is nearer to the subject's text than the candidate's is (by cosine of the embedding model; 0 where none is),
     * gaps[1] the same for the candidate's text. What contradicts each other mostly is what is nearest to each other. What says
     * nearly the same as one of the two (a cosine of 0.9 or more to it: a copy, a paraphrase) is no other fact. spans: bytes of
     * the contents; empty: the whole. rq: the detector's. EG_EUNAVAILABLE without an embedding model. NULL where it cannot be
     * told. */
    eg_status (*crowding)(const struct eg_case *c, eg_request *rq, uint32_t candidate, eg_span of_subject, eg_span of_candidate,
                          double gaps[2]);
    void *place; /* the host's, for crowding */
} eg_case;

typedef enum eg_outcome {
    EG_OUTCOME_CONTRADICTION = 0,
    EG_OUTCOME_UPDATE,        /* the text itself says that it replaces the other */
    EG_OUTCOME_CORROBORATION, /* says the same */
    EG_OUTCOME_BOTH_VALID,    /* looks alike, but another environment, time, component ... */
    EG_OUTCOME_UNRELATED
} eg_outcome;

typedef struct eg_finding {
    uint32_t size;                        /* sizeof(eg_finding) of the detector */
    uint32_t candidate;                   /* index into the case's candidates */
    uint32_t outcome;                     /* eg_outcome */
    uint32_t severity;                    /* eg_severity, of a contradiction */
    double score;                         /* 0 to 1: how sure */
    eg_span span_subject, span_candidate; /* bytes of the two contents that disagree; empty: the whole */
    eg_str tier;                          /* empty: "plugin:NAME" */
    eg_str explanation;                   /* one sentence for a person; copied by the host */
} eg_finding;

struct eg_services;

typedef struct eg_detector {
    uint32_t size;
    uint32_t order;     /* tiers run in ascending order: 0 exact, 20 numeric, 25 cross-scope, 100 NLI, 1000 plugins */
    uint32_t budget_ms; /* CPU time of its thread for one case; who overruns it repeatedly is left out for the run */
    uint32_t reserved;
    const char *name, *version;
    /* Looks at the case and calls add(sink, finding) for what it finds, any number of times. Thread class:
     * worker; may be called from several threads at once; may not block on anything but services. Everything in
     * the case lives until examine returns; so does the request's memory, which is this call's own. A status other
     * than EG_OK counts as an error of the detector. */
    eg_status (*examine)(void *self, const struct eg_services *services, eg_request *rq, const eg_case *c,
                         eg_status (*add)(void *sink, const eg_finding *finding), void *sink);
} eg_detector;

#endif
