/* worker.c - the background threads. The worker does jobs: it sleeps until this process leaves one
 * (eg_host_worker_wake) and looks every few seconds for what other processes left, or what is due
 * again. Where a plugin offers an escalator, a thread of its own asks it, so that nothing else
 * waits for a network. The watcher, which runs only where a plugin listens, waits for changes of
 * any workspace of the store. All stop at once when the host closes, the worker between two steps
 * of a job. */
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/status.h"
#include "core/host/internal.h"

enum { WATCH_SECONDS = 60 }; /* of one wait: any number will do */
enum {
    POLL_SECONDS = 5
}; /* others' jobs are left to them for ten seconds: looking more often
    * finds nothing */

/* What one of the two threads does. */
typedef struct duty {
    size_t due; /* offset in eg_host of the flag that something was left for it */
    int escalates;
} duty;

static void work_once(eg_host *h, const duty *d) {
    eg_request *rq;
    eg_error err = {0};
    size_t done;
    const eg_request_options options = {.size = sizeof options, .cancel.flag = &h->worker_stop};
    if (h->services.request_create(h, &options, &rq, &err) != EG_OK) return;
    const eg_memory_ops *ops = h->services.memory_ops;
    eg_status s = d->escalates ? ops->escalate(h->memory, rq, &done) : ops->work(h->memory, rq, &done, NULL);
    if (s != EG_OK && s != EG_ECANCELLED && s != EG_EBUSY) h->services.log(h, EG_LOG_WARN, "worker", rq->err->text);
    h->services.request_release(h, rq);
}

static void run(eg_host *h, const duty *d) {
    int *due = (int *)(void *)((char *)h + d->due);
    /* on Linux: of this thread; foreground work goes first */
    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 10);
    pthread_mutex_lock(&h->worker_lock);
    while (!h->worker_stop) {
        *due = 0; /* before the work: a wake-up during it counts */
        pthread_mutex_unlock(&h->worker_lock);
        work_once(h, d);
        if (!d->escalates) eg_host_verify_if_due(h, &h->worker_stop);
        pthread_mutex_lock(&h->worker_lock);
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec += POLL_SECONDS;
        int waited = 0;
        while (!h->worker_stop && !*due && waited != ETIMEDOUT) {
            waited = pthread_cond_timedwait(&h->worker_wake, &h->worker_lock, &until);
        }
    }
    pthread_mutex_unlock(&h->worker_lock);
}

static void *run_jobs(void *host) {
    static const duty jobs = {.due = offsetof(eg_host, worker_due)};
    run(host, &jobs);
    return NULL;
}

static void *run_escalations(void *host) {
    static const duty escalations = {.due = offsetof(eg_host, escalating_due), .escalates = 1};
    run(host, &escalations);
    return NULL;
}

/* ---- the watcher: only where a plugin listens ---- */

/* Where all workspaces of the store stood at one time, in the order of their names. One block of
 * memory: the rows, then their names. */
typedef struct snapshot {
    eg_workspace_row *rows;
    size_t count;
    int64_t sum; /* of their seqs */
} snapshot;

static eg_status copy_rows(const eg_workspace_row *rows, size_t n, snapshot *to) {
    size_t size = n * sizeof *rows + 1;
    for (size_t i = 0; i < n; i++) size += rows[i].name.len;
    *to = (snapshot){.rows = malloc(size), .count = n};
    if (!to->rows) return EG_ENOMEM;
    char *at = (char *)(to->rows + n);
    for (size_t i = 0; i < n; i++) {
        memcpy(at, rows[i].name.ptr, rows[i].name.len);
        to->rows[i] = (eg_workspace_row){.name = {at, rows[i].name.len}, .seq = rows[i].seq};
        at += rows[i].name.len;
        to->sum += rows[i].seq;
    }
    return EG_OK;
}

static int compare_names(eg_str a, eg_str b) {
    int order = memcmp(a.ptr, b.ptr, a.len < b.len ? a.len : b.len);
    return order ? order : a.len < b.len ? -1 : a.len > b.len;
}

static void tell_listeners(eg_host *h, const eg_workspace_row *changed) {
    const eg_registrar *r = &h->plugins.registrar;
    for (size_t i = 0; i < r->committed.listeners; i++)
        r->listeners[i].listener.changed(r->listeners[i].self, &h->services, changed->name, changed->seq);
}

/* Tells of each workspace that is new or stands higher than before. */
static void tell_changes(eg_host *h, const snapshot *before, const snapshot *now) {
    size_t k = 0;
    for (size_t i = 0; i < now->count; i++) {
        const eg_workspace_row *row = &now->rows[i];
        while (k < before->count && compare_names(before->rows[k].name, row->name) < 0) k++;
        int known = k < before->count && compare_names(before->rows[k].name, row->name) == 0;
        if (!known || row->seq > before->rows[k].seq) tell_listeners(h, row);
    }
}

/* Waits until the store stands elsewhere than at `sum`, or the deadline. The caller frees
 * now->rows. */
static eg_status watch_once(eg_host *h, int64_t sum, int64_t deadline, snapshot *now) {
    eg_request *rq;
    eg_error err = {0};
    eg_workspace_row *rows = NULL;
    size_t n = 0;
    const eg_request_options options = {.size = sizeof options, .cancel.flag = &h->worker_stop};
    eg_status s = h->services.request_create(h, &options, &rq, &err);
    if (s != EG_OK) return s;
    s = h->storage_ops->workspaces(h->storage, rq, sum, deadline, &rows, &n);
    if (s != EG_OK && s != EG_ECANCELLED) h->services.log(h, EG_LOG_WARN, "worker", rq->err->text);
    if (s == EG_OK) s = copy_rows(rows, n, now);
    h->services.request_release(h, rq);
    return s;
}

static void *watch(void *arg) {
    eg_host *h = arg;
    const eg_cancel stop = {.flag = &h->worker_stop};
    snapshot told = {0}, now;
    int begun = 0; /* what was there before is not told */
    while (!eg_cancel_is_set(&stop)) {
        int64_t deadline = begun ? eg_clock_monotonic() + WATCH_SECONDS * EG_SECOND : 0;
        eg_status s = watch_once(h, told.sum, deadline, &now);
        if (s != EG_OK) {
            /* the store is in trouble: do not ask it without a pause */
            if (s != EG_ECANCELLED) usleep(200000);
            continue;
        }
        if (begun && now.sum != told.sum) {
            tell_changes(h, &told, &now);
            eg_host_worker_wake(h); /* for jobs that came with the change */
        }
        begun = 1;
        free(told.rows);
        told = now;
    }
    free(told.rows);
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
    h->worker_due = h->escalating_due = 1;
    pthread_cond_broadcast(&h->worker_wake);
    pthread_mutex_unlock(&h->worker_lock);
}

eg_status eg_host_worker_start(eg_host *h, eg_error *err) {
    int e = pthread_create(&h->worker, NULL, run_jobs, h);
    if (e) return eg_fail(err, EG_EBUSY, "cannot start the worker thread: %s", strerror(e));
    h->worker_runs = 1;
    if (h->plugins.registrar.committed.escalators) {
        e = pthread_create(&h->escalating, NULL, run_escalations, h);
        if (e) return eg_fail(err, EG_EBUSY, "cannot start the thread that asks escalators: %s", strerror(e));
        h->escalating_runs = 1;
    }
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
    pthread_cond_broadcast(&h->worker_wake);
    pthread_mutex_unlock(&h->worker_lock);
    pthread_join(h->worker, NULL);
    h->worker_runs = 0;
    if (h->escalating_runs) pthread_join(h->escalating, NULL);
    h->escalating_runs = 0;
    if (h->watcher_runs) pthread_join(h->watcher, NULL);
    h->watcher_runs = 0;
}
