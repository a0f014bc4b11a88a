/* encoded.c - see encoded.h. */
#include "encoded.h"

int encoded_is_base64(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '+' || c == '/';
}

static int value_of_digit(char c) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c == '-' ? digits + 62 : c == '_' ? digits + 63 : c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

eg_str encoded_bytes(eg_str s, size_t i, char *to, size_t room) {
    uint32_t bits = 0;
    size_t n = 0;
    for (size_t k = 0; n < room && i + k < s.len; k++) {
        int digit = value_of_digit(s.ptr[i + k]);
        if (digit < 0) break;
        bits = bits << 6 | (uint32_t)digit;
        if (k % 4) to[n++] = (char)(bits >> (6 - 2 * (k % 4)) & 0xFF);
    }
    return (eg_str){to, n};
}

int encoded_is_text(eg_str bytes) {
    for (size_t i = 0; i < bytes.len; i++)
        if ((bytes.ptr[i] < ' ' && !strchr("\t\r\n", bytes.ptr[i])) || bytes.ptr[i] > '~' || !bytes.ptr[i]) return 0;
    return bytes.len > 0;
}

int encoded_is_private_key(eg_str s, size_t i) {
    enum { INTEGER = 0x02, OCTETS = 0x04, OID = 0x06, SEQUENCE = 0x30 };
    /* the beginning of the identifiers of PKCS #5 */
    static const unsigned char by_password[] = {0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05};
    char room[30];
    eg_str all = encoded_bytes(s, i, room, sizeof room);
    if (all.len < sizeof room) return 0;
    if (memcmp(room, "openssh-key-v1", 15) == 0) return 1;
    unsigned char b[sizeof room];
    memcpy(b, room, sizeof b);
    size_t at = b[1] < 0x80 ? 2 : b[1] == 0x81 ? 3 : b[1] == 0x82 ? 4 : 0;
    if (b[0] != SEQUENCE || !at || (at == 2 && b[1] < 0x20)) return 0;
    if (b[at] == SEQUENCE && b[at + 2] == OID && memcmp(b + at + 4, by_password, sizeof by_password) == 0) return 1;
    if (b[at] != INTEGER || b[at + 1] != 1 || b[at + 2] > 1) return 0; /* the version */
    const unsigned char *next = b + at + 3;
    if (next[0] == SEQUENCE) return next[2] == OID;
    if (next[0] == OCTETS) return b[at + 2] == 1 && (next[1] == 0x20 || next[1] == 0x30 || next[1] == 0x42);
    return next[0] == INTEGER && next[1] >= 0x40; /* the modulus */
}
