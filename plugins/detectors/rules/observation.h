/* observation.h - what the rules see about a pair of facts: one finding, before it is reported.
 * Made by compare_facts.c, put into words by explain.c. */
#ifndef EG_DETECTORS_OBSERVATION_H
#define EG_DETECTORS_OBSERVATION_H

#include "align.h"

typedef struct observation {
    eg_outcome outcome;
    align_class class;
    int weak;    /* 1: too few words identify the thing to take it for one in another scope */
    int general; /* 1: one says something about all things of a kind, the other breaks it */
    double score;
    eg_span a, b; /* of the subject's and of the candidate's content */
    eg_str explanation;
} observation;

#endif
