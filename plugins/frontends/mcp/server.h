/* server.h - one connection: what was agreed, what is open, and the messages of both eras. Used by mcp.c
 * alone. Everything here runs on the reading thread, but mcp_server_run_call, which workers call. */
#ifndef ENGRAM_MCP_SERVER_H
#define ENGRAM_MCP_SERVER_H

#include "calls.h"
#include "engram/plugin.h"

enum { MAX_SUBSCRIPTIONS = 16, MAX_BATCH = 64 };

typedef struct server {
    const eg_services *services;
    const eg_tool **tools; /* those of the profile */
    size_t tool_count;
    channel channel;
    calls calls;
    const revision *era;                     /* what initialize agreed on; NULL before */
    const revision *latest;                  /* of the latest request: how an error without an id is written; may be NULL */
    char client[EG_MAX_NAME + 1];            /* what initialize called the client; empty: nothing */
    eg_str subscriptions[MAX_SUBSCRIPTIONS]; /* ids of open subscriptions/listen, JSON text on the heap */
    size_t subscription_count;
} server;

/* Answers a line of input. */
void mcp_server_line(server *s, eg_str line);
/* An error that belongs to no request. */
void mcp_server_error_without_id(server *s, int code, const char *text);
/* Ends the open subscriptions with their results; after the last line. */
void mcp_server_end_subscriptions(server *s);
/* The run function of calls.h. */
void mcp_server_run_call(void *self, call *c, pj_out *response);

#endif
