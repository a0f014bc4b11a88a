/* term_counts.c - see term_counts.h. */
#include "term_counts.h"

#include <stdlib.h>

enum { KEPT = 256, COMMON = 4096, GROWTH = 64 };

/* The counts of common terms, each where its hash says; another term with the same place takes
 * it. */
struct term_counts {
    pthread_mutex_t lock;
    struct {
        uint64_t hash;
        int64_t documents, all; /* all: the facts of then */
    } kept[KEPT];
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

static int recall(struct term_counts *k, uint64_t hash, int64_t all, int64_t *documents) {
    pthread_mutex_lock(&k->lock);
    int64_t before = k->kept[hash % KEPT].all;
    int known = k->kept[hash % KEPT].hash == hash && before <= all && all - before <= before / GROWTH;
    if (known) *documents = k->kept[hash % KEPT].documents;
    pthread_mutex_unlock(&k->lock);
    return known;
}

static void keep(struct term_counts *k, uint64_t hash, int64_t all, int64_t documents) {
    pthread_mutex_lock(&k->lock);
    k->kept[hash % KEPT].hash = hash;
    k->kept[hash % KEPT].documents = documents;
    k->kept[hash % KEPT].all = all;
    pthread_mutex_unlock(&k->lock);
}

eg_status count_documents(eg_storage *s, connection *c, eg_request *rq, eg_str term, int64_t all, int64_t *documents) {
    uint64_t hash = hash_of(term);
    if (recall(s->term_counts, hash, all, documents)) return EG_OK;
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_TERM_DOCUMENTS);
    if (!q) return rq->err->code;
    bind_text(q, 1, term);
    int row = step(c, rq, q);
    *documents = row > 0 ? sqlite3_column_int64(q, 0) : 0;
    sqlite3_reset(q);
    if (*documents >= COMMON) keep(s->term_counts, hash, all, *documents);
    return row < 0 ? rq->err->code : EG_OK;
}
