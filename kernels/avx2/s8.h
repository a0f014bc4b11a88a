/* s8.h (AVX2) - weights are widened to 16 bits when they are loaded, activations are centred:
 * vpmaddwd is exact and cannot saturate. */
#ifndef EG_AVX2_S8_H
#define EG_AVX2_S8_H

#include <immintrin.h>

#include "kernels/avx2/lanes.h"

#define ISA_S8_GROUP 2
#define ISA_S8_VECTORS 1
#define ISA_S8_ROWS 6
#define ISA_S8_CENTRED 1
#define ISA_S8_OFFSET 0.0f

typedef int16_t s8_input;
typedef struct i16x {
    __m256i a, b;
} i16x;
typedef i16x s8_weights;
typedef const s8_input *s8_inputs; /* repeated in s8_dot */

static inline i16x i16x_zero(void) { return (i16x){_mm256_setzero_si256(), _mm256_setzero_si256()}; }
static inline s8_weights s8_load(const int8_t *p) {
    const __m128i *q = (const __m128i *)(const void *)p;
    return (i16x){_mm256_cvtepi8_epi16(_mm_loadu_si128(q)), _mm256_cvtepi8_epi16(_mm_loadu_si128(q + 1))};
}
static inline s8_inputs s8_splat(const s8_input *p) { return p; }
/* In assembler: gcc 12 would compute the products of all rows first and spill the sums. Twelve
 * sums, two registers of weights and these two are all 16 registers. */
static inline i16x s8_dot(i16x acc, s8_inputs x, s8_weights w) {
    __m256i splat, product;
    __asm__("vpbroadcastd %[x], %[splat]\n\t"
            "vpmaddwd %[wa], %[splat], %[product]\n\t"
            "vpmaddwd %[wb], %[splat], %[splat]\n\t"
            "vpaddd %[product], %[a], %[a]\n\t"
            "vpaddd %[splat], %[b], %[b]"
            : [a] "+x"(acc.a), [b] "+x"(acc.b), [splat] "=&x"(splat), [product] "=&x"(product)
            : [wa] "x"(w.a), [wb] "x"(w.b), [x] "m"(*(const s8_input(*)[2])x));
    return acc;
}
static inline v16 i16x_to_v16(i16x x) { return (v16){_mm256_cvtepi32_ps(x.a), _mm256_cvtepi32_ps(x.b)}; }
static inline void s8_put(s8_input *p, v16 q) {
    __m256i halves = _mm256_packs_epi32(_mm256_cvtps_epi32(q.a), _mm256_cvtps_epi32(q.b));
    _mm256_storeu_si256((__m256i *)(void *)p, _mm256_permute4x64_epi64(halves, 0xd8));
}

#endif
