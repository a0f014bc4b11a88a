/* bandwidth.c - see bandwidth.h. Eight independent chains of xor over vectors, so that only the
 * loads take time. */
#include "bench/bandwidth.h"

#include <stdint.h>
#include <unistd.h>

#include "bench/machine.h"

enum { STEP = 512 /* bytes that one iteration of the loop reads */, MAX_RUNS = 16 };

typedef uint64_t v64 __attribute__((vector_size(64)));
typedef uint64_t v32 __attribute__((vector_size(32)));
typedef uint64_t v16 __attribute__((vector_size(16)));

#define READ_BODY(type)                                                                                   \
    type sum[8] = {{0}};                                                                                  \
    for (const char *end = p + bytes; p < end; p += 8 * sizeof(type)) {                                   \
        _Pragma("GCC unroll 8") for (int i = 0; i < 8; i++) sum[i] ^= ((const type *)(const void *)p)[i]; \
    }                                                                                                     \
    for (int i = 1; i < 8; i++) sum[0] ^= sum[i];                                                         \
    return sum[0][0]

#if defined(__x86_64__)
__attribute__((noipa, target("avx512f"), optimize("O3"))) static uint64_t read_64(const char *p, size_t bytes) { READ_BODY(v64); }
__attribute__((noipa, target("avx2"), optimize("O3"))) static uint64_t read_32(const char *p, size_t bytes) { READ_BODY(v32); }
#endif
__attribute__((noipa, optimize("O3"))) static uint64_t read_16(const char *p, size_t bytes) { READ_BODY(v16); }

static uint64_t (*reader_of(eg_isa isa))(const char *, size_t) {
#if defined(__x86_64__)
    if (isa == EG_ISA_AVX512 || isa == EG_ISA_AVX512VNNI || isa == EG_ISA_AVX512BF16 || isa == EG_ISA_AMX) return read_64;
    if (isa == EG_ISA_AVX2 || isa == EG_ISA_AVXVNNI) return read_32;
#endif
    (void)isa;
    return read_16;
}

size_t eg_bench_cache(int level) {
    long bytes = sysconf(level == 2 ? _SC_LEVEL2_CACHE_SIZE : _SC_LEVEL3_CACHE_SIZE);
    return bytes > 0 ? (size_t)bytes : 0;
}

double eg_bench_read_rate(eg_isa isa, const void *data, size_t bytes, size_t runs, double seconds) {
    uint64_t (*reader)(const char *, size_t) = reader_of(isa);
    double rates[MAX_RUNS];
    bytes = bytes / STEP * STEP;
    runs = runs < MAX_RUNS ? runs : MAX_RUNS;
    volatile uint64_t keep = reader(data, bytes);
    for (size_t r = 0; r < runs; r++) {
        double begun = eg_bench_seconds(), took;
        /* the clock is read once for each MiB */
        size_t times = 0, at_once = bytes < 1 << 20 ? (1 << 20) / bytes : 1;
        do {
            for (size_t i = 0; i < at_once; i++) keep = reader(data, bytes);
            times += at_once;
            took = eg_bench_seconds() - begun;
        } while (took < seconds || took <= 0);
        rates[r] = (double)bytes * (double)times / took / 1e9;
    }
    (void)keep;
    return eg_bench_quantile(rates, runs, 0.5);
}

double eg_bench_roofline(double peak, double rate, double operations, size_t bytes) {
    double by_reading = bytes ? rate * operations / (double)bytes : 0;
    return by_reading > 0 && by_reading < peak ? by_reading : peak;
}
