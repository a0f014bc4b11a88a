/* store_fixture.c - see store_fixture.h. */
#include "store_fixture.h"

#include <math.h>
#include <sodium.h>

const eg_plugin *eg_plugin_sqlite(void);

static eg_status add_storage(eg_registrar *r, const eg_storage_ops *s) {
    r->ops = s;
    return EG_OK;
}
static int64_t now(void *host) {
    const store *s = host;
    eg_clock c = eg_clock_system();
    return s->now ? s->now : c.now(c.self);
}
eg_id test_id(void) {
    eg_id id;
    randombytes_buf(id.bytes, sizeof id.bytes);
    return id;
}
static eg_id new_id(void *host) {
    (void)host;
    return test_id();
}
static void sha256(const void *bytes, size_t n, uint8_t out[32]) { crypto_hash_sha256(out, bytes, n); }
static void quantize_s8(const float *x, size_t n, int8_t *out, float *scale) {
    float most = 1e-12f;
    for (size_t i = 0; i < n; i++) most = fabsf(x[i]) > most ? fabsf(x[i]) : most;
    *scale = most / 127;
    for (size_t i = 0; i < n; i++) out[i] = (int8_t)lrintf(x[i] / *scale);
}
static void scan_s8(const int8_t *rows, const float *scales, size_t n, size_t dimensions, const int8_t *q, float q_scale,
                    float *out) {
    for (size_t i = 0; i < n; i++) {
        int32_t sum = 0;
        for (size_t k = 0; k < dimensions; k++) sum += rows[i * dimensions + k] * q[k];
        out[i] = scales[i] * q_scale * (float)sum;
    }
}
static float dot(const float *a, const float *b, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}
static void *alloc(eg_request *rq, size_t size) {
    store *s = (store *)(void *)((char *)rq - offsetof(store, rq));
    return eg_arena_alloc(&s->arena, size);
}

eg_status open_store(store *s, const char *path) {
    *s = (store){.services = {.size = sizeof s->services,
                              .host = s,
                              .now = now,
                              .new_id = new_id,
                              .sha256 = sha256,
                              .add_storage = add_storage,
                              .quantize_s8 = quantize_s8,
                              .scan_s8 = scan_s8,
                              .dot = dot,
                              .version = "test"}};
    s->rq =
        (eg_request){.size = sizeof s->rq, .alloc = alloc, .err = &s->err, .workspace = EG_STR("local"), .actor = EG_STR("test")};
    void *self;
    eg_status st = eg_plugin_sqlite()->open(&s->services, &s->registrar, &self, &s->err);
    return st == EG_OK ? s->registrar.ops->open(&s->services, &s->rq, eg_str_of(path), &s->handle) : st;
}

void close_store(store *s) {
    s->registrar.ops->close(s->handle);
    eg_arena_release(&s->arena);
}
