/* registrar.c - see registrar.h. */
#include "tests/support/registrar.h"

static eg_status add_detector(eg_registrar *r, const eg_detector *detector, void *self) {
    if (r->detector_count == TEST_MAX_DETECTORS) return EG_ELIMIT;
    r->detector_self[r->detector_count] = self;
    r->detectors[r->detector_count++] = detector;
    return EG_OK;
}

static eg_status add_storage(eg_registrar *r, const eg_storage_ops *ops) {
    r->ops = ops;
    return EG_OK;
}

static eg_status add_tool(eg_registrar *r, const eg_tool *tool, void *self) {
    if (r->tool_count == TEST_MAX_TOOLS) return EG_ELIMIT;
    r->tool_self[r->tool_count] = self;
    r->tools[r->tool_count++] = tool;
    return EG_OK;
}

static eg_status add_resource(eg_registrar *r, const eg_resource *resource, void *self) {
    if (r->resource_count == TEST_MAX_OFFERS) return EG_ELIMIT;
    r->resource_self[r->resource_count] = self;
    r->resources[r->resource_count++] = resource;
    return EG_OK;
}

static eg_status add_prompt(eg_registrar *r, const eg_prompt *prompt, void *self) {
    if (r->prompt_count == TEST_MAX_OFFERS) return EG_ELIMIT;
    r->prompt_self[r->prompt_count] = self;
    r->prompts[r->prompt_count++] = prompt;
    return EG_OK;
}

static eg_status add_gate(eg_registrar *r, const eg_gate *gate, void *self) {
    r->gate = gate;
    r->gate_self = self;
    return EG_OK;
}

static eg_status add_frontend(eg_registrar *r, const eg_frontend *frontend, void *self) {
    r->frontend = frontend;
    r->frontend_self = self;
    return EG_OK;
}

void test_registrar_fill(eg_services *services) {
    services->add_detector = add_detector;
    services->add_storage = add_storage;
    services->add_tool = add_tool;
    services->add_resource = add_resource;
    services->add_prompt = add_prompt;
    services->add_gate = add_gate;
    services->add_frontend = add_frontend;
}

eg_status test_registrar_open(eg_registrar *r, const eg_services *services, const eg_plugin *plugin, void **self, eg_error *err) {
    void *ignored;
    if (plugin->magic != EG_PLUGIN_MAGIC || plugin->size != sizeof *plugin) return EG_EVERSION;
    return plugin->open(services, r, self ? self : &ignored, err);
}
