/* store_fixture.c - see store_fixture.h. */
#include "store_fixture.h"

#include "core/memory/audit.h"

const eg_plugin *eg_plugin_sqlite(void);

static int64_t now(void *host) {
    (void)host;
    eg_clock c = eg_clock_system();
    return c.now(c.self);
}

static eg_status audit_hash(void *host, const uint8_t previous[32], const eg_audit_row *row, uint8_t out[32]) {
    return eg_audit_hash(&((store *)host)->services, previous, row, out);
}

void work_in(store *s, const char *workspace) { test_request_set(&s->request, eg_str_of(workspace), NULL, (eg_cancel){0}, NULL); }

eg_status open_store(store *s, const char *path) {
    memset(s, 0, sizeof *s);
    s->services = test_services(s);
    s->services.now = now;
    s->services.audit_hash = audit_hash;
    test_request_init(&s->request, 0);
    eg_status st = test_registrar_open(&s->registrar, &s->services, eg_plugin_sqlite(), NULL, &s->request.err);
    if (st != EG_OK) return st;
    const eg_storage_open_args args = {.size = sizeof args, .flags = EG_STORAGE_FOR_TESTS, .location = eg_str_of(path)};
    return s->registrar.ops->open(&s->services, &s->request.rq, &args, &s->handle);
}

void close_store(store *s) {
    s->registrar.ops->close(s->handle);
    test_request_release(&s->request);
}
