/* test_blocks.c - the structure that is read out of a text: blocks, and what each stands under. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/text/blocks.h"

static const char *const kinds[] = {"heading", "paragraph", "item", "step", "head", "row", "code", "field"};

/* One line a block: "LINE kind above: words"; above: the index, "-" for none. */
static void check(const char *text, const char *wanted) {
    eg_arena a;
    eg_blocks blocks;
    eg_str s = eg_str_of(text);
    char got[4000];
    size_t n = 0;
    eg_arena_init(&a, 0);
    assert_int_equal(eg_text_blocks(&a, s, &blocks, NULL), EG_OK);
    for (size_t i = 0; i < blocks.count; i++) {
        const eg_block *b = &blocks.items[i];
        char above[12] = "-";
        if (b->above != EG_BLOCK_NONE) snprintf(above, sizeof above, "%u", b->above);
        n += (size_t)snprintf(got + n, sizeof got - n, "%u %s%u %s: %.*s\n", b->line, kinds[b->kind], b->level, above,
                              (int)(b->span.end - b->span.start), s.ptr + b->span.start);
    }
    got[n] = '\0';
    if (strcmp(got, wanted) != 0) fail_msg("of\n%s\ngot\n%swanted\n%s", text, got, wanted);
    eg_arena_release(&a);
}

static void headings(void **state) {
    (void)state;
    check("# A\ntext\n### C ##\nmore\n## B\nlast\n",
          "1 heading1 -: A\n2 paragraph0 0: text\n3 heading3 0: C\n4 paragraph0 2: more\n"
          "5 heading2 0: B\n6 paragraph0 4: last\n");
    check("Title\n=====\nPart\n---\nwords", "1 heading1 -: Title\n3 heading2 0: Part\n5 paragraph0 1: words\n");
    check("#123 is no heading\n####### nor this", "1 paragraph0 -: #123 is no heading\n####### nor this\n");
}

static void lists(void **state) {
    (void)state;
    check("Limits:\n\n- one\n  goes on\n  - deeper\n- two\n\nend",
          "1 paragraph0 -: Limits:\n3 item0 0: one\n  goes on\n5 item1 1: deeper\n"
          "6 item0 0: two\n8 paragraph0 -: end\n");
    check("Do this\n1. first\n2) second\n   - part",
          "1 paragraph0 -: Do this\n2 step0 0: first\n3 step0 0: second\n4 item1 2: part\n");
    check("A text.\n\n* not under it\n\n  but a part of this\n",
          "1 paragraph0 -: A text.\n3 item0 -: not under it\n5 paragraph0 1: but a part of this\n");
    check("- [x] done\n- -\n-no item", "1 item0 -: done\n2 item0 -: -\n-no item\n");
}

static void quotes(void **state) {
    (void)state;
    check("> [!NOTE]\n> a quote\n> of two lines\n\nand text",
          "2 paragraph0 -: a quote\n> of two lines\n5 paragraph0 -: and text\n");
    check("> - an item\n>   - below", "1 item0 -: an item\n2 item1 0: below\n");
}

static void tables(void **state) {
    (void)state;
    check("Ports:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\nend of it\n",
          "1 paragraph0 -: Ports:\n3 head0 0: a | b\n5 row0 1: 1 | 2\n6 row0 1: 3 | 4\n7 paragraph0 -: end of it\n");
    check("a | b\n--- | ---\n1 | 2\n\nno | table", "1 head0 -: a | b\n3 row0 0: 1 | 2\n5 paragraph0 -: no | table\n");
    check("| only | a row |", "1 row0 -: only | a row\n");
}

static void code(void **state) {
    (void)state;
    check("Set:\n```yaml\na:\n  b: 1\n\n```\nend", "1 paragraph0 -: Set:\n3 code0 0: a:\n4 code2 0: b: 1\n7 paragraph0 -: end\n");
    check("````\n```\nin\n````\nout\n~~~\n```\n~~~", "2 code0 -: ```\n3 code0 -: in\n5 paragraph0 -: out\n7 code0 2: ```\n");
    check("- item\n  ```\n  x=1\n  ```\n", "1 item0 -: item\n3 code2 0: x=1\n");
    check("So:\n\n    a=1\n    b=2\n\ntext\n    goes on",
          "1 paragraph0 -: So:\n3 code4 0: a=1\n4 code4 0: b=2\n6 paragraph0 -: text\n    goes on\n");
    check("```a``` in a line", "1 paragraph0 -: ```a``` in a line\n");
}

static void front_matter(void **state) {
    (void)state;
    check("---\ntitle: x\nowner: y\n---\ntext\n", "2 field0 -: title: x\n3 field0 -: owner: y\n5 paragraph0 -: text\n");
    check("---\ntext, and no second rule", "2 paragraph0 -: text, and no second rule\n");
    check("", "");
    check("\n \t\n", "");
}

static void out_of_memory(void **state) {
    (void)state;
    eg_arena a;
    eg_blocks blocks;
    eg_error err = {0};
    eg_arena_init(&a, 16);
    assert_int_equal(eg_text_blocks(&a, EG_STR("some text"), &blocks, &err), EG_ENOMEM);
    assert_true(err.text[0] != 0 && blocks.count == 0);
    eg_arena_release(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(headings),     cmocka_unit_test(lists), cmocka_unit_test(quotes),
                                       cmocka_unit_test(tables),       cmocka_unit_test(code),  cmocka_unit_test(front_matter),
                                       cmocka_unit_test(out_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
