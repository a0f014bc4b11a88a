/* test_record.c - the workspaces that repositories were given: kept over a new remote and a move,
 * shared by clones, not to be claimed by a git folder from elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/access/record.h"
#include "core/base/file.h"

static char root[] = "/tmp/eg-record-XXXXXX", data[64];
static eg_arena arena;

static void put(const char *folder, const char *name, const char *text) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(eg_file_replace(path, text, strlen(text), 0600, NULL), EG_OK);
}

static void run(const char *format, const char *a, const char *b) {
    char command[600];
    snprintf(command, sizeof command, "cd '%s' && %s '%s' '%s'", root, format, a, b);
    assert_int_equal(system(command), 0);
}

/* The repository in root/name, which is made. */
static eg_repository repository(const char *name) {
    char path[256];
    eg_repository r;
    eg_error err = {0};
    snprintf(path, sizeof path, "%s/%s/.git", root, name);
    assert_int_equal(eg_folder_make(path, 0700, NULL), EG_OK);
    if (eg_repository_find(&arena, path, &r, &err) != EG_OK) fail_msg("%s", err.text);
    return r;
}

static void set_remote(const char *name, const char *address) {
    char path[256], text[300];
    repository(name);
    snprintf(path, sizeof path, "%s/%s/.git", root, name);
    snprintf(text, sizeof text, "[remote \"origin\"]\n\turl = %s\n", address);
    put(path, "config", text);
}

/* The workspace that the repository has now, or the empty text where nothing is recorded. */
static eg_str recorded(const char *name) {
    eg_repository r = repository(name);
    eg_record found;
    return eg_record_find(&arena, data, &r, &found, NULL) == EG_OK ? found.workspace : EG_STR("");
}

static void record(const char *name, eg_str workspace) {
    eg_repository r = repository(name);
    eg_error err = {0};
    if (eg_record_write(&arena, data, &r, workspace, &err) != EG_OK) fail_msg("%s", err.text);
}

static eg_status count(void *self, const eg_record *r) {
    (void)r;
    ++*(size_t *)self;
    return EG_OK;
}

static size_t records(void) {
    size_t n = 0;
    assert_int_equal(eg_record_each(&arena, data, count, &n, NULL), EG_OK);
    return n;
}

static void a_new_remote_and_a_move(void **state) {
    (void)state;
    eg_repository before = repository("a");
    assert_int_equal(recorded("a").len, 0);
    record("a", before.workspace);
    set_remote("a", "git@h.example:t/a");
    assert_false(eg_str_eq(repository("a").workspace, before.workspace));
    assert_true(eg_str_eq(recorded("a"), before.workspace));
    run("mv", "a", "moved");
    assert_true(eg_str_eq(recorded("moved"), before.workspace));
    /* a clone does not know the key; it finds the workspace by the remote, once that is noted */
    set_remote("clone", "https://h.example/t/a.git");
    repository("clone");
    assert_int_equal(recorded("clone").len, 0);
    record("moved", before.workspace);
    assert_true(eg_str_eq(recorded("clone"), before.workspace));
    assert_int_equal(records(), 1);
    /* a record under the name that the remote gives is nearer */
    set_remote("other", "git@h.example:t/a");
    eg_str natural = repository("other").workspace;
    record("other", natural);
    assert_true(eg_str_eq(recorded("clone"), natural));
    assert_true(eg_str_eq(recorded("moved"), before.workspace));
}

/* A git folder that somebody else made: keys that this user's store does not know, a link to the
 * key of a victim, files that are no records. */
static void claims(void **state) {
    (void)state;
    char path[256], victim[256];
    eg_repository r = repository("victim");
    record("victim", r.workspace);
    assert_true(eg_str_eq(recorded("victim"), r.workspace));
    repository("thief");
    snprintf(path, sizeof path, "%s/thief/.git", root);
    char name[40], file[300];
    snprintf(name, sizeof name, "engram-%u", (unsigned)geteuid());
    static const char *const texts[] = {
        "0123456789abcdef0123456789abcdef\n", "", "\n", "../../data/repositories/x\n", "workspace git-0\n",
        "0123456789ABCDEF0123456789ABCDEF\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        put(path, name, texts[i]);
        assert_int_equal(recorded("thief").len, 0);
    }
    snprintf(file, sizeof file, "%s/%s", path, name);
    snprintf(victim, sizeof victim, "%s/victim/.git/%s", root, name);
    unlink(file);
    assert_int_equal(symlink(victim, file), 0);
    assert_int_equal(recorded("thief").len, 0);
    /* the name in a record of the data folder is looked at too */
    unlink(file);
    put(path, name, texts[0]);
    snprintf(file, sizeof file, "%s/repositories", data);
    put(file, "0123456789abcdef0123456789abcdef", "workspace a b\n");
    assert_int_equal(recorded("thief").len, 0);
    put(file, "0123456789abcdef0123456789abcdef", "workspace a\n");
    assert_true(eg_str_eq(recorded("thief"), EG_STR("a")));
    struct stat st;
    assert_int_equal(stat(victim, &st), 0);
    assert_int_equal(st.st_mode & 077, 0);
}

static void renaming(void **state) {
    (void)state;
    record("b", EG_STR("before"));
    record("c", EG_STR("before"));
    record("d", EG_STR("stays"));
    assert_int_equal(eg_record_rename(&arena, data, EG_STR("before"), EG_STR("after"), NULL), EG_OK);
    assert_true(eg_str_eq(recorded("b"), EG_STR("after")));
    assert_true(eg_str_eq(recorded("c"), EG_STR("after")));
    assert_true(eg_str_eq(recorded("d"), EG_STR("stays")));
    size_t n = records();
    assert_int_equal(eg_record_rename(&arena, data, EG_STR("after"), EG_STR(""), NULL), EG_OK);
    assert_int_equal(records(), n - 2);
    assert_int_equal(recorded("b").len, 0);
    /* another workspace for a repository that has one */
    record("d", EG_STR("new"));
    assert_true(eg_str_eq(recorded("d"), EG_STR("new")));
}

int main(void) {
    if (!mkdtemp(root)) return 1;
    snprintf(data, sizeof data, "%s/data", root);
    eg_arena_init(&arena, 0);
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_new_remote_and_a_move), cmocka_unit_test(claims),
                                       cmocka_unit_test(renaming)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    run("rm -rf", root, "");
    eg_arena_release(&arena);
    return failed;
}
