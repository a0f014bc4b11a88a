/* test_verdict.c - the way of a case through the stages of the verdict, over a fake model and trees
 * made by hand: who is read, how often, what is reported. */
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

enum { DIMENSIONS = 64, MAX_FOUND = 16, MAX_FACTS = 8 };

/* ---- trees: one of one node a stage ---- */

enum { NAME = 32, FEATURES = 4, STAGES = 3 };
typedef struct rule {
    uint16_t feature;
    float most, below, above; /* the sums up to `most` and above it */
    float least;
} rule;

static int in_documents; /* the candidates are statements of documents */
static unsigned char file[4096];
static size_t file_size;
static size_t files_read;

static void put(const void *bytes, size_t n) {
    memcpy(file + file_size, bytes, n);
    file_size += n;
}
static void put_node(float value, uint16_t feature, uint16_t right) {
    put(&value, 4);
    put(&feature, 2);
    put(&right, 2);
}

static void make_trees(const rule rules[STAGES]) {
    static const char names[FEATURES][NAME] = {"cosine_pair", "pair_forth_contradiction", "pair_mean_contradiction",
                                               "rule_both_valid"};
    const uint32_t head[] = {FEATURES, STAGES, 0, STAGES, 3 * STAGES}, one[2] = {1, 0}, size = 3;
    file_size = 0;
    put("EGTREES1", 8);
    put(head, sizeof head);
    put(names, sizeof names);
    for (int i = 0; i < STAGES; i++) {
        const float floats[] = {0, rules[i].least};
        put(one, sizeof one);
        put(floats, sizeof floats);
    }
    for (int i = 0; i < STAGES; i++) put(&size, sizeof size);
    for (int i = 0; i < STAGES; i++) {
        put_node(rules[i].most, rules[i].feature, 2);
        put_node(rules[i].below, 0, 0);
        put_node(rules[i].above, 0, 0);
    }
}

/* Pairs that share words are read; those with a probability of 0.5 or more in the one direction, in
 * both; with 0.5 or more in the mean they contradict. */
static const rule plain[STAGES] = {{0, 0.2f, -1, 1, 0}, {1, -0.7f, -1, 1, 0}, {2, -0.7f, -3, 2, -2}};

static eg_status model_file(void *host, eg_request *rq, const char *setting, const char *name, eg_str *out) {
    (void)host;
    files_read++;
    assert_string_equal(setting, "model.nli");
    assert_string_equal(name, in_documents ? "verdict_documents.bin" : "verdict.bin");
    *out = eg_request_copy(rq, (eg_str){(const char *)file, file_size});
    return EG_OK;
}

/* ---- the models ---- */

static const struct opinion {
    const char *premise, *hypothesis;
    float contradiction, entailment;
} * opinions; /* 0.05 and 0.05 for all other pairs */
static size_t reads, embedded;
static int no_model;

static eg_status nli(void *host, eg_request *rq, const eg_pair *pairs, size_t n, float *out) {
    (void)host;
    if (no_model) return eg_request_fail(rq, EG_EUNAVAILABLE, "there is no model");
    reads += n;
    for (size_t i = 0; i < n; i++) {
        out[3 * i] = out[3 * i + 1] = 0.05f;
        for (const struct opinion *o = opinions; o && o->premise; o++)
            if (eg_str_eq(pairs[i].first, eg_str_of(o->premise)) && eg_str_eq(pairs[i].second, eg_str_of(o->hypothesis))) {
                out[3 * i] = o->contradiction;
                out[3 * i + 1] = o->entailment;
            }
        out[3 * i + 2] = 1 - out[3 * i] - out[3 * i + 1];
    }
    return EG_OK;
}

static eg_status embed_size(void *host, eg_request *rq, uint32_t *dimensions) {
    (void)host, (void)rq;
    *dimensions = DIMENSIONS;
    return EG_OK;
}
/* Words hashed into buckets, normalised. */
static eg_status embed(void *host, eg_request *rq, const eg_str *texts, size_t n, float *out, uint32_t dimensions) {
    (void)host, (void)rq;
    assert_int_equal(dimensions, DIMENSIONS);
    embedded += n;
    for (size_t i = 0; i < n; i++, out += DIMENSIONS) {
        uint32_t h = 0;
        float sum = 1e-6f;
        memset(out, 0, DIMENSIONS * sizeof *out);
        for (size_t k = 0; k <= texts[i].len; k++) {
            char c = k < texts[i].len ? texts[i].ptr[k] : ' ';
            if (c == ' ' || c == '.') out[h % DIMENSIONS] += h ? 1 : 0, h = 0;
            else h = h * 31 + (unsigned char)c;
        }
        for (size_t k = 0; k < DIMENSIONS; k++) sum += out[k] * out[k];
        for (size_t k = 0; k < DIMENSIONS; k++) out[k] /= sqrtf(sum);
    }
    return EG_OK;
}
static double threshold(void *host, const char *name, double otherwise) {
    (void)host, (void)name;
    return otherwise;
}
static eg_status neighbour_margins(void *host, eg_request *rq, const eg_case *c, const eg_margin_question *questions, size_t n,
                                   eg_margin *out) {
    (void)host, (void)c, (void)questions, (void)n, (void)out;
    return eg_request_fail(rq, EG_EUNAVAILABLE, "nobody knows the neighbours");
}
static eg_finding earlier_finding; /* size 0: none */
static eg_status earlier_findings(void *host, eg_request *rq, const eg_case *c, const eg_finding **out, size_t *n) {
    (void)host, (void)rq, (void)c;
    *out = &earlier_finding;
    *n = earlier_finding.size > 0;
    return EG_OK;
}

/* ---- the detector ---- */

static eg_arena arena;
static eg_finding found[MAX_FOUND];
static size_t found_count;
static eg_error err;

static eg_status add(void *sink, const eg_finding *f) {
    (void)sink;
    assert_true(found_count < MAX_FOUND);
    found[found_count++] = *f;
    return EG_OK;
}

/* The detector over a fact and n earlier ones, `times` times in one life of the plugin. */
static eg_status examine_times(const char *subject, const char *const *earlier, size_t n, int times) {
    eg_services services = test_services(NULL);
    services.nli = nli;
    services.embed = embed;
    services.embed_size = embed_size;
    services.threshold = threshold;
    services.neighbour_margins = neighbour_margins;
    services.earlier_findings = earlier_findings;
    services.model_file = model_file;
    eg_registrar registrar = {0};
    test_request request;
    eg_case_fact s, facts[MAX_FACTS];
    const eg_case_fact *candidates[MAX_FACTS];
    void *self;
    err = (eg_error){0};
    eg_arena_release(&arena);
    test_request_borrow(&request, &arena);
    test_request_set(&request, EG_STR("local"), NULL, (eg_cancel){0}, &err);
    reads = embedded = files_read = 0;
    assert_int_equal(test_fact_read(&arena, eg_str_of(subject), EG_STR("x"), &s, &err), EG_OK);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(test_fact_read(&arena, eg_str_of(earlier[i]), EG_STR("x"), &facts[i], &err), EG_OK);
        facts[i].cosine = 0.9 - 0.01 * (double)i;
        facts[i].found_by = in_documents ? (uint32_t)EG_FOUND_IN_DOCUMENT : 0;
        candidates[i] = &facts[i];
    }
    eg_case c = {.size = sizeof c, .candidate_count = (uint32_t)n, .subject = &s, .candidates = candidates};
    assert_int_equal(test_registrar_open(&registrar, &services, eg_plugin_nli(), &self, &err), EG_OK);
    eg_status status = EG_OK;
    for (int i = 0; i < times && status == EG_OK; i++) {
        found_count = 0;
        status = registrar.detectors[0]->examine(registrar.detector_self[0], &services, &request.rq, &c, add, NULL);
    }
    eg_plugin_nli()->close(self);
    return status;
}
static void examine(const char *subject, const char *const *earlier, size_t n) {
    assert_int_equal(examine_times(subject, earlier, n, 1), EG_OK);
}

static void is(const char *text, eg_span span, const char *words) {
    eg_str s = {text + span.start, span.end - span.start};
    if (!eg_str_eq(s, eg_str_of(words))) fail_msg("'%.*s', wanted '%s'", (int)s.len, s.ptr, words);
}

#define ALPHA "Alpha runs on Tuesdays."
#define ALPHA_TOO "Alpha runs on Mondays."
#define ALPHA_NEVER "Alpha never runs on Mondays."
#define OTHER_PORT "Alpha runs on port 90."
#define ALPHA_LATER "Alpha runs on some days."
#define BETA "Beta is written in Go."
#define BETA_TOO "Beta is written in C."
#define GAMMA "Gamma likes green tea very much."

#define BETA_ALPHA BETA " " ALPHA

/* A pair that shares no words is not read; one that does is read in the other direction only if the
 * first leaves it open. Read are the two pairs of statements. */
static void stages_let_pairs_pass(void **state) {
    (void)state;
    const char *earlier[] = {GAMMA, ALPHA_TOO};
    make_trees(plain);
    opinions = NULL;
    examine(BETA_ALPHA, earlier, 2);
    assert_int_equal(reads, 2);
    assert_int_equal(found_count, 0);
    opinions = (const struct opinion[]){{ALPHA_TOO, ALPHA, 0.9f, 0}, {ALPHA, ALPHA_TOO, 0.1f, 0}, {0}};
    examine(BETA_ALPHA, earlier, 2);
    assert_int_equal(reads, 4);
    assert_int_equal(found_count, 0);
    opinions = (const struct opinion[]){{ALPHA_TOO, ALPHA, 0.9f, 0}, {ALPHA, ALPHA_TOO, 0.8f, 0}, {0}};
    examine(BETA_ALPHA, earlier, 2);
    assert_int_equal(reads, 4);
    assert_int_equal(found_count, 1);
    assert_true(found[0].candidate == 1 && found[0].outcome == EG_OUTCOME_CONTRADICTION);
    assert_true(fabs(found[0].score - 1 / (1 + exp(-2))) < 1e-6);
    assert_non_null(memmem(found[0].explanation.ptr, found[0].explanation.len, "probability 0.88", 16));
}

/* However many are near, the likeliest five are read: four pairs of statements of the likeliest
 * one, of each that follows one less. */
static void few_candidates_are_read(void **state) {
    (void)state;
    const char *earlier[] = {"Alpha runs on Wednesdays.", "Alpha runs on Thursdays.", "Alpha runs on Fridays.",
                             "Alpha runs on Saturdays.",  "Alpha runs on Sundays.",   "Alpha runs on ships.",
                             "Alpha runs on rails."};
    make_trees(plain);
    opinions = NULL;
    examine(BETA_ALPHA, earlier, 3);
    assert_int_equal(reads, 2 + 2 + 2);
    examine(BETA_ALPHA, earlier, 7);
    assert_int_equal(reads, 2 + 2 + 2 + 1 + 1);
    examine(BETA_ALPHA " " GAMMA " " BETA_TOO " " ALPHA_LATER, earlier, 7);
    assert_int_equal(reads, 4 + 3 + 2 + 1 + 1);
}

/* Of facts of several statements the pair that disagrees is named. */
static void the_statements_that_disagree_are_named(void **state) {
    (void)state;
    const char *earlier[] = {GAMMA " " ALPHA_TOO};
    make_trees(plain);
    opinions = (const struct opinion[]){{ALPHA_TOO, ALPHA, 0.9f, 0}, {ALPHA, ALPHA_TOO, 0.9f, 0}, {0}};
    examine(BETA " " ALPHA, earlier, 1);
    /* all pairs of statements; in the other order only the likeliest two */
    assert_int_equal(reads, 4 + 2);
    assert_int_equal(found_count, 1);
    is(BETA " " ALPHA, found[0].span_subject, ALPHA);
    is(GAMMA " " ALPHA_TOO, found[0].span_candidate, ALPHA_TOO);
}

/* Appends n sentences about other things, each with a word of its own. */
static void fill(char *text, size_t room, const char *about, int n) {
    for (int i = 0; i < n; i++) {
        size_t at = strlen(text);
        snprintf(text + at, room - at, "%s%d %s%s%s. ", about, i, about, about, i % 2 ? "ly" : "ing");
    }
}

/* A statement far behind in a long fact is compared like the first ones, on either side; and long
 * facts on both sides cost a bounded number of embedded texts. */
static void late_statements_are_reached(void **state) {
    (void)state;
    static char subject[EG_MAX_CONTENT], other[EG_MAX_CONTENT];
    static const struct opinion both[] = {{ALPHA_TOO, ALPHA, 0.9f, 0}, {ALPHA, ALPHA_TOO, 0.9f, 0}, {0}};
    make_trees(plain);
    opinions = both;
    for (int longer = 0; longer < 3; longer++) { /* the subject, the candidate, both */
        subject[0] = other[0] = '\0';
        fill(subject, sizeof subject, "Shelf", longer == 1 ? 1 : 50);
        fill(other, sizeof other, "Garden", longer == 0 ? 1 : 50);
        strcat(subject, ALPHA);
        strcat(other, ALPHA_TOO);
        const char *earlier[] = {other};
        embedded = 0;
        examine(subject, earlier, 1);
        assert_int_equal(found_count, 1);
        is(subject, found[0].span_subject, ALPHA);
        is(other, found[0].span_candidate, ALPHA_TOO);
        assert_in_range(embedded, 1, 2 + EG_MAX_STATEMENTS + 12);
    }
}

/* What the rules say is a feature like others. */
static void findings_of_rules_are_weighed(void **state) {
    (void)state;
    const char *earlier[] = {ALPHA_TOO};
    const rule by_rules[STAGES] = {plain[0], plain[1], {3, 0.5f, 2, -3, -2}};
    make_trees(by_rules);
    opinions = (const struct opinion[]){{ALPHA_TOO, ALPHA, 0.9f, 0}, {ALPHA, ALPHA_TOO, 0.9f, 0}, {0}};
    examine(BETA_ALPHA, earlier, 1);
    assert_int_equal(found_count, 1);
    earlier_finding = (eg_finding){.size = sizeof earlier_finding, .outcome = EG_OUTCOME_BOTH_VALID, .score = 0.9};
    examine(BETA_ALPHA, earlier, 1);
    assert_int_equal(found_count, 0);
    earlier_finding = (eg_finding){0};
}

/* Facts that say the same are found, though no stage lets them pass. */
static void agreement_is_found(void **state) {
    (void)state;
    const char *earlier[] = {"Tuesdays Alpha runs on.", ALPHA " It is slow."};
    const rule nothing[STAGES] = {{0, 9, -1, 1, 0}, plain[1], plain[2]};
    make_trees(nothing);
    opinions = (const struct opinion[]){{earlier[0], ALPHA, 0, 0.95f}, {ALPHA, earlier[0], 0, 0.9f}, {0}};
    examine(ALPHA, earlier, 2);
    assert_int_equal(reads, 2);
    assert_int_equal(found_count, 2);
    assert_true(found[0].candidate == 1 && found[0].outcome == EG_OUTCOME_CORROBORATION && found[0].score == 1);
    assert_true(found[1].candidate == 0 && found[1].outcome == EG_OUTCOME_CORROBORATION);
    assert_true(fabs(found[1].score - 0.9) < 1e-6);
    opinions = (const struct opinion[]){{earlier[0], ALPHA, 0, 0.95f}, {ALPHA, earlier[0], 0, 0.8f}, {0}};
    examine(ALPHA, earlier, 1);
    assert_int_equal(found_count, 0);
}

/* Statements of documents are judged by trees of their own. What the model says besides counts only
 * where two numbers differ: where it is sure, or a rule finds the same. */
static void documents_have_trees_of_their_own(void **state) {
    (void)state;
    const char *earlier[] = {ALPHA_TOO};
    static const rule never[STAGES] = {{0, 0.2f, -1, -1, 0}, {1, -9, -1, 1, 0}, {2, 9, -3, 2, -4}};
    opinions = (const struct opinion[]){{ALPHA_TOO, ALPHA, 0.9f, 0}, {ALPHA, ALPHA_TOO, 0.8f, 0}, {0}};
    in_documents = 1;
    make_trees(plain);
    examine(ALPHA, earlier, 1);
    assert_int_equal(found_count, 1);
    assert_true(fabs(found[0].score - 1 / (1 + exp(-2))) < 1e-6);
    make_trees(never);
    examine(ALPHA, earlier, 1);
    assert_int_equal(found_count, 0);
    opinions = (const struct opinion[]){{ALPHA_TOO, ALPHA, 0.99f, 0}, {ALPHA, ALPHA_TOO, 0.99f, 0}, {0}};
    examine(ALPHA, earlier, 1);
    assert_int_equal(found_count, 0);
    const char *numbers[] = {"Alpha runs on port 80."};
    const rule unlikely[STAGES] = {plain[0], plain[1], never[2]};
    make_trees(unlikely);
    opinions = (const struct opinion[]){{numbers[0], OTHER_PORT, 0.99f, 0}, {OTHER_PORT, numbers[0], 0.95f, 0}, {0}};
    examine(OTHER_PORT, numbers, 1);
    assert_int_equal(found_count, 1);
    assert_true(fabs(found[0].score - 0.97) < 1e-6);
    opinions = (const struct opinion[]){{numbers[0], OTHER_PORT, 0.9f, 0}, {OTHER_PORT, numbers[0], 0.8f, 0}, {0}};
    examine(OTHER_PORT, numbers, 1);
    assert_int_equal(found_count, 1); /* as unlikely as the trees say */
    assert_true(fabs(found[0].score - 1 / (1 + exp(3))) < 1e-6);
    earlier_finding = (eg_finding){.size = sizeof earlier_finding, .outcome = EG_OUTCOME_CONTRADICTION, .score = 0.9};
    examine(OTHER_PORT, numbers, 1);
    assert_int_equal(found_count, 1);
    assert_true(fabs(found[0].score - 0.85) < 1e-6);
    earlier_finding = (eg_finding){0};
    in_documents = 0;
}

/* "never" alone between two statements of documents counts where a rule finds it too. */
static void documents_deny_each_other(void **state) {
    (void)state;
    const char *earlier[] = {ALPHA_TOO};
    const rule unlikely[STAGES] = {plain[0], plain[1], {2, 9, -3, 2, -4}};
    in_documents = 1;
    make_trees(unlikely);
    opinions = (const struct opinion[]){{ALPHA_TOO, ALPHA_NEVER, 0.99f, 0}, {ALPHA_NEVER, ALPHA_TOO, 0.95f, 0}, {0}};
    examine(ALPHA_NEVER, earlier, 1);
    assert_int_equal(found_count, 1);
    assert_true(found[0].score < 0.1);
    earlier_finding = (eg_finding){.size = sizeof earlier_finding, .outcome = EG_OUTCOME_CONTRADICTION, .score = 0.93};
    examine(ALPHA_NEVER, earlier, 1);
    assert_int_equal(found_count, 1);
    assert_true(fabs(found[0].score - 0.97) < 1e-6);
    opinions = (const struct opinion[]){{ALPHA_TOO, ALPHA_NEVER, 0.9f, 0}, {ALPHA_NEVER, ALPHA_TOO, 0.9f, 0}, {0}};
    examine(ALPHA_NEVER, earlier, 1);
    assert_int_equal(found_count, 1);
    assert_true(found[0].score < 0.1); /* the model is not sure */
    earlier_finding = (eg_finding){0};
    in_documents = 0;
}

/* The file is read once, and a text is embedded once. */
static void what_is_known_is_kept(void **state) {
    (void)state;
    const char *earlier[] = {ALPHA_TOO, GAMMA};
    make_trees(plain);
    opinions = NULL;
    assert_int_equal(examine_times(BETA_ALPHA, earlier, 2, 3), EG_OK);
    assert_int_equal(files_read, 1);
    assert_int_equal(embedded, 5);
}

static void a_damaged_file_is_an_error_each_time(void **state) {
    (void)state;
    const char *earlier[] = {ALPHA_TOO};
    make_trees(plain);
    file_size--;
    assert_int_equal(examine_times(ALPHA, earlier, 1, 1), EG_EFORMAT);
    assert_int_equal(err.code, EG_EFORMAT);
    assert_non_null(strstr(err.text, "verdict.bin"));
}

static void without_a_model_only_containment_is_found(void **state) {
    (void)state;
    const char *earlier[] = {ALPHA_TOO, ALPHA " It is slow."};
    make_trees(plain);
    no_model = 1;
    examine(ALPHA, earlier, 2);
    no_model = 0;
    assert_int_equal(found_count, 1);
    assert_int_equal(found[0].candidate, 1);
}

int main(void) {
    eg_arena_init(&arena, 0);
    const struct CMUnitTest tests[] = {cmocka_unit_test(stages_let_pairs_pass),
                                       cmocka_unit_test(documents_have_trees_of_their_own),
                                       cmocka_unit_test(documents_deny_each_other),
                                       cmocka_unit_test(the_statements_that_disagree_are_named),
                                       cmocka_unit_test(late_statements_are_reached),
                                       cmocka_unit_test(findings_of_rules_are_weighed),
                                       cmocka_unit_test(agreement_is_found),
                                       cmocka_unit_test(few_candidates_are_read),
                                       cmocka_unit_test(what_is_known_is_kept),
                                       cmocka_unit_test(a_damaged_file_is_an_error_each_time),
                                       cmocka_unit_test(without_a_model_only_containment_is_found)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    eg_arena_release(&arena);
    return failed;
}
