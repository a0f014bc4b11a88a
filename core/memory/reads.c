/* reads.c - see reads.h. */
#include "core/memory/reads.h"

#include "core/memory/ids.h"

static eg_status read_parts(eg_memory *m, eg_request *rq, const eg_id *ids, size_t n, uint32_t flags, eg_fact_parts **rows,
                            int64_t *now) {
    const eg_parts_args args = {.size = sizeof args, .flags = flags, .ids = ids, .count = n};
    return STORE(m, parts, rq, &args, rows, now);
}

eg_status eg_read_facts(eg_memory *m, eg_request *rq, const eg_id *ids, size_t n, eg_fact *out, int64_t *now) {
    eg_fact_parts *rows = NULL;
    eg_status s = read_parts(m, rq, ids, n, 0, &rows, now);
    for (size_t i = 0; s == EG_OK && i < n; i++) out[i] = rows[i].fact;
    return s;
}

static eg_status no_fact(eg_request *rq) {
    return eg_request_fail(rq, EG_ENOENT, "this workspace has no fact with that id: query for it first");
}

eg_status eg_read_fact(eg_memory *m, eg_request *rq, eg_id id, eg_fact *out, int64_t *now) {
    eg_status s = eg_read_facts(m, rq, &id, 1, out, now);
    return s != EG_OK || out->seq ? s : no_fact(rq);
}

eg_status eg_current_fact(eg_memory *m, eg_request *rq, eg_str fact_id, eg_fact *out) {
    static const char *const reasons[] = EG_CLOSE_REASON_WORDS;
    eg_id id;
    int64_t now;
    eg_status s = eg_id_resolve(m, rq, "fact_id", fact_id, &id);
    if (s == EG_OK) s = eg_read_fact(m, rq, id, out, &now);
    if (s != EG_OK || now < out->valid_until) return s;
    return eg_request_fail(rq, EG_EINVAL, "fact_id '%.*s' names a fact that is not current: it %s%s", (int)fact_id.len,
                           fact_id.ptr, out->close_reason ? "was " : "has expired",
                           out->close_reason ? reasons[out->close_reason] : "");
}

eg_status eg_read_fact_statements(eg_memory *m, eg_request *rq, eg_id id, eg_fact_parts *out, int64_t *now) {
    eg_fact_parts *row = NULL;
    eg_status s = read_parts(m, rq, &id, 1, EG_PARTS_STATEMENTS, &row, now);
    if (s != EG_OK) return s;
    *out = *row;
    return out->fact.seq ? EG_OK : no_fact(rq);
}

eg_status eg_read_statements(eg_memory *m, eg_request *rq, const eg_id *ids, size_t n, eg_statement_list *out) {
    eg_fact_parts *rows = NULL;
    eg_status s = n ? read_parts(m, rq, ids, n, EG_PARTS_STATEMENTS, &rows, NULL) : EG_OK;
    for (size_t i = 0; s == EG_OK && i < n; i++) out[i] = (eg_statement_list){rows[i].details, rows[i].statement_count};
    return s;
}

eg_status eg_read_conflict(eg_memory *m, eg_request *rq, eg_id id, eg_conflict *out) {
    const eg_conflict_filter filter = {.size = sizeof filter, .limit = 1, .ids = &id, .id_count = 1};
    eg_conflict *rows = NULL;
    size_t n = 0;
    eg_status s = STORE(m, conflicts, rq, &filter, &rows, &n);
    if (s != EG_OK) return s;
    if (n == 0) return eg_request_fail(rq, EG_ENOENT, "this workspace has no conflict with that id: list its conflicts first");
    *out = rows[0];
    return EG_OK;
}

eg_status eg_read_head(eg_memory *m, eg_request *rq, eg_id id, eg_fact *out) {
    eg_fact *rows = NULL;
    size_t n = 0;
    eg_status s = STORE(m, lineage, rq, id, 1, &rows, &n);
    if (s != EG_OK) return s;
    if (n == 0) return eg_request_fail(rq, EG_ENOENT, "this workspace has no lineage with that id: query for it first");
    *out = rows[0];
    return EG_OK;
}

eg_status eg_read_jobs(eg_memory *m, eg_request *rq, eg_id fact, uint32_t *waiting, uint32_t *dead) {
    eg_fact_parts *row = NULL;
    eg_status s = read_parts(m, rq, &fact, 1, EG_PARTS_JOBS, &row, NULL);
    *waiting = s == EG_OK ? row->jobs_waiting : 0;
    *dead = s == EG_OK ? row->jobs_dead : 0;
    return s;
}

eg_status eg_fact_copy(eg_request *rq, const eg_fact *from, eg_fact *to) {
    *to = *from;
    eg_str *const texts[] = {&to->content,    &to->scope,         &to->agent_id, &to->engineer,
                             &to->provenance, &to->artifact_hash, &to->closed_by};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        *texts[i] = eg_request_copy(rq, *texts[i]);
        if (!texts[i]->ptr) return EG_ENOMEM;
    }
    return EG_OK;
}
