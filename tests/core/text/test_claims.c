/* test_claims.c - values in canonical units, and the claims that statements give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/text/text.h"

static size_t claims_of(eg_arena *a, const char *content, const char *scope, eg_claim *out, size_t most) {
    eg_span spans[EG_MAX_STATEMENTS];
    size_t n = eg_text_statements(eg_str_of(content), spans, EG_MAX_STATEMENTS), count = 0;
    eg_error err = {0};
    assert_int_equal(eg_text_claims(a, eg_str_of(content), eg_str_of(scope), spans, n, out, most, &count, &err), EG_OK);
    return count;
}

static void print(eg_decimal d, char *out, size_t size) {
    if (d.infinite) snprintf(out, size, "inf");
    else if (d.exponent) snprintf(out, size, "%llde%d", (long long)d.mantissa, d.exponent);
    else snprintf(out, size, "%lld", (long long)d.mantissa);
}

/* "low..high dimension quantifier" of the first claim, or its text. */
static void values(void **state) {
    (void)state;
    static const struct {
        const char *content, *want;
    } rows[] = {
        {"The timeout is 30 s.", "3e1..3e1 time 0"},
        {"The timeout is 30000 ms.", "3e1..3e1 time 0"},
        {"The timeout is 1.5 minutes.", "9e1..9e1 time 0"},
        {"The timeout is half an hour.", "18e2..18e2 time 0"},
        {"The timeout is one minute.", "6e1..6e1 time 0"},
        {"The timeout is 5m.", "3e2..3e2 time 0"},
        {"The cable is 5 m long.", "5..5 length 0"},
        {"The limit is 64 MiB.", "67108864..67108864 bytes 0"},
        {"The limit is 64 MB.", "64e6..64e6 bytes 0"},
        {"The limit is 1k/s.", "1e3..1e3 rate 0"},
        {"The limit is 1,000 req/s.", "1e3..1e3 rate 0"},
        {"The limit is 600 requests per minute.", "1e1..1e1 rate 0"},
        {"The limit is a thousand rows.", "1e3..1e3 count:row 0"},
        {"The limit is two hundred and fifty rows.", "25e1..25e1 count:row 0"},
        {"The limit is twenty-five rows.", "25..25 count:row 0"},
        {"The limit is eighty hundred hundred hundred hundred hundred hundred hundred hundred hundred, or 5 s.",
         "5..5 time 0"}, /* more than 64 bits hold */
        {"The limit is 9223372036854775807 requests per minute.", "15372286728091293e1..15372286728091293e1 rate 0"},
        {"The share is 25.5 %.", "255e-1..255e-1 percent 0"},
        {"The price is EUR 4.99 now.", "499e-2..499e-2 money:eur 0"},
        {"The price is 5 euros now.", "5..5 money:eur 0"},
        {"The temperature is 37 \xC2\xB0"
         "C inside.",
         "37..37 temperature 0"},
        {"The rate is 16 kHz.", "16e3..16e3 frequency 0"},
        {"The retention is 3 months.", "72576e2..80352e2 time 0"},
        {"The pool has at most 10 workers.", "1e1..1e1 count:worker 4"},
        {"The pool has no fewer than 10 workers.", "1e1..1e1 count:worker 5"},
        {"The pool has about 10 workers.", "1e1..1e1 count:worker 6"},
        {"The pool has only 10 workers.", "1e1..1e1 count:worker 2"},
        {"The pool has between 5 and 10 workers.", "5..1e1 count:worker 0"},
        {"The pool has 5-10 workers.", "5..1e1 count:worker 0"},
        {"The pool has 5 to 10 workers.", "5..1e1 count:worker 0"},
        {"The quota is unlimited.", "inf..inf number 0"},
        {"The key has 2048-bit length.", "2048..2048 bits 0"},
        {"It runs every hour.", "36e2..36e2 time 0"},
        {"It runs daily.", "864e2..864e2 time 0"},
        {"It starts at 03:15 sharp.", "195..195 clock 0"},
        {"It ships on 2024-06-20 at last.", "1718841600000000..1718928000000000 date 0"},
        {"The suite takes < 15 minutes.", "9e2..9e2 time 4"},
        {"The suite takes <= 15 minutes.", "9e2..9e2 time 4"},
        {"The suite takes \xE2\x89\xA4 15 minutes.", "9e2..9e2 time 4"},
        {"The pool has > 10 workers.", "1e1..1e1 count:worker 5"},
        {"The pool has >= 10 workers.", "1e1..1e1 count:worker 5"},
        {"The pool has \xE2\x89\xA5 10 workers.", "1e1..1e1 count:worker 5"},
        {"The pool grew -> 10 workers.", "1e1..1e1 count:worker 0"}, /* an arrow is no bound */
        {"The pool grew => 10 workers.", "1e1..1e1 count:worker 0"},
        {"The pool has 10+ workers.", "1e1..1e1 number 5"},
        {"The pool has 10 or more workers.", "1e1..1e1 number 5"},
        /* "daily" says which one */
        {"The daily backup is kept for 7 days.", "6048e2..6048e2 time 0"},
        {"The queue is 99999999999999999999 deep.", NULL}, /* more than 64 bits: no value */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        eg_arena a;
        eg_arena_init(&a, 0);
        eg_claim c[8];
        size_t n = claims_of(&a, rows[i].content, "general", c, 8);
        if (!rows[i].want) {
            assert_int_equal(n, 0);
            eg_arena_release(&a);
            continue;
        }
        if (n == 0) fail_msg("no value in: %s", rows[i].content);
        char low[40], high[40], got[160];
        print(c[0].low, low, sizeof low);
        print(c[0].high, high, sizeof high);
        snprintf(got, sizeof got, "%s..%s %.*s %u", low, high, (int)c[0].dimension.len, c[0].dimension.ptr, c[0].quantifier);
        if (strcmp(got, rows[i].want) != 0) fail_msg("%s: got %s, wanted %s", rows[i].content, got, rows[i].want);
        eg_arena_release(&a);
    }
}

static void kinds(void **state) {
    (void)state;
    static const struct {
        const char *content;
        uint32_t kind;
        const char *text;
    } rows[] = {
        {"The gateway is built with Go 1.22.4 today.", EG_VALUE_VERSION, "1.22.4"},
        {"The store runs on PostgreSQL 16 in Vienna.", EG_VALUE_VERSION, "16"},
        {"Segments are written in format v12.", EG_VALUE_VERSION, "v12"},
        {"The API listens on port 8080.", EG_VALUE_PORT, "8080"},
        {"http3.enabled is false everywhere.", EG_VALUE_BOOLEAN, "false"},
        {"Ligatures are off by default.", EG_VALUE_BOOLEAN, "false"},
        {"The report is sent on Mondays.", EG_VALUE_DATE, "monday"},
        {"cache.mode = lru", EG_VALUE_ENUM, "lru"},
        {"`raw.demosaic` defaults to `rcd` for all sensors.", EG_VALUE_ENUM, "rcd"},
        {"The feed renderer is owned by team Growth.", EG_VALUE_NAME, "growth"},
        {"Rui owns the concurrency rules.", EG_VALUE_NAME, "rui"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        eg_arena a;
        eg_arena_init(&a, 0);
        eg_claim c[8];
        size_t n = claims_of(&a, rows[i].content, "general", c, 8);
        if (n == 0) fail_msg("no claim in: %s", rows[i].content);
        if (c[0].value_kind != rows[i].kind || !eg_str_eq(c[0].text, eg_str_of(rows[i].text)))
            fail_msg("%s: kind %u, text %.*s", rows[i].content, c[0].value_kind, (int)c[0].text.len, c[0].text.ptr);
        eg_arena_release(&a);
    }
}

/* Versions with a bound. */
static void version_bounds(void **state) {
    (void)state;
    static const struct {
        const char *content, *text;
        uint32_t quantifier;
    } rows[] = {
        {"The app needs PHP 8.1.", "8.1", EG_QUANTIFIER_EXACTLY},
        {"The app needs PHP >= 8.1.", "8.1", EG_QUANTIFIER_AT_LEAST},
        {"The app needs PHP < 8.1.", "8.1", EG_QUANTIFIER_AT_MOST},
        {"Works with Node 18+.", "18", EG_QUANTIFIER_AT_LEAST},
        {"Works with Node 18 or greater.", "18", EG_QUANTIFIER_AT_LEAST},
        {"Works with Node 18 and up.", "18", EG_QUANTIFIER_AT_LEAST},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        eg_arena a;
        eg_arena_init(&a, 0);
        eg_claim c[8];
        size_t n = claims_of(&a, rows[i].content, "general", c, 8);
        if (n == 0) fail_msg("no claim in: %s", rows[i].content);
        if (!eg_str_eq(c[0].text, eg_str_of(rows[i].text)) || c[0].quantifier != rows[i].quantifier)
            fail_msg("%s: kind %u, text %.*s, quantifier %u", rows[i].content, c[0].value_kind, (int)c[0].text.len, c[0].text.ptr,
                     c[0].quantifier);
        eg_arena_release(&a);
    }
}

/* A claim has a subject only when its statement says that the value holds. */
static void subjects(void **state) {
    (void)state;
    static const struct {
        const char *content;
        int named;
    } rows[] = {
        {"The pool size of the mailer is set to 10 workers.", 1},
        {"The pool size of the mailer can be set to 10 workers.", 0},
        {"The mailer may take 10 workers.", 0},
        {"The mailer may take at most 10 workers.", 1}, /* a bound is no possibility */
        {"The mailer has 10 workers.", 1},
        {"If the mailer has 10 workers, it waits.", 0},
        {"When the mailer has 10 workers, it waits.", 0},
        {"The queue of the mailer is enabled.", 1},
        {"The tool of the mailer lists enabled flags.", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        eg_arena a;
        eg_arena_init(&a, 0);
        eg_claim c[8];
        size_t n = claims_of(&a, rows[i].content, "general", c, 8);
        if (n == 0) fail_msg("no claim in: %s", rows[i].content);
        if ((c[0].subject.len > 0) != rows[i].named)
            fail_msg("%s: subject [%.*s]", rows[i].content, (int)c[0].subject.len, c[0].subject.ptr);
        eg_arena_release(&a);
    }
}

/* "key is word" gives no claim: a thing has several properties. */
static void properties(void **state) {
    (void)state;
    eg_arena a;
    eg_arena_init(&a, 0);
    eg_claim c[8];
    assert_int_equal(claims_of(&a, "user_id is indexed.", "general", c, 8), 0);
    assert_int_equal(claims_of(&a, "user_id defaults to zero_id.", "general", c, 8), 1);
    eg_arena_release(&a);
}

/* Reworded sentences about one thing meet, different things do not. */
static void keys(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        int same;
    } rows[] = {
        {"The auth service timeout is 30 s.", "The timeout of the auth service is 60 s.", 1},
        {"The auth service has a timeout of 30 s.", "The auth service's timeout is 60 s.", 1},
        {"The auth service timeout is 30 s.", "The payments service timeout is 30 s.", 0},
        {"The feed renderer is owned by Rui.", "Anke owns the feed renderer.", 1},
        {"The feed renderer is owned by Rui.", "Anke owns the feed parser.", 0},
        {"cache.ttl = 5 s", "`cache.ttl` is 10 s", 1},
        {"cache.ttl = 5 s", "cache.size = 5 MB", 0},
        {"The HTTP timeout is 30 s.", "The HTTPS timeout is 30 s.", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        eg_arena a;
        eg_arena_init(&a, 0);
        eg_claim x[8], y[8];
        assert_true(claims_of(&a, rows[i].a, "general", x, 8) >= 1);
        assert_true(claims_of(&a, rows[i].b, "general", y, 8) >= 1);
        int same = x[0].subject.len && eg_str_eq(x[0].subject, y[0].subject) && eg_str_eq(x[0].attribute, y[0].attribute);
        if (same != rows[i].same)
            fail_msg("%s | %s: [%.*s|%.*s] [%.*s|%.*s]", rows[i].a, rows[i].b, (int)x[0].subject.len, x[0].subject.ptr,
                     (int)x[0].attribute.len, x[0].attribute.ptr, (int)y[0].subject.len, y[0].subject.ptr,
                     (int)y[0].attribute.len, y[0].attribute.ptr);
        eg_arena_release(&a);
    }
    eg_arena a;
    eg_arena_init(&a, 0);
    eg_claim c[8];
    assert_true(claims_of(&a, "The timeout is 30 s.", "auth/jwt", c, 8) == 1);
    /* the scope names what the sentence does not */
    assert_true(eg_str_eq(c[0].subject, EG_STR("auth/jwt")));
    assert_true(eg_str_eq(c[0].attribute, EG_STR("timeout")));
    assert_true(claims_of(&a, "In staging on Linux the pool has 5 slots.", "general", c, 8) == 1);
    assert_true(eg_str_eq(c[0].qualifiers, EG_STR("env=staging;platform=linux")));
    eg_arena_release(&a);
}

static void modality(void **state) {
    (void)state;
    static const struct {
        const char *content;
        uint32_t modality;
    } rows[] = {
        {"The limit is 5 s.", EG_MODALITY_IS},
        {"The limit should be 5 s.", EG_MODALITY_SHOULD},
        {"A limit of 5 s is planned.", EG_MODALITY_PLANNED},
        {"A limit of 5 s was considered and rejected.", EG_MODALITY_REJECTED},
        {"The limit was 5 s.", EG_MODALITY_PAST},
        {"The vendor said the limit is 5 s.", EG_MODALITY_QUOTED},
        {"The press plan is rebuilt every 30 minutes.", EG_MODALITY_IS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        eg_arena a;
        eg_arena_init(&a, 0);
        eg_claim c[8];
        assert_true(claims_of(&a, rows[i].content, "general", c, 8) >= 1);
        if (c[0].modality != rows[i].modality) fail_msg("%s: modality %u", rows[i].content, c[0].modality);
        eg_arena_release(&a);
    }
}

/* Any valid text: no crash, spans inside, bounded number, and out of memory is a status. */
static void any_text_is_safe(void **state) {
    (void)state;
    static const char *const pieces[] = {"30",
                                         "s",
                                         "ms",
                                         " ",
                                         " ",
                                         " ",
                                         "5-10",
                                         "1,000",
                                         "1.2.3",
                                         "=",
                                         "`",
                                         "is",
                                         "to",
                                         "between",
                                         "and",
                                         "half",
                                         "an",
                                         "hour",
                                         "a",
                                         "thousand",
                                         "million",
                                         "at",
                                         "most",
                                         "%",
                                         "\xE2\x82\xAC",
                                         "key.x",
                                         "owned",
                                         "by",
                                         "Rui",
                                         "every",
                                         "2024-13-99",
                                         "99:99",
                                         "port",
                                         "v",
                                         "1k/s",
                                         "/",
                                         "-",
                                         "\n",
                                         ".",
                                         ";",
                                         "9223372036854775807",
                                         "not",
                                         "true",
                                         "defaults",
                                         "\xC2\xB0",
                                         "C",
                                         "unlimited",
                                         "or",
                                         "more"};
    uint32_t seed = 4242;
    for (int round = 0; round < 4000; round++) {
        char text[600];
        size_t n = 0;
        while (n < 500) {
            seed = seed * 1664525u + 1013904223u;
            const char *p = pieces[(seed >> 16) % (sizeof pieces / sizeof pieces[0])];
            memcpy(text + n, p, strlen(p));
            n += strlen(p);
            if (seed & 0x400) text[n++] = ' ';
            if ((seed >> 8) % 60 == 0) break;
        }
        char *exact = malloc(n); /* an over-read is seen by the sanitizer */
        memcpy(exact, text, n);
        eg_str s = {exact, n};
        eg_span spans[16];
        eg_claim c[EG_MAX_CLAIMS];
        size_t count = 0, statements = eg_text_statements(s, spans, 16);
        eg_arena a;
        eg_arena_init(&a, round % 3 ? 0 : (size_t)(round % 50) * 700);
        eg_error err = {0};
        eg_status status = eg_text_claims(&a, s, EG_STR("x"), spans, statements, c, EG_MAX_CLAIMS, &count, &err);
        assert_true(status == EG_OK || (status == EG_ENOMEM && round % 3 == 0));
        for (size_t i = 0; i < count; i++) {
            assert_true(c[i].statement < statements);
            assert_true(c[i].span.start >= spans[c[i].statement].start && c[i].span.end <= spans[c[i].statement].end);
            assert_true(c[i].span.start < c[i].span.end);
        }
        eg_arena_release(&a);
        free(exact);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),   cmocka_unit_test(kinds),      cmocka_unit_test(keys),     cmocka_unit_test(version_bounds),
        cmocka_unit_test(subjects), cmocka_unit_test(properties), cmocka_unit_test(modality), cmocka_unit_test(any_text_is_safe)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
