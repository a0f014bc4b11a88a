/* bpe.c - see bpe.h. Source of the byte characters and of the pattern: GPT-2 (encoder.py); of the
 * order of merges: Sennrich et al., Neural machine translation of rare words with subword units,
 * 2016. */
#include "models/tokenizer/bpe.h"

#include <stdlib.h>

#include "core/base/size.h"
#include "core/base/status.h"
#include "core/base/utf8.h"
#include "models/tokenizer/unicode.h"

enum { SHORT_WORD = 64 /* symbols; longer words use a heap */ };
enum { UNASKED, WHOLE, BROKEN }; /* eg_bpe.whole */

/* ---- the vocabulary ---- */

/* The byte that a character stands for: printable bytes stand for themselves, the 68 others are
 * U+0100 and following, in order. -1: none. */
static int is_printed(uint32_t c) { return (c >= '!' && c <= '~') || (c >= 0xA1 && c <= 0xFF && c != 0xAD); }

static int byte_of(uint32_t cp) {
    if (cp < 256) return is_printed(cp) ? (int)cp : -1;
    uint32_t nth = cp - 256; /* of the bytes that are not printable */
    return nth < 33 ? (int)nth : nth < 67 ? (int)(nth - 33 + 127) : nth == 67 ? 173 : -1;
}

/* A token as written -> its bytes and tag 0, or itself and tag 1. */
static eg_str bytes_of(eg_str token, char *to, uint32_t *tag) {
    size_t n = 0;
    *tag = 0;
    for (size_t at = 0; at < token.len;) {
        uint32_t cp;
        at += eg_utf8_decode(token.ptr + at, token.len - at, &cp);
        int byte = byte_of(cp);
        if (byte < 0) {
            *tag = 1;
            return token;
        }
        to[n++] = (char)byte;
    }
    return (eg_str){to, n};
}

eg_status eg_bpe_init(eg_bpe *b, const char *file, size_t tokens, size_t merges, eg_arena *arena, eg_error *err) {
    eg_status s = eg_vocabulary_init(&b->vocabulary, file, tokens, arena, err);
    if (s != EG_OK) return s;
    if (merges > EG_MAX_VOCABULARY) return eg_fail(err, EG_ELIMIT, "%s: %zu merges; at most %d", file, merges, EG_MAX_VOCABULARY);
    size_t slots = 64;
    while (slots < merges * 2) slots *= 2;
    b->merges = eg_arena_array(arena, slots, sizeof *b->merges);
    b->mask = slots - 1;
    if (!b->merges) return eg_fail_memory(err, slots * sizeof *b->merges);
    for (size_t i = 0; i < slots; i++) b->merges[i].rank = EG_NO_RANK;
    return EG_OK;
}

static eg_status too_long(const char *name, eg_str token, eg_error *err) {
    char text[40];
    return eg_fail(err, EG_ELIMIT, "%s: the token '%s...' has %zu bytes; at most %d", name,
                   eg_quote(token, 20, text, sizeof text), token.len, EG_MAX_PIECE);
}

eg_status eg_bpe_add(eg_bpe *b, const char *name, eg_str token, uint32_t id, eg_arena *arena, eg_error *err) {
    uint32_t tag;
    if (token.len > EG_MAX_PIECE) return too_long(name, token, err);
    char *copy = eg_arena_alloc(arena, token.len);
    if (!copy) return eg_fail_memory(err, token.len);
    eg_str text = bytes_of(token, copy, &tag);
    eg_vocabulary_add(&b->vocabulary, text, tag, id);
    return EG_OK;
}

int eg_bpe_find(const eg_bpe *b, eg_str token, uint32_t *id) {
    char bytes[EG_MAX_PIECE];
    uint32_t tag;
    if (token.len > EG_MAX_PIECE) return 0;
    eg_str text = bytes_of(token, bytes, &tag);
    const eg_piece *p = eg_vocabulary_find(&b->vocabulary, text.ptr, text.len, tag);
    if (p) *id = p->id;
    return p != NULL;
}

/* The slot of a pair, or the empty slot for it. */
static eg_merge *slot_of(const eg_bpe *b, uint64_t pair) {
    for (size_t i = (size_t)eg_hash(&b->vocabulary.key, &pair, sizeof pair) & b->mask;; i = (i + 1) & b->mask)
        if (b->merges[i].rank == EG_NO_RANK || b->merges[i].pair == pair) return &b->merges[i];
}

static const eg_merge *find_merge(const eg_bpe *b, uint32_t left, uint32_t right) {
    return slot_of(b, (uint64_t)left << 32 | right);
}

eg_status eg_bpe_merge(eg_bpe *b, const char *name, eg_str left, eg_str right, uint32_t rank, eg_error *err) {
    uint32_t ids[3];
    char text[2 * EG_MAX_PIECE];
    if (left.len + right.len > EG_MAX_PIECE) return too_long(name, left, err);
    memcpy(text, left.ptr, left.len);
    memcpy(text + left.len, right.ptr, right.len);
    eg_str parts[3] = {left, right, {text, left.len + right.len}};
    for (int i = 0; i < 3; i++) {
        char shown[80];
        if (!eg_bpe_find(b, parts[i], &ids[i]))
            return eg_fail(err, EG_EFORMAT, "%s: merge %u: '%s' is no token of the vocabulary", name, rank + 1,
                           eg_quote(parts[i], 60, shown, sizeof shown));
    }
    uint64_t pair = (uint64_t)ids[0] << 32 | ids[1];
    *slot_of(b, pair) = (eg_merge){pair, rank, ids[2]};
    return EG_OK;
}

eg_status eg_bpe_finish(eg_bpe *b, const char *name, eg_str unknown, eg_arena *arena, eg_error *err) {
    for (int i = 0; i < 256; i++) {
        char byte = (char)i;
        const eg_piece *p = eg_vocabulary_find(&b->vocabulary, &byte, 1, 0);
        b->has_byte[i] = p != NULL;
        if (p) b->bytes[i] = p->id;
    }
    b->has_unknown = unknown.ptr != NULL;
    if (b->has_unknown && !eg_bpe_find(b, unknown, &b->unknown))
        return eg_fail(err, EG_EFORMAT, "%s: the vocabulary lacks its unk_token", name);
    b->lengths = eg_arena_array(arena, b->vocabulary.size, sizeof *b->lengths);
    if (!b->lengths) return eg_fail_memory(err, b->vocabulary.size * sizeof *b->lengths);
    /* of equal ids the longest */
    for (const eg_piece *p = b->vocabulary.slots; p <= b->vocabulary.slots + b->vocabulary.mask; p++)
        if (p->text.len > b->lengths[p->id]) b->lengths[p->id] = (uint16_t)p->text.len;
    b->whole = eg_arena_array(arena, b->vocabulary.mask + 1, sizeof *b->whole);
    return b->whole ? EG_OK : eg_fail_memory(err, b->vocabulary.mask + 1);
}

/* ---- words ---- */

static eg_word_class class_at(const char *p, size_t n, size_t *length) {
    uint32_t cp;
    *length = eg_utf8_decode(p, n, &cp);
    return eg_unicode_word(cp);
}

/* Bytes of the run of one class that begins p[0..n). */
static size_t run_of(eg_word_class class, const char *p, size_t n) {
    size_t at = 0, length;
    while (at < n && class_at(p + at, n - at, &length) == class) at += length;
    return at;
}

/* 's 't 're 've 'm 'll 'd: their bytes, 0 for anything else. */
static size_t contraction(const char *p, size_t n) {
    if (n < 2 || p[0] != '\'') return 0;
    if (p[1] == 's' || p[1] == 't' || p[1] == 'm' || p[1] == 'd') return 2;
    return n >= 3 && ((p[1] == 'r' && p[2] == 'e') || (p[1] == 'v' && p[2] == 'e') || (p[1] == 'l' && p[2] == 'l')) ? 3 : 0;
}

/* Bytes of the word at the start of p[0..n), n > 0: a contraction; letters, digits or other
 * characters, with at most one space before them; or white space, except its last character if a
 * word follows. */
static size_t word_length(const char *p, size_t n) {
    size_t length = contraction(p, n);
    if (length) return length;
    size_t space = p[0] == ' ' && n > 1;
    eg_word_class class = class_at(p + space, n - space, &length);
    if (class != EG_SPACE) return space + run_of(class, p + space, n - space);
    size_t run = run_of(EG_SPACE, p, n);
    if (run == n) return run;
    size_t last = eg_utf8_floor(p, n, run - 1);
    return last ? last : run;
}

/* ---- merging ---- */

/* The bytes of a word as symbols; returns their number, at most n. */
static size_t first_symbols(const eg_bpe *b, const char *p, size_t n, uint32_t *ids) {
    size_t count = 0;
    int after_unknown = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char byte = (unsigned char)p[i];
        if (b->has_byte[byte]) ids[count++] = b->bytes[byte];
        else if (b->has_unknown && !(b->fuse_unknown && after_unknown)) ids[count++] = b->unknown;
        after_unknown = !b->has_byte[byte];
    }
    return count;
}

/* Merges ids[0..n) in place, n <= SHORT_WORD; returns how many are left. */
static size_t merge_short(const eg_bpe *b, uint32_t *ids, size_t n) {
    uint32_t ranks[SHORT_WORD], made[SHORT_WORD]; /* rank of the pair that begins at each symbol */
    for (size_t i = 0; i + 1 < n; i++) {
        const eg_merge *m = find_merge(b, ids[i], ids[i + 1]);
        ranks[i] = m->rank;
        made[i] = m->id;
    }
    while (n > 1) {
        size_t best = 0;
        for (size_t i = 1; i + 1 < n; i++)
            if (ranks[i] < ranks[best]) best = i;
        if (ranks[best] == EG_NO_RANK) break;
        ids[best] = made[best];
        n--;
        memmove(ids + best + 1, ids + best + 2, (n - best - 1) * sizeof *ids);
        memmove(ranks + best, ranks + best + 1, (n - best - 1) * sizeof *ranks);
        memmove(made + best, made + best + 1, (n - best - 1) * sizeof *made);
        for (size_t i = best ? best - 1 : 0; i <= best && i + 1 < n; i++) {
            const eg_merge *m = find_merge(b, ids[i], ids[i + 1]);
            ranks[i] = m->rank;
            made[i] = m->id;
        }
    }
    return n;
}

/* A long word: symbols are in a list, and pairs that can be merged in a heap, with the lowest rank
 * and then the leftmost on top. */
typedef struct symbol {
    uint32_t id, rank, made; /* rank and product of the pair with the next symbol; EG_NO_RANK:
                              * none */
    uint32_t before, next;   /* NONE at the ends */
} symbol;
typedef struct long_word {
    symbol *symbols;
    /* rank << 32 | index of the left symbol; entries whose rank is outdated are skipped */
    uint64_t *heap;
    size_t heaped;
} long_word;
#define NONE UINT32_MAX

static void heap_push(long_word *w, uint64_t entry) {
    size_t i = w->heaped++;
    for (; i > 0 && w->heap[(i - 1) / 2] > entry; i = (i - 1) / 2) w->heap[i] = w->heap[(i - 1) / 2];
    w->heap[i] = entry;
}

static uint64_t heap_pop(long_word *w) {
    uint64_t top = w->heap[0], entry = w->heap[--w->heaped];
    size_t i = 0;
    for (size_t child = 1; child < w->heaped; child = 2 * i + 1) {
        child += child + 1 < w->heaped && w->heap[child + 1] < w->heap[child];
        if (w->heap[child] >= entry) break;
        w->heap[i] = w->heap[child];
        i = child;
    }
    w->heap[i] = entry;
    return top;
}

static void rank_pair(const eg_bpe *b, long_word *w, uint32_t i) {
    symbol *s = &w->symbols[i];
    s->rank = EG_NO_RANK;
    if (s->next == NONE) return;
    const eg_merge *m = find_merge(b, s->id, w->symbols[s->next].id);
    s->rank = m->rank;
    s->made = m->id;
    if (s->rank != EG_NO_RANK) heap_push(w, (uint64_t)s->rank << 32 | i);
}

/* Merges ids[0..n) in place; returns how many are left, SIZE_MAX if memory is exhausted. */
static size_t merge_long(const eg_bpe *b, uint32_t *ids, size_t n) {
    /* each symbol is ranked once, and each of fewer than n merges ranks two symbols again */
    long_word w = {calloc(n, sizeof *w.symbols), calloc(3 * n, sizeof *w.heap), 0};
    size_t count = 0;
    for (size_t i = 0; w.symbols && w.heap && i < n; i++)
        w.symbols[i] = (symbol){.id = ids[i], .before = i ? (uint32_t)i - 1 : NONE, .next = i + 1 < n ? (uint32_t)i + 1 : NONE};
    for (size_t i = 0; w.symbols && w.heap && i < n; i++) rank_pair(b, &w, (uint32_t)i);
    while (w.heaped) {
        uint64_t entry = heap_pop(&w);
        uint32_t i = (uint32_t)entry;
        symbol *s = &w.symbols[i];
        if (s->rank != entry >> 32) continue;
        symbol *gone = &w.symbols[s->next];
        s->id = s->made;
        s->next = gone->next;
        gone->rank = EG_NO_RANK;
        if (s->next != NONE) w.symbols[s->next].before = i;
        if (s->before != NONE) rank_pair(b, &w, s->before);
        rank_pair(b, &w, i);
    }
    if (w.symbols && w.heap)
        for (uint32_t i = 0; i != NONE; i = w.symbols[i].next) ids[count++] = w.symbols[i].id;
    else count = SIZE_MAX;
    free(w.symbols);
    free(w.heap);
    return count;
}

/* A word of a text and its place. is_prefixed: its first byte is a space that is not in the
 * text. */
typedef struct word {
    const char *p;
    size_t n, at;
    int is_prefixed;
} word;

/* Sets the sources of the tokens from `first` on, which are those of the word. A byte that is not
 * in the vocabulary belongs to the unknown token, or to none. */
static void find_sources(const eg_bpe *b, const word *w, size_t first, eg_tokens *out) {
    size_t from = 0;
    for (size_t i = first; i < out->count; i++) {
        int is_unknown =
            b->has_unknown && out->ids[i] == b->unknown && !b->has_byte[(unsigned char)w->p[from < w->n ? from : w->n - 1]];
        while (!is_unknown && from + 1 < w->n && !b->has_byte[(unsigned char)w->p[from]]) from++;
        size_t end = from + (is_unknown ? 1 : b->lengths[out->ids[i]]), before = 0, after = 0;
        while (is_unknown && b->fuse_unknown && end < w->n && !b->has_byte[(unsigned char)w->p[end]]) end++;
        if (end > w->n) end = w->n;
        while (from + before < end && w->p[from + before] == ' ') before++;
        while (after < end - from && w->p[end - 1 - after] == ' ') after++;
        size_t last = end ? end - 1 : 0, shift = (size_t)w->is_prefixed;
        out->sources[i] = (eg_source){.span = {w->at + (from ? from - shift : 0), w->at + (last ? last - shift : 0) + 1},
                                      .before = (uint32_t)before,
                                      .after = (uint32_t)after};
        from = end;
    }
}

static eg_status encode_word(const eg_bpe *b, const word *w, eg_tokens *out, eg_error *err) {
    const char *p = w->p;
    size_t n = w->n, first = out->count;
    const eg_piece *piece = n <= b->vocabulary.longest && n <= SHORT_WORD ? eg_vocabulary_find(&b->vocabulary, p, n, 0) : NULL;
    atomic_uchar *known = piece ? &b->whole[piece - b->vocabulary.slots] : NULL;
    unsigned char whole = known ? atomic_load_explicit(known, memory_order_relaxed) : BROKEN;
    eg_status s = eg_tokens_reserve(out, n, err);
    if (s != EG_OK) return s;
    uint32_t *ids = out->ids + out->count;
    if (whole == WHOLE) {
        ids[0] = piece->id;
        out->count++;
        if (out->has_sources) find_sources(b, w, first, out);
        return EG_OK;
    }
    size_t count = first_symbols(b, p, n, ids);
    if (count > 1) count = count <= SHORT_WORD ? merge_short(b, ids, count) : merge_long(b, ids, count);
    if (count == SIZE_MAX) return eg_fail_memory(err, n * sizeof(symbol));
    if (whole == UNASKED) atomic_store_explicit(known, count == 1 && ids[0] == piece->id ? WHOLE : BROKEN, memory_order_relaxed);
    out->count += count;
    if (out->has_sources) find_sources(b, w, first, out);
    return EG_OK;
}

eg_status eg_bpe_encode(const eg_bpe *b, eg_str text, eg_tokens *out, eg_error *err) {
    eg_status s = EG_OK;
    size_t at = 0;
    /* the first word, with an added space before it */
    if (text.len && b->prefix_space && text.ptr[0] != ' ') {
        size_t length;
        eg_word_class class = class_at(text.ptr, text.len, &length);
        size_t n = run_of(class, text.ptr, text.len);
        if (class == EG_SPACE && n < text.len) n = eg_utf8_floor(text.ptr, text.len, n - 1);
        char *copy = malloc(n + 1);
        if (!copy) return eg_fail_memory(err, n + 1);
        copy[0] = ' ';
        memcpy(copy + 1, text.ptr, n);
        s = encode_word(b, &(word){copy, n + 1, 0, 1}, out, err);
        free(copy);
        at = n;
    }
    for (size_t n; s == EG_OK && at < text.len && !eg_tokens_enough(out); at += n) {
        n = word_length(text.ptr + at, text.len - at);
        s = encode_word(b, &(word){text.ptr + at, n, at, 0}, out, err);
    }
    return s;
}
