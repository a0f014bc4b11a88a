/* tokenizer.c - see tokenizer.h. Runs a tokenizer: added tokens are cut out of the text, the text
 * between them is normalised and goes to the model, and special tokens are put around the result.
 * Not here: reading a tokenizer (tokenizer_open.c, tokenizer_json.c). */
#include <stdlib.h>

#include "core/base/size.h"
#include "core/base/status.h"
#include "core/base/utf8.h"
#include "models/tokenizer/tokenizer_parts.h"
#include "models/tokenizer/unicode.h"

/* ---- putting one together ---- */

int eg_tokenizer_find(const eg_tokenizer *t, eg_str token, uint32_t *id) {
    return t->kind == EG_WORDPIECE ? eg_wordpiece_find(&t->wordpiece, token, id)
           : t->kind == EG_BPE     ? eg_bpe_find(&t->bpe, token, id)
                                   : eg_unigram_find(&t->unigram, token, id);
}

uint32_t eg_tokenizer_vocabulary(const eg_tokenizer *t) {
    return t->kind == EG_WORDPIECE ? (uint32_t)t->wordpiece.vocabulary.count
           : t->kind == EG_BPE     ? (uint32_t)t->bpe.vocabulary.count
                                   : t->unigram.count;
}

int eg_tokenizer_lowercases(const eg_tokenizer *t) {
    int lowercases = t->kind == EG_WORDPIECE && t->wordpiece.lowercase;
    for (size_t i = 0; i < t->normalizer.count; i++) lowercases |= t->normalizer.steps[i].kind == EG_STEP_LOWER;
    return lowercases;
}

void eg_tokenizer_set_around(eg_tokenizer *t, uint32_t cls, uint32_t sep, int is_roberta) {
    const eg_around_item begin = {EG_AROUND_TOKEN, cls, 0}, first = {EG_AROUND_FIRST, 0, 0}, between = {EG_AROUND_TOKEN, sep, 0};
    const eg_around_item second = {EG_AROUND_SECOND, 0, !is_roberta}, end = {EG_AROUND_TOKEN, sep, !is_roberta};
    t->single = (eg_around){{begin, first, between}, 3};
    t->pair = is_roberta ? (eg_around){{begin, first, between, between, second, end}, 6}
                         : (eg_around){{begin, first, between, second, end}, 5};
}

/* Checks that each text occurs in its template once, that all ids are in the vocabulary, and that
 * there is a special token, so that every text has tokens. */
static eg_status check_around(const eg_tokenizer *t, const eg_around *a, const char *name, eg_error *err) {
    size_t parts[3] = {0};
    for (size_t i = 0; i < a->count; i++) {
        parts[a->items[i].what]++;
        if (a->items[i].what == EG_AROUND_TOKEN && a->items[i].id >= t->size)
            return eg_fail(err, EG_EFORMAT, "%s: the special token %u is not in the vocabulary of %u", name, a->items[i].id,
                           t->size);
    }
    if (parts[EG_AROUND_FIRST] != 1 || parts[EG_AROUND_SECOND] != (a == &t->pair) || parts[EG_AROUND_TOKEN] == 0)
        return eg_fail(err, EG_EFORMAT, "%s: the template around %s must hold each text once, and a special token", name,
                       a == &t->pair ? "pairs" : "texts");
    return EG_OK;
}

/* The id of an added token must be that of the vocabulary, or the next free one, as in the
 * reference. */
static eg_status check_added(const eg_tokenizer *t, const char *name, const eg_added_token *token, uint32_t next, eg_error *err) {
    uint32_t id = next;
    char text[60];
    if (token->text.len > EG_MAX_PIECE) return eg_fail(err, EG_ELIMIT, "%s: an added token of %zu bytes", name, token->text.len);
    int is_known = eg_tokenizer_find(t, token->text, &id);
    eg_quote(token->text, 40, text, sizeof text);
    if (token->id != id)
        return eg_fail(err, EG_EFORMAT, "%s: the added token '%s' has the id %u; %s %u", name, text, token->id,
                       is_known ? "the vocabulary gives it" : "the next free one is", id);
    if (token->normalized && t->kind == EG_WORDPIECE)
        return eg_fail(err, EG_EUNSUPPORTED, "%s: the added token '%s' has normalized; supported with WordPiece: false", name,
                       text);
    return EG_OK;
}

/* Tokens that are matched in normalised text are normalised, too. */
static eg_status normalize_added(const eg_tokenizer *t, const char *name, eg_added_token *token, eg_arena *arena, eg_error *err) {
    eg_buffer scratch[2] = {{0}, {0}};
    eg_str text = {0};
    eg_status s = eg_normalize(&t->normalizer, token->text, scratch, NULL, &text, err);
    if (s == EG_ELIMIT || (s == EG_OK && (text.len == 0 || text.len > EG_MAX_PIECE)))
        s = eg_fail(err, EG_EFORMAT, "%s: an added token is empty or longer than %d bytes once normalised", name, EG_MAX_PIECE);
    const char *copy = s == EG_OK ? eg_arena_copy(arena, text) : NULL;
    if (s == EG_OK && !copy) s = eg_fail_memory(err, text.len);
    token->text = (eg_str){copy, text.len};
    eg_buffer_release(&scratch[0]);
    eg_buffer_release(&scratch[1]);
    return s;
}

eg_status eg_tokenizer_finish(eg_tokenizer *t, const char *name, eg_added_token *added, size_t n, eg_arena *arena,
                              eg_error *err) {
    uint32_t vocabulary = eg_tokenizer_vocabulary(t), next = vocabulary;
    size_t raw = 0;
    t->size = t->kind == EG_WORDPIECE ? t->wordpiece.vocabulary.size
              : t->kind == EG_BPE     ? t->bpe.vocabulary.size
                                      : t->unigram.count;
    eg_added_token *sorted = eg_arena_array(arena, n, sizeof *sorted); /* the raw ones first */
    if (!sorted) return eg_fail_memory(err, n * sizeof *sorted);
    for (size_t i = 0; i < n; i++) {
        eg_status s = check_added(t, name, &added[i], next, err);
        if (s != EG_OK) return s;
        if (added[i].id >= next) next = added[i].id + 1;
        if (added[i].id >= t->size) t->size = added[i].id + 1;
        if (!added[i].normalized) sorted[raw++] = added[i];
    }
    size_t count = raw;
    for (size_t i = 0; i < n; i++) {
        if (!added[i].normalized) continue;
        sorted[count] = added[i];
        eg_status s = normalize_added(t, name, &sorted[count++], arena, err);
        if (s != EG_OK) return s;
    }
    eg_status s = eg_added_build(&t->raw, sorted, raw, arena, err);
    if (s == EG_OK) s = eg_added_build(&t->normalized, sorted + raw, count - raw, arena, err);
    if (s == EG_OK) s = check_around(t, &t->single, name, err);
    if (s == EG_OK) s = check_around(t, &t->pair, name, err);
    return s;
}

uint32_t eg_tokenizer_size(const eg_tokenizer *t) { return t->size; }

uint32_t eg_tokenizer_types(const eg_tokenizer *t, int is_pair) {
    const eg_around *a = is_pair ? &t->pair : &t->single;
    uint32_t types = 0;
    for (size_t i = 0; i < a->count; i++)
        if (a->items[i].type >= types) types = a->items[i].type + 1u;
    return types;
}

/* ---- encoding ---- */

/* One call of eg_tokenizer_encode. */
typedef struct encoding {
    const eg_tokenizer *t;
    eg_buffer scratch[2];
    eg_trace trace; /* used if out has sources */
    eg_tokens *out;
    eg_error *err;
} encoding;

typedef eg_status encode_piece(encoding *e, eg_str piece);

/* The number of spaces at the left and right end of an added token: white space, or the character
 * that byte-level vocabularies write for it. */
static void count_spaces(eg_str text, eg_source *out) {
    enum { WRITTEN_SPACE = 0x120 };
    uint32_t cp;
    size_t left = 0, right = text.len;
    for (size_t n; left < text.len; left += n, out->before++) {
        n = eg_utf8_decode(text.ptr + left, text.len - left, &cp);
        if (eg_unicode_word(cp) != EG_SPACE && cp != WRITTEN_SPACE) break;
    }
    for (size_t at; right > 0; right = at, out->after++) {
        at = eg_utf8_floor(text.ptr, text.len, right - 1);
        eg_utf8_decode(text.ptr + at, text.len - at, &cp);
        if (eg_unicode_word(cp) != EG_SPACE && cp != WRITTEN_SPACE) break;
    }
}

static uint32_t count_code_points(eg_str text) {
    uint32_t n = 0;
    for (size_t i = 0; i < text.len; i++) n += ((unsigned char)text.ptr[i] & 0xC0) != 0x80;
    return n;
}

/* Cuts the added tokens of set out of text; each piece between them goes to encode. Sources are
 * spans of text. */
static eg_status encode_between(encoding *e, const eg_added_set *set, eg_str text, encode_piece *encode) {
    eg_tokens *out = e->out;
    for (size_t from = 0; !eg_tokens_enough(out);) {
        size_t begin = text.len, end = text.len, first = out->count;
        const eg_added_token *token = eg_added_find(set, text, from, &begin, &end);
        eg_status s = begin > from ? encode(e, (eg_str){text.ptr + from, begin - from}) : EG_OK;
        for (size_t i = first; s == EG_OK && out->has_sources && i < out->count; i++) {
            out->sources[i].span.begin += from;
            out->sources[i].span.end += from;
        }
        if (s != EG_OK || !token) return s;
        s = eg_tokens_reserve(out, 1, e->err);
        if (s != EG_OK) return s;
        if (out->has_sources) {
            eg_source *source = &out->sources[out->count];
            *source = (eg_source){.span = {begin, end}, .length = count_code_points(token->text)};
            count_spaces((eg_str){text.ptr + begin, end - begin}, source);
        }
        out->ids[out->count++] = token->id;
        from = end;
    }
    return EG_OK;
}

static eg_status encode_normalized(encoding *e, eg_str piece) {
    const eg_tokenizer *t = e->t;
    return t->kind == EG_WORDPIECE ? eg_wordpiece_encode(&t->wordpiece, piece, e->out, e->err)
           : t->kind == EG_BPE     ? eg_bpe_encode(&t->bpe, piece, e->out, e->err)
                                   : eg_unigram_encode(&t->unigram, piece, e->out, e->err);
}

/* Maps spans of normalised text to the whole code points of `piece` that they come from. */
static void trace_back(const encoding *e, eg_str piece, int is_traced, size_t first) {
    const eg_places *places = &e->trace.now;
    for (size_t i = first; i < e->out->count; i++) {
        eg_range *s = &e->out->sources[i].span;
        size_t last = s->end ? s->end - 1 : 0;
        if (is_traced) {
            *s = places->count == 0
                     ? (eg_range){0, 0}
                     : (eg_range){places->of[s->begin < places->count ? s->begin : last].begin, places->of[last].end};
        } else {
            uint32_t cp;
            s->begin = eg_utf8_floor(piece.ptr, piece.len, s->begin);
            last = eg_utf8_floor(piece.ptr, piece.len, last);
            s->end = last + eg_utf8_decode(piece.ptr + last, piece.len - last, &cp);
        }
    }
}

static eg_status encode_raw(encoding *e, eg_str piece) {
    const eg_tokenizer *t = e->t;
    eg_str text = piece;
    size_t first = e->out->count;
    int has_sources = e->out->has_sources;
    eg_status s;
    if (has_sources && t->kind == EG_WORDPIECE) {
        s = eg_wordpiece_prepare(&t->wordpiece, piece, e->scratch, &e->trace, &text, e->err);
    } else {
        if (has_sources && t->normalizer.count) eg_trace_begin(&e->trace, piece);
        s = eg_normalize(&t->normalizer, piece, e->scratch, has_sources ? &e->trace : NULL, &text, e->err);
    }
    if (s == EG_OK) s = encode_between(e, &t->normalized, text, encode_normalized);
    if (s == EG_OK && has_sources) trace_back(e, piece, text.ptr != piece.ptr || text.len != piece.len, first);
    return s;
}

/* The byte where the nth code point before `at` begins, or with forward the nth after it; SIZE_MAX
 * if there is none. */
static size_t step(eg_str text, size_t at, size_t n, int forward) {
    for (uint32_t cp; n > 0; n--) {
        if (at == (forward ? text.len : 0)) return SIZE_MAX;
        at = forward ? at + eg_utf8_decode(text.ptr + at, text.len - at, &cp) : eg_utf8_floor(text.ptr, text.len, at - 1);
    }
    return at;
}

/* Trims spaces from the ends of the spans as the reference does: by a number of code points of the
 * text. */
static void trim(eg_str text, int is_prefixed, eg_tokens *out, size_t first) {
    for (size_t i = first; i < out->count; i++) {
        eg_source *source = &out->sources[i];
        eg_range *s = &source->span;
        size_t before = source->before;
        if (before == 1 && is_prefixed && (i == first || s->begin == 0)) before = 0;
        size_t begin = step(text, s->begin, before, 1), end = step(text, s->end, source->after, 0);
        s->begin = begin < s->end ? begin : s->end;
        if (end != SIZE_MAX) s->end = end > s->begin ? end : s->begin;
    }
}

eg_status eg_tokenizer_encode(const eg_tokenizer *t, eg_str text, eg_tokens *out, eg_error *err) {
    encoding e = {.t = t, .out = out, .err = err};
    size_t first = out->count;
    eg_status s = encode_between(&e, &t->raw, text, encode_raw);
    for (size_t i = 0; s == EG_OK && out->has_sources && i < t->trim_count; i++) trim(text, t->trims[i], out, first);
    eg_buffer_release(&e.scratch[0]);
    eg_buffer_release(&e.scratch[1]);
    eg_trace_release(&e.trace);
    return s;
}

static int is_unknown(const eg_tokenizer *t, uint32_t id) {
    return t->kind == EG_WORDPIECE ? id == t->wordpiece.unknown
           : t->kind == EG_UNIGRAM ? id == t->unigram.unknown
                                   : t->bpe.has_unknown && id == t->bpe.unknown;
}

int eg_tokenizer_continues(const eg_tokenizer *t, eg_str text, uint32_t id, const eg_source *source) {
    const eg_range *s = &source->span;
    if (is_unknown(t, id)) return 0;
    if (t->kind == EG_WORDPIECE) return source->length != count_code_points((eg_str){text.ptr + s->begin, s->end - s->begin});
    return s->begin > 0 && text.ptr[s->begin - 1] != ' ' && (s->begin == text.len || text.ptr[s->begin] != ' ');
}

/* How many tokens of each side are kept: the longer side is truncated first; if both are too long,
 * each gets half, and the longer side the odd token. */
static void truncate_longest_first(size_t *first, size_t *second, size_t most) {
    if (*first + *second <= most) return;
    size_t *lesser = *first > *second ? second : first, *longer = lesser == first ? second : first;
    size_t n1 = *lesser, n2 = n1 > most || most - n1 < n1 ? n1 : most - n1;
    if (n1 + n2 > most) {
        n1 = most / 2;
        n2 = n1 + most % 2;
    }
    *lesser = n1;
    *longer = n2;
}

eg_status eg_tokenizer_join(const eg_tokenizer *t, const eg_tokens *first, const eg_tokens *second, size_t most, eg_tokens *ids,
                            uint8_t *types, eg_error *err) {
    const eg_around *a = second ? &t->pair : &t->single;
    size_t around = a->count - (second ? 2 : 1), n1 = first->count, n2 = second ? second->count : 0;
    if (most < around + 1) return eg_fail(err, EG_EINVAL, "at most %zu tokens leave no room for text", most);
    truncate_longest_first(&n1, &n2, most - around);
    eg_status s = eg_tokens_reserve(ids, n1 + n2 + around, err);
    if (s != EG_OK) return s;
    for (const eg_around_item *item = a->items; item < a->items + a->count; item++) {
        const uint32_t *from = item->what == EG_AROUND_TOKEN   ? &item->id
                               : item->what == EG_AROUND_FIRST ? first->ids
                                                               : second->ids;
        size_t n = item->what == EG_AROUND_TOKEN ? 1 : item->what == EG_AROUND_FIRST ? n1 : n2;
        if (n) memcpy(ids->ids + ids->count, from, n * sizeof *from);
        for (size_t i = 0; ids->has_sources && i < n; i++)
            ids->sources[ids->count + i] = item->what == EG_AROUND_TOKEN   ? (eg_source){.is_special = 1}
                                           : item->what == EG_AROUND_FIRST ? first->sources[i]
                                                                           : second->sources[i];
        if (types) memset(types, item->type, n);
        if (types) types += n;
        ids->count += n;
    }
    return EG_OK;
}
