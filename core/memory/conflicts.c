/* conflicts.c - see conflicts.h. Settling them is in resolve.c. */
#include "core/memory/conflicts.h"

#include "core/memory/arguments.h"
#include "core/memory/changes.h"
#include "core/memory/ids.h"
#include "core/memory/reads.h"
#include "core/memory/sides.h"

static int any_suspected(const eg_conflict *conflicts, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (conflicts[i].status == EG_CONFLICT_SUSPECTED) return 1;
    return 0;
}

static void put_stated(const eg_fact_parts parts[2], eg_conflict_view *v) {
    eg_side sides[2];
    eg_str stated[2];
    eg_sides_of(&v->conflict, &parts[0], &parts[1], sides);
    eg_sides_stated(sides, stated);
    v->stated_a = stated[0];
    v->stated_b = stated[1];
}

eg_status eg_conflict_views(eg_memory *m, eg_request *rq, const eg_conflict *conflicts, size_t n, eg_conflict_view **out) {
    eg_id *ids = eg_request_array(rq, 2 * n, sizeof *ids);
    eg_fact_parts *parts = NULL;
    *out = eg_request_array(rq, n, sizeof **out);
    if (!ids || !*out) return EG_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        ids[2 * i] = conflicts[i].fact_a;
        ids[2 * i + 1] = conflicts[i].fact_b;
    }
    int64_t now = 0;
    const eg_parts_args args = {
        .size = sizeof args, .flags = any_suspected(conflicts, n) ? EG_PARTS_STATEMENTS : 0, .ids = ids, .count = 2 * n};
    eg_status s = n ? STORE(m, parts, rq, &args, &parts, &now) : EG_OK;
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        const eg_fact_parts *of = &parts[2 * i];
        eg_conflict_view *v = &(*out)[i];
        *v = (eg_conflict_view){.conflict = conflicts[i], .a = of[0].fact, .b = of[1].fact};
        eg_conflict *c = &v->conflict;
        if (c->status == EG_CONFLICT_SUSPECTED) put_stated(of, v);
        if (c->status == EG_CONFLICT_OPEN && (c->until_a <= now || c->until_b <= now)) c->status = EG_CONFLICT_EXPIRED;
    }
    return s;
}

eg_status eg_conflicts_of(eg_memory *m, eg_request *rq, eg_id fact, int with_suspected, eg_receipt *out) {
    const eg_conflict_filter filter = {.size = sizeof filter,
                                       .flags = EG_CONFLICTS_CURRENT,
                                       .statuses = 1u << EG_CONFLICT_OPEN | (with_suspected ? 1u << EG_CONFLICT_SUSPECTED : 0),
                                       .limit = EG_MAX_LISTED,
                                       .facts = &fact,
                                       .fact_count = 1};
    eg_conflict *rows = NULL;
    size_t n = 0, open = 0;
    eg_status s = STORE(m, conflicts, rq, &filter, &rows, &n);
    eg_conflict *sorted = s == EG_OK ? eg_request_array(rq, n, sizeof *sorted) : NULL;
    if (!sorted) return s == EG_OK ? EG_ENOMEM : s;
    for (size_t i = 0; i < n; i++)
        if (rows[i].status == EG_CONFLICT_OPEN) sorted[open++] = rows[i];
    for (size_t i = 0, k = open; i < n; i++)
        if (rows[i].status != EG_CONFLICT_OPEN) sorted[k++] = rows[i];
    s = eg_conflict_views(m, rq, sorted, n, &out->conflicts);
    if (s != EG_OK) return s;
    out->conflict_count = open;
    out->suspected = out->conflicts + open;
    out->suspected_count = n - open;
    return EG_OK;
}

eg_status eg_check_suspected(eg_request *rq, const eg_conflict *c) {
    static const char *const statuses[] = EG_CONFLICT_STATUS_WORDS;
    if (c->status == EG_CONFLICT_SUSPECTED) return EG_OK;
    return eg_request_fail(
        rq, EG_EINVAL, "nobody is asked about this pair any more: it is %s%s%.*s; undo that first to judge anew",
        c->status <= EG_CONFLICT_SUSPECTED ? statuses[c->status] : "unknown", c->resolved_by.len ? ", by " : "",
        (int)c->resolved_by.len, c->resolved_by.len ? c->resolved_by.ptr : "");
}

eg_str eg_review_tier(eg_request *rq, eg_str tier) { return eg_request_printf(rq, "%.*s_review", (int)tier.len, tier.ptr); }

void eg_draft_answer(eg_draft *d, const eg_conflict *c, int suspected, int confirmed) {
    eg_conflict counted = *c;
    if (suspected) counted.tier = eg_review_tier(d->rq, c->tier);
    if (counted.tier.ptr) eg_draft_feedback(d, &counted, confirmed);
    else d->failed = 1;
}

eg_status eg_memory_conflicts(eg_memory *m, eg_request *rq, eg_str scope, int32_t status, uint32_t limit, eg_conflict_view **out,
                              size_t *n) {
    eg_conflict_filter filter = {.size = sizeof filter, .limit = EG_MAX_LISTED};
    if (limit && limit < EG_MAX_LISTED) filter.limit = limit;
    if (status == EG_CONFLICT_OPEN || status == EG_CONFLICT_SUSPECTED) filter.flags = EG_CONFLICTS_CURRENT;
    /* Which the store keeps as open. */
    if (status == EG_CONFLICT_EXPIRED) filter.flags = EG_CONFLICTS_PAST;
    filter.statuses =
        status < 0 ? ~(1u << EG_CONFLICT_SUSPECTED) : 1u << (status == EG_CONFLICT_EXPIRED ? EG_CONFLICT_OPEN : status);
    eg_status s = eg_check_scope(rq, scope, 1, &filter.scope);
    eg_conflict *rows = NULL;
    if (s == EG_OK) s = STORE(m, conflicts, rq, &filter, &rows, n);
    return s == EG_OK ? eg_conflict_views(m, rq, rows, *n, out) : s;
}

eg_status eg_memory_conflict(eg_memory *m, eg_request *rq, eg_str conflict_id, eg_conflict_view *out, eg_fact **history,
                             size_t *n) {
    eg_id id;
    eg_conflict c;
    eg_conflict_view *view;
    eg_fact *rows[2] = {NULL, NULL};
    size_t count[2] = {0, 0};
    eg_status s = eg_id_resolve(m, rq, "conflict_id", conflict_id, &id);
    if (s == EG_OK) s = eg_read_conflict(m, rq, id, &c);
    if (s == EG_OK) s = eg_conflict_views(m, rq, &c, 1, &view);
    if (s == EG_OK) s = STORE(m, lineage, rq, view->a.lineage_id, 0, &rows[0], &count[0]);
    if (s == EG_OK && !eg_id_eq(view->a.lineage_id, view->b.lineage_id))
        s = STORE(m, lineage, rq, view->b.lineage_id, 0, &rows[1], &count[1]);
    if (s != EG_OK) return s;
    *out = *view;
    *n = count[0] + count[1];
    *history = eg_request_array(rq, *n, sizeof **history);
    if (!*history) return EG_ENOMEM;
    for (size_t i = 0, at[2] = {0, 0}; i < *n; i++) { /* both are in order of commit */
        int b = at[0] == count[0] || (at[1] < count[1] && rows[1][at[1]].seq < rows[0][at[0]].seq);
        (*history)[i] = rows[b][at[b]++];
    }
    return EG_OK;
}

eg_status eg_memory_conflicts_about(eg_memory *m, eg_request *rq, const eg_id *facts, size_t n, eg_conflict_view **out,
                                    size_t *count) {
    const eg_conflict_filter filter = {.size = sizeof filter,
                                       .limit = EG_MAX_LISTED,
                                       .statuses = ~(1u << EG_CONFLICT_SUSPECTED),
                                       .facts = facts,
                                       .fact_count = n};
    eg_conflict *rows = NULL;
    *out = NULL;
    *count = 0;
    eg_status s = n ? STORE(m, conflicts, rq, &filter, &rows, count) : EG_OK;
    return s == EG_OK ? eg_conflict_views(m, rq, rows, *count, out) : s;
}

eg_status eg_memory_feedback(eg_memory *m, eg_request *rq, eg_str conflict_id, int true_positive) {
    eg_id id;
    eg_conflict c;
    eg_status s = eg_id_resolve(m, rq, "conflict_id", conflict_id, &id);
    if (s == EG_OK) s = eg_read_conflict(m, rq, id, &c);
    if (s != EG_OK) return s;
    eg_draft d;
    eg_applied applied;
    eg_draft_begin(&d, rq);
    eg_draft_feedback(&d, &c, true_positive);
    char text[EG_ID_TEXT];
    eg_id_format(id, text);
    eg_str payload = eg_request_printf(rq, "{\"conflict\":\"%s\",\"true_positive\":%s}", text, true_positive ? "true" : "false");
    if (!payload.ptr) return EG_ENOMEM;
    eg_draft_audit(&d, "feedback", c.fact_a, c.fact_b, payload);
    return eg_draft_apply(&d, m, &applied);
}
