/* fake_host.c - the services. See fake_host.h. */
#include "fake_host.h"

#include <stdlib.h>
#include <time.h>

typedef struct chunk {
    struct chunk *next;
    _Alignas(max_align_t) char bytes[];
} chunk;

typedef struct fake_request {
    eg_request rq; /* first: the allocator gets this */
    eg_error err;
    chunk *chunks;
    fake_host *host;
} fake_request;

static void *request_alloc(eg_request *rq, size_t size) {
    fake_request *r = (fake_request *)rq;
    if (r->host->allocations_left == 0) return NULL;
    if (r->host->allocations_left != SIZE_MAX) r->host->allocations_left--;
    chunk *c = calloc(1, sizeof *c + size);
    if (!c) return NULL;
    c->next = r->chunks;
    r->chunks = c;
    return c->bytes;
}

static eg_status request_create(void *host, const int *flag, eg_request **out, eg_error *err) {
    (void)err;
    fake_request *r = calloc(1, sizeof *r);
    if (!r) return EG_ENOMEM;
    r->host = host;
    r->rq = (eg_request){.size = sizeof r->rq,
                         .cancel.flag = flag,
                         .alloc = request_alloc,
                         .err = &r->err,
                         .workspace = EG_STR("test"),
                         .actor = EG_STR("tester")};
    *out = &r->rq;
    return EG_OK;
}

static void request_release(void *host, eg_request *rq) {
    (void)host;
    fake_request *r = (fake_request *)rq;
    while (r->chunks) {
        chunk *next = r->chunks->next;
        free(r->chunks);
        r->chunks = next;
    }
    free(r);
}

static void log_line(void *host, eg_log_level level, const char *plugin, const char *text) {
    (void)host, (void)level;
    fprintf(stderr, "%s: %s\n", plugin, text);
}

static eg_status config(void *host, const char *key, eg_str *value) {
    const char *text = strcmp(key, "scope") == 0 ? ((fake_host *)host)->scope : NULL;
    *value = eg_str_of(text);
    return text ? EG_OK : EG_ENOENT;
}

static eg_status add_tool(eg_registrar *r, const eg_tool *tool, void *self) {
    fake_host *h = (fake_host *)r;
    if (h->tool_count == FAKE_TOOLS) return EG_ELIMIT;
    h->tool_self[h->tool_count] = self;
    h->tools[h->tool_count++] = tool;
    return EG_OK;
}

static eg_status add_frontend(eg_registrar *r, const eg_frontend *frontend, void *self) {
    (void)self;
    ((fake_host *)r)->frontend = frontend;
    return EG_OK;
}

static size_t tool_count(void *host) { return ((fake_host *)host)->tool_count; }
static const eg_tool *tool_at(void *host, size_t i) { return ((fake_host *)host)->tools[i]; }

static eg_status call_tool(void *host, eg_request *rq, const char *name, eg_str arguments, eg_str *result) {
    fake_host *h = host;
    for (size_t i = 0; i < h->tool_count; i++)
        if (strcmp(h->tools[i]->name, name) == 0) return h->tools[i]->call(h->tool_self[i], &h->services, rq, arguments, result);
    return eg_request_fail(rq, EG_ENOENT, "no tool '%s'", name);
}

static eg_memory *memory_of(void *host) {
    fake_host *h = host;
    return h->no_memory ? NULL : (eg_memory *)h;
}

static int64_t now(void *host) {
    (void)host;
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

void fake_host_init(fake_host *h) {
    memset(h, 0, sizeof *h);
    h->allocations_left = SIZE_MAX;
    pthread_mutex_init(&h->lock, NULL);
    h->services = (eg_services){.size = sizeof h->services,
                                .host = h,
                                .log = log_line,
                                .config = config,
                                .now = now,
                                .add_tool = add_tool,
                                .add_frontend = add_frontend,
                                .tool_count = tool_count,
                                .tool = tool_at,
                                .call_tool = call_tool,
                                .request_create = request_create,
                                .request_release = request_release,
                                .memory = memory_of,
                                .memory_ops = &fake_memory_ops,
                                .version = "0.1.0-test"};
}

void fake_host_release(fake_host *h) {
    pthread_mutex_destroy(&h->lock);
    fake_keep_release();
}

eg_status fake_host_open(fake_host *h, const eg_plugin *plugin, eg_error *err) {
    void *self = NULL;
    if (plugin->magic != EG_PLUGIN_MAGIC || plugin->size != sizeof *plugin) return EG_EVERSION;
    return plugin->open(&h->services, (eg_registrar *)h, &self, err);
}
