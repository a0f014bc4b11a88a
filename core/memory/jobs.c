/* jobs.c - leases jobs, runs them by their kind, gives them back after a failure. A job survives
 * a crash of its process, because its lease runs out. */
#include "core/memory/jobs.h"

#include <time.h>

#include "core/base/clock.h"
#include "core/memory/changes.h"
#include "core/memory/escalate.h"
#include "core/memory/hits.h"
#include "core/memory/reads.h"
#include "core/memory/reembed.h"

#define LEASE_TIME (60 * EG_SECOND)
#define GRACE (10 * EG_SECOND) /* how long jobs are left to the process that made them */
#define ONLY_OWN (-1)

/* 1 when this process may work on one more job; the slot is given back by release_slot. */
static int take_slot(eg_memory *m) {
    pthread_mutex_lock(&m->lock);
    int free = m->jobs_running < m->env.max_leased;
    m->jobs_running += (uint32_t)free;
    pthread_mutex_unlock(&m->lock);
    return free;
}

static void release_slot(eg_memory *m) {
    pthread_mutex_lock(&m->lock);
    m->jobs_running--;
    pthread_cond_broadcast(&m->job_done);
    pthread_mutex_unlock(&m->lock);
}

/* Queues the job anew, as if it had not been tried. */
static void draft_again(eg_draft *d, eg_memory *m, const eg_job *job, int64_t delay) {
    eg_draft_finish(d, job);
    eg_change *again = eg_draft_job(d, m, (eg_job_kind)job->kind, job->fact, delay);
    again->job.name = job->name;
    again->job.payload = job->payload;
}

/* Gives the lease back after a failure: counted, so that a job that always fails is
 * dead-lettered and visible. A cancelled job is queued anew instead: that a caller did not want
 * to wait is no failure. In a request of its own: the job's may be what is cancelled, or have no
 * memory left. */
static void give_back(eg_memory *m, const eg_job *job, eg_status why, const char *reason) {
    eg_draft d;
    eg_applied applied;
    eg_request *rq = NULL;
    /* The lease runs out by itself. */
    if (eg_request_in(m, job->workspace, NULL, NULL, &rq, NULL) != EG_OK) return;
    eg_draft_begin(&d, rq);
    if (why == EG_ECANCELLED) {
        draft_again(&d, m, job, 0);
    } else {
        eg_draft_require(&d, EG_REQUIRE_LEASE)->token = job->token;
        eg_change *failed = eg_draft_add(&d, EG_CHANGE_JOB_FAILED);
        failed->job_failed.token = job->token;
        failed->job_failed.error = eg_str_of(reason);
        failed->job_failed.delay = EG_SECOND << (job->attempts < 6 ? job->attempts : 6);
    }
    (void)eg_draft_apply(&d, m, &applied); /* as above */
    SERVICES(m)->request_release(m->env.host, rq);
}

static const eg_job_kind_slot *find_kind(const eg_memory *m, eg_str name) {
    for (size_t i = 0; i < m->env.job_kind_count; i++)
        if (eg_str_eq(eg_str_of(m->env.job_kinds[i].kind.name), name)) return &m->env.job_kinds[i];
    return NULL;
}

/* Runs a job of a kind that a plugin added. One that only other processes have is left to them. */
static eg_status run_plugin_job(eg_memory *m, eg_request *rq, const eg_job *job) {
    const eg_job_kind_slot *slot = find_kind(m, job->name);
    const eg_job_view view = {.size = sizeof view,
                              .attempts = job->attempts,
                              .id = job->id,
                              .fact = job->fact,
                              .name = job->name,
                              .payload = job->payload};
    eg_status s = slot ? slot->kind.run(slot->self, SERVICES(m), rq, &view) : EG_OK;
    if (s != EG_OK) {
        if (rq->err->code == EG_OK)
            eg_request_fail(rq, s, "the job '%.*s' failed without a reason", (int)job->name.len, job->name.ptr);
        return s;
    }
    eg_draft d;
    eg_applied applied;
    eg_draft_begin(&d, rq);
    if (slot) eg_draft_finish(&d, job);
    else draft_again(&d, m, job, EG_MAX_JOB_PAUSE);
    s = eg_draft_apply(&d, m, &applied);
    return s == EG_ECONFLICT ? EG_OK : s; /* the lease is somebody else's now */
}

eg_status eg_jobs_queue(eg_memory *m, eg_request *rq, const char *name, eg_id fact, eg_str payload, int64_t delay) {
    eg_draft d;
    eg_applied applied;
    if (!find_kind(m, eg_str_of(name)))
        return eg_request_fail(rq, EG_ENOENT, "no loaded plugin has the kind of jobs '%.60s'", name ? name : "");
    if (delay < 0 || delay > EG_MAX_JOB_PAUSE)
        return eg_request_fail(rq, EG_EINVAL, "a job may be due in 0 to %lld microseconds, not in %lld",
                               (long long)EG_MAX_JOB_PAUSE, (long long)delay);
    eg_draft_begin(&d, rq);
    eg_change *job = eg_draft_job(&d, m, EG_JOB_PLUGIN, fact, delay);
    job->job.name = eg_str_of(name);
    job->job.payload = payload;
    return eg_draft_apply(&d, m, &applied);
}

/* What a job is about, where its caller has it at hand; fact NULL: it is read. */
typedef struct job_subject {
    const eg_fact *fact;
    const eg_derived *derived;
    eg_detected *out;
} job_subject;

/* Runs a leased job in a request of its workspace, and gives it back when it fails; err: why. */
static eg_status run_job(eg_memory *m, const eg_cancel *cancel, const eg_job *job, const job_subject *about, eg_error *err) {
    eg_request *rq = NULL;
    eg_status s = eg_request_in(m, job->workspace, NULL, cancel, &rq, err);
    if (s == EG_OK) {
        if (about->fact) s = eg_detect(m, rq, job, about->fact, about->derived, about->out);
        else if (job->kind == EG_JOB_PLUGIN) s = run_plugin_job(m, rq, job);
        else if (job->kind == EG_JOB_REEMBED) s = eg_reembed_run(m, rq, job);
        else if (job->kind == EG_JOB_ESCALATE) s = eg_escalate_run(m, rq, job);
        else s = eg_detect_run(m, rq, job);
        if (s != EG_OK) *err = *rq->err;
        SERVICES(m)->request_release(m->env.host, rq);
    }
    if (s == EG_OK) return s;
    give_back(m, job, s, err->text);
    if (s != EG_ECANCELLED) SERVICES(m)->log(m->env.host, EG_LOG_WARN, "memory", err->text);
    return s;
}

/* What kind of work a thread looks for. */
typedef enum errand { DETECTIONS_AND_UPKEEP, ESCALATIONS } errand;

static eg_status lease_one(eg_memory *m, eg_request *rq, errand which, int64_t grace, eg_job **job) {
    eg_str model = {0};
    size_t n = 0;
    *job = NULL;
    eg_status s = which == ESCALATIONS ? EG_OK : eg_reembed_model(m, rq, &model);
    /* what waits for a model, a plugin or an escalator waits untouched */
    const uint32_t without_model = model.len ? 0 : 1u << EG_JOB_EMBED,
                   without_plugins = m->env.job_kind_count ? 0 : 1u << EG_JOB_PLUGIN, escalations = 1u << EG_JOB_ESCALATE;
    const eg_lease_args args = {.size = sizeof args,
                                .owner = m->env.owner,
                                .lease_time = LEASE_TIME,
                                .grace = grace,
                                .kinds_except =
                                    which == ESCALATIONS ? escalations - 1 : without_model | without_plugins | escalations,
                                .limit = 1};
    eg_job *rows = NULL;
    if (s == EG_OK) s = STORE(m, lease, rq, &args, &rows, &n);
    if (s == EG_OK && n) *job = rows;
    return s;
}

/* Leases and runs one job; *ran 0 when none was due or no slot is free. An escalation waits for a
 * network and takes no slot: a commit that wants its verdict would wait with it. err: the reason of
 * a failure, for who asked; that of the job itself is logged too. */
static eg_status run_next(eg_memory *m, const eg_cancel *cancel, errand which, int64_t grace, int *ran, eg_error *err) {
    static const job_subject unread = {0};
    *ran = 0;
    if (which != ESCALATIONS && !take_slot(m)) return EG_OK;
    eg_request *rq = NULL;
    eg_job *job = NULL;
    const eg_request_options options = {.size = sizeof options, .cancel.flag = cancel->flag};
    eg_status s = SERVICES(m)->request_create(m->env.host, &options, &rq, err);
    if (s == EG_OK) s = lease_one(m, rq, which, grace, &job);
    if (job) {
        *ran = 1;
        s = run_job(m, cancel, job, &unread, rq->err);
    }
    if (rq && s != EG_OK) *err = *rq->err;
    if (rq) SERVICES(m)->request_release(m->env.host, rq);
    if (which != ESCALATIONS) release_slot(m);
    return s;
}

eg_own_job eg_jobs_reserve(eg_memory *m) {
    return (eg_own_job){.token = take_slot(m) ? SERVICES(m)->new_id(m->env.host) : (eg_id){{0}}};
}

void eg_jobs_forget(eg_memory *m, eg_own_job *own) {
    if (!eg_id_is_none(own->token)) release_slot(m);
    own->token = (eg_id){{0}};
}

void eg_jobs_lease(const eg_own_job *own, eg_change *job) {
    job->job.token = own->token;
    job->job.lease_time = LEASE_TIME;
}

eg_status eg_jobs_run_own(eg_memory *m, eg_request *rq, eg_own_job *own, const eg_fact *fact, const eg_derived *derived,
                          int64_t deadline, eg_detected *out, uint32_t *done) {
    const eg_cancel cancel = {.flag = rq->cancel.flag, .deadline = deadline};
    const eg_job job = {.kind = EG_JOB_DETECT, .workspace = rq->workspace, .fact = fact->id, .token = own->token};
    const job_subject about = {fact, derived, out};
    eg_status s = run_job(m, &cancel, &job, &about, rq->err);
    eg_jobs_forget(m, own);
    *done = s == EG_OK && !out->lost;
    return s == EG_ECANCELLED ? EG_OK : s;
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
        uint32_t left = 0, dead = 0;
        eg_status s = eg_read_jobs(m, rq, fact, &left, &dead);
        if (s != EG_OK) return s;
        *done = left + dead == 0;
        if (left == 0 || past(deadline) || eg_cancel_is_set(&cancel)) return EG_OK;
        int ran;
        s = run_next(m, &cancel, DETECTIONS_AND_UPKEEP, ONLY_OWN, &ran, rq->err);
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
        eg_status one = run_next(m, &rq->cancel, DETECTIONS_AND_UPKEEP, GRACE, &ran, rq->err);
        if (ran) ++*done;
        if (one == EG_ECANCELLED) break;
        if (one != EG_OK && !ran) s = one; /* the store itself is in trouble; a failed job is not */
    }
    eg_store_stats stats;
    if (s == EG_OK && left && (s = STORE(m, stats, rq, EG_STATS_JOBS, &stats)) == EG_OK)
        *left = (size_t)(stats.jobs_queued + stats.jobs_leased);
    return s;
}

eg_status eg_memory_escalate(eg_memory *m, eg_request *rq, size_t *done) {
    eg_status s = EG_OK;
    /* an answer that could not be stored is not paid for */
    int ran = m->env.escalator_count > 0 && !m->env.writing_problem.len;
    *done = 0;
    while (s == EG_OK && ran && !past(rq->cancel.deadline) && !eg_cancel_is_set(&rq->cancel)) {
        eg_status one = run_next(m, &rq->cancel, ESCALATIONS, GRACE, &ran, rq->err);
        if (ran) ++*done;
        if (one == EG_ECANCELLED) break;
        if (one != EG_OK && !ran) s = one;
    }
    return s;
}
