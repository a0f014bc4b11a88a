/* required_gates.c - the gates that must have looked at a text before it is stored (the setting
 * gates_required), and why one of them is not there. The memory refuses to write without them; what
 * is stored can still be read. Called by host.c once all plugins are open. */
#include "core/base/status.h"
#include "core/base/utf8.h"
#include "core/host/internal.h"

enum { MOST_OF_REASON = 280 }; /* so that what to do still fits into an error */

static int is_offered(const eg_host *h, eg_str name) {
    const eg_registrar *r = &h->plugins.registrar;
    for (size_t i = 0; i < r->committed.gates; i++)
        if (eg_str_eq(eg_str_of(r->gates[i].gate.name), name)) return 1;
    return 0;
}

/* 1 when the path, or the name of a plugin of the program itself, is that of the plugin `name`. */
static int is_file_of(const char *path, eg_str name) {
    const char *last = path;
    for (const char *p = path; *p; p++)
        if (*p == '/' || *p == ':') last = p + 1;
    eg_str base = eg_str_of(last);
    if (base.len > 3 && memcmp(base.ptr + base.len - 3, ".so", 3) == 0) base.len -= 3;
    return eg_str_eq(base, name);
}

/* Why no loaded plugin offers the gate; gates that ship have the name of their plugin. */
static void tell_why(const eg_host *h, eg_str name, eg_error *out) {
    for (size_t i = 0; i < h->plugins.count; i++) {
        const eg_loaded_plugin *row = &h->plugins.rows[i];
        if (!is_file_of(row->path, name)) continue;
        if (row->problem) eg_fail(out, EG_EUNAVAILABLE, "%s", row->problem);
        else eg_fail(out, EG_EUNAVAILABLE, "the plugin '%s' is loaded and offers no gate of this name", row->path);
        return;
    }
    eg_fail(out, EG_EUNAVAILABLE, "no plugin in the setting plugins (%s) offers it", eg_conf_origin(h->config, "plugins"));
}

eg_status eg_host_find_gates(eg_host *h, eg_error *err) {
    /* An empty value is the default too: that nothing is required must be said. */
    const char *at = eg_conf_get(h->config, "gates_required");
    if (!at) at = eg_conf_default("gates_required");
    eg_str word, first = {0};
    size_t words = 0;
    int none = 0;
    for (const char *p = at; eg_conf_next_word(&p, &word); words++) {
        if (eg_str_eq(word, EG_STR("none"))) none = 1;
        else if (!first.len && !is_offered(h, word)) first = word;
    }
    if (words == 0 || (none && words > 1))
        return eg_fail(err, EG_EINVAL, "%s: gates_required is '%.60s': write names of gates, or none alone",
                       eg_conf_origin(h->config, "gates_required"), at);
    if (!first.len) return EG_OK;
    eg_error why = {0};
    tell_why(h, first, &why);
    size_t most = eg_utf8_floor(why.text, strlen(why.text), MOST_OF_REASON);
    const char *text =
        eg_arena_printf(&h->arena,
                        "nothing is stored without the gate '%.*s', and it is not there: %.*s; mend that and start "
                        "again, or set gates_required = none in your engram.conf to store what no gate has seen",
                        (int)(first.len < 40 ? first.len : 40), first.ptr, (int)most, why.text);
    if (!text) return eg_fail_memory(err, sizeof why);
    h->writing_problem = eg_str_of(text);
    return EG_OK;
}
