/* server.c - what the sessions of a front end share. See protocol.h. */
#include <stdlib.h>

#include "session.h"

eg_status mcp_fail(eg_error *err, eg_status code, const char *text) {
    if (err) {
        err->code = code;
        snprintf(err->text, sizeof err->text, "mcp: %s", text);
    }
    return code;
}

eg_status mcp_server_create(const eg_services *services, uint32_t profile, size_t threads, mcp_server **out, eg_error *err) {
    size_t n = services->tool_count(services->host);
    mcp_server *server = calloc(1, sizeof *server + n * sizeof *server->tools);
    if (server) server->workers = mcp_workers_create(threads);
    if (!server || !server->workers) {
        free(server);
        return mcp_fail(err, EG_ENOMEM, "out of memory for the list of tools and the worker threads");
    }
    server->services = services;
    for (size_t i = 0; i < n; i++) {
        const eg_tool *tool = services->tool(services->host, i);
        if (tool && tool->profile <= profile) server->tools[server->tool_count++] = tool;
    }
    *out = server;
    return EG_OK;
}

void mcp_server_destroy(mcp_server *server) {
    if (!server) return;
    mcp_workers_destroy(server->workers);
    free(server);
}

const eg_tool *mcp_tool_named(const mcp_server *server, const char *name) {
    for (size_t i = 0; i < server->tool_count; i++)
        if (strcmp(server->tools[i]->name, name) == 0) return server->tools[i];
    return NULL;
}

const char *mcp_host_version(const mcp_server *server) {
    return EG_HAS(server->services, version) && server->services->version ? server->services->version : "0";
}
