/* test_sqlite.c - the conformance test over the SQLite backend, and what is its own: the audit chain against a changed file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <sodium.h>

#include "conformance.h"

/* Runs a check on an empty store in a folder of its own. */
static void on_empty(void (*check)(store *s)) {
    char folder[64] = "/tmp/engram-sqlite-XXXXXX", path[96], command[96];
    store *s = malloc(sizeof *s);
    assert_non_null(s);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/knowledge.db", folder);
    if (open_store(s, path) != EG_OK) fail_msg("%s", s->err.text);
    check(s);
    close_store(s);
    free(s);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

#define CONFORMS(name)                                                                                       \
    static void name(void **state) {                                                                             \
        (void)state;                                                                                             \
        on_empty(conformance_##name);                                                                            \
    }
CONFORMS(windows)
CONFORMS(preconditions)
CONFORMS(searches)
CONFORMS(conflicts)
CONFORMS(jobs)
CONFORMS(workspaces)

static void tamper(store *s) {
    eg_change rows[] = {{.kind = EG_CHANGE_AUDIT, .text = EG_STR("first"), .text2 = EG_STR("{}")}, {.kind = EG_CHANGE_AUDIT, .text = EG_STR("second"), .text2 = EG_STR("{}")}};
    eg_change_set set = {.workspace = EG_STR("local"), .actor = EG_STR("test"), .changes = rows, .change_count = 2};
    eg_applied applied;
    eg_store_stats stats;
    char command[300];
    assert_int_equal(s->registrar.ops->apply(s->handle, &s->rq, &set, &applied), EG_OK);
    assert_int_equal(s->registrar.ops->audit_verify(s->handle, &s->rq), EG_OK);
    assert_int_equal(s->registrar.ops->stats(s->handle, &s->rq, EG_STR("local"), &stats), EG_OK);
    snprintf(command, sizeof command, "sqlite3 %.*s \"UPDATE audit SET actor = 'nobody' WHERE id = 1\"", (int)stats.location.len, stats.location.ptr);
    assert_int_equal(system(command), 0);
    assert_int_equal(s->registrar.ops->audit_verify(s->handle, &s->rq), EG_EFORMAT);
    assert_non_null(strstr(s->err.text, "row 1"));
}
static void a_changed_audit_row_is_seen(void **state) {
    (void)state;
    on_empty(tamper);
}

int main(void) {
    if (sodium_init() < 0) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows), cmocka_unit_test(preconditions), cmocka_unit_test(searches),   cmocka_unit_test(conflicts),
        cmocka_unit_test(jobs),    cmocka_unit_test(workspaces),    cmocka_unit_test(a_changed_audit_row_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
