/* machine.c - see machine.h. */
#include "bench/machine.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"

void eg_bench_cpu(char *out, size_t size) {
    snprintf(out, size, "unknown CPU");
    FILE *f = fopen("/proc/cpuinfo", "re");
    if (!f) return;
    char line[256];
    while (fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon) continue;
        colon[strcspn(colon, "\n")] = '\0';
        snprintf(out, size, "%s", colon + 2);
        break;
    }
    fclose(f);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double eg_bench_quantile(double *x, size_t n, double q) {
    if (n == 0) return 0;
    qsort(x, n, sizeof *x, compare);
    size_t i = (size_t)(q * (double)(n - 1) + 0.5);
    return x[i < n ? i : n - 1];
}

double eg_bench_seconds(void) { return (double)eg_clock_monotonic() / 1e6; }
