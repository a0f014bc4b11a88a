/* test_memory.c - the memory as its users meet it: what is committed, found, told apart and
 * refused. Many hold a defect that memory systems of this kind have had: they must never come
 * back. Settling is in test_settling.c, undo in test_undo.c, what happens behind a commit in
 * test_background.c. */
#include "core/memory/hits.h"
#include "core/memory/thresholds.h"
#include "fixture.h"

/* A fact with a TTL is visible and checked until it ends, and gone afterwards; as_of still finds
 * it. */
static void a_ttl_fact_lives_until_its_end(void **state) {
    (void)state;
    WITH(f, 1);
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("The auth service session timeout is 30 seconds.");
    args.scope = EG_STR("auth");
    args.agent_id = EG_STR("agent-a");
    args.ttl_days = 7;
    eg_receipt r = commit_args(&f, args);
    assert_int_equal(r.fact.valid_until, r.fact.valid_from + 7 * EG_DAY);
    assert_int_equal(query(&f, "auth session timeout").count, 1);
    eg_receipt other = commit_as(&f, "agent-b", "auth", "The auth service session timeout is 90 seconds.");
    assert_int_equal(other.conflict_count, 1);
    eg_conflict_view *open;
    assert_int_equal(open_conflicts(&f, &open), 1);

    int64_t then = f.now;
    f.now += 8 * EG_DAY;
    assert_int_equal(open_conflicts(&f, &open), 0);
    eg_hits now = query(&f, "auth session timeout");
    assert_int_equal(now.count, 1);
    assert_true(eg_id_eq(now.hits[0].fact.id, other.fact.id));
    eg_query_args past = EG_QUERY_DEFAULTS;
    past.topic = EG_STR("auth session timeout");
    past.as_of = then;
    eg_hits was;
    assert_int_equal(f.ops->query(f.memory, f.rq, &past, &was), EG_OK);
    assert_int_equal(was.count, 2);
    fixture_close(&f);
}

/* A clock that is set back changes nothing: facts are seen, equal ones are known, an update ends
 * what it replaces. */
static void a_clock_that_goes_back(void **state) {
    (void)state;
    WITH(f, 1);
    commit_as(&f, "agent-a", "auth", "The auth service session timeout is 30 seconds.");
    f.now -= EG_DAY;
    assert_int_equal(query(&f, "auth session timeout").count, 1);
    eg_receipt r = commit_as(&f, "agent-a", "auth", "The auth service session timeout is 30 seconds.");
    assert_true(r.duplicate);
    char lineage[37];
    eg_id_format(r.fact.lineage_id, lineage);
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("The auth service session timeout is 45 seconds.");
    args.scope = EG_STR("auth");
    args.agent_id = EG_STR("agent-a");
    args.corrects_lineage = eg_str_of(lineage);
    r = commit_args(&f, args);
    assert_true(r.operation == EG_OP_UPDATE && r.detection_done);
    eg_hits hits = query(&f, "auth session timeout");
    assert_int_equal(hits.count, 1);
    assert_true(eg_id_eq(hits.hits[0].fact.id, r.fact.id));
    fixture_close(&f);
}

/* A fresh decision with provenance about something else never outranks an old exact match. */
static void relevance_dominates(void **state) {
    (void)state;
    WITH(f, 1);
    eg_receipt exact = commit_as(&f, "agent-a", "billing", "Invoices are rounded half to even by the ledger worker.");
    f.now += 400 * EG_DAY;
    for (int i = 0; i < 20; i++) {
        char text[100];
        snprintf(text, sizeof text, "Decision %d: the landing page of campaign %d uses the blue layout.", i, i);
        eg_commit_args args = EG_COMMIT_DEFAULTS;
        args.content = eg_str_of(text);
        args.scope = EG_STR("web");
        args.fact_type = EG_FACT_DECISION;
        args.provenance = EG_STR("docs/adr.md:1");
        args.wait_ms = 0;
        commit_args(&f, args);
    }
    eg_hits hits = query(&f, "how does the ledger worker round invoices");
    assert_true(hits.count >= 1);
    assert_true(eg_id_eq(hits.hits[0].fact.id, exact.fact.id));
    fixture_close(&f);
}

/* No punctuation switches off the search by words. */
static void any_punctuation_is_safe_in_a_query(void **state) {
    (void)state;
    static const char *const topics[] = {"what is AUTH_RATE_LIMIT?", "AUTH_RATE_LIMIT - ' \" * ( ) : ^ NEAR OR AND NOT",
                                         "\"AUTH_RATE_LIMIT", "AUTH_RATE_LIMIT'; DROP TABLE facts; --",
                                         "{AUTH_RATE_LIMIT} [x] %_ ? ?"};
    WITH(f, 0); /* without a model: only the words */
    commit_as(&f, "agent-a", "auth", "AUTH_RATE_LIMIT is read from the .env file at start.");
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
        eg_hits hits = query(&f, topics[i]);
        if (hits.count != 1) fail_msg("'%s' found %zu facts", topics[i], hits.count);
        assert_true(hits.text_only);
    }
    fixture_close(&f);
}

/* Age does not hide a fact: neither from a query nor from detection. */
static void the_oldest_of_hundreds_is_found(void **state) {
    (void)state;
    WITH(f, 1);
    eg_receipt old = commit_as(&f, "agent-a", "infra", "The vault cluster listens on port 8200.");
    for (int i = 0; i < 260; i++) {
        char text[100];
        snprintf(text, sizeof text, "Worker group %d of the infra fleet was resized for quarter %d planning.", i, i);
        eg_commit_args args = EG_COMMIT_DEFAULTS;
        args.content = eg_str_of(text);
        args.scope = EG_STR("infra");
        args.wait_ms = 0;
        commit_args(&f, args);
    }
    eg_hits hits = query(&f, "vault cluster port");
    assert_true(hits.count >= 1 && eg_id_eq(hits.hits[0].fact.id, old.fact.id));
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("The vault cluster listens on port 8300.");
    args.scope = EG_STR("infra");
    args.agent_id = EG_STR("agent-b");
    args.wait_ms = 60000;
    eg_receipt r = commit_args(&f, args);
    assert_int_equal(r.conflict_count, 1);
    fixture_close(&f);
}

/* Exact claims are compared without any model. */
static void rules_work_without_a_model(void **state) {
    (void)state;
    WITH(f, 0);
    commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    eg_receipt r = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
    assert_int_equal(r.conflict_count, 1); /* the vectors still wait, the verdict does not */
    assert_true(r.conflicts[0].conflict.explanation.len > 0);
    fixture_close(&f);
}

/* The same quantity in another unit is no conflict; the same number in another unit is one. */
static void units_are_understood(void **state) {
    (void)state;
    WITH(f, 1);
    commit_as(&f, "agent-a", "auth", "The auth service request timeout is 30 seconds.");
    assert_int_equal(commit_as(&f, "agent-b", "auth", "The auth service request timeout is 30000 ms.").conflict_count, 0);
    commit_as(&f, "agent-a", "mail", "The mail worker retry delay is 30 seconds.");
    assert_int_equal(commit_as(&f, "agent-b", "mail", "The mail worker retry delay is 30 minutes.").conflict_count, 1);
    fixture_close(&f);
}

/* Two services may have different limits. */
static void other_services_are_other_subjects(void **state) {
    (void)state;
    WITH(f, 1);
    commit_as(&f, "agent-a", "auth", "The auth service rate limit is 1000 req/s.");
    assert_int_equal(commit_as(&f, "agent-b", "payments", "The payments service rate limit is 50 req/s.").conflict_count, 0);
    fixture_close(&f);
}

/* Feedback moves the threshold of the tier it is about. */
static void feedback_moves_the_threshold(void **state) {
    (void)state;
    WITH(f, 1);
    f.nli_word = "zebra";
    f.nli_score = 0.82;
    for (int i = 0; i < 12; i++) {
        char text[100];
        snprintf(text, sizeof text, "The zebra%d mode of module%d painted stripe%d.", i, i, i);
        commit_as(&f, i % 2 ? "agent-a" : "agent-b", "zoo", text);
    }
    eg_conflict_view *views;
    size_t n = open_conflicts(&f, &views);
    assert_true(n >= 12);
    for (size_t i = 0; i < n; i++) {
        char id[EG_ID_TEXT];
        eg_id_format(views[i].conflict.id, id);
        eg_resolve_args args = {.size = sizeof(eg_resolve_args),
                                .conflict_id = eg_str_of(id),
                                .resolution_type = EG_RESOLUTION_DISMISS,
                                .resolution = EG_STR("no")};
        eg_resolved done;
        assert_int_equal(f.ops->resolve(f.memory, f.rq, &args, &done), EG_OK);
    }
    double least;
    eg_thresholds thresholds = {0};
    assert_int_equal(eg_least_score(f.memory, f.rq, &thresholds, EG_STR("tier1_nli"), &least), EG_OK);
    assert_true(least > f.threshold + 0.05);
    commit_as(&f, "agent-a", "zoo", "One more zebra is grey.");
    assert_int_equal(open_conflicts(&f, NULL), 0);
    fixture_close(&f);
}

/* A dry run writes nothing at all. */
static void check_writes_nothing(void **state) {
    (void)state;
    WITH(f, 1);
    commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    eg_memory_status before, after;
    assert_int_equal(f.ops->status(f.memory, f.rq, &before), EG_OK);
    eg_check_item items[] = {{.content = EG_STR("The auth service runs on port 9090."), .scope = EG_STR("auth")},
                             {.content = EG_STR("The auth service runs on port 7070."), .scope = EG_STR("auth")}};
    eg_check_args args = {.size = sizeof(eg_check_args), .items = items, .item_count = 2, .against_store = 1};
    eg_checked found;
    assert_int_equal(f.ops->check(f.memory, f.rq, &args, &found), EG_OK);
    assert_int_equal(found.count, 3);
    assert_int_equal(f.ops->status(f.memory, f.rq, &after), EG_OK);
    assert_int_equal(before.store.seq, after.store.seq);
    assert_int_equal(after.store.facts, 1);
    fixture_close(&f);
}

/* What stands twice, word for word, is examined once: a copied page neither repeats its findings
 * nor crowds out what is near. */
static void check_examines_what_is_repeated_once(void **state) {
    (void)state;
    WITH(f, 1);
    eg_check_item items[40];
    for (size_t i = 0; i < 40; i++) /* more copies than candidates are read */
        items[i] = (eg_check_item){.content = EG_STR("The auth service runs on port 7070."), .scope = EG_STR("auth")};
    items[0].content = EG_STR("The auth service runs on port 9090.");
    items[39].scope = EG_STR("billing"); /* in another scope it is another statement */
    eg_check_args args = {.size = sizeof(eg_check_args), .items = items, .item_count = 40};
    eg_checked found;
    assert_int_equal(f.ops->check(f.memory, f.rq, &args, &found), EG_OK);
    assert_int_equal(found.statements, 40);
    assert_int_equal(found.count, 2);
    for (size_t i = 0; i < found.count; i++) assert_int_equal(found.findings[i].other, 0);
    assert_int_equal(found.findings[0].item, 1);
    assert_int_equal(found.findings[1].item, 39);
    items[39] = (eg_check_item){.content = EG_STR("The auth service runs on port 9091."), .scope = EG_STR("auth")};
    assert_int_equal(f.ops->check(f.memory, f.rq, &args, &found), EG_OK);
    assert_int_equal(found.count, 3);
    fixture_close(&f);
}

static void describe_models(void *host, eg_memory_status *out) {
    if (((fixture *)host)->nli_asked) out->nli_problem = EG_STR("its weights are missing");
}

/* A model that turns out to be broken when it is opened is told like one that is not there. */
static void check_tells_that_a_model_did_not_open(void **state) {
    (void)state;
    WITH(f, 0);
    f.memory->env.describe_models = describe_models;
    eg_check_item items[] = {{.content = EG_STR("The cellar is cleaned in the evening.")},
                             {.content = EG_STR("Somebody cleans the cellar in the evening.")}};
    eg_check_args args = {.size = sizeof(eg_check_args), .items = items, .item_count = 2};
    eg_checked found;
    assert_int_equal(f.ops->check(f.memory, f.rq, &args, &found), EG_OK);
    assert_int_equal(found.count, 0);
    assert_int_equal(f.nli_asked, 1);
    assert_true(found.without_nli);
    fixture_close(&f);
}

/* What a detector could not examine is told beside what the others found; without any detector
 * nothing is examined. */
static void check_tells_what_was_not_examined(void **state) {
    (void)state;
    WITH(f, 0);
    eg_check_item items[] = {{.content = EG_STR("The auth service runs on port 9090.")},
                             {.content = EG_STR("The auth service runs on port 7070.")},
                             {.content = EG_STR("The auth service runs on Linux.")}};
    eg_check_args args = {.size = sizeof(eg_check_args), .items = items, .item_count = 3};
    eg_checked found;
    assert_int_equal(f.ops->check(f.memory, f.rq, &args, &found), EG_OK);
    assert_int_equal(found.problem.len, 0);
    f.memory_limit = (size_t)16 << 20;
    f.greedy = 1;
    assert_int_equal(f.ops->check(f.memory, f.rq, &args, &found), EG_OK);
    assert_int_equal(found.count, 1);
    assert_non_null(strstr(found.problem.ptr, "failed: "));
    f.memory->env.detector_count = 0;
    assert_int_equal(f.ops->check(f.memory, f.rq, &args, &found), EG_EUNAVAILABLE);
    assert_non_null(strstr(f.rq->err->text, "detector"));
    fixture_close(&f);
}

static void duplicates_are_seen(void **state) {
    (void)state;
    WITH(f, 1);
    eg_receipt a = commit_as(&f, "agent-a", "net", "The uplink has 10 MB buffers.");
    eg_receipt same = commit_as(&f, "agent-b", "net", "  the uplink  has 10 MB buffers");
    assert_true(same.duplicate && eg_id_eq(same.fact.id, a.fact.id));
    /* megabits */
    assert_false(commit_as(&f, "agent-b", "net", "The uplink has 10 Mb buffers.").duplicate);
    assert_false(commit_as(&f, "agent-b", "net/edge", "The uplink has 10 MB buffers.").duplicate);
    fixture_close(&f);
}

/* A known text that is committed for longer is kept for longer, never shorter, and only as long
 * as was asked for. */
static void a_known_text_is_kept_as_long_as_asked(void **state) {
    (void)state;
    enum { FOREVER = 0, NOTHING = -1 };
    static const struct {
        uint32_t ttl_days, durability; /* of the known one */
        uint32_t again_days, again_durability;
        int ends; /* days after the second commit; NOTHING: is left alone */
    } cases[] = {
        {7, EG_DURABILITY_DURABLE, 0, EG_DURABILITY_DURABLE, FOREVER},
        {7, EG_DURABILITY_DURABLE, 9, EG_DURABILITY_DURABLE, 9},
        {7, EG_DURABILITY_DURABLE, 2, EG_DURABILITY_DURABLE, NOTHING},
        {0, EG_DURABILITY_DURABLE, 2, EG_DURABILITY_DURABLE, NOTHING},
        {1, EG_DURABILITY_DURABLE, 9, EG_DURABILITY_EPHEMERAL, NOTHING},
        {1, EG_DURABILITY_EPHEMERAL, 0, EG_DURABILITY_DURABLE, FOREVER},
        {1, EG_DURABILITY_EPHEMERAL, 9, EG_DURABILITY_DURABLE, 9},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        WITH(f, 1);
        eg_commit_args args = EG_COMMIT_DEFAULTS;
        args.content = EG_STR("The staging cluster is frozen for the audit.");
        args.ttl_days = cases[i].ttl_days;
        args.durability = cases[i].durability;
        eg_fact known = commit_args(&f, args).fact;
        args.ttl_days = cases[i].again_days;
        args.durability = cases[i].again_durability;
        eg_receipt r = commit_args(&f, args);
        int left_alone = cases[i].ends == NOTHING;
        assert_true(r.duplicate && eg_id_eq(r.fact.id, known.id));
        assert_int_equal(r.operation, left_alone ? EG_OP_NONE : EG_OP_UPDATE);
        assert_int_equal(r.fact.durability, left_alone ? known.durability : EG_DURABILITY_DURABLE);
        assert_int_equal(r.fact.valid_until, left_alone                 ? known.valid_until
                                             : cases[i].ends == FOREVER ? EG_FOREVER
                                                                        : f.now + cases[i].ends * EG_DAY);
        assert_int_equal(r.undo_id, 0);
        fixture_close(&f);
    }
}

/* Ephemeral facts stay out of queries and detection until others have found them twice, or they are
 * promoted: that their author finds them says nothing. */
static void ephemeral_facts_earn_their_place(void **state) {
    (void)state;
    WITH(f, 1);
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("The flaky build passes when the cache is warm.");
    args.durability = EG_DURABILITY_EPHEMERAL;
    eg_receipt r = commit_args(&f, args);
    assert_int_equal(r.fact.valid_until, r.fact.valid_from + EG_DAY);
    assert_int_equal(query(&f, "flaky build cache").count, 0);
    eg_query_args q = EG_QUERY_DEFAULTS;
    q.topic = EG_STR("flaky build cache");
    q.include_ephemeral = 1;
    static const eg_principal another = {.size = sizeof another, .role = EG_ROLE_WRITER, .agent = EG_STR("another")};
    eg_hits hits;
    size_t ran, left;
    for (int i = 0; i < 2; i++) {
        for (int own = 0; own < 3; own++) assert_int_equal(f.ops->query(f.memory, f.rq, &q, &hits), EG_OK);
        assert_int_equal(f.ops->work(f.memory, f.rq, &ran, &left), EG_OK);
        assert_int_equal(query(&f, "flaky build cache").count, 0);
        eg_request *rq = fixture_request(&f, "local", &another, (eg_cancel){0});
        assert_int_equal(f.ops->query(f.memory, rq, &q, &hits), EG_OK);
        assert_int_equal(hits.count, 1);
        f.services.request_release(&f, rq);
    }
    assert_int_equal(f.ops->work(f.memory, f.rq, &ran, &left), EG_OK);
    hits = query(&f, "flaky build cache");
    assert_int_equal(hits.count, 1);
    assert_int_equal(hits.hits[0].fact.durability, EG_DURABILITY_DURABLE);
    assert_true(hits.hits[0].fact.valid_until == EG_FOREVER);
    fixture_close(&f);
}

/* When more hits wait to be counted than there is room for, the oldest are dropped. */
static void the_latest_hits_are_counted(void **state) {
    (void)state;
    WITH(f, 0);
    commit_as(&f, "agent-a", "house", "The cellar is damp.");
    commit_as(&f, "agent-a", "house", "The attic is dry.");
    for (int i = 0; i < HIT_QUEUE; i++) assert_int_equal(query(&f, "cellar").count, 1);
    query(&f, "attic");
    assert_int_equal(eg_hits_flush(f.memory, f.rq), EG_OK);
    assert_int_equal(query(&f, "attic").hits[0].fact.query_hits, 1);
    assert_int_equal(query(&f, "cellar").hits[0].fact.query_hits, HIT_QUEUE - 1);
    fixture_close(&f);
}

static void bad_arguments_are_named(void **state) {
    (void)state;
    static char big[EG_MAX_CONTENT + 2];
    memset(big, 'a', sizeof big - 1);
    WITH(f, 1);
    const struct {
        eg_commit_args args;
        eg_status code;
        const char *word;
    } cases[] = {
        {{.size = sizeof(eg_commit_args), .content = EG_STR(""), .confidence = 0.5}, EG_EINVAL, "content"},
        {{.size = sizeof(eg_commit_args), .content = EG_STR(" \n\t"), .confidence = 0.5}, EG_EINVAL, "content"},
        {{.size = sizeof(eg_commit_args), .content = EG_STR("broken \xff utf-8"), .confidence = 0.5}, EG_EINVAL, "byte 7"},
        {{.size = sizeof(eg_commit_args), .content = {"a\0b", 3}, .confidence = 0.5}, EG_EINVAL, "NUL"},
        {{.size = sizeof(eg_commit_args), .content = {big, EG_MAX_CONTENT + 1}, .confidence = 0.5}, EG_ELIMIT, "8193"},
        {{.size = sizeof(eg_commit_args), .content = EG_STR("x"), .confidence = 1.5}, EG_EINVAL, "confidence"},
        {{.size = sizeof(eg_commit_args), .content = EG_STR("x"), .confidence = 0.5, .scope = EG_STR("a b")}, EG_EINVAL, "scope"},
        {{.size = sizeof(eg_commit_args), .content = EG_STR("x"), .confidence = 0.5, .ttl_days = 99999999},
         EG_EINVAL,
         "ttl_days"},
        {{.size = sizeof(eg_commit_args), .content = EG_STR("x"), .confidence = 0.5, .operation = EG_OP_DELETE},
         EG_EINVAL,
         "corrects_lineage"},
        {{.size = sizeof(eg_commit_args), .content = EG_STR("x"), .confidence = 0.5, .corrects_lineage = EG_STR("zzz")},
         EG_EINVAL,
         "corrects_lineage"},
        {{.size = sizeof(eg_commit_args),
          .content = EG_STR("x"),
          .confidence = 0.5,
          .corrects_lineage = EG_STR("01890000-0000-7000-8000-000000000000")},
         EG_ENOENT,
         "lineage"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        eg_receipt r;
        *f.rq->err = (eg_error){0};
        assert_int_equal(f.ops->commit(f.memory, f.rq, &cases[i].args, &r), cases[i].code);
        if (!strstr(f.rq->err->text, cases[i].word)) fail_msg("case %zu: '%s'", i, f.rq->err->text);
    }
    eg_query_args q = EG_QUERY_DEFAULTS;
    eg_hits hits;
    assert_int_equal(f.ops->query(f.memory, f.rq, &q, &hits), EG_EINVAL);
    q.topic = EG_STR("x");
    q.limit = 51;
    assert_int_equal(f.ops->query(f.memory, f.rq, &q, &hits), EG_EINVAL);
    q.limit = 0;
    q.topic = (eg_str){big, sizeof big - 1};
    assert_int_equal(f.ops->query(f.memory, f.rq, &q, &hits), EG_OK); /* cut, not refused */
    assert_true(hits.topic_cut);
    eg_memory_status st;
    assert_int_equal(f.ops->status(f.memory, f.rq, &st), EG_OK);
    assert_int_equal(st.store.facts, 0);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ttl_fact_lives_until_its_end),
        cmocka_unit_test(a_clock_that_goes_back),
        cmocka_unit_test(relevance_dominates),
        cmocka_unit_test(any_punctuation_is_safe_in_a_query),
        cmocka_unit_test(the_oldest_of_hundreds_is_found),
        cmocka_unit_test(rules_work_without_a_model),
        cmocka_unit_test(units_are_understood),
        cmocka_unit_test(other_services_are_other_subjects),
        cmocka_unit_test(feedback_moves_the_threshold),
        cmocka_unit_test(check_writes_nothing),
        cmocka_unit_test(check_examines_what_is_repeated_once),
        cmocka_unit_test(check_tells_that_a_model_did_not_open),
        cmocka_unit_test(check_tells_what_was_not_examined),
        cmocka_unit_test(duplicates_are_seen),
        cmocka_unit_test(a_known_text_is_kept_as_long_as_asked),
        cmocka_unit_test(ephemeral_facts_earn_their_place),
        cmocka_unit_test(the_latest_hits_are_counted),
        cmocka_unit_test(bad_arguments_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
