/* block.h - the memory that holds a model's weights: private, or a file in the cache folder that
 * all processes share. The file consists of a header (magic, version, the key that says what is
 * inside, sizes, a CRC-32C of each MiB) and the block. It is replaced as a whole, by rename, and
 * never modified. It is used if it is a regular file of this user that others cannot write, and its
 * key, its sizes and all checksums are right; else the weights are packed anew. Not here: what is
 * in the block. Called by load.c. */
#ifndef EG_MODELS_BLOCK_H
#define EG_MODELS_BLOCK_H

#include "core/include/engram/status.h"
#include "kernels/pool.h"

/* All zero: nothing to release. */
typedef struct eg_block {
    void *data; /* 64-byte aligned */
    size_t size;
    int ready; /* already filled: read-only */
    /* private */
    void *map; /* the file, header first; NULL: private memory */
    size_t map_size;
    int packing, lock; /* 1: the lock is held, and the block will go to the cache */
    struct eg_block_writer *writer;
    char path[4096];
} eg_block;

/* What a cached block was made from. Compared byte by byte, so it must not contain padding. */
typedef struct eg_block_key {
    /* of the cache file: the same for all versions of a model, so that a new one replaces the
     * old */
    const char *name;
    const void *bytes;
    size_t size; /* at most 16 kB */
} eg_block_key;

/* Creates a block of `size` bytes: mapped from the cache if it is there, else to be filled. Private
 * memory if cache is NULL or cannot be used. Waits up to 30 s for another process that packs the
 * same model. EG_ENOMEM. */
eg_status eg_block_take(const char *cache, const eg_block_key *key, size_t size, eg_pool *pool, eg_block *out, eg_error *err);
/* Call when the block has been filled; it is read-only from now on, and is written to the cache for
 * other processes. If the pool has several threads, a thread of its own does that, which
 * eg_block_release waits for. Errors are ignored: then others pack for themselves. */
void eg_block_publish(eg_block *b, const eg_block_key *key, eg_pool *pool);
/* Also for a block that was not filled: then nothing of it stays in the cache. */
void eg_block_release(eg_block *b);

#endif
