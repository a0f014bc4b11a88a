/* test_schedule.c - how texts are shared among threads: each exactly once, and for few of them
 * never more work on the busiest thread than the plain way has, which runs all groups side by side
 * when they are as many as the threads and all inside when they are fewer. Work is counted in
 * tokens. That the bits are the same: test_batches.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "models/schedule.h"

enum { MAX_TEXTS = 300, MAX_THREADS = 256, GROUP_TOKENS = 128 };

static size_t most_of(const size_t *load, uint32_t threads) {
    size_t most = 0;
    for (uint32_t t = 0; t < threads; t++) most = load[t] > most ? load[t] : most;
    return most;
}

/* The next of a list of tasks goes to the thread that is free first. */
static void give(size_t *load, uint32_t threads, size_t tokens) {
    uint32_t least = 0;
    for (uint32_t t = 1; t < threads; t++)
        if (load[t] < load[least]) least = t;
    load[least] += tokens;
}

static double cost_of(const eg_schedule *s, uint32_t threads) {
    size_t load[MAX_THREADS] = {0}, inside = 0;
    for (size_t i = 0; i < s->together; i++) give(load, threads, s->groups[i].tokens);
    for (size_t i = s->together; i < s->count; i++) inside += s->groups[i].tokens;
    return (double)most_of(load, threads) + (double)inside * EG_INSIDE_COST / threads;
}

static double plain_cost(const size_t *offsets, size_t n, uint32_t threads) {
    size_t load[MAX_THREADS] = {0}, sizes[MAX_TEXTS] = {0}, count = 0, target = (offsets[n] + threads - 1) / threads;
    if (target > GROUP_TOKENS) target = GROUP_TOKENS;
    for (size_t i = 0; i < n; i++) {
        count += !count || sizes[count - 1] >= target;
        sizes[count - 1] += offsets[i + 1] - offsets[i];
    }
    if (count < threads) return (double)offsets[n] * EG_INSIDE_COST / threads;
    for (size_t i = 0; i < count; i++) give(load, threads, sizes[i]);
    return (double)most_of(load, threads);
}

static void check_whole(const eg_schedule *s, const size_t *offsets, size_t n) {
    unsigned char seen[MAX_TEXTS] = {0};
    assert_true(s->together <= s->count && s->count <= n);
    for (size_t g = 0; g < s->count; g++) {
        const eg_group *group = &s->groups[g];
        assert_true(group->texts > 0 && group->first + group->texts <= n);
        assert_int_equal(group->tokens, offsets[group->first + group->texts] - offsets[group->first]);
        for (size_t i = 0; i < group->texts; i++) assert_int_equal(seen[group->first + i]++, 0);
    }
    for (size_t i = 0; i < n; i++) assert_int_equal(seen[i], 1);
}

static void every_text_once(void **state) {
    (void)state;
    eg_group groups[MAX_TEXTS];
    size_t offsets[MAX_TEXTS + 1] = {0};
    uint32_t seed = 5;
    for (size_t round = 0; round < 2000; round++) {
        size_t n = round % (MAX_TEXTS + 1), span = round % 3 ? 40 : 512;
        uint32_t threads = round % 17 == 0 ? MAX_THREADS : 1 + (uint32_t)round % 16;
        for (size_t i = 0; i < n; i++) {
            seed = seed * 1664525u + 1013904223u;
            offsets[i + 1] = offsets[i] + (seed >> 8) % span; /* also none */
        }
        eg_schedule s = eg_schedule_make(offsets, n, threads, groups);
        check_whole(&s, offsets, n);
        if (threads == 1) assert_int_equal(s.together, s.count);
        if (n && offsets[n]) assert_true(cost_of(&s, threads) <= (double)offsets[n]);
    }
}

/* 1 to 9 texts of one length, or of which every third is long, on 2 to 8 threads. */
static void no_worse_than_plain(void **state) {
    (void)state;
    static const size_t lengths[] = {8, 20, 40, 64, 100, 200, 512};
    eg_group groups[MAX_TEXTS];
    size_t offsets[MAX_TEXTS + 1] = {0}, better = 0, cases = 0;
    double gain = 0, most_gain = 0;
    for (size_t mixed = 0; mixed < 2; mixed++)
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
            for (size_t n = 1; n <= 9; n++)
                for (uint32_t threads = 2; threads <= 8; threads++) {
                    for (size_t i = 0; i < n; i++) offsets[i + 1] = offsets[i] + lengths[l] * (mixed && i % 3 == 2 ? 4 : 1);
                    eg_schedule s = eg_schedule_make(offsets, n, threads, groups);
                    check_whole(&s, offsets, n);
                    double plain = plain_cost(offsets, n, threads), cost = cost_of(&s, threads);
                    if (cost > plain + 1e-6)
                        fail_msg("%zu texts of %zu tokens (mixed: %zu) on %u threads: %.1f tokens, plainly %.1f", n, lengths[l],
                                 mixed, threads, cost, plain);
                    better += cost < plain - 1e-6;
                    gain += plain / cost;
                    most_gain = plain / cost > most_gain ? plain / cost : most_gain;
                    cases++;
                }
    printf("%zu of %zu cases have less work on the busiest thread: %.2f times less in the mean, %.2f at most\n", better, cases,
           gain / (double)cases, most_gain);
    assert_true(better * 4 > cases);
}

static void three_on_two(void **state) {
    (void)state;
    eg_group groups[4];
    const size_t offsets[] = {0, 40, 80, 120}, uneven[] = {0, 500, 510, 520};
    eg_schedule s = eg_schedule_make(offsets, 3, 2, groups);
    assert_int_equal(s.count, 3);
    /* two side by side, then both threads in the third: 40 + 25 tokens, not 80 */
    assert_int_equal(s.together, 2);
    assert_true(cost_of(&s, 2) < 65.001 && plain_cost(offsets, 3, 2) > 79.999);
    s = eg_schedule_make(uneven, 3, 2, groups); /* one long text: nobody waits for one thread */
    assert_int_equal(s.together, 0);
    assert_true(cost_of(&s, 2) < 325.001 && plain_cost(uneven, 3, 2) > 499.999);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_text_once), cmocka_unit_test(no_worse_than_plain),
                                       cmocka_unit_test(three_on_two)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
