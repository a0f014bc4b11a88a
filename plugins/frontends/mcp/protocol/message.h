/* message.h - one JSON-RPC message, read: its envelope, its ids as they were written, the members
 * that all methods share. What it is not: it decides nothing about revisions and sends nothing.
 * Used by session.c and methods.c. */
#ifndef ENGRAM_MCP_MESSAGE_H
#define ENGRAM_MCP_MESSAGE_H

#include "outgoing.h"
#include "revision.h"

#define META_VERSION "io.modelcontextprotocol/protocolVersion"
#define META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define META_CLIENT "io.modelcontextprotocol/clientInfo"

/* Texts point into text and tree, which belong to the caller. */
typedef struct message {
    eg_str text;
    const cJSON *tree, *params, *meta; /* params and meta: objects, or NULL */
    const char *method;
    eg_str id;           /* JSON text; ptr NULL: a notification */
    const revision *rev; /* set by the session; NULL: not known */
    batch *in;           /* the array that the message came in, or NULL */
} message;

typedef enum message_kind {
    MESSAGE_REQUEST,
    MESSAGE_NOTIFICATION,
    MESSAGE_RESPONSE, /* to a request of ours, or so it says */
    MESSAGE_IGNORED,  /* a wrong notification: nothing to answer */
    MESSAGE_WRONG     /* *why says what is wrong */
} message_kind;

typedef struct refusal {
    int code;
    const char *text;
} refusal;

/* Fills m from m->text and m->tree, an object. */
message_kind mcp_message_read(message *m, refusal *why);
/* Raw text of params.arguments; ptr NULL when there is none, or null. */
eg_str mcp_message_arguments(const message *m);
/* Raw text of params.inputResponses[key].content; ptr NULL when there is none. */
eg_str mcp_message_answers(const message *m, const char *key);
/* Its _meta.progressToken as raw text; ptr NULL when there is none, or it is neither a string nor
 * an integer. */
eg_str mcp_message_progress_token(const message *m);
/* Raw text of the request id under params[key]; ptr NULL when there is none. */
eg_str mcp_message_id_param(const message *m, const char *key);

/* 1 when a raw JSON value can be an id: a string, or a whole number of whatever size and way of
 * writing. */
int mcp_is_id(eg_str raw);
/* The name in a clientInfo, cut at a code point to EG_MAX_NAME bytes; empty when there is none, or
 * one with a control character. */
eg_str mcp_client_name(const cJSON *info);

#endif
