/* fuzz_model.c - libFuzzer entry for a whole model folder: a tiny model in two files, with all that
 * may stand beside them, of which one file gets other bytes. The first byte of the input, from 'a'
 * on, names the file. Of a text the rest is the file; of a safetensors file, triples: a place (two
 * bytes) and its value. A finding is a crash, a sanitizer report, a refusal without a sentence, or
 * a model that opens and then cannot answer. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/base/file.h"
#include "tests/models/tiny_model.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SHARDS = 2, IN_FIRST = 20 /* tensors */ };
static struct {
    const char *name;
    eg_str bytes;
} files[] = {
    {"a.safetensors", {0}},
    {"b.safetensors", {0}},
    {"config.json", {0}},
    {"vocab.txt", {0}},
    {"model.safetensors.index.json",
     EG_STR("{\"weight_map\": {\"x\": \"b.safetensors\", \"y\": \"a.safetensors\", \"z\": \"a.safetensors\"}}")},
    {"1_Pooling/config.json", EG_STR("{\"pooling_mode_cls_token\": true, \"pooling_mode_mean_tokens\": false}")},
    {"sentence_bert_config.json", EG_STR("{\"max_seq_length\": 24, \"do_lower_case\": false}")},
    {"tokenizer_config.json",
     EG_STR("{\"do_lower_case\": true, \"added_tokens_decoder\": {\"4\": {\"content\": \"[MASK]\", \"lstrip\": true}}}")},
    {"added_tokens.json", EG_STR("{\"[MASK]\": 4}")}};
enum { FILES = sizeof files / sizeof *files };
static char dir[64];
static eg_arena kept;
static eg_engine *engine;

static void remove_folder(void) { tiny_folder_remove(dir); }

static void write_file(size_t which, eg_str bytes) { tiny_write_file(dir, files[which].name, bytes.ptr, bytes.len); }

/* Opens the folder and asks the model; EG_OK, or the status of a refusal that says where. */
static eg_status try_folder(void) {
    eg_model *m;
    eg_error err = {0};
    float logits[1024];
    eg_pair pair = {EG_STR("The limit of port 5 is not set."), EG_STR("a8 b")};
    eg_status s = tiny_open(engine, dir, &m, &err);
    if (s != EG_OK) {
        if (err.code != s || !strstr(err.text, dir)) abort();
        return s;
    }
    eg_model_info info = {.size = sizeof info};
    if (eg_model_describe(m, &info, &err) != EG_OK || info.hidden > 1024 || info.labels > 1024) abort();
    s = info.head == EG_HEAD_CLASSES ? eg_model_classify(m, &pair, 1, logits, NULL, &err)
                                     : eg_model_embed(m, &pair.first, 1, logits, NULL, &err);
    if (s != EG_OK && s != EG_EUNSUPPORTED) abort();
    eg_model_close(m);
    return EG_OK;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    char path[96];
    /* of the kernels only these are built with sanitizers */
    if (setenv("ENGRAM_ISA", "scalar", 1) != 0) abort();
    tiny_model *m = tiny_create();
    tiny_quantize(m, "bert.encoder.layer.0.attention.self.query.weight");
    tiny_folder(dir);
    if (atexit(remove_folder) != 0) abort();
    tiny_write_tensors(m, 0, IN_FIRST, dir, files[0].name);
    tiny_write_tensors(m, IN_FIRST, m->count - IN_FIRST, dir, files[1].name);
    tiny_write_file(dir, "config.json", m->config, strlen(m->config));
    tiny_write_file(dir, "vocab.txt", m->vocabulary, strlen(m->vocabulary));
    free(m);
    snprintf(path, sizeof path, "%s/1_Pooling", dir);
    if (mkdir(path, 0700) != 0) abort();
    for (size_t i = 0; i < FILES; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, files[i].name);
        if (files[i].bytes.ptr) write_file(i, files[i].bytes);
        else if (eg_file_read(path, 1 << 20, &kept, &files[i].bytes, NULL) != EG_OK) abort();
    }
    if (eg_engine_create(&(eg_engine_options){.size = sizeof(eg_engine_options), .threads = 1}, &engine, NULL) != EG_OK) abort();
    if (try_folder() != EG_OK) abort();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static size_t changed; /* by the input before this one */
    if (size < 1) return 0;
    size_t which = (size_t)(uint8_t)(data[0] - 'a') % FILES;
    if (which != changed) write_file(changed, files[changed].bytes);
    changed = which;
    if (which >= SHARDS) {
        write_file(which, (eg_str){(const char *)data + 1, size - 1});
    } else {
        const eg_str file = files[which].bytes;
        char *bytes = malloc(file.len);
        if (!bytes) abort();
        memcpy(bytes, file.ptr, file.len);
        for (size_t i = 1; i + 3 <= size; i += 3) bytes[(size_t)(data[i] << 8 | data[i + 1]) % file.len] = (char)data[i + 2];
        write_file(which, (eg_str){bytes, file.len});
        free(bytes);
    }
    try_folder();
    return 0;
}
