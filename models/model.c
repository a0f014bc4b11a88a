/* model.c - the calls of infer.h on a model: open, describe, tokenise, embed, classify. Texts become token ids, ids become
 * ragged groups, groups run on the pool's threads side by side, or, when there are fewer of them than threads, one after
 * the other with every thread inside. Results are the same bits either way. */
#include <stdatomic.h>
#include <stdlib.h>

#include "core/base/size.h"
#include "core/base/status.h"
#include "core/base/utf8.h"
#include "models/load.h"
#include "models/tokenizer.h"

enum { GROUP_TOKENS = 128, MAX_TEXTS = 1 << 20 };

struct eg_model {
    eg_engine *engine;
    eg_arena arena;
    eg_config config;
    const eg_tokenizer *tokenizer;
    eg_bert bert;
    eg_classifier classifier;
};

static eg_status fill(eg_model *m, const char *dir, eg_error *err) {
    eg_status s = eg_config_read(dir, &m->arena, &m->config, err);
    if (s == EG_OK) s = eg_tokenizer_open(dir, &m->arena, &m->tokenizer, err);
    if (s != EG_OK) return s;
    if (eg_tokenizer_size(m->tokenizer) > m->config.vocabulary)
        return eg_fail(err, EG_EFORMAT, "'%s': the tokenizer has %u tokens, config.json's vocab_size is %u", dir,
                       eg_tokenizer_size(m->tokenizer), m->config.vocabulary);
    if (m->config.types && m->config.types < eg_tokenizer_types(m->tokenizer, 0))
        return eg_fail(err, EG_EFORMAT, "'%s': the tokenizer gives %u token types, config.json's type_vocab_size is %u", dir,
                       eg_tokenizer_types(m->tokenizer, 0), m->config.types);
    if (m->config.head == EG_HEAD_CLASSES && m->config.labels == 0)
        return eg_fail(err, EG_EFORMAT, "'%s': config.json: a classifier without id2label", dir);
    return eg_load_bert(dir, &m->config, m->engine, &m->arena, &m->bert, &m->classifier, err);
}

eg_status eg_model_open(eg_engine *engine, const char *dir, eg_model **out, eg_error *err) {
    *out = NULL;
    eg_model *m = calloc(1, sizeof *m);
    if (!m) return eg_fail_memory(err, sizeof *m);
    m->engine = engine;
    eg_arena_init(&m->arena, 0);
    eg_status s = fill(m, dir, err);
    if (s != EG_OK) {
        eg_error why = err ? *err : (eg_error){0};
        if (err && !strstr(why.text, dir)) eg_fail(err, s, "model '%s': %s", dir, why.text);
        eg_model_close(m);
        return s;
    }
    *out = m;
    return EG_OK;
}

void eg_model_close(eg_model *m) {
    if (!m) return;
    eg_arena_release(&m->arena);
    free(m);
}

eg_status eg_model_describe(const eg_model *m, eg_model_info *info, eg_error *err) {
    eg_model_info full = {.size = info->size,
                          .architecture = m->config.architecture.ptr,
                          .head = m->config.head,
                          .layers = m->config.layers,
                          .hidden = m->config.hidden,
                          .heads = m->config.heads,
                          .intermediate = m->config.intermediate,
                          .vocabulary = m->config.vocabulary,
                          .max_tokens = m->config.max_tokens,
                          .labels = m->config.labels,
                          .label_names = m->config.label_names,
                          .weight_bytes = m->arena.used};
    if (info->size < offsetof(eg_model_info, layers)) return eg_fail(err, EG_EINVAL, "eg_model_info: size is not set");
    memcpy(info, &full, info->size < sizeof full ? info->size : sizeof full);
    return EG_OK;
}

/* ---- a batch of texts as tokens ---- */

typedef struct batch {
    eg_tokens ids;
    uint8_t *types; /* NULL: all zero */
    size_t *offsets; /* n + 1 */
    size_t n;
} batch;

static void batch_release(batch *b) {
    eg_tokens_release(&b->ids);
    free(b->types);
    free(b->offsets);
}

static eg_status tokenize_text(const eg_model *m, eg_str text, size_t index, const char *what, eg_tokens *out, eg_error *err) {
    size_t valid = eg_utf8_valid_prefix(text.ptr, text.len);
    if (valid < text.len)
        return eg_fail(err, EG_EINVAL, "%s %zu is not valid UTF-8 at byte %zu", what, index, valid);
    out->count = 0;
    return eg_tokenizer_encode(m->tokenizer, text, out, err);
}

/* Appends one text or pair to the batch. */
static eg_status add_pair(const eg_model *m, eg_pair pair, size_t i, eg_tokens scratch[2], batch *b, eg_error *err) {
    int is_pair = pair.second.ptr != NULL;
    if (is_pair && m->config.types && m->config.types < eg_tokenizer_types(m->tokenizer, 1))
        return eg_fail(err, EG_EUNSUPPORTED, "the model takes no pairs: type_vocab_size of its config.json is %u", m->config.types);
    eg_status s = tokenize_text(m, pair.first, i, "text", &scratch[0], err);
    if (s == EG_OK && is_pair) s = tokenize_text(m, pair.second, i, "second text", &scratch[1], err);
    if (s != EG_OK) return s;
    size_t most = m->config.max_tokens, bytes;
    if (!eg_size_add(b->ids.count, most, &bytes)) return eg_fail_memory(err, SIZE_MAX);
    uint8_t *types = realloc(b->types, bytes);
    if (!types) return eg_fail_memory(err, bytes);
    b->types = types;
    s = eg_tokenizer_join(m->tokenizer, &scratch[0], is_pair ? &scratch[1] : NULL, most, &b->ids, types + b->ids.count, err);
    b->offsets[i + 1] = b->ids.count;
    return s;
}

static eg_status make_batch(const eg_model *m, const eg_str *texts, const eg_pair *pairs, size_t n, batch *b, eg_error *err) {
    *b = (batch){.n = n};
    if (n > MAX_TEXTS) return eg_fail(err, EG_ELIMIT, "%zu texts in one call; at most %d", n, MAX_TEXTS);
    b->offsets = calloc(n + 1, sizeof *b->offsets);
    if (!b->offsets) return eg_fail_memory(err, (n + 1) * sizeof *b->offsets);
    eg_tokens scratch[2] = {{0}, {0}};
    eg_status s = EG_OK;
    for (size_t i = 0; s == EG_OK && i < n; i++) s = add_pair(m, pairs ? pairs[i] : (eg_pair){.first = texts[i]}, i, scratch, b, err);
    eg_tokens_release(&scratch[0]);
    eg_tokens_release(&scratch[1]);
    return s;
}

eg_status eg_model_tokenize(const eg_model *m, eg_pair text, uint32_t *ids, uint8_t *types, size_t most, size_t *count,
                            eg_error *err) {
    batch b;
    eg_status s = make_batch(m, NULL, &text, 1, &b, err);
    if (s == EG_OK) {
        *count = b.ids.count;
        size_t n = *count < most ? *count : most;
        if (n) memcpy(ids, b.ids.ids, n * sizeof *ids);
        if (n && types) memcpy(types, b.types, n);
    }
    batch_release(&b);
    return s;
}

/* ---- running it ---- */

typedef struct run {
    const eg_model *m;
    const batch *b;
    const eg_cancel *cancel;
    float *out;
    int classes;       /* 0: embeddings */
    size_t *groups;    /* first text of each group, and n */
    size_t group_count;
    atomic_int status; /* the first that is not EG_OK */
} run;

/* Pools each sequence of the states into out. */
static void pool_group(const run *r, size_t first, size_t n, const size_t *offsets, const float *states) {
    const eg_kernels *k = r->m->engine->kernels;
    size_t H = r->m->config.hidden;
    for (size_t i = 0; i < n; i++) {
        const float *x = states + offsets[i] * H;
        float *out = r->out + (first + i) * H;
        if (r->m->config.pooling == EG_POOL_CLS)
            memcpy(out, x, H * sizeof *out);
        else
            k->mean_rows(x, offsets[i + 1] - offsets[i], H, H, out);
        k->l2_normalize(out, H);
    }
}

/* Runs the head over the first token of each sequence; two rows of scratch. */
static void classify_group(const run *r, size_t first, size_t n, const size_t *offsets, const float *states, float *rows) {
    size_t H = r->m->config.hidden, labels = r->m->config.labels;
    float *pooled = rows + H;
    for (size_t i = 0; i < n; i++) {
        memcpy(rows, states + offsets[i] * H, H * sizeof *rows);
        eg_linear_run(r->m->engine, NULL, &r->m->classifier.pooler, 1, rows, H, pooled, H, EG_ACT_TANH, NULL, 0);
        eg_linear_run(r->m->engine, NULL, &r->m->classifier.output, 1, pooled, H, r->out + (first + i) * labels, labels,
                      EG_ACT_NONE, NULL, 0);
    }
}

static eg_status run_group(run *r, size_t g, eg_pool *pool) {
    const eg_model *m = r->m;
    size_t first = r->groups[g], n = r->groups[g + 1] - first, begin = r->b->offsets[first], longest = 0;
    size_t tokens = r->b->offsets[first + n] - begin;
    for (size_t i = first; i < first + n; i++) {
        size_t length = r->b->offsets[i + 1] - r->b->offsets[i];
        longest = length > longest ? length : longest;
    }
    uint32_t lanes = pool ? eg_pool_threads(pool) : 1;
    size_t floats = eg_bert_scratch(&m->bert, tokens, longest, lanes), head = 2 * (size_t)m->config.hidden;
    size_t *offsets = malloc((n + 1) * sizeof *offsets);
    eg_workspace *w = NULL;
    eg_status s = floats && offsets ? eg_workspace_take(m->engine, floats + head, &w, NULL) : EG_ENOMEM;
    if (s == EG_OK) {
        for (size_t i = 0; i <= n; i++) offsets[i] = r->b->offsets[first + i] - begin;
        eg_ragged ragged = {r->b->ids.ids + begin, r->b->types + begin, offsets, n};
        const float *states;
        s = eg_bert_forward(m->engine, pool, &m->bert, &ragged, w->floats, &states, r->cancel);
        if (s == EG_OK && r->classes) classify_group(r, first, n, offsets, states, w->floats + floats);
        if (s == EG_OK && !r->classes) pool_group(r, first, n, offsets, states);
    }
    eg_workspace_give(m->engine, w);
    free(offsets);
    return s;
}

static void group_task(void *arg, size_t g, uint32_t lane) {
    (void)lane;
    run *r = arg;
    if (atomic_load(&r->status) != EG_OK) return;
    int expected = EG_OK;
    eg_status s = run_group(r, g, NULL);
    if (s != EG_OK) atomic_compare_exchange_strong(&r->status, &expected, (int)s);
}

/* Cuts the texts into groups of about equal tokens: small enough for the caches, enough for every thread. */
static eg_status make_groups(run *r, eg_error *err) {
    size_t n = r->b->n, threads = eg_engine_threads(r->m->engine), total = r->b->offsets[n];
    size_t target = (total + threads - 1) / threads;
    if (target > GROUP_TOKENS) target = GROUP_TOKENS;
    r->groups = malloc((n + 1) * sizeof *r->groups);
    if (!r->groups) return eg_fail_memory(err, (n + 1) * sizeof *r->groups);
    for (size_t i = 0; i < n; i++) {
        size_t in_group = r->group_count ? r->b->offsets[i] - r->b->offsets[r->groups[r->group_count - 1]] : target;
        if (in_group >= target) r->groups[r->group_count++] = i;
    }
    r->groups[r->group_count] = n;
    return EG_OK;
}

static eg_status run_batch(const eg_model *m, const batch *b, float *out, int classes, const eg_cancel *cancel, eg_error *err) {
    run r = {.m = m, .b = b, .cancel = cancel, .out = out, .classes = classes};
    atomic_init(&r.status, EG_OK);
    eg_status s = make_groups(&r, err);
    if (s != EG_OK) return s;
    uint64_t control = eg_fp_enter();
    eg_pool *pool = m->engine->pool;
    if (r.group_count >= eg_pool_threads(pool)) {
        eg_pool_run(pool, r.group_count, group_task, &r);
        s = (eg_status)atomic_load(&r.status);
    } else {
        for (size_t g = 0; s == EG_OK && g < r.group_count; g++) s = run_group(&r, g, pool);
    }
    eg_fp_leave(control);
    free(r.groups);
    if (s == EG_ECANCELLED) return eg_fail(err, s, "the inference was cancelled or ran past its deadline");
    return s == EG_OK ? s : eg_fail(err, s, "inference over %zu texts: %s", b->n, eg_status_text(s));
}

eg_status eg_model_embed(const eg_model *m, const eg_str *texts, size_t n, float *out, const eg_cancel *cancel, eg_error *err) {
    batch b;
    eg_status s = make_batch(m, texts, NULL, n, &b, err);
    if (s == EG_OK) s = run_batch(m, &b, out, 0, cancel, err);
    batch_release(&b);
    return s;
}

eg_status eg_model_classify(const eg_model *m, const eg_pair *pairs, size_t n, float *logits, const eg_cancel *cancel,
                            eg_error *err) {
    if (m->config.head != EG_HEAD_CLASSES)
        return eg_fail(err, EG_EUNSUPPORTED, "this model has no classification head: config.json names BertModel");
    batch b;
    eg_status s = make_batch(m, NULL, pairs, n, &b, err);
    if (s == EG_OK) s = run_batch(m, &b, logits, 1, cancel, err);
    batch_release(&b);
    return s;
}
