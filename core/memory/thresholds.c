/* thresholds.c - see thresholds.h. */
#include "core/memory/thresholds.h"

enum { MIN_FEEDBACK = 10 };

eg_status eg_feedback_shift(eg_memory *m, eg_request *rq, eg_str tier, double *shift) {
    uint64_t confirmed = 0, false_alarms = 0;
    *shift = 0;
    if (!m->env.storage_ops) return EG_OK;
    eg_status s = STORE(m, feedback, rq, rq->workspace, tier, &confirmed, &false_alarms);
    uint64_t all = confirmed + false_alarms;
    if (s != EG_OK || all < MIN_FEEDBACK) return s;
    double moved = 0.25 * ((double)false_alarms / (double)all - 0.1); /* more than one false alarm in ten: stricter */
    *shift = moved > 0.1 ? 0.1 : moved;
    return EG_OK;
}

eg_status eg_least_score(eg_memory *m, eg_request *rq, eg_thresholds *t, eg_str tier, double *least) {
    if (tier.len >= MAX_TIER_NAME) tier.len = MAX_TIER_NAME - 1; /* as a setting's name it is cut */
    for (size_t i = 0; i < t->count; i++) {
        *least = t->tiers[i].least;
        if (eg_str_eq(eg_str_of(t->tiers[i].name), tier)) return EG_OK;
    }
    char name[MAX_TIER_NAME];
    snprintf(name, sizeof name, "%.*s", (int)tier.len, tier.ptr);
    double base = SERVICES(m)->threshold(m->env.host, name, 0), shift = 0;
    eg_status s = base > 0 ? eg_feedback_shift(m, rq, tier, &shift) : EG_OK;
    *least = base + shift;
    if (s == EG_OK && t->count < MAX_TIERS) {
        memcpy(t->tiers[t->count].name, name, sizeof name);
        t->tiers[t->count++].least = *least;
    }
    return s;
}
