/* bench_kernels.c - `bench_kernels gemm|kernels [--json]`: the tables of `engram bench`, without the host. */
#include <string.h>

#include "bench/gemm.h"
#include "bench/kernels.h"

int main(int argc, char **argv) {
    eg_error err = {0};
    const char *what = argc > 1 ? argv[1] : "";
    int json = argc > 2 && strcmp(argv[2], "--json") == 0, gemm = strcmp(what, "gemm") == 0;
    if ((!gemm && strcmp(what, "kernels") != 0) || argc > 2 + json) {
        fprintf(stderr, "usage: bench_kernels gemm|kernels [--json]\n");
        return 2;
    }
    if ((gemm ? eg_bench_gemm(stdout, json, 0, NULL, &err) : eg_bench_kernels(stdout, json, 0, NULL, &err)) == EG_OK) return 0;
    fprintf(stderr, "bench_kernels: %s\n", err.text);
    return 2;
}
