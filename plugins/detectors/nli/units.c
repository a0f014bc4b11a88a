/* units.c - see units.h. */
#include "units.h"

#include <inttypes.h>

#include "contains.h"

static eg_str words_of(const eg_fact *f, eg_span s) { return (eg_str){f->content.ptr + s.start, s.end - s.start}; }

/* The time in a part of a fact, in milliseconds; 0 unless it is the only one there, exact, and a
 * whole number. */
static int64_t only_time(const eg_case_fact *f, eg_span within, const eg_claim **claim) {
    *claim = NULL;
    for (size_t i = 0; i < f->claim_count; i++) {
        const eg_claim *c = &f->claims[i];
        if (c->value_kind != EG_VALUE_QUANTITY || !eg_str_eq(c->dimension, EG_STR("time"))) continue;
        if (c->span.start < within.start || c->span.end > within.end) continue;
        if (*claim) return 0;
        *claim = c;
    }
    if (!*claim || !is_amount(words_of(f->fact, (*claim)->span))) return 0;
    eg_decimal v = (*claim)->low, high = (*claim)->high;
    if (v.infinite || v.mantissa <= 0 || v.mantissa != high.mantissa || v.exponent != high.exponent) return 0;
    int64_t ms = v.mantissa;
    for (int e = v.exponent + 3; e != 0; e += e < 0 ? 1 : -1) {
        if (e < 0 ? ms % 10 != 0 : ms > INT64_MAX / 10) return 0;
        ms = e < 0 ? ms / 10 : ms * 10;
    }
    return ms;
}

eg_pair in_one_unit(eg_request *rq, const eg_case_fact *const facts[2], const eg_span spans[2]) {
    static const struct {
        int64_t ms;
        const char *name;
    } units[] = {{INT64_C(86400000), "day"}, {3600000, "hour"}, {60000, "minute"}, {1000, "second"}, {1, "millisecond"}};
    const eg_claim *claims[2];
    eg_str texts[2];
    int64_t ms[2];
    for (int i = 0; i < 2; i++) {
        texts[i] = words_of(facts[i]->fact, spans[i]);
        ms[i] = only_time(facts[i], spans[i], &claims[i]);
    }
    size_t u = 0;
    while (ms[0] && ms[1] && (ms[0] % units[u].ms || ms[1] % units[u].ms)) u++;
    for (int i = 0; i < 2 && ms[0] && ms[1] && ms[0] != ms[1]; i++) {
        uint32_t start = claims[i]->span.start - spans[i].start, end = claims[i]->span.end - spans[i].start;
        int64_t n = ms[i] / units[u].ms;
        eg_str said = eg_request_printf(rq, "%.*s%" PRId64 " %s%s%.*s", (int)start, texts[i].ptr, n, units[u].name,
                                        n == 1 ? "" : "s", (int)(texts[i].len - end), texts[i].ptr + end);
        if (said.ptr) texts[i] = said;
    }
    return (eg_pair){texts[0], texts[1]};
}
