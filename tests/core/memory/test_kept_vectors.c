/* test_kept_vectors.c - vectors kept between runs: found again, and nothing where the file is of
 * another model, damaged or cannot be written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/memory/kept_vectors.h"

enum { DIMENSIONS = 3 };
static char folder[] = "/tmp/engram-kept-XXXXXX", path[64];
static eg_arena arena;

static eg_vector_key key_of(unsigned char n) {
    eg_vector_key key;
    memset(key.bytes, n, sizeof key.bytes);
    return key;
}

static void open_kept(eg_kept_vectors *k, const char *model, uint32_t dimensions) {
    assert_int_equal(eg_kept_vectors_open(k, &arena, path, eg_str_of(model), dimensions, NULL), EG_OK);
}

/* Keeps the vectors {n, n, n} of texts first to last. */
static void save(const char *model, unsigned char first, unsigned char last) {
    eg_kept_vectors k;
    eg_vector_key keys[256];
    float rows[256][DIMENSIONS];
    const float *vectors[256];
    size_t n = 0;
    for (unsigned i = first; i <= last; i++, n++) {
        keys[n] = key_of((unsigned char)i);
        for (int d = 0; d < DIMENSIONS; d++) rows[n][d] = (float)i;
        vectors[n] = rows[n];
    }
    open_kept(&k, model, DIMENSIONS);
    eg_kept_vectors_save(&k, &arena, path, eg_str_of(model), keys, vectors, n);
    eg_kept_vectors_close(&k);
}

static size_t count_found(const char *model, uint32_t dimensions) {
    eg_kept_vectors k;
    float out[DIMENSIONS + 1];
    size_t found = 0;
    open_kept(&k, model, dimensions);
    for (unsigned i = 0; i < 256; i++) {
        eg_vector_key key = key_of((unsigned char)i);
        if (!eg_kept_vectors_find(&k, &key, out)) continue;
        assert_true(out[0] == (float)i && out[DIMENSIONS - 1] == (float)i);
        found++;
    }
    eg_kept_vectors_close(&k);
    return found;
}

static void kept_and_found(void **state) {
    (void)state;
    assert_int_equal(count_found("a", DIMENSIONS), 0); /* no file */
    save("a", 1, 20);
    assert_int_equal(count_found("a", DIMENSIONS), 20);
    save("a", 10, 30); /* those of before stay */
    assert_int_equal(count_found("a", DIMENSIONS), 30);
    assert_int_equal(count_found("b", DIMENSIONS), 0);
    assert_int_equal(count_found("a", DIMENSIONS + 1), 0);
    save("b", 1, 2); /* of another model: in place of all */
    assert_int_equal(count_found("b", DIMENSIONS), 2);
    assert_int_equal(count_found("a", DIMENSIONS), 0);
}

static void damaged(void **state) {
    (void)state;
    save("a", 1, 5);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char whole[4096];
    size_t size = fread(whole, 1, sizeof whole, f);
    fclose(f);
    for (size_t at = 0; at < 2 * size; at++) { /* each byte changed, then each length */
        f = fopen(path, "wb");
        assert_non_null(f);
        char one = whole[at % size];
        whole[at % size] = (char)(one ^ (at < size ? 1 : 0));
        assert_int_equal(fwrite(whole, 1, at < size ? size : at - size, f), at < size ? size : at - size);
        fclose(f);
        whole[at % size] = one;
        assert_int_equal(count_found("a", DIMENSIONS), 0);
    }
}

static void not_writable(void **state) {
    (void)state;
    char before[sizeof path];
    memcpy(before, path, sizeof path);
    snprintf(path, sizeof path, "/proc/engram/documents.vectors");
    save("a", 1, 2);
    assert_int_equal(count_found("a", DIMENSIONS), 0);
    memcpy(path, before, sizeof path);
}

static int begin(void **state) {
    (void)state;
    eg_arena_init(&arena, 0);
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/documents.vectors", folder);
    return 0;
}

static int end(void **state) {
    (void)state;
    eg_arena_release(&arena);
    unlink(path);
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(kept_and_found), cmocka_unit_test(damaged),
                                       cmocka_unit_test(not_writable)};
    return cmocka_run_group_tests(tests, begin, end);
}
