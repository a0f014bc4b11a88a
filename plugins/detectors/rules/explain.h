/* explain.h - what the rules found about two facts, and that as one sentence for a person: the two
 * values or the two claims, in the words of the facts, the earlier fact first. Called by
 * compare_facts.c. Thread class: any; memory is the request's. */
#ifndef EG_DETECTORS_EXPLAIN_H
#define EG_DETECTORS_EXPLAIN_H

#include "align.h"

/* What the rules found about two facts. */
typedef struct observation {
    eg_outcome outcome;
    align_class class;
    int weak;    /* 1: too few words identify the thing to take it for one in another scope */
    int general; /* 1: one says something about all things of a kind, the other breaks it */
    double score;
    eg_span a, b; /* of the subject's and of the candidate's content */
    eg_str explanation;
} observation;

/* What separates two facts that can both be true. */
typedef struct separation {
    const char *what;    /* "the context differs"; NULL: that */
    eg_str ours, theirs; /* the words that show it; empty: that fact has none */
} separation;

/* The words at a span, at most 60 bytes of them. */
eg_str explain_words(const eg_case_fact *f, eg_span at);
/* The sentence about an observation whose words stand in that statement of the subject. No text:
 * no memory. */
eg_str explain_observation(eg_request *rq, const eg_case_fact *subject, uint32_t statement, const eg_case_fact *candidate,
                           const observation *o, const separation *why);

#endif
