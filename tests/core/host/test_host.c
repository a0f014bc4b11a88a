/* test_host.c - what stops a host from opening, and how it is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/host/internal.h"

static char folder[] = "/tmp/eg-host-XXXXXX"; /* home and working directory */

static eg_status open_here(int without_store, eg_host **host, eg_error *err) {
    static const char *const settings[] = {"plugins="};
    const eg_host_options o = {.home = folder, .settings = settings, .setting_count = 1, .without_store = without_store};
    *host = NULL;
    return eg_host_open(&o, host, err);
}

static void put(const char *name, const char *text) {
    assert_int_equal(eg_file_replace(name, text, strlen(text), 0600, NULL), EG_OK);
}

static void a_repository_that_is_not_there(void **state) {
    (void)state;
    eg_host *host;
    eg_error err = {0};
    put(".git", "gitdir: ../gone/.git/worktrees/w\n");
    assert_int_equal(open_here(0, &host, &err), EG_EIO);
    assert_non_null(strstr(err.text, "gone"));
    assert_non_null(strstr(err.text, "): name one with --workspace NAME"));
    assert_int_equal(open_here(1, &host, &err), EG_OK);
    assert_true(eg_str_eq(host->workspace, EG_STR("local")));
    assert_non_null(strstr(host->workspace_why.ptr, "gone"));
    eg_host_close(host);
    unlink(".git");
}

static void a_name_that_is_none(void **state) {
    (void)state;
    eg_host *host;
    eg_error err = {0};
    char origin[100];
    snprintf(origin, sizeof origin, "%s/.engram.conf:2: 'my project'", folder);
    put(".engram.conf", "scope = a\nworkspace = my project\n");
    assert_int_equal(open_here(1, &host, &err), EG_EINVAL);
    assert_ptr_equal(strstr(err.text, origin), err.text);
    unlink(".engram.conf");
}

/* A list of plugins has no way to hold such a path. */
static void a_plugin_below_a_blank(void **state) {
    (void)state;
    eg_error err = {0};
    static const char *const names[] = {"own detector.so", "a,b.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        put(names[i], "");
        assert_int_equal(eg_host_plugin_check(names[i], stdout, &err), EG_EINVAL);
        assert_non_null(strstr(err.text, names[i]));
        unlink(names[i]);
    }
}

int main(void) {
    if (!mkdtemp(folder) || chdir(folder) != 0) return 1;
    unsetenv("ENGRAM_WORKSPACE");
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_repository_that_is_not_there), cmocka_unit_test(a_name_that_is_none),
                                       cmocka_unit_test(a_plugin_below_a_blank)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
