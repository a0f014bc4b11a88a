/* test_config.c - settings: sources, strength, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/host/config.h"

static eg_arena arena;
static char path[] = "/tmp/eg-config-XXXXXX";

static eg_status read_text(eg_conf **c, const char *text, eg_conf_trust trust, eg_error *err) {
    assert_int_equal(eg_file_replace(path, text, strlen(text), 0600, NULL), EG_OK);
    assert_int_equal(eg_conf_create(&arena, c, err), EG_OK);
    return trust == EG_CONF_USER ? eg_conf_read(*c, path, err) : eg_conf_read_text(*c, eg_str_of(text), path, trust, err);
}

static void strength(void **state) {
    (void)state;
    eg_conf *c;
    eg_error err;
    unsetenv("ENGRAM_WAIT_MS");
    assert_int_equal(read_text(&c, "workspace = w\n[detection]\nwait_ms = 5\n", 0, &err), EG_OK);
    assert_string_equal(eg_conf_get(c, "workspace"), "w");
    assert_true(eg_conf_number(c, "detection.wait_ms") == 5);
    setenv("ENGRAM_WAIT_MS", "6", 1);
    assert_int_equal(eg_conf_environment(c, &err), EG_OK);
    assert_true(eg_conf_number(c, "detection.wait_ms") == 6);
    assert_int_equal(eg_conf_option(c, "detection.wait_ms=7", &err), EG_OK);
    assert_true(eg_conf_number(c, "detection.wait_ms") == 7);
    assert_null(eg_conf_get(c, "database"));
    unsetenv("ENGRAM_WAIT_MS");
}

static void refusals(void **state) {
    (void)state;
    eg_conf *c;
    eg_error err;
    assert_int_equal(read_text(&c, "\nnonsense = 1\n", 0, &err), EG_EINVAL);
    assert_non_null(strstr(err.text, ":2"));
    assert_non_null(strstr(err.text, "nonsense"));
    assert_int_equal(read_text(&c, "[detection]\nwait_ms = soon\n", 0, &err), EG_EINVAL);
    assert_int_equal(read_text(&c, "[detection]\nwait_ms = 60001\n", 0, &err), EG_EINVAL);
    assert_int_equal(read_text(&c, "isa = mmx\n", 0, &err), EG_EINVAL);
    assert_int_equal(read_text(&c, "no equals sign\n", 0, &err), EG_EFORMAT);
}

/* What a cloned repository may set by itself, and what only after the user has allowed it. */
static void project_files(void **state) {
    (void)state;
    eg_conf *c;
    eg_error err;
    static const char harmful[] =
        "plugins = /tmp/evil.so\ndatabase = /x\nstorage = evil\nworkspace = other\nlog = error\n"
        "workspace = local\n[model]\nnli = /tmp/evil\n[llm]\ncommand = evil\n[mcp]\nreviews = sampling\n"
        "[detection]\nwait_ms = 60000\ntier1_nli = 1\nquery_words = 2\nnli_gate =\n";
    assert_int_equal(read_text(&c, harmful, EG_CONF_PROJECT, &err), EG_OK);
    assert_int_equal(eg_conf_finish(c, &err), EG_OK);
    assert_string_equal(eg_conf_ignored(c), "plugins, database, storage, workspace, log, model.nli, settings of plugins, "
                                            "detection.wait_ms, detection.tier1_nli, detection.query_words, detection.nli_gate");
    size_t n;
    const eg_setting *all = eg_settings(&n);
    for (size_t i = 0; i < n; i++) {
        const char *value = eg_conf_get(c, all[i].key);
        assert_string_equal(value ? value : "", all[i].otherwise);
    }
    assert_null(eg_conf_get(c, "llm.command"));
    /* within the limits */
    assert_int_equal(read_text(&c, "scope = a\n[detection]\nwait_ms = 1\ntier1_nli = 0.9\n", EG_CONF_PROJECT, &err), EG_OK);
    assert_null(eg_conf_ignored(c));
    assert_string_equal(eg_conf_get(c, "scope"), "a");
    assert_true(eg_conf_number(c, "detection.wait_ms") == 1 && eg_conf_number(c, "detection.tier1_nli") == 0.9);
    /* nonsense is an error all the same, without control characters of the file in it */
    assert_int_equal(read_text(&c, "wrk\033]0;x = 1\n", EG_CONF_PROJECT, &err), EG_EINVAL);
    assert_null(strchr(err.text, '\033'));
    assert_int_equal(read_text(&c, "[detection]\nwait_ms = \033[2J\n", EG_CONF_PROJECT, &err), EG_EINVAL);
    assert_null(strchr(err.text, '\033'));
    /* allowed */
    assert_int_equal(read_text(&c, "plugins = mcp\nworkspace = team\n[mcp]\nreviews = sampling\n", EG_CONF_ALLOWED, &err), EG_OK);
    assert_null(eg_conf_ignored(c));
    assert_string_equal(eg_conf_get(c, "workspace"), "team");
    assert_string_equal(eg_conf_get(c, "mcp.reviews"), "sampling");
    assert_int_equal(read_text(&c, "workspace = local\n", EG_CONF_ALLOWED, &err), EG_EREFUSED);
    assert_int_equal(read_text(&c, "workspace = git-0123456789abcdef0123\n", EG_CONF_ALLOWED, &err), EG_EREFUSED);
    assert_int_equal(read_text(&c, "workspace = git-0123456789abcdef0123\n", EG_CONF_USER, &err), EG_OK);
}

/* A user's file that somebody else wrote, or may write. */
static void owners(void **state) {
    (void)state;
    enum { NOBODY = 65534 };
    eg_conf *c;
    eg_error err;
    assert_int_equal(read_text(&c, "threads = 2\n", EG_CONF_USER, &err), EG_OK);
    assert_int_equal(chmod(path, 0666), 0);
    assert_int_equal(eg_conf_read(c, path, &err), EG_EPERM);
    assert_non_null(strstr(err.text, "chmod go-w"));
    assert_int_equal(chmod(path, 0660), 0);
    assert_int_equal(eg_conf_read(c, path, &err), EG_EPERM);
    assert_int_equal(chmod(path, 0644), 0);
    assert_int_equal(eg_conf_read(c, path, &err), EG_OK);
    if (geteuid() != 0) {
        print_message("skip: a file of another owner: only root can make one\n");
        skip();
    }
    assert_int_equal(chown(path, NOBODY, NOBODY), 0);
    assert_int_equal(eg_conf_read(c, path, &err), EG_EPERM);
    assert_non_null(strstr(err.text, "65534"));
    unlink(path);
}

static void plugins_own(void **state) {
    (void)state;
    eg_conf *c;
    eg_error err;
    assert_int_equal(read_text(&c, "plugins = mcp /opt/own.so\n[mcp]\nprofile = all\n[own]\nx = 1\n", 0, &err), EG_OK);
    assert_int_equal(eg_conf_finish(c, &err), EG_OK);
    assert_string_equal(eg_conf_get(c, "mcp.profile"), "all");
    /* a command that loads fewer */
    assert_int_equal(eg_conf_option(c, "plugins=", &err), EG_OK);
    assert_int_equal(eg_conf_finish(c, &err), EG_OK);
    assert_null(eg_conf_get(c, "plugins"));
    assert_int_equal(read_text(&c, "[nobody]\nx = 1\n", 0, &err), EG_OK);
    assert_int_equal(eg_conf_finish(c, &err), EG_EINVAL);
}

static char unread[3][200];
static size_t unread_count;
static void note_unread(void *self, const char *key, const char *origin, const char *meant, const char *known) {
    (void)self;
    assert_true(unread_count < 3);
    snprintf(unread[unread_count++], sizeof unread[0], "%s %s %s (%s)", key, strrchr(origin, ':'), meant ? meant : "-", known);
}

/* What a plugin reads are its settings; another one under its name is probably misspelt. */
static void settings_that_no_plugin_reads(void **state) {
    (void)state;
    eg_conf *c;
    eg_error err;
    unread_count = 0;
    assert_int_equal(read_text(&c, "plugins = own more\n[own]\ngaet = 1\nscore = 2\nother = 3\n[more]\nx = 4\n", 0, &err), EG_OK);
    assert_int_equal(eg_conf_finish(c, &err), EG_OK);
    assert_int_equal(eg_conf_note_read(c, "own.score", &err), EG_OK);
    assert_int_equal(eg_conf_note_read(c, "own.gate", &err), EG_OK);
    assert_int_equal(eg_conf_note_read(c, "own.score", &err), EG_OK);
    assert_int_equal(eg_conf_note_read(c, "owner.x", &err), EG_OK);
    assert_int_equal(eg_conf_unread(c, EG_STR("own"), note_unread, NULL, &err), EG_OK);
    assert_int_equal(unread_count, 2);
    assert_string_equal(unread[0], "own.gaet :3 own.gate (own.score, own.gate)");
    assert_string_equal(unread[1], "own.other :5 - (own.score, own.gate)");
    assert_int_equal(eg_conf_unread(c, EG_STR("more"), note_unread, NULL, &err), EG_OK);
    assert_int_equal(unread_count, 3);
    assert_string_equal(unread[2], "more.x :7 - ()");
    assert_int_equal(read_text(&c, "[detection]\nwait_m = 1\n", 0, &err), EG_EINVAL);
    assert_non_null(strstr(err.text, "'detection.wait_m'; did you mean 'detection.wait_ms'?"));
}

static void indentation_means_nothing(void **state) {
    (void)state;
    eg_conf *c;
    eg_error err;
    assert_int_equal(read_text(&c, "workspace = w\n  scope = s\n\t; mine\n\t[detection]\r\n \n  wait_ms = 5", 0, &err), EG_OK);
    assert_string_equal(eg_conf_get(c, "workspace"), "w");
    assert_string_equal(eg_conf_get(c, "scope"), "s");
    assert_true(eg_conf_number(c, "detection.wait_ms") == 5);
    assert_int_equal(read_text(&c, "workspace = w\n  more\n", 0, &err), EG_EFORMAT);
    assert_non_null(strstr(err.text, ":2"));
}

static void long_lines(void **state) {
    (void)state;
    eg_conf *c;
    eg_error err;
    char value[9000], text[9100];
    memset(value, 'x', sizeof value);
    snprintf(text, sizeof text, "log = error\ndatabase = %.*s\n", 4096, value);
    assert_int_equal(read_text(&c, text, 0, &err), EG_OK);
    assert_int_equal(strlen(eg_conf_get(c, "database")), 4096);
    snprintf(text, sizeof text, "log = error\ndatabase = %.*s\n", 4097, value);
    assert_int_equal(read_text(&c, text, 0, &err), EG_ELIMIT);
    snprintf(text, sizeof text, "log = error\n; %.*s\n", 8189, value);
    assert_int_equal(read_text(&c, text, 0, &err), EG_OK);
    snprintf(text, sizeof text, "log = error\n; %.*s\n", 8190, value);
    assert_int_equal(read_text(&c, text, 0, &err), EG_ELIMIT);
    assert_non_null(strstr(err.text, ":2: the line is longer than 8191 bytes"));
}

/* A file that is not there is none; any other that cannot be read is told. A FIFO is not waited
 * for. */
static void unreadable(void **state) {
    (void)state;
    char folder[] = "/tmp/eg-read-XXXXXX", file[100];
    eg_conf *c;
    eg_error err;
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/f", folder);
    assert_int_equal(eg_conf_create(&arena, &c, &err), EG_OK);
    assert_int_equal(eg_conf_read(c, file, &err), EG_OK);
    assert_int_equal(eg_conf_read(c, folder, &err), EG_EINVAL);
    assert_non_null(strstr(err.text, folder));
    assert_int_equal(mkfifo(file, 0600), 0);
    assert_int_equal(eg_conf_read(c, file, &err), EG_EINVAL);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(symlink(file, file), 0);
    assert_int_equal(eg_conf_read(c, file, &err), EG_EIO);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(eg_file_replace(file, "scope = a\0b\n", 12, 0600, NULL), EG_OK);
    assert_int_equal(eg_conf_read(c, file, &err), EG_EFORMAT);
    assert_int_equal(truncate(file, EG_CONF_MAX_FILE + 1), 0);
    assert_int_equal(eg_conf_read(c, file, &err), EG_ELIMIT);
    unlink(file);
    rmdir(folder);
}

/* Writing "model.embed = m" into `before` gives `after`, is read back, and a second time changes
 * nothing. */
static void becomes(const char *before, const char *after) {
    eg_str got;
    eg_error err = {0};
    assert_int_equal(eg_file_replace(path, before, strlen(before), 0640, NULL), EG_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(eg_conf_write(path, "model.embed", "m", &err), EG_OK);
        assert_int_equal(eg_file_read(path, 10000, &arena, &got, &err), EG_OK);
        assert_string_equal(got.ptr, after);
    }
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
}

static void writing(void **state) {
    (void)state;
    becomes("", "[model]\nembed = m\n");
    becomes("workspace = w", "workspace = w\n\n[model]\nembed = m\n");
    becomes("# mine\n[model]\nembed = old ; why\nnli = n\n", "# mine\n[model]\nembed = m ; why\nnli = n\n");
    becomes("[model]\nnli = n\n\n; end\n[mcp]\nprofile = all\n", "[model]\nnli = n\nembed = m\n\n; end\n[mcp]\nprofile = all\n");
    becomes("[model]\n#embed = a\nembed=a\n[log]\n[model]\nembed:b\n", "[model]\n#embed = a\nembed=a\n[log]\n[model]\nembed:m\n");
    becomes("model.embed =\nworkspace = w\n", "model.embed = m\nworkspace = w\n");
    becomes("  [model]\n  embed = a\n\tnli = n\n  [x]\n", "  [model]\n  embed = m\n\tnli = n\n  [x]\n");
    becomes("[model]\n  nli = n\n", "[model]\n  nli = n\nembed = m\n");
    becomes("[model]\r\nnli = n\r\n", "[model]\r\nnli = n\r\nembed = m\r\n");
    becomes("\xEF\xBB\xBF[model]\nembed = a\n", "\xEF\xBB\xBF[model]\nembed = m\n");
    becomes("[model]\nembed = a", "[model]\nembed = m");
    becomes("[model]", "[model]\nembed = m\n");
}

/* A value that would be read back as another, and a file that is broken: refused, and the file is
 * what it was. */
static void writing_refused(void **state) {
    (void)state;
    char longest[9000];
    eg_str got;
    eg_error err = {0};
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    const char *const values[] = {"a ;b", " a", "a\nworkspace = evil", longest};
    static const char before[] = "[model]\nembed = a\n", broken[] = "no equals sign\n";
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        assert_int_equal(eg_file_replace(path, before, strlen(before), 0600, NULL), EG_OK);
        assert_int_not_equal(eg_conf_write(path, "model.embed", values[i], &err), EG_OK);
        assert_int_equal(eg_file_read(path, 10000, &arena, &got, &err), EG_OK);
        assert_string_equal(got.ptr, before);
    }
    assert_non_null(strstr(err.text, "cannot be written as model.embed"));
    longest[5000] = '\0'; /* a line that can be read, with a value that is too long */
    assert_int_equal(eg_conf_write(path, "model.embed", longest, &err), EG_ELIMIT);
    assert_non_null(strstr(err.text, "cannot be written as model.embed"));
    longest[4096] = '\0';
    assert_int_equal(eg_conf_write(path, "model.embed", longest, &err), EG_OK);
    assert_int_equal(eg_file_replace(path, broken, strlen(broken), 0600, NULL), EG_OK);
    assert_int_equal(eg_conf_write(path, "model.embed", "m", &err), EG_EFORMAT);
    assert_int_equal(eg_file_replace(path, before, strlen(before), 0600, NULL), EG_OK);
    assert_int_equal(eg_conf_write(path, "nothing.such", "m", &err), EG_OK); /* a plugin's own */
    assert_int_equal(eg_conf_write(path, "model.other", "m", &err), EG_EINVAL);
}

/* Folders are made; a link stays one. */
static void writing_elsewhere(void **state) {
    (void)state;
    char folder[] = "/tmp/eg-write-XXXXXX", file[100], link[100], command[100];
    struct stat st;
    eg_str got;
    eg_error err = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/a/b/engram.conf", folder);
    snprintf(link, sizeof link, "%s/link.conf", folder);
    assert_int_equal(eg_conf_write(file, "model.nli", "m", &err), EG_OK);
    assert_int_equal(stat(file, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(symlink(file, link), 0);
    assert_int_equal(eg_conf_write(link, "model.nli", "n", &err), EG_OK);
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(eg_file_read(file, 1000, &arena, &got, &err), EG_OK);
    assert_string_equal(got.ptr, "[model]\nnli = n\n");
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

static char shown[8][200];
static void note_shown(void *self, const char *key, const char *value, const char *origin) {
    static const char *const keys[] = {"database", "nli.api_key", "nli.token", "nli.keyboard", "nli.passwords"};
    (void)self;
    assert_true(strlen(origin) > 0);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0) snprintf(shown[i], sizeof shown[i], "%s", value);
}

/* What may be printed of secrets and of locations. */
static void secrets_are_not_shown(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        {"/var/lib/engram.db", "/var/lib/engram.db"},
        {"postgresql://ada:pa@ss@db.example:5432/team?sslmode=verify-full", "postgresql://db.example:5432/team"},
        {"postgresql://db.example/team#x", "postgresql://db.example/team"},
        {"postgresql://ada@db.example?password=x", "postgresql://db.example"},
        {"/odd://a@b?c", "/odd://a@b?c"},
        {"", ""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        eg_conf *c;
        eg_error err;
        char option[200];
        assert_int_equal(eg_conf_create(&arena, &c, &err), EG_OK);
        snprintf(option, sizeof option, "database=%s", rows[i][0]);
        assert_int_equal(eg_conf_option(c, option, &err), EG_OK);
        assert_int_equal(eg_conf_option(c, "nli.api_key=sesame", &err), EG_OK);
        assert_int_equal(eg_conf_option(c, "nli.token=", &err), EG_OK);
        assert_int_equal(eg_conf_option(c, "nli.keyboard=qwertz", &err), EG_OK);
        assert_int_equal(eg_conf_option(c, "nli.passwords=two", &err), EG_OK);
        eg_conf_each(c, note_shown, NULL);
        assert_string_equal(shown[0], rows[i][1]);
        assert_string_equal(shown[1], "(set)");
        assert_string_equal(shown[2], "");
        assert_string_equal(shown[3], "qwertz");
        assert_string_equal(shown[4], "two");
        assert_string_equal(eg_conf_get(c, "nli.api_key"), "sesame"); /* who asks for it gets it */
    }
}

int main(void) {
    int fd = mkstemp(path);
    if (fd < 0) return 1;
    close(fd);
    eg_arena_init(&arena, 0);
    const struct CMUnitTest tests[] = {cmocka_unit_test(secrets_are_not_shown),
                                       cmocka_unit_test(strength),
                                       cmocka_unit_test(refusals),
                                       cmocka_unit_test(project_files),
                                       cmocka_unit_test(owners),
                                       cmocka_unit_test(plugins_own),
                                       cmocka_unit_test(settings_that_no_plugin_reads),
                                       cmocka_unit_test(indentation_means_nothing),
                                       cmocka_unit_test(long_lines),
                                       cmocka_unit_test(unreadable),
                                       cmocka_unit_test(writing),
                                       cmocka_unit_test(writing_refused),
                                       cmocka_unit_test(writing_elsewhere)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    eg_arena_release(&arena);
    unlink(path);
    return failed;
}
