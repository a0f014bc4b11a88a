/* search_text.c - BM25 over the terms that core/text made. The index holds terms in hex, so that no
 * text of a user is ever read as query syntax. Terms are taken from the rarest on until they lead
 * to enough facts; the common ones beyond are left out, because they make the search slow and add
 * little. */
#include <math.h>

#include "postings.h"
#include "term_counts.h"

enum { MAX_DOCUMENTS = 20000 };
#define LEAST_WEIGHT 1e-6 /* in SQLite's bm25(), of a term, however common it is */

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

/* The terms to search for, the rarest first. *attainable: see eg_search. */
static eg_status choose_terms(eg_storage *s, connection *c, eg_request *rq, const eg_search *search, weighted_term **out,
                              size_t *n) {
    weighted_term *list = *out = eg_request_array(rq, search->term_count, sizeof *list);
    if (!list) return EG_ENOMEM;
    int64_t all = 0, documents = 0;
    eg_status st = count_all(c, rq, &all);
    double weights = 0;
    size_t count = 0;
    for (size_t i = 0; st == EG_OK && i < search->term_count; i++) {
        weighted_term t = {.term = encode_term(rq, search->terms[i].text)};
        if (!t.term.ptr) return EG_ENOMEM;
        st = count_documents(s, c, rq, t.term, all, &t.documents);
        weights += t.weight = weight_of(t.documents, all);
        if (t.documents == 0 || t.term.len == 0) continue;
        size_t at = count++;
        for (; at > 0 && t.documents < list[at - 1].documents; at--) list[at] = list[at - 1];
        list[at] = t;
    }
    for (*n = 0; *n < count; ++*n) {
        if (*n > 0 && documents + list[*n].documents > MAX_DOCUMENTS) break;
        documents += list[*n].documents;
    }
    if (search->attainable) *search->attainable = weights * (BM25_K1 + 1);
    return st;
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

static eg_status offer_all(void *self, best_facts *b) {
    const fact_scores *scores = self;
    for (size_t i = 0; i < scores->count; i++)
        if (best_may_pass(b, scores->rows[i].fact)) best_offer(b, scores->rows[i]);
    return EG_OK;
}

eg_status search_terms(eg_storage *s, connection *c, eg_request *rq, const eg_filter *f, const eg_search *search,
                       eg_scored_list *out) {
    weighted_term *terms;
    fact_scores scores;
    size_t n;
    eg_status st = choose_terms(s, c, rq, search, &terms, &n);
    if (st != EG_OK || n == 0) return st;
    if ((st = add_postings(s, c, rq, terms, n, &scores)) != EG_OK) return st;
    best_facts best = {.s = s, .c = c, .rq = rq, .filter = f};
    return best_choose(&best, search->limit, 0, offer_all, NULL, &scores, out);
}

eg_status remove_terms(connection *c, eg_request *rq) {
    static const char *const steps[] = {
        "CREATE VIRTUAL TABLE temp.term_places USING fts5vocab (main, terms, instance)",
        "CREATE TEMP TABLE terms_gone AS SELECT doc, group_concat(term, ' ') AS words FROM temp.term_places WHERE doc IN "
        "(SELECT key FROM temp.leaving) GROUP BY doc",
        "INSERT INTO terms (terms, rowid, words) SELECT 'delete', doc, words FROM temp.terms_gone",
        "INSERT INTO terms (terms) VALUES ('optimize')",
        "DELETE FROM term_totals",
        "DROP TABLE temp.terms_gone",
        "DROP TABLE temp.term_places"};
    eg_status s = EG_OK;
    for (size_t i = 0; s == EG_OK && i < sizeof steps / sizeof *steps; i++) s = run_once(c, rq, steps[i], NULL, 0);
    return s;
}
