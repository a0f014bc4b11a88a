/* export.c - a workspace as text: facts in the order of their commits, then the links between them,
 * their conflicts, and what was said of those. Only what holds between facts that are exported goes
 * out. Nothing in it depends on when or where it is made, so an export of what was imported is the
 * same bytes. All of it is read as it stood at one moment, where the backend can do that. */
#include "core/memory/export.h"

#include <stdlib.h>

#include "core/base/arena.h"
#include "core/base/status.h"
#include "core/memory/answers.h"
#include "core/memory/arguments.h"
#include "core/memory/exchange.h"

enum { BATCH = 128 /* facts of one read */ };

typedef struct place { /* of a fact or conflict in the export */
    eg_id id;
    size_t at;
} place;

/* An item of Markdown. */
typedef struct item {
    eg_str scope, text;
    size_t at;
} item;

typedef struct exporting {
    eg_memory *m; /* over the snapshot: see eg_memory_export() */
    eg_request *rq;
    const eg_export_args *args;
    eg_status (*each)(void *self, eg_str text);
    void *self;
    eg_exported *out;
    eg_arena arena;
    eg_str scope;
    eg_id *facts; /* in the order of the export */
    place *places, *conflicts;
    size_t fact_count, fact_capacity, conflict_count, conflict_capacity;
    item *items;
    size_t item_capacity;
} exporting;

static int is_markdown(const exporting *x) { return (x->args->flags & EG_EXPORT_MARKDOWN) != 0; }

/* Room for one more of `size` bytes, doubling in the arena. */
static eg_status grow(exporting *x, void **rows, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity) return EG_OK;
    size_t more = *capacity ? 2 * *capacity : 256;
    void *p = eg_arena_array(&x->arena, more, size);
    if (!p) return eg_fail_memory(x->rq->err, more * size);
    if (count) memcpy(p, *rows, count * size);
    *rows = p;
    *capacity = more;
    return EG_OK;
}

static eg_status tell(exporting *x, eg_buffer *b) {
    eg_status s = b->failed ? eg_fail_memory(x->rq->err, b->capacity) : x->each(x->self, (eg_str){b->ptr, b->len});
    eg_buffer_release(b);
    return s;
}

static eg_status tell_text(exporting *x, const char *text) { return x->each(x->self, eg_str_of(text)); }

static eg_status put(exporting *x, const eg_exchange_record *r) {
    eg_buffer b = {0};
    eg_exchange_write(&b, r);
    return tell(x, &b);
}

static int by_id(const void *a, const void *b) { return memcmp(((const place *)a)->id.bytes, ((const place *)b)->id.bytes, 16); }

static const place *find(const place *places, size_t n, eg_id id) {
    const place key = {.id = id};
    return n ? bsearch(&key, places, n, sizeof key, by_id) : NULL;
}

/* ---- facts ---- */

static eg_status keep_item(exporting *x, const eg_exchange_record *r) {
    eg_buffer b = {0};
    eg_status s = grow(x, (void **)&x->items, x->out->facts, &x->item_capacity, sizeof *x->items);
    if (s != EG_OK) return s;
    eg_exchange_write_item(&b, r);
    const char *text = b.failed ? NULL : eg_arena_copy(&x->arena, (eg_str){b.ptr, b.len});
    const char *scope = eg_arena_copy(&x->arena, r->fact.scope);
    if (text && scope) x->items[x->out->facts] = (item){{scope, r->fact.scope.len}, {text, b.len}, x->out->facts};
    else s = eg_fail_memory(x->rq->err, b.len);
    eg_buffer_release(&b);
    return s;
}

static eg_status put_fact(exporting *x, const eg_fact_parts *row) {
    eg_exchange_record r = {.kind = EG_EXCHANGE_FACT, .fact = row->fact};
    eg_str given[EG_MAX_STATEMENTS];
    eg_status s = grow(x, (void **)&x->facts, x->fact_count, &x->fact_capacity, sizeof *x->facts);
    if (s != EG_OK) return s;
    for (size_t i = 0; i < row->statement_count && r.statement_count < EG_MAX_STATEMENTS; i++)
        if (row->details[i].flags & EG_STATEMENT_GIVEN) given[r.statement_count++] = row->details[i].alone;
    r.statements = given;
    x->facts[x->fact_count++] = row->fact.id;
    s = is_markdown(x) ? keep_item(x, &r) : put(x, &r);
    x->out->facts += s == EG_OK;
    return s;
}

/* The next facts after *seq, up to `last`; *more 0 at the end. */
static eg_status put_page(exporting *x, eg_request *rq, int64_t *seq, int64_t last, int *more) {
    uint32_t history = is_markdown(x) ? 0 : EG_FILTER_HISTORY, all = x->args->flags & EG_EXPORT_ALL ? EG_FILTER_EPHEMERAL : 0;
    const eg_filter filter = {.size = sizeof filter, .flags = history | all, .scope = x->scope};
    eg_fact *page = NULL;
    eg_fact_parts *parts = NULL;
    eg_id ids[BATCH];
    size_t n = 0;
    eg_status s = STORE(x->m, page, rq, &filter, *seq, BATCH, &page, &n);
    if (s != EG_OK) return s;
    *more = n == BATCH;
    if (n) *seq = page[n - 1].seq;
    for (size_t i = 0; i < n; i++) ids[i] = page[i].id;
    while (n && page[n - 1].seq > last) n--, *more = 0;
    const eg_parts_args args = {.size = sizeof args, .flags = EG_PARTS_STATEMENTS, .ids = ids, .count = n};
    if (n) s = STORE(x->m, parts, rq, &args, &parts, NULL);
    for (size_t i = 0; s == EG_OK && i < n; i++)
        if (parts[i].fact.seq) s = put_fact(x, &parts[i]);
    return s;
}

/* ---- what holds between them ---- */

static int is_exported(const exporting *x, eg_id fact) { return find(x->places, x->fact_count, fact) != NULL; }

static eg_status put_links(exporting *x, eg_request *rq, const eg_id *ids, size_t n) {
    const eg_storage_ops *ops = x->m->env.storage_ops;
    eg_link_row *rows = NULL;
    size_t count = 0;
    if (!EG_HAS(ops, links) || !ops->links) return EG_OK;
    eg_status s = STORE(x->m, links, rq, ids, n, &rows, &count);
    for (size_t i = 0; s == EG_OK && i < count; i++) {
        if (!is_exported(x, rows[i].fact)) continue;
        const eg_exchange_record r = {.kind = EG_EXCHANGE_LINK, .link = rows[i]};
        s = put(x, &r);
        x->out->links += s == EG_OK;
    }
    return s;
}

static int by_seq(const void *a, const void *b) {
    const eg_conflict *x = a, *y = b;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* A conflict goes out with the later one of its facts. */
static eg_status put_conflicts(exporting *x, eg_request *rq, const eg_id *ids, size_t n) {
    const eg_conflict_filter filter = {.size = sizeof filter, .facts = ids, .fact_count = n};
    size_t from = find(x->places, x->fact_count, ids[0])->at, count = 0;
    eg_conflict *rows = NULL;
    eg_status s = STORE(x->m, conflicts, rq, &filter, &rows, &count);
    if (s == EG_OK && count) qsort(rows, count, sizeof *rows, by_seq);
    for (size_t i = 0; s == EG_OK && i < count; i++) {
        const place *a = find(x->places, x->fact_count, rows[i].fact_a), *b = find(x->places, x->fact_count, rows[i].fact_b);
        if (!a || !b || (i && rows[i].seq == rows[i - 1].seq)) continue;
        size_t later = a->at > b->at ? a->at : b->at;
        if (later < from || later >= from + n) continue;
        const eg_exchange_record r = {.kind = EG_EXCHANGE_CONFLICT, .conflict = rows[i]};
        s = grow(x, (void **)&x->conflicts, x->conflict_count, &x->conflict_capacity, sizeof *x->conflicts);
        if (s == EG_OK) x->conflicts[x->conflict_count++] = (place){.id = rows[i].id};
        if (s == EG_OK) s = put(x, &r);
        x->out->conflicts += s == EG_OK;
    }
    return s;
}

static eg_status put_answer(void *self, const eg_answer *a) {
    exporting *x = self;
    if (!find(x->conflicts, x->conflict_count, a->view.conflict.id)) return EG_OK;
    const eg_exchange_record r = {.kind = EG_EXCHANGE_ANSWER,
                                  .answer = {.conflict = a->view.conflict.id,
                                             .verdict = a->verdict,
                                             .was_review = a->was_suspected != 0,
                                             .judged_at = a->judged_at,
                                             .judged_by = a->judged_by,
                                             .asked = a->asked}};
    eg_status s = put(x, &r);
    x->out->answers += s == EG_OK;
    return s;
}

/* ---- the whole ---- */

static int by_scope(const void *a, const void *b) {
    const item *x = a, *y = b;
    size_t n = x->scope.len < y->scope.len ? x->scope.len : y->scope.len;
    int order = n ? memcmp(x->scope.ptr, y->scope.ptr, n) : 0;
    if (!order) order = x->scope.len < y->scope.len ? -1 : x->scope.len > y->scope.len;
    return order ? order : x->at < y->at ? -1 : 1;
}

static eg_status put_markdown(exporting *x) {
    eg_status s = tell_text(x, EG_EXCHANGE_MARKDOWN "\n\n# What is known\n");
    if (x->out->facts) qsort(x->items, x->out->facts, sizeof *x->items, by_scope);
    for (size_t i = 0; s == EG_OK && i < x->out->facts; i++) {
        const item *one = &x->items[i];
        eg_buffer b = {0};
        if (!i || !eg_str_eq(one->scope, x->items[i - 1].scope))
            eg_buffer_format(&b, "\n## %.*s\n\n", (int)one->scope.len, one->scope.ptr);
        eg_buffer_add(&b, one->text.ptr, one->text.len);
        s = tell(x, &b);
    }
    return s;
}

/* Runs one step over all exported facts, each batch in a request of its own. */
static eg_status over_facts(exporting *x, eg_status (*step)(exporting *x, eg_request *rq, const eg_id *ids, size_t n)) {
    eg_status s = EG_OK;
    for (size_t i = 0; s == EG_OK && i < x->fact_count; i += BATCH) {
        eg_request *rq = NULL;
        s = eg_request_in(x->m, x->rq->workspace, x->rq->who, &x->rq->cancel, &rq, x->rq->err);
        if (s != EG_OK) return s;
        s = step(x, rq, x->facts + i, x->fact_count - i < BATCH ? x->fact_count - i : BATCH);
        if (s != EG_OK && x->rq->err->code == EG_OK) *x->rq->err = *rq->err;
        SERVICES(x->m)->request_release(x->m->env.host, rq);
    }
    return s;
}

static eg_status put_facts(exporting *x) {
    eg_store_stats stats = {0};
    int64_t seq = 0;
    int more = 1;
    eg_status s = STORE(x->m, stats, x->rq, 0, &stats);
    while (s == EG_OK && more) {
        eg_request *rq = NULL;
        s = eg_request_in(x->m, x->rq->workspace, x->rq->who, &x->rq->cancel, &rq, x->rq->err);
        if (s != EG_OK) return s;
        s = put_page(x, rq, &seq, stats.seq, &more);
        if (s != EG_OK && x->rq->err->code == EG_OK) *x->rq->err = *rq->err;
        SERVICES(x->m)->request_release(x->m->env.host, rq);
        if (s == EG_OK && eg_cancel_is_set(&x->rq->cancel)) s = eg_request_fail(x->rq, EG_ECANCELLED, "the export was stopped");
    }
    return s;
}

static eg_status put_between(exporting *x) {
    x->places = eg_arena_array(&x->arena, x->fact_count, sizeof *x->places);
    if (!x->places) return eg_fail_memory(x->rq->err, x->fact_count * sizeof *x->places);
    for (size_t i = 0; i < x->fact_count; i++) x->places[i] = (place){x->facts[i], i};
    if (x->fact_count) qsort(x->places, x->fact_count, sizeof *x->places, by_id);
    eg_status s = over_facts(x, put_links);
    if (s == EG_OK) s = over_facts(x, put_conflicts);
    if (s == EG_OK && x->conflict_count) qsort(x->conflicts, x->conflict_count, sizeof *x->conflicts, by_id);
    if (s == EG_OK && x->conflict_count) s = eg_memory_answers(x->m, x->rq, put_answer, x);
    const eg_exchange_record end = {
        .kind = EG_EXCHANGE_END,
        .counts = {{(uint32_t)x->out->facts, (uint32_t)x->out->links, (uint32_t)x->out->conflicts, (uint32_t)x->out->answers}}};
    return s == EG_OK ? put(x, &end) : s;
}

static eg_status run(exporting *x) {
    if (is_markdown(x)) {
        eg_status s = put_facts(x);
        return s == EG_OK ? put_markdown(x) : s;
    }
    eg_status s = tell_text(x, EG_EXCHANGE_FIRST "\n");
    if (s == EG_OK) s = put_facts(x);
    return s == EG_OK ? put_between(x) : s;
}

eg_status eg_memory_export(eg_memory *m, eg_request *rq, const eg_export_args *args, eg_status (*each)(void *self, eg_str text),
                           void *self, eg_exported *out) {
    const eg_storage_ops *ops = m->env.storage_ops;
    int has_snapshots = EG_HAS(ops, snapshot) && ops->snapshot;
    eg_memory then = {.env = m->env}; /* reading needs nothing else of it */
    exporting x = {.m = &then, .rq = rq, .args = args, .each = each, .self = self, .out = out};
    *out = (eg_exported){0};
    eg_status s = eg_check_scope(rq, args->scope, 1, &x.scope);
    if (s == EG_OK && has_snapshots) s = STORE(m, snapshot, rq, &then.env.storage);
    if (s != EG_OK) return s;
    eg_arena_init(&x.arena, 0);
    s = run(&x);
    eg_arena_release(&x.arena);
    if (has_snapshots) ops->close(then.env.storage);
    if (s != EG_OK && rq->err->code == EG_OK) return eg_request_fail(rq, s, "the export could not be written");
    return s;
}
