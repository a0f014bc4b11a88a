/* test_base.c - UTF-8, arenas, time, files, sizes and error records of core/base. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/arena.h"
#include "core/base/clock.h"
#include "core/base/crc32c.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/size.h"
#include "core/base/spelling.h"
#include "core/base/status.h"
#include "core/base/utf8.h"
#include "core/include/engram/request.h"

static void test_utf8_every_code_point(void **state) {
    (void)state;
    for (uint32_t cp = 0; cp < 0x110010; cp++) {
        char bytes[4];
        size_t n = eg_utf8_encode(cp, bytes);
        int good = cp < 0xD800 || (cp > 0xDFFF && cp < 0x110000);
        size_t wanted = !good ? 0 : cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
        if (n != wanted) fail_msg("U+%04X has %zu bytes", cp, n);
        if (!good) continue;
        uint32_t back = 0;
        if (eg_utf8_decode(bytes, n, &back) != n || back != cp || eg_utf8_valid_prefix(bytes, n) != n)
            fail_msg("U+%04X comes back as U+%04X", cp, back);
        for (size_t cut = 1; cut < n; cut++)
            if (eg_utf8_valid_prefix(bytes, cut) != 0 || eg_utf8_decode(bytes, cut, &back) != 1 || back != 0xFFFD)
                fail_msg("U+%04X cut to %zu bytes is taken", cp, cut);
    }
    char out[4];
    assert_int_equal(eg_utf8_encode(UINT32_MAX, out), 0);
}

static void test_utf8_broken(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t n, valid;
    } table[] = {{"\x80", 1, 0},
                 {"\xBF", 1, 0},
                 {"\xC0\x80", 2, 0},
                 {"\xC1\xBF", 2, 0},
                 {"\xE0\x80\x80", 3, 0},
                 {"\xE0\x9F\xBF", 3, 0},
                 {"\xED\xA0\x80", 3, 0},
                 {"\xED\xBF\xBF", 3, 0},
                 {"\xF0\x8F\xBF\xBF", 4, 0},
                 {"\xF4\x90\x80\x80", 4, 0},
                 {"\xF5\x80\x80\x80", 4, 0},
                 {"\xFE", 1, 0},
                 {"\xFF", 1, 0},
                 {"abc\xC3", 4, 3},
                 {"abcdefgh\xC3(", 10, 8},
                 {"\xE2\x82", 2, 0},
                 {"\xE2(\xA1", 3, 0},
                 {"\xF0\x9F\x98(", 4, 0},
                 {"a\xC3\xA9\xFF", 4, 3},
                 {"", 0, 0},
                 {"1234567\x80", 8, 7},
                 {"12345678\x80", 9, 8},
                 {"\0\0", 2, 2}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char *copy = malloc(table[i].n ? table[i].n : 1); /* its end is the end of the block */
        assert_non_null(copy);
        memcpy(copy, table[i].bytes, table[i].n);
        assert_int_equal(eg_utf8_valid_prefix(copy, table[i].n), table[i].valid);
        free(copy);
    }
    /* the word-wise fast path sees a bad byte at any place */
    char block[40];
    for (size_t at = 0; at < sizeof block; at++) {
        memset(block, 'x', sizeof block);
        block[at] = (char)0xFF;
        assert_int_equal(eg_utf8_valid_prefix(block, sizeof block), at);
    }
    /* every pair of bytes: decoding always moves on, and agrees with the validator */
    for (unsigned a = 0; a < 256; a++)
        for (unsigned b = 0; b < 256; b++) {
            char two[2] = {(char)a, (char)b};
            uint32_t cp;
            size_t n = eg_utf8_decode(two, 2, &cp), valid = eg_utf8_valid_prefix(two, 2);
            assert_true(n == 1 || n == 2);
            assert_true((valid == 0) == (cp == 0xFFFD));
        }
}

static void test_utf8_floor(void **state) {
    (void)state;
    /* begins at 0 1 3 6 10, ends at 11 */
    static const char text[] = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z";
    static const size_t wanted[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11};
    for (size_t at = 0; at < sizeof wanted / sizeof *wanted; at++)
        assert_int_equal(eg_utf8_floor(text, sizeof text - 1, at), wanted[at]);
    assert_int_equal(eg_utf8_floor(text, sizeof text - 1, 1000), 11);
    /* bytes that end inside a sequence */
    for (size_t n = 0; n < sizeof wanted / sizeof *wanted; n++) assert_int_equal(eg_utf8_floor(text, n, n), wanted[n]);
    assert_int_equal(eg_utf8_floor("", 0, 0), 0);
}

static void test_arena(void **state) {
    (void)state;
    eg_arena a;
    eg_arena_init(&a, 1000);
    unsigned char *p = eg_arena_alloc(&a, 100);
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
    for (size_t i = 0; i < 100; i++) assert_int_equal(p[i], 0);
    assert_non_null(eg_arena_alloc(&a, 0));
    assert_null(eg_arena_alloc(&a, 1000));
    assert_null(eg_arena_alloc(&a, SIZE_MAX));
    assert_null(eg_arena_alloc(&a, SIZE_MAX - 8));
    assert_null(eg_arena_array(&a, SIZE_MAX / 2, 3));
    size_t used = a.used;
    assert_true(used >= 100 && used <= 1000);
    assert_non_null(eg_arena_alloc(&a, 1000 - used - 16)); /* what failed above took nothing */
    eg_arena_release(&a);
    assert_int_equal(a.used, 0);
    assert_non_null(eg_arena_alloc(&a, 1000 - 16)); /* usable again, the limit still holds */
    assert_null(eg_arena_alloc(&a, 1000));
    eg_arena_release(&a);

    eg_arena_init(&a, 0);
    unsigned char *blocks[200];
    for (size_t i = 0; i < 200; i++) {
        blocks[i] = eg_arena_alloc(&a, i * 37);
        assert_non_null(blocks[i]);
        memset(blocks[i], (int)i, i * 37);
    }
    for (size_t i = 0; i < 200; i++)
        for (size_t k = 0; k < i * 37; k++) assert_int_equal(blocks[i][k], i);
    assert_non_null(eg_arena_alloc(&a, 3 << 20)); /* larger than any usual block */
    assert_string_equal(eg_arena_copy(&a, (eg_str){"hello", 4}), "hell");
    assert_string_equal(eg_arena_copy(&a, (eg_str){NULL, 0}), "");
    assert_string_equal(eg_arena_printf(&a, "%s-%05d", "x", 42), "x-00042");
    eg_arena_release(&a);
}

static void check_time(const char *text, int64_t wanted) {
    int64_t t = 1;
    eg_error err = {0};
    if (eg_time_parse(eg_str_of(text), &t, &err) != EG_OK) fail_msg("%s: %s", text, err.text);
    if (t != wanted) fail_msg("%s is %lld, not %lld", text, (long long)t, (long long)wanted);
}

static void test_time_parse(void **state) {
    (void)state;
    check_time("1970-01-01", 0);
    check_time("1970-01-01T00:00:00Z", 0);
    check_time("1970-01-01t00:00:00z", 0);
    check_time("1970-01-01 00:00", 0);
    check_time("1969-12-31T23:59:59.999999Z", -1);
    check_time("2000-02-29T12:00:00Z", INT64_C(951825600) * EG_SECOND);
    check_time("2001-09-09T01:46:40+00:00", INT64_C(1000000000) * EG_SECOND);
    check_time("2001-09-09T03:16:40+01:30", INT64_C(1000000000) * EG_SECOND);
    check_time("2001-09-08T20:46:40-05:00", INT64_C(1000000000) * EG_SECOND);
    check_time("1970-01-01T00:00:00.5", EG_SECOND / 2);
    check_time("1970-01-01T00:00:00.123456789Z", 123456); /* below a microsecond is cut */
    /* a leap second is the next second */
    check_time("2016-12-31T23:59:60Z", INT64_C(1483228800) * EG_SECOND);
    check_time("0000-01-01", INT64_C(-62167219200) * EG_SECOND);
    check_time("9999-12-31T23:59:59.999999Z", INT64_C(253402300800) * EG_SECOND - 1);
    static const char *const bad[] = {"",
                                      "2026",
                                      "2026-1-01",
                                      "2026-13-01",
                                      "2026-00-01",
                                      "2026-01-00",
                                      "2026-02-29",
                                      "1900-02-29",
                                      "2026-04-31",
                                      "2026-01-01T",
                                      "2026-01-01T24:00:00Z",
                                      "2026-01-01T00:60:00Z",
                                      "2026-01-01T00:00:61Z",
                                      "2026-01-01T00:00:00.Z",
                                      "2026-01-01T00:00:00.1234567890Z",
                                      "2026-01-01T00:00:00ZZ",
                                      "2026-01-01T00:00:00+1:00",
                                      "2026-01-01T00:00:00+24:00",
                                      "2026-01-01T00:00:00+00",
                                      "2026-01-01T00:00:00+00:60",
                                      "2026-01-01x",
                                      " 2026-01-01",
                                      "2026-01-01 ",
                                      "-026-01-01",
                                      "2026/01/01",
                                      "yesterday",
                                      "12026-01-01"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t t;
        eg_error err = {0};
        if (eg_time_parse(eg_str_of(bad[i]), &t, &err) != EG_EINVAL) fail_msg("'%s' was taken as a time", bad[i]);
        assert_non_null(strstr(err.text, bad[i]));
        assert_non_null(strstr(err.text, "2026-11-21T09:30:00Z"));
    }
}

static void test_time_format(void **state) {
    (void)state;
    char text[EG_TIME_TEXT];
    eg_time_format(0, text);
    assert_string_equal(text, "1970-01-01T00:00:00.000000Z");
    eg_time_format(-1, text);
    assert_string_equal(text, "1969-12-31T23:59:59.999999Z");
    eg_time_format(INT64_MIN, text);
    assert_string_equal(text, "0000-01-01T00:00:00.000000Z");
    eg_time_format(INT64_MAX, text);
    assert_string_equal(text, "9999-12-31T23:59:59.999999Z");
    uint64_t x = 88172645463325252u; /* xorshift: times over all years come back as they were */
    const int64_t first = INT64_C(-62167219200) * EG_SECOND, span = INT64_C(253402300800) * EG_SECOND - first;
    for (int i = 0; i < 100000; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        int64_t t = first + (int64_t)(x % (uint64_t)span), back = 0;
        eg_time_format(t, text);
        assert_int_equal(eg_time_parse(eg_str_of(text), &back, NULL), EG_OK);
        assert_true(back == t);
    }
    eg_clock system = eg_clock_system();
    assert_true(system.now(system.self) > INT64_C(1700000000) * EG_SECOND);
    int64_t before = eg_clock_monotonic();
    assert_true(eg_clock_monotonic() >= before);
}

static void test_files(void **state) {
    (void)state;
    char dir[] = "/tmp/engram-test-XXXXXX", path[200], deep[200], file_below[240];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/file", dir);
    eg_arena a;
    eg_arena_init(&a, 0);
    eg_str got;
    eg_map map = {0};
    eg_error err = {0};
    assert_int_equal(eg_file_exists(path), 0);
    assert_int_equal(eg_file_read(path, 100, &a, &got, &err), EG_ENOENT);
    assert_non_null(strstr(err.text, path));
    assert_int_equal(eg_map_open(path, &map, &err), EG_ENOENT);
    assert_null(map.bytes);
    assert_int_equal(eg_file_replace(path, "", 0, 0600, &err), EG_OK);
    assert_int_equal(eg_file_read(path, 100, &a, &got, &err), EG_OK);
    assert_int_equal(got.len, 0);
    assert_int_equal(got.ptr[0], 0);
    assert_int_equal(eg_map_open(path, &map, &err), EG_OK);
    assert_int_equal(map.size, 0);
    eg_map_close(&map);
    assert_int_equal(eg_file_replace(path, "ab\0cd", 5, 0640, &err), EG_OK);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    assert_int_equal(eg_file_read(path, 5, &a, &got, &err), EG_OK);
    assert_int_equal(got.len, 5);
    assert_memory_equal(got.ptr, "ab\0cd", 6);
    assert_int_equal(eg_file_read(path, 4, &a, &got, &err), EG_ELIMIT);
    assert_int_equal(eg_map_open(path, &map, &err), EG_OK);
    assert_int_equal(map.size, 5);
    assert_memory_equal(map.bytes, "ab\0cd", 5);
    eg_map_close(&map);
    eg_map_close(&map); /* twice is once */
    assert_int_equal(eg_file_read(dir, 100, &a, &got, &err), EG_EINVAL);
    assert_non_null(strstr(err.text, "not a regular file"));
    snprintf(deep, sizeof deep, "%s/fifo", dir); /* nobody writes: refused, not waited for */
    assert_int_equal(mkfifo(deep, 0600), 0);
    assert_int_equal(eg_file_read(deep, 100, &a, &got, &err), EG_EINVAL);
    assert_int_equal(eg_map_open(deep, &map, &err), EG_EINVAL);
    assert_int_equal(unlink(deep), 0);
    assert_int_equal(symlink("nowhere", deep), 0); /* there, and of no use */
    assert_int_equal(eg_file_exists(deep), 1);
    assert_int_equal(eg_file_read(deep, 100, &a, &got, &err), EG_ENOENT);
    assert_non_null(strstr(err.text, "fifo', a link to 'nowhere': No such file"));
    assert_int_equal(unlink(deep), 0);
    snprintf(file_below, sizeof file_below, "%s/below", path);
    assert_int_equal(eg_file_read(file_below, 100, &a, &got, &err), EG_ENOENT);
    assert_int_equal(eg_file_replace(file_below, "x", 1, 0600, &err), EG_ENOENT);
    /* a folder is not replaced... */
    assert_int_not_equal(eg_file_replace(dir, "x", 1, 0600, &err), EG_OK);
    assert_int_equal(stat(dir, &st), 0);
    assert_true(S_ISDIR(st.st_mode));
    assert_int_equal(eg_folder_make("", 0700, &err), EG_EINVAL);
    snprintf(deep, sizeof deep, "%s/a/b//c", dir);
    assert_int_equal(eg_folder_make(deep, 0700, &err), EG_OK);
    assert_int_equal(eg_folder_make(deep, 0700, &err), EG_OK);
    assert_int_equal(eg_folder_make(path, 0700, &err), EG_EIO);
    assert_non_null(strstr(err.text, "not a folder"));
    eg_arena tiny;
    eg_arena_init(&tiny, 2);
    assert_int_equal(eg_file_read(path, 100, &tiny, &got, &err), EG_ENOMEM);
    eg_arena_release(&tiny);
    eg_arena_release(&a);
    assert_int_equal(unlink(path), 0);
    for (int i = 0; i < 3; i++) { /* ...and nothing temporary is left: the folders are empty */
        assert_int_equal(rmdir(deep), 0);
        char *slash = strrchr(deep, '/');
        while (slash[-1] == '/') slash--;
        *slash = '\0';
    }
    assert_int_equal(rmdir(dir), 0);
}

static void test_sizes_and_status(void **state) {
    (void)state;
    size_t out = 7;
    assert_true(eg_size_add(SIZE_MAX - 1, 1, &out) && out == SIZE_MAX);
    assert_false(eg_size_add(SIZE_MAX, 1, &out));
    assert_true(eg_size_mul(SIZE_MAX / 2, 2, &out) && out == SIZE_MAX - 1);
    assert_false(eg_size_mul(SIZE_MAX / 2 + 1, 2, &out));
    assert_true(eg_size_round_up(0, 64, &out) && out == 0);
    assert_true(eg_size_round_up(1, 64, &out) && out == 64);
    assert_true(eg_size_round_up(64, 64, &out) && out == 64);
    assert_false(eg_size_round_up(SIZE_MAX - 3, 64, &out));

    assert_string_equal(eg_status_name(EG_EFORMAT), "EG_EFORMAT");
    assert_string_equal(eg_status_text(EG_ENOENT), "not found");
    assert_string_equal(eg_status_name((eg_status)999), "unknown status");
    assert_int_equal(eg_fail(NULL, EG_EIO, "nobody listens"), EG_EIO);
    eg_error err;
    char longer[2000];
    /* whatever the cut falls on, the text stays valid UTF-8 */
    for (size_t lead = 0; lead < 7; lead++) {
        size_t width = lead < 3 ? 3 : 4;
        memset(longer, 'x', sizeof longer);
        for (size_t i = lead; i + width < sizeof longer; i += width)
            memcpy(longer + i, width == 3 ? "\xE2\x82\xAC" : "\xF0\x9F\x98\x80", width);
        longer[lead + width * 400] = '\0';
        assert_int_equal(eg_fail(&err, EG_EINVAL, "%s", longer), EG_EINVAL);
        size_t n = strlen(err.text);
        assert_true(n >= sizeof err.text - 4 && n < sizeof err.text);
        assert_int_equal(eg_utf8_valid_prefix(err.text, n), n);
        eg_error same; /* plugins' own way to fail */
        eg_request rq = {.size = sizeof rq, .err = &same};
        assert_int_equal(eg_request_fail(&rq, EG_EINVAL, "%s", longer), EG_EINVAL);
        assert_string_equal(same.text, err.text);
    }
    char quoted[32];
    assert_string_equal(eg_quote((eg_str){"a\nb\x01", 4}, 20, quoted, sizeof quoted), "a?b?");
}

uint32_t eg_crc32c_plain(const void *bytes, size_t n);

static void test_hash(void **state) {
    (void)state;
    /* 00 01 02 ... under the key 00 01 .. 0f: from a second writing of the paper, which with 2-4
     * rounds gives the paper's own value */
    static const eg_hash_key key = {{UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)}};
    unsigned char bytes[16];
    for (unsigned char i = 0; i < 16; i++) bytes[i] = i;
    assert_true(eg_hash(&key, bytes, 0) == UINT64_C(0xabac0158050fc4dc));
    assert_true(eg_hash(&key, bytes, 7) == UINT64_C(0xd3927d989bb11140));
    assert_true(eg_hash(&key, bytes, 8) == UINT64_C(0x369095118d299a8e));
    assert_true(eg_hash(&key, bytes, 15) == UINT64_C(0xd320d86d2a519956));
    eg_hash_key one = eg_hash_key_make(), other = eg_hash_key_make();
    assert_memory_not_equal(&one, &other, sizeof one);
}

static void test_crc32c(void **state) {
    (void)state;
    unsigned char bytes[300];
    /* the check value of RFC 3720's polynomial */
    assert_int_equal(eg_crc32c("123456789", 9), 0xE3069283u);
    assert_int_equal(eg_crc32c("", 0), 0);
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(i * 37 + i / 7);
    for (size_t from = 0; from < 9; from++)
        for (size_t n = 0; from + n <= sizeof bytes; n++)
            assert_int_equal(eg_crc32c(bytes + from, n), eg_crc32c_plain(bytes + from, n));
}

static void test_spelling(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        size_t distance;
    } table[] = {{"", "", 0}, {"", "ab", 2}, {"gate", "gaet", 2}, {"kitten", "sitting", 3}, {"same", "same", 0}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_int_equal(eg_edit_distance(table[i].a, table[i].b), table[i].distance);
        assert_int_equal(eg_edit_distance(table[i].b, table[i].a), table[i].distance);
    }
    char longest[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    assert_true(eg_edit_distance(longest, longest) > 2); /* 61 bytes: not looked at */
    assert_int_equal(eg_edit_distance(longest + 1, longest + 1), 0);
    eg_suggestion s = {.written = "comit"};
    eg_suggestion_offer(&s, "commits");
    eg_suggestion_offer(&s, "commit");
    eg_suggestion_offer(&s, "comet");
    assert_string_equal(s.meant, "commit"); /* the best, and the first of two that are as good */
    s = (eg_suggestion){.written = "xyz"};
    eg_suggestion_offer(&s, "commit");
    assert_null(s.meant);
    s = (eg_suggestion){.written = "merged"};
    eg_suggestion_offer(&s, "merged-content");
    assert_string_equal(s.meant, "merged-content"); /* it begins with what was written */
    eg_suggestion_offer(&s, "merge");
    assert_string_equal(s.meant, "merge"); /* few edits are nearer */
    s = (eg_suggestion){.written = "me"};
    eg_suggestion_offer(&s, "merged-content");
    assert_null(s.meant); /* two letters begin much */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_utf8_every_code_point),
        cmocka_unit_test(test_utf8_broken),
        cmocka_unit_test(test_utf8_floor),
        cmocka_unit_test(test_arena),
        cmocka_unit_test(test_time_parse),
        cmocka_unit_test(test_time_format),
        cmocka_unit_test(test_crc32c),
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_sizes_and_status),
        cmocka_unit_test(test_spelling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
