/* bandwidth.h - how fast one core reads memory: with the peak of peak.h, the roofline of a kernel
 * that reads its weights once. Used by gemm.c. */
#ifndef EG_BENCH_BANDWIDTH_H
#define EG_BENCH_BANDWIDTH_H

#include <stddef.h>

#include "core/include/engram/infer.h"

/* Bytes of this CPU's L2 (2) or L3 (3) cache as the system reports them; 0 if it does not. */
size_t eg_bench_cache(int level);
/* GB/s of reading data (64-byte aligned) again and again, with the registers of the ISA: the median
 * of `runs` runs of at least `seconds` each, after one that does not count. bytes: at least 512;
 * the rest after the last multiple of 512 is not read. */
double eg_bench_read_rate(eg_isa isa, const void *data, size_t bytes, size_t runs, double seconds);
/* The roofline: operations a second, in units of 1e9, of `operations` that must read `bytes`:
 * min(peak, rate x operations / bytes). rate in GB/s; 0 if unknown: the peak. */
double eg_bench_roofline(double peak, double rate, double operations, size_t bytes);

#endif
