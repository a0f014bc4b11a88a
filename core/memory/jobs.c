/* jobs.c - background work: leases jobs, runs them by their kind, gives them back after a failure. A job survives a crash of its
 * process, because its lease runs out. */
#include "core/memory/jobs.h"

#include <time.h>

#include "core/base/clock.h"
#include "core/memory/changes.h"
#include "core/memory/detect.h"
#include "core/memory/hits.h"
#include "core/memory/reembed.h"

#define LEASE_TIME (60 * EG_SECOND)
#define GRACE (10 * EG_SECOND)   /* how long jobs are left to the process that made them */
#define NO_GRACE (INT64_MAX / 4) /* only our own jobs */

/* Gives the lease back after a failure: counted, so that a job that always fails is dead-lettered and visible. A cancelled job is
 * queued anew instead: that a caller did not want to wait is no failure. In a request of its own: the job's may be what is
 * cancelled, or have no memory left. */
static void give_back(eg_memory *m, const eg_job *job, eg_status why, const char *reason) {
    eg_draft d;
    eg_applied applied;
    eg_request *rq = NULL;
    if (eg_request_in(m, job->workspace, NULL, NULL, &rq, NULL) != EG_OK) return; /* the lease runs out by itself */
    eg_draft_begin(&d, rq);
    if (why == EG_ECANCELLED) {
        eg_draft_finish(&d, job);
        eg_draft_job(&d, m, (eg_job_kind)job->kind, job->fact, 0);
    } else {
        eg_precondition *held = eg_draft_require(&d, EG_REQUIRE_LEASE);
        held->number = job->id;
        held->token = job->token;
        eg_change *failed = eg_draft_add(&d, EG_CHANGE_JOB_FAILED);
        failed->number = job->id;
        failed->token = job->token;
        failed->text = eg_str_of(reason);
        failed->time = SERVICES(m)->now(m->env.host) + (EG_SECOND << (job->attempts < 6 ? job->attempts : 6));
    }
    (void)eg_draft_apply(&d, m, &applied); /* as above */
    SERVICES(m)->request_release(m->env.host, rq);
}

/* Runs a leased job in a request of its workspace; err: why it failed. */
static eg_status run_job(eg_memory *m, const eg_cancel *cancel, const eg_job *job, eg_error *err) {
    eg_request *rq = NULL;
    eg_status s = eg_request_in(m, job->workspace, NULL, cancel, &rq, err);
    if (s == EG_OK) {
        s = job->kind == EG_JOB_REEMBED ? eg_reembed_run(m, rq, job) : eg_detect_run(m, rq, job);
        if (s != EG_OK) *err = *rq->err;
        SERVICES(m)->request_release(m->env.host, rq);
    }
    if (s != EG_OK) give_back(m, job, s, err->text);
    pthread_mutex_lock(&m->lock);
    pthread_cond_broadcast(&m->job_done);
    pthread_mutex_unlock(&m->lock);
    return s;
}

/* Leases and runs one job; *ran 0 when none was due. */
static eg_status run_next(eg_memory *m, const eg_cancel *cancel, int64_t grace, int *ran) {
    *ran = 0;
    eg_error err = {0};
    eg_request *rq = NULL;
    const eg_request_options options = {.size = sizeof options, .cancel.flag = cancel->flag};
    eg_status s = SERVICES(m)->request_create(m->env.host, &options, &rq, &err);
    if (s != EG_OK) return s;
    eg_job *jobs = NULL;
    size_t n = 0;
    eg_str model;
    s = eg_reembed_model(m, rq, &model);
    uint32_t but_not = model.len ? 0 : 1u << EG_JOB_EMBED; /* what waits for a model waits untouched */
    if (s == EG_OK) s = STORE(m, lease, rq, m->env.owner, LEASE_TIME, grace, but_not, m->env.max_leased, 1, &jobs, &n);
    if (s == EG_OK && n == 1) {
        *ran = 1;
        s = run_job(m, cancel, &jobs[0], rq->err);
    }
    if (s != EG_OK && s != EG_ECANCELLED) SERVICES(m)->log(m->env.host, EG_LOG_WARN, "memory", rq->err->text);
    SERVICES(m)->request_release(m->env.host, rq);
    return s;
}

static int past(int64_t deadline) { return deadline && eg_clock_monotonic() >= deadline; }

/* Another thread or process works on it: sleep until one of ours ends, at most 5 ms. */
static void wait_a_little(eg_memory *m) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 5000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_mutex_lock(&m->lock);
    pthread_cond_timedwait(&m->job_done, &m->lock, &until);
    pthread_mutex_unlock(&m->lock);
}

eg_status eg_jobs_wait(eg_memory *m, eg_request *rq, eg_id fact, int64_t deadline, uint32_t *done) {
    *done = 0;
    eg_cancel cancel = {.flag = rq->cancel.flag, .deadline = deadline};
    for (;;) {
        size_t left = 0, dead = 0;
        eg_status s = STORE(m, jobs_of, rq, fact, &left, &dead);
        if (s != EG_OK) return s;
        *done = left + dead == 0;
        if (left == 0 || past(deadline) || eg_cancel_is_set(&cancel)) return EG_OK;
        int ran;
        s = run_next(m, &cancel, NO_GRACE, &ran);
        if (s == EG_ECANCELLED) return EG_OK;
        if (s != EG_OK) return s;
        if (!ran) wait_a_little(m);
    }
}

eg_status eg_memory_work(eg_memory *m, eg_request *rq, size_t *done, size_t *left) {
    *done = 0;
    eg_status s = eg_hits_flush(m, rq);
    if (s == EG_OK) s = eg_reembed_begin(m, rq);
    int ran = 1;
    while (s == EG_OK && ran && !past(rq->cancel.deadline) && !eg_cancel_is_set(&rq->cancel)) {
        eg_status one = run_next(m, &rq->cancel, GRACE, &ran);
        if (ran) ++*done;
        if (one == EG_ECANCELLED) break;
        if (one != EG_OK && !ran) s = one; /* the store itself is in trouble; a failed job is not */
    }
    eg_store_stats stats;
    if (s == EG_OK && left && (s = STORE(m, stats, rq, rq->workspace, &stats)) == EG_OK)
        *left = (size_t)(stats.jobs_queued + stats.jobs_leased);
    return s;
}
