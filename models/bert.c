/* bert.c - one forward pass, top to bottom: eg_bert_forward. Five phases a layer: QKV; attention for each sequence and
 * head; its output with residual, then norm; FFN up with GELU; FFN down with residual, then norm. No padding, no mask. */
#include "models/bert.h"

#include <math.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/size.h"

/* ---- work shared among threads: panels of a GEMM, heads of sequences, blocks of rows ---- */

typedef struct linear_task {
    const eg_engine *e;
    const eg_linear *w;
    size_t M, ldx, ld_out, share;
    const float *x;
    float *out;
    eg_epilogue epilogue;
} linear_task;

static void run_columns(void *arg, size_t i, uint32_t lane) {
    (void)lane;
    const linear_task *t = arg;
    size_t n0 = i * t->share, n1 = n0 + t->share < t->w->N ? n0 + t->share : t->w->N;
    t->e->kernels->gemm(t->M, t->w->N, t->w->K, n0, n1, t->x, t->ldx, t->w->weights, t->out, t->ld_out, &t->epilogue);
}

void eg_linear_run(const eg_engine *e, eg_pool *pool, const eg_linear *w, size_t M, const float *x, size_t ldx, float *out,
                   size_t ld_out, eg_activation activation, const float *residual, size_t ld_residual) {
    linear_task t = {.e = e, .w = w, .M = M, .ldx = ldx, .ld_out = ld_out, .x = x, .out = out,
                     .epilogue = {.bias = w->bias, .residual = residual, .ld_residual = ld_residual, .activation = activation}};
    if (e->gemm == EG_GEMM_OPENBLAS) { /* checked when the engine was made: cannot fail for these sizes */
        (void)eg_gemm_openblas(e->kernels, M, w->N, w->K, x, ldx, w->weights, out, ld_out, &t.epilogue, NULL);
        return;
    }
    size_t width = e->kernels->panel_width, panels = (w->N + width - 1) / width;
    size_t tasks = pool ? eg_pool_threads(pool) * 2 : 1; /* two a thread even out an unlucky one */
    t.share = (panels + tasks - 1) / tasks * width;
    tasks = (w->N + t.share - 1) / t.share;
    if (pool)
        eg_pool_run(pool, tasks, run_columns, &t);
    else
        run_columns(&t, 0, 0);
}

typedef struct attention_task {
    const eg_engine *e;
    const eg_bert *b;
    const eg_ragged *batch;
    const float *qkv;
    float *out, *scratch;
    size_t scratch_each;
} attention_task;

static void run_head(void *arg, size_t i, uint32_t lane) {
    const attention_task *t = arg;
    size_t H = t->b->hidden, d = H / t->b->heads, sequence = i / t->b->heads, at = i % t->b->heads * d;
    size_t first = t->batch->offsets[sequence], length = t->batch->offsets[sequence + 1] - first;
    const float *q = t->qkv + first * 3 * H + at;
    eg_attention a = {.q = q, .k = q + H, .v = q + 2 * H, .out = t->out + first * H + at, .ld_qkv = 3 * H, .ld_out = H,
                      .length = length, .head_size = d, .scale = 1.0f / sqrtf((float)d),
                      .scratch = t->scratch + lane * t->scratch_each};
    t->e->kernels->attention(&a);
}

enum { ROWS_EACH = 16 };
typedef struct norm_task {
    const eg_engine *e;
    const eg_norm *norm;
    float *x;
    size_t rows, width;
    float eps;
} norm_task;

static void run_norm(void *arg, size_t i, uint32_t lane) {
    (void)lane;
    const norm_task *t = arg;
    size_t first = i * ROWS_EACH, n = t->rows - first < ROWS_EACH ? t->rows - first : ROWS_EACH;
    t->e->kernels->layer_norm(t->x + first * t->width, n, t->width, t->width, t->norm->gamma, t->norm->beta, t->eps);
}

static void each(eg_pool *pool, size_t n, void (*task)(void *, size_t, uint32_t), void *arg) {
    if (pool)
        eg_pool_run(pool, n, task, arg);
    else
        for (size_t i = 0; i < n; i++) task(arg, i, 0);
}

static void norm(const eg_engine *e, eg_pool *pool, const eg_norm *n, float *x, size_t rows, size_t width, float eps) {
    norm_task t = {e, n, x, rows, width, eps};
    each(pool, (rows + ROWS_EACH - 1) / ROWS_EACH, run_norm, &t);
}

/* ---- the pass ---- */

static void embed_tokens(const eg_engine *e, const eg_bert *b, const eg_ragged *batch, float *x, float *row) {
    size_t H = b->hidden, blocks = (H + 127) / 128;
    for (size_t s = 0; s < batch->sequences; s++)
        for (size_t i = batch->offsets[s]; i < batch->offsets[s + 1]; i++) {
            const float *word = b->words.f32 ? b->words.f32 + batch->ids[i] * H : row;
            if (!b->words.f32) e->kernels->dequantize_s8(b->words.s8 + batch->ids[i] * H, b->words.scales + batch->ids[i] * blocks, H, row);
            const float *position = b->positions + (i - batch->offsets[s]) * H;
            const float *type = b->types + (batch->types ? batch->types[i] : 0) * H;
            e->kernels->add3(word, type, position, x + i * H, H);
        }
}

static int cancelled(const eg_cancel *c) {
    return c && ((c->flag && *c->flag) || (c->deadline && eg_clock_monotonic() >= c->deadline));
}

/* Sizes of the parts of scratch, in floats, each a multiple of 16 so that every part is aligned. */
typedef struct layout {
    size_t x, qkv, context, middle, attention_each;
} layout;

static size_t padded(size_t floats) { return (floats + 15) / 16 * 16; }

static layout layout_of(const eg_bert *b, size_t tokens, size_t longest) {
    return (layout){.x = padded(tokens * b->hidden),
                    .qkv = padded(tokens * 3 * b->hidden),
                    .context = padded(tokens * b->hidden),
                    .middle = padded(tokens * b->intermediate),
                    .attention_each = padded(eg_attention_scratch(longest, b->hidden / b->heads))};
}

size_t eg_bert_scratch(const eg_bert *b, size_t tokens, size_t longest, uint32_t lanes) {
    size_t widest = b->intermediate + 6 * b->hidden, bound;
    if (!eg_size_mul(tokens, widest, &bound) || bound > SIZE_MAX / 64) return 0;
    layout l = layout_of(b, tokens, longest);
    return l.x + l.qkv + l.context + l.middle + lanes * l.attention_each;
}

eg_status eg_bert_forward(const eg_engine *e, eg_pool *pool, const eg_bert *b, const eg_ragged *batch, float *scratch,
                          const float **states, const eg_cancel *cancel) {
    size_t T = batch->offsets[batch->sequences], H = b->hidden, longest = 0;
    for (size_t s = 0; s < batch->sequences; s++) {
        size_t n = batch->offsets[s + 1] - batch->offsets[s];
        longest = n > longest ? n : longest;
    }
    layout l = layout_of(b, T, longest);
    float *x = scratch, *qkv = x + l.x, *context = qkv + l.qkv, *middle = context + l.context;
    attention_task attention = {e, b, batch, qkv, context, middle + l.middle, l.attention_each};

    embed_tokens(e, b, batch, x, qkv);
    norm(e, pool, &b->embedding_norm, x, T, H, b->eps);
    for (size_t i = 0; i < b->layers; i++) {
        const eg_bert_layer *w = &b->layer[i];
        if (cancelled(cancel)) return EG_ECANCELLED;
        eg_linear_run(e, pool, &w->qkv, T, x, H, qkv, 3 * H, EG_ACT_NONE, NULL, 0);
        each(pool, batch->sequences * b->heads, run_head, &attention);
        eg_linear_run(e, pool, &w->out, T, context, H, x, H, EG_ACT_NONE, x, H);
        norm(e, pool, &w->attention_norm, x, T, H, b->eps);
        eg_linear_run(e, pool, &w->up, T, x, H, middle, b->intermediate, EG_ACT_GELU, NULL, 0);
        eg_linear_run(e, pool, &w->down, T, middle, b->intermediate, x, H, EG_ACT_NONE, x, H);
        norm(e, pool, &w->output_norm, x, T, H, b->eps);
    }
    *states = x;
    return EG_OK;
}
