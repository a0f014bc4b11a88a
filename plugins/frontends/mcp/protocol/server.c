/* server.c - what the sessions of a front end share. See protocol.h. */
#include <stdlib.h>

#include "state.h"

eg_status mcp_fail(eg_error *err, eg_status code, const char *text) {
    if (err) {
        err->code = code;
        snprintf(err->text, sizeof err->text, "mcp: %s", text);
    }
    return code;
}

/* Fills the offer; 0: no memory. */
static int collect(const eg_services *services, uint32_t profile, offer *all) {
    void *host = services->host;
    size_t tools = services->tool_count(host), resources = services->resource_count(host), prompts = services->prompt_count(host);
    all->tools = calloc(tools + 1, sizeof *all->tools);
    all->resources = calloc(resources + 1, sizeof *all->resources);
    all->prompts = calloc(prompts + 1, sizeof *all->prompts);
    if (!all->tools || !all->resources || !all->prompts) return 0;
    for (size_t i = 0; i < tools; i++) {
        const eg_tool *tool = services->tool(host, i);
        if (tool && tool->profile <= profile) all->tools[all->tool_count++] = tool;
    }
    for (size_t i = 0; i < resources; i++) all->resources[all->resource_count++] = services->resource(host, i);
    for (size_t i = 0; i < prompts; i++) all->prompts[all->prompt_count++] = services->prompt(host, i);
    return 1;
}

eg_status mcp_server_create(const eg_services *services, uint32_t profile, size_t threads, mcp_server **out, eg_error *err) {
    mcp_server *server = calloc(1, sizeof *server);
    if (server) {
        server->services = services;
        server->workers = mcp_workers_create(threads);
        if (server->workers && collect(services, profile, &server->offer)) {
            *out = server;
            return EG_OK;
        }
    }
    mcp_server_destroy(server);
    return mcp_fail(err, EG_ENOMEM, "out of memory for the list of tools and the worker threads");
}

void mcp_server_ask(mcp_server *server, mcp_asking how, uint32_t answer_ms) {
    server->asking = how;
    server->answer_ms = answer_ms;
}

void mcp_server_destroy(mcp_server *server) {
    if (!server) return;
    if (server->workers) mcp_workers_destroy(server->workers);
    free(server->offer.tools);
    free(server->offer.resources);
    free(server->offer.prompts);
    free(server);
}

const eg_tool *mcp_tool_named(const mcp_server *server, const char *name) {
    for (size_t i = 0; i < server->offer.tool_count; i++)
        if (strcmp(server->offer.tools[i]->name, name) == 0) return server->offer.tools[i];
    return NULL;
}

const eg_prompt *mcp_prompt_named(const mcp_server *server, const char *name) {
    for (size_t i = 0; i < server->offer.prompt_count; i++)
        if (strcmp(server->offer.prompts[i]->name, name) == 0) return server->offer.prompts[i];
    return NULL;
}

const char *mcp_host_version(const mcp_server *server) {
    return EG_HAS(server->services, version) && server->services->version ? server->services->version : "0";
}
