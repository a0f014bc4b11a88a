/* report.h - the loop that the deterministic detectors share: judge every candidate, hand on what `wanted`
 * takes. Compiled into each of them. Thread class: worker. */
#ifndef EG_DETECTORS_REPORT_H
#define EG_DETECTORS_REPORT_H

#include "judge.h"

/* The tier's word for the observation, NULL: not this detector's. */
typedef const char *(*tier_of)(const observation *o, int other_scope);

eg_status report_case(eg_request *rq, const eg_case *c, tier_of tier, eg_status (*add)(void *sink, const eg_finding *finding),
                      void *sink);

#endif
