/* judge.h - all that the deterministic detectors find out about two facts: by place (align.h) and by claims
 * with the same subject, attribute and qualifiers. Each detector takes the observations of its tier. Thread
 * class: worker. */
#ifndef EG_DETECTORS_JUDGE_H
#define EG_DETECTORS_JUDGE_H

#include "align.h"
#include "scope.h"

typedef struct observation {
    eg_outcome outcome;
    align_class class;
    int weak; /* 1: too little names the thing for it to be the same one in another scope */
    double score;
    eg_span a, b; /* of the subject's and of the candidate's content */
    eg_str explanation;
} observation;

typedef struct judge judge; /* the subject of a case, read once */

/* Reads the case's subject. EG_ENOMEM. */
eg_status judge_create(eg_request *rq, const eg_case_fact *subject, judge **out);
/* The strongest observation about the candidate: a contradiction before an update before others. *found 0:
 * none. */
eg_status judge_candidate(judge *j, const eg_case_fact *candidate, observation *out, int *found);

#endif
