/* bandwidth.h - how fast one core reads: with the peak of peak.h the roof of a kernel that reads weights once. Used by gemm.c. */
#ifndef EG_BENCH_BANDWIDTH_H
#define EG_BENCH_BANDWIDTH_H

#include <stddef.h>

#include "core/include/engram/infer.h"

/* Bytes of this CPU's L2 (2) or L3 (3) cache as the system gives them; 0: it does not say. */
size_t eg_bench_cache(int level);
/* GB/s of reading data (64-byte aligned) over and over, in registers as wide as the ISA's: median of `runs` runs of `seconds`
 * or more each, after one that does not count. bytes: at least 512, what is left over of a multiple of it is not read. */
double eg_bench_read_rate(eg_isa isa, const void *data, size_t bytes, size_t runs, double seconds);
/* The most operations a second (in units of 1e9) when `operations` need `bytes` read: min(peak, rate x operations / bytes). rate
 * 0: the peak. */
double eg_bench_roof(double peak, double rate, double operations, size_t bytes);

#endif
