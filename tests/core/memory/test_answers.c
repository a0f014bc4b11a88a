/* test_answers.c - the operation answers: which answers stand, and what is told of them. */
#include "core/memory/sides.h"
#include "fixture.h"

enum { MOST = 16 };

typedef struct kept {
    struct {
        uint32_t verdict, was_suspected, status;
        char by[40], a[200], b[200];
    } rows[MOST];
    size_t count;
    eg_status then; /* returned from the second call on */
} kept;

static void copy(char *to, size_t size, eg_str from) { snprintf(to, size, "%.*s", (int)from.len, from.len ? from.ptr : ""); }

static eg_status keep(void *self, const eg_answer *a) {
    kept *k = self;
    assert_true(k->count < MOST);
    if (k->count == 1 && k->then != EG_OK) return k->then;
    k->rows[k->count].verdict = a->verdict;
    k->rows[k->count].was_suspected = a->was_suspected;
    k->rows[k->count].status = a->view.conflict.status;
    copy(k->rows[k->count].by, sizeof k->rows->by, a->judged_by);
    copy(k->rows[k->count].a, sizeof k->rows->a, a->statement_a);
    copy(k->rows[k->count].b, sizeof k->rows->b, a->statement_b);
    k->count++;
    return EG_OK;
}

static kept answers(fixture *f) {
    kept k = {.then = EG_OK};
    if (f->ops->answers(f->memory, f->rq, keep, &k) != EG_OK) fail_msg("answers: %s", f->rq->err->text);
    return k;
}

static eg_conflict_view contradict(fixture *f) {
    commit_as(f, "agent-a", "auth", "The auth service runs on port 8080. It logs to syslog.");
    eg_receipt r = commit_as(f, "agent-b", "auth", "The auth service runs on port 9090.");
    assert_int_equal(r.conflict_count, 1);
    return r.conflicts[0];
}

/* Each way to settle a reported conflict, with the statements that it is about; undo takes the
 * answer back, and undo of that undo gives it again. */
static void settlements_are_answers(void **state) {
    (void)state;
    static const struct {
        eg_resolution how;
        uint32_t verdict;
    } cases[] = {{EG_RESOLUTION_WINNER, EG_ANSWER_CONTRADICTION},
                 {EG_RESOLUTION_MERGE, EG_ANSWER_CONTRADICTION},
                 {EG_RESOLUTION_DISMISS, EG_ANSWER_NOT_CONTRADICTION},
                 {EG_RESOLUTION_BOTH_VALID, EG_ANSWER_BOTH_VALID}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        WITH(f, 1);
        eg_conflict_view v = contradict(&f);
        assert_int_equal(answers(&f).count, 0);
        eg_resolved done = settle(&f, v.conflict.id, cases[i].how, v.b.id);
        kept k = answers(&f);
        assert_int_equal(k.count, 1);
        assert_int_equal(k.rows[0].verdict, cases[i].verdict);
        assert_int_equal(k.rows[0].was_suspected, 0);
        assert_string_equal(k.rows[0].by, "tester");
        assert_string_equal(k.rows[0].a, "The auth service runs on port 8080.");
        assert_string_equal(k.rows[0].b, "The auth service runs on port 9090.");
        eg_undone back = undo(&f, done.undo_id);
        assert_int_equal(answers(&f).count, 0);
        if (back.undo_id) undo(&f, back.undo_id);
        assert_int_equal(answers(&f).count, back.undo_id ? 1 : 0);
        fixture_close(&f);
    }
}

/* A conflict that ended because a fact of it was deleted was judged by nobody; feedback about it
 * was. The last feedback counts, and a settlement after it counts more. */
static void only_what_somebody_said_counts(void **state) {
    (void)state;
    WITH(f, 1);
    eg_conflict_view v = contradict(&f);
    correct(&f, v.b, EG_OP_DELETE, "");
    assert_int_equal(answers(&f).count, 0);
    char id[EG_ID_TEXT];
    eg_id_format(v.conflict.id, id);
    assert_int_equal(f.ops->feedback(f.memory, f.rq, eg_str_of(id), 1), EG_OK);
    assert_int_equal(f.ops->feedback(f.memory, f.rq, eg_str_of(id), 0), EG_OK);
    kept k = answers(&f);
    assert_int_equal(k.count, 1);
    assert_int_equal(k.rows[0].verdict, EG_ANSWER_NOT_CONTRADICTION);
    eg_receipt other = commit_as(&f, "agent-c", "auth", "The auth service runs on port 7070.");
    assert_int_equal(other.conflict_count, 1);
    eg_id_format(other.conflicts[0].conflict.id, id);
    assert_int_equal(f.ops->feedback(f.memory, f.rq, eg_str_of(id), 0), EG_OK);
    settle(&f, other.conflicts[0].conflict.id, EG_RESOLUTION_WINNER, other.fact.id);
    k = answers(&f);
    assert_int_equal(k.count, 2);
    assert_int_equal(k.rows[1].verdict, EG_ANSWER_CONTRADICTION);
    eg_request *elsewhere = request_in(&f, "another");
    kept none = {.then = EG_OK};
    assert_int_equal(f.ops->answers(f.memory, elsewhere, keep, &none), EG_OK);
    assert_int_equal(none.count, 0);
    f.services.request_release(&f, elsewhere);
    kept stopped = {.then = EG_EIO};
    assert_int_equal(f.ops->answers(f.memory, f.rq, keep, &stopped), EG_EIO);
    assert_int_equal(stopped.count, 1);
    fixture_close(&f);
}

/* Judged reviews keep their own words, which a settlement does not have. */
static void reviews_are_answers(void **state) {
    (void)state;
    static const uint32_t expected[] = {[EG_JUDGED_CONTRADICTION] = EG_ANSWER_CONTRADICTION,
                                        [EG_JUDGED_UPDATE] = EG_ANSWER_UPDATE,
                                        [EG_JUDGED_BOTH_VALID] = EG_ANSWER_BOTH_VALID,
                                        [EG_JUDGED_SAME] = EG_ANSWER_SAME,
                                        [EG_JUDGED_UNRELATED] = EG_ANSWER_UNRELATED};
    for (uint32_t verdict = 0; verdict <= EG_JUDGED_UNRELATED; verdict++) {
        WITH(f, 1);
        f.nli_word = "zebra";
        f.nli_score = 0.6;
        f.review = 0.3;
        f.per_commit = 2;
        commit_as(&f, "agent-a", "zoo", "Every zebra of the herd sleeps in the barn.");
        eg_receipt r = commit_as(&f, "agent-b", "zoo", "No zebra of the herd sleeps anywhere.");
        assert_int_equal(r.suspected_count, 1);
        assert_int_equal(answers(&f).count, 0);
        char id[EG_ID_TEXT];
        eg_id_format(r.suspected[0].conflict.id, id);
        const eg_judge_args args = {.size = sizeof args,
                                    .conflict_id = eg_str_of(id),
                                    .verdict = verdict,
                                    .reason = EG_STR("I looked into the barn."),
                                    .agent_id = EG_STR("keeper")};
        eg_resolved done;
        f.now += EG_SECOND;
        assert_int_equal(f.ops->judge(f.memory, f.rq, &args, &done), EG_OK);
        kept k = answers(&f);
        assert_int_equal(k.count, 1);
        assert_int_equal(k.rows[0].verdict, expected[verdict]);
        assert_int_equal(k.rows[0].was_suspected, 1);
        assert_string_equal(k.rows[0].by, "keeper");
        undo(&f, done.undo_id);
        assert_int_equal(answers(&f).count, 0);
        fixture_close(&f);
    }
}

/* Without bytes that disagree, the two statements that share most words are meant. */
static void the_nearest_statements_are_meant(void **state) {
    (void)state;
    static const char a[] = "It rains. The port is 80. Logs go to syslog.", b[] = "The port is 90. Nobody is here.";
    static const eg_span of_a[] = {{0, 9}, {10, 25}, {26, 44}}, of_b[] = {{0, 15}, {16, 31}};
    const eg_statement alone[] = {{.span = {0, 15}, .alone = EG_STR("The port of the web server is 90.")}, {.span = {16, 31}}};
    eg_side sides[2] = {{.content = EG_STR(a), .statements = of_a, .statement_count = 3},
                        {.content = EG_STR(b), .statements = of_b, .statement_count = 2}};
    eg_str text[2];
    eg_sides_statements(sides, text);
    assert_true(eg_str_eq(text[0], EG_STR("The port is 80.")) && eg_str_eq(text[1], EG_STR("The port is 90.")));
    sides[1].details = alone;
    eg_sides_statements(sides, text);
    assert_true(eg_str_eq(text[1], alone[0].alone));
    sides[0].said = (eg_span){30, 40}; /* which lies in one statement */
    sides[1].said = (eg_span){20, 22};
    eg_sides_statements(sides, text);
    assert_true(eg_str_eq(text[0], EG_STR("Logs go to syslog.")) && eg_str_eq(text[1], EG_STR("Nobody is here.")));
    sides[0].statement_count = 0; /* none was read: the bytes themselves */
    eg_sides_statements(sides, text);
    assert_true(eg_str_eq(text[0], EG_STR(" go to sys")));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(settlements_are_answers),
                                       cmocka_unit_test(only_what_somebody_said_counts), cmocka_unit_test(reviews_are_answers),
                                       cmocka_unit_test(the_nearest_statements_are_meant)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
