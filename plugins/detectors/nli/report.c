/* report.c - see report.h. */
#include "report.h"

#include "contains.h"

enum { QUOTED = 110 };
#define HIGH_SCORE 0.85 /* from which the severity is high */

/* A text for an explanation: cut at a code point. */
static eg_str shortened(const eg_fact *f, eg_span span) {
    size_t n = span.end - span.start;
    const char *text = f->content.ptr + span.start;
    if (n > QUOTED)
        for (n = QUOTED; n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80;) n--;
    return (eg_str){text, n};
}

eg_status report_contradiction(const finding_sink *to, uint32_t candidate, eg_span subject, eg_span other, double score,
                               const char *how) {
    eg_str a = shortened(to->c->subject->fact, subject), b = shortened(to->c->candidates[candidate]->fact, other);
    const char *cut_a = a.len < subject.end - subject.start ? "..." : "", *cut_b = b.len < other.end - other.start ? "..." : "";
    eg_str why = eg_request_printf(to->rq, "\"%.*s%s\" and \"%.*s%s\" cannot both be true (%s).", (int)a.len, a.ptr, cut_a,
                                   (int)b.len, b.ptr, cut_b, how);
    if (!why.ptr) return EG_ENOMEM;
    eg_finding f = {.size = sizeof f,
                    .candidate = candidate,
                    .outcome = EG_OUTCOME_CONTRADICTION,
                    .severity = score >= HIGH_SCORE ? EG_SEVERITY_HIGH : EG_SEVERITY_MEDIUM,
                    .score = score,
                    .span_subject = subject,
                    .span_candidate = other,
                    .tier = EG_STR("tier1_nli"),
                    .explanation = why};
    return to->add(to->self, &f);
}

eg_status report_same(const finding_sink *to, uint32_t candidate, eg_span subject, eg_span other, double score) {
    eg_finding f = {.size = sizeof f,
                    .candidate = candidate,
                    .outcome = EG_OUTCOME_CORROBORATION,
                    .score = score,
                    .span_subject = subject,
                    .span_candidate = other,
                    .tier = EG_STR("tier1_nli"),
                    .explanation = EG_STR("One follows from the other.")};
    return to->add(to->self, &f);
}

eg_status report_containment(const finding_sink *to, uint32_t candidate, int *found) {
    eg_str a = to->c->subject->fact->content, b = to->c->candidates[candidate]->fact->content;
    *found = one_contains_the_other(a, b);
    return *found ? report_same(to, candidate, (eg_span){0, (uint32_t)a.len}, (eg_span){0, (uint32_t)b.len}, 1) : EG_OK;
}
