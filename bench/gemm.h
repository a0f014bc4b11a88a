/* gemm.h - GEMM and the other kernels, timed on this core: for the program bench_kernels. */
#ifndef EG_BENCH_GEMM_H
#define EG_BENCH_GEMM_H

#include <stdio.h>

#include "kernels/kernels.h"

/* Prints a table (or one JSON object): for each ISA of this CPU its measured FMA peak, then GFLOP/s and per cent of
 * that peak for the matrices of a 6 x 384 encoder at M 1 to 128, resident panels, and the ratio to OpenBLAS. Then for each ISA
 * how fast it reads, and per cent of the roof that this and the peak make: panels where they lie, and streamed from memory.
 * only: an ISA that this CPU has (of scalar no peak is known), NULL: all but scalar. An ISA takes about a minute; needs up to 1
 * GB. quick: one run of each, whose figures say little. EG_ENOMEM. */
eg_status eg_bench_gemm(FILE *out, int json, int quick, const eg_kernels *only, eg_error *err);

#endif
