/* kept_vectors.h - vectors of statements of documents, kept in a file between runs: to check one
 * changed line against the documents of a repository, the model would have to read all of them
 * again. A cache: a file that is missing, damaged or of another model holds nothing, and one that
 * cannot be written costs the time of the next run. Not for facts, whose vectors are in the store.
 * Called by check.c. Thread class: any; may block. */
#ifndef EG_MEMORY_KEPT_VECTORS_H
#define EG_MEMORY_KEPT_VECTORS_H

#include "core/base/file.h"

/* A text is known by the first bytes of its SHA-256. */
enum { EG_VECTOR_KEY = 16 };
typedef struct eg_vector_key {
    unsigned char bytes[EG_VECTOR_KEY];
} eg_vector_key;

/* Begin with {0}; close when done. */
typedef struct eg_kept_vectors {
    eg_map map;
    const unsigned char *records; /* key and vector, one after the other */
    size_t count;
    uint32_t dimensions;
    uint32_t *table; /* of index + 1 */
    size_t mask;
} eg_kept_vectors;

/* Reads the file. Its table lives in the arena. EG_ENOMEM. */
eg_status eg_kept_vectors_open(eg_kept_vectors *k, eg_arena *arena, const char *path, eg_str model, uint32_t dimensions,
                               eg_error *err);
/* Copies the vector of a text to out (dimensions floats); 0: there is none. */
int eg_kept_vectors_find(const eg_kept_vectors *k, const eg_vector_key *key, float *out);
/* Writes n vectors in place of the file, and behind them those of the open file that are not among
 * them, as long as it stays below 64 MiB. Makes the folder. Failing is no error. */
void eg_kept_vectors_save(const eg_kept_vectors *k, eg_arena *arena, const char *path, eg_str model, const eg_vector_key *keys,
                          const float *const *vectors, size_t n);
void eg_kept_vectors_close(eg_kept_vectors *k);

#endif
