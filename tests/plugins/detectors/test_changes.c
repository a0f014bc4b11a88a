/* test_changes.c - what is counted as changed between two statements. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plugins/detectors/nli/changes.h"

static eg_str str(const char *s) { return (eg_str){s, strlen(s)}; }

static void a_replaced_value_is_a_swap(void **state) {
    (void)state;
    text_changes c = changes_between(str("The pool keeps 20 connections open."), str("the pool keeps **50** connections open"));
    assert_true(fabs(c.kept - 10.0 / 12) < 1e-9);
    assert_int_equal(c.lead, 3);
    assert_int_equal(c.tail, 2);
    assert_int_equal(c.swaps, 1);
    assert_int_equal(c.numbers, 1);
    assert_int_equal(c.names, 0);
    assert_int_equal(c.inserts, 0);
    assert_int_equal(c.least, 1);
    assert_int_equal(c.most, 1);
}

static void kinds_of_changes(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        int swaps, inserts, added, numbers, names, spellings, negations;
    } rows[] = {/* markup and case at the edges are nothing */
                {"Set `max_size` to 5.", "set max_size to *5*", 0, 0, 0, 0, 0, 0, 0},
                {"It reads `old_name`.", "It reads `new_name`.", 1, 0, 0, 0, 1, 0, 0},
                {"It reads `--old` first.", "It reads `--new` first.", 1, 0, 0, 0, 1, 0, 0},
                {"This overides the default.", "This overrides the default.", 1, 0, 0, 0, 0, 1, 0},
                {"Version 12 reads it.", "Version 13 reads it.", 1, 0, 0, 1, 0, 0, 0},
                {"Empty lines are kept.", "Empty lines are not kept.", 0, 1, 1, 0, 0, 0, 1},
                {"It is false by default.", "It is true by default.", 1, 0, 0, 0, 0, 0, 1},
                {"Files are read once a day.", "Files are read at start.", 1, 0, 0, 0, 0, 0, 0},
                {"a b c", "b c d e", 0, 2, 3, 0, 0, 0, 0},
                {"", "", 0, 0, 0, 0, 0, 0, 0},
                {"", "one two", 0, 1, 2, 0, 0, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        text_changes c = changes_between(str(rows[i].a), str(rows[i].b));
        if (c.swaps != rows[i].swaps || c.inserts != rows[i].inserts || c.added != rows[i].added ||
            c.numbers != rows[i].numbers || c.names != rows[i].names || c.spellings != rows[i].spellings ||
            c.negations != rows[i].negations)
            fail_msg("'%s' and '%s': swaps %d, inserts %d, added %d, numbers %d, names %d, spellings %d, negations %d", rows[i].a,
                     rows[i].b, c.swaps, c.inserts, c.added, c.numbers, c.names, c.spellings, c.negations);
    }
}

/* The order of the two changes no count, and no length is too much. */
static void both_orders_and_long_texts(void **state) {
    (void)state;
    char a[4000] = "", b[4000] = "";
    for (int i = 0; i < 300; i++) {
        snprintf(a + strlen(a), sizeof a - strlen(a), "w%d ", i % 7);
        snprintf(b + strlen(b), sizeof b - strlen(b), "w%d ", i % 5);
    }
    text_changes x = changes_between(str(a), str(b)), y = changes_between(str(b), str(a));
    assert_true(fabs(x.kept - y.kept) < 1e-9);
    assert_true(x.kept > 0 && x.kept < 1);
    x = changes_between(str(a), str(a));
    assert_int_equal(x.lead, MAX_CHANGE_WORDS);
    assert_int_equal(x.swaps + x.inserts, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_replaced_value_is_a_swap), cmocka_unit_test(kinds_of_changes),
                                       cmocka_unit_test(both_orders_and_long_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
