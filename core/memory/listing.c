/* listing.c - the facts of a workspace one after the other, whatever they are about; what is known
 * about a topic is in query.c. A listing counts no query hits: it shows everything, so that a fact
 * is in it says nothing about its use. */
#include "core/memory/listing.h"

#include <stdlib.h>

#include "core/memory/arguments.h"
#include "core/memory/reads.h"

enum { DEFAULT_LIMIT = 50, MOST_ENDING = 10000 };

static eg_status filter_of(eg_memory *m, eg_request *rq, const eg_list_args *a, eg_filter *f) {
    eg_status s = eg_check_text(rq, "agent_id", a->agent_id, EG_MAX_NAME, 0);
    if (s != EG_OK) return s;
    if (a->limit > EG_MAX_LISTED) return eg_request_fail(rq, EG_EINVAL, "limit is %u: give 1 to %d", a->limit, EG_MAX_LISTED);
    if (a->fact_type > EG_FACT_DECISION) return eg_request_fail(rq, EG_EINVAL, "fact_type is out of range");
    if (a->cursor < 0) return eg_request_fail(rq, EG_EINVAL, "cursor is not one that a listing gave");
    if (a->ends_within < 0) return eg_request_fail(rq, EG_EINVAL, "ends_within must not be negative");
    if (a->ends_within && (a->as_of || a->cursor || a->flags & EG_LIST_ALL))
        return eg_request_fail(rq, EG_EINVAL, "what will end is told of current facts, all at once: leave the others out");
    *f = (eg_filter){.size = sizeof *f,
                     .flags = EG_FILTER_NEWEST | EG_FILTER_EPHEMERAL | (a->as_of ? EG_FILTER_AS_OF : 0u) |
                              (a->flags & EG_LIST_ALL ? EG_FILTER_HISTORY : 0u),
                     .agent_id = a->agent_id,
                     .at = a->as_of,
                     .since = a->since,
                     .fact_types = a->fact_type < 0 ? 0 : 1u << a->fact_type};
    if (a->ends_within) s = eg_now(m, rq, &f->ends_before);
    f->ends_before = a->ends_within < EG_FOREVER - f->ends_before ? f->ends_before + a->ends_within : EG_FOREVER;
    if (!a->ends_within) f->ends_before = 0;
    return s == EG_OK ? eg_check_scope(rq, a->scope, 1, &f->scope) : s;
}

static int by_end(const void *a, const void *b) {
    const eg_fact *x = a, *y = b;
    if (x->valid_until != y->valid_until) return x->valid_until < y->valid_until ? -1 : 1;
    return (x->seq > y->seq) - (x->seq < y->seq);
}

/* All that will end, the soonest first. */
static eg_status list_ending(eg_memory *m, eg_request *rq, const eg_filter *f, size_t limit, eg_listing *out) {
    eg_status s = STORE(m, page, rq, f, 0, MOST_ENDING, &out->facts, &out->count);
    if (s != EG_OK) return s;
    if (out->count) qsort(out->facts, out->count, sizeof *out->facts, by_end);
    if (out->count > limit) out->count = limit;
    return EG_OK;
}

eg_status eg_memory_list(eg_memory *m, eg_request *rq, const eg_list_args *a, eg_listing *out) {
    eg_filter filter;
    *out = (eg_listing){0};
    eg_status s = filter_of(m, rq, a, &filter);
    uint32_t limit = a->limit ? a->limit : DEFAULT_LIMIT;
    if (s != EG_OK) return s;
    if (a->ends_within) return list_ending(m, rq, &filter, limit, out);
    /* one more: is there more? */
    s = STORE(m, page, rq, &filter, a->cursor, limit + 1, &out->facts, &out->count);
    if (s != EG_OK || out->count <= limit) return s;
    out->count = limit;
    out->cursor = out->facts[limit - 1].seq;
    return EG_OK;
}
