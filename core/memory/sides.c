/* sides.c - see sides.h. Words are compared by a hash, in lower case, without order. */
#include "core/memory/sides.h"

enum { MAX_STATEMENTS = 256, MAX_WORDS = 64 };

typedef struct word_set {
    uint32_t hashes[MAX_WORDS];
    size_t count;
} word_set;

static int is_word(unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
}

static int has_word(const word_set *s, uint32_t hash) {
    for (size_t i = 0; i < s->count; i++)
        if (s->hashes[i] == hash) return 1;
    return 0;
}

/* FNV-1a, 32 bits. */
static void read_words(eg_str text, word_set *out) {
    out->count = 0;
    for (size_t i = 0; i < text.len && out->count < MAX_WORDS;) {
        uint32_t hash = 2166136261u;
        size_t from = i;
        for (; i < text.len && is_word((unsigned char)text.ptr[i]); i++) {
            unsigned char c = (unsigned char)text.ptr[i];
            hash = (hash ^ (uint32_t)(c >= 'A' && c <= 'Z' ? c + 32 : c)) * 16777619u;
        }
        if (i == from) i++;
        else if (!has_word(out, hash)) out->hashes[out->count++] = hash;
    }
}

/* The share of words that two texts have in common (Dice's coefficient). */
static double similarity(const word_set *a, const word_set *b) {
    size_t common = 0;
    for (size_t i = 0; i < a->count; i++) common += (size_t)has_word(b, a->hashes[i]);
    return a->count + b->count ? 2.0 * (double)common / (double)(a->count + b->count) : 0;
}

static eg_str statement(const eg_side *s, size_t i) {
    if (s->details) return eg_statement_text(s->content, &s->details[i]);
    return (eg_str){s->content.ptr + s->statements[i].start, s->statements[i].end - s->statements[i].start};
}

static int is_touched(const eg_side *s, size_t i) {
    eg_span at = s->statements[i];
    return s->said.start >= s->said.end || (at.start < s->said.end && s->said.start < at.end);
}

/* The places of the statements that are touched, all of them where none is. */
static size_t touched(const eg_side *s, size_t places[MAX_STATEMENTS]) {
    size_t n = 0;
    for (size_t i = 0; i < s->statement_count && n < MAX_STATEMENTS; i++)
        if (is_touched(s, i)) places[n++] = i;
    for (size_t i = 0; n == 0 && i < s->statement_count && i < MAX_STATEMENTS; i++) places[i] = i;
    if (n) return n;
    return s->statement_count < MAX_STATEMENTS ? s->statement_count : MAX_STATEMENTS;
}

static eg_str said(const eg_side *s) {
    if (s->said.start >= s->said.end || s->said.end > s->content.len) return s->content;
    return (eg_str){s->content.ptr + s->said.start, s->said.end - s->said.start};
}

void eg_sides_statements(const eg_side sides[2], eg_str text[2]) {
    size_t places[2][MAX_STATEMENTS], n[2];
    word_set words[2];
    double best = -1;
    for (size_t k = 0; k < 2; k++) {
        n[k] = touched(&sides[k], places[k]);
        text[k] = n[k] ? statement(&sides[k], places[k][0]) : said(&sides[k]);
    }
    if (n[0] * n[1] <= 1 && n[0] <= 1 && n[1] <= 1) return;
    for (size_t i = 0; i < (n[0] ? n[0] : 1); i++) {
        eg_str one = n[0] ? statement(&sides[0], places[0][i]) : said(&sides[0]);
        read_words(one, &words[0]);
        for (size_t k = 0; k < (n[1] ? n[1] : 1); k++) {
            eg_str other = n[1] ? statement(&sides[1], places[1][k]) : said(&sides[1]);
            read_words(other, &words[1]);
            double near = similarity(&words[0], &words[1]);
            if (near <= best) continue;
            best = near;
            text[0] = one;
            text[1] = other;
        }
    }
}

/* 1 when a text is the given statement of a side: not only equal to it, but a view of it. */
static int is_given(const eg_side *s, eg_str text) {
    for (size_t i = 0; s->details && i < s->statement_count; i++)
        if ((s->details[i].flags & EG_STATEMENT_GIVEN) && s->details[i].alone.ptr == text.ptr) return 1;
    return 0;
}

void eg_sides_stated(const eg_side sides[2], eg_str stated[2]) {
    eg_sides_statements(sides, stated);
    for (size_t k = 0; k < 2; k++)
        if (!is_given(&sides[k], stated[k])) stated[k] = (eg_str){NULL, 0};
}

void eg_sides_of(const eg_conflict *c, const eg_fact_parts *a, const eg_fact_parts *b, eg_side sides[2]) {
    const eg_fact_parts *const parts[2] = {a, b};
    for (size_t k = 0; k < 2; k++)
        sides[k] = (eg_side){.content = parts[k]->fact.content,
                             .statements = parts[k]->statements,
                             .details = parts[k]->details,
                             .statement_count = parts[k]->statement_count,
                             .said = k ? c->span_b : c->span_a};
}
