/* attention.tmpl.h - attention of one sequence and head, over v16: plain, and with DeBERTa's
 * relative positions, where the score of query i and key j is (q_i k_j + q_i K[i - j] + k_j Q[i -
 * j]) * scale, with three separate sums (He et al. 2021, arXiv 2006.03654). Included by
 * table.tmpl.h; eg_attention and eg_relative in kernels.h describe the arguments. */

enum { QUERY_ROWS = EG_ATTENTION_ROWS, RELATIVE_ROWS = 2 };

/* Rows of floats, ld apart. */
typedef struct float_rows {
    const float *x;
    size_t ld;
} float_rows;

/* What a sequence needs beside its own rows, all in the scratch memory: the keys, transposed, with
 * `padded` columns (the length rounded up to whole vectors); the scores of QUERY_ROWS queries,
 * `padded` apart; and, where distances share columns, the products of keys and of queries with the
 * relative positions (else NULL). */
typedef struct attention_scratch {
    float *keys, *scores, *by_query, *by_key;
    size_t padded;
} attention_scratch;

/* sum[r][v] = the sum over i of x[r][i] * table[i][16 v ...], i ascending from 0 to size: `rows`
 * rows of x and `vectors` times 16 columns of the table, of which n exist. */
static inline __attribute__((always_inline)) void sums_of(const size_t rows, const size_t vectors, float_rows x, size_t size,
                                                          float_rows table, size_t n, v16 (*sum)[ISA_PANEL_VECTORS]) {
#pragma GCC unroll 4
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 2
        for (size_t v = 0; v < vectors; v++) sum[r][v] = v16_set(0);
    for (size_t i = 0; i < size; i++) {
        v16 t[ISA_PANEL_VECTORS];
#pragma GCC unroll 2
        for (size_t v = 0; v < vectors; v++) t[v] = load_part(table.x + i * table.ld + 16 * v, n - 16 * v);
#pragma GCC unroll 4
        for (size_t r = 0; r < rows; r++) {
            v16 one = v16_set(x.x[r * x.ld + i]);
#pragma GCC unroll 2
            for (size_t v = 0; v < vectors; v++) sum[r][v] = v16_fma(one, t[v], sum[r][v]);
        }
    }
}

/* The scores of `rows` queries with 16 * vectors keys from key j on. */
static inline __attribute__((always_inline)) void scores_of(const size_t rows, const size_t vectors, const eg_attention *a,
                                                            float scale, size_t i, size_t j, const attention_scratch *s) {
    v16 sum[QUERY_ROWS][ISA_PANEL_VECTORS];
    const size_t padded = s->padded;
    float *out = s->scores;
    sums_of(rows, vectors, (float_rows){a->q + i * a->ld_qkv, a->ld_qkv}, a->head_size, (float_rows){s->keys + j, padded},
            16 * vectors, sum);
#pragma GCC unroll 4
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 2
        for (size_t v = 0; v < vectors; v++) v16_store(out + r * padded + j + 16 * v, v16_mul(sum[r][v], v16_set(scale)));
}

/* The scores of `rows` queries from query i on with all keys. */
static inline __attribute__((always_inline)) void scores(const size_t rows, const eg_attention *a, float scale, size_t i,
                                                         const attention_scratch *s) {
    size_t j = 0;
    for (; j + 16 * ISA_PANEL_VECTORS <= s->padded; j += 16 * ISA_PANEL_VECTORS)
        scores_of(rows, ISA_PANEL_VECTORS, a, scale, i, j, s);
    if (j < s->padded) scores_of(rows, 1, a, scale, i, j, s);
}

/* The same with relative positions, where neighbouring distances i - j are neighbours in the
 * tables. */
static inline __attribute__((always_inline)) void scores_relative(const size_t rows, const eg_attention *a, size_t i,
                                                                  const float *keys, size_t padded, float *out) {
    const eg_relative *x = a->relative;
    v16 scale = v16_set(a->scale);
    for (size_t j = 0; j < padded; j += 16) {
        v16 sum[RELATIVE_ROWS], by_key[RELATIVE_ROWS], by_query[RELATIVE_ROWS];
#pragma GCC unroll 2
        for (size_t r = 0; r < rows; r++) sum[r] = by_key[r] = by_query[r] = v16_set(0);
        for (size_t d = 0; d < a->head_size; d++) {
            v16 k = v16_load(keys + d * padded + j);
            size_t at = d * x->width + x->span - 1 - i + j;
#pragma GCC unroll 2
            for (size_t r = 0; r < rows; r++) {
                v16 q = v16_set(a->q[(i + r) * a->ld_qkv + d]);
                sum[r] = v16_fma(q, k, sum[r]);
                by_key[r] = v16_fma(q, v16_load(x->key + at - r), by_key[r]);
                by_query[r] = v16_fma(k, v16_load(x->query + at - r), by_query[r]);
            }
        }
#pragma GCC unroll 2
        for (size_t r = 0; r < rows; r++)
            v16_store(out + r * padded + j, v16_mul(v16_add(v16_add(sum[r], by_key[r]), by_query[r]), scale));
    }
}

/* 16 * vectors columns of relative_products, from `column` on. */
static inline __attribute__((always_inline)) void products_of(const size_t rows, const size_t vectors, const eg_relative *t,
                                                              float_rows x, const float *table, size_t head_size, size_t column,
                                                              float *out) {
    v16 sum[QUERY_ROWS][ISA_PANEL_VECTORS];
    sums_of(rows, vectors, x, head_size, (float_rows){table + column, t->width}, 16 * vectors, sum);
#pragma GCC unroll 4
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 2
        for (size_t v = 0; v < vectors; v++) {
            size_t at = column + 16 * v;
            store_part(out + r * 2 * t->span + at, 2 * t->span - at, sum[r][v]);
        }
}

/* Distances query - key, both ends included. */
typedef struct distances {
    ptrdiff_t from, to;
} distances;

/* out[r][c] = the sum over d of x[r][d] * table[d][c], for the columns of a range of distances;
 * rows of out are 2 * span apart. */
static inline __attribute__((always_inline)) void relative_products(const size_t rows, const eg_relative *t, float_rows x,
                                                                    const float *table, size_t head_size, distances range,
                                                                    float *out) {
    size_t c = t->column[range.to] / 16 * 16, end = t->column[range.from] + (size_t)1;
    for (; c + 16 * (ISA_PANEL_VECTORS - 1) < end; c += 16 * ISA_PANEL_VECTORS)
        products_of(rows, ISA_PANEL_VECTORS, t, x, table, head_size, c, out);
    if (c < end) products_of(rows, 1, t, x, table, head_size, c, out);
}

/* What the keys [j, j + rows) contribute to the scores of all queries. */
static inline __attribute__((always_inline)) void key_products(const size_t rows, const eg_attention *a, size_t j, float *out) {
    distances range = {-(ptrdiff_t)(j + rows - 1), (ptrdiff_t)a->queries - 1 - (ptrdiff_t)j};
    relative_products(rows, a->relative, (float_rows){a->k + j * a->ld_qkv, a->ld_qkv}, a->relative->query, a->head_size, range,
                      out + j * 2 * a->relative->span);
}

/* The same as scores_relative for sequences so long that distances share columns: all products
 * first, which are then gathered. */
static inline __attribute__((always_inline)) void scores_gathered(const size_t rows, const eg_attention *a, size_t i,
                                                                  const attention_scratch *s) {
    const eg_relative *x = a->relative;
    distances range = {(ptrdiff_t)i - (ptrdiff_t)(a->length - 1), (ptrdiff_t)(i + rows - 1)};
    scores(rows, a, 1, i, s);
    relative_products(rows, x, (float_rows){a->q + i * a->ld_qkv, a->ld_qkv}, x->key, a->head_size, range, s->by_key);
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < a->length; j++) {
            size_t c = x->column[(ptrdiff_t)(i + r) - (ptrdiff_t)j];
            float *score = s->scores + r * s->padded + j;
            *score = ((*score + s->by_key[r * 2 * x->span + c]) + s->by_query[j * 2 * x->span + c]) * a->scale;
        }
}

/* The weighted values of `rows` queries, elements [d, d + n) of the head, at most 16 a vector:
 * summed over the keys in order. */
static inline __attribute__((always_inline)) void weigh_of(const size_t rows, const size_t vectors, const eg_attention *a,
                                                           size_t i, size_t d, size_t n, const attention_scratch *s) {
    v16 sum[QUERY_ROWS][ISA_PANEL_VECTORS];
    sums_of(rows, vectors, (float_rows){s->scores, s->padded}, a->length, (float_rows){a->v + d, a->ld_qkv}, n, sum);
#pragma GCC unroll 4
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 2
        for (size_t v = 0; v < vectors; v++) store_part(a->out + (i + r) * a->ld_out + d + 16 * v, n - 16 * v, sum[r][v]);
}

static inline __attribute__((always_inline)) void weigh(const size_t rows, const eg_attention *a, size_t i,
                                                        const attention_scratch *s) {
    size_t d = 0;
    for (; d + 16 * ISA_PANEL_VECTORS <= a->head_size; d += 16 * ISA_PANEL_VECTORS)
        weigh_of(rows, ISA_PANEL_VECTORS, a, i, d, 16 * ISA_PANEL_VECTORS, s);
    for (; d < a->head_size; d += 16) weigh_of(rows, 1, a, i, d, a->head_size - d, s);
}

typedef float four __attribute__((vector_size(16), aligned(4), may_alias));

/* to[c][r] = from[r][c]; the columns of `to` from `rows` to ld_to become 0. Four rows and columns
 * at a time, since the rows are far apart in memory. */
static void transpose(const float *from, size_t rows, size_t columns, size_t ld, float *to, size_t ld_to) {
    size_t whole = rows / 4 * 4, wide = columns / 4 * 4;
    for (size_t r = 0; r < whole; r += 4)
        for (size_t c = 0; c < wide; c += 4) {
            const float *p = from + r * ld + c;
            four w = *(const four *)p, x = *(const four *)(p + ld), y = *(const four *)(p + 2 * ld),
                 z = *(const four *)(p + 3 * ld);
            four wx = __builtin_shufflevector(w, x, 0, 4, 1, 5), yz = __builtin_shufflevector(y, z, 0, 4, 1, 5),
                 wx_upper = __builtin_shufflevector(w, x, 2, 6, 3, 7), yz_upper = __builtin_shufflevector(y, z, 2, 6, 3, 7);
            float *q = to + c * ld_to + r;
            *(four *)q = __builtin_shufflevector(wx, yz, 0, 1, 4, 5);
            *(four *)(q + ld_to) = __builtin_shufflevector(wx, yz, 2, 3, 6, 7);
            *(four *)(q + 2 * ld_to) = __builtin_shufflevector(wx_upper, yz_upper, 0, 1, 4, 5);
            *(four *)(q + 3 * ld_to) = __builtin_shufflevector(wx_upper, yz_upper, 2, 3, 6, 7);
        }
    for (size_t c = 0; c < columns; c++) {
        for (size_t r = c < wide ? whole : 0; r < rows; r++) to[c * ld_to + r] = from[r * ld + c];
        for (size_t r = rows; r < ld_to; r++) to[c * ld_to + r] = 0;
    }
}

static inline __attribute__((always_inline)) void attend(const size_t rows, const eg_attention *a, size_t i,
                                                         const attention_scratch *s) {
    if (s->by_query) scores_gathered(rows, a, i, s);
    else if (!a->relative) scores(rows, a, a->scale, i, s);
    else
        for (size_t r = 0; r < rows; r += RELATIVE_ROWS)
            scores_relative(rows < RELATIVE_ROWS ? rows : RELATIVE_ROWS, a, i + r, s->keys, s->padded, s->scores + r * s->padded);
    softmax(s->scores, rows, a->length, s->padded);
    weigh(rows, a, i, s);
}

static void attention(const eg_attention *a) {
    attention_scratch s = {.keys = a->scratch, .padded = (a->length + 15) / 16 * 16};
    size_t i = 0, j = 0;
    s.scores = s.keys + a->head_size * s.padded;
    /* so that a vector loads 16 keys */
    transpose(a->k, a->length, a->head_size, a->ld_qkv, s.keys, s.padded);
    if (a->relative && a->length > a->relative->direct) {
        s.by_key = s.scores + QUERY_ROWS * s.padded;
        s.by_query = s.by_key + QUERY_ROWS * 2 * a->relative->span;
        for (; j + QUERY_ROWS <= a->length; j += QUERY_ROWS) key_products(QUERY_ROWS, a, j, s.by_query);
        for (; j < a->length; j++) key_products(1, a, j, s.by_query);
    }
    for (; i + QUERY_ROWS <= a->queries; i += QUERY_ROWS) attend(QUERY_ROWS, a, i, &s);
    for (; i < a->queries; i++) attend(1, a, i, &s);
}
