/* conformance_conflicts.c - the checks of conformance.h about conflicts: their lists, verdicts,
 * ends, pairs and agents. */
#include "conformance_steps.h"

enum { OPEN = 1u << EG_CONFLICT_OPEN };

static eg_status change_one(store *s, eg_change change) { return apply(s, NULL, 0, &change, 1, NULL); }

static eg_status put_conflict(store *s, const eg_conflict *c) {
    return change_one(s, (eg_change){.kind = EG_CHANGE_CONFLICT, .conflict = c});
}

static eg_status set_status(store *s, const eg_conflict *c) {
    return change_one(s, (eg_change){.kind = EG_CHANGE_CONFLICT_STATUS, .conflict = c});
}

static void is_flagged(store *s, eg_id fact, uint64_t commits, uint64_t flagged) {
    eg_fact_parts p = part(s, fact, EG_PARTS_TRUST);
    assert_int_equal(p.agent_commits, commits);
    assert_int_equal(p.agent_flagged, flagged);
}

/* An agent's facts in conflicts, each once; those of a dismissed one do not count, until it is
 * opened again. */
void conformance_agents(store *s) {
    eg_id f[3] = {put_fact(s, "one", "x", 0, 0), put_fact(s, "two", "x", 0, 1), put_fact(s, "three", "x", 0, 2)};
    is_flagged(s, f[0], 0, 0); /* nobody knows alice yet */
    const eg_change seen = {.kind = EG_CHANGE_AGENT, .agent = {.agent_id = EG_STR("alice"), .commits = 3}};
    assert_int_equal(change_one(s, seen), EG_OK);
    is_flagged(s, f[0], 3, 0);
    eg_conflict c[2];
    for (int i = 0; i < 2; i++) {
        c[i] = new_conflict(f[i], f[i + 1]);
        assert_int_equal(put_conflict(s, &c[i]), EG_OK);
        is_flagged(s, f[2], 3, (uint64_t)i + 2);
    }
    static const struct {
        int which;
        uint32_t status;
        uint64_t facts;
    } steps[] = {{0, EG_CONFLICT_DISMISSED, 2}, {1, EG_CONFLICT_RESOLVED, 2},  {1, EG_CONFLICT_DISMISSED, 0},
                 {0, EG_CONFLICT_OPEN, 2},      {0, EG_CONFLICT_SUSPECTED, 0}, {0, EG_CONFLICT_OPEN, 2},
                 {1, EG_CONFLICT_OPEN, 3}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        c[steps[i].which].status = steps[i].status;
        assert_int_equal(set_status(s, &c[steps[i].which]), EG_OK);
        is_flagged(s, f[1], 3, steps[i].facts);
    }
    eg_parts_args both = {.size = sizeof both, .flags = EG_PARTS_TRUST | EG_PARTS_CONFLICTS, .ids = f, .count = 3};
    eg_fact_parts *rows;
    assert_int_equal(OPS(s, parts, &both, &rows, NULL), EG_OK);
    /* of several facts of one agent */
    for (int i = 0; i < 3; i++) assert_int_equal(rows[i].agent_flagged, 3);
    /* the newest first */
    assert_true(rows[1].conflict_count == 2 && eg_id_eq(rows[1].conflicts[0], c[1].id));
    assert_true(rows[0].conflict_count == 1 && rows[0].fact.open_conflicts == 1);
    c[0].status = EG_CONFLICT_SUSPECTED;
    assert_int_equal(set_status(s, &c[0]), EG_OK);
    eg_fact_parts p = part(s, f[1], EG_PARTS_CONFLICTS | EG_PARTS_SUSPECTED);
    assert_true(p.suspected_count == 1 && eg_id_eq(p.suspected[0], c[0].id) && p.fact.open_conflicts == 1);
    assert_true(p.conflict_count == 1 && eg_id_eq(p.conflicts[0], c[1].id));
    eg_store_stats stats = stats_of(s);
    assert_true(stats.suspected == 1 && stats.conflicts_open == 1 && stats.conflicts_total == 1);
}

/* A conflict goes over to the copy of a fact: it is the copy's, and counts for its agent, not for
 * that of the one that it left. */
void conformance_moved_conflicts(store *s) {
    eg_id f[3] = {put_fact(s, "one", "x", 0, 0), put_fact(s, "two", "x", 0, 1), put_fact(s, "three", "x", 0, 2)};
    const eg_change seen = {.kind = EG_CHANGE_AGENT, .agent = {.agent_id = EG_STR("alice"), .commits = 3}};
    assert_int_equal(change_one(s, seen), EG_OK);
    eg_conflict c = new_conflict(f[0], f[1]), moved;
    assert_int_equal(put_conflict(s, &c), EG_OK);
    moved = c;
    moved.fact_a = f[1];
    moved.fact_b = f[2];
    moved.span_a = (eg_span){1, 2};
    moved.span_b = (eg_span){0, 3};
    moved.status = EG_CONFLICT_DISMISSED; /* not looked at */
    assert_int_equal(change_one(s, (eg_change){.kind = EG_CHANGE_CONFLICT_FACTS, .conflict = &moved}), EG_OK);
    eg_conflict read = get_conflict(s, c.id);
    assert_true(eg_id_eq(read.fact_a, f[1]) && eg_id_eq(read.fact_b, f[2]) && read.status == EG_CONFLICT_OPEN);
    assert_true(read.span_a.start == 1 && read.span_a.end == 2 && read.span_b.start == 0 && read.span_b.end == 3);
    assert_true(read.seq == get_conflict(s, c.id).seq && eg_str_eq(read.explanation, EG_STR("why")));
    for (int i = 0; i < 3; i++) assert_int_equal(get_fact(s, f[i]).open_conflicts, i > 0);
    is_flagged(s, f[0], 3, 2);
    c.status = EG_CONFLICT_DISMISSED;
    assert_int_equal(set_status(s, &c), EG_OK);
    is_flagged(s, f[0], 3, 0);
    c.id = test_id(); /* the first pair is free again */
    c.status = EG_CONFLICT_OPEN;
    assert_int_equal(put_conflict(s, &c), EG_OK);
    is_flagged(s, f[2], 3, 2);
}

static size_t list_conflicts(store *s, const eg_conflict_filter *f, eg_conflict **rows) {
    size_t n;
    assert_int_equal(OPS(s, conflicts, f, rows, &n), EG_OK);
    return n;
}

static void has_feedback(store *s, uint64_t confirmed, uint64_t false_alarms) {
    eg_feedback_row f = feedback_on(s, "tier");
    assert_true(f.confirmed == confirmed && f.false_alarms == false_alarms);
}

void conformance_conflicts(store *s) {
    eg_id a = put_fact(s, "one", "x", 0, 0), b = put_fact(s, "two", "y", 0, 1);
    eg_conflict c = new_conflict(a, b), turned = c, *rows;
    c.score = 0.5;
    c.span_a = (eg_span){0, 3};
    c.severity = EG_SEVERITY_HIGH;
    assert_int_equal(put_conflict(s, &c), EG_OK);
    turned.id = test_id();
    turned.fact_a = b;
    turned.fact_b = a;
    assert_int_not_equal(put_conflict(s, &turned), EG_OK); /* a pair has no order */
    eg_conflict read = get_conflict(s, c.id);
    assert_true(eg_id_eq(read.fact_a, a) && read.span_a.end == 3 && eg_str_eq(read.explanation, EG_STR("why")));
    assert_true(read.until_a == EG_FOREVER && read.until_b == EG_FOREVER);
    eg_conflict_filter f = {.size = sizeof f, .statuses = OPEN, .flags = EG_CONFLICTS_CURRENT, .scope = EG_STR("y"), .limit = 10};
    assert_int_equal(list_conflicts(s, &f, &rows), 1);
    assert_int_equal(get_fact(s, a).open_conflicts, 1);
    c.status = EG_CONFLICT_DISMISSED;
    const eg_change settle[] = {{.kind = EG_CHANGE_CONFLICT_STATUS, .conflict = &c},
                                {.kind = EG_CHANGE_FEEDBACK, .feedback = {.conflict = c.id, .tier = c.tier}}};
    assert_int_equal(apply(s, NULL, 0, settle, 2, NULL), EG_OK);
    assert_int_equal(list_conflicts(s, &f, &rows), 0);
    has_feedback(s, 0, 1);
    const eg_change verdict = {.kind = EG_CHANGE_FEEDBACK, .feedback = {.conflict = c.id, .tier = c.tier, .confirmed = 1}};
    for (int i = 0; i < 3; i++) assert_int_equal(change_one(s, verdict), EG_OK);
    has_feedback(s, 1, 0); /* the last one of a conflict, however often it is asked */
    assert_int_equal(apply(s, NULL, 0, settle, 2, NULL), EG_OK);
    has_feedback(s, 0, 1);
    read = get_conflict(s, c.id);
    const eg_change back = {.kind = EG_CHANGE_FEEDBACK_BACK, .feedback_back = {read.id, read.tier, read.resolved_at}};
    assert_int_equal(change_one(s, back), EG_OK); /* the settlement's own, those before it stay */
    has_feedback(s, 1, 0);
    f = (eg_conflict_filter){.size = sizeof f, .limit = 2};
    /* the limit leaves out the least severe, not the oldest; of equal ones the newest come */
    for (uint32_t i = 0; i < 3; i++) {
        eg_conflict more = new_conflict(i ? a : b, put_fact(s, "another", "z", 0, 3 + i));
        more.status = EG_CONFLICT_DISMISSED;
        assert_int_equal(put_conflict(s, &more), EG_OK);
        f.facts = i ? &a : NULL;
        f.fact_count = i != 0;
        assert_int_equal(list_conflicts(s, &f, &rows), 2);
        assert_true(eg_id_eq(rows[0].id, c.id) && eg_id_eq(rows[1].id, more.id));
    }
    const eg_id facts[] = {b, a}, ids[] = {rows[1].id, c.id, test_id()};
    f = (eg_conflict_filter){.size = sizeof f, .facts = facts, .fact_count = 2};
    /* of several facts: each once, in the same order */
    assert_int_equal(list_conflicts(s, &f, &rows), 4);
    assert_true(eg_id_eq(rows[0].id, c.id) && rows[1].seq > rows[2].seq && rows[2].seq > rows[3].seq);
    f = (eg_conflict_filter){.size = sizeof f, .ids = ids, .id_count = 3};
    assert_int_equal(list_conflicts(s, &f, &rows), 2);
    assert_true(eg_id_eq(rows[0].id, c.id) && eg_id_eq(rows[1].id, ids[0]));
}

/* With a fact all its open conflicts end, as many as there are, but for those that the set
 * excepts. */
void conformance_closing(store *s) {
    enum { MANY = EG_MAX_LISTED + 3 };
    static eg_new_fact facts[MANY];
    static eg_conflict c[MANY];
    static eg_change changes[2 * MANY];
    eg_id closed = put_fact(s, "one", "x", 0, 0);
    for (size_t i = 0; i < MANY; i++) {
        facts[i] = new_fact("other", "x");
        c[i] = new_conflict(i % 2 ? closed : facts[i].fact.id, i % 2 ? facts[i].fact.id : closed);
        c[i].status = i == 1 ? EG_CONFLICT_DISMISSED : EG_CONFLICT_OPEN;
        changes[2 * i] = (eg_change){.kind = EG_CHANGE_FACT, .new_fact = &facts[i]};
        changes[2 * i + 1] = (eg_change){.kind = EG_CHANGE_CONFLICT, .conflict = &c[i]};
    }
    c[2].fact_b = facts[0].fact.id; /* of two others */
    assert_int_equal(apply(s, NULL, 0, changes, 2 * MANY, NULL), EG_OK);
    c[0].status = EG_CONFLICT_RESOLVED;
    c[0].resolution_type = EG_RESOLUTION_MERGE;
    const eg_change end[] = {
        {.kind = EG_CHANGE_CLOSE, .close = {closed, EG_CLOSE_MERGED, EG_STR("bob")}},
        {.kind = EG_CHANGE_END_CONFLICTS,
         .end_conflicts =
             {.fact = closed, .by = EG_STR("bob"), .resolution = EG_STR("it is gone"), .except = &c[0].id, .except_count = 1}},
        {.kind = EG_CHANGE_CONFLICT_STATUS, .conflict = &c[0]}};
    eg_applied applied;
    assert_int_equal(apply(s, NULL, 0, end, 3, &applied), EG_OK);
    assert_int_equal(applied.conflicts_ended, MANY - 3);
    for (size_t i = 0; i < MANY; i++) {
        eg_conflict read = get_conflict(s, c[i].id);
        assert_int_equal(read.status, i == 1 ? EG_CONFLICT_DISMISSED : i == 2 ? EG_CONFLICT_OPEN : EG_CONFLICT_RESOLVED);
        if (i == 0) assert_int_equal(read.resolution_type, EG_RESOLUTION_MERGE);
        if (i < 3) continue;
        assert_int_equal(read.resolution_type, EG_RESOLUTION_WINNER);
        assert_int_equal(read.resolved_at, applied.time);
        assert_true(eg_id_eq(read.resolved_fact, facts[i].fact.id));
        assert_true(eg_str_eq(read.resolved_by, EG_STR("bob")) && eg_str_eq(read.resolution, EG_STR("it is gone")));
    }
}

/* An open conflict is past when the time of one of its facts has run out, for whoever asks, and
 * current again when the fact is kept after all. */
void conformance_run_out(store *s) {
    set_clock(s, 1000 * DAY);
    eg_id week = put_fact(s, "one", "x", 7 * DAY, 0), ever = put_fact(s, "two", "x", 0, 1),
          end = put_fact(s, "three", "x", 7 * DAY, 2);
    const eg_conflict c[2] = {new_conflict(ever, week), new_conflict(end, week)};
    for (int i = 0; i < 2; i++) assert_int_equal(put_conflict(s, &c[i]), EG_OK);
    const eg_change keep = {.kind = EG_CHANGE_PROMOTE, .promote = {.fact = week}};
    for (int day = 0; day < 3; day++) { /* all hold; one for ever; two for ever */
        const size_t left[] = {2, 0, 1};
        if (day == 1) advance_clock(s, 7 * DAY); /* to the very end */
        if (day == 2) assert_int_equal(change_one(s, keep), EG_OK);
        eg_conflict_filter f = {.size = sizeof f, .statuses = OPEN, .limit = 10};
        eg_conflict *rows;
        for (int i = 0; i < 6; i++) { /* of the workspace and of the fact: current, past, both */
            static const uint32_t flags[] = {EG_CONFLICTS_CURRENT, EG_CONFLICTS_PAST, EG_CONFLICTS_CURRENT | EG_CONFLICTS_PAST};
            const size_t n[] = {left[day], 2 - left[day], 2};
            f.facts = i % 2 ? &week : NULL;
            f.fact_count = (size_t)i % 2;
            f.flags = flags[i / 2];
            assert_int_equal(list_conflicts(s, &f, &rows), n[i / 2]);
        }
        assert_int_equal(stats_of(s).conflicts_open, left[day]);
        eg_fact_parts p = part(s, week, EG_PARTS_CONFLICTS);
        assert_true(p.fact.open_conflicts == left[day] && p.conflict_count == left[day]);
        for (int i = 0; i < 2; i++) { /* the row tells why */
            eg_conflict read = get_conflict(s, c[i].id);
            int current = read.until_a > s->now && read.until_b > s->now;
            assert_int_equal(current, day == 0 || (day == 2 && i == 0));
            assert_int_equal(read.status, EG_CONFLICT_OPEN);
        }
        if (day != 1) continue;
        /* with a fact that was over only those end that the end has just reached; to who settles it
         * the rest is open */
        const eg_change close[] = {{.kind = EG_CHANGE_CLOSE, .close = {end, EG_CLOSE_DELETED, EG_STR("bob")}},
                                   {.kind = EG_CHANGE_END_CONFLICTS, .end_conflicts = {.fact = end, .by = EG_STR("bob")}}};
        const eg_precondition unsettled = {.kind = EG_REQUIRE_CONFLICT_UNSETTLED, .conflict = c[1].id};
        eg_applied applied;
        advance_clock(s, 1);
        assert_int_equal(apply(s, &unsettled, 1, close, 2, &applied), EG_OK);
        assert_int_equal(applied.conflicts_ended, 0);
    }
}

/* A fact that undo brought back: a new row of the same lineage. */
static eg_id restore(store *s, eg_id from) {
    eg_new_fact row = new_fact("again", "x");
    row.fact.restored_from = from;
    row.fact.lineage_id = from;
    assert_int_equal(change_one(s, (eg_change){.kind = EG_CHANGE_FACT, .new_fact = &row}), EG_OK);
    return row.fact.id;
}

/* What is known about a pair: of the very two, and what people said about those that the two were
 * restored from. */
void conformance_pairs(store *s) {
    eg_id a = put_fact(s, "one", "x", 0, 0), b = put_fact(s, "two", "x", 0, 1), d = put_fact(s, "three", "x", 0, 2);
    eg_conflict c = new_conflict(a, b);
    eg_change link = {.kind = EG_CHANGE_LINK, .link = {d, a, EG_LINK_BOTH_VALID}};
    assert_int_equal(pair_of(s, a, b), 0);
    assert_int_equal(put_conflict(s, &c), EG_OK);
    assert_int_equal(pair_of(s, a, b), EG_PAIR_CONFLICT);
    assert_int_equal(pair_of(s, b, a), EG_PAIR_CONFLICT);
    assert_int_equal(pair_of(s, a, d), 0);
    assert_int_equal(change_one(s, link), EG_OK);
    assert_int_equal(change_one(s, link), EG_OK); /* an existing one is kept */
    assert_int_equal(pair_of(s, a, d), EG_PAIR_LINKED);
    link.kind = EG_CHANGE_UNLINK;
    assert_int_equal(change_one(s, link), EG_OK);
    assert_int_equal(pair_of(s, a, d), 0);
    link = (eg_change){.kind = EG_CHANGE_LINK, .link = {d, a, EG_LINK_CORROBORATES}};
    assert_int_equal(change_one(s, link), EG_OK);
    assert_int_equal(pair_of(s, a, d), 0); /* another kind says nothing */
    assert_int_equal(pair_of(s, test_id(), a), 0);

    eg_id a2 = restore(s, a), a3 = restore(s, a2), b2 = restore(s, b);
    static const struct {
        uint32_t status, resolution, bits;
    } cases[] = {{EG_CONFLICT_OPEN, 0, 0},
                 {EG_CONFLICT_RESOLVED, EG_RESOLUTION_WINNER, 0},
                 {EG_CONFLICT_DISMISSED, EG_RESOLUTION_DISMISS, EG_PAIR_DISMISSED},
                 {EG_CONFLICT_RESOLVED, EG_RESOLUTION_BOTH_VALID, EG_PAIR_BOTH_VALID}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        c.status = cases[i].status;
        c.resolution_type = cases[i].resolution;
        assert_int_equal(set_status(s, &c), EG_OK);
        assert_int_equal(pair_of(s, a, b), EG_PAIR_CONFLICT | cases[i].bits);
        /* two steps back on one side, one on the other */
        assert_int_equal(pair_of(s, a3, b2), cases[i].bits);
        assert_int_equal(pair_of(s, b2, a3), cases[i].bits);
        assert_int_equal(pair_of(s, b, a2), cases[i].bits);
        assert_int_equal(pair_of(s, a3, d), 0);
    }
    close_fact(s, a2, EG_CLOSE_ERASED); /* what is erased leads nowhere */
    assert_int_equal(pair_of(s, a3, b2), 0);
    assert_int_equal(pair_of(s, b2, a3), 0);
}
