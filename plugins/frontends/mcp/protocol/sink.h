/* sink.h - where the messages of a session go: the side of the transport that the protocol sees.
 * What it is not: a connection; reading is the transport's own business. A transport (stdio/) fills
 * one in for each session. */
#ifndef ENGRAM_MCP_SINK_H
#define ENGRAM_MCP_SINK_H

#include "engram/status.h"

typedef enum mcp_kind {
    MCP_ANSWER,       /* the one answer to a request, or the array of answers to an array */
    MCP_NOTIFICATION, /* nobody answers it, and it answers nothing */
    MCP_REQUEST       /* the client answers it, by a message to the session */
} mcp_kind;

/* What a message is about, for a transport that has several streams to a client, as HTTP has. */
typedef struct mcp_origin {
    mcp_kind kind;
    /* JSON text of a request's id, as the client wrote it; it lives until write() returns. Of an
     * answer: that request's; of an array of answers: one of its requests'; ptr NULL: what was sent
     * had no id that could be read. Of a notification: the request that it tells about; ptr NULL:
     * it is for the session as a whole, as requests are. */
    eg_str request;
} mcp_origin;

typedef struct mcp_sink {
    /* Sends one message: a JSON text without a line break in it or after it. A message that cannot
     * be sent is lost, and gone() says so. Called on any thread, by several at once; must not call
     * the session. */
    void (*write)(void *self, eg_str message, mcp_origin origin);
    /* 1 when answers have become useless: nobody reads them any more, or the front end stops. Calls
     * that run are then cancelled. Called on any thread; must not block. */
    int (*gone)(void *self);
    /* 1 when a request would reach the client now: where there is a stream to it that no request of
     * its own has to open. NULL: never. Called on any thread; must not block. */
    int (*can_ask)(void *self);
    void *self;
} mcp_sink;

#endif
