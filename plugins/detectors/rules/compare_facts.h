/* compare_facts.h - all that the rules find out about two facts: by aligning their statements
 * (align.h), by claims with the same subject, attribute and qualifiers, by the words of two
 * statements in another order (reword.h), by statements about all things of a kind (general_rule.h)
 * and by what a fact says that it replaces (update.h). Thread class: worker. */
#ifndef EG_DETECTORS_COMPARE_FACTS_H
#define EG_DETECTORS_COMPARE_FACTS_H

#include "explain.h"

typedef struct comparer comparer; /* the subject of a case, read once */

/* Reads the case's subject; memory is the request's. EG_ENOMEM. */
eg_status comparer_create(eg_request *rq, const eg_case_fact *subject, comparer **out);
/* The strongest observation about the candidate: a contradiction before an update before others.
 * *found 0: none. EG_ENOMEM. */
eg_status compare_facts(comparer *subject, const eg_case_fact *candidate, observation *out, int *found);

#endif
