/* rows.c - the plugin "verdict_rows": in place of the detector nli it writes the features of every
 * pair of facts, at the end of each stage, to a file, and judges nothing. It is what
 * tools/train/train_verdict.py learns from; it is not installed. The setting verdict_rows.file
 * names the file, to which it appends: first a line with the names of the features, then a JSON
 * object a pair and stage. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "engram/plugin.h"
#include "nearest.h"

#include "verdict.h"

typedef struct plugin {
    pthread_mutex_t lock;
    FILE *file;
    vector_cache *cache;
    trees *trees;
    int stages;
} plugin;

static void put_id(FILE *f, const char *name, eg_id id) {
    fprintf(f, "\"%s\":\"", name);
    for (int i = 0; i < 16; i++) fprintf(f, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", id.bytes[i]);
    fputs("\",", f);
}

static void put_text(FILE *f, eg_str text) {
    fputc('"', f);
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c < 0x20) fprintf(f, "\\u%04x", c);
        else fprintf(f, c == '"' || c == '\\' ? "\\%c" : "%c", c);
    }
    fputc('"', f);
}

/* A statement of documents has no id that lasts: its number, file and text. */
static void put_item(FILE *f, const eg_fact *item) {
    fprintf(f, "{\"number\":%lld,\"file\":", (long long)item->seq);
    put_text(f, item->agent_id);
    fputs(",\"text\":", f);
    put_text(f, item->content);
    fputc('}', f);
}

static void saw(void *self, const case_view *v, const pair_view *p, int stage) {
    plugin *to = self;
    const text_pair *t = &p->statements[0];
    pthread_mutex_lock(&to->lock);
    fputc('{', to->file);
    put_id(to->file, "subject", v->subject.f->fact->id);
    put_id(to->file, "candidate", p->other->f->fact->id);
    if (is_in_documents(v->c)) {
        fputs("\"items\":[", to->file);
        put_item(to->file, v->subject.f->fact);
        fputc(',', to->file);
        put_item(to->file, p->other->f->fact);
        fputs("],", to->file);
    }
    fprintf(to->file, "\"stage\":%d,\"pairs\":[", stage);
    for (size_t i = 0; i < p->count; i++) {
        t = &p->statements[i];
        fprintf(to->file, "%s[%u,%u,%u,%u]", i ? "," : "", t->subject->span.start, t->subject->span.end, t->candidate->span.start,
                t->candidate->span.end);
    }
    fputs("],\"row\":[", to->file);
    for (int i = 0; i < FEATURE_COUNT; i++) {
        if (isnan(p->features[i])) fprintf(to->file, "%snull", i ? "," : "");
        else fprintf(to->file, "%s%.9g", i ? "," : "", (double)p->features[i]);
    }
    fputs("]}\n", to->file);
    pthread_mutex_unlock(&to->lock);
}

static eg_status examine(void *self, const eg_services *services, eg_request *rq, const eg_case *c,
                         eg_status (*add)(void *sink, const eg_finding *finding), void *sink) {
    plugin *p = self;
    const finding_sink to = {rq, c, add, sink};
    const verdict_observer observer = {saw, p};
    const verdict how = {.trees = p->trees, .stages = p->stages, .cache = p->cache, .observer = &observer};
    return verdict_examine(&how, services, &to);
}

static const eg_detector detector = {
    .size = sizeof detector, .order = 100, .name = "verdict_rows", .version = "1", .examine = examine};

static void close_plugin(void *self) {
    plugin *p = self;
    if (!p) return;
    if (p->file) fclose(p->file);
    vector_cache_destroy(p->cache);
    trees_destroy(p->trees);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

static eg_status read_trees(plugin *p, const char *path, eg_error *err) {
    char *bytes = malloc(EG_MAX_MODEL_FILE);
    FILE *f = fopen(path, "rb");
    size_t n = bytes && f ? fread(bytes, 1, EG_MAX_MODEL_FILE, f) : 0;
    if (f) fclose(f);
    eg_status s = trees_read((eg_str){bytes, n}, path, feature_names, FEATURE_COUNT, STAGES, &p->trees, err);
    free(bytes);
    return s;
}

static eg_status open_plugin(const eg_services *services, eg_registrar *registrar, void **self, eg_error *err) {
    eg_str path;
    *self = NULL;
    if (services->config(services->host, "verdict_rows.file", &path) != EG_OK) {
        *err = (eg_error){EG_EINVAL, "verdict_rows.file is not set: it names the file for the rows"};
        return EG_EINVAL;
    }
    plugin *p = calloc(1, sizeof *p);
    if (!p || !(p->cache = vector_cache_create())) {
        free(p);
        *err = (eg_error){EG_ENOMEM, "out of memory for the plugin verdict_rows"};
        return EG_ENOMEM;
    }
    pthread_mutex_init(&p->lock, NULL);
    p->file = fopen(path.ptr, "a");
    if (!p->file) {
        *err = (eg_error){.code = EG_EIO};
        snprintf(err->text, sizeof err->text, "cannot write '%.300s', which verdict_rows.file names: %s", path.ptr,
                 strerror(errno));
        close_plugin(p);
        return EG_EIO;
    }
    fputs("{\"features\":[", p->file);
    for (int i = 0; i < FEATURE_COUNT; i++) fprintf(p->file, "%s\"%s\"", i ? "," : "", feature_names[i]);
    fputs("]}\n", p->file);
    eg_status s = EG_OK;
    p->stages = services->config(services->host, "verdict_rows.stages", &path) == EG_OK && path.ptr[0] == '1' ? 1 : STAGES;
    if (services->config(services->host, "verdict_rows.trees", &path) == EG_OK) s = read_trees(p, path.ptr, err);
    if (s == EG_OK) s = services->add_detector(registrar, &detector, p);
    if (s == EG_OK) *self = p;
    else close_plugin(p);
    return s;
}

const eg_plugin *EG_PLUGIN_ENTRY(void) {
    static const eg_plugin descriptor = {EG_PLUGIN_HEAD(EG_KIND_DETECTOR, "verdict_rows", "1", "Apache-2.0"), .open = open_plugin,
                                         .close = close_plugin};
    return &descriptor;
}
