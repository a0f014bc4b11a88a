/* report.c - see report.h. */
#include "tools/check/report.h"

#include <stdlib.h>
#include <string.h>

#include "tools/cli.h"

report_side side_of(const report *r, const eg_check_finding *f, int later) {
    uint32_t index = later ? f->item : f->other;
    if (index == UINT32_MAX) return (report_side){.content = f->fact.content, .scope = f->fact.scope, .span = f->span_other};
    const eg_check_item *i = &r->statements->items[index];
    return (report_side){.file = i->file,
                         .line = i->line,
                         .last_line = r->statements->places[index].last_line,
                         .content = i->content,
                         .scope = i->scope,
                         .span = later ? f->span_item : f->span_other};
}

int is_at_later(const report *r, const eg_check_finding *f) { return !(r->statements->items[f->item].flags & EG_CHECK_CONTEXT); }

/* The gravest first; what is alike in the order of the files. */
static int by_weight(const void *a, const void *b) {
    const eg_check_finding *x = *(const eg_check_finding *const *)a, *y = *(const eg_check_finding *const *)b;
    if (x->severity != y->severity) return x->severity < y->severity ? 1 : -1;
    if (x->score != y->score) return x->score < y->score ? 1 : -1;
    if (x->item != y->item) return x->item < y->item ? -1 : 1;
    return x->other < y->other ? -1 : x->other > y->other;
}

/* 1 when a comment in a document is about one of the two statements. */
static int is_suppressed(const report *r, const eg_check_finding *f, char *used) {
    uint32_t mark = r->statements->places[f->item].mark;
    if (!mark && f->other != UINT32_MAX) mark = r->statements->places[f->other].mark;
    if (mark) used[mark - 1] = 1;
    return mark > 0;
}

static int is_known(const report *r, const eg_check_finding *f, baseline *known) {
    report_side a = side_of(r, f, 0), b = side_of(r, f, 1);
    return baseline_has(known, (baseline_side){a.file, a.content}, (baseline_side){b.file, b.content});
}

int select_findings(report *r, eg_arena *arena, const report_limits *limits, char *used, baseline *known) {
    size_t n = r->checked->count;
    r->findings = eg_arena_array(arena, n + 1, sizeof *r->findings);
    if (!r->findings) return complain("out of memory");
    for (size_t i = 0; i < n; i++) {
        const eg_check_finding *f = &r->checked->findings[i];
        int accepted = known && is_known(r, f, known);
        if (is_suppressed(r, f, used)) r->suppressed++;
        else if (accepted) r->accepted++;
        else if (f->score < limits->min_score || f->severity < limits->severity) r->minor++;
        else r->findings[r->count++] = f;
    }
    qsort(r->findings, r->count, sizeof *r->findings, by_weight);
    return 0;
}
