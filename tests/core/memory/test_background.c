/* test_background.c - what happens behind a commit: verdicts that come later, vectors, another
 * model, a worker's calls, and detectors that take too much. */
#include "core/memory/jobs.h"
#include "core/memory/reembed.h"
#include "fixture.h"

/* A fact whose detection was given up is not called decided, and nobody waits for it. */
static void a_dead_lettered_job_is_no_verdict(void **state) {
    (void)state;
    WITH(f, 1);
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = EG_STR("The uplink has 10 MB buffers.");
    args.wait_ms = 0;
    eg_receipt r = commit_args(&f, args);
    eg_job *jobs;
    size_t n;
    const eg_lease_args lease = {.size = sizeof lease, .owner = EG_STR("test-1"), .lease_time = EG_SECOND, .limit = 1};
    /* processes that die of it */
    for (int i = 0; i <= EG_MAX_ATTEMPTS; i++, f.now += 2 * EG_SECOND) {
        assert_int_equal(f.memory->env.storage_ops->lease(f.storage, f.rq, &lease, &jobs, &n), EG_OK);
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

/* Without a model the vectors wait as a job; when one is there, they are made and the fact is
 * found by meaning. */
static void vectors_come_later(void **state) {
    (void)state;
    WITH(f, 0);
    commit_as(&f, "agent-a", "auth", "Session tokens are rotated by the auth service.");
    eg_memory_status st;
    assert_int_equal(f.ops->status(f.memory, f.rq, &st), EG_OK);
    assert_int_equal(st.store.vectors, 0);
    size_t ran, left;
    f.now += 700 * EG_SECOND;
    assert_int_equal(f.ops->work(f.memory, f.rq, &ran, &left), EG_OK);
    assert_true(ran == 0 && left == 1); /* nothing is written about it before */
    f.with_model = 1;
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

/* Another embedding model: words find everything at once, nothing of the old model is taken for
 * the new one's, and the work goes on in the background, each fact once, without looking for
 * contradictions again. A change back costs nothing. */
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
    forget(&f);
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
    forget(&f);
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

/* One process embeds the facts of every workspace of its store, also of those that nobody asks it
 * about. */
static void every_workspace_is_embedded(void **state) {
    (void)state;
    WITH(f, 1);
    static const char *const names[] = {"local", "team-a", "team-b"};
    for (int i = 0; i < 3; i++) {
        eg_request *rq = request_in(&f, names[i]);
        eg_commit_args args = EG_COMMIT_DEFAULTS;
        eg_receipt r;
        args.content = EG_STR("The archive bucket is emptied on Sundays.");
        if (f.ops->commit(f.memory, rq, &args, &r) != EG_OK) fail_msg("commit: %s", rq->err->text);
        f.services.request_release(&f, rq);
    }
    work(&f);
    f.model = "other";
    forget(&f);
    work(&f);
    for (int i = 0; i < 3; i++) {
        eg_request *rq = request_in(&f, names[i]);
        eg_memory_status st;
        assert_int_equal(f.ops->status(f.memory, rq, &st), EG_OK);
        assert_int_equal(st.facts_to_embed, 0);
        f.services.request_release(&f, rq);
    }
    fixture_close(&f);
}

/* A deadline, a cancelled worker and a model that is not there leave the work to others; two
 * that work at once add nothing twice. */
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
    forget(&f);
    /* long past */
    eg_request *late = fixture_request(&f, "local", NULL, (eg_cancel){.deadline = 1});
    assert_int_equal(f.ops->reembed(f.memory, late, &left), EG_OK);
    assert_int_equal(left, 16); /* one batch of four */
    f.services.request_release(&f, late);
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
    /* and somebody else does all of it meanwhile */
    assert_int_equal(f.ops->reembed(f.memory, f.rq, &left), EG_OK);
    assert_int_equal(left, 0);
    work(&f);
    assert_int_equal(f.ops->status(f.memory, f.rq, &st), EG_OK);
    assert_int_equal(st.store.vectors, 2 * vectors);
    fixture_close(&f);
}

/* A model that does not open is tried once and leaves the work to processes where it does.
 * Without anything to do it is not even loaded. */
static void a_damaged_model_leaves_the_work(void **state) {
    (void)state;
    WITH(f, 1);
    commit_as(&f, "agent-a", "x", "The sweeper runs hourly.");
    f.opened = 0;
    work(&f);
    assert_int_equal(f.opened, 0);
    f.model = "other";
    forget(&f);
    f.damaged = 1;
    for (int i = 0; i < 3; i++) work(&f);
    eg_memory_status st;
    assert_int_equal(f.ops->status(f.memory, f.rq, &st), EG_OK);
    assert_int_equal(st.store.jobs_queued + st.store.jobs_dead, 0);
    f.damaged = f.memory->cannot_embed = 0; /* another process */
    assert_int_equal(facts_to_embed(&f), 1);
    work(&f);
    assert_int_equal(facts_to_embed(&f), 0);
    fixture_close(&f);
}

/* Whoever leaves a job wakes the worker, after the transaction; who only reads or fails does
 * not. */
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
    /* when its own wait is over, not before: the worker must not take the job away */
    assert_int_equal(f.wakes, 1);
    char id[EG_ID_TEXT];
    eg_id_format(b.conflicts[0].conflict.id, id);
    eg_resolve_args merge = {.size = sizeof(eg_resolve_args),
                             .conflict_id = eg_str_of(id),
                             .resolution_type = EG_RESOLUTION_MERGE,
                             .merged_content = EG_STR("The auth service runs on ports 8080 and 9090.")};
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

static eg_status refuses_leases(eg_storage *st, eg_request *rq, const eg_lease_args *args, eg_job **out, size_t *n) {
    (void)st, (void)args, (void)out, (void)n;
    return eg_request_fail(rq, EG_EIO, "the disk is full");
}

/* Why no job could be taken reaches who asked for it: the worker, or a commit that waits, whose
 * warnings would be empty otherwise. */
static void why_no_job_is_taken(void **state) {
    (void)state;
    WITH(f, 1);
    eg_storage_ops broken = *f.memory->env.storage_ops;
    broken.lease = refuses_leases;
    f.memory->env.storage_ops = &broken;
    size_t done;
    assert_int_equal(f.ops->work(f.memory, f.rq, &done, NULL), EG_EIO);
    assert_string_equal(f.rq->err->text, "the disk is full");
    fixture_close(&f);
}

/* A detector that uses up its memory fails alone: the rules' finding is written, and the job is
 * done. */
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

/* A job that runs out of memory is a failed one: given back at once, tried later, dead-lettered
 * at last; never leased for ever. */
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
    assert_int_equal(st.store.jobs_dead, 1);
    fixture_close(&f);
}

/* A budget is of computing: waiting, for the model that another thread uses or for the CPU, is
 * no overrun. */
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

/* A kind of jobs as a plugin adds it: fails so often, then keeps what it was given. */
static struct {
    int runs, fails;
    eg_status how;
    char payload[20];
    eg_id fact;
} errand;
static eg_status run_errand(void *self, const eg_services *services, eg_request *rq, const eg_job_view *job) {
    (void)services;
    assert_ptr_equal(self, &errand);
    assert_true(eg_str_eq(rq->workspace, EG_STR("local")) && eg_str_eq(job->name, EG_STR("test.errand")));
    assert_int_equal(job->attempts, errand.how == EG_ECANCELLED ? 0 : errand.runs);
    if (errand.runs++ < errand.fails) return errand.how;
    snprintf(errand.payload, sizeof errand.payload, "%.*s", (int)job->payload.len, job->payload.ptr);
    errand.fact = job->fact;
    return EG_OK;
}

static void plugin_jobs(fixture *f, int fails, eg_status how) {
    static const eg_job_kind_slot slot = {{.size = sizeof slot.kind, .name = "test.errand", .version = "1", .run = run_errand},
                                          &errand};
    memset(&errand, 0, sizeof errand);
    errand.fails = fails;
    errand.how = how;
    f->memory->env.job_kinds = &slot;
    f->memory->env.job_kind_count = 1;
}

/* Jobs of plugins are kept, run, tried again and dead-lettered as the memory's own are. */
static void plugins_have_jobs(void **state) {
    (void)state;
    WITH(f, 1);
    eg_id fact = commit_as(&f, "agent-a", "x", "The sweeper runs hourly.").fact.id;
    eg_memory_status st;
    size_t ran;
    assert_int_equal(eg_jobs_queue(f.memory, f.rq, "test.errand", fact, EG_STR("{}"), 0), EG_ENOENT);
    plugin_jobs(&f, 2, EG_EIO);
    assert_int_equal(eg_jobs_queue(f.memory, f.rq, "test.errand", fact, EG_STR("{}"), -1), EG_EINVAL);
    assert_int_equal(eg_jobs_queue(f.memory, f.rq, "test.errand", fact, EG_STR("{\"n\":1}"), 10 * EG_SECOND), EG_OK);
    f.memory->env.job_kind_count = 0; /* a process without the plugin leaves it alone */
    f.now += 11 * EG_SECOND;
    assert_int_equal(f.ops->work(f.memory, f.rq, &ran, NULL), EG_OK);
    assert_int_equal(ran, 0);
    f.memory->env.job_kind_count = 1;
    for (int i = 0; i < 3; i++, f.now += 65 * EG_SECOND) assert_int_equal(f.ops->work(f.memory, f.rq, &ran, NULL), EG_OK);
    assert_int_equal(errand.runs, 3);
    assert_string_equal(errand.payload, "{\"n\":1}");
    assert_true(eg_id_eq(errand.fact, fact));
    work(&f);
    assert_int_equal(errand.runs, 3);

    plugin_jobs(&f, 1, EG_ECANCELLED); /* which is no failure, and loses nothing */
    assert_int_equal(eg_jobs_queue(f.memory, f.rq, "test.errand", (eg_id){{0}}, EG_STR("again"), 0), EG_OK);
    for (int i = 0; i < 2; i++) assert_int_equal(f.ops->work(f.memory, f.rq, &ran, NULL), EG_OK);
    assert_int_equal(errand.runs, 2);
    assert_string_equal(errand.payload, "again");

    plugin_jobs(&f, 100, EG_EIO);
    assert_int_equal(eg_jobs_queue(f.memory, f.rq, "test.errand", fact, (eg_str){0}, 0), EG_OK);
    for (int i = 0; i < EG_MAX_ATTEMPTS + 2; i++, f.now += 65 * EG_SECOND)
        assert_int_equal(f.ops->work(f.memory, f.rq, &ran, NULL), EG_OK);
    assert_int_equal(errand.runs, EG_MAX_ATTEMPTS);
    assert_int_equal(f.ops->status(f.memory, f.rq, &st), EG_OK);
    assert_int_equal(st.store.jobs_dead, 1);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dead_lettered_job_is_no_verdict),
        cmocka_unit_test(vectors_come_later),
        cmocka_unit_test(another_embedding_model),
        cmocka_unit_test(every_workspace_is_embedded),
        cmocka_unit_test(reembedding_is_interrupted),
        cmocka_unit_test(a_damaged_model_leaves_the_work),
        cmocka_unit_test(who_leaves_a_job_wakes_the_worker),
        cmocka_unit_test(a_greedy_detector_fails_alone),
        cmocka_unit_test(why_no_job_is_taken),
        cmocka_unit_test(a_job_without_memory_is_counted),
        cmocka_unit_test(waiting_is_no_overrun),
        cmocka_unit_test(plugins_have_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
