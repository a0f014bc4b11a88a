/* load.c - see load.h. One walk over the parts of a model, taken twice: first to measure the block
 * of memory, then to fill it, or to find the parts in a cached block. The first walk also looks up
 * every tensor, so that files which do not fit the config cost no memory. Each matrix is converted
 * row by row into its packed form, so that memory holds the weights once. */
#include "models/load.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/size.h"
#include "core/base/status.h"
#include "models/tensors.h"

enum { BLOCK = 128, NAME = 160 };

/* Where an architecture's checkpoints keep their tensors. */
typedef struct names {
    const char *prefix, *layer; /* layer: printf format of the index */
    const char *query, *key, *value, *out, *attention_norm, *up, *down, *output_norm;
    const char *dense, *output; /* of a classifier */
    int dense_inside;           /* dense is below the prefix */
    eg_activation activation;
} names;

static const names known[] = {
    [EG_BERT] = {"bert.", "encoder.layer.%zu.", "attention.self.query", "attention.self.key", "attention.self.value",
                 "attention.output.dense", "attention.output.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm",
                 "pooler.dense", "classifier", 1, EG_ACT_TANH},
    [EG_ROBERTA] = {"roberta.", "encoder.layer.%zu.", "attention.self.query", "attention.self.key", "attention.self.value",
                    "attention.output.dense", "attention.output.LayerNorm", "intermediate.dense", "output.dense",
                    "output.LayerNorm", "classifier.dense", "classifier.out_proj", 0, EG_ACT_TANH},
    [EG_DEBERTA] = {"deberta.", "encoder.layer.%zu.", "attention.self.query_proj", "attention.self.key_proj",
                    "attention.self.value_proj", "attention.output.dense", "attention.output.LayerNorm", "intermediate.dense",
                    "output.dense", "output.LayerNorm", "pooler.dense", "classifier", 0, EG_ACT_GELU},
};

typedef struct loader {
    const eg_tensors *tensors;
    const eg_config *config;
    const eg_engine *e;
    const names *names;
    const char *prefix; /* "bert." or "" */
    char *block;        /* NULL: measuring */
    size_t used;
    int fill; /* 0: the block is being measured, or came from the cache */
    eg_arena scratch;
    /* DeBERTa: its normalised table of 2 * span rows, and room to project it */
    float *relative, *relative_packed, *relative_bias, *relative_product;
    struct reader *readers; /* one for each thread of the pool */
    eg_format format;
    const eg_quantized_kernels *quantized; /* of the format, NULL: f32 */
    eg_error *err;
} loader;

/* What one thread needs to read rows: room for the widest one, and its own error. */
typedef struct reader {
    const loader *l;
    float *row, *scales;
    int8_t *row_s8;
    uint16_t *row_bf16;
    size_t failed; /* the first row that could not be read, and why */
    eg_error err;
} reader;

/* Columns by distance, from -(max_tokens - 1) to max_tokens - 1; *out points at distance 0. Beyond
 * buckets / 2 the bucket grows with the logarithm of the distance (arXiv 2006.03654, as the
 * reference computes it, in f32). 0: no memory. */
static int relative_columns(const eg_config *c, eg_arena *arena, const uint16_t **out) {
    ptrdiff_t most = (ptrdiff_t)c->max_tokens, middle = c->buckets / 2, span = (ptrdiff_t)c->span;
    uint16_t *columns = eg_arena_array(arena, 2 * (size_t)most, sizeof *columns);
    if (!columns) return 0;
    float whole = (float)log((double)((float)(c->max_distance - 1) / (float)middle));
    for (ptrdiff_t distance = 1 - most; distance < most; distance++) {
        ptrdiff_t far = distance < 0 ? -distance : distance, bucket = far;
        if (c->buckets && far > middle) {
            float part = (float)log((double)((float)far / (float)middle));
            bucket = (ptrdiff_t)ceilf(part / whole * (float)(middle - 1)) + middle;
        }
        ptrdiff_t row = span + (distance < 0 ? -bucket : bucket);
        row = row < 0 ? 0 : row > 2 * span - 1 ? 2 * span - 1 : row;
        columns[distance + most] = (uint16_t)(2 * span - 1 - row);
    }
    *out = columns + most;
    return 1;
}

/* Allocates the next part of the block, 64-byte aligned; NULL while measuring. */
static void *place(loader *l, size_t n, size_t size) {
    size_t bytes, rounded, at = l->used;
    if (!eg_size_mul(n, size, &bytes) || !eg_size_round_up(bytes, 64, &rounded) || !eg_size_add(at, rounded, &l->used))
        l->used = SIZE_MAX;
    /* the block is written to a file */
    else if (l->fill) memset(l->block + at + bytes, 0, rounded - bytes);
    return l->block ? l->block + at : NULL;
}
static float *place_floats(loader *l, size_t n) { return place(l, n, sizeof(float)); }

static void full_name(const loader *l, const char *name, int inside, char out[NAME]) {
    snprintf(out, NAME, "%s%s", inside ? l->prefix : "", name);
}

/* Looks up the tensor of this full name, which must have this shape (columns 0: a vector of
 * `rows`). */
static eg_status find(loader *l, const char *name, size_t rows, size_t columns, const eg_tensor **out) {
    const char *file;
    const eg_tensor *t = *out = eg_tensors_find(l->tensors, name, &file);
    if (!t) return eg_fail(l->err, EG_EFORMAT, "%s: tensor '%s' is missing", file, name);
    int fits = columns ? t->dims == 2 && t->shape[0] == rows && t->shape[1] == columns : t->dims == 1 && t->shape[0] == rows;
    if (!fits) {
        size_t d0 = t->dims > 0 ? t->shape[0] : 0, d1 = t->dims > 1 ? t->shape[1] : 0;
        return eg_fail(l->err, EG_EFORMAT, "%s: tensor '%s' has the shape [%zu, %zu], but config.json needs [%zu, %zu]", file,
                       name, d0, d1, rows, columns);
    }
    if (t->dtype == EG_OTHER_DTYPE)
        return eg_fail(l->err, EG_EUNSUPPORTED,
                       "%s: tensor '%s' has an unsupported type; supported: F32, F16, BF16, I8 with scales", file, name);
    return EG_OK;
}

static eg_status refuse(eg_error *err, const eg_tensor *t, eg_status status, const char *why, size_t at) {
    char name[NAME];
    return eg_fail(err, status, "%s: tensor '%s' %s at element %zu", t->file, eg_quote(t->name, 100, name, sizeof name), why, at);
}

/* A matrix whose rows are read one after the other. */
typedef struct matrix {
    const eg_tensor *t, *scales; /* scales: of an I8 tensor, else NULL */
    size_t rows, columns, blocks;
} matrix;

static eg_status find_matrix(loader *l, const char *name, size_t rows, size_t columns, matrix *m) {
    char scales_name[NAME];
    *m = (matrix){.rows = rows, .columns = columns, .blocks = (columns + BLOCK - 1) / BLOCK};
    eg_status s = find(l, name, rows, columns, &m->t);
    if (s != EG_OK || m->t->dtype != EG_I8) return s;
    snprintf(scales_name, sizeof scales_name, "%s.scales", name);
    if ((s = find(l, scales_name, rows, m->blocks, &m->scales)) != EG_OK) return s;
    return m->scales->dtype == EG_F32 ? EG_OK : refuse(l->err, m->scales, EG_EUNSUPPORTED, "is not F32", 0);
}

/* Reads the elements [from, from + n) of a tensor of floats and checks that they are finite. The
 * data may be unaligned. */
static eg_status read_floats(eg_error *err, const eg_tensor *t, size_t from, size_t n, float *out) {
    const unsigned char *p = t->data;
    if (t->dtype == EG_I8) return refuse(err, t, EG_EUNSUPPORTED, "is I8 but no matrix,", from);
    if (t->dtype == EG_F32) {
        memcpy(out, p + from * 4, n * 4);
    } else {
        for (size_t i = 0; i < n; i++) {
            uint16_t half;
            memcpy(&half, p + (from + i) * 2, 2);
            if (t->dtype == EG_F16) eg_half_to_float(&half, &out[i], 1);
            else eg_bfloat16_to_float(&half, &out[i], 1);
        }
    }
    for (size_t i = 0; i < n; i++)
        if (!isfinite(out[i])) return refuse(err, t, EG_EFORMAT, "holds NaN or infinity", from + i);
    return EG_OK;
}

/* Reads the scales of row r, which must be finite and so small that every product with an s8 value
 * is finite. */
static eg_status read_scales(eg_error *err, const matrix *m, size_t r, float *out) {
    eg_status s = read_floats(err, m->scales, r * m->blocks, m->blocks, out);
    for (size_t i = 0; s == EG_OK && i < m->blocks; i++)
        if (!(fabsf(out[i]) <= FLT_MAX / 128))
            return refuse(err, m->scales, EG_EFORMAT, "holds a scale that is too large", r * m->blocks + i);
    return s;
}

static eg_status read_row(reader *d, const matrix *m, size_t r, float *out) {
    if (!m->scales) return read_floats(&d->err, m->t, r * m->columns, m->columns, out);
    eg_status s = read_scales(&d->err, m, r, d->scales);
    if (s == EG_OK) d->l->e->kernels->dequantize_s8((const int8_t *)m->t->data + r * m->columns, d->scales, m->columns, out);
    return s;
}

/* The row as s8 with scales: from the file, or quantised here. */
static eg_status read_row_s8(reader *d, const matrix *m, size_t r, int8_t *out, float *scales) {
    eg_status s;
    if (m->scales) {
        memcpy(out, m->t->data + r * m->columns, m->columns);
        if (memchr(out, 0x80, m->columns))
            return refuse(&d->err, m->t, EG_EFORMAT, "holds -128",
                          r * m->columns + (size_t)((char *)memchr(out, 0x80, m->columns) - (char *)out));
        return read_scales(&d->err, m, r, scales);
    }
    if ((s = read_floats(&d->err, m->t, r * m->columns, m->columns, d->row)) == EG_OK)
        eg_s8_quantize_weights(d->row, m->columns, out, scales);
    return s;
}

/* The row as bf16, rounded if the file has more bits. */
static eg_status read_row_bf16(reader *d, const matrix *m, size_t r, uint16_t *out) {
    enum { INFINITE = 0x7f80 };
    eg_status s = read_row(d, m, r, d->row);
    if (s != EG_OK) return s;
    eg_float_to_bfloat16(d->row, out, m->columns);
    for (size_t i = 0; i < m->columns; i++)
        if ((out[i] & INFINITE) == INFINITE)
            return refuse(&d->err, m->t, EG_EUNSUPPORTED, "holds a number too large for bf16", r * m->columns + i);
    return EG_OK;
}

/* Where the rows of a matrix go: one of the four pointers is set. */
typedef struct rows_task {
    loader *l;
    const matrix *m;
    float *floats; /* as they are */
    int8_t *s8;    /* with scales, a row after the other */
    float *scales;
    uint16_t *bf16;
    const eg_linear *pack; /* rows n0.. of it */
    size_t n0;
} rows_task;

enum { ROWS_EACH = 64 };

static eg_status read_one(const rows_task *t, reader *d, size_t r) {
    const matrix *m = t->m;
    const eg_kernels *k = t->l->e->kernels;
    const eg_linear *to = t->pack;
    eg_status s;
    if (t->floats) return read_row(d, m, r, t->floats + r * m->columns);
    if (t->s8) return read_row_s8(d, m, r, t->s8 + r * m->columns, t->scales + r * m->blocks);
    if (t->bf16) return read_row_bf16(d, m, r, t->bf16 + r * m->columns);
    if (to->quantized == &k->s8) {
        if ((s = read_row_s8(d, m, r, d->row_s8, d->scales)) == EG_OK)
            k->s8_pack(to->N, to->K, t->n0 + r, d->row_s8, d->scales, (void *)to->packed);
        return s;
    }
    if (to->quantized) {
        if ((s = read_row_bf16(d, m, r, d->row_bf16)) == EG_OK)
            k->bf16_pack(to->N, to->K, t->n0 + r, d->row_bf16, (void *)to->packed);
        return s;
    }
    if (t->l->e->gemm == EG_GEMM_OPENBLAS) return read_row(d, m, r, (float *)to->f32 + (t->n0 + r) * to->K);
    if ((s = read_row(d, m, r, d->row)) == EG_OK) eg_gemm_pack(k, to->N, to->K, t->n0 + r, 1, d->row, to->K, (float *)to->f32);
    return s;
}

static void read_some(void *arg, size_t i, uint32_t lane) {
    const rows_task *t = arg;
    reader *d = &t->l->readers[lane];
    size_t end = (i + 1) * ROWS_EACH < t->m->rows ? (i + 1) * ROWS_EACH : t->m->rows;
    for (size_t r = i * ROWS_EACH; r < end && r < d->failed; r++)
        if (read_one(t, d, r) != EG_OK) d->failed = r;
}

/* Converts all rows, on all threads; if rows cannot be read, reports the first one, whichever
 * thread found it. */
static eg_status read_rows(rows_task *t) {
    loader *l = t->l;
    uint32_t n = eg_pool_threads(l->e->pool), first = 0;
    for (uint32_t i = 0; i < n; i++) l->readers[i].failed = SIZE_MAX;
    eg_pool_run(l->e->pool, (t->m->rows + ROWS_EACH - 1) / ROWS_EACH, read_some, t);
    for (uint32_t i = 1; i < n; i++)
        if (l->readers[i].failed < l->readers[first].failed) first = i;
    const reader *d = &l->readers[first];
    return d->failed == SIZE_MAX ? EG_OK : eg_fail(l->err, d->err.code, "%s", d->err.text);
}

static eg_status load_vector(loader *l, const char *name, int inside, size_t n, const float **out) {
    char full[NAME];
    const eg_tensor *t;
    float *v = place_floats(l, n);
    *out = v;
    full_name(l, name, inside, full);
    eg_status s = find(l, full, n, 0, &t);
    return s == EG_OK && l->fill ? read_floats(l->err, t, 0, n, v) : s;
}

static eg_status load_rows(loader *l, const char *name, size_t rows, size_t columns, const float **out) {
    char full[NAME];
    matrix m;
    float *to = place_floats(l, rows * columns);
    *out = to;
    full_name(l, name, 1, full);
    eg_status s = find_matrix(l, full, rows, columns, &m);
    return s == EG_OK && l->fill ? read_rows(&(rows_task){.l = l, .m = &m, .floats = to}) : s;
}

static eg_status load_words(loader *l, size_t rows, size_t columns, eg_table *out) {
    const char *name = "embeddings.word_embeddings.weight";
    if (!l->quantized) return load_rows(l, name, rows, columns, &out->f32);
    char full[NAME];
    matrix m;
    rows_task t = {.l = l, .m = &m};
    if (l->format == EG_FORMAT_BF16) {
        t.bf16 = place(l, rows * columns, sizeof *t.bf16);
    } else {
        t.s8 = place(l, rows, columns);
        t.scales = place_floats(l, rows * ((columns + BLOCK - 1) / BLOCK));
    }
    *out = (eg_table){.bf16 = t.bf16, .s8 = t.s8, .scales = t.scales};
    full_name(l, name, 1, full);
    eg_status s = find_matrix(l, full, rows, columns, &m);
    return s == EG_OK && l->fill ? read_rows(&t) : s;
}

/* Packs the rows of one matrix to rows n0.. of `to` (N x K), and its bias. */
static eg_status pack_part(loader *l, const char *name, int inside, size_t n0, size_t rows, const eg_linear *to) {
    char full[NAME], weight[NAME + 8], bias_name[NAME + 8];
    const eg_tensor *bias;
    matrix m;
    full_name(l, name, inside, full);
    snprintf(weight, sizeof weight, "%s.weight", full);
    snprintf(bias_name, sizeof bias_name, "%s.bias", full);
    eg_status s = find_matrix(l, weight, rows, to->K, &m);
    if (s == EG_OK) s = find(l, bias_name, rows, 0, &bias);
    if (!l->fill) return s;
    if (s == EG_OK) s = read_floats(l->err, bias, 0, rows, (float *)to->bias + n0);
    return s == EG_OK ? read_rows(&(rows_task){.l = l, .m = &m, .pack = to, .n0 = n0}) : s;
}

/* A linear layer from `parts` equal matrices, stacked. quantized: its format, NULL: f32. */
static eg_status load_linear(loader *l, const char *const *parts, size_t part_count, int inside, size_t N, size_t K,
                             const eg_quantized_kernels *quantized, eg_linear *out) {
    *out = (eg_linear){.N = N, .K = K, .quantized = quantized, .bias = place_floats(l, N)};
    if (quantized) out->packed = place(l, quantized->packed_bytes(N, K), 1);
    else out->f32 = place_floats(l, eg_gemm_packed_size(l->e->kernels, N, K));
    /* OpenBLAS: rows are copied, so the padding of the last panel is not written */
    if (l->fill && !quantized && l->e->gemm != EG_GEMM_OWN)
        memset((float *)out->f32, 0, eg_gemm_packed_size(l->e->kernels, N, K) * sizeof(float));
    eg_status s = EG_OK;
    for (size_t i = 0; s == EG_OK && i < part_count; i++)
        s = pack_part(l, parts[i], inside, i * (N / part_count), N / part_count, out);
    return s;
}

static eg_status load_norm(loader *l, const char *name, size_t n, eg_norm *out) {
    char full[NAME];
    snprintf(full, sizeof full, "%s.weight", name);
    eg_status s = load_vector(l, full, 1, n, &out->gamma);
    snprintf(full, sizeof full, "%s.bias", name);
    return s == EG_OK ? load_vector(l, full, 1, n, &out->beta) : s;
}

/* Projects the table of relative positions, into one table for each head: rows are elements of the
 * head, columns are distances. */
static eg_status load_relative(loader *l, const char *name, const float **out) {
    size_t H = l->config->hidden, rows = 2 * l->config->span, width = eg_relative_width(l->config->span);
    float *to = place_floats(l, H * width);
    *out = to;
    if (!l->fill) return EG_OK;
    eg_linear projection = {.f32 = l->relative_packed, .bias = l->relative_bias, .N = H, .K = H};
    eg_status s = pack_part(l, name, 1, 0, H, &projection);
    if (s != EG_OK) return s;
    eg_linear_run(l->e, l->e->pool, &projection, rows, (eg_rows){.x = l->relative, .ld = H},
                  (eg_rows){.x = l->relative_product, .ld = H}, EG_ACT_NONE, NULL);
    for (size_t h = 0; h < H; h++)
        for (size_t c = 0; c < width; c++) to[h * width + c] = c < rows ? l->relative_product[(rows - 1 - c) * H + h] : 0;
    return EG_OK;
}

static eg_status make_relative(loader *l) {
    size_t H = l->config->hidden, rows = 2 * l->config->span, panels = eg_gemm_packed_size(l->e->kernels, H, H);
    l->relative = eg_arena_array(&l->scratch, rows * H, sizeof *l->relative);
    l->relative_product = eg_arena_array(&l->scratch, rows * H, sizeof *l->relative_product);
    l->relative_bias = eg_arena_array(&l->scratch, H, sizeof *l->relative_bias);
    float *packed = eg_arena_array(&l->scratch, panels + 16, sizeof *packed);
    if (!l->relative || !l->relative_product || !l->relative_bias || !packed) return eg_fail_memory(l->err, rows * H);
    l->relative_packed = packed + (64 - (uintptr_t)packed % 64) % 64 / sizeof *packed;
    return EG_OK;
}

/* Reads and normalises the table of relative positions; while measuring, only checks that its
 * tensors exist. */
static eg_status read_relative(loader *l) {
    const eg_config *c = l->config;
    char full[NAME];
    matrix m;
    size_t rows = 2 * c->span, H = c->hidden;
    const eg_tensor *gamma, *beta;
    full_name(l, "encoder.rel_embeddings.weight", 1, full);
    eg_status s = find_matrix(l, full, rows, H, &m);
    full_name(l, "encoder.LayerNorm.weight", 1, full);
    if (s == EG_OK) s = find(l, full, H, 0, &gamma);
    full_name(l, "encoder.LayerNorm.bias", 1, full);
    if (s == EG_OK) s = find(l, full, H, 0, &beta);
    if (s != EG_OK || !l->fill) return s;
    float *norm = eg_arena_array(&l->scratch, 2 * H, sizeof *norm);
    if (!norm) return eg_fail_memory(l->err, 2 * H);
    s = make_relative(l);
    if (s == EG_OK) s = read_rows(&(rows_task){.l = l, .m = &m, .floats = l->relative});
    if (s == EG_OK) s = read_floats(l->err, gamma, 0, H, norm);
    if (s == EG_OK) s = read_floats(l->err, beta, 0, H, norm + H);
    if (s == EG_OK) l->e->kernels->layer_norm(l->relative, rows, H, H, norm, norm + H, c->layer_norm_eps);
    return s;
}

static eg_status load_layer(loader *l, size_t i, eg_layer *w) {
    enum { PARTS = 8 };
    const names *n = l->names;
    const char *const suffixes[PARTS] = {n->query, n->key, n->value, n->out, n->up, n->down, n->attention_norm, n->output_norm};
    char text[PARTS][NAME], start[NAME];
    const char *name[PARTS];
    snprintf(start, sizeof start, n->layer, i);
    for (size_t k = 0; k < PARTS; k++) {
        snprintf(text[k], NAME, "%.60s%.80s", start, suffixes[k]);
        name[k] = text[k];
    }
    size_t H = l->config->hidden, I = l->config->intermediate;
    eg_status s = load_linear(l, name, 3, 1, 3 * H, H, l->quantized, &w->qkv);
    if (s == EG_OK) s = load_linear(l, name + 3, 1, 1, H, H, l->quantized, &w->out);
    if (s == EG_OK) s = load_linear(l, name + 4, 1, 1, I, H, l->quantized, &w->up);
    if (s == EG_OK) s = load_linear(l, name + 5, 1, 1, H, I, l->quantized, &w->down);
    if (s == EG_OK) s = load_norm(l, name[6], H, &w->attention_norm);
    if (s == EG_OK) s = load_norm(l, name[7], H, &w->output_norm);
    if (s != EG_OK || !l->config->span) return s;
    s = load_relative(l, name[1], &w->relative_key);
    return s == EG_OK ? load_relative(l, name[0], &w->relative_query) : s;
}

/* The walk: every part of the model, in the order of the block. */
static eg_status walk(loader *l, eg_weights *out) {
    const eg_config *c = l->config;
    eg_encoder *m = &out->encoder;
    eg_status s = load_words(l, c->vocabulary, c->hidden, &m->words);
    if (s == EG_OK && c->architecture != EG_DEBERTA)
        s = load_rows(l, "embeddings.position_embeddings.weight", c->positions, c->hidden, &m->positions);
    if (s == EG_OK && c->types) s = load_rows(l, "embeddings.token_type_embeddings.weight", c->types, c->hidden, &m->types);
    if (s == EG_OK) s = load_norm(l, "embeddings.LayerNorm", c->hidden, &m->embedding_norm);
    for (size_t i = 0; s == EG_OK && i < c->layers; i++) s = load_layer(l, i, &m->layer[i]);
    if (s != EG_OK || c->head == EG_HEAD_EMBEDDING) return s;
    /* the head reads one row or a few of each text, so f32 costs nothing */
    out->classifier = (eg_classifier){.activation = l->names->activation};
    if (c->head == EG_HEAD_CLASSES)
        s = load_linear(l, &l->names->dense, 1, l->names->dense_inside, c->hidden, c->hidden, NULL, &out->classifier.dense);
    const char *output = c->head == EG_HEAD_CLASSES ? l->names->output : "classifier";
    return s == EG_OK ? load_linear(l, &output, 1, 0, c->labels, c->hidden, NULL, &out->classifier.output) : s;
}

/* Everything that determines the bytes of a block: the key in the cache. */
typedef struct block_key {
    uint32_t version, isa, format, gemm;
    uint32_t architecture, head, vocabulary, hidden, layers, heads, intermediate, positions, types, labels, span, buckets,
        max_distance, max_tokens;
    float layer_norm_eps;
    uint32_t file_count;
    struct eg_file_stamp files[];
} block_key;
enum { BLOCK_VERSION = 2 };

static eg_status make_key(loader *l, const char *dir, const eg_weights *out, eg_block_key *key) {
    static const char *const formats[] = {[EG_FORMAT_F32] = "f32", [EG_FORMAT_S8] = "s8", [EG_FORMAT_BF16] = "bf16"};
    const eg_config *c = l->config;
    size_t files = l->tensors->count, size = sizeof(block_key) + files * sizeof(struct eg_file_stamp);
    block_key *k = eg_arena_alloc(&l->scratch, size);
    char real[PATH_MAX];
    const char *where = realpath(dir, real) ? real : dir, *last = strrchr(where, '/');
    /* FNV-1a of the whole path, so that models of the same name do not replace each other */
    uint64_t hash = 14695981039346656037u;
    for (const char *p = where; *p; p++) hash = (hash ^ (unsigned char)*p) * 1099511628211u;
    key->name = eg_arena_printf(&l->scratch, "%.60s-%016llx.v%d.%s.%s%s.pack", last ? last + 1 : where, (unsigned long long)hash,
                                BLOCK_VERSION, l->e->kernels->name, formats[l->format],
                                l->e->gemm == EG_GEMM_OPENBLAS ? ".openblas" : "");
    if (!k || !key->name) return eg_fail_memory(l->err, size);
    *k = (block_key){BLOCK_VERSION,   l->e->kernels->isa, out->format,   l->e->gemm,        c->architecture,
                     c->head,         c->vocabulary,      c->hidden,     c->layers,         c->heads,
                     c->intermediate, c->positions,       c->types,      c->labels,         c->span,
                     c->buckets,      c->max_distance,    c->max_tokens, c->layer_norm_eps, (uint32_t)files};
    for (size_t i = 0; i < files; i++) k->files[i] = l->tensors->files[i].stamp;
    key->bytes = k;
    key->size = size;
    return EG_OK;
}

static eg_status make_readers(loader *l) {
    const eg_config *c = l->config;
    size_t widest = c->hidden > c->intermediate ? c->hidden : c->intermediate;
    uint32_t n = eg_pool_threads(l->e->pool);
    l->readers = eg_arena_array(&l->scratch, n, sizeof *l->readers);
    for (uint32_t i = 0; l->readers && i < n; i++) {
        reader *d = &l->readers[i];
        *d = (reader){.l = l,
                      .row = eg_arena_array(&l->scratch, widest, sizeof *d->row),
                      .scales = eg_arena_array(&l->scratch, widest / BLOCK + 1, sizeof *d->scales),
                      .row_s8 = eg_arena_alloc(&l->scratch, widest),
                      .row_bf16 = eg_arena_array(&l->scratch, widest, sizeof *d->row_bf16)};
        if (!d->row || !d->scales || !d->row_s8 || !d->row_bf16) return eg_fail_memory(l->err, widest * sizeof *d->row);
    }
    return l->readers ? EG_OK : eg_fail_memory(l->err, n * sizeof *l->readers);
}

static eg_status fill(loader *l, const char *dir, const char *cache, eg_weights *out) {
    const eg_config *c = l->config;
    eg_block_key key;
    out->encoder = (eg_encoder){.hidden = c->hidden,
                                .heads = c->heads,
                                .intermediate = c->intermediate,
                                .layers = c->layers,
                                .eps = c->layer_norm_eps,
                                .quantized = l->quantized,
                                .first_position = c->first_position,
                                .padding = c->architecture == EG_ROBERTA ? c->first_position - 1 : UINT32_MAX,
                                .direct = SIZE_MAX};
    if (c->span) {
        out->encoder.span = c->span;
        out->encoder.direct = c->buckets ? c->buckets / 2 + 1 : c->span;
        if (!relative_columns(c, &out->arena, &out->encoder.column)) return eg_fail_memory(l->err, c->max_tokens);
    }
    out->encoder.layer = eg_arena_array(&out->arena, c->layers, sizeof *out->encoder.layer);
    if (!out->encoder.layer) return eg_fail_memory(l->err, c->layers * sizeof *out->encoder.layer);
    eg_status s = c->span ? read_relative(l) : EG_OK;
    if (s == EG_OK) s = walk(l, out); /* measures */
    if (s == EG_OK && l->used == SIZE_MAX) s = eg_fail_memory(l->err, l->used);
    if (s == EG_OK) s = make_key(l, dir, out, &key);
    if (s == EG_OK) s = eg_block_take(cache, &key, l->used, l->e->pool, &out->block, l->err);
    if (s != EG_OK) return s;
    l->block = out->block.data;
    l->used = 0;
    l->fill = !out->block.ready;
    if (l->fill) s = make_readers(l);
    if (s == EG_OK && l->fill && c->span) s = read_relative(l);
    if (s == EG_OK) s = walk(l, out);
    if (s == EG_OK) eg_block_publish(&out->block, &key, l->e->pool);
    return s;
}

eg_status eg_weights_load(const char *dir, const eg_config *config, const eg_engine *engine, eg_format format, const char *cache,
                          eg_weights *out, eg_error *err) {
    eg_tensors tensors;
    char words[NAME];
    *out = (eg_weights){0};
    eg_arena_init(&out->arena, 0);
    eg_status s = eg_tensors_open(dir, &tensors, err);
    if (s != EG_OK) return s;
    loader l = {
        .tensors = &tensors, .config = config, .e = engine, .names = &known[config->architecture], .prefix = "", .err = err};
    snprintf(words, sizeof words, "%sembeddings.word_embeddings.weight", l.names->prefix);
    const eg_tensor *table = eg_tensors_find(&tensors, words, NULL);
    if (table) l.prefix = l.names->prefix;
    if (!table) table = eg_tensors_find(&tensors, "embeddings.word_embeddings.weight", NULL);
    if (format == EG_FORMAT_AUTO)
        format = table && table->dtype == EG_I8 && engine->gemm == EG_GEMM_OWN ? EG_FORMAT_S8 : EG_FORMAT_F32;
    if (format != EG_FORMAT_F32 && engine->gemm != EG_GEMM_OWN)
        s = eg_fail(err, EG_EUNSUPPORTED, "the format %s is not available with OpenBLAS: choose gemm=own or the format f32",
                    format == EG_FORMAT_S8 ? "s8" : "bf16");
    out->format = l.format = format;
    l.quantized = format == EG_FORMAT_S8 ? &engine->kernels->s8 : format == EG_FORMAT_BF16 ? &engine->kernels->bf16 : NULL;
    eg_arena_init(&l.scratch, 0);
    if (s == EG_OK) s = fill(&l, dir, cache, out);
    eg_arena_release(&l.scratch);
    eg_tensors_close(&tensors);
    if (s != EG_OK) eg_weights_release(out);
    return s;
}

void eg_weights_release(eg_weights *w) {
    eg_block_release(&w->block);
    eg_arena_release(&w->arena);
    *w = (eg_weights){0};
}
