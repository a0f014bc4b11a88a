/* store_fixture.c - see store_fixture.h. */
#include "store_fixture.h"

#include <sodium.h>

#include "tests/plain_vectors.h"

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
static void sha256(void *host, const void *bytes, size_t n, uint8_t out[32]) {
    (void)host;
    crypto_hash_sha256(out, bytes, n);
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
                              .quantize_s8 = plain_quantize_s8,
                              .scan_s8 = plain_scan_s8,
                              .dot = plain_dot,
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
