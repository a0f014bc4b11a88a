/* scope_vectors.h - the vectors of the names of scopes. Kept in memory, because a few scopes name
 * most facts and each query looks at them. */
#ifndef EG_MEMORY_SCOPE_VECTORS_H
#define EG_MEMORY_SCOPE_VECTORS_H

#include "core/memory/state.h"

enum { EG_MOST_NEW_SCOPES = 4 /* that one call embeds: a query must not wait for hundreds */ };

/* out[i]: the vector of scopes[i] by the model of `like`, in the memory of the request; NULL for
 * those that are not kept and come after EG_MOST_NEW_SCOPES others that are not: later calls make
 * theirs. Thread class: any. */
eg_status eg_scope_vectors(eg_memory *m, eg_request *rq, const eg_vector *like, const eg_str *scopes, size_t n,
                           const float **out);
void eg_scope_vectors_release(eg_memory *m);

#endif
