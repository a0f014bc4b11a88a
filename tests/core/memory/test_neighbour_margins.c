/* test_neighbour_margins.c - what the service neighbour_margins tells a detector, about a case
 * of the store and in a dry run. */
#include <math.h>

#include "core/memory/candidates.h"
#include "fixture.h"

/* Embeddings are words here: texts that share k of n words have a cosine of k / n. */
#define NEAR_A "apple birch cedar zebra daisy elder fern grass"
/* 6 of 8 in common with either */
#define A_AND_C "apple birch cedar zebra daisy elder maple ivy"
/* 7 with the first, 6 with the second */
#define NEAR_A_TOO "apple birch cedar zebra daisy maple fern grass"
#define TOLD_FIRST "Olive lotus. "

static void tells(const fixture *f, double of_subject, double of_candidate) {
    double off = fabs(f->margins.subject - of_subject) + fabs(f->margins.candidate - of_candidate);
    if (off > 0.02)
        fail_msg("margins %.3f and %.3f, not %.3f and %.3f", f->margins.subject, f->margins.candidate, of_subject, of_candidate);
}

/* A fixture whose stand-in finds all pairs with "maple". */
static void open_maple(fixture *f, int with_model) {
    fixture_open(f, with_model);
    f->nli_word = "maple";
    f->nli_score = 0.9;
    f->margins = (eg_margin){-2, -2};
}

/* By how much another fact is nearer to one of two than they are to each other, told to a
 * detection job. What says nearly the same is no other fact; of several statements the one
 * counts that is asked about. */
static void who_is_nearer_is_told(void **state) {
    (void)state;
    fixture f;
    open_maple(&f, 1);
    commit_as(&f, "a", "zoo", "maple heath");
    commit_as(&f, "a", "zoo", A_AND_C);
    tells(&f, 0, 0);
    fixture_close(&f);

    open_maple(&f, 1);
    commit_as(&f, "a", "zoo", NEAR_A);
    commit_as(&f, "a", "zoo", A_AND_C);
    commit_as(&f, "a", "zoo", NEAR_A_TOO);
    tells(&f, 0.125, 0);
    fixture_close(&f);

    open_maple(&f, 1);
    commit_as(&f, "a", "zoo", NEAR_A);
    commit_as(&f, "a", "zoo", NEAR_A_TOO);
    commit_as(&f, "a", "elsewhere", NEAR_A_TOO); /* finds its twin, to which nothing is nearer */
    tells(&f, 0, 0);
    f.asked[0] = (eg_span){sizeof TOLD_FIRST - 1, sizeof TOLD_FIRST A_AND_C - 1};
    commit_as(&f, "a", "zoo", TOLD_FIRST A_AND_C);
    tells(&f, 0, 0.125);
    fixture_close(&f);

    open_maple(&f, 0);
    commit_as(&f, "a", "zoo", NEAR_A_TOO);
    commit_as(&f, "a", "zoo", A_AND_C);
    tells(&f, 0, 0); /* without a model nothing is known of it */
    assert_int_equal(f.told, EG_EUNAVAILABLE);
    fixture_close(&f);
}

/* The same in a dry run, where what is nearer may come later, and against the store. */
static void a_check_tells_who_is_nearer(void **state) {
    (void)state;
    static const struct {
        const char *texts[3], *in_store;
        size_t found;
        double margins[2];
    } rows[] = {{{A_AND_C, NEAR_A_TOO}, NULL, 1, {0, 0}},
                {{NEAR_A, A_AND_C, NEAR_A_TOO}, NULL, 1, {0.125, 0}},
                {{A_AND_C, NEAR_A_TOO, NEAR_A}, NULL, 1, {0.125, 0}},
                {{NEAR_A_TOO, A_AND_C, NEAR_A}, NULL, 1, {0, 0.125}},
                {{NEAR_A, NEAR_A_TOO, TOLD_FIRST A_AND_C}, NULL, 1, {0, 0.125}},
                {{A_AND_C}, NEAR_A_TOO, 1, {0, 0.125}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture f;
        open_maple(&f, 1);
        eg_check_item items[3];
        eg_check_args args = {.size = sizeof(eg_check_args), .items = items, .against_store = rows[i].in_store != NULL};
        for (; args.item_count < 3 && rows[i].texts[args.item_count]; args.item_count++)
            items[args.item_count] =
                (eg_check_item){.content = eg_str_of(rows[i].texts[args.item_count]), .scope = EG_STR("zoo")};
        if (rows[i].in_store) {
            commit_as(&f, "a", "zoo", NEAR_A);
            commit_as(&f, "a", "zoo", rows[i].in_store);
        }
        if (strlen(rows[i].texts[args.item_count - 1]) > sizeof A_AND_C + 2)
            f.asked[0] = (eg_span){sizeof TOLD_FIRST - 1, sizeof TOLD_FIRST A_AND_C - 1};
        f.margins = (eg_margin){-2, -2};
        eg_checked found;
        assert_int_equal(f.ops->check(f.memory, f.rq, &args, &found), EG_OK);
        assert_int_equal(found.count, rows[i].found);
        tells(&f, rows[i].margins[0], rows[i].margins[1]);
        fixture_close(&f);
    }
    fixture f;
    open_maple(&f, 0);
    eg_check_item two[] = {{.content = EG_STR(A_AND_C), .scope = EG_STR("zoo")},
                           {.content = EG_STR(NEAR_A_TOO), .scope = EG_STR("zoo")}};
    eg_check_args args = {.size = sizeof(eg_check_args), .items = two, .item_count = 2};
    eg_checked found;
    assert_int_equal(f.ops->check(f.memory, f.rq, &args, &found), EG_OK);
    tells(&f, 0, 0); /* found by words, which tell nothing of it */
    assert_int_equal(f.told, EG_EUNAVAILABLE);
    fixture_close(&f);
}

/* A case brings the vectors that the store keeps: of each fact and, where it says several things,
 * of its statements. */
static void a_case_has_vectors(void **state) {
    (void)state;
    fixture f;
    open_maple(&f, 1);
    f.counts_vectors = 1;
    commit_as(&f, "a", "zoo", A_AND_C);
    commit_as(&f, "a", "zoo", "The apple is a birch. The cedar is a maple ivy.");
    assert_int_equal(f.wrong_vectors, 0);
    assert_int_equal(f.vectors, 4); /* three of the new fact, one of the other */
    eg_check_item two[] = {{.content = EG_STR(NEAR_A), .scope = EG_STR("zoo")},
                           {.content = EG_STR("maple heath"), .alone = EG_STR(NEAR_A_TOO), .scope = EG_STR("zoo")}};
    eg_check_args args = {.size = sizeof(eg_check_args), .items = two, .item_count = 2};
    eg_checked found;
    assert_int_equal(f.ops->check(f.memory, f.rq, &args, &found), EG_OK);
    assert_int_equal(f.wrong_vectors, 0);
    assert_int_equal(f.vectors, 2);
    fixture_close(&f);
}

/* A detector that asks about what is not in its case, or about another case, is refused. */
static void questions_about_a_case_are_checked(void **state) {
    (void)state;
    static const eg_case another = {.size = sizeof another};
    static const struct {
        eg_span asked[2];
        int wrong_candidate;
        const eg_case *another;
        eg_status status;
    } rows[] = {{{{0, 0}, {0, 0}}, 0, NULL, EG_OK},        {{{1, 3}, {0, 0}}, 0, NULL, EG_OK},
                {{{0, 1000}, {0, 0}}, 0, NULL, EG_EINVAL}, {{{0, 0}, {3, 1}}, 0, NULL, EG_EINVAL},
                {{{0, 0}, {0, 0}}, 1, NULL, EG_EINVAL},    {{{0, 0}, {0, 0}}, 0, &another, EG_EINVAL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture f;
        open_maple(&f, 1);
        commit_as(&f, "a", "zoo", NEAR_A_TOO);
        memcpy(f.asked, rows[i].asked, sizeof f.asked);
        f.wrong_candidate = rows[i].wrong_candidate;
        f.another_case = rows[i].another;
        commit_as(&f, "a", "zoo", A_AND_C);
        if (f.told != rows[i].status) fail_msg("row %zu: %d", i, (int)f.told);
        fixture_close(&f);
    }
}

static fixture *with_a_broken_store;
static const eg_storage_ops *working;
static eg_status breaks_for_detectors(eg_storage *store, eg_request *rq, const eg_filter *filter, const eg_search *searches,
                                      size_t n, eg_scored_list *out) {
    if (with_a_broken_store->asking) return eg_request_fail(rq, EG_EIO, "on purpose");
    return working->search(store, rq, filter, searches, n, out);
}

/* A store that fails when a detector asks fails the job, which is done again; it is not the
 * detector's fault alone. */
static void a_store_that_fails_fails_the_job(void **state) {
    (void)state;
    fixture f;
    open_maple(&f, 1);
    working = f.memory->env.storage_ops;
    eg_storage_ops broken = *working;
    broken.search = breaks_for_detectors;
    with_a_broken_store = &f;
    commit_as(&f, "a", "zoo", A_AND_C);
    f.memory->env.storage_ops = &broken;
    eg_commit_args args = {.size = sizeof(eg_commit_args),
                           .content = EG_STR(NEAR_A_TOO),
                           .scope = EG_STR("zoo"),
                           .agent_id = EG_STR("a"),
                           .wait_ms = 50};
    eg_receipt r;
    assert_int_equal(f.ops->commit(f.memory, f.rq, &args, &r), EG_OK);
    assert_int_equal(open_conflicts(&f, NULL), 0);
    f.memory->env.storage_ops = working;
    f.now += 3600 * EG_SECOND;
    work(&f);
    assert_int_equal(open_conflicts(&f, NULL), 1);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_case_has_vectors), cmocka_unit_test(who_is_nearer_is_told),
                                       cmocka_unit_test(a_check_tells_who_is_nearer),
                                       cmocka_unit_test(questions_about_a_case_are_checked),
                                       cmocka_unit_test(a_store_that_fails_fails_the_job)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
