/* lanes.h (scalar) - 16 lanes as 16 floats, one operation after the other: what every other ISA must equal. */
#ifndef EG_SCALAR_LANES_H
#define EG_SCALAR_LANES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PANEL_VECTORS 1
#define ROWS 4
#define TURN 1

typedef struct v16 {
    float f[16];
} v16;

#define EACH(expression)                                   \
    v16 y;                                                 \
    for (size_t i = 0; i < 16; i++) y.f[i] = (expression); \
    return y

static inline v16 v16_set(float x) { EACH(x); }
static inline v16 v16_load(const float *p) { EACH(p[i]); }
static inline v16 v16_load_n_or(const float *p, size_t n, float other) { EACH(i < n ? p[i] : other); }
static inline v16 v16_load_n(const float *p, size_t n) { return v16_load_n_or(p, n, 0); }
static inline void v16_store(float *p, v16 x) { memcpy(p, x.f, sizeof x.f); }
static inline void v16_store_n(float *p, size_t n, v16 x) { memcpy(p, x.f, n * sizeof *p); }
static inline v16 v16_keep_n(v16 x, size_t n) { EACH(i < n ? x.f[i] : 0.0f); }
static inline v16 v16_add(v16 a, v16 b) { EACH(a.f[i] + b.f[i]); }
static inline v16 v16_sub(v16 a, v16 b) { EACH(a.f[i] - b.f[i]); }
static inline v16 v16_mul(v16 a, v16 b) { EACH(a.f[i] * b.f[i]); }
static inline v16 v16_div(v16 a, v16 b) { EACH(a.f[i] / b.f[i]); }
static inline v16 v16_fma(v16 a, v16 b, v16 c) { EACH(fmaf(a.f[i], b.f[i], c.f[i])); }
static inline v16 v16_max(v16 a, v16 b) { EACH(a.f[i] > b.f[i] ? a.f[i] : b.f[i]); }
static inline v16 v16_min(v16 a, v16 b) { EACH(a.f[i] < b.f[i] ? a.f[i] : b.f[i]); }
static inline v16 v16_abs(v16 a) { EACH(fabsf(a.f[i])); }
static inline v16 v16_round(v16 a) { EACH(rintf(a.f[i])); }
/* where x is negative (its sign bit is set) a, else b */
static inline v16 v16_select_negative(v16 x, v16 a, v16 b) { EACH(signbit(x.f[i]) ? a.f[i] : b.f[i]); }

/* x * 2^n for whole n in [-126, 127], by way of the exponent field of 2^n */
static inline float power_of_two(float n) {
    uint32_t bits = (uint32_t)((int32_t)n + 127) << 23;
    float p;
    memcpy(&p, &bits, sizeof p);
    return p;
}
static inline v16 v16_scale2(v16 x, v16 n) { EACH(x.f[i] * power_of_two(n.f[i])); }

/* 16 bf16, the upper halves of floats */
static inline v16 v16_widen(const uint16_t *p) {
    v16 y;
    for (size_t i = 0; i < 16; i++) {
        uint32_t bits = (uint32_t)p[i] << 16;
        memcpy(&y.f[i], &bits, sizeof bits);
    }
    return y;
}
/* to the nearest bf16, ties to even; the lower halves are 0. The NaN that arithmetic makes stays one. */
static inline v16 v16_to_bf16(v16 x) {
    for (size_t i = 0; i < 16; i++) {
        uint32_t bits;
        memcpy(&bits, &x.f[i], sizeof bits);
        bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
        memcpy(&x.f[i], &bits, sizeof bits);
    }
    return x;
}

/* The fixed tree: 16 -> 8 -> 4 -> 2 -> 1, the upper half onto the lower. */
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
