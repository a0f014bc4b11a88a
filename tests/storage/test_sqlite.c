/* test_sqlite.c - the conformance test over the SQLite backend, and what is its own: the audit
 * chain against a changed file, the migration of kept stores, plans of statements, stores that
 * cannot be written. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>
#include <sqlite3.h>

#include "conformance_steps.h"
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

#define X(name)                       \
    static void name(void **state) {  \
        (void)state;                  \
        on_empty(conformance_##name); \
    }
CONFORMANCE_CHECKS(X)
#undef X

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

/* A fact and its deletion, each with an audit row: three rows of the chain, two of them with a
 * window. */
static eg_id add_and_delete(store *s) {
    eg_new_fact row = new_fact("one", "x");
    const eg_id fact = row.fact.id, none = {{0}};
    const eg_change plain = {.kind = EG_CHANGE_AUDIT, .audit = {EG_STR("first"), EG_STR("{}"), none, none}};
    const eg_change add[] = {{.kind = EG_CHANGE_FACT, .new_fact = &row},
                             {.kind = EG_CHANGE_AUDIT, .audit = {EG_STR("commit"), EG_STR("{}"), fact, none}}};
    const eg_change drop[] = {{.kind = EG_CHANGE_CLOSE, .close = {fact, EG_CLOSE_DELETED, EG_STR("bob")}},
                              {.kind = EG_CHANGE_AUDIT, .audit = {EG_STR("delete"), EG_STR("{}"), fact, none}}};
    assert_int_equal(apply(s, NULL, 0, &plain, 1, NULL), EG_OK);
    assert_int_equal(apply(s, NULL, 0, add, 2, NULL), EG_OK);
    assert_int_equal(apply(s, NULL, 0, drop, 2, NULL), EG_OK);
    return fact;
}

static void copy_path(store *s, char path[96]) {
    eg_store_stats stats = stats_of(s);
    snprintf(path, 96, "%.*s", (int)stats.location.len, stats.location.ptr);
}

static eg_status verify(store *s) { return s->registrar.ops->audit_verify(s->handle, &s->request.rq); }

/* Every part of an audit row is under the chain: who, and what it did to windows; and no row can be
 * left out. */
static void tamper(store *s) {
    static const char *const ways[] = {
        "UPDATE audit SET actor = 'nobody' WHERE id = 1",
        "UPDATE audit SET actor = 'test' WHERE id = 1",
        "UPDATE audit_payloads SET payload = '{ }' WHERE id = 2",
        "UPDATE audit_payloads SET payload = '{}' WHERE id = 2",
        "UPDATE audit_windows SET until_after = until_after + 1 WHERE audit = 3",
        "UPDATE audit_windows SET until_after = until_after - 1 WHERE audit = 3",
        "INSERT INTO audit_windows SELECT 1, 0, fact, 0, 0, 1, 2 FROM audit_windows WHERE audit = 2",
        "DELETE FROM audit_windows WHERE audit = 1",
        "DELETE FROM audit_payloads WHERE id = 3", /* an erased payload leaves the chain whole */
        "CREATE TABLE kept AS SELECT * FROM audit; DELETE FROM audit WHERE id = 2",
        "DELETE FROM audit; INSERT INTO audit SELECT * FROM kept WHERE id < 3",
        "DELETE FROM audit; INSERT INTO audit SELECT * FROM kept",
        "UPDATE audit SET layout = 1 WHERE id = 3",
        "UPDATE audit SET layout = 2 WHERE id = 3",
        "DELETE FROM audit_windows WHERE audit = 2"};
    static const char *const row[] = {"row 1",
                                      NULL,
                                      "row 2",
                                      NULL,
                                      "row 3",
                                      NULL,
                                      "row 1",
                                      NULL,
                                      NULL,
                                      "row 3",
                                      "last rows are missing",
                                      NULL,
                                      "last rows are missing",
                                      NULL,
                                      "row 2"};
    char path[96];
    add_and_delete(s);
    copy_path(s, path);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        execute(path, ways[i]);
        assert_int_equal(verify(s), row[i] ? EG_EFORMAT : EG_OK);
        if (row[i] && !strstr(s->request.err.text, row[i])) fail_msg("%s: %s", ways[i], s->request.err.text);
    }
}
static void a_changed_audit_row_is_seen(void **state) {
    (void)state;
    on_empty(tamper);
}

/* The id that the kept stores give their nth fact. */
static eg_id kept_id(uint8_t n) {
    eg_id id;
    memset(id.bytes, n, sizeof id.bytes);
    return id;
}

/* All that was in the store is there, and goes on. */
static void is_whole(store *s, int version) {
    eg_fact_parts p =
        part(s, kept_id(1), EG_PARTS_CLAIMS | EG_PARTS_STATEMENTS | EG_PARTS_CONFLICTS | EG_PARTS_TRUST | EG_PARTS_JOBS);
    assert_true(eg_str_eq(p.fact.content, EG_STR("auth uses postgres")) && p.fact.seq == 1 && p.fact.valid_until == EG_FOREVER);
    assert_true(p.claim_count == 1 && eg_str_eq(p.claims[0].text, EG_STR("postgres")) && p.statement_count == 1);
    assert_true(p.details[0].kind == EG_STATEMENT_ASSERTION && p.details[0].span.end == p.statements[0].end);
    assert_true(p.agent_commits == 2 && p.agent_flagged == 1 && p.jobs_waiting == 1);
    assert_int_equal(p.conflict_count, 0); /* the other fact had thirty days */
    eg_conflict c = get_conflict(s, kept_id(0x11));
    assert_true(c.status == EG_CONFLICT_OPEN && c.seq == 5 && c.until_b == INT64_C(86400001000000) + 30 * DAY);
    assert_int_equal(get_fact(s, kept_id(3)).close_reason, EG_CLOSE_DELETED);
    assert_int_equal(get_fact(s, kept_id(4)).seq, 0); /* of the other workspace */
    assert_int_equal(feedback_on(s, "tier0_entity").confirmed, 1);
    const eg_term term = {EG_STR("postgres"), 1};
    const float q[4] = {0.6f, 0.8f};
    eg_vector v = {.dimensions = 4, .model_id = EG_STR("m"), .values = q};
    eg_filter f = ALL_FACTS;
    assert_int_equal(search_one(s, &f, (eg_search){.terms = &term, .term_count = 1, .limit = 5}).count, 1);
    assert_int_equal(search_one(s, &f, (eg_search){.kind = EG_SEARCH_VECTOR, .vector = &v, .limit = 5}).count, 1);

    eg_journal_row *rows;
    eg_audit_row *audit;
    size_t n;
    assert_int_equal(OPS(s, changes_since, 0, 10, &rows, &n), EG_OK);
    /* numbers are kept, and go on */
    assert_true(n == 6 && rows[5].seq == 7 && rows[5].kind == EG_CHANGE_CLOSE);
    assert_int_equal(OPS(s, audit, 0, 10, &audit, &n), EG_OK);
    assert_true(n == 3 && audit[2].id == 4 && eg_str_eq(audit[2].action, EG_STR("delete")));
    assert_int_equal(audit[2].window_count, version >= 2); /* version 1 kept none */
    assert_int_equal(verify(s), EG_OK);
    eg_id fact = add_and_delete(s);
    assert_int_equal(stats_of(s).seq, 9);
    assert_int_equal(OPS(s, audit, 4, 10, &audit, &n), EG_OK);
    assert_true(n == 3 && audit[2].window_count == 1 && eg_id_eq(audit[2].windows[0].fact, fact));
    assert_true(audit[0].layout == EG_AUDIT_WORKSPACE);
    assert_int_equal(verify(s), EG_OK);
    eg_job *jobs;
    assert_int_equal(lease(s, "new owner", 0, 5, &jobs), 2);
    work_in(s, "other");
    assert_int_equal(get_fact(s, kept_id(4)).seq, 3);
    assert_int_equal(stats_of(s).seq, 3);
    put_fact(s, "goes on", "x", 0, 0);
    assert_int_equal(stats_of(s).seq, 4);
    add_and_delete(s);
    assert_int_equal(verify(s), EG_OK);
    work_in(s, "new");
    add_and_delete(s);
    assert_int_equal(verify(s), EG_OK);
    work_in(s, "local");
}

/* Stores that versions 1 to 5 wrote (tests/storage/kept) are migrated: a copy stays beside,
 * readable by its owner alone; nothing is lost; the audit chain holds over old and new rows, and
 * old ones cannot be changed; processes of before may not write any more. */
static void old_stores_are_migrated(void **state) {
    (void)state;
    for (int version = 1; version <= 5; version++) {
        char folder[64] = "/tmp/engram-sqlite-XXXXXX", path[96], copy[112], command[400];
        store *s = malloc(sizeof *s);
        assert_non_null(s);
        assert_non_null(mkdtemp(folder));
        snprintf(path, sizeof path, "%s/it's old.db", folder);
        snprintf(copy, sizeof copy, "%s.v%d", path, version);
        snprintf(command, sizeof command, "sqlite3 \"%s\" < '%s/v%d.sql'", path, KEPT_STORES, version);
        assert_int_equal(system(command), 0);
        FILE *f = fopen(copy, "w"); /* left by a migration that was interrupted */
        assert_non_null(f);
        fputs("half a copy", f);
        fclose(f);

        if (open_store(s, path) != EG_OK) fail_msg("%s", s->request.err.text);
        is_whole(s, version);
        struct stat st;
        assert_int_equal(stat(copy, &st), 0);
        assert_int_equal(st.st_mode & 0777, 0600);
        assert_int_equal(execute(copy, "SELECT schema FROM meta"), version);
        assert_int_equal(execute(copy, "SELECT count(*) FROM audit"), 4);
        assert_int_equal(execute(path, "SELECT schema FROM meta"), 6);
        assert_int_equal(execute(path, "SELECT min_writer FROM meta"), 4);
        /* of the other workspace: the chain was one */
        execute(path, "UPDATE audit SET actor = 'nobody' WHERE id = 2");
        assert_int_equal(verify(s), EG_EFORMAT);
        assert_non_null(strstr(s->request.err.text, "row 2"));
        execute(path, "UPDATE audit SET actor = 'alice' WHERE id = 2; DELETE FROM audit_windows WHERE audit = 4;"
                      "DELETE FROM audit_payloads WHERE id = 4; DELETE FROM audit WHERE id = 4");
        assert_int_equal(verify(s), EG_EFORMAT);
        assert_non_null(strstr(s->request.err.text, "before schema 4"));
        close_store(s);
        free(s);
        snprintf(command, sizeof command, "rm -rf %s", folder);
        assert_int_equal(system(command), 0);
    }
}

/* What is asked for every commit and query does not read all jobs or conflicts that there are:
 * lines of the query's plan. */
static void plans(store *s) {
    static const char *const asked[] = {
#define X(name, sql) sql,
        STATEMENTS(X)
#undef X
    };
    static const struct {
        eg_sql which;
        const char *never;
    } checks[] = {{EG_SQL_DUE_JOBS, "%TEMP B-TREE%"},
                  {EG_SQL_DUE_JOBS, "SCAN j"},
                  {EG_SQL_LEASE_OF_TOKEN, "SCAN jobs"},
                  {EG_SQL_EXPIRE_LEASES, "SCAN jobs"},
                  {EG_SQL_CONFLICTS_OF, "%workspace=?%"},
                  {EG_SQL_PAIR_CONFLICT, "%workspace=?%"},
                  {EG_SQL_CLEARED_OF, "%workspace=?%"},
                  {EG_SQL_CONFLICT_IDS_OF, "%workspace=?%"},
                  {EG_SQL_AUDIT, "SCAN p"},
                  {EG_SQL_AUDIT, "% u USING INTEGER PRIMARY KEY%"},
                  {EG_SQL_AUDIT, "%TEMP B-TREE%"},
                  {EG_SQL_CHAIN_OF_WORKSPACE, "SCAN u"},
                  {EG_SQL_CHAIN_OF_WORKSPACE, "%TEMP B-TREE%"},
                  {EG_SQL_CHANGES_SINCE, "SCAN journal"},
                  {EG_SQL_FIND_SET, "SCAN journal"},
                  {EG_SQL_LINEAGE, "SCAN facts"},
                  {EG_SQL_AGENT, "% conflicts%"}};
    char path[96];
    sqlite3 *db;
    sqlite3_stmt *q;
    copy_path(s, path);
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
/* A store of this schema that has no index of the audit log yet gets one when it is opened. */
static void stores_without_an_index_get_it(void **state) {
    (void)state;
    char folder[64] = "/tmp/engram-sqlite-XXXXXX", path[96], command[96];
    store *s = malloc(sizeof *s);
    assert_non_null(s);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/store.db", folder);
    for (int time = 0; time < 2; time++) {
        if (open_store(s, path) != EG_OK) fail_msg("%s", s->request.err.text);
        close_store(s);
        assert_int_equal(execute(path, "SELECT count(*) FROM sqlite_master WHERE name = 'audit_workspace'"), 1);
        execute(path, "DROP INDEX audit_workspace");
    }
    free(s);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
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
        const eg_change setting = {.kind = EG_CHANGE_SETTING, .setting = {EG_STR("k"), EG_STR("v")}};
        eg_job *jobs;
        assert_true(eg_str_eq(get_fact(s, fact).content, EG_STR("one")));
        assert_int_equal(lease(s, "me", 0, 1, &jobs), 0);
        assert_int_equal(OPS(s, count_hits, &fact, 1), EG_OK);
        assert_int_equal(apply(s, NULL, 0, &setting, 1, NULL), EG_EREADONLY);
        assert_non_null(strstr(s->request.err.text, "not written here"));
        close_store(s);
        as_another(0);
    }
    /* a log that another process left or writes holds what the file does not: it is not passed
     * over */
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
#define X(name) cmocka_unit_test(name),
        CONFORMANCE_CHECKS(X)
#undef X
            cmocka_unit_test(a_changed_audit_row_is_seen),
        cmocka_unit_test(old_stores_are_migrated),
        cmocka_unit_test(statements_do_not_grow_with_history),
        cmocka_unit_test(stores_without_an_index_get_it),
        cmocka_unit_test(read_only_stores_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
