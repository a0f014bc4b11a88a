/* plugin_fault.c - a detector that is good, or has the one fault that a definition names. For
 * test_loader.c. */
#include "engram/plugin.h"

static eg_status examine(void *self, const eg_services *services, eg_request *rq, const eg_case *c,
                         eg_status (*add)(void *, const eg_finding *), void *sink) {
    (void)self, (void)services, (void)rq, (void)c, (void)add, (void)sink;
    return EG_OK;
}
static const eg_detector detector = {.size = sizeof detector, .order = 1000, .name = "fault", .version = "1", .examine = examine};

static eg_status start(const eg_services *services, eg_registrar *r, void **self, eg_error *err) {
    eg_status s = services->add_detector(r, &detector, NULL);
    (void)self, (void)err;
#ifdef FAULT_fails
    if (s == EG_OK) {
        strcpy(err->text, "no luck today");
        s = EG_EIO;
    }
#endif
    return s;
}

static const eg_plugin plugin = {
#if defined(FAULT_magic)
    .magic = 1,
#else
    .magic = EG_PLUGIN_MAGIC,
#endif
#if defined(FAULT_size)
    .size = EG_PLUGIN_SIZE_1_0 - 1,
#else
    .size = sizeof plugin,
#endif
#if defined(FAULT_major)
    .abi_major = EG_ABI_MAJOR + 1,
#else
    .abi_major = EG_ABI_MAJOR,
#endif
#if defined(FAULT_minor)
    .abi_minor = EG_ABI_MINOR + 1,
#else
    .abi_minor = EG_ABI_MINOR,
#endif
    .kind = EG_KIND_DETECTOR,
#if !defined(FAULT_nameless)
    .name = "fault",
#endif
    .version = "1",
    .licence = "MIT",
    .open = start};

#if defined(FAULT_entryless)
__attribute__((visibility("default"))) const eg_plugin *another_entry(void);
const eg_plugin *another_entry(void) { return &plugin; }
#else
const eg_plugin *eg_plugin_entry(void) { return &plugin; }
#endif
