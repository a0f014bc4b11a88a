/* search.c - all searches of one call, in one snapshot of the store. */
#include "store.h"

/* Facts with a claim about one subject. */
static eg_status search_claims(eg_storage *s, connection *c, eg_request *rq, const eg_filter *f, const eg_search *search,
                               eg_scored_list *out) {
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_SEARCH_SUBJECT);
    if (!q || bind_filter(q, s, c, rq, f) != EG_OK) return rq->err->code;
    bind_text(q, named(q, ":subject"), search->subject);
    bind_text(q, named(q, ":attribute"), search->attribute);
    sqlite3_bind_int64(q, named(q, ":limit"), search->limit);
    return read_scored(c, rq, q, out);
}

static eg_status search_one(eg_storage *s, connection *c, eg_request *rq, const eg_filter *f, const eg_search *search,
                            eg_scored_list *out) {
    switch ((eg_search_kind)search->kind) {
    case EG_SEARCH_TERMS: return search_terms(s, c, rq, f, search, out);
    case EG_SEARCH_VECTOR: return search_vectors(s, c, rq, f, search, out);
    case EG_SEARCH_CLAIM: return search_claims(s, c, rq, f, search, out);
    }
    return eg_request_fail(rq, EG_EUNSUPPORTED, "search %u is unknown to this backend", search->kind);
}

/* eg_search.facts */
static eg_status count_facts(connection *c, eg_request *rq, int64_t now, uint64_t *out) {
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_COUNT_CURRENT);
    if (!q) return rq->err->code;
    bind_text(q, 1, rq->workspace);
    sqlite3_bind_int64(q, 2, now);
    sqlite3_bind_int64(q, 3, EG_MAX_COUNTED);
    int row = step(c, rq, q);
    if (row > 0) *out = (uint64_t)sqlite3_column_int64(q, 0);
    sqlite3_reset(q);
    return row < 0 ? rq->err->code : EG_OK;
}

eg_status sqlite_search(eg_storage *s, eg_request *rq, const eg_filter *f, const eg_search *searches, size_t n,
                        eg_scored_list *out) {
    for (size_t i = 0; i < n; i++) out[i] = (eg_scored_list){0};
    eg_status st = check_filter(rq, f);
    if (st != EG_OK) return st;
    eg_filter filter = *f;
    connection *c = reader_take(s);
    st = begin_read(c, rq);
    if (st == EG_OK && !filter.at) st = store_now(s, c, rq, &filter.at); /* the same for all */
    for (size_t i = 0; st == EG_OK && i < n; i++) {
        st = search_one(s, c, rq, &filter, &searches[i], &out[i]);
        if (st == EG_OK && searches[i].facts) st = count_facts(c, rq, filter.at, searches[i].facts);
    }
    end_read(c, rq);
    connection_give(c);
    return st;
}
