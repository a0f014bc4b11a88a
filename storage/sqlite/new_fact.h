/* new_fact.h - the rows of a new fact. */
#ifndef EG_SQLITE_NEW_FACT_H
#define EG_SQLITE_NEW_FACT_H

#include "writing.h"

eg_status insert_fact(writing *w, const eg_new_fact *row);
/* details: n of them, or NULL */
eg_status insert_statements(writing *w, int64_t fact, const eg_span *statements, const eg_statement *details, size_t n);
eg_status insert_claims(writing *w, int64_t fact, const eg_claim *claims, size_t n);
eg_status insert_vectors(writing *w, int64_t fact, const eg_vector *vectors, size_t n);

#endif
