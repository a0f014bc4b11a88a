/* gemm.c - see gemm.h. Medians of several short runs on one thread; the peak is measured in the same run by fused
 * multiply-adds that stay in registers, so the percentages hold on a noisy machine too. */
#include "bench/gemm.h"

#include <stdlib.h>

#include "bench/machine.h"
#include "bench/peak.h"
#include "core/base/status.h"
#include "kernels/kernels.h"

enum { RUNS = 9 };
#define RUN_SECONDS 0.02

typedef struct shape {
    size_t N, K;
} shape;
static const shape shapes[] = {{384, 384}, {1152, 384}, {1536, 384}, {384, 1536}};
static const size_t rows[] = {1, 4, 8, 16, 32, 64, 128};
enum { SHAPES = 4, ROW_COUNTS = 7 };

typedef struct work {
    const eg_kernels *k; /* NULL: OpenBLAS with ks arithmetic */
    const eg_kernels *level;
    size_t M, N, K;
    float *A, *W, *packed, *C;
} work;

static void run_once(const work *w) {
    if (w->k)
        w->k->gemm(w->M, w->N, w->K, 0, w->N, w->A, w->K, w->packed, w->C, w->N, NULL);
    else
        (void)eg_gemm_openblas(w->level, w->M, w->N, w->K, w->A, w->K, w->W, w->C, w->N, NULL, NULL);
}

/* Median GFLOP/s. */
static double measure(const work *w) {
    double flops = 2.0 * (double)w->M * (double)w->N * (double)w->K, rates[RUNS];
    run_once(w);
    for (size_t r = 0; r < RUNS; r++) {
        double begun = eg_bench_seconds(), took;
        size_t times = 0;
        do {
            for (int i = 0; i < 4; i++) run_once(w);
            times += 4;
            took = eg_bench_seconds() - begun;
        } while (took < RUN_SECONDS);
        rates[r] = flops * (double)times / took / 1e9;
    }
    return eg_bench_quantile(rates, RUNS, 0.5);
}

static void fill(float *x, size_t n) {
    uint32_t s = 12345;
    for (size_t i = 0; i < n; i++) {
        s = s * 1664525u + 1013904223u;
        x[i] = (float)(int32_t)s * 0x1p-32f;
    }
}

static void print_row(FILE *out, int json, const char *level, const work *w, double rate, double peak, double blas, int first) {
    if (json)
        fprintf(out, "%s\n  {\"level\":\"%s\",\"M\":%zu,\"N\":%zu,\"K\":%zu,\"gflops\":%.1f,\"percent_of_peak\":%.1f,\"ratio_to_openblas\":%.2f}",
                first ? "" : ",", level, w->M, w->N, w->K, rate, peak > 0 ? 100 * rate / peak : 0, blas > 0 ? rate / blas : 0);
    else
        fprintf(out, "%-8s %5zu %5zu %5zu %9.1f %7.0f%% %9.2fx\n", level, w->M, w->N, w->K, rate,
                peak > 0 ? 100 * rate / peak : 0, blas > 0 ? rate / blas : 0);
}

static void bench_level(FILE *out, int json, work *w, const eg_kernels *k, int *first) {
    double peak = eg_bench_peak(k->level);
    if (!json)
        fprintf(out, "\n%s: measured FMA peak %.1f GFLOP/s\n%-8s %5s %5s %5s %9s %8s %10s\n", k->name, peak, "level", "M",
                "N", "K", "GFLOP/s", "of peak", "OpenBLAS");
    for (size_t i = 0; i < SHAPES; i++)
        for (size_t r = 0; r < ROW_COUNTS; r++) {
            w->N = shapes[i].N;
            w->K = shapes[i].K;
            w->M = rows[r];
            w->level = k;
            eg_gemm_pack(k, w->N, w->K, 0, w->N, w->W, w->K, w->packed);
            w->k = NULL;
            double blas = eg_gemm_openblas(k, 1, 1, 1, w->A, 1, w->W, w->C, 1, NULL, NULL) == EG_OK ? measure(w) : 0;
            w->k = k;
            print_row(out, json, k->name, w, measure(w), peak, blas, *first);
            *first = 0;
        }
}

eg_status eg_bench_gemm(FILE *out, int json, eg_error *err) {
    const eg_kernels *levels[4];
    size_t level_count = eg_kernels_available(levels, 4), most = 1536 * 1536;
    work w = {.A = aligned_alloc(64, most * sizeof(float)), .W = aligned_alloc(64, most * sizeof(float)),
              .packed = aligned_alloc(64, most * sizeof(float)), .C = aligned_alloc(64, most * sizeof(float))};
    eg_status s = EG_OK;
    if (!w.A || !w.W || !w.packed || !w.C) {
        s = eg_fail_memory(err, most * sizeof(float));
    } else {
        char cpu[128];
        int first = 1;
        eg_bench_cpu(cpu, sizeof cpu);
        fill(w.A, most);
        fill(w.W, most);
        if (json)
            fprintf(out, "{\"cpu\":\"%s\",\"threads\":1,\"gemm\":[", cpu);
        else
            fprintf(out, "f32 GEMM on %s, one thread, median of %d runs\n", cpu, RUNS);
        for (size_t i = level_count; i-- > 1;) bench_level(out, json, &w, levels[i], &first); /* the scalar truth is not timed */
        if (json) fprintf(out, "\n]}\n");
    }
    free(w.A);
    free(w.W);
    free(w.packed);
    free(w.C);
    return s;
}
