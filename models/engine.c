/* engine.c - creating engines and lending their scratch memory. */
#include "models/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/size.h"
#include "core/base/status.h"

eg_status eg_options_read(const void *given, size_t least, void *out, size_t size, const char *name, eg_error *err) {
    enum { MAX_SIZE = 4096 }; /* a larger number is a size that was never set */
    size_t bytes = size;
    memset(out, 0, size);
    if (given) memcpy(&bytes, given, sizeof bytes);
    if (bytes < least || bytes > MAX_SIZE)
        return eg_fail(err, EG_EINVAL, "%s.size is %zu: set it to sizeof(%s)", name, bytes, name);
    if (given) memcpy(out, given, bytes < size ? bytes : size);
    for (size_t i = size; i < bytes; i++)
        if (((const char *)given)[i])
            return eg_fail(err, EG_EINVAL, "%s: byte %zu is not 0: it belongs to an option that this library does not have", name,
                           i);
    return EG_OK;
}

eg_status eg_engine_create(const eg_engine_options *options, eg_engine **out, eg_error *err) {
    eg_engine_options given, *o = &given;
    if (!out) return eg_fail(err, EG_EINVAL, "eg_engine_create: out is NULL");
    *out = NULL;
    eg_status read = eg_options_read(options, sizeof *o, o, sizeof *o, "eg_engine_options", err);
    if (read != EG_OK) return read;
    if (o->reserved) return eg_fail(err, EG_EINVAL, "eg_engine_options: reserved is not 0");
    if (o->gemm > EG_GEMM_OPENBLAS) return eg_fail(err, EG_EINVAL, "gemm %u is not a valid eg_gemm_kind", o->gemm);
    eg_engine *e = calloc(1, sizeof *e);
    if (!e) return eg_fail_memory(err, sizeof *e);
    e->gemm = (eg_gemm_kind)o->gemm;
    eg_status s = eg_kernels_select((eg_isa)o->isa, &e->kernels, err);
    if (s == EG_OK && e->gemm == EG_GEMM_OPENBLAS) {
        float one = 1, result;
        s = eg_gemm_openblas(e->kernels,
                             &(eg_gemm_call){.M = 1, .N = 1, .K = 1, .A = &one, .lda = 1, .packed = &one, .C = &result, .ldc = 1},
                             err);
    }
    if (s == EG_OK) s = eg_pool_create(o->threads, &e->pool, err);
    if (s != EG_OK) {
        free(e);
        return s;
    }
    pthread_mutex_init(&e->lock, NULL);
    *out = e;
    return EG_OK;
}

static void free_batch(eg_batch *b) {
    eg_tokens_release(&b->ids);
    eg_tokens_release(&b->sides[0]);
    eg_tokens_release(&b->sides[1]);
    free(b->types);
    free(b->offsets);
    free(b->groups);
    free(b);
}

void eg_engine_destroy(eg_engine *e) {
    if (!e) return;
    eg_pool_destroy(e->pool);
    for (eg_workspace *w = e->idle; w;) {
        eg_workspace *next = w->next;
        free(w->floats);
        free(w);
        w = next;
    }
    for (eg_batch *b = e->idle_batches; b;) {
        eg_batch *next = b->next;
        free_batch(b);
        b = next;
    }
    pthread_mutex_destroy(&e->lock);
    free(e);
}

uint32_t eg_engine_threads(const eg_engine *e) { return e ? eg_pool_threads(e->pool) : 0; }
const char *eg_engine_isa(const eg_engine *e) { return e ? e->kernels->name : ""; }

eg_status eg_workspace_take(eg_engine *e, size_t floats, eg_workspace **out, eg_error *err) {
    pthread_mutex_lock(&e->lock);
    eg_workspace *w = e->idle;
    if (w) e->idle = w->next;
    pthread_mutex_unlock(&e->lock);
    *out = NULL;
    if (!w && !(w = calloc(1, sizeof *w))) return eg_fail_memory(err, sizeof *w);
    if (w->capacity < floats) {
        size_t bytes, rounded;
        free(w->floats);
        w->floats = eg_size_mul(floats, sizeof(float), &bytes) && eg_size_round_up(bytes, 64, &rounded)
                        ? aligned_alloc(64, rounded)
                        : NULL;
        w->capacity = w->floats ? floats : 0;
    }
    if (!w->floats) {
        free(w);
        return eg_fail_memory(err, floats);
    }
    *out = w;
    return EG_OK;
}

void eg_workspace_give(eg_engine *e, eg_workspace *w) {
    if (!w) return;
    pthread_mutex_lock(&e->lock);
    w->next = e->idle;
    e->idle = w;
    pthread_mutex_unlock(&e->lock);
}

eg_status eg_batch_take(eg_engine *e, size_t n, eg_batch **out, eg_error *err) {
    pthread_mutex_lock(&e->lock);
    eg_batch *b = e->idle_batches;
    if (b) e->idle_batches = b->next;
    pthread_mutex_unlock(&e->lock);
    *out = NULL;
    if (!b && !(b = calloc(1, sizeof *b))) return eg_fail_memory(err, sizeof *b);
    if (b->capacity < n || !b->offsets) {
        free(b->offsets);
        free(b->groups);
        b->offsets = malloc((n + 1) * sizeof *b->offsets);
        b->groups = malloc((n + 1) * sizeof *b->groups);
        b->capacity = n;
        if (!b->offsets || !b->groups) {
            free_batch(b);
            return eg_fail_memory(err, (n + 1) * sizeof *b->offsets);
        }
    }
    b->n = n;
    b->ids.count = 0;
    b->offsets[0] = 0;
    *out = b;
    return EG_OK;
}

void eg_batch_give(eg_engine *e, eg_batch *b) {
    if (!b) return;
    size_t bytes = b->types_capacity + b->capacity * (sizeof *b->offsets + sizeof *b->groups);
    const eg_tokens *ids[] = {&b->ids, &b->sides[0], &b->sides[1]};
    for (int i = 0; i < 3; i++) bytes += ids[i]->capacity * sizeof(uint32_t) + ids[i]->source_capacity * sizeof(eg_source);
    if (bytes > EG_MAX_KEPT) {
        free_batch(b);
        return;
    }
    pthread_mutex_lock(&e->lock);
    b->next = e->idle_batches;
    e->idle_batches = b;
    pthread_mutex_unlock(&e->lock);
}

void eg_softmax(float *rows, size_t n, size_t labels) {
    if (!rows || !labels) return;
    uint64_t control = eg_fp_enter();
    for (size_t r = 0; r < n; r++) {
        float *row = rows + r * labels;
        if (labels == 1) {
            row[0] = (float)(1 / (1 + exp(-(double)row[0])));
            continue;
        }
        double most = (double)row[0], sum = 0;
        for (size_t i = 1; i < labels; i++)
            if ((double)row[i] > most) most = (double)row[i];
        for (size_t i = 0; i < labels; i++) sum += exp((double)row[i] - most);
        for (size_t i = 0; i < labels; i++) row[i] = (float)(exp((double)row[i] - most) / sum);
    }
    eg_fp_leave(control);
}

float eg_cosine(const float *a, const float *b, size_t n) {
    double ab = 0, aa = 0, bb = 0;
    if (!a || !b) return 0;
    uint64_t control = eg_fp_enter();
    for (size_t i = 0; i < n; i++) {
        ab += (double)a[i] * (double)b[i];
        aa += (double)a[i] * (double)a[i];
        bb += (double)b[i] * (double)b[i];
    }
    float cosine = aa > 0 && bb > 0 ? (float)(ab / sqrt(aa * bb)) : 0;
    eg_fp_leave(control);
    return cosine;
}

const char *eg_infer_version(void) { return ENGRAM_VERSION; }

size_t eg_infer_struct_size(uint32_t which) {
    static const size_t sizes[] = {[EG_STRUCT_STR] = sizeof(eg_str),
                                   [EG_STRUCT_ERROR] = sizeof(eg_error),
                                   [EG_STRUCT_PAIR] = sizeof(eg_pair),
                                   [EG_STRUCT_CANCEL] = sizeof(eg_cancel),
                                   [EG_STRUCT_ENGINE_OPTIONS] = sizeof(eg_engine_options),
                                   [EG_STRUCT_MODEL_OPTIONS] = sizeof(eg_model_options),
                                   [EG_STRUCT_MODEL_INFO] = sizeof(eg_model_info),
                                   [EG_STRUCT_RANGE] = sizeof(eg_range),
                                   [EG_STRUCT_ENTITY] = sizeof(eg_entity),
                                   [EG_STRUCT_MODEL_KIND] = sizeof(eg_model_kind)};
    return which < sizeof sizes / sizeof *sizes ? sizes[which] : 0;
}
