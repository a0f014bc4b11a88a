/* test_callers.c - what callers of infer.h do and mean otherwise: NULL, sizes of older and newer
 * structures, numbers that no enum has, another rounding mode, a fork. A refusal or the same
 * answer, never a crash. Hostile files: hostile.h. */
#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "models/engine.h"
#include "tiny_model.h"

static char dir[64];
static eg_engine *engine;
static const eg_pair pair = {EG_STR("the limit"), EG_STR("a limit")};

static int begin(void **state) {
    (void)state;
    tiny_model *m = tiny_create();
    tiny_folder(dir);
    tiny_write(m, dir);
    free(m);
    eg_engine_options o = {.size = sizeof o, .threads = 2};
    return eg_engine_create(&o, &engine, NULL) == EG_OK ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    eg_engine_destroy(engine);
    tiny_folder_remove(dir);
    return 0;
}

static eg_model *open_model(eg_format format) {
    eg_model *m;
    eg_error err = {0};
    eg_model_options o = {.size = sizeof o, .format = format};
    if (eg_model_open(engine, dir, &o, &m, &err) != EG_OK) fail_msg("%s", err.text);
    return m;
}

#define REFUSED(call) assert_int_equal(call, EG_EINVAL)

static void test_null(void **state) {
    (void)state;
    eg_error err = {0};
    eg_model *m = open_model(EG_FORMAT_AUTO), *none = m;
    float out[TINY_HIDDEN] = {0};
    size_t count;
    uint32_t ids[4];
    eg_str text = pair.first, nothing = {NULL, 0}, broken = {NULL, 5};
    REFUSED(eg_engine_create(NULL, NULL, &err));
    REFUSED(eg_model_open(NULL, dir, NULL, &none, &err));
    assert_null(none);
    REFUSED(eg_model_open(engine, NULL, NULL, &none, &err));
    REFUSED(eg_model_open(engine, "", NULL, &none, &err));
    REFUSED(eg_model_open(engine, dir, NULL, NULL, &err));
    REFUSED(eg_model_describe(NULL, &(eg_model_info){.size = sizeof(eg_model_info)}, &err));
    REFUSED(eg_model_describe(m, NULL, &err));
    REFUSED(eg_model_embed(NULL, &text, 1, out, NULL, &err));
    REFUSED(eg_model_embed(m, NULL, 1, out, NULL, &err));
    REFUSED(eg_model_embed(m, &text, 1, NULL, NULL, &err));
    REFUSED(eg_model_embed(m, &broken, 1, out, NULL, &err));
    assert_string_equal(err.text, "text 0 is NULL and has 5 bytes");
    REFUSED(eg_model_classify(NULL, &pair, 1, out, NULL, &err));
    REFUSED(eg_model_classify(m, NULL, 1, out, NULL, &err));
    REFUSED(eg_model_classify(m, &(eg_pair){text, broken}, 1, out, NULL, &err));
    REFUSED(eg_model_label_tokens(NULL, &text, 1, out, 1, &count, NULL, &err));
    REFUSED(eg_model_tokenize(NULL, pair, ids, NULL, 4, &count, &err));
    REFUSED(eg_model_tokenize(m, pair, NULL, NULL, 4, &count, &err));
    REFUSED(eg_model_tokenize(m, pair, ids, NULL, 4, NULL, &err));
    REFUSED(eg_model_embed(m, NULL, 1, out, NULL, NULL)); /* without an error record too */
    /* what is no mistake */
    assert_int_equal(eg_model_tokenize(m, pair, NULL, NULL, 0, &count, &err), EG_OK);
    assert_int_equal(count, 7); /* [CLS] the limit [SEP] a limit [SEP] */
    assert_int_equal(eg_model_embed(m, NULL, 0, NULL, NULL, &err), EG_OK);
    assert_int_equal(eg_model_embed(m, &nothing, 1, out, NULL, &err), EG_OK); /* the empty text */
    assert_int_equal(eg_engine_threads(NULL), 0);
    assert_string_equal(eg_engine_isa(NULL), "");
    eg_softmax(NULL, 0, 3);
    eg_softmax(out, 1, 0);
    assert_true(eg_cosine(NULL, out, 3) == 0);
    eg_model_close(NULL);
    eg_engine_destroy(NULL);
    eg_model_close(m);
}

/* Rows without offsets would have no bound. */
static void test_token_labels(void **state) {
    (void)state;
    tiny_model *tiny = tiny_create();
    char config[1024], labels_dir[64];
    const char *at = strstr(tiny_config, "Sequence");
    snprintf(config, sizeof config, "%.*sToken%s", (int)(at - tiny_config), tiny_config, at + strlen("Sequence"));
    tiny->config = config;
    tiny_folder(labels_dir);
    tiny_write(tiny, labels_dir);
    free(tiny);
    eg_error err = {0};
    eg_model *m;
    if (tiny_open(engine, labels_dir, &m, &err) != EG_OK) fail_msg("%s", err.text);
    float out[4 * TINY_LABELS + 1];
    size_t offsets[2];
    out[4 * TINY_LABELS] = 77;
    REFUSED(eg_model_label_tokens(m, &pair.first, 1, out, 1, NULL, NULL, &err));
    REFUSED(eg_model_label_tokens(m, &pair.first, 1, NULL, 4, offsets, NULL, &err));
    /* how many rows? */
    assert_int_equal(eg_model_label_tokens(m, &pair.first, 1, NULL, 0, offsets, NULL, &err), EG_ELIMIT);
    assert_int_equal(offsets[1], 4);
    assert_int_equal(eg_model_label_tokens(m, &pair.first, 1, out, 4, offsets, NULL, &err), EG_OK);
    assert_true(out[4 * TINY_LABELS] == 77);
    eg_model_close(m);
    tiny_folder_remove(labels_dir);
}

static void test_sizes(void **state) {
    (void)state;
    eg_error err = {0};
    eg_engine *e;
    eg_model *m;
    struct {
        eg_engine_options o;
        uint32_t future[4];
    } engine_options = {.o = {.size = sizeof engine_options, .threads = 1}};
    struct {
        eg_model_options o;
        uint32_t future[4];
    } model_options = {.o = {.size = sizeof model_options}};
    struct {
        eg_model_info info;
        uint32_t future[4];
    } info = {.info = {.size = sizeof info}, .future = {7, 7, 7, 7}};
    /* newer structures, their new fields left alone */
    assert_int_equal(eg_engine_create(&engine_options.o, &e, &err), EG_OK);
    assert_int_equal(eg_model_open(e, dir, &model_options.o, &m, &err), EG_OK);
    assert_int_equal(eg_model_describe(m, &info.info, &err), EG_OK);
    assert_int_equal(info.info.hidden, TINY_HIDDEN);
    assert_int_equal(info.future[0], 7);
    /* the info of an older header ends earlier, and nothing behind it is written */
    info.info = (eg_model_info){.size = offsetof(eg_model_info, format), .format = 99};
    assert_int_equal(eg_model_describe(m, &info.info, &err), EG_OK);
    assert_true(info.info.weight_bytes > 0);
    assert_int_equal(info.info.format, 99);
    eg_model_close(m);
    eg_engine_destroy(e);
    /* new fields that are not 0 */
    engine_options.future[3] = model_options.future[1] = 1;
    REFUSED(eg_engine_create(&engine_options.o, &e, &err));
    REFUSED(eg_model_open(engine, dir, &model_options.o, &m, &err));
    /* no size at all, and the size of nothing that is there */
    const size_t wrong[] = {0, 4, sizeof(eg_engine_options) - 1, SIZE_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        engine_options.o.size = model_options.o.size = wrong[i];
        REFUSED(eg_engine_create(&engine_options.o, &e, &err));
        assert_non_null(strstr(err.text, "eg_engine_options.size"));
        REFUSED(eg_model_open(engine, dir, &model_options.o, &m, &err));
    }
    m = open_model(EG_FORMAT_AUTO);
    REFUSED(eg_model_describe(m, &(eg_model_info){0}, &err));
    eg_model_close(m);
}

static void test_enums(void **state) {
    (void)state;
    eg_error err = {0};
    eg_engine *e;
    eg_model *m;
    const eg_engine_options wrong[] = {{.size = sizeof *wrong, .isa = 1000},
                                       {.size = sizeof *wrong, .isa = UINT32_MAX},
                                       {.size = sizeof *wrong, .gemm = 9},
                                       {.size = sizeof *wrong, .threads = 257},
                                       {.size = sizeof *wrong, .reserved = 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) REFUSED(eg_engine_create(&wrong[i], &e, &err));
    REFUSED(eg_model_open(engine, dir, &(eg_model_options){.size = sizeof(eg_model_options), .format = EG_FORMAT_BF16 + 1}, &m,
                          &err));
    REFUSED(eg_model_open(engine, dir, &(eg_model_options){.size = sizeof(eg_model_options), .reserved = 3}, &m, &err));
    assert_int_equal(eg_infer_struct_size(UINT32_MAX), 0);
}

/* All that a caller can get, in one record. */
typedef struct answers {
    float logits[TINY_LABELS], vector[TINY_HIDDEN], shares[TINY_LABELS], cosine;
} answers;

static void ask(eg_format format, answers *a) {
    eg_error err = {0};
    eg_model *m = open_model(format);
    memset(a, 0, sizeof *a);
    if (eg_model_classify(m, &pair, 1, a->logits, NULL, &err) != EG_OK) fail_msg("%s", err.text);
    if (eg_model_embed(m, &pair.first, 1, a->vector, NULL, &err) != EG_OK) fail_msg("%s", err.text);
    memcpy(a->shares, a->logits, sizeof a->shares);
    eg_softmax(a->shares, 1, TINY_LABELS);
    a->cosine = eg_cosine(a->logits, a->vector, TINY_LABELS);
    eg_model_close(m);
}

/* The caller's rounding mode and flags change nothing in the answers, nor do the calls change them.
 */
static void test_rounding(void **state) {
    (void)state;
    const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (eg_format format = EG_FORMAT_F32; format <= EG_FORMAT_BF16; format++) {
        answers wanted, got;
        ask(format, &wanted);
        for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
            assert_int_equal(fesetround(modes[i]), 0);
            feclearexcept(FE_ALL_EXCEPT);
            ask(format, &got);
            int after = fegetround(), raised = fetestexcept(FE_UNDERFLOW | FE_OVERFLOW | FE_INVALID | FE_DIVBYZERO);
            fesetround(FE_TONEAREST);
            assert_int_equal(after, modes[i]);
            assert_int_equal(raised, 0);
            assert_memory_equal(&got, &wanted, sizeof got);
        }
    }
}

/* The pool's threads are not in the child: it goes on alone, and can let go of everything. */
static void test_fork(void **state) {
    (void)state;
    answers wanted, got;
    ask(EG_FORMAT_F32, &wanted);
    eg_model *m = open_model(EG_FORMAT_F32);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        ask(EG_FORMAT_F32, &got);
        eg_model_close(m);
        eg_engine_destroy(engine);
        _exit(memcmp(&got, &wanted, sizeof got) != 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    eg_model_close(m);
}

/* After a call with a text of 16 MB the engine keeps little of it; after small calls it keeps what
 * the next one needs. */
static void test_large_call(void **state) {
    (void)state;
    enum { WORDS = 4 << 20 };
    eg_error err = {0};
    eg_model *m = open_model(EG_FORMAT_F32);
    float out[TINY_HIDDEN], again[TINY_HIDDEN];
    char *text = malloc(4 * WORDS);
    assert_non_null(text);
    for (size_t i = 0; i < WORDS; i++) memcpy(text + 4 * i, "the ", 4);
    eg_str all = {text, 4 * WORDS}, few = {text, 400}; /* both cut to what the model takes */
    for (int i = 0; i < 2; i++) {
        size_t kept = 0;
        if (eg_model_embed(m, i ? &few : &all, 1, i ? again : out, NULL, &err) != EG_OK) fail_msg("%s", err.text);
        for (const eg_batch *b = engine->idle_batches; b; b = b->next)
            kept += b->ids.capacity + b->sides[0].capacity + b->sides[1].capacity;
        assert_true(kept * sizeof(uint32_t) <= EG_MAX_KEPT);
        assert_true(i == 0 || kept > 0);
    }
    assert_memory_equal(out, again, sizeof out);
    free(text);
    eg_model_close(m);
}

typedef struct waiting_call {
    const eg_model *m;
    eg_status status;
} waiting_call;

static void *ask_in_time(void *arg) {
    waiting_call *c = arg;
    float out[TINY_HIDDEN];
    eg_cancel cancel = {.deadline = eg_clock_monotonic() + 30000};
    c->status = eg_model_embed(c->m, &pair.first, 1, out, &cancel, NULL);
    return NULL;
}

/* A call whose deadline passes while another has the pool's threads does not wait for them. */
static void test_deadline_of_a_waiter(void **state) {
    (void)state;
    waiting_call c = {.m = open_model(EG_FORMAT_F32)};
    pthread_t thread;
    alarm(60);
    assert_true(eg_pool_take(engine->pool, NULL, NULL));
    assert_int_equal(pthread_create(&thread, NULL, ask_in_time, &c), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    eg_pool_give(engine->pool);
    alarm(0);
    assert_int_equal(c.status, EG_ECANCELLED);
    eg_model_close((eg_model *)(uintptr_t)c.m);
}

/* White space at the ends of a text is none of an embedding, also where the tokenizer has tokens
 * for it; elsewhere it stays. */
static void test_white_space(void **state) {
    (void)state;
    static const char tokenizer[] =
        "{\"model\":{\"type\":\"BPE\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"^\":1,\"a\":2,\"b\":3,\"\\u0120\":4,"
        "\"\\u011c\":5},\"merges\":[]},\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":false},"
        "\"post_processor\":{\"type\":\"TemplateProcessing\",\"special_tokens\":{\"^\":{\"ids\":[1]}},\"single\":[{\"SpecialToken\":"
        "{\"id\":\"^\"}},{\"Sequence\":{\"id\":\"A\",\"type_id\":0}}],\"pair\":[{\"SpecialToken\":{\"id\":\"^\"}},{\"Sequence\":"
        "{\"id\":\"A\",\"type_id\":0}},{\"Sequence\":{\"id\":\"B\",\"type_id\":0}}]}}";
    static const char *const around[][2] = {{" ", ""},
                                            {"", " "},
                                            {" \n\t", "\v\f\r "},
                                            {"\x1c", "\x1f \x1d"},
                                            {"\xC2\x85", ""},
                                            {"", "\xC2\xA0"},
                                            {"\xE2\x80\x80 \x1e", "\xE3\x80\x80"}};
    char path[96], text[32];
    eg_error err = {0};
    size_t count;
    float wanted[TINY_HIDDEN], got[TINY_HIDDEN], logits[2][TINY_LABELS];
    tiny_write_file(dir, "tokenizer.json", tokenizer, strlen(tokenizer));
    eg_model *m = open_model(EG_FORMAT_F32);
    assert_int_equal(eg_model_embed(m, &EG_STR("a b"), 1, wanted, NULL, &err), EG_OK);
    for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
        snprintf(text, sizeof text, "%sa b%s", around[i][0], around[i][1]);
        assert_int_equal(eg_model_embed(m, &(eg_str){text, strlen(text)}, 1, got, NULL, &err), EG_OK);
        if (memcmp(got, wanted, sizeof got) != 0) fail_msg("case %zu is another vector", i);
        assert_int_equal(eg_model_tokenize(m, (eg_pair){.first = {text, strlen(text)}}, NULL, NULL, 0, &count, &err), EG_OK);
        assert_true(count > 4); /* ^, a, space, b */
    }
    assert_int_equal(eg_model_embed(m, &EG_STR(" \x1c"), 1, wanted, NULL, &err), EG_OK);
    assert_int_equal(eg_model_embed(m, &EG_STR(""), 1, got, NULL, &err), EG_OK);
    assert_memory_equal(got, wanted, sizeof got);
    for (int i = 0; i < 2; i++)
        assert_int_equal(eg_model_classify(m, &(eg_pair){.first = i ? EG_STR(" a") : EG_STR("a")}, 1, logits[i], NULL, &err),
                         EG_OK);
    assert_memory_not_equal(logits[0], logits[1], sizeof logits[0]);
    eg_model_close(m);
    snprintf(path, sizeof path, "%s/tokenizer.json", dir);
    assert_int_equal(unlink(path), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_null),       cmocka_unit_test(test_token_labels),
                                       cmocka_unit_test(test_sizes),      cmocka_unit_test(test_enums),
                                       cmocka_unit_test(test_rounding),   cmocka_unit_test(test_fork),
                                       cmocka_unit_test(test_large_call), cmocka_unit_test(test_deadline_of_a_waiter),
                                       cmocka_unit_test(test_white_space)};
    return cmocka_run_group_tests(tests, begin, end);
}
