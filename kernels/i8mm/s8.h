/* s8.h (NEON with the matrix extension for integers) - smmla: multiplies two rows of eight
 * activations by the weights of two outputs and adds to four int32. Activations are stored as in
 * dotprod/s8.h, with 128 subtracted. */
#ifndef EG_I8MM_S8_H
#define EG_I8MM_S8_H

#include <arm_neon.h>

#include "kernels/dotprod/put.h"

#define ISA_S8_GROUP 8
#define ISA_S8_PAD 8
#define ISA_S8_VECTORS 1
#define ISA_S8_ROWS 4
#define ISA_S8_ROWS_TOGETHER 2
#define ISA_S8_CENTRED 0
#define ISA_S8_OFFSET 128.0f

typedef int8_t s8_input;
/* Outputs 2i and 2i + 1 of the upper row, then of the lower one, in q[i]. */
typedef struct i16x {
    int32x4_t q[8];
} i16x;
typedef const int8_t *s8_weights; /* loaded in s8_dot */
typedef int8x16_t s8_inputs;

static inline i16x i16x_zero(void) {
    int32x4_t z = vdupq_n_s32(0);
    return (i16x){{z, z, z, z, z, z, z, z}};
}
static inline s8_weights s8_load(const int8_t *p) { return p; }
static inline s8_inputs s8_splat_rows(const s8_input *upper, const s8_input *lower) {
    return vcombine_s8(vld1_s8(upper), vld1_s8(lower));
}
static inline i16x s8_dot(i16x acc, s8_inputs x, s8_weights w) {
#pragma GCC unroll 8
    for (size_t i = 0; i < 8; i++) acc.q[i] = vmmlaq_s32(acc.q[i], x, vld1q_s8(w + 16 * i));
    return acc;
}
static inline float32x4_t s8_four(int32x4_t a, int32x4_t b, size_t row) {
    int64x2_t x = vreinterpretq_s64_s32(a), y = vreinterpretq_s64_s32(b);
    return vcvtq_f32_s32(vreinterpretq_s32_s64(row ? vuzp2q_s64(x, y) : vuzp1q_s64(x, y)));
}
static inline v16 s8_row_of(i16x x, size_t row) {
    return (v16){s8_four(x.q[0], x.q[1], row), s8_four(x.q[2], x.q[3], row), s8_four(x.q[4], x.q[5], row),
                 s8_four(x.q[6], x.q[7], row)};
}

#endif
