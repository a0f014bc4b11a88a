/* test_failing_memory.c - every allocation of the engine fails once: the linker gives us the
 * program's malloc, calloc, realloc, aligned_alloc, free, the arenas and pthread_create (--wrap),
 * of which the n-th fails, for each n that a call reaches. The call then says so, loses no memory
 * and no file, and whatever stays of the object works on and answers the same bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>

#include <cmocka.h>

#include "core/base/arena.h"
#include "tiny_model.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *p);
int __real_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*run)(void *), void *arg);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *p);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*run)(void *), void *arg);
/* Arenas allocate in blocks: what they hand out fails by itself too. */
void *__real_eg_arena_alloc(eg_arena *a, size_t size);
void *__real_eg_arena_array(eg_arena *a, size_t n, size_t size);
char *__real_eg_arena_copy(eg_arena *a, eg_str s);
void *__wrap_eg_arena_alloc(eg_arena *a, size_t size);
void *__wrap_eg_arena_array(eg_arena *a, size_t n, size_t size);
char *__wrap_eg_arena_copy(eg_arena *a, eg_str s);
char *__wrap_eg_arena_printf(eg_arena *a, const char *format, ...);

static atomic_long until_failure; /* 1: the next one fails; 0 and below: none does */
static atomic_long held;          /* allocations that were not given back */
static atomic_long asked;         /* all that ever were asked for */

static int fails(void) {
    atomic_fetch_add(&asked, 1);
    if (atomic_load(&until_failure) <= 0) return 0;
    if (atomic_fetch_sub(&until_failure, 1) != 1) return 0;
    errno = ENOMEM;
    return 1;
}
static void *count(void *p) {
    if (p) atomic_fetch_add(&held, 1);
    return p;
}
void *__wrap_malloc(size_t size) { return fails() ? NULL : count(__real_malloc(size)); }
void *__wrap_calloc(size_t n, size_t size) { return fails() ? NULL : count(__real_calloc(n, size)); }
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    return fails() ? NULL : count(__real_aligned_alloc(alignment, size));
}
void *__wrap_realloc(void *p, size_t size) {
    if (fails()) return NULL;
    void *moved = __real_realloc(p, size);
    return p ? moved : count(moved);
}
void __wrap_free(void *p) {
    if (p) atomic_fetch_sub(&held, 1);
    __real_free(p);
}
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*run)(void *), void *arg) {
    return fails() ? EAGAIN : __real_pthread_create(t, a, run, arg);
}

void *__wrap_eg_arena_alloc(eg_arena *a, size_t size) { return fails() ? NULL : __real_eg_arena_alloc(a, size); }
void *__wrap_eg_arena_array(eg_arena *a, size_t n, size_t size) { return fails() ? NULL : __real_eg_arena_array(a, n, size); }
char *__wrap_eg_arena_copy(eg_arena *a, eg_str s) { return fails() ? NULL : __real_eg_arena_copy(a, s); }
char *__wrap_eg_arena_printf(eg_arena *a, const char *format, ...) {
    if (fails()) return NULL;
    va_list ap;
    va_start(ap, format);
    char *p = eg_arena_vprintf(a, format, ap);
    va_end(ap);
    return p;
}

enum { TEXTS = 24, MAX_FAILURES = 100000 };
static eg_str texts[TEXTS];
static eg_pair pairs[TEXTS];
static char words[TEXTS][256];
static char embedder[64], classifier[64];

static int begin(void **state) {
    (void)state;
    tiny_model *m = tiny_create();
    tiny_add(m, "an \\u0065scape", "U8", 1, 0, 1); /* makes the reader of JSON allocate */
    tiny_folder(classifier);
    tiny_write(m, classifier);
    char config[512]; /* the same encoder without its head */
    const char *head = strstr(tiny_config, "ForSequenceClassification");
    snprintf(config, sizeof config, "%.*sMod\\u0065l%s", (int)(head - tiny_config), tiny_config,
             head + strlen("ForSequenceClassification"));
    m->config = config;
    tiny_folder(embedder);
    tiny_write(m, embedder);
    free(m);
    for (size_t i = 0; i < TEXTS; i++) { /* 0 to 23 words */
        for (size_t n = 0; n < i; n++) strcat(words[i], n % 3 ? "limit " : "8a7b ");
        texts[i] = eg_str_of(words[i]);
        pairs[i] = (eg_pair){texts[i], i % 2 ? texts[TEXTS - i] : (eg_str){NULL, 0}};
    }
    return 0;
}

static int end(void **state) {
    (void)state;
    tiny_folder_remove(embedder);
    tiny_folder_remove(classifier);
    return 0;
}

static eg_engine *create(uint32_t threads) {
    eg_engine *e;
    assert_int_equal(eg_engine_create(&(eg_engine_options){.size = sizeof(eg_engine_options), .threads = threads}, &e, NULL),
                     EG_OK);
    return e;
}

/* Arms the n-th allocation; disarm tells whether it came to it, and that the status fits. */
static void arm(long n) { atomic_store(&until_failure, n); }
static int disarm(long n, eg_status s, const eg_error *err, int threads_too) {
    int failed = atomic_exchange(&until_failure, 0) <= 0;
    if (!failed && s != EG_OK) fail_msg("status %d (%s), and allocation %ld did not fail", (int)s, err->text, n);
    if (failed && s != EG_ENOMEM && !(threads_too && s == EG_EBUSY))
        fail_msg("allocation %ld failed and the status is %d (%s)", n, (int)s, err->text);
    if (failed && (err->code != s || !err->text[0])) fail_msg("allocation %ld failed without a sentence", n);
    return failed;
}

static void test_create(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 2; threads++)
        for (long n = 1;; n++) {
            eg_error err = {0};
            eg_engine *e = (eg_engine *)(uintptr_t)1;
            long before = atomic_load(&held);
            arm(n);
            eg_status s = eg_engine_create(&(eg_engine_options){.size = sizeof(eg_engine_options), .threads = threads}, &e, &err);
            int failed = disarm(n, s, &err, 1);
            assert_true(failed ? e == NULL : n > 3);
            eg_engine_destroy(e);
            assert_int_equal(atomic_load(&held), before);
            if (!failed) break;
            assert_true(n < MAX_FAILURES);
        }
}

static void check_open(eg_format format) {
    const eg_model_options options = {.size = sizeof options, .format = format};
    eg_engine *e = create(1);
    for (long n = 1;; n++) {
        eg_error err = {0};
        eg_model *m = (eg_model *)(uintptr_t)1;
        long before = atomic_load(&held);
        size_t files = tiny_open_files();
        arm(n);
        eg_status s = eg_model_open(e, classifier, &options, &m, &err);
        int failed = disarm(n, s, &err, 0);
        /* 1: the model itself, before it has a folder */
        if (failed && n > 1 && !strstr(err.text, classifier)) fail_msg("'%s' does not name the model", err.text);
        assert_true(failed ? m == NULL : n > 20);
        eg_model_close(m);
        assert_int_equal(atomic_load(&held), before);
        assert_int_equal(tiny_open_files(), files);
        if (!failed) break;
        assert_true(n < MAX_FAILURES);
    }
    eg_engine_destroy(e);
}

static void test_open(void **state) {
    (void)state;
    for (eg_format format = EG_FORMAT_AUTO; format <= EG_FORMAT_BF16; format++) check_open(format);
}

/* One call on a model; the results, `size` bytes, go to out. */
typedef eg_status (*call)(const eg_model *m, void *out, eg_error *err);

static eg_status embed(const eg_model *m, void *out, eg_error *err) { return eg_model_embed(m, texts, TEXTS, out, NULL, err); }
static eg_status embed_one(const eg_model *m, void *out, eg_error *err) {
    return eg_model_embed(m, texts + TEXTS - 1, 1, out, NULL, err);
}
static eg_status classify(const eg_model *m, void *out, eg_error *err) {
    return eg_model_classify(m, pairs, TEXTS, out, NULL, err);
}
static eg_status tokenize(const eg_model *m, void *out, eg_error *err) {
    size_t count;
    return eg_model_tokenize(m, pairs[TEXTS - 1], out, NULL, TINY_MAX_TOKENS, &count, err);
}

static void test_calls(void **state) {
    (void)state;
    static const struct {
        const char *dir;
        call run;
        long least; /* allocations that it has at least */
    } table[] = {{embedder, embed, 8}, {embedder, embed_one, 6}, {classifier, classify, 8}, {classifier, tokenize, 4}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (uint32_t threads = 1; threads <= 2; threads++)
            for (long n = 1;; n++) { /* a fresh engine for each: it keeps its scratch memory */
                float wanted[TEXTS * TINY_HIDDEN] = {0}, got[TEXTS * TINY_HIDDEN] = {0};
                long before = atomic_load(&held);
                eg_error err = {0};
                eg_model *m, *other;
                eg_engine *e = create(threads), *untouched = create(threads);
                assert_int_equal(tiny_open(e, table[i].dir, &m, &err), EG_OK);
                arm(n);
                eg_status s = table[i].run(m, got, &err);
                int failed = disarm(n, s, &err, 0);
                if (!failed) assert_true(n > table[i].least);
                assert_int_equal(table[i].run(m, got, &err), EG_OK);
                eg_model_close(m);
                assert_int_equal(tiny_open(untouched, table[i].dir, &other, &err), EG_OK);
                assert_int_equal(table[i].run(other, wanted, &err), EG_OK);
                assert_memory_equal(got, wanted, sizeof got);
                eg_model_close(other);
                eg_engine_destroy(e);
                eg_engine_destroy(untouched);
                assert_int_equal(atomic_load(&held), before);
                if (!failed) break;
                assert_true(n < MAX_FAILURES);
            }
}

/* Once a call has been made, the same call allocates nothing. */
static void test_steady_state(void **state) {
    (void)state;
    eg_engine *e = create(1);
    eg_model *m;
    float out[TEXTS * TINY_HIDDEN];
    eg_error err;
    assert_int_equal(tiny_open(e, classifier, &m, &err), EG_OK);
    for (int round = 0; round < 3; round++) {
        long before = atomic_load(&asked);
        assert_int_equal(eg_model_classify(m, pairs, TEXTS, out, NULL, &err), EG_OK);
        for (size_t i = 0; i < TEXTS; i++) assert_int_equal(eg_model_classify(m, &pairs[i], 1, out, NULL, &err), EG_OK);
        if (round) assert_int_equal(atomic_load(&asked), before);
    }
    eg_model_close(m);
    assert_int_equal(tiny_open(e, embedder, &m, &err), EG_OK);
    for (int round = 0; round < 3; round++) {
        long before = atomic_load(&asked);
        assert_int_equal(eg_model_embed(m, texts, TEXTS, out, NULL, &err), EG_OK);
        if (round) assert_int_equal(atomic_load(&asked), before);
    }
    eg_model_close(m);
    eg_engine_destroy(e);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_create), cmocka_unit_test(test_open), cmocka_unit_test(test_calls),
                                       cmocka_unit_test(test_steady_state)};
    return cmocka_run_group_tests(tests, begin, end);
}
