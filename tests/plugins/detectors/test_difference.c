/* test_difference.c - what differs between two statements, as the explanation of the NLI detector
 * names it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/base/arena.h"
#include "plugins/detectors/nli/difference.h"
#include "tests/support/request.h"

static eg_arena arena;
static test_request request;

static void the_difference_is_named(void **state) {
    (void)state;
    static const struct {
        const char *a, *b, *phrase;
    } rows[] = {
        /* alike but for a few words */
        {"A seat hold expires after 15 minutes.", "A seat hold expires after 10 minutes.", "15 minutes against 10 minutes"},
        {"Sessions are stored in Redis.", "Sessions are stored in `PostgreSQL`.", "Redis against PostgreSQL"},
        {"The importer retries failed rows.", "The importer does not retry failed rows.", "retries against does not retry"},
        {"Uploads are scanned for viruses.", "Uploads are never scanned for viruses.", "only one of them says \"never\""},
        {"The shop closes at ten", "the Shop closes at TEN.", ""},
        /* numbers, denials and names among other words */
        {"Refunds are possible for 30 days after the order.", "Customers get their money back within 14 days.",
         "30 days against 14 days"},
        {"Do not restart the broker by hand.", "When a node hangs, an operator restarts it.", "only one of them says \"not\""},
        {"All of the events go into Kafka first.", "What a client sends is put into RabbitMQ.", "Kafka against RabbitMQ"},
        {"The setting max_conns lives in that file.", "Connections are bounded by pool_size, elsewhere.",
         "max_conns against pool_size"},
        {"The second POST gets 409 `DUPLICATE_KEY`.", "A replay of one key answers with 201.", "409 against 201"},
        /* what is not known to be about the same is not named */
        {"A port can be stopped until one day ahead, later it is 409.", "cancel by customer | until 48 h before", ""},
        {"esim.pool.max-free=3000", "eSIM profiles: at least 5 000 free ones", ""},
        {"The recipes are in images/distro/Dockerfile here.", "We pin a tag of theirs, img-2024.22, in a lock.", ""},
        {"The tap of the VM is made by DHCP before.", "In short it is PR number one of the SDK.", ""},
        {"A VMM that never answers blocked a slot.", "When the context ends, the process gets SIGTERM.", ""},
        /* a capital at the beginning of a sentence makes no name */
        {"Triggers run before the policy is picked.", "Policies come first. Then rules run.", ""},
        {"", "", ""},
        {"One.", "", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        difference d;
        assert_int_equal(difference_find(&request.rq, eg_str_of(rows[i].a), eg_str_of(rows[i].b), &d), EG_OK);
        if (!eg_str_eq(d.phrase, eg_str_of(rows[i].phrase)))
            fail_msg("'%.*s' of:\n  %s\n  %s", (int)d.phrase.len, d.phrase.len ? d.phrase.ptr : "", rows[i].a, rows[i].b);
        assert_true(d.first_a <= strlen(rows[i].a) && d.first_b <= strlen(rows[i].b));
    }
}

/* Where the difference begins: the quotation is cut around it. */
static void the_place_is_told(void **state) {
    (void)state;
    const char *a = "The gateway waits for 30 s.", *b = "The gateway waits for 5 s.";
    difference d;
    assert_int_equal(difference_find(&request.rq, eg_str_of(a), eg_str_of(b), &d), EG_OK);
    assert_int_equal(d.first_a, 22);
    assert_int_equal(d.first_b, 22);
}

int main(void) {
    eg_arena_init(&arena, 0);
    test_request_borrow(&request, &arena);
    eg_error err = {0};
    test_request_set(&request, EG_STR("local"), NULL, (eg_cancel){0}, &err);
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_difference_is_named), cmocka_unit_test(the_place_is_told)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    eg_arena_release(&arena);
    return failed;
}
