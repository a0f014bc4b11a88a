/* changes.c - building change sets: the rows that every operation writes alike. See storage.h for their meaning. */
#include "core/memory/changes.h"

void eg_draft_begin(eg_draft *d, eg_request *rq) { *d = (eg_draft){.rq = rq, .actor = rq->who->agent}; }

/* Room for one more of `size` bytes in *rows, doubling; 0 when memory is out. */
static int grow(eg_draft *d, void **rows, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity) return 1;
    size_t more = *capacity ? *capacity * 2 : 16;
    void *p = eg_request_array(d->rq, more, size);
    if (!p) {
        d->failed = 1;
        return 0;
    }
    if (count) memcpy(p, *rows, count * size);
    *rows = p;
    *capacity = more;
    return 1;
}

eg_precondition *eg_draft_require(eg_draft *d, eg_precondition_kind kind) {
    void *rows = d->preconditions;
    if (!grow(d, &rows, d->precondition_count, &d->precondition_capacity, sizeof *d->preconditions)) {
        static _Thread_local eg_precondition nowhere;
        return &nowhere;
    }
    d->preconditions = rows;
    eg_precondition *p = &d->preconditions[d->precondition_count++];
    *p = (eg_precondition){.kind = kind};
    return p;
}

eg_change *eg_draft_add(eg_draft *d, eg_change_kind kind) {
    void *rows = d->changes;
    if (!grow(d, &rows, d->change_count, &d->change_capacity, sizeof *d->changes)) {
        static _Thread_local eg_change nowhere;
        return &nowhere;
    }
    d->changes = rows;
    eg_change *c = &d->changes[d->change_count++];
    *c = (eg_change){.kind = kind};
    return c;
}

eg_status eg_draft_apply(eg_draft *d, eg_memory *m, eg_applied *out) {
    *out = (eg_applied){0};
    if (d->failed) return eg_request_fail(d->rq, EG_ENOMEM, "out of memory while a change was prepared");
    eg_change_set set = {.workspace = d->rq->workspace,
                         .actor = d->actor,
                         .preconditions = d->preconditions,
                         .precondition_count = d->precondition_count,
                         .changes = d->changes,
                         .change_count = d->change_count};
    eg_status s = STORE(m, apply, d->rq, &set, out);
    if (s == EG_OK && d->leaves_jobs) eg_memory_wake(m);
    return s;
}

void eg_draft_close(eg_draft *d, const eg_fact *fact, eg_close_reason reason, const char *why) {
    eg_draft_require(d, EG_REQUIRE_CURRENT)->id = fact->id;
    eg_change *close = eg_draft_add(d, EG_CHANGE_CLOSE);
    close->fact = fact->id;
    close->reason = reason;
    close->text = d->actor;
    close->text2 = eg_str_of(why);
}

void eg_draft_audit(eg_draft *d, const char *action, eg_id fact, eg_id other, eg_str payload) {
    eg_change *c = eg_draft_add(d, EG_CHANGE_AUDIT);
    c->text = eg_str_of(action);
    c->text2 = payload;
    c->fact = fact;
    c->other = other;
}

void eg_draft_job(eg_draft *d, eg_memory *m, eg_job_kind kind, eg_id fact, int64_t not_before) {
    eg_change *c = eg_draft_add(d, EG_CHANGE_JOB);
    c->number = kind;
    c->fact = fact;
    c->text = m->env.owner;
    c->time = not_before;
    d->leaves_jobs |= not_before == 0;
}

void eg_draft_promote(eg_draft *d, eg_memory *m, const eg_fact *fact, int64_t until) {
    int becomes_durable = fact->durability == EG_DURABILITY_EPHEMERAL;
    eg_draft_require(d, EG_REQUIRE_CURRENT)->id = fact->id;
    eg_change *c = eg_draft_add(d, EG_CHANGE_PROMOTE);
    c->fact = fact->id;
    c->time = until;
    if (becomes_durable) eg_draft_job(d, m, EG_JOB_DETECT, fact->id, 0); /* else it was compared already */
    eg_draft_audit(d, becomes_durable ? "promote" : "extend", fact->id, (eg_id){{0}}, EG_STR("{}"));
}

void eg_draft_feedback(eg_draft *d, const eg_conflict *c, int true_positive) {
    eg_change *f = eg_draft_add(d, EG_CHANGE_FEEDBACK);
    f->conflict = c;
    f->number = true_positive;
}

void eg_draft_finish(eg_draft *d, const eg_job *job) {
    eg_precondition *held = eg_draft_require(d, EG_REQUIRE_LEASE);
    held->number = job->id;
    held->token = job->token;
    eg_change *done = eg_draft_add(d, EG_CHANGE_JOB_DONE);
    done->number = job->id;
    done->token = job->token;
}
