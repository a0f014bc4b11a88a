/* vector_blocks.c - see vector_blocks.h. The data of a stored block are four arrays, one behind the
 * other, in the byte order of the machine, as are the f32 vectors: facts, workspaces, scales,
 * rows. */
#include "vector_blocks.h"

#include <errno.h>
#include <stdlib.h>

#include "term_counts.h"

enum { AT_ONCE = 4 }; /* blocks that one transaction writes at most: some 5 ms each */

block *block_create(uint32_t dimensions) {
    block *b = malloc(sizeof *b);
    int8_t *rows = malloc((size_t)BLOCK * dimensions);
    if (!b || !rows) {
        free(b);
        free(rows);
        return NULL;
    }
    b->rows = rows;
    block_clear(b);
    return b;
}

void block_clear(block *b) {
    b->count = 0;
    b->workspace = 0;
    b->full = 0;
}

/* Counts the next n rows in, whose workspaces are there. */
static void count_rows(block *b, size_t n) {
    int32_t first = n && !b->count ? b->workspaces[0] : b->workspace;
    for (size_t i = 0; i < n; i++)
        if (b->workspaces[b->count + i] != first) first = 0;
    b->workspace = first;
    b->count += n;
}

void block_destroy(block *b) {
    if (!b) return;
    free(b->rows);
    free(b);
}

/* ---- reading ---- */

/* The stored block that ends first behind the key. */
typedef struct stored {
    int64_t first, last;
    size_t count;
} stored;

/* 1, 0 there is none, -1 error with the record filled. */
static int find_stored(const vector_source *v, stored *out) {
    if (!v->s->has_indexes) return 0;
    sqlite3_stmt *q = prepare(v->c, v->rq, EG_SQL_NEXT_VECTOR_BLOCK);
    if (!q) return -1;
    sqlite3_bind_int64(q, 1, v->model);
    sqlite3_bind_int64(q, 2, v->key);
    int row = step(v->c, v->rq, q);
    if (row > 0) *out = (stored){sqlite3_column_int64(q, 0), sqlite3_column_int64(q, 1), (size_t)sqlite3_column_int64(q, 2)};
    sqlite3_reset(q);
    return row;
}

static void take_row(const vector_source *v, sqlite3_stmt *q, block *b) {
    size_t i = b->count;
    int8_t *to = b->rows + i * v->dimensions;
    b->facts[i] = sqlite3_column_int64(q, 1);
    b->workspaces[i] = sqlite3_column_int(q, 4);
    b->scales[i] = (float)sqlite3_column_double(q, 2);
    if (sqlite3_column_bytes(q, 3) == (int)v->dimensions) {
        memcpy(to, sqlite3_column_blob(q, 3), v->dimensions);
    } else { /* a row of another size is never near */
        b->scales[i] = 0;
        memset(to, 0, v->dimensions);
    }
    count_rows(b, 1);
}

/* The rows behind the key up to `last`, as far as there is room: their number. */
static int read_rows(vector_source *v, int64_t last, block *b) {
    sqlite3_stmt *q = prepare(v->c, v->rq, EG_SQL_VECTORS_AFTER);
    if (!q) return -1;
    sqlite3_bind_int64(q, 1, v->model);
    sqlite3_bind_int64(q, 2, v->key);
    sqlite3_bind_int64(q, 3, last);
    sqlite3_bind_int64(q, 4, (int64_t)(BLOCK - b->count));
    int row, n = 0;
    while ((row = step(v->c, v->rq, q)) > 0) {
        take_row(v, q, b);
        v->key = sqlite3_column_int64(q, 0);
        n++;
    }
    return row < 0 ? -1 : n;
}

static size_t data_size(size_t count, uint32_t dimensions) {
    return count * (sizeof(int64_t) + sizeof(int32_t) + sizeof(float) + dimensions);
}

/* Reads the data of a stored block to the end of b. SQLITE_MISMATCH: they are of another size, or
 * name no facts. */
static int read_data(sqlite3_blob *data, uint32_t dimensions, size_t n, block *b) {
    if (sqlite3_blob_bytes(data) != (int)data_size(n, dimensions)) return SQLITE_MISMATCH;
    const struct {
        void *to;
        size_t size;
    } parts[] = {{b->facts + b->count, n * sizeof *b->facts},
                 {b->workspaces + b->count, n * sizeof *b->workspaces},
                 {b->scales + b->count, n * sizeof *b->scales},
                 {b->rows + b->count * dimensions, n * dimensions}};
    int at = 0, failed = SQLITE_OK;
    for (size_t i = 0; failed == SQLITE_OK && i < 4; i++) {
        failed = sqlite3_blob_read(data, parts[i].to, (int)parts[i].size, at);
        at += (int)parts[i].size;
    }
    for (size_t i = 0; failed == SQLITE_OK && i < n; i++)
        if (b->facts[b->count + i] < 1) failed = SQLITE_MISMATCH;
    if (failed == SQLITE_OK) count_rows(b, n);
    return failed;
}

/* 1 when the stored block was added, 0 when its rows must be read instead, -1 error. It is read
 * straight to its place: a copy of it in between, with memory of its own, took as long again. */
static int read_stored(vector_source *v, const stored *from, block *b) {
    errno = 0;
    int failed = v->data ? sqlite3_blob_reopen(v->data, from->last)
                         : sqlite3_blob_open(v->c->db, "main", "vector_blocks", "data", from->last, 0, &v->data);
    if (failed == SQLITE_OK) failed = read_data(v->data, v->dimensions, from->count, b);
    if (failed == SQLITE_OK) v->key = from->last;
    else if (failed != SQLITE_MISMATCH) sqlite_error(v->c, v->rq, "reading vectors");
    return failed == SQLITE_OK ? 1 : failed == SQLITE_MISMATCH ? 0 : -1;
}

void vectors_end(vector_source *v) {
    sqlite3_blob_close(v->data);
    v->data = NULL;
}

int read_vectors(vector_source *v, block *b) {
    for (;;) {
        if (b->count == BLOCK) return b->full = 1;
        stored next = {.last = INT64_MAX};
        int found = find_stored(v, &next), read;
        if (found < 0) return -1;
        if (found && next.first > v->key) { /* else the key is inside of it */
            if (next.first > v->key + 1 && (read = read_rows(v, next.first - 1, b)) != 0) return read < 0 ? -1 : 1;
            if (b->count && next.count > BLOCK - b->count) return b->full = 1;
            read = next.count <= BLOCK ? read_stored(v, &next, b) : 0;
            if (read) return read;
        }
        read = read_rows(v, next.last, b);
        if (read || !found) return read < 0 ? -1 : read > 0;
        v->key = next.last;
    }
}

/* ---- writing ---- */

typedef struct keeping {
    eg_storage *s;
    connection *c;
    eg_request *rq;
    int left; /* blocks that may still be written */
} keeping;

static eg_status insert_block(const keeping *k, int64_t model, int64_t first, int64_t last, const block *b, uint32_t dimensions) {
    sqlite3_stmt *q = prepare(k->c, k->rq, EG_SQL_INSERT_VECTOR_BLOCK);
    size_t size = data_size(b->count, dimensions);
    char *data = malloc(size), *to = data;
    eg_status s = q ? EG_OK : k->rq->err->code;
    if (q && !data) s = eg_request_fail(k->rq, EG_ENOMEM, "out of memory for a block of vectors");
    if (s == EG_OK) {
        memcpy(to, b->facts, b->count * sizeof *b->facts);
        memcpy(to += b->count * sizeof *b->facts, b->workspaces, b->count * sizeof *b->workspaces);
        memcpy(to += b->count * sizeof *b->workspaces, b->scales, b->count * sizeof *b->scales);
        memcpy(to + b->count * sizeof *b->scales, b->rows, b->count * dimensions);
        sqlite3_bind_int64(q, 1, model);
        sqlite3_bind_int64(q, 2, first);
        sqlite3_bind_int64(q, 3, last);
        sqlite3_bind_int64(q, 4, (int64_t)b->count);
        sqlite3_bind_blob(q, 5, data, (int)size, SQLITE_STATIC);
        s = run(k->c, k->rq, q);
        sqlite3_clear_bindings(q);
    }
    free(data);
    return s;
}

/* The rows of a model behind `key` up to `last`, at most BLOCK, become a block. */
static eg_status make_block(keeping *k, int64_t model, uint32_t dimensions, int64_t key, int64_t last) {
    vector_source v = {.s = k->s, .c = k->c, .rq = k->rq, .model = model, .dimensions = dimensions, .key = key};
    block *b = block_create(dimensions);
    if (!b) return eg_request_fail(k->rq, EG_ENOMEM, "out of memory for a block of vectors");
    int n = read_rows(&v, last, b);
    eg_status s = n < 0 ? k->rq->err->code : EG_OK;
    if (n > 0) s = insert_block(k, model, key + 1, v.key, b, dimensions);
    block_destroy(b);
    k->left--;
    return s;
}

/* 1 with the columns of the statement's row, 0, -1 with the error record filled. */
static int row_of(const keeping *k, sqlite3_stmt *q, int64_t *columns, int n) {
    int row = q ? step(k->c, k->rq, q) : -1;
    for (int i = 0; row > 0 && i < n; i++) columns[i] = sqlite3_column_int64(q, i);
    if (q) sqlite3_reset(q);
    return row;
}

static eg_status fill_gaps(keeping *k) {
    enum { FIRST, LAST, MODEL, DIMENSIONS, COLUMNS };
    int64_t gap[COLUMNS];
    while (k->left > 0) {
        int row = row_of(k, prepare(k->c, k->rq, EG_SQL_VECTOR_GAP), gap, COLUMNS);
        if (row <= 0) return row < 0 ? k->rq->err->code : EG_OK;
        eg_status s = make_block(k, gap[MODEL], (uint32_t)gap[DIMENSIONS], gap[FIRST] - 1, gap[LAST]);
        sqlite3_stmt *q = s == EG_OK ? prepare(k->c, k->rq, EG_SQL_DELETE_VECTOR_GAP) : NULL;
        if (!q) return k->rq->err->code;
        sqlite3_bind_int64(q, 1, gap[LAST]);
        if ((s = run(k->c, k->rq, q)) != EG_OK) return s;
    }
    return EG_OK;
}

/* Blocks of the vectors behind the last block of a model. */
static eg_status extend(keeping *k, int64_t model, uint32_t dimensions) {
    while (k->left > 0) {
        int64_t behind, last;
        sqlite3_stmt *q = prepare(k->c, k->rq, EG_SQL_LAST_VECTOR_BLOCK);
        if (q) sqlite3_bind_int64(q, 1, model);
        int row = row_of(k, q, &behind, 1);
        q = row > 0 ? prepare(k->c, k->rq, EG_SQL_END_OF_VECTOR_BLOCK) : NULL;
        if (!q) return k->rq->err->code;
        sqlite3_bind_int64(q, 1, model);
        sqlite3_bind_int64(q, 2, behind);
        sqlite3_bind_int64(q, 3, BLOCK - 1);
        if ((row = row_of(k, q, &last, 1)) <= 0) return row < 0 ? k->rq->err->code : EG_OK;
        eg_status s = make_block(k, model, dimensions, behind, last);
        if (s != EG_OK) return s;
    }
    return EG_OK;
}

static eg_status extend_all(keeping *k) {
    int64_t model[2] = {0, 0}; /* key, dimensions */
    for (;;) {
        sqlite3_stmt *q = prepare(k->c, k->rq, EG_SQL_NEXT_MODEL);
        if (q) sqlite3_bind_int64(q, 1, model[0]);
        int row = row_of(k, q, model, 2);
        if (row <= 0) return row < 0 ? k->rq->err->code : EG_OK;
        if (model[1] < 1 || model[1] > EG_MAX_DIMENSIONS) continue;
        eg_status s = extend(k, model[0], (uint32_t)model[1]);
        if (s != EG_OK) return s;
    }
}

eg_status keep_reading_fast(eg_storage *s, connection *c, eg_request *rq) {
    keeping k = {.s = s, .c = c, .rq = rq, .left = AT_ONCE};
    eg_status st = run(c, rq, prepare(c, rq, EG_SQL_BEGIN_READING_FAST));
    if (st != EG_OK) return st;
    st = fill_gaps(&k);
    if (st == EG_OK) st = extend_all(&k);
    if (st == EG_OK) st = store_term_counts(s, c, rq);
    if (st != EG_OK) {
        if (sqlite3_get_autocommit(c->db)) return st; /* SQLite ended the transaction */
        *rq->err = (eg_error){0};
        st = run(c, rq, prepare(c, rq, EG_SQL_UNDO_READING_FAST));
    }
    return st == EG_OK ? run(c, rq, prepare(c, rq, EG_SQL_END_READING_FAST)) : st;
}
