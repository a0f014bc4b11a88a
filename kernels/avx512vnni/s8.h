/* s8.h (AVX-512 VNNI) - vpdpbusd: adds the products of four unsigned activations and four weights
 * to each int32, without saturation. In assembler, since gcc 12 copies the accumulators of the
 * intrinsic. */
#ifndef EG_AVX512VNNI_S8_H
#define EG_AVX512VNNI_S8_H

#include <immintrin.h>
#include <string.h>

#include "kernels/avx512/lanes.h"

#define ISA_S8_GROUP 4
#define ISA_S8_VECTORS 2
#define ISA_S8_ROWS 12
#define ISA_S8_CENTRED 0
#define ISA_S8_OFFSET 0.0f

typedef uint8_t s8_input;
typedef __m512i i16x, s8_weights, s8_inputs;

static inline i16x i16x_zero(void) { return _mm512_setzero_si512(); }
static inline s8_weights s8_load(const int8_t *p) {
    s8_weights w = _mm512_loadu_si512(p);
    __asm__("" : "+v"(w)); /* gcc 12 would load it again for the next row */
    return w;
}
static inline s8_inputs s8_splat(const s8_input *p) {
    int32_t four;
    memcpy(&four, p, sizeof four);
    return _mm512_set1_epi32(four);
}
/* One load of 16 bytes and four shuffles instead of four loads: with a few rows loads are the
 * limit, since each step also loads two vectors of weights and prefetches two lines. */
#define ISA_S8_QUADS 1
typedef __m512i s8_quad;
static inline s8_quad s8_load_quad(const s8_input *p) {
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)p));
}
static inline s8_inputs s8_pick(s8_quad quad, const int at) {
    switch (at) {
    case 0: return _mm512_shuffle_epi32(quad, _MM_PERM_AAAA);
    case 1: return _mm512_shuffle_epi32(quad, _MM_PERM_BBBB);
    case 2: return _mm512_shuffle_epi32(quad, _MM_PERM_CCCC);
    default: return _mm512_shuffle_epi32(quad, _MM_PERM_DDDD);
    }
}
static inline i16x s8_dot(i16x acc, s8_inputs x, s8_weights w) {
    __asm__("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(x), "v"(w));
    return acc;
}
static inline v16 i16x_to_v16(i16x x) { return _mm512_cvtepi32_ps(x); }
static inline void s8_put(s8_input *p, v16 q) {
    _mm_storeu_si128((__m128i *)(void *)p, _mm512_cvtepi32_epi8(_mm512_cvtps_epi32(q)));
}

#endif
