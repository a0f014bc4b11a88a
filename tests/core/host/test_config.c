/* test_config.c - settings: sources, strength, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/host/config.h"

static eg_arena arena;
static char path[] = "/tmp/eg-config-XXXXXX";

static eg_status read_text(eg_conf **c, const char *text, int project, eg_error *err) {
    assert_int_equal(eg_file_replace(path, text, strlen(text), 0600, NULL), EG_OK);
    assert_int_equal(eg_conf_create(&arena, c, err), EG_OK);
    return eg_conf_read(*c, path, project, err);
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
    assert_int_equal(read_text(&c, "level = mmx\n", 0, &err), EG_EINVAL);
    assert_int_equal(read_text(&c, "no equals sign\n", 0, &err), EG_EFORMAT);
    assert_int_equal(read_text(&c, "plugins = /tmp/evil.so\n", 1, &err), EG_EREFUSED);
    assert_int_equal(read_text(&c, "database = /x\n", 1, &err), EG_EREFUSED);
    assert_int_equal(read_text(&c, "[mcp]\nprofile = all\n", 1, &err), EG_EREFUSED);
    assert_int_equal(read_text(&c, "scope = a\n[detection]\nwait_ms = 1\n", 1, &err), EG_OK);
}

static void plugins_own(void **state) {
    (void)state;
    eg_conf *c;
    eg_error err;
    assert_int_equal(read_text(&c, "plugins = mcp /opt/own.so\n[mcp]\nprofile = all\n[own]\nx = 1\n", 0, &err), EG_OK);
    assert_int_equal(eg_conf_finish(c, &err), EG_OK);
    assert_string_equal(eg_conf_get(c, "mcp.profile"), "all");
    assert_int_equal(read_text(&c, "[nobody]\nx = 1\n", 0, &err), EG_OK);
    assert_int_equal(eg_conf_finish(c, &err), EG_EINVAL);
}

int main(void) {
    int fd = mkstemp(path);
    if (fd < 0) return 1;
    close(fd);
    eg_arena_init(&arena, 0);
    const struct CMUnitTest tests[] = {cmocka_unit_test(strength), cmocka_unit_test(refusals), cmocka_unit_test(plugins_own)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    eg_arena_release(&arena);
    unlink(path);
    return failed;
}
