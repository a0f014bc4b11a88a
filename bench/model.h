/* model.h - times models: for `engram bench model` and `engram bench nli`. Uses public headers and
 * core/base only. */
#ifndef EG_BENCH_MODEL_H
#define EG_BENCH_MODEL_H

#include <stdio.h>

#include "core/include/engram/infer.h"

typedef struct eg_bench_subject {
    const char *dir;
    eg_engine_options engine; /* threads 0: one thread, then all of them */
    uint32_t format;          /* eg_format; EG_FORMAT_AUTO: f32 and s8 side by side */
    int quick;                /* only the middle of the grid of batches and lengths */
} eg_bench_subject;

/* Batches of 1, 8, 32 and 128 texts of 16 to 256 tokens: median milliseconds with the interquartile
 * range, tokens a second, GFLOP/s, per cent of the measured peak of the format; one row for each
 * format. */
eg_status eg_bench_model(const eg_bench_subject *s, FILE *out, int json, eg_error *err);
/* 60 pairs of about 50 tokens through a classifier: median milliseconds and pairs a second. */
eg_status eg_bench_nli(const eg_bench_subject *s, FILE *out, int json, eg_error *err);

#endif
