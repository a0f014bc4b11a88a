/* address.c - see address.h. Source: the registries of special-purpose addresses of IANA (RFC
 * 6890). */
#include "core/hub/address.h"

#include <netinet/in.h>
#include <stdint.h>
#include <string.h>

typedef struct block {
    uint32_t first;
    int bits;
    eg_reach reach;
} block;

static eg_reach reach_of_four(uint32_t a) {
    static const block blocks[] = {{0x7F000000, 8, EG_REACH_MACHINE},  {0x00000000, 8, EG_REACH_MACHINE},
                                   {0x0A000000, 8, EG_REACH_NETWORK},  {0xAC100000, 12, EG_REACH_NETWORK},
                                   {0xC0A80000, 16, EG_REACH_NETWORK}, {0x64400000, 10, EG_REACH_NETWORK},
                                   {0xC6120000, 15, EG_REACH_NETWORK}, {0xC0000000, 24, EG_REACH_LINK},
                                   {0xA9FE0000, 16, EG_REACH_LINK},    {0xE0000000, 3, EG_REACH_LINK}};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if ((a ^ blocks[i].first) >> (32 - blocks[i].bits) == 0) return blocks[i].reach;
    return EG_REACH_WORLD;
}

static uint32_t four_bytes(const uint8_t *p) { return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]; }

static eg_reach reach_of_six(const uint8_t a[16]) {
    static const uint8_t zeros[15] = {0}, nat64[12] = {0x00, 0x64, 0xFF, 0x9B};
    if (memcmp(a, zeros, 15) == 0 && a[15] <= 1) return EG_REACH_MACHINE;
    if (memcmp(a, zeros, 10) == 0 && a[10] == 0xFF && a[11] == 0xFF) return reach_of_four(four_bytes(a + 12));
    if (memcmp(a, zeros, 12) == 0 || memcmp(a, nat64, 12) == 0) return reach_of_four(four_bytes(a + 12));
    if (a[0] == 0x20 && a[1] == 0x02) return reach_of_four(four_bytes(a + 2)); /* 6to4 */
    if ((a[0] & 0xFE) == 0xFC) return EG_REACH_NETWORK;
    if ((a[0] == 0xFE && (a[1] & 0x80)) || a[0] == 0xFF) return EG_REACH_LINK;
    return EG_REACH_WORLD;
}

eg_reach eg_address_reach(const struct sockaddr *address) {
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    if (address->sa_family == AF_INET) {
        memcpy(&four, address, sizeof four);
        return reach_of_four(ntohl(four.sin_addr.s_addr));
    }
    if (address->sa_family != AF_INET6) return EG_REACH_LINK;
    memcpy(&six, address, sizeof six);
    return reach_of_six(six.sin6_addr.s6_addr);
}
