/* test_bench.c - what bench_kernels prints: the roofline, and that its JSON is valid, has a row for
 * each ISA, shape and number of rows, and contains figures above 0 only. How large they are is not
 * tested. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bench/bandwidth.h"
#include "bench/gemm.h"
#include "bench/kernels.h"
#include "bench/peak.h"
#include "core/base/json.h"
#include "kernels/kernels.h"

static void roofline_is_the_lower_limit(void **state) {
    (void)state;
    assert_true(eg_bench_roofline(100, 10, 4, 2) == 20.0); /* 10 GB/s, two operations a byte */
    assert_true(eg_bench_roofline(100, 10, 400, 2) == 100.0);
    assert_true(eg_bench_roofline(100, 0, 400, 2) == 100.0); /* not measured */
}

static void every_isa_reads(void **state) {
    (void)state;
    enum { BYTES = 64 << 10 };
    const eg_kernels *isas[16];
    void *data = aligned_alloc(64, BYTES);
    assert_non_null(data);
    memset(data, 1, BYTES);
    size_t n = eg_kernels_available(isas, 16);
    for (size_t i = 0; i < n; i++) assert_true(eg_bench_read_rate(isas[i]->isa, data, BYTES, 3, 0) > 0);
    free(data);
}

static char *run(int json, const eg_kernels *only, size_t *length) {
    char *text = NULL;
    eg_error err = {0};
    FILE *out = open_memstream(&text, length);
    assert_non_null(out);
    if (eg_bench_gemm(out, json, 1, only, &err) != EG_OK) fail_msg("%s", err.text);
    assert_int_equal(fclose(out), 0);
    return text;
}

static int is_s8_percentage(eg_str key) {
    return key.len > 3 && memcmp(key.ptr, "s8_", 3) == 0 && memmem(key.ptr, key.len, "percent", 7);
}

static void json_is_whole(void **state) {
    (void)state;
    static float none[16];
    const eg_kernels *isas[16];
    int rooflines = 0, rates = 0, peaks = 0, bests = 0;
    size_t length, isa_count = eg_kernels_available(isas, 16);
    eg_gemm_call one = {.M = 1, .N = 1, .K = 1, .A = none, .lda = 1, .packed = none, .C = none, .ldc = 1};
    int has_blas = eg_gemm_openblas(isas[0], &one, NULL) == EG_OK;
    /* Arm has none */
    int has_s8_peak = isa_count > 1 && eg_bench_peak_now(isas[1]->isa, EG_FORMAT_S8) > 0;
    char *text = run(1, NULL, &length);
    eg_arena arena;
    eg_error err = {0};
    eg_json j;
    eg_str key = {0};
    eg_arena_init(&arena, 0);
    eg_json_init(&j, "bench", (eg_str){text, length}, &arena, &err);
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_END; k = eg_json_next(&j)) {
        if (k == EG_JSON_ERROR) fail_msg("%s", err.text);
        if (k == EG_JSON_KEY) key = j.text;
        if (k != EG_JSON_NUMBER) continue;
        if ((eg_str_eq(key, EG_STR("ratio_to_openblas")) && !has_blas) || (is_s8_percentage(key) && !has_s8_peak))
            assert_true(j.number == 0);
        else if (!(j.number > 0)) fail_msg("\"%.*s\" is %g, not above 0", (int)key.len, key.ptr, j.number);
        peaks += eg_str_eq(key, EG_STR("percent_of_peak")) || eg_str_eq(key, EG_STR("best_percent_of_peak"));
        rooflines += eg_str_eq(key, EG_STR("percent_of_roofline")) || eg_str_eq(key, EG_STR("streamed_percent_of_roofline"));
        bests += eg_str_eq(key, EG_STR("best_percent_of_roofline")) || eg_str_eq(key, EG_STR("s8_best_percent_of_roofline"));
        rates += (eg_str_eq(key, EG_STR("l2_gb_per_second")) || eg_str_eq(key, EG_STR("memory_gb_per_second")));
    }
    assert_int_equal(peaks, (isa_count - 1) * 4 * 7 * 2);
    assert_int_equal(bests, (isa_count - 1) * 4 * 6 * 2);
    assert_int_equal(rooflines, (isa_count - 1) * 4 * 6 * 2);
    assert_int_equal(rates, (isa_count - 1) * 2);
    eg_arena_release(&arena);
    free(text);
    text = run(0, NULL, &length);
    assert_true(isa_count == 1 || (strstr(text, "GB/s from L2") && strstr(text, "GB/s from memory") && strstr(text, "roofline")));
    free(text);
}

static void one_isa_alone(void **state) {
    (void)state;
    const eg_kernels *isas[16];
    size_t length, isa_count = eg_kernels_available(isas, 16);
    if (isa_count < 3) {
        print_message("skip: this CPU has one vector ISA, so there is no other one to leave out\n");
        skip();
    }
    char *text = run(0, isas[1], &length);
    assert_non_null(strstr(text, isas[1]->name));
    for (size_t i = 2; i < isa_count; i++) {
        char heading[64];
        snprintf(heading, sizeof heading, "\n%s: ", isas[i]->name);
        assert_null(strstr(text, heading));
    }
    free(text);
}

/* Every kernel of every ISA has a row, and each took time. */
static void other_kernels_are_timed(void **state) {
    (void)state;
    const eg_kernels *isas[16];
    size_t length, isa_count = eg_kernels_available(isas, 16), times = 0, gelus = 0;
    char *text = NULL;
    eg_error err = {0};
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    if (eg_bench_kernels(out, 1, 1, NULL, &err) != EG_OK) fail_msg("%s", err.text);
    assert_int_equal(fclose(out), 0);
    eg_arena arena;
    eg_json j;
    eg_str key = {0};
    eg_arena_init(&arena, 0);
    eg_json_init(&j, "bench", (eg_str){text, length}, &arena, &err);
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_END; k = eg_json_next(&j)) {
        if (k == EG_JSON_ERROR) fail_msg("%s", err.text);
        if (k == EG_JSON_STRING) gelus += eg_str_eq(key, EG_STR("kernel")) && eg_str_eq(j.text, EG_STR("gelu"));
        if (k == EG_JSON_KEY) key = j.text;
        if (k != EG_JSON_NUMBER || !eg_str_eq(key, EG_STR("microseconds"))) continue;
        if (!(j.number > 0)) fail_msg("a kernel took %g microseconds", j.number);
        times++;
    }
    assert_int_equal(gelus, 3 * isa_count);  /* three sizes */
    assert_int_equal(times, 24 * isa_count); /* the rows of the table in bench/kernels.c */
    eg_arena_release(&arena);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(roofline_is_the_lower_limit), cmocka_unit_test(every_isa_reads),
                                       cmocka_unit_test(json_is_whole), cmocka_unit_test(one_isa_alone),
                                       cmocka_unit_test(other_kernels_are_timed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
