/* lanes.h (scalar) - 16 lanes as 16 floats, computed one after the other: the reference for the
 * bits of all other ISAs. */
#ifndef EG_SCALAR_LANES_H
#define EG_SCALAR_LANES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ISA_PANEL_VECTORS 1
#define ISA_F32_ROWS 4
#define ISA_UNROLL 1

typedef struct v16 {
    float f[16];
} v16;

#define EACH_LANE(expression)                              \
    v16 y;                                                 \
    for (size_t i = 0; i < 16; i++) y.f[i] = (expression); \
    return y

static inline v16 v16_set(float x) { EACH_LANE(x); }
static inline v16 v16_load(const float *p) { EACH_LANE(p[i]); }
static inline v16 v16_load_n_or(const float *p, size_t n, float other) { EACH_LANE(i < n ? p[i] : other); }
static inline v16 v16_load_n(const float *p, size_t n) { return v16_load_n_or(p, n, 0); }
static inline void v16_store(float *p, v16 x) { memcpy(p, x.f, sizeof x.f); }
static inline void v16_store_n(float *p, size_t n, v16 x) { memcpy(p, x.f, n * sizeof *p); }
static inline v16 v16_keep_n(v16 x, size_t n) { EACH_LANE(i < n ? x.f[i] : 0.0f); }
static inline v16 v16_add(v16 a, v16 b) { EACH_LANE(a.f[i] + b.f[i]); }
static inline v16 v16_sub(v16 a, v16 b) { EACH_LANE(a.f[i] - b.f[i]); }
static inline v16 v16_mul(v16 a, v16 b) { EACH_LANE(a.f[i] * b.f[i]); }
static inline v16 v16_div(v16 a, v16 b) { EACH_LANE(a.f[i] / b.f[i]); }
static inline v16 v16_fma(v16 a, v16 b, v16 c) { EACH_LANE(fmaf(a.f[i], b.f[i], c.f[i])); }
static inline v16 v16_max(v16 a, v16 b) { EACH_LANE(a.f[i] > b.f[i] ? a.f[i] : b.f[i]); }
static inline v16 v16_min(v16 a, v16 b) { EACH_LANE(a.f[i] < b.f[i] ? a.f[i] : b.f[i]); }
static inline v16 v16_abs(v16 a) { EACH_LANE(fabsf(a.f[i])); }
static inline v16 v16_round(v16 a) { EACH_LANE(rintf(a.f[i])); }
/* a where the sign bit of x is set, else b */
static inline v16 v16_select_negative(v16 x, v16 a, v16 b) { EACH_LANE(signbit(x.f[i]) ? a.f[i] : b.f[i]); }

/* 2^n for whole n in [-126, 127], through its exponent field */
static inline float power_of_two(float n) {
    uint32_t bits = (uint32_t)((int32_t)n + 127) << 23;
    float p;
    memcpy(&p, &bits, sizeof p);
    return p;
}
/* x * 2^n, n whole and in [-126, 127] */
static inline v16 v16_scale2(v16 x, v16 n) { EACH_LANE(x.f[i] * power_of_two(n.f[i])); }

/* 16 bf16, the upper halves of floats, to floats */
static inline v16 v16_widen(const uint16_t *p) {
    v16 y;
    for (size_t i = 0; i < 16; i++) {
        uint32_t bits = (uint32_t)p[i] << 16;
        memcpy(&y.f[i], &bits, sizeof bits);
    }
    return y;
}
/* To the nearest bf16, ties to even, as floats whose lower half is 0. The NaN that arithmetic
 * produces stays a NaN. */
static inline v16 v16_to_bf16(v16 x) {
    for (size_t i = 0; i < 16; i++) {
        uint32_t bits;
        memcpy(&bits, &x.f[i], sizeof bits);
        bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
        memcpy(&x.f[i], &bits, sizeof bits);
    }
    return x;
}

#undef EACH_LANE

/* The sum of the lanes in a fixed order, 16 -> 8 -> 4 -> 2 -> 1: the upper half is added to the
 * lower half. */
static inline float v16_sum(v16 x) {
    for (size_t half = 8; half > 0; half /= 2)
        for (size_t i = 0; i < half; i++) x.f[i] = x.f[i] + x.f[i + half];
    return x.f[0];
}
static inline float v16_max_lane(v16 x) {
    for (size_t half = 8; half > 0; half /= 2)
        for (size_t i = 0; i < half; i++) x.f[i] = x.f[i] > x.f[i + half] ? x.f[i] : x.f[i + half];
    return x.f[0];
}

static inline int32_t dot_s8(const int8_t *a, const int8_t *b, size_t n) {
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

#endif
