/* table.tmpl.h - every kernel, written once over vectors of 16 lanes. A template: an ISA's .c file
 * defines the macros below, includes its primitives (lanes.h, s8.h, bf16.h) and then this file,
 * which defines the ISA's static functions and its table. What each kernel computes is documented
 * in kernels.h. The other templates of this folder are included here and nowhere else.
 *
 * Required:
 *   ISA_TABLE          the symbol of the table, declared in kernels/tables.h
 *   ISA_ID, ISA_NAME   its eg_isa and its name
 *   v16, v16_...       vectors of 16 floats and their operations, as in scalar/lanes.h; dot_s8
 *   ISA_PANEL_VECTORS  width of a packed panel of f32 and bf16, in v16: 1 or 2
 *   ISA_F32_ROWS       rows of the largest micro-kernel of f32 and bf16: 4, 6 or 12
 *   ISA_S8_...         see s8.tmpl.h
 * Optional:
 *   ISA_DOT4_S8        lanes.h has dot4_s8: dot_s8 of four rows, one behind the other
 *   ISA_UNROLL         steps of the f32 micro-kernel in one iteration of its loop; default 4
 *   ISA_BF16_GROUP     see gemm.tmpl.h
 *   ISA_HAS_AMX        see amx.tmpl.h
 * All macros that begin with ISA_ or TMPL_ are undefined at the end. */
#include "kernels/kernels.h"

#include "kernels/tables.h"

#include "kernels/generic/math.tmpl.h"

#ifndef ISA_UNROLL
#define ISA_UNROLL 4
#endif
#ifndef ISA_S8_PAD
#define ISA_S8_PAD 4
#endif
#ifdef ISA_HAS_AMX
enum { HAS_AMX = 1 };
#else
enum { HAS_AMX = 0 };
#endif

/* Outputs of one panel. */
enum { F32_PANEL = 16 * ISA_PANEL_VECTORS, S8_PANEL = 16 * ISA_S8_VECTORS };

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

static void dots_s8(const int8_t *rows, size_t count, const int8_t *query, size_t n, int32_t *out) {
    size_t i = 0;
#ifdef ISA_DOT4_S8
    for (; i + 4 <= count; i += 4) dot4_s8(rows + i * n, query, n, out + i);
#endif
    for (; i < count; i++) out[i] = dot_s8(rows + i * n, query, n);
}

static void dequantize_s8(const int8_t *x, const float *scales, size_t n, float *out) {
    /* only when a model is loaded: speed does not matter */
    for (size_t i = 0; i < n; i++) out[i] = (float)x[i] * scales[i / 128];
}

/* ---- rows ---- */

static void softmax_row(float *x, size_t n) {
    v16 greatest = v16_set(-3.0e38f);
    for (size_t i = 0; i < n; i += 16) {
        v16 v = n - i >= 16 ? v16_load(x + i) : v16_load_n_or(x + i, n - i, -3.0e38f);
        greatest = v16_max(greatest, v);
    }
    v16 top = v16_set(v16_max_lane(greatest)), sum = v16_set(0);
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

enum { NORM_ROWS = 4 }; /* computed together: the additions of one row depend on each other */

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

#include "kernels/generic/gemm.tmpl.h"

#include "kernels/generic/s8.tmpl.h"

#include "kernels/generic/quantized.tmpl.h"

#include "kernels/generic/attention.tmpl.h"

const eg_kernels ISA_TABLE = {.isa = ISA_ID,
                              .name = ISA_NAME,
                              .panel_width = F32_PANEL,
                              .gemm = gemm,
                              .attention = attention,
                              .layer_norm = layer_norm,
                              .gelu = gelu,
                              .tanh = tanh_of,
                              .softmax = softmax,
                              .mean_rows = mean_rows,
                              .l2_normalize = l2_normalize,
                              .dot = dot,
                              .add3 = add3,
                              .dequantize_s8 = dequantize_s8,
                              .dot_s8 = dot_s8,
                              .dots_s8 = dots_s8,
                              .s8_pack = s8_pack,
                              .s8 = {.panel_width = S8_PANEL,
                                     .row_bytes = s8_row_bytes,
                                     .packed_bytes = s8_packed_bytes,
                                     .quantize = s8_quantize,
                                     .gemm = s8_gemm,
                                     .gemm_quantized = s8_gemm_quantized},
                              .bf16_as_scalar = ISA_BF16_GROUP == 1,
                              .bf16_pack = bf16_pack,
                              .bf16 = {.panel_width = F32_PANEL,
                                       .row_bytes = bf16_row_bytes,
                                       .packed_bytes = bf16_packed_bytes,
                                       .quantize = bf16_quantize,
                                       .gemm = bf16_gemm,
                                       .gemm_quantized = bf16_gemm_quantized}};

#undef ISA_TABLE
#undef ISA_ID
#undef ISA_NAME
#undef ISA_PANEL_VECTORS
#undef ISA_F32_ROWS
#undef ISA_UNROLL
#undef ISA_BF16_GROUP
#undef ISA_HAS_AMX
#undef ISA_S8_GROUP
#undef ISA_S8_PAD
#undef ISA_S8_VECTORS
#undef ISA_S8_ROWS
#undef ISA_S8_ROWS_TOGETHER
#undef ISA_S8_CENTRED
#undef ISA_S8_OFFSET
#undef ISA_S8_QUADS
