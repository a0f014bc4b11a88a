/* test_docs.c - what is read out of documents: statements with their scopes and lines, refusals,
 * and time in proportion to the file whatever stands in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/docs/documents.h"

static eg_arena arena;
static eg_error err;

static eg_statements read_with(eg_document_kind kind, eg_str text, eg_status wanted) {
    eg_statements s = {.arena = &arena};
    err = (eg_error){0};
    if (eg_document_read(&s, "docs/Api Guide.md", kind, text, &err) != wanted) fail_msg("'%s'", err.text);
    return s;
}

static int release(void **state) {
    (void)state;
    eg_arena_release(&arena);
    return 0;
}

static void markdown(void **state) {
    (void)state;
    static const char text[] = "---\ntitle: not read\n---\n# Guide\n\nThe port is 80. It is\nopen to *all* of `*them*`.\n\n"
                               "## Web tier\n- The [limit](http://x.y/z) is 5 s.\n- [x] Yes.\n1. It was [not a link before.\n"
                               "```\nThe code is not read.\n```\n> An aside, quoted.\n<!-- nor a comment\nof two lines -->\n"
                               "| name | value of it |\n|---|---|\n| retries | 3 a call |\nlimit|5 a second\n\n"
                               "one | of two heads\n--- | ---\nwait | 5 s each\n\n    indented code is not\n"
                               "### \xC3\x84\nThe last one ends here";
    static const struct {
        const char *content, *scope;
        uint32_t line;
    } wanted[] = {{"The port is 80.", "api-guide", 6},
                  {"It is open to all of `*them*`.", "api-guide", 6},
                  {"The limit is 5 s.", "api-guide/web-tier", 10},
                  {"It was [not a link before.", "api-guide/web-tier", 12},
                  {"An aside, quoted.", "api-guide/web-tier", 16},
                  {"retries | 3 a call", "api-guide/web-tier", 21},
                  {"limit|5 a second", "api-guide/web-tier", 22},
                  {"wait | 5 s each", "api-guide/web-tier", 26},
                  {"The last one ends here", "api-guide/web-tier", 30}};
    eg_statements s = read_with(EG_DOCUMENT_MARKDOWN, EG_STR(text), EG_OK);
    for (size_t i = 0; i < s.count && i < sizeof wanted / sizeof *wanted; i++) {
        eg_str c = s.items[i].content, at = s.items[i].scope;
        if (!eg_str_eq(c, eg_str_of(wanted[i].content)) || !eg_str_eq(at, eg_str_of(wanted[i].scope)) ||
            s.items[i].line != wanted[i].line)
            fail_msg("%zu: '%.*s', %.*s:%u", i, (int)c.len, c.ptr, (int)at.len, at.ptr, s.items[i].line);
    }
    assert_int_equal(s.count, sizeof wanted / sizeof *wanted);
}

/* What stands in a box is read under the box's title, and what is behind it under what was before;
 * nested, in lists, with listings and without a title. */
static void boxes(void **state) {
    (void)state;
    static const char text[] = "# Guide\n\n## Ports\n\n!!! info \"Reload it\"\n    The port is changed at once.\n\n"
                               "    It is kept in a file.\n\n        indented code is not\n\nThe port is 80 here.\n"
                               "=== \"Linux\"\n\n    The port is 81 there.\n\n    ??? note\n        The old port is closed.\n\n"
                               "    ```\n    not read at all\n    ```\n=== \"Windows\"\n    The port is 82 there.\n\n"
                               "- The list has one item.\n\n    !!! warning inline end\n        It is in the list.\n\n"
                               "- And a second item.\n\n!!! example\n    The port is 99 as an example.\n\n"
                               "!!! Not a box at all.\n!!! nor must this be one\n";
    static const struct {
        const char *alone, *scope;
        uint32_t line;
    } wanted[] = {{"Ports: Reload it: The port is changed at once.", "api-guide/ports/reload-it", 6},
                  {"Ports: Reload it: It is kept in a file.", "api-guide/ports/reload-it", 8},
                  {"Ports: The port is 80 here.", "api-guide/ports", 12},
                  {"Ports: Linux: The port is 81 there.", "api-guide/ports/linux", 15},
                  {"Ports: Linux: The old port is closed.", "api-guide/ports/linux", 18},
                  {"Ports: Windows: The port is 82 there.", "api-guide/ports/windows", 24},
                  {"Ports: The list has one item.", "api-guide/ports", 26},
                  {"Ports: The list has one item: It is in the list.", "api-guide/ports", 29},
                  {"Ports: And a second item.", "api-guide/ports", 31},
                  {"Ports: !!!: Not a box at all.", "api-guide/ports", 36},
                  {"Ports: !!!: !!! nor must this be one", "api-guide/ports", 37}};
    eg_statements s = read_with(EG_DOCUMENT_MARKDOWN, EG_STR(text), EG_OK);
    for (size_t i = 0; i < s.count && i < sizeof wanted / sizeof *wanted; i++) {
        eg_str c = s.items[i].alone.len ? s.items[i].alone : s.items[i].content, at = s.items[i].scope;
        if (!eg_str_eq(c, eg_str_of(wanted[i].alone)) || !eg_str_eq(at, eg_str_of(wanted[i].scope)) ||
            s.items[i].line != wanted[i].line)
            fail_msg("%zu: '%.*s', %.*s:%u", i, (int)c.len, c.ptr, (int)at.len, at.ptr, s.items[i].line);
    }
    assert_int_equal(s.count, sizeof wanted / sizeof *wanted);
}

/* The dashes that begin a comment do not end it as well. In memory of its own, so that a sanitizer
 * sees what is read beyond it. */
static void short_comments(void **state) {
    (void)state;
    static const char *const texts[] = {"<!-->", "<!--->", "<!---->", "<!-->engram: ignore", "a <!--"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t n = strlen(texts[i]);
        char *copy = malloc(n);
        memcpy(copy, texts[i], n);
        eg_statements s = read_with(EG_DOCUMENT_MARKDOWN, (eg_str){copy, n}, EG_OK);
        assert_int_equal(s.mark_count, 0);
        free(copy);
    }
}

/* A fence is closed by its like only: what stands behind an example of Markdown is read again. */
static void fences(void **state) {
    (void)state;
    static const char text[] =
        "````md\n```\nnot read at all\n```\nnor is this one\n````\n"
        "The first one is read.\n~~~\n```\nnot read either, no\n~~~\nThe second one is read.\n\n"
        "Is a question one?\n\nThese are the ports in use:\n"
        "```sh\n``` sh\n# a comment is not read\n`````\n```a``` is code in a line.\nThe fourth one is read.\n";
    eg_statements s = read_with(EG_DOCUMENT_MARKDOWN, EG_STR(text), EG_OK);
    assert_int_equal(s.count, 4);
    assert_int_equal(s.items[0].line, 7);
    assert_int_equal(s.items[1].line, 12);
    assert_int_equal(s.items[2].line, 21);
}

/* What a reader of the page does not see is no statement, and what he sees is none but without its
 * tags. */
static void html(void **state) {
    (void)state;
    static const char text[] =
        "The port <!-- was 81 --> is <b>80</b> &mdash; `<b>`, <PATH> and a&lt;b.\n\n"
        "<pre><code>not read, no\n\nnor is this\n</code></pre> The second <code>one</code> here.\n"
        "<p class=\"x\">One in a paragraph.</p>And one behind it.<br>And a last one\n<!--\n```\n-->\n"
        "<tr><td>retries</td><td>3 a call</td></tr>\nIt is `a < b` or <a href=\"x\">c > d</a> <!-- never\nclosed";
    static const char *const wanted[] = {"The port is 80 \xE2\x80\x94 `<b>`, <PATH> and a<b.",
                                         "The second `one` here.",
                                         "One in a paragraph.",
                                         "And one behind it.",
                                         "And a last one",
                                         "retries 3 a call",
                                         "It is `a < b` or c > d"};
    eg_statements s = read_with(EG_DOCUMENT_MARKDOWN, EG_STR(text), EG_OK);
    for (size_t i = 0; i < s.count; i++) {
        eg_str c = s.items[i].content;
        if (i >= sizeof wanted / sizeof *wanted || !eg_str_eq(c, eg_str_of(wanted[i])))
            fail_msg("%zu: '%.*s'", i, (int)c.len, c.ptr);
    }
    assert_int_equal(s.count, sizeof wanted / sizeof *wanted);
}

/* What a statement does, and what it needs from around it to stand alone. */
static void kinds_and_alone(void **state) {
    (void)state;
    static const char text[] =
        "# Guide\n## Staging\nAll calls are logged. Should we keep them?\n\nDo not:\n- restart the broker by hand\n\n"
        "| port | use |\n|---|---|\n| 80 | redirects |\n\n`app.yml`:\n```yaml\nhttp:\n  retries: 3\n```\n"
        "```console\n$ appctl check --all\nall is fine here\n```\n```c\nint main(void) { return 0; }\n```\n"
        "```js {2}\nconst retries = 5;\nretries: 6\n```\n```json\n{\n  \"retries\": 7\n}\n```\n```\nretries: 8\n```\n"
        "Rejected: a second broker for mails.\n";
    static const struct {
        uint32_t kind;
        const char *content, *alone;
    } wanted[] = {{EG_STATEMENT_ASSERTION, "All calls are logged.", "Staging: All calls are logged."},
                  {EG_STATEMENT_PROHIBITION, "restart the broker by hand", "Staging: Do not: restart the broker by hand"},
                  {EG_STATEMENT_OPTION, "80 | redirects", "Staging: 80: use redirects"},
                  {EG_STATEMENT_OPTION, "retries: 3", "Staging: `app.yml`: http.retries = 3"}};
    eg_statements s = read_with(EG_DOCUMENT_MARKDOWN, EG_STR(text), EG_OK);
    for (size_t i = 0; i < s.count && i < sizeof wanted / sizeof *wanted; i++) {
        const eg_check_item *it = &s.items[i];
        if (it->kind != wanted[i].kind || !eg_str_eq(it->content, eg_str_of(wanted[i].content)) ||
            !eg_str_eq(it->alone, eg_str_of(wanted[i].alone)))
            fail_msg("%zu: kind %u, '%.*s', '%.*s'", i, it->kind, (int)it->content.len, it->content.ptr, (int)it->alone.len,
                     it->alone.ptr);
    }
    assert_int_equal(s.count, sizeof wanted / sizeof *wanted);
}

/* Where a statement begins and ends, and which comment is about it. */
static void lines_and_marks(void **state) {
    (void)state;
    static const char text[] = "The first one is here. The second\none ends here. The third <!-- engram: ignore -->\n"
                               "one ends in\nthe line 4.\n\n<!-- engram: ignore -->\n\n- A list has\n  an item here.\n"
                               "- And another item. <!-- engram: ignore, since it is planned -->\n"
                               "- The last item is `<!-- engram: ignore -->`\n";
    static const uint32_t wanted[][3] = {{1, 1, 0}, {1, 2, 1}, {2, 4, 1}, {8, 9, 2}, {10, 10, 3}, {11, 11, 0}};
    eg_statements s = read_with(EG_DOCUMENT_MARKDOWN, EG_STR(text), EG_OK);
    assert_int_equal(s.count, sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < s.count; i++)
        if (s.items[i].line != wanted[i][0] || s.places[i].last_line != wanted[i][1] || s.places[i].mark != wanted[i][2])
            fail_msg("%zu: %u to %u, mark %u", i, s.items[i].line, s.places[i].last_line, s.places[i].mark);
    assert_int_equal(s.mark_count, 3);
    assert_int_equal(s.marks[1].line, 6);
    assert_int_equal(s.marks[1].target, 8);
    s = read_with(EG_DOCUMENT_MARKDOWN, EG_STR("The limit is 3 calls.\n\n<!-- engram: ignore-file -->\n"), EG_OK);
    assert_int_equal(s.count, 0);
    assert_true(s.mark_count == 1 && s.marks[0].target == 0);
}

/* Components and modules are no text; the lines stay. A notebook's lines are those of its file
 * where it is indented. */
static void components_and_cells(void **state) {
    (void)state;
    eg_statements s =
        read_with(EG_DOCUMENT_MDX,
                  EG_STR("import a from 'b'\nmore of it is here\n\n<Tab a={x > 1}\n b=\">\">\nThe limit is <B>3</B> "
                         "calls.\n</Tab>\nIt is `<B>` or <b>c</b> & 1 < 2 here.\n{/* not\nread */}\n"),
                  EG_OK);
    assert_int_equal(s.count, 2);
    assert_true(eg_str_eq(s.items[0].content, EG_STR("The limit is 3 calls.")) && s.items[0].line == 6);
    assert_true(eg_str_eq(s.items[1].content, EG_STR("It is `<B>` or c & 1 < 2 here.")) && s.items[1].line == 8);
    static const char *const notebooks[] = {
        "{\"cells\":[\n{\"source\":[\n\"a b\\n\",\n\"\\n\",\n\"The limit is 3.\"],\n\"cell_type\":\"markdown\"}]}",
        "{\"cells\":[{\"cell_type\":\"code\",\"source\":\"not read at all\"},\n\n\n\n{\"cell_type\":\"markdown\",\"source\":\"a "
        "b\\n\\nThe limit is 3.\"}]}",
        "{\"cells\":[\n\n\n\n{\"cell_type\":\"markdown\",\"source\":[\"a\\n\\n\",\"The limit is 3.\"]}]}"};
    for (size_t i = 0; i < sizeof notebooks / sizeof *notebooks; i++) {
        s = read_with(EG_DOCUMENT_NOTEBOOK, eg_str_of(notebooks[i]), EG_OK);
        if (s.count != 1 || s.items[0].line != 5) fail_msg("%zu: %zu, line %u", i, s.count, s.count ? s.items[0].line : 0);
    }
    read_with(EG_DOCUMENT_NOTEBOOK, EG_STR("[]"), EG_EFORMAT);
    assert_non_null(strstr(err.text, "docs/Api Guide.md: not a notebook"));
    read_with(EG_DOCUMENT_NOTEBOOK, EG_STR("{\"cells\": [{\"source\": [1]}]}"), EG_EFORMAT);
    assert_non_null(strstr(err.text, "docs/Api Guide.md:1:"));
}

/* The statements of a text: "line content" each. */
static void read_lines(eg_document_kind kind, const char *text, const char *const *wanted, size_t n) {
    eg_statements s = read_with(kind, eg_str_of(text), EG_OK);
    for (size_t i = 0; i < s.count; i++) {
        char line[300];
        snprintf(line, sizeof line, "%u-%u%s %.*s", s.items[i].line, s.places[i].last_line, s.places[i].mark ? "!" : "",
                 (int)s.items[i].content.len, s.items[i].content.ptr);
        if (i >= n || strcmp(line, wanted[i]) != 0) fail_msg("%zu: '%s' instead of '%s'", i, line, i < n ? wanted[i] : "nothing");
    }
    assert_int_equal(s.count, n);
}

static void restructured_text(void **state) {
    (void)state;
    static const char text[] =
        ".. _guide:\n\n=========\nThe Guide\n=========\n:Author: not Anna B.\n\nPorts\n-----\n\n"
        "See :ref:`the ports <ports>`, `the site <http://x.y>`_ and\nthen :func:`~os.path.join` [1]_ in ``a < b``.\n\n"
        "* The first item\n  goes on here.\n\n  * A nested item here.\n* The last item here.\n\n#. The step is first.\n\n"
        "A term\n    is defined here.\n\n-v, --verbose  print more of it\n--level=L      the level of\n               the logs\n\n"
        ":param int count: how often it is.\n\nThis is an example::\n\n    not read as text\n\n.. code-block:: c\n\n   not read, no\n\n"
        ".. note:: It is shared\n   by all workers.\n\n.. versionchanged:: 3.4\n   It is now strict.\n\n"
        ".. deprecated:: 3.9\n\n.. a comment is\n   not read\n\n.. image:: x.png\n   :alt: not read\n\n   nor its caption here\n\n"
        ".. engram: ignore\n\nThe suppressed one is here.\n\n>>> not_read(1, 2)\n3\n\nThe last one is here.\n";
    static const char *const wanted[] = {"6-6 Author: not Anna B.",
                                         "11-12 See the ports, the site and then `join` in `a < b`.",
                                         "14-15 The first item goes on here.",
                                         "17-17 A nested item here.",
                                         "18-18 The last item here.",
                                         "20-20 The step is first.",
                                         "22-23 A term: is defined here.",
                                         "25-25 `-v, --verbose`: print more of it",
                                         "26-27 `--level=L`: the level of the logs",
                                         "29-29 count: how often it is.",
                                         "39-40 It is shared by all workers.",
                                         "43-43 Changed in version 3.4: It is now strict.",
                                         "57-57! The suppressed one is here.",
                                         "62-62 The last one is here."};
    read_lines(EG_DOCUMENT_RST, text, wanted, sizeof wanted / sizeof *wanted);
    eg_statements s = read_with(EG_DOCUMENT_RST,
                                EG_STR("Guide\n=====\n\nPorts\n-----\n\n.. function:: open(path)\n\n   It opens the file.\n\n"
                                       "Hosts\n-----\n\nThere are three hosts.\n"),
                                EG_OK);
    assert_int_equal(s.count, 2);
    assert_true(eg_str_eq(s.items[0].scope, EG_STR("api-guide/ports/open-path")));
    assert_true(eg_str_eq(s.items[1].scope, EG_STR("api-guide/hosts")));
}

/* Cells of several lines are one text; the head of a table is no statement. */
static void restructured_tables(void **state) {
    (void)state;
    static const char text[] =
        "+-------+-----------+\n| Name  | Value     |\n+=======+===========+\n| limit | 5 calls a |\n|       | second    |\n"
        "+-------+-----------+\n| wait  | 30 s each |\n+-------+-----------+\n\n=====  =========\nKey    Meaning\n=====  =========\n"
        "\xC3\xA4      the first\n       of them\nb      the second\n=====  =========\n\n.. list-table:: Title of it\n   :header-rows: 1\n\n"
        "   * - Setting\n     - Default\n   * - timeout\n     - 30 seconds\n   * - retries\n     - 3 times\n\n.. csv-table::\n"
        "   :header: Name, Size\n\n   \"cache\", \"10 MB, all\"\n\nThe text goes on.\n";
    static const char *const wanted[] = {"4-4 limit | 5 calls a second",       "7-7 wait | 30 s each",
                                         "13-13 \xC3\xA4 | the first of them", "15-15 b | the second",
                                         "23-23 timeout | 30 seconds",         "25-25 retries | 3 times",
                                         "31-31 cache | 10 MB, all",           "33-33 The text goes on."};
    read_lines(EG_DOCUMENT_RST, text, wanted, sizeof wanted / sizeof *wanted);
}

static void asciidoc(void **state) {
    (void)state;
    static const char text[] =
        "= The Guide\nAnna B. <a@b.c>\n:toc:\n\nThe port is `+80+`. See <<p,the ports>>,\nhttps://x.y[the site] and linkgit:git-add[1].\n\n"
        "// a comment is not read\n////\nnor is this one\n////\n== Ports\n\n* The first item\ngoes on here.\n** A nested item here.\n+\n"
        "It is attached text.\n\n. The step is first.\n\ntimeout:: How long to wait.\n-v::\n--verbose::\n\tBe verbose about it.\n\n"
        "[source,c]\n----\nnot read, no\n----\n\nNOTE: It is shared by all.\n\n[NOTE]\n====\nIt is within a block.\n====\n\n"
        "____\nThe quote is read.\n____\n\n// engram: ignore\nThe suppressed one is here.\n\n[cols=\"1,2\",options=\"header\"]\n|===\n"
        "|Setting |Default\n\n|timeout\n|30 seconds\n|retries |3 times\n|===\n\nOld Title\n---------\nThe last one is here.\n\n"
        " not read either, no\n\ninclude::x.adoc[]\n";
    static const char *const wanted[] = {"5-5 The port is `80`.",
                                         "5-6 See the ports, the site and git-add(1).",
                                         "14-15 The first item goes on here.",
                                         "16-16 A nested item here.",
                                         "18-18 It is attached text.",
                                         "20-20 The step is first.",
                                         "22-22 timeout: How long to wait.",
                                         "25-25 -v, --verbose: Be verbose about it.",
                                         "32-32 It is shared by all.",
                                         "36-36 It is within a block.",
                                         "40-40 The quote is read.",
                                         "44-44! The suppressed one is here.",
                                         "50-50 timeout | 30 seconds",
                                         "52-52 retries | 3 times",
                                         "57-57 The last one is here."};
    read_lines(EG_DOCUMENT_ASCIIDOC, text, wanted, sizeof wanted / sizeof *wanted);
    static const char *const signs[] = {"4-4 Say HEAD^ or a + b."};
    read_lines(EG_DOCUMENT_ASCIIDOC, "[verse]\n'git add' of no prose\n\nSay HEAD{caret} or a {plus} b.\n", signs, 1);
}

static void read_as(const char *text, const char *wanted, const char *scope) {
    eg_statements s = read_with(EG_DOCUMENT_MARKDOWN, eg_str_of(text), EG_OK);
    if (s.count != 1 || !eg_str_eq(s.items[0].content, eg_str_of(wanted)) || !eg_str_eq(s.items[0].scope, eg_str_of(scope)))
        fail_msg("'%s': %zu statements, '%.*s'", text, s.count, s.count ? (int)s.items[0].content.len : 0,
                 s.count ? s.items[0].content.ptr : "");
}

/* What a line is, is settled before the HTML in it. */
static void kinds_of_lines(void **state) {
    (void)state;
    read_as("<PRE>\nnot read, no\n</Pre >\nThe limit is 3 calls.", "The limit is 3 calls.", "api-guide");
    read_as("    <p>An indented <pre> is code.</p>\n\nThe limit is 3 calls.", "The limit is 3 calls.", "api-guide");
    read_as("> [!NOTE]\n> The limit<br>is\n> 3 calls.", "is 3 calls.", "api-guide");
    read_as("The Payments Guide\n====\nAll the Limits\n---\nThe limit is 3 calls.", "The limit is 3 calls.",
            "api-guide/all-the-limits");
    read_as("- The limit is 3 calls.\n---\n", "The limit is 3 calls.", "api-guide");
    read_as("## All <b>the</b> Limits <!-- of\nThe limit is 3 calls.", "The limit is 3 calls.", "api-guide/all-the-limits");
    read_as("- > The limit is\n  > 3 calls.\n\n::: note\n", "The limit is 3 calls.", "api-guide");
    read_as("The [limit][of calls] is [3](three) [calls].", "The limit is 3 calls.", "api-guide");
    read_as("---\n\nThe limit is 3 calls.", "The limit is 3 calls.", "api-guide");
}

static void lines_and_objects(void **state) {
    (void)state;
    eg_statements s = read_with(EG_DOCUMENT_TEXT, EG_STR("one\r\n\n two \n"), EG_OK);
    assert_int_equal(s.count, 2);
    assert_true(eg_str_eq(s.items[1].content, EG_STR("two")) && s.items[1].line == 3);
    s = read_with(EG_DOCUMENT_JSONL, EG_STR("{\"scope\":\"a\",\"content\":\"x \\u0079\",\"more\":{\"content\":\"no\"}}\n"),
                  EG_OK);
    assert_int_equal(s.count, 1);
    assert_true(eg_str_eq(s.items[0].content, EG_STR("x y")) && eg_str_eq(s.items[0].scope, EG_STR("a")));
    static const struct {
        eg_document_kind kind;
        eg_str text;
        eg_status status;
        const char *says;
    } refused[] = {{EG_DOCUMENT_MARKDOWN, {"a\nb\xFF", 4}, EG_EINVAL, "docs/Api Guide.md:2: invalid UTF-8"},
                   {EG_DOCUMENT_TEXT, {"\xC3", 1}, EG_EINVAL, "docs/Api Guide.md:1: invalid UTF-8"},
                   {EG_DOCUMENT_JSONL, {"{}", 2}, EG_EFORMAT, "docs/Api Guide.md, line 1: no \"content\""},
                   {EG_DOCUMENT_JSONL, {"\n{\"content\":", 12}, EG_EFORMAT, "docs/Api Guide.md, line 2:1:12:"},
                   {EG_DOCUMENT_JSONL, {"[1]", 3}, EG_EFORMAT, "line 1: no \"content\""}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        read_with(refused[i].kind, refused[i].text, refused[i].status);
        if (!strstr(err.text, refused[i].says)) fail_msg("'%s' does not say '%s'", err.text, refused[i].says);
    }
    char *wide = malloc(EG_MAX_CONTENT + 2);
    memset(wide, 'w', EG_MAX_CONTENT + 2);
    read_with(EG_DOCUMENT_TEXT, (eg_str){wide, EG_MAX_CONTENT}, EG_OK);
    read_with(EG_DOCUMENT_TEXT, (eg_str){wide, EG_MAX_CONTENT + 1}, EG_ELIMIT);
    free(wide);
}

static void kinds_of_documents(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int known;
        eg_document_kind kind;
    } names[] = {{"a.md", 1, EG_DOCUMENT_MARKDOWN},
                 {"docs/a.b.markdown", 1, EG_DOCUMENT_MARKDOWN},
                 {"notes.txt", 1, EG_DOCUMENT_TEXT},
                 {"/tmp/x.jsonl", 1, EG_DOCUMENT_JSONL},
                 {"a.rst", 1, EG_DOCUMENT_RST},
                 {"a.rst.txt", 1, EG_DOCUMENT_RST},
                 {"a.adoc", 1, EG_DOCUMENT_ASCIIDOC},
                 {"a.mdx", 1, EG_DOCUMENT_MDX},
                 {".cursorrules", 1, EG_DOCUMENT_MARKDOWN},
                 {"requirements.txt", 0, EG_DOCUMENT_MARKDOWN},
                 {"md", 0, EG_DOCUMENT_MARKDOWN},
                 {"", 0, EG_DOCUMENT_MARKDOWN}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        eg_document_kind kind = EG_DOCUMENT_MARKDOWN;
        assert_int_equal(eg_document_kind_of_name(names[i].name, &kind), names[i].known);
        assert_int_equal(kind, names[i].kind);
    }
    assert_int_equal(eg_document_kind_of_text(EG_STR("\xEF\xBB\xBF \r\n\t{\"content\"")), EG_DOCUMENT_JSONL);
    assert_int_equal(eg_document_kind_of_text(EG_STR("# A {")), EG_DOCUMENT_MARKDOWN);
    assert_int_equal(eg_document_kind_of_text((eg_str){"\0{", 2}), EG_DOCUMENT_MARKDOWN);
    assert_int_equal(eg_document_kind_of_text((eg_str){"", 0}), EG_DOCUMENT_MARKDOWN);
}

/* Several documents make one list; one that fails leaves the list as it was, and each failing
 * allocation is told. */
static void lists_of_documents(void **state) {
    (void)state;
    eg_statements s = {.arena = &arena};
    err = (eg_error){0};
    assert_int_equal(eg_document_read(&s, "a/One.txt", EG_DOCUMENT_TEXT, EG_STR("\xEF\xBB\xBFone\n"), &err), EG_OK);
    assert_int_equal(eg_document_read(&s, "b.txt", EG_DOCUMENT_TEXT, EG_STR("two\n\xFF"), &err), EG_EINVAL);
    assert_int_equal(eg_document_read(&s, "b.jsonl", EG_DOCUMENT_JSONL, EG_STR("{\"content\":\"x\"}\n{}"), &err), EG_EFORMAT);
    assert_int_equal(eg_document_read(&s, "c.md", EG_DOCUMENT_MARKDOWN, EG_STR("Three words here."), &err), EG_OK);
    assert_int_equal(s.count, 2);
    assert_true(eg_str_eq(s.items[0].content, EG_STR("one")) && eg_str_eq(s.items[0].scope, EG_STR("one")));
    assert_true(eg_str_eq(s.items[0].file, EG_STR("a/One.txt")) && eg_str_eq(s.items[1].file, EG_STR("c.md")));
    eg_status status = EG_ENOMEM;
    for (size_t limit = 1; status == EG_ENOMEM; limit += 64) {
        eg_arena small;
        eg_arena_init(&small, limit);
        s = (eg_statements){.arena = &small};
        err = (eg_error){0};
        status = eg_document_read(&s, "c.md", EG_DOCUMENT_MARKDOWN, EG_STR("# A\n\nThree words here."), &err);
        assert_true(status == EG_OK || (s.count == 0 && err.code == EG_ENOMEM));
        eg_arena_release(&small);
    }
    assert_int_equal(status, EG_OK);
}

static void too_many(void **state) {
    (void)state;
    size_t n = 2 * (EG_MAX_CHECK_STATEMENTS + 1);
    char *text = malloc(n);
    for (size_t i = 0; i < n; i++) text[i] = i % 2 ? '\n' : 'a';
    eg_statements s = read_with(EG_DOCUMENT_TEXT, (eg_str){text, n}, EG_ELIMIT);
    assert_int_equal(s.count, 0); /* a document that fails adds nothing */
    assert_non_null(strstr(err.text, "docs/Api Guide.md:20001: more than 20000 statements"));
    free(text);
}

/* Four megabytes of one thing and another: quadratic time would not end within the test's limit. */
static void long_files_take_linear_time(void **state) {
    (void)state;
    static const char *const pieces[] = {
        "[",      "](",     "[](",  "A! ",  ".",   "`",     "# ",  "a\n",   "- ",      "|",
        "<!--",   "*",      "b. ",  "\t",   "<a ", "<x ",   "<p>", "&",     "<pre>",   "\n<!-- engram: ignore -->",
        "{/*",    "``a",    "<A {", ":a:`", "|a",  "a::\n", "* ",  "+-+\n", "== ==\n", ".. a::\n",
        "----\n", "|===\n", "a[",   "[1]_"};
    enum { SIZE = 1 << 20 };
    char *text = malloc(SIZE + 2);
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        size_t n = 0, k = strlen(pieces[i]);
        for (; n + k < SIZE; n += k) memcpy(text + n, pieces[i], k);
        memcpy(text + n, " x", 2);
        eg_statements s = {.arena = &arena};
        eg_status status = eg_document_read(&s, "a.md", EG_DOCUMENT_MARKDOWN, (eg_str){text, n + 2}, &err);
        assert_true(status == EG_OK || status == EG_ELIMIT);
        static const eg_document_kind others[] = {EG_DOCUMENT_MDX, EG_DOCUMENT_RST, EG_DOCUMENT_ASCIIDOC};
        for (size_t o = 0; o < sizeof others / sizeof *others && (status == EG_OK || status == EG_ELIMIT); o++) {
            eg_arena_release(&arena);
            s = (eg_statements){.arena = &arena};
            status = eg_document_read(&s, "a.b", others[o], (eg_str){text, n + 2}, &err);
        }
        assert_true(status == EG_OK || status == EG_ELIMIT);
        eg_arena_release(&arena);
    }
    free(text);
}

typedef struct line_of {
    const char *content;
    uint32_t line;
} line_of;

static void reads_comments(eg_document_kind kind, const char *text, const line_of *wanted, size_t n) {
    eg_statements s = read_with(kind, eg_str_of(text), EG_OK);
    for (size_t i = 0; i < s.count && i < n; i++) {
        eg_str c = s.items[i].content;
        if (!eg_str_eq(c, eg_str_of(wanted[i].content)) || s.items[i].line != wanted[i].line)
            fail_msg("%zu: '%.*s':%u", i, (int)c.len, c.ptr, s.items[i].line);
    }
    assert_int_equal(s.count, n);
}
#define COMMENTS(kind, text, ...)                                                              \
    do {                                                                                       \
        static const line_of wanted[] = {__VA_ARGS__};                                         \
        reads_comments(EG_DOCUMENT_CODE_##kind, text, wanted, sizeof wanted / sizeof *wanted); \
    } while (0)

/* Comments with the lines that they stand on; strings that look like them, code that was commented
 * out, tags and licences are none. */
static void comments_of_code(void **state) {
    (void)state;
    COMMENTS(C,
             "// SPDX-License-Identifier: of no interest here\n"
             "/* The pool of connections.\n *\n * The pool holds\n * 20 connections. It is\n * never closed. */\n"
             "int a = 1; // The first one is one.\nint b = 2; // The second one is two.\n"
             "char *s = \"// not a comment at all\", c = '\"', *t = \"/* nor is this */\";\n"
             "// The third one goes on\n// in the next line.\nint d;\n// The fourth stands alone.\n"
             "// return three_words(of, code);\n/** @param a the tag of a tool */\n"
             "let r = `// no comment\n// of two lines`; /// The fifth is read.\n/* The last one is not closed",
             {"The pool of connections.", 2}, {"The pool holds 20 connections.", 4}, {"It is never closed.", 5},
             {"The first one is one.", 7}, {"The second one is two.", 8}, {"The third one goes on in the next line.", 10},
             {"The fourth stands alone.", 13}, {"The fifth is read.", 17}, {"The last one is not closed", 18});
    COMMENTS(HASH,
             "#!/bin/sh is no comment\n# The limit is 5 s.\nif [ $# -gt 1 ]; then # Two are too many.\n"
             "echo \"# not a comment\" '# nor is this' a#b\n",
             {"The limit is 5 s.", 2}, {"Two are too many.", 3});
    COMMENTS(SQL, "-- The table is small.\nSELECT '-- not a comment', 1 -- It has one row.\n/* It is\n never written. */\n",
             {"The table is small.", 1}, {"It has one row.", 2}, {"It is never written.", 3});
    COMMENTS(
        PYTHON,
        "\"\"\"The module has a text.\n\nIt goes on here.\n\"\"\"\nx = \"\"\"\n# not a comment\n\"\"\"  # A comment stands here.\n"
        "def f():\n    '''The function has one too.'''\n    return '#' # The value is one byte.\n",
        {"The module has a text.", 1}, {"It goes on here.", 3}, {"A comment stands here.", 7}, {"The function has one too.", 9},
        {"The value is one byte.", 10});
}

/* A mark is about its own line, or where it stands alone about the next one. */
static void marks_in_comments(void **state) {
    (void)state;
    static const char text[] = "// engram: ignore (why)\n// The first one is marked.\n\nint a;\n// The second one is not.\n";
    eg_statements s = read_with(EG_DOCUMENT_CODE_C, EG_STR(text), EG_OK);
    assert_int_equal(s.count, 2);
    assert_int_equal(s.places[0].mark, 1);
    assert_int_equal(s.places[1].mark, 0);
    assert_int_equal(read_with(EG_DOCUMENT_CODE_HASH, EG_STR("# The limit is 5.\n# engram: ignore-file\n"), EG_OK).count, 0);
}

static void kinds_of_code(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int kind; /* -1: no code */
    } names[] = {{"a.c", EG_DOCUMENT_CODE_C},
                 {"a.test.ts", EG_DOCUMENT_CODE_C},
                 {"x.py", EG_DOCUMENT_CODE_PYTHON},
                 {"b.sql", EG_DOCUMENT_CODE_SQL},
                 {"Makefile", EG_DOCUMENT_CODE_HASH},
                 {"c.yml", EG_DOCUMENT_CODE_HASH},
                 {"a.md", -1},
                 {"c", -1},
                 {"a.", -1},
                 {"", -1}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        eg_document_kind kind = EG_DOCUMENT_MARKDOWN;
        int known = eg_document_code_of_name(names[i].name, &kind);
        if (known != (names[i].kind >= 0) || (known && (int)kind != names[i].kind)) fail_msg("%s", names[i].name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comments_of_code),
        cmocka_unit_test(marks_in_comments),
        cmocka_unit_test(kinds_of_code),
        cmocka_unit_test(markdown),
        cmocka_unit_test(kinds_and_alone),
        cmocka_unit_test(boxes),
        cmocka_unit_test(short_comments),
        cmocka_unit_test(fences),
        cmocka_unit_test(html),
        cmocka_unit_test(lines_and_marks),
        cmocka_unit_test(components_and_cells),
        cmocka_unit_test(restructured_text),
        cmocka_unit_test(restructured_tables),
        cmocka_unit_test(asciidoc),
        cmocka_unit_test(kinds_of_lines),
        cmocka_unit_test(lines_and_objects),
        cmocka_unit_test(kinds_of_documents),
        cmocka_unit_test(lists_of_documents),
        cmocka_unit_test(too_many),
        cmocka_unit_test(long_files_take_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
