/* wordpiece.c - see wordpiece.h. Text is read once: special tokens are cut out, each code point is normalised by
 * table, words are collected and looked up longest piece first. */
#include "models/wordpiece.h"

#include <stdio.h>

#include "core/base/json.h"
#include "core/base/status.h"
#include "core/base/utf8.h"
#include "models/bert_unicode_tables.h"

enum { MAX_WORD = 100 /* code points; a longer word is unknown */, MAX_VOCABULARY = 1 << 24, SPECIALS = 5 };

/* A piece of the vocabulary; of "##ing" the text is "ing" and `inner` 1. */
typedef struct piece {
    eg_str text;
    uint32_t id;
    uint32_t inner;
} piece;

struct eg_wordpiece {
    piece *slots; /* open addressing; text.ptr NULL: empty */
    size_t mask;
    size_t longest; /* bytes of the longest piece */
    uint32_t size;
    int lowercase;
    uint32_t unknown, classify, separate;
    eg_str special[SPECIALS]; /* matched in raw text, before anything else */
    uint32_t special_id[SPECIALS];
};

static const char *const special_names[SPECIALS] = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
enum { UNK = 1, CLS, SEP }; /* of special_names */

/* ---- vocabulary ---- */

static uint64_t hash_bytes(const char *p, size_t n, uint32_t inner) { /* FNV-1a, 64 bit */
    uint64_t h = UINT64_C(14695981039346656037) ^ inner;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)p[i]) * UINT64_C(1099511628211);
    return h ^ h >> 29;
}

static const piece *find(const eg_wordpiece *w, const char *p, size_t n, uint32_t inner) {
    for (size_t i = (size_t)hash_bytes(p, n, inner) & w->mask; w->slots[i].text.ptr; i = (i + 1) & w->mask) {
        const piece *s = &w->slots[i];
        if (s->inner == inner && s->text.len == n && memcmp(s->text.ptr, p, n) == 0) return s;
    }
    return NULL;
}

static eg_status table_create(eg_wordpiece *w, size_t entries, eg_arena *arena, eg_error *err) {
    size_t slots = 64;
    while (slots < entries * 2) slots *= 2;
    w->slots = eg_arena_array(arena, slots, sizeof *w->slots);
    w->mask = slots - 1;
    return w->slots ? EG_OK : eg_fail_memory(err, slots * sizeof *w->slots);
}

/* A later entry with the same text wins, as in the reference. */
static void insert(eg_wordpiece *w, eg_str token, uint32_t id) {
    uint32_t inner = token.len > 2 && token.ptr[0] == '#' && token.ptr[1] == '#';
    if (inner) token = (eg_str){token.ptr + 2, token.len - 2};
    if (token.len > w->longest) w->longest = token.len;
    if (id >= w->size) w->size = id + 1;
    size_t i = (size_t)hash_bytes(token.ptr, token.len, inner) & w->mask;
    while (w->slots[i].text.ptr) {
        piece *s = &w->slots[i];
        if (s->inner == inner && eg_str_eq(s->text, token)) break;
        i = (i + 1) & w->mask;
    }
    w->slots[i] = (piece){token, id, inner};
}

static eg_status find_specials(eg_wordpiece *w, const char *name, eg_error *err) {
    for (size_t i = 0; i < SPECIALS; i++) {
        eg_str s = eg_str_of(special_names[i]);
        const piece *p = find(w, s.ptr, s.len, 0);
        if (p) {
            w->special[i] = s;
            w->special_id[i] = p->id;
        } else if (i == UNK || i == CLS || i == SEP) {
            return eg_fail(err, EG_EFORMAT, "%s: the vocabulary has no %s: it is no BERT vocabulary", name, special_names[i]);
        }
    }
    w->unknown = w->special_id[UNK];
    w->classify = w->special_id[CLS];
    w->separate = w->special_id[SEP];
    return EG_OK;
}

eg_status eg_wordpiece_from_vocab(eg_str vocab, int lowercase, eg_arena *arena, const eg_wordpiece **out, eg_error *err) {
    *out = NULL;
    size_t valid = eg_utf8_valid_prefix(vocab.ptr, vocab.len), lines = 1;
    if (valid < vocab.len) return eg_fail(err, EG_EFORMAT, "vocab.txt: invalid UTF-8 at byte %zu", valid);
    for (size_t i = 0; i < vocab.len; i++) lines += vocab.ptr[i] == '\n';
    if (lines > MAX_VOCABULARY) return eg_fail(err, EG_ELIMIT, "vocab.txt: %zu lines; at most %d", lines, MAX_VOCABULARY);
    eg_wordpiece *w = eg_arena_alloc(arena, sizeof *w);
    if (!w) return eg_fail_memory(err, sizeof *w);
    eg_status s = table_create(w, lines, arena, err);
    if (s != EG_OK) return s;
    w->lowercase = lowercase;
    const char *p = vocab.ptr, *end = vocab.ptr + vocab.len;
    for (uint32_t id = 0; p < end; id++) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        const char *next = stop ? stop + 1 : end;
        if (!stop) stop = end;
        if (stop > p && stop[-1] == '\r') stop--;
        insert(w, (eg_str){p, (size_t)(stop - p)}, id);
        p = next;
    }
    if ((s = find_specials(w, "vocab.txt", err)) == EG_OK) *out = w;
    return s;
}

/* ---- tokenizer.json ---- */

static int is(const eg_json *j, const char *z) { return eg_str_eq(j->text, eg_str_of(z)); }

/* Reads {"token": id, ...}; the reader stands on the opening brace. Two passes: the size of the table first. */
static eg_status read_vocabulary(eg_json *j, eg_wordpiece *w, eg_arena *arena, eg_error *err) {
    eg_json ahead = *j;
    size_t entries = 0;
    for (eg_json_kind k = eg_json_next(&ahead); k != EG_JSON_OBJECT_END; k = eg_json_next(&ahead)) {
        if (k == EG_JSON_ERROR) return EG_EFORMAT;
        if (k == EG_JSON_OBJECT || k == EG_JSON_ARRAY) {
            eg_json_fail(&ahead, "model.vocab: a number was expected");
            return EG_EFORMAT;
        }
        entries += k == EG_JSON_KEY;
    }
    if (entries > MAX_VOCABULARY) return eg_fail(err, EG_ELIMIT, "tokenizer.json: model.vocab has %zu entries", entries);
    eg_status s = table_create(w, entries, arena, err);
    if (s != EG_OK) return s;
    eg_str token = {0};
    for (eg_json_kind k = eg_json_next(j); k != EG_JSON_OBJECT_END; k = eg_json_next(j)) {
        if (k == EG_JSON_KEY) {
            token = j->text;
            continue;
        }
        if (k != EG_JSON_NUMBER || !j->is_integer || j->integer < 0 || j->integer >= MAX_VOCABULARY) {
            eg_json_fail(j, "model.vocab: an id was expected");
            return EG_EFORMAT;
        }
        insert(w, token, (uint32_t)j->integer);
    }
    return EG_OK;
}

static eg_status unsupported(eg_error *err, const char *field, eg_str value) {
    char text[80];
    return eg_fail(err, EG_EUNSUPPORTED, "tokenizer.json: %s is '%s'; only BERT's WordPiece tokenizer is read", field,
                   eg_quote(value, 60, text, sizeof text));
}

static eg_status read_model(eg_json *j, eg_wordpiece *w, eg_arena *arena, eg_error *err) {
    eg_status s = EG_OK;
    int has_vocabulary = 0;
    for (eg_json_kind k = eg_json_next(j); s == EG_OK && k != EG_JSON_OBJECT_END; k = eg_json_next(j)) {
        if (k != EG_JSON_KEY) return EG_EFORMAT;
        int type = is(j, "type"), prefix = is(j, "continuing_subword_prefix"), most = is(j, "max_input_chars_per_word");
        int vocabulary = is(j, "vocab");
        k = eg_json_next(j);
        if (type && !(k == EG_JSON_STRING && is(j, "WordPiece"))) return unsupported(err, "model.type", j->text);
        if (prefix && !(k == EG_JSON_STRING && is(j, "##"))) return unsupported(err, "model.continuing_subword_prefix", j->text);
        if (most && !(k == EG_JSON_NUMBER && j->integer == MAX_WORD))
            return unsupported(err, "model.max_input_chars_per_word", j->text);
        if (vocabulary && k == EG_JSON_OBJECT) {
            s = read_vocabulary(j, w, arena, err);
            has_vocabulary = 1;
        } else if (!eg_json_skip(j)) {
            return EG_EFORMAT;
        }
    }
    if (s == EG_OK && !has_vocabulary) return eg_fail(err, EG_EFORMAT, "tokenizer.json: model.vocab is missing");
    return s;
}

static eg_status read_normalizer(eg_json *j, eg_wordpiece *w, eg_error *err) {
    int clean = 0, chinese = 0, accents = -1 /* null */, lowercase = -1, bert = 0;
    for (eg_json_kind k = eg_json_next(j); k != EG_JSON_OBJECT_END; k = eg_json_next(j)) {
        if (k != EG_JSON_KEY) return EG_EFORMAT;
        int *flag = is(j, "clean_text")             ? &clean
                    : is(j, "handle_chinese_chars") ? &chinese
                    : is(j, "strip_accents")        ? &accents
                    : is(j, "lowercase")            ? &lowercase
                                                    : NULL;
        int type = is(j, "type");
        k = eg_json_next(j);
        if (type && k == EG_JSON_STRING) {
            if (!is(j, "BertNormalizer")) return unsupported(err, "normalizer.type", j->text);
            bert = 1;
        }
        if (flag && (k == EG_JSON_TRUE || k == EG_JSON_FALSE)) *flag = k == EG_JSON_TRUE;
        if (!eg_json_skip(j)) return EG_EFORMAT;
    }
    if (!bert || lowercase < 0) return eg_fail(err, EG_EFORMAT, "tokenizer.json: normalizer has no type or lowercase");
    if (!clean || !chinese || (accents >= 0 && accents != lowercase))
        return eg_fail(err, EG_EUNSUPPORTED, "tokenizer.json: normalizer: only clean_text and handle_chinese_chars with "
                                             "strip_accents as lowercase are supported");
    w->lowercase = lowercase;
    return EG_OK;
}

/* {"type": ..., ...}: the type must be `wanted` (or the section null, when `optional`). */
static eg_status read_type(eg_json *j, eg_json_kind k, const char *section, const char *wanted, eg_error *err) {
    if (k != EG_JSON_OBJECT) return eg_fail(err, EG_EFORMAT, "tokenizer.json: %s is missing", section);
    uint32_t depth = j->depth;
    for (k = eg_json_next(j); !(k == EG_JSON_OBJECT_END && j->depth < depth); k = eg_json_next(j)) {
        if (k == EG_JSON_ERROR) return EG_EFORMAT;
        if (k != EG_JSON_KEY || j->depth != depth || !is(j, "type")) continue;
        k = eg_json_next(j);
        if (k == EG_JSON_STRING && !is(j, wanted)) return unsupported(err, section, j->text);
    }
    return EG_OK;
}

eg_status eg_wordpiece_from_json(eg_str json, eg_arena *arena, const eg_wordpiece **out, eg_error *err) {
    *out = NULL;
    eg_wordpiece *w = eg_arena_alloc(arena, sizeof *w);
    if (!w) return eg_fail_memory(err, sizeof *w);
    eg_json j;
    eg_json_init(&j, "tokenizer.json", json, arena, err);
    enum { MODEL = 1, NORMALIZER = 2, SPLITTER = 4 };
    int seen = 0;
    if (eg_json_next(&j) != EG_JSON_OBJECT) {
        eg_json_fail(&j, "an object was expected");
        return EG_EFORMAT;
    }
    eg_status s = EG_OK;
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_OBJECT_END; k = eg_json_next(&j)) {
        if (k != EG_JSON_KEY) return EG_EFORMAT;
        int section = is(&j, "model") ? MODEL : is(&j, "normalizer") ? NORMALIZER : is(&j, "pre_tokenizer") ? SPLITTER : 0;
        if (section & seen) return eg_fail(err, EG_EFORMAT, "tokenizer.json: a section stands there twice");
        seen |= section;
        k = eg_json_next(&j);
        if (section == MODEL && k == EG_JSON_OBJECT)
            s = read_model(&j, w, arena, err);
        else if (section == NORMALIZER && k == EG_JSON_OBJECT)
            s = read_normalizer(&j, w, err);
        else if (section == SPLITTER)
            s = read_type(&j, k, "pre_tokenizer.type", "BertPreTokenizer", err);
        else if (section)
            s = eg_fail(err, EG_EUNSUPPORTED, "tokenizer.json: model or normalizer is no object");
        else if (!eg_json_skip(&j))
            return EG_EFORMAT;
        if (s != EG_OK) return s;
    }
    if (eg_json_next(&j) != EG_JSON_END) return EG_EFORMAT;
    if (seen != (MODEL | NORMALIZER | SPLITTER))
        return eg_fail(err, EG_EFORMAT, "tokenizer.json: model, normalizer or pre_tokenizer is missing");
    if ((s = find_specials(w, "tokenizer.json", err)) == EG_OK) *out = w;
    return s;
}

uint32_t eg_wordpiece_size(const eg_wordpiece *w) { return w->size; }

/* ---- encoding ---- */

/* The word being collected: normalised bytes, at most MAX_WORD code points (one more marks it as too long). */
typedef struct word {
    char bytes[(MAX_WORD + 1) * 4];
    uint16_t ends[MAX_WORD + 1]; /* byte offset behind each code point */
    size_t count;                /* code points */
} word;

static void word_add(word *d, uint32_t cp) {
    if (d->count > MAX_WORD) return;
    size_t at = d->count ? d->ends[d->count - 1] : 0;
    d->ends[d->count++] = (uint16_t)(at + eg_utf8_encode(cp, d->bytes + at));
}

/* Greedy: the longest piece first; one miss makes the whole word unknown. out has room for MAX_WORD ids. */
static void word_end(const eg_wordpiece *w, word *d, eg_tokens *out) {
    size_t first_token = out->count, start = 0, count = d->count;
    d->count = 0;
    if (count == 0) return;
    int missed = count > MAX_WORD;
    while (!missed && start < count) {
        size_t from = start ? d->ends[start - 1] : 0, end = count;
        while (end > start && (size_t)d->ends[end - 1] - from > w->longest) end--;
        const piece *p = NULL;
        for (; end > start; end--)
            if ((p = find(w, d->bytes + from, d->ends[end - 1] - from, start > 0))) break;
        missed = p == NULL;
        if (p) out->ids[out->count++] = p->id;
        start = end;
    }
    if (!missed) return;
    out->count = first_token;
    out->ids[out->count++] = w->unknown;
}

static void put_code_point(const eg_wordpiece *w, word *d, uint32_t cp, int is_word, eg_tokens *out) {
    if (is_word) {
        word_add(d, cp);
        return;
    }
    word_end(w, d, out);
    if (cp == ' ') return;
    word_add(d, cp); /* punctuation is a word of its own */
    word_end(w, d, out);
}

static uint16_t code_of(const eg_wordpiece *w, uint32_t cp) {
    const uint16_t *rows = w->lowercase ? unicode_uncased : unicode_cased;
    return unicode_codes[rows[cp >> 8]][cp & 255];
}

/* Hangul syllables decompose by arithmetic (Unicode standard, section 3.12). */
static void put_hangul(word *d, uint32_t cp) {
    uint32_t s = cp - 0xAC00, tail = s % 28;
    word_add(d, 0x1100 + s / 588);
    word_add(d, 0x1161 + s % 588 / 28);
    if (tail) word_add(d, 0x11A7 + tail);
}

/* Normalises and splits text that holds no special token. */
static eg_status encode_plain(const eg_wordpiece *w, eg_str text, eg_tokens *out, eg_error *err) {
    word d;
    d.count = 0;
    size_t at = 0;
    while (at < text.len) {
        /* a code point ends at most one word of MAX_WORD pieces and adds a few words of its own */
        eg_status s = eg_tokens_reserve(out, 2 * MAX_WORD + 64, err);
        if (s != EG_OK) return s;
        uint32_t cp;
        at += eg_utf8_decode(text.ptr + at, text.len - at, &cp);
        uint16_t code = code_of(w, cp);
        switch (code) {
        case CODE_IDENTITY:
            word_add(&d, cp);
            break;
        case CODE_DROPPED:
            break;
        case CODE_SPACE:
            word_end(w, &d, out);
            break;
        case CODE_PUNCTUATION:
            put_code_point(w, &d, cp, 0, out);
            break;
        case CODE_CJK:
            word_end(w, &d, out);
            word_add(&d, cp);
            word_end(w, &d, out);
            break;
        case CODE_HANGUL:
            put_hangul(&d, cp);
            break;
        default: {
            const uint32_t *mapping = unicode_mappings + (code - CODE_MAPPING);
            for (uint32_t i = 1; i <= mapping[0]; i++) {
                uint16_t kind = mapping[i] == ' ' ? CODE_SPACE : code_of(w, mapping[i]);
                put_code_point(w, &d, mapping[i], kind != CODE_SPACE && kind != CODE_PUNCTUATION, out);
            }
        }
        }
    }
    eg_status s = eg_tokens_reserve(out, MAX_WORD, err);
    if (s == EG_OK) word_end(w, &d, out);
    return s;
}

/* The special token that begins at p; -1 when none does. */
static int special_at(const eg_wordpiece *w, const char *p, size_t n) {
    for (int i = 0; i < SPECIALS; i++)
        if (w->special[i].len && w->special[i].len <= n && memcmp(p, w->special[i].ptr, w->special[i].len) == 0) return i;
    return -1;
}

eg_status eg_wordpiece_encode(const eg_wordpiece *w, eg_str text, eg_tokens *out, eg_error *err) {
    size_t from = 0, at = 0;
    while (at < text.len) {
        const char *bracket = memchr(text.ptr + at, '[', text.len - at);
        if (!bracket) break;
        at = (size_t)(bracket - text.ptr);
        int special = special_at(w, bracket, text.len - at);
        if (special < 0) {
            at++;
            continue;
        }
        eg_status s = encode_plain(w, (eg_str){text.ptr + from, at - from}, out, err);
        if (s == EG_OK) s = eg_tokens_reserve(out, 1, err);
        if (s != EG_OK) return s;
        out->ids[out->count++] = w->special_id[special];
        at += w->special[special].len;
        from = at;
    }
    return encode_plain(w, (eg_str){text.ptr + from, text.len - from}, out, err);
}

void eg_wordpiece_around(const eg_wordpiece *w, uint32_t *classify, uint32_t *separate) {
    *classify = w->classify;
    *separate = w->separate;
}
