/* workers.h - the threads that run calls, shared by all sessions of a server. What it is not: it
 * knows no order between tasks (calls.h hands over what may run now). Tasks start in the order in
 * which they were submitted. */
#ifndef ENGRAM_MCP_WORKERS_H
#define ENGRAM_MCP_WORKERS_H

#include "engram/status.h"

typedef struct workers workers;

/* Belongs to who submits it, until run() is called; run() may free it. */
typedef struct task {
    struct task *next;
    void (*run)(struct task *task);
} task;

/* Up to max threads, started when they are needed. */
workers *mcp_workers_create(size_t max); /* NULL: no memory */
/* Nothing may be submitted any more; waits for the tasks that were, then ends the threads. */
void mcp_workers_destroy(workers *w);
/* 0 when there is no thread and none can be started: the task was not taken. Once a task was taken,
 * all later ones are. Thread class: any. */
int mcp_workers_submit(workers *w, task *t);

#endif
