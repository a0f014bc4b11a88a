/* pool.h - the threads that inference runs on. Tasks never block. The caller works too, so a pool of n threads
 * starts n - 1. Waiting spins for a bounded time, then sleeps on a futex: an idle pool uses no CPU.
 * Not here: which work goes first (the host), what a task computes. */
#ifndef EG_KERNELS_POOL_H
#define EG_KERNELS_POOL_H

#include "core/include/engram/status.h"

typedef struct eg_pool eg_pool;

/* Threads this process may use: the affinity mask and the CPU quota of its cgroups, at least 1. */
uint32_t eg_cpu_allowance(void);
/* CPUs (rounded up) of the least quota of the cgroups, v1 or v2, that `groups` (/proc/self/cgroup) names, and of those above
 * them; mount: /sys/fs/cgroup. 0: none. */
uint32_t eg_cpu_quota(const char *groups, const char *mount);

/* threads 0: eg_cpu_allowance(). EG_EINVAL over 256, EG_ENOMEM, EG_EBUSY when threads cannot be started. */
eg_status eg_pool_create(uint32_t threads, eg_pool **out, eg_error *err);
/* Waits for the threads to end. */
void eg_pool_destroy(eg_pool *pool);
uint32_t eg_pool_threads(const eg_pool *pool);

/* Calls task(arg, i, lane) once for each i in [0, n), on any of the threads, and returns when all have
 * returned. lane in [0, threads) is the executing thread's number: index for scratch memory. Calls from several
 * threads at once are served one after the other. Never from inside a task. */
void eg_pool_run(eg_pool *pool, size_t n, void (*task)(void *arg, size_t i, uint32_t lane), void *arg);

/* Takes the pool for several runs of the calling thread, those inside what it calls too; runs of others wait until it is given
 * back. Who takes it has it in turn. stop (NULL: nothing does) is asked at once and every few milliseconds while it waits: 0 when
 * it said yes, and nothing was taken. */
int eg_pool_take(eg_pool *pool, int (*stop)(const void *arg), const void *arg);
void eg_pool_give(eg_pool *pool);

#endif
