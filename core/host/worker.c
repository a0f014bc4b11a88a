/* worker.c - the background threads. The worker does jobs: it sleeps until this process leaves one (eg_host_worker_wake) and
 * looks every few seconds for what other processes left, or what is due again. The watcher, which runs only where a plugin
 * listens, waits for changes of the store. Both stop at once when the host closes, the worker between two steps of a job. */
#include <errno.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/status.h"
#include "core/host/internal.h"

enum { WATCH_SECONDS = 60 }; /* of one wait: any number will do */
enum { POLL_SECONDS = 5 };   /* others' jobs are left to them for ten seconds: looking more often finds nothing */

static void work_once(eg_host *h) {
    eg_request *rq;
    eg_error err = {0};
    size_t done;
    const eg_request_options options = {.size = sizeof options, .cancel.flag = &h->worker_stop};
    if (h->services.request_create(h, &options, &rq, &err) != EG_OK) return;
    eg_status s = h->services.memory_ops->work(h->memory, rq, &done, NULL);
    if (s != EG_OK && s != EG_ECANCELLED && s != EG_EBUSY) h->services.log(h, EG_LOG_WARN, "worker", rq->err->text);
    h->services.request_release(h, rq);
}

static void *run(void *arg) {
    eg_host *h = arg;
    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 10); /* on Linux: of this thread; foreground work goes first */
    pthread_mutex_lock(&h->worker_lock);
    while (!h->worker_stop) {
        h->worker_due = 0; /* before the work: a wake-up during it counts */
        pthread_mutex_unlock(&h->worker_lock);
        work_once(h);
        pthread_mutex_lock(&h->worker_lock);
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec += POLL_SECONDS;
        int waited = 0;
        while (!h->worker_stop && !h->worker_due && waited != ETIMEDOUT) {
            waited = pthread_cond_timedwait(&h->worker_wake, &h->worker_lock, &until);
        }
    }
    pthread_mutex_unlock(&h->worker_lock);
    return NULL;
}

/* ---- the watcher: only where a plugin listens ---- */

static void tell_listeners(eg_host *h, int64_t seq) {
    const eg_registrar *r = &h->plugins.registrar;
    for (size_t i = 0; i < r->committed.listeners; i++)
        r->listeners[i].listener.changed(r->listeners[i].self, &h->services, h->workspace, seq);
}

/* Waits until the workspace has a later seq than *seq, or the deadline. */
static eg_status watch_once(eg_host *h, int64_t *seq, int64_t deadline) {
    eg_request *rq;
    eg_error err = {0};
    const eg_request_options options = {.size = sizeof options, .cancel.flag = &h->worker_stop};
    eg_status s = h->services.request_create(h, &options, &rq, &err);
    if (s != EG_OK) return s;
    s = h->storage_ops->wait(h->storage, rq, *seq, deadline, seq);
    if (s != EG_OK && s != EG_ECANCELLED) h->services.log(h, EG_LOG_WARN, "worker", rq->err->text);
    h->services.request_release(h, rq);
    return s;
}

static void *watch(void *arg) {
    eg_host *h = arg;
    const eg_cancel stop = {.flag = &h->worker_stop};
    int64_t told = -1;
    eg_status s = watch_once(h, &told, 0); /* where it stands now */
    while (!eg_cancel_is_set(&stop)) {
        int64_t seq = told;
        s = watch_once(h, &seq, eg_clock_monotonic() + WATCH_SECONDS * EG_SECOND);
        if (s == EG_OK && seq > told) {
            told = seq;
            tell_listeners(h, seq);
            eg_host_worker_wake(h); /* for jobs that came with the change */
        } else if (s != EG_OK && s != EG_ECANCELLED) {
            usleep(200000); /* the store is in trouble: do not ask it without a pause */
        }
    }
    return NULL;
}

void eg_host_worker_init(eg_host *h) {
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&h->worker_wake, &clock);
    pthread_condattr_destroy(&clock);
    pthread_mutex_init(&h->worker_lock, NULL);
}

void eg_host_worker_wake(void *host) {
    eg_host *h = host;
    pthread_mutex_lock(&h->worker_lock);
    h->worker_due = 1;
    pthread_cond_signal(&h->worker_wake);
    pthread_mutex_unlock(&h->worker_lock);
}

eg_status eg_host_worker_start(eg_host *h, eg_error *err) {
    int e = pthread_create(&h->worker, NULL, run, h);
    if (e) return eg_fail(err, EG_EBUSY, "cannot start the worker thread: %s", strerror(e));
    h->worker_runs = 1;
    if (h->plugins.registrar.committed.listeners == 0) return EG_OK;
    e = pthread_create(&h->watcher, NULL, watch, h);
    if (e) return eg_fail(err, EG_EBUSY, "cannot start the thread that watches the store: %s", strerror(e));
    h->watcher_runs = 1;
    return EG_OK;
}

void eg_host_worker_stop(eg_host *h) {
    if (!h->worker_runs) return;
    pthread_mutex_lock(&h->worker_lock);
    eg_cancel_request(&h->worker_stop);
    pthread_cond_signal(&h->worker_wake);
    pthread_mutex_unlock(&h->worker_lock);
    pthread_join(h->worker, NULL);
    h->worker_runs = 0;
    if (h->watcher_runs) pthread_join(h->watcher, NULL);
    h->watcher_runs = 0;
}
