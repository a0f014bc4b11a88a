/* s8.h (scalar) - the sums of small integers, one after the other: the reference for the s8 format.
 */
#ifndef EG_SCALAR_S8_H
#define EG_SCALAR_S8_H

#include <stdint.h>

#include "kernels/scalar/lanes.h"

#define ISA_S8_GROUP 2
#define ISA_S8_VECTORS 1
#define ISA_S8_ROWS 4
#define ISA_S8_CENTRED 1
#define ISA_S8_OFFSET 0.0f

typedef int16_t s8_input;
typedef struct i16x {
    int32_t i[16];
} i16x;
typedef struct s8_weights {
    int32_t w[16][2];
} s8_weights;
typedef struct s8_inputs {
    int32_t x[2];
} s8_inputs;

static inline i16x i16x_zero(void) { return (i16x){{0}}; }
static inline s8_weights s8_load(const int8_t *p) {
    s8_weights w;
    for (size_t i = 0; i < 16; i++) w.w[i][0] = p[2 * i], w.w[i][1] = p[2 * i + 1];
    return w;
}
static inline s8_inputs s8_splat(const s8_input *p) { return (s8_inputs){{p[0], p[1]}}; }
static inline i16x s8_dot(i16x acc, s8_inputs x, s8_weights w) {
    for (size_t i = 0; i < 16; i++) acc.i[i] += x.x[0] * w.w[i][0] + x.x[1] * w.w[i][1];
    return acc;
}
static inline v16 i16x_to_v16(i16x x) {
    v16 y;
    for (size_t i = 0; i < 16; i++) y.f[i] = (float)x.i[i];
    return y;
}
static inline void s8_put(s8_input *p, v16 q) {
    for (size_t i = 0; i < 16; i++) p[i] = (s8_input)q.f[i];
}

#endif
