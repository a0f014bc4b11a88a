/* model.c - see model.h. Texts consist of one-token words, so that their lengths are exact; results
 * are ignored. The formats take turns, run by run, so that a slow moment of the machine affects all
 * of them. */
#include "bench/model.h"

#include <stdlib.h>

#include "bench/machine.h"
#include "bench/peak.h"
#include "core/base/cpu.h"
#include "core/base/status.h"

enum { MAX_BATCH = 128, MAX_WORDS = 256, MAX_RUNS = 11, MIN_RUNS = 3, MAX_FORMATS = 2 };
#define CELL_SECONDS 3.0 /* a cell starts no more runs after this time, but has at least MIN_RUNS */

/* The model in one format, on an engine that all formats share. */
typedef struct contender {
    eg_format format;
    const char *name;
    eg_model *model;
    double times[MAX_RUNS];
    size_t runs;
} contender;

typedef struct bench {
    FILE *out;
    int json, cells;
    eg_engine *engine;
    eg_isa isa;
    eg_model_info info;
    contender contenders[MAX_FORMATS];
    size_t count;
    float *results;
    char *text; /* one-token words */
} bench;

static void close_models(bench *b) {
    for (size_t i = 0; i < b->count; i++) eg_model_close(b->contenders[i].model);
    b->count = 0;
    eg_engine_destroy(b->engine);
    b->engine = NULL;
    free(b->results);
    b->results = NULL;
}

static eg_isa isa_of(const eg_engine *e) {
    const char *name = eg_engine_isa(e);
    for (int i = EG_ISA_SCALAR; i <= EG_ISA_AVX512BF16; i++)
        if (strcmp(name, eg_isa_name((eg_isa)i)) == 0) return (eg_isa)i;
    return EG_ISA_SCALAR;
}

static eg_status open_models(bench *b, const eg_bench_subject *s, uint32_t threads, eg_error *err) {
    static const char *const names[] = {"", "f32", "s8", "bf16"};
    eg_engine_options o = s->engine;
    o.size = sizeof o;
    o.threads = threads;
    eg_status st = eg_engine_create(&o, &b->engine, err);
    for (uint32_t f = EG_FORMAT_F32; st == EG_OK && f <= EG_FORMAT_BF16; f++) {
        if (s->format == EG_FORMAT_AUTO ? f == EG_FORMAT_BF16 : f != s->format) continue;
        /* OpenBLAS has no s8 */
        if (f == EG_FORMAT_S8 && o.gemm != EG_GEMM_OWN && s->format == EG_FORMAT_AUTO) continue;
        eg_model_options options = {.size = sizeof options, .format = f};
        contender *c = &b->contenders[b->count];
        *c = (contender){.format = (eg_format)f, .name = names[f]};
        st = eg_model_open(b->engine, s->dir, &options, &c->model, err);
        if (st == EG_OK) b->count++;
    }
    b->info = (eg_model_info){.size = sizeof b->info};
    if (st == EG_OK) st = eg_model_describe(b->contenders[0].model, &b->info, err);
    if (st == EG_OK && b->info.head == EG_HEAD_TOKENS)
        st = eg_fail(err, EG_EUNSUPPORTED, "'%s' labels tokens: bench measures embeddings and classes", s->dir);
    size_t width = b->info.hidden > b->info.labels ? b->info.hidden : b->info.labels;
    b->results = malloc((width + 1) * MAX_BATCH * sizeof *b->results);
    if (st == EG_OK && !b->results) st = eg_fail_memory(err, width * MAX_BATCH * sizeof *b->results);
    if (st == EG_OK) b->isa = isa_of(b->engine);
    return st;
}

/* A text of n tokens, the special ones not counted. */
static eg_str text_of(const bench *b, size_t n) { return (eg_str){b->text, 5 * n - 1}; }

static eg_status run(const bench *b, const eg_model *m, size_t batch, eg_pair pair, eg_error *err) {
    eg_str texts[MAX_BATCH];
    eg_pair pairs[MAX_BATCH];
    for (size_t i = 0; i < batch; i++) {
        texts[i] = pair.first;
        pairs[i] = pair;
    }
    if (b->info.head == EG_HEAD_CLASSES) return eg_model_classify(m, pairs, batch, b->results, NULL, err);
    return eg_model_embed(m, texts, batch, b->results, NULL, err);
}

/* Fills the times of every contender. */
static eg_status measure(bench *b, size_t batch, eg_pair pair, eg_error *err) {
    double spent = 0;
    for (size_t i = 0; i < b->count; i++) {
        eg_status st = run(b, b->contenders[i].model, batch, pair, err); /* warms up */
        b->contenders[i].runs = 0;
        if (st != EG_OK) return st;
    }
    for (size_t n = 0; n < MAX_RUNS && (n < MIN_RUNS || spent < CELL_SECONDS); n++)
        for (size_t i = 0; i < b->count; i++) {
            double begun = eg_bench_seconds();
            eg_status st = run(b, b->contenders[i].model, batch, pair, err);
            if (st != EG_OK) return st;
            double took = eg_bench_seconds() - begun;
            b->contenders[i].times[b->contenders[i].runs++] = took * 1000;
            spent += took;
        }
    return EG_OK;
}

/* The operations of a call, two for each multiply-add: the four matrices of each layer and the two
 * products of attention. A classifier reads first tokens only; of the other tokens the last layer
 * computes keys and values (and queries, which are in the same matrix). */
static double flops(const eg_model_info *m, size_t tokens, size_t length) {
    double H = m->hidden, I = m->intermediate, L = (double)length, all = (double)tokens;
    double last = m->head == EG_HEAD_CLASSES ? all / L : all;
    return 2.0 * (m->layers * all * 3 * H * H + ((m->layers - 1) * all + last) * (H * H + 2 * H * I + 2 * L * H));
}

static void print_cell(bench *b, size_t batch, size_t length, int pairs) {
    double first = 0;
    for (size_t i = 0; i < b->count; i++) {
        contender *c = &b->contenders[i];
        double ms = eg_bench_quantile(c->times, c->runs, 0.5);
        double spread = 100 * (eg_bench_quantile(c->times, c->runs, 0.75) - eg_bench_quantile(c->times, c->runs, 0.25)) / ms;
        double rate = flops(&b->info, batch * length, length) / ms / 1e6, threads = (double)eg_engine_threads(b->engine);
        double peak = threads * eg_bench_peak(b->isa, c->format);
        if (i == 0) first = ms;
        fprintf(
            b->out,
            b->json
                ? "%s\n {\"threads\":%.0f,\"format\":\"%s\",\"%s\":%zu,\"tokens\":%zu,\"ms\":%.3f,\"spread_percent\":%.1f,\"runs\":%zu,"
                  "\"tokens_per_second\":%.0f,\"texts_per_second\":%.1f,\"gflops\":%.1f,\"percent_of_peak\":%.1f,\"ratio_to_first\":%.2f}"
                : "%s%7.0f %6s %5.0s%6zu %6zu %10.3f %5.1f%% %4zu %10.0f %9.1f %9.1f %6.0f%% %6.2fx\n",
            b->json && b->cells ? "," : "", threads, c->name, pairs ? "pairs" : "batch", batch, length, ms, spread, c->runs,
            (double)(batch * length) / ms * 1000, (double)batch / ms * 1000, rate, peak > 0 ? 100 * rate / peak : 0, first / ms);
        b->cells++;
    }
    fflush(b->out);
}

static void print_head(const bench *b, const char *dir) {
    char cpu[128];
    eg_bench_cpu(cpu, sizeof cpu);
    if (b->json)
        fprintf(b->out, "{\"cpu\":\"%s\",\"isa\":\"%s\",\"model\":\"%s\",\"layers\":%u,\"hidden\":%u,\"cells\":[", cpu,
                eg_engine_isa(b->engine), dir, b->info.layers, b->info.hidden);
    else
        fprintf(b->out, "%s on %s, ISA %s; medians\n%7s %6s %6s %6s %10s %6s %4s %10s %9s %9s %7s %7s\n", dir, cpu,
                eg_engine_isa(b->engine), "threads", "format", "batch", "tokens", "ms", "+-", "runs", "tokens/s", "texts/s",
                "GFLOP/s", "of peak", "ratio");
}

typedef eg_status grid(bench *b, const eg_bench_subject *s, eg_error *err);

/* Runs the grid with one thread and with all, or with the threads asked for. */
static eg_status run_all(const eg_bench_subject *s, FILE *out, int json, grid *cells, eg_error *err) {
    bench b = {.out = out, .json = json, .text = malloc(5 * MAX_WORDS + 1)};
    if (!b.text) return eg_fail_memory(err, 5 * MAX_WORDS + 1);
    for (size_t i = 0; i < MAX_WORDS; i++) sprintf(b.text + 5 * i, "%s ", i % 2 ? "time" : "word");
    uint32_t all = eg_cpu_allowance(), threads = s->engine.threads ? s->engine.threads : 1;
    eg_status st = EG_OK;
    for (int more = 1, first = 1; st == EG_OK && more; first = 0) {
        st = open_models(&b, s, threads, err);
        if (st == EG_OK && first) print_head(&b, s->dir);
        if (st == EG_OK) st = cells(&b, s, err);
        close_models(&b);
        more = !s->engine.threads && threads < all;
        threads = all;
    }
    if (b.cells && json) fprintf(out, "\n]}\n");
    free(b.text);
    return st;
}

static eg_status texts_grid(bench *b, const eg_bench_subject *s, eg_error *err) {
    static const size_t batches[] = {1, 8, 32, 128}, lengths[] = {16, 32, 64, 128, 256};
    for (size_t i = 0; i < 4; i++)
        for (size_t l = 0; l < 5; l++) {
            if (lengths[l] > b->info.max_tokens || (s->quick && (i == 0 || i == 3 || l == 0 || l > 3))) continue;
            /* a classifier gets pairs: three special tokens, two texts */
            eg_pair pair = {.first = text_of(b, lengths[l] - 2)};
            if (b->info.head == EG_HEAD_CLASSES)
                pair = (eg_pair){text_of(b, (lengths[l] - 3) / 2), text_of(b, lengths[l] - 3 - (lengths[l] - 3) / 2)};
            eg_status st = measure(b, batches[i], pair, err);
            if (st != EG_OK) return st;
            print_cell(b, batches[i], lengths[l], 0);
        }
    return EG_OK;
}

static eg_status pairs_grid(bench *b, const eg_bench_subject *s, eg_error *err) {
    enum { PAIRS = 60, SIDE = 23 /* 2 x 23 and three special tokens: 49 */ };
    if (b->info.head != EG_HEAD_CLASSES)
        return eg_fail(err, EG_EUNSUPPORTED, "'%s' gives embeddings and no labels: name an NLI model", s->dir);
    eg_status st = measure(b, PAIRS, (eg_pair){text_of(b, SIDE), text_of(b, SIDE)}, err);
    if (st == EG_OK) print_cell(b, PAIRS, 2 * SIDE + 3, 1);
    return st;
}

eg_status eg_bench_model(const eg_bench_subject *s, FILE *out, int json, eg_error *err) {
    return run_all(s, out, json, texts_grid, err);
}
eg_status eg_bench_nli(const eg_bench_subject *s, FILE *out, int json, eg_error *err) {
    return run_all(s, out, json, pairs_grid, err);
}
