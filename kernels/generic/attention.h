/* attention.h - attention of one sequence and head, once over v16; included by table.h. Plain, and with DeBERTa's relative
 * positions: the score of query i and key j is (q_i k_j + q_i K[i - j] + k_j Q[i - j]) * scale, three sums of their own
 * (He et al. 2021, arXiv 2006.03654). See kernels.h. */

enum { QUERY_ROWS = EG_ATTENTION_ROWS, RELATIVE_ROWS = 2 };

/* sum[r][v] = the sum over i of x[r][i] * table[i][16 v ...]: `rows` rows of x, ld apart, and `vectors` times 16 columns of a
 * table whose rows lie `width` apart, the first n of them; i ascending, from 0 to size. */
static inline __attribute__((always_inline)) void sums_of(const size_t rows, const size_t vectors, const float *x, size_t ld,
                                                          size_t size, const float *table, size_t width, size_t n,
                                                          v16 (*sum)[PANEL_VECTORS]) {
#pragma GCC unroll 4
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 2
        for (size_t v = 0; v < vectors; v++) sum[r][v] = v16_set(0);
    for (size_t i = 0; i < size; i++) {
        v16 t[PANEL_VECTORS];
#pragma GCC unroll 2
        for (size_t v = 0; v < vectors; v++) t[v] = load_part(table + i * width + 16 * v, n - 16 * v);
#pragma GCC unroll 4
        for (size_t r = 0; r < rows; r++) {
            v16 one = v16_set(x[r * ld + i]);
#pragma GCC unroll 2
            for (size_t v = 0; v < vectors; v++) sum[r][v] = v16_fma(one, t[v], sum[r][v]);
        }
    }
}

/* Scores of `rows` query rows with 16 * vectors keys from key j on. */
static inline __attribute__((always_inline)) void scores_of(const size_t rows, const size_t vectors, const eg_attention *a,
                                                            float scale, size_t i, size_t j, const float *keys, size_t padded,
                                                            float *out) {
    v16 sum[QUERY_ROWS][PANEL_VECTORS];
    sums_of(rows, vectors, a->q + i * a->ld_qkv, a->ld_qkv, a->head_size, keys + j, padded, 16 * vectors, sum);
#pragma GCC unroll 4
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 2
        for (size_t v = 0; v < vectors; v++) v16_store(out + r * padded + j + 16 * v, v16_mul(sum[r][v], v16_set(scale)));
}

/* With all keys. */
static inline __attribute__((always_inline)) void scores(const size_t rows, const eg_attention *a, float scale, size_t i,
                                                         const float *keys, size_t padded, float *out) {
    size_t j = 0;
    for (; j + 16 * PANEL_VECTORS <= padded; j += 16 * PANEL_VECTORS)
        scores_of(rows, PANEL_VECTORS, a, scale, i, j, keys, padded, out);
    if (j < padded) scores_of(rows, 1, a, scale, i, j, keys, padded, out);
}

/* The same with relative positions, where the distances i - j lie side by side in the tables. */
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
                                                              const float *x, size_t ld, const float *table, size_t head_size,
                                                              size_t column, float *out) {
    v16 sum[QUERY_ROWS][PANEL_VECTORS];
    sums_of(rows, vectors, x, ld, head_size, table + column, t->width, 16 * vectors, sum);
#pragma GCC unroll 4
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 2
        for (size_t v = 0; v < vectors; v++) {
            size_t at = column + 16 * v;
            store_part(out + r * 2 * t->span + at, 2 * t->span - at, sum[r][v]);
        }
}

/* out[r][c] = the sum over d of x[r][d] * table[d][c], for the columns of the distances [least, most]; rows of x lie ld apart,
 * those of out 2 * span. */
static inline __attribute__((always_inline)) void relative_products(const size_t rows, const eg_relative *t, const float *x,
                                                                    size_t ld, const float *table, size_t head_size,
                                                                    ptrdiff_t least, ptrdiff_t most, float *out) {
    size_t c = t->column[most] / 16 * 16, end = t->column[least] + (size_t)1;
    for (; c + 16 * (PANEL_VECTORS - 1) < end; c += 16 * PANEL_VECTORS)
        products_of(rows, PANEL_VECTORS, t, x, ld, table, head_size, c, out);
    if (c < end) products_of(rows, 1, t, x, ld, table, head_size, c, out);
}

/* What the keys [j, j + rows) give to the scores of all queries. */
static inline __attribute__((always_inline)) void key_products(const size_t rows, const eg_attention *a, size_t j, float *out) {
    relative_products(rows, a->relative, a->k + j * a->ld_qkv, a->ld_qkv, a->relative->query, a->head_size,
                      -(ptrdiff_t)(j + rows - 1), (ptrdiff_t)a->queries - 1 - (ptrdiff_t)j, out + j * 2 * a->relative->span);
}

/* The same as scores_relative where a sequence is so long that distances share columns: all products, then gathered. */
static inline __attribute__((always_inline)) void scores_gathered(const size_t rows, const eg_attention *a, size_t i,
                                                                  const float *keys, size_t padded, float *out,
                                                                  const float *by_query, float *by_key) {
    const eg_relative *x = a->relative;
    scores(rows, a, 1, i, keys, padded, out);
    relative_products(rows, x, a->q + i * a->ld_qkv, a->ld_qkv, x->key, a->head_size, (ptrdiff_t)i - (ptrdiff_t)(a->length - 1),
                      (ptrdiff_t)(i + rows - 1), by_key);
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < a->length; j++) {
            size_t c = x->column[(ptrdiff_t)(i + r) - (ptrdiff_t)j];
            float *score = out + r * padded + j;
            *score = ((*score + by_key[r * 2 * x->span + c]) + by_query[j * 2 * x->span + c]) * a->scale;
        }
}

/* Weighted values of `rows` query rows, elements [d, d + n) of the head, at most 16 a vector: sum over keys ascending. */
static inline __attribute__((always_inline)) void weigh_of(const size_t rows, const size_t vectors, const eg_attention *a,
                                                           size_t i, size_t d, size_t n, size_t padded, const float *weights) {
    v16 sum[QUERY_ROWS][PANEL_VECTORS];
    sums_of(rows, vectors, weights, padded, a->length, a->v + d, a->ld_qkv, n, sum);
#pragma GCC unroll 4
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 2
        for (size_t v = 0; v < vectors; v++) store_part(a->out + (i + r) * a->ld_out + d + 16 * v, n - 16 * v, sum[r][v]);
}

static inline __attribute__((always_inline)) void weigh(const size_t rows, const eg_attention *a, size_t i, size_t padded,
                                                        const float *weights) {
    size_t d = 0;
    for (; d + 16 * PANEL_VECTORS <= a->head_size; d += 16 * PANEL_VECTORS)
        weigh_of(rows, PANEL_VECTORS, a, i, d, 16 * PANEL_VECTORS, padded, weights);
    for (; d < a->head_size; d += 16) weigh_of(rows, 1, a, i, d, a->head_size - d, padded, weights);
}

typedef float four __attribute__((vector_size(16), aligned(4), may_alias));

/* to[c][r] = from[r][c]; rows up to ld_to become 0. Four rows and columns at a time, since rows lie far apart. */
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

/* What a sequence needs beside its own rows: keys transposed, room for scores, and where distances share columns the products of
 * keys and of queries with the relative positions (else NULL). */
typedef struct attention_parts {
    float *keys, *scores, *by_query, *by_key;
    size_t padded;
} attention_parts;

static inline __attribute__((always_inline)) void attend(const size_t rows, const eg_attention *a, size_t i,
                                                         const attention_parts *p) {
    if (p->by_query) scores_gathered(rows, a, i, p->keys, p->padded, p->scores, p->by_query, p->by_key);
    else if (!a->relative) scores(rows, a, a->scale, i, p->keys, p->padded, p->scores);
    else
        for (size_t r = 0; r < rows; r += RELATIVE_ROWS)
            scores_relative(rows < RELATIVE_ROWS ? rows : RELATIVE_ROWS, a, i + r, p->keys, p->padded, p->scores + r * p->padded);
    softmax(p->scores, rows, a->length, p->padded);
    weigh(rows, a, i, p->padded, p->scores);
}

static void attention(const eg_attention *a) {
    attention_parts p = {.keys = a->scratch, .padded = (a->length + 15) / 16 * 16};
    size_t i = 0, j = 0;
    p.scores = p.keys + a->head_size * p.padded;
    transpose(a->k, a->length, a->head_size, a->ld_qkv, p.keys, p.padded); /* so that keys stand side by side */
    if (a->relative && a->length > a->relative->direct) {
        p.by_key = p.scores + QUERY_ROWS * p.padded;
        p.by_query = p.by_key + QUERY_ROWS * 2 * a->relative->span;
        for (; j + QUERY_ROWS <= a->length; j += QUERY_ROWS) key_products(QUERY_ROWS, a, j, p.by_query);
        for (; j < a->length; j++) key_products(1, a, j, p.by_query);
    }
    for (; i + QUERY_ROWS <= a->queries; i += QUERY_ROWS) attend(QUERY_ROWS, a, i, &p);
    for (; i < a->queries; i++) attend(1, a, i, &p);
}
