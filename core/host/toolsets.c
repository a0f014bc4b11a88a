/* toolsets.c - the host between front ends and toolsets: finds the tool, resource or prompt that is
 * asked for, asks the guard and calls it. See plugin.h. */
#include "core/access/guard.h"
#include "core/host/internal.h"
#include "core/memory/shown.h"

/* ---- characters that nobody sees: those of older stores and of files are shown ---- */

static eg_status show_content(eg_request *rq, eg_tool_result *r) {
    eg_status s = EG_OK;
    if (!r->content_count) return s;
    eg_content *own = eg_request_array(rq, r->content_count, sizeof *own);
    if (!own) return EG_ENOMEM;
    memcpy(own, r->content, r->content_count * sizeof *own);
    for (size_t i = 0; s == EG_OK && i < r->content_count; i++) {
        s = eg_show_text(rq, &own[i].text, EG_HIDDEN_TEXT);
        if (s == EG_OK) s = eg_show_text(rq, &own[i].name, EG_HIDDEN_TEXT);
    }
    r->content = own;
    return s;
}

static eg_status show_questions(eg_request *rq, eg_tool_result *r) {
    eg_status s = EG_OK;
    if (!r->question_count) return s;
    eg_question *own = eg_request_array(rq, r->question_count, sizeof *own);
    if (!own) return EG_ENOMEM;
    memcpy(own, r->questions, r->question_count * sizeof *own);
    for (size_t i = 0; s == EG_OK && i < r->question_count; i++) {
        s = eg_show_text(rq, &own[i].message, EG_HIDDEN_TEXT);
        if (s == EG_OK) s = eg_show_text(rq, &own[i].schema, EG_HIDDEN_JSON);
    }
    r->questions = own;
    return s;
}

/* An error may name what is stored too. */
static void show_error(eg_request *rq) {
    eg_buffer b = {0};
    eg_hidden_show(&b, eg_str_of(rq->err->text), EG_HIDDEN_TEXT);
    if (!b.failed) eg_request_fail(rq, rq->err->code, "%.*s", (int)b.len, b.len ? b.ptr : "");
    eg_buffer_release(&b);
}

/* Results cross by the growth rule: the callee fills a struct of this host, of which the caller
 * gets as much as it knows. Whatever the toolset, hidden characters are shown: this is the way to
 * every client, and to the command line. */
static eg_status give(eg_request *rq, eg_status status, eg_tool_result *from, eg_tool_result *to) {
    uint32_t size = to->size;
    if (status == EG_OK) status = eg_show_text(rq, &from->structured, EG_HIDDEN_JSON);
    if (status == EG_OK) status = show_content(rq, from);
    if (status == EG_OK) status = show_questions(rq, from);
    if (status != EG_OK) {
        show_error(rq);
        return status;
    }
    memcpy(to, from, size < sizeof *from ? size : sizeof *from);
    to->size = size;
    return EG_OK;
}

/* Asks the guard for something that is named "WHAT NAME". */
static eg_status allow(eg_request *rq, uint32_t need, const char *what, const char *name) {
    char text[120];
    snprintf(text, sizeof text, "%s %.80s", what, name);
    return eg_guard(rq, need, text);
}

static const eg_registrar *registrar_of(void *host) { return &((eg_host *)host)->plugins.registrar; }

/* --- tools --- */

static size_t tool_count(void *host) { return registrar_of(host)->committed.tools; }

static const eg_tool *tool_at(void *host, size_t i) { return i < tool_count(host) ? &registrar_of(host)->tools[i].tool : NULL; }

static eg_status call_tool(void *host, eg_request *rq, const char *name, eg_str arguments, eg_tool_result *out) {
    eg_tool_result result = EG_TOOL_RESULT_INIT;
    for (size_t i = 0; i < tool_count(host); i++) {
        const eg_tool_slot *t = &registrar_of(host)->tools[i];
        if (strcmp(t->tool.name, name) != 0) continue;
        eg_status s = allow(rq, t->tool.needs, "the tool", name);
        return s != EG_OK ? s
                          : give(rq, t->tool.call(t->self, &((eg_host *)host)->services, rq, arguments, &result), &result, out);
    }
    return eg_request_fail(rq, EG_ENOENT, "there is no tool '%.60s'", name);
}

/* --- resources --- */

static size_t resource_count(void *host) { return registrar_of(host)->committed.resources; }

static const eg_resource *resource_at(void *host, size_t i) {
    return i < resource_count(host) ? &registrar_of(host)->resources[i].resource : NULL;
}

/* 1 when uri fits: what stands outside braces is the same, and each {variable} takes all characters
 * up to the next '/', at least one. */
static int fits(const char *uri_template, eg_str uri) {
    size_t at = 0;
    for (const char *t = uri_template; *t; t++) {
        const char *end = *t == '{' ? strchr(t, '}') : NULL;
        if (!end) {
            if (at == uri.len || uri.ptr[at++] != *t) return 0;
            continue;
        }
        size_t begin = at;
        while (at < uri.len && uri.ptr[at] != '/') at++;
        if (at == begin) return 0;
        t = end;
    }
    return at == uri.len;
}

static eg_status read_resource(void *host, eg_request *rq, eg_str uri, eg_tool_result *out) {
    eg_tool_result result = EG_TOOL_RESULT_INIT;
    for (size_t i = 0; i < resource_count(host); i++) {
        const eg_resource_slot *r = &registrar_of(host)->resources[i];
        if (!fits(r->resource.uri_template, uri)) continue;
        eg_status s = allow(rq, r->resource.needs, "the resource", r->resource.name);
        return s != EG_OK ? s : give(rq, r->resource.read(r->self, &((eg_host *)host)->services, rq, uri, &result), &result, out);
    }
    return eg_request_fail(rq, EG_ENOENT, "'%.*s' is not the address of a resource: the list of templates shows their form",
                           uri.len < 200 ? (int)uri.len : 200, uri.ptr ? uri.ptr : "");
}

/* --- prompts --- */

static size_t prompt_count(void *host) { return registrar_of(host)->committed.prompts; }

static const eg_prompt *prompt_at(void *host, size_t i) {
    return i < prompt_count(host) ? &registrar_of(host)->prompts[i].prompt : NULL;
}

static eg_status get_prompt(void *host, eg_request *rq, const char *name, eg_str arguments, eg_tool_result *out) {
    eg_tool_result result = EG_TOOL_RESULT_INIT;
    for (size_t i = 0; i < prompt_count(host); i++) {
        const eg_prompt_slot *p = &registrar_of(host)->prompts[i];
        if (strcmp(p->prompt.name, name) != 0) continue;
        eg_status s = allow(rq, p->prompt.needs, "the prompt", name);
        return s != EG_OK ? s
                          : give(rq, p->prompt.get(p->self, &((eg_host *)host)->services, rq, arguments, &result), &result, out);
    }
    return eg_request_fail(rq, EG_ENOENT, "there is no prompt '%.60s'", name);
}

void eg_host_fill_toolset_services(eg_services *services) {
    services->tool_count = tool_count;
    services->tool = tool_at;
    services->call_tool = call_tool;
    services->resource_count = resource_count;
    services->resource = resource_at;
    services->read_resource = read_resource;
    services->prompt_count = prompt_count;
    services->prompt = prompt_at;
    services->get_prompt = get_prompt;
}
