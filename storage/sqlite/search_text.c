/* search_text.c - BM25 over the terms that core/text made. The index holds terms in hex, so that no
 * text of a user is ever read as query syntax. Terms are taken from the rarest on until they lead
 * to enough facts; the common ones beyond are left out, because they make the search slow and add
 * little. */
#include <math.h>

#include "store.h"

enum { MAX_DOCUMENTS = 6000 };
#define K1 1.2            /* of SQLite's bm25() */
#define LEAST_WEIGHT 1e-6 /* of a term there, however common it is */

eg_str encode_term(eg_request *rq, eg_str term) {
    static const char digits[] = "0123456789abcdef";
    char *p = eg_request_array(rq, 2 * term.len + 1, 1);
    if (!p) return (eg_str){0};
    for (size_t i = 0; i < term.len; i++) {
        p[2 * i] = digits[(unsigned char)term.ptr[i] >> 4];
        p[2 * i + 1] = digits[(unsigned char)term.ptr[i] & 15];
    }
    return (eg_str){p, 2 * term.len};
}

typedef struct counted {
    eg_str term;
    int64_t documents;
} counted;

static eg_status count_documents(connection *c, eg_request *rq, counted *t) {
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_TERM_DOCUMENTS);
    if (!q) return rq->err->code;
    bind_text(q, 1, t->term);
    int row = step(c, rq, q);
    t->documents = row > 0 ? sqlite3_column_int64(q, 0) : 0;
    sqlite3_reset(q);
    return row < 0 ? rq->err->code : EG_OK;
}

/* The number of facts in the index. Their rows stay for ever, so that the last key is their
 * number. */
static eg_status count_all(connection *c, eg_request *rq, int64_t *all) {
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_LAST_FACT);
    int row = q ? step(c, rq, q) : -1;
    *all = row > 0 ? sqlite3_column_int64(q, 0) : 0;
    if (q) sqlite3_reset(q);
    return row < 0 ? rq->err->code : EG_OK;
}

/* As bm25() weighs a term. */
static double weight_of(int64_t documents, int64_t all) {
    double with = (double)documents, without = all > documents ? (double)(all - documents) : 0;
    double weight = log((without + 0.5) / (with + 0.5));
    return weight > LEAST_WEIGHT ? weight : LEAST_WEIGHT;
}

/* "hex" OR "hex" ... of the rarest terms; empty when none of them occurs. *attainable: see
 * eg_search. */
static eg_status match_text(connection *c, eg_request *rq, const eg_term *terms, size_t n, eg_str *out, double *attainable) {
    counted *list = eg_request_array(rq, n, sizeof *list);
    if (!list) return EG_ENOMEM;
    size_t count = 0, size = 1;
    int64_t all = 0;
    eg_status s = attainable ? count_all(c, rq, &all) : EG_OK;
    if (s != EG_OK) return s;
    double weights = 0;
    for (size_t i = 0; i < n; i++) {
        counted t = {.term = encode_term(rq, terms[i].text)};
        if (!t.term.ptr) return EG_ENOMEM;
        if ((s = count_documents(c, rq, &t)) != EG_OK) return s;
        weights += weight_of(t.documents, all);
        if (t.documents == 0 || t.term.len == 0) continue;
        size_t at = count++;
        for (; at > 0 && t.documents < list[at - 1].documents; at--) list[at] = list[at - 1];
        list[at] = t;
        size += t.term.len + 6;
    }
    char *p = eg_request_array(rq, size, 1), *to = p;
    if (!p) return EG_ENOMEM;
    int64_t documents = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && documents + list[i].documents > MAX_DOCUMENTS) break;
        documents += list[i].documents;
        to += sprintf(to, "%s\"%s\"", i ? " OR " : "", list[i].term.ptr);
    }
    *out = (eg_str){p, (size_t)(to - p)};
    if (attainable) *attainable = weights * (K1 + 1);
    return EG_OK;
}

eg_status read_scored(connection *c, eg_request *rq, sqlite3_stmt *q, eg_scored_list *out) {
    size_t capacity = 0;
    void *rows = NULL;
    int row;
    out->count = 0;
    while ((row = step(c, rq, q)) > 0) {
        eg_scored *to = grow_row(rq, &rows, out->count, &capacity, sizeof *to);
        if (!to) break;
        *to = (eg_scored){column_id(q, 0), sqlite3_column_int64(q, 1), sqlite3_column_double(q, 2)};
        out->count++;
    }
    sqlite3_reset(q);
    out->rows = rows;
    return row == 0 ? EG_OK : rq->err->code;
}

eg_status search_terms(eg_storage *s, connection *c, eg_request *rq, const eg_filter *f, const eg_search *search,
                       eg_scored_list *out) {
    eg_str match = {0};
    eg_status st = match_text(c, rq, search->terms, search->term_count, &match, search->attainable);
    if (st != EG_OK || !match.len) return st;
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_SEARCH_TERMS);
    if (!q || bind_filter(q, s, c, rq, f) != EG_OK) return rq->err->code;
    bind_text(q, named(q, ":match"), match);
    sqlite3_bind_int64(q, named(q, ":limit"), search->limit);
    return read_scored(c, rq, q, out);
}
