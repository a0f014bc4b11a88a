/* facts.c - see facts.h. */
#include "core/memory/facts.h"

#include "core/memory/changes.h"
#include "core/memory/ids.h"

eg_status eg_memory_promote(eg_memory *m, eg_request *rq, eg_str fact_id, eg_fact *out) {
    eg_id id;
    eg_status s = eg_id_resolve(m, rq, "fact_id", fact_id, &id);
    if (s == EG_OK) s = STORE(m, fact, rq, id, out);
    if (s != EG_OK || out->durability == EG_DURABILITY_DURABLE) return s;
    eg_draft d;
    eg_applied applied;
    eg_draft_begin(&d, rq);
    eg_draft_promote(&d, m, out, EG_FOREVER);
    s = eg_draft_apply(&d, m, &applied);
    if (s == EG_ECONFLICT) return eg_request_fail(rq, EG_EINVAL, "the fact is not current any more: commit it again");
    return s == EG_OK ? STORE(m, fact, rq, id, out) : s;
}

eg_status eg_memory_lineage(eg_memory *m, eg_request *rq, eg_str lineage_id, eg_fact **out, size_t *n) {
    eg_id id;
    eg_fact named;
    eg_status s = eg_id_resolve(m, rq, "lineage_id", lineage_id, &id);
    if (s != EG_OK) return s;
    if ((s = STORE(m, lineage, rq, rq->workspace, id, out, n)) != EG_OK || *n) return s;
    if ((s = STORE(m, fact, rq, id, &named)) != EG_OK) return s; /* a fact's id names its lineage too */
    return STORE(m, lineage, rq, rq->workspace, named.lineage_id, out, n);
}
