/* features.c - see features.h. */
#include "features.h"

#include <math.h>

#include "../common/compare_values.h"
#include "../common/fact_context.h"
#include "nearest.h"

enum {
    MAX_CANDIDATES = 12,
    /* Facts up to this length are read whole, besides their statements. */
    MAX_WHOLE = 400
};
/* Facts this near to each other are copies, or parallel sentences about two things. */
#define COPY 0.9
/* The weight of shared words beside the cosine when pairs of statements are chosen. */
#define WEIGHT_OF_WORDS 0.25

const char *const feature_names[FEATURE_COUNT] = {
#define NAME_OF(id, name) name,
    FEATURES(NAME_OF)
#undef NAME_OF
};

static double lesser(double a, double b) { return a < b ? a : b; }
static double greater(double a, double b) { return a > b ? a : b; }

/* ---- words ---- */

/* How much a word tells: the fewer of the facts of the case have it, the more. A case of few facts
 * counts as a full one: in a store of two facts a shared word tells as much as elsewhere. */
static void weigh_words(const case_view *v, word_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        word *w = &set->words[i];
        double having = word_set_find(&v->subject.whole.words, w->hash) != NULL;
        for (size_t k = 0; k < v->count; k++) having += word_set_find(&v->others[k].whole.words, w->hash) != NULL;
        w->weight = w->class == WORD_FILLER ? 0 : (float)log((MAX_CANDIDATES + 2) / (having + 0.5));
    }
}

static void weigh_fact(const case_view *v, fact_view *f) {
    weigh_words(v, &f->whole.words);
    for (size_t i = 0; i < f->count && f->parts != &f->whole; i++) weigh_words(v, &f->parts[i].words);
}

/* One side of a comparison of two sets of words. */
typedef struct words_only {
    double weight, rarest;
    int count, numbers, identifiers;
    uint32_t first; /* where the first of them stands */
} words_only;
typedef struct words_shared {
    double weight, rarest;
    int numbers, identifiers;
} words_shared;

static void compare_words(const word_set *a, const word_set *b, words_only *only, words_shared *shared) {
    for (size_t i = 0; i < a->count; i++) {
        const word *w = &a->words[i];
        double weight = (double)w->weight;
        if (w->class == WORD_FILLER) continue;
        int number = w->class == WORD_NUMBER, identifier = w->class == WORD_IDENTIFIER;
        if (word_set_find(b, w->hash)) {
            if (!shared) continue;
            shared->weight += weight;
            shared->rarest = greater(shared->rarest, weight);
            shared->numbers += number;
            shared->identifiers += identifier;
        } else {
            if (!only->count || w->place < only->first) only->first = w->place;
            only->weight += weight;
            only->rarest = greater(only->rarest, weight);
            only->count++;
            only->numbers += number;
            only->identifiers += identifier;
        }
    }
}

static double ratio(double shared, double only_a, double only_b) {
    double all = shared + only_a + only_b;
    return all > 0 ? shared / all : 0;
}

/* ---- pairs of statements ---- */

static double cosine_of(const case_view *v, const part_view *a, const part_view *b) {
    if (!a->vector || !b->vector) return NAN;
    return (double)v->services->dot(v->services->host, a->vector, b->vector, v->dimensions);
}

static text_pair pair_of(const case_view *v, const part_view *subject, const part_view *candidate) {
    return (text_pair){.subject = subject,
                       .candidate = candidate,
                       .cosine = cosine_of(v, subject, candidate),
                       .forth = {-1, -1, -1},
                       .back = {-1, -1, -1}};
}

/* The pairs of statements that are about the same thing, as far as nearness and words tell: at most
 * MAX_READ, best first. */
static void choose_statements(const case_view *v, pair_view *p) {
    double scores[MAX_READ];
    for (size_t i = 0; i < v->subject.count; i++)
        for (size_t k = 0; k < p->other->count; k++) {
            text_pair t = pair_of(v, &v->subject.parts[i], &p->other->parts[k]);
            words_only here = {0}, there = {0};
            words_shared shared = {0};
            compare_words(&t.subject->words, &t.candidate->words, &here, &shared);
            compare_words(&t.candidate->words, &t.subject->words, &there, NULL);
            double score = (isnan(t.cosine) ? 0 : t.cosine) + WEIGHT_OF_WORDS * ratio(shared.weight, here.weight, there.weight);
            if (p->count == MAX_READ && score <= scores[MAX_READ - 1]) continue;
            size_t at = p->count < MAX_READ ? p->count++ : MAX_READ - 1;
            for (; at > 0 && score > scores[at - 1]; at--) {
                scores[at] = scores[at - 1];
                p->statements[at] = p->statements[at - 1];
            }
            scores[at] = score;
            p->statements[at] = t;
        }
}

double mean_of(const text_pair *t, int label) {
    if (t->forth[label] < 0) return -1;
    return t->back[label] < 0 ? t->forth[label] : (t->forth[label] + t->back[label]) / 2;
}

/* How likely a pair of statements is to disagree. What was read in both orders comes before the
 * rest, which was not found worth it. */
static double standing_of(const text_pair *t) { return mean_of(t, CONTRADICTION) + (t->back[CONTRADICTION] >= 0); }

/* After the model has read them, the statements that disagree most come first. */
static void sort_statements(pair_view *p) {
    for (size_t i = 1; i < p->count; i++) {
        text_pair t = p->statements[i];
        size_t at = i;
        for (; at > 0 && standing_of(&t) > standing_of(&p->statements[at - 1]); at--) p->statements[at] = p->statements[at - 1];
        p->statements[at] = t;
    }
}

/* ---- the numbers ---- */

static int bits(uint32_t x) { return __builtin_popcount(x); }

static void put(pair_view *p, feature f, double x) { p->features[f] = (float)x; }
static void put_two(pair_view *p, feature least, feature most, double a, double b) {
    put(p, least, lesser(a, b));
    put(p, most, greater(a, b));
}

static void put_nearness(const case_view *v, pair_view *p) {
    const eg_case_fact *f = p->other->f;
    double best = f->cosine, nearer = 0, nearer_to_candidate = 0, parallel = 0;
    for (size_t i = 0; i < v->count; i++) {
        const fact_view *third = &v->others[i];
        if (third == p->other) continue;
        double cosine = third->f->cosine, to_candidate = cosine_of(v, &third->whole, &p->other->whole);
        int copies = (cosine_of(v, &third->whole, &v->subject.whole) >= COPY) + (to_candidate >= COPY);
        parallel += copies == 2;
        if (copies) continue;
        best = greater(best, cosine);
        nearer += cosine > f->cosine;
        nearer_to_candidate += to_candidate > p->whole.cosine;
    }
    put(p, FEATURE_COSINE, f->cosine);
    put(p, FEATURE_COSINE_WHOLE, p->whole.cosine);
    put(p, FEATURE_COSINE_PAIR, p->statements[0].cosine);
    put(p, FEATURE_COSINE_SECOND, p->count > 1 ? p->statements[1].cosine : NAN);
    put(p, FEATURE_RANK_CANDIDATE, nearer);
    put(p, FEATURE_RANK_SUBJECT, nearer_to_candidate);
    put(p, FEATURE_LEAD, best - f->cosine);
    put(p, FEATURE_PARALLEL, parallel);
    put(p, FEATURE_CANDIDATES, (double)v->count);
    put(p, FEATURE_IN_DOCUMENTS, is_in_documents(v->c));
    for (int i = 0; i < 2; i++) {
        int known = p->margins[i].subject >= 0;
        put_two(p, i ? FEATURE_MARGIN_PAIR_LEAST : FEATURE_MARGIN_WHOLE_LEAST,
                i ? FEATURE_MARGIN_PAIR_MOST : FEATURE_MARGIN_WHOLE_MOST, known ? p->margins[i].subject : (double)NAN,
                known ? p->margins[i].candidate : (double)NAN);
    }
}

static double first_of(const words_only *only, const word_set *words) {
    return only->count && words->total ? (double)only->first / (double)words->total : 1;
}

static void put_words(const case_view *v, pair_view *p) {
    const part_view *a = &v->subject.whole, *b = &p->other->whole;
    words_only here = {0}, there = {0};
    words_shared shared = {0};
    compare_words(&a->words, &b->words, &here, &shared);
    compare_words(&b->words, &a->words, &there, NULL);
    put(p, FEATURE_WHOLE_SHARED, shared.weight);
    put_two(p, FEATURE_WHOLE_ONLY_LEAST, FEATURE_WHOLE_ONLY_MOST, here.weight, there.weight);
    put(p, FEATURE_WHOLE_RATIO, ratio(shared.weight, here.weight, there.weight));
    put(p, FEATURE_WHOLE_NUMBERS_SHARED, shared.numbers);
    put(p, FEATURE_WHOLE_IDENTIFIERS_SHARED, shared.identifiers);
    put(p, FEATURE_WHOLE_ENVIRONMENTS_SHARED, bits(a->words.environments & b->words.environments));
    put(p, FEATURE_WHOLE_ENVIRONMENTS_ONE_SIDE, bits(a->words.environments ^ b->words.environments));
    put_two(p, FEATURE_WORDS_LEAST, FEATURE_WORDS_MOST, a->words.total, b->words.total);

    a = p->statements[0].subject, b = p->statements[0].candidate;
    here = there = (words_only){0};
    shared = (words_shared){0};
    compare_words(&a->words, &b->words, &here, &shared);
    compare_words(&b->words, &a->words, &there, NULL);
    put(p, FEATURE_PAIR_SHARED, shared.weight);
    put_two(p, FEATURE_PAIR_ONLY_LEAST, FEATURE_PAIR_ONLY_MOST, here.weight, there.weight);
    put(p, FEATURE_PAIR_RATIO, ratio(shared.weight, here.weight, there.weight));
    put(p, FEATURE_PAIR_RAREST_SHARED, shared.rarest);
    put_two(p, FEATURE_PAIR_RAREST_ONLY_LEAST, FEATURE_PAIR_RAREST_ONLY_MOST, here.rarest, there.rarest);
    put_two(p, FEATURE_PAIR_COUNT_ONLY_LEAST, FEATURE_PAIR_COUNT_ONLY_MOST, here.count, there.count);
    put_two(p, FEATURE_PAIR_FIRST_ONLY_LEAST, FEATURE_PAIR_FIRST_ONLY_MOST, first_of(&here, &a->words),
            first_of(&there, &b->words));
    put(p, FEATURE_PAIR_HEADS,
        (word_set_find(&b->words, a->words.head) != NULL) + (word_set_find(&a->words, b->words.head) != NULL));
    put(p, FEATURE_PAIR_NUMBERS_SHARED, shared.numbers);
    put_two(p, FEATURE_PAIR_NUMBERS_ONLY_LEAST, FEATURE_PAIR_NUMBERS_ONLY_MOST, here.numbers, there.numbers);
    put(p, FEATURE_PAIR_IDENTIFIERS_SHARED, shared.identifiers);
    put_two(p, FEATURE_PAIR_IDENTIFIERS_ONLY_LEAST, FEATURE_PAIR_IDENTIFIERS_ONLY_MOST, here.identifiers, there.identifiers);
    put(p, FEATURE_PAIR_ENVIRONMENTS_SHARED, bits(a->words.environments & b->words.environments));
    put(p, FEATURE_PAIR_ENVIRONMENTS_ONE_SIDE, bits(a->words.environments ^ b->words.environments));
    put_two(p, FEATURE_PAIR_WORDS_LEAST, FEATURE_PAIR_WORDS_MOST, a->words.total, b->words.total);
}

static int sides(const text_pair *t, uint32_t mark) {
    return ((t->subject->words.marks & mark) != 0) + ((t->candidate->words.marks & mark) != 0);
}

static size_t segments(eg_str scope) {
    size_t n = scope.len > 0;
    for (size_t i = 0; i < scope.len; i++) n += scope.ptr[i] == '/';
    return n;
}

/* Segments at the beginning of both. */
static size_t segments_in_common(eg_str a, eg_str b) {
    size_t n = 0;
    for (size_t i = 0;; i++) {
        int end_a = i >= a.len || a.ptr[i] == '/', end_b = i >= b.len || b.ptr[i] == '/';
        if (end_a && end_b && i > 0) n++;
        if (i >= a.len || i >= b.len || a.ptr[i] != b.ptr[i]) return n;
    }
}

static void put_form(const case_view *v, pair_view *p) {
    const text_pair *t = &p->statements[0];
    const eg_fact *a = v->subject.f->fact, *b = p->other->f->fact;
    put(p, FEATURE_NEGATIONS, sides(t, MARK_NEGATION));
    put(p, FEATURE_PAST_SUBJECT, (t->subject->words.marks & MARK_PAST) != 0);
    put(p, FEATURE_PAST_CANDIDATE, (t->candidate->words.marks & MARK_PAST) != 0);
    put(p, FEATURE_PLANS, sides(t, MARK_PLAN));
    put(p, FEATURE_CONDITIONS, sides(t, MARK_CONDITION));
    put(p, FEATURE_UNIVERSALS, sides(t, MARK_UNIVERSAL));
    put(p, FEATURE_OBLIGATIONS, sides(t, MARK_OBLIGATION));
    put_two(p, FEATURE_STATEMENTS_LEAST, FEATURE_STATEMENTS_MOST, (double)v->subject.f->statement_count,
            (double)p->other->f->statement_count);
    put(p, FEATURE_PAIR_FIRST, (t->subject->place == 0) + (t->candidate->place == 0));
    put(p, FEATURE_CONTEXT_DEPENDENT, is_context_dependent(t->subject->text) + is_context_dependent(t->candidate->text));
    size_t common = segments_in_common(a->scope, b->scope);
    put(p, FEATURE_SCOPE_COMMON, (double)common);
    put(p, FEATURE_SCOPE_BELOW, (double)(segments(a->scope) + segments(b->scope) - 2 * common));
    put(p, FEATURE_SCOPE_APART, scopes_differ(a, b));
}

/* On how many sides of the pair a statement is of one of these kinds, as bits; NaN: nobody said of
 * which they are. */
static double of_kinds(const text_pair *t, uint32_t kinds) {
    const eg_statement *a = t->subject->statement, *b = t->candidate->statement;
    return a && b ? (double)((kinds >> (a->kind & 31) & 1) + (kinds >> (b->kind & 31) & 1)) : (double)NAN;
}

static void put_kinds(pair_view *p) {
    const text_pair *t = &p->statements[0];
    put(p, FEATURE_KIND_ASSERTION, of_kinds(t, 1u << EG_STATEMENT_ASSERTION));
    put(p, FEATURE_KIND_INSTRUCTION, of_kinds(t, 1u << EG_STATEMENT_INSTRUCTION | 1u << EG_STATEMENT_STEP));
    put(p, FEATURE_KIND_PROHIBITION, of_kinds(t, 1u << EG_STATEMENT_PROHIBITION));
    put(p, FEATURE_KIND_OPTION, of_kinds(t, 1u << EG_STATEMENT_OPTION));
    put(p, FEATURE_KIND_HISTORY, of_kinds(t, 1u << EG_STATEMENT_HISTORY));
    put(p, FEATURE_KIND_PROPOSAL, of_kinds(t, 1u << EG_STATEMENT_PROPOSAL | 1u << EG_STATEMENT_ALTERNATIVE));
    put(p, FEATURE_KIND_NO_CLAIM,
        of_kinds(t, 1u << EG_STATEMENT_EXAMPLE | 1u << EG_STATEMENT_QUESTION | 1u << EG_STATEMENT_ASIDE |
                        1u << EG_STATEMENT_PLACEHOLDER | 1u << EG_STATEMENT_HEADER_FIELD));
    put(p, FEATURE_COMPLETED,
        (t->subject->statement && t->subject->statement->alone.len > 0) +
            (t->candidate->statement && t->candidate->statement->alone.len > 0));
}

static int within(eg_span inner, eg_span outer) { return inner.start >= outer.start && inner.end <= outer.end; }

static void put_values(const case_view *v, pair_view *p) {
    const eg_case_fact *a = v->subject.f, *b = p->other->f;
    eg_span here = p->statements[0].subject->span, there = p->statements[0].candidate->span;
    int counts[2][VALUES_CONFLICT + 1] = {{0}}, attributes = 0;
    for (size_t i = 0; i < a->claim_count; i++)
        for (size_t k = 0; k < b->claim_count; k++) {
            const eg_claim *x = &a->claims[i], *y = &b->claims[k];
            int in_pair = within(x->span, here) && within(y->span, there);
            value_relation r = values_compare(x, y);
            counts[in_pair][r]++;
            attributes += in_pair && x->attribute.len && eg_str_eq(x->attribute, y->attribute);
        }
    put(p, FEATURE_PAIR_VALUES_SAME, counts[1][VALUES_SAME]);
    put(p, FEATURE_PAIR_VALUES_COMPATIBLE, counts[1][VALUES_COMPATIBLE]);
    put(p, FEATURE_PAIR_VALUES_CONFLICT, counts[1][VALUES_CONFLICT]);
    put(p, FEATURE_PAIR_ATTRIBUTES_SHARED, attributes);
    put(p, FEATURE_WHOLE_VALUES_SAME, counts[0][VALUES_SAME] + counts[1][VALUES_SAME]);
}

/* An empty span stands for the whole content. */
static int overlaps(eg_span a, eg_span b) { return a.start == a.end || (a.start < b.end && b.start < a.end); }

static void put_rules(const case_view *v, pair_view *p) {
    double same = 0, both_valid = 0, update = 0;
    int in_pair = 0;
    for (size_t i = 0; i < v->rule_count; i++) {
        const eg_finding *f = &v->rules[i];
        if (f->candidate != p->candidate) continue;
        if (f->outcome == EG_OUTCOME_CORROBORATION) same = greater(same, f->score);
        if (f->outcome == EG_OUTCOME_BOTH_VALID) both_valid = greater(both_valid, f->score);
        if (f->outcome == EG_OUTCOME_UPDATE) update = greater(update, f->score);
        in_pair |= overlaps(f->span_subject, p->statements[0].subject->span) &&
                   overlaps(f->span_candidate, p->statements[0].candidate->span);
    }
    put(p, FEATURE_RULE_SAME, same);
    put(p, FEATURE_RULE_BOTH_VALID, both_valid);
    put(p, FEATURE_RULE_UPDATE, update);
    put(p, FEATURE_RULE_IN_PAIR, in_pair);
}

static double logarithm(double probability) { return probability < 0 ? NAN : log(probability + 1e-6); }
static double mean_logarithm(const text_pair *t, int label) {
    return t->back[label] < 0 ? NAN : (logarithm(t->forth[label]) + logarithm(t->back[label])) / 2;
}

/* From which share of common words on two statements are of one family. */
#define ALIKE 0.6

/* What differs from each candidate, and which others are as like. */
static void compare_changes(case_view *v) {
    if (!is_in_documents(v->c)) return;
    for (size_t i = 0; i < v->count; i++)
        v->pairs[i].changes = changes_between(v->subject.f->fact->content, v->pairs[i].other->f->fact->content);
    for (size_t i = 0; i < v->count; i++)
        for (size_t k = 0; k < v->count; k++) {
            if (k == i) continue;
            v->pairs[i].rival = greater(v->pairs[i].rival, v->pairs[k].changes.kept);
            v->pairs[i].family += v->pairs[k].changes.kept >= ALIKE;
        }
}

static void put_changes(const case_view *v, pair_view *p) {
    const text_changes *c = &p->changes;
    int known = is_in_documents(v->c);
    const struct {
        feature to;
        double value;
    } all[] = {{FEATURE_CHANGE_KEPT, c->kept},
               {FEATURE_CHANGE_LEAD, c->lead},
               {FEATURE_CHANGE_TAIL, c->tail},
               {FEATURE_CHANGE_SWAPS, c->swaps},
               {FEATURE_CHANGE_INSERTS, c->inserts},
               {FEATURE_CHANGE_LEAST, c->least},
               {FEATURE_CHANGE_MOST, c->most},
               {FEATURE_CHANGE_ADDED, c->added},
               {FEATURE_CHANGE_NUMBERS, c->numbers},
               {FEATURE_CHANGE_NAMES, c->names},
               {FEATURE_CHANGE_SPELLINGS, c->spellings},
               {FEATURE_CHANGE_NEGATIONS, c->negations},
               {FEATURE_CHANGE_RIVAL, p->rival},
               {FEATURE_CHANGE_FAMILY, p->family},
               {FEATURE_CONTEXT_KEPT,
                known ? changes_between(p->statements[0].subject->text, p->statements[0].candidate->text).kept : 0}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) put(p, all[i].to, known ? all[i].value : (double)NAN);
}

static void put_model(pair_view *p) {
    static const text_pair unread = {.forth = {-1, -1, -1}, .back = {-1, -1, -1}};
    const text_pair *whole = p->whole_is_statement ? &p->statements[0] : &p->whole, *pair = &p->statements[0],
                    *second = p->count > 1 ? &p->statements[1] : &unread;
    put(p, FEATURE_WHOLE_FORTH_CONTRADICTION, logarithm(whole->forth[CONTRADICTION]));
    put(p, FEATURE_WHOLE_FORTH_ENTAILMENT, logarithm(whole->forth[ENTAILMENT]));
    put(p, FEATURE_WHOLE_FORTH_NEUTRAL, logarithm(whole->forth[NEUTRAL]));
    put(p, FEATURE_PAIR_FORTH_CONTRADICTION, logarithm(pair->forth[CONTRADICTION]));
    put(p, FEATURE_PAIR_FORTH_ENTAILMENT, logarithm(pair->forth[ENTAILMENT]));
    put(p, FEATURE_PAIR_FORTH_NEUTRAL, logarithm(pair->forth[NEUTRAL]));
    put(p, FEATURE_SECOND_FORTH_CONTRADICTION, logarithm(second->forth[CONTRADICTION]));
    put(p, FEATURE_SECOND_FORTH_NEUTRAL, logarithm(second->forth[NEUTRAL]));
    put(p, FEATURE_WHOLE_MEAN_CONTRADICTION, mean_logarithm(whole, CONTRADICTION));
    put(p, FEATURE_WHOLE_LEAST_CONTRADICTION, logarithm(lesser(whole->forth[CONTRADICTION], whole->back[CONTRADICTION])));
    put(p, FEATURE_WHOLE_MEAN_ENTAILMENT, mean_logarithm(whole, ENTAILMENT));
    put(p, FEATURE_WHOLE_MEAN_NEUTRAL, mean_logarithm(whole, NEUTRAL));
    put(p, FEATURE_PAIR_MEAN_CONTRADICTION, mean_logarithm(pair, CONTRADICTION));
    put(p, FEATURE_PAIR_LEAST_CONTRADICTION, logarithm(lesser(pair->forth[CONTRADICTION], pair->back[CONTRADICTION])));
    put(p, FEATURE_PAIR_MOST_CONTRADICTION,
        pair->back[CONTRADICTION] < 0 ? (double)NAN : logarithm(greater(pair->forth[CONTRADICTION], pair->back[CONTRADICTION])));
    put(p, FEATURE_PAIR_MEAN_ENTAILMENT, mean_logarithm(pair, ENTAILMENT));
    put(p, FEATURE_PAIR_MEAN_NEUTRAL, mean_logarithm(pair, NEUTRAL));
    put(p, FEATURE_SECOND_MEAN_CONTRADICTION, mean_logarithm(second, CONTRADICTION));
}

void features_fill(const case_view *v, pair_view *p) {
    sort_statements(p);
    put_nearness(v, p);
    put_words(v, p);
    put_changes(v, p);
    put_form(v, p);
    put_kinds(p);
    put_values(v, p);
    put_rules(v, p);
    put_model(p);
}

/* ---- the case ---- */

eg_status features_begin(vector_cache *cache, const eg_services *services, eg_request *rq, const eg_case *c, case_view *out) {
    uint32_t chosen[MAX_CANDIDATES];
    size_t most = is_in_documents(c) ? MAX_IN_DOCUMENTS : MAX_CANDIDATES;
    size_t n = nearest_candidates(c, least_cosine(services, c), most, NULL, chosen);
    *out = (case_view){.c = c, .services = services};
    const eg_case_fact **facts = eg_request_array(rq, n + 1, sizeof *facts);
    fact_view *views = eg_request_array(rq, n + 1, sizeof *views);
    out->pairs = eg_request_array(rq, n, sizeof *out->pairs);
    if (!facts || !views || !out->pairs) return EG_ENOMEM;
    facts[0] = c->subject;
    for (size_t i = 0; i < n; i++) facts[i + 1] = c->candidates[chosen[i]];
    eg_status s = views_read(cache, services, rq, facts, n + 1, views, &out->dimensions);
    if (s == EG_OK) s = services->earlier_findings(services->host, rq, c, &out->rules, &out->rule_count);
    if (s != EG_OK) return s;
    out->subject = views[0];
    if (out->subject.parts == &views[0].whole) out->subject.parts = &out->subject.whole;
    out->others = views + 1;
    out->count = n;
    weigh_fact(out, &out->subject);
    for (size_t i = 0; i < n; i++) weigh_fact(out, &out->others[i]);
    for (size_t i = 0; i < n; i++) {
        pair_view *p = &out->pairs[i];
        const fact_view *other = &out->others[i];
        *p = (pair_view){.candidate = chosen[i], .other = other, .margins = {{-1, -1}, {-1, -1}}};
        p->whole = pair_of(out, &out->subject.whole, &other->whole);
        p->whole_is_statement = out->subject.parts == &out->subject.whole && other->parts == &other->whole;
        p->reads_whole = out->subject.whole.text.len <= MAX_WHOLE && other->whole.text.len <= MAX_WHOLE;
        choose_statements(out, p);
    }
    compare_changes(out);
    for (size_t i = 0; i < n; i++) features_fill(out, &out->pairs[i]);
    return EG_OK;
}
