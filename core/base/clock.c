/* clock.c - system clock and RFC 3339. Civil-date arithmetic after H. Hinnant, "chrono-compatible
 * low-level date algorithms" (days_from_civil and back). See clock.h. */
#include "core/base/clock.h"

#include <stdio.h>
#include <time.h>

#include "core/base/status.h"

static int64_t read_clock(clockid_t id) {
    struct timespec ts;
    clock_gettime(id, &ts);
    return (int64_t)ts.tv_sec * EG_SECOND + ts.tv_nsec / 1000;
}

static int64_t system_now(void *self) {
    (void)self;
    return read_clock(CLOCK_REALTIME);
}

eg_clock eg_clock_system(void) { return (eg_clock){system_now, NULL}; }

int64_t eg_clock_monotonic(void) { return read_clock(CLOCK_MONOTONIC); }

int64_t eg_clock_thread(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

/* Days since 1970-01-01 of a proleptic Gregorian date. */
static int64_t days_from_civil(int64_t y, int m, int d) {
    y -= m <= 2;
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    int64_t year_of_era = y - era * 400;
    int64_t day_of_year = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

static void civil_from_days(int64_t z, int64_t *y, int *m, int *d) {
    z += 719468;
    int64_t era = (z >= 0 ? z : z - 146096) / 146097;
    int64_t doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int64_t mp = (5 * doy + 2) / 153;
    *d = (int)(doy - (153 * mp + 2) / 5 + 1);
    *m = (int)(mp < 10 ? mp + 3 : mp - 9);
    *y = yoe + era * 400 + (*m <= 2);
}

void eg_time_format(int64_t t, char out[EG_TIME_TEXT]) {
    const int64_t first = INT64_C(-62167219200) * EG_SECOND, last = INT64_C(253402300800) * EG_SECOND - 1;
    t = t < first ? first : t > last ? last : t;
    int64_t days = t / EG_DAY, rest = t % EG_DAY;
    if (rest < 0) {
        rest += EG_DAY;
        days--;
    }
    int64_t y;
    int m, d;
    civil_from_days(days, &y, &m, &d);
    unsigned second = (unsigned)(rest / EG_SECOND);
    char text[64];
    snprintf(text, sizeof text, "%04u-%02u-%02uT%02u:%02u:%02u.%06uZ", (unsigned)y, (unsigned)m, (unsigned)d, second / 3600,
             second / 60 % 60, second % 60, (unsigned)(rest % EG_SECOND));
    memcpy(out, text, EG_TIME_TEXT - 1);
    out[EG_TIME_TEXT - 1] = '\0';
}

/* n decimal digits at *p (before end); -1 when there are fewer. Moves *p. */
static int digits(const char **p, const char *end, int n) {
    int v = 0;
    for (int i = 0; i < n; i++, (*p)++) {
        if (*p >= end || **p < '0' || **p > '9') return -1;
        v = v * 10 + (**p - '0');
    }
    return v;
}

static int take(const char **p, const char *end, char c) {
    if (*p >= end || **p != c) return 0;
    (*p)++;
    return 1;
}

static int days_in_month(int y, int m) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return m == 2 && (y % 4 == 0 && (y % 100 != 0 || y % 400 == 0)) ? 29 : days[m - 1];
}

/* hh:mm[:ss[.fraction]] in microseconds, else -1. A leap second counts as the next second. */
static int64_t parse_time_of_day(const char **p, const char *end) {
    int h = digits(p, end, 2), minute, second = 0;
    if (h < 0 || h > 23 || !take(p, end, ':') || (minute = digits(p, end, 2)) < 0 || minute > 59) return -1;
    int64_t micro = 0;
    if (take(p, end, ':')) {
        if ((second = digits(p, end, 2)) < 0 || second > 60) return -1;
        if (take(p, end, '.')) {
            int n = 0;
            for (int64_t scale = EG_SECOND / 10; *p < end && **p >= '0' && **p <= '9'; (*p)++, n++, scale /= 10)
                micro += (**p - '0') * scale;
            if (n < 1 || n > 9) return -1;
        }
    }
    return ((int64_t)h * 3600 + minute * 60 + second) * EG_SECOND + micro;
}

/* Z or +-hh:mm in microseconds east of UTC; 0 at the end of the text; *ok 0 when it is neither. */
static int64_t parse_zone(const char **p, const char *end, int *ok) {
    if (*p == end || take(p, end, 'Z') || take(p, end, 'z')) return 0;
    int sign = take(p, end, '+') ? 1 : take(p, end, '-') ? -1 : 0;
    int h = sign ? digits(p, end, 2) : -1;
    int m = h >= 0 && take(p, end, ':') ? digits(p, end, 2) : -1;
    *ok = h >= 0 && h <= 23 && m >= 0 && m <= 59;
    return *ok ? sign * ((int64_t)h * 3600 + m * 60) * EG_SECOND : 0;
}

eg_status eg_time_parse(eg_str text, int64_t *out, eg_error *err) {
    const char *p = text.ptr, *end = text.ptr + text.len;
    int y = digits(&p, end, 4), m = -1, d = -1, ok = 0;
    if (y >= 0 && take(&p, end, '-') && (m = digits(&p, end, 2)) >= 1 && m <= 12 && take(&p, end, '-')) d = digits(&p, end, 2);
    int64_t time_of_day = 0, zone = 0;
    if (d >= 1 && d <= days_in_month(y, m)) {
        ok = 1;
        if (p < end) {
            ok = take(&p, end, 'T') || take(&p, end, 't') || take(&p, end, ' ');
            if (ok) ok = (time_of_day = parse_time_of_day(&p, end)) >= 0;
            if (ok) zone = parse_zone(&p, end, &ok);
            ok = ok && p == end;
        }
    }
    if (!ok) {
        char quoted[64];
        return eg_fail(err, EG_EINVAL, "'%s' is no time; write it as 2026-11-21T09:30:00Z or 2026-11-21",
                       eg_quote(text, 40, quoted, sizeof quoted));
    }
    *out = days_from_civil(y, m, d) * EG_DAY + time_of_day - zone;
    return EG_OK;
}
