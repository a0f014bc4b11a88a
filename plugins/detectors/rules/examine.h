/* examine.h - the work of the detector "rules": compares the subject of a case with each candidate
 * once and reports at most one finding a candidate, under the name of its tier:
 *   tier0_entity        exact values that exclude each other: versions, ports, names, owners
 *   tier2_numeric       quantities in canonical units, bounds and ranges
 *   tier2_temporal      dates, times of day, weekdays, deprecated against current
 *   tier2b_cross_scope  a contradiction of any of these kinds between two scope trees
 * Thread class: worker. */
#ifndef EG_DETECTORS_EXAMINE_H
#define EG_DETECTORS_EXAMINE_H

#include "engram/detector.h"

/* The function `examine` of an eg_detector (engram/detector.h). EG_ENOMEM, EG_ECANCELLED, or what
 * `add` returned. */
eg_status examine_case(void *self, const struct eg_services *services, eg_request *rq, const eg_case *c,
                       eg_status (*add)(void *sink, const eg_finding *finding), void *sink);

#endif
