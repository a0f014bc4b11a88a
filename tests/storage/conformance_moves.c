/* conformance_moves.c - checks of conformance.h: a workspace that goes into another one, under a
 * new name, or away. */
#include <string.h>

#include "conformance_steps.h"

static eg_status edit(store *s, const char *from, const char *to, uint32_t flags, uint64_t *facts) {
    const eg_workspace_edit e = {.size = sizeof e, .flags = flags, .to = eg_str_of(to), .actor = EG_STR("tester")};
    eg_workspace_edited out;
    work_in(s, from);
    eg_status st = OPS(s, edit_workspace, &e, &out);
    if (st == EG_OK && facts) *facts = out.facts;
    return st;
}

/* The facts that words find, and those that a vector finds; they must be the same number. */
static size_t found(store *s, const char *word, uint32_t axis) {
    eg_filter f = ALL_FACTS;
    const eg_term term = {eg_str_of(word), 1};
    float q[WIDTH] = {0};
    eg_vector v;
    q[axis] = 1;
    size_t by_words = search_one(s, &f, (eg_search){.kind = EG_SEARCH_TERMS, .limit = 9, .terms = &term, .term_count = 1}).count;
    eg_scored_list list = search_one(s, &f, by_vector(&v, "m", q, 9));
    size_t near = 0;
    for (size_t i = 0; i < list.count; i++) near += list.rows[i].score > 0.7;
    assert_int_equal(near, by_words);
    return by_words;
}

static size_t audit_rows(store *s, eg_audit_row **rows) {
    size_t n;
    assert_int_equal(OPS(s, audit, 0, 100, rows, &n), EG_OK);
    assert_int_equal(s->registrar.ops->audit_verify(s->handle, &s->request.rq), EG_OK);
    return n;
}

/* A fact with an audit row and an agent, in the request's workspace. */
static eg_id put_noted(store *s, const char *content, uint32_t axis) {
    eg_id id = put_fact(s, content, "x", 0, axis), none = {{0}};
    const eg_change changes[] = {{.kind = EG_CHANGE_AGENT, .agent = {EG_STR("alice"), EG_STR(""), 2}},
                                 {.kind = EG_CHANGE_SETTING, .setting = {EG_STR("k"), eg_str_of(content)}},
                                 {.kind = EG_CHANGE_AUDIT, .audit = {EG_STR("commit"), EG_STR("{}"), id, none}}};
    assert_int_equal(apply(s, NULL, 0, changes, 3, NULL), EG_OK);
    return id;
}

static size_t known_workspaces(store *s, eg_workspace_row **rows) {
    size_t n;
    assert_int_equal(OPS(s, workspaces, -1, 0, rows, &n), EG_OK);
    return n;
}

void conformance_moved_workspaces(store *s) {
    if (!s->registrar.ops->edit_workspace) return;
    uint64_t facts;
    eg_audit_row *rows;
    eg_workspace_row *all;
    work_in(s, "one");
    eg_id a = put_noted(s, "apple", 1), b = put_noted(s, "banana", 2);
    eg_conflict c = new_conflict(a, b);
    const eg_change changes[] = {{.kind = EG_CHANGE_CONFLICT, .conflict = &c}};
    assert_int_equal(apply(s, NULL, 0, changes, 1, NULL), EG_OK);
    assert_int_equal(found(s, "apple", 1), 1);
    eg_fact before = get_fact(s, a);
    work_in(s, "two");
    put_noted(s, "cherry", 3);
    assert_int_equal(found(s, "apple", 1), 0);

    /* under a new name: nothing else changes */
    assert_int_equal(edit(s, "gone", "new", 0, NULL), EG_ENOENT);
    assert_int_equal(edit(s, "one", "one", 0, NULL), EG_EINVAL);
    assert_int_equal(edit(s, "one", "new", 8, NULL), EG_EUNSUPPORTED);
    assert_int_equal(edit(s, "one", "two", EG_WORKSPACE_TO_NEW, NULL), EG_ECONFLICT);
    work_in(s, "one");
    assert_int_equal(found(s, "apple", 1), 1); /* all of it is as before */
    assert_int_equal(edit(s, "one", "new", EG_WORKSPACE_TO_NEW, &facts), EG_OK);
    assert_int_equal(facts, 2);
    assert_int_equal(found(s, "apple", 1), 0);
    assert_int_equal(stats_of(s).facts, 0);
    work_in(s, "new");
    assert_int_equal(found(s, "apple", 1), 1);
    eg_fact after = get_fact(s, a);
    assert_true(after.seq == before.seq && after.valid_until == before.valid_until && after.committed_at == before.committed_at);
    assert_int_equal(stats_of(s).jobs_queued, 0);
    assert_true(eg_id_eq(get_conflict(s, c.id).fact_a, a));
    assert_int_equal(audit_rows(s, &rows), 4);
    assert_true(eg_str_eq(rows[0].workspace, EG_STR("one")) && eg_str_eq(rows[0].action, EG_STR("commit")));
    assert_true(eg_str_eq(rows[2].action, EG_STR("workspace_left")) && eg_str_eq(rows[2].payload, EG_STR("{\"to\":\"new\"}")));
    assert_true(eg_str_eq(rows[3].workspace, EG_STR("new")) && eg_str_eq(rows[3].payload, EG_STR("{\"from\":\"one\"}")));

    /* the name is free: what gets it now has nothing to do with what had it */
    work_in(s, "one");
    put_noted(s, "date", 4);
    assert_int_equal(audit_rows(s, &rows), 1);

    /* into one with facts: numbers follow, agents add up, settings of the target stand */
    int64_t last = stats_of(s).seq;
    work_in(s, "two");
    last = stats_of(s).seq;
    assert_int_equal(edit(s, "new", "two", 0, &facts), EG_OK);
    assert_int_equal(facts, 2);
    work_in(s, "two");
    assert_int_equal(found(s, "apple", 1), 1);
    assert_int_equal(found(s, "banana", 2), 1);
    assert_int_equal(found(s, "cherry", 3), 1);
    assert_true(get_fact(s, a).seq > last && get_fact(s, b).seq > get_fact(s, a).seq);
    eg_journal_row *journal;
    size_t n;
    assert_int_equal(OPS(s, changes_since, last, 100, &journal, &n), EG_OK);
    assert_true(n >= 3 && eg_id_eq(journal[0].fact, a));
    for (size_t i = 1; i < n; i++) assert_true(journal[i].seq > journal[i - 1].seq);
    assert_true(stats_of(s).seq > journal[n - 1].seq);
    eg_store_stats st = stats_of(s);
    assert_true(st.facts == 3 && st.agents == 1 && st.conflicts_total == 1 && st.jobs_queued == 2);
    assert_int_equal(part(s, a, EG_PARTS_TRUST).agent_commits, 6);
    eg_str value;
    assert_int_equal(OPS(s, setting, EG_STR("k"), &value), EG_OK);
    assert_true(eg_str_eq(value, EG_STR("cherry")));
    assert_int_equal(audit_rows(s, &rows), 1 + 4 + 2);
    for (size_t i = 1; i < 7; i++) assert_true(rows[i].id > rows[i - 1].id);
    /* it is written on as before */
    put_noted(s, "elder", 5);
    const eg_change close = {.kind = EG_CHANGE_CLOSE, .close = {a, EG_CLOSE_DELETED, EG_STR("x")}};
    assert_int_equal(apply(s, NULL, 0, &close, 1, NULL), EG_OK);
    assert_int_equal(found(s, "elder", 5), 1);
    assert_int_equal(found(s, "apple", 1), 0);
    assert_int_equal(audit_rows(s, &rows), 8);
    assert_int_equal(known_workspaces(s, &all), 2);
    assert_true(eg_str_eq(all[0].name, EG_STR("one")) && eg_str_eq(all[1].name, EG_STR("two")));
}

void conformance_removed_workspaces(store *s) {
    if (!s->registrar.ops->edit_workspace) return;
    uint64_t facts;
    eg_audit_row *rows;
    eg_workspace_row *all;
    work_in(s, "keep");
    put_noted(s, "apple", 1);
    work_in(s, "drop");
    put_noted(s, "apple pie", 1);
    eg_id last = put_noted(s, "apple tart apple", 1);
    const eg_change job = job_for(last, EG_JOB_DETECT, "me");
    assert_int_equal(apply(s, NULL, 0, &job, 1, NULL), EG_OK);
    assert_int_equal(found(s, "apple", 1), 2);
    assert_int_equal(edit(s, "drop", "", 0, &facts), EG_OK);
    assert_int_equal(facts, 2);
    assert_int_equal(found(s, "apple", 1), 0);
    assert_int_equal(known_workspaces(s, &all), 1);
    eg_job *jobs;
    assert_int_equal(lease(s, "me", 0, 9, &jobs), 0);
    assert_int_equal(edit(s, "drop", "", 0, NULL), EG_ENOENT);
    /* what is written next stands where rows were: words and vectors of the removed are not its
     * own */
    put_noted(s, "banana", 2);
    put_noted(s, "cherry", 3);
    assert_int_equal(found(s, "apple", 1), 0);
    assert_int_equal(found(s, "banana", 2), 1);
    assert_int_equal(audit_rows(s, &rows), 2);
    work_in(s, "keep");
    assert_int_equal(found(s, "apple", 1), 1);
    assert_int_equal(audit_rows(s, &rows), 1);
}
