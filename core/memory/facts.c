/* facts.c - see facts.h. */
#include "core/memory/facts.h"

#include "core/memory/changes.h"
#include "core/memory/ids.h"
#include "core/memory/reads.h"

eg_status eg_memory_promote(eg_memory *m, eg_request *rq, eg_str fact_id, eg_fact *out) {
    eg_status s = eg_current_fact(m, rq, fact_id, out);
    if (s != EG_OK || out->durability == EG_DURABILITY_DURABLE) return s;
    eg_id id = out->id;
    eg_draft d;
    eg_applied applied;
    eg_draft_begin(&d, rq);
    eg_draft_promote(&d, m, out, 0);
    s = eg_draft_apply(&d, m, &applied);
    if (s == EG_ECONFLICT) return eg_request_fail(rq, EG_EINVAL, "the fact is not current any more: commit it again");
    if (s != EG_OK) return s;
    eg_fact now;
    eg_str warning = {0};
    out->durability = EG_DURABILITY_DURABLE;
    if (eg_draft_told(m, rq, eg_read_fact(m, rq, id, &now, NULL), &warning)) *out = now;
    return EG_OK;
}

eg_status eg_memory_lineage(eg_memory *m, eg_request *rq, eg_str lineage_id, eg_fact **out, size_t *n) {
    eg_id id;
    eg_status s = eg_id_resolve(m, rq, "lineage_id", lineage_id, &id);
    if (s == EG_OK) s = STORE(m, lineage, rq, id, 0, out, n);
    if (s != EG_OK || *n) return s;
    return eg_request_fail(rq, EG_ENOENT, "this workspace has no lineage with that id: query for it first");
}
