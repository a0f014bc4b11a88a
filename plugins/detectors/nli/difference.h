/* difference.h - what differs between two statements, as a phrase that a person can check at a
 * glance. It only says which words differ, not whether they matter. Called by report.c. Thread
 * class: any; memory is the request's. */
#ifndef EG_NLI_DIFFERENCE_H
#define EG_NLI_DIFFERENCE_H

#include "engram/request.h"

typedef struct difference {
    eg_str phrase; /* "15 minutes against 10 minutes"; empty: nothing short can be said */
    /* Byte offsets where it begins in both texts; 0 without a phrase. */
    size_t first_a, first_b;
} difference;

/* Where the statements are alike but for a few words: these. Else numbers of one unit, the denial
 * of a word that both have, or the only name of its shape on each side. EG_ENOMEM. */
eg_status difference_find(eg_request *rq, eg_str a, eg_str b, difference *out);

#endif
