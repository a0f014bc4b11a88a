/* bf16.h (NEON with the instructions for bfloat16) - bfdot: onto each sum the products of a pair, rounded to odd; subnormal
 * numbers count as 0. The control word that eg_fp_enter sets leaves out the extension that rounds otherwise. */
#ifndef EG_I8MM_BF16_H
#define EG_I8MM_BF16_H

#include <arm_neon.h>

#define BF16_GROUP 2

static inline float32x4_t pairs_onto(float32x4_t acc, float32x4_t x, float32x4_t w) {
    return vbfdotq_f32(acc, vreinterpretq_bf16_f32(x), vreinterpretq_bf16_f32(w));
}
static inline v16 bf16_dot(v16 acc, v16 x, v16 w) {
    return (v16){pairs_onto(acc.q0, x.q0, w.q0), pairs_onto(acc.q1, x.q1, w.q1), pairs_onto(acc.q2, x.q2, w.q2),
                 pairs_onto(acc.q3, x.q3, w.q3)};
}
static inline uint16x8_t upper_halves(float32x4_t low, float32x4_t high) {
    return vcombine_u16(vshrn_n_u32(vreinterpretq_u32_f32(low), 16), vshrn_n_u32(vreinterpretq_u32_f32(high), 16));
}
static inline void bf16_put(void *p, v16 x) {
    v16 y = v16_to_bf16(x);
    vst1q_u16(p, upper_halves(y.q0, y.q1));
    vst1q_u16((uint16_t *)p + 8, upper_halves(y.q2, y.q3));
}

#endif
