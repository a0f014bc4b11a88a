/* test_detectors.c - pairs of facts, and what the detector "rules" must find about them. The first
 * table holds pairs that are often mistaken for contradictions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "run_detectors.h"

enum { NOTHING = -1 };

typedef struct pair {
    const char *earlier, *later;
    int outcome;       /* eg_outcome, or NOTHING (no contradiction: no finding, both valid or
                        * corroboration) */
    const char *tier;  /* of a contradiction */
    const char *a, *b; /* of a contradiction: the words that disagree, of the later and the earlier
                        * fact; NULL: any */
} pair;

static void check_scoped(const pair *p, const char *earlier_scope, const char *later_scope) {
    eg_arena arena;
    eg_arena_init(&arena, 0);
    eg_error err = {0};
    eg_case_fact earlier, later;
    assert_int_equal(test_fact_read(&arena, eg_str_of(p->earlier), eg_str_of(earlier_scope), &earlier, &err), EG_OK);
    assert_int_equal(test_fact_read(&arena, eg_str_of(p->later), eg_str_of(later_scope), &later, &err), EG_OK);
    eg_finding found[16];
    size_t n = 0;
    assert_int_equal(test_detect(&arena, &later, &earlier, found, 16, &n, &err), EG_OK);
    const eg_finding *f = NULL;
    for (size_t i = 0; i < n && !f; i++)
        if (p->outcome == NOTHING ? found[i].outcome == EG_OUTCOME_CONTRADICTION || found[i].outcome == EG_OUTCOME_UPDATE
                                  : found[i].outcome == (uint32_t)p->outcome)
            f = &found[i];
    if (p->outcome == NOTHING) {
        if (f) fail_msg("false positive: %.*s\n  %s\n  %s", (int)f->explanation.len, f->explanation.ptr, p->earlier, p->later);
    } else if (!f) fail_msg("not found (outcome %d):\n  %s\n  %s", p->outcome, p->earlier, p->later);
    else {
        assert_true(f->score > 0 && f->score <= 1);
        assert_true(f->explanation.len > 0);
        assert_true(f->span_subject.end <= later.fact->content.len && f->span_candidate.end <= earlier.fact->content.len);
        if (p->tier && !eg_str_eq(f->tier, eg_str_of(p->tier)))
            fail_msg("tier %.*s, wanted %s:\n  %s\n  %s", (int)f->tier.len, f->tier.ptr, p->tier, p->earlier, p->later);
        eg_str a = {p->later + f->span_subject.start, f->span_subject.end - f->span_subject.start};
        eg_str b = {p->earlier + f->span_candidate.start, f->span_candidate.end - f->span_candidate.start};
        if (p->a && !eg_str_eq(a, eg_str_of(p->a))) fail_msg("words %.*s, wanted %s", (int)a.len, a.ptr, p->a);
        if (p->b && !eg_str_eq(b, eg_str_of(p->b))) fail_msg("words %.*s, wanted %s", (int)b.len, b.ptr, p->b);
    }
    eg_arena_release(&arena);
}

static void check_all(const pair *rows, size_t n) {
    for (size_t i = 0; i < n; i++) check_scoped(&rows[i], "general", "general");
}

static void no_false_alarms(void **state) {
    (void)state;
    static const pair rows[] = {
        {"The auth service timeout is 30 s.", "The payments service timeout is 60 s.", NOTHING, NULL, NULL, NULL},
        {"The auth timeout is 30 seconds.", "The payments timeout is 60 seconds.", NOTHING, NULL, NULL, NULL},
        {"In staging the pool has 5 connections.", "In production the pool has 20 connections.", NOTHING, NULL, NULL, NULL},
        {"The staging database runs PostgreSQL 15.", "The production database runs PostgreSQL 16.", NOTHING, NULL, NULL, NULL},
        {"The gateway timeout is 1000 ms.", "The gateway timeout is 1 s.", NOTHING, NULL, NULL, NULL},
        {"The session lives 30 minutes.", "The session lives half an hour.", NOTHING, NULL, NULL, NULL},
        {"On Tuesday the batch has 40 workers.", "On Wednesday the batch has 60 workers.", NOTHING, NULL, NULL, NULL},
        {"The gateway accepts 1k/s.", "The gateway accepts 1000 req/s.", NOTHING, NULL, NULL, NULL},
        {"The queue holds a thousand messages.", "The queue holds 1,000 messages.", NOTHING, NULL, NULL, NULL},
        {"The queue holds about a thousand messages.", "The queue holds 1,100 messages.", NOTHING, NULL, NULL, NULL},
        {"A batch holds at most 10 rows.", "A batch holds 8 rows.", NOTHING, NULL, NULL, NULL},
        {"A batch holds between 5 and 10 rows.", "A batch holds 8 rows.", NOTHING, NULL, NULL, NULL},
        {"The home page shows six shelves of twelve tiles.", "Seventy-two tiles are on the home page.", NOTHING, NULL, NULL,
         NULL},
        {"Four shards make up one gigabyte of training data.", "Training data are tar shards of about 256 MB.", NOTHING, NULL,
         NULL, NULL},
        {"The increment table has nine bands.", "Wine sales use their own increment table with six bands.", NOTHING, NULL, NULL,
         NULL},
        {"NEW: New in version 1.5.", "NEW: New in version 1.6.", NOTHING, NULL, NULL, NULL},
        {"Added in version 2.1.0 of it.", "Added in version 2.2.0 of it.", NOTHING, NULL, NULL, NULL},
        {"Version 4 needs Python 3.10.", "Version 5 needs Python 3.12.", NOTHING, NULL, NULL, NULL},
        {"The iOS app caches 50 pages.", "The Android app caches 30 pages.", NOTHING, NULL, NULL, NULL},
        {"The free plan allows 3 projects.", "The enterprise plan allows 100 projects.", NOTHING, NULL, NULL, NULL},
        {"The service runs on PostgreSQL 16.", "The service runs on PostgreSQL 16.2.", NOTHING, NULL, NULL, NULL},
        {"Requests are logged at level info in production.", "Requests are logged at level debug in staging.", NOTHING, NULL,
         NULL, NULL},
        {"The retry limit is 3.", "A retry limit of 5 was proposed and rejected.", NOTHING, NULL, NULL, NULL},
        {"Access tokens live 15 minutes.", "Refresh tokens live 30 days.", NOTHING, NULL, NULL, NULL},
        {"osprey-admin: `max_size=64MiB`; more fails.", "osprey-gateway: `max_size=4MiB`; more fails.", NOTHING, NULL, NULL,
         NULL},
        {"Trino on cluster squall is small; spilling is enabled.", "Trino on cluster gale is large; spilling is disabled.",
         NOTHING, NULL, NULL, NULL},
        {"The build is denied except to pypi.org and npmjs.org.", "The build is denied except to npmjs.org and pypi.org.",
         NOTHING, NULL, NULL, NULL},
        {"The v1 billing API is deprecated since 3.0.", "The v2 billing API is the current one.", NOTHING, NULL, NULL, NULL},
        {"The texts have at most 400 characters per stop.", "The children's texts have at most 200 characters per stop.", NOTHING,
         NULL, NULL, NULL},
        {"The locale expands strings to 140 % of their length.", "The locale expands strings by 40 % of their length.", NOTHING,
         NULL, NULL, NULL},
        {"A page has 2^14 bytes in the store.", "A page has 16 KiB in the store.", NOTHING, NULL, NULL, NULL},
        {"hold.ttl = 480 in the nightly simulator", "hold.ttl = 600 on the main cluster", NOTHING, NULL, NULL, NULL},
    };
    check_all(rows, sizeof rows / sizeof rows[0]);
}

/* Two things of one kind: reported as both valid, so that the NLI model is not asked. */
static void siblings(void **state) {
    (void)state;
    static const pair rows[] = {
        {"The worker wk1-1 of the auth queue writes to bucket b1x1.", "The worker wk1-4 of the auth queue writes to bucket b1x4.",
         EG_OUTCOME_BOTH_VALID, NULL, NULL, NULL},
        {"Error E1042 means that the token has expired.", "Error E1043 means that the token is malformed.", EG_OUTCOME_BOTH_VALID,
         NULL, NULL, NULL},
        {"Pod web-0 runs on machine m7.", "Pod web-1 runs on machine m9.", EG_OUTCOME_BOTH_VALID, NULL, NULL, NULL},
        {"Service number 49 listens on port 3049.", "Service number 9 listens on port 3009.", EG_OUTCOME_BOTH_VALID, NULL, NULL,
         NULL},
        {"The audit service of region 0 keeps logs for 30 days.", "The audit service of region 1 keeps logs for 60 days.",
         NOTHING, NULL, NULL, NULL},
    };
    check_all(rows, sizeof rows / sizeof rows[0]);
}

/* The same thing, with different statements about it: not siblings. */
static void no_siblings(void **state) {
    (void)state;
    static const pair rows[] = {
        {"Pod web-0 runs on machine m7 with 4 GB of memory.", "Pod web-0 runs on machine m7 with 8 GB of memory.",
         EG_OUTCOME_CONTRADICTION, NULL, NULL, NULL},
        {"Region 4 of the cluster keeps 3 replicas.", "Region 4 of the cluster keeps 5 replicas.", EG_OUTCOME_CONTRADICTION, NULL,
         NULL, NULL},
        {"The client makes at most 3 retries.", "The client makes at most 5 retries.", EG_OUTCOME_CONTRADICTION, NULL, NULL,
         NULL},
    };
    check_all(rows, sizeof rows / sizeof rows[0]);
}

static void contradictions(void **state) {
    (void)state;
    static const pair rows[] = {
        {"The auth service timeout is 30 s.", "The auth service timeout is 60 seconds.", EG_OUTCOME_CONTRADICTION,
         "tier2_numeric", "60 seconds", "30 s"},
        {"The timeout of the auth service is 30 s.", "The auth service has a timeout of 1 minute.", EG_OUTCOME_CONTRADICTION,
         "tier2_numeric", "1 minute", "30 s"},
        {"The node has 5 GB of cache memory.", "The node has 5 MB of cache memory.", EG_OUTCOME_CONTRADICTION, "tier2_numeric",
         "5 MB", "5 GB"},
        {"The node has 4 GiB of cache memory.", "The node has 4 GB of cache memory.", EG_OUTCOME_CONTRADICTION, "tier2_numeric",
         NULL, NULL},
        {"Uploads are unlimited for the team accounts.", "Uploads are 20 for the team accounts.", EG_OUTCOME_CONTRADICTION,
         "tier2_numeric", NULL, NULL},
        {"A batch holds at most 10 rows of input.", "A batch holds 12 rows of input.", EG_OUTCOME_CONTRADICTION, "tier2_numeric",
         "12", "10"},
        {"The gateway accepts 1k/s from each client.", "The gateway accepts 500 req/s from each client.",
         EG_OUTCOME_CONTRADICTION, "tier2_numeric", NULL, NULL},
        {"The API listens on port 8080 by default.", "The API listens on port 9090 by default.", EG_OUTCOME_CONTRADICTION,
         "tier0_entity", "9090", "8080"},
        {"The service is built with Go 1.22.4 and Bazel.", "The service is built with Go 1.21.9 and Bazel.",
         EG_OUTCOME_CONTRADICTION, "tier0_entity", NULL, NULL},
        {"http3.enabled is false on all edge servers.", "http3.enabled is true on all edge servers.", EG_OUTCOME_CONTRADICTION,
         "tier0_entity", "true", "false"},
        {"cache.mode = lru", "cache.mode = lfu", EG_OUTCOME_CONTRADICTION, "tier0_entity", "lfu", "lru"},
        {"Edited messages are visible to the channel.", "Edited messages are not visible to the channel.",
         EG_OUTCOME_CONTRADICTION, "tier0_entity", NULL, NULL},
        {"The feed renderer is owned by Sorcha.", "The feed renderer is owned by Felipe.", EG_OUTCOME_CONTRADICTION,
         "tier0_entity", "Felipe", "Sorcha"},
        {"The database is PostgreSQL.", "The database is MySQL.", EG_OUTCOME_CONTRADICTION, "tier0_entity", "MySQL",
         "PostgreSQL"},
        {"Position reports are stored in ClickHouse, by day.", "Position reports are stored in PostGIS, by day.",
         EG_OUTCOME_CONTRADICTION, "tier0_entity", "PostGIS", "ClickHouse"},
        {"The weekly report is sent on Monday mornings.", "The weekly report is sent on Friday mornings.",
         EG_OUTCOME_CONTRADICTION, "tier2_temporal", NULL, NULL},
        {"The invoice run starts at 03:15 UTC each night.", "The invoice run starts at 05:45 UTC each night.",
         EG_OUTCOME_CONTRADICTION, "tier2_temporal", "05:45", "03:15"},
        {"Readings are taken every 45 minutes by rootd.", "Readings are taken every 20 minutes by rootd.",
         EG_OUTCOME_CONTRADICTION, "tier2_numeric", NULL, NULL},
        {"The v1 billing API is deprecated since 3.0.", "The v1 billing API is the current one.", EG_OUTCOME_CONTRADICTION,
         "tier2_temporal", "current", "deprecated"},
        {"orders.accepted has 12 partitions, keyed by restaurant id.",
         "Accepted orders are published to the Kafka topic orders.accepted with 24 partitions keyed by "
         "restaurant id.",
         EG_OUTCOME_CONTRADICTION, "tier2_numeric", "24", "12"},
        {"Live chats per agent are four at a time.", "Live chats per agent are six at a time.", EG_OUTCOME_CONTRADICTION,
         "tier2_numeric", "six", "four"},
    };
    check_all(rows, sizeof rows / sizeof rows[0]);
}

static void updates(void **state) {
    (void)state;
    static const pair rows[] = {
        {"The auth service timeout is 30 s.", "The auth service timeout is 60 s, no longer what it said before.",
         EG_OUTCOME_UPDATE, NULL, NULL, NULL},
        {"The queue limit of the mailer is 500.", "The queue limit of the mailer was 500, now 800.", EG_OUTCOME_UPDATE,
         "tier2_numeric", "800", "500"},
        {"Robot accounts expire after 120 days.", "Robot accounts now expire after 60 days instead of 120.", EG_OUTCOME_UPDATE,
         "tier2_numeric", "60 days", "120 days"},
        {"Roaming runs over OCPI 2.2.1 with partners.", "Roaming runs over OCPI 2.3 since November (2.2.1 before) with partners.",
         EG_OUTCOME_UPDATE, "tier0_entity", "2.3", "2.2.1"},
    };
    check_all(rows, sizeof rows / sizeof rows[0]);
}

static void other_outcomes(void **state) {
    (void)state;
    static const pair rows[] = {
        {"The auth service timeout is 30 s.", "The auth service timeout is 30000 ms.", EG_OUTCOME_CORROBORATION, NULL, NULL,
         NULL},
        {"In staging the pool keeps 5 idle connections open.", "In production the pool keeps 20 idle connections open.",
         EG_OUTCOME_BOTH_VALID, NULL, NULL, NULL},
    };
    check_all(rows, sizeof rows / sizeof rows[0]);
}

static void across_scopes(void **state) {
    (void)state;
    static const pair rows[] = {
        {"The topic orders.accepted has 24 partitions.", "The topic orders.accepted has 12 partitions.", EG_OUTCOME_CONTRADICTION,
         "tier2b_cross_scope", "12", "24"},
        {"The feed renderer is owned by Sorcha.", "The feed renderer is owned by Felipe.", EG_OUTCOME_CONTRADICTION,
         "tier2b_cross_scope", NULL, NULL},
        {"All services use MySQL.", "The payments service uses PostgreSQL.", EG_OUTCOME_CONTRADICTION, "tier2b_cross_scope", NULL,
         NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) check_scoped(&rows[i], "orders/intake", "dispatch");
    static const pair not [] = {
        {"The rate limit is 1000 req/s.", "The rate limit is 500 req/s.", NOTHING, NULL, NULL, NULL},
        {"The connection timeout is 30 s.", "The connection timeout is 60 s.", NOTHING, NULL, NULL, NULL},
        {"log.level = debug", "log.level = info", NOTHING, NULL, NULL, NULL},
        {"All services use MySQL.", "The payments service uses MySQL 8.", NOTHING, NULL, NULL, NULL},
        {"Our services use MySQL.", "The payments service uses PostgreSQL.", NOTHING, NULL, NULL, NULL},
        {"All services use Kafka.", "The payments service uses PostgreSQL.", NOTHING, NULL, NULL, NULL},
        /* entries of reference documentation: the headings above say what they are about */
        {"DEPRECATED: Use `--init-author-email` instead.", "DEPRECATED: Use `--init-author-name` instead.", NOTHING, NULL, NULL,
         NULL},
        {"See Dispatcher Event: `'connect'`.", "See Dispatcher Event: `'drain'`.", NOTHING, NULL, NULL, NULL},
        {"Returns: `void | Promise<null>` - Only returns a `Promise` if no `callback` argument was passed.",
         "Returns: `void | Promise<StreamData>` - Only returns a `Promise` if no `callback` argument was passed.", NOTHING, NULL,
         NULL, NULL},
        {"Acceptable values are same as `cpu` field of package.json.",
         "Acceptable values are same as `libc` field of package.json.", NOTHING, NULL, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof not / sizeof not [0]; i++) check_scoped(&not [i], "platform", "payments");
}

/* Statements that hold under different conditions. */
static void conditions(void **state) {
    (void)state;
    static const pair rows[] = {
        {"If strict mode is enabled, unknown fields are rejected.", "If strict mode is disabled, unknown fields are ignored.",
         NOTHING, NULL, NULL, NULL},
        {"If caching is enabled, the request timeout is 30 s.", "If caching is disabled, the request timeout is 60 s.", NOTHING,
         NULL, NULL, NULL},
        {"If caching is enabled, the request timeout is 30 s.", "If caching is enabled, the request timeout is 60 s.",
         EG_OUTCOME_CONTRADICTION, NULL, NULL, NULL},
        {"If strict mode is enabled, unknown fields are rejected.", "If strict mode is enabled, unknown fields are not rejected.",
         EG_OUTCOME_CONTRADICTION, NULL, NULL, NULL},
        {"Strict mode is enabled for all clients.", "Strict mode is disabled for all clients.", EG_OUTCOME_CONTRADICTION, NULL,
         NULL, NULL},
        {"If the cache is warm, requests wait for it.", "If the cache is not warm, requests wait for it.", NOTHING, NULL, NULL,
         NULL},
        {"Clients that are signed in see the price list.", "Clients that are not signed in see the price list.", NOTHING, NULL,
         NULL, NULL},
        {"The price list is visible to clients.", "The price list is not visible to clients.", EG_OUTCOME_CONTRADICTION, NULL,
         NULL, NULL},
        {"Some requests are logged to the audit table.", "Some requests are not logged to the audit table.", NOTHING, NULL, NULL,
         NULL},
        {"Requests are logged to the audit table.", "Requests are not logged to the audit table.", EG_OUTCOME_CONTRADICTION, NULL,
         NULL, NULL},
        {"The pool size can be set to 10.", "The pool size can be set to 20.", NOTHING, NULL, NULL, NULL},
        {"The pool size can be set to 10 workers.", "The pool size is 20 workers.", NOTHING, NULL, NULL, NULL},
        {"The pool size is set to 10.", "The pool size is set to 20.", EG_OUTCOME_CONTRADICTION, NULL, NULL, NULL},
        {"The pool size can be set to at most 10.", "The pool size can be set to at most 20.", EG_OUTCOME_CONTRADICTION, NULL,
         NULL, NULL},
    };
    check_all(rows, sizeof rows / sizeof rows[0]);
}

/* Measurements with different parameters. */
static void parameters(void **state) {
    (void)state;
    static const pair rows[] = {
        {"The p99 latency of search is 30 ms at 100 req/s.", "The p99 latency of search is 90 ms at 1000 req/s.", NOTHING, NULL,
         NULL, NULL},
        {"The p99 latency of search is 30 ms at 100 req/s.", "The p99 latency of search is 90 ms at 100 req/s.",
         EG_OUTCOME_CONTRADICTION, NULL, NULL, NULL},
        {"The build takes 12 minutes on 4 cores.", "The build takes 7 minutes on 8 cores.", NOTHING, NULL, NULL, NULL},
        {"The build takes 12 minutes on 4 cores.", "The build takes 7 minutes on 4 cores.", EG_OUTCOME_CONTRADICTION, NULL, NULL,
         NULL},
    };
    check_all(rows, sizeof rows / sizeof rows[0]);
}

static void bounds(void **state) {
    (void)state;
    static const pair rows[] = {
        {"The suite takes < 15 minutes.", "The suite takes 11 minutes.", NOTHING, NULL, NULL, NULL},
        {"The suite takes < 15 minutes.", "The suite takes 20 minutes.", EG_OUTCOME_CONTRADICTION, NULL, NULL, NULL},
        {"The app needs PHP >= 8.1.", "The app needs PHP 8.3.", NOTHING, NULL, NULL, NULL},
        {"The app needs PHP >= 8.1.", "The app needs PHP 8.10.", NOTHING, NULL, NULL, NULL},
        {"The app needs PHP >= 8.1.", "The app needs PHP 8.", NOTHING, NULL, NULL, NULL},
        {"The app needs PHP >= 8.1.", "The app needs PHP 7.4.", EG_OUTCOME_CONTRADICTION, NULL, NULL, NULL},
        {"The app needs PHP >= 8.1.", "The app needs PHP >= 8.3.", EG_OUTCOME_CONTRADICTION, NULL, NULL, NULL},
        {"The app needs PHP <= 8.1.", "The app needs PHP 8.3.", EG_OUTCOME_CONTRADICTION, NULL, NULL, NULL},
        {"The app needs PHP 8.1.", "The app needs PHP 8.3.", EG_OUTCOME_CONTRADICTION, NULL, NULL, NULL},
        {"The app needs PHP 8.1 or newer.", "The app needs PHP 8.x.", NOTHING, NULL, NULL, NULL},
        {"Works with Node 18+.", "Works with Node 20.", NOTHING, NULL, NULL, NULL},
        {"Works with Node 18+.", "Works with Node 16.", EG_OUTCOME_CONTRADICTION, NULL, NULL, NULL},
        {"The client needs Node 18 or greater.", "The client needs Node 20.", NOTHING, NULL, NULL, NULL},
        {"The client needs Node 18 or greater.", "The client needs Node 16.", EG_OUTCOME_CONTRADICTION, NULL, NULL, NULL},
    };
    check_all(rows, sizeof rows / sizeof rows[0]);
}

/* Facts that begin with "it" do not say what they are about. */
static void pronouns(void **state) {
    (void)state;
    static const pair rows[] = {
        {"It retries failed jobs 3 times.", "It retries failed jobs 5 times.", NOTHING, NULL, NULL, NULL},
        {"The mailer retries failed jobs 3 times.", "The mailer retries failed jobs 5 times.", EG_OUTCOME_CONTRADICTION, NULL,
         NULL, NULL},
    };
    check_all(rows, sizeof rows / sizeof rows[0]);
}

/* The number identifies the thing. */
static void numbers_that_name(void **state) {
    (void)state;
    static const pair rows[] = {
        {"Port 22 is closed.", "Port 443 is closed.", NOTHING, NULL, NULL, NULL},
        {"Port 22 is closed.", "Port 22 is not closed.", EG_OUTCOME_CONTRADICTION, NULL, NULL, NULL},
        {"The gateway listens on port 8080.", "The gateway listens on port 9090.", EG_OUTCOME_CONTRADICTION, NULL, NULL, NULL},
        {"Exit code 2 means a usage error.", "Exit code 3 means a usage error.", NOTHING, NULL, NULL, NULL},
        {"A usage error ends with exit code 2.", "A usage error ends with exit code 3.", EG_OUTCOME_CONTRADICTION, NULL, NULL,
         NULL},
    };
    check_all(rows, sizeof rows / sizeof rows[0]);
}

/* A thing that supports one protocol may support another one, too. */
static void several_objects(void **state) {
    (void)state;
    static const pair rows[] = {
        {"The library supports TLS 1.2.", "The library supports TLS 1.3.", NOTHING, NULL, NULL, NULL},
        {"The library requires TLS 1.2.", "The library requires TLS 1.3.", EG_OUTCOME_CONTRADICTION, NULL, NULL, NULL},
        {"The app exposes port 8080.", "The app exposes port 9090.", NOTHING, NULL, NULL, NULL},
        {"Orders of the shop are copied to Vienna.", "Orders of the shop are copied to Berlin.", NOTHING, NULL, NULL, NULL},
        {"Orders of the shop are stored in Vienna.", "Orders of the shop are stored in Berlin.", EG_OUTCOME_CONTRADICTION, NULL,
         NULL, NULL},
    };
    check_all(rows, sizeof rows / sizeof rows[0]);
}

/* A thing has several properties, and some of them only identify it. */
static void properties(void **state) {
    (void)state;
    static const pair rows[] = {
        {"user_id is indexed.", "user_id is immutable.", NOTHING, NULL, NULL, NULL},
        {"user_id = indexed", "user_id = immutable", EG_OUTCOME_CONTRADICTION, NULL, NULL, NULL},
        {"user_id is indexed.", "user_id is not indexed.", EG_OUTCOME_CONTRADICTION, NULL, NULL, NULL},
        {"The daily backup is kept for 7 days.", "The weekly backup is kept for 30 days.", NOTHING, NULL, NULL, NULL},
        {"The daily backup is kept for 7 days.", "The daily backup is kept for 30 days.", EG_OUTCOME_CONTRADICTION, NULL, NULL,
         NULL},
        {"The backup of the ledger runs daily.", "The backup of the ledger runs weekly.", EG_OUTCOME_CONTRADICTION, NULL, NULL,
         NULL},
        {"The tool lists enabled flags.", "The tool lists disabled flags.", NOTHING, NULL, NULL, NULL},
        {"The flag is enabled for the tool.", "The flag is disabled for the tool.", EG_OUTCOME_CONTRADICTION, NULL, NULL, NULL},
        {"Internal users can upload large files.", "External users can upload large files.", NOTHING, NULL, NULL, NULL},
    };
    check_all(rows, sizeof rows / sizeof rows[0]);
}

/* "Name: value". */
static void name_and_value(void **state) {
    (void)state;
    static const pair rows[] = {
        {"Java version: 17", "Java version: 21", EG_OUTCOME_CONTRADICTION, NULL, NULL, NULL},
        {"Java version: 17", "Python version: 3.12", NOTHING, NULL, NULL, NULL},
        {"Gateway port: 8080", "Gateway port: 9090", EG_OUTCOME_CONTRADICTION, NULL, NULL, NULL},
        {"Gateway port: 8080", "Metrics port: 9090", NOTHING, NULL, NULL, NULL},
    };
    check_all(rows, sizeof rows / sizeof rows[0]);
}

static void does_not(void **state) {
    (void)state;
    static const pair rows[] = {
        {"The /health endpoint requires authentication.", "The /health endpoint does not require authentication.",
         EG_OUTCOME_CONTRADICTION, NULL, NULL, NULL},
        {"The /health endpoint requires authentication.", "The /metrics endpoint does not require authentication.", NOTHING, NULL,
         NULL, NULL},
    };
    check_all(rows, sizeof rows / sizeof rows[0]);
}

/* GB is often written for GiB. */
static void binary_sizes(void **state) {
    (void)state;
    static const pair rows[] = {
        {"The node has 2 GB of memory.", "The node has 2048 MB of memory.", NOTHING, NULL, NULL, NULL},
        {"The node has 2 GB of memory.", "The node has 4096 MB of memory.", EG_OUTCOME_CONTRADICTION, NULL, NULL, NULL},
        {"The block size is 64 KB.", "The block size is 65536 bytes.", NOTHING, NULL, NULL, NULL},
        {"The block size is 64 KB.", "The block size is 32768 bytes.", EG_OUTCOME_CONTRADICTION, NULL, NULL, NULL},
        {"The upload limit is 10 MB.", "The upload limit is 11 MB.", EG_OUTCOME_CONTRADICTION, NULL, NULL, NULL},
    };
    check_all(rows, sizeof rows / sizeof rows[0]);
}

/* Two scopes of one repository: one within the other, or apart. */
static void sibling_scopes(void **state) {
    (void)state;
    static const struct {
        const char *earlier, *later;
        int outcome;
    } scopes[] = {
        {"payments/api", "payments/worker", NOTHING},
        {"payments/api", "payments/api-v2", NOTHING},
        {"payments", "payments/api", EG_OUTCOME_CONTRADICTION},
        {"payments/api", "payments", EG_OUTCOME_CONTRADICTION},
        {"payments/api", "payments/api", EG_OUTCOME_CONTRADICTION},
        {"general", "payments/api", EG_OUTCOME_CONTRADICTION},
    };
    for (size_t i = 0; i < sizeof scopes / sizeof scopes[0]; i++) {
        pair p = {"The request timeout is 30 s.", "The request timeout is 60 s.", scopes[i].outcome, NULL, NULL, NULL};
        check_scoped(&p, scopes[i].earlier, scopes[i].later);
    }
}

/* Every scope has a repository: across scopes only things with a name of their own are the same. */
static void generic_subjects(void **state) {
    (void)state;
    static const pair apart = {"The repository is owned by Alice.", "The repository is owned by Bob.", NOTHING, NULL, NULL, NULL};
    static const pair same = {
        "The repository is owned by Alice.", "The repository is owned by Bob.", EG_OUTCOME_CONTRADICTION, NULL, NULL, NULL};
    static const pair named = {"The ledger exporter is owned by Alice.",
                               "The ledger exporter is owned by Bob.",
                               EG_OUTCOME_CONTRADICTION,
                               "tier2b_cross_scope",
                               NULL,
                               NULL};
    check_scoped(&apart, "payments", "orders");
    check_scoped(&same, "payments", "payments");
    check_scoped(&named, "payments", "orders");
}

static void severity(void **state) {
    (void)state;
    eg_arena arena;
    eg_arena_init(&arena, 0);
    eg_error err = {0};
    eg_case_fact earlier, later;
    assert_int_equal(test_fact_read(&arena, EG_STR("The retry limit of the mailer is 3."), EG_STR("mail"), &earlier, &err),
                     EG_OK);
    assert_int_equal(test_fact_read(&arena, EG_STR("The retry limit of the mailer is 5."), EG_STR("mail"), &later, &err), EG_OK);
    eg_finding found[4];
    size_t n;
    assert_int_equal(test_detect(&arena, &later, &earlier, found, 4, &n, &err), EG_OK);
    assert_int_equal(n, 1);
    assert_int_equal(found[0].severity, EG_SEVERITY_HIGH);
    earlier.same_agent = 1;
    assert_int_equal(test_detect(&arena, &later, &earlier, found, 4, &n, &err), EG_OK);
    assert_int_equal(found[0].severity, EG_SEVERITY_MEDIUM);
    eg_arena_release(&arena);
}

/* A fact with the maximum number of statements; the last one is about the mailer. */
static const char *long_fact(eg_arena *arena, int retries) {
    char text[EG_MAX_CONTENT + 1];
    size_t n = 0;
    for (int i = 1; i < EG_MAX_STATEMENTS; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "The cache of service number %d keeps its rows in memory on host h%d. ",
                              i, 3 * i);
    snprintf(text + n, sizeof text - n, "The retry limit of the mailer is %d.", retries);
    return eg_arena_copy(arena, eg_str_of(text));
}

/* The memory of one pair of statements is reused for the next: 4,096 pairs take less than 3 MiB. */
static void long_facts_take_little_memory(void **state) {
    (void)state;
    eg_arena arena;
    eg_arena_init(&arena, 0);
    eg_error err = {0};
    eg_case_fact earlier, later;
    assert_int_equal(test_fact_read(&arena, eg_str_of(long_fact(&arena, 3)), EG_STR("mail"), &earlier, &err), EG_OK);
    assert_int_equal(test_fact_read(&arena, eg_str_of(long_fact(&arena, 5)), EG_STR("mail"), &later, &err), EG_OK);
    assert_int_equal(earlier.statement_count, EG_MAX_STATEMENTS);
    eg_finding found[16];
    size_t n, before = arena.used;
    assert_int_equal(test_detect(&arena, &later, &earlier, found, 16, &n, &err), EG_OK);
    assert_true(arena.used - before < (size_t)3 << 20);
    int contradictions = 0;
    for (size_t i = 0; i < n; i++) contradictions += found[i].outcome == EG_OUTCOME_CONTRADICTION;
    assert_int_equal(contradictions, 1);
    eg_arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_false_alarms), cmocka_unit_test(siblings),          cmocka_unit_test(no_siblings),
        cmocka_unit_test(contradictions),  cmocka_unit_test(updates),           cmocka_unit_test(other_outcomes),
        cmocka_unit_test(across_scopes),   cmocka_unit_test(severity),          cmocka_unit_test(long_facts_take_little_memory),
        cmocka_unit_test(conditions),      cmocka_unit_test(parameters),        cmocka_unit_test(bounds),
        cmocka_unit_test(pronouns),        cmocka_unit_test(numbers_that_name), cmocka_unit_test(several_objects),
        cmocka_unit_test(properties),      cmocka_unit_test(name_and_value),    cmocka_unit_test(does_not),
        cmocka_unit_test(binary_sizes),    cmocka_unit_test(sibling_scopes),    cmocka_unit_test(generic_subjects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
