/* terms.c - the index terms of a fact and the search terms of a query. Both are made here so that
 * they agree. Knows no query language: a term is bytes to be looked up. See text.h. */
#include "core/text/text.h"

#include "core/base/status.h"
#include "core/base/utf8.h"
#include "core/text/fold.h"
#include "core/text/lex.h"
#include "core/text/words.h"

enum { TOKENS = 4096 };

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

static void add_word(sink *k, eg_str s) {
    char p[EG_LONGEST_WORD + 4];
    size_t n = eg_word_fold(s, p);
    if (n > 2 && p[n - 1] == 's' && p[n - 2] == '\'') n -= 2; /* the service's */
    add(k, (eg_str){p, eg_word_stem(p, n)});
}

static void add_whole(sink *k, eg_str s) {
    char p[EG_LONGEST_WORD + 4];
    size_t n = eg_word_fold(s, p);
    add(k, (eg_str){p, n});
}

/* The parts of an identifier: between signs, between camelCase humps, between letters and
 * digits. */
static void add_parts(sink *k, eg_str s) {
    size_t start = 0;
    for (size_t i = 0; i <= s.len; i++) {
        char c = i < s.len ? s.ptr[i] : 0, before = i > start ? s.ptr[i - 1] : 0;
        int sign = i == s.len || ((unsigned char)c < 0x80 && !eg_is_alpha(c) && !eg_is_digit(c));
        int hump = !sign && eg_is_upper(c) &&
                   (eg_is_lower(before) || (eg_is_upper(before) && i + 1 < s.len && eg_is_lower(s.ptr[i + 1])));
        int turn = !sign && before && (eg_is_digit(before) != eg_is_digit(c)) && !hump;
        if (!sign && !hump && !turn) continue;
        if (i > start && !(start == 0 && i == s.len)) add_word(k, (eg_str){s.ptr + start, i - start});
        start = sign ? i + 1 : i;
    }
}

/* Every '/'-separated segment of a path or scope that is an identifier itself (server.go of
 * src/server.go). */
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
    char p[EG_LONGEST_WORD];
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

eg_status eg_text_terms(eg_arena *arena, eg_str content, eg_str scope, eg_term *out, size_t most, size_t *n, eg_error *err) {
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
    if (k.failed) return eg_fail_memory(err, EG_LONGEST_WORD);
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
            if (stop_words || !eg_word_is_stop(s)) add_token(&k, s, &tokens[i]);
        }
    if (k.failed) return eg_fail_memory(err, EG_LONGEST_WORD);
    for (size_t i = 0; i < k.n; i++) out[i].count = 1;
    *n = k.n;
    return EG_OK;
}
