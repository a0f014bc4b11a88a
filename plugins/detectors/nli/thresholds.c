/* thresholds.c - see thresholds.h. */
#include "thresholds.h"

#include "nearest.h"
#include "units.h"

/* The ten nearest candidates are classified. Of the 92 labelled conflicts of the dev scenarios that
 * the first model scored 0.83 or higher, 90 are with the nearest earlier fact of their scenario and
 * none is beyond the third; among the facts of all thirty scenarios together none is beyond the
 * ninth. */
enum { MAX_CANDIDATES = 10, CONTRADICTION = 0, ENTAILMENT = 1, LABELS = 3 };
enum { MAX_STATEMENTS = 8 /* of a fact */, MAX_PAIRS = 128 /* of statements, in a case */ };
/* Pairs below it are not reported, whatever the threshold is, unless the model says from which
 * score on a pair is worth a question. */
#define MIN_SCORE 0.5
#define MAX_SHIFT 0.1 /* by which feedback moves the threshold */
#define NEVER 2.0     /* a threshold above any probability */
/* For facts of several statements, both the pair of facts and the best pair of statements must
 * reach this score: a fact says many things, and a statement alone lacks the context of the others.
 * The higher score counts. Values from 0.6 to 0.8 raise precision and keep recall on both halves of
 * the test scenarios (bench/detection.py). */
#define MIN_SCORE_OF_BOTH 0.7

/* The classification of a candidate: of the two facts, later of the pair of statements with the
 * highest score. */
typedef struct reading {
    uint32_t candidate;
    eg_span subject, other;
    double forth, back; /* probability of contradiction with the candidate as premise, with the
                         * subject as premise */
    double score;       /* the mean of both */
    double same;        /* the lower probability of entailment of both directions */
    int lowered;        /* 1: by the hubness correction */
} reading;

/* ---- classification ---- */

static double lesser(double a, double b) { return a < b ? a : b; }

/* Classifies n pairs of texts; pairs[i] has the candidate as premise. The other direction is only
 * computed where it can change the result: where a probability of 1 there would lift the mean to
 * least[i], or where the first one reaches `entails`. So most pairs are classified once, without a
 * change of any result. Fills forth, back, score and same; score and same are 0 where one direction
 * was enough. */
static eg_status read_pairs(const eg_services *services, eg_request *rq, eg_pair *pairs, const double *least, size_t n,
                            double entails, reading *out) {
    float *forth = eg_request_array(rq, n * LABELS, sizeof *forth), *back = eg_request_array(rq, n * LABELS, sizeof *back);
    size_t *again = eg_request_array(rq, n, sizeof *again), count = 0;
    if (!forth || !back || !again) return EG_ENOMEM;
    eg_status s = n ? services->nli(services->host, rq, pairs, n, forth) : EG_OK;
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        const float *p = forth + i * LABELS;
        out[i].forth = (double)p[CONTRADICTION];
        out[i].back = out[i].score = out[i].same = 0;
        if ((out[i].forth + 1) / 2 < least[i] && (double)p[ENTAILMENT] < entails) continue;
        pairs[count] = (eg_pair){pairs[i].second, pairs[i].first};
        again[count++] = i;
    }
    if (s == EG_OK && count) s = services->nli(services->host, rq, pairs, count, back);
    for (size_t k = 0; s == EG_OK && k < count; k++) {
        reading *r = &out[again[k]];
        const float *p = back + k * LABELS;
        r->back = (double)p[CONTRADICTION];
        r->score = lesser((r->forth + r->back) / 2, 1);
        r->same = lesser(lesser((double)forth[again[k] * LABELS + ENTAILMENT], (double)p[ENTAILMENT]), 1);
    }
    return s;
}

static size_t statements_of(const eg_case_fact *f) {
    return f->statement_count < MAX_STATEMENTS ? f->statement_count : MAX_STATEMENTS;
}
static size_t statement_product(const eg_case *c, const reading *r) {
    return statements_of(c->subject) * statements_of(c->candidates[r->candidate]);
}

static eg_status read_wholes(const eg_services *services, eg_request *rq, const eg_case *c, reading *readings, size_t n,
                             double counts, double entails) {
    eg_pair *pairs = eg_request_array(rq, n, sizeof *pairs);
    double *least = eg_request_array(rq, n, sizeof *least);
    if (!pairs || !least) return EG_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        const eg_case_fact *a = c->subject, *b = c->candidates[readings[i].candidate];
        readings[i].subject = (eg_span){0, (uint32_t)a->fact->content.len};
        readings[i].other = (eg_span){0, (uint32_t)b->fact->content.len};
        pairs[i] = in_one_unit(rq, (const eg_case_fact *[]){b, a}, (const eg_span[]){readings[i].other, readings[i].subject});
        least[i] = statement_product(c, &readings[i]) > 1 ? lesser(counts, MIN_SCORE_OF_BOTH) : counts;
    }
    return read_pairs(services, rq, pairs, least, n, entails, readings);
}

/* The number of pairs of statements that are classified for a reading; 0: none, it stays as it
 * is. */
static size_t statement_pairs(const eg_case *c, const reading *r) {
    size_t n = statement_product(c, r);
    return n > 1 && r->score >= MIN_SCORE_OF_BOTH ? n : 0;
}

/* Replaces readings of facts of several statements by their pair of statements with the highest
 * score, in order, until MAX_PAIRS pairs are reached. */
static eg_status read_statements(const eg_services *services, eg_request *rq, const eg_case *c, reading *readings, size_t n) {
    size_t count = 0;
    eg_pair *pairs = eg_request_array(rq, MAX_PAIRS, sizeof *pairs);
    double *least = eg_request_array(rq, MAX_PAIRS, sizeof *least);
    reading *parts = eg_request_array(rq, MAX_PAIRS, sizeof *parts);
    if (!pairs || !least || !parts) return EG_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        const eg_case_fact *a = c->subject, *b = c->candidates[readings[i].candidate];
        size_t several = statement_pairs(c, &readings[i]);
        if (count + several > MAX_PAIRS) break;
        for (size_t k = 0; k < several; k++, count++) {
            reading *r = &parts[count];
            *r = (reading){.candidate = readings[i].candidate,
                           .subject = a->statements[k / statements_of(b)],
                           .other = b->statements[k % statements_of(b)]};
            pairs[count] = in_one_unit(rq, (const eg_case_fact *[]){b, a}, (const eg_span[]){r->other, r->subject});
            least[count] = MIN_SCORE_OF_BOTH;
        }
    }
    eg_status s = read_pairs(services, rq, pairs, least, count, NEVER, parts);
    for (size_t i = 0, at = 0; s == EG_OK && i < n; i++) {
        reading *r = &readings[i], *best = &parts[at];
        size_t several = statement_pairs(c, r);
        if (at + several > count) break;
        for (size_t k = 0; k < several; k++, at++)
            if (parts[at].score > best->score) best = &parts[at];
        if (!several) continue;
        if (best->score < MIN_SCORE_OF_BOTH) {
            r->score = 0;
        } else {
            if (r->score > best->score) best->score = r->score;
            best->same = r->same;
            *r = *best;
        }
    }
    return s;
}

/* Lowers the scores of pairs that may count where other facts are nearer to a text than the pair's
 * other text is (eg_margin). One question to the host for all pairs. */
static eg_status weigh_neighbours(const eg_services *services, eg_request *rq, const eg_case *c, reading *readings, size_t n,
                                  double counts) {
    eg_margin_question *questions = eg_request_array(rq, n, sizeof *questions);
    eg_margin *margins = eg_request_array(rq, n, sizeof *margins);
    size_t asked = 0;
    if (!questions || !margins) return EG_ENOMEM;
    for (size_t i = 0; i < n; i++)
        if (readings[i].score >= counts)
            questions[asked++] = (eg_margin_question){readings[i].candidate, 0, readings[i].subject, readings[i].other};
    eg_status s = asked ? services->neighbour_margins(services->host, rq, c, questions, asked, margins) : EG_OK;
    /* no embedding model, or a case without neighbours: scores stay as read */
    if (s == EG_EUNAVAILABLE) {
        *rq->err = (eg_error){0};
        return EG_OK;
    }
    for (size_t i = 0, k = 0; s == EG_OK && k < asked; i++) {
        reading *r = &readings[i];
        if (r->score < counts) continue;
        double corrected = hubness_corrected(r->score, margins[k++]);
        r->lowered = corrected < r->score;
        r->score = corrected;
    }
    return s;
}

static eg_status report(const finding_sink *to, const reading *r) {
    char how[128], nearer[64] = "";
    if (r->lowered) snprintf(nearer, sizeof nearer, "; lowered to %.2f because other facts are nearer", r->score);
    snprintf(how, sizeof how, "NLI %.2f one way, %.2f the other%s", r->forth, r->back, nearer);
    return report_contradiction(to, r->candidate, r->subject, r->other, r->score, how);
}

/* An empty span stands for the whole content. */
static int overlap(eg_span a, eg_span b) { return a.start == a.end || (a.start < b.end && b.start < a.end); }

/* 1 when an earlier detector says of the same words that both can be true, or that they are the
 * same. */
static int is_excused(const eg_finding *earlier, size_t n, const reading *r) {
    for (size_t i = 0; i < n; i++)
        if (earlier[i].candidate == r->candidate && earlier[i].outcome != EG_OUTCOME_CONTRADICTION &&
            earlier[i].outcome != EG_OUTCOME_UNRELATED && overlap(earlier[i].span_subject, r->subject) &&
            overlap(earlier[i].span_candidate, r->other))
            return 1;
    return 0;
}

eg_status examine_by_thresholds(const eg_services *services, const finding_sink *to) {
    const eg_case *c = to->c;
    eg_request *rq = to->rq;
    uint32_t chosen[MAX_CANDIDATES];
    size_t most = is_in_documents(c) ? MAX_IN_DOCUMENTS : MAX_CANDIDATES;
    size_t n = nearest_candidates(c, least_cosine(services, c), most, needs_context, chosen), unsure = 0;
    double entails = services->threshold(services->host, "entailment", 0.85);
    double counts = services->threshold(services->host, "tier1_nli", MIN_SCORE) - MAX_SHIFT;
    if (counts < MIN_SCORE) counts = MIN_SCORE;
    double asked = is_in_documents(c) ? NEVER : services->threshold(services->host, "tier1_nli_review", NEVER);
    if (asked < counts) counts = asked;
    reading *readings = eg_request_array(rq, n, sizeof *readings);
    if (!readings) return EG_ENOMEM;
    eg_status s = EG_OK;
    for (size_t i = 0; i < n && s == EG_OK; i++) {
        int agree;
        s = report_containment(to, chosen[i], &agree);
        if (!agree) readings[unsure++].candidate = chosen[i];
    }
    if (s == EG_OK) s = read_wholes(services, rq, c, readings, unsure, counts, entails);
    if (s == EG_OK) s = read_statements(services, rq, c, readings, unsure);
    if (s == EG_OK) s = weigh_neighbours(services, rq, c, readings, unsure, counts);
    const eg_finding *earlier = NULL;
    size_t earlier_count = 0;
    if (s == EG_OK) s = services->earlier_findings(services->host, rq, c, &earlier, &earlier_count);
    for (size_t i = 0; s == EG_OK && i < unsure; i++) {
        const reading *r = &readings[i];
        if (r->score >= MIN_SCORE && is_excused(earlier, earlier_count, r)) continue;
        if (r->score >= MIN_SCORE) s = report(to, r);
        else if (r->same >= entails) s = report_same(to, r->candidate, r->subject, r->other, r->same);
        else if (r->score >= asked && !is_excused(earlier, earlier_count, r)) s = report(to, r);
    }
    return s;
}
