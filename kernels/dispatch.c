/* dispatch.c - which ISA runs: the best that the CPU and the operating system support (CPUID,
 * XGETBV, HWCAP), or one by name. Detection checks one feature after the other and returns at the
 * first that is missing. */
#include <stdlib.h>

#include "core/base/status.h"
#include "kernels/tables.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

/* XCR0: the register files that the operating system saves. In assembler, since the intrinsic needs
 * -mxsave. */
static uint64_t saved_state(void) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static size_t detect(const eg_kernels **out) {
    /* AMX: leaf 7, EDX: bf16, tiles, int8 */
    enum { YMM = 0x6, ZMM = 0xe6, TILES = 0x60000, AMX = 1 << 22 | 1 << 24 | 1 << 25 };
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

static size_t detect(const eg_kernels **out) {
    /* HWCAP; HWCAP2: i8mm and bf16, of which no CPU has only one */
    enum { ASIMDDP = 1 << 20, I8MM = 1 << 13 | 1 << 14 };
    out[0] = &eg_kernels_scalar;
    out[1] = &eg_kernels_neon; /* part of the architecture */
    if (!(getauxval(AT_HWCAP) & ASIMDDP)) return 2;
    out[2] = &eg_kernels_dotprod;
    if ((getauxval(AT_HWCAP2) & I8MM) != I8MM) return 3;
    out[3] = &eg_kernels_i8mm;
    return 4;
}
#else
static size_t detect(const eg_kernels **out) {
    out[0] = &eg_kernels_scalar;
    return 1;
}
#endif

/* Linux (since 5.16) lets a process use AMX tiles after a request, since saving them takes 8 KB
 * more for each thread. */
static int permitted(const eg_kernels *k) {
#if defined(__x86_64__)
    enum { ARCH_REQ_XCOMP_PERM = 0x1023, XTILEDATA = 18 };
    if (k->isa == EG_ISA_AMX) return syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XTILEDATA) == 0;
#endif
    (void)k;
    return 1;
}

enum { MAX_ISAS = 7, ISA_COUNT = EG_ISA_AVX512BF16 + 1 };

typedef struct isa_entry {
    const char *name;
    /* 1: no full run on such a CPU is recorded in docs/benchmarks.md, so it is chosen by name
     * only */
    int experimental;
} isa_entry;
static const isa_entry entries[ISA_COUNT] = {
    [EG_ISA_AUTO] = {"auto", 0},
    [EG_ISA_SCALAR] = {"scalar", 0},
    [EG_ISA_AVX2] = {"avx2", 0},
    [EG_ISA_AVX512] = {"avx512", 0},
    [EG_ISA_NEON] = {"neon", 0},
    [EG_ISA_AVXVNNI] = {"avxvnni", 0},
    [EG_ISA_AVX512VNNI] = {"avx512vnni", 0},
    [EG_ISA_DOTPROD] = {"dotprod", 1},
    [EG_ISA_AMX] = {"amx", 1},
    [EG_ISA_I8MM] = {"i8mm", 1},
    [EG_ISA_AVX512BF16] = {"avx512bf16", 0},
};

size_t eg_kernels_available(const eg_kernels **out, size_t max) {
    const eg_kernels *all[MAX_ISAS];
    size_t n = detect(all), count = 0;
    for (size_t i = 0; i < n && count < max; i++)
        if (permitted(all[i])) out[count++] = all[i];
    return count;
}

const char *eg_isa_name(eg_isa isa) { return (unsigned)isa < ISA_COUNT ? entries[isa].name : "unknown"; }

static eg_status isa_of_environment(eg_isa *isa, eg_error *err) {
    const char *name = getenv("ENGRAM_ISA");
    if (!name || !*name) return EG_OK;
    for (int i = EG_ISA_AUTO; i < ISA_COUNT; i++)
        if (strcmp(name, entries[i].name) == 0) {
            *isa = (eg_isa)i;
            return EG_OK;
        }
    return eg_fail(
        err, EG_EINVAL,
        "ENGRAM_ISA is '%.40s': it must be auto, scalar, avx2, avxvnni, avx512, avx512vnni, avx512bf16, amx, neon, dotprod or i8mm",
        name);
}

eg_status eg_kernels_select(eg_isa isa, const eg_kernels **out, eg_error *err) {
    const eg_kernels *all[MAX_ISAS];
    size_t n = detect(all);
    *out = NULL;
    if ((unsigned)isa >= ISA_COUNT) return eg_fail(err, EG_EINVAL, "%d is not a valid eg_isa", (int)isa);
    if (isa == EG_ISA_AUTO) {
        eg_status s = isa_of_environment(&isa, err);
        if (s != EG_OK) return s;
    }
    if (isa == EG_ISA_AUTO) {
        while (entries[all[n - 1]->isa].experimental || !permitted(all[n - 1]))
            n--; /* ends at scalar, which is permitted and not experimental */
        *out = all[n - 1];
        return EG_OK;
    }
    for (size_t i = 0; i < n; i++)
        if (all[i]->isa == isa) *out = all[i];
    if (*out && permitted(*out)) return EG_OK;
    if (*out) {
        *out = NULL;
        return eg_fail(
            err, EG_EUNSUPPORTED,
            "the operating system does not let this process use ISA %s: AMX tiles need Linux 5.16 or newer, and alternative "
            "signal stacks that are large enough for them",
            eg_isa_name(isa));
    }
    return eg_fail(err, EG_EUNSUPPORTED, "ISA %s does not run on this CPU: the best ISA here is %s", eg_isa_name(isa),
                   all[n - 1]->name);
}
