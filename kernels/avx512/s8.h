/* s8.h (AVX-512 BW) - as with AVX2, in registers twice as wide. */
#ifndef EG_AVX512_S8_H
#define EG_AVX512_S8_H

#include <immintrin.h>
#include <string.h>

#include "kernels/avx512/lanes.h"

#define ISA_S8_GROUP 2
#define ISA_S8_VECTORS 2
#define ISA_S8_ROWS 12
#define ISA_S8_CENTRED 1
#define ISA_S8_OFFSET 0.0f

typedef int16_t s8_input;
typedef __m512i i16x, s8_weights, s8_inputs;

static inline i16x i16x_zero(void) { return _mm512_setzero_si512(); }
static inline s8_weights s8_load(const int8_t *p) {
    return _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)(const void *)p));
}
static inline s8_inputs s8_splat(const s8_input *p) {
    int32_t two;
    memcpy(&two, p, sizeof two);
    return _mm512_set1_epi32(two);
}
static inline i16x s8_dot(i16x acc, s8_inputs x, s8_weights w) { return _mm512_add_epi32(acc, _mm512_madd_epi16(x, w)); }
static inline v16 i16x_to_v16(i16x x) { return _mm512_cvtepi32_ps(x); }
static inline void s8_put(s8_input *p, v16 q) {
    _mm256_storeu_si256((__m256i *)(void *)p, _mm512_cvtepi32_epi16(_mm512_cvtps_epi32(q)));
}

#endif
