/* outgoing.h - messages on their way to the sink: one at a time, or collected into the array that
 * answers an array of requests. Used by session.c, methods.c and calls.c. Thread class: any. */
#ifndef ENGRAM_MCP_OUTGOING_H
#define ENGRAM_MCP_OUTGOING_H

#include "json.h"
#include "sink.h"

/* The answers to one array of messages; sent and freed with the last of them. */
typedef struct batch batch;

/* Holds one answer back already: the reading of the array itself, which ends with mcp_batch_drop().
 */
batch *mcp_batch_create(const mcp_sink *to); /* NULL: no memory */
/* One more answer is to come. */
void mcp_batch_hold(batch *b);
/* An answer will not come, or the array was read. */
void mcp_batch_drop(batch *b);

/* Sends the answer to the request with this id (ptr NULL: it has none) and releases it: at once,
 * or, when `in` is not NULL, with its batch. */
void mcp_send_answer(const mcp_sink *to, batch *in, eg_str id, pj_out *message);
/* Sends a notification and releases it. about: the id of a request, or ptr NULL. */
void mcp_send_notification(const mcp_sink *to, eg_str about, pj_out *message);

/* Sends a request to the client and releases it. */
void mcp_send_request(const mcp_sink *to, pj_out *message);

#endif
