/* protocol.h - the Model Context Protocol without a transport: messages go in as text, answers go
 * out through a sink. What it is not: it opens, reads and writes no file descriptor and keeps no
 * state outside the objects below, so a process may hold as many servers and sessions as it likes.
 * Used by the front ends (stdio/).
 *
 * A server is what all sessions of a front end share: the tools of the profile and the worker
 * threads. A session is one client: the revision that initialize agreed on, its calls in flight,
 * its subscriptions. Limits hold for each session by itself. */
#ifndef ENGRAM_MCP_PROTOCOL_H
#define ENGRAM_MCP_PROTOCOL_H

#include "engram/plugin.h"
#include "sink.h"

/* Limits of one session. */
enum {
    MCP_MAX_MESSAGE = 4 << 20,          /* bytes; transports refuse longer messages with
                                         * mcp_session_refuse() */
    MCP_MAX_BATCH = 64,                 /* messages in one array */
    MCP_MAX_IN_FLIGHT = 1024,           /* calls that were accepted and have no answer yet */
    MCP_MAX_BYTES_IN_FLIGHT = 16 << 20, /* of their arguments */
    MCP_MAX_RUNNING = 8,                /* calls that run: no session takes all threads of a
                                         * larger server */
    MCP_MAX_SUBSCRIPTIONS = 16
};

typedef struct mcp_server mcp_server;
typedef struct mcp_session mcp_session;

/* Offers the host's tools whose profile is at most `profile`, on up to `threads` worker threads,
 * which are started when they are needed. services must outlive the server. err may be NULL. */
eg_status mcp_server_create(const eg_services *services, uint32_t profile, size_t threads, mcp_server **out, eg_error *err);
/* How the questions that results leave open (eg_question) are put to clients. */
typedef enum mcp_asking { MCP_ASK_NOBODY = 0, MCP_ASK_ELICITATION, MCP_ASK_SAMPLING } mcp_asking;
/* Clients that say at initialize that they can answer so are asked, after the result; an answer
 * counts for answer_ms. Before the first session; else nobody is asked. */
void mcp_server_ask(mcp_server *server, mcp_asking how, uint32_t answer_ms);
/* Ends the worker threads. Its sessions must be destroyed already. */
void mcp_server_destroy(mcp_server *server);

/* sink.self must outlive the session. */
eg_status mcp_session_create(mcp_server *server, mcp_sink sink, mcp_session **out, eg_error *err);
/* Handles one message, or one array of messages; its answers go to the sink, now or when its calls
 * are done. Never blocks for long: calls beyond MCP_MAX_IN_FLIGHT are answered with an error. One
 * thread at a time may call this for a session; sessions do not wait for each other. */
void mcp_session_receive(mcp_session *session, eg_str message);
/* Withdraws questions that nobody answered in time, waits no longer for the client's folders, and
 * starts calls that need wait no longer: call it every now and then, on the thread that calls
 * mcp_session_receive(). */
void mcp_session_tick(mcp_session *session);
/* Answers something that the transport could not hand over as a message with an error without an
 * id. */
void mcp_session_refuse(mcp_session *session, const char *why);
/* Ends the subscriptions, waits until every call is answered (cancels them when the sink is gone),
 * frees. */
void mcp_session_destroy(mcp_session *session);

#endif
