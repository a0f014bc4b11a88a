/* test_review.c - suspected contradictions: who is asked, how often, and what an answer does. */
#include "fixture.h"

#include <pthread.h>
#include <time.h>

/* Pairs that hold the word "zebra" have the score 0.6: reported from 0.8 on, asked about from 0.3
 * on. */
static void doubtful(fixture *f) {
    f->nli_word = "zebra";
    f->nli_score = 0.6;
    f->review = 0.3;
    f->per_commit = 2;
}

/* Two facts and the question about them. */
static eg_conflict_view ask(fixture *f) {
    commit_as(f, "agent-a", "zoo", "Every zebra of the herd sleeps in the barn.");
    eg_receipt r = commit_as(f, "agent-b", "zoo", "No zebra of the herd sleeps anywhere.");
    assert_int_equal(r.conflict_count, 0);
    assert_int_equal(r.suspected_count, 1);
    assert_int_equal(r.fact.open_conflicts, 0);
    return r.suspected[0];
}

static eg_status judge(fixture *f, eg_id id, eg_judgement verdict, eg_resolved *out) {
    char text[EG_ID_TEXT];
    eg_id_format(id, text);
    const eg_judge_args args = {.size = sizeof args,
                                .conflict_id = eg_str_of(text),
                                .verdict = verdict,
                                .reason = EG_STR("I looked into the barn."),
                                .agent_id = EG_STR("keeper")};
    f->now += EG_SECOND;
    return f->ops->judge(f->memory, f->rq, &args, out);
}
static eg_resolved judged(fixture *f, eg_id id, eg_judgement verdict) {
    eg_resolved out;
    if (judge(f, id, verdict, &out) != EG_OK) fail_msg("judge: %s", f->rq->err->text);
    return out;
}

static size_t suspected(fixture *f) {
    eg_conflict_view *views;
    size_t n;
    assert_int_equal(f->ops->conflicts(f->memory, f->rq, EG_STR(""), EG_CONFLICT_SUSPECTED, 0, &views, &n), EG_OK);
    return n;
}
static size_t listed(fixture *f) {
    eg_conflict_view *views;
    size_t n;
    assert_int_equal(f->ops->conflicts(f->memory, f->rq, EG_STR(""), -1, 0, &views, &n), EG_OK);
    return n;
}

/* A suspected pair is no conflict for anybody but who asks for it; a query names it beside both
 * facts. */
static void doubts_are_no_conflicts(void **state) {
    (void)state;
    WITH(f, 1);
    doubtful(&f);
    eg_conflict_view v = ask(&f);
    assert_int_equal(v.conflict.status, EG_CONFLICT_SUSPECTED);
    assert_true(eg_str_eq(v.a.agent_id, EG_STR("agent-a")) && v.conflict.score > 0.59);
    assert_int_equal(listed(&f), 0);
    assert_int_equal(open_conflicts(&f, NULL), 0);
    assert_int_equal(suspected(&f), 1);
    eg_memory_status status;
    assert_int_equal(f.ops->status(f.memory, f.rq, &status), EG_OK);
    assert_int_equal(status.store.suspected, 1);
    assert_int_equal(status.store.conflicts_total, 0);
    eg_hits hits = query(&f, "zebra herd");
    assert_int_equal(hits.count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(hits.hits[i].open_conflict_count, 0);
        assert_true(hits.hits[i].suspected_count == 1 && eg_id_eq(hits.hits[i].suspected[0], v.conflict.id));
    }
    char text[EG_ID_TEXT];
    eg_id_format(v.conflict.id, text);
    const eg_resolve_args args = {.size = sizeof args, .conflict_id = eg_str_of(text), .resolution_type = EG_RESOLUTION_DISMISS};
    eg_resolved done;
    assert_int_equal(f.ops->resolve(f.memory, f.rq, &args, &done), EG_EINVAL);
    assert_non_null(strstr(f.rq->err->text, "engram_judge"));
    fixture_close(&f);
}

/* A contradiction opens a conflict that says who judged it; undo makes it a question again. */
static void a_contradiction_opens_a_conflict(void **state) {
    (void)state;
    WITH(f, 1);
    doubtful(&f);
    eg_id id = ask(&f).conflict.id;
    eg_resolved done = judged(&f, id, EG_JUDGED_CONTRADICTION);
    eg_conflict_view *open;
    assert_int_equal(open_conflicts(&f, &open), 1);
    assert_true(eg_str_eq(open[0].conflict.resolved_by, EG_STR("keeper")));
    assert_true(eg_str_eq(open[0].conflict.resolution, EG_STR("I looked into the barn.")) && !open[0].conflict.resolved_at);
    eg_resolved again;
    /* an open conflict is settled by resolve */
    assert_int_equal(judge(&f, id, EG_JUDGED_SAME, &again), EG_EINVAL);
    assert_non_null(strstr(f.rq->err->text, "by keeper"));
    assert_int_equal(undo(&f, done.undo_id).closed_count, 0);
    assert_int_equal(open_conflicts(&f, NULL), 0);
    assert_int_equal(suspected(&f), 1);
    refuses_undo(&f, done.undo_id, "not open any more");
    done = judged(&f, id, EG_JUDGED_CONTRADICTION);
    settle(&f, id, EG_RESOLUTION_DISMISS, (eg_id){{0}});
    refuses_undo(&f, done.undo_id, "not open any more");
    fixture_close(&f);
}

/* The other answers settle the pair for good: it is not asked about again. */
static void other_answers_settle_the_pair(void **state) {
    (void)state;
    static const struct {
        eg_judgement verdict;
        uint32_t status, type;
        size_t closed;
        uint32_t corroborations;
    } cases[] = {{EG_JUDGED_UPDATE, EG_CONFLICT_RESOLVED, EG_RESOLUTION_WINNER, 1, 0},
                 {EG_JUDGED_BOTH_VALID, EG_CONFLICT_RESOLVED, EG_RESOLUTION_BOTH_VALID, 0, 0},
                 {EG_JUDGED_SAME, EG_CONFLICT_DISMISSED, EG_RESOLUTION_DISMISS, 0, 1},
                 {EG_JUDGED_UNRELATED, EG_CONFLICT_DISMISSED, EG_RESOLUTION_DISMISS, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        WITH(f, 1);
        doubtful(&f);
        eg_conflict_view v = ask(&f);
        eg_resolved done = judged(&f, v.conflict.id, cases[i].verdict);
        assert_int_equal(done.conflict.status, cases[i].status);
        assert_int_equal(done.conflict.resolution_type, cases[i].type);
        assert_int_equal(done.closed_count, cases[i].closed);
        /* the later one stays */
        if (done.closed_count) assert_true(eg_id_eq(done.closed[0].id, v.a.id));
        assert_int_equal(suspected(&f), 0);
        eg_hits hits = query(&f, "zebra anywhere");
        assert_true(eg_id_eq(hits.hits[0].fact.id, v.b.id));
        eg_fact_parts *rows;
        const eg_parts_args args = {.size = sizeof args, .ids = &v.a.id, .count = 1};
        assert_int_equal(f.memory->env.storage_ops->parts(f.storage, f.rq, &args, &rows, NULL), EG_OK);
        assert_int_equal(rows[0].fact.corroborations, cases[i].corroborations);
        eg_undone undone = undo(&f, done.undo_id);
        assert_int_equal(undone.restored_count, cases[i].closed);
        assert_int_equal(suspected(&f), 1);
        assert_int_equal(open_conflicts(&f, NULL), 0);
        fixture_close(&f);
    }
}

/* Answers to questions move no threshold of what is reported. */
static void answers_are_counted_apart(void **state) {
    (void)state;
    WITH(f, 1);
    doubtful(&f);
    judged(&f, ask(&f).conflict.id, EG_JUDGED_UNRELATED);
    eg_feedback_row *rows;
    size_t n;
    assert_int_equal(f.memory->env.storage_ops->feedback(f.storage, f.rq, &rows, &n), EG_OK);
    assert_int_equal(n, 1);
    assert_true(eg_str_eq(rows[0].tier, EG_STR("tier1_nli_review")) && rows[0].false_alarms == 1);
    fixture_close(&f);
}

/* Facts that all suspect each other: how many questions n commits bring. */
static size_t questions(fixture *f, size_t n) {
    size_t asked = 0;
    for (size_t i = 0; i < n; i++) {
        char text[80];
        snprintf(text, sizeof text, "A zebra with the name of %c%c grazes near the pond.", (char)('A' + i % 7),
                 (char)('a' + i / 7));
        eg_receipt r = commit_as(f, "agent", "zoo", text);
        assert_true(r.suspected_count <= 2);
        assert_true(r.conflict_count == 0);
        asked += r.suspected_count;
    }
    return asked;
}

static void *free_slots(void *self) {
    fixture *f = self;
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    pthread_mutex_lock(&f->memory->lock);
    f->memory->jobs_running = 0;
    pthread_mutex_unlock(&f->memory->lock);
    return NULL;
}

/* Where the process works on as much as it may, the job of a commit is run as any other; its
 * questions stand in the receipt all the same. A text that is known is not asked about again. */
static void a_busy_process_asks_too(void **state) {
    (void)state;
    WITH(f, 1);
    doubtful(&f);
    commit_as(&f, "agent-a", "zoo", "Every zebra of the herd sleeps in the barn.");
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("No zebra of the herd sleeps anywhere.");
    args.scope = EG_STR("zoo");
    args.agent_id = EG_STR("agent-b");
    args.wait_ms = 20000;
    f.memory->jobs_running = f.memory->env.max_leased;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, free_slots, &f), 0);
    eg_receipt r = commit_args(&f, args);
    pthread_join(thread, NULL);
    assert_true(r.detection_done && r.conflict_count == 0);
    assert_int_equal(r.suspected_count, 1);
    assert_true(eg_str_eq(r.suspected[0].a.agent_id, EG_STR("agent-a")));
    r = commit_args(&f, args);
    assert_true(r.duplicate && r.suspected_count == 0);
    fixture_close(&f);
}

/* However much there is to ask, a commit has as many questions on average as the setting says. */
static void questions_are_few(void **state) {
    (void)state;
    WITH(f, 1);
    doubtful(&f);
    f.per_commit = 0.5;
    size_t asked = questions(&f, 40);
    if (asked < 16 || asked > 24) fail_msg("%zu questions in 40 commits, 20 are wanted", asked);
    fixture_close(&f);
}

/* Below the limit that came with the model nobody is asked, nor where no limit came with it. */
static void a_limit_comes_first(void **state) {
    (void)state;
    WITH(f, 1);
    doubtful(&f);
    f.review = 0.7;
    assert_int_equal(questions(&f, 6), 0);
    f.review = 0;
    assert_int_equal(questions(&f, 6), 0);
    fixture_close(&f);
}

static void wrong_answers_are_refused(void **state) {
    (void)state;
    WITH(f, 1);
    doubtful(&f);
    eg_id id = ask(&f).conflict.id;
    eg_resolved out;
    assert_int_equal(judge(&f, id, (eg_judgement)5, &out), EG_EINVAL);
    assert_int_equal(judge(&f, f.services.new_id(&f), EG_JUDGED_SAME, &out), EG_ENOENT);
    char text[EG_ID_TEXT];
    eg_id_format(id, text);
    const eg_judge_args silent = {.size = sizeof silent, .conflict_id = eg_str_of(text), .verdict = EG_JUDGED_SAME};
    assert_int_equal(f.ops->judge(f.memory, f.rq, &silent, &out), EG_EINVAL);
    assert_non_null(strstr(f.rq->err->text, "reason"));
    assert_int_equal(suspected(&f), 1);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubts_are_no_conflicts),       cmocka_unit_test(a_contradiction_opens_a_conflict),
        cmocka_unit_test(other_answers_settle_the_pair), cmocka_unit_test(answers_are_counted_apart),
        cmocka_unit_test(a_busy_process_asks_too),       cmocka_unit_test(questions_are_few),
        cmocka_unit_test(a_limit_comes_first),           cmocka_unit_test(wrong_answers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
