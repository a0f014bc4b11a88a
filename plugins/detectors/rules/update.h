/* update.h - a new fact that says what it replaces: "60 days instead of 120", "now 800 (was 500)".
 * Thread class: any. */
#ifndef EG_DETECTORS_UPDATE_H
#define EG_DETECTORS_UPDATE_H

#include "../common/compare_values.h"
#include "sentence.h"

/* 1 when `newer` has the value of `older` as the former one, with a new value beside it, and the
 * statements share enough words to be about the same thing. Stores both values. */
int update_replaces(const sentence *newer, const sentence *older, const unit **new_value, const unit **old_value);

#endif
