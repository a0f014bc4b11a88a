/* test_words.c - the words that the verdict counts: classes, endings, parts of identifiers,
 * marks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/base/arena.h"
#include "plugins/detectors/nli/words.h"
#include "tests/support/request.h"

static eg_arena arena;
static test_request request;

static word_set read_text(const char *text) {
    word_set set;
    assert_int_equal(word_set_read(&request.rq, eg_str_of(text), &set), EG_OK);
    return set;
}

/* Words of a class that two texts share. */
static size_t shared(const char *a, const char *b, word_class class) {
    word_set x = read_text(a), y = read_text(b);
    size_t n = 0;
    for (size_t i = 0; i < x.count; i++) n += x.words[i].class == class && word_set_find(&y, x.words[i].hash) != NULL;
    return n;
}

static void words_are_found_in_other_forms(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        word_class class;
        size_t shared;
    } rows[] = {{"Limits are cached.", "the limit, caching", WORD_PLAIN, 2},
                {"Is it of the?", "is of it the", WORD_FILLER, 4},
                {"Set max_retries to 5.", "`max_retries` = 5", WORD_IDENTIFIER, 1},
                /* the parts of an identifier */
                {"Set max_retries to 5.", "five max retries", WORD_PLAIN, 2},
                {"maxRetries is 5", "max retry", WORD_PLAIN, 2},
                {"Set max_retries to 5.", "five retries", WORD_NUMBER, 1},
                {"Port 8080, v2.1.", "8080 and V2.1", WORD_NUMBER, 2},
                {"api-gateway", "gateway", WORD_PLAIN, 1},
                {"src/main.c:12", "src/main.c", WORD_IDENTIFIER, 0},
                {"one", "two", WORD_NUMBER, 0},
                {"", "a", WORD_FILLER, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (shared(rows[i].a, rows[i].b, rows[i].class) != rows[i].shared)
            fail_msg("'%s' and '%s': %zu", rows[i].a, rows[i].b, shared(rows[i].a, rows[i].b, rows[i].class));
}

static void marks_and_environments(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t marks;
    } rows[] = {{"The cache is warm.", 0},
                {"The cache is never warm.", MARK_NEGATION},
                {"It was warm until May.", MARK_PAST | MARK_CONDITION},
                {"We plan a cache.", MARK_PLAN},
                {"All caches must be warm if asked.", MARK_UNIVERSAL | MARK_OBLIGATION | MARK_CONDITION}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (read_text(rows[i].text).marks != rows[i].marks) fail_msg("'%s': %u", rows[i].text, read_text(rows[i].text).marks);
    assert_int_equal(read_text("on staging").environments, read_text("stage").environments);
    assert_true(read_text("on staging").environments != read_text("in production").environments);
    assert_int_equal(read_text("anywhere").environments, 0);
    assert_int_equal(read_text("The cache of it").head, read_text("cache").head);
    assert_int_equal(read_text("the of").head, 0);
    assert_int_equal(read_text("a b, c.").total, 3);
}

/* A text of more words than are kept is read to its end all the same. */
static void long_texts_are_bounded(void **state) {
    (void)state;
    char text[8001];
    for (size_t i = 0; i < sizeof text - 1; i += 4) snprintf(text + i, 5, "%03zu ", i / 4 % 1000);
    word_set set = read_text(text);
    assert_int_equal(set.count, MAX_SET_WORDS);
    assert_int_equal(set.total, 2000);
}

int main(void) {
    eg_arena_init(&arena, 0);
    test_request_borrow(&request, &arena);
    eg_error err = {0};
    test_request_set(&request, EG_STR("local"), NULL, (eg_cancel){0}, &err);
    const struct CMUnitTest tests[] = {cmocka_unit_test(words_are_found_in_other_forms), cmocka_unit_test(marks_and_environments),
                                       cmocka_unit_test(long_texts_are_bounded)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    eg_arena_release(&arena);
    return failed;
}
