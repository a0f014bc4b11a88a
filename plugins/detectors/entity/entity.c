/* entity.c - tier 0: exact values that exclude each other: versions, ports, booleans, words, paths, owners.
 * What two facts say about each other is found in ../common/judge.c; this file only decides which
 * observations are its own. Loaded by the host. */
#include "../common/report.h"

static const char *tier(const observation *o, int other_scope) {
    if (other_scope && o->outcome == EG_OUTCOME_CONTRADICTION) return NULL; /* cross_scope reports it */
    return o->class == CLASS_ENTITY ? "tier0_entity" : NULL;
}

#define RULE_NAME "entity"
#define RULE_ORDER 0
#include "../common/rule_plugin.h"
