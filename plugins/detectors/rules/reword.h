/* reword.h - two statements in other words and another order that give one thing two values: all words of
 * meaning of the shorter one stand in the longer one, and each holds one value of the same dimension. Thread
 * class: any. */
#ifndef EG_DETECTORS_REWORD_H
#define EG_DETECTORS_REWORD_H

#include "compare_values.h"
#include "sentence.h"

/* 1 when they disagree; stores the two values. */
int reworded_conflict(const sentence *a, const sentence *b, const unit **value_a, const unit **value_b);

#endif
