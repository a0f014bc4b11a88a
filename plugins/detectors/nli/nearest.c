/* nearest.c - see nearest.h. */
#include "nearest.h"

#include <math.h>

#include "../common/fact_context.h"

#define GATE 0.30
#define GATE_IN_DOCUMENTS 0.50
#define MARGIN_WEIGHT 5.0
#define MAX_MARGIN 0.2           /* what counts of each side */
#define MAX_PROBABILITY 0.999999 /* above it, the logit of an f32 is mostly rounding */

int is_in_documents(const eg_case *c) { return c->candidate_count && (c->candidates[0]->found_by & EG_FOUND_IN_DOCUMENT); }

int needs_context(const eg_case *c, uint32_t candidate) {
    const eg_fact *a = c->subject->fact, *b = c->candidates[candidate]->fact;
    return scopes_differ(a, b) && is_context_dependent(a->content) && is_context_dependent(b->content);
}

double least_cosine(const eg_services *services, const eg_case *c) {
    double gate = services->threshold(services->host, "nli_gate", GATE);
    double higher = is_in_documents(c) ? services->threshold(services->host, "nli_gate_documents", GATE_IN_DOCUMENTS) : 0;
    return higher > gate ? higher : gate;
}

size_t nearest_candidates(const eg_case *c, double least, size_t most, int (*is_out)(const eg_case *c, uint32_t candidate),
                          uint32_t *chosen) {
    size_t n = 0;
    for (uint32_t i = 0; i < c->candidate_count; i++) {
        const eg_case_fact *f = c->candidates[i];
        int by_rule = (f->found_by & (EG_FOUND_CLAIM | EG_FOUND_TEXT)) != 0 && f->cosine == 0;
        if ((!by_rule && f->cosine < least) || (is_out && is_out(c, i))) continue;
        size_t at = n < most ? n : most - 1;
        if (n == most && f->cosine <= c->candidates[chosen[at]]->cosine) continue;
        for (; at > 0 && f->cosine > c->candidates[chosen[at - 1]]->cosine; at--) chosen[at] = chosen[at - 1];
        chosen[at] = i;
        if (n < most) n++;
    }
    return n;
}

static double lesser(double a, double b) { return a < b ? a : b; }

double hubness_corrected(double probability, eg_margin margin) {
    double both = lesser(margin.subject, MAX_MARGIN) + lesser(margin.candidate, MAX_MARGIN);
    if (both <= 0) return probability;
    double p = lesser(probability, MAX_PROBABILITY), odds = p / (1 - p) * exp(-MARGIN_WEIGHT * both);
    return odds / (1 + odds);
}
