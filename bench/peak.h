/* peak.h - the most multiply-adds a second that one core does with an ISA: the 100 % of every percentage. */
#ifndef EG_BENCH_PEAK_H
#define EG_BENCH_PEAK_H

#include "core/include/engram/infer.h"

/* GFLOP/s of the instructions that the ISA's kernels of a format sum with, median of several runs: f32 and bf16 fused
 * multiply-adds, or vdpbf16ps, tdpbf16ps, bfdot; s8 (GOP/s) vpmaddwd and vpaddd, vpdpbusd, tdpbusd, 0 on Arm. 0 for an ISA that
 * is not of this CPU or has no vectors. */
double eg_bench_peak(eg_isa isa, eg_format format);
/* A single run of half a millisecond or less: what the core does at this moment, to hold what ran just before against it. */
double eg_bench_peak_now(eg_isa isa, eg_format format);

#endif
