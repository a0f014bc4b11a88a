/* test_tokenizer.c - WordPiece against the reference's answers (golden/tokenizer.jsonl, made by
 * tools/train/make_tokenizer_golden.py) with the vocabulary that ships: texts, truncated pairs, every code point. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/utf8.h"
#include "models/tokenizer.h"

enum { MOST_IDS = 4096 };

/* One line of the golden file. */
typedef struct answer {
    eg_str text, first, second;
    int64_t most, block, hash;
    uint32_t ids[MOST_IDS];
    size_t count;
} answer;

static void read_answer(eg_str line, eg_arena *arena, answer *a) {
    eg_json j;
    eg_error err = {0};
    eg_str key = {0};
    memset(a, 0, sizeof *a);
    a->block = -1;
    eg_json_init(&j, "tokenizer.jsonl", line, arena, &err);
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_END; k = eg_json_next(&j)) {
        if (k == EG_JSON_ERROR) fail_msg("%s", err.text);
        if (k == EG_JSON_KEY) key = j.text;
        if (k == EG_JSON_STRING) *(key.ptr[0] == 't' ? &a->text : key.ptr[0] == 'f' ? &a->first : &a->second) = j.text;
        if (k != EG_JSON_NUMBER) continue;
        if (j.depth == 2)
            a->ids[a->count++] = (uint32_t)j.integer;
        else
            *(key.ptr[0] == 'm' ? &a->most : key.ptr[0] == 'b' ? &a->block : &a->hash) = j.integer;
    }
}

static uint32_t block_hash(const eg_tokenizer *w, uint32_t block) {
    uint32_t h = 2166136261u;
    eg_tokens words = {0}, ids = {0};
    for (uint32_t cp = block << 8; cp < (block + 1) << 8; cp++) {
        char text[6] = "a";
        size_t n = eg_utf8_encode(cp, text + 1);
        if (n == 0) continue; /* a surrogate */
        text[1 + n] = 'b';
        words.count = ids.count = 0;
        assert_int_equal(eg_tokenizer_encode(w, (eg_str){text, n + 2}, &words, NULL), EG_OK);
        assert_int_equal(eg_tokenizer_join(w, &words, NULL, 512, &ids, NULL, NULL), EG_OK);
        for (size_t i = 0; i < ids.count; i++)
            for (int shift = 0; shift < 32; shift += 8) h = (h ^ (ids.ids[i] >> shift & 255)) * 16777619u;
    }
    eg_tokens_release(&words);
    eg_tokens_release(&ids);
    return h;
}

static void check_ids(const eg_tokenizer *w, const answer *a) {
    int is_pair = a->first.ptr != NULL;
    eg_tokens first = {0}, second = {0}, ids = {0};
    assert_int_equal(eg_tokenizer_encode(w, is_pair ? a->first : a->text, &first, NULL), EG_OK);
    if (is_pair) assert_int_equal(eg_tokenizer_encode(w, a->second, &second, NULL), EG_OK);
    assert_int_equal(eg_tokenizer_join(w, &first, is_pair ? &second : NULL, is_pair ? (size_t)a->most : MOST_IDS, &ids, NULL, NULL), EG_OK);
    if (ids.count != a->count || (a->count && memcmp(ids.ids, a->ids, a->count * sizeof *a->ids) != 0))
        fail_msg("'%.*s': %zu tokens, the reference has %zu", (int)(is_pair ? a->first.len : a->text.len), is_pair ? a->first.ptr : a->text.ptr,
                 ids.count, a->count);
    eg_tokens_release(&first);
    eg_tokens_release(&second);
    eg_tokens_release(&ids);
}

static void equals_the_reference(void **state) {
    (void)state;
    static answer a;
    eg_arena arena;
    eg_error err = {0};
    const eg_tokenizer *w;
    eg_str golden;
    size_t lines = 0, blocks = 0;
    eg_arena_init(&arena, 0);
    if (eg_tokenizer_open(WEIGHTS "/engram-embed-0", &arena, &w, &err) != EG_OK) fail_msg("%s", err.text);
    if (eg_file_read(GOLDEN "/tokenizer.jsonl", 1 << 24, &arena, &golden, &err) != EG_OK) fail_msg("%s", err.text);
    while (golden.len) {
        const char *end = memchr(golden.ptr, '\n', golden.len);
        assert_non_null(end);
        read_answer((eg_str){golden.ptr, (size_t)(end - golden.ptr)}, &arena, &a);
        if (a.block < 0)
            check_ids(w, &a);
        else if (block_hash(w, (uint32_t)a.block) != (uint32_t)a.hash)
            fail_msg("code points %04llX00 to %04llXFF differ from the reference", (long long)a.block, (long long)a.block);
        blocks += a.block >= 0;
        lines++;
        golden = (eg_str){end + 1, golden.len - (size_t)(end + 1 - golden.ptr)};
    }
    assert_true(lines - blocks == 360 && blocks > 800);
    eg_arena_release(&arena);
}

/* Broken files: one sentence that names the file, nothing half open. */
static void broken_vocabularies_are_refused(void **state) {
    (void)state;
    static const char *const broken[] = {
        "", "[]", "{", "{\"model\":{}}", "{\"model\":{\"type\":\"BPE\",\"vocab\":{}}}", "{\"model\":{\"type\":\"WordPiece\",\"vocab\":{\"a\":-1}}}",
        "{\"model\":{\"type\":\"WordPiece\",\"vocab\":{\"a\":\"b\"}}}", "{\"model\":{\"type\":\"WordPiece\",\"vocab\":{\"a\":[]}}}",
        "{\"model\":{\"type\":\"WordPiece\",\"vocab\":{\"a\":0}},\"model\":{}}",
        "{\"model\":{\"vocab\":{\"a\":0}},\"normalizer\":{\"type\":\"Lowercase\"},\"pre_tokenizer\":{\"type\":\"BertPreTokenizer\"}}",
        "{\"model\":{\"vocab\":{\"a\":0}},\"normalizer\":{\"type\":\"BertNormalizer\",\"clean_text\":true,\"handle_chinese_chars\":true,\"lowercase\":true},"
        "\"pre_tokenizer\":{\"type\":\"BertPreTokenizer\"}}"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        eg_arena arena;
        eg_error err = {0};
        const eg_tokenizer *w;
        eg_arena_init(&arena, 0);
        assert_int_not_equal(eg_tokenizer_from_json(eg_str_of(broken[i]), &arena, &w, &err), EG_OK);
        if (!strstr(err.text, "tokenizer.json")) fail_msg("case %zu: '%s'", i, err.text);
        assert_null(w);
        assert_int_not_equal(eg_tokenizer_from_vocab(EG_STR("a\nb\n"), 1, &arena, &w, &err), EG_OK);
        assert_non_null(strstr(err.text, "vocab.txt"));
        eg_arena_release(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(equals_the_reference), cmocka_unit_test(broken_vocabularies_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
