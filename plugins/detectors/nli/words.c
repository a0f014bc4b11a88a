/* words.c - see words.h. */
#include "words.h"

#include <stdlib.h>

enum { MAX_WORD = 64 };

static const char *const fillers =
    " a an the is are be been being am do does did has have had it its this that these those there here of to in on at by for "
    "from with as and or so than then too also we you they our your their i he she them us which who what where how via per "
    "into out up down over under about can will would just very still now yet as via et al eg ie etc ";

static const char *const marks[WORD_MARKS] = {
    " not never no without cannot dont doesnt isnt arent wont nothing nobody none neither nor disabled disable off forbidden "
    "forbid refuse refused reject rejected deny denied banned avoid except t ",
    " was were until formerly previously former old earlier before renamed removed dropped replaced gone migrated switched used "
    "retired deprecated legacy ago ",
    " will plan planned planning propose proposed proposal consider considering considered maybe might could someday next later "
    "roadmap idea discussed discuss todo draft eventually ",
    " if when unless except during while case otherwise only until provided ",
    " all every any always each only both whole everything everyone everywhere entire ",
    " should must required require mandatory need needs shall ought have "};

/* Groups of words for one environment or platform; each is a bit. */
static const char *const environments[] = {" prod production live ",
                                           " staging stage stg preprod ",
                                           " dev development local localhost laptop ",
                                           " test tests testing qa ci ",
                                           " sandbox preview demo canary beta nightly ",
                                           " linux ubuntu debian ",
                                           " windows win32 ",
                                           " macos mac darwin osx ",
                                           " ios iphone ipad ",
                                           " android ",
                                           " arm arm64 aarch64 ",
                                           " x86 amd64 x64 x86_64 ",
                                           " eu europe emea ",
                                           " us usa ",
                                           " web browser ",
                                           " mobile app ",
                                           " internal ",
                                           " external public partner "};

static const char *const spelled[] = {"zero",  "one",   "two",  "three", "four",   "five",  "six",
                                      "seven", "eight", "nine", "ten",   "eleven", "twelve"};

static int is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int is_letter(char c) { return (c >= 'a' && c <= 'z') || is_upper(c) || (c & 0x80); }
static int joins(char c) { return c == '_' || c == '-' || c == '.' || c == '/' || c == ':' || c == '@' || c == '%'; }
static char lower(char c) { return is_upper(c) ? (char)(c + 32) : c; }

static uint32_t hash_of(const char *s, size_t n) { /* FNV-1a */
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++) h = (h ^ (uint8_t)s[i]) * 16777619u;
    return h ? h : 1;
}

/* 1 when " WANTED " is in the list, which begins and ends with a space. */
static int listed(const char *list, const char *wanted, size_t n) {
    for (const char *p = list; (p = strchr(p, ' ')) && p[1]; p++)
        if (strncmp(p + 1, wanted, n) == 0 && p[1 + n] == ' ') return 1;
    return 0;
}

static int ends_with(const char *w, size_t n, const char *ending) {
    size_t m = strlen(ending);
    return n > m && memcmp(w + n - m, ending, m) == 0;
}

/* The length without the usual endings, so that "retries" and "retry" or "kept" and "keep" may
 * differ, but "limits" and "limit", "cached" and "caching" do not. */
static size_t stem(const char *w, size_t n) {
    if (n > 4 && ends_with(w, n, "ies")) return n - 3;
    if (n > 5 && ends_with(w, n, "ing")) return n - 3;
    if (n > 4 && ends_with(w, n, "ed")) return n - 2;
    if (n > 4 && ends_with(w, n, "es")) return n - 2;
    if (n > 3 && ends_with(w, n, "s") && w[n - 2] != 's') return n - 1;
    if (n > 4 && (w[n - 1] == 'e' || w[n - 1] == 'y')) return n - 1;
    return n;
}

typedef struct reader {
    word *words;
    size_t count;
    word_set *out;
} reader;

static void put(reader *r, uint32_t hash, word_class class) {
    if (r->count < MAX_SET_WORDS) r->words[r->count++] = (word){.hash = hash, .class = class, .place = r->out->total - 1};
    if (!r->out->head && class != WORD_FILLER) r->out->head = hash;
}

/* A word of letters, in lower case. */
static void put_plain(reader *r, const char *w, size_t n) {
    for (uint32_t i = 0; i < sizeof spelled / sizeof *spelled; i++)
        if (strlen(spelled[i]) == n && memcmp(spelled[i], w, n) == 0) {
            char digits[4];
            int m = snprintf(digits, sizeof digits, "%u", i);
            put(r, hash_of(digits, (size_t)m), WORD_NUMBER);
            return;
        }
    for (int i = 0; i < WORD_MARKS; i++)
        if (listed(marks[i], w, n)) r->out->marks |= 1u << i;
    for (size_t i = 0; i < sizeof environments / sizeof *environments; i++)
        if (listed(environments[i], w, n)) r->out->environments |= 1u << i;
    if (listed(fillers, w, n)) put(r, hash_of(w, n), WORD_FILLER);
    else put(r, hash_of(w, stem(w, n)), WORD_PLAIN);
}

/* The parts of an identifier that are words: between signs and before inner capitals. */
static void put_parts(reader *r, const char *s, size_t n) {
    char part[MAX_WORD];
    size_t m = 0;
    for (size_t i = 0; i <= n; i++) {
        int begins = i < n && i > 0 && is_upper(s[i]) && !is_upper(s[i - 1]);
        if (i == n || !is_letter(s[i]) || begins) {
            if (m > 1) put_plain(r, part, m);
            m = 0;
        }
        if (i < n && is_letter(s[i]) && m < MAX_WORD) part[m++] = lower(s[i]);
    }
}

static void put_word(reader *r, const char *s, size_t n) {
    char low[MAX_WORD];
    int letters = 1, capitals_inside = 0,
        digit_first = is_digit(s[0]) || (n > 1 && (s[0] == 'v' || s[0] == 'V') && is_digit(s[1]));
    if (n > MAX_WORD) n = MAX_WORD;
    for (size_t i = 0; i < n; i++) {
        letters &= is_letter(s[i]);
        capitals_inside |= i > 0 && is_upper(s[i]) && !is_upper(s[i - 1]);
        low[i] = lower(s[i]);
    }
    r->out->total++;
    if (digit_first) {
        put(r, hash_of(low, n), WORD_NUMBER);
    } else if (letters && !capitals_inside) {
        put_plain(r, low, n);
    } else {
        put(r, hash_of(low, n), WORD_IDENTIFIER);
        put_parts(r, s, n);
    }
}

static int by_hash_and_place(const void *a, const void *b) {
    const word *x = a, *y = b;
    if (x->hash != y->hash) return x->hash > y->hash ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

eg_status word_set_read(eg_request *rq, eg_str text, word_set *out) {
    word all[MAX_SET_WORDS];
    *out = (word_set){0};
    reader r = {.words = all, .out = out};
    for (size_t i = 0; i < text.len;) {
        size_t from = i;
        while (i < text.len && (is_letter(text.ptr[i]) || is_digit(text.ptr[i]) || (i > from && joins(text.ptr[i])))) i++;
        size_t end = i;
        while (end > from && joins(text.ptr[end - 1]) && text.ptr[end - 1] != '%')
            end--; /* a full stop, not a part of the word */
        if (end > from) put_word(&r, text.ptr + from, end - from);
        if (i == from) i++;
    }
    qsort(all, r.count, sizeof *all, by_hash_and_place);
    size_t n = 0;
    for (size_t i = 0; i < r.count; i++)
        if (n == 0 || all[n - 1].hash != all[i].hash) all[n++] = all[i];
    word *kept = eg_request_array(rq, n, sizeof *kept);
    if (!kept) return EG_ENOMEM;
    if (n) memcpy(kept, all, n * sizeof *kept);
    out->words = kept;
    out->count = n;
    return EG_OK;
}

const word *word_set_find(const word_set *set, uint32_t hash) {
    size_t low = 0, high = set->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (set->words[middle].hash < hash) low = middle + 1;
        else high = middle;
    }
    return low < set->count && set->words[low].hash == hash ? &set->words[low] : NULL;
}
