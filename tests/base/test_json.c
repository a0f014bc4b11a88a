/* test_json.c - the bounded JSON reader and the buffer's escaper: what is accepted, what is refused
 * and where. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/base/json.h"

/* As the C library's in a locale whose decimal point is a comma: the reader must not use it. */
double strtod(const char *restrict text, char **restrict end);
double strtod(const char *restrict text, char **restrict end) {
    char whole[64];
    size_t n = strcspn(text, ".");
    assert_true(n < sizeof whole);
    memcpy(whole, text, n);
    whole[n] = 0;
    if (end) *end = (char *)(uintptr_t)(text + n);
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double number = strtod_l(whole, NULL, c);
    freelocale(c);
    return number;
}

/* Reads a copy of bytes that ends where the heap block ends, so that a read past it is seen by
 * ASan. */
static eg_json_kind read_all(const char *bytes, size_t n, eg_error *err, char *kinds, size_t most) {
    static const char letters[] = "$OoAaKSNtfz!";
    char *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, n);
    eg_arena arena;
    eg_arena_init(&arena, 0);
    eg_json j;
    *err = (eg_error){0};
    eg_json_init(&j, "doc", (eg_str){copy, n}, &arena, err);
    eg_json_kind k;
    size_t at = 0;
    do {
        k = eg_json_next(&j);
        if (at + 1 < most) kinds[at++] = letters[k];
    } while (k != EG_JSON_END && k != EG_JSON_ERROR);
    kinds[at] = '\0';
    assert_int_equal(eg_json_next(&j), k); /* both ends are final */
    eg_arena_release(&arena);
    free(copy);
    return k;
}

static void test_valid(void **state) {
    (void)state;
    static const struct {
        const char *text, *kinds;
    } table[] = {{"0", "N$"},
                 {" \t\r\n-0 ", "N$"},
                 {"true", "t$"},
                 {"false", "f$"},
                 {"null", "z$"},
                 {"\"\"", "S$"},
                 {"[]", "Aa$"},
                 {"{}", "Oo$"},
                 {"[1,2]", "ANNa$"},
                 {"[[],{}]", "AAaOoa$"},
                 {"{\"a\":1}", "OKNo$"},
                 {"1.5e-3", "N$"},
                 {"1E+2", "N$"},
                 {"[ true , null ]", "Atza$"},
                 {"{\"a\":{\"b\":[null]}}", "OKOKAzaoo$"},
                 /* duplicates are shown to the caller, both of them */
                 {"{\"a\":1,\"a\":2}", "OKNKNo$"},
                 {"\"\xF0\x9F\x98\x80\"", "S$"},
                 {"\"\x7F\"", "S$"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        eg_error err;
        char kinds[64];
        read_all(table[i].text, strlen(table[i].text), &err, kinds, sizeof kinds);
        if (strcmp(kinds, table[i].kinds) != 0) fail_msg("%s: %s, not %s: %s", table[i].text, kinds, table[i].kinds, err.text);
    }
}

static void test_invalid(void **state) {
    (void)state;
    static const struct {
        const char *text, *where;
    } table[] = {{"", "doc:1:1: "},
                 {"  ", "doc:1:3: "},
                 {"01", "doc:1:1: "},
                 {"-", "doc:1:1: "},
                 {"+1", "doc:1:1: "},
                 {".5", "doc:1:1: "},
                 {"1.", "doc:1:1: "},
                 {"1e", "doc:1:1: "},
                 {"1e+", "doc:1:1: "},
                 {"NaN", "doc:1:1: "},
                 {"Infinity", "doc:1:1: "},
                 {"0x10", "doc:1:2: "},
                 {"tru", "doc:1:1: "},
                 {"truex", "doc:1:5: "},
                 {"nul", "doc:1:1: "},
                 {"'a'", "doc:1:1: "},
                 {"[1,]", "doc:1:4: "},
                 {"[,1]", "doc:1:2: "},
                 {"[1 2]", "doc:1:4: "},
                 {"[1", "doc:1:3: "},
                 {"[1}", "doc:1:3: "},
                 {"]", "doc:1:1: "},
                 {"}", "doc:1:1: "},
                 {"{,}", "doc:1:2: "},
                 {"{\"a\"}", "doc:1:5: "},
                 {"{\"a\":}", "doc:1:6: "},
                 {"{\"a\":1,}", "doc:1:8: "},
                 {"{\"a\":1]", "doc:1:7: "},
                 {"{a:1}", "doc:1:2: "},
                 {"{1:1}", "doc:1:2: "},
                 {"{\"a\"", "doc:1:5: "},
                 {"{} {}", "doc:1:4: "},
                 {"1 2", "doc:1:3: "},
                 {"[\n1,\n  x]", "doc:3:3: "},
                 {"{\n\"a\": 1,\n\"b\" 2}", "doc:3:5: "},
                 {"\"abc", "doc:1:5: "},
                 {"\"abc\\", "doc:1:6: "},
                 {"\"a\nb\"", "doc:1:3: "},
                 {"\"\x1F\"", "doc:1:2: "},
                 {"\"\\x\"", "doc:1:3: "},
                 {"\"\\u12\"", "doc:1:3: "},
                 {"\"\\u12G4\"", "doc:1:3: "},
                 {"\"\\uD800\"", "doc:1:3: "},
                 {"\"\\uDC00\"", "doc:1:3: "},
                 {"\"\\uD800\\uD800\"", "doc:1:3: "},
                 {"\"\\uD800x\"", "doc:1:3: "},
                 {"\"\\uDC00\\uD800\"", "doc:1:3: "},
                 {"\"\x80\"", "doc:1:2: "},
                 {"\"a\xC0\x80\"", "doc:1:3: "},
                 {"\"\xED\xA0\x80\"", "doc:1:2: "},
                 {"\"\xF4\x90\x80\x80\"", "doc:1:2: "},
                 {"\"\xE2\x82\"", "doc:1:2: "},
                 {"\xEF\xBB\xBF{}", "doc:1:1: "},
                 {"// c\n1", "doc:1:1: "}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        eg_error err;
        char kinds[64];
        eg_json_kind k = read_all(table[i].text, strlen(table[i].text), &err, kinds, sizeof kinds);
        if (k != EG_JSON_ERROR || err.code != EG_EFORMAT) fail_msg("%s was accepted: %s", table[i].text, kinds);
        if (strncmp(err.text, table[i].where, strlen(table[i].where)) != 0)
            fail_msg("%s: '%s' does not begin with '%s'", table[i].text, err.text, table[i].where);
    }
}

/* Every prefix of a good document is refused, with no read past its end. */
static void test_prefixes(void **state) {
    (void)state;
    static const char text[] = "{\"k\\u00e9\": [1.25e+3, true, false, null, \"\\ud83d\\ude00\", {}, []], \"b\": -7}";
    eg_error err;
    char kinds[64];
    for (size_t n = 0; n < sizeof text - 1; n++) assert_int_equal(read_all(text, n, &err, kinds, sizeof kinds), EG_JSON_ERROR);
    assert_int_equal(read_all(text, sizeof text - 1, &err, kinds, sizeof kinds), EG_JSON_END);
    assert_string_equal(kinds, "OKANtfzSOoAaaKNo$");
}

static void test_depth(void **state) {
    (void)state;
    char text[2 * EG_JSON_DEPTH + 4], kinds[200];
    eg_error err;
    for (size_t depth = EG_JSON_DEPTH - 1; depth <= EG_JSON_DEPTH + 1; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        eg_json_kind k = read_all(text, 2 * depth, &err, kinds, sizeof kinds);
        assert_int_equal(k, depth <= EG_JSON_DEPTH ? EG_JSON_END : EG_JSON_ERROR);
    }
    assert_non_null(strstr(err.text, "deeper than 64"));
}

static void test_numbers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int is_integer;
        int64_t integer;
        double number;
    } table[] = {{"9223372036854775807", 1, INT64_MAX, 9223372036854775807.0},
                 {"-9223372036854775808", 1, INT64_MIN, -9223372036854775808.0},
                 {"9223372036854775808", 0, 0, 9223372036854775808.0},
                 {"-9223372036854775809", 0, 0, -9223372036854775808.0},
                 /* exact where a double is not */
                 {"9007199254740993", 1, INT64_C(9007199254740993), 9007199254740992.0},
                 {"-0", 1, 0, -0.0},
                 {"1.0", 0, 0, 1.0},
                 {"1e2", 0, 0, 100.0},
                 {"0.1", 0, 0, 0.1},
                 {"-12.75e-1", 0, 0, -1.275}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        eg_arena arena;
        eg_arena_init(&arena, 0);
        eg_error err = {0};
        eg_json j;
        eg_json_init(&j, "n", eg_str_of(table[i].text), &arena, &err);
        assert_int_equal(eg_json_next(&j), EG_JSON_NUMBER);
        assert_int_equal(j.is_integer, table[i].is_integer);
        if (j.is_integer) assert_true(j.integer == table[i].integer);
        assert_true(j.number == table[i].number);
        assert_true(eg_str_eq(j.text, eg_str_of(table[i].text)));
        eg_arena_release(&arena);
    }
    char digits[80], kinds[8];
    memset(digits, '1', sizeof digits);
    eg_error err;
    assert_int_equal(read_all(digits, 63, &err, kinds, sizeof kinds), EG_JSON_END);
    assert_int_equal(read_all(digits, 64, &err, kinds, sizeof kinds), EG_JSON_ERROR);
}

static void test_escapes(void **state) {
    (void)state;
    static const char text[] = "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\u0041\\u00e9\\u20AC\\ud83D\\uDe00\"";
    static const char wanted[] = "\"\\/\b\f\n\r\t\0A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
    eg_arena arena;
    eg_arena_init(&arena, 0);
    eg_error err = {0};
    eg_json j;
    eg_json_init(&j, "s", EG_STR(text), &arena, &err);
    assert_int_equal(eg_json_next(&j), EG_JSON_STRING);
    assert_int_equal(j.text.len, sizeof wanted - 1);
    assert_memory_equal(j.text.ptr, wanted, sizeof wanted - 1);
    /* a string without escapes is a view of the input */
    static const char plain[] = "\"plain\"";
    eg_json_init(&j, "s", EG_STR(plain), &arena, &err);
    assert_int_equal(eg_json_next(&j), EG_JSON_STRING);
    assert_ptr_equal(j.text.ptr, plain + 1);
    /* memory that runs out is said as such */
    eg_arena tiny;
    eg_arena_init(&tiny, 16);
    eg_json_init(&j, "s", EG_STR("\"0123456789012345678901234567890123456789\\n\""), &tiny, &err);
    assert_int_equal(eg_json_next(&j), EG_JSON_ERROR);
    assert_int_equal(err.code, EG_ENOMEM);
    eg_arena_release(&tiny);
    eg_arena_release(&arena);
}

static void test_skip_and_fail(void **state) {
    (void)state;
    eg_arena arena;
    eg_arena_init(&arena, 0);
    eg_error err = {0};
    eg_json j;
    eg_json_init(&j, "skip", EG_STR("{\"a\": [1, {\"x\": []}], \"b\": 2, \"c\": {}}"), &arena, &err);
    assert_int_equal(eg_json_next(&j), EG_JSON_OBJECT);
    assert_int_equal(eg_json_next(&j), EG_JSON_KEY);
    assert_int_equal(eg_json_skip(&j), 1); /* standing on the key: its value goes */
    assert_int_equal(eg_json_next(&j), EG_JSON_KEY);
    assert_true(eg_str_eq(j.text, EG_STR("b")));
    assert_int_equal(eg_json_next(&j), EG_JSON_NUMBER);
    assert_int_equal(eg_json_skip(&j), 1); /* a scalar is over already */
    assert_int_equal(eg_json_next(&j), EG_JSON_KEY);
    assert_int_equal(eg_json_next(&j), EG_JSON_OBJECT);
    assert_int_equal(eg_json_skip(&j), 1);
    assert_int_equal(eg_json_next(&j), EG_JSON_OBJECT_END);
    assert_int_equal(eg_json_next(&j), EG_JSON_END);

    eg_json_init(&j, "skip", EG_STR("[[1, 2"), &arena, &err);
    assert_int_equal(eg_json_next(&j), EG_JSON_ARRAY);
    assert_int_equal(eg_json_next(&j), EG_JSON_ARRAY);
    assert_int_equal(eg_json_skip(&j), 0);
    assert_string_equal(err.text, "skip:1:7: the document ends too early");
    eg_json_fail(&j, "a later message"); /* the first one stays */
    assert_string_equal(err.text, "skip:1:7: the document ends too early");

    eg_json_init(&j, "mine", EG_STR("[\n 5]"), &arena, &err);
    assert_int_equal(eg_json_next(&j), EG_JSON_ARRAY);
    assert_int_equal(eg_json_next(&j), EG_JSON_NUMBER);
    assert_int_equal(eg_json_fail(&j, "%d is too much", 5), EG_JSON_ERROR);
    assert_string_equal(err.text, "mine:2:3: 5 is too much");
    assert_int_equal(eg_json_next(&j), EG_JSON_ERROR);
    eg_arena_release(&arena);
}

/* Whatever valid text the escaper writes, the reader gives back. */
static void test_escaper(void **state) {
    (void)state;
    char every[0x80 + 16];
    for (size_t i = 0; i < 0x80; i++) every[i] = (char)i;
    static const char more[] = "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
    memcpy(every + 0x80, more, sizeof more - 1);
    eg_str text = {every, 0x80 + sizeof more - 1};
    eg_buffer b = {0};
    eg_buffer_json(&b, text);
    assert_int_equal(b.failed, 0);
    for (size_t i = 0; i < b.len; i++) assert_true((unsigned char)b.ptr[i] >= 0x20);
    eg_arena arena;
    eg_arena_init(&arena, 0);
    eg_error err = {0};
    eg_json j;
    eg_json_init(&j, "round", (eg_str){b.ptr, b.len}, &arena, &err);
    assert_int_equal(eg_json_next(&j), EG_JSON_STRING);
    assert_true(eg_str_eq(j.text, text));
    assert_int_equal(eg_json_next(&j), EG_JSON_END);
    eg_arena_release(&arena);
    eg_buffer_release(&b);
    assert_null(b.ptr);

    eg_buffer_json(&b, (eg_str){NULL, 0});
    assert_int_equal(b.len, 2);
    assert_memory_equal(b.ptr, "\"\"", 2);
    eg_buffer_text(&b, "+");
    for (int i = 0; i < 1000; i++) eg_buffer_format(&b, "%d,", i % 10);
    assert_int_equal(b.len, 3 + 2000);
    eg_buffer_format(&b, "%0500d", 7); /* longer than the small form inside */
    assert_int_equal(b.len, 2503);
    assert_memory_equal(b.ptr + 2500, "007", 3);
    eg_buffer_release(&b);
}

static void test_one_object(void **state) {
    (void)state;
    static const struct {
        const char *text, *problem;
    } table[] = {{"{}", NULL},
                 {" {\"a\": [1, {\"b\": \"\\u00e9\"}]} \n", NULL},
                 {"", "x:1:1: the document ends too early"},
                 {"[]", "x:1:1: an object"},
                 {"\"{}\"", "x:1:1: an object"},
                 {"{} {}", "x:1:4: bytes after"},
                 {"{\"a\":\n1", "x:2:2: the document ends too early"},
                 {"{\"a\" 1}", "x:1:6: ':' was expected"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        eg_error err = {0};
        eg_status s = eg_json_check_object("x", eg_str_of(table[i].text), &err);
        assert_int_equal(s, table[i].problem ? EG_EFORMAT : EG_OK);
        if (table[i].problem) assert_ptr_equal(strstr(err.text, table[i].problem), err.text);
        assert_int_equal(eg_json_check_object("x", eg_str_of(table[i].text), NULL), s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valid),         cmocka_unit_test(test_invalid), cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_depth),         cmocka_unit_test(test_numbers), cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_skip_and_fail), cmocka_unit_test(test_escaper), cmocka_unit_test(test_one_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
