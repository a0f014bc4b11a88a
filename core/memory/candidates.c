/* candidates.c - which facts of the store a new fact is compared with: the nearest by meaning, the best by words,
 * and those with a claim about the same thing; in every scope, of any age. See eg_gather. */
#include "core/memory/candidates.h"

enum {
    BY_VECTOR = 20,
    BY_STATEMENT = 6,
    BY_TEXT = 10,
    BY_CLAIM = 12,
    MAX_FOUND = 256,
    MAX_COPIES = 8 /* of a text and its pair, to look past */
};

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

/* ---- neighbour margins in the store ---- */

/* By how much a fact other than the two of the pair is nearer to a text than they are to each other. hits: nearest first. */
static double margin_of(const eg_scored *hits, size_t n, eg_id a, eg_id b, double between) {
    for (size_t i = 0; i < n; i++)
        if (!eg_id_eq(hits[i].fact, a) && !eg_id_eq(hits[i].fact, b) && hits[i].score < EG_COPY_COSINE)
            return hits[i].score > between ? hits[i].score - between : 0;
    return 0;
}

/* The distinct ones of n texts, by their place; row[i]: which of them text i is. Most questions of a case are about the whole
 * subject, which is embedded and searched for once. */
static size_t distinct(const eg_str *texts, size_t n, eg_str *out, size_t *row) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < count && (out[k].ptr != texts[i].ptr || out[k].len != texts[i].len)) k++;
        if (k == count) out[count++] = texts[i];
        row[i] = k;
    }
    return count;
}

static eg_status store_margins(eg_case_source *source, eg_request *rq, const eg_case *c, const eg_margin_question *questions,
                               const eg_str *texts, size_t n, eg_margin *out) {
    eg_memory *m = source->m;
    eg_str model;
    uint32_t dimensions;
    eg_filter filter = {.workspace = rq->workspace, .fact_type = -1};
    eg_status s = m->env.embed_model ? m->env.embed_model(m->env.host, &model, &dimensions, rq->err)
                                     : eg_request_fail(rq, EG_EUNAVAILABLE, "there is no embedding model");
    if (s != EG_OK) return s;
    eg_str *unique = eg_request_array(rq, 2 * n, sizeof *unique);
    size_t *row = eg_request_array(rq, 2 * n, sizeof *row);
    if (!unique || !row) return EG_ENOMEM;
    size_t count = distinct(texts, 2 * n, unique, row);
    float *v = eg_request_array(rq, count * dimensions, sizeof *v);
    eg_scored **hits = eg_request_array(rq, count, sizeof *hits);
    size_t *hit_count = eg_request_array(rq, count, sizeof *hit_count);
    if (!v || !hits || !hit_count) return EG_ENOMEM;
    if ((s = SERVICES(m)->embed(m->env.host, rq, unique, count, v, dimensions)) != EG_OK) return s;
    for (size_t i = 0; s == EG_OK && i < count; i++)
        s = STORE(m, search_vectors, rq, &filter, model, v + i * dimensions, dimensions, MAX_COPIES, &hits[i], &hit_count[i]);
    if (s != EG_OK && s != EG_ENOMEM && s != EG_ECANCELLED && source->failed == EG_OK)
        source->failed = s; /* memory is the detector's own */
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        const eg_case_fact *other = c->candidates[questions[i].candidate];
        const eg_fact *a = c->subject->fact, *b = other->fact;
        size_t ra = row[2 * i], rb = row[2 * i + 1];
        double between = (double)SERVICES(m)->dot(m->env.host, v + ra * dimensions, v + rb * dimensions, dimensions);
        /* as the store scores whole facts: by the best of their statements */
        int wholes = texts[2 * i].len == a->content.len && texts[2 * i + 1].len == b->content.len;
        if (wholes && other->cosine > between) between = other->cosine;
        out[i] = (eg_margin){margin_of(hits[ra], hit_count[ra], a->id, b->id, between),
                             margin_of(hits[rb], hit_count[rb], a->id, b->id, between)};
    }
    return s;
}

eg_case_source eg_store_neighbours(eg_memory *m) { return (eg_case_source){.margins = store_margins, .m = m}; }

eg_status eg_gather(eg_memory *m, eg_request *rq, const eg_fact *subject, const eg_derived *derived, eg_case *c) {
    gathering g = {.m = m, .rq = rq, .subject = subject, .derived = derived};
    g.list = eg_request_array(rq, MAX_FOUND, sizeof *g.list);
    eg_case_fact *self = eg_request_array(rq, 1, sizeof *self);
    const eg_case_fact **candidates = eg_request_array(rq, EG_MAX_CANDIDATES, sizeof *candidates);
    if (!g.list || !self || !candidates) return EG_ENOMEM;
    *self = (eg_case_fact){.fact = subject,
                           .statements = derived->statements,
                           .statement_count = derived->statement_count,
                           .claims = derived->claims,
                           .claim_count = derived->claim_count};
    *c = (eg_case){.size = sizeof *c, .subject = self, .candidates = candidates};

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
