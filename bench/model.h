/* model.h - a model timed on this machine: for `engram bench model` and `engram bench nli`. */
#ifndef EG_BENCH_MODEL_H
#define EG_BENCH_MODEL_H

#include <stdio.h>

#include "core/include/engram/infer.h"

typedef struct eg_bench_subject {
    const char *dir;
    eg_engine_options engine; /* threads 0: one thread, then all of them */
    uint32_t format;          /* eg_format; EG_FORMAT_AUTO: f32 and s8 side by side */
    int quick;                /* the middle of the grid only */
} eg_bench_subject;

/* Batches of 1, 8, 32 and 128 texts of 16 to 256 tokens: median milliseconds with the distance of the quartiles, tokens a second,
 * GFLOP/s, per cent of the measured peak of the format; formats side by side, cell by cell. */
eg_status eg_bench_model(const eg_bench_subject *s, FILE *out, int json, eg_error *err);
/* 60 pairs of about 50 tokens through a classifier: median milliseconds and pairs a second. */
eg_status eg_bench_nli(const eg_bench_subject *s, FILE *out, int json, eg_error *err);

#endif
