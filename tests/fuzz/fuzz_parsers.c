/* fuzz_parsers.c - libFuzzer entries for what reads bytes from outside: one program each, chosen by
 * a definition. A finding is a crash, a sanitizer report, or a broken promise (an error without a
 * sentence, tokens that are not in the vocabulary). */
#include <stdio.h>
#include <stdlib.h>

#include "core/base/json.h"
#include "core/base/utf8.h"
#include "models/config.h"
#include "models/safetensors.h"
#include "models/tokenizer/tokenizer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A refusal must say why. */
static void check(eg_status s, const eg_error *err) {
    if (s != EG_OK && (err->code != s || err->text[0] == '\0')) abort();
}

/* Encodes text and joins it, alone or with itself: every id is in the vocabulary, and the limit
 * holds. */
__attribute__((unused)) static eg_status check_encode(const eg_tokenizer *w, eg_str text, size_t choice, eg_error *err) {
    enum { LEAST = 32, MOST = 64 };
    size_t most = LEAST + choice % (MOST - LEAST);
    eg_tokens tokens = {0}, joined = {0}, traced = {.has_sources = 1};
    uint8_t types[MOST];
    /* where tokens come from is asked of valid UTF-8 only: models refuse all else before */
    int valid = eg_utf8_valid_prefix(text.ptr, text.len) == text.len;
    eg_status s = valid ? eg_tokenizer_encode(w, text, &traced, err) : EG_OK;
    for (size_t i = 0; i < traced.count; i++) {
        eg_range span = traced.sources[i].span;
        if (span.begin > text.len || span.end > text.len || span.begin > span.end) abort();
        (void)eg_tokenizer_continues(w, text, traced.ids[i], &traced.sources[i]);
    }
    if (s == EG_OK) s = eg_tokenizer_encode(w, text, &tokens, err);
    if (s == EG_OK && valid &&
        (tokens.count != traced.count ||
         (tokens.count && memcmp(tokens.ids, traced.ids, tokens.count * sizeof *tokens.ids) != 0)))
        abort();
    if (s == EG_OK) s = eg_tokenizer_join(w, &tokens, choice & 1 ? &tokens : NULL, most, &joined, types, err);
    for (size_t i = 0; i < tokens.count; i++)
        if (tokens.ids[i] >= eg_tokenizer_size(w)) abort();
    for (size_t i = 0; i < joined.count; i++)
        if (joined.ids[i] >= eg_tokenizer_size(w) || types[i] >= eg_tokenizer_types(w, choice & 1)) abort();
    if (s == EG_OK && joined.count > most) abort();
    eg_tokens_release(&tokens);
    eg_tokens_release(&joined);
    eg_tokens_release(&traced);
    return s;
}

/* One of two tokenizers of the kind under test, opened once. */
__attribute__((unused)) static const eg_tokenizer *kept_tokenizer(size_t which) {
#if defined(FUZZ_ENCODE_BPE)
    static const char *const folders[] = {GOLDEN "/tokenizers/bpe-files", GOLDEN "/tokenizers/bpe-json"};
#elif defined(FUZZ_ENCODE_UNIGRAM)
    static const char *const folders[] = {GOLDEN "/tokenizers/unigram-spm", GOLDEN "/tokenizers/unigram-json"};
#else
    static const char *const folders[] = {GOLDEN "/mean-f32", GOLDEN "/three-s8"};
#endif
    static eg_arena arena;
    static const eg_tokenizer *kept[2];
    eg_error err = {0};
    if (!kept[which] && eg_tokenizer_open(folders[which], &arena, &kept[which], &err) != EG_OK) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    return kept[which];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    eg_str bytes = {(const char *)data, size};
    eg_arena arena;
    eg_error err = {0};
    eg_status s = EG_OK;
    eg_arena_init(&arena, (size_t)64 << 20);
#if defined(FUZZ_JSON)
    eg_json j;
    eg_json_init(&j, "fuzz", bytes, &arena, &err);
    eg_json_kind k;
    while ((k = eg_json_next(&j)) != EG_JSON_END && k != EG_JSON_ERROR) {
        if (k == EG_JSON_STRING) { /* what was read is written so that it is read again */
            eg_str text = j.text;
            eg_buffer b = {0};
            eg_buffer_json(&b, text);
            eg_json again;
            eg_json_init(&again, "again", (eg_str){b.ptr, b.len}, &arena, &err);
            if (eg_json_next(&again) != EG_JSON_STRING || !eg_str_eq(again.text, text)) abort();
            eg_buffer_release(&b);
        }
    }
    s = k == EG_JSON_ERROR ? err.code : EG_OK;
    if (k == EG_JSON_ERROR && s == EG_OK) abort();
#elif defined(FUZZ_SAFETENSORS)
    eg_safetensors file;
    s = eg_safetensors_parse("fuzz", bytes, &arena, &file, &err);
    for (size_t i = 0; s == EG_OK && i < file.count; i++) { /* every range lies in the file */
        const eg_tensor *t = &file.tensors[i];
        if (t->data < data || t->bytes > size || (size_t)(t->data - data) > size - t->bytes) abort();
    }
#elif defined(FUZZ_CONFIG)
    eg_config config;
    s = eg_config_parse(bytes, &arena, &config, &err);
#elif defined(FUZZ_TOKENIZER) || defined(FUZZ_VOCAB) || defined(FUZZ_BPE) || defined(FUZZ_SPM)
    const eg_tokenizer *w;
#if defined(FUZZ_TOKENIZER)
    s = eg_tokenizer_from_json(bytes, &arena, &w, &err);
#elif defined(FUZZ_BPE) /* vocab.json, NUL, merges.txt */
    const char *nul = size ? memchr(data, 0, size) : NULL;
    size_t vocab = nul ? (size_t)(nul - bytes.ptr) : size;
    eg_str merges = nul ? (eg_str){nul + 1, size - vocab - 1} : EG_STR("");
    s = eg_tokenizer_from_bpe((eg_str){bytes.ptr, vocab}, merges, size & 1, &arena, &w, &err);
#elif defined(FUZZ_SPM)
    s = eg_tokenizer_from_spm(bytes, size & 1, &arena, &w, &err);
#else
    s = eg_tokenizer_from_vocab(bytes, 1, &arena, &w, &err);
#endif
    if (s == EG_OK)
        s = check_encode(
            w,
            EG_STR("The limit is 5, [SEP] <mask>not abba.\r\n  e\xCC\x81\xEF\xAC\x81\xE2\x96\x81\xEA\xB0\x80\xF0\x9F\x98\x80 "
                   "retries the service's 30 seconds"),
            size, &err);
#elif defined(FUZZ_ENCODE) || defined(FUZZ_ENCODE_BPE) || defined(FUZZ_ENCODE_UNIGRAM)
    s = check_encode(kept_tokenizer(size & 1), bytes, size >> 1, &err);
#endif
    check(s, &err);
    eg_arena_release(&arena);
    return 0;
}
