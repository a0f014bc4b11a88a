/* cited.h - the operation citations of eg_memory_ops, and what a commit keeps of what it cites. */
#ifndef EG_MEMORY_CITED_H
#define EG_MEMORY_CITED_H

#include "core/memory/state.h"

/* *hash: what the cited lines say now, in the request's memory; empty where nothing is cited or can
 * be looked at. */
eg_status eg_cited_hash(eg_memory *m, eg_request *rq, eg_str provenance, eg_str *hash);
eg_status eg_memory_citations(eg_memory *m, eg_request *rq, const eg_fact *const *facts, size_t n, eg_citation_view *out);

#endif
