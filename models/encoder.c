/* encoder.c - the forward pass, top to bottom in eg_encoder_forward. A layer has five phases: QKV;
 * attention for each sequence and head; its output with residual, then norm; FFN up with GELU; FFN
 * down with residual, then norm. No padding, no mask. In s8 and bf16, each phase that writes rows
 * for the next matrix also quantises them. If the caller wants first tokens only, everything after
 * the keys and values of the last layer is computed for those alone, which saves an eighth of the
 * work of six layers. */
#include "models/encoder.h"

#include <math.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/size.h"

/* ---- work shared among threads: panels of a GEMM, heads of sequences, blocks of rows ---- */

typedef struct linear_task {
    const eg_kernels *k;
    const eg_linear *w;
    size_t share;      /* columns of a task */
    eg_gemm_call call; /* of all columns */
    int to_f32;        /* 0: the result is quantised */
} linear_task;

static void run_columns(void *arg, size_t i, uint32_t lane) {
    (void)lane;
    const linear_task *t = arg;
    const eg_linear *w = t->w;
    size_t n0 = i * t->share, n1 = n0 + t->share < w->N ? n0 + t->share : w->N;
    eg_gemm_call call = t->call;
    call.n0 = n0;
    call.n1 = n1;
    if (w->f32) t->k->gemm(&call);
    else if (t->to_f32) w->quantized->gemm(&call);
    else w->quantized->gemm_quantized(&call);
}

void eg_linear_run(const eg_engine *e, eg_pool *pool, const eg_linear *w, size_t M, eg_rows in, eg_rows out,
                   eg_activation activation, const float *residual) {
    const eg_epilogue epilogue = {.bias = w->bias, .residual = residual, .ld_residual = w->N, .activation = activation};
    linear_task t = {.k = e->kernels,
                     .w = w,
                     .call = {.M = M,
                              .N = w->N,
                              .K = w->K,
                              .n1 = w->N,
                              .A = w->f32 ? (const void *)in.x : in.q,
                              .lda = in.ld,
                              .packed = w->f32 ? (const void *)w->f32 : w->packed,
                              .C = out.x ? (void *)out.x : out.q,
                              .ldc = out.ld,
                              .epilogue = &epilogue},
                     .to_f32 = out.x != NULL};
    /* checked when the engine was created: cannot fail for these sizes */
    if (w->f32 && e->gemm == EG_GEMM_OPENBLAS) {
        (void)eg_gemm_openblas(e->kernels, &t.call, NULL);
        return;
    }
    /* a task's columns: whole units */
    size_t unit = w->f32 ? e->kernels->panel_width : out.x ? w->quantized->panel_width : 128;
    size_t units = (w->N + unit - 1) / unit;
    /* two for each thread, so that a slow one delays less */
    size_t tasks = pool ? eg_pool_threads(pool) * 2 : 1;
    t.share = (units + tasks - 1) / tasks * unit;
    tasks = (w->N + t.share - 1) / t.share;
    if (pool) eg_pool_run(pool, tasks, run_columns, &t);
    else run_columns(&t, 0, 0);
}

typedef struct attention_task {
    const eg_engine *e;
    const eg_encoder *m;
    const eg_ragged *batch;
    const float *qkv;
    float *out, *scratch;
    size_t scratch_each;
    float scale;
    const eg_layer *layer;
    int only_first; /* one query for each sequence; the rows of out are adjacent */
} attention_task;

static void run_head(void *arg, size_t i, uint32_t lane) {
    const attention_task *t = arg;
    size_t H = t->m->hidden, d = H / t->m->heads, sequence = i / t->m->heads, at = i % t->m->heads * d;
    size_t from = t->batch->offsets[sequence], length = t->batch->offsets[sequence + 1] - from,
           first = from - t->batch->offsets[0];
    const float *q = t->qkv + first * 3 * H + at;
    size_t width = eg_relative_width(t->m->span);
    eg_relative relative = {.span = t->m->span, .width = width, .direct = t->m->direct, .column = t->m->column};
    if (relative.span) {
        relative.key = t->layer->relative_key + at * width;
        relative.query = t->layer->relative_query + at * width;
    }
    eg_attention a = {.q = q,
                      .k = q + H,
                      .v = q + 2 * H,
                      .out = t->out + (t->only_first ? sequence : first) * H + at,
                      .ld_qkv = 3 * H,
                      .ld_out = H,
                      .length = length,
                      .queries = t->only_first ? 1 : length,
                      .head_size = d,
                      .scale = t->scale,
                      .scratch = t->scratch + lane * t->scratch_each,
                      .relative = relative.span ? &relative : NULL};
    t->e->kernels->attention(&a);
}

enum { ROWS_EACH = 16 };
typedef struct rows_task {
    const eg_kernels *k;
    const eg_quantized_kernels *quantized;
    const eg_norm *norm; /* NULL: quantise only */
    eg_rows rows;        /* of `width`; q NULL: nothing to quantise */
    size_t count, width;
    float eps;
} rows_task;

static void run_rows(void *arg, size_t i, uint32_t lane) {
    (void)lane;
    const rows_task *t = arg;
    size_t first = i * ROWS_EACH, n = t->count - first < ROWS_EACH ? t->count - first : ROWS_EACH;
    float *x = t->rows.x + first * t->width;
    if (t->norm) t->k->layer_norm(x, n, t->width, t->width, t->norm->gamma, t->norm->beta, t->eps);
    if (t->rows.q)
        t->quantized->quantize(x, n, t->width, t->width, (char *)t->rows.q + first * t->quantized->row_bytes(t->width));
}

static void each(eg_pool *pool, size_t n, void (*task)(void *, size_t, uint32_t), void *arg) {
    if (pool) eg_pool_run(pool, n, task, arg);
    else
        for (size_t i = 0; i < n; i++) task(arg, i, 0);
}

/* Applies the layer norm to the rows (norm NULL: none), and quantises them for the next matrix
 * unless that is f32. */
static void finish_rows(const eg_engine *e, eg_pool *pool, const eg_encoder *m, const eg_norm *norm, eg_rows rows, size_t count) {
    rows_task t = {e->kernels, m->quantized, norm, rows, count, m->hidden, m->eps};
    each(pool, (count + ROWS_EACH - 1) / ROWS_EACH, run_rows, &t);
}

/* ---- the pass ---- */

static void embed_tokens(const eg_engine *e, const eg_encoder *m, const eg_ragged *batch, float *x, float *row) {
    size_t H = m->hidden, blocks = (H + 127) / 128;
    for (size_t s = 0; s < batch->sequences; s++) {
        size_t position = m->first_position;
        for (size_t i = batch->offsets[s]; i < batch->offsets[s + 1]; i++, x += H) {
            uint32_t id = batch->ids[i];
            const float *word = m->words.f32 ? m->words.f32 + id * H : row;
            if (m->words.bf16) eg_bfloat16_to_float(m->words.bf16 + id * H, row, H);
            if (m->words.s8) e->kernels->dequantize_s8(m->words.s8 + id * H, m->words.scales + id * blocks, H, row);
            if (!m->positions) {
                memcpy(x, word, H * sizeof *x);
                continue;
            }
            size_t at = id == m->padding ? m->first_position - 1 : position++;
            e->kernels->add3(word, m->types + batch->types[i] * H, m->positions + at * H, x, H);
        }
    }
}

/* Moves the row of each sequence's first token to the front. */
static void gather_first(const eg_ragged *batch, float *x, size_t H) {
    for (size_t s = 1; s < batch->sequences; s++)
        memmove(x + s * H, x + (batch->offsets[s] - batch->offsets[0]) * H, H * sizeof *x);
}

int eg_cancelled(const eg_cancel *c) { return eg_cancel_is_set(c) || (c && c->deadline && eg_clock_monotonic() >= c->deadline); }

/* Sizes of the parts of scratch, in floats, each a multiple of 16 so that every part is aligned. */
typedef struct layout {
    size_t x, qkv, context, middle, quantized, attention_each;
} layout;

static size_t padded(size_t floats) { return (floats + 15) / 16 * 16; }

static layout layout_of(const eg_encoder *m, size_t tokens, size_t longest) {
    size_t middle = m->quantized ? m->quantized->row_bytes(m->intermediate) / sizeof(float) : m->intermediate;
    return (layout){.x = padded(tokens * m->hidden),
                    .qkv = padded(tokens * 3 * m->hidden),
                    .context = padded(tokens * m->hidden),
                    .middle = padded(tokens * middle),
                    .quantized = m->quantized ? padded(tokens * m->quantized->row_bytes(m->hidden) / sizeof(float)) : 0,
                    .attention_each =
                        padded(eg_attention_scratch(longest, m->hidden / m->heads, longest > m->direct ? m->span : 0))};
}

size_t eg_encoder_scratch(const eg_encoder *m, size_t tokens, size_t longest, uint32_t lanes) {
    size_t widest = m->intermediate + 8 * m->hidden, bound;
    if (!eg_size_mul(tokens, widest, &bound) || bound > SIZE_MAX / 64) return 0;
    layout l = layout_of(m, tokens, longest);
    return l.x + l.qkv + l.context + l.middle + l.quantized + lanes * l.attention_each;
}

eg_status eg_encoder_forward(const eg_engine *e, eg_pool *pool, const eg_encoder *m, const eg_ragged *batch, int only_first,
                             float *scratch, const float **states, const eg_cancel *cancel) {
    size_t T = batch->offsets[batch->sequences] - batch->offsets[0], H = m->hidden, longest = 0;
    for (size_t s = 0; s < batch->sequences; s++) {
        size_t n = batch->offsets[s + 1] - batch->offsets[s];
        longest = n > longest ? n : longest;
    }
    layout l = layout_of(m, T, longest);
    float *at = scratch;
    eg_rows x = {.x = at, .ld = H}, qkv = {.x = at += l.x, .ld = 3 * H}, context = {.x = at += l.qkv, .ld = H};
    float *middle_part = at += l.context, *quantized = at += l.middle;
    eg_rows middle = m->quantized ? (eg_rows){.q = middle_part} : (eg_rows){.x = middle_part, .ld = m->intermediate};
    if (m->quantized) x.q = context.q = quantized; /* never both at once */
    attention_task attention = {.e = e,
                                .m = m,
                                .batch = batch,
                                .qkv = qkv.x,
                                .out = context.x,
                                .scratch = quantized + l.quantized,
                                .scratch_each = l.attention_each,
                                /* three products in a score */
                                .scale = 1.0f / sqrtf((float)(H / m->heads * (m->span ? 3 : 1)))};

    embed_tokens(e, m, batch, x.x, qkv.x);
    finish_rows(e, pool, m, &m->embedding_norm, x, T);
    for (size_t i = 0; i < m->layers; i++) {
        const eg_layer *w = &m->layer[i];
        if (eg_cancelled(cancel)) return EG_ECANCELLED;
        eg_linear_run(e, pool, &w->qkv, T, x, qkv, EG_ACT_NONE, NULL);
        attention.layer = w;
        attention.only_first = only_first && i + 1 == m->layers;
        each(pool, batch->sequences * m->heads, run_head, &attention);
        if (attention.only_first) {
            gather_first(batch, x.x, H);
            T = batch->sequences;
        }
        if (m->quantized) finish_rows(e, pool, m, NULL, context, T);
        eg_linear_run(e, pool, &w->out, T, context, x, EG_ACT_NONE, x.x);
        finish_rows(e, pool, m, &w->attention_norm, x, T);
        eg_linear_run(e, pool, &w->up, T, x, middle, EG_ACT_GELU, NULL);
        eg_linear_run(e, pool, &w->down, T, middle, x, EG_ACT_NONE, x.x);
        finish_rows(e, pool, m, &w->output_norm, x, T);
    }
    *states = x.x;
    return EG_OK;
}
