/* pack.c - the packed form of f32 weights: panels of panel_width outputs, in the order of k, so
 * that a micro-kernel reads memory in one stream. Only the width differs between ISAs. Also the
 * quantising of weights to s8, and the size of attention's scratch. */
#include <math.h>

#include "core/base/size.h"
#include "kernels/kernels.h"

size_t eg_gemm_packed_size(const eg_kernels *k, size_t N, size_t K) {
    size_t padded, size;
    if (!eg_size_round_up(N, k->panel_width, &padded) || !eg_size_mul(padded, K, &size)) return 0;
    return size;
}

void eg_gemm_pack(const eg_kernels *k, size_t N, size_t K, size_t n0, size_t rows, const float *W, size_t ld, float *packed) {
    size_t width = k->panel_width;
    for (size_t r = 0; r < rows; r++) {
        size_t n = n0 + r;
        float *to = packed + n / width * width * K + n % width;
        for (size_t i = 0; i < K; i++) to[i * width] = W[r * ld + i];
    }
    if (n0 + rows != N || N % width == 0) return;
    for (size_t n = N; n % width != 0; n++) { /* the outputs of the last panel that do not exist */
        float *to = packed + n / width * width * K + n % width;
        for (size_t i = 0; i < K; i++) to[i * width] = 0;
    }
}

void eg_s8_quantize_weights(const float *w, size_t K, int8_t *out, float *scales) {
    for (size_t from = 0; from < K; from += 128) {
        size_t n = K - from < 128 ? K - from : 128;
        float greatest = 0;
        for (size_t i = from; i < from + n; i++) greatest = fabsf(w[i]) > greatest ? fabsf(w[i]) : greatest;
        float inverse = greatest > 1e-30f ? 127.0f / greatest : 0;
        scales[from / 128] = inverse > 0 ? greatest / 127.0f : 0;
        for (size_t i = from; i < from + n; i++) out[i] = (int8_t)rintf(w[i] * inverse);
    }
}

size_t eg_attention_scratch(size_t length, size_t head_size, size_t span) {
    size_t padded, rows, size, gathered, count;
    if (!eg_size_round_up(length, 16, &padded) || !eg_size_add(head_size, EG_ATTENTION_ROWS, &rows) ||
        !eg_size_mul(padded, rows, &size) || !eg_size_add(length, EG_ATTENTION_ROWS, &count) ||
        !eg_size_mul(count, 2 * span, &gathered) || !eg_size_add(size, gathered, &size))
        return 0;
    return size;
}
