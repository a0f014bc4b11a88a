/* nearest.c - see nearest.h. */
#include "nearest.h"

#define GATE 0.30
#define GATE_IN_DOCUMENTS 0.50

int is_in_documents(const eg_case *c) { return c->candidate_count && (c->candidates[0]->found_by & EG_FOUND_IN_DOCUMENT); }

int is_of_single_statements(const eg_case *c, uint32_t candidate) {
    return c->subject->statement_count <= 1 && c->candidates[candidate]->statement_count <= 1;
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
