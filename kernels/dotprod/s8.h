/* s8.h (NEON with the dot product extension) - sdot: adds four products of signed bytes to each
 * int32; activations are stored with 128 subtracted. */
#ifndef EG_DOTPROD_S8_H
#define EG_DOTPROD_S8_H

#include <arm_neon.h>
#include <string.h>

#include "kernels/dotprod/put.h"

#define ISA_S8_GROUP 4
#define ISA_S8_VECTORS 1
#define ISA_S8_ROWS 6
#define ISA_S8_CENTRED 0
#define ISA_S8_OFFSET 128.0f

typedef int8_t s8_input;
typedef struct i16x {
    int32x4_t q0, q1, q2, q3;
} i16x;
typedef struct s8_weights {
    int8x16_t q0, q1, q2, q3;
} s8_weights;
typedef int8x16_t s8_inputs;

static inline i16x i16x_zero(void) {
    int32x4_t z = vdupq_n_s32(0);
    return (i16x){z, z, z, z};
}
static inline s8_weights s8_load(const int8_t *p) {
    return (s8_weights){vld1q_s8(p), vld1q_s8(p + 16), vld1q_s8(p + 32), vld1q_s8(p + 48)};
}
static inline s8_inputs s8_splat(const s8_input *p) {
    int32_t four;
    memcpy(&four, p, sizeof four);
    return vreinterpretq_s8_s32(vdupq_n_s32(four));
}
static inline i16x s8_dot(i16x acc, s8_inputs x, s8_weights w) {
    return (i16x){vdotq_s32(acc.q0, w.q0, x), vdotq_s32(acc.q1, w.q1, x), vdotq_s32(acc.q2, w.q2, x), vdotq_s32(acc.q3, w.q3, x)};
}
static inline v16 i16x_to_v16(i16x x) {
    return (v16){vcvtq_f32_s32(x.q0), vcvtq_f32_s32(x.q1), vcvtq_f32_s32(x.q2), vcvtq_f32_s32(x.q3)};
}

#endif
