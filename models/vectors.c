/* vectors.c - see vectors.h. */
#include "models/vectors.h"

#include "kernels/kernels.h"

eg_vector_kernels eg_vector_kernels_of(eg_isa isa) {
    const eg_kernels *k;
    /* which every CPU has */
    if (eg_kernels_select(isa, &k, NULL) != EG_OK) (void)eg_kernels_select(EG_ISA_SCALAR, &k, NULL);
    return (eg_vector_kernels){.dot = k->dot, .dot_s8 = k->dot_s8};
}
