/* difference.h - what differs between two statements, as a phrase that a person can check at a
 * glance. It only says which words differ, not whether they matter. Called by report.c. Thread
 * class: any; memory is the request's. */
#ifndef EG_NLI_DIFFERENCE_H
#define EG_NLI_DIFFERENCE_H

#include "engram/request.h"

typedef struct difference {
    eg_str phrase;           /* "15 minutes against 10 minutes"; empty: nothing short can be said */
    size_t first_a, first_b; /* byte offsets where it begins in the two texts; 0 without a phrase */
} difference;

/* Where the statements are alike but for a few words: these. Else the numbers, the "not" or the
 * names that only one of them has. EG_ENOMEM. */
eg_status difference_find(eg_request *rq, eg_str a, eg_str b, difference *out);

#endif
