/* machine.h - what all benchmarks share: the name of the CPU, a clock, quantiles. */
#ifndef EG_BENCH_MACHINE_H
#define EG_BENCH_MACHINE_H

#include <stddef.h>
#include <stdio.h>

/* Writes the CPU's name as the system reports it, or "unknown CPU". */
void eg_bench_cpu(char *out, size_t size);
/* Sorts x and returns the value at quantile q (0 to 1). */
double eg_bench_quantile(double *x, size_t n, double q);
/* Seconds of CLOCK_MONOTONIC. */
double eg_bench_seconds(void);

#endif
