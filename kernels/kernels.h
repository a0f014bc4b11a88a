/* kernels.h - the arithmetic of encoders: one table of functions an ISA (scalar, AVX2, AVX-512, NEON, and those with
 * instructions for sums of small integers).
 * Knows no model: shapes, strides and constants come as arguments.
 *
 * The scalar table is the truth. Every other table gives the same bits for finite inputs: one accumulator an
 * output, K in order, fused multiply-add everywhere, and every sum over a row in the fixed order of 16 virtual
 * lanes (lane i adds elements i, i+16, ...; tail lanes are skipped, not padded) folded 16->8->4->2->1 by adding
 * the upper half to the lower. Tests compare by memcmp. All floats are 32 bit, row-major, any alignment unless
 * said otherwise. Functions never allocate, never fail. Thread class: any. The one exception from the same bits is bf16, see
 * there. */
#ifndef EG_KERNELS_H
#define EG_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "core/include/engram/infer.h"
#include "core/include/engram/status.h"

/* What a GEMM does to a sum before it is stored, in this order: + bias, activation, + residual. */
typedef enum eg_activation { EG_ACT_NONE = 0, EG_ACT_GELU = 1, EG_ACT_TANH = 2 } eg_activation;
typedef struct eg_epilogue {
    const float *bias;     /* N values or NULL */
    const float *residual; /* M rows of ld_residual floats or NULL; may be the output itself */
    size_t ld_residual;
    eg_activation activation;
} eg_epilogue;

/* Relative positions of one head: head_size rows of `width` floats (at least 2 * span + 16, zeros behind the 2 * span columns).
 * The distance query - key stands in column span - 1 - distance while the sequence has up to `direct` tokens; beyond, in
 * column[distance]. */
typedef struct eg_relative {
    const float *key, *query;
    size_t span, width, direct;
    const uint16_t *column; /* indexed from -(length - 1) to length - 1; below 2 * span, never more for a greater distance */
} eg_relative;

/* Attention of one sequence and one head: out = softmax(Q K^T * scale) V, with relative positions where they are given. */
typedef struct eg_attention {
    const float *q, *k, *v; /* length rows of head_size floats, rows ld_qkv apart */
    float *out;             /* `queries` rows, rows ld_out apart */
    size_t ld_qkv, ld_out;
    size_t length, queries; /* how many of the first queries are wanted; 1 to length */
    size_t head_size;
    float scale;
    float *scratch;              /* eg_attention_scratch(...) floats, 64-byte aligned */
    const eg_relative *relative; /* NULL: none */
} eg_attention;

/* A format of fewer bits than f32: rows of activations and packed weights, both in a form of the ISA's own. */
typedef struct eg_narrow {
    size_t panel_width;            /* outputs side by side in a packed panel */
    size_t (*row_bytes)(size_t K); /* of a quantised row of K activations; rows lie this far apart, 64-byte aligned */
    size_t (*packed_bytes)(size_t N, size_t K);
    void (*quantize)(const float *x, size_t rows, size_t K, size_t ld, void *out);
    /* As gemm; A: M quantised rows of K. n0 is a multiple of panel_width, n1 too or N. */
    void (*gemm)(size_t M, size_t N, size_t K, size_t n0, size_t n1, const void *A, const void *packed, float *C, size_t ldc,
                 const eg_epilogue *epilogue);
    /* The same with the result quantised: M rows of N. n0 is a multiple of 128, n1 too or N. */
    void (*gemm_quantized)(size_t M, size_t N, size_t K, size_t n0, size_t n1, const void *A, const void *packed, void *out,
                           const eg_epilogue *epilogue);
} eg_narrow;

typedef struct eg_kernels {
    eg_isa isa;
    const char *name;   /* "scalar", "avx2", "avx512", "neon" */
    size_t panel_width; /* outputs side by side in a packed panel */

    /* C[m][n] = epilogue(sum over k of A[m][k] * W[n][k]) for m < M and n in [n0, n1); n0 is a multiple of
     * panel_width and n1 too, or N. packed: eg_gemm_pack's layout of W (N x K). */
    void (*gemm)(size_t M, size_t N, size_t K, size_t n0, size_t n1, const float *A, size_t lda, const float *packed, float *C,
                 size_t ldc, const eg_epilogue *epilogue);
    void (*attention)(const eg_attention *a);
    /* rows of `width` in place: (x - mean) / sqrt(variance + eps) * gamma + beta; two passes. */
    void (*layer_norm)(float *x, size_t rows, size_t width, size_t ld, const float *gamma, const float *beta, float eps);
    /* exact GELU by erf (absolute error <= 2.5e-7 * max(1, |x|)), in place. */
    void (*gelu)(float *x, size_t n);
    void (*tanh)(float *x, size_t n);
    void (*softmax)(float *x, size_t rows, size_t width, size_t ld);
    /* out[width] = mean over rows. */
    void (*mean_rows)(const float *x, size_t rows, size_t width, size_t ld, float *out);
    /* x /= max(|x|, 1e-12). */
    void (*l2_normalize)(float *x, size_t n);
    /* sum of a[i] * b[i] in the 16-lane order. */
    float (*dot)(const float *a, const float *b, size_t n);
    /* out[i] = a[i] + b[i] + c[i] (word, position and token type embeddings). */
    void (*add3)(const float *a, const float *b, const float *c, float *out, size_t n);
    /* s8 values with one f32 scale a block of 128 (the last may be shorter) to f32. */
    void (*dequantize_s8)(const int8_t *x, const float *scales, size_t n, float *out);
    /* sum over i of a[i] * b[i] as int32: exact. */
    int32_t (*dot_s8)(const int8_t *a, const int8_t *b, size_t n);

    /* The s8 format, with one meaning on every ISA. Inputs are cut into blocks of 128 (the last may be shorter). Weights:
     * s8 in [-127, 127] and one f32 scale a row and block. Activations: q in [0, 255], one f32 scale and one zero point in
     * [0, 255] a row and block: range = max(x, 0) - min(x, 0), scale = range / 255, zero = rint(-min * (255 / range)),
     * q = clamp(rint(x * (255 / range)) + zero); ranges up to 1e-30 are taken for 0. A GEMM adds up, block after block,
     * sum = fma(float(sum over the block of (q - zero) * w), scale of x * scale of w, sum): the inner sum is an exact integer
     * below 2^24, so ISAs may reach it in any way. Then the epilogue, as in gemm.
     * s8_pack puts row n of N x K weights, s8 with scales, into packed (64-byte aligned). Rows in any order.
     */
    void (*s8_pack)(size_t N, size_t K, size_t n, const int8_t *w, const float *scales, void *packed);
    eg_narrow s8;

    /* The bf16 format: weights and activations are floats of which the upper 16 bits are kept, rounded to nearest, ties to even;
     * products are summed up in f32, one accumulator an output, k in order; then the epilogue. A row's results depend on that row
     * and the weights alone. Where bf16_as_scalar is 1 each product is added by a fused multiply-add: the scalar ISA's bits.
     * Where it is 0 the CPU has its own instruction, which may round within a pair or a run of inputs and takes subnormal numbers
     * (below 2^-126) for 0: while there are none, the sum is within K * 2^-22 * (sum over k of |x[k] * w[k]|) of the scalar
     * ISA's. */
    int bf16_as_scalar;
    void (*bf16_pack)(size_t N, size_t K, size_t n, const uint16_t *w, void *packed); /* as s8_pack */
    eg_narrow bf16;
} eg_kernels;

/* The table of an ISA; EG_ISA_AUTO: the best of this CPU, or what $ENGRAM_ISA names. EG_EUNSUPPORTED with
 * the reason when this CPU or this build lacks it; EG_EINVAL for an unknown name in the environment. */
eg_status eg_kernels_select(eg_isa isa, const eg_kernels **out, eg_error *err);
/* All ISAs that run on this CPU, scalar first; returns their number. */
size_t eg_kernels_available(const eg_kernels **out, size_t most);
const char *eg_isa_name(eg_isa isa);

/* Floats of the packed form of an N x K matrix; 0 on overflow. Rows of the last panel are filled with zeros. */
size_t eg_gemm_packed_size(const eg_kernels *k, size_t N, size_t K);
/* Packs rows [n0, n0 + rows) of W (rows x K, ld apart) into packed (64-byte aligned). n0 may be any; so weights
 * can be packed piece by piece (for example query, key and value into one matrix, or a row at a time). */
void eg_gemm_pack(const eg_kernels *k, size_t N, size_t K, size_t n0, size_t rows, const float *W, size_t ld, float *packed);
/* A row of K weights to s8: scales[b] = the largest |w| of block b / 127, out = rint(w / that). */
void eg_s8_quantize_weights(const float *w, size_t K, int8_t *out, float *scales);
/* span: 0 where no sequence needs columns to be gathered (length <= direct, or no relative positions). 0 on overflow. */
enum { EG_ATTENTION_ROWS = 4 }; /* queries that are done at once */
size_t eg_attention_scratch(size_t length, size_t head_size, size_t span);

/* OpenBLAS as a GEMM by name, for CPUs without kernels of ours, as oracle and as baseline: same contract as
 * gemm() over all N, but W unpacked (N x K, row-major). EG_EUNSUPPORTED in a build without it. */
eg_status eg_gemm_openblas(const eg_kernels *k, size_t M, size_t N, size_t K, const float *A, size_t lda, const float *W,
                           float *C, size_t ldc, const eg_epilogue *epilogue, eg_error *err);

/* IEEE half and bfloat16 to float, n values. Exact. */
void eg_half_to_float(const uint16_t *x, float *out, size_t n);
void eg_bfloat16_to_float(const uint16_t *x, float *out, size_t n);
/* To the nearest bfloat16, ties to even; above the largest one: infinity. x: no NaN. */
void eg_float_to_bfloat16(const float *x, uint16_t *out, size_t n);

/* Sets rounding to nearest, no flush to zero; returns what was set before, for eg_fp_leave. Around every call
 * into kernels from outside, and in each pool thread. */
uint64_t eg_fp_enter(void);
void eg_fp_leave(uint64_t before);

#endif
