/* nli.c - the NLI detector (tier 1): a cross-encoder reads each pair of facts in both directions. Its score is a
 * signal: the least score that counts stands beside the model ("tier1_nli"), and rules of lower tiers outweigh it.
 * Called by the host with whole cases; sees no store. Without a model it finds nothing. */
#include <stdlib.h>

#include "engram/plugin.h"

enum { MOST_CANDIDATES = 24, CONTRADICTION = 0, ENTAILMENT = 1, LABELS = 3, QUOTED = 110 };
#define LEAST_SCORE 0.5 /* below it a pair is not worth a finding, whatever the threshold */

/* A pair of texts to read: the whole facts, or the two statements that are about the same thing. */
typedef struct reading {
    uint32_t candidate;
    eg_span subject, other;
} reading;

/* The nearest candidates, best first; how the host found a candidate without a vector does not tell its nearness. */
static size_t choose(const eg_case *c, double least, uint32_t *chosen) {
    size_t n = 0;
    for (uint32_t i = 0; i < c->candidate_count; i++) {
        const eg_case_fact *f = c->candidates[i];
        int by_rule = (f->found_by & (EG_FOUND_CLAIM | EG_FOUND_TEXT)) != 0 && f->cosine == 0;
        if (!by_rule && f->cosine < least) continue;
        size_t at = n < MOST_CANDIDATES ? n : MOST_CANDIDATES - 1;
        if (n == MOST_CANDIDATES && f->cosine <= c->candidates[chosen[at]]->cosine) continue;
        for (; at > 0 && f->cosine > c->candidates[chosen[at - 1]]->cosine; at--) chosen[at] = chosen[at - 1];
        chosen[at] = i;
        if (n < MOST_CANDIDATES) n++;
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

static eg_status report(eg_request *rq, const eg_case *c, const reading *r, double score, double forth, double back,
                        eg_status (*add)(void *, const eg_finding *), void *sink) {
    const eg_case_fact *other = c->candidates[r->candidate];
    eg_str a = shortened(part(c->subject->fact, r->subject)), b = shortened(part(other->fact, r->other));
    const char *cut_a = a.len < r->subject.end - r->subject.start ? "..." : "";
    const char *cut_b = b.len < r->other.end - r->other.start ? "..." : "";
    eg_str why = eg_request_printf(rq, "\"%.*s%s\" and \"%.*s%s\" cannot both be true (NLI %.2f one way, %.2f the other).",
                                   (int)a.len, a.ptr, cut_a, (int)b.len, b.ptr, cut_b, forth, back);
    if (!why.ptr) return EG_ENOMEM;
    eg_finding f = {.size = sizeof f, .candidate = r->candidate, .outcome = EG_CONTRADICTION,
                    .severity = score >= 0.85 ? EG_HIGH : EG_MEDIUM, .score = score,
                    .span_subject = r->subject, .span_candidate = r->other,
                    .tier = EG_STR("tier1_nli"), .explanation = why};
    return add(sink, &f);
}

static eg_status report_same(const reading *r, double score, eg_status (*add)(void *, const eg_finding *), void *sink) {
    eg_finding f = {.size = sizeof f, .candidate = r->candidate, .outcome = EG_CORROBORATION, .score = score,
                    .span_subject = r->subject, .span_candidate = r->other, .tier = EG_STR("tier1_nli"),
                    .explanation = EG_STR("One follows from the other.")};
    return add(sink, &f);
}

/* ---- one text within the other: no model is needed to see that they agree ---- */

enum { MAX_WORDS = 64, LEAST_WORDS = 4 };

static int is_word_byte(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) || c == '_';
}
static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

/* Words as views; 0 when there are more than MAX_WORDS. */
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

/* Words that can turn round what stands before or after them. */
static int turns_meaning(eg_str w) {
    static const char *const words[] = {"not", "never", "no", "unless", "except", "only", "without", "until", "but", "longer", "was", "were",
                                        "n", "t", "before", "instead", "nor", "neither", "hardly", "if", "when"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (same_word(w, eg_str_of(words[i]))) return 1;
    return 0;
}

/* 1 when all words of the shorter text stand one after the other in the longer one, and nothing around them can turn their
 * meaning: "Backups are kept for 35 days." and "Backups are kept for 35 days, as the auditors asked." */
static int one_holds_the_other(eg_str x, eg_str y) {
    eg_str a[MAX_WORDS], b[MAX_WORDS];
    size_t na = split_words(x, a), nb = split_words(y, b);
    eg_str *small = na < nb ? a : b, *large = na < nb ? b : a;
    size_t n = na < nb ? na : nb, m = na < nb ? nb : na;
    for (size_t at = 0; n >= LEAST_WORDS && at + n <= m; at++) {
        size_t k = 0;
        while (k < n && same_word(small[k], large[at + k])) k++;
        if (k < n) continue;
        for (size_t i = 0; i < m; i++)
            if ((i < at || i >= at + n) && turns_meaning(large[i])) return 0;
        return 1;
    }
    return 0;
}

static eg_status examine(void *self, const eg_services *services, eg_request *rq, const eg_case *c,
                         eg_status (*add)(void *sink, const eg_finding *finding), void *sink) {
    (void)self;
    uint32_t chosen[MOST_CANDIDATES];
    size_t n = choose(c, services->threshold(services->host, "nli_gate", 0.30), chosen);
    if (n == 0) return EG_OK;
    reading *readings = eg_request_array(rq, n, sizeof *readings);
    eg_pair *pairs = eg_request_array(rq, 2 * n, sizeof *pairs);
    float *p = eg_request_array(rq, 2 * n * LABELS, sizeof *p);
    if (!readings || !pairs || !p) return EG_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        const eg_fact *a = c->subject->fact, *b = c->candidates[chosen[i]]->fact;
        readings[i] = (reading){chosen[i], {0, (uint32_t)a->content.len}, {0, (uint32_t)b->content.len}};
        pairs[2 * i] = (eg_pair){b->content, a->content};
        pairs[2 * i + 1] = (eg_pair){a->content, b->content};
    }
    eg_status s = services->nli(services->host, rq, pairs, 2 * n, p);
    if (s == EG_ENOENT) return EG_OK; /* no model: status says so */
    double entails = services->threshold(services->host, "entailment", 0.85);
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        const float *forth = p + 2 * i * LABELS, *back = forth + LABELS;
        double score = ((double)forth[CONTRADICTION] + (double)back[CONTRADICTION]) / 2;
        double same = forth[ENTAILMENT] < back[ENTAILMENT] ? (double)forth[ENTAILMENT] : (double)back[ENTAILMENT];
        if (score > 1) score = 1;
        int agree = one_holds_the_other(c->subject->fact->content, c->candidates[chosen[i]]->fact->content);
        if (score >= LEAST_SCORE && !agree)
            s = report(rq, c, &readings[i], score, (double)forth[CONTRADICTION], (double)back[CONTRADICTION], add, sink);
        else if (agree || same >= entails)
            s = report_same(&readings[i], agree || same > 1 ? 1 : same, add, sink);
    }
    return s;
}

static const eg_detector detector = {.size = sizeof detector, .order = 100, .budget_ms = 20000, .name = "nli",
                                     .version = "1", .examine = examine};

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
