/* test_hub.c - the pure parts of core/hub: names of files, checksums, the file of checksums, what a
 * folder is for, the table of known models. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/hub/files.h"
#include "core/hub/known.h"
#include "core/hub/sums.h"

static char top[] = "/tmp/eg-hub-XXXXXX";

static const char *put(const char *name, const char *bytes, size_t n) {
    static char path[300];
    snprintf(path, sizeof path, "%s/%s", top, name);
    assert_int_equal(eg_file_replace(path, bytes, n, 0600, NULL), EG_OK);
    return path;
}

static void file_names(void **state) {
    (void)state;
    static const char *const good[] = {"config.json", "1_Pooling/config.json", "model-00001-of-00003.safetensors", "_x", "a/b"};
    static const char *const bad[] = {"",        ".",    "..", "../x", "a/../b", "/etc/passwd", "a/b/c",    "a//b", "a/",
                                      ".hidden", "a/.b", "-x", "a b",  "a\\b",   "a\nb",        "\xc3\xa4", "a/-b"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) assert_true(eg_model_file_name(eg_str_of(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(eg_model_file_name(eg_str_of(bad[i])));
    char longest[202];
    memset(longest, 'x', sizeof longest);
    assert_true(eg_model_file_name((eg_str){longest, 200}));
    assert_false(eg_model_file_name((eg_str){longest, 201}));
    for (size_t i = 0; i < EG_MODEL_FILES; i++) assert_true(eg_model_file_name(eg_str_of(eg_model_files[i])));
}

/* SHA-256 as sha256sum gives it, ids as `git hash-object` gives them; lengths around the block of
 * 64 and its padding. */
static void digests(void **state) {
    (void)state;
    static const struct {
        size_t n;
        const char *sha256, *blob;
    } cases[] = {
        {0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"},
        {1, "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881", "c1b0730e0133447badcfd47fd144e254807b06e1"},
    };
    eg_digests d;
    char *bytes = malloc(2 << 20);
    memset(bytes, 'x', 2 << 20);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(eg_digest_file(put("x", bytes, cases[i].n), NULL, &d, NULL), EG_OK);
        assert_string_equal(d.sha256, cases[i].sha256);
        assert_string_equal(d.blob, cases[i].blob);
        assert_int_equal(d.size, cases[i].n);
    }
    /* every length up to three blocks, and one of more than one piece: against git */
    static const size_t lengths[] = {46, 47, 48, 54, 55, 56, 57, 62, 63, 64, 65, 110, 118, 119, 120, 128, 1000, (1 << 20) + 5};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        char command[400], got[64] = "";
        const char *path = put("x", bytes, lengths[i]);
        snprintf(command, sizeof command, "git hash-object --no-filters '%s'", path);
        FILE *p = popen(command, "r");
        assert_non_null(fgets(got, 41, p));
        pclose(p);
        assert_int_equal(eg_digest_file(path, NULL, &d, NULL), EG_OK);
        assert_string_equal(d.blob, got);
    }
    int flag = 1;
    eg_error err;
    assert_int_equal(eg_digest_file(put("x", bytes, 9), &(eg_cancel){.flag = &flag}, &d, &err), EG_ECANCELLED);
    assert_int_equal(eg_digest_file(top, NULL, &d, &err), EG_EINVAL);
    assert_int_equal(eg_digest_file("/tmp/eg-there-is-none", NULL, &d, &err), EG_ENOENT);
    free(bytes);
}

static void sums(void **state) {
    (void)state;
    eg_arena arena;
    eg_error err;
    static eg_sums a, b;
    eg_arena_init(&arena, 0);
    put("config.json", "{}", 2);
    put("vocab.txt", "x", 1);
    a = (eg_sums){.source = "org/repo@1", .licence = "MIT", .count = 2};
    a.rows[0] = (eg_sum){"config.json", "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"};
    a.rows[1] = (eg_sum){"vocab.txt", "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"};
    assert_int_equal(eg_sums_write(top, &a, &err), EG_OK);
    assert_int_equal(eg_sums_read(top, &arena, &b, &err), EG_OK);
    assert_string_equal(b.source, a.source);
    assert_string_equal(b.licence, a.licence);
    assert_int_equal(b.count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(b.rows[i].name, a.rows[i].name);
        assert_int_equal(eg_sums_check(top, &b.rows[i], NULL, &err), EG_OK);
    }
    char command[400];
    snprintf(command, sizeof command, "cd '%s' && sha256sum --check --strict --status " EG_SUMS_FILE, top);
    assert_int_equal(system(command), 0); /* the tool that everybody has reads it too */
    assert_null(eg_sums_unlisted(top, &b));
    put("tokenizer.json", "{}", 2);
    assert_string_equal(eg_sums_unlisted(top, &b), "tokenizer.json");
    put("vocab.txt", "y", 1);
    assert_int_equal(eg_sums_check(top, &b.rows[1], NULL, &err), EG_EFORMAT);
    b.rows[1].name = "merges.txt";
    assert_int_equal(eg_sums_check(top, &b.rows[1], NULL, &err), EG_ENOENT);
    static const char *const broken[] = {"",
                                         "# only a comment\n",
                                         "44136f  config.json\n",
                                         "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a  ../config.json\n",
                                         "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a config.json\n",
                                         "44136FA355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a  config.json\n"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        put(EG_SUMS_FILE, broken[i], strlen(broken[i]));
        assert_int_equal(eg_sums_read(top, &arena, &b, &err), EG_EFORMAT);
    }
    eg_arena_release(&arena);
}

static void kinds(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"mean-f32", "embed"}, {"three-s8", "nli"}, {"one-f32", "rank"}, {"two-f16", "classify"}, {"tokens-f32", "tokens"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char folder[400];
        eg_model_kind kind = {.size = sizeof kind};
        snprintf(folder, sizeof folder, GOLDEN "/%s", cases[i][0]);
        assert_int_equal(eg_model_kind_of(folder, &kind, NULL), EG_OK);
        assert_string_equal(kind.task, cases[i][1]);
        assert_string_equal(kind.architecture, "bert");
    }
    eg_error err;
    eg_model_kind kind = {.size = sizeof kind};
    put("config.json", "{\"model_type\": \"gpt2\"}", 22);
    assert_int_equal(eg_model_kind_of(top, &kind, &err), EG_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "gpt2"));
}

static void known(void **state) {
    (void)state;
    size_t n;
    const eg_known_model *table = eg_known_models(&n);
    assert_true(n >= 11);
    for (size_t i = 0; i < n; i++) {
        const eg_known_model *k = &table[i];
        assert_ptr_equal(eg_known_model_find(k->name), k); /* names are unique */
        assert_ptr_equal(eg_known_model_find(k->repo), k);
        assert_true(eg_model_file_name(eg_str_of(k->name)) && strchr(k->repo, '/'));
        assert_true(!k->weights || k->revision); /* a checksum is that of one commit */
        if (k->revision) assert_int_equal(strspn(k->revision, "0123456789abcdef"), 40);
        if (k->weights) assert_int_equal(strspn(k->weights, "0123456789abcdef"), 64);
    }
    assert_null(eg_known_model_find("engram-nli-0"));
}

int main(void) {
    if (!mkdtemp(top)) return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(file_names), cmocka_unit_test(digests), cmocka_unit_test(sums),
                                       cmocka_unit_test(kinds), cmocka_unit_test(known)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", top);
    return failed + (system(command) != 0);
}
