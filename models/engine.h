/* engine.h - what models share: the kernel table, the thread pool, scratch memory. The inside of eg_engine, for the files
 * of models/ only. */
#ifndef EG_MODELS_ENGINE_H
#define EG_MODELS_ENGINE_H

#include <pthread.h>

#include "kernels/kernels.h"
#include "kernels/pool.h"

/* Scratch memory of one group of sequences; grows, is never shrunk, and goes back to the engine's list after use. */
typedef struct eg_workspace {
    struct eg_workspace *next;
    float *floats; /* 64-byte aligned */
    size_t capacity;
} eg_workspace;

struct eg_engine {
    const eg_kernels *kernels;
    eg_pool *pool;
    eg_gemm_kind gemm;
    pthread_mutex_t lock; /* of the list */
    eg_workspace *idle;
};

/* A workspace of at least `floats` floats. EG_ENOMEM. */
eg_status eg_workspace_take(eg_engine *e, size_t floats, eg_workspace **out, eg_error *err);
void eg_workspace_give(eg_engine *e, eg_workspace *w);

#endif
