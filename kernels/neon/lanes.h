/* lanes.h (NEON, 64-bit Arm) - 16 lanes as four registers of 4. */
#ifndef EG_NEON_LANES_H
#define EG_NEON_LANES_H

#include <arm_neon.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ISA_PANEL_VECTORS 1
#define ISA_F32_ROWS 6

typedef struct v16 {
    float32x4_t q0, q1, q2, q3;
} v16;

static inline v16 v16_set(float x) {
    float32x4_t q = vdupq_n_f32(x);
    return (v16){q, q, q, q};
}
static inline v16 v16_load(const float *p) { return (v16){vld1q_f32(p), vld1q_f32(p + 4), vld1q_f32(p + 8), vld1q_f32(p + 12)}; }
static inline void v16_store(float *p, v16 x) {
    vst1q_f32(p, x.q0);
    vst1q_f32(p + 4, x.q1);
    vst1q_f32(p + 8, x.q2);
    vst1q_f32(p + 12, x.q3);
}
static inline v16 v16_load_n_or(const float *p, size_t n, float other) {
    float part[16];
    for (size_t i = n; i < 16; i++) part[i] = other;
    memcpy(part, p, n * sizeof *p);
    return v16_load(part);
}
static inline v16 v16_load_n(const float *p, size_t n) { return v16_load_n_or(p, n, 0); }
static inline void v16_store_n(float *p, size_t n, v16 x) {
    float part[16];
    v16_store(part, x);
    memcpy(p, part, n * sizeof *p);
}
static inline v16 v16_keep_n(v16 x, size_t n) {
    float part[16];
    v16_store(part, x);
    return v16_load_n(part, n);
}
#define NEON_FOUR(name, intrinsic)                                                                                \
    static inline v16 name(v16 x, v16 y) {                                                                        \
        return (v16){intrinsic(x.q0, y.q0), intrinsic(x.q1, y.q1), intrinsic(x.q2, y.q2), intrinsic(x.q3, y.q3)}; \
    }
/* vmaxq and vminq order the two zeros; comparing and selecting gives x > y ? x : y, as on every
 * ISA. */
static inline float32x4_t greater_of(float32x4_t x, float32x4_t y) { return vbslq_f32(vcgtq_f32(x, y), x, y); }
static inline float32x4_t less_of(float32x4_t x, float32x4_t y) { return vbslq_f32(vcltq_f32(x, y), x, y); }
NEON_FOUR(v16_add, vaddq_f32)
NEON_FOUR(v16_sub, vsubq_f32)
NEON_FOUR(v16_mul, vmulq_f32)
NEON_FOUR(v16_div, vdivq_f32)
NEON_FOUR(v16_max, greater_of)
NEON_FOUR(v16_min, less_of)
static inline v16 v16_fma(v16 x, v16 y, v16 z) {
    return (v16){vfmaq_f32(z.q0, x.q0, y.q0), vfmaq_f32(z.q1, x.q1, y.q1), vfmaq_f32(z.q2, x.q2, y.q2),
                 vfmaq_f32(z.q3, x.q3, y.q3)};
}
static inline v16 v16_abs(v16 x) { return (v16){vabsq_f32(x.q0), vabsq_f32(x.q1), vabsq_f32(x.q2), vabsq_f32(x.q3)}; }
static inline v16 v16_round(v16 x) { return (v16){vrndnq_f32(x.q0), vrndnq_f32(x.q1), vrndnq_f32(x.q2), vrndnq_f32(x.q3)}; }
static inline float32x4_t by_sign(float32x4_t x, float32x4_t a, float32x4_t b) {
    return vbslq_f32(vreinterpretq_u32_s32(vshrq_n_s32(vreinterpretq_s32_f32(x), 31)), a, b);
}
static inline v16 v16_select_negative(v16 x, v16 a, v16 b) {
    return (v16){by_sign(x.q0, a.q0, b.q0), by_sign(x.q1, a.q1, b.q1), by_sign(x.q2, a.q2, b.q2), by_sign(x.q3, a.q3, b.q3)};
}
static inline float32x4_t times_power(float32x4_t x, float32x4_t n) {
    int32x4_t e = vaddq_s32(vcvtq_s32_f32(n), vdupq_n_s32(127));
    return vmulq_f32(x, vreinterpretq_f32_s32(vshlq_n_s32(e, 23)));
}
NEON_FOUR(v16_scale2, times_power)
#undef NEON_FOUR
static inline v16 v16_widen(const uint16_t *p) {
    uint16x8_t low = vld1q_u16(p), high = vld1q_u16(p + 8);
    return (v16){vreinterpretq_f32_u32(vshll_n_u16(vget_low_u16(low), 16)), vreinterpretq_f32_u32(vshll_high_n_u16(low, 16)),
                 vreinterpretq_f32_u32(vshll_n_u16(vget_low_u16(high), 16)), vreinterpretq_f32_u32(vshll_high_n_u16(high, 16))};
}
static inline float32x4_t four_to_bf16(float32x4_t x) {
    uint32x4_t bits = vreinterpretq_u32_f32(x), odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
    bits = vaddq_u32(bits, vaddq_u32(odd, vdupq_n_u32(0x7fff)));
    return vreinterpretq_f32_u32(vandq_u32(bits, vdupq_n_u32(0xffff0000)));
}
static inline v16 v16_to_bf16(v16 x) {
    return (v16){four_to_bf16(x.q0), four_to_bf16(x.q1), four_to_bf16(x.q2), four_to_bf16(x.q3)};
}
static inline float v16_sum(v16 x) {
    float32x4_t low = vaddq_f32(x.q0, x.q2), high = vaddq_f32(x.q1, x.q3);
    float32x4_t four = vaddq_f32(low, high);
    float32x2_t two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
    return vget_lane_f32(two, 0) + vget_lane_f32(two, 1);
}
static inline float v16_max_lane(v16 x) {
    float32x4_t four = greater_of(greater_of(x.q0, x.q2), greater_of(x.q1, x.q3));
    float a = vgetq_lane_f32(four, 0), b = vgetq_lane_f32(four, 1), c = vgetq_lane_f32(four, 2), d = vgetq_lane_f32(four, 3);
    float ac = a > c ? a : c, bd = b > d ? b : d;
    return ac > bd ? ac : bd;
}

static inline int32_t dot_s8(const int8_t *a, const int8_t *b, size_t n) {
    int32x4_t sum = vdupq_n_s32(0);
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        int8x16_t x = vld1q_s8(a + i), y = vld1q_s8(b + i);
        sum = vpadalq_s16(sum, vmull_s8(vget_low_s8(x), vget_low_s8(y)));
        sum = vpadalq_s16(sum, vmull_s8(vget_high_s8(x), vget_high_s8(y)));
    }
    int32_t total = vaddvq_s32(sum);
    for (; i < n; i++) total += a[i] * b[i];
    return total;
}

#endif
