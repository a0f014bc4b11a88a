/* test_nli.c - the NLI detector over a fake model: which pairs it classifies, what it makes of the
 * probabilities, and which spans it reports. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "run_detectors.h"
#include "tests/support/request.h"
#include "tests/support/services.h"

const eg_plugin *eg_plugin_nli(void);

enum { MAX_FOUND = 32, MAX_FACTS = 24, NEAREST = 10 /* candidates that are read */, NEAREST_IN_DOCUMENTS = 5 };

/* The probability of contradiction that the fake model gives a pair of texts, in either order; 0.05
 * for all others. */
static const struct opinion {
    const char *a, *b;
    float contradiction;
} * opinions;
static size_t reads;
static int no_model;
static eg_status nli_answers; /* the status of the fake model, where there is one */
static double counts;         /* the threshold of the model; 0: none */
static const char *gate_set;  /* the gate that is set; NULL: none */
static double gate;

static int is_about(eg_str s, const char *text) { return eg_str_eq(s, eg_str_of(text)); }

static eg_status nli(void *host, eg_request *rq, const eg_pair *pairs, size_t n, float *out) {
    (void)host;
    reads += n;
    for (size_t i = 0; i < n; i++) {
        eg_str x = pairs[i].first, y = pairs[i].second;
        float c = 0.05f;
        for (const struct opinion *o = opinions; o && o->a; o++)
            if ((is_about(x, o->a) && is_about(y, o->b)) || (is_about(x, o->b) && is_about(y, o->a))) c = o->contradiction;
        out[3 * i] = c;
        out[3 * i + 1] = 0.01f;
        out[3 * i + 2] = 1 - c - 0.01f;
    }
    eg_status s = no_model ? EG_EUNAVAILABLE : nli_answers;
    if (s != EG_OK) *rq->err = (eg_error){s, "on purpose"};
    return s;
}
static double threshold(void *host, const char *name, double otherwise) {
    (void)host;
    if (gate_set && strcmp(name, gate_set) == 0) return gate;
    return counts > 0 && strcmp(name, "tier1_nli") == 0 ? counts : otherwise;
}

static eg_arena arena;
static eg_finding found[MAX_FOUND];
static size_t found_count;
static eg_status add(void *sink, const eg_finding *f) {
    (void)sink;
    assert_true(found_count < MAX_FOUND);
    found[found_count++] = *f;
    return EG_OK;
}

static const char *scope_of_earlier = "x";
static double nearest_cosine = 0.9, cosine_step = 0.01; /* of the candidates */
static uint32_t found_by;

/* What the host answers about neighbours, and what it was asked last. */
static eg_margin margin_told;
static eg_status margins_answer;
static uint32_t asked_candidate, questions_asked, rounds;
static eg_span asked[2];
static eg_status neighbour_margins(void *host, eg_request *rq, const eg_case *c, const eg_margin_question *questions, size_t n,
                                   eg_margin *out) {
    (void)host, (void)c;
    rounds++;
    for (size_t i = 0; i < n; i++, questions_asked++) {
        asked_candidate = questions[i].candidate;
        asked[0] = questions[i].span_subject;
        asked[1] = questions[i].span_candidate;
        out[i] = margin_told;
    }
    if (margins_answer != EG_OK) *rq->err = (eg_error){margins_answer, "on purpose"};
    return margins_answer;
}

static eg_status no_trees(void *host, eg_request *rq, const char *setting, const char *name, eg_str *out) {
    (void)host, (void)out;
    return eg_request_fail(rq, EG_ENOENT, "%s has no %s", setting, name);
}

/* What an earlier detector found; its size is 0 when it found nothing. */
static eg_finding earlier_finding;
static eg_status earlier_findings(void *host, eg_request *rq, const eg_case *c, const eg_finding **out, size_t *n) {
    (void)host, (void)rq, (void)c;
    *out = &earlier_finding;
    *n = earlier_finding.size > 0;
    return EG_OK;
}

/* The detector over a fact and n earlier ones. */
static eg_status try_examine(const char *subject, const char *const *earlier, size_t n) {
    eg_error err = {0};
    test_request request;
    test_request_borrow(&request, &arena);
    test_request_set(&request, EG_STR("local"), NULL, (eg_cancel){0}, &err);
    eg_services services = test_services(NULL);
    services.nli = nli;
    services.threshold = threshold;
    services.neighbour_margins = neighbour_margins;
    services.model_file = no_trees;
    services.earlier_findings = earlier_findings;
    eg_registrar registrar = {0};
    eg_case_fact s, facts[MAX_FACTS];
    const eg_case_fact *candidates[MAX_FACTS];
    eg_arena_release(&arena);
    found_count = reads = 0;
    assert_int_equal(test_fact_read(&arena, eg_str_of(subject), EG_STR("x"), &s, &err), EG_OK);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(test_fact_read(&arena, eg_str_of(earlier[i]), eg_str_of(scope_of_earlier), &facts[i], &err), EG_OK);
        facts[i].cosine = nearest_cosine - cosine_step * (double)i;
        facts[i].found_by = found_by;
        candidates[i] = &facts[i];
    }
    eg_case c = {.size = sizeof c, .candidate_count = (uint32_t)n, .subject = &s, .candidates = candidates};
    void *self;
    assert_int_equal(test_registrar_open(&registrar, &services, eg_plugin_nli(), &self, &err), EG_OK);
    eg_status status = registrar.detectors[0]->examine(registrar.detector_self[0], &services, &request.rq, &c, add, NULL);
    eg_plugin_nli()->close(self);
    assert_int_equal(err.code, status);
    return status;
}
static void examine(const char *subject, const char *const *earlier, size_t n) {
    assert_int_equal(try_examine(subject, earlier, n), EG_OK);
}

#define TAIL "Alpha runs on Tuesdays."
#define HEAD "Beta is written in Go."
#define OTHER "Gamma runs on Mondays."
#define TWO HEAD " " TAIL

static void is(const char *text, eg_span span, const char *words) {
    eg_str s = {text + span.start, span.end - span.start};
    if (!eg_str_eq(s, eg_str_of(words))) fail_msg("'%.*s', wanted '%s'", (int)s.len, s.ptr, words);
}

static void single_statements_are_read_once(void **state) {
    (void)state;
    const char *earlier[] = {OTHER, HEAD};
    opinions = (const struct opinion[]){{TAIL, OTHER, 0.75f}, {0}};
    examine(TAIL, earlier, 2);
    assert_int_equal(reads, 4);
    assert_int_equal(found_count, 1);
    assert_true(found[0].candidate == 0 && found[0].outcome == EG_OUTCOME_CONTRADICTION);
    assert_true(found[0].score > 0.749 && found[0].score < 0.751);
    is(TAIL, found[0].span_subject, TAIL);
}

/* First the cosines are 0.65, 0.55, 0.45, 0.35 and 0.25, then all 0.65. */
static void between_documents_less_is_read(void **state) {
    (void)state;
    static const struct {
        uint32_t found_by;
        const char *set;
        double gate;
        size_t reads;
    } rows[] = {{EG_FOUND_VECTOR, NULL, 0, 4},
                {EG_FOUND_VECTOR, "nli_gate_documents", 0.6, 4},
                {EG_FOUND_VECTOR, "nli_gate", 0.4, 3},
                {EG_FOUND_VECTOR | EG_FOUND_IN_DOCUMENT, NULL, 0, 2},
                {EG_FOUND_VECTOR | EG_FOUND_IN_DOCUMENT, "nli_gate_documents", 0.6, 1},
                {EG_FOUND_VECTOR | EG_FOUND_IN_DOCUMENT, "nli_gate_documents", 0.1, 4},
                {EG_FOUND_VECTOR | EG_FOUND_IN_DOCUMENT, "nli_gate", 0.4, 2},
                {EG_FOUND_VECTOR | EG_FOUND_IN_DOCUMENT, "nli_gate", 0.6, 1}};
    const char *earlier[] = {"Delta is 1.", "Delta is 2.", "Delta is 3.", "Delta is 4.", "Delta is 5."};
    opinions = NULL;
    counts = 0.9; /* so that one direction is enough */
    nearest_cosine = 0.65;
    cosine_step = 0.1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        found_by = rows[i].found_by;
        gate_set = rows[i].set;
        gate = rows[i].gate;
        examine(TAIL, earlier, 5);
        assert_int_equal(reads, rows[i].reads);
    }
    const char *many[NEAREST + 2];
    for (size_t i = 0; i < NEAREST + 2; i++) many[i] = HEAD;
    gate_set = NULL;
    cosine_step = 0;
    for (int in_document = 0; in_document < 2; in_document++) {
        found_by = EG_FOUND_VECTOR | (in_document ? (uint32_t)EG_FOUND_IN_DOCUMENT : 0);
        examine(TAIL, many, NEAREST + 2);
        assert_int_equal(reads, in_document ? NEAREST_IN_DOCUMENTS : NEAREST);
    }
    counts = 0;
    found_by = 0;
    nearest_cosine = 0.9;
    cosine_step = 0.01;
}

/* "Returns: a list" and "Returns: a number" in different scopes are not compared; in one scope they
 * are. */
static void what_speaks_of_two_places_is_not_read(void **state) {
    (void)state;
    static const struct {
        const char *subject, *earlier, *scope;
        int is_read;
    } rows[] = {{"Returns: a list.", "Returns: a number.", "y", 0},
                {"Returns: a list.", "Returns: a number.", "x", 1},
                {"Returns: a list.", "Returns: a number.", "x/below", 1},
                {"This is 5.", "it is 7.", "y", 0},
                {"Default: 5", "Defaults to 7.", "y", 0},
                {"Default page size is 5.", "Default page size is 7.", "y", 1},
                {"Returns are accepted for 5 days.", "Returns are accepted for 7 days.", "y", 1},
                {"returns-api keeps 5.", "returns-api keeps 7.", "y", 1},
                {"Type `string` of 5.", "type `string` of 7.", "y", 0},
                {"Seeds are 5.", "Seeds are 7.", "y", 1},
                {"This is 5.", "The limit is 7.", "y", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *earlier[] = {rows[i].earlier};
        opinions = (const struct opinion[]){{rows[i].subject, rows[i].earlier, 0.9f}, {0}};
        scope_of_earlier = rows[i].scope;
        examine(rows[i].subject, earlier, 1);
        if ((reads > 0) != rows[i].is_read || found_count != (size_t)rows[i].is_read)
            fail_msg("'%s' and '%s': %zu read, %zu found", rows[i].subject, rows[i].earlier, reads, found_count);
    }
    scope_of_earlier = "x";
}

/* The pair of statements that contradict each other is reported, with the higher of the two
 * scores. */
static void several_statements(void **state) {
    (void)state;
    const char *earlier[] = {OTHER, HEAD};
    opinions = (const struct opinion[]){{TWO, OTHER, 0.80f}, {TAIL, OTHER, 0.95f}, {HEAD, OTHER, 0.3f}, {0}};
    examine(TWO, earlier, 2);
    /* the whole and TAIL both ways, HEAD, which cannot reach 0.7 any more, one way */
    assert_int_equal(reads, 2 + 2 + 1);
    assert_int_equal(found_count, 2);
    /* HEAD is within TWO: no model is asked */
    assert_true(found[0].candidate == 1 && found[0].outcome == EG_OUTCOME_CORROBORATION);
    assert_true(found[1].candidate == 0 && found[1].outcome == EG_OUTCOME_CONTRADICTION && found[1].severity == EG_SEVERITY_HIGH);
    assert_true(found[1].score > 0.949 && found[1].score < 0.951);
    is(TWO, found[1].span_subject, TAIL);
    is(OTHER, found[1].span_candidate, OTHER);
    assert_non_null(memmem(found[1].explanation.ptr, found[1].explanation.len, "\"" OTHER "\" and \"" TAIL "\"",
                           sizeof TAIL + sizeof OTHER + 7));

    const char *turned[] = {TWO};
    opinions = (const struct opinion[]){{TWO, OTHER, 0.95f}, {TAIL, OTHER, 0.80f}, {0}};
    examine(OTHER, turned, 1);
    assert_int_equal(found_count, 1);
    assert_true(found[0].score > 0.949);
    is(OTHER, found[0].span_subject, OTHER);
    is(TWO, found[0].span_candidate, TAIL);
}

/* Neither the pair of facts nor a pair of statements alone makes a contradiction. */
static void whole_and_statement_must_agree(void **state) {
    (void)state;
    const char *earlier[] = {OTHER};
    opinions = (const struct opinion[]){{TWO, OTHER, 0.96f}, {TAIL, OTHER, 0.60f}, {HEAD, OTHER, 0.65f}, {0}};
    examine(TWO, earlier, 1);
    assert_int_equal(reads, 2 + 4);
    assert_int_equal(found_count, 0);
    opinions = (const struct opinion[]){{TWO, OTHER, 0.10f}, {TAIL, OTHER, 0.96f}, {0}};
    examine(TWO, earlier, 1);
    assert_int_equal(reads, 2); /* as for most pairs, no statements are classified */
    assert_int_equal(found_count, 0);
}

/* The other direction is read only where, with a 1 from there, the pair would count: at 0.93, which
 * people may move to 0.83, from 0.66. */
static void one_direction_decides(void **state) {
    (void)state;
    const char *earlier[] = {OTHER, HEAD, "Delta is a queue."};
    counts = 0.93;
    opinions = (const struct opinion[]){{TAIL, OTHER, 0.65f}, {TAIL, HEAD, 0.67f}, {0}};
    examine(TAIL, earlier, 3);
    assert_int_equal(reads, 3 + 1);
    assert_int_equal(found_count, 1);
    assert_int_equal(found[0].candidate, 1); /* whether 0.67 counts, the host decides */
    opinions = (const struct opinion[]){{TAIL, HEAD " " OTHER, 0.39f}, {TAIL, OTHER " " HEAD, 0.41f}, {0}};
    examine(TAIL, (const char *const[]){HEAD " " OTHER, OTHER " " HEAD},
            2); /* of several statements the whole must lean by 0.7 only */
    assert_int_equal(reads, 2 + 1);
    counts = 0;
}

/* Where the model says from which score on a pair is worth a question, such pairs are told too;
 * of documents nobody is asked. */
static void doubts_are_told(void **state) {
    (void)state;
    const char *earlier[] = {HEAD, OTHER};
    opinions = (const struct opinion[]){{TAIL, HEAD, 0.2f}, {0}};
    examine(TAIL, earlier, 2);
    assert_int_equal(found_count, 0);
    gate_set = "tier1_nli_review", gate = 0.1;
    examine(TAIL, earlier, 2);
    assert_int_equal(found_count, 1);
    assert_true(found[0].candidate == 0 && found[0].outcome == EG_OUTCOME_CONTRADICTION && found[0].score < 0.21);
    found_by = EG_FOUND_IN_DOCUMENT;
    examine(TAIL, earlier, 2);
    assert_int_equal(found_count, 0);
    found_by = 0, gate_set = NULL;
}

/* Many long facts: the number of pairs of statements is bounded; beyond it the pair of facts
 * decides. */
static void the_number_of_pairs_is_bounded(void **state) {
    (void)state;
#define FOUR TWO " " TWO
#define EIGHT FOUR " " FOUR
#define TEN EIGHT " " TWO
    const char *earlier[MAX_FACTS];
    for (size_t i = 0; i < MAX_FACTS; i++) earlier[i] = TEN;
    opinions = (const struct opinion[]){{"A is not 1. " TEN, TEN, 0.96f}, {TAIL, TAIL, 0.9f}, {0}};
    examine("A is not 1. " TEN, earlier, MAX_FACTS);
    /* the nearest two, by eight statements each: 128 one way, and back what TAIL says of itself, 3
     * by 4 times each */
    assert_int_equal(reads, 2 * NEAREST + 128 + 2 * 3 * 4);
    assert_int_equal(found_count, NEAREST);
}

/* Where other facts are nearer the score falls: its logit by 5 for each unit of cosine, of which
 * 0.2 count at most a side. */
static void nearer_facts_lower_the_score(void **state) {
    (void)state;
    const char *earlier[] = {HEAD, OTHER};
    static const struct {
        double read;
        eg_margin margin;
        double score; /* 0: nothing is found */
        eg_status answer;
    } rows[] = {{0.95, {0, 0}, 0.95, EG_OK},     {0.95, {0.1, 0}, 0.9202, EG_OK},          {0.95, {0.1, 0.1}, 0.8749, EG_OK},
                {0.95, {0.9, 0}, 0.8749, EG_OK}, {0.95, {0, 0.2}, 0.8749, EG_OK},          {0.95, {0.9, 0.9}, 0.7200, EG_OK},
                {0.75, {0.9, 0.9}, 0, EG_OK},    {0.95, {0.9, 0.9}, 0.95, EG_EUNAVAILABLE}};
    struct opinion said[] = {{TWO, OTHER, 0.72f}, {TAIL, OTHER, 0}, {0}};
    opinions = said;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        said[1].contradiction = (float)rows[i].read;
        margin_told = rows[i].margin;
        margins_answer = rows[i].answer;
        questions_asked = 0;
        examine(TWO, earlier, 2); /* HEAD corroborates, without a question */
        assert_int_equal(found_count, 1 + (rows[i].score > 0));
        assert_int_equal(questions_asked, 1);
        assert_int_equal(asked_candidate, 1);
        is(TWO, asked[0], TAIL);
        is(OTHER, asked[1], OTHER);
        if (found_count < 2) continue;
        if (fabs(found[1].score - rows[i].score) > 2e-4) fail_msg("row %zu: %.4f", i, found[1].score);
        int told = memmem(found[1].explanation.ptr, found[1].explanation.len, "other facts are nearer", 22) != NULL;
        assert_int_equal(told, rows[i].score < 0.95);
    }
    margins_answer = EG_EIO; /* of the store: a verdict without the answer would be wrong */
    assert_int_equal(try_examine(TWO, earlier, 2), EG_EIO);
    margin_told = (eg_margin){0, 0};
    margins_answer = EG_OK;
    static const struct opinion weak[] = {{TAIL, OTHER, 0.60f}, {0}};
    opinions = weak;
    counts = 0.76; /* what cannot count is not asked about */
    questions_asked = 0;
    examine(TAIL, &earlier[1], 1);
    assert_int_equal(questions_asked, 0);
    counts = 0;
}

/* What rules say of the same words stands; of other words, or of another fact, it changes
 * nothing. */
static void rules_are_heard(void **state) {
    (void)state;
    const char *earlier[] = {OTHER};
    static const struct opinion said[] = {{TWO, OTHER, 0.80f}, {TAIL, OTHER, 0.95f}, {0}};
    opinions = said;
    static const struct {
        eg_outcome outcome;
        uint32_t candidate;
        eg_span subject;
        size_t found;
    } rows[] = {{EG_OUTCOME_BOTH_VALID, 0, {0, 0}, 0},
                {EG_OUTCOME_BOTH_VALID, 0, {0, sizeof HEAD - 1}, 1},
                {EG_OUTCOME_BOTH_VALID, 0, {sizeof HEAD, sizeof TWO - 1}, 0},
                {EG_OUTCOME_CORROBORATION, 0, {sizeof HEAD, sizeof TWO - 1}, 0},
                {EG_OUTCOME_UNRELATED, 0, {0, 0}, 1},
                {EG_OUTCOME_BOTH_VALID, 1, {0, 0}, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        earlier_finding = (eg_finding){.size = sizeof earlier_finding,
                                       .candidate = rows[i].candidate,
                                       .outcome = rows[i].outcome,
                                       .span_subject = rows[i].subject};
        examine(TWO, earlier, 1);
        if (found_count != rows[i].found) fail_msg("row %zu: %zu", i, found_count);
    }
    earlier_finding = (eg_finding){0};
}

/* However many pairs are open, the host is asked once. */
static void neighbours_are_asked_for_once(void **state) {
    (void)state;
    static const struct opinion all[] = {{TAIL, OTHER, 0.9f}, {0}};
    const char *earlier[] = {OTHER, OTHER, OTHER};
    opinions = all;
    rounds = questions_asked = 0;
    examine(TAIL, earlier, 3);
    assert_int_equal(questions_asked, 3);
    assert_int_equal(rounds, 1);
}

/* Two times in different units are classified in one; the findings quote the texts as they are. */
static void times_are_read_in_one_unit(void **state) {
    (void)state;
    static const struct {
        const char *subject, *earlier, *read[2];
    } rows[] = {
        {"Tokens live for one hour.", "A token dies after 15 minutes.", {"Tokens live for 60 minutes.", NULL}},
        {"Tokens live for 1.5 minutes.",
         "A token dies after two hours.",
         {"Tokens live for 90 seconds.", "A token dies after 7200 seconds."}},
        {"Tokens live for two days.", "A token dies after 24 hours.", {"Tokens live for 2 days.", "A token dies after 1 day."}},
        /* the same */
        {"Tokens live for one hour.", "A token dies after 60 minutes.", {NULL, NULL}},
        /* no amount */
        {"Tokens live for one hour.", "A token dies at each hour.", {NULL, NULL}},
        /* two */
        {"Tokens live for one hour.", "Of 15 minutes a token dies after 5 minutes.", {NULL, NULL}},
        /* not exact */
        {"Tokens live for a month.", "A token dies after 15 minutes.", {NULL, NULL}},
        {TAIL " Tokens live for one hour.", "A token dies after 15 minutes.", {TAIL " Tokens live for 60 minutes.", NULL}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *read[2] = {rows[i].read[0] ? rows[i].read[0] : rows[i].subject,
                               rows[i].read[1] ? rows[i].read[1] : rows[i].earlier};
        const struct opinion said[] = {{read[0], read[1], 0.9f}, {"Tokens live for 60 minutes.", read[1], 0.9f}, {0}};
        opinions = said;
        examine(rows[i].subject, &rows[i].earlier, 1);
        if (found_count != 1) fail_msg("row %zu: not read as '%s', '%s'", i, read[0], read[1]);
        is(rows[i].earlier, found[0].span_candidate, rows[i].earlier);
    }
}

/* Errors of the model are reported; a missing model is not an error. */
static void errors_of_the_model_are_reported(void **state) {
    (void)state;
    const char *earlier[] = {OTHER};
    static const eg_status errors[] = {EG_ENOENT, EG_ENOMEM, EG_EIO, EG_EINVAL, EG_ECANCELLED, EG_EINTERNAL};
    static const struct opinion said[] = {{TAIL, OTHER, 0.95f}, {0}};
    opinions = said;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        nli_answers = errors[i];
        assert_int_equal(try_examine(TAIL, earlier, 1), errors[i]);
        assert_int_equal(found_count, 0);
    }
    nli_answers = EG_OK;
}

static void without_a_model_nothing_is_found(void **state) {
    (void)state;
    const char *earlier[] = {OTHER, TAIL};
    no_model = 1;
    opinions = (const struct opinion[]){{TAIL, OTHER, 0.95f}, {0}};
    examine(TAIL, earlier, 2);
    no_model = 0;
    assert_int_equal(found_count, 1); /* one text within the other is found without a model */
    assert_int_equal(found[0].candidate, 1);
}

int main(void) {
    eg_arena_init(&arena, 0);
    const struct CMUnitTest tests[] = {cmocka_unit_test(between_documents_less_is_read),
                                       cmocka_unit_test(what_speaks_of_two_places_is_not_read),
                                       cmocka_unit_test(single_statements_are_read_once),
                                       cmocka_unit_test(several_statements),
                                       cmocka_unit_test(whole_and_statement_must_agree),
                                       cmocka_unit_test(one_direction_decides),
                                       cmocka_unit_test(doubts_are_told),
                                       cmocka_unit_test(the_number_of_pairs_is_bounded),
                                       cmocka_unit_test(nearer_facts_lower_the_score),
                                       cmocka_unit_test(rules_are_heard),
                                       cmocka_unit_test(neighbours_are_asked_for_once),
                                       cmocka_unit_test(times_are_read_in_one_unit),
                                       cmocka_unit_test(errors_of_the_model_are_reported),
                                       cmocka_unit_test(without_a_model_nothing_is_found)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    eg_arena_release(&arena);
    return failed;
}
