/* memory_request.h - one request of the memory for commands that call its operations themselves,
 * not a tool. */
#ifndef EG_TOOLS_MEMORY_REQUEST_H
#define EG_TOOLS_MEMORY_REQUEST_H

#include "tools/cli.h"

typedef struct memory_request {
    eg_host *host;
    const eg_services *services;
    const eg_memory_ops *ops;
    eg_memory *memory;
    eg_request *rq;
} memory_request;

/* 0, or EXIT_ERROR after complaining. End it in both cases. */
int memory_request_begin(const call *c, memory_request *r);
void memory_request_end(memory_request *r);
/* Complains of what the request's error record says; returns EXIT_ERROR. */
int memory_request_complain(const memory_request *r);
/* 1 when a person at a terminal types yes, or --yes was given; 0 after saying why not. question:
 * what is asked; doing: "erasing them cannot be taken back", what is told where nobody can be
 * asked. */
int is_confirmed(const call *c, const char *question, const char *doing);

#endif
