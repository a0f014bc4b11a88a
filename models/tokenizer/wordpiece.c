/* wordpiece.c - see wordpiece.h. Text is read once: each code point is normalised by table, words
 * are collected and looked up longest piece first. */
#include "models/tokenizer/wordpiece.h"

#include "core/base/status.h"
#include "core/base/utf8.h"
#include "models/tokenizer/bert_unicode_tables.h"
#include "models/tokenizer/unicode.h"

enum { MAX_WORD = EG_WORDPIECE_WORD, INNER = 1 /* tag of a piece that continues a word: "##ing" */ };

/* The text of a token as the vocabulary writes it, and its tag. */
static eg_str text_of(eg_str token, uint32_t *tag) {
    int is_inner = token.len > 2 && token.ptr[0] == '#' && token.ptr[1] == '#';
    *tag = is_inner ? INNER : 0;
    return is_inner ? (eg_str){token.ptr + 2, token.len - 2} : token;
}

void eg_wordpiece_add(eg_wordpiece *w, eg_str token, uint32_t id) {
    uint32_t tag;
    eg_str text = text_of(token, &tag);
    eg_vocabulary_add(&w->vocabulary, text, tag, id);
}

int eg_wordpiece_find(const eg_wordpiece *w, eg_str token, uint32_t *id) {
    uint32_t tag;
    eg_str text = text_of(token, &tag);
    const eg_piece *p = eg_vocabulary_find(&w->vocabulary, text.ptr, text.len, tag);
    if (p) *id = p->id;
    return p != NULL;
}

/* Compiled twice, with and without sources, so that they cost nothing if the caller does not need
 * them. */
#define INLINE static inline __attribute__((always_inline))

/* The word being collected: normalised bytes, at most MAX_WORD code points (one more marks it as
 * too long). */
typedef struct word {
    char bytes[(MAX_WORD + 1) * 4];
    uint16_t ends[MAX_WORD + 1]; /* byte offset behind each code point */
    size_t count;                /* code points */
    /* spans of the text, if there are sources: of each code point, of the current one, of the last
     * one */
    eg_range spans[MAX_WORD + 1];
    eg_range here, last;
} word;

INLINE void word_add(word *d, uint32_t cp, const int sources) {
    if (sources) d->last = d->here;
    if (d->count > MAX_WORD) return;
    if (sources) d->spans[d->count] = d->here;
    size_t at = d->count ? d->ends[d->count - 1] : 0;
    d->ends[d->count++] = (uint16_t)(at + eg_utf8_encode(cp, d->bytes + at));
}

/* Greedy: the longest piece first; one miss makes the whole word unknown. out has room for MAX_WORD
 * ids. */
INLINE void word_end(const eg_wordpiece *w, word *d, eg_tokens *out, const int sources) {
    size_t first_token = out->count, start = 0, count = d->count;
    d->count = 0;
    if (count == 0) return;
    int missed = count > MAX_WORD;
    while (!missed && start < count) {
        size_t from = start ? d->ends[start - 1] : 0, end = count;
        while (end > start && (size_t)d->ends[end - 1] - from > w->vocabulary.longest) end--;
        const eg_piece *p = NULL;
        for (; end > start; end--)
            if ((p = eg_vocabulary_find(&w->vocabulary, d->bytes + from, d->ends[end - 1] - from, start > 0 ? INNER : 0))) break;
        missed = p == NULL;
        if (p && sources)
            out->sources[out->count] = (eg_source){.span = {d->spans[start].begin, d->spans[end - 1].end},
                                                   .length = (uint32_t)(end - start) + (start > 0 ? 2 : 0)};
        if (p) out->ids[out->count++] = p->id;
        start = end;
    }
    if (!missed) return;
    out->count = first_token;
    if (sources) out->sources[out->count] = (eg_source){.span = {d->spans[0].begin, d->last.end}};
    out->ids[out->count++] = w->unknown;
}

INLINE void put_code_point(const eg_wordpiece *w, word *d, uint32_t cp, int is_word, eg_tokens *out, const int sources) {
    if (is_word) {
        word_add(d, cp, sources);
        return;
    }
    word_end(w, d, out, sources);
    if (cp == ' ') return;
    word_add(d, cp, sources); /* punctuation is a word of its own */
    word_end(w, d, out, sources);
}

static uint16_t code_of(const eg_wordpiece *w, uint32_t cp) {
    const uint16_t *rows = w->lowercase ? unicode_uncased : unicode_cased;
    return unicode_codes[rows[cp >> 8]][cp & 255];
}

/* Hangul syllables decompose by arithmetic (Unicode standard, section 3.12). */
INLINE void put_hangul(word *d, uint32_t cp, const int sources) {
    uint32_t s = cp - 0xAC00, tail = s % 28;
    word_add(d, 0x1100 + s / 588, sources);
    word_add(d, 0x1161 + s % 588 / 28, sources);
    if (tail) word_add(d, 0x11A7 + tail, sources);
}

INLINE eg_status encode(const eg_wordpiece *w, eg_str text, eg_tokens *out, eg_error *err, const int sources) {
    word d;
    d.count = 0;
    size_t at = 0;
    while (at < text.len && !eg_tokens_enough(out)) {
        /* a code point ends at most one word of MAX_WORD pieces, and adds a few words itself */
        eg_status s = eg_tokens_reserve(out, 2 * MAX_WORD + 64, err);
        if (s != EG_OK) return s;
        uint32_t cp;
        size_t begin = at;
        at += eg_utf8_decode(text.ptr + at, text.len - at, &cp);
        if (sources) d.here = (eg_range){begin, at};
        uint16_t code = code_of(w, cp);
        switch (code) {
        case CODE_IDENTITY: word_add(&d, cp, sources); break;
        case CODE_DROPPED: break;
        case CODE_SPACE: word_end(w, &d, out, sources); break;
        case CODE_PUNCTUATION: put_code_point(w, &d, cp, 0, out, sources); break;
        case CODE_CJK:
            word_end(w, &d, out, sources);
            word_add(&d, cp, sources);
            word_end(w, &d, out, sources);
            break;
        case CODE_HANGUL: put_hangul(&d, cp, sources); break;
        default: {
            const uint32_t *mapping = unicode_mappings + (code - CODE_MAPPING);
            for (uint32_t i = 1; i <= mapping[0]; i++) {
                uint16_t kind = mapping[i] == ' ' ? CODE_SPACE : code_of(w, mapping[i]);
                put_code_point(w, &d, mapping[i], kind != CODE_SPACE && kind != CODE_PUNCTUATION, out, sources);
            }
        }
        }
    }
    eg_status s = eg_tokens_reserve(out, MAX_WORD, err);
    if (s == EG_OK) word_end(w, &d, out, sources);
    return s;
}

eg_status eg_wordpiece_encode(const eg_wordpiece *w, eg_str text, eg_tokens *out, eg_error *err) {
    return out->has_sources ? encode(w, text, out, err, 1) : encode(w, text, out, err, 0);
}

eg_status eg_wordpiece_prepare(const eg_wordpiece *w, eg_str text, eg_buffer scratch[2], eg_trace *trace, eg_str *out,
                               eg_error *err) {
    size_t ascii = 0;
    while (ascii < text.len && (unsigned char)text.ptr[ascii] < 0x80) ascii++;
    *out = text;
    /* code points keep their order, so the tables are enough */
    if (ascii == text.len || !w->lowercase) return EG_OK;
    scratch[0].len = scratch[1].len = 0;
    eg_trace_begin(trace, text);
    for (size_t at = 0, length; at < text.len; at += length) {
        uint32_t cp;
        length = eg_utf8_decode(text.ptr + at, text.len - at, &cp);
        /* a control character */
        if (unicode_codes[unicode_cased[cp >> 8]][cp & 255] == CODE_DROPPED) continue;
        eg_buffer_add(&scratch[0], text.ptr + at, length);
        eg_trace_copy(trace, at, length);
    }
    eg_trace_done(trace);
    eg_str clean = {scratch[0].ptr, scratch[0].len};
    eg_unicode_normal_form(clean, 0, 0, &scratch[1], trace);
    eg_trace_apply(trace, clean, (eg_str){scratch[1].ptr, scratch[1].len});
    *out = (eg_str){scratch[1].ptr, scratch[1].len};
    return scratch[0].failed || scratch[1].failed || trace->failed ? eg_fail_memory(err, text.len) : EG_OK;
}
