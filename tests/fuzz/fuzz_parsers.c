/* fuzz_parsers.c - libFuzzer entries for what reads bytes from outside: one program each, chosen by a definition. A finding
 * is a crash, a sanitizer report, or a broken promise (an error without a sentence, tokens that are not in the vocabulary). */
#include <stdlib.h>

#include "core/base/json.h"
#include "models/config.h"
#include "models/safetensors.h"
#include "models/tokenizer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#if defined(FUZZ_ENCODE)
static const char vocabulary[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n##a\n##b\nab\n##ab\nthe\nlimit\n##s\n.\n,\n5\n##5\n\xC3\xA9\n";
#endif

/* A refusal must say why. */
static void check(eg_status s, const eg_error *err) {
    if (s != EG_OK && (err->code != s || err->text[0] == '\0')) abort();
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
#elif defined(FUZZ_TOKENIZER) || defined(FUZZ_VOCAB)
    const eg_tokenizer *w;
#if defined(FUZZ_TOKENIZER)
    s = eg_tokenizer_from_json(bytes, &arena, &w, &err);
#else
    s = eg_tokenizer_from_vocab(bytes, 1, &arena, &w, &err);
#endif
    if (s == EG_OK) {
        eg_tokens tokens = {0};
        s = eg_tokenizer_encode(w, EG_STR("The limit is 5, [SEP] not abba."), &tokens, &err);
        for (size_t i = 0; i < tokens.count; i++)
            if (tokens.ids[i] >= eg_tokenizer_size(w)) abort();
        eg_tokens_release(&tokens);
    }
#elif defined(FUZZ_ENCODE)
    const eg_tokenizer *w;
    s = eg_tokenizer_from_vocab(EG_STR(vocabulary), size & 1, &arena, &w, &err);
    if (s != EG_OK) abort();
    eg_tokens tokens = {0}, joined = {0};
    uint8_t types[32];
    s = eg_tokenizer_encode(w, bytes, &tokens, &err);
    for (size_t i = 0; i < tokens.count; i++)
        if (tokens.ids[i] >= eg_tokenizer_size(w)) abort();
    if (s == EG_OK) s = eg_tokenizer_join(w, &tokens, size & 2 ? &tokens : NULL, 4 + size % 28, &joined, types, &err);
    if (s == EG_OK && joined.count > 4 + size % 28) abort();
    eg_tokens_release(&tokens);
    eg_tokens_release(&joined);
#endif
    check(s, &err);
    eg_arena_release(&arena);
    return 0;
}
