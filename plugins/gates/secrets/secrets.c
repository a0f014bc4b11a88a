/* secrets.c - the gate that keeps credentials out of the memory. It refuses a commit whose text
 * contains one; the error names the kind and the position of the secret, never the secret itself.
 * scan.c knows what secrets look like. Loaded by the host. */
#include "engram/plugin.h"
#include "scan.h"

static eg_status check_field(eg_request *rq, const char *field, eg_str text) {
    secret_hit hit;
    if (!secret_find(text, 0, &hit)) return EG_OK;
    return eg_request_fail(rq, EG_EREFUSED,
                           "%s contains what looks like %s (bytes %zu to %zu), so nothing was stored: commit it again "
                           "without the secret, for example with <redacted> or the name of the vault that keeps it; if the "
                           "secret is real, rotate it",
                           field, hit.what, hit.start, hit.end);
}

static eg_status check(void *self, const struct eg_services *services, eg_request *rq, const eg_commit_args *args) {
    (void)self;
    (void)services;
    const struct {
        const char *name;
        eg_str text;
    } fields[] = {{"content", args->content},
                  {"provenance", args->provenance},
                  {"artifact_hash", args->artifact_hash},
                  {"engineer", args->engineer},
                  {"agent_id", args->agent_id}};
    eg_status status = EG_OK;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0] && status == EG_OK; i++)
        status = check_field(rq, fields[i].name, fields[i].text);
    return status;
}

static const eg_gate gate = {.size = sizeof(eg_gate), .name = "secrets", .check = check};

static eg_status plugin_open(const eg_services *services, eg_registrar *registrar, void **self, eg_error *err) {
    (void)err;
    *self = NULL;
    return services->add_gate(registrar, &gate, NULL);
}

static void plugin_close(void *self) { (void)self; }

static const eg_plugin plugin = {EG_PLUGIN_HEAD(EG_KIND_GATE, "secrets", "1", "Apache-2.0"), .open = plugin_open,
                                 .close = plugin_close};

const eg_plugin *EG_PLUGIN_ENTRY(void) { return &plugin; }
