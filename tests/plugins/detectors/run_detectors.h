/* run_detectors.h - runs the detector "rules" over two texts, the way the host would. For tests
 * and for measure_rules. */
#ifndef EG_TEST_RUN_DETECTORS_H
#define EG_TEST_RUN_DETECTORS_H

#include "core/base/arena.h"
#include "engram/plugin.h"

/* A fact read once: statements and claims by core/text. */
eg_status test_fact_read(eg_arena *arena, eg_str content, eg_str scope, eg_case_fact *out, eg_error *err);

/* The findings about a new fact and an earlier one; at most `max`. Strings live in the arena. */
eg_status test_detect(eg_arena *arena, const eg_case_fact *fact, const eg_case_fact *earlier, eg_finding *out, size_t max,
                      size_t *n, eg_error *err);

#endif
