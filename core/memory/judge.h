/* judge.h - what the detectors say of a case, merged to one verdict a candidate. */
#ifndef EG_MEMORY_JUDGE_H
#define EG_MEMORY_JUDGE_H

#include "core/memory/thresholds.h"

/* An outcome of eg_verdict beside eg_outcome: a contradiction whose score is too low to be reported
 * and high enough to ask somebody (asking.h). */
enum { EG_OUTCOME_SUSPECTED = EG_OUTCOME_UNRELATED + 1 };

typedef struct eg_verdict {
    /* eg_outcome or EG_OUTCOME_SUSPECTED; EG_OUTCOME_UNRELATED when nothing was found */
    uint32_t outcome;
    uint32_t severity;
    int asked; /* of a suspected one: somebody is */
    double score;
    eg_span span_subject, span_candidate;
    eg_str tier, detector, explanation;
} eg_verdict;

/* Where a case comes from: who answers the questions of its detectors
 * (eg_services.neighbour_margins). */
struct eg_case_source {
    /* texts: two a question, of the subject and of the candidate. */
    eg_status (*margins)(eg_case_source *source, eg_request *rq, const eg_case *c, const eg_margin_question *questions,
                         const eg_str *texts, size_t n, eg_margin *out);
    eg_memory *m;
    const eg_case *asked; /* the case as the running detector sees it */
    /* What earlier detectors found about that case. */
    const eg_finding *earlier;
    size_t earlier_count;
    /* The first error of the store: the verdicts of this case must not be kept. */
    eg_status failed;
    /* Of the first detector that failed on a case or was left out of it; code EG_OK: none was. */
    eg_error problem;
};

/* Runs the detectors over the case in tier order and merges their findings: one verdict a
 * candidate, in the request's memory. A candidate whose contradiction is found is not shown to
 * later tiers. thresholds: of the job or check that the case belongs to. source: NULL where
 * nobody can tell the neighbours; its error, where it had one, is returned. */
eg_status eg_judge(eg_memory *m, eg_request *rq, const eg_case *c, eg_thresholds *thresholds, eg_case_source *source,
                   eg_verdict **out);

/* The service neighbour_margins; source: that of the request, NULL: EG_EUNAVAILABLE. */
eg_status eg_memory_neighbour_margins(eg_case_source *source, eg_request *rq, const eg_case *c,
                                      const eg_margin_question *questions, size_t n, eg_margin *out);

/* The service earlier_findings; source: that of the request, NULL: there are none. */
eg_status eg_memory_earlier_findings(eg_case_source *source, eg_request *rq, const eg_case *c, const eg_finding **out, size_t *n);

#endif
