/* hits.h - counting which facts queries find. Hits wait in memory, for each workspace apart, so
 * that a query never writes; the worker (or the end of the process) counts them in the store. */
#ifndef EG_MEMORY_HITS_H
#define EG_MEMORY_HITS_H

#include "core/memory/state.h"

/* Notes the hits of one query. That the author of an ephemeral fact finds it is no sign that it is
 * of use to others, and is not counted. When more wait than fit, or memory is out, the oldest are
 * forgotten: a counter is not worth a write in the path of a query. */
void eg_hits_note(eg_memory *m, const eg_request *rq, const eg_hit *hits, size_t n);
/* Counts what waits, of all workspaces, and makes ephemeral facts durable that others found often
 * enough. rq: for cancellation and errors. */
eg_status eg_hits_flush(eg_memory *m, eg_request *rq);

#endif
