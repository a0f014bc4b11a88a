/* utf8.c - UTF-8 validation and stepping. See utf8.h. */
#include "core/base/utf8.h"

#include <string.h>

/* Bytes of the sequence that begins at p, 0 if not valid. Table 3-7 of the Unicode standard. */
static size_t sequence_length(const unsigned char *p, size_t n) {
    unsigned c = p[0];
    if (c < 0x80) return 1;
    if (c < 0xC2 || c > 0xF4) return 0;
    size_t len = c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    if (len > n) return 0;
    unsigned low = 0x80, high = 0xBF;
    if (c == 0xE0) low = 0xA0;
    if (c == 0xED) high = 0x9F;
    if (c == 0xF0) low = 0x90;
    if (c == 0xF4) high = 0x8F;
    if (p[1] < low || p[1] > high) return 0;
    for (size_t i = 2; i < len; i++)
        if (p[i] < 0x80 || p[i] > 0xBF) return 0;
    return len;
}

size_t eg_utf8_valid_prefix(const char *text, size_t n) {
    const unsigned char *p = (const unsigned char *)text;
    size_t i = 0;
    while (i < n) {
        uint64_t word;
        if (n - i >= 8 && (memcpy(&word, p + i, 8), (word & UINT64_C(0x8080808080808080)) == 0)) {
            i += 8;
            continue;
        }
        size_t len = sequence_length(p + i, n - i);
        if (len == 0) return i;
        i += len;
    }
    return n;
}

size_t eg_utf8_decode(const char *text, size_t n, uint32_t *cp) {
    const unsigned char *p = (const unsigned char *)text;
    size_t len = n ? sequence_length(p, n) : 0;
    switch (len) {
    case 1: *cp = p[0]; return 1;
    case 2: *cp = (uint32_t)(p[0] & 0x1F) << 6 | (uint32_t)(p[1] & 0x3F); return 2;
    case 3: *cp = (uint32_t)(p[0] & 0x0F) << 12 | (uint32_t)(p[1] & 0x3F) << 6 | (uint32_t)(p[2] & 0x3F); return 3;
    case 4:
        *cp = (uint32_t)(p[0] & 0x07) << 18 | (uint32_t)(p[1] & 0x3F) << 12 | (uint32_t)(p[2] & 0x3F) << 6 |
              (uint32_t)(p[3] & 0x3F);
        return 4;
    default: *cp = 0xFFFD; return 1;
    }
}

size_t eg_utf8_encode(uint32_t cp, char out[4]) {
    if (cp < 0x80) {
        out[0] = (char)cp;
        return 1;
    }
    if (cp < 0x800) {
        out[0] = (char)(0xC0 | cp >> 6);
        out[1] = (char)(0x80 | (cp & 0x3F));
        return 2;
    }
    if (cp < 0x10000) {
        if (cp >= 0xD800 && cp <= 0xDFFF) return 0;
        out[0] = (char)(0xE0 | cp >> 12);
        out[1] = (char)(0x80 | (cp >> 6 & 0x3F));
        out[2] = (char)(0x80 | (cp & 0x3F));
        return 3;
    }
    if (cp > 0x10FFFF) return 0;
    out[0] = (char)(0xF0 | cp >> 18);
    out[1] = (char)(0x80 | (cp >> 12 & 0x3F));
    out[2] = (char)(0x80 | (cp >> 6 & 0x3F));
    out[3] = (char)(0x80 | (cp & 0x3F));
    return 4;
}

size_t eg_utf8_floor(const char *p, size_t n, size_t at) {
    if (at >= n) at = n;
    while (at > 0 && at < n && ((unsigned char)p[at] & 0xC0) == 0x80) at--;
    if (at == n && n > 0) { /* the bytes may end inside a sequence */
        size_t back = at;
        while (back > 0 && at - back < 4 && ((unsigned char)p[back - 1] & 0xC0) == 0x80) back--;
        if (back > 0 && (unsigned char)p[back - 1] >= 0xC0 &&
            sequence_length((const unsigned char *)p + back - 1, at - (back - 1)) == 0)
            return back - 1;
    }
    return at;
}
