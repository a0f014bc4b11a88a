/* test_toolsets.c - tools, resources and prompts by name and URI: who may use them, and how results
 * cross the border. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/host/internal.h"
#include "tests/support/request.h"

enum { NEEDS = EG_NEEDS_ADMIN + 1 };

static eg_host *host;
static size_t calls;
static char last_uri[64];
static const char *const names[NEEDS] = {"nothing", "read", "write", "resolve", "admin"};
static const eg_content hello = {.kind = EG_CONTENT_TEXT, .text = {"hello", 5}};

static eg_status answer(void *self, const eg_services *services, eg_request *rq, eg_str text, eg_tool_result *out) {
    (void)self, (void)services, (void)rq;
    calls++;
    snprintf(last_uri, sizeof last_uri, "%.*s", (int)text.len, text.ptr);
    out->content = &hello;
    out->content_count = 1;
    out->structured = EG_STR("{}");
    return EG_OK;
}

static int set_up(void **state) {
    (void)state;
    host = calloc(1, sizeof *host);
    if (!host) return -1;
    eg_registrar *r = &host->plugins.registrar;
    host->services = (eg_services){.size = sizeof host->services, .host = host};
    eg_plugins_fill_services(&host->services);
    eg_host_fill_toolset_services(&host->services);
    r->is_open = 1;
    static char templates[NEEDS][40];
    for (uint32_t i = 0; i < NEEDS; i++) {
        snprintf(templates[i], sizeof templates[i], "test://%s/{id}/text", names[i]);
        const eg_tool tool = {.size = sizeof tool, .needs = i, .name = names[i], .input_schema = "{}", .call = answer};
        const eg_resource resource = {
            .size = sizeof resource, .needs = i, .name = names[i], .uri_template = templates[i], .read = answer};
        const eg_prompt prompt = {.size = sizeof prompt, .needs = i, .name = names[i], .get = answer};
        if (host->services.add_tool(r, &tool, NULL) != EG_OK || host->services.add_resource(r, &resource, NULL) != EG_OK ||
            host->services.add_prompt(r, &prompt, NULL) != EG_OK)
            return -1;
    }
    r->committed = r->pending;
    return 0;
}
static int tear_down(void **state) {
    (void)state;
    free(host);
    return 0;
}

static void each_role_gets_what_it_may(void **state) {
    (void)state;
    const eg_services *s = &host->services;
    for (uint32_t role = EG_ROLE_NONE; role <= EG_ROLE_ADMIN; role++) {
        const eg_principal who = {.size = sizeof who, .role = role, .agent = EG_STR("laptop")};
        for (uint32_t need = 0; need < NEEDS; need++) {
            test_request r;
            char uri[64];
            eg_tool_result out = EG_TOOL_RESULT_INIT;
            eg_status expected = need <= role ? EG_OK : EG_EAUTH;
            test_request_init(&r, 0);
            test_request_set(&r, EG_STR("local"), &who, (eg_cancel){0}, NULL);
            snprintf(uri, sizeof uri, "test://%s/42/text", names[need]);
            calls = 0;
            assert_int_equal(s->call_tool(host, &r.rq, names[need], EG_STR("{}"), &out), expected);
            assert_int_equal(s->read_resource(host, &r.rq, eg_str_of(uri), &out), expected);
            assert_int_equal(s->get_prompt(host, &r.rq, names[need], EG_STR("{}"), &out), expected);
            /* a refused one is not even called */
            assert_int_equal(calls, expected == EG_OK ? 3 : 0);
            if (expected == EG_EAUTH) assert_non_null(strstr(r.err.text, "'laptop' has the role"));
            test_request_release(&r);
        }
    }
}

static void what_is_not_there(void **state) {
    (void)state;
    const eg_services *s = &host->services;
    test_request r;
    eg_tool_result out = EG_TOOL_RESULT_INIT;
    static const char *const uris[] = {"test://read/42",
                                       "test://read//text",
                                       "test://read/4/2/text",
                                       "test://read/42/text/",
                                       "test://read/42/texts",
                                       "other://read/42/text",
                                       ""};
    test_request_init(&r, 0);
    assert_int_equal(s->call_tool(host, &r.rq, "none", EG_STR("{}"), &out), EG_ENOENT);
    assert_int_equal(s->get_prompt(host, &r.rq, "none", EG_STR("{}"), &out), EG_ENOENT);
    for (size_t i = 0; i < sizeof uris / sizeof *uris; i++)
        if (s->read_resource(host, &r.rq, eg_str_of(uris[i]), &out) != EG_ENOENT) fail_msg("'%s' is read", uris[i]);
    assert_int_equal(s->read_resource(host, &r.rq, EG_STR("test://read/4-2/text"), &out), EG_OK);
    assert_string_equal(last_uri, "test://read/4-2/text");
    test_request_release(&r);
}

/* A caller with another header than the host's gets as much of a result as it knows, and nothing
 * beyond. */
static void results_grow(void **state) {
    (void)state;
    struct {
        eg_tool_result result;
        uint64_t later;
    } newer = {.result = {.size = sizeof newer}, .later = 7}, older = {.result = {.size = offsetof(eg_tool_result, content)}};
    test_request r;
    test_request_init(&r, 0);
    assert_int_equal(host->services.call_tool(host, &r.rq, "read", EG_STR("{}"), &newer.result), EG_OK);
    assert_int_equal(newer.result.size, sizeof newer);
    assert_int_equal(newer.result.content_count, 1);
    assert_int_equal(newer.later, 7);
    assert_int_equal(host->services.call_tool(host, &r.rq, "read", EG_STR("{}"), &older.result), EG_OK);
    assert_true(eg_str_eq(older.result.structured, EG_STR("{}")));
    assert_null(older.result.content);
    test_request_release(&r);
}

/* Whatever a toolset answers: characters that nobody sees are shown, in structured text, blocks,
 * questions and errors. */
static eg_status hide(void *self, const eg_services *services, eg_request *rq, eg_str text, eg_tool_result *out) {
    static const eg_content blocks[] = {{.kind = EG_CONTENT_TEXT,
                                         .text = {"a\xE2\x80\xAE"
                                                  "b",
                                                  5},
                                         .name = {"\x1B", 1}}};
    static const eg_question questions[] = {{.message = {"c\xE2\x80\x8B"
                                                         "d",
                                                         5},
                                             .schema = {"{\"a\":\"\\u200b\"}", 14}}};
    (void)self, (void)services;
    if (eg_str_eq(text, EG_STR("fail"))) return eg_request_fail(rq, EG_EINVAL, "'\xE2\x80\xAE' is not a valid id");
    *out = (eg_tool_result){.size = out->size,
                            .structured = EG_STR("{\"x\":\"\xF3\xA0\x81\x81\\u001b\\n\"}"),
                            .content = blocks,
                            .content_count = 1,
                            .questions = questions,
                            .question_count = 1};
    return EG_OK;
}

static void hidden_characters_are_shown(void **state) {
    (void)state;
    const eg_tool tool = {.size = sizeof tool, .name = "hide", .input_schema = "{}", .call = hide};
    const eg_services *s = &host->services;
    eg_registrar *r = &host->plugins.registrar;
    assert_int_equal(s->add_tool(r, &tool, NULL), EG_OK);
    r->committed = r->pending;
    test_request rq;
    eg_tool_result out = EG_TOOL_RESULT_INIT;
    const eg_principal who = {.size = sizeof who, .role = EG_ROLE_ADMIN, .agent = EG_STR("laptop")};
    test_request_init(&rq, 0);
    test_request_set(&rq, EG_STR("local"), &who, (eg_cancel){0}, NULL);
    assert_int_equal(s->call_tool(host, &rq.rq, "hide", EG_STR("{}"), &out), EG_OK);
    assert_true(eg_str_eq(out.structured, EG_STR("{\"x\":\"<U+E0041><U+001B>\\n\"}")));
    assert_true(eg_str_eq(out.content[0].text, EG_STR("a<U+202E>b")) && eg_str_eq(out.content[0].name, EG_STR("<U+001B>")));
    assert_true(eg_str_eq(out.questions[0].message, EG_STR("c<U+200B>d")));
    assert_true(eg_str_eq(out.questions[0].schema, EG_STR("{\"a\":\"<U+200B>\"}")));
    assert_int_equal(s->call_tool(host, &rq.rq, "hide", EG_STR("fail"), &out), EG_EINVAL);
    assert_string_equal(rq.err.text, "'<U+202E>' is not a valid id");
    test_request_release(&rq);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(hidden_characters_are_shown),
                                       cmocka_unit_test(each_role_gets_what_it_may), cmocka_unit_test(what_is_not_there),
                                       cmocka_unit_test(results_grow)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
