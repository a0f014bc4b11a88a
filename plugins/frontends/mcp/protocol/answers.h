/* answers.h - the results and errors as messages, each in the shape of its revision. What it is
 * not: it decides nothing. Used by server.c. */
#ifndef ENGRAM_MCP_ANSWERS_H
#define ENGRAM_MCP_ANSWERS_H

#include "engram/plugin.h"
#include "revision.h"

typedef enum rpc_error {
    RPC_PARSE = -32700,
    RPC_REQUEST = -32600,
    RPC_METHOD = -32601,
    RPC_PARAMS = -32602,
    RPC_INTERNAL = -32603,
    RPC_REVISION = -32022 /* UnsupportedProtocolVersion */
} rpc_error;

/* id: JSON text; ptr NULL: not known, and then rev (which may be NULL) decides how that is written.
 */
void mcp_answer_error(pj_out *o, const revision *rev, eg_str id, int code, const char *text);
/* -32022, with what was asked for and what there is. */
void mcp_answer_unsupported(pj_out *o, eg_str id, const char *requested);

/* Opens the message and its result, with what every result of the revision has; answer_end closes
 * both. */
void mcp_answer_begin(pj_out *o, const revision *rev, eg_str id, const char *version);
void mcp_answer_end(pj_out *o);

void mcp_answer_initialize(pj_out *o, const revision *rev, eg_str id, const char *version);
void mcp_answer_discover(pj_out *o, const revision *rev, eg_str id, const char *version);
void mcp_answer_tools(pj_out *o, const revision *rev, eg_str id, const char *version, const eg_tool *const *tools, size_t n);
/* A tool's result (a JSON object), or the sentence of its error. */
void mcp_answer_call(pj_out *o, const revision *rev, eg_str id, const char *version, eg_str result);
void mcp_answer_call_failed(pj_out *o, const revision *rev, eg_str id, const char *version, eg_str sentence);

/* notifications/progress. token: JSON text. */
void mcp_answer_progress(pj_out *o, eg_str token, size_t done, size_t all);

/* subscriptions/listen: the acknowledgement (a notification), and the result that ends it. */
void mcp_answer_subscribed(pj_out *o, eg_str id);
void mcp_answer_unsubscribed(pj_out *o, const revision *rev, eg_str id, const char *version);

#endif
