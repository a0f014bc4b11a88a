/* emulated.c - the kernels for vpdpbusd (unsigned inputs in groups of four, zero points corrected
 * after the sum) and for vdpbf16ps (pairs), with these two instructions emulated in AVX2, so that
 * everything but the instructions is tested on CPUs without them. Compiled a second time with
 * EMULATE_TILES for the kernels of AMX, with tiles emulated in C as the manual of the instructions
 * defines them. Used by test_kernels.c. */
#include <string.h>

#include "kernels/avx2/lanes.h"
#include "kernels/kernels.h"

/* Intel 64 manual, VDPBF16PS: subnormal factors and results are 0, the product of the second input
 * of a pair comes first. */
static inline __m256 no_subnormals(__m256 x) {
    __m256 sign = _mm256_set1_ps(-0.0f), large = _mm256_cmp_ps(_mm256_andnot_ps(sign, x), _mm256_set1_ps(0x1p-126f), _CMP_GE_OQ);
    return _mm256_or_ps(_mm256_and_ps(sign, x), _mm256_and_ps(large, x));
}
static inline __m256 fused(__m256 acc, __m256i x, __m256i w) {
    __m256 product_of = no_subnormals(_mm256_castsi256_ps(x)), times = no_subnormals(_mm256_castsi256_ps(w));
    return no_subnormals(_mm256_fmadd_ps(product_of, times, no_subnormals(acc)));
}
static inline __m256 pair(__m256 acc, __m256 x, __m256 w) {
    const __m256i upper = _mm256_set1_epi32((int)0xffff0000);
    __m256i a = _mm256_castps_si256(x), b = _mm256_castps_si256(w);
    acc = fused(acc, _mm256_and_si256(a, upper), _mm256_and_si256(b, upper));
    return fused(acc, _mm256_slli_epi32(a, 16), _mm256_slli_epi32(b, 16));
}
#define ISA_BF16_GROUP 2
static inline v16 bf16_dot(v16 acc, v16 x, v16 w) { return (v16){pair(acc.a, x.a, w.a), pair(acc.b, x.b, w.b)}; }
static inline void bf16_put(void *p, v16 x) {
    uint32_t bits[16];
    uint16_t upper[16];
    v16 rounded = v16_to_bf16(x);
    memcpy(bits, &rounded, sizeof bits);
    for (size_t i = 0; i < 16; i++) upper[i] = (uint16_t)(bits[i] >> 16);
    memcpy(p, upper, sizeof upper);
}

#define s8_dot s8_dot_by_instruction
#include "kernels/avxvnni/s8.h"
#undef s8_dot

static inline __m256i four_products(__m256i acc, __m256i x, __m256i w) {
    __m256i low =
        _mm256_madd_epi16(_mm256_cvtepu8_epi16(_mm256_castsi256_si128(x)), _mm256_cvtepi8_epi16(_mm256_castsi256_si128(w)));
    __m256i high = _mm256_madd_epi16(_mm256_cvtepu8_epi16(_mm256_extracti128_si256(x, 1)),
                                     _mm256_cvtepi8_epi16(_mm256_extracti128_si256(w, 1)));
    return _mm256_add_epi32(acc, _mm256_permute4x64_epi64(_mm256_hadd_epi32(low, high), 0xd8));
}
static inline i16x s8_dot(i16x acc, s8_inputs x, s8_weights w) {
    return (i16x){four_products(acc.a, x, w.a), four_products(acc.b, x, w.b)};
}

#ifndef EMULATE_TILES
extern const eg_kernels eg_kernels_emulated;
#define ISA_TABLE eg_kernels_emulated
#define ISA_ID EG_ISA_AVXVNNI
#define ISA_NAME "emulated"
#include "kernels/generic/table.tmpl.h"
#else
#include <stdlib.h>

/* Panels of two vectors, as with AVX-512. */
#undef ISA_PANEL_VECTORS
#define ISA_PANEL_VECTORS 2
#undef ISA_S8_VECTORS
#define ISA_S8_VECTORS 2
#define ISA_HAS_AMX 1
#define ISA_S8_PAD 64

static inline i16x i16x_load(const int32_t *p) {
    const __m256i *q = (const __m256i *)(const void *)p;
    return (i16x){_mm256_loadu_si256(q), _mm256_loadu_si256(q + 1)};
}

/* The tiles of a thread; `bytes` and `rows` are 0 while they are not configured. Where the CPU
 * would raise a fault, the program is aborted. */
typedef struct tile_register {
    uint16_t bytes;
    uint8_t rows;
    uint8_t data[16][64];
} tile_register;
static _Thread_local tile_register tiles_of_thread[8];

static tile_register *configured(int t) {
    if (!tiles_of_thread[t].rows) abort();
    return &tiles_of_thread[t];
}
/* Intel 64 manual, LDTILECFG: palette in byte 0, bytes of a row from byte 16 (16 bit each), rows
 * from byte 48; all else is 0. */
static void amx_tile_configure(const void *config) {
    uint8_t from[64];
    memcpy(from, config, sizeof from);
    if (from[0] != 1) abort();
    for (int i = 1; i < 64; i++)
        if (from[i] && !(i >= 16 && i < 32) && !(i >= 48 && i < 56)) abort();
    for (int t = 0; t < 8; t++) {
        tile_register *x = &tiles_of_thread[t];
        memset(x, 0, sizeof *x);
        memcpy(&x->bytes, from + 16 + 2 * t, 2);
        x->rows = from[48 + t];
        if (x->bytes > 64 || x->rows > 16 || !x->bytes != !x->rows) abort();
    }
}
static void amx_tile_release(void) { memset(tiles_of_thread, 0, sizeof tiles_of_thread); }
static void amx_tile_zero(int t) { memset(configured(t)->data, 0, sizeof tiles_of_thread[t].data); }
static void amx_tile_load(int t, const void *from, size_t stride) {
    tile_register *x = configured(t);
    memset(x->data, 0, sizeof x->data);
    for (size_t r = 0; r < x->rows; r++) memcpy(x->data[r], (const char *)from + r * stride, x->bytes);
}
static void amx_tile_store(int t, void *to, size_t stride) {
    const tile_register *x = configured(t);
    for (size_t r = 0; r < x->rows; r++) memcpy((char *)to + r * stride, x->data[r], x->bytes);
}
static tile_register *configured_for(int sums, int inputs, int weights) {
    tile_register *c = configured(sums);
    const tile_register *a = configured(inputs), *b = configured(weights);
    if (c->rows != a->rows || c->bytes != b->bytes || a->bytes != 4 * b->rows || sums == inputs || sums == weights ||
        inputs == weights)
        abort();
    return c;
}
static void amx_tile_dot_s8(int sums, int inputs, int weights) {
    tile_register *c = configured_for(sums, inputs, weights);
    const tile_register *a = configured(inputs), *b = configured(weights);
    for (size_t m = 0; m < c->rows; m++)
        for (size_t n = 0; n < c->bytes / 4u; n++) {
            int32_t sum;
            memcpy(&sum, &c->data[m][4 * n], 4);
            for (size_t k = 0; k < a->bytes; k++) sum += a->data[m][k] * (int8_t)b->data[k / 4][4 * n + k % 4];
            memcpy(&c->data[m][4 * n], &sum, 4);
        }
}
/* TDPBF16PS: sums the products of the first inputs of all pairs, fused one after the other,
 * likewise those of the second inputs, and adds both sums to the f32. */
static float normal(float x) { return fabsf(x) >= 0x1p-126f ? x : copysignf(0, x); }
static float normal_of(const uint8_t *two) {
    uint16_t upper;
    float x;
    memcpy(&upper, two, sizeof upper);
    eg_bfloat16_to_float(&upper, &x, 1);
    return normal(x);
}
static void amx_tile_dot_bf16(int sums, int inputs, int weights) {
    tile_register *c = configured_for(sums, inputs, weights);
    const tile_register *a = configured(inputs), *b = configured(weights);
    for (size_t m = 0; m < c->rows; m++)
        for (size_t n = 0; n < c->bytes / 4u; n++) {
            float sum, part[2] = {0, 0};
            memcpy(&sum, &c->data[m][4 * n], 4);
            for (size_t k = 0; k < a->bytes / 4u; k++)
                for (size_t i = 0; i < 2; i++)
                    part[i] = normal(fmaf(normal_of(&a->data[m][4 * k + 2 * i]), normal_of(&b->data[k][4 * n + 2 * i]), part[i]));
            sum = normal(normal(sum) + normal(part[0] + part[1]));
            memcpy(&c->data[m][4 * n], &sum, 4);
        }
}

extern const eg_kernels eg_kernels_emulated_amx;
#define ISA_TABLE eg_kernels_emulated_amx
#define ISA_ID EG_ISA_AMX
#define ISA_NAME "emulated amx"
#include "kernels/generic/table.tmpl.h"

/* Whether this thread's tiles are released, so that a context switch need not save them. */
int emulated_tiles_clean(void);
int emulated_tiles_clean(void) {
    for (int t = 0; t < 8; t++)
        if (tiles_of_thread[t].rows) return 0;
    return 1;
}
#endif
