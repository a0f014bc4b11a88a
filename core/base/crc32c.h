/* crc32c.h - CRC-32C (Castagnoli, reflected polynomial 0x82f63b78, as in RFC 3720): damage of
 * files, not attacks. Uses the CPU's instruction where there is one. Thread class: any. */
#ifndef EG_BASE_CRC32C_H
#define EG_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

uint32_t eg_crc32c(const void *bytes, size_t n);

#endif
