/* tokenizer_open.c - chooses the files of a folder that make its tokenizer, and reads those other
 * than tokenizer.json. What such files do not say is as in the reference: BertTokenizerFast,
 * RobertaTokenizerFast and DebertaV2TokenizerFast of transformers 4.46. */
#include "core/base/file.h"
#include "core/base/status.h"
#include "core/base/utf8.h"
#include "models/tokenizer/sentencepiece.h"
#include "models/tokenizer/tokenizer_parts.h"

enum { MAX_FILE = 64 << 20, MAX_SPECIALS = 8 };

/* tokenizer_config.json. */
typedef struct settings {
    int lowercase; /* -1: it does not say */
    int prefix_space, trims;
    eg_added_token *added; /* of added_tokens_decoder; NULL: the usual ones */
    size_t added_count;
} settings;

static int is_there(const char *path) { return eg_file_exists(path); }

/* ---- tokenizer_config.json and added_tokens.json ---- */

static const char config_file[] = "tokenizer_config.json";

/* {"0": {"content": "[PAD]", ...}, ...} */
static eg_status read_decoder(const eg_value *decoder, eg_arena *arena, settings *out, eg_error *err) {
    eg_json j = decoder->at;
    if (j.kind != EG_JSON_OBJECT) return EG_OK;
    out->added = eg_arena_array(arena, decoder->children, sizeof *out->added);
    if (!out->added) return eg_fail_memory(err, decoder->children * sizeof *out->added);
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_OBJECT_END; k = eg_json_next(&j)) {
        uint32_t id = 0;
        size_t digits = 0;
        for (; k == EG_JSON_KEY && digits < j.text.len && digits < 8 && j.text.ptr[digits] >= '0' && j.text.ptr[digits] <= '9';
             digits++)
            id = id * 10 + (uint32_t)(j.text.ptr[digits] - '0');
        if (k != EG_JSON_KEY || digits == 0 || digits != j.text.len || id >= EG_MAX_VOCABULARY ||
            eg_json_next(&j) != EG_JSON_OBJECT)
            return eg_fail(err, EG_EFORMAT, "%s: added_tokens_decoder must map ids to objects", config_file);
        int64_t unused;
        eg_status s = eg_added_read(&j, &out->added[out->added_count], &unused, err);
        if (s != EG_OK) return s;
        out->added[out->added_count++].id = id;
    }
    return EG_OK;
}

static eg_status read_config(const char *path, int wants_deberta, eg_arena *arena, settings *out, eg_error *err) {
    *out = (settings){.lowercase = -1, .trims = 1};
    int chinese = 1, accents = -1, by_punctuation = 0;
    eg_str class = {0}, bytes;
    eg_value decoder = {0};
    const eg_field fields[] = {
        {"do_lower_case", EG_FIELD_FLAG, &out->lowercase},   {"add_prefix_space", EG_FIELD_FLAG, &out->prefix_space},
        {"tokenize_chinese_chars", EG_FIELD_FLAG, &chinese}, {"strip_accents", EG_FIELD_FLAG, &accents},
        {"split_by_punct", EG_FIELD_FLAG, &by_punctuation},  {"trim_offsets", EG_FIELD_FLAG, &out->trims},
        {"tokenizer_class", EG_FIELD_TEXT, &class},          {"added_tokens_decoder", EG_FIELD_ANY, &decoder}};
    if (!is_there(path)) return EG_OK;
    eg_status s = eg_file_read(path, MAX_FILE, arena, &bytes, err);
    if (s != EG_OK) return s;
    eg_json j;
    eg_json_init(&j, config_file, bytes, arena, err);
    if (eg_json_next(&j) != EG_JSON_OBJECT) {
        eg_json_fail(&j, "an object was expected");
        return EG_EFORMAT;
    }
    s = EG_FIELDS_READ(&j, "the file", fields, err);
    if (s != EG_OK) return s;
    if (!chinese || by_punctuation || (accents >= 0 && accents != (out->lowercase != 0)))
        return eg_fail(err, EG_EUNSUPPORTED,
                       "%s: supported: tokenize_chinese_chars true, split_by_punct false, strip_accents as do_lower_case",
                       config_file);
    char text[60];
    if (wants_deberta && class.ptr && (class.len < 9 || memcmp(class.ptr, "DebertaV2", 9) != 0))
        return eg_fail(err, EG_EUNSUPPORTED, "%s: tokenizer_class is '%s'; with spm.model DebertaV2Tokenizer is supported",
                       config_file, eg_quote(class, 40, text, sizeof text));
    return read_decoder(&decoder, arena, out, err);
}

/* Every token of added_tokens.json must be known by now: {"[MASK]": 128000}. */
static eg_status check_added_file(const char *path, const eg_tokenizer *t, eg_arena *arena, eg_error *err) {
    eg_str bytes, token = {0};
    if (!is_there(path)) return EG_OK;
    eg_status s = eg_file_read(path, MAX_FILE, arena, &bytes, err);
    if (s != EG_OK) return s;
    eg_json j;
    eg_json_init(&j, "added_tokens.json", bytes, arena, err);
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_END; k = eg_json_next(&j)) {
        if (k == EG_JSON_ERROR) return EG_EFORMAT;
        if (k == EG_JSON_KEY) token = j.text;
        if (k != EG_JSON_NUMBER) continue;
        uint32_t id = UINT32_MAX;
        int known = eg_tokenizer_find(t, token, &id);
        /* one array holds both */
        for (size_t i = 0; !known && i < t->raw.count + t->normalized.count; i++) {
            known = eg_str_eq(t->raw.tokens[i].text, token);
            if (known) id = t->raw.tokens[i].id;
        }
        char text[60];
        if (!known || j.integer != id)
            return eg_fail(err, EG_EUNSUPPORTED,
                           "added_tokens.json: '%s' with the id %lld is no token of the other files; supported with "
                           "tokenizer.json only",
                           eg_quote(token, 40, text, sizeof text), (long long)j.integer);
    }
    return EG_OK;
}

/* ---- vocab.txt ---- */

/* Fills added with those of names that the vocabulary has. */
static size_t find_specials(const eg_tokenizer *t, const char *const *names, size_t n, eg_added_token *added) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        eg_added_token token = {.text = eg_str_of(names[i])};
        if (eg_tokenizer_find(t, token.text, &token.id)) added[count++] = token;
    }
    return count;
}

/* The end of what all kinds here have in common. */
static eg_status finish(eg_tokenizer *t, const char *name, const settings *c, eg_added_token *usual, size_t n, eg_arena *arena,
                        const eg_tokenizer **out, eg_error *err) {
    eg_status s = eg_tokenizer_finish(t, name, c->added ? c->added : usual, c->added ? c->added_count : n, arena, err);
    if (s == EG_OK) *out = t;
    return s;
}

static eg_status no_token(const char *name, const char *token, const char *kind, eg_error *err) {
    return eg_fail(err, EG_EFORMAT, "%s: the vocabulary has no %s: it is no %s vocabulary", name, token, kind);
}

/* The next line of text, without its end; 0 when there is none. */
static int next_line(eg_str *text, eg_str *line) {
    if (text->len == 0) return 0;
    const char *stop = memchr(text->ptr, '\n', text->len);
    size_t n = stop ? (size_t)(stop - text->ptr) : text->len, used = stop ? n + 1 : n;
    *line = (eg_str){text->ptr, n && text->ptr[n - 1] == '\r' ? n - 1 : n};
    *text = (eg_str){text->ptr + used, text->len - used};
    return 1;
}

static size_t count_lines(eg_str text) {
    size_t lines = 0;
    for (eg_str line; next_line(&text, &line);) lines++;
    return lines;
}

static eg_status check_text(const char *name, eg_str bytes, eg_error *err) {
    size_t valid = eg_utf8_valid_prefix(bytes.ptr, bytes.len);
    return valid < bytes.len ? eg_fail(err, EG_EFORMAT, "%s: invalid UTF-8 at byte %zu", name, valid) : EG_OK;
}

static eg_status from_vocab(eg_str vocab, const settings *c, eg_arena *arena, const eg_tokenizer **out, eg_error *err) {
    static const char *const names[] = {"[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"};
    static const char name[] = "vocab.txt";
    eg_tokenizer *t = eg_arena_alloc(arena, sizeof *t);
    if (!t) return eg_fail_memory(err, sizeof *t);
    t->kind = EG_WORDPIECE;
    t->wordpiece.lowercase = c->lowercase != 0;
    eg_status s = check_text(name, vocab, err);
    if (s == EG_OK) s = eg_vocabulary_init(&t->wordpiece.vocabulary, name, count_lines(vocab), arena, err);
    if (s != EG_OK) return s;
    eg_str line;
    for (uint32_t id = 0; next_line(&vocab, &line); id++) eg_wordpiece_add(&t->wordpiece, line, id);
    eg_added_token added[MAX_SPECIALS];
    uint32_t ids[3];
    for (int i = 0; i < 3; i++)
        if (!eg_wordpiece_find(&t->wordpiece, eg_str_of(names[i]), &ids[i])) return no_token(name, names[i], "BERT", err);
    t->wordpiece.unknown = ids[0];
    eg_tokenizer_set_around(t, ids[1], ids[2], 0);
    return finish(t, name, c, added, find_specials(t, names, sizeof names / sizeof *names, added), arena, out, err);
}

/* ---- vocab.json and merges.txt ---- */

static eg_status read_merges(eg_bpe *b, eg_str merges, eg_error *err) {
    eg_str line;
    uint32_t rank = 0;
    eg_status s = EG_OK;
    for (size_t number = 1; s == EG_OK && next_line(&merges, &line); number++) {
        if (line.len >= 8 && memcmp(line.ptr, "#version", 8) == 0) continue;
        if (line.len == 0 && merges.len == 0) break;
        const char *space = line.len ? memchr(line.ptr, ' ', line.len) : NULL;
        size_t left = space ? (size_t)(space - line.ptr) : 0;
        if (!space || memchr(space + 1, ' ', line.len - left - 1))
            return eg_fail(err, EG_EFORMAT, "merges.txt: line %zu: two tokens with a space between were expected", number);
        s = eg_bpe_merge(b, "merges.txt", (eg_str){line.ptr, left}, (eg_str){space + 1, line.len - left - 1}, rank++, err);
    }
    return s;
}

static eg_status from_bpe(eg_str vocab, eg_str merges, const settings *c, eg_arena *arena, const eg_tokenizer **out,
                          eg_error *err) {
    static const char *const names[] = {"<s>", "</s>", "<pad>", "<unk>", "<mask>"};
    enum { NAMES = sizeof names / sizeof *names, BEGIN = 0, END, MASK = NAMES - 1 };
    static const char name[] = "vocab.json";
    eg_tokenizer *t = eg_arena_alloc(arena, sizeof *t);
    if (!t) return eg_fail_memory(err, sizeof *t);
    t->kind = EG_BPE;
    t->bpe.prefix_space = c->prefix_space;
    t->trims[0] = c->prefix_space;
    t->trim_count = c->trims != 0;
    eg_json j;
    eg_value tokens = {0};
    eg_json_init(&j, name, vocab, arena, err);
    if (eg_json_next(&j) != EG_JSON_OBJECT) {
        eg_json_fail(&j, "an object was expected");
        return EG_EFORMAT;
    }
    tokens.at = j;
    while (eg_json_next(&j) != EG_JSON_END) {
        if (j.kind == EG_JSON_ERROR) return EG_EFORMAT;
        tokens.children += j.kind == EG_JSON_KEY;
    }
    eg_status s = check_text("merges.txt", merges, err);
    if (s == EG_OK) s = eg_vocabulary_read(t, &tokens, count_lines(merges), arena, err);
    if (s == EG_OK) s = read_merges(&t->bpe, merges, err);
    if (s == EG_OK) s = eg_bpe_finish(&t->bpe, name, (eg_str){0}, arena, err);
    if (s != EG_OK) return s;
    eg_added_token added[MAX_SPECIALS];
    for (int i = 0; i < NAMES; i++)
        if (!find_specials(t, &names[i], 1, &added[i])) return no_token(name, names[i], "RoBERTa", err);
    added[MASK].lstrip = 1;
    eg_tokenizer_set_around(t, added[BEGIN].id, added[END].id, 1);
    return finish(t, name, c, added, NAMES, arena, out, err);
}

/* ---- spm.model ---- */

/* Control and user-defined pieces, then the usual special tokens; [MASK] comes behind the pieces
 * where it is none. */
static eg_status deberta_tokens(eg_tokenizer *t, const eg_sentencepiece *m, eg_arena *arena, eg_added_token **added, size_t *n,
                                eg_error *err) {
    static const char *const names[] = {"[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]"};
    enum { NAMES = sizeof names / sizeof *names, MASK = NAMES - 1, UNKNOWN = 3 };
    eg_added_token *list = eg_arena_array(arena, (size_t)m->count + NAMES, sizeof *list);
    if (!list) return eg_fail_memory(err, m->count * sizeof *list);
    *n = 0;
    for (uint32_t id = 0; id < m->count; id++)
        if (m->types[id] == EG_SP_CONTROL || m->types[id] == EG_SP_USER)
            list[(*n)++] = (eg_added_token){.text = m->pieces[id], .id = id};
    uint32_t ids[NAMES];
    for (int i = 0; i < NAMES; i++) {
        eg_added_token token = {.text = eg_str_of(names[i]), .id = m->count, .normalized = i == UNKNOWN};
        if (!eg_unigram_find(&t->unigram, token.text, &token.id) && i != MASK)
            return no_token("spm.model", names[i], "DeBERTa", err);
        ids[i] = token.id;
        if (token.id == m->count || (m->types[token.id] != EG_SP_CONTROL && m->types[token.id] != EG_SP_USER))
            list[(*n)++] = token;
    }
    eg_tokenizer_set_around(t, ids[0], ids[1], 0);
    *added = list;
    return EG_OK;
}

static eg_status from_spm(eg_str model, const settings *c, eg_arena *arena, const eg_tokenizer **out, eg_error *err) {
    static const char name[] = "spm.model";
    eg_sentencepiece m;
    eg_tokenizer *t = eg_arena_alloc(arena, sizeof *t);
    if (!t) return eg_fail_memory(err, sizeof *t);
    eg_status s = eg_sentencepiece_parse(model, arena, &m, err);
    if (s != EG_OK) return s;
    t->kind = EG_UNIGRAM;
    t->unigram = (eg_unigram){
        .pieces = m.pieces, .scores = m.scores, .count = m.count, .unknown = m.unknown, .prefix_space = 1, .splits = 1};
    eg_normalizer *z = &t->normalizer;
    if (c->lowercase == 1) z->steps[z->count++] = (eg_step){.kind = EG_STEP_LOWER};
    z->steps[z->count++] = (eg_step){.kind = EG_STEP_STRIP, .left = 1, .right = 1};
    if (m.charsmap.len) {
        eg_step *step = &z->steps[z->count++];
        step->kind = EG_STEP_CHARSMAP;
        s = eg_charsmap_open(name, m.charsmap, arena, &step->map, err);
    }
    z->steps[z->count++] = (eg_step){.kind = EG_STEP_SPACES, .to = EG_STR(" ")};
    if (s == EG_OK) s = eg_unigram_finish(&t->unigram, name, arena, err);
    eg_added_token *added = NULL;
    size_t n = 0;
    if (s == EG_OK) s = deberta_tokens(t, &m, arena, &added, &n, err);
    return s == EG_OK ? finish(t, name, c, added, n, arena, out, err) : s;
}

/* ---- folders ---- */

eg_status eg_tokenizer_from_vocab(eg_str vocab, int lowercase, eg_arena *arena, const eg_tokenizer **out, eg_error *err) {
    *out = NULL;
    return from_vocab(vocab, &(settings){.lowercase = lowercase}, arena, out, err);
}

eg_status eg_tokenizer_from_bpe(eg_str vocab, eg_str merges, int prefix_space, eg_arena *arena, const eg_tokenizer **out,
                                eg_error *err) {
    *out = NULL;
    return from_bpe(vocab, merges, &(settings){.prefix_space = prefix_space, .trims = 1}, arena, out, err);
}

eg_status eg_tokenizer_from_spm(eg_str model, int lowercase, eg_arena *arena, const eg_tokenizer **out, eg_error *err) {
    *out = NULL;
    return from_spm(model, &(settings){.lowercase = lowercase}, arena, out, err);
}

eg_status eg_tokenizer_open(const char *dir, eg_arena *arena, const eg_tokenizer **out, eg_error *err) {
    enum { JSON, SPM, BPE, MERGES, VOCAB, CONFIG, ADDED, FILES };
    static const char *const names[FILES] = {"tokenizer.json", "spm.model", "vocab.json",       "merges.txt",
                                             "vocab.txt",      config_file, "added_tokens.json"};
    char *paths[FILES];
    *out = NULL;
    for (int i = 0; i < FILES; i++)
        if (!(paths[i] = eg_arena_printf(arena, "%s/%s", dir, names[i]))) return eg_fail_memory(err, strlen(dir) + 32);
    int kind = is_there(paths[JSON]) ? JSON : is_there(paths[SPM]) ? SPM : is_there(paths[BPE]) ? BPE : VOCAB;
    if (kind == VOCAB && !is_there(paths[VOCAB]))
        return eg_fail(err, EG_ENOENT,
                       "'%s' has no tokenizer: neither tokenizer.json nor vocab.txt, vocab.json with merges.txt, or spm.model",
                       dir);
    eg_str bytes, merges;
    settings c;
    eg_status s = eg_file_read(paths[kind], MAX_FILE, arena, &bytes, err);
    if (s != EG_OK) return s;
    if (kind == JSON) return eg_tokenizer_from_json(bytes, arena, out, err);
    s = read_config(paths[CONFIG], kind == SPM, arena, &c, err);
    if (s == EG_OK && kind == BPE) s = eg_file_read(paths[MERGES], MAX_FILE, arena, &merges, err);
    if (s != EG_OK) return s;
    s = kind == SPM   ? from_spm(bytes, &c, arena, out, err)
        : kind == BPE ? from_bpe(bytes, merges, &c, arena, out, err)
                      : from_vocab(bytes, &c, arena, out, err);
    if (s == EG_OK) s = check_added_file(paths[ADDED], *out, arena, err);
    if (s != EG_OK) *out = NULL;
    return s;
}
