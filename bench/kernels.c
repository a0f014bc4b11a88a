/* kernels.c - see kernels.h. The sizes are those of the encoders. The ISAs take turns, so that a
 * slow moment of the machine affects all of them. */
#include "bench/kernels.h"

#include <stdlib.h>
#include <string.h>

#include "bench/machine.h"
#include "core/base/status.h"
#include "kernels/kernels.h"

enum { RUNS = 11, MAX_ISAS = 8, ROWS = 32, MAX_SIZE = 512 * 1536, MAX_LENGTH = 256, HEAD = 32, WIDTH = 3 * 384, SPAN = 256 };
enum { DIRECT = 129 }; /* tokens up to which relative positions are read as slices */
#define RUN_SECONDS 0.002

typedef struct work {
    const eg_kernels *k;
    size_t runs, times; /* calls of a run, at least */
    double seconds;
    size_t n; /* elements of a row, or tokens */
    const float *x, *gamma, *beta;
    float *y, *scratch;
    int8_t *q;
    void *rows; /* quantised */
    const eg_relative *relative;
    volatile float sink; /* keeps results that are numbers */
} work;

static void gelu(work *w) { w->k->gelu(w->y, w->n); }
static void tanh_of(work *w) { w->k->tanh(w->y, w->n); }
static void softmax(work *w) { w->k->softmax(w->y, ROWS, w->n, w->n); }
static void layer_norm(work *w) { w->k->layer_norm(w->y, ROWS, w->n, w->n, w->gamma, w->beta, 1e-12f); }
static void mean_rows(work *w) { w->k->mean_rows(w->x, ROWS, w->n, w->n, w->y); }
static void l2_normalize(work *w) { w->k->l2_normalize(w->y, w->n); }
static void dot(work *w) { w->sink = w->k->dot(w->x, w->x + w->n, w->n); }
static void add3(work *w) { w->k->add3(w->x, w->x + w->n, w->x + 2 * w->n, w->y, w->n); }
static void dot_s8(work *w) { w->sink = (float)w->k->dot_s8(w->q, w->q + w->n, w->n); }
static void s8_quantize(work *w) { w->k->s8.quantize(w->x, ROWS, w->n, w->n, w->rows); }
static void bf16_quantize(work *w) { w->k->bf16.quantize(w->x, ROWS, w->n, w->n, w->rows); }
static void attend(work *w, const eg_relative *relative) {
    eg_attention a = {.q = w->x,
                      .k = w->x + 384,
                      .v = w->x + 768,
                      .out = w->y,
                      .ld_qkv = WIDTH,
                      .ld_out = 384,
                      .length = w->n,
                      .queries = w->n,
                      .head_size = HEAD,
                      .scale = 0.17677669f,
                      .scratch = w->scratch,
                      .relative = relative};
    w->k->attention(&a);
}
static void attention(work *w) { attend(w, NULL); }
static void attention_relative(work *w) { attend(w, w->relative); }

static const struct {
    const char *name, *what;
    void (*run)(work *);
    size_t sizes[3];
} kernels[] = {
    {"gelu", "n values", gelu, {384, 1536, 49152}},
    {"tanh", "n values", tanh_of, {384, 0}},
    {"softmax", "32 rows of n", softmax, {16, 64, 256}},
    {"layer_norm", "32 rows of n", layer_norm, {384, 768, 0}},
    {"mean_rows", "32 rows of n", mean_rows, {384, 0}},
    {"l2_normalize", "n values", l2_normalize, {384, 0}},
    {"dot", "n values", dot, {384, 0}},
    {"dot_s8", "n values", dot_s8, {384, 0}},
    {"add3", "n values", add3, {384, 0}},
    {"s8_quantize", "32 rows of n", s8_quantize, {384, 1536, 0}},
    {"bf16_quantize", "32 rows of n", bf16_quantize, {384, 1536, 0}},
    {"attention", "n tokens, a head of 32", attention, {16, 64, 256}},
    {"attention, relative", "n tokens, a head of 32", attention_relative, {16, 128, 256}},
};

/* Median microseconds of each ISA, in turns. */
static void measure(work *w, void (*run)(work *), const eg_kernels *const *isas, size_t count, double *out) {
    double took[MAX_ISAS][RUNS];
    for (size_t r = 0; r < w->runs; r++)
        for (size_t l = 0; l < count; l++) {
            w->k = isas[l];
            memcpy(w->y, w->x, sizeof(float) * ROWS * 1536);
            if (w->runs > 1) run(w);
            size_t times = 0;
            double begun = eg_bench_seconds(), spent;
            do {
                for (size_t i = 0; i < w->times; i++) run(w);
                times += w->times;
                spent = eg_bench_seconds() - begun;
            } while (spent < w->seconds || spent <= 0);
            took[l][r] = 1e6 * spent / (double)times;
        }
    for (size_t l = 0; l < count; l++) out[l] = eg_bench_quantile(took[l], w->runs, 0.5);
}

static void print_all(FILE *out, int json, work *w, const eg_kernels *const *isas, size_t count) {
    char cpu[128];
    int first = 1;
    eg_bench_cpu(cpu, sizeof cpu);
    if (json) {
        fprintf(out, "{\"cpu\":\"%s\",\"threads\":1,\"kernels\":[", cpu);
    } else {
        fprintf(out, "Kernels on %s, one thread, median of %zu runs: microseconds, and times the speed of scalar\n\n%-20s %6s",
                cpu, w->runs, "kernel", "n");
        for (size_t l = 0; l < count; l++) fprintf(out, " %16s", isas[l]->name);
        fprintf(out, "\n");
    }
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        for (size_t s = 0; s < 3 && kernels[i].sizes[s]; s++) {
            double us[MAX_ISAS];
            w->n = kernels[i].sizes[s];
            measure(w, kernels[i].run, isas, count, us);
            if (!json) fprintf(out, "%-20s %6zu", kernels[i].name, w->n);
            for (size_t l = 0; l < count; l++) {
                if (json)
                    fprintf(
                        out,
                        "%s\n  {\"kernel\":\"%s\",\"of\":\"%s\",\"n\":%zu,\"isa\":\"%s\",\"microseconds\":%.4g,\"ratio_to_scalar\":%.4g}",
                        first ? "" : ",", kernels[i].name, kernels[i].what, w->n, isas[l]->name, us[l], us[0] / us[l]);
                else fprintf(out, " %9.3f %5.1fx", us[l], us[0] / us[l]);
                first = 0;
            }
            if (!json) fprintf(out, "   %s\n", kernels[i].what);
        }
    if (json) fprintf(out, "\n]}\n");
}

eg_status eg_bench_kernels(FILE *out, int json, int quick, const eg_kernels *only, eg_error *err) {
    const eg_kernels *isas[MAX_ISAS];
    uint16_t column[2 * MAX_LENGTH]; /* of lengths over DIRECT */
    size_t count = eg_kernels_available(isas, MAX_ISAS), row_bytes = 0, width = 2 * SPAN + 16;
    if (only) isas[1] = only, count = only == isas[0] ? 1 : 2;
    size_t scratch = eg_attention_scratch(MAX_LENGTH, HEAD, SPAN);
    for (size_t l = 0; l < count; l++) {
        size_t s8 = isas[l]->s8.row_bytes(1536), bf16 = isas[l]->bf16.row_bytes(1536), most = s8 > bf16 ? s8 : bf16;
        if (most > row_bytes) row_bytes = most;
    }
    float *x = aligned_alloc(64, MAX_SIZE * sizeof *x), *y = aligned_alloc(64, MAX_SIZE * sizeof *y),
          *more = aligned_alloc(64, (scratch + 15) / 16 * 64);
    float *tables = aligned_alloc(64, 2 * HEAD * width * sizeof *tables);
    int8_t *q = aligned_alloc(64, 1024);
    void *rows = aligned_alloc(64, ROWS * row_bytes);
    eg_status s = EG_OK;
    if (!x || !y || !more || !q || !rows || !tables) {
        s = eg_fail_memory(err, 2 * MAX_SIZE * sizeof *x);
    } else {
        uint32_t seed = 12345;
        for (size_t i = 0; i < MAX_SIZE; i++) {
            seed = seed * 1664525u + 1013904223u;
            x[i] = (float)(int32_t)seed * 0x1p-31f;
        }
        for (size_t i = 0; i < 1024; i++) q[i] = (int8_t)(x[i] * 127);
        memcpy(tables, x, 2 * HEAD * width * sizeof *tables);
        eg_relative relative = {.key = tables,
                                .query = tables + HEAD * width,
                                .span = SPAN,
                                .width = width,
                                .direct = DIRECT,
                                .column = column + MAX_LENGTH};
        for (int distance = 1 - MAX_LENGTH; distance < MAX_LENGTH; distance++)
            column[distance + MAX_LENGTH] = (uint16_t)(SPAN - 1 - distance);
        work w = {.runs = quick ? 1 : RUNS,
                  .times = quick ? 1 : 8,
                  .seconds = quick ? 0 : RUN_SECONDS,
                  .x = x,
                  .gamma = x,
                  .beta = x + 1536,
                  .y = y,
                  .scratch = more,
                  .q = q,
                  .rows = rows,
                  .relative = &relative};
        print_all(out, json, &w, isas, count);
    }
    free(x), free(y), free(more), free(q), free(rows), free(tables);
    return s;
}
