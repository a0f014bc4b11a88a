/* test_times.c - times as the memory tools read and write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "time_text.h"

static void times_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t seconds, micros;
    } good[] = {{"1970-01-01", 0, 0},
                {"1970-01-01T00:00:01Z", 1, 0},
                {"1969-12-31T23:59:59.5Z", -1, 500000},
                {"2026-07-28T09:30:00Z", 1785231000, 0},
                {"2026-07-28t09:30:00.123456789z", 1785231000, 123456},
                {"2026-07-28 09:30", 1785231000, 0},
                {"2026-07-28T11:30:00+02:00", 1785231000, 0},
                {"2026-07-28T05:00:00-0430", 1785231000, 0},
                {"2000-02-29", 951782400, 0},
                {"2100-03-01", 4107542400, 0},
                {"0001-01-01", -62135596800, 0},
                {"9999-12-31T23:59:59.999999Z", 253402300799, 999999},
                {"2016-12-31T23:59:60Z", 1483228800, 0}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        int64_t t = -1;
        if (!mt_time_parse(eg_str_of(good[i].text), &t)) fail_msg("%s was refused", good[i].text);
        assert_true(t == good[i].seconds * 1000000 + good[i].micros);
    }
    static const char *const bad[] = {"",
                                      "2026",
                                      "2026-7-28",
                                      "2026-07-28T",
                                      "2026-07-28T09",
                                      "2026-07-28T9:30",
                                      "2026-02-29",
                                      "2100-02-29",
                                      "2026-13-01",
                                      "2026-00-01",
                                      "2026-01-00",
                                      "2026-01-32",
                                      "0000-01-01",
                                      "2026-07-28T24:00:00Z",
                                      "2026-07-28T09:60:00Z",
                                      "2026-07-28T09:30:61Z",
                                      "2026-07-28T09:30:00.Z",
                                      "2026-07-28T09:30:00+",
                                      "2026-07-28T09:30:00+2",
                                      "2026-07-28Z",
                                      "2026-07-28T09:30:00+24:00",
                                      "2026-07-28T09:30:00Zx",
                                      "yesterday",
                                      "-2026-07-28",
                                      "2026-07-28T09:30:00 Z"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t t;
        if (mt_time_parse(eg_str_of(bad[i]), &t)) fail_msg("'%s' was taken for a time", bad[i]);
    }
}

static void times_come_back(void **state) {
    (void)state;
    char text[TIME_TEXT];
    /* every 17 h and a bit over ten thousand years */
    for (int64_t t = INT64_C(-62135596800000000); t <= INT64_C(253402300799999999); t += INT64_C(61234567890123)) {
        int64_t back = 0;
        eg_str s = mt_time_format(t, text);
        assert_true(s.len == 27 && mt_time_parse(s, &back) && back == t);
    }
    assert_string_equal(mt_time_format(INT64_MAX, text).ptr, "9999-12-31T23:59:59.999999Z");
    assert_string_equal(mt_time_format(INT64_MIN, text).ptr, "0001-01-01T00:00:00.000000Z");
    assert_string_equal(mt_time_format(-1, text).ptr, "1969-12-31T23:59:59.999999Z");
}

static void times_are_said(void **state) {
    (void)state;
    const int64_t hour = INT64_C(3600000000), day = 24 * hour, midnight = INT64_C(1785196800) * 1000000,
                  now = midnight + 9 * hour;
    static const struct {
        const char *text;
        int hours; /* from midnight on */
    } good[] = {{"now", 9},  {"today", 0},    {"yesterday", -24}, {"3d", 9 - 72},
                {"12h", -3}, {"2w", 9 - 336}, {"120m", 7},        {"2026-07-27", -24}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        int64_t t = -1;
        if (!mt_time_said(eg_str_of(good[i].text), now, &t)) fail_msg("%s was refused", good[i].text);
        if (t != midnight + good[i].hours * hour) fail_msg("%s was read as another time", good[i].text);
    }
    static const char *const bad[] = {"", "d", "3", "3y", "-3d", "3 d", "3dd", "tomorrow", "123456789d", "99999999d", "3D"};
    int64_t t;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (mt_time_said(eg_str_of(bad[i]), now, &t)) fail_msg("%s was accepted", bad[i]);
    assert_true(mt_span_parse(EG_STR("7"), &t) && t == 7 * day);
    assert_true(mt_span_parse(EG_STR("36500d"), &t) && t == 36500 * day);
    assert_false(mt_span_parse(EG_STR("36501d"), &t));
    assert_false(mt_span_parse(EG_STR(""), &t));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_read),
        cmocka_unit_test(times_are_said),
        cmocka_unit_test(times_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
