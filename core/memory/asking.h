/* asking.h - which suspected contradictions somebody is asked about. A pair is asked about when its
 * score is below what counts as a contradiction and not below a limit that moves, so that a
 * workspace is asked about as often, for each commit, as the setting detection.reviews_per_commit
 * says; never below the limit that came with the model ("TIER_review" beside the weights). */
#ifndef EG_MEMORY_ASKING_H
#define EG_MEMORY_ASKING_H

#include "core/memory/changes.h"

enum { EG_MAX_ASKED = 2 /* questions about one fact */ };

typedef struct eg_asking {
    double moved; /* the workspace's limit, as it was read; 0: it never moved */
} eg_asking;

/* The least score of a pair of this tier that is worth a question; above 1 where none is. */
double eg_least_doubt(eg_memory *m, eg_str tier);
/* Reads the workspace's limit. */
eg_status eg_asking_read(eg_memory *m, eg_request *rq, eg_asking *a);
/* 1 when a pair of this tier and score is asked about now. */
int eg_asking_wants(eg_memory *m, const eg_asking *a, eg_str tier, double score);
/* Moves the limit after one commit with so many questions; part of the draft where it changes. */
void eg_asking_move(eg_memory *m, const eg_asking *a, size_t asked, eg_draft *d);

#endif
