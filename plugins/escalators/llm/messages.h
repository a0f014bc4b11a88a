/* messages.h - what is sent to a language model about a pair of statements, and what its answer
 * says. No transport: llm.c sends and receives. */
#ifndef ENGRAM_LLM_MESSAGES_H
#define ENGRAM_LLM_MESSAGES_H

#include "engram/detector.h"
#include "json.h"

typedef enum llm_protocol { LLM_OPENAI = 0, LLM_ANTHROPIC, LLM_COMMAND } llm_protocol;
#define LLM_PROTOCOL_WORDS \
    { "openai", "anthropic", "command" }

/* The body of a request, or what a command reads. Nothing of the pair but statements, scopes and
 * times. 0 when memory is out. */
int llm_write_request(pj_out *o, llm_protocol protocol, const char *model, const eg_pair_case *pair);

/* Reads the answer to it into *out, texts in the request's memory. EG_EFORMAT with the reason for
 * what is no answer. */
eg_status llm_read_answer(eg_request *rq, llm_protocol protocol, eg_str body, eg_pair_verdict *out);

#endif
