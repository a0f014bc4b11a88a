/* tool_calls.c - see tool_calls.h. */
#include "tool_calls.h"

const eg_plugin *eg_plugin_memory(void);

fake_host host;
eg_error last_error;

int setup(void **state) {
    (void)state;
    eg_error err;
    fake_host_init(&host);
    return fake_host_open(&host, eg_plugin_memory(), &err) == EG_OK ? 0 : -1;
}

int teardown(void **state) {
    (void)state;
    fake_host_release(&host);
    return 0;
}

eg_status call(const char *tool, const char *arguments, cJSON **result) {
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

eg_status call_verbose(const char *tool, const char *arguments, cJSON **result) {
    cJSON *all = cJSON_Parse(arguments);
    assert_non_null(cJSON_AddTrueToObject(all, "verbose"));
    char *text = cJSON_PrintUnformatted(all);
    eg_status st = call(tool, text, result);
    cJSON_free(text);
    cJSON_Delete(all);
    return st;
}

void refused(const char *tool, const char *arguments, const char *word) {
    eg_status st = call(tool, arguments, NULL);
    if (st != EG_EINVAL || !strstr(last_error.text, word))
        fail_msg("%s %.200s: %d '%s', expected a refusal naming '%s'", tool, arguments, (int)st, last_error.text, word);
}

void accepted(const char *tool, const char *arguments) {
    if (call(tool, arguments, NULL) == EG_EINVAL) fail_msg("%s %.200s: refused: %s", tool, arguments, last_error.text);
}

const char *text_of(const cJSON *object, const char *key) {
    const cJSON *m = pj_get(object, key);
    return cJSON_IsString(m) ? m->valuestring : cJSON_IsNull(m) ? "null" : "(no text)";
}

cJSON *enough_for(const char *tool) {
    static const struct {
        const char *tool, *arguments;
    } all[] = {
        {"engram_status", "{}"},
        {"engram_query", "{\"topic\":\"t\"}"},
        {"engram_commit", "{\"content\":\"Alpha is 1\"}"},
        {"engram_conflicts", "{}"},
        {"engram_resolve", "{\"conflict_id\":\"1\",\"resolution_type\":\"dismissed\",\"resolution\":\"r\","
                           "\"winning_fact_id\":\"1\",\"merged_content\":\"m\"}"},
        {"engram_judge", "{\"review_id\":\"1\",\"verdict\":\"same\",\"reason\":\"r\"}"},
        {"engram_check", "{\"content\":\"Alpha is 1\"}"},
        {"engram_feedback", "{\"conflict_id\":\"1\",\"feedback\":\"true_positive\"}"},
        {"engram_undo", "{\"undo_id\":1}"},
        {"engram_promote", "{\"fact_id\":\"1\"}"},
        {"engram_lineage", "{\"lineage_id\":\"1\"}"},
        {"engram_facts", "{}"},
        {"engram_expiring", "{}"},
        {"engram_timeline", "{\"since\":\"1d\"}"},
        {"engram_commit_batch", "{\"facts\":[{\"content\":\"Alpha is 1\"}]}"},
        {"engram_mark", "{\"fact_id\":\"1\",\"mark\":\"archive\"}"},
        {"engram_audit", "{}"},
        {"engram_stats", "{}"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].tool, tool) == 0) return cJSON_Parse(all[i].arguments);
    fail_msg("no arguments for %s", tool);
    return NULL;
}
