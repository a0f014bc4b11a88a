/* test_memory_tools.c - the memory tools over a made-up memory: what reaches the memory, the
 * members of results, cut texts, failures. (drive.py validates results by the output schemas.) */
#include "tool_calls.h"

/* --- what reaches the memory --- */

#define SAME(text, literal) assert_true(eg_str_eq((text), EG_STR(literal)))

static void commit_arguments(void **state) {
    (void)state;
    assert_int_equal(call("engram_commit",
                          "{\"content\":\"Alpha \\u00fc\",\"scope\":\"a/b\",\"confidence\":0.25,\"agent_id\":\"ag\","
                          "\"engineer\":\"en\",\"provenance\":\"x.c:1\",\"fact_type\":\"decision\",\"ttl_days\":7,"
                          "\"operation\":\"update\",\"corrects_lineage\":\"12345678\",\"durability\":\"ephemeral\","
                          "\"artifact_hash\":\"sha\",\"wait_ms\":0}",
                          NULL),
                     EG_OK);
    SAME(host.commit.content, "Alpha \xC3\xBC");
    SAME(host.commit.scope, "a/b");
    SAME(host.commit.agent_id, "ag");
    SAME(host.commit.engineer, "en");
    SAME(host.commit.provenance, "x.c:1");
    SAME(host.commit.corrects_lineage, "12345678");
    SAME(host.commit.artifact_hash, "sha");
    assert_true(host.commit.confidence == 0.25);
    assert_int_equal(host.commit.fact_type, EG_FACT_DECISION);
    assert_int_equal(host.commit.operation, EG_OP_UPDATE);
    assert_int_equal(host.commit.durability, EG_DURABILITY_EPHEMERAL);
    assert_int_equal(host.commit.ttl_days, 7);
    assert_int_equal(host.commit.wait_ms, 0);
    assert_int_equal(call("engram_commit", "{\"content\":\"Beta\",\"scope\":\"\",\"agent_id\":null}", NULL), EG_OK);
    assert_true(host.commit.confidence == 0.8);
    assert_int_equal(host.commit.wait_ms, -1);
    SAME(host.commit.agent_id, "tester"); /* the client's own name */
    assert_int_equal(host.commit.scope.len + host.commit.ttl_days, 0);
    assert_int_equal(host.commit.operation + host.commit.fact_type + host.commit.durability, 0);
}

/* An update that replaced nothing names the nearest fact, and says what to do. */
static void an_update_that_was_added(void **state) {
    (void)state;
    cJSON *r;
    assert_int_equal(call("engram_commit", "{\"content\":\"Alpha\"}", NULL), EG_OK);
    assert_int_equal(call("engram_commit", "{\"content\":\"Instead\",\"operation\":\"update\"}", &r), EG_OK);
    const cJSON *nearest = pj_get(r, "nearest");
    assert_string_equal(text_of(r, "operation"), "add");
    assert_string_equal(text_of(nearest, "content"), "Alpha");
    assert_non_null(strstr(text_of(nearest, "note"), "corrects_lineage"));
    assert_non_null(text_of(nearest, "lineage_id"));
    cJSON_Delete(r);
    assert_int_equal(call("engram_commit", "{\"content\":\"Beta\"}", &r), EG_OK);
    assert_null(pj_get(r, "nearest"));
    cJSON_Delete(r);
}

/* Statements reach the memory, and stand with the fact where it is shown in full. */
static void given_statements(void **state) {
    (void)state;
    cJSON *r;
    assert_int_equal(call("engram_commit", "{\"content\":\"Alpha\"}", NULL), EG_OK);
    assert_int_equal(call("engram_commit", "{\"content\":\"Beta, two\",\"statements\":[\"Beta is 1.\",\"Beta has 2.\"]}", NULL),
                     EG_OK);
    assert_int_equal(host.commit.statement_count, 2);
    SAME(host.commit.statements[1], "Beta has 2.");
    assert_int_equal(call("engram_lineage", "{\"lineage_id\":\"l\"}", &r), EG_OK);
    const cJSON *versions = pj_get(r, "versions"), *list = pj_get(cJSON_GetArrayItem(versions, 1), "statements");
    assert_null(pj_get(cJSON_GetArrayItem(versions, 0), "statements"));
    assert_int_equal(cJSON_GetArraySize(list), 2); /* not the one that was read */
    assert_string_equal(cJSON_GetArrayItem(list, 1)->valuestring, "Beta has 2.");
    cJSON_Delete(r);
    refused("engram_commit", "{\"content\":\"Beta\",\"statements\":\"Beta is 1.\"}", "statements: must be an array");
}

/* What a memory needs, and what it is in numbers. */
static void care(void **state) {
    (void)state;
    cJSON *r;
    assert_int_equal(call("engram_commit", "{\"content\":\"Alpha\"}", NULL), EG_OK);
    assert_int_equal(call("engram_audit", "{}", &r), EG_OK);
    const cJSON *findings = pj_get(r, "findings"),
                *example = cJSON_GetArrayItem(pj_get(cJSON_GetArrayItem(findings, 0), "examples"), 0);
    assert_int_equal(cJSON_GetArraySize(findings), 1); /* not what was not found */
    assert_int_equal(pj_get(cJSON_GetArrayItem(findings, 0), "count")->valuedouble, 7);
    assert_string_equal(text_of(example, "text"), "Alpha");
    assert_string_equal(text_of(example, "detail"), "Beta");
    assert_non_null(pj_get(example, "conflict_id"));
    cJSON_Delete(r);
    assert_int_equal(call("engram_audit", "{\"verbose\":true}", &r), EG_OK);
    assert_int_equal(cJSON_GetArraySize(pj_get(r, "findings")), 2);
    cJSON_Delete(r);
    assert_int_equal(call("engram_stats", "{}", &r), EG_OK);
    assert_int_equal(cJSON_GetArraySize(pj_get(r, "facts")), 2);
    assert_string_equal(text_of(cJSON_GetArrayItem(pj_get(r, "by_agent"), 0), "name"), "a \"b\"");
    cJSON_Delete(r);
    assert_int_equal(call("engram_query", "{\"topic\":\"t\"}", &r), EG_OK);
    assert_string_equal(text_of(cJSON_GetArrayItem(pj_get(r, "results"), 0), "stale"), "a.c is not there any more");
    cJSON_Delete(r);
    assert_int_equal(call("engram_lineage", "{\"lineage_id\":\"l\"}", &r), EG_OK);
    assert_string_equal(text_of(cJSON_GetArrayItem(pj_get(r, "versions"), 0), "stale"), "a.c is not there any more");
    cJSON_Delete(r);
}

/* Who asks is the agent that a call names, else who the front end says. */
static void the_actor_of_a_call(void **state) {
    (void)state;
    assert_int_equal(call_verbose("engram_commit", "{\"content\":\"Eta is 1\",\"agent_id\":\"bob\"}", NULL), EG_OK);
    SAME(host.commit.agent_id, "bob");
    assert_int_equal(call_verbose("engram_commit", "{\"content\":\"Eta is 2\",\"agent_id\":\"\"}", NULL), EG_OK);
    SAME(host.commit.agent_id, "tester");
    /* a filter */
    assert_int_equal(call_verbose("engram_query", "{\"topic\":\"t\",\"agent_id\":\"bob\"}", NULL), EG_OK);
    SAME(host.actor, "tester");
    static const char settle[] = "{\"conflict_id\":\"00000001\",\"resolution_type\":\"winner\",\"resolution\":\"r\","
                                 "\"winning_fact_id\":\"00000002\",\"agent_id\":\"bob\"}";
    cJSON *r;
    assert_int_equal(call_verbose("engram_resolve", settle, &r), EG_OK);
    assert_string_equal(text_of(pj_get(r, "closed")->child, "closed_by"), "bob");
    assert_int_equal(pj_get(r, "undo_id")->valuedouble, 7);
    cJSON_Delete(r);
    /* again: there is nothing to undo */
    assert_int_equal(call_verbose("engram_resolve", settle, &r), EG_OK);
    assert_true(cJSON_IsNull(pj_get(r, "undo_id")));
    cJSON_Delete(r);
}

static void query_arguments(void **state) {
    (void)state;
    assert_int_equal(call("engram_query",
                          "{\"topic\":\"t\",\"scope\":\"s\",\"limit\":5,\"as_of\":\"2026-07-28\","
                          "\"fact_type\":\"inference\",\"agent_id\":\"a\",\"include_ephemeral\":true,"
                          "\"include_history\":true,\"prefer_scope\":true}",
                          NULL),
                     EG_OK);
    SAME(host.query.topic, "t");
    SAME(host.query.scope, "s");
    SAME(host.query.agent_id, "a");
    assert_int_equal(host.query.limit, 5);
    assert_int_equal(host.query.as_of, INT64_C(1785196800000000));
    assert_int_equal(host.query.fact_type, EG_FACT_INFERENCE);
    assert_int_equal(host.query.include_ephemeral + host.query.include_history, 2);
    assert_int_equal(host.query.flags, EG_QUERY_PREFER_SCOPE);
    assert_int_equal(call("engram_query", "{\"topic\":\"t\"}", NULL), EG_OK);
    assert_int_equal(host.query.fact_type, -1);
    assert_int_equal(host.query.limit + host.query.as_of + host.query.include_ephemeral, 0);
    assert_int_equal(host.query.flags, 0);
}

/* The setting `scope` stands in where a commit, a query or a check names none; a named one is
 * stronger; "/" goes through as it is. */
static void the_scope_of_the_setting(void **state) {
    (void)state;
    host.scope = "team/payments";
    assert_int_equal(call("engram_commit", "{\"content\":\"Beta\",\"scope\":\"\"}", NULL), EG_OK);
    SAME(host.commit.scope, "team/payments");
    assert_int_equal(call("engram_commit", "{\"content\":\"Beta\",\"scope\":\"a\"}", NULL), EG_OK);
    SAME(host.commit.scope, "a");
    assert_int_equal(call("engram_query", "{\"topic\":\"t\"}", NULL), EG_OK);
    SAME(host.query.scope, "team/payments");
    assert_int_equal(call("engram_query", "{\"topic\":\"t\",\"scope\":\"/\"}", NULL), EG_OK);
    SAME(host.query.scope, "/");
    assert_int_equal(call("engram_check", "{\"content\":\"One\",\"scope\":null}", NULL), EG_OK);
    SAME(host.check_scope, "team/payments");
    /* a list of what is wrong is not narrowed unasked */
    assert_int_equal(call("engram_conflicts", "{}", NULL), EG_OK);
    assert_int_equal(host.conflicts_scope.len, 0);
}

static void conflicts_arguments(void **state) {
    (void)state;
    static const struct {
        const char *arguments;
        int32_t status;
    } cases[] = {{"{}", EG_CONFLICT_OPEN},
                 {"{\"status\":\"resolved\"}", EG_CONFLICT_RESOLVED},
                 {"{\"status\":\"dismissed\"}", EG_CONFLICT_DISMISSED},
                 {"{\"status\":\"expired\"}", EG_CONFLICT_EXPIRED},
                 {"{\"status\":\"suspected\"}", EG_CONFLICT_SUSPECTED},
                 {"{\"status\":\"all\",\"scope\":\"s\"}", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(call_verbose("engram_conflicts", cases[i].arguments, NULL), EG_OK);
        assert_int_equal(host.conflicts_status, cases[i].status);
        /* one more than shown, to know whether there are more */
        assert_int_equal(host.conflicts_limit, 11);
    }
    SAME(host.conflicts_scope, "s");
    for (int i = 0; i < 4; i++) { /* 0+1+2+3 conflicts; an agent that made one is told what to do */
        char text[64];
        cJSON *r;
        snprintf(text, sizeof text, "{\"content\":\"Gamma is %d\"}", i);
        assert_int_equal(call_verbose("engram_commit", text, &r), EG_OK);
        assert_int_equal(pj_get(r, "next_step") != NULL, i > 0);
        if (i) assert_null(strstr(pj_get(r, "next_step")->valuestring, "corrects_lineage"));
        cJSON_Delete(r);
    }
    cJSON *r;
    assert_int_equal(call_verbose("engram_conflicts", "{\"limit\":6}", &r), EG_OK);
    assert_int_equal(cJSON_GetArraySize(pj_get(r, "conflicts")), 6);
    assert_true(cJSON_IsFalse(pj_get(r, "more")));
    cJSON_Delete(r);
    assert_int_equal(call_verbose("engram_conflicts", "{\"limit\":5}", &r), EG_OK);
    assert_int_equal(cJSON_GetArraySize(pj_get(r, "conflicts")), 5);
    assert_true(cJSON_IsTrue(pj_get(r, "more")) && !pj_get(r, "history"));
    const cJSON *third = cJSON_GetArrayItem(pj_get(r, "conflicts"), 2);
    char text[100];
    cJSON *one;
    snprintf(text, sizeof text, "{\"conflict_id\":\"%s\"}", pj_get(third, "conflict_id")->valuestring);
    assert_int_equal(call_verbose("engram_conflicts", text, &one), EG_OK);
    assert_int_equal(cJSON_GetArraySize(pj_get(one, "conflicts")), 1);
    assert_true(cJSON_Compare(cJSON_GetArrayItem(pj_get(one, "conflicts"), 0), third, 1));
    assert_true(cJSON_Compare(cJSON_GetArrayItem(pj_get(one, "history"), 0), pj_get(third, "fact_b"), 1));
    assert_true(cJSON_Compare(cJSON_GetArrayItem(pj_get(one, "history"), 1), pj_get(third, "fact_a"), 1));
    cJSON_Delete(one);
    cJSON_Delete(r);
    refused("engram_conflicts", "{\"conflict_id\":\"00000001\",\"limit\":5}", "conflict_id");
    refused("engram_conflicts", "{\"conflict_id\":\"00000001\",\"status\":\"all\"}", "conflict_id");
    refused("engram_conflicts", "{\"conflict_id\":\"00000001\",\"scope\":\"s\"}", "conflict_id");
    assert_int_equal(call_verbose("engram_conflicts", /* a form with its defaults */
                                  "{\"conflict_id\":\"00000001\",\"scope\":\"\",\"status\":\"open\",\"limit\":10}", NULL),
                     EG_OK);
    assert_int_equal(call_verbose("engram_conflicts", "{\"conflict_id\":\"00000000\"}", NULL), EG_ENOENT);
}

static void other_arguments(void **state) {
    (void)state;
    refused("engram_check", "{}", "statements");
    refused("engram_check", "{\"content\":\"a\",\"statements\":[\"b\"]}", "statements");
    assert_int_equal(call("engram_check", "{\"statements\":[\"One\",\"Two\"],\"scope\":\"s\"}", NULL), EG_OK);
    assert_int_equal(host.check.item_count, 2);
    assert_int_equal(host.check.against_store, 1);
    SAME(host.check_first, "One");
    assert_int_equal(call("engram_undo", "{\"undo_id\":9007199254740991}", NULL), EG_OK);
    assert_true(host.undo_id == INT64_C(9007199254740991));
    assert_int_equal(call("engram_feedback", "{\"conflict_id\":\"c\",\"feedback\":\"false_positive\"}", NULL), EG_OK);
    assert_int_equal(host.feedback, 0);
    assert_int_equal(call("engram_feedback", "{\"conflict_id\":\"c\",\"feedback\":\"true_positive\"}", NULL), EG_OK);
    assert_int_equal(host.feedback, 1);
    SAME(host.feedback_id, "c");
    assert_int_equal(call("engram_lineage", "{\"lineage_id\":\"l\"}", NULL), EG_OK);
    SAME(host.lineage_id, "l");
    refused("engram_resolve", "{\"conflict_id\":\"c\",\"resolution_type\":\"winner\",\"resolution\":\"r\"}", "winning_fact_id");
    refused("engram_resolve", "{\"conflict_id\":\"c\",\"resolution_type\":\"merge\",\"resolution\":\"r\"}",
            "merged_content: is missing");
}

/* --- results --- */

static void members_of_a_fact(void **state) {
    (void)state;
    static const char *const members[] = {
        "fact_id",       "lineage_id",         "content",          "scope",       "confidence", "fact_type",  "agent_id",
        "engineer",      "committed_at",       "valid_from",       "valid_until", "durability", "provenance", "verified",
        "artifact_hash", "supersedes_fact_id", "has_open_conflict"};
    call_verbose("engram_commit", "{\"content\":\"Delta is 1\"}", NULL);
    call_verbose("engram_commit", "{\"content\":\"Delta is 2\",\"provenance\":\"p\"}", NULL);
    host.facts[1].supersedes = host.facts[0].id;
    host.facts[1].valid_until = INT64_C(1785230400000001);
    cJSON *r;
    assert_int_equal(call_verbose("engram_query", "{\"topic\":\"t\"}", &r), EG_OK);
    assert_string_equal(r->child->string, "notice");
    const cJSON *hit = cJSON_GetArrayItem(pj_get(r, "results"), 1);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) assert_non_null(pj_get(hit, members[i]));
    assert_string_equal(text_of(hit, "fact_id"), "0198f000-0000-7001-8000-000000000002");
    assert_string_equal(text_of(hit, "supersedes_fact_id"), "0198f000-0000-7001-8000-000000000001");
    assert_string_equal(text_of(hit, "committed_at"), "2026-07-28T09:20:00.000001Z");
    assert_string_equal(text_of(hit, "valid_until"), "2026-07-28T09:20:00.000001Z");
    assert_string_equal(text_of(hit, "agent_id"), "tester");
    assert_string_equal(text_of(hit, "engineer"), "null");
    assert_true(cJSON_IsTrue(pj_get(hit, "verified")) && cJSON_IsTrue(pj_get(hit, "has_open_conflict")));
    assert_null(pj_get(hit, "closed_at"));
    assert_null(pj_get(hit, "truncated"));
    const cJSON *first = cJSON_GetArrayItem(pj_get(r, "results"), 0);
    assert_string_equal(text_of(first, "valid_until"), "null");
    assert_true(cJSON_IsFalse(pj_get(first, "verified")));
    cJSON_Delete(r);
    assert_int_equal(call_verbose("engram_resolve",
                                  "{\"conflict_id\":\"00000001\",\"resolution_type\":\"merge\",\"resolution\":\"r\","
                                  "\"merged_content\":\"Delta is 3\"}",
                                  &r),
                     EG_OK);
    const cJSON *merged = pj_get(r, "merged");
    assert_string_equal(text_of(merged, "content"), "Delta is 3");
    assert_string_equal(text_of(merged, "parent_a"), "0198f000-0000-7001-8000-000000000001");
    assert_int_equal(cJSON_GetArraySize(pj_get(r, "closed")), 2);
    assert_string_equal(text_of(pj_get(r, "closed")->child, "close_reason"), "merged");
    assert_string_equal(text_of(pj_get(r, "closed")->child, "closed_by"), "tester");
    cJSON_Delete(r);
    assert_int_equal(call_verbose("engram_conflicts", "{\"status\":\"all\"}", &r), EG_OK);
    const cJSON *c = pj_get(r, "conflicts")->child;
    assert_string_equal(text_of(c, "resolution_type"), "merge");
    assert_true(pj_get(c, "score")->valuedouble == 0.9877);
    cJSON_Delete(r);
    assert_int_equal(call_verbose("engram_commit", "{\"content\":\"nothing new\",\"operation\":\"none\"}", &r), EG_OK);
    assert_string_equal(text_of(r, "fact_id"), "null");
    assert_true(cJSON_IsNull(pj_get(r, "undo_id")));
    cJSON_Delete(r);
}

/* Commits n facts of `bytes` bytes, each of two-byte characters. */
static void commit_long(int n, size_t bytes) {
    char text[2 * EG_MAX_CONTENT];
    for (int i = 0; i < n; i++) {
        size_t len = (size_t)snprintf(text, sizeof text, "{\"content\":\"%c", i % 2 ? 'x' : ' ');
        size_t from = len - 1;
        while (len - from + 2 <= bytes) {
            text[len++] = '\xC3';
            text[len++] = '\xBC';
        }
        snprintf(text + len, sizeof text - len, "\"}");
        assert_int_equal(call("engram_commit", text, NULL), EG_OK);
    }
}

static size_t query_size(int limit, size_t *cut, size_t *longest) {
    char text[64];
    cJSON *r;
    snprintf(text, sizeof text, "{\"topic\":\"t\",\"limit\":%d}", limit);
    assert_int_equal(call("engram_query", text, &r), EG_OK);
    assert_int_equal(cJSON_GetArraySize(pj_get(r, "results")), limit); /* none is left out */
    const cJSON *hit;
    *cut = *longest = 0;
    cJSON_ArrayForEach(hit, pj_get(r, "results")) {
        size_t len = strlen(text_of(hit, "content"));
        if (len > *longest) *longest = len;
        *cut += pj_get(hit, "truncated") != NULL;
        if (pj_get(hit, "truncated")) assert_true(pj_get(hit, "content_bytes")->valuedouble > (double)len);
    }
    char *printed = cJSON_PrintUnformatted(r);
    size_t size = strlen(printed);
    cJSON_free(printed);
    cJSON_Delete(r);
    return size;
}

static void long_texts_are_cut(void **state) {
    (void)state;
    size_t cut, longest;
    commit_long(50, 8000);
    assert_true(query_size(1, &cut, &longest) < 16000);
    assert_int_equal(cut, 0); /* one fact is never cut */
    assert_true(longest > 7900);
    assert_true(query_size(10, &cut, &longest) <= 16000);
    assert_int_equal(cut, 10);
    assert_true(longest > 500);
    query_size(50, &cut, &longest);
    assert_int_equal(cut, 50);
    assert_in_range(longest, 150, 160);
}

/* One conflict shows its two facts whole, however long; in its history they are cut. */
static void a_pair_is_whole(void **state) {
    (void)state;
    for (size_t bytes = 3800; bytes <= 8000; bytes += 4200) {
        char word[2][8200], arguments[9000];
        for (int i = 0; i < 2; i++) {
            memset(word[i], 'a' + i, bytes);
            memcpy(word[i], "Theta ", 6);
            word[i][bytes] = 0;
            snprintf(arguments, sizeof arguments, "{\"content\":\"%s\",\"scope\":\"s/%zu\"}", word[i], bytes);
            assert_int_equal(call_verbose("engram_commit", arguments, NULL), EG_OK);
        }
        snprintf(arguments, sizeof arguments, "{\"conflict_id\":\"%08zu\"}", host.conflict_count);
        cJSON *r;
        assert_int_equal(call_verbose("engram_conflicts", arguments, &r), EG_OK);
        const cJSON *c = pj_get(r, "conflicts")->child, *old;
        assert_string_equal(text_of(pj_get(c, "fact_a"), "content"), word[0]);
        assert_string_equal(text_of(pj_get(c, "fact_b"), "content"), word[1]);
        assert_int_equal(cJSON_GetArraySize(pj_get(r, "history")), 2);
        cJSON_ArrayForEach(old, pj_get(r, "history")) {
            assert_int_equal(strlen(text_of(old, "content")), 160);
            assert_true(cJSON_IsTrue(pj_get(old, "truncated")));
        }
        cJSON_Delete(r);
    }
}

/* What a fact replaces by its own words, and who agrees; and how to close what is replaced. */
static void related_facts_are_told(void **state) {
    (void)state;
    cJSON *r;
    assert_int_equal(call("engram_commit", "{\"content\":\"Mu is 1\",\"agent_id\":\"ann\"}", &r), EG_OK);
    assert_null(pj_get(r, "related"));
    cJSON_Delete(r);
    assert_int_equal(call("engram_commit", "{\"content\":\"Nu is 1\",\"agent_id\":\"ben\"}", NULL), EG_OK);
    assert_int_equal(call("engram_commit", "{\"content\":\"Now Mu is 2\"}", &r), EG_OK);
    const cJSON *related = pj_get(r, "related");
    assert_int_equal(cJSON_GetArraySize(related), 2);
    assert_string_equal(text_of(related->child, "fact_id"), "000000000001");
    assert_string_equal(text_of(related->child, "outcome"), "update");
    assert_string_equal(text_of(related->child, "agent_id"), "ann");
    assert_string_equal(text_of(related->child, "why"), "said so");
    assert_string_equal(text_of(related->child->next, "outcome"), "same");
    assert_non_null(strstr(text_of(r, "next_step"), "operation update and corrects_lineage 000000000001"));
    cJSON_Delete(r);
}

/* What an agent gets: no nulls, no usual values, no notice, short ids, and of a conflict of its own
 * fact only the other one. */
static void agents_get_little(void **state) {
    (void)state;
    cJSON *r;
    assert_int_equal(call("engram_commit", "{\"content\":\"Kappa is 1\",\"agent_id\":\"ann\"}", &r), EG_OK);
    char *printed = cJSON_PrintUnformatted(r);
    assert_string_equal(printed, "{\"fact_id\":\"000000000001\",\"lineage_id\":\"000000000001\",\"operation\":\"add\","
                                 "\"conflicts\":[],\"detection\":\"done\",\"undo_id\":1002}");
    cJSON_free(printed);
    cJSON_Delete(r);
    assert_int_equal(call("engram_commit", "{\"content\":\"Kappa is 2\",\"agent_id\":\"ben\"}", &r), EG_OK);
    const cJSON *c = pj_get(r, "conflicts")->child;
    assert_string_equal(text_of(pj_get(c, "fact_a"), "content"), "Kappa is 1");
    assert_null(pj_get(c, "fact_b"));
    assert_null(pj_get(c, "status"));
    assert_string_equal(text_of(c, "conflict_id"), "000000000001");
    cJSON_Delete(r);
    assert_int_equal(call("engram_query", "{\"topic\":\"t\"}", &r), EG_OK);
    assert_int_equal(cJSON_GetArraySize(r), 1);
    const cJSON *hit = pj_get(r, "results")->child;
    static const char *const left_out[] = {"confidence",  "fact_type",         "engineer",   "valid_from",
                                           "valid_until", "durability",        "verified",   "relevance",
                                           "why",         "has_open_conflict", "provenance", "artifact_hash"};
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) assert_null(pj_get(hit, left_out[i]));
    assert_int_equal(strlen(text_of(hit, "committed_at")), 10);
    cJSON_Delete(r);
    assert_int_equal(call("engram_commit",
                          "{\"content\":\"Lambda is 1\",\"agent_id\":\"ann\",\"confidence\":0.4,\"fact_type\":\"decision\","
                          "\"provenance\":\"p\",\"scope\":\"s\"}",
                          NULL),
                     EG_OK);
    assert_int_equal(call("engram_query", "{\"topic\":\"t\"}", &r), EG_OK);
    hit = cJSON_GetArrayItem(pj_get(r, "results"), 2); /* what is not usual is said */
    assert_true(pj_get(hit, "confidence")->valuedouble == 0.4);
    assert_string_equal(text_of(hit, "fact_type"), "decision");
    assert_string_equal(text_of(hit, "provenance"), "p");
    assert_string_equal(text_of(hit, "scope"), "s");
    cJSON_Delete(r);
    refused("engram_query", "{\"topic\":\"t\",\"verbose\":1}", "verbose");
}

static void no_store(void **state) {
    (void)state;
    host.no_memory = 1;
    cJSON *r;
    assert_int_equal(call("engram_status", "{}", &r), EG_OK);
    assert_string_equal(text_of(r, "status"), "unconfigured");
    assert_true(strlen(text_of(r, "next_prompt")) > 20);
    assert_string_equal(text_of(r, "workspace"), "test");
    cJSON_Delete(r);
    for (size_t i = 1; i < host.registrar.tool_count; i++) {
        cJSON *arguments = enough_for(host.registrar.tools[i]->name);
        char *text = cJSON_PrintUnformatted(arguments);
        assert_int_equal(call(host.registrar.tools[i]->name, text, NULL), EG_ENOENT);
        assert_non_null(strstr(last_error.text, "engram_status"));
        cJSON_free(text);
        cJSON_Delete(arguments);
    }
    assert_int_equal(host.calls, 0);
}

static void failures_pass_through(void **state) {
    (void)state;
    host.fail = EG_EREADONLY;
    for (size_t i = 0; i < host.registrar.tool_count; i++) {
        cJSON *arguments = enough_for(host.registrar.tools[i]->name);
        char *text = cJSON_PrintUnformatted(arguments);
        assert_int_equal(call(host.registrar.tools[i]->name, text, NULL), EG_EREADONLY);
        assert_string_equal(last_error.text, "the made-up memory refuses");
        cJSON_free(text);
        cJSON_Delete(arguments);
    }
}

/* The n-th allocation fails, for every n until a call succeeds. */
static void allocations_fail(void **state) {
    (void)state;
    call("engram_commit", "{\"content\":\"Alpha is 0\"}", NULL);
    for (size_t i = 0; i < host.registrar.tool_count; i++) {
        cJSON *arguments = enough_for(host.registrar.tools[i]->name);
        char *text = cJSON_PrintUnformatted(arguments);
        eg_status st = EG_ENOMEM;
        for (size_t n = 0; n < 40 && st != EG_OK && st != EG_ENOENT; n++) {
            host.allocations_left = n;
            st = call(host.registrar.tools[i]->name, text, NULL);
            assert_true(st == EG_OK || st == EG_ENOMEM || st == EG_ENOENT);
        }
        assert_true(st == EG_OK || st == EG_ENOENT);
        host.allocations_left = SIZE_MAX;
        cJSON_free(text);
        cJSON_Delete(arguments);
    }
}

/* A commit asks about a pair, and the answer reaches the memory. */
static void reviews_are_asked_and_answered(void **state) {
    (void)state;
    cJSON *r;
    assert_int_equal(call_verbose("engram_commit", "{\"content\":\"Alpha is 1\"}", NULL), EG_OK);
    assert_int_equal(call_verbose("engram_commit", "{\"content\":\"Alpha is 2\"}", &r), EG_OK);
    assert_null(pj_get(r, "review"));
    cJSON_Delete(r);
    assert_int_equal(call_verbose("engram_commit", "{\"content\":\"Perhaps it is 3\"}", &r), EG_OK);
    const cJSON *review = cJSON_GetArrayItem(pj_get(r, "review"), 0);
    assert_string_equal(text_of(pj_get(review, "later"), "statement"), "Perhaps");
    assert_string_equal(text_of(pj_get(review, "later"), "content"), "Perhaps it is 3");
    /* no span: all of it */
    assert_string_equal(text_of(pj_get(review, "earlier"), "statement"), "Alpha is 1");
    assert_non_null(strstr(text_of(review, "question"), "engram_judge"));
    char arguments[200];
    snprintf(arguments, sizeof arguments, "{\"review_id\":\"%s\",\"verdict\":\"contradiction\",\"reason\":\"seen\"}",
             text_of(review, "review_id"));
    cJSON_Delete(r);
    assert_int_equal(call_verbose("engram_judge", arguments, &r), EG_OK);
    assert_int_equal(host.judge.verdict, EG_JUDGED_CONTRADICTION);
    SAME(host.judge.reason, "seen");
    assert_string_equal(text_of(r, "status"), "open");
    assert_non_null(pj_get(r, "next_step"));
    cJSON_Delete(r);
    refused("engram_judge", "{\"review_id\":\"1\",\"verdict\":\"maybe\",\"reason\":\"r\"}", "verdict");
}

/* --- listings --- */

static void listings(void **state) {
    (void)state;
    cJSON *r;
    static char long_text[EG_MAX_CONTENT + 100];
    for (int i = 0; i < 3; i++) {
        snprintf(long_text, sizeof long_text, "{\"content\":\"Fact%d %0*d\"}", i, 8000, i);
        assert_int_equal(call("engram_commit", long_text, NULL), EG_OK);
    }
    assert_int_equal(call("engram_facts",
                          "{\"scope\":\"a\",\"fact_type\":\"decision\",\"agent_id\":\"ag\",\"as_of\":\"2026-07-28\","
                          "\"since\":\"2026-07-27\",\"all\":true,\"limit\":7,\"cursor\":\"12\"}",
                          &r),
                     EG_OK);
    SAME(host.list.scope, "a");
    SAME(host.list.agent_id, "ag");
    assert_int_equal(host.list.fact_type, EG_FACT_DECISION);
    assert_true(host.list.as_of - host.list.since == INT64_C(86400000000));
    assert_true(host.list.flags == EG_LIST_ALL && host.list.limit == 7 && host.list.cursor == 12 && !host.list.ends_within);
    assert_string_equal(text_of(r, "next_cursor"), "17");
    /* an agent reads all of it: long texts are cut; a program gets them whole */
    const cJSON *first = cJSON_GetArrayItem(pj_get(r, "facts"), 0);
    assert_true(cJSON_IsTrue(pj_get(first, "truncated")) && strlen(text_of(first, "content")) < 8000);
    cJSON_Delete(r);
    assert_int_equal(call_verbose("engram_facts", "{}", &r), EG_OK);
    assert_int_equal(cJSON_GetArraySize(pj_get(r, "facts")), 3);
    assert_int_equal(strlen(text_of(cJSON_GetArrayItem(pj_get(r, "facts"), 0), "content")), 8006);
    assert_true(host.list.fact_type == -1 && host.list.limit == 20 && host.list.cursor == 0);
    cJSON_Delete(r);
    refused("engram_facts", "{\"cursor\":\"x\"}", "cursor");
    refused("engram_facts", "{\"cursor\":\"0\"}", "cursor");
    assert_int_equal(call("engram_expiring", "{\"within\":\"12h\"}", NULL), EG_OK);
    assert_true(host.list.ends_within == INT64_C(43200000000));
    assert_int_equal(call("engram_expiring", "{}", NULL), EG_OK);
    assert_true(host.list.ends_within == 7 * INT64_C(86400000000));
    refused("engram_expiring", "{\"within\":\"0d\"}", "within");
    refused("engram_expiring", "{\"within\":\"soon\"}", "within");
}

static void timelines(void **state) {
    (void)state;
    cJSON *r;
    call("engram_commit", "{\"content\":\"Alpha is 0\"}", NULL);
    call("engram_commit", "{\"content\":\"Alpha is 1\"}", NULL);
    call("engram_commit", "{\"content\":\"Gamma is 1\"}", NULL);
    assert_int_equal(call("engram_timeline",
                          "{\"scope\":\"a\",\"since\":\"2026-07-27\",\"until\":\"2026-07-28\",\"limit\":9,\"cursor\":\"7.0.7\"}",
                          &r),
                     EG_OK);
    SAME(host.timeline.scope, "a");
    SAME(host.timeline.cursor, "7.0.7");
    assert_true(host.timeline.limit == 9 && host.timeline.until - host.timeline.since == INT64_C(86400000000));
    const cJSON *events = pj_get(r, "events");
    assert_int_equal(cJSON_GetArraySize(events), 4);
    assert_string_equal(text_of(cJSON_GetArrayItem(events, 0), "event"), "added");
    assert_null(pj_get(cJSON_GetArrayItem(events, 0), "before"));
    assert_string_equal(text_of(pj_get(cJSON_GetArrayItem(events, 1), "before"), "content"), "Alpha is 0");
    assert_string_equal(text_of(cJSON_GetArrayItem(events, 3), "event"), "conflict");
    assert_non_null(pj_get(pj_get(cJSON_GetArrayItem(events, 3), "conflict"), "fact_b"));
    assert_string_equal(text_of(r, "next_cursor"), "5.0.1");
    cJSON_Delete(r);
    assert_int_equal(call("engram_timeline", "{\"since\":\"2026-07-27\",\"net\":true}", &r), EG_OK);
    assert_true(host.diff_from == INT64_C(1785110400000000) && host.diff_to == 0);
    static const char *const kinds[] = {"added", "changed", "closed"};
    for (int i = 0; i < 3; i++) assert_int_equal(cJSON_GetArraySize(pj_get(r, kinds[i])), 1);
    assert_string_equal(text_of(pj_get(cJSON_GetArrayItem(pj_get(r, "changed"), 0), "after"), "content"), "Gamma is 1");
    cJSON_Delete(r);
    refused("engram_timeline", "{\"net\":true}", "since: is missing");
    refused("engram_timeline", "{\"net\":true,\"since\":\"1d\",\"limit\":3}", "net");
}

static void marks(void **state) {
    (void)state;
    cJSON *r;
    call("engram_commit", "{\"content\":\"Alpha is 0\"}", NULL);
    static const char *const words[] = {"pin", "unpin", "archive", "restore"};
    for (int i = 0; i < 4; i++) {
        char arguments[100];
        snprintf(arguments, sizeof arguments, "{\"fact_id\":\"00000001\",\"mark\":\"%s\"}", words[i]);
        assert_int_equal(call("engram_mark", arguments, &r), EG_OK);
        assert_string_equal(host.marked, words[i]);
        assert_string_equal(text_of(r, "mark"), words[i]);
        assert_string_equal(text_of(pj_get(r, "fact"), "content"), "Alpha is 0");
        assert_true(cJSON_IsTrue(pj_get(pj_get(r, "fact"), "pinned")) == (i == 0));
        assert_true((pj_get(r, "undo_id") != NULL) == (i >= 2));
        cJSON_Delete(r);
    }
    assert_int_equal(call("engram_mark", "{\"fact_id\":\"1\",\"mark\":\"archive\",\"reason\":\"old\"}", NULL), EG_OK);
    SAME(host.reason, "old");
    refused("engram_mark", "{\"fact_id\":\"1\",\"mark\":\"pin\",\"reason\":\"old\"}", "reason");
}

/* Nothing is stored where one is malformed, and check only reads. One that is refused leaves the
 * others alone. */
static void batches(void **state) {
    (void)state;
    cJSON *r;
    refused("engram_commit_batch",
            "{\"facts\":[{\"content\":\"Alpha\"},{\"contents\":\"x\"},{\"content\":\"y\",\"confidence\":2}]}",
            "facts[1]: contents: unknown argument");
    refused("engram_commit_batch", "{\"facts\":[{\"content\":\"Alpha\"},{\"content\":\"y\",\"confidence\":2}]}",
            "facts[1]: confidence: must be 0 to 1, not 2: nothing was stored (1 of 2 are malformed)");
    refused("engram_commit_batch", "{\"facts\":[{\"content\":\"Alpha\"},{}]}", "facts[1]: content: is missing");
    assert_int_equal(call("engram_commit_batch", "{\"facts\":[{\"content\":\"Alpha\"}],\"check\":true}", &r), EG_OK);
    cJSON_Delete(r);
    assert_int_equal(host.fact_count, 0);
    assert_int_equal(call("engram_commit_batch",
                          "{\"facts\":[{\"content\":\"Alpha is 1\",\"scope\":\"a\"},{\"content\":\"Alpha is 2\",\"scope\":\"a\"},"
                          "{\"content\":\"Alpha is 3\",\"scope\":\"a\",\"agent_id\":\"ag\"}]}",
                          &r),
                     EG_OK);
    const cJSON *results = pj_get(r, "results");
    assert_int_equal(cJSON_GetArraySize(results), 3);
    assert_int_equal(cJSON_GetArraySize(pj_get(cJSON_GetArrayItem(results, 2), "conflicts")), 2);
    SAME(host.commit.agent_id, "ag");
    cJSON_Delete(r);
    assert_int_equal(host.fact_count, 3);
    host.fail = EG_EREFUSED; /* of more than one, each is told by itself; one alone is an error */
    assert_int_equal(call("engram_commit_batch", "{\"facts\":[{\"content\":\"Alpha\"},{\"content\":\"Beta\"}]}", &r), EG_OK);
    assert_int_equal(pj_get(r, "refused")->valueint, 2);
    assert_string_equal(text_of(cJSON_GetArrayItem(pj_get(r, "results"), 1), "error"), "the made-up memory refuses");
    cJSON_Delete(r);
    assert_int_equal(call("engram_commit_batch", "{\"facts\":[{\"content\":\"Alpha\"}]}", NULL), EG_EREFUSED);
}

/* A version names itself by the end or the beginning of its id; its conflicts come with it. */
static void a_lineage_has_its_conflicts(void **state) {
    (void)state;
    cJSON *r;
    call("engram_commit", "{\"content\":\"Alpha is 0\"}", NULL);
    assert_int_equal(call("engram_lineage", "{\"lineage_id\":\"00000001\"}", &r), EG_OK);
    assert_null(pj_get(r, "conflicts"));
    cJSON_Delete(r);
    call("engram_commit", "{\"content\":\"Alpha is 1\"}", NULL);
    assert_int_equal(call("engram_lineage", "{\"lineage_id\":\"00000002\"}", &r), EG_OK);
    const cJSON *conflict = cJSON_GetArrayItem(pj_get(r, "conflicts"), 0);
    assert_non_null(pj_get(conflict, "fact_a"));
    cJSON_Delete(r);
    static const char *const names[] = {"00000001", "0198f000-0000-7001-8000-000000000001"};
    for (int i = 0; i < 2; i++) {
        char arguments[100];
        snprintf(arguments, sizeof arguments, "{\"lineage_id\":\"%s\"}", names[i]);
        assert_int_equal(call_verbose("engram_lineage", arguments, &r), EG_OK);
        assert_string_equal(text_of(r, "fact_id"), "0198f000-0000-7001-8000-000000000001");
        cJSON_Delete(r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(listings),
        TEST(timelines),
        TEST(batches),
        TEST(marks),
        TEST(a_lineage_has_its_conflicts),
        TEST(reviews_are_asked_and_answered),
        TEST(commit_arguments),
        TEST(given_statements),
        TEST(care),
        TEST(an_update_that_was_added),
        TEST(the_actor_of_a_call),
        TEST(query_arguments),
        TEST(the_scope_of_the_setting),
        TEST(conflicts_arguments),
        TEST(other_arguments),
        TEST(members_of_a_fact),
        TEST(long_texts_are_cut),
        TEST(a_pair_is_whole),
        TEST(related_facts_are_told),
        TEST(agents_get_little),
        TEST(no_store),
        TEST(failures_pass_through),
        TEST(allocations_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
