/* topics.c - see topics.h. */
#include "core/text/topics.h"

#include "core/text/fold.h"
#include "core/text/plain.h"
#include "core/text/words.h"

enum { MAX_LABEL = 60 /* bytes */, MAX_WORDS = 8, MAX_SEGMENTS = 12 };

size_t eg_count_words(eg_str s) {
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) n += s.ptr[i] != ' ' && (i == 0 || s.ptr[i - 1] == ' ');
    return n;
}

eg_str eg_without_colon(eg_str s) {
    while (s.len && strchr(":. ", s.ptr[s.len - 1])) s.len--;
    return s;
}

size_t eg_label_at(eg_str s, eg_str *words) {
    int code = 0, depth = 0;
    for (size_t i = 0; i < s.len && i < MAX_LABEL; i++) {
        char c = s.ptr[i], next = i + 1 < s.len ? s.ptr[i + 1] : 0;
        if (c == '`') code = !code;
        if (code) continue;
        if (c == '(' || c == '[') depth++;
        if (c == ')' || c == ']') depth--;
        if (strchr("?!;\n", c) || (c == '.' && next == ' ')) return 0;
        if (c != ':' || depth) continue;
        size_t end = i + 1;
        while (end < s.len && s.ptr[end] == '*') end++;
        if (end >= s.len || (s.ptr[end] != ' ' && s.ptr[end] != '\n')) continue;
        *words = (eg_str){s.ptr, i};
        return i && eg_count_words(*words) <= MAX_WORDS ? end : 0;
    }
    return 0;
}

/* ---- verbs ---- */

static const char verbs[] =
    "is are was were has have had can cannot can't may must will won't do does don't doesn't didn't did runs run uses use needs "
    "need lives live keeps keep takes take goes go gets get sends send reads read writes write stays stay returns return sits sit "
    "comes come holds hold expires expire allows allow works work starts stops stop means mean costs cost gives give makes make "
    "sets shows show says say wants want carries carry accepts accept answers answer asks talks talk fails fail raises raise "
    "throws throw stores serves serve creates create deletes delete loads load ends begins begin happens happen isn't aren't "
    "wasn't weren't should shouldn't shall would could moved dropped belongs belong follows follow contains contain knows know "
    "looks look arrives arrive leaves leave fires refuses refuse rejects reject understands supports support speaks waits wait "
    "lands land travels travel puts adds removes closes opens sends polls listens depends hasn't haven't hadn't never";

/* Verbs of a story: what stands before them is a person or an event. */
static const char story_verbs[] =
    "asked asks told complained found noticed reported saw wanted tried got lost spent debugged went took "
    "checked discussed agreed wondered learned learnt discovered investigated said stumbled looked";

/* Where the first verb behind the first word stands; s.len: none within so many words. */
static size_t verb_at(eg_str s, size_t words, int *story) {
    size_t count = 0;
    *story = 0;
    for (size_t i = 0; i < s.len;) {
        size_t n = 0;
        while (i + n < s.len && s.ptr[i + n] != ' ') n++;
        size_t k = n;
        while (k && strchr(",.;:", s.ptr[i + k - 1])) k--;
        eg_str word = {s.ptr + i, k};
        if (eg_word_in(word, story_verbs)) return *story = 1, i;
        if ((count && eg_word_in(word, verbs)) || count == words) return i;
        count++;
        for (i += n; i < s.len && s.ptr[i] == ' ';) i++;
    }
    return s.len;
}

int eg_has_verb(eg_str s) {
    int story;
    return verb_at(s, SIZE_MAX, &story) < s.len;
}

/* Where the clause of s that begins it ends: at a comma behind two words or more. */
static size_t clause_end(eg_str s) {
    for (size_t i = 0, words = 1; i + 1 < s.len; i++) {
        if (s.ptr[i] == ' ') words++;
        if (s.ptr[i] == ',' && s.ptr[i + 1] == ' ' && words > 1) return i;
    }
    return s.len;
}

eg_str eg_subject_of(eg_str s) {
    static const char conditions[] =
        "in on for with without under during at when if after before until since as by from once while";
    size_t word = 0;
    while (word < s.len && s.ptr[word] != ' ') word++;
    /* what holds under a condition is not carried on with it */
    if (eg_word_in((eg_str){s.ptr, word}, conditions)) {
        size_t comma = clause_end((eg_str){s.ptr, s.len < 2 * MAX_LABEL ? s.len : 2 * MAX_LABEL});
        if (comma + 2 >= s.len || s.ptr[comma] != ',') return (eg_str){"", 0};
        s = (eg_str){s.ptr + comma + 2, s.len - comma - 2};
    }
    int story;
    size_t verb = verb_at(s, MAX_WORDS, &story), first = 0;
    /* a whole sentence without a verb that is known: a claim is no topic of the next one */
    if (story || (verb == s.len && s.len && s.ptr[s.len - 1] == '.')) return (eg_str){"", 0};
    while (first < s.len && s.ptr[first] != ' ') first++;
    /* "How backups run": the verb is a part of the subject */
    if (eg_word_in((eg_str){s.ptr, first}, "how what why when where who which"))
        verb = eg_text_begin((eg_str){s.ptr, clause_end(s)}, MAX_LABEL).len;
    s = eg_without_colon((eg_str){s.ptr, verb});
    s.len = clause_end(s);
    while (s.len && s.ptr[s.len - 1] == '?') s.len--;
    return s;
}

/* ---- gist ---- */

static int is_word_char(char c) { return eg_is_alpha(c) || eg_is_digit(c) || c == '_'; }

/* "#4188", "ALD-2177", "2025-02-18" */
static int has_number_of_record(eg_str s) {
    for (size_t i = 0; i + 1 < s.len; i++) {
        size_t n = i;
        if (i && is_word_char(s.ptr[i - 1])) continue;
        if (s.ptr[i] == '#' && eg_is_digit(s.ptr[i + 1])) return 1;
        while (n < s.len && eg_is_upper(s.ptr[n])) n++;
        if (n - i >= 2 && n + 1 < s.len && s.ptr[n] == '-' && eg_is_digit(s.ptr[n + 1])) return 1;
        for (n = i; n < s.len && eg_is_digit(s.ptr[n]);) n++;
        if (n - i == 4 && n + 3 < s.len && s.ptr[n] == '-' && eg_is_digit(s.ptr[n + 1]) && eg_is_digit(s.ptr[n + 2]) &&
            s.ptr[n + 3] == '-')
            return 1;
    }
    return 0;
}

/* Whether a part of a label tells of the writing and not of the system. */
static int is_of_the_writing(eg_str s) {
    static const char always[] =
        "pr adr rfc wrap-up recap postmortem post-mortem post-incident meeting standup retro correction merged "
        "explained noted learned learnt asked told investigated debugging debugged memo i me my findings "
        "jan feb mar apr jun jul aug sep oct nov dec january february april june july august "
        "september october november december";
    static const char numbered[] = "case incident ticket issue bug report review question session notes day week sprint";
    static const char of_notes[] = "notes end summary with log protocol";
    int digit = 0, session = 0;
    for (size_t i = 0; i < s.len; i++) digit |= eg_is_digit(s.ptr[i]);
    if (has_number_of_record(s)) return 1;
    for (size_t i = 0; i < s.len;) {
        size_t n = 0;
        while (i + n < s.len && (is_word_char(s.ptr[i + n]) || s.ptr[i + n] == '-')) n++;
        eg_str word = {s.ptr + i, n};
        if (eg_word_in(word, always) || (digit && eg_word_in(word, numbered)) || (session && eg_word_in(word, of_notes)))
            return 1;
        session = eg_word_in(word, "session review meeting");
        i += n + 1;
    }
    return 0;
}

int eg_gist_of(eg_arena *arena, eg_str s, eg_str *out) {
    eg_str parts[2 * MAX_SEGMENTS];
    size_t n = 0, from = 0, dropped = 0;
    for (size_t i = 0, code = 0, depth = 0; i <= s.len && n + 2 <= sizeof parts / sizeof *parts; i++) {
        char c = i < s.len ? s.ptr[i] : ',';
        if (c == '`') code = !code;
        if (c == '(') depth++;
        if (c == ')' && depth) depth--;
        if (i < s.len && (code || depth || !strchr(",;:", c) || i + 1 >= s.len || s.ptr[i + 1] != ' ')) continue;
        eg_str part = eg_text_trim((eg_str){s.ptr + from, i - from});
        from = i + 1;
        if (part.len == 0 || is_of_the_writing(part)) {
            dropped++;
            continue;
        }
        if (n) parts[n++] = EG_STR(", ");
        parts[n++] = part;
    }
    *out = s;
    return dropped ? eg_text_join(arena, parts, n, out) : 1;
}
