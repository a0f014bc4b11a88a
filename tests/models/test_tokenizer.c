/* test_tokenizer.c - the tokenizers against the reference's answers: texts, truncated pairs, every
 * code point. WordPiece with the vocabulary that ships (golden/tokenizer.jsonl, made by
 * tools/train/make_tokenizer_golden.py), the others with small ones (golden/tokenizers, made by
 * tools/train/make_small_tokenizers.py). And files that are malformed or need what we do not
 * support. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/utf8.h"
#include "models/tokenizer/bpe.h"
#include "models/tokenizer/tokenizer.h"

enum { MAX_IDS = 4096 };

/* One line of the golden file. */
typedef struct answer {
    eg_str text, first, second;
    int64_t most, block, shift, hash;          /* a block has 2 to the power of shift code points */
    uint32_t ids[MAX_IDS], spans[2 * MAX_IDS]; /* spans: begin and end of each, in bytes of its
                                                * text */
    size_t count, places;
} answer;

static void read_answer(eg_str line, eg_arena *arena, answer *a) {
    eg_json j;
    eg_error err = {0};
    eg_str key = {0};
    memset(a, 0, sizeof *a);
    a->block = -1;
    a->shift = 8;
    eg_json_init(&j, "tokenizer.jsonl", line, arena, &err);
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_END; k = eg_json_next(&j)) {
        if (k == EG_JSON_ERROR) fail_msg("%s", err.text);
        if (k == EG_JSON_KEY) key = j.text;
        if (k == EG_JSON_STRING) *(key.ptr[0] == 't' ? &a->text : key.ptr[0] == 'f' ? &a->first : &a->second) = j.text;
        if (k != EG_JSON_NUMBER) continue;
        if (j.depth == 2 && key.ptr[0] == 's') a->spans[a->places++] = (uint32_t)j.integer;
        else if (j.depth == 2) a->ids[a->count++] = (uint32_t)j.integer;
        else
            *(key.ptr[0] == 'm'   ? &a->most
              : key.ptr[0] == 'b' ? &a->block
              : key.ptr[0] == 's' ? &a->shift
                                  : &a->hash) = j.integer;
    }
}

/* FNV-1a over the ids of each code point between letters; in the larger blocks it also stands
 * before an accent. */
static uint32_t block_hash(const eg_tokenizer *w, const answer *a) {
    uint32_t h = 2166136261u;
    eg_tokens words = {0}, ids = {0};
    for (uint32_t cp = (uint32_t)(a->block << a->shift); cp < (uint32_t)((a->block + 1) << a->shift); cp++) {
        char c[5] = "", text[20];
        size_t n = eg_utf8_encode(cp, c);
        if (n == 0) continue; /* a surrogate */
        size_t length = n + 2;
        memcpy(text, "a", 1);
        memcpy(text + 1, c, n);
        memcpy(text + 1 + n, "b ", 2);
        if (a->shift != 8) {
            memcpy(text + 3 + n, c, n);
            memcpy(text + 3 + 2 * n, "\xCC\x81", 2);
            length = 5 + 2 * n;
        }
        words.count = ids.count = 0;
        assert_int_equal(eg_tokenizer_encode(w, (eg_str){text, length}, &words, NULL), EG_OK);
        assert_int_equal(eg_tokenizer_join(w, &words, NULL, 512, &ids, NULL, NULL), EG_OK);
        for (size_t i = 0; i < ids.count; i++)
            for (int shift = 0; shift < 32; shift += 8) h = (h ^ (ids.ids[i] >> shift & 255)) * 16777619u;
    }
    eg_tokens_release(&words);
    eg_tokens_release(&ids);
    return h;
}

/* Where so many tokens are enough, they are the first ones of all. */
static void check_beginning(const eg_tokenizer *w, eg_str text, const eg_tokens *whole) {
    for (size_t most = 1; most < whole->count; most += 1 + most / 2) {
        eg_tokens part = {.has_sources = whole->has_sources, .most = most};
        assert_int_equal(eg_tokenizer_encode(w, text, &part, NULL), EG_OK);
        assert_true(part.count >= most);
        assert_memory_equal(part.ids, whole->ids, most * sizeof *part.ids);
        for (size_t i = 0; part.has_sources && i < most; i++) {
            assert_int_equal(part.sources[i].span.begin, whole->sources[i].span.begin);
            assert_int_equal(part.sources[i].span.end, whole->sources[i].span.end);
        }
        eg_tokens_release(&part);
    }
}

/* With has_sources the spans are compared too; the tokens must be the same either way. */
static void check_ids(const eg_tokenizer *w, const answer *a, int has_sources) {
    int is_pair = a->first.ptr != NULL;
    eg_tokens first = {.has_sources = has_sources}, second = first, ids = first;
    assert_int_equal(eg_tokenizer_encode(w, is_pair ? a->first : a->text, &first, NULL), EG_OK);
    if (is_pair) assert_int_equal(eg_tokenizer_encode(w, a->second, &second, NULL), EG_OK);
    check_beginning(w, is_pair ? a->first : a->text, &first);
    assert_int_equal(
        eg_tokenizer_join(w, &first, is_pair ? &second : NULL, is_pair ? (size_t)a->most : MAX_IDS, &ids, NULL, NULL), EG_OK);
    if (ids.count != a->count || (a->count && memcmp(ids.ids, a->ids, a->count * sizeof *a->ids) != 0))
        fail_msg("'%.*s': %zu tokens, the reference has %zu", (int)(is_pair ? a->first.len : a->text.len),
                 is_pair ? a->first.ptr : a->text.ptr, ids.count, a->count);
    assert_int_equal(a->places, 2 * a->count);
    for (size_t i = 0; has_sources && i < ids.count; i++) {
        eg_range span = ids.sources[i].span;
        if (span.begin != a->spans[2 * i] || span.end != a->spans[2 * i + 1])
            fail_msg("'%.*s': token %zu is from [%zu, %zu), the reference says [%u, %u)",
                     (int)(is_pair ? a->first.len : a->text.len), is_pair ? a->first.ptr : a->text.ptr, i, span.begin, span.end,
                     a->spans[2 * i], a->spans[2 * i + 1]);
    }
    eg_tokens_release(&first);
    eg_tokens_release(&second);
    eg_tokens_release(&ids);
}

/* The tokenizer of a folder against the lines of a golden file, of which so many must be texts or
 * pairs and blocks. */
static void check_folder(const char *folder, const char *golden_file, size_t texts, size_t least_blocks) {
    static answer a;
    eg_arena arena;
    eg_error err = {0};
    const eg_tokenizer *w;
    eg_str golden;
    size_t lines = 0, blocks = 0;
    eg_arena_init(&arena, 0);
    if (eg_tokenizer_open(folder, &arena, &w, &err) != EG_OK) fail_msg("%s: %s", folder, err.text);
    if (eg_file_read(golden_file, 1 << 24, &arena, &golden, &err) != EG_OK) fail_msg("%s", err.text);
    while (golden.len) {
        const char *end = memchr(golden.ptr, '\n', golden.len);
        assert_non_null(end);
        read_answer((eg_str){golden.ptr, (size_t)(end - golden.ptr)}, &arena, &a);
        for (int has_sources = 0; a.block < 0 && has_sources <= 1; has_sources++) check_ids(w, &a, has_sources);
        if (a.block >= 0 && block_hash(w, &a) != (uint32_t)a.hash)
            fail_msg("%s: code points from %llX on differ from the reference", folder, (unsigned long long)(a.block << a.shift));
        blocks += a.block >= 0;
        lines++;
        golden = (eg_str){end + 1, golden.len - (size_t)(end + 1 - golden.ptr)};
    }
    assert_true(lines - blocks == texts && blocks >= least_blocks);
    eg_arena_release(&arena);
}

static void equals_the_reference(void **state) {
    (void)state;
    check_folder(WEIGHTS "/engram-embed-0", GOLDEN "/tokenizer.jsonl", 360, 801);
    static const char *const folders[] = {"bpe-files", "bpe-json", "unigram-spm", "unigram-json"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char folder[512], golden[600];
        snprintf(folder, sizeof folder, "%s/tokenizers/%s", GOLDEN, folders[i]);
        snprintf(golden, sizeof golden, "%s/expected.jsonl", folder);
        check_folder(folder, golden, 180, 65);
    }
}

/* Types of a pair, and of what they are one more than the greatest. */
static void pairs_have_their_types(void **state) {
    (void)state;
    static const struct {
        const char *folder;
        uint32_t types, around;
        uint8_t wanted[6];
    } table[] = {{WEIGHTS "/engram-embed-0", 2, 3, {0, 0, 0, 1, 1}},
                 {GOLDEN "/tokenizers/bpe-files", 1, 4, {0, 0, 0, 0, 0, 0}},
                 {GOLDEN "/tokenizers/unigram-spm", 2, 3, {0, 0, 0, 1, 1}}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        eg_arena arena;
        eg_error err = {0};
        const eg_tokenizer *t;
        uint32_t one = 7;
        eg_tokens text = {.ids = &one, .count = 1, .capacity = 1}, ids = {0};
        uint8_t types[8];
        eg_arena_init(&arena, 0);
        assert_int_equal(eg_tokenizer_open(table[i].folder, &arena, &t, &err), EG_OK);
        assert_int_equal(eg_tokenizer_types(t, 1), table[i].types);
        assert_int_equal(eg_tokenizer_types(t, 0), 1);
        assert_int_equal(eg_tokenizer_join(t, &text, &text, 8, &ids, types, &err), EG_OK);
        assert_int_equal(ids.count, table[i].around + 2);
        assert_memory_equal(types, table[i].wanted, ids.count);
        assert_int_equal(eg_tokenizer_join(t, &text, &text, table[i].around, &ids, types, &err), EG_EINVAL);
        assert_non_null(strstr(err.text, "no room"));
        eg_tokens_release(&ids);
        eg_arena_release(&arena);
    }
}

/* The small files that fuzzing begins from: one of each kind, as the published ones are. */
static void fuzz_seeds_are_taken(void **state) {
    (void)state;
    static const struct {
        const char *file;
        size_t count;
        uint32_t ids[8]; /* of the text below */
    } table[] = {{SEEDS "/wordpiece.tokenizer.json", 4, {4, 5, 6, 9}},
                 {SEEDS "/bpe.tokenizer.json", 7, {8, 5, 6, 1, 3, 1, 9}},
                 {SEEDS "/unigram.tokenizer.json", 4, {5, 4, 3, 8}},
                 {SEEDS "/deberta.spm", 8, {6, 5, 8, 9, 5, 3, 9, 3}},
                 {SEEDS "/roberta.bpe", 3, {12, 11, 4}}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        eg_arena arena;
        eg_error err = {0};
        eg_str bytes;
        eg_tokens ids = {0};
        const eg_tokenizer *t = NULL;
        eg_arena_init(&arena, 0);
        assert_int_equal(eg_file_read(table[i].file, 1 << 16, &arena, &bytes, &err), EG_OK);
        const char *nul = strstr(table[i].file, ".bpe") ? memchr(bytes.ptr, 0, bytes.len) : NULL;
        size_t vocab = nul ? (size_t)(nul - bytes.ptr) : bytes.len;
        eg_str merges = {nul ? nul + 1 : NULL, nul ? bytes.len - vocab - 1 : 0};
        eg_status s = nul ? eg_tokenizer_from_bpe((eg_str){bytes.ptr, vocab}, merges, 1, &arena, &t, &err)
                      : strstr(table[i].file, ".spm") ? eg_tokenizer_from_spm(bytes, 1, &arena, &t, &err)
                                                      : eg_tokenizer_from_json(bytes, &arena, &t, &err);
        if (s == EG_OK) s = eg_tokenizer_encode(t, EG_STR("the limits <mask>"), &ids, &err);
        if (s != EG_OK) fail_msg("%s: %s", table[i].file, err.text);
        if (ids.count != table[i].count || memcmp(ids.ids, table[i].ids, ids.count * sizeof *ids.ids) != 0)
            fail_msg("%s: %zu other ids", table[i].file, ids.count);
        eg_tokens_release(&ids);
        eg_arena_release(&arena);
    }
}

/* ---- what is refused ---- */

#define WORDS "\"vocab\":{\"[UNK]\":0,\"[CLS]\":1,\"[SEP]\":2,\"a\":3}"
#define BERT "\"normalizer\":{\"type\":\"BertNormalizer\",\"clean_text\":true,\"handle_chinese_chars\":true,\"lowercase\":true}"
#define SPLIT "\"pre_tokenizer\":{\"type\":\"BertPreTokenizer\"}"
#define AROUND "\"post_processor\":{\"type\":\"BertProcessing\",\"cls\":[\"[CLS]\",1],\"sep\":[\"[SEP]\",2]}"
#define PIECES "\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[[\"<unk>\",0],[\"a\",-1.5],[\"[SEP]\",-2]]"
#define META "\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"\xE2\x96\x81\"}"
#define BYTES "\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":1,\"ab\":2},\"merges\":[\"a b\"]"
#define LEVEL "\"pre_tokenizer\":{\"type\":\"ByteLevel\"}"
#define BPE_REST LEVEL "," AROUND
#define UNIGRAM_REST META "," AROUND

/* tokenizer.json: what it holds, and what the refusal names; NULL: it is taken. */
static const struct {
    const char *json, *says;
} json_table[] = {
    {"", "too early"},
    {"[]", "an object was expected"},
    {"{", "too early"},
    {"{}", "model is missing"},
    {"{\"model\":{" WORDS "}," BERT "," SPLIT "," AROUND "}", NULL},
    {"{\"model\":{" WORDS "}," BERT "," SPLIT "," AROUND "}x", "bytes after the end"},
    {"{\"model\":{" WORDS "},\"model\":{" WORDS "}}", "model occurs twice"},
    {"{\"model\":{\"type\":\"WordLevel\"," WORDS "}}", "model.type is 'WordLevel'"},
    {"{\"model\":{\"type\":7}}", "model.type must be a string"},
    {"{\"model\":{\"vocab\":{\"a\":-1}}}", "an id below"},
    {"{\"model\":{\"vocab\":{\"a\":99999999}}}", "an id below"},
    {"{\"model\":{\"vocab\":{\"a\":\"b\"}}}", "an id below"},
    {"{\"model\":{\"vocab\":{\"a\":[]}}}", "an id below"},
    {"{\"model\":{\"vocab\":{\"a\":0}}}", "lacks model.unk_token"},
    {"{\"model\":{\"type\":\"WordPiece\"}}", "model.vocab is missing"},
    {"{\"model\":{\"continuing_subword_prefix\":\"@@\"," WORDS "}}", "continuing_subword_prefix is '@@'"},
    {"{\"model\":{\"max_input_chars_per_word\":5," WORDS "}}", "max_input_chars_per_word is 5"},
    {"{\"model\":{" WORDS "}," BERT "," AROUND "}", "pre_tokenizer is missing"},
    {"{\"model\":{" WORDS "}," SPLIT "," AROUND "}", "BertNormalizer goes with WordPiece"},
    {"{\"model\":{" WORDS "}," BERT "," LEVEL "," AROUND "}", "pre_tokenizer.type is 'ByteLevel'"},
    {"{\"model\":{" WORDS "}," BERT "," SPLIT "}", "post_processor is missing"},
    {"{\"model\":{" WORDS "},\"normalizer\":{\"type\":\"BertNormalizer\",\"clean_text\":false,\"lowercase\":true}}",
     "clean_text"},
    {"{\"model\":{" WORDS "},\"normalizer\":{\"type\":\"Nmt\"}}", "normalizer.type is 'Nmt'"},
    {"{\"model\":{" WORDS "}," BERT ",\"pre_tokenizer\":{\"type\":\"Whitespace\"}}", "pre_tokenizer.type is 'Whitespace'"},
    {"{\"model\":{" WORDS "}," BERT ",\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[]}}", "a Sequence of one"},
    {"{\"model\":{" WORDS "}," BERT "," SPLIT "," AROUND ",\"added_tokens\":[{\"id\":9,\"content\":\"<x>\"}]}",
     "'<x>' has the id 9"},
    {"{\"model\":{" WORDS "}," BERT "," SPLIT "," AROUND ",\"added_tokens\":[{\"id\":2,\"content\":\"a\"}]}",
     "the vocabulary gives it 3"},
    {"{\"model\":{" WORDS "}," BERT "," SPLIT "," AROUND ",\"added_tokens\":[{\"id\":4,\"content\":\"x\",\"single_word\":true}]}",
     "single_word"},
    {"{\"model\":{" WORDS "}," BERT "," SPLIT "," AROUND ",\"added_tokens\":[{\"id\":4,\"content\":\"x\",\"normalized\":true}]}",
     "normalized"},
    {"{\"model\":{" WORDS "}," BERT "," SPLIT "," AROUND ",\"added_tokens\":[{\"id\":4,\"content\":\"\"}]}",
     "content is missing or empty"},
    {"{\"model\":{" WORDS "}," BERT "," SPLIT
     ",\"post_processor\":{\"type\":\"BertProcessing\",\"cls\":[\"x\",99],\"sep\":[\"y\",2]}}",
     "special token 99"},
    {"{\"model\":{" WORDS "}," BERT "," SPLIT ",\"post_processor\":{\"type\":\"BertProcessing\"}}", "sep or cls"},
    {"{\"model\":{" WORDS "}," BERT "," SPLIT ",\"post_processor\":{\"type\":\"ByteLevel\"}}",
     "post_processor.type is 'ByteLevel'"},
    {"{\"model\":{" WORDS "}," BERT "," SPLIT ",\"post_processor\":{\"type\":\"TemplateProcessing\",\"single\":[],\"pair\":[]}}",
     "hold each text once"},
    {"{\"model\":{" WORDS "}," BERT "," SPLIT
     ",\"post_processor\":{\"type\":\"TemplateProcessing\",\"special_tokens\":{},\"single\":["
     "{\"SpecialToken\":{\"id\":\"[CLS]\",\"type_id\":0}}],\"pair\":[]}}",
     "special_tokens: a token of the template"},
    {"{\"model\":{" WORDS "}," BERT "," SPLIT
     ",\"post_processor\":{\"type\":\"TemplateProcessing\",\"special_tokens\":{\"[CLS]\":{\"ids\":[]}},\"single\":["
     "{\"SpecialToken\":{\"id\":\"[CLS]\",\"type_id\":0}}],\"pair\":[]}}",
     "special_tokens: a token of the template"},
    {"{\"model\":{" BYTES "}," BPE_REST "}", NULL},
    {"{\"model\":{" BYTES "},\"normalizer\":null," BPE_REST "}", NULL},
    {"{\"model\":{" BYTES
     "},\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"NFC\"},{\"type\":\"Lowercase\"}]}," BPE_REST "}",
     NULL},
    {"{\"model\":{" BYTES "},\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"Sequence\"}]}," BPE_REST "}",
     "normalizer.type is 'Sequence'"},
    {"{\"model\":{" BYTES "},\"normalizer\":{\"type\":\"Replace\",\"pattern\":{\"Regex\":\"\\\\s+\"},\"content\":\"\"}," BPE_REST
     "}",
     "pattern.Regex is '\\s+'"},
    {"{\"model\":{" BYTES "},\"normalizer\":{\"type\":\"Replace\",\"pattern\":{\"String\":\"\"},\"content\":\"\"}," BPE_REST "}",
     "pattern.String is missing"},
    {"{\"model\":{" BYTES "},\"normalizer\":{\"type\":\"Precompiled\",\"precompiled_charsmap\":\"A===\"}," BPE_REST "}",
     "is no base64"},
    {"{\"model\":{" BYTES "},\"normalizer\":{\"type\":\"Precompiled\",\"precompiled_charsmap\":\"/////w==\"}," BPE_REST "}",
     "its array does not fit"},
    {"{\"model\":{" BYTES "}," BERT "," BPE_REST "}", "BertNormalizer goes with WordPiece"},
    {"{\"model\":{" BYTES "}," META "," AROUND "}", "pre_tokenizer.type is 'Metaspace'"},
    {"{\"model\":{" BYTES "},\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"use_regex\":false}," AROUND "}", "use_regex is 'false'"},
    {"{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[\"a b\"]}}", "merge 1: 'b' is no token"},
    {"{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":1},\"merges\":[\"a b\"]}}", "merge 1: 'ab' is no token"},
    {"{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[\"a\"]}}", "two tokens were expected"},
    {"{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[[\"a\",\"a\",\"a\"]]}}", "two tokens were expected"},
    {"{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0}}}", "model.merges is missing"},
    {"{\"model\":{\"unk_token\":\"?\"," BYTES "}," BPE_REST "}", "lacks its unk_token"},
    {"{\"model\":{\"dropout\":0.1," BYTES "}}", "model.dropout is 'set'"},
    {"{\"model\":{\"byte_fallback\":true," BYTES "}}", "model.byte_fallback"},
    {"{\"model\":{\"ignore_merges\":true," BYTES "}}", "model.ignore_merges"},
    {"{\"model\":{\"end_of_word_suffix\":\"</w>\"," BYTES "}}", "end_of_word_suffix is '</w>'"},
    {"{\"model\":{" PIECES "}," UNIGRAM_REST "}", NULL},
    {"{\"model\":{\"type\":\"Unigram\",\"unk_id\":null,\"vocab\":[[\"a\",0]]}}", "model.unk_id"},
    {"{\"model\":{\"type\":\"Unigram\",\"unk_id\":4,\"vocab\":[[\"a\",0]]}}", "the id of the unknown token, 4"},
    {"{\"model\":{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[[\"a\"]]}}", "a piece and its score were expected"},
    {"{\"model\":{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[[\"\",1]]}}", "piece 0 is empty"},
    {"{\"model\":{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[[\"a\",1e999]]}}", "the score of piece 0"},
    {"{\"model\":{" PIECES "},\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"_\"}," AROUND "}",
     "replacement is '_'"},
    {"{\"model\":{" PIECES
     "},\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"\xE2\x96\x81\",\"prepend_scheme\":\"first\"}," AROUND "}",
     "prepend_scheme is 'first'"},
};

static void check_refusal(size_t number, eg_status s, const eg_error *err, const eg_tokenizer *t, const char *file,
                          const char *says) {
    if (!says && s != EG_OK) fail_msg("case %zu: %s", number, err->text);
    if (!says) return;
    if (s == EG_OK || t) fail_msg("case %zu was taken, it should say: %s", number, says);
    if (s != err->code || !strstr(err->text, says) || !strstr(err->text, file))
        fail_msg("case %zu: '%s' does not say '%s'", number, err->text, says);
}

static void broken_json_is_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof json_table / sizeof *json_table; i++) {
        eg_arena arena;
        eg_error err = {0};
        const eg_tokenizer *t;
        eg_arena_init(&arena, 0);
        eg_status s = eg_tokenizer_from_json(eg_str_of(json_table[i].json), &arena, &t, &err);
        check_refusal(i, s, &err, t, "tokenizer.json", json_table[i].says);
        eg_arena_release(&arena);
    }
}

#define ROBERTA "{\"<s>\":0,\"</s>\":1,\"<pad>\":2,\"<unk>\":3,\"<mask>\":4,\"a\":5,\"b\":6,\"ab\":7}"

static void broken_files_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *vocab, *merges, *file, *says;
    } table[] = {{ROBERTA, "#version: 0.2\na b\n", "", NULL},
                 {ROBERTA, "", "", NULL},
                 {ROBERTA, "ab\n", "merges.txt", "line 1: two tokens"},
                 {ROBERTA, "#version: 0.2\na b c\n", "merges.txt", "line 2: two tokens"},
                 {ROBERTA, "a x\n", "merges.txt", "merge 1: 'x' is no token"},
                 {ROBERTA, "a \xFF\n", "merges.txt", "invalid UTF-8 at byte 2"},
                 {"[]", "", "vocab.json", "an object was expected"},
                 {"{\"a\":0", "", "vocab.json", "too early"},
                 {"{\"a\":{}}", "", "vocab.json", "an id below"},
                 {"{\"a\":0}", "", "vocab.json", "has no <s>: it is no RoBERTa vocabulary"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        eg_arena arena;
        eg_error err = {0};
        const eg_tokenizer *t;
        eg_arena_init(&arena, 0);
        eg_status s = eg_tokenizer_from_bpe(eg_str_of(table[i].vocab), eg_str_of(table[i].merges), 0, &arena, &t, &err);
        check_refusal(i, s, &err, t, table[i].file, table[i].says);
        if (table[i].says) { /* the same as a vocab.txt is no BERT vocabulary */
            assert_int_equal(eg_tokenizer_from_vocab(eg_str_of(table[i].vocab), 1, &arena, &t, &err), EG_EFORMAT);
            assert_non_null(strstr(err.text, "vocab.txt: the vocabulary has no [UNK]"));
        }
        eg_arena_release(&arena);
    }
}

/* Makes the last byte of `from`, where it first stands in the model, another one. */
static void patch(char *model, size_t n, const char *from, size_t from_bytes, char to) {
    char *at = memmem(model, n, from, from_bytes);
    assert_non_null(at);
    at[from_bytes - 1] = to;
}

static void broken_sentencepiece_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *from; /* its last byte becomes `to` */
        size_t bytes;
        char to;
        const char *says;
    } table[] = {{"[CLS]", 5, 'x', "has no [CLS]: it is no DeBERTa vocabulary"},
                 {"[UNK]", 5, '\xFF', "piece 3 is not valid UTF-8"}};
    eg_arena arena;
    eg_error err = {0};
    eg_str model;
    const eg_tokenizer *t;
    eg_arena_init(&arena, 0);
    assert_int_equal(eg_file_read(GOLDEN "/tokenizers/unigram-spm/spm.model", 1 << 20, &arena, &model, &err), EG_OK);
    size_t refused = 0, cuts = 0;
    for (size_t n = 0; n < model.len;
         /* cut off anywhere; between two pieces it is a smaller model */
         n += n < 64 ? 1 : 61,
                cuts++) {
        if (eg_tokenizer_from_spm((eg_str){model.ptr, n}, 0, &arena, &t, &err) == EG_OK) continue;
        refused++;
        if (!strstr(err.text, "spm.model")) fail_msg("%zu bytes: '%s'", n, err.text);
        assert_null(t);
    }
    assert_true(refused > cuts * 8 / 10);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char *copy = eg_arena_copy(&arena, model);
        patch(copy, model.len, table[i].from, table[i].bytes, table[i].to);
        check_refusal(i, eg_tokenizer_from_spm((eg_str){copy, model.len}, 0, &arena, &t, &err), &err, t, "spm.model",
                      table[i].says);
    }
    /* settings: trainer_spec (2) with model_type BPE (3: 2), normalizer_spec (3) without the prefix
     * (3: 0) */
    static const struct {
        const char bytes[4];
        const char *says;
    } settings[] = {{{0x12, 2, 0x18, 2}, "model_type is not UNIGRAM"},
                    {{0x1A, 2, 0x18, 0}, "add_dummy_prefix is false"},
                    {{0x1A, 2, 0x20, 0}, "remove_extra_whitespaces is false"},
                    {{0x1A, 2, 0x28, 0}, "escape_whitespaces is false"}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        char *copy = eg_arena_alloc(&arena, model.len + 4);
        memcpy(copy, model.ptr, model.len);
        memcpy(copy + model.len, settings[i].bytes, 4);
        check_refusal(i, eg_tokenizer_from_spm((eg_str){copy, model.len + 4}, 0, &arena, &t, &err), &err, t, "spm.model",
                      settings[i].says);
    }
    eg_arena_release(&arena);
}

/* Folders: which file counts, and what stands beside it. */
static void folders_are_checked(void **state) {
    (void)state;
    static const struct {
        const char *name, *content, *says;
    } table[] = {{"spm.model", "x", "spm.model"},
                 {"tokenizer.json", "{}", "tokenizer.json"},
                 {"vocab.json", ROBERTA, "merges.txt"},
                 {"merges.txt", "", NULL},
                 {"added_tokens.json", "{\"<mask>\":4}", NULL},
                 {"added_tokens.json", "{\"<extra>\":8}", "'<extra>' with the id 8"},
                 {"added_tokens.json", "{\"<mask>\":5}", "'<mask>' with the id 5"},
                 {"tokenizer_config.json", "{\"split_by_punct\":true}", "split_by_punct"},
                 {"tokenizer_config.json", "{\"added_tokens_decoder\":{\"x\":{}}}", "added_tokens_decoder"},
                 {"tokenizer_config.json", "{\"added_tokens_decoder\":{\"8\":{\"content\":\"<extra>\"}}}", NULL}};
    char dir[] = "/tmp/engram-tokenizer-XXXXXX", path[128];
    eg_error err = {0};
    eg_arena arena;
    const eg_tokenizer *t;
    eg_arena_init(&arena, 0);
    assert_non_null(mkdtemp(dir));
    assert_int_equal(eg_tokenizer_open(dir, &arena, &t, &err), EG_ENOENT);
    assert_non_null(strstr(err.text, "has no tokenizer"));
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, table[i].name);
        assert_int_equal(eg_file_replace(path, table[i].content, strlen(table[i].content), 0600, &err), EG_OK);
        err = (eg_error){0};
        eg_status s = eg_tokenizer_open(dir, &arena, &t, &err);
        check_refusal(i, s, &err, t, table[i].name[0] == 'v' ? "" : table[i].name, table[i].says);
        int stays = strcmp(table[i].name, "vocab.json") == 0 || strcmp(table[i].name, "merges.txt") == 0;
        if (!stays) assert_int_equal(unlink(path), 0);
    }
    for (int i = 2; i <= 3; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, table[i].name);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(dir), 0);
    eg_arena_release(&arena);
}

/* A word of a hundred thousand letters, of accents, of unknown characters: done at once, with the
 * right ids at both ends. */
static void long_words_take_linear_time(void **state) {
    (void)state;
    static const char *const folders[] = {WEIGHTS "/engram-embed-0", GOLDEN "/tokenizers/bpe-json",
                                          GOLDEN "/tokenizers/unigram-spm", GOLDEN "/tokenizers/unigram-json"};
    static const char *const units[] = {"a", "re",          "\xCC\x81\xCC\xA3", "\xE1\x84\x80", "\xF0\x9F\x91\xA8\xE2\x80\x8D",
                                        " ", "\xE2\x96\x81"};
    enum { LENGTH = 100000 };
    char *text = malloc(LENGTH + 8);
    assert_non_null(text);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        eg_arena arena;
        eg_error err = {0};
        const eg_tokenizer *t;
        eg_arena_init(&arena, 0);
        assert_int_equal(eg_tokenizer_open(folders[i], &arena, &t, &err), EG_OK);
        for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
            size_t n = 0, unit = strlen(units[u]);
            eg_tokens ids = {0};
            for (; n < LENGTH; n += unit) memcpy(text + n, units[u], unit);
            clock_t begun = clock();
            assert_int_equal(eg_tokenizer_encode(t, (eg_str){text, n}, &ids, &err), EG_OK);
            if (clock() - begun > 5 * CLOCKS_PER_SEC) fail_msg("%s: %zu bytes of '%s' took over 5 s", folders[i], n, units[u]);
            for (size_t k = 0; k < ids.count; k++) assert_true(ids.ids[k] < eg_tokenizer_size(t));
            eg_tokens_release(&ids);
        }
        eg_arena_release(&arena);
    }
    free(text);
}

/* Replacements of replacements: a file of two kilobytes that would make terabytes of each "e". What
 * NFKD makes of U+FDFA (11 times its bytes) is not too much. */
static void normalized_texts_are_limited(void **state) {
    (void)state;
    enum { COUNT = 2000 };
    static const char *const starts[] = {"", "\"added_tokens\":[{\"id\":1,\"content\":\"e\",\"normalized\":true}],"};
    eg_buffer text = {0};
    for (int i = 0; i < COUNT; i++) eg_buffer_text(&text, "\xEF\xB7\xBA");
    for (int i = 0; i < 2; i++) {
        eg_arena arena;
        eg_error err = {0};
        const eg_tokenizer *t;
        eg_tokens ids = {0};
        eg_buffer json = {0};
        eg_arena_init(&arena, 0);
        eg_buffer_format(
            &json,
            "{%s\"model\":{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[[\"<unk>\",0],[\"e\",-1],[\"[SEP]\",-2]]}," UNIGRAM_REST
            ",\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"NFKD\"}",
            starts[i]);
        for (int k = 0; k < 5; k++)
            eg_buffer_format(&json, ",{\"type\":\"Replace\",\"pattern\":{\"String\":\"e\"},\"content\":\"%0300d\"}", 0);
        for (size_t k = 0; k < json.len; k++)
            if (json.ptr[k] == '0' && json.ptr[k + 1] == '0') json.ptr[k] = json.ptr[k + 1] = 'e';
        eg_buffer_text(&json, "]}}");
        eg_status s = eg_tokenizer_from_json((eg_str){json.ptr, json.len}, &arena, &t, &err);
        if (s != (i ? EG_EFORMAT : EG_OK)) fail_msg("status %d: %s", (int)s, err.text);
        if (i) {
            assert_non_null(strstr(err.text, "tokenizer.json: an added token is empty or longer than"));
        } else {
            assert_int_equal(eg_tokenizer_encode(t, EG_STR("The limit"), &ids, &err), EG_ELIMIT);
            assert_non_null(strstr(err.text, "normalizer makes more than 400 bytes of a text of 9"));
            assert_int_equal(eg_tokenizer_encode(t, (eg_str){text.ptr, text.len}, &ids, &err), EG_OK);
        }
        eg_tokens_release(&ids);
        eg_buffer_release(&json);
        eg_arena_release(&arena);
    }
    eg_buffer_release(&text);
}

/* Two tokens with one id: that the text of one comes out whole says nothing about the other. */
static void equal_ids_are_no_equal_words(void **state) {
    (void)state;
    static const char json[] = "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":1,\"ab\":2,\"c\":3,\"d\":4,\"cd\":2},"
                               "\"merges\":[\"a b\"]}," BPE_REST "}";
    static const uint32_t wanted[] = {2, 3, 4, 2};
    eg_arena arena;
    eg_error err = {0};
    const eg_tokenizer *t;
    eg_tokens ids = {0};
    eg_arena_init(&arena, 0);
    assert_int_equal(eg_tokenizer_from_json(eg_str_of(json), &arena, &t, &err), EG_OK);
    assert_int_equal(eg_tokenizer_encode(t, EG_STR("ab"), &ids, &err), EG_OK);
    assert_int_equal(eg_tokenizer_encode(t, EG_STR("cd"), &ids, &err), EG_OK);
    assert_int_equal(eg_tokenizer_encode(t, EG_STR("ab"), &ids, &err), EG_OK);
    assert_int_equal(ids.count, 4);
    assert_memory_equal(ids.ids, wanted, sizeof wanted);
    eg_tokens_release(&ids);
    eg_arena_release(&arena);
}

/* 4,096 tokens made for one slot of a table that hashes by FNV-1a: each half can be either, the
 * state after it is the same in all the bits that a table of 8,192 slots looks at. */
static void crafted_tokens_do_not_pile_up(void **state) {
    (void)state;
    enum { HALVES = 12, TOKENS = 1 << HALVES, LENGTH = 8 * HALVES, MAX_RUN = 256 };
    static const char halves[HALVES][2][9] = {{"scpqzeqe", "vhgwwnsx"}, {"tzssxqos", "mlimnovy"}, {"nkwkoqsm", "chscenqf"},
                                              {"bkbaesmj", "idqxejln"}, {"pjyfyzxe", "thkoiijm"}, {"ftpfzfhr", "vlpdyuua"},
                                              {"peqosspe", "gnwufhrm"}, {"qsusrhef", "bqtcvret"}, {"fpffwyem", "omfnnamh"},
                                              {"dyzujaja", "tnexpgoi"}, {"bvzvtqbd", "ggmmerae"}, {"afxobfqn", "hnlauhyp"}};
    static char texts[TOKENS][LENGTH];
    eg_arena arena;
    eg_error err = {0};
    eg_vocabulary v;
    size_t slot = 0, run = 0, longest = 0;
    eg_arena_init(&arena, 0);
    assert_int_equal(eg_vocabulary_init(&v, "crafted", TOKENS, &arena, &err), EG_OK);
    for (uint32_t i = 0; i < TOKENS; i++) {
        uint64_t h = UINT64_C(14695981039346656037);
        for (size_t k = 0; k < HALVES; k++) memcpy(texts[i] + 8 * k, halves[k][i >> k & 1], 8);
        for (size_t k = 0; k < LENGTH; k++) h = (h ^ (unsigned char)texts[i][k]) * UINT64_C(1099511628211);
        h = (h ^ h >> 29) & v.mask;
        if (i == 0) slot = (size_t)h;
        assert_int_equal(h, slot); /* so they are what they are said to be */
        eg_vocabulary_add(&v, (eg_str){texts[i], LENGTH}, 0, i);
    }
    assert_int_equal(v.count, TOKENS);
    for (size_t i = 0; i <= 2 * v.mask; i++) { /* what a search may have to walk through */
        run = v.slots[i & v.mask].text.ptr ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    if (longest > MAX_RUN) fail_msg("%zu slots in a row are taken", longest);
    for (uint32_t i = 0; i < TOKENS; i++) assert_int_equal(eg_vocabulary_find(&v, texts[i], LENGTH, 0)->id, i);
    assert_null(eg_vocabulary_find(&v, texts[0], LENGTH, 1));
    eg_arena_release(&arena);
}

/* 4,096 merges of 262,144 possible ones, those that a multiplicative hash puts into the first 128
 * of 8,192 slots. */
static void crafted_merges_do_not_pile_up(void **state) {
    (void)state;
    enum { SIDE = 512, MERGES = 4096, SLOTS = 8192, WINDOW = 128, MAX_RUN = 256 };
    static char texts[2 * SIDE + MERGES][8];
    eg_arena arena;
    eg_error err = {0};
    eg_bpe b = {0};
    size_t tokens = 2 * SIDE, run = 0, longest = 0;
    eg_arena_init(&arena, 0);
    assert_int_equal(eg_bpe_init(&b, "crafted", 2 * SIDE + MERGES, MERGES, &arena, &err), EG_OK);
    assert_int_equal(b.mask, SLOTS - 1);
    for (uint32_t i = 0; i < 2 * SIDE; i++) { /* aAA ... and bAA ... */
        snprintf(texts[i], 8, "%c%c%c", i < SIDE ? 'a' : 'b', 'A' + (char)(i % SIDE / 32), 'A' + (char)(i % 32));
        assert_int_equal(eg_bpe_add(&b, "crafted", eg_str_of(texts[i]), i, &arena, &err), EG_OK);
    }
    for (uint32_t left = 0; left < SIDE; left++)
        for (uint32_t right = SIDE; right < 2 * SIDE && tokens < 2 * SIDE + MERGES; right++) {
            uint64_t h = ((uint64_t)left << 32 | right) * UINT64_C(0x9E3779B97F4A7C15);
            if (((h ^ h >> 32) & (SLOTS - 1)) >= WINDOW) continue;
            memcpy(texts[tokens], texts[left], 3);
            memcpy(texts[tokens] + 3, texts[right], 4);
            assert_int_equal(eg_bpe_add(&b, "crafted", eg_str_of(texts[tokens]), (uint32_t)tokens, &arena, &err), EG_OK);
            tokens++;
            if (eg_bpe_merge(&b, "crafted", eg_str_of(texts[left]), eg_str_of(texts[right]), (uint32_t)tokens, &err) != EG_OK)
                fail_msg("%s", err.text);
        }
    assert_true(tokens > 2 * SIDE + MERGES / 2);
    for (size_t i = 0; i <= 2 * b.mask; i++) {
        run = b.merges[i & b.mask].rank != EG_NO_RANK ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    if (longest > MAX_RUN) fail_msg("%zu slots in a row are taken", longest);
    eg_arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crafted_tokens_do_not_pile_up),   cmocka_unit_test(crafted_merges_do_not_pile_up),
        cmocka_unit_test(equal_ids_are_no_equal_words),    cmocka_unit_test(equals_the_reference),
        cmocka_unit_test(pairs_have_their_types),          cmocka_unit_test(fuzz_seeds_are_taken),
        cmocka_unit_test(broken_json_is_refused),          cmocka_unit_test(broken_files_are_refused),
        cmocka_unit_test(broken_sentencepiece_is_refused), cmocka_unit_test(folders_are_checked),
        cmocka_unit_test(long_words_take_linear_time),     cmocka_unit_test(normalized_texts_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
