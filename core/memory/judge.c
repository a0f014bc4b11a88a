/* judge.c - one case through all detectors, and their findings merged to one verdict a
 * candidate. Knows no store; the same for detection jobs and for dry runs. */
#include "core/memory/judge.h"

#include <stdarg.h>

#include "core/base/clock.h"
#include "core/memory/asking.h"
#include "core/memory/severity.h"

enum { STRIKES = 5, MAX_FINDINGS = 1024 };

typedef struct finding {
    eg_finding f; /* f.candidate: index into the whole case */
    eg_str detector;
    uint32_t flags; /* eg_detector_flags of who found it */
} finding;

/* What a detector adds to, with the map from its (smaller) case to the whole one. */
typedef struct sink {
    eg_request *rq;
    const eg_case *whole, *c; /* c: as the detector sees it */
    const uint32_t *map;
    const eg_detector *detector;
    finding *findings;
    size_t count;
} sink;

static int span_fits(eg_span s, eg_str content) { return s.start <= s.end && s.end <= content.len; }

static eg_status add(void *self, const eg_finding *given) {
    sink *to = self;
    if (given->size < EG_FINDING_SIZE_1_0)
        return eg_request_fail(to->rq, EG_EINVAL, "detector %s: a finding of %u bytes; ABI 1.0 has %u", to->detector->name,
                               given->size, EG_FINDING_SIZE_1_0);
    if (given->candidate >= to->c->candidate_count || given->outcome > EG_OUTCOME_UNRELATED ||
        given->severity > EG_SEVERITY_HIGH || !(given->score >= 0 && given->score <= 1) ||
        !span_fits(given->span_subject, to->c->subject->fact->content) ||
        !span_fits(given->span_candidate, to->c->candidates[given->candidate]->fact->content))
        return eg_request_fail(to->rq, EG_EINVAL, "detector %s: a finding is out of range", to->detector->name);
    if (to->count == MAX_FINDINGS) return EG_OK;
    finding *f = &to->findings[to->count];
    *f = (finding){.flags = to->detector->flags};
    memcpy(&f->f, given, given->size < sizeof f->f ? given->size : sizeof f->f);
    f->f.candidate = to->map[given->candidate];
    f->f.explanation = eg_request_copy(to->rq, given->explanation);
    f->f.tier =
        given->tier.len ? eg_request_copy(to->rq, given->tier) : eg_request_printf(to->rq, "plugin:%s", to->detector->name);
    f->detector = eg_request_printf(to->rq, "%s %s", to->detector->name, to->detector->version);
    if (!f->f.explanation.ptr || !f->f.tier.ptr || !f->detector.ptr) return EG_ENOMEM;
    eg_status s = eg_severity_decide(to->rq, to->whole, &f->f);
    to->count += s == EG_OK;
    return s;
}

/* An empty span stands for the whole content. */
static int overlap(eg_span a, eg_span b) { return a.start == a.end || b.start == b.end || (a.start < b.end && b.start < a.end); }

static int same_place(const eg_finding *a, const eg_finding *b) {
    return overlap(a->span_subject, b->span_subject) && overlap(a->span_candidate, b->span_candidate);
}

/* A rule that says "both can be true" or "the same" about the same words outweighs a
 * contradiction of equal or later tier: precision first. A detector that has taken the findings of
 * others into account is believed against it, with two exceptions: what a text itself says to
 * replace is replaced, and where a rule finds equal values a mere suspicion is no question. */
static int vetoed(const finding *list, size_t n, const finding *contradiction, int suspected) {
    int weighs = (contradiction->flags & EG_DETECTOR_WEIGHS_FINDINGS) != 0;
    for (size_t i = 0; i < n; i++) {
        const finding *f = &list[i];
        uint32_t outcome = f->f.outcome;
        if (f->f.candidate != contradiction->f.candidate || outcome == EG_OUTCOME_CONTRADICTION ||
            outcome == EG_OUTCOME_UNRELATED)
            continue;
        if (!(f->flags & EG_DETECTOR_DETERMINISTIC) || !same_place(&f->f, &contradiction->f)) continue;
        if (!weighs || outcome == EG_OUTCOME_UPDATE || (suspected && outcome == EG_OUTCOME_CORROBORATION)) return 1;
    }
    return 0;
}

/* The first contradiction stands; without one the first suspicion; without that the first other
 * outcome. */
static int outweighs(uint32_t now, uint32_t before) {
    if (before == EG_OUTCOME_CONTRADICTION) return 0;
    if (now == EG_OUTCOME_CONTRADICTION || before == EG_OUTCOME_UNRELATED) return 1;
    return now == EG_OUTCOME_SUSPECTED && before != EG_OUTCOME_SUSPECTED;
}

static int is_in_documents(const eg_case *c) { return c->candidate_count && (c->candidates[0]->found_by & EG_FOUND_IN_DOCUMENT); }

/* Most statements of documents agree, and far more pairs of them are read than of facts that are
 * committed: from which score on two of them contradict is a number of its own
 * ("tier1_nli_documents" beside the model). 0: it is the same as between facts. */
static double least_in_documents(const eg_memory *m, eg_str tier) {
    char name[80];
    snprintf(name, sizeof name, "%.*s_documents", (int)(tier.len < 60 ? tier.len : 60), tier.ptr);
    return SERVICES(m)->threshold(m->env.host, name, 0);
}

/* From which score on a contradiction counts. */
static eg_status least_of(eg_memory *m, eg_request *rq, const eg_case *c, eg_thresholds *thresholds, eg_str tier, double *least) {
    *least = is_in_documents(c) ? least_in_documents(m, tier) : 0;
    return *least > 0 ? EG_OK : eg_least_score(m, rq, thresholds, tier, least);
}

/* Whether a detector weighs what others find, with a number of its own for documents. */
static int weighs_documents(const eg_memory *m) {
    for (size_t i = 0; i < m->env.detector_count; i++)
        if (m->env.detectors[i].detector.flags & EG_DETECTOR_WEIGHS_FINDINGS)
            return least_in_documents(m, EG_STR("tier1_nli")) > 0;
    return 0;
}

/* Rules take equal words for the same thing, and documents describe options, methods and examples
 * in equal words one after the other: of 214 contradictions that rules found in docs of public
 * repositories, nearly all with scores of 0.88 to 0.92, none was true. So where there is a model
 * that judges documents, what a rule finds there counts only if the model does not think it
 * unlikely. */
#define NOT_UNLIKELY 0.5
static int lacks_support(const eg_memory *m, const eg_case *c, const finding *list, size_t n, const finding *contradiction) {
    if (!is_in_documents(c) || !(contradiction->flags & EG_DETECTOR_DETERMINISTIC) || !weighs_documents(m)) return 0;
    for (size_t i = 0; i < n; i++)
        if ((list[i].flags & EG_DETECTOR_WEIGHS_FINDINGS) && list[i].f.candidate == contradiction->f.candidate &&
            list[i].f.outcome == EG_OUTCOME_CONTRADICTION && list[i].f.score >= NOT_UNLIKELY)
            return 0;
    return 1;
}

static eg_status merge(eg_memory *m, eg_request *rq, const finding *list, size_t n, const eg_case *c, eg_thresholds *thresholds,
                       eg_verdict *verdicts) {
    for (size_t i = 0; i < c->candidate_count; i++) verdicts[i] = (eg_verdict){.outcome = EG_OUTCOME_UNRELATED};
    for (size_t i = 0; i < n; i++) { /* in tier order */
        const finding *f = &list[i];
        eg_verdict *v = &verdicts[f->f.candidate];
        int is_conflict = f->f.outcome == EG_OUTCOME_CONTRADICTION;
        double least = 0;
        eg_status s = is_conflict ? least_of(m, rq, c, thresholds, f->f.tier, &least) : EG_OK;
        if (s != EG_OK) return s;
        int suspected = is_conflict && f->f.score < least;
        if (is_conflict && vetoed(list, n, f, suspected)) continue;
        if (suspected && f->f.score < eg_least_doubt(m, f->f.tier)) continue;
        suspected |= is_conflict && lacks_support(m, c, list, n, f);
        uint32_t outcome = suspected ? EG_OUTCOME_SUSPECTED : f->f.outcome;
        if (!outweighs(outcome, v->outcome)) continue;
        *v = (eg_verdict){.outcome = outcome,
                          .severity = f->f.severity,
                          .score = f->f.score,
                          .span_subject = f->f.span_subject,
                          .span_candidate = f->f.span_candidate,
                          .tier = f->f.tier,
                          .detector = f->detector,
                          .explanation = f->f.explanation};
        /* two incompatible facts of one agent may be a change of mind that was not declared */
        if (is_conflict && c->candidates[f->f.candidate]->same_agent && v->severity > EG_SEVERITY_MEDIUM)
            v->severity = EG_SEVERITY_MEDIUM;
    }
    return EG_OK;
}

/* Slots in tier order: an index of env.detectors. */
static void sort_by_order(const eg_memory *m, uint32_t *order) {
    for (uint32_t i = 0; i < m->env.detector_count; i++) {
        uint32_t at = i;
        while (at > 0 && m->env.detectors[order[at - 1]].detector.order > m->env.detectors[i].detector.order) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = i;
    }
}

/* Keeps the first problem of the detectors. */
__attribute__((format(printf, 3, 4))) static void tell_source(eg_case_source *source, eg_status s, const char *format, ...) {
    va_list values;
    if (!source || source->problem.code != EG_OK) return;
    source->problem.code = s;
    va_start(values, format);
    vsnprintf(source->problem.text, sizeof source->problem.text, format, values);
    va_end(values);
}

/* 1 when this detector has failed or overrun too often to be asked again in this run. */
static int struck_out(eg_memory *m, uint32_t slot) {
    pthread_mutex_lock(&m->lock);
    int out = m->overruns[slot] >= STRIKES;
    pthread_mutex_unlock(&m->lock);
    return out;
}

static void note_run(eg_memory *m, eg_request *rq, uint32_t slot, eg_status s, int64_t took_us) {
    const eg_detector *d = &m->env.detectors[slot].detector;
    int bad = s != EG_OK || (d->budget_ms && took_us > (int64_t)d->budget_ms * 1000);
    pthread_mutex_lock(&m->lock);
    m->overruns[slot] = bad ? m->overruns[slot] + 1 : 0;
    int now_out = m->overruns[slot] == STRIKES;
    pthread_mutex_unlock(&m->lock);
    char text[700];
    if (s != EG_OK) {
        snprintf(text, sizeof text, "detector %s failed: %s", d->name, rq->err->text);
        SERVICES(m)->log(m->env.host, EG_LOG_WARN, "memory", text);
    }
    if (now_out) {
        snprintf(text, sizeof text, "detector %s is left out for this run: %d errors or overruns of its %u ms in a row", d->name,
                 STRIKES, d->budget_ms);
        SERVICES(m)->log(m->env.host, EG_LOG_ERROR, "memory", text);
    }
}

/* The two texts of a question; EG_EINVAL for what is not in the case. */
static eg_status texts_of(eg_request *rq, const eg_case *c, const eg_margin_question *q, eg_str texts[2]) {
    const eg_span spans[2] = {q->span_subject, q->span_candidate};
    if (q->candidate >= c->candidate_count)
        return eg_request_fail(rq, EG_EINVAL, "candidate %u is not in the case, which has %u", q->candidate, c->candidate_count);
    texts[0] = c->subject->fact->content;
    texts[1] = c->candidates[q->candidate]->fact->content;
    for (int i = 0; i < 2; i++) {
        if (spans[i].start == spans[i].end) continue;
        if (!span_fits(spans[i], texts[i]))
            return eg_request_fail(rq, EG_EINVAL, "a span of %u to %u is not within %zu bytes", spans[i].start, spans[i].end,
                                   texts[i].len);
        texts[i] = (eg_str){texts[i].ptr + spans[i].start, spans[i].end - spans[i].start};
    }
    return EG_OK;
}

eg_status eg_memory_neighbour_margins(eg_case_source *source, eg_request *rq, const eg_case *c,
                                      const eg_margin_question *questions, size_t n, eg_margin *out) {
    if (!source) return eg_request_fail(rq, EG_EUNAVAILABLE, "the neighbours of this case are not known");
    if (c != source->asked) return eg_request_fail(rq, EG_EINVAL, "neighbour_margins wants the case that examine() got");
    eg_str *texts = eg_request_array(rq, 2 * n, sizeof *texts);
    if (!texts) return EG_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        eg_status s = texts_of(rq, c, &questions[i], &texts[2 * i]);
        if (s != EG_OK) return s;
        out[i] = (eg_margin){0, 0};
    }
    return n ? source->margins(source, rq, c, questions, texts, n, out) : EG_OK;
}

eg_status eg_memory_earlier_findings(eg_case_source *source, eg_request *rq, const eg_case *c, const eg_finding **out,
                                     size_t *n) {
    *out = NULL;
    *n = 0;
    if (!source) return EG_OK;
    if (c != source->asked) return eg_request_fail(rq, EG_EINVAL, "this is not the case that examine() got");
    *out = source->earlier;
    *n = source->earlier_count;
    return EG_OK;
}

/* The findings about candidates that the next detector sees, by their places in its case. */
static eg_status show_earlier(eg_case_source *source, eg_request *rq, const sink *to, uint32_t shown) {
    eg_finding *earlier = eg_request_array(rq, to->count, sizeof *earlier);
    if (!earlier) return EG_ENOMEM;
    source->earlier_count = 0;
    for (size_t i = 0; i < to->count; i++)
        for (uint32_t k = 0; k < shown; k++) {
            if (to->map[k] != to->findings[i].f.candidate) continue;
            earlier[source->earlier_count] = to->findings[i].f;
            earlier[source->earlier_count++].candidate = k;
        }
    source->earlier = earlier;
    return EG_OK;
}

/* Memory is the detector's own: one that uses up all of it takes none from the others and from
 * the outcome. Its errors are noted; EG_ECANCELLED is none. */
static eg_status examine(eg_memory *m, eg_request *rq, uint32_t slot, const eg_case *c, eg_case_source *source, sink *to) {
    const eg_detector_slot *d = &m->env.detectors[slot];
    const eg_inner_request of = {rq->workspace, rq->who, rq->cancel, rq->err, source};
    eg_request *own = NULL;
    eg_status s = m->env.request_make(m->env.host, &of, &own, rq->err);
    if (s != EG_OK) return s;
    if (source) source->asked = c;
    int64_t begun = eg_clock_thread();
    s = d->detector.examine(d->self, SERVICES(m), own, c, add, to);
    int64_t took = eg_clock_thread() - begun;
    SERVICES(m)->request_release(m->env.host, own);
    if (s == EG_ECANCELLED) return s;
    note_run(m, rq, slot, s, took);
    if (s != EG_OK) tell_source(source, s, "detector %s failed: %s", d->detector.name, rq->err->text);
    return EG_OK;
}

eg_status eg_judge(eg_memory *m, eg_request *rq, const eg_case *c, eg_thresholds *thresholds, eg_case_source *source,
                   eg_verdict **out) {
    size_t n = c->candidate_count;
    *out = eg_request_array(rq, n, sizeof **out);
    finding *findings = eg_request_array(rq, MAX_FINDINGS, sizeof *findings);
    uint32_t *map = eg_request_array(rq, n, sizeof *map);
    uint32_t *order = eg_request_array(rq, m->env.detector_count, sizeof *order);
    const eg_case_fact **left = eg_request_array(rq, n, sizeof *left);
    if (!*out || !findings || !map || !order || !left) return EG_ENOMEM;
    sort_by_order(m, order);

    sink to = {.rq = rq, .whole = c, .map = map, .findings = findings};
    for (size_t i = 0; i < m->env.detector_count; i++) {
        uint32_t slot = order[i];
        const eg_detector *d = &m->env.detectors[slot].detector;
        eg_status s = merge(m, rq, findings, to.count, c, thresholds, *out);
        if (s != EG_OK) return s;
        uint32_t count = 0;
        for (uint32_t k = 0; k < n; k++)
            if ((*out)[k].outcome != EG_OUTCOME_CONTRADICTION) {
                map[count] = k;
                left[count++] = c->candidates[k];
            }
        if (count == 0) break;
        if (struck_out(m, slot)) {
            tell_source(source, EG_EUNAVAILABLE, "detector %s is left out since it failed or took too long %d times in a row",
                        d->name, STRIKES);
            continue;
        }
        eg_case seen = *c;
        seen.candidate_count = count;
        seen.candidates = left;
        to.c = &seen;
        to.detector = d;
        if (source && (s = show_earlier(source, rq, &to, count)) != EG_OK) return s;
        if ((s = examine(m, rq, slot, &seen, source, &to)) != EG_OK) return s;
    }
    if (source && source->failed != EG_OK) return source->failed;
    return merge(m, rq, findings, to.count, c, thresholds, *out);
}
