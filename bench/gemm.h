/* gemm.h - times the matrix products. Called by bench_kernels.c. */
#ifndef EG_BENCH_GEMM_H
#define EG_BENCH_GEMM_H

#include <stdio.h>

#include "kernels/kernels.h"

/* Prints two tables (or one JSON object) for each ISA of this CPU. The first: the measured FMA
 * peak, then GFLOP/s, per cent of that peak, and the ratio to OpenBLAS, for the matrices of an
 * encoder with 384 hidden units and M 1 to 128, with weights in the caches. The second: how fast
 * the ISA reads memory, and per cent of the roofline, with weights in the caches and streamed from
 * memory. only: one ISA that this CPU has; NULL: all but scalar. Each ISA takes about a minute and
 * up to 1 GB. quick: a single run of each cell, whose figures say little. EG_ENOMEM. */
eg_status eg_bench_gemm(FILE *out, int json, int quick, const eg_kernels *only, eg_error *err);

#endif
