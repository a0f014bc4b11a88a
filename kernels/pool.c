/* pool.c - see pool.h. One word of state holds the number of the run, whether it is open, and how many workers are
 * inside: a worker that wakes late finds the run closed and goes back to sleep, so the caller never waits for a
 * thread that has not begun. */
#include "kernels/pool.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/status.h"
#include "kernels/kernels.h"

enum { MAX_THREADS = 256, SPIN_US = 30, INSIDE = 0xffff /* low bits: workers inside */, OPEN = 1 << 16, RUN = 1 << 17 };

struct eg_pool {
    uint32_t threads; /* with the caller */
    pthread_t *handles;
    pthread_mutex_t one_run; /* runs of several callers, one after the other */
    void (*task)(void *arg, size_t i, uint32_t lane);
    void *arg;
    size_t n;
    atomic_size_t next;
    _Atomic uint32_t state;    /* run number * RUN | OPEN | inside */
    _Atomic uint32_t sleepers; /* workers in futex wait, or on the way to it */
    _Atomic int stop;
};

typedef struct worker_start {
    eg_pool *pool;
    uint32_t lane;
} worker_start;

static void futex_wait(_Atomic uint32_t *word, uint32_t expected) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}
static void futex_wake_all(_Atomic uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0); }

static void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Waits until *word differs from `seen`: a short spin, bounded by time, then a futex. */
static uint32_t wait_change(_Atomic uint32_t *word, uint32_t seen, _Atomic uint32_t *sleepers) {
    int64_t until = eg_clock_monotonic() + SPIN_US;
    for (;;) {
        for (int i = 0; i < 64; i++) {
            uint32_t now = atomic_load_explicit(word, memory_order_acquire);
            if (now != seen) return now;
            relax();
        }
        if (eg_clock_monotonic() >= until) break;
    }
    atomic_fetch_add(sleepers, 1);
    uint32_t now = atomic_load(word);
    while (now == seen) {
        futex_wait(word, seen);
        now = atomic_load(word);
    }
    atomic_fetch_sub(sleepers, 1);
    return now;
}

static void take_tasks(eg_pool *p, uint32_t lane) {
    for (;;) {
        size_t i = atomic_fetch_add_explicit(&p->next, 1, memory_order_relaxed);
        if (i >= p->n) return;
        p->task(p->arg, i, lane);
    }
}

static void *work(void *start) {
    eg_pool *p = ((worker_start *)start)->pool;
    uint32_t lane = ((worker_start *)start)->lane, state = atomic_load(&p->state), done_run = state / RUN;
    free(start);
    (void)eg_fp_enter();
    while (!atomic_load(&p->stop)) {
        if (!(state & OPEN) || state / RUN == done_run) {
            state = wait_change(&p->state, state, &p->sleepers);
            continue;
        }
        if (!atomic_compare_exchange_strong(&p->state, &state, state + 1)) continue;
        done_run = state / RUN;
        take_tasks(p, lane);
        state = atomic_fetch_sub(&p->state, 1) - 1;
        if ((state & (OPEN | INSIDE)) == 0) futex_wake_all(&p->state); /* the caller waits for the last one */
    }
    return NULL;
}

/* The number in a cgroup file, -1 when there is none ("max", no file). second: the second number of the line. */
static int64_t cgroup_number(const char *path, int64_t *second) {
    FILE *f = fopen(path, "re");
    if (!f) return -1;
    long long a = -1, b = -1;
    int n = fscanf(f, "%lld %lld", &a, &b);
    fclose(f);
    if (second) *second = n == 2 ? b : -1;
    return n >= 1 ? a : -1;
}

/* CPUs that the cgroup's quota allows, 0: no quota. Version 2 (also nested, as containers show it at the root), then 1. */
static uint32_t quota_cpus(void) {
    int64_t period = -1, quota = cgroup_number("/sys/fs/cgroup/cpu.max", &period);
    if (quota <= 0) {
        quota = cgroup_number("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", NULL);
        period = cgroup_number("/sys/fs/cgroup/cpu/cpu.cfs_period_us", NULL);
    }
    return quota > 0 && period > 0 ? (uint32_t)((quota + period - 1) / period) : 0;
}

uint32_t eg_cpu_allowance(void) {
    cpu_set_t set;
    long cpus = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t allowed = cpus > 0 ? (uint32_t)cpus : 1, quota = quota_cpus();
    if (quota && quota < allowed) allowed = quota;
    return allowed < MAX_THREADS ? allowed : MAX_THREADS;
}

eg_status eg_pool_create(uint32_t threads, eg_pool **out, eg_error *err) {
    *out = NULL;
    if (threads > MAX_THREADS)
        return eg_fail(err, EG_EINVAL, "%u threads were asked for; at most %d are possible", threads, MAX_THREADS);
    uint32_t allowed = eg_cpu_allowance();
    if (threads == 0 || threads > allowed) threads = allowed; /* more than CPUs only makes waiting */
    eg_pool *p = calloc(1, sizeof *p);
    if (!p) return eg_fail_memory(err, sizeof *p);
    p->threads = 1;
    pthread_mutex_init(&p->one_run, NULL);
    p->handles = calloc(threads, sizeof *p->handles);
    eg_status s = p->handles ? EG_OK : eg_fail_memory(err, threads * sizeof *p->handles);
    for (; s == EG_OK && p->threads < threads; p->threads++) {
        worker_start *start = malloc(sizeof *start);
        if (!start) {
            s = eg_fail_memory(err, sizeof *start);
            break;
        }
        *start = (worker_start){p, p->threads};
        int e = pthread_create(&p->handles[p->threads - 1], NULL, work, start);
        if (e) {
            free(start);
            s = eg_fail(err, EG_EBUSY, "cannot start thread %u of %u: %s", p->threads + 1, threads, strerror(e));
            break;
        }
    }
    if (s != EG_OK) {
        eg_pool_destroy(p);
        return s;
    }
    *out = p;
    return EG_OK;
}

void eg_pool_destroy(eg_pool *p) {
    if (!p) return;
    atomic_store(&p->stop, 1);
    atomic_fetch_add(&p->state, RUN);
    futex_wake_all(&p->state);
    for (uint32_t i = 0; i + 1 < p->threads; i++) pthread_join(p->handles[i], NULL);
    pthread_mutex_destroy(&p->one_run);
    free(p->handles);
    free(p);
}

uint32_t eg_pool_threads(const eg_pool *p) { return p->threads; }

void eg_pool_run(eg_pool *p, size_t n, void (*task)(void *arg, size_t i, uint32_t lane), void *arg) {
    if (n == 0) return;
    pthread_mutex_lock(&p->one_run);
    if (p->threads == 1 || n == 1) {
        for (size_t i = 0; i < n; i++) task(arg, i, 0);
        pthread_mutex_unlock(&p->one_run);
        return;
    }
    p->task = task;
    p->arg = arg;
    p->n = n;
    atomic_store_explicit(&p->next, 0, memory_order_relaxed);
    atomic_fetch_add(&p->state, RUN | OPEN); /* was closed: the bit was clear */
    if (atomic_load(&p->sleepers)) futex_wake_all(&p->state);
    take_tasks(p, 0);
    uint32_t state = atomic_fetch_sub(&p->state, OPEN) - OPEN;
    while (state & INSIDE) {
        _Atomic uint32_t nobody = 0;
        state = wait_change(&p->state, state, &nobody);
    }
    pthread_mutex_unlock(&p->one_run);
}
