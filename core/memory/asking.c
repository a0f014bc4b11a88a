/* asking.c - see asking.h. The limit is a probability and moves by its log-odds, up with each
 * question and down with each commit, so that it settles where the share of commits with a question
 * is the one that is wanted. */
#include "core/memory/asking.h"

#include <math.h>
#include <stdlib.h>

#define TIER EG_STR("tier1_nli") /* the only one whose scores are probabilities */
#define SETTING EG_STR("review_limit")
#define STEP 0.5     /* log-odds for one question more or less than wanted */
#define HIGHEST 0.95 /* the limit never rises above it: what is nearly sure is always asked about */

double eg_least_doubt(eg_memory *m, eg_str tier) {
    char name[80];
    snprintf(name, sizeof name, "%.*s_review", (int)(tier.len < 60 ? tier.len : 60), tier.ptr);
    return SERVICES(m)->threshold(m->env.host, name, 2);
}

static double wanted(eg_memory *m) { return SERVICES(m)->threshold(m->env.host, "reviews_per_commit", 0.5); }
static int asks(eg_memory *m) { return wanted(m) > 0 && eg_least_doubt(m, TIER) < 1; }

static double limit_of(eg_memory *m, const eg_asking *a) {
    double least = eg_least_doubt(m, TIER);
    return a->moved > least ? a->moved : least;
}

eg_status eg_asking_read(eg_memory *m, eg_request *rq, eg_asking *a) {
    eg_str value = {0};
    *a = (eg_asking){0};
    if (!asks(m)) return EG_OK;
    eg_status s = STORE(m, setting, rq, SETTING, &value);
    if (s == EG_ENOENT) {
        *rq->err = (eg_error){0};
        return EG_OK;
    }
    char text[32];
    snprintf(text, sizeof text, "%.*s", (int)(value.len < 31 ? value.len : 31), value.ptr ? value.ptr : "");
    a->moved = strtod(text, NULL);
    if (!(a->moved > 0 && a->moved < 1)) a->moved = 0;
    return s;
}

int eg_asking_wants(eg_memory *m, const eg_asking *a, eg_str tier, double score) {
    return asks(m) && eg_str_eq(tier, TIER) && score >= limit_of(m, a);
}

void eg_asking_move(eg_memory *m, const eg_asking *a, size_t asked, eg_draft *d) {
    if (!asks(m)) return;
    double least = eg_least_doubt(m, TIER), before = limit_of(m, a);
    double odds = before / (1 - before) * exp(STEP * ((double)asked - wanted(m))), now = odds / (1 + odds);
    if (now < least) now = least;
    if (now > HIGHEST) now = HIGHEST;
    if (fabs(now - before) < 1e-4) return;
    eg_change *c = eg_draft_add(d, EG_CHANGE_SETTING);
    c->setting.key = SETTING;
    c->setting.value = eg_request_printf(d->rq, "%.4f", now);
    if (!c->setting.value.ptr) d->failed = 1;
}
