/* calls.h - the calls of one session that are in flight (of tools, resources and prompts): their
 * order, their cancellation. What it is not: it reads and writes no message (the session does,
 * through run()) and has no threads (workers.h).
 *
 * Calls that only read run side by side; a call that writes waits for all earlier ones, and later
 * ones wait for it, so that a piped script sees its own writes. But where one that writes itself
 * waits for another process, those that read pass it: it may wait long. Calls of different sessions
 * do not wait for each other. */
#ifndef ENGRAM_MCP_CALLS_H
#define ENGRAM_MCP_CALLS_H

#include <pthread.h>

#include "outgoing.h"
#include "protocol.h"
#include "revision.h"
#include "workers.h"

struct calls;

typedef enum call_kind {
    CALL_TOOL,
    CALL_RESOURCE,
    CALL_PROMPT,
    CALL_ANSWER /* of a tool, with the client's answer to a question: gets no response */
} call_kind;

typedef struct call {
    task task; /* first: what the workers hand back */
    struct call *next;
    struct calls *of;
    const revision *rev;
    call_kind kind;
    int writes;              /* waits for earlier calls, and later ones wait for it */
    int may_ask;             /* the client can put a question to a person */
    mcp_asking asking;       /* how questions of its result are asked; of CALL_ANSWER: how this one
                              * was */
    const eg_tool *tool;     /* of CALL_TOOL and CALL_ANSWER */
    const eg_prompt *prompt; /* of CALL_PROMPT */
    eg_str id;               /* JSON text; own memory, as the texts below */
    eg_str arguments;        /* JSON text; of CALL_RESOURCE the uri */
    eg_str token;            /* JSON text of the progress token; ptr NULL: the client wants no
                              * progress */
    eg_str actor;            /* who asks, when the arguments do not say */
    batch *in;               /* the array that the answer belongs to, or NULL */
    int running;
    int cancelled;                  /* by the client: no response */
    int flag;                       /* the cancel flag of the tool's request */
    int waits;                      /* atomic: it waits for another process that writes */
    struct mcp_question *questions; /* of its result, to be asked once that was sent */
} call;

typedef struct calls {
    pthread_mutex_t lock;
    pthread_cond_t done;
    call *first, *last; /* waiting and running, in order of arrival */
    size_t in_flight, running;
    size_t bytes; /* of the arguments of calls in flight */
    size_t open;  /* calls whose thread still looks at this session; a call in flight is one of
                   * them */
    workers *workers;
    const mcp_sink *sink;
    /* Runs a call and writes its whole response. Thread class: worker. */
    void (*run)(void *session, call *c, pj_out *response);
    /* Called when the response of a call was sent. Thread class: worker. */
    void (*sent)(void *session, call *c);
    void *session;
} calls;

eg_status mcp_calls_init(calls *q, workers *w, const mcp_sink *sink, void (*run)(void *, call *, pj_out *),
                         void (*sent)(void *, call *), void *session);
/* Waits until all calls are answered; cancels them when the sink is gone. */
void mcp_calls_release(calls *q);

/* Takes a copy of id, arguments, token and actor. EG_ENOMEM, EG_EBUSY (no thread), EG_ELIMIT while
 * MCP_MAX_IN_FLIGHT calls or MCP_MAX_BYTES_IN_FLIGHT of arguments are there. */
eg_status mcp_calls_add(calls *q, const call *like);
/* Starts what may pass a call that waits; tells all to stop when the sink is gone. Call it every
 * now and then. */
void mcp_calls_tick(calls *q);
/* The call with this id gets no response any more; it is told to stop when it runs. */
void mcp_calls_cancel(calls *q, eg_str id);
int mcp_calls_has(calls *q, eg_str id);

#endif
