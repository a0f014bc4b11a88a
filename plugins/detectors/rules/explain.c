/* explain.c - see explain.h. */
#include "explain.h"

enum { MAX_VALUE = 60, MAX_LABEL = 90, MAX_QUOTE = 110 };

/* At most `most` bytes; a cut does not split a code point. */
static eg_str cut(eg_str text, size_t most) {
    if (text.len <= most) return text;
    size_t n = most;
    while (n && ((unsigned char)text.ptr[n] & 0xC0) == 0x80) n--;
    return (eg_str){text.ptr, n};
}

static eg_str at_span(const eg_case_fact *f, eg_span s) {
    eg_str content = f->fact->content;
    if (s.end > content.len || s.start > s.end) return (eg_str){"", 0};
    return (eg_str){content.ptr + s.start, s.end - s.start};
}

static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* A number with the noun behind it: "50 pages". */
static eg_span with_noun(const eg_case_fact *f, eg_span at) {
    eg_str content = f->fact->content;
    if (at.start >= at.end || at.end >= content.len || content.ptr[at.end] != ' ') return at;
    if (content.ptr[at.end - 1] < '0' || content.ptr[at.end - 1] > '9') return at;
    uint32_t from = at.end + 1, to = from;
    while (to < content.len && is_letter(content.ptr[to])) to++;
    eg_str noun = {content.ptr + from, to - from};
    if (to == from ||
        word_in(noun, "in on at for to of and or per by if when with as is are was were from than after before until "
                      "but so it the a an now instead"))
        return at;
    return (eg_span){at.start, to};
}

eg_str explain_words(const eg_case_fact *f, eg_span at) { return cut(at_span(f, with_noun(f, at)), MAX_VALUE); }

/* The statement in which the words stand; the whole content where none holds them. */
static eg_str statement_with(const eg_case_fact *f, eg_span words) {
    for (size_t i = 0; i < f->statement_count; i++)
        if (f->statements[i].start <= words.start && words.end <= f->statements[i].end) return at_span(f, f->statements[i]);
    return f->fact->content;
}

/* A label for the differing words: the words before them in their statement, shortened; the words
 * behind them where there are none. */
static eg_str label_of(const eg_case_fact *f, uint32_t statement, eg_span at) {
    eg_str content = f->fact->content;
    size_t start = f->statements[statement].start, end = at.start;
    while (end > start && (content.ptr[end - 1] == ' ' || content.ptr[end - 1] == '`' || content.ptr[end - 1] == '"')) end--;
    if (end <= start) {
        start = at.end;
        end = f->statements[statement].end;
    }
    if (end - start > MAX_LABEL) {
        size_t from = end - MAX_LABEL;
        while (from < end && content.ptr[from] != ' ') from++;
        start = from;
    }
    while (start < end && content.ptr[start] == ' ') start++;
    return (eg_str){content.ptr + start, end - start};
}

static int is_denial(eg_str words) { return word_in(words, "not never no cannot without"); }

/* "X" against "Y", each a whole statement. */
static eg_str of_statements(eg_request *rq, const char *what, eg_str x, eg_str y) {
    eg_str a = cut(x, MAX_QUOTE), b = cut(y, MAX_QUOTE);
    return eg_request_printf(rq, "%s: \"%.*s%s\" against \"%.*s%s\".", what, (int)a.len, a.ptr, a.len < x.len ? "..." : "",
                             (int)b.len, b.ptr, b.len < y.len ? "..." : "");
}

static eg_str of_both_valid(eg_request *rq, eg_str first, eg_str second, const separation *why) {
    const char *what = why->what ? why->what : "the contexts differ";
    eg_str x = cut(why->theirs, MAX_VALUE), y = cut(why->ours, MAX_VALUE);
    if (x.len && y.len)
        return eg_request_printf(rq, "Both can be true, %.*s and %.*s: %s (\"%.*s\" against \"%.*s\").", (int)first.len,
                                 first.ptr, (int)second.len, second.ptr, what, (int)x.len, x.ptr, (int)y.len, y.ptr);
    eg_str one = x.len ? x : y;
    if (one.len)
        return eg_request_printf(rq, "Both can be true, %.*s and %.*s: %s (only one of them says \"%.*s\").", (int)first.len,
                                 first.ptr, (int)second.len, second.ptr, what, (int)one.len, one.ptr);
    return eg_request_printf(rq, "Both can be true, %.*s and %.*s: %s.", (int)first.len, first.ptr, (int)second.len, second.ptr,
                             what);
}

eg_str explain_observation(eg_request *rq, const eg_case_fact *subject, uint32_t statement, const eg_case_fact *candidate,
                           const observation *o, const separation *why) {
    eg_str label = label_of(subject, statement, o->a), here = explain_words(subject, o->a),
           there = explain_words(candidate, o->b);
    switch (o->outcome) {
    case EG_OUTCOME_CONTRADICTION:
        if (o->general)
            return of_statements(rq, "One is a rule for all, the other an exception to it", statement_with(candidate, o->b),
                                 statement_with(subject, o->a));
        if (is_denial(here) || is_denial(there))
            return of_statements(rq, "One denies what the other says", statement_with(candidate, o->b),
                                 statement_with(subject, o->a));
        return eg_request_printf(rq, "One says %.*s, the other %.*s, of the same thing (\"%.*s\").", (int)there.len, there.ptr,
                                 (int)here.len, here.ptr, (int)label.len, label.ptr);
    case EG_OUTCOME_UPDATE:
        return eg_request_printf(rq, "By its own words one replaces the other: %.*s now, %.*s before (\"%.*s\").", (int)here.len,
                                 here.ptr, (int)there.len, there.ptr, (int)label.len, label.ptr);
    case EG_OUTCOME_BOTH_VALID: return of_both_valid(rq, there, here, why);
    default: return eg_request_printf(rq, "Both say the same.");
    }
}
