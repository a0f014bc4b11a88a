/* command.h - a program of this machine as escalator: it reads the question from standard input and
 * writes the answer to standard output. No shell is involved. */
#ifndef ENGRAM_LLM_COMMAND_H
#define ENGRAM_LLM_COMMAND_H

#include "http.h"

/* Runs argv (NULL at the end; argv[0] is looked up in PATH) until it ends, the request's deadline
 * or its cancellation, after which it and its children are killed. EG_OK with what it wrote, in the
 * request's memory. EG_EUNAVAILABLE when it does not start, fails or takes too long, EG_EFORMAT
 * when it writes more than LLM_MAX_ANSWER bytes, EG_ECANCELLED. */
eg_status llm_run_command(eg_request *rq, char *const argv[], eg_str question, eg_str *answer);

#endif
