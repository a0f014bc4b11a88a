/* test_store.c - the memory and its store: what happens when a read fails, how often it reads, and that the workspaces of one
 * process are kept apart. */
#include "fixture.h"

/* The store of a fixture behind a table whose calls fail while `broken` is set, and are counted. */
static struct {
    const eg_storage_ops *real;
    eg_storage_ops ops;
    int broken, feedback_reads;
} outer;

static eg_status fail_now(eg_storage *store, eg_request *rq, int64_t *now) {
    return outer.broken ? eg_request_fail(rq, EG_EIO, "no time on purpose") : outer.real->now(store, rq, now);
}
static eg_status fail_feedback(eg_storage *store, eg_request *rq, eg_str workspace, eg_str tier, uint64_t *confirmed,
                               uint64_t *false_alarms) {
    outer.feedback_reads++;
    if (outer.broken) return eg_request_fail(rq, EG_EIO, "no feedback on purpose");
    return outer.real->feedback(store, rq, workspace, tier, confirmed, false_alarms);
}
static eg_status fail_agent(eg_storage *store, eg_request *rq, eg_str workspace, eg_str agent_id, uint64_t *commits,
                            uint64_t *flagged) {
    if (outer.broken) return eg_request_fail(rq, EG_EIO, "no agents on purpose");
    return outer.real->agent(store, rq, workspace, agent_id, commits, flagged);
}

static void wrap(fixture *f) {
    outer.real = f->memory->env.storage_ops;
    outer.ops = *outer.real;
    outer.broken = outer.feedback_reads = 0;
    f->memory->env.storage_ops = &outer.ops;
}

static eg_status query_status(fixture *f, const char *topic) {
    eg_query_args args = EG_QUERY_DEFAULTS;
    args.topic = eg_str_of(topic);
    eg_hits hits;
    *f->rq->err = (eg_error){0};
    return f->ops->query(f->memory, f->rq, &args, &hits);
}

/* A store that cannot tell the time is an error of the operation: the local clock may say otherwise than the store's. */
static void a_store_without_time_is_an_error(void **state) {
    (void)state;
    WITH(f, 1);
    wrap(&f);
    outer.ops.now = fail_now;
    eg_receipt a = commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
    char id[EG_ID_TEXT], winner[EG_ID_TEXT];
    eg_id_format(b.conflicts[0].conflict.id, id);
    eg_id_format(a.fact.id, winner);
    eg_resolve_args settle_args = {
        .size = sizeof(eg_resolve_args), .conflict_id = eg_str_of(id), .winning_fact_id = eg_str_of(winner)};
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("The auth service logs to the journal.");
    eg_receipt r;
    eg_resolved done;
    eg_undone undone;
    outer.broken = 1;
    assert_int_equal(query_status(&f, "auth port"), EG_EIO);
    assert_string_equal(f.rq->err->text, "no time on purpose");
    assert_int_equal(f.ops->commit(f.memory, f.rq, &args, &r), EG_EIO);
    assert_int_equal(f.ops->resolve(f.memory, f.rq, &settle_args, &done), EG_EIO);
    assert_int_equal(f.ops->undo(f.memory, f.rq, b.undo_id, &undone), EG_EIO);
    outer.broken = 0;
    assert_int_equal(open_conflicts(&f, NULL), 1); /* nothing was done */
    assert_int_equal(query_status(&f, "auth port"), EG_OK);
    fixture_close(&f);
}

/* Trust is part of the order of hits: where it cannot be read the query fails rather than answer in another order. */
static void trust_that_cannot_be_read_is_an_error(void **state) {
    (void)state;
    WITH(f, 1);
    commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    wrap(&f);
    outer.ops.agent = fail_agent;
    outer.broken = 1;
    assert_int_equal(query_status(&f, "auth port"), EG_EIO);
    assert_string_equal(f.rq->err->text, "no agents on purpose");
    outer.broken = 0;
    assert_int_equal(query_status(&f, "auth port"), EG_OK);
    fixture_close(&f);
}

/* Feedback decides what counts: a job that cannot read it gives no verdict and is done again. */
static void feedback_that_cannot_be_read_fails_the_job(void **state) {
    (void)state;
    WITH(f, 1);
    f.nli_word = "zebra";
    f.nli_score = 0.82;
    for (int i = 0; i < 6; i++) {
        char text[100];
        snprintf(text, sizeof text, "The zebra%d mode of module%d painted stripe%d.", i, i, i);
        commit_as(&f, i % 2 ? "agent-a" : "agent-b", "zoo", text);
    }
    eg_conflict_view *views;
    size_t n = open_conflicts(&f, &views);
    assert_true(n >= 10);
    for (size_t i = 0; i < n; i++)
        settle(&f, views[i].conflict.id, EG_RESOLUTION_DISMISS, (eg_id){{0}}); /* 0.82 counts no more */

    wrap(&f);
    outer.ops.feedback = fail_feedback;
    outer.broken = 1;
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("One more zebra is grey.");
    args.scope = EG_STR("zoo");
    args.wait_ms = 50;
    assert_int_equal(commit_args(&f, args).detection_done, 0);
    assert_int_equal(open_conflicts(&f, NULL), 0);
    outer.broken = 0;
    f.now += 3600 * EG_SECOND;
    work(&f);
    assert_int_equal(open_conflicts(&f, NULL), 0);
    fixture_close(&f);
}

/* All pairs of a job, and all statements of a check, are judged by thresholds that were read once. */
static void thresholds_are_read_once_a_job(void **state) {
    (void)state;
    WITH(f, 1);
    f.nli_word = "zebra";
    f.nli_score = 0.9;
    eg_check_item items[8];
    char texts[8][100];
    for (int i = 0; i < 8; i++) {
        snprintf(texts[i], sizeof texts[i], "The zebra%d mode of module%d painted stripe%d.", i, i, i);
        items[i] = (eg_check_item){.content = eg_str_of(texts[i]), .scope = EG_STR("zoo")};
        commit_as(&f, "agent-a", "zoo", texts[i]);
    }
    wrap(&f);
    outer.ops.feedback = fail_feedback;
    assert_true(commit_as(&f, "agent-b", "zoo", "One more zebra painted a stripe.").conflict_count >= 5);
    assert_int_equal(outer.feedback_reads, 1);
    outer.feedback_reads = 0;
    eg_check_args args = {.size = sizeof(eg_check_args), .items = items, .item_count = 8, .against_store = 1};
    eg_checked found;
    assert_int_equal(f.ops->check(f.memory, f.rq, &args, &found), EG_OK);
    assert_true(found.count > 8);
    assert_int_equal(outer.feedback_reads, 1);
    fixture_close(&f);
}

static eg_status commit_in(fixture *f, eg_request *rq, const char *content) {
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = eg_str_of(content);
    args.wait_ms = 0;
    eg_receipt r;
    f->now += EG_SECOND;
    return f->ops->commit(f->memory, rq, &args, &r);
}

static uint32_t hits_of(fixture *f, eg_request *rq, const char *topic) {
    eg_query_args args = EG_QUERY_DEFAULTS;
    args.topic = eg_str_of(topic);
    eg_hits hits;
    assert_int_equal(f->ops->query(f->memory, rq, &args, &hits), EG_OK);
    assert_int_equal(hits.count, 1);
    return hits.hits[0].fact.query_hits;
}

/* Hits of one workspace are counted whoever the worker's request belongs to, and never pushed out by another workspace. */
static void hits_of_all_workspaces_are_counted(void **state) {
    (void)state;
    WITH(f, 0);
    eg_request *other = request_in(&f, "other");
    assert_int_equal(commit_in(&f, f.rq, "The cellar is damp."), EG_OK);
    assert_int_equal(commit_in(&f, other, "The attic is dry."), EG_OK);
    size_t done;
    assert_int_equal(f.ops->work(f.memory, f.rq, &done, NULL), EG_OK);
    assert_int_equal(hits_of(&f, other, "attic"), 0);
    for (int i = 0; i < HIT_QUEUE + 10; i++) hits_of(&f, f.rq, "cellar");
    assert_int_equal(f.ops->work(f.memory, f.rq, &done, NULL), EG_OK);
    assert_int_equal(hits_of(&f, other, "attic"), 1);
    assert_int_equal(hits_of(&f, f.rq, "cellar"), HIT_QUEUE);
    f.services.request_release(&f, other);
    fixture_close(&f);
}

/* That one workspace has all vectors of a new model says nothing about another. */
static void vectors_are_made_for_each_workspace(void **state) {
    (void)state;
    WITH(f, 1);
    eg_request *other = request_in(&f, "other");
    assert_int_equal(commit_in(&f, other, "The attic is dry."), EG_OK);
    assert_int_equal(commit_in(&f, f.rq, "The cellar is damp."), EG_OK);
    size_t done;
    assert_int_equal(f.ops->work(f.memory, f.rq, &done, NULL), EG_OK);
    f.model = "other-model";
    forget(&f);
    eg_memory_status st;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(f.ops->work(f.memory, f.rq, &done, NULL), EG_OK);
        assert_int_equal(f.ops->status(f.memory, f.rq, &st), EG_OK);
        assert_int_equal(st.facts_to_embed, 0);
    }
    assert_int_equal(f.ops->work(f.memory, other, &done, NULL), EG_OK);
    assert_int_equal(f.ops->status(f.memory, other, &st), EG_OK);
    assert_int_equal(st.facts_to_embed, 0);
    f.services.request_release(&f, other);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_without_time_is_an_error),           cmocka_unit_test(trust_that_cannot_be_read_is_an_error),
        cmocka_unit_test(feedback_that_cannot_be_read_fails_the_job), cmocka_unit_test(thresholds_are_read_once_a_job),
        cmocka_unit_test(hits_of_all_workspaces_are_counted),         cmocka_unit_test(vectors_are_made_for_each_workspace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
