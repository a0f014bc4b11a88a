/* sink.h - where the messages of a session go: the side of the transport that the protocol sees.
 * What it is not: a connection; reading is the transport's own business. A transport (stdio/) fills
 * one in for each session. */
#ifndef ENGRAM_MCP_SINK_H
#define ENGRAM_MCP_SINK_H

#include "engram/status.h"

typedef struct mcp_sink {
    /* Sends one message: a JSON text without a line break in it or after it. A message that cannot
     * be sent is lost, and gone() says so. Called on any thread, by several at once; must not call
     * the session. */
    void (*write)(void *self, eg_str message);
    /* 1 when answers have become useless: nobody reads them any more, or the front end stops. Calls
     * that run are then cancelled. Called on any thread; must not block. */
    int (*gone)(void *self);
    void *self;
} mcp_sink;

#endif
