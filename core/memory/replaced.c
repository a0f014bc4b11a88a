/* replaced.c - see replaced.h. The fact that an update replaces is near to it and contradicts
 * it: neither alone tells. Facts beside it are as near as the right one where a system has
 * several of a kind, and an update contradicts more than what it replaces. So the nearest few
 * are weighed by both, and by numbers: an update often names the old one, and what stays. Being
 * wrong costs more than finding nothing: a fact that is still true would vanish, while an update
 * that was added is told so, with the nearest fact. */
#include "core/memory/replaced.h"

#include <math.h>

#include "core/text/stock.h"
#include "core/text/text.h"

enum { WEIGHED = 5, FIRST_SEARCH = 40, MORE = 8 };

/* Chosen on dev of the scenarios, see bench/updates.py. */
#define LEAST_COSINE 0.35
#define WEIGHT_COSINE 8.0
#define MIDDLE_COSINE 0.60
#define LEAST_WEIGHT 3.0
/* All numbers of a fact stand in the update, or none of them in one that has two or more. */
#define WEIGHT_NUMBERS 1.5
#define WEIGHT_OTHER_NUMBERS -1.0
/* By so much the best must outweigh the next: of two facts that say the same, neither is replaced
 * unasked. */
#define LEAST_MARGIN 0.25
/* Without a model that tells what contradicts: so near, and nearer than the next by this. */
#define COSINE_ALONE 0.60
#define MARGIN_ALONE 0.10

typedef struct choice {
    eg_memory *m;
    eg_request *rq;
    const eg_fact *update;
    const eg_vector *vector;
    eg_fact facts[WEIGHED]; /* the nearest first */
    double cosines[WEIGHED];
    size_t count;
} choice;

/* The scope without what follows its first segment. */
static eg_str top_of(eg_str scope) {
    const char *slash = scope.len ? memchr(scope.ptr, '/', scope.len) : NULL;
    return slash ? (eg_str){scope.ptr, (size_t)(slash - scope.ptr)} : scope;
}

static int is_related(eg_str a, eg_str b) { return eg_text_scope_within(a, b) || eg_text_scope_within(b, a); }

/* Whether an update may be about the fact: one with its words is the same fact in another scope. */
static int is_possible(const eg_fact *f, const eg_fact *update) {
    return f->seq && is_related(f->scope, update->scope) &&
           memcmp(f->content_hash, update->content_hash, sizeof f->content_hash) != 0;
}

/* Takes the possible ones of what was found. */
static eg_status take_possible(choice *c, const eg_scored *rows, size_t n) {
    eg_id *ids = eg_request_array(c->rq, n, sizeof *ids);
    if (!ids) return EG_ENOMEM;
    for (size_t i = 0; i < n; i++) ids[i] = rows[i].fact;
    const eg_parts_args args = {.size = sizeof args, .ids = ids, .count = n};
    eg_fact_parts *parts = NULL;
    eg_status s = n ? STORE(c->m, parts, c->rq, &args, &parts, NULL) : EG_OK;
    for (size_t i = 0; s == EG_OK && i < n && c->count < WEIGHED; i++) {
        if (!is_possible(&parts[i].fact, c->update)) continue;
        c->facts[c->count] = parts[i].fact;
        c->cosines[c->count++] = rows[i].score;
    }
    return s;
}

/* Above a scope are only scopes with its first segment, so these are searched. The search also
 * finds scopes beside it: where they fill its answer, more is asked for. */
static eg_status find_nearest(choice *c) {
    const eg_filter filter = {.size = sizeof filter, .flags = EG_FILTER_EPHEMERAL, .scope = top_of(c->update->scope)};
    for (uint32_t most = FIRST_SEARCH;; most *= MORE) {
        const eg_search nearest = {.kind = EG_SEARCH_VECTOR, .vector = c->vector, .limit = most};
        eg_scored_list hits = {0};
        eg_status s = STORE(c->m, search, c->rq, &filter, &nearest, 1, &hits);
        size_t close = 0;
        while (s == EG_OK && close < hits.count && hits.rows[close].score >= LEAST_COSINE) close++;
        c->count = 0;
        if (s == EG_OK) s = take_possible(c, hits.rows, close);
        if (s != EG_OK || c->count == WEIGHED || close < hits.count || hits.count < most) return s;
    }
}

static double logit(double p) {
    const double least = 1e-6;
    p = p < least ? least : p > 1 - least ? 1 - least : p;
    return log(p / (1 - p));
}

/* What the numbers of each fact say for its being the one: out, one a fact. */
static eg_status weigh_numbers(const choice *c, double *out) {
    eg_arena arena;
    eg_stock update, fact;
    eg_arena_init(&arena, 0);
    eg_status s = eg_stock_read(&arena, c->update->content, EG_STR(""), &update, c->rq->err);
    for (size_t i = 0; s == EG_OK && i < c->count; i++) {
        size_t shared, back;
        if ((s = eg_stock_read(&arena, c->facts[i].content, EG_STR(""), &fact, c->rq->err)) != EG_OK) break;
        size_t all = eg_stock_numbers(&fact, &update, &shared);
        int strange = all && !shared && eg_stock_numbers(&update, &fact, &back) >= 2;
        out[i] = shared ? WEIGHT_NUMBERS * (double)shared / (double)all : strange ? WEIGHT_OTHER_NUMBERS : 0;
    }
    eg_arena_release(&arena);
    return s;
}

/* *best: the place of the fact that is replaced; c->count: none is. What contradicts in one order
 * of the two does so. EG_EUNAVAILABLE without a model. */
static eg_status weigh(const choice *c, size_t *best) {
    eg_pair pairs[2 * WEIGHED];
    float p[2 * WEIGHED][3];
    double numbers[WEIGHED], most = LEAST_WEIGHT, next = -INFINITY;
    const eg_services *services = SERVICES(c->m);
    for (size_t i = 0; i < c->count; i++) {
        pairs[2 * i] = (eg_pair){c->facts[i].content, c->update->content};
        pairs[2 * i + 1] = (eg_pair){c->update->content, c->facts[i].content};
    }
    eg_status s = services->nli(services->host, c->rq, pairs, 2 * c->count, p[0]);
    if (s == EG_OK) s = weigh_numbers(c, numbers);
    *best = c->count;
    for (size_t i = 0; s == EG_OK && i < c->count; i++) {
        double contradiction = fmax((double)p[2 * i][0], (double)p[2 * i + 1][0]);
        double weight = logit(contradiction) + WEIGHT_COSINE * (c->cosines[i] - MIDDLE_COSINE) + numbers[i];
        if (weight < most) {
            next = fmax(next, weight);
            continue;
        }
        if (*best < c->count) next = most;
        most = weight;
        *best = i;
    }
    if (most - next < LEAST_MARGIN) *best = c->count;
    return s;
}

static eg_status choose(const choice *c, eg_fact *out) {
    size_t best = c->count;
    eg_status s = c->count ? weigh(c, &best) : EG_OK;
    if (s == EG_EUNAVAILABLE) {
        double next = c->count > 1 ? c->cosines[1] : 0;
        if (c->cosines[0] >= COSINE_ALONE && c->cosines[0] - next >= MARGIN_ALONE) best = 0;
        *c->rq->err = (eg_error){0};
        s = EG_OK;
    }
    if (s == EG_OK && best < c->count) *out = c->facts[best];
    return s;
}

/* Of any scope. */
static eg_status find_any(const choice *c, const eg_fact **out) {
    const eg_filter filter = {.size = sizeof filter, .flags = EG_FILTER_EPHEMERAL};
    const eg_search nearest = {.kind = EG_SEARCH_VECTOR, .vector = c->vector, .limit = 1};
    eg_scored_list hits = {0};
    eg_status s = STORE(c->m, search, c->rq, &filter, &nearest, 1, &hits);
    if (s != EG_OK || hits.count == 0 || hits.rows[0].score < LEAST_COSINE) return s;
    const eg_parts_args args = {.size = sizeof args, .ids = &hits.rows[0].fact, .count = 1};
    eg_fact_parts *parts = NULL;
    s = STORE(c->m, parts, c->rq, &args, &parts, NULL);
    if (s == EG_OK && parts[0].fact.seq) *out = &parts[0].fact;
    return s;
}

eg_status eg_find_replaced(eg_memory *m, eg_request *rq, const eg_fact *update, const eg_vector *vector, eg_replaced *out) {
    *out = (eg_replaced){0};
    choice *c = eg_request_array(rq, 1, sizeof *c);
    if (!c) return EG_ENOMEM;
    *c = (choice){.m = m, .rq = rq, .update = update, .vector = vector};
    eg_status s = find_nearest(c);
    if (s == EG_OK) s = choose(c, &out->fact);
    return s == EG_OK && eg_id_is_none(out->fact.id) ? find_any(c, &out->nearest) : s;
}
