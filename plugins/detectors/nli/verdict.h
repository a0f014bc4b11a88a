/* verdict.h - a case through the features and the trees: in stages, each of which knows more about
 * the pairs that the one before let pass. Called by nli.c, and by the program that writes rows for
 * the training. */
#ifndef EG_NLI_VERDICT_H
#define EG_NLI_VERDICT_H

#include "features.h"
#include "report.h"
#include "trees.h"

/* What is known in each: words, nearness and rules; the model with the candidate as premise, and
 * the neighbours; the model with the subject as premise. */
enum { STAGE_CHEAP = 0, STAGE_FORTH, STAGE_BACK, STAGES };

/* Told of the features of each pair at the end of each stage. */
typedef struct verdict_observer {
    void (*saw)(void *self, const case_view *v, const pair_view *p, int stage);
    void *self;
} verdict_observer;

typedef struct verdict {
    const trees *trees; /* NULL: every pair passes every stage, and nothing is reported */
    int stages;         /* that are gone through: STAGES, or less for who only looks */
    vector_cache *cache;
    const verdict_observer *observer; /* NULL: nobody looks */
} verdict;

/* EG_EUNAVAILABLE without an NLI model: what needs none was reported. */
eg_status verdict_examine(const verdict *how, const eg_services *services, const finding_sink *to);

#endif
