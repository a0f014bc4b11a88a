/* secrets.c - the gate that keeps credentials out of the memory, and personal data where the
 * setting secrets.personal_data says "refuse". It refuses a commit whose text contains one; the
 * error names the kind and the position, never the secret itself. scan.c and personal.c know what
 * they look like. Loaded by the host. */
#include "engram/plugin.h"
#include "personal.h"
#include "plain.h"
#include "scan.h"

static int find(eg_str text, int personal, secret_hit *hit) {
    return secret_find(text, 0, hit) || (personal && personal_find(text, hit));
}

/* Looks at the text as it is, and as a reader sees it. */
static eg_status look(eg_request *rq, eg_str text, int personal, secret_hit *hit, int *found) {
    *found = find(text, personal, hit);
    if (*found || !plain_differs(text)) return EG_OK;
    plain_text plain = {.bytes = eg_request_array(rq, text.len, 1), .at = eg_request_array(rq, text.len, sizeof *plain.at)};
    if (!plain.bytes || !plain.at) return EG_ENOMEM;
    plain_write(text, &plain);
    if (!(*found = find((eg_str){plain.bytes, plain.len}, personal, hit))) return EG_OK;
    hit->end = hit->end < plain.len ? plain.at[hit->end] : text.len;
    hit->start = plain.at[hit->start];
    return EG_OK;
}

static eg_status check_field(eg_request *rq, const char *field, eg_str text, int personal) {
    secret_hit hit;
    int found;
    eg_status s = look(rq, text, personal, &hit, &found);
    if (s != EG_OK || !found) return s;
    return eg_request_fail(rq, EG_EREFUSED,
                           "%s contains what looks like %s (bytes %zu to %zu), so nothing was stored: commit it again "
                           "without that, for example with <redacted> or the name of the vault that keeps it; if it is a "
                           "real secret, rotate it",
                           field, hit.what, hit.start, hit.end);
}

static eg_status check(void *self, const struct eg_services *services, eg_request *rq, const eg_commit_args *args) {
    (void)services;
    const struct {
        const char *name;
        eg_str text;
    } fields[] = {{"content", args->content},       {"scope", args->scope},
                  {"provenance", args->provenance}, {"artifact_hash", args->artifact_hash},
                  {"engineer", args->engineer},     {"agent_id", args->agent_id}};
    eg_status status = EG_OK;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0] && status == EG_OK; i++)
        status = check_field(rq, fields[i].name, fields[i].text, self != NULL);
    return status;
}

static const eg_gate gate = {.size = sizeof(eg_gate), .name = "secrets", .check = check};

/* Its registration carries a pointer where personal data is refused too. A value that is neither of
 * both refuses it: what was meant is unknown, and what was stored cannot be taken back. */
static eg_status plugin_open(const eg_services *services, eg_registrar *registrar, void **self, eg_error *err) {
    static char refuses_personal_data;
    eg_str value;
    (void)err;
    *self = NULL;
    int set = services->config(services->host, "secrets.personal_data", &value) == EG_OK;
    int refuses = set && !eg_str_eq(value, EG_STR("allow"));
    if (refuses && !eg_str_eq(value, EG_STR("refuse")))
        services->log(services->host, EG_LOG_WARN, "secrets",
                      "secrets.personal_data is neither allow nor refuse: personal data is refused");
    return services->add_gate(registrar, &gate, refuses ? &refuses_personal_data : NULL);
}

static void plugin_close(void *self) { (void)self; }

static const eg_plugin plugin = {EG_PLUGIN_HEAD(EG_KIND_GATE, "secrets", "1", "Apache-2.0"), .open = plugin_open,
                                 .close = plugin_close};

const eg_plugin *EG_PLUGIN_ENTRY(void) { return &plugin; }
