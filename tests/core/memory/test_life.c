/* test_life.c - facts in the course of time: listing them, and what contradicted them. */
#include "core/memory/state.h"
#include "fixture.h"

static eg_listing list(fixture *f, eg_list_args args) {
    eg_listing listing;
    if (f->ops->list(f->memory, f->rq, &args, &listing) != EG_OK) fail_msg("%s", f->rq->err->text);
    return listing;
}

static void refuses_list(fixture *f, eg_list_args args, const char *why) {
    eg_listing listing;
    assert_int_equal(f->ops->list(f->memory, f->rq, &args, &listing), EG_EINVAL);
    assert_non_null(strstr(f->rq->err->text, why));
}

static int is(eg_fact f, const char *content) { return eg_str_eq(f.content, eg_str_of(content)); }

/* The newest first, page by page; closed ones only where they are asked for. */
static void facts_are_listed(void **state) {
    (void)state;
    WITH(f, 0);
    commit_as(&f, "alice", "auth", "First fact.");
    eg_receipt second = commit_as(&f, "bob", "auth/jwt", "Second fact.");
    int64_t then = f.now;
    f.now += EG_DAY;
    commit_as(&f, "alice", "billing", "Third fact.");
    correct(&f, second.fact, EG_OP_UPDATE, "Second fact, mended.");
    eg_list_args args = EG_LIST_DEFAULTS;
    eg_listing l = list(&f, args);
    assert_true(l.count == 3 && !l.cursor && is(l.facts[0], "Second fact, mended.") && is(l.facts[2], "First fact."));
    args.limit = 2;
    l = list(&f, args);
    assert_true(l.count == 2 && l.cursor && is(l.facts[1], "Third fact."));
    args.cursor = l.cursor;
    l = list(&f, args);
    assert_true(l.count == 1 && !l.cursor && is(l.facts[0], "First fact."));
    args = (eg_list_args)EG_LIST_DEFAULTS;
    args.flags = EG_LIST_ALL;
    assert_int_equal(list(&f, args).count, 4);
    args.as_of = then; /* what was known then, and only that */
    assert_int_equal(list(&f, args).count, 2);
    args = (eg_list_args)EG_LIST_DEFAULTS;
    args.since = then + 1;
    l = list(&f, args);
    assert_true(l.count == 2 && is(l.facts[1], "Third fact."));
    args = (eg_list_args)EG_LIST_DEFAULTS;
    args.agent_id = EG_STR("alice");
    args.scope = EG_STR("/");
    assert_int_equal(list(&f, args).count, 2);
    args.scope = EG_STR("auth");
    assert_int_equal(list(&f, args).count, 1);
    args = (eg_list_args)EG_LIST_DEFAULTS;
    args.fact_type = EG_FACT_DECISION;
    assert_int_equal(list(&f, args).count, 0);
    args.limit = EG_MAX_LISTED + 1;
    refuses_list(&f, args, "limit is 501: give 1 to 500");
    args = (eg_list_args)EG_LIST_DEFAULTS;
    args.cursor = -1;
    refuses_list(&f, args, "cursor");
    fixture_close(&f);
}

/* What ends soon, the soonest first, ephemeral ones too; what is over or never ends is not told. */
static void what_ends_soon(void **state) {
    (void)state;
    WITH(f, 0);
    commit_for(&f, "a", 9, "Kept nine days.");
    commit_for(&f, "a", 5, "Kept five days.");
    commit_for(&f, "a", 0, "Kept for ever.");
    eg_commit_args note = EG_COMMIT_DEFAULTS;
    note.content = EG_STR("A working note.");
    note.durability = EG_DURABILITY_EPHEMERAL;
    commit_args(&f, note);
    eg_list_args args = EG_LIST_DEFAULTS;
    args.ends_within = 6 * EG_DAY;
    eg_listing l = list(&f, args);
    assert_true(l.count == 2 && is(l.facts[0], "A working note.") && is(l.facts[1], "Kept five days."));
    args.limit = 1;
    assert_true(is(list(&f, args).facts[0], "A working note."));
    args.limit = 0;
    args.ends_within = INT64_MAX; /* all that have an end */
    assert_int_equal(list(&f, args).count, 3);
    f.now += 6 * EG_DAY;
    l = list(&f, args);
    assert_true(l.count == 1 && is(l.facts[0], "Kept nine days."));
    args.flags = EG_LIST_ALL;
    refuses_list(&f, args, "leave the others out");
    fixture_close(&f);
}

/* Open and settled conflicts of some facts, each once. */
static void conflicts_of_facts(void **state) {
    (void)state;
    WITH(f, 1);
    eg_receipt a = commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
    eg_receipt other = commit_as(&f, "agent-b", "docs", "Documents are written in English.");
    const eg_id both[] = {a.fact.id, b.fact.id};
    eg_conflict_view *views;
    size_t n;
    assert_int_equal(f.ops->conflicts_about(f.memory, f.rq, both, 2, &views, &n), EG_OK);
    assert_true(n == 1 && views[0].conflict.status == EG_CONFLICT_OPEN);
    settle(&f, views[0].conflict.id, EG_RESOLUTION_WINNER, a.fact.id);
    assert_int_equal(f.ops->conflicts_about(f.memory, f.rq, both + 1, 1, &views, &n), EG_OK);
    assert_true(n == 1 && views[0].conflict.status == EG_CONFLICT_RESOLVED &&
                is(views[0].a, "The auth service runs on port 8080."));
    const eg_id none[] = {other.fact.id, other.fact.lineage_id};
    assert_int_equal(f.ops->conflicts_about(f.memory, f.rq, none, 2, &views, &n), EG_OK);
    assert_int_equal(n, 0);
    fixture_close(&f);
}

/* An id may be cut at either side; several that fit are named. */
static void ids_are_shortened(void **state) {
    (void)state;
    WITH(f, 0);
    eg_receipt a = commit_as(&f, "a", "x", "One."), b = commit_as(&f, "a", "x", "Two.");
    char one[EG_ID_TEXT], two[EG_ID_TEXT];
    eg_id_format(a.fact.id, one);
    eg_id_format(b.fact.id, two);
    eg_fact *facts;
    size_t n, same = 0;
    while (one[same] == two[same]) same++;
    const size_t whole = EG_ID_TEXT - 1;
    for (size_t len = same + 1; len <= whole; len++) {
        if (len < 4 || (len >= 4 && len <= 12)) continue; /* these may be ends as well */
        assert_int_equal(f.ops->lineage(f.memory, f.rq, (eg_str){two, len}, &facts, &n), EG_OK);
        assert_true(n == 1 && eg_id_eq(facts[0].id, b.fact.id));
    }
    assert_int_equal(f.ops->lineage(f.memory, f.rq, (eg_str){two + whole - 12, 12}, &facts, &n), EG_OK);
    assert_true(eg_id_eq(facts[0].id, b.fact.id));
    if (same >= 4) {
        assert_int_equal(f.ops->lineage(f.memory, f.rq, (eg_str){one, same}, &facts, &n), EG_EINVAL);
        assert_non_null(strstr(f.rq->err->text, one));
        assert_non_null(strstr(f.rq->err->text, two));
    }
    static const char *const wrong[] = {"",    "123", "12345-", "0123456789abcdefg", "01234567-0123-0123-0123-0123456789abc",
                                        "zzzz"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(f.ops->lineage(f.memory, f.rq, eg_str_of(wrong[i]), &facts, &n), EG_EINVAL);
        assert_non_null(strstr(f.rq->err->text, "is not a valid id"));
    }
    fixture_close(&f);
}

/* An update or a deletion of exactly one fact is refused where that has another version. */
static void exact_corrections(void **state) {
    (void)state;
    WITH(f, 0);
    eg_receipt first = commit_as(&f, "a", "x", "Vouchers hold 24 months."), out;
    eg_receipt second = correct(&f, first.fact, EG_OP_UPDATE, "Vouchers hold 12 months.");
    char old[EG_ID_TEXT], new[EG_ID_TEXT];
    eg_id_format(first.fact.id, old);
    eg_id_format(second.fact.id, new);
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.flags = EG_COMMIT_EXACT;
    args.content = EG_STR("Vouchers hold 6 months.");
    args.scope = EG_STR("x");
    for (uint32_t operation = EG_OP_UPDATE; operation <= EG_OP_DELETE; operation++) {
        args.operation = operation;
        args.corrects_lineage = eg_str_of(old);
        assert_int_equal(f.ops->commit(f.memory, f.rq, &args, &out), EG_EINVAL);
        assert_non_null(strstr(f.rq->err->text, new)); /* which one it should be */
        assert_non_null(strstr(f.rq->err->text, "(\"Vouchers hold 12 months.\")"));
        assert_int_equal(current_of(&f, second.fact.lineage_id), 1);
    }
    args.corrects_lineage = eg_str_of(new + 28);
    assert_int_equal(f.ops->commit(f.memory, f.rq, &args, &out), EG_OK);
    assert_true(out.operation == EG_OP_DELETE && eg_id_eq(out.fact.id, second.fact.id));
    assert_int_equal(f.ops->commit(f.memory, f.rq, &args, &out), EG_EINVAL);
    assert_non_null(strstr(f.rq->err->text, "no version of it is current"));
    args.flags = 1u << 31;
    assert_int_equal(f.ops->commit(f.memory, f.rq, &args, &out), EG_EUNSUPPORTED);
    fixture_close(&f);
}

/* The reason of a deletion stands in the audit log, and with the conflicts that end by it. */
static void a_deletion_has_its_reason(void **state) {
    (void)state;
    WITH(f, 1);
    commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090."), out;
    assert_int_equal(b.conflict_count, 1);
    char id[EG_ID_TEXT];
    eg_id_format(b.fact.id, id);
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.operation = EG_OP_DELETE;
    args.corrects_lineage = eg_str_of(id);
    args.reason = EG_STR("read from an \"old\" file");
    assert_int_equal(f.ops->commit(f.memory, f.rq, &args, &out), EG_OK);
    eg_conflict_view *views;
    eg_audit_row *rows;
    size_t n;
    assert_int_equal(f.ops->conflicts_about(f.memory, f.rq, &b.fact.id, 1, &views, &n), EG_OK);
    assert_true(n == 1 && eg_str_eq(views[0].conflict.resolution, EG_STR("the fact was deleted: read from an \"old\" file")));
    assert_int_equal(f.memory->env.storage_ops->audit(f.storage, f.rq, out.undo_id - 1, 1, &rows, &n), EG_OK);
    assert_true(n == 1 && eg_str_eq(rows[0].payload, EG_STR("{\"reason\":\"read from an \\\"old\\\" file\"}")));
    undo(&f, out.undo_id);
    assert_int_equal(open_conflicts(&f, &views), 1);
    fixture_close(&f);
}

static eg_timeline timeline(fixture *f, eg_timeline_args args) {
    eg_timeline t;
    args.size = sizeof args;
    if (f->ops->timeline(f->memory, f->rq, &args, &t) != EG_OK) fail_msg("%s", f->rq->err->text);
    return t;
}

static eg_diff diff(fixture *f, int64_t from, int64_t to) {
    eg_diff d;
    if (f->ops->diff(f->memory, f->rq, (eg_str){0}, from, to, &d) != EG_OK) fail_msg("%s", f->rq->err->text);
    return d;
}

/* Each step of a fact's life is told once, the latest first, page by page; what was undone is
 * not. */
static void what_happened(void **state) {
    (void)state;
    WITH(f, 1);
    eg_receipt a = commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    f.now += EG_SECOND;
    eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
    f.now += EG_SECOND;
    eg_receipt c = correct(&f, a.fact, EG_OP_UPDATE, "The auth service runs on port 8081.");
    f.now += EG_SECOND;
    eg_receipt gone = correct(&f, b.fact, EG_OP_DELETE, "");
    f.now += EG_SECOND;
    eg_timeline t = timeline(&f, (eg_timeline_args){0});
    assert_true(t.count >= 5 && !t.cursor.len);
    size_t changed = 0, found = 0, settled = 0, closed = 0;
    for (size_t i = 0; i < t.count; i++) {
        const eg_moment *x = &t.moments[i];
        assert_true((x->fact != NULL) != (x->conflict != NULL) && (i == 0 || x->time <= t.moments[i - 1].time));
        if (x->before) {
            changed++;
            assert_true(eg_id_eq(x->fact->id, c.fact.id) && eg_id_eq(x->before->id, a.fact.id));
        }
        found += x->kind == EG_EVENT_FOUND;
        settled += x->kind == EG_EVENT_SETTLED;
        closed += x->kind == EG_EVENT_CLOSED && eg_id_eq(x->fact->id, b.fact.id);
        /* that is the change */
        assert_false(x->kind == EG_EVENT_CLOSED && eg_id_eq(x->fact->id, a.fact.id));
    }
    assert_true(changed == 1 && found == settled && found >= 1 && closed == 1);
    size_t paged = 0;
    eg_timeline_args args = {.limit = 2};
    do {
        eg_timeline page = timeline(&f, args);
        for (size_t i = 0; i < page.count; i++, paged++)
            assert_true(page.moments[i].time == t.moments[paged].time && page.moments[i].kind == t.moments[paged].kind);
        args.cursor = page.cursor;
    } while (args.cursor.len);
    assert_int_equal(paged, t.count);
    undo(&f, gone.undo_id);
    t = timeline(&f, (eg_timeline_args){.limit = 1});
    assert_true(t.moments[0].kind == EG_EVENT_STORED && eg_id_eq(t.moments[0].before->id, b.fact.id));
    static const char *const wrong[] = {"x", "1", "1.2", "1.2.3x", "-1.0.0", "0.0.0"};
    eg_timeline out;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const eg_timeline_args odd = {.size = sizeof odd, .cursor = eg_str_of(wrong[i])};
        assert_int_equal(f.ops->timeline(f.memory, f.rq, &odd, &out), EG_EINVAL);
    }
    const eg_timeline_args exchanged = {.size = sizeof exchanged, .since = 2, .until = 1};
    assert_int_equal(f.ops->timeline(f.memory, f.rq, &exchanged, &out), EG_EINVAL);
    fixture_close(&f);
}

/* What is the same at both times is not told, whatever happened in between. */
static void the_net_effect(void **state) {
    (void)state;
    WITH(f, 0);
    eg_receipt kept = commit_as(&f, "a", "x", "Kept as it is."), changed = commit_as(&f, "a", "x", "Changed once.");
    eg_receipt dropped = commit_as(&f, "a", "x", "Dropped later."), back = commit_as(&f, "a", "x", "Dropped and brought back.");
    commit_for(&f, "a", 1, "Kept for a day.");
    int64_t from = f.now;
    f.now += EG_SECOND;
    commit_as(&f, "a", "y", "Added later.");
    eg_receipt passing = commit_as(&f, "a", "y", "Added and closed again.");
    eg_receipt twice = correct(&f, changed.fact, EG_OP_UPDATE, "Changed twice.");
    correct(&f, dropped.fact, EG_OP_DELETE, "");
    f.now += EG_SECOND;
    correct(&f, twice.fact, EG_OP_UPDATE, "Changed for good.");
    correct(&f, passing.fact, EG_OP_DELETE, "");
    undo(&f, correct(&f, back.fact, EG_OP_DELETE, "").undo_id);
    int64_t to = f.now;
    f.now += EG_SECOND;
    correct(&f, kept.fact, EG_OP_UPDATE, "Changed after that.");
    eg_diff d = diff(&f, from, to);
    assert_int_equal(d.count, 3);
    for (size_t i = 0; i < d.count; i++) {
        const eg_fact_change *c = &d.changes[i];
        if (c->before && c->after) assert_true(is(*c->before, "Changed once.") && is(*c->after, "Changed for good."));
        else assert_true(c->after ? is(*c->after, "Added later.") : is(*c->before, "Dropped later."));
    }
    assert_int_equal(diff(&f, to, to).count, 0);
    assert_int_equal(diff(&f, to, 0).count, 1);
    f.now += EG_DAY; /* what runs out by itself is closed as well */
    assert_int_equal(diff(&f, from, 0).count, 5);
    eg_diff out;
    assert_int_equal(f.ops->diff(f.memory, f.rq, (eg_str){0}, to, from, &out), EG_EINVAL);
    assert_int_equal(f.ops->diff(f.memory, f.rq, (eg_str){0}, f.now + EG_DAY, 0, &out), EG_EINVAL);
    assert_int_equal(f.ops->diff(f.memory, f.rq, (eg_str){0}, INT64_MAX, INT64_MAX, &out), EG_EINVAL);
    fixture_close(&f);
}

static eg_str id_text(eg_id id, char text[EG_ID_TEXT]) {
    eg_id_format(id, text);
    return eg_str_of(text);
}

static eg_fact pin(fixture *f, eg_id id, int pinned) {
    char text[EG_ID_TEXT];
    eg_fact out;
    if (f->ops->pin(f->memory, f->rq, id_text(id, text), pinned, &out) != EG_OK) fail_msg("%s", f->rq->err->text);
    return out;
}

/* A pinned fact has no end, ranks before its equals, and what replaces it is pinned. */
static void pinned_facts(void **state) {
    (void)state;
    WITH(f, 1);
    char text[EG_ID_TEXT];
    eg_receipt old = commit_for(&f, "a", 3, "The gateway limits uploads to 20 MB.");
    f.now += EG_DAY;
    eg_receipt new = commit_as(&f, "a", "edge", "The gateway limits uploads to 20 MB.");
    eg_hits hits = query(&f, "gateway upload limits");
    assert_true(hits.count == 2 && eg_id_eq(hits.hits[0].fact.id, new.fact.id)); /* the newer one */
    eg_fact fact = pin(&f, old.fact.id, 1);
    assert_true(fact.marks == EG_MARK_PINNED && fact.valid_until == EG_FOREVER && !fact.ttl_days);
    hits = query(&f, "gateway upload limits");
    assert_true(eg_id_eq(hits.hits[0].fact.id, old.fact.id));
    assert_non_null(strstr(hits.hits[0].why.ptr, "pinned"));
    f.now += 9 * EG_DAY;
    assert_int_equal(current_of(&f, old.fact.lineage_id), 1); /* it had three days */
    int64_t seq = fact.seq;
    assert_true(pin(&f, old.fact.id, 1).seq == seq); /* once more: nothing happens */
    eg_receipt next = correct(&f, fact, EG_OP_UPDATE, "The gateway limits uploads to 25 MB.");
    assert_int_equal(next.fact.marks, EG_MARK_PINNED);
    eg_fact out;
    assert_int_equal(f.ops->pin(f.memory, f.rq, id_text(old.fact.id, text), 1, &out), EG_EINVAL);
    assert_non_null(strstr(f.rq->err->text, "is not current: it was superseded"));
    fact = pin(&f, next.fact.id, 0);
    assert_true(fact.marks == 0 && fact.valid_until == EG_FOREVER);

    eg_commit_args note = EG_COMMIT_DEFAULTS; /* a working note becomes durable, and is compared */
    note.content = EG_STR("A working note.");
    note.durability = EG_DURABILITY_EPHEMERAL;
    fact = pin(&f, commit_args(&f, note).fact.id, 1);
    assert_true(fact.durability == EG_DURABILITY_DURABLE && fact.valid_until == EG_FOREVER);
    work(&f);
    fixture_close(&f);
}

/* A working note that a query asks for comes behind what is known, however well it matches. */
static void ephemeral_facts_come_last(void **state) {
    (void)state;
    WITH(f, 1);
    char text[EG_ID_TEXT];
    eg_commit_args note = EG_COMMIT_DEFAULTS;
    note.content = EG_STR("The flaky build passes when the cache is warm.");
    note.durability = EG_DURABILITY_EPHEMERAL;
    eg_receipt r = commit_args(&f, note);
    commit_as(&f, "a", "ci", "The flaky build passes when the cache is warm and empty.");
    eg_query_args q = EG_QUERY_DEFAULTS;
    q.topic = note.content;
    q.include_ephemeral = 1;
    eg_hits hits;
    assert_int_equal(f.ops->query(f.memory, f.rq, &q, &hits), EG_OK);
    assert_true(hits.count == 2 && eg_id_eq(hits.hits[1].fact.id, r.fact.id));
    assert_true(hits.hits[0].relevance > hits.hits[1].relevance);
    assert_non_null(strstr(hits.hits[1].why.ptr, "ephemeral"));
    eg_fact fact;
    assert_int_equal(f.ops->promote(f.memory, f.rq, id_text(r.fact.id, text), &fact), EG_OK);
    assert_int_equal(fact.durability, EG_DURABILITY_DURABLE);
    assert_int_equal(f.ops->query(f.memory, f.rq, &q, &hits), EG_OK);
    assert_true(eg_id_eq(hits.hits[0].fact.id, r.fact.id));
    /* one that is over cannot become durable any more */
    note.content = EG_STR("Another note.");
    r = commit_args(&f, note);
    f.now += 2 * EG_DAY;
    assert_int_equal(f.ops->promote(f.memory, f.rq, id_text(r.fact.id, text), &fact), EG_EINVAL);
    assert_non_null(strstr(f.rq->err->text, "it has expired"));
    fixture_close(&f);
}

/* An archived fact is closed and can be brought back, with the conflicts that ended by that. */
static void archived_facts(void **state) {
    (void)state;
    WITH(f, 1);
    char text[EG_ID_TEXT];
    commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
    eg_conflict_view *views;
    eg_undone out, back;
    assert_int_equal(open_conflicts(&f, &views), 1);
    f.now += EG_SECOND;
    assert_int_equal(f.ops->archive(f.memory, f.rq, id_text(b.fact.id, text), EG_STR("old"), &out), EG_OK);
    assert_true(out.closed_count == 1 && out.closed[0].close_reason == EG_CLOSE_ARCHIVED && out.undo_id);
    assert_int_equal(open_conflicts(&f, &views), 0);
    assert_int_equal(query(&f, "auth service port").count, 1);
    assert_int_equal(f.ops->archive(f.memory, f.rq, eg_str_of(text), (eg_str){0}, &out), EG_EINVAL);
    assert_non_null(strstr(f.rq->err->text, "it was archived"));
    f.now += EG_SECOND;
    assert_int_equal(f.ops->restore(f.memory, f.rq, eg_str_of(text), &back), EG_OK);
    assert_true(back.restored_count == 1 && eg_id_eq(back.restored[0].lineage_id, b.fact.lineage_id) && back.undo_id);
    assert_int_equal(open_conflicts(&f, &views), 1);
    assert_int_equal(query(&f, "auth service port").count, 2);
    assert_int_equal(f.ops->restore(f.memory, f.rq, id_text(back.restored[0].id, text), &out), EG_EINVAL);
    assert_non_null(strstr(f.rq->err->text, "there is nothing to restore"));
    assert_int_equal(f.ops->restore(f.memory, f.rq, id_text(b.fact.id, text), &out), EG_EINVAL);
    assert_non_null(strstr(f.rq->err->text, "it cannot be restored: an equal fact is current"));
    f.now += EG_SECOND;
    undo(&f, back.undo_id); /* as archived as before */
    assert_int_equal(query(&f, "auth service port").count, 1);
    fixture_close(&f);
}

/* What has expired comes back with its time to live anew; an earlier version not beside a
 * current one. */
static void expired_facts_come_back(void **state) {
    (void)state;
    WITH(f, 0);
    char text[EG_ID_TEXT];
    eg_undone out;
    eg_receipt a = commit_for(&f, "a", 2, "Kept for two days.");
    f.now += 3 * EG_DAY;
    assert_int_equal(f.ops->restore(f.memory, f.rq, id_text(a.fact.id, text), &out), EG_OK);
    assert_true(out.restored[0].valid_until == f.now + 2 * EG_DAY);
    eg_receipt b = correct(&f, out.restored[0], EG_OP_UPDATE, "Kept for good.");
    assert_true(b.operation == EG_OP_UPDATE);
    assert_int_equal(f.ops->restore(f.memory, f.rq, id_text(a.fact.id, text), &out), EG_EINVAL);
    assert_non_null(strstr(f.rq->err->text, "another version of it is current"));
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_are_listed),   cmocka_unit_test(what_ends_soon),
        cmocka_unit_test(conflicts_of_facts), cmocka_unit_test(ids_are_shortened),
        cmocka_unit_test(exact_corrections),  cmocka_unit_test(a_deletion_has_its_reason),
        cmocka_unit_test(what_happened),      cmocka_unit_test(the_net_effect),
        cmocka_unit_test(pinned_facts),       cmocka_unit_test(ephemeral_facts_come_last),
        cmocka_unit_test(archived_facts),     cmocka_unit_test(expired_facts_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
