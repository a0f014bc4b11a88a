/* bf16.h (NEON with the instructions for bfloat16) - bfdot: adds the products of a pair to each
 * sum, rounding to odd; subnormal numbers count as 0. eg_fp_enter sets a control word without the
 * extension that would round otherwise. */
#ifndef EG_I8MM_BF16_H
#define EG_I8MM_BF16_H

#include <arm_neon.h>

#include "kernels/neon/lanes.h"

#define ISA_BF16_GROUP 2

static inline float32x4_t add_pairs(float32x4_t acc, float32x4_t x, float32x4_t w) {
    return vbfdotq_f32(acc, vreinterpretq_bf16_f32(x), vreinterpretq_bf16_f32(w));
}
static inline v16 bf16_dot(v16 acc, v16 x, v16 w) {
    return (v16){add_pairs(acc.q0, x.q0, w.q0), add_pairs(acc.q1, x.q1, w.q1), add_pairs(acc.q2, x.q2, w.q2),
                 add_pairs(acc.q3, x.q3, w.q3)};
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
