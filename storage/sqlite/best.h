/* best.h - the best facts of a search whose scores are known before it is known which facts the
 * filter lets pass: by words and by vectors. The best are checked one by one; where too few of them
 * pass, all facts that do are read into a bit set, and the search chooses among these. */
#ifndef EG_SQLITE_BEST_H
#define EG_SQLITE_BEST_H

#include "store.h"

typedef struct ranked {
    float score;
    int64_t fact; /* inner key */
} ranked;

typedef struct best_facts {
    eg_storage *s;
    connection *c;
    eg_request *rq;
    const eg_filter *filter;
    ranked *heap; /* the worst on top; in order, best first, once best_choose has the facts */
    size_t count, capacity;
    uint8_t *visible; /* a bit a fact, up to the key last_fact; NULL: not read */
    int64_t last_fact;
} best_facts;

/* Offers the facts of the search that best_may_pass to best_offer, each once. */
typedef eg_status (*best_source)(void *self, best_facts *b);
/* Gives a fact that passes its exact score, if the search has a better one than was offered. */
typedef eg_status (*best_rescore)(void *self, best_facts *b, ranked *fact);

/* The `limit` best facts under the filter, best first; newer ones first where the scores are equal.
 * margin: so many more get their exact score, because those that were offered are not. b: s, c, rq
 * and filter are set, the rest is zero. */
eg_status best_choose(best_facts *b, uint32_t limit, uint32_t margin, best_source offer, best_rescore rescore, void *self,
                      eg_scored_list *out);

static inline int best_may_pass(const best_facts *b, int64_t fact) {
    return !b->visible || (fact <= b->last_fact && (b->visible[fact / 8] >> (fact % 8) & 1));
}

/* 1 when a is better. */
static inline int is_better(ranked a, ranked b) { return a.score > b.score || (a.score == b.score && a.fact > b.fact); }
void best_take(best_facts *b, ranked x);
static inline void best_offer(best_facts *b, ranked x) {
    if (b->count < b->capacity || is_better(x, b->heap[0])) best_take(b, x);
}

#endif
