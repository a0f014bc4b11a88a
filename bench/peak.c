/* peak.c - 12 chains (latency 4 or 5 times two units, and few enough for 16 registers) of independent fused multiply-adds that never leave the registers. See peak.h. */
#include "bench/peak.h"

#include "bench/machine.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

enum { CHAINS = 12, LOOPS = 200000, RUNS = 9 };

#define CHAIN_BODY(type, set, fma, store, width)                                                             \
    type acc[CHAINS], x = set(0.999f), y = set(1e-4f);                                                           \
    for (int c = 0; c < CHAINS; c++) acc[c] = set((float)c);                                                     \
    for (int i = 0; i < LOOPS; i++) {                                                                            \
        _Pragma("GCC unroll 12") for (int c = 0; c < CHAINS; c++) acc[c] = fma(acc[c], x, y);                     \
    }                                                                                                            \
    float out[width], sum = 0;                                                                                   \
    for (int c = 0; c < CHAINS; c++) {                                                                           \
        store(out, acc[c]);                                                                                      \
        sum += out[0];                                                                                           \
    }                                                                                                            \
    return sum

#if defined(__x86_64__)
__attribute__((noipa, target("avx512f"), optimize("O3"))) static float run_avx512(void) {
    CHAIN_BODY(__m512, _mm512_set1_ps, _mm512_fmadd_ps, _mm512_storeu_ps, 16);
}
__attribute__((noipa, target("avx2,fma"), optimize("O3"))) static float run_avx2(void) {
    CHAIN_BODY(__m256, _mm256_set1_ps, _mm256_fmadd_ps, _mm256_storeu_ps, 8);
}
#elif defined(__aarch64__)
static float32x4_t fma_neon(float32x4_t a, float32x4_t x, float32x4_t y) { return vfmaq_f32(y, a, x); }
__attribute__((noipa, optimize("O3"))) static float run_neon(void) {
    CHAIN_BODY(float32x4_t, vdupq_n_f32, fma_neon, vst1q_f32, 4);
}
#endif

static double measure(float (*run)(void), double lanes) {
    double rates[RUNS];
    volatile float keep = run();
    for (int i = 0; i < RUNS; i++) {
        double begun = eg_bench_seconds();
        keep = run();
        rates[i] = 2.0 * lanes * CHAINS * LOOPS / (eg_bench_seconds() - begun) / 1e9;
    }
    (void)keep;
    return eg_bench_quantile(rates, RUNS, 0.5);
}

double eg_bench_peak(eg_level level) {
#if defined(__x86_64__)
    if (level == EG_LEVEL_AVX512) return measure(run_avx512, 16);
    if (level == EG_LEVEL_AVX2) return measure(run_avx2, 8);
#elif defined(__aarch64__)
    if (level == EG_LEVEL_NEON) return measure(run_neon, 4);
#endif
    (void)level;
    return 0;
}
