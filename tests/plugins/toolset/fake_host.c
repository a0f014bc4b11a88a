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
    eg_principal who;
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

static eg_status request_create(void *host, const eg_request_options *options, eg_request **out, eg_error *err) {
    (void)err;
    static const eg_request_options none = {.size = sizeof none};
    const eg_request_options *o = options ? options : &none;
    fake_request *r = calloc(1, sizeof *r);
    if (!r) return EG_ENOMEM;
    r->host = host;
    r->who = (eg_principal){.size = sizeof r->who, .role = EG_ROLE_ADMIN, .agent = o->agent.len ? o->agent : EG_STR("tester")};
    const eg_request rq = {.size = sizeof rq,
                           .cancel = o->cancel,
                           .alloc = request_alloc,
                           .err = &r->err,
                           .workspace = EG_STR("test"),
                           .who = &r->who,
                           .progress = o->progress,
                           .progress_self = o->progress_self,
                           .asks = o->asks,
                           .asked = o->asked,
                           .waiting = o->waiting};
    memcpy(&r->rq, &rq, sizeof rq);
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

static size_t tool_count(void *host) { return ((fake_host *)host)->registrar.tool_count; }
static const eg_tool *tool_at(void *host, size_t i) { return ((fake_host *)host)->registrar.tools[i]; }

static eg_status call_tool(void *host, eg_request *rq, const char *name, eg_str arguments, eg_tool_result *out) {
    fake_host *h = host;
    const eg_registrar *r = &h->registrar;
    for (size_t i = 0; i < r->tool_count; i++)
        if (strcmp(r->tools[i]->name, name) == 0) return r->tools[i]->call(r->tool_self[i], &h->services, rq, arguments, out);
    return eg_request_fail(rq, EG_ENOENT, "no tool '%s'", name);
}

static size_t resource_count(void *host) { return ((fake_host *)host)->registrar.resource_count; }
static const eg_resource *resource_at(void *host, size_t i) { return ((fake_host *)host)->registrar.resources[i]; }

/* A template fits when the uri begins as it does up to its variable, which is last and holds no
 * '/'. */
static eg_status read_resource(void *host, eg_request *rq, eg_str uri, eg_tool_result *out) {
    fake_host *h = host;
    for (size_t i = 0; i < h->registrar.resource_count; i++) {
        const char *pattern = h->registrar.resources[i]->uri_template;
        size_t fixed = strcspn(pattern, "{");
        int fits = pattern[fixed] ? uri.len > fixed && !memchr(uri.ptr + fixed, '/', uri.len - fixed) : uri.len == fixed;
        if (fits && memcmp(uri.ptr, pattern, fixed) == 0)
            return h->registrar.resources[i]->read(h->registrar.resource_self[i], &h->services, rq, uri, out);
    }
    return eg_request_fail(rq, EG_ENOENT, "no resource '%.*s'", (int)uri.len, uri.ptr);
}

static size_t prompt_count(void *host) { return ((fake_host *)host)->registrar.prompt_count; }
static const eg_prompt *prompt_at(void *host, size_t i) { return ((fake_host *)host)->registrar.prompts[i]; }

static eg_status get_prompt(void *host, eg_request *rq, const char *name, eg_str arguments, eg_tool_result *out) {
    fake_host *h = host;
    for (size_t i = 0; i < h->registrar.prompt_count; i++)
        if (strcmp(h->registrar.prompts[i]->name, name) == 0)
            return h->registrar.prompts[i]->get(h->registrar.prompt_self[i], &h->services, rq, arguments, out);
    return eg_request_fail(rq, EG_ENOENT, "no prompt '%s'", name);
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
    h->services = test_services(h);
    h->services.log = log_line;
    h->services.config = config;
    h->services.now = now;
    h->services.tool_count = tool_count;
    h->services.tool = tool_at;
    h->services.call_tool = call_tool;
    h->services.resource_count = resource_count;
    h->services.resource = resource_at;
    h->services.read_resource = read_resource;
    h->services.prompt_count = prompt_count;
    h->services.prompt = prompt_at;
    h->services.get_prompt = get_prompt;
    h->services.request_create = request_create;
    h->services.request_release = request_release;
    h->services.memory = memory_of;
    h->services.memory_ops = &fake_memory_ops;
}

void fake_host_release(fake_host *h) {
    pthread_mutex_destroy(&h->lock);
    fake_keep_release();
}

eg_status fake_host_open(fake_host *h, const eg_plugin *plugin, eg_error *err) {
    return test_registrar_open(&h->registrar, &h->services, plugin, NULL, err);
}
