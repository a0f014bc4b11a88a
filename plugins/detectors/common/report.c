/* report.c - see report.h. */
#include "report.h"

static int is_cancelled(const eg_request *rq) { return eg_cancel_is_set(&rq->cancel); }

eg_status report_case(eg_request *rq, const eg_case *c, tier_of tier, eg_status (*add)(void *sink, const eg_finding *finding),
                      void *sink) {
    judge *j;
    eg_status status = judge_create(rq, c->subject, &j);
    for (uint32_t i = 0; i < c->candidate_count && status == EG_OK; i++) {
        if (is_cancelled(rq)) return eg_request_fail(rq, EG_ECANCELLED, "detection was cancelled");
        observation o;
        int found;
        status = judge_candidate(j, c->candidates[i], &o, &found);
        if (status != EG_OK || !found) continue;
        int elsewhere = scopes_differ(c->subject->fact, c->candidates[i]->fact);
        if (elsewhere && o.weak) continue;
        const char *name = tier(&o, elsewhere);
        if (!name) continue;
        eg_finding f = {.size = sizeof f,
                        .candidate = i,
                        .outcome = o.outcome,
                        .severity = c->candidates[i]->same_agent ? EG_SEVERITY_MEDIUM : EG_SEVERITY_HIGH,
                        .score = o.score,
                        .span_subject = o.a,
                        .span_candidate = o.b,
                        .tier = eg_str_of(name),
                        .explanation = o.explanation};
        status = add(sink, &f);
    }
    return status;
}
