/* conformance.c - the checks of conformance.h but those about conflicts. */
#include "conformance_steps.h"

static eg_filter all(store *s) { return (eg_filter){.workspace = s->request.rq.workspace, .fact_type = -1}; }

static size_t count(store *s, const eg_filter *f) {
    eg_fact *rows;
    size_t n;
    assert_int_equal(OPS(s, list, f, 0, 1000, &rows, &n), EG_OK);
    return n;
}

static void close_fact(store *s, eg_id id, eg_close_reason reason) {
    eg_change c = {.kind = EG_CHANGE_CLOSE, .fact = id, .reason = reason, .text = EG_STR("bob")};
    assert_int_equal(apply(s, NULL, 0, &c, 1, NULL), EG_OK);
}

static size_t lease(store *s, const char *owner, int64_t grace, uint32_t most, eg_job **jobs) {
    size_t n;
    assert_int_equal(OPS(s, lease, eg_str_of(owner), 10 * EG_SECOND, grace, 0, 3, most, jobs, &n), EG_OK);
    return n;
}

void conformance_windows(store *s) {
    s->now = 1000 * DAY;
    eg_id forever = put_fact(s, "kept for ever", "auth", 0, 0), week = put_fact(s, "kept a week", "auth/jwt", 7, 1);
    put_fact(s, "another tree", "authz", 0, 2);
    eg_filter now = all(s), past = all(s);
    assert_int_equal(count(s, &now), 3);
    now.scope = EG_STR("auth");
    assert_int_equal(count(s, &now), 2); /* whole segments: authz is not below auth */
    past.at = s->now + 1;
    past.as_of = 1;
    s->now += 8 * DAY;
    now.scope = (eg_str){0};
    assert_int_equal(count(s, &now), 2);
    assert_int_equal(count(s, &past), 3);
    close_fact(s, forever, EG_CLOSE_SUPERSEDED);
    assert_int_equal(count(s, &now), 1);
    assert_int_equal(count(s, &past), 3);  /* what was known then does not change */
    close_fact(s, week, EG_CLOSE_DELETED); /* it had ended: closing never moves an end later */
    eg_fact f;
    assert_int_equal(OPS(s, fact, week, &f), EG_OK);
    assert_int_equal(f.valid_until, 1007 * DAY);
    assert_int_equal(f.closed_at, s->now);
    now.history = 1;
    assert_int_equal(count(s, &now), 3);
    s->now -= 100 * DAY; /* a clock that goes back: the store's time does not */
    eg_id late = put_fact(s, "after the clock went back", "auth", 0, 3);
    assert_int_equal(OPS(s, fact, late, &f), EG_OK);
    assert_true(f.committed_at >= 1008 * DAY);
    now.history = 0; /* and reads go by it: what was committed is seen, what was over stays over */
    int64_t store_now;
    assert_int_equal(OPS(s, now, &store_now), EG_OK);
    assert_true(store_now == f.committed_at && store_now > s->now);
    assert_int_equal(count(s, &now), 2);
    eg_change job = {.kind = EG_CHANGE_JOB, .number = EG_JOB_DETECT, .fact = late, .text = EG_STR("me")};
    assert_int_equal(apply(s, NULL, 0, &job, 1, NULL), EG_OK);
    eg_job *jobs;
    assert_int_equal(lease(s, "me", 0, 1, &jobs), 1); /* jobs go on by the clock */
    s->now += 11 * EG_SECOND;
    assert_int_equal(lease(s, "me", 0, 1, &jobs), 1);
}

void conformance_preconditions(store *s) {
    eg_id a = put_fact(s, "first fact", "x", 0, 0), b = put_fact(s, "second fact", "x", 0, 1);
    uint8_t hash[32];
    s->services.sha256(s->services.host, "first fact", 10, hash);
    eg_conflict conflict = {
        .id = test_id(), .fact_a = a, .fact_b = b, .tier = EG_STR("t"), .detector = EG_STR("d"), .explanation = EG_STR("e")};
    eg_change add = {.kind = EG_CHANGE_CONFLICT, .conflict = &conflict},
              setting = {.kind = EG_CHANGE_SETTING, .text = EG_STR("k"), .text2 = EG_STR("v")};
    close_fact(s, b, EG_CLOSE_DELETED);
    assert_int_equal(apply(s, NULL, 0, &add, 1, NULL), EG_OK); /* open: it came after the end */
    const eg_precondition failing[] = {{.kind = EG_REQUIRE_HASH_FREE, .text = EG_STR("x"), .hash = hash},
                                       {.kind = EG_REQUIRE_CURRENT, .id = b},
                                       {.kind = EG_REQUIRE_HEAD, .id = b},
                                       {.kind = EG_REQUIRE_PAIR_FREE, .id = b, .other = a},
                                       {.kind = EG_REQUIRE_CONFLICT_SETTLED, .id = conflict.id},
                                       {.kind = EG_REQUIRE_LINEAGE_FREE, .id = a},
                                       {.kind = EG_REQUIRE_LEASE, .number = 1, .token = a}};
    const eg_precondition holding[] = {{.kind = EG_REQUIRE_HASH_FREE, .text = EG_STR("y"), .hash = hash},
                                       {.kind = EG_REQUIRE_CURRENT, .id = a},
                                       {.kind = EG_REQUIRE_HEAD, .id = a},
                                       {.kind = EG_REQUIRE_PAIR_FREE, .id = a, .other = a},
                                       {.kind = EG_REQUIRE_CONFLICT_UNSETTLED, .id = conflict.id},
                                       {.kind = EG_REQUIRE_LINEAGE_FREE, .id = a, .other = a},
                                       {.kind = EG_REQUIRE_LINEAGE_FREE, .id = b}};
    int64_t before, after;
    assert_int_equal(OPS(s, last_seq, &before), EG_OK);
    for (size_t i = 0; i < sizeof failing / sizeof *failing; i++) {
        eg_precondition two[] = {holding[1], failing[i]};
        eg_applied applied;
        eg_str value;
        assert_int_equal(apply(s, two, 2, &setting, 1, &applied), EG_ECONFLICT);
        assert_int_equal(applied.failed, 1);
        assert_int_equal(OPS(s, setting, EG_STR("local"), EG_STR("k"), &value), EG_ENOENT);
    }
    assert_int_equal(OPS(s, last_seq, &after), EG_OK);
    assert_int_equal(before, after);
    assert_int_equal(apply(s, holding, sizeof holding / sizeof *holding, &setting, 1, NULL), EG_OK);
    eg_str value;
    assert_int_equal(OPS(s, setting, EG_STR("local"), EG_STR("k"), &value), EG_OK);
    assert_true(eg_str_eq(value, EG_STR("v")));

    eg_new_fact row = {.fact = {.content = EG_STR("after it"), .scope = EG_STR("x"), .agent_id = EG_STR("alice")}};
    row.fact.id = test_id();
    row.fact.lineage_id = a;
    eg_change next = {.kind = EG_CHANGE_FACT, .new_fact = &row};
    eg_fact head, *all;
    size_t n;
    assert_int_equal(OPS(s, lineage_head, EG_STR("local"), a, &head), EG_OK);
    assert_true(eg_id_eq(head.id, a));
    assert_int_equal(apply(s, NULL, 0, &next, 1, NULL), EG_OK);
    assert_int_equal(OPS(s, lineage_head, EG_STR("local"), a, &head), EG_OK);
    assert_int_equal(OPS(s, lineage, EG_STR("local"), a, &all, &n), EG_OK);
    assert_true(n == 2 && eg_id_eq(head.id, row.fact.id) && eg_id_eq(all[1].id, head.id));
}

static size_t dots; /* vectors that were read whole */
static float counted_dot(void *host, const float *a, const float *b, size_t n) {
    (void)host;
    float sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    dots++;
    return sum;
}

/* A fact with a vector for each of its statements: the nearest one counts, and the fact comes once. */
static eg_id put_statements(store *s, const char *scope) {
    float v[3][WIDTH] = {{0}};
    eg_vector vectors[3];
    for (uint32_t i = 0; i < 3; i++) {
        v[i][4 * i] = v[i][4 * i + 2] = 0.70710678f;
        vectors[i] = (eg_vector){.statement = i, .dimensions = WIDTH, .model_id = EG_STR("m"), .values = v[i]};
    }
    eg_new_fact row = {.fact = {.content = EG_STR("three things"), .scope = eg_str_of(scope), .agent_id = EG_STR("alice")},
                       .vectors = vectors,
                       .vector_count = 3};
    row.fact.id = row.fact.lineage_id = test_id();
    eg_change change = {.kind = EG_CHANGE_FACT, .new_fact = &row};
    assert_int_equal(apply(s, NULL, 0, &change, 1, NULL), EG_OK);
    return row.fact.id;
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
    eg_filter f = all(s);
    eg_scored *hits;
    size_t n;
    assert_int_equal(OPS(s, search_text, &f, terms, 6, 10, &hits, &n), EG_OK);
    assert_int_equal(n, 2);
    assert_true(eg_id_eq(hits[0].fact, wanted) && eg_id_eq(hits[1].fact, twice));
    assert_true(hits[0].score >= hits[1].score && hits[1].score > 0);
    float q[WIDTH] = {0};
    q[12] = 0.8f;
    q[13] = 0.6f;
    assert_int_equal(OPS(s, search_vectors, &f, EG_STR("m"), q, WIDTH, 3, &hits, &n), EG_OK);
    assert_int_equal(n, 3);
    assert_true(eg_id_eq(hits[0].fact, wanted) && hits[0].score > 0.999);
    f.scope = EG_STR("hay"); /* two facts behind 1,500 others */
    q[12] = q[13] = 0;
    q[0] = 1;
    assert_int_equal(OPS(s, search_vectors, &f, EG_STR("m"), q, WIDTH, 5, &hits, &n), EG_OK);
    assert_int_equal(n, 2);
    eg_id three = put_statements(s, "hay");
    s->services.dot = counted_dot; /* however few facts pass the filter, the others are not read */
    static const uint32_t limits[] = {5, 1000};
    for (size_t i = 0; i < 2; i++) {
        dots = 0;
        q[0] = 0, q[4] = q[6] = 0.70710678f;
        assert_int_equal(OPS(s, search_vectors, &f, EG_STR("m"), q, WIDTH, limits[i], &hits, &n), EG_OK);
        assert_int_equal(n, 3);
        assert_true(eg_id_eq(hits[0].fact, three) && hits[0].score > 0.999);
        assert_in_range(dots, 5, 15);
    }
    f.scope = EG_STR("fill");
    assert_int_equal(OPS(s, search_vectors, &f, EG_STR("m"), q, WIDTH, 1000, &hits, &n), EG_OK);
    assert_int_equal(n, 1000);
    for (size_t i = 1; i < n; i++) assert_true(hits[i].score <= hits[i - 1].score);
    work_in(s, "elsewhere");
    eg_id there = put_fact(s, "own fact", "x", 0, 0);
    f = all(s);
    dots = 0;
    assert_int_equal(OPS(s, search_vectors, &f, EG_STR("m"), q, WIDTH, 60, &hits, &n), EG_OK);
    assert_true(n == 1 && eg_id_eq(hits[0].fact, there));
    assert_int_equal(dots, 1);
    work_in(s, "local");
    assert_int_equal(OPS(s, search_vectors, &f, EG_STR("another model"), q, WIDTH, 5, &hits, &n), EG_OK);
    assert_int_equal(n, 0);
}

/* Making vectors anew comes after all else, of whomever it is; of two such kinds the owner's comes first. */
void conformance_job_order(store *s) {
    static const char *const owners[] = {"other", "me", "other", "me"};
    static const uint32_t kinds[] = {EG_JOB_REEMBED, EG_JOB_REEMBED, EG_JOB_DETECT, EG_JOB_EMBED};
    s->now = 1000 * DAY;
    eg_id fact = put_fact(s, "one", "x", 0, 0);
    for (int i = 0; i < 4; i++) {
        eg_change job = {.kind = EG_CHANGE_JOB, .number = kinds[i], .fact = fact, .text = eg_str_of(owners[i])};
        assert_int_equal(apply(s, NULL, 0, &job, 1, NULL), EG_OK);
    }
    s->now += 2 * EG_SECOND;
    eg_job *jobs;
    size_t n;
    uint32_t the_rest = 1u << EG_JOB_DETECT | 1u << EG_JOB_REEMBED;
    assert_int_equal(OPS(s, lease, EG_STR("me"), 1, EG_SECOND, the_rest, 4, 4, &jobs, &n), EG_OK);
    assert_true(n == 1 && jobs[0].kind == EG_JOB_EMBED);
    eg_change back = {.kind = EG_CHANGE_JOB_FAILED, .number = jobs[0].id, .token = jobs[0].token, .time = s->now};
    assert_int_equal(apply(s, NULL, 0, &back, 1, NULL), EG_OK);
    assert_int_equal(OPS(s, lease, EG_STR("me"), 10 * EG_SECOND, EG_SECOND, 0, 4, 4, &jobs, &n), EG_OK);
    assert_int_equal(n, 4);
    static const size_t order[] = {3, 2, 1, 0};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(jobs[i].kind, kinds[order[i]]);
        assert_true(eg_str_eq(jobs[i].owner, eg_str_of(owners[order[i]])));
    }
}

/* What was leased, made or put off before the clock was set back by a day does not wait for that day. */
void conformance_clock_set_back(store *s) {
    s->now = 1000 * DAY;
    eg_id fact = put_fact(s, "one", "x", 0, 0);
    eg_change mine = {.kind = EG_CHANGE_JOB, .number = EG_JOB_DETECT, .fact = fact, .text = EG_STR("me")}, later = mine,
              other = mine;
    later.time = s->now + EG_MAX_JOB_PAUSE / 2;
    other.text = EG_STR("other");
    const eg_change all_three[] = {mine, later, other};
    assert_int_equal(apply(s, NULL, 0, all_three, 3, NULL), EG_OK);
    eg_job *jobs;
    assert_int_equal(lease(s, "me", 60 * EG_SECOND, 5, &jobs), 1);
    int64_t leased = jobs[0].id;
    s->now -= EG_SECOND; /* a little: who has the lease keeps it */
    assert_int_equal(lease(s, "me", 60 * EG_SECOND, 5, &jobs), 0);
    s->now -= DAY;
    assert_int_equal(lease(s, "me", 60 * EG_SECOND, 5, &jobs), 3);
    for (int i = 0; i < 3; i++) assert_int_equal(jobs[i].attempts, jobs[i].id == leased);
    assert_int_equal(lease(s, "me", 0, 5, &jobs), 0);
}

void conformance_jobs(store *s) {
    s->now = 1000 * DAY;
    eg_id fact = put_fact(s, "one", "x", 0, 0);
    eg_change mine = {.kind = EG_CHANGE_JOB, .number = EG_JOB_DETECT, .fact = fact, .text = EG_STR("me")}, other = mine;
    other.text = EG_STR("other");
    const eg_change both[] = {other, mine};
    assert_int_equal(apply(s, NULL, 0, both, 2, NULL), EG_OK);
    eg_job *jobs;
    assert_int_equal(lease(s, "me", 60 * EG_SECOND, 5, &jobs), 1); /* others' only after a while */
    eg_job held = jobs[0];
    s->now += 5 * EG_SECOND;
    assert_int_equal(lease(s, "me", 60 * EG_SECOND, 5, &jobs), 0);
    eg_change done = {.kind = EG_CHANGE_JOB_DONE, .number = held.id, .token = fact};
    eg_precondition wrong = {.kind = EG_REQUIRE_LEASE, .number = held.id, .token = fact}, right = wrong;
    right.token = held.token;
    assert_int_equal(apply(s, &wrong, 1, &done, 1, NULL), EG_ECONFLICT);
    s->now += 6 * EG_SECOND; /* the lease is over */
    assert_int_equal(lease(s, "third", 1 * EG_SECOND, 5, &jobs), 2);
    assert_int_equal(apply(s, &right, 1, &done, 1, NULL), EG_ECONFLICT); /* somebody else has it now */
    size_t left, dead;
    for (int i = 0; i < EG_MAX_ATTEMPTS; i++) {
        if (i) assert_int_equal(lease(s, "third", 0, 1, &jobs), 1);
        eg_change failed = {
            .kind = EG_CHANGE_JOB_FAILED, .number = jobs[0].id, .token = jobs[0].token, .text = EG_STR("no"), .time = s->now};
        eg_precondition lease_held = {.kind = EG_REQUIRE_LEASE, .number = jobs[0].id, .token = jobs[0].token};
        assert_int_equal(apply(s, &lease_held, 1, &failed, 1, NULL), EG_OK);
    }
    eg_store_stats stats;
    assert_int_equal(OPS(s, stats, EG_STR("local"), &stats), EG_OK);
    assert_int_equal(stats.jobs_dead, 1);
    assert_int_equal(OPS(s, jobs_of, fact, &left, &dead), EG_OK);
    assert_true(left == 1 && dead == 1);        /* the dead-lettered one waits for nobody, and is not done */
    for (int i = 1; i < EG_MAX_ATTEMPTS; i++) { /* leases that nobody gives back are failures too: one ran out before */
        s->now += 11 * EG_SECOND;
        assert_int_equal(lease(s, "third", 0, 5, &jobs), i + 1 < EG_MAX_ATTEMPTS);
    }
    assert_int_equal(OPS(s, stats, EG_STR("local"), &stats), EG_OK);
    assert_true(stats.jobs_dead == 2 && stats.jobs_leased == 0);
}

void conformance_workspaces(store *s) {
    eg_id a = put_fact(s, "secret plan", "x", 0, 0), b = put_fact(s, "second plan", "x", 0, 1);
    eg_conflict c = {
        .id = test_id(), .fact_a = a, .fact_b = b, .tier = EG_STR("t"), .detector = EG_STR("d"), .explanation = EG_STR("e")};
    eg_change changes[] = {{.kind = EG_CHANGE_CONFLICT, .conflict = &c},
                           {.kind = EG_CHANGE_SETTING, .text = EG_STR("k"), .text2 = EG_STR("v")},
                           {.kind = EG_CHANGE_AGENT, .text = EG_STR("alice"), .number = 2},
                           {.kind = EG_CHANGE_AUDIT, .text = EG_STR("x"), .fact = a},
                           {.kind = EG_CHANGE_FEEDBACK, .conflict = &c, .number = 1}};
    eg_applied applied;
    assert_int_equal(apply(s, NULL, 0, changes, 5, &applied), EG_OK);
    eg_str there = EG_STR("elsewhere");
    work_in(s, "elsewhere");
    put_fact(s, "own fact", "x", 0, 0);
    eg_filter f = all(s);
    const eg_term term = {EG_STR("plan"), 1};
    float q[WIDTH] = {1};
    uint8_t hash[32];
    eg_fact fact, *facts;
    eg_scored *hits;
    eg_claim *claims;
    eg_claim_row *rows;
    eg_span *spans;
    eg_conflict conflict, *conflicts;
    eg_conflict_filter cf = {.workspace = there, .status = -1, .limit = 10};
    eg_audit_row audit, *audits;
    eg_store_stats stats;
    eg_id id;
    eg_str text;
    size_t n;
    uint64_t x, y;
    int known;
    s->services.sha256(s->services.host, "secret plan", 11, hash);
    assert_int_equal(OPS(s, fact, a, &fact), EG_ENOENT);
    assert_int_equal(OPS(s, current_by_hash, &f, hash, &fact), EG_ENOENT);
    assert_int_equal(OPS(s, conflict, c.id, &conflict), EG_ENOENT);
    assert_int_equal(OPS(s, setting, there, EG_STR("k"), &text), EG_ENOENT);
    assert_int_equal(OPS(s, agent, there, EG_STR("alice"), &x, &y), EG_ENOENT);
    assert_int_equal(OPS(s, audit, there, applied.audit_id, &audit), EG_ENOENT);
    assert_int_equal(OPS(s, list, &f, 0, 10, &facts, &n), EG_OK);
    assert_int_equal(n, 1);
    assert_int_equal(OPS(s, search_text, &f, &term, 1, 10, &hits, &n), EG_OK);
    assert_int_equal(n, 0);
    assert_int_equal(OPS(s, search_vectors, &f, EG_STR("m"), q, WIDTH, 10, &hits, &n), EG_OK);
    assert_int_equal(n, 1);
    assert_int_equal(OPS(s, lineage_head, there, a, &fact), EG_ENOENT);
    assert_int_equal(OPS(s, lineage, there, a, &facts, &n), EG_OK);
    assert_int_equal(n, 0);
    assert_int_equal(OPS(s, claims_of, a, &claims, &n), EG_OK);
    assert_int_equal(n, 0);
    assert_int_equal(OPS(s, claims_by_key, &f, EG_STR("s"), EG_STR("a"), 10, &rows, &n), EG_OK);
    assert_int_equal(n, 0);
    assert_int_equal(OPS(s, statements_of, a, &spans, &n), EG_OK);
    assert_int_equal(n, 0);
    assert_int_equal(OPS(s, conflicts, &cf, &conflicts, &n), EG_OK);
    assert_int_equal(n, 0);
    cf.fact = a;
    assert_int_equal(OPS(s, conflicts, &cf, &conflicts, &n), EG_OK);
    assert_int_equal(n, 0);
    assert_int_equal(OPS(s, pair_known, a, b, &known), EG_OK);
    assert_false(known);
    assert_int_equal(OPS(s, feedback, there, EG_STR("t"), &x, &y), EG_OK);
    assert_true(x == 0 && y == 0);
    assert_int_equal(OPS(s, audit_list, there, 0, 10, &audits, &n), EG_OK);
    assert_int_equal(n, 0);
    assert_int_equal(OPS(s, stats, there, &stats), EG_OK);
    assert_true(stats.facts == 1 && stats.conflicts_total == 0 && stats.agents == 0);
    char suffix[9];
    snprintf(suffix, sizeof suffix, "%02X%02x%02x%02x", a.bytes[12], a.bytes[13], a.bytes[14], a.bytes[15]);
    assert_int_equal(OPS(s, ids_by_suffix, there, eg_str_of(suffix), &id, 1, &n), EG_OK);
    assert_int_equal(n, 0);
    assert_int_equal(OPS(s, ids_by_suffix, EG_STR("local"), eg_str_of(suffix), &id, 1, &n), EG_OK);
    assert_true(n == 1 && eg_id_eq(id, a));
    eg_change close = {.kind = EG_CHANGE_CLOSE, .fact = a, .reason = EG_CLOSE_DELETED};
    assert_int_equal(apply(s, NULL, 0, &close, 1, NULL), EG_OK); /* touches nothing of the other workspace */
    work_in(s, "local");
    assert_int_equal(OPS(s, fact, a, &fact), EG_OK);
    assert_int_equal(fact.close_reason, EG_CLOSE_NONE);
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

/* An audit row holds what its change set did to windows: an insertion, two closings, a promotion; other rows keep their own. */
void conformance_audit_windows(store *s) {
    int64_t start = s->now = 1000 * DAY;
    eg_id week = put_fact(s, "kept a week", "x", 7, 0), over = put_fact(s, "kept a day", "x", 1, 1),
          promoted = put_fact(s, "soon durable", "x", 1, 2);
    s->now += 2 * DAY;
    eg_new_fact row = {.fact = {.content = EG_STR("instead"), .scope = EG_STR("x"), .agent_id = EG_STR("alice"), .ttl_days = 3}};
    row.fact.id = row.fact.lineage_id = test_id();
    s->services.sha256(s->services.host, "instead", 7, row.fact.content_hash);
    const eg_change set[] = {
        {.kind = EG_CHANGE_CLOSE, .fact = week, .reason = EG_CLOSE_SUPERSEDED, .text = EG_STR("bob")},
        {.kind = EG_CHANGE_CLOSE, .fact = over, .reason = EG_CLOSE_DELETED, .text = EG_STR("bob")},
        {.kind = EG_CHANGE_FACT, .new_fact = &row},
        {.kind = EG_CHANGE_PROMOTE, .fact = promoted, .time = EG_FOREVER},
        {.kind = EG_CHANGE_AUDIT, .text = EG_STR("commit"), .text2 = EG_STR("{}"), .fact = row.fact.id, .other = week}};
    const eg_change plain = {.kind = EG_CHANGE_AUDIT, .text = EG_STR("feedback"), .text2 = EG_STR("{}"), .fact = week};
    eg_applied first, second;
    eg_window_change *w;
    size_t n;
    assert_int_equal(apply(s, NULL, 0, set, 5, &first), EG_OK);
    assert_int_equal(apply(s, NULL, 0, &plain, 1, &second), EG_OK);
    assert_int_equal(OPS(s, audit_windows, EG_STR("local"), first.audit_id, &w, &n), EG_OK);
    assert_int_equal(n, 4);
    is_window(w[0], week, start, start + 7 * DAY, start, start + 2 * DAY);
    is_window(w[1], over, start, start + DAY, start, start + DAY); /* it had ended: closing never moves an end later */
    is_window(w[2], row.fact.id, 0, 0, start + 2 * DAY, start + 5 * DAY);
    is_window(w[3], promoted, start, start + DAY, start, EG_FOREVER);
    const eg_change sooner = {.kind = EG_CHANGE_PROMOTE, .fact = promoted, .time = s->now + DAY};
    eg_fact fact;
    assert_int_equal(apply(s, NULL, 0, &sooner, 1, NULL), EG_OK);
    assert_int_equal(OPS(s, fact, promoted, &fact), EG_OK);
    assert_true(fact.valid_until == EG_FOREVER); /* a promotion never moves an end sooner */
    assert_int_equal(OPS(s, audit_windows, EG_STR("local"), second.audit_id, &w, &n), EG_OK);
    assert_int_equal(n, 0);
    assert_int_equal(OPS(s, audit_windows, EG_STR("elsewhere"), first.audit_id, &w, &n), EG_OK);
    assert_int_equal(n, 0);
    assert_int_equal(s->registrar.ops->audit_verify(s->handle, &s->request.rq), EG_OK);
}

static size_t unembedded(store *s, const char *workspace, const char *model, int64_t after, uint32_t limit, eg_fact **out,
                         uint64_t *all) {
    size_t n;
    assert_int_equal(OPS(s, unembedded, eg_str_of(workspace), eg_str_of(model), after, limit, out, &n, all), EG_OK);
    return n;
}

/* Facts without vectors of a model, in their order; vectors of one model are stored once; one job of a kind that must be alone.
 */
void conformance_unembedded(store *s) {
    s->now = 1000 * DAY;
    eg_id ids[5];
    for (uint32_t i = 0; i < 5; i++) ids[i] = put_fact(s, "a fact", "x", i == 1 ? 1 : 0, i);
    s->now += 2 * DAY; /* the second is over, and searches of history still find it */
    close_fact(s, ids[2], EG_CLOSE_ERASED);
    eg_fact *rows;
    uint64_t all;
    assert_int_equal(unembedded(s, "local", "m", 0, 10, &rows, &all), 0);
    assert_int_equal(all, 0);
    assert_int_equal(unembedded(s, "local", "n", 0, 2, &rows, &all), 2);
    assert_int_equal(all, 4);
    assert_true(eg_id_eq(rows[0].id, ids[0]) && eg_id_eq(rows[1].id, ids[1]));
    assert_int_equal(unembedded(s, "local", "n", rows[1].seq, 10, &rows, &all), 2);
    assert_true(eg_id_eq(rows[0].id, ids[3]) && eg_id_eq(rows[1].id, ids[4]));
    assert_int_equal(all, 2);
    assert_int_equal(unembedded(s, "other", "n", 0, 10, &rows, NULL), 0);

    float values[WIDTH] = {0};
    values[7] = 1;
    eg_vector vector = {.statement = UINT32_MAX, .dimensions = WIDTH, .model_id = EG_STR("n"), .values = values};
    eg_new_fact row = {.vectors = &vector, .vector_count = 1};
    eg_change change = {.kind = EG_CHANGE_VECTORS, .fact = ids[0], .new_fact = &row};
    eg_store_stats before, after;
    for (int i = 0; i < 3; i++) { /* the second and third time nothing is added */
        assert_int_equal(apply(s, NULL, 0, &change, 1, NULL), EG_OK);
        assert_int_equal(OPS(s, stats, EG_STR("local"), i ? &after : &before), EG_OK);
    }
    assert_int_equal(before.vectors, after.vectors);
    assert_int_equal(unembedded(s, "local", "n", 0, 10, &rows, &all), 3);
    eg_scored *hits;
    size_t n;
    eg_filter f = {.workspace = EG_STR("local"), .fact_type = -1};
    assert_int_equal(OPS(s, search_vectors, &f, EG_STR("n"), values, WIDTH, 5, &hits, &n), EG_OK);
    assert_int_equal(n, 1); /* of this model there is one, and none of the other is taken for it */
    assert_true(eg_id_eq(hits[0].fact, ids[0]));

    eg_precondition alone = {.kind = EG_REQUIRE_NO_JOB, .number = EG_JOB_REEMBED};
    eg_change job = {.kind = EG_CHANGE_JOB, .number = EG_JOB_REEMBED, .fact = ids[1], .text = EG_STR("me")}, detect = job;
    detect.number = EG_JOB_DETECT;
    assert_int_equal(apply(s, &alone, 1, &job, 1, NULL), EG_OK);
    assert_int_equal(apply(s, &alone, 1, &job, 1, NULL), EG_ECONFLICT);
    assert_int_equal(apply(s, NULL, 0, &detect, 1, NULL), EG_OK);
    eg_job *jobs;
    assert_int_equal(lease(s, "me", 0, 1, &jobs), 1);
    assert_int_equal(jobs[0].kind, EG_JOB_DETECT); /* though it came later */
    assert_int_equal(lease(s, "me", 0, 1, &jobs), 1);
    assert_int_equal(jobs[0].kind, EG_JOB_REEMBED);
    assert_int_equal(apply(s, &alone, 1, &job, 1, NULL), EG_ECONFLICT); /* leased */
    for (int i = 0; i < EG_MAX_ATTEMPTS; i++) {
        eg_change failed = {
            .kind = EG_CHANGE_JOB_FAILED, .number = jobs[0].id, .token = jobs[0].token, .text = EG_STR("no"), .time = s->now};
        assert_int_equal(apply(s, NULL, 0, &failed, 1, NULL), EG_OK);
        if (i + 1 < EG_MAX_ATTEMPTS) assert_int_equal(lease(s, "me", 0, 1, &jobs), 1);
    }
    assert_int_equal(apply(s, &alone, 1, &job, 1, NULL), EG_ECONFLICT); /* dead-lettered: not at once again */
    s->now += 2 * 3600 * EG_SECOND;
    assert_int_equal(apply(s, &alone, 1, &job, 1, NULL), EG_OK);
}
