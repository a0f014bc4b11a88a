/* views.c - see views.h. */
#include "views.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

enum { CACHED = 4096, KEY = 32 };

struct vector_cache {
    pthread_mutex_t lock;
    uint32_t dimensions;
    uint8_t (*keys)[KEY]; /* SHA-256 of the text, which also says the only place where it may be */
    float *vectors;
};

vector_cache *vector_cache_create(void) {
    vector_cache *c = calloc(1, sizeof *c);
    if (c) pthread_mutex_init(&c->lock, NULL);
    return c;
}

void vector_cache_destroy(vector_cache *c) {
    if (!c) return;
    pthread_mutex_destroy(&c->lock);
    free(c->keys);
    free(c->vectors);
    free(c);
}

static size_t slot_of(const uint8_t key[KEY]) { return ((size_t)key[0] << 8 | key[1]) % CACHED; }

/* Memory is taken when the size of a vector is known. */
static int is_ready(vector_cache *c, uint32_t dimensions) {
    if (c->dimensions == dimensions) return 1;
    if (c->dimensions) return 0;
    c->keys = calloc(CACHED, KEY);
    c->vectors = malloc(CACHED * (size_t)dimensions * sizeof *c->vectors);
    if (c->keys && c->vectors) {
        c->dimensions = dimensions;
        return 1;
    }
    free(c->keys);
    free(c->vectors);
    c->keys = NULL;
    c->vectors = NULL;
    return 0;
}

static int recall(vector_cache *c, const uint8_t key[KEY], float *out, uint32_t dimensions) {
    pthread_mutex_lock(&c->lock);
    size_t at = slot_of(key);
    int there = c->dimensions == dimensions && memcmp(c->keys[at], key, KEY) == 0;
    if (there) memcpy(out, c->vectors + at * dimensions, dimensions * sizeof *out);
    pthread_mutex_unlock(&c->lock);
    return there;
}

static void keep(vector_cache *c, const uint8_t key[KEY], const float *vector, uint32_t dimensions) {
    pthread_mutex_lock(&c->lock);
    if (is_ready(c, dimensions)) {
        size_t at = slot_of(key);
        memcpy(c->keys[at], key, KEY);
        memcpy(c->vectors + at * dimensions, vector, dimensions * sizeof *vector);
    }
    pthread_mutex_unlock(&c->lock);
}

/* Fills in the vectors of n parts, in the request's memory. */
static eg_status embed(vector_cache *cache, const eg_services *services, eg_request *rq, part_view *const *parts, size_t n,
                       uint32_t dimensions) {
    float *room = eg_request_array(rq, n * dimensions, sizeof *room);
    uint8_t(*keys)[KEY] = eg_request_array(rq, n, KEY);
    eg_str *unknown = eg_request_array(rq, n, sizeof *unknown);
    size_t *place = eg_request_array(rq, n, sizeof *place), count = 0;
    if (!room || !keys || !unknown || !place) return EG_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        parts[i]->vector = room + i * dimensions;
        services->sha256(services->host, parts[i]->text.ptr, parts[i]->text.len, keys[i]);
        if (recall(cache, keys[i], room + i * dimensions, dimensions)) continue;
        unknown[count] = parts[i]->text;
        place[count++] = i;
    }
    float *made = eg_request_array(rq, count * dimensions, sizeof *made);
    if (!made) return EG_ENOMEM;
    eg_status s = count ? services->embed(services->host, rq, unknown, count, made, dimensions) : EG_OK;
    for (size_t k = 0; s == EG_OK && k < count; k++) {
        const float *vector = made + k * dimensions;
        memcpy(room + place[k] * dimensions, vector, dimensions * sizeof *vector);
        keep(cache, keys[place[k]], vector, dimensions);
    }
    return s;
}

static eg_status read_one(eg_request *rq, const eg_case_fact *f, fact_view *out) {
    eg_str content = f->fact->content;
    *out = (fact_view){.f = f, .whole = {.text = content, .span = {0, (uint32_t)content.len}}};
    eg_status s = word_set_read(rq, content, &out->whole.words);
    size_t n = f->statement_count < EG_MAX_STATEMENTS ? f->statement_count : EG_MAX_STATEMENTS;
    out->whole.vector = f->vectors ? f->vectors[0] : NULL;
    if (n == 1 && f->details && !f->details[0].alone.len) out->whole.statement = f->details;
    if (n <= 1 && !(n && f->details && f->details[0].alone.len)) n = 0;
    part_view *parts = n ? eg_request_array(rq, n, sizeof *parts) : NULL;
    if (s != EG_OK || (n && !parts)) return EG_ENOMEM;
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        const eg_statement *details = f->details ? &f->details[i] : NULL;
        eg_span span = f->statements[i];
        parts[i] = (part_view){.text = {content.ptr + span.start, span.end - span.start},
                               .span = span,
                               .place = (uint32_t)i,
                               .statement = details,
                               .vector = f->vectors ? f->vectors[i + 1] : NULL};
        if (details) parts[i].text = eg_statement_text(content, details);
        s = word_set_read(rq, parts[i].text, &parts[i].words);
    }
    out->parts = n ? parts : &out->whole;
    out->count = n ? n : 1;
    return s;
}

/* How much two statements share: words count the more, the fewer statements of the second one's
 * fact have them. having: these numbers, a word of b each. */
static double in_common(const part_view *a, const part_view *b, const unsigned char *having) {
    double sum = 0;
    for (size_t i = 0; i < b->words.count; i++) {
        const word *w = &b->words.words[i];
        if (w->class != WORD_FILLER && word_set_find(&a->words, w->hash)) sum += 1.0 / having[i];
    }
    return sum / sqrt((double)(a->words.total + b->words.total + 1));
}

/* Keeps of a long candidate the MAX_PARTS statements that share most with one of the subject. */
static void keep_nearest(const fact_view *subject, fact_view *f) {
    double scores[EG_MAX_STATEMENTS];
    if (f->count <= MAX_PARTS) return;
    for (size_t i = 0; i < f->count; i++) {
        const part_view *p = &f->parts[i];
        unsigned char having[MAX_SET_WORDS] = {0};
        scores[i] = 0;
        for (size_t w = 0; w < p->words.count; w++)
            for (size_t k = 0; k < f->count; k++)
                if (word_set_find(&f->parts[k].words, p->words.words[w].hash)) having[w]++;
        for (size_t k = 0; k < subject->count; k++) scores[i] = fmax(scores[i], in_common(&subject->parts[k], p, having));
    }
    size_t kept = 0;
    for (size_t i = 0; i < f->count; i++) {
        size_t before = 0;
        for (size_t k = 0; k < f->count; k++) before += scores[k] > scores[i] || (scores[k] == scores[i] && k < i);
        if (before < MAX_PARTS) f->parts[kept++] = f->parts[i];
    }
    f->count = kept;
}

eg_status views_read(vector_cache *cache, const eg_services *services, eg_request *rq, const eg_case_fact *const *facts, size_t n,
                     fact_view *out, uint32_t *dimensions) {
    size_t most = EG_MAX_STATEMENTS + 1 + (n - 1) * (MAX_PARTS + 1);
    part_view **unknown = eg_request_array(rq, most, sizeof *unknown);
    size_t count = 0;
    if (!unknown) return EG_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        eg_status s = read_one(rq, facts[i], &out[i]);
        if (s != EG_OK) return s;
        if (i) keep_nearest(&out[0], &out[i]);
        if (!out[i].whole.vector) unknown[count++] = &out[i].whole;
        for (size_t k = 0; k < out[i].count && out[i].parts != &out[i].whole; k++)
            if (!out[i].parts[k].vector) unknown[count++] = &out[i].parts[k];
    }
    eg_status s = services->embed_size(services->host, rq, dimensions);
    if (s == EG_OK && count) s = embed(cache, services, rq, unknown, count, *dimensions);
    if (s == EG_EUNAVAILABLE) { /* no embedding model */
        *rq->err = (eg_error){0};
        *dimensions = 0;
        return EG_OK;
    }
    return s;
}
