/* candidates.c - which facts of the store a new fact is compared with: the nearest by meaning, the best by words,
 * and those with a claim about the same thing; in every scope, of any age. See eg_gather. */
#include "core/memory/internal.h"

enum { BY_VECTOR = 20, BY_STATEMENT = 6, BY_TEXT = 10, BY_CLAIM = 12, MAX_FOUND = 256, MOST_ALIKE = 8 };

typedef struct found {
    eg_id id;
    double cosine;
    uint32_t by; /* eg_found_by */
} found;

typedef struct gathering {
    eg_memory *m;
    eg_request *rq;
    const eg_fact *subject;
    const eg_derived *derived;
    found *list;
    size_t count;
    eg_id *cleared; /* see find_cleared */
    size_t cleared_count;
} gathering;

static void note(gathering *g, eg_id id, double cosine, uint32_t by) {
    if (eg_id_eq(id, g->subject->id)) return;
    for (size_t i = 0; i < g->count; i++) {
        found *f = &g->list[i];
        if (!eg_id_eq(f->id, id)) continue;
        f->by |= by;
        if (cosine > f->cosine) f->cosine = cosine;
        return;
    }
    if (g->count < MAX_FOUND) g->list[g->count++] = (found){id, cosine, by};
}

static eg_filter everywhere(const gathering *g) { return (eg_filter){.workspace = g->rq->workspace, .fact_type = -1}; }

static eg_status by_vectors(gathering *g) {
    eg_filter filter = everywhere(g);
    eg_status s = EG_OK;
    for (size_t i = 0; s == EG_OK && i < g->derived->vector_count; i++) {
        const eg_vector *v = &g->derived->vectors[i];
        eg_scored *hits = NULL;
        size_t n = 0;
        s = STORE(g->m, search_vectors, g->rq, &filter, v->model_id, v->values, v->dimensions, i ? BY_STATEMENT : BY_VECTOR,
                  &hits, &n);
        for (size_t k = 0; s == EG_OK && k < n; k++) note(g, hits[k].fact, hits[k].score, EG_FOUND_VECTOR);
    }
    return s;
}

static eg_status by_words(gathering *g) {
    eg_arena arena;
    eg_arena_init(&arena, 0);
    eg_term terms[EG_MAX_TERMS];
    size_t term_count = 0, n = 0;
    eg_scored *hits = NULL;
    eg_filter filter = everywhere(g);
    eg_status s = eg_text_query_terms(&arena, g->subject->content, terms, EG_MAX_TERMS, &term_count, g->rq->err);
    if (s == EG_OK && term_count) s = STORE(g->m, search_text, g->rq, &filter, terms, term_count, BY_TEXT, &hits, &n);
    for (size_t k = 0; s == EG_OK && k < n; k++) note(g, hits[k].fact, 0, EG_FOUND_TEXT);
    eg_arena_release(&arena);
    return s;
}

static eg_status by_claims(gathering *g) {
    eg_filter filter = everywhere(g);
    eg_status s = EG_OK;
    for (size_t i = 0; s == EG_OK && i < g->derived->claim_count; i++) {
        const eg_claim *c = &g->derived->claims[i];
        if (c->subject.len == 0) continue; /* comparable in place only: no key to look for */
        eg_claim_row *rows = NULL;
        size_t n = 0;
        s = STORE(g->m, claims_by_key, g->rq, &filter, c->subject, c->attribute, BY_CLAIM, &rows, &n);
        for (size_t k = 0; s == EG_OK && k < n; k++) note(g, rows[k].fact, 0, EG_FOUND_CLAIM);
    }
    return s;
}

/* Moves on to the fact that undo restored this one from; none when it was committed, or when that one was erased. */
static eg_status go_back(gathering *g, eg_id *id) {
    eg_fact f;
    eg_status s = STORE(g->m, fact, g->rq, *id, &f);
    *id = s == EG_OK ? f.restored_from : (eg_id){{0}};
    return s == EG_ENOENT ? EG_OK : s;
}

/* The facts that, as people said, do not contradict the subject or one that it was restored from. */
static eg_status find_cleared(gathering *g) {
    eg_status s = EG_OK;
    for (eg_id id = g->subject->id; s == EG_OK && !eg_id_is_none(id);) {
        eg_conflict_filter filter = {.workspace = g->rq->workspace, .status = -1, .fact = id, .limit = UINT32_MAX};
        eg_conflict *rows = NULL;
        size_t n = 0;
        if ((s = STORE(g->m, conflicts, g->rq, &filter, &rows, &n)) != EG_OK) return s;
        eg_id *more = eg_request_array(g->rq, g->cleared_count + n, sizeof *more);
        if (!more) return EG_ENOMEM;
        if (g->cleared_count) memcpy(more, g->cleared, g->cleared_count * sizeof *more);
        g->cleared = more;
        for (size_t i = 0; i < n; i++)
            if (rows[i].status == EG_CONFLICT_DISMISSED ||
                (rows[i].status == EG_CONFLICT_RESOLVED && rows[i].resolution_type == EG_RESOLUTION_BOTH_VALID))
                more[g->cleared_count++] = eg_id_eq(rows[i].fact_a, id) ? rows[i].fact_b : rows[i].fact_a;
        if (eg_id_eq(id, g->subject->id)) id = g->subject->restored_from; /* the subject need not be stored */
        else s = go_back(g, &id);
    }
    return s;
}

/* 1 when this very pair is known, or when people cleared it before undo gave one of the two a new id. That another conflict
 * of theirs ended (with one of the facts, say) clears nothing: the fact is back. */
static eg_status pair_decided(gathering *g, const eg_fact *other, int *known) {
    eg_status s = STORE(g->m, pair_known, g->rq, g->subject->id, other->id, known);
    for (eg_id id = other->id; s == EG_OK && !*known && g->cleared_count && !eg_id_is_none(id);) {
        for (size_t i = 0; i < g->cleared_count && !*known; i++) *known = eg_id_eq(g->cleared[i], id);
        if (eg_id_eq(id, other->id)) id = other->restored_from;
        else s = go_back(g, &id);
    }
    return s;
}

/* More ways found first, then nearer. */
static int better(const found *a, const found *b) {
    int claim_a = (a->by & EG_FOUND_CLAIM) != 0, claim_b = (b->by & EG_FOUND_CLAIM) != 0;
    if (claim_a != claim_b) return claim_a > claim_b;
    return a->cosine > b->cosine;
}

static void sort_found(found *list, size_t n) {
    for (size_t i = 1; i < n; i++) {
        found f = list[i];
        size_t at = i;
        for (; at > 0 && better(&f, &list[at - 1]); at--) list[at] = list[at - 1];
        list[at] = f;
    }
}

/* 1 when one scope lies in the other. */
static int same_tree(eg_str a, eg_str b) { return eg_text_scope_within(a, b) || eg_text_scope_within(b, a); }

static eg_status fill(gathering *g, const found *f, const eg_fact *fact, eg_case_fact *out) {
    *out = (eg_case_fact){.fact = fact,
                          .cosine = f->cosine,
                          .found_by = f->by,
                          .same_agent = (uint32_t)eg_str_eq(fact->agent_id, g->subject->agent_id)};
    if (!same_tree(fact->scope, g->subject->scope)) out->found_by |= EG_FOUND_CROSS_SCOPE;
    eg_span *statements = NULL;
    eg_claim *claims = NULL;
    eg_status s = STORE(g->m, statements_of, g->rq, fact->id, &statements, &out->statement_count);
    if (s == EG_OK) s = STORE(g->m, claims_of, g->rq, fact->id, &claims, &out->claim_count);
    out->statements = statements;
    out->claims = claims;
    return s;
}

/* Of a case of the store, for detectors' questions. */
typedef struct place {
    eg_memory *m;
    eg_status failed; /* the first error of the store */
} place;

/* By how much a fact other than these two is nearer to a text than `between`. */
static eg_status gap_of(place *p, eg_request *rq, eg_str model, const float *text, uint32_t dimensions, const eg_id two[2],
                        double between, double *gap) {
    eg_filter filter = {.workspace = rq->workspace, .fact_type = -1};
    eg_scored *hits = NULL;
    size_t n = 0;
    *gap = 0;
    eg_status s = STORE(p->m, search_vectors, rq, &filter, model, text, dimensions, MOST_ALIKE, &hits, &n);
    for (size_t i = n; s == EG_OK && i-- > 0;) /* the nearest last */
        if (!eg_id_eq(hits[i].fact, two[0]) && !eg_id_eq(hits[i].fact, two[1]) && hits[i].score < EG_ALIKE)
            *gap = hits[i].score > between ? hits[i].score - between : 0;
    if (s != EG_OK && s != EG_ENOMEM && s != EG_ECANCELLED && p->failed == EG_OK)
        p->failed = s; /* memory is the detector's own */
    return s;
}

eg_status eg_case_texts(const eg_case *c, eg_request *rq, uint32_t candidate, eg_span of_subject, eg_span of_candidate,
                        eg_str texts[2]) {
    const eg_span spans[2] = {of_subject, of_candidate};
    if (candidate >= c->candidate_count) return eg_request_fail(rq, EG_EINVAL, "candidate %u is not in the case", candidate);
    texts[0] = c->subject->fact->content;
    texts[1] = c->candidates[candidate]->fact->content;
    for (int i = 0; i < 2; i++) {
        if (spans[i].start == spans[i].end) continue;
        if (spans[i].start > spans[i].end || spans[i].end > texts[i].len)
            return eg_request_fail(rq, EG_EINVAL, "a span of %u to %u is not within %zu bytes", spans[i].start, spans[i].end,
                                   texts[i].len);
        texts[i] = (eg_str){texts[i].ptr + spans[i].start, spans[i].end - spans[i].start};
    }
    return EG_OK;
}

static eg_status crowding(const eg_case *c, eg_request *rq, uint32_t candidate, eg_span of_subject, eg_span of_candidate,
                          double gaps[2]) {
    place *p = c->place;
    eg_memory *m = p->m;
    eg_str texts[2], model;
    uint32_t dimensions;
    gaps[0] = gaps[1] = 0;
    eg_status s = eg_case_texts(c, rq, candidate, of_subject, of_candidate, texts);
    if (s == EG_OK) s = m->env.embed_model ? m->env.embed_model(m->env.host, &model, &dimensions, rq->err) : EG_EUNAVAILABLE;
    if (s != EG_OK) return s;
    float *v = eg_request_array(rq, 2 * (size_t)dimensions, sizeof *v);
    if (!v) return EG_ENOMEM;
    if ((s = SERVICES(m)->embed(m->env.host, rq, texts, 2, v, dimensions)) != EG_OK) return s;
    const eg_fact *a = c->subject->fact, *b = c->candidates[candidate]->fact;
    double between = (double)SERVICES(m)->dot(m->env.host, v, v + dimensions, dimensions);
    /* as the store scores whole facts: by the best of their statements */
    int wholes = texts[0].len == a->content.len && texts[1].len == b->content.len;
    if (wholes && c->candidates[candidate]->cosine > between) between = c->candidates[candidate]->cosine;
    for (size_t i = 0; s == EG_OK && i < 2; i++)
        s = gap_of(p, rq, model, v + i * dimensions, dimensions, (const eg_id[2]){a->id, b->id}, between, &gaps[i]);
    return s;
}

eg_status eg_gather_failed(const eg_case *c) { return ((const place *)c->place)->failed; }

eg_status eg_gather(eg_memory *m, eg_request *rq, const eg_fact *subject, const eg_derived *derived, eg_case *c) {
    gathering g = {.m = m, .rq = rq, .subject = subject, .derived = derived};
    g.list = eg_request_array(rq, MAX_FOUND, sizeof *g.list);
    eg_case_fact *self = eg_request_array(rq, 1, sizeof *self);
    place *of = eg_request_array(rq, 1, sizeof *of);
    const eg_case_fact **candidates = eg_request_array(rq, EG_MAX_CANDIDATES, sizeof *candidates);
    if (!g.list || !self || !of || !candidates) return EG_ENOMEM;
    *of = (place){.m = m};
    *self = (eg_case_fact){.fact = subject,
                           .statements = derived->statements,
                           .statement_count = derived->statement_count,
                           .claims = derived->claims,
                           .claim_count = derived->claim_count};
    *c = (eg_case){.size = sizeof *c, .subject = self, .candidates = candidates, .crowding = crowding, .place = of};

    eg_status s;
    if ((s = by_vectors(&g)) != EG_OK || (s = by_words(&g)) != EG_OK || (s = by_claims(&g)) != EG_OK ||
        (s = find_cleared(&g)) != EG_OK)
        return s;
    sort_found(g.list, g.count);
    for (size_t i = 0; i < g.count && c->candidate_count < EG_MAX_CANDIDATES; i++) {
        eg_fact *fact = eg_request_array(rq, 1, sizeof *fact);
        eg_case_fact *one = eg_request_array(rq, 1, sizeof *one);
        if (!fact || !one) return EG_ENOMEM;
        s = STORE(m, fact, rq, g.list[i].id, fact);
        if (s == EG_ENOENT) continue; /* erased since it was found */
        if (s != EG_OK) return s;
        int known = 0;
        if (eg_id_eq(fact->lineage_id, subject->lineage_id)) continue;
        if ((s = pair_decided(&g, fact, &known)) != EG_OK) return s;
        if (known) continue;
        if ((s = fill(&g, &g.list[i], fact, one)) != EG_OK) return s;
        candidates[c->candidate_count++] = one;
    }
    return EG_OK;
}
