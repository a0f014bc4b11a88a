/* figures.c - counts the facts of a workspace by scope, type, agent and age, its conflicts by what
 * became of them, questions and answers, and reads. Reads everything once and writes nothing. */
#include "core/memory/figures.h"

#include <stdlib.h>

#include "core/base/arena.h"
#include "core/base/clock.h"
#include "core/base/status.h"
#include "core/memory/answers.h"

enum { PAGE = 256, MOST_NAMES = 20 /* scopes and agents that are told */, BUCKETS = 1024 };

/* A number that is being counted. */
typedef struct counter {
    struct counter *next; /* of its bucket */
    const char *group;
    eg_str name;
    uint64_t count;
    size_t order; /* of its first appearance */
} counter;

typedef struct counting {
    eg_memory *m;
    eg_request *rq;
    eg_arena arena;
    int64_t now;
    counter *buckets[BUCKETS];
    counter **all;
    size_t count, capacity;
} counting;

static size_t bucket_of(const char *group, eg_str name) {
    uint64_t h = UINT64_C(1469598103934665603); /* FNV-1a: the names are the team's own */
    for (size_t i = 0; group[i]; i++) h = (h ^ (unsigned char)group[i]) * UINT64_C(1099511628211);
    for (size_t i = 0; i < name.len; i++) h = (h ^ (unsigned char)name.ptr[i]) * UINT64_C(1099511628211);
    return (size_t)(h % BUCKETS);
}

static eg_status count(counting *c, const char *group, eg_str name, uint64_t n) {
    counter **bucket = &c->buckets[bucket_of(group, name)], *one = *bucket;
    while (one && !(strcmp(one->group, group) == 0 && eg_str_eq(one->name, name))) one = one->next;
    if (one) {
        one->count += n;
        return EG_OK;
    }
    if (c->count == c->capacity) {
        size_t more = c->capacity ? 2 * c->capacity : 128;
        counter **all = eg_arena_array(&c->arena, more, sizeof *all);
        if (!all) return eg_fail_memory(c->rq->err, more * sizeof *all);
        if (c->count) memcpy(all, c->all, c->count * sizeof *all);
        c->all = all;
        c->capacity = more;
    }
    one = eg_arena_alloc(&c->arena, sizeof *one);
    const char *copy = eg_arena_copy(&c->arena, name);
    if (!one || !copy) return eg_fail_memory(c->rq->err, sizeof *one);
    *one = (counter){.next = *bucket, .group = group, .name = {copy, name.len}, .count = n, .order = c->count};
    *bucket = one;
    c->all[c->count++] = one;
    return EG_OK;
}

static eg_status count_word(counting *c, const char *group, const char *word) { return count(c, group, eg_str_of(word), 1); }

/* ---- facts ---- */

static const char *age_of(int64_t age) {
    static const struct {
        int64_t days;
        const char *name;
    } ages[] = {{1, "1 day"}, {7, "7 days"}, {30, "30 days"}, {90, "90 days"}, {365, "1 year"}};
    for (size_t i = 0; i < sizeof ages / sizeof *ages; i++)
        if (age < ages[i].days * EG_DAY) return ages[i].name;
    return "older";
}

static eg_status count_fact(counting *c, const eg_fact *f) {
    static const char *const types[] = EG_FACT_TYPE_WORDS, *const reasons[] = EG_CLOSE_REASON_WORDS;
    int closed = f->close_reason != EG_CLOSE_NONE, expired = !closed && f->valid_until <= c->now;
    eg_status s = count_word(c, "facts", closed ? "closed" : expired ? "expired" : "current");
    if (s == EG_OK && f->query_hits) s = count(c, "reads", EG_STR("times that queries found a fact"), f->query_hits);
    if (s == EG_OK && closed) s = count_word(c, "closed_by_reason", reasons[f->close_reason % EG_CLOSE_ERASED]);
    if (s != EG_OK || closed || expired) return s;
    s = count_word(c, "reads", f->query_hits ? "current facts that were found" : "current facts that never were");
    if (s == EG_OK) s = count(c, "by_scope", f->scope, 1);
    if (s == EG_OK) s = count(c, "by_agent", f->agent_id, 1);
    if (s == EG_OK) s = count_word(c, "by_type", types[f->fact_type <= EG_FACT_DECISION ? f->fact_type : 0]);
    if (s == EG_OK) s = count_word(c, "by_age", age_of(c->now - f->committed_at));
    if (s == EG_OK && f->durability == EG_DURABILITY_EPHEMERAL) s = count_word(c, "facts", "of them ephemeral");
    if (s == EG_OK && !f->provenance.len) s = count_word(c, "facts", "of them without evidence");
    return s;
}

static eg_status count_page(counting *c, eg_request *rq, int64_t *after, int *more) {
    const eg_filter filter = {.size = sizeof filter, .flags = EG_FILTER_HISTORY | EG_FILTER_EPHEMERAL};
    eg_fact *page = NULL;
    size_t n = 0;
    eg_status s = STORE(c->m, page, rq, &filter, *after, PAGE, &page, &n);
    for (size_t i = 0; s == EG_OK && i < n; i++) s = count_fact(c, &page[i]);
    if (n) *after = page[n - 1].seq;
    *more = n == PAGE;
    return s;
}

/* ---- conflicts and answers ---- */

static eg_status count_conflicts(counting *c, eg_request *rq, int64_t *after, int *more) {
    static const char *const statuses[] = EG_CONFLICT_STATUS_WORDS, *const types[] = EG_RESOLUTION_WORDS;
    const eg_conflict_filter filter = {.size = sizeof filter};
    eg_conflict *rows = NULL;
    size_t n = 0;
    (void)after;
    *more = 0;
    eg_status s = STORE(c->m, conflicts, rq, &filter, &rows, &n);
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        const eg_conflict *one = &rows[i];
        int past = one->until_a <= c->now || one->until_b <= c->now, asked = one->status == EG_CONFLICT_SUSPECTED;
        if (asked) {
            if (!past) s = count_word(c, "questions", "waiting");
            continue;
        }
        s = count_word(c, "conflicts",
                       one->status == EG_CONFLICT_OPEN && past ? statuses[EG_CONFLICT_EXPIRED] : statuses[one->status % 5]);
        if (s == EG_OK && eg_is_settled(one->status)) s = count_word(c, "settled_by", types[one->resolution_type & 3]);
    }
    return s;
}

static eg_status count_answer(void *self, const eg_answer *a) {
    static const char *const verdicts[] = EG_ANSWER_VERDICT_WORDS;
    counting *c = self;
    eg_status s = count_word(c, "answers", verdicts[a->verdict <= EG_ANSWER_NOT_CONTRADICTION ? a->verdict : 0]);
    return s == EG_OK && a->was_suspected ? count_word(c, "questions", "answered") : s;
}

/* ---- the whole ---- */

/* Calls step until it has no more, each time in a request of its own. */
static eg_status each(counting *c, eg_status (*step)(counting *c, eg_request *rq, int64_t *after, int *more)) {
    int64_t after = 0;
    eg_status s = EG_OK;
    for (int more = 1; s == EG_OK && more;) {
        eg_request *rq = NULL;
        s = eg_request_in(c->m, c->rq->workspace, c->rq->who, &c->rq->cancel, &rq, c->rq->err);
        if (s != EG_OK) return s;
        s = step(c, rq, &after, &more);
        if (s != EG_OK && c->rq->err->code == EG_OK) *c->rq->err = *rq->err;
        SERVICES(c->m)->request_release(c->m->env.host, rq);
        if (s == EG_OK && eg_cancel_is_set(&c->rq->cancel)) s = eg_request_fail(c->rq, EG_ECANCELLED, "the count was stopped");
    }
    return s;
}

static const char *const groups[] = {"facts",     "by_scope",   "by_agent",  "by_type", "by_age", "closed_by_reason",
                                     "conflicts", "settled_by", "questions", "answers", "reads"};

static size_t rank(const char *group) {
    size_t i = 0;
    while (i < sizeof groups / sizeof *groups && strcmp(groups[i], group) != 0) i++;
    return i;
}

/* By group, the largest number first. */
static int by_size(const void *a, const void *b) {
    const counter *x = *(const counter *const *)a, *y = *(const counter *const *)b;
    size_t i = rank(x->group), k = rank(y->group);
    if (i != k) return i < k ? -1 : 1;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* The largest numbers of each group; what is left of it is one number. */
static eg_status put(counting *c, eg_figure **out, size_t *n) {
    *out = eg_request_array(c->rq, c->count + 1, sizeof **out);
    *n = 0;
    if (!*out) return EG_ENOMEM;
    if (c->count) qsort(c->all, c->count, sizeof *c->all, by_size);
    for (size_t i = 0, of_group = 0; i < c->count; i++) {
        const counter *one = c->all[i];
        of_group = i && strcmp(c->all[i - 1]->group, one->group) == 0 ? of_group + 1 : 0;
        if (of_group > MOST_NAMES) {
            (*out)[*n - 1].count += one->count;
            continue;
        }
        eg_figure *f = &(*out)[(*n)++];
        *f = (eg_figure){.group = eg_str_of(one->group),
                         .name = of_group == MOST_NAMES ? EG_STR("(others)") : eg_request_copy(c->rq, one->name),
                         .count = one->count};
        if (!f->name.ptr) return EG_ENOMEM;
    }
    return EG_OK;
}

eg_status eg_memory_figures(eg_memory *m, eg_request *rq, eg_figure **out, size_t *n) {
    counting *c = eg_request_array(rq, 1, sizeof *c);
    if (!c) return EG_ENOMEM;
    *c = (counting){.m = m, .rq = rq};
    eg_arena_init(&c->arena, 0);
    eg_status s = eg_now(m, rq, &c->now);
    if (s == EG_OK) s = each(c, count_page);
    if (s == EG_OK) s = each(c, count_conflicts);
    if (s == EG_OK) s = eg_memory_answers(m, rq, count_answer, c);
    if (s == EG_OK) s = put(c, out, n);
    eg_arena_release(&c->arena);
    return s;
}
