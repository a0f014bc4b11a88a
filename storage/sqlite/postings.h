/* postings.h - scores by BM25 of all facts that have any of some terms, added up inside the index.
 * SQLite's own bm25() looks up the length of each fact by its key, and a statement the fact; both
 * take far longer than going through the facts of a term. */
#ifndef EG_SQLITE_POSTINGS_H
#define EG_SQLITE_POSTINGS_H

#include "best.h"

#define BM25_K1 1.2 /* of SQLite's bm25() */
#define BM25_B 0.75 /* likewise */

typedef struct weighted_term {
    eg_str term; /* as encode_term gives it */
    int64_t documents;
    double weight; /* how much it tells */
} weighted_term;

/* Facts in the order of their keys. */
typedef struct fact_scores {
    ranked *rows;
    size_t count;
} fact_scores;

/* The facts that have any of the terms; n is at least 1, and each term is in the index. */
eg_status add_postings(eg_storage *s, connection *c, eg_request *rq, const weighted_term *terms, size_t n, fact_scores *out);
void fact_lengths_destroy(struct fact_lengths *lengths);
struct fact_lengths *fact_lengths_create(void);

#endif
