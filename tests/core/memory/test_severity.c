/* test_severity.c - how grave a contradiction is, and why. */
#include "fixture.h"

#include "core/memory/severity.h"

static void assert_says(eg_str text, const char *part) {
    if (!memmem(text.ptr, text.len, part, strlen(part))) fail_msg("'%.*s' lacks '%s'", (int)text.len, text.ptr, part);
}

typedef struct two_facts {
    eg_fact facts[2];
    eg_case_fact of[2];
    const eg_case_fact *candidates[1];
    eg_case c;
} two_facts;

static void make_case(two_facts *t, const char *a, const char *b) {
    *t = (two_facts){.facts = {{.content = eg_str_of(a)}, {.content = eg_str_of(b)}}};
    for (size_t i = 0; i < 2; i++) t->of[i] = (eg_case_fact){.fact = &t->facts[i]};
    t->candidates[0] = &t->of[1];
    t->c = (eg_case){.size = sizeof t->c, .candidate_count = 1, .subject = &t->of[0], .candidates = t->candidates};
}

static void severity_is_consequence_and_certainty(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        double score;
        uint32_t same_agent, severity;
        const char *why;
    } rows[] = {
        {"Access tokens are signed with RS256.", "Access tokens are signed with HS256.", 0.9, 0, EG_SEVERITY_HIGH,
         "Severity high: about security (\"tokens\")."},
        {"Access tokens are signed with RS256.", "Access tokens are signed with HS256.", 0.6, 0, EG_SEVERITY_MEDIUM,
         "Severity medium: about security (\"tokens\"), but not sure."},
        {"Backups run every night.", "Nothing backs up the ledger.", 0.9, 0, EG_SEVERITY_HIGH, "about data (\"Backups\")"},
        {"Refunds above 40 EUR need a manager.", "Every clerk may give refunds.", 0.9, 0, EG_SEVERITY_HIGH, "about money"},
        {"The retry interval is fixed.", "The retry interval grows.", 0.9, 0, EG_SEVERITY_HIGH, "about limits (\"retry\")"},
        {"Only version 3 of the feed is served.", "All versions of the feed are served.", 0.9, 0, EG_SEVERITY_HIGH,
         "about versions"},
        {"The endpoint is /v1/orders.", "The endpoint is /orders.", 0.9, 0, EG_SEVERITY_HIGH, "about addresses"},
        {"The importer skips empty rows.", "The importer stops at empty rows.", 0.9, 0, EG_SEVERITY_MEDIUM,
         "Severity medium: about behaviour in general."},
        {"The importer skips empty rows.", "The importer stops at empty rows.", 0.6, 0, EG_SEVERITY_LOW,
         "Severity low: about behaviour in general, but not sure."},
        {"Indentation is four spaces.", "Indentation is two spaces.", 0.99, 0, EG_SEVERITY_LOW, "about style and naming"},
        /* the gravest word counts, and whole words only */
        {"The label of the password field is blue.", "The label of the password field is red.", 0.9, 0, EG_SEVERITY_HIGH,
         "about security"},
        {"Reports are portable.", "Reports are tied to one costume.", 0.9, 0, EG_SEVERITY_MEDIUM, "behaviour in general"},
        {"It writes to /srv/root/token.log.", "It writes to auth.token.log.", 0.9, 0, EG_SEVERITY_MEDIUM, "behaviour in general"},
        {"Access tokens are signed with RS256.", "Access tokens are signed with HS256.", 0.9, 1, EG_SEVERITY_MEDIUM,
         "Severity medium: about security (\"tokens\"), but one agent said both."},
    };
    WITH(f, 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        two_facts t;
        make_case(&t, rows[i].a, rows[i].b);
        t.of[1].same_agent = rows[i].same_agent;
        eg_finding found = {.size = sizeof found,
                            .outcome = EG_OUTCOME_CONTRADICTION,
                            .severity = EG_SEVERITY_LOW,
                            .score = rows[i].score,
                            .tier = EG_STR("tier1_nli"),
                            .explanation = EG_STR("They disagree.")};
        assert_int_equal(eg_severity_decide(f.rq, &t.c, &found), EG_OK);
        if (found.severity != rows[i].severity) fail_msg("%s: severity %u", rows[i].a, found.severity);
        assert_says(found.explanation, rows[i].why);
        assert_int_equal(memcmp(found.explanation.ptr, "They disagree. ", 15), 0);
    }
    fixture_close(&f);
}

/* Typed values say what a statement is about where no word does. */
static void severity_knows_values(void **state) {
    (void)state;
    WITH(f, 0);
    two_facts t;
    make_case(&t, "The relay listens on 8080.", "The relay listens on 9090.");
    eg_claim claim = {.span = {21, 25}, .value_kind = EG_VALUE_PORT};
    t.of[0].claims = &claim;
    t.of[0].claim_count = 1;
    eg_finding found = {
        .outcome = EG_OUTCOME_CONTRADICTION, .score = 0.9, .tier = EG_STR("tier2_numeric"), .explanation = EG_STR("x")};
    assert_int_equal(eg_severity_decide(f.rq, &t.c, &found), EG_OK);
    assert_int_equal(found.severity, EG_SEVERITY_HIGH);
    assert_says(found.explanation, "about addresses (\"8080\")");
    fixture_close(&f);
}

/* The kind of the values that disagree counts before words that may be a component's name. */
static void severity_of_values_comes_first(void **state) {
    (void)state;
    WITH(f, 0);
    two_facts t;
    make_case(&t, "The token service waits 30 s.", "The token service waits 60 s.");
    eg_claim claim = {.span = {24, 28}, .value_kind = EG_VALUE_QUANTITY, .dimension = EG_STR("time")};
    t.of[0].claims = &claim;
    t.of[0].claim_count = 1;
    eg_finding found = {.outcome = EG_OUTCOME_CONTRADICTION,
                        .score = 0.9,
                        .span_subject = {24, 28},
                        .span_candidate = {24, 28},
                        .tier = EG_STR("tier2_numeric"),
                        .explanation = EG_STR("x")};
    eg_span statement = {0, 29};
    for (size_t i = 0; i < 2; i++) {
        t.of[i].statements = &statement;
        t.of[i].statement_count = 1;
    }
    assert_int_equal(eg_severity_decide(f.rq, &t.c, &found), EG_OK);
    assert_says(found.explanation, "about limits (\"30 s\")");
    fixture_close(&f);
}

/* A detector of a plugin says itself how grave its findings are. */
static void severity_of_plugins_is_kept(void **state) {
    (void)state;
    WITH(f, 0);
    two_facts t;
    make_case(&t, "Passwords are hashed.", "Passwords are stored as they are.");
    eg_finding found = {.outcome = EG_OUTCOME_CONTRADICTION,
                        .severity = EG_SEVERITY_LOW,
                        .score = 0.9,
                        .tier = EG_STR("plugin:own"),
                        .explanation = EG_STR("x")};
    assert_int_equal(eg_severity_decide(f.rq, &t.c, &found), EG_OK);
    assert_int_equal(found.severity, EG_SEVERITY_LOW);
    assert_true(eg_str_eq(found.explanation, EG_STR("x")));
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(severity_is_consequence_and_certainty),
                                       cmocka_unit_test(severity_knows_values), cmocka_unit_test(severity_of_values_comes_first),
                                       cmocka_unit_test(severity_of_plugins_is_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
