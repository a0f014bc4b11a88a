/* time_text.c - RFC 3339 times, read and written. See args.h. The calendar is the proleptic
 * Gregorian one; days are counted from 1970-01-01 by years that begin in March, so that the leap
 * day is the last of its year. */
#include "time_text.h"

#define SECOND INT64_C(1000000)
#define DAY (86400 * SECOND)

static int64_t days_of(int64_t year, int64_t month, int64_t day) {
    /* March is 0 */
    int64_t y = month <= 2 ? year - 1 : year, m = month <= 2 ? month + 9 : month - 3;
    int64_t before = y * 365 + y / 4 - y / 100 + y / 400; /* y >= 0 here */
    return before + (m * 153 + 2) / 5 + day - 1 - 719468;
}

static int days_in(int64_t year, int64_t month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

/* Exactly n digits at *i. */
static int read_digits(eg_str t, size_t *i, int n, int64_t *out) {
    *out = 0;
    for (int k = 0; k < n; k++, (*i)++) {
        if (*i >= t.len || t.ptr[*i] < '0' || t.ptr[*i] > '9') return 0;
        *out = *out * 10 + (t.ptr[*i] - '0');
    }
    return 1;
}

static int read_char(eg_str t, size_t *i, const char *any) {
    if (*i >= t.len || t.ptr[*i] == 0 || !strchr(any, t.ptr[*i])) return 0;
    (*i)++;
    return 1;
}

/* "hh:mm[:ss[.fraction]]" to microseconds of the day; digits after the sixth are dropped. */
static int read_clock(eg_str t, size_t *i, int64_t *out) {
    int64_t hour, minute, second = 0, fraction = 0;
    if (!read_digits(t, i, 2, &hour) || !read_char(t, i, ":") || !read_digits(t, i, 2, &minute)) return 0;
    if (read_char(t, i, ":") && !read_digits(t, i, 2, &second)) return 0;
    if (read_char(t, i, ".")) {
        int64_t unit = SECOND / 10, digit;
        if (!read_digits(t, i, 1, &digit)) return 0;
        do {
            fraction += digit * unit;
            unit /= 10;
        } while (read_digits(t, i, 1, &digit));
    }
    /* 60: a leap second counts as the next minute */
    if (hour > 23 || minute > 59 || second > 60) return 0;
    *out = (hour * 3600 + minute * 60 + second) * SECOND + fraction;
    return 1;
}

/* "Z", "+hh:mm" or nothing, to microseconds east of UTC. */
static int read_zone(eg_str t, size_t *i, int64_t *out) {
    int64_t hour, minute;
    *out = 0;
    if (*i == t.len || read_char(t, i, "Zz")) return 1;
    int west = t.ptr[*i] == '-';
    if (!read_char(t, i, "+-") || !read_digits(t, i, 2, &hour)) return 0;
    read_char(t, i, ":");
    if (!read_digits(t, i, 2, &minute) || hour > 23 || minute > 59) return 0;
    *out = (hour * 3600 + minute * 60) * SECOND * (west ? -1 : 1);
    return 1;
}

int mt_time_parse(eg_str text, int64_t *out) {
    size_t i = 0;
    int64_t year, month, day, clock = 0, zone = 0;
    if (!read_digits(text, &i, 4, &year) || !read_char(text, &i, "-") || !read_digits(text, &i, 2, &month) ||
        !read_char(text, &i, "-") || !read_digits(text, &i, 2, &day))
        return 0;
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_in(year, month)) return 0;
    if (i < text.len && (!read_char(text, &i, "Tt ") || !read_clock(text, &i, &clock) || !read_zone(text, &i, &zone))) return 0;
    if (i != text.len) return 0;
    *out = days_of(year, month, day) * DAY + clock - zone;
    return 1;
}

int mt_span_parse(eg_str text, int64_t *out) {
    static const struct {
        char letter;
        int64_t length;
    } units[] = {{'m', 60 * SECOND}, {'h', 3600 * SECOND}, {'d', DAY}, {'w', 7 * DAY}};
    enum { MOST_DIGITS = 8 };
    int64_t number = 0, unit = DAY;
    size_t i = 0;
    while (i < text.len && i <= MOST_DIGITS && text.ptr[i] >= '0' && text.ptr[i] <= '9')
        number = number * 10 + (text.ptr[i++] - '0');
    if (i == 0 || i > MOST_DIGITS || text.len > i + 1) return 0;
    int known = i == text.len;
    for (size_t k = 0; !known && k < sizeof units / sizeof *units; k++)
        if (units[k].letter == text.ptr[i]) known = 1, unit = units[k].length;
    *out = number * unit;
    return known && *out <= 36500 * DAY;
}

int mt_time_said(eg_str text, int64_t now, int64_t *out) {
    int64_t back, midnight = now - now % DAY; /* now is after 1970 */
    int has_unit = text.len && (text.ptr[text.len - 1] < '0' || text.ptr[text.len - 1] > '9');
    if (eg_str_eq(text, EG_STR("now"))) *out = now;
    else if (eg_str_eq(text, EG_STR("today"))) *out = midnight;
    else if (eg_str_eq(text, EG_STR("yesterday"))) *out = midnight - DAY;
    else if (has_unit && mt_span_parse(text, &back)) *out = now - back;
    else return mt_time_parse(text, out);
    return 1;
}

eg_str mt_time_format(int64_t microseconds, char out[TIME_TEXT]) {
    /* 0001-01-01 and the end of 9999 */
    const int64_t first = -719162 * DAY, last = 2932897 * DAY - 1;
    int64_t t = microseconds < first ? first : microseconds > last ? last : microseconds;
    int64_t days = t / DAY - (t % DAY < 0), rest = t - days * DAY;
    int64_t z = days + 719468, era = z / 146097, in_era = z % 146097; /* z > 0 in this range */
    int64_t year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    int64_t in_year = in_era - (365 * year + year / 4 - year / 100), m = (5 * in_year + 2) / 153;
    int64_t month = m < 10 ? m + 3 : m - 9;
    int64_t seconds = rest / SECOND;
    int n = snprintf(out, TIME_TEXT, "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", (int)(era * 400 + year + (month <= 2)), (int)month,
                     (int)(in_year - (153 * m + 2) / 5 + 1), (int)(seconds / 3600), (int)(seconds / 60 % 60), (int)(seconds % 60),
                     (int)(rest % SECOND));
    return (eg_str){out, n > 0 && n < TIME_TEXT ? (size_t)n : 0};
}
