/* unigram.c - see unigram.h. Source: Kudo, Subword regularization, 2018; the score of unknown text,
 * and the joining of unknown neighbours, are those of the reference. */
#include "models/tokenizer/unigram.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/size.h"
#include "core/base/status.h"
#include "core/base/utf8.h"

static const char mark[] = "\xE2\x96\x81"; /* U+2581 */
enum { MARK = 3 };
static const double unknown_penalty = 10;

eg_status eg_unigram_finish(eg_unigram *u, const char *name, eg_arena *arena, eg_error *err) {
    double least = 0;
    if (u->unknown >= u->count)
        return eg_fail(err, EG_EFORMAT, "%s: the id of the unknown token, %u, is not the id of a piece", name, u->unknown);
    for (uint32_t i = 0; i < u->count; i++) {
        if (u->pieces[i].len == 0) return eg_fail(err, EG_EFORMAT, "%s: piece %u is empty", name, i);
        if (u->pieces[i].len > EG_MAX_PIECE)
            return eg_fail(err, EG_ELIMIT, "%s: piece %u has %zu bytes; at most %d", name, i, u->pieces[i].len, EG_MAX_PIECE);
        if (!isfinite(u->scores[i])) return eg_fail(err, EG_EFORMAT, "%s: the score of piece %u is no number", name, i);
        if (i == 0 || u->scores[i] < least) least = u->scores[i];
    }
    u->unknown_score = least - unknown_penalty;
    eg_status s = eg_trie_build(u->pieces, u->count, arena, &u->trie, err);
    for (int i = 0; s == EG_OK && i < 256; i++) {
        char text[8];
        uint32_t id;
        snprintf(text, sizeof text, "<0x%02X>", (unsigned)i);
        if (eg_unigram_find(u, eg_str_of(text), &id)) u->bytes[i] = id + 1;
    }
    return s;
}

int eg_unigram_find(const eg_unigram *u, eg_str text, uint32_t *id) {
    uint32_t node = 0;
    for (size_t i = 0; i < text.len; i++)
        if (!(node = eg_trie_step(&u->trie, node, (unsigned char)text.ptr[i]))) return 0;
    uint32_t value = u->trie.units[node].value;
    if (value) *id = value - 1;
    return value != 0;
}

/* The best segmentation up to each byte of a word. */
typedef struct step {
    double score;
    uint32_t from; /* where its last piece begins; NOWHERE: there is no segmentation */
    uint32_t id;   /* of its last piece */
} step;
#define NOWHERE UINT32_MAX

typedef struct paths {
    step *steps;
    size_t capacity;
} paths;

static void offer(step *to, double score, size_t from, uint32_t id) {
    if (to->from == NOWHERE || score > to->score) *to = (step){score, (uint32_t)from, id};
}

/* Fills steps[1..n] for the word p[0..n). */
static void find_paths(const eg_unigram *u, const char *p, size_t n, step *steps) {
    for (size_t i = 0; i <= n; i++) steps[i] = (step){0, NOWHERE, 0};
    for (size_t at = 0, length; at < n; at += length) {
        double score = steps[at].score;
        uint32_t node = 0, cp;
        int is_known = 0; /* the code point alone is a piece */
        length = eg_utf8_decode(p + at, n - at, &cp);
        for (size_t i = at; i < n && (node = eg_trie_step(&u->trie, node, (unsigned char)p[i])); i++) {
            uint32_t value = u->trie.units[node].value;
            if (!value) continue;
            offer(&steps[i + 1], score + u->scores[value - 1], at, value - 1);
            is_known |= i + 1 - at == length;
        }
        if (!is_known) offer(&steps[at + length], score + u->unknown_score, at, u->unknown);
    }
}

/* Appends a token; its source is a span of the marked text. */
static void put(eg_tokens *out, uint32_t id, size_t begin, size_t end) {
    if (out->has_sources) out->sources[out->count] = (eg_source){.span = {begin, end}};
    out->ids[out->count++] = id;
}

/* Appends, backwards, the tokens for a stretch of the marked text that no piece covers. */
static void put_unknown(const eg_unigram *u, const char *text, size_t begin, size_t end, eg_tokens *out) {
    const char *p = text + begin;
    size_t n = end - begin;
    uint32_t id = u->unknown;
    int fits = !eg_unigram_find(u, (eg_str){p, n}, &id) && u->byte_fallback;
    for (size_t i = 0; fits && i < n; i++) fits = u->bytes[(unsigned char)p[i]] != 0;
    for (size_t i = n; fits && i > 0; i--) put(out, u->bytes[(unsigned char)p[i - 1]] - 1, begin, end);
    if (!fits) put(out, id, begin, end);
}

/* The word [at, at + n) of the marked text. */
static eg_status encode_word(const eg_unigram *u, const char *text, size_t at, size_t n, paths *scratch, eg_tokens *out,
                             eg_error *err) {
    if (n >= NOWHERE) return eg_fail(err, EG_ELIMIT, "a word of %zu bytes", n);
    if (scratch->capacity < n + 1) {
        size_t capacity = 2 * n + 64, bytes;
        step *steps = eg_size_mul(capacity, sizeof *steps, &bytes) ? realloc(scratch->steps, bytes) : NULL;
        if (!steps) return eg_fail_memory(err, capacity);
        *scratch = (paths){steps, capacity};
    }
    eg_status s = eg_tokens_reserve(out, n, err);
    if (s != EG_OK) return s;
    find_paths(u, text + at, n, scratch->steps);
    /* end of the unknown stretch that is being collected; 0: none */
    size_t first = out->count, unknown_end = 0;
    for (size_t end = n; end > 0;) {
        step last = scratch->steps[end];
        if (last.id == u->unknown) {
            if (!unknown_end) unknown_end = end;
        } else {
            if (unknown_end) put_unknown(u, text, at + end, at + unknown_end, out);
            unknown_end = 0;
            put(out, last.id, at + last.from, at + end);
        }
        end = last.from;
    }
    if (unknown_end) put_unknown(u, text, at, at + unknown_end, out);
    for (size_t i = first, j = out->count; i + 1 < j; i++) { /* turned round */
        uint32_t id = out->ids[--j];
        out->ids[j] = out->ids[i];
        out->ids[i] = id;
        if (!out->has_sources) continue;
        eg_source source = out->sources[j];
        out->sources[j] = out->sources[i];
        out->sources[i] = source;
    }
    return EG_OK;
}

/* Text with marks for spaces; *out is malloc'ed. */
static eg_status mark_spaces(const eg_unigram *u, eg_str text, char **out, size_t *length, eg_error *err) {
    size_t bytes;
    if (!eg_size_mul(text.len, MARK, &bytes) || !eg_size_add(bytes, MARK, &bytes)) return eg_fail_memory(err, SIZE_MAX);
    char *to = *out = malloc(bytes);
    if (!to) return eg_fail_memory(err, bytes);
    if (u->prefix_space && text.ptr[0] != ' ' && (text.len < MARK || memcmp(text.ptr, mark, MARK) != 0)) {
        memcpy(to, mark, MARK);
        to += MARK;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == ' ') {
            memcpy(to, mark, MARK);
            to += MARK;
        } else {
            *to++ = text.ptr[i];
        }
    }
    *length = (size_t)(to - *out);
    return EG_OK;
}

/* Maps the spans of the tokens from `first` on to the original text. */
static eg_status unmark_sources(eg_str text, size_t marked, size_t first, eg_tokens *out, eg_error *err) {
    size_t bytes, n = 0, spaces = 0;
    for (size_t i = 0; i < text.len; i++) spaces += text.ptr[i] == ' ';
    /* of each marked byte */
    size_t *origin = eg_size_mul(marked, sizeof *origin, &bytes) ? malloc(bytes) : NULL;
    if (!origin) return eg_fail_memory(err, marked);
    /* the source of the added mark is the first code point */
    if (marked > text.len + (MARK - 1) * spaces)
        for (; n < MARK; n++) origin[n] = 0;
    for (size_t i = 0; i < text.len; i++)
        for (int k = 0; k < (text.ptr[i] == ' ' ? MARK : 1); k++) origin[n++] = i;
    for (eg_source *s = out->sources + first; s < out->sources + out->count; s++)
        s->span = (eg_range){origin[s->span.begin], origin[s->span.end - 1] + 1};
    free(origin);
    return EG_OK;
}

eg_status eg_unigram_encode(const eg_unigram *u, eg_str text, eg_tokens *out, eg_error *err) {
    char *marked = NULL;
    size_t n = 0, begin = 0, first = out->count;
    paths scratch = {0};
    if (text.len == 0) return EG_OK;
    eg_status s = mark_spaces(u, text, &marked, &n, err);
    if (s != EG_OK) return s;
    while (s == EG_OK && begin < n) {
        const char *next = u->splits && n - begin > MARK ? memmem(marked + begin + 1, n - begin - 1, mark, MARK) : NULL;
        size_t end = next ? (size_t)(next - marked) : n;
        s = encode_word(u, marked, begin, end - begin, &scratch, out, err);
        begin = end;
    }
    if (s == EG_OK && out->has_sources) s = unmark_sources(text, n, first, out, err);
    free(scratch.steps);
    free(marked);
    return s;
}
