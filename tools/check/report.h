/* report.h - what `engram check` tells: the findings that count, the gravest first, and how many
 * were left out. Selecting is in report.c, printing in report_FORMAT.c. */
#ifndef EG_TOOLS_CHECK_REPORT_H
#define EG_TOOLS_CHECK_REPORT_H

#include "core/docs/documents.h"
#include "tools/check/baseline.h"

/* What counts. */
typedef struct report_limits {
    double min_score;
    uint32_t severity; /* eg_severity: the least */
} report_limits;

typedef struct report {
    const eg_checked *checked;
    const eg_statements *statements;
    size_t files;                      /* that were read */
    const eg_check_finding **findings; /* those that are told */
    size_t count;
    /* Findings that are not: by a comment, the baseline, the limits. */
    size_t suppressed, accepted, minor;
} report;

/* One of the two statements of a finding. */
typedef struct report_side {
    eg_str file; /* empty: a stored fact */
    uint32_t line, last_line;
    eg_str content, scope;
    eg_span span;
} report_side;

/* Fills the report, whose inputs are set; the list lives in the arena. used: a flag for each mark,
 * set where it suppresses a finding. known: NULL, or the baseline, whose entries that occur are
 * marked. 0, or EXIT_ERROR after complaining. */
int select_findings(report *r, eg_arena *arena, const report_limits *limits, char *used, baseline *known);
/* The later statement (later: 1) of a finding, or the earlier one or stored fact. */
report_side side_of(const report *r, const eg_check_finding *f, int later);

/* 1 when the later statement is where viewers should show a finding, 0: the earlier one, since only
 * that one changed. */
int is_at_later(const report *r, const eg_check_finding *f);

void print_report_text(const report *r, int loud);
void print_report_json(const report *r);
void print_report_sarif(const report *r);
void print_report_github(const report *r);
#endif
