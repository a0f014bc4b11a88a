/* inference.c - the host's models: opened when first needed, one engine a process; thresholds;
 * vectors. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/status.h"
#include "core/host/internal.h"

/* The place of a setting's value among its choices, which the configuration has checked and
 * infer.h's enumerations follow. */
static uint32_t choice_of(const eg_host *h, const char *key, const char *const *choices, uint32_t n) {
    const char *value = eg_conf_get(h->config, key);
    for (uint32_t i = 0; value && i < n; i++)
        if (strcmp(value, choices[i]) == 0) return i;
    return 0;
}

static eg_isa isa_of(const eg_host *h) {
    static const char *const isas[] = {"auto",       "scalar",  "avx2", "avx512", "neon",      "avxvnni",
                                       "avx512vnni", "dotprod", "amx",  "i8mm",   "avx512bf16"};
    return (eg_isa)choice_of(h, "isa", isas, sizeof isas / sizeof *isas);
}

void eg_host_inference(const eg_host *h, eg_engine_options *engine, uint32_t *format) {
    static const char *const gemms[] = {"own", "openblas"}, *const formats[] = {"auto", "f32", "s8", "bf16"};
    *engine = (eg_engine_options){.size = sizeof *engine,
                                  .threads = (uint32_t)eg_conf_number(h->config, "threads"),
                                  .isa = isa_of(h),
                                  .gemm = choice_of(h, "gemm", gemms, 2)};
    *format = choice_of(h, "format", formats, sizeof formats / sizeof *formats);
}

static eg_status open_slot(eg_host *h, eg_model_slot *m, eg_error *err) {
    eg_status s = eg_host_model_configured(h, m->setting, m->folder, sizeof m->folder, err);
    eg_engine_options engine;
    eg_model_options o = {.size = sizeof o, .cache = h->folders.cache};
    eg_host_inference(h, &engine, &o.format);
    if (s == EG_OK && !h->engine) s = eg_engine_create(&engine, &h->engine, err);
    if (s == EG_OK) s = eg_model_open(h->engine, m->folder, &o, &m->model, err);
    if (s != EG_OK) return s;
    m->info.size = sizeof m->info;
    s = eg_model_describe(m->model, &m->info, err);
    if (s == EG_OK && m->info.head != m->head) {
        static const char *const kinds[] = {"gives embeddings", "classifies texts", "labels tokens"};
        s = eg_fail(err, EG_EUNSUPPORTED, "the model in '%s' %s: %s needs one that %s", m->folder, kinds[m->info.head],
                    m->setting, kinds[m->head]);
    }
    return s;
}

/* The three labels by name, whatever their order. */
static eg_status map_labels(eg_host *h, eg_error *err) {
    static const char *const names[] = {"contradiction", "entailment", "neutral"};
    const eg_model_info *info = &h->nli.info;
    if (info->labels != 3)
        return eg_fail(err, EG_EUNSUPPORTED,
                       "the model in '%s' has %u label%s: %s needs the three contradiction, entailment and neutral",
                       h->nli.folder, info->labels, info->labels == 1 ? "" : "s", h->nli.setting);
    for (uint32_t n = 0; n < 3; n++) {
        uint32_t i = 0;
        while (i < 3 && strcasecmp(info->label_names[i], names[n]) != 0) i++;
        if (i == 3) return eg_fail(err, EG_EUNSUPPORTED, "'%s' has no label '%s'", h->nli.folder, names[n]);
        h->nli_label[n] = i;
    }
    return EG_OK;
}

/* Opens the slot once; the same answer ever after. */
static eg_status need(eg_host *h, eg_model_slot *m, eg_error *err) {
    pthread_mutex_lock(&h->model_lock);
    if (!m->tried) {
        eg_status s = open_slot(h, m, &m->problem);
        if (s == EG_OK && m == &h->nli) s = map_labels(h, &m->problem);
        if (s != EG_OK && m->model) {
            eg_model_close(m->model);
            m->model = NULL;
        }
        m->tried = 1;
    }
    int there = m->model != NULL;
    pthread_mutex_unlock(&h->model_lock);
    return there ? EG_OK : eg_fail(err, EG_EUNAVAILABLE, "%s", m->problem.text);
}

static eg_status host_nli(void *host, eg_request *rq, const eg_pair *pairs, size_t n, float *out) {
    eg_host *h = host;
    eg_status s = need(h, &h->nli, rq->err);
    if (s == EG_OK) s = eg_model_classify(h->nli.model, pairs, n, out, &rq->cancel, rq->err);
    if (s != EG_OK) return s;
    eg_softmax(out, n, 3);
    for (size_t i = 0; i < n; i++) {
        float *row = out + 3 * i, p[3] = {row[h->nli_label[0]], row[h->nli_label[1]], row[h->nli_label[2]]};
        memcpy(row, p, sizeof p);
    }
    return EG_OK;
}

/* The memory compares vectors by their products, even if the model does not normalise them. */
static void to_length_one(float *v, uint32_t n) {
    double square = 0;
    for (uint32_t i = 0; i < n; i++) square += (double)v[i] * (double)v[i];
    for (uint32_t i = 0; square > 0 && i < n; i++) v[i] = (float)((double)v[i] / sqrt(square));
}

/* The first of the wanted prompts that the model has; NULL: its default one, if any. */
static const char *prompt_of(const eg_model_info *info, const char *const wanted[2]) {
    for (int w = 0; w < 2 && wanted[w]; w++)
        for (uint32_t i = 0; i < info->prompts; i++)
            if (strcmp(info->prompt_names[i], wanted[w]) == 0) return wanted[w];
    return NULL;
}

static eg_status embed_as(eg_host *h, const char *const prompts[2], eg_request *rq, const eg_str *texts, size_t n, float *out,
                          uint32_t dimensions) {
    eg_status s = need(h, &h->embed, rq->err);
    if (s != EG_OK) return s;
    if (dimensions != h->embed.info.hidden) {
        return eg_request_fail(rq, EG_EINVAL, "the model has %u dimensions, not %u", h->embed.info.hidden, dimensions);
    }
    s = eg_model_embed_prompted(h->embed.model, prompt_of(&h->embed.info, prompts), texts, n, out, &rq->cancel, rq->err);
    for (size_t i = 0; s == EG_OK && !h->embed.info.normalizes && i < n; i++) to_length_one(out + i * dimensions, dimensions);
    return s;
}

static eg_status host_embed(void *host, eg_request *rq, const eg_str *texts, size_t n, float *out, uint32_t dimensions) {
    return embed_as(host, (const char *const[2]){"passage", "document"}, rq, texts, n, out, dimensions);
}

static eg_status host_embed_size(void *host, eg_request *rq, uint32_t *dimensions) {
    eg_host *h = host;
    *dimensions = 0;
    eg_status s = need(h, &h->embed, rq->err);
    if (s == EG_OK) *dimensions = h->embed.info.hidden;
    return s;
}

eg_status eg_host_embed_query(void *host, eg_request *rq, const eg_str *texts, size_t n, float *out, uint32_t dimensions) {
    return embed_as(host, (const char *const[2]){"query", NULL}, rq, texts, n, out, dimensions);
}

eg_status eg_host_embed_model(void *host, eg_str *id, uint32_t *dimensions, eg_error *err) {
    eg_host *h = host;
    eg_status s = need(h, &h->embed, err);
    if (s != EG_OK) return s;
    pthread_mutex_lock(&h->model_lock);
    if (!h->embed_id[0]) eg_model_id(h->embed.folder, h->folders.cache, h->embed_id);
    pthread_mutex_unlock(&h->model_lock);
    *id = eg_str_of(h->embed_id);
    *dimensions = h->embed.info.hidden;
    return EG_OK;
}

eg_status eg_host_model_try(eg_host *h, const char *setting, eg_error *err) {
    eg_model_slot *m = strcmp(setting, h->nli.setting) == 0 ? &h->nli : &h->embed;
    return need(h, m, err);
}

eg_status eg_host_embed_id(void *host, eg_str *id, eg_error *err) {
    eg_host *h = host;
    char folder[MAX_PATH];
    pthread_mutex_lock(&h->model_lock);
    eg_status s = h->embed_id[0] ? EG_OK : eg_host_model_configured(h, h->embed.setting, folder, sizeof folder, err);
    if (s == EG_OK && !h->embed_id[0]) eg_model_id(folder, h->folders.cache, h->embed_id);
    pthread_mutex_unlock(&h->model_lock);
    *id = eg_str_of(h->embed_id);
    return s == EG_OK ? EG_OK : EG_EUNAVAILABLE;
}

/* Folder, or the reason why there is none; loads nothing. */
static void describe(eg_host *h, eg_model_slot *m, eg_str *folder, eg_str *problem) {
    *folder = *problem = (eg_str){"", 0};
    pthread_mutex_lock(&h->model_lock);
    if (!m->tried && !m->problem.text[0] && !m->folder[0] &&
        eg_host_model_configured(h, m->setting, m->folder, sizeof m->folder, &m->problem) != EG_OK)
        m->folder[0] = 0;
    if (m->problem.text[0]) *problem = eg_str_of(m->problem.text);
    else *folder = eg_str_of(m->folder);
    pthread_mutex_unlock(&h->model_lock);
}

void eg_host_describe_models(void *host, eg_memory_status *out) {
    eg_host *h = host;
    describe(h, &h->embed, &out->embed_model, &out->embed_problem);
    describe(h, &h->nli, &out->nli_model, &out->nli_problem);
}

/* {"thresholds": {"tier1_nli": 0.75, ...}} of engram.json beside a model. */
static void read_thresholds(eg_host *h, const char *setting) {
    char folder[MAX_PATH], path[MAX_PATH + 16];
    eg_error err = {0};
    eg_str text;
    eg_json j;
    if (eg_host_model_configured(h, setting, folder, sizeof folder, NULL) != EG_OK) return;
    snprintf(path, sizeof path, "%s/engram.json", folder);
    if (!eg_file_exists(path)) return;
    if (eg_file_read(path, 1 << 20, &h->arena, &text, &err) == EG_OK) {
        eg_json_init(&j, path, text, &h->arena, &err);
        eg_json_kind k = eg_json_next(&j);
        if (k != EG_JSON_OBJECT) k = eg_json_fail(&j, "expected an object");
        while (k != EG_JSON_ERROR && (k = eg_json_next(&j)) == EG_JSON_KEY) {
            int ours = eg_str_eq(j.text, EG_STR("thresholds"));
            if ((k = eg_json_next(&j)) == EG_JSON_ERROR) break;
            if (!ours || k != EG_JSON_OBJECT) {
                if (!eg_json_skip(&j)) break;
                continue;
            }
            while ((k = eg_json_next(&j)) == EG_JSON_KEY) {
                const char *key = eg_arena_copy(&h->arena, j.text);
                k = eg_json_next(&j);
                if (k != EG_JSON_NUMBER || !key || h->threshold_count == MAX_THRESHOLDS) {
                    k = eg_json_fail(&j, "expected at most %d thresholds, each a number", MAX_THRESHOLDS);
                    break;
                }
                h->thresholds[h->threshold_count++] = (eg_threshold){key, j.number};
            }
        }
    }
    if (err.text[0]) h->services.log(h, EG_LOG_WARN, "thresholds", err.text);
}

static double host_threshold(void *host, const char *name, double otherwise) {
    eg_host *h = host;
    char key[100];
    snprintf(key, sizeof key, "detection.%.80s", name);
    const char *set = eg_conf_get(h->config, key);
    if (set) return strtod(set, NULL);
    pthread_mutex_lock(&h->model_lock);
    if (!h->thresholds_read) {
        read_thresholds(h, "model.nli");
        read_thresholds(h, "model.embed");
        h->thresholds_read = 1;
    }
    for (size_t i = 0; i < h->threshold_count; i++) {
        if (strcmp(h->thresholds[i].name, name) != 0) continue;
        otherwise = h->thresholds[i].value;
        break;
    }
    pthread_mutex_unlock(&h->model_lock);
    return otherwise;
}

static eg_status host_model_file(void *host, eg_request *rq, const char *setting, const char *name, eg_str *out) {
    eg_host *h = host;
    char folder[MAX_PATH], path[MAX_PATH + 256];
    *out = (eg_str){"", 0};
    if (strcmp(setting, h->nli.setting) != 0 && strcmp(setting, h->embed.setting) != 0)
        return eg_request_fail(rq, EG_EINVAL, "'%s' is no setting of a model: %s and %s are", setting, h->nli.setting,
                               h->embed.setting);
    if (strchr(name, '/')) return eg_request_fail(rq, EG_EINVAL, "'%s' is not the name of a file beside a model", name);
    eg_status s = eg_host_model_configured(h, setting, folder, sizeof folder, rq->err);
    if (s != EG_OK) return s;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return eg_request_fail(rq, EG_ELIMIT, "the name of the file '%.60s' is too long", name);
    if (!eg_file_exists(path)) return eg_request_fail(rq, EG_ENOENT, "there is no '%s'", path);
    eg_arena arena;
    eg_str bytes;
    eg_arena_init(&arena, 0);
    s = eg_file_read(path, EG_MAX_MODEL_FILE, &arena, &bytes, rq->err);
    if (s == EG_OK) *out = eg_request_copy(rq, bytes);
    eg_arena_release(&arena);
    return s == EG_OK && !out->ptr ? EG_ENOMEM : s;
}

/* One scale for the whole vector: the largest magnitude becomes 127. */
static void host_quantize_s8(void *host, const float *x, size_t n, int8_t *out, float *scale) {
    (void)host;
    float most = 0;
    for (size_t i = 0; i < n; i++) most = fmaxf(most, fabsf(x[i]));
    *scale = most / 127.0f;
    for (size_t i = 0; i < n; i++) out[i] = most > 0 ? (int8_t)lrintf(x[i] / most * 127.0f) : 0;
}

enum { DOTS = 256 };

static void host_scan_s8(void *host, const int8_t *rows, const float *scales, size_t n, size_t dimensions, const int8_t *query,
                         float query_scale, float *out) {
    const eg_vector_kernels *k = &((eg_host *)host)->vectors;
    for (size_t done = 0; done < n; done += DOTS) {
        int32_t dots[DOTS];
        size_t count = n - done < DOTS ? n - done : DOTS;
        k->dots_s8(rows + done * dimensions, count, query, dimensions, dots);
        for (size_t i = 0; i < count; i++) out[done + i] = scales[done + i] * query_scale * (float)dots[i];
    }
}

static void host_parallel(void *host, size_t n, void (*task)(void *arg, size_t i), void *arg) {
    eg_host *h = host;
    eg_engine *e = NULL;
    if (pthread_mutex_trylock(&h->model_lock) == 0) { /* it is held while a model is opened */
        e = h->engine;
        pthread_mutex_unlock(&h->model_lock);
    }
    eg_engine_parallel(e, n, task, arg);
}

static float host_dot(void *host, const float *a, const float *b, size_t n) { return ((eg_host *)host)->vectors.dot(a, b, n); }

void eg_host_fill_inference(eg_host *h) {
    /* an ISA that this CPU lacks is reported when a model is opened */
    h->vectors = eg_vector_kernels_of(isa_of(h));
    h->nli.setting = "model.nli";
    h->nli.head = EG_HEAD_CLASSES;
    h->embed.setting = "model.embed";
    h->embed.head = EG_HEAD_EMBEDDING;
    h->services.nli = host_nli;
    h->services.embed = host_embed;
    h->services.embed_size = host_embed_size;
    h->services.threshold = host_threshold;
    h->services.model_file = host_model_file;
    h->services.quantize_s8 = host_quantize_s8;
    h->services.scan_s8 = host_scan_s8;
    h->services.dot = host_dot;
    h->services.parallel = host_parallel;
}

void eg_host_close_models(eg_host *h) {
    eg_model_close(h->nli.model);
    eg_model_close(h->embed.model);
    eg_engine_destroy(h->engine);
}
