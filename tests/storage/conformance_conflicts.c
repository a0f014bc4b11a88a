/* conformance_conflicts.c - the checks of conformance.h about conflicts: their lists, verdicts, ends and agents. */
#include "conformance_steps.h"

static uint64_t flagged(store *s, const char *agent) {
    uint64_t commits, n;
    assert_int_equal(OPS(s, agent, EG_STR("local"), eg_str_of(agent), &commits, &n), EG_OK);
    return n;
}

/* An agent's facts in conflicts, each once; those of a dismissed one do not count, until it is opened again. */
void conformance_agents(store *s) {
    eg_id f[3] = {put_fact(s, "one", "x", 0, 0), put_fact(s, "two", "x", 0, 1), put_fact(s, "three", "x", 0, 2)};
    const eg_change seen = {.kind = EG_CHANGE_AGENT, .text = EG_STR("alice"), .number = 3};
    eg_conflict c[2];
    eg_change change = {.kind = EG_CHANGE_CONFLICT};
    assert_int_equal(apply(s, NULL, 0, &seen, 1, NULL), EG_OK);
    assert_int_equal(flagged(s, "alice"), 0);
    for (int i = 0; i < 2; i++) {
        c[i] = (eg_conflict){.id = test_id(),
                             .fact_a = f[i],
                             .fact_b = f[i + 1],
                             .tier = EG_STR("t"),
                             .detector = EG_STR("d"),
                             .explanation = EG_STR("e")};
        change.conflict = &c[i];
        assert_int_equal(apply(s, NULL, 0, &change, 1, NULL), EG_OK);
        assert_int_equal(flagged(s, "alice"), i + 2);
    }
    static const struct {
        int which;
        uint32_t status;
        uint64_t facts;
    } steps[] = {{0, EG_CONFLICT_DISMISSED, 2},
                 {1, EG_CONFLICT_RESOLVED, 2},
                 {1, EG_CONFLICT_DISMISSED, 0},
                 {0, EG_CONFLICT_OPEN, 2},
                 {1, EG_CONFLICT_OPEN, 3}};
    change.kind = EG_CHANGE_CONFLICT_STATUS;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        change.conflict = &c[steps[i].which];
        c[steps[i].which].status = steps[i].status;
        assert_int_equal(apply(s, NULL, 0, &change, 1, NULL), EG_OK);
        assert_int_equal(flagged(s, "alice"), steps[i].facts);
    }
}

void conformance_conflicts(store *s) {
    eg_id a = put_fact(s, "one", "x", 0, 0), b = put_fact(s, "two", "y", 0, 1);
    eg_conflict c = {.id = test_id(),
                     .fact_a = a,
                     .fact_b = b,
                     .tier = EG_STR("tier"),
                     .detector = EG_STR("d 1"),
                     .score = 0.5,
                     .explanation = EG_STR("why"),
                     .span_a = {0, 3},
                     .severity = EG_SEVERITY_HIGH};
    eg_change add = {.kind = EG_CHANGE_CONFLICT, .conflict = &c};
    assert_int_equal(apply(s, NULL, 0, &add, 1, NULL), EG_OK);
    eg_conflict turned = c, read;
    turned.id = test_id();
    turned.fact_a = b;
    turned.fact_b = a;
    add.conflict = &turned;
    assert_int_not_equal(apply(s, NULL, 0, &add, 1, NULL), EG_OK); /* a pair has no order */
    assert_int_equal(OPS(s, conflict, c.id, &read), EG_OK);
    assert_true(eg_id_eq(read.fact_a, a) && read.span_a.end == 3 && eg_str_eq(read.explanation, EG_STR("why")));
    eg_conflict_filter f = {.workspace = EG_STR("local"), .status = EG_CONFLICT_OPEN, .scope = EG_STR("y"), .limit = 10};
    eg_conflict *rows;
    size_t n;
    assert_int_equal(OPS(s, conflicts, &f, &rows, &n), EG_OK);
    assert_int_equal(n, 1);
    eg_fact fact;
    assert_int_equal(OPS(s, fact, a, &fact), EG_OK);
    assert_int_equal(fact.open_conflicts, 1);
    c.status = EG_CONFLICT_DISMISSED;
    eg_change settle[] = {{.kind = EG_CHANGE_CONFLICT_STATUS, .conflict = &c},
                          {.kind = EG_CHANGE_FEEDBACK, .conflict = &c, .number = 0}};
    assert_int_equal(apply(s, NULL, 0, settle, 2, NULL), EG_OK);
    assert_int_equal(OPS(s, conflicts, &f, &rows, &n), EG_OK);
    assert_int_equal(n, 0);
    uint64_t right, wrong;
    assert_int_equal(OPS(s, feedback, EG_STR("local"), EG_STR("tier"), &right, &wrong), EG_OK);
    assert_true(right == 0 && wrong == 1);
    eg_change verdict = {.kind = EG_CHANGE_FEEDBACK, .conflict = &c, .number = 1};
    for (int i = 0; i < 3; i++) assert_int_equal(apply(s, NULL, 0, &verdict, 1, NULL), EG_OK);
    assert_int_equal(OPS(s, feedback, EG_STR("local"), EG_STR("tier"), &right, &wrong), EG_OK);
    assert_true(right == 1 && wrong == 0); /* the last one of a conflict, however often it is asked */
    assert_int_equal(apply(s, NULL, 0, settle, 2, NULL), EG_OK);
    assert_int_equal(OPS(s, feedback, EG_STR("local"), EG_STR("tier"), &right, &wrong), EG_OK);
    assert_true(right == 0 && wrong == 1);
    assert_int_equal(OPS(s, conflict, c.id, &read), EG_OK);
    const eg_change back = {.kind = EG_CHANGE_FEEDBACK_BACK, .conflict = &read};
    assert_int_equal(apply(s, NULL, 0, &back, 1, NULL), EG_OK); /* the settlement's own, those before it stay */
    assert_int_equal(OPS(s, feedback, EG_STR("local"), EG_STR("tier"), &right, &wrong), EG_OK);
    assert_true(right == 1 && wrong == 0);
    int known;
    assert_int_equal(OPS(s, pair_known, b, a, &known), EG_OK);
    assert_true(known);
    eg_id d = put_fact(s, "three", "x", 0, 2);
    eg_change link = {.kind = EG_CHANGE_LINK, .fact = d, .other = a, .number = EG_LINK_BOTH_VALID};
    assert_int_equal(OPS(s, pair_known, a, d, &known), EG_OK);
    assert_false(known);
    assert_int_equal(apply(s, NULL, 0, &link, 1, NULL), EG_OK);
    assert_int_equal(OPS(s, pair_known, a, d, &known), EG_OK);
    assert_true(known);
    link.kind = EG_CHANGE_UNLINK;
    assert_int_equal(apply(s, NULL, 0, &link, 1, NULL), EG_OK);
    assert_int_equal(OPS(s, pair_known, a, d, &known), EG_OK);
    assert_false(known);
    f = (eg_conflict_filter){.workspace = EG_STR("local"), .status = -1, .limit = 2};
    for (uint32_t i = 0; i < 3; i++) { /* the limit leaves out the least severe, not the oldest; of equal ones the newest come */
        eg_conflict more = c;
        more.id = test_id();
        more.severity = EG_SEVERITY_LOW;
        more.fact_b = put_fact(s, "another", "z", 0, 3 + i);
        more.fact_a = i ? a : b;
        add.conflict = &more;
        assert_int_equal(apply(s, NULL, 0, &add, 1, NULL), EG_OK);
        f.fact = i ? a : (eg_id){{0}};
        assert_int_equal(OPS(s, conflicts, &f, &rows, &n), EG_OK);
        assert_int_equal(n, 2);
        assert_true(eg_id_eq(rows[0].id, c.id) && eg_id_eq(rows[1].id, more.id));
    }
}

/* With a fact all its open conflicts end, as many as there are, but for those that the set settles itself. */
void conformance_closing(store *s) {
    enum { MANY = EG_MAX_LISTED + 3 };
    static eg_new_fact facts[MANY];
    static eg_conflict c[MANY];
    static eg_change changes[2 * MANY];
    eg_id closed = put_fact(s, "one", "x", 0, 0);
    for (size_t i = 0; i < MANY; i++) {
        facts[i] = (eg_new_fact){.fact = {.content = EG_STR("other"), .scope = EG_STR("x"), .agent_id = EG_STR("alice")}};
        facts[i].fact.id = facts[i].fact.lineage_id = test_id();
        c[i] = (eg_conflict){.id = test_id(),
                             .fact_a = i % 2 ? closed : facts[i].fact.id,
                             .fact_b = i % 2 ? facts[i].fact.id : closed,
                             .tier = EG_STR("t"),
                             .detector = EG_STR("d"),
                             .explanation = EG_STR("e"),
                             .status = i == 1 ? EG_CONFLICT_DISMISSED : EG_CONFLICT_OPEN};
        changes[2 * i] = (eg_change){.kind = EG_CHANGE_FACT, .new_fact = &facts[i]};
        changes[2 * i + 1] = (eg_change){.kind = EG_CHANGE_CONFLICT, .conflict = &c[i]};
    }
    c[2].fact_b = facts[0].fact.id; /* of two others */
    assert_int_equal(apply(s, NULL, 0, changes, 2 * MANY, NULL), EG_OK);
    c[0].status = EG_CONFLICT_RESOLVED;
    c[0].resolution_type = EG_RESOLUTION_MERGE;
    const eg_change end[] = {{.kind = EG_CHANGE_CLOSE,
                              .fact = closed,
                              .reason = EG_CLOSE_MERGED,
                              .text = EG_STR("bob"),
                              .text2 = EG_STR("it is gone")},
                             {.kind = EG_CHANGE_CONFLICT_STATUS, .conflict = &c[0]}};
    eg_applied applied;
    assert_int_equal(apply(s, NULL, 0, end, 2, &applied), EG_OK);
    assert_int_equal(applied.conflicts_ended, MANY - 3);
    for (size_t i = 0; i < MANY; i++) {
        eg_conflict read;
        assert_int_equal(OPS(s, conflict, c[i].id, &read), EG_OK);
        assert_int_equal(read.status, i == 1 ? EG_CONFLICT_DISMISSED : i == 2 ? EG_CONFLICT_OPEN : EG_CONFLICT_RESOLVED);
        if (i == 0) assert_int_equal(read.resolution_type, EG_RESOLUTION_MERGE);
        if (i < 3) continue;
        assert_int_equal(read.resolution_type, EG_RESOLUTION_WINNER);
        assert_int_equal(read.resolved_at, applied.time);
        assert_true(eg_id_eq(read.resolved_fact, facts[i].fact.id));
        assert_true(eg_str_eq(read.resolved_by, EG_STR("bob")) && eg_str_eq(read.resolution, EG_STR("it is gone")));
    }
}

/* A conflict ends by itself when the time of one of its facts has run out, for whoever asks; and is open again when the fact is
 * kept after all. */
void conformance_run_out(store *s) {
    s->now = 1000 * DAY;
    eg_id week = put_fact(s, "one", "x", 7, 0), ever = put_fact(s, "two", "x", 0, 1), end = put_fact(s, "three", "x", 7, 2);
    eg_conflict c = {.fact_b = week, .tier = EG_STR("t"), .detector = EG_STR("d"), .explanation = EG_STR("e")};
    eg_change add = {.kind = EG_CHANGE_CONFLICT, .conflict = &c};
    eg_id ids[2], others[2] = {ever, end};
    for (int i = 0; i < 2; i++) {
        ids[i] = c.id = test_id();
        c.fact_a = others[i];
        assert_int_equal(apply(s, NULL, 0, &add, 1, NULL), EG_OK);
    }
    const eg_change keep = {.kind = EG_CHANGE_PROMOTE, .fact = week, .time = EG_FOREVER};
    for (int day = 0; day < 3; day++) { /* all hold; one for ever; two for ever */
        const int left[] = {2, 0, 1};
        if (day == 1) s->now += 7 * DAY; /* to the very end */
        if (day == 2) assert_int_equal(apply(s, NULL, 0, &keep, 1, NULL), EG_OK);
        eg_conflict_filter f = {.workspace = EG_STR("local"), .status = EG_CONFLICT_OPEN, .limit = 10};
        eg_conflict *rows, read;
        eg_store_stats stats;
        eg_fact fact;
        size_t n;
        for (int i = 0; i < 4; i++) {
            f.fact = i % 2 ? week : (eg_id){{0}};
            f.status = i < 2 ? EG_CONFLICT_OPEN : EG_CONFLICT_EXPIRED;
            assert_int_equal(OPS(s, conflicts, &f, &rows, &n), EG_OK);
            assert_int_equal(n, i < 2 ? left[day] : 2 - left[day]);
        }
        assert_int_equal(OPS(s, stats, EG_STR("local"), &stats), EG_OK);
        assert_int_equal(stats.conflicts_open, left[day]);
        assert_int_equal(stats.conflicts_total, 2);
        assert_int_equal(OPS(s, fact, week, &fact), EG_OK);
        assert_int_equal(fact.open_conflicts, left[day]);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(OPS(s, conflict, ids[i], &read), EG_OK);
            int open = day == 0 || (day == 2 && i == 0);
            assert_int_equal(read.status, open ? EG_CONFLICT_OPEN : EG_CONFLICT_EXPIRED);
        }
        if (day != 1) continue;
        /* closing what has ended ends nothing more; to who settles it the conflict is open */
        const eg_change close = {.kind = EG_CHANGE_CLOSE, .fact = end, .reason = EG_CLOSE_DELETED, .text = EG_STR("bob")};
        const eg_precondition open = {.kind = EG_REQUIRE_CONFLICT_UNSETTLED, .id = ids[1]};
        eg_applied applied;
        s->now++;
        assert_int_equal(apply(s, &open, 1, &close, 1, &applied), EG_OK);
        assert_int_equal(applied.conflicts_ended, 0);
    }
}
