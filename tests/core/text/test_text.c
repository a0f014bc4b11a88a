/* test_text.c - normal form, scopes, statements, terms. Claims: test_claims.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/base/utf8.h"
#include "core/text/text.h"

static void assert_text(eg_str got, const char *want) {
    if (!eg_str_eq(got, eg_str_of(want))) fail_msg("got \"%.*s\", wanted \"%s\"", (int)got.len, got.ptr, want);
}

static void normalize(void **state) {
    (void)state;
    static const struct {
        const char *in, *out;
    } rows[] = {
        {"The  timeout\tis\n30 s.", "the timeout is 30 s"},
        {"  trailing  ", "trailing"},
        {"", ""},
        {".", "."},
        {"and so on...", "and so on..."},
        {"limit is 10 MB", "limit is 10 MB"},
        {"limit is 10 Mb", "limit is 10 Mb"},
        {"Use Redis, not MySQL.", "use redis, not MySQL"},
        {"\xE2\x80\x9CQuoted\xE2\x80\x9D \xE2\x80\x94 it\xE2\x80\x99s", "\"quoted\" - it's"},
        {"DB_HOST is Set", "DB_HOST is set"},
        {"\xC3\x9C"
         "ber\xC2\xA0"
         "all",
         "\xC3\xBC"
         "ber all"},
        {"v2.Beta Release", "v2.Beta release"},
        {"It is done. .", "it is done"}, /* the same form as of its form */
        {"a . .", "a"},
        {"Use `make check`!", "use make check"},
        {"Use make check.", "use make check"},
        {"use Make check!!", "use make check"},
        {"The flag is `-v` or `--verbose=2`.", "the flag is -v or --verbose=2"},
        /* what may mean something else without its signs or its case stays */
        {"Call `save!`", "call `save!`"},
        {"Set it to `$(date)` or `a b", "set it to `$(date)` or `a b"},
        {"``a`` and ` b ` and ``` c", "``a`` and ` b ` and ``` c"},
        {"n is 5!", "n is 5!"},
        {"It listens on port 9090!", "it listens on port 9090"},
        {"!", "!"},
        {"It times out after 30 Seconds", "it times out after 30 seconds"},
        {"5 Members, 10 Mbit, 3 Mohm, 2 mbar and 5 Mol", "5 members, 10 Mbit, 3 Mohm, 2 mbar and 5 Mol"},
        {"`10` Mb", "10 Mb"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        eg_arena a;
        eg_arena_init(&a, 0);
        eg_str out;
        assert_int_equal(eg_text_normalize(&a, eg_str_of(rows[i].in), &out, NULL), EG_OK);
        assert_text(out, rows[i].out);
        eg_str again;
        assert_int_equal(eg_text_normalize(&a, out, &again, NULL), EG_OK);
        assert_text(again, rows[i].out);
        eg_arena_release(&a);
    }
}

static void normalize_out_of_memory(void **state) {
    (void)state;
    eg_arena a;
    eg_arena_init(&a, 16);
    eg_str out;
    eg_error err = {0};
    assert_int_equal(eg_text_normalize(&a, EG_STR("a sentence of some length"), &out, &err), EG_ENOMEM);
    assert_true(err.text[0] != 0);
    eg_arena_release(&a);
}

static void scope(void **state) {
    (void)state;
    static const struct {
        const char *in, *out;
        eg_status status;
    } rows[] = {
        {"", "general", EG_OK},
        {"/", "general", EG_OK},
        {"/Payments/API/", "payments/api", EG_OK},
        {"a.b_c-d/1", "a.b_c-d/1", EG_OK},
        {"a//b", NULL, EG_EINVAL},
        {"a b", NULL, EG_EINVAL},
        {"caf\xC3\xA9", NULL, EG_EINVAL},
        {"a;drop", NULL, EG_EINVAL},
        {"a\nb", NULL, EG_EINVAL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        eg_arena a;
        eg_arena_init(&a, 0);
        eg_str out;
        eg_error err = {0};
        assert_int_equal(eg_text_scope(&a, eg_str_of(rows[i].in), &out, &err), rows[i].status);
        if (rows[i].out) assert_text(out, rows[i].out);
        else assert_true(err.text[0] != 0);
        eg_arena_release(&a);
    }
    char too_long[EG_MAX_SCOPE + 2];
    memset(too_long, 'a', sizeof too_long);
    eg_arena a;
    eg_arena_init(&a, 0);
    eg_str out;
    assert_int_equal(eg_text_scope(&a, (eg_str){too_long, sizeof too_long}, &out, NULL), EG_ELIMIT);
    assert_int_equal(eg_text_scope(&a, (eg_str){too_long, EG_MAX_SCOPE}, &out, NULL), EG_OK);
    eg_arena_release(&a);
    assert_true(eg_text_scope_within(EG_STR("auth/jwt"), EG_STR("auth")));
    assert_true(eg_text_scope_within(EG_STR("auth"), EG_STR("auth")));
    assert_true(eg_text_scope_within(EG_STR("auth"), EG_STR("")));
    assert_false(eg_text_scope_within(EG_STR("authz"), EG_STR("auth")));
    assert_false(eg_text_scope_within(EG_STR("auth"), EG_STR("auth/jwt")));
}

static void statements(void **state) {
    (void)state;
    static const struct {
        const char *in, *out[6];
    } rows[] = {
        {"One. Two! Three?", {"One.", "Two!", "Three?"}},
        {"Uses v2.1.3 of lib.so, see docs/a.md. Next one.", {"Uses v2.1.3 of lib.so, see docs/a.md.", "Next one."}},
        {"Stores, e.g. Redis, are fast. Cf. the RFC.", {"Stores, e.g. Redis, are fast.", "Cf. the RFC."}},
        {"It calls `a. B; c` first; then stops", {"It calls `a. B; c` first", "then stops"}},
        {"- first item\n- second item\n\n1. Third. Fourth", {"first item", "second item", "Third.", "Fourth"}},
        {"The topic has 24 partitions. orders.accepted is keyed. it goes on",
         {"The topic has 24 partitions.", "orders.accepted is keyed. it goes on"}},
        {"Owned by J. Smith of api.example.com.", {"Owned by J. Smith of api.example.com."}},
        {"wrapped\nline of one", {"wrapped\nline of one"}},
        {"One (see x; y). Two", {"One (see x; y).", "Two"}},
        {"?", {"?"}},
        {"a ` lone backtick. Then more", {"a ` lone backtick.", "Then more"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        eg_span spans[8];
        size_t n = eg_text_statements(eg_str_of(rows[i].in), spans, 8), want = 0;
        while (want < 6 && rows[i].out[want]) want++;
        for (size_t k = 0; k < n && k < want; k++)
            assert_text((eg_str){rows[i].in + spans[k].start, spans[k].end - spans[k].start}, rows[i].out[k]);
        assert_int_equal(n, want);
    }
    eg_span two[2];
    assert_int_equal(eg_text_statements(EG_STR("A is. B is. C is. D is."), two, 2), 2);
    assert_int_equal(two[1].end, 23);
    assert_int_equal(eg_text_statements(EG_STR(" \n\t "), two, 2), 0);
}

static int has_term(const eg_term *t, size_t n, const char *text, uint32_t count) {
    for (size_t i = 0; i < n; i++)
        if (eg_str_eq(t[i].text, eg_str_of(text))) return t[i].count == count;
    return 0;
}

static void terms(void **state) {
    (void)state;
    eg_arena a;
    eg_arena_init(&a, 0);
    static eg_term t[EG_MAX_FACT_TERMS];
    size_t n;
    eg_str text = EG_STR("Retries: `retryCount` retried in src/net/http_client.go at 15,000 req/s; the user's Caf\xC3\x89!");
    assert_int_equal(eg_text_terms(&a, text, EG_STR("payments/api"), t, EG_MAX_FACT_TERMS, &n, NULL), EG_OK);
    assert_true(has_term(t, n, "retry", 3)); /* Retries, retried, retryCount's part */
    assert_true(has_term(t, n, "retrycount", 1));
    assert_true(has_term(t, n, "src/net/http_client.go", 1));
    assert_true(has_term(t, n, "http_client.go", 1));
    assert_true(has_term(t, n, "client", 1));
    assert_true(has_term(t, n, "15000", 1));
    assert_true(has_term(t, n, "user", 1));
    assert_true(has_term(t, n, "caf\xC3\xA9", 1));
    assert_true(has_term(t, n, "payments/api", 1));
    assert_true(has_term(t, n, "payments", 1)); /* segment */
    size_t all = n;
    assert_int_equal(eg_text_terms(&a, text, EG_STR("payments/api"), t, 3, &n, NULL), EG_OK);
    assert_int_equal(n, 3);
    assert_true(all > 3);
    eg_arena_release(&a);
}

static void query_terms(void **state) {
    (void)state;
    static const struct {
        const char *topic, *terms[4];
    } rows[] = {
        {"what is the retry count?", {"retry", "count"}},
        {"?", {NULL}},
        {"'\"*()^:-- OR ;", {"or"}},
        {"who is it", {"who", "is", "it"}},
        {"caching caches cached cache", {"cach"}},
        {"", {NULL}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        eg_arena a;
        eg_arena_init(&a, 0);
        eg_term t[EG_MAX_TERMS];
        size_t n, want = 0;
        assert_int_equal(eg_text_query_terms(&a, eg_str_of(rows[i].topic), t, EG_MAX_TERMS, &n, NULL), EG_OK);
        while (want < 4 && rows[i].terms[want]) want++;
        assert_int_equal(n, want);
        for (size_t k = 0; k < n; k++) {
            assert_text(t[k].text, rows[i].terms[k]);
            assert_int_equal(t[k].count, 1);
        }
        eg_arena_release(&a);
    }
}

/* Any bytes of valid UTF-8 must pass through everything: spans in order, inside, on code points. */
static void any_text_is_safe(void **state) {
    (void)state;
    static const char *const pieces[] = {"`",
                                         "``",
                                         ".",
                                         ". ",
                                         "\n",
                                         "\n- ",
                                         "(",
                                         ")",
                                         ";",
                                         "; ",
                                         "\"",
                                         "A",
                                         "b",
                                         "1",
                                         "/",
                                         "-",
                                         "--",
                                         "$",
                                         "${",
                                         "}",
                                         "@",
                                         "::",
                                         "://",
                                         "\xC3\xA9",
                                         "\xE2\x80\x99",
                                         "\xE2\x80\x9C",
                                         " ",
                                         "\t",
                                         "e.g.",
                                         "+",
                                         "++",
                                         "#",
                                         "\xF0\x9F\x98\x80",
                                         "1.",
                                         ",",
                                         "0",
                                         "=",
                                         "\xC2\xB0"};
    uint32_t seed = 12345;
    for (int round = 0; round < 3000; round++) {
        char buf[256];
        size_t n = 0;
        while (n < 200) {
            seed = seed * 1664525u + 1013904223u;
            const char *p = pieces[(seed >> 16) % (sizeof pieces / sizeof pieces[0])];
            memcpy(buf + n, p, strlen(p));
            n += strlen(p);
            if ((seed >> 8) % 50 == 0) break;
        }
        char *text = malloc(n); /* exact size: an over-read is seen by the sanitizer */
        memcpy(text, buf, n);
        eg_str s = {text, n};
        eg_span spans[8];
        size_t count = eg_text_statements(s, spans, 8);
        for (size_t i = 0; i < count; i++) {
            assert_true(spans[i].start < spans[i].end && spans[i].end <= n);
            if (i) assert_true(spans[i - 1].end <= spans[i].start);
            size_t len = spans[i].end - spans[i].start;
            assert_int_equal(eg_utf8_valid_prefix(text + spans[i].start, len), len);
        }
        eg_arena a;
        eg_arena_init(&a, 0);
        eg_str out;
        static eg_term t[EG_MAX_FACT_TERMS];
        size_t terms_n;
        assert_int_equal(eg_text_normalize(&a, s, &out, NULL), EG_OK);
        assert_int_equal(eg_utf8_valid_prefix(out.ptr, out.len), out.len);
        assert_int_equal(eg_text_terms(&a, s, EG_STR("x"), t, EG_MAX_FACT_TERMS, &terms_n, NULL), EG_OK);
        for (size_t i = 0; i < terms_n; i++) {
            assert_true(t[i].text.len > 0);
            assert_int_equal(eg_utf8_valid_prefix(t[i].text.ptr, t[i].text.len), t[i].text.len);
        }
        assert_int_equal(eg_text_query_terms(&a, s, t, EG_MAX_TERMS, &terms_n, NULL), EG_OK);
        eg_arena_release(&a);
        free(text);
    }
}

/* Four megabytes of one thing and another: quadratic time would not end within the test's limit. */
static void long_text_takes_linear_time(void **state) {
    (void)state;
    static const char *const pieces[] = {".", "A! ", "`", ". ", "\n", "e.g. ", ";", "!\"", "a", "\xC2\xA0", "#\n"};
    enum { SIZE = 4 << 20 };
    char *text = malloc(SIZE);
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        size_t n = 0, k = strlen(pieces[i]);
        for (; n + k < SIZE; n += k) memcpy(text + n, pieces[i], k);
        text[n++] = 'x';
        eg_span spans[EG_MAX_STATEMENTS];
        size_t count = 0;
        /* piece after piece, as the readers of files do */
        for (eg_str rest = {text, n}; rest.len; count++) {
            size_t found = eg_text_statements(rest, spans, EG_MAX_STATEMENTS);
            size_t used = found < EG_MAX_STATEMENTS ? rest.len : spans[found - 1].start;
            assert_true(used > 0 && spans[found - 1].end == rest.len);
            rest = (eg_str){rest.ptr + used, rest.len - used};
        }
        assert_true(count >= 1);
    }
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normalize),
        cmocka_unit_test(normalize_out_of_memory),
        cmocka_unit_test(scope),
        cmocka_unit_test(statements),
        cmocka_unit_test(terms),
        cmocka_unit_test(query_terms),
        cmocka_unit_test(any_text_is_safe),
        cmocka_unit_test(long_text_takes_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
