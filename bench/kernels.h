/* kernels.h - every kernel but the matrix products, timed on this core: for the program bench_kernels. */
#ifndef EG_BENCH_KERNELS_H
#define EG_BENCH_KERNELS_H

#include <stdio.h>

#include "kernels/kernels.h"

/* Prints a table (or one JSON object): for each kernel and size the median microseconds of each ISA of this CPU, one thread,
 * data in L1 or L2, and how many times faster than the scalar truth that is. Takes a few seconds.
 * quick: one call each, for tests. only: beside the truth only this ISA, NULL: all. */
eg_status eg_bench_kernels(FILE *out, int json, int quick, const eg_kernels *only, eg_error *err);

#endif
