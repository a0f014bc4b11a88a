/* bench_kernels.c - `bench_kernels [--json]`: the same table as `engram bench gemm`, without the host. */
#include <string.h>

#include "bench/gemm.h"

int main(int argc, char **argv) {
    eg_error err = {0};
    int json = argc > 1 && strcmp(argv[1], "--json") == 0;
    if (eg_bench_gemm(stdout, json, &err) == EG_OK) return 0;
    fprintf(stderr, "bench_kernels: %s\n", err.text);
    return 2;
}
