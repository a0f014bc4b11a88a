/* changes.c - building change sets: the rows that every operation writes alike. See storage.h
 * for their meaning. */
#include "core/memory/changes.h"

#include "core/base/json.h"
#include "core/memory/digests.h"

void eg_draft_begin(eg_draft *d, eg_request *rq) { *d = (eg_draft){.rq = rq, .actor = rq->who->agent}; }

/* Room for `more` rows of `size` bytes in all; 0 when memory is out. */
static int make_room(eg_draft *d, void **rows, size_t count, size_t *capacity, size_t size, size_t more) {
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

/* Room for one more, doubling. */
static int grow(eg_draft *d, void **rows, size_t count, size_t *capacity, size_t size) {
    return count < *capacity || make_room(d, rows, count, capacity, size, *capacity ? *capacity * 2 : 16);
}

void eg_draft_reserve(eg_draft *d, size_t changes, size_t preconditions) {
    void *c = d->changes, *p = d->preconditions;
    if (make_room(d, &c, d->change_count, &d->change_capacity, sizeof *d->changes, d->change_count + changes)) d->changes = c;
    if (make_room(d, &p, d->precondition_count, &d->precondition_capacity, sizeof *d->preconditions,
                  d->precondition_count + preconditions))
        d->preconditions = p;
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

/* Each audit record says what texts were stored since the one before it in the set. */
static void note_digests(eg_draft *d, eg_memory *m) {
    for (size_t i = 0, from = 0; i < d->change_count; i++) {
        if (d->changes[i].kind != EG_CHANGE_AUDIT) continue;
        eg_str *payload = &d->changes[i].audit.payload;
        *payload = eg_digests_note(m, d->rq, *payload, d->changes + from, i - from);
        d->failed |= payload->ptr == NULL;
        from = i + 1;
    }
}

eg_status eg_draft_apply(eg_draft *d, eg_memory *m, eg_applied *out) {
    *out = (eg_applied){0};
    if (!d->failed) note_digests(d, m);
    if (d->failed) return eg_request_fail(d->rq, EG_ENOMEM, "out of memory while a change was prepared");
    const eg_change_set set = {.size = sizeof set,
                               .id = SERVICES(m)->new_id(m->env.host),
                               .actor = d->actor,
                               .preconditions = d->preconditions,
                               .precondition_count = d->precondition_count,
                               .changes = d->changes,
                               .change_count = d->change_count};
    eg_status s = STORE(m, apply, d->rq, &set, out);
    if (s == EG_OK && out->fact_seq && m->env.stored) m->env.stored(m->env.host, d->rq->workspace);
    if (s == EG_OK && d->leaves_jobs) eg_memory_wake(m);
    return s;
}

int eg_draft_told(eg_memory *m, eg_request *rq, eg_status s, eg_str *warning) {
    if (s == EG_OK) return 1;
    eg_error why = *rq->err;
    SERVICES(m)->log(m->env.host, EG_LOG_WARN, "memory", why.text);
    *rq->err = (eg_error){0};
    if (!warning->len) *warning = eg_request_printf(rq, "it is stored, but what came of it could not all be read: %s", why.text);
    if (!warning->ptr) *warning = EG_STR("it is stored, but what came of it could not all be read");
    *rq->err = (eg_error){0};
    return 0;
}

void eg_draft_close(eg_draft *d, const eg_fact *fact, eg_close_reason reason, const char *why, const eg_id *settled) {
    eg_draft_require(d, EG_REQUIRE_CURRENT)->fact = fact->id;
    eg_change *close = eg_draft_add(d, EG_CHANGE_CLOSE);
    close->close.fact = fact->id;
    close->close.reason = reason;
    close->close.by = d->actor;
    eg_change *end = eg_draft_add(d, EG_CHANGE_END_CONFLICTS);
    end->end_conflicts.fact = fact->id;
    end->end_conflicts.by = d->actor;
    end->end_conflicts.resolution = eg_str_of(why);
    end->end_conflicts.except = settled;
    end->end_conflicts.except_count = settled != NULL;
}

void eg_draft_close_for(eg_draft *d, const eg_fact *fact, eg_close_reason reason, const char *what, eg_str why) {
    eg_str said =
        eg_request_printf(d->rq, "the fact was %s%s%.*s", what, why.len ? ": " : "", (int)why.len, why.len ? why.ptr : "");
    if (!said.ptr) d->failed = 1;
    eg_draft_close(d, fact, reason, said.ptr ? said.ptr : "", NULL);
}

eg_status eg_draft_reason(eg_request *rq, eg_str reason, eg_str *payload) {
    eg_buffer b = {0};
    *payload = EG_STR("{}");
    if (!reason.len) return EG_OK;
    eg_buffer_text(&b, "{\"reason\":");
    eg_buffer_json(&b, reason);
    eg_buffer_text(&b, "}");
    if (!b.failed) *payload = eg_request_copy(rq, (eg_str){b.ptr, b.len});
    int failed = b.failed || !payload->ptr;
    eg_buffer_release(&b);
    return failed ? eg_request_fail(rq, EG_ENOMEM, "out of memory while a change was prepared") : EG_OK;
}

void eg_draft_promote(eg_draft *d, eg_memory *m, const eg_fact *fact, int64_t lifetime) {
    int becomes_durable = fact->durability == EG_DURABILITY_EPHEMERAL;
    eg_draft_require(d, EG_REQUIRE_CURRENT)->fact = fact->id;
    eg_change *c = eg_draft_add(d, EG_CHANGE_PROMOTE);
    c->promote.fact = fact->id;
    c->promote.lifetime = lifetime;
    /* Else it was compared already. */
    if (becomes_durable) eg_draft_job(d, m, EG_JOB_DETECT, fact->id, 0);
    eg_draft_audit(d, becomes_durable ? "promote" : "extend", fact->id, (eg_id){{0}}, EG_STR("{}"));
}

void eg_draft_feedback(eg_draft *d, const eg_conflict *c, int true_positive) {
    eg_change *f = eg_draft_add(d, EG_CHANGE_FEEDBACK);
    f->feedback.conflict = c->id;
    f->feedback.tier = c->tier;
    f->feedback.score = c->score;
    f->feedback.confirmed = true_positive != 0;
}

void eg_draft_link(eg_draft *d, eg_change_kind link_or_unlink, eg_id fact, eg_id other, eg_link_kind kind) {
    eg_change *link = eg_draft_add(d, link_or_unlink);
    link->link.fact = fact;
    link->link.other = other;
    link->link.kind = kind;
}

void eg_draft_vectors(eg_draft *d, eg_id fact, const eg_vector *rows, size_t n) {
    eg_change *c = eg_draft_add(d, EG_CHANGE_VECTORS);
    c->vectors.fact = fact;
    c->vectors.rows = rows;
    c->vectors.count = n;
}

void eg_draft_audit(eg_draft *d, const char *action, eg_id fact, eg_id other, eg_str payload) {
    eg_change *c = eg_draft_add(d, EG_CHANGE_AUDIT);
    c->audit.action = eg_str_of(action);
    c->audit.payload = payload;
    c->audit.fact = fact;
    c->audit.other = other;
}

void eg_draft_conflict(eg_draft *d, const eg_conflict *c) {
    eg_precondition *pair = eg_draft_require(d, EG_REQUIRE_PAIR_FREE);
    pair->pair.a = c->fact_a;
    pair->pair.b = c->fact_b;
    eg_draft_add(d, EG_CHANGE_CONFLICT)->conflict = c;
}

eg_change *eg_draft_job(eg_draft *d, eg_memory *m, eg_job_kind kind, eg_id fact, int64_t delay) {
    eg_change *c = eg_draft_add(d, EG_CHANGE_JOB);
    c->job.kind = kind;
    c->job.fact = fact;
    c->job.owner = m->env.owner;
    c->job.delay = delay;
    d->leaves_jobs |= delay == 0;
    return c;
}

void eg_draft_finish(eg_draft *d, const eg_job *job) {
    eg_draft_require(d, EG_REQUIRE_LEASE)->token = job->token;
    eg_draft_add(d, EG_CHANGE_JOB_DONE)->job_done.token = job->token;
}
