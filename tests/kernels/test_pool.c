/* test_pool.c - the pool: every task once, callers side by side, lanes in range, and sleep when idle. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_runs_once),
        cmocka_unit_test(callers_take_turns),
        cmocka_unit_test(an_idle_pool_uses_no_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
