/* term_counts.h - how many facts have a term. The index counts by going through all of them, which
 * for the commonest terms takes longer than the rest of a search. */
#ifndef EG_SQLITE_TERM_COUNTS_H
#define EG_SQLITE_TERM_COUNTS_H

#include "store.h"

struct term_counts *term_counts_create(void);
void term_counts_destroy(struct term_counts *k);
/* term: as encode_term gives it. all: the facts of the store now. A count of a common term may be
 * of a moment when there were up to a sixty-fourth fewer facts. */
eg_status count_documents(eg_storage *s, connection *c, eg_request *rq, eg_str term, int64_t all, int64_t *documents);
/* Puts the counts of common terms that this process made into the table term_totals, from which
 * processes that start take them. Erasing facts and removing a workspace empties it. */
eg_status store_term_counts(eg_storage *s, connection *c, eg_request *rq);

#endif
