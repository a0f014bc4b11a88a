/* digest.c - see digest.h. SHA-1 is FIPS 180-4, section 6.1; libsodium has none. */
#include "core/hub/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/status.h"

enum { BLOCK = 64, CHUNK = 1 << 20 };

typedef struct sha1 {
    uint32_t h[5];
    uint64_t size;
    unsigned char block[BLOCK];
} sha1;

static uint32_t rotate(uint32_t x, int n) { return x << n | x >> (32 - n); }

static void sha1_block(uint32_t h[5], const unsigned char *p) {
    uint32_t w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
    for (int t = 0; t < 16; t++, p += 4) w[t] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    for (int t = 16; t < 80; t++) w[t] = rotate(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    for (int t = 0; t < 80; t++) {
        uint32_t f = t < 20 ? (b & c) | (~b & d) : t < 40 ? b ^ c ^ d : t < 60 ? (b & c) | (b & d) | (c & d) : b ^ c ^ d;
        static const uint32_t k[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
        uint32_t x = rotate(a, 5) + f + e + k[t / 20] + w[t];
        e = d, d = c, c = rotate(b, 30), b = a, a = x;
    }
    h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e;
}

static void sha1_add(sha1 *s, const unsigned char *p, size_t n) {
    size_t have = s->size % BLOCK;
    s->size += n;
    while (n) {
        size_t take = BLOCK - have < n ? BLOCK - have : n;
        memcpy(s->block + have, p, take);
        p += take, n -= take, have = (have + take) % BLOCK;
        if (!have) sha1_block(s->h, s->block);
    }
}

static void sha1_end(sha1 *s, unsigned char out[20]) {
    static const unsigned char end[BLOCK] = {0x80};
    unsigned char bits[8];
    uint64_t n = s->size * 8;
    for (int i = 0; i < 8; i++) bits[i] = (unsigned char)(n >> (56 - 8 * i));
    sha1_add(s, end, (s->size % BLOCK < 56 ? 56 : 56 + BLOCK) - s->size % BLOCK);
    sha1_add(s, bits, sizeof bits);
    for (int i = 0; i < 20; i++) out[i] = (unsigned char)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

static eg_status digest(int fd, uint64_t size, unsigned char *chunk, const eg_cancel *cancel, eg_digests *out, const char *path,
                        eg_error *err) {
    sha1 one = {.h = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}};
    crypto_hash_sha256_state two;
    unsigned char hash[32];
    char head[32];
    crypto_hash_sha256_init(&two);
    sha1_add(&one, (unsigned char *)head, (size_t)snprintf(head, sizeof head, "blob %llu", (unsigned long long)size) + 1);
    out->size = 0;
    for (ssize_t n; (n = read(fd, chunk, CHUNK)) != 0;) {
        if (n < 0 && errno == EINTR && !eg_cancel_is_set(cancel)) continue;
        if (eg_cancel_is_set(cancel)) return eg_fail(err, EG_ECANCELLED, "stopped while '%s' was checked", path);
        if (n < 0) return eg_fail(err, EG_EIO, "cannot read '%s': %s", path, strerror(errno));
        out->size += (uint64_t)n;
        sha1_add(&one, chunk, (size_t)n);
        crypto_hash_sha256_update(&two, chunk, (size_t)n);
    }
    if (out->size != size) return eg_fail(err, EG_EIO, "'%s' changed while it was read", path);
    sha1_end(&one, hash);
    sodium_bin2hex(out->blob, sizeof out->blob, hash, 20);
    crypto_hash_sha256_final(&two, hash);
    sodium_bin2hex(out->sha256, sizeof out->sha256, hash, 32);
    return EG_OK;
}

eg_status eg_digest_file(const char *path, const eg_cancel *cancel, eg_digests *out, eg_error *err) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return eg_fail(err, errno == ENOENT || errno == ENOTDIR ? EG_ENOENT : EG_EIO, "cannot open '%s': %s", path,
                       strerror(errno));
    eg_status s =
        fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? EG_OK : eg_fail(err, EG_EINVAL, "'%s' is not a regular file", path);
    unsigned char *chunk = s == EG_OK ? malloc(CHUNK) : NULL;
    if (s == EG_OK) s = chunk ? digest(fd, (uint64_t)st.st_size, chunk, cancel, out, path, err) : eg_fail_memory(err, CHUNK);
    free(chunk);
    close(fd);
    return s;
}
