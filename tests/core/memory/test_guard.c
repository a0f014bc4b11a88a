/* test_guard.c - every operation of the memory asks the guard first: the table names them all,
 * and a role that lacks what an operation needs is refused before the store is touched. */
#include "fixture.h"

static eg_status no_answer(void *self, const eg_answer *answer) {
    (void)self, (void)answer;
    return EG_EINTERNAL;
}

static eg_status no_text(void *self, eg_str text) {
    (void)self, (void)text;
    return EG_OK;
}

static eg_status call(fixture *f, eg_request *rq, const char *name) {
    const eg_memory_ops *o = f->ops;
    eg_memory *m = f->memory;
    const eg_str nothing = EG_STR("00000000");
    eg_commit_args commit = EG_COMMIT_DEFAULTS;
    eg_query_args query = EG_QUERY_DEFAULTS;
    const eg_resolve_args resolve = {.size = sizeof resolve, .conflict_id = nothing, .winning_fact_id = nothing};
    const eg_judge_args judge = {.size = sizeof judge, .conflict_id = nothing, .reason = EG_STR("why")};
    const eg_check_item item = {.content = EG_STR("The auth service runs on port 8080.")};
    const eg_check_args check = {.size = sizeof check, .items = &item, .item_count = 1, .against_store = 1};
    eg_receipt receipt;
    eg_hits hits;
    eg_conflict_view *views, view;
    eg_resolved resolved;
    eg_checked checked;
    eg_undone undone;
    eg_memory_status status;
    eg_fact fact, *facts;
    const eg_id id = {{1}};
    eg_statement_list statements;
    eg_workspace_view *all;
    eg_workspace_moved moved;
    const eg_edit_workspace_args edit = {.size = sizeof edit, .name = EG_STR("nobody"), .to = EG_STR("else")};
    const eg_export_args export_all = {.size = sizeof export_all};
    const eg_import_args import_nothing = {.size = sizeof import_nothing};
    eg_exported exported;
    eg_imported imported;
    const eg_erase_args erase_nothing = {.size = sizeof erase_nothing, .scope = EG_STR("nowhere")};
    eg_erased erased;
    eg_audited audited;
    eg_figure *figures;
    size_t n, left;
    uint64_t waiting;
    commit.content = item.content;
    query.topic = EG_STR("port");
    if (strcmp(name, "commit") == 0) return o->commit(m, rq, &commit, &receipt);
    if (strcmp(name, "query") == 0) return o->query(m, rq, &query, &hits);
    if (strcmp(name, "conflicts") == 0) return o->conflicts(m, rq, (eg_str){0}, -1, 0, &views, &n);
    if (strcmp(name, "resolve") == 0) return o->resolve(m, rq, &resolve, &resolved);
    if (strcmp(name, "check") == 0) return o->check(m, rq, &check, &checked);
    if (strcmp(name, "feedback") == 0) return o->feedback(m, rq, nothing, 1);
    if (strcmp(name, "undo") == 0) return o->undo(m, rq, 12345, &undone);
    if (strcmp(name, "promote") == 0) return o->promote(m, rq, nothing, &fact);
    if (strcmp(name, "lineage") == 0) return o->lineage(m, rq, nothing, &facts, &n);
    if (strcmp(name, "status") == 0) return o->status(m, rq, &status);
    if (strcmp(name, "work") == 0) return o->work(m, rq, &n, &left);
    if (strcmp(name, "reembed") == 0) return o->reembed(m, rq, &waiting);
    if (strcmp(name, "conflict") == 0) return o->conflict(m, rq, nothing, &view, &facts, &n);
    if (strcmp(name, "judge") == 0) return o->judge(m, rq, &judge, &resolved);
    if (strcmp(name, "answers") == 0) return o->answers(m, rq, no_answer, NULL);
    if (strcmp(name, "statements") == 0) return o->statements(m, rq, &id, 1, &statements);
    if (strcmp(name, "escalate") == 0) return o->escalate(m, rq, &n);
    if (strcmp(name, "workspaces") == 0) return o->workspaces(m, rq, &all, &n);
    if (strcmp(name, "edit_workspace") == 0) return o->edit_workspace(m, rq, &edit, &moved);
    const eg_list_args list = EG_LIST_DEFAULTS;
    eg_listing listing;
    if (strcmp(name, "list") == 0) return o->list(m, rq, &list, &listing);
    eg_conflict_view *about;
    if (strcmp(name, "conflicts_about") == 0) return o->conflicts_about(m, rq, &id, 1, &about, &n);
    const eg_timeline_args times = {.size = sizeof times};
    eg_timeline timeline;
    eg_diff diff;
    if (strcmp(name, "timeline") == 0) return o->timeline(m, rq, &times, &timeline);
    if (strcmp(name, "diff") == 0) return o->diff(m, rq, (eg_str){0}, 0, 0, &diff);
    if (strcmp(name, "pin") == 0) return o->pin(m, rq, nothing, 1, &fact);
    if (strcmp(name, "archive") == 0) return o->archive(m, rq, nothing, (eg_str){0}, &undone);
    if (strcmp(name, "restore") == 0) return o->restore(m, rq, nothing, &undone);
    if (strcmp(name, "export") == 0) return o->export_memory(m, rq, &export_all, no_text, NULL, &exported);
    if (strcmp(name, "import") == 0) return o->import_memory(m, rq, &import_nothing, &imported);
    if (strcmp(name, "erase") == 0) return o->erase(m, rq, &erase_nothing, &erased);
    if (strcmp(name, "citations") == 0) return o->citations(m, rq, NULL, 0, NULL);
    if (strcmp(name, "audit") == 0) return o->audit(m, rq, &audited);
    if (strcmp(name, "figures") == 0) return o->figures(m, rq, &figures, &n);
    fail_msg("the operation %s is not called by this test: add it", name);
    return EG_EINTERNAL;
}

static void the_table_names_every_operation(void **state) {
    (void)state;
    size_t n, first = offsetof(eg_memory_ops, commit), width = sizeof(void (*)(void));
    const eg_memory_operation *all = eg_memory_operations(&n);
    assert_int_equal(n, (sizeof(eg_memory_ops) - first) / width);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal((all[i].offset - first) % width, 0);
        assert_true(all[i].offset >= first && all[i].offset < sizeof(eg_memory_ops));
        assert_true(all[i].need > EG_NEEDS_NOTHING && all[i].need <= EG_NEEDS_ADMIN);
        for (size_t k = 0; k < i; k++) assert_int_not_equal(all[k].offset, all[i].offset);
    }
}

/* Where the role does not suffice, the table of the store has no functions: a call would crash. */
static void each_role_gets_what_it_may(void **state) {
    (void)state;
    WITH(f, 0);
    commit_as(&f, "agent", "auth", "The auth service runs on port 8080.");
    const eg_storage_ops *store = f.memory->env.storage_ops;
    static const eg_storage_ops unreachable = {.size = sizeof unreachable, .name = "unreachable"};
    size_t n, refused = 0, expected = 0;
    const eg_memory_operation *all = eg_memory_operations(&n);
    for (uint32_t role = EG_ROLE_NONE; role <= EG_ROLE_ADMIN; role++) {
        const eg_principal who = {.size = sizeof who, .role = role, .member = EG_STR("ada"), .agent = EG_STR("laptop")};
        for (size_t i = 0; i < n; i++) {
            eg_request *rq = fixture_request(&f, "local", &who, (eg_cancel){0});
            int may = all[i].need <= role;
            f.memory->env.storage_ops = may ? store : &unreachable;
            eg_status s = call(&f, rq, all[i].name);
            if ((s == EG_EAUTH) == may) fail_msg("%s as role %u: %d (%s)", all[i].name, role, (int)s, rq->err->text);
            if (!may) {
                assert_non_null(strstr(rq->err->text, all[i].name));
                assert_non_null(strstr(rq->err->text, "'ada' has the role"));
                refused++;
            }
            f.services.request_release(&f, rq);
        }
    }
    f.memory->env.storage_ops = store;
    for (size_t i = 0; i < n; i++) expected += all[i].need; /* as many roles lack it */
    assert_int_equal(refused, expected);
    fixture_close(&f);
}

/* The growth rule for arguments: too short and unknown flags are refused, longer ones are read
 * as far as they are known. */
static void arguments_grow(void **state) {
    (void)state;
    WITH(f, 0);
    struct {
        eg_commit_args args;
        uint64_t later; /* a field of a later minor */
    } longer = {.args = EG_COMMIT_DEFAULTS, .later = 7};
    eg_receipt r;
    longer.args.size = sizeof longer;
    longer.args.content = EG_STR("The ledger is kept for ten years.");
    assert_int_equal(f.ops->commit(f.memory, f.rq, &longer.args, &r), EG_OK);
    longer.args.size = EG_COMMIT_ARGS_SIZE_1_0 - 1;
    assert_int_equal(f.ops->commit(f.memory, f.rq, &longer.args, &r), EG_EINVAL);
    assert_non_null(strstr(f.rq->err->text, "eg_commit_args"));
    longer.args.size = sizeof longer.args;
    longer.args.flags = 2; /* 1 is EG_COMMIT_EXACT */
    assert_int_equal(f.ops->commit(f.memory, f.rq, &longer.args, &r), EG_EUNSUPPORTED);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_table_names_every_operation),
                                       cmocka_unit_test(each_role_gets_what_it_may), cmocka_unit_test(arguments_grow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
