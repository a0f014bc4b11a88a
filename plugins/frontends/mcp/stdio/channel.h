/* channel.h - the two ends of a stdio connection: lines in, messages out. What it is not: it knows
 * no JSON. One thread reads; any thread writes, whole messages only. */
#ifndef ENGRAM_MCP_CHANNEL_H
#define ENGRAM_MCP_CHANNEL_H

#include <pthread.h>

#include "engram/status.h"

typedef enum line_kind {
    LINE_READ,     /* a line without its end */
    LINE_TOO_LONG, /* a line over max_line went by */
    LINE_IDLE,     /* none came for a moment */
    LINE_END,      /* end of input, or nobody reads our output any more */
    LINE_STOPPED,  /* mcp_channel_stop() was called */
    LINE_FAILED    /* reading failed, or no memory */
} line_kind;

typedef struct channel {
    int in, out;
    size_t max_line; /* bytes */
    char *buffer;
    size_t begin, scanned, end, capacity; /* unread: begin..end; no line end before scanned */
    int skipping;                         /* inside a line that is too long */
    int ended;
    int broken;    /* atomic: a write failed */
    int64_t until; /* atomic: when writing ends too, CLOCK_MONOTONIC ms; 0: not stopped */
    pthread_mutex_t writing;
} channel;

/* in and out stay the caller's. */
eg_status mcp_channel_init(channel *c, int in, int out, size_t max_line);
void mcp_channel_release(channel *c);
/* Waits a moment for the next line; *line is good until the next call. */
line_kind mcp_channel_read(channel *c, eg_str *line);
/* Writes text and a line break, as one piece. Thread class: any. */
void mcp_channel_write(channel *c, eg_str text);
/* Reading ends at once, and writing after so many ms. Thread class: any. */
void mcp_channel_stop(channel *c, uint32_t grace_ms);
/* 1 when there is no use in going on: stopped, or the other side has gone away. Thread class: any.
 */
int mcp_channel_gone(channel *c);

#endif
