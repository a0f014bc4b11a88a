/* test_model.c - embeddings and logits of tiny models against PyTorch (golden/, made by
 * tools/train/make_test_models.py), the same bits whatever the ISA, threads and batch, and folders
 * that must be refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/file.h"
#include "core/include/engram/infer.h"
#include "kernels/kernels.h"
#include "models/engine.h"

enum { TEXTS = 8, WIDEST = 32, MAX_FLOATS = 8 * 48 * 3 };
/* Half of the 0.05 of s8, since the models are small and random; test_batches.c has the bound for
 * those that ship. */
#define NEAR_BF16 0.025

static eg_engine *engine_of(uint32_t isa, uint32_t threads) {
    eg_engine_options o = {.size = sizeof o, .threads = threads, .isa = isa};
    eg_engine *e = NULL;
    eg_error err = {0};
    eg_status s = eg_engine_create(&o, &e, &err);
    if (s != EG_OK && s != EG_EUNSUPPORTED) fail_msg("%s", err.text);
    return e; /* NULL: this CPU lacks the ISA */
}

static eg_str texts[TEXTS];
static eg_arena golden;

static int read_texts(void **state) {
    (void)state;
    eg_str all;
    eg_error err = {0};
    if (eg_file_read(GOLDEN "/texts.txt", 1 << 20, &golden, &all, &err) != EG_OK) return -1;
    const char *p = all.ptr;
    for (size_t i = 0; i < TEXTS; i++) {
        const char *end = strchr(p, '\n');
        if (!end) return -1;
        texts[i] = (eg_str){p, (size_t)(end - p)};
        p = end + 1;
    }
    return 0;
}

static int free_texts(void **state) {
    (void)state;
    eg_arena_release(&golden);
    return 0;
}

static eg_model *open_model(eg_engine *e, const char *dir, eg_format format, eg_model_info *info) {
    eg_model *m;
    eg_error err = {0};
    eg_model_options o = {.size = sizeof o, .format = format};
    if (eg_model_open(e, dir, &o, &m, &err) != EG_OK) fail_msg("%s", err.text);
    *info = (eg_model_info){.size = sizeof *info};
    assert_int_equal(eg_model_describe(m, info, &err), EG_OK);
    return m;
}

/* Rows of the texts [from, from + n), n of them in one call; returns the floats written. */
static size_t run(const eg_model *m, const eg_model_info *info, size_t from, size_t n, float *out) {
    eg_error err = {0};
    eg_pair pairs[TEXTS];
    size_t offsets[TEXTS + 1] = {0};
    for (size_t i = 0; i < n; i++) pairs[i] = (eg_pair){texts[from + i], texts[(from + i + 1) % TEXTS]};
    eg_status s = info->head == EG_HEAD_CLASSES ? eg_model_classify(m, pairs, n, out, NULL, &err)
                  : info->head == EG_HEAD_TOKENS
                      ? eg_model_label_tokens(m, texts + from, n, out, MAX_FLOATS / info->labels, offsets, NULL, &err)
                      : eg_model_embed(m, texts + from, n, out, NULL, &err);
    if (s != EG_OK) fail_msg("%s", err.text);
    return info->head == EG_HEAD_TOKENS ? offsets[n] * info->labels : n * (info->labels ? info->labels : info->hidden);
}

/* sqrt(sum of (got - wanted)^2 / sum of wanted^2) */
static double distance(const float *got, const float *wanted, size_t n) {
    double error = 0, whole = 0;
    for (size_t i = 0; i < n; i++) {
        error += ((double)got[i] - (double)wanted[i]) * ((double)got[i] - (double)wanted[i]);
        whole += (double)wanted[i] * (double)wanted[i];
    }
    return sqrt(error / whole);
}

/* Opens the golden model with every ISA, with one thread and with two: everywhere the same bits,
 * whatever the batch; in bf16, ISAs with an instruction for it have bits of their own, near the
 * others. Leaves the first results in out and their number in *count. */
static void run_everywhere(const char *dir, eg_format format, float *out, size_t *count, eg_model_info *info) {
    int runs = 0;
    for (uint32_t isa = EG_ISA_SCALAR; isa <= EG_ISA_AVX512BF16; isa++) {
        static float of_isa[MAX_FLOATS];
        const eg_kernels *kernels = NULL;
        (void)eg_kernels_select((eg_isa)isa, &kernels, NULL);
        for (uint32_t threads = 1; threads <= 2; threads++) {
            eg_engine *e = engine_of(isa, threads);
            if (!e) continue;
            eg_model *m = open_model(e, dir, format, info);
            assert_int_equal(info->format, format);
            static float got[MAX_FLOATS], alone[MAX_FLOATS];
            size_t n = run(m, info, 0, TEXTS, got), at = 0;
            for (size_t i = 0; i < TEXTS; i++) {
                size_t k = run(m, info, i, 1, alone);
                assert_memory_equal(alone, got + at, k * sizeof *alone);
                at += k;
            }
            assert_int_equal(at, n);
            if (runs++ == 0) memcpy(out, got, n * sizeof *got);
            if (threads == 1) memcpy(of_isa, got, n * sizeof *got);
            assert_memory_equal(of_isa, got, n * sizeof *got);
            if (format != EG_FORMAT_BF16 || kernels->bf16_as_scalar) assert_memory_equal(out, got, n * sizeof *got);
            else if (!(distance(got, out, n) < NEAR_BF16))
                fail_msg("%s: bf16 at %s is off by %.5f of the scalar result", dir, kernels->name, distance(got, out, n));
            *count = n;
            eg_model_close(m);
            eg_engine_destroy(e);
        }
    }
    assert_true(runs >= 2);
}

static void test_against_pytorch(void **state) {
    (void)state;
    static const char *const names[] = {"mean-f32",     "cls-f16",        "mean-bf16",       "mean-s8",     "one-f32",
                                        "two-f16",      "three-s8",       "sharded-f16",     "tokens-f32",  "roberta-f32",
                                        "roberta-mean", "deberta-slices", "deberta-buckets", "deberta-mean"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char dir[512], path[560];
        snprintf(dir, sizeof dir, "%s/%s", GOLDEN, names[k]);
        snprintf(path, sizeof path, "%s/expected.f32", dir);
        eg_arena a;
        eg_arena_init(&a, 0);
        eg_str bytes;
        assert_int_equal(eg_file_read(path, 1 << 20, &a, &bytes, NULL), EG_OK);
        const float *wanted = (const float *)(const void *)bytes.ptr;
        static float f32[MAX_FLOATS], s8[MAX_FLOATS], bf16[MAX_FLOATS];
        size_t n = 0, n8 = 0;
        eg_model_info info;
        run_everywhere(dir, EG_FORMAT_F32, f32, &n, &info);
        assert_int_equal(bytes.len, n * sizeof(float));
        for (size_t i = 0; i < n; i++)
            if (!(fabsf(f32[i] - wanted[i]) < 2e-5f))
                fail_msg("%s: %zu: %.7g, PyTorch %.7g", names[k], i, (double)f32[i], (double)wanted[i]);
        for (size_t i = 0; !info.labels && i < TEXTS; i++)
            assert_true(eg_cosine(f32 + i * info.hidden, wanted + i * info.hidden, info.hidden) > 0.999999f);
        /* 8 bit: the same bits everywhere, and near (models this narrow and random have no slack to
         * average errors out) */
        run_everywhere(dir, EG_FORMAT_S8, s8, &n8, &info);
        assert_int_equal(n, n8);
        if (!(distance(s8, f32, n) < 0.05)) fail_msg("%s: s8 is off by %.3f of the f32 result", names[k], distance(s8, f32, n));
        run_everywhere(dir, EG_FORMAT_BF16, bf16, &n8, &info);
        assert_int_equal(n, n8);
        if (!(distance(bf16, f32, n) < NEAR_BF16))
            fail_msg("%s: bf16 is off by %.5f of the f32 result", names[k], distance(bf16, f32, n));
        eg_arena_release(&a);
    }
}

static void test_labels_and_errors(void **state) {
    (void)state;
    eg_engine *e = engine_of(EG_ISA_AUTO, 2);
    eg_model_info info;
    eg_model *m = open_model(e, GOLDEN "/three-s8", EG_FORMAT_F32, &info);
    assert_int_equal(info.labels, 3);
    assert_string_equal(info.label_names[0], "neutral"); /* the file gives them from 2 down */
    assert_string_equal(info.label_names[2], "entailment");
    eg_model_close(m);
    m = open_model(e, GOLDEN "/mean-f32", EG_FORMAT_F32, &info);
    float out[2 * WIDEST];
    eg_error err = {0};
    eg_str broken[2] = {EG_STR("fine"), EG_STR("not \xFF fine")};
    assert_int_equal(eg_model_embed(m, broken, 2, out, NULL, &err), EG_EINVAL);
    assert_string_equal(err.text, "text 1 is not valid UTF-8 at byte 4");
    int flag = 1;
    assert_int_equal(eg_model_embed(m, texts, 1, out, &(eg_cancel){.flag = &flag}, &err), EG_ECANCELLED);
    assert_int_equal(eg_model_embed(m, texts, 1, out, &(eg_cancel){.deadline = 1}, &err), EG_ECANCELLED);
    /* no text is read */
    assert_int_equal(eg_model_embed(m, broken, 2, out, &(eg_cancel){.flag = &flag}, &err), EG_ECANCELLED);
    eg_pair pair = {texts[0], texts[1]};
    assert_int_equal(eg_model_classify(m, &pair, 1, out, NULL, &err), EG_EUNSUPPORTED);
    size_t count = 0;
    uint32_t ids[64];
    assert_int_equal(eg_model_tokenize(m, (eg_pair){texts[TEXTS - 1], {NULL, 0}}, ids, NULL, 64, &count, &err), EG_OK);
    assert_int_equal(count, 48); /* cut to the positions of the model */
    eg_model_close(m);
    eg_engine_destroy(e);
}

/* A copy of golden/three-s8 with one thing of it replaced, cut off or missing: a refusal that names
 * it. */
/* golden/tokens-f32/entities.tsv: what the pipeline of transformers 4.46.3 makes of the labels. */
static void test_entities(void **state) {
    (void)state;
    enum { MAX_SIZE = 8 * 48 };
    eg_engine *e = engine_of(EG_ISA_AUTO, 2);
    eg_model_info info;
    eg_error err = {0};
    eg_model *m = open_model(e, GOLDEN "/tokens-f32", EG_FORMAT_AUTO, &info);
    static eg_entity got[MAX_SIZE];
    size_t offsets[TEXTS + 1], lines = 0, next = 0, at = 0;
    FILE *in = fopen(GOLDEN "/tokens-f32/entities.tsv", "r");
    assert_non_null(in);
    uint32_t a, text, before = UINT32_MAX;
    char label[16];
    eg_range span;
    for (double score; fscanf(in, "%u %u %15s %zu %zu %lf", &a, &text, label, &span.begin, &span.end, &score) == 6; lines++) {
        if (a != before) {
            /* all of the one before were wanted */
            assert_int_equal(next, lines ? offsets[TEXTS] : 0);
            if (eg_model_entities(m, texts, TEXTS, a, got, MAX_SIZE, offsets, NULL, &err) != EG_OK) fail_msg("%s", err.text);
            before = a;
            next = at = 0;
        }
        while (at + 1 < TEXTS && next >= offsets[at + 1]) at++;
        assert_true(next < offsets[TEXTS]);
        const eg_entity *g = &got[next++];
        if (at != text || !eg_str_eq(g->label, eg_str_of(label)) || g->span.begin != span.begin || g->span.end != span.end ||
            fabs((double)g->score - score) > 2e-5)
            fail_msg("line %zu: %s [%zu, %zu) %f was expected of text %u, there is %.*s [%zu, %zu) %f of %zu", lines + 1, label,
                     span.begin, span.end, score, text, (int)g->label.len, g->label.ptr, g->span.begin, g->span.end,
                     (double)g->score, at);
    }
    fclose(in);
    assert_int_equal(next, offsets[TEXTS]);
    assert_int_equal(lines, 316);

    size_t all = offsets[TEXTS];
    assert_int_equal(eg_model_entities(m, texts, TEXTS, EG_AGGREGATE_MAX, got, all - 1, offsets, NULL, &err), EG_ELIMIT);
    assert_int_equal(offsets[TEXTS], all);
    assert_int_equal(eg_model_entities(m, texts, TEXTS, EG_AGGREGATE_MAX, NULL, 0, offsets, NULL, &err), EG_ELIMIT);
    assert_int_equal(eg_model_entities(m, texts, TEXTS, EG_AGGREGATE_MAX, got, all, offsets, NULL, &err), EG_OK);
    enum { MANY = 512 };
    eg_str *many = malloc(MANY * sizeof *many);
    size_t *ends = malloc((MANY + 1) * sizeof *ends);
    assert_true(many && ends);
    /* 48 tokens each: their labels are more than a group's scratch */
    for (size_t i = 0; i < MANY; i++) many[i] = texts[TEXTS - 1];
    (void)eg_model_entities(m, many, MANY, EG_AGGREGATE_MAX, got, 0, ends, NULL, &err);
    /* not kept */
    for (const eg_workspace *w = e->idle; w; w = w->next) assert_true(w->capacity < (size_t)MANY * 48 * 3);
    free(many);
    free(ends);
    assert_int_equal(eg_model_entities(m, texts, TEXTS, 4, got, MAX_SIZE, offsets, NULL, &err), EG_EINVAL);
    assert_int_equal(eg_model_entities(m, &EG_STR("\xff"), 1, 0, got, MAX_SIZE, offsets, NULL, &err), EG_EINVAL);
    eg_model_close(m);
    m = open_model(e, GOLDEN "/mean-f32", EG_FORMAT_AUTO, &info);
    assert_int_equal(eg_model_entities(m, texts, 1, 0, got, MAX_SIZE, offsets, NULL, &err), EG_EUNSUPPORTED);
    eg_model_close(m);
    eg_engine_destroy(e);
}

/* A pair, truncated output, and no spans after spans: the buffers of a call are used again. */
static void test_spans(void **state) {
    (void)state;
    eg_engine *e = engine_of(EG_ISA_AUTO, 1);
    eg_model_info info;
    eg_error err = {0};
    eg_model *m = open_model(e, GOLDEN "/mean-f32", EG_FORMAT_AUTO, &info);
    /* [CLS] the limit is [UNK] [SEP] caches . [SEP], where caches is cache and ##s */
    eg_pair pair = {EG_STR("The  lim\xC3\xADt is \xE4\xB8\xAD"), EG_STR("caches.")};
    const eg_range wanted[] = {{0, 0}, {0, 3}, {5, 11}, {12, 14}, {15, 18}, {0, 0}, {0, 5}, {5, 6}, {6, 7}, {0, 0}};
    enum { N = sizeof wanted / sizeof *wanted };
    uint32_t ids[2 * N], plain[2 * N];
    uint8_t types[2 * N];
    eg_range spans[2 * N];
    size_t count;
    assert_int_equal(eg_model_tokenize_spans(m, pair, ids, types, spans, 2 * N, &count, &err), EG_OK);
    assert_int_equal(count, N);
    assert_memory_equal(spans, wanted, sizeof wanted);
    memset(spans, 0xAA, sizeof spans);
    assert_int_equal(eg_model_tokenize_spans(m, pair, ids, types, spans, 3, &count, &err), EG_OK);
    assert_int_equal(count, N);
    assert_memory_equal(spans, wanted, 3 * sizeof *wanted);
    assert_int_equal(spans[3].begin, (size_t)0xAAAAAAAAAAAAAAAA);
    assert_int_equal(eg_model_tokenize(m, pair, plain, NULL, 2 * N, &count, &err), EG_OK);
    assert_memory_equal(plain, ids, count * sizeof *ids);
    eg_model_close(m);
    eg_engine_destroy(e);
}

/* Opens GOLDEN/mean-f32 with other files beside it: name and text each, up to a NULL. NULL:
 * refused, and says why. */
static eg_model *open_with(eg_engine *e, const char *const *files, eg_error *err) {
    static const char *const names[] = {"config.json", "vocab.txt", "model.safetensors"};
    char dir[] = "/tmp/engram-test-XXXXXX", path[128], from[600];
    eg_model *m = NULL;
    assert_non_null(mkdtemp(dir));
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        snprintf(from, sizeof from, "%s/mean-f32/%s", GOLDEN, names[i]);
        assert_int_equal(symlink(from, path), 0);
    }
    snprintf(path, sizeof path, "%s/1_Pooling", dir);
    assert_int_equal(eg_folder_make(path, 0700, NULL), EG_OK);
    for (const char *const *f = files; *f; f += 2) {
        snprintf(path, sizeof path, "%s/%s", dir, f[0]);
        assert_int_equal(eg_file_replace(path, f[1], strlen(f[1]), 0600, NULL), EG_OK);
    }
    (void)eg_model_open(e, dir, NULL, &m, err);
    for (const char *const *f = files; *f; f += 2) {
        snprintf(path, sizeof path, "%s/%s", dir, f[0]);
        unlink(path);
    }
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/1_Pooling", dir);
    rmdir(path);
    assert_int_equal(rmdir(dir), 0);
    return m;
}

#define MODULE(type, path) "{\"idx\": 0, \"path\": \"" path "\", \"type\": \"sentence_transformers.models." type "\"}"
#define TWO "[" MODULE("Transformer", "") "," MODULE("Pooling", "1_Pooling")
#define POOLS(mode)          \
    "1_Pooling/config.json", \
        "{\"word_embedding_dimension\": 24, \"pooling_mode_cls_token\": false, \"pooling_mode_" mode "\": true}"

/* modules.json, pooling, lengths: each honoured, or refused by name. */
static void test_sentence_folders(void **state) {
    (void)state;
    enum { H = 24, CASES = 6 };
    static const struct {
        const char *files[7];
        uint32_t normalizes, max_tokens;
    } good[CASES] = {
        {{"modules.json", TWO "," MODULE("Normalize", "2_Normalize") "]", POOLS("mean_tokens")}, 1, 48},
        {{"modules.json", TWO "]", POOLS("mean_tokens"), "sentence_bert_config.json", "{\"max_seq_length\": 17}"}, 0, 17},
        {{"modules.json", TWO "]", POOLS("mean_sqrt_len_tokens"), "tokenizer_config.json", "{\"model_max_length\": 20}"}, 0, 20},
        {{"modules.json", TWO "]", POOLS("max_tokens"), "tokenizer_config.json",
          "{\"model_max_length\": 1000000000000000019884624838656}"},
         0,
         48},
        {{POOLS("mean_tokens"), "sentence_bert_config.json", "{\"max_seq_length\": 40}", "tokenizer_config.json",
          "{\"model_max_length\": 20}"},
         1,
         40},
        {{"sentence_bert_config.json", "{\"max_seq_length\": null}", "tokenizer_config.json", "{\"model_max_length\": 30}"},
         1,
         30}};
    eg_engine *e = engine_of(EG_ISA_AUTO, 1);
    eg_error err = {0};
    float v[CASES][H];
    size_t count = 0;
    uint32_t ids[64];
    for (int i = 0; i < CASES; i++) {
        eg_model_info info = {.size = sizeof info};
        eg_model *m = open_with(e, good[i].files, &err);
        if (!m) fail_msg("%s", err.text);
        assert_int_equal(eg_model_describe(m, &info, &err), EG_OK);
        assert_int_equal(info.normalizes, good[i].normalizes);
        assert_int_equal(info.max_tokens, good[i].max_tokens);
        assert_int_equal(eg_model_embed(m, &texts[0], 1, v[i], NULL, &err), EG_OK);
        assert_int_equal(eg_model_tokenize(m, (eg_pair){.first = texts[TEXTS - 1]}, ids, NULL, 64, &count, &err), EG_OK);
        assert_int_equal(count, info.max_tokens);
        assert_int_equal(eg_model_tokenize(m, (eg_pair){.first = texts[0]}, ids, NULL, 64, &count, &err), EG_OK);
        eg_model_close(m);
    }
    float length = 0;
    int higher = 0;
    for (int h = 0; h < H; h++) length += v[1][h] * v[1][h];
    assert_true(fabsf(length - 1) > 0.01f);
    for (int h = 0; h < H; h++) {
        assert_true(fabsf(v[1][h] / sqrtf(length) - v[0][h]) < 1e-5f);
        assert_true(fabsf(v[1][h] * sqrtf((float)count) - v[2][h]) < 1e-5f);
        assert_true(v[3][h] >= v[1][h] - 1e-6f);
        higher += v[3][h] > v[1][h] + 1e-3f;
    }
    assert_true(higher > H / 2);
    assert_memory_equal(v[4], v[0], sizeof v[0]);
    assert_memory_equal(v[5], v[0], sizeof v[0]);

    static const struct {
        const char *files[5], *says;
    } bad[] = {
        {{"modules.json", TWO "," MODULE("Dense", "2_Dense") "]", POOLS("mean_tokens")}, "models.Dense'"},
        {{"modules.json", "[" MODULE("Transformer", "") "," MODULE("WeightedLayerPooling", "1") "]"}, "WeightedLayerPooling'"},
        {{"modules.json", TWO "," MODULE("Normalize", "2") "," MODULE("Dense", "3") "]", POOLS("mean_tokens")}, "module 3"},
        {{"modules.json", "[" MODULE("Transformer", "0_Transformer") "]"}, "Transformer"},
        {{"modules.json", "[" MODULE("Transformer", "") "]"}, "no Pooling"},
        {{"modules.json", "[" MODULE("Transformer", "") "," MODULE("Pooling", "../x") "]"}, "not a folder inside"},
        {{"modules.json", TWO "]"}, "/1_Pooling/config.json', which modules.json names, is not there"},
        {{"modules.json", "{}"}, "modules.json:1:"},
        {{"modules.json", "[1]"}, "list of objects"},
        {{"modules.json", "[{}]"}, "no type"},
        {{"modules.json", "[{\"type\": "}, "modules.json:1:"},
        {{POOLS("weightedmean_tokens")}, "pooling_mode_weightedmean_tokens"},
        {{POOLS("mean_tokens\": true, \"pooling_mode_max_tokens")}, "pooling_mode_... 2 are true"},
        {{POOLS("mean_tokens\": false, \"x")}, "pooling_mode_... 0 are true"},
        {{POOLS("mean_tokens\": true, \"include_prompt\": false, \"x")}, "include_prompt"},
        {{"tokenizer_config.json", "{\"model_max_length\": 3}"}, "model_max_length"},
        {{"sentence_bert_config.json", "{\"max_seq_length\": 7.5}"}, "max_seq_length"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        err = (eg_error){0};
        if (open_with(e, bad[i].files, &err)) fail_msg("case %zu was taken: %s", i, bad[i].says);
        if (!strstr(err.text, bad[i].says)) fail_msg("'%s' does not say %s", err.text, bad[i].says);
    }
    eg_engine_destroy(e);
}

/* A prompt is text before the text, the default one where none is asked for. */
static void test_prompts(void **state) {
    (void)state;
    enum { H = 24 };
    static const char file[] = "config_sentence_transformers.json";
    eg_engine *e = engine_of(EG_ISA_AUTO, 1);
    eg_error err = {0};
    eg_model_info info = {.size = sizeof info};
    eg_model *m = open_with(
        e,
        (const char *[]){
            file, "{\"prompts\": {\"query\": \"the limit: \", \"passage\": \"\"}, \"default_prompt_name\": \"query\"}", NULL},
        &err);
    if (!m) fail_msg("%s", err.text);
    assert_int_equal(eg_model_describe(m, &info, &err), EG_OK);
    assert_int_equal(info.prompts, 2);
    assert_string_equal(info.prompt_names[1], "passage");
    float plain[2 * H], got[2 * H];
    eg_str two[] = {EG_STR("seven"), EG_STR("")}, whole[] = {EG_STR("the limit: seven"), EG_STR("the limit: ")};
    assert_int_equal(eg_model_embed_prompted(m, "passage", whole, 2, plain, NULL, &err), EG_OK);
    assert_int_equal(eg_model_embed_prompted(m, "query", two, 2, got, NULL, &err), EG_OK);
    assert_memory_equal(got, plain, sizeof got);
    assert_int_equal(eg_model_embed(m, two, 2, got, NULL, &err), EG_OK);
    assert_memory_equal(got, plain, sizeof got);
    assert_int_equal(eg_model_embed_prompted(m, "passage", two, 2, got, NULL, &err), EG_OK);
    assert_memory_not_equal(got, plain, sizeof got);
    assert_int_equal(eg_model_embed(m, (eg_str[]){EG_STR("fine"), EG_STR("not \xFF")}, 2, got, NULL, &err), EG_EINVAL);
    assert_string_equal(err.text, "text 1 is not valid UTF-8 at byte 4");
    assert_int_equal(eg_model_embed_prompted(m, "question", two, 2, got, NULL, &err), EG_EINVAL);
    assert_non_null(strstr(err.text, "query, passage"));
    eg_model_close(m);
    static const char *const bad[] = {"{\"default_prompt_name\": \"query\"}", "{\"prompts\": {\"query\": 1}}", "[]",
                                      "{\"prompts\": {"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (open_with(e, (const char *[]){file, bad[i], NULL}, &err) || !strstr(err.text, file))
            fail_msg("case %zu: '%s'", i, err.text);
    m = open_with(e, (const char *[]){NULL}, &err);
    assert_int_equal(eg_model_embed_prompted(m, "query", two, 2, got, NULL, &err), EG_EINVAL);
    eg_model_close(m);
    eg_engine_destroy(e);
}

static void test_hostile_configs(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *says;
    } table[] = {{"\"model_type\": \"bert\"", "\"model_type\": \"gpt2\"", "model_type"},
                 {"BertForSequenceClassification", "BertForCausalLM", "architectures"},
                 {"\"hidden_size\": 32", "\"hidden_size\": 64", "shape"},
                 {"\"hidden_size\": 32", "\"hidden_size\": 33", "hidden_size"},
                 {"\"hidden_size\": 32", "\"hidden_size\": 1e9", "hidden_size"},
                 {"\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3", "encoder.layer.2"},
                 {"\"type_vocab_size\": 2", "\"type_vocab_size\": 0", "type_vocab_size"},
                 {"\"hidden_act\": \"gelu\"", "\"hidden_act\": \"relu\"", "hidden_act"},
                 {"\"2\": ", "\"7\": ", "id2label"},
                 {"\"1\": ", "\"2\": ", "id2label"},
                 {"{", "[", "config.json:1:"}};
    char dir[] = "/tmp/engram-test-XXXXXX", path[64], to[64];
    assert_non_null(mkdtemp(dir));
    eg_arena a;
    eg_arena_init(&a, 0);
    eg_str files[3];
    static const char *const names[] = {"config.json", "vocab.txt", "model.safetensors"};
    eg_error err = {0};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(eg_file_read(eg_arena_printf(&a, "%s/three-s8/%s", GOLDEN, names[i]), 1 << 20, &a, &files[i], &err),
                         EG_OK);
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        assert_int_equal(eg_file_replace(path, files[i].ptr, files[i].len, 0600, &err), EG_OK);
    }
    eg_engine *e = engine_of(EG_ISA_AUTO, 1);
    eg_model *m;
    snprintf(path, sizeof path, "%s/config.json", dir);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *at = strstr(files[0].ptr, table[i].from);
        assert_non_null(at);
        char *text =
            eg_arena_printf(&a, "%.*s%s%s", (int)(at - files[0].ptr), files[0].ptr, table[i].to, at + strlen(table[i].from));
        assert_int_equal(eg_file_replace(path, text, strlen(text), 0600, &err), EG_OK);
        if (eg_model_open(e, dir, NULL, &m, &err) == EG_OK) fail_msg("%s was taken", table[i].to);
        if (!strstr(err.text, table[i].says)) fail_msg("'%s' does not say %s", err.text, table[i].says);
    }
    assert_int_equal(eg_file_replace(path, files[0].ptr, files[0].len, 0600, &err), EG_OK);
    snprintf(to, sizeof to, "%s/model.safetensors", dir);
    for (size_t n = 0; n < files[2].len; n += n < 64 ? 1 : 997) { /* cut off anywhere: refused */
        assert_int_equal(eg_file_replace(to, files[2].ptr, n, 0600, &err), EG_OK);
        if (eg_model_open(e, dir, NULL, &m, &err) == EG_OK) fail_msg("%zu bytes were taken", n);
        assert_non_null(strstr(err.text, "model.safetensors"));
    }
    for (int i = 2; i >= 0; i--) { /* each file missing */
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        assert_int_equal(unlink(path), 0);
        assert_int_equal(eg_model_open(e, dir, NULL, &m, &err), EG_ENOENT);
        assert_null(m);
    }
    eg_engine_destroy(e);
    eg_arena_release(&a);
    assert_int_equal(rmdir(dir), 0);
}

/* A tokenizer.json whose token types the model has no row for. */
static void test_token_types(void **state) {
    (void)state;
    static const char tokenizer[] =
        "{\"model\":{\"vocab\":{\"[UNK]\":0,\"a\":1}},\"pre_tokenizer\":{\"type\":\"BertPreTokenizer\"},\"normalizer\":{\"type\":"
        "\"BertNormalizer\",\"clean_text\":true,\"handle_chinese_chars\":true,\"lowercase\":true},\"post_processor\":{\"type\":"
        "\"TemplateProcessing\",\"special_tokens\":{\"a\":{\"ids\":[1]}},\"single\":[{\"SpecialToken\":{\"id\":\"a\"}},"
        "{\"Sequence\":{\"id\":\"A\",\"type_id\":2}}],\"pair\":[{\"SpecialToken\":{\"id\":\"a\"}},{\"Sequence\":{\"id\":\"A\","
        "\"type_id\":0}},{\"Sequence\":{\"id\":\"B\",\"type_id\":0}}]}}";
    char dir[] = "/tmp/engram-test-XXXXXX", config_path[64], path[64];
    eg_arena a;
    eg_error err = {0};
    eg_str config;
    eg_model *m;
    eg_engine *e = engine_of(EG_ISA_AUTO, 1);
    eg_arena_init(&a, 0);
    assert_non_null(mkdtemp(dir));
    snprintf(config_path, sizeof config_path, "%s/config.json", dir);
    snprintf(path, sizeof path, "%s/tokenizer.json", dir);
    assert_int_equal(eg_file_read(GOLDEN "/three-s8/config.json", 1 << 20, &a, &config, &err), EG_OK);
    assert_int_equal(eg_file_replace(config_path, config.ptr, config.len, 0600, &err), EG_OK);
    assert_int_equal(eg_file_replace(path, tokenizer, strlen(tokenizer), 0600, &err), EG_OK);
    assert_int_equal(eg_model_open(e, dir, NULL, &m, &err), EG_EFORMAT);
    assert_non_null(strstr(err.text, "the tokenizer gives 3 token types"));
    assert_int_equal(unlink(config_path) | unlink(path) | rmdir(dir), 0);
    eg_engine_destroy(e);
    eg_arena_release(&a);
}

/* The weights that ship. */
static void test_shipped(void **state) {
    (void)state;
    eg_engine *e = engine_of(EG_ISA_AUTO, 2);
    eg_model_info info;
    eg_model *m = open_model(e, WEIGHTS "/engram-nli-0", EG_FORMAT_S8, &info);
    eg_pair pair = {EG_STR("The limit is 5."), EG_STR("The limit is 7.")};
    float p[3];
    eg_error err = {0};
    assert_int_equal(info.labels, 3);
    assert_int_equal(eg_model_classify(m, &pair, 1, p, NULL, &err), EG_OK);
    eg_softmax(p, 1, 3);
    assert_string_equal(info.label_names[0], "contradiction");
    assert_true(p[0] > 0.5f);
    eg_model_close(m);
    eg_engine_destroy(e);
}

/* Texts are left once there are enough tokens; how a pair is cut is told by the whole of both all
 * the same. */
static void long_pairs_are_cut_as_wholes(void **state) {
    (void)state;
    static const size_t lengths[] = {3, 100, 253, 254, 255, 508, 509, 510, 511, 512, 513, 600, 601};
    enum { LENGTHS = sizeof lengths / sizeof *lengths, MAX_SIZE = 512 };
    static char text[2 * 700];
    static uint32_t ids[MAX_SIZE];
    static uint8_t types[MAX_SIZE];
    eg_engine *e = engine_of(EG_ISA_AUTO, 1);
    eg_model_info info;
    eg_model *m = open_model(e, WEIGHTS "/engram-nli-0", EG_FORMAT_S8, &info);
    eg_error err = {0};
    assert_int_equal(info.max_tokens, MAX_SIZE);
    for (size_t i = 0; i < sizeof text; i++) text[i] = i % 2 ? ' ' : 'a';
    for (size_t i = 0; i < LENGTHS; i++)
        for (size_t j = 0; j < LENGTHS; j++) {
            /* the shorter one keeps what it has up to half the room; the second is the longer where
             * they are equal */
            size_t room = MAX_SIZE - 3, first_is_longer = lengths[i] > lengths[j], count, found = 0;
            size_t shorter = lengths[first_is_longer ? j : i], longer = lengths[first_is_longer ? i : j];
            if (shorter + longer > room) shorter = shorter < room / 2 ? shorter : room / 2, longer = room - shorter;
            size_t n1 = first_is_longer ? longer : shorter, n2 = first_is_longer ? shorter : longer;
            eg_pair pair = {{text, 2 * lengths[i]}, {text, 2 * lengths[j]}};
            assert_int_equal(eg_model_tokenize(m, pair, ids, types, MAX_SIZE, &count, &err), EG_OK);
            assert_int_equal(count, n1 + n2 + 3);
            for (size_t k = 0; k < count; k++) found += types[k];
            if (found != n2 + 1)
                fail_msg("%zu and %zu tokens: %zu of the second stay, not %zu", lengths[i], lengths[j], found - 1, n2);
        }
    eg_model_close(m);
    eg_engine_destroy(e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_pairs_are_cut_as_wholes),
        cmocka_unit_test(test_against_pytorch),
        cmocka_unit_test(test_labels_and_errors),
        cmocka_unit_test(test_entities),
        cmocka_unit_test(test_spans),
        cmocka_unit_test(test_hostile_configs),
        cmocka_unit_test(test_sentence_folders),
        cmocka_unit_test(test_prompts),
        cmocka_unit_test(test_token_types),
        cmocka_unit_test(test_shipped),
    };
    return cmocka_run_group_tests(tests, read_texts, free_texts);
}
