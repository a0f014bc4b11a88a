/* detect.c - what a verdict means: gather the candidates, judge them, write the outcome. Never
 * holds a write lock while it computes. */
#include "core/memory/detect.h"

#include "core/memory/asking.h"
#include "core/memory/candidates.h"
#include "core/memory/changes.h"
#include "core/memory/escalate.h"
#include "core/memory/judge.h"
#include "core/memory/reads.h"
#include "core/memory/settled.h"
#include "core/memory/sides.h"

#define NO_MODEL_PAUSE EG_MAX_JOB_PAUSE
/* Notes of one kind often differ in their context alone. So many such facts are linked with a new
 * one, the surest, and so many are told: what they say is rarely news to its author. */
enum { MAX_LINKED_CONTEXTS = 5, MAX_TOLD_CONTEXTS = 2, MAX_TOLD = 5 };

/* A detection on its way. */
typedef struct detection {
    eg_memory *m;
    eg_request *rq;
    const eg_job *job;
    eg_case c;
    eg_verdict *verdicts; /* one a candidate */
    eg_asking asking;
    eg_conflict *conflicts; /* those that are written, one a candidate at most */
    size_t *candidate_of;   /* each of them is about */
    size_t conflict_count;
    eg_detected *out; /* NULL: nobody asks */
} detection;

static void draft_conflict(detection *t, eg_draft *d, size_t candidate) {
    const eg_verdict *v = &t->verdicts[candidate];
    const eg_fact *subject = t->c.subject->fact, *other = t->c.candidates[candidate]->fact;
    int subject_first = subject->seq < other->seq;
    const eg_fact *a = subject_first ? subject : other, *b = subject_first ? other : subject;
    t->candidate_of[t->conflict_count] = candidate;
    eg_conflict *c = &t->conflicts[t->conflict_count++];
    *c = (eg_conflict){.id = SERVICES(t->m)->new_id(t->m->env.host),
                       .fact_a = a->id,
                       .fact_b = b->id,
                       .tier = v->tier,
                       .detector = v->detector,
                       .score = v->score,
                       .explanation = v->explanation,
                       .span_a = subject_first ? v->span_subject : v->span_candidate,
                       .span_b = subject_first ? v->span_candidate : v->span_subject,
                       .severity = v->severity,
                       .status = v->outcome == EG_OUTCOME_SUSPECTED ? EG_CONFLICT_SUSPECTED : EG_CONFLICT_OPEN,
                       .until_a = a->valid_until,
                       .until_b = b->valid_until};
    eg_draft_require(d, EG_REQUIRE_CURRENT)->fact = a->id;
    eg_draft_require(d, EG_REQUIRE_CURRENT)->fact = b->id;
    eg_draft_conflict(d, c);
}

static int corroborates(const detection *t, size_t candidate) {
    return t->verdicts[candidate].outcome == EG_OUTCOME_CORROBORATION && !t->c.candidates[candidate]->same_agent;
}

/* Everything that a verdict means for the store. */
static void draft_verdict(detection *t, eg_draft *d, size_t candidate) {
    eg_id subject = t->c.subject->fact->id, other = t->c.candidates[candidate]->fact->id;
    uint32_t outcome = t->verdicts[candidate].outcome;
    if (outcome == EG_OUTCOME_CONTRADICTION || outcome == EG_OUTCOME_SUSPECTED) draft_conflict(t, d, candidate);
    if (corroborates(t, candidate)) eg_draft_link(d, EG_CHANGE_LINK, subject, other, EG_LINK_CORROBORATES);
    if (outcome == EG_OUTCOME_UPDATE) eg_draft_link(d, EG_CHANGE_LINK, subject, other, EG_LINK_UPDATE);
    if (outcome == EG_OUTCOME_BOTH_VALID) eg_draft_link(d, EG_CHANGE_LINK, subject, other, EG_LINK_CONTEXT);
}

/* Of the facts that hold in another context, only the surest are kept as such. */
static void choose_contexts(detection *t) {
    for (size_t i = 0; i < t->c.candidate_count; i++) {
        eg_verdict *v = &t->verdicts[i];
        size_t before = 0;
        if (v->outcome != EG_OUTCOME_BOTH_VALID) continue;
        for (size_t k = 0; k < t->c.candidate_count; k++)
            before += t->verdicts[k].outcome == EG_OUTCOME_BOTH_VALID &&
                      (t->verdicts[k].score > v->score || (t->verdicts[k].score == v->score && k < i));
        if (before >= MAX_LINKED_CONTEXTS) v->outcome = EG_OUTCOME_UNRELATED;
    }
}

/* Of the pairs that are suspected, only those with the highest scores are asked about, and only
 * those that the workspace wants to be asked about; the others are let go. */
static void choose_questions(detection *t) {
    size_t asked = 0;
    for (;;) {
        eg_verdict *best = NULL;
        for (size_t i = 0; i < t->c.candidate_count; i++) {
            eg_verdict *v = &t->verdicts[i];
            if (v->outcome == EG_OUTCOME_SUSPECTED && !v->asked && (!best || v->score > best->score)) best = v;
        }
        if (!best) return;
        best->asked = asked < EG_MAX_ASKED && eg_asking_wants(t->m, &t->asking, best->tier, best->score);
        if (best->asked) asked++;
        else best->outcome = EG_OUTCOME_UNRELATED;
    }
}

/* How many agents say the same as the subject, by this outcome. */
static uint32_t agents_that_agree(const detection *t) {
    uint32_t n = 0;
    for (size_t i = 0; i < t->c.candidate_count; i++) {
        int counted = !corroborates(t, i);
        for (size_t k = 0; k < i && !counted; k++)
            counted = corroborates(t, k) && eg_str_eq(t->c.candidates[k]->fact->agent_id, t->c.candidates[i]->fact->agent_id);
        n += !counted;
    }
    return n;
}

static int is_open(const detection *t, size_t i) { return t->conflicts[i].status == EG_CONFLICT_OPEN; }

static size_t open_count(const detection *t) {
    size_t n = 0;
    for (size_t i = 0; i < t->conflict_count; i++) n += (size_t)is_open(t, i);
    return n;
}

static eg_side side_of(const eg_case_fact *f, eg_span said) {
    return (eg_side){.content = f->fact->content,
                     .statements = f->statements,
                     .details = f->details,
                     .statement_count = f->statement_count,
                     .said = said};
}

/* 0: no memory. */
static int put_stated(const detection *t, size_t i, int subject_first, eg_conflict_view *v) {
    const eg_case_fact *subject = t->c.subject, *other = t->c.candidates[t->candidate_of[i]];
    const eg_side sides[2] = {side_of(subject_first ? subject : other, v->conflict.span_a),
                              side_of(subject_first ? other : subject, v->conflict.span_b)};
    eg_str stated[2], *const to[2] = {&v->stated_a, &v->stated_b};
    eg_sides_stated(sides, stated);
    for (size_t k = 0; k < 2; k++) {
        if (!stated[k].len) continue;
        *to[k] = eg_request_copy(t->out->rq, stated[k]);
        if (!to[k]->ptr) return 0;
    }
    return 1;
}

static eg_status put_view(const detection *t, const eg_fact *subject, size_t i, int64_t time, eg_conflict_view *v) {
    eg_request *rq = t->out->rq;
    eg_fact other = *t->c.candidates[t->candidate_of[i]]->fact;
    other.open_conflicts += (uint32_t)is_open(t, i);
    v->conflict = t->conflicts[i];
    v->conflict.detected_at = time;
    v->conflict.tier = eg_request_copy(rq, v->conflict.tier);
    v->conflict.detector = eg_request_copy(rq, v->conflict.detector);
    v->conflict.explanation = eg_request_copy(rq, v->conflict.explanation);
    if (!v->conflict.tier.ptr || !v->conflict.detector.ptr || !v->conflict.explanation.ptr) return EG_ENOMEM;
    int subject_first = eg_id_eq(v->conflict.fact_a, subject->id);
    if (!is_open(t, i) && !put_stated(t, i, subject_first, v)) return EG_ENOMEM;
    eg_status s = eg_fact_copy(rq, subject, subject_first ? &v->a : &v->b);
    return s == EG_OK ? eg_fact_copy(rq, &other, subject_first ? &v->b : &v->a) : s;
}

/* Tells of the facts with this outcome, at most `most` of them. */
static eg_status tell_related(const detection *t, uint32_t outcome, size_t most) {
    eg_detected *out = t->out;
    for (size_t i = 0; i < t->c.candidate_count && most; i++) {
        const eg_fact *f = t->c.candidates[i]->fact;
        if (t->verdicts[i].outcome != outcome || out->related_count == MAX_TOLD) continue;
        if (outcome == EG_OUTCOME_CORROBORATION && !corroborates(t, i)) continue;
        eg_related *r = &out->related[out->related_count];
        *r = (eg_related){.fact = f->id,
                          .lineage = f->lineage_id,
                          .outcome = outcome,
                          .agent_id = eg_request_copy(out->rq, f->agent_id),
                          .why = eg_request_copy(out->rq, t->verdicts[i].explanation)};
        if (!r->agent_id.ptr || !r->why.ptr) return EG_ENOMEM;
        out->related_count++;
        most--;
    }
    return EG_OK;
}

static eg_status tell_all_related(const detection *t) {
    t->out->related = eg_request_array(t->out->rq, MAX_TOLD, sizeof *t->out->related);
    if (!t->out->related) return EG_ENOMEM;
    eg_status s = tell_related(t, EG_OUTCOME_UPDATE, MAX_TOLD);
    if (s == EG_OK) s = tell_related(t, EG_OUTCOME_CORROBORATION, MAX_TOLD);
    return s == EG_OK ? tell_related(t, EG_OUTCOME_BOTH_VALID, MAX_TOLD_CONTEXTS) : s;
}

/* Tells what was written without reading it back. */
static eg_status tell(const detection *t, int64_t time) {
    eg_detected *out = t->out;
    if (!out) return EG_OK;
    eg_status told = tell_all_related(t);
    if (told != EG_OK || t->conflict_count == 0) return told;
    eg_fact subject = *t->c.subject->fact;
    subject.open_conflicts += (uint32_t)open_count(t);
    subject.corroborations += agents_that_agree(t);
    out->views = eg_request_array(out->rq, t->conflict_count, sizeof *out->views);
    out->suspected = eg_request_array(out->rq, t->conflict_count, sizeof *out->suspected);
    if (!out->views || !out->suspected) return EG_ENOMEM;
    for (int severity = EG_SEVERITY_HIGH; severity >= EG_SEVERITY_LOW; severity--) {
        for (size_t i = t->conflict_count; i-- > 0;) { /* the newest first */
            if (t->conflicts[i].severity != (uint32_t)severity) continue;
            eg_conflict_view *view = is_open(t, i) ? &out->views[out->count++] : &out->suspected[out->suspected_count++];
            eg_status s = put_view(t, &subject, i, time, view);
            if (s != EG_OK) return s;
        }
    }
    return EG_OK;
}

/* Writes the verdicts and ends the job. A pair that somebody decided, or a fact that was closed,
 * meanwhile is dropped and the rest written; a lost lease drops everything, its new owner
 * decides. */
static eg_status write_outcome(detection *t) {
    size_t n = t->c.candidate_count;
    t->conflicts = eg_request_array(t->rq, n, sizeof *t->conflicts);
    t->candidate_of = eg_request_array(t->rq, n, sizeof *t->candidate_of);
    /* The candidate of a precondition. */
    size_t *owner_of = eg_request_array(t->rq, 1 + 3 * n, sizeof *owner_of);
    if (!t->conflicts || !t->candidate_of || !owner_of) return EG_ENOMEM;
    for (size_t attempt = 0; attempt <= n; attempt++) {
        eg_draft d;
        eg_applied applied;
        eg_draft_begin(&d, t->rq);
        eg_draft_finish(&d, t->job);
        t->conflict_count = 0;
        for (size_t i = 0; i < n; i++) {
            size_t before = d.precondition_count;
            draft_verdict(t, &d, i);
            for (size_t k = before; k < d.precondition_count; k++) owner_of[k] = i;
        }
        for (size_t i = 0; t->m->env.escalator_count && i < t->conflict_count; i++)
            if (t->conflicts[i].status == EG_CONFLICT_SUSPECTED) eg_escalate_draft(t->m, &d, t->conflicts[i].id);
        eg_asking_move(t->m, &t->asking, t->conflict_count - open_count(t), &d);
        eg_status s = eg_draft_apply(&d, t->m, &applied);
        if (s == EG_OK) return tell(t, applied.time);
        if (s != EG_ECONFLICT) return s;
        if (applied.failed == 0) { /* the lease is somebody else's now */
            if (t->out) t->out->lost = 1;
            return EG_OK;
        }
        t->verdicts[owner_of[applied.failed]].outcome = EG_OUTCOME_UNRELATED;
    }
    return eg_request_fail(t->rq, EG_EBUSY, "the facts of a detection job changed too often: it is tried again later");
}

/* Contradictions that people dismissed or called both valid in nearly the same words are none. */
static eg_status drop_settled(detection *t) {
    eg_settled settled = {0};
    eg_status s = EG_OK;
    for (size_t i = 0; s == EG_OK && i < t->c.candidate_count; i++) {
        int found = 0;
        if (t->verdicts[i].outcome != EG_OUTCOME_CONTRADICTION) continue;
        s = eg_settled_load(t->m, t->rq, &settled);
        if (s == EG_OK)
            s = eg_settled_has(t->m, t->rq, &settled, t->c.subject->fact->content, t->c.candidates[i]->fact->content, &found);
        if (found) t->verdicts[i].outcome = EG_OUTCOME_UNRELATED;
    }
    return s;
}

eg_status eg_detect(eg_memory *m, eg_request *rq, const eg_job *job, const eg_fact *fact, const eg_derived *derived,
                    eg_detected *out) {
    detection *t = eg_request_array(rq, 1, sizeof *t);
    if (!t) return EG_ENOMEM;
    *t = (detection){.m = m, .rq = rq, .job = job, .out = out};
    eg_thresholds thresholds = {0};
    eg_status s = eg_gather(m, rq, fact, derived, &t->c);
    eg_case_source in_store = eg_store_neighbours(m);
    if (s == EG_OK) s = eg_judge(m, rq, &t->c, &thresholds, &in_store, &t->verdicts);
    if (s == EG_OK) s = drop_settled(t);
    if (s == EG_OK) s = eg_asking_read(m, rq, &t->asking);
    if (s != EG_OK) return s;
    choose_questions(t);
    choose_contexts(t);
    return write_outcome(t);
}

static eg_status only_finish(eg_memory *m, eg_request *rq, const eg_job *job) {
    eg_draft d;
    eg_applied applied;
    eg_draft_begin(&d, rq);
    eg_draft_finish(&d, job);
    eg_status s = eg_draft_apply(&d, m, &applied);
    return s == EG_ECONFLICT ? EG_OK : s;
}

/* Stores the vectors that a commit without a model left out, and looks for contradictions again
 * with them. */
static eg_status run_embedding(eg_memory *m, eg_request *rq, const eg_job *job, const eg_fact *fact, const eg_derived *derived) {
    eg_draft d;
    eg_applied applied;
    eg_draft_begin(&d, rq);
    eg_draft_finish(&d, job);
    if (derived->vector_count) {
        eg_draft_vectors(&d, fact->id, derived->vectors, derived->vector_count);
        if (fact->durability == EG_DURABILITY_DURABLE) eg_draft_job(&d, m, EG_JOB_DETECT, fact->id, 0);
    } else { /* still no model: no failure, just not yet */
        eg_draft_job(&d, m, EG_JOB_EMBED, fact->id, NO_MODEL_PAUSE);
    }
    eg_status s = eg_draft_apply(&d, m, &applied);
    return s == EG_ECONFLICT ? EG_OK : s;
}

eg_status eg_detect_run(eg_memory *m, eg_request *rq, const eg_job *job) {
    eg_fact_parts known;
    int64_t now = 0;
    eg_status s = eg_read_fact_statements(m, rq, job->fact, &known, &now);
    if (s == EG_ENOENT) return only_finish(m, rq, job);
    if (s != EG_OK) return s;
    eg_fact fact = known.fact;
    const eg_statement_list kept = {known.details, known.statement_count};
    int current = fact.valid_from <= now && now < fact.valid_until;
    if (!current || (job->kind == EG_JOB_DETECT && fact.durability == EG_DURABILITY_EPHEMERAL)) return only_finish(m, rq, job);

    eg_arena arena;
    eg_arena_init(&arena, 0);
    eg_derived *derived = eg_request_array(rq, 1, sizeof *derived);
    s = derived ? eg_derive_text(rq, &arena, fact.content, fact.scope, kept, derived) : EG_ENOMEM;
    if (s == EG_OK) s = eg_derive_vectors(m, rq, fact.content, derived);
    if (s == EG_OK)
        s = job->kind == EG_JOB_DETECT ? eg_detect(m, rq, job, &fact, derived, NULL) : run_embedding(m, rq, job, &fact, derived);
    eg_arena_release(&arena);
    return s;
}
