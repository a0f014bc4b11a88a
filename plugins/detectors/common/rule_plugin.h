/* rule_plugin.h - the plugin around a rule detector, for entity.c, numeric.c and cross_scope.c: each defines RULE_NAME,
 * RULE_ORDER and tier(), then includes this once, at its end. Not a header of declarations. */
#include "engram/plugin.h"

static eg_status examine(void *self, const struct eg_services *services, eg_request *rq, const eg_case *c,
                         eg_status (*add)(void *sink, const eg_finding *finding), void *sink) {
    (void)self;
    (void)services;
    return report_case(rq, c, tier, add, sink);
}

/* Limits bound the work: 64 statements against those of 40 candidates, all alike, take 2 to 3 s, what is usual a few ms. */
enum { BUDGET_MS = 10000 };

static const eg_detector detector = {.size = sizeof(eg_detector),
                                     .order = RULE_ORDER,
                                     .budget_ms = BUDGET_MS,
                                     .name = RULE_NAME,
                                     .version = "1",
                                     .examine = examine};

static eg_status plugin_open(const eg_services *services, eg_registrar *registrar, void **self, eg_error *err) {
    (void)err;
    *self = NULL;
    return services->add_detector(registrar, &detector, NULL);
}

static void plugin_close(void *self) { (void)self; }

static const eg_plugin plugin = {EG_PLUGIN_HEAD(EG_KIND_DETECTOR, RULE_NAME, "1", "Apache-2.0"), .open = plugin_open,
                                 .close = plugin_close};

const eg_plugin *EG_PLUGIN_ENTRY(void) { return &plugin; }
