/* crc32c.c - see crc32c.h. */
#include "core/base/crc32c.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <nmmintrin.h>

__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t crc, const unsigned char *p, size_t n) {
    uint64_t wide = crc, eight;
    for (; n >= 8; n -= 8, p += 8) {
        memcpy(&eight, p, 8);
        wide = _mm_crc32_u64(wide, eight);
    }
    crc = (uint32_t)wide;
    for (; n; n--, p++) crc = _mm_crc32_u8(crc, *p);
    return crc;
}
static int has_instruction(void) {
    uint32_t a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_2);
}
#elif defined(__aarch64__)
#include <arm_acle.h>
#include <sys/auxv.h>

__attribute__((target("+crc"))) static uint32_t by_instruction(uint32_t crc, const unsigned char *p, size_t n) {
    uint64_t eight;
    for (; n >= 8; n -= 8, p += 8) {
        memcpy(&eight, p, 8);
        crc = __crc32cd(crc, eight);
    }
    for (; n; n--, p++) crc = __crc32cb(crc, *p);
    return crc;
}
static int has_instruction(void) {
    enum { CRC32 = 1 << 7 };
    return (getauxval(AT_HWCAP) & CRC32) != 0;
}
#else
static uint32_t by_instruction(uint32_t crc, const unsigned char *p, size_t n) {
    (void)p, (void)n;
    return crc;
}
static int has_instruction(void) { return 0; }
#endif

uint32_t eg_crc32c_plain(const void *bytes, size_t n);
uint32_t eg_crc32c_plain(const void *bytes, size_t n) {
    const unsigned char *p = bytes;
    uint32_t crc = 0xffffffffu;
    for (; n; n--, p++) {
        crc ^= *p;
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    }
    return ~crc;
}

uint32_t eg_crc32c(const void *bytes, size_t n) {
    return has_instruction() ? ~by_instruction(0xffffffffu, bytes, n) : eg_crc32c_plain(bytes, n);
}
