/* equal.c - see equal.h. Each fact is closed by a change of its own: a memory may have many, and
 * other processes go on meanwhile. */
#include "core/memory/equal.h"

#include <stdlib.h>

#include "core/base/arena.h"
#include "core/base/status.h"
#include "core/memory/changes.h"
#include "core/memory/conflicts.h"
#include "core/memory/reads.h"

enum { PAGE = 256 /* facts of one read */, HASH = 32 };

typedef struct row {
    eg_id id;
    uint8_t hash[HASH];
    eg_str scope;
    int64_t seq;
    int ephemeral;
} row;

typedef struct merging {
    eg_memory *m;
    eg_request *rq;
    eg_arena arena;
    row *rows;
    size_t count, capacity;
} merging;

static eg_status keep(merging *g, const eg_fact *f) {
    if (g->count == g->capacity) {
        size_t more = g->capacity ? 2 * g->capacity : PAGE;
        row *rows = eg_arena_array(&g->arena, more, sizeof *rows);
        if (!rows) return eg_fail_memory(g->rq->err, more * sizeof *rows);
        if (g->count) memcpy(rows, g->rows, g->count * sizeof *rows);
        g->rows = rows;
        g->capacity = more;
    }
    const char *scope = eg_arena_copy(&g->arena, f->scope);
    if (!scope) return eg_fail_memory(g->rq->err, f->scope.len);
    row *to = &g->rows[g->count++];
    *to =
        (row){.id = f->id, .scope = {scope, f->scope.len}, .seq = f->seq, .ephemeral = f->durability == EG_DURABILITY_EPHEMERAL};
    memcpy(to->hash, f->content_hash, HASH);
    return EG_OK;
}

static eg_status read_page(merging *g, int64_t *after, int *more) {
    const eg_filter current = {.size = sizeof current, .flags = EG_FILTER_EPHEMERAL};
    eg_request *rq = NULL;
    eg_fact *page = NULL;
    size_t n = 0;
    eg_status s = eg_request_in(g->m, g->rq->workspace, g->rq->who, &g->rq->cancel, &rq, g->rq->err);
    if (s != EG_OK) return s;
    s = STORE(g->m, page, rq, &current, *after, PAGE, &page, &n);
    if (s != EG_OK) *g->rq->err = *rq->err;
    for (size_t i = 0; s == EG_OK && i < n; i++) s = keep(g, &page[i]);
    if (s == EG_OK && n) *after = page[n - 1].seq;
    *more = n == PAGE;
    SERVICES(g->m)->request_release(g->m->env.host, rq);
    return s;
}

static int by_text(const row *x, const row *y) {
    int order = memcmp(x->hash, y->hash, HASH);
    if (!order) order = (x->scope.len > y->scope.len) - (x->scope.len < y->scope.len);
    return order || !x->scope.len ? order : memcmp(x->scope.ptr, y->scope.ptr, x->scope.len);
}

/* Equal ones together, the one that stays first. */
static int in_order(const void *a, const void *b) {
    const row *x = a, *y = b;
    int order = by_text(x, y);
    if (!order) order = x->ephemeral - y->ephemeral;
    return order ? order : (x->seq > y->seq) - (x->seq < y->seq);
}

/* ---- one pair ---- */

typedef struct pair {
    merging *g;
    eg_request *rq;
    eg_fact kept, gone;
    eg_id *blocked; /* facts that the kept one has settled something with */
    size_t blocked_count;
} pair;

static int is_blocked(const pair *p, eg_id fact) {
    for (size_t i = 0; i < p->blocked_count; i++)
        if (eg_id_eq(p->blocked[i], fact)) return 1;
    return eg_id_eq(p->kept.id, fact);
}

static int goes_over(const eg_conflict *c) {
    return c->status == EG_CONFLICT_OPEN || c->status == EG_CONFLICT_SUSPECTED || c->status == EG_CONFLICT_DISMISSED;
}

/* The conflicts of the fact that goes become those of the one that stays, where that has none with
 * the same other fact. */
static eg_status draft_conflicts(pair *p, eg_draft *d) {
    const eg_conflict_filter of_gone = {.size = sizeof of_gone, .facts = &p->gone.id, .fact_count = 1};
    eg_conflict *rows = NULL;
    size_t n = 0;
    eg_status s = STORE(p->g->m, conflicts, p->rq, &of_gone, &rows, &n);
    int same_bytes = eg_str_eq(p->kept.content, p->gone.content);
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        eg_conflict *c = &rows[i];
        int second = eg_id_eq(c->fact_b, p->gone.id);
        eg_id other = second ? c->fact_a : c->fact_b;
        if (!goes_over(c) || is_blocked(p, other)) continue;
        eg_precondition *free = eg_draft_require(d, EG_REQUIRE_PAIR_FREE);
        free->pair.a = p->kept.id;
        free->pair.b = other;
        eg_draft_require(d, eg_is_settled(c->status) ? EG_REQUIRE_CONFLICT_SETTLED : EG_REQUIRE_CONFLICT_UNSETTLED)->conflict =
            c->id;
        *(second ? &c->fact_b : &c->fact_a) = p->kept.id;
        if (!same_bytes) *(second ? &c->span_b : &c->span_a) = (eg_span){0};
        eg_draft_add(d, EG_CHANGE_CONFLICT_FACTS)->conflict = c;
    }
    return s;
}

static eg_status draft(pair *p, eg_draft *d, int64_t now) {
    int64_t end = p->gone.valid_until;
    eg_draft_require(d, EG_REQUIRE_CURRENT)->fact = p->kept.id;
    eg_status s = draft_conflicts(p, d);
    if (s != EG_OK) return s;
    if (end > p->kept.valid_until && p->gone.durability == p->kept.durability) {
        eg_draft_promote(d, p->g->m, &p->kept, end == EG_FOREVER ? 0 : end - now);
    }
    if (p->gone.marks & ~p->kept.marks) {
        eg_change *mark = eg_draft_add(d, EG_CHANGE_MARK);
        mark->mark.fact = p->kept.id;
        mark->mark.set = p->gone.marks & ~p->kept.marks;
    }
    eg_draft_close(d, &p->gone, EG_CLOSE_MERGED, "an equal fact was in the workspace that it came into", NULL);
    eg_draft_audit(d, "delete", p->gone.id, p->kept.id, EG_STR("{\"reason\":\"an equal fact was in the workspace\"}"));
    return EG_OK;
}

/* A pair of the draft that is not free: its conflict stays with the fact that goes, and ends. */
static eg_status block(pair *p, const eg_draft *d, uint32_t failed) {
    if (failed >= d->precondition_count || d->preconditions[failed].kind != EG_REQUIRE_PAIR_FREE) return EG_OK;
    eg_id *blocked = eg_request_array(p->rq, p->blocked_count + 1, sizeof *blocked);
    if (!blocked) return EG_ENOMEM;
    if (p->blocked_count) memcpy(blocked, p->blocked, p->blocked_count * sizeof *blocked);
    blocked[p->blocked_count++] = d->preconditions[failed].pair.b;
    p->blocked = blocked;
    return EG_OK;
}

static int is_current(const eg_fact *f, int64_t now) { return f->seq && f->valid_from <= now && now < f->valid_until; }

static eg_status try_once(pair *p, const eg_id ids[2], int *done) {
    eg_fact facts[2];
    eg_draft d;
    eg_applied applied;
    int64_t now = 0;
    *done = 0;
    eg_status s = eg_read_facts(p->g->m, p->rq, ids, 2, facts, &now);
    if (s != EG_OK || !is_current(&facts[0], now) || !is_current(&facts[1], now)) return s;
    p->kept = facts[0];
    p->gone = facts[1];
    eg_draft_begin(&d, p->rq);
    s = draft(p, &d, now);
    if (s == EG_OK) s = eg_draft_apply(&d, p->g->m, &applied);
    *done = s == EG_OK;
    if (s != EG_ECONFLICT) return s;
    eg_status blocked = block(p, &d, applied.failed);
    return blocked == EG_OK ? s : blocked;
}

/* A fact that another process closed meanwhile stands twice no more: that is no failure. */
static eg_status merge_pair(merging *g, const row *kept, const row *gone, uint64_t *merged) {
    pair p = {.g = g};
    const eg_id ids[2] = {kept->id, gone->id};
    eg_status s = eg_request_in(g->m, g->rq->workspace, g->rq->who, &g->rq->cancel, &p.rq, g->rq->err);
    if (s != EG_OK) return s;
    int done = 0;
    s = EG_ECONFLICT;
    for (size_t i = 0; s == EG_ECONFLICT && i < MAX_RETRIES + p.blocked_count; i++) s = try_once(&p, ids, &done);
    *merged += done != 0;
    if (s != EG_OK) *g->rq->err = *p.rq->err;
    SERVICES(g->m)->request_release(g->m->env.host, p.rq);
    return s;
}

static eg_status run(merging *g, uint64_t *merged) {
    int64_t after = 0;
    eg_status s = EG_OK;
    for (int more = 1; s == EG_OK && more;) s = read_page(g, &after, &more);
    if (s == EG_OK && g->count) qsort(g->rows, g->count, sizeof *g->rows, in_order);
    for (size_t i = 1, first = 0; s == EG_OK && i < g->count; i++) {
        if (by_text(&g->rows[first], &g->rows[i]) != 0) first = i;
        else s = merge_pair(g, &g->rows[first], &g->rows[i], merged);
        if (s == EG_OK && eg_cancel_is_set(&g->rq->cancel)) s = eg_request_fail(g->rq, EG_ECANCELLED, "it was stopped");
    }
    return s;
}

eg_status eg_merge_equal(eg_memory *m, eg_request *rq, uint64_t *merged) {
    merging g = {.m = m, .rq = rq};
    *merged = 0;
    eg_arena_init(&g.arena, 0);
    eg_status s = run(&g, merged);
    eg_arena_release(&g.arena);
    return s;
}
