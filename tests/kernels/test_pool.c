/* test_pool.c - the pool: every task once, callers side by side, lanes in range, and sleep when
 * idle; signals. */
#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/cpu.h"
#include "kernels/pool.h"

enum { TASKS = 1000 };

typedef struct counts {
    atomic_int of[TASKS];
    _Atomic uint32_t worst_lane;
} counts;

static void count(void *arg, size_t i, uint32_t lane) {
    counts *c = arg;
    atomic_fetch_add(&c->of[i], 1);
    uint32_t seen = atomic_load(&c->worst_lane);
    while (lane > seen && !atomic_compare_exchange_weak(&c->worst_lane, &seen, lane)) continue;
}

static void run_many(eg_pool *pool, int times) {
    static _Thread_local counts c;
    for (int t = 0; t < times; t++) {
        size_t n = (size_t)(t * 37 % TASKS);
        for (size_t i = 0; i < TASKS; i++) atomic_store(&c.of[i], 0);
        atomic_store(&c.worst_lane, 0);
        eg_pool_run(pool, n, count, &c);
        for (size_t i = 0; i < TASKS; i++) assert_int_equal(atomic_load(&c.of[i]), i < n);
        assert_true(atomic_load(&c.worst_lane) < eg_pool_threads(pool));
    }
}

static void every_task_runs_once(void **state) {
    (void)state;
    for (uint32_t threads = 0; threads <= 4; threads++) {
        eg_pool *pool;
        eg_error err;
        assert_int_equal(eg_pool_create(threads, &pool, &err), EG_OK);
        assert_true(eg_pool_threads(pool) >= 1 && eg_pool_threads(pool) <= eg_cpu_allowance());
        run_many(pool, 300);
        eg_pool_destroy(pool);
    }
    eg_pool *pool;
    eg_error err;
    assert_int_equal(eg_pool_create(257, &pool, &err), EG_EINVAL);
}

static void *caller(void *pool) {
    run_many(pool, 200);
    return NULL;
}

static void callers_take_turns(void **state) {
    (void)state;
    eg_pool *pool;
    eg_error err;
    assert_int_equal(eg_pool_create(0, &pool, &err), EG_OK);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, caller, pool), 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    eg_pool_destroy(pool);
}

static void an_idle_pool_uses_no_cpu(void **state) {
    (void)state;
    eg_pool *pool;
    eg_error err;
    assert_int_equal(eg_pool_create(0, &pool, &err), EG_OK);
    run_many(pool, 20);
    usleep(100000); /* the bounded spin is over */
    struct timespec before, after;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    usleep(500000);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    double used = (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) / 1e9;
    assert_true(used < 0.01);
    eg_pool_destroy(pool);
}

/* Ends when every thread of the pool is in a task: all of them have begun. */
static void meet(void *arg, size_t i, uint32_t lane) {
    (void)i, (void)lane;
    for (atomic_fetch_sub((atomic_int *)arg, 1); atomic_load((atomic_int *)arg) > 0;) usleep(100);
}

/* The first run, which mostly comes right behind: a thread that is late, as all are here, still has
 * a part in it. */
static void the_first_run_waits_for_all(void **state) {
    (void)state;
    for (int i = 0; i < 50; i++) {
        eg_pool *pool;
        eg_error err;
        assert_int_equal(eg_pool_create(0, &pool, &err), EG_OK);
        atomic_int missing = (int)eg_pool_threads(pool);
        alarm(60); /* it would wait for ever */
        eg_pool_run(pool, eg_pool_threads(pool), meet, &missing);
        alarm(0);
        eg_pool_destroy(pool);
    }
}

/* Signals come to the program's own threads: those of the pool block them all (but the two that
 * cannot be, and libc's own). */
static void signals_stay_with_the_program(void **state) {
    (void)state;
    eg_pool *pool;
    eg_error err;
    sigset_t before, after;
    unsigned seen = 0;
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &before), 0);
    assert_int_equal(eg_pool_create(0, &pool, &err), EG_OK);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &after), 0);
    atomic_int missing = (int)eg_pool_threads(pool);
    eg_pool_run(pool, eg_pool_threads(pool), meet, &missing);
    for (int i = 1; i < SIGRTMIN; i++) assert_int_equal(sigismember(&before, i), sigismember(&after, i));
    DIR *threads = opendir("/proc/self/task");
    assert_non_null(threads);
    for (struct dirent *e; (e = readdir(threads));) {
        char path[300], line[200];
        unsigned long long blocked = 0;
        if (e->d_name[0] == '.' || atol(e->d_name) == getpid()) continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/status", e->d_name);
        FILE *f = fopen(path, "r");
        assert_non_null(f);
        while (fgets(line, sizeof line, f))
            if (sscanf(line, "SigBlk: %llx", &blocked) == 1) break;
        fclose(f);
        const int some[] = {SIGINT, SIGTERM, SIGCHLD, SIGALRM, SIGUSR1, SIGPROF};
        for (size_t i = 0; i < sizeof some / sizeof *some; i++) assert_true(blocked >> (some[i] - 1) & 1);
        seen++;
    }
    closedir(threads);
    assert_true(seen + 1 >= eg_pool_threads(pool));
    eg_pool_destroy(pool);
}

typedef struct attempt {
    eg_pool *pool;
    atomic_int asked, stop, taken;
} attempt;

static int asks(const void *arg) {
    attempt *a = (attempt *)(uintptr_t)arg;
    atomic_fetch_add(&a->asked, 1);
    return atomic_load(&a->stop);
}

static void *take_it(void *arg) {
    attempt *a = arg;
    int taken = eg_pool_take(a->pool, asks, a);
    atomic_store(&a->taken, taken);
    if (taken) eg_pool_give(a->pool);
    return NULL;
}

/* Who waits for the pool may give up; who does not has it before the one who gave it back. Runs
 * inside a take are runs. */
static void taken_in_turn(void **state) {
    (void)state;
    eg_pool *pool;
    eg_error err;
    attempt a = {0};
    assert_int_equal(eg_pool_create(0, &pool, &err), EG_OK);
    a.pool = pool;
    for (int stops = 1; stops >= 0; stops--) {
        pthread_t other;
        atomic_store(&a.asked, 0);
        atomic_store(&a.stop, 0);
        atomic_store(&a.taken, -1);
        assert_true(eg_pool_take(pool, NULL, NULL));
        assert_int_equal(pthread_create(&other, NULL, take_it, &a), 0);
        while (atomic_load(&a.asked) < 4) usleep(1000); /* it waits */
        run_many(pool, 20);
        assert_int_equal(atomic_load(&a.taken), -1);
        atomic_store(&a.stop, stops);
        if (stops) assert_int_equal(pthread_join(other, NULL), 0); /* while the pool is held */
        eg_pool_give(pool);
        assert_true(eg_pool_take(pool, NULL, NULL));
        eg_pool_give(pool);
        if (!stops) assert_int_equal(pthread_join(other, NULL), 0);
        assert_int_equal(atomic_load(&a.taken), !stops);
    }
    atomic_store(&a.stop, 1);
    /* asked before anything, and it left nothing locked */
    assert_false(eg_pool_take(pool, asks, &a));
    run_many(pool, 20);
    eg_pool_destroy(pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_runs_once),          cmocka_unit_test(callers_take_turns),
        cmocka_unit_test(an_idle_pool_uses_no_cpu),      cmocka_unit_test(the_first_run_waits_for_all),
        cmocka_unit_test(signals_stay_with_the_program), cmocka_unit_test(taken_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
