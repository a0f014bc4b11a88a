/* test_worker.c - when the worker thread works: at its start, when it is woken, every few seconds;
 * and that it ends. The memory is a stand-in that counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/host/internal.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int runs, held; /* held: a run stays inside work() */

static eg_status work(eg_memory *m, eg_request *rq, size_t *done, size_t *left) {
    (void)m, (void)rq;
    assert_null(left); /* counting what is left reads the whole store */
    *done = 0;
    pthread_mutex_lock(&lock);
    runs++;
    pthread_cond_broadcast(&changed);
    while (held) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return EG_OK;
}
static const eg_memory_ops ops = {.size = sizeof ops, .work = work};

/* Not what is tested here. */
void eg_host_verify_if_due(eg_host *h, const int *cancel) { (void)h, (void)cancel; }

static eg_status request_create(void *host, const eg_request_options *options, eg_request **out, eg_error *err) {
    (void)host, (void)options, (void)err;
    *out = calloc(1, sizeof **out);
    return *out ? EG_OK : EG_ENOMEM;
}
static void request_release(void *host, eg_request *rq) {
    (void)host;
    free(rq);
}

/* Waits until there were n runs; their number then. */
static int wait_for(int n, int ms) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += ms % 1000 * 1000000L;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_mutex_lock(&lock);
    while (runs < n && pthread_cond_timedwait(&changed, &lock, &until) == 0) {}
    int now = runs;
    pthread_mutex_unlock(&lock);
    return now;
}

static void hold(int on) {
    pthread_mutex_lock(&lock);
    held = on;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static int start(void **state) {
    eg_host *h = calloc(1, sizeof *h);
    eg_error err;
    if (!h) return -1;
    runs = held = 0;
    h->services = (eg_services){
        .size = sizeof h->services, .memory_ops = &ops, .request_create = request_create, .request_release = request_release};
    eg_host_worker_init(h);
    *state = h;
    return eg_host_worker_start(h, &err) == EG_OK ? 0 : -1;
}
static int stop(void **state) {
    eg_host *h = *state;
    int64_t begun = eg_clock_monotonic();
    eg_host_worker_stop(h);
    eg_host_worker_wake(h); /* later wake-ups are no error */
    int64_t took = eg_clock_monotonic() - begun;
    pthread_cond_destroy(&h->worker_wake);
    pthread_mutex_destroy(&h->worker_lock);
    free(h);
    if (took > 2 * EG_SECOND) print_message("the worker took %lld us to stop\n", (long long)took);
    return took > 2 * EG_SECOND; /* it sleeps up to five seconds: it was woken to stop */
}

static void a_wake_up_is_answered_at_once(void **state) {
    assert_int_equal(wait_for(1, 2000), 1);
    for (int i = 2; i < 12; i++) {
        int64_t begun = eg_clock_monotonic();
        eg_host_worker_wake(*state);
        assert_int_equal(wait_for(i, 4000), i);
        /* far below the poll, far above a busy machine's delay */
        assert_true(eg_clock_monotonic() - begun < 2 * EG_SECOND);
        usleep(2000);
    }
}

static void a_wake_up_during_work_is_not_lost(void **state) {
    assert_int_equal(wait_for(1, 2000), 1);
    hold(1);
    eg_host_worker_wake(*state);
    assert_int_equal(wait_for(2, 4000), 2);
    /* it is inside work(): three count as one */
    for (int i = 0; i < 3; i++) eg_host_worker_wake(*state);
    hold(0);
    assert_int_equal(wait_for(3, 3000), 3);
    assert_int_equal(wait_for(4, 500), 3);
}

static void idle_is_idle_but_not_deaf(void **state) {
    eg_host *h = *state;
    struct timespec cpu;
    clockid_t clock;
    assert_int_equal(wait_for(1, 2000), 1);
    assert_int_equal(pthread_getcpuclockid(h->worker, &clock), 0);
    assert_int_equal(wait_for(2, 2500), 1);  /* no look each second */
    assert_int_equal(wait_for(2, 20000), 2); /* what other processes left is seen without a
                                              * wake-up */
    assert_int_equal(clock_gettime(clock, &cpu), 0);
    assert_true(cpu.tv_sec == 0 && cpu.tv_nsec < 20000000); /* of five seconds */
}

/* ---- the watcher: a store whose seq the test moves ---- */
static int64_t store_seq = 7; /* of the workspace "here" */
static int more_workspaces;   /* 1: "before" is there too, with one change; 2: "here too" as well */
static int watched;           /* how often somebody waited for a change */
static struct {
    int times;
    int64_t seq;
    char workspace[16];
} heard;

static eg_status list_workspaces(eg_storage *store, eg_request *rq, int64_t sum, int64_t deadline, eg_workspace_row **out,
                                 size_t *n) {
    static eg_workspace_row rows[3];
    (void)store, (void)rq;
    pthread_mutex_lock(&lock);
    watched += deadline != 0;
    for (int i = 0; i < 10 && store_seq + more_workspaces == sum && deadline; i++) {
        pthread_mutex_unlock(&lock);
        usleep(2000);
        pthread_mutex_lock(&lock);
    }
    *n = 0;
    if (more_workspaces) rows[(*n)++] = (eg_workspace_row){.name = EG_STR("before"), .seq = 1};
    rows[(*n)++] = (eg_workspace_row){.name = EG_STR("here"), .seq = store_seq};
    if (more_workspaces > 1) rows[(*n)++] = (eg_workspace_row){.name = EG_STR("here too"), .seq = 1};
    *out = rows;
    pthread_mutex_unlock(&lock);
    return EG_OK;
}
static void changed_to(void *self, const eg_services *services, eg_str workspace, int64_t seq) {
    (void)services;
    assert_ptr_equal(self, &heard);
    pthread_mutex_lock(&lock);
    snprintf(heard.workspace, sizeof heard.workspace, "%.*s", (int)workspace.len, workspace.ptr);
    heard.times++;
    heard.seq = seq;
    pthread_mutex_unlock(&lock);
}

static int start_listening(void **state) {
    static const eg_storage_ops storage = {.size = sizeof storage, .workspaces = list_workspaces};
    eg_host *h = calloc(1, sizeof *h);
    eg_error err;
    if (!h) return -1;
    runs = held = 0;
    h->services = (eg_services){
        .size = sizeof h->services, .memory_ops = &ops, .request_create = request_create, .request_release = request_release};
    h->storage_ops = &storage;
    h->plugins.registrar.listeners[0] =
        (eg_listener_slot){{.size = sizeof(eg_change_listener), .name = "test", .changed = changed_to}, &heard};
    h->plugins.registrar.committed.listeners = 1;
    eg_host_worker_init(h);
    *state = h;
    return eg_host_worker_start(h, &err) == EG_OK ? 0 : -1;
}

/* A change, whoever made it, is told once, and the worker looks for jobs that came with it. What
 * was there before is not told. */
static void changes_are_told(void **state) {
    (void)state;
    assert_int_equal(wait_for(1, 2000), 1);
    for (int known = 0; !known; usleep(2000)) { /* until it knows where the store stands */
        pthread_mutex_lock(&lock);
        known = watched > 0;
        pthread_mutex_unlock(&lock);
    }
    for (int64_t seq = 8; seq < 11; seq++) {
        pthread_mutex_lock(&lock);
        store_seq = seq;
        pthread_mutex_unlock(&lock);
        assert_int_equal(wait_for((int)seq - 6, 4000), seq - 6);
        pthread_mutex_lock(&lock);
        assert_true(heard.times == seq - 7 && heard.seq == seq);
        assert_string_equal(heard.workspace, "here");
        pthread_mutex_unlock(&lock);
    }
    for (int more = 1; more <= 2; more++) { /* of workspaces that this process knew nothing of */
        pthread_mutex_lock(&lock);
        more_workspaces = more;
        pthread_mutex_unlock(&lock);
        assert_int_equal(wait_for(4 + more, 4000), 4 + more);
        pthread_mutex_lock(&lock);
        assert_true(heard.times == 3 + more && heard.seq == 1);
        assert_string_equal(heard.workspace, more == 1 ? "before" : "here too");
        pthread_mutex_unlock(&lock);
    }
    assert_int_equal(wait_for(7, 200), 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(a_wake_up_is_answered_at_once, start, stop),
                                       cmocka_unit_test_setup_teardown(a_wake_up_during_work_is_not_lost, start, stop),
                                       cmocka_unit_test_setup_teardown(idle_is_idle_but_not_deaf, start, stop),
                                       cmocka_unit_test_setup_teardown(changes_are_told, start_listening, stop)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
