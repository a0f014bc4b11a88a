/* test_citation.c - what evidence cites, and whether it still stands there. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
/* cmocka wants the headers above first */
#include <cmocka.h>

#include "core/access/citation.h"

static void evidence_is_read(void **state) {
    (void)state;
    static const struct {
        const char *text, *path; /* path NULL: it cites nothing */
        uint32_t first, last;
    } cases[] = {{"src/auth.c:42", "src/auth.c", 42, 42},
                 {"seen in `src/auth.c:42-50`, and tried", "src/auth.c", 42, 50},
                 {"(README.md:7)", "README.md", 7, 7},
                 {"src/auth.c#L42", "src/auth.c", 42, 42},
                 {"src/auth.c#L42-L50.", "src/auth.c", 42, 50},
                 {"src/auth.c:42:17: error", "src/auth.c", 42, 42},
                 {"see localhost:8080, then a/Makefile:3", "a/Makefile", 3, 3},
                 {"src/auth.c", NULL, 0, 0},
                 {"localhost:8080", NULL, 0, 0},
                 {"10.0.0.1:8080", NULL, 0, 0},
                 {"https://example.com:443/x", NULL, 0, 0},
                 {"src/auth.c:0", NULL, 0, 0},
                 {"src/auth.c:50-42", NULL, 0, 0},
                 {"src/auth.c:1-99999", NULL, 0, 0},
                 {"src/auth.c:123456789", NULL, 0, 0},
                 {"../secret.txt:1", NULL, 0, 0},
                 {"src/../../secret.txt:1", NULL, 0, 0},
                 {"src//auth.c:1", NULL, 0, 0},
                 {"src/auth.c:", NULL, 0, 0},
                 {"src/auth.c#", NULL, 0, 0},
                 {"src/auth.c:4x", NULL, 0, 0},
                 {"12:30", NULL, 0, 0},
                 {"", NULL, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        eg_citation c;
        int found = eg_citation_parse(eg_str_of(cases[i].text), &c);
        if (found != (cases[i].path != NULL)) fail_msg("'%s': %d", cases[i].text, found);
        if (!found) continue;
        if (!eg_str_eq(c.path, eg_str_of(cases[i].path)) || c.first != cases[i].first || c.last != cases[i].last)
            fail_msg("'%s': %.*s %u-%u", cases[i].text, (int)c.path.len, c.path.ptr, c.first, c.last);
    }
}

static void write_file(const char *root, const char *name, const char *text) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static eg_citation look(const char *root, int sure, const char *evidence, const char *known) {
    eg_citation c;
    size_t budget = EG_CITED_FILE;
    assert_true(eg_citation_parse(eg_str_of(evidence), &c));
    eg_citation_look(root, sure, eg_str_of(known), &budget, &c);
    return c;
}

static void files_are_compared(void **state) {
    (void)state;
    char root[] = "/tmp/citation-XXXXXX", path[300], whole[400];
    assert_non_null(mkdtemp(root));
    snprintf(path, sizeof path, "%s/src", root);
    mkdir(path, 0700);
    write_file(root, "src/a.c", "int a;\n  int port = 80;\nint b;\n");
    eg_citation was = look(root, 1, "src/a.c:2", "");
    assert_int_equal(was.state, EG_CITED_UNKNOWN);
    assert_true(strncmp(was.hash, "lines-sha256:", 13) == 0);
    assert_int_equal(look(root, 1, "src/a.c:2", was.hash).state, EG_CITED_FITS);
    snprintf(whole, sizeof whole, "%s/src/a.c:2", root); /* an absolute path below the root */
    assert_int_equal(look(root, 1, whole, was.hash).state, EG_CITED_FITS);
    assert_int_equal(look(root, 1, "./src/a.c:2", was.hash).state, EG_CITED_FITS);
    assert_int_equal(look(root, 1, "src/a.c:9", "").state, EG_CITED_CHANGED);
    assert_int_equal(look(root, 1, "/etc/passwd:1", "").state, EG_CITED_UNKNOWN);

    write_file(root, "src/a.c", "/* new */\nint a;\nint port = 80;\nint b;\n");
    eg_citation moved = look(root, 1, "src/a.c:2", was.hash);
    assert_int_equal(moved.state, EG_CITED_MOVED);
    assert_int_equal(moved.found, 3);
    char *far = malloc(12000), line[] = "int port = 80;\n";
    assert_non_null(far);
    memset(far, '\n', 12000);
    memcpy(far + 11000, line, sizeof line); /* in line 11001: too far away */
    write_file(root, "src/a.c", far);
    assert_int_equal(look(root, 1, "src/a.c:2", was.hash).state, EG_CITED_CHANGED);
    assert_int_equal(look(root, 1, "src/a.c:9000", was.hash).found, 11001);
    free(far);
    write_file(root, "src/a.c", "int a;\nint port = 81;\nint b;\n");
    assert_int_equal(look(root, 1, "src/a.c:2", was.hash).state, EG_CITED_CHANGED);
    /* SHA-256 of a whole file: of "abc" */
    write_file(root, "src/b.c", "abc");
    const char *abc = "sha256:BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD";
    assert_int_equal(look(root, 1, "src/b.c:1", abc).state, EG_CITED_FITS);
    assert_int_equal(look(root, 1, "src/a.c:1", abc).state, EG_CITED_CHANGED);
    assert_int_equal(look(root, 1, "src/a.c:1", "a tag of theirs").state, EG_CITED_UNKNOWN);

    /* gone, where the path is surely one of this repository */
    assert_int_equal(look(root, 1, "src/c.c:2", "").state, EG_CITED_GONE);
    assert_int_equal(look(root, 1, "lib/c.c:2", "").state, EG_CITED_UNKNOWN);
    assert_int_equal(look(root, 1, "lib/c.c:2", was.hash).state, EG_CITED_GONE);
    assert_int_equal(look(root, 0, "src/c.c:2", was.hash).state, EG_CITED_UNKNOWN);

    /* never through a link, never what is not a file or too large */
    snprintf(path, sizeof path, "%s/src/link.c", root);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    assert_int_equal(look(root, 1, "src/link.c:1", was.hash).state, EG_CITED_UNKNOWN);
    snprintf(path, sizeof path, "%s/out", root);
    assert_int_equal(symlink("/etc", path), 0);
    assert_int_equal(look(root, 0, "out/passwd:1", was.hash).state, EG_CITED_UNKNOWN);
    assert_string_equal(look(root, 0, "out/passwd:1", "").hash, "");
    snprintf(path, sizeof path, "%s/src/pipe.c", root);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(look(root, 1, "src/pipe.c:1", was.hash).state, EG_CITED_UNKNOWN);
    snprintf(path, sizeof path, "%s/src/big.c", root);
    int big = open(path, O_RDWR | O_CREAT, 0600);
    assert_int_equal(ftruncate(big, EG_CITED_FILE + 1), 0);
    assert_int_equal(look(root, 1, "src/big.c:1", was.hash).state, EG_CITED_UNKNOWN);
    assert_int_equal(ftruncate(big, EG_CITED_FILE), 0);
    assert_int_equal(look(root, 1, "src/big.c:1", was.hash).state, EG_CITED_CHANGED);
    close(big);
    eg_citation c;
    size_t budget = 10; /* of bytes that may still be read */
    assert_true(eg_citation_parse(EG_STR("src/a.c:2"), &c));
    eg_citation_look(root, 1, eg_str_of(was.hash), &budget, &c);
    assert_int_equal(c.state, EG_CITED_UNKNOWN);
    assert_int_equal(budget, 10);
    snprintf(path, sizeof path, "rm -r '%s'", root);
    assert_int_equal(system(path), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(evidence_is_read), cmocka_unit_test(files_are_compared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
