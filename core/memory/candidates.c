/* candidates.c - which facts of the store a new fact is compared with: the nearest by meaning,
 * the best by words, and those with a claim about the same thing; in every scope, of any age.
 * See eg_gather. */
#include "core/memory/candidates.h"

enum {
    BY_VECTOR = 20,
    BY_STATEMENT = 6,
    BY_TEXT = 10,
    BY_CLAIM = 12,
    MAX_FOUND = 256,
    FIRST_READ = 64,
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
} gathering;

static const eg_filter everywhere = {.size = sizeof everywhere}; /* current durable facts */

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

/* The searches of a case, by vectors, words and claims, in this order. */
static size_t put_searches(const gathering *g, const eg_term *terms, size_t term_count, eg_search *out) {
    size_t n = 0;
    for (size_t i = 0; i < g->derived->vector_count; i++)
        out[n++] =
            (eg_search){.kind = EG_SEARCH_VECTOR, .vector = &g->derived->vectors[i], .limit = i ? BY_STATEMENT : BY_VECTOR};
    if (term_count) out[n++] = (eg_search){.kind = EG_SEARCH_TERMS, .terms = terms, .term_count = term_count, .limit = BY_TEXT};
    for (size_t i = 0; i < g->derived->claim_count; i++) {
        const eg_claim *c = &g->derived->claims[i];
        /* Comparable in place only: there is no key to look for. */
        if (c->subject.len == 0) continue;
        out[n++] = (eg_search){.kind = EG_SEARCH_CLAIM, .subject = c->subject, .attribute = c->attribute, .limit = BY_CLAIM};
    }
    return n;
}

static eg_status find(gathering *g) {
    static const uint32_t ways[] = {
        [EG_SEARCH_TERMS] = EG_FOUND_TEXT, [EG_SEARCH_VECTOR] = EG_FOUND_VECTOR, [EG_SEARCH_CLAIM] = EG_FOUND_CLAIM};
    eg_arena arena;
    eg_arena_init(&arena, 0);
    eg_term terms[EG_MAX_TERMS];
    size_t term_count = 0, n = 0, most = MAX_VECTORS + 1 + EG_MAX_CLAIMS;
    eg_search *searches = eg_request_array(g->rq, most, sizeof *searches);
    eg_scored_list *lists = eg_request_array(g->rq, most, sizeof *lists);
    eg_status s = searches && lists ? EG_OK : EG_ENOMEM;
    if (s == EG_OK) s = eg_text_query_terms(&arena, g->subject->content, terms, EG_MAX_TERMS, &term_count, g->rq->err);
    if (s == EG_OK) n = put_searches(g, terms, term_count, searches);
    if (n) s = STORE(g->m, search, g->rq, &everywhere, searches, n, lists);
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        uint32_t way = ways[searches[i].kind];
        for (size_t k = 0; k < lists[i].count; k++)
            note(g, lists[i].rows[k].fact, way == EG_FOUND_VECTOR ? lists[i].rows[k].score : 0, way);
    }
    eg_arena_release(&arena);
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

/* The vectors in the order of eg_case_fact.vectors; NULL where there are none, or no memory. */
static const float *const *in_order(eg_request *rq, const eg_vector *vectors, size_t n, size_t statements) {
    const float **out = n ? eg_request_array(rq, statements + 1, sizeof *out) : NULL;
    for (size_t i = 0; out && i < n; i++) {
        size_t at = vectors[i].statement == UINT32_MAX ? 0 : (size_t)vectors[i].statement + 1;
        if (at <= statements) out[at] = vectors[i].values;
    }
    return out;
}

static eg_case_fact *case_fact(const gathering *g, const found *f, const eg_fact_parts *parts) {
    eg_case_fact *out = eg_request_array(g->rq, 1, sizeof *out);
    if (!out) return NULL;
    *out = (eg_case_fact){.fact = &parts->fact,
                          .statements = parts->statements,
                          .details = parts->details,
                          .vectors = in_order(g->rq, parts->vectors, parts->vector_count, parts->statement_count),
                          .statement_count = parts->statement_count,
                          .claims = parts->claims,
                          .claim_count = parts->claim_count,
                          .cosine = f->cosine,
                          .found_by = f->by,
                          .same_agent = (uint32_t)eg_str_eq(parts->fact.agent_id, g->subject->agent_id)};
    if (!same_tree(parts->fact.scope, g->subject->scope)) out->found_by |= EG_FOUND_CROSS_SCOPE;
    return out;
}

/* Adds up to EG_MAX_CANDIDATES of the sorted list to the case. Left out are the subject's own
 * lineage and every pair that is known: as a pair of these facts, or, where people dismissed it
 * or called both valid, as a pair of facts that undo restored these from. At first only as many
 * rows are read as are usually enough. */
static eg_status add_candidates(gathering *g, const eg_case_fact **candidates, uint32_t *count) {
    eg_id ids[MAX_FOUND];
    eg_str model = g->derived->vector_count ? g->derived->vectors[0].model_id : (eg_str){0};
    for (size_t i = 0; i < g->count; i++) ids[i] = g->list[i].id;
    for (size_t at = 0, n; at < g->count && *count < EG_MAX_CANDIDATES; at += n) {
        n = at == 0 && g->count > FIRST_READ ? FIRST_READ : g->count - at;
        const eg_parts_args args = {.size = sizeof args,
                                    .flags = EG_PARTS_STATEMENTS | EG_PARTS_CLAIMS | EG_PARTS_PAIRS |
                                             (model.len ? (uint32_t)EG_PARTS_VECTORS : 0),
                                    .ids = ids + at,
                                    .count = n,
                                    .subject = g->subject->id,
                                    .model_id = model};
        eg_fact_parts *rows = NULL;
        eg_status s = STORE(g->m, parts, g->rq, &args, &rows, NULL);
        if (s != EG_OK) return s;
        for (size_t i = 0; i < n && *count < EG_MAX_CANDIDATES; i++) {
            if (rows[i].fact.seq == 0 || rows[i].pair || eg_id_eq(rows[i].fact.lineage_id, g->subject->lineage_id)) continue;
            candidates[*count] = case_fact(g, &g->list[at + i], &rows[i]);
            if (!candidates[*count]) return EG_ENOMEM;
            ++*count;
        }
    }
    return EG_OK;
}

/* ---- neighbour margins in the store ---- */

/* By how much a fact other than the two of the pair is nearer to a text than they are to each
 * other. hits: nearest first. */
static double margin_of(const eg_scored_list *list, eg_id a, eg_id b, double between) {
    const eg_scored *hits = list->rows;
    for (size_t i = 0; i < list->count; i++)
        if (!eg_id_eq(hits[i].fact, a) && !eg_id_eq(hits[i].fact, b) && hits[i].score < EG_COPY_COSINE)
            return hits[i].score > between ? hits[i].score - between : 0;
    return 0;
}

/* The distinct ones of n texts, by their place; row[i]: which of them text i is; first[k]: the
 * place of the first text that is k. Most questions of a case are about the whole subject, which
 * is searched for once. */
static size_t distinct(const eg_str *texts, size_t n, size_t *first, size_t *row) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < count && (texts[first[k]].ptr != texts[i].ptr || texts[first[k]].len != texts[i].len)) k++;
        if (k == count) first[count++] = i;
        row[i] = k;
    }
    return count;
}

/* The vector of a span that is the whole content or a statement; NULL: it is not at hand. */
static const float *vector_at_hand(const eg_case_fact *f, eg_span span) {
    if (!f->vectors) return NULL;
    if (span.start == span.end || (span.start == 0 && span.end == f->fact->content.len)) return f->vectors[0];
    for (size_t i = 0; i < f->statement_count; i++)
        if (f->statements[i].start == span.start && f->statements[i].end == span.end) return f->vectors[i + 1];
    return NULL;
}

/* The vectors of the texts first[0 .. count): those at hand, and the others embedded now. */
static eg_status vectors_of_texts(eg_memory *m, eg_request *rq, const eg_case *c, const eg_margin_question *questions,
                                  const eg_str *texts, const size_t *first, size_t count, uint32_t dimensions,
                                  const float **out) {
    eg_str *unknown = eg_request_array(rq, count, sizeof *unknown);
    size_t n = 0;
    if (!unknown) return EG_ENOMEM;
    for (size_t k = 0; k < count; k++) {
        const eg_margin_question *q = &questions[first[k] / 2];
        out[k] = first[k] % 2 ? vector_at_hand(c->candidates[q->candidate], q->span_candidate)
                              : vector_at_hand(c->subject, q->span_subject);
        if (!out[k]) unknown[n++] = texts[first[k]];
    }
    float *made = n ? eg_request_array(rq, n * dimensions, sizeof *made) : NULL;
    if (n && !made) return EG_ENOMEM;
    eg_status s = n ? SERVICES(m)->embed(m->env.host, rq, unknown, n, made, dimensions) : EG_OK;
    for (size_t k = 0; s == EG_OK && k < count; k++)
        if (!out[k]) {
            out[k] = made;
            made += dimensions;
        }
    return s;
}

static eg_status store_margins(eg_case_source *source, eg_request *rq, const eg_case *c, const eg_margin_question *questions,
                               const eg_str *texts, size_t n, eg_margin *out) {
    eg_memory *m = source->m;
    eg_str model;
    uint32_t dimensions;
    eg_status s = m->env.embed_model ? m->env.embed_model(m->env.host, &model, &dimensions, rq->err)
                                     : eg_request_fail(rq, EG_EUNAVAILABLE, "there is no embedding model");
    if (s != EG_OK) return s;
    size_t *first = eg_request_array(rq, 2 * n, sizeof *first);
    size_t *row = eg_request_array(rq, 2 * n, sizeof *row);
    if (!first || !row) return EG_ENOMEM;
    size_t count = distinct(texts, 2 * n, first, row);
    const float **v = eg_request_array(rq, count, sizeof *v);
    eg_vector *vectors = eg_request_array(rq, count, sizeof *vectors);
    eg_search *searches = eg_request_array(rq, count, sizeof *searches);
    eg_scored_list *hits = eg_request_array(rq, count, sizeof *hits);
    if (!v || !vectors || !searches || !hits) return EG_ENOMEM;
    if ((s = vectors_of_texts(m, rq, c, questions, texts, first, count, dimensions, v)) != EG_OK) return s;
    for (size_t i = 0; i < count; i++) {
        vectors[i] = (eg_vector){.dimensions = dimensions, .model_id = model, .values = v[i]};
        searches[i] = (eg_search){.kind = EG_SEARCH_VECTOR, .vector = &vectors[i], .limit = MAX_COPIES};
    }
    s = STORE(m, search, rq, &everywhere, searches, count, hits);
    if (s != EG_OK && s != EG_ENOMEM && s != EG_ECANCELLED && source->failed == EG_OK)
        source->failed = s; /* memory is the detector's own */
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        const eg_case_fact *other = c->candidates[questions[i].candidate];
        const eg_fact *a = c->subject->fact, *b = other->fact;
        size_t ra = row[2 * i], rb = row[2 * i + 1];
        double between = (double)SERVICES(m)->dot(m->env.host, v[ra], v[rb], dimensions);
        /* as the store scores whole facts: by the best of their statements */
        int wholes = texts[2 * i].len == a->content.len && texts[2 * i + 1].len == b->content.len;
        if (wholes && other->cosine > between) between = other->cosine;
        out[i] = (eg_margin){margin_of(&hits[ra], a->id, b->id, between), margin_of(&hits[rb], a->id, b->id, between)};
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
                           .details = derived->details,
                           .vectors = in_order(rq, derived->vectors, derived->vector_count, derived->statement_count),
                           .statement_count = derived->statement_count,
                           .claims = derived->claims,
                           .claim_count = derived->claim_count};
    *c = (eg_case){.size = sizeof *c, .subject = self, .candidates = candidates};

    eg_status s = find(&g);
    if (s != EG_OK) return s;
    sort_found(g.list, g.count);
    return add_candidates(&g, candidates, &c->candidate_count);
}
