/* calls.h - the tool calls of a connection that are in flight: their order, their threads, their
 * cancellation, and the batches that some of them belong to. What it is not: it knows no message but by the
 * server's functions.
 *
 * Calls that only read run side by side; a call that writes waits for all earlier ones, and later ones wait
 * for it. The reading thread adds and cancels; worker threads (made when needed, at most MAX_WORKERS) run. */
#ifndef ENGRAM_MCP_CALLS_H
#define ENGRAM_MCP_CALLS_H

#include <pthread.h>

#include "channel.h"
#include "engram/plugin.h"
#include "revision.h"

enum { MAX_IN_FLIGHT = 64, MAX_WORKERS = 8 };

/* The responses to one array of messages. Guarded by the lock of the calls. */
typedef struct batch {
    size_t waiting; /* requests without an answer, and 1 while the array is still being read */
    pj_out out;
} batch;

typedef struct call {
    struct call *next;
    const revision *rev;
    const eg_tool *tool;
    eg_str id;        /* JSON text; own memory, as arguments */
    eg_str arguments; /* JSON text */
    eg_str token;     /* what the client wants its progress told by, JSON text; ptr NULL: it does not */
    eg_str actor;     /* who asks, when the tool is not told */
    batch *in;        /* or NULL */
    int running;
    int cancelled; /* by the client: no response */
    int flag;      /* the cancel flag of the tool's request */
} call;

typedef struct calls {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    call *first, *last; /* queued and running, in order of arrival */
    size_t in_flight, running, idle, threads;
    int writer; /* a call that writes is running */
    int closing;
    pthread_t thread[MAX_WORKERS];
    channel *channel;
    /* Runs a call and gives its whole response. Thread class: worker. */
    void (*run)(void *server, call *c, pj_out *response);
    void *server;
} calls;

eg_status mcp_calls_init(calls *q, channel *to, void (*run)(void *, call *, pj_out *), void *server);
/* Waits for all calls (when the other side is gone: tells them to stop first), ends the threads. */
void mcp_calls_release(calls *q);

/* Sends a notification: at once. Thread class: any. */
void mcp_calls_notify(calls *q, pj_out *message);

/* Takes a copy of id, arguments, token and actor; waits while MAX_IN_FLIGHT are there. EG_ENOMEM, EG_EBUSY (no thread). */
eg_status mcp_calls_add(calls *q, const call *like);
/* 1 when a call with this id was there. */
int mcp_calls_cancel(calls *q, eg_str id);
int mcp_calls_has(calls *q, eg_str id);

/* Sends a response (and releases it): at once, or with its batch. */
void mcp_calls_respond(calls *q, batch *in, pj_out *response);
batch *mcp_batch_create(void);
/* One more answer is to come. */
void mcp_batch_hold(calls *q, batch *b);
/* An answer will not come, or the array was read; sends and frees the batch with the last one. */
void mcp_batch_drop(calls *q, batch *b);

#endif
