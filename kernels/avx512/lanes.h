/* lanes.h (AVX-512 F, BW, DQ, VL) - 16 lanes are one register. */
#ifndef EG_AVX512_LANES_H
#define EG_AVX512_LANES_H

#include <immintrin.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ISA_PANEL_VECTORS 2
#define ISA_F32_ROWS 12

typedef __m512 v16;

static inline __mmask16 first_lanes(size_t n) { return (__mmask16)((1u << n) - 1); } /* n < 16 */

static inline v16 v16_set(float x) { return _mm512_set1_ps(x); }
static inline v16 v16_load(const float *p) { return _mm512_loadu_ps(p); }
static inline v16 v16_load_n(const float *p, size_t n) { return _mm512_maskz_loadu_ps(first_lanes(n), p); }
static inline v16 v16_load_n_or(const float *p, size_t n, float other) {
    return _mm512_mask_loadu_ps(_mm512_set1_ps(other), first_lanes(n), p);
}
static inline void v16_store(float *p, v16 x) { _mm512_storeu_ps(p, x); }
static inline void v16_store_n(float *p, size_t n, v16 x) { _mm512_mask_storeu_ps(p, first_lanes(n), x); }
static inline v16 v16_keep_n(v16 x, size_t n) { return _mm512_maskz_mov_ps(first_lanes(n), x); }
static inline v16 v16_add(v16 x, v16 y) { return _mm512_add_ps(x, y); }
static inline v16 v16_sub(v16 x, v16 y) { return _mm512_sub_ps(x, y); }
static inline v16 v16_mul(v16 x, v16 y) { return _mm512_mul_ps(x, y); }
static inline v16 v16_div(v16 x, v16 y) { return _mm512_div_ps(x, y); }
static inline v16 v16_fma(v16 x, v16 y, v16 z) { return _mm512_fmadd_ps(x, y, z); }
static inline v16 v16_max(v16 x, v16 y) { return _mm512_max_ps(x, y); } /* x > y ? x : y */
static inline v16 v16_min(v16 x, v16 y) { return _mm512_min_ps(x, y); }
static inline v16 v16_abs(v16 x) { return _mm512_abs_ps(x); }
static inline v16 v16_round(v16 x) { return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
static inline v16 v16_select_negative(v16 x, v16 a, v16 b) {
    return _mm512_mask_blend_ps(_mm512_movepi32_mask(_mm512_castps_si512(x)), b, a);
}
static inline v16 v16_scale2(v16 x, v16 n) {
    __m512i e = _mm512_add_epi32(_mm512_cvttps_epi32(n), _mm512_set1_epi32(127));
    return _mm512_mul_ps(x, _mm512_castsi512_ps(_mm512_slli_epi32(e, 23)));
}
static inline v16 v16_widen(const uint16_t *p) {
    return _mm512_castsi512_ps(
        _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)p)), 16));
}
static inline v16 v16_to_bf16(v16 x) {
    __m512i bits = _mm512_castps_si512(x), odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    bits = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
    return _mm512_castsi512_ps(_mm512_and_si512(bits, _mm512_set1_epi32((int)0xffff0000)));
}
static inline float v16_sum(v16 x) {
    __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(x), _mm512_extractf32x8_ps(x, 1));
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}
static inline float v16_max_lane(v16 x) {
    __m256 eight = _mm256_max_ps(_mm512_castps512_ps256(x), _mm512_extractf32x8_ps(x, 1));
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

static inline int32_t dot_s8(const int8_t *a, const int8_t *b, size_t n) {
    __m512i sum = _mm512_setzero_si512();
    size_t i = 0;
    for (; i + 32 <= n; i += 32) { /* widened to 16 bit: vpmaddwd cannot saturate */
        __m512i x = _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)(const void *)(a + i)));
        __m512i y = _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)(const void *)(b + i)));
        sum = _mm512_add_epi32(sum, _mm512_madd_epi16(x, y));
    }
    int32_t total = _mm512_reduce_add_epi32(sum);
    for (; i < n; i++) total += a[i] * b[i];
    return total;
}

#endif
