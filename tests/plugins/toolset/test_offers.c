/* test_offers.c - the resources and the prompt of the memory toolset over a made-up memory: their
 * descriptions, failures, cut texts. */
#include "tool_calls.h"

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
    } all[] = {{"engram_status", EG_NEEDS_READ},        {"engram_query", EG_NEEDS_READ},    {"engram_conflicts", EG_NEEDS_READ},
               {"engram_check", EG_NEEDS_READ},         {"engram_lineage", EG_NEEDS_READ},  {"engram_commit", EG_NEEDS_WRITE},
               {"engram_feedback", EG_NEEDS_WRITE},     {"engram_judge", EG_NEEDS_WRITE},   {"engram_promote", EG_NEEDS_WRITE},
               {"engram_resolve", EG_NEEDS_RESOLVE},    {"engram_undo", EG_NEEDS_RESOLVE},  {"engram_facts", EG_NEEDS_READ},
               {"engram_expiring", EG_NEEDS_READ},      {"engram_timeline", EG_NEEDS_READ}, {"engram_mark", EG_NEEDS_WRITE},
               {"engram_commit_batch", EG_NEEDS_WRITE}, {"engram_audit", EG_NEEDS_READ},    {"engram_stats", EG_NEEDS_READ}};
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

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(offers_are_described),
        TEST(offers_fail_as_tools_do),
        TEST(a_prompt_cuts_long_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
