/* asking.h - the questions that a session put to its client: which were asked, which wait for an
 * answer and until when. What it is not: it writes and reads no answers (questions.h) and runs no
 * tool (calls.h). Used by session.c, methods.c and run_call.c.
 *
 * A question goes out after the result that it belongs to and holds nothing up. Without a usable
 * answer in time nothing happens. Nothing is asked twice in a session. */
#ifndef ENGRAM_MCP_ASKING_H
#define ENGRAM_MCP_ASKING_H

#include <pthread.h>

#include "engram/plugin.h"
#include "message.h"
#include "questions.h"

typedef struct asking {
    pthread_mutex_t lock;
    mcp_question *first; /* all that were asked, the newest first */
    size_t count;
    int closed; /* nothing is asked any more */
} asking;

eg_status mcp_asking_init(asking *a);
/* Nothing is asked any more. */
void mcp_asking_close(asking *a);
void mcp_asking_release(asking *a);
/* 1 while the session may ask. */
int mcp_asking_is_open(asking *a);

/* An id of a request of ours, which is unique. */
void mcp_make_request_id(const mcp_server *server, char out[MCP_REQUEST_ID]);

/* The questions of a result, kept until it was sent; NULL: none that this server can ask. */
mcp_question *mcp_questions_make(const mcp_server *server, mcp_asking how, const eg_tool_result *result);

/* Sends those of the list that were not asked before, and takes it. Thread class: any. */
void mcp_asking_send(mcp_session *s, mcp_question *list);

/* Of the receiving thread: */
/* A response of the client: queues the call that takes the answer, when it is one. */
void mcp_on_response(mcp_session *s, const message *m);
/* Withdraws what was not answered in time. */
void mcp_asking_tick(mcp_session *s);

#endif
