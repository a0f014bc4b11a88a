/* test_query.c - what decides which facts a query finds, in which order, and how relevant they
 * are. */
#include "core/memory/scope_vectors.h"
#include "fixture.h"

#define UNRELATED "zebra quagga okapi"

/* A word that half of the facts have weighs nothing: so there are more. */
static void commit_others(fixture *f) {
    for (int i = 0; i < 12; i++) {
        char text[60];
        snprintf(text, sizeof text, "Shelf number%d of depot%d holds part%d.", i, i, i);
        commit_as(f, "agent-a", "depot", text);
    }
}

/* Relevance says whether the memory knows the topic, not only which of its facts comes first. */
static void relevance_is_absolute(void **state) {
    (void)state;
    for (int with_model = 0; with_model < 2; with_model++) {
        WITH(f, with_model);
        commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
        commit_as(&f, "agent-a", "mail", "Mail templates live in the mail repository.");
        commit_others(&f);
        eg_hits known = query(&f, "auth service port 8080");
        assert_true(known.hits[0].relevance > 0.5);
        /* one word of many is no match, though no fact has a better one */
        eg_hits poor = query(&f, "repository " UNRELATED " lynx caracal serval ocelot");
        assert_true(poor.count >= 1);
        for (size_t i = 0; i < poor.count; i++) assert_true(poor.hits[i].relevance < known.hits[0].relevance / 2);
        eg_hits unknown = query(&f, UNRELATED);
        for (size_t i = 0; i < unknown.count; i++) assert_true(unknown.hits[i].relevance < known.hits[0].relevance / 2);
        fixture_close(&f);
    }
}

/* Far facts are found behind near ones, since a topic may share no word with what answers it; but
 * where nothing is near, nothing is known. */
static void far_facts_come_behind_near_ones(void **state) {
    (void)state;
    WITH(f, 1);
    eg_id near = commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.").fact.id;
    commit_as(&f, "agent-a", "zoo", "Mira feeds " UNRELATED ".");
    eg_hits hits = query(&f, "auth service port");
    assert_int_equal(hits.count, 2);
    assert_true(eg_id_eq(hits.hits[0].fact.id, near) && hits.hits[1].relevance < hits.hits[0].relevance * 0.7);
    assert_int_equal(query(&f, "heron badger").count, 0);
    fixture_close(&f);
}

/* Type, evidence and age decide between equals and nothing else. */
static void boosts_decide_between_equals(void **state) {
    (void)state;
    WITH(f, 1);
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.agent_id = EG_STR("agent-a");
    args.fact_type = EG_FACT_DECISION;
    args.provenance = EG_STR("docs/adr.md:1");
    args.scope = EG_STR("a");
    args.content = EG_STR("Lookups of the catalogue are cached by the edge for one hour or so.");
    eg_id decided = commit_args(&f, args).fact.id;
    commit_as(&f, "agent-a", "b", "Lookups of the catalogue are cached by the edge for one hour or so.");
    eg_id nearer = commit_as(&f, "agent-a", "b", "Lookups of the catalogue are cached by the edge.").fact.id;
    f.now += 100 * EG_DAY;
    eg_hits hits = query(&f, "lookups catalogue cached by the edge");
    assert_int_equal(hits.count, 3);
    assert_true(eg_id_eq(hits.hits[0].fact.id, nearer));
    assert_true(eg_id_eq(hits.hits[1].fact.id, decided));
    fixture_close(&f);
}

/* A scope that is only preferred hides nothing: what is outside comes behind, and is marked. */
static void a_scope_can_be_preferred(void **state) {
    (void)state;
    WITH(f, 1);
    eg_id inside = commit_as(&f, "agent-a", "auth/api", "Tokens of clients expire after an hour.").fact.id;
    eg_id outside = commit_as(&f, "agent-a", "web", "Tokens expire after an hour.").fact.id;
    eg_query_args args = EG_QUERY_DEFAULTS;
    args.topic = EG_STR("tokens expire");
    args.scope = EG_STR("auth");
    eg_hits hits;
    assert_int_equal(f.ops->query(f.memory, f.rq, &args, &hits), EG_OK);
    assert_int_equal(hits.count, 1);
    args.flags = EG_QUERY_PREFER_SCOPE;
    assert_int_equal(f.ops->query(f.memory, f.rq, &args, &hits), EG_OK);
    assert_int_equal(hits.count, 2);
    assert_true(eg_id_eq(hits.hits[0].fact.id, inside) && !strstr(hits.hits[0].why.ptr, "outside"));
    assert_true(eg_id_eq(hits.hits[1].fact.id, outside) && strstr(hits.hits[1].why.ptr, "outside the scope"));
    args.scope = EG_STR("/"); /* all: there is nothing to prefer */
    assert_int_equal(f.ops->query(f.memory, f.rq, &args, &hits), EG_OK);
    assert_true(hits.count == 2 && eg_id_eq(hits.hits[0].fact.id, outside));
    fixture_close(&f);
}

/* From the third place on, what is near to the best answer comes before what is a little nearer to
 * the topic. */
static void what_is_near_to_the_best_comes_third(void **state) {
    (void)state;
    WITH(f, 1);
    commit_others(&f);
    eg_id best = commit_as(&f, "agent-a", "store", "alpha beta gamma delta zeta iota").fact.id;
    eg_id beside = commit_as(&f, "agent-a", "store", "gamma delta zeta iota").fact.id;
    commit_as(&f, "agent-a", "mill", "gamma lever wheel");
    commit_as(&f, "agent-a", "pump", "beta piston rotor");
    eg_hits hits = query(&f, "alpha beta gamma");
    assert_true(hits.count >= 4);
    assert_true(eg_id_eq(hits.hits[0].fact.id, best));
    assert_true(eg_id_eq(hits.hits[2].fact.id, beside));
    assert_true(hits.hits[2].relevance < hits.hits[3].relevance);
    fixture_close(&f);
}

/* Of facts that match equally the one comes first whose scope is named as the topic. A stop word
 * is no search term, so only its meaning can tell. */
static void the_name_of_a_scope_counts(void **state) {
    (void)state;
    WITH(f, 1);
    eg_id named = commit_as(&f, "agent-a", "who", "The gadget belongs to Mira.").fact.id;
    /* newer, which decides between equals */
    commit_as(&f, "agent-a", "team", "The gadget belongs to Mira.");
    assert_true(eg_id_eq(query(&f, "who owns the gadget").hits[0].fact.id, named));
    fixture_close(&f);
}

/* Names are embedded once, a few at a time, and again for another model. */
static void scopes_are_embedded_once(void **state) {
    (void)state;
    WITH(f, 1);
    enum { DIMENSIONS = 64, SCOPES = EG_MOST_NEW_SCOPES + 2 };
    char names[SCOPES][16];
    eg_str scopes[SCOPES + 1];
    const float *v[SCOPES + 1];
    for (size_t i = 0; i < SCOPES; i++) {
        snprintf(names[i], sizeof names[i], "scope%zu", i);
        scopes[i] = eg_str_of(names[i]);
    }
    scopes[SCOPES] = scopes[0];
    const eg_vector like = {.dimensions = DIMENSIONS, .model_id = EG_STR("hashed-words")};
    f.embedded = 0;
    assert_int_equal(eg_scope_vectors(f.memory, f.rq, &like, scopes, SCOPES + 1, v), EG_OK);
    assert_int_equal(f.embedded, EG_MOST_NEW_SCOPES);
    for (size_t i = 0; i < SCOPES; i++) assert_int_equal(v[i] != NULL, i < EG_MOST_NEW_SCOPES);
    assert_ptr_equal(v[SCOPES], v[0]);
    assert_int_equal(eg_scope_vectors(f.memory, f.rq, &like, scopes, SCOPES + 1, v), EG_OK);
    assert_int_equal(f.embedded, SCOPES);
    for (size_t i = 0; i < SCOPES; i++) {
        float own[DIMENSIONS];
        assert_int_equal(f.services.embed(f.services.host, f.rq, &scopes[i], 1, own, DIMENSIONS), EG_OK);
        assert_memory_equal(v[i], own, sizeof own);
    }
    f.embedded = 0;
    assert_int_equal(eg_scope_vectors(f.memory, f.rq, &like, scopes, SCOPES, v), EG_OK);
    assert_int_equal(f.embedded, 0);
    const eg_vector other = {.dimensions = DIMENSIONS, .model_id = EG_STR("another")};
    assert_int_equal(eg_scope_vectors(f.memory, f.rq, &other, scopes, 1, v), EG_OK);
    assert_int_equal(f.embedded, 1);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relevance_is_absolute),
        cmocka_unit_test(far_facts_come_behind_near_ones),
        cmocka_unit_test(boosts_decide_between_equals),
        cmocka_unit_test(a_scope_can_be_preferred),
        cmocka_unit_test(what_is_near_to_the_best_comes_third),
        cmocka_unit_test(the_name_of_a_scope_counts),
        cmocka_unit_test(scopes_are_embedded_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
