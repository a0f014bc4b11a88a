/* test_undo.c - undo of settlements, corrections, updates and of undo itself. */
#include "fixture.h"

static int same_content(eg_fact f, const char *text) { return eg_str_eq(f.content, eg_str_of(text)); }

static void feedback_of(fixture *f, eg_str tier, uint64_t *right, uint64_t *wrong) {
    eg_feedback_row *rows;
    size_t n;
    *right = *wrong = 0;
    assert_int_equal(f->memory->env.storage_ops->feedback(f->storage, f->rq, &rows, &n), EG_OK);
    for (size_t i = 0; i < n; i++)
        if (eg_str_eq(rows[i].tier, tier)) *right = rows[i].confirmed, *wrong = rows[i].false_alarms;
}

/* A settlement that was undone is no verdict about the detector; what somebody said besides
 * still is. */
static void an_undone_settlement_is_no_verdict(void **state) {
    (void)state;
    WITH(f, 1);
    eg_receipt a = commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
    eg_str tier = b.conflicts[0].conflict.tier;
    char winner[EG_ID_TEXT];
    eg_id_format(a.fact.id, winner);
    static const eg_resolution ways[] = {EG_RESOLUTION_DISMISS, EG_RESOLUTION_WINNER};
    for (size_t i = 0; i < 2; i++) {
        char id[EG_ID_TEXT];
        eg_conflict_view *views;
        uint64_t right, wrong;
        assert_int_equal(open_conflicts(&f, &views), 1);
        eg_id_format(views[0].conflict.id, id);
        eg_resolve_args args = {.size = sizeof(eg_resolve_args),
                                .conflict_id = eg_str_of(id),
                                .resolution_type = ways[i],
                                .winning_fact_id = eg_str_of(winner)};
        eg_resolved done;
        eg_undone undone;
        if (i) assert_int_equal(f.ops->feedback(f.memory, f.rq, args.conflict_id, 0), EG_OK);
        f.now += EG_SECOND;
        if (f.ops->resolve(f.memory, f.rq, &args, &done) != EG_OK) fail_msg("%s", f.rq->err->text);
        feedback_of(&f, tier, &right, &wrong);
        assert_true(right == i && wrong == !i);
        f.now += EG_SECOND;
        if (f.ops->undo(f.memory, f.rq, done.undo_id, &undone) != EG_OK) fail_msg("%s", f.rq->err->text);
        feedback_of(&f, tier, &right, &wrong);
        assert_true(right == 0 && wrong == i);
    }
    fixture_close(&f);
}

/* winner closes the loser, and undo brings fact and conflict back without rewriting history. */
static void winner_and_undo(void **state) {
    (void)state;
    WITH(f, 1);
    eg_receipt a = commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
    settling_ids ids;
    eg_resolve_args args = settling(&ids, b.conflicts[0].conflict.id, EG_RESOLUTION_WINNER, b.fact.id);
    args.conflict_id = eg_str_of(ids.conflict + 28);
    args.winning_fact_id = (eg_str){0};
    eg_resolved done;
    assert_int_equal(f.ops->resolve(f.memory, f.rq, &args, &done), EG_EINVAL); /* which one? */
    args.winning_fact_id = eg_str_of(ids.winner);
    f.now += EG_SECOND;
    if (f.ops->resolve(f.memory, f.rq, &args, &done) != EG_OK) fail_msg("%s", f.rq->err->text);
    assert_int_equal(done.closed_count, 1);
    assert_true(eg_id_eq(done.closed[0].id, a.fact.id));
    assert_int_equal(done.closed[0].close_reason, EG_CLOSE_RESOLVED);
    assert_int_equal(query(&f, "auth service port").count, 1);

    f.now += EG_SECOND;
    eg_undone undone;
    if (f.ops->undo(f.memory, f.rq, done.undo_id, &undone) != EG_OK) fail_msg("%s", f.rq->err->text);
    assert_int_equal(undone.restored_count, 1);
    assert_true(eg_id_eq(undone.restored[0].restored_from, a.fact.id));
    assert_true(eg_id_eq(undone.restored[0].lineage_id, a.fact.lineage_id));
    assert_int_equal(query(&f, "auth service port").count, 2);
    eg_conflict_view *views;
    assert_int_equal(open_conflicts(&f, &views), 1);
    assert_true(views[0].a.seq < views[0].b.seq);
    assert_int_equal(f.ops->undo(f.memory, f.rq, 123456, &undone), EG_ENOENT);
    fixture_close(&f);
}

/* A settlement is taken back once: not again after the conflict was settled anew, though the
 * clock stands still. */
static void undo_spares_a_later_settlement(void **state) {
    (void)state;
    for (int how = 0; how < 3; how++) {
        WITH(f, 1);
        eg_fact a = commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.").fact;
        eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
        if (how == 1) f.now -= EG_DAY;
        int64_t first =
            settle(&f, b.conflicts[0].conflict.id, how == 2 ? EG_RESOLUTION_WINNER : EG_RESOLUTION_DISMISS, a.id).undo_id;
        undo(&f, first);
        eg_conflict_view *views;
        assert_int_equal(open_conflicts(&f, &views), 1);
        eg_resolved later = settle(&f, views[0].conflict.id,
                                   how == 0   ? EG_RESOLUTION_BOTH_VALID
                                   : how == 1 ? EG_RESOLUTION_DISMISS
                                              : EG_RESOLUTION_WINNER,
                                   a.id);
        refuses_undo(&f, first, "taken back already");
        assert_int_equal(open_conflicts(&f, NULL), 0);
        assert_int_equal(query(&f, "auth service port").count, how == 2 ? 1 : 2);
        undo(&f, later.undo_id);
        assert_int_equal(open_conflicts(&f, NULL), 1);
        fixture_close(&f);
    }
}

/* Undo of a merge closes the merged fact and brings back what would still be current: one of the
 * two, or neither, whether they ended before the merge or after it. */
static void undo_of_a_merge_leaves_what_has_ended(void **state) {
    (void)state;
    for (int how = 0; how < 4; how++) {
        WITH(f, 1);
        int both = how / 2, before = how % 2;
        eg_fact a = commit_for(&f, "agent-a", 1, "The auth service runs on port 8080.").fact;
        eg_receipt b = commit_for(&f, "agent-b", both ? 1 : 0, "The auth service runs on port 9090.");
        if (before) f.now += 2 * EG_DAY;
        eg_resolved done = settle(&f, b.conflicts[0].conflict.id, EG_RESOLUTION_MERGE, a.id);
        assert_int_equal(done.closed_count, before ? !both : 2);
        f.now += 2 * EG_DAY;
        eg_undone undone = undo(&f, done.undo_id);
        assert_int_equal(undone.restored_count, !both);
        assert_true(undone.closed_count == 1 && eg_id_eq(undone.closed[0].id, done.merged.id));
        if (!both) assert_true(eg_id_eq(undone.restored[0].restored_from, b.fact.id));
        assert_int_equal(current_of(&f, a.lineage_id), 0);
        assert_int_equal(current_of(&f, b.fact.lineage_id), !both);
        assert_int_equal(open_conflicts(&f, NULL), 0);
        refuses_undo(&f, done.undo_id, both ? "ended by itself" : "taken back already");
        fixture_close(&f);
    }
}

/* What somebody said of a conflict that had ended by itself is taken back like any other
 * verdict. */
static void undo_of_a_verdict_on_what_has_ended(void **state) {
    (void)state;
    static const eg_resolution kinds[] = {EG_RESOLUTION_DISMISS, EG_RESOLUTION_BOTH_VALID, EG_RESOLUTION_WINNER};
    for (int how = 0; how < 3; how++) {
        WITH(f, 1);
        commit_for(&f, "agent-a", 1, "The auth service runs on port 8080.");
        eg_receipt b = commit_for(&f, "agent-b", 0, "The auth service runs on port 9090.");
        f.now += 2 * EG_DAY;
        eg_resolved done = settle(&f, b.conflicts[0].conflict.id, kinds[how], b.fact.id);
        assert_int_equal(done.closed_count, 0);
        eg_conflict_view *ended;
        size_t n;
        assert_int_equal(f.ops->conflicts(f.memory, f.rq, (eg_str){0}, EG_CONFLICT_EXPIRED, 9, &ended, &n), EG_OK);
        assert_int_equal(n, 0);
        assert_int_equal(undo(&f, done.undo_id).restored_count, 0);
        assert_int_equal(f.ops->conflicts(f.memory, f.rq, (eg_str){0}, EG_CONFLICT_EXPIRED, 9, &ended, &n), EG_OK);
        assert_true(n == 1 && eg_id_eq(ended->conflict.id, b.conflicts[0].conflict.id));
        assert_int_equal(open_conflicts(&f, NULL), 0);
        refuses_undo(&f, done.undo_id, "not settled any more");
        fixture_close(&f);
    }
}

/* A conflict that ended only because a fact of it did is found again when undo brings the fact
 * back. */
static void undo_brings_other_conflicts_back(void **state) {
    (void)state;
    for (int how = 0; how < 3; how++) {
        WITH(f, 1);
        commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
        eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
        eg_receipt c = commit_as(&f, "agent-c", "auth", "The auth service runs on port 7070.");
        assert_int_equal(open_conflicts(&f, NULL), 3);
        int64_t undo_id = how == 0   ? settle(&f, b.conflicts[0].conflict.id, EG_RESOLUTION_WINNER, b.conflicts[0].a.id).undo_id
                          : how == 1 ? correct(&f, b.fact, EG_OP_DELETE, "").undo_id
                                     : correct(&f, b.fact, EG_OP_UPDATE, "The mail relay is blue.").undo_id;
        assert_int_equal(open_conflicts(&f, NULL), 1);
        eg_fact back = undo(&f, undo_id).restored[0];
        work(&f);
        eg_conflict_view *views;
        size_t n = open_conflicts(&f, &views), with_c = 0;
        assert_int_equal(n, 3);
        for (size_t i = 0; i < n; i++) with_c += eg_id_eq(views[i].b.id, back.id) && eg_id_eq(views[i].a.id, c.fact.id);
        assert_int_equal(with_c, 1);
        fixture_close(&f);
    }
}

/* What was dismissed or is both valid stays so, however often either fact goes and comes back. */
static void undo_keeps_what_was_dismissed(void **state) {
    (void)state;
    static const eg_resolution ways[] = {EG_RESOLUTION_DISMISS, EG_RESOLUTION_BOTH_VALID};
    for (size_t i = 0; i < 2; i++) {
        WITH(f, 1);
        eg_fact a = commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.").fact;
        eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
        settle(&f, b.conflicts[0].conflict.id, ways[i], a.id);
        for (int times = 0; times < 2; times++) {
            undo(&f, correct(&f, a, EG_OP_DELETE, "").undo_id);
            work(&f);
            undo(&f, correct(&f, b.fact, EG_OP_DELETE, "").undo_id);
            work(&f);
            assert_int_equal(query(&f, "auth service port").count, 2);
            assert_int_equal(open_conflicts(&f, NULL), 0);
        }
        fixture_close(&f);
    }
}

/* An undo is undone whole, as often as one likes; where it cannot be, there is no id to try it
 * with. */
static void undo_is_undone_whole(void **state) {
    (void)state;
    WITH(f, 1);
    eg_fact a = commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.").fact;
    eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
    int64_t undo_id = settle(&f, b.conflicts[0].conflict.id, EG_RESOLUTION_MERGE, a.id).undo_id;
    for (int times = 0; times < 4; times++) {
        eg_undone u = undo(&f, undo_id);
        int merged_again = times % 2;
        assert_int_equal(u.restored_count, merged_again ? 1 : 2);
        assert_int_equal(u.closed_count, merged_again ? 2 : 1);
        assert_true(same_content(u.restored[0],
                                 merged_again ? "The auth service uses both ports." : "The auth service runs on port 8080."));
        work(&f);
        assert_int_equal(open_conflicts(&f, NULL), !merged_again);
        eg_memory_status st;
        assert_int_equal(f.ops->status(f.memory, f.rq, &st), EG_OK);
        assert_int_equal(st.store.current_facts, merged_again ? 1 : 2);
        undo_id = u.undo_id;
    }
    /* the two are back: when one of them changes, that undo is not half undone */
    undo(&f, undo_id);
    correct(&f, a, EG_OP_UPDATE, "The auth service runs on port 7070.");
    eg_audit_row *rows;
    size_t n;
    assert_int_equal(f.memory->env.storage_ops->audit(f.storage, f.rq, 0, 100, &rows, &n), EG_OK);
    assert_true(n >= 2 && eg_str_eq(rows[n - 2].action, EG_STR("undo")));
    refuses_undo(&f, rows[n - 2].id, "not current");
    fixture_close(&f);
}

/* The one conflict that there is, of any status. */
static eg_conflict only_conflict(fixture *f) {
    const eg_conflict_filter any = {.size = sizeof any};
    eg_conflict *rows = NULL;
    size_t n = 0;
    assert_int_equal(f->memory->env.storage_ops->conflicts(f->storage, f->rq, &any, &rows, &n), EG_OK);
    assert_int_equal(n, 1);
    return rows[0];
}

/* A pair has one conflict, however often a settlement, a deletion or an update is undone, and the
 * undo undone: open while both facts are there, and else settled as it was at first. */
static void undo_keeps_one_conflict_of_a_pair(void **state) {
    (void)state;
    enum { WINNER, MERGE, DELETION, UPDATE, WAYS };
    for (int how = 0; how < WAYS; how++) {
        WITH(f, 1);
        eg_fact a = commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.").fact;
        eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
        eg_conflict found = only_conflict(&f), settled;
        int64_t undo_id = how == WINNER     ? settle(&f, found.id, EG_RESOLUTION_WINNER, b.fact.id).undo_id
                          : how == MERGE    ? settle(&f, found.id, EG_RESOLUTION_MERGE, a.id).undo_id
                          : how == DELETION ? correct(&f, a, EG_OP_DELETE, "").undo_id
                                            : correct(&f, a, EG_OP_UPDATE, "The mail relay is blue.").undo_id;
        work(&f);
        settled = only_conflict(&f);
        assert_int_equal(settled.status, EG_CONFLICT_RESOLVED);
        for (int times = 0; times < 4; times++) {
            undo_id = undo(&f, undo_id).undo_id;
            work(&f);
            eg_conflict now = only_conflict(&f);
            assert_true(eg_id_eq(now.id, found.id));
            assert_int_equal(open_conflicts(&f, NULL), times % 2 == 0);
            assert_int_equal(now.detected_at, found.detected_at);
            if (times % 2 == 0) {
                assert_true(now.status == EG_CONFLICT_OPEN && !now.resolved_at && !now.resolution.len);
                assert_true(now.until_a == EG_FOREVER && now.until_b == EG_FOREVER);
                continue;
            }
            assert_true(now.status == settled.status && now.resolution_type == settled.resolution_type);
            if (how == WINNER || how == MERGE) {
                assert_true(eg_str_eq(now.resolution, settled.resolution) && eg_str_eq(now.resolved_by, settled.resolved_by));
                uint64_t right, wrong;
                feedback_of(&f, now.tier, &right, &wrong);
                assert_true(right == 1 && wrong == 0);
            }
            if (how == MERGE) { /* the merged fact has another id each time */
                char merged[EG_ID_TEXT];
                eg_fact *lineage;
                size_t n;
                eg_id_format(now.resolved_fact, merged);
                assert_int_equal(f.ops->lineage(f.memory, f.rq, eg_str_of(merged), &lineage, &n), EG_OK);
                assert_true(n == (size_t)(times + 3) / 2 && eg_id_eq(lineage[n - 1].id, now.resolved_fact));
                assert_int_equal(lineage[n - 1].valid_until, EG_FOREVER);
            } else {
                assert_true(eg_id_eq(now.resolved_fact, settled.resolved_fact));
            }
        }
        fixture_close(&f);
    }
}

/* An undo of a settlement that is undone after the conflict was settled otherwise leaves that
 * verdict alone. */
static void redo_heeds_a_later_verdict(void **state) {
    (void)state;
    WITH(f, 1);
    commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
    int64_t undone = undo(&f, settle(&f, b.conflicts[0].conflict.id, EG_RESOLUTION_WINNER, b.fact.id).undo_id).undo_id;
    settle(&f, only_conflict(&f).id, EG_RESOLUTION_DISMISS, b.fact.id);
    assert_int_equal(undo(&f, undone).closed_count, 1);
    assert_int_equal(only_conflict(&f).status, EG_CONFLICT_DISMISSED);
    fixture_close(&f);
}

/* What came after a settlement is heeded when the settlement is taken back. */
static void undo_heeds_what_came_after(void **state) {
    (void)state;
    for (int how = 0; how < 3; how++) {
        WITH(f, 1);
        eg_fact a = commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.").fact;
        eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
        eg_resolved done = settle(&f, b.conflicts[0].conflict.id, how == 2 ? EG_RESOLUTION_MERGE : EG_RESOLUTION_WINNER, a.id);
        if (how == 0) correct(&f, a, EG_OP_DELETE, "");
        if (how == 1) correct(&f, a, EG_OP_UPDATE, "The auth service runs on port 8081.");
        if (how == 2) correct(&f, done.merged, EG_OP_UPDATE, "The auth service runs on port 8082.");
        if (how == 2) {
            refuses_undo(&f, done.undo_id, "its lineage has a current fact");
        } else {
            assert_int_equal(undo(&f, done.undo_id).restored_count, 1);
            assert_int_equal(open_conflicts(&f, NULL), 0);
            work(&f);
        }
        eg_conflict_view *views;
        assert_int_equal(open_conflicts(&f, &views), how == 1);
        if (how == 1) assert_true(same_content(views[0].a, "The auth service runs on port 8081."));
        fixture_close(&f);
    }
}

/* A dismissal that is taken back, and a commit that only promotes, say that there is nothing to
 * undo. */
static void what_cannot_be_undone_has_no_id(void **state) {
    (void)state;
    WITH(f, 1);
    eg_fact a = commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.").fact;
    eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
    int64_t dismissed = settle(&f, b.conflicts[0].conflict.id, EG_RESOLUTION_DISMISS, a.id).undo_id;
    assert_int_equal(open_conflicts(&f, NULL), 0);
    assert_int_equal(undo(&f, dismissed).undo_id, 0);
    assert_int_equal(open_conflicts(&f, NULL), 1);
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("The flaky build passes when the cache is warm.");
    args.durability = EG_DURABILITY_EPHEMERAL;
    commit_args(&f, args);
    args.durability = EG_DURABILITY_DURABLE;
    eg_receipt r = commit_args(&f, args);
    assert_int_equal(r.fact.durability, EG_DURABILITY_DURABLE);
    assert_int_equal(r.undo_id, 0);
    fixture_close(&f);
}

/* Undo gives a fact back the end that it had, as the audit row tells; one that would be over by
 * now does not come back. */
static void undo_restores_the_former_end(void **state) {
    (void)state;
    WITH(f, 1);
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("The staging cluster is frozen for the audit.");
    args.scope = EG_STR("infra");
    args.ttl_days = 10;
    eg_receipt first = commit_args(&f, args);
    char lineage[EG_ID_TEXT];
    eg_id_format(first.fact.lineage_id, lineage);
    eg_commit_args retire = EG_COMMIT_DEFAULTS;
    retire.operation = EG_OP_DELETE;
    retire.corrects_lineage = eg_str_of(lineage);
    f.now += 4 * EG_DAY;
    eg_receipt gone = commit_args(&f, retire);
    f.now += EG_DAY;
    eg_undone undone;
    if (f.ops->undo(f.memory, f.rq, gone.undo_id, &undone) != EG_OK) fail_msg("%s", f.rq->err->text);
    assert_int_equal(undone.restored_count, 1);
    assert_int_equal(undone.restored[0].valid_until, first.fact.valid_until);

    eg_commit_args update = EG_COMMIT_DEFAULTS;
    update.content = EG_STR("The staging cluster is open again after the audit.");
    update.scope = EG_STR("infra");
    update.corrects_lineage = eg_str_of(lineage);
    eg_receipt newer = commit_args(&f, update);
    f.now += 10 * EG_DAY; /* now the restored fact would be over */
    if (f.ops->undo(f.memory, f.rq, newer.undo_id, &undone) != EG_OK) fail_msg("%s", f.rq->err->text);
    assert_int_equal(undone.restored_count, 0);
    assert_int_equal(undone.closed_count, 1);
    assert_int_equal(f.ops->undo(f.memory, f.rq, gone.undo_id, &undone), EG_EINVAL);
    assert_non_null(strstr(f.rq->err->text, "ended by itself"));
    fixture_close(&f);
}

static void undo_of_an_update_restores_the_old_fact(void **state) {
    (void)state;
    WITH(f, 1);
    eg_receipt old = commit_as(&f, "agent-a", "auth", "The auth service rate limit is 1000 req/s per IP.");
    char lineage[EG_ID_TEXT];
    eg_id_format(old.fact.lineage_id, lineage);
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("The auth service rate limit is 2000 req/s per IP.");
    args.scope = EG_STR("auth");
    args.corrects_lineage = eg_str_of(lineage);
    eg_receipt r = commit_args(&f, args);
    f.now += EG_SECOND;
    eg_undone undone;
    if (f.ops->undo(f.memory, f.rq, r.undo_id, &undone) != EG_OK) fail_msg("%s", f.rq->err->text);
    eg_hits hits = query(&f, "auth rate limit");
    assert_int_equal(hits.count, 1);
    assert_true(same_content(hits.hits[0].fact, "The auth service rate limit is 1000 req/s per IP."));
    assert_int_equal(f.ops->undo(f.memory, f.rq, r.undo_id, &undone), EG_EINVAL); /* not twice */
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_undone_settlement_is_no_verdict),  cmocka_unit_test(winner_and_undo),
        cmocka_unit_test(undo_spares_a_later_settlement),      cmocka_unit_test(undo_of_a_merge_leaves_what_has_ended),
        cmocka_unit_test(undo_of_a_verdict_on_what_has_ended), cmocka_unit_test(undo_brings_other_conflicts_back),
        cmocka_unit_test(undo_keeps_what_was_dismissed),       cmocka_unit_test(undo_is_undone_whole),
        cmocka_unit_test(undo_keeps_one_conflict_of_a_pair),   cmocka_unit_test(redo_heeds_a_later_verdict),
        cmocka_unit_test(undo_heeds_what_came_after),          cmocka_unit_test(what_cannot_be_undone_has_no_id),
        cmocka_unit_test(undo_restores_the_former_end),        cmocka_unit_test(undo_of_an_update_restores_the_old_fact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
