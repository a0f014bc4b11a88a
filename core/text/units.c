/* units.c - see units.h. */
#include "core/text/units.h"

#include "core/text/fold.h"
#include "core/text/words.h"

typedef struct row {
    /* blank-separated; symbols are compared with case, words of plain letters without */
    const char *words;
    int symbol;
    eg_unit unit;
} row;

#define EXACT(dimension, factor, exponent) \
    { dimension, factor, factor, exponent }
#define DAY 86400

static const row table[] = {
    {"ns", 1, EXACT("time", 1, -9)},
    {"nanosecond nanoseconds", 0, EXACT("time", 1, -9)},
    {"us \xC2\xB5s \xCE\xBCs", 1, EXACT("time", 1, -6)},
    {"microsecond microseconds", 0, EXACT("time", 1, -6)},
    {"ms msec", 1, EXACT("time", 1, -3)},
    {"millisecond milliseconds millis", 0, EXACT("time", 1, -3)},
    {"s sec", 1, EXACT("time", 1, 0)},
    {"second seconds secs", 0, EXACT("time", 1, 0)},
    {"min", 1, EXACT("time", 60, 0)},
    {"minute minutes mins", 0, EXACT("time", 60, 0)},
    {"h hr", 1, EXACT("time", 3600, 0)},
    {"hour hours hrs", 0, EXACT("time", 3600, 0)},
    {"d", 1, EXACT("time", DAY, 0)},
    {"day days night nights", 0, EXACT("time", DAY, 0)},
    {"week weeks", 0, EXACT("time", 7 * DAY, 0)},
    {"w", 1, EXACT("time", 7 * DAY, 0)},
    {"month months", 0, {"time", 28 * DAY, 31 * DAY, 0}},
    {"quarter quarters", 0, {"time", 90 * DAY, 92 * DAY, 0}},
    {"year years", 0, {"time", 365 * DAY, 366 * DAY, 0}},
    {"y", 1, {"time", 365 * DAY, 366 * DAY, 0}},
    {"B", 1, EXACT("bytes", 1, 0)},
    {"byte bytes", 0, EXACT("bytes", 1, 0)},
    {"kB KB", 1, EXACT("bytes", 1, 3)},
    {"kilobyte kilobytes", 0, EXACT("bytes", 1, 3)},
    {"MB", 1, EXACT("bytes", 1, 6)},
    {"megabyte megabytes", 0, EXACT("bytes", 1, 6)},
    {"GB", 1, EXACT("bytes", 1, 9)},
    {"gigabyte gigabytes", 0, EXACT("bytes", 1, 9)},
    {"TB", 1, EXACT("bytes", 1, 12)},
    {"terabyte terabytes", 0, EXACT("bytes", 1, 12)},
    {"PB", 1, EXACT("bytes", 1, 15)},
    {"KiB Ki", 1, EXACT("bytes", 1024, 0)},
    {"kibibyte kibibytes", 0, EXACT("bytes", 1024, 0)},
    {"MiB Mi", 1, EXACT("bytes", 1048576, 0)},
    {"mebibyte mebibytes", 0, EXACT("bytes", 1048576, 0)},
    {"GiB Gi", 1, EXACT("bytes", 1073741824, 0)},
    {"gibibyte gibibytes", 0, EXACT("bytes", 1073741824, 0)},
    {"TiB Ti", 1, EXACT("bytes", INT64_C(1099511627776), 0)},
    {"bit bits", 0, EXACT("bits", 1, 0)},
    {"kbit Kbit", 1, EXACT("bits", 1, 3)},
    {"Mbit", 1, EXACT("bits", 1, 6)},
    {"Gbit", 1, EXACT("bits", 1, 9)},
    {"bit/s bps", 1, EXACT("rate:bits", 1, 0)},
    {"kbit/s kbps", 1, EXACT("rate:bits", 1, 3)},
    {"Mbit/s Mbps", 1, EXACT("rate:bits", 1, 6)},
    {"Gbit/s Gbps", 1, EXACT("rate:bits", 1, 9)},
    {"B/s", 1, EXACT("rate:bytes", 1, 0)},
    {"kB/s KB/s", 1, EXACT("rate:bytes", 1, 3)},
    {"MB/s", 1, EXACT("rate:bytes", 1, 6)},
    {"GB/s", 1, EXACT("rate:bytes", 1, 9)},
    {"KiB/s", 1, EXACT("rate:bytes", 1024, 0)},
    {"MiB/s", 1, EXACT("rate:bytes", 1048576, 0)},
    {"GiB/s", 1, EXACT("rate:bytes", 1073741824, 0)},
    {"/s req/s requests/s request/s r/s rps qps", 1, EXACT("rate", 1, 0)},
    {"k/s krps", 1, EXACT("rate", 1, 3)},
    {"events/s msg/s messages/s ops/s rows/s tx/s tps", 1, EXACT("rate", 1, 0)},
    {"% percent pct", 0, EXACT("percent", 1, 0)},
    {"permille \xE2\x80\xB0", 1, EXACT("percent", 1, -1)},
    {"Hz", 1, EXACT("frequency", 1, 0)},
    {"hertz", 0, EXACT("frequency", 1, 0)},
    {"kHz", 1, EXACT("frequency", 1, 3)},
    {"MHz", 1, EXACT("frequency", 1, 6)},
    {"GHz", 1, EXACT("frequency", 1, 9)},
    {"\xC2\xB5m um", 1, EXACT("length", 1, -6)},
    {"nm", 1, EXACT("length", 1, -9)},
    {"mm", 1, EXACT("length", 1, -3)},
    {"millimetre millimetres millimeter millimeters", 0, EXACT("length", 1, -3)},
    {"cm", 1, EXACT("length", 1, -2)},
    {"centimetre centimetres centimeter centimeters", 0, EXACT("length", 1, -2)},
    {"m", 1, EXACT("length", 1, 0)},
    {"metre metres meter meters", 0, EXACT("length", 1, 0)},
    {"km", 1, EXACT("length", 1, 3)},
    {"kilometre kilometres kilometer kilometers", 0, EXACT("length", 1, 3)},
    {"m/s", 1, EXACT("speed", 1, 0)},
    {"mm/s", 1, EXACT("speed", 1, -3)},
    {"mg", 1, EXACT("mass", 1, -6)},
    {"g", 1, EXACT("mass", 1, -3)},
    {"kg", 1, EXACT("mass", 1, 0)},
    {"kilogram kilograms kilogramme kilogrammes", 0, EXACT("mass", 1, 0)},
    {"tonne tonnes", 0, EXACT("mass", 1, 3)},
    {"\xC2\xB0"
     "C",
     1, EXACT("temperature", 1, 0)},
    {"celsius", 0, EXACT("temperature", 1, 0)},
    {"\xC2\xB0 deg", 1, EXACT("angle", 1, 0)},
    {"degree degrees", 0, EXACT("angle", 1, 0)},
    {"mV", 1, EXACT("voltage", 1, -3)},
    {"V", 1, EXACT("voltage", 1, 0)},
    {"volt volts", 0, EXACT("voltage", 1, 0)},
    {"kV", 1, EXACT("voltage", 1, 3)},
    {"mA", 1, EXACT("current", 1, -3)},
    {"A", 1, EXACT("current", 1, 0)},
    {"W", 1, EXACT("power", 1, 0)},
    {"watt watts", 0, EXACT("power", 1, 0)},
    {"kW", 1, EXACT("power", 1, 3)},
    {"MW", 1, EXACT("power", 1, 6)},
    {"Wh", 1, EXACT("energy", 1, 0)},
    {"kWh", 1, EXACT("energy", 1, 3)},
    {"EUR \xE2\x82\xAC", 1, EXACT("money:eur", 1, 0)},
    {"euro euros", 0, EXACT("money:eur", 1, 0)},
    {"USD $", 1, EXACT("money:usd", 1, 0)},
    {"dollar dollars", 0, EXACT("money:usd", 1, 0)},
    {"GBP \xC2\xA3", 1, EXACT("money:gbp", 1, 0)},
    {"pound pounds", 0, EXACT("money:gbp", 1, 0)},
    {"CHF", 1, EXACT("money:chf", 1, 0)},
    {"franc francs", 0, EXACT("money:chf", 1, 0)},
};

static int matches(const row *r, eg_str word) {
    if (!r->symbol) return eg_word_in(word, r->words);
    for (const char *p = r->words; *p;) {
        size_t n = 0;
        while (p[n] && p[n] != ' ') n++;
        if (eg_str_eq(word, (eg_str){p, n})) return 1;
        p += n;
        while (*p == ' ') p++;
    }
    return 0;
}

const eg_unit *eg_unit_find(eg_str word, int attached) {
    static const eg_unit minute = EXACT("time", 60, 0);
    if (attached && word.len == 1 && word.ptr[0] == 'm') return &minute;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (matches(&table[i], word)) return &table[i].unit;
    return NULL;
}

const eg_unit *eg_unit_period(eg_str word) {
    if (!eg_word_in(word, "second minute hour day night week month quarter year seconds minutes hours days nights weeks "
                          "months quarters years"))
        return NULL;
    return eg_unit_find(word, 0);
}

const eg_unit *eg_unit_currency(eg_str word) {
    const eg_unit *u = eg_word_in(word, "EUR USD GBP CHF \xE2\x82\xAC $ \xC2\xA3") ? eg_unit_find(word, 0) : NULL;
    return u;
}
