/* statements.c - cuts a fact into statements. See text.h. Not a grammar: a full stop ends a
 * sentence when white space and something that can begin a sentence follow, and when no known
 * abbreviation stands before it. */
#include "core/text/text.h"

#include "core/base/status.h"
#include "core/base/utf8.h"
#include "core/text/fold.h"

typedef struct splitter {
    eg_str s;
    eg_span *out;
    size_t n, most, start;
    /* ends of the run of '.', '!', '?' looked at last, and of the quotes and brackets behind it */
    size_t signs, after;
} splitter;

static int space_at(eg_str s, size_t i, size_t *bytes) {
    uint32_t cp;
    *bytes = eg_utf8_decode(s.ptr + i, s.len - i, &cp);
    return eg_char_classify(cp) == EG_CHAR_SPACE;
}

/* The length of a list marker ("- ", "* ", "3. ", "2) ", "# ") at i, white space after it included;
 * 0: none. */
static size_t list_marker(eg_str s, size_t i) {
    size_t j = i;
    static const char bullet[] = "\xE2\x80\xA2"; /* U+2022 */
    if (j < s.len && (s.ptr[j] == '-' || s.ptr[j] == '*' || s.ptr[j] == '+')) j++;
    else if (s.len - j >= 3 && memcmp(s.ptr + j, bullet, 3) == 0) j += 3;
    else if (j < s.len && s.ptr[j] == '#') {
        while (j < s.len && s.ptr[j] == '#') j++;
    } else {
        while (j < s.len && j - i < 3 && eg_is_digit(s.ptr[j])) j++;
        if (j == i || j >= s.len || (s.ptr[j] != '.' && s.ptr[j] != ')')) return 0;
        j++;
    }
    if (j >= s.len || (s.ptr[j] != ' ' && s.ptr[j] != '\t')) return 0;
    while (j < s.len && (s.ptr[j] == ' ' || s.ptr[j] == '\t')) j++;
    return j - i;
}

/* The end of [start, end) without white space there. */
static size_t trimmed_end(eg_str s, size_t start, size_t end) {
    size_t k;
    while (end > start) {
        size_t last = eg_utf8_floor(s.ptr, s.len, end - 1);
        if (!space_at(s, last, &k)) break;
        end = last;
    }
    return end > start ? end : start;
}

/* Stores [start, end) trimmed, if anything is left of it. */
static void emit(splitter *sp, size_t end) {
    size_t start = sp->start, k;
    while (start < end && space_at(sp->s, start, &k)) start += k;
    if (start < end) {
        size_t marker = list_marker(sp->s, start);
        if (marker && start + marker < end) start += marker;
    }
    size_t last = trimmed_end(sp->s, start, end);
    sp->start = end;
    if (last == start) return;
    if (sp->n == sp->most) { /* no room: it belongs to the last one */
        if (sp->n) sp->out[sp->n - 1].end = (uint32_t)last;
        return;
    }
    sp->out[sp->n++] = (eg_span){(uint32_t)start, (uint32_t)last};
}

/* A letter before a full stop is an initial, unless it is a unit behind a number ("12g.", "5 s.")
 * or the end of a word that is cut by an apostrophe ("don't."). */
static int is_initial(eg_str s, size_t at) {
    if (at == 0) return 1;
    char before = s.ptr[at - 1];
    if (before == ' ' && at > 1 && eg_is_lower(s.ptr[at])) before = s.ptr[at - 2];
    return !eg_is_digit(before) && before != '\'';
}

static int is_abbreviation(eg_str s, size_t start, size_t dot) {
    static const char *const known[] = {"e.g", "i.e",  "etc",  "vs",   "cf",  "approx", "ca",  "no",  "nr",  "dr",   "mr", "mrs",
                                        "ms",  "incl", "excl", "resp", "fig", "sec",    "min", "max", "st",  "prof", "jr", "inc",
                                        "ltd", "co",   "corp", "a.m",  "p.m", "u.s",    "al",  "ed",  "vol", "ch"};
    eg_str word = {s.ptr + start, dot - start};
    if (word.len == 1 && eg_is_alpha(word.ptr[0])) return is_initial(s, start);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (eg_str_same_word(word, eg_str_of(known[i]))) return 1;
    return 0;
}

/* Words that are abbreviations only before a number or inside a sentence: they may well end one. */
static int is_weak_abbreviation(eg_str s, size_t start, size_t dot) {
    static const char *const weak[] = {"etc", "no",  "min", "max", "sec", "inc", "ltd", "co", "corp",
                                       "a.m", "p.m", "ms",  "st",  "ed",  "al",  "ch",  "u.s"};
    eg_str word = {s.ptr + start, dot - start};
    for (size_t i = 0; i < sizeof weak / sizeof weak[0]; i++)
        if (eg_str_same_word(word, eg_str_of(weak[i]))) return 1;
    return 0;
}

/* Whether a sentence may begin at i: no lower-case plain word. */
static int begins_sentence(eg_str s, size_t i) {
    if (!eg_is_lower(s.ptr[i])) return 1;
    /* an identifier may */
    for (size_t j = i; j < s.len && s.ptr[j] != ' ' && s.ptr[j] != '\n'; j++) {
        char c = s.ptr[j];
        if (c == '_' || eg_is_digit(c) || c == '=' || (j > i && eg_is_upper(c))) return 1;
        if ((c == '.' || c == '-' || c == '/' || c == ':') && j + 1 < s.len && eg_is_alpha(s.ptr[j + 1])) return 1;
        if (j - i > 60) return 0;
    }
    return 0;
}

/* Sets sp->signs and sp->after for the run of final signs that i is in; once a run, which may be
 * long. */
static void find_signs(splitter *sp, size_t i) {
    if (i < sp->signs) return;
    eg_str s = sp->s;
    size_t j = i + 1;
    while (j < s.len && (s.ptr[j] == '.' || s.ptr[j] == '!' || s.ptr[j] == '?')) j++;
    sp->signs = j;
    while (j < s.len && (s.ptr[j] == '"' || s.ptr[j] == '\'' || s.ptr[j] == ')' || s.ptr[j] == ']')) j++;
    while (s.len - j >= 3 && (memcmp(s.ptr + j, "\xE2\x80\x9D", 3) == 0 || memcmp(s.ptr + j, "\xE2\x80\x99", 3) == 0)) j += 3;
    sp->after = j;
}

/* The end of the sentence whose final sign stands at i, or 0 when it ends none. */
static size_t sentence_end(splitter *sp, size_t i) {
    eg_str s = sp->s;
    find_signs(sp, i);
    if (i + 1 < sp->signs) return 0; /* the last sign of a run decides, once */
    size_t j = sp->after, k;
    if (j >= s.len) return s.len;
    if (!space_at(s, j, &k)) return 0;
    size_t next = j;
    while (next < s.len && space_at(s, next, &k)) next += k;
    if (next >= s.len) return j;
    if (s.ptr[i] != '.') return begins_sentence(s, next) ? j : 0;
    size_t word = i;
    while (word > sp->start && eg_is_digit(s.ptr[word - 1])) word--;
    if (word < i && (word == sp->start || s.ptr[word - 1] == '\n')) return 0; /* "1. First step" */
    word = i;
    while (word > sp->start && (eg_is_alpha(s.ptr[word - 1]) || s.ptr[word - 1] == '.')) word--;
    if (is_abbreviation(s, word, i)) {
        /* "etc. The next" ends a sentence, "e.g. Redis" does not, "No. 5" does not */
        if (!is_weak_abbreviation(s, word, i) || !eg_is_upper(s.ptr[next])) return 0;
    }
    return begins_sentence(s, next) ? j : 0;
}

/* Where the code span that opens at i ends (behind its last backtick); i + run when it is never
 * closed. */
static size_t code_end(eg_str s, size_t i) {
    size_t run = 0;
    while (i + run < s.len && s.ptr[i + run] == '`') run++;
    size_t j = i + run, count = 0;
    for (; j < s.len; j++) {
        count = s.ptr[j] == '`' ? count + 1 : 0;
        if (count == run && (j + 1 == s.len || s.ptr[j + 1] != '`')) return j + 1;
        if (run < 3 && s.ptr[j] == '\n' && j + 1 < s.len && s.ptr[j + 1] == '\n') break;
    }
    return i + run;
}

/* Whether a new statement begins on the line after the newline at i. */
static int breaks_line(eg_str s, size_t i) {
    size_t j = i + 1;
    while (j < s.len && (s.ptr[j] == ' ' || s.ptr[j] == '\t' || s.ptr[j] == '\r')) j++;
    return j >= s.len || s.ptr[j] == '\n' || list_marker(s, j) > 0;
}

size_t eg_text_statements(eg_str content, eg_span *out, size_t most) {
    splitter sp = {.s = content, .out = out, .most = most};
    size_t depth = 0;
    for (size_t i = 0; i < content.len;) {
        if (sp.n == most && most) { /* the rest belongs to the last one */
            size_t end = trimmed_end(content, sp.start, content.len);
            if (end > sp.start) out[most - 1].end = (uint32_t)end;
            return sp.n;
        }
        char c = content.ptr[i];
        if (c == '`') {
            i = code_end(content, i);
            continue;
        }
        if (c == '\n' && breaks_line(content, i)) {
            emit(&sp, i);
            depth = 0;
        } else if (c == '(' || c == '[') depth++;
        else if ((c == ')' || c == ']') && depth) depth--;
        else if (c == ';' && !depth && i + 1 < content.len && (content.ptr[i + 1] == ' ' || content.ptr[i + 1] == '\n')) {
            emit(&sp, i);
            sp.start = i + 1;
        } else if (c == '.' || c == '!' || c == '?') {
            size_t end = depth ? 0 : sentence_end(&sp, i);
            if (end) {
                emit(&sp, end);
                i = end;
                continue;
            }
        }
        i++;
    }
    emit(&sp, content.len);
    return sp.n;
}
