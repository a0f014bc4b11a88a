/* changes.c - see changes.h. */
#include "changes.h"

#include <string.h>

typedef struct side {
    eg_str words[MAX_CHANGE_WORDS];
    int count;
} side;

static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static char lower(char c) { return is_upper(c) ? (char)(c + 32) : c; }
static int is_letter(char c) { return (lower(c) >= 'a' && lower(c) <= 'z') || (c & 0x80); }
static int is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static int begins_word(char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '/' || c == '$'; }
static int ends_word(char c) { return is_letter(c) || is_digit(c) || c == '%' || c == '/' || c == '+'; }

static void read_words(eg_str text, side *out) {
    out->count = 0;
    for (size_t i = 0; i < text.len && out->count < MAX_CHANGE_WORDS;) {
        size_t from = i;
        while (i < text.len && !is_space(text.ptr[i])) i++;
        size_t end = i;
        while (from < end && !begins_word(text.ptr[from])) from++;
        while (end > from && !ends_word(text.ptr[end - 1])) end--;
        int says = 0;
        for (size_t k = from; k < end; k++) says |= is_letter(text.ptr[k]) || is_digit(text.ptr[k]);
        if (says) out->words[out->count++] = (eg_str){text.ptr + from, end - from};
        if (i < text.len) i++;
    }
}

static int same(eg_str a, eg_str b) {
    if (a.len != b.len) return 0;
    for (size_t i = 0; i < a.len; i++)
        if (lower(a.ptr[i]) != lower(b.ptr[i])) return 0;
    return 1;
}

static int is_number(eg_str w) {
    int digits = 0;
    for (size_t i = 0; i < w.len; i++) digits += is_digit(w.ptr[i]);
    return digits > 0 && (is_digit(w.ptr[0]) || (w.len > 1 && lower(w.ptr[0]) == 'v' && is_digit(w.ptr[1])));
}

/* An identifier, path, option: letters with signs, digits or capitals inside. */
static int is_name(eg_str w) {
    int letters = 0, marked = 0;
    for (size_t i = 0; i < w.len; i++) {
        char c = w.ptr[i];
        letters += is_letter(c);
        marked += c == '_' || c == '-' || c == '.' || c == '/' || c == '=' || c == ':';
        marked += i > 0 && (is_digit(c) || (is_upper(c) && !is_upper(w.ptr[i - 1])));
    }
    return letters > 1 && marked && !is_number(w);
}

static int is_negation(eg_str w) {
    static const char *const list[] = {"not",   "no",      "never", "cannot",  "without",  "isn't", "aren't", "don't",
                                       "won't", "doesn't", "can't", "neither", "disabled", "false", "off",    "unsupported"};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (same(w, (eg_str){list[i], strlen(list[i])})) return 1;
    return 0;
}

/* A slip or another ending: no digits, and all but a few letters at the beginning and the end are
 * the same. */
static int spelled_alike(eg_str a, eg_str b) {
    size_t shorter = a.len < b.len ? a.len : b.len, longer = a.len + b.len - shorter, begin = 0, end = 0;
    for (size_t i = 0; i < a.len; i++)
        if (is_digit(a.ptr[i])) return 0;
    while (begin < shorter && lower(a.ptr[begin]) == lower(b.ptr[begin])) begin++;
    while (end < shorter - begin && lower(a.ptr[a.len - 1 - end]) == lower(b.ptr[b.len - 1 - end])) end++;
    return 4 * (begin + end) >= 3 * longer || (shorter >= 3 && begin + end == shorter && longer - shorter <= 3);
}

typedef struct run {
    int a, b, a_end, b_end;
} run;

static int any(const side *s, int from, int end, int (*is)(eg_str)) {
    int n = 0;
    for (int i = from; i < end; i++) n += is(s->words[i]);
    return n > 0;
}

static void count_run(const side *a, const side *b, run r, text_changes *out) {
    int here = r.a_end - r.a, there = r.b_end - r.b;
    out->negations += any(a, r.a, r.a_end, is_negation) != any(b, r.b, r.b_end, is_negation);
    if (!here || !there) {
        out->inserts++;
        out->added += here + there;
        return;
    }
    out->swaps++;
    out->least += here < there ? here : there;
    out->most += here < there ? there : here;
    out->numbers += any(a, r.a, r.a_end, is_number) && any(b, r.b, r.b_end, is_number);
    out->names += any(a, r.a, r.a_end, is_name) && any(b, r.b, r.b_end, is_name);
    out->spellings += here == 1 && there == 1 && spelled_alike(a->words[r.a], b->words[r.b]);
}

text_changes changes_between(eg_str first, eg_str second) {
    side a, b;
    /* The longest common subsequence of what begins at each pair of words. */
    unsigned char common[MAX_CHANGE_WORDS + 1][MAX_CHANGE_WORDS + 1];
    text_changes out = {0};
    read_words(first, &a);
    read_words(second, &b);
    memset(common, 0, sizeof common);
    for (int i = a.count - 1; i >= 0; i--)
        for (int k = b.count - 1; k >= 0; k--) {
            unsigned char skip = common[i + 1][k] > common[i][k + 1] ? common[i + 1][k] : common[i][k + 1];
            common[i][k] = same(a.words[i], b.words[k]) ? (unsigned char)(common[i + 1][k + 1] + 1) : skip;
        }
    int kept = common[0][0], i = 0, k = 0, since = 0, changed = 0;
    while (i < a.count || k < b.count) {
        while (i < a.count && k < b.count && same(a.words[i], b.words[k])) {
            i++;
            k++;
            since++;
        }
        run r = {.a = i, .b = k};
        while ((i < a.count || k < b.count) && !(i < a.count && k < b.count && same(a.words[i], b.words[k]))) {
            if (k == b.count || (i < a.count && common[i + 1][k] >= common[i][k + 1])) i++;
            else k++;
        }
        r.a_end = i;
        r.b_end = k;
        if (r.a_end == r.a && r.b_end == r.b) break; /* both texts end with words that stay */
        if (!changed++) out.lead = since;
        since = 0;
        count_run(&a, &b, r, &out);
    }
    if (!changed) out.lead = kept;
    out.tail = since;
    out.kept = a.count + b.count ? 2.0 * kept / (a.count + b.count) : 0;
    return out;
}
