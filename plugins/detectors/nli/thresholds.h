/* thresholds.h - without trained trees: a pair of facts contradicts when the model says so with at
 * least the threshold of its tier, for the facts and for their best pair of statements. Called by
 * nli.c. */
#ifndef EG_NLI_THRESHOLDS_H
#define EG_NLI_THRESHOLDS_H

#include "report.h"

/* EG_EUNAVAILABLE without a model: what needs none was reported. */
eg_status examine_by_thresholds(const eg_services *services, const finding_sink *to);

#endif
