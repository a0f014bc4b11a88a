/* cross_scope.c - tier 2b: the same thing claimed differently in another scope tree.
 * What two facts say about each other is found in ../common/judge.c; this file only decides which
 * observations are its own. Loaded by the host. */
#include "../common/report.h"
#include "engram/plugin.h"

static const char *tier(const observation *o, int other_scope) {
    return other_scope && o->outcome == EG_CONTRADICTION ? "tier2b_cross_scope" : NULL;
}

static eg_status examine(void *self, const struct eg_services *services, eg_request *rq, const eg_case *c,
                         eg_status (*add)(void *sink, const eg_finding *finding), void *sink) {
    (void)self;
    (void)services;
    return report_case(rq, c, tier, add, sink);
}

static const eg_detector detector = {.size = sizeof(eg_detector),
                                     .order = 25,
                                     .budget_ms = 50,
                                     .name = "cross_scope",
                                     .version = "1",
                                     .examine = examine};

static eg_status plugin_open(const eg_services *services, eg_registrar *registrar, void **self,
                             eg_error *err) {
    (void)err;
    *self = NULL;
    return services->add_detector(registrar, &detector, NULL);
}

static void plugin_close(void *self) {
    (void)self;
}

static const eg_plugin plugin = {EG_PLUGIN_HEAD(EG_KIND_DETECTOR, "cross_scope", "1", "Apache-2.0"),
                                 .open = plugin_open, .close = plugin_close};

const eg_plugin *EG_PLUGIN_ENTRY(void) {
    return &plugin;
}
