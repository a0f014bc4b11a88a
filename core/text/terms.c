/* terms.c - the index terms of a fact and the search terms of a query. Both are made here so that they agree.
 * Knows no query language: a term is bytes to be looked up. See text.h. */
#include "core/text/text.h"

#include "core/base/status.h"
#include "core/base/utf8.h"
#include "core/text/fold.h"
#include "core/text/lex.h"

enum { LONGEST_TERM = 64, TOKENS = 4096 };

typedef struct sink {
    eg_arena *arena;
    eg_term *out;
    size_t n, most;
    uint16_t *slots; /* open addressing: index + 1 into out */
    size_t mask;
    int failed;
} sink;

static uint32_t hash_of(eg_str s) { /* FNV-1a */
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < s.len; i++) h = (h ^ (unsigned char)s.ptr[i]) * 16777619u;
    return h;
}

static void add(sink *k, eg_str term) {
    if (term.len == 0 || k->failed) return;
    size_t slot = hash_of(term) & k->mask;
    for (; k->slots[slot]; slot = (slot + 1) & k->mask) {
        eg_term *t = &k->out[k->slots[slot] - 1];
        if (!eg_str_eq(t->text, term)) continue;
        t->count++;
        return;
    }
    if (k->n == k->most) return;
    char *copy = eg_arena_copy(k->arena, term);
    if (!copy) {
        k->failed = 1;
        return;
    }
    k->out[k->n] = (eg_term){.text = {copy, term.len}, .count = 1};
    k->slots[slot] = (uint16_t)++k->n;
}

/* Lower case of s, apostrophes and control characters left out, cut at LONGEST_TERM. Returns the bytes written. */
static size_t fold(eg_str s, char out[LONGEST_TERM + 4]) {
    size_t n = 0;
    for (size_t i = 0; i < s.len && n < LONGEST_TERM;) {
        uint32_t cp;
        i += eg_utf8_decode(s.ptr + i, s.len - i, &cp);
        if (cp < 0x20) continue;
        char plain = eg_char_plain(cp);
        if (plain) cp = (uint32_t)(unsigned char)plain;
        size_t k = eg_utf8_encode(eg_char_lower(cp), out + n);
        n += k;
    }
    return n > LONGEST_TERM ? eg_utf8_floor(out, n, LONGEST_TERM) : n;
}

static int ends(const char *p, size_t n, const char *suffix) {
    size_t k = strlen(suffix);
    return n > k && memcmp(p + n - k, suffix, k) == 0;
}

static int is_vowel(char c) { return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u' || c == 'y'; }

/* Removes one light English ending of a folded plain word: plurals, -ing, -ed and a final e, so that
 * retry/retries/retried/retrying and cache/cached/caching meet. Words below four letters stay. */
static size_t stem(char *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!eg_is_lower(p[i])) return n;
    if (n < 4) return n;
    if (ends(p, n, "ies") && n > 4) p[n - 3] = 'y', n -= 2;
    else if (ends(p, n, "ied") && n > 4) p[n - 3] = 'y', n -= 2;
    else if (ends(p, n, "sses") || ends(p, n, "xes") || ends(p, n, "ches") || ends(p, n, "shes")) n -= 2;
    else if (p[n - 1] == 's' && !ends(p, n, "ss") && !ends(p, n, "us") && !ends(p, n, "is")) n -= 1;
    size_t cut = ends(p, n, "ing") && n > 5 ? 3 : ends(p, n, "ed") && n > 4 ? 2 : 0;
    if (cut) {
        int vowel = 0;
        for (size_t i = 0; i < n - cut; i++) vowel |= is_vowel(p[i]);
        if (vowel) {
            n -= cut;
            if (n > 3 && p[n - 1] == p[n - 2] && !is_vowel(p[n - 1]) && p[n - 1] != 'l' && p[n - 1] != 's') n--;
        }
    }
    if (n > 3 && p[n - 1] == 'e') n--;
    return n;
}

static void add_word(sink *k, eg_str s) {
    char p[LONGEST_TERM + 4];
    size_t n = fold(s, p);
    if (n > 2 && p[n - 1] == 's' && p[n - 2] == '\'') n -= 2; /* the service's */
    add(k, (eg_str){p, stem(p, n)});
}

static void add_whole(sink *k, eg_str s) {
    char p[LONGEST_TERM + 4];
    size_t n = fold(s, p);
    add(k, (eg_str){p, n});
}

/* The parts of an identifier: between signs, between camelCase humps, between letters and digits. */
static void add_parts(sink *k, eg_str s) {
    size_t start = 0;
    for (size_t i = 0; i <= s.len; i++) {
        char c = i < s.len ? s.ptr[i] : 0, before = i > start ? s.ptr[i - 1] : 0;
        int sign = i == s.len || ((unsigned char)c < 0x80 && !eg_is_alpha(c) && !eg_is_digit(c));
        int hump = !sign && eg_is_upper(c) && (eg_is_lower(before) ||
                   (eg_is_upper(before) && i + 1 < s.len && eg_is_lower(s.ptr[i + 1])));
        int turn = !sign && before && (eg_is_digit(before) != eg_is_digit(c)) && !hump;
        if (!sign && !hump && !turn) continue;
        if (i > start && !(start == 0 && i == s.len)) add_word(k, (eg_str){s.ptr + start, i - start});
        start = sign ? i + 1 : i;
    }
}

/* Every '/'-separated segment of a path or scope that is an identifier itself (server.go of src/server.go). */
static void add_segments(sink *k, eg_str s) {
    size_t start = 0;
    int inner = 0;
    for (size_t i = 0; i < s.len; i++) inner |= s.ptr[i] == '/';
    if (!inner) return;
    for (size_t i = 0; i <= s.len; i++) {
        if (i < s.len && s.ptr[i] != '/') continue;
        if (i > start) add_whole(k, (eg_str){s.ptr + start, i - start});
        start = i + 1;
    }
}

static void add_number(sink *k, eg_str s) {
    char p[LONGEST_TERM];
    size_t n = 0; /* 15,000 and 15000 meet */
    for (size_t i = 0; i < s.len && n < sizeof p; i++)
        if (s.ptr[i] != ',') p[n++] = s.ptr[i];
    add(k, (eg_str){p, n});
}

static int is_plain_word(eg_str s) {
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.ptr[i] < 0x80 && !eg_is_alpha(s.ptr[i]) && s.ptr[i] != '\'') return 0;
    return 1;
}

static int has_hump(eg_str s) {
    for (size_t i = 1; i < s.len; i++)
        if (eg_is_upper(s.ptr[i]) && eg_is_lower(s.ptr[i - 1])) return 1;
    return 0;
}

static void add_token(sink *k, eg_str s, const eg_token *t) {
    if (t->kind == EG_TOKEN_MARK) return;
    if (t->kind == EG_TOKEN_NUMBER) {
        add_number(k, s);
        return;
    }
    if (is_plain_word(s) && !has_hump(s)) {
        add_word(k, s);
        return;
    }
    add_whole(k, s);
    add_segments(k, s);
    add_parts(k, s);
}

static int is_stop_word(eg_str s) {
    static const char *const words[] = {
        "a", "an", "and", "any", "are", "as", "at", "be", "been", "being", "but", "by", "can", "could", "did", "do",
        "does", "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "many", "me", "much",
        "my", "of", "on", "or", "our", "shall", "should", "so", "such", "than", "that", "the", "their", "them", "then",
        "there", "these", "they", "this", "those", "to", "us", "was", "we", "were", "what", "when", "where", "which",
        "who", "whom", "whose", "why", "will", "with", "would", "you", "your"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (eg_str_same_word(s, eg_str_of(words[i]))) return 1;
    return 0;
}

/* A table of slots at least twice as large as the terms that may come. */
static eg_status sink_init(sink *k, eg_arena *arena, eg_term *out, size_t most, eg_error *err) {
    if (most > EG_MAX_FACT_TERMS) most = EG_MAX_FACT_TERMS;
    *k = (sink){.arena = arena, .out = out, .most = most, .mask = 2 * EG_MAX_FACT_TERMS - 1};
    k->slots = eg_arena_array(arena, k->mask + 1, sizeof *k->slots);
    return k->slots ? EG_OK : eg_fail_memory(err, (k->mask + 1) * sizeof *k->slots);
}

static eg_status tokens_of(eg_arena *arena, eg_str text, eg_token **tokens, size_t *count, eg_error *err) {
    size_t most = text.len < TOKENS ? text.len + 1 : TOKENS;
    *tokens = eg_arena_array(arena, most, sizeof **tokens);
    if (!*tokens) return eg_fail_memory(err, most * sizeof **tokens);
    *count = eg_text_lex(text, (eg_span){0, (uint32_t)text.len}, *tokens, most);
    return EG_OK;
}

eg_status eg_text_terms(eg_arena *arena, eg_str content, eg_str scope, eg_term *out, size_t most, size_t *n,
                        eg_error *err) {
    sink k;
    eg_token *tokens;
    size_t count;
    *n = 0;
    if (content.len > UINT32_MAX / 2) return eg_fail(err, EG_ELIMIT, "the content is too long to be indexed");
    eg_status status = sink_init(&k, arena, out, most, err);
    if (status == EG_OK) status = tokens_of(arena, content, &tokens, &count, err);
    if (status != EG_OK) return status;
    for (size_t i = 0; i < count; i++)
        add_token(&k, (eg_str){content.ptr + tokens[i].start, tokens[i].end - tokens[i].start}, &tokens[i]);
    eg_token whole = {.kind = EG_TOKEN_IDENT};
    if (scope.len) add_token(&k, scope, &whole);
    if (k.failed) return eg_fail_memory(err, LONGEST_TERM);
    *n = k.n;
    return EG_OK;
}

eg_status eg_text_query_terms(eg_arena *arena, eg_str topic, eg_term *out, size_t most, size_t *n, eg_error *err) {
    sink k;
    eg_token *tokens;
    size_t count;
    *n = 0;
    if (topic.len > EG_MAX_TOPIC) topic.len = eg_utf8_floor(topic.ptr, topic.len, EG_MAX_TOPIC);
    if (most > EG_MAX_TERMS) most = EG_MAX_TERMS;
    eg_status status = sink_init(&k, arena, out, most, err);
    if (status == EG_OK) status = tokens_of(arena, topic, &tokens, &count, err);
    if (status != EG_OK) return status;
    for (int stop_words = 0; stop_words < 2 && k.n == 0; stop_words++)
        for (size_t i = 0; i < count; i++) {
            eg_str s = {topic.ptr + tokens[i].start, tokens[i].end - tokens[i].start};
            if (stop_words || !is_stop_word(s)) add_token(&k, s, &tokens[i]);
        }
    if (k.failed) return eg_fail_memory(err, LONGEST_TERM);
    for (size_t i = 0; i < k.n; i++) out[i].count = 1;
    *n = k.n;
    return EG_OK;
}
