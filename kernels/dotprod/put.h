/* put.h - stores 16 quantised activations, whole numbers in [-128, 127], as bytes. For dotprod/s8.h
 * and i8mm/s8.h. */
#ifndef EG_DOTPROD_PUT_H
#define EG_DOTPROD_PUT_H

#include <arm_neon.h>

#include "kernels/neon/lanes.h"

static inline void s8_put(int8_t *p, v16 q) {
    int16x8_t low = vcombine_s16(vmovn_s32(vcvtq_s32_f32(q.q0)), vmovn_s32(vcvtq_s32_f32(q.q1)));
    int16x8_t high = vcombine_s16(vmovn_s32(vcvtq_s32_f32(q.q2)), vmovn_s32(vcvtq_s32_f32(q.q3)));
    vst1q_s8(p, vcombine_s8(vmovn_s16(low), vmovn_s16(high)));
}

#endif
