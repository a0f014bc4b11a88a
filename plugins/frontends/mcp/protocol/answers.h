/* answers.h - the results and errors as messages, each in the shape of its revision. What it is
 * not: it decides nothing. Used by session.c, methods.c and run_call.c. */
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
    RPC_BUSY = -32000,      /* a limit of calls in progress */
    RPC_NOT_FOUND = -32002, /* a resource, before 2026-07-28 */
    RPC_REVISION = -32022   /* UnsupportedProtocolVersion */
} rpc_error;

/* id: JSON text; ptr NULL: not known, and then rev (which may be NULL) decides how that is written.
 */
void mcp_answer_error(pj_out *o, const revision *rev, eg_str id, int code, const char *text);
/* -32022, with what was asked for and what there is. */
void mcp_answer_unsupported(pj_out *o, eg_str id, const char *requested);

/* Where an answer goes: the revision and the id of the request; and the version of the host, which
 * new revisions repeat in each result. */
typedef struct reply_to {
    const revision *rev;
    eg_str id; /* JSON text */
    const char *version;
} reply_to;

/* What a server offers; tools of its profile only. */
typedef struct offer {
    const eg_tool **tools;
    const eg_resource **resources;
    const eg_prompt **prompts;
    size_t tool_count, resource_count, prompt_count;
} offer;

#define COMPLETE "complete" /* the usual type of a result */

/* Opens the message and its result, with what every result of the revision has; answer_end closes
 * both. */
void mcp_answer_begin(pj_out *o, const reply_to *to, const char *type);
void mcp_answer_end(pj_out *o);
/* How long a client may keep this result, where the revision says it. By this client only: the
 * lists depend on the profile of the server, the rest on the workspace. */
void mcp_put_cache(pj_out *o, const reply_to *to, int64_t ttl_ms);
enum { LIST_TTL_MS = 3600000 }; /* the lists do not change while the server runs */

void mcp_answer_initialize(pj_out *o, const reply_to *to, const offer *all);
void mcp_answer_discover(pj_out *o, const reply_to *to, const offer *all);

/* In listings.c. A resource without a {variable} in its uri is listed as a resource, others as
 * templates. */
void mcp_answer_tools(pj_out *o, const reply_to *to, const offer *all);
void mcp_answer_resources(pj_out *o, const reply_to *to, const offer *all);
void mcp_answer_templates(pj_out *o, const reply_to *to, const offer *all);
void mcp_answer_prompts(pj_out *o, const reply_to *to, const offer *all);

/* In results.c. The result of a tool; a question becomes an error where may_ask is 0 (the client or
 * the revision cannot ask a person). A result that breaks the contract of tool.h becomes an error
 * that says so. */
void mcp_answer_tool_result(pj_out *o, const reply_to *to, const char *tool, const eg_tool_result *result, int may_ask);
/* The error of a tool as a result, which the model reads. */
void mcp_answer_tool_failed(pj_out *o, const reply_to *to, eg_str sentence);
/* The contents of a resource; 0, and nothing written, when the result breaks the contract. */
int mcp_answer_contents(pj_out *o, const reply_to *to, eg_str uri, const eg_tool_result *result);
/* The messages of a prompt; 0 as above. */
int mcp_answer_messages(pj_out *o, const reply_to *to, const eg_prompt *prompt, const eg_tool_result *result);
/* The key of the question in inputRequests, and of the answer in inputResponses. */
#define QUESTION_KEY "arguments"

/* notifications/progress. token: JSON text. */
void mcp_answer_progress(pj_out *o, eg_str token, size_t done, size_t all);

/* notifications/cancelled for a request of the server that was not answered in time. */
void mcp_answer_withdrawn(pj_out *o, const char *id);

/* subscriptions/listen: the acknowledgement (a notification), and the result that ends it. */
void mcp_answer_subscribed(pj_out *o, eg_str id);
void mcp_answer_unsubscribed(pj_out *o, const reply_to *to);

#endif
