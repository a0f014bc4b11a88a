/* questions.h - the messages of a question that a tool left open (eg_question): the request that
 * puts it to a client, and the client's answer as arguments of the tool that takes it. What it is
 * not: it sends nothing and does not know what was asked before (asking.h). Used by asking.c,
 * run_call.c and calls.c. */
#ifndef ENGRAM_MCP_QUESTIONS_H
#define ENGRAM_MCP_QUESTIONS_H

#include "engram/tool.h"
#include "message.h"
#include "protocol.h"

enum { MCP_REQUEST_ID = 48 };

/* A question on its way: a result's, then a session's (asking.h). */
typedef struct mcp_question {
    struct mcp_question *next;
    char id[MCP_REQUEST_ID]; /* of our request: no id of the client's looks like it */
    mcp_asking how;
    const eg_tool *tool;               /* takes the answer */
    pj_out key;                        /* what is asked, the same for the same question */
    pj_out schema, arguments, request; /* as text */
    int waits;                         /* for its answer */
    int64_t until;                     /* when that counts no more: CLOCK_MONOTONIC, ms */
} mcp_question;

/* Frees the texts of which a question that was answered has no use. */
void mcp_question_forget(mcp_question *q);
void mcp_questions_free(mcp_question *list);

/* The word of a way to ask, as the host keeps it: "elicitation"; empty for MCP_ASK_NOBODY. */
eg_str mcp_asking_word(mcp_asking how);

/* Writes the request with this id; 0 when the question breaks the contract of tool.h. */
int mcp_put_question(pj_out *o, mcp_asking how, const char *id, const eg_question *q);

/* Reads a response to it. 1: *out is an object, the arguments with the members of the answer. 0:
 * there is no answer, or it does not fit the schema; *why says so. Nothing is guessed: a member
 * that the schema does not have, a value that is none of its enum, or words around a JSON object
 * make an answer useless. */
int mcp_read_answer(mcp_asking how, const message *m, eg_str schema, eg_str arguments, pj_out *out, const char **why);

#endif
