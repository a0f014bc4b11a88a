/* units.h - two texts with their times in one unit, for the model. Thread class: any. */
#ifndef EG_NLI_UNITS_H
#define EG_NLI_UNITS_H

#include "engram/plugin.h"

/* If each of two texts has one time, both times are written in the largest unit that gives whole
 * numbers: the model tells "60 minutes" from "15 minutes", but not "one hour". */
eg_pair in_one_unit(eg_request *rq, const eg_case_fact *const facts[2], const eg_span spans[2]);

#endif
