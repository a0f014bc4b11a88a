/* conformance_keep.c - checks of conformance.h: facts that come from elsewhere, texts that are
 * erased, links that are read back. */
#include "conformance_steps.h"

static size_t links_of(store *s, const eg_id *facts, size_t count, eg_link_row **rows) {
    size_t n;
    assert_int_equal(OPS(s, links, facts, count, rows, &n), EG_OK);
    return n;
}

/* A fact may come closed; it is what was closed elsewhere, not what is current here. */
void conformance_closed_facts(store *s) {
    set_clock(s, 1000 * DAY);
    eg_new_fact row = new_fact("it was so", "x");
    row.fact.committed_at = row.fact.valid_from = 10 * DAY;
    row.fact.valid_until = row.fact.closed_at = 20 * DAY;
    row.fact.close_reason = EG_CLOSE_DELETED;
    row.fact.closed_by = EG_STR("eve");
    const eg_change insert = {.kind = EG_CHANGE_FACT, .new_fact = &row};
    assert_int_equal(apply(s, NULL, 0, &insert, 1, NULL), EG_OK);
    eg_fact f = get_fact(s, row.fact.id);
    assert_true(f.closed_at == 20 * DAY && f.close_reason == EG_CLOSE_DELETED && eg_str_eq(f.closed_by, EG_STR("eve")));
    assert_true(f.committed_at == 10 * DAY && f.valid_until == 20 * DAY);
    eg_filter filter = ALL_FACTS;
    assert_int_equal(count_page(s, &filter), 0);
    filter.flags = EG_FILTER_HISTORY;
    assert_int_equal(count_page(s, &filter), 1);
    filter.flags = EG_FILTER_AS_OF;
    filter.at = 15 * DAY;
    assert_int_equal(count_page(s, &filter), 1);
    /* an id is there once in the whole store */
    work_in(s, "elsewhere");
    assert_int_equal(apply(s, NULL, 0, &insert, 1, NULL), EG_EINVAL);
    assert_int_equal(count_page(s, &filter), 0);
}

void conformance_links(store *s) {
    eg_link_row *rows;
    if (!s->registrar.ops->links) return;
    eg_id a = put_fact(s, "a", "x", 0, 0), b = put_fact(s, "b", "x", 0, 1), c = put_fact(s, "c", "x", 0, 2);
    const eg_change set[] = {{.kind = EG_CHANGE_LINK, .link = {c, a, EG_LINK_CONTEXT}},
                             {.kind = EG_CHANGE_LINK, .link = {a, b, EG_LINK_BOTH_VALID}},
                             {.kind = EG_CHANGE_LINK, .link = {b, a, EG_LINK_CORROBORATES}}};
    assert_int_equal(apply(s, NULL, 0, set, 3, NULL), EG_OK);
    assert_int_equal(links_of(s, &a, 1, &rows), 0); /* each stands with its later fact */
    const eg_id later[] = {b, c};
    assert_int_equal(links_of(s, later, 2, &rows), 3);
    assert_true(eg_id_eq(rows[0].fact, a) && eg_id_eq(rows[0].other, b) && rows[0].kind == EG_LINK_CORROBORATES);
    assert_true(eg_id_eq(rows[1].fact, a) && rows[1].kind == EG_LINK_BOTH_VALID);
    assert_true(eg_id_eq(rows[2].fact, a) && eg_id_eq(rows[2].other, c) && rows[2].kind == EG_LINK_CONTEXT);
    work_in(s, "elsewhere");
    assert_int_equal(links_of(s, later, 2, &rows), 0);
}

/* The rows of one moment, whatever is written meanwhile. */
void conformance_snapshots(store *s) {
    const eg_storage_ops *ops = s->registrar.ops;
    eg_storage *live = s->handle, *then = NULL;
    if (!ops->snapshot) return;
    eg_id a = put_fact(s, "a", "x", 0, 0), b = put_fact(s, "b", "x", 0, 1);
    assert_int_equal(ops->snapshot(live, &s->request.rq, &then), EG_OK);
    const eg_change set[] = {{.kind = EG_CHANGE_CLOSE, .close = {.fact = a, .reason = EG_CLOSE_DELETED, .by = EG_STR("eve")}},
                             {.kind = EG_CHANGE_LINK, .link = {b, a, EG_LINK_CONTEXT}},
                             {.kind = EG_CHANGE_SETTING, .setting = {EG_STR("k"), EG_STR("v")}}};
    assert_int_equal(apply(s, NULL, 0, set, 3, NULL), EG_OK);
    put_fact(s, "c", "x", 0, 2);
    const eg_filter filter = ALL_FACTS;
    eg_link_row *rows;
    assert_int_equal(count_page(s, &filter), 2);
    s->handle = then;
    assert_int_equal(count_page(s, &filter), 2);
    assert_int_equal(get_fact(s, a).close_reason, EG_CLOSE_NONE);
    assert_int_equal(links_of(s, &b, 1, &rows), 0);
    assert_int_equal(apply(s, NULL, 0, set + 2, 1, NULL), EG_EREADONLY);
    s->handle = live;
    assert_int_equal(get_fact(s, a).close_reason, EG_CLOSE_DELETED);
    assert_int_equal(links_of(s, &b, 1, &rows), 1);
    ops->close(then);
    assert_int_equal(count_page(s, &filter), 2);
}

static size_t found(store *s, const char *word) {
    eg_filter f = ALL_FACTS;
    f.flags = EG_FILTER_HISTORY;
    const eg_term term = {eg_str_of(word), 1};
    return search_one(s, &f, (eg_search){.kind = EG_SEARCH_TERMS, .limit = 9, .terms = &term, .term_count = 1}).count;
}

/* What the payloads of all audit rows say, one behind the other. */
static void payloads(store *s, char out[200]) {
    eg_audit_row *rows;
    size_t n;
    assert_int_equal(OPS(s, audit, 0, 100, &rows, &n), EG_OK);
    out[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        size_t at = strlen(out);
        snprintf(out + at, 200 - at, "%.*s;", (int)rows[i].payload.len, rows[i].payload.ptr);
    }
}

void conformance_erased(store *s) {
    char said[200];
    eg_audit_row *rows;
    size_t n;
    const eg_id none = {{0}};
    set_clock(s, 1000 * DAY);
    eg_id gone = put_fact(s, "zanzibar", "x", 0, 0), old = put_fact(s, "old zanzibar", "x", 0, 1),
          kept = put_fact(s, "kept", "x", 0, 2);
    eg_conflict c = new_conflict(gone, kept);
    c.explanation = EG_STR("zanzibar is not kept");
    c.span_a = (eg_span){0, 4};
    const eg_change before[] = {{.kind = EG_CHANGE_CONFLICT, .conflict = &c},
                                {.kind = EG_CHANGE_CLOSE, .close = {old, EG_CLOSE_SUPERSEDED, EG_STR("bob")}},
                                {.kind = EG_CHANGE_AUDIT, .audit = {EG_STR("a"), EG_STR("{\"1\":1}"), gone, none}},
                                job_for(gone, EG_JOB_DETECT, "me"),
                                {.kind = EG_CHANGE_AUDIT, .audit = {EG_STR("b"), EG_STR("{\"2\":2}"), kept, none}}};
    eg_applied done;
    assert_int_equal(apply(s, NULL, 0, before, 5, &done), EG_OK);
    /* a row has the windows of what was changed since the row before it in the set */
    assert_int_equal(OPS(s, audit, 0, 10, &rows, &n), EG_OK);
    assert_true(n == 2 && rows[0].window_count == 1 && eg_id_eq(rows[0].windows[0].fact, old) && rows[1].window_count == 0);

    const eg_id ids[] = {gone, old, {{7}}};
    const eg_change set[] = {{.kind = EG_CHANGE_CLOSE, .close = {gone, EG_CLOSE_ERASED, EG_STR("bob")}},
                             {.kind = EG_CHANGE_ERASE, .erase = {ids, 3}},
                             {.kind = EG_CHANGE_AUDIT, .audit = {EG_STR("erase"), EG_STR("{\"3\":3}"), gone, none}}};
    assert_int_equal(found(s, "zanzibar"), 2);
    assert_int_equal(apply(s, NULL, 0, set, 3, &done), EG_OK);
    assert_int_equal(found(s, "zanzibar"), 0);
    assert_int_equal(found(s, "kept"), 1);
    assert_true(!get_fact(s, gone).seq && !get_fact(s, old).seq && get_fact(s, kept).seq);
    eg_filter all = ALL_FACTS;
    all.flags = EG_FILTER_HISTORY | EG_FILTER_EPHEMERAL;
    assert_int_equal(count_page(s, &all), 1);
    eg_conflict now = get_conflict(s, c.id);
    assert_true(eg_str_eq(now.explanation, EG_STR(EG_ERASED_TEXT)) && now.span_a.end == 0);
    eg_job *jobs;
    assert_int_equal(lease(s, "me", 0, 9, &jobs), 0);
    payloads(s, said); /* the first row was about it, and closed the other one */
    assert_string_equal(said, ";{\"2\":2};{\"3\":3};");
    assert_int_equal(s->registrar.ops->audit_verify(s->handle, &s->request.rq), EG_OK);
    assert_int_equal(OPS(s, check, EG_STORAGE_CHECK_DEEP), EG_OK);
    /* of another workspace it erases nothing */
    assert_int_equal(OPS(s, audit, 0, 10, &rows, &n), EG_OK);
    const int64_t second = rows[1].id;
    work_in(s, "elsewhere");
    const eg_change other = {.kind = EG_CHANGE_ERASE, .erase = {&kept, 1, &second, 1}};
    assert_int_equal(apply(s, NULL, 0, &other, 1, NULL), EG_OK);
    work_in(s, "local");
    assert_true(get_fact(s, kept).seq);
    payloads(s, said);
    assert_string_equal(said, ";{\"2\":2};{\"3\":3};");
    /* records that are named go too */
    const eg_change named = {.kind = EG_CHANGE_ERASE, .erase = {ids, 1, &second, 1}};
    assert_int_equal(apply(s, NULL, 0, &named, 1, NULL), EG_OK);
    payloads(s, said);
    assert_string_equal(said, ";;;");
    eg_purged purged;
    if (s->registrar.ops->purge) assert_int_equal(OPS(s, purge, &purged), EG_OK);
    assert_int_equal(found(s, "kept"), 1);
}
