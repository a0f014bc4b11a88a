/* peak.c - see peak.h. 12 independent chains of multiply-adds in registers: enough for a latency of
 * 5 cycles and two units, and few enough for 16 registers. */
#include "bench/peak.h"

#include "bench/machine.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/* TILE_SHARE: cycles of an instruction on tiles */
enum { CHAINS = 12, LOOPS = 200000, RUNS = 9, TILE_SHARE = 16 };

#define CHAIN_BODY(type, set, fma, store, width)                                                                              \
    type acc[CHAINS], x = set(0.999f), y = set(1e-4f);                                                                        \
    for (int c = 0; c < CHAINS; c++) acc[c] = set((float)c);                                                                  \
    for (int i = 0; i < LOOPS; i++) { _Pragma("GCC unroll 12") for (int c = 0; c < CHAINS; c++) acc[c] = fma(acc[c], x, y); } \
    float out[width], sum = 0;                                                                                                \
    for (int c = 0; c < CHAINS; c++) {                                                                                        \
        store(out, acc[c]);                                                                                                   \
        sum += out[0];                                                                                                        \
    }                                                                                                                         \
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
#define PAIRS_128(a, x, y)                                                                                \
    __extension__({                                                                                       \
        __asm__ volatile(".arch_extension bf16\n\tbfdot %0.4s, %1.8h, %2.8h" : "+w"(a) : "w"(x), "w"(y)); \
        a;                                                                                                \
    })
__attribute__((noipa, optimize("O3"))) static float pairs_neon(void) {
    CHAIN_BODY(float32x4_t, vdupq_n_f32, PAIRS_128, vst1q_f32, 4);
}
#endif

/* Sums of small integers: each chain is a variable, since gcc keeps an array that assembler writes
 * to in memory. */
#define DOT_BODY(type, zero, set, dot, store)                                                   \
    type a = zero, b = a, c = a, d = a, e = a, f = a, g = a, h = a, k = a, l = a, m = a, n = a; \
    type x = set(0x01020304), y = set(0x04030201);                                              \
    for (int i = 0; i < LOOPS; i++) {                                                           \
        dot(a, x, y), dot(b, x, y), dot(c, x, y), dot(d, x, y), dot(e, x, y), dot(f, x, y);     \
        dot(g, x, y), dot(h, x, y), dot(k, x, y), dot(l, x, y), dot(m, x, y), dot(n, x, y);     \
    }                                                                                           \
    type all[CHAINS] = {a, b, c, d, e, f, g, h, k, l, m, n};                                    \
    uint32_t out[16], sum = 0; /* wraps around */                                               \
    for (int i = 0; i < CHAINS; i++) {                                                          \
        store((void *)out, all[i]);                                                             \
        sum += out[0];                                                                          \
    }                                                                                           \
    return (float)sum

#if defined(__x86_64__)
#define MADD(acc, x, y, type, kind)                                                                                          \
    __extension__({                                                                                                          \
        type product;                                                                                                        \
        __asm__ volatile("vpmaddwd %2, %3, %0\n\tvpaddd %0, %1, %1" : "=&" kind(product), "+" kind(acc) : kind(y), kind(x)); \
    })
#define MADD_256(acc, x, y) MADD(acc, x, y, __m256i, "x")
#define MADD_512(acc, x, y) MADD(acc, x, y, __m512i, "v")
#define VNNI_256(acc, x, y) __extension__({ __asm__ volatile("%{vex%} vpdpbusd %1, %2, %0" : "+x"(acc) : "x"(y), "x"(x)); })
#define VNNI_512(acc, x, y) __extension__({ __asm__ volatile("vpdpbusd %1, %2, %0" : "+v"(acc) : "v"(y), "v"(x)); })
__attribute__((noipa, target("avx2"), optimize("O3"))) static float dot_avx2(void) {
    DOT_BODY(__m256i, _mm256_setzero_si256(), _mm256_set1_epi32, MADD_256, _mm256_storeu_si256);
}
__attribute__((noipa, target("avx2"), optimize("O3"))) static float dot_avxvnni(void) {
    DOT_BODY(__m256i, _mm256_setzero_si256(), _mm256_set1_epi32, VNNI_256, _mm256_storeu_si256);
}
__attribute__((noipa, target("avx512bw"), optimize("O3"))) static float dot_avx512(void) {
    DOT_BODY(__m512i, _mm512_setzero_si512(), _mm512_set1_epi32, MADD_512, _mm512_storeu_si512);
}
__attribute__((noipa, target("avx512bw"), optimize("O3"))) static float dot_avx512vnni(void) {
    DOT_BODY(__m512i, _mm512_setzero_si512(), _mm512_set1_epi32, VNNI_512, _mm512_storeu_si512);
}
#define PAIRS_512(acc, x, y) __extension__({ __asm__ volatile("vdpbf16ps %1, %2, %0" : "+v"(acc) : "v"(y), "v"(x)); })
__attribute__((noipa, target("avx512bw"), optimize("O3"))) static float dot_avx512bf16(void) {
    DOT_BODY(__m512i, _mm512_setzero_si512(), _mm512_set1_epi32, PAIRS_512, _mm512_storeu_si512);
}
/* AMX: six tiles of sums, 6, the inputs, and 7, the weights. Tiles are configured as 16 rows of 64
 * bytes: palette 1, bytes of a row from byte 16, rows from byte 48. */
#define TILES_DOT(instruction)                                                                                       \
    __asm__ volatile(instruction " %%tmm7, %%tmm6, %%tmm0\n\t" instruction " %%tmm7, %%tmm6, %%tmm1\n\t" instruction \
                                 " %%tmm7, %%tmm6, %%tmm2\n\t" instruction " %%tmm7, %%tmm6, %%tmm3\n\t" instruction \
                                 " %%tmm7, %%tmm6, %%tmm4\n\t" instruction " %%tmm7, %%tmm6, %%tmm5"                 \
                     :                                                                                               \
                     :)
static inline __attribute__((always_inline)) float dot_tiles(const int bf16) {
    uint8_t config[64] = {1};
    _Alignas(64) int32_t out[16][16];
    for (size_t t = 0; t < 8; t++) config[16 + 2 * t] = 64, config[48 + t] = 16;
    __asm__ volatile("ldtilecfg %0\n\t"
                     "tilezero %%tmm0\n\ttilezero %%tmm1\n\ttilezero %%tmm2\n\ttilezero %%tmm3\n\t"
                     "tilezero %%tmm4\n\ttilezero %%tmm5\n\ttilezero %%tmm6\n\ttilezero %%tmm7"
                     :
                     : "m"(config));
    for (int i = 0; i < LOOPS * CHAINS / 6 / TILE_SHARE; i++)
        if (bf16) TILES_DOT("tdpbf16ps");
        else TILES_DOT("tdpbusd");
    __asm__ volatile("tilestored %%tmm0, (%0,%1,1)\n\ttilerelease" : : "r"(out), "r"((size_t)64) : "memory");
    return (float)out[0][0];
}
__attribute__((noipa, optimize("O3"))) static float dot_amx(void) { return dot_tiles(0); }
__attribute__((noipa, optimize("O3"))) static float dot_amx_bf16(void) { return dot_tiles(1); }
#endif

/* A loop and the multiply-adds of one step of one chain. */
typedef struct probe {
    float (*run)(void);
    double lanes;
} probe;

static probe probe_f32(eg_isa isa) {
#if defined(__x86_64__)
    if (isa == EG_ISA_AVX512 || isa == EG_ISA_AVX512VNNI || isa == EG_ISA_AVX512BF16 || isa == EG_ISA_AMX)
        return (probe){run_avx512, 16};
    if (isa == EG_ISA_AVX2 || isa == EG_ISA_AVXVNNI) return (probe){run_avx2, 8};
#elif defined(__aarch64__)
    if (isa == EG_ISA_NEON || isa == EG_ISA_DOTPROD || isa == EG_ISA_I8MM) return (probe){run_neon, 4};
#endif
    (void)isa;
    return (probe){0};
}

static probe probe_s8(eg_isa isa) {
#if defined(__x86_64__)
    if (isa == EG_ISA_AVX2) return (probe){dot_avx2, 16};
    if (isa == EG_ISA_AVXVNNI) return (probe){dot_avxvnni, 32};
    if (isa == EG_ISA_AVX512) return (probe){dot_avx512, 32};
    if (isa == EG_ISA_AVX512VNNI || isa == EG_ISA_AVX512BF16) return (probe){dot_avx512vnni, 64};
    if (isa == EG_ISA_AMX) return (probe){dot_amx, 16 * 16 * 64.0 / TILE_SHARE};
#endif
    (void)isa;
    return (probe){0};
}

static probe probe_bf16(eg_isa isa) {
#if defined(__x86_64__)
    if (isa == EG_ISA_AVX512BF16) return (probe){dot_avx512bf16, 32};
    if (isa == EG_ISA_AMX) return (probe){dot_amx_bf16, 16 * 16 * 32.0 / TILE_SHARE};
#elif defined(__aarch64__)
    if (isa == EG_ISA_I8MM) return (probe){pairs_neon, 8};
#endif
    return probe_f32(isa); /* no instruction of its own */
}

double eg_bench_peak_now(eg_isa isa, eg_format format) {
    probe p = format == EG_FORMAT_S8 ? probe_s8(isa) : format == EG_FORMAT_BF16 ? probe_bf16(isa) : probe_f32(isa);
    if (!p.run) return 0;
    double begun = eg_bench_seconds();
    volatile float keep = p.run();
    (void)keep;
    return 2.0 * p.lanes * CHAINS * LOOPS / (eg_bench_seconds() - begun) / 1e9;
}

double eg_bench_peak(eg_isa isa, eg_format format) {
    double rates[RUNS];
    (void)eg_bench_peak_now(isa, format); /* warms up */
    for (int i = 0; i < RUNS; i++) rates[i] = eg_bench_peak_now(isa, format);
    return eg_bench_quantile(rates, RUNS, 0.5);
}
