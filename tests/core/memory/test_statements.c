/* test_statements.c - statements that come with a commit: which are taken, which are refused and
 * how, and that they stay with their fact whatever is computed anew. */
#include "fixture.h"

static const char note[] = "Importer with a pool of 20 and a statement timeout of 30 s. Backups run at night.";
static const eg_str two[] = {{"The importer's connection pool has size 20.", 43},
                             {"The importer's statement timeout is 30 s.", 41}};

static eg_commit_args with(const eg_str *statements, size_t n) {
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = eg_str_of(note);
    args.scope = EG_STR("importer");
    args.agent_id = EG_STR("agent-a");
    args.wait_ms = 1000;
    args.statements = statements;
    args.statement_count = n;
    return args;
}

static eg_statement_list of(fixture *f, eg_id fact) {
    eg_statement_list list;
    assert_int_equal(f->ops->statements(f->memory, f->rq, &fact, 1, &list), EG_OK);
    return list;
}

/* Both given statements stand in one place, and what they do not speak of is as it was read. */
static void assert_both(fixture *f, eg_id fact) {
    eg_statement_list list = of(f, fact);
    size_t given = 0;
    for (size_t i = 0; i < list.count; i++) {
        if (!(list.rows[i].flags & EG_STATEMENT_GIVEN)) continue;
        assert_true(given < 2 && eg_str_eq(list.rows[i].alone, two[given]));
        assert_memory_equal(note + list.rows[i].span.start, "Importer", 8);
        given++;
    }
    assert_int_equal(given, 2);
    assert_true(list.count == 3 && list.rows[2].flags == 0);
    assert_memory_equal(note + list.rows[2].span.start, "Backups run at night.", 21);
}

static void refuses(fixture *f, eg_commit_args args, eg_status code, const char *why) {
    eg_receipt r;
    assert_int_equal(f->ops->commit(f->memory, f->rq, &args, &r), code);
    if (!strstr(f->rq->err->text, why)) fail_msg("%s", f->rq->err->text);
}

static void taken(void **state) {
    (void)state;
    WITH(f, 1);
    const eg_str again[] = {two[0], two[1], two[0]};
    eg_receipt r = commit_args(&f, with(again, 3));
    assert_both(&f, r.fact.id);
    assert_int_equal(f.embedded, 4); /* the whole, and a vector for each statement */
    /* the known text keeps the statements that it has */
    eg_receipt same = commit_args(&f, with(two, 1));
    assert_true(same.duplicate && eg_id_eq(same.fact.id, r.fact.id));
    assert_both(&f, r.fact.id);
    const eg_id nobody = {{7}};
    assert_int_equal(of(&f, nobody).count, 0);
    fixture_close(&f);
}

static void refused(void **state) {
    (void)state;
    WITH(f, 0);
    eg_str texts[EG_MAX_STATEMENTS + 1];
    for (size_t i = 0; i <= EG_MAX_STATEMENTS; i++) texts[i] = two[0];
    refuses(&f, with(texts, EG_MAX_STATEMENTS + 1), EG_ELIMIT, "statements: 65 were given, at most 64");
    const eg_str adds[] = {two[0], EG_STR("The importer's statement timeout is 45 s.")};
    refuses(&f, with(adds, 2), EG_EINVAL, "number 2 (\"The importer's statement timeout is 45 s.\") has '45'");
    const eg_str adds_after_a_copy[] = {two[0], two[0], adds[1]};
    refuses(&f, with(adds_after_a_copy, 3), EG_EINVAL, "number 3 (");
    const eg_str far[] = {EG_STR("Password hashes are made by a function that takes a very long time to run.")};
    refuses(&f, with(far, 1), EG_EINVAL, "number 1 (\"Password hashes are made by a function that takes a very lon...\") says");
    static char longest[EG_MAX_STATEMENT + 1];
    memset(longest, 'x', sizeof longest);
    const eg_str bytes[][1] = {{{longest, sizeof longest}}, {EG_STR(" ")}, {EG_STR("pool \xFF")}, {{"pool\0 20", 8}}};
    static const struct {
        eg_status code;
        const char *why;
    } wanted[] = {{EG_ELIMIT, "number 1 has 1001 bytes; at most 1000"},
                  {EG_EINVAL, "number 1 is empty"},
                  {EG_EINVAL, "number 1 is not valid UTF-8"},
                  {EG_EINVAL, "number 1 holds a NUL byte"}};
    for (size_t i = 0; i < 4; i++) refuses(&f, with(bytes[i], 1), wanted[i].code, wanted[i].why);
    eg_commit_args deletes = with(two, 2);
    deletes.operation = EG_OP_DELETE;
    deletes.corrects_lineage = EG_STR("00000000");
    refuses(&f, deletes, EG_EINVAL, "leave them out");
    assert_int_equal(query(&f, "importer").count, 0);
    fixture_close(&f);
}

static eg_status no_wrench(void *self, const eg_services *services, eg_request *rq, const eg_commit_args *args) {
    (void)self, (void)services;
    if (!memmem(args->content.ptr, args->content.len, "wrench", 6)) return EG_OK;
    return eg_request_fail(rq, EG_EREFUSED, "content has a wrench");
}

/* A gate sees each statement, though it looks at the content only. */
static void gates_see_them(void **state) {
    (void)state;
    WITH(f, 0);
    const eg_gate_slot gate = {.gate = {.size = sizeof(eg_gate), .name = "wrench", .check = no_wrench}};
    f.memory->env.gates = &gate;
    f.memory->env.gate_count = 1;
    const eg_str hidden[] = {two[0], EG_STR("The importer's statement timeout is 30 s, said the wrench.")};
    refuses(&f, with(hidden, 2), EG_EREFUSED, "statements: number 2 is refused: content has a wrench");
    commit_args(&f, with(two, 2));
    fixture_close(&f);
}

/* The detector finds a word that stands in given statements only: in those of the new fact, when
 * it is committed and when it is looked at again, and in those of a stored one. */
static void detected_and_again(void **state) {
    (void)state;
    WITH(f, 1);
    f.nli_score = 0.9;
    f.nli_word = "connection";
    commit_args(&f, with(two, 2));
    eg_commit_args other = with(two, 1);
    other.content = EG_STR("Importer: pool 20, and nothing else is said of it.");
    assert_int_equal(commit_args(&f, other).conflict_count, 1);
    other.content = EG_STR("Importer: pool 20 again, and some more.");
    other.wait_ms = 0;
    eg_receipt later = commit_args(&f, other);
    assert_true(later.conflict_count == 0 && !later.detection_done);
    work(&f);
    assert_int_equal(open_conflicts(&f, NULL), 3);
    fixture_close(&f);
}

static void kept_by_undo(void **state) {
    (void)state;
    WITH(f, 1);
    eg_receipt r = commit_args(&f, with(two, 2));
    f.now += EG_SECOND;
    eg_receipt gone = correct(&f, r.fact, EG_OP_DELETE, NULL);
    f.now += EG_SECOND;
    eg_undone back = undo(&f, gone.undo_id);
    assert_int_equal(back.restored_count, 1);
    assert_both(&f, back.restored[0].id);
    f.now += EG_SECOND;
    eg_receipt newer = correct(&f, back.restored[0], EG_OP_UPDATE, "Importer: pool 24.");
    assert_int_equal(of(&f, newer.fact.id).count, 1); /* an update brings its own */
    back = undo(&f, newer.undo_id);
    assert_both(&f, back.restored[0].id);
    work(&f);
    assert_both(&f, back.restored[0].id);
    fixture_close(&f);
}

static double relevance(fixture *f) {
    eg_hits hits = query(f, "connection pool has size");
    assert_int_equal(hits.count, 1);
    return hits.hits[0].relevance;
}

/* Vectors of another model, and those that a commit without a model left out. */
static void kept_by_reembedding(void **state) {
    (void)state;
    WITH(f, 1);
    commit_args(&f, with(two, 2));
    double before = relevance(&f);
    f.model = "other-words";
    forget(&f);
    f.embedded = 0;
    uint64_t left;
    assert_int_equal(f.ops->reembed(f.memory, f.rq, &left), EG_OK);
    assert_int_equal(left, 0);
    assert_int_equal(f.embedded, 4);
    assert_true(relevance(&f) == before);
    fixture_close(&f);

    WITH(late, 0);
    eg_receipt r = commit_args(&late, with(two, 2));
    late.with_model = 1;
    late.now += EG_MAX_JOB_PAUSE + EG_SECOND;
    work(&late);
    assert_true(late.embedded >= 4);
    assert_true(relevance(&late) == before);
    assert_both(&late, r.fact.id);
    fixture_close(&late);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(taken),          cmocka_unit_test(refused),
                                       cmocka_unit_test(gates_see_them), cmocka_unit_test(detected_and_again),
                                       cmocka_unit_test(kept_by_undo),   cmocka_unit_test(kept_by_reembedding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
