/* nearest.h - which candidates of a case are looked at. */
#ifndef EG_NLI_NEAREST_H
#define EG_NLI_NEAREST_H

#include "engram/plugin.h"

/* The candidates nearest to the subject, best first: at most `most`, none below the cosine `least`.
 * Candidates without a vector come last if words or claims found them. is_out leaves some out;
 * NULL: none. Returns their number. */
size_t nearest_candidates(const eg_case *c, double least, size_t most, int (*is_out)(const eg_case *c, uint32_t candidate),
                          uint32_t *chosen);

/* Between statements of documents, of which there are thousands and nearly all are about different
 * things, fewer and nearer pairs are looked at: MAX_IN_DOCUMENTS. How both limits were chosen:
 * tools/train/README.md. */
enum { MAX_IN_DOCUMENTS = 5 };
int is_in_documents(const eg_case *c);
/* 1: the two facts are of different scopes, and only their context explains them: they are not held
 * against each other. */
int needs_context(const eg_case *c, uint32_t candidate);

/* The least cosine of a pair that the model reads. */
double least_cosine(const eg_services *services, const eg_case *c);

/* Hubness correction by local scaling, as in CSLS: where another fact is nearer to one of the two
 * texts than they are to each other, they are rarely about the same thing. The logit of the
 * probability is lowered in proportion. How the weight was chosen: tools/train/README.md. */
double hubness_corrected(double probability, eg_margin margin);

#endif
