/* nli.c - the NLI detector (tier 1): a cross-encoder classifies each pair of facts with the candidate as premise and, unless that
 * decides, with the subject as premise; where a fact has several statements and the pair of facts looks like a contradiction,
 * each pair of statements, too. A contradiction counts from the threshold of the model on ("tier1_nli"), and findings of the
 * rules outweigh it. Called by the host with whole cases; knows no store. Without a model it only finds texts that contain one
 * another. */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "../common/fact_context.h"
#include "engram/plugin.h"

/* The ten nearest candidates are classified. Of the 92 labelled conflicts of the dev scenarios that the first model scored 0.83
 * or higher, 90 are with the nearest earlier fact of their scenario and none is beyond the third; among the facts of all thirty
 * scenarios together none is beyond the ninth. */
enum { MAX_CANDIDATES = 10, CONTRADICTION = 0, ENTAILMENT = 1, LABELS = 3, QUOTED = 110 };
enum { MAX_STATEMENTS = 8 /* of a fact */, MAX_PAIRS = 128 /* of statements, in a case */ };
#define MIN_SCORE 0.5 /* pairs below it are not reported, whatever the threshold is */
#define MAX_SHIFT 0.1 /* by which feedback moves the threshold */
#define NEVER 2.0     /* a threshold above any probability */
/* For facts of several statements, both the pair of facts and the best pair of statements must reach this score: a fact says many
 * things, and a statement alone lacks the context of the others. The higher score counts. Values from 0.6 to 0.8 raise precision
 * and keep recall on both halves of the test scenarios (bench/detection.py). */
#define MIN_SCORE_OF_BOTH 0.7
/* Hubness correction by local scaling, as in CSLS: where another fact is nearer to one of the two texts than they are to each
 * other (eg_margin), they are rarely about the same thing. The logit of the score is lowered by MARGIN_WEIGHT for each unit of
 * margin, of which at most MAX_MARGIN counts on each side. How both were chosen: tools/train/README.md. */
#define MARGIN_WEIGHT 5.0
#define MAX_MARGIN 0.2
#define MAX_PROBABILITY 0.999999 /* above it, the logit of an f32 is mostly rounding */

/* The classification of a candidate: of the two facts, later of the pair of statements with the highest score. */
typedef struct reading {
    uint32_t candidate;
    eg_span subject, other;
    double forth, back; /* probability of contradiction with the candidate as premise, with the subject as premise */
    double score;       /* the mean of both */
    double same;        /* the lower probability of entailment of both directions */
    int lowered;        /* 1: by the hubness correction */
} reading;

/* The nearest candidates, best first. Candidates without an embedding come last if words or claims found them. */
static size_t choose(const eg_case *c, double least, uint32_t *chosen) {
    size_t n = 0;
    for (uint32_t i = 0; i < c->candidate_count; i++) {
        const eg_case_fact *f = c->candidates[i];
        int by_rule = (f->found_by & (EG_FOUND_CLAIM | EG_FOUND_TEXT)) != 0 && f->cosine == 0;
        if (!by_rule && f->cosine < least) continue;
        if (scopes_differ(c->subject->fact, f->fact) && is_context_dependent(c->subject->fact->content) &&
            is_context_dependent(f->fact->content))
            continue;
        size_t at = n < MAX_CANDIDATES ? n : MAX_CANDIDATES - 1;
        if (n == MAX_CANDIDATES && f->cosine <= c->candidates[chosen[at]]->cosine) continue;
        for (; at > 0 && f->cosine > c->candidates[chosen[at - 1]]->cosine; at--) chosen[at] = chosen[at - 1];
        chosen[at] = i;
        if (n < MAX_CANDIDATES) n++;
    }
    return n;
}

static eg_str part(const eg_fact *f, eg_span s) { return (eg_str){f->content.ptr + s.start, s.end - s.start}; }

/* A text for an explanation: cut at a code point. */
static eg_str shortened(eg_str s) {
    if (s.len <= QUOTED) return s;
    size_t n = QUOTED;
    while (n > 0 && ((unsigned char)s.ptr[n] & 0xC0) == 0x80) n--;
    return (eg_str){s.ptr, n};
}

static eg_status report(eg_request *rq, const eg_case *c, const reading *r, eg_status (*add)(void *, const eg_finding *),
                        void *sink) {
    const eg_case_fact *other = c->candidates[r->candidate];
    eg_str a = shortened(part(c->subject->fact, r->subject)), b = shortened(part(other->fact, r->other));
    const char *cut_a = a.len < r->subject.end - r->subject.start ? "..." : "";
    const char *cut_b = b.len < r->other.end - r->other.start ? "..." : "";
    char nearer[64] = "";
    if (r->lowered) snprintf(nearer, sizeof nearer, "; lowered to %.2f because other facts are nearer", r->score);
    eg_str why = eg_request_printf(rq, "\"%.*s%s\" and \"%.*s%s\" cannot both be true (NLI %.2f one way, %.2f the other%s).",
                                   (int)a.len, a.ptr, cut_a, (int)b.len, b.ptr, cut_b, r->forth, r->back, nearer);
    if (!why.ptr) return EG_ENOMEM;
    eg_finding f = {.size = sizeof f,
                    .candidate = r->candidate,
                    .outcome = EG_OUTCOME_CONTRADICTION,
                    .severity = r->score >= 0.85 ? EG_SEVERITY_HIGH : EG_SEVERITY_MEDIUM,
                    .score = r->score,
                    .span_subject = r->subject,
                    .span_candidate = r->other,
                    .tier = EG_STR("tier1_nli"),
                    .explanation = why};
    return add(sink, &f);
}

static eg_status report_same(uint32_t candidate, eg_span subject, eg_span other, double score,
                             eg_status (*add)(void *, const eg_finding *), void *sink) {
    eg_finding f = {.size = sizeof f,
                    .candidate = candidate,
                    .outcome = EG_OUTCOME_CORROBORATION,
                    .score = score,
                    .span_subject = subject,
                    .span_candidate = other,
                    .tier = EG_STR("tier1_nli"),
                    .explanation = EG_STR("One follows from the other.")};
    return add(sink, &f);
}

/* ---- one text within the other: they agree, without a model ---- */

enum { MAX_WORDS = 64, MIN_WORDS = 4 };

static int is_word_byte(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) || c == '_';
}
static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

/* Splits s into words, which point into it. Returns 0 when there are more than MAX_WORDS. */
static size_t split_words(eg_str s, eg_str *words) {
    size_t n = 0;
    for (size_t i = 0; i < s.len;) {
        size_t from = i;
        while (i < s.len && is_word_byte(s.ptr[i])) i++;
        if (i > from) {
            if (n == MAX_WORDS) return 0;
            words[n++] = (eg_str){s.ptr + from, i - from};
        } else {
            i++;
        }
    }
    return n;
}

static int same_word(eg_str a, eg_str b) {
    if (a.len != b.len) return 0;
    for (size_t i = 0; i < a.len; i++)
        if (lower(a.ptr[i]) != lower(b.ptr[i])) return 0;
    return 1;
}

/* 1 for words that can change the meaning of what is before or after them. */
static int changes_meaning(eg_str w) {
    static const char *const words[] = {"not",    "never",   "no",     "unless",  "except", "only", "without",
                                        "until",  "but",     "longer", "was",     "were",   "n",    "t",
                                        "before", "instead", "nor",    "neither", "hardly", "if",   "when"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (same_word(w, eg_str_of(words[i]))) return 1;
    return 0;
}

/* 1 when the words of the shorter text are a contiguous part of the longer one, and no word around them can change their
 * meaning: "Backups are kept for 35 days." and "Backups are kept for 35 days, as the auditors asked." */
static int one_contains_the_other(eg_str x, eg_str y) {
    eg_str a[MAX_WORDS], b[MAX_WORDS];
    size_t na = split_words(x, a), nb = split_words(y, b);
    eg_str *small = na < nb ? a : b, *large = na < nb ? b : a;
    size_t n = na < nb ? na : nb, m = na < nb ? nb : na;
    for (size_t at = 0; n >= MIN_WORDS && at + n <= m; at++) {
        size_t k = 0;
        while (k < n && same_word(small[k], large[at + k])) k++;
        if (k < n) continue;
        for (size_t i = 0; i < m; i++)
            if ((i < at || i >= at + n) && changes_meaning(large[i])) return 0;
        return 1;
    }
    return 0;
}

/* ---- times in one unit ---- */

/* 1 for "30 s", "half an hour"; 0 for "each day", "daily", which are not amounts. */
static int is_amount(eg_str s) {
    if (s.len && s.ptr[0] >= '0' && s.ptr[0] <= '9') return 1;
    eg_str first[MAX_WORDS];
    return split_words(s, first) > 1 && !same_word(first[0], EG_STR("each")) && !same_word(first[0], EG_STR("every"));
}

/* The time in a part of a fact, in milliseconds; 0 unless it is the only one there, exact, and a whole number. */
static int64_t only_time(const eg_case_fact *f, eg_span within, const eg_claim **claim) {
    *claim = NULL;
    for (size_t i = 0; i < f->claim_count; i++) {
        const eg_claim *c = &f->claims[i];
        if (c->value_kind != EG_VALUE_QUANTITY || !eg_str_eq(c->dimension, EG_STR("time"))) continue;
        if (c->span.start < within.start || c->span.end > within.end) continue;
        if (*claim) return 0;
        *claim = c;
    }
    if (!*claim || !is_amount(part(f->fact, (*claim)->span))) return 0;
    eg_decimal v = (*claim)->low, high = (*claim)->high;
    if (v.infinite || v.mantissa <= 0 || v.mantissa != high.mantissa || v.exponent != high.exponent) return 0;
    int64_t ms = v.mantissa;
    for (int e = v.exponent + 3; e != 0; e += e < 0 ? 1 : -1) {
        if (e < 0 ? ms % 10 != 0 : ms > INT64_MAX / 10) return 0;
        ms = e < 0 ? ms / 10 : ms * 10;
    }
    return ms;
}

/* If each of two texts has one time, both times are written in the largest unit that gives whole numbers: the model tells "60
 * minutes" from "15 minutes", but not "one hour". */
static eg_pair in_one_unit(eg_request *rq, const eg_case_fact *const facts[2], const eg_span spans[2]) {
    static const struct {
        int64_t ms;
        const char *name;
    } units[] = {{INT64_C(86400000), "day"}, {3600000, "hour"}, {60000, "minute"}, {1000, "second"}, {1, "millisecond"}};
    const eg_claim *claims[2];
    eg_str texts[2];
    int64_t ms[2];
    for (int i = 0; i < 2; i++) {
        texts[i] = part(facts[i]->fact, spans[i]);
        ms[i] = only_time(facts[i], spans[i], &claims[i]);
    }
    size_t u = 0;
    while (ms[0] && ms[1] && (ms[0] % units[u].ms || ms[1] % units[u].ms)) u++;
    for (int i = 0; i < 2 && ms[0] && ms[1] && ms[0] != ms[1]; i++) {
        uint32_t start = claims[i]->span.start - spans[i].start, end = claims[i]->span.end - spans[i].start;
        int64_t n = ms[i] / units[u].ms;
        eg_str said = eg_request_printf(rq, "%.*s%" PRId64 " %s%s%.*s", (int)start, texts[i].ptr, n, units[u].name,
                                        n == 1 ? "" : "s", (int)(texts[i].len - end), texts[i].ptr + end);
        if (said.ptr) texts[i] = said;
    }
    return (eg_pair){texts[0], texts[1]};
}

/* ---- classification ---- */

static double lesser(double a, double b) { return a < b ? a : b; }

/* Classifies n pairs of texts; pairs[i] has the candidate as premise. The other direction is only computed where it can change
 * the result: where a probability of 1 there would lift the mean to least[i], or where the first one reaches `entails`. So most
 * pairs are classified once, without a change of any result. Fills forth, back, score and same; score and same are 0 where one
 * direction was enough. */
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

/* The number of pairs of statements that are classified for a reading; 0: none, it stays as it is. */
static size_t statement_pairs(const eg_case *c, const reading *r) {
    size_t n = statement_product(c, r);
    return n > 1 && r->score >= MIN_SCORE_OF_BOTH ? n : 0;
}

/* Replaces readings of facts of several statements by their pair of statements with the highest score, in order, until MAX_PAIRS
 * pairs are reached. */
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

/* Lowers the scores of pairs that may count where other facts are nearer to a text than the pair's other text is (eg_margin).
 * One question to the host for all pairs. */
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
    if (s == EG_EUNAVAILABLE) { /* no embedding model, or a case without neighbours: scores stay as read */
        *rq->err = (eg_error){0};
        return EG_OK;
    }
    for (size_t i = 0, k = 0; s == EG_OK && k < asked; i++) {
        reading *r = &readings[i];
        if (r->score < counts) continue;
        const eg_margin *m = &margins[k++];
        double margin = lesser(m->subject, MAX_MARGIN) + lesser(m->candidate, MAX_MARGIN), p = lesser(r->score, MAX_PROBABILITY);
        double odds = p / (1 - p) * exp(-MARGIN_WEIGHT * margin);
        r->lowered = margin > 0;
        if (r->lowered) r->score = odds / (1 + odds);
    }
    return s;
}

static eg_status examine(void *self, const eg_services *services, eg_request *rq, const eg_case *c,
                         eg_status (*add)(void *sink, const eg_finding *finding), void *sink) {
    (void)self;
    uint32_t chosen[MAX_CANDIDATES];
    size_t n = choose(c, services->threshold(services->host, "nli_gate", 0.30), chosen), unsure = 0;
    double entails = services->threshold(services->host, "entailment", 0.85);
    double counts = services->threshold(services->host, "tier1_nli", MIN_SCORE) - MAX_SHIFT;
    if (counts < MIN_SCORE) counts = MIN_SCORE;
    reading *readings = eg_request_array(rq, n, sizeof *readings);
    if (!readings) return EG_ENOMEM;
    eg_status s = EG_OK;
    for (size_t i = 0; i < n && s == EG_OK; i++) {
        const eg_fact *a = c->subject->fact, *b = c->candidates[chosen[i]]->fact;
        if (one_contains_the_other(a->content, b->content))
            s = report_same(chosen[i], (eg_span){0, (uint32_t)a->content.len}, (eg_span){0, (uint32_t)b->content.len}, 1, add,
                            sink);
        else readings[unsure++].candidate = chosen[i];
    }
    if (s == EG_OK) s = read_wholes(services, rq, c, readings, unsure, counts, entails);
    if (s == EG_OK) s = read_statements(services, rq, c, readings, unsure);
    if (s == EG_OK) s = weigh_neighbours(services, rq, c, readings, unsure, counts);
    if (s == EG_EUNAVAILABLE) { /* no NLI model here: `engram status` says why */
        *rq->err = (eg_error){0};
        return EG_OK;
    }
    for (size_t i = 0; s == EG_OK && i < unsure; i++) {
        const reading *r = &readings[i];
        if (r->score >= MIN_SCORE) s = report(rq, c, r, add, sink);
        else if (r->same >= entails) s = report_same(r->candidate, r->subject, r->other, r->same, add, sink);
    }
    return s;
}

static const eg_detector detector = {
    .size = sizeof detector, .order = 100, .budget_ms = 20000, .name = "nli", .version = "2", .examine = examine};

static eg_status open_plugin(const eg_services *services, eg_registrar *registrar, void **self, eg_error *err) {
    (void)err;
    *self = NULL;
    return services->add_detector(registrar, &detector, NULL);
}

static void close_plugin(void *self) { (void)self; }

const eg_plugin *EG_PLUGIN_ENTRY(void) {
    static const eg_plugin plugin = {EG_PLUGIN_HEAD(EG_KIND_DETECTOR, "nli", "1", "Apache-2.0"), .open = open_plugin,
                                     .close = close_plugin};
    return &plugin;
}
