/* test_updates.c - which fact an update replaces that names none. */
#include "fixture.h"

static eg_receipt update(fixture *f, const char *scope, const char *content) {
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = eg_str_of(content);
    args.scope = eg_str_of(scope);
    args.agent_id = EG_STR("agent-b");
    args.operation = EG_OP_UPDATE;
    return commit_args(f, args);
}

static void expect_added(const eg_receipt *r, const eg_fact *nearest) {
    assert_int_equal(r->operation, EG_OP_ADD);
    assert_true(eg_id_is_none(r->fact.supersedes));
    if (nearest) assert_true(r->nearest && eg_id_eq(r->nearest->id, nearest->id));
    else assert_null(r->nearest);
}

static void expect_replaced(const eg_receipt *r, const eg_fact *old) {
    assert_int_equal(r->operation, EG_OP_UPDATE);
    assert_true(eg_id_eq(r->fact.supersedes, old->id) && eg_id_eq(r->fact.lineage_id, old->lineage_id));
    assert_null(r->nearest);
}

/* What contradicts is replaced, though another fact is nearer, and though the rules name another
 * subject for it. */
static void the_contradicted_fact_is_replaced(void **state) {
    (void)state;
    WITH(f, 1);
    f.contradicts = "expire";
    eg_fact old = commit_as(&f, "agent-a", "auth", "Session tokens of the portal expire in 30 minutes.").fact;
    commit_as(&f, "agent-a", "auth", "Session tokens of the portal are signed by the auth service in Frankfurt.");
    eg_receipt r = update(&f, "auth", "Tokens of the portal expire in 45 minutes: session tokens signed by the auth service.");
    expect_replaced(&r, &old);
    fixture_close(&f);
}

/* Near, and not contradicted: it is still true. */
static void what_is_not_contradicted_stays(void **state) {
    (void)state;
    WITH(f, 1);
    f.contradicts = "expire";
    eg_fact near = commit_as(&f, "agent-a", "auth", "Session tokens of the portal are signed in Frankfurt.").fact;
    eg_receipt r = update(&f, "auth", "Session tokens of the portal are checked in Frankfurt.");
    expect_added(&r, &near);
    /* contradicted, and about something else by its words */
    f.contradicts = "quota";
    commit_as(&f, "agent-a", "auth", "Mail has a quota.");
    r = update(&f, "auth", "Build machines share one disk quota with the nightly jobs of all teams.");
    expect_added(&r, NULL);
    fixture_close(&f);
}

/* Scopes above and below belong to the update's scope; of others the nearest fact is named. */
static void scopes_beside_are_only_named(void **state) {
    (void)state;
    static const struct {
        const char *old, *update;
        int replaced;
    } cases[] = {{"auth", "auth/api", 1},
                 {"auth/api", "auth", 1},
                 {"auth/api", "auth/web", 0},
                 {"mail", "auth", 0},
                 {"authority", "auth", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        WITH(f, 1);
        f.contradicts = "expire";
        eg_fact old = commit_as(&f, "agent-a", cases[i].old, "Session tokens of the portal expire in 30 minutes.").fact;
        eg_receipt r = update(&f, cases[i].update, "Session tokens of the portal expire in 45 minutes.");
        if (cases[i].replaced) expect_replaced(&r, &old);
        else expect_added(&r, &old);
        fixture_close(&f);
    }
}

/* Without a model that tells what contradicts, only a fact that stands out is replaced. */
static void without_a_model_it_must_stand_out(void **state) {
    (void)state;
    WITH(f, 1);
    eg_fact old = commit_as(&f, "agent-a", "auth", "Session tokens of the portal expire in 30 minutes.").fact;
    commit_as(&f, "agent-a", "auth", "Mail templates live in the mail repository.");
    eg_receipt r = update(&f, "auth", "Session tokens of the portal expire in 45 minutes.");
    expect_replaced(&r, &old);
    commit_as(&f, "agent-a", "auth", "Session tokens of the shop expire in 45 minutes.");
    r = update(&f, "auth", "Session tokens of the portal and the shop expire in 60 minutes.");
    assert_int_equal(r.operation, EG_OP_ADD);
    assert_non_null(r.nearest);
    fixture_close(&f);
}

/* An add that was asked for names nothing. */
static void only_updates_name_the_nearest(void **state) {
    (void)state;
    WITH(f, 1);
    commit_as(&f, "agent-a", "auth", "Session tokens of the portal expire in 30 minutes.");
    assert_null(commit_as(&f, "agent-b", "mail", "Session tokens of the portal expire in 30 minutes or so.").nearest);
    fixture_close(&f);
}

/* Two facts that are as near and contradicted alike: which one is meant is not known. */
static void of_two_equal_facts_neither_is_replaced(void **state) {
    (void)state;
    WITH(f, 1);
    f.contradicts = "expire";
    commit_as(&f, "agent-a", "auth", "Session tokens of the portal expire in 30 minutes.");
    commit_as(&f, "agent-a", "auth", "In 30 minutes session tokens of the portal expire.");
    eg_receipt r = update(&f, "auth", "Session tokens of the portal expire in 45 minutes.");
    assert_int_equal(r.operation, EG_OP_ADD);
    assert_non_null(r.nearest);
    fixture_close(&f);
}

/* The number that the update names as the old one tells them apart, in whatever form. */
static void the_old_number_decides(void **state) {
    (void)state;
    for (int first = 0; first < 2; first++) {
        WITH(f, 1);
        f.contradicts = "expire";
        static const char *const texts[] = {"Session tokens of the portal expire in thirty minutes.",
                                            "Session tokens of the portal expire in twenty minutes."};
        eg_fact facts[2];
        facts[first] = commit_as(&f, "agent-a", "auth", texts[first]).fact;
        facts[!first] = commit_as(&f, "agent-a", "auth", texts[!first]).fact;
        eg_receipt r = update(&f, "auth", "Session tokens of the portal expire in 45 minutes, no longer 30.");
        expect_replaced(&r, &facts[0]);
        fixture_close(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_contradicted_fact_is_replaced),
        cmocka_unit_test(what_is_not_contradicted_stays),
        cmocka_unit_test(scopes_beside_are_only_named),
        cmocka_unit_test(without_a_model_it_must_stand_out),
        cmocka_unit_test(only_updates_name_the_nearest),
        cmocka_unit_test(of_two_equal_facts_neither_is_replaced),
        cmocka_unit_test(the_old_number_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
