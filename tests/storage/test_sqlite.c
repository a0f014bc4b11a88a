/* test_sqlite.c - the conformance test over the SQLite backend, and what is its own: the audit chain against a changed file, and
 * the migration of a store of version 1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <sodium.h>
#include <sqlite3.h>

#include "conformance.h"
#include "storage/sqlite/statements.h"

/* Runs a check on an empty store in a folder of its own. */
static void on_empty(void (*check)(store *s)) {
    char folder[64] = "/tmp/engram-sqlite-XXXXXX", path[96], command[96];
    store *s = malloc(sizeof *s);
    assert_non_null(s);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/knowledge.db", folder);
    if (open_store(s, path) != EG_OK) fail_msg("%s", s->request.err.text);
    check(s);
    close_store(s);
    free(s);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

#define CONFORMS(name)                \
    static void name(void **state) {  \
        (void)state;                  \
        on_empty(conformance_##name); \
    }
CONFORMS(windows)
CONFORMS(preconditions)
CONFORMS(searches)
CONFORMS(conflicts)
CONFORMS(agents)
CONFORMS(closing)
CONFORMS(run_out)
CONFORMS(job_order)
CONFORMS(clock_set_back)
CONFORMS(jobs)
CONFORMS(workspaces)
CONFORMS(audit_windows)
CONFORMS(unembedded)

static int take_number(void *to, int columns, char **values, char **names) {
    (void)columns, (void)names;
    *(int *)to = atoi(values[0]);
    return 0;
}
/* Runs SQL past the backend; the first column of the last row, or -1. */
static int execute(const char *path, const char *sql) {
    sqlite3 *db;
    char *why = NULL;
    int number = -1;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, take_number, &number, &why) != SQLITE_OK) fail_msg("%s: %s", sql, why);
    sqlite3_close(db);
    return number;
}

/* A fact and its deletion, each with an audit row: three rows of the chain, two of them with a window. */
static eg_id add_and_delete(store *s) {
    eg_new_fact row = {.fact = {.content = EG_STR("one"), .scope = EG_STR("x"), .agent_id = EG_STR("alice")}};
    row.fact.id = row.fact.lineage_id = test_id();
    const eg_change plain = {.kind = EG_CHANGE_AUDIT, .text = EG_STR("first"), .text2 = EG_STR("{}")};
    const eg_change add[] = {{.kind = EG_CHANGE_FACT, .new_fact = &row},
                             {.kind = EG_CHANGE_AUDIT, .text = EG_STR("commit"), .text2 = EG_STR("{}"), .fact = row.fact.id}};
    const eg_change drop[] = {{.kind = EG_CHANGE_CLOSE, .fact = row.fact.id, .reason = EG_CLOSE_DELETED},
                              {.kind = EG_CHANGE_AUDIT, .text = EG_STR("delete"), .text2 = EG_STR("{}"), .fact = row.fact.id}};
    const eg_change_set sets[] = {{.workspace = EG_STR("local"), .actor = EG_STR("test"), .changes = &plain, .change_count = 1},
                                  {.workspace = EG_STR("local"), .actor = EG_STR("test"), .changes = add, .change_count = 2},
                                  {.workspace = EG_STR("local"), .actor = EG_STR("test"), .changes = drop, .change_count = 2}};
    eg_applied applied;
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(s->registrar.ops->apply(s->handle, &s->request.rq, &sets[i], &applied), EG_OK);
    return row.fact.id;
}

/* Every part of an audit row is under the chain: who, and what it did to windows. */
static void tamper(store *s) {
    static const char *const ways[] = {
        "UPDATE audit SET actor = 'nobody' WHERE id = 1",
        "UPDATE audit SET actor = 'test' WHERE id = 1",
        "UPDATE audit_windows SET until_after = until_after + 1 WHERE audit = 3",
        "UPDATE audit_windows SET until_after = until_after - 1 WHERE audit = 3",
        "INSERT INTO audit_windows SELECT 1, 0, fact, 0, 0, 1, 2 FROM audit_windows WHERE audit = 2",
        "DELETE FROM audit_windows WHERE audit = 1",
        "DELETE FROM audit_windows WHERE audit = 2"};
    static const char *const row[] = {"row 1", NULL, "row 3", NULL, "row 1", NULL, "row 2"};
    eg_store_stats stats;
    char path[96];
    add_and_delete(s);
    assert_int_equal(s->registrar.ops->stats(s->handle, &s->request.rq, EG_STR("local"), &stats), EG_OK);
    snprintf(path, sizeof path, "%.*s", (int)stats.location.len, stats.location.ptr);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        execute(path, ways[i]);
        assert_int_equal(s->registrar.ops->audit_verify(s->handle, &s->request.rq), row[i] ? EG_EFORMAT : EG_OK);
        if (row[i]) assert_non_null(strstr(s->request.err.text, row[i]));
    }
}
static void a_changed_audit_row_is_seen(void **state) {
    (void)state;
    on_empty(tamper);
}

/* A store of version 1, with an audit row as that version wrote it, becomes one of version 3: a copy stays beside, readable by
 * its owner alone; the chain holds over old and new rows; a process of version 1 may not write any more. */
static void a_store_of_version_1_is_migrated(void **state) {
    (void)state;
    char folder[64] = "/tmp/engram-sqlite-XXXXXX", path[96], copy[112], command[96];
    store *s = malloc(sizeof *s);
    assert_non_null(s);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/it's old.db", folder);
    snprintf(copy, sizeof copy, "%s.v1", path);
    if (open_store(s, path) != EG_OK) fail_msg("%s", s->request.err.text);
    const eg_change old = {.kind = EG_CHANGE_AUDIT, .text = EG_STR("old"), .text2 = EG_STR("{}")};
    const eg_change_set set = {.workspace = EG_STR("local"), .actor = EG_STR("test"), .changes = &old, .change_count = 1};
    eg_applied applied;
    assert_int_equal(s->registrar.ops->apply(s->handle, &s->request.rq, &set, &applied), EG_OK);
    eg_conflict conflict = {.id = test_id(), .tier = EG_STR("t"), .detector = EG_STR("d"), .explanation = EG_STR("e")};
    eg_new_fact rows[2] = {{.fact = {.content = EG_STR("a"), .scope = EG_STR("x"), .agent_id = EG_STR("alice")}},
                           {.fact = {.content = EG_STR("b"), .scope = EG_STR("x"), .agent_id = EG_STR("bob")}}};
    conflict.fact_a = rows[0].fact.id = rows[0].fact.lineage_id = test_id();
    conflict.fact_b = rows[1].fact.id = rows[1].fact.lineage_id = test_id();
    const eg_change changes[] = {{.kind = EG_CHANGE_FACT, .new_fact = &rows[0]},
                                 {.kind = EG_CHANGE_FACT, .new_fact = &rows[1]},
                                 {.kind = EG_CHANGE_AGENT, .text = EG_STR("alice"), .number = 1},
                                 {.kind = EG_CHANGE_CONFLICT, .conflict = &conflict}};
    const eg_change_set facts = {.workspace = EG_STR("local"), .actor = EG_STR("test"), .changes = changes, .change_count = 4};
    assert_int_equal(s->registrar.ops->apply(s->handle, &s->request.rq, &facts, &applied), EG_OK);
    close_store(s);
    execute(path, "DROP TABLE audit_windows; DROP TABLE flagged; DROP TRIGGER conflict_found; DROP TRIGGER conflict_reopened;"
                  "DROP TRIGGER conflict_dismissed; DROP INDEX jobs_leased; DROP INDEX jobs_of_owner; DROP INDEX jobs_in_order;"
                  "UPDATE meta SET schema = 1, min_reader = 1, min_writer = 1");
    FILE *f = fopen(copy, "w"); /* left by a migration that was interrupted */
    assert_non_null(f);
    fputs("half a copy", f);
    fclose(f);

    if (open_store(s, path) != EG_OK) fail_msg("%s", s->request.err.text);
    uint64_t commits, flagged;
    assert_int_equal(s->registrar.ops->agent(s->handle, &s->request.rq, EG_STR("local"), EG_STR("alice"), &commits, &flagged),
                     EG_OK);
    assert_true(commits == 1 && flagged == 1);
    eg_id fact = add_and_delete(s);
    eg_window_change *w;
    size_t n;
    assert_int_equal(s->registrar.ops->audit_windows(s->handle, &s->request.rq, EG_STR("local"), 1, &w, &n), EG_OK);
    assert_int_equal(n, 0);
    assert_int_equal(s->registrar.ops->audit_windows(s->handle, &s->request.rq, EG_STR("local"), 4, &w, &n), EG_OK);
    assert_true(n == 1 && eg_id_eq(w[0].fact, fact) && w[0].until_before == EG_FOREVER && w[0].until_after < EG_FOREVER);
    if (s->registrar.ops->audit_verify(s->handle, &s->request.rq) != EG_OK) fail_msg("%s", s->request.err.text);
    struct stat st;
    assert_int_equal(stat(copy, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(execute(copy, "SELECT schema FROM meta"), 1);
    assert_int_equal(execute(copy, "SELECT count(*) FROM audit"), 1);
    assert_int_equal(execute(path, "SELECT schema FROM meta"), 3);
    assert_int_equal(execute(path, "SELECT min_writer FROM meta"), 2);
    close_store(s);
    free(s);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

/* What is asked for every commit and query does not read all jobs or conflicts that there are: lines of the query's plan. */
static void plans(store *s) {
    static const char *const asked[] = {
#define X(name, sql) sql,
        STATEMENTS(X)
#undef X
    };
    static const struct {
        eg_sql which;
        const char *never;
    } checks[] = {{EG_SQL_DUE_JOBS, "%TEMP B-TREE%"},     {EG_SQL_DUE_JOBS, "SCAN j"},
                  {EG_SQL_LEASED, "SCAN jobs"},           {EG_SQL_EXPIRE_LEASES, "SCAN jobs"},
                  {EG_SQL_CONFLICTS_OF, "%workspace=?%"}, {EG_SQL_PAIR_CONFLICT, "%workspace=?%"},
                  {EG_SQL_AGENT, "% conflicts%"}};
    eg_store_stats stats;
    char path[96];
    sqlite3 *db;
    sqlite3_stmt *q;
    assert_int_equal(s->registrar.ops->stats(s->handle, &s->request.rq, EG_STR("local"), &stats), EG_OK);
    snprintf(path, sizeof path, "%.*s", (int)stats.location.len, stats.location.ptr);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        char sql[3000];
        snprintf(sql, sizeof sql, "EXPLAIN QUERY PLAN %s", asked[checks[i].which]);
        assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK);
        while (sqlite3_step(q) == SQLITE_ROW) {
            const char *line = (const char *)sqlite3_column_text(q, 3);
            if (sqlite3_strlike(checks[i].never, line, 0) == 0) fail_msg("%s: %s", sql, line);
        }
        sqlite3_finalize(q);
    }
    sqlite3_close(db);
}
static void statements_do_not_grow_with_history(void **state) {
    (void)state;
    on_empty(plans);
}

/* As a user that may not write: root gives its rights away for a while. */
static void as_another(uid_t user) {
    if (getuid() == 0 && seteuid(user) != 0) fail_msg("seteuid failed");
}

/* A store in a folder, or a file, that cannot be written: it answers, and a change says why not. */
static void read_only_stores_answer(void **state) {
    (void)state;
    enum { NOBODY = 65534 };
    char folder[64] = "/tmp/engram-sqlite-XXXXXX", path[96], command[200];
    store *s = malloc(sizeof *s);
    assert_non_null(s);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/read %%?#only.db", folder);
    if (open_store(s, path) != EG_OK) fail_msg("%s", s->request.err.text);
    eg_id fact = add_and_delete(s);
    close_store(s);
    for (int writable_folder = 0; writable_folder < 2; writable_folder++) {
        snprintf(command, sizeof command, "cd %s && chmod 444 * && chmod %s .", folder, writable_folder ? "777" : "555");
        assert_int_equal(system(command), 0);
        as_another(NOBODY);
        eg_status opened = open_store(s, path);
        if (opened != EG_OK) fail_msg("%s", s->request.err.text);
        eg_fact read;
        const eg_change plain = {.kind = EG_CHANGE_AUDIT, .text = EG_STR("first"), .text2 = EG_STR("{}")};
        const eg_change_set set = {.workspace = EG_STR("local"), .actor = EG_STR("test"), .changes = &plain, .change_count = 1};
        eg_applied applied;
        eg_job *jobs;
        size_t n = 1;
        assert_int_equal(s->registrar.ops->fact(s->handle, &s->request.rq, fact, &read), EG_OK);
        assert_true(eg_str_eq(read.content, EG_STR("one")));
        assert_int_equal(s->registrar.ops->lease(s->handle, &s->request.rq, EG_STR("me"), 1, 0, 0, 1, 1, &jobs, &n), EG_OK);
        assert_int_equal(n, 0);
        assert_int_equal(s->registrar.ops->count_hits(s->handle, &s->request.rq, &fact, 1), EG_OK);
        assert_int_equal(s->registrar.ops->apply(s->handle, &s->request.rq, &set, &applied), EG_EREADONLY);
        assert_non_null(strstr(s->request.err.text, "not written here"));
        close_store(s);
        as_another(0);
    }
    /* a log that another process left or writes holds what the file does not: it is not passed over */
    snprintf(command, sizeof command,
             "cd %s && rm -f *-shm *-wal && printf x > 'read %%?#only.db-wal' && chmod 444 * && chmod 555 .", folder);
    assert_int_equal(system(command), 0);
    as_another(NOBODY);
    assert_int_equal(open_store(s, path), EG_EREADONLY);
    close_store(s);
    as_another(0);
    free(s);
    snprintf(command, sizeof command, "chmod 700 %s && rm -rf %s", folder, folder);
    assert_int_equal(system(command), 0);
}

int main(void) {
    if (sodium_init() < 0) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows),
        cmocka_unit_test(preconditions),
        cmocka_unit_test(searches),
        cmocka_unit_test(conflicts),
        cmocka_unit_test(agents),
        cmocka_unit_test(closing),
        cmocka_unit_test(run_out),
        cmocka_unit_test(job_order),
        cmocka_unit_test(clock_set_back),
        cmocka_unit_test(jobs),
        cmocka_unit_test(workspaces),
        cmocka_unit_test(audit_windows),
        cmocka_unit_test(unembedded),
        cmocka_unit_test(a_changed_audit_row_is_seen),
        cmocka_unit_test(a_store_of_version_1_is_migrated),
        cmocka_unit_test(statements_do_not_grow_with_history),
        cmocka_unit_test(read_only_stores_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
