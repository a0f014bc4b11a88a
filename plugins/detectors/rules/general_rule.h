/* general_rule.h - a statement about all things of a kind against one about a single thing of that
 * kind: "All services use MySQL", "The payments service uses PostgreSQL". Only for products of
 * which a thing uses one. Thread class: any. */
#ifndef EG_DETECTORS_GENERAL_RULE_H
#define EG_DETECTORS_GENERAL_RULE_H

#include "sentence.h"

/* 1 when a and b (folded words) are products of one group, of which a thing uses only one: mysql,
 * postgresql. */
int products_exclude(eg_str a, eg_str b);

/* 1 when `rule` is about all things of a kind, and `instance` is about one of them that uses
 * another product. Stores the spans of the two products. */
int rule_is_broken(const sentence *rule, const sentence *instance, eg_span *in_rule, eg_span *in_instance);

#endif
