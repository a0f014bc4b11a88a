/* verdict.c - see verdict.h. */
#include "verdict.h"

#include "nearest.h"
#include "units.h"

/* Facts whose cosine is at least this may say the same, or the same of other numbers: they are read
 * whatever the trees say. */
#define MAY_AGREE 0.75
/* So many candidates are read at most, the likeliest by what the first stage says: in a large
 * memory all twelve are near. Of 171 conflicts of the notes of dev 169 are among the first five,
 * 164 among four. */
enum { MAX_OPEN = 5 };
/* So many are read whole, to see whether they say the same. */
enum { MAX_AGREE = 2 };

typedef struct work {
    const verdict *how;
    const eg_services *services;
    const finding_sink *to;
    case_view view;
    double entails, counts; /* from which probability on two texts say the same, contradict */
    unsigned char *open;    /* a pair may still contradict */
    unsigned char *wholes;  /* the facts themselves are read: they may say the same; in documents,
                             * the same of other numbers */
    unsigned char *reads;   /* so many of its pairs of statements are read in the next stage */
    double *sums;           /* what the trees of the last stage say */
} work;

/* The texts of the facts themselves, without what is carried into their statements. */
static const text_pair *whole_in(const pair_view *p) { return p->whole_is_statement ? &p->statements[0] : &p->whole; }
static text_pair *whole_of(pair_view *p) { return p->whole_is_statement ? &p->statements[0] : &p->whole; }

/* 1 when the text is the words of the fact, in which claims have their places. */
static int is_verbatim(const part_view *p) { return !p->statement || !p->statement->alone.len; }

/* The texts of a pair for the model, the candidate as premise. */
static eg_pair texts_of(const work *w, const pair_view *p, const text_pair *t) {
    if (!is_verbatim(t->subject) || !is_verbatim(t->candidate)) return (eg_pair){t->candidate->text, t->subject->text};
    return in_one_unit(w->to->rq, (const eg_case_fact *[]){p->other->f, w->view.subject.f},
                       (const eg_span[]){t->candidate->span, t->subject->span});
}

/* Lists what the model is to read of the pairs: of open ones statements, of those that may agree
 * the facts. */
static size_t list_texts(work *w, text_pair **out, eg_pair *texts, int back) {
    size_t n = 0;
    for (size_t i = 0; i < w->view.count; i++) {
        pair_view *p = &w->view.pairs[i];
        for (size_t k = 0; k <= MAX_READ; k++) {
            text_pair *t = k ? &p->statements[k - 1] : whole_of(p);
            int wanted =
                k ? w->open[i] && k <= w->reads[i] && k <= p->count && !(w->wholes[i] && t == whole_of(p)) : w->wholes[i];
            if (!wanted) continue;
            out[n] = t;
            texts[n] = texts_of(w, p, t);
            if (back) texts[n] = (eg_pair){texts[n].second, texts[n].first};
            n++;
        }
    }
    return n;
}

static eg_status read_texts(work *w, int back) {
    size_t most = w->view.count * (MAX_READ + 1);
    eg_request *rq = w->to->rq;
    text_pair **read = eg_request_array(rq, most, sizeof *read);
    eg_pair *texts = eg_request_array(rq, most, sizeof *texts);
    float *out = eg_request_array(rq, most * LABELS, sizeof *out);
    if (!read || !texts || !out) return EG_ENOMEM;
    size_t n = list_texts(w, read, texts, back);
    eg_status s = n ? w->services->nli(w->services->host, rq, texts, n, out) : EG_OK;
    for (size_t i = 0; s == EG_OK && i < n; i++)
        for (int label = 0; label < LABELS; label++)
            (back ? read[i]->back : read[i]->forth)[label] = (double)out[i * LABELS + (size_t)label];
    return s;
}

/* Asks how near other facts are to the open pairs; one question to the host for all of them. */
static eg_status ask_margins(work *w) {
    eg_request *rq = w->to->rq;
    size_t most = 2 * w->view.count, n = 0;
    eg_margin_question *questions = eg_request_array(rq, most, sizeof *questions);
    eg_margin *answers = eg_request_array(rq, most, sizeof *answers);
    eg_margin **wanted = eg_request_array(rq, most, sizeof *wanted);
    if (!questions || !answers || !wanted) return EG_ENOMEM;
    for (size_t i = 0; i < w->view.count; i++) {
        pair_view *p = &w->view.pairs[i];
        if (!w->open[i]) continue;
        const text_pair *t = &p->statements[0];
        questions[n] = (eg_margin_question){p->candidate, 0, p->whole.subject->span, p->whole.candidate->span};
        wanted[n++] = &p->margins[0];
        if (p->whole_is_statement) continue;
        questions[n] = (eg_margin_question){p->candidate, 0, t->subject->span, t->candidate->span};
        wanted[n++] = &p->margins[1];
    }
    eg_status s = n ? w->services->neighbour_margins(w->services->host, rq, w->to->c, questions, n, answers) : EG_OK;
    if (s == EG_EUNAVAILABLE) { /* no embedding model, or a case without neighbours */
        *rq->err = (eg_error){0};
        return EG_OK;
    }
    for (size_t i = 0; s == EG_OK && i < n; i++) *wanted[i] = answers[i];
    for (size_t i = 0; s == EG_OK && i < w->view.count; i++)
        if (w->view.pairs[i].whole_is_statement) w->view.pairs[i].margins[1] = w->view.pairs[i].margins[0];
    return s;
}

/* How many open pairs are likelier, or come before. */
static size_t rank_of(const work *w, size_t i) {
    size_t before = 0;
    for (size_t k = 0; k < w->view.count; k++)
        before += w->open[k] && (w->sums[k] > w->sums[i] || (k < i && w->sums[k] == w->sums[i]));
    return before;
}

/* The likelier a pair is, the more of its statements are read: `most` of the likeliest, one less of
 * each that follows. Without trees, of all. */
static void share_reading(work *w, size_t most) {
    for (size_t i = 0; i < w->view.count; i++) {
        size_t rank = w->how->trees ? rank_of(w, i) : 0;
        w->reads[i] = (unsigned char)(rank + 1 < most ? most - rank : 1);
    }
}

static void close_unlikely(work *w) {
    unsigned char *open = w->reads; /* filled in afterwards */
    for (size_t i = 0; i < w->view.count; i++) open[i] = w->open[i] && rank_of(w, i) < MAX_OPEN;
    memcpy(w->open, open, w->view.count);
}

/* Closes the pairs that the stage does not let pass. */
static void decide(work *w, size_t stage) {
    for (size_t i = 0; i < w->view.count; i++) {
        pair_view *p = &w->view.pairs[i];
        if (!w->open[i]) continue;
        if (stage != STAGE_CHEAP) features_fill(&w->view, p);
        if (w->how->observer) w->how->observer->saw(w->how->observer->self, &w->view, p, (int)stage);
        if (!w->how->trees) continue;
        w->sums[i] = trees_sum(w->how->trees, stage, p->features);
        w->open[i] = (unsigned char)trees_pass(w->how->trees, stage, w->sums[i]);
    }
    if (stage == STAGE_CHEAP && w->how->trees) close_unlikely(w);
    share_reading(w, stage == STAGE_CHEAP ? MAX_READ : MAX_READ_BACK);
}

/* Between statements of documents that differ in numbers and share so many words the model alone
 * counts from here on: "Added in 19.1" and "Added in 20.0" share too few. */
#define SURE_OF_NUMBERS 0.94
enum { ENOUGH_SHARED = 3 };

/* Words besides numbers and fillers that both have. */
static int shared_words(const word_set *a, const word_set *b) {
    int n = 0;
    for (size_t i = 0; i < a->count; i++)
        n += a->words[i].class != WORD_NUMBER && a->words[i].class != WORD_FILLER && word_set_find(b, a->words[i].hash);
    return n;
}

static int has_other_number(const word_set *a, const word_set *b) {
    for (size_t i = 0; i < a->count; i++)
        if (a->words[i].class == WORD_NUMBER && !word_set_find(b, a->words[i].hash)) return 1;
    return 0;
}

/* 1 for two assertions that are near to each other and each of which has a number that the other
 * lacks. What is carried into a statement from around it is not looked at. */
static int may_differ_in_numbers(const pair_view *p) {
    int other_kind = p->features[FEATURE_KIND_ASSERTION] < 2; /* not where it is unknown */
    const text_pair *t = whole_in(p);
    return !other_kind && t->cosine >= MAY_AGREE && has_other_number(&t->subject->words, &t->candidate->words) &&
           has_other_number(&t->candidate->words, &t->subject->words);
}

/* The same of two statements that name the same option, and need not be as near: one describes it,
 * the other mentions its default. */
#define MAY_NAME_THE_SAME 0.55
#define SURE_OF_OPTIONS 0.8
static int may_differ_about_an_option(const pair_view *p) {
    const text_pair *t = whole_in(p);
    const word_set *a = &t->subject->words, *b = &t->candidate->words;
    if (p->features[FEATURE_KIND_ASSERTION] + p->features[FEATURE_KIND_OPTION] < 2) return 0;
    if (t->cosine < MAY_NAME_THE_SAME || !has_other_number(a, b) || !has_other_number(b, a)) return 0;
    for (size_t i = 0; i < a->count; i++)
        if (a->words[i].class == WORD_IDENTIFIER && word_set_find(b, a->words[i].hash)) return 1;
    return 0;
}

/* An identifier or number that stands in what is carried into one of two statements and nowhere in
 * the other. */
static int has_context_of_its_own(const part_view *whole, const part_view *alone, const part_view *other) {
    for (size_t i = 0; i < alone->words.count; i++) {
        const word *w = &alone->words.words[i];
        if ((w->class == WORD_IDENTIFIER || w->class == WORD_NUMBER) && !word_set_find(&whole->words, w->hash) &&
            !word_set_find(&other->words, w->hash))
            return 1;
    }
    return 0;
}

/* In documents "`http_port`: it is 80" and "`https_port`: it is 443" are said of two things. */
static int are_of_two_things(const work *w, const pair_view *p) {
    if (!is_in_documents(w->view.c)) return 0;
    const text_pair *t = &p->statements[0];
    return has_context_of_its_own(p->whole.subject, t->subject, t->candidate) &&
           has_context_of_its_own(p->whole.candidate, t->candidate, t->subject);
}

static int a_rule_finds(const work *w, const pair_view *p) {
    for (size_t i = 0; i < w->view.rule_count; i++)
        if (w->view.rules[i].candidate == p->candidate && w->view.rules[i].outcome == EG_OUTCOME_CONTRADICTION) return 1;
    return 0;
}

/* One assertion says "not" or "never" where the other does not, and a rule, which wants all other
 * words alike, finds that they contradict each other. No two of 9,700 statements in the
 * documentation of three public projects are such a pair: it is hardly written by chance. */
static int is_denied(const work *w, const pair_view *p) {
    const text_pair *t = whole_in(p);
    int one = (t->subject->words.marks & MARK_NEGATION) != 0, other = (t->candidate->words.marks & MARK_NEGATION) != 0;
    int other_kind = p->features[FEATURE_KIND_ASSERTION] < 2; /* not where it is unknown */
    return is_in_documents(w->view.c) && one != other && !other_kind && t->cosine >= MAY_AGREE &&
           p->features[FEATURE_RULE_BOTH_VALID] <= 0 && !are_of_two_things(w, p) && a_rule_finds(w, p);
}

/* The trees for documents learned from what projects replaced, where few sentences are short and
 * differ in a number alone: of "The timeout is 30 minutes" and "45 minutes" in two files they think
 * little. So between two assertions in documents with other numbers, what the model says counts
 * where it is sure, or a rule finds the same. Of names and words it is too sure: in public
 * documentation they are mostly those of two options that are described alike. From which score on;
 * 0: it does not count. The same holds where one denies the other. */
static double least_of_numbers(const work *w, const pair_view *p) {
    if (is_denied(w, p)) return SURE_OF_NUMBERS;
    int option = may_differ_about_an_option(p);
    if (!(option || may_differ_in_numbers(p)) || p->features[FEATURE_RULE_BOTH_VALID] > 0 || are_of_two_things(w, p)) return 0;
    if (a_rule_finds(w, p)) return w->counts;
    /* three or more alike are mostly about as many things */
    if (p->features[FEATURE_PARALLEL] > 0) return 0;
    if (option) return SURE_OF_OPTIONS;
    const text_pair *t = whole_in(p);
    return shared_words(&t->subject->words, &t->candidate->words) >= ENOUGH_SHARED ? SURE_OF_NUMBERS : 0;
}

/* What the model says of two statements of documents that differ in numbers or a "not", or 0. */
static double of_numbers(const work *w, const pair_view *p) {
    const text_pair *t = whole_in(p);
    double least = is_in_documents(w->view.c) && t->forth[CONTRADICTION] >= 0 ? least_of_numbers(w, p) : 0;
    double score = least > 0 ? mean_of(t, CONTRADICTION) : 0;
    return score >= least ? score : 0;
}

static int may_say_the_same(const work *w, const pair_view *p) {
    return w->how->trees && (p->whole_is_statement || p->reads_whole) && p->whole.cosine >= MAY_AGREE;
}

static eg_status begin(work *w) {
    eg_status s = features_begin(w->how->cache, w->services, w->to->rq, w->to->c, &w->view);
    if (s != EG_OK) return s;
    size_t n = w->view.count;
    w->open = eg_request_array(w->to->rq, n, 1);
    w->wholes = eg_request_array(w->to->rq, n, 1);
    w->reads = eg_request_array(w->to->rq, n, 1);
    w->sums = eg_request_array(w->to->rq, n, sizeof *w->sums);
    if (!w->open || !w->wholes || !w->reads || !w->sums) return EG_ENOMEM;
    size_t may_agree = 0;
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        pair_view *p = &w->view.pairs[i];
        int agree;
        s = report_containment(w->to, p->candidate, &agree);
        w->open[i] = !agree && !are_of_two_things(w, p);
        int wanted = is_in_documents(w->to->c) ? least_of_numbers(w, p) > 0 : may_agree < MAX_AGREE && may_say_the_same(w, p);
        w->wholes[i] = !agree && wanted;
        may_agree += w->wholes[i];
    }
    return s;
}

/* What the model says of two facts of one statement each, without the trees; 0: it is not asked.
 * The trees learn mostly from longer facts. Of the single ones of the scenarios of dev they find 37
 * of 137 with 6 false positives, this 57 with 11, both together 64 with 12; of those of contrast
 * sets 15 of 111, 44 and 46 with 1, 2 and 3 (tools/train/README.md). */
static double without_trees(const work *w, const pair_view *p) {
    if (is_in_documents(w->view.c) || !p->whole_is_statement || p->features[FEATURE_RULE_BOTH_VALID] > 0 ||
        needs_context(w->view.c, p->candidate))
        return 0;
    double score = mean_of(&p->statements[0], CONTRADICTION);
    return p->margins[0].subject < 0 ? score : hubness_corrected(score, p->margins[0]);
}

static eg_status report(const work *w, size_t i) {
    const pair_view *p = &w->view.pairs[i];
    const text_pair *t = &p->statements[0], *whole = whole_in(p);
    double numbers = of_numbers(w, p);
    if (w->open[i] || numbers > 0) {
        double probability = w->open[i] ? trees_probability(w->how->trees, STAGE_BACK, w->sums[i]) : 0;
        double alone = without_trees(w, p);
        if (numbers > alone) alone = numbers;
        if (alone >= w->counts && alone > probability) probability = alone;
        char how[64];
        snprintf(how, sizeof how, "probability %.2f", probability);
        return report_contradiction(w->to, p->candidate, t->subject->span, t->candidate->span, probability, how);
    }
    double same = whole->back[ENTAILMENT] < whole->forth[ENTAILMENT] ? whole->back[ENTAILMENT] : whole->forth[ENTAILMENT];
    if (!w->wholes[i] || same < w->entails) return EG_OK;
    return report_same(w->to, p->candidate, p->whole.subject->span, p->whole.candidate->span, same > 1 ? 1 : same);
}

eg_status verdict_examine(const verdict *how, const eg_services *services, const finding_sink *to) {
    work *w = eg_request_array(to->rq, 1, sizeof *w);
    if (!w) return EG_ENOMEM;
    *w = (work){.how = how, .services = services, .to = to};
    w->entails = services->threshold(services->host, "entailment", 0.85);
    w->counts = services->threshold(services->host, "tier1_nli", 0.8);
    eg_status s = to->c->candidate_count ? begin(w) : EG_OK;
    if (s == EG_OK) decide(w, STAGE_CHEAP);
    if (how->stages == STAGE_FORTH) return s;
    if (s == EG_OK) s = ask_margins(w);
    if (s == EG_OK) s = read_texts(w, 0);
    if (s != EG_OK) return s;
    decide(w, STAGE_FORTH);
    for (size_t i = 0; i < w->view.count; i++) {
        const text_pair *t = whole_of(&w->view.pairs[i]);
        int goes_on = is_in_documents(w->view.c) ? t->forth[CONTRADICTION] >= w->counts : t->forth[ENTAILMENT] >= w->entails;
        w->wholes[i] = w->wholes[i] && goes_on;
    }
    s = read_texts(w, 1);
    if (s != EG_OK) return s;
    decide(w, STAGE_BACK);
    for (size_t i = 0; s == EG_OK && i < w->view.count && how->trees; i++) s = report(w, i);
    return s;
}
