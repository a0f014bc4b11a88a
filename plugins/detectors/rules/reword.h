/* reword.h - two statements that give one thing different values, with their words in another
 * order: all content words of the shorter one are in the longer one, and each has one value of the
 * same dimension. Thread class: any. */
#ifndef EG_DETECTORS_REWORD_H
#define EG_DETECTORS_REWORD_H

#include "../common/compare_values.h"
#include "sentence.h"

/* 1 when the values contradict each other; stores them. */
int reworded_conflict(const sentence *a, const sentence *b, const unit **value_a, const unit **value_b);

#endif
