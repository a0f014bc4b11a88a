/* fixture.h - a memory over the real SQLite backend and the real deterministic detectors, with a
 * clock that the test moves and embeddings of hashed words (deterministic, and near for texts
 * with common words). */
#ifndef EG_TEST_MEMORY_FIXTURE_H
#define EG_TEST_MEMORY_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
/* cmocka wants the headers above first */
#include <cmocka.h>

#include "core/base/clock.h"
#include "core/memory/ids.h"
#include "core/memory/memory.h"
#include "tests/support/registrar.h"

typedef struct fixture {
    eg_services services;
    eg_memory *memory;
    const eg_memory_ops *ops;
    eg_storage *storage;
    eg_detector_slot detectors[TEST_MAX_DETECTORS + 1]; /* those of the plugins, and the stand-in */
    eg_request *rq;                                     /* of the test itself */
    char folder[64];
    int64_t now;
    int with_model;
    const char *model; /* its id */
    int damaged;       /* its files are there, but it does not open */
    int opened;        /* how often it was asked for */
    size_t embedded;   /* texts so far */
    /* a stand-in for the NLI tier: a contradiction of this score between facts whose contents or
     * given statements both hold `word` */
    double nli_score;
    const char *nli_word;
    /* Of the service nli: two texts that both hold this contradict each other. NULL: there is no
     * model. */
    const char *contradicts;
    double threshold;          /* of tier1_nli */
    double review, per_commit; /* tier1_nli_review, reviews_per_commit; 0: not set */
    int nli_asked;             /* how often */
    int counts_vectors;        /* set: it counts the vectors of a case, by whether they are right */
    size_t vectors, wrong_vectors;
    eg_finding earlier;          /* what earlier detectors found about the last candidate; size 0:
                                  * nothing */
    eg_span asked[2];            /* it asks for the neighbour margins of these parts of both ... */
    eg_margin margins;           /* ... and was told these of the last pair; -1: nothing */
    eg_status told;              /* the status of the answer */
    int asking;                  /* just now */
    int wrong_candidate;         /* it asks for one that is not in the case */
    const eg_case *another_case; /* it asks about a case that it was not given */
    int naps;                    /* the stand-in waits twice its budget before it looks */
    int greedy;                  /* it takes all memory that it gets and fails for want of more */
    int embed_greedy;            /* so does the embedding model */
    size_t memory_limit;         /* of one request, in bytes; 0: no limit */
    int wakes;                   /* of a worker that there is not */
} fixture;

void fixture_open(fixture *f, int with_model);
void fixture_close(fixture *f);
/* A request in another workspace than "local"; f->services.request_release ends it. */
eg_request *request_in(fixture *f, const char *workspace);
/* As in a new process: nothing is remembered of the facts that have vectors already. */
void forget(fixture *f);

/* A request of another workspace, principal (NULL: the test) or cancellation; ended by
 * services.request_release. */
eg_request *fixture_request(fixture *f, const char *workspace, const eg_principal *who, eg_cancel cancel);

#define WITH(f, model) \
    fixture f;         \
    fixture_open(&f, model)

/* Commits and asserts that it worked. */
eg_receipt commit_as(fixture *f, const char *agent, const char *scope, const char *content);
eg_receipt commit_args(fixture *f, eg_commit_args args);
eg_hits query(fixture *f, const char *topic);
size_t open_conflicts(fixture *f, eg_conflict_view **out);

/* Does all jobs that are due, and asserts that none is left. */
void work(fixture *f);

/* The arguments that settle a conflict, a winner given or not; ids holds their texts. */
typedef struct settling_ids {
    char conflict[EG_ID_TEXT], winner[EG_ID_TEXT];
} settling_ids;
eg_resolve_args settling(settling_ids *ids, eg_id conflict, eg_resolution how, eg_id winner);

/* Calls that are expected to work. */
eg_resolved settle(fixture *f, eg_id conflict, eg_resolution how, eg_id winner);
eg_undone undo(fixture *f, int64_t undo_id);
void refuses_undo(fixture *f, int64_t undo_id, const char *why);
eg_receipt correct(fixture *f, eg_fact fact, eg_operation operation, const char *content);
size_t current_of(fixture *f, eg_id lineage);
/* A fact of "auth" that ends after so many days; 0: never. */
eg_receipt commit_for(fixture *f, const char *agent, uint32_t ttl_days, const char *content);

#endif
