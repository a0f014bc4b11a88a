/* hash.h - SipHash-1-3 (Aumasson and Bernstein, SipHash: a fast short-input PRF, 2012) for tables
 * over what others wrote: who does not know the key cannot make many entries fall together. Not for
 * what is stored or compared: a key lives as long as its table. Thread class: any. */
#ifndef EG_BASE_HASH_H
#define EG_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct eg_hash_key {
    uint64_t k[2];
} eg_hash_key;

/* From the system's random numbers; where it has none, from the clock and an address. */
eg_hash_key eg_hash_key_make(void);
uint64_t eg_hash(const eg_hash_key *key, const void *bytes, size_t n);

#endif
