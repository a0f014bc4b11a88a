/* gemm.h - GEMM and the other kernels, timed on this core: for `engram bench gemm` and bench_kernels. */
#ifndef EG_BENCH_GEMM_H
#define EG_BENCH_GEMM_H

#include <stdio.h>

#include "core/include/engram/status.h"

/* Prints a table (or one JSON object): for each level of this CPU its measured FMA peak, then GFLOP/s and per cent of
 * that peak for the matrices of a 6 x 384 encoder at M 1 to 128, resident panels, and the ratio to OpenBLAS.
 * Takes about half a minute. */
eg_status eg_bench_gemm(FILE *out, int json, eg_error *err);

#endif
