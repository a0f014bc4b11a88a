/* attention.h - attention of one sequence and head, once over v16; included by table.h. Plain, and with DeBERTa's relative
 * positions: the score of query i and key j is (q_i k_j + q_i K[i - j] + k_j Q[i - j]) * scale, three sums of their own
 * (He et al. 2021, arXiv 2006.03654). See kernels.h. */

enum { QUERY_ROWS = 4, RELATIVE_ROWS = 2 };

/* Scores of `rows` query rows with all keys: sum over d ascending, 16 keys side by side. */
static inline __attribute__((always_inline)) void scores(const size_t rows, const eg_attention *a, size_t i, const float *keys,
                                                         size_t padded, float *out) {
    v16 scale = v16_set(a->scale);
    for (size_t j = 0; j < padded; j += 16) {
        v16 sum[QUERY_ROWS];
#pragma GCC unroll 4
        for (size_t r = 0; r < rows; r++) sum[r] = v16_set(0);
        for (size_t d = 0; d < a->head_size; d++) {
            v16 k = v16_load(keys + d * padded + j);
#pragma GCC unroll 4
            for (size_t r = 0; r < rows; r++) sum[r] = v16_fma(v16_set(a->q[(i + r) * a->ld_qkv + d]), k, sum[r]);
        }
#pragma GCC unroll 4
        for (size_t r = 0; r < rows; r++) v16_store(out + r * padded + j, v16_mul(sum[r], scale));
    }
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

/* out[c] = sum over d of x[d] * table[d][c] for all columns of a table of relative positions. */
static void relative_products(const eg_relative *r, const float *x, const float *table, size_t head_size, float *out) {
    for (size_t c = 0; c < 2 * r->span; c += 16) {
        v16 sum = v16_set(0);
        for (size_t d = 0; d < head_size; d++) sum = v16_fma(v16_set(x[d]), v16_load(table + d * r->width + c), sum);
        store_part(out + c, 2 * r->span - c, sum);
    }
}

/* The same as scores_relative for one row of a sequence so long that distances share columns: all products, then gathered. */
static void scores_gathered(const eg_attention *a, size_t i, const float *keys, size_t padded, float *out, const float *by_query,
                            float *by_key) {
    const eg_relative *x = a->relative;
    size_t columns = 2 * x->span;
    relative_products(x, a->q + i * a->ld_qkv, x->key, a->head_size, by_key);
    for (size_t j = 0; j < padded; j += 16) {
        v16 sum = v16_set(0);
        for (size_t d = 0; d < a->head_size; d++)
            sum = v16_fma(v16_set(a->q[i * a->ld_qkv + d]), v16_load(keys + d * padded + j), sum);
        v16_store(out + j, sum);
    }
    for (size_t j = 0; j < a->length; j++) {
        size_t c = x->column[(ptrdiff_t)i - (ptrdiff_t)j];
        out[j] = ((out[j] + by_key[c]) + by_query[j * columns + c]) * a->scale;
    }
}

/* Weighted values of `rows` query rows: sum over keys ascending, 16 elements of the head side by side. */
static inline __attribute__((always_inline)) void weigh(const size_t rows, const eg_attention *a, size_t i, size_t padded,
                                                        const float *weights) {
    for (size_t d = 0; d < a->head_size; d += 16) {
        size_t n = a->head_size - d;
        v16 sum[QUERY_ROWS];
#pragma GCC unroll 4
        for (size_t r = 0; r < rows; r++) sum[r] = v16_set(0);
        for (size_t j = 0; j < a->length; j++) {
            v16 v = load_part(a->v + j * a->ld_qkv + d, n);
#pragma GCC unroll 4
            for (size_t r = 0; r < rows; r++) sum[r] = v16_fma(v16_set(weights[r * padded + j]), v, sum[r]);
        }
#pragma GCC unroll 4
        for (size_t r = 0; r < rows; r++) store_part(a->out + (i + r) * a->ld_out + d, n, sum[r]);
    }
}

static void attend_gathered(const eg_attention *a, const float *keys, size_t padded, float *rows) {
    const eg_relative *x = a->relative;
    float *by_key = rows + QUERY_ROWS * padded, *by_query = by_key + 2 * x->span;
    for (size_t j = 0; j < a->length; j++)
        relative_products(x, a->k + j * a->ld_qkv, x->query, a->head_size, by_query + j * 2 * x->span);
    for (size_t i = 0; i < a->queries; i++) {
        scores_gathered(a, i, keys, padded, rows, by_query, by_key);
        softmax(rows, 1, a->length, padded);
        weigh(1, a, i, padded, rows);
    }
}

static void attention(const eg_attention *a) {
    size_t padded = (a->length + 15) / 16 * 16, i = 0;
    float *keys = a->scratch, *rows = keys + a->head_size * padded;
    for (size_t d = 0; d < a->head_size; d++) { /* transposed, so that keys stand side by side */
        float *to = keys + d * padded;
        for (size_t j = 0; j < a->length; j++) to[j] = a->k[j * a->ld_qkv + d];
        for (size_t j = a->length; j < padded; j++) to[j] = 0;
    }
    if (a->relative && a->length > a->relative->direct) {
        attend_gathered(a, keys, padded, rows);
        return;
    }
    for (; i + QUERY_ROWS <= a->queries; i += QUERY_ROWS) {
        if (a->relative)
            for (size_t r = 0; r < QUERY_ROWS; r += RELATIVE_ROWS)
                scores_relative(RELATIVE_ROWS, a, i + r, keys, padded, rows + r * padded);
        else scores(QUERY_ROWS, a, i, keys, padded, rows);
        softmax(rows, QUERY_ROWS, a->length, padded);
        weigh(QUERY_ROWS, a, i, padded, rows);
    }
    for (; i < a->queries; i++) {
        if (a->relative) scores_relative(1, a, i, keys, padded, rows);
        else scores(1, a, i, keys, padded, rows);
        softmax(rows, 1, a->length, padded);
        weigh(1, a, i, padded, rows);
    }
}
