/* gemm.c - see gemm.h. Medians of several short runs on one thread, in which the contenders take
 * turns. After each run the peak is measured, by multiply-adds in registers. Percentages and ratios
 * are computed for each turn, and the tables show their medians, so that a changing clock rate does
 * not distort them; the percentage of the best run ignores the time that other programs took.
 * Products of few rows, and products whose weights come from memory, are compared with the
 * roofline. */
#include "bench/gemm.h"

#include <stdlib.h>
#include <string.h>

#include "bench/bandwidth.h"
#include "bench/machine.h"
#include "bench/peak.h"
#include "core/base/status.h"
#include "kernels/kernels.h"

enum { RUNS = 9, MAX_SIDE = 1536, QUICK_STREAM = 8 << 20 };
#define RUN_SECONDS 0.02

typedef struct shape {
    size_t N, K;
} shape;
static const shape shapes[] = {{384, 384}, {1152, 384}, {1536, 384}, {384, 1536}};
static const size_t rows[] = {1, 4, 8, 16, 32, 64, 128};
static const size_t read_rows[] = {1, 2, 4, 8, 32, 128}; /* of the second table */
enum { SHAPES = 4, ROW_COUNTS = 7, READ_ROW_COUNTS = 6 };

typedef enum contender { OWN, S8, BF16, BLAS, CONTENDERS } contender;

typedef struct work {
    contender subject;
    const eg_kernels *k; /* the ISA; OpenBLAS takes its arithmetic of epilogues */
    size_t M, N, K;
    float *A, *W, *packed, *C;
    void *A_quantized[BLAS], *W_quantized[BLAS]; /* quantised: of S8 and BF16 */
    size_t runs;
    double seconds; /* of a run */
    /* copies of the packed weights, more than the caches hold; if copies is not 0, each product
     * reads the next one */
    char *stream;
    size_t stream_bytes, copies;
} work;

static double operations(const work *w) { return 2.0 * (double)w->M * (double)w->N * (double)w->K; }

static const eg_quantized_kernels *kernels_of(const work *w) { return w->subject == S8 ? &w->k->s8 : &w->k->bf16; }

static void run_once(const work *w) {
    eg_gemm_call call = {
        .M = w->M, .N = w->N, .K = w->K, .n1 = w->N, .A = w->A, .lda = w->K, .packed = w->packed, .C = w->C, .ldc = w->N};
    if (w->subject == OWN) {
        w->k->gemm(&call);
    } else if (w->subject == BLAS) {
        call.packed = w->W;
        (void)eg_gemm_openblas(w->k, &call, NULL);
    } else {
        call.A = w->A_quantized[w->subject];
        call.packed = w->W_quantized[w->subject];
        kernels_of(w)->gemm(&call);
    }
}

static int has_openblas(const work *w) {
    eg_gemm_call one = {.M = 1, .N = 1, .K = 1, .n1 = 1, .A = w->A, .lda = 1, .packed = w->W, .C = w->C, .ldc = 1};
    return eg_gemm_openblas(w->k, &one, NULL) == EG_OK;
}

/* Packs the weights in each format and quantises the inputs. */
static void prepare(work *w) {
    int8_t row[MAX_SIDE];
    uint16_t row_bf16[MAX_SIDE];
    float scales[MAX_SIDE / 128];
    eg_gemm_pack(w->k, w->N, w->K, 0, w->N, w->W, w->K, w->packed);
    for (size_t n = 0; n < w->N; n++) {
        eg_s8_quantize_weights(w->W + n * w->K, w->K, row, scales);
        w->k->s8_pack(w->N, w->K, n, row, scales, w->W_quantized[S8]);
        eg_float_to_bfloat16(w->W + n * w->K, row_bf16, w->K);
        w->k->bf16_pack(w->N, w->K, n, row_bf16, w->W_quantized[BF16]);
    }
    for (w->subject = S8; w->subject <= BF16; w->subject++)
        kernels_of(w)->quantize(w->A, w->M, w->K, w->K, w->A_quantized[w->subject]);
}

static size_t packed_bytes(const work *w) {
    return w->subject == OWN ? eg_gemm_packed_size(w->k, w->N, w->K) * sizeof(float) : kernels_of(w)->packed_bytes(w->N, w->K);
}

static void run_next(const work *w, size_t *next) {
    work now = *w;
    size_t stride = (packed_bytes(w) + 63) / 64 * 64;
    if (w->copies && w->subject == OWN) now.packed = (float *)(void *)(w->stream + *next * stride);
    if (w->copies && w->subject != OWN) now.W_quantized[w->subject] = w->stream + *next * stride;
    if (w->copies) *next = (*next + 1) % w->copies;
    run_once(&now);
}

/* GFLOP/s of one run; *next: the copy that is read next. */
static double timed(const work *w, size_t *next) {
    double begun = eg_bench_seconds(), took;
    size_t times = 0;
    do {
        for (int i = 0; i < 4; i++) run_next(w, next);
        times += 4;
        took = eg_bench_seconds() - begun;
    } while (took < w->seconds || took <= 0);
    return operations(w) * (double)times / took / 1e9;
}

static double peak_now(const work *w) {
    static const eg_format formats[] = {
        [OWN] = EG_FORMAT_F32, [S8] = EG_FORMAT_S8, [BF16] = EG_FORMAT_BF16, [BLAS] = EG_FORMAT_F32};
    return eg_bench_peak_now(w->k->isa, formats[w->subject]);
}

static double best_of(double *x, size_t n) { return eg_bench_quantile(x, n, 1); }

static double ratio(double a, double b) { return b > 0 ? a / b : 0; }

/* A cell of the first table: GFLOP/s; the fraction of the peak, as median and for the best run; the
 * ratio to f32. */
typedef struct cell {
    double rate[CONTENDERS], share[CONTENDERS], best[CONTENDERS], to_own[CONTENDERS];
} cell;

static cell measure(work *w, int has_blas) {
    double rates[CONTENDERS][RUNS], peaks[CONTENDERS][RUNS], shares[CONTENDERS][RUNS], ratios[CONTENDERS][RUNS];
    size_t next = 0, contenders = has_blas ? CONTENDERS : BLAS;
    cell c = {0};
    for (w->subject = OWN; w->subject < contenders; w->subject++) run_once(w);
    for (size_t r = 0; r < w->runs; r++)
        for (w->subject = OWN; w->subject < contenders; w->subject++) {
            rates[w->subject][r] = timed(w, &next);
            peaks[w->subject][r] = peak_now(w);
            shares[w->subject][r] = ratio(rates[w->subject][r], peaks[w->subject][r]);
            ratios[w->subject][r] = ratio(rates[w->subject][r], rates[OWN][r]);
        }
    for (size_t i = 0; i < contenders; i++) {
        c.rate[i] = eg_bench_quantile(rates[i], w->runs, 0.5);
        c.share[i] = eg_bench_quantile(shares[i], w->runs, 0.5);
        c.best[i] = ratio(best_of(rates[i], w->runs), best_of(peaks[i], w->runs));
        c.to_own[i] = eg_bench_quantile(ratios[i], w->runs, 0.5);
    }
    return c;
}

/* Returns GFLOP/s. share: the fraction of the roofline, as median and for the best run. The product
 * reads `bytes` bytes of weights; how fast they can be read is measured in each turn at `source`,
 * where they are. */
static double measure_read(const work *w, const void *source, size_t source_bytes, size_t bytes, double share[2]) {
    double rates[RUNS], rooflines[RUNS], shares[RUNS];
    size_t next = 0;
    run_next(w, &next);
    for (size_t r = 0; r < w->runs; r++) {
        double from = eg_bench_read_rate(w->k->isa, source, source_bytes, 1, w->seconds);
        rates[r] = timed(w, &next);
        rooflines[r] = eg_bench_roofline(peak_now(w), from, operations(w), bytes);
        shares[r] = ratio(rates[r], rooflines[r]);
    }
    share[0] = eg_bench_quantile(shares, w->runs, 0.5);
    share[1] = ratio(best_of(rates, w->runs), best_of(rooflines, w->runs));
    return eg_bench_quantile(rates, w->runs, 0.5);
}

static void fill(float *x, size_t n) {
    uint32_t s = 12345;
    for (size_t i = 0; i < n; i++) {
        s = s * 1664525u + 1013904223u;
        x[i] = (float)(int32_t)s * 0x1p-32f;
    }
}

static void bench_isa(FILE *out, int json, work *w, const eg_kernels *k, int *first) {
    w->k = k;
    if (!json)
        fprintf(out,
                "\n%s: measured peaks f32 %.1f GFLOP/s, s8 %.1f GOP/s, bf16 %.1f GFLOP/s\n"
                "%-10s %5s %5s %5s %9s %8s %5s %10s %9s %8s %5s %8s %9s %8s %5s %8s\n",
                k->name, eg_bench_peak(k->isa, EG_FORMAT_F32), eg_bench_peak(k->isa, EG_FORMAT_S8),
                eg_bench_peak(k->isa, EG_FORMAT_BF16), "isa", "M", "N", "K", "f32", "of peak", "best", "/ OpenBLAS", "s8",
                "of peak", "best", "/ f32", "bf16", "of peak", "best", "/ f32");
    for (size_t i = 0; i < SHAPES; i++)
        for (size_t r = 0; r < ROW_COUNTS; r++) {
            w->N = shapes[i].N;
            w->K = shapes[i].K;
            w->M = rows[r];
            prepare(w);
            cell c = measure(w, has_openblas(w));
            fprintf(
                out,
                json
                    ? "%s\n  {\"isa\":\"%s\",\"M\":%zu,\"N\":%zu,\"K\":%zu,\"gflops\":%.4g,\"percent_of_peak\":%.4g,"
                      "\"best_percent_of_peak\":%.4g,\"ratio_to_openblas\":%.4g,\"s8_gops\":%.4g,\"s8_percent_of_peak\":%.4g,"
                      "\"s8_best_percent_of_peak\":%.4g,\"s8_ratio_to_f32\":%.4g,\"bf16_gflops\":%.4g,\"bf16_percent_of_peak\":%.4g,"
                      "\"bf16_best_percent_of_peak\":%.4g,\"bf16_ratio_to_f32\":%.4g}"
                    : "%.0s%-10s %5zu %5zu %5zu %9.1f %7.0f%% %4.0f%% %9.2fx %9.1f %7.0f%% %4.0f%% %7.2fx %9.1f %7.0f%% %4.0f%% "
                      "%7.2fx\n",
                *first ? "" : ",", k->name, w->M, w->N, w->K, c.rate[OWN], 100 * c.share[OWN], 100 * c.best[OWN],
                ratio(1, c.to_own[BLAS]), c.rate[S8], 100 * c.share[S8], 100 * c.best[S8], c.to_own[S8], c.rate[BF16],
                100 * c.share[BF16], 100 * c.best[BF16], c.to_own[BF16]);
            *first = 0;
        }
}

/* More than the caches hold: twice the last one, but 128 MB to 1 GB. */
static size_t stream_size(void) {
    size_t least = 128 << 20, most = 1 << 30, twice = 2 * eg_bench_cache(3);
    return twice < least ? least : twice > most ? most : twice;
}

/* The second table: few rows, and weights from memory, in per cent of the roofline. */
static void bench_reading(FILE *out, int json, work *w, const eg_kernels *k, int *first) {
    size_t l2 = eg_bench_cache(2) ? eg_bench_cache(2) / 2 : 128 << 10;
    double from_l2 = eg_bench_read_rate(k->isa, w->stream, l2 < w->stream_bytes ? l2 : w->stream_bytes, w->runs, w->seconds);
    double from_memory = eg_bench_read_rate(k->isa, w->stream, w->stream_bytes, w->runs, w->seconds);
    w->k = k;
    if (json)
        fprintf(out,
                "%s\n  {\"isa\":\"%s\",\"l2_bytes\":%zu,\"l2_gb_per_second\":%.4g,\"memory_bytes\":%zu,"
                "\"memory_gb_per_second\":%.4g,\"gemm\":[",
                *first ? "" : ",", k->name, l2, from_l2, w->stream_bytes, from_memory);
    else
        fprintf(out,
                "\n%s: reads %.1f GB/s from L2 (%zu kB), %.1f GB/s from memory (%zu MB). "
                "The roofline: min(peak, GB/s x operations a byte of weights)\n"
                "%-10s %5s %5s %5s %9s %8s %5s %9s %8s %5s %9s %8s %5s %9s %8s %5s\n",
                k->name, from_l2, l2 >> 10, from_memory, w->stream_bytes >> 20, "isa", "M", "N", "K", "f32", "roofline", "best",
                "streamed", "roofline", "best", "s8", "roofline", "best", "streamed", "roofline", "best");
    *first = 0;
    for (size_t i = 0; i < SHAPES; i++)
        for (size_t r = 0; r < READ_ROW_COUNTS; r++) {
            double rate[2][2], share[2][2][2]; /* of f32 and s8; resident and streamed */
            w->N = shapes[i].N;
            w->K = shapes[i].K;
            w->M = read_rows[r];
            prepare(w);
            for (w->subject = OWN; w->subject <= S8; w->subject++) {
                size_t bytes = packed_bytes(w), stride = (bytes + 63) / 64 * 64;
                const void *packed = w->subject == OWN ? (const void *)w->packed : w->W_quantized[S8];
                for (size_t c = 0; c < w->stream_bytes / stride; c++) memcpy(w->stream + c * stride, packed, bytes);
                for (int streamed = 0; streamed < 2; streamed++) {
                    w->copies = streamed ? w->stream_bytes / stride : 0;
                    rate[w->subject][streamed] = measure_read(
                        w, streamed ? w->stream : packed, streamed ? w->stream_bytes : bytes, bytes, share[w->subject][streamed]);
                }
                w->copies = 0;
            }
            fprintf(
                out,
                json
                    ? "%s\n    {\"M\":%zu,\"N\":%zu,\"K\":%zu,\"gflops\":%.4g,\"percent_of_roofline\":%.4g,\"best_percent_of_roofline\":%.4g,"
                      "\"streamed_gflops\":%.4g,\"streamed_percent_of_roofline\":%.4g,\"streamed_best_percent_of_roofline\":%.4g,"
                      "\"s8_gops\":%.4g,\"s8_percent_of_roofline\":%.4g,\"s8_best_percent_of_roofline\":%.4g,\"s8_streamed_gops\":%.4g,"
                      "\"s8_streamed_percent_of_roofline\":%.4g,\"s8_streamed_best_percent_of_roofline\":%.4g}"
                    : "%-10s %5zu %5zu %5zu %9.1f %7.0f%% %4.0f%% %9.1f %7.0f%% %4.0f%% %9.1f %7.0f%% %4.0f%% %9.1f %7.0f%% %4.0f%%\n",
                json ? (i || r ? "," : "") : k->name, w->M, w->N, w->K, rate[OWN][0], 100 * share[OWN][0][0],
                100 * share[OWN][0][1], rate[OWN][1], 100 * share[OWN][1][0], 100 * share[OWN][1][1], rate[S8][0],
                100 * share[S8][0][0], 100 * share[S8][0][1], rate[S8][1], 100 * share[S8][1][0], 100 * share[S8][1][1]);
        }
    if (json) fprintf(out, "]}");
}

eg_status eg_bench_gemm(FILE *out, int json, int quick, const eg_kernels *only, eg_error *err) {
    const eg_kernels *isas[8];
    /* four bytes a weight: padding and scales of any ISA fit */
    size_t isa_count = eg_kernels_available(isas, 8), most = MAX_SIDE * MAX_SIDE, bytes = most * sizeof(float);
    work w = {.A = aligned_alloc(64, bytes),
              .W = aligned_alloc(64, bytes),
              .packed = aligned_alloc(64, bytes),
              .C = aligned_alloc(64, bytes),
              .A_quantized = {[S8] = aligned_alloc(64, bytes), [BF16] = aligned_alloc(64, bytes)},
              .W_quantized = {[S8] = aligned_alloc(64, bytes), [BF16] = aligned_alloc(64, bytes)},
              .runs = quick ? 1 : RUNS,
              .seconds = quick ? 0 : RUN_SECONDS,
              .stream_bytes = quick ? (size_t)QUICK_STREAM : stream_size()};
    w.stream = aligned_alloc(64, w.stream_bytes);
    eg_status s = EG_OK;
    if (only) isas[1] = only, isa_count = 2; /* the scalar ISA, the first one, is not timed */
    if (!w.A || !w.W || !w.packed || !w.C || !w.A_quantized[S8] || !w.W_quantized[S8] || !w.A_quantized[BF16] ||
        !w.W_quantized[BF16] || !w.stream) {
        s = eg_fail_memory(err, w.stream ? bytes : w.stream_bytes);
    } else {
        char cpu[128];
        int first = 1;
        eg_bench_cpu(cpu, sizeof cpu);
        fill(w.A, most);
        fill(w.W, most);
        if (json) fprintf(out, "{\"cpu\":\"%s\",\"threads\":1,\"gemm\":[", cpu);
        else fprintf(out, "GEMM on %s, one thread, median of %zu runs\n", cpu, w.runs);
        for (size_t i = isa_count; i-- > 1;) bench_isa(out, json, &w, isas[i], &first);
        if (json) fprintf(out, "\n],\"reading\":[");
        first = 1;
        /* pages that were never written would share one page of zeros */
        memset(w.stream, 1, w.stream_bytes);
        for (size_t i = isa_count; i-- > 1;) bench_reading(out, json, &w, isas[i], &first);
        if (json) fprintf(out, "\n]}\n");
    }
    free(w.A), free(w.W), free(w.packed), free(w.C), free(w.stream);
    for (contender c = S8; c <= BF16; c++) free(w.A_quantized[c]), free(w.W_quantized[c]);
    return s;
}
