/* test_memory_tools.c - the memory tools over a made-up memory: arguments by each tool's own
 * schema, what reaches the memory, the members of results, cut texts, failures. (drive.py validates
 * results by the output schemas.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "args.h"
#include "fake_host.h"
#include "json.h"
#include "time_text.h"

const eg_plugin *eg_plugin_memory(void);

static fake_host host;
static eg_error last_error;

static int setup(void **state) {
    (void)state;
    eg_error err;
    fake_host_init(&host);
    return fake_host_open(&host, eg_plugin_memory(), &err) == EG_OK ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    fake_host_release(&host);
    return 0;
}

/* Calls a tool; *result (when not NULL) is the parsed result, to be deleted, or NULL. */
static eg_status call(const char *tool, const char *arguments, cJSON **result) {
    eg_request *rq;
    eg_tool_result out = {.size = sizeof out};
    if (result) *result = NULL;
    assert_int_equal(host.services.request_create(&host, NULL, &rq, &last_error), EG_OK);
    eg_status st = host.services.call_tool(&host, rq, tool, eg_str_of(arguments), &out);
    last_error = *rq->err;
    if (st == EG_OK) {
        pj_problem p;
        assert_int_equal(out.kind, EG_RESULT_COMPLETE);
        assert_int_equal(out.content_count, 0); /* what is structured is the text too */
        assert_true(pj_valid(out.structured, &p));
        if (result) *result = pj_parse(out.structured, &p);
        if (result) assert_true(cJSON_IsObject(*result));
    } else {
        assert_int_equal(last_error.code, st);
        assert_true(last_error.text[0]);
    }
    host.services.request_release(&host, rq);
    return st;
}

static void refused(const char *tool, const char *arguments, const char *word) {
    eg_status st = call(tool, arguments, NULL);
    if (st != EG_EINVAL || !strstr(last_error.text, word))
        fail_msg("%s %.200s: %d '%s', expected a refusal naming '%s'", tool, arguments, (int)st, last_error.text, word);
}

static void accepted(const char *tool, const char *arguments) {
    if (call(tool, arguments, NULL) == EG_EINVAL) fail_msg("%s %.200s: refused: %s", tool, arguments, last_error.text);
}

static const char *text_of(const cJSON *object, const char *key) {
    const cJSON *m = pj_get(object, key);
    return cJSON_IsString(m) ? m->valuestring : cJSON_IsNull(m) ? "null" : "(no text)";
}

/* --- arguments, driven by the schemas --- */

/* Arguments that are enough for a tool, and with which any other one may be given. */
static cJSON *enough_for(const char *tool) {
    static const struct {
        const char *tool, *arguments;
    } all[] = {
        {"engram_status", "{}"},
        {"engram_query", "{\"topic\":\"t\"}"},
        {"engram_commit", "{\"content\":\"Alpha is 1\"}"},
        {"engram_conflicts", "{}"},
        {"engram_resolve", "{\"conflict_id\":\"1\",\"resolution_type\":\"merge\",\"resolution\":\"r\","
                           "\"winning_fact_id\":\"1\"}"},
        {"engram_judge", "{\"review_id\":\"1\",\"verdict\":\"same\",\"reason\":\"r\"}"},
        {"engram_check", "{\"content\":\"Alpha is 1\"}"},
        {"engram_feedback", "{\"conflict_id\":\"1\",\"feedback\":\"true_positive\"}"},
        {"engram_undo", "{\"undo_id\":1}"},
        {"engram_promote", "{\"fact_id\":\"1\"}"},
        {"engram_lineage", "{\"lineage_id\":\"1\"}"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].tool, tool) == 0) return cJSON_Parse(all[i].arguments);
    fail_msg("no arguments for %s", tool);
    return NULL;
}

/* Calls the tool with value (taken) as the argument `name`; must says whether it is to be accepted.
 */
static void try_value(const eg_tool *tool, const char *name, cJSON *value, int must) {
    cJSON *arguments = enough_for(tool->name);
    assert_non_null(value);
    cJSON_DeleteItemFromObjectCaseSensitive(arguments, name);
    if (strcmp(name, "statements") == 0) cJSON_DeleteItemFromObjectCaseSensitive(arguments, "content");
    cJSON_AddItemToObject(arguments, name, value);
    char *text = cJSON_PrintUnformatted(arguments);
    if (must) accepted(tool->name, text);
    else refused(tool->name, text, name);
    cJSON_free(text);
    cJSON_Delete(arguments);
}

static cJSON *long_text(size_t n) {
    char *p = malloc(n + 1);
    assert_non_null(p);
    memset(p, 'a', n);
    p[n] = 0;
    cJSON *text = cJSON_CreateString(p);
    free(p);
    return text;
}

static int is_required(const cJSON *schema, const char *name) {
    const cJSON *word;
    cJSON_ArrayForEach(word, pj_get(schema, "required")) if (strcmp(word->valuestring, name) == 0) return 1;
    return 0;
}

static void try_text(const eg_tool *tool, const cJSON *property, int required) {
    const cJSON *most = pj_get(property, "maxLength"), *words = pj_get(property, "enum"), *word;
    cJSON_ArrayForEach(word, words) try_value(tool, property->string, cJSON_CreateString(word->valuestring), 1);
    if (words) {
        try_value(tool, property->string, cJSON_CreateString("nonsense"), 0);
        try_value(tool, property->string, cJSON_CreateString(""), !required);
    }
    if (most) {
        try_value(tool, property->string, long_text((size_t)most->valuedouble), 1);
        try_value(tool, property->string, long_text((size_t)most->valuedouble + 1), 0);
    }
    try_value(tool, property->string, cJSON_CreateNumber(1), 0);
}

static void try_number(const eg_tool *tool, const cJSON *property, int whole) {
    double low = pj_get(property, "minimum")->valuedouble, high = pj_get(property, "maximum")->valuedouble;
    try_value(tool, property->string, cJSON_CreateNumber(low), 1);
    try_value(tool, property->string, cJSON_CreateNumber(high), 1);
    try_value(tool, property->string, cJSON_CreateNumber(low - 1), 0);
    try_value(tool, property->string, cJSON_CreateNumber(high > 1e15 ? high * 2 : high + 1), 0);
    try_value(tool, property->string, cJSON_CreateNumber(low + 0.5), !whole);
    try_value(tool, property->string, cJSON_CreateString("1"), 0);
    try_value(tool, property->string, cJSON_CreateBool(1), 0);
}

static void try_texts(const eg_tool *tool, const cJSON *property) {
    size_t most = (size_t)pj_get(property, "maxItems")->valuedouble;
    for (size_t n = most; n <= most + 1; n++) {
        cJSON *list = cJSON_CreateArray();
        for (size_t i = 0; i < n; i++) cJSON_AddItemToArray(list, cJSON_CreateString("Beta is 2"));
        try_value(tool, property->string, list, n == most);
    }
    static const char *const wrong[] = {"[]", "[1]", "[\"a\",\"\"]", "[null]", "[[\"a\"]]", "{}", "\"a\""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) try_value(tool, property->string, cJSON_Parse(wrong[i]), 0);
}

static void try_property(const eg_tool *tool, const cJSON *schema, const cJSON *property) {
    const char *type = pj_get(property, "type")->valuestring, *name = property->string;
    if (strcmp(type, "string") == 0) try_text(tool, property, is_required(schema, name));
    if (strcmp(type, "number") == 0) try_number(tool, property, 0);
    if (strcmp(type, "integer") == 0) try_number(tool, property, 1);
    if (strcmp(type, "array") == 0) try_texts(tool, property);
    if (strcmp(type, "boolean") == 0) {
        try_value(tool, name, cJSON_CreateBool(1), 1);
        try_value(tool, name, cJSON_CreateBool(0), 1);
        try_value(tool, name, cJSON_CreateString("true"), 0);
        try_value(tool, name, cJSON_CreateNumber(1), 0);
    }
    try_value(tool, name, cJSON_CreateObject(), 0);
    if (!is_required(schema, name)) {
        /* null is "not given"; of check's two, one must be */
        if (strcmp(tool->name, "engram_check") != 0) try_value(tool, name, cJSON_CreateNull(), 1);
        return;
    }
    try_value(tool, name, cJSON_CreateNull(), 0);
    cJSON *without = enough_for(tool->name);
    cJSON_DeleteItemFromObjectCaseSensitive(without, name);
    char *text = cJSON_PrintUnformatted(without);
    refused(tool->name, text, name);
    cJSON_free(text);
    cJSON_Delete(without);
}

static void arguments_follow_the_schemas(void **state) {
    (void)state;
    assert_int_equal(host.registrar.tool_count, 11);
    for (size_t i = 0; i < host.registrar.tool_count; i++) {
        const eg_tool *tool = host.registrar.tools[i];
        cJSON *schema = cJSON_Parse(tool->input_schema);
        assert_non_null(schema);
        assert_true(cJSON_IsFalse(pj_get(schema, "additionalProperties")));
        const cJSON *property;
        cJSON_ArrayForEach(property, pj_get(schema, "properties")) try_property(tool, schema, property);
        try_value(tool, "unheard_of", cJSON_CreateNumber(1), 0);
        try_value(tool, "Topic", cJSON_CreateString("t"), 0);
        static const char *const wrong[] = {"", "[]", "null", "5", "{\"a\":1", "{\"\\u0000\":1}", "{\"a\":1,\"a\":2}"};
        for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
            refused(tool->name, wrong[k], strchr(wrong[k], 'a') && strchr(wrong[k], '}') ? "a: is given twice" : "arguments");
        cJSON_Delete(schema);
    }
}

static void tools_are_described(void **state) {
    (void)state;
    size_t words = 0;
    for (size_t i = 0; i < host.registrar.tool_count; i++) {
        const eg_tool *tool = host.registrar.tools[i];
        assert_int_equal(tool->size, sizeof(eg_tool));
        assert_true(strncmp(tool->name, "engram_", 7) == 0);
        assert_true(tool->title[0] && tool->description[0]);
        assert_int_equal(tool->profile, i < 7 ? EG_PROFILE_CORE : EG_PROFILE_TEAM);
        if (tool->profile == EG_PROFILE_CORE) words += strlen(tool->description) + strlen(tool->input_schema);
        cJSON *schema = cJSON_Parse(tool->output_schema);
        assert_non_null(schema);
        assert_string_equal(text_of(schema, "type"), "object");
        cJSON_Delete(schema);
        /* an agent that gives it loses what it found */
        assert_null(strstr(tool->input_schema, "\"none\""));
        assert_true(!strstr(tool->input_schema, "8192") || strstr(tool->input_schema, "max 8192 bytes"));
    }
    assert_true(words < 6000); /* some 1,500 tokens for the whole core profile */
}

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

/* Who asks is the agent that a call names, else who the front end says. */
static void the_actor_of_a_call(void **state) {
    (void)state;
    assert_int_equal(call("engram_commit", "{\"content\":\"Eta is 1\",\"agent_id\":\"bob\"}", NULL), EG_OK);
    SAME(host.commit.agent_id, "bob");
    assert_int_equal(call("engram_commit", "{\"content\":\"Eta is 2\",\"agent_id\":\"\"}", NULL), EG_OK);
    SAME(host.commit.agent_id, "tester");
    /* a filter */
    assert_int_equal(call("engram_query", "{\"topic\":\"t\",\"agent_id\":\"bob\"}", NULL), EG_OK);
    SAME(host.actor, "tester");
    static const char settle[] = "{\"conflict_id\":\"00000001\",\"resolution_type\":\"winner\",\"resolution\":\"r\","
                                 "\"winning_fact_id\":\"00000002\",\"agent_id\":\"bob\"}";
    cJSON *r;
    assert_int_equal(call("engram_resolve", settle, &r), EG_OK);
    assert_string_equal(text_of(pj_get(r, "closed")->child, "closed_by"), "bob");
    assert_int_equal(pj_get(r, "undo_id")->valuedouble, 7);
    cJSON_Delete(r);
    /* again: there is nothing to undo */
    assert_int_equal(call("engram_resolve", settle, &r), EG_OK);
    assert_true(cJSON_IsNull(pj_get(r, "undo_id")));
    cJSON_Delete(r);
}

static void query_arguments(void **state) {
    (void)state;
    assert_int_equal(call("engram_query",
                          "{\"topic\":\"t\",\"scope\":\"s\",\"limit\":5,\"as_of\":\"2026-07-28\","
                          "\"fact_type\":\"inference\",\"agent_id\":\"a\",\"include_ephemeral\":true,"
                          "\"include_history\":true}",
                          NULL),
                     EG_OK);
    SAME(host.query.topic, "t");
    SAME(host.query.scope, "s");
    SAME(host.query.agent_id, "a");
    assert_int_equal(host.query.limit, 5);
    assert_int_equal(host.query.as_of, INT64_C(1785196800000000));
    assert_int_equal(host.query.fact_type, EG_FACT_INFERENCE);
    assert_int_equal(host.query.include_ephemeral + host.query.include_history, 2);
    assert_int_equal(call("engram_query", "{\"topic\":\"t\"}", NULL), EG_OK);
    assert_int_equal(host.query.fact_type, -1);
    assert_int_equal(host.query.limit + host.query.as_of + host.query.include_ephemeral, 0);
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
        assert_int_equal(call("engram_conflicts", cases[i].arguments, NULL), EG_OK);
        assert_int_equal(host.conflicts_status, cases[i].status);
        /* one more than shown, to know whether there are more */
        assert_int_equal(host.conflicts_limit, 11);
    }
    SAME(host.conflicts_scope, "s");
    for (int i = 0; i < 4; i++) { /* 0+1+2+3 conflicts; an agent that made one is told what to do */
        char text[64];
        cJSON *r;
        snprintf(text, sizeof text, "{\"content\":\"Gamma is %d\"}", i);
        assert_int_equal(call("engram_commit", text, &r), EG_OK);
        assert_int_equal(pj_get(r, "next_step") != NULL, i > 0);
        cJSON_Delete(r);
    }
    cJSON *r;
    assert_int_equal(call("engram_conflicts", "{\"limit\":6}", &r), EG_OK);
    assert_int_equal(cJSON_GetArraySize(pj_get(r, "conflicts")), 6);
    assert_true(cJSON_IsFalse(pj_get(r, "more")));
    cJSON_Delete(r);
    assert_int_equal(call("engram_conflicts", "{\"limit\":5}", &r), EG_OK);
    assert_int_equal(cJSON_GetArraySize(pj_get(r, "conflicts")), 5);
    assert_true(cJSON_IsTrue(pj_get(r, "more")) && !pj_get(r, "history"));
    const cJSON *third = cJSON_GetArrayItem(pj_get(r, "conflicts"), 2);
    char text[100];
    cJSON *one;
    snprintf(text, sizeof text, "{\"conflict_id\":\"%s\"}", pj_get(third, "conflict_id")->valuestring);
    assert_int_equal(call("engram_conflicts", text, &one), EG_OK);
    assert_int_equal(cJSON_GetArraySize(pj_get(one, "conflicts")), 1);
    assert_true(cJSON_Compare(cJSON_GetArrayItem(pj_get(one, "conflicts"), 0), third, 1));
    assert_true(cJSON_Compare(cJSON_GetArrayItem(pj_get(one, "history"), 0), pj_get(third, "fact_b"), 1));
    assert_true(cJSON_Compare(cJSON_GetArrayItem(pj_get(one, "history"), 1), pj_get(third, "fact_a"), 1));
    cJSON_Delete(one);
    cJSON_Delete(r);
    refused("engram_conflicts", "{\"conflict_id\":\"00000001\",\"limit\":5}", "conflict_id");
    refused("engram_conflicts", "{\"conflict_id\":\"00000001\",\"status\":\"all\"}", "conflict_id");
    refused("engram_conflicts", "{\"conflict_id\":\"00000001\",\"scope\":\"s\"}", "conflict_id");
    assert_int_equal(call("engram_conflicts", /* a form with its defaults */
                          "{\"conflict_id\":\"00000001\",\"scope\":\"\",\"status\":\"open\",\"limit\":10}", NULL),
                     EG_OK);
    assert_int_equal(call("engram_conflicts", "{\"conflict_id\":\"00000000\"}", NULL), EG_ENOENT);
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
}

/* --- results --- */

static void members_of_a_fact(void **state) {
    (void)state;
    static const char *const members[] = {
        "fact_id",       "lineage_id",         "content",          "scope",       "confidence", "fact_type",  "agent_id",
        "engineer",      "committed_at",       "valid_from",       "valid_until", "durability", "provenance", "verified",
        "artifact_hash", "supersedes_fact_id", "has_open_conflict"};
    call("engram_commit", "{\"content\":\"Delta is 1\"}", NULL);
    call("engram_commit", "{\"content\":\"Delta is 2\",\"provenance\":\"p\"}", NULL);
    host.facts[1].supersedes = host.facts[0].id;
    host.facts[1].valid_until = INT64_C(1785230400000001);
    cJSON *r;
    assert_int_equal(call("engram_query", "{\"topic\":\"t\"}", &r), EG_OK);
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
    assert_int_equal(call("engram_resolve",
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
    assert_int_equal(call("engram_conflicts", "{\"status\":\"all\"}", &r), EG_OK);
    const cJSON *c = pj_get(r, "conflicts")->child;
    assert_string_equal(text_of(c, "resolution_type"), "merge");
    assert_true(pj_get(c, "score")->valuedouble == 0.9877);
    cJSON_Delete(r);
    assert_int_equal(call("engram_commit", "{\"content\":\"nothing new\",\"operation\":\"none\"}", &r), EG_OK);
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
            assert_int_equal(call("engram_commit", arguments, NULL), EG_OK);
        }
        snprintf(arguments, sizeof arguments, "{\"conflict_id\":\"%08zu\"}", host.conflict_count);
        cJSON *r;
        assert_int_equal(call("engram_conflicts", arguments, &r), EG_OK);
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

/* --- resources and prompts --- */

/* Reads a resource (uri not NULL) or gets the prompt with these arguments. The status; of EG_OK a
 * result is given. */
static eg_status offer(const char *uri, const char *arguments) {
    eg_request *rq;
    eg_tool_result out = {.size = sizeof out};
    assert_int_equal(host.services.request_create(&host, NULL, &rq, &last_error), EG_OK);
    eg_status st = uri ? host.services.read_resource(&host, rq, eg_str_of(uri), &out)
                       : host.services.get_prompt(&host, rq, "settle_conflicts", eg_str_of(arguments), &out);
    last_error = *rq->err;
    assert_int_equal(out.kind, EG_RESULT_COMPLETE);
    if (st == EG_OK && uri) {
        pj_problem p;
        assert_true(pj_valid(out.structured, &p));
    } else if (st == EG_OK) {
        assert_int_equal(out.content_count, 1);
        assert_int_equal(out.content->kind, EG_CONTENT_TEXT);
        assert_int_equal(strlen(out.content->text.ptr), out.content->text.len);
        assert_null(memchr(out.content->text.ptr, '\xFF', out.content->text.len));
    } else {
        assert_int_equal(last_error.code, st);
    }
    host.services.request_release(&host, rq);
    return st;
}

#define A_FACT "engram://facts/019830f0-0000-0000-7001-800000000001"
#define A_CONFLICT "engram://conflicts/00000001"

static void offers_are_described(void **state) {
    (void)state;
    assert_int_equal(host.registrar.resource_count, 2);
    assert_int_equal(host.registrar.prompt_count, 1);
    for (size_t i = 0; i < host.registrar.resource_count; i++) {
        assert_int_equal(host.registrar.resources[i]->size, sizeof(eg_resource));
        assert_int_equal(host.registrar.resources[i]->needs, EG_NEEDS_READ);
        assert_true(strlen(host.registrar.resources[i]->description) > 20);
    }
    assert_int_equal(host.registrar.prompts[0]->needs, EG_NEEDS_RESOLVE);
    static const struct {
        const char *tool;
        uint32_t needs;
    } all[] = {{"engram_status", EG_NEEDS_READ},     {"engram_query", EG_NEEDS_READ},   {"engram_conflicts", EG_NEEDS_READ},
               {"engram_check", EG_NEEDS_READ},      {"engram_lineage", EG_NEEDS_READ}, {"engram_commit", EG_NEEDS_WRITE},
               {"engram_feedback", EG_NEEDS_WRITE},  {"engram_judge", EG_NEEDS_WRITE},  {"engram_promote", EG_NEEDS_WRITE},
               {"engram_resolve", EG_NEEDS_RESOLVE}, {"engram_undo", EG_NEEDS_RESOLVE}};
    for (size_t i = 0; i < host.registrar.tool_count; i++) {
        size_t k = 0;
        while (strcmp(all[k].tool, host.registrar.tools[i]->name) != 0) k++;
        assert_int_equal(host.registrar.tools[i]->needs, all[k].needs);
        assert_true((host.registrar.tools[i]->needs == EG_NEEDS_READ) ==
                    ((host.registrar.tools[i]->flags & EG_TOOL_READ_ONLY) != 0));
    }
}

static void offers_fail_as_tools_do(void **state) {
    (void)state;
    call("engram_commit", "{\"content\":\"Alpha is 0\"}", NULL);
    call("engram_commit", "{\"content\":\"Alpha is 1\"}", NULL);
    for (int i = 0; i < 3; i++) {
        const char *uri = i == 0 ? A_FACT : i == 1 ? A_CONFLICT : NULL;
        eg_status st = EG_ENOMEM;
        assert_int_equal(offer(uri, "{}"), EG_OK);
        for (size_t n = 0; n < 40 && st != EG_OK; n++) {
            host.allocations_left = n;
            st = offer(uri, "{\"scope\":\"a\"}");
            assert_true(st == EG_OK || st == EG_ENOMEM || st == EG_ENOENT);
        }
        assert_int_equal(st, EG_OK);
        host.allocations_left = SIZE_MAX;
        host.fail = EG_EREADONLY;
        assert_int_equal(offer(uri, "{}"), EG_EREADONLY);
        host.fail = EG_OK;
        host.no_memory = 1;
        assert_int_equal(offer(uri, "{}"), EG_ENOENT);
        host.no_memory = 0;
    }
    assert_int_equal(offer(NULL, "{\"scop\":\"a\"}"), EG_EINVAL);
    assert_non_null(strstr(last_error.text, "scop: unknown argument"));
    assert_int_equal(offer("engram://facts/", NULL), EG_ENOENT);
}

/* A prompt stays readable whatever was stored: long texts are cut at a code point. */
static void a_prompt_cuts_long_texts(void **state) {
    (void)state;
    char arguments[9000];
    /* 25 facts of one first word: 300 conflicts, of which 20 are listed */
    for (int i = 0; i < 25; i++) {
        size_t n = (size_t)snprintf(arguments, sizeof arguments, "{\"content\":\"Alpha %d ", i);
        for (; n < 8100; n += 2) memcpy(arguments + n, "\xC3\xBC", 2);
        memcpy(arguments + n, "\"}", 3);
        assert_int_equal(call("engram_commit", arguments, NULL), EG_OK);
    }
    assert_int_equal(offer(NULL, "{}"), EG_OK);
    eg_request *rq;
    eg_tool_result out = {.size = sizeof out};
    assert_int_equal(host.services.request_create(&host, NULL, &rq, &last_error), EG_OK);
    assert_int_equal(host.services.get_prompt(&host, rq, "settle_conflicts", EG_STR("{}"), &out), EG_OK);
    assert_non_null(strstr(out.content->text.ptr, "20. conflict_id"));
    assert_null(strstr(out.content->text.ptr, "21. conflict_id"));
    assert_non_null(strstr(out.content->text.ptr, "there are more"));
    assert_true(out.content->text.len < 60000);
    pj_out o = {0};
    pj_str(&o, out.content->text);
    assert_null(memmem(o.p, o.len, "\xEF\xBF\xBD", 3)); /* no half of a character */
    pj_release(&o);
    host.services.request_release(&host, rq);
}

/* --- times --- */

static void times_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t seconds, micros;
    } good[] = {{"1970-01-01", 0, 0},
                {"1970-01-01T00:00:01Z", 1, 0},
                {"1969-12-31T23:59:59.5Z", -1, 500000},
                {"2026-07-28T09:30:00Z", 1785231000, 0},
                {"2026-07-28t09:30:00.123456789z", 1785231000, 123456},
                {"2026-07-28 09:30", 1785231000, 0},
                {"2026-07-28T11:30:00+02:00", 1785231000, 0},
                {"2026-07-28T05:00:00-0430", 1785231000, 0},
                {"2000-02-29", 951782400, 0},
                {"2100-03-01", 4107542400, 0},
                {"0001-01-01", -62135596800, 0},
                {"9999-12-31T23:59:59.999999Z", 253402300799, 999999},
                {"2016-12-31T23:59:60Z", 1483228800, 0}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        int64_t t = -1;
        if (!mt_time_parse(eg_str_of(good[i].text), &t)) fail_msg("%s was refused", good[i].text);
        assert_true(t == good[i].seconds * 1000000 + good[i].micros);
    }
    static const char *const bad[] = {"",
                                      "2026",
                                      "2026-7-28",
                                      "2026-07-28T",
                                      "2026-07-28T09",
                                      "2026-07-28T9:30",
                                      "2026-02-29",
                                      "2100-02-29",
                                      "2026-13-01",
                                      "2026-00-01",
                                      "2026-01-00",
                                      "2026-01-32",
                                      "0000-01-01",
                                      "2026-07-28T24:00:00Z",
                                      "2026-07-28T09:60:00Z",
                                      "2026-07-28T09:30:61Z",
                                      "2026-07-28T09:30:00.Z",
                                      "2026-07-28T09:30:00+",
                                      "2026-07-28T09:30:00+2",
                                      "2026-07-28Z",
                                      "2026-07-28T09:30:00+24:00",
                                      "2026-07-28T09:30:00Zx",
                                      "yesterday",
                                      "-2026-07-28",
                                      "2026-07-28T09:30:00 Z"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t t;
        if (mt_time_parse(eg_str_of(bad[i]), &t)) fail_msg("'%s' was taken for a time", bad[i]);
    }
}

static void times_come_back(void **state) {
    (void)state;
    char text[TIME_TEXT];
    /* every 17 h and a bit over ten thousand years */
    for (int64_t t = INT64_C(-62135596800000000); t <= INT64_C(253402300799999999); t += INT64_C(61234567890123)) {
        int64_t back = 0;
        eg_str s = mt_time_format(t, text);
        assert_true(s.len == 27 && mt_time_parse(s, &back) && back == t);
    }
    assert_string_equal(mt_time_format(INT64_MAX, text).ptr, "9999-12-31T23:59:59.999999Z");
    assert_string_equal(mt_time_format(INT64_MIN, text).ptr, "0001-01-01T00:00:00.000000Z");
    assert_string_equal(mt_time_format(-1, text).ptr, "1969-12-31T23:59:59.999999Z");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* A commit asks about a pair, and the answer reaches the memory. */
static void reviews_are_asked_and_answered(void **state) {
    (void)state;
    cJSON *r;
    assert_int_equal(call("engram_commit", "{\"content\":\"Alpha is 1\"}", NULL), EG_OK);
    assert_int_equal(call("engram_commit", "{\"content\":\"Alpha is 2\"}", &r), EG_OK);
    assert_null(pj_get(r, "review"));
    cJSON_Delete(r);
    assert_int_equal(call("engram_commit", "{\"content\":\"Perhaps it is 3\"}", &r), EG_OK);
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
    assert_int_equal(call("engram_judge", arguments, &r), EG_OK);
    assert_int_equal(host.judge.verdict, EG_JUDGED_CONTRADICTION);
    SAME(host.judge.reason, "seen");
    assert_string_equal(text_of(r, "status"), "open");
    assert_non_null(pj_get(r, "next_step"));
    cJSON_Delete(r);
    refused("engram_judge", "{\"review_id\":\"1\",\"verdict\":\"maybe\",\"reason\":\"r\"}", "verdict");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(reviews_are_asked_and_answered),
        TEST(arguments_follow_the_schemas),
        TEST(tools_are_described),
        TEST(commit_arguments),
        TEST(the_actor_of_a_call),
        TEST(query_arguments),
        TEST(the_scope_of_the_setting),
        TEST(conflicts_arguments),
        TEST(other_arguments),
        TEST(members_of_a_fact),
        TEST(long_texts_are_cut),
        TEST(a_pair_is_whole),
        TEST(no_store),
        TEST(failures_pass_through),
        TEST(allocations_fail),
        TEST(offers_are_described),
        TEST(offers_fail_as_tools_do),
        TEST(a_prompt_cuts_long_texts),
        TEST(times_are_read),
        TEST(times_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
