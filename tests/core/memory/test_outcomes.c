/* test_outcomes.c - what the receipt and the store say of the facts that a new one was compared
 * with: contradicted, replaced by its own words, repeated, valid in another context, unrelated. */
#include "fixture.h"

#include "core/include/engram/detector.h"

/* Counts the links that are written, by kind. */
static struct {
    const eg_storage_ops *real;
    size_t links[EG_LINK_CONTEXT + 1];
} seen;

static eg_status count_links(eg_storage *storage, eg_request *rq, const eg_change_set *set, eg_applied *out) {
    eg_status s = seen.real->apply(storage, rq, set, out);
    for (size_t i = 0; s == EG_OK && i < set->change_count; i++)
        if (set->changes[i].kind == EG_CHANGE_LINK) seen.links[set->changes[i].link.kind]++;
    return s;
}

static void open_counted(fixture *f, eg_storage_ops *ops) {
    fixture_open(f, 1);
    memset(&seen, 0, sizeof seen);
    seen.real = f->memory->env.storage_ops;
    *ops = *seen.real;
    ops->apply = count_links;
    f->memory->env.storage_ops = ops;
}

/* Commits two facts of two agents; the receipt of the second. */
static eg_receipt commit_two(fixture *f, const char *first, const char *second) {
    assert_int_equal(commit_as(f, "alice", "api", first).related_count, 0);
    return commit_as(f, "bob", "api", second);
}

static void assert_says(eg_str text, const char *part) {
    if (!memmem(text.ptr, text.len, part, strlen(part))) fail_msg("'%.*s' lacks '%s'", (int)text.len, text.ptr, part);
}

static void outcomes_are_told_apart(void **state) {
    (void)state;
    static const struct {
        const char *first, *second;
        int outcome; /* eg_outcome */
        const char *why[3];
    } rows[] = {
        {"The upload limit of the gateway is 500 requests per second.",
         "The upload limit of the gateway was 500 requests per second and is now 800 requests per second.",
         EG_OUTCOME_UPDATE,
         {"By its own words", "800", "500"}},
        {"The seat hold of the shop lasts 15 minutes.",
         "The seat hold of the shop lasts 900 seconds.",
         EG_OUTCOME_CORROBORATION,
         {"Both say the same", "", ""}},
        {"The seat hold of the shop lasts 15 minutes.",
         "On staging the seat hold of the shop lasts 1 minute.",
         EG_OUTCOME_BOTH_VALID,
         {"15 minutes", "1 minute", "\"On staging\""}},
        {"The cache of the gateway holds 50 pages on Linux.",
         "The cache of the gateway holds 30 pages on Windows.",
         EG_OUTCOME_BOTH_VALID,
         {"50 pages", "Linux", "Windows"}},
        {"The seat hold of the shop lasts 15 minutes.",
         "The seat hold of the shop lasts 10 minutes.",
         EG_OUTCOME_CONTRADICTION,
         {"One says 15 minutes, the other 10 minutes", "The seat hold of the shop lasts", "Severity high: about limits"}},
        {"The seat hold of the shop lasts 15 minutes.", "Invoices are printed on Mondays.", EG_OUTCOME_UNRELATED, {"", "", ""}},
    };
    static const size_t kind_of[] = {[EG_OUTCOME_UPDATE] = EG_LINK_UPDATE,
                                     [EG_OUTCOME_CORROBORATION] = EG_LINK_CORROBORATES,
                                     [EG_OUTCOME_BOTH_VALID] = EG_LINK_CONTEXT};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fixture f;
        eg_storage_ops ops;
        open_counted(&f, &ops);
        eg_receipt r = commit_two(&f, rows[i].first, rows[i].second);
        assert_true(r.detection_done);
        int linked = rows[i].outcome != EG_OUTCOME_CONTRADICTION && rows[i].outcome != EG_OUTCOME_UNRELATED;
        if (r.related_count != (size_t)linked) fail_msg("%s: %zu related facts", rows[i].second, r.related_count);
        assert_int_equal(r.conflict_count, rows[i].outcome == EG_OUTCOME_CONTRADICTION);
        for (size_t kind = 0; kind <= EG_LINK_CONTEXT; kind++)
            assert_int_equal(seen.links[kind], linked && kind == kind_of[rows[i].outcome]);
        eg_str why = linked ? r.related[0].why : r.conflict_count ? r.conflicts[0].conflict.explanation : EG_STR("");
        for (size_t k = 0; k < 3; k++) assert_says(why, rows[i].why[k]);
        if (linked) {
            assert_int_equal(r.related[0].outcome, rows[i].outcome);
            assert_true(eg_str_eq(r.related[0].agent_id, EG_STR("alice")));
            assert_false(eg_id_is_none(r.related[0].fact));
        }
        fixture_close(&f);
    }
}

/* Facts of which each holds in a context of its own: a few are told and linked, not all. */
static void contexts_are_bounded(void **state) {
    (void)state;
    fixture f;
    eg_storage_ops ops;
    open_counted(&f, &ops);
    eg_receipt last = {0};
    for (int i = 0; i < 9; i++) {
        char text[100];
        snprintf(text, sizeof text, "The audit service of worker wk1-%d writes its logs to bucket b1x%d.", i, i);
        size_t before = seen.links[EG_LINK_CONTEXT];
        last = commit_as(&f, "alice", "api", text);
        assert_in_range(seen.links[EG_LINK_CONTEXT] - before, 0, 5);
    }
    assert_true(seen.links[EG_LINK_CONTEXT] > 9);
    assert_int_equal(last.related_count, 2);
    assert_int_equal(last.related[0].outcome, EG_OUTCOME_BOTH_VALID);
    fixture_close(&f);
}

/* What the text itself replaces, the model is not believed to contradict; and where rules find
 * equal values, a low score of the model is no question. Both detectors speak of the same words. */
static void rules_outweigh_the_model_in_two_cases(void **state) {
    (void)state;
    static const struct {
        const char *first, *second;
        double score;
        size_t conflicts, questions;
    } rows[] = {
        {"The zebra limit is 500 requests per second.",
         "The zebra limit was 500 requests per second, now it is 800 requests per second.", 0.95, 0, 0},
        {"The zebra hold lasts 15 minutes.", "The zebra hold lasts 900 seconds.", 0.4, 0, 0},
        {"The zebra hold is long.", "A zebra waits at the door.", 0.95, 1, 0},
        {"The zebra hold is long.", "A zebra waits at the door.", 0.4, 0, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fixture f;
        fixture_open(&f, 1);
        f.nli_word = "zebra";
        f.nli_score = rows[i].score;
        f.threshold = 0.8;
        f.review = 0.2;
        f.per_commit = 3;
        for (size_t k = 0; k < TEST_MAX_DETECTORS + 1; k++)
            if (f.detectors[k].self == &f) f.detectors[k].detector.flags = EG_DETECTOR_WEIGHS_FINDINGS;
        eg_receipt r = commit_two(&f, rows[i].first, rows[i].second);
        if (r.conflict_count != rows[i].conflicts || r.suspected_count != rows[i].questions)
            fail_msg("row %zu: %zu conflicts, %zu questions", i, r.conflict_count, r.suspected_count);
        fixture_close(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(outcomes_are_told_apart), cmocka_unit_test(contexts_are_bounded),
                                       cmocka_unit_test(rules_outweigh_the_model_in_two_cases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
