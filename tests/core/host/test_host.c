/* test_host.c - what stops a host from opening, and how it is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
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
    assert_true(eg_str_eq(host->place->workspace, EG_STR("local")));
    assert_non_null(strstr(host->place->why.ptr, "gone"));
    eg_host_close(host);
    unlink(".git");
}

static void a_name_that_is_none(void **state) {
    (void)state;
    eg_host *host;
    eg_error err = {0};
    char origin[100];
    snprintf(origin, sizeof origin, "%s/config/engram.conf:2: 'my project'", folder);
    assert_int_equal(eg_folder_make("config", 0700, NULL), EG_OK);
    put("config/engram.conf", "scope = a\nworkspace = my project\n");
    assert_int_equal(open_here(1, &host, &err), EG_EINVAL);
    assert_ptr_equal(strstr(err.text, origin), err.text);
    unlink("config/engram.conf");
    rmdir("config");
}

static size_t told;
static void tell(void *self, const char *key, const char *value) {
    assert_string_equal(key, "workspace");
    assert_string_equal(value, self);
    told++;
}

static eg_str workspace_here(const char **notice) {
    eg_host *host;
    eg_error err = {0};
    static char name[100], text[600];
    assert_int_equal(open_here(1, &host, &err), EG_OK);
    snprintf(name, sizeof name, "%.*s", (int)host->place->workspace.len, host->place->workspace.ptr);
    snprintf(text, sizeof text, "%.*s", (int)host->notice.len, host->notice.len ? host->notice.ptr : "");
    eg_host_close(host);
    *notice = text;
    return eg_str_of(name);
}

static eg_status allow_here(int allow, const char *expected) {
    eg_host *host;
    eg_error err = {0};
    char value[100];
    snprintf(value, sizeof value, "%s", expected);
    assert_int_equal(open_here(1, &host, &err), EG_OK);
    eg_status s = allow ? eg_host_project_allow(host, tell, value, &err) : eg_host_project_forbid(host, &err);
    eg_host_close(host);
    return s;
}

/* A workspace that a project file names is its own only when the user has allowed this content
 * there; never one that belongs to somebody else. */
static void a_project_that_names_a_workspace(void **state) {
    (void)state;
    const char *notice;
    put(".engram.conf", "workspace = team\n");
    assert_true(eg_str_eq(workspace_here(&notice), EG_STR("local")));
    assert_non_null(strstr(notice, "workspace"));
    assert_non_null(strstr(notice, "engram allow"));
    assert_int_equal(allow_here(0, ""), EG_ENOENT);
    assert_int_equal(allow_here(1, "team"), EG_OK);
    assert_int_equal(told, 1);
    assert_true(eg_str_eq(workspace_here(&notice), EG_STR("team")));
    assert_string_equal(notice, "");
    /* another content */
    put(".engram.conf", "workspace = other\n");
    assert_true(eg_str_eq(workspace_here(&notice), EG_STR("local")));
    put(".engram.conf", "workspace = git-0123456789abcdef0123\n");
    assert_int_equal(allow_here(1, "none"), EG_EREFUSED);
    assert_true(eg_str_eq(workspace_here(&notice), EG_STR("local")));
    /* one with which no command would run afterwards */
    put(".engram.conf", "workspace = other\n[nobody]\nx = 1\n");
    assert_int_equal(allow_here(1, "none"), EG_EINVAL);
    assert_true(eg_str_eq(workspace_here(&notice), EG_STR("local")));
    /* the same content in another folder, or by a link */
    put(".engram.conf", "workspace = team\n");
    assert_true(eg_str_eq(workspace_here(&notice), EG_STR("team")));
    assert_int_equal(eg_folder_make("clone", 0700, NULL), EG_OK);
    put("clone/.engram.conf", "workspace = team\n");
    assert_int_equal(chdir("clone"), 0);
    assert_true(eg_str_eq(workspace_here(&notice), EG_STR("local")));
    assert_int_equal(unlink(".engram.conf"), 0);
    put("words", "a secret word\n");
    assert_int_equal(symlink("words", ".engram.conf"), 0);
    assert_true(eg_str_eq(workspace_here(&notice), EG_STR("local")));
    assert_non_null(strstr(notice, "is a link"));
    assert_null(strstr(notice, "secret"));
    assert_int_equal(chdir(".."), 0);
    /* taken back */
    assert_int_equal(allow_here(0, ""), EG_OK);
    assert_true(eg_str_eq(workspace_here(&notice), EG_STR("local")));
    assert_int_equal(system("rm -r clone config .engram.conf"), 0);
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

/* What the host says about writing, with settings that are stronger than files. */
static void writing_problem(const char *plugins, const char *required, char *out, size_t size) {
    char list[200], gates[200];
    snprintf(list, sizeof list, "plugins=%s", plugins);
    snprintf(gates, sizeof gates, "gates_required=%s", required ? required : "");
    const char *const settings[] = {list, gates};
    const eg_host_options o = {.home = folder, .settings = settings, .setting_count = required ? 2 : 1, .without_store = 1};
    eg_host *host;
    eg_error err = {0};
    eg_status s = eg_host_open(&o, &host, &err);
    if (s != EG_OK) {
        snprintf(out, size, "%s", err.text);
        return;
    }
    eg_str problem = eg_host_writing_problem(host);
    snprintf(out, size, "%.*s", (int)problem.len, problem.len ? problem.ptr : "");
    eg_host_close(host);
}

/* That nothing is required must be said: neither an empty value nor an empty list says it. */
static void gates_that_are_not_there(void **state) {
    (void)state;
    char said[600], path[200];
    static const char *const unsaid[] = {NULL, ""};
    for (size_t i = 0; i < 2; i++) {
        writing_problem("", unsaid[i], said, sizeof said);
        assert_non_null(strstr(said, "nothing is stored without the gate 'secrets', and it is not there: "
                                     "no plugin in the setting plugins (option) offers it; mend that"));
        assert_non_null(strstr(said, "gates_required = none"));
    }
    writing_problem("", "none", said, sizeof said);
    assert_string_equal(said, "");
    writing_problem("", "none other", said, sizeof said);
    assert_string_equal(said, "option: gates_required is 'none other': write names of gates, or none alone");
    writing_problem("", ",", said, sizeof said);
    assert_string_equal(said, "option: gates_required is ',': write names of gates, or none alone");
    writing_problem("", "other secrets", said, sizeof said);
    assert_non_null(strstr(said, "without the gate 'other'"));
    /* the reason of a plugin that does not load */
    snprintf(path, sizeof path, "%s/secrets.so", folder);
    put(path, "no library");
    assert_int_equal(chmod(path, 0660), 0);
    writing_problem(path, NULL, said, sizeof said);
    assert_non_null(strstr(said, "secrets.so' can be written by its group or by others: run chmod go-w on it; mend that"));
    unlink(path);
    writing_problem(path, NULL, said, sizeof said);
    assert_non_null(strstr(said, "cannot open plugin"));
}

int main(void) {
    if (!mkdtemp(folder) || chdir(folder) != 0) return 1;
    unsetenv("ENGRAM_WORKSPACE");
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_repository_that_is_not_there), cmocka_unit_test(a_name_that_is_none),
                                       cmocka_unit_test(a_project_that_names_a_workspace),
                                       cmocka_unit_test(a_plugin_below_a_blank), cmocka_unit_test(gates_that_are_not_there)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
