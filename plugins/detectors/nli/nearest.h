/* nearest.h - which candidates of a case are looked at. */
#ifndef EG_NLI_NEAREST_H
#define EG_NLI_NEAREST_H

#include "engram/plugin.h"

/* The candidates nearest to the subject, best first: at most `most`, none below the cosine `least`.
 * Candidates without a vector come last if words or claims found them. is_out leaves some out;
 * NULL: none. Returns their number. */
size_t nearest_candidates(const eg_case *c, double least, size_t most, int (*is_out)(const eg_case *c, uint32_t candidate),
                          uint32_t *chosen);

/* 1 when both facts of the pair say one thing: fixed thresholds judge these, also where a model has
 * trees (nli.c tells why). */
int is_of_single_statements(const eg_case *c, uint32_t candidate);

/* Between statements of documents, of which there are thousands and nearly all are about different
 * things, fewer and nearer pairs are looked at: MAX_IN_DOCUMENTS. How both limits were chosen:
 * tools/train/README.md. */
enum { MAX_IN_DOCUMENTS = 5 };
int is_in_documents(const eg_case *c);
/* The least cosine of a pair that the model reads. */
double least_cosine(const eg_services *services, const eg_case *c);

#endif
