/* bench_kernels.c - the program bench_kernels: times the kernels on this CPU, with one thread. For
 * people who write kernels; `engram bench` measures whole models. */
#include <stdlib.h>
#include <string.h>

#include "bench/gemm.h"
#include "bench/kernels.h"

static int usage(void) {
    fprintf(stderr,
            "usage: bench_kernels gemm|kernels [--json] [--quick] [--isa NAME]\n"
            "  gemm     matrix products in f32, s8 and bf16: rates, per cent of the measured peak and of the roofline\n"
            "  kernels  all other kernels: microseconds, and the ratio to the scalar ISA\n"
            "  --json   one JSON object instead of tables\n"
            "  --quick  a single run of each cell, whose figures say little\n"
            "  --isa    one instruction set instead of all that this CPU has: scalar, avx2, avxvnni, avx512, avx512vnni,\n"
            "           avx512bf16, amx, neon, dotprod or i8mm\n");
    return 2;
}

int main(int argc, char **argv) {
    eg_error err = {0};
    const eg_kernels *only = NULL;
    const char *isa = NULL;
    int json = 0, quick = 0, gemm = argc > 1 && strcmp(argv[1], "gemm") == 0;
    if (argc < 2 || (!gemm && strcmp(argv[1], "kernels") != 0)) return usage();
    eg_status s = EG_OK;
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) json = 1;
        else if (strcmp(argv[i], "--quick") == 0) quick = 1;
        else if (strcmp(argv[i], "--isa") == 0 && i + 1 < argc) isa = argv[++i];
        else return usage();
    }
    if (isa) {
        setenv("ENGRAM_ISA", isa, 1); /* EG_ISA_AUTO takes it by name */
        s = eg_kernels_select(EG_ISA_AUTO, &only, &err);
    }
    if (s == EG_OK) s = gemm ? eg_bench_gemm(stdout, json, quick, only, &err) : eg_bench_kernels(stdout, json, quick, only, &err);
    if (s == EG_OK) return 0;
    fprintf(stderr, "bench_kernels: %s\n", err.text);
    return 2;
}
