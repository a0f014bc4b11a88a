/* s8.h (AVX-VNNI) - vpdpbusd with 256 bits, VEX encoded: for CPUs without AVX-512. */
#ifndef EG_AVXVNNI_S8_H
#define EG_AVXVNNI_S8_H

#include <immintrin.h>
#include <string.h>

#include "kernels/avx2/lanes.h"

#define ISA_S8_GROUP 4
#define ISA_S8_VECTORS 1
#define ISA_S8_ROWS 6
#define ISA_S8_CENTRED 0
#define ISA_S8_OFFSET 0.0f

typedef uint8_t s8_input;
typedef struct i16x {
    __m256i a, b;
} i16x;
typedef i16x s8_weights;
typedef __m256i s8_inputs;

static inline i16x i16x_zero(void) { return (i16x){_mm256_setzero_si256(), _mm256_setzero_si256()}; }
static inline s8_weights s8_load(const int8_t *p) {
    const __m256i *q = (const __m256i *)(const void *)p;
    return (i16x){_mm256_loadu_si256(q), _mm256_loadu_si256(q + 1)};
}
static inline s8_inputs s8_splat(const s8_input *p) {
    int32_t four;
    memcpy(&four, p, sizeof four);
    return _mm256_set1_epi32(four);
}
static inline i16x s8_dot(i16x acc, s8_inputs x, s8_weights w) {
    __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(acc.a) : "x"(x), "x"(w.a));
    __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(acc.b) : "x"(x), "x"(w.b));
    return acc;
}
static inline v16 i16x_to_v16(i16x x) { return (v16){_mm256_cvtepi32_ps(x.a), _mm256_cvtepi32_ps(x.b)}; }
static inline void s8_put(s8_input *p, v16 q) {
    __m256i halves = _mm256_packs_epi32(_mm256_cvtps_epi32(q.a), _mm256_cvtps_epi32(q.b));
    halves = _mm256_permute4x64_epi64(halves, 0xd8);
    __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
    _mm_storeu_si128((__m128i *)(void *)p, bytes);
}

#endif
