/* detect.c - detection jobs: lease, gather, judge, write the outcome. Never holds a write lock while it computes;
 * a job survives a crash of its process, because its lease runs out. */
#include <time.h>

#include "core/base/clock.h"
#include "core/memory/internal.h"

#define LEASE_TIME (60 * EG_SECOND)
#define GRACE (10 * EG_SECOND) /* after which others' jobs are taken */
#define NO_MODEL_PAUSE EG_MAX_JOB_PAUSE
#define NO_GRACE (INT64_MAX / 4) /* only our own jobs */

void eg_draft_finish(eg_draft *d, const eg_job *job) {
    eg_precondition *held = eg_draft_require(d, EG_REQUIRE_LEASE);
    held->number = job->id;
    held->token = job->token;
    eg_change *done = eg_draft_add(d, EG_CHANGE_JOB_DONE);
    done->number = job->id;
    done->token = job->token;
}

static eg_status draft_conflict(eg_draft *d, eg_memory *m, const eg_fact *subject, const eg_fact *other, const eg_verdict *v) {
    int subject_first = subject->seq < other->seq;
    const eg_fact *a = subject_first ? subject : other, *b = subject_first ? other : subject;
    eg_conflict *c = eg_request_array(d->rq, 1, sizeof *c);
    if (!c) return EG_ENOMEM;
    *c = (eg_conflict){.id = SERVICES(m)->new_id(m->env.host),
                       .fact_a = a->id,
                       .fact_b = b->id,
                       .tier = v->tier,
                       .detector = v->detector,
                       .score = v->score,
                       .explanation = v->explanation,
                       .span_a = subject_first ? v->span_subject : v->span_candidate,
                       .span_b = subject_first ? v->span_candidate : v->span_subject,
                       .severity = v->severity,
                       .status = EG_CONFLICT_OPEN};
    eg_precondition *pair = eg_draft_require(d, EG_REQUIRE_PAIR_FREE);
    pair->id = a->id;
    pair->other = b->id;
    eg_draft_require(d, EG_REQUIRE_CURRENT)->id = a->id;
    eg_draft_require(d, EG_REQUIRE_CURRENT)->id = b->id;
    eg_draft_add(d, EG_CHANGE_CONFLICT)->conflict = c;
    return EG_OK;
}

/* Everything that a verdict means for the store. */
static eg_status draft_verdict(eg_draft *d, eg_memory *m, const eg_case *c, size_t i, const eg_verdict *v) {
    const eg_fact *subject = c->subject->fact, *other = c->candidates[i]->fact;
    if (v->outcome == EG_OUTCOME_CONTRADICTION) return draft_conflict(d, m, subject, other, v);
    int corroborates = v->outcome == EG_OUTCOME_CORROBORATION && !c->candidates[i]->same_agent;
    if (corroborates || v->outcome == EG_OUTCOME_UPDATE) {
        eg_change *link = eg_draft_add(d, EG_CHANGE_LINK);
        link->fact = subject->id;
        link->other = other->id;
        link->number = corroborates ? EG_LINK_CORROBORATES : EG_LINK_UPDATE;
    }
    return EG_OK;
}

/* Writes the verdicts and ends the job. A pair that somebody decided, or a fact that was closed, meanwhile is
 * dropped and the rest written; a lost lease drops everything, its new owner decides. */
static eg_status write_outcome(eg_memory *m, eg_request *rq, const eg_job *job, const eg_case *c, eg_verdict *verdicts) {
    for (size_t attempt = 0; attempt <= EG_MAX_CANDIDATES; attempt++) {
        eg_draft d;
        eg_applied applied;
        eg_draft_begin(&d, rq);
        eg_draft_finish(&d, job);
        size_t *owner_of = eg_request_array(rq, 1 + 3 * (size_t)EG_MAX_CANDIDATES, sizeof *owner_of);
        if (!owner_of) return EG_ENOMEM;
        for (size_t i = 0; i < c->candidate_count; i++) {
            size_t before = d.precondition_count;
            eg_status s = draft_verdict(&d, m, c, i, &verdicts[i]);
            if (s != EG_OK) return s;
            for (size_t k = before; k < d.precondition_count; k++) owner_of[k] = i;
        }
        eg_status s = eg_draft_apply(&d, m, &applied);
        if (s != EG_ECONFLICT) return s;
        if (applied.failed == 0) return EG_OK; /* the lease is somebody else's now */
        verdicts[owner_of[applied.failed]].outcome = EG_OUTCOME_UNRELATED;
    }
    return eg_request_fail(rq, EG_EBUSY, "the facts of a detection job changed too often");
}

static eg_status only_finish(eg_memory *m, eg_request *rq, const eg_job *job) {
    eg_draft d;
    eg_applied applied;
    eg_draft_begin(&d, rq);
    eg_draft_finish(&d, job);
    eg_status s = eg_draft_apply(&d, m, &applied);
    return s == EG_ECONFLICT ? EG_OK : s;
}

static eg_status run_detection(eg_memory *m, eg_request *rq, const eg_job *job, const eg_fact *fact, eg_derived *derived) {
    eg_case c;
    eg_verdict *verdicts;
    eg_status s = eg_derive_vectors(m, rq, fact->content, derived);
    if (s == EG_OK) s = eg_gather(m, rq, fact, derived, &c);
    eg_case_source in_store = eg_store_neighbours(m);
    if (s == EG_OK) s = eg_judge(m, rq, &c, &in_store, &verdicts);
    return s == EG_OK ? write_outcome(m, rq, job, &c, verdicts) : s;
}

/* Stores the vectors that a commit without a model left out, and looks for contradictions again with them. */
static eg_status run_embedding(eg_memory *m, eg_request *rq, const eg_job *job, const eg_fact *fact, eg_derived *derived) {
    eg_status s = eg_derive_vectors(m, rq, fact->content, derived);
    if (s != EG_OK) return s;
    eg_draft d;
    eg_applied applied;
    eg_draft_begin(&d, rq);
    eg_draft_finish(&d, job);
    if (derived->vector_count) {
        eg_new_fact *row = eg_request_array(rq, 1, sizeof *row);
        if (!row) return EG_ENOMEM;
        *row = (eg_new_fact){.fact = *fact, .vectors = derived->vectors, .vector_count = derived->vector_count};
        eg_change *c = eg_draft_add(&d, EG_CHANGE_VECTORS);
        c->fact = fact->id;
        c->new_fact = row;
        if (fact->durability == EG_DURABILITY_DURABLE) eg_draft_job(&d, m, EG_JOB_DETECT, fact->id, 0);
    } else { /* still no model: no failure, just not yet */
        eg_draft_job(&d, m, EG_JOB_EMBED, fact->id, SERVICES(m)->now(m->env.host) + NO_MODEL_PAUSE);
    }
    s = eg_draft_apply(&d, m, &applied);
    return s == EG_ECONFLICT ? EG_OK : s;
}

static eg_status run_job(eg_memory *m, eg_request *rq, const eg_job *job) {
    if (job->kind == EG_JOB_REEMBED) return eg_reembed_run(m, rq, job);
    eg_fact fact;
    eg_status s = STORE(m, fact, rq, job->fact, &fact);
    if (s == EG_ENOENT) return only_finish(m, rq, job);
    if (s != EG_OK) return s;
    int64_t now = eg_now(m, rq);
    int current = fact.valid_from <= now && now < fact.valid_until;
    if (!current || (job->kind == EG_JOB_DETECT && fact.durability == EG_DURABILITY_EPHEMERAL)) return only_finish(m, rq, job);

    eg_arena arena;
    eg_arena_init(&arena, 0);
    eg_derived derived;
    s = eg_derive_text(rq, &arena, fact.content, fact.scope, &derived);
    if (s == EG_OK)
        s = job->kind == EG_JOB_DETECT ? run_detection(m, rq, job, &fact, &derived) : run_embedding(m, rq, job, &fact, &derived);
    eg_arena_release(&arena);
    return s;
}

/* Gives the lease back after a failure: counted, so that a job that always fails is dead-lettered and visible. A
 * cancelled job is queued anew instead: that somebody did not want to wait is no failure. The job's own request is not used: it
 * may be what is cancelled, or have no memory left. */
static void give_back(eg_memory *m, const eg_job *job, eg_status why, const char *reason) {
    eg_draft d;
    eg_applied applied;
    eg_request *rq = NULL;
    if (SERVICES(m)->request_create(m->env.host, NULL, &rq, NULL) != EG_OK) return; /* the lease runs out by itself */
    rq->workspace = job->workspace;
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

/* Leases and runs one job; *ran 0 when none was due. */
static eg_status run_next(eg_memory *m, const eg_cancel *cancel, int64_t grace, int *ran) {
    *ran = 0;
    eg_error err = {0};
    eg_request *rq = NULL;
    eg_status s = SERVICES(m)->request_create(m->env.host, cancel->flag, &rq, &err);
    if (s != EG_OK) return s;
    eg_job *jobs = NULL;
    size_t n = 0;
    eg_str model;
    s = eg_reembed_model(m, rq, &model);
    uint32_t but_not = model.len ? 0 : 1u << EG_JOB_EMBED; /* what waits for a model waits untouched */
    if (s == EG_OK) s = STORE(m, lease, rq, m->env.owner, LEASE_TIME, grace, but_not, m->env.max_leased, 1, &jobs, &n);
    if (s == EG_OK && n == 1) {
        *ran = 1;
        rq->workspace = jobs[0].workspace;
        rq->cancel.deadline = cancel->deadline;
        s = run_job(m, rq, &jobs[0]);
        if (s != EG_OK) give_back(m, &jobs[0], s, rq->err->text);
        pthread_mutex_lock(&m->lock);
        pthread_cond_broadcast(&m->job_done);
        pthread_mutex_unlock(&m->lock);
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

eg_status eg_detect_now(eg_memory *m, eg_request *rq, eg_id fact, int64_t deadline, uint32_t *done) {
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
    eg_status s = eg_memory_flush_hits(m, rq);
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
