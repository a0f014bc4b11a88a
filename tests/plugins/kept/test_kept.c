/* test_kept.c - the promise of ABI 1: a detector that was built against the headers of 1.0 loads
 * and sees what it saw then, from source and as the binary of that time; and a host of a later
 * minor takes its tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <sodium.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/host/plugin_loader.c" /* the rule itself is static there */
#include "tests/support/request.h"

static char folder[] = "/tmp/eg-kept-XXXXXX";
static eg_finding found;
static char told[400];

static eg_status take(void *sink, const eg_finding *f) {
    (void)sink;
    assert_true(f->size >= EG_FINDING_SIZE_1_0);
    found = *f;
    snprintf(told, sizeof told, "%.*s", (int)f->explanation.len, f->explanation.ptr);
    return EG_OK;
}

static void sha256(void *host, const void *bytes, size_t n, uint8_t out[32]) {
    (void)host;
    crypto_hash_sha256(out, bytes, n);
}

/* Loads the plugin as the host does and gives it a case of which every value is known. */
static void runs_a_case(const char *file) {
    eg_arena arena;
    eg_error err = {0};
    char command[1000], path[100];
    /* folders of a build or a checkout may be open to their group */
    snprintf(path, sizeof path, "%s/kept.so", folder);
    snprintf(command, sizeof command, "rm -f '%s' && cp '%s' '%s' && chmod 600 '%s'", path, file, path, path);
    assert_int_equal(system(command), 0);
    eg_arena_init(&arena, 0);
    eg_plugins *plugins = eg_arena_alloc(&arena, sizeof *plugins);
    assert_non_null(plugins);
    plugins->arena = &arena;
    eg_services services = {.size = sizeof services, .sha256 = sha256};
    eg_plugins_fill_services(&services);
    if (eg_plugins_load(plugins, path, &services, &err) != EG_OK) fail_msg("%s: %s", file, err.text);
    assert_int_equal(plugins->registrar.committed.detectors, 1);
    const eg_detector_slot *slot = &plugins->registrar.detectors[0];
    assert_int_equal(slot->detector.flags, EG_DETECTOR_DETERMINISTIC);
    assert_int_equal(slot->detector.order, 500);
    assert_int_equal(slot->detector.budget_ms, 100);

    const eg_fact facts[] = {{.seq = 7, .content = EG_STR("new words"), .scope = EG_STR("a")},
                             {.seq = 5,
                              .content = EG_STR("older words. Second."),
                              .scope = EG_STR("auth/jwt"),
                              .agent_id = EG_STR("ada"),
                              .closed_by = EG_STR("bob")}};
    const eg_span statements[] = {{0, 12}, {13, 20}};
    const eg_claim claims[] = {{.attribute = EG_STR("first"), .text = EG_STR("1"), .polarity = 1},
                               {.attribute = EG_STR("port"), .text = EG_STR("8080"), .polarity = -1}};
    const eg_case_fact subject = {.fact = &facts[0]}, other = {.fact = &facts[1],
                                                               .statements = statements,
                                                               .statement_count = 2,
                                                               .claims = claims,
                                                               .claim_count = 2,
                                                               .cosine = 0.25,
                                                               .found_by = EG_FOUND_CLAIM | EG_FOUND_TEXT};
    const eg_case_fact *const candidates[] = {&other};
    const eg_case c = {.size = sizeof c, .candidate_count = 1, .subject = &subject, .candidates = candidates};
    test_request r;
    int flag = 0;
    test_request_init(&r, 0);
    test_request_set(&r, EG_STR("team"), NULL, (eg_cancel){.flag = &flag}, NULL);
    eg_cancel_request(&flag);
    assert_int_equal(slot->detector.examine(slot->self, &services, &r.rq, &c, take, NULL), EG_OK);
    /* SHA-256 of abc: ba78...15ad */
    assert_string_equal(told, "new words|auth/jwt|5|ada|bob|13-20|port=8080|-1|0.25|6|team/tester|ba"
                              "ad|cancelled");
    assert_int_equal(found.candidate, 0);
    assert_int_equal(found.outcome, EG_OUTCOME_CONTRADICTION);
    assert_int_equal(found.severity, EG_SEVERITY_HIGH);
    assert_true(found.score == 0.75 && found.span_candidate.start == 1 && found.span_candidate.end == 3 && !found.tier.len);
    test_request_release(&r);
    eg_plugins_close(plugins);
    eg_arena_release(&arena);
}

static void from_its_source(void **state) {
    (void)state;
    runs_a_case(BUILT);
}

static void as_it_was_built(void **state) {
    (void)state;
#if defined(__x86_64__)
    struct stat st;
    assert_int_equal(stat(KEPT, &st), 0);
    assert_true(st.st_size < 16 << 10);
    runs_a_case(KEPT);
#else
    print_message("the kept binary is of x86-64, this machine is not\n");
    skip();
#endif
}

/* A host of a later minor, whose table is two fields longer: what a plugin of 1.0 does not know is
 * zero. */
static void a_later_host_takes_it(void **state) {
    (void)state;
    typedef struct later_slot {
        struct {
            eg_detector detector;
            uint64_t new_number;
            const char *new_text;
        } table;
        void *self;
    } later_slot;
    static struct {
        eg_registrar r;
        later_slot slots[2];
    } host;
    table_kind later = detector_kind;
    later.size = sizeof host.slots[0].table;
    later.slots = (size_t)((char *)host.slots - (char *)&host.r);
    later.slot_size = sizeof host.slots[0];
    later.self = offsetof(later_slot, self);
    later.capacity = 2;
    struct {
        eg_detector detector;
        uint64_t others[2]; /* of somebody else: must not be read */
    } of_1_0 = {.detector = {.size = EG_DETECTOR_SIZE_1_0, .order = 3, .name = "old", .version = "1"}, .others = {9, 9}};
    *(void **)&of_1_0.detector.examine = &of_1_0; /* never called here */
    memset(&host, 0, sizeof host);
    host.r.is_open = 1;
    assert_int_equal(add(&host.r, &later, &of_1_0, &of_1_0), EG_OK);
    assert_int_equal(host.slots[0].table.detector.size, sizeof host.slots[0].table);
    assert_int_equal(host.slots[0].table.detector.order, 3);
    assert_ptr_equal(host.slots[0].table.detector.examine, of_1_0.detector.examine);
    assert_int_equal(host.slots[0].table.new_number, 0);
    assert_null(host.slots[0].table.new_text);
    assert_ptr_equal(host.slots[0].self, &of_1_0);
}

int main(void) {
    if (!mkdtemp(folder)) return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(from_its_source), cmocka_unit_test(as_it_was_built),
                                       cmocka_unit_test(a_later_host_takes_it)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[64];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command) != 0 ? 1 : failed;
}
