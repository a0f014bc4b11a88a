/* peak.h - the most multiply-adds a second that one core does at a level: the 100 % of every percentage. */
#ifndef EG_BENCH_PEAK_H
#define EG_BENCH_PEAK_H

#include "core/include/engram/infer.h"

/* GFLOP/s, median of several runs; 0 for a level that is not of this CPU or has no vectors. */
double eg_bench_peak(eg_level level);
/* The same of the instructions that the level's s8 kernels sum with (vpmaddwd and vpaddd, vpdpbusd, tdpbusd), in GOP/s; 0 on Arm. */
double eg_bench_peak_s8(eg_level level);

#endif
