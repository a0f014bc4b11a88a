/* model.c - see model.h. Texts are made of one-token words, so that lengths are exact; the label or vector does not matter. */
#include "bench/model.h"

#include <stdlib.h>

#include "bench/machine.h"
#include "core/base/status.h"
#include "core/include/engram/infer.h"

enum { MOST_BATCH = 60, MOST_WORDS = 256, RUNS = 11 };

typedef struct subject {
    eg_engine *engine;
    eg_model *model;
    eg_model_info info;
    float *out;
    char *text; /* one-token words */
} subject;

static void close_subject(subject *s) {
    free(s->out);
    free(s->text);
    eg_model_close(s->model);
    eg_engine_destroy(s->engine);
}

static eg_status open_subject(const char *dir, subject *s, eg_error *err) {
    *s = (subject){.info = {.size = sizeof s->info}};
    eg_status st = eg_engine_create(NULL, &s->engine, err);
    if (st == EG_OK) st = eg_model_open(s->engine, dir, NULL, &s->model, err);
    if (st == EG_OK) st = eg_model_describe(s->model, &s->info, err);
    size_t width = s->info.hidden > s->info.labels ? s->info.hidden : s->info.labels;
    s->out = malloc((width + 1) * MOST_BATCH * sizeof *s->out);
    s->text = malloc(5 * MOST_WORDS + 1);
    if (st == EG_OK && (!s->out || !s->text)) st = eg_fail_memory(err, width * MOST_BATCH * sizeof *s->out);
    if (st == EG_OK)
        for (size_t i = 0; i < MOST_WORDS; i++) sprintf(s->text + 5 * i, "%s ", i % 2 ? "time" : "word");
    if (st != EG_OK) close_subject(s);
    return st;
}

/* A text of n tokens, the special ones not counted. */
static eg_str text_of(const subject *s, size_t n) { return (eg_str){s->text, 5 * n - 1}; }

static eg_status run(const subject *s, size_t batch, eg_pair pair, eg_error *err) {
    eg_str texts[MOST_BATCH];
    eg_pair pairs[MOST_BATCH];
    for (size_t i = 0; i < batch; i++) {
        texts[i] = pair.first;
        pairs[i] = pair;
    }
    if (s->info.head == EG_HEAD_CLASSES) return eg_model_classify(s->model, pairs, batch, s->out, NULL, err);
    return eg_model_embed(s->model, texts, batch, s->out, NULL, err);
}

/* Milliseconds of one call: the median; *spread: the distance of the quartiles, in per cent of it. */
static eg_status measure(const subject *s, size_t batch, eg_pair pair, double *median, double *spread, eg_error *err) {
    double times[RUNS];
    eg_status st = run(s, batch, pair, err);
    for (size_t i = 0; st == EG_OK && i < RUNS; i++) {
        double begun = eg_bench_seconds();
        st = run(s, batch, pair, err);
        times[i] = (eg_bench_seconds() - begun) * 1000;
    }
    if (st != EG_OK) return st;
    *median = eg_bench_quantile(times, RUNS, 0.5);
    *spread = 100 * (eg_bench_quantile(times, RUNS, 0.75) - eg_bench_quantile(times, RUNS, 0.25)) / *median;
    return EG_OK;
}

/* Multiply-adds count two: the four matrices of each layer and the two attention products. */
static double flops(const eg_model_info *m, size_t tokens, size_t length) {
    double H = m->hidden, I = m->intermediate, L = (double)length;
    return 2.0 * m->layers * (double)tokens * (4 * H * H + 2 * H * I + 2 * L * H);
}

static void print_head(const subject *s, const char *dir, FILE *out, int json, const char *what) {
    char cpu[128];
    eg_bench_cpu(cpu, sizeof cpu);
    if (json)
        fprintf(out, "{\"cpu\":\"%s\",\"threads\":%u,\"level\":\"%s\",\"model\":\"%s\",\"%s\":[", cpu, eg_engine_threads(s->engine), eg_engine_level(s->engine), dir, what);
    else
        fprintf(out, "%s on %s, %u threads, level %s, median of %d\n", dir, cpu, eg_engine_threads(s->engine), eg_engine_level(s->engine), RUNS);
}

eg_status eg_bench_model(const char *dir, FILE *out, int json, eg_error *err) {
    static const size_t batches[] = {1, 8, 32}, lengths[] = {16, 32, 64, 128};
    subject s;
    eg_status st = open_subject(dir, &s, err);
    if (st != EG_OK) return st;
    print_head(&s, dir, out, json, "cells");
    if (!json) fprintf(out, "%6s %7s %10s %7s %12s %9s\n", "batch", "tokens", "ms", "+-", "tokens/s", "GFLOP/s");
    for (size_t b = 0; st == EG_OK && b < 3; b++)
        for (size_t l = 0; st == EG_OK && l < 4; l++) {
            size_t tokens = batches[b] * lengths[l];
            double ms = 0, spread = 0;
            st = measure(&s, batches[b], (eg_pair){.first = text_of(&s, lengths[l] - 2)}, &ms, &spread, err);
            if (st != EG_OK) break;
            fprintf(out, json ? "%s\n {\"batch\":%zu,\"tokens\":%zu,\"ms\":%.3f,\"spread_percent\":%.1f,\"tokens_per_second\":%.0f,\"gflops\":%.1f}"
                              : "%s%6zu %7zu %10.3f %6.1f%% %12.0f %9.1f\n",
                    json && (b || l) ? "," : "", batches[b], lengths[l], ms, spread, (double)tokens / ms * 1000,
                    flops(&s.info, tokens, lengths[l]) / ms / 1e6);
        }
    if (json) fprintf(out, "\n]}\n");
    close_subject(&s);
    return st;
}

eg_status eg_bench_nli(const char *dir, FILE *out, int json, eg_error *err) {
    enum { PAIRS = 60, SIDE = 23 /* 2 x 23 and three special tokens: 49 */ };
    subject s;
    eg_status st = open_subject(dir, &s, err);
    if (st != EG_OK) return st;
    double ms = 0, spread = 0;
    if (s.info.head != EG_HEAD_CLASSES) st = eg_fail(err, EG_EUNSUPPORTED, "'%s' gives embeddings and no labels: name an NLI model", dir);
    if (st == EG_OK) st = measure(&s, PAIRS, (eg_pair){text_of(&s, SIDE), text_of(&s, SIDE)}, &ms, &spread, err);
    if (st == EG_OK) {
        print_head(&s, dir, out, json, "cells");
        fprintf(out, json ? "\n {\"pairs\":%d,\"tokens\":%d,\"ms\":%.3f,\"spread_percent\":%.1f,\"pairs_per_second\":%.0f}\n]}\n"
                          : "%d pairs of %d tokens: %.1f ms (+- %.1f%%), %.0f pairs/s\n",
                PAIRS, 2 * SIDE + 3, ms, spread, PAIRS / ms * 1000);
    }
    close_subject(&s);
    return st;
}
