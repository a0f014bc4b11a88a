/* test_store.c - the memory and its store: what happens when a read fails, how often it reads,
 * and that the workspaces of one process are kept apart. */
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
static eg_status fail_feedback(eg_storage *store, eg_request *rq, eg_feedback_row **out, size_t *n) {
    outer.feedback_reads++;
    if (outer.broken) return eg_request_fail(rq, EG_EIO, "no feedback on purpose");
    return outer.real->feedback(store, rq, out, n);
}
static eg_status fail_parts(eg_storage *store, eg_request *rq, const eg_parts_args *args, eg_fact_parts **out, int64_t *now) {
    if (outer.broken) return eg_request_fail(rq, EG_EIO, "no facts on purpose");
    return outer.real->parts(store, rq, args, out, now);
}

static void wrap(fixture *f) {
    outer.real = f->memory->env.storage_ops;
    outer.ops = *outer.real;
    outer.broken = outer.feedback_reads = 0;
    f->memory->env.storage_ops = &outer.ops;
}

/* Every call counts as a round trip to a store that is far away. */
static int trips;
static size_t candidates; /* that a detection asked about */
#define COUNTED(name, parameters, arguments)     \
    static eg_status counted_##name parameters { \
        trips++;                                 \
        return outer.real->name arguments;       \
    }
COUNTED(apply, (eg_storage * s, eg_request *rq, const eg_change_set *set, eg_applied *out), (s, rq, set, out))
static eg_status counted_parts(eg_storage *s, eg_request *rq, const eg_parts_args *args, eg_fact_parts **out, int64_t *now) {
    trips++;
    if (args->flags & EG_PARTS_PAIRS) candidates += args->count;
    return outer.real->parts(s, rq, args, out, now);
}
COUNTED(search, (eg_storage * s, eg_request *rq, const eg_filter *f, const eg_search *x, size_t n, eg_scored_list *out),
        (s, rq, f, x, n, out))
COUNTED(page, (eg_storage * s, eg_request *rq, const eg_filter *f, int64_t after, uint32_t limit, eg_fact **out, size_t *n),
        (s, rq, f, after, limit, out, n))
COUNTED(lineage, (eg_storage * s, eg_request *rq, eg_id id, uint32_t limit, eg_fact **out, size_t *n), (s, rq, id, limit, out, n))
COUNTED(current_by_hash, (eg_storage * s, eg_request *rq, eg_str scope, const uint8_t hash[32], eg_fact *out),
        (s, rq, scope, hash, out))
COUNTED(ids_by_suffix, (eg_storage * s, eg_request *rq, eg_str suffix, eg_id *out, size_t most, size_t *n),
        (s, rq, suffix, out, most, n))
COUNTED(conflicts, (eg_storage * s, eg_request *rq, const eg_conflict_filter *f, eg_conflict **out, size_t *n),
        (s, rq, f, out, n))
COUNTED(setting, (eg_storage * s, eg_request *rq, eg_str key, eg_str *out), (s, rq, key, out))
COUNTED(feedback, (eg_storage * s, eg_request *rq, eg_feedback_row **out, size_t *n), (s, rq, out, n))
COUNTED(audit, (eg_storage * s, eg_request *rq, int64_t after, uint32_t limit, eg_audit_row **out, size_t *n),
        (s, rq, after, limit, out, n))
COUNTED(audit_verify, (eg_storage * s, eg_request *rq), (s, rq))
COUNTED(unembedded,
        (eg_storage * s, eg_request *rq, eg_str model, int64_t after, uint32_t limit, eg_fact **out, size_t *n, uint64_t *all),
        (s, rq, model, after, limit, out, n, all))
COUNTED(changes_since, (eg_storage * s, eg_request *rq, int64_t since, uint32_t limit, eg_journal_row **out, size_t *n),
        (s, rq, since, limit, out, n))
COUNTED(workspaces, (eg_storage * s, eg_request *rq, int64_t sum, int64_t deadline, eg_workspace_row **out, size_t *n),
        (s, rq, sum, deadline, out, n))
COUNTED(stats, (eg_storage * s, eg_request *rq, uint32_t flags, eg_store_stats *out), (s, rq, flags, out))
COUNTED(now, (eg_storage * s, eg_request *rq, int64_t *out), (s, rq, out))
COUNTED(wait, (eg_storage * s, eg_request *rq, int64_t since, int64_t deadline, int64_t *seq), (s, rq, since, deadline, seq))
COUNTED(lease, (eg_storage * s, eg_request *rq, const eg_lease_args *args, eg_job **out, size_t *n), (s, rq, args, out, n))
COUNTED(count_hits, (eg_storage * s, eg_request *rq, const eg_id *ids, size_t n), (s, rq, ids, n))

static void count_trips(fixture *f) {
    wrap(f);
    outer.ops = (eg_storage_ops){.size = outer.real->size,
                                 .name = outer.real->name,
                                 .open = outer.real->open,
                                 .close = outer.real->close,
                                 .apply = counted_apply,
                                 .parts = counted_parts,
                                 .search = counted_search,
                                 .page = counted_page,
                                 .lineage = counted_lineage,
                                 .current_by_hash = counted_current_by_hash,
                                 .ids_by_suffix = counted_ids_by_suffix,
                                 .conflicts = counted_conflicts,
                                 .setting = counted_setting,
                                 .feedback = counted_feedback,
                                 .audit = counted_audit,
                                 .audit_verify = counted_audit_verify,
                                 .unembedded = counted_unembedded,
                                 .changes_since = counted_changes_since,
                                 .stats = counted_stats,
                                 .now = counted_now,
                                 .wait = counted_wait,
                                 .workspaces = counted_workspaces,
                                 .lease = counted_lease,
                                 .count_hits = counted_count_hits};
    trips = 0;
    candidates = 0;
}

static void took_at_most(int most, const char *what) {
    print_message("%s: %d round trips\n", what, trips);
    if (trips < 1 || trips > most) fail_msg("%s took %d round trips; at most %d are allowed", what, trips, most);
    trips = 0;
    candidates = 0;
}

static eg_status query_status(fixture *f, const char *topic) {
    eg_query_args args = EG_QUERY_DEFAULTS;
    args.topic = eg_str_of(topic);
    eg_hits hits;
    *f->rq->err = (eg_error){0};
    return f->ops->query(f->memory, f->rq, &args, &hits);
}

/* A store that cannot tell its time is an error of the operation: the local clock may say
 * otherwise. What needs no time works. */
static void a_store_without_time_is_an_error(void **state) {
    (void)state;
    WITH(f, 1);
    wrap(&f);
    outer.ops.now = fail_now;
    eg_receipt limited = commit_for(&f, "agent-a", 7, "The cluster is frozen for the audit.");
    char lineage[EG_ID_TEXT];
    eg_id_format(limited.fact.lineage_id, lineage);
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("The cluster is open again.");
    args.scope = EG_STR("auth");
    args.corrects_lineage = eg_str_of(lineage);
    eg_receipt r;
    eg_undone undone;
    outer.broken = 1;
    assert_int_equal(f.ops->commit(f.memory, f.rq, &args, &r), EG_EIO);
    assert_string_equal(f.rq->err->text, "no time on purpose");
    assert_int_equal(f.ops->undo(f.memory, f.rq, limited.undo_id, &undone), EG_EIO);
    assert_int_equal(current_of(&f, limited.fact.lineage_id), 1); /* nothing was done */
    commit_as(&f, "agent-a", "auth", "The auth service logs to the journal.");
    outer.broken = 0;
    assert_int_equal(f.ops->commit(f.memory, f.rq, &args, &r), EG_OK);
    assert_int_equal(current_of(&f, limited.fact.lineage_id), 1);
    fixture_close(&f);
}

/* The parts of facts, their agents' trust among them, decide what a query answers and who wins:
 * no answer is made up without. */
static void parts_that_cannot_be_read_are_an_error(void **state) {
    (void)state;
    WITH(f, 1);
    eg_receipt a = commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
    settling_ids ids;
    const eg_resolve_args args = settling(&ids, b.conflicts[0].conflict.id, EG_RESOLUTION_WINNER, a.fact.id);
    eg_resolved done;
    wrap(&f);
    outer.ops.parts = fail_parts;
    outer.broken = 1;
    assert_int_equal(query_status(&f, "auth port"), EG_EIO);
    assert_string_equal(f.rq->err->text, "no facts on purpose");
    assert_int_equal(f.ops->resolve(f.memory, f.rq, &args, &done), EG_EIO);
    outer.broken = 0;
    assert_int_equal(query_status(&f, "auth port"), EG_OK);
    assert_int_equal(open_conflicts(&f, NULL), 1);
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
    /* 0.82 counts no more */
    for (size_t i = 0; i < n; i++) settle(&f, views[i].conflict.id, EG_RESOLUTION_DISMISS, (eg_id){{0}});

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

/* All pairs of a job, and all statements of a check, are judged by thresholds that were read
 * once. */
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

#define ABOUT_ALL(port)                                                                                \
    "The auth service runs on port " #port ". The billing service rate limit is 7000 req/s. The mail " \
    "worker retry delay is 7000 seconds. The search cluster has 7000 nodes. The cache timeout is 7000 minutes."

/* Facts about five things, each in conflict with the others about the same thing. */
static eg_receipt fill_with_conflicts(fixture *f) {
    static const char *const about[] = {"The auth service runs on port %d.", "The billing service rate limit is %d req/s.",
                                        "The mail worker retry delay is %d seconds.", "The search cluster has %d nodes.",
                                        "The cache timeout is %d minutes."};
    eg_receipt last = {0};
    for (int i = 0; i < 75; i++) {
        char text[100], agent[20];
        snprintf(text, sizeof text, about[i % 5], 8000 + i);
        snprintf(agent, sizeof agent, "agent-%d", i);
        last = commit_as(f, agent, "auth", text);
        assert_true(i < 5 || last.conflict_count >= 1);
    }
    return last;
}

/* A query and a commit with its verdict need few round trips, however many facts and conflicts
 * they are about. */
static void few_round_trips_are_needed(void **state) {
    (void)state;
    WITH(f, 1);
    char id[EG_ID_TEXT];
    eg_id_format(fill_with_conflicts(&f).fact.lineage_id, id);
    count_trips(&f);
    eg_hits hits = query(&f, "which port does the auth service run on");
    assert_int_equal(hits.count, 10);
    for (size_t i = 0; i < hits.count; i++) assert_true(hits.hits[i].open_conflict_count >= 10);
    took_at_most(4, "a query");

    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.scope = EG_STR("auth");
    args.content = EG_STR(ABOUT_ALL(9000));
    eg_receipt r = commit_args(&f, args);
    assert_true(r.detection_done && r.conflict_count >= 10 && candidates >= EG_MAX_CANDIDATES);
    took_at_most(8, "a commit with its verdict");
    args.content = EG_STR(ABOUT_ALL(9001));
    args.corrects_lineage = eg_str_of(id + 28);
    r = commit_args(&f, args);
    assert_true(r.detection_done && r.operation == EG_OP_UPDATE && r.conflict_count >= 10 && candidates >= EG_MAX_CANDIDATES);
    took_at_most(8, "a correction by an abbreviated id");
    args.content = EG_STR(ABOUT_ALL(9002) " It was 9001.");
    args.corrects_lineage = (eg_str){0};
    args.operation = EG_OP_UPDATE;
    f.contradicts = "auth service";
    r = commit_args(&f, args);
    assert_true(r.detection_done && r.operation == EG_OP_UPDATE && r.conflict_count >= 10 && candidates >= EG_MAX_CANDIDATES);
    took_at_most(8, "an update that looks for what it replaces");
    args.operation = EG_OP_ADD;
    assert_true(commit_args(&f, args).duplicate);
    took_at_most(8, "a duplicate");
    fixture_close(&f);
}

/* What a receipt tells without reading it back is what the store has. */
static void receipts_tell_what_is_stored(void **state) {
    (void)state;
    WITH(f, 1);
    f.nli_word = "zebra";
    f.nli_score = 0.9;
    commit_as(&f, "agent-a", "zoo", "Every zebra of the herd sleeps in the barn.");
    commit_as(&f, "agent-b", "zoo", "The keeper comes at noon.");
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("No zebra of the herd sleeps anywhere.");
    args.scope = EG_STR("zoo");
    args.engineer = EG_STR("kim");
    args.ttl_days = 7;
    eg_receipt told = commit_args(&f, args), known = commit_args(&f, args);
    assert_true(known.duplicate && told.conflict_count == 1 && known.conflict_count == 1);
    const eg_conflict_view *a = &told.conflicts[0], *b = &known.conflicts[0];
    const eg_fact *pairs[][2] = {{&a->a, &b->a}, {&a->b, &b->b}, {&told.fact, &b->b}};
    for (size_t i = 0; i < 3; i++) {
        const eg_fact *x = pairs[i][0], *y = pairs[i][1];
        assert_true(eg_id_eq(x->id, y->id) && eg_id_eq(x->lineage_id, y->lineage_id));
        assert_true(eg_str_eq(x->content, y->content) && eg_str_eq(x->scope, y->scope) && eg_str_eq(x->agent_id, y->agent_id));
        assert_true(eg_str_eq(x->engineer, y->engineer) && eg_str_eq(x->provenance, y->provenance));
        assert_true(x->seq == y->seq && x->committed_at == y->committed_at && x->valid_from == y->valid_from);
        assert_true(x->valid_until == y->valid_until && x->ttl_days == y->ttl_days && x->corroborations == y->corroborations);
        assert_memory_equal(x->content_hash, y->content_hash, 32);
        if (i < 2) assert_int_equal(x->open_conflicts, y->open_conflicts);
    }
    const eg_conflict *c = &a->conflict, *d = &b->conflict;
    assert_true(eg_id_eq(c->id, d->id) && eg_id_eq(c->fact_a, d->fact_a) && eg_id_eq(c->fact_b, d->fact_b));
    assert_true(eg_str_eq(c->tier, d->tier) && eg_str_eq(c->detector, d->detector) && eg_str_eq(c->explanation, d->explanation));
    assert_true(c->detected_at == d->detected_at && c->status == d->status && c->severity == d->severity);
    assert_true(c->until_a == d->until_a && c->until_b == d->until_b && c->span_b.end == d->span_b.end);
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

/* Hits of one workspace are counted whoever the worker's request belongs to, and never pushed
 * out by another workspace. */
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

/* From a successful apply on, all reads fail. */
static eg_status apply_then_fail(eg_storage *store, eg_request *rq, const eg_change_set *set, eg_applied *out) {
    eg_status s = outer.real->apply(store, rq, set, out);
    outer.broken |= s == EG_OK;
    return s;
}
static eg_status fail_conflicts(eg_storage *store, eg_request *rq, const eg_conflict_filter *f, eg_conflict **out, size_t *n) {
    if (outer.broken) return eg_request_fail(rq, EG_EIO, "no conflicts on purpose");
    return outer.real->conflicts(store, rq, f, out, n);
}

static void warned(eg_str warning) {
    static const char begin[] = "it is stored, but";
    assert_true(warning.len > sizeof begin && memcmp(warning.ptr, begin, sizeof begin - 1) == 0);
    outer.broken = 0;
}

/* What was written is told as written, whatever comes of reading it back. */
static void a_stored_change_is_no_failure(void **state) {
    (void)state;
    WITH(f, 0);
    commit_as(&f, "agent-a", "auth", "The auth service listens on port 8080.");
    wrap(&f);
    outer.ops.apply = apply_then_fail;
    outer.ops.parts = fail_parts;
    outer.ops.conflicts = fail_conflicts;
    eg_receipt r = commit_as(&f, "agent-b", "auth", "The auth service listens on port 9090.");
    assert_true(r.undo_id && r.fact.seq && !r.detection_done && f.rq->err->code == EG_OK);
    warned(r.warning);
    eg_receipt passing = commit_for(&f, "agent-b", 7, "The cluster is frozen for the audit.");
    outer.broken = 0;
    /* it lasts for ever by now */
    r = commit_as(&f, "agent-a", "auth", "The cluster is frozen for the audit.");
    assert_true(r.duplicate && r.operation == EG_OP_UPDATE && eg_id_eq(r.fact.id, passing.fact.id));
    warned(r.warning);
    r = correct(&f, passing.fact, EG_OP_DELETE, NULL);
    assert_true(r.operation == EG_OP_DELETE && r.undo_id && eg_id_eq(r.fact.id, passing.fact.id));
    warned(r.warning);
    int64_t deletion = r.undo_id;
    size_t done;
    assert_int_equal(f.ops->work(f.memory, f.rq, &done, NULL), EG_OK);
    outer.broken = 0;
    while (f.ops->work(f.memory, f.rq, &done, NULL) == EG_OK && done) outer.broken = 0;
    eg_conflict_view *views;
    assert_int_equal(open_conflicts(&f, &views), 1);
    eg_resolved resolved = settle(&f, views[0].conflict.id, EG_RESOLUTION_WINNER, views[0].conflict.fact_a);
    assert_true(resolved.undo_id && resolved.closed_count == 1 && resolved.conflict.status == EG_CONFLICT_RESOLVED);
    assert_true(eg_id_eq(resolved.closed[0].id, views[0].conflict.fact_b));
    warned(resolved.warning);
    eg_undone undone = undo(&f, deletion);
    assert_true(undone.undo_id && undone.restored_count == 0 && eg_str_eq(undone.action, EG_STR("delete")));
    warned(undone.warning);
    assert_int_equal(current_of(&f, passing.fact.lineage_id), 1);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_without_time_is_an_error),
        cmocka_unit_test(parts_that_cannot_be_read_are_an_error),
        cmocka_unit_test(feedback_that_cannot_be_read_fails_the_job),
        cmocka_unit_test(thresholds_are_read_once_a_job),
        cmocka_unit_test(a_stored_change_is_no_failure),
        cmocka_unit_test(few_round_trips_are_needed),
        cmocka_unit_test(receipts_tell_what_is_stored),
        cmocka_unit_test(hits_of_all_workspaces_are_counted),
        cmocka_unit_test(vectors_are_made_for_each_workspace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
