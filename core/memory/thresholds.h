/* thresholds.h - the least score of each tier, as people's feedback moved it. */
#ifndef EG_MEMORY_THRESHOLDS_H
#define EG_MEMORY_THRESHOLDS_H

#include "core/memory/state.h"

enum { MAX_TIERS = 32, MAX_TIER_NAME = 64 };

/* The feedback of one job or check, read once: all its pairs are judged alike. Zeroed at first. */
typedef struct eg_thresholds {
    int read;
    size_t count;
    struct {
        char tier[MAX_TIER_NAME];
        double shift;
    } moved[MAX_TIERS];
} eg_thresholds;

/* The least score with which a contradiction of this tier counts: the one beside the model or in
 * the configuration, moved by the workspace's feedback; 0: all count. After ten verdicts of
 * people a threshold moves up by at most 0.1 or down by at most 0.025. */
eg_status eg_least_score(eg_memory *m, eg_request *rq, eg_thresholds *t, eg_str tier, double *least);

#endif
