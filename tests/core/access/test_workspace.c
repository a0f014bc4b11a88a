/* test_workspace.c - addresses of repositories, git folders, names, and the folders of Engram. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/access/paths.h"
#include "core/access/workspace.h"
#include "core/base/file.h"

static void put(const char *folder, const char *name, const char *text) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(eg_file_replace(path, text, strlen(text), 0600, NULL), EG_OK);
}

static void remotes(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        {"git@GitHub.com:team/app.git", "github.com/team/app"},
        {"ssh://git@github.com:22/team/app", "github.com/team/app"},
        {"https://user:secret@github.com/team/app.git/", "github.com/team/app"},
        {"https://host.example:8443/a", "host.example:8443/a"},
        {"/srv/git/app.git", "/srv/git/app"},
        {"file:///srv/git/app", "/srv/git/app"},
        {"", ""},
    };
    eg_arena a;
    eg_arena_init(&a, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        eg_str out;
        assert_int_equal(eg_remote_normalize(&a, eg_str_of(rows[i][0]), &out, NULL), EG_OK);
        assert_int_equal(out.len, strlen(rows[i][1]));
        assert_memory_equal(out.ptr, rows[i][1], out.len);
    }
    eg_arena_release(&a);
}

static eg_repository find(eg_arena *a, const char *folder) {
    eg_repository r;
    eg_error err = {0};
    if (eg_repository_find(a, folder, &r, &err) != EG_OK) fail_msg("%s: %s", folder, err.text);
    return r;
}

static void remove_all(const char *folder) {
    char command[600];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

static void repositories(void **state) {
    (void)state;
    char root[] = "/tmp/eg-workspace-XXXXXX", path[256], tree[256], text[512];
    assert_non_null(mkdtemp(root));
    eg_arena a;
    eg_arena_init(&a, 0);
    eg_repository one, other;
    eg_error err;
    snprintf(path, sizeof path, "%s/repo/.git/worktrees/w", root);
    assert_int_equal(eg_folder_make(path, 0700, NULL), EG_OK);
    put(path, "commondir", "../..\n");
    snprintf(tree, sizeof tree, "%s/tree/deep", root);
    assert_int_equal(eg_folder_make(tree, 0700, NULL), EG_OK);
    snprintf(text, sizeof text, "gitdir: %s\n", path);
    snprintf(tree, sizeof tree, "%s/tree", root);
    put(tree, ".git", text);
    snprintf(text, sizeof text, "%s/tree/.git\n", root);
    put(path, "gitdir", text);
    snprintf(path, sizeof path, "%s/repo", root);
    snprintf(tree, sizeof tree, "%s/tree/deep", root);

    assert_int_equal(eg_repository_find(&a, root, &one, &err), EG_ENOENT);
    /* without a remote: the common folder; a worktree shares it */
    one = find(&a, path);
    assert_int_equal(one.workspace.len, 24);
    other = find(&a, tree);
    assert_true(eg_str_eq(one.workspace, other.workspace));
    /* with a remote: two forms of one address; no password in the reason */
    snprintf(path, sizeof path, "%s/repo/.git", root);
    put(path, "config", "[core]\n\turl = x\n[remote \"origin\"]\n\turl = https://me:pw@h.example/a/b.git\n");
    one = find(&a, tree);
    assert_false(eg_str_eq(one.workspace, other.workspace));
    assert_true(eg_str_eq(one.why, EG_STR("git remote h.example/a/b")));
    put(path, "config", "[remote \"origin\"]\n\turl = git@h.example:a/b\n");
    other = find(&a, tree);
    assert_true(eg_str_eq(one.workspace, other.workspace));
    eg_arena_release(&a);
    remove_all(root);
}

/* A .git that came in an archive cannot choose the memory of another repository: it counts only if
 * that repository points back. */
static void pointers(void **state) {
    (void)state;
    char root[] = "/tmp/eg-pointer-XXXXXX", victim[256], at[256], text[600];
    assert_non_null(mkdtemp(root));
    eg_arena a;
    eg_arena_init(&a, 0);
    snprintf(victim, sizeof victim, "%s/victim/.git", root);
    assert_int_equal(eg_folder_make(victim, 0700, NULL), EG_OK);
    put(victim, "config", "[remote \"origin\"]\n\turl = git@h.example:a/b\n");
    eg_repository theirs = find(&a, victim), r;

    static const char *const folders[] = {"file", "link", "commondir", "worktree", "submodule"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(at, sizeof at, "%s/%s/.git", root, folders[i]);
        if (i >= 2) assert_int_equal(eg_folder_make(at, 0700, NULL), EG_OK);
        else {
            snprintf(at, sizeof at, "%s/%s", root, folders[i]);
            assert_int_equal(eg_folder_make(at, 0700, NULL), EG_OK);
        }
        snprintf(at, sizeof at, "%s/%s", root, folders[i]);
        snprintf(text, sizeof text, "gitdir: %s\n", victim);
        if (i == 0) put(at, ".git", text);
        snprintf(text, sizeof text, "%s/.git", at);
        if (i == 1) assert_int_equal(symlink(victim, text), 0);
        snprintf(text, sizeof text, "%s/.git", at);
        if (i == 2) put(text, "commondir", victim);
        if (i == 3) { /* a worktree's folder of its own making, with the victim as common folder */
            assert_int_equal(rmdir(text), 0);
            snprintf(text, sizeof text, "%s/worktrees/w", at);
            assert_int_equal(eg_folder_make(text, 0700, NULL), EG_OK);
            put(text, "commondir", victim);
            char back[300];
            snprintf(back, sizeof back, "%s/.git\n", at);
            put(text, "gitdir", back);
            put(at, ".git", "gitdir: worktrees/w\n");
        }
        if (i == 4) { /* a submodule's folder of its own making has its own configuration */
            assert_int_equal(rmdir(text), 0);
            snprintf(text, sizeof text, "%s/modules", at);
            assert_int_equal(eg_folder_make(text, 0700, NULL), EG_OK);
            put(text, "config", "[core]\n\tworktree = ..\n");
            put(text, "commondir", victim);
            put(at, ".git", "gitdir: modules\n");
        }
        r = find(&a, at);
        if (eg_str_eq(r.workspace, theirs.workspace)) fail_msg("%s has the memory of the victim", folders[i]);
        assert_int_equal(r.is_own, i < 2);
        assert_true(strstr(r.folder, root) == r.folder);
    }
    /* a submodule to which its repository points back has the workspace of its remote */
    put(victim, "config", "[core]\n\tworktree = ../../file\n[remote \"origin\"]\n\turl = git@h.example:a/b\n");
    snprintf(at, sizeof at, "%s/file", root);
    r = find(&a, at);
    assert_true(eg_str_eq(r.workspace, theirs.workspace));
    assert_false(r.is_own);
    eg_arena_release(&a);
    remove_all(root);
}

/* A .git of somebody else above is passed over, as .engram.conf is. */
static void foreign_repositories(void **state) {
    (void)state;
    enum { SOMEBODY = 12345 };
    char root[] = "/tmp/eg-foreign-XXXXXX", theirs[256], folder[256];
    eg_repository r;
    eg_error err = {0};
    if (geteuid() != 0) {
        print_message("skip: files of another owner: only root can make them\n");
        skip();
    }
    eg_arena a;
    eg_arena_init(&a, 0);
    assert_non_null(mkdtemp(root));
    snprintf(theirs, sizeof theirs, "%s/.git", root);
    snprintf(folder, sizeof folder, "%s/mine", root);
    assert_int_equal(eg_folder_make(theirs, 0700, NULL), EG_OK);
    assert_int_equal(eg_folder_make(folder, 0700, NULL), EG_OK);
    assert_int_equal(eg_repository_find(&a, folder, &r, &err), EG_OK);
    assert_int_equal(chown(theirs, SOMEBODY, SOMEBODY), 0);
    assert_int_equal(eg_repository_find(&a, folder, &r, &err), EG_ENOENT);
    assert_non_null(strstr(err.text, "another user"));
    assert_int_equal(chown(folder, SOMEBODY, SOMEBODY), 0);
    assert_int_equal(eg_repository_find(&a, folder, &r, &err), EG_OK);
    eg_arena_release(&a);
    remove_all(root);
}

/* A file of somebody else above is passed over, unless the folder is theirs too. */
static void project_files(void **state) {
    (void)state;
    enum { SOMEBODY = 12345 };
    char root[] = "/tmp/eg-project-XXXXXX", own[256], theirs[256], folder[256], command[512];
    const char *found;
    eg_arena a;
    eg_arena_init(&a, 0);
    assert_non_null(mkdtemp(root));
    snprintf(own, sizeof own, "%s/.engram.conf", root);
    snprintf(theirs, sizeof theirs, "%s/a/.engram.conf", root);
    snprintf(folder, sizeof folder, "%s/a/b", root);
    assert_int_equal(eg_folder_make(folder, 0700, NULL), EG_OK);
    put(root, ".engram.conf", "scope = x\n");
    assert_int_equal(eg_project_file_find(&a, folder, &found, NULL), EG_OK);
    assert_string_equal(found, own);
    int root_only = geteuid() == 0;
    /* a link counts by its own owner: one of somebody else is passed over */
    assert_int_equal(symlink("/etc/passwd", theirs), 0);
    assert_int_equal(eg_project_file_find(&a, folder, &found, NULL), EG_OK);
    assert_string_equal(found, theirs);
    if (root_only) {
        assert_int_equal(lchown(theirs, SOMEBODY, SOMEBODY), 0);
        assert_int_equal(eg_project_file_find(&a, folder, &found, NULL), EG_OK);
        assert_string_equal(found, own);
    }
    assert_int_equal(unlink(theirs), 0);
    snprintf(command, sizeof command, "%s/a", root);
    put(command, ".engram.conf", "scope = y\n");
    assert_int_equal(eg_project_file_find(&a, folder, &found, NULL), EG_OK);
    assert_string_equal(found, theirs);
    if (root_only) {
        assert_int_equal(lchown(theirs, SOMEBODY, SOMEBODY), 0);
        assert_int_equal(eg_project_file_find(&a, folder, &found, NULL), EG_OK);
        assert_string_equal(found, own);
        assert_int_equal(chown(folder, SOMEBODY, SOMEBODY), 0);
        assert_int_equal(eg_project_file_find(&a, folder, &found, NULL), EG_OK);
        assert_string_equal(found, theirs);
        assert_int_equal(chown(folder, 0, 0), 0);
        assert_int_equal(chown(own, SOMEBODY, SOMEBODY), 0);
        assert_int_equal(eg_project_file_find(&a, folder, &found, NULL), EG_OK);
        assert_true(!found || strncmp(found, root, strlen(root)) != 0);
    }
    eg_arena_release(&a);
    snprintf(command, sizeof command, "rm -r '%s'", root);
    assert_int_equal(system(command), 0);
    if (!root_only) {
        print_message("skip: files of another owner: only root can make them\n");
        skip();
    }
}

static void names(void **state) {
    (void)state;
    assert_int_equal(eg_workspace_check(EG_STR("team/app-1"), NULL), EG_OK);
    assert_int_equal(eg_workspace_check(EG_STR(""), NULL), EG_EINVAL);
    assert_int_equal(eg_workspace_check(EG_STR("-x"), NULL), EG_EINVAL);
    assert_int_equal(eg_workspace_check(EG_STR("a b"), NULL), EG_EINVAL);
}

static void folders(void **state) {
    (void)state;
    eg_arena a;
    eg_arena_init(&a, 0);
    eg_paths p;
    char home[] = "/tmp/eg-home-XXXXXX", old[64], path[128];
    assert_non_null(mkdtemp(home));
    unsetenv("ENGRAM_HOME");
    unsetenv("XDG_CONFIG_HOME");
    setenv("HOME", home, 1);
    setenv("XDG_DATA_HOME", "/x/data", 1);
    setenv("XDG_CACHE_HOME", "relative", 1);
    assert_int_equal(eg_paths_resolve(&a, NULL, &p, NULL), EG_OK);
    assert_string_equal(p.data, "/x/data/engram");
    assert_non_null(strstr(p.cache, "/.cache/engram"));
    snprintf(old, sizeof old, "%s/.engram", home);
    assert_int_equal(mkdir(old, 0700), 0);
    assert_int_equal(eg_paths_resolve(&a, NULL, &p, NULL), EG_OK);
    assert_non_null(strstr(p.data, "/.engram/data"));
    assert_null(p.passed);
    /* another program's: left alone, until it has something of ours */
    put(old, "engram.db", "theirs");
    assert_int_equal(eg_paths_resolve(&a, NULL, &p, NULL), EG_OK);
    assert_string_equal(p.data, "/x/data/engram");
    assert_non_null(strstr(p.passed, "'engram.db'"));
    snprintf(path, sizeof path, "%s/config", old);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(eg_paths_resolve(&a, NULL, &p, NULL), EG_OK);
    assert_string_equal(p.data, "/x/data/engram");
    put(path, "engram.conf", "");
    assert_int_equal(eg_paths_resolve(&a, NULL, &p, NULL), EG_OK);
    assert_non_null(strstr(p.data, "/.engram/data"));
    if (geteuid() == 0) { /* nor somebody else's */
        assert_int_equal(chown(old, 12345, 12345), 0);
        assert_int_equal(eg_paths_resolve(&a, NULL, &p, NULL), EG_OK);
        assert_string_equal(p.data, "/x/data/engram");
        assert_non_null(strstr(p.passed, "12345"));
        assert_int_equal(chown(old, 0, 0), 0);
    }
    snprintf(path, sizeof path, "%s/engram.db", old);
    assert_int_equal(unlink(path), 0);
    snprintf(path, sizeof path, "%s/config/engram.conf", old);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(eg_paths_resolve(&a, NULL, &p, NULL), EG_OK);
    assert_non_null(strstr(p.data, "/.engram/data"));
    setenv("ENGRAM_HOME", "/h", 1);
    assert_int_equal(eg_paths_resolve(&a, NULL, &p, NULL), EG_OK);
    assert_string_equal(p.config, "/h/config");
    assert_int_equal(eg_paths_resolve(&a, "relative", &p, NULL), EG_EINVAL);
    remove_all(home);
    eg_arena_release(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(remotes),       cmocka_unit_test(repositories),
                                       cmocka_unit_test(pointers),      cmocka_unit_test(foreign_repositories),
                                       cmocka_unit_test(project_files), cmocka_unit_test(names),
                                       cmocka_unit_test(folders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
