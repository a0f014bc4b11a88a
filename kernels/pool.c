/* pool.c - see pool.h. One word of state holds the number of the run, whether it is open, and how
 * many workers are inside it. A worker that wakes late finds the run closed and goes back to sleep,
 * so the caller never waits for a thread that has not started. */
#include "kernels/pool.h"

#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/cpu.h"
#include "core/base/status.h"
#include "kernels/kernels.h"

enum {
    MAX_THREADS = 256,
    SPIN_US = 30,
    ASK_NS = 5000000, /* how often a waiting thread calls stop() */
    INSIDE = 0xffff /* low bits: workers inside */,
    OPEN = 1 << 16,
    RUN = 1 << 17
};

struct eg_pool {
    uint32_t threads; /* with the caller */
    pthread_t *handles;
    /* held while waiting in eg_pool_take, so that a thread which gives the pool back does not
     * overtake */
    pthread_mutex_t turn;
    /* serialises the runs of several callers; recursive, for runs between take and give */
    pthread_mutex_t one_run;
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
    uint32_t lane = ((worker_start *)start)->lane, state = atomic_load(&p->state);
    /* the first run is number 1, so a thread that starts while it is open takes part */
    uint32_t done_run = 0;
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
        /* the caller waits for the last worker */
        if ((state & (OPEN | INSIDE)) == 0) futex_wake_all(&p->state);
    }
    return NULL;
}

eg_status eg_pool_create(uint32_t threads, eg_pool **out, eg_error *err) {
    *out = NULL;
    if (threads > MAX_THREADS)
        return eg_fail(err, EG_EINVAL, "%u threads were asked for; at most %d are possible", threads, MAX_THREADS);
    uint32_t allowed = eg_cpu_allowance();
    /* more threads than CPUs would wait for each other */
    if (threads == 0 || threads > allowed) threads = allowed < MAX_THREADS ? allowed : MAX_THREADS;
    eg_pool *p = calloc(1, sizeof *p);
    if (!p) return eg_fail_memory(err, sizeof *p);
    p->threads = 1;
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&p->one_run, &recursive);
    pthread_mutexattr_destroy(&recursive);
    pthread_mutex_init(&p->turn, NULL);
    p->handles = calloc(threads, sizeof *p->handles);
    eg_status s = p->handles ? EG_OK : eg_fail_memory(err, threads * sizeof *p->handles);
    /* signals belong to the program: its handlers run on its own threads, and sigwait works
     * there */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
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
    pthread_sigmask(SIG_SETMASK, &before, NULL);
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
    pthread_mutex_destroy(&p->turn);
    free(p->handles);
    free(p);
}

uint32_t eg_pool_threads(const eg_pool *p) { return p->threads; }

void eg_pool_run(eg_pool *p, size_t n, void (*task)(void *arg, size_t i, uint32_t lane), void *arg) {
    if (n == 0) return;
    if (pthread_mutex_trylock(&p->one_run) != 0)
        (void)eg_pool_take(p, NULL, NULL); /* waits in turn with threads that take the pool */
    assert(!(atomic_load(&p->state) & OPEN) && "a task does not run tasks");
    if (p->threads == 1 || n == 1) {
        for (size_t i = 0; i < n; i++) task(arg, i, 0);
        pthread_mutex_unlock(&p->one_run);
        return;
    }
    p->task = task;
    p->arg = arg;
    p->n = n;
    atomic_store_explicit(&p->next, 0, memory_order_relaxed);
    atomic_fetch_add(&p->state, RUN | OPEN); /* the run was closed, so the bit was clear */
    if (atomic_load(&p->sleepers)) futex_wake_all(&p->state);
    take_tasks(p, 0);
    uint32_t state = atomic_fetch_sub(&p->state, OPEN) - OPEN;
    while (state & INSIDE) {
        _Atomic uint32_t nobody = 0;
        state = wait_change(&p->state, state, &nobody);
    }
    pthread_mutex_unlock(&p->one_run);
}

#ifdef __SANITIZE_THREAD__ /* gcc 12 does not instrument pthread_mutex_clocklock */
#define WAIT_CLOCK CLOCK_REALTIME
#define lock_until(m, until) pthread_mutex_timedlock(m, until)
#else
#define WAIT_CLOCK CLOCK_MONOTONIC
#define lock_until(m, until) pthread_mutex_clocklock(m, CLOCK_MONOTONIC, until)
#endif

/* Locks the mutex and returns 1; returns 0 if stop() says so first. */
static int lock_or_stop(pthread_mutex_t *m, int (*stop)(const void *arg), const void *arg) {
    if (!stop) return pthread_mutex_lock(m) == 0;
    while (!stop(arg)) {
        struct timespec until;
        clock_gettime(WAIT_CLOCK, &until);
        until.tv_nsec += ASK_NS;
        if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
        if (lock_until(m, &until) == 0) return 1;
    }
    return 0;
}

int eg_pool_take(eg_pool *p, int (*stop)(const void *arg), const void *arg) {
    if (!lock_or_stop(&p->turn, stop, arg)) return 0;
    int taken = lock_or_stop(&p->one_run, stop, arg);
    pthread_mutex_unlock(&p->turn);
    return taken;
}

int eg_pool_try(eg_pool *p) { return pthread_mutex_trylock(&p->one_run) == 0; }

void eg_pool_give(eg_pool *p) { pthread_mutex_unlock(&p->one_run); }
