/* kernels.h - times every kernel but the matrix products. Called by bench_kernels.c. */
#ifndef EG_BENCH_KERNELS_H
#define EG_BENCH_KERNELS_H

#include <stdio.h>

#include "kernels/kernels.h"

/* Prints a table (or one JSON object): for each kernel and size the median microseconds of each ISA
 * of this CPU, with one thread and data in L1 or L2, and the ratio to the scalar ISA. Takes a few
 * seconds. quick: one call each, for tests. only: this ISA and scalar; NULL: all. EG_ENOMEM. */
eg_status eg_bench_kernels(FILE *out, int json, int quick, const eg_kernels *only, eg_error *err);

#endif
