/* suspicious.c - a detector of the tests: it takes every two texts about the export for a
 * contradiction, but is only half sure. */
#include "engram/plugin.h"

static int about_export(const eg_fact *f) { return memmem(f->content.ptr, f->content.len, "export", 6) != NULL; }

static eg_status examine(void *self, const eg_services *services, eg_request *rq, const eg_case *c,
                         eg_status (*add)(void *sink, const eg_finding *finding), void *sink) {
    (void)self, (void)services, (void)rq;
    for (uint32_t i = 0; i < c->candidate_count; i++) {
        if (!about_export(c->subject->fact) || !about_export(c->candidates[i]->fact)) continue;
        const eg_finding f = {.size = sizeof f,
                              .candidate = i,
                              .severity = EG_SEVERITY_MEDIUM,
                              .score = 0.5,
                              .tier = EG_STR("tier1_nli"),
                              .explanation = EG_STR("Both are about the export.")};
        eg_status s = add(sink, &f);
        if (s != EG_OK) return s;
    }
    return EG_OK;
}

static const eg_detector detector = {
    .size = sizeof detector, .order = 100, .budget_ms = 100, .name = "suspicious", .version = "1", .examine = examine};

static eg_status open_plugin(const eg_services *services, eg_registrar *registrar, void **self, eg_error *err) {
    (void)err, *self = NULL;
    return services->add_detector(registrar, &detector, NULL);
}

const eg_plugin *EG_PLUGIN_ENTRY(void) {
    static const eg_plugin plugin = {EG_PLUGIN_HEAD(EG_KIND_DETECTOR, "suspicious", "1", "Apache-2.0"), .open = open_plugin};
    return &plugin;
}
