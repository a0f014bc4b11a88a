/* compare_values.h - the relation of two values of claims. Not here: whether the claims are about
 * the same thing (align.h, compare_facts.h). Thread class: any. */
#ifndef EG_DETECTORS_COMPARE_VALUES_H
#define EG_DETECTORS_COMPARE_VALUES_H

#include "engram/types.h"

typedef enum value_relation {
    VALUES_UNLIKE = 0, /* of different kinds or dimensions: not comparable */
    VALUES_SAME,       /* equal, also in other units */
    VALUES_COMPATIBLE, /* both can be true: 8 and at most 10, 24 and 24.0 */
    VALUES_CONFLICT
} value_relation;

value_relation values_compare(const eg_claim *a, const eg_claim *b);
/* 1 for times of day, dates, weekdays, and for deprecated or current: the temporal tier. */
int value_is_temporal(const eg_claim *c);
/* 1 for quantities other than ports: the numeric tier. */
int value_is_numeric(const eg_claim *c);

/* 1 when the words directly before two values say different things about them: "to 140 %" and "by
 * 40 %". */
int values_lead_apart(eg_str before_a, eg_str before_b);

#endif
