/* test_judge.c - what a detector knows of the findings of others, and whose word counts. */
#include "fixture.h"

#define STAGING "The zebra service listens on port 8080 in staging."
#define PRODUCTION "The zebra service listens on port 9090 in production."

/* The stand-in takes both for a contradiction; the rules say that they are about two
 * environments. */
static void open_zebra(fixture *f, uint32_t flags) {
    fixture_open(f, 1);
    f->nli_word = "zebra";
    f->nli_score = 0.9;
    for (size_t i = 0; i < TEST_MAX_DETECTORS + 1; i++)
        if (f->detectors[i].self == f) f->detectors[i].detector.flags = flags;
}

static void findings_of_rules_are_shown(void **state) {
    (void)state;
    fixture f;
    open_zebra(&f, 0);
    commit_as(&f, "a", "zoo", STAGING);
    commit_as(&f, "b", "zoo", PRODUCTION);
    assert_int_equal(f.earlier.size, sizeof f.earlier);
    assert_int_equal(f.earlier.outcome, EG_OUTCOME_BOTH_VALID);
    assert_true(f.earlier.span_subject.end <= sizeof PRODUCTION - 1 && f.earlier.span_subject.start < f.earlier.span_subject.end);
    assert_true(eg_str_eq(f.earlier.tier, EG_STR("tier2_numeric")) || eg_str_eq(f.earlier.tier, EG_STR("tier0_entity")));
    commit_as(&f, "b", "zoo", "A zebra is drawn on the door.");
    assert_int_equal(f.earlier.size, 0); /* nothing was found about this pair */
    fixture_close(&f);
}

/* Rules outweigh a detector, unless it says that it has weighed what they found. */
static void who_has_weighed_the_findings_is_believed(void **state) {
    (void)state;
    static const uint32_t flags[] = {0, EG_DETECTOR_WEIGHS_FINDINGS};
    for (size_t i = 0; i < 2; i++) {
        fixture f;
        open_zebra(&f, flags[i]);
        commit_as(&f, "a", "zoo", STAGING);
        assert_int_equal(commit_as(&f, "b", "zoo", PRODUCTION).conflict_count, i);
        fixture_close(&f);
    }
}

static void findings_of_another_case_are_refused(void **state) {
    (void)state;
    static const eg_case another = {.size = sizeof another};
    fixture f;
    open_zebra(&f, 0);
    commit_as(&f, "a", "zoo", STAGING);
    f.another_case = &another;
    commit_as(&f, "b", "zoo", PRODUCTION);
    assert_int_equal(f.told, EG_EINVAL);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(findings_of_rules_are_shown),
                                       cmocka_unit_test(who_has_weighed_the_findings_is_believed),
                                       cmocka_unit_test(findings_of_another_case_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
