/* query.c - what is known about a topic: facts that are near in meaning (cosine) and share words
 * (BM25), with small boosts. Both parts are absolute: what a fact matches depends on the topic and
 * on itself, not on what else was found, so that a low relevance means that nothing is known. The
 * order also depends on the rest: behind the first hits come facts that are near to the best ones.
 * bench/retrieval.py measures all of it. */
#include "core/memory/query.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/utf8.h"
#include "core/memory/arguments.h"
#include "core/memory/hits.h"
#include "core/memory/neighbours.h"
#include "core/memory/scope_vectors.h"
#include "core/text/text.h"

enum {
    DEFAULT_LIMIT = 10,
    POOL = 60,
    MOST_FOUND = 4 * POOL,
    WEIGHED = 30, /* facts at least whose scopes and neighbours decide too */
    SETTLED = 2   /* so many come first by their match, whatever is near to them */
};
#define RECENCY_DAYS 30.0

/* How much a full match of words weighs against a cosine of 1 ("query_words" beside the model, or a
 * setting), and which share of a topic's words is too little to count. Chosen on dev. */
#define WORDS_WEIGHT 0.4
#define WORDS_LEAST 0.1
/* Where even the best match is worse, nothing is known: so it was of no query of dev. */
#define NOTHING_KNOWN 0.10
/* A scope that is preferred: worth so much cosine. */
#define SCOPE_WEIGHT 0.3
/* What a scope is worth whose name means what the topic does, and what nearness to the best facts
 * is. Chosen on dev. */
#define SCOPE_NEARNESS 0.1
#define NEIGHBOURS_WEIGHT 0.2
/* How much of its match an ephemeral fact keeps: working notes come behind what is known. */
#define EPHEMERAL_SHARE 0.6
/* The boosts decide between equals: together at most 0.015 of cosine, of which a pin, which
 * somebody meant so, is the largest. */
#define BOOST_PINNED 0.005
#define BOOST_RECENCY 0.003
#define BOOST_TRUST 0.002
#define BOOST_DECISION 0.002
#define BOOST_VERIFIED 0.002
#define BOOST_CORROBORATED 0.001
#define BOOSTS 0.015

/* Relevance is the share of facts with this match that answer the query, as a logistic function of
 * it. The more facts a memory has, the more of them match by chance: the function is fitted over
 * dev in memories of SMALL facts and of LARGE, and lies between by the logarithm of the size. */
#define SMALL 40.0
#define LARGE 6000.0
typedef struct calibration {
    double offset, slope;
} calibration;
static const calibration by_meaning[] = {{-5.3, 11.0}, {-9.6, 14.2}}, by_words[] = {{-3.0, 14.5}, {-6.9, 17.1}};

typedef struct candidate {
    eg_id id;
    double bm25, cosine;        /* as far as it was found that way */
    int has_cosine;             /* found by meaning */
    int outside;                /* of the scope that is preferred */
    double words, match;        /* share of the topic's words; with meaning */
    double score;               /* with scope, boosts and neighbours: decides the order */
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
    double attainable, best_bm25; /* attainable: by a fact with all words; 0: unknown */
    double last_cosine;           /* the least that was found */
    double words_weight;
    eg_vector vector; /* of the topic; values NULL: there is no model */
    uint64_t facts;   /* of the workspace, up to EG_MAX_COUNTED */
    uint32_t text_only;
} search;

static candidate *entry(search *q, eg_id id) {
    for (size_t i = 0; i < q->count; i++)
        if (eg_id_eq(q->list[i].id, id)) return &q->list[i];
    if (q->count == MOST_FOUND) return NULL;
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
        if (c->bm25 > q->best_bm25) q->best_bm25 = c->bm25;
    }
}

static void note_meaning(search *q, const eg_scored_list *found) {
    for (size_t i = 0; i < found->count; i++) {
        candidate *c = entry(q, found->rows[i].fact);
        if (!c) return;
        c->cosine = found->rows[i].score;
        c->has_cosine = 1;
        if (c->cosine < q->last_cosine) q->last_cosine = c->cosine;
    }
}

static int prefers_scope(const search *q) { return (q->args->flags & EG_QUERY_PREFER_SCOPE) && q->filter.scope.len; }

/* By words and by meaning, in one call of the store; in two where the scope is preferred, so that
 * neither what is inside nor what is outside crowds out the other. */
static eg_status find(search *q) {
    eg_arena arena;
    eg_arena_init(&arena, 0);
    eg_term terms[EG_MAX_TERMS];
    eg_search searches[2];
    eg_scored_list lists[2] = {{0}, {0}};
    size_t term_count = 0, n = 0;
    eg_status s = eg_text_query_terms(&arena, q->topic, terms, EG_MAX_TERMS, &term_count, q->rq->err);
    if (s == EG_OK) s = embed_topic(q, &q->vector);
    if (term_count)
        searches[n++] = (eg_search){
            .kind = EG_SEARCH_TERMS, .terms = terms, .term_count = term_count, .limit = POOL, .attainable = &q->attainable};
    if (q->vector.values) searches[n++] = (eg_search){.kind = EG_SEARCH_VECTOR, .vector = &q->vector, .limit = POOL};
    if (n) searches[0].facts = &q->facts;
    for (int everywhere = 0; everywhere <= prefers_scope(q) && s == EG_OK && n; everywhere++) {
        eg_filter filter = q->filter;
        if (everywhere) filter.scope = (eg_str){"", 0};
        s = STORE(q->m, search, q->rq, &filter, searches, n, lists);
        for (size_t i = 0; s == EG_OK && i < n; i++) {
            if (searches[i].kind == EG_SEARCH_TERMS) note_words(q, &lists[i]);
            else note_meaning(q, &lists[i]);
        }
    }
    eg_arena_release(&arena);
    return s;
}

/* How well a fact matches the topic, by what the search said of it. */
static void match(const search *q, candidate *c) {
    double most = q->attainable > 0 ? q->attainable : q->best_bm25;
    /* of what a fact with all words would score */
    c->words = most <= 0 ? 0 : c->bm25 < most ? c->bm25 / most : 1;
    double words = c->words > WORDS_LEAST ? c->words - WORDS_LEAST : 0;
    /* one that was found by words alone is no nearer than the last one that was found by meaning */
    double meaning = c->has_cosine ? c->cosine : q->last_cosine;
    c->match = q->text_only ? c->words : meaning + q->words_weight * words;
}

static int by_match(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    return (x->match < y->match) - (x->match > y->match);
}

/* The facts whose order is decided by more than their own match. */
static size_t weighed(const search *q, size_t limit) { return q->text_only || limit > WEIGHED ? limit : WEIGHED; }

/* Leaves out what no boost can bring among the first `limit`: reading a fact takes longer than
 * finding it. What is only known of a fact that was read may weigh more than the boosts where a
 * scope is preferred or ephemeral facts are asked for too. */
static void leave_out_hopeless(search *q, size_t limit) {
    for (size_t i = 0; i < q->count; i++) match(q, &q->list[i]);
    if (prefers_scope(q) || (q->filter.flags & EG_FILTER_EPHEMERAL) || q->count <= limit) return;
    qsort(q->list, q->count, sizeof *q->list, by_match);
    size_t kept = limit;
    while (kept < q->count && q->list[kept].match >= q->list[limit - 1].match - BOOSTS) kept++;
    q->count = kept;
}

/* Adds the facts to what was found, with all that the answer needs of them. */
static eg_status read_found(search *q, int64_t *now) {
    eg_id ids[MOST_FOUND];
    for (size_t i = 0; i < q->count; i++) ids[i] = q->list[i].id;
    const eg_parts_args args = {
        .size = sizeof args, .flags = EG_PARTS_TRUST | EG_PARTS_CONFLICTS | EG_PARTS_SUSPECTED, .ids = ids, .count = q->count};
    eg_fact_parts *rows = NULL;
    eg_status s = q->count ? STORE(q->m, parts, q->rq, &args, &rows, now) : EG_OK;
    for (size_t i = 0; s == EG_OK && i < q->count; i++) q->list[i].parts = &rows[i];
    return s;
}

/* How much an agent is trusted: the share of its facts that no open or confirmed conflict
 * touches; whole for one that the store does not know. */
static double trust_in(const eg_fact_parts *p) {
    if (p->agent_commits == 0) return 1;
    uint64_t flagged = p->agent_flagged < p->agent_commits ? p->agent_flagged : p->agent_commits;
    return 1 - (double)flagged / (double)p->agent_commits;
}

static double boosts_of(const eg_fact_parts *parts, int64_t now) {
    const eg_fact *f = &parts->fact;
    double days = (double)(now > f->committed_at ? now - f->committed_at : 0) / (86400e6);
    int pinned = (f->marks & EG_MARK_PINNED) != 0; /* it does not age */
    return (pinned ? BOOST_PINNED : 0) + BOOST_RECENCY * (pinned ? 1 : exp(-days / RECENCY_DAYS)) +
           BOOST_TRUST * trust_in(parts) + (f->fact_type == EG_FACT_DECISION ? BOOST_DECISION : 0) +
           (f->provenance.len ? BOOST_VERIFIED : 0) + (f->corroborations ? BOOST_CORROBORATED : 0);
}

static double share_of(const eg_fact *f) { return f->durability == EG_DURABILITY_EPHEMERAL ? EPHEMERAL_SHARE : 1; }

static void score(const search *q, candidate *c, int64_t now) {
    c->match *= share_of(&c->parts->fact);
    c->outside = prefers_scope(q) && !eg_text_scope_within(c->parts->fact.scope, q->filter.scope);
    c->score = c->match + (c->outside ? 0 : SCOPE_WEIGHT) + boosts_of(c->parts, now);
}

static double relevance_of(const search *q, const candidate *c) {
    const calibration *fit = q->text_only ? by_words : by_meaning;
    double size = fmin(fmax((double)q->facts, SMALL), LARGE), large = log(size / SMALL) / log(LARGE / SMALL);
    double offset = fit[0].offset + large * (fit[1].offset - fit[0].offset);
    double slope = fit[0].slope + large * (fit[1].slope - fit[0].slope);
    return 1 / (1 + exp(-(offset + slope * c->match)));
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

/* The vectors of the contents of n facts: NULL for those that have none. */
static eg_status read_contents(const search *q, candidate *const *list, size_t n, eg_neighbour *out) {
    eg_id *ids = eg_request_array(q->rq, n, sizeof *ids);
    if (!ids) return EG_ENOMEM;
    for (size_t i = 0; i < n; i++) ids[i] = list[i]->id;
    const eg_parts_args args = {
        .size = sizeof args, .flags = EG_PARTS_VECTORS, .ids = ids, .count = n, .model_id = q->vector.model_id};
    eg_fact_parts *rows = NULL;
    eg_status s = STORE(q->m, parts, q->rq, &args, &rows, NULL);
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        size_t last = rows[i].vector_count;
        const eg_vector *v = last ? &rows[i].vectors[last - 1] : NULL;
        int whole = v && v->statement == UINT32_MAX && v->dimensions == q->vector.dimensions;
        out[i].content = whole ? v->values : NULL;
    }
    return s;
}

/* Adds what the names of their scopes have to do with the topic. A name whose meaning is not known
 * yet counts as the others do on average. */
static eg_status weigh_scopes(const search *q, candidate **list, size_t n) {
    const eg_services *services = SERVICES(q->m);
    eg_str *scopes = eg_request_array(q->rq, n, sizeof *scopes);
    const float **names = eg_request_array(q->rq, n, sizeof *names);
    double *nearness = eg_request_array(q->rq, n, sizeof *nearness), sum = 0;
    size_t known = 0;
    if (!scopes || !names || !nearness) return EG_ENOMEM;
    for (size_t i = 0; i < n; i++) scopes[i] = list[i]->parts->fact.scope;
    eg_status s = eg_scope_vectors(q->m, q->rq, &q->vector, scopes, n, names);
    if (s == EG_ENOMEM || s == EG_ECANCELLED) return s;
    if (s != EG_OK) { /* the order by what matches will do */
        *q->rq->err = (eg_error){0};
        return EG_OK;
    }
    for (size_t i = 0; i < n; i++) {
        if (!names[i]) continue;
        nearness[i] = (double)services->dot(services->host, q->vector.values, names[i], q->vector.dimensions);
        sum += nearness[i];
        known++;
    }
    for (size_t i = 0; known && i < n; i++) list[i]->score += SCOPE_NEARNESS * (names[i] ? nearness[i] : sum / (double)known);
    return EG_OK;
}

/* Adds to all but the first ones how near they are to the best. */
static eg_status weigh_neighbours(const search *q, candidate **list, size_t n) {
    eg_neighbour *rows = eg_request_array(q->rq, n, sizeof *rows);
    double *nearness = eg_request_array(q->rq, n, sizeof *nearness);
    if (!rows || !nearness) return EG_ENOMEM;
    eg_status s = read_contents(q, list, n, rows);
    if (s != EG_OK) return s;
    for (size_t i = 0; i < n; i++) {
        rows[i].scope = list[i]->parts->fact.scope;
        rows[i].score = list[i]->score;
    }
    eg_neighbours_nearness(q->m, rows, n, q->vector.dimensions, nearness);
    for (size_t i = SETTLED; i < n; i++) list[i]->score += NEIGHBOURS_WEIGHT * share_of(&list[i]->parts->fact) * nearness[i];
    return EG_OK;
}

/* Decides the order of the n best. */
static eg_status weigh(const search *q, candidate **list, size_t n) {
    if (!q->vector.values || n < 2) return EG_OK;
    eg_status s = weigh_scopes(q, list, n);
    if (s != EG_OK) return s;
    sort_by_score(list, n);
    if (n <= SETTLED || (s = weigh_neighbours(q, list, n)) != EG_OK) return s;
    sort_by_score(list + SETTLED, n - SETTLED);
    return EG_OK;
}

static eg_str explain(const search *q, const candidate *c) {
    const eg_fact *f = &c->parts->fact;
    char words[32] = "", meaning[32] = "";
    if (c->bm25 > 0) snprintf(words, sizeof words, "words %.2f", c->words);
    if (c->has_cosine) snprintf(meaning, sizeof meaning, "%smeaning %.2f", words[0] ? ", " : "", c->cosine);
    return eg_request_printf(q->rq, "%s%s%s%s%s%s%s%s", words, meaning, c->outside ? "; outside the scope" : "",
                             f->fact_type == EG_FACT_DECISION ? "; decision" : "", f->provenance.len ? "; has evidence" : "",
                             f->corroborations ? "; corroborated" : "", f->marks & EG_MARK_PINNED ? "; pinned" : "",
                             f->durability == EG_DURABILITY_EPHEMERAL ? "; ephemeral" : "");
}

static eg_status to_hit(const search *q, const candidate *c, eg_hit *out) {
    *out = (eg_hit){.fact = c->parts->fact,
                    .relevance = relevance_of(q, c),
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
    search q = {.m = m, .rq = rq, .args = args, .last_cosine = 1};
    q.words_weight = SERVICES(m)->threshold(m->env.host, "query_words", WORDS_WEIGHT);
    eg_status s = prepare(&q, out);
    if (s != EG_OK) return s;
    if (!(q.list = eg_request_array(rq, MOST_FOUND, sizeof *q.list))) return EG_ENOMEM;
    int64_t now = 0;
    size_t limit = args->limit ? args->limit : DEFAULT_LIMIT;
    if ((s = find(&q)) != EG_OK) return s;
    leave_out_hopeless(&q, weighed(&q, limit));
    if ((s = read_found(&q, &now)) != EG_OK) return s;
    out->text_only = q.text_only;

    candidate **ranked = eg_request_array(rq, q.count, sizeof *ranked);
    if (!ranked) return EG_ENOMEM;
    size_t n = 0;
    double best = 0; /* of all, before any is put behind the others */
    for (size_t i = 0; i < q.count; i++) {
        candidate *c = &q.list[i];
        if (c->parts->fact.seq == 0) continue; /* erased since it was found */
        score(&q, c, now);
        ranked[n++] = c;
        best = fmax(best, c->match / share_of(&c->parts->fact));
    }
    if (!q.text_only && best < NOTHING_KNOWN) n = 0;
    sort_by_score(ranked, n);
    if (n > weighed(&q, limit)) n = weighed(&q, limit);
    if ((s = weigh(&q, ranked, n)) != EG_OK) return s;
    if (n > limit) n = limit;
    if (!(out->hits = eg_request_array(rq, n, sizeof *out->hits))) return EG_ENOMEM;
    for (; out->count < n; out->count++)
        if ((s = to_hit(&q, ranked[out->count], &out->hits[out->count])) != EG_OK) return s;
    eg_hits_note(m, rq, out->hits, out->count);
    return EG_OK;
}
