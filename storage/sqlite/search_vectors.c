/* search_vectors.c - nearest vectors: int8 rows scanned in blocks of 1,024, the best rescored with f32. The int8 rows of a
 * model are kept in memory up to a limit; before each search the tail that others committed is read. What does not fit is
 * read from the store in the same blocks. Rows are only ever added, in the order of commit, so the last key tells all. */
#include <stdlib.h>

#include "store.h"

enum { BLOCK = 1024, CACHE_BYTES = 64 << 20, FIRST_FETCH = 4 };

typedef struct block {
    size_t count;
    int64_t keys[BLOCK], facts[BLOCK];
    float scales[BLOCK];
    int8_t *rows; /* BLOCK x dimensions */
} block;

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
        for (size_t i = 0; i < v->block_count; i++) {
            free(v->blocks[i]->rows);
            free(v->blocks[i]);
        }
        free(v->blocks);
        free(v->model_id);
        free(v);
        v = next;
    }
    s->caches = NULL;
}

static vector_cache *cache_of(eg_storage *s, eg_str model, uint32_t dimensions) {
    for (vector_cache *v = s->caches; v; v = v->next)
        if (eg_str_eq(eg_str_of(v->model_id), model) && v->dimensions == dimensions) return v;
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

static block *block_create(uint32_t dimensions) {
    block *b = malloc(sizeof *b);
    int8_t *rows = malloc((size_t)BLOCK * dimensions);
    if (!b || !rows) {
        free(b);
        free(rows);
        return NULL;
    }
    b->count = 0;
    b->rows = rows;
    return b;
}

/* The block that the next row goes to; NULL when the cache is full or memory is out. */
static block *open_block(eg_storage *s, vector_cache *v) {
    block *last = v->block_count ? v->blocks[v->block_count - 1] : NULL;
    if (last && last->count < BLOCK) return last;
    if (cached_bytes(s) + sizeof(block) + (size_t)BLOCK * v->dimensions > CACHE_BYTES) return NULL;
    block **more = realloc(v->blocks, (v->block_count + 1) * sizeof *more);
    if (!more) return NULL;
    v->blocks = more;
    block *b = block_create(v->dimensions);
    if (b) v->blocks[v->block_count++] = b;
    return b;
}

static void take_row(sqlite3_stmt *q, block *b, uint32_t dimensions) {
    size_t i = b->count++;
    b->keys[i] = sqlite3_column_int64(q, 0);
    b->facts[i] = sqlite3_column_int64(q, 1);
    b->scales[i] = (float)sqlite3_column_double(q, 2);
    if (sqlite3_column_bytes(q, 3) == (int)dimensions) memcpy(b->rows + i * dimensions, sqlite3_column_blob(q, 3), dimensions);
    else b->scales[i] = 0; /* a row of another size is never near */
}

/* Runs VECTORS_AFTER for the rows behind `key`. */
static sqlite3_stmt *rows_after(connection *c, eg_request *rq, int64_t model, int64_t key, int64_t limit) {
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_VECTORS_AFTER);
    if (!q) return NULL;
    sqlite3_bind_int64(q, 1, model);
    sqlite3_bind_int64(q, 2, key);
    sqlite3_bind_int64(q, 3, limit);
    return q;
}

/* Reads what was committed since the last search. The write lock of the cache is held. */
static eg_status read_tail(eg_storage *s, connection *c, eg_request *rq, vector_cache *v) {
    sqlite3_stmt *q;
    int row;
    if (v->model == 0) {
        if (!(q = prepare(c, rq, EG_SQL_MODEL_KEY))) return rq->err->code;
        bind_text(q, 1, eg_str_of(v->model_id));
        row = step(c, rq, q);
        if (row > 0) v->model = sqlite3_column_int64(q, 0);
        sqlite3_reset(q);
        if (row <= 0) return row < 0 ? rq->err->code : EG_OK;
    }
    if (v->full) return EG_OK;
    if (!(q = rows_after(c, rq, v->model, v->last_key, -1))) return rq->err->code;
    while ((row = step(c, rq, q)) > 0) {
        block *b = open_block(s, v);
        if (!b) {
            v->full = 1;
            break;
        }
        take_row(q, b, v->dimensions);
        v->last_key = b->keys[b->count - 1];
    }
    sqlite3_reset(q);
    return row < 0 ? rq->err->code : EG_OK;
}

/* ---- the best rows: a heap with the worst on top ---- */

typedef struct near {
    float score;
    int64_t key, fact;
} near;

typedef struct nearest {
    near *heap;
    size_t count, most;
} nearest;

static void sift_down(nearest *n, size_t i) {
    for (;;) {
        size_t least = i, left = 2 * i + 1;
        if (left < n->count && n->heap[left].score < n->heap[least].score) least = left;
        if (left + 1 < n->count && n->heap[left + 1].score < n->heap[least].score) least = left + 1;
        if (least == i) return;
        near swap = n->heap[i];
        n->heap[i] = n->heap[least];
        n->heap[least] = swap;
        i = least;
    }
}

static void offer(nearest *n, near x) {
    if (n->count < n->most) {
        size_t i = n->count++;
        for (; i > 0 && x.score < n->heap[(i - 1) / 2].score; i = (i - 1) / 2) n->heap[i] = n->heap[(i - 1) / 2];
        n->heap[i] = x;
    } else if (x.score > n->heap[0].score) {
        n->heap[0] = x;
        sift_down(n, 0);
    }
}

typedef struct scan {
    eg_storage *s;
    const int8_t *query;
    float query_scale;
    uint32_t dimensions;
    nearest best;
} scan;

static void scan_block(scan *x, const block *b) {
    float scores[BLOCK];
    x->s->services->scan_s8(b->rows, b->scales, b->count, x->dimensions, x->query, x->query_scale, scores);
    for (size_t i = 0; i < b->count; i++) offer(&x->best, (near){scores[i], b->keys[i], b->facts[i]});
}

/* The rows that are not cached, block by block. */
static eg_status scan_rest(scan *x, connection *c, eg_request *rq, const vector_cache *v) {
    block *b = block_create(v->dimensions);
    if (!b) return eg_request_fail(rq, EG_ENOMEM, "out of memory for a block of vectors");
    int64_t key = v->last_key;
    int row = 1;
    while (row > 0) {
        b->count = 0;
        sqlite3_stmt *q = rows_after(c, rq, v->model, key, BLOCK);
        if (!q) row = -1;
        while (row > 0 && (row = step(c, rq, q)) > 0) take_row(q, b, v->dimensions);
        if (row < 0 || b->count == 0) break;
        key = b->keys[b->count - 1];
        scan_block(x, b);
        row = 1;
    }
    free(b->rows);
    free(b);
    return row < 0 ? rq->err->code : EG_OK;
}

static int by_score(const void *a, const void *b) {
    const near *x = a, *y = b;
    return (x->score < y->score) - (x->score > y->score);
}

/* Replaces the int8 scores by those of the f32 rows. */
static eg_status rescore(scan *x, connection *c, eg_request *rq, const float *query) {
    for (size_t i = 0; i < x->best.count; i++) {
        sqlite3_stmt *q = prepare(c, rq, EG_SQL_VECTOR_F32);
        if (!q) return rq->err->code;
        sqlite3_bind_int64(q, 1, x->best.heap[i].key);
        int row = step(c, rq, q);
        if (row > 0 && sqlite3_column_bytes(q, 0) == (int)(x->dimensions * sizeof(float))) {
            float v[EG_MAX_DIMENSIONS];
            memcpy(v, sqlite3_column_blob(q, 0), x->dimensions * sizeof *v);
            x->best.heap[i].score = x->s->services->dot(query, v, x->dimensions);
        }
        sqlite3_reset(q);
        if (row < 0) return rq->err->code;
    }
    qsort(x->best.heap, x->best.count, sizeof *x->best.heap, by_score);
    return EG_OK;
}

/* Facts under the filter, each once with its best row. */
static eg_status keep_visible(scan *x, connection *c, eg_request *rq, const eg_filter *f, uint32_t limit, eg_scored *out,
                              size_t *n) {
    int64_t *seen = eg_request_array(rq, limit, sizeof *seen);
    if (!seen) return EG_ENOMEM;
    *n = 0;
    for (size_t i = 0; i < x->best.count && *n < limit; i++) {
        const near *b = &x->best.heap[i];
        int again = 0;
        for (size_t k = 0; k < *n && !again; k++) again = seen[k] == b->fact;
        if (again) continue;
        sqlite3_stmt *q = prepare(c, rq, EG_SQL_VISIBLE_FACT);
        if (!q) return rq->err->code;
        if (bind_filter(q, x->s, c, rq, f) != EG_OK) return rq->err->code;
        sqlite3_bind_int64(q, named(q, ":key"), b->fact);
        int row = step(c, rq, q);
        if (row > 0) {
            seen[*n] = b->fact;
            out[(*n)++] = (eg_scored){column_id(q, 0), sqlite3_column_int64(q, 1), (double)b->score};
        }
        sqlite3_reset(q);
        if (row < 0) return rq->err->code;
    }
    return EG_OK;
}

static size_t rows_in(const vector_cache *v) {
    return v->block_count ? (v->block_count - 1) * BLOCK + v->blocks[v->block_count - 1]->count : 0;
}

/* Fetches more than asked for, and again more, until enough facts pass the filter or all rows were looked at. */
static eg_status search(scan *x, connection *c, eg_request *rq, const eg_filter *f, const vector_cache *v, const float *query,
                        uint32_t limit, eg_scored *out, size_t *n) {
    for (size_t most = (size_t)limit * FIRST_FETCH + 16;; most *= 8) {
        x->best = (nearest){.heap = eg_request_array(rq, most, sizeof(near)), .most = most};
        if (!x->best.heap) return EG_ENOMEM;
        for (size_t i = 0; i < v->block_count; i++) scan_block(x, v->blocks[i]);
        eg_status s = v->full ? scan_rest(x, c, rq, v) : EG_OK;
        if (s == EG_OK) s = rescore(x, c, rq, query);
        if (s == EG_OK) s = keep_visible(x, c, rq, f, limit, out, n);
        int looked_at_all = x->best.count < most || (!v->full && rows_in(v) <= most);
        if (s != EG_OK || *n >= limit || looked_at_all) return s;
    }
}

eg_status sqlite_search_vectors(eg_storage *s, eg_request *rq, const eg_filter *f, eg_str model, const float *query,
                                uint32_t dimensions, uint32_t limit, eg_scored **out, size_t *n) {
    *n = 0;
    *out = eg_request_array(rq, limit, sizeof **out);
    if (!*out) return EG_ENOMEM;
    if (dimensions == 0 || dimensions > EG_MAX_DIMENSIONS)
        return eg_request_fail(rq, EG_EINVAL, "a query vector of %u dimensions; 1 to %d are possible", dimensions,
                               EG_MAX_DIMENSIONS);
    int8_t s8[EG_MAX_DIMENSIONS];
    scan x = {.s = s, .query = s8, .dimensions = dimensions};
    s->services->quantize_s8(query, dimensions, s8, &x.query_scale);

    connection *c = reader_take(s);
    pthread_rwlock_wrlock(&s->cache_lock);
    vector_cache *v = cache_of(s, model, dimensions);
    eg_status st = v ? read_tail(s, c, rq, v) : eg_request_fail(rq, EG_ENOMEM, "out of memory for the cache of vectors");
    pthread_rwlock_unlock(&s->cache_lock);
    if (st == EG_OK && v->model) {
        pthread_rwlock_rdlock(&s->cache_lock);
        st = search(&x, c, rq, f, v, query, limit, *out, n);
        pthread_rwlock_unlock(&s->cache_lock);
    }
    connection_give(c);
    return st;
}
