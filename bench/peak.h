/* peak.h - the most fused multiply-adds a second that one core does at a level: the 100 % of every percentage. */
#ifndef EG_BENCH_PEAK_H
#define EG_BENCH_PEAK_H

#include "core/include/engram/infer.h"

/* GFLOP/s, median of several runs; 0 for a level that is not of this CPU or has no vectors. */
double eg_bench_peak(eg_level level);

#endif
