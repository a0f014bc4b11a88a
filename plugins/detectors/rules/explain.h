/* explain.h - what the rules found about two facts, as one sentence for a person: the two values
 * or the two claims, in the words of the facts, the earlier fact first. Called by compare_facts.c.
 * Thread class: any; memory is the request's. */
#ifndef EG_DETECTORS_EXPLAIN_H
#define EG_DETECTORS_EXPLAIN_H

#include "observation.h"

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
