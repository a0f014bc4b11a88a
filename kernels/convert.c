/* convert.c - half and bfloat16 to float, exact, and float to bfloat16, rounded, by their bits
 * (IEEE 754-2008 binary16; bfloat16 is the upper half of a float). Used when a model is loaded, so
 * speed does not matter. */
#include <string.h>

#include "kernels/kernels.h"

static float from_bits(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static float half(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 0x3ff;
    if (exponent == 31) return from_bits(sign | 0x7f800000 | fraction << 13); /* infinity, NaN */
    if (exponent) return from_bits(sign | (exponent + 112) << 23 | fraction << 13);
    float f = (float)fraction * 0x1p-24f; /* subnormal or zero */
    return sign ? -f : f;
}

void eg_half_to_float(const uint16_t *x, float *out, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] = half(x[i]);
}

void eg_bfloat16_to_float(const uint16_t *x, float *out, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] = from_bits((uint32_t)x[i] << 16);
}

void eg_float_to_bfloat16(const float *x, uint16_t *out, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        out[i] = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
}
