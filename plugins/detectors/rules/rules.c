/* rules.c - the plugin "rules": registers the deterministic detector. Not here: what it looks for
 * (examine.c). Loaded by the host. */
#include "examine.h"
#include "engram/plugin.h"

/* Limits bound the work: 64 statements against the 64 of each of 40 candidates, all alike, take 2
 * to 3 s; an ordinary case takes a few ms. */
enum { BUDGET_MS = 10000 };

static const eg_detector detector = {.size = sizeof(eg_detector),
                                     .flags = EG_DETECTOR_DETERMINISTIC,
                                     .order = 0,
                                     .budget_ms = BUDGET_MS,
                                     .name = "rules",
                                     .version = "1",
                                     .examine = examine_case};

static eg_status plugin_open(const eg_services *services, eg_registrar *registrar, void **self, eg_error *err) {
    (void)err;
    *self = NULL;
    return services->add_detector(registrar, &detector, NULL);
}

static void plugin_close(void *self) { (void)self; }

static const eg_plugin plugin = {EG_PLUGIN_HEAD(EG_KIND_DETECTOR, "rules", "1", "Apache-2.0"), .open = plugin_open,
                                 .close = plugin_close};

const eg_plugin *EG_PLUGIN_ENTRY(void) { return &plugin; }
