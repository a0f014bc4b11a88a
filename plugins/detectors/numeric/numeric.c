/* numeric.c - tier 2: quantities in canonical units, bounds and ranges; dates, times of day and weekdays.
 * What two facts say about each other is found in ../common/judge.c; this file only decides which
 * observations are its own. Loaded by the host. */
#include "../common/report.h"

static const char *tier(const observation *o, int other_scope) {
    if (other_scope && o->outcome == EG_OUTCOME_CONTRADICTION) return NULL; /* cross_scope reports it */
    if (o->class == CLASS_NUMERIC) return "tier2_numeric";
    return o->class == CLASS_TEMPORAL ? "tier2_temporal" : NULL;
}

#define RULE_NAME "numeric"
#define RULE_ORDER 20
#include "../common/rule_plugin.h"
