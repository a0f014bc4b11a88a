/* report.h - findings in words. Called by thresholds.c and verdict.c. */
#ifndef EG_NLI_REPORT_H
#define EG_NLI_REPORT_H

#include "engram/plugin.h"

typedef struct finding_sink {
    eg_request *rq;
    const eg_case *c;
    eg_status (*add)(void *sink, const eg_finding *finding);
    void *self;
} finding_sink;

/* A contradiction between a part of the subject and a part of the candidate. how: how sure, in
 * words, for the parentheses behind the sentence. */
eg_status report_contradiction(const finding_sink *to, uint32_t candidate, eg_span subject, eg_span other, double score,
                               const char *how);
eg_status report_same(const finding_sink *to, uint32_t candidate, eg_span subject, eg_span other, double score);
/* Where one text contains the other: reports that they agree and sets *found. */
eg_status report_containment(const finding_sink *to, uint32_t candidate, int *found);

#endif
