/* test_settings.c - docs/configuration.md has one row for each setting of the program, with its
 * type, range, default and environment variable, and no other rows. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/base/file.h"
#include "core/host/config.h"

/* The cells of a setting's row, without its meaning. */
static void row_of(const eg_setting *s, char *out, size_t size) {
    char values[300], otherwise[300] = "";
    if (s->type == EG_SETTING_INTEGER) snprintf(values, sizeof values, "whole number, %g to %g", s->low, s->high);
    else if (s->type == EG_SETTING_NUMBER) snprintf(values, sizeof values, "number, %g to %g", s->low, s->high);
    else if (s->type == EG_SETTING_BOOLEAN) snprintf(values, sizeof values, "true, false");
    else if (!s->words) snprintf(values, sizeof values, "text");
    else {
        size_t n = 0;
        for (const char *p = s->words; *p; p++) n += (size_t)snprintf(values + n, sizeof values - n, *p == '|' ? ", " : "%c", *p);
    }
    if (*s->otherwise) snprintf(otherwise, sizeof otherwise, "`%s` ", s->otherwise);
    char set_by[80] = "user";
    if (s->project && s->type == EG_SETTING_TEXT) snprintf(set_by, sizeof set_by, "user, project");
    else if (s->project && s->project_low == s->low && s->project_high == s->high)
        snprintf(set_by, sizeof set_by, "user, project");
    else if (s->project) snprintf(set_by, sizeof set_by, "user, project: %g to %g", s->project_low, s->project_high);
    snprintf(out, size, "\n| `%s` | %s | %s| `%s` | %s | ", s->key, values, otherwise, s->variable, set_by);
}

static void every_setting_has_its_row(void **state) {
    (void)state;
    eg_arena arena;
    eg_arena_init(&arena, 1 << 16);
    eg_error err = {0};
    eg_str page;
    assert_int_equal(eg_file_read(DOCS "/configuration.md", 1 << 20, &arena, &page, &err), EG_OK);
    char *text = eg_arena_copy(&arena, page);
    assert_non_null(text);
    size_t n, rows = 0;
    const eg_setting *all = eg_settings(&n);
    for (size_t i = 0; i < n; i++) {
        char row[1000];
        row_of(&all[i], row, sizeof row);
        if (!strstr(text, row)) fail_msg("docs/configuration.md lacks the row%s", row);
    }
    char *table = strstr(text, "## All settings"), *end = strstr(table, "Thresholds that are unset");
    assert_true(table && end);
    for (char *p = table; (p = strstr(p, "\n| `")) && p < end; p++) rows++;
    assert_int_equal(rows, n);
    eg_arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_setting_has_its_row)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
