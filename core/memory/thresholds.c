/* thresholds.c - see thresholds.h. */
#include "core/memory/thresholds.h"

enum { MIN_FEEDBACK = 10 };

static double shift_of(const eg_feedback_row *row) {
    uint64_t all = row->confirmed + row->false_alarms;
    if (all < MIN_FEEDBACK) return 0;
    /* more than one false alarm in ten: stricter */
    double shift = 0.25 * ((double)row->false_alarms / (double)all - 0.1);
    return shift > 0.1 ? 0.1 : shift;
}

static eg_status read_feedback(eg_memory *m, eg_request *rq, eg_thresholds *t) {
    eg_feedback_row *rows = NULL;
    size_t n = 0;
    eg_status s = m->env.storage_ops ? STORE(m, feedback, rq, &rows, &n) : EG_OK;
    if (s != EG_OK) return s;
    t->read = 1;
    for (size_t i = 0; i < n && t->count < MAX_TIERS; i++) {
        double shift = shift_of(&rows[i]);
        if (shift == 0 || rows[i].tier.len >= MAX_TIER_NAME) continue;
        memcpy(t->moved[t->count].tier, rows[i].tier.ptr, rows[i].tier.len);
        t->moved[t->count++].shift = shift;
    }
    return EG_OK;
}

eg_status eg_least_score(eg_memory *m, eg_request *rq, eg_thresholds *t, eg_str tier, double *least) {
    char name[MAX_TIER_NAME];
    snprintf(name, sizeof name, "%.*s", (int)(tier.len < sizeof name ? tier.len : sizeof name - 1), tier.ptr);
    *least = SERVICES(m)->threshold(m->env.host, name, 0);
    eg_status s = *least > 0 && !t->read ? read_feedback(m, rq, t) : EG_OK;
    for (size_t i = 0; *least > 0 && i < t->count; i++) {
        if (eg_str_eq(eg_str_of(t->moved[i].tier), tier)) {
            *least += t->moved[i].shift;
            break;
        }
    }
    return s;
}
