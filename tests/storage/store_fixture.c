/* store_fixture.c - see store_fixture.h. */
#include "store_fixture.h"

const eg_plugin *eg_plugin_sqlite(void);

static int64_t now(void *host) {
    const store *s = host;
    eg_clock c = eg_clock_system();
    return s->now ? s->now : c.now(c.self);
}

void work_in(store *s, const char *workspace) { test_request_set(&s->request, eg_str_of(workspace), NULL, (eg_cancel){0}, NULL); }

eg_status open_store(store *s, const char *path) {
    memset(s, 0, sizeof *s);
    s->services = test_services(s);
    s->services.now = now;
    test_request_init(&s->request, 0);
    eg_status st = test_registrar_open(&s->registrar, &s->services, eg_plugin_sqlite(), NULL, &s->request.err);
    return st == EG_OK ? s->registrar.ops->open(&s->services, &s->request.rq, eg_str_of(path), &s->handle) : st;
}

void close_store(store *s) {
    s->registrar.ops->close(s->handle);
    test_request_release(&s->request);
}
