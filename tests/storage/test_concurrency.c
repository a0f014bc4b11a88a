/* test_concurrency.c - many processes on one store, and processes that die in the middle: nothing
 * that was acknowledged is lost, the file stays whole, the queue goes on. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <sodium.h> /* randombytes */
#include <sqlite3.h>

#include "store_fixture.h"

enum { PROCESSES = 10, FACTS = 200, KILLS = 100 };

/* One fact with its job and audit row, as a commit writes them. */
static eg_status commit(store *s, eg_id *id) {
    char text[80];
    eg_new_fact row = {.size = sizeof row, .fact = {.scope = EG_STR("load"), .agent_id = EG_STR("a"), .confidence = 0.5}};
    eg_term term = {EG_STR("fact"), 1};
    *id = row.fact.id = row.fact.lineage_id = test_id();
    int n = snprintf(text, sizeof text, "fact %02x%02x%02x%02x", id->bytes[0], id->bytes[1], id->bytes[2], id->bytes[3]);
    row.fact.content = (eg_str){text, (size_t)n};
    s->services.sha256(s->services.host, id->bytes, 16, row.fact.content_hash);
    row.terms = &term;
    row.term_count = 1;
    eg_precondition unique = {.kind = EG_REQUIRE_HASH_FREE,
                              .hash_free = {.scope = row.fact.scope, .hash = row.fact.content_hash}};
    eg_change changes[] = {
        {.kind = EG_CHANGE_FACT, .new_fact = &row},
        {.kind = EG_CHANGE_JOB, .job = {.kind = EG_JOB_DETECT, .fact = *id, .owner = EG_STR("owner")}},
        {.kind = EG_CHANGE_AUDIT, .audit = {.action = EG_STR("commit"), .payload = EG_STR("{}"), .fact = *id}}};
    eg_change_set set = {.size = sizeof set,
                         .id = test_id(),
                         .actor = EG_STR("test"),
                         .preconditions = &unique,
                         .precondition_count = 1,
                         .changes = changes,
                         .change_count = 3};
    eg_applied applied;
    eg_status st = s->registrar.ops->apply(s->handle, &s->request.rq, &set, &applied);
    if (st != EG_OK) fprintf(stderr, "commit: %s\n", s->request.err.text);
    test_request_release(&s->request);
    return st;
}

static void check_whole(const char *path) {
    sqlite3 *db;
    sqlite3_stmt *q;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &q, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(q), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(q, 0), "ok");
    sqlite3_finalize(q);
    sqlite3_close(db);
}

static void make_folder(char folder[64], char path[96]) {
    strcpy(folder, "/tmp/engram-storage-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, 96, "%s/data/knowledge.db", folder);
}
static void remove_folder(const char *folder) {
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

static void ten_processes_write_at_once(void **state) {
    (void)state;
    char folder[64], path[96];
    make_folder(folder, path);
    pid_t children[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) { /* the store does not exist yet: ten openings race too */
        children[i] = fork();
        if (children[i] == 0) {
            store s;
            eg_id id;
            if (open_store(&s, path) != EG_OK) {
                fprintf(stderr, "open: %s\n", s.request.err.text);
                _exit(1);
            }
            for (int k = 0; k < FACTS; k++)
                if (commit(&s, &id) != EG_OK) _exit(1);
            close_store(&s);
            _exit(0);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        waitpid(children[i], &status, 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    store s;
    eg_store_stats stats;
    assert_int_equal(open_store(&s, path), EG_OK);
    assert_int_equal(s.registrar.ops->stats(s.handle, &s.request.rq, EG_STATS_FACTS | EG_STATS_JOBS, &stats), EG_OK);
    assert_int_equal(stats.facts, PROCESSES * FACTS);
    assert_int_equal(stats.jobs_queued, PROCESSES * FACTS);
    assert_int_equal(s.registrar.ops->audit_verify(s.handle, &s.request.rq), EG_OK);
    close_store(&s);
    check_whole(path);
    remove_folder(folder);
}

/* Commits for ever and tells each acknowledged id through the pipe; takes leases as it goes. */
static void work_until_killed(const char *path, int out) {
    store s;
    eg_id id;
    if (open_store(&s, path) != EG_OK) _exit(1);
    for (;;) {
        eg_job *jobs;
        size_t n;
        if (commit(&s, &id) != EG_OK || write(out, id.bytes, 16) != 16) _exit(1);
        const eg_lease_args args = {.size = sizeof args, .owner = EG_STR("owner"), .lease_time = 50000, .limit = 1};
        if (s.registrar.ops->lease(s.handle, &s.request.rq, &args, &jobs, &n) != EG_OK) _exit(1);
        test_request_release(&s.request);
    }
}

static void nothing_acknowledged_is_lost_by_kill(void **state) {
    (void)state;
    char folder[64], path[96];
    make_folder(folder, path);
    static eg_id known[200000];
    size_t count = 0;
    for (int i = 0; i < KILLS; i++) {
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0) {
            close(ends[0]);
            work_until_killed(path, ends[1]);
        }
        close(ends[1]);
        eg_id id;
        /* each fourth may die while it opens the store */
        if (i % 4 && read(ends[0], id.bytes, 16) == 16) known[count++] = id;
        usleep(randombytes_uniform(15000));
        kill(child, SIGKILL);
        while (count < sizeof known / sizeof *known && read(ends[0], id.bytes, 16) == 16) known[count++] = id;
        close(ends[0]);
        int status;
        waitpid(child, &status, 0);
        assert_true(WIFSIGNALED(status));
    }
    print_message("%d kills, %zu facts acknowledged\n", KILLS, count);
    assert_true(count >= KILLS * 3 / 4);
    store s;
    assert_int_equal(open_store(&s, path), EG_OK);
    for (size_t i = 0; i < count; i++) {
        const eg_parts_args args = {.size = sizeof args, .ids = &known[i], .count = 1};
        eg_fact_parts *row;
        if (s.registrar.ops->parts(s.handle, &s.request.rq, &args, &row, NULL) != EG_OK || row->fact.seq == 0)
            fail_msg("fact %zu of %zu is lost: %s", i, count, s.request.err.text);
        test_request_release(&s.request);
    }
    assert_int_equal(s.registrar.ops->audit_verify(s.handle, &s.request.rq), EG_OK);
    usleep(60000); /* the leases of the dead have run out */
    eg_job *jobs;
    eg_store_stats stats;
    size_t n = 0;
    const eg_lease_args args = {.size = sizeof args, .owner = EG_STR("other"), .lease_time = 60 * EG_SECOND, .limit = 1000000};
    assert_int_equal(s.registrar.ops->lease(s.handle, &s.request.rq, &args, &jobs, &n), EG_OK);
    assert_int_equal(s.registrar.ops->stats(s.handle, &s.request.rq, EG_STATS_FACTS | EG_STATS_JOBS, &stats), EG_OK);
    assert_true(n > 0 && stats.jobs_leased == n);
    assert_true(n + stats.jobs_dead >= count); /* dead-lettered: what the dead had too often */
    close_store(&s);
    check_whole(path);
    remove_folder(folder);
}

/* Who reads the journal on from what it has read sees every change once and in order, while 16
 * processes write. */
static void a_reader_of_the_journal_misses_nothing(void **state) {
    (void)state;
    enum { WRITERS = 16, EACH = 50 };
    char folder[64], path[96];
    make_folder(folder, path);
    store s;
    assert_int_equal(open_store(&s, path), EG_OK);
    pid_t children[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        children[i] = fork();
        if (children[i]) continue;
        store own;
        eg_id id;
        if (open_store(&own, path) != EG_OK) _exit(1);
        for (int k = 0; k < EACH; k++)
            if (commit(&own, &id) != EG_OK) _exit(1);
        close_store(&own);
        _exit(0);
    }
    int64_t seen = 0, deadline = eg_clock_monotonic() + 120 * EG_SECOND;
    while (seen < WRITERS * EACH && eg_clock_monotonic() < deadline) {
        int64_t seq;
        eg_journal_row *rows;
        size_t n;
        assert_int_equal(s.registrar.ops->wait(s.handle, &s.request.rq, seen, deadline, &seq), EG_OK);
        assert_true(seq > seen);
        assert_int_equal(s.registrar.ops->changes_since(s.handle, &s.request.rq, seen, 100, &rows, &n), EG_OK);
        assert_true(n > 0);
        /* one change a commit: none was passed over */
        for (size_t i = 0; i < n; i++) assert_int_equal(rows[i].seq, ++seen);
        test_request_release(&s.request);
    }
    assert_int_equal(seen, WRITERS * EACH);
    for (int i = 0; i < WRITERS; i++) {
        int status;
        waitpid(children[i], &status, 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_int_equal(s.registrar.ops->audit_verify(s.handle, &s.request.rq), EG_OK);
    close_store(&s);
    remove_folder(folder);
}

/* A new store with one commit in it. */
static void make_store(store *s, char folder[64], char path[96]) {
    eg_id id;
    make_folder(folder, path);
    assert_int_equal(open_store(s, path), EG_OK);
    assert_int_equal(commit(s, &id), EG_OK);
}

static void ends_well(pid_t child) {
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* wait() ends when another process commits, long before its deadline; and not for a commit to
 * another workspace. */
static void a_commit_of_another_process_ends_a_wait(void **state) {
    (void)state;
    char folder[64], path[96];
    store s;
    eg_id id;
    make_store(&s, folder, path);
    pid_t child = fork();
    if (child == 0) {
        store own;
        if (open_store(&own, path) != EG_OK) _exit(1);
        work_in(&own, "elsewhere");
        if (commit(&own, &id) != EG_OK) _exit(2);
        usleep(300000);
        work_in(&own, "local");
        _exit(commit(&own, &id) == EG_OK ? 0 : 3);
    }
    int64_t begun = eg_clock_monotonic(), seq;
    assert_int_equal(s.registrar.ops->wait(s.handle, &s.request.rq, 1, begun + 60 * EG_SECOND, &seq), EG_OK);
    assert_int_equal(seq, 2);
    assert_in_range(eg_clock_monotonic() - begun, 300000, 30 * EG_SECOND);
    ends_well(child);
    close_store(&s);
    remove_folder(folder);
}

/* A write that the disk refuses leaves the store as it was, says so, and the next one works. */
static void a_full_disk_loses_nothing(void **state) {
    (void)state;
    char folder[64], path[96];
    store s;
    eg_id id;
    make_store(&s, folder, path);
    close_store(&s);
    pid_t child = fork();
    if (child == 0) { /* a limit on the size of files stands for the full disk */
        struct rlimit none = {1, 1};
        signal(SIGXFSZ, SIG_IGN);
        if (open_store(&s, path) != EG_OK) _exit(1);
        if (setrlimit(RLIMIT_FSIZE, &none) != 0) _exit(2);
        eg_status st = commit(&s, &id);
        _exit(st == EG_EIO || st == EG_EREADONLY ? 0 : 3);
    }
    ends_well(child);
    check_whole(path);
    assert_int_equal(open_store(&s, path), EG_OK);
    eg_store_stats stats;
    assert_int_equal(s.registrar.ops->stats(s.handle, &s.request.rq, EG_STATS_FACTS | EG_STATS_JOBS, &stats), EG_OK);
    assert_int_equal(stats.facts, 1);
    assert_int_equal(commit(&s, &id), EG_OK);
    close_store(&s);
    remove_folder(folder);
}

/* Files that are no store, or one of a newer version, are refused and not changed. */
static void foreign_files_are_refused(void **state) {
    (void)state;
    char folder[64], path[96], command[300];
    make_folder(folder, path);
    store s;
    assert_int_equal(open_store(&s, path), EG_OK);
    close_store(&s);
    snprintf(command, sizeof command, "sqlite3 %s \"UPDATE meta SET min_writer = 99, upgraded_by = 'engram 9.0'\"", path);
    assert_int_equal(system(command), 0);
    assert_int_equal(open_store(&s, path), EG_EVERSION);
    assert_non_null(strstr(s.request.err.text, "engram 9.0"));
    test_request_release(&s.request);
    snprintf(command, sizeof command, "rm -f %s*; sqlite3 %s 'CREATE TABLE t (x)'", path, path);
    assert_int_equal(system(command), 0);
    assert_int_equal(open_store(&s, path), EG_EFORMAT);
    test_request_release(&s.request);
    snprintf(command, sizeof command, "rm -f %s*; head -c 8192 /dev/urandom > %s", path, path);
    assert_int_equal(system(command), 0);
    assert_int_equal(open_store(&s, path), EG_EFORMAT);
    test_request_release(&s.request);
    remove_folder(folder);
}

int main(void) {
    if (sodium_init() < 0) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_processes_write_at_once),
        cmocka_unit_test(nothing_acknowledged_is_lost_by_kill),
        cmocka_unit_test(a_reader_of_the_journal_misses_nothing),
        cmocka_unit_test(a_commit_of_another_process_ends_a_wait),
        cmocka_unit_test(a_full_disk_loses_nothing),
        cmocka_unit_test(foreign_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
