/* http.h - one POST over HTTP or HTTPS by libcurl, which is loaded when it is first needed. Not
 * here: what is sent (messages.h). Redirects are not followed: the key goes to one server. */
#ifndef ENGRAM_LLM_HTTP_H
#define ENGRAM_LLM_HTTP_H

#include "engram/request.h"

enum { LLM_MAX_ANSWER = 256 << 10 /* bytes of a response */ };

typedef struct llm_post {
    const char *url;
    const char *const *headers; /* "Name: value", NULL at the end */
    eg_str body;
    /* out: */
    long status;
    uint32_t retry_after_s; /* 0: the server did not say */
    eg_str answer;          /* in the request's memory */
} llm_post;

/* Ends at the request's deadline or cancellation. EG_OK with any HTTP status. EG_EUNAVAILABLE,
 * EG_EFORMAT for a response that is too long, EG_ECANCELLED; no message has a header in it. */
eg_status llm_http_post(eg_request *rq, llm_post *post);

/* Milliseconds to the request's deadline, at least 1. */
long llm_milliseconds_left(const eg_request *rq);

#endif
