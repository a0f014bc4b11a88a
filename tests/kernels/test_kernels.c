/* test_kernels.c - every kernel of every ISA of this CPU against the scalar table, bit for bit,
 * over many sizes and alignments with guard bands; the scalar table against double precision;
 * matrix products against plain loops, bit for bit, and those of f32 against OpenBLAS if it is
 * installed. bf16 on an ISA that has its own instruction is compared with double precision. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kernels/kernels.h"

#if defined(__x86_64__)
extern const eg_kernels eg_kernels_emulated, eg_kernels_emulated_amx; /* emulated.c */
int emulated_tiles_clean(void);
#else
static int emulated_tiles_clean(void) { return 1; }
#endif

enum { GUARD = 32 };
#define GUARD_VALUE 12345.678f

enum { MAX_TABLES = 9 /* two of them emulated */ };
static const eg_kernels *isas[MAX_TABLES];
static size_t isa_count;
static uint32_t seed;

/* Starts the random data of a case. They depend on its name and sizes alone: not on the cases
 * before it, nor on how many tables this CPU runs, so that a failure is the same on every machine.
 * FNV-1a. */
static void begin_case(const char *name, size_t a, size_t b, size_t c) {
    const size_t sizes[] = {a, b, c};
    seed = 2166136261u;
    for (; *name; name++) seed = (seed ^ (uint8_t)*name) * 16777619u;
    for (size_t i = 0; i < 3; i++) seed = (seed ^ (uint32_t)sizes[i]) * 16777619u;
}

static uint32_t next_random(void) { return seed = seed * 1664525u + 1013904223u; }

static float next_float(void) { /* (-2, 2), now and then an extreme */
    uint32_t s = next_random() >> 8;
    if (s % 97 == 0) return s & 1024 ? 60.0f : -60.0f;
    if (s % 89 == 0) return s & 1024 ? 0.0f : -0.0f;
    return ((float)(s & 0xffff) / 16384.0f - 2.0f);
}

/* Buffers with guard bands on both sides. `offset` shifts the alignment. */
typedef struct buffer {
    float *whole, *data;
    size_t n;
} buffer;

static buffer guarded(size_t n, size_t offset) {
    buffer b = {aligned_alloc(64, (n + 2 * GUARD + 32) * 4 / 64 * 64 + 64), NULL, n};
    assert_non_null(b.whole);
    for (size_t i = 0; i < n + 2 * GUARD; i++) b.whole[i] = GUARD_VALUE;
    b.data = b.whole + GUARD + offset;
    return b;
}
static buffer make(size_t n, size_t offset) {
    buffer b = guarded(n, offset);
    for (size_t i = 0; i < n; i++) b.data[i] = next_float();
    return b;
}
/* draws no random numbers: ISAs make different numbers of copies */
static buffer copy(const buffer *from) {
    buffer b = guarded(from->n, (size_t)(from->data - from->whole) - GUARD);
    memcpy(b.data, from->data, from->n * sizeof(float));
    return b;
}
static void done(buffer *b) {
    for (size_t i = 0; i < (size_t)(b->data - b->whole); i++) assert_true(b->whole[i] == GUARD_VALUE);
    for (float *p = b->data + b->n; p < b->whole + b->n + 2 * GUARD; p++) assert_true(*p == GUARD_VALUE);
    free(b->whole);
}
static void same(const buffer *a, const buffer *b, const char *what, const eg_kernels *k, size_t n) {
    for (size_t i = 0; i < a->n; i++)
        if (memcmp(&a->data[i], &b->data[i], sizeof(float)) != 0)
            fail_msg("%s of %s, size %zu: element %zu is %.9g, expected %.9g", what, k->name, n, i, (double)b->data[i],
                     (double)a->data[i]);
}

/* Runs f(table, buffer) on the scalar table and on each ISA and compares. */
#define COMPARE(what, n, offset, call)                 \
    do {                                               \
        begin_case(what, n, offset, 0);                \
        buffer input = make(n, offset);                \
        for (size_t l = 1; l < isa_count; l++) {       \
            buffer x = copy(&input), y = copy(&input); \
            const eg_kernels *k = isas[0];             \
            float *p = x.data;                         \
            call;                                      \
            k = isas[l];                               \
            p = y.data;                                \
            call;                                      \
            same(&x, &y, what, k, n);                  \
            done(&x);                                  \
            done(&y);                                  \
        }                                              \
        done(&input);                                  \
    } while (0)

static void elementwise_and_rows(void **state) {
    (void)state;
    begin_case("operands", 2000, 0, 0);
    buffer gamma = make(2000, 1), beta = make(2000, 2), third = make(2000, 3);
    for (size_t n = 1; n <= 400; n += n < 70 ? 1 : 33) {
        size_t offset = n % 16;
        COMPARE("gelu", n, offset, k->gelu(p, n));
        COMPARE("tanh", n, offset, k->tanh(p, n));
        COMPARE("softmax", n, offset, k->softmax(p, 1, n, n));
        COMPARE("l2_normalize", n, offset, k->l2_normalize(p, n));
        COMPARE("dot", n, offset, p[0] = k->dot(p, gamma.data, n));
        COMPARE("add3", n, offset, k->add3(p, gamma.data, beta.data, p, n));
        size_t rows = 6, ld = n + 2;
        COMPARE("layer_norm", rows * ld, offset, k->layer_norm(p, rows, n, ld, gamma.data, beta.data, 1e-12f));
        COMPARE("softmax rows", rows * ld, offset, k->softmax(p, rows, n, ld));
        COMPARE("mean_rows", rows * ld, offset, k->mean_rows(p, rows, n, ld, third.data); memcpy(p, third.data, n * 4));
    }
    done(&gamma);
    done(&beta);
    done(&third);
}

/* A sum of n terms, each added by one fused multiply-add or one addition that rounds to nearest,
 * differs from the exact sum by at most n u / (1 - n u) times the sum of the magnitudes of its
 * terms, u = 2^-24 (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1). No n here
 * is above 2,000, so 1 / (1 - n u) is below 1.001. */
static double sum_error(size_t n, double magnitude) { return (double)n * 0x1p-24 * 1.001 * magnitude; }

/* The f32 product as kernels.h promises it, in plain C: one accumulator an output, k ascending,
 * fused multiply-adds, then the epilogue. magnitude: the sum of the products' magnitudes. */
static float gemm_reference(const float *x, const float *w, size_t K, double *magnitude) {
    float sum = 0;
    *magnitude = 0;
    for (size_t k = 0; k < K; k++) {
        sum = fmaf(x[k], w[k], sum);
        *magnitude += fabs((double)x[k] * (double)w[k]);
    }
    return sum;
}
static float epilogue_reference(float sum, const eg_epilogue *e, size_t m, size_t n) {
    if (e->bias) sum += e->bias[n];
    if (e->activation == EG_ACT_GELU) isas[0]->gelu(&sum, 1);
    if (e->activation == EG_ACT_TANH) isas[0]->tanh(&sum, 1);
    if (e->residual) sum += e->residual[m * e->ld_residual + n];
    return sum;
}

/* Two callers that share the columns of a product, in units of `unit` columns. */
static void run_in_two(void (*gemm)(const eg_gemm_call *), eg_gemm_call call, size_t unit) {
    call.n0 = 0;
    call.n1 = call.N / unit / 2 * unit;
    gemm(&call);
    call.n0 = call.n1;
    call.n1 = call.N;
    gemm(&call);
}

static void gemm_case(size_t M, size_t N, size_t K, const eg_epilogue *e) {
    size_t lda = K + 3, ldc = N + 5;
    begin_case("gemm", M, N, K);
    buffer A = make(M * lda, 1), W = make(N * K, 2), residual = make(M * (N + 1), 3), bias = make(N, 1);
    eg_epilogue with = {.bias = e->bias ? bias.data : NULL,
                        .residual = e->residual ? residual.data : NULL,
                        .ld_residual = N + 1,
                        .activation = e->activation};
    buffer C = make(M * ldc, 1), expected = copy(&C), blas = copy(&C);
    eg_gemm_call call = {.M = M, .N = N, .K = K, .A = A.data, .lda = lda, .ldc = ldc, .epilogue = &with};
    call.packed = W.data;
    call.C = blas.data;
    int has_blas = eg_gemm_openblas(isas[0], &call, NULL) == EG_OK;
    for (size_t m = 0; m < M; m++)
        for (size_t n = 0; n < N; n++) {
            double magnitude;
            float sum = gemm_reference(A.data + m * lda, W.data + n * K, K, &magnitude), *out = &expected.data[m * ldc + n];
            *out = epilogue_reference(sum, &with, m, n);
            if (!has_blas) continue;
            /* Both sums are within sum_error of the exact one; the additions of the epilogue round
             * twice each. No slope of an activation is above 1.13 (GELU), and each is within 1e-6
             * of max(1, |x|) of its function. */
            double added = (with.bias ? fabs((double)bias.data[n]) : 0) +
                           (with.residual ? fabs((double)with.residual[m * with.ld_residual + n]) : 0);
            double tolerance = 1.13 * (2 * sum_error(K, magnitude) + 4 * 0x1p-24 * (magnitude + added)) +
                               (with.activation ? 2e-6 * fmax(1, magnitude + added) : 0);
            float got = blas.data[m * ldc + n];
            if (!(fabs((double)got - (double)*out) <= tolerance))
                fail_msg("gemm %zu x %zu x %zu: %.9g, OpenBLAS %.9g, tolerance %g", M, N, K, (double)*out, (double)got,
                         tolerance);
        }
    for (size_t l = 0; l < isa_count; l++) {
        const eg_kernels *k = isas[l];
        float *packed = aligned_alloc(64, (eg_gemm_packed_size(k, N, K) * 4 + 63) / 64 * 64);
        assert_non_null(packed);
        size_t half = N / 2; /* packing piece by piece is the same */
        eg_gemm_pack(k, N, K, 0, half, W.data, K, packed);
        eg_gemm_pack(k, N, K, half, N - half, W.data + half * K, K, packed);
        buffer out = copy(&C);
        call.packed = packed;
        call.C = out.data;
        run_in_two(k->gemm, call, k->panel_width);
        same(&expected, &out, "gemm", k, M * 1000000 + N * 1000 + K);
        done(&out);
        free(packed);
    }
    done(&A), done(&W), done(&residual), done(&bias), done(&C), done(&expected), done(&blas);
}

static void gemm_is_the_same_everywhere(void **state) {
    (void)state;
    static const float some;
    const eg_epilogue kinds[] = {{0},
                                 {.bias = &some},
                                 {.bias = &some, .activation = EG_ACT_GELU},
                                 {.bias = &some, .activation = EG_ACT_TANH},
                                 {.bias = &some, .residual = &some}};
    for (size_t M = 1; M <= 26; M++)
        for (size_t n = 0; n < 5; n++) {
            static const size_t Ns[] = {1, 15, 32, 49, 100};
            gemm_case(M, Ns[n], 1 + (M * 7 + n * 13) % 40, &kinds[(M + n) % 5]);
        }
    gemm_case(37, 384, 384, &kinds[4]);
    gemm_case(5, 1152, 384, &kinds[1]);
    gemm_case(3, 3, 384, &kinds[1]);
    for (size_t M = 1; M <= 4; M++) gemm_case(M, 400, 384, &kinds[M]); /* several panels at once */
    for (size_t l = 0; l < isa_count; l++) {
        float none[3 * 64] = {0}, before[3 * 64] = {0};
        eg_epilogue gelu = {.activation = EG_ACT_GELU};
        isas[l]->gemm(&(eg_gemm_call){
            .N = 64, .K = 1, .n1 = 64, .A = none, .lda = 1, .packed = none, .C = none, .ldc = 64, .epilogue = &gelu});
        assert_memory_equal(none, before, sizeof none);
    }
}

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

static void attention_is_the_same_everywhere(void **state) {
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

static void relative_attention_is_the_same_everywhere(void **state) {
    (void)state;
    relative_attention(64);
    relative_attention(50); /* a number of columns that is not a multiple of 16 */
}

/* A case has the same data whatever ran before it and however many tables copied its buffers. */
static void data_depend_on_the_case_alone(void **state) {
    (void)state;
    begin_case("data", 1, 2, 3);
    buffer first = make(50, 1), second = make(50, 2);
    begin_case("other data", 1, 2, 3);
    buffer other = make(50, 1);
    begin_case("data", 1, 2, 3);
    buffer first_again = make(50, 1), copied = copy(&first_again), second_again = make(50, 2);
    assert_memory_equal(first.data, first_again.data, 50 * sizeof(float));
    assert_memory_equal(second.data, second_again.data, 50 * sizeof(float));
    assert_memory_equal(copied.data, first.data, 50 * sizeof(float));
    assert_memory_not_equal(first.data, second.data, 50 * sizeof(float));
    assert_memory_not_equal(first.data, other.data, 50 * sizeof(float));
    done(&first), done(&second), done(&other), done(&first_again), done(&copied), done(&second_again);
}

static void integers_are_exact(void **state) {
    (void)state;
    static int8_t a[1000], b[1000];
    float scales[8], x[1000], y[1000];
    for (size_t n = 0; n <= 1000; n += n < 80 ? 1 : 37) {
        int32_t expected = 0;
        begin_case("dot_s8", n, 0, 0);
        for (size_t i = 0; i < n; i++) {
            uint32_t random = next_random();
            a[i] = (int8_t)(i % 5 == 0 ? -128 : (int)(random >> 24) - 128);
            b[i] = (int8_t)(i % 7 == 0 ? -128 : (int)(random >> 16 & 255) - 128);
            expected += a[i] * b[i];
        }
        for (size_t i = 0; i < 8; i++) scales[i] = next_float();
        for (size_t l = 0; l < isa_count; l++) {
            assert_int_equal(isas[l]->dot_s8(a, b, n), expected);
            isas[l]->dequantize_s8(a, scales, n, l ? y : x);
            if (l) assert_memory_equal(x, y, n * sizeof(float));
        }
        for (size_t i = 0; i < n; i++) assert_true(x[i] == (float)a[i] * scales[i / 128]);
    }
}

/* The s8 format as kernels.h defines it, with plain loops over one row of inputs and one of
 * weights. */
static float s8_reference(const float *x, const int8_t *w, const float *scales, size_t K) {
    float sum = 0;
    for (size_t from = 0; from < K; from += 128) {
        size_t n = K - from < 128 ? K - from : 128;
        float low = 0, high = 0;
        for (size_t i = from; i < from + n; i++) low = fminf(low, x[i]), high = fmaxf(high, x[i]);
        float range = high - low, inverse = range > 1e-30f ? 255.0f / range : 0, zero = rintf(-low * inverse);
        int32_t exact = 0;
        for (size_t i = from; i < from + n; i++)
            exact += (int32_t)(fminf(fmaxf(rintf(x[i] * inverse) + zero, 0), 255) - zero) * w[i];
        sum = fmaf((float)exact, (inverse > 0 ? range / 255.0f : 0) * scales[from / 128], sum);
    }
    return sum;
}

static void s8_case(size_t M, size_t N, size_t K, const eg_epilogue *kind) {
    size_t blocks = (K + 127) / 128, ld = K + 3, ldc = N + 5;
    begin_case("s8 gemm", M, N, K);
    buffer A = make(M * ld, 1), bias = make(N, 1), residual = make(M * (N + 1), 3), C = make(M * ldc, 1), expected = copy(&C);
    eg_epilogue with = {.bias = kind->bias ? bias.data : NULL,
                        .residual = kind->residual ? residual.data : NULL,
                        .ld_residual = N + 1,
                        .activation = kind->activation};
    if (M > 2) memset(A.data + ld, 0, K * sizeof(float)); /* a row without range */
    int8_t *W = malloc(N * K);
    float *scales = malloc(N * blocks * sizeof *scales), *back = malloc(M * N * sizeof *back);
    assert_true(W && scales && back);
    for (size_t i = 0; i < N * K; i++) {
        int random = (int)(next_random() >> 24) % 127 - 63;
        W[i] = (int8_t)(i % 11 == 0 ? -127 : i % 13 == 0 ? 127 : random);
    }
    for (size_t i = 0; i < N * blocks; i++) scales[i] = fabsf(next_float()) * 0.01f;
    for (size_t m = 0; m < M; m++)
        for (size_t n = 0; n < N; n++) {
            float sum = s8_reference(A.data + m * ld, W + n * K, scales + n * blocks, K);
            expected.data[m * ldc + n] = epilogue_reference(sum, &with, m, n);
        }
    for (size_t l = 0; l < isa_count; l++) {
        const eg_kernels *k = isas[l];
        char *rows = aligned_alloc(64, M * k->s8.row_bytes(K)), *out_rows = aligned_alloc(64, M * k->s8.row_bytes(N));
        size_t bytes = (k->s8.packed_bytes(N, K) + 63) / 64 * 64;
        char *packed = aligned_alloc(64, bytes), *direct = aligned_alloc(64, M * k->s8.row_bytes(N));
        assert_true(rows && packed && out_rows && direct);
        memset(packed, 0x55, bytes); /* what packing leaves untouched must not matter */
        memset(rows, 0x55, M * k->s8.row_bytes(K));
        for (size_t n = 0; n < N; n++) k->s8_pack(N, K, n, W + n * K, scales + n * blocks, packed);
        k->s8.quantize(A.data, M, K, ld, rows);
        buffer out = copy(&C);
        eg_gemm_call call = {
            .M = M, .N = N, .K = K, .n1 = N, .A = rows, .packed = packed, .C = out.data, .ldc = ldc, .epilogue = &with};
        run_in_two(k->s8.gemm, call, k->s8.panel_width);
        same(&expected, &out, "s8_gemm", k, M * 1000000 + N * 1000 + K);
        /* the residual may be the output itself: the epilogue runs once for each row */
        if (with.residual) {
            buffer own = copy(&C);
            eg_epilogue onto = with;
            onto.residual = own.data;
            onto.ld_residual = ldc;
            for (size_t m = 0; m < M; m++) memcpy(own.data + m * ldc, residual.data + m * (N + 1), N * sizeof(float));
            eg_gemm_call in_place = call;
            in_place.C = own.data;
            in_place.epilogue = &onto;
            k->s8.gemm(&in_place);
            same(&expected, &own, "s8_gemm onto its residual", k, M * 1000000 + N * 1000 + K);
            done(&own);
        }
        /* quantised results: the same rows as quantising the results */
        memset(out_rows, 0, M * k->s8.row_bytes(N));
        memset(direct, 0, M * k->s8.row_bytes(N));
        k->s8.quantize(out.data, M, N, ldc, out_rows);
        call.C = direct;
        run_in_two(k->s8.gemm_quantized, call, 128);
        assert_memory_equal(out_rows, direct, M * k->s8.row_bytes(N));
        assert_true(emulated_tiles_clean());
        done(&out);
        free(rows), free(packed), free(out_rows), free(direct);
    }
    free(W), free(scales), free(back);
    done(&A), done(&bias), done(&residual), done(&C), done(&expected);
}

typedef void quantized_case(size_t M, size_t N, size_t K, const eg_epilogue *e);

/* Over numbers of rows, outputs and inputs around the sizes of micro-kernels, panels and blocks (K
 * up to max_K, and some larger), with each epilogue. */
static void sweep(quantized_case *one, size_t most) {
    static const float some;
    const eg_epilogue kinds[] = {
        {0}, {.bias = &some}, {.bias = &some, .activation = EG_ACT_GELU}, {.bias = &some, .residual = &some}};
    for (size_t M = 1; M <= 26; M++)
        for (size_t n = 0; n < 5; n++) {
            static const size_t Ns[] = {1, 15, 32, 49, 100};
            one(M, Ns[n], 1 + (M * 7 + n * 13) % most, &kinds[(M + n) % 4]);
        }
    for (size_t M = 27; M <= 110; M += 9) one(M, 1 + M * 29 % 70, 1 + M * 53 % 300, &kinds[M % 4]);
    one(37, 384, 384, &kinds[3]);
    one(5, 300, 129, &kinds[2]);
    one(50, 257, 312, &kinds[1]);
    one(3, 3, 1536, &kinds[1]);
    one(1, 100, 300, &kinds[2]); /* few rows over several blocks */
    one(1, 33, 129, &kinds[1]);
    one(2, 49, 1536, &kinds[3]);
    one(3, 49, 300, &kinds[2]);
    one(4, 49, 300, &kinds[3]);
}

static void s8_is_the_same_everywhere(void **state) {
    (void)state;
    sweep(s8_case, 40);
}

/* The bf16 format as kernels.h defines it, and what the instructions of some ISAs make of it, with
 * plain loops. */
static float bf16_of(float x) {
    uint16_t upper;
    eg_float_to_bfloat16(&x, &upper, 1);
    eg_bfloat16_to_float(&upper, &x, 1);
    return x;
}
static float normal(float x) { return fabsf(x) >= 0x1p-126f ? x : copysignf(0, x); }
static float bf16_product(float sum, float x, float w) { return normal(fmaf(normal(bf16_of(x)), normal(w), sum)); }
static float bf16_reference(const eg_kernels *k, const float *x, const float *w, size_t K) {
    float sum = 0;
    if (k->bf16_as_scalar) {
        for (size_t i = 0; i < K; i++) sum = fmaf(bf16_of(x[i]), w[i], sum);
    } else if (k->isa != EG_ISA_AMX) { /* pairs, the second input first */
        for (size_t i = 0; i < K; i += 2) {
            if (i + 1 < K) sum = bf16_product(sum, x[i + 1], w[i + 1]);
            sum = bf16_product(sum, x[i], w[i]);
        }
    } else { /* tiles of 32 inputs, sums of first and second inputs apart */
        for (size_t from = 0; from < K; from += 32) {
            float part[2] = {0, 0};
            for (size_t i = from; i < K && i < from + 32; i++) part[i % 2] = bf16_product(part[i % 2], x[i], w[i]);
            sum = normal(sum + normal(part[0] + part[1]));
        }
    }
    return sum;
}

/* Whether the results of an ISA must equal bf16_reference: with fused multiply-adds, or with
 * emulated instructions. For others only the error is bounded. */
static int bf16_is_known(const eg_kernels *k) { return k->bf16_as_scalar || strncmp(k->name, "emulated", 8) == 0; }

static void bf16_case(size_t M, size_t N, size_t K, const eg_epilogue *kind) {
    size_t ld = K + 3, ldc = N + 5;
    begin_case("bf16 gemm", M, N, K);
    buffer A = make(M * ld, 1), W = make(N * K, 2), bias = make(N, 1), residual = make(M * (N + 1), 3), C = make(M * ldc, 1);
    eg_epilogue with = {.bias = kind->bias ? bias.data : NULL,
                        .residual = kind->residual ? residual.data : NULL,
                        .ld_residual = N + 1,
                        .activation = kind->activation};
    uint16_t *w = malloc(N * K * sizeof *w);
    assert_non_null(w);
    if (M > 4) A.data[2 * ld] = 0x1.8p-130f; /* subnormal: 0 to some instructions */
    eg_float_to_bfloat16(W.data, w, N * K);
    eg_bfloat16_to_float(w, W.data, N * K);
    for (size_t l = 0; l < isa_count; l++) {
        const eg_kernels *k = isas[l];
        size_t bytes = (k->bf16.packed_bytes(N, K) + 63) / 64 * 64, row_bytes = M * k->bf16.row_bytes(K),
               out_bytes = M * k->bf16.row_bytes(N);
        char *rows = aligned_alloc(64, row_bytes), *packed = aligned_alloc(64, bytes), *out_rows = aligned_alloc(64, out_bytes),
             *direct = aligned_alloc(64, out_bytes);
        assert_true(rows && packed && out_rows && direct);
        memset(packed, 0x55, bytes); /* what packing leaves untouched must not matter */
        memset(rows, 0x55, row_bytes);
        for (size_t n = 0; n < N; n++) k->bf16_pack(N, K, n, w + n * K, packed);
        k->bf16.quantize(A.data, M, K, ld, rows);
        buffer out = copy(&C), expected = copy(&C);
        for (size_t m = 0; m < M; m++)
            for (size_t n = 0; n < N; n++) {
                float sum = bf16_reference(k, A.data + m * ld, W.data + n * K, K);
                expected.data[m * ldc + n] = epilogue_reference(sum, &with, m, n);
            }
        eg_gemm_call call = {
            .M = M, .N = N, .K = K, .n1 = N, .A = rows, .packed = packed, .C = out.data, .ldc = ldc, .epilogue = &with};
        run_in_two(k->bf16.gemm, call, k->bf16.panel_width);
        if (bf16_is_known(k)) same(&expected, &out, "bf16 gemm", k, M * 1000000 + N * 1000 + K);
        for (size_t m = 0; m < M; m++) /* alone: the same bits */
            if (m % 7 == M % 7) {
                buffer alone = copy(&C);
                eg_epilogue one = with;
                if (one.residual) one.residual += m * one.ld_residual;
                eg_gemm_call of_one = call;
                of_one.M = 1;
                of_one.A = rows + m * k->bf16.row_bytes(K);
                of_one.C = alone.data;
                of_one.epilogue = &one;
                k->bf16.gemm(&of_one);
                assert_memory_equal(alone.data, out.data + m * ldc, N * sizeof(float));
                done(&alone);
            }
        /* within the error that kernels.h allows, plus the roundings of the epilogue */
        if (!with.activation)
            for (size_t m = 0; m < M; m++)
                for (size_t n = 0; n < N; n++) {
                    double exact = 0, magnitude = 0, slack = 0, got = (double)out.data[m * ldc + n];
                    for (size_t i = 0; i < K; i++) {
                        double product = (double)bf16_of(A.data[m * ld + i]) * (double)W.data[n * K + i];
                        exact += product, magnitude += fabs(product);
                    }
                    if (with.bias) exact += (double)bias.data[n], slack += fabs((double)bias.data[n]);
                    if (with.residual)
                        exact += (double)residual.data[m * (N + 1) + n], slack += fabs((double)residual.data[m * (N + 1) + n]);
                    if (!(fabs(got - exact) <= (double)K * 0x1p-23 * magnitude + (magnitude + slack) * 0x1p-22 + 0x1p-120))
                        fail_msg("bf16 gemm of %s, %zu x %zu x %zu: %.9g, exactly %.9g", k->name, M, N, K, got, exact);
                }
        /* the residual may be the output itself: the epilogue runs once for each row */
        if (with.residual) {
            buffer own = copy(&C);
            eg_epilogue onto = with;
            onto.residual = own.data;
            onto.ld_residual = ldc;
            for (size_t m = 0; m < M; m++) memcpy(own.data + m * ldc, residual.data + m * (N + 1), N * sizeof(float));
            eg_gemm_call in_place = call;
            in_place.C = own.data;
            in_place.epilogue = &onto;
            k->bf16.gemm(&in_place);
            same(&out, &own, "bf16 gemm onto its residual", k, M * 1000000 + N * 1000 + K);
            done(&own);
        }
        /* rounded results: the same rows as rounding the results, up to their ends */
        memset(out_rows, 0x33, out_bytes);
        memset(direct, 0x77, out_bytes);
        k->bf16.quantize(out.data, M, N, ldc, out_rows);
        call.C = direct;
        run_in_two(k->bf16.gemm_quantized, call, 128);
        assert_memory_equal(out_rows, direct, out_bytes);
        assert_true(emulated_tiles_clean());
        done(&out), done(&expected);
        free(rows), free(packed), free(out_rows), free(direct);
    }
    free(w);
    done(&A), done(&W), done(&bias), done(&residual), done(&C);
}

static void bf16_is_as_documented_on_every_isa(void **state) {
    (void)state;
    sweep(bf16_case, 70);
}

/* To the nearest, ties to even, for weights and, by every ISA, for activations. */
static void bf16_is_rounded(void **state) {
    (void)state;
    static const struct {
        uint32_t bits;
        uint16_t wanted;
    } table[] = {{0x3f800000, 0x3f80}, {0x3f808000, 0x3f80}, {0x3f818000, 0x3f82}, {0x3f808001, 0x3f81},
                 {0x3f807fff, 0x3f80}, {0xbf808001, 0xbf81}, {0x00000000, 0x0000}, {0x80000000, 0x8000},
                 {0x00008000, 0x0000}, {0x00018000, 0x0002}, {0x007fffff, 0x0080}, {0x7f7f7fff, 0x7f7f},
                 {0x7f7f8000, 0x7f80}, {0xff7fffff, 0xff80}, {0x7f800000, 0x7f80}, {0x3fffffff, 0x4000}};
    enum { N = sizeof table / sizeof *table };
    float x[N];
    uint16_t got[N];
    for (size_t i = 0; i < N; i++) memcpy(&x[i], &table[i].bits, sizeof x[i]);
    eg_float_to_bfloat16(x, got, N);
    for (size_t i = 0; i < N; i++) assert_int_equal(got[i], table[i].wanted);
    for (size_t l = 0; l < isa_count; l++) {
        _Alignas(64) uint16_t row[64];
        size_t step = isas[l]->bf16_as_scalar ? 2 : 1; /* floats, of which the lower half is 0 */
        isas[l]->bf16.quantize(x, 1, N, N, row);
        for (size_t i = 0; i < N; i++) {
            assert_int_equal(row[i * step + step - 1], table[i].wanted);
            if (step == 2) assert_int_equal(row[i * step], 0);
        }
    }
}

static void s8_weights_are_rounded(void **state) {
    (void)state;
    begin_case("s8 weights", 300, 0, 0);
    buffer w = make(300, 1);
    int8_t q[300];
    float scales[3];
    memset(w.data + 128, 0, 128 * sizeof(float));
    eg_s8_quantize_weights(w.data, 300, q, scales);
    assert_true(scales[1] == 0);
    for (size_t i = 0; i < 300; i++) {
        assert_true(q[i] >= -127);
        assert_true(fabsf((float)q[i] * scales[i / 128] - w.data[i]) <= scales[i / 128] * 0.5001f);
    }
    done(&w);
}

static void functions_are_accurate(void **state) {
    (void)state;
    double worst_gelu = 0, worst_tanh = 0, worst_exp = 0;
    for (float x = -12; x < 12; x += 0.00037f) {
        float g = x, t = x, row[2] = {x, 0};
        isas[0]->gelu(&g, 1);
        isas[0]->tanh(&t, 1);
        isas[0]->softmax(row, 1, 2, 2);
        double d = (double)x, gelu = d * 0.5 * erfc(-d / sqrt(2)), sigmoid = 1 / (1 + exp(-d));
        worst_gelu = fmax(worst_gelu, fabs((double)g - gelu) / fmax(1, fabs(d)));
        worst_tanh = fmax(worst_tanh, fabs((double)t - tanh(d)));
        worst_exp = fmax(worst_exp, fabs((double)row[0] - sigmoid));
    }
    print_message("worst error: gelu %.2g of x or of 1, tanh %.2g, softmax %.2g\n", worst_gelu, worst_tanh, worst_exp);
    assert_true(worst_gelu <= 2.5e-7 && worst_tanh <= 1e-6 && worst_exp <= 3e-7);
}

static void gelu_of_extreme_values(void **state) {
    (void)state;
    for (size_t l = 0; l < isa_count; l++) {
        float x[] = {-1e30f, -1000, 1000, 1e30f, -0.0f, 0, NAN, INFINITY}, y[8];
        memcpy(y, x, sizeof y);
        isas[l]->gelu(y, 8);
        assert_true(fabsf(y[0]) <= 1e-6f && fabsf(y[1]) <= 1e-6f && y[4] == 0 && y[5] == 0 && isnan(y[6]) && isinf(y[7]));
        assert_true(fabsf(y[2] / x[2] - 1) <= 2.5e-7f && fabsf(y[3] / x[3] - 1) <= 2.5e-7f);
    }
}

static void half_floats_are_exact(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 65536; i++) {
        uint16_t h = (uint16_t)i;
        float f, b;
        eg_half_to_float(&h, &f, 1);
        eg_bfloat16_to_float(&h, &b, 1);
        int exponent = h >> 10 & 31, fraction = h & 1023;
        double expected = exponent == 31 ? (fraction ? NAN : INFINITY)
                          : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                         : ldexp(fraction, -24);
        if (h & 0x8000) expected = -expected;
        assert_true(isnan(expected) ? isnan(f) : (double)f == expected && !signbit(f) == !signbit(expected));
        uint32_t bits;
        memcpy(&bits, &b, 4);
        assert_int_equal(bits, i << 16);
    }
}

static void isas_can_be_named(void **state) {
    (void)state;
    const eg_kernels *k;
    eg_error err = {0};
    for (size_t l = 0; l < isa_count; l++) {
        if (strncmp(isas[l]->name, "emulated", 8) == 0) continue;
        assert_int_equal(eg_kernels_select(isas[l]->isa, &k, &err), EG_OK);
        assert_ptr_equal(k, isas[l]);
    }
    char *before = getenv("ENGRAM_ISA") ? strdup(getenv("ENGRAM_ISA")) : NULL;
    setenv("ENGRAM_ISA", "scalar", 1);
    assert_int_equal(eg_kernels_select(EG_ISA_AUTO, &k, &err), EG_OK);
    assert_int_equal(k->isa, EG_ISA_SCALAR);
    setenv("ENGRAM_ISA", "mmx", 1);
    assert_int_equal(eg_kernels_select(EG_ISA_AUTO, &k, &err), EG_EINVAL);
    assert_non_null(strstr(err.text, "mmx"));
    if (before) setenv("ENGRAM_ISA", before, 1);
    else unsetenv("ENGRAM_ISA");
    free(before);
    eg_isa foreign = isas[1]->isa == EG_ISA_NEON ? EG_ISA_AVX2 : EG_ISA_NEON;
    assert_int_equal(eg_kernels_select(foreign, &k, &err), EG_EUNSUPPORTED);
    assert_int_equal(eg_kernels_select((eg_isa)99, &k, &err), EG_EINVAL);
}

int main(void) {
    isa_count = eg_kernels_available(isas, MAX_TABLES - 2);
    for (size_t l = 0; l < isa_count; l++) print_message("ISA %s\n", isas[l]->name);
    static const char *const all[] = {"avx2", "avxvnni", "avx512", "avx512vnni", "avx512bf16", "amx", "neon", "dotprod", "i8mm"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int here = 0;
        for (size_t l = 0; l < isa_count; l++) here |= strcmp(isas[l]->name, all[i]) == 0;
        if (!here) print_message("ISA %s: not run here\n", all[i]);
    }
#if defined(__x86_64__)
    for (size_t l = 0; l < isa_count; l++)
        if (isas[l]->isa == EG_ISA_AVX2) {
            isas[isa_count++] = &eg_kernels_emulated;
            isas[isa_count++] = &eg_kernels_emulated_amx;
            break;
        }
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_depend_on_the_case_alone),
        cmocka_unit_test(elementwise_and_rows),
        cmocka_unit_test(gemm_is_the_same_everywhere),
        cmocka_unit_test(attention_is_the_same_everywhere),
        cmocka_unit_test(relative_attention_is_the_same_everywhere),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(s8_is_the_same_everywhere),
        cmocka_unit_test(s8_weights_are_rounded),
        cmocka_unit_test(bf16_is_as_documented_on_every_isa),
        cmocka_unit_test(bf16_is_rounded),
        cmocka_unit_test(functions_are_accurate),
        cmocka_unit_test(gelu_of_extreme_values),
        cmocka_unit_test(half_floats_are_exact),
        cmocka_unit_test(isas_can_be_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
