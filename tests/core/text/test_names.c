/* test_names.c - statements of the same words, and of two things that others mention too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/text/names.h"

static eg_names read_all(eg_arena *arena, const char *const *statements, size_t n) {
    eg_names names;
    eg_error err = {0};
    assert_int_equal(eg_names_begin(&names, arena, n, &err), EG_OK);
    for (size_t i = 0; i < n; i++) assert_int_equal(eg_names_add(&names, eg_str_of(statements[i]), &err), EG_OK);
    assert_int_equal(eg_names_finish(&names, &err), EG_OK);
    return names;
}

static void same_words(void **state) {
    (void)state;
    static const char *const pairs[][3] = {
        {"same", "file_limit sets the most files.", "`--file-limit` sets the most files."},
        {"same", "It renews the certificate.", "it renews certificates"},
        {"other", "Use `log_skip`.", "Use `skip_log`."},
        {"other", "It waits 10 s.", "It waits 20 s."},
        {"other", "It is sent before the reply.", "It is sent after the reply."},
        {"other", "It is sent.", "It is not sent."},
        {"other", "It must be < 5.", "It must be > 5."},
        {"other", "A calls B.", "B calls A."},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        eg_arena arena;
        eg_arena_init(&arena, 0);
        eg_names names = read_all(&arena, &pairs[i][1], 2);
        if (eg_names_same_words(&names, 0, 1) != (strcmp(pairs[i][0], "same") == 0)) fail_msg("%s", pairs[i][1]);
        eg_arena_release(&arena);
    }
}

static void two_things(void **state) {
    (void)state;
    /* a name that others have too; one that none has; names on one side only */
    static const char *const statements[] = {
        "Fields of `DateField` are formatted by the `date_format` option.",
        "Fields of `TimeField` are formatted by the `date_format` option.",
        "Fields of `OldDateField` are formatted by the `date_format` option.",
        "Fields of dates are formatted by the `date_format` option.",
        "`DateField` and `TimeField` know no zone, nor does `server.TimeZone`.",
    };
    eg_arena arena;
    eg_arena_init(&arena, 0);
    eg_names names = read_all(&arena, statements, sizeof statements / sizeof *statements);
    assert_true(eg_names_of_two_things(&names, 0, 1));
    assert_true(eg_names_of_two_things(&names, 1, 0));
    assert_false(eg_names_of_two_things(&names, 0, 2));
    assert_false(eg_names_of_two_things(&names, 2, 1));
    assert_false(eg_names_of_two_things(&names, 0, 3));
    assert_false(eg_names_of_two_things(&names, 0, 0));
    eg_arena_release(&arena);
}

static void many_and_none(void **state) {
    (void)state;
    eg_arena arena;
    eg_error err = {0};
    eg_arena_init(&arena, 0);
    eg_names names;
    assert_int_equal(eg_names_begin(&names, &arena, 2, &err), EG_OK);
    char *text = malloc(400001);
    for (size_t i = 0; i < 400000; i++) text[i] = "a_b, "[i % 5];
    assert_int_equal(eg_names_add(&names, (eg_str){text, 400000}, &err), EG_OK);
    assert_int_equal(eg_names_add(&names, (eg_str){"", 0}, &err), EG_OK);
    assert_int_equal(eg_names_finish(&names, &err), EG_OK);
    assert_int_equal(names.all_count, 1);
    assert_false(eg_names_of_two_things(&names, 0, 1));
    free(text);
    eg_arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_words), cmocka_unit_test(two_things),
                                       cmocka_unit_test(many_and_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
