/* test_model_id.c - the identity of a model: the same with and without its cache, another when a
 * file is another, and no cache file, however broken, changes it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/host/model_id.h"

static char top[] = "/tmp/eg-model-id-XXXXXX", model[64], cache[64];

__attribute__((format(printf, 1, 2))) static void run(const char *format, ...) {
    char command[512];
    va_list ap;
    va_start(ap, format);
    vsnprintf(command, sizeof command, format, ap);
    va_end(ap);
    assert_int_equal(system(command), 0);
}

/* Writes a file of the model and sets its time, seconds before now. */
static void put(const char *name, const char *text, int age) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", model, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    struct timespec times[2];
    clock_gettime(CLOCK_REALTIME, &times[0]);
    times[0].tv_sec -= age;
    times[1] = times[0];
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static int set_up(void **state) {
    (void)state;
    run("rm -rf %s/* && mkdir %s", top, model);
    put("config.json", "{}", 100);
    put("model.safetensors", "weights", 100);
    return 0;
}

/* What the id is by definition: computed here, not by the code under test. */
static void expected(const char *weights, char out[EG_MODEL_ID_TEXT]) {
    static const char *const files[] = {"config.json",           "tokenizer.json",
                                        "tokenizer_config.json", "vocab.txt",
                                        "modules.json",          "sentence_bert_config.json",
                                        "1_Pooling/config.json", "config_sentence_transformers.json",
                                        "model.safetensors"};
    crypto_hash_sha256_state state;
    uint8_t hash[32];
    crypto_hash_sha256_init(&state);
    for (int i = 0; i < 9; i++) {
        const char *text = i == 0 ? "{}" : i == 8 ? weights : NULL;
        uint64_t size = text ? strlen(text) : 0;
        crypto_hash_sha256_update(&state, (const uint8_t *)files[i], strlen(files[i]) + 1);
        if (!text) continue;
        crypto_hash_sha256_update(&state, (const uint8_t *)&size, sizeof size);
        crypto_hash_sha256_update(&state, (const uint8_t *)text, size);
    }
    crypto_hash_sha256_final(&state, hash);
    sodium_bin2hex(out, EG_MODEL_ID_TEXT, hash, sizeof hash);
}

static void is(const char *weights) {
    char id[EG_MODEL_ID_TEXT], wanted[EG_MODEL_ID_TEXT];
    expected(weights, wanted);
    eg_model_id(model, cache, id);
    assert_string_equal(id, wanted);
}

/* The path of the one file of the cache, its text and length; "" and -1 when there is none. */
static const char *cache_file(char text[4096], int *n) {
    static char path[256];
    char command[128], line[256];
    snprintf(command, sizeof command, "ls -d %s/* 2>/dev/null", cache);
    FILE *p = popen(command, "r");
    assert_non_null(p);
    path[0] = '\0';
    while (fgets(line, sizeof line, p)) {
        assert_int_equal(path[0], 0); /* no temporary file beside it */
        snprintf(path, sizeof path, "%.*s", (int)strcspn(line, "\n"), line);
    }
    pclose(p);
    FILE *f = path[0] ? fopen(path, "r") : NULL;
    *n = f ? (int)fread(text, 1, 4095, f) : -1;
    text[*n < 0 ? 0 : *n] = '\0';
    if (f) fclose(f);
    return path;
}

/* Rewrites the cache with another id and a sum that fits. */
static void forge(const char *path, char *text, char id_digit) {
    char *id = strstr(text, "\nid ") + 4, *sum = strstr(text, "\nsum ") + 1, hex[65];
    uint8_t hash[32];
    memset(id, id_digit, 64);
    crypto_hash_sha256(hash, (const uint8_t *)text, (size_t)(sum - text));
    sodium_bin2hex(hex, sizeof hex, hash, sizeof hash);
    memcpy(sum + 4, hex, 64);
    assert_int_equal(eg_file_replace(path, text, strlen(text), 0600, NULL), EG_OK);
}

/* A good cache is believed, which is how a test can see that it was read; and only while no file
 * changed in any way. */
static void a_good_cache_is_believed(void **state) {
    (void)state;
    char text[4096], id[EG_MODEL_ID_TEXT], forged[EG_MODEL_ID_TEXT];
    int n;
    is("weights");
    const char *path = cache_file(text, &n);
    assert_true(n > 0);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    forge(path, text, '7');
    memset(forged, '7', 64);
    forged[64] = '\0';
    eg_model_id(model, cache, id);
    assert_string_equal(id, forged);
    put("model.safetensors", "weighty", 100); /* the same length, another time */
    is("weighty");
    forge(path, (cache_file(text, &n), text), '7');
    /* another inode */
    run("cp -p %s/model.safetensors %s/copy && mv %s/copy %s/model.safetensors", model, model, model, model);
    is("weighty");
    forge(path, (cache_file(text, &n), text), '7');
    put("vocab.txt", "", 100); /* a file more */
    eg_model_id(model, cache, id);
    assert_string_not_equal(id, forged);
    run("rm %s/vocab.txt", model);
    is("weighty");
}

/* Weights in several files: each of them counts, and only where there is an index and no single
 * file. */
static void weights_in_several_files(void **state) {
    (void)state;
    char ids[4][EG_MODEL_ID_TEXT];
    run("rm %s/model.safetensors", model);
    put("model.safetensors.index.json", "{}", 100);
    put("model-00001-of-00002.safetensors", "one", 100);
    put("model-00002-of-00002.safetensors", "two", 100);
    eg_model_id(model, cache, ids[0]);
    eg_model_id(model, cache, ids[1]);
    assert_string_equal(ids[0], ids[1]);
    put("model-00002-of-00002.safetensors", "TWO", 90); /* the index is the same */
    eg_model_id(model, cache, ids[1]);
    assert_string_not_equal(ids[0], ids[1]);
    put("model-00002-of-00002.safetensors", "two", 80);
    eg_model_id(model, cache, ids[2]);
    assert_string_equal(ids[0], ids[2]);
    run("mv %s/model-00001-of-00002.safetensors %s/a.safetensors", model, model);
    eg_model_id(model, cache, ids[3]);
    assert_string_not_equal(ids[0], ids[3]);
    run("rm %s/*.json %s/model-* %s/a.safetensors", model, model, model);
    put("config.json", "{}", 100);
    put("model.safetensors", "weights", 100);
    put("other.safetensors", "unused", 100);
    is("weights"); /* as ever */
}

static void a_broken_cache_is_made_anew(void **state) {
    (void)state;
    char good[4096], text[4096], changed[4096];
    int n, length;
    is("weights");
    const char *path = cache_file(good, &length);
    for (int way = 0; way < 9; way++) {
        size_t size = (size_t)length;
        memcpy(changed, good, sizeof changed);
        char *id = strstr(changed, "\nid ") + 4;
        if (way == 0) size = 0;
        if (way == 1) size--;
        if (way == 2) changed[size++] = '\n';
        if (way == 3) id[5] = id[5] == '1' ? '2' : '1'; /* a flipped digit: the sum tells */
        if (way == 4) memset(changed, 0, size);
        if (way == 5) size = (size_t)(id - changed) + 10;
        if (way == 6) memset(changed, 'x', size = sizeof changed);
        if (way == 7) changed[16] = '2'; /* a later format */
        if (way < 8) {
            assert_int_equal(eg_file_replace(path, changed, size, 0600, NULL), EG_OK);
        } else {
            forge(path, changed, 'G'); /* well formed, but no hex */
        }
        is("weights");
        assert_string_equal(cache_file(text, &n), path);
        assert_int_equal(n, length);
        assert_memory_equal(text, good, (size_t)length);
    }
    run("rm %s && mkfifo %s", path, path); /* is not waited for */
    is("weights");
    run("rm %s && mkdir %s", path, path); /* cannot be replaced */
    is("weights");
}

static void no_cache_is_no_error(void **state) {
    (void)state;
    char text[4096];
    int n;
    run("touch %s", cache); /* a file where the folder should be */
    is("weights");
    is("weights");
    /* a folder in which no file can be made, also not by root */
    run("rm %s && ln -s /proc/self %s", cache, cache);
    is("weights");
    run("rm %s", cache);
    /* it may change again within this tick of the clock: not remembered yet */
    put("model.safetensors", "weights", 0);
    is("weights");
    assert_string_equal(cache_file(text, &n), "");
}

int main(void) {
    if (sodium_init() < 0 || !mkdtemp(top)) return 1;
    snprintf(model, sizeof model, "%s/model", top);
    snprintf(cache, sizeof cache, "%s/cache", top);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_good_cache_is_believed, set_up), cmocka_unit_test_setup(weights_in_several_files, set_up),
        cmocka_unit_test_setup(a_broken_cache_is_made_anew, set_up), cmocka_unit_test_setup(no_cache_is_no_error, set_up)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    run("rm -rf %s", top);
    return failed;
}
