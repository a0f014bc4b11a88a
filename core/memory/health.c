/* health.c - looks through the facts of a workspace for what somebody should look after: texts that
 * are nearly the same, facts that nobody reads, whose evidence is stale or missing, conflicts that
 * stay open, and expired facts that others still name. Reads everything once and writes nothing. */
#include "core/memory/health.h"

#include <stdlib.h>

#include "core/base/arena.h"
#include "core/base/clock.h"
#include "core/base/status.h"
#include "core/memory/cited.h"
#include "core/memory/conflicts.h"
#include "core/memory/reads.h"
#include "core/memory/reembed.h"
#include "core/memory/settled.h"

enum {
    PAGE = 128,            /* facts of one read */
    NEAR = 8,              /* neighbours of a fact that are looked at */
    MOST_COMPARED = 20000, /* facts that are compared with the others */
    UNREAD_DAYS = 30,
    OPEN_DAYS = 14
};
#define COMPARE_TIME (10 * EG_SECOND) /* for near duplicates: each costs a search */
#define LEAST_COSINE 0.95

/* A fact that names another one as what it was made of. */
typedef struct reference {
    eg_id fact, of;
} reference;

typedef struct looking {
    eg_memory *m;
    eg_request *rq; /* the caller's: examples lie in its memory */
    eg_audited *out;
    eg_arena arena;
    int64_t now, compare_until;
    eg_str model; /* of embeddings; empty: none */
    eg_id *expired;
    size_t expired_count, expired_capacity;
    reference *references;
    size_t reference_count, reference_capacity;
} looking;

static eg_status grow(looking *l, void **rows, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity) return EG_OK;
    size_t more = *capacity ? 2 * *capacity : 256;
    void *p = eg_arena_array(&l->arena, more, size);
    if (!p) return eg_fail_memory(l->rq->err, more * size);
    if (count) memcpy(p, *rows, count * size);
    *rows = p;
    *capacity = more;
    return EG_OK;
}

/* Counts one thing; the first ones become examples. */
static eg_status find(looking *l, eg_audit_kind kind, eg_id id, eg_id other, eg_str text, eg_str detail) {
    eg_audit_finding *f = &l->out->findings[kind];
    if (f->count++ >= EG_AUDIT_EXAMPLES) return EG_OK;
    eg_audit_example *e = &f->examples[f->example_count++];
    *e = (eg_audit_example){
        .id = id, .other = other, .text = eg_request_copy(l->rq, text), .detail = eg_request_copy(l->rq, detail)};
    return e->text.ptr && e->detail.ptr ? EG_OK : EG_ENOMEM;
}

/* ---- facts, a page at a time ---- */

static eg_status keep_references(looking *l, const eg_fact *f) {
    const eg_id of[] = {f->parents[0], f->parents[1], f->restored_from};
    eg_status s = EG_OK;
    for (size_t i = 0; s == EG_OK && i < 3; i++) {
        if (eg_id_is_none(of[i])) continue;
        s = grow(l, (void **)&l->references, l->reference_count, &l->reference_capacity, sizeof *l->references);
        if (s == EG_OK) l->references[l->reference_count++] = (reference){f->id, of[i]};
    }
    return s;
}

/* Other current facts with nearly the same text: each pair is found at its later fact. */
static eg_status look_for_copies(looking *l, eg_request *rq, const eg_fact_parts *p) {
    const eg_filter filter = {.size = sizeof filter};
    const eg_vector *whole = NULL;
    eg_scored_list found = {0};
    for (size_t i = 0; i < p->vector_count; i++)
        if (p->vectors[i].statement == UINT32_MAX) whole = &p->vectors[i];
    if (!whole || l->out->compared >= MOST_COMPARED || eg_clock_monotonic() > l->compare_until) return EG_OK;
    l->out->compared++;
    const eg_search search = {.kind = EG_SEARCH_VECTOR, .limit = NEAR, .vector = whole};
    eg_status s = STORE(l->m, search, rq, &filter, &search, 1, &found);
    for (size_t i = 0; s == EG_OK && i < found.count; i++) {
        const eg_scored *near = &found.rows[i];
        eg_fact other;
        if (near->score < LEAST_COSINE || near->seq >= p->fact.seq) continue;
        s = eg_read_fact(l->m, rq, near->fact, &other, NULL);
        if (s == EG_OK && eg_settled_same_words(p->fact.content, other.content))
            s = find(l, EG_AUDIT_NEAR_DUPLICATE, p->fact.id, other.id, p->fact.content, other.content);
    }
    return s;
}

static eg_status look_at_fact(looking *l, eg_request *rq, const eg_fact_parts *p, const eg_citation_view *cited) {
    static const eg_id none = {{0}};
    const eg_fact *f = &p->fact;
    if (f->close_reason == EG_CLOSE_NONE && f->valid_until <= l->now) {
        eg_status s = grow(l, (void **)&l->expired, l->expired_count, &l->expired_capacity, sizeof *l->expired);
        if (s == EG_OK) l->expired[l->expired_count++] = f->id;
        return s;
    }
    if (f->close_reason != EG_CLOSE_NONE || f->valid_from > l->now) return EG_OK;
    l->out->facts++;
    eg_status s = keep_references(l, f);
    if (s == EG_OK && !f->provenance.len) s = find(l, EG_AUDIT_UNSOURCED, f->id, none, f->content, EG_STR(""));
    if (s == EG_OK && !f->query_hits && f->committed_at < l->now - UNREAD_DAYS * EG_DAY)
        s = find(l, EG_AUDIT_NEVER_READ, f->id, none, f->content, EG_STR(""));
    if (s == EG_OK && cited->stale.len) s = find(l, EG_AUDIT_STALE, f->id, none, f->content, cited->stale);
    return s == EG_OK && l->model.len ? look_for_copies(l, rq, p) : s;
}

static eg_status look_at_page(looking *l, eg_request *rq, int64_t *after, int *more) {
    const eg_filter filter = {.size = sizeof filter, .flags = EG_FILTER_HISTORY};
    eg_fact *page = NULL;
    eg_fact_parts *parts = NULL;
    eg_id ids[PAGE];
    const eg_fact *facts[PAGE];
    eg_citation_view cited[PAGE];
    size_t n = 0;
    eg_status s = STORE(l->m, page, rq, &filter, *after, PAGE, &page, &n);
    *more = s == EG_OK && n == PAGE;
    if (s != EG_OK || !n) return s;
    *after = page[n - 1].seq;
    for (size_t i = 0; i < n; i++) {
        ids[i] = page[i].id;
        facts[i] = &page[i];
    }
    const eg_parts_args args = {
        .size = sizeof args, .flags = l->model.len ? EG_PARTS_VECTORS : 0, .ids = ids, .count = n, .model_id = l->model};
    s = STORE(l->m, parts, rq, &args, &parts, NULL);
    if (s == EG_OK) s = eg_memory_citations(l->m, rq, facts, n, cited);
    for (size_t i = 0; s == EG_OK && i < n; i++)
        if (parts[i].fact.seq) s = look_at_fact(l, rq, &parts[i], &cited[i]);
    return s;
}

static eg_status look_at_facts(looking *l) {
    int64_t after = 0;
    eg_status s = EG_OK;
    for (int more = 1; s == EG_OK && more;) {
        eg_request *rq = NULL;
        s = eg_request_in(l->m, l->rq->workspace, l->rq->who, &l->rq->cancel, &rq, l->rq->err);
        if (s != EG_OK) return s;
        s = look_at_page(l, rq, &after, &more);
        if (s != EG_OK && l->rq->err->code == EG_OK) *l->rq->err = *rq->err;
        SERVICES(l->m)->request_release(l->m->env.host, rq);
        if (s == EG_OK && eg_cancel_is_set(&l->rq->cancel)) s = eg_request_fail(l->rq, EG_ECANCELLED, "the audit was stopped");
    }
    return s;
}

/* ---- conflicts, and what names expired facts ---- */

static int by_id(const void *a, const void *b) { return memcmp(((const eg_id *)a)->bytes, ((const eg_id *)b)->bytes, 16); }

static int has_expired(const looking *l, eg_id id) {
    return l->expired_count && bsearch(&id, l->expired, l->expired_count, sizeof id, by_id) != NULL;
}

static eg_status look_at_conflicts(looking *l, uint32_t current_or_past) {
    const eg_conflict_filter filter = {.size = sizeof filter, .flags = current_or_past, .statuses = 1u << EG_CONFLICT_OPEN};
    eg_conflict *rows = NULL;
    size_t n = 0;
    eg_status s = STORE(l->m, conflicts, l->rq, &filter, &rows, &n);
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        const eg_conflict *c = &rows[i];
        if (current_or_past == EG_CONFLICTS_PAST) {
            int a = has_expired(l, c->fact_a), b = has_expired(l, c->fact_b);
            if (a || b)
                s = find(l, EG_AUDIT_EXPIRED_NAMED, a ? c->fact_a : c->fact_b, c->id, c->explanation,
                         EG_STR("a conflict that nobody settled"));
        } else if (c->detected_at < l->now - OPEN_DAYS * EG_DAY) {
            s = find(l, EG_AUDIT_OPEN_CONFLICT, c->id, (eg_id){{0}}, c->explanation, EG_STR(""));
        }
    }
    return s;
}

static eg_status look_at_references(looking *l) {
    eg_status s = EG_OK;
    for (size_t i = 0; s == EG_OK && i < l->reference_count; i++) {
        const reference *r = &l->references[i];
        eg_fact f;
        if (!has_expired(l, r->of)) continue;
        s = eg_read_fact(l->m, l->rq, r->of, &f, NULL);
        if (s == EG_OK) s = find(l, EG_AUDIT_EXPIRED_NAMED, r->of, r->fact, f.content, EG_STR("a current fact was made of it"));
    }
    return s;
}

/* ---- the whole ---- */

static const struct {
    const char *what, *advice;
} kinds[EG_AUDIT_KINDS] = {
    [EG_AUDIT_NEAR_DUPLICATE] = {"near_duplicates", "delete one of the two: engram commit --operation delete --corrects FACT_ID"},
    [EG_AUDIT_NEVER_READ] = {"never_read", "no query has found these for 30 days: delete what is of no use, or say it in the "
                                           "words that people ask with"},
    [EG_AUDIT_STALE] = {"stale_citations", "look at the file and update the fact: engram commit --corrects FACT_ID"},
    [EG_AUDIT_UNSOURCED] = {"unsourced", "nothing says how this is known: verify it and update it with --provenance"},
    [EG_AUDIT_OPEN_CONFLICT] = {"long_open_conflicts", "open for more than 14 days: engram resolve CONFLICT_ID"},
    [EG_AUDIT_EXPIRED_NAMED] = {"expired_yet_referenced",
                                "the time of this fact ran out while others still name it: commit it again if it holds, or "
                                "settle the conflict"},
};

static eg_status begin(looking *l) {
    l->out->findings = eg_request_array(l->rq, EG_AUDIT_KINDS, sizeof *l->out->findings);
    l->out->count = EG_AUDIT_KINDS;
    if (!l->out->findings) return EG_ENOMEM;
    for (size_t i = 0; i < EG_AUDIT_KINDS; i++) {
        eg_audit_finding *f = &l->out->findings[i];
        *f = (eg_audit_finding){.kind = (uint32_t)i, .what = eg_str_of(kinds[i].what), .advice = eg_str_of(kinds[i].advice)};
        f->examples = eg_request_array(l->rq, EG_AUDIT_EXAMPLES, sizeof *f->examples);
        if (!f->examples) return EG_ENOMEM;
    }
    l->compare_until = eg_clock_monotonic() + COMPARE_TIME;
    eg_status s = eg_now(l->m, l->rq, &l->now);
    return s == EG_OK ? eg_reembed_model(l->m, l->rq, &l->model) : s;
}

eg_status eg_memory_audit(eg_memory *m, eg_request *rq, eg_audited *out) {
    looking l = {.m = m, .rq = rq, .out = out};
    *out = (eg_audited){0};
    eg_arena_init(&l.arena, 0);
    eg_status s = begin(&l);
    if (s == EG_OK) s = look_at_facts(&l);
    if (s == EG_OK && l.expired_count) qsort(l.expired, l.expired_count, sizeof *l.expired, by_id);
    if (s == EG_OK) s = look_at_conflicts(&l, EG_CONFLICTS_CURRENT);
    if (s == EG_OK) s = look_at_conflicts(&l, EG_CONFLICTS_PAST);
    if (s == EG_OK) s = look_at_references(&l);
    eg_arena_release(&l.arena);
    return s;
}
