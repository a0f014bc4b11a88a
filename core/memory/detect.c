/* detect.c - what a verdict means: gather the candidates, judge them, write the outcome. Never holds a write lock while it
 * computes. */
#include "core/memory/detect.h"

#include "core/memory/candidates.h"
#include "core/memory/changes.h"
#include "core/memory/judge.h"

#define NO_MODEL_PAUSE EG_MAX_JOB_PAUSE

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
    eg_thresholds thresholds = {0};
    eg_status s = eg_derive_vectors(m, rq, fact->content, derived);
    if (s == EG_OK) s = eg_gather(m, rq, fact, derived, &c);
    eg_case_source in_store = eg_store_neighbours(m);
    if (s == EG_OK) s = eg_judge(m, rq, &c, &thresholds, &in_store, &verdicts);
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

eg_status eg_detect_run(eg_memory *m, eg_request *rq, const eg_job *job) {
    eg_fact fact;
    int64_t now = 0;
    eg_status s = STORE(m, fact, rq, job->fact, &fact);
    if (s == EG_ENOENT) return only_finish(m, rq, job);
    if (s == EG_OK) s = eg_now(m, rq, &now);
    if (s != EG_OK) return s;
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
