/* roots.c - asking a client for its folders. See roots.h. */
#include "roots.h"

#include <stdlib.h>
#include <strings.h>
#include <time.h>

#include "state.h"

enum { WAIT_MS = 2000, MAX_HELD = 256, MAX_HELD_BYTES = 8 << 20, MAX_FOLDER = 4096 };

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

size_t mcp_folder_of_uri(const char *uri, char *out, size_t size) {
    size_t n = 0;
    if (strncasecmp(uri, "file://", 7) != 0) return 0;
    const char *p = uri + 7;
    if (strncasecmp(p, "localhost/", 10) == 0) p += 9;
    if (*p != '/') return 0; /* of another machine */
    for (; *p && *p != '?' && *p != '#'; p++) {
        int high = *p == '%' ? hex_value(p[1]) : 0, low = *p == '%' && high >= 0 ? hex_value(p[2]) : 0;
        char c = *p == '%' ? (char)(high * 16 + low) : *p;
        if (high < 0 || low < 0 || !c || n + 1 >= size) return 0;
        if (*p == '%') p += 2;
        out[n++] = c;
    }
    while (n > 1 && out[n - 1] == '/') n--;
    out[n] = '\0';
    return n;
}

static int host_can(const eg_services *host) { return EG_HAS(host, use_folder) && host->wants_folder && host->use_folder; }

/* Tells the host; what was held waits no longer. */
static void use(mcp_session *s, const char *folder) {
    const eg_services *host = s->server->services;
    eg_error err = {0};
    s->roots.id[0] = '\0';
    if (host->use_folder(host->host, eg_str_of(folder), &err) != EG_OK) host->log(host->host, EG_LOG_WARN, "mcp", err.text);
}

void mcp_roots_ask(mcp_session *s) {
    const eg_services *host = s->server->services;
    roots *r = &s->roots;
    if (r->id[0] || !host_can(host) || !host->wants_folder(host->host)) return;
    if (!r->has || !s->sink.can_ask || !s->sink.can_ask(s->sink.self)) {
        if (!r->told++) use(s, "");
        return;
    }
    mcp_make_request_id(s->server, r->id);
    r->until = now_ms() + WAIT_MS;
    pj_out o = {0};
    pj_begin(&o, '{');
    pj_kstr(&o, "jsonrpc", EG_STR("2.0"));
    pj_kstr(&o, "id", eg_str_of(r->id));
    pj_kstr(&o, "method", EG_STR("roots/list"));
    pj_end(&o, '}');
    mcp_send_request(&s->sink, &o);
}

int mcp_roots_hold(mcp_session *s, const cJSON *tree, eg_str text) {
    roots *r = &s->roots;
    if (!r->id[0] || (cJSON_IsObject(tree) && !pj_get(tree, "method"))) return 0;
    held_message *h = malloc(sizeof *h + text.len);
    if (!h) return 0;
    memcpy(h + 1, text.ptr, text.len);
    *h = (held_message){.text = {(const char *)(h + 1), text.len}};
    if (r->last) r->last->next = h;
    else r->first = h;
    r->last = h;
    r->count++;
    r->bytes += text.len;
    return 1;
}

held_message *mcp_roots_next(mcp_session *s) {
    roots *r = &s->roots;
    held_message *h = r->id[0] ? NULL : r->first;
    if (!h) return NULL;
    r->first = h->next;
    if (!r->first) r->last = NULL;
    r->count--;
    r->bytes -= h->text.len;
    return h;
}

/* The first root that is a folder of this machine; "" when there is none. */
static void read_folder(const message *m, char *out, size_t size) {
    const cJSON *list = pj_get(pj_get(m->tree, "result"), "roots"), *root;
    out[0] = '\0';
    cJSON_ArrayForEach(root, list) {
        const cJSON *uri = pj_get(root, "uri");
        if (cJSON_IsString(uri) && mcp_folder_of_uri(uri->valuestring, out, size)) return;
    }
    out[0] = '\0';
}

int mcp_roots_answer(mcp_session *s, const message *m) {
    char folder[MAX_FOLDER];
    const cJSON *id = pj_get(m->tree, "id");
    if (!s->roots.id[0] || !cJSON_IsString(id) || strcmp(id->valuestring, s->roots.id) != 0) return 0;
    read_folder(m, folder, sizeof folder);
    use(s, folder);
    return 1;
}

void mcp_roots_end(mcp_session *s) {
    if (s->roots.id[0]) use(s, "");
}

void mcp_roots_check(mcp_session *s, size_t more) {
    const roots *r = &s->roots;
    if (r->id[0] && (now_ms() >= r->until || r->count >= MAX_HELD || r->bytes + more > MAX_HELD_BYTES)) mcp_roots_end(s);
}
