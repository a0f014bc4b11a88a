/* peak.h - the measured peak of one core: the rate of multiply-adds in registers, which percentages
 * refer to. */
#ifndef EG_BENCH_PEAK_H
#define EG_BENCH_PEAK_H

#include "core/include/engram/infer.h"

/* GFLOP/s (s8: GOP/s) of the instructions with which the ISA's kernels of a format add up, median
 * of several runs. f32 and bf16: fused multiply-adds, or vdpbf16ps, tdpbf16ps, bfdot. s8: vpmaddwd
 * and vpaddd, vpdpbusd, or tdpbusd; 0 on Arm. 0 for scalar and for an ISA of another architecture;
 * the CPU must have the ISA. */
double eg_bench_peak(eg_isa isa, eg_format format);
/* A single run of half a millisecond or less: the peak at this moment, to compare with what ran
 * just before. */
double eg_bench_peak_now(eg_isa isa, eg_format format);

#endif
