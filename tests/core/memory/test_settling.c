/* test_settling.c - conflicts that are settled and facts that are corrected. */
#include "core/memory/changes.h"
#include "fixture.h"

/* merge really writes the merged fact with both parents; listing conflicts changes nothing. */
static void merge_writes_the_merged_fact(void **state) {
    (void)state;
    WITH(f, 1);
    commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
    assert_int_equal(b.conflict_count, 1);
    char id[EG_ID_TEXT];
    eg_id_format(b.conflicts[0].conflict.id, id);
    eg_resolve_args args = {.size = sizeof(eg_resolve_args),
                            .conflict_id = eg_str_of(id),
                            .resolution_type = EG_RESOLUTION_MERGE,
                            .resolution = EG_STR("seen in the cluster")};
    eg_resolved done;
    f.now += EG_SECOND;
    /* without the merged fact nothing happens: the reason is none */
    assert_int_equal(f.ops->resolve(f.memory, f.rq, &args, &done), EG_EINVAL);
    assert_string_equal(f.rq->err->text, "merged_content: is missing; merge needs the text of the fact that replaces both");
    assert_int_equal(open_conflicts(&f, NULL), 1);
    assert_int_equal(query(&f, "auth service port").count, 2);
    args.merged_content = EG_STR(" \n");
    assert_int_equal(f.ops->resolve(f.memory, f.rq, &args, &done), EG_EINVAL);
    assert_string_equal(f.rq->err->text, "merged_content is empty: give it some text");
    args.merged_content = EG_STR("The auth service runs on port 8080 inside and 9090 outside the cluster.");
    if (f.ops->resolve(f.memory, f.rq, &args, &done) != EG_OK) fail_msg("%s", f.rq->err->text);
    assert_int_equal(done.closed_count, 2);
    assert_true(eg_id_eq(done.merged.parents[0], b.conflicts[0].a.id) && eg_id_eq(done.merged.parents[1], b.fact.id));
    eg_hits hits = query(&f, "auth service port");
    assert_int_equal(hits.count, 1);
    assert_true(eg_id_eq(hits.hits[0].fact.id, done.merged.id));
    assert_int_equal(open_conflicts(&f, NULL), 0);
    eg_store_stats before, after;
    assert_int_equal(f.memory->env.storage_ops->stats(f.storage, f.rq, 0, &before), EG_OK);
    open_conflicts(&f, NULL);
    assert_int_equal(f.memory->env.storage_ops->stats(f.storage, f.rq, 0, &after), EG_OK);
    assert_int_equal(before.seq, after.seq);
    fixture_close(&f);
}

/* A gate of the tests: nothing may hold the word "secret". */
static eg_status refuse_secret(void *self, const eg_services *services, eg_request *rq, const eg_commit_args *args) {
    (void)self, (void)services;
    int bad = memmem(args->content.ptr, args->content.len, "secret", 6) != NULL;
    return bad ? eg_request_fail(rq, EG_EREFUSED, "content holds a secret") : EG_OK;
}

/* What may not be committed may not be merged in either, nor be said of a settlement. */
static void what_settles_passes_the_gates(void **state) {
    (void)state;
    static const eg_gate_slot slot = {.gate = {.size = sizeof slot.gate, .name = "word", .check = refuse_secret}};
    WITH(f, 1);
    f.memory->env.gates = &slot;
    f.memory->env.gate_count = 1;
    commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
    char id[EG_ID_TEXT];
    eg_id_format(b.conflicts[0].conflict.id, id);
    eg_resolve_args args = {.size = sizeof(eg_resolve_args),
                            .conflict_id = eg_str_of(id),
                            .resolution_type = EG_RESOLUTION_MERGE,
                            .merged_content = EG_STR("The auth service runs on port 8080; the secret is xyzzy.")};
    eg_resolved done;
    assert_int_equal(f.ops->resolve(f.memory, f.rq, &args, &done), EG_EREFUSED);
    assert_non_null(strstr(f.rq->err->text, "merged_content: content holds a secret"));
    assert_int_equal(open_conflicts(&f, NULL), 1);
    args.resolution = args.merged_content;
    args.merged_content = EG_STR("The auth service runs on ports 8080 and 9090.");
    for (eg_resolution how = EG_RESOLUTION_WINNER; how <= EG_RESOLUTION_BOTH_VALID; how++) {
        char winner[EG_ID_TEXT];
        eg_id_format(b.fact.id, winner);
        args.resolution_type = how;
        args.winning_fact_id = how == EG_RESOLUTION_WINNER ? eg_str_of(winner) : (eg_str){0};
        assert_int_equal(f.ops->resolve(f.memory, f.rq, &args, &done), EG_EREFUSED);
        assert_non_null(strstr(f.rq->err->text, "resolution: content holds a secret"));
    }
    assert_int_equal(open_conflicts(&f, NULL), 1);
    assert_int_equal(query(&f, "auth service port").count, 2);
    args.merged_content = args.resolution; /* of which other ways make nothing */
    args.resolution = EG_STR("both run");
    assert_int_equal(f.ops->resolve(f.memory, f.rq, &args, &done), EG_OK);
    fixture_close(&f);
}

/* Without a gate that is required no text is stored, by whatever way; what is there is read, and
 * what stores no text works. */
static void nothing_is_stored_without_the_gate(void **state) {
    (void)state;
    WITH(f, 1);
    eg_receipt a = commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
    f.memory->env.writing_problem = EG_STR("nothing is stored without the gate 'x'");
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    eg_receipt receipt;
    args.content = EG_STR("The auth service has two replicas.");
    for (eg_operation o = EG_OP_ADD; o <= EG_OP_DELETE; o++) {
        char lineage[EG_ID_TEXT];
        eg_id_format(a.fact.lineage_id, lineage);
        args.operation = o;
        args.corrects_lineage = o == EG_OP_ADD ? (eg_str){0} : eg_str_of(lineage);
        assert_int_equal(f.ops->commit(f.memory, f.rq, &args, &receipt), EG_EUNAVAILABLE);
        assert_string_equal(f.rq->err->text, f.memory->env.writing_problem.ptr);
    }
    settling_ids ids;
    eg_resolved done;
    for (eg_resolution how = EG_RESOLUTION_WINNER; how <= EG_RESOLUTION_BOTH_VALID; how++) {
        eg_resolve_args settles = settling(&ids, b.conflicts[0].conflict.id, how, b.fact.id);
        settles.merged_content = EG_STR("The auth service runs on ports 8080 and 9090.");
        assert_int_equal(f.ops->resolve(f.memory, f.rq, &settles, &done), EG_EUNAVAILABLE);
    }
    eg_memory_status told;
    assert_int_equal(f.ops->status(f.memory, f.rq, &told), EG_OK);
    assert_true(eg_str_eq(told.writing_problem, f.memory->env.writing_problem));
    assert_int_equal(told.store.facts, 2);
    assert_int_equal(query(&f, "auth service port").count, 2);
    assert_int_equal(open_conflicts(&f, NULL), 1);
    assert_int_equal(f.ops->feedback(f.memory, f.rq, eg_str_of(ids.conflict), 1), EG_OK);
    f.memory->env.writing_problem = (eg_str){0};
    settle(&f, b.conflicts[0].conflict.id, EG_RESOLUTION_DISMISS, (eg_id){{0}});
    fixture_close(&f);
}

/* The gates see who commits also where no argument says so, and what a deletion keeps. */
static eg_status no_mallory(void *self, const eg_services *services, eg_request *rq, const eg_commit_args *args) {
    (void)self, (void)services;
    int bad = eg_str_eq(args->agent_id, EG_STR("mallory")) || args->content.len == 1;
    return bad ? eg_request_fail(rq, EG_EREFUSED, "mallory was here") : EG_OK;
}

static void gates_see_who_commits(void **state) {
    (void)state;
    static const eg_gate_slot slot = {.gate = {.size = sizeof slot.gate, .name = "who", .check = no_mallory}};
    WITH(f, 0);
    eg_receipt a = commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    f.memory->env.gates = &slot;
    f.memory->env.gate_count = 1;
    eg_principal who = *f.rq->who;
    who.agent = EG_STR("mallory");
    eg_request *rq = fixture_request(&f, "local", &who, (eg_cancel){0});
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    eg_receipt receipt;
    args.content = EG_STR("The auth service has two replicas.");
    assert_int_equal(f.ops->commit(f.memory, rq, &args, &receipt), EG_EREFUSED);
    char lineage[EG_ID_TEXT];
    eg_id_format(a.fact.lineage_id, lineage);
    args.operation = EG_OP_DELETE;
    args.corrects_lineage = eg_str_of(lineage);
    args.content = EG_STR("x"); /* not kept, so not looked at */
    assert_int_equal(f.ops->commit(f.memory, rq, &args, &receipt), EG_EREFUSED);
    args.agent_id = EG_STR("alice");
    assert_int_equal(f.ops->commit(f.memory, rq, &args, &receipt), EG_OK);
    f.services.request_release(&f, rq);
    fixture_close(&f);
}

/* Each text of a commit, a settlement and a judgement: what readers do not see is refused with its
 * code point and place; what belongs to a script or an emoji is stored. */
static void hidden_characters_are_refused(void **state) {
    (void)state;
    WITH(f, 1);
    commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090."), r;
    const eg_str hidden = EG_STR("ab\xE2\x80\xAE"
                                 "cd"),
                 given[] = {EG_STR("It runs.\xF3\xA0\x81\x81")};
    static const struct {
        size_t field;
        const char *said;
    } cases[] = {{offsetof(eg_commit_args, content), "content holds U+202E at byte 2"},
                 {offsetof(eg_commit_args, agent_id), "agent_id holds U+202E at byte 2"},
                 {offsetof(eg_commit_args, engineer), "engineer holds U+202E at byte 2"},
                 {offsetof(eg_commit_args, provenance), "provenance holds U+202E at byte 2"},
                 {offsetof(eg_commit_args, artifact_hash), "artifact_hash holds U+202E at byte 2"},
                 {offsetof(eg_commit_args, scope), "scope holds"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        eg_commit_args args = EG_COMMIT_DEFAULTS;
        args.content = EG_STR("It runs.");
        memcpy((char *)&args + cases[i].field, &hidden, sizeof hidden);
        assert_int_equal(f.ops->commit(f.memory, f.rq, &args, &r), EG_EINVAL);
        if (!strstr(f.rq->err->text, cases[i].said)) fail_msg("%s", f.rq->err->text);
    }
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("It runs.");
    args.statements = given;
    args.statement_count = 1;
    assert_int_equal(f.ops->commit(f.memory, f.rq, &args, &r), EG_EINVAL);
    assert_non_null(strstr(f.rq->err->text, "statements: number 1 holds U+E0041 at byte 8"));
    eg_principal who = *f.rq->who;
    who.agent = hidden; /* the client's own name, where no argument names an agent */
    eg_request *rq = fixture_request(&f, "local", &who, (eg_cancel){0});
    args.statement_count = 0;
    assert_int_equal(f.ops->commit(f.memory, rq, &args, &r), EG_EINVAL);
    f.services.request_release(&f, rq);
    settling_ids ids;
    eg_resolved done;
    eg_resolve_args merges = settling(&ids, b.conflicts[0].conflict.id, EG_RESOLUTION_MERGE, (eg_id){{0}});
    merges.merged_content = hidden;
    assert_int_equal(f.ops->resolve(f.memory, f.rq, &merges, &done), EG_EINVAL);
    assert_non_null(strstr(f.rq->err->text, "merged_content holds U+202E at byte 2"));
    merges.merged_content = EG_STR("Both.");
    merges.resolution = hidden;
    assert_int_equal(f.ops->resolve(f.memory, f.rq, &merges, &done), EG_EINVAL);
    assert_non_null(strstr(f.rq->err->text, "resolution holds U+202E at byte 2"));
    merges.resolution = EG_STR("why");
    merges.agent_id = hidden;
    assert_int_equal(f.ops->resolve(f.memory, f.rq, &merges, &done), EG_EINVAL);
    eg_judge_args judges = {.size = sizeof judges, .conflict_id = merges.conflict_id, .reason = hidden};
    assert_int_equal(f.ops->judge(f.memory, f.rq, &judges, &done), EG_EINVAL);
    assert_non_null(strstr(f.rq->err->text, "reason holds U+202E at byte 2"));
    assert_int_equal(query(&f, "auth runs").count, 2);
    commit_as(&f, "agent-a", "auth",
              "Teams: \xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9, \xE2\x9A\xA0\xEF\xB8\x8F, "
              "\xD9\x85\xDB\x8C\xE2\x80\x8C\xD8\xAE.\r\n\tSecond line.");
    fixture_close(&f);
}

/* What the receipt of a change says to do: the same content again as an update of the lineage
 * closes the fact that was true before, and the conflict with it. */
static void a_change_said_afterwards(void **state) {
    (void)state;
    WITH(f, 1);
    eg_receipt a = commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
    assert_int_equal(b.conflict_count, 1);
    f.now += EG_SECOND;
    char lineage[EG_ID_TEXT];
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    eg_id_format(a.fact.lineage_id, lineage);
    args.content = EG_STR("The `auth` service runs on port 9090!");
    args.scope = EG_STR("auth");
    args.operation = EG_OP_UPDATE;
    args.corrects_lineage = eg_str_of(lineage);
    eg_receipt again = commit_args(&f, args);
    assert_true(again.duplicate && eg_id_eq(again.fact.id, b.fact.id));
    assert_int_equal(open_conflicts(&f, NULL), 0);
    assert_int_equal(query(&f, "auth service port").count, 1);
    undo(&f, again.undo_id);
    assert_int_equal(open_conflicts(&f, NULL), 1);
    fixture_close(&f);
}

/* A merge into a text that is known as an ephemeral fact, or as one that would end, makes that
 * one durable and keeps it. */
static void a_merge_promotes_its_text(void **state) {
    (void)state;
    for (uint32_t ttl_days = 0; ttl_days < 10; ttl_days += 9) {
        WITH(f, 1);
        commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
        eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
        eg_commit_args note = EG_COMMIT_DEFAULTS;
        note.content = EG_STR("The auth service runs on ports 8080 and 9090.");
        note.scope = EG_STR("auth");
        note.durability = ttl_days ? EG_DURABILITY_DURABLE : EG_DURABILITY_EPHEMERAL;
        note.ttl_days = ttl_days;
        eg_receipt there = commit_args(&f, note);
        char id[EG_ID_TEXT];
        eg_id_format(b.conflicts[0].conflict.id, id);
        eg_resolve_args args = {.size = sizeof(eg_resolve_args),
                                .conflict_id = eg_str_of(id),
                                .resolution_type = EG_RESOLUTION_MERGE,
                                .merged_content = note.content};
        eg_resolved done;
        f.now += EG_SECOND;
        if (f.ops->resolve(f.memory, f.rq, &args, &done) != EG_OK) fail_msg("%s", f.rq->err->text);
        assert_int_equal(done.closed_count, 2);
        assert_true(eg_id_eq(done.merged.id, there.fact.id));
        assert_int_equal(done.merged.durability, EG_DURABILITY_DURABLE);
        assert_true(done.merged.valid_until == EG_FOREVER);
        eg_undone undone;
        f.now += EG_SECOND;
        if (f.ops->undo(f.memory, f.rq, done.undo_id, &undone) != EG_OK) fail_msg("%s", f.rq->err->text);
        assert_int_equal(undone.restored_count, 2);
        assert_int_equal(undone.closed_count, 0);
        fixture_close(&f);
    }
}

/* Another process: it finds a conflict between what is being closed and a third fact, just
 * before that is written. */
static struct {
    const eg_storage_ops *real;
    eg_conflict conflict;
    int left;
} finder;

static eg_status apply_after_a_finding(eg_storage *storage, eg_request *rq, const eg_change_set *set, eg_applied *out) {
    if (finder.left-- > 0) {
        const eg_change found = {.kind = EG_CHANGE_CONFLICT, .conflict = &finder.conflict};
        const eg_change_set other = {.size = sizeof other, .actor = EG_STR("other"), .changes = &found, .change_count = 1};
        assert_int_equal(finder.real->apply(storage, rq, &other, out), EG_OK);
    }
    return finder.real->apply(storage, rq, set, out);
}

/* No conflict stays open with a fact that is not current any more, however late it was found. */
static void a_conflict_found_meanwhile_ends_too(void **state) {
    (void)state;
    static eg_storage_ops ops;
    WITH(f, 1);
    eg_receipt a = commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
    eg_receipt third = commit_as(&f, "agent-c", "auth", "Nobody may log in at night.");
    assert_int_equal(open_conflicts(&f, NULL), 1);
    finder.real = f.memory->env.storage_ops;
    finder.left = 1;
    finder.conflict = (eg_conflict){.id = f.services.new_id(&f),
                                    .fact_a = a.fact.id,
                                    .fact_b = third.fact.id,
                                    .tier = EG_STR("t"),
                                    .detector = EG_STR("d"),
                                    .explanation = EG_STR("e")};
    ops = *finder.real;
    ops.apply = apply_after_a_finding;
    f.memory->env.storage_ops = &ops;
    char id[EG_ID_TEXT], winner[EG_ID_TEXT];
    eg_id_format(b.conflicts[0].conflict.id, id);
    eg_id_format(b.fact.id, winner);
    eg_resolve_args args = {.size = sizeof(eg_resolve_args),
                            .conflict_id = eg_str_of(id),
                            .resolution_type = EG_RESOLUTION_WINNER,
                            .winning_fact_id = eg_str_of(winner)};
    eg_resolved done;
    if (f.ops->resolve(f.memory, f.rq, &args, &done) != EG_OK) fail_msg("%s", f.rq->err->text);
    assert_int_equal(done.other_conflicts_closed, 1);
    assert_int_equal(open_conflicts(&f, NULL), 0);
    assert_true(eg_id_eq(done.conflict.resolved_fact, b.fact.id));
    fixture_close(&f);
}

/* One agent's two incompatible facts are a conflict of severity medium, not a silent
 * replacement. */
static void the_same_agent_is_no_update(void **state) {
    (void)state;
    WITH(f, 1);
    commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
    eg_receipt r = commit_as(&f, "agent-a", "auth", "The auth service runs on port 9090.");
    assert_int_equal(r.conflict_count, 1);
    assert_int_equal(r.conflicts[0].conflict.severity, EG_SEVERITY_MEDIUM);
    assert_int_equal(query(&f, "auth service port").count, 2);
    fixture_close(&f);
}

/* A settled pair does not come back, in either order, however it was settled. */
static void a_settled_pair_stays_settled(void **state) {
    (void)state;
    static const eg_resolution ways[] = {EG_RESOLUTION_DISMISS, EG_RESOLUTION_BOTH_VALID};
    for (size_t i = 0; i < 2; i++) {
        WITH(f, 1);
        eg_receipt a = commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.");
        eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
        char id[EG_ID_TEXT];
        eg_id_format(b.conflicts[0].conflict.id, id);
        eg_resolve_args args = {.size = sizeof(eg_resolve_args),
                                .conflict_id = eg_str_of(id),
                                .resolution_type = ways[i],
                                .resolution = EG_STR("fine")};
        eg_resolved done;
        assert_int_equal(f.ops->resolve(f.memory, f.rq, &args, &done), EG_OK);
        /* the same once more is no error, another way is */
        assert_int_equal(f.ops->resolve(f.memory, f.rq, &args, &done), EG_OK);
        args.resolution_type = EG_RESOLUTION_WINNER;
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

/* Only who asks for what happened is told that it did: another winner or another merged text is
 * refused. */
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
        eg_resolve_args same = {.size = sizeof(eg_resolve_args),
                                .conflict_id = eg_str_of(id),
                                .winning_fact_id = eg_str_of(first)},
                        other = same;
        other.winning_fact_id = eg_str_of(second);
        if (how == 1) {
            same.resolution_type = other.resolution_type = EG_RESOLUTION_MERGE;
            same.merged_content = EG_STR("The auth service runs on port 8080 inside.");
            other.merged_content = EG_STR("The auth service runs on port 9090 inside.");
        }
        eg_resolved done;
        f.now += EG_SECOND;
        if (how == 2) correct(&f, b.fact, EG_OP_DELETE, ""); /* which ends the conflict too */
        else assert_int_equal(f.ops->resolve(f.memory, f.rq, &same, &done), EG_OK);
        assert_int_equal(f.ops->resolve(f.memory, f.rq, &same, &done), EG_OK);
        assert_int_equal(done.undo_id, 0);
        assert_int_equal(f.ops->resolve(f.memory, f.rq, &other, &done), EG_EINVAL);
        assert_non_null(strstr(f.rq->err->text, "settled already"));
        fixture_close(&f);
    }
}

/* A fact that ended by itself does not win over the one that is current; that one does. */
static void what_has_ended_does_not_win(void **state) {
    (void)state;
    WITH(f, 1);
    eg_fact a = commit_for(&f, "agent-a", 1, "The auth service runs on port 8080.").fact;
    eg_receipt b = commit_as(&f, "agent-b", "auth", "The auth service runs on port 9090.");
    eg_id conflict = b.conflicts[0].conflict.id;
    char id[EG_ID_TEXT], ended[EG_ID_TEXT];
    eg_id_format(conflict, id);
    eg_id_format(a.id, ended);
    eg_resolve_args args = {.size = sizeof(eg_resolve_args), .conflict_id = eg_str_of(id), .winning_fact_id = eg_str_of(ended)};
    eg_resolved done;
    f.now += 2 * EG_DAY;
    assert_int_equal(f.ops->resolve(f.memory, f.rq, &args, &done), EG_EINVAL);
    assert_non_null(strstr(f.rq->err->text, "has ended"));
    assert_int_equal(current_of(&f, b.fact.lineage_id), 1);
    assert_int_equal(settle(&f, conflict, EG_RESOLUTION_WINNER, b.fact.id).closed_count, 0);
    assert_int_equal(current_of(&f, b.fact.lineage_id), 1);
    fixture_close(&f);
}

/* Another writer, between what a commit read and what it writes. */
static const eg_storage_ops *real_ops;
static fixture *racing;
static eg_fact raced;
static eg_status race_and_apply(eg_storage *store, eg_request *rq, const eg_change_set *set, eg_applied *out) {
    fixture *f = racing;
    racing = NULL;
    if (f) correct(f, raced, EG_OP_UPDATE, "The audit freeze of the cluster lasts two weeks.");
    return real_ops->apply(store, rq, set, out);
}

/* A lineage never has two current facts: not by undo of a delete, not by two updates after its
 * fact expired. */
static void a_lineage_has_one_current_fact(void **state) {
    (void)state;
    WITH(f, 1);
    eg_fact a = commit_as(&f, "agent-a", "auth", "The auth service runs on port 8080.").fact;
    int64_t deleted = correct(&f, a, EG_OP_DELETE, "").undo_id;
    int64_t again = correct(&f, a, EG_OP_UPDATE, "The auth service runs on port 9090.").undo_id;
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
    ops.apply = race_and_apply;
    f.memory->env.storage_ops = &ops;
    racing = &f;
    eg_receipt last = correct(&f, raced, EG_OP_UPDATE, "The audit freeze of the cluster is over.");
    f.memory->env.storage_ops = real_ops;
    assert_null(racing); /* the other writer came in between */
    assert_int_equal(current_of(&f, raced.lineage_id), 1);
    assert_int_equal(last.fact.open_conflicts, 0);
    assert_true(last.fact.valid_until == EG_FOREVER);
    fixture_close(&f);
}

/* A correction whose text is known already still ends what it corrects, and undo brings that
 * back. */
static void a_known_text_corrects_too(void **state) {
    (void)state;
    for (int ephemeral = 0; ephemeral < 2; ephemeral++) {
        WITH(f, 1);
        eg_fact x = commit_as(&f, "agent-a", "auth", "The auth service rate limit is 500 req/s.").fact;
        eg_commit_args args = EG_COMMIT_DEFAULTS;
        args.content = EG_STR("The auth service rate limit is 800 req/s.");
        args.scope = EG_STR("auth");
        args.agent_id = EG_STR("agent-b");
        args.durability = ephemeral ? EG_DURABILITY_EPHEMERAL : EG_DURABILITY_DURABLE;
        eg_fact y = commit_args(&f, args).fact;
        assert_int_equal(open_conflicts(&f, NULL), !ephemeral);
        eg_receipt r = correct(&f, x, EG_OP_UPDATE, "The auth service rate limit is 800 req/s.");
        assert_true(r.duplicate && eg_id_eq(r.fact.id, y.id));
        assert_int_equal(r.operation, EG_OP_UPDATE);
        assert_int_equal(r.fact.durability, EG_DURABILITY_DURABLE);
        assert_int_equal(current_of(&f, x.lineage_id), 0);
        assert_int_equal(open_conflicts(&f, NULL), 0);
        assert_true(correct(&f, y, EG_OP_UPDATE, "The auth service rate limit is 800 req/s.").undo_id == 0);
        eg_undone undone = undo(&f, r.undo_id);
        assert_int_equal(undone.closed_count, 0);
        assert_true(undone.restored_count == 1 && eg_id_eq(undone.restored[0].restored_from, x.id));
        work(&f);
        assert_int_equal(open_conflicts(&f, NULL), 1);
        fixture_close(&f);
    }
}

/* operation=update replaces the best match; without one it is an add; an explicit lineage always
 * wins. */
static void update_supersedes_the_best_match(void **state) {
    (void)state;
    WITH(f, 1);
    eg_receipt old = commit_as(&f, "agent-a", "auth", "The auth service rate limit is 1000 req/s per IP.");
    commit_as(&f, "agent-a", "mail", "Mail templates live in the mail repository.");
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("The auth service rate limit is 2000 req/s per IP.");
    args.scope = EG_STR("auth");
    args.agent_id = EG_STR("agent-b");
    args.operation = EG_OP_UPDATE;
    eg_receipt r = commit_args(&f, args);
    assert_int_equal(r.operation, EG_OP_UPDATE);
    assert_true(eg_id_eq(r.fact.supersedes, old.fact.id) && eg_id_eq(r.fact.lineage_id, old.fact.lineage_id));
    assert_int_equal(r.conflict_count, 0);
    eg_hits hits = query(&f, "auth rate limit");
    assert_int_equal(hits.count, 2);
    assert_true(eg_id_eq(hits.hits[0].fact.id, r.fact.id));

    args.content = EG_STR("Kafka topics have twelve partitions.");
    r = commit_args(&f, args);
    assert_int_equal(r.operation, EG_OP_ADD);

    char lineage[EG_ID_TEXT];
    eg_id_format(old.fact.lineage_id, lineage);
    eg_commit_args retire = EG_COMMIT_DEFAULTS;
    retire.operation = EG_OP_DELETE;
    retire.corrects_lineage = eg_str_of(lineage);
    r = commit_args(&f, retire);
    assert_int_equal(r.fact.close_reason, EG_CLOSE_DELETED);
    assert_int_equal(f.ops->commit(f.memory, f.rq, &retire, &r), EG_ENOENT);
    eg_fact *rows;
    size_t n;
    assert_int_equal(f.ops->lineage(f.memory, f.rq, eg_str_of(lineage), &rows, &n), EG_OK);
    assert_int_equal(n, 2);
    fixture_close(&f);
}

/* An update without a lineage does not replace what says the same in the scopes below, however much
 * of that there is. */
static void update_spares_its_own_words(void **state) {
    (void)state;
    enum { NARROWER = 50 };
    WITH(f, 1);
    eg_receipt old = commit_as(&f, "agent-a", "auth", "The auth service rate limit is 1000 req/s per IP.");
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("The auth service rate limit is 2000 req/s per IP.");
    args.wait_ms = 0;
    for (int i = 0; i < NARROWER; i++) {
        char scope[20];
        snprintf(scope, sizeof scope, "auth/node%d", i);
        args.scope = eg_str_of(scope);
        commit_args(&f, args);
    }
    args.operation = EG_OP_UPDATE;
    args.scope = EG_STR("auth");
    eg_receipt r = commit_args(&f, args);
    assert_int_equal(r.operation, EG_OP_UPDATE);
    assert_true(eg_id_eq(r.fact.supersedes, old.fact.id));
    eg_memory_status st;
    assert_int_equal(f.ops->status(f.memory, f.rq, &st), EG_OK);
    assert_int_equal(st.store.current_facts, NARROWER + 1);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merge_writes_the_merged_fact),        cmocka_unit_test(what_settles_passes_the_gates),
        cmocka_unit_test(nothing_is_stored_without_the_gate),  cmocka_unit_test(gates_see_who_commits),
        cmocka_unit_test(hidden_characters_are_refused),       cmocka_unit_test(a_change_said_afterwards),
        cmocka_unit_test(a_conflict_found_meanwhile_ends_too), cmocka_unit_test(a_merge_promotes_its_text),
        cmocka_unit_test(the_same_agent_is_no_update),         cmocka_unit_test(a_settled_pair_stays_settled),
        cmocka_unit_test(settled_otherwise_is_told),           cmocka_unit_test(what_has_ended_does_not_win),
        cmocka_unit_test(a_lineage_has_one_current_fact),      cmocka_unit_test(a_known_text_corrects_too),
        cmocka_unit_test(update_supersedes_the_best_match),    cmocka_unit_test(update_spares_its_own_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
