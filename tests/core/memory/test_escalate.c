/* test_escalate.c - suspected pairs before an escalator: what it gets to see, what its answers and
 * failures do, and that no commit waits for it. */
#include "fixture.h"

/* An escalator of the tests, in the place of one that asks a network. */
static struct {
    eg_status answer;
    eg_pair_verdict verdict;
    int asked;
    uint32_t retry_after_s;
    char texts[2][200], scopes[2][40];
    int64_t times[2];
    int spent, most;
} model;

static void keep(char *to, size_t size, eg_str from) { snprintf(to, size, "%.*s", (int)from.len, from.len ? from.ptr : ""); }

static eg_status judge(void *self, const eg_services *services, eg_request *rq, const eg_pair_case *pair, eg_pair_verdict *out) {
    (void)self, (void)services;
    model.asked++;
    assert_true(rq->cancel.deadline > 0);
    for (size_t i = 0; i < 2; i++) {
        keep(model.texts[i], sizeof model.texts[i], pair->sides[i].text);
        keep(model.scopes[i], sizeof model.scopes[i], pair->sides[i].scope);
        model.times[i] = pair->sides[i].committed_at;
    }
    uint32_t size = out->size;
    assert_int_equal(size, sizeof *out);
    *out = model.verdict;
    out->size = size;
    out->retry_after_s = model.retry_after_s;
    return model.answer == EG_OK ? EG_OK : eg_request_fail(rq, model.answer, "it failed with %d", (int)model.answer);
}

static eg_status spend(void *host, const char *escalator, uint32_t most, int *allowed, eg_error *err) {
    (void)host, (void)err;
    assert_string_equal(escalator, "oracle");
    assert_int_equal(most, model.most);
    *allowed = model.spent < model.most;
    model.spent += *allowed;
    return EG_OK;
}

static const eg_escalator_slot slots[] = {{.escalator = {.size = sizeof(eg_escalator),
                                                         .timeout_ms = 1000,
                                                         .max_calls_per_day = 3,
                                                         .name = "oracle",
                                                         .version = "1",
                                                         .judge = judge}}};

static void begin(fixture *f, eg_outcome outcome) {
    memset(&model, 0, sizeof model);
    model.most = 3;
    model.verdict = (eg_pair_verdict){.outcome = outcome, .score = 0.9, .explanation = EG_STR("One denies the other.")};
    f->memory->env.escalators = slots;
    f->memory->env.escalator_count = 1;
    f->memory->env.spend = spend;
    f->nli_word = "zebra";
    f->nli_score = 0.6;
    f->review = 0.3;
    f->per_commit = 2;
}

static eg_conflict_view suspect(fixture *f) {
    commit_as(f, "agent-a", "zoo/barn", "Every zebra of the herd sleeps in the barn. It rains.");
    f->now += EG_SECOND;
    eg_receipt r = commit_as(f, "agent-b", "zoo/yard", "No zebra of the herd sleeps in the barn.");
    assert_int_equal(r.suspected_count, 1);
    assert_int_equal(r.detection_done, 1);
    assert_int_equal(model.asked, 0); /* the receipt does not wait for it */
    return r.suspected[0];
}

static size_t escalate(fixture *f) {
    size_t done = 99;
    if (f->ops->escalate(f->memory, f->rq, &done) != EG_OK) fail_msg("escalate: %s", f->rq->err->text);
    return done;
}

/* After a pause: the pauses of the process are over, and so are those of the jobs. */
static size_t escalate_later(fixture *f) {
    f->memory->paused_until[0] = 0;
    f->now += EG_MAX_JOB_PAUSE + EG_SECOND;
    return escalate(f);
}

static eg_conflict stored(fixture *f, eg_id id) {
    eg_conflict_view view;
    eg_fact *history;
    size_t n;
    char text[EG_ID_TEXT];
    eg_id_format(id, text);
    if (f->ops->conflict(f->memory, f->rq, eg_str_of(text), &view, &history, &n) != EG_OK) fail_msg("%s", f->rq->err->text);
    return view.conflict;
}

/* It sees two statements with scopes and times. Its answer is that of a judged review: undone like
 * one, and in its name. */
static void answers_are_judged_reviews(void **state) {
    (void)state;
    static const struct {
        eg_outcome outcome;
        eg_conflict_status status;
    } cases[] = {{EG_OUTCOME_CONTRADICTION, EG_CONFLICT_OPEN},
                 {EG_OUTCOME_UPDATE, EG_CONFLICT_OPEN},
                 {EG_OUTCOME_CORROBORATION, EG_CONFLICT_DISMISSED},
                 {EG_OUTCOME_BOTH_VALID, EG_CONFLICT_RESOLVED},
                 {EG_OUTCOME_UNRELATED, EG_CONFLICT_DISMISSED}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        WITH(f, 1);
        begin(&f, cases[i].outcome);
        eg_conflict_view v = suspect(&f);
        size_t ran, left;
        assert_int_equal(f.ops->work(f.memory, f.rq, &ran, &left), EG_OK); /* leaves it alone */
        assert_int_equal(model.asked, 0);
        assert_int_equal(left, 1);
        assert_int_equal(escalate(&f), 1);
        assert_int_equal(model.asked, 1);
        assert_string_equal(model.texts[0], "Every zebra of the herd sleeps in the barn.");
        assert_string_equal(model.texts[1], "No zebra of the herd sleeps in the barn.");
        assert_string_equal(model.scopes[0], "zoo/barn");
        assert_string_equal(model.scopes[1], "zoo/yard");
        assert_true(model.times[0] == v.a.committed_at && model.times[1] == v.b.committed_at);
        eg_conflict c = stored(&f, v.conflict.id);
        assert_int_equal(c.status, cases[i].status);
        assert_true(eg_str_eq(c.resolved_by, EG_STR("oracle")));
        assert_non_null(memmem(c.resolution.ptr, c.resolution.len, "One denies the other.", 21));
        assert_int_equal(query(&f, "zebra").count, 2); /* no fact is closed, also by an update */
        eg_audit_row *rows;
        size_t n;
        assert_int_equal(f.memory->env.storage_ops->audit(f.storage, f.rq, 0, 100, &rows, &n), EG_OK);
        assert_true(eg_str_eq(rows[n - 1].action, EG_STR("judge")) && eg_str_eq(rows[n - 1].actor, EG_STR("oracle")));
        undo(&f, rows[n - 1].id);
        assert_int_equal(stored(&f, v.conflict.id).status, EG_CONFLICT_SUSPECTED);
        assert_int_equal(escalate(&f), 0); /* and it is not asked again */
        fixture_close(&f);
    }
}

/* Whatever goes wrong, the pair stays a review. An answer that makes no sense is not asked for
 * again, a server that cannot be reached once more, one that is asked too often after a pause. */
static void failures_leave_the_review(void **state) {
    (void)state;
    static const struct {
        eg_status answer;
        double score;
        int asked; /* in the end */
    } cases[] = {{EG_EFORMAT, 0.9, 1}, {EG_OK, 7, 1}, {EG_EUNAVAILABLE, 0.9, 2}, {EG_ERATE, 0.9, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        WITH(f, 1);
        begin(&f, EG_OUTCOME_CONTRADICTION);
        eg_conflict_view v = suspect(&f);
        model.answer = cases[i].answer;
        model.verdict.score = cases[i].score;
        model.retry_after_s = 5;
        assert_int_equal(escalate(&f), 1);
        assert_int_equal(model.asked, 1);
        assert_int_equal(escalate(&f), 0); /* not without a pause */
        for (int k = 0; k < 4; k++) escalate_later(&f);
        assert_int_equal(model.asked, cases[i].asked); /* a fourth would be over the budget */
        assert_int_equal(stored(&f, v.conflict.id).status, EG_CONFLICT_SUSPECTED);
        model.answer = EG_OK;
        model.verdict.score = 0.9;
        model.spent = 0; /* another day */
        escalate_later(&f);
        assert_int_equal(model.asked, cases[i].asked + (cases[i].answer == EG_ERATE));
        assert_int_equal(stored(&f, v.conflict.id).status,
                         cases[i].answer == EG_ERATE ? EG_CONFLICT_OPEN : EG_CONFLICT_SUSPECTED);
        fixture_close(&f);
    }
}

/* Nobody is asked about a pair that somebody judged meanwhile, whose fact has ended, or that waits
 * for a week. */
static void what_does_not_wait_is_not_asked(void **state) {
    (void)state;
    for (int how = 0; how < 3; how++) {
        WITH(f, 1);
        begin(&f, EG_OUTCOME_CONTRADICTION);
        eg_conflict_view v = suspect(&f);
        if (how == 0) {
            char id[EG_ID_TEXT];
            eg_id_format(v.conflict.id, id);
            const eg_judge_args args = {.size = sizeof args,
                                        .conflict_id = eg_str_of(id),
                                        .verdict = EG_JUDGED_SAME,
                                        .reason = EG_STR("I looked."),
                                        .agent_id = EG_STR("keeper")};
            eg_resolved done;
            assert_int_equal(f.ops->judge(f.memory, f.rq, &args, &done), EG_OK);
        }
        if (how == 1) correct(&f, v.b, EG_OP_DELETE, "");
        if (how == 2) f.now += 8 * EG_DAY;
        assert_int_equal(escalate(&f), 1);
        assert_int_equal(model.asked, 0);
        fixture_close(&f);
    }
}

/* Without an escalator no job is left. A check asks only where it was told to, and then it needs
 * one. */
static void a_check_asks_when_told_to(void **state) {
    (void)state;
    WITH(f, 1);
    const eg_check_item items[] = {{.content = EG_STR("Every zebra of the herd sleeps in the barn."), .scope = EG_STR("zoo")},
                                   {.content = EG_STR("No zebra of the herd sleeps in the barn."), .scope = EG_STR("zoo")}};
    eg_check_args args = {.size = sizeof args, .items = items, .item_count = 2};
    eg_checked checked;
    begin(&f, EG_OUTCOME_CONTRADICTION);
    assert_int_equal(f.ops->check(f.memory, f.rq, &args, &checked), EG_OK);
    assert_true(checked.count == 0 && model.asked == 0);
    args.flags = EG_CHECK_JUDGE;
    assert_int_equal(f.ops->check(f.memory, f.rq, &args, &checked), EG_OK);
    assert_true(checked.count == 1 && checked.judged == 1 && checked.unjudged == 0);
    assert_true(eg_str_eq(checked.findings[0].tier, EG_STR("tier3_llm")) && checked.findings[0].score > 0.89);
    assert_true(eg_str_eq(checked.findings[0].explanation, EG_STR("oracle: One denies the other.")));
    model.verdict.outcome = EG_OUTCOME_BOTH_VALID;
    assert_int_equal(f.ops->check(f.memory, f.rq, &args, &checked), EG_OK);
    assert_true(checked.count == 0 && checked.judged == 1);
    model.answer = EG_EFORMAT;
    assert_int_equal(f.ops->check(f.memory, f.rq, &args, &checked), EG_OK);
    assert_true(checked.count == 0 && checked.judged == 0 && checked.unjudged == 1);
    args.flags = 4; /* none that there is */
    assert_int_equal(f.ops->check(f.memory, f.rq, &args, &checked), EG_EUNSUPPORTED);
    args.flags = EG_CHECK_JUDGE;
    f.memory->env.escalator_count = 0;
    assert_int_equal(f.ops->check(f.memory, f.rq, &args, &checked), EG_EINVAL);
    assert_non_null(strstr(f.rq->err->text, "no escalator is configured"));
    model.asked = 0;
    suspect(&f);
    f.memory->env.escalator_count = 1;
    assert_int_equal(escalate(&f), 0);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers_are_judged_reviews), cmocka_unit_test(failures_leave_the_review),
                                       cmocka_unit_test(what_does_not_wait_is_not_asked),
                                       cmocka_unit_test(a_check_asks_when_told_to)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
