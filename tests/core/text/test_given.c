/* test_given.c - statements that an author gave: the values that may stand in them, the place that
 * each speaks of, and the list that comes of them and of what was read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

#include "core/text/given.h"
#include "core/text/stock.h"
#include "core/text/text.h"

/* What a statement has that the content lacks; "": nothing. */
static void lacks(const char *content, const char *statement, const char *wanted) {
    eg_arena a;
    eg_stock stock;
    eg_str word;
    eg_arena_init(&a, 0);
    assert_int_equal(eg_stock_read(&a, eg_str_of(content), EG_STR("shop/checkout"), &stock, NULL), EG_OK);
    assert_int_equal(eg_stock_lacks(&a, &stock, eg_str_of(statement), &word, NULL), EG_OK);
    if (!eg_str_eq(word, eg_str_of(wanted)))
        fail_msg("of \"%s\", \"%s\" lacks '%.*s', not '%s'", content, statement, (int)word.len, word.ptr, wanted);
    eg_arena_release(&a);
}

static void numbers(void **state) {
    (void)state;
    lacks("The timeout is 30 s.", "The timeout of checkout is 30 seconds.", "");
    lacks("The timeout is 30 s.", "The timeout of checkout is 40 s.", "40");
    lacks("The timeout is 30 ms.", "The timeout of checkout is 30 s.", "30");
    lacks("timeout_s: 30", "The timeout of checkout is 30 s.", "");
    lacks("Sessions end after two weeks.", "A session ends after 14 days.", "");
    lacks("Sessions end after two weeks.", "A session ends after 15 days.", "15");
    lacks("Sessions end after 14 days.", "A session ends after two weeks.", "");
    lacks("Sessions end after 14 days.", "A session ends after three weeks.", "three");
    lacks("Up to 10k rows.", "A page holds up to 10,000 rows.", "");
    lacks("Up to 500 000 rows.", "A page holds up to 500,000 rows.", "");
    lacks("Up to 1,200 rows.", "A page holds up to 200 rows.", "200");
    lacks("max_pixels = 120_000_000", "It takes at most 120 million pixels.", "");
    lacks("Takes 4 to 9 minutes.", "A release takes 4 to 9 minutes.", "");
    lacks("After twenty-five tries.", "It gives up after 25 tries.", "");
    lacks("During a two-second sweep.", "During a sweep of two seconds.", "");
    lacks("Runs daily at 6:00.", "The job runs daily at 06:00.", "");
    lacks("Runs daily at 6:00.", "The job runs daily at 07:00.", "07:00");
    lacks("It is so since 28 July 2026.", "It is so since 2026-07-28.", "");
    lacks("It is the default.", "One of the two is the default.", "two");
    lacks("It is the default.", "This one is the default.", "");
}

static void versions(void **state) {
    (void)state;
    lacks("CI runs Go 1.24.", "CI runs Go version 1.24.", "");
    lacks("CI runs Go 1.24.", "CI runs Go 1.25.", "1.25");
    lacks("CI runs Go 1.20.", "CI runs Go 1.2.", "1.2");
    lacks("Node v20.11.1", "The shop runs Node 20.11.1.", "");
    lacks("Node v20.11.1", "The shop runs Node 20.11.", "20.11");
}

static void identifiers(void **state) {
    (void)state;
    lacks("Table `ticket_types`: `price_cents` is an integer.", "`ticket_types.price_cents` is an integer.", "");
    lacks("Table `ticket_types`: `price_cents` is an integer.", "`events.price_cents` is an integer.", "events.price_cents");
    lacks("Uses maxRetries.", "The client's `max_retries` is set.", "");
    lacks("It retries.", "The client's maxRetries is set.", "maxRetries");
    lacks("It retries.", "The client has `retries` set.", "");
    lacks("It retries.", "The client has `attempts` set.", "attempts");
    lacks("The SDK retries.", "The S3 SDK retries.", "S3");
    lacks("A 12 months' horizon.", "A 12-month horizon.", "");
    lacks("Number 201 is refused.", "The 201st is refused.", "");
    lacks("Config in conf/prod.toml.", "It is in `conf/prod.toml`.", "");
    lacks("Config in conf/prod.toml.", "It is in `conf/dev.toml`.", "conf/dev.toml");
    lacks("It listens.", "The client/server link of StorageClass and iOS, e.g. the checkout, listens.", "");
    lacks("It listens.", "The `checkout` listens.", ""); /* a word of the scope */
}

/* A content, what is given, and the list that comes of it: "given | place" or "read | place". */
static void check(const char *content, const char *const *given, size_t count, const char *wanted) {
    eg_arena a;
    eg_statement read[EG_MAX_STATEMENTS], rows[EG_MAX_STATEMENTS], out[EG_MAX_STATEMENTS];
    eg_str texts[8], c = eg_str_of(content);
    eg_given_refusal refusal;
    char got[4000];
    size_t n, k = 0;
    eg_arena_init(&a, 0);
    for (size_t i = 0; i < count; i++) texts[i] = eg_str_of(given[i]);
    assert_int_equal(eg_text_read_statements(&a, c, read, EG_MAX_STATEMENTS, &n, NULL), EG_OK);
    assert_int_equal(eg_text_match_given(&a, c, EG_STR("shop"), read, n, texts, count, rows, &refusal, NULL), EG_OK);
    if (refusal.fault == EG_GIVEN_FITS) {
        assert_int_equal(eg_text_merge_given(&a, c, read, n, rows, count, out, EG_MAX_STATEMENTS, &n, NULL), EG_OK);
        for (size_t i = 0; i < n; i++)
            k += (size_t)snprintf(got + k, sizeof got - k, "%s | %.*s\n",
                                  out[i].flags & EG_STATEMENT_GIVEN ? out[i].alone.ptr : "read",
                                  (int)(out[i].span.end - out[i].span.start), content + out[i].span.start);
    } else
        k = (size_t)snprintf(got, sizeof got, "%s %zu %.*s\n", refusal.fault == EG_GIVEN_ADDS ? "adds" : "far", refusal.index,
                             (int)refusal.word.len, refusal.word.ptr);
    got[k] = 0;
    if (strcmp(got, wanted) != 0) fail_msg("of\n%s\ngot\n%swanted\n%s", content, got, wanted);
    eg_arena_release(&a);
}

static const char note[] = "Pool of the importer, prod: 20 connections, was 12. Statement timeout 30 s.\n"
                           "- replicas are read-only\n"
                           "- backups run at night";

static void places(void **state) {
    (void)state;
    static const char *const given[] = {"The importer's statement timeout in production is 30 s.",
                                        "The importer's connection pool in production has 20 connections."};
    check(note, given, 2,
          "The importer's connection pool in production has 20 connections. | Pool of the importer, prod: 20 connections\n"
          "read | was 12.\n"
          "The importer's statement timeout in production is 30 s. | Statement timeout 30 s.\n"
          "read | replicas are read-only\n"
          "read | backups run at night\n");
}

/* Two of one place; and one that says little of its place, which stays. */
static void several_of_one_place(void **state) {
    (void)state;
    static const char *const two[] = {"The cache of the shop holds 512 MB.", "The cache of the shop evicts by LRU."};
    check("The cache of 512 MB evicts by LRU.", two, 2,
          "The cache of the shop holds 512 MB. | The cache of 512 MB evicts by LRU.\n"
          "The cache of the shop evicts by LRU. | The cache of 512 MB evicts by LRU.\n");
    static const char *const little[] = {"The gateway's port is 8080."};
    check("The gateway on port 8080 keeps the sessions of signed-in customers in Redis.", little, 1,
          "The gateway's port is 8080. | The gateway on port 8080 keeps the sessions of signed-in customers in Redis.\n"
          "read | The gateway on port 8080 keeps the sessions of signed-in customers in Redis.\n");
}

static void refusals(void **state) {
    (void)state;
    static const char *const adds[] = {"Backups of the importer run at night.", "The importer's pool has 25 connections."};
    static const char *const far[] = {"Password hashes are made with a slow function."};
    check(note, adds, 2, "adds 1 25\n");
    check(note, far, 1, "far 0 \n");
}

/* How many numbers each of two texts holds, and how many of them the other holds too. */
static void counts(const char *a, const char *b, size_t of_a, size_t of_b, size_t both) {
    eg_arena arena;
    eg_stock x, y;
    size_t shared, back;
    eg_arena_init(&arena, 0);
    assert_int_equal(eg_stock_read(&arena, eg_str_of(a), EG_STR(""), &x, NULL), EG_OK);
    assert_int_equal(eg_stock_read(&arena, eg_str_of(b), EG_STR(""), &y, NULL), EG_OK);
    assert_int_equal(eg_stock_numbers(&x, &y, &shared), of_a);
    assert_int_equal(eg_stock_numbers(&y, &x, &back), of_b);
    assert_int_equal(shared, both);
    assert_int_equal(back, both);
    eg_arena_release(&arena);
}

static void shared_numbers(void **state) {
    (void)state;
    counts("Tokens end after 30 minutes.", "Tokens end after 45 minutes, no longer thirty.", 1, 2, 1);
    counts("All 64 stations run 3.8.1.", "All 64 stations run 3.9.0; it was 3.8.1.", 2, 3, 2);
    counts("10,000 rows, and 10000 again", "A page holds no rows.", 1, 0, 0);
    counts("", "", 0, 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers),
                                       cmocka_unit_test(versions),
                                       cmocka_unit_test(identifiers),
                                       cmocka_unit_test(places),
                                       cmocka_unit_test(several_of_one_place),
                                       cmocka_unit_test(refusals),
                                       cmocka_unit_test(shared_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
