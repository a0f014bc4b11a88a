/* term_counts.c - see term_counts.h. */
#include "term_counts.h"

#include <stdlib.h>

enum { KEPT = 256, COMMON = 4096, GROWTH = 64, LONGEST = 64 };

typedef struct kept_count {
    uint64_t hash;
    int64_t documents, all; /* all: the facts of then */
    char term[LONGEST];     /* until it is stored; longer ones are not */
} kept_count;

/* The counts of common terms, each where its hash says; another term with the same place takes
 * it. */
struct term_counts {
    pthread_mutex_t lock;
    kept_count kept[KEPT];
};

struct term_counts *term_counts_create(void) {
    struct term_counts *k = calloc(1, sizeof *k);
    if (k) pthread_mutex_init(&k->lock, NULL);
    return k;
}

void term_counts_destroy(struct term_counts *k) {
    if (!k) return;
    pthread_mutex_destroy(&k->lock);
    free(k);
}

/* FNV-1a. */
static uint64_t hash_of(eg_str term) {
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < term.len; i++) h = (h ^ (unsigned char)term.ptr[i]) * 0x100000001b3u;
    return h;
}

/* A count holds until there are so many more facts that it hardly does. */
static int still_holds(int64_t before, int64_t all) { return before <= all && all - before <= before / GROWTH; }

static int recall(struct term_counts *k, uint64_t hash, int64_t all, int64_t *documents) {
    pthread_mutex_lock(&k->lock);
    const kept_count *c = &k->kept[hash % KEPT];
    int known = c->hash == hash && still_holds(c->all, all);
    if (known) *documents = c->documents;
    pthread_mutex_unlock(&k->lock);
    return known;
}

/* term: where it is to be stored too. */
static void keep(struct term_counts *k, uint64_t hash, int64_t all, int64_t documents, eg_str term) {
    pthread_mutex_lock(&k->lock);
    kept_count *c = &k->kept[hash % KEPT];
    *c = (kept_count){.hash = hash, .documents = documents, .all = all};
    if (term.len < LONGEST) memcpy(c->term, term.ptr, term.len);
    pthread_mutex_unlock(&k->lock);
}

/* 1 when the store has a count that still holds; -1 with the error record filled. */
static int read_stored(eg_storage *s, connection *c, eg_request *rq, eg_str term, int64_t all, int64_t *documents,
                       int64_t *before) {
    if (!s->has_indexes) return 0;
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_TERM_TOTAL);
    if (!q) return -1;
    bind_text(q, 1, term);
    int row = step(c, rq, q);
    if (row > 0) {
        *documents = sqlite3_column_int64(q, 0);
        *before = sqlite3_column_int64(q, 1);
        row = still_holds(*before, all);
    }
    sqlite3_reset(q);
    return row;
}

eg_status store_term_counts(eg_storage *s, connection *c, eg_request *rq) {
    struct term_counts *k = s->term_counts;
    eg_status st = EG_OK;
    for (size_t i = 0; st == EG_OK && i < KEPT; i++) {
        pthread_mutex_lock(&k->lock);
        kept_count one = k->kept[i];
        k->kept[i].term[0] = '\0';
        pthread_mutex_unlock(&k->lock);
        if (!one.term[0]) continue;
        sqlite3_stmt *q = prepare(c, rq, EG_SQL_SET_TERM_TOTAL);
        if (!q) return rq->err->code;
        bind_text(q, 1, eg_str_of(one.term));
        sqlite3_bind_int64(q, 2, one.documents);
        sqlite3_bind_int64(q, 3, one.all);
        st = run(c, rq, q);
    }
    return st;
}

eg_status count_documents(eg_storage *s, connection *c, eg_request *rq, eg_str term, int64_t all, int64_t *documents) {
    uint64_t hash = hash_of(term);
    if (recall(s->term_counts, hash, all, documents)) return EG_OK;
    int64_t before = 0;
    int stored = read_stored(s, c, rq, term, all, documents, &before);
    if (stored < 0) return rq->err->code;
    if (stored) {
        keep(s->term_counts, hash, before, *documents, (eg_str){"", 0});
        return EG_OK;
    }
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_TERM_DOCUMENTS);
    if (!q) return rq->err->code;
    bind_text(q, 1, term);
    int row = step(c, rq, q);
    *documents = row > 0 ? sqlite3_column_int64(q, 0) : 0;
    sqlite3_reset(q);
    if (*documents >= COMMON) keep(s->term_counts, hash, all, *documents, term);
    return row < 0 ? rq->err->code : EG_OK;
}
