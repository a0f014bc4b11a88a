/* timeline.c - what happened to the facts of a workspace, and the net effect of that. Both are told
 * from the rows as they are now, not from the audit log: what was undone did not happen, and the
 * timeline of a workspace that was merged into another goes on there. */
#include "core/memory/timeline.h"

#include <stdlib.h>

#include "core/memory/arguments.h"
#include "core/memory/conflicts.h"
#include "core/memory/reads.h"

enum { DEFAULT_LIMIT = 50 };
/* Of a diff. The pages are large, since the store looks at all events for each. */
enum { PAGE = 4000, MOST_EVENTS = 20000 };

static int is_about_fact(const eg_event *e) { return e->kind < EG_EVENT_FOUND; }

static eg_status read_events(eg_memory *m, eg_request *rq, const eg_events_args *args, eg_event **rows, size_t *n) {
    const eg_storage_ops *ops = m->env.storage_ops;
    if (!EG_HAS(ops, events) || !ops->events)
        return eg_request_fail(rq, EG_EUNSUPPORTED, "the storage '%s' cannot tell what happened", ops->name);
    return STORE(m, events, rq, args, rows, n);
}

/* Seconds would not do: several events have one time. "TIME.KIND.KEY". */
static eg_status read_cursor(eg_request *rq, eg_str text, eg_event *out) {
    char copy[80];
    long long time = 0, key = 0;
    unsigned kind = 0;
    int end = 0;
    *out = (eg_event){0};
    if (!text.len) return EG_OK;
    if (text.len < sizeof copy) {
        memcpy(copy, text.ptr, text.len);
        copy[text.len] = 0;
        if (sscanf(copy, "%lld.%u.%lld%n", &time, &kind, &key, &end) == 3 && (size_t)end == text.len && time > 0) {
            *out = (eg_event){.time = time, .kind = kind, .key = key};
            return EG_OK;
        }
    }
    return eg_request_fail(rq, EG_EINVAL, "cursor is '%.*s', which no timeline gave: pass on its next_cursor",
                           (int)(text.len < 60 ? text.len : 60), text.ptr);
}

/* The facts and conflicts of the events, each in the place of its event. */
static eg_status read_facts(eg_memory *m, eg_request *rq, const eg_event *rows, size_t n, eg_fact *facts) {
    eg_id *ids = eg_request_array(rq, n, sizeof *ids);
    eg_fact *found = eg_request_array(rq, n, sizeof *found);
    size_t count = 0;
    if (!ids || !found) return EG_ENOMEM;
    for (size_t i = 0; i < n; i++)
        if (is_about_fact(&rows[i])) ids[count++] = rows[i].id;
    eg_status s = count ? eg_read_facts(m, rq, ids, count, found, NULL) : EG_OK;
    for (size_t i = 0, k = 0; s == EG_OK && i < n; i++)
        if (is_about_fact(&rows[i])) facts[i] = found[k++];
    return s;
}

static eg_status read_conflicts(eg_memory *m, eg_request *rq, const eg_event *rows, size_t n, eg_moment *moments) {
    eg_id *ids = eg_request_array(rq, n, sizeof *ids);
    eg_conflict *found = NULL;
    eg_conflict_view *views = NULL;
    size_t count = 0, found_count = 0;
    if (!ids) return EG_ENOMEM;
    for (size_t i = 0; i < n; i++)
        if (!is_about_fact(&rows[i])) ids[count++] = rows[i].id;
    const eg_conflict_filter filter = {.size = sizeof filter, .ids = ids, .id_count = count};
    eg_status s = count ? STORE(m, conflicts, rq, &filter, &found, &found_count) : EG_OK;
    if (s == EG_OK) s = eg_conflict_views(m, rq, found, found_count, &views);
    for (size_t i = 0; s == EG_OK && i < n; i++)
        for (size_t k = 0; !is_about_fact(&rows[i]) && k < found_count; k++)
            if (eg_id_eq(found[k].id, rows[i].id)) moments[i].conflict = &views[k];
    return s;
}

/* The versions that the stored facts replaced or bring back. */
static eg_status read_earlier(eg_memory *m, eg_request *rq, eg_moment *moments, size_t n) {
    eg_id *ids = eg_request_array(rq, n, sizeof *ids);
    eg_fact *found = eg_request_array(rq, n, sizeof *found);
    size_t count = 0;
    if (!ids || !found) return EG_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        const eg_fact *f = moments[i].kind == EG_EVENT_STORED ? moments[i].fact : NULL;
        if (!f || (eg_id_is_none(f->supersedes) && eg_id_is_none(f->restored_from))) continue;
        ids[count] = eg_id_is_none(f->supersedes) ? f->restored_from : f->supersedes;
        moments[i].before = &found[count++];
    }
    eg_status s = count ? eg_read_facts(m, rq, ids, count, found, NULL) : EG_OK;
    for (size_t i = 0; i < n; i++)
        if (moments[i].before && !moments[i].before->seq) moments[i].before = NULL; /* erased */
    return s;
}

static eg_status tell(eg_memory *m, eg_request *rq, const eg_event *rows, size_t n, eg_timeline *out) {
    eg_fact *facts = eg_request_array(rq, n, sizeof *facts);
    eg_moment *moments = eg_request_array(rq, n, sizeof *moments);
    if (!facts || !moments) return EG_ENOMEM;
    eg_status s = read_facts(m, rq, rows, n, facts);
    if (s == EG_OK) s = read_conflicts(m, rq, rows, n, moments);
    for (size_t i = 0; i < n; i++) {
        moments[i].time = rows[i].time;
        moments[i].kind = rows[i].kind;
        if (is_about_fact(&rows[i])) moments[i].fact = &facts[i];
    }
    if (s == EG_OK) s = read_earlier(m, rq, moments, n);
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        const eg_moment *x = &moments[i];
        /* what was erased since is passed over */
        if (x->conflict || (x->fact && x->fact->seq)) moments[out->count++] = *x;
    }
    out->moments = moments;
    return s;
}

eg_status eg_memory_timeline(eg_memory *m, eg_request *rq, const eg_timeline_args *a, eg_timeline *out) {
    *out = (eg_timeline){0};
    eg_events_args args = {.size = sizeof args, .since = a->since, .until = a->until};
    uint32_t limit = a->limit ? a->limit : DEFAULT_LIMIT;
    eg_event *rows = NULL;
    size_t n = 0;
    if (limit > EG_MAX_LISTED) return eg_request_fail(rq, EG_EINVAL, "limit is %u: give 1 to %d", limit, EG_MAX_LISTED);
    if (a->until && a->since > a->until) return eg_request_fail(rq, EG_EINVAL, "since is later than until: exchange them");
    args.limit = limit + 1; /* one more: is there more? */
    eg_status s = eg_check_scope(rq, a->scope, 1, &args.scope);
    if (s == EG_OK) s = read_cursor(rq, a->cursor, &args.before);
    if (s == EG_OK) s = read_events(m, rq, &args, &rows, &n);
    if (s != EG_OK) return s;
    if (n > limit) {
        const eg_event *last = &rows[(n = limit) - 1];
        out->cursor = eg_request_printf(rq, "%lld.%u.%lld", (long long)last->time, last->kind, (long long)last->key);
        if (!out->cursor.ptr) return EG_ENOMEM;
    }
    return tell(m, rq, rows, n, out);
}

/* ---- diff ---- */

static int was_current(const eg_fact *f, int64_t at) {
    return f->committed_at <= at && f->valid_from <= at && at < f->valid_until;
}

/* By lineage, each in order of commit. */
static int by_lineage(const void *a, const void *b) {
    const eg_fact *x = a, *y = b;
    int order = memcmp(x->lineage_id.bytes, y->lineage_id.bytes, sizeof x->lineage_id.bytes);
    return order ? order : (x->seq > y->seq) - (x->seq < y->seq);
}

static int64_t latest(const eg_fact_change *c) { return c->after ? c->after->committed_at : c->before->valid_until; }
static int by_time(const void *a, const void *b) {
    int64_t x = latest(a), y = latest(b);
    return (x < y) - (x > y);
}

/* The facts that events tell of; each once or more. */
static eg_status read_changed(eg_memory *m, eg_request *rq, eg_events_args *args, eg_fact **out, size_t *count) {
    size_t n = PAGE;
    *count = 0;
    *out = eg_request_array(rq, MOST_EVENTS, sizeof **out);
    if (!*out) return EG_ENOMEM;
    while (n == PAGE) {
        eg_event *rows = NULL;
        eg_fact *facts = *out + *count;
        eg_status s = read_events(m, rq, args, &rows, &n);
        if (s == EG_OK && *count + n > MOST_EVENTS)
            return eg_request_fail(rq, EG_ELIMIT,
                                   "more than %d changes lie between the two times: compare times nearer to each "
                                   "other, or one scope",
                                   MOST_EVENTS);
        if (s == EG_OK) s = read_facts(m, rq, rows, n, facts);
        if (s != EG_OK) return s;
        size_t kept = 0;
        for (size_t i = 0; i < n; i++)
            if (is_about_fact(&rows[i]) && facts[i].seq) facts[kept++] = facts[i];
        *count += kept;
        if (n) args->before = rows[n - 1];
    }
    return EG_OK;
}

eg_status eg_memory_diff(eg_memory *m, eg_request *rq, eg_str scope, int64_t from, int64_t to, eg_diff *out) {
    *out = (eg_diff){0};
    eg_events_args args = {
        .size = sizeof args, .flags = EG_EVENTS_REPLACED, .since = from < INT64_MAX ? from + 1 : from, .limit = PAGE};
    eg_fact *facts;
    size_t n;
    int64_t now;
    eg_status s = eg_check_scope(rq, scope, 1, &args.scope);
    if (s == EG_OK) s = eg_now(m, rq, &now);
    if (s != EG_OK) return s;
    args.until = to && to < now ? to : now;
    if (from > args.until)
        return eg_request_fail(rq, EG_EINVAL, "the first time is later than the second, or than now: exchange them");
    if ((s = read_changed(m, rq, &args, &facts, &n)) != EG_OK) return s;
    if (n) qsort(facts, n, sizeof *facts, by_lineage);
    out->changes = eg_request_array(rq, n, sizeof *out->changes);
    if (!out->changes) return EG_ENOMEM;
    for (size_t i = 0, end; i < n; i = end) {
        eg_fact_change c = {0};
        for (end = i; end < n && eg_id_eq(facts[end].lineage_id, facts[i].lineage_id); end++) {
            if (was_current(&facts[end], from)) c.before = &facts[end];
            if (was_current(&facts[end], args.until)) c.after = &facts[end];
        }
        int same =
            c.before && c.after && eg_str_eq(c.before->content, c.after->content) && eg_str_eq(c.before->scope, c.after->scope);
        if ((c.before || c.after) && !same) out->changes[out->count++] = c;
    }
    if (out->count) qsort(out->changes, out->count, sizeof *out->changes, by_time);
    return EG_OK;
}
