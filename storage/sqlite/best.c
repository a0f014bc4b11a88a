/* best.c - see best.h. */
#include "best.h"

#include <stdlib.h>

enum {
    FIRST_FETCH = 4,  /* so many times the limit are looked at first */
    MAX_PROBED = 3000 /* facts that are checked one by one; for more of them the bit set is
                       * cheaper */
};

static void sift_down(best_facts *b, size_t i) {
    for (;;) {
        size_t least = i, left = 2 * i + 1;
        if (left < b->count && is_better(b->heap[least], b->heap[left])) least = left;
        if (left + 1 < b->count && is_better(b->heap[least], b->heap[left + 1])) least = left + 1;
        if (least == i) return;
        ranked swap = b->heap[i];
        b->heap[i] = b->heap[least];
        b->heap[least] = swap;
        i = least;
    }
}

void best_take(best_facts *b, ranked x) {
    if (b->count == b->capacity) {
        b->heap[0] = x;
        sift_down(b, 0);
        return;
    }
    size_t i = b->count++;
    for (; i > 0 && is_better(b->heap[(i - 1) / 2], x); i = (i - 1) / 2) b->heap[i] = b->heap[(i - 1) / 2];
    b->heap[i] = x;
}

static int in_order(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    return is_better(*y, *x) - is_better(*x, *y);
}
static int by_score(const void *a, const void *b) {
    const eg_scored *x = a, *y = b;
    if (x->score != y->score) return x->score < y->score ? 1 : -1;
    return (x->seq < y->seq) - (x->seq > y->seq);
}

/* The number that a statement gives. */
static eg_status number_of(best_facts *b, sqlite3_stmt *q, int64_t *out) {
    int row = q ? step(b->c, b->rq, q) : -1;
    if (row > 0) *out = sqlite3_column_int64(q, 0);
    if (q) sqlite3_reset(q);
    return row < 0 ? b->rq->err->code : EG_OK;
}

/* Marks all facts under the filter. */
static eg_status read_visible(best_facts *b) {
    eg_status s = number_of(b, prepare(b->c, b->rq, EG_SQL_LAST_FACT), &b->last_fact);
    if (s != EG_OK) return s;
    size_t bytes = (size_t)b->last_fact / 8 + 1;
    if (!(b->visible = eg_request_array(b->rq, bytes, 1))) return EG_ENOMEM;
    memset(b->visible, 0, bytes);
    sqlite3_stmt *q = prepare(b->c, b->rq, b->filter->scope.len ? EG_SQL_VISIBLE_FACTS_OF_SCOPE : EG_SQL_VISIBLE_FACTS);
    if (!q || bind_filter(q, b->s, b->c, b->rq, b->filter) != EG_OK) return b->rq->err->code;
    int row;
    while ((row = step(b->c, b->rq, q)) > 0) {
        int64_t fact = sqlite3_column_int64(q, 0);
        if (fact <= b->last_fact) b->visible[fact / 8] |= (uint8_t)(1u << fact % 8);
    }
    return row < 0 ? b->rq->err->code : EG_OK;
}

/* Where a scope has few facts, the best of all facts are hardly ever among them. */
static eg_status look_at_scope(best_facts *b) {
    if (!b->filter->scope.len) return EG_OK;
    int64_t facts = 0;
    sqlite3_stmt *q = prepare(b->c, b->rq, EG_SQL_COUNT_SCOPE);
    if (!q) return b->rq->err->code;
    bind_text(q, 1, b->rq->workspace);
    bind_text(q, 2, b->filter->scope);
    sqlite3_bind_int64(q, 3, MAX_PROBED);
    eg_status s = number_of(b, q, &facts);
    return s == EG_OK && facts < MAX_PROBED ? read_visible(b) : s;
}

/* The first facts under the filter, at most `most`, with their exact scores. */
static eg_status keep_visible(best_facts *b, size_t most, best_rescore rescore, void *self, eg_scored_list *out) {
    out->count = 0;
    sqlite3_stmt *q = prepare(b->c, b->rq, EG_SQL_VISIBLE_FACT);
    if (!q || bind_filter(q, b->s, b->c, b->rq, b->filter) != EG_OK) return b->rq->err->code;
    int key = named(q, ":key");
    for (size_t i = 0; i < b->count && out->count < most; i++) {
        ranked *fact = &b->heap[i];
        sqlite3_bind_int64(q, key, fact->fact);
        int row = step(b->c, b->rq, q);
        if (row < 0) return b->rq->err->code;
        if (row == 0) continue;
        eg_scored *to = &out->rows[out->count++];
        *to = (eg_scored){.fact = column_id(q, 0), .seq = sqlite3_column_int64(q, 1)};
        sqlite3_reset(q);
        eg_status s = rescore ? rescore(self, b, fact) : EG_OK;
        if (s != EG_OK) return s;
        to->score = (double)fact->score;
    }
    return EG_OK;
}

eg_status best_choose(best_facts *b, uint32_t limit, uint32_t margin, best_source offer, best_rescore rescore, void *self,
                      eg_scored_list *out) {
    size_t kept = (size_t)limit + margin;
    if (!(out->rows = eg_request_array(b->rq, kept, sizeof *out->rows))) return EG_ENOMEM;
    eg_status s = look_at_scope(b);
    /* eight times as many each time too few of them pass */
    for (size_t most = (size_t)limit * FIRST_FETCH + margin; s == EG_OK; most *= 8) {
        if (most > MAX_PROBED && !b->visible && (s = read_visible(b)) != EG_OK) return s;
        if (b->visible) most = kept;
        b->count = 0;
        b->capacity = most;
        if (!(b->heap = eg_request_array(b->rq, most, sizeof *b->heap))) return EG_ENOMEM;
        if ((s = offer(self, b)) != EG_OK) return s;
        qsort(b->heap, b->count, sizeof *b->heap, in_order);
        if ((s = keep_visible(b, kept, rescore, self, out)) != EG_OK) return s;
        if (out->count < limit && !b->visible && b->count == most) continue;
        qsort(out->rows, out->count, sizeof *out->rows, by_score);
        if (out->count > limit) out->count = limit;
        return EG_OK;
    }
    return s;
}
