/* postings.c - see postings.h. The function engram_postings(terms) is called once by a statement
 * that matches the terms, and goes through the facts of each term by itself. */
#include "postings.h"

#include <stdatomic.h>
#include <stdlib.h>

/* ---- lengths of facts ---- */

enum { CHUNK = 1 << 16, CHUNKS = 1 << 12 };

/* How many terms each fact has in the index, by its key; 0: not known yet. Facts beyond the last
 * chunk are looked up each time. A fact that takes the key of a removed one may be counted with
 * that one's length until the store is opened again: its score is a little off then. */
struct fact_lengths {
    _Atomic(_Atomic uint16_t *) chunks[CHUNKS];
};

struct fact_lengths *fact_lengths_create(void) {
    return calloc(1, sizeof(struct fact_lengths));
}

void fact_lengths_destroy(struct fact_lengths *lengths) {
    if (!lengths) return;
    for (size_t i = 0; i < CHUNKS; i++) free((void *)atomic_load(&lengths->chunks[i]));
    free(lengths);
}

/* The place of a fact's length; NULL: there is none. */
static _Atomic uint16_t *length_of(struct fact_lengths *lengths, int64_t fact) {
    if (fact < 0 || fact >= (int64_t)CHUNK * CHUNKS) return NULL;
    _Atomic(_Atomic uint16_t *) *at = &lengths->chunks[fact / CHUNK];
    _Atomic uint16_t *chunk = atomic_load_explicit(at, memory_order_acquire);
    if (!chunk) {
        _Atomic uint16_t *made = calloc(CHUNK, sizeof *made), *none = NULL;
        if (!made) return NULL;
        if (atomic_compare_exchange_strong(at, &none, made)) chunk = made;
        else free((void *)made), chunk = none;
    }
    return &chunk[fact % CHUNK];
}

/* ---- inside the index ---- */

typedef struct postings {
    eg_storage *s;
    const weighted_term *terms;
    size_t count;
    double average; /* length of a fact */
    /* The index gives the facts of a term in the order of their keys: those of the terms before
     * are merged with them, from one array into the other. */
    fact_scores before, merged;
    size_t taken; /* of `before` */
    size_t capacity;
    double weight; /* of the term that is gone through */
} postings;

static int terms_in_fact(const Fts5ExtensionApi *api, Fts5Context *at, struct fact_lengths *lengths, int64_t fact, int *out) {
    _Atomic uint16_t *known = length_of(lengths, fact);
    if (known && (*out = atomic_load_explicit(known, memory_order_relaxed)) > 0) return SQLITE_OK;
    int failed = api->xColumnSize(at, -1, out);
    if (failed == SQLITE_OK && known && *out > 0 && *out <= UINT16_MAX)
        atomic_store_explicit(known, (uint16_t)*out, memory_order_relaxed);
    return failed;
}

/* Adds the facts of the terms before up to that key to what is merged; the last of them, where it
 * has that key. NULL: none has. */
static ranked *merge_up_to(postings *p, int64_t fact) {
    const ranked *from = p->before.rows;
    ranked *to = p->merged.rows;
    while (p->taken < p->before.count && from[p->taken].fact <= fact && p->merged.count < p->capacity)
        to[p->merged.count++] = from[p->taken++];
    return p->merged.count && to[p->merged.count - 1].fact == fact ? &to[p->merged.count - 1] : NULL;
}

/* Called for each fact that has the term, with the index standing there. */
static int add_fact(const Fts5ExtensionApi *api, Fts5Context *at, void *self) {
    postings *p = self;
    int64_t fact = api->xRowid(at);
    int length, failed = terms_in_fact(api, at, p->s->lengths, fact, &length);
    if (failed != SQLITE_OK) return failed;
    Fts5PhraseIter places;
    int column, place, times = 0;
    failed = api->xPhraseFirst(at, 0, &places, &column, &place);
    for (; failed == SQLITE_OK && column >= 0; api->xPhraseNext(at, &places, &column, &place)) times++;
    if (failed != SQLITE_OK) return failed;
    ranked *row = merge_up_to(p, fact);
    if (!row) {
        if (p->merged.count == p->capacity) return SQLITE_DONE; /* more than were counted */
        row = &p->merged.rows[p->merged.count++];
        *row = (ranked){.fact = fact};
    }
    row->score += (float)(p->weight * times * (BM25_K1 + 1) / (times + BM25_K1 * (1 - BM25_B + BM25_B * length / p->average)));
    return SQLITE_OK;
}

static void add_all(const Fts5ExtensionApi *api, Fts5Context *at, sqlite3_context *result, int n, sqlite3_value **values) {
    (void)n, (void)values;
    postings *p = ((connection *)api->xUserData(at))->postings;
    sqlite3_int64 facts = 0, terms = 0;
    int failed = api->xRowCount(at, &facts);
    if (failed == SQLITE_OK) failed = api->xColumnTotalSize(at, -1, &terms);
    p->average = facts > 0 && terms > 0 ? (double)terms / (double)facts : 1;
    for (size_t i = 0; failed == SQLITE_OK && i < p->count; i++) {
        fact_scores swap = p->before;
        p->before = p->merged;
        p->merged = (fact_scores){swap.rows, 0};
        p->taken = 0;
        p->weight = p->terms[i].weight;
        failed = api->xQueryPhrase(at, (int)i, p, add_fact);
        if (failed == SQLITE_OK) (void)merge_up_to(p, INT64_MAX);
    }
    if (failed != SQLITE_OK) sqlite3_result_error_code(result, failed);
}

/* Makes the function known to the index. */
static eg_status add_function(connection *c, eg_request *rq) {
    fts5_api *api = NULL;
    sqlite3_stmt *q = NULL;
    if (sqlite3_prepare_v2(c->db, "SELECT fts5(?1)", -1, &q, NULL) == SQLITE_OK) {
        sqlite3_bind_pointer(q, 1, (void *)&api, "fts5_api_ptr", NULL);
        sqlite3_step(q);
    }
    sqlite3_finalize(q);
    if (!api || api->xCreateFunction(api, "engram_postings", c, add_all, NULL) != SQLITE_OK)
        return sqlite_error(c, rq, "preparing the index of words");
    c->has_postings = 1;
    return EG_OK;
}

/* "hex" OR "hex" ... */
static eg_str match_of(eg_request *rq, const weighted_term *terms, size_t n) {
    size_t size = 1;
    for (size_t i = 0; i < n; i++) size += terms[i].term.len + 6;
    char *p = eg_request_array(rq, size, 1), *to = p;
    for (size_t i = 0; p && i < n; i++)
        to += sprintf(to, "%s\"%.*s\"", i ? " OR " : "", (int)terms[i].term.len, terms[i].term.ptr);
    return (eg_str){p, p ? (size_t)(to - p) : 0};
}

eg_status add_postings(eg_storage *s, connection *c, eg_request *rq, const weighted_term *terms, size_t n, fact_scores *out) {
    size_t documents = 0;
    for (size_t i = 0; i < n; i++) documents += (size_t)terms[i].documents;
    size_t capacity = 2 * documents + 64;
    eg_str match = match_of(rq, terms, n);
    ranked *rows = eg_request_array(rq, 2 * capacity, sizeof *rows);
    if (!match.ptr || !rows) return EG_ENOMEM;
    postings p = {.s = s, .terms = terms, .count = n, .capacity = capacity, .before.rows = rows, .merged.rows = rows + capacity};
    eg_status st = c->has_postings ? EG_OK : add_function(c, rq);
    sqlite3_stmt *q = st == EG_OK ? prepare(c, rq, EG_SQL_POSTINGS) : NULL;
    if (!q) return rq->err->code;
    bind_text(q, 1, match);
    c->postings = &p;
    int row = step(c, rq, q);
    c->postings = NULL;
    sqlite3_reset(q);
    *out = p.merged;
    return row < 0 ? rq->err->code : EG_OK;
}
