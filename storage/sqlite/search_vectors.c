/* search_vectors.c - the facts with the nearest vectors. int8 rows are scanned in blocks
 * (vector_blocks.h) and the best facts are scored again with f32.
 *
 * The int8 rows of a model are cached in memory up to a limit; rows beyond it are read from the
 * store in the same blocks at each search. Rows are only ever added, in order of commit, and those
 * of one fact follow each other, so comparing the last key shows whether another process added
 * some; each search first reads those.
 *
 * The scan skips rows of other workspaces, and of facts that best.h knows not to pass. Many blocks
 * are scanned in parts, on several threads, each of which keeps its best facts; the best of these
 * are the best of all. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "best.h"
#include "vector_blocks.h"

enum {
    CACHE_BYTES = 512 << 20, /* 1.3 million rows of 384 numbers */
    MARGIN = 16              /* facts beyond the limit that are scored again: int8 orders near ones
                              * differently from f32 */
};

typedef struct vector_cache {
    struct vector_cache *next;
    char *model_id;
    int64_t model; /* inner key; 0: not stored yet */
    uint32_t dimensions;
    block **blocks;
    size_t block_count;
    int64_t last_key;
    int full; /* the limit is reached: later rows are read each time */
} vector_cache;

void vector_caches_release(eg_storage *s) {
    for (vector_cache *v = s->caches; v;) {
        vector_cache *next = v->next;
        for (size_t i = 0; i < v->block_count; i++) block_destroy(v->blocks[i]);
        free(v->blocks);
        free(v->model_id);
        free(v);
        v = next;
    }
    s->caches = NULL;
}

static vector_cache *find_cache(const eg_storage *s, eg_str model, uint32_t dimensions) {
    vector_cache *v = s->caches;
    while (v && !(eg_str_eq(eg_str_of(v->model_id), model) && v->dimensions == dimensions)) v = v->next;
    return v;
}

static vector_cache *make_cache(eg_storage *s, eg_str model, uint32_t dimensions) {
    vector_cache *v = calloc(1, sizeof *v);
    char *id = malloc(model.len + 1);
    if (!v || !id) {
        free(v);
        free(id);
        return NULL;
    }
    memcpy(id, model.ptr, model.len);
    id[model.len] = '\0';
    *v = (vector_cache){.next = s->caches, .model_id = id, .dimensions = dimensions};
    return s->caches = v;
}

static size_t cached_bytes(const eg_storage *s) {
    size_t bytes = 0;
    for (const vector_cache *v = s->caches; v; v = v->next)
        bytes += v->block_count * (sizeof(block) + (size_t)BLOCK * v->dimensions);
    return bytes;
}

/* The block that the next rows go to; NULL when the cache is full or memory is out. */
static block *open_block(eg_storage *s, vector_cache *v) {
    block *last = v->block_count ? v->blocks[v->block_count - 1] : NULL;
    if (last && !last->full) return last;
    if (cached_bytes(s) + sizeof(block) + (size_t)BLOCK * v->dimensions > CACHE_BYTES) return NULL;
    block **more = realloc(v->blocks, (v->block_count + 1) * sizeof *more);
    if (!more) return NULL;
    v->blocks = more;
    block *b = block_create(v->dimensions);
    if (b) v->blocks[v->block_count++] = b;
    return b;
}

/* The number that a statement gives: 1, 0 no row, -1 error with the record filled. */
static int number_of(connection *c, eg_request *rq, sqlite3_stmt *q, int64_t *out) {
    int row = q ? step(c, rq, q) : -1;
    if (row > 0) *out = sqlite3_column_int64(q, 0);
    if (q) sqlite3_reset(q);
    return row;
}
static int number_by_name(connection *c, eg_request *rq, eg_sql which, eg_str name, int64_t *out) {
    sqlite3_stmt *q = prepare(c, rq, which);
    if (q) bind_text(q, 1, name);
    return number_of(c, rq, q, out);
}

/* 1 when the cache holds all rows that it can hold, so that it need not be changed; -1 with the
 * error record filled. */
static int up_to_date(connection *c, eg_request *rq, const vector_cache *v) {
    if (!v || !v->model) return 0;
    if (v->full) return 1;
    int64_t last = 0;
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_LAST_VECTOR);
    if (q) sqlite3_bind_int64(q, 1, v->model);
    return number_of(c, rq, q, &last) < 0 ? -1 : last <= v->last_key;
}

/* Reads what was committed since the last search. The write lock of the cache is held. */
static eg_status read_tail(eg_storage *s, connection *c, eg_request *rq, vector_cache *v) {
    int row = 1;
    if (v->model == 0) {
        row = number_by_name(c, rq, EG_SQL_MODEL_KEY, eg_str_of(v->model_id), &v->model);
        if (row <= 0) return row < 0 ? rq->err->code : EG_OK;
    }
    vector_source from = {.s = s, .c = c, .rq = rq, .model = v->model, .dimensions = v->dimensions, .key = v->last_key};
    while (row > 0 && !v->full) {
        block *b = open_block(s, v);
        if (b) row = read_vectors(&from, b);
        else v->full = 1;
        v->last_key = from.key;
    }
    vectors_end(&from);
    return row < 0 ? rq->err->code : EG_OK;
}

typedef struct scan {
    eg_storage *s;
    connection *c;
    eg_request *rq;
    const vector_cache *vectors;
    size_t block_count; /* without empty ones */
    int64_t workspace;
    const int8_t *s8; /* the query */
    float scale;
    const float *query;
    uint32_t dimensions;
    struct part *parts;
    size_t part_count;
    /* as many facts as are looked for have at least this score: no row with less is among the
     * best */
    _Atomic float floor;
} scan;

/* Blocks that one thread scans one after the other. */
typedef struct part {
    scan *x;
    best_facts best; /* with a heap of its own */
    ranked pending;  /* the best row so far of the fact whose rows are being scanned; fact 0:
                      * none */
    float floor;     /* as of the scan, as far as this part knows */
} part;

static int is_wanted(const part *p, const block *b, size_t i) {
    return b->workspaces[i] == p->x->workspace && best_may_pass(&p->best, b->facts[i]);
}

static void raise_floor(part *p) {
    float all = atomic_load_explicit(&p->x->floor, memory_order_relaxed);
    float own = p->best.count == p->best.capacity ? p->best.heap[0].score : all;
    while (own > all &&
           !atomic_compare_exchange_weak_explicit(&p->x->floor, &all, own, memory_order_relaxed, memory_order_relaxed)) {}
    p->floor = own > all ? own : all;
}

static void end_fact(part *p) {
    if (p->pending.fact) {
        best_offer(&p->best, p->pending);
        raise_floor(p);
    }
    p->pending.fact = 0;
}

static inline void take_score(part *p, int64_t fact, float score) {
    if (score < p->floor) return;
    if (fact != p->pending.fact) end_fact(p);
    else if (score <= p->pending.score) return;
    p->pending = (ranked){score, fact};
}

/* The n rows that are wanted, each by itself. */
static void score_few(const scan *x, const block *b, const uint16_t *wanted, size_t n, float *scores) {
    const eg_services *services = x->s->services;
    for (size_t k = 0; k < n; k++) {
        size_t i = wanted[k];
        services->scan_s8(services->host, b->rows + i * x->dimensions, b->scales + i, 1, x->dimensions, x->s8, x->scale,
                          scores + i);
    }
}

/* Rows begin to end - 1. */
static void scan_rows(part *p, const block *b, size_t begin, size_t end) {
    enum { FEW = BLOCK / 8 };
    const scan *x = p->x;
    const eg_services *services = x->s->services;
    float scores[BLOCK];
    uint16_t wanted[BLOCK];
    size_t n = 0;
    int all = b->workspace == x->workspace && !p->best.visible;
    if (!all) {
        for (size_t i = begin; i < end; i++)
            if (is_wanted(p, b, i)) wanted[n++] = (uint16_t)i;
        if (n <= FEW) score_few(x, b, wanted, n, scores);
    }
    if (all || n > FEW)
        services->scan_s8(services->host, b->rows + begin * x->dimensions, b->scales + begin, end - begin, x->dimensions, x->s8,
                          x->scale, scores + begin);
    if (all)
        for (size_t i = begin; i < end; i++) take_score(p, b->facts[i], scores[i]);
    else
        for (size_t k = 0; k < n; k++) take_score(p, b->facts[wanted[k]], scores[wanted[k]]);
}

/* The first row of the block that belongs to another fact. */
static size_t rows_of(const block *b, int64_t fact) {
    size_t i = 0;
    while (i < b->count && b->facts[i] == fact) i++;
    return i;
}

static int64_t last_fact_of(const block *b) { return b->facts[b->count - 1]; }

/* The blocks of the part but for the rows of a fact that began in the part before; with those of
 * its last fact in the blocks behind it: so each fact is offered once. */
static void scan_part(void *self, size_t number) {
    scan *x = self;
    part *p = &x->parts[number];
    block *const *blocks = x->vectors->blocks;
    size_t i = x->block_count * number / x->part_count, end = x->block_count * (number + 1) / x->part_count;
    int64_t before = i ? last_fact_of(blocks[i - 1]) : 0;
    for (; i < end; i++) {
        size_t begin = rows_of(blocks[i], before);
        if (begin < blocks[i]->count) before = 0;
        scan_rows(p, blocks[i], begin, blocks[i]->count);
    }
    if (end && before == 0) {
        int64_t last = last_fact_of(blocks[end - 1]);
        size_t rows = BLOCK;
        for (; i < x->block_count && rows; i++) {
            rows = rows_of(blocks[i], last);
            scan_rows(p, blocks[i], 0, rows);
            if (rows < blocks[i]->count) break;
        }
    }
    if (!x->vectors->full) end_fact(p);
}

/* The rows that are not cached, block by block. */
static eg_status scan_rest(scan *x, part *p) {
    const vector_cache *v = x->vectors;
    vector_source from = {.s = x->s, .c = x->c, .rq = x->rq, .model = v->model, .dimensions = v->dimensions, .key = v->last_key};
    block *b = block_create(v->dimensions);
    if (!b) return eg_request_fail(x->rq, EG_ENOMEM, "out of memory for a block of vectors");
    int row = 1;
    while (row > 0) {
        row = read_vectors(&from, b);
        if (row > 0 && !b->full) continue;
        if (row >= 0) scan_rows(p, b, 0, b->count);
        block_clear(b);
    }
    vectors_end(&from);
    block_destroy(b);
    end_fact(p);
    return row < 0 ? x->rq->err->code : EG_OK;
}

/* A host of ABI 1.0 has no threads to lend. */
static int has_threads(const eg_services *services) { return EG_HAS(services, parallel) && services->parallel; }

static eg_status make_parts(scan *x, const best_facts *b) {
    enum { PART_BLOCKS = 16, MOST_PARTS = 16 };
    size_t n = x->block_count / PART_BLOCKS;
    /* the rest is read by this thread, and may begin with the last fact that is cached */
    int alone = n < 1 || x->vectors->full || !has_threads(x->s->services);
    x->part_count = alone ? 1 : n < MOST_PARTS ? n : MOST_PARTS;
    ranked *heaps = eg_request_array(x->rq, x->part_count * b->capacity, sizeof *heaps);
    if (!heaps || !(x->parts = eg_request_array(x->rq, x->part_count, sizeof *x->parts))) return EG_ENOMEM;
    atomic_store(&x->floor, -INFINITY);
    for (size_t i = 0; i < x->part_count; i++) {
        x->parts[i] = (part){.x = x, .best = *b, .floor = -INFINITY};
        x->parts[i].best.heap = heaps + i * b->capacity;
    }
    return EG_OK;
}

static eg_status scan_all(void *self, best_facts *b) {
    scan *x = self;
    const vector_cache *v = x->vectors;
    x->block_count = v->block_count;
    while (x->block_count && v->blocks[x->block_count - 1]->count == 0) x->block_count--;
    eg_status s = make_parts(x, b);
    if (s != EG_OK) return s;
    if (x->part_count > 1) x->s->services->parallel(x->s->services->host, x->part_count, scan_part, x);
    else scan_part(x, 0);
    if (v->full) s = scan_rest(x, x->parts);
    for (size_t i = 0; i < x->part_count; i++)
        for (size_t k = 0; k < x->parts[i].best.count; k++) best_offer(b, x->parts[i].best.heap[k]);
    return s;
}

/* The best f32 row of a fact. */
static eg_status rescore(void *self, best_facts *b, ranked *fact) {
    scan *x = self;
    (void)b;
    sqlite3_stmt *q = prepare(x->c, x->rq, EG_SQL_VECTORS_F32_OF);
    if (!q) return x->rq->err->code;
    sqlite3_bind_int64(q, 1, fact->fact);
    sqlite3_bind_int64(q, 2, x->vectors->model);
    int row, first = 1;
    while ((row = step(x->c, x->rq, q)) > 0) {
        float f32[EG_MAX_DIMENSIONS];
        if (sqlite3_column_bytes(q, 0) != (int)(x->dimensions * sizeof *f32)) continue;
        memcpy(f32, sqlite3_column_blob(q, 0), x->dimensions * sizeof *f32);
        float score = x->s->services->dot(x->s->services->host, x->query, f32, x->dimensions);
        if (first || score > fact->score) fact->score = score;
        first = 0;
    }
    return row < 0 ? x->rq->err->code : EG_OK;
}

eg_status search_vectors(eg_storage *s, connection *c, eg_request *rq, const eg_filter *f, const eg_search *wanted,
                         eg_scored_list *out) {
    const eg_vector *query = wanted->vector;
    uint32_t dimensions = query->dimensions;
    if (dimensions == 0 || dimensions > EG_MAX_DIMENSIONS)
        return eg_request_fail(rq, EG_EINVAL, "a query vector of %u dimensions; 1 to %d are possible", dimensions,
                               EG_MAX_DIMENSIONS);
    int8_t s8[EG_MAX_DIMENSIONS];
    scan x = {.s = s, .c = c, .rq = rq, .s8 = s8, .query = query->values, .dimensions = dimensions};
    s->services->quantize_s8(s->services->host, query->values, dimensions, s8, &x.scale);

    eg_status st = EG_OK;
    int row = number_by_name(c, rq, EG_SQL_WORKSPACE, rq->workspace, &x.workspace);
    pthread_rwlock_rdlock(&s->cache_lock);
    vector_cache *v = find_cache(s, query->model_id, dimensions);
    int current = row > 0 ? up_to_date(c, rq, v) : row;
    if (row > 0 && current == 0) { /* searches run side by side but for this */
        pthread_rwlock_unlock(&s->cache_lock);
        pthread_rwlock_wrlock(&s->cache_lock);
        if (!(v = find_cache(s, query->model_id, dimensions))) v = make_cache(s, query->model_id, dimensions);
        st = v ? read_tail(s, c, rq, v) : eg_request_fail(rq, EG_ENOMEM, "out of memory for the cache of vectors");
        pthread_rwlock_unlock(&s->cache_lock);
        pthread_rwlock_rdlock(&s->cache_lock);
    } else if (current < 0) {
        st = rq->err->code;
    }
    if (st == EG_OK && row > 0 && v->model) {
        best_facts best = {.s = s, .c = c, .rq = rq, .filter = f};
        x.vectors = v;
        st = best_choose(&best, wanted->limit, MARGIN, scan_all, rescore, &x, out);
    }
    pthread_rwlock_unlock(&s->cache_lock);
    return st;
}
