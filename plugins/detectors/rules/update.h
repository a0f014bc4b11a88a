/* update.h - a new fact that itself says what it replaces: "60 days instead of 120", "now 800 (was 500)".
 * Thread class: any. */
#ifndef EG_DETECTORS_UPDATE_H
#define EG_DETECTORS_UPDATE_H

#include "compare_values.h"
#include "sentence.h"

/* 1 when `newer` names the value that `older` holds as the former one, and a new one beside it, about the
 * same matter. Stores the new value's and the old value's words. */
int update_replaces(const sentence *newer, const sentence *older, const unit **new_value, const unit **old_value);

#endif
