/* s8.h (NEON) - weights are widened to 16 bits when they are loaded, activations are centred. */
#ifndef EG_NEON_S8_H
#define EG_NEON_S8_H

#include <arm_neon.h>

#include "kernels/neon/lanes.h"

#define ISA_S8_GROUP 2
#define ISA_S8_VECTORS 1
#define ISA_S8_ROWS 4
#define ISA_S8_CENTRED 1
#define ISA_S8_OFFSET 0.0f

typedef int16_t s8_input;
typedef struct i16x {
    int32x4_t q0, q1, q2, q3;
} i16x;
typedef struct s8_weights {
    int16x8_t low0, high0, low1, high1; /* outputs 0..7 and 8..15 of input 0, then of input 1 */
} s8_weights;
typedef struct s8_inputs {
    int16_t x0, x1;
} s8_inputs;

static inline i16x i16x_zero(void) {
    int32x4_t z = vdupq_n_s32(0);
    return (i16x){z, z, z, z};
}
static inline s8_weights s8_load(const int8_t *p) {
    int8x16x2_t w = vld2q_s8(p);
    return (s8_weights){vmovl_s8(vget_low_s8(w.val[0])), vmovl_high_s8(w.val[0]), vmovl_s8(vget_low_s8(w.val[1])),
                        vmovl_high_s8(w.val[1])};
}
static inline s8_inputs s8_splat(const s8_input *p) { return (s8_inputs){p[0], p[1]}; }
static inline i16x s8_dot(i16x acc, s8_inputs x, s8_weights w) {
    acc.q0 = vmlal_n_s16(vmlal_n_s16(acc.q0, vget_low_s16(w.low0), x.x0), vget_low_s16(w.low1), x.x1);
    acc.q1 = vmlal_high_n_s16(vmlal_high_n_s16(acc.q1, w.low0, x.x0), w.low1, x.x1);
    acc.q2 = vmlal_n_s16(vmlal_n_s16(acc.q2, vget_low_s16(w.high0), x.x0), vget_low_s16(w.high1), x.x1);
    acc.q3 = vmlal_high_n_s16(vmlal_high_n_s16(acc.q3, w.high0, x.x0), w.high1, x.x1);
    return acc;
}
static inline v16 i16x_to_v16(i16x x) {
    return (v16){vcvtq_f32_s32(x.q0), vcvtq_f32_s32(x.q1), vcvtq_f32_s32(x.q2), vcvtq_f32_s32(x.q3)};
}
static inline void s8_put(s8_input *p, v16 q) {
    vst1q_s16(p, vcombine_s16(vmovn_s32(vcvtq_s32_f32(q.q0)), vmovn_s32(vcvtq_s32_f32(q.q1))));
    vst1q_s16(p + 8, vcombine_s16(vmovn_s32(vcvtq_s32_f32(q.q2)), vmovn_s32(vcvtq_s32_f32(q.q3))));
}

#endif
