/* nli.c - the NLI detector (tier 1): a cross-encoder classifies the nearest pairs of facts and of
 * their statements. What it says is weighed by trained trees that stand beside the model
 * (verdict.c), those for facts in one file, those for statements of documents in another: documents
 * describe options and steps in equal words one after the other, and what contradicts there is
 * mostly the same sentence with another value. Where a model has no such file, thresholds decide
 * (thresholds.c). Called by the host with whole cases; knows no store. Without a model it only
 * finds texts that contain one another. */
#include <pthread.h>
#include <stdlib.h>

#include "engram/plugin.h"
#include "nearest.h"
#include "thresholds.h"
#include "verdict.h"

enum { OF_FACTS = 0, OF_DOCUMENTS, KINDS };
static const char *const files[KINDS] = {"verdict.bin", "verdict_documents.bin"};

/* A file of trees beside the model. */
typedef struct tree_file {
    int tried;
    eg_error problem; /* why it could not be read; code 0: it was, or is not there */
    trees *trees;
} tree_file;

typedef struct plugin {
    pthread_mutex_t lock;
    tree_file files[KINDS];
    vector_cache *cache;
} plugin;

/* Reads a file of trees once, when a case first needs it; the same answer ever after. NULL in *out:
 * the model has none. */
static eg_status need_trees(plugin *p, int kind, const eg_services *services, eg_request *rq, const trees **out) {
    tree_file *f = &p->files[kind];
    pthread_mutex_lock(&p->lock);
    if (!f->tried) {
        eg_str bytes;
        eg_status s = services->model_file(services->host, rq, "model.nli", files[kind], &bytes);
        if (s == EG_OK) trees_read(bytes, files[kind], feature_names, FEATURE_COUNT, STAGES, &f->trees, &f->problem);
        else if (s != EG_ENOENT) f->problem = *rq->err;
        if (s == EG_ENOENT) *rq->err = (eg_error){0};
        f->tried = s != EG_ENOMEM;
    }
    eg_error problem = f->problem;
    *out = f->trees;
    pthread_mutex_unlock(&p->lock);
    if (problem.code != EG_OK) *rq->err = problem;
    return problem.code;
}

static eg_status examine(void *self, const eg_services *services, eg_request *rq, const eg_case *c,
                         eg_status (*add)(void *sink, const eg_finding *finding), void *sink) {
    plugin *p = self;
    const finding_sink to = {rq, c, add, sink};
    verdict how = {.stages = STAGES, .cache = p->cache};
    eg_status s = need_trees(p, is_in_documents(c) ? OF_DOCUMENTS : OF_FACTS, services, rq, &how.trees);
    if (s == EG_OK && !how.trees) s = examine_by_thresholds(services, &to);
    else if (s == EG_OK) s = verdict_examine(&how, services, &to);
    if (s == EG_EUNAVAILABLE) { /* no NLI model here: `engram status` says why */
        *rq->err = (eg_error){0};
        return EG_OK;
    }
    return s;
}

static const eg_detector detector = {.size = sizeof detector,
                                     .flags = EG_DETECTOR_WEIGHS_FINDINGS,
                                     .order = 100,
                                     .budget_ms = 20000,
                                     .name = "nli",
                                     .version = "4",
                                     .examine = examine};

static void close_plugin(void *self) {
    plugin *p = self;
    if (!p) return;
    for (int i = 0; i < KINDS; i++) trees_destroy(p->files[i].trees);
    vector_cache_destroy(p->cache);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

static eg_status open_plugin(const eg_services *services, eg_registrar *registrar, void **self, eg_error *err) {
    plugin *p = calloc(1, sizeof *p);
    *self = NULL;
    if (p) p->cache = vector_cache_create();
    if (!p || !p->cache) {
        free(p);
        *err = (eg_error){EG_ENOMEM, "out of memory for the plugin nli"};
        return EG_ENOMEM;
    }
    pthread_mutex_init(&p->lock, NULL);
    eg_status s = services->add_detector(registrar, &detector, p);
    if (s == EG_OK) *self = p;
    else close_plugin(p);
    return s;
}

const eg_plugin *EG_PLUGIN_ENTRY(void) {
    static const eg_plugin descriptor = {EG_PLUGIN_HEAD(EG_KIND_DETECTOR, "nli", "1", "Apache-2.0"), .open = open_plugin,
                                         .close = close_plugin};
    return &descriptor;
}
