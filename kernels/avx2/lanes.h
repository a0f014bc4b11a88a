/* lanes.h (AVX2 + FMA) - 16 lanes as two registers of 8. */
#ifndef EG_AVX2_LANES_H
#define EG_AVX2_LANES_H

#include <immintrin.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ISA_PANEL_VECTORS 1
#define ISA_F32_ROWS 6

typedef struct v16 {
    __m256 a, b;
} v16;

/* All ones in the first n of 8 lanes. */
static inline __m256i first_lanes(size_t n) {
    const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(n < 8 ? n : 8)), index);
}
/* Of 16 lanes the lower and the upper 8. */
static inline __m256i low_lanes(size_t n) { return first_lanes(n); }
static inline __m256i high_lanes(size_t n) { return first_lanes(n > 8 ? n - 8 : 0); }

static inline v16 v16_set(float x) { return (v16){_mm256_set1_ps(x), _mm256_set1_ps(x)}; }
static inline v16 v16_load(const float *p) { return (v16){_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
static inline v16 v16_load_n(const float *p, size_t n) {
    return (v16){_mm256_maskload_ps(p, low_lanes(n)), n > 8 ? _mm256_maskload_ps(p + 8, high_lanes(n)) : _mm256_setzero_ps()};
}
static inline v16 v16_load_n_or(const float *p, size_t n, float other) {
    v16 x = v16_load_n(p, n), o = v16_set(other);
    return (v16){_mm256_blendv_ps(o.a, x.a, _mm256_castsi256_ps(low_lanes(n))),
                 _mm256_blendv_ps(o.b, x.b, _mm256_castsi256_ps(high_lanes(n)))};
}
static inline void v16_store(float *p, v16 x) {
    _mm256_storeu_ps(p, x.a);
    _mm256_storeu_ps(p + 8, x.b);
}
static inline void v16_store_n(float *p, size_t n, v16 x) {
    _mm256_maskstore_ps(p, low_lanes(n), x.a);
    if (n > 8) _mm256_maskstore_ps(p + 8, high_lanes(n), x.b);
}
static inline v16 v16_keep_n(v16 x, size_t n) {
    return (v16){_mm256_and_ps(x.a, _mm256_castsi256_ps(low_lanes(n))), _mm256_and_ps(x.b, _mm256_castsi256_ps(high_lanes(n)))};
}
#define AVX2_BOTH(name, intrinsic) \
    static inline v16 name(v16 x, v16 y) { return (v16){intrinsic(x.a, y.a), intrinsic(x.b, y.b)}; }
AVX2_BOTH(v16_add, _mm256_add_ps)
AVX2_BOTH(v16_sub, _mm256_sub_ps)
AVX2_BOTH(v16_mul, _mm256_mul_ps)
AVX2_BOTH(v16_div, _mm256_div_ps)
AVX2_BOTH(v16_max, _mm256_max_ps) /* x > y ? x : y */
AVX2_BOTH(v16_min, _mm256_min_ps) /* x < y ? x : y */
#undef AVX2_BOTH
static inline v16 v16_fma(v16 x, v16 y, v16 z) { return (v16){_mm256_fmadd_ps(x.a, y.a, z.a), _mm256_fmadd_ps(x.b, y.b, z.b)}; }
static inline v16 v16_abs(v16 x) {
    const __m256 sign = _mm256_set1_ps(-0.0f);
    return (v16){_mm256_andnot_ps(sign, x.a), _mm256_andnot_ps(sign, x.b)};
}
static inline v16 v16_round(v16 x) {
    enum { NEAREST = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC };
    return (v16){_mm256_round_ps(x.a, NEAREST), _mm256_round_ps(x.b, NEAREST)};
}
static inline v16 v16_select_negative(v16 x, v16 a, v16 b) {
    return (v16){_mm256_blendv_ps(b.a, a.a, x.a), _mm256_blendv_ps(b.b, a.b, x.b)};
}
static inline __m256 power_of_two(__m256 n) {
    __m256i e = _mm256_add_epi32(_mm256_cvttps_epi32(n), _mm256_set1_epi32(127));
    return _mm256_castsi256_ps(_mm256_slli_epi32(e, 23));
}
static inline v16 v16_scale2(v16 x, v16 n) {
    return (v16){_mm256_mul_ps(x.a, power_of_two(n.a)), _mm256_mul_ps(x.b, power_of_two(n.b))};
}
static inline __m256 widen_eight(const uint16_t *p) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)p)), 16));
}
static inline v16 v16_widen(const uint16_t *p) { return (v16){widen_eight(p), widen_eight(p + 8)}; }
static inline __m256 eight_to_bf16(__m256 x) {
    __m256i bits = _mm256_castps_si256(x), odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    bits = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
    return _mm256_castsi256_ps(_mm256_and_si256(bits, _mm256_set1_epi32((int)0xffff0000)));
}
static inline v16 v16_to_bf16(v16 x) { return (v16){eight_to_bf16(x.a), eight_to_bf16(x.b)}; }
static inline float v16_sum(v16 x) {
    __m256 eight = _mm256_add_ps(x.a, x.b);
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}
static inline float v16_max_lane(v16 x) {
    __m256 eight = _mm256_max_ps(x.a, x.b);
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

static inline int32_t dot_s8(const int8_t *a, const int8_t *b, size_t n) {
    __m256i sum = _mm256_setzero_si256();
    size_t i = 0;
    for (; i + 16 <= n; i += 16) { /* widened to 16 bit: vpmaddwd cannot saturate */
        __m256i x = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(const void *)(a + i)));
        __m256i y = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(const void *)(b + i)));
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(x, y));
    }
    __m128i four = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
    four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0xb1));
    int32_t total = _mm_cvtsi128_si32(four);
    for (; i < n; i++) total += a[i] * b[i];
    return total;
}

/* Four rows share the widened query and the sums across lanes. Each step prefetches a line of the
 * rows after the next four: who scans more than the caches hold waits for memory. */
#define ISA_DOT4_S8
static inline void dot4_s8(const int8_t *rows, const int8_t *query, size_t n, int32_t out[4]) {
    __m256i sums[4] = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256()};
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        __m256i y = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(const void *)(query + i)));
        _mm_prefetch((const char *)rows + 8 * n + 4 * i, _MM_HINT_T0);
        for (size_t r = 0; r < 4; r++) {
            __m256i x = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(const void *)(rows + r * n + i)));
            sums[r] = _mm256_add_epi32(sums[r], _mm256_madd_epi16(x, y));
        }
    }
    __m256i ab = _mm256_hadd_epi32(sums[0], sums[1]), cd = _mm256_hadd_epi32(sums[2], sums[3]);
    __m256i halves = _mm256_hadd_epi32(ab, cd); /* of each row the sums of both halves */
    __m128i total = _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
    _mm_storeu_si128((__m128i *)(void *)out, total);
    for (; i < n; i++)
        for (size_t r = 0; r < 4; r++) out[r] += rows[r * n + i] * query[i];
}

#endif
