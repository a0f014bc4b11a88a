/* vectors.h - arithmetic on stored vectors by the kernels of an ISA: what a host that searches
 * among vectors needs beside models. Not here: models and engines (infer.h). Called by core/host.
 * Thread class: any. */
#ifndef EG_MODELS_VECTORS_H
#define EG_MODELS_VECTORS_H

#include "core/include/engram/infer.h"

typedef struct eg_vector_kernels {
    /* The sum of a[i] * b[i] for n elements; the same bits on every ISA. */
    float (*dot)(const float *a, const float *b, size_t n);
    /* The same for bytes: exact for n up to 131,072. */
    int32_t (*dot_s8)(const int8_t *a, const int8_t *b, size_t n);
    /* The same of n elements each for the query and `count` rows, one behind the other. */
    void (*dots_s8)(const int8_t *rows, size_t count, const int8_t *query, size_t n, int32_t *out);
} eg_vector_kernels;

/* The kernels of an ISA, or those of the scalar ISA if this CPU or this build lacks it.
 * EG_ISA_AUTO: as for an engine. */
eg_vector_kernels eg_vector_kernels_of(eg_isa isa);

/* Calls task(arg, i) once for each i < n, on the threads of an engine if no inference runs there,
 * else (or where e is NULL) on this one; returns when all have returned. Tasks must not block. */
void eg_engine_parallel(eg_engine *e, size_t n, void (*task)(void *arg, size_t i), void *arg);

#endif
