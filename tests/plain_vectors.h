/* plain_vectors.h - what a host tells of vectors (eg_services), written plainly, for tests that have no kernels. */
#ifndef EG_TEST_PLAIN_VECTORS_H
#define EG_TEST_PLAIN_VECTORS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

static inline void plain_quantize_s8(void *host, const float *x, size_t n, int8_t *out, float *scale) {
    (void)host;
    float most = 1e-12f;
    for (size_t i = 0; i < n; i++) most = fabsf(x[i]) > most ? fabsf(x[i]) : most;
    *scale = most / 127;
    for (size_t i = 0; i < n; i++) out[i] = (int8_t)lrintf(x[i] / *scale);
}
static inline void plain_scan_s8(void *host, const int8_t *rows, const float *scales, size_t n, size_t dimensions,
                                 const int8_t *q, float q_scale, float *out) {
    (void)host;
    for (size_t i = 0; i < n; i++) {
        int32_t sum = 0;
        for (size_t k = 0; k < dimensions; k++) sum += rows[i * dimensions + k] * q[k];
        out[i] = scales[i] * q_scale * (float)sum;
    }
}
static inline float plain_dot(void *host, const float *a, const float *b, size_t n) {
    (void)host;
    float sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

#endif
