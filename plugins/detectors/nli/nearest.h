/* nearest.h - which candidates of a case are looked at. */
#ifndef EG_NLI_NEAREST_H
#define EG_NLI_NEAREST_H

#include "engram/detector.h"

/* The candidates nearest to the subject, best first: at most `most`, none below the cosine `least`.
 * Candidates without a vector come last if words or claims found them. is_out leaves some out;
 * NULL: none. Returns their number. */
size_t nearest_candidates(const eg_case *c, double least, size_t most, int (*is_out)(const eg_case *c, uint32_t candidate),
                          uint32_t *chosen);

#endif
