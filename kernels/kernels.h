/* kernels.h - the arithmetic of transformer encoders: one table of functions for each instruction
 * set (ISA).
 *
 * Not here: models, files, threads. Shapes, strides and constants come as arguments. Called by
 * models/ and by the tests and benchmarks of the kernels.
 *
 * Every table gives the same bits for finite inputs (bf16 is the one exception, see there): each
 * output has one accumulator, its terms are added in the order of k, by fused multiply-adds. Every
 * sum over a row is taken in the fixed order of 16 virtual lanes (lane i adds the elements i, i +
 * 16, ...; lanes beyond the end of the row are skipped, not padded), which are then folded 16 -> 8
 * -> 4 -> 2 -> 1 by adding the upper half to the lower half. The scalar table is the reference; the
 * tests compare by memcmp. All floats have 32 bits. Matrices are row-major and may have any
 * alignment unless their comment says otherwise. Kernels never allocate and never fail. Thread
 * class: any thread. */
#ifndef EG_KERNELS_H
#define EG_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "core/include/engram/infer.h"
#include "core/include/engram/status.h"

/* What a matrix product does to a sum before it stores it, in this order: + bias, activation, +
 * residual. */
typedef enum eg_activation { EG_ACT_NONE = 0, EG_ACT_GELU = 1, EG_ACT_TANH = 2 } eg_activation;
typedef struct eg_epilogue {
    const float *bias;     /* N values or NULL */
    const float *residual; /* M rows of ld_residual floats or NULL; may be the output itself */
    size_t ld_residual;
    eg_activation activation;
} eg_epilogue;

/* A matrix product: C[m][n] = epilogue(sum over k of A[m][k] * W[n][k]) for m < M and n in [n0,
 * n1). Several threads can share one product by calling with disjoint ranges of columns. */
typedef struct eg_gemm_call {
    size_t M, N, K;              /* A is M x K, the weights W are N x K, C is M x N */
    size_t n0, n1;               /* n0: a multiple of the format's panel_width (128 for
                                  * gemm_quantized); n1: likewise, or N */
    const void *A;               /* f32: floats; s8 and bf16: rows that quantize() wrote, 64-byte
                                  * aligned */
    size_t lda;                  /* f32 only: floats between rows of A */
    const void *packed;          /* W as eg_gemm_pack, s8_pack or bf16_pack laid it out, 64-byte
                                  * aligned */
    void *C;                     /* floats; gemm_quantized: rows of N as quantize() writes them */
    size_t ldc;                  /* floats between rows of C; gemm_quantized ignores it */
    const eg_epilogue *epilogue; /* NULL: none */
} eg_gemm_call;

/* Relative positions of one head: head_size rows of `width` floats (at least 2 * span + 16, zeros
 * after the first 2 * span). While the sequence has at most `direct` tokens, the distance query -
 * key is in column span - 1 - distance; in longer sequences it is in column[distance]. */
typedef struct eg_relative {
    const float *key, *query;
    size_t span, width, direct;
    /* indexed from -(length - 1) to length - 1; values below 2 * span that never rise with the
     * distance */
    const uint16_t *column;
} eg_relative;

/* Attention of one sequence and one head: out = softmax(Q K^T * scale) V, with relative positions
 * if they are given. */
typedef struct eg_attention {
    const float *q, *k, *v; /* length rows of head_size floats, rows ld_qkv apart */
    float *out;             /* `queries` rows, rows ld_out apart */
    size_t ld_qkv, ld_out;
    size_t length;  /* tokens */
    size_t queries; /* the first so many rows of q are computed; 1 to length */
    size_t head_size;
    float scale;
    float *scratch;              /* eg_attention_scratch(...) floats, 64-byte aligned */
    const eg_relative *relative; /* NULL: none */
} eg_attention;

/* The matrix product in a format of fewer bits than f32 (s8, bf16). How a row of activations and
 * packed weights are laid out is private to the ISA: both are written and read by the same table
 * only. */
typedef struct eg_quantized_kernels {
    size_t panel_width;                         /* outputs of one packed panel */
    size_t (*row_bytes)(size_t K);              /* distance of quantised rows of K activations; rows
                                                 * are 64-byte aligned */
    size_t (*packed_bytes)(size_t N, size_t K); /* of N x K packed weights */
    /* rows of x are ld floats apart */
    void (*quantize)(const float *x, size_t rows, size_t K, size_t ld, void *out);
    void (*gemm)(const eg_gemm_call *call);
    /* The result is quantised too: the same bytes as gemm followed by quantize. */
    void (*gemm_quantized)(const eg_gemm_call *call);
} eg_quantized_kernels;

typedef struct eg_kernels {
    eg_isa isa;
    const char *name;   /* "scalar", "avx2", ...: what eg_isa_name gives */
    size_t panel_width; /* outputs of one packed panel of f32 */

    void (*gemm)(const eg_gemm_call *call);
    void (*attention)(const eg_attention *a);
    /* Rows of `width` floats, ld apart, in place: (x - mean) / sqrt(variance + eps) * gamma + beta;
     * two passes. */
    void (*layer_norm)(float *x, size_t rows, size_t width, size_t ld, const float *gamma, const float *beta, float eps);
    /* The exact (erf) GELU, in place; absolute error <= 2.5e-7 * max(1, |x|). */
    void (*gelu)(float *x, size_t n);
    void (*tanh)(float *x, size_t n); /* in place; absolute error <= 1e-6 */
    void (*softmax)(float *x, size_t rows, size_t width, size_t ld);
    /* out[width] = mean over rows. */
    void (*mean_rows)(const float *x, size_t rows, size_t width, size_t ld, float *out);
    /* x /= max(|x|, 1e-12). */
    void (*l2_normalize)(float *x, size_t n);
    /* Sum of a[i] * b[i] in the order of the 16 lanes. */
    float (*dot)(const float *a, const float *b, size_t n);
    /* out[i] = a[i] + b[i] + c[i] (word, position and token type embeddings). */
    void (*add3)(const float *a, const float *b, const float *c, float *out, size_t n);
    /* s8 values with one f32 scale for each block of 128 (the last may be shorter) to f32. */
    void (*dequantize_s8)(const int8_t *x, const float *scales, size_t n, float *out);
    /* Sum of a[i] * b[i] as int32: exact. */
    int32_t (*dot_s8)(const int8_t *a, const int8_t *b, size_t n);
    /* The same of n values each for the query and `count` rows, one behind the other. */
    void (*dots_s8)(const int8_t *rows, size_t count, const int8_t *query, size_t n, int32_t *out);

    /* The s8 format has the same meaning on every ISA. Inputs are cut into blocks of 128 (the last
     * may be shorter). Weights: s8 in [-127, 127], with one f32 scale for each row and block.
     * Activations: q in [0, 255], with one f32 scale and one zero point in [0, 255] for each row
     * and block: range = max(x, 0) - min(x, 0), scale = range / 255, zero = rint(-min * (255 /
     * range)), q = clamp(rint(x * (255 / range)) + zero); ranges up to 1e-30 count as 0. A product
     * adds one block after the other: sum = fma(float(sum over the block of (q - zero) * w), scale
     * of x * scale of w, sum). The inner sum is an exact integer below 2^24, so an ISA may compute
     * it in any order. Then the epilogue, as in gemm. s8_pack puts row n of N x K weights, with its
     * scales, into packed (64-byte aligned); rows may come in any order. */
    void (*s8_pack)(size_t N, size_t K, size_t n, const int8_t *w, const float *scales, void *packed);
    eg_quantized_kernels s8;

    /* The bf16 format: weights and activations are the upper 16 bits of floats, rounded to nearest,
     * ties to even; products are summed in f32, one accumulator an output, in the order of k; then
     * the epilogue. A row's results depend on that row and the weights alone. If bf16_as_scalar is
     * 1, each product is added by a fused multiply-add: the bits of the scalar table. If it is 0,
     * the ISA has its own instruction, which may round within a pair or a group of inputs and takes
     * subnormal numbers (below 2^-126) for 0: without such numbers, the sum is within K * 2^-22 *
     * (sum over k of |x[k] * w[k]|) of the scalar table's. */
    int bf16_as_scalar;
    /* like s8_pack */
    void (*bf16_pack)(size_t N, size_t K, size_t n, const uint16_t *w, void *packed);
    eg_quantized_kernels bf16;
} eg_kernels;

/* The table of an ISA. EG_ISA_AUTO: what $ENGRAM_ISA names, else the best ISA of this CPU that is
 * not experimental. EG_EUNSUPPORTED with the reason when this CPU, this build or the operating
 * system lacks it; EG_EINVAL for an unknown name in the environment. */
eg_status eg_kernels_select(eg_isa isa, const eg_kernels **out, eg_error *err);
/* The tables of all ISAs that run on this CPU, scalar first, at most `max` of them; returns their
 * number. */
size_t eg_kernels_available(const eg_kernels **out, size_t max);

/* Floats of the packed form of an N x K matrix; 0 on overflow. Rows of the last panel are filled
 * with zeros. */
size_t eg_gemm_packed_size(const eg_kernels *k, size_t N, size_t K);
/* Packs the rows [n0, n0 + rows) of an N x K matrix into packed (64-byte aligned). W: these rows,
 * ld floats apart. n0 may be any, so a matrix can be packed piece by piece (for example query, key
 * and value into one matrix, or row after row). */
void eg_gemm_pack(const eg_kernels *k, size_t N, size_t K, size_t n0, size_t rows, const float *W, size_t ld, float *packed);
/* Quantises a row of K weights to s8: scales[b] = the largest |w| of block b / 127, out = rint(w /
 * scales[b]). */
void eg_s8_quantize_weights(const float *w, size_t K, int8_t *out, float *scales);
enum { EG_ATTENTION_ROWS = 4 }; /* queries that are computed together */
/* Floats of scratch for eg_attention. span: that of the relative positions if length > direct, else
 * 0. Returns 0 on overflow. */
size_t eg_attention_scratch(size_t length, size_t head_size, size_t span);

/* The f32 product by OpenBLAS: for CPUs without an ISA of ours, and as a baseline in benchmarks and
 * tests. Computes all N columns (n0 and n1 are ignored) from weights that are not packed:
 * call->packed is N x K floats, row-major. Not the same bits as our kernels. EG_EUNSUPPORTED if
 * libopenblas.so.0 cannot be loaded, or for an activation with the output as residual; EG_ELIMIT
 * for sizes over 2^31 - 1. */
eg_status eg_gemm_openblas(const eg_kernels *k, const eg_gemm_call *call, eg_error *err);

/* IEEE half and bfloat16 to float, n values. Exact. */
void eg_half_to_float(const uint16_t *x, float *out, size_t n);
void eg_bfloat16_to_float(const uint16_t *x, float *out, size_t n);
/* To the nearest bfloat16, ties to even; above the largest finite one: infinity. x: no NaN. */
void eg_float_to_bfloat16(const float *x, uint16_t *out, size_t n);

/* Sets rounding to nearest and no flush to zero; returns the former control word for eg_fp_leave.
 * Put around every call into kernels on a thread of the caller; pool threads do it once. */
uint64_t eg_fp_enter(void);
void eg_fp_leave(uint64_t before);

#endif
