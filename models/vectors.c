/* vectors.c - see vectors.h. */
#include "models/vectors.h"

#include "models/engine.h"

eg_vector_kernels eg_vector_kernels_of(eg_isa isa) {
    const eg_kernels *k;
    /* which every CPU has */
    if (eg_kernels_select(isa, &k, NULL) != EG_OK) (void)eg_kernels_select(EG_ISA_SCALAR, &k, NULL);
    return (eg_vector_kernels){.dot = k->dot, .dot_s8 = k->dot_s8, .dots_s8 = k->dots_s8};
}

typedef struct split {
    void (*task)(void *arg, size_t i);
    void *arg;
} split;

static void run_one(void *arg, size_t i, uint32_t lane) {
    const split *s = arg;
    (void)lane;
    s->task(s->arg, i);
}

void eg_engine_parallel(eg_engine *e, size_t n, void (*task)(void *arg, size_t i), void *arg) {
    split s = {task, arg};
    if (n > 1 && e && eg_pool_try(e->pool)) {
        eg_pool_run(e->pool, n, run_one, &s);
        eg_pool_give(e->pool);
    } else {
        for (size_t i = 0; i < n; i++) task(arg, i);
    }
}
