/* block.h - the memory that a model's weights lie in: private, or a file in the cache folder that all processes share.
 *
 * The file: a header (magic, version, the key that says what is inside, sizes, a CRC-32C of each MiB), then the block. It is only
 * ever replaced as a whole, by rename. It is used when it is a regular file of this user that others cannot write, its key and
 * sizes are the ones asked for and every sum is right; anything else is packed anew. Used by load.c. */
#ifndef EG_MODELS_BLOCK_H
#define EG_MODELS_BLOCK_H

#include "core/include/engram/status.h"
#include "kernels/pool.h"

/* All zero: nothing to release. */
typedef struct eg_block {
    void *data; /* 64-byte aligned */
    size_t size;
    int ready; /* filled already: read-only */
    /* private */
    void *map; /* of the file, header first; NULL: memory of this process */
    size_t map_size;
    int packing, lock; /* 1: the lock is held, what is filled goes into the cache */
    struct eg_block_writer *writer;
    char path[4096];
} eg_block;

/* What a cached block must have been made of: compared byte by byte, so there must be no padding in it. */
typedef struct eg_block_key {
    const char *name; /* of the cache file: the same for all states of one thing, so that a new one replaces the old */
    const void *bytes;
    size_t size; /* at most 16 kB */
} eg_block_key;

/* A block of `size` bytes. cache NULL or not usable: private memory, to be filled. Waits while another process packs the same (at
 * most 30 s, then packs for itself). EG_ENOMEM. */
eg_status eg_block_take(const char *cache, const eg_block_key *key, size_t size, eg_pool *pool, eg_block *out, eg_error *err);
/* The block has been filled and is only read from now on: others may have it. It is written by a thread of its own when the pool
 * has several, which eg_block_release waits for. What goes wrong there costs the others only. */
void eg_block_publish(eg_block *b, const eg_block_key *key, eg_pool *pool);
/* Also of a block that was not filled: then nothing of it stays in the cache. */
void eg_block_release(eg_block *b);

#endif
