/* cross_scope.c - tier 2b: the same thing claimed differently in another scope tree.
 * What two facts say about each other is found in ../common/judge.c; this file only decides which
 * observations are its own. Loaded by the host. */
#include "../common/report.h"

static const char *tier(const observation *o, int other_scope) {
    return other_scope && o->outcome == EG_OUTCOME_CONTRADICTION ? "tier2b_cross_scope" : NULL;
}

#define RULE_NAME "cross_scope"
#define RULE_ORDER 25
#include "../common/rule_plugin.h"
