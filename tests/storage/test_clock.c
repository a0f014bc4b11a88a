/* test_clock.c - whose clock is believed, and the repair of a store whose last change lies in the
 * future. */
#include <stdlib.h>
#include <unistd.h>

#include <sodium.h>

#include "conformance_steps.h"
#include "storage/sqlite/clock.h"

#define NOW (INT64_C(1800000000) * EG_SECOND)

static void believed(clock_evidence e) {
    const char *doubt = clock_doubt(&e);
    if (doubt) fail_msg("it is doubted: %s", doubt);
}
static void doubted(clock_evidence e, const char *why) {
    const char *doubt = clock_doubt(&e);
    if (!doubt || !strstr(doubt, why)) fail_msg("'%s' was expected: %s", why, doubt ? doubt : "it is believed");
}

static void honest_clocks_are_believed(void **state) {
    (void)state;
    /* no further ahead than a day */
    believed((clock_evidence){.clock = NOW, .last = NOW - DAY, .kernel = NOW - 9 * DAY});
    believed((clock_evidence){.clock = NOW, .last = NOW + 99 * DAY, .kernel = NOW});
    believed((clock_evidence){.clock = NOW}); /* a new store, and nothing to compare with */
    /* a store that rested for three years */
    believed((clock_evidence){.clock = NOW, .last = NOW - 1000 * DAY, .kernel = NOW, .hardware = NOW, .expected = NOW});
    /* a machine without a battery: it began in 1970, and a time service set it right */
    believed((clock_evidence){
        .clock = NOW, .last = NOW - 2 * DAY, .kernel = NOW, .hardware = 5 * DAY, .expected = 5 * DAY, .synchronised = 1});
    /* the same where somebody set it by hand, and the process began afterwards */
    believed((clock_evidence){.clock = NOW, .last = NOW - 2 * DAY, .kernel = NOW, .hardware = 5 * DAY, .expected = NOW});
    /* a hardware clock that is older than what the store knows is wrong itself */
    believed((clock_evidence){.clock = NOW, .last = NOW - 2 * DAY, .kernel = NOW, .hardware = NOW - 3 * DAY, .expected = NOW});
    /* it keeps local time */
    believed((clock_evidence){.clock = NOW, .last = NOW - 9 * DAY, .kernel = NOW, .hardware = NOW - DAY / 2, .expected = NOW});
}

static void a_clock_far_ahead_is_doubted(void **state) {
    (void)state;
    const int64_t ahead = NOW + 365 * DAY;
    doubted((clock_evidence){.clock = ahead, .last = NOW, .kernel = NOW, .synchronised = 1}, "faketime");
    doubted((clock_evidence){.clock = ahead, .kernel = NOW}, "faketime");
    doubted((clock_evidence){.clock = ahead, .last = NOW, .kernel = ahead, .expected = NOW}, "start this process again");
    doubted((clock_evidence){.clock = ahead, .last = NOW, .kernel = ahead, .expected = ahead, .hardware = NOW}, "hwclock");
}

static eg_id add(store *s, const char *content, int64_t lifetime) {
    eg_new_fact row = new_fact(content, "x");
    row.lifetime = lifetime;
    const eg_id none = {{0}};
    const eg_change changes[] = {{.kind = EG_CHANGE_FACT, .new_fact = &row},
                                 {.kind = EG_CHANGE_AUDIT, .audit = {EG_STR("commit"), EG_STR("{}"), row.fact.id, none}}};
    assert_int_equal(apply(s, NULL, 0, changes, 2, NULL), EG_OK);
    return row.fact.id;
}

static void end(store *s, eg_id fact) {
    const eg_change drop = {.kind = EG_CHANGE_CLOSE, .close = {fact, EG_CLOSE_DELETED, EG_STR("bob")}};
    assert_int_equal(apply(s, NULL, 0, &drop, 1, NULL), EG_OK);
}

static eg_fact fact_of(store *s, eg_id id) { return part(s, id, 0).fact; }

static void a_store_comes_back_from_the_future(void **state) {
    (void)state;
    char folder[64] = "/tmp/engram-clock-XXXXXX", path[96], command[96];
    store *s = malloc(sizeof *s);
    uint64_t rows;
    int64_t now;
    assert_non_null(s);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/knowledge.db", folder);
    if (open_store(s, path) != EG_OK) fail_msg("%s", s->request.err.text);
    set_clock(s, NOW);
    eg_id old = add(s, "before", 0), ended = add(s, "ended later", 0), lasting = add(s, "with a lifetime", 30 * DAY);
    set_clock(s, NOW + 365 * DAY);
    end(s, ended);
    eg_id late = add(s, "from the future", 30 * DAY), gone = add(s, "from the future, and gone", 0);
    end(s, gone);
    set_clock(s, NOW + DAY);
    /* the harm: time stands still */
    assert_int_equal(s->registrar.ops->now(s->handle, &s->request.rq, &now), EG_OK);
    assert_true(now == NOW + 365 * DAY);
    assert_int_equal(s->registrar.ops->repair_time(s->handle, &s->request.rq, &rows), EG_OK);
    assert_int_equal(rows, 3);
    assert_int_equal(s->registrar.ops->now(s->handle, &s->request.rq, &now), EG_OK);
    assert_true(now == NOW + DAY);
    eg_fact f = fact_of(s, old);
    assert_true(f.committed_at == NOW && f.valid_until == EG_FOREVER);
    f = fact_of(s, lasting);
    assert_true(f.valid_until == NOW + 30 * DAY);
    f = fact_of(s, ended);
    assert_true(f.committed_at == NOW && f.closed_at == NOW + DAY && f.valid_until == NOW + DAY);
    f = fact_of(s, late);
    assert_true(f.committed_at == NOW + DAY && f.valid_from == NOW + DAY && f.valid_until == NOW + 31 * DAY);
    f = fact_of(s, gone);
    assert_true(f.valid_from == NOW + DAY && f.valid_until == NOW + DAY && f.closed_at == NOW + DAY);
    assert_int_equal(s->registrar.ops->audit_verify(s->handle, &s->request.rq), EG_OK);
    eg_audit_row *audit;
    size_t n;
    assert_int_equal(s->registrar.ops->audit(s->handle, &s->request.rq, 0, 100, &audit, &n), EG_OK);
    assert_true(n > 0 && eg_str_eq(audit[n - 1].action, EG_STR("repair_time")));
    /* once is enough */
    assert_int_equal(s->registrar.ops->repair_time(s->handle, &s->request.rq, &rows), EG_OK);
    assert_int_equal(rows, 0);
    set_clock(s, NOW + 2 * DAY);
    assert_true(fact_of(s, add(s, "goes on", 0)).committed_at == NOW + 2 * DAY);
    close_store(s);
    free(s);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void) {
    if (sodium_init() < 0) return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(honest_clocks_are_believed),
                                       cmocka_unit_test(a_clock_far_ahead_is_doubted),
                                       cmocka_unit_test(a_store_comes_back_from_the_future)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
