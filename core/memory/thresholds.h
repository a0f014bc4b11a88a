/* thresholds.h - the least score of each tier, as people's feedback moved it. */
#ifndef EG_MEMORY_THRESHOLDS_H
#define EG_MEMORY_THRESHOLDS_H

#include "core/memory/state.h"

enum { MAX_TIERS = 32, MAX_TIER_NAME = 64 };

/* The least scores of one job or check: each tier is asked for once, so that all its pairs are judged alike. */
typedef struct eg_thresholds {
    struct {
        char name[MAX_TIER_NAME];
        double least;
    } tiers[MAX_TIERS];
    size_t count;
} eg_thresholds;

/* The least score with which a contradiction of this tier counts: the one beside the model or in the configuration, moved by
 * the workspace's feedback; 0: all count. t: zeroed at first. */
eg_status eg_least_score(eg_memory *m, eg_request *rq, eg_thresholds *t, eg_str tier, double *least);
/* How far feedback moves a tier's threshold: 0 before ten verdicts; then up by at most 0.1 or down by at most 0.025. */
eg_status eg_feedback_shift(eg_memory *m, eg_request *rq, eg_str tier, double *shift);

#endif
