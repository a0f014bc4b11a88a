/* model.c - the functions of infer.h on a model: open, describe, tokenise, embed, classify, label.
 * Texts become token ids, ids become ragged groups. Groups run in parallel on the pool's threads,
 * or one after the other with all threads inside each (schedule.c); the results are the same bits.
 */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "core/base/size.h"
#include "core/base/status.h"
#include "core/base/utf8.h"
#include "models/entities.h"
#include "models/load.h"
#include "models/tokenizer/normalizer.h"
#include "models/tokenizer/tokenizer.h"

/* EACH_TURN: groups that a thread runs before other callers get their turn */
enum { MAX_TEXTS = 1 << 20, EACH_TURN = 8 };

struct eg_model {
    eg_engine *engine;
    eg_arena arena;
    eg_config config;
    const eg_tokenizer *tokenizer;
    eg_weights weights;
};

static eg_status null(eg_error *err, const char *what) { return eg_fail(err, EG_EINVAL, "%s is NULL", what); }

static eg_status fill(eg_model *m, const char *dir, const eg_model_options *options, eg_error *err) {
    eg_status s = eg_config_read(dir, &m->arena, &m->config, err);
    if (s == EG_OK) s = eg_tokenizer_open(dir, &m->arena, &m->tokenizer, err);
    if (s != EG_OK) return s;
    if (eg_tokenizer_size(m->tokenizer) > m->config.vocabulary)
        return eg_fail(err, EG_EFORMAT, "'%s': the tokenizer has %u tokens, config.json's vocab_size is %u", dir,
                       eg_tokenizer_size(m->tokenizer), m->config.vocabulary);
    if (m->config.types && m->config.types < eg_tokenizer_types(m->tokenizer, 0))
        return eg_fail(err, EG_EFORMAT, "'%s': the tokenizer gives %u token types, config.json's type_vocab_size is %u", dir,
                       eg_tokenizer_types(m->tokenizer, 0), m->config.types);
    if (m->config.lowercases && !eg_tokenizer_lowercases(m->tokenizer))
        return eg_fail(
            err, EG_EUNSUPPORTED,
            "'%s': do_lower_case of sentence_bert_config.json is true; supported: false, or a tokenizer that lower-cases", dir);
    return eg_weights_load(dir, &m->config, m->engine, (eg_format)options->format, options->cache, &m->weights, err);
}

eg_status eg_model_open(eg_engine *engine, const char *dir, const eg_model_options *options, eg_model **out, eg_error *err) {
    eg_model_options given, *o = &given;
    if (!out) return null(err, "eg_model_open: out");
    *out = NULL;
    if (!engine) return null(err, "eg_model_open: the engine");
    if (!dir || !*dir) return eg_fail(err, EG_EINVAL, "eg_model_open: the model's folder is %s", dir ? "empty" : "NULL");
    eg_status s = eg_options_read(options, sizeof *o, o, sizeof *o, "eg_model_options", err);
    if (s != EG_OK) return s;
    if (o->reserved || o->format > EG_FORMAT_BF16)
        return eg_fail(err, EG_EINVAL, "eg_model_options: format is not a valid eg_format, or reserved is not 0");
    eg_model *m = calloc(1, sizeof *m);
    if (!m) return eg_fail_memory(err, sizeof *m);
    m->engine = engine;
    eg_arena_init(&m->arena, 0);
    eg_error why = {0};
    /* packed weights are results, too, which others may get from the cache */
    uint64_t control = eg_fp_enter();
    s = fill(m, dir, o, &why);
    eg_fp_leave(control);
    if (s != EG_OK) {
        /* a JSON reader that runs out of memory reports it only here */
        if (why.code != EG_OK) s = why.code;
        if (strstr(why.text, dir)) eg_fail(err, s, "%s", why.text);
        else eg_fail(err, s, "model '%s': %s", dir, why.text);
        eg_model_close(m);
        return s;
    }
    *out = m;
    return EG_OK;
}

void eg_model_close(eg_model *m) {
    if (!m) return;
    eg_weights_release(&m->weights);
    eg_arena_release(&m->arena);
    free(m);
}

eg_status eg_model_describe(const eg_model *m, eg_model_info *info, eg_error *err) {
    if (!m || !info) return null(err, m ? "eg_model_describe: info" : "the model");
    if (info->size < offsetof(eg_model_info, layers)) return eg_fail(err, EG_EINVAL, "eg_model_info: size is not set");
    eg_model_info full = {.size = info->size,
                          .architecture = m->config.architecture_name,
                          .head = m->config.head,
                          .layers = m->config.layers,
                          .hidden = m->config.hidden,
                          .heads = m->config.heads,
                          .intermediate = m->config.intermediate,
                          .vocabulary = m->config.vocabulary,
                          .max_tokens = m->config.max_tokens,
                          .labels = m->config.labels,
                          .label_names = m->config.label_names,
                          .weight_bytes = m->weights.block.size,
                          .format = m->weights.format,
                          .prompts = m->config.prompts,
                          .prompt_names = m->config.prompt_names,
                          .normalizes = (uint32_t)m->config.normalizes};
    memcpy(info, &full, info->size < sizeof full ? info->size : sizeof full);
    return EG_OK;
}

eg_status eg_model_kind_of(const char *dir, eg_model_kind *out, eg_error *err) {
    if (!dir || !*dir || !out) return null(err, out ? "eg_model_kind_of: the folder" : "eg_model_kind_of: out");
    if (out->size < sizeof *out) return eg_fail(err, EG_EINVAL, "eg_model_kind_of: the size of eg_model_kind is not set");
    eg_arena arena;
    eg_config c;
    eg_error why = {0};
    eg_arena_init(&arena, 0);
    eg_status s = eg_config_read(dir, &arena, &c, &why);
    eg_model_kind kind = {.size = out->size, .task = "embed", .architecture = ""};
    if (s == EG_OK) {
        int contradicts = 0;
        for (uint32_t i = 0; i < c.labels; i++) contradicts |= strcasecmp(c.label_names[i], "contradiction") == 0;
        kind.labels = c.labels;
        if (c.head == EG_HEAD_TOKENS) kind.task = "tokens";
        if (c.head == EG_HEAD_CLASSES) kind.task = contradicts ? "nli" : c.labels == 1 ? "rank" : "classify";
        kind.architecture = c.architecture_name;
    } else {
        eg_fail(err, s, "model '%s': %s", dir, why.text);
    }
    *out = kind;
    eg_arena_release(&arena);
    return s;
}

/* ---- a batch of texts as tokens ---- */

static eg_status check_text(eg_str text, size_t index, const char *what, eg_error *err) {
    if (!text.ptr && text.len) return eg_fail(err, EG_EINVAL, "%s %zu is NULL and has %zu bytes", what, index, text.len);
    size_t valid = eg_utf8_valid_prefix(text.ptr, text.len);
    return valid == text.len ? EG_OK : eg_fail(err, EG_EINVAL, "%s %zu is not valid UTF-8 at byte %zu", what, index, valid);
}

/* The text without white space at its ends. White space is what Python strips: that of Unicode, and
 * U+001C to U+001F. */
static eg_str strip(eg_str text) {
    for (;;) {
        text = eg_strip(text, 1, 1);
        if (text.len && text.ptr[0] >= 0x1c && text.ptr[0] <= 0x1f) text = (eg_str){text.ptr + 1, text.len - 1};
        else if (text.len && text.ptr[text.len - 1] >= 0x1c && text.ptr[text.len - 1] <= 0x1f) text.len--;
        else return text;
    }
}

/* How the texts of a batch become tokens. STRIPPED: as sentence-transformers does with every text
 * that it embeds. */
enum { WITH_SOURCES = 1, STRIPPED = 2 };

/* most: as in eg_tokens */
static eg_status tokenize_text(const eg_model *m, eg_str text, size_t index, const char *what, unsigned how, size_t most,
                               eg_tokens *out, eg_error *err) {
    eg_status s = check_text(text, index, what, err);
    out->count = 0;
    out->most = most;
    return s == EG_OK ? eg_tokenizer_encode(m->tokenizer, how & STRIPPED ? strip(text) : text, out, err) : s;
}

/* Room for the token types of `more` more tokens. */
static eg_status reserve_types(eg_batch *b, size_t more, eg_error *err) {
    size_t need;
    if (!eg_size_add(b->ids.count, more, &need)) return eg_fail_memory(err, SIZE_MAX);
    if (need <= b->types_capacity) return EG_OK;
    size_t capacity = need < SIZE_MAX / 2 ? 2 * need : need;
    uint8_t *types = realloc(b->types, capacity);
    if (!types) return eg_fail_memory(err, capacity);
    b->types = types;
    b->types_capacity = capacity;
    return EG_OK;
}

/* Appends text i, or a pair. */
static eg_status add_pair(const eg_model *m, eg_pair pair, size_t i, unsigned how, eg_batch *b, eg_error *err) {
    int is_pair = pair.second.ptr || pair.second.len;
    if (is_pair && m->config.types && m->config.types < eg_tokenizer_types(m->tokenizer, 1))
        return eg_fail(err, EG_EUNSUPPORTED, "the model takes no pairs: type_vocab_size of its config.json is %u",
                       m->config.types);
    eg_status s = EG_OK;
    for (size_t most = m->config.max_tokens, again = 1; s == EG_OK && again; most = 0) {
        s = tokenize_text(m, pair.first, i, "text", how, most, &b->sides[0], err);
        if (s == EG_OK && is_pair) s = tokenize_text(m, pair.second, i, "second text", how, most, &b->sides[1], err);
        /* of two texts that are too long, the longer one is truncated, so all tokens are needed */
        again = is_pair && eg_tokens_enough(&b->sides[0]) && eg_tokens_enough(&b->sides[1]);
    }
    if (s == EG_OK) s = reserve_types(b, m->config.max_tokens, err);
    if (s == EG_OK)
        s = eg_tokenizer_join(m->tokenizer, &b->sides[0], is_pair ? &b->sides[1] : NULL, m->config.max_tokens, &b->ids,
                              b->types + b->ids.count, err);
    b->offsets[i + 1] = b->ids.count;
    return s;
}

static int stops(const void *cancel) { return eg_cancelled(cancel); }

static eg_status stopped(eg_error *err) {
    return eg_fail(err, EG_ECANCELLED, "the inference was cancelled or ran past its deadline");
}

/* Takes a batch from the engine and fills it with the texts, or the pairs. */
static eg_status make_batch(const eg_model *m, const eg_str *texts, const eg_pair *pairs, size_t n, unsigned how,
                            const eg_cancel *cancel, eg_batch **out, eg_error *err) {
    *out = NULL;
    if (n > MAX_TEXTS) return eg_fail(err, EG_ELIMIT, "%zu texts in one call; at most %d", n, MAX_TEXTS);
    eg_status s = eg_batch_take(m->engine, n, out, err);
    if (s == EG_OK) (*out)->ids.has_sources = (*out)->sides[0].has_sources = (*out)->sides[1].has_sources = how & WITH_SOURCES;
    for (size_t i = 0; s == EG_OK && i < n; i++)
        s = stops(cancel) ? stopped(err) : add_pair(m, pairs ? pairs[i] : (eg_pair){.first = texts[i]}, i, how, *out, err);
    return s;
}

eg_status eg_model_tokenize_spans(const eg_model *m, eg_pair text, uint32_t *ids, uint8_t *types, eg_range *spans, size_t most,
                                  size_t *count, eg_error *err) {
    eg_batch *b;
    if (!m || !count || (most && !ids))
        return null(err, !m ? "the model" : !count ? "eg_model_tokenize: count" : "eg_model_tokenize: ids");
    uint64_t control = eg_fp_enter();
    eg_status s = make_batch(m, NULL, &text, 1, spans ? WITH_SOURCES : 0, NULL, &b, err);
    eg_fp_leave(control);
    if (s == EG_OK) {
        *count = b->ids.count;
        size_t n = *count < most ? *count : most;
        if (n) memcpy(ids, b->ids.ids, n * sizeof *ids);
        if (n && types) memcpy(types, b->types, n);
        for (size_t i = 0; spans && i < n; i++) spans[i] = b->ids.sources[i].span;
    }
    eg_batch_give(m->engine, b);
    return s;
}

eg_status eg_model_tokenize(const eg_model *m, eg_pair text, uint32_t *ids, uint8_t *types, size_t most, size_t *count,
                            eg_error *err) {
    return eg_model_tokenize_spans(m, text, ids, types, NULL, most, count, err);
}

/* ---- running it ---- */

typedef struct run {
    const eg_model *m;
    eg_batch *b;
    const eg_cancel *cancel;
    float *out;
    eg_head head;
    const eg_group *groups; /* the next of those that run in parallel */
    atomic_int status;      /* the first error */
} run;

/* Pools each sequence of the states into out. */
static void pool_group(const run *r, size_t first, size_t n, const size_t *offsets, const float *states) {
    const eg_kernels *k = r->m->engine->kernels;
    eg_pooling pooling = r->m->config.pooling;
    size_t H = r->m->config.hidden;
    for (size_t i = 0; i < n; i++) {
        const float *x = states + (pooling == EG_POOL_CLS ? i : offsets[i] - offsets[0]) * H;
        float *out = r->out + (first + i) * H;
        size_t tokens = offsets[i + 1] - offsets[i];
        if (pooling == EG_POOL_CLS || pooling == EG_POOL_MAX) memcpy(out, x, H * sizeof *out);
        else k->mean_rows(x, tokens, H, H, out);
        for (size_t t = 1; pooling == EG_POOL_MAX && t < tokens; t++)
            for (size_t h = 0; h < H; h++) out[h] = x[t * H + h] > out[h] ? x[t * H + h] : out[h];
        for (size_t h = 0; pooling == EG_POOL_MEAN_SQRT && h < H; h++) out[h] *= sqrtf((float)tokens);
        if (r->m->config.normalizes) k->l2_normalize(out, H);
    }
}

/* Runs the head over the states of the first tokens; `rows` holds n rows. */
static void classify_group(const run *r, size_t first, size_t n, const float *states, float *rows) {
    size_t H = r->m->config.hidden, labels = r->m->config.labels;
    const eg_classifier *head = &r->m->weights.classifier;
    eg_rows in = {.x = (float *)states, .ld = H}, dense = {.x = rows, .ld = H},
            out = {.x = r->out + first * labels, .ld = labels};
    eg_linear_run(r->m->engine, NULL, &head->dense, n, in, dense, head->activation, NULL);
    eg_linear_run(r->m->engine, NULL, &head->output, n, dense, out, EG_ACT_NONE, NULL);
}

/* The last layer over every token. */
static void label_group(const run *r, size_t begin, size_t tokens, const float *states) {
    size_t H = r->m->config.hidden, labels = r->m->config.labels;
    eg_rows in = {.x = (float *)states, .ld = H}, out = {.x = r->out + begin * labels, .ld = labels};
    eg_linear_run(r->m->engine, NULL, &r->m->weights.classifier.output, tokens, in, out, EG_ACT_NONE, NULL);
}

static eg_status run_group(run *r, const eg_group *group, eg_pool *pool) {
    const eg_model *m = r->m;
    size_t first = group->first, n = group->texts, tokens = group->tokens, longest = 0;
    const size_t *offsets = r->b->offsets + first;
    for (size_t i = 0; i < n; i++) longest = offsets[i + 1] - offsets[i] > longest ? offsets[i + 1] - offsets[i] : longest;
    uint32_t lanes = pool ? eg_pool_threads(pool) : 1;
    size_t floats = eg_encoder_scratch(&m->weights.encoder, tokens, longest, lanes), head = n * m->config.hidden;
    eg_workspace *w = NULL;
    eg_status s = floats ? eg_workspace_take(m->engine, floats + head, &w, NULL) : EG_ENOMEM;
    if (s != EG_OK) return s;
    eg_ragged ragged = {r->b->ids.ids, r->b->types, offsets, n};
    const float *states;
    int only_first = r->head == EG_HEAD_CLASSES || (r->head == EG_HEAD_EMBEDDING && m->config.pooling == EG_POOL_CLS);
    s = eg_encoder_forward(m->engine, pool, &m->weights.encoder, &ragged, only_first, w->floats, &states, r->cancel);
    if (s == EG_OK && r->head == EG_HEAD_CLASSES) classify_group(r, first, n, states, w->floats + floats);
    if (s == EG_OK && r->head == EG_HEAD_TOKENS) label_group(r, offsets[0], tokens, states);
    if (s == EG_OK && r->head == EG_HEAD_EMBEDDING) pool_group(r, first, n, offsets, states);
    eg_workspace_give(m->engine, w);
    return s;
}

static void group_task(void *arg, size_t g, uint32_t lane) {
    (void)lane;
    run *r = arg;
    if (atomic_load(&r->status) != EG_OK) return;
    int expected = EG_OK;
    eg_status s = run_group(r, &r->groups[g], NULL);
    if (s != EG_OK) atomic_compare_exchange_strong(&r->status, &expected, (int)s);
}

static eg_status run_batch(const eg_model *m, eg_batch *b, float *out, eg_head head, const eg_cancel *cancel, eg_error *err) {
    run r = {.m = m, .b = b, .cancel = cancel, .out = out, .head = head};
    eg_status s = EG_OK;
    atomic_init(&r.status, EG_OK);
    eg_pool *pool = m->engine->pool;
    eg_schedule plan = eg_schedule_make(b->offsets, b->n, eg_pool_threads(pool), b->groups);
    /* other callers get their turn after every few groups */
    for (size_t g = 0, n; s == EG_OK && g < plan.count; g += n) {
        int together = g < plan.together;
        size_t most = together ? (size_t)EACH_TURN * eg_pool_threads(pool) : 1, left = plan.together - g;
        n = together && left < most ? left : most;
        if (!eg_pool_take(pool, cancel ? stops : NULL, cancel)) return stopped(err);
        r.groups = b->groups + g;
        if (together) eg_pool_run(pool, n, group_task, &r);
        s = together ? (eg_status)atomic_load(&r.status) : run_group(&r, r.groups, pool);
        eg_pool_give(pool);
    }
    if (s == EG_ECANCELLED) return stopped(err);
    return s == EG_OK ? s : eg_fail(err, s, "inference over %zu texts: %s", b->n, eg_status_text(s));
}

/* A call: texts or pairs, and where the results go. */
typedef struct inference {
    const eg_str *texts;
    const eg_pair *pairs; /* NULL: texts */
    size_t n;
    eg_head head;
    float *out;
    size_t *offsets; /* EG_HEAD_TOKENS: filled, n + 1; else NULL */
    size_t max;      /* EG_HEAD_TOKENS: rows that out has room for */
    const eg_cancel *cancel;
} inference;

/* Tokenises, runs, gives the batch back. */
static eg_status infer(const eg_model *m, const inference *x, eg_error *err) {
    eg_batch *b;
    const size_t n = x->n;
    if (n && !x->texts && !x->pairs) return null(err, "the array of texts");
    if (n && !x->out && !(x->offsets && !x->max)) return null(err, "the array for the results");
    uint64_t control = eg_fp_enter();
    eg_status s = make_batch(m, x->texts, x->pairs, n, x->head == EG_HEAD_EMBEDDING ? STRIPPED : 0, x->cancel, &b, err);
    if (s == EG_OK && x->offsets) memcpy(x->offsets, b->offsets, (n + 1) * sizeof *x->offsets);
    if (s == EG_OK && x->offsets && b->offsets[n] > x->max)
        s = eg_fail(err, EG_ELIMIT, "the texts have %zu tokens, but there is room for %zu", b->offsets[n], x->max);
    if (s == EG_OK) s = run_batch(m, b, x->out, x->head, x->cancel, err);
    eg_batch_give(m->engine, b);
    eg_fp_leave(control);
    return s;
}

/* The texts with a prompt before each, in one allocation that the caller frees. */
static eg_status prompt_texts(const char *prompt, const eg_str *texts, size_t n, eg_str **out, eg_error *err) {
    size_t length = strlen(prompt), bytes;
    int fits = eg_size_mul(n, sizeof **out + length, &bytes) && eg_size_add(bytes, 1, &bytes);
    *out = NULL;
    for (size_t i = 0; fits && i < n; i++) fits = eg_size_add(bytes, texts[i].len, &bytes);
    if (!fits || !(*out = malloc(bytes))) return eg_fail_memory(err, bytes);
    char *to = (char *)(*out + n);
    for (size_t i = 0; i < n; i++) {
        eg_status s = check_text(texts[i], i, "text", err);
        if (s != EG_OK) return s;
        memcpy(to, prompt, length);
        if (texts[i].len) memcpy(to + length, texts[i].ptr, texts[i].len);
        (*out)[i] = (eg_str){to, length + texts[i].len};
        to += length + texts[i].len;
    }
    return EG_OK;
}

static eg_status no_prompt(const eg_config *c, const char *name, eg_error *err) {
    char names[256] = "";
    for (uint32_t i = 0, n = 0; i < c->prompts && n < sizeof names; i++)
        n += (uint32_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "", c->prompt_names[i]);
    if (!c->prompts)
        return eg_fail(err, EG_EINVAL, "the model has no prompt '%.60s': its config_sentence_transformers.json names none", name);
    return eg_fail(err, EG_EINVAL, "the model has no prompt '%.60s'; its prompts are: %s", name, names);
}

eg_status eg_model_embed_prompted(const eg_model *m, const char *prompt, const eg_str *texts, size_t n, float *out,
                                  const eg_cancel *cancel, eg_error *err) {
    if (!m) return null(err, "the model");
    if (n && !texts) return null(err, "the array of texts");
    const char *before = prompt ? NULL : m->config.default_prompt;
    for (uint32_t i = 0; prompt && !before && i < m->config.prompts; i++)
        if (strcmp(prompt, m->config.prompt_names[i]) == 0) before = m->config.prompt_texts[i];
    if (prompt && !before) return no_prompt(&m->config, prompt, err);
    eg_str *prompted = NULL;
    eg_status s = before && before[0] ? prompt_texts(before, texts, n, &prompted, err) : EG_OK;
    const inference x = {.texts = prompted ? prompted : texts, .n = n, .head = EG_HEAD_EMBEDDING, .out = out, .cancel = cancel};
    if (s == EG_OK) s = infer(m, &x, err);
    free(prompted);
    return s;
}

eg_status eg_model_embed(const eg_model *m, const eg_str *texts, size_t n, float *out, const eg_cancel *cancel, eg_error *err) {
    return eg_model_embed_prompted(m, NULL, texts, n, out, cancel, err);
}

eg_status eg_model_classify(const eg_model *m, const eg_pair *pairs, size_t n, float *logits, const eg_cancel *cancel,
                            eg_error *err) {
    if (!m) return null(err, "the model");
    if (m->config.head != EG_HEAD_CLASSES)
        return eg_fail(
            err, EG_EUNSUPPORTED,
            "this model does not classify texts: the architectures of its config.json name no ...ForSequenceClassification");
    return infer(m, &(inference){.pairs = pairs, .n = n, .head = EG_HEAD_CLASSES, .out = logits, .cancel = cancel}, err);
}

static eg_status no_token_labels(eg_error *err) {
    return eg_fail(err, EG_EUNSUPPORTED,
                   "this model does not label tokens: the architectures of its config.json name no ...ForTokenClassification");
}

eg_status eg_model_label_tokens(const eg_model *m, const eg_str *texts, size_t n, float *logits, size_t max, size_t *offsets,
                                const eg_cancel *cancel, eg_error *err) {
    if (!m || !offsets) return null(err, m ? "eg_model_label_tokens: offsets" : "the model");
    const inference x = {
        .texts = texts, .n = n, .head = EG_HEAD_TOKENS, .out = logits, .offsets = offsets, .max = max, .cancel = cancel};
    return m->config.head != EG_HEAD_TOKENS ? no_token_labels(err) : infer(m, &x, err);
}

/* Where the entities of a call go: room for max; those of text i are [offsets[i], offsets[i + 1]).
 */
typedef struct entity_list {
    eg_entity *entities;
    size_t max, *offsets;
} entity_list;

/* The entities of a batch whose tokens are labelled by rows of probabilities. */
static eg_status collect_entities(const eg_model *m, const eg_batch *b, const eg_str *texts, eg_aggregation aggregation,
                                  const float *rows, const entity_list *out, eg_error *err) {
    size_t *offsets = out->offsets;
    offsets[0] = 0;
    for (size_t i = 0; i < b->n; i++) {
        size_t first = b->offsets[i], room = offsets[i] < out->max ? out->max - offsets[i] : 0;
        eg_labelled in = {.text = texts[i],
                          .ids = b->ids.ids + first,
                          .sources = b->ids.sources + first,
                          .rows = rows + first * m->config.labels,
                          .tokens = b->offsets[i + 1] - first};
        offsets[i + 1] = offsets[i] + eg_entities_find(m->tokenizer, &m->config, &in, aggregation,
                                                       room ? out->entities + offsets[i] : NULL, room);
    }
    if (offsets[b->n] <= out->max) return EG_OK;
    return eg_fail(err, EG_ELIMIT, "the texts have %zu entities, but there is room for %zu", offsets[b->n], out->max);
}

eg_status eg_model_entities(const eg_model *m, const eg_str *texts, size_t n, uint32_t aggregation, eg_entity *entities,
                            size_t max, size_t *offsets, const eg_cancel *cancel, eg_error *err) {
    if (!m || !offsets) return null(err, m ? "eg_model_entities: offsets" : "the model");
    if (n && !texts) return null(err, "the array of texts");
    if (max && !entities) return null(err, "the array for the results");
    if (m->config.head != EG_HEAD_TOKENS) return no_token_labels(err);
    if (aggregation > EG_AGGREGATE_MAX) return eg_fail(err, EG_EINVAL, "%u is not a valid eg_aggregation", aggregation);
    eg_batch *b;
    /* not a workspace of the engine, which would keep it: this grows with the tokens of the
     * texts */
    float *rows = NULL;
    size_t labels = m->config.labels, bytes = 0;
    uint64_t control = eg_fp_enter();
    eg_status s = make_batch(m, texts, NULL, n, WITH_SOURCES, cancel, &b, err);
    if (s == EG_OK && (!eg_size_mul(b->offsets[n], labels * sizeof *rows, &bytes) || !(rows = malloc(bytes + 1))))
        s = eg_fail_memory(err, bytes);
    if (s == EG_OK) s = run_batch(m, b, rows, EG_HEAD_TOKENS, cancel, err);
    if (s == EG_OK) {
        eg_softmax(rows, b->offsets[n], labels);
        s = collect_entities(m, b, texts, (eg_aggregation)aggregation, rows, &(entity_list){entities, max, offsets}, err);
    }
    free(rows);
    eg_batch_give(m->engine, b);
    eg_fp_leave(control);
    return s;
}
