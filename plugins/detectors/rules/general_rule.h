/* general_rule.h - a rule over all of a kind against one of that kind: "All services use MySQL", "The payments
 * service uses PostgreSQL". Only for products of which a thing uses one. Thread class: any. */
#ifndef EG_DETECTORS_GENERAL_RULE_H
#define EG_DETECTORS_GENERAL_RULE_H

#include "sentence.h"

/* 1 when a and b (folded words) are products of one family, of which a thing uses one: mysql, postgresql. */
int products_exclude(eg_str a, eg_str b);

/* 1 when `rule` says something of all things of a kind and `instance` names one of them that does otherwise.
 * Stores the words that disagree. */
int rule_is_broken(const sentence *rule, const sentence *instance, eg_span *in_rule, eg_span *in_instance);

#endif
