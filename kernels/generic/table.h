/* table.h - every kernel once, over 16 virtual lanes; each ISA's .c includes its lanes.h, s8.h and bf16.h, then this file, and
 * thereby gets its table. Not a header of declarations: including it defines the static functions of an ISA.
 *
 * An ISA's lanes.h gives: v16 and its operations, PANEL_VECTORS (v16 a packed panel is wide: 1 or 2), ROWS (rows of
 * the largest micro-kernel), dot_s8; its s8.h what generic/s8.h asks for; its bf16.h, where it has one, what generic/gemm.h asks
 * for. See kernels.h for what each kernel promises. */
#include "kernels/kernels.h"

#include "kernels/generic/math.h"

#define PANEL (16 * PANEL_VECTORS)
#define S8_PANEL (16 * S8_VECTORS)
#ifndef S8_PAD
#define S8_PAD 4
#endif

/* ---- sums over a row: 16 lanes, then folded in halves (v16_sum) ---- */

static v16 load_part(const float *p, size_t n) { return n >= 16 ? v16_load(p) : v16_load_n(p, n); }
static void store_part(float *p, size_t n, v16 x) {
    if (n >= 16) v16_store(p, x);
    else v16_store_n(p, n, x);
}

static float dot(const float *a, const float *b, size_t n) {
    v16 sum = v16_set(0);
    for (size_t i = 0; i < n; i += 16) sum = v16_fma(load_part(a + i, n - i), load_part(b + i, n - i), sum);
    return v16_sum(sum);
}

/* ---- elementwise ---- */

static void gelu(float *x, size_t n) {
    for (size_t i = 0; i < n; i += 16) store_part(x + i, n - i, v16_gelu(load_part(x + i, n - i)));
}

static void tanh_of(float *x, size_t n) {
    for (size_t i = 0; i < n; i += 16) store_part(x + i, n - i, v16_tanh(load_part(x + i, n - i)));
}

static void add3(const float *a, const float *b, const float *c, float *out, size_t n) {
    for (size_t i = 0; i < n; i += 16) {
        v16 sum = v16_add(load_part(a + i, n - i), load_part(b + i, n - i));
        store_part(out + i, n - i, v16_add(sum, load_part(c + i, n - i)));
    }
}

static void dequantize_s8(const int8_t *x, const float *scales, size_t n, float *out) {
    for (size_t i = 0; i < n; i++) out[i] = (float)x[i] * scales[i / 128]; /* once at load: no need for more */
}

/* ---- rows ---- */

static void softmax_row(float *x, size_t n) {
    v16 most = v16_set(-3.0e38f);
    for (size_t i = 0; i < n; i += 16) {
        v16 v = n - i >= 16 ? v16_load(x + i) : v16_load_n_or(x + i, n - i, -3.0e38f);
        most = v16_max(most, v);
    }
    v16 top = v16_set(v16_max_lane(most)), sum = v16_set(0);
    for (size_t i = 0; i < n; i += 16) {
        v16 e = v16_exp(v16_sub(load_part(x + i, n - i), top));
        if (n - i < 16) e = v16_keep_n(e, n - i); /* the empty lanes hold e^0 */
        store_part(x + i, n - i, e);
        sum = v16_add(sum, e);
    }
    v16 inverse = v16_set(1.0f / v16_sum(sum));
    for (size_t i = 0; i < n; i += 16) store_part(x + i, n - i, v16_mul(load_part(x + i, n - i), inverse));
}

static void softmax(float *x, size_t rows, size_t width, size_t ld) {
    for (size_t r = 0; r < rows; r++) softmax_row(x + r * ld, width);
}

enum { NORM_ROWS = 4 }; /* side by side: the sum of one row waits for each addition */

static inline __attribute__((always_inline)) void norm_rows(const size_t rows, float *x, size_t width, size_t ld,
                                                            const float *gamma, const float *beta, float eps) {
    v16 sum[NORM_ROWS], mean[NORM_ROWS], inverse[NORM_ROWS];
#pragma GCC unroll 4
    for (size_t r = 0; r < rows; r++) sum[r] = v16_set(0);
    for (size_t i = 0; i < width; i += 16)
#pragma GCC unroll 4
        for (size_t r = 0; r < rows; r++) sum[r] = v16_add(sum[r], load_part(x + r * ld + i, width - i));
#pragma GCC unroll 4
    for (size_t r = 0; r < rows; r++) {
        mean[r] = v16_set(v16_sum(sum[r]) / (float)width);
        sum[r] = v16_set(0);
    }
    for (size_t i = 0; i < width; i += 16)
#pragma GCC unroll 4
        for (size_t r = 0; r < rows; r++) {
            v16 d = v16_sub(load_part(x + r * ld + i, width - i), mean[r]);
            if (width - i < 16) d = v16_keep_n(d, width - i);
            sum[r] = v16_fma(d, d, sum[r]);
        }
#pragma GCC unroll 4
    for (size_t r = 0; r < rows; r++) inverse[r] = v16_set(1.0f / sqrtf(v16_sum(sum[r]) / (float)width + eps));
    for (size_t i = 0; i < width; i += 16) {
        v16 g = load_part(gamma + i, width - i), b = load_part(beta + i, width - i);
#pragma GCC unroll 4
        for (size_t r = 0; r < rows; r++) {
            v16 d = v16_mul(v16_sub(load_part(x + r * ld + i, width - i), mean[r]), inverse[r]);
            store_part(x + r * ld + i, width - i, v16_fma(d, g, b));
        }
    }
}

static void layer_norm(float *x, size_t rows, size_t width, size_t ld, const float *gamma, const float *beta, float eps) {
    size_t r = 0;
    for (; r + NORM_ROWS <= rows; r += NORM_ROWS) norm_rows(NORM_ROWS, x + r * ld, width, ld, gamma, beta, eps);
    for (; r < rows; r++) norm_rows(1, x + r * ld, width, ld, gamma, beta, eps);
}

static void mean_rows(const float *x, size_t rows, size_t width, size_t ld, float *out) {
    v16 count = v16_set((float)rows);
    for (size_t i = 0; i < width; i += 16) {
        v16 sum = v16_set(0);
        for (size_t r = 0; r < rows; r++) sum = v16_add(sum, load_part(x + r * ld + i, width - i));
        store_part(out + i, width - i, v16_div(sum, count));
    }
}

static void l2_normalize(float *x, size_t n) {
    float norm = sqrtf(dot(x, x, n));
    v16 inverse = v16_set(1.0f / (norm > 1e-12f ? norm : 1e-12f));
    for (size_t i = 0; i < n; i += 16) store_part(x + i, n - i, v16_mul(load_part(x + i, n - i), inverse));
}

/* ---- GEMM ---- */

/* One epilogue. The activation and whether columns come in whole vectors are constants where this is called, so that no vector is
 * asked about them. */
static inline __attribute__((always_inline)) void finish_as(const eg_activation activation, const int whole, const float *sums,
                                                            size_t ld_sums, size_t rows, size_t n, const float *bias,
                                                            const float *residual, size_t ld_residual, float *C, size_t ldc) {
    for (size_t i = 0; i < n; i += 16) {
        size_t left = whole ? 16 : n - i;
        v16 b = bias ? load_part(bias + i, left) : v16_set(0);
        for (size_t r = 0; r < rows; r++) {
            v16 x = v16_load(sums + r * ld_sums + i);
            if (bias) x = v16_add(x, b);
            if (activation == EG_ACT_GELU) x = v16_gelu(x);
            if (activation == EG_ACT_TANH) x = v16_tanh(x);
            if (residual) x = v16_add(x, load_part(residual + r * ld_residual + i, left));
            store_part(C + r * ldc + i, left, x);
        }
    }
}

/* Sums, rows of `n` columns ld_sums apart, through the epilogue to C; `row` and `column` are what the first one is of the matrix.
 * The micro-kernels leave their sums in memory (they fit the first cache), so that this stands once and not in each of them. */
static __attribute__((noinline)) void finish(const float *sums, size_t ld_sums, size_t rows, size_t n, size_t row, size_t column,
                                             float *C, size_t ldc, const eg_epilogue *e) {
    const float *bias = e->bias ? e->bias + column : NULL;
    const float *residual = e->residual ? e->residual + row * e->ld_residual + column : NULL;
    size_t ld = e->ld_residual;
    if (n % 16 || e->activation == EG_ACT_TANH) finish_as(e->activation, 0, sums, ld_sums, rows, n, bias, residual, ld, C, ldc);
    else if (e->activation == EG_ACT_GELU) finish_as(EG_ACT_GELU, 1, sums, ld_sums, rows, n, bias, residual, ld, C, ldc);
    else finish_as(EG_ACT_NONE, 1, sums, ld_sums, rows, n, bias, residual, ld, C, ldc);
}

#include "kernels/generic/gemm.h"

#include "kernels/generic/s8.h"

#include "kernels/generic/narrow.h"

#include "kernels/generic/attention.h"

#define EG_KERNEL_TABLE(isa_value, isa_name)                                                                             \
    {                                                                                                                    \
        .isa = (isa_value), .name = (isa_name), .panel_width = PANEL, .gemm = gemm, .attention = attention,              \
        .layer_norm = layer_norm, .gelu = gelu, .tanh = tanh_of, .softmax = softmax, .mean_rows = mean_rows,             \
        .l2_normalize = l2_normalize, .dot = dot, .add3 = add3, .dequantize_s8 = dequantize_s8, .dot_s8 = dot_s8,        \
        .s8_pack = s8_pack, .s8 = NARROW_TABLE(s8, S8_PANEL), .bf16_as_scalar = BF16_GROUP == 1, .bf16_pack = bf16_pack, \
        .bf16 = NARROW_TABLE(bf16, PANEL)                                                                                \
    }
