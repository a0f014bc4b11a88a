/* dispatch.c - which level runs: the CPU's features, checked with what the operating system saves (XGETBV), or the
 * level that somebody names. Reads as a staircase: the first missing feature ends the climb. */
#include <stdlib.h>

#include "core/base/status.h"
#include "kernels/levels.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

/* XCR0: which register files the operating system saves; read by instruction, since compilers ask for -mxsave. */
static uint64_t saved_state(void) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static size_t climb(const eg_kernels **out) {
    enum { YMM = 0x6, ZMM = 0xe6, TILES = 0x60000, AMX = 1 << 22 | 1 << 24 | 1 << 25 /* leaf 7, EDX: bf16, tiles, int8 */ };
    enum { AVXVNNI = 1 << 4, AVX512BF16 = 1 << 5 /* leaf 7.1, EAX */ };
    size_t n = 0;
    uint32_t a, b, c, d, b7, c7, d7, leaves, a71 = 0;
    out[n++] = &eg_kernels_scalar;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return n;
    if (!(c & bit_OSXSAVE) || !(c & bit_AVX) || !(c & bit_FMA) || !(c & bit_F16C)) return n;
    uint64_t saved = saved_state();
    if ((saved & YMM) != YMM) return n;
    if (!__get_cpuid_count(7, 0, &leaves, &b7, &c7, &d7) || !(b7 & bit_AVX2)) return n;
    out[n++] = &eg_kernels_avx2;
    if (leaves >= 1) __get_cpuid_count(7, 1, &a71, &b, &c, &d);
    if (a71 & AVXVNNI) out[n++] = &eg_kernels_avxvnni;
    if ((saved & ZMM) != ZMM) return n;
    const uint32_t needed = bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
    if ((b7 & needed) != needed) return n;
    out[n++] = &eg_kernels_avx512;
    if (!(c7 & bit_AVX512VNNI)) return n;
    out[n++] = &eg_kernels_avx512vnni;
    if (a71 & AVX512BF16) out[n++] = &eg_kernels_avx512bf16;
    if ((d7 & AMX) == AMX && (saved & TILES) == TILES) out[n++] = &eg_kernels_amx;
    return n;
}
#elif defined(__aarch64__)
#include <sys/auxv.h>

static size_t climb(const eg_kernels **out) {
    enum { ASIMDDP = 1 << 20 /* HWCAP */, I8MM = 1 << 13 | 1 << 14 /* HWCAP2: and bf16; no CPU has one alone */ };
    out[0] = &eg_kernels_scalar;
    out[1] = &eg_kernels_neon; /* part of the architecture */
    if (!(getauxval(AT_HWCAP) & ASIMDDP)) return 2;
    out[2] = &eg_kernels_dotprod;
    if ((getauxval(AT_HWCAP2) & I8MM) != I8MM) return 3;
    out[3] = &eg_kernels_i8mm;
    return 4;
}
#else
static size_t climb(const eg_kernels **out) {
    out[0] = &eg_kernels_scalar;
    return 1;
}
#endif

/* Linux lets a process use tiles when it has asked (since 5.16), since saving them takes 8 KB more a thread. */
static int permitted(const eg_kernels *k) {
#if defined(__x86_64__)
    enum { ARCH_REQ_XCOMP_PERM = 0x1023, XTILEDATA = 18 };
    if (k->level == EG_LEVEL_AMX) return syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XTILEDATA) == 0;
#endif
    (void)k;
    return 1;
}

enum { MOST_LEVELS = 7, LEVEL_COUNT = EG_LEVEL_AVX512BF16 + 1 };

typedef struct level_entry {
    const char *name;
    int unproven; /* bench/levels.md does not record all of it on such a CPU yet: runs by name only */
} level_entry;
static const level_entry entries[LEVEL_COUNT] = {
    [EG_LEVEL_AUTO] = {"auto", 0},
    [EG_LEVEL_SCALAR] = {"scalar", 0},
    [EG_LEVEL_AVX2] = {"avx2", 0},
    [EG_LEVEL_AVX512] = {"avx512", 0},
    [EG_LEVEL_NEON] = {"neon", 0},
    [EG_LEVEL_AVXVNNI] = {"avxvnni", 0},
    [EG_LEVEL_AVX512VNNI] = {"avx512vnni", 0},
    [EG_LEVEL_DOTPROD] = {"dotprod", 1},
    [EG_LEVEL_AMX] = {"amx", 1},
    [EG_LEVEL_I8MM] = {"i8mm", 1},
    [EG_LEVEL_AVX512BF16] = {"avx512bf16", 0},
};

size_t eg_kernels_available(const eg_kernels **out, size_t most) {
    const eg_kernels *all[MOST_LEVELS];
    size_t n = climb(all), count = 0;
    for (size_t i = 0; i < n && count < most; i++)
        if (permitted(all[i])) out[count++] = all[i];
    return count;
}

const char *eg_level_name(eg_level level) { return (unsigned)level < LEVEL_COUNT ? entries[level].name : "unknown"; }

static eg_status level_of_environment(eg_level *level, eg_error *err) {
    const char *name = getenv("ENGRAM_LEVEL");
    if (!name || !*name) return EG_OK;
    for (int i = EG_LEVEL_AUTO; i < LEVEL_COUNT; i++)
        if (strcmp(name, entries[i].name) == 0) {
            *level = (eg_level)i;
            return EG_OK;
        }
    return eg_fail(
        err, EG_EINVAL,
        "ENGRAM_LEVEL is '%.40s': name auto, scalar, avx2, avxvnni, avx512, avx512vnni, avx512bf16, amx, neon, dotprod or i8mm",
        name);
}

eg_status eg_kernels_select(eg_level level, const eg_kernels **out, eg_error *err) {
    const eg_kernels *all[MOST_LEVELS];
    size_t n = climb(all);
    *out = NULL;
    if ((unsigned)level >= LEVEL_COUNT) return eg_fail(err, EG_EINVAL, "level %d is unknown", (int)level);
    if (level == EG_LEVEL_AUTO) {
        eg_status s = level_of_environment(&level, err);
        if (s != EG_OK) return s;
    }
    if (level == EG_LEVEL_AUTO) {
        while (entries[all[n - 1]->level].unproven || !permitted(all[n - 1])) n--; /* scalar is neither */
        *out = all[n - 1];
        return EG_OK;
    }
    for (size_t i = 0; i < n; i++)
        if (all[i]->level == level) *out = all[i];
    if (*out && permitted(*out)) return EG_OK;
    if (*out) {
        *out = NULL;
        return eg_fail(err, EG_EUNSUPPORTED,
                       "level %s is not allowed by the operating system: Linux 5.16 or newer grants tiles, unless a thread's "
                       "alternative signal stack is too small for them",
                       eg_level_name(level));
    }
    return eg_fail(err, EG_EUNSUPPORTED, "level %s does not run on this CPU: the best here is %s", eg_level_name(level),
                   all[n - 1]->name);
}
