/* model.h - a model timed on this machine: for `engram bench model` and `engram bench nli`. */
#ifndef EG_BENCH_MODEL_H
#define EG_BENCH_MODEL_H

#include <stdio.h>

#include "core/include/engram/status.h"

/* Batches of 1, 8 and 32 texts of 16, 32, 64 and 128 tokens: median milliseconds with spread, tokens a second, GFLOP/s. */
eg_status eg_bench_model(const char *dir, FILE *out, int json, eg_error *err);
/* 60 pairs of about 50 tokens through a classifier: median milliseconds and pairs a second. */
eg_status eg_bench_nli(const char *dir, FILE *out, int json, eg_error *err);

#endif
