/* attention.c - attention of every ISA against the scalar table, bit for bit, and the scalar table
 * against double precision. A part of test_kernels. */
#include "cases.h"

/* The first queries alone give the same results as with all others; memory after their results is
 * not written. */
static void first_queries(const eg_attention *whole, const eg_kernels *k, const float *expected) {
    for (size_t queries = 1; queries<whole->length; queries += whole->length> 2 ? whole->length - 2 : 1) {
        size_t n = queries * whole->ld_out, rest = (whole->length - queries) * whole->ld_out;
        float *out = malloc((n + rest) * sizeof *out);
        assert_non_null(out);
        for (size_t i = 0; i < n + rest; i++) out[i] = 77;
        eg_attention a = *whole;
        a.queries = queries;
        a.out = out;
        k->attention(&a);
        assert_memory_equal(out, expected, n * sizeof *out);
        for (size_t i = n; i < n + rest; i++) assert_true(out[i] == 77);
        free(out);
    }
}

/* The relative error that kernels/generic/math.tmpl.h promises for the exponential function. */
#define EXP_ERROR 2e-7

/* Attention in double precision, with relative positions where a has them, against the rows of out;
 * fails on an element that is further off than the arithmetic of the kernels allows, with u = 2^-24
 * and n keys:
 *
 * - A score is sums of head_size products, two additions and a product: |error| <= scale *
 *   (head_size + 3) u * the sum of the magnitudes of all its products (sum_error). Subtracting
 *   the greatest score, which all weights share, rounds once more.
 * - So the unnormalised weight of key j is e^(x_j) (1 + h_j) with |h_j| <= e^|error of its
 *   argument| (1 + EXP_ERROR) - 1. With the exact weights w_j and result y, sum w_j (1 + h_j) v_j /
 *   sum w_j (1 + h_j) - y = sum w_j h_j (v_j - y) / (1 + sum w_j h_j).
 *   Weights below e^-87.3 of the greatest one are raised to it, which 1e-30 covers.
 * - Adding up n weights, the quotient, the product with it and adding up n weighted values: 2 n + 2
 *   roundings. */
static void check_attention(const eg_attention *a, const float *out) {
    enum { MAX_LENGTH = 80 };
    const eg_relative *x = a->relative;
    const double u = 0x1p-24;
    double weights[MAX_LENGTH], error[MAX_LENGTH];
    size_t n = a->length, d = a->head_size;
    assert_true(n <= MAX_LENGTH);
    for (size_t i = 0; i < a->queries; i++) {
        double greatest = -1e300, sum = 0, weighted_error = 0;
        for (size_t j = 0; j < n; j++) {
            double score = 0, magnitude = 0;
            for (size_t e = 0; e < d; e++) {
                double q = (double)a->q[i * a->ld_qkv + e], k = (double)a->k[j * a->ld_qkv + e];
                size_t at = x ? e * x->width + x->column[(ptrdiff_t)i - (ptrdiff_t)j] : 0;
                double by_key = x ? q * (double)x->key[at] : 0, by_query = x ? k * (double)x->query[at] : 0;
                score += q * k + by_key + by_query;
                magnitude += fabs(q * k) + fabs(by_key) + fabs(by_query);
            }
            weights[j] = score * (double)a->scale;
            error[j] = sum_error(d + 3, magnitude) * (double)a->scale;
            greatest = fmax(greatest, weights[j]);
        }
        for (size_t j = 0; j < n; j++) {
            double argument = error[j] + 1.001 * u * (greatest - weights[j]);
            error[j] = exp(argument) * (1 + EXP_ERROR) - 1;
            sum += weights[j] = exp(weights[j] - greatest);
        }
        for (size_t j = 0; j < n; j++) weighted_error += (weights[j] /= sum) * error[j];
        if (!(weighted_error < 0.5)) fail_msg("attention of %zu keys: scores too large to be checked", n);
        for (size_t e = 0; e < d; e++) {
            double y = 0, magnitude = 0, tolerance = 1e-30, got = (double)out[i * a->ld_out + e];
            for (size_t j = 0; j < n; j++) {
                double v = (double)a->v[j * a->ld_qkv + e];
                y += weights[j] * v;
                magnitude += weights[j] * fabs(v);
            }
            for (size_t j = 0; j < n; j++) tolerance += weights[j] * error[j] * fabs((double)a->v[j * a->ld_qkv + e] - y);
            tolerance = tolerance / (1 - weighted_error) + sum_error(2 * n + 2, magnitude * (1 + weighted_error));
            if (!(fabs(y - got) <= tolerance))
                fail_msg("attention of %zu keys, head size %zu, query %zu: %.9g, exactly %.9g, tolerance %g", n, d, i, got, y,
                         tolerance);
        }
    }
}

void attention_is_the_same_everywhere(void **state) {
    (void)state;
    static const size_t heads[] = {1, 8, 17, 24, 32, 50, 64};
    for (size_t length = 1; length <= 70; length += length < 20 ? 1 : 7)
        for (size_t h = 0; h < sizeof heads / sizeof *heads; h++) {
            size_t d = heads[h], ld = 3 * d + 1;
            begin_case("attention", length, d, 0);
            buffer qkv = make(length * ld, 1), out = make(length * d, 0), expected = copy(&out);
            float *scratch = aligned_alloc(64, (eg_attention_scratch(length, d, 0) * 4 + 63) / 64 * 64);
            assert_non_null(scratch);
            /* half of the cases have small scores, with many weights; in the others a single key
             * may get all weight */
            if (length % 2)
                for (size_t i = 0; i < qkv.n; i++) qkv.data[i] *= 0.125f;
            eg_attention a = {.q = qkv.data,
                              .k = qkv.data + d,
                              .v = qkv.data + 2 * d,
                              .ld_qkv = ld,
                              .ld_out = d,
                              .length = length,
                              .queries = length,
                              .head_size = d,
                              .scale = 0.176f,
                              .scratch = scratch};
            for (size_t l = 0; l < isa_count; l++) {
                a.out = l ? out.data : expected.data;
                isas[l]->attention(&a);
                if (l) same(&expected, &out, "attention", isas[l], length * 100 + d);
                first_queries(&a, isas[l], expected.data);
            }
            check_attention(&a, expected.data);
            free(scratch);
            done(&qkv), done(&out), done(&expected);
        }
}

/* Relative positions: each distance in a column of its own, read as slices and gathered; and
 * distances that share columns. */
static void relative_attention(const size_t span) {
    enum { FAR = 80 };
    const size_t width = 2 * span + 16;
    uint16_t own[2 * FAR], shared[2 * FAR];
    for (int distance = 1 - FAR; distance < FAR; distance++) {
        int near = distance > 8 ? 8 + (distance - 8) / 4 : distance < -8 ? -8 + (distance + 8) / 4 : distance;
        own[distance + FAR] = (uint16_t)((int)span - 1 - distance); /* read only below span */
        shared[distance + FAR] = (uint16_t)((int)span - 1 - near);
    }
    for (size_t length = 1; length <= 70; length += length < 20 ? 1 : 9)
        for (size_t d = 8; d <= 64; d += 28) {
            size_t ld = 3 * d + 1;
            begin_case("relative attention", span, length, d);
            buffer qkv = make(length * ld, 1), key = make(d * width, 0), query = make(d * width, 3), out = make(length * d, 0);
            buffer expected[2] = {copy(&out), copy(&out)};
            float *scratch = aligned_alloc(64, (eg_attention_scratch(length, d, span) * 4 + 63) / 64 * 64);
            assert_non_null(scratch);
            /* small scores, so that many keys have a weight */
            for (size_t i = 0; i < qkv.n; i++) qkv.data[i] *= 0.01f;
            for (int share = 0; share < 2; share++) {
                eg_relative x = {
                    .key = key.data, .query = query.data, .span = span, .width = width, .column = (share ? shared : own) + FAR};
                eg_attention a = {.q = qkv.data,
                                  .k = qkv.data + d,
                                  .v = qkv.data + 2 * d,
                                  .ld_qkv = ld,
                                  .ld_out = d,
                                  .length = length,
                                  .queries = length,
                                  .head_size = d,
                                  .scale = 0.1f,
                                  .scratch = scratch,
                                  .relative = &x};
                if (!share && length > span) continue;
                for (size_t l = 0; l < isa_count; l++)
                    for (int slices = 0; slices <= !share; slices++) {
                        int first = l == 0 && !slices;
                        x.direct = slices ? span : 0;
                        a.out = first ? expected[share].data : out.data;
                        isas[l]->attention(&a);
                        if (!first)
                            same(&expected[share], &out, slices ? "attention, slices" : "attention, gathered", isas[l],
                                 length * 100 + d);
                        first_queries(&a, isas[l], expected[share].data);
                    }
                check_attention(&a, expected[share].data);
            }
            free(scratch);
            done(&qkv), done(&key), done(&query), done(&out), done(&expected[0]), done(&expected[1]);
        }
}

void relative_attention_is_the_same_everywhere(void **state) {
    (void)state;
    relative_attention(64);
    relative_attention(50); /* a number of columns that is not a multiple of 16 */
}
