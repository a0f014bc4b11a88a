/* channel.h - the two ends of a stdio connection: lines in, messages out. What it is not: it knows
 * no JSON. One thread reads; any thread writes, whole messages only. */
#ifndef ENGRAM_MCP_CHANNEL_H
#define ENGRAM_MCP_CHANNEL_H

#include <pthread.h>

#include "engram/status.h"

typedef enum line_kind {
    LINE_READ,     /* a line without its end */
    LINE_TOO_LONG, /* a line over max_line went by */
    LINE_END,      /* end of input, or nobody reads our output any more */
    LINE_STOPPED,  /* *stop became non-zero */
    LINE_FAILED    /* reading failed, or no memory */
} line_kind;

typedef struct channel {
    int in, out;
    size_t max_line; /* bytes */
    const volatile int *stop;
    char *buffer;
    size_t begin, scanned, end, capacity; /* unread bytes are begin..end; no line end before scanned */
    int skipping;                         /* inside a line that is too long */
    int ended;
    int broken; /* atomic: a write failed */
    pthread_mutex_t writing;
} channel;

/* in and out stay the caller's. stop may be NULL. */
eg_status mcp_channel_init(channel *c, int in, int out, size_t max_line, const volatile int *stop);
void mcp_channel_release(channel *c);
/* Waits for the next line; *line is good until the next call. */
line_kind mcp_channel_read(channel *c, eg_str *line);
/* Writes text and a line break, as one piece. Thread class: any. */
void mcp_channel_write(channel *c, eg_str text);
/* 1 when there is no use in going on: told to stop, or the other side has gone away. */
int mcp_channel_gone(channel *c);

#endif
