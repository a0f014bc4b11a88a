/* test_read.c - statements of facts: what becomes one, its kind, and the form that stands alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

#include "core/text/text.h"

static const char *const kinds[] = {"assertion",   "instruction", "prohibition", "option", "example",
                                    "history",     "proposal",    "question",    "step",   "aside",
                                    "alternative", "placeholder", "header_field"};

/* One line a statement: "kind | words of the text | form that stands alone", the last part left out
 * where it is the same. */
static void check(const char *text, const char *wanted) {
    eg_arena a;
    eg_statement out[EG_MAX_STATEMENTS];
    char got[8000];
    size_t n, k = 0;
    eg_arena_init(&a, 0);
    assert_int_equal(eg_text_read_statements(&a, eg_str_of(text), out, EG_MAX_STATEMENTS, &n, NULL), EG_OK);
    for (size_t i = 0; i < n; i++) {
        k += (size_t)snprintf(got + k, sizeof got - k, "%s | %.*s", kinds[out[i].kind],
                              (int)(out[i].span.end - out[i].span.start), text + out[i].span.start);
        if (out[i].alone.len) k += (size_t)snprintf(got + k, sizeof got - k, " | %.*s", (int)out[i].alone.len, out[i].alone.ptr);
        k += (size_t)snprintf(got + k, sizeof got - k, "\n");
    }
    got[k] = '\0';
    if (strcmp(got, wanted) != 0) fail_msg("of\n%s\ngot\n%swanted\n%s", text, got, wanted);
    eg_arena_release(&a);
}

static void tables(void **state) {
    (void)state;
    check("Quotas by tier:\n\n| tier | seats | storage |\n|---|---|---|\n| free | 3 | 1 GB |\n| **team** | 20 | - |\n",
          "option | free | 3 | 1 GB | Quotas by tier: free: seats 3, storage 1 GB\n"
          "option | **team** | 20 | - | Quotas by tier: team: seats 20\n");
    check("| `a|b` | x \\| y |", "option | `a|b` | x \\| y | `a|b`: x \\| y\n");
}

static void lists(void **state) {
    (void)state;
    check("Uploads on staging:\n- at most 5 MB\n- kept\n  for a week\n",
          "assertion | at most 5 MB | Uploads on staging: at most 5 MB\n"
          "assertion | kept\n  for a week | Uploads on staging: kept for a week\n");
    check("## Cache\n- it is Redis\n  - it evicts by LRU\n",
          "assertion | it is Redis | Cache: it is Redis\n"
          "assertion | it evicts by LRU | Cache: it is Redis: it evicts by LRU\n");
    check("Do NOT:\n- commit to the release branch\n",
          "prohibition | commit to the release branch | Do NOT: commit to the release branch\n");
    check("How to cut a release:\n1. Bump the version.\n2. Push the tag.\n",
          "step | Bump the version. | How to cut a release: Bump the version.\n"
          "step | Push the tag. | How to cut a release: Push the tag.\n");
}

static void configuration(void **state) {
    (void)state;
    /* ways to set the same thing; in another listing it is set again */
    check("```yaml\n# small\nsize: 1 MB\n# large\nsize: 9 MB\n```\nOr:\n```yaml\nsize: 5 MB\n```\n",
          "option | size: 1 MB | size = 1 MB\nalternative | size: 9 MB | size = 9 MB\noption | size: 5 MB | Or: size = 5 MB\n");
    check("`server.yml` of production:\n```yaml\nhttp:\n  port: 8080   # not 80\n  tls:\n    min: \"1.3\"\nlog: warn\n```\n",
          "option | port: 8080 | `server.yml` of production: http.port = 8080\n"
          "option | min: \"1.3\" | `server.yml` of production: http.tls.min = 1.3\n"
          "option | log: warn | `server.yml` of production: log = warn\n");
    check("```toml\n[pool]\nsize = 20\n[pool.idle]\nseconds=5\n```",
          "option | size = 20 | pool.size = 20\noption | seconds=5 | pool.idle.seconds = 5\n");
    check("```sh\nexport RETRIES=3\n$ deployctl push --wait  # slow\n```",
          "option | export RETRIES=3 | RETRIES = 3\ninstruction | deployctl push --wait\n");
    check("```json\n{\n  \"limits\": {\n    \"burst\": 40,\n  }\n}\n```", "option | \"burst\": 40 | limits.burst = 40\n");
    check("```\nqueue: mail\nworkers: 4\n```",
          "option | queue: mail | queue = mail\noption | workers: 4 | queue mail: workers = 4\n");
}

static void prose(void **state) {
    (void)state;
    check("Android client: tokens are kept in the keystore. They live for an hour.",
          "assertion | Android client: tokens are kept in the keystore.\n"
          "assertion | They live for an hour. | Android client: They live for an hour.\n");
    check("The indexer reads from Kafka. It commits every 5 s.",
          "assertion | The indexer reads from Kafka.\n"
          "assertion | It commits every 5 s. | The indexer: It commits every 5 s.\n");
    check("`worker.env`, production: pool size 12, timeout 30 s, queue length 500.",
          "assertion | `worker.env`, production: pool size 12\n"
          "assertion | timeout 30 s | `worker.env`, production: timeout 30 s\n"
          "assertion | queue length 500. | `worker.env`, production: queue length 500.\n");
    check("The heap is 12g. Two nodes run.",
          "assertion | The heap is 12g.\nassertion | Two nodes run. | The heap: Two nodes run.\n");
    check("Seen in *all* [logs](http://x.y).", "assertion | Seen in *all* [logs](http://x.y). | Seen in all logs.\n");
}

static void kinds_of_statements(void **state) {
    (void)state;
    static const struct {
        const char *text, *kind;
    } rows[] = {{"Is the cache shared?", "question"},
                {"Never restart the broker by hand.", "prohibition"},
                {"If it hangs, do not kill it.", "prohibition"},
                {"Clients must not retry on 4xx.", "prohibition"},
                {"Run the migrations before the deploy.", "instruction"},
                {"When the queue is full, drop the oldest.", "assertion"},
                {"When the queue is full, restart the worker.", "instruction"},
                {"Rejected: a second database.", "proposal"},
                {"Sharding was considered and postponed.", "proposal"},
                {"For example, a page of 20 rows.", "example"},
                {"The service used to run on Heroku.", "history"},
                {"That took me a whole afternoon.", "aside"},
                {"TBD", "placeholder"},
                {"Cache: five minutes.", "assertion"},
                {"Build is green on Linux.", "assertion"},
                {"The limit is 5 MB.", "assertion"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        eg_arena a;
        eg_statement out[4];
        size_t n;
        eg_arena_init(&a, 0);
        assert_int_equal(eg_text_read_statements(&a, eg_str_of(rows[i].text), out, 4, &n, NULL), EG_OK);
        if (n != 1 || strcmp(kinds[out[0].kind], rows[i].kind) != 0)
            fail_msg("'%s': %zu, %s, wanted %s", rows[i].text, n, n ? kinds[out[0].kind] : "", rows[i].kind);
        eg_arena_release(&a);
    }
    check("## Alternatives\n- Kafka keeps order.\n", "alternative | Kafka keeps order. | Alternatives: Kafka keeps order.\n");
    check("---\nstatus: draft\n---\nThe port is 80.", "header_field | status: draft\nassertion | The port is 80.\n");
}

static void borders(void **state) {
    (void)state;
    check("", "");
    check(" \n ", "");
    check("# Only a title", "assertion | # Only a title\n");
    check("```\n{\n}\n```", "assertion | ```\n{\n}\n```\n");
    eg_arena a;
    eg_statement out[2];
    eg_error err = {0};
    size_t n;
    eg_arena_init(&a, 0);
    eg_str text = EG_STR("A is 1. B is 2. C is 3.");
    assert_int_equal(eg_text_read_statements(&a, text, out, 2, &n, NULL), EG_OK);
    /* what is over belongs to the last one */
    assert_true(n == 2 && out[1].span.end == text.len && out[1].alone.len == 0);
    assert_int_equal(eg_text_read_statements(&a, text, out, 0, &n, NULL), EG_OK);
    assert_int_equal(n, 0);
    eg_arena_release(&a);
    eg_arena_init(&a, 64);
    assert_int_equal(eg_text_read_statements(&a, text, out, 2, &n, &err), EG_ENOMEM);
    assert_true(err.text[0] != 0);
    eg_arena_release(&a);
}

/* Each of these, repeated to 400 kB, would take minutes if a part of it were looked at again and
 * again. */
static void long_text_takes_linear_time(void **state) {
    (void)state;
    static const char *const units[] = {"a, b ", "a: ",   "- a\n", "  - ", "> ",      "|",        "`",      "a (b, ",
                                        "```\n", "# a\n", "a.b ",  "[a](", "[a][b] ", "key: {\n", "A is. ", "a | b\n-|-\n"};
    enum { SIZE = 400 * 1000 };
    char *text = malloc(SIZE + 64);
    for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
        size_t n = strlen(units[u]), len = 0, count;
        for (; len < SIZE; len += n) memcpy(text + len, units[u], n);
        eg_arena a;
        eg_statement out[EG_MAX_STATEMENTS];
        eg_arena_init(&a, 0);
        clock_t begun = clock();
        assert_int_equal(eg_text_read_statements(&a, (eg_str){text, len}, out, EG_MAX_STATEMENTS, &count, NULL), EG_OK);
        double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
        if (seconds > 3) fail_msg("'%s': %.1f s", units[u], seconds);
        eg_arena_release(&a);
    }
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables),
                                       cmocka_unit_test(lists),
                                       cmocka_unit_test(configuration),
                                       cmocka_unit_test(prose),
                                       cmocka_unit_test(kinds_of_statements),
                                       cmocka_unit_test(borders),
                                       cmocka_unit_test(long_text_takes_linear_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
