/* test_plugin_json.c - the strict JSON of protocol plugins: what is valid, raw texts, the writer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "json.h"

static void valid_texts(void **state) {
    (void)state;
    static const char *const good[] = {"0",
                                       "-0",
                                       "1.5e+10",
                                       "0.1E-2",
                                       "\"\"",
                                       "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00fc\"",
                                       "true",
                                       "false",
                                       "null",
                                       "[]",
                                       "{}",
                                       " [ 1 , [ ] , { } ] ",
                                       "{\"a\":{\"b\":[null]},\"c\":\"\xC3\xBC\xF0\x9F\x98\x80\"}",
                                       "\t\r\n 1 \n",
                                       "\"\x7F\""};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        pj_problem p;
        if (!pj_valid(eg_str_of(good[i]), &p)) fail_msg("%s: %s at %zu", good[i], p.what, p.at);
        cJSON *tree = pj_parse(eg_str_of(good[i]), &p);
        assert_non_null(tree);
        cJSON_Delete(tree);
    }
}

static void invalid_texts(void **state) {
    (void)state;
    static const char *const bad[] = {"",
                                      " ",
                                      "01",
                                      "1.",
                                      ".5",
                                      "+1",
                                      "-",
                                      "1e",
                                      "1e+",
                                      "0x1",
                                      "tru",
                                      "nulls",
                                      "\"",
                                      "\"\\",
                                      "\"\\u12\"",
                                      "\"\\u12g4\"",
                                      "\"\\x\"",
                                      "\"\n\"",
                                      "\"\x01\"",
                                      "[",
                                      "]",
                                      "{",
                                      "}",
                                      "[1",
                                      "[1,",
                                      "[1,]",
                                      "[,1]",
                                      "[1 2]",
                                      "{\"a\"}",
                                      "{\"a\":}",
                                      "{\"a\":1,}",
                                      "{a:1}",
                                      "{1:1}",
                                      "{\"a\" 1}",
                                      "{\"a\":1]",
                                      "[1}",
                                      "1 2",
                                      "[]]",
                                      "\"\xFF\"",
                                      "\"\xC3\"",
                                      "\"\xC0\x80\"",
                                      "\"\xED\xA0\x80\"",
                                      "\"\xF4\x90\x80\x80\"",
                                      "\"\xE0\x80\x80\"",
                                      "\xEF\xBB\xBF{}",
                                      "'a'",
                                      "NaN",
                                      "[1]\x01",
                                      "\v1",
                                      "{\"a\":1 \"b\":2}",
                                      "{,}",
                                      "{\"a\"::1}",
                                      "1000000000000000000000000000000000000000000000000000000000000000"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pj_problem p = {0};
        if (pj_valid(eg_str_of(bad[i]), &p)) fail_msg("'%s' was taken for JSON", bad[i]);
        assert_non_null(p.what);
        assert_true(p.at <= strlen(bad[i]));
        assert_null(pj_parse(eg_str_of(bad[i]), &p));
    }
    pj_problem p;
    assert_false(pj_valid((eg_str){"1\0", 2}, &p));
}

/* Half of a surrogate pair is valid by grammar but no text: U+FFFD stands in. */
static void lone_surrogates(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"\"\\ud800\"", "\xEF\xBF\xBD"},
                                           {"\"\\udc00\\ud800\"", "\xEF\xBF\xBD\xEF\xBF\xBD"},
                                           {"\"\\uD83D\\ud83d\\uDE00\"", "\xEF\xBF\xBD\xF0\x9F\x98\x80"},
                                           {"\"\\ud83d\\u0041\"", "\xEF\xBF\xBD"
                                                                  "A"},
                                           {"\"\\ud83d\\n\"", "\xEF\xBF\xBD\n"},
                                           {"\"\\\\ud83d\"", "\\ud83d"},
                                           {"\"\\ud83d\\ude00\"", "\xF0\x9F\x98\x80"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t len = strlen(cases[i][0]);
        /* its end is the end of the allocation: sanitizers see a step too far */
        char *copy = malloc(len);
        assert_non_null(copy);
        memcpy(copy, cases[i][0], len);
        pj_problem p;
        cJSON *tree = pj_parse((eg_str){copy, len}, &p);
        assert_non_null(tree);
        assert_string_equal(tree->valuestring, cases[i][1]);
        assert_memory_equal(copy, cases[i][0], len);
        cJSON_Delete(tree);
        free(copy);
    }
}

/* What is found of a text that is refused: in front of a mistake, and on both sides of a limit. */
static void salvage(void **state) {
    (void)state;
#define DIGITS "11111111111111111111111111111111111111111111111111111111111111111111111"
#define DEEP "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
    static const char *const cases[][2] = {{"{\"id\":7,\"a\":" DIGITS "}", "7"},
                                           {"{\"a\":{\"id\":1,\"b\":" DIGITS "},\"id\" : \"x\\\"y\" }", "\"x\\\"y\""},
                                           {"{\"a\":" DEEP "],{\"id\":1}", NULL},
                                           {"{\"id\":-1.5,\"a\":" DEEP, "-1.5"},
                                           {"{\"id\":" DIGITS "}", NULL},
                                           {"{\"id\":7,\"a\":01}", "7"},
                                           {"{\"a\":01,\"id\":7}", NULL},
                                           {"{\"id\":7", NULL},
                                           {"{\"id\":7 \"a\"}", NULL},
                                           {"{\"id\":true,\"a\":01}", NULL},
                                           {"{\"b\":\"id\",\"a\":01}", NULL},
                                           {"[{\"id\":7,\"a\":" DIGITS "}]", NULL},
                                           {"{}}\"id\":7,", NULL},
                                           {"", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t len = strlen(cases[i][0]);
        for (size_t n = 0; n <= len; n++) {
            char *copy = malloc(n + !n);
            assert_non_null(copy);
            memcpy(copy, cases[i][0], n);
            pj_problem p;
            if (!pj_valid((eg_str){copy, n}, &p)) {
                eg_str found = pj_salvage((eg_str){copy, n}, &p, "id");
                if (n == len && !eg_str_eq(found, eg_str_of(cases[i][1])))
                    fail_msg("%s: found '%.*s'", cases[i][0], (int)found.len, found.ptr ? found.ptr : "");
            }
            free(copy);
        }
    }
}

/* Every prefix of a valid text, and every single byte changed, is judged without reading outside.
 */
static void cut_and_bent_texts(void **state) {
    (void)state;
    static const char text[] = "{\"a\":[1,-2.5e3,\"\\u00fc\\\\\xC3\xBC\",{\"b\":null}],\"c\":true}";
    for (size_t n = 0; n < sizeof text - 1; n++) {
        /* its end is the end of the allocation: sanitizers see a step too far */
        char *copy = malloc(n + 1);
        assert_non_null(copy);
        memcpy(copy, text, n);
        pj_problem p;
        assert_false(pj_valid((eg_str){copy, n}, &p));
        free(copy);
    }
    for (size_t at = 0; at < sizeof text - 1; at++)
        for (int c = 0; c < 256; c++) {
            char copy[sizeof text];
            memcpy(copy, text, sizeof text);
            copy[at] = (char)c;
            pj_problem p;
            eg_str bent = {copy, sizeof text - 1};
            if (!pj_valid(bent, &p)) continue;
            /* cJSON takes all that we take */
            cJSON *tree = cJSON_ParseWithLength(bent.ptr, bent.len);
            assert_non_null(tree);
            cJSON_Delete(tree);
        }
}

static void nesting(void **state) {
    (void)state;
    char text[200];
    pj_problem p;
    memset(text, '[', 100);
    memset(text + 100, ']', 100);
    assert_true(pj_valid((eg_str){text + 100 - PJ_MAX_DEPTH, 2 * PJ_MAX_DEPTH}, &p));
    assert_false(pj_valid((eg_str){text + 99 - PJ_MAX_DEPTH, 2 * PJ_MAX_DEPTH + 2}, &p));
    assert_string_equal(p.what, "nesting deeper than 64");
}

static void raw_values(void **state) {
    (void)state;
    eg_str object = EG_STR(" { \"a\" : 12345678901234567890 , \"b\\\"}\":[ {\"x\":[1,2]} , \"]\" ] ,\"c\": "
                           "\"t,\\\"\" , \"d\":{} }");
    static const char *const values[] = {"12345678901234567890", "[ {\"x\":[1,2]} , \"]\" ]", "\"t,\\\"\"", "{}"};
    for (size_t i = 0; i < 4; i++) assert_true(eg_str_eq(pj_value_text(object, i), eg_str_of(values[i])));
    assert_null(pj_value_text(object, 4).ptr);
    eg_str array = eg_str_of(values[1]);
    assert_true(eg_str_eq(pj_value_text(array, 0), EG_STR("{\"x\":[1,2]}")));
    assert_true(eg_str_eq(pj_value_text(array, 1), EG_STR("\"]\"")));
    assert_null(pj_value_text(array, 2).ptr);
    assert_null(pj_value_text(EG_STR("[]"), 0).ptr);
    assert_null(pj_value_text(EG_STR(" { } "), 0).ptr);
    pj_problem p;
    cJSON *tree = pj_parse(object, &p);
    assert_non_null(tree);
    assert_int_equal(pj_index(tree, "b\"}"), 1);
    assert_int_equal(pj_index(tree, "d"), 3);
    assert_int_equal(pj_index(tree, "D"), 4);
    assert_null(pj_get(tree, "A"));
    assert_null(pj_duplicate(tree));
    cJSON_Delete(tree);
}

static void doubled_and_nul(void **state) {
    (void)state;
    pj_problem p;
    cJSON *tree = pj_parse(EG_STR("{\"b\":1,\"a\":1,\"c\":{},\"\\u0061\":2}"), &p);
    assert_string_equal(pj_duplicate(tree), "a");
    cJSON_Delete(tree);
    assert_true(pj_has_nul(EG_STR("{\"a\":\"x\\u0000\"}")));
    assert_true(pj_has_nul(EG_STR("\"\\\\\\u0000\"")));
    assert_false(pj_has_nul(EG_STR("\"\\\\u0000\""))); /* a backslash, then text */
    assert_false(pj_has_nul(EG_STR("\"\\u0001\\u000\"")));
}

static void writer(void **state) {
    (void)state;
    pj_out o = {0};
    pj_begin(&o, '{');
    pj_kstr(&o, "s", EG_STR("a\"\\\b\f\n\r\t\x01\x1f/\x7f\xC3\xBC\xFF\xED\xA0\x80\xE2\x82"));
    pj_kopt(&o, "n", (eg_str){NULL, 0});
    pj_kint(&o, "i", INT64_MIN);
    pj_knum(&o, "x", 0.8);
    pj_knum(&o, "y", 1.0 / 3);
    pj_knum(&o, "z", __builtin_nan(""));
    pj_kbool(&o, "t", 1);
    pj_key(&o, "list");
    pj_begin(&o, '[');
    pj_int(&o, 1);
    pj_json(&o, EG_STR("{\n\"a\":\r\n[]}"));
    pj_null(&o);
    pj_bool(&o, 0);
    pj_begin(&o, '[');
    pj_end(&o, ']');
    pj_str(&o, EG_STR("{"));
    pj_str(&o, EG_STR(""));
    pj_end(&o, ']');
    pj_end(&o, '}');
    assert_false(o.failed);
    static const char expected[] = "{\"s\":\"a\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f/"
                                   "\x7f\xC3\xBC\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
                                   "\xEF\xBF\xBD\xEF\xBF\xBD\",\"n\":null,\"i\":-9223372036854775808,\"x\":0."
                                   "8,\"y\":0.3333333333333333,\"z\":0,"
                                   "\"t\":true,\"list\":[1,{ \"a\":  []},null,false,[],\"{\",\"\"]}";
    assert_int_equal(o.len, sizeof expected - 1);
    assert_memory_equal(o.p, expected, o.len);
    pj_problem p;
    assert_true(pj_valid((eg_str){o.p, o.len}, &p));
    pj_release(&o);
    assert_null(o.p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_texts), cmocka_unit_test(invalid_texts),   cmocka_unit_test(cut_and_bent_texts),
        cmocka_unit_test(nesting),     cmocka_unit_test(raw_values),      cmocka_unit_test(doubled_and_nul),
        cmocka_unit_test(writer),      cmocka_unit_test(lone_surrogates), cmocka_unit_test(salvage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
