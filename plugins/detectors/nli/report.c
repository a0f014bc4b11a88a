/* report.c - see report.h. */
#include "report.h"

#include "contains.h"
#include "difference.h"

enum { QUOTED = 110 };

/* A statement in quotes, on one line: all of it, or the part around the byte at `focus`. No text:
 * no memory. */
static eg_str quoted(eg_request *rq, eg_str text, size_t focus) {
    size_t from = 0, to = text.len;
    if (text.len > QUOTED) {
        if (focus > QUOTED / 2)
            for (from = focus - QUOTED / 2; from < focus && text.ptr[from - 1] != ' ';) from++;
        while (from > 0 && ((unsigned char)text.ptr[from] & 0xC0) == 0x80) from--;
        if (to - from > QUOTED)
            for (to = from + QUOTED; to > from && ((unsigned char)text.ptr[to] & 0xC0) == 0x80;) to--;
    }
    char *line = eg_request_array(rq, to - from, 1);
    if (!line) return (eg_str){NULL, 0};
    for (size_t i = from; i < to; i++) line[i - from] = text.ptr[i] == '\n' ? ' ' : text.ptr[i];
    return eg_request_printf(rq, "\"%s%.*s%s\"", from ? "..." : "", (int)(to - from), line, to < text.len ? "..." : "");
}

static eg_str text_at(const eg_fact *f, eg_span span) { return (eg_str){f->content.ptr + span.start, span.end - span.start}; }

eg_status report_contradiction(const finding_sink *to, uint32_t candidate, eg_span subject, eg_span other, double score,
                               const char *how) {
    /* in the order of their commits */
    eg_str a = text_at(to->c->candidates[candidate]->fact, other), b = text_at(to->c->subject->fact, subject);
    difference differs;
    eg_status s = difference_find(to->rq, a, b, &differs);
    if (s != EG_OK) return s;
    a = quoted(to->rq, a, differs.first_a);
    b = quoted(to->rq, b, differs.first_b);
    if (!a.ptr || !b.ptr) return EG_ENOMEM;
    eg_str why = eg_request_printf(to->rq, "%.*s and %.*s cannot both be true%s%.*s (%s).", (int)a.len, a.ptr, (int)b.len, b.ptr,
                                   differs.phrase.len ? ": " : "", (int)differs.phrase.len,
                                   differs.phrase.len ? differs.phrase.ptr : "", how);
    if (!why.ptr) return EG_ENOMEM;
    eg_finding f = {.size = sizeof f,
                    .candidate = candidate,
                    .outcome = EG_OUTCOME_CONTRADICTION,
                    .severity = EG_SEVERITY_HIGH,
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
                    .explanation = EG_STR("Both say the same: one follows from the other.")};
    return to->add(to->self, &f);
}

eg_status report_containment(const finding_sink *to, uint32_t candidate, int *found) {
    eg_str a = to->c->subject->fact->content, b = to->c->candidates[candidate]->fact->content;
    *found = one_contains_the_other(a, b);
    return *found ? report_same(to, candidate, (eg_span){0, (uint32_t)a.len}, (eg_span){0, (uint32_t)b.len}, 1) : EG_OK;
}
