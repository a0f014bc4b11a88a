/* tokenizer_json.c - reads tokenizer.json, which describes a whole tokenizer: vocabulary,
 * normaliser, splitter, added tokens, special tokens around texts. Features that we do not have are
 * refused by name. Source of the fields: the serialised form of Hugging Face tokenizers 0.20.3. */
#include "core/base/status.h"
#include "models/tokenizer/tokenizer_parts.h"

enum { MAX_ADDED = 1 << 16 };
static const char file[] = "tokenizer.json";

static int is(eg_str s, const char *z) { return eg_str_eq(s, eg_str_of(z)); }
static int is_there(const eg_value *v) { return v->at.kind != EG_JSON_END && v->at.kind != EG_JSON_NULL; }

static eg_status unsupported(eg_error *err, const char *field, eg_str value, const char *supported) {
    char text[80];
    return eg_fail(err, EG_EUNSUPPORTED, "tokenizer.json: %s is '%s'; supported: %s", field,
                   eg_quote(value, 60, text, sizeof text), supported);
}

static eg_status missing(eg_error *err, const char *field) {
    return eg_fail(err, EG_EFORMAT, "tokenizer.json: %s is missing", field);
}

/* ---- objects ---- */

/* Skips the value just read and counts its members or elements. */
static int skip_counting(eg_json *j, size_t *children) {
    *children = 0;
    if (j->kind != EG_JSON_OBJECT && j->kind != EG_JSON_ARRAY) return j->kind != EG_JSON_ERROR;
    int is_object = j->kind == EG_JSON_OBJECT;
    uint32_t inside = j->depth;
    for (;;) {
        eg_json_kind k = eg_json_next(j);
        if (k == EG_JSON_ERROR) return 0;
        if (j->depth < inside) return 1;
        int opens = k == EG_JSON_OBJECT || k == EG_JSON_ARRAY;
        *children += j->depth == inside && !opens && (!is_object || k == EG_JSON_KEY);
    }
}

static eg_status store(eg_json *j, eg_json_kind k, const char *section, const eg_field *f, eg_error *err) {
    static const char *const kinds[] = {"a string", "true or false", "a whole number", "a value", "an object"};
    if (f->kind == EG_FIELD_ANY) {
        eg_value *v = f->to;
        v->at = *j;
        return skip_counting(j, &v->children) ? EG_OK : EG_EFORMAT;
    }
    if (k == EG_JSON_ERROR) return EG_EFORMAT;
    if (k == EG_JSON_NULL) return EG_OK;
    const eg_reader *reader = f->to;
    if (f->kind == EG_FIELD_READ && k == EG_JSON_OBJECT) return reader->read(j, reader->self, err);
    if (f->kind == EG_FIELD_TEXT && k == EG_JSON_STRING) *(eg_str *)f->to = j->text;
    else if (f->kind == EG_FIELD_FLAG && (k == EG_JSON_TRUE || k == EG_JSON_FALSE)) *(int *)f->to = k == EG_JSON_TRUE;
    else if (f->kind == EG_FIELD_NUMBER && k == EG_JSON_NUMBER && j->is_integer) *(int64_t *)f->to = j->integer;
    else return eg_fail(err, EG_EFORMAT, "%s: %s.%s must be %s", j->name, section, f->name, kinds[f->kind]);
    return EG_OK;
}

eg_status eg_fields_read(eg_json *j, const char *section, const eg_field *fields, size_t n, eg_error *err) {
    uint64_t seen = 0; /* a bit a field */
    for (eg_json_kind k = eg_json_next(j); k != EG_JSON_OBJECT_END; k = eg_json_next(j)) {
        if (k != EG_JSON_KEY) return EG_EFORMAT;
        size_t i = 0;
        while (i < n && !is(j->text, fields[i].name)) i++;
        k = eg_json_next(j);
        if (i == n) {
            if (!eg_json_skip(j)) return EG_EFORMAT;
            continue;
        }
        if (seen >> i & 1) return eg_fail(err, EG_EFORMAT, "%s: %s.%s occurs twice", j->name, section, fields[i].name);
        seen |= UINT64_C(1) << i;
        eg_status s = store(j, k, section, &fields[i], err);
        if (s != EG_OK) return s;
    }
    return EG_OK;
}

/* ---- the model ---- */

eg_status eg_vocabulary_read(eg_tokenizer *t, const eg_value *vocabulary, size_t merges, eg_arena *arena, eg_error *err) {
    eg_json j = vocabulary->at;
    eg_str token = {0};
    eg_status s = t->kind == EG_BPE ? eg_bpe_init(&t->bpe, j.name, vocabulary->children, merges, arena, err)
                                    : eg_vocabulary_init(&t->wordpiece.vocabulary, j.name, vocabulary->children, arena, err);
    for (eg_json_kind k = eg_json_next(&j); s == EG_OK && k != EG_JSON_OBJECT_END; k = eg_json_next(&j)) {
        if (k == EG_JSON_KEY) {
            token = j.text;
            continue;
        }
        if (k != EG_JSON_NUMBER || !j.is_integer || j.integer < 0 || j.integer >= EG_MAX_VOCABULARY) {
            eg_json_fail(&j, "an id below %d was expected for a token of the vocabulary", EG_MAX_VOCABULARY);
            return EG_EFORMAT;
        }
        if (t->kind == EG_BPE) s = eg_bpe_add(&t->bpe, j.name, token, (uint32_t)j.integer, arena, err);
        else eg_wordpiece_add(&t->wordpiece, token, (uint32_t)j.integer);
    }
    return s;
}

/* The members of `model`. */
typedef struct model_fields {
    eg_str type, unknown, prefix, suffix;
    int fuse_unknown, byte_fallback, ignore_merges;
    int64_t most, unknown_id;
    eg_value dropout, vocabulary, merges;
} model_fields;

static eg_status read_wordpiece(eg_tokenizer *t, const model_fields *f, eg_arena *arena, eg_error *err) {
    if (f->prefix.ptr && !is(f->prefix, "##")) return unsupported(err, "model.continuing_subword_prefix", f->prefix, "##");
    if (f->most >= 0 && f->most != EG_WORDPIECE_WORD)
        return eg_fail(err, EG_EUNSUPPORTED, "tokenizer.json: model.max_input_chars_per_word is %lld; supported: %d",
                       (long long)f->most, EG_WORDPIECE_WORD);
    if (f->vocabulary.at.kind != EG_JSON_OBJECT) return missing(err, "model.vocab");
    eg_status s = eg_vocabulary_read(t, &f->vocabulary, 0, arena, err);
    if (s == EG_OK && !eg_wordpiece_find(&t->wordpiece, f->unknown.ptr ? f->unknown : EG_STR("[UNK]"), &t->wordpiece.unknown))
        return eg_fail(err, EG_EFORMAT, "tokenizer.json: model.vocab lacks model.unk_token");
    return s;
}

/* Reads one merge, "a b" or ["a", "b"], at which j is. */
static int read_merge(eg_json *j, eg_str *left, eg_str *right) {
    if (j->kind == EG_JSON_ARRAY) {
        if (eg_json_next(j) != EG_JSON_STRING) return 0;
        *left = j->text;
        if (eg_json_next(j) != EG_JSON_STRING) return 0;
        *right = j->text;
        return eg_json_next(j) == EG_JSON_ARRAY_END;
    }
    const char *space = j->kind == EG_JSON_STRING && j->text.len ? memchr(j->text.ptr, ' ', j->text.len) : NULL;
    if (!space) return 0;
    *left = (eg_str){j->text.ptr, (size_t)(space - j->text.ptr)};
    *right = (eg_str){space + 1, j->text.len - left->len - 1};
    return !memchr(right->ptr, ' ', right->len);
}

static eg_status read_bpe(eg_tokenizer *t, const model_fields *f, eg_arena *arena, eg_error *err) {
    if (f->prefix.len) return unsupported(err, "model.continuing_subword_prefix", f->prefix, "none");
    if (f->suffix.len) return unsupported(err, "model.end_of_word_suffix", f->suffix, "none");
    if (f->byte_fallback) return unsupported(err, "model.byte_fallback", EG_STR("true"), "false");
    if (f->ignore_merges) return unsupported(err, "model.ignore_merges", EG_STR("true"), "false");
    if (is_there(&f->dropout) && !(f->dropout.at.kind == EG_JSON_NUMBER && f->dropout.at.number == 0))
        return unsupported(err, "model.dropout", EG_STR("set"), "null");
    if (f->vocabulary.at.kind != EG_JSON_OBJECT) return missing(err, "model.vocab");
    if (f->merges.at.kind != EG_JSON_ARRAY) return missing(err, "model.merges");
    eg_status s = eg_vocabulary_read(t, &f->vocabulary, f->merges.children, arena, err);
    eg_json j = f->merges.at;
    uint32_t rank = 0;
    for (eg_json_kind k = eg_json_next(&j); s == EG_OK && k != EG_JSON_ARRAY_END; k = eg_json_next(&j)) {
        eg_str left, right;
        if (!read_merge(&j, &left, &right)) {
            eg_json_fail(&j, "model.merges: two tokens were expected");
            return EG_EFORMAT;
        }
        s = eg_bpe_merge(&t->bpe, file, left, right, rank++, err);
    }
    t->bpe.fuse_unknown = f->fuse_unknown;
    return s == EG_OK ? eg_bpe_finish(&t->bpe, file, f->unknown, arena, err) : s;
}

static eg_status read_unigram(eg_tokenizer *t, const model_fields *f, eg_arena *arena, eg_error *err) {
    eg_unigram *u = &t->unigram;
    if (f->vocabulary.at.kind != EG_JSON_ARRAY) return missing(err, "model.vocab");
    if (f->unknown_id < 0 || f->unknown_id >= EG_MAX_VOCABULARY)
        return eg_fail(err, EG_EUNSUPPORTED, "tokenizer.json: model.unk_id must be the id of a piece");
    if (f->vocabulary.children > EG_MAX_VOCABULARY)
        return eg_fail(err, EG_ELIMIT, "tokenizer.json: model.vocab has too many pieces");
    u->pieces = eg_arena_array(arena, f->vocabulary.children, sizeof *u->pieces);
    u->scores = eg_arena_array(arena, f->vocabulary.children, sizeof *u->scores);
    if (!u->pieces || !u->scores) return eg_fail_memory(err, f->vocabulary.children * sizeof *u->pieces);
    u->unknown = (uint32_t)f->unknown_id;
    u->byte_fallback = f->byte_fallback;
    eg_json j = f->vocabulary.at;
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_ARRAY_END; k = eg_json_next(&j), u->count++) {
        int is_pair = k == EG_JSON_ARRAY && eg_json_next(&j) == EG_JSON_STRING;
        if (is_pair) u->pieces[u->count] = j.text;
        if (is_pair && (is_pair = eg_json_next(&j) == EG_JSON_NUMBER)) u->scores[u->count] = j.number;
        if (!is_pair || eg_json_next(&j) != EG_JSON_ARRAY_END) {
            eg_json_fail(&j, "model.vocab: a piece and its score were expected");
            return EG_EFORMAT;
        }
    }
    return eg_unigram_finish(u, file, arena, err);
}

static eg_status read_model(eg_json *j, void *self, eg_error *err) {
    eg_tokenizer *t = self;
    eg_arena *arena = j->arena;
    model_fields f = {.most = -1, .unknown_id = -1};
    const eg_field fields[] = {{"type", EG_FIELD_TEXT, &f.type},
                               {"unk_token", EG_FIELD_TEXT, &f.unknown},
                               {"continuing_subword_prefix", EG_FIELD_TEXT, &f.prefix},
                               {"end_of_word_suffix", EG_FIELD_TEXT, &f.suffix},
                               {"fuse_unk", EG_FIELD_FLAG, &f.fuse_unknown},
                               {"byte_fallback", EG_FIELD_FLAG, &f.byte_fallback},
                               {"ignore_merges", EG_FIELD_FLAG, &f.ignore_merges},
                               {"max_input_chars_per_word", EG_FIELD_NUMBER, &f.most},
                               {"unk_id", EG_FIELD_NUMBER, &f.unknown_id},
                               {"dropout", EG_FIELD_ANY, &f.dropout},
                               {"vocab", EG_FIELD_ANY, &f.vocabulary},
                               {"merges", EG_FIELD_ANY, &f.merges}};
    eg_status s = EG_FIELDS_READ(j, "model", fields, err);
    if (s != EG_OK) return s;
    /* files from before 2020 have no type: their fields decide */
    if (!f.type.ptr)
        f.type = is_there(&f.merges)                     ? EG_STR("BPE")
                 : f.vocabulary.at.kind == EG_JSON_ARRAY ? EG_STR("Unigram")
                                                         : EG_STR("WordPiece");
    t->kind = is(f.type, "WordPiece") ? EG_WORDPIECE : is(f.type, "BPE") ? EG_BPE : is(f.type, "Unigram") ? EG_UNIGRAM : 0;
    if (t->kind == EG_WORDPIECE) return read_wordpiece(t, &f, arena, err);
    if (t->kind == EG_BPE) return read_bpe(t, &f, arena, err);
    if (t->kind == EG_UNIGRAM) return read_unigram(t, &f, arena, err);
    return unsupported(err, "model.type", f.type, "WordPiece, BPE, Unigram");
}

/* ---- normalizer and pre_tokenizer ---- */

/* Collected first and checked against the model when the whole file has been read. */
typedef struct sections {
    eg_str splitter; /* type of the pre_tokenizer */
    int has_bert_normalizer;
    int prefix_space, splits;
    eg_added_token *added;
    size_t added_count;
    eg_value around; /* post_processor */
} sections;

/* Members of all kinds of normalisers. */
typedef struct normalizer_fields {
    eg_str type, content, map;
    int clean, chinese, accents, lowercase, left, right;
    eg_value pattern, steps;
} normalizer_fields;

/* Base64 (RFC 4648) with padding; returns the bytes written, SIZE_MAX when it is none. to: 3 for
 * each 4 of text. */
static size_t decode_base64(eg_str text, char *to) {
    size_t n = 0, padding = 0;
    if (text.len % 4) return SIZE_MAX;
    while (padding < 2 && padding < text.len && text.ptr[text.len - 1 - padding] == '=') padding++;
    uint32_t bits = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        int v = c >= 'A' && c <= 'Z'   ? c - 'A'
                : c >= 'a' && c <= 'z' ? c - 'a' + 26
                : c >= '0' && c <= '9' ? c - '0' + 52
                : c == '+'             ? 62
                : c == '/'             ? 63
                                       : -1;
        if (v < 0 && i < text.len - padding) return SIZE_MAX;
        bits = bits << 6 | (uint32_t)(v < 0 ? 0 : v);
        if (i % 4 < 3) continue;
        to[n++] = (char)(bits >> 16);
        to[n++] = (char)(bits >> 8);
        to[n++] = (char)bits;
    }
    return n - padding;
}

static eg_status read_charsmap(eg_step *step, eg_str text, eg_arena *arena, eg_error *err) {
    char *bytes = eg_arena_alloc(arena, text.len / 4 * 3);
    if (!bytes) return eg_fail_memory(err, text.len);
    size_t n = decode_base64(text, bytes);
    if (n == SIZE_MAX) return eg_fail(err, EG_EFORMAT, "tokenizer.json: normalizer.precompiled_charsmap is no base64");
    step->kind = EG_STEP_CHARSMAP;
    return eg_charsmap_open(file, (eg_str){bytes, n}, arena, &step->map, err);
}

/* {"String": text} or {"Regex": " {2,}"}. */
static eg_status read_pattern(eg_step *step, const normalizer_fields *f, eg_error *err) {
    eg_str text = {0}, regex = {0};
    const eg_field fields[] = {{"String", EG_FIELD_TEXT, &text}, {"Regex", EG_FIELD_TEXT, &regex}};
    eg_json j = f->pattern.at;
    if (j.kind != EG_JSON_OBJECT || !f->content.ptr) return missing(err, "normalizer: Replace: pattern or content");
    eg_status s = EG_FIELDS_READ(&j, "normalizer.pattern", fields, err);
    if (s != EG_OK) return s;
    if (regex.ptr && !is(regex, " {2,}")) return unsupported(err, "normalizer.pattern.Regex", regex, "' {2,}'");
    if (!regex.ptr && text.len == 0) return missing(err, "normalizer.pattern.String");
    step->kind = regex.ptr ? EG_STEP_SPACES : EG_STEP_REPLACE;
    step->from = text;
    step->to = f->content;
    return EG_OK;
}

static eg_status read_bert_normalizer(eg_tokenizer *t, sections *all, const normalizer_fields *f, eg_error *err) {
    if (f->lowercase < 0) return missing(err, "normalizer.lowercase");
    if (f->clean != 1 || f->chinese != 1 || (f->accents >= 0 && f->accents != f->lowercase))
        return eg_fail(err, EG_EUNSUPPORTED,
                       "tokenizer.json: normalizer: only clean_text and handle_chinese_chars with "
                       "strip_accents as lowercase are supported");
    t->wordpiece.lowercase = f->lowercase;
    all->has_bert_normalizer = 1;
    return EG_OK;
}

static eg_status add_step(eg_tokenizer *t, const normalizer_fields *f, eg_arena *arena, eg_error *err) {
    static const struct {
        const char *type;
        eg_step step;
    } plain[] = {{"Lowercase", {.kind = EG_STEP_LOWER}},
                 {"NFD", {.kind = EG_STEP_FORM}},
                 {"NFC", {.kind = EG_STEP_FORM, .compose = 1}},
                 {"NFKD", {.kind = EG_STEP_FORM, .compatible = 1}},
                 {"NFKC", {.kind = EG_STEP_FORM, .compatible = 1, .compose = 1}}};
    if (t->normalizer.count == EG_MAX_STEPS)
        return eg_fail(err, EG_ELIMIT, "tokenizer.json: normalizer: more than %d steps", EG_MAX_STEPS);
    eg_step *step = &t->normalizer.steps[t->normalizer.count++];
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (!is(f->type, plain[i].type)) continue;
        *step = plain[i].step;
        return EG_OK;
    }
    *step = (eg_step){.kind = EG_STEP_STRIP, .left = f->left, .right = f->right};
    if (is(f->type, "Strip")) return EG_OK;
    if (is(f->type, "Replace")) return read_pattern(step, f, err);
    if (is(f->type, "Precompiled") && f->map.ptr) return read_charsmap(step, f->map, arena, err);
    return unsupported(err, "normalizer.type", f->type,
                       "BertNormalizer, Lowercase, NFC, NFD, NFKC, NFKD, Strip, Replace, Precompiled, Sequence of these");
}

static eg_status read_normalizer(eg_json *j, eg_tokenizer *t, sections *all, int is_inner, eg_arena *arena, eg_error *err);

/* The elements of a Sequence, which must not contain another one. */
static eg_status read_normalizers(const eg_value *list, eg_tokenizer *t, sections *all, eg_arena *arena, eg_error *err) {
    eg_json j = list->at;
    eg_status s = EG_OK;
    if (j.kind != EG_JSON_ARRAY) return missing(err, "normalizer.normalizers");
    for (eg_json_kind k = eg_json_next(&j); s == EG_OK && k != EG_JSON_ARRAY_END; k = eg_json_next(&j)) {
        if (k != EG_JSON_OBJECT) return missing(err, "normalizer.normalizers: an object");
        s = read_normalizer(&j, t, all, 1, arena, err);
    }
    return s;
}

static eg_status read_normalizer(eg_json *j, eg_tokenizer *t, sections *all, int is_inner, eg_arena *arena, eg_error *err) {
    normalizer_fields f = {.clean = -1, .chinese = -1, .accents = -1, .lowercase = -1, .left = 1, .right = 1};
    const eg_field fields[] = {{"type", EG_FIELD_TEXT, &f.type},
                               {"content", EG_FIELD_TEXT, &f.content},
                               {"precompiled_charsmap", EG_FIELD_TEXT, &f.map},
                               {"clean_text", EG_FIELD_FLAG, &f.clean},
                               {"handle_chinese_chars", EG_FIELD_FLAG, &f.chinese},
                               {"strip_accents", EG_FIELD_FLAG, &f.accents},
                               {"lowercase", EG_FIELD_FLAG, &f.lowercase},
                               {"strip_left", EG_FIELD_FLAG, &f.left},
                               {"strip_right", EG_FIELD_FLAG, &f.right},
                               {"pattern", EG_FIELD_ANY, &f.pattern},
                               {"normalizers", EG_FIELD_ANY, &f.steps}};
    eg_status s = EG_FIELDS_READ(j, "normalizer", fields, err);
    if (s != EG_OK) return s;
    if (!f.type.ptr) return missing(err, "normalizer.type");
    if (is(f.type, "BertNormalizer")) return read_bert_normalizer(t, all, &f, err);
    if (is(f.type, "Sequence") && !is_inner) return read_normalizers(&f.steps, t, all, arena, err);
    return add_step(t, &f, arena, err);
}

static eg_status read_splitter(eg_json *j, sections *all, int is_inner, eg_error *err) {
    eg_str type = {0}, replacement = {0}, scheme = {0};
    int prefix_space = 1, use_regex = 1, splits = 1;
    eg_value list = {0};
    const eg_field fields[] = {{"type", EG_FIELD_TEXT, &type},
                               {"replacement", EG_FIELD_TEXT, &replacement},
                               {"prepend_scheme", EG_FIELD_TEXT, &scheme},
                               {"add_prefix_space", EG_FIELD_FLAG, &prefix_space},
                               {"use_regex", EG_FIELD_FLAG, &use_regex},
                               {"split", EG_FIELD_FLAG, &splits},
                               {"pretokenizers", EG_FIELD_ANY, &list}};
    eg_status s = EG_FIELDS_READ(j, "pre_tokenizer", fields, err);
    if (s != EG_OK) return s;
    if (is(type, "Sequence") && !is_inner) { /* of one, which is enough for what is published */
        eg_json inside = list.at;
        if (inside.kind != EG_JSON_ARRAY || list.children != 1 || eg_json_next(&inside) != EG_JSON_OBJECT)
            return unsupported(err, "pre_tokenizer", type, "a Sequence of one");
        return read_splitter(&inside, all, 1, err);
    }
    if (is(type, "Metaspace")) {
        if (!is(replacement, "\xE2\x96\x81")) return unsupported(err, "pre_tokenizer.replacement", replacement, "U+2581");
        if (scheme.ptr && !is(scheme, "always") && !is(scheme, "never"))
            return unsupported(err, "pre_tokenizer.prepend_scheme", scheme, "always, never");
        if (scheme.ptr) prefix_space = is(scheme, "always");
    } else if (is(type, "ByteLevel")) {
        if (!use_regex) return unsupported(err, "pre_tokenizer.use_regex", EG_STR("false"), "true");
    } else if (!is(type, "BertPreTokenizer")) {
        return unsupported(err, "pre_tokenizer.type", type, "BertPreTokenizer, ByteLevel, Metaspace");
    }
    all->splitter = type;
    all->prefix_space = prefix_space;
    all->splits = splits;
    return EG_OK;
}

/* Each kind of model goes with one splitter, and WordPiece with BERT's normaliser alone. */
static eg_status fit_together(eg_tokenizer *t, const sections *all, eg_error *err) {
    static const char *const splitters[] = {
        [EG_WORDPIECE] = "BertPreTokenizer", [EG_BPE] = "ByteLevel", [EG_UNIGRAM] = "Metaspace"};
    if (!all->splitter.ptr) return missing(err, "pre_tokenizer");
    if (!is(all->splitter, splitters[t->kind])) return unsupported(err, "pre_tokenizer.type", all->splitter, splitters[t->kind]);
    if (all->has_bert_normalizer != (t->kind == EG_WORDPIECE) || (t->kind == EG_WORDPIECE && t->normalizer.count))
        return eg_fail(err, EG_EUNSUPPORTED,
                       "tokenizer.json: normalizer: BertNormalizer goes with WordPiece, alone, and with no other model");
    t->bpe.prefix_space = t->unigram.prefix_space = all->prefix_space;
    t->unigram.splits = all->splits;
    return EG_OK;
}

/* ---- added_tokens ---- */

eg_status eg_added_read(eg_json *j, eg_added_token *out, int64_t *id, eg_error *err) {
    int single_word = 0;
    *out = (eg_added_token){0};
    *id = -1;
    const eg_field fields[] = {{"id", EG_FIELD_NUMBER, id},
                               {"content", EG_FIELD_TEXT, &out->text},
                               {"single_word", EG_FIELD_FLAG, &single_word},
                               {"lstrip", EG_FIELD_FLAG, &out->lstrip},
                               {"rstrip", EG_FIELD_FLAG, &out->rstrip},
                               {"normalized", EG_FIELD_FLAG, &out->normalized}};
    eg_status s = EG_FIELDS_READ(j, "added_tokens", fields, err);
    if (s != EG_OK) return s;
    char text[60];
    if (out->text.len == 0) return eg_fail(err, EG_EFORMAT, "%s: added_tokens: content is missing or empty", j->name);
    if (single_word)
        return eg_fail(err, EG_EUNSUPPORTED, "%s: added_tokens: '%s' has single_word; supported: false", j->name,
                       eg_quote(out->text, 40, text, sizeof text));
    return EG_OK;
}

static eg_status read_added(const eg_value *list, sections *all, eg_arena *arena, eg_error *err) {
    eg_json j = list->at;
    if (list->children > MAX_ADDED)
        return eg_fail(err, EG_ELIMIT, "tokenizer.json: %zu added_tokens; at most %d", list->children, MAX_ADDED);
    all->added = eg_arena_array(arena, list->children, sizeof *all->added);
    if (!all->added) return eg_fail_memory(err, list->children * sizeof *all->added);
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_ARRAY_END; k = eg_json_next(&j)) {
        int64_t id;
        eg_added_token *token = &all->added[all->added_count++];
        if (k != EG_JSON_OBJECT) return missing(err, "added_tokens: an object");
        eg_status s = eg_added_read(&j, token, &id, err);
        if (s != EG_OK) return s;
        if (id < 0 || id >= EG_MAX_VOCABULARY) return missing(err, "added_tokens: an id");
        token->id = (uint32_t)id;
    }
    return EG_OK;
}

/* ---- post_processor ---- */

static eg_status put_around(eg_around *a, eg_around_what what, int64_t id, int64_t type, eg_error *err) {
    if (a->count == EG_MAX_AROUND)
        return eg_fail(err, EG_ELIMIT, "tokenizer.json: post_processor: more than %d parts", EG_MAX_AROUND);
    if (id < 0 || id >= EG_MAX_VOCABULARY || type < 0 || type > 255) return missing(err, "post_processor: an id or type_id");
    a->items[a->count++] = (eg_around_item){what, (uint32_t)id, (uint8_t)type};
    return EG_OK;
}

/* The ids that special_tokens gives to a name, at least one, put one after the other. Since each
 * part of a template so puts something, special_tokens is read EG_MAX_AROUND times at most. */
static eg_status put_special(eg_around *a, const eg_value *specials, eg_str name, int64_t type, eg_error *err) {
    eg_json j = specials->at;
    int found = 0;
    if (j.kind != EG_JSON_OBJECT) return missing(err, "post_processor.special_tokens");
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_OBJECT_END; k = eg_json_next(&j)) {
        if (k != EG_JSON_KEY) return EG_EFORMAT;
        int is_it = eg_str_eq(j.text, name);
        eg_value ids = {0};
        const eg_field fields[] = {{"ids", EG_FIELD_ANY, &ids}};
        if (eg_json_next(&j) != EG_JSON_OBJECT) return missing(err, "post_processor.special_tokens: an object");
        eg_status s = EG_FIELDS_READ(&j, "post_processor.special_tokens", fields, err);
        if (s != EG_OK) return s;
        if (!is_it || ids.at.kind != EG_JSON_ARRAY) continue;
        for (k = eg_json_next(&ids.at); k != EG_JSON_ARRAY_END; k = eg_json_next(&ids.at)) {
            found = 1;
            s = put_around(a, EG_AROUND_TOKEN, k == EG_JSON_NUMBER && ids.at.is_integer ? ids.at.integer : -1, type, err);
            if (s != EG_OK) return s;
        }
    }
    return found ? EG_OK : missing(err, "post_processor.special_tokens: a token of the template");
}

/* One part of a template: {"SpecialToken": {"id": name, "type_id": n}} or {"Sequence": {"id": "A"
 * or "B", "type_id": n}}. */
static eg_status read_part(eg_json *j, eg_around *a, const eg_value *specials, eg_error *err) {
    eg_value special = {0}, sequence = {0};
    eg_str name = {0};
    int64_t type = 0;
    const eg_field kinds[] = {{"SpecialToken", EG_FIELD_ANY, &special}, {"Sequence", EG_FIELD_ANY, &sequence}};
    const eg_field fields[] = {{"id", EG_FIELD_TEXT, &name}, {"type_id", EG_FIELD_NUMBER, &type}};
    eg_status s = EG_FIELDS_READ(j, "post_processor.template", kinds, err);
    if (s != EG_OK) return s;
    int is_special = is_there(&special);
    eg_json inside = is_special ? special.at : sequence.at;
    if (inside.kind != EG_JSON_OBJECT) return missing(err, "post_processor: SpecialToken or Sequence");
    s = EG_FIELDS_READ(&inside, "post_processor.template", fields, err);
    if (s != EG_OK) return s;
    if (is_special) return put_special(a, specials, name, type, err);
    if (!is(name, "A") && !is(name, "B")) return unsupported(err, "post_processor: Sequence", name, "A, B");
    return put_around(a, is(name, "A") ? EG_AROUND_FIRST : EG_AROUND_SECOND, 0, type, err);
}

static eg_status read_template(const eg_value *list, const eg_value *specials, eg_around *a, eg_error *err) {
    eg_json j = list->at;
    eg_status s = EG_OK;
    if (j.kind != EG_JSON_ARRAY) return missing(err, "post_processor: single or pair");
    for (eg_json_kind k = eg_json_next(&j); s == EG_OK && k != EG_JSON_ARRAY_END; k = eg_json_next(&j)) {
        if (k != EG_JSON_OBJECT) return missing(err, "post_processor: an object in a template");
        s = read_part(&j, a, specials, err);
    }
    return s;
}

/* ["[SEP]", 102] */
static eg_status read_name_and_id(const eg_value *v, uint32_t *id, eg_error *err) {
    eg_json j = v->at;
    if (j.kind != EG_JSON_ARRAY || eg_json_next(&j) != EG_JSON_STRING || eg_json_next(&j) != EG_JSON_NUMBER || !j.is_integer ||
        j.integer < 0 || j.integer >= EG_MAX_VOCABULARY)
        return missing(err, "post_processor: sep or cls");
    *id = (uint32_t)j.integer;
    return EG_OK;
}

static eg_status read_cls_sep(eg_tokenizer *t, const eg_value *cls, const eg_value *sep, int is_roberta, eg_error *err) {
    uint32_t c, e;
    eg_status s = read_name_and_id(cls, &c, err);
    if (s == EG_OK) s = read_name_and_id(sep, &e, err);
    if (s == EG_OK) eg_tokenizer_set_around(t, c, e, is_roberta);
    return s;
}

static eg_status read_around(const eg_value *section, eg_tokenizer *t, int is_inner, eg_error *err) {
    eg_str type = {0};
    int trims = 1, prefix_space = 1;
    eg_value single = {0}, pair = {0}, specials = {0}, cls = {0}, sep = {0}, list = {0};
    const eg_field fields[] = {{"type", EG_FIELD_TEXT, &type},
                               {"single", EG_FIELD_ANY, &single},
                               {"pair", EG_FIELD_ANY, &pair},
                               {"special_tokens", EG_FIELD_ANY, &specials},
                               {"cls", EG_FIELD_ANY, &cls},
                               {"sep", EG_FIELD_ANY, &sep},
                               {"processors", EG_FIELD_ANY, &list},
                               {"trim_offsets", EG_FIELD_FLAG, &trims},
                               {"add_prefix_space", EG_FIELD_FLAG, &prefix_space}};
    eg_json j = section->at;
    if (j.kind != EG_JSON_OBJECT) return missing(err, "post_processor");
    eg_status s = EG_FIELDS_READ(&j, "post_processor", fields, err);
    if (s != EG_OK) return s;
    /* which does nothing else */
    int is_roberta = is(type, "RobertaProcessing"), is_bytes = is(type, "ByteLevel") && is_inner;
    if (trims && (is_roberta || is_bytes)) {
        if (t->trim_count == EG_MAX_TRIMS)
            return eg_fail(err, EG_ELIMIT, "tokenizer.json: post_processor: trim_offsets more than %d times", EG_MAX_TRIMS);
        t->trims[t->trim_count++] = prefix_space;
    }
    if (is_bytes) return EG_OK;
    if (is_roberta || is(type, "BertProcessing")) return read_cls_sep(t, &cls, &sep, is_roberta, err);
    if (is(type, "TemplateProcessing")) {
        s = read_template(&single, &specials, &t->single, err);
        return s == EG_OK ? read_template(&pair, &specials, &t->pair, err) : s;
    }
    if (!is(type, "Sequence") || is_inner || list.at.kind != EG_JSON_ARRAY)
        return unsupported(err, "post_processor.type", type, "TemplateProcessing, BertProcessing, RobertaProcessing");
    for (eg_json_kind k = eg_json_next(&list.at); s == EG_OK && k != EG_JSON_ARRAY_END; k = eg_json_next(&list.at)) {
        eg_value element = {.at = list.at};
        if (t->single.count) return unsupported(err, "post_processor", type, "one that adds tokens");
        if (!eg_json_skip(&list.at)) return EG_EFORMAT;
        s = read_around(&element, t, 1, err);
    }
    return s;
}

/* ---- the file ---- */

eg_status eg_tokenizer_from_json(eg_str json, eg_arena *arena, const eg_tokenizer **out, eg_error *err) {
    *out = NULL;
    eg_tokenizer *t = eg_arena_alloc(arena, sizeof *t);
    if (!t) return eg_fail_memory(err, sizeof *t);
    eg_json j;
    sections all = {0};
    eg_value added = {0}, normalizer = {0}, splitter = {0};
    eg_reader model = {read_model, t};
    const eg_field fields[] = {{"added_tokens", EG_FIELD_ANY, &added},
                               {"normalizer", EG_FIELD_ANY, &normalizer},
                               {"pre_tokenizer", EG_FIELD_ANY, &splitter},
                               {"post_processor", EG_FIELD_ANY, &all.around},
                               {"model", EG_FIELD_READ, &model}};
    eg_json_init(&j, file, json, arena, err);
    if (eg_json_next(&j) != EG_JSON_OBJECT) {
        eg_json_fail(&j, "an object was expected");
        return EG_EFORMAT;
    }
    eg_status s = EG_FIELDS_READ(&j, "the file", fields, err);
    if (s != EG_OK) return s;
    if (eg_json_next(&j) != EG_JSON_END) return EG_EFORMAT;
    if (!t->kind) return missing(err, "model");
    if (normalizer.at.kind == EG_JSON_OBJECT) s = read_normalizer(&normalizer.at, t, &all, 0, arena, err);
    if (s == EG_OK && splitter.at.kind == EG_JSON_OBJECT) s = read_splitter(&splitter.at, &all, 0, err);
    if (s == EG_OK) s = fit_together(t, &all, err);
    if (s == EG_OK && added.at.kind == EG_JSON_ARRAY) s = read_added(&added, &all, arena, err);
    if (s == EG_OK) s = read_around(&all.around, t, 0, err);
    if (s == EG_OK) s = eg_tokenizer_finish(t, file, all.added, all.added_count, arena, err);
    if (s == EG_OK) *out = t;
    return s;
}
