/* engine.h - the inside of eg_engine: what models share, that is the kernel table, the thread pool
 * and scratch memory. For the files of models/ only. Thread class: any. */
#ifndef EG_MODELS_ENGINE_H
#define EG_MODELS_ENGINE_H

#include <pthread.h>

#include "kernels/kernels.h"
#include "kernels/pool.h"
#include "models/schedule.h"
#include "models/tokenizer/tokenizer.h"

/* Scratch memory for one group of sequences. Grows, never shrinks, and goes back to the engine's
 * list after use. */
typedef struct eg_workspace {
    struct eg_workspace *next;
    float *floats; /* 64-byte aligned */
    size_t capacity;
} eg_workspace;

/* The tokens of a call's texts. Grows, and goes back to the engine's list after use unless it has
 * more than EG_MAX_KEPT bytes, so that one call with a book or a million texts does not keep its
 * memory for ever. */
enum { EG_MAX_KEPT = 8 << 20 };
typedef struct eg_batch {
    struct eg_batch *next;
    eg_tokens ids, sides[2]; /* of all texts; of the current text and of its second text */
    uint8_t *types;
    size_t types_capacity;
    size_t *offsets;  /* capacity + 1: first token of each text */
    eg_group *groups; /* capacity + 1 */
    size_t capacity, n;
} eg_batch;

struct eg_engine {
    const eg_kernels *kernels;
    eg_pool *pool;
    eg_gemm_kind gemm;
    pthread_mutex_t lock; /* of the lists */
    eg_workspace *idle;
    eg_batch *idle_batches;
};

/* Copies a caller's structure of options, which begins with its size, to out, that of this library;
 * NULL gives the defaults (all 0). EG_EINVAL if it has fewer than `least` bytes, or if a byte after
 * the first `size` is not 0: an option that this library does not have. */
eg_status eg_options_read(const void *given, size_t least, void *out, size_t size, const char *name, eg_error *err);

/* A workspace of at least `floats` floats. EG_ENOMEM. */
eg_status eg_workspace_take(eg_engine *e, size_t floats, eg_workspace **out, eg_error *err);
void eg_workspace_give(eg_engine *e, eg_workspace *w);
/* An empty batch with room for the offsets of n texts. EG_ENOMEM. */
eg_status eg_batch_take(eg_engine *e, size_t n, eg_batch **out, eg_error *err);
void eg_batch_give(eg_engine *e, eg_batch *b);

#endif
