/* escalate.c - see escalate.h. */
#include "core/memory/escalate.h"

#include <stdlib.h>

#include "core/base/clock.h"
#include "core/memory/ids.h"
#include "core/memory/reads.h"
#include "core/memory/review.h"
#include "core/memory/shown.h"

enum { MAX_TRIES = 2, SECONDS_PAUSED = 60, MAX_SECONDS_PAUSED = 600 };
#define MAX_AGE (7 * EG_DAY) /* a pair that waited for so long is left to people */

static void say(eg_memory *m, eg_log_level level, const char *name, const char *what) {
    char text[700];
    snprintf(text, sizeof text, "escalator %.60s: %s", name, what);
    SERVICES(m)->log(m->env.host, level, "memory", text);
}

eg_status eg_escalate_case(eg_request *rq, const eg_side sides[2], const eg_fact *const facts[2], eg_pair_case *out) {
    eg_str text[2];
    eg_status s = EG_OK;
    eg_sides_statements(sides, text);
    *out = (eg_pair_case){.size = sizeof *out};
    for (size_t i = 0; s == EG_OK && i < 2; i++) {
        s = eg_show_text(rq, &text[i], EG_HIDDEN_TEXT);
        out->sides[i] = (eg_pair_side){.text = text[i], .scope = facts[i]->scope, .committed_at = facts[i]->committed_at};
    }
    return s;
}

/* ---- one escalator ---- */

static int64_t paused_for(eg_memory *m, size_t slot) {
    pthread_mutex_lock(&m->lock);
    int64_t left = m->paused_until[slot] - eg_clock_monotonic();
    pthread_mutex_unlock(&m->lock);
    return left > 0 ? left : 0;
}

static void pause_it(eg_memory *m, size_t slot, uint32_t seconds) {
    if (!seconds) seconds = SECONDS_PAUSED;
    if (seconds > MAX_SECONDS_PAUSED) seconds = MAX_SECONDS_PAUSED;
    pthread_mutex_lock(&m->lock);
    m->paused_until[slot] = eg_clock_monotonic() + seconds * EG_SECOND;
    pthread_mutex_unlock(&m->lock);
}

/* EG_ERATE when it may not be asked now. */
static eg_status take_turn(eg_memory *m, eg_request *rq, size_t slot, eg_pair_verdict *out) {
    const eg_escalator *e = &m->env.escalators[slot].escalator;
    int allowed = 1;
    int64_t left = paused_for(m, slot);
    if (left) {
        out->retry_after_s = (uint32_t)(left / EG_SECOND + 1);
        return EG_ERATE;
    }
    eg_status s = e->max_calls_per_day && m->env.spend
                      ? m->env.spend(m->env.host, e->name, e->max_calls_per_day, &allowed, rq->err)
                      : EG_OK;
    if (s != EG_OK) {
        say(m, EG_LOG_WARN, e->name, rq->err->text);
        return EG_EUNAVAILABLE;
    }
    if (allowed) return EG_OK;
    say(m, EG_LOG_INFO, e->name, "its calls of today are used up");
    pause_it(m, slot, MAX_SECONDS_PAUSED);
    out->retry_after_s = MAX_SECONDS_PAUSED;
    return EG_ERATE;
}

static int in_range(const eg_pair_verdict *v) {
    return v->outcome <= EG_OUTCOME_UNRELATED && v->severity <= EG_SEVERITY_HIGH && v->score >= 0 && v->score <= 1 &&
           v->explanation.len <= EG_MAX_RESOLUTION;
}

/* In a request of its own, whose deadline is that of the escalator. */
static eg_status call(eg_memory *m, eg_request *rq, size_t slot, const eg_pair_case *pair, eg_pair_verdict *out) {
    const eg_escalator_slot *e = &m->env.escalators[slot];
    int64_t deadline = eg_clock_monotonic() + (int64_t)e->escalator.timeout_ms * 1000;
    if (rq->cancel.deadline && rq->cancel.deadline < deadline) deadline = rq->cancel.deadline;
    const eg_cancel cancel = {.flag = rq->cancel.flag, .deadline = deadline};
    eg_request *own = NULL;
    eg_status s = eg_request_in(m, rq->workspace, rq->who, &cancel, &own, rq->err);
    if (s != EG_OK) return s;
    s = e->escalator.judge(e->self, SERVICES(m), own, pair, out);
    int stopped = eg_cancel_is_set(&rq->cancel);
    if (s == EG_OK && !in_range(out)) s = eg_request_fail(own, EG_EFORMAT, "its verdict is out of range");
    if (s == EG_OK) {
        out->explanation = eg_request_copy(rq, out->explanation);
        if (!out->explanation.ptr) s = EG_ENOMEM;
    } else if (stopped) {
        s = eg_request_fail(rq, EG_ECANCELLED, "stopped");
    } else {
        say(m, EG_LOG_WARN, e->escalator.name, own->err->text[0] ? own->err->text : "it failed without a reason");
        /* its deadline, not ours */
        if (s == EG_ECANCELLED) s = EG_EUNAVAILABLE;
        if (s == EG_ERATE || s == EG_EUNAVAILABLE) pause_it(m, slot, out->retry_after_s);
    }
    SERVICES(m)->request_release(m->env.host, own);
    return s;
}

/* The slot of the n-th escalator in their order. */
static size_t nth(const eg_memory *m, size_t n) {
    size_t before = 0;
    for (size_t i = 0; i < m->env.escalator_count; i++) {
        before = 0;
        for (size_t k = 0; k < m->env.escalator_count; k++) {
            uint32_t a = m->env.escalators[k].escalator.order, b = m->env.escalators[i].escalator.order;
            before += a < b || (a == b && k < i);
        }
        if (before == n) return i;
    }
    return 0;
}

/* Of two failures, the one after which it is best to ask again. */
static eg_status milder(eg_status a, eg_status b) {
    if (a == EG_OK || b == EG_ERATE) return b;
    return a == EG_ERATE || b != EG_EUNAVAILABLE ? a : b;
}

eg_status eg_escalate_ask(eg_memory *m, eg_request *rq, const eg_pair_case *pair, eg_pair_verdict *out, const eg_escalator **by) {
    eg_status failed = EG_OK;
    uint32_t retry = 0;
    for (size_t i = 0; i < m->env.escalator_count; i++) {
        size_t slot = nth(m, i);
        *out = (eg_pair_verdict){.size = sizeof *out};
        eg_status s = take_turn(m, rq, slot, out);
        if (s == EG_OK) s = call(m, rq, slot, pair, out);
        *by = &m->env.escalators[slot].escalator;
        if (s == EG_OK || s == EG_ECANCELLED || s == EG_ENOMEM) return s;
        if (out->retry_after_s && (!retry || out->retry_after_s < retry)) retry = out->retry_after_s;
        failed = milder(failed, s);
    }
    out->retry_after_s = retry;
    return failed == EG_OK ? EG_EUNAVAILABLE : failed;
}

/* ---- the job ---- */

/* The payload: the conflict, and how often an escalator could not be reached. */
static eg_str payload_of(eg_request *rq, eg_id conflict, unsigned tries) {
    char text[EG_ID_TEXT];
    eg_id_format(conflict, text);
    return eg_request_printf(rq, "%s %u", text, tries);
}

static void draft_job(eg_memory *m, eg_draft *d, eg_id conflict, unsigned tries, int64_t delay) {
    eg_change *job = eg_draft_job(d, m, EG_JOB_ESCALATE, (eg_id){{0}}, delay);
    job->job.payload = payload_of(d->rq, conflict, tries);
    if (!job->job.payload.ptr) d->failed = 1;
}

void eg_escalate_draft(eg_memory *m, eg_draft *d, eg_id conflict) { draft_job(m, d, conflict, 0, 0); }

typedef struct escalation {
    eg_memory *m;
    eg_request *rq;
    const eg_job *job;
    eg_id id;
    unsigned tries;
    eg_conflict conflict;
    eg_pair_case pair;
} escalation;

static int read_payload(escalation *t) {
    char text[80];
    size_t n = t->job->payload.len, id = EG_ID_TEXT - 1;
    if (n >= sizeof text || n < id + 2) return 0;
    memcpy(text, t->job->payload.ptr, n);
    text[n] = '\0';
    t->tries = (unsigned)strtoul(text + id, NULL, 10);
    return eg_id_parse((eg_str){text, id}, &t->id);
}

/* *waits 1 while the pair is suspected, both facts are current, and it is not too old. */
static eg_status read_pair(escalation *t, int *waits) {
    eg_fact_parts *parts = NULL;
    int64_t now = 0;
    *waits = 0;
    eg_status s = eg_read_conflict(t->m, t->rq, t->id, &t->conflict);
    if (s == EG_ENOENT) {
        *t->rq->err = (eg_error){0};
        return EG_OK;
    }
    if (s != EG_OK || t->conflict.status != EG_CONFLICT_SUSPECTED) return s;
    const eg_id ids[2] = {t->conflict.fact_a, t->conflict.fact_b};
    const eg_parts_args args = {.size = sizeof args, .flags = EG_PARTS_STATEMENTS, .ids = ids, .count = 2};
    if ((s = STORE(t->m, parts, t->rq, &args, &parts, &now)) != EG_OK) return s;
    int current = parts[0].fact.seq && parts[1].fact.seq && t->conflict.until_a > now && t->conflict.until_b > now;
    if (!current || t->conflict.detected_at + MAX_AGE < now) return EG_OK;
    eg_side sides[2];
    eg_sides_of(&t->conflict, &parts[0], &parts[1], sides);
    *waits = 1;
    return eg_escalate_case(t->rq, sides, (const eg_fact *[2]){&parts[0].fact, &parts[1].fact}, &t->pair);
}

static eg_status write_answer(escalation *t, const eg_pair_verdict *v, const eg_escalator *by) {
    static const uint32_t judged[] = {[EG_OUTCOME_CONTRADICTION] = EG_JUDGED_CONTRADICTION,
                                      [EG_OUTCOME_UPDATE] = EG_JUDGED_UPDATE,
                                      [EG_OUTCOME_CORROBORATION] = EG_JUDGED_SAME,
                                      [EG_OUTCOME_BOTH_VALID] = EG_JUDGED_BOTH_VALID,
                                      [EG_OUTCOME_UNRELATED] = EG_JUDGED_UNRELATED};
    char id[EG_ID_TEXT];
    eg_id_format(t->id, id);
    eg_judge_args args = {.size = sizeof args,
                          .conflict_id = eg_str_of(id),
                          .verdict = judged[v->outcome],
                          .reason = v->explanation.len ? v->explanation : EG_STR("no reason was given"),
                          .agent_id = eg_str_of(by->name)};
    eg_resolved done;
    eg_status s = eg_review_by_model(t->rq, &args);
    if (s == EG_OK) s = eg_memory_judge(t->m, t->rq, &args, &done);
    /* a gate refuses the words, or somebody was faster */
    if (s == EG_EREFUSED || s == EG_EINVAL || s == EG_EBUSY) {
        say(t->m, EG_LOG_WARN, by->name, t->rq->err->text);
        *t->rq->err = (eg_error){0};
        return EG_OK;
    }
    return s;
}

/* Ends the job; again: with another one in its place after a pause. */
static eg_status end_job(escalation *t, int again, unsigned tries, uint32_t seconds) {
    eg_draft d;
    eg_applied applied;
    int64_t delay = (seconds ? seconds : SECONDS_PAUSED) * EG_SECOND;
    eg_draft_begin(&d, t->rq);
    eg_draft_finish(&d, t->job);
    if (again) draft_job(t->m, &d, t->id, tries, delay < EG_MAX_JOB_PAUSE ? delay : EG_MAX_JOB_PAUSE);
    eg_status s = eg_draft_apply(&d, t->m, &applied);
    return s == EG_ECONFLICT ? EG_OK : s; /* the lease is somebody else's now */
}

eg_status eg_escalate_run(eg_memory *m, eg_request *rq, const eg_job *job) {
    escalation t = {.m = m, .rq = rq, .job = job};
    eg_pair_verdict v;
    const eg_escalator *by = NULL;
    int waits = 0;
    eg_status s = read_payload(&t) ? read_pair(&t, &waits) : EG_OK;
    if (s != EG_OK) return s;
    if (!waits) return end_job(&t, 0, 0, 0);
    s = eg_escalate_ask(m, rq, &t.pair, &v, &by);
    if (s == EG_ECANCELLED || s == EG_ENOMEM) return s;
    if (s == EG_ERATE) return end_job(&t, 1, t.tries, v.retry_after_s);
    if (s == EG_EUNAVAILABLE) return end_job(&t, t.tries + 1 < MAX_TRIES, t.tries + 1, 0);
    if (s == EG_OK) s = write_answer(&t, &v, by);
    else s = EG_OK; /* no valid answer: the pair stays a review */
    return s == EG_OK ? end_job(&t, 0, 0, 0) : s;
}
