/* roots.h - the folders that a client works in. A client that starts its servers in no project,
 * and says at initialize that it has roots, is asked for them: the host then uses the memory of the
 * first one's repository. What the client sends meanwhile waits, at most WAIT_MS, so that nothing
 * is stored in the wrong memory. What it is not: it decides on no workspace (services->use_folder).
 * Of the receiving thread, as all of session.c. */
#ifndef ENGRAM_MCP_ROOTS_H
#define ENGRAM_MCP_ROOTS_H

#include "engram/plugin.h"
#include "message.h"
#include "questions.h"

typedef struct held_message {
    struct held_message *next;
    eg_str text; /* stands behind this */
} held_message;

typedef struct roots {
    int has;                 /* the client said so */
    int told;                /* the host knows that there is none to ask for */
    char id[MCP_REQUEST_ID]; /* of the request that waits for its answer; empty: none does */
    int64_t until;           /* CLOCK_MONOTONIC, ms */
    held_message *first, *last;
    size_t count, bytes;
} roots;

/* Asks, if the host has a use for a folder. A client that has no roots is not asked; the host is
 * told so, and warns that it uses the memory of no project. */
void mcp_roots_ask(mcp_session *s);
/* Keeps a message back while an answer is awaited; 0: it is not to wait. */
int mcp_roots_hold(mcp_session *s, const cJSON *tree, eg_str text);
/* 1: the response was the answer, which the host was told. */
int mcp_roots_answer(mcp_session *s, const message *m);
/* Waits no longer: when the time is over, or `more` bytes are too much to keep, or at once. */
void mcp_roots_check(mcp_session *s, size_t more);
void mcp_roots_end(mcp_session *s);
/* The next message that waited and waits no longer; the caller frees it. NULL: none does. */
held_message *mcp_roots_next(mcp_session *s);

/* The folder of a file URI; the length is 0 when it is none. Written to out, NUL-terminated. */
size_t mcp_folder_of_uri(const char *uri, char *out, size_t size);

#endif
