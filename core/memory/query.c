/* query.c - what is known about a topic: words (BM25) and meaning (cosine) fused by reciprocal rank, then small
 * boosts. Relevance dominates by construction: all boosts together weigh less than one step of relevance that a
 * reader would notice, so a fresh off-topic fact never outranks an exact match. */
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
    eg_fact fact;
} candidate;

/* How much an agent is trusted: the share of its facts that no open or confirmed conflict touches. */
typedef struct trust {
    eg_str agent;
    double value;
} trust;

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
    trust trusted[16]; /* of this query's agents, asked once each */
    size_t trusted_count;
} search;

static candidate *entry(search *q, eg_id id) {
    for (size_t i = 0; i < q->count; i++)
        if (eg_id_eq(q->list[i].id, id)) return &q->list[i];
    if (q->count == 2 * POOL) return NULL;
    q->list[q->count] = (candidate){.id = id};
    return &q->list[q->count++];
}

static eg_status by_words(search *q) {
    eg_arena arena;
    eg_arena_init(&arena, 0);
    eg_term terms[EG_MAX_TERMS];
    size_t term_count = 0, n = 0;
    eg_scored *hits = NULL;
    eg_status s = eg_text_query_terms(&arena, q->topic, terms, EG_MAX_TERMS, &term_count, q->rq->err);
    if (s == EG_OK && term_count) s = STORE(q->m, search_text, q->rq, &q->filter, terms, term_count, POOL, &hits, &n);
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        candidate *c = entry(q, hits[i].fact);
        if (!c) break;
        c->bm25 = hits[i].score;
        c->text_rank = i + 1;
        if (hits[i].score > q->best_bm25) q->best_bm25 = hits[i].score;
    }
    eg_arena_release(&arena);
    return s;
}

static eg_status by_meaning(search *q) {
    eg_str model;
    uint32_t dimensions = 0;
    eg_status s =
        q->m->env.embed_model ? q->m->env.embed_model(q->m->env.host, &model, &dimensions, q->rq->err) : EG_EUNAVAILABLE;
    if (s == EG_EUNAVAILABLE) {
        q->text_only = 1;
        return EG_OK;
    }
    if (s != EG_OK) return s;
    float *v = eg_request_array(q->rq, dimensions, sizeof *v);
    if (!v) return EG_ENOMEM;
    s = (q->m->env.embed_query ? q->m->env.embed_query : SERVICES(q->m)->embed)(q->m->env.host, q->rq, &q->topic, 1, v,
                                                                                dimensions);
    if (s != EG_OK) return s;
    eg_scored *hits = NULL;
    size_t n = 0;
    s = STORE(q->m, search_vectors, q->rq, &q->filter, model, v, dimensions, POOL, &hits, &n);
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        candidate *c = hits[i].score >= LEAST_COSINE ? entry(q, hits[i].fact) : NULL;
        if (!c) continue;
        c->cosine = hits[i].score;
        c->vector_rank = i + 1;
    }
    return s;
}

static double reciprocal(size_t rank) { return rank ? (RRF_K + 1.0) / (RRF_K + (double)rank) : 0; }

static eg_status trust_in(search *q, eg_str agent, double *value) {
    for (size_t i = 0; i < q->trusted_count; i++) {
        *value = q->trusted[i].value;
        if (eg_str_eq(q->trusted[i].agent, agent)) return EG_OK;
    }
    uint64_t commits = 0, flagged = 0;
    eg_status s = STORE(q->m, agent, q->rq, q->rq->workspace, agent, &commits, &flagged);
    if (s != EG_OK && s != EG_ENOENT) return s;
    *value = 1; /* an agent that the registry does not know */
    if (commits) *value -= (double)(flagged < commits ? flagged : commits) / (double)commits;
    if (q->trusted_count < sizeof q->trusted / sizeof *q->trusted) q->trusted[q->trusted_count++] = (trust){agent, *value};
    return EG_OK;
}

static eg_status score(search *q, candidate *c, int64_t now) {
    double ways = q->text_only ? 1 : 2;
    double rank = (reciprocal(c->text_rank) + reciprocal(c->vector_rank)) / ways;
    double words = q->best_bm25 > 0 ? c->bm25 / q->best_bm25 : 0;
    double meaning = c->cosine > 0 ? c->cosine : 0;
    c->relevance = q->text_only ? 0.6 * rank + 0.4 * words : W_RANK * rank + W_MEANING * meaning + W_WORDS * words;
    if (c->relevance > 1) c->relevance = 1;

    const eg_fact *f = &c->fact;
    double days = (double)(now > f->committed_at ? now - f->committed_at : 0) / (86400e6), trusted;
    eg_status s = trust_in(q, f->agent_id, &trusted);
    if (s != EG_OK) return s;
    c->score = c->relevance + BOOST_RECENCY * exp(-days / RECENCY_DAYS) + BOOST_TRUST * trusted +
               (f->fact_type == EG_FACT_DECISION ? BOOST_DECISION : 0) + (f->provenance.len ? BOOST_VERIFIED : 0) +
               (f->corroborations ? BOOST_CORROBORATED : 0);
    return EG_OK;
}

static void sort_by_score(candidate **list, size_t n) {
    for (size_t i = 1; i < n; i++) {
        candidate *c = list[i];
        size_t at = i;
        for (; at > 0 &&
               (c->score > list[at - 1]->score || (c->score == list[at - 1]->score && c->fact.seq > list[at - 1]->fact.seq));
             at--)
            list[at] = list[at - 1];
        list[at] = c;
    }
}

static eg_str explain(search *q, const candidate *c) {
    char words[32] = "", meaning[32] = "";
    if (c->text_rank) snprintf(words, sizeof words, "words %.2f", c->bm25 / q->best_bm25);
    if (c->vector_rank) snprintf(meaning, sizeof meaning, "%smeaning %.2f", c->text_rank ? ", " : "", c->cosine);
    return eg_request_printf(q->rq, "%s%s%s%s%s", words, meaning, c->fact.fact_type == EG_FACT_DECISION ? "; decision" : "",
                             c->fact.provenance.len ? "; verified" : "", c->fact.corroborations ? "; corroborated" : "");
}

static eg_status to_hit(search *q, const candidate *c, eg_hit *out) {
    *out = (eg_hit){.fact = c->fact, .relevance = c->relevance, .why = explain(q, c)};
    if (!out->why.ptr) return EG_ENOMEM;
    if (c->fact.open_conflicts == 0) return EG_OK;
    eg_conflict_filter filter = {
        .workspace = q->rq->workspace, .status = EG_CONFLICT_OPEN, .fact = c->id, .limit = EG_MAX_LISTED};
    eg_conflict *rows = NULL;
    eg_status s = STORE(q->m, conflicts, q->rq, &filter, &rows, &out->open_conflict_count);
    if (s != EG_OK) return s;
    out->open_conflicts = eg_request_array(q->rq, out->open_conflict_count, sizeof(eg_id));
    if (!out->open_conflicts) return EG_ENOMEM;
    for (size_t i = 0; i < out->open_conflict_count; i++) out->open_conflicts[i] = rows[i].id;
    return EG_OK;
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
    q->filter = (eg_filter){.workspace = q->rq->workspace,
                            .at = a->as_of,
                            .as_of = a->as_of != 0,
                            .history = a->include_history,
                            .ephemeral = a->include_ephemeral,
                            .fact_type = a->fact_type,
                            .agent_id = a->agent_id};
    return eg_check_scope(q->rq, a->scope, 1, &q->filter.scope);
}

eg_status eg_memory_query(eg_memory *m, eg_request *rq, const eg_query_args *args, eg_hits *out) {
    *out = (eg_hits){0};
    search q = {.m = m, .rq = rq, .args = args};
    eg_status s = prepare(&q, out);
    if (s != EG_OK) return s;
    if (!(q.list = eg_request_array(rq, 2 * POOL, sizeof *q.list))) return EG_ENOMEM;
    if ((s = by_words(&q)) != EG_OK || (s = by_meaning(&q)) != EG_OK) return s;
    out->text_only = q.text_only;

    int64_t now;
    if ((s = eg_now(m, rq, &now)) != EG_OK) return s;
    candidate **ranked = eg_request_array(rq, q.count, sizeof *ranked);
    if (!ranked) return EG_ENOMEM;
    size_t n = 0;
    for (size_t i = 0; i < q.count; i++) {
        candidate *c = &q.list[i];
        s = STORE(m, fact, rq, c->id, &c->fact);
        if (s == EG_ENOENT) continue;
        if (s == EG_OK) s = score(&q, c, now);
        if (s != EG_OK) return s;
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
