/* reads.h - the batched reads of the store, for callers that want facts or one thing. */
#ifndef EG_MEMORY_READS_H
#define EG_MEMORY_READS_H

#include "core/memory/state.h"

/* n facts in the order of their ids; one that is missing has seq 0. now: the store's; may be NULL.
 */
eg_status eg_read_facts(eg_memory *m, eg_request *rq, const eg_id *ids, size_t n, eg_fact *out, int64_t *now);
/* One fact; EG_ENOENT when the workspace has none with this id. now: the store's; may be NULL. */
eg_status eg_read_fact(eg_memory *m, eg_request *rq, eg_id id, eg_fact *out, int64_t *now);
/* One fact with its statements; else as above. */
/* The fact that somebody named, which must be current: EG_EINVAL says why it is not. */
eg_status eg_current_fact(eg_memory *m, eg_request *rq, eg_str fact_id, eg_fact *out);
eg_status eg_read_fact_statements(eg_memory *m, eg_request *rq, eg_id id, eg_fact_parts *out, int64_t *now);
/* The statements of n facts; of one that is missing none. */
eg_status eg_read_statements(eg_memory *m, eg_request *rq, const eg_id *ids, size_t n, eg_statement_list *out);
/* One conflict, with its status as it is stored: an expired one reads as open. EG_ENOENT. */
eg_status eg_read_conflict(eg_memory *m, eg_request *rq, eg_id id, eg_conflict *out);
/* The newest fact of the lineage with this id, or of the lineage of the fact with this id.
 * EG_ENOENT. */
eg_status eg_read_head(eg_memory *m, eg_request *rq, eg_id id, eg_fact *out);
/* How many detection jobs of a fact wait or are leased, and how many were dead-lettered. */
eg_status eg_read_jobs(eg_memory *m, eg_request *rq, eg_id fact, uint32_t *waiting, uint32_t *dead);

/* A copy whose texts lie in the request's memory. EG_ENOMEM. */
eg_status eg_fact_copy(eg_request *rq, const eg_fact *from, eg_fact *to);

#endif
