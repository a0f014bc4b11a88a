/* test_model.c - embeddings and logits of tiny models against PyTorch (golden/, made by tools/train/make_test_models.py), the
 * same bits whatever the level, threads and batch, and folders that must be refused. */
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

enum { TEXTS = 8, WIDEST = 32, MOST_FLOATS = 8 * 48 * 3 };

static eg_engine *engine_of(uint32_t level, uint32_t threads) {
    eg_engine_options o = {.size = sizeof o, .threads = threads, .level = level};
    eg_engine *e = NULL;
    eg_error err = {0};
    eg_status s = eg_engine_create(&o, &e, &err);
    if (s != EG_OK && s != EG_EUNSUPPORTED) fail_msg("%s", err.text);
    return e; /* NULL: this CPU lacks the level */
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
    eg_status s = info->head == EG_HEAD_CLASSES  ? eg_model_classify(m, pairs, n, out, NULL, &err)
                  : info->head == EG_HEAD_TOKENS ? eg_model_label_tokens(m, texts + from, n, out, MOST_FLOATS / info->labels, offsets, NULL, &err)
                                                 : eg_model_embed(m, texts + from, n, out, NULL, &err);
    if (s != EG_OK) fail_msg("%s", err.text);
    return info->head == EG_HEAD_TOKENS ? offsets[n] * info->labels : n * (info->labels ? info->labels : info->hidden);
}

/* Opens the golden model at every level, with one thread and with two: everywhere the same bits, whatever the batch.
 * Leaves the results in out and their number in *count. */
static void run_everywhere(const char *dir, eg_format format, float *out, size_t *count, eg_model_info *info) {
    int runs = 0;
    for (uint32_t level = EG_LEVEL_SCALAR; level <= EG_LEVEL_AMX; level++)
        for (uint32_t threads = 1; threads <= 2; threads++) {
            eg_engine *e = engine_of(level, threads);
            if (!e) continue;
            eg_model *m = open_model(e, dir, format, info);
            assert_int_equal(info->format, format);
            static float got[MOST_FLOATS], alone[MOST_FLOATS];
            size_t n = run(m, info, 0, TEXTS, got), at = 0;
            for (size_t i = 0; i < TEXTS; i++) {
                size_t k = run(m, info, i, 1, alone);
                assert_memory_equal(alone, got + at, k * sizeof *alone);
                at += k;
            }
            assert_int_equal(at, n);
            if (runs++ == 0) memcpy(out, got, n * sizeof *got);
            assert_memory_equal(out, got, n * sizeof *got);
            *count = n;
            eg_model_close(m);
            eg_engine_destroy(e);
        }
    assert_true(runs >= 2);
}

static void test_against_pytorch(void **state) {
    (void)state;
    static const char *const names[] = {"mean-f32", "cls-f16", "mean-bf16", "mean-s8", "one-f32", "two-f16", "three-s8", "sharded-f16", "tokens-f32",
                                        "roberta-f32", "roberta-mean", "deberta-slices", "deberta-buckets", "deberta-mean"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char dir[512], path[560];
        snprintf(dir, sizeof dir, "%s/%s", GOLDEN, names[k]);
        snprintf(path, sizeof path, "%s/expected.f32", dir);
        eg_arena a;
        eg_arena_init(&a, 0);
        eg_str bytes;
        assert_int_equal(eg_file_read(path, 1 << 20, &a, &bytes, NULL), EG_OK);
        const float *wanted = (const float *)(const void *)bytes.ptr;
        static float f32[MOST_FLOATS], s8[MOST_FLOATS];
        size_t n = 0, n8 = 0;
        eg_model_info info;
        run_everywhere(dir, EG_FORMAT_F32, f32, &n, &info);
        assert_int_equal(bytes.len, n * sizeof(float));
        for (size_t i = 0; i < n; i++)
            if (!(fabsf(f32[i] - wanted[i]) < 2e-5f)) fail_msg("%s: %zu: %.7g, PyTorch %.7g", names[k], i, (double)f32[i], (double)wanted[i]);
        for (size_t i = 0; !info.labels && i < TEXTS; i++)
            assert_true(eg_cosine(f32 + i * info.hidden, wanted + i * info.hidden, info.hidden) > 0.999999f);
        /* 8 bit: the same bits everywhere, and near (models this narrow and random have no slack to average errors out) */
        run_everywhere(dir, EG_FORMAT_S8, s8, &n8, &info);
        assert_int_equal(n, n8);
        double error = 0, whole = 0;
        for (size_t i = 0; i < n; i++) {
            error += ((double)s8[i] - (double)f32[i]) * ((double)s8[i] - (double)f32[i]);
            whole += (double)f32[i] * (double)f32[i];
        }
        if (!(error < 0.0025 * whole)) fail_msg("%s: s8 is off by %.3f of the f32 result", names[k], sqrt(error / whole));
        eg_arena_release(&a);
    }
}

static void test_labels_and_errors(void **state) {
    (void)state;
    eg_engine *e = engine_of(EG_LEVEL_AUTO, 2);
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
    volatile int flag = 1;
    assert_int_equal(eg_model_embed(m, texts, 1, out, &(eg_cancel){.flag = &flag}, &err), EG_ECANCELLED);
    assert_int_equal(eg_model_embed(m, texts, 1, out, &(eg_cancel){.deadline = 1}, &err), EG_ECANCELLED);
    eg_pair pair = {texts[0], texts[1]};
    assert_int_equal(eg_model_classify(m, &pair, 1, out, NULL, &err), EG_EUNSUPPORTED);
    size_t count = 0;
    uint32_t ids[64];
    assert_int_equal(eg_model_tokenize(m, (eg_pair){texts[TEXTS - 1], {NULL, 0}}, ids, NULL, 64, &count, &err), EG_OK);
    assert_int_equal(count, 48); /* cut to the positions of the model */
    eg_model_close(m);
    eg_engine_destroy(e);
}

/* A copy of golden/three-s8 with one thing of it replaced, cut off or missing: a refusal that names it. */
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
        assert_int_equal(eg_file_read(eg_arena_printf(&a, "%s/three-s8/%s", GOLDEN, names[i]), 1 << 20, &a, &files[i], &err), EG_OK);
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        assert_int_equal(eg_file_replace(path, files[i].ptr, files[i].len, 0600, &err), EG_OK);
    }
    eg_engine *e = engine_of(EG_LEVEL_AUTO, 1);
    eg_model *m;
    snprintf(path, sizeof path, "%s/config.json", dir);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *at = strstr(files[0].ptr, table[i].from);
        assert_non_null(at);
        char *text = eg_arena_printf(&a, "%.*s%s%s", (int)(at - files[0].ptr), files[0].ptr, table[i].to, at + strlen(table[i].from));
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
    eg_engine *e = engine_of(EG_LEVEL_AUTO, 1);
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
    eg_engine *e = engine_of(EG_LEVEL_AUTO, 2);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_pytorch),
        cmocka_unit_test(test_labels_and_errors),
        cmocka_unit_test(test_hostile_configs),
        cmocka_unit_test(test_token_types),
        cmocka_unit_test(test_shipped),
    };
    return cmocka_run_group_tests(tests, read_texts, free_texts);
}
