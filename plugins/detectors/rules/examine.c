/* examine.c - see examine.h. */
#include "examine.h"

#include "../common/fact_context.h"
#include "compare_facts.h"

static int is_cancelled(const eg_request *rq) { return eg_cancel_is_set(&rq->cancel); }

static const char *tier_of(const observation *o, int scopes_are_apart) {
    if (scopes_are_apart && o->outcome == EG_OUTCOME_CONTRADICTION) return "tier2b_cross_scope";
    switch (o->class) {
    case CLASS_NUMERIC: return "tier2_numeric";
    case CLASS_TEMPORAL: return "tier2_temporal";
    default: return "tier0_entity";
    }
}

eg_status examine_case(void *self, const struct eg_services *services, eg_request *rq, const eg_case *c,
                       eg_status (*add)(void *sink, const eg_finding *finding), void *sink) {
    (void)self;
    (void)services;
    comparer *subject;
    eg_status status = comparer_create(rq, c->subject, &subject);
    for (uint32_t i = 0; i < c->candidate_count && status == EG_OK; i++) {
        if (is_cancelled(rq)) return eg_request_fail(rq, EG_ECANCELLED, "detection was cancelled");
        observation o;
        int found;
        status = compare_facts(subject, c->candidates[i], &o, &found);
        if (status != EG_OK || !found) continue;
        int apart = scopes_differ(c->subject->fact, c->candidates[i]->fact);
        if (apart && o.weak) continue;
        eg_finding f = {.size = sizeof f,
                        .candidate = i,
                        .outcome = o.outcome,
                        .severity = c->candidates[i]->same_agent ? EG_SEVERITY_MEDIUM : EG_SEVERITY_HIGH,
                        .score = o.score,
                        .span_subject = o.a,
                        .span_candidate = o.b,
                        .tier = eg_str_of(tier_of(&o, apart)),
                        .explanation = o.explanation};
        status = add(sink, &f);
    }
    return status;
}
