/* hash.c - see hash.h. */
#include "core/base/hash.h"

#include <string.h>
#include <sys/random.h>

#include "core/base/clock.h"

eg_hash_key eg_hash_key_make(void) {
    eg_hash_key key;
    if (getrandom(&key, sizeof key, GRND_NONBLOCK) != (ssize_t)sizeof key)
        key = (eg_hash_key){{(uint64_t)eg_clock_monotonic() * UINT64_C(0x9E3779B97F4A7C15), (uint64_t)(uintptr_t)&key}};
    return key;
}

static inline uint64_t rotated(uint64_t x, int by) { return x << by | x >> (64 - by); }

static inline void mix(uint64_t v[4]) {
    v[0] += v[1], v[1] = rotated(v[1], 13) ^ v[0], v[0] = rotated(v[0], 32);
    v[2] += v[3], v[3] = rotated(v[3], 16) ^ v[2];
    v[0] += v[3], v[3] = rotated(v[3], 21) ^ v[0];
    v[2] += v[1], v[1] = rotated(v[1], 17) ^ v[2], v[2] = rotated(v[2], 32);
}

/* The n < 8 bytes of a tail, in three reads at most. */
static inline uint64_t tail_of(const unsigned char *p, size_t n) {
    uint64_t x = 0;
    uint32_t four;
    uint16_t two;
    if (n & 1) x = p[n - 1];
    if (n & 2) memcpy(&two, p + (n & 4), 2), x = x << 16 | two;
    if (n & 4) memcpy(&four, p, 4), x = x << 32 | four;
    return x;
}

uint64_t eg_hash(const eg_hash_key *key, const void *bytes, size_t n) {
    /* an empty text may be NULL, to which not even 0 can be added */
    const unsigned char *p = n ? bytes : "";
    uint64_t v[4] = {key->k[0] ^ UINT64_C(0x736f6d6570736575), key->k[1] ^ UINT64_C(0x646f72616e646f6d),
                     key->k[0] ^ UINT64_C(0x6c7967656e657261), key->k[1] ^ UINT64_C(0x7465646279746573)};
    for (const unsigned char *end = p + n / 8 * 8;; p += 8) {
        uint64_t word = p < end ? 0 : tail_of(p, n % 8) | (uint64_t)n << 56;
        if (p < end) memcpy(&word, p, 8);
        v[3] ^= word;
        mix(v);
        v[0] ^= word;
        if (p == end) break;
    }
    v[2] ^= 0xff;
    mix(v), mix(v), mix(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
