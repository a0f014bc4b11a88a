/* load.c - see load.h. Each matrix is converted row by row straight into its packed form, so that memory holds the
 * weights once. */
#include "models/load.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/file.h"
#include "core/base/size.h"
#include "core/base/status.h"
#include "models/safetensors.h"

enum { BLOCK = 128, NAME = 160 };

typedef struct loader {
    const eg_safetensors *file;
    const eg_engine *e;
    eg_arena *arena;
    float *row; /* the widest row */
    const char *prefix; /* "bert." or "" */
    eg_error *err;
} loader;

static float *aligned_floats(loader *l, size_t n) {
    size_t bytes;
    char *p = eg_size_mul(n, sizeof(float), &bytes) && eg_size_add(bytes, 64, &bytes) ? eg_arena_alloc(l->arena, bytes) : NULL;
    if (!p) {
        eg_fail_memory(l->err, n);
        return NULL;
    }
    return (float *)(void *)(p + (64 - (uintptr_t)p % 64) % 64);
}

/* The tensor `prefix + name`, which must have this shape (columns 0: a vector of `rows`). */
static eg_status find(loader *l, const char *name, size_t rows, size_t columns, const eg_tensor **out) {
    char full[NAME];
    snprintf(full, sizeof full, "%s%s", l->prefix, name);
    const eg_tensor *t = *out = eg_safetensors_find(l->file, full);
    if (!t) return eg_fail(l->err, EG_EFORMAT, "%s: tensor '%s' is missing", l->file->name, full);
    int fits = columns ? t->dims == 2 && t->shape[0] == rows && t->shape[1] == columns : t->dims == 1 && t->shape[0] == rows;
    if (!fits) {
        size_t d0 = t->dims > 0 ? t->shape[0] : 0, d1 = t->dims > 1 ? t->shape[1] : 0;
        return eg_fail(l->err, EG_EFORMAT, "%s: tensor '%s' has shape [%zu, %zu], the config asks for [%zu, %zu]", l->file->name,
                       full, d0, d1, rows, columns);
    }
    if (t->dtype == EG_OTHER_DTYPE)
        return eg_fail(l->err, EG_EUNSUPPORTED, "%s: tensor '%s' is of no supported type (F32, F16, BF16, I8 with scales)",
                       l->file->name, full);
    return EG_OK;
}

/* The scales of an s8 matrix, copied so that they are aligned; NULL and EG_OK for other types. */
static eg_status find_scales(loader *l, const char *name, const eg_tensor *t, const float **out) {
    *out = NULL;
    if (t->dtype != EG_I8) return EG_OK;
    char scales_name[NAME];
    snprintf(scales_name, sizeof scales_name, "%s.scales", name);
    size_t columns = t->dims == 2 ? t->shape[1] : 0, blocks = (columns + BLOCK - 1) / BLOCK;
    const eg_tensor *s;
    if (t->dims != 2) return eg_fail(l->err, EG_EUNSUPPORTED, "%s: tensor '%s' is I8 but no matrix", l->file->name, name);
    eg_status status = find(l, scales_name, t->shape[0], blocks, &s);
    if (status != EG_OK) return status;
    if (s->dtype != EG_F32) return eg_fail(l->err, EG_EUNSUPPORTED, "%s: tensor '%s' must be F32", l->file->name, scales_name);
    float *copy = aligned_floats(l, s->elements);
    if (!copy) return EG_ENOMEM;
    memcpy(copy, s->data, s->bytes);
    for (size_t i = 0; i < s->elements; i++)
        if (!(fabsf(copy[i]) <= FLT_MAX / 128)) /* every product with an s8 value is finite too */
            return eg_fail(l->err, EG_EFORMAT, "%s: tensor '%s' holds NaN, infinity or a scale that is too large at element %zu",
                           l->file->name, scales_name, i);
    *out = copy;
    return EG_OK;
}

/* Elements [from, from + n) as floats, checked to be finite. */
static eg_status to_floats(loader *l, const eg_tensor *t, const float *row_scales, size_t from, size_t n, float *out) {
    const unsigned char *p = t->data;
    switch (t->dtype) {
    case EG_F32:
        memcpy(out, p + from * 4, n * 4);
        break;
    case EG_F16:
    case EG_BF16:
        for (size_t i = 0; i < n; i++) { /* the data may be unaligned */
            uint16_t half;
            memcpy(&half, p + (from + i) * 2, 2);
            if (t->dtype == EG_F16)
                eg_half_to_float(&half, &out[i], 1);
            else
                eg_bfloat16_to_float(&half, &out[i], 1);
        }
        break;
    default:
        l->e->kernels->dequantize_s8((const int8_t *)p + from, row_scales, n, out);
    }
    for (size_t i = 0; i < n; i++)
        if (!isfinite(out[i]))
            return eg_fail(l->err, EG_EFORMAT, "%s: tensor '%.*s' holds NaN or infinity at element %zu", l->file->name,
                           (int)t->name.len, t->name.ptr, from + i);
    return EG_OK;
}

static eg_status load_vector(loader *l, const char *name, size_t n, const float **out) {
    const eg_tensor *t;
    eg_status s = find(l, name, n, 0, &t);
    float *v = s == EG_OK ? aligned_floats(l, n) : NULL;
    if (s == EG_OK && !v) return EG_ENOMEM;
    if (s == EG_OK && t->dtype == EG_I8) return eg_fail(l->err, EG_EUNSUPPORTED, "%s: tensor '%s' is I8", l->file->name, name);
    if (s == EG_OK) s = to_floats(l, t, NULL, 0, n, v);
    *out = v;
    return s;
}

static eg_status load_rows(loader *l, const char *name, size_t rows, size_t columns, const float **out) {
    const eg_tensor *t;
    const float *scales;
    eg_status s = find(l, name, rows, columns, &t);
    if (s == EG_OK) s = find_scales(l, name, t, &scales);
    float *m = s == EG_OK ? aligned_floats(l, rows * columns) : NULL;
    if (s == EG_OK && !m) return EG_ENOMEM;
    size_t blocks = (columns + BLOCK - 1) / BLOCK;
    for (size_t r = 0; s == EG_OK && r < rows; r++)
        s = to_floats(l, t, scales ? scales + r * blocks : NULL, r * columns, columns, m + r * columns);
    *out = m;
    return s;
}

/* The word embeddings: s8 stays s8, a quarter of the memory; rows are dequantised as they are looked up. */
static eg_status load_words(loader *l, size_t rows, size_t columns, eg_table *out) {
    const char *name = "embeddings.word_embeddings.weight";
    const eg_tensor *t;
    eg_status s = find(l, name, rows, columns, &t);
    if (s != EG_OK) return s;
    if (t->dtype != EG_I8) return load_rows(l, name, rows, columns, &out->f32);
    if ((s = find_scales(l, name, t, &out->scales)) != EG_OK) return s;
    char *copy = eg_arena_alloc(l->arena, t->bytes);
    if (!copy) return eg_fail_memory(l->err, t->bytes);
    memcpy(copy, t->data, t->bytes);
    out->s8 = (const int8_t *)copy;
    return EG_OK;
}

/* Rows of `name`.weight to rows n0.. of a matrix of N x K that is being packed, and its bias. */
static eg_status pack_part(loader *l, const char *name, size_t N, size_t K, size_t n0, size_t rows, float *packed, float *bias) {
    char weight_name[NAME], bias_name[NAME];
    const eg_tensor *weight, *offset;
    const float *scales;
    snprintf(weight_name, sizeof weight_name, "%s.weight", name);
    snprintf(bias_name, sizeof bias_name, "%s.bias", name);
    eg_status s = find(l, weight_name, rows, K, &weight);
    if (s == EG_OK) s = find_scales(l, weight_name, weight, &scales);
    if (s == EG_OK) s = find(l, bias_name, rows, 0, &offset);
    if (s == EG_OK && offset->dtype == EG_I8)
        return eg_fail(l->err, EG_EUNSUPPORTED, "%s: tensor '%s' is I8", l->file->name, bias_name);
    if (s == EG_OK) s = to_floats(l, offset, NULL, 0, rows, bias + n0);
    size_t blocks = (K + BLOCK - 1) / BLOCK;
    for (size_t r = 0; s == EG_OK && r < rows; r++) {
        int plain = l->e->gemm == EG_GEMM_OPENBLAS;
        float *row = plain ? packed + (n0 + r) * K : l->row;
        s = to_floats(l, weight, scales ? scales + r * blocks : NULL, r * K, K, row);
        if (s == EG_OK && !plain) eg_gemm_pack(l->e->kernels, N, K, n0 + r, 1, row, K, packed);
    }
    return s;
}

/* A linear layer out of `parts` equal matrices with names `names`, stacked. */
static eg_status load_linear(loader *l, const char *const *names, size_t parts, size_t N, size_t K, eg_linear *out) {
    size_t size = eg_gemm_packed_size(l->e->kernels, N, K);
    float *packed = size ? aligned_floats(l, size) : NULL, *bias = aligned_floats(l, N);
    if (!packed || !bias) return eg_fail_memory(l->err, N * K);
    *out = (eg_linear){packed, bias, N, K};
    eg_status s = EG_OK;
    for (size_t i = 0; s == EG_OK && i < parts; i++) s = pack_part(l, names[i], N, K, i * (N / parts), N / parts, packed, bias);
    return s;
}

static eg_status load_norm(loader *l, const char *name, size_t n, eg_norm *out) {
    char full[NAME];
    snprintf(full, sizeof full, "%s.weight", name);
    eg_status s = load_vector(l, full, n, &out->gamma);
    snprintf(full, sizeof full, "%s.bias", name);
    return s == EG_OK ? load_vector(l, full, n, &out->beta) : s;
}

static eg_status load_layer(loader *l, size_t i, const eg_bert *b, eg_bert_layer *w) {
    enum { PARTS = 8 };
    static const char *const suffixes[PARTS] = {"attention.self.query", "attention.self.key",        "attention.self.value",
                                                "attention.output.dense", "intermediate.dense",      "output.dense",
                                                "attention.output.LayerNorm", "output.LayerNorm"};
    char text[PARTS][NAME];
    const char *names[PARTS];
    for (size_t k = 0; k < PARTS; k++) {
        snprintf(text[k], NAME, "encoder.layer.%zu.%s", i, suffixes[k]);
        names[k] = text[k];
    }
    size_t H = b->hidden, I = b->intermediate;
    eg_status s = load_linear(l, names, 3, 3 * H, H, &w->qkv);
    if (s == EG_OK) s = load_linear(l, names + 3, 1, H, H, &w->out);
    if (s == EG_OK) s = load_linear(l, names + 4, 1, I, H, &w->up);
    if (s == EG_OK) s = load_linear(l, names + 5, 1, H, I, &w->down);
    if (s == EG_OK) s = load_norm(l, names[6], H, &w->attention_norm);
    return s == EG_OK ? load_norm(l, names[7], H, &w->output_norm) : s;
}

static eg_status load_all(loader *l, const eg_config *c, eg_bert *b, eg_classifier *classifier) {
    static const char *const pooler = "pooler.dense", *const output = "classifier";
    *b = (eg_bert){.hidden = c->hidden, .heads = c->heads, .intermediate = c->intermediate, .layers = c->layers,
                   .eps = c->layer_norm_eps};
    b->layer = eg_arena_array(l->arena, c->layers, sizeof *b->layer);
    l->row = aligned_floats(l, c->hidden > c->intermediate ? c->hidden : c->intermediate);
    if (!b->layer || !l->row) return eg_fail_memory(l->err, c->layers * sizeof *b->layer);
    eg_status s = load_words(l, c->vocabulary, c->hidden, &b->words);
    if (s == EG_OK) s = load_rows(l, "embeddings.position_embeddings.weight", c->positions, c->hidden, &b->positions);
    if (s == EG_OK) s = load_rows(l, "embeddings.token_type_embeddings.weight", c->types, c->hidden, &b->types);
    if (s == EG_OK) s = load_norm(l, "embeddings.LayerNorm", c->hidden, &b->embedding_norm);
    for (size_t i = 0; s == EG_OK && i < c->layers; i++) s = load_layer(l, i, b, &b->layer[i]);
    if (s != EG_OK || c->head != EG_HEAD_CLASSES) return s;
    s = load_linear(l, &pooler, 1, c->hidden, c->hidden, &classifier->pooler);
    l->prefix = ""; /* the last layer stands beside the encoder */
    return s == EG_OK ? load_linear(l, &output, 1, c->labels, c->hidden, &classifier->output) : s;
}

eg_status eg_load_bert(const char *dir, const eg_config *config, const eg_engine *engine, eg_arena *arena, eg_bert *bert,
                       eg_classifier *classifier, eg_error *err) {
    char *path = eg_arena_printf(arena, "%s/model.safetensors", dir);
    if (!path) return eg_fail_memory(err, strlen(dir));
    eg_map map;
    eg_safetensors file;
    eg_arena index; /* of the file; goes with it */
    eg_arena_init(&index, 0);
    eg_status s = eg_map_open(path, &map, err);
    if (s != EG_OK) return s;
    s = eg_safetensors_parse("model.safetensors", (eg_str){(const char *)map.bytes, map.size}, &index, &file, err);
    if (s == EG_OK) {
        const char *prefix = eg_safetensors_find(&file, "bert.embeddings.word_embeddings.weight") ? "bert." : "";
        loader l = {.file = &file, .e = engine, .arena = arena, .prefix = prefix, .err = err};
        s = load_all(&l, config, bert, classifier);
    }
    eg_arena_release(&index);
    eg_map_close(&map);
    return s;
}
