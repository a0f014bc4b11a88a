/* test_memory.c - the memory as its users meet it. Each of the first tests holds a defect that memory systems of
 * this kind have had: they must never come back. */
#include "fixture.h"

#define WITH(f, model) \
    fixture f;         \
    fixture_open(&f, model)

static int same_content(eg_fact f, const char *text) { return eg_str_eq(f.content, eg_str_of(text)); }

/* A fact with a TTL is visible and checked until it ends, and gone afterwards; as_of still finds it. */
static void a_ttl_fact_lives_until_its_end(void **state) {
    (void)state;
    WITH(f, 1);
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("The auth service session timeout is 30 seconds.");
    args.scope = EG_STR("auth");
    args.agent_id = EG_STR("agent-a");
    args.ttl_days = 7;
    eg_receipt r = commit_args(&f, args);
    assert_int_equal(r.fact.valid_until, r.fact.valid_from + 7 * EG_DAY);
    assert_int_equal(query(&f, "auth session timeout").count, 1);
    eg_receipt other = commit_as(&f, "agent-b", "auth", "The auth service session timeout is 90 seconds.");
    assert_int_equal(other.conflict_count, 1);

    int64_t then = f.now;
    f.now += 8 * EG_DAY;
    eg_hits now = query(&f, "auth session timeout");
    assert_int_equal(now.count, 1);
    assert_true(eg_id_eq(now.hits[0].fact.id, other.fact.id));
    eg_query_args past = EG_QUERY_DEFAULTS;
    past.topic = EG_STR("auth session timeout");
    past.as_of = then;
    eg_hits was;
    assert_int_equal(f.ops->query(f.memory, f.rq, &past, &was), EG_OK);
    assert_int_equal(was.count, 2);
    fixture_close(&f);
}

/* A clock that is set back changes nothing: facts are seen, equal ones are known, an update ends what it replaces. */
static void a_clock_that_goes_back(void **state) {
    (void)state;
    WITH(f, 1);
    commit_as(&f, "agent-a", "auth", "The auth service session timeout is 30 seconds.");
    f.now -= EG_DAY;
    assert_int_equal(query(&f, "auth session timeout").count, 1);
    eg_receipt r = commit_as(&f, "agent-a", "auth", "The auth service session timeout is 30 seconds.");
    assert_true(r.duplicate);
    char lineage[37];
    eg_id_format(r.fact.lineage_id, lineage);
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("The auth service session timeout is 45 seconds.");
    args.scope = EG_STR("auth");
    args.agent_id = EG_STR("agent-a");
    args.corrects_lineage = eg_str_of(lineage);
    r = commit_args(&f, args);
    assert_true(r.operation == EG_UPDATE && r.detection_done);
    eg_hits hits = query(&f, "auth session timeout");
    assert_int_equal(hits.count, 1);
    assert_true(eg_id_eq(hits.hits[0].fact.id, r.fact.id));
    fixture_close(&f);
}

/* A fresh decision with provenance about something else never outranks an old exact match. */
static void relevance_dominates(void **state) {
    (void)state;
    WITH(f, 1);
    eg_receipt exact = commit_as(&f, "agent-a", "billing", "Invoices are rounded half to even by the ledger worker.");
    f.now += 400 * EG_DAY;
    for (int i = 0; i < 20; i++) {
        char text[100];
        snprintf(text, sizeof text, "Decision %d: the landing page of campaign %d uses the blue layout.", i, i);
        eg_commit_args args = EG_COMMIT_DEFAULTS;
        args.content = eg_str_of(text);
        args.scope = EG_STR("web");
        args.fact_type = EG_DECISION;
        args.provenance = EG_STR("docs/adr.md:1");
        args.wait_ms = 0;
        commit_args(&f, args);
    }
    eg_hits hits = query(&f, "how does the ledger worker round invoices");
    assert_true(hits.count >= 1);
    assert_true(eg_id_eq(hits.hits[0].fact.id, exact.fact.id));
    fixture_close(&f);
}

/* No punctuation switches off the search by words. */
static void any_punctuation_is_safe_in_a_query(void **state) {
    (void)state;
    static const char *const topics[] = {"what is AUTH_RATE_LIMIT?", "AUTH_RATE_LIMIT - ' \" * ( ) : ^ NEAR OR AND NOT",
                                         "\"AUTH_RATE_LIMIT", "AUTH_RATE_LIMIT'; DROP TABLE facts; --",
                                         "{AUTH_RATE_LIMIT} [x] %_ ? ?"};
    WITH(f, 0); /* without a model: only the words */
    commit_as(&f, "agent-a", "auth", "AUTH_RATE_LIMIT is read from the .env file at start.");
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
        eg_hits hits = query(&f, topics[i]);
        if (hits.count != 1) fail_msg("'%s' found %zu facts", topics[i], hits.count);
        assert_true(hits.text_only);
    }
    fixture_close(&f);
}

/* Age does not hide a fact: neither from a query nor from detection. */
static void the_oldest_of_hundreds_is_found(void **state) {
    (void)state;
    WITH(f, 1);
    eg_receipt old = commit_as(&f, "agent-a", "infra", "The vault cluster listens on port 8200.");
    for (int i = 0; i < 260; i++) {
        char text[100];
        snprintf(text, sizeof text, "Worker group %d of the infra fleet was resized for quarter %d planning.", i, i);
        eg_commit_args args = EG_COMMIT_DEFAULTS;
        args.content = eg_str_of(text);
        args.scope = EG_STR("infra");
        args.wait_ms = 0;
        commit_args(&f, args);
    }
    eg_hits hits = query(&f, "vault cluster port");
    assert_true(hits.count >= 1 && eg_id_eq(hits.hits[0].fact.id, old.fact.id));
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("The vault cluster listens on port 8300.");
    args.scope = EG_STR("infra");
    args.agent_id = EG_STR("agent-b");
    args.wait_ms = 60000;
    eg_receipt r = commit_args(&f, args);
    assert_int_equal(r.conflict_count, 1);
    fixture_close(&f);
}

/* Exact claims are compared without any model. */
static void rules_work_without_a_model(void **state) {
    (void)state;
    WITH(f, 0);
    commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    eg_receipt r = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
    assert_true(r.detection_done == 0 || r.conflict_count == 1); /* the vectors still wait, the verdict does not */
    assert_int_equal(r.conflict_count, 1);
    assert_true(r.conflicts[0].conflict.explanation.len > 0);
    fixture_close(&f);
}

/* The same quantity in another unit is no conflict; the same number in another unit is one. */
static void units_are_understood(void **state) {
    (void)state;
    WITH(f, 1);
    commit_as(&f, "agent-a", "auth", "The auth service request timeout is 30 seconds.");
    assert_int_equal(commit_as(&f, "agent-b", "auth", "The auth service request timeout is 30000 ms.").conflict_count, 0);
    commit_as(&f, "agent-a", "mail", "The mail worker retry delay is 30 seconds.");
    assert_int_equal(commit_as(&f, "agent-b", "mail", "The mail worker retry delay is 30 minutes.").conflict_count, 1);
    fixture_close(&f);
}

/* Two services may have different limits. */
static void other_services_are_other_subjects(void **state) {
    (void)state;
    WITH(f, 1);
    commit_as(&f, "agent-a", "auth", "The auth service rate limit is 1000 req/s.");
    assert_int_equal(commit_as(&f, "agent-b", "payments", "The payments service rate limit is 50 req/s.").conflict_count, 0);
    fixture_close(&f);
}

/* Feedback moves the threshold of the tier it is about. */
static void feedback_moves_the_threshold(void **state) {
    (void)state;
    WITH(f, 1);
    f.nli_word = "zebra";
    f.nli_score = 0.82;
    for (int i = 0; i < 12; i++) {
        char text[100];
        snprintf(text, sizeof text, "The zebra%d mode of module%d painted stripe%d.", i, i, i);
        commit_as(&f, i % 2 ? "agent-a" : "agent-b", "zoo", text);
    }
    eg_conflict_view *views;
    size_t n = open_conflicts(&f, &views);
    assert_true(n >= 12);
    for (size_t i = 0; i < n; i++) {
        char id[EG_ID_TEXT];
        eg_id_format(views[i].conflict.id, id);
        eg_resolve_args args = {.conflict_id = eg_str_of(id), .resolution_type = EG_DISMISS, .resolution = EG_STR("no")};
        eg_resolved done;
        assert_int_equal(f.ops->resolve(f.memory, f.rq, &args, &done), EG_OK);
    }
    assert_true(eg_feedback_shift(f.memory, f.rq, EG_STR("tier1_nli")) > 0.05);
    commit_as(&f, "agent-a", "zoo", "One more zebra is grey.");
    assert_int_equal(open_conflicts(&f, NULL), 0);
    fixture_close(&f);
}

/* A dry run writes nothing at all. */
static void check_writes_nothing(void **state) {
    (void)state;
    WITH(f, 1);
    commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    eg_memory_status before, after;
    assert_int_equal(f.ops->status(f.memory, f.rq, &before), EG_OK);
    eg_check_item items[] = {{.content = EG_STR("The auth service runs on port 9090."), .scope = EG_STR("auth")},
                             {.content = EG_STR("The auth service runs on port 7070."), .scope = EG_STR("auth")}};
    eg_check_args args = {.items = items, .item_count = 2, .against_store = 1};
    eg_checked found;
    assert_int_equal(f.ops->check(f.memory, f.rq, &args, &found), EG_OK);
    assert_int_equal(found.count, 3);
    assert_int_equal(f.ops->status(f.memory, f.rq, &after), EG_OK);
    assert_int_equal(before.store.seq, after.store.seq);
    assert_int_equal(after.store.facts, 1);
    fixture_close(&f);
}

static void describe_models(void *host, eg_memory_status *out) {
    if (((fixture *)host)->nli_asked) out->nli_problem = EG_STR("its weights are missing");
}

/* A model that turns out to be broken when it is opened is told like one that is not there. */
static void check_tells_that_a_model_did_not_open(void **state) {
    (void)state;
    WITH(f, 0);
    f.memory->env.describe_models = describe_models;
    eg_check_item items[] = {{.content = EG_STR("The cellar is cleaned in the evening.")},
                             {.content = EG_STR("Somebody cleans the cellar in the evening.")}};
    eg_check_args args = {.items = items, .item_count = 2};
    eg_checked found;
    assert_int_equal(f.ops->check(f.memory, f.rq, &args, &found), EG_OK);
    assert_int_equal(found.count, 0);
    assert_int_equal(f.nli_asked, 1);
    assert_true(found.without_nli);
    fixture_close(&f);
}

/* merge really writes the merged fact with both parents; listing conflicts changes nothing. */
static void merge_writes_the_merged_fact(void **state) {
    (void)state;
    WITH(f, 1);
    commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
    assert_int_equal(b.conflict_count, 1);
    char id[EG_ID_TEXT];
    eg_id_format(b.conflicts[0].conflict.id, id);
    eg_resolve_args args = {.conflict_id = eg_str_of(id),
                            .resolution_type = EG_MERGE,
                            .resolution = EG_STR("The auth service runs on port 8080 inside and 9090 outside the cluster.")};
    eg_resolved done;
    f.now += EG_SECOND;
    if (f.ops->resolve(f.memory, f.rq, &args, &done) != EG_OK) fail_msg("%s", f.rq->err->text);
    assert_int_equal(done.closed_count, 2);
    assert_true(eg_id_eq(done.merged.parents[0], b.conflicts[0].a.id) && eg_id_eq(done.merged.parents[1], b.fact.id));
    eg_hits hits = query(&f, "auth service port");
    assert_int_equal(hits.count, 1);
    assert_true(eg_id_eq(hits.hits[0].fact.id, done.merged.id));
    assert_int_equal(open_conflicts(&f, NULL), 0);
    int64_t seq, again;
    f.memory->env.storage_ops->last_seq(f.storage, f.rq, &seq);
    open_conflicts(&f, NULL);
    f.memory->env.storage_ops->last_seq(f.storage, f.rq, &again);
    assert_int_equal(seq, again);
    fixture_close(&f);
}

/* A gate of the tests: nothing may hold the word "secret". */
static eg_status refuse_secret(void *self, const eg_services *services, eg_request *rq, const eg_commit_args *args) {
    (void)self, (void)services;
    int bad = memmem(args->content.ptr, args->content.len, "secret", 6) != NULL;
    return bad ? eg_request_fail(rq, EG_EREFUSED, "content holds a secret") : EG_OK;
}

/* What may not be committed may not be merged in either. */
static void a_merge_passes_the_gates(void **state) {
    (void)state;
    static const eg_gate gate = {.size = sizeof gate, .name = "word", .check = refuse_secret};
    static const eg_gate_slot slot = {&gate, NULL};
    WITH(f, 1);
    f.memory->env.gates = &slot;
    f.memory->env.gate_count = 1;
    commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
    char id[EG_ID_TEXT];
    eg_id_format(b.conflicts[0].conflict.id, id);
    eg_resolve_args args = {.conflict_id = eg_str_of(id),
                            .resolution_type = EG_MERGE,
                            .merged_content = EG_STR("The auth service runs on port 8080; the secret is xyzzy.")};
    eg_resolved done;
    assert_int_equal(f.ops->resolve(f.memory, f.rq, &args, &done), EG_EREFUSED);
    assert_int_equal(open_conflicts(&f, NULL), 1);
    args.resolution = args.merged_content; /* which is the text where no merged one is given */
    args.merged_content = (eg_str){0};
    assert_int_equal(f.ops->resolve(f.memory, f.rq, &args, &done), EG_EREFUSED);
    assert_int_equal(query(&f, "auth service port").count, 2);
    fixture_close(&f);
}

/* A merge into a text that is known as an ephemeral fact makes that one durable. */
static void a_merge_promotes_its_text(void **state) {
    (void)state;
    WITH(f, 1);
    commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
    eg_commit_args note = EG_COMMIT_DEFAULTS;
    note.content = EG_STR("The auth service runs on ports 8080 and 9090.");
    note.scope = EG_STR("auth");
    note.durability = EG_EPHEMERAL;
    eg_receipt there = commit_args(&f, note);
    char id[EG_ID_TEXT];
    eg_id_format(b.conflicts[0].conflict.id, id);
    eg_resolve_args args = {.conflict_id = eg_str_of(id), .resolution_type = EG_MERGE, .merged_content = note.content};
    eg_resolved done;
    f.now += EG_SECOND;
    if (f.ops->resolve(f.memory, f.rq, &args, &done) != EG_OK) fail_msg("%s", f.rq->err->text);
    assert_int_equal(done.closed_count, 2);
    assert_true(eg_id_eq(done.merged.id, there.fact.id));
    assert_int_equal(done.merged.durability, EG_DURABLE);
    assert_true(done.merged.valid_until == EG_FOREVER);
    eg_undone undone;
    f.now += EG_SECOND;
    if (f.ops->undo(f.memory, f.rq, done.undo_id, &undone) != EG_OK) fail_msg("%s", f.rq->err->text);
    assert_int_equal(undone.restored_count, 2);
    assert_int_equal(undone.closed_count, 0);
    fixture_close(&f);
}

/* One agent's two incompatible facts are a conflict of severity medium, not a silent replacement. */
static void the_same_agent_is_no_update(void **state) {
    (void)state;
    WITH(f, 1);
    commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    eg_receipt r = commit_as(&f, "agent-a", "auth", "The auth service runs on port 9090.");
    assert_int_equal(r.conflict_count, 1);
    assert_int_equal(r.conflicts[0].conflict.severity, EG_MEDIUM);
    assert_int_equal(query(&f, "auth service port").count, 2);
    fixture_close(&f);
}

/* A settled pair does not come back, in either order, however it was settled. */
static void a_settled_pair_stays_settled(void **state) {
    (void)state;
    static const eg_resolution ways[] = {EG_DISMISS, EG_BOTH_VALID};
    for (size_t i = 0; i < 2; i++) {
        WITH(f, 1);
        eg_receipt a = commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
        eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
        char id[EG_ID_TEXT];
        eg_id_format(b.conflicts[0].conflict.id, id);
        eg_resolve_args args = {.conflict_id = eg_str_of(id), .resolution_type = ways[i], .resolution = EG_STR("fine")};
        eg_resolved done;
        assert_int_equal(f.ops->resolve(f.memory, f.rq, &args, &done), EG_OK);
        /* the same once more is no error, another way is */
        assert_int_equal(f.ops->resolve(f.memory, f.rq, &args, &done), EG_OK);
        args.resolution_type = EG_WINNER;
        assert_int_equal(f.ops->resolve(f.memory, f.rq, &args, &done), EG_EINVAL);
        eg_draft d;
        eg_applied applied;
        eg_draft_begin(&d, f.rq);
        eg_draft_job(&d, f.memory, EG_JOB_DETECT, a.fact.id, 0);
        eg_draft_job(&d, f.memory, EG_JOB_DETECT, b.fact.id, 0);
        assert_int_equal(eg_draft_apply(&d, f.memory, &applied), EG_OK);
        size_t ran, left;
        assert_int_equal(f.ops->work(f.memory, f.rq, &ran, &left), EG_OK);
        assert_int_equal(ran, 2);
        assert_int_equal(open_conflicts(&f, NULL), 0);
        fixture_close(&f);
    }
}

/* winner closes the loser, and undo brings fact and conflict back without rewriting history. */
static void winner_and_undo(void **state) {
    (void)state;
    WITH(f, 1);
    eg_receipt a = commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
    char id[EG_ID_TEXT], winner[EG_ID_TEXT];
    eg_id_format(b.conflicts[0].conflict.id, id);
    eg_id_format(b.fact.id, winner);
    eg_resolve_args args = {.conflict_id = eg_str_of(id + 28), .resolution_type = EG_WINNER, .resolution = EG_STR("seen in k8s")};
    eg_resolved done;
    assert_int_equal(f.ops->resolve(f.memory, f.rq, &args, &done), EG_EINVAL); /* which one? */
    args.winning_fact_id = eg_str_of(winner);
    f.now += EG_SECOND;
    if (f.ops->resolve(f.memory, f.rq, &args, &done) != EG_OK) fail_msg("%s", f.rq->err->text);
    assert_int_equal(done.closed_count, 1);
    assert_true(eg_id_eq(done.closed[0].id, a.fact.id));
    assert_int_equal(done.closed[0].close_reason, EG_CLOSED_RESOLVED);
    assert_int_equal(query(&f, "auth service port").count, 1);

    f.now += EG_SECOND;
    eg_undone undone;
    if (f.ops->undo(f.memory, f.rq, done.undo_id, &undone) != EG_OK) fail_msg("%s", f.rq->err->text);
    assert_int_equal(undone.restored_count, 1);
    assert_true(eg_id_eq(undone.restored[0].restored_from, a.fact.id));
    assert_true(eg_id_eq(undone.restored[0].lineage_id, a.fact.lineage_id));
    assert_int_equal(query(&f, "auth service port").count, 2);
    eg_conflict_view *views;
    assert_int_equal(open_conflicts(&f, &views), 1);
    assert_true(views[0].a.seq < views[0].b.seq);
    assert_int_equal(f.ops->undo(f.memory, f.rq, 123456, &undone), EG_ENOENT);
    fixture_close(&f);
}

/* Calls that the tests below expect to work. */
static eg_resolved settle(fixture *f, eg_id conflict, eg_resolution how, eg_id winner) {
    char id[EG_ID_TEXT], won[EG_ID_TEXT];
    eg_id_format(conflict, id);
    eg_id_format(winner, won);
    eg_resolve_args args = {.conflict_id = eg_str_of(id), .resolution_type = how, .resolution = EG_STR("as agreed")};
    if (how == EG_WINNER) args.winning_fact_id = eg_str_of(won);
    eg_resolved done;
    f->now += EG_SECOND;
    if (f->ops->resolve(f->memory, f->rq, &args, &done) != EG_OK) fail_msg("resolve: %s", f->rq->err->text);
    return done;
}
static eg_undone undo(fixture *f, int64_t undo_id) {
    eg_undone undone;
    f->now += EG_SECOND;
    if (f->ops->undo(f->memory, f->rq, undo_id, &undone) != EG_OK) fail_msg("undo: %s", f->rq->err->text);
    return undone;
}
static void refuses_undo(fixture *f, int64_t undo_id, const char *why) {
    eg_undone undone;
    f->now += EG_SECOND;
    assert_int_equal(f->ops->undo(f->memory, f->rq, undo_id, &undone), EG_EINVAL);
    if (!strstr(f->rq->err->text, why)) fail_msg("not '%s': '%s'", why, f->rq->err->text);
}
static eg_receipt correct(fixture *f, eg_fact fact, eg_operation operation, const char *content) {
    char lineage[EG_ID_TEXT];
    eg_id_format(fact.lineage_id, lineage);
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = eg_str_of(content);
    args.scope = fact.scope;
    args.operation = operation;
    args.corrects_lineage = eg_str_of(lineage);
    return commit_args(f, args);
}
static size_t current_of(fixture *f, eg_id lineage) {
    char id[EG_ID_TEXT];
    eg_id_format(lineage, id);
    eg_fact *rows;
    size_t n, current = 0;
    assert_int_equal(f->ops->lineage(f->memory, f->rq, eg_str_of(id), &rows, &n), EG_OK);
    for (size_t i = 0; i < n; i++) current += rows[i].valid_until > f->now;
    return current;
}
static void work(fixture *f) {
    size_t ran, left;
    assert_int_equal(f->ops->work(f->memory, f->rq, &ran, &left), EG_OK);
    assert_int_equal(left, 0);
}

/* Only who asks for what happened is told that it did: another winner or another merged text is refused. */
static void settled_otherwise_is_told(void **state) {
    (void)state;
    for (int how = 0; how < 3; how++) {
        WITH(f, 1);
        eg_fact a = commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.").fact;
        eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
        eg_id conflict = b.conflicts[0].conflict.id;
        char id[EG_ID_TEXT], first[EG_ID_TEXT], second[EG_ID_TEXT];
        eg_id_format(conflict, id);
        eg_id_format(a.id, first);
        eg_id_format(b.fact.id, second);
        eg_resolve_args same = {.conflict_id = eg_str_of(id), .winning_fact_id = eg_str_of(first)}, other = same;
        other.winning_fact_id = eg_str_of(second);
        if (how == 1) {
            same.resolution_type = other.resolution_type = EG_MERGE;
            same.merged_content = EG_STR("The auth service runs on port 8080 inside.");
            other.merged_content = EG_STR("The auth service runs on port 9090 inside.");
        }
        eg_resolved done;
        f.now += EG_SECOND;
        if (how == 2) correct(&f, b.fact, EG_DELETE, ""); /* which ends the conflict too */
        else assert_int_equal(f.ops->resolve(f.memory, f.rq, &same, &done), EG_OK);
        assert_int_equal(f.ops->resolve(f.memory, f.rq, &same, &done), EG_OK);
        assert_int_equal(done.undo_id, 0);
        assert_int_equal(f.ops->resolve(f.memory, f.rq, &other, &done), EG_EINVAL);
        assert_non_null(strstr(f.rq->err->text, "settled already"));
        fixture_close(&f);
    }
}

/* A conflict that ended only because a fact of it did is found again when undo brings the fact back. */
static void undo_brings_other_conflicts_back(void **state) {
    (void)state;
    for (int how = 0; how < 3; how++) {
        WITH(f, 1);
        commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
        eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
        eg_receipt c = commit_as(&f, "agent-c", "auth", "The auth service runs on port 7070.");
        assert_int_equal(open_conflicts(&f, NULL), 3);
        int64_t undo_id = how == 0   ? settle(&f, b.conflicts[0].conflict.id, EG_WINNER, b.conflicts[0].a.id).undo_id
                          : how == 1 ? correct(&f, b.fact, EG_DELETE, "").undo_id
                                     : correct(&f, b.fact, EG_UPDATE, "The mail relay is blue.").undo_id;
        assert_int_equal(open_conflicts(&f, NULL), 1);
        eg_fact back = undo(&f, undo_id).restored[0];
        work(&f);
        eg_conflict_view *views;
        size_t n = open_conflicts(&f, &views), with_c = 0;
        assert_int_equal(n, 3);
        for (size_t i = 0; i < n; i++) with_c += eg_id_eq(views[i].b.id, back.id) && eg_id_eq(views[i].a.id, c.fact.id);
        assert_int_equal(with_c, 1);
        fixture_close(&f);
    }
}

/* What was dismissed or is both valid stays so, however often either fact goes and comes back. */
static void undo_keeps_what_was_dismissed(void **state) {
    (void)state;
    static const eg_resolution ways[] = {EG_DISMISS, EG_BOTH_VALID};
    for (size_t i = 0; i < 2; i++) {
        WITH(f, 1);
        eg_fact a = commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.").fact;
        eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
        settle(&f, b.conflicts[0].conflict.id, ways[i], a.id);
        for (int times = 0; times < 2; times++) {
            undo(&f, correct(&f, a, EG_DELETE, "").undo_id);
            work(&f);
            undo(&f, correct(&f, b.fact, EG_DELETE, "").undo_id);
            work(&f);
            assert_int_equal(query(&f, "auth service port").count, 2);
            assert_int_equal(open_conflicts(&f, NULL), 0);
        }
        fixture_close(&f);
    }
}

/* Another writer, between what a commit read and what it writes. */
static const eg_storage_ops *real_ops;
static fixture *racing;
static eg_fact raced;
static eg_status read_and_race(eg_storage *store, eg_request *rq, const eg_filter *filter, const uint8_t hash[32], eg_fact *out) {
    fixture *f = racing;
    racing = NULL;
    if (f) correct(f, raced, EG_UPDATE, "The audit freeze of the cluster lasts two weeks.");
    return real_ops->current_by_hash(store, rq, filter, hash, out);
}

/* A lineage never has two current facts: not by undo of a delete, not by two updates after its fact expired. */
static void a_lineage_has_one_current_fact(void **state) {
    (void)state;
    WITH(f, 1);
    eg_fact a = commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.").fact;
    int64_t deleted = correct(&f, a, EG_DELETE, "").undo_id;
    int64_t again = correct(&f, a, EG_UPDATE, "The auth service runs on port 9090.").undo_id;
    refuses_undo(&f, deleted, "current");
    assert_int_equal(current_of(&f, a.lineage_id), 1);
    undo(&f, again);
    assert_int_equal(current_of(&f, a.lineage_id), 0);
    undo(&f, deleted);
    assert_int_equal(current_of(&f, a.lineage_id), 1);

    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("The cluster is frozen for the audit.");
    args.ttl_days = 1;
    raced = commit_args(&f, args).fact;
    f.now += 2 * EG_DAY;
    real_ops = f.memory->env.storage_ops;
    eg_storage_ops ops = *real_ops;
    ops.current_by_hash = read_and_race;
    f.memory->env.storage_ops = &ops;
    racing = &f;
    eg_receipt last = correct(&f, raced, EG_UPDATE, "The audit freeze of the cluster is over.");
    f.memory->env.storage_ops = real_ops;
    assert_int_equal(current_of(&f, raced.lineage_id), 1);
    assert_int_equal(last.fact.open_conflicts, 0);
    assert_true(last.fact.valid_until == EG_FOREVER);
    fixture_close(&f);
}

/* A correction whose text is known already still ends what it corrects, and undo brings that back. */
static void a_known_text_corrects_too(void **state) {
    (void)state;
    for (int ephemeral = 0; ephemeral < 2; ephemeral++) {
        WITH(f, 1);
        eg_fact x = commit_as(&f, "agent-a", "auth", "The auth service rate limit is 500 req/s.").fact;
        eg_commit_args args = EG_COMMIT_DEFAULTS;
        args.content = EG_STR("The auth service rate limit is 800 req/s.");
        args.scope = EG_STR("auth");
        args.agent_id = EG_STR("agent-b");
        args.durability = ephemeral ? EG_EPHEMERAL : EG_DURABLE;
        eg_fact y = commit_args(&f, args).fact;
        assert_int_equal(open_conflicts(&f, NULL), !ephemeral);
        eg_receipt r = correct(&f, x, EG_UPDATE, "The auth service rate limit is 800 req/s.");
        assert_true(r.duplicate && eg_id_eq(r.fact.id, y.id));
        assert_int_equal(r.operation, EG_UPDATE);
        assert_int_equal(r.fact.durability, EG_DURABLE);
        assert_int_equal(current_of(&f, x.lineage_id), 0);
        assert_int_equal(open_conflicts(&f, NULL), 0);
        assert_true(correct(&f, y, EG_UPDATE, "The auth service rate limit is 800 req/s.").undo_id == 0);
        eg_undone undone = undo(&f, r.undo_id);
        assert_int_equal(undone.closed_count, 0);
        assert_true(undone.restored_count == 1 && eg_id_eq(undone.restored[0].restored_from, x.id));
        work(&f);
        assert_int_equal(open_conflicts(&f, NULL), 1);
        fixture_close(&f);
    }
}

/* An undo is undone whole, as often as one likes; where it cannot be, there is no id to try it with. */
static void undo_is_undone_whole(void **state) {
    (void)state;
    WITH(f, 1);
    eg_fact a = commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.").fact;
    eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
    int64_t undo_id = settle(&f, b.conflicts[0].conflict.id, EG_MERGE, a.id).undo_id;
    for (int times = 0; times < 4; times++) {
        eg_undone u = undo(&f, undo_id);
        int merged_again = times % 2;
        assert_int_equal(u.restored_count, merged_again ? 1 : 2);
        assert_int_equal(u.closed_count, merged_again ? 2 : 1);
        assert_true(same_content(u.restored[0], merged_again ? "as agreed" : "The auth service runs on port 8080."));
        work(&f);
        assert_int_equal(open_conflicts(&f, NULL), !merged_again);
        eg_memory_status st;
        assert_int_equal(f.ops->status(f.memory, f.rq, &st), EG_OK);
        assert_int_equal(st.store.current_facts, merged_again ? 1 : 2);
        undo_id = u.undo_id;
    }
    undo(&f, undo_id); /* the two are back: when one of them changes, that undo is not half undone */
    correct(&f, a, EG_UPDATE, "The auth service runs on port 7070.");
    eg_audit_row *rows;
    size_t n;
    assert_int_equal(f.memory->env.storage_ops->audit_list(f.storage, f.rq, EG_STR("local"), 0, 100, &rows, &n), EG_OK);
    assert_true(n >= 2 && eg_str_eq(rows[n - 2].action, EG_STR("undo")));
    refuses_undo(&f, rows[n - 2].id, "not current");
    fixture_close(&f);
}

/* What came after a settlement is heeded when the settlement is taken back. */
static void undo_heeds_what_came_after(void **state) {
    (void)state;
    for (int how = 0; how < 3; how++) {
        WITH(f, 1);
        eg_fact a = commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.").fact;
        eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
        eg_resolved done = settle(&f, b.conflicts[0].conflict.id, how == 2 ? EG_MERGE : EG_WINNER, a.id);
        if (how == 0) correct(&f, a, EG_DELETE, "");
        if (how == 1) correct(&f, a, EG_UPDATE, "The auth service runs on port 8081.");
        if (how == 2) correct(&f, done.merged, EG_UPDATE, "The auth service runs on port 8082.");
        if (how == 2) {
            refuses_undo(&f, done.undo_id, "its lineage has a current fact");
        } else {
            assert_int_equal(undo(&f, done.undo_id).restored_count, 1);
            assert_int_equal(open_conflicts(&f, NULL), 0);
            work(&f);
        }
        eg_conflict_view *views;
        assert_int_equal(open_conflicts(&f, &views), how == 1);
        if (how == 1) assert_true(same_content(views[0].a, "The auth service runs on port 8081."));
        fixture_close(&f);
    }
}

/* A dismissal that is taken back, and a commit that only promotes, say that there is nothing to undo. */
static void what_cannot_be_undone_has_no_id(void **state) {
    (void)state;
    WITH(f, 1);
    eg_fact a = commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.").fact;
    eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
    int64_t dismissed = settle(&f, b.conflicts[0].conflict.id, EG_DISMISS, a.id).undo_id;
    assert_int_equal(open_conflicts(&f, NULL), 0);
    assert_int_equal(undo(&f, dismissed).undo_id, 0);
    assert_int_equal(open_conflicts(&f, NULL), 1);
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("The flaky build passes when the cache is warm.");
    args.durability = EG_EPHEMERAL;
    commit_args(&f, args);
    args.durability = EG_DURABLE;
    eg_receipt r = commit_args(&f, args);
    assert_int_equal(r.fact.durability, EG_DURABLE);
    assert_int_equal(r.undo_id, 0);
    fixture_close(&f);
}

/* operation=update replaces the best match; without one it is an add; an explicit lineage always wins. */
static void update_supersedes_the_best_match(void **state) {
    (void)state;
    WITH(f, 1);
    eg_receipt old = commit_as(&f, "agent-a", "auth", "The auth service rate limit is 1000 req/s per IP.");
    commit_as(&f, "agent-a", "mail", "Mail templates live in the mail repository.");
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("The auth service rate limit is 2000 req/s per IP.");
    args.scope = EG_STR("auth");
    args.agent_id = EG_STR("agent-b");
    args.operation = EG_UPDATE;
    eg_receipt r = commit_args(&f, args);
    assert_int_equal(r.operation, EG_UPDATE);
    assert_true(eg_id_eq(r.fact.supersedes, old.fact.id) && eg_id_eq(r.fact.lineage_id, old.fact.lineage_id));
    assert_int_equal(r.conflict_count, 0);
    assert_int_equal(query(&f, "auth rate limit").count, 1);

    args.content = EG_STR("Kafka topics have twelve partitions.");
    r = commit_args(&f, args);
    assert_int_equal(r.operation, EG_ADD);

    char lineage[EG_ID_TEXT];
    eg_id_format(old.fact.lineage_id, lineage);
    eg_commit_args retire = EG_COMMIT_DEFAULTS;
    retire.operation = EG_DELETE;
    retire.corrects_lineage = eg_str_of(lineage);
    r = commit_args(&f, retire);
    assert_int_equal(r.fact.close_reason, EG_DELETED);
    assert_int_equal(f.ops->commit(f.memory, f.rq, &retire, &r), EG_ENOENT);
    eg_fact *rows;
    size_t n;
    assert_int_equal(f.ops->lineage(f.memory, f.rq, eg_str_of(lineage), &rows, &n), EG_OK);
    assert_int_equal(n, 2);
    fixture_close(&f);
}

/* Undo gives a fact back the end that it had, as the audit row tells; one that would be over by now does not come back. */
static void undo_restores_the_former_end(void **state) {
    (void)state;
    WITH(f, 1);
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("The staging cluster is frozen for the audit.");
    args.scope = EG_STR("infra");
    args.ttl_days = 10;
    eg_receipt first = commit_args(&f, args);
    char lineage[EG_ID_TEXT];
    eg_id_format(first.fact.lineage_id, lineage);
    eg_commit_args retire = EG_COMMIT_DEFAULTS;
    retire.operation = EG_DELETE;
    retire.corrects_lineage = eg_str_of(lineage);
    f.now += 4 * EG_DAY;
    eg_receipt gone = commit_args(&f, retire);
    f.now += EG_DAY;
    eg_undone undone;
    if (f.ops->undo(f.memory, f.rq, gone.undo_id, &undone) != EG_OK) fail_msg("%s", f.rq->err->text);
    assert_int_equal(undone.restored_count, 1);
    assert_int_equal(undone.restored[0].valid_until, first.fact.valid_until);

    eg_commit_args update = EG_COMMIT_DEFAULTS;
    update.content = EG_STR("The staging cluster is open again after the audit.");
    update.scope = EG_STR("infra");
    update.corrects_lineage = eg_str_of(lineage);
    eg_receipt newer = commit_args(&f, update);
    f.now += 10 * EG_DAY; /* now the restored fact would be over */
    if (f.ops->undo(f.memory, f.rq, newer.undo_id, &undone) != EG_OK) fail_msg("%s", f.rq->err->text);
    assert_int_equal(undone.restored_count, 0);
    assert_int_equal(undone.closed_count, 1);
    assert_int_equal(f.ops->undo(f.memory, f.rq, gone.undo_id, &undone), EG_EINVAL);
    assert_non_null(strstr(f.rq->err->text, "ended by itself"));
    fixture_close(&f);
}

static void undo_of_an_update_restores_the_old_fact(void **state) {
    (void)state;
    WITH(f, 1);
    eg_receipt old = commit_as(&f, "agent-a", "auth", "The auth service rate limit is 1000 req/s per IP.");
    char lineage[EG_ID_TEXT];
    eg_id_format(old.fact.lineage_id, lineage);
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("The auth service rate limit is 2000 req/s per IP.");
    args.scope = EG_STR("auth");
    args.corrects_lineage = eg_str_of(lineage);
    eg_receipt r = commit_args(&f, args);
    f.now += EG_SECOND;
    eg_undone undone;
    if (f.ops->undo(f.memory, f.rq, r.undo_id, &undone) != EG_OK) fail_msg("%s", f.rq->err->text);
    eg_hits hits = query(&f, "auth rate limit");
    assert_int_equal(hits.count, 1);
    assert_true(same_content(hits.hits[0].fact, "The auth service rate limit is 1000 req/s per IP."));
    assert_int_equal(f.ops->undo(f.memory, f.rq, r.undo_id, &undone), EG_EINVAL); /* not twice */
    fixture_close(&f);
}

static void duplicates_are_seen(void **state) {
    (void)state;
    WITH(f, 1);
    eg_receipt a = commit_as(&f, "agent-a", "net", "The uplink has 10 MB buffers.");
    eg_receipt same = commit_as(&f, "agent-b", "net", "  the uplink  has 10 MB buffers");
    assert_true(same.duplicate && eg_id_eq(same.fact.id, a.fact.id));
    assert_false(commit_as(&f, "agent-b", "net", "The uplink has 10 Mb buffers.").duplicate); /* megabits */
    assert_false(commit_as(&f, "agent-b", "net/edge", "The uplink has 10 MB buffers.").duplicate);
    fixture_close(&f);
}

/* A fact whose detection was given up is not called decided, and nobody waits for it. */
static void a_parked_job_is_no_verdict(void **state) {
    (void)state;
    WITH(f, 1);
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("The uplink has 10 MB buffers.");
    args.wait_ms = 0;
    eg_receipt r = commit_args(&f, args);
    eg_job *jobs;
    size_t n;
    for (int i = 0; i <= EG_MAX_ATTEMPTS; i++, f.now += 2 * EG_SECOND) { /* processes that die of it */
        assert_int_equal(f.memory->env.storage_ops->lease(f.storage, f.rq, EG_STR("test-1"), EG_SECOND, 0, 4, 1, &jobs, &n),
                         EG_OK);
        assert_int_equal(n, i < EG_MAX_ATTEMPTS);
    }
    static const int32_t waits[] = {0, 60000};
    for (int i = 0; i < 2; i++) {
        args.wait_ms = waits[i];
        eg_receipt again = commit_args(&f, args);
        assert_true(again.duplicate && eg_id_eq(again.fact.id, r.fact.id));
        assert_int_equal(again.detection_done, 0);
    }
    fixture_close(&f);
}

/* Ephemeral facts stay out of queries and detection until they are asked for twice or promoted. */
static void ephemeral_facts_earn_their_place(void **state) {
    (void)state;
    WITH(f, 1);
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("The flaky build passes when the cache is warm.");
    args.durability = EG_EPHEMERAL;
    eg_receipt r = commit_args(&f, args);
    assert_int_equal(r.fact.valid_until, r.fact.valid_from + EG_DAY);
    assert_int_equal(query(&f, "flaky build cache").count, 0);
    eg_query_args q = EG_QUERY_DEFAULTS;
    q.topic = EG_STR("flaky build cache");
    q.include_ephemeral = 1;
    eg_hits hits;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(f.ops->query(f.memory, f.rq, &q, &hits), EG_OK);
        assert_int_equal(hits.count, 1);
    }
    size_t ran, left;
    assert_int_equal(f.ops->work(f.memory, f.rq, &ran, &left), EG_OK);
    hits = query(&f, "flaky build cache");
    assert_int_equal(hits.count, 1);
    assert_int_equal(hits.hits[0].fact.durability, EG_DURABLE);
    assert_true(hits.hits[0].fact.valid_until == EG_FOREVER);
    fixture_close(&f);
}

/* When more hits wait to be counted than there is room for, the oldest are dropped. */
static void the_latest_hits_are_counted(void **state) {
    (void)state;
    WITH(f, 0);
    commit_as(&f, "agent-a", "house", "The cellar is damp.");
    commit_as(&f, "agent-a", "house", "The attic is dry.");
    for (int i = 0; i < HIT_QUEUE; i++) assert_int_equal(query(&f, "cellar").count, 1);
    query(&f, "attic");
    assert_int_equal(eg_memory_flush_hits(f.memory, f.rq), EG_OK);
    assert_int_equal(query(&f, "attic").hits[0].fact.query_hits, 1);
    assert_int_equal(query(&f, "cellar").hits[0].fact.query_hits, HIT_QUEUE - 1);
    fixture_close(&f);
}

/* Without a model the vectors wait as a job; when one is there, they are made and the fact is found by meaning. */
static void vectors_come_later(void **state) {
    (void)state;
    WITH(f, 0);
    commit_as(&f, "agent-a", "auth", "Session tokens are rotated by the auth service.");
    eg_memory_status st;
    assert_int_equal(f.ops->status(f.memory, f.rq, &st), EG_OK);
    assert_int_equal(st.store.vectors, 0);
    f.with_model = 1;
    f.now += 700 * EG_SECOND;
    size_t ran, left;
    assert_int_equal(f.ops->work(f.memory, f.rq, &ran, &left), EG_OK);
    assert_int_equal(f.ops->status(f.memory, f.rq, &st), EG_OK);
    assert_true(st.store.vectors >= 1);
    assert_int_equal(left, 0);
    fixture_close(&f);
}

static uint64_t facts_to_embed(fixture *f) {
    eg_memory_status st;
    assert_int_equal(f->ops->status(f->memory, f->rq, &st), EG_OK);
    return st.facts_to_embed;
}

/* Another embedding model: words find everything at once, nothing of the old model is taken for the new one's, and the work goes
 * on in the background, each fact once, without looking for contradictions again. A change back costs nothing. */
static void another_embedding_model(void **state) {
    (void)state;
    enum { FACTS = 45 }; /* more than two jobs' worth */
    WITH(f, 1);
    for (int i = 0; i < FACTS; i++) {
        char text[100];
        snprintf(text, sizeof text, "Shard %d of the ledger is rebuilt nightly by cron.", i);
        commit_as(&f, "agent-a", "ledger", text);
    }
    assert_int_equal(facts_to_embed(&f), 0);
    eg_hits before = query(&f, "ledger shard rebuilt nightly");
    assert_non_null(memmem(before.hits[0].why.ptr, before.hits[0].why.len, "meaning", 7));

    f.model = "other";
    f.memory->embedded_to = 0; /* as in a new process */
    assert_int_equal(facts_to_embed(&f), FACTS);
    eg_hits during = query(&f, "ledger shard rebuilt nightly");
    assert_int_equal(during.count, before.count);
    assert_null(memmem(during.hits[0].why.ptr, during.hits[0].why.len, "meaning", 7));
    eg_receipt fresh = commit_as(&f, "agent-b", "ledger", "The ledger archive lives in a cold bucket.");
    assert_int_equal(facts_to_embed(&f), FACTS); /* a new fact has its vectors from the start */

    f.embedded = 0;
    work(&f);
    assert_int_equal(facts_to_embed(&f), 0);
    assert_int_equal(f.embedded, FACTS);
    eg_hits after = query(&f, "ledger shard rebuilt nightly");
    assert_true(eg_id_eq(after.hits[0].fact.id, before.hits[0].fact.id));
    assert_true(eg_str_eq(after.hits[0].why, before.hits[0].why));
    f.embedded = 0;
    work(&f);
    assert_int_equal(f.embedded, 0);
    assert_int_equal(open_conflicts(&f, NULL), 0);

    f.model = "hashed-words";
    f.memory->embedded_to = 0;
    assert_int_equal(facts_to_embed(&f), 1); /* what was committed meanwhile */
    uint64_t left;
    assert_int_equal(f.ops->reembed(f.memory, f.rq, &left), EG_OK);
    assert_int_equal(left, 0);
    assert_int_equal(f.embedded, 1);
    assert_non_null(
        memmem(query(&f, "archive bucket").hits[0].why.ptr, query(&f, "archive bucket").hits[0].why.len, "meaning", 7));
    (void)fresh;
    fixture_close(&f);
}

/* A deadline, a cancelled worker and a model that is not there leave the work to others; two that work at once add nothing twice.
 */
static void reembedding_is_interrupted(void **state) {
    (void)state;
    WITH(f, 1);
    for (int i = 0; i < 20; i++) {
        char text[100];
        snprintf(text, sizeof text, "Queue %d drains in the evening.", i);
        commit_as(&f, "agent-a", "queues", text);
    }
    eg_memory_status st;
    assert_int_equal(f.ops->status(f.memory, f.rq, &st), EG_OK);
    uint64_t vectors = st.store.vectors, left;
    f.model = "other";
    f.memory->embedded_to = 0;
    f.rq->cancel.deadline = 1; /* long past */
    assert_int_equal(f.ops->reembed(f.memory, f.rq, &left), EG_OK);
    assert_int_equal(left, 16); /* one batch of four */
    f.rq->cancel.deadline = 0;
    f.with_model = 0;
    work(&f);
    f.with_model = 1;
    assert_int_equal(facts_to_embed(&f), 16);
    assert_int_equal(eg_reembed_begin(f.memory, f.rq), EG_OK); /* leaves a job ... */
    assert_int_equal(f.ops->status(f.memory, f.rq, &st), EG_OK);
    assert_int_equal(st.store.jobs_queued, 1);
    assert_int_equal(eg_reembed_begin(f.memory, f.rq), EG_OK); /* ... and not a second one */
    assert_int_equal(f.ops->status(f.memory, f.rq, &st), EG_OK);
    assert_int_equal(st.store.jobs_queued, 1);
    assert_int_equal(f.ops->reembed(f.memory, f.rq, &left), EG_OK); /* and somebody else does all of it meanwhile */
    assert_int_equal(left, 0);
    work(&f);
    assert_int_equal(f.ops->status(f.memory, f.rq, &st), EG_OK);
    assert_int_equal(st.store.vectors, 2 * vectors);
    fixture_close(&f);
}

/* A model that does not open is tried once and leaves the work to processes where it does. Without anything to do it is not even
 * loaded. */
static void a_damaged_model_leaves_the_work(void **state) {
    (void)state;
    WITH(f, 1);
    commit_as(&f, "agent-a", "x", "The sweeper runs hourly.");
    f.opened = 0;
    work(&f);
    assert_int_equal(f.opened, 0);
    f.model = "other";
    f.memory->embedded_to = 0;
    f.damaged = 1;
    for (int i = 0; i < 3; i++) work(&f);
    eg_memory_status st;
    assert_int_equal(f.ops->status(f.memory, f.rq, &st), EG_OK);
    assert_int_equal(st.store.jobs_queued + st.store.jobs_parked, 0);
    f.damaged = f.memory->cannot_embed = 0; /* another process */
    assert_int_equal(facts_to_embed(&f), 1);
    work(&f);
    assert_int_equal(facts_to_embed(&f), 0);
    fixture_close(&f);
}

/* Whoever leaves a job wakes the worker, after the transaction; who only reads or fails does not. */
static void who_leaves_a_job_wakes_the_worker(void **state) {
    (void)state;
    WITH(f, 1);
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("The auth service runs on port 8080.");
    args.scope = EG_STR("auth");
    args.wait_ms = 0;
    commit_args(&f, args);
    assert_int_equal(f.wakes, 1);
    size_t ran;
    assert_int_equal(f.ops->work(f.memory, f.rq, &ran, NULL), EG_OK);
    assert_int_equal(ran, 1);
    query(&f, "auth port");
    assert_int_equal(open_conflicts(&f, NULL), 0);
    args.content = EG_STR("");
    eg_receipt r;
    assert_int_equal(f.ops->commit(f.memory, f.rq, &args, &r), EG_EINVAL);
    assert_int_equal(f.wakes, 1);

    f.wakes = 0;
    eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
    assert_int_equal(f.wakes, 1); /* when its own wait is over, not before: the worker must not take the job away */
    char id[EG_ID_TEXT];
    eg_id_format(b.conflicts[0].conflict.id, id);
    eg_resolve_args merge = {.conflict_id = eg_str_of(id),
                             .resolution_type = EG_MERGE,
                             .resolution = EG_STR("The auth service runs on ports 8080 and 9090.")};
    eg_resolved done;
    f.wakes = 0;
    assert_int_equal(f.ops->resolve(f.memory, f.rq, &merge, &done), EG_OK);
    assert_int_equal(f.wakes, 1);
    eg_undone undone;
    f.now += EG_SECOND;
    if (f.ops->undo(f.memory, f.rq, done.undo_id, &undone) != EG_OK) fail_msg("%s", f.rq->err->text);
    assert_int_equal(f.wakes, 2);
    fixture_close(&f);
}

/* A detector that uses up its memory fails alone: the rules' finding is written, and the job is done. */
static void a_greedy_detector_fails_alone(void **state) {
    (void)state;
    WITH(f, 1);
    commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    commit_as(&f, "agent-a", "auth", "The auth service logs to the journal.");
    f.memory_limit = (size_t)16 << 20;
    f.greedy = 1;
    eg_receipt r = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
    assert_int_equal(r.conflict_count, 1);
    assert_int_equal(r.detection_done, 1);
    fixture_close(&f);
}

/* A job that runs out of memory is a failed one: given back at once, tried later, parked at last; never leased for ever. */
static void a_job_without_memory_is_counted(void **state) {
    (void)state;
    WITH(f, 1);
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("The auth service runs on port 8080.");
    args.scope = EG_STR("auth");
    args.wait_ms = 0;
    commit_args(&f, args);
    f.memory_limit = (size_t)4 << 20;
    f.embed_greedy = 1;
    eg_memory_status st;
    for (int i = 0; i < EG_MAX_ATTEMPTS; i++) {
        size_t ran;
        assert_int_equal(f.ops->work(f.memory, f.rq, &ran, NULL), EG_OK);
        assert_int_equal(ran, 1);
        assert_int_equal(f.ops->status(f.memory, f.rq, &st), EG_OK);
        assert_int_equal(st.store.jobs_leased, 0);
        f.now += 65 * EG_SECOND;
    }
    assert_int_equal(st.store.jobs_parked, 1);
    fixture_close(&f);
}

/* A budget is of computing: waiting, for the model that another thread uses or for the CPU, is no overrun. */
static void waiting_is_no_overrun(void **state) {
    (void)state;
    static const char *const rooms[] = {"cellar", "kitchen", "attic", "garage", "hall", "study", "pantry"};
    WITH(f, 1);
    f.naps = 1;
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        char text[100];
        snprintf(text, sizeof text, "Somebody cleans the %s in the evening.", rooms[i]);
        commit_as(&f, "agent-a", "house", text);
    }
    f.nli_word = "pinned";
    f.nli_score = 0.99;
    commit_as(&f, "agent-a", "house", "A list of the evening is pinned to the door.");
    assert_int_equal(commit_as(&f, "agent-b", "house", "No list of the evening is pinned anywhere.").conflict_count, 1);
    fixture_close(&f);
}

static void bad_arguments_are_named(void **state) {
    (void)state;
    static char big[EG_MAX_CONTENT + 2];
    memset(big, 'a', sizeof big - 1);
    WITH(f, 1);
    const struct {
        eg_commit_args args;
        eg_status code;
        const char *word;
    } cases[] = {
        {{.content = EG_STR(""), .confidence = 0.5}, EG_EINVAL, "content"},
        {{.content = EG_STR(" \n\t"), .confidence = 0.5}, EG_EINVAL, "content"},
        {{.content = EG_STR("broken \xff utf-8"), .confidence = 0.5}, EG_EINVAL, "byte 7"},
        {{.content = {"a\0b", 3}, .confidence = 0.5}, EG_EINVAL, "NUL"},
        {{.content = {big, EG_MAX_CONTENT + 1}, .confidence = 0.5}, EG_ELIMIT, "8193"},
        {{.content = EG_STR("x"), .confidence = 1.5}, EG_EINVAL, "confidence"},
        {{.content = EG_STR("x"), .confidence = 0.5, .scope = EG_STR("a b")}, EG_EINVAL, "scope"},
        {{.content = EG_STR("x"), .confidence = 0.5, .ttl_days = 99999999}, EG_EINVAL, "ttl_days"},
        {{.content = EG_STR("x"), .confidence = 0.5, .operation = EG_DELETE}, EG_EINVAL, "corrects_lineage"},
        {{.content = EG_STR("x"), .confidence = 0.5, .corrects_lineage = EG_STR("zzz")}, EG_EINVAL, "corrects_lineage"},
        {{.content = EG_STR("x"), .confidence = 0.5, .corrects_lineage = EG_STR("01890000-0000-7000-8000-000000000000")},
         EG_ENOENT,
         "lineage"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        eg_receipt r;
        *f.rq->err = (eg_error){0};
        assert_int_equal(f.ops->commit(f.memory, f.rq, &cases[i].args, &r), cases[i].code);
        if (!strstr(f.rq->err->text, cases[i].word)) fail_msg("case %zu: '%s'", i, f.rq->err->text);
    }
    eg_query_args q = EG_QUERY_DEFAULTS;
    eg_hits hits;
    assert_int_equal(f.ops->query(f.memory, f.rq, &q, &hits), EG_EINVAL);
    q.topic = EG_STR("x");
    q.limit = 51;
    assert_int_equal(f.ops->query(f.memory, f.rq, &q, &hits), EG_EINVAL);
    q.limit = 0;
    q.topic = (eg_str){big, sizeof big - 1};
    assert_int_equal(f.ops->query(f.memory, f.rq, &q, &hits), EG_OK); /* cut, not refused */
    assert_true(hits.topic_cut);
    eg_memory_status st;
    assert_int_equal(f.ops->status(f.memory, f.rq, &st), EG_OK);
    assert_int_equal(st.store.facts, 0);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ttl_fact_lives_until_its_end),
        cmocka_unit_test(a_clock_that_goes_back),
        cmocka_unit_test(relevance_dominates),
        cmocka_unit_test(any_punctuation_is_safe_in_a_query),
        cmocka_unit_test(the_oldest_of_hundreds_is_found),
        cmocka_unit_test(rules_work_without_a_model),
        cmocka_unit_test(units_are_understood),
        cmocka_unit_test(other_services_are_other_subjects),
        cmocka_unit_test(feedback_moves_the_threshold),
        cmocka_unit_test(check_writes_nothing),
        cmocka_unit_test(check_tells_that_a_model_did_not_open),
        cmocka_unit_test(merge_writes_the_merged_fact),
        cmocka_unit_test(a_merge_passes_the_gates),
        cmocka_unit_test(a_merge_promotes_its_text),
        cmocka_unit_test(the_same_agent_is_no_update),
        cmocka_unit_test(a_settled_pair_stays_settled),
        cmocka_unit_test(winner_and_undo),
        cmocka_unit_test(settled_otherwise_is_told),
        cmocka_unit_test(undo_brings_other_conflicts_back),
        cmocka_unit_test(undo_keeps_what_was_dismissed),
        cmocka_unit_test(a_lineage_has_one_current_fact),
        cmocka_unit_test(a_known_text_corrects_too),
        cmocka_unit_test(undo_is_undone_whole),
        cmocka_unit_test(undo_heeds_what_came_after),
        cmocka_unit_test(what_cannot_be_undone_has_no_id),
        cmocka_unit_test(update_supersedes_the_best_match),
        cmocka_unit_test(undo_restores_the_former_end),
        cmocka_unit_test(undo_of_an_update_restores_the_old_fact),
        cmocka_unit_test(duplicates_are_seen),
        cmocka_unit_test(a_parked_job_is_no_verdict),
        cmocka_unit_test(ephemeral_facts_earn_their_place),
        cmocka_unit_test(the_latest_hits_are_counted),
        cmocka_unit_test(vectors_come_later),
        cmocka_unit_test(another_embedding_model),
        cmocka_unit_test(reembedding_is_interrupted),
        cmocka_unit_test(a_damaged_model_leaves_the_work),
        cmocka_unit_test(who_leaves_a_job_wakes_the_worker),
        cmocka_unit_test(a_greedy_detector_fails_alone),
        cmocka_unit_test(a_job_without_memory_is_counted),
        cmocka_unit_test(waiting_is_no_overrun),
        cmocka_unit_test(bad_arguments_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
