/* query.c - what is known about a topic: words (BM25) and meaning (cosine) fused by reciprocal
 * rank, then small boosts. Relevance dominates by construction: all boosts together weigh less
 * than one step of relevance that a reader would notice, so a fresh off-topic fact never
 * outranks an exact match. */
#include "core/memory/query.h"

#include <math.h>

#include "core/base/utf8.h"
#include "core/memory/arguments.h"
#include "core/memory/hits.h"
#include "core/text/text.h"

enum { DEFAULT_LIMIT = 10, POOL = 60, RRF_K = 60 };
#define LEAST_COSINE 0.22 /* below it, and without a common word, a fact is about something else */
#define RECENCY_DAYS 30.0

/* Weights: the two relevance parts sum to 1; the boosts sum to 0.10. */
#define W_RANK 0.45
#define W_MEANING 0.35
#define W_WORDS 0.20
#define BOOST_RECENCY 0.03
#define BOOST_TRUST 0.02
#define BOOST_DECISION 0.02
#define BOOST_VERIFIED 0.02
#define BOOST_CORROBORATED 0.01

typedef struct candidate {
    eg_id id;
    double bm25, cosine;           /* 0: not found that way */
    size_t text_rank, vector_rank; /* from 1; 0: not found that way */
    double relevance, score;
    const eg_fact_parts *parts; /* with fact, trust in its agent and its open conflicts */
} candidate;

typedef struct search {
    eg_memory *m;
    eg_request *rq;
    const eg_query_args *args;
    eg_str topic;
    eg_filter filter;
    candidate *list;
    size_t count;
    double best_bm25;
    uint32_t text_only;
} search;

static candidate *entry(search *q, eg_id id) {
    for (size_t i = 0; i < q->count; i++)
        if (eg_id_eq(q->list[i].id, id)) return &q->list[i];
    if (q->count == 2 * POOL) return NULL;
    q->list[q->count] = (candidate){.id = id};
    return &q->list[q->count++];
}

/* The vector of the topic; values NULL when there is no embedding model. */
static eg_status embed_topic(search *q, eg_vector *out) {
    const eg_memory_env *env = &q->m->env;
    float *v = NULL;
    eg_status s = env->embed_model ? env->embed_model(env->host, &out->model_id, &out->dimensions, q->rq->err) : EG_EUNAVAILABLE;
    q->text_only = s == EG_EUNAVAILABLE;
    if (s != EG_OK) return q->text_only ? EG_OK : s;
    if (!(v = eg_request_array(q->rq, out->dimensions, sizeof *v))) return EG_ENOMEM;
    out->values = v;
    return (env->embed_query ? env->embed_query : SERVICES(q->m)->embed)(env->host, q->rq, &q->topic, 1, v, out->dimensions);
}

static void note_words(search *q, const eg_scored_list *found) {
    for (size_t i = 0; i < found->count; i++) {
        candidate *c = entry(q, found->rows[i].fact);
        if (!c) return;
        c->bm25 = found->rows[i].score;
        c->text_rank = i + 1;
        if (c->bm25 > q->best_bm25) q->best_bm25 = c->bm25;
    }
}

static void note_meaning(search *q, const eg_scored_list *found) {
    for (size_t i = 0; i < found->count; i++) {
        candidate *c = found->rows[i].score >= LEAST_COSINE ? entry(q, found->rows[i].fact) : NULL;
        if (!c) continue;
        c->cosine = found->rows[i].score;
        c->vector_rank = i + 1;
    }
}

/* By words and by meaning, in one call of the store. */
static eg_status find(search *q) {
    eg_arena arena;
    eg_arena_init(&arena, 0);
    eg_term terms[EG_MAX_TERMS];
    eg_vector vector = {0};
    eg_search searches[2];
    eg_scored_list lists[2] = {{0}, {0}};
    size_t term_count = 0, n = 0;
    eg_status s = eg_text_query_terms(&arena, q->topic, terms, EG_MAX_TERMS, &term_count, q->rq->err);
    if (s == EG_OK) s = embed_topic(q, &vector);
    if (term_count) searches[n++] = (eg_search){.kind = EG_SEARCH_TERMS, .terms = terms, .term_count = term_count, .limit = POOL};
    if (vector.values) searches[n++] = (eg_search){.kind = EG_SEARCH_VECTOR, .vector = &vector, .limit = POOL};
    if (s == EG_OK && n) s = STORE(q->m, search, q->rq, &q->filter, searches, n, lists);
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        if (searches[i].kind == EG_SEARCH_TERMS) note_words(q, &lists[i]);
        else note_meaning(q, &lists[i]);
    }
    eg_arena_release(&arena);
    return s;
}

/* Adds the facts to what was found, with all that the answer needs of them. */
static eg_status read_found(search *q, int64_t *now) {
    eg_id ids[2 * POOL];
    for (size_t i = 0; i < q->count; i++) ids[i] = q->list[i].id;
    const eg_parts_args args = {
        .size = sizeof args, .flags = EG_PARTS_TRUST | EG_PARTS_CONFLICTS | EG_PARTS_SUSPECTED, .ids = ids, .count = q->count};
    eg_fact_parts *rows = NULL;
    eg_status s = q->count ? STORE(q->m, parts, q->rq, &args, &rows, now) : EG_OK;
    for (size_t i = 0; s == EG_OK && i < q->count; i++) q->list[i].parts = &rows[i];
    return s;
}

static double reciprocal(size_t rank) { return rank ? (RRF_K + 1.0) / (RRF_K + (double)rank) : 0; }

/* How much an agent is trusted: the share of its facts that no open or confirmed conflict
 * touches; whole for one that the store does not know. */
static double trust_in(const eg_fact_parts *p) {
    if (p->agent_commits == 0) return 1;
    uint64_t flagged = p->agent_flagged < p->agent_commits ? p->agent_flagged : p->agent_commits;
    return 1 - (double)flagged / (double)p->agent_commits;
}

static void score(const search *q, candidate *c, int64_t now) {
    double ways = q->text_only ? 1 : 2;
    double rank = (reciprocal(c->text_rank) + reciprocal(c->vector_rank)) / ways;
    double words = q->best_bm25 > 0 ? c->bm25 / q->best_bm25 : 0;
    double meaning = c->cosine > 0 ? c->cosine : 0;
    c->relevance = q->text_only ? 0.6 * rank + 0.4 * words : W_RANK * rank + W_MEANING * meaning + W_WORDS * words;
    if (c->relevance > 1) c->relevance = 1;

    const eg_fact *f = &c->parts->fact;
    double days = (double)(now > f->committed_at ? now - f->committed_at : 0) / (86400e6);
    c->score = c->relevance + BOOST_RECENCY * exp(-days / RECENCY_DAYS) + BOOST_TRUST * trust_in(c->parts) +
               (f->fact_type == EG_FACT_DECISION ? BOOST_DECISION : 0) + (f->provenance.len ? BOOST_VERIFIED : 0) +
               (f->corroborations ? BOOST_CORROBORATED : 0);
}

static void sort_by_score(candidate **list, size_t n) {
    for (size_t i = 1; i < n; i++) {
        candidate *c = list[i];
        size_t at = i;
        for (; at > 0 && (c->score > list[at - 1]->score ||
                          (c->score == list[at - 1]->score && c->parts->fact.seq > list[at - 1]->parts->fact.seq));
             at--)
            list[at] = list[at - 1];
        list[at] = c;
    }
}

static eg_str explain(const search *q, const candidate *c) {
    const eg_fact *f = &c->parts->fact;
    char words[32] = "", meaning[32] = "";
    if (c->text_rank) snprintf(words, sizeof words, "words %.2f", c->bm25 / q->best_bm25);
    if (c->vector_rank) snprintf(meaning, sizeof meaning, "%smeaning %.2f", c->text_rank ? ", " : "", c->cosine);
    return eg_request_printf(q->rq, "%s%s%s%s%s", words, meaning, f->fact_type == EG_FACT_DECISION ? "; decision" : "",
                             f->provenance.len ? "; verified" : "", f->corroborations ? "; corroborated" : "");
}

static eg_status to_hit(const search *q, const candidate *c, eg_hit *out) {
    *out = (eg_hit){.fact = c->parts->fact,
                    .relevance = c->relevance,
                    .why = explain(q, c),
                    .open_conflicts = c->parts->conflicts,
                    .open_conflict_count = c->parts->conflict_count,
                    .suspected = c->parts->suspected,
                    .suspected_count = c->parts->suspected_count};
    return out->why.ptr ? EG_OK : EG_ENOMEM;
}

static eg_status prepare(search *q, eg_hits *out) {
    const eg_query_args *a = q->args;
    q->topic = a->topic;
    if (q->topic.len > EG_MAX_TOPIC) {
        q->topic.len = eg_utf8_floor(q->topic.ptr, q->topic.len, EG_MAX_TOPIC);
        out->topic_cut = 1;
    }
    eg_status s = eg_check_text(q->rq, "topic", q->topic, EG_MAX_TOPIC, 1);
    if (s == EG_OK) s = eg_check_text(q->rq, "agent_id", a->agent_id, EG_MAX_NAME, 0);
    if (s != EG_OK) return s;
    if (a->limit > EG_MAX_RESULTS)
        return eg_request_fail(q->rq, EG_EINVAL, "limit is %u: give 1 to %d", a->limit, EG_MAX_RESULTS);
    if (a->fact_type > EG_FACT_DECISION) return eg_request_fail(q->rq, EG_EINVAL, "fact_type is out of range");
    q->filter = (eg_filter){.size = sizeof q->filter,
                            .flags = (a->as_of ? EG_FILTER_AS_OF : 0u) | (a->include_history ? EG_FILTER_HISTORY : 0u) |
                                     (a->include_ephemeral ? EG_FILTER_EPHEMERAL : 0u),
                            .agent_id = a->agent_id,
                            .at = a->as_of,
                            .fact_types = a->fact_type < 0 ? 0 : 1u << a->fact_type};
    return eg_check_scope(q->rq, a->scope, 1, &q->filter.scope);
}

eg_status eg_memory_query(eg_memory *m, eg_request *rq, const eg_query_args *args, eg_hits *out) {
    *out = (eg_hits){0};
    search q = {.m = m, .rq = rq, .args = args};
    eg_status s = prepare(&q, out);
    if (s != EG_OK) return s;
    if (!(q.list = eg_request_array(rq, 2 * POOL, sizeof *q.list))) return EG_ENOMEM;
    int64_t now = 0;
    if ((s = find(&q)) != EG_OK || (s = read_found(&q, &now)) != EG_OK) return s;
    out->text_only = q.text_only;

    candidate **ranked = eg_request_array(rq, q.count, sizeof *ranked);
    if (!ranked) return EG_ENOMEM;
    size_t n = 0;
    for (size_t i = 0; i < q.count; i++) {
        candidate *c = &q.list[i];
        if (c->parts->fact.seq == 0) continue; /* erased since it was found */
        score(&q, c, now);
        ranked[n++] = c;
    }
    sort_by_score(ranked, n);
    size_t limit = args->limit ? args->limit : DEFAULT_LIMIT;
    if (n > limit) n = limit;
    if (!(out->hits = eg_request_array(rq, n, sizeof *out->hits))) return EG_ENOMEM;
    for (; out->count < n; out->count++)
        if ((s = to_hit(&q, ranked[out->count], &out->hits[out->count])) != EG_OK) return s;
    eg_hits_note(m, rq->workspace, out->hits, out->count);
    return EG_OK;
}
