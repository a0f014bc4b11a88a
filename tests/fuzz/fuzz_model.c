/* fuzz_model.c - libFuzzer entry for a whole model folder: a tiny model whose files get other bytes at some places. The first byte
 * of the input names the file, then come triples: place (two bytes) and value. A finding is a crash, a sanitizer report, a refusal
 * without a sentence, or a model that opens and then cannot answer. */
#include <stdio.h>
#include <stdlib.h>

#include "core/base/file.h"
#include "tests/models/tiny_model.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FILES = 3 };
static const char *const names[FILES] = {"model.safetensors", "config.json", "vocab.txt"};
static char dir[64];
static eg_str files[FILES];
static eg_arena kept;
static eg_engine *engine;

static void remove_folder(void) { tiny_folder_remove(dir); }

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    tiny_model *m = tiny_create();
    tiny_quantize(m, "bert.encoder.layer.0.attention.self.query.weight");
    tiny_folder(dir);
    tiny_write(m, dir);
    free(m);
    for (int i = 0; i < FILES; i++) {
        char path[96];
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        if (eg_file_read(path, 1 << 20, &kept, &files[i], NULL) != EG_OK) abort();
    }
    if (eg_engine_create(&(eg_engine_options){.size = sizeof(eg_engine_options), .threads = 1}, &engine, NULL) != EG_OK) abort();
    return atexit(remove_folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 4) return 0;
    const eg_str file = files[data[0] % FILES];
    const char *name = names[data[0] % FILES];
    char *bytes = malloc(file.len);
    if (!bytes) abort();
    memcpy(bytes, file.ptr, file.len);
    for (size_t i = 1; i + 3 <= size; i += 3) bytes[(size_t)(data[i] << 8 | data[i + 1]) % file.len] = (char)data[i + 2];
    tiny_write_file(dir, name, bytes, file.len);
    free(bytes);

    eg_model *m;
    eg_error err = {0};
    float logits[1024];
    eg_pair pair = {EG_STR("The limit of port 5 is not set."), EG_STR("a8 b")};
    eg_status s = tiny_open(engine, dir, &m, &err);
    if (s == EG_OK) {
        eg_model_info info = {.size = sizeof info};
        if (eg_model_describe(m, &info, &err) != EG_OK || info.hidden > 1024 || info.labels > 1024) abort();
        s = info.head == EG_HEAD_CLASSES ? eg_model_classify(m, &pair, 1, logits, NULL, &err) : eg_model_embed(m, &pair.first, 1, logits, NULL, &err);
        if (s != EG_OK && s != EG_EUNSUPPORTED) abort();
        eg_model_close(m);
    } else if (err.code != s || !strstr(err.text, dir)) {
        abort();
    }
    tiny_write_file(dir, name, file.ptr, file.len);
    return 0;
}
