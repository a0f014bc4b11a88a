/* conformance_jobs.c - the checks of conformance.h about jobs: leases, failures, their order, the
 * clock that they go by. */
#include "conformance_steps.h"

/* Making vectors anew comes after all else, of whomever it is; of two such kinds the owner's comes
 * first. */
void conformance_job_order(store *s) {
    static const char *const owners[] = {"other", "me", "other", "me"};
    static const uint32_t kinds[] = {EG_JOB_REEMBED, EG_JOB_REEMBED, EG_JOB_DETECT, EG_JOB_EMBED};
    set_clock(s, 1000 * DAY);
    eg_id fact = put_fact(s, "one", "x", 0, 0);
    for (int i = 0; i < 4; i++) {
        const eg_change job = job_for(fact, kinds[i], owners[i]);
        assert_int_equal(apply(s, NULL, 0, &job, 1, NULL), EG_OK);
    }
    advance_clock(s, 2 * EG_SECOND);
    eg_job *jobs;
    size_t n;
    eg_lease_args args = {.size = sizeof args,
                          .owner = EG_STR("me"),
                          .lease_time = 1,
                          .grace = EG_SECOND,
                          .kinds_except = 1u << EG_JOB_DETECT | 1u << EG_JOB_REEMBED,
                          .limit = 4};
    assert_int_equal(OPS(s, lease, &args, &jobs, &n), EG_OK);
    assert_true(n == 1 && jobs[0].kind == EG_JOB_EMBED);
    fail_job(s, &jobs[0]);
    assert_int_equal(lease(s, "me", EG_SECOND, 4, &jobs), 4);
    static const size_t order[] = {3, 2, 1, 0};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(jobs[i].kind, kinds[order[i]]);
        assert_true(eg_str_eq(jobs[i].owner, eg_str_of(owners[order[i]])));
        assert_true(eg_id_eq(jobs[i].fact, fact) && jobs[i].lease_until == s->now + 10 * EG_SECOND);
    }
}

/* What was leased, made or put off before the clock was set back by a day does not wait for that
 * day. */
void conformance_clock_set_back(store *s) {
    set_clock(s, 1000 * DAY);
    eg_id fact = put_fact(s, "one", "x", 0, 0);
    eg_change all_three[] = {job_for(fact, EG_JOB_DETECT, "me"), job_for(fact, EG_JOB_DETECT, "me"),
                             job_for(fact, EG_JOB_DETECT, "other")};
    all_three[1].job.delay = EG_MAX_JOB_PAUSE / 2;
    assert_int_equal(apply(s, NULL, 0, all_three, 3, NULL), EG_OK);
    eg_job *jobs;
    assert_int_equal(lease(s, "me", 60 * EG_SECOND, 5, &jobs), 1);
    int64_t leased = jobs[0].id;
    advance_clock(s, -EG_SECOND); /* a little: who has the lease keeps it */
    assert_int_equal(lease(s, "me", 60 * EG_SECOND, 5, &jobs), 0);
    advance_clock(s, -DAY);
    assert_int_equal(lease(s, "me", 60 * EG_SECOND, 5, &jobs), 3);
    for (int i = 0; i < 3; i++) assert_int_equal(jobs[i].attempts, jobs[i].id == leased);
    assert_int_equal(lease(s, "me", 0, 5, &jobs), 0);
}

void conformance_jobs(store *s) {
    set_clock(s, 1000 * DAY);
    eg_id fact = put_fact(s, "one", "x", 0, 0);
    const eg_change both[] = {job_for(fact, EG_JOB_DETECT, "other"), job_for(fact, EG_JOB_DETECT, "me")};
    assert_int_equal(apply(s, NULL, 0, both, 2, NULL), EG_OK);
    eg_job *jobs;
    assert_int_equal(lease(s, "me", 60 * EG_SECOND, 5, &jobs), 1); /* others' only after a while */
    eg_job held = jobs[0];
    advance_clock(s, 5 * EG_SECOND);
    assert_int_equal(lease(s, "me", 60 * EG_SECOND, 5, &jobs), 0);
    const eg_precondition wrong = {.kind = EG_REQUIRE_LEASE, .token = fact},
                          right = {.kind = EG_REQUIRE_LEASE, .token = held.token};
    const eg_change done = {.kind = EG_CHANGE_JOB_DONE, .job_done = {held.token}};
    assert_int_equal(apply(s, &wrong, 1, &done, 1, NULL), EG_ECONFLICT);
    advance_clock(s, 6 * EG_SECOND);                      /* the lease is over */
    assert_int_equal(lease(s, "third", -1, 5, &jobs), 0); /* never those of others */
    assert_int_equal(lease(s, "third", EG_SECOND, 5, &jobs), 2);
    /* somebody else has it now */
    assert_int_equal(apply(s, &right, 1, &done, 1, NULL), EG_ECONFLICT);
    for (int i = 0; i < EG_MAX_ATTEMPTS; i++) {
        if (i) assert_int_equal(lease(s, "third", 0, 1, &jobs), 1);
        if (i) assert_true(eg_str_eq(jobs[0].last_error, EG_STR("no")));
        fail_job(s, &jobs[0]);
    }
    assert_int_equal(stats_of(s).jobs_dead, 1);
    eg_fact_parts p = part(s, fact, EG_PARTS_JOBS);
    assert_true(p.jobs_waiting == 1 && p.jobs_dead == 1); /* the dead-lettered one waits for nobody,
                                                           * and is not done */
    for (int i = 1; i < EG_MAX_ATTEMPTS; i++) {           /* leases that nobody gives back are
                                                           * failures too: one ran out before */
        advance_clock(s, 11 * EG_SECOND);
        assert_int_equal(lease(s, "third", 0, 5, &jobs), i + 1 < EG_MAX_ATTEMPTS);
    }
    eg_store_stats stats = stats_of(s);
    assert_true(stats.jobs_dead == 2 && stats.jobs_leased == 0);

    /* a kind that must be alone: not beside one that waits, is leased, or was dead-lettered a while
     * ago */
    const eg_precondition alone = {.kind = EG_REQUIRE_NO_JOB, .no_job = {EG_JOB_REEMBED, 3600 * EG_SECOND}};
    const eg_change job = job_for(fact, EG_JOB_REEMBED, "me");
    assert_int_equal(apply(s, &alone, 1, &job, 1, NULL), EG_OK);
    assert_int_equal(apply(s, &alone, 1, &job, 1, NULL), EG_ECONFLICT);
    for (int i = 0; i < EG_MAX_ATTEMPTS; i++) {
        assert_int_equal(lease(s, "me", 0, 1, &jobs), 1);
        assert_int_equal(jobs[0].kind, EG_JOB_REEMBED);
        if (i == 0) assert_int_equal(apply(s, &alone, 1, &job, 1, NULL), EG_ECONFLICT);
        fail_job(s, &jobs[0]);
    }
    assert_int_equal(apply(s, &alone, 1, &job, 1, NULL), EG_ECONFLICT);
    advance_clock(s, 2 * 3600 * EG_SECOND);
    assert_int_equal(apply(s, &alone, 1, &job, 1, NULL), EG_OK);
}

/* A job that the commit's own process does at once is leased when it is inserted; when that process
 * dies, others get it. Jobs of plugins carry a name and a payload, and need not be about a fact. */
void conformance_leased_from_the_start(store *s) {
    set_clock(s, 1000 * DAY);
    eg_id fact = put_fact(s, "one", "x", 0, 0);
    eg_change changes[] = {job_for(fact, EG_JOB_DETECT, "me"), job_for((eg_id){{0}}, EG_JOB_PLUGIN, "me")};
    changes[0].job.token = test_id();
    changes[0].job.lease_time = 10 * EG_SECOND; /* as lease() takes it */
    changes[1].job.name = EG_STR("mail");
    changes[1].job.payload = EG_STR("{\"to\":\"bob\"}");
    assert_int_equal(apply(s, NULL, 0, changes, 2, NULL), EG_OK);
    assert_int_equal(stats_of(s).jobs_leased, 1);
    assert_int_equal(part(s, fact, EG_PARTS_JOBS).jobs_waiting, 1);
    eg_job *jobs;
    assert_int_equal(lease(s, "me", 0, 5, &jobs), 1);
    assert_true(jobs[0].kind == EG_JOB_PLUGIN && eg_str_eq(jobs[0].name, EG_STR("mail")) && eg_id_is_none(jobs[0].fact));
    assert_true(eg_str_eq(jobs[0].payload, EG_STR("{\"to\":\"bob\"}")));
    advance_clock(s, 11 * EG_SECOND); /* both are over */
    assert_int_equal(lease(s, "other", EG_SECOND, 5, &jobs), 2);
    assert_true(jobs[0].attempts == 1 && !eg_id_eq(jobs[0].token, changes[0].job.token));
    const eg_precondition held = {.kind = EG_REQUIRE_LEASE, .token = changes[0].job.token};
    assert_int_equal(apply(s, &held, 1, NULL, 0, NULL), EG_ECONFLICT);
    const eg_change done[] = {{.kind = EG_CHANGE_JOB_DONE, .job_done = {jobs[0].token}},
                              {.kind = EG_CHANGE_JOB_DONE, .job_done = {jobs[1].token}}};
    assert_int_equal(apply(s, NULL, 0, done, 2, NULL), EG_OK);
    eg_store_stats stats = stats_of(s);
    assert_true(stats.jobs_queued + stats.jobs_leased + stats.jobs_dead == 0);
}
