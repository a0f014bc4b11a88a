/* own_detector.c - a team's own detector, built outside the tree against the installed headers
 * alone: two facts that name different people on call for the same service, written as "oncall:
 * SERVICE = NAME". */
#include <string.h>

#include "engram/plugin.h"

/* The service and the name of such a fact; 0 when it is none. */
static int read_rota(eg_str text, eg_str *service, eg_str *name) {
    static const char start[] = "oncall: ";
    const char *equals = memmem(text.ptr, text.len, " = ", 3);
    if (!equals || text.len < sizeof start || memcmp(text.ptr, start, sizeof start - 1) != 0) return 0;
    *service = (eg_str){text.ptr + sizeof start - 1, (size_t)(equals - text.ptr) - (sizeof start - 1)};
    *name = (eg_str){equals + 3, text.len - (size_t)(equals - text.ptr) - 3};
    return 1;
}

static eg_status examine(void *self, const eg_services *services, eg_request *rq, const eg_case *c,
                         eg_status (*add)(void *sink, const eg_finding *finding), void *sink) {
    eg_str service, name, other_service, other_name;
    (void)self, (void)services;
    if (!read_rota(c->subject->fact->content, &service, &name)) return EG_OK;
    for (uint32_t i = 0; i < c->candidate_count; i++) {
        if (!read_rota(c->candidates[i]->fact->content, &other_service, &other_name)) continue;
        if (!eg_str_eq(service, other_service) || eg_str_eq(name, other_name)) continue;
        eg_finding f = {.size = sizeof f, .candidate = i, .severity = EG_SEVERITY_HIGH, .score = 1};
        f.explanation = eg_request_printf(rq, "%.*s has two people on call.", (int)service.len, service.ptr);
        eg_status s = add(sink, &f);
        if (s != EG_OK) return s;
    }
    return EG_OK;
}

static const eg_detector detector = {
    .size = sizeof detector, .order = 1000, .budget_ms = 10, .name = "rota", .version = "1", .examine = examine};

static eg_status open_plugin(const eg_services *services, eg_registrar *registrar, void **self, eg_error *err) {
    (void)err;
    *self = NULL;
    return services->add_detector(registrar, &detector, NULL);
}

const eg_plugin *EG_PLUGIN_ENTRY(void) {
    static const eg_plugin plugin = {EG_PLUGIN_HEAD(EG_KIND_DETECTOR, "rota", "1", "Apache-2.0"), .open = open_plugin};
    return &plugin;
}
