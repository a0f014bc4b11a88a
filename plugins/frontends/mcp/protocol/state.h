/* state.h - inside a server and a session: what server.c, session.c, methods.c, run_call.c and
 * errors.c share. Everything here runs on the thread that calls mcp_session_receive(), except
 * mcp_run_call, which workers call. */
#ifndef ENGRAM_MCP_STATE_H
#define ENGRAM_MCP_STATE_H

#include "answers.h"
#include "asking.h"
#include "calls.h"
#include "message.h"
#include "roots.h"

struct mcp_server {
    const eg_services *services;
    workers *workers;
    offer offer;
    mcp_asking asking;
    uint32_t answer_ms;
};

struct mcp_session {
    const mcp_server *server;
    mcp_sink sink;
    calls calls;
    asking asking;
    roots roots;
    unsigned can_answer;                         /* REV_SAMPLING, REV_ELICITATION: what initialize
                                                  * said that the client can do */
    int initialized;                             /* the client said so */
    const revision *era;                         /* what initialize agreed on; NULL before */
    const revision *latest;                      /* of the latest request: how an error without an
                                                  * id is written; may be NULL */
    char client[EG_MAX_NAME + 1];                /* what initialize called the client; empty:
                                                  * nothing */
    eg_str subscriptions[MCP_MAX_SUBSCRIPTIONS]; /* ids of open subscriptions/listen, JSON text on
                                                  * the heap */
    size_t subscription_count;
};

/* server.c */
const eg_tool *mcp_tool_named(const mcp_server *server, const char *name); /* or NULL */
const eg_prompt *mcp_prompt_named(const mcp_server *server, const char *name);
const char *mcp_host_version(const mcp_server *server);
/* Fills err, which may be NULL, and returns code. */
eg_status mcp_fail(eg_error *err, eg_status code, const char *text);

/* errors.c: answers a message with an error. */
void mcp_send_error(mcp_session *s, const message *m, int code, const char *text);
__attribute__((format(printf, 4, 5))) void mcp_send_errorf(mcp_session *s, const message *m, int code, const char *format, ...);

/* methods.c */
/* Handles a request whose revision is known. */
void mcp_on_request(mcp_session *s, const message *m);
void mcp_on_notification(mcp_session *s, const message *m);
int mcp_has_subscription(const mcp_session *s, eg_str id);
/* Ends the open subscriptions with their results. */
void mcp_end_subscriptions(mcp_session *s);

/* run_call.c: the functions run and sent of calls.h. */
void mcp_run_call(void *session, call *c, pj_out *response);
void mcp_call_sent(void *session, call *c);

#endif
