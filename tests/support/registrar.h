/* registrar.h - collects what a plugin registers, so that a test can call it without a host. */
#ifndef EG_TEST_REGISTRAR_H
#define EG_TEST_REGISTRAR_H

#include "engram/plugin.h"

enum { TEST_MAX_DETECTORS = 8, TEST_MAX_TOOLS = 64, TEST_MAX_OFFERS = 16 };

struct eg_registrar {
    const eg_storage_ops *ops; /* of the storage backend */
    const eg_detector *detectors[TEST_MAX_DETECTORS];
    void *detector_self[TEST_MAX_DETECTORS];
    size_t detector_count;
    const eg_tool *tools[TEST_MAX_TOOLS];
    void *tool_self[TEST_MAX_TOOLS];
    size_t tool_count;
    const eg_resource *resources[TEST_MAX_OFFERS];
    void *resource_self[TEST_MAX_OFFERS];
    size_t resource_count;
    const eg_prompt *prompts[TEST_MAX_OFFERS];
    void *prompt_self[TEST_MAX_OFFERS];
    size_t prompt_count;
    const eg_gate *gate;
    void *gate_self;
    const eg_frontend *frontend;
    void *frontend_self;
};

/* Fills in the functions of services with which a plugin registers itself. Of detectors, tools,
 * resources and prompts all are kept, up to the limits above (EG_ELIMIT beyond them); of the other
 * kinds the last. */
void test_registrar_fill(eg_services *services);

/* Checks magic and size of the descriptor, then opens the plugin. *self (may be NULL) is for its
 * close(). */
eg_status test_registrar_open(eg_registrar *r, const eg_services *services, const eg_plugin *plugin, void **self, eg_error *err);

#endif
