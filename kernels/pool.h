/* pool.h - the threads that inference runs on. The calling thread works too, so a pool of n threads
 * starts n - 1. Waiting threads spin for a bounded time and then sleep on a futex: an idle pool
 * uses no CPU. Tasks must not block. Not here: what a task computes (models/), the order of
 * requests (the host). Called by models/ only. Thread class: any. */
#ifndef EG_KERNELS_POOL_H
#define EG_KERNELS_POOL_H

#include "core/include/engram/status.h"

typedef struct eg_pool eg_pool;

/* threads: 1 to 256, or 0 for eg_cpu_allowance(), which is also the most that are started.
 * EG_EINVAL above 256, EG_ENOMEM, EG_EBUSY if a thread cannot be started. */
eg_status eg_pool_create(uint32_t threads, eg_pool **out, eg_error *err);
/* Waits for the threads to end. */
void eg_pool_destroy(eg_pool *pool);
uint32_t eg_pool_threads(const eg_pool *pool);

/* Calls task(arg, i, lane) once for each i in [0, n), on any of the threads, and returns when all
 * calls have returned. lane in [0, threads) is the number of the executing thread, to index scratch
 * memory. Runs of several threads are served one after the other. Must not be called from inside a
 * task. */
void eg_pool_run(eg_pool *pool, size_t n, void (*task)(void *arg, size_t i, uint32_t lane), void *arg);

/* Reserves the pool for all runs of the calling thread until eg_pool_give; runs of other threads
 * wait. Threads that wait to take the pool get it in turn. stop (may be NULL) is called at once and
 * every few milliseconds while the thread waits; when it returns non-zero, the function returns 0
 * and the pool is not taken. Else it returns 1. */
int eg_pool_take(eg_pool *pool, int (*stop)(const void *arg), const void *arg);
/* The same if the pool is free at once; else returns 0. */
int eg_pool_try(eg_pool *pool);
void eg_pool_give(eg_pool *pool);

#endif
