/* conformance.c - the checks of conformance.h about facts, searches, workspaces and the audit
 * log. */
#include "conformance_steps.h"

void conformance_windows(store *s) {
    set_clock(s, 1000 * DAY);
    eg_id forever = put_fact(s, "kept for ever", "auth", 0, 0), week = put_fact(s, "kept a week", "auth/jwt", 7 * DAY, 1);
    put_fact(s, "another tree", "authz", 0, 2);
    eg_filter now = ALL_FACTS, past = ALL_FACTS;
    assert_int_equal(count_page(s, &now), 3);
    now.scope = EG_STR("auth");
    assert_int_equal(count_page(s, &now), 2); /* whole segments: authz is not below auth */
    past.at = s->now + 1;
    past.flags = EG_FILTER_AS_OF;
    advance_clock(s, 8 * DAY);
    now.scope = (eg_str){0};
    assert_int_equal(count_page(s, &now), 2);
    assert_int_equal(count_page(s, &past), 3);
    close_fact(s, forever, EG_CLOSE_SUPERSEDED);
    assert_int_equal(count_page(s, &now), 1);
    assert_int_equal(count_page(s, &past), 3); /* what was known then does not change */
    close_fact(s, week, EG_CLOSE_DELETED);     /* it was over: closing never moves an end later */
    eg_fact f = get_fact(s, week);
    assert_int_equal(f.valid_until, 1007 * DAY);
    assert_int_equal(f.closed_at, s->now);
    now.flags = EG_FILTER_HISTORY;
    assert_int_equal(count_page(s, &now), 3);
    now.fact_types = 1u << EG_FACT_DECISION | 1u << EG_FACT_INFERENCE;
    assert_int_equal(count_page(s, &now), 0);
    now.fact_types |= 1u << EG_FACT_OBSERVATION;
    assert_int_equal(count_page(s, &now), 3);
    advance_clock(s, -100 * DAY); /* a clock that goes back: the store's time does not */
    eg_id late = put_fact(s, "after the clock went back", "auth", 0, 3);
    f = get_fact(s, late);
    assert_true(f.committed_at >= 1008 * DAY);
    now.flags = 0; /* and reads go by it: what was committed is seen, what was over stays over */
    int64_t store_now;
    assert_int_equal(OPS(s, now, &store_now), EG_OK);
    assert_true(store_now == f.committed_at && store_now > s->now);
    assert_int_equal(count_page(s, &now), 2);
    const eg_change job = job_for(late, EG_JOB_DETECT, "me");
    assert_int_equal(apply(s, NULL, 0, &job, 1, NULL), EG_OK);
    eg_job *jobs;
    assert_int_equal(lease(s, "me", 0, 1, &jobs), 1); /* jobs go on by the clock */
    advance_clock(s, 11 * EG_SECOND);
    assert_int_equal(lease(s, "me", 0, 1, &jobs), 1);
}

void conformance_preconditions(store *s) {
    eg_id a = put_fact(s, "first fact", "x", 0, 0), b = put_fact(s, "second fact", "x", 0, 1);
    uint8_t hash[32];
    s->services.sha256(s->services.host, "first fact", 10, hash);
    const eg_conflict conflict = new_conflict(a, b);
    const eg_change add = {.kind = EG_CHANGE_CONFLICT, .conflict = &conflict},
                    setting = {.kind = EG_CHANGE_SETTING, .setting = {EG_STR("k"), EG_STR("v")}};
    close_fact(s, b, EG_CLOSE_DELETED);
    /* unsettled: it came after the end */
    assert_int_equal(apply(s, NULL, 0, &add, 1, NULL), EG_OK);
    const eg_precondition failing[] = {{.kind = EG_REQUIRE_HASH_FREE, .hash_free = {.scope = EG_STR("x"), .hash = hash}},
                                       {.kind = EG_REQUIRE_CURRENT, .fact = b},
                                       {.kind = EG_REQUIRE_HEAD, .fact = b},
                                       {.kind = EG_REQUIRE_PAIR_FREE, .pair = {b, a}},
                                       {.kind = EG_REQUIRE_CONFLICT_SETTLED, .conflict = conflict.id},
                                       {.kind = EG_REQUIRE_LINEAGE_FREE, .lineage = {.id = a}},
                                       {.kind = EG_REQUIRE_LEASE, .token = a},
                                       {.kind = EG_REQUIRE_LEASE}};
    const eg_id rows[] = {a, b, b, conflict.id, conflict.id, a, {{0}}, {{0}}};
    const eg_precondition holding[] = {
        {.kind = EG_REQUIRE_HASH_FREE, .hash_free = {.scope = EG_STR("y"), .hash = hash}},
        {.kind = EG_REQUIRE_HASH_FREE, .hash_free = {.scope = EG_STR("x"), .hash = hash, .except = a}},
        {.kind = EG_REQUIRE_CURRENT, .fact = a},
        {.kind = EG_REQUIRE_HEAD, .fact = a},
        {.kind = EG_REQUIRE_PAIR_FREE, .pair = {a, a}},
        {.kind = EG_REQUIRE_CONFLICT_UNSETTLED, .conflict = conflict.id},
        {.kind = EG_REQUIRE_LINEAGE_FREE, .lineage = {.id = a, .except = a}},
        {.kind = EG_REQUIRE_LINEAGE_FREE, .lineage = {.id = b}},
        {.kind = EG_REQUIRE_NO_JOB, .no_job = {.kind = EG_JOB_DETECT}}};
    int64_t before = stats_of(s).seq;
    eg_str value;
    for (size_t i = 0; i < sizeof failing / sizeof *failing; i++) {
        eg_precondition two[] = {holding[2], failing[i]};
        eg_applied applied;
        assert_int_equal(apply(s, two, 2, &setting, 1, &applied), EG_ECONFLICT);
        assert_int_equal(applied.failed, 1);
        assert_true(eg_id_eq(applied.failed_row, rows[i]));
        assert_int_equal(OPS(s, setting, EG_STR("k"), &value), EG_ENOENT);
    }
    assert_int_equal(stats_of(s).seq, before);
    assert_int_equal(apply(s, holding, sizeof holding / sizeof *holding, &setting, 1, NULL), EG_OK);
    assert_int_equal(OPS(s, setting, EG_STR("k"), &value), EG_OK);
    assert_true(eg_str_eq(value, EG_STR("v")));

    eg_new_fact row = new_fact("after it", "x");
    row.fact.lineage_id = a;
    const eg_change next = {.kind = EG_CHANGE_FACT, .new_fact = &row};
    eg_fact *list;
    size_t n;
    assert_int_equal(apply(s, NULL, 0, &next, 1, NULL), EG_OK);
    const eg_precondition head = {.kind = EG_REQUIRE_HEAD, .fact = a};
    eg_applied applied;
    assert_int_equal(apply(s, &head, 1, &setting, 1, &applied), EG_ECONFLICT);
    assert_true(eg_id_eq(applied.failed_row, row.fact.id)); /* the newer one */
    for (int i = 0; i < 2; i++) {                           /* by the id of the lineage, and of a
                                                             * fact of it */
        assert_int_equal(OPS(s, lineage, i ? row.fact.id : a, 0, &list, &n), EG_OK);
        assert_true(n == 2 && eg_id_eq(list[0].id, a) && eg_id_eq(list[1].id, row.fact.id));
        assert_int_equal(OPS(s, lineage, i ? row.fact.id : a, 1, &list, &n), EG_OK);
        assert_true(n == 1 && eg_id_eq(list[0].id, row.fact.id)); /* the newest */
    }
    eg_fact found;
    assert_int_equal(OPS(s, current_by_hash, EG_STR("x"), hash, &found), EG_OK);
    assert_true(eg_id_eq(found.id, a));
    assert_int_equal(OPS(s, current_by_hash, EG_STR("y"), hash, &found), EG_ENOENT);
}

/* What a backend does not know is refused, not passed over. */
void conformance_arguments(store *s) {
    enum { UNKNOWN = 1u << 30 };
    eg_id fact = put_fact(s, "one", "x", 0, 0);
    eg_filter filter = {.size = sizeof filter, .flags = UNKNOWN};
    eg_parts_args parts = {.size = sizeof parts, .flags = UNKNOWN, .ids = &fact, .count = 1};
    eg_conflict_filter conflicts = {.size = sizeof conflicts, .flags = UNKNOWN};
    eg_lease_args args = {.size = sizeof args, .flags = UNKNOWN, .limit = 1};
    eg_new_fact row = new_fact("two", "x");
    row.flags = UNKNOWN;
    eg_change change = {.kind = EG_CHANGE_FACT, .new_fact = &row}, strange = {.kind = UNKNOWN};
    eg_change_set set = {.size = sizeof set, .flags = UNKNOWN};
    const eg_precondition odd = {.kind = UNKNOWN};
    eg_fact_parts *part_rows;
    eg_conflict *conflict_rows;
    eg_fact *facts;
    eg_scored_list list;
    eg_search search = {.kind = UNKNOWN, .limit = 1};
    eg_store_stats stats;
    eg_applied applied;
    eg_job *jobs;
    size_t n;
    assert_int_equal(OPS(s, page, &filter, 0, 1, &facts, &n), EG_EUNSUPPORTED);
    assert_int_equal(OPS(s, search, &filter, NULL, 0, &list), EG_EUNSUPPORTED);
    filter.flags = 0;
    assert_int_equal(OPS(s, search, &filter, &search, 1, &list), EG_EUNSUPPORTED);
    filter.size -= 1;
    assert_int_equal(OPS(s, page, &filter, 0, 1, &facts, &n), EG_EINVAL);
    assert_int_equal(OPS(s, parts, &parts, &part_rows, NULL), EG_EUNSUPPORTED);
    assert_int_equal(OPS(s, conflicts, &conflicts, &conflict_rows, &n), EG_EUNSUPPORTED);
    assert_int_equal(OPS(s, lease, &args, &jobs, &n), EG_EUNSUPPORTED);
    assert_int_equal(OPS(s, stats, UNKNOWN, &stats), EG_EUNSUPPORTED);
    assert_int_equal(OPS(s, apply, &set, &applied), EG_EUNSUPPORTED);
    assert_int_equal(apply(s, NULL, 0, &change, 1, NULL), EG_EUNSUPPORTED);
    assert_int_equal(apply(s, NULL, 0, &strange, 1, NULL), EG_EUNSUPPORTED);
    assert_int_equal(apply(s, &odd, 1, NULL, 0, NULL), EG_EUNSUPPORTED);
    assert_int_equal(stats_of(s).facts, 1);
}

static size_t dots; /* vectors that were read whole */
static float counted_dot(void *host, const float *a, const float *b, size_t n) {
    (void)host;
    float sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    dots++;
    return sum;
}

/* A fact with a vector for each of its statements: the nearest one counts, and the fact comes
 * once. */
static eg_id put_statements(store *s, const char *scope) {
    float v[3][WIDTH] = {{0}};
    eg_vector vectors[3];
    for (uint32_t i = 0; i < 3; i++) {
        v[i][4 * i] = v[i][4 * i + 2] = 0.70710678f;
        vectors[i] = (eg_vector){.statement = i, .dimensions = WIDTH, .model_id = EG_STR("m"), .values = v[i]};
    }
    eg_new_fact row = new_fact("three things", scope);
    row.vectors = vectors;
    row.vector_count = 3;
    eg_change change = {.kind = EG_CHANGE_FACT, .new_fact = &row};
    assert_int_equal(apply(s, NULL, 0, &change, 1, NULL), EG_OK);
    return row.fact.id;
}

/* The vectors of put_statements, one a statement and in that order. */
static void expect_vectors(store *s, eg_id fact, const char *model, size_t n) {
    eg_parts_args args = {.size = sizeof args, .flags = EG_PARTS_VECTORS, .ids = &fact, .count = 1, .model_id = eg_str_of(model)};
    eg_fact_parts *rows;
    assert_int_equal(OPS(s, parts, &args, &rows, NULL), EG_OK);
    assert_int_equal(rows->vector_count, n);
    for (uint32_t i = 0; i < n; i++) {
        const eg_vector *v = &rows->vectors[i];
        assert_true(v->statement == i && v->dimensions == WIDTH && eg_str_eq(v->model_id, args.model_id));
        for (uint32_t k = 0; k < WIDTH; k++) /* f32, as it was given */
            assert_true(v->values[k] == (k == 4 * i || k == 4 * i + 2 ? 0.70710678f : 0.0f));
    }
    assert_int_equal(part(s, fact, 0).vector_count, 0);
}

void conformance_searches(store *s) {
    for (uint32_t i = 0; i < 1500; i++) { /* more than a block of vectors */
        char text[40];
        snprintf(text, sizeof text, "filler number n%u", i);
        put_fact(s, text, "fill", 0, i % 8);
        test_request_release(&s->request);
    }
    eg_id wanted = put_fact(s, "needle \"quoted\" NEAR( -x * ? in the hay", "hay", 0, 12),
          twice = put_fact(s, "needle", "hay", 0, 9);
    const eg_term terms[] = {{EG_STR("needle"), 1}, {EG_STR("NEAR("), 1},   {EG_STR("\"quoted\""), 1},
                             {EG_STR("-x"), 1},     {EG_STR("missing"), 1}, {EG_STR("'; DROP"), 1}};
    eg_filter f = ALL_FACTS;
    eg_vector v;
    float q[WIDTH] = {0};
    q[12] = 0.8f;
    q[13] = 0.6f;
    double attainable = 0;
    const eg_search both[] = {{.kind = EG_SEARCH_TERMS, .terms = terms, .term_count = 6, .limit = 10, .attainable = &attainable},
                              by_vector(&v, "m", q, 3)}; /* in one call */
    eg_scored_list hits[2];
    assert_int_equal(OPS(s, search, &f, both, 2, hits), EG_OK);
    assert_int_equal(hits[0].count, 2);
    assert_true(eg_id_eq(hits[0].rows[0].fact, wanted) && eg_id_eq(hits[0].rows[1].fact, twice));
    assert_true(hits[0].rows[0].score >= hits[0].rows[1].score && hits[0].rows[1].score > 0);
    assert_true(attainable > hits[0].rows[0].score); /* nothing has "missing" */
    double without = 0;
    search_one(s, &f, (eg_search){.terms = terms, .term_count = 4, .limit = 10, .attainable = &without});
    assert_true(without >= hits[0].rows[0].score && without < attainable);
    double alone = 0; /* two facts of 1,502 have it: 2.2 * ln(1500.5 / 2.5) */
    search_one(s, &f, (eg_search){.terms = terms, .term_count = 1, .limit = 10, .attainable = &alone});
    assert_true(alone > 14.0 && alone < 14.2);
    assert_int_equal(hits[1].count, 3);
    assert_true(eg_id_eq(hits[1].rows[0].fact, wanted) && hits[1].rows[0].score > 0.999);
    f.scope = EG_STR("hay"); /* two facts behind 1,500 others */
    q[12] = q[13] = 0;
    q[0] = 1;
    assert_int_equal(search_one(s, &f, by_vector(&v, "m", q, 5)).count, 2);
    eg_id three = put_statements(s, "hay");
    s->services.dot = counted_dot; /* however few facts pass the filter, the others are not read */
    static const uint32_t limits[] = {5, 1000};
    for (size_t i = 0; i < 2; i++) {
        dots = 0;
        q[0] = 0, q[4] = q[6] = 0.70710678f;
        eg_scored_list list = search_one(s, &f, by_vector(&v, "m", q, limits[i]));
        assert_int_equal(list.count, 3);
        assert_true(eg_id_eq(list.rows[0].fact, three) && list.rows[0].score > 0.999);
        assert_in_range(dots, 5, 15);
    }
    expect_vectors(s, three, "m", 3);
    expect_vectors(s, three, "another model", 0);
    f.scope = EG_STR("fill");
    eg_scored_list list = search_one(s, &f, by_vector(&v, "m", q, 1000));
    assert_int_equal(list.count, 1000);
    for (size_t i = 1; i < list.count; i++) assert_true(list.rows[i].score <= list.rows[i - 1].score);
    work_in(s, "elsewhere");
    eg_id there = put_fact(s, "own fact", "x", 0, 0);
    f = ALL_FACTS;
    dots = 0;
    list = search_one(s, &f, by_vector(&v, "m", q, 60));
    assert_true(list.count == 1 && eg_id_eq(list.rows[0].fact, there));
    assert_int_equal(dots, 1);
    work_in(s, "local");
    assert_int_equal(search_one(s, &f, by_vector(&v, "another model", q, 5)).count, 0);
}

/* A fact with one claim for each attribute. */
static eg_id put_claims(store *s, const char *subject, const char *const *attributes, size_t n) {
    eg_claim claims[4] = {{0}};
    eg_span statement = {0, 5};
    const eg_statement detail = {
        .span = statement, .kind = EG_STATEMENT_OPTION, .flags = EG_STATEMENT_GIVEN, .alone = EG_STR("stands alone")};
    eg_new_fact row = new_fact("words", "x");
    for (size_t i = 0; i < n; i++)
        claims[i] = (eg_claim){.span = {1, 3},
                               .subject = eg_str_of(subject),
                               .attribute = eg_str_of(attributes[i]),
                               .low = {.mantissa = -7, .exponent = 2},
                               .high = {.infinite = 1},
                               .polarity = -1,
                               .modality = EG_MODALITY_PAST};
    row.claims = claims;
    row.claim_count = n;
    row.statements = &statement;
    row.statement_count = 1;
    row.details = &detail;
    const eg_change change = {.kind = EG_CHANGE_FACT, .new_fact = &row};
    assert_int_equal(apply(s, NULL, 0, &change, 1, NULL), EG_OK);
    return row.fact.id;
}

/* Claims come back as they were given, are found by their subject, and can be replaced. */
void conformance_claims(store *s) {
    static const char *const attributes[] = {"timeout", "port"};
    eg_id a = put_claims(s, "auth", attributes, 2), b = put_claims(s, "auth", attributes, 1);
    put_claims(s, "billing", attributes, 2);
    eg_filter f = ALL_FACTS;
    eg_search search = {.kind = EG_SEARCH_CLAIM, .limit = 10, .subject = EG_STR("auth"), .attribute = EG_STR("timeout")};
    eg_scored_list list = search_one(s, &f, search);
    /* the newest last */
    assert_true(list.count == 2 && eg_id_eq(list.rows[0].fact, a) && eg_id_eq(list.rows[1].fact, b));
    search.attribute = (eg_str){0};
    assert_int_equal(search_one(s, &f, search).count, 3); /* a row a claim */
    search.limit = 1;
    list = search_one(s, &f, search);
    /* the limit leaves out the oldest */
    assert_true(list.count == 1 && eg_id_eq(list.rows[0].fact, b));

    eg_fact_parts p = part(s, a, EG_PARTS_CLAIMS | EG_PARTS_STATEMENTS);
    assert_true(p.claim_count == 2 && p.statement_count == 1 && p.statements[0].end == 5);
    assert_true(p.details[0].span.end == 5 && p.details[0].kind == EG_STATEMENT_OPTION);
    assert_true(p.details[0].flags == EG_STATEMENT_GIVEN && eg_str_eq(p.details[0].alone, EG_STR("stands alone")));
    assert_true(eg_str_eq(p.claims[1].attribute, EG_STR("port")) && p.claims[1].span.end == 3);
    assert_true(p.claims[0].low.mantissa == -7 && p.claims[0].low.exponent == 2 && p.claims[0].high.infinite == 1);
    assert_true(p.claims[0].polarity == -1 && p.claims[0].modality == EG_MODALITY_PAST);
    const eg_claim other = {.subject = EG_STR("auth"), .attribute = EG_STR("owner")};
    const eg_change replace = {.kind = EG_CHANGE_CLAIMS, .claims = {.fact = a, .claims = &other, .claim_count = 1}};
    assert_int_equal(apply(s, NULL, 0, &replace, 1, NULL), EG_OK);
    p = part(s, a, EG_PARTS_CLAIMS | EG_PARTS_STATEMENTS);
    assert_true(p.claim_count == 1 && p.statement_count == 0 && eg_str_eq(p.claims[0].attribute, EG_STR("owner")));
    p = part(s, a, 0);
    assert_true(p.fact.seq && p.claim_count == 0 && !p.claims); /* only what is asked for */
}

/* Nothing of one workspace is seen, counted or changed in another. */
void conformance_workspaces(store *s) {
    eg_id a = put_fact(s, "secret plan", "x", 0, 0), b = put_fact(s, "second plan", "x", 0, 1);
    const eg_conflict c = new_conflict(a, b);
    const eg_change changes[] = {{.kind = EG_CHANGE_CONFLICT, .conflict = &c},
                                 {.kind = EG_CHANGE_SETTING, .setting = {EG_STR("k"), EG_STR("v")}},
                                 {.kind = EG_CHANGE_AGENT, .agent = {.agent_id = EG_STR("alice"), .commits = 2}},
                                 {.kind = EG_CHANGE_AUDIT, .audit = {.action = EG_STR("x"), .fact = a}},
                                 {.kind = EG_CHANGE_FEEDBACK, .feedback = {.conflict = c.id, .tier = c.tier, .confirmed = 1}},
                                 job_for(a, EG_JOB_DETECT, "me")};
    eg_applied applied;
    assert_int_equal(apply(s, NULL, 0, changes, 6, &applied), EG_OK);
    work_in(s, "elsewhere");
    put_fact(s, "own fact", "x", 0, 0);
    eg_filter f = ALL_FACTS;
    const eg_term term = {EG_STR("plan"), 1};
    float q[WIDTH] = {1};
    uint8_t hash[32];
    eg_vector v;
    eg_fact fact, *facts;
    eg_conflict *conflicts;
    eg_conflict_filter cf = {.size = sizeof cf};
    eg_audit_row *audits;
    eg_journal_row *journal;
    eg_id id;
    eg_str text;
    size_t n;
    s->services.sha256(s->services.host, "secret plan", 11, hash);
    eg_fact_parts p = part(s, a, EG_PARTS_CLAIMS | EG_PARTS_STATEMENTS | EG_PARTS_CONFLICTS | EG_PARTS_TRUST | EG_PARTS_JOBS);
    assert_true(p.fact.seq == 0 && p.conflict_count == 0 && p.agent_commits == 0 && p.jobs_waiting == 0);
    assert_int_equal(OPS(s, current_by_hash, EG_STR("x"), hash, &fact), EG_ENOENT);
    assert_true(eg_id_is_none(get_conflict(s, c.id).id));
    assert_int_equal(OPS(s, setting, EG_STR("k"), &text), EG_ENOENT);
    assert_int_equal(OPS(s, audit, applied.audit_id - 1, 1, &audits, &n), EG_OK);
    assert_int_equal(n, 0);
    assert_int_equal(count_page(s, &f), 1);
    assert_int_equal(search_one(s, &f, (eg_search){.terms = &term, .term_count = 1, .limit = 10}).count, 0);
    assert_int_equal(search_one(s, &f, by_vector(&v, "m", q, 10)).count, 1);
    assert_int_equal(OPS(s, lineage, a, 0, &facts, &n), EG_OK);
    assert_int_equal(n, 0);
    assert_int_equal(OPS(s, conflicts, &cf, &conflicts, &n), EG_OK);
    assert_int_equal(n, 0);
    cf.facts = &a;
    cf.fact_count = 1;
    assert_int_equal(OPS(s, conflicts, &cf, &conflicts, &n), EG_OK);
    assert_int_equal(n, 0);
    assert_int_equal(pair_of(s, a, b), 0);
    assert_int_equal(feedback_on(s, "tier").confirmed, 0);
    assert_int_equal(OPS(s, changes_since, 0, 10, &journal, &n), EG_OK);
    assert_true(n == 1 && !eg_id_eq(journal[0].fact, a));
    eg_store_stats stats = stats_of(s);
    assert_true(stats.facts == 1 && stats.conflicts_total == 0 && stats.agents == 0 && stats.jobs_queued == 0);
    assert_int_equal(stats.seq, 1); /* each counts its own changes */
    char suffix[9];
    snprintf(suffix, sizeof suffix, "%02X%02x%02x%02x", a.bytes[12], a.bytes[13], a.bytes[14], a.bytes[15]);
    assert_int_equal(OPS(s, ids_by_suffix, eg_str_of(suffix), &id, 1, &n), EG_OK);
    assert_int_equal(n, 0);
    close_fact(s, a, EG_CLOSE_DELETED);
    eg_job *jobs;
    /* a lease alone is for all, and says whose the job is */
    assert_int_equal(lease(s, "me", 0, 1, &jobs), 1);
    assert_true(eg_str_eq(jobs[0].workspace, EG_STR("local")));
    const eg_change done = {.kind = EG_CHANGE_JOB_DONE, .job_done = {jobs[0].token}};
    const eg_precondition held = {.kind = EG_REQUIRE_LEASE, .token = jobs[0].token};
    assert_int_equal(apply(s, &held, 1, &done, 1, NULL), EG_ECONFLICT);
    assert_int_equal(apply(s, NULL, 0, &done, 1, NULL), EG_OK);

    work_in(s, "local");
    assert_int_equal(stats_of(s).jobs_leased, 1);
    assert_int_equal(get_fact(s, a).close_reason, EG_CLOSE_NONE);
    assert_int_equal(OPS(s, ids_by_suffix, eg_str_of(suffix), &id, 1, &n), EG_OK);
    assert_true(n == 1 && eg_id_eq(id, a));
    assert_int_equal(s->registrar.ops->audit_verify(s->handle, &s->request.rq), EG_OK);
}

static void is_window(eg_window_change w, eg_id fact, int64_t from_before, int64_t until_before, int64_t from_after,
                      int64_t until_after) {
    assert_true(eg_id_eq(w.fact, fact));
    assert_int_equal(w.from_before, from_before);
    assert_int_equal(w.until_before, until_before);
    assert_int_equal(w.from_after, from_after);
    assert_int_equal(w.until_after, until_after);
}

/* The audit row with this id, and none where the workspace has no such row. */
static eg_audit_row audit_row(store *s, int64_t id) {
    eg_audit_row *rows;
    size_t n;
    assert_int_equal(OPS(s, audit, id - 1, 1, &rows, &n), EG_OK);
    return n && rows[0].id == id ? rows[0] : (eg_audit_row){0};
}

/* An audit row holds what its change set did to windows: an insertion, two closings, a promotion;
 * other rows keep their own. */
void conformance_audit_windows(store *s) {
    const int64_t start = 1000 * DAY;
    set_clock(s, start);
    eg_id week = put_fact(s, "kept a week", "x", 7 * DAY, 0), over = put_fact(s, "kept a day", "x", DAY, 1),
          promoted = put_fact(s, "soon durable", "x", DAY, 2);
    advance_clock(s, 2 * DAY);
    eg_new_fact row = new_fact("instead", "x");
    row.lifetime = 3 * DAY;
    s->services.sha256(s->services.host, "instead", 7, row.fact.content_hash);
    const eg_change set[] = {{.kind = EG_CHANGE_CLOSE, .close = {week, EG_CLOSE_SUPERSEDED, EG_STR("bob")}},
                             {.kind = EG_CHANGE_CLOSE, .close = {over, EG_CLOSE_DELETED, EG_STR("bob")}},
                             {.kind = EG_CHANGE_FACT, .new_fact = &row},
                             {.kind = EG_CHANGE_PROMOTE, .promote = {.fact = promoted}},
                             {.kind = EG_CHANGE_AUDIT, .audit = {EG_STR("commit"), EG_STR("{}"), row.fact.id, week}}};
    const eg_change plain = {.kind = EG_CHANGE_AUDIT, .audit = {EG_STR("feedback"), EG_STR("{\"a\":1}"), week, {{0}}}};
    eg_applied first, second;
    assert_int_equal(apply(s, NULL, 0, set, 5, &first), EG_OK);
    assert_int_equal(apply(s, NULL, 0, &plain, 1, &second), EG_OK);
    assert_true(first.fact_seq > 0 && first.fact_seq < first.seq && second.fact_seq == 0);
    assert_int_equal(get_fact(s, row.fact.id).seq, first.fact_seq);
    eg_audit_row r = audit_row(s, first.audit_id);
    assert_int_equal(r.window_count, 4);
    is_window(r.windows[0], week, start, start + 7 * DAY, start, start + 2 * DAY);
    /* it was over: closing never moves an end later */
    is_window(r.windows[1], over, start, start + DAY, start, start + DAY);
    is_window(r.windows[2], row.fact.id, 0, 0, start + 2 * DAY, start + 5 * DAY);
    is_window(r.windows[3], promoted, start, start + DAY, start, EG_FOREVER);
    assert_true(eg_id_eq(r.fact, row.fact.id) && eg_id_eq(r.other, week) && r.time == first.time);
    const eg_change sooner = {.kind = EG_CHANGE_PROMOTE, .promote = {.fact = promoted, .lifetime = DAY}};
    assert_int_equal(apply(s, NULL, 0, &sooner, 1, NULL), EG_OK);
    /* a promotion never moves an end sooner */
    assert_true(get_fact(s, promoted).valid_until == EG_FOREVER);
    r = audit_row(s, second.audit_id);
    assert_true(r.window_count == 0 && eg_str_eq(r.payload, EG_STR("{\"a\":1}")) && eg_str_eq(r.actor, EG_STR("test")));
    eg_audit_row *rows;
    size_t n;
    assert_int_equal(OPS(s, audit, 0, 10, &rows, &n), EG_OK);
    assert_true(n == 2 && rows[0].id == first.audit_id && rows[1].id == second.audit_id);
    assert_int_equal(s->registrar.ops->audit_verify(s->handle, &s->request.rq), EG_OK);

    work_in(s, "elsewhere"); /* a chain of its own */
    assert_int_equal(audit_row(s, first.audit_id).id, 0);
    assert_int_equal(apply(s, NULL, 0, &plain, 1, NULL), EG_OK);
    assert_int_equal(s->registrar.ops->audit_verify(s->handle, &s->request.rq), EG_OK);
    work_in(s, "local");
    assert_int_equal(apply(s, NULL, 0, &plain, 1, NULL), EG_OK);
    assert_int_equal(s->registrar.ops->audit_verify(s->handle, &s->request.rq), EG_OK);
}

static size_t unembedded(store *s, const char *model, int64_t after, uint32_t limit, eg_fact **out, uint64_t *all) {
    size_t n;
    assert_int_equal(OPS(s, unembedded, eg_str_of(model), after, limit, out, &n, all), EG_OK);
    return n;
}

/* Facts without vectors of a model, in their order; vectors of one model are stored once. */
void conformance_unembedded(store *s) {
    set_clock(s, 1000 * DAY);
    eg_id ids[5];
    for (uint32_t i = 0; i < 5; i++) ids[i] = put_fact(s, "a fact", "x", i == 1 ? DAY : 0, i);
    advance_clock(s, 2 * DAY); /* the second is over, and searches of history still find it */
    close_fact(s, ids[2], EG_CLOSE_ERASED);
    eg_fact *rows;
    uint64_t all;
    assert_int_equal(unembedded(s, "m", 0, 10, &rows, &all), 0);
    assert_int_equal(all, 0);
    assert_int_equal(unembedded(s, "n", 0, 2, &rows, &all), 2);
    assert_int_equal(all, 4);
    assert_true(eg_id_eq(rows[0].id, ids[0]) && eg_id_eq(rows[1].id, ids[1]));
    assert_int_equal(unembedded(s, "n", rows[1].seq, 10, &rows, &all), 2);
    assert_true(eg_id_eq(rows[0].id, ids[3]) && eg_id_eq(rows[1].id, ids[4]));
    assert_int_equal(all, 2);
    work_in(s, "other");
    assert_int_equal(unembedded(s, "n", 0, 10, &rows, NULL), 0);
    work_in(s, "local");

    float values[WIDTH] = {0};
    values[7] = 1;
    eg_vector vector = {.statement = UINT32_MAX, .dimensions = WIDTH, .model_id = EG_STR("n"), .values = values}, v;
    const eg_change change = {.kind = EG_CHANGE_VECTORS, .vectors = {ids[0], &vector, 1}};
    for (int i = 0; i < 3; i++) { /* the second and third time nothing is added */
        assert_int_equal(apply(s, NULL, 0, &change, 1, NULL), EG_OK);
        assert_int_equal(stats_of(s).vectors, 6);
    }
    assert_int_equal(unembedded(s, "n", 0, 10, &rows, &all), 3);
    eg_filter f = ALL_FACTS;
    eg_scored_list hits = search_one(s, &f, by_vector(&v, "n", values, 5));
    /* of this model there is one, and none of the other is taken for it */
    assert_int_equal(hits.count, 1);
    assert_true(eg_id_eq(hits.rows[0].fact, ids[0]));
}

/* Changes are told in order, once each, to who reads on from what it has read. */
void conformance_journal(store *s) {
    eg_id a = put_fact(s, "one", "x", 0, 0), b = put_fact(s, "two", "x", 0, 1);
    const eg_change link = {.kind = EG_CHANGE_LINK, .link = {a, b, EG_LINK_UPDATE}};
    eg_applied applied;
    assert_int_equal(apply(s, NULL, 0, &link, 1, &applied), EG_OK);
    close_fact(s, a, EG_CLOSE_DELETED);
    static const uint32_t kinds[] = {EG_CHANGE_FACT, EG_CHANGE_FACT, EG_CHANGE_LINK, EG_CHANGE_CLOSE};
    int64_t since = 0;
    for (size_t i = 0; i < 4; i++) {
        eg_journal_row *rows;
        size_t n;
        assert_int_equal(OPS(s, changes_since, since, 1, &rows, &n), EG_OK);
        assert_true(n == 1 && rows[0].kind == kinds[i] && rows[0].seq > since);
        if (i == 2) assert_true(rows[0].seq == applied.seq && eg_id_eq(rows[0].other, b) && rows[0].time == applied.time);
        if (i == 3) assert_true(eg_id_eq(rows[0].fact, a));
        since = rows[0].seq;
    }
    assert_int_equal(stats_of(s).seq, since);
}

/* Whose commit was answered or not finds out by sending it again. */
void conformance_found_again(store *s) {
    eg_id a = put_fact(s, "one", "x", 0, 0), b = put_fact(s, "two", "x", 0, 1);
    const eg_conflict c = new_conflict(a, b);
    const eg_change conflict = {.kind = EG_CHANGE_CONFLICT, .conflict = &c};
    assert_int_equal(apply(s, NULL, 0, &conflict, 1, NULL), EG_OK);
    eg_new_fact row = new_fact("once", "x");
    /* it does not hold the second time */
    const eg_precondition current = {.kind = EG_REQUIRE_CURRENT, .fact = a};
    const eg_change changes[] = {{.kind = EG_CHANGE_CLOSE, .close = {a, EG_CLOSE_SUPERSEDED, EG_STR("bob")}},
                                 {.kind = EG_CHANGE_END_CONFLICTS, .end_conflicts = {.fact = a, .by = EG_STR("bob")}},
                                 {.kind = EG_CHANGE_FACT, .new_fact = &row},
                                 {.kind = EG_CHANGE_LINK, .link = {b, row.fact.id, EG_LINK_UPDATE}},
                                 {.kind = EG_CHANGE_AUDIT, .audit = {EG_STR("commit"), EG_STR("{}"), row.fact.id, a}}};
    eg_change_set set = {.size = sizeof set,
                         .id = test_id(),
                         .actor = EG_STR("test"),
                         .preconditions = &current,
                         .precondition_count = 1,
                         .changes = changes,
                         .change_count = 5};
    eg_applied first, again;
    assert_int_equal(OPS(s, apply, &set, &first), EG_OK);
    assert_int_equal(first.again, 0);
    put_fact(s, "later", "x", 0, 2);
    eg_store_stats before = stats_of(s);
    assert_int_equal(OPS(s, apply, &set, &again), EG_OK);
    assert_int_equal(again.again, 1);
    assert_true(again.seq == first.seq && again.fact_seq == first.fact_seq && again.time == first.time);
    assert_true(again.audit_id == first.audit_id && first.conflicts_ended == 1 && again.conflicts_ended == 1);
    eg_store_stats after = stats_of(s);
    assert_true(after.facts == before.facts && after.seq == before.seq);
    work_in(s, "elsewhere"); /* where it was never sent */
    assert_int_equal(OPS(s, apply, &set, &again), EG_ECONFLICT);
    work_in(s, "local");
    set.id = test_id(); /* another set with the same changes */
    assert_int_equal(OPS(s, apply, &set, &again), EG_ECONFLICT);
}

/* All workspaces that were written, by name, each with its own seq; at once when the sum is another
 * one than is known or there is no time to wait, else at the deadline. */
void conformance_workspace_list(store *s) {
    static const char *const names[] = {"b", "a", "local"};
    eg_workspace_row *rows;
    size_t n = 9;
    assert_int_equal(OPS(s, workspaces, 0, 0, &rows, &n), EG_OK);
    assert_int_equal(n, 0);
    for (int i = 0; i < 3; i++) {
        work_in(s, names[i]);
        for (int k = 0; k <= i; k++) put_fact(s, k ? k > 1 ? "three" : "two" : "one", "x", 0, 0);
    }
    int64_t begun = eg_clock_monotonic();
    assert_int_equal(OPS(s, workspaces, 1, begun + 60 * EG_SECOND, &rows, &n), EG_OK);
    assert_int_equal(n, 3);
    assert_true(eg_str_eq(rows[0].name, EG_STR("a")) && rows[0].seq == 2);
    assert_true(eg_str_eq(rows[1].name, EG_STR("b")) && rows[1].seq == 1);
    assert_true(eg_str_eq(rows[2].name, EG_STR("local")) && rows[2].seq == 3);
    /* less than is known */
    assert_int_equal(OPS(s, workspaces, 7, begun + 60 * EG_SECOND, &rows, &n), EG_OK);
    assert_int_equal(n, 3);
    assert_true(eg_clock_monotonic() < begun + 30 * EG_SECOND);
    begun = eg_clock_monotonic();
    assert_int_equal(OPS(s, workspaces, 6, begun + EG_SECOND / 5, &rows, &n), EG_OK);
    assert_int_equal(n, 3);
    assert_true(eg_clock_monotonic() >= begun + EG_SECOND / 5);
}

/* Facts from the newest on, by what they have in common; ids by the range that they lie in. */
void conformance_listing(store *s) {
    set_clock(s, 1000 * DAY);
    eg_id first = put_fact(s, "one", "a", 0, 0), second = put_fact(s, "two", "a", 2 * DAY, 1);
    advance_clock(s, DAY);
    eg_id third = put_fact(s, "three", "b", 5 * DAY, 2);
    eg_filter f = {.size = sizeof f, .flags = EG_FILTER_NEWEST};
    eg_fact *rows;
    size_t n;
    assert_int_equal(OPS(s, page, &f, 0, 2, &rows, &n), EG_OK);
    assert_true(n == 2 && eg_id_eq(rows[0].id, third) && eg_id_eq(rows[1].id, second));
    assert_int_equal(OPS(s, page, &f, rows[1].seq, 2, &rows, &n), EG_OK);
    assert_true(n == 1 && eg_id_eq(rows[0].id, first));
    f.since = 1001 * DAY;
    assert_int_equal(OPS(s, page, &f, 0, 9, &rows, &n), EG_OK);
    assert_true(n == 1 && eg_id_eq(rows[0].id, third)); /* at that time, too */
    f.since = 0;
    f.ends_before = 1002 * DAY + 1;
    assert_int_equal(OPS(s, page, &f, 0, 9, &rows, &n), EG_OK);
    assert_true(n == 1 && eg_id_eq(rows[0].id, second));
    f.ends_before = 1002 * DAY;
    assert_int_equal(count_page(s, &f), 0);
    f.ends_before = EG_FOREVER; /* that has an end at all */
    assert_int_equal(count_page(s, &f), 2);

    const eg_conflict conflict = new_conflict(first, second);
    const eg_change add = {.kind = EG_CHANGE_CONFLICT, .conflict = &conflict};
    assert_int_equal(apply(s, NULL, 0, &add, 1, NULL), EG_OK);
    eg_id found[5], least = {{0}}, most;
    memset(most.bytes, 0xFF, sizeof most.bytes);
    assert_int_equal(OPS(s, ids_between, least, most, found, 5, &n), EG_OK);
    assert_int_equal(n, 4); /* of facts and conflicts, in their order */
    for (size_t i = 1; i < n; i++) assert_true(memcmp(found[i - 1].bytes, found[i].bytes, 16) < 0);
    assert_int_equal(OPS(s, ids_between, least, most, found, 3, &n), EG_OK);
    assert_int_equal(n, 3);
    assert_int_equal(OPS(s, ids_between, second, second, found, 3, &n), EG_OK);
    assert_true(n == 1 && eg_id_eq(found[0], second));
    most.bytes[0] = least.bytes[0] = 0xFF;
    assert_int_equal(OPS(s, ids_between, least, most, found, 3, &n), EG_OK);
    assert_int_equal(n, 0);
}

/* Marks are bits of a fact that change without its window; a new fact may begin with some. */
void conformance_marks(store *s) {
    eg_new_fact row = new_fact("marked from the start", "x");
    row.fact.marks = EG_MARK_PINNED | 4;
    const eg_change add = {.kind = EG_CHANGE_FACT, .new_fact = &row};
    assert_int_equal(apply(s, NULL, 0, &add, 1, NULL), EG_OK);
    eg_id other = put_fact(s, "another", "x", 0, 0);
    const eg_change change[] = {{.kind = EG_CHANGE_MARK, .mark = {.fact = row.fact.id, .set = 2, .clear = EG_MARK_PINNED}},
                                {.kind = EG_CHANGE_AUDIT, .audit = {EG_STR("unpin"), EG_STR("{}"), row.fact.id}}};
    eg_applied applied;
    assert_int_equal(apply(s, NULL, 0, change, 2, &applied), EG_OK);
    assert_int_equal(get_fact(s, row.fact.id).marks, 6);
    assert_int_equal(get_fact(s, row.fact.id).valid_until, EG_FOREVER);
    assert_int_equal(get_fact(s, other).marks, 0);
    eg_journal_row *rows;
    size_t n;
    assert_int_equal(OPS(s, changes_since, applied.seq - 1, 9, &rows, &n), EG_OK);
    assert_true(n == 1 && rows[0].kind == EG_CHANGE_MARK && eg_id_eq(rows[0].fact, row.fact.id));
}

static size_t events_of(store *s, eg_events_args a, eg_event **rows) {
    size_t n;
    a.size = sizeof a;
    if (!a.limit) a.limit = 100;
    assert_int_equal(OPS(s, events, &a, rows, &n), EG_OK);
    return n;
}

/* What happened, the latest first: each event once, in pages too. */
void conformance_events(store *s) {
    eg_event *e, *rest;
    set_clock(s, 1000 * DAY);
    assert_int_equal(events_of(s, (eg_events_args){0}, &e), 0);
    eg_id a = put_fact(s, "one", "a", 0, 0), b = put_fact(s, "two", "b/c", 2 * DAY, 1);
    const eg_conflict conflict = new_conflict(a, b);
    const eg_change add = {.kind = EG_CHANGE_CONFLICT, .conflict = &conflict};
    assert_int_equal(apply(s, NULL, 0, &add, 1, NULL), EG_OK);
    advance_clock(s, DAY);
    eg_new_fact row = new_fact("one, mended", "a");
    row.fact.lineage_id = row.fact.supersedes = a;
    eg_change next[] = {{.kind = EG_CHANGE_CLOSE, .close = {a, EG_CLOSE_SUPERSEDED, EG_STR("me")}},
                        {.kind = EG_CHANGE_FACT, .new_fact = &row},
                        {.kind = EG_CHANGE_END_CONFLICTS, .end_conflicts = {.fact = a, .by = EG_STR("me")}}};
    assert_int_equal(apply(s, NULL, 0, next, 3, NULL), EG_OK);
    assert_int_equal(events_of(s, (eg_events_args){0}, &e), 5); /* b has not run out yet */
    advance_clock(s, 2 * DAY);
    close_fact(s, row.fact.id, EG_CLOSE_DELETED);
    size_t n = events_of(s, (eg_events_args){0}, &e);
    assert_int_equal(n, 7);
    static const uint32_t kinds[] = {EG_EVENT_CLOSED, EG_EVENT_EXPIRED, EG_EVENT_SETTLED, EG_EVENT_STORED,
                                     EG_EVENT_FOUND,  EG_EVENT_STORED,  EG_EVENT_STORED};
    const eg_id ids[] = {row.fact.id, b, conflict.id, row.fact.id, conflict.id, b, a};
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(e[i].kind, kinds[i]);
        assert_true(eg_id_eq(e[i].id, ids[i]));
    }
    assert_true(e[1].time == 1002 * DAY && e[2].time == 1001 * DAY && e[6].time == 1000 * DAY);
    for (size_t i = 0; i < n; i++) /* whichever the page ends with */
        assert_int_equal(events_of(s, (eg_events_args){.before = e[i]}, &rest), n - 1 - i);
    assert_int_equal(events_of(s, (eg_events_args){.limit = 3}, &rest), 3);
    assert_int_equal(events_of(s, (eg_events_args){.flags = EG_EVENTS_REPLACED}, &rest), 8);
    assert_int_equal(events_of(s, (eg_events_args){.since = 1001 * DAY, .until = 1002 * DAY}, &rest), 3);
    /* a conflict is of the scopes of both sides */
    assert_int_equal(events_of(s, (eg_events_args){.scope = EG_STR("b")}, &rest), 4);
    eg_events_args odd = {.size = sizeof odd, .flags = 1u << 30, .limit = 1};
    assert_int_equal(OPS(s, events, &odd, &rest, &n), EG_EUNSUPPORTED);
}

/* wait() gives the seq: at once when there is a newer one or no time to wait, else at the deadline.
 * Another process's commits are in test_concurrency.c. */
void conformance_waiting(store *s) {
    int64_t seq = -1, begun = eg_clock_monotonic();
    assert_int_equal(OPS(s, wait, 0, 0, &seq), EG_OK);
    assert_int_equal(seq, 0);
    put_fact(s, "one", "x", 0, 0);
    assert_int_equal(OPS(s, wait, 0, begun + 60 * EG_SECOND, &seq), EG_OK);
    assert_int_equal(seq, 1);
    assert_int_equal(OPS(s, wait, 1, begun + EG_SECOND / 5, &seq), EG_OK);
    assert_int_equal(seq, 1);
    assert_true(eg_clock_monotonic() >= begun + EG_SECOND / 5);
}
