/* tiny_model.c - see tiny_model.h. */
#include "tiny_model.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/json.h"

const char tiny_config[] =
    "{\"architectures\": [\"BertForSequenceClassification\"], \"model_type\": \"bert\", \"vocab_size\": 24,\n"
    " \"hidden_size\": 16, \"num_hidden_layers\": 2, \"num_attention_heads\": 2, \"intermediate_size\": 32,\n"
    " \"max_position_embeddings\": 24, \"type_vocab_size\": 2, \"hidden_act\": \"gelu\", \"layer_norm_eps\": 1e-12,\n"
    " \"id2label\": {\"0\": \"contradiction\", \"1\": \"entailment\", \"2\": \"neutral\"}}";
const char tiny_vocabulary[] =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\nlimit\n##s\nof\nis\n5\n7\n.\na\nb\n##a\n##b\n##c\nport\nnot\nset\nto\n8\n##0\n";

_Noreturn static void die(const char *what, const char *with) {
    fprintf(stderr, "tiny_model: cannot %s %s\n", what, with);
    abort();
}

tiny_tensor *tiny_add(tiny_model *m, const char *name, const char *dtype, size_t rows, size_t columns, size_t element) {
    tiny_tensor *t = &m->tensors[m->count++];
    *t = (tiny_tensor){
        .dtype = dtype, .dims = columns ? 2 : 1, .shape = {rows, columns}, .bytes = rows * (columns ? columns : 1) * element};
    snprintf(t->name, sizeof t->name, "%s", name);
    if (m->count > sizeof m->tensors / sizeof *m->tensors || t->bytes > sizeof t->data) die("hold", name);
    return t;
}

/* An F32 tensor of small numbers from a fixed sequence, around `middle`. */
static void add_floats(tiny_model *m, const char *name, size_t rows, size_t columns, float middle) {
    tiny_tensor *t = tiny_add(m, name, "F32", rows, columns, sizeof(float));
    uint32_t seed = (uint32_t)m->count * 2654435761u;
    for (size_t i = 0; i < t->bytes / sizeof(float); i++) {
        seed = seed * 1664525u + 1013904223u;
        float v = middle + ((float)(seed >> 8) / (float)(1 << 24) - 0.5f) * 0.5f;
        memcpy(t->data + i * sizeof v, &v, sizeof v);
    }
}

static void add_pair(tiny_model *m, const char *prefix, const char *name, size_t rows, size_t columns, float middle) {
    char full[96];
    snprintf(full, sizeof full, "%s%s.weight", prefix, name);
    add_floats(m, full, rows, columns, middle);
    snprintf(full, sizeof full, "%s%s.bias", prefix, name);
    add_floats(m, full, rows, 0, 0);
}

tiny_model *tiny_create(void) {
    enum { H = TINY_HIDDEN, I = 2 * H };
    tiny_model *m = calloc(1, sizeof *m);
    if (!m) die("make", "the model");
    m->config = tiny_config;
    m->vocabulary = tiny_vocabulary;
    add_floats(m, "bert.embeddings.word_embeddings.weight", 24, H, 0);
    add_floats(m, "bert.embeddings.position_embeddings.weight", TINY_MAX_TOKENS, H, 0);
    add_floats(m, "bert.embeddings.token_type_embeddings.weight", 2, H, 0);
    add_pair(m, "bert.embeddings.", "LayerNorm", H, 0, 1);
    for (int i = 0; i < 2; i++) {
        char prefix[32];
        snprintf(prefix, sizeof prefix, "bert.encoder.layer.%d.", i);
        add_pair(m, prefix, "attention.self.query", H, H, 0);
        add_pair(m, prefix, "attention.self.key", H, H, 0);
        add_pair(m, prefix, "attention.self.value", H, H, 0);
        add_pair(m, prefix, "attention.output.dense", H, H, 0);
        add_pair(m, prefix, "attention.output.LayerNorm", H, 0, 1);
        add_pair(m, prefix, "intermediate.dense", I, H, 0);
        add_pair(m, prefix, "output.dense", H, I, 0);
        add_pair(m, prefix, "output.LayerNorm", H, 0, 1);
    }
    add_pair(m, "bert.", "pooler.dense", H, H, 0);
    add_pair(m, "", "classifier", TINY_LABELS, H, 0);
    return m;
}

tiny_tensor *tiny_find(tiny_model *m, const char *name) {
    for (size_t i = 0; i < m->count; i++)
        if (strcmp(m->tensors[i].name, name) == 0) return &m->tensors[i];
    die("find", name);
}

void tiny_remove(tiny_model *m, const char *name) {
    tiny_tensor *t = tiny_find(m, name), *end = m->tensors + m->count--;
    memmove(t, t + 1, (size_t)(end - t - 1) * sizeof *t);
}

void tiny_quantize(tiny_model *m, const char *name) {
    char scales_name[96];
    tiny_tensor *t = tiny_find(m, name);
    size_t columns = t->shape[1];
    snprintf(scales_name, sizeof scales_name, "%.80s.scales", name);
    tiny_tensor *scales = tiny_add(m, scales_name, "F32", t->shape[0], (columns + 127) / 128, sizeof(float));
    for (size_t r = 0; r < t->shape[0]; r++) {
        const float scale = 0.25f / 127;
        /* fewer than 128 columns: one scale a row */
        memcpy(scales->data + r * sizeof scale, &scale, sizeof scale);
        for (size_t i = 0; i < columns; i++) {
            float v;
            memcpy(&v, t->data + (r * columns + i) * sizeof v, sizeof v);
            /* in front of what is read next */
            t->data[r * columns + i] = (unsigned char)(signed char)(v / scale);
        }
    }
    t->dtype = "I8";
    t->bytes /= sizeof(float);
}

void tiny_write_file(const char *dir, const char *name, const void *bytes, size_t size) {
    char path[192];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "wb");
    if (!f || (size && fwrite(bytes, 1, size, f) != size) || fclose(f) != 0) die("write", path);
}

void tiny_write_tensors(const tiny_model *m, size_t first, size_t count, const char *dir, const char *name) {
    eg_buffer header = {0}, file = {0};
    size_t at = 0, end = first + count;
    for (size_t i = first; i < end; i++) {
        const tiny_tensor *t = &m->tensors[i];
        eg_buffer_format(&header, "%s\"%s\":{\"dtype\":\"%s\",\"shape\":[", i > first ? "," : "{", t->name, t->dtype);
        for (size_t k = 0; k < t->dims; k++) eg_buffer_format(&header, "%s%zu", k ? "," : "", t->shape[k]);
        eg_buffer_format(&header, "],\"data_offsets\":[%zu,%zu]}", at, at + t->bytes);
        at += t->bytes;
    }
    eg_buffer_text(&header, "}");
    for (int i = 0; i < 8; i++) eg_buffer_add(&file, &(char){(char)(header.len >> 8 * i)}, 1);
    eg_buffer_add(&file, header.ptr, header.len);
    for (size_t i = first; i < end; i++) eg_buffer_add(&file, (const char *)m->tensors[i].data, m->tensors[i].bytes);
    if (header.failed || file.failed) die("make", name);
    tiny_write_file(dir, name, file.ptr, file.len);
    eg_buffer_release(&header);
    eg_buffer_release(&file);
}

void tiny_write(const tiny_model *m, const char *dir) {
    tiny_write_tensors(m, 0, m->count, dir, "model.safetensors");
    if (m->config) tiny_write_file(dir, "config.json", m->config, strlen(m->config));
    if (m->vocabulary) tiny_write_file(dir, "vocab.txt", m->vocabulary, strlen(m->vocabulary));
}

eg_status tiny_open(eg_engine *e, const char *dir, eg_model **out, eg_error *err) {
    return eg_model_open(e, dir, NULL, out, err);
}

void tiny_folder(char out[64]) {
    const char *base = getenv("TMPDIR");
    int n = snprintf(out, 64, "%s/engram-tiny-XXXXXX", base ? base : "/tmp");
    if (n < 0 || n >= 64) snprintf(out, 64, "/tmp/engram-tiny-XXXXXX");
    if (!mkdtemp(out)) die("make", out);
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw) {
    (void)st, (void)flag, (void)ftw;
    return remove(path);
}

void tiny_folder_remove(const char *dir) {
    if (nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS) != 0) die("remove", dir);
}

size_t tiny_open_files(void) {
    size_t n = 0;
    DIR *d = opendir("/proc/self/fd");
    if (!d) die("open", "/proc/self/fd");
    while (readdir(d)) n++;
    closedir(d);
    return n;
}
