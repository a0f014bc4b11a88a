/* replaced.h - which fact an update replaces that names none. */
#ifndef EG_MEMORY_REPLACED_H
#define EG_MEMORY_REPLACED_H

#include "core/memory/state.h"

typedef struct eg_replaced {
    eg_fact fact;           /* id none: no fact is sure enough to be the one */
    const eg_fact *nearest; /* then the nearest current fact of any scope; NULL: there is none */
} eg_replaced;

/* Among the current facts of the update's scope, of those below it and of those above it. The
 * update has its content, scope and hash; vector is that of the whole content. */
eg_status eg_find_replaced(eg_memory *m, eg_request *rq, const eg_fact *update, const eg_vector *vector, eg_replaced *out);

#endif
